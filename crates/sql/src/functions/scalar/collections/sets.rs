//! array_distinct, array_union, array_intersect, array_except, arrays_overlap: arrays as sets.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::NullBuffer;
use arrow::row::{Row, Rows};

use super::element_type;
use crate::error::{Result, SparkError};
use crate::exec::sort::normalize_floats;
use crate::expr::Expr;
use crate::functions::coercion::{self, cast_to};
use crate::functions::describe;
use crate::functions::nested::{Lists, Mixed, comparable};
use crate::functions::registry::Build;
use crate::functions::typed::{ColumnEval, Columns, column_call};
use crate::types::DataType;

pub(super) fn distinct(c: &Columns<'_>) -> Result<ArrayRef> {
    let lists = c.lists(0)?;
    let values = normalize_floats(lists.values);
    let [rows] = comparable([&values])?;
    let mut seen = HashSet::new();
    c.picked(&values, c.present(), &mut |row, out| {
        seen.clear();
        out.extend(lists.range(row).filter(|at| seen.insert(rows.row(*at))).map(|at| at as u32));
        Ok(())
    })
}

/// Two array arguments and their elements, with one zero and one NaN, in comparable form, too.
struct Pair<'a> {
    lists: [Lists<'a>; 2],
    values: [ArrayRef; 2],
    rows: [Rows; 2],
    there: Option<NullBuffer>,
}

impl<'a> Pair<'a> {
    fn of(c: &'a Columns<'_>) -> Result<Self> {
        let lists = [c.lists(0)?, c.lists(1)?];
        let values = [normalize_floats(lists[0].values), normalize_floats(lists[1].values)];
        let rows = comparable([&values[0], &values[1]])?;
        Ok(Self { lists, values, rows, there: c.present() })
    }

    fn there(&self, row: usize) -> bool {
        self.there.as_ref().is_none_or(|n| n.is_valid(row))
    }

    fn ranges(&self, row: usize) -> (Range<usize>, Range<usize>) {
        (self.lists[0].range(row), self.lists[1].range(row))
    }

    fn left(&self, at: usize) -> Row<'_> {
        self.rows[0].row(at)
    }

    fn right(&self, at: usize) -> Row<'_> {
        self.rows[1].row(at)
    }
}

fn union(c: &Columns<'_>) -> Result<ArrayRef> {
    let pair = Pair::of(c)?;
    let mut out = Mixed::new(pair.values.iter().map(AsRef::as_ref).collect());
    let mut seen = HashSet::new();
    for row in 0..c.rows {
        if pair.there(row) {
            seen.clear();
            let (l, r) = pair.ranges(row);
            l.filter(|at| seen.insert(pair.left(*at))).for_each(|at| out.push(0, at));
            r.filter(|at| seen.insert(pair.right(*at))).for_each(|at| out.push(1, at));
        }
        out.end_row(pair.there(row));
    }
    out.finish(c.result)
}

/// array_intersect: distinct elements that the other array has; array_except: that it has not.
fn shared(c: &Columns<'_>, wanted: bool) -> Result<ArrayRef> {
    let pair = Pair::of(c)?;
    let (mut seen, mut other) = (HashSet::new(), HashSet::new());
    c.picked(&pair.values[0], pair.there.clone(), &mut |row, out| {
        let (l, r) = pair.ranges(row);
        seen.clear();
        other.clear();
        other.extend(r.map(|at| pair.right(at)));
        let kept = l.filter(|at| other.contains(&pair.left(*at)) == wanted && seen.insert(pair.left(*at)));
        out.extend(kept.map(|at| at as u32));
        Ok(())
    })
}

fn overlap(c: &Columns<'_>) -> Result<ArrayRef> {
    let pair = Pair::of(c)?;
    let nulls = [pair.values[0].logical_nulls(), pair.values[1].logical_nulls()];
    let present = |side: usize, at: usize| nulls[side].as_ref().is_none_or(|n| n.is_valid(at));
    let mut other = HashSet::new();
    let mut row_overlaps = |row: usize| {
        let (l, r) = pair.ranges(row);
        other.clear();
        other.extend(r.clone().filter(|at| present(1, *at)).map(|at| pair.right(at)));
        if l.clone().any(|at| present(0, at) && other.contains(&pair.left(at))) {
            return Some(true);
        }
        let whole = l.clone().all(|at| present(0, at)) && r.clone().all(|at| present(1, at));
        (l.is_empty() || r.is_empty() || whole).then_some(false)
    };
    let found: BooleanArray = (0..c.rows).map(|row| if pair.there(row) { row_overlaps(row) } else { None }).collect();
    Ok(Arc::new(found))
}

/// array_union, array_intersect, array_except, arrays_overlap.
pub(super) fn two_arrays(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let ansi = b.ansi();
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    let arrays = types.iter().all(|t| matches!(t, DataType::Array { .. }));
    let common = if arrays { coercion::tightest_common(&types[0], &types[1], ansi) } else { None };
    let Some(t) = common else {
        let sql = describe::call_text(b.name, &args);
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.BINARY_ARRAY_DIFF_TYPES",
            &[
                ("sqlExpr", &format!("\"{sql}\"")),
                ("functionName", &format!("`{}`", b.name)),
                ("arrayType", "\"ARRAY\""),
                ("leftType", &types[0].quoted_sql()),
                ("rightType", &types[1].quoted_sql()),
            ],
        ));
    };
    let args: Vec<Expr> =
        args.into_iter().map(|a| if a.data_type().same_type(&t) { a } else { cast_to(a, &t, ansi) }).collect();
    let any = args.iter().any(Expr::nullable);
    let has_null = |e: &Expr| matches!(e.data_type(), DataType::Array { contains_null: true, .. });
    let (l, r) = (has_null(&args[0]), has_null(&args[1]));
    let element = element_type(&args);
    let with = |null: bool| DataType::array(element.clone(), null);
    let (result, nullable, eval): (DataType, bool, ColumnEval) = match b.name {
        "array_union" => (with(l || r), any, union),
        "array_intersect" => (with(l && r), any, |c| shared(c, true)),
        "array_except" => (with(l), any, |c| shared(c, false)),
        _ => (DataType::Boolean, any || l || r, overlap),
    };
    Ok(column_call(b.name, args, result, nullable, true, ansi, eval))
}
