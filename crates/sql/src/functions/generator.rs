//! Generators: explode, posexplode, inline, stack, json_tuple.

use arrow::array::ArrayRef;

use super::EvalContext;
use crate::error::Result;

/// One input row to any number of output rows.
pub trait GeneratorFunction: std::fmt::Debug + Send + Sync {
    /// Gives the same rows whenever it is asked, so that filters may be moved below it.
    fn deterministic(&self) -> bool {
        true
    }

    /// Wants all rows of a partition at once.
    fn whole_partitions(&self) -> bool {
        false
    }

    /// For `rows` input rows: for each output row the index of its input row (ascending), and the output columns.
    /// `outer` adds one all-null row for inputs that give none.
    fn generate(
        &self,
        args: &[ArrayRef],
        rows: usize,
        outer: bool,
        ctx: &EvalContext<'_>,
    ) -> Result<(Vec<u32>, Vec<ArrayRef>)>;
}

use std::sync::Arc;

use super::coercion::{self, cast_to, unexpected_input};
use super::describe;
use super::registry::{Build, FunctionEntry, MANY};
use crate::error::SparkError;
use crate::expr::{Expr, GeneratorCall};
use crate::types::{DataType, StructField};
use crate::value::{Value, ValueBuilder, value_at};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("explode", 1, 1, explode),
    FunctionEntry::custom("explode_outer", 1, 1, explode),
    FunctionEntry::custom("posexplode", 1, 1, explode),
    FunctionEntry::custom("posexplode_outer", 1, 1, explode),
    FunctionEntry::custom("inline", 1, 1, inline),
    FunctionEntry::custom("inline_outer", 1, 1, inline),
    FunctionEntry::custom("stack", 1, MANY, stack),
    FunctionEntry::custom("json_tuple", 2, MANY, json_tuple),
    FunctionEntry::custom("variant_explode", 1, 1, variant_explode),
    FunctionEntry::custom("variant_explode_outer", 1, 1, variant_explode),
];

/// What a generator makes of one row: rows of values, or None for no row at all.
type RowsOf = fn(&Generator, &[Value]) -> Vec<Vec<Value>>;

struct Generator {
    types: Vec<DataType>,
    output: Vec<DataType>,
    position: bool,
    rows: RowsOf,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator").field("output", &self.output).finish_non_exhaustive()
    }
}

impl GeneratorFunction for Generator {
    fn generate(
        &self,
        args: &[ArrayRef],
        rows: usize,
        outer: bool,
        _: &EvalContext<'_>,
    ) -> Result<(Vec<u32>, Vec<ArrayRef>)> {
        let mut builders: Vec<ValueBuilder> = self.output.iter().map(|t| ValueBuilder::new(t, rows)).collect();
        let mut parents = Vec::with_capacity(rows);
        for row in 0..rows {
            let values: Vec<Value> = args.iter().zip(&self.types).map(|(a, t)| value_at(a, row, t)).collect();
            let made = (self.rows)(self, &values);
            if made.is_empty() && outer {
                parents.push(row as u32);
                builders.iter_mut().for_each(ValueBuilder::append_null);
            }
            for values in made {
                parents.push(row as u32);
                for (b, v) in builders.iter_mut().zip(&values) {
                    b.append(v)?;
                }
            }
        }
        let columns = builders.iter_mut().map(ValueBuilder::finish).collect::<Result<Vec<_>>>()?;
        Ok((parents, columns))
    }
}

fn generator(
    name: &str,
    args: Vec<Expr>,
    outer: bool,
    position: bool,
    output: Vec<(String, DataType, bool)>,
    rows: RowsOf,
) -> Expr {
    let function = Generator {
        types: args.iter().map(Expr::data_type).collect(),
        output: output.iter().map(|o| o.1.clone()).collect(),
        position,
        rows,
    };
    Expr::Generator(Box::new(GeneratorCall { name: name.into(), args, outer, output, function: Arc::new(function) }))
}

/// The row as often as the number before it says (ReplicateRows).
pub(crate) fn replicate_rows(times: Expr, row: Vec<Expr>) -> Expr {
    let output = row.iter().enumerate().map(|(i, column)| (format!("col{i}"), column.data_type(), true)).collect();
    let args = std::iter::once(times).chain(row).collect();
    generator("replicaterows", args, false, false, output, |_, values| {
        let times = values.first().and_then(Value::as_i64).unwrap_or(0);
        (0..times).map(|_| values[1..].to_vec()).collect()
    })
}

fn explode(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let outer = b.name.ends_with("_outer");
    let position = b.name.starts_with("pos");
    let mut output = Vec::new();
    if position {
        output.push(("pos".to_owned(), DataType::Integer, outer));
    }
    match args[0].data_type() {
        DataType::Array { element, contains_null } => {
            output.push(("col".to_owned(), (*element).clone(), contains_null || outer));
        }
        DataType::Map { key, value, value_contains_null } => {
            output.push(("key".to_owned(), (*key).clone(), outer));
            output.push(("value".to_owned(), (*value).clone(), value_contains_null || outer));
        }
        _ => {
            let shown = b.name.trim_end_matches("_outer");
            let sql = describe::call_text(shown, &args);
            return Err(unexpected_input(&sql, 0, "(\"ARRAY\" or \"MAP\")", &args[0]));
        }
    }
    let name = b.name.trim_end_matches("_outer");
    Ok(generator(name, args, outer, position, output, |g, v| {
        let with = |i: usize, mut rest: Vec<Value>| {
            if g.position {
                rest.insert(0, Value::Integer(i as i32));
            }
            rest
        };
        match &v[0] {
            Value::Array(items) => items.iter().enumerate().map(|(i, v)| with(i, vec![v.clone()])).collect(),
            Value::Map(items) => {
                items.iter().enumerate().map(|(i, (k, v))| with(i, vec![k.clone(), v.clone()])).collect()
            }
            _ => Vec::new(),
        }
    }))
}

fn inline(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let outer = b.name.ends_with("_outer");
    let refused = || {
        let sql = describe::call_text(b.name.trim_end_matches("_outer"), &args);
        unexpected_input(&sql, 0, "\"ARRAY<STRUCT>\"", &args[0])
    };
    let DataType::Array { element, contains_null } = args[0].data_type() else { return Err(refused()) };
    let DataType::Struct(s) = &*element else { return Err(refused()) };
    let output = s
        .fields
        .iter()
        .map(|f: &StructField| (f.name.clone(), f.data_type.clone(), f.nullable || contains_null || outer))
        .collect();
    Ok(generator("inline", args, outer, false, output, |g, v| {
        v[0].as_slice()
            .unwrap_or(&[])
            .iter()
            .map(|row| row.as_slice().map_or_else(|| vec![Value::Null; g.output.len()], <[Value]>::to_vec))
            .collect()
    }))
}

fn stack(b: &mut Build<'_>, mut args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    if args.len() < 2 {
        return Err(super::registry::wrong_count(b.written, "> 1", args.len()));
    }
    let n = match &args[0] {
        Expr::Literal { data_type, .. } if !data_type.is_integral() => {
            let sql = describe::call_text("stack", &args);
            return Err(coercion::unexpected_input(&sql, 0, "\"INT\"", &args[0]));
        }
        Expr::Literal { value, .. } => value.as_i64().unwrap_or(0),
        _ => {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                &[
                    ("sqlExpr", &format!("\"{}\"", describe::call_text("stack", &args))),
                    ("inputName", "`n`"),
                    ("inputType", "\"INT\""),
                    ("inputExpr", &describe::quoted(&args[0])),
                ],
            ));
        }
    };
    if n < 1 {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("stack", &args))),
                ("exprName", "`n`"),
                ("valueRange", "(0, 2147483647]"),
                ("currentValue", &n.to_string()),
            ],
        ));
    }
    let n = n as usize;
    let width = (args.len() - 1).div_ceil(n);
    let mut output = Vec::new();
    for column in 0..width {
        let at: Vec<usize> = (0..n).map(|row| 1 + row * width + column).filter(|i| *i < args.len()).collect();
        // Only nulls take the type of the others.
        let typed = at.iter().map(|i| (*i, args[*i].data_type())).filter(|(_, t)| *t != DataType::Null);
        let t = typed.clone().next().map_or(DataType::Null, |(_, t)| t);
        if let Some((other, found)) = typed.clone().find(|(_, found)| !found.same_type(&t)) {
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES",
                &[
                    ("sqlExpr", &format!("\"{}\"", describe::call_text("stack", &args))),
                    ("columnIndex", &column.to_string()),
                    ("leftParamIndex", &(column + 1).to_string()),
                    ("leftType", &t.quoted_sql()),
                    ("rightParamIndex", &other.to_string()),
                    ("rightType", &found.quoted_sql()),
                ],
            ));
        }
        for i in at {
            args[i] = cast_to(args[i].clone(), &t, ansi);
        }
        output.push((format!("col{column}"), t, true));
    }
    Ok(generator("stack", args, false, false, output, |g, v| {
        let n = v[0].as_i64().unwrap_or(1) as usize;
        let width = g.output.len();
        (0..n)
            .map(|row| (0..width).map(|c| v.get(1 + row * width + c).cloned().unwrap_or(Value::Null)).collect())
            .collect()
    }))
}

/// variant_explode: position, key and value of what an object or array holds.
fn variant_explode(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let outer = b.name.ends_with("_outer");
    let args = b.inputs(args, &[super::coercion::In::Variant])?;
    let output = vec![
        ("pos".to_owned(), DataType::Integer, outer),
        ("key".to_owned(), DataType::String, true),
        ("value".to_owned(), DataType::Variant, outer),
    ];
    Ok(generator("variant_explode", args, outer, false, output, |_, v| {
        let Some((value, metadata)) = super::scalar::variant_parts(&v[0]) else { return Vec::new() };
        super::variant::parts(value, metadata)
            .into_iter()
            .enumerate()
            .map(|(i, (key, value))| vec![Value::Integer(i as i32), key, value])
            .collect()
    }))
}

fn json_tuple(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if args.iter().any(|a| !(a.data_type().is_string() || a.data_type() == DataType::Null)) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.NON_STRING_TYPE",
            &[("sqlExpr", &format!("\"{}\"", describe::call_text("json_tuple", &args))), ("funcName", "`json_tuple`")],
        ));
    }
    let output = (0..args.len() - 1).map(|i| (format!("c{i}"), DataType::String, true)).collect();
    let _ = b;
    Ok(generator("json_tuple", args, false, false, output, |_, v| {
        let names: Vec<Option<&str>> = v[1..].iter().map(Value::as_str).collect();
        vec![super::json::tuple(v[0].as_str(), &names)]
    }))
}
