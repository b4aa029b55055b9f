//! The state of transformWithState: a variable by its name, or the registered timers (SchemaUtil, StatePartitionReader).

use std::rc::Rc;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array, ListArray, MapArray, StringArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType as ArrowType;
use tidemark_sql::catalog::attributes;
use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::plan::PlanRef;
use tidemark_sql::types::{DataType, StructField, StructType};

use super::options::{StateOptions, invalid, required};
use super::{Checkpoint, Row, relation, structs};
use crate::batch::rows::record_batch;
use crate::operators::transform::reading::{Kind, Properties, family, items, split, timers};
use crate::state::unsafe_row::{decode_rows, long_at};
use crate::state::{DEFAULT_STORE, OperatorMetadata, StateSchema, StoreId};

/// What is read.
enum Wanted {
    Variable(Kind),
    Timers,
}

fn structure(schema: &StructType) -> DataType {
    DataType::Struct(Arc::new(schema.clone()))
}

/// The type of a field of a composite key.
fn field_type(schema: &StructType, name: &str) -> Result<StructType> {
    match schema.fields.iter().find(|field| field.name == name).map(|field| &field.data_type) {
        Some(DataType::Struct(found)) => Ok((**found).clone()),
        _ => Err(SparkError::internal(format!("a state key without {name}"))),
    }
}

impl Checkpoint {
    pub(super) fn processor_state(
        &self,
        options: &StateOptions,
        metadata: &OperatorMetadata,
        batch: i64,
    ) -> Result<PlanRef> {
        let properties = metadata.properties.as_deref().and_then(Properties::read);
        let Some(properties) = properties else {
            return Err(invalid(
                "stateVarName",
                "No state variable names are defined for the transformWithState operator",
            ));
        };
        let (name, wanted) = if options.timers {
            if properties.time_mode == "NoTime" {
                let text = "Registered timers are not available in TimeMode=None.";
                return Err(invalid("readRegisteredTimers", text));
            }
            (timers(&properties.time_mode).to_owned(), Wanted::Timers)
        } else {
            let Some(name) = &options.state_var else { return Err(required("stateVarName")) };
            let Some((_, kind)) = properties.variables.iter().find(|(known, _)| known == name) else {
                let text = format!("State variable {name} is not defined for the transformWithState operator.");
                return Err(invalid("stateVarName", &text));
            };
            (name.clone(), Wanted::Variable(*kind))
        };
        let mut stores = self.stores(self.conf(batch)?);
        let stored = match wanted {
            Wanted::Timers => DEFAULT_STORE,
            Wanted::Variable(_) => &name,
        };
        let schema = Rc::new(stores.stored_schema(options.operator, stored)?);
        let prefix = family(&name);
        let mut partitions = Vec::new();
        for partition in self.numbers(&format!("{}/state/{}", self.folder, options.operator)) {
            let id = StoreId::new(options.operator, partition);
            let mut rows: Vec<Row> = match options.changes {
                Some((first, end)) => stores
                    .changes(&id, first + 1, end + 1)?
                    .into_iter()
                    .map(|(version, key, value)| Row { batch: version - 1, key, value })
                    .collect(),
                None => stores
                    .rows(&id, &schema, options.batch_id + 1)?
                    .into_iter()
                    .map(|(key, value)| Row { batch: options.batch_id, key, value: Some(value) })
                    .collect(),
            };
            rows.retain_mut(|row| match row.key.strip_prefix(&*prefix) {
                Some(rest) => {
                    row.key = rest.to_vec();
                    true
                }
                None => false,
            });
            partitions.push((partition, rows));
        }
        table(&schema, options, &wanted, &partitions)
    }
}

/// Columns of one partition.
struct Columns {
    fields: Vec<StructField>,
    arrays: Vec<ArrayRef>,
}

impl Columns {
    fn push(&mut self, name: &str, data_type: DataType, array: ArrayRef) {
        self.fields.push(StructField::new(name, data_type, true));
        self.arrays.push(array);
    }
}

fn table(
    schema: &StateSchema,
    options: &StateOptions,
    wanted: &Wanted,
    partitions: &[(usize, Vec<Row>)],
) -> Result<PlanRef> {
    let mut output = Vec::new();
    let mut batches = Vec::new();
    for (partition, rows) in partitions {
        let mut columns = Columns { fields: Vec::new(), arrays: Vec::new() };
        let count = match wanted {
            Wanted::Timers => timer_rows(schema, rows, &mut columns)?,
            Wanted::Variable(kind) => variable_rows(schema, options, *kind, rows, &mut columns)?,
        };
        let partition = i32::try_from(*partition).unwrap_or(i32::MAX);
        columns.push("partition_id", DataType::Integer, Arc::new(Int32Array::from(vec![partition; count])));
        if output.is_empty() {
            output = attributes(&StructType::new(columns.fields));
        }
        batches.push(vec![record_batch(&output, columns.arrays)?]);
    }
    Ok(relation(output, batches))
}

/// A row with one struct in it, as map and timer keys have it.
fn nested(schema: &StructType, rows: &[&[u8]]) -> Result<ArrayRef> {
    let mut columns = decode_rows(&[structure(schema)], rows)?;
    if columns.is_empty() { Err(SparkError::internal("a key without a struct")) } else { Ok(columns.remove(0)) }
}

fn plain(schema: &StructType, rows: &[Option<&[u8]>]) -> Result<ArrayRef> {
    let types: Vec<DataType> = schema.fields.iter().map(|field| field.data_type.clone()).collect();
    structs(&types, schema, rows)
}

fn timer_rows(schema: &StateSchema, rows: &[Row], columns: &mut Columns) -> Result<usize> {
    let found: Vec<(&[u8], &[u8])> = rows.iter().filter_map(|row| split(&row.key)).collect();
    let keys: Vec<&[u8]> = found.iter().map(|(key, _)| *key).collect();
    let times: Int64Array = found.iter().map(|(_, time)| long_at(time, 1, 0)).collect();
    columns.push("key", structure(&schema.key), nested(&schema.key, &keys)?);
    columns.push("expiration_timestamp_ms", DataType::Long, Arc::new(times));
    Ok(found.len())
}

fn variable_rows(
    schema: &StateSchema,
    options: &StateOptions,
    kind: Kind,
    rows: &[Row],
    columns: &mut Columns,
) -> Result<usize> {
    let flatten = options.flatten || options.changes.is_some();
    // Each row of a list is a row of its own where it is flattened.
    let mut flat: Vec<(&Row, Option<&[u8]>)> = Vec::new();
    let mut lengths = Vec::new();
    for row in rows {
        match (&row.value, kind) {
            (Some(value), Kind::List) => {
                let items = items(value);
                lengths.push(items.len());
                flat.extend(items.into_iter().map(|item| (row, Some(item))));
            }
            (value, _) => flat.push((row, value.as_deref())),
        }
    }
    let values: Vec<Option<&[u8]>> = flat.iter().map(|(_, value)| *value).collect();
    let values = plain(&schema.value, &values)?;
    let value_type = structure(&schema.value);
    if options.changes.is_some() {
        let kind = |value: &Option<&[u8]>| if value.is_some() { "update" } else { "delete" };
        let batches: Int64Array = flat.iter().map(|(row, _)| Some(row.batch)).collect();
        let kinds: StringArray = flat.iter().map(|(_, value)| Some(kind(value))).collect();
        columns.push("batch_id", DataType::Long, Arc::new(batches));
        columns.push("change_type", DataType::String, Arc::new(kinds));
    }
    match kind {
        Kind::Value => {
            columns.push("key", structure(&schema.key), grouping_keys(schema, flat.iter().map(|(row, _)| *row))?);
            columns.push("value", value_type, values);
            Ok(flat.len())
        }
        Kind::List if flatten => {
            columns.push("key", structure(&schema.key), grouping_keys(schema, flat.iter().map(|(row, _)| *row))?);
            columns.push("list_element", value_type, values);
            Ok(flat.len())
        }
        Kind::List => {
            columns.push("key", structure(&schema.key), grouping_keys(schema, rows.iter())?);
            let list = DataType::Array { element: Arc::new(value_type), contains_null: true };
            let ArrowType::List(field) = list.to_arrow() else { return Err(SparkError::internal("a list's type")) };
            let array = ListArray::try_new(field, OffsetBuffer::from_lengths(lengths), values, None)?;
            columns.push("list_value", list, Arc::new(array));
            Ok(rows.len())
        }
        Kind::Map => map_rows(schema, flatten, &flat, values, columns),
    }
}

fn grouping_keys<'a>(schema: &StateSchema, rows: impl Iterator<Item = &'a Row>) -> Result<ArrayRef> {
    plain(&schema.key, &rows.map(|row| Some(&*row.key)).collect::<Vec<_>>())
}

fn map_rows(
    schema: &StateSchema,
    flatten: bool,
    flat: &[(&Row, Option<&[u8]>)],
    values: ArrayRef,
    columns: &mut Columns,
) -> Result<usize> {
    let (grouping, user) = (field_type(&schema.key, "key")?, field_type(&schema.key, "userKey")?);
    let found: Vec<(&[u8], &[u8])> = flat.iter().filter_map(|(row, _)| split(&row.key)).collect();
    if found.len() != flat.len() {
        return Err(SparkError::internal("a map's key without its user key"));
    }
    let user_keys = nested(&user, &found.iter().map(|(_, key)| *key).collect::<Vec<_>>())?;
    let value_type = structure(&schema.value);
    if flatten {
        let keys: Vec<&[u8]> = found.iter().map(|(key, _)| *key).collect();
        columns.push("key", structure(&grouping), nested(&grouping, &keys)?);
        columns.push("user_map_key", structure(&user), user_keys);
        columns.push("user_map_value", value_type, values);
        return Ok(found.len());
    }
    // The rows of one grouping key lie together.
    let groups: Vec<(&[u8], usize)> =
        found.chunk_by(|a, b| a.0 == b.0).map(|group| (group[0].0, group.len())).collect();
    let keys: Vec<&[u8]> = groups.iter().map(|(key, _)| *key).collect();
    let map = DataType::map(structure(&user), value_type, true);
    let ArrowType::Map(entries, sorted) = map.to_arrow() else { return Err(SparkError::internal("a map's type")) };
    let ArrowType::Struct(fields) = entries.data_type() else { return Err(SparkError::internal("a map's entries")) };
    let pairs = StructArray::try_new(fields.clone(), vec![user_keys, values], None)?;
    let offsets = OffsetBuffer::from_lengths(groups.iter().map(|(_, len)| *len));
    columns.push("key", structure(&grouping), nested(&grouping, &keys)?);
    columns.push("map_value", map, Arc::new(MapArray::try_new(entries, offsets, pairs, None, sorted)?));
    Ok(groups.len())
}
