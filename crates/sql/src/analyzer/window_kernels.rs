//! Kernels of the columns that time windows put below an aggregation.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StructArray};
use arrow::datatypes::{DataType as ArrowType, Fields, Int64Type};

use crate::error::{Result, SparkError};
use crate::functions::{EvalContext, Kernel};
use crate::types::DataType;

/// Microseconds of a timestamp column.
fn micros(array: &ArrayRef) -> Result<Int64Array> {
    let cast = arrow::compute::cast(array, &ArrowType::Int64)?;
    Ok(cast.as_primitive::<Int64Type>().clone())
}

fn timestamps(values: Int64Array, data_type: &DataType) -> Result<ArrayRef> {
    Ok(arrow::compute::cast(&values, &data_type.to_arrow())?)
}

fn window_array(start: ArrayRef, end: ArrayRef, rows: usize, window: &DataType) -> Result<ArrayRef> {
    let DataType::Struct(fields) = window else { return Err(SparkError::internal("a window is a struct")) };
    let fields: Fields = fields.to_arrow_fields();
    if rows == 0 {
        return Ok(Arc::new(StructArray::new_null(fields, 0)));
    }
    Ok(Arc::new(StructArray::try_new(fields, vec![start, end], None)?))
}

/// The window number `index` (0: the latest) that a time falls into (TimeWindowing.getWindow). All in µs.
#[derive(Debug)]
pub(super) struct TimeWindowKernel {
    pub(super) window: i64,
    pub(super) slide: i64,
    pub(super) start: i64,
    pub(super) index: i64,
    /// Timestamp or TimestampNtz.
    pub(super) time: DataType,
}

/// The name of a timestamp type in a plan.
fn type_name(time: &DataType) -> &'static str {
    if *time == DataType::TimestampNtz { "TimestampNTZType" } else { "TimestampType" }
}

/// Microseconds of a time, and back (PreciseTimestampConversion).
fn to_micros(time: &str, data_type: &DataType) -> String {
    format!("precisetimestampconversion({time}, {}, LongType)", type_name(data_type))
}

fn from_micros(micros: &str, data_type: &DataType) -> String {
    format!("precisetimestampconversion({micros}, LongType, {})", type_name(data_type))
}

impl Kernel for TimeWindowKernel {
    /// The arithmetic that TimeWindowing puts there.
    fn plan_text(&self, args: &[String]) -> Option<String> {
        let (start, slide) = (self.start, self.slide);
        let micros = to_micros(args.first()?, &self.time);
        let rest = format!("(({micros} - {start}) % {slide})");
        let last = format!("({micros} - CASE WHEN ({rest} < 0) THEN ({rest} + {slide}) ELSE {rest} END)");
        let first = format!("({last} - {})", self.index.wrapping_mul(slide));
        let end = from_micros(&format!("({first} + {})", self.window), &self.time);
        let start = from_micros(&first, &self.time);
        Some(format!("named_struct(start, knownnullable({start}), end, knownnullable({end}))"))
    }
    fn evaluate(&self, args: &[ArrayRef], rows: usize, _ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let time = micros(args.first().ok_or_else(|| SparkError::internal("window without a time"))?)?;
        let start: Int64Array = time.unary(|time| {
            let remainder = time.wrapping_sub(self.start) % self.slide;
            let last = time.wrapping_sub(remainder);
            let last = if remainder < 0 { last.wrapping_sub(self.slide) } else { last };
            last.wrapping_sub(self.index.wrapping_mul(self.slide))
        });
        let end: Int64Array = start.unary(|start| start.wrapping_add(self.window));
        let window = crate::expr::window_struct(&self.time);
        window_array(timestamps(start, &self.time)?, timestamps(end, &self.time)?, rows, &window)
    }
}

/// Start and end as a session window.
#[derive(Debug)]
pub(super) struct SessionWindowKernel {
    pub(super) time: DataType,
}

impl Kernel for SessionWindowKernel {
    fn plan_text(&self, args: &[String]) -> Option<String> {
        let [start, end] = args else { return None };
        let [start, end] = [start, end].map(|time| from_micros(&to_micros(time, &self.time), &self.time));
        Some(format!("named_struct(start, {start}, end, knownnullable({end}))"))
    }
    fn evaluate(&self, args: &[ArrayRef], rows: usize, _ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let [start, end] = args else { return Err(SparkError::internal("a session has a start and an end")) };
        let start = timestamps(micros(start)?, &self.time)?;
        let end = timestamps(micros(end)?, &self.time)?;
        window_array(start, end, rows, &crate::expr::window_struct(&self.time))
    }
}

/// window_time: the last microsecond of a window.
#[derive(Debug)]
pub(super) struct WindowTimeKernel {
    pub(super) time: DataType,
}

impl Kernel for WindowTimeKernel {
    fn evaluate(&self, args: &[ArrayRef], _rows: usize, _ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let window = args.first().ok_or_else(|| SparkError::internal("window_time without a window"))?;
        let window = window.as_struct();
        let end = micros(window.column(1))?;
        let masked = arrow::compute::nullif(
            &end,
            &arrow::array::BooleanArray::from_iter((0..window.len()).map(|row| Some(window.is_null(row)))),
        )?;
        let last: Int64Array = masked.as_primitive::<Int64Type>().unary(|end| end.wrapping_sub(1));
        timestamps(last, &self.time)
    }
}

/// One bit of a LONG column as a BYTE: grouping() of a key.
#[derive(Debug)]
struct BitKernel {
    bit: usize,
}

impl Kernel for BitKernel {
    fn evaluate(&self, args: &[ArrayRef], _rows: usize, _ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let id = args.first().ok_or_else(|| SparkError::internal("grouping without its id"))?;
        let bits: arrow::array::Int8Array =
            id.as_primitive::<Int64Type>().unary(|id| i8::from((id >> self.bit) & 1 == 1));
        Ok(Arc::new(bits))
    }
}

/// `bit` of the grouping id as grouping() gives it.
pub(super) fn bit_of(id: crate::expr::Expr, bit: usize) -> crate::expr::Expr {
    crate::expr::Expr::Call(Box::new(crate::expr::Call {
        name: "grouping_bit".into(),
        args: vec![id],
        data_type: DataType::Byte,
        nullable: false,
        deterministic: true,
        kernel: Arc::new(BitKernel { bit }),
        seed: Some(i64::try_from(bit).unwrap_or(0)),
        site: crate::expr::Site::default(),
    }))
}
