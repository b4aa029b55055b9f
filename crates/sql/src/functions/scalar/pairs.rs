//! Binary functions over primitive columns: one typed loop for all of them.

use arrow::array::{Array, ArrowPrimitiveType, AsArray, PrimitiveArray};

use crate::error::Result;
use crate::functions::Operand;

/// `f` of the values of each row, null where one of them is; None: the columns are not of these types.
pub(super) fn pairs<A: ArrowPrimitiveType, B: ArrowPrimitiveType, R: ArrowPrimitiveType>(
    left: &Operand,
    right: &Operand,
    rows: usize,
    f: impl Fn(A::Native, B::Native) -> Result<Option<R::Native>>,
) -> Result<Option<PrimitiveArray<R>>> {
    let (Some(a), Some(b)) = (left.array().as_primitive_opt::<A>(), right.array().as_primitive_opt::<B>()) else {
        return Ok(None);
    };
    let mut out = Vec::with_capacity(rows);
    for row in 0..rows {
        let (i, j) = (left.index(row), right.index(row));
        out.push(if a.is_null(i) || b.is_null(j) { None } else { f(a.value(i), b.value(j))? });
    }
    Ok(Some(PrimitiveArray::from_iter(out)))
}
