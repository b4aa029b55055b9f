//! width_bucket: over numbers and over intervals of one family.

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::typed::{Long, Real, Whole, column_call, each};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[FunctionEntry::custom("width_bucket", 4, 4, width_bucket)];

const VALUE: In = In::Either(&[In::Double, In::YearMonth, In::DayTime]);

fn width_bucket(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[VALUE, VALUE, VALUE, In::Long])?;
    let types: Vec<DataType> = args[..3].iter().map(Expr::data_type).collect();
    let family = |t: &DataType| match t {
        DataType::YearMonthInterval { .. } => 1,
        DataType::DayTimeInterval { .. } => 2,
        _ => 0,
    };
    if types.iter().any(|t| family(t) != family(&types[0])) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("width_bucket", &args))),
                ("functionName", "`width_bucket`"),
                ("dataType", &describe::type_list(&types, "(", " or ", ")")),
            ],
        ));
    }
    Ok(column_call("width_bucket", args, DataType::Long, true, true, b.ansi(), |c| {
        let counts = c.open::<Long>(3)?;
        if c.types[0] == DataType::Double {
            let (value, low, high) = (c.open::<Real>(0)?, c.open::<Real>(1)?, c.open::<Real>(2)?);
            let numbers = |row| Some([value.get(row)?, low.get(row)?, high.get(row)?]);
            return each::<Long>(c, &|row| Ok(numbers(row).zip(counts.get(row)).and_then(bucket_of)));
        }
        let (value, low, high) = (c.open::<Whole>(0)?, c.open::<Whole>(1)?, c.open::<Whole>(2)?);
        let numbers = |row| Some([value.get(row)? as f64, low.get(row)? as f64, high.get(row)? as f64]);
        each::<Long>(c, &|row| Ok(numbers(row).zip(counts.get(row)).and_then(bucket_of)))
    }))
}

/// WidthBucket.computeBucketNumber; None for a range or number of buckets without sense.
fn bucket_of(([value, low, high], count): ([f64; 3], i64)) -> Option<i64> {
    if count <= 0 || count == i64::MAX || value.is_nan() || low == high || !low.is_finite() || !high.is_finite() {
        return None;
    }
    let (lower, upper) = (low.min(high), low.max(high));
    let share = |part: f64| (count as f64 * part / (upper - lower)) as i64 + 1;
    Some(match low < high {
        true if value < lower => 0,
        true if value >= upper => count + 1,
        true => share(value - lower),
        false if value > upper => 0,
        false if value <= lower => count + 1,
        false => share(upper - value),
    })
}
