//! How long a buffered row can still find a partner (StreamingJoinHelper, StreamingSymmetricHashJoinHelper).

use std::sync::Arc;

use tidemark_sql::expr::{Attribute, Expr};
use tidemark_sql::types::DataType;
use tidemark_sql::value::Value;

use super::super::columns::EventTime;

/// What decides about the rows of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Nothing: its rows stay for ever.
    None,
    /// Key column `field` at or before the watermark (a join key has the event time of one side).
    Key { field: usize, window: bool },
    /// The side's event time at or before what the condition makes of the watermark.
    Value { event_time: EventTime, condition: Offset },
}

/// The condition `other side's time + offset (< or <=) this side's time`, solved for this side's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    us: i64,
    /// `<=`: a row at the bound can still match, so the bound is one millisecond lower.
    inclusive: bool,
}

impl Offset {
    /// The state watermark for a watermark, ms.
    pub(super) fn apply(self, watermark_ms: i64) -> i64 {
        let us = watermark_ms as f64 * 1000.0 + self.us as f64;
        (us / 1000.0) as i64 - i64::from(self.inclusive)
    }
}

impl Bound {
    /// State at or before this goes, ms.
    pub(super) fn state_watermark(&self, watermark_ms: i64) -> Option<i64> {
        match self {
            Self::None => None,
            Self::Key { .. } => Some(watermark_ms),
            Self::Value { condition, .. } => Some(condition.apply(watermark_ms)),
        }
    }
}

/// The bounds of both sides. `predicates`: what the join asks besides equal keys.
pub(super) fn bounds(
    sides: [&[Arc<Attribute>]; 2],
    keys: [&[Expr]; 2],
    predicates: &[Expr],
    event_times: [Option<EventTime>; 2],
) -> [Bound; 2] {
    let marked = |key: &Expr| key.expr_id().is_some() && key.metadata().watermark_delay_ms.is_some();
    let field = keys.iter().find_map(|keys| keys.iter().position(marked));
    if let Some(field) = field {
        let window = |side: usize| matches!(keys[side][field].data_type(), DataType::Struct(_));
        return [0, 1].map(|side| Bound::Key { field, window: window(side) });
    }
    [0, 1].map(|side| {
        let Some(event_time) = event_times[side] else { return Bound::None };
        let other = sides[1 - side];
        if !other.iter().any(|a| a.metadata.watermark_delay_ms.is_some()) {
            return Bound::None;
        }
        // Every predicate that bounds the time counts; the lowest bound is the safe one.
        let offsets = predicates.iter().filter_map(|predicate| solve(predicate, sides[side], other));
        let lowest = offsets.min_by_key(|offset| offset.apply(0));
        lowest.map_or(Bound::None, |condition| Bound::Value { event_time, condition })
    })
}

pub(super) fn conjuncts<'a>(condition: &'a Expr, out: &mut Vec<&'a Expr>) {
    match condition {
        Expr::Call(call) if &*call.name == "and" => call.args.iter().for_each(|arg| conjuncts(arg, out)),
        other => out.push(other),
    }
}

/// One predicate solved for the column of `find`: `watermark + offset < column`.
fn solve(predicate: &Expr, find: &[Arc<Attribute>], other: &[Arc<Attribute>]) -> Option<Offset> {
    let Expr::Call(call) = predicate else { return None };
    let [left, right] = &call.args[..] else { return None };
    let (small, large, inclusive) = match &*call.name {
        "<" => (left, right, false),
        "<=" => (left, right, true),
        ">" => (right, left, false),
        ">=" => (right, left, true),
        _ => return None,
    };
    // small - large < 0
    let mut terms = Terms::default();
    terms.collect(small, 1)?;
    terms.collect(large, -1)?;
    let of = |side: &[Arc<Attribute>]| -> Vec<(Arc<Attribute>, i64)> {
        terms.columns.iter().filter(|(a, _)| side.iter().any(|b| b.id == a.id)).cloned().collect()
    };
    let (found, watermarked) = (of(find), of(other));
    // -column + watermarked column + constant < 0
    let [(_, -1)] = &found[..] else { return None };
    let [(column, 1)] = &watermarked[..] else { return None };
    column.metadata.watermark_delay_ms?;
    Some(Offset { us: terms.constant_us, inclusive })
}

/// A sum of columns and constants.
#[derive(Default)]
struct Terms {
    columns: Vec<(Arc<Attribute>, i64)>,
    constant_us: i64,
}

impl Terms {
    fn collect(&mut self, expr: &Expr, sign: i64) -> Option<()> {
        match expr {
            Expr::Attribute(attribute) => self.columns.push((attribute.clone(), sign)),
            Expr::Cast { child, to, .. } if to.is_numeric() || *to == DataType::Timestamp => {
                self.collect(child, sign)?
            }
            Expr::Alias(alias) => self.collect(&alias.child, sign)?,
            Expr::Literal { value, .. } => {
                let us = match value {
                    // Months have no fixed length.
                    Value::CalendarInterval { months: ..=0, days, micros } => {
                        i64::from(*days) * 86_400_000_000 + micros
                    }
                    Value::DayTimeInterval(us) => *us,
                    Value::Integer(n) => i64::from(*n) * 1_000_000,
                    Value::Long(n) => n.checked_mul(1_000_000)?,
                    _ => return None,
                };
                self.constant_us += sign * us;
            }
            Expr::Call(call) => match (&*call.name, &call.args[..]) {
                ("+", [a, b]) => {
                    self.collect(a, sign)?;
                    self.collect(b, sign)?;
                }
                ("-", [a, b]) => {
                    self.collect(a, sign)?;
                    self.collect(b, -sign)?;
                }
                ("negative", [a]) => self.collect(a, -sign)?,
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    }
}
