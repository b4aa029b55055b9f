//! Spark's errors: JVM exception class, error condition, SQLSTATE, parameters, text.
//!
//! Texts of conditions live in one table (`error/conditions.json`, names and templates as in Spark's
//! error-conditions.json), so that an error is raised by name and parameters. It holds those that are raised here: it is
//! part of what the page loads.

use std::collections::BTreeMap;
use std::fmt;

use crate::expr::QueryContext;

pub type Result<T, E = SparkError> = std::result::Result<T, E>;

/// The exception family, which decides the Python class that a script sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    Analysis,
    Parse,
    IllegalArgument,
    Arithmetic,
    NumberFormat,
    DateTime,
    ArrayIndexOutOfBounds,
    UnsupportedOperation,
    /// org.apache.spark.SparkRuntimeException and kin.
    Runtime,
    NoSuchElement,
    /// SparkException.
    Spark,
    /// QueryExecutionException.
    QueryExecution,
    StreamingQuery,
    /// An exception raised by the script's own function: PythonException.
    Python,
    /// A JVM exception that PySpark does not convert: Py4JJavaError; the name is the JVM class.
    Java(&'static str),
}

#[derive(Clone, Debug)]
pub struct SparkError {
    pub class: ErrorClass,
    /// "UNRESOLVED_COLUMN.WITH_SUGGESTION"; None where Spark has none.
    pub condition: Option<String>,
    pub sql_state: Option<String>,
    /// Whole text without the "[CONDITION]" prefix and without " SQLSTATE: ..." (see `Display`).
    pub message: String,
    pub parameters: BTreeMap<String, String>,
    /// What Spark prints after the SQLSTATE: ";\n" and the plan, or the query context. Written verbatim.
    pub context: String,
    pub cause: Option<Box<SparkError>>,
    /// JVM class for texts that name it ("org.apache.spark.SparkArithmeticException"); None: derived from `class`.
    pub java_class: Option<String>,
    /// The part of the query that it comes from (getQueryContext).
    pub place: Option<Box<QueryContext>>,
}

impl SparkError {
    /// An error with a condition of the table; the template is filled from `parameters`.
    pub fn new(class: ErrorClass, condition: &str, parameters: &[(&str, &str)]) -> Self {
        let parameters: BTreeMap<String, String> =
            parameters.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let (sql_state, message) = conditions::render(condition, &parameters);
        Self {
            class,
            condition: Some(condition.to_owned()),
            sql_state,
            message,
            parameters,
            context: String::new(),
            cause: None,
            java_class: None,
            place: None,
        }
    }

    pub fn analysis(condition: &str, parameters: &[(&str, &str)]) -> Self {
        Self::new(ErrorClass::Analysis, condition, parameters)
    }

    pub fn runtime(condition: &str, parameters: &[(&str, &str)]) -> Self {
        Self::new(ErrorClass::Runtime, condition, parameters)
    }

    /// An error without a condition.
    pub fn plain(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            condition: None,
            sql_state: None,
            message: message.into(),
            parameters: BTreeMap::new(),
            context: String::new(),
            cause: None,
            java_class: None,
            place: None,
        }
    }

    /// Something that Spark does and Tidemark does not yet do: says so, with what it is.
    pub fn not_yet(what: &str) -> Self {
        Self::plain(ErrorClass::UnsupportedOperation, format!("{what} is not supported by Tidemark yet"))
    }

    /// A broken invariant of ours; Spark's INTERNAL_ERROR.
    pub fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(ErrorClass::Spark, "INTERNAL_ERROR", &[("message", &message)])
    }

    /// Whether Spark adds the place of the expression to this error in ANSI mode (SupportQueryContext).
    pub fn has_query_context(&self) -> bool {
        self.condition.as_deref().is_some_and(|condition| {
            // abs and the unary minus do not say where they stand.
            let unary = condition == "ARITHMETIC_OVERFLOW"
                && self.parameters.get("message").is_some_and(|message| message == "overflow")
                && self.parameters.get("alternative").is_some_and(String::is_empty);
            !unary
                && matches!(
                    condition,
                    "ARITHMETIC_OVERFLOW"
                        | "CAST_INVALID_INPUT"
                        | "DIVIDE_BY_ZERO"
                        | "REMAINDER_BY_ZERO"
                        | "INTERVAL_DIVIDED_BY_ZERO"
                        | "INVALID_ARRAY_INDEX"
                        | "INVALID_ARRAY_INDEX_IN_ELEMENT_AT"
                        | "INVALID_INDEX_OF_ZERO"
                )
                || condition.starts_with("NUMERIC_VALUE_OUT_OF_RANGE")
                || condition.starts_with("INTERVAL_ARITHMETIC_OVERFLOW")
        })
    }

    /// Parameters that Spark passes with a condition beyond those of its text.
    pub fn further_parameters(&self) -> &'static [(&'static str, &'static str)] {
        match self.condition.as_deref() {
            Some("CAST_INVALID_INPUT" | "CAST_OVERFLOW") => &[("ansiConfig", "\"spark.sql.ansi.enabled\"")],
            _ => &[],
        }
    }

    #[must_use]
    pub fn with_context(mut self, context: impl Into<String>) -> Self {
        self.context = context.into();
        self
    }

    #[must_use]
    pub fn with_place(mut self, place: &QueryContext) -> Self {
        self.place.get_or_insert_with(|| Box::new(place.clone()));
        self
    }

    #[must_use]
    pub fn with_cause(mut self, cause: SparkError) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }
}

impl fmt::Display for SparkError {
    /// As Spark's getMessage: `[CONDITION] text SQLSTATE: 42000context`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(condition) = &self.condition
            && !condition.starts_with("_LEGACY_ERROR_TEMP_")
        {
            write!(f, "[{condition}] ")?;
        }
        f.write_str(&self.message)?;
        if let Some(state) = &self.sql_state {
            write!(f, " SQLSTATE: {state}")?;
        }
        f.write_str(&self.context)
    }
}

impl std::error::Error for SparkError {}

impl From<arrow::error::ArrowError> for SparkError {
    fn from(error: arrow::error::ArrowError) -> Self {
        Self::internal(format!("arrow: {error}"))
    }
}

mod conditions {
    use std::collections::BTreeMap;
    use std::sync::OnceLock;

    static TABLE: &str = include_str!("error/conditions.json");

    fn table() -> &'static BTreeMap<String, (Option<String>, String)> {
        static PARSED: OnceLock<BTreeMap<String, (Option<String>, String)>> = OnceLock::new();
        PARSED.get_or_init(|| serde_json::from_str(TABLE).unwrap_or_default())
    }

    /// SQLSTATE and text of a condition; an unknown name renders as its parameters so that nothing is hidden.
    pub(super) fn render(condition: &str, parameters: &BTreeMap<String, String>) -> (Option<String>, String) {
        let known = table().get(condition);
        debug_assert!(known.is_some(), "{condition} is not in conditions.json");
        let Some((state, template)) = known else {
            let list: Vec<String> = parameters.iter().map(|(k, v)| format!("{k}: {v}")).collect();
            return (None, list.join(", "));
        };
        let mut text = template.clone();
        for (key, value) in parameters {
            text = text.replace(&format!("<{key}>"), value);
        }
        (state.clone(), text)
    }
}
