//! JSON files to batches: lines or whole files, parse modes, pushed filters (JsonFileFormat, FailureSafeParser).

use arrow::array::{ArrayRef, BooleanArray, StringBuilder};
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;

use super::json_columns::{Conversion, StructNode};
use super::json_scan::{Lenience, Malformed};
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
    if flag(options, "allowcomments", false)? {
        return Err(SparkError::not_yet("The JSON option allowComments"));
    }
    Ok(Lenience {
        single_quotes: flag(options, "allowsinglequotes", true)?,
        non_numeric: flag(options, "allownonnumericnumbers", true)?,
        unquoted_names: flag(options, "allowunquotedfieldnames", false)?,
        control_chars: flag(options, "allowunquotedcontrolchars", false)?,
        leading_zeros: flag(options, "allownumericleadingzeros", false)?,
        backslash_any: flag(options, "allowbackslashescapinganycharacter", false)?,
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
}

pub(super) fn read(
    task: &ReadTask<'_>,
    content: &[u8],
    split: &FileSplit,
    separator: Option<&[u8]>,
    emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let options = &task.relation.options;
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
        task,
    };
    if flag(options, "multiline", false)? {
        let frozen = usize::try_from(split.file.len).unwrap_or(usize::MAX).min(content.len());
        rows.record(&content[..frozen], emit)?;
    } else {
        for line in super::text::lines(content, split, separator) {
            rows.record(line, emit)?;
        }
    }
    rows.flush(emit)
}

impl Rows<'_> {
    /// One record's text: a line, or a file.
    fn record(&mut self, bytes: &[u8], emit: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
        let start = bytes.iter().position(|b| !matches!(b, b' ' | b'\n' | b'\r' | b'\t'));
        let Some(start) = start else { return Ok(()) };
        match bytes[start] {
            b'{' => self.object(bytes, start)?,
            b'[' => {
                let mut scanner = super::json_scan::Scanner::new(bytes, self.lenience);
                scanner.at = start;
                let mut items = Vec::new();
                let ok = scanner
                    .items(&mut |item| {
                        items.push(item);
                        Ok(())
                    })
                    .is_ok();
                let objects = items.iter().all(|i| i.kind == super::json_scan::Kind::Object);
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
            Ok((_, outcome)) if outcome.unfit => match self.mode {
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
                Mode::FailFast => Err(fail_fast(bytes)),
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
            Mode::FailFast => Err(fail_fast(bytes)),
        }
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
fn fail_fast(record: &[u8]) -> SparkError {
    SparkError::new(
        ErrorClass::Spark,
        "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        &[("badRecord", &String::from_utf8_lossy(record)), ("failFastMode", "FAILFAST")],
    )
}
