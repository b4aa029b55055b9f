//! Data sources that the script writes in Python (`spark.dataSource.register`): objects of the script that the engine asks
//! by the names of their methods.

mod writing;

use std::rc::Rc;

use arrow::record_batch::RecordBatch;
use std::sync::Arc;

use crate::dataframe::ReadSpec;
use crate::error::{ErrorClass, Result, SparkError};
use crate::expr::{Attribute, UdfHost};
use crate::session::SqlSession;
use crate::types::{DataType, StructType, parse_struct};

pub use writing::Writing;

/// The script's objects, by the handles that they are kept under. Arguments and answers are texts.
pub trait ScriptObjects {
    /// Keeps what a method gives; its handle.
    fn make(&self, object: u64, method: &'static str, texts: &[&str]) -> Result<u64>;
    fn ask(&self, object: u64, method: &'static str, texts: &[&str]) -> Result<Option<String>>;
    /// The rows that a method gives, as tables of columns.
    fn read(
        &self,
        object: u64,
        method: &'static str,
        texts: &[&str],
        output: &[Arc<Attribute>],
    ) -> Result<Vec<RecordBatch>>;
    /// Gives rows to a method, after the texts.
    fn write(&self, object: u64, method: &'static str, texts: &[&str], rows: &[RecordBatch]) -> Result<()>;
}

/// The script, or an error where there is none.
pub fn script(session: &SqlSession) -> Result<Rc<dyn UdfHost>> {
    session.udfs.borrow().clone().ok_or_else(|| SparkError::internal("no Python to ask for a data source"))
}

/// PYTHON_DATA_SOURCE_ERROR: what the script raised while something was done with its source.
pub fn failed<'a>(action: &'a str, what: &'a str) -> impl Fn(SparkError) -> SparkError + 'a {
    move |error| match (error.class, error.parameters.get("traceback")) {
        (ErrorClass::Python, Some(trace)) => {
            let parameters = [("action", action), ("type", what), ("msg", trace.as_str())];
            SparkError::analysis("PYTHON_DATA_SOURCE_ERROR", &parameters)
        }
        _ => error,
    }
}

/// PYTHON_STREAMING_DATA_SOURCE_RUNTIME_ERROR: what the script raised while a query ran.
pub fn broken(action: &str) -> impl Fn(SparkError) -> SparkError + '_ {
    move |error| match (error.class, error.parameters.get("traceback")) {
        (ErrorClass::Python, Some(trace)) => {
            let parameters = [("action", action), ("msg", trace.as_str())];
            SparkError::new(ErrorClass::Spark, "PYTHON_STREAMING_DATA_SOURCE_RUNTIME_ERROR", &parameters)
        }
        _ => error,
    }
}

/// spark.dataSource.register: a name that Spark's own sources have is refused.
pub fn register(session: &SqlSession, name: &str, class: u64) -> Result<()> {
    let known = session.catalog.borrow().python_source(name).is_some();
    if !known && crate::dataframe::is_provider(name) {
        return Err(SparkError::analysis("DATA_SOURCE_ALREADY_EXISTS", &[("provider", name)]));
    }
    session.catalog.borrow_mut().register_python_source(name, class);
    Ok(())
}

/// What one load() of a registered source reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Of the object that makes its instance and readers.
    pub object: u64,
    /// As the reader was told the format.
    pub name: String,
    pub schema: StructType,
}

impl Loaded {
    /// Makes the instance, where that has not been done; what it says of its schema.
    fn create(script: &dyn UdfHost, object: u64) -> Result<Option<String>> {
        script.ask(object, "create", &[]).map_err(failed("create", "instance"))
    }

    /// See [`Self::create`].
    pub fn ensure_created(&self, script: &dyn UdfHost) -> Result<()> {
        Self::create(script, self.object).map(drop)
    }

    /// Has the reader of a batch made, once; the number of partitions.
    pub fn plan(&self, script: &dyn UdfHost) -> Result<usize> {
        self.ensure_created(script)?;
        script.ask(self.object, "initialize", &[&json(&self.schema)]).map_err(failed("initialize", "reader"))?;
        self.partitions(script)
    }

    /// Has a reader made with filters, which is the one of all batches from here on; the places of those that it takes over.
    pub fn push(&self, script: &dyn UdfHost, filters: &str) -> Result<Vec<usize>> {
        self.ensure_created(script)?;
        let texts = [&*json(&self.schema), filters];
        let taken = script.ask(self.object, "push", &texts).map_err(failed("initialize", "reader"))?;
        self.partitions(script)?;
        let taken = taken.unwrap_or_default();
        Ok(taken.split_whitespace().filter_map(|place| place.parse().ok()).collect())
    }

    fn partitions(&self, script: &dyn UdfHost) -> Result<usize> {
        let count = script.ask(self.object, "partitions", &[]).map_err(failed("generate", "read partitions"))?;
        Ok(count.and_then(|text| text.parse().ok()).unwrap_or(0))
    }
}

/// load() of a format that the script has registered; None: it has not.
pub fn load(session: &SqlSession, format: &str, spec: &ReadSpec) -> Result<Option<Loaded>> {
    let Some(class) = session.catalog.borrow().python_source(format) else { return Ok(None) };
    let script = script(session)?;
    let mut options = spec.options.clone();
    match spec.paths.as_slice() {
        [] => {}
        [path] => {
            options.insert("path".to_owned(), path.clone());
        }
        paths => {
            options.insert("paths".to_owned(), serde_json::json!(paths).to_string());
        }
    }
    let options = options_json(&options);
    let given = spec.schema.as_ref().map(json).unwrap_or_default();
    let object = script.make(class, "load", &[format, &options, &given])?;
    let schema = match &spec.schema {
        Some(schema) => schema.clone(),
        None => declared(&Loaded::create(&*script, object)?.unwrap_or_default())?,
    };
    Ok(Some(Loaded { object, name: format.to_owned(), schema }))
}

/// Options as the script gets them.
pub fn options_json(options: &indexmap::IndexMap<String, String>) -> String {
    let mut seen = serde_json::Map::new();
    for (key, value) in options {
        let key = key.to_lowercase();
        // The last of keys that differ by case counts, in its own place.
        seen.shift_remove(&key);
        seen.insert(key, value.clone().into());
    }
    serde_json::Value::Object(seen).to_string()
}

/// A schema as the script gets it.
pub fn json(schema: &StructType) -> String {
    DataType::Struct(schema.clone().into()).json()
}

/// The schema that a source says, as DDL ("D...") or JSON ("J...").
fn declared(text: &str) -> Result<StructType> {
    let refuse = |schema: &str, data_type: &DataType| {
        let kind = format!("\"{}\"", data_type.sql());
        let parameters = [("inputSchema", schema), ("dataType", &kind)];
        SparkError::analysis("INVALID_SCHEMA.NON_STRUCT_TYPE", &parameters)
    };
    if let Some(text) = text.strip_prefix('J') {
        return match DataType::from_json(text)? {
            DataType::Struct(schema) => Ok((*schema).clone()),
            other => Err(refuse(text, &other)),
        };
    }
    let text = text.strip_prefix('D').unwrap_or(text);
    match crate::types::parse_data_type(text) {
        Ok(DataType::Struct(schema)) => Ok((*schema).clone()),
        Ok(other) => Err(refuse(text, &other)),
        Err(error) => parse_struct(text).map_err(|_| error),
    }
}
