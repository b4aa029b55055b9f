//! Engine errors to Python exceptions and back, as PySpark's captured exceptions and py4j do.

use rustpython_vm::builtins::PyBaseExceptionRef;
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{AsObject, PyObjectRef, PyResult, VirtualMachine};
use tidemark_sql::error::{ErrorClass, SparkError};
use tidemark_sql::expr::QueryContext;

/// Name under which `pyspark.errors._engine.exception` knows the family.
fn family(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Analysis => "AnalysisException",
        ErrorClass::Parse => "ParseException",
        ErrorClass::IllegalArgument => "IllegalArgumentException",
        ErrorClass::Arithmetic => "ArithmeticException",
        ErrorClass::NumberFormat => "NumberFormatException",
        ErrorClass::DateTime => "DateTimeException",
        ErrorClass::ArrayIndexOutOfBounds => "ArrayIndexOutOfBoundsException",
        ErrorClass::UnsupportedOperation => "UnsupportedOperationException",
        ErrorClass::Runtime => "SparkRuntimeException",
        ErrorClass::NoSuchElement => "SparkNoSuchElementException",
        ErrorClass::Spark => "SparkException",
        ErrorClass::QueryExecution => "QueryExecutionException",
        ErrorClass::StreamingQuery => "StreamingQueryException",
        ErrorClass::Python => "PythonException",
        ErrorClass::Java(name) => name,
    }
}

/// As [`family`], but for the JVM classes that have a Python class of their own.
fn python_family(error: &SparkError) -> &'static str {
    match error.java_class.as_deref() {
        Some("org.apache.spark.SparkUpgradeException") => "SparkUpgradeException",
        _ => family(error.class),
    }
}

/// The JVM class that the error would have in Spark.
fn java_name(error: &SparkError) -> String {
    if let Some(name) = &error.java_class {
        return name.clone();
    }
    let name = match error.class {
        ErrorClass::Analysis => "org.apache.spark.sql.AnalysisException",
        ErrorClass::Parse => "org.apache.spark.sql.catalyst.parser.ParseException",
        ErrorClass::IllegalArgument => "org.apache.spark.SparkIllegalArgumentException",
        ErrorClass::Arithmetic => "org.apache.spark.SparkArithmeticException",
        ErrorClass::NumberFormat => "org.apache.spark.SparkNumberFormatException",
        ErrorClass::DateTime => "org.apache.spark.SparkDateTimeException",
        ErrorClass::ArrayIndexOutOfBounds => "org.apache.spark.SparkArrayIndexOutOfBoundsException",
        ErrorClass::UnsupportedOperation => "org.apache.spark.SparkUnsupportedOperationException",
        ErrorClass::Runtime => "org.apache.spark.SparkRuntimeException",
        ErrorClass::NoSuchElement => "org.apache.spark.SparkNoSuchElementException",
        ErrorClass::Spark => "org.apache.spark.SparkException",
        ErrorClass::QueryExecution => "org.apache.spark.sql.execution.QueryExecutionException",
        ErrorClass::StreamingQuery => "org.apache.spark.sql.streaming.StreamingQueryException",
        ErrorClass::Python => "org.apache.spark.api.python.PythonException",
        ErrorClass::Java(name) => name,
    };
    name.to_owned()
}

/// The text of Throwable.toString and of its causes, as the head lines of a Java stack trace.
fn java_trace(error: &SparkError) -> String {
    let mut trace = format!("{}: {error}", java_name(error));
    let mut next = error.cause.as_deref();
    while let Some(cause) = next {
        trace.push_str(&format!("\nCaused by: {}: {cause}", java_name(cause)));
        next = cause.cause.as_deref();
    }
    trace
}

fn optional(text: Option<&str>, vm: &VirtualMachine) -> PyObjectRef {
    text.map_or_else(|| vm.ctx.none(), |text| text.to_pyobject(vm))
}

/// Arguments of `pyspark.errors._engine.Context`.
fn place_parts(place: &QueryContext, vm: &VirtualMachine) -> PyObjectRef {
    let summary = place.summary().trim_start_matches('\n').to_pyobject(vm);
    let parts = match place {
        QueryContext::Sql { text, start, stop, .. } => {
            let fragment: String = text.chars().skip(*start).take((stop + 1).saturating_sub(*start)).collect();
            vec![true.to_pyobject(vm), fragment.to_pyobject(vm), start.to_pyobject(vm), stop.to_pyobject(vm), summary]
        }
        QueryContext::DataFrame { fragment, call_site } => {
            vec![false.to_pyobject(vm), fragment.to_pyobject(vm), call_site.to_pyobject(vm), vm.ctx.none(), summary]
        }
    };
    vm.ctx.new_tuple(parts).into()
}

fn build(error: &SparkError, vm: &VirtualMachine) -> PyResult<PyBaseExceptionRef> {
    let parameters = vm.ctx.new_dict();
    for (name, value) in &error.parameters {
        parameters.set_item(name.as_str(), value.to_pyobject(vm), vm)?;
    }
    for (name, value) in error.further_parameters() {
        parameters.set_item(*name, (*value).to_pyobject(vm), vm)?;
    }
    let cause = match &error.cause {
        Some(cause) => to_python(cause, vm).into(),
        None => vm.ctx.none(),
    };
    // PySpark converts neither these nor a plain SparkException: the script sees py4j's error.
    let java = matches!(error.class, ErrorClass::Java(_) | ErrorClass::Spark);
    // ParseException.getMessage begins with a line break.
    let start = if error.class == ErrorClass::Parse { "\n" } else { "" };
    let mut summary = error.clone();
    summary.context = String::new();
    let arguments: Vec<PyObjectRef> = vec![
        python_family(error).to_pyobject(vm),
        vm.ctx.new_bool(java).into(),
        format!("{start}{error}").to_pyobject(vm),
        optional(error.condition.as_deref(), vm),
        optional(error.sql_state.as_deref(), vm),
        parameters.into(),
        summary.to_string().to_pyobject(vm),
        java_name(error).to_pyobject(vm),
        java_trace(error).to_pyobject(vm),
        cause,
        error.place.as_deref().map_or_else(|| vm.ctx.none(), |place| place_parts(place, vm)),
    ];
    let module = vm.import("pyspark.errors._engine", 0)?;
    let module = module.get_attr("errors", vm)?.get_attr("_engine", vm)?;
    let exception = module.get_attr("exception", vm)?.call(arguments, vm)?;
    exception.downcast().map_err(|_| vm.new_runtime_error(error.to_string()))
}

/// The exception that a script sees for an engine error. If the error came out of a function of the script that was
/// interrupted or left by sys.exit, that goes on instead.
pub(crate) fn to_python(error: &SparkError, vm: &VirtualMachine) -> PyBaseExceptionRef {
    if let Ok(state) = crate::state::current(vm)
        && let Some(leaving) = state.take_leaving()
    {
        return leaving;
    }
    build(error, vm).unwrap_or_else(|exception| exception)
}

/// Makes an engine result a Python result.
pub(crate) trait IntoPython<T> {
    fn py(self, vm: &VirtualMachine) -> PyResult<T>;
}

impl<T> IntoPython<T> for tidemark_sql::Result<T> {
    fn py(self, vm: &VirtualMachine) -> PyResult<T> {
        self.map_err(|error| to_python(&error, vm))
    }
}

/// What the engine is told when a function of the script raised: for a driver-side callback (foreachBatch, listeners) the
/// text is py4j's, for a function on rows it is the worker's PYTHON_EXCEPTION.
#[derive(Clone, Copy)]
pub(crate) enum Callback {
    Driver,
    Worker,
}

pub(crate) fn from_python(exception: PyBaseExceptionRef, callback: Callback, vm: &VirtualMachine) -> SparkError {
    let trace = crate::traceback::format(&exception, vm);
    if !exception.fast_isinstance(vm.ctx.exceptions.exception_type)
        && let Ok(state) = crate::state::current(vm)
    {
        state.set_leaving(exception);
    }
    match callback {
        Callback::Driver => {
            let message = format!("An exception was raised by the Python Proxy. Return Message: {trace}");
            let mut error = SparkError::plain(ErrorClass::Java("py4j.Py4JException"), message);
            error.java_class = Some("py4j.Py4JException".to_owned());
            error
        }
        Callback::Worker => SparkError::new(
            ErrorClass::Python,
            "PYTHON_EXCEPTION",
            &[("msg", "An exception was thrown from the Python worker"), ("traceback", &trace)],
        ),
    }
}
