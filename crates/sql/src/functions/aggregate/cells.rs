//! What accumulators keep of the rows that came: a row of cells a group, or all rows with their groups.

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, ListArray, UInt32Array, new_empty_array, new_null_array};
use arrow::compute::{concat, take};
use arrow::datatypes::DataType as ArrowType;

use crate::error::{Result, SparkError};
use crate::functions::nested::{interleaved, relabelled};
use crate::types::DataType;
use crate::unsafe_row::{decode_rows, encode_rows};

/// Rows that may be kept beyond those that groups point to before they are put together.
const SLACK: usize = 1 << 16;

/// Chunks that may be kept before that, besides one for so many groups.
const CHUNKS: usize = 16;
const GROUPS_A_CHUNK: usize = 64;

/// Chunks of fewer rows are put together as they come.
const SMALL: usize = 1024;

/// A few cells a group, by place in the columns they came in.
pub(super) struct Cells {
    types: Vec<ArrowType>,
    /// Columns that came; the first chunk is a row of nulls.
    chunks: Vec<Vec<ArrayRef>>,
    /// Chunk and row of a group's cells; chunk 0: it has none.
    at: Vec<(u32, u32)>,
    /// Rows of all chunks.
    rows: usize,
    fresh: bool,
}

/// What became of the columns of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Nothing,
    /// They are the last chunk.
    Added,
    /// All cells are in chunk 1 now.
    Together,
}

impl Cells {
    pub(super) fn new(types: &[DataType]) -> Self {
        let types: Vec<ArrowType> = types.iter().map(DataType::to_arrow).collect();
        let nulls = types.iter().map(|t| new_null_array(t, 1)).collect();
        Self { types, chunks: vec![nulls], at: Vec::new(), rows: 0, fresh: false }
    }

    pub(super) fn resize(&mut self, groups: usize) {
        self.at.resize(groups, (0, 0));
    }

    /// Chunk and row of a group's cells.
    pub(super) fn place(&self, group: usize) -> Option<(usize, usize)> {
        let (chunk, row) = self.at[group];
        (chunk != 0).then_some((chunk as usize, row as usize))
    }

    /// The chunk that the columns of the current batch will be.
    pub(super) fn next_chunk(&self) -> usize {
        self.chunks.len()
    }

    /// Row `row` of the current batch becomes the group's.
    pub(super) fn put(&mut self, group: usize, row: usize) {
        self.at[group] = (self.chunks.len() as u32, row as u32);
        self.fresh = true;
    }

    /// The current batch is done; these are its columns.
    pub(super) fn keep(&mut self, columns: &[ArrayRef]) -> Result<Kept> {
        if !std::mem::take(&mut self.fresh) {
            return Ok(Kept::Nothing);
        }
        let columns = columns.iter().zip(&self.types).map(|(c, t)| relabelled(c, t)).collect::<Result<Vec<_>>>()?;
        self.rows += columns.first().map_or(0, |c| c.len());
        self.chunks.push(columns);
        let groups = self.at.len();
        if self.rows <= 2 * groups + SLACK && self.chunks.len() <= CHUNKS + groups / GROUPS_A_CHUNK {
            return Ok(Kept::Added);
        }
        let together = (0..self.types.len()).map(|i| self.column(i)).collect::<Result<Vec<_>>>()?;
        self.chunks.truncate(1);
        self.chunks.push(together);
        self.rows = self.at.len();
        for (group, at) in self.at.iter_mut().enumerate() {
            if at.0 != 0 {
                *at = (1, group as u32);
            }
        }
        Ok(Kept::Together)
    }

    /// Column `i` of chunk `chunk`.
    pub(super) fn chunk(&self, chunk: usize, i: usize) -> &ArrayRef {
        &self.chunks[chunk][i]
    }

    /// Cell `i` of all groups; null where a group has none.
    pub(super) fn column(&self, i: usize) -> Result<ArrayRef> {
        let sources: Vec<&dyn Array> = self.chunks.iter().map(|chunk| chunk[i].as_ref()).collect();
        let at: Vec<(usize, usize)> = self.at.iter().map(|(chunk, row)| (*chunk as usize, *row as usize)).collect();
        interleaved(&sources, &at, &self.types[i])
    }
}

/// All rows that came, in the order of their coming.
#[derive(Default)]
pub(super) struct Stack {
    chunks: Vec<Vec<ArrayRef>>,
    rows: usize,
}

impl Stack {
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// These rows of the columns, which have the given types.
    pub(super) fn add(&mut self, types: &[DataType], columns: &[ArrayRef], rows: Vec<u32>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let whole = columns.first().is_some_and(|c| c.len() == rows.len());
        self.rows += rows.len();
        let rows = UInt32Array::from(rows);
        let kept = types.iter().zip(columns).map(|(t, c)| {
            let c = relabelled(c, &t.to_arrow())?;
            Ok(if whole { c } else { take(&c, &rows, None)? })
        });
        self.chunks.push(kept.collect::<Result<Vec<_>>>()?);
        // Rows that come one by one make few chunks.
        let rows = |chunk: &Vec<ArrayRef>| chunk.first().map_or(0, |c| c.len());
        while let [.., before, last] = &self.chunks[..]
            && rows(before) < SMALL
            && rows(before) <= 2 * rows(last)
        {
            let both = before.iter().zip(last).map(|(a, b)| Ok(concat(&[a.as_ref(), b.as_ref()])?));
            let both = both.collect::<Result<Vec<_>>>()?;
            self.chunks.truncate(self.chunks.len() - 2);
            self.chunks.push(both);
        }
        Ok(())
    }

    /// Column `i` of all rows.
    pub(super) fn column(&self, i: usize, t: &DataType) -> Result<ArrayRef> {
        let parts: Vec<&dyn Array> = self.chunks.iter().map(|chunk| chunk[i].as_ref()).collect();
        if parts.is_empty() {
            return Ok(new_empty_array(&t.to_arrow()));
        }
        Ok(concat(&parts)?)
    }
}

/// All rows that came, with their groups.
#[derive(Default)]
pub(super) struct Grouped {
    pub(super) stack: Stack,
    /// The group of each row.
    of: Vec<u32>,
}

impl Grouped {
    /// The rows for which `wanted` holds.
    pub(super) fn add(
        &mut self,
        groups: &[u32],
        types: &[DataType],
        columns: &[ArrayRef],
        wanted: &dyn Fn(usize) -> bool,
    ) -> Result<()> {
        let rows: Vec<u32> = (0..groups.len()).filter(|row| wanted(*row)).map(|row| row as u32).collect();
        self.of.extend(rows.iter().map(|row| groups[*row as usize]));
        self.stack.add(types, columns, rows)
    }

    /// Rows group by group, those of a group in the order of their coming, and where each group's begin.
    pub(super) fn order(&self, groups: usize) -> (UInt32Array, Vec<i32>) {
        let mut offsets = vec![0i32; groups + 1];
        for group in &self.of {
            offsets[*group as usize + 1] += 1;
        }
        for group in 0..groups {
            offsets[group + 1] += offsets[group];
        }
        let mut next = offsets.clone();
        let mut order = vec![0u32; self.of.len()];
        for (row, group) in self.of.iter().enumerate() {
            let at = &mut next[*group as usize];
            order[*at as usize] = row as u32;
            *at += 1;
        }
        (UInt32Array::from(order), offsets)
    }
}

/// A column of lists as buffers of a TypedImperativeAggregate: UnsafeRows of one field.
pub(super) fn list_buffers(t: &DataType, lists: &ArrayRef) -> Result<ArrayRef> {
    let encoded = encode_rows(std::slice::from_ref(t), std::slice::from_ref(lists), lists.len())?;
    Ok(std::sync::Arc::new(BinaryArray::from_iter_values(encoded.iter())))
}

/// The lists that such buffers hold, and the group of each; buffers that are null are left out.
pub(super) fn read_lists(t: &DataType, groups: &[u32], buffer: &[ArrayRef]) -> Result<(Vec<u32>, ListArray)> {
    let broken = || SparkError::internal("a broken buffer of an aggregate");
    let bytes = buffer.first().and_then(|b| b.as_binary_opt::<i32>()).ok_or_else(broken)?;
    let there: Vec<usize> = (0..groups.len()).filter(|row| bytes.is_valid(*row)).collect();
    let rows: Vec<&[u8]> = there.iter().map(|row| bytes.value(*row)).collect();
    let lists = decode_rows(std::slice::from_ref(t), &rows)?;
    let lists = lists.first().and_then(|l| l.as_list_opt::<i32>()).cloned().ok_or_else(broken)?;
    Ok((there.into_iter().map(|row| groups[row]).collect(), lists))
}

/// The group of each element of lists, given that of each list.
pub(super) fn element_groups(groups: &[u32], lists: &ListArray) -> Vec<u32> {
    let lengths = (0..lists.len()).map(|row| lists.value_length(row) as usize);
    groups.iter().zip(lengths).flat_map(|(group, length)| std::iter::repeat_n(*group, length)).collect()
}
