//! JSON files to batches: lines or whole files, parse modes, pushed filters (JsonFileFormat, FailureSafeParser).

use arrow::array::{ArrayRef, BooleanArray, StringBuilder};
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;

use super::charset::Charset;
use super::json_columns::{Conversion, StructNode};
use super::json_scan::{Kind, Lenience, Malformed, Scanner, Span, unquote};
use super::options::{Options, flag, text};
use super::read::ReadTask;
use super::splits::FileSplit;
use super::times::Times;
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::batch::{BATCH_ROWS, make_batch};
use crate::exec::bind::eval_condition;
use crate::expr::Expr;
use crate::functions::EvalContext;
use crate::types::{DataType, StructType};

/// What to do with records that do not fit (ParseMode).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Permissive,
    DropMalformed,
    FailFast,
}

impl Mode {
    /// Names without regard to case; unknown ones count as PERMISSIVE.
    pub fn of(options: &Options) -> Self {
        match text(options, "mode").map(str::to_uppercase).as_deref() {
            Some("DROPMALFORMED") => Self::DropMalformed,
            Some("FAILFAST") => Self::FailFast,
            _ => Self::Permissive,
        }
    }
}

pub(super) fn lenience(options: &Options) -> Result<Lenience> {
    Ok(Lenience {
        single_quotes: flag(options, "allowsinglequotes", true)?,
        non_numeric: flag(options, "allownonnumericnumbers", true)?,
        unquoted_names: flag(options, "allowunquotedfieldnames", false)?,
        control_chars: flag(options, "allowunquotedcontrolchars", false)?,
        leading_zeros: flag(options, "allownumericleadingzeros", false)?,
        backslash_any: flag(options, "allowbackslashescapinganycharacter", false)?,
        comments: flag(options, "allowcomments", false)?,
    })
}

/// Name of the column for malformed records.
pub(super) fn corrupt_column(options: &Options, conf: &crate::conf::SqlConf) -> String {
    text(options, "columnnameofcorruptrecord").map_or_else(
        || conf.get("spark.sql.columnNameOfCorruptRecord").unwrap_or_else(|| "_corrupt_record".into()),
        str::to_owned,
    )
}

struct Rows<'t> {
    task: &'t ReadTask<'t>,
    mode: Mode,
    times: Times,
    lenience: Lenience,
    root: StructNode,
    /// Position of the corrupt-record column in the required columns.
    corrupt: Option<usize>,
    corrupt_text: StringBuilder,
    /// For each pushed filter: positions of its columns among the parsed ones.
    filter_columns: Vec<Vec<usize>>,
    /// For each filter and row: all its columns were there and fit, so it applies.
    applies: Vec<Vec<bool>>,
    set: Vec<bool>,
    keep: Vec<bool>,
    rows: usize,
    /// Whether a record is one value of the only column.
    single_variant: bool,
}

pub(super) fn read(
    task: &ReadTask<'_>,
    content: &[u8],
    split: &FileSplit,
    separator: Option<&[u8]>,
    emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let options = &task.relation.options;
    let charset = Charset::of(options, "JSONOptionsInRead")?;
    let name = corrupt_column(options, task.conf);
    let corrupt = task.required.fields.iter().position(|f| f.name == name && f.data_type == DataType::String);
    let parsed = StructType {
        fields: task
            .required
            .fields
            .iter()
            .enumerate()
            .filter(|(i, _)| Some(*i) != corrupt)
            .map(|(_, f)| f.clone())
            .collect(),
    };
    let shift = |i: usize| if corrupt.is_some_and(|c| i > c) { i - 1 } else { i };
    let filter_columns: Vec<Vec<usize>> = task
        .pushed
        .iter()
        .map(|filter| {
            let mut columns = Vec::new();
            filter.visit(&mut |e| {
                if let Expr::Bound { ordinal, .. } = e {
                    columns.push(shift(*ordinal));
                }
            });
            columns
        })
        .collect();
    let mut rows = Rows {
        mode: Mode::of(options),
        times: Times::of(options, task.conf, &parsed)?,
        lenience: lenience(options)?,
        set: vec![false; parsed.fields.len()],
        root: StructNode::new(&parsed)?,
        corrupt,
        corrupt_text: StringBuilder::new(),
        applies: vec![Vec::new(); filter_columns.len()],
        filter_columns,
        keep: Vec::new(),
        rows: 0,
        single_variant: text(options, "singlevariantcolumn").is_some(),
        task,
    };
    if flag(options, "multiline", false)? {
        let frozen = usize::try_from(split.file.len).unwrap_or(usize::MAX).min(content.len());
        let whole = &content[..frozen];
        match charset {
            Charset::Utf8 => rows.record(whole.strip_prefix(b"\xef\xbb\xbf").unwrap_or(whole), emit)?,
            other => rows.record(other.decode(whole).as_bytes(), emit)?,
        }
    } else {
        let separator = separator.map(|s| charset.encode(&String::from_utf8_lossy(s)));
        for line in super::text::lines(content, split, separator.as_deref()) {
            match charset {
                Charset::Utf8 => rows.record(line, emit)?,
                other => rows.record(other.decode(line).as_bytes(), emit)?,
            }
        }
    }
    rows.flush(emit)
}

impl Rows<'_> {
    /// One record's text: a line, or a file.
    fn record(&mut self, bytes: &[u8], emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let mut scanner = Scanner::new(bytes, self.lenience);
        scanner.space();
        let start = scanner.at;
        let Some(first) = scanner.peek() else { return Ok(()) };
        if self.single_variant {
            self.variant(bytes, start)?;
            return self.flush_full(emit);
        }
        match first {
            b'{' => self.object(bytes, start)?,
            b'[' => {
                let mut items = Vec::new();
                let ok = scanner
                    .items(&mut |item| {
                        items.push(item);
                        Ok(())
                    })
                    .is_ok();
                let objects = items.iter().all(|i| i.kind == Kind::Object);
                if ok && objects {
                    for item in items {
                        self.object(bytes, item.start)?;
                        self.flush_full(emit)?;
                    }
                } else {
                    self.malformed(bytes)?;
                }
            }
            _ => {
                // `null` and other values at the root are no records of a struct.
                self.malformed(bytes)?;
            }
        }
        self.flush_full(emit)
    }

    fn object(&mut self, bytes: &[u8], at: usize) -> Result<()> {
        self.set.fill(false);
        let how = Conversion { times: &self.times, lenience: self.lenience };
        let set = &mut self.set;
        match self.root.object(bytes, at, &how, &mut |i, fits| set[i] = fits) {
            Err(Malformed) => self.malformed(bytes),
            Ok((_, outcome)) if outcome.unfit.is_some() => match self.mode {
                Mode::Permissive => {
                    self.finish_row(Some(bytes));
                    Ok(())
                }
                Mode::DropMalformed => {
                    // Built already: marked to be taken out with the filtered rows.
                    self.finish_row(None);
                    self.dropped();
                    Ok(())
                }
                Mode::FailFast => {
                    let why = outcome.unfit.and_then(|(field, span)| self.misfit(field, bytes, span));
                    Err(fail_fast(bytes, why))
                }
            },
            Ok(_) => {
                self.finish_row(None);
                Ok(())
            }
        }
    }

    fn malformed(&mut self, bytes: &[u8]) -> Result<()> {
        match self.mode {
            Mode::Permissive => {
                self.set.fill(false);
                self.root.nulls();
                self.finish_row(Some(bytes));
                Ok(())
            }
            Mode::DropMalformed => Ok(()),
            Mode::FailFast => Err(fail_fast(bytes, unrecognized(bytes))),
        }
    }

    /// A record as the one column of variants (singleVariantColumn); null where it is no JSON.
    fn variant(&mut self, bytes: &[u8], start: usize) -> Result<()> {
        let mut scanner = Scanner::new(bytes, self.lenience);
        scanner.at = start;
        let Ok(span) = scanner.value() else { return self.malformed(bytes) };
        let how = Conversion { times: &self.times, lenience: self.lenience };
        let fits = self.root.nodes.iter_mut().all(|node| node.append(bytes, span, &how).is_ok());
        self.set.fill(fits);
        self.finish_row(None);
        Ok(())
    }

    /// Why a value does not fit its column (JacksonParser.parseJsonToken), for tokens of another kind than the column's.
    fn misfit(&self, field: usize, bytes: &[u8], span: Span) -> Option<SparkError> {
        let name = self.root.names.get(field)?;
        let data_type = &self.task.required.fields.iter().find(|f| f.name == *name)?.data_type;
        let raw = || String::from_utf8_lossy(bytes.get(span.start..span.end).unwrap_or_default()).into_owned();
        let (token, shown) = match span.kind {
            Kind::Text { .. } => ("VALUE_STRING", unquote(bytes, span).map_or_else(|_| raw(), |t| t.into_owned())),
            Kind::Integer => ("VALUE_NUMBER_INT", raw()),
            Kind::Float | Kind::NonNumeric => ("VALUE_NUMBER_FLOAT", raw()),
            Kind::True => ("VALUE_TRUE", raw()),
            Kind::False => ("VALUE_FALSE", raw()),
            Kind::Object => ("START_OBJECT", "{".to_owned()),
            Kind::Array => ("START_ARRAY", "[".to_owned()),
            Kind::Null => return None,
        };
        let text = matches!(span.kind, Kind::Text { .. });
        let parsed = !matches!(
            data_type,
            DataType::Boolean | DataType::Byte | DataType::Short | DataType::Integer | DataType::Long
        );
        if text && parsed {
            return None;
        }
        Some(SparkError::runtime(
            "CANNOT_PARSE_JSON_FIELD",
            &[
                ("fieldName", &format!("'{name}'")),
                ("fieldValue", &shown),
                ("jsonType", token),
                ("dataType", &data_type.quoted_sql()),
            ],
        ))
    }

    fn finish_row(&mut self, corrupt: Option<&[u8]>) {
        for (columns, applies) in self.filter_columns.iter().zip(&mut self.applies) {
            applies.push(columns.iter().all(|c| self.set[*c]));
        }
        self.keep.push(true);
        if self.corrupt.is_some() {
            match corrupt {
                Some(text) => self.corrupt_text.append_value(String::from_utf8_lossy(text)),
                None => self.corrupt_text.append_null(),
            }
        }
        self.rows += 1;
    }

    fn dropped(&mut self) {
        if let Some(last) = self.keep.last_mut() {
            *last = false;
        }
    }

    fn flush_full(&mut self, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        if self.rows >= BATCH_ROWS { self.flush(emit) } else { Ok(()) }
    }

    fn flush(&mut self, emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        let mut columns: Vec<ArrayRef> = Vec::new();
        for node in &mut self.root.nodes {
            columns.push(node.finish()?);
        }
        if let Some(at) = self.corrupt {
            columns.insert(at, std::sync::Arc::new(self.corrupt_text.finish()));
        }
        let batch = make_batch(&crate::catalog::attributes(self.task.required), columns, rows)?;
        let mut keep = std::mem::take(&mut self.keep);
        let ctx = EvalContext { conf: self.task.conf, now_us: 0, partition: 0, row_base: 0, udfs: None };
        for (filter, applies) in self.task.pushed.iter().zip(&mut self.applies) {
            let passes = eval_condition(filter, &batch, &ctx)?;
            for (row, applies) in std::mem::take(applies).into_iter().enumerate() {
                keep[row] &= !applies || passes.value(row);
            }
        }
        if keep.iter().all(|k| *k) {
            return emit(batch);
        }
        let kept = filter_record_batch(&batch, &BooleanArray::from(keep))?;
        if kept.num_rows() == 0 { Ok(()) } else { emit(kept) }
    }
}

/// MALFORMED_RECORD_IN_PARSING under FAILFAST.
pub(super) fn fail_fast(record: &[u8], why: Option<SparkError>) -> SparkError {
    let error = SparkError::new(
        ErrorClass::Spark,
        "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        &[("badRecord", &String::from_utf8_lossy(record)), ("failFastMode", "FAILFAST")],
    );
    match why {
        Some(why) => error.with_cause(why),
        None => error,
    }
}

/// Jackson's complaint about a word that is no value of JSON.
pub(super) fn unrecognized(record: &[u8]) -> Option<SparkError> {
    let text = std::str::from_utf8(record).ok()?.trim_start();
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let token = &text[..text.find(|c| !word(c)).unwrap_or(text.len())];
    if !token.starts_with(|c: char| word(c) && !c.is_ascii_digit()) || matches!(token, "null" | "true" | "false") {
        return None;
    }
    let class = ErrorClass::Java("com.fasterxml.jackson.core.JsonParseException");
    let expected = "(JSON String, Number (or 'NaN'/'+INF'/'-INF'), Array, Object or token 'null', 'true' or 'false')";
    Some(SparkError::plain(class, format!("Unrecognized token '{token}': was expecting {expected}")))
}
