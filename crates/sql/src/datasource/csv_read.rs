//! CSV files to batches: fields to values, parse modes, headers (UnivocityParser, CSVDataSource).

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;

use super::csv_tokens::CsvFormat;
use super::json_read::{Mode, corrupt_column};
use super::options::text;
use super::read::ReadTask;
use super::splits::FileSplit;
use super::times::Times;
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::batch::{BATCH_ROWS, make_batch};
use crate::exec::bind::eval_condition;
use crate::functions::EvalContext;
use crate::functions::cast::parse::{fit_decimal, parse_decimal};
use crate::types::{DataType, StructType};
use crate::value::{Value, ValueBuilder};

/// Conversions of CSV fields (UnivocityParser.makeConverter).
pub(crate) struct Conversion {
    times: Times,
    nan: String,
    positive_inf: String,
    negative_inf: String,
}

impl Conversion {
    pub(crate) fn of(
        options: &super::options::Options,
        conf: &crate::conf::SqlConf,
        columns: &StructType,
    ) -> Result<Self> {
        let own = |key: &str, default: &str| text(options, key).unwrap_or(default).to_owned();
        Ok(Self {
            times: Times::of(options, conf, columns)?,
            nan: own("nanvalue", "NaN"),
            positive_inf: own("positiveinf", "Inf"),
            negative_inf: own("negativeinf", "-Inf"),
        })
    }

    fn double(&self, field: &str) -> Option<f64> {
        match field {
            f if f == self.nan => Some(f64::NAN),
            f if f == self.positive_inf || f == "Infinity" => Some(f64::INFINITY),
            f if f == self.negative_inf || f == "-Infinity" => Some(f64::NEG_INFINITY),
            // Java's parser takes a trailing type letter and surrounding spaces.
            f => f.trim().trim_end_matches(['d', 'D', 'f', 'F']).parse().ok(),
        }
    }

    /// A field as a value; None: it does not fit.
    pub(crate) fn value(&self, field: &str, t: &DataType) -> Option<Value> {
        let plain = field.strip_prefix('+').filter(|r| r.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(field);
        Some(match t {
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => Value::String(field.into()),
            DataType::Boolean if field.eq_ignore_ascii_case("true") => Value::Boolean(true),
            DataType::Boolean if field.eq_ignore_ascii_case("false") => Value::Boolean(false),
            DataType::Byte => Value::Byte(plain.parse().ok()?),
            DataType::Short => Value::Short(plain.parse().ok()?),
            DataType::Integer => Value::Integer(plain.parse().ok()?),
            DataType::Long => Value::Long(plain.parse().ok()?),
            DataType::Float => Value::Float(self.double(field)? as f32),
            DataType::Double => Value::Double(self.double(field)?),
            DataType::Decimal { precision, scale } => {
                let (unscaled, from) = parse_decimal(field.trim())?;
                Value::Decimal(fit_decimal(unscaled, from, *precision, *scale)?, *precision, *scale)
            }
            DataType::Date => Value::Date(self.times.date(field)?),
            DataType::Timestamp => Value::Timestamp(self.times.timestamp(field)?),
            DataType::TimestampNtz => Value::TimestampNtz(self.times.timestamp_ntz(field)?),
            DataType::Time(_) => Value::Time(crate::functions::cast::parse_time(field)?),
            DataType::Binary => Value::binary(field.as_bytes().to_vec()),
            _ => return None,
        })
    }
}

struct Rows<'t> {
    task: &'t ReadTask<'t>,
    format: CsvFormat,
    mode: Mode,
    conversion: Conversion,
    /// For each required column the position of its field; None: the column for malformed records.
    positions: Vec<Option<usize>>,
    /// Fields that a whole record has.
    width: usize,
    builders: Vec<ValueBuilder>,
    malformed: Vec<bool>,
    rows: usize,
}

pub(super) fn read(
    task: &ReadTask<'_>,
    content: &[u8],
    split: &FileSplit,
    separator: Option<&[u8]>,
    emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let options = &task.relation.options;
    let format = CsvFormat::of(options)?;
    let corrupt = corrupt_column(options, task.conf);
    let data: Vec<_> = task
        .relation
        .data_schema
        .fields
        .iter()
        .filter(|f| !(f.name == corrupt && f.data_type == DataType::String))
        .collect();
    let positions = task.required.fields.iter().map(|r| data.iter().position(|f| f.name == r.name)).collect::<Vec<_>>();
    let mut rows = Rows {
        mode: Mode::of(options),
        conversion: Conversion::of(options, task.conf, task.required)?,
        builders: task.required.fields.iter().map(|f| ValueBuilder::new(&f.data_type, 0)).collect(),
        width: data.len(),
        positions,
        malformed: Vec::new(),
        rows: 0,
        format,
        task,
    };
    let mut header = rows.format.header && split.start == 0;
    if rows.format.multi_line {
        let frozen = usize::try_from(split.file.len).unwrap_or(usize::MAX).min(content.len());
        let whole = String::from_utf8_lossy(&content[..frozen]).into_owned();
        for record in rows.format.clone().records(whole.strip_prefix('\u{feff}').unwrap_or(&whole)) {
            if rows.format.skips(record) || std::mem::take(&mut header) {
                continue;
            }
            rows.record(record, emit)?;
        }
    } else {
        for line in super::text::lines(content, split, separator) {
            let line = String::from_utf8_lossy(line);
            if rows.format.skips(&line) || std::mem::take(&mut header) {
                continue;
            }
            rows.record(&line, emit)?;
        }
    }
    rows.flush(emit)
}

impl Rows<'_> {
    fn record(&mut self, record: &str, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let fields = self.format.fields(record);
        // With nothing to parse the number of fields is not looked at (column pruning).
        let mut bad = !self.positions.is_empty() && fields.len() != self.width;
        let mut values = Vec::with_capacity(self.positions.len());
        for (at, field) in self.positions.iter().zip(&self.task.required.fields) {
            let value = match at.and_then(|i| fields.get(i)) {
                Some(Some(shown)) => self.conversion.value(shown, &field.data_type).unwrap_or_else(|| {
                    bad = true;
                    Value::Null
                }),
                _ => Value::Null,
            };
            values.push(value);
        }
        if bad {
            match self.mode {
                Mode::DropMalformed => return Ok(()),
                Mode::FailFast => {
                    return Err(SparkError::new(
                        ErrorClass::Spark,
                        "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                        &[("badRecord", record), ("failFastMode", "FAILFAST")],
                    ));
                }
                Mode::Permissive => {}
            }
        }
        for ((builder, value), at) in self.builders.iter_mut().zip(&values).zip(&self.positions) {
            match at {
                None if bad => builder.append(&Value::from(record))?,
                _ => builder.append(value)?,
            }
        }
        self.malformed.push(bad);
        self.rows += 1;
        if self.rows >= BATCH_ROWS { self.flush(emit) } else { Ok(()) }
    }

    fn flush(&mut self, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows == 0 {
            return Ok(());
        }
        let columns: Vec<ArrayRef> = self.builders.iter_mut().map(ValueBuilder::finish).collect::<Result<_>>()?;
        let batch = make_batch(&crate::catalog::attributes(self.task.required), columns, rows)?;
        let malformed = std::mem::take(&mut self.malformed);
        if self.task.pushed.is_empty() {
            return emit(batch);
        }
        let ctx = EvalContext { conf: self.task.conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
        let mut keep = vec![true; rows];
        for filter in self.task.pushed {
            let passes = eval_condition(filter, &batch, &ctx)?;
            for (row, keep) in keep.iter_mut().enumerate() {
                *keep &= malformed[row] || passes.value(row);
            }
        }
        let kept = filter_record_batch(&batch, &BooleanArray::from(keep))?;
        if kept.num_rows() == 0 { Ok(()) } else { emit(kept) }
    }
}

/// Names of the columns of a header line: blanks and repeats get numbers (CSVUtils.makeSafeHeader).
pub(super) fn safe_header(fields: &[Option<String>], header: bool, same: &dyn Fn(&str, &str) -> bool) -> Vec<Arc<str>> {
    fields
        .iter()
        .enumerate()
        .map(|(i, field)| match field {
            Some(name) if header && !name.is_empty() => {
                let repeats = fields.iter().flatten().filter(|other| same(other, name)).count() > 1;
                if repeats { format!("{name}{i}").into() } else { name.as_str().into() }
            }
            _ => format!("_c{i}").into(),
        })
        .collect()
}
