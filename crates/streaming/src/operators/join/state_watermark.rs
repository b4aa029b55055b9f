//! How long a buffered row can still find a partner (StreamingJoinHelper, StreamingSymmetricHashJoinHelper).

use std::sync::Arc;

use tidemark_sql::expr::{Attribute, Expr};
use tidemark_sql::types::DataType;
use tidemark_sql::value::Value;

use super::super::columns::EventTime;

/// What decides about the rows of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Nothing: its rows stay for ever.
    None,
    /// Key column `field` at or before the watermark (a join key has the event time of one side).
    Key { field: usize, window: bool },
    /// The side's event time at or before what the condition makes of the watermark.
    Value { event_time: EventTime, conditions: Vec<Offset> },
}

/// A predicate `sign * other side's time + offset (< or <=) column`, solved for a column of this side. Spark takes any
/// column for the event time: a test like `price > 20` keeps every row that is younger than 20 seconds after the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// 0: the other side's time is not in the predicate.
    sign: i64,
    us: i64,
    /// `<=`: a row at the bound can still match, so the bound is one millisecond lower.
    inclusive: bool,
}

impl Offset {
    /// The state watermark for a watermark, ms.
    pub(super) fn apply(self, watermark_ms: i64) -> i64 {
        let us = self.sign as f64 * watermark_ms as f64 * 1000.0 + self.us as f64;
        // Before a query starts its watermark is the least number there is.
        ((us / 1000.0) as i64).wrapping_sub(i64::from(self.inclusive))
    }
}

impl Bound {
    /// State at or before this goes, ms.
    pub(super) fn state_watermark(&self, watermark_ms: i64) -> Option<i64> {
        match self {
            Self::None => None,
            Self::Key { .. } => Some(watermark_ms),
            // Every predicate counts; the lowest bound is the safe one.
            Self::Value { conditions, .. } => conditions.iter().map(|c| c.apply(watermark_ms)).min(),
        }
    }
}

impl Bound {
    /// The watermark that removes a row of this event time (µs) from the state, ms; None: none does, or none that could be
    /// told beforehand.
    pub(super) fn due_ms(&self, time_us: i64) -> Option<i64> {
        let time = super::super::judge::due_ms(time_us);
        // The bound follows the watermark at a fixed distance where it follows it at all.
        let due = time.saturating_add(time.saturating_sub(self.state_watermark(time)?));
        (self.state_watermark(due)? >= time).then_some(due)
    }

    /// How long after its event time a row waits for a partner, µs (the strictest predicate does not count, the most patient
    /// does); None where the condition does not tie the two event times.
    pub(super) fn wait_us(&self) -> Option<i64> {
        match self {
            Self::Value { conditions, .. } => conditions.iter().filter(|c| c.sign == 1).map(|c| -c.us).max(),
            _ => None,
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
        let conditions: Vec<Offset> =
            predicates.iter().filter_map(|predicate| solve(predicate, sides[side], other)).collect();
        if conditions.is_empty() { Bound::None } else { Bound::Value { event_time, conditions } }
    })
}

pub(super) fn conjuncts<'a>(condition: &'a Expr, out: &mut Vec<&'a Expr>) {
    match condition {
        Expr::Call(call) if &*call.name == "and" => call.args.iter().for_each(|arg| conjuncts(arg, out)),
        other => out.push(other),
    }
}

/// One predicate solved for its column of `find`.
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
    // -column + sign * watermarked column + constant < 0
    let [(_, -1)] = &found[..] else { return None };
    let sign = match &watermarked[..] {
        [] => 0,
        [(column, sign)] if column.metadata.watermark_delay_ms.is_some() => *sign,
        _ => return None,
    };
    Some(Offset { sign, us: terms.constant_us, inclusive })
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
                    Value::Double(x) => (x * 1_000_000.0) as i64,
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

#[cfg(test)]
mod tests {
    use tidemark_sql::expr::{Call, ExprId, Metadata};
    use tidemark_sql::functions::{EvalContext, Kernel};

    use super::*;

    #[derive(Debug)]
    struct NoKernel;

    impl Kernel for NoKernel {
        fn evaluate(
            &self,
            _args: &[arrow::array::ArrayRef],
            _rows: usize,
            _ctx: &EvalContext<'_>,
        ) -> tidemark_sql::Result<arrow::array::ArrayRef> {
            Err(tidemark_sql::SparkError::internal("not to be evaluated"))
        }
    }

    fn call(name: &str, args: Vec<Expr>) -> Expr {
        Expr::Call(Box::new(Call {
            name: name.into(),
            args,
            data_type: DataType::Timestamp,
            nullable: true,
            deterministic: true,
            kernel: Arc::new(NoKernel),
            seed: None,
            site: Default::default(),
        }))
    }

    fn time(name: &str) -> Arc<Attribute> {
        Arc::new(Attribute {
            id: ExprId::fresh(),
            name: name.into(),
            data_type: DataType::Timestamp,
            nullable: true,
            qualifier: Vec::new(),
            metadata: Metadata { watermark_delay_ms: Some(0), ..Metadata::default() },
        })
    }

    fn minutes(n: i64) -> Expr {
        Expr::Literal { value: Value::DayTimeInterval(n * 60_000_000), data_type: DataType::INTERVAL_DT }
    }

    #[test]
    fn the_condition_says_how_long_rows_can_match() {
        let (a, b) = (time("a"), time("b"));
        let column = |a: &Arc<Attribute>| Expr::Attribute(a.clone());
        // b >= a and b <= a + 10 minutes
        let predicates = [
            call(">=", vec![column(&b), column(&a)]),
            call("<=", vec![column(&b), call("+", vec![column(&a), minutes(10)])]),
        ];
        let event_time = Some(EventTime { ordinal: 0, window: false });
        let sides = [std::slice::from_ref(&a), std::slice::from_ref(&b)];
        let [left, right] = bounds(sides, [&[], &[]], &predicates, [event_time, event_time]);
        // A left row can match until the watermark is ten minutes past it, a right row until it is reached.
        assert_eq!(left.state_watermark(3_600_000), Some(3_600_000 - 600_000 - 1));
        assert_eq!(right.state_watermark(3_600_000), Some(3_600_000 - 1));
        // The same for one row.
        assert_eq!((left.wait_us(), right.wait_us()), (Some(600_000_000), Some(0)));
        assert_eq!(left.due_ms(3_600_000_000), Some(3_600_000 + 600_000 + 1));
        assert_eq!(right.due_ms(3_600_000_500), Some(3_600_000 + 2));
        // A test of a column alone bounds it by a number of seconds.
        let alone =
            [predicates[1].clone(), call(">", vec![column(&a), Expr::literal(Value::Integer(20), DataType::Integer)])];
        let [left, _] = bounds(sides, [&[], &[]], &alone, [event_time, event_time]);
        assert_eq!(left.state_watermark(3_600_000), Some(20_000));
        let open = bounds(sides, [&[], &[]], &predicates[..1], [event_time, event_time]);
        assert_eq!(open[0], Bound::None);
        let by_key = bounds(sides, [&[column(&a)], &[column(&b)]], &[], [event_time, event_time]);
        assert_eq!(by_key[1], Bound::Key { field: 0, window: false });
    }
}
