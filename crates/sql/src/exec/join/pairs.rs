//! From candidate pairs to output rows: conditions, unmatched rows, semi and anti joins.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array, new_null_array};
use arrow::compute::take;
use arrow::record_batch::RecordBatch;

use super::Side;
use super::matching::Matches;
use crate::error::Result;
use crate::exec::batch::{BATCH_ROWS, make_batch};
use crate::exec::bind::eval_condition;
use crate::exec::{ExecContext, Partition};
use crate::expr::{Attribute, Expr};
use crate::plan::JoinKind;

/// Pairs looked at together when every pair is a candidate.
const PAIRS_AT_ONCE: usize = 65_536;

/// Makes output rows of one partition.
pub(super) struct Assembly<'j> {
    pub kind: JoinKind,
    pub condition: Option<&'j Expr>,
    pub left: &'j [Arc<Attribute>],
    pub right: &'j [Arc<Attribute>],
    pub output: &'j [Arc<Attribute>],
    pub ctx: &'j ExecContext<'j>,
    pub partition: usize,
}

/// Output rows as positions in both sides; None: nulls.
#[derive(Default)]
pub(super) struct OutputRows {
    pub left: Vec<Option<u32>>,
    pub right: Vec<Option<u32>>,
}

fn gather(batch: &RecordBatch, rows: &UInt32Array) -> Result<Vec<ArrayRef>> {
    Ok(batch.columns().iter().map(|c| take(c, rows, None)).collect::<Result<Vec<_>, _>>()?)
}

impl Assembly<'_> {
    /// Which of these pairs (positions left, right) pass the condition.
    pub(super) fn passing(
        &self,
        left: &RecordBatch,
        right: &RecordBatch,
        l: &[u32],
        r: &[u32],
    ) -> Result<Option<Vec<bool>>> {
        let Some(condition) = self.condition else { return Ok(None) };
        let both: Vec<Arc<Attribute>> = self.left.iter().chain(self.right).cloned().collect();
        let mut out = Vec::with_capacity(l.len());
        for (l, r) in l.chunks(BATCH_ROWS).zip(r.chunks(BATCH_ROWS)) {
            let mut columns = gather(left, &UInt32Array::from(l.to_vec()))?;
            columns.extend(gather(right, &UInt32Array::from(r.to_vec()))?);
            let batch = make_batch(&both, columns, l.len())?;
            let mask = eval_condition(condition, &batch, &self.ctx.eval(self.partition, 0))?;
            out.extend((0..mask.len()).map(|i| mask.value(i)));
        }
        Ok(Some(out))
    }

    /// Rows in the join's output columns.
    pub(super) fn emit(&self, left: &RecordBatch, right: &RecordBatch, rows: &OutputRows) -> Result<Partition> {
        let semi = matches!(self.kind, JoinKind::LeftSemi | JoinKind::LeftAnti);
        let mut out = Vec::new();
        for at in (0..rows.left.len()).step_by(BATCH_ROWS) {
            let end = rows.left.len().min(at + BATCH_ROWS);
            let mut columns = gather_optional(left, &rows.left[at..end])?;
            if !semi {
                columns.extend(gather_optional(right, &rows.right[at..end])?);
            }
            out.push(make_batch(self.output, columns, end - at)?);
        }
        Ok(out)
    }

    /// A streamed side against a whole one.
    pub(super) fn streamed(
        &self,
        build: Side,
        streamed: &RecordBatch,
        built: &RecordBatch,
        matches: &Matches,
    ) -> Result<Partition> {
        let mut unmatched = vec![true; built.num_rows()];
        self.streamed_marking(build, streamed, built, matches, &mut unmatched)
    }

    /// [`Self::streamed`], clearing the marks of build rows that pair.
    pub(super) fn streamed_marking(
        &self,
        build: Side,
        streamed: &RecordBatch,
        built: &RecordBatch,
        matches: &Matches,
        unmatched: &mut [bool],
    ) -> Result<Partition> {
        match matches {
            Matches::Pairs { streamed: s, built: b } => {
                self.chunk(build, streamed, built, 0..streamed.num_rows(), s, b, unmatched)
            }
            Matches::All { build_rows } => {
                let step = (PAIRS_AT_ONCE / (*build_rows).max(1)).max(1);
                let mut out = Vec::new();
                for from in (0..streamed.num_rows()).step_by(step) {
                    let to = streamed.num_rows().min(from + step);
                    let s: Vec<u32> = (from..to).flat_map(|row| std::iter::repeat_n(row as u32, *build_rows)).collect();
                    let b: Vec<u32> = (from..to).flat_map(|_| 0..*build_rows as u32).collect();
                    out.extend(self.chunk(build, streamed, built, from..to, &s, &b, unmatched)?);
                }
                Ok(out)
            }
        }
    }

    /// Candidate pairs of a range of streamed rows, in streamed order.
    fn chunk(
        &self,
        build: Side,
        streamed: &RecordBatch,
        built: &RecordBatch,
        range: std::ops::Range<usize>,
        s: &[u32],
        b: &[u32],
        unmatched: &mut [bool],
    ) -> Result<Partition> {
        let build_right = build == Side::Right;
        let (left, right) = if build_right { (streamed, built) } else { (built, streamed) };
        let (l, r) = if build_right { (s, b) } else { (b, s) };
        let passes = self.passing(left, right, l, r)?;
        let mut rows = OutputRows::default();
        let mut put = |s: u32, b: Option<u32>| {
            if build_right {
                rows.left.push(Some(s));
                rows.right.push(b);
            } else {
                rows.left.push(b);
                rows.right.push(Some(s));
            }
        };
        // Streamed rows without a partner come out where the join keeps that side.
        let keeps = matches!(
            (self.kind, build),
            (JoinKind::LeftOuter | JoinKind::LeftSingle, Side::Right)
                | (JoinKind::RightOuter, Side::Left)
                | (JoinKind::FullOuter, _)
        );
        // A semi join whose left side is the whole one marks its rows.
        let marks_only = matches!(self.kind, JoinKind::LeftSemi | JoinKind::LeftAnti) && !build_right;
        let mut at = 0;
        for row in range {
            let mut found = false;
            while at < s.len() && s[at] as usize == row {
                if passes.as_ref().is_none_or(|p| p[at]) {
                    unmatched[b[at] as usize] = false;
                    match self.kind {
                        JoinKind::LeftSemi if build_right && !found => put(row as u32, None),
                        JoinKind::LeftSemi | JoinKind::LeftAnti => {}
                        JoinKind::LeftSingle if found => return Err(more_than_one()),
                        _ => put(row as u32, Some(b[at])),
                    }
                    found = true;
                }
                at += 1;
            }
            if !found && !marks_only && (keeps || self.kind == JoinKind::LeftAnti) {
                put(row as u32, None);
            }
        }
        self.emit(left, right, &rows)
    }

    /// Build rows without a partner.
    pub(super) fn build_only(&self, build: Side, built: &RecordBatch, unmatched: &[bool]) -> Result<Partition> {
        let alone: Vec<Option<u32>> =
            unmatched.iter().enumerate().filter(|(_, u)| **u).map(|(i, _)| Some(i as u32)).collect();
        let nulls = vec![None; alone.len()];
        let (rows, left, right) = match build {
            Side::Left => {
                (OutputRows { left: alone, right: nulls }, built.clone(), crate::exec::batch::empty_batch(self.right))
            }
            Side::Right => {
                (OutputRows { left: nulls, right: alone }, crate::exec::batch::empty_batch(self.left), built.clone())
            }
        };
        self.emit(&left, &right, &rows)
    }
}

fn gather_optional(batch: &RecordBatch, rows: &[Option<u32>]) -> Result<Vec<ArrayRef>> {
    if batch.num_rows() == 0 {
        return Ok(batch.columns().iter().map(|c| new_null_array(c.data_type(), rows.len())).collect());
    }
    let indices = UInt32Array::from(rows.to_vec());
    gather(batch, &indices)
}

/// A left row of a single join with a second partner.
pub(super) fn more_than_one() -> crate::error::SparkError {
    crate::error::SparkError::runtime("SCALAR_SUBQUERY_TOO_MANY_ROWS", &[])
}
