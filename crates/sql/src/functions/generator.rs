//! Generators: explode, posexplode, inline, stack, json_tuple.

use arrow::array::{
    Array, ArrayRef, AsArray, Int32Array, Int32Builder, StringArray, StringBuilder, UInt32Array, new_null_array,
};
use arrow::compute::take;
use arrow::datatypes as at;

use super::{EvalContext, Operand, describe};
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
use super::nested::{Lists, interleaved, relabelled};
use super::registry::{Build, FunctionEntry, MANY};
use crate::error::SparkError;
use crate::expr::{Expr, GeneratorCall};
use crate::types::{DataType, StructField};

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

/// The input row of each output row, and the output columns. True: an input row that gives none gives one of nulls.
type Expand = fn(&Generator, &[ArrayRef], usize, bool) -> Result<(Vec<u32>, Vec<ArrayRef>)>;

struct Generator {
    output: Vec<DataType>,
    position: bool,
    expand: Expand,
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
        let (parents, columns) = (self.expand)(self, args, rows, outer)?;
        let columns = columns.iter().zip(&self.output).map(|(c, t)| relabelled(c, &t.to_arrow()));
        Ok((parents, columns.collect::<Result<_>>()?))
    }
}

fn generator(
    name: &str,
    args: Vec<Expr>,
    outer: bool,
    position: bool,
    output: Vec<(String, DataType, bool)>,
    expand: Expand,
) -> Expr {
    let function = Generator { output: output.iter().map(|o| o.1.clone()).collect(), position, expand };
    Expr::Generator(Box::new(GeneratorCall { name: name.into(), args, outer, output, function: Arc::new(function) }))
}

/// The row as often as the number before it says (ReplicateRows).
pub(crate) fn replicate_rows(times: Expr, row: Vec<Expr>) -> Expr {
    let output = row.iter().enumerate().map(|(i, column)| (format!("col{i}"), column.data_type(), true)).collect();
    let args = std::iter::once(times).chain(row).collect();
    generator("replicaterows", args, false, false, output, |_, args, rows, _| {
        let times = arrow::compute::cast(&args[0], &at::DataType::Int64)?;
        let times = times.as_primitive::<at::Int64Type>();
        let mut parents: Vec<u32> = Vec::with_capacity(rows);
        for row in (0..rows).filter(|row| times.is_valid(*row)) {
            parents.extend((0..times.value(row)).map(|_| row as u32));
        }
        let places = UInt32Array::from(parents.clone());
        let columns = args[1..].iter().map(|a| Ok(take(a, &places, None)?)).collect::<Result<_>>()?;
        Ok((parents, columns))
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
    Ok(generator(name, args, outer, position, output, |g, args, rows, outer| {
        let arrays = Operand::Column(args[0].clone());
        let lists = Lists::of(&arrays)?;
        let made = elements(&lists, rows, outer);
        let places = UInt32Array::from(made.places);
        let mut columns: Vec<ArrayRef> = Vec::new();
        if g.position {
            columns.push(Arc::new(Int32Array::from(made.positions)));
        }
        if let Ok(keys) = lists.keys() {
            columns.push(take(keys, &places, None)?);
        }
        columns.push(take(lists.values, &places, None)?);
        Ok((made.parents, columns))
    }))
}

/// The elements of all rows.
struct Elements {
    parents: Vec<u32>,
    /// Place among the values; None: a row of nulls for a row without elements.
    places: Vec<Option<u32>>,
    /// Place in the row.
    positions: Vec<Option<i32>>,
}

fn elements(lists: &Lists<'_>, rows: usize, outer: bool) -> Elements {
    let mut made = Elements { parents: Vec::new(), places: Vec::new(), positions: Vec::new() };
    for row in 0..rows {
        let range = lists.range(row);
        if range.is_empty() && outer {
            made.parents.push(row as u32);
            made.places.push(None);
            made.positions.push(None);
        }
        for (position, at) in range.enumerate() {
            made.parents.push(row as u32);
            made.places.push(Some(at as u32));
            made.positions.push(Some(position as i32));
        }
    }
    made
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
    Ok(generator("inline", args, outer, false, output, |_, args, rows, outer| {
        let arrays = Operand::Column(args[0].clone());
        let lists = Lists::of(&arrays)?;
        let Some(structs) = lists.values.as_struct_opt() else { return Err(SparkError::internal("structs")) };
        let made = elements(&lists, rows, outer);
        // A struct that is null gives nulls.
        let present = |at: &u32| structs.is_valid(*at as usize);
        let places: UInt32Array = made.places.iter().map(|at| at.filter(present)).collect();
        let columns = structs.columns().iter().map(|c| Ok(take(c, &places, None)?)).collect::<Result<_>>()?;
        Ok((made.parents, columns))
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
    Ok(generator("stack", args, false, false, output, |g, args, rows, _| {
        let n = arrow::compute::cast(&args[0], &at::DataType::Int64)?;
        let n = n.as_primitive::<at::Int64Type>();
        let n = if rows == 0 { 0 } else { usize::try_from(n.value(0)).unwrap_or(0) };
        let width = g.output.len();
        let parents = (0..rows as u32).flat_map(|row| std::iter::repeat_n(row, n)).collect();
        let column = |(c, t): (usize, &DataType)| {
            let t = t.to_arrow();
            // What is missing at the end is null.
            let missing = new_null_array(&t, rows);
            let sources: Vec<&dyn Array> =
                (0..n).map(|i| args.get(1 + i * width + c).unwrap_or(&missing).as_ref()).collect();
            let picked: Vec<(usize, usize)> = (0..rows).flat_map(|row| (0..n).map(move |i| (i, row))).collect();
            interleaved(&sources, &picked, &t)
        };
        Ok((parents, g.output.iter().enumerate().map(column).collect::<Result<_>>()?))
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
    Ok(generator("variant_explode", args, outer, false, output, |_, args, rows, outer| {
        let variants = Operand::Column(args[0].clone());
        let variants = super::variant::Variants::of(&variants)?;
        let mut parents = Vec::new();
        let mut positions = Int32Builder::new();
        let mut keys = StringBuilder::new();
        let mut made = Vec::new();
        for row in 0..rows {
            let parts = variants.row(row).map(|(v, m)| super::variant::parts(v, m)).unwrap_or_default();
            if parts.is_empty() && outer {
                parents.push(row as u32);
                positions.append_null();
                keys.append_null();
                made.push(None);
            }
            for (i, (key, value)) in parts.into_iter().enumerate() {
                parents.push(row as u32);
                positions.append_value(i as i32);
                keys.append_option(key);
                made.push(Some(value));
            }
        }
        let made = super::variant::column(made.len(), &|row| Ok(made[row].clone()))?;
        Ok((parents, vec![Arc::new(positions.finish()), Arc::new(keys.finish()), made]))
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
    Ok(generator("json_tuple", args, false, false, output, |_, args, rows, _| {
        let texts: Vec<Option<&StringArray>> = args.iter().map(|a| a.as_string_opt::<i32>()).collect();
        let text = |i: usize, row: usize| texts[i].filter(|t| t.is_valid(row)).map(|t| t.value(row));
        let mut columns: Vec<StringBuilder> = args[1..].iter().map(|_| StringBuilder::new()).collect();
        for row in 0..rows {
            let names: Vec<Option<&str>> = (1..args.len()).map(|i| text(i, row)).collect();
            let members = super::json::tuple(text(0, row), &names);
            columns.iter_mut().zip(members).for_each(|(column, member)| column.append_option(member));
        }
        let columns = columns.iter_mut().map(|c| Arc::new(c.finish()) as ArrayRef).collect();
        Ok(((0..rows as u32).collect(), columns))
    }))
}
