//! Operators over rows in hand: drops, eviction, output modes, watermarks along a plan.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray, StructArray, TimestampMicrosecondArray};
use arrow::datatypes::{DataType as ArrowType, Int64Type};
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::Result;
use tidemark_sql::exec::batch::make_batch;
use tidemark_sql::exec::{ExecContext, ExecNode, ExecRef, Partition};
use tidemark_sql::expr::{Attribute, ExprId, Metadata, WindowKind};
use tidemark_sql::session::{Clock, SqlSession};
use tidemark_sql::types::{DataType, StructField};
use tidemark_vfs::{MemoryFs, SharedFs};

use super::aggregate::{Layout, STATE_STORE_SAVE, StateStoreRestoreExec, StateStoreSaveExec};
use super::columns::Columns;
use super::deduplicate::{self, Remembered, StreamingDeduplicateExec};
use super::event_time::EventTimeWatermarkExec;
use super::stateful::Stateful;
use super::*;

struct Midnight;

impl Clock for Midnight {
    fn now_us(&self) -> i64 {
        0
    }
}

fn attribute(name: &str, data_type: DataType, metadata: Metadata) -> Arc<Attribute> {
    Arc::new(Attribute {
        id: ExprId::fresh(),
        name: name.into(),
        data_type,
        nullable: true,
        qualifier: Vec::new(),
        metadata,
    })
}

fn event_time() -> Metadata {
    Metadata { watermark_delay_ms: Some(0), ..Metadata::default() }
}

/// Rows in hand, one partition; taken at the first execution.
#[derive(Debug)]
struct Rows {
    output: Vec<Arc<Attribute>>,
    batch: RefCell<Option<RecordBatch>>,
}

impl ExecNode for Rows {
    fn name(&self) -> String {
        "Rows".into()
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        Vec::new()
    }
    fn execute(&self, _ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        Ok(vec![self.batch.borrow_mut().take().into_iter().collect()])
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A query over one stream, run batch by batch.
struct Run {
    fs: SharedFs,
    query: Rc<StatefulQuery>,
    mode: OutputMode,
    columns: Vec<Arc<Attribute>>,
    /// Batches so far and the watermark of the last, ms.
    next: i64,
    watermark_ms: i64,
}

impl Run {
    fn new(mode: OutputMode, columns: Vec<Arc<Attribute>>) -> Self {
        let fs: SharedFs = Arc::new(MemoryFs::new());
        let query = Rc::new(StatefulQuery::new(fs.clone(), "/cp", "run", StreamingConf::default()));
        Self { fs, query, mode, columns, next: 0, watermark_ms: 0 }
    }

    /// Runs a batch under a watermark; `operator` puts the plan on top of the watermark node.
    fn batch(
        &mut self,
        watermark_ms: i64,
        rows: Option<Vec<ArrayRef>>,
        operator: impl FnOnce(&Rc<StatefulBatch>, ExecRef) -> ExecRef,
    ) -> (Vec<RecordBatch>, OperatorMetrics) {
        let session = SqlSession::new(self.fs.clone(), "/", Rc::new(Midnight), 1);
        let batch = StatefulBatch::new(
            self.query.clone(),
            self.next,
            self.next == 0,
            self.mode,
            1,
            self.watermark_ms,
            watermark_ms,
            0,
        );
        let batch = Rc::new(batch);
        let rows = rows.map(|columns| {
            let rows = columns[0].len();
            make_batch(&self.columns, columns, rows).unwrap()
        });
        let leaf: ExecRef = Arc::new(Rows { output: self.columns.clone(), batch: RefCell::new(rows) });
        let marked: ExecRef = Arc::new(EventTimeWatermarkExec {
            batch: batch.clone(),
            node: 0,
            ordinal: self.columns.len() - 1,
            shown_delay: String::new(),
            output: self.columns.clone(),
            child: leaf,
        });
        let plan = operator(&batch, marked);
        StatefulPlanner::new(batch.clone()).prepare(&plan).unwrap();
        let out = plan.execute(&ExecContext::new(&session)).unwrap().into_iter().flatten().collect();
        self.next += 1;
        self.watermark_ms = watermark_ms;
        (out, batch.operator_metrics().remove(0))
    }
}

const MINUTE: i64 = 60_000_000;

fn window_type() -> DataType {
    DataType::structure(vec![
        StructField::new("start", DataType::Timestamp, true),
        StructField::new("end", DataType::Timestamp, true),
    ])
}

/// Partial rows: window of the minute, count, event time.
fn windowed() -> Vec<Arc<Attribute>> {
    let window = Metadata { window: Some(WindowKind::Time), ..event_time() };
    vec![
        attribute("window", window_type(), window),
        attribute("count", DataType::Long, Metadata::default()),
        attribute("ts", DataType::Timestamp, Metadata::default()),
    ]
}

fn times(us: Vec<i64>) -> ArrayRef {
    Arc::new(TimestampMicrosecondArray::from(us).with_timezone("UTC"))
}

fn counts_by_minute(rows: &[(i64, i64)]) -> Option<Vec<ArrayRef>> {
    let ArrowType::Struct(fields) = window_type().to_arrow() else { panic!() };
    let starts: Vec<i64> = rows.iter().map(|(minute, _)| minute * MINUTE).collect();
    let ends = starts.iter().map(|start| start + MINUTE).collect();
    let window = StructArray::new(fields, vec![times(starts.clone()), times(ends)], None);
    let counts = Int64Array::from_iter_values(rows.iter().map(|(_, count)| *count));
    Some(vec![Arc::new(window), Arc::new(counts), times(starts)])
}

fn save(batch: &Rc<StatefulBatch>, child: ExecRef) -> ExecRef {
    let input = child.output().to_vec();
    let layout = Layout::new(&input, &input[..1], 2).unwrap();
    let schema = layout.schema(&input);
    let stateful = Stateful::new(batch, batch.next_operator_id(), STATE_STORE_SAVE, schema, &input, &[]).unwrap();
    let restore = StateStoreRestoreExec { stateful: stateful.clone(), layout: layout.clone(), child };
    Arc::new(StateStoreSaveExec { stateful, layout, child: Arc::new(restore) })
}

fn longs(batches: &[RecordBatch], column: usize) -> Vec<i64> {
    batches.iter().flat_map(|b| b.column(column).as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[test]
fn append_puts_a_window_out_when_the_watermark_reaches_its_end() {
    let mut run = Run::new(OutputMode::Append, windowed());
    let (out, metrics) = run.batch(0, counts_by_minute(&[(0, 5), (1, 7)]), save);
    assert_eq!((longs(&out, 1), metrics.num_rows_total), (vec![], 2));
    let (out, metrics) = run.batch(60_000, None, save);
    assert_eq!((longs(&out, 1), metrics.num_rows_total, metrics.num_rows_removed), (vec![5], 1, 1));
    // The row is late by the watermark of the batch before.
    let (out, metrics) = run.batch(60_000, counts_by_minute(&[(0, 1), (2, 2)]), save);
    assert!(out.is_empty());
    assert_eq!((metrics.num_rows_dropped_by_watermark, metrics.num_rows_updated, metrics.num_rows_total), (1, 1, 2));
}

#[test]
fn the_newest_watermark_does_not_make_rows_late() {
    let mut run = Run::new(OutputMode::Append, windowed());
    let (out, metrics) = run.batch(120_000, counts_by_minute(&[(0, 5)]), save);
    assert_eq!((longs(&out, 1), metrics.num_rows_dropped_by_watermark), (vec![5], 0));
}

#[test]
fn update_puts_out_what_came_in_and_forgets_what_is_closed() {
    let mut run = Run::new(OutputMode::Update, windowed());
    run.batch(0, counts_by_minute(&[(0, 5), (1, 7)]), save);
    let (out, metrics) = run.batch(60_000, counts_by_minute(&[(1, 1)]), save);
    // The restored row comes before the new one; merging them is the affair of the stage between.
    assert_eq!(longs(&out, 1), [7, 1]);
    assert_eq!((metrics.num_rows_total, metrics.num_rows_removed), (1, 1));
}

#[test]
fn complete_puts_out_everything_and_drops_nothing() {
    let mut run = Run::new(OutputMode::Complete, windowed());
    run.batch(60_000, counts_by_minute(&[(0, 5), (1, 7)]), save);
    let (out, metrics) = run.batch(600_000, counts_by_minute(&[(0, 6)]), save);
    let mut counts = longs(&out, 1);
    counts.sort_unstable();
    assert_eq!((counts, metrics.num_rows_dropped_by_watermark, metrics.num_rows_removed), (vec![6, 7], 0, 0));
}

fn keyed() -> Vec<Arc<Attribute>> {
    vec![attribute("k", DataType::String, Metadata::default()), attribute("ts", DataType::Timestamp, event_time())]
}

fn events(rows: &[(&str, i64)]) -> Option<Vec<ArrayRef>> {
    let keys = StringArray::from_iter_values(rows.iter().map(|(key, _)| *key));
    Some(vec![Arc::new(keys), times(rows.iter().map(|(_, minute)| minute * MINUTE).collect())])
}

fn dedupe(keys: usize, remembered: Remembered) -> impl Fn(&Rc<StatefulBatch>, ExecRef) -> ExecRef {
    move |batch, child| {
        let input = child.output().to_vec();
        let key = Columns::new(&input, (0..keys).collect());
        let schema = remembered.schema(&input[..keys]);
        let id = batch.next_operator_id();
        let stateful = Stateful::new(batch, id, deduplicate::DEDUPE, schema, &input, &deduplicate::METRICS).unwrap();
        Arc::new(StreamingDeduplicateExec { stateful, key, remembered, child })
    }
}

fn keys(batches: &[RecordBatch]) -> Vec<String> {
    batches.iter().flat_map(|b| b.column(0).as_string::<i32>().iter().flatten().map(str::to_owned)).collect()
}

#[test]
fn the_first_row_of_a_key_passes() {
    let mut run = Run::new(OutputMode::Append, keyed());
    let by_both = dedupe(2, Remembered::ByKey);
    let (out, metrics) = run.batch(0, events(&[("b", 1), ("a", 1), ("b", 1), ("b", 2)]), &by_both);
    assert_eq!(keys(&out), ["b", "a", "b"]);
    assert_eq!(metrics.custom["numDroppedDuplicateRows"], 1);
    let (_, metrics) = run.batch(60_000, None, &by_both);
    assert_eq!((metrics.num_rows_removed, metrics.num_rows_total), (2, 1));
    assert_eq!(metrics.custom["numRowsReadDuringEviction"], 3);
}

#[test]
fn a_key_is_remembered_for_the_delay() {
    let mut run = Run::new(OutputMode::Append, keyed());
    let within = dedupe(1, Remembered::Within { delay_us: 2 * MINUTE });
    let (out, _) = run.batch(0, events(&[("a", 1), ("a", 2)]), &within);
    assert_eq!(keys(&out), ["a"]);
    let (out, metrics) = run.batch(120_000, events(&[("a", 9)]), &within);
    assert_eq!((keys(&out).len(), metrics.num_rows_total), (0, 1));
    run.batch(180_000, None, &within);
    let (out, _) = run.batch(180_000, events(&[("a", 10)]), &within);
    assert_eq!(keys(&out), ["a"]);
}

#[test]
fn another_batch_is_wanted_when_the_watermark_would_move() {
    let run = Run::new(OutputMode::Append, windowed());
    let batch = Rc::new(StatefulBatch::new(run.query.clone(), 0, false, OutputMode::Append, 1, 0, 60_000, 0));
    let leaf: ExecRef = Arc::new(Rows { output: windowed(), batch: RefCell::new(None) });
    let marked: ExecRef = Arc::new(EventTimeWatermarkExec {
        batch: batch.clone(),
        node: 0,
        ordinal: 2,
        shown_delay: String::new(),
        output: leaf.output().to_vec(),
        child: leaf,
    });
    let plan = save(&batch, marked);
    StatefulPlanner::new(batch.clone()).prepare(&plan).unwrap();
    assert_eq!((batch.late(0).0, batch.eviction(0).0), (0, 60_000));
    assert!(!batch.should_run_another_batch(&plan, 60_000).unwrap());
    let batch = StatefulBatch::new(run.query.clone(), 1, false, OutputMode::Append, 1, 60_000, 60_000, 0);
    assert!(batch.should_run_another_batch(&plan, 90_000).unwrap());
}

#[test]
fn another_operator_on_an_old_checkpoint_is_refused() {
    let mut run = Run::new(OutputMode::Append, keyed());
    run.batch(0, events(&[("a", 1)]), dedupe(2, Remembered::ByKey));
    let batch = Rc::new(StatefulBatch::new(run.query.clone(), 1, true, OutputMode::Append, 1, 0, 0, 0));
    let leaf: ExecRef = Arc::new(Rows { output: windowed(), batch: RefCell::new(None) });
    let error = StatefulPlanner::new(batch.clone()).prepare(&save(&batch, leaf)).unwrap_err();
    assert!(
        error.to_string().contains(
            "Stateful operators in the metadata: [(OperatorId: 0 -> OperatorName: dedupe)]; Stateful operators in \
             current batch: [(OperatorId: 0 -> OperatorName: stateStoreSave)]."
        ),
        "{error}"
    );
}
