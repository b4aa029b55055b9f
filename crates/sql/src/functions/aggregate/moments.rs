//! stddev, variance, skewness, kurtosis (CentralMomentAgg), covariance and correlation.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float64Array};
use arrow::datatypes::Float64Type;

use super::sum::doubles;
use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("stddev", 1, 1, moments),
    FunctionEntry::custom("std", 1, 1, moments),
    FunctionEntry::custom("stddev_samp", 1, 1, moments),
    FunctionEntry::custom("stddev_pop", 1, 1, moments),
    FunctionEntry::custom("variance", 1, 1, moments),
    FunctionEntry::custom("var_samp", 1, 1, moments),
    FunctionEntry::custom("var_pop", 1, 1, moments),
    FunctionEntry::custom("skewness", 1, 1, moments),
    FunctionEntry::custom("kurtosis", 1, 1, moments),
    FunctionEntry::custom("covar_samp", 2, 2, moments),
    FunctionEntry::custom("covar_pop", 2, 2, moments),
    FunctionEntry::custom("corr", 2, 2, moments),
    FunctionEntry::custom("regr_count", 2, 2, regression),
    FunctionEntry::custom("regr_slope", 2, 2, moments),
    FunctionEntry::custom("regr_r2", 2, 2, moments),
    FunctionEntry::custom("regr_intercept", 2, 2, moments),
    FunctionEntry::custom("regr_avgx", 2, 2, moments),
    FunctionEntry::custom("regr_avgy", 2, 2, moments),
    FunctionEntry::custom("regr_sxx", 2, 2, moments),
    FunctionEntry::custom("regr_syy", 2, 2, moments),
    FunctionEntry::custom("regr_sxy", 2, 2, moments),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    StddevSample,
    StddevPopulation,
    VarianceSample,
    VariancePopulation,
    Skewness,
    Kurtosis,
    CovarianceSample,
    CovariancePopulation,
    Correlation,
    Regression(&'static str),
}

impl Kind {
    fn of(name: &'static str) -> Kind {
        match name {
            "stddev" | "std" | "stddev_samp" => Kind::StddevSample,
            "stddev_pop" => Kind::StddevPopulation,
            "variance" | "var_samp" => Kind::VarianceSample,
            "var_pop" => Kind::VariancePopulation,
            "skewness" => Kind::Skewness,
            "kurtosis" => Kind::Kurtosis,
            "covar_samp" => Kind::CovarianceSample,
            "covar_pop" => Kind::CovariancePopulation,
            "corr" => Kind::Correlation,
            other => Kind::Regression(other),
        }
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Kind::Skewness => &["n", "avg", "m2", "m3"],
            Kind::Kurtosis => &["n", "avg", "m2", "m3", "m4"],
            Kind::CovarianceSample | Kind::CovariancePopulation => &["n", "xAvg", "yAvg", "ck"],
            Kind::Correlation | Kind::Regression(_) => &["n", "xAvg", "yAvg", "ck", "xMk", "yMk"],
            _ => &["n", "avg", "m2"],
        }
    }

    fn two(self) -> bool {
        matches!(self, Kind::CovarianceSample | Kind::CovariancePopulation | Kind::Correlation | Kind::Regression(_))
    }
}

fn moments(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Double])?;
    let name = b.name;
    Ok(aggregate(b, name, args, DataType::Double, true, Moments { kind: Kind::of(name) }))
}

/// regr_count(y, x): rows where both are there.
fn regression(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let args = b.inputs(args, &[In::Double])?;
    let Expr::Aggregate(mut counted) = super::count::plain(b, args)? else {
        return Err(SparkError::internal("count is an aggregate"));
    };
    counted.name = "regr_count".into();
    Ok(Expr::Aggregate(counted))
}

#[derive(Clone, Debug)]
struct Moments {
    kind: Kind,
}

impl AggregateFunction for Moments {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        self.kind.columns().iter().map(|c| ((*c).to_owned(), DataType::Double, true)).collect()
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(States { kind: self.kind, states: Vec::new() })
    }
}

/// n and five more numbers: average, m2, m3, m4 of one column, or x average, y average, ck, xMk, yMk of two.
type State = [f64; 6];

struct States {
    kind: Kind,
    states: Vec<State>,
}

fn update_one(s: &mut State, x: f64) {
    let [n, avg, m2, m3, m4, _] = *s;
    let new_n = n + 1.0;
    let delta = x - avg;
    let delta_n = delta / new_n;
    let new_m2 = m2 + delta * (delta - delta_n);
    let (delta2, delta_n2) = (delta * delta, delta_n * delta_n);
    let new_m3 = m3 - 3.0 * delta_n * new_m2 + delta * (delta2 - delta_n2);
    let new_m4 = m4 - 4.0 * delta_n * new_m3 - 6.0 * delta_n2 * new_m2 + delta * (delta * delta2 - delta_n * delta_n2);
    *s = [new_n, avg + delta_n, new_m2, new_m3, new_m4, 0.0];
}

fn merge_one(a: &mut State, b: &State) {
    let [n1, avg1, m2a, m3a, m4a, _] = *a;
    let [n2, avg2, m2b, m3b, m4b, _] = *b;
    let n = n1 + n2;
    let delta = avg2 - avg1;
    let delta_n = if n == 0.0 { 0.0 } else { delta / n };
    let m2 = m2a + m2b + delta * delta_n * n1 * n2;
    let m3 = m3a + m3b + delta_n * delta_n * delta * n1 * n2 * (n1 - n2) + 3.0 * delta_n * (n1 * m2b - n2 * m2a);
    let m4 = m4a
        + m4b
        + delta_n * delta_n * delta_n * delta * n1 * n2 * (n1 * n1 - n1 * n2 + n2 * n2)
        + 6.0 * delta_n * delta_n * (n1 * n1 * m2b + n2 * n2 * m2a)
        + 4.0 * delta_n * (n1 * m3b - n2 * m3a);
    *a = [n, avg1 + delta_n * n2, m2, m3, m4, 0.0];
}

fn update_two(s: &mut State, x: f64, y: f64) {
    let [n, x_avg, y_avg, ck, x_mk, y_mk] = *s;
    let new_n = n + 1.0;
    let (dx, dy) = (x - x_avg, y - y_avg);
    let (new_x, new_y) = (x_avg + dx / new_n, y_avg + dy / new_n);
    *s = [new_n, new_x, new_y, ck + dx * (y - new_y), x_mk + dx * (x - new_x), y_mk + dy * (y - new_y)];
}

fn merge_two(a: &mut State, b: &State) {
    let [n1, x1, y1, c1, mx1, my1] = *a;
    let [n2, x2, y2, c2, mx2, my2] = *b;
    let n = n1 + n2;
    let (dx, dy) = (x2 - x1, y2 - y1);
    let (dx_n, dy_n) = if n == 0.0 { (0.0, 0.0) } else { (dx / n, dy / n) };
    *a = [
        n,
        x1 + dx_n * n2,
        y1 + dy_n * n2,
        c1 + c2 + dx * dy_n * n1 * n2,
        mx1 + mx2 + dx * dx_n * n1 * n2,
        my1 + my2 + dy * dy_n * n1 * n2,
    ];
}

impl Accumulator for States {
    fn resize(&mut self, groups: usize) {
        self.states.resize(groups, [0.0; 6]);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let columns = args.iter().map(|a| doubles(a, &DataType::Double)).collect::<Result<Vec<_>>>()?;
        for (row, g) in groups.iter().enumerate() {
            if !passes(filter, row) || columns.iter().any(|c| c.is_null(row)) {
                continue;
            }
            let state = &mut self.states[*g as usize];
            match &columns[..] {
                [x] => update_one(state, x.value(row)),
                // Covariance(y, x) and PearsonCorrelation(y, x) count as they are written.
                [y, x] if matches!(self.kind, Kind::Regression("regr_sxy" | "regr_r2")) => {
                    update_two(state, y.value(row), x.value(row));
                }
                // regr_*(y, x): the second argument is x.
                [y, x] if matches!(self.kind, Kind::Regression(_)) => update_two(state, x.value(row), y.value(row)),
                [x, y] => update_two(state, x.value(row), y.value(row)),
                _ => {}
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let columns: Option<Vec<&Float64Array>> = buffer.iter().map(|b| b.as_primitive_opt::<Float64Type>()).collect();
        let Some(columns) = columns else { return Err(SparkError::internal("the buffer of a moment")) };
        for (row, g) in groups.iter().enumerate() {
            let mut other = [0.0; 6];
            for (i, c) in columns.iter().enumerate() {
                other[i] = if c.is_valid(row) { c.value(row) } else { 0.0 };
            }
            let state = &mut self.states[*g as usize];
            if self.kind.two() { merge_two(state, &other) } else { merge_one(state, &other) }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok((0..self.kind.columns().len())
            .map(|i| Arc::new(self.states.iter().map(|s| Some(s[i])).collect::<Float64Array>()) as ArrayRef)
            .collect())
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let out: Float64Array = self.states.iter().map(|s| result(self.kind, s)).collect();
        Ok(Arc::new(out))
    }
}

fn result(kind: Kind, s: &State) -> Option<f64> {
    let [n, a, b, c, d, e] = *s;
    if n == 0.0 {
        return None;
    }
    // One value has no sample deviation: null, not a division by zero.
    let sample = |x: f64| (n != 1.0).then(|| x / (n - 1.0));
    match kind {
        Kind::StddevSample => sample(b).map(f64::sqrt),
        Kind::StddevPopulation => Some((b / n).sqrt()),
        Kind::VarianceSample => sample(b),
        Kind::VariancePopulation => Some(b / n),
        Kind::Skewness => (b != 0.0).then(|| n.sqrt() * c / (b * b * b).sqrt()),
        Kind::Kurtosis => (b != 0.0).then(|| n * d / (b * b) - 3.0),
        Kind::CovarianceSample => sample(c),
        Kind::CovariancePopulation => Some(c / n),
        // A column that does not vary: a division by zero, which gives null.
        Kind::Correlation => (n != 1.0 && d * e != 0.0).then(|| c / (d * e).sqrt()),
        Kind::Regression(name) => match name {
            "regr_slope" => (n != 1.0 && d != 0.0).then(|| c / d),
            "regr_intercept" => (n != 1.0 && d != 0.0).then(|| b - c / d * a),
            "regr_r2" => {
                if e == 0.0 {
                    None
                } else if d == 0.0 {
                    Some(1.0)
                } else {
                    Some(c / (d * e).sqrt() * (c / (d * e).sqrt()))
                }
            }
            "regr_avgx" => Some(a),
            "regr_avgy" => Some(b),
            "regr_sxx" => Some(d),
            "regr_syy" => Some(e),
            _ => Some(c),
        },
    }
}
