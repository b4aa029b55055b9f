//! CSV files to batches: fields to values, parse modes, headers (UnivocityParser, CSVDataSource).

use std::sync::Arc;

use arrow::array::{
    ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, PrimitiveArray, StringArray, new_null_array,
};
use arrow::compute::filter_record_batch;
use arrow::datatypes as at;
use arrow::record_batch::RecordBatch;

use super::charset::Charset;
use super::csv_tokens::CsvFormat;
use super::json_read::{Mode, corrupt_column};
use super::options::{flag, text};
use super::read::ReadTask;
use super::splits::FileSplit;
use super::times::Times;
use crate::conf::SqlConf;
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
    /// Whether the option `dateFormat` says what a date is.
    own_dates: bool,
    /// Whether times without a zone are looked for when types are found (spark.sql.timestampType).
    pub(super) prefers_ntz: bool,
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
            own_dates: options.contains_key("dateformat"),
            prefers_ntz: conf.get("spark.sql.timestampType").is_some_and(|t| t.eq_ignore_ascii_case("TIMESTAMP_NTZ")),
            nan: own("nanvalue", "NaN"),
            positive_inf: own("positiveinf", "Inf"),
            negative_inf: own("negativeinf", "-Inf"),
        })
    }

    /// Whether a field is a date where types are found (CSVInferSchema.tryParseDate).
    pub(super) fn is_date(&self, field: &str) -> bool {
        if self.own_dates { self.times.date(field).is_some() } else { super::infer_csv::is_date(field) }
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

    /// Fields as a column of the type; one that does not fit is null.
    pub(crate) fn column(&self, fields: &[Option<String>], t: &DataType) -> ArrayRef {
        match t {
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
                Arc::new(fields.iter().map(Option::as_deref).collect::<StringArray>())
            }
            DataType::Boolean => Arc::new(each(fields, boolean).collect::<BooleanArray>()),
            DataType::Byte => numbers::<at::Int8Type>(fields, t, |field| plain(field).parse().ok()),
            DataType::Short => numbers::<at::Int16Type>(fields, t, |field| plain(field).parse().ok()),
            DataType::Integer => numbers::<at::Int32Type>(fields, t, |field| plain(field).parse().ok()),
            DataType::Long => numbers::<at::Int64Type>(fields, t, |field| plain(field).parse().ok()),
            DataType::Float => numbers::<at::Float32Type>(fields, t, |field| Some(self.double(field)? as f32)),
            DataType::Double => numbers::<at::Float64Type>(fields, t, |field| self.double(field)),
            DataType::Decimal { precision, scale } => {
                numbers::<at::Decimal128Type>(fields, t, |field| decimal(field, *precision, *scale))
            }
            DataType::Date => numbers::<at::Date32Type>(fields, t, |field| self.times.date(field)),
            DataType::Timestamp => {
                numbers::<at::TimestampMicrosecondType>(fields, t, |field| self.times.timestamp(field))
            }
            DataType::TimestampNtz => {
                numbers::<at::TimestampMicrosecondType>(fields, t, |field| self.times.timestamp_ntz(field))
            }
            DataType::Time(_) => numbers::<at::Time64NanosecondType>(fields, t, crate::functions::cast::parse_time),
            DataType::Binary => Arc::new(each(fields, |field| Some(field.as_bytes())).collect::<BinaryArray>()),
            other => new_null_array(&other.to_arrow(), fields.len()),
        }
    }

    /// A field as a value; None: it does not fit.
    pub(crate) fn value(&self, field: &str, t: &DataType) -> Option<Value> {
        let plain = plain(field);
        Some(match t {
            DataType::String | DataType::Char(_) | DataType::Varchar(_) => Value::String(field.into()),
            DataType::Boolean => Value::Boolean(boolean(field)?),
            DataType::Byte => Value::Byte(plain.parse().ok()?),
            DataType::Short => Value::Short(plain.parse().ok()?),
            DataType::Integer => Value::Integer(plain.parse().ok()?),
            DataType::Long => Value::Long(plain.parse().ok()?),
            DataType::Float => Value::Float(self.double(field)? as f32),
            DataType::Double => Value::Double(self.double(field)?),
            DataType::Decimal { precision, scale } => {
                Value::Decimal(decimal(field, *precision, *scale)?, *precision, *scale)
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

/// Without the plus sign that may stand before a number.
fn plain(field: &str) -> &str {
    field.strip_prefix('+').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(field)
}

fn boolean(field: &str) -> Option<bool> {
    let is = |word: &str| field.eq_ignore_ascii_case(word);
    (is("true") || is("false")).then(|| is("true"))
}

/// Commas group digits in the locale that Spark reads by (ExprUtils.getDecimalParser).
fn decimal(field: &str, precision: u8, scale: i8) -> Option<i128> {
    let (unscaled, from) = parse_decimal(&field.trim().replace(',', ""))?;
    fit_decimal(unscaled, from, precision, scale)
}

fn each<'f, T>(
    fields: &'f [Option<String>],
    parse: impl Fn(&'f str) -> Option<T> + 'f,
) -> impl Iterator<Item = Option<T>> + 'f {
    fields.iter().map(move |field| field.as_deref().and_then(&parse))
}

fn numbers<T: ArrowPrimitiveType>(
    fields: &[Option<String>],
    t: &DataType,
    parse: impl Fn(&str) -> Option<T::Native>,
) -> ArrayRef {
    let column: PrimitiveArray<T> = fields.iter().map(|field| field.as_deref().and_then(&parse)).collect();
    Arc::new(column.with_data_type(t.to_arrow()))
}

struct Rows<'t> {
    task: &'t ReadTask<'t>,
    format: CsvFormat,
    mode: Mode,
    conversion: Conversion,
    /// For each required column the position of its field; None: the column for malformed records.
    positions: Vec<Option<usize>>,
    /// Fields that a whole record has; None: their number is not looked at.
    width: Option<usize>,
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
    let charset = Charset::of(options, "CSVOptions")?;
    let corrupt = corrupt_column(options, task.conf);
    let data: Vec<_> = task
        .relation
        .data_schema
        .fields
        .iter()
        .filter(|f| !(f.name == corrupt && f.data_type == DataType::String))
        .collect();
    // CSVOptions.isColumnPruningEnabled: the parser picks the fields of the columns wanted, however many there are.
    let prunes = flag(
        options,
        "columnpruning",
        !format.multi_line && task.conf.bool("spark.sql.csv.parser.columnPruning.enabled"),
    )? && !task.required.fields.iter().any(|f| f.name == corrupt);
    let positions = task.required.fields.iter().map(|r| data.iter().position(|f| f.name == r.name)).collect::<Vec<_>>();
    let mut rows = Rows {
        mode: Mode::of(options),
        conversion: Conversion::of(options, task.conf, task.required)?,
        builders: task.required.fields.iter().map(|f| ValueBuilder::new(&f.data_type, 0)).collect(),
        width: (!prunes || task.required.fields.len() >= data.len()).then_some(data.len()),
        positions,
        malformed: Vec::new(),
        rows: 0,
        format,
        task,
    };
    let mut header = rows.format.header && split.start == 0;
    let check = !flag(options, "enforceschema", true)?;
    let names: Vec<&str> = data.iter().map(|f| &*f.name).collect();
    if rows.format.multi_line {
        let frozen = usize::try_from(split.file.len).unwrap_or(usize::MAX).min(content.len());
        let whole = charset.decode(&content[..frozen]);
        let tokens = rows.format.clone();
        for record in tokens.records(whole.strip_prefix('\u{feff}').unwrap_or(&whole)) {
            if std::mem::take(&mut header) {
                if check {
                    check_header(&record.fields, &names, task.conf, &split.file.path)?;
                }
                continue;
            }
            rows.record(record.text, record.fields, emit)?;
        }
    } else {
        let separator = separator.map(|s| charset.encode(&String::from_utf8_lossy(s)));
        for line in super::text::lines(content, split, separator.as_deref()) {
            let line = charset.decode(line);
            if rows.format.skips(&line) {
                continue;
            }
            let idle = rows.positions.is_empty() && rows.width.is_none() && !header;
            let fields = if idle { Vec::new() } else { rows.format.fields(&line) };
            if std::mem::take(&mut header) {
                if check {
                    check_header(&fields, &names, task.conf, &split.file.path)?;
                }
                continue;
            }
            rows.record(&line, fields, emit)?;
        }
    }
    rows.flush(emit)
}

/// Names of a header that are not those of the schema, under `enforceSchema=false` (CSVHeaderChecker).
fn check_header(fields: &[Option<String>], names: &[&str], conf: &SqlConf, path: &str) -> Result<()> {
    let found: Vec<&str> = fields.iter().map(|f| f.as_deref().unwrap_or("null")).collect();
    let source = format!("CSV file: {}", super::uri(path));
    let differs = names.iter().zip(&found).find(|(name, found)| !conf.same_name(name, found));
    let message = if found.len() != names.len() {
        format!(
            "Number of column in CSV header is not equal to number of fields in the schema:\n Header length: {}, schema \
             size: {}\n{source}",
            found.len(),
            names.len()
        )
    } else if let Some((name, other)) = differs {
        format!(
            "CSV header does not conform to the schema.\n Header: {}\n Schema: {}\nExpected: {name} but found: \
             {other}\n{source}",
            found.join(", "),
            names.join(", ")
        )
    } else {
        return Ok(());
    };
    Err(SparkError {
        condition: Some("_LEGACY_ERROR_TEMP_3241".to_owned()),
        ..SparkError::plain(ErrorClass::IllegalArgument, message)
    })
}

/// Why a field does not fit its column, where Java's own parser of the type says so.
fn cause(field: &str, t: &DataType) -> Option<SparkError> {
    let java = |class: &'static str, text: String| SparkError::plain(ErrorClass::Java(class), text);
    match t {
        DataType::Byte | DataType::Short | DataType::Integer | DataType::Long | DataType::Float | DataType::Double => {
            Some(java("java.lang.NumberFormatException", format!("For input string: \"{field}\"")))
        }
        DataType::Boolean => Some(java("java.lang.IllegalArgumentException", format!("For input string: \"{field}\""))),
        _ => None,
    }
}

impl Rows<'_> {
    fn record(
        &mut self,
        record: &str,
        fields: Vec<Option<String>>,
        emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        self.check_limits(record, &fields)?;
        let malformed = || SparkError::runtime("MALFORMED_CSV_RECORD", &[("badRecord", record)]);
        let mut bad = self.width.is_some_and(|width| fields.len() != width);
        let mut why = bad.then(malformed);
        let mut values = Vec::with_capacity(self.positions.len());
        for (at, field) in self.positions.iter().zip(&self.task.required.fields) {
            let value = match at.and_then(|i| fields.get(i)) {
                Some(Some(shown)) => self.conversion.value(shown, &field.data_type).unwrap_or_else(|| {
                    if !bad {
                        why = cause(shown, &field.data_type);
                    }
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
                    let error = SparkError::new(
                        ErrorClass::Spark,
                        "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                        &[("badRecord", record), ("failFastMode", "FAILFAST")],
                    );
                    return Err(match why {
                        Some(why) => error.with_cause(why),
                        None => error,
                    });
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

    /// More fields than `maxColumns` or longer ones than `maxCharsPerColumn`: the parser's arrays end there.
    fn check_limits(&self, record: &str, fields: &[Option<String>]) -> Result<()> {
        let columns = self.format.max_columns;
        let long = |max: &usize| fields.iter().flatten().any(|f| f.len() > *max && f.chars().count() > *max);
        let bound = if fields.len() > columns { Some(columns) } else { self.format.max_chars.filter(long) };
        let Some(bound) = bound else { return Ok(()) };
        let class = ErrorClass::Java("java.lang.ArrayIndexOutOfBoundsException");
        let text = format!("Index {bound} out of bounds for length {bound}");
        let malformed = SparkError::runtime("MALFORMED_CSV_RECORD", &[("badRecord", record)]);
        Err(malformed.with_cause(SparkError::plain(class, text)))
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
