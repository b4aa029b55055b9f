//! How one text became another, line by line.

/// Longer texts are compared at their beginnings and ends only.
const LINE_LIMIT: usize = 2_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same,
    Removed,
    Added,
}

/// The lines of both texts, in order; a removed line stands before the one that took its place.
pub fn lines<'a>(old: &'a str, new: &'a str) -> Vec<(Change, &'a str)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut changes: Vec<(Change, &str)> = old[..head].iter().map(|line| (Change::Same, *line)).collect();
    if a.len() > LINE_LIMIT || b.len() > LINE_LIMIT {
        changes.extend(a.iter().map(|line| (Change::Removed, *line)));
        changes.extend(b.iter().map(|line| (Change::Added, *line)));
    } else {
        middle(a, b, &mut changes);
    }
    changes.extend(old[old.len() - tail..].iter().map(|line| (Change::Same, *line)));
    changes
}

/// By the longest common subsequence of lines.
fn middle<'a>(a: &[&'a str], b: &[&'a str], changes: &mut Vec<(Change, &'a str)>) {
    let width = b.len() + 1;
    // Length of the longest common subsequence of a[i..] and b[j..].
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            changes.push((Change::Same, a[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && (j == b.len() || longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            changes.push((Change::Removed, a[i]));
            i += 1;
        } else {
            changes.push((Change::Added, b[j]));
            j += 1;
        }
    }
}

/// Lines added and removed.
pub fn count(changes: &[(Change, &str)]) -> (usize, usize) {
    let of = |wanted: Change| changes.iter().filter(|(change, _)| *change == wanted).count();
    (of(Change::Added), of(Change::Removed))
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_change_is_shown_where_it_is() {
        let shown: Vec<String> = lines("a\nb\nc\nd", "a\nx\nc\ny\nd")
            .into_iter()
            .map(|(change, line)| match change {
                Change::Same => format!(" {line}"),
                Change::Removed => format!("-{line}"),
                Change::Added => format!("+{line}"),
            })
            .collect();
        assert_eq!(shown, [" a", "-b", "+x", " c", "+y", " d"]);
        assert_eq!(count(&lines("a\nb", "b\nc")), (1, 1));
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_it(old in "[abc\n]{0,30}", new in "[abc\n]{0,30}") {
            let changes = lines(&old, &new);
            let pick = |skip: Change| -> Vec<&str> {
                changes.iter().filter(|(change, _)| *change != skip).map(|(_, line)| *line).collect()
            };
            prop_assert_eq!(pick(Change::Added), old.lines().collect::<Vec<_>>());
            prop_assert_eq!(pick(Change::Removed), new.lines().collect::<Vec<_>>());
        }
    }
}
