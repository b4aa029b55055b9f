//! Rows as JSON: observed metrics in progress reports, and source rows for the page.

use arrow::array::Array;
use arrow::record_batch::RecordBatch;
use serde_json::{Map, Value as Json};
use tidemark_sql::functions::datetime::zone::Zone;
use tidemark_sql::types::{DataType, StructField, StructType};
use tidemark_sql::value::text::{decimal_to_string, local_timestamp_to_string, time_to_string};
use tidemark_sql::value::{Value, value_at};

use crate::progress::format_ms;

/// One row as an object as Spark prints it (Row.jsonValue): times are of the zone and have whole seconds.
pub(crate) fn metrics_json(batch: &RecordBatch, columns: &[(String, DataType)], zone: &Zone) -> Json {
    let mut object = Map::new();
    for (array, (name, data_type)) in batch.columns().iter().zip(columns) {
        let json = metric(&value_at(array.as_ref(), 0, data_type), data_type, zone);
        object.insert(name.clone(), json);
    }
    Json::Object(object)
}

fn metric(value: &Value, data_type: &DataType, zone: &Zone) -> Json {
    let seconds = |local: i64| Json::from(local_timestamp_to_string(local - local.rem_euclid(1_000_000)));
    match (value, data_type) {
        (Value::Timestamp(us), _) => seconds(zone.to_local(*us)),
        (Value::TimestampNtz(us), _) => seconds(*us),
        (Value::Array(items), DataType::Array { element, .. }) => {
            items.iter().map(|item| metric(item, element, zone)).collect()
        }
        (Value::Struct(values), DataType::Struct(fields)) => {
            let fields = fields.fields.iter().zip(values.iter());
            Json::Object(fields.map(|(field, v)| (field.name.clone(), metric(v, &field.data_type, zone))).collect())
        }
        _ => value_json(value, data_type),
    }
}

/// One row for a listener, whose values are those of the script's language: the type as JSON, and the values as Spark has
/// them inside (days, microseconds, decimals as text, rows and maps as lists).
pub(crate) fn internal_json(batch: &RecordBatch, columns: &[(String, DataType)]) -> Json {
    let fields = columns.iter().map(|(name, data_type)| StructField::new(name, data_type.clone(), true)).collect();
    let schema = StructType::new(fields);
    let values: Vec<Json> = batch
        .columns()
        .iter()
        .zip(columns)
        .map(|(array, (_, data_type))| internal(&value_at(array.as_ref(), 0, data_type)))
        .collect();
    serde_json::json!({ "schema": schema.json(), "row": values })
}

fn internal(value: &Value) -> Json {
    match value {
        Value::Decimal(unscaled, _, scale) => decimal_to_string(*unscaled, *scale).into(),
        Value::Date(days) => (*days).into(),
        Value::Timestamp(us) | Value::TimestampNtz(us) => (*us).into(),
        Value::Array(items) => items.iter().map(internal).collect(),
        Value::Struct(values) => values.iter().map(internal).collect(),
        Value::Map(entries) => entries.iter().map(|(k, v)| Json::from(vec![internal(k), internal(v)])).collect(),
        other => value_json(other, &DataType::Null),
    }
}

/// One row as an object, fields in column order.
pub(crate) fn row_json(batch: &RecordBatch, row: usize, columns: &[(String, DataType)]) -> Json {
    let mut object = Map::new();
    for (array, (name, data_type)) in batch.columns().iter().zip(columns) {
        object.insert(name.clone(), cell(array.as_ref(), row, data_type));
    }
    Json::Object(object)
}

fn cell(array: &dyn Array, row: usize, data_type: &DataType) -> Json {
    value_json(&value_at(array, row, data_type), data_type)
}

/// "2026-02-14T10:00:00.123456Z"; milliseconds when there is nothing finer.
fn micros_text(us: i64) -> String {
    let text = format_ms(us.div_euclid(1000));
    match us.rem_euclid(1000) {
        0 => text,
        rest => format!("{}{rest:03}Z", text.trim_end_matches('Z')),
    }
}

fn value_json(value: &Value, data_type: &DataType) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(v) => (*v).into(),
        Value::Byte(v) => (*v).into(),
        Value::Short(v) => (*v).into(),
        Value::Integer(v) => (*v).into(),
        Value::Long(v) => (*v).into(),
        Value::Float(v) => f64::from(*v).into(),
        Value::Double(v) => (*v).into(),
        Value::Decimal(unscaled, _, scale) => {
            let text = decimal_to_string(*unscaled, *scale);
            text.parse::<f64>().map_or_else(|_| text.into(), Json::from)
        }
        Value::String(v) => (**v).into(),
        Value::Binary(v) => v.iter().map(|byte| Json::from(*byte)).collect(),
        Value::Date(days) => format_ms(i64::from(*days) * 86_400_000).chars().take(10).collect::<String>().into(),
        Value::Timestamp(us) => micros_text(*us).into(),
        Value::TimestampNtz(us) => micros_text(*us).trim_end_matches('Z').into(),
        Value::Time(nanos) => time_to_string(*nanos).into(),
        Value::YearMonthInterval(months) => (*months).into(),
        Value::DayTimeInterval(us) => (*us).into(),
        Value::CalendarInterval { months, days, micros } => format!("{months} months {days} days {micros} us").into(),
        Value::Array(items) => {
            let DataType::Array { element, .. } = data_type else { return Json::Null };
            items.iter().map(|item| value_json(item, element)).collect()
        }
        Value::Map(entries) => {
            let DataType::Map { key, value, .. } = data_type else { return Json::Null };
            let mut object = Map::new();
            for (k, v) in entries.iter() {
                let name = match value_json(k, key) {
                    Json::String(text) => text,
                    other => other.to_string(),
                };
                object.insert(name, value_json(v, value));
            }
            Json::Object(object)
        }
        Value::Struct(values) => {
            let DataType::Struct(fields) = data_type else { return Json::Null };
            struct_json(values, fields)
        }
        Value::Variant { value, .. } => format!("variant of {} bytes", value.len()).into(),
    }
}

fn struct_json(values: &[Value], fields: &StructType) -> Json {
    let fields = fields.fields.iter().zip(values);
    Json::Object(fields.map(|(field, value)| (field.name.clone(), value_json(value, &field.data_type))).collect())
}
