//! collect_list, collect_set and their names.

use arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array};
use arrow::compute::take;
use arrow::row::Rows;

use super::cells::{Grouped, Stack, element_groups, list_buffers, read_lists};
use super::scala_hash::{ScalaSet, hash_codes};
use super::{Accumulator, AggregateFunction, aggregate, passes};
use crate::error::{Result, SparkError};
use crate::exec::sort::normalize_floats;
use crate::expr::Expr;
use crate::functions::nested::{comparable, list_array, relabelled};
use crate::functions::registry::{Build, FunctionEntry};
use crate::types::DataType;

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
        if self.set {
            Box::new(Sets { function: self.clone(), elements: Stack::default(), sets: Vec::new() })
        } else {
            Box::new(Collected { function: self.clone(), elements: Grouped::default(), groups: 0 })
        }
    }
}

/// collect_list.
struct Collected {
    function: Collect,
    elements: Grouped,
    groups: usize,
}

impl Collected {
    fn add(&mut self, groups: &[u32], values: &ArrayRef, filter: Option<&BooleanArray>) -> Result<()> {
        let nulls = values.logical_nulls();
        let wanted = |row: usize| nulls.as_ref().is_none_or(|n| n.is_valid(row)) && passes(filter, row);
        let types = std::slice::from_ref(&self.function.element);
        self.elements.add(groups, types, std::slice::from_ref(values), &wanted)
    }
}

impl Accumulator for Collected {
    fn resize(&mut self, groups: usize) {
        self.groups = groups;
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        args.first().map_or(Ok(()), |arg| self.add(groups, arg, filter))
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let (groups, lists) = read_lists(&self.function.list_type(), groups, buffer)?;
        self.add(&element_groups(&groups, &lists), lists.values(), None)
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![list_buffers(&self.function.list_type(), &self.evaluate()?)?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let (order, offsets) = self.elements.order(self.groups);
        let values = take(&self.elements.stack.column(0, &self.function.element)?, &order, None)?;
        list_array(&self.function.list_type(), values, offsets, None)
    }
}

/// collect_set.
struct Sets {
    function: Collect,
    /// The elements of all sets.
    elements: Stack,
    sets: Vec<ScalaSet>,
}

impl Sets {
    /// Values with one zero and one NaN (NormalizeFloatingNumbers), their hashes and comparable forms.
    fn prepared(&self, values: &ArrayRef) -> Result<(ArrayRef, Vec<i32>, Rows)> {
        let element = &self.function.element;
        let values = match element {
            DataType::Float | DataType::Double => normalize_floats(values),
            _ => relabelled(values, &element.to_arrow())?,
        };
        let hashes = hash_codes(&values, element)?;
        let [rows] = comparable([&values])?;
        Ok((values, hashes, rows))
    }
}

impl Accumulator for Sets {
    fn resize(&mut self, groups: usize) {
        self.sets.resize_with(groups, ScalaSet::default);
    }

    fn update(&mut self, groups: &[u32], args: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<()> {
        let Some(arg) = args.first() else { return Ok(()) };
        let (values, hashes, rows) = self.prepared(arg)?;
        let nulls = values.logical_nulls();
        let mut fresh = Vec::new();
        for (row, g) in groups.iter().enumerate() {
            if nulls.as_ref().is_some_and(|n| n.is_null(row)) || !passes(filter, row) {
                continue;
            }
            let number = (self.elements.len() + fresh.len()) as u32;
            if self.sets[*g as usize].add(hashes[row], number, rows.row(row).as_ref()) {
                fresh.push(row as u32);
            }
        }
        self.elements.add(std::slice::from_ref(&self.function.element), &[values], fresh)
    }

    fn merge(&mut self, groups: &[u32], buffer: &[ArrayRef]) -> Result<()> {
        let (groups, lists) = read_lists(&self.function.list_type(), groups, buffer)?;
        let (values, hashes, rows) = self.prepared(lists.values())?;
        let mut fresh = Vec::new();
        for (row, g) in groups.iter().enumerate() {
            // The other buffer is a set of its own before it is added to this one.
            let mut other = ScalaSet::default();
            let ends = &lists.value_offsets()[row..row + 2];
            (ends[0] as usize..ends[1] as usize).for_each(|at| {
                other.add(hashes[at], at as u32, rows.row(at).as_ref());
            });
            let set = &mut self.sets[*g as usize];
            set.make_room_for(&other);
            for (hash, at) in other.sorted() {
                let number = (self.elements.len() + fresh.len()) as u32;
                if set.put(hash, number, rows.row(at as usize).as_ref()) {
                    fresh.push(at);
                }
            }
        }
        self.elements.add(std::slice::from_ref(&self.function.element), &[values], fresh)
    }

    fn buffers(&self) -> Result<Vec<ArrayRef>> {
        Ok(vec![list_buffers(&self.function.list_type(), &self.evaluate()?)?])
    }

    fn evaluate(&self) -> Result<ArrayRef> {
        let mut order = Vec::new();
        let mut offsets = vec![0];
        for set in &self.sets {
            order.extend(set.sorted().into_iter().map(|(_, number)| number));
            offsets.push(order.len() as i32);
        }
        let values = self.elements.column(0, &self.function.element)?;
        let values = take(&values, &UInt32Array::from(order), None)?;
        list_array(&self.function.list_type(), values, offsets, None)
    }
}
