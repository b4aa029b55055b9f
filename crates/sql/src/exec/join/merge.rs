//! SortMergeJoinExec: both sides sorted by key, equal keys paired in that order.

use std::cmp::Ordering;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::record_batch::RecordBatch;
use arrow::row::Rows;

use super::matching::{key_converter, null_keys};
use super::pairs::{Assembly, OutputRows};
use crate::error::Result;
use crate::exec::Partition;
use crate::exec::sort::{held, normalize_floats};
use crate::plan::JoinKind;

/// One side, sorted.
struct Sorted {
    batch: RecordBatch,
    keys: Rows,
    /// In sorted order.
    order: Vec<u32>,
    nulls: BooleanArray,
}

impl Sorted {
    /// End of the run of rows with the key of the row at `at`.
    fn run(&self, at: usize) -> usize {
        let key = self.key(at);
        let mut end = at + 1;
        while end < self.order.len() && self.key(end) == key {
            end += 1;
        }
        end
    }

    fn key(&self, at: usize) -> &[u8] {
        let row = self.order[at] as usize;
        // The rows hold plain bytes; `data` of a temporary row borrows from them.
        self.keys.row(row).data()
    }

    fn is_null(&self, at: usize) -> bool {
        self.nulls.value(self.order[at] as usize)
    }
}

pub(super) fn sort_merge(
    assembly: &Assembly<'_>,
    null_safe: &[bool],
    left: RecordBatch,
    right: RecordBatch,
    left_keys: Vec<ArrayRef>,
    right_keys: Vec<ArrayRef>,
) -> Result<Partition> {
    let left_keys: Vec<ArrayRef> = left_keys.iter().map(normalize_floats).collect();
    let right_keys: Vec<ArrayRef> = right_keys.iter().map(normalize_floats).collect();
    let Some(converter) = key_converter(&left_keys)? else { return Ok(Vec::new()) };
    let side = |batch: RecordBatch, keys: Vec<ArrayRef>| -> Result<Sorted> {
        let rows = converter.convert_columns(&keys)?;
        let mut order = held(&keys, batch.num_rows());
        order.sort_by(|a, b| rows.row(*a as usize).cmp(&rows.row(*b as usize)));
        let nulls = null_keys(&keys, null_safe, batch.num_rows());
        Ok(Sorted { batch, keys: rows, order, nulls })
    };
    let l = side(left, left_keys)?;
    let r = side(right, right_keys)?;
    let kind = assembly.kind;
    let keeps_left = matches!(kind, JoinKind::LeftOuter | JoinKind::LeftSingle | JoinKind::FullOuter);
    let keeps_right = matches!(kind, JoinKind::RightOuter | JoinKind::FullOuter);
    let mut out = OutputRows::default();
    let (mut i, mut j) = (0, 0);
    let alone_left = |out: &mut OutputRows, at: usize| {
        if keeps_left || kind == JoinKind::LeftAnti {
            out.left.push(Some(l.order[at]));
            out.right.push(None);
        }
    };
    let alone_right = |out: &mut OutputRows, at: usize| {
        if keeps_right {
            out.left.push(None);
            out.right.push(Some(r.order[at]));
        }
    };
    while i < l.order.len() || j < r.order.len() {
        let ordering = match (i < l.order.len(), j < r.order.len()) {
            (true, false) => Ordering::Less,
            (false, _) => Ordering::Greater,
            (true, true) if l.is_null(i) => Ordering::Less,
            (true, true) if r.is_null(j) => Ordering::Greater,
            (true, true) => l.key(i).cmp(r.key(j)),
        };
        match ordering {
            Ordering::Less => {
                alone_left(&mut out, i);
                i += 1;
            }
            Ordering::Greater => {
                alone_right(&mut out, j);
                j += 1;
            }
            Ordering::Equal => {
                let (to_i, to_j) = (l.run(i), r.run(j));
                let (mut ls, mut rs) = (Vec::new(), Vec::new());
                for a in i..to_i {
                    for b in j..to_j {
                        ls.push(l.order[a]);
                        rs.push(r.order[b]);
                    }
                }
                let passes = assembly.passing(&l.batch, &r.batch, &ls, &rs)?;
                let width = to_j - j;
                let pass = |a: usize, b: usize| passes.as_ref().is_none_or(|p| p[(a - i) * width + (b - j)]);
                if kind == JoinKind::RightOuter {
                    for b in j..to_j {
                        let mut found = false;
                        for a in i..to_i {
                            if pass(a, b) {
                                found = true;
                                out.left.push(Some(l.order[a]));
                                out.right.push(Some(r.order[b]));
                            }
                        }
                        if !found {
                            alone_right(&mut out, b);
                        }
                    }
                } else {
                    let mut right_found = vec![false; width];
                    for a in i..to_i {
                        let mut found = false;
                        for b in j..to_j {
                            if !pass(a, b) {
                                continue;
                            }
                            right_found[b - j] = true;
                            match kind {
                                JoinKind::LeftSemi if !found => {
                                    out.left.push(Some(l.order[a]));
                                    out.right.push(None);
                                }
                                JoinKind::LeftSemi | JoinKind::LeftAnti => {}
                                JoinKind::LeftSingle if found => return Err(super::pairs::more_than_one()),
                                _ => {
                                    out.left.push(Some(l.order[a]));
                                    out.right.push(Some(r.order[b]));
                                }
                            }
                            found = true;
                        }
                        if !found {
                            alone_left(&mut out, a);
                        }
                    }
                    for (b, found) in right_found.iter().enumerate() {
                        if !found {
                            alone_right(&mut out, j + b);
                        }
                    }
                }
                (i, j) = (to_i, to_j);
            }
        }
    }
    assembly.emit(&l.batch, &r.batch, &out)
}
