//! collect_list, collect_set and their names.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray};

use super::scala_hash::ScalaSet;
use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;
use crate::value::unsafe_row::{decode_row, encode_row};
use crate::value::{Value, array_from_values, value_at};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("collect_list", 1, 1, collect),
    FunctionEntry::custom("array_agg", 1, 1, collect),
    FunctionEntry::custom("collect_set", 1, 1, collect),
];

fn collect(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let element = args.first().map_or(DataType::Null, Expr::data_type);
    let set = b.name == "collect_set";
    if set && has_map(&element) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
            &[
                ("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text(b.name, &args))),
                ("functionName", "`collect_set`"),
                ("dataType", "\"MAP\" or \"COLLATED STRING\""),
            ],
        ));
    }
    let name = if set { "collect_set" } else { "collect_list" };
    let result = DataType::array(element.clone(), false);
    Ok(aggregate(b, name, args, result, false, Collect { element, set }))
}

fn has_map(t: &DataType) -> bool {
    match t {
        DataType::Map { .. } => true,
        DataType::Array { element, .. } => has_map(element),
        DataType::Struct(s) => s.fields.iter().any(|f| has_map(&f.data_type)),
        _ => false,
    }
}

#[derive(Clone, Debug)]
struct Collect {
    element: DataType,
    set: bool,
}

impl Collect {
    fn list_type(&self) -> DataType {
        DataType::array(self.element.clone(), false)
    }
}

impl AggregateFunction for Collect {
    fn buffer(&self) -> Vec<(String, DataType, bool)> {
        vec![("buf".into(), DataType::Binary, true)]
    }
    fn is_object(&self) -> bool {
        true
    }
    fn accumulator(&self) -> Box<dyn Accumulator> {
        Box::new(Collected { function: self.clone(), lists: Vec::new(), sets: Vec::new() })
    }
}

struct Collected {
    function: Collect,
    lists: Vec<Vec<Value>>,
    sets: Vec<ScalaSet>,
}

impl Collected {
    fn add(&mut self, g: usize, v: Value) {
        // One zero and one NaN (NormalizeFloatingNumbers).
        let v = match v {
            Value::Double(x) if self.function.set && x == 0.0 => Value::Double(0.0),
            Value::Float(x) if self.function.set && x == 0.0 => Value::Float(0.0),
            v => v,
        };
        if self.function.set { self.sets[g].add(v, &self.function.element) } else { self.lists[g].push(v) }
    }

    fn items(&self, g: usize) -> Vec<Value> {
        if self.function.set { self.sets[g].in_order() } else { self.lists[g].clone() }
    }

    fn groups(&self) -> usize {
        if self.function.set { self.sets.len() } else { self.lists.len() }
    }
}

impl Accumulator for Collected {
    fn resize(&mut self, groups: usize) {
        if self.function.set {
            self.sets.resize_with(groups, ScalaSet::default);
        } else {
            self.lists.resize(groups, Vec::new());
        }
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        for (row, g) in groups.iter().enumerate() {
            if passes(filter, row) {
                let v = value_at(arg, row, &self.function.element);
                if !v.is_null() {
                    self.add(*g as usize, v);
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let Some(bytes) = buffer.first().and_then(|b| b.as_binary_opt::<i32>()) else {
            return Err(SparkError::internal("the buffer of collect is one binary"));
        };
        let t = [self.function.list_type()];
        for (row, g) in groups.iter().enumerate() {
            if bytes.is_null(row) {
                continue;
            }
            let decoded = decode_row(bytes.value(row), &t);
            let Some([Value::Array(items)]) = decoded.as_deref() else {
                return Err(SparkError::internal("a broken buffer of collect"));
            };
            if self.function.set {
                // The other buffer is a set of its own before it is added to this one.
                let mut other = ScalaSet::default();
                items.iter().for_each(|v| other.add(v.clone(), &self.function.element));
                self.sets[*g as usize].add_all(&other);
            } else {
                self.lists[*g as usize].extend(items.iter().cloned());
            }
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        let t = [self.function.list_type()];
        let rows: Vec<Vec<u8>> = (0..self.groups()).map(|g| encode_row(&[Value::array(self.items(g))], &t)).collect();
        Ok(vec![Arc::new(BinaryArray::from_iter_values(rows))])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let values: Vec<Value> = (0..self.groups()).map(|g| Value::array(self.items(g))).collect();
        array_from_values(&self.function.list_type(), &values)
    }
}
