//! approx_count_distinct: HyperLogLog++ as Spark's HyperLogLogPlusPlusHelper has it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array};
use arrow::datatypes::Int64Type;

use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::hash::xxhash64_columns;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[FunctionEntry::custom("approx_count_distinct", 1, 2, build)];

fn build(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let deviation = match args.get(1) {
        None => 0.05,
        Some(Expr::Literal { value, .. }) => value.as_f64().unwrap_or(0.05),
        Some(_) => {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                &[
                    ("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text(b.name, &args))),
                    ("inputName", "`relativeSD`"),
                    ("inputType", "\"DOUBLE\""),
                    ("inputExpr", &crate::functions::describe::quoted(&args[1])),
                ],
            ));
        }
    };
    // HLL++ needs at least four bits of precision.
    let precision = (2.0 * (1.106 / deviation).ln() / std::f64::consts::LN_2).ceil().clamp(4.0, 18.0) as u32;
    let input = args.first().map_or(DataType::Null, Expr::data_type);
    let shown = args.into_iter().take(1).collect();
    Ok(aggregate(b, "approx_count_distinct", shown, DataType::Long, false, Sketch { precision, input }))
}

#[derive(Clone, Debug)]
struct Sketch {
    /// Bits that choose the register.
    precision: u32,
    input: DataType,
}

/// Registers of six bits, ten to a word.
const PER_WORD: usize = 10;

impl Sketch {
    fn registers(&self) -> usize {
        1 << self.precision
    }
    fn words(&self) -> usize {
        self.registers() / PER_WORD + 1
    }

    /// HyperLogLogPlusPlusHelper.query.
    fn estimate(&self, words: &[i64]) -> i64 {
        let m = self.registers() as f64;
        let mut inverse = 0.0;
        let mut zeros = 0.0;
        for i in 0..self.registers() {
            let register = (words[i / PER_WORD] as u64 >> (6 * (i % PER_WORD))) & 0x3f;
            inverse += 1.0 / (1u64 << register) as f64;
            if register == 0 {
                zeros += 1.0;
            }
        }
        let alpha = match self.precision {
            4 => 0.673,
            5 => 0.697,
            6 => 0.709,
            _ => 0.7213 / (1.0 + 1.079 / m),
        };
        let raw = alpha * m * m / inverse;
        let corrected = if raw < 5.0 * m { raw - bias(self.precision, raw) } else { raw };
        let answer = if zeros > 0.0 {
            let linear = m * (m / zeros).ln();
            if linear <= THRESHOLDS[(self.precision - 4) as usize] { linear } else { corrected }
        } else {
            corrected
        };
        // Math.round: half up.
        (answer + 0.5).floor() as i64
    }
}

const THRESHOLDS: [f64; 15] = [
    10.0, 20.0, 40.0, 80.0, 220.0, 400.0, 900.0, 1800.0, 3100.0, 6500.0, 15500.0, 20000.0, 50000.0, 120_000.0,
    350_000.0,
];

/// Points of the interpolation of the bias.
const NEIGHBOURS: usize = 6;

/// Raw estimates of HLL++'s appendix for nine bits, the precision of the default relativeSD, at about 12.8 distinct values a
/// step. Their bias is the estimate less the cardinality.
const RAW_9: [f64; 201] = [
    369.0, 374.8294, 381.2452, 387.6698, 394.1464, 400.2024, 406.8782, 413.6598, 420.462, 427.2826, 433.7102, 440.7416,
    447.9366, 455.1046, 462.285, 469.0668, 476.306, 483.8448, 491.301, 498.9886, 506.2422, 513.8138, 521.7074,
    529.7428, 537.8402, 545.1664, 553.3534, 561.594, 569.6886, 577.7876, 585.65, 594.228, 602.8036, 611.1666, 620.0818,
    628.0824, 637.2574, 646.302, 655.1644, 664.0056, 672.3802, 681.7192, 690.5234, 700.2084, 708.831, 718.485,
    728.1112, 737.4764, 746.76, 756.3368, 766.5538, 775.5058, 785.2646, 795.5902, 804.3818, 814.8998, 824.9532,
    835.2062, 845.2798, 854.4728, 864.9582, 875.3292, 886.171, 896.781, 906.5716, 916.7048, 927.5322, 937.875,
    949.3972, 958.3464, 969.7274, 980.2834, 992.1444, 1003.4264, 1013.0166, 1024.018, 1035.0438, 1046.34, 1057.6856,
    1068.9836, 1079.0312, 1091.677, 1102.3188, 1113.4846, 1124.4424, 1135.739, 1147.1488, 1158.9202, 1169.406,
    1181.5342, 1193.2834, 1203.8954, 1216.3286, 1226.2146, 1239.6684, 1251.9946, 1262.123, 1275.4338, 1285.7378,
    1296.076, 1308.9692, 1320.4964, 1333.0998, 1343.9864, 1357.7754, 1368.3208, 1380.4838, 1392.7388, 1406.0758,
    1416.9098, 1428.9728, 1440.9228, 1453.9292, 1462.617, 1476.05, 1490.2996, 1500.6128, 1513.7392, 1524.5174,
    1536.6322, 1548.2584, 1562.3766, 1572.423, 1587.1232, 1596.5164, 1610.5938, 1622.5972, 1633.1222, 1647.7674,
    1658.5044, 1671.57, 1683.7044, 1695.4142, 1708.7102, 1720.6094, 1732.6522, 1747.841, 1756.4072, 1769.9786,
    1782.3276, 1797.5216, 1808.3186, 1819.0694, 1834.354, 1844.575, 1856.2808, 1871.1288, 1880.7852, 1893.9622,
    1906.3418, 1920.6548, 1932.9302, 1945.8584, 1955.473, 1968.8248, 1980.6446, 1995.9598, 2008.349, 2019.8556,
    2033.0334, 2044.0206, 2059.3956, 2069.9174, 2082.6084, 2093.7036, 2106.6108, 2118.9124, 2132.301, 2144.7628,
    2159.8422, 2171.0212, 2183.101, 2193.5112, 2208.052, 2221.3194, 2233.3282, 2247.295, 2257.7222, 2273.342,
    2286.5638, 2299.6786, 2310.8114, 2322.3312, 2335.516, 2349.874, 2363.5968, 2373.865, 2387.1918, 2401.8328,
    2414.8496, 2424.544, 2436.7592, 2447.1682, 2464.1958, 2474.3438, 2489.0006, 2497.4526, 2513.6586, 2527.19,
    2540.7028, 2553.768,
];

/// HyperLogLogPlusPlusHelper.estimateBias. Other precisions than that of the default are not corrected.
fn bias(precision: u32, estimate: f64) -> f64 {
    if precision != 9 {
        return 0.0;
    }
    let len = RAW_9.len();
    let nearest = RAW_9.partition_point(|e| *e < estimate);
    let distance = |i: usize| (estimate - RAW_9[i]) * (estimate - RAW_9[i]);
    let mut low = (nearest + 1).saturating_sub(NEIGHBOURS);
    let mut high = (low + NEIGHBOURS).min(len);
    while high < len && distance(high) < distance(low) {
        low += 1;
        high += 1;
    }
    let cardinality = |i: usize| ((i * 64).div_ceil(5)).max(1) as f64;
    (low..high).map(|i| RAW_9[i] - cardinality(i)).sum::<f64>() / (high - low) as f64
}

impl AggregateFunction for Sketch {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        (0..self.words()).map(|i| (format!("MS[{i}]"), DataType::Long, true)).collect()
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Sketches { function: self.clone(), words: Vec::new(), groups: 0 })
    }
}

struct Sketches {
    function: Sketch,
    /// The words of all groups, group after group.
    words: Vec<i64>,
    groups: usize,
}

impl Accumulator for Sketches {
    fn resize(&mut self, groups: usize) {
        self.groups = groups;
        self.words.resize(groups * self.function.words(), 0);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let p = self.function.precision;
        let per_group = self.function.words();
        // The hash has one zero and one NaN.
        let hashes = xxhash64_columns(std::slice::from_ref(arg), std::slice::from_ref(&self.function.input), 42);
        let nulls = arg.logical_nulls();
        for (row, g) in groups.iter().enumerate() {
            if nulls.as_ref().is_some_and(|n| n.is_null(row)) || !passes(filter, row) {
                continue;
            }
            let hash = hashes[row] as u64;
            let register = (hash >> (64 - p)) as usize;
            let rank = u64::from(((hash << p) | (1 << (p - 1))).leading_zeros()) + 1;
            let word = &mut self.words[*g as usize * per_group + register / PER_WORD];
            let shift = 6 * (register % PER_WORD);
            let old = (*word as u64 >> shift) & 0x3f;
            if rank > old {
                *word = ((*word as u64 & !(0x3f << shift)) | (rank << shift)) as i64;
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let per_group = self.function.words();
        for (i, column) in buffer.iter().enumerate() {
            let Some(column) = column.as_primitive_opt::<Int64Type>() else {
                return Err(SparkError::internal("the buffer of approx_count_distinct"));
            };
            for (row, g) in groups.iter().enumerate() {
                let mine = &mut self.words[*g as usize * per_group + i];
                let theirs = if column.is_valid(row) { column.value(row) as u64 } else { 0 };
                let mut merged = 0u64;
                for r in 0..PER_WORD {
                    let mask = 0x3f << (6 * r);
                    merged |= (*mine as u64 & mask).max(theirs & mask);
                }
                *mine = merged as i64;
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let per_group = self.function.words();
        Ok((0..per_group)
            .map(|i| {
                let column: Vec<i64> = (0..self.groups).map(|g| self.words[g * per_group + i]).collect();
                Arc::new(Int64Array::from(column)) as ArrayRef
            })
            .collect())
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let per_group = self.function.words();
        let out: Vec<i64> =
            (0..self.groups).map(|g| self.function.estimate(&self.words[g * per_group..(g + 1) * per_group])).collect();
        Ok(Arc::new(Int64Array::from(out)))
    }
}
