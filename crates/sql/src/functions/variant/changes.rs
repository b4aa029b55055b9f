//! Changed variants: fields and elements put in, replaced, taken away.

use super::Step;
use super::encoding::Node;

/// What is done at the end of a path.
#[derive(Clone, Debug)]
pub(in crate::functions) enum Change {
    /// A new field, or an element before the one that is there.
    Insert,
    /// A field or element in the place of another; a new one only where `create` says so.
    Set { create: bool },
    /// An element behind the last of an array.
    Append,
}

/// Why a change cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::functions) enum Refusal {
    /// The field is there already.
    Duplicate,
    /// The path goes through, or ends in, something of another kind.
    Mismatch,
}

/// Whether nothing happens where the path leads nowhere.
fn creates(change: &Change) -> bool {
    matches!(change, Change::Insert | Change::Set { create: true })
}

pub(super) fn change(node: &mut Node, steps: &[Step], change: &Change, value: &Node) -> Result<(), Refusal> {
    let Some((step, rest)) = steps.split_first() else {
        return match (change, node) {
            (Change::Append, Node::Array(items)) => {
                items.push(value.clone());
                Ok(())
            }
            (Change::Set { .. }, node) => {
                *node = value.clone();
                Ok(())
            }
            _ => Err(Refusal::Mismatch),
        };
    };
    let last = rest.is_empty() && !matches!(change, Change::Append);
    match (step, node) {
        (Step::Field(name), Node::Object(fields)) => {
            let found = fields.iter_mut().find(|(known, _)| known == name);
            match (found, last) {
                (Some(_), true) if matches!(change, Change::Insert) => Err(Refusal::Duplicate),
                (Some((_, old)), true) => {
                    *old = value.clone();
                    Ok(())
                }
                (Some((_, inner)), false) => self::change(inner, rest, change, value),
                (None, _) if creates(change) => {
                    fields.push((name.clone(), made(rest, value)));
                    Ok(())
                }
                (None, _) => Ok(()),
            }
        }
        (Step::Item(at), Node::Array(items)) => {
            if let Some(old) = items.get_mut(*at) {
                match (last, change) {
                    (true, Change::Insert) => items.insert(*at, value.clone()),
                    (true, _) => *old = value.clone(),
                    (false, _) => return self::change(old, rest, change, value),
                }
            } else if creates(change) {
                items.resize(*at, Node::Null);
                items.push(made(rest, value));
            }
            Ok(())
        }
        _ => Err(Refusal::Mismatch),
    }
}

/// What a path that leads nowhere yet makes.
fn made(steps: &[Step], value: &Node) -> Node {
    match steps.split_first() {
        None => value.clone(),
        Some((Step::Field(name), rest)) => Node::Object(vec![(name.clone(), made(rest, value))]),
        Some((Step::Item(at), rest)) => {
            let mut items = vec![Node::Null; *at];
            items.push(made(rest, value));
            Node::Array(items)
        }
    }
}

/// Takes away what a path leads to, when it leads anywhere.
pub(super) fn delete(node: &mut Node, steps: &[Step]) {
    let Some((step, rest)) = steps.split_first() else { return };
    match (step, node) {
        (Step::Field(name), Node::Object(fields)) if rest.is_empty() => fields.retain(|(known, _)| known != name),
        (Step::Field(name), Node::Object(fields)) => {
            if let Some((_, inner)) = fields.iter_mut().find(|(known, _)| known == name) {
                delete(inner, rest);
            }
        }
        (Step::Item(at), Node::Array(items)) if *at < items.len() => {
            if rest.is_empty() {
                items.remove(*at);
            } else {
                delete(&mut items[*at], rest);
            }
        }
        _ => {}
    }
}

/// Without null fields, and without null elements when `arrays` says so.
pub(super) fn strip_nulls(node: Node, arrays: bool) -> Node {
    match node {
        Node::Object(fields) => Node::Object(
            fields
                .into_iter()
                .filter(|(_, value)| *value != Node::Null)
                .map(|(name, value)| (name, strip_nulls(value, arrays)))
                .collect(),
        ),
        Node::Array(items) => Node::Array(
            items
                .into_iter()
                .filter(|item| !arrays || *item != Node::Null)
                .map(|item| strip_nulls(item, arrays))
                .collect(),
        ),
        leaf => leaf,
    }
}
