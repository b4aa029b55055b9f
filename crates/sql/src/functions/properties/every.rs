//! Every scalar function and generator of the registry: whole columns give what their rows give one at a time, errors included.
//! A new function is covered by being in the registry.

use arrow::array::{Array, ArrayRef};

use super::draws::{Draws, same};
use super::shapes::{Arg, Shape, find};
use crate::conf::SqlConf;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::functions::eval::{evaluate_columns, evaluate_constant};
use crate::functions::registry::{FunctionEntry, lookup, names, resolve_call};
use crate::functions::{EvalContext, aggregate};
use crate::types::DataType;
use crate::value::{Value, array_from_values, value_at};

/// Functions that have no row by itself, and why.
const APART: &[(&str, &str)] = &[
    ("rand", "draws a number for each position"),
    ("random", "draws a number for each position"),
    ("randn", "draws a number for each position"),
    ("randstr", "draws a text for each position"),
    ("uniform", "draws a number for each position"),
    ("uuid", "draws an id for each position"),
    ("shuffle", "draws an order for each position"),
    ("monotonically_increasing_id", "counts positions"),
    ("row_number", "computed by the window operator"),
    ("rank", "computed by the window operator"),
    ("dense_rank", "computed by the window operator"),
    ("percent_rank", "computed by the window operator"),
    ("cume_dist", "computed by the window operator"),
    ("ntile", "computed by the window operator"),
    ("lag", "computed by the window operator"),
    ("lead", "computed by the window operator"),
    ("nth_value", "computed by the window operator"),
    ("counter_diff", "computed by the window operator"),
    ("raise_error", "has no value"),
    ("assert_true", "its error shows the argument as it is written"),
    ("update_fields", "is made by withField and dropFields alone"),
];

/// Functions whose results grow with their numbers.
const GROWING: &[&str] = &[
    "repeat",
    "space",
    "lpad",
    "rpad",
    "sequence",
    "array_repeat",
    "format_number",
    "array_insert",
    "stack",
    "overlay",
];

/// An argument of a call that chance does not find.
enum Hint {
    /// A column.
    C(DataType),
    /// A constant text.
    T(&'static str),
    /// A constant number.
    N(i32),
}

const INT: Hint = Hint::C(DataType::Integer);
const TEXT: Hint = Hint::C(DataType::String);
const MOMENT: Hint = Hint::C(DataType::Timestamp);
const VARIANT: Hint = Hint::C(DataType::Variant);

const HINTS: &[(&str, &[Hint])] = &[
    ("from_json", &[TEXT, Hint::T("a INT, b STRING, c ARRAY<DOUBLE>")]),
    ("from_json", &[TEXT, Hint::T("ARRAY<INT>")]),
    ("from_csv", &[TEXT, Hint::T("a INT, b STRING")]),
    ("schema_of_json", &[Hint::T("{\"a\": 1}")]),
    ("schema_of_csv", &[Hint::T("1,a")]),
    ("extract", &[Hint::T("week"), Hint::C(DataType::Date)]),
    ("date_part", &[Hint::T("seconds"), MOMENT]),
    ("datepart", &[Hint::T("month"), Hint::C(DataType::INTERVAL_YM)]),
    ("timestampadd", &[Hint::T("HOUR"), INT, MOMENT]),
    ("timestampdiff", &[Hint::T("DAY"), MOMENT, MOMENT]),
    ("time_bucket", &[Hint::C(DataType::INTERVAL_DT), MOMENT]),
    ("time_diff", &[Hint::T("HOUR"), Hint::C(DataType::Time(6)), Hint::C(DataType::Time(6))]),
    ("time_trunc", &[Hint::T("MINUTE"), Hint::C(DataType::Time(6))]),
    ("make_timestamp", &[INT, INT, INT, INT, INT, INT]),
    ("make_timestamp", &[INT, INT, INT, INT, INT, Hint::C(DataType::Double), TEXT]),
    ("make_timestamp_ltz", &[INT, INT, INT, INT, INT, INT]),
    ("make_timestamp_ntz", &[INT, INT, INT, INT, INT, INT]),
    ("try_make_timestamp", &[INT, INT, INT, INT, INT, INT, TEXT]),
    ("try_make_timestamp_ltz", &[INT, INT, INT, INT, INT, INT]),
    ("try_make_timestamp_ntz", &[INT, INT, INT, INT, INT, INT]),
    ("to_number", &[TEXT, Hint::T("S999.99")]),
    ("try_to_number", &[TEXT, Hint::T("S999.99")]),
    ("to_char", &[Hint::C(DataType::Decimal { precision: 5, scale: 2 }), Hint::T("S999.99")]),
    ("to_varchar", &[Hint::C(DataType::Double), Hint::T("$9,999.0")]),
    ("to_char", &[MOMENT, Hint::T("yyyy-MM-dd")]),
    ("variant_get", &[VARIANT, Hint::T("$.a"), Hint::T("int")]),
    ("try_variant_get", &[VARIANT, Hint::T("$.b[0]"), Hint::T("string")]),
    ("variant_insert", &[VARIANT, Hint::T("$.z"), INT]),
    ("try_variant_insert", &[VARIANT, Hint::T("$.z"), INT]),
    ("variant_set", &[VARIANT, Hint::T("$.a"), INT]),
    ("try_variant_set", &[VARIANT, Hint::T("$.a"), INT]),
    ("variant_array_append", &[VARIANT, Hint::T("$.b"), INT]),
    ("try_variant_array_append", &[VARIANT, Hint::T("$.b"), INT]),
    ("named_struct", &[Hint::T("a"), INT, Hint::T("b"), TEXT]),
    ("stack", &[Hint::N(2), INT, TEXT, INT, TEXT]),
    ("json_tuple", &[TEXT, Hint::T("a"), Hint::T("b")]),
];

const ROWS: usize = 16;

pub(super) fn session(ansi: bool, zone: &str) -> SqlConf {
    let mut conf = SqlConf::default();
    conf.set("spark.sql.ansi.enabled", if ansi { "true" } else { "false" }).unwrap();
    conf.set("spark.sql.session.timeZone", zone).unwrap();
    conf.set("spark.sql.timeType.enabled", "true").unwrap();
    conf
}

pub(super) fn context(conf: &SqlConf) -> EvalContext<'_> {
    EvalContext { conf, now_us: 1_700_000_000_000_000, partition: 0, row_base: 0, udfs: None }
}

/// What an error says.
pub(super) fn said(e: &SparkError) -> (Option<&str>, &str) {
    (e.condition.as_deref(), &e.message)
}

pub(super) fn refused_by_name(e: &SparkError) -> bool {
    e.class == ErrorClass::UnsupportedOperation && e.message.ends_with("is not supported by Tidemark yet")
}

/// Names of the aggregate functions.
pub(super) fn aggregates() -> Vec<&'static str> {
    aggregate::tables().iter().flat_map(|table| table.iter()).map(|entry| entry.name).collect()
}

#[test]
fn every_function_over_columns_is_that_over_rows() {
    let mut unseen = Vec::new();
    let mut wrong = Vec::new();
    let aggregates = aggregates();
    for name in names() {
        if APART.iter().any(|(apart, _)| *apart == name) || aggregates.contains(&name) {
            continue;
        }
        let entry = lookup(name).unwrap();
        let seed = name.bytes().fold(7_u64, |seed, b| seed.wrapping_mul(31).wrapping_add(u64::from(b)));
        let mut draws = if GROWING.contains(&name) { Draws::small(seed) } else { Draws::new(seed) };
        let shapes = match shapes(entry, &mut draws) {
            Ok(shapes) => shapes,
            Err(e) if refused_by_name(&e) => continue,
            Err(e) => {
                unseen.push(format!("{name}: {}", e.message));
                continue;
            }
        };
        for (i, shape) in shapes.iter().enumerate() {
            let conf = session(i % 2 == 1, if i % 4 < 2 { "America/Los_Angeles" } else { "UTC" });
            let mut draws = if GROWING.contains(&name) { Draws::small(seed) } else { draws_of(seed, i) };
            if let Err(difference) = compared(name, shape, &conf, &mut draws) {
                wrong.push(difference);
            }
        }
    }
    assert!(unseen.is_empty(), "no call found for:\n{}", unseen.join("\n"));
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn draws_of(seed: u64, round: usize) -> Draws {
    Draws::new(seed ^ ((round as u64) << 32))
}

fn shapes(entry: &'static FunctionEntry, draws: &mut Draws) -> Result<Vec<Shape>> {
    let arg = |hint: &Hint| match hint {
        Hint::C(t) => Arg::Column(t.clone()),
        Hint::T(text) => Arg::Constant(Value::from(*text), DataType::String),
        Hint::N(n) => Arg::Constant(Value::Integer(*n), DataType::Integer),
    };
    let known: Vec<Shape> = HINTS
        .iter()
        .filter(|(name, _)| *name == entry.name)
        .map(|(_, hints)| Shape { args: hints.iter().map(arg).collect() })
        .collect();
    if !known.is_empty() {
        return Ok(known);
    }
    find(entry, 4, &session(false, "UTC"), draws)
}

/// One call over random columns. Err: what differs.
fn compared(name: &str, shape: &Shape, conf: &SqlConf, draws: &mut Draws) -> Result<(), String> {
    let ctx = context(conf);
    let types = shape.columns();
    let columns: Vec<Vec<Value>> = types.iter().map(|t| (0..ROWS).map(|_| draws.nullable(t)).collect()).collect();
    let whole = match resolve_call(name, shape.over(&shape.bound()), conf) {
        Ok(whole) => whole,
        // The shape was found with ANSI off.
        Err(_) => return Ok(()),
    };
    let shown = |row: usize| {
        let mut next = columns.iter();
        let args: Vec<String> = shape
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Column(_) | Arg::Captured(_) => format!("{:?}", next.next().unwrap()[row]),
                Arg::Constant(value, _) => format!("constant {value:?}"),
                Arg::Lambda(..) => "lambda".into(),
            })
            .collect();
        format!("{name}({}) ansi {}", args.join(", "), conf.ansi())
    };
    let alone: Vec<Result<Value>> = (0..ROWS)
        .map(|row| {
            let values: Vec<Value> = columns.iter().map(|c| c[row].clone()).collect();
            row_alone(name, shape, &types, &values, &whole, &ctx)
        })
        .collect();
    let all: Vec<usize> = (0..ROWS).collect();
    let first_error = alone.iter().position(Result::is_err);
    if let (Some(row), Some(Err(expected))) = (first_error, first_error.map(|row| &alone[row])) {
        match over_rows(&whole, &types, &columns, &all, &ctx, draws) {
            Ok(_) => return Err(format!("{}: no error, alone {expected}", shown(row))),
            // Arguments are evaluated one after the other over all rows: of several errors it may be a later row's.
            Err(e) if !alone.iter().any(|row| matches!(row, Err(known) if said(known) == said(&e))) => {
                return Err(format!("{}: {e}, alone {expected}", shown(row)));
            }
            Err(_) => {}
        }
    }
    let good: Vec<usize> = all.into_iter().filter(|row| alone[*row].is_ok()).collect();
    if good.is_empty() {
        return Ok(());
    }
    let got = match over_rows(&whole, &types, &columns, &good, &ctx, draws) {
        Ok(got) => got,
        Err(e) => {
            let rows: Vec<String> = good.iter().take(3).map(|row| shown(*row)).collect();
            return Err(format!("{}: {e}, though no row fails alone", rows.join("; ")));
        }
    };
    for (value, row) in got.iter().zip(&good) {
        if let Ok(expected) = &alone[*row]
            && !same(value, expected)
        {
            return Err(format!("{}: {value:?}, alone {expected:?}", shown(*row)));
        }
    }
    Ok(())
}

/// The results over some of the rows, as one batch.
fn over_rows(
    whole: &Expr,
    types: &[DataType],
    columns: &[Vec<Value>],
    rows: &[usize],
    ctx: &EvalContext<'_>,
    draws: &mut Draws,
) -> Result<Vec<Value>> {
    let arrays: Vec<ArrayRef> = types
        .iter()
        .zip(columns)
        .map(|(t, values)| {
            let values: Vec<Value> = rows.iter().map(|row| values[*row].clone()).collect();
            draws.column(t, &values)
        })
        .collect();
    evaluated(whole, arrays, rows.len(), ctx)
}

/// Results by row; those of a generator as arrays of rows.
fn evaluated(expr: &Expr, arrays: Vec<ArrayRef>, rows: usize, ctx: &EvalContext<'_>) -> Result<Vec<Value>> {
    if let Expr::Generator(call) = expr {
        let args =
            call.args.iter().map(|arg| evaluate_columns(arg, arrays.clone(), rows, ctx)).collect::<Result<Vec<_>>>()?;
        let (parents, made) = call.function.generate(&args, rows, call.outer, ctx)?;
        let mut out: Vec<Vec<Value>> = vec![Vec::new(); rows];
        for (at, parent) in parents.iter().enumerate() {
            let row = made.iter().zip(&call.output).map(|(a, (_, t, _))| value_at(a, at, t)).collect();
            out[*parent as usize].push(Value::structure(row));
        }
        return Ok(out.into_iter().map(Value::array).collect());
    }
    let data_type = expr.data_type();
    let made = evaluate_columns(expr, arrays, rows, ctx)?;
    assert_eq!(made.len(), rows, "{expr:?}");
    if !expr.nullable() && made.null_count() > 0 {
        return Err(SparkError::internal("a null where the type has none"));
    }
    Ok((0..rows).map(|row| value_at(&made, row, &data_type)).collect())
}

/// The row as constants where the call keeps its type, else as a batch of one.
fn row_alone(
    name: &str,
    shape: &Shape,
    types: &[DataType],
    values: &[Value],
    whole: &Expr,
    ctx: &EvalContext<'_>,
) -> Result<Value> {
    if !matches!(whole, Expr::Generator(_)) {
        let literals: Vec<Expr> = values.iter().zip(types).map(|(v, t)| Expr::literal(v.clone(), t.clone())).collect();
        if let Ok(one) = resolve_call(name, shape.over(&literals), ctx.conf)
            && one.data_type() == whole.data_type()
        {
            return evaluate_constant(&one, ctx);
        }
    }
    let arrays = values
        .iter()
        .zip(types)
        .map(|(v, t)| array_from_values(t, std::slice::from_ref(v)))
        .collect::<Result<Vec<_>>>()?;
    Ok(evaluated(whole, arrays, 1, ctx)?.remove(0))
}
