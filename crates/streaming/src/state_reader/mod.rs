//! spark.read over a checkpoint: the rows of a state store (StateDataSource) and the operators that have one
//! (StateMetadataSource).

mod options;
mod processors;

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, StringArray, StructArray};
use arrow::buffer::NullBuffer;
use arrow::record_batch::RecordBatch;
use tidemark_sql::catalog::attributes;
use tidemark_sql::dataframe::ReadSpec;
use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::expr::Attribute;
use tidemark_sql::plan::{LocalRelation, LogicalPlan, PlanRef};
use tidemark_sql::session::SqlSession;
use tidemark_sql::state_reader::StateReader;
use tidemark_sql::types::{DataType, StructField, StructType};
use tidemark_vfs::{SharedFs, join};

use self::options::{JoinSide, StateOptions, invalid, required};
use crate::batch::rows::record_batch;
use crate::checkpoint::{CommitLog, OffsetLog};
use crate::operators::StreamingConf;
use crate::sources::file::uri_to_path;
use crate::sources::option;
use crate::state::unsafe_row::decode_rows;
use crate::state::{DEFAULT_STORE, OperatorMetadata, StateSchema, StateStores, StoreId, StoreMetadata, read_metadata};

const SYMMETRIC_HASH_JOIN: &str = "symmetricHashJoin";

/// The reader that a session has.
pub(crate) struct CheckpointReader;

impl StateReader for CheckpointReader {
    fn read(&self, session: &SqlSession, format: &str, spec: &ReadSpec) -> Result<PlanRef> {
        if spec.schema.is_some() {
            let provider = if format == "statestore" { "StateDataSource" } else { "StateMetadataSource" };
            let condition = "_LEGACY_ERROR_TEMP_2242";
            return Err(SparkError::new(ErrorClass::UnsupportedOperation, condition, &[("provider", provider)]));
        }
        let path = spec.paths.first().map(String::as_str).or_else(|| option(&spec.options, "path"));
        let Some(path) = path else { return Err(required("path")) };
        let checkpoint = Checkpoint { fs: session.fs.clone(), folder: join(&session.cwd, &uri_to_path(path)) };
        if format == "statestore" { checkpoint.state(&spec.options) } else { checkpoint.operators(&spec.options) }
    }
}

/// Error of a checkpoint that no batch has committed to.
pub(crate) fn no_committed_batch(folder: &str) -> SparkError {
    let parameters = [("checkpointLocation", &*format!("file:{folder}"))];
    SparkError::runtime("STDS_COMMITTED_BATCH_UNAVAILABLE", &parameters)
}

struct Checkpoint {
    fs: SharedFs,
    /// Absolute.
    folder: String,
}

/// A row of a store, or a change of one.
struct Row {
    batch: i64,
    key: Vec<u8>,
    /// None: removed.
    value: Option<Vec<u8>>,
}

impl Checkpoint {
    fn last_batch(&self) -> Result<i64> {
        match CommitLog::existing(self.fs.clone(), &self.folder).latest()? {
            Some((id, _)) => Ok(id),
            None => Err(no_committed_batch(&self.folder)),
        }
    }

    fn committed(&self, batch: i64) -> Result<()> {
        if CommitLog::existing(self.fs.clone(), &self.folder).ids().contains(&batch) {
            return Ok(());
        }
        Err(no_committed_batch(&self.folder))
    }

    fn stores(&self, conf: StreamingConf) -> StateStores {
        StateStores::new(self.fs.clone(), &format!("{}/state", self.folder), "", conf)
    }

    /// The settings that the query had at a batch.
    fn conf(&self, batch: i64) -> Result<StreamingConf> {
        let log = OffsetLog::existing(self.fs.clone(), &self.folder);
        let Some(entry) = log.get(batch)? else {
            let parameters =
                [("batchId", &*batch.to_string()), ("checkpointLocation", &*format!("file:{}", self.folder))];
            return Err(SparkError::runtime("STDS_OFFSET_LOG_UNAVAILABLE", &parameters));
        };
        Ok(StreamingConf::read(&|key| entry.conf.iter().find(|(known, _)| known == key).map(|(_, v)| v.clone())))
    }

    /// Numbered folders below one of the state's.
    fn numbers(&self, folder: &str) -> Vec<usize> {
        let entries = self.fs.list(folder).unwrap_or_default();
        let mut numbers: Vec<usize> =
            entries.iter().filter(|e| e.metadata.is_dir).filter_map(|e| e.name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    fn metadata(&self, operator: usize) -> Option<OperatorMetadata> {
        read_metadata(&*self.fs, &format!("{}/state", self.folder), operator)
    }

    fn state(&self, given: &indexmap::IndexMap<String, String>) -> Result<PlanRef> {
        let options = StateOptions::read(given, &|| self.last_batch())?;
        let (first, end) = options.changes.unwrap_or((options.batch_id, options.batch_id));
        self.committed(first)?;
        self.committed(end)?;
        let no_schema = || {
            let text = options.text(&format!("file:{}", self.folder));
            SparkError::runtime("STDS_FAILED_TO_READ_STATE_SCHEMA", &[("sourceOptions", &text)])
        };
        if let Some(metadata) = self.metadata(options.operator) {
            check_names(&options, &metadata)?;
            if is_processor(&metadata.operator_name) {
                return self.processor_state(&options, &metadata, end);
            }
        }
        let store = match options.side {
            JoinSide::None => options.store.clone(),
            side => format!("{}-keyWithIndexToValue", side.name()),
        };
        let conf = self.conf(end)?;
        let mut stores = self.stores(conf);
        let schema = stores.stored_schema(options.operator, &store).map_err(|_| no_schema())?;
        let partitions = match options.snapshot {
            Some((_, partition)) => vec![partition],
            None => self.numbers(&format!("{}/state/{}", self.folder, options.operator)),
        };
        if partitions.is_empty() {
            let text = options.text(&format!("file:{}", self.folder));
            return Err(SparkError::runtime(
                "STDS_NO_PARTITION_DISCOVERED_IN_STATE_STORE",
                &[("sourceOptions", &text)],
            ));
        }
        let schema = Rc::new(schema);
        let mut rows = Vec::new();
        for partition in partitions {
            let id = StoreId::named(options.operator, partition, &store);
            let found = match options.changes {
                Some((first, end)) => stores
                    .changes(&id, first + 1, end + 1)?
                    .into_iter()
                    .map(|(version, key, value)| Row { batch: version - 1, key, value })
                    .collect(),
                None => match options.snapshot {
                    Some((start, _)) => stores.rows_from_snapshot(&id, &schema, start + 1, options.batch_id + 1)?,
                    None => stores.rows(&id, &schema, options.batch_id + 1)?,
                }
                .into_iter()
                .map(|(key, value)| Row { batch: options.batch_id, key, value: Some(value) })
                .collect(),
            };
            rows.push((partition, found));
        }
        table(&schema, &options, &rows)
    }

    /// The state-metadata reader.
    fn operators(&self, given: &indexmap::IndexMap<String, String>) -> Result<PlanRef> {
        let ids = CommitLog::existing(self.fs.clone(), &self.folder).ids();
        let (Some(first), Some(last)) = (ids.first(), ids.last()) else {
            return Err(no_committed_batch(&self.folder));
        };
        if let Some(text) = option(given, "batchId") {
            let batch: i64 = text
                .parse()
                .map_err(|_| SparkError::plain(ErrorClass::NumberFormat, format!("For input string: \"{text}\"")))?;
            self.committed(batch)?;
        }
        let schema = StructType::new(vec![
            StructField::new("operatorId", DataType::Long, true),
            StructField::new("operatorName", DataType::String, true),
            StructField::new("stateStoreName", DataType::String, true),
            StructField::new("numPartitions", DataType::Integer, true),
            StructField::new("minBatchId", DataType::Long, true),
            StructField::new("maxBatchId", DataType::Long, true),
            StructField::new("operatorProperties", DataType::String, true),
        ]);
        let mut found = Vec::new();
        for operator in self.numbers(&format!("{}/state", self.folder)) {
            let Some(metadata) = self.metadata(operator) else { continue };
            let properties = metadata.properties.clone();
            let row =
                |store: &StoreMetadata| (operator, metadata.operator_name.clone(), store.clone(), properties.clone());
            found.extend(metadata.stores.iter().map(row));
        }
        let count = found.len();
        let long = |n: i64| Arc::new(Int64Array::from(vec![n; count])) as ArrayRef;
        let ids: Int64Array = found.iter().map(|(id, ..)| i64::try_from(*id).ok()).collect();
        let names: StringArray = found.iter().map(|(_, name, ..)| Some(name.clone())).collect();
        let stores: StringArray = found.iter().map(|(_, _, store, _)| Some(store.name.clone())).collect();
        let partitions: Int32Array =
            found.iter().map(|(_, _, store, _)| i32::try_from(store.partitions).ok()).collect();
        let columns: Vec<ArrayRef> = vec![
            Arc::new(ids),
            Arc::new(names),
            Arc::new(stores),
            Arc::new(partitions),
            long(*first),
            long(*last),
            Arc::new(found.iter().map(|(.., properties)| properties.clone()).collect::<StringArray>()),
        ];
        let output = attributes(&schema);
        let batch = record_batch(&output, columns)?;
        Ok(relation(output, vec![vec![batch]]))
    }
}

/// Whether an operator of this name is transformWithState.
fn is_processor(operator: &str) -> bool {
    operator.starts_with("transformWithState")
}

/// Store and variable names that the operator does not have (StateDataSource.runStateVarChecks).
fn check_names(options: &StateOptions, metadata: &OperatorMetadata) -> Result<()> {
    let operator = &metadata.operator_name;
    let joins = operator == SYMMETRIC_HASH_JOIN;
    let known = metadata.stores.iter().any(|store| store.name == options.store);
    if is_processor(operator) {
        return Ok(());
    }
    if options.state_var.is_some() || (!joins && options.store != DEFAULT_STORE && !known) {
        let message = format!(
            "Providing state variable names is only supported with the transformWithState operator. Found \
             operator={operator}. Please remove this option and re-run the query."
        );
        return Err(invalid("stateVarName", &message));
    }
    if options.timers {
        let message = format!(
            "Providing readRegisteredTimers=true is only supported with the transformWithState operator. Found \
             operator={operator}. Please remove this option and re-run the query."
        );
        return Err(invalid("readRegisteredTimers", &message));
    }
    Ok(())
}

fn relation(output: Vec<Arc<Attribute>>, partitions: Vec<Vec<RecordBatch>>) -> PlanRef {
    Arc::new(LogicalPlan::LocalRelation(LocalRelation { output, partitions: Arc::new(partitions), from_rdd: true }))
}

/// Rows by partition as key, value and partition id; a change feed has batch and kind of change before them.
fn table(schema: &StateSchema, options: &StateOptions, rows: &[(usize, Vec<Row>)]) -> Result<PlanRef> {
    // The rows of a join side are shown without what the operator adds: an index to the key, and whether there was a match.
    let without_last = |structure: &StructType| match options.side {
        JoinSide::None => structure.clone(),
        _ => StructType::new(structure.fields.split_last().map(|(_, rest)| rest.to_vec()).unwrap_or_default()),
    };
    let (key, value) = (without_last(&schema.key), without_last(&schema.value));
    let mut fields = Vec::new();
    if options.changes.is_some() {
        fields.push(StructField::new("batch_id", DataType::Long, true));
        fields.push(StructField::new("change_type", DataType::String, true));
    }
    fields.push(StructField::new("key", DataType::Struct(Arc::new(key.clone())), true));
    fields.push(StructField::new("value", DataType::Struct(Arc::new(value.clone())), true));
    fields.push(StructField::new("partition_id", DataType::Integer, true));
    let output = attributes(&StructType::new(fields));
    let mut partitions = Vec::new();
    for (partition, rows) in rows {
        let mut columns: Vec<ArrayRef> = Vec::new();
        if options.changes.is_some() {
            columns.push(Arc::new(rows.iter().map(|row| Some(row.batch)).collect::<Int64Array>()));
            let kind = |row: &Row| if row.value.is_some() { "update" } else { "delete" };
            columns.push(Arc::new(rows.iter().map(|row| Some(kind(row))).collect::<StringArray>()));
        }
        let keys: Vec<Option<&[u8]>> = rows.iter().map(|row| Some(&*row.key)).collect();
        let values: Vec<Option<&[u8]>> = rows.iter().map(|row| row.value.as_deref()).collect();
        columns.push(structs(&schema.key_types(), &key, &keys)?);
        columns.push(structs(&schema.value_types(), &value, &values)?);
        let partition = i32::try_from(*partition).unwrap_or(i32::MAX);
        columns.push(Arc::new(Int32Array::from(vec![partition; rows.len()])));
        partitions.push(vec![record_batch(&output, columns)?]);
    }
    Ok(relation(output, partitions))
}

/// Rows of bytes as a struct column of their first fields.
fn structs(types: &[DataType], shown: &StructType, rows: &[Option<&[u8]>]) -> Result<ArrayRef> {
    let present: Vec<&[u8]> = rows.iter().flatten().copied().collect();
    let mut columns = decode_rows(types, &present)?;
    columns.truncate(shown.fields.len());
    if present.len() < rows.len() {
        let mut next = 0;
        let places: arrow::array::UInt32Array = rows
            .iter()
            .map(|row| {
                row.map(|_| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        columns = columns.iter().map(|c| arrow::compute::take(c, &places, None)).collect::<Result<_, _>>()?;
    }
    let nulls: NullBuffer = rows.iter().map(Option::is_some).collect();
    Ok(Arc::new(StructArray::try_new_with_length(shown.to_arrow_fields(), columns, Some(nulls), rows.len())?))
}
