//! State rows of an operator for the state panel.

use std::rc::Rc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::types::{DataType, StructType};
use tidemark_sql::value::text::local_timestamp_to_string;

use super::nodes::{StateWriter, writers};
use crate::api::{StatePage, StateRowView};
use crate::state::{DEFAULT_STORE, StoreId, format_rows, unsafe_row};

/// Rows `offset .. offset + limit` of the operator's state after the batch that `plan` ran in, partition by partition in
/// the store's order. `committed`: the version to show (the batch's number plus one).
pub fn state_page(
    plan: &ExecRef,
    committed: i64,
    operator: usize,
    partition: Option<usize>,
    offset: usize,
    limit: usize,
) -> Result<StatePage> {
    let found = writers(plan).into_iter().find(|writer| writer.operator_id() == operator);
    let Some(writer) = found else {
        return Err(SparkError::internal(format!("the query has no stateful operator {operator}")));
    };
    let stateful = writer.stateful();
    let stores = writer.stores();
    // A join shows the store of its rows on each side, not that of their counts.
    let shown: Vec<_> = if stores.len() == 1 {
        stores
    } else {
        stores.into_iter().filter(|(name, _)| name.ends_with("keyWithIndexToValue")).collect()
    };
    let columns = |schema: &StructType| {
        schema.fields.iter().map(|f| (f.name.clone(), f.data_type.simple_string())).collect::<Vec<_>>()
    };
    let mut page = StatePage::default();
    if let Some((key, value)) = writer.panel_columns() {
        (page.key, page.value) = (key, value);
        let mut shown = Vec::new();
        let mut stores = stateful.batch.query.stores.borrow_mut();
        for place in stores.partitions(operator).into_iter().filter(|p| partition.is_none_or(|wanted| wanted == *p)) {
            for (key, value) in stores.rows(&StoreId::new(operator, place), &stateful.schema, committed)? {
                shown.extend(writer.panel_row(place, &key, &value)?);
            }
        }
        page.total = shown.len();
        page.rows = shown.into_iter().skip(offset).take(limit).collect();
        return Ok(page);
    }
    for (store, schema) in shown {
        let schema = Rc::new(schema);
        page.key = columns(&schema.key);
        page.value = columns(&schema.value);
        let partitions = {
            let stores = stateful.batch.query.stores.borrow();
            stores.partitions(operator).into_iter().filter(|p| partition.is_none_or(|wanted| wanted == *p)).collect()
        };
        let partitions: Vec<usize> = partitions;
        for partition in partitions {
            let id = if store == DEFAULT_STORE {
                StoreId::new(operator, partition)
            } else {
                StoreId::named(operator, partition, &store)
            };
            let rows = stateful.batch.query.stores.borrow_mut().rows(&id, &schema, committed)?;
            let start = page.total;
            page.total += rows.len();
            let skip = offset.saturating_sub(start).min(rows.len());
            let room = limit.saturating_sub(page.rows.len());
            let rows = &rows[skip..rows.len().min(skip + room)];
            let keys: Vec<&[u8]> = rows.iter().map(|(key, _)| &key[..]).collect();
            let values: Vec<&[u8]> = rows.iter().map(|(_, value)| &value[..]).collect();
            let texts = format_rows(&schema.key, &keys)?.into_iter().zip(format_rows(&schema.value, &values)?);
            for ((key, value), (key_row, value_row)) in texts.zip(rows) {
                let expiry = expiry_us(writer, &schema.key, key_row)
                    .or_else(|| expiry_us(writer, &schema.value, value_row))
                    .map(local_timestamp_to_string);
                page.rows.push(StateRowView { partition, key, value, expiry });
            }
        }
    }
    Ok(page)
}

/// When the row goes, µs: the end of its window, its event time, or the time that dropDuplicatesWithinWatermark noted.
fn expiry_us(writer: &dyn StateWriter, schema: &StructType, row: &[u8]) -> Option<i64> {
    let fields = schema.fields.len();
    if let Some(field) = schema.fields.iter().position(|f| f.name == "expiresAtMicros") {
        return unsafe_row::long_at(row, fields, field);
    }
    writer.stateful().event_time?;
    let field = schema.fields.iter().position(|f| f.metadata.contains("\"spark.watermarkDelayMs\""))?;
    match schema.fields[field].data_type {
        DataType::Struct(_) => unsafe_row::long_at(unsafe_row::bytes_at(row, fields, field)?, 2, 1),
        DataType::Timestamp | DataType::TimestampNtz => unsafe_row::long_at(row, fields, field),
        _ => None,
    }
}
