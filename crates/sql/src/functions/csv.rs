//! CSV text in expressions: from_csv, to_csv, schema_of_csv.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray, StructArray};
use arrow::buffer::NullBuffer;

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
use crate::types::{DataType, StructField, StructType};
use crate::value::{Value, value_at};

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
        let schema = self.fields();
        let is_corrupt = |field: &StructField| field.name == self.corrupt && field.data_type == DataType::String;
        let width = schema.fields.iter().filter(|field| !is_corrupt(field)).count();
        let texts = args.first().and_then(|column| column.as_string_opt::<i32>());
        let text = |row: usize| texts.filter(|texts| texts.is_valid(row)).map(|texts| texts.value(row));
        let mut tokens: Vec<Vec<Option<String>>> = vec![Vec::with_capacity(rows); width];
        let mut whole = vec![true; rows];
        for (row, whole) in whole.iter_mut().enumerate() {
            let fields = text(row).filter(|text| !text.is_empty()).map(|text| format.fields(text));
            *whole = fields.as_ref().is_none_or(|fields| fields.len() == width);
            let mut fields = fields.unwrap_or_default().into_iter();
            tokens.iter_mut().for_each(|column| column.push(fields.next().flatten()));
        }
        let mut read = tokens.iter();
        let mut columns: Vec<Option<ArrayRef>> = Vec::with_capacity(schema.fields.len());
        for field in &schema.fields {
            let tokens = if is_corrupt(field) { None } else { read.next() };
            let column = tokens.map(|tokens| (tokens, conversion.column(tokens, &field.data_type)));
            if let Some((tokens, column)) = &column {
                for (row, whole) in whole.iter_mut().enumerate() {
                    *whole &= tokens[row].is_none() || column.is_valid(row);
                }
            }
            columns.push(column.map(|(_, column)| column));
        }
        if mode == "FAILFAST"
            && let Some(row) = whole.iter().position(|whole| !whole)
        {
            let shown = |(column, field): (&Option<ArrayRef>, &StructField)| {
                let value = column.as_ref().map_or(Value::Null, |column| value_at(column, row, &field.data_type));
                super::cast::to_text(&value, &DataType::Null, ctx.conf.time_zone())
            };
            let shown: Vec<String> = columns.iter().zip(&schema.fields).map(shown).collect();
            return Err(SparkError::new(
                ErrorClass::Java("org.apache.spark.SparkException"),
                "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                &[("badRecord", &format!("[{}]", shown.join(","))), ("failFastMode", "FAILFAST")],
            ));
        }
        // The first column of that name takes the malformed records.
        let mut records = Some((0..rows).map(|row| text(row).filter(|_| !whole[row])).collect::<StringArray>());
        let columns = columns.into_iter().map(|column| {
            column.unwrap_or_else(|| Arc::new(records.take().unwrap_or_else(|| StringArray::new_null(rows))))
        });
        let nulls = texts.map_or_else(|| Some(NullBuffer::new_null(rows)), |texts| texts.nulls().cloned());
        Ok(Arc::new(StructArray::try_new_with_length(schema.to_arrow_fields(), columns.collect(), nulls, rows)?))
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
        Ok(Arc::new(row_texts(structs, &types, &self.options, ctx.conf)?))
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
