//! rand, randn, uniform, randstr, uuid, shuffle: numbers from a seed, the same for the same partition and row.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StringArray};

use super::misc::not_deterministic;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::cast::{CastContext, cast_value};
use crate::functions::coercion::{self, In, eval_mode};
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry};
use crate::functions::row::call;
use crate::functions::{EvalContext, Kernel};
use crate::types::DataType;
use crate::value::{Value, ValueBuilder, value_at};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("rand", 0, 1, random),
    FunctionEntry::custom("random", 0, 1, random),
    FunctionEntry::custom("randn", 0, 1, random),
    FunctionEntry::custom("uniform", 2, 3, uniform),
    FunctionEntry::custom("randstr", 1, 2, random_text),
    FunctionEntry::custom("uuid", 0, 1, uuid),
    FunctionEntry::custom("shuffle", 1, 2, shuffle),
];

/// org.apache.spark.util.random.XORShiftRandom, with java.util.Random's ways to numbers.
struct XorShift {
    state: i64,
    /// The second of two normal numbers.
    spare: Option<f64>,
}

impl XorShift {
    fn new(seed: i64) -> Self {
        Self { state: Self::hashed(seed), spare: None }
    }

    /// XORShiftRandom.hashSeed: Murmur3 of the seed's bytes, twice (scala.util.hashing.MurmurHash3.bytesHash).
    fn hashed(seed: i64) -> i64 {
        let bytes = seed.to_be_bytes();
        let low = scala_murmur(&bytes, 0x3c07_4a61);
        let high = scala_murmur(&bytes, low as u32);
        (i64::from(high) << 32) | i64::from(low as u32)
    }

    fn next(&mut self, bits: u32) -> i32 {
        let mut n = self.state ^ (self.state << 21);
        n ^= ((n as u64) >> 35) as i64;
        n ^= n << 4;
        self.state = n;
        (n & ((1i64 << bits) - 1)) as i32
    }

    fn double(&mut self) -> f64 {
        ((i64::from(self.next(26)) << 27) + i64::from(self.next(27))) as f64 / (1i64 << 53) as f64
    }

    fn gaussian(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (a, b) = (2.0 * self.double() - 1.0, 2.0 * self.double() - 1.0);
            let s = a * a + b * b;
            if s < 1.0 && s != 0.0 {
                let factor = (-2.0 * libm::log(s) / s).sqrt();
                self.spare = Some(b * factor);
                return a * factor;
            }
        }
    }
}

fn scala_murmur(bytes: &[u8], seed: u32) -> i32 {
    let mut h = seed;
    for w in bytes.chunks_exact(4) {
        let k = u32::from_le_bytes([w[0], w[1], w[2], w[3]])
            .wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593);
        h = (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    h ^= bytes.len() as u32;
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    (h ^ (h >> 16)) as i32
}

/// The Mersenne twister of Apache Commons Math, seeded with a long.
struct Twister {
    state: [u32; 624],
    at: usize,
}

impl Twister {
    fn new(seed: i64) -> Self {
        let key = [((seed as u64) >> 32) as u32, seed as u32];
        let mut state = [0u32; 624];
        state[0] = 19_650_218;
        for i in 1..624 {
            let before = state[i - 1];
            state[i] = 1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        let (mut i, mut j) = (1, 0);
        for _ in 0..624 {
            let before = state[i - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_664_525);
            state[i] = (state[i] ^ mixed).wrapping_add(key[j]).wrapping_add(j as u32);
            i += 1;
            j = (j + 1) % key.len();
            if i == 624 {
                state[0] = state[623];
                i = 1;
            }
        }
        for _ in 0..623 {
            let before = state[i - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_566_083_941);
            state[i] = (state[i] ^ mixed).wrapping_sub(i as u32);
            i += 1;
            if i == 624 {
                state[0] = state[623];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        Self { state, at: 624 }
    }

    fn next(&mut self, bits: u32) -> u32 {
        if self.at == 624 {
            for k in 0..624 {
                let y = (self.state[k] & 0x8000_0000) | (self.state[(k + 1) % 624] & 0x7fff_ffff);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[k] = self.state[(k + 397) % 624] ^ (y >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^= y >> 18;
        y >> (32 - bits)
    }

    fn long(&mut self) -> u64 {
        let high = u64::from(self.next(32));
        (high << 32) | u64::from(self.next(32))
    }

    /// Below `n`.
    fn below(&mut self, n: u32) -> u32 {
        if n.is_power_of_two() {
            return ((u64::from(n) * u64::from(self.next(31))) >> 31) as u32;
        }
        loop {
            let bits = self.next(31);
            let value = bits % n;
            if (bits - value).wrapping_add(n - 1) < 0x8000_0000 {
                return value;
            }
        }
    }
}

fn seed_of(b: &Build<'_>, arg: Option<&Expr>) -> Result<i64> {
    Ok(match arg {
        None => 0,
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
        let mut numbers = XorShift::new(self.seed.wrapping_add(ctx.partition as i64));
        let mut draw = || if self.normal { numbers.gaussian() } else { numbers.double() };
        for _ in 0..ctx.row_base {
            draw();
        }
        Ok(Arc::new(Float64Array::from_iter_values((0..rows).map(|_| draw()))))
    }
}

fn random(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let seed = seed_of(b, args.first())?;
    let args = if args.is_empty() { vec![Expr::literal(Value::Long(seed), DataType::Long)] } else { args };
    let normal = b.name == "randn";
    let name = if normal { "randn" } else { "rand" };
    Ok(not_deterministic(call(name, args, DataType::Double, false, Random { seed, normal }), Some(seed)))
}

/// uniform(low, high[, seed]): a number between, of the wider type of the two.
fn uniform(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let seed = seed_of(b, args.get(2))?;
    for (i, arg) in args.iter().enumerate().take(2) {
        let t = arg.data_type();
        if !(t.is_numeric() || t == DataType::Null) {
            let sql = describe::call_text("uniform", &args);
            return Err(coercion::unexpected_input(&sql, i, "integer or floating-point", arg));
        }
    }
    if args.len() == 2 {
        args.push(Expr::literal(Value::Long(seed), DataType::Long));
    }
    let types = [args[0].data_type(), args[1].data_type()];
    let t = coercion::wider_common(&types, b.ansi()).unwrap_or(DataType::Double);
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
        let mut numbers = XorShift::new(self.seed.wrapping_add(ctx.partition as i64));
        for _ in 0..ctx.row_base {
            numbers.double();
        }
        let cast = CastContext { mode: eval_mode(self.ansi), zone: ctx.conf.time_zone(), now_us: ctx.now_us };
        let double = |array: &ArrayRef, row: usize, t: &DataType| {
            cast_value(&value_at(array, row, t), t, &DataType::Double, cast).map(|v| v.as_f64())
        };
        let mut out = ValueBuilder::new(&self.result, rows);
        for row in 0..rows {
            let share = numbers.double();
            let (low, high) = (double(&args[0], row, &self.types[0])?, double(&args[1], row, &self.types[1])?);
            let value = match (low, high) {
                (Some(low), Some(high)) => {
                    let number = Value::Double(share * (high - low) + low);
                    cast_value(&number, &DataType::Double, &self.result, cast)?
                }
                _ => Value::Null,
            };
            out.append(&value)?;
        }
        out.finish()
    }
}

fn random_text(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let seed = seed_of(b, args.get(1))?;
    let length = crate::functions::json::constant(b, &args[0])?.and_then(|v| v.as_i64()).unwrap_or(-1);
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
    if args.len() == 1 {
        args.push(Expr::literal(Value::Long(seed), DataType::Long));
    }
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
        let mut numbers = XorShift::new(self.seed.wrapping_add(ctx.partition as i64));
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
        let mut out = ValueBuilder::new(&self.data_type, rows);
        for row in 0..rows {
            let Value::Array(items) = value_at(&args[0], row, &self.data_type) else {
                out.append_null();
                continue;
            };
            let mut items = items.to_vec();
            for i in (1..items.len()).rev() {
                items.swap(i, numbers.below(i as u32 + 1) as usize);
            }
            out.append(&Value::array(items))?;
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_spark() {
        assert_eq!(XorShift::new(3).double(), 0.257_381_435_059_622_85);
        assert_eq!(XorShift::new(3).gaussian(), -1.185_493_078_173_435_2);
        let mut twister = Twister::new(0);
        assert_eq!((twister.long() & 0xffff_ffff_ffff_0fff) | 0x4000, 0x2695_67e9_5d09_4af5);
    }
}
