//! The source rows of a batch, read once more for the page.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Int32Type, Int64Type};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::ExecContext;
use tidemark_sql::exec::batch::make_batch;
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::LogicalPlan;
use tidemark_sql::planner::Planner;
use tidemark_sql::types::DataType;
use tidemark_vfs::file_name;

use super::json_rows::row_json;
use crate::fates::Place;

/// Source rows that are recorded of one batch at most.
pub(crate) const MAX_EVENTS: usize = 10_000;
/// Source rows that are recorded of a batch with more than that: enough for the strip, and soon done.
const OF_LARGE: usize = 2_000;
/// Bytes of files that are read again for them at most.
const MAX_BYTES: u64 = 8 << 20;

pub(crate) struct SourceRow {
    pub(crate) place: Place,
    /// The place as the strip shows it.
    pub(crate) origin: String,
    /// As JSON.
    pub(crate) row: String,
}

/// Reads the rows of one source.
pub(crate) struct Reader<'a> {
    ctx: &'a ExecContext<'a>,
    output: &'a [Arc<Attribute>],
    /// Rows that may still be read.
    room: usize,
    pub(crate) found: Vec<SourceRow>,
    /// There were more rows.
    pub(crate) cut: bool,
}

/// The source's data, file by file where there are files, each with its name.
fn pieces(data: &LogicalPlan) -> (Vec<(Option<String>, LogicalPlan)>, bool) {
    let LogicalPlan::FileRelation(relation) = data else { return (vec![(None, data.clone())], false) };
    let mut read = 0;
    let files: Vec<_> = relation
        .files
        .iter()
        .take_while(|file| {
            read += file.len;
            read <= MAX_BYTES
        })
        .collect();
    let cut = files.len() < relation.files.len();
    let one = |file: &tidemark_sql::datasource::FileStatus| {
        let mut one = relation.clone();
        one.files = Arc::new(vec![file.clone()]);
        (Some(file_name(&file.path).to_owned()), LogicalPlan::FileRelation(one))
    };
    (files.into_iter().map(one).collect(), cut)
}

impl<'a> Reader<'a> {
    /// `rows`: of the whole batch; `read`: those that others have read already.
    pub(crate) fn new(ctx: &'a ExecContext<'a>, output: &'a [Arc<Attribute>], rows: usize, read: usize) -> Self {
        let most = if rows > MAX_EVENTS { OF_LARGE } else { MAX_EVENTS };
        Self { ctx, output, room: most.saturating_sub(read), found: Vec::new(), cut: false }
    }

    /// The rows, in the order of [`Self::found`].
    pub(crate) fn rows(&mut self, data: &LogicalPlan) -> Result<Vec<RecordBatch>> {
        let (pieces, cut) = pieces(data);
        self.cut |= cut;
        let mut batches = Vec::new();
        for (file, data) in pieces {
            let exec = Planner::new(self.ctx, None).plan_child(&Arc::new(data))?;
            let mut number = 0;
            for batch in exec.execute(self.ctx)?.into_iter().flatten() {
                self.cut |= batch.num_rows() > self.room;
                let batch = batch.slice(0, batch.num_rows().min(self.room));
                self.room -= batch.num_rows();
                // The names and ids that the plan knows the columns by.
                let batch = make_batch(self.output, batch.columns().to_vec(), batch.num_rows())?;
                self.describe(&batch, file.as_deref(), &mut number);
                batches.push(batch);
            }
        }
        Ok(batches)
    }

    fn describe(&mut self, batch: &RecordBatch, file: Option<&str>, number: &mut usize) {
        let columns: Vec<(String, DataType)> =
            self.output.iter().map(|a| (a.name.to_string(), a.data_type.clone())).collect();
        let column = |name: &str| columns.iter().position(|(known, _)| known == name).map(|at| batch.column(at));
        let kafka = column("topic").zip(column("partition")).zip(column("offset"));
        for row in 0..batch.num_rows() {
            *number += 1;
            let record = kafka.and_then(|((topic, partition), offset)| record(topic, partition, offset, row));
            let place = match (file, record) {
                (Some(name), _) => Place::File { name: name.to_owned(), row: *number },
                (None, Some(place)) => place,
                (None, None) => Place::Row { row: *number },
            };
            let origin = match &place {
                Place::File { name, .. } => name.clone(),
                Place::Kafka { topic, partition, offset } => format!("{topic}-{partition} @ {offset}"),
                Place::Row { .. } => String::new(),
            };
            self.found.push(SourceRow { place, origin, row: row_json(batch, row, &columns).to_string() });
        }
    }
}

/// A record's place, of the columns of a Kafka source.
fn record(topic: &ArrayRef, partition: &ArrayRef, offset: &ArrayRef, row: usize) -> Option<Place> {
    let topic = topic.as_string_opt::<i32>().filter(|topic| topic.is_valid(row))?.value(row).to_owned();
    let partition = partition.as_primitive_opt::<Int32Type>()?.value(row).into();
    let offset = offset.as_primitive_opt::<Int64Type>()?.value(row);
    Some(Place::Kafka { topic, partition, offset })
}
