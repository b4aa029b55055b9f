//! Arrays, and access to arrays and maps.

mod access;
mod order;
mod search;
mod sets;
mod shape;

pub(in crate::functions) use self::access::invalid_index;
pub(in crate::functions) use self::shape::{concat, reverse};

use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::DataType2 as T;
use crate::functions::registry::{FunctionEntry, MANY, Nulls, Ret};
use crate::types::DataType;

const ARR: &[In] = &[In::Arr];

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("array", 0, MANY, access::array),
    FunctionEntry::custom("[]", 2, 2, access::item),
    FunctionEntry::custom("element_at", 2, 2, access::element_at),
    FunctionEntry::custom("try_element_at", 2, 2, access::element_at),
    FunctionEntry::custom("get", 2, 2, access::get),
    FunctionEntry::custom("size", 1, 1, access::size),
    FunctionEntry::custom("cardinality", 1, 1, access::size),
    FunctionEntry::columns("array_size", 1, 1, ARR, Ret::Is(T::Int), Nulls::Strict, access::length),
    FunctionEntry::custom("array_contains", 2, 2, search::search),
    FunctionEntry::custom("array_position", 2, 2, search::search),
    FunctionEntry::custom("array_remove", 2, 2, search::search),
    FunctionEntry::custom("array_append", 2, 2, search::search),
    FunctionEntry::custom("array_prepend", 2, 2, search::search),
    FunctionEntry::columns("array_distinct", 1, 1, ARR, Ret::Same(0), Nulls::Strict, sets::distinct),
    FunctionEntry::custom("array_max", 1, 1, order::extreme),
    FunctionEntry::custom("array_min", 1, 1, order::extreme),
    FunctionEntry::custom("sort_array", 1, 2, order::sort_array),
    FunctionEntry::custom("array_sort", 1, 2, order::array_sort),
    FunctionEntry::custom("array_join", 2, 3, shape::join),
    FunctionEntry::custom("array_repeat", 2, 2, shape::repeat),
    FunctionEntry::custom("array_union", 2, 2, sets::two_arrays),
    FunctionEntry::custom("array_intersect", 2, 2, sets::two_arrays),
    FunctionEntry::custom("array_except", 2, 2, sets::two_arrays),
    FunctionEntry::custom("arrays_overlap", 2, 2, sets::two_arrays),
    FunctionEntry::columns("array_compact", 1, 1, ARR, Ret::Of(compacted), Nulls::Strict, shape::compact),
    FunctionEntry::custom("flatten", 1, 1, shape::flatten),
    FunctionEntry::columns("slice", 3, 3, &[In::Arr, In::Int, In::Int], Ret::Same(0), Nulls::Strict, shape::slice),
    FunctionEntry::custom("arrays_zip", 0, MANY, shape::arrays_zip),
    FunctionEntry::custom("array_insert", 3, 3, search::insert),
    FunctionEntry::custom("sequence", 2, 3, super::sequence::sequence),
];

fn element_type(args: &[Expr]) -> DataType {
    match args.first().map(Expr::data_type) {
        Some(DataType::Array { element, .. }) => (*element).clone(),
        _ => DataType::Null,
    }
}

fn compacted(args: &[Expr]) -> DataType {
    DataType::array(element_type(args), false)
}
