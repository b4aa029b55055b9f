//! CSV text in expressions: from_csv, to_csv, schema_of_csv.

use arrow::array::{Array, ArrayRef, AsArray};

use super::coercion::{In, check_inputs};
use super::json::{options, sample, schema_argument};
use super::registry::{Build, FunctionEntry};
use super::row::call;
use super::{EvalContext, Kernel, describe};
use crate::datasource::csv_read::Conversion;
use crate::datasource::csv_tokens::CsvFormat;
use crate::datasource::infer_csv::infer_record;
use crate::datasource::options::Options;
use crate::datasource::write::csv::row_texts;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::Expr;
use crate::types::{DataType, StructType};
use crate::value::{Value, ValueBuilder};

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("from_csv", 2, 3, from_csv),
    FunctionEntry::custom("to_csv", 1, 2, to_csv),
    FunctionEntry::custom("schema_of_csv", 1, 2, schema_of_csv),
];

fn from_csv(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let schema = schema_argument(b, &args[1])?;
    let options = options(b, args.get(2))?;
    let child = check_inputs(vec![args[0].clone()], &[In::Str], false, b.ansi(), &|_| {
        describe::call_text("from_csv", &args[..1])
    })?;
    let schema = match schema {
        DataType::Struct(_) => schema.as_nullable(),
        other => {
            return Err(SparkError::analysis(
                "INVALID_SCHEMA.NON_STRUCT_TYPE",
                &[("inputSchema", &describe::quoted(&args[1])), ("dataType", &other.quoted_sql())],
            ));
        }
    };
    let corrupt = options.get("columnnameofcorruptrecord").cloned().unwrap_or_else(|| {
        b.conf.get("spark.sql.columnNameOfCorruptRecord").unwrap_or_else(|| "_corrupt_record".into())
    });
    let kernel = FromCsv { schema: schema.clone(), options, corrupt };
    let nullable = child[0].nullable();
    Ok(call("from_csv", child, schema, nullable, kernel))
}

#[derive(Debug)]
struct FromCsv {
    schema: DataType,
    options: Options,
    /// Name of the column for malformed records.
    corrupt: String,
}

impl FromCsv {
    fn fields(&self) -> &StructType {
        static NONE: StructType = StructType { fields: Vec::new() };
        match &self.schema {
            DataType::Struct(s) => s,
            _ => &NONE,
        }
    }

    /// One record; false: it is malformed.
    fn record(&self, text: &str, format: &CsvFormat, conversion: &Conversion) -> (Vec<Value>, bool) {
        let schema = self.fields();
        let is_corrupt = |i: usize| {
            let field = &schema.fields[i];
            field.name == self.corrupt && field.data_type == DataType::String
        };
        let width = (0..schema.fields.len()).filter(|i| !is_corrupt(*i)).count();
        if text.is_empty() {
            return (vec![Value::Null; schema.fields.len()], true);
        }
        let tokens = format.fields(text);
        let mut whole = tokens.len() == width;
        let mut tokens = tokens.into_iter();
        let mut values: Vec<Value> = Vec::with_capacity(schema.fields.len());
        for (i, field) in schema.fields.iter().enumerate() {
            if is_corrupt(i) {
                values.push(Value::Null);
                continue;
            }
            values.push(match tokens.next().flatten() {
                None => Value::Null,
                Some(token) => conversion.value(&token, &field.data_type).unwrap_or_else(|| {
                    whole = false;
                    Value::Null
                }),
            });
        }
        if !whole && let Some(i) = (0..values.len()).find(|i| is_corrupt(*i)) {
            values[i] = Value::from(text);
        }
        (values, whole)
    }
}

impl Kernel for FromCsv {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let mode = self.options.get("mode").map_or_else(String::new, |m| m.to_uppercase());
        if mode == "DROPMALFORMED" {
            return Err(SparkError::analysis(
                "PARSE_MODE_UNSUPPORTED",
                &[("funcName", "`from_csv`"), ("mode", "DROPMALFORMED")],
            ));
        }
        let nested = |t: &DataType| matches!(t, DataType::Array { .. } | DataType::Map { .. } | DataType::Struct(_));
        if let Some(field) = self.fields().fields.iter().find(|f| nested(&f.data_type)) {
            return Err(SparkError::new(
                ErrorClass::UnsupportedOperation,
                "UNSUPPORTED_DATATYPE",
                &[("typeName", &field.data_type.quoted_sql())],
            ));
        }
        let format = CsvFormat::of(&self.options)?;
        let conversion = Conversion::of(&self.options, ctx.conf, self.fields())?;
        let mut out = ValueBuilder::new(&self.schema, rows);
        let texts = args.first().and_then(|a| a.as_string_opt::<i32>());
        for row in 0..rows {
            let Some(texts) = texts.filter(|t| t.is_valid(row)) else {
                out.append_null();
                continue;
            };
            let (values, whole) = self.record(texts.value(row), &format, &conversion);
            if !whole && mode == "FAILFAST" {
                let shown: Vec<String> =
                    values.iter().map(|v| super::cast::to_text(v, &DataType::Null, ctx.conf.time_zone())).collect();
                return Err(SparkError::new(
                    ErrorClass::Java("org.apache.spark.SparkException"),
                    "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                    &[("badRecord", &format!("[{}]", shown.join(","))), ("failFastMode", "FAILFAST")],
                ));
            }
            out.append(&Value::structure(values))?;
        }
        out.finish()
    }
}

fn to_csv(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let options = options(b, args.get(1))?;
    let child = vec![args[0].clone()];
    let input = child[0].data_type();
    if !matches!(input, DataType::Struct(_)) {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
            &[
                ("sqlExpr", &format!("\"{}\"", describe::call_text("to_csv", &child))),
                ("functionName", "`to_csv`"),
                ("dataType", &input.quoted_sql()),
            ],
        ));
    }
    Ok(call("to_csv", child, DataType::String, true, ToCsv { input, options }))
}

#[derive(Debug)]
struct ToCsv {
    input: DataType,
    options: Options,
}

impl Kernel for ToCsv {
    fn evaluate(&self, args: &[ArrayRef], _: usize, ctx: &EvalContext<'_>) -> Result<ArrayRef> {
        let Some(column) = args.first() else { return Err(SparkError::internal("to_csv has an argument")) };
        let DataType::Struct(schema) = &self.input else { return Err(SparkError::internal("to_csv takes a struct")) };
        let types: Vec<DataType> = schema.fields.iter().map(|f| f.data_type.clone()).collect();
        let Some(structs) = column.as_struct_opt() else { return Err(SparkError::internal("to_csv takes a struct")) };
        Ok(std::sync::Arc::new(row_texts(structs, &types, &self.options, ctx.conf)?))
    }
}

fn schema_of_csv(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let options = options(b, args.get(1))?;
    let child = vec![args[0].clone()];
    let text = &*sample(b, &child, "csv")?;
    let schema = infer_record(text, &options, b.conf)?;
    let value = Expr::literal(Value::from(DataType::Struct(schema.into()).sql()), DataType::String);
    Ok(super::scalar::replaced("schema_of_csv", child, value, DataType::String, false))
}
