//! rand, randn, uniform, randstr, uuid, shuffle: numbers from a seed, the same for the same partition and row.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array, StringArray, UInt32Array};
use arrow::compute::take;

use super::misc::not_deterministic;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::{CastContext, cast_array};
use crate::functions::chance::{Twister, XorShiftRandom};
use crate::functions::coercion::{self, In, eval_mode};
use crate::functions::describe;
use crate::functions::nested::{Lists, list_array, pick_rows};
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::call;
use crate::functions::typed::{Double, Opened};
use crate::functions::{EvalContext, Kernel, Operand};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("rand", 0, 1, random),
    FunctionEntry::custom("random", 0, 1, random),
    FunctionEntry::custom("randn", 0, 1, random),
    FunctionEntry::custom("uniform", 2, 3, uniform),
    FunctionEntry::custom("randstr", 1, 2, random_text),
    FunctionEntry::custom("uuid", 0, 1, uuid),
    FunctionEntry::custom("shuffle", 1, 2, shuffle),
];

fn seed_of(b: &Build<'_>, arg: Option<&Expr>) -> Result<i64> {
    Ok(match arg {
        // Every call draws numbers of its own: ids are counted up through the session.
        None => {
            let id = i64::try_from(crate::expr::ExprId::fresh().0).unwrap_or_default();
            id.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64)
        }
        Some(e) => crate::functions::json::constant(b, e)?.and_then(|v| v.as_i64()).unwrap_or(0),
    })
}

#[derive(Debug)]
struct Random {
    seed: i64,
    normal: bool,
}

impl Kernel for Random {
    fn evaluate(&self, _: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let mut numbers = XorShiftRandom::new(self.seed.wrapping_add(ctx.partition as i64));
        let mut draw = || if self.normal { numbers.gaussian() } else { numbers.double() };
        for _ in 0..ctx.row_base {
            draw();
        }
        Ok(Arc::new(Float64Array::from_iter_values((0..rows).map(|_| draw()))))
    }
}

fn random(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let seed = seed_of(b, args.first())?;
    let normal = b.name == "randn";
    let name = if normal { "randn" } else { "rand" };
    Ok(not_deterministic(call(name, args, DataType::Double, false, Random { seed, normal }), Some(seed)))
}

/// NON_FOLDABLE_INPUT, with the kind of constant that is wanted.
fn not_constant(sql: &str, name: &str, wanted: &str, arg: &Expr) -> SparkError {
    SparkError::analysis(
        "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
        &[
            ("sqlExpr", &format!("\"{sql}\"")),
            ("inputName", &format!("`{name}`")),
            ("inputType", wanted),
            ("inputExpr", &describe::quoted(arg)),
        ],
    )
}

/// uniform(low, high[, seed]): a number between, of the wider type of the two.
fn uniform(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    for (i, name) in [(0, "min"), (1, "max")] {
        let (arg, sql) = (&args[i], describe::call_text("uniform", &args));
        if !arg.foldable() {
            return Err(not_constant(&sql, name, "integer or floating-point", arg));
        }
        let t = arg.data_type();
        if !(t.is_numeric() || t == DataType::Null) {
            return Err(coercion::unexpected_input(&sql, i, "\"NUMERIC\"", arg));
        }
    }
    if let Some(seed) = args.get(2).filter(|seed| !seed.data_type().is_integral() && seed.data_type() != DataType::Null)
    {
        let sql = describe::call_text("uniform", &args);
        return Err(coercion::unexpected_input(&sql, 2, "(\"INT\" or \"BIGINT\")", seed));
    }
    let seed = seed_of(b, args.get(2))?;
    let types = [args[0].data_type(), args[1].data_type()];
    // Beside a decimal a whole constant has its own digits.
    let decimal = types.iter().any(|t| matches!(t, DataType::Decimal { .. }));
    let shown = |arg: &Expr| match arg {
        Expr::Literal { value, data_type } if decimal && data_type.is_integral() => {
            let digits = value.as_i64().map_or(1, |n| n.unsigned_abs().to_string().len());
            DataType::decimal(u8::try_from(digits).unwrap_or(38), 0)
        }
        arg => arg.data_type(),
    };
    let t = if types.contains(&DataType::Null) {
        DataType::Double
    } else {
        coercion::wider_common(&[shown(&args[0]), shown(&args[1])], b.ansi()).unwrap_or(DataType::Double)
    };
    let kernel = Uniform { seed, types, result: t.clone(), ansi: b.ansi() };
    Ok(not_deterministic(call("uniform", args, t, false, kernel), Some(seed)))
}

#[derive(Debug)]
struct Uniform {
    seed: i64,
    types: [DataType; 2],
    result: DataType,
    ansi: bool,
}

impl Kernel for Uniform {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let mut numbers = XorShiftRandom::new(self.seed.wrapping_add(ctx.partition as i64));
        for _ in 0..ctx.row_base {
            numbers.double();
        }
        let cast = CastContext { mode: eval_mode(self.ansi), zone: ctx.conf.time_zone(), now_us: ctx.now_us };
        let bounds = (0..2).map(|i| cast_array(&args[i], &self.types[i], &DataType::Double, cast));
        let bounds = bounds.collect::<Result<Vec<_>>>()?;
        let (low, high) = (Opened::<Double>::new(&bounds[0], false)?, Opened::<Double>::new(&bounds[1], false)?);
        let drawn: Float64Array = (0..rows)
            .map(|row| {
                let share = numbers.double();
                Some(share * (high.get(row)? - low.get(row)?) + low.get(row)?)
            })
            .collect();
        let drawn: ArrayRef = Arc::new(drawn);
        cast_array(&drawn, &DataType::Double, &self.result, cast)
    }
}

fn random_text(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let seed = seed_of(b, args.get(1))?;
    if !args[0].foldable() {
        return Err(not_constant(&describe::call_text("randstr", &args), "length", "integer", &args[0]));
    }
    let length = coercion::cast_to(args[0].clone(), &DataType::Integer, b.ansi());
    let length = crate::functions::json::constant(b, &length)?.and_then(|v| v.as_i64()).unwrap_or(0);
    let Ok(length) = usize::try_from(length) else {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("randstr", &args))),
                ("exprName", "`length`"),
                ("valueRange", "[0, 2147483647]"),
                ("currentValue", &length.to_string()),
            ],
        ));
    };
    Ok(not_deterministic(call("randstr", args, DataType::String, false, Text { seed, length }), Some(seed)))
}

#[derive(Debug)]
struct Text {
    seed: i64,
    length: usize,
}

impl Kernel for Text {
    fn evaluate(&self, _: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        const LETTERS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let mut numbers = XorShiftRandom::new(self.seed.wrapping_add(ctx.partition as i64));
        let mut draw = || -> String {
            (0..self.length).map(|_| char::from(LETTERS[(numbers.next(32) % 62).unsigned_abs() as usize])).collect()
        };
        for _ in 0..ctx.row_base {
            draw();
        }
        let texts: Vec<String> = (0..rows).map(|_| draw()).collect();
        Ok(Arc::new(StringArray::from(texts)))
    }
}

fn uuid(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let seed = seed_of(b, args.first())?;
    Ok(not_deterministic(call("uuid", Vec::new(), DataType::String, false, Uuid { seed }), Some(seed)))
}

#[derive(Debug)]
struct Uuid {
    seed: i64,
}

impl Kernel for Uuid {
    fn evaluate(&self, _: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let mut numbers = Twister::new(self.seed.wrapping_add(ctx.partition as i64));
        let mut draw = || {
            let high = (numbers.long() & 0xffff_ffff_ffff_0fff) | 0x4000;
            let low = (numbers.long() | 0x8000_0000_0000_0000) & 0xbfff_ffff_ffff_ffff;
            let hex = format!("{high:016x}{low:016x}");
            format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
        };
        for _ in 0..ctx.row_base {
            draw();
        }
        let texts: Vec<String> = (0..rows).map(|_| draw()).collect();
        Ok(Arc::new(StringArray::from(texts)))
    }
}

fn shuffle(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let seed = seed_of(b, args.get(1))?;
    let child = b.inputs(vec![args[0].clone()], &[In::Arr])?;
    let t = child[0].data_type();
    let nullable = child[0].nullable();
    Ok(not_deterministic(call("shuffle", child, t.clone(), nullable, Shuffle { seed, data_type: t }), Some(seed)))
}

#[derive(Debug)]
struct Shuffle {
    seed: i64,
    data_type: DataType,
}

impl Kernel for Shuffle {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let mut numbers = Twister::new(self.seed.wrapping_add(ctx.partition as i64));
        let arrays = Operand::Column(args[0].clone());
        let lists = Lists::of(&arrays)?;
        let nulls = args[0].logical_nulls();
        let (places, offsets) = pick_rows(rows, nulls.as_ref(), &mut |row, out| {
            // RandomIndicesGenerator: Fisher and Yates from the inside out.
            let from = out.len();
            for (i, at) in lists.range(row).enumerate() {
                let j = numbers.below(i as u32 + 1) as usize;
                out.push(at as u32);
                out[from..].swap(i, j);
            }
            Ok(())
        })?;
        list_array(&self.data_type, take(lists.values, &UInt32Array::from(places), None)?, offsets, nulls)
    }
}
