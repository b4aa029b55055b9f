//! `_tidemark_expr`: building columns. Every call makes an unresolved expression, as Column.scala does.

pub(crate) use _tidemark_expr::{PyExpr, module_def};

use rustpython_vm::PyResult;
use rustpython_vm::VirtualMachine;
use tidemark_sql::error::{ErrorClass, SparkError};
use tidemark_sql::expr::UdfKind;
use tidemark_sql::types::DataType;

use crate::errors::IntoPython;

/// A data type that crossed as Spark's JSON.
pub(crate) fn data_type(json: &str, vm: &VirtualMachine) -> PyResult<DataType> {
    DataType::from_json(json).py(vm)
}

/// UnresolvedAttribute.parseAttributeName: parts between dots, back-quoted ones verbatim.
pub(super) fn attribute_parts(name: &str) -> Result<Vec<String>, SparkError> {
    let bad = || SparkError::new(ErrorClass::Analysis, "INVALID_ATTRIBUTE_NAME_SYNTAX", &[("name", name)]);
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quoted = false;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        match (quoted, c) {
            (true, '`') => {
                if chars.peek() == Some(&'`') {
                    part.push('`');
                    chars.next();
                } else {
                    quoted = false;
                    if chars.peek().is_some_and(|next| *next != '.') {
                        return Err(bad());
                    }
                }
            }
            (false, '`') => {
                if !part.is_empty() {
                    return Err(bad());
                }
                quoted = true;
            }
            (false, '.') => {
                if part.is_empty() || chars.peek().is_none() {
                    return Err(bad());
                }
                parts.push(std::mem::take(&mut part));
            }
            (_, c) => part.push(c),
        }
    }
    if quoted {
        return Err(bad());
    }
    parts.push(part);
    Ok(parts)
}

/// The kind of udf that the Python side names.
pub(super) fn udf_kind(name: &str) -> UdfKind {
    match name {
        "arrow" => UdfKind::Arrow,
        "pandas" => UdfKind::Pandas,
        "aggregate" => UdfKind::PandasAggregate,
        _ => UdfKind::Scalar,
    }
}

#[rustpython_vm::pymodule]
mod _tidemark_expr {
    use rustpython_vm::builtins::PyTupleRef;
    use rustpython_vm::{PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
    use tidemark_sql::dataframe;
    use tidemark_sql::error::{ErrorClass, SparkError};
    use tidemark_sql::expr::{
        Alias, EvalMode, Expr, ExprId, FrameBound, Metadata, Origin, PythonUdf, QueryContext, Site, SortOrder,
        UnresolvedFunction, WindowFrame, WindowSpec,
    };
    use tidemark_sql::types::DataType;
    use tidemark_sql::value::Value;

    use super::{attribute_parts, data_type};
    use crate::convert;
    use crate::errors::{IntoPython, to_python};
    use crate::state::current;

    /// Handle of an expression; `Column` in Python holds one.
    #[pyattr]
    #[pyclass(module = "_tidemark_expr", name = "Expr")]
    #[derive(Debug, PyPayload)]
    pub(crate) struct PyExpr {
        pub(crate) expr: Expr,
    }

    #[pyclass]
    impl PyExpr {}

    type Handle = PyRef<PyExpr>;

    /// Where functions of pyspark.sql.functions are called from, as Spark's JVM sees it.
    const REFLECTION: &str = "java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)";

    fn wrap(expr: Expr) -> PyExpr {
        PyExpr { expr }
    }

    fn exprs(handles: &[Handle]) -> Vec<Expr> {
        handles.iter().map(|handle| handle.expr.clone()).collect()
    }

    /// F.col: a name in parts, `*` or `a.*`.
    #[pyfunction]
    fn column(name: String, vm: &VirtualMachine) -> PyResult<PyExpr> {
        if name == "*" {
            return Ok(wrap(Expr::UnresolvedStar(Vec::new())));
        }
        if let Some(prefix) = name.strip_suffix(".*") {
            let parts = attribute_parts(prefix).py(vm)?;
            return Ok(wrap(Expr::UnresolvedStar(parts)));
        }
        Ok(wrap(Expr::UnresolvedAttribute(attribute_parts(&name).py(vm)?)))
    }

    #[pyfunction]
    fn regex(pattern: String) -> PyExpr {
        wrap(Expr::UnresolvedRegex(pattern))
    }

    /// None for an object that is no literal.
    #[pyfunction]
    fn literal(object: PyObjectRef, vm: &VirtualMachine) -> PyResult<Option<PyExpr>> {
        Ok(convert::literal(&object, vm)?.map(|(value, data_type)| wrap(Expr::Literal { value, data_type })))
    }

    #[pyfunction]
    fn typed_literal(object: PyObjectRef, json: String, vm: &VirtualMachine) -> PyResult<PyExpr> {
        let data_type = data_type(&json, vm)?;
        let value = convert::to_value(&object, &data_type, vm)?;
        Ok(wrap(Expr::Literal { value, data_type }))
    }

    #[pyfunction]
    fn call(name: String, arguments: Vec<Handle>, distinct: bool) -> PyExpr {
        let args = exprs(&arguments);
        let arg_names = vec![None; args.len()];
        wrap(Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
            name,
            args,
            distinct,
            filter: None,
            ignore_nulls: false,
            over: None,
            within_group: Vec::new(),
            arg_names,
            operator: false,
        })))
    }

    /// The expression with the place of its making: that of the first frame of the script's own files, or Java's words for
    /// a call through reflection when `reflected`.
    #[pyfunction]
    fn placed(child: Handle, fragment: String, reflected: bool, vm: &VirtualMachine) -> PyExpr {
        let call_site = if reflected { REFLECTION.to_owned() } else { crate::traceback::call_site(vm) };
        let context = Some(QueryContext::DataFrame { fragment: fragment.into(), call_site: call_site.into() });
        let origin = Origin { line: 0, position: 0, text: None, context };
        wrap(Expr::At { child: Box::new(child.expr.clone()), origin: origin.into() })
    }

    /// Column.withField and Column.dropFields: operations ("with:path", "drop:path") and the values of the first kind.
    #[pyfunction]
    fn update_fields(child: Handle, operations: Vec<String>, values: Vec<Handle>) -> PyExpr {
        let mut values = exprs(&values).into_iter();
        let mut call = match &child.expr {
            Expr::UnresolvedFunction(call) if call.name == "update_fields" => (**call).clone(),
            other => UnresolvedFunction {
                name: "update_fields".to_owned(),
                args: vec![other.clone()],
                distinct: false,
                filter: None,
                ignore_nulls: false,
                over: None,
                within_group: Vec::new(),
                arg_names: vec![None],
                operator: false,
            },
        };
        for operation in operations {
            let null = Expr::Literal { value: Value::Null, data_type: DataType::Null };
            call.args.push(if operation.starts_with("with:") { values.next().unwrap_or(null) } else { null });
            call.arg_names.push(Some(operation));
        }
        wrap(Expr::UnresolvedFunction(Box::new(call)))
    }

    #[pyfunction]
    fn alias(child: Handle, names: Vec<String>, metadata: Option<String>) -> PyExpr {
        let metadata = metadata.map(|json| Metadata { user: Some(json.into()), ..Metadata::default() });
        wrap(Expr::Alias(Box::new(Alias {
            child: child.expr.clone(),
            id: ExprId::fresh(),
            names,
            qualifier: Vec::new(),
            metadata,
        })))
    }

    #[pyfunction]
    fn cast(child: Handle, json: String, lenient: bool, vm: &VirtualMachine) -> PyResult<PyExpr> {
        let to = data_type(&json, vm)?.without_lengths();
        let mode = if lenient { EvalMode::Try } else { EvalMode::Ansi };
        Ok(wrap(Expr::Cast { child: Box::new(child.expr.clone()), to, mode, implicit: false, site: Site::default() }))
    }

    /// Column.when on a column made by when().
    #[pyfunction]
    fn when(before: Option<Handle>, condition: Handle, value: Handle, vm: &VirtualMachine) -> PyResult<PyExpr> {
        let mut branches = match before.as_ref().map(|handle| &handle.expr) {
            None => Vec::new(),
            Some(Expr::CaseWhen { branches, otherwise: None }) => branches.clone(),
            Some(Expr::CaseWhen { .. }) => {
                return Err(illegal("when() cannot be applied once otherwise() is applied", vm));
            }
            Some(_) => {
                let text = "when() can only be applied on a Column previously generated by when() function";
                return Err(illegal(text, vm));
            }
        };
        branches.push((condition.expr.clone(), value.expr.clone()));
        Ok(wrap(Expr::CaseWhen { branches, otherwise: None }))
    }

    #[pyfunction]
    fn otherwise(before: Handle, value: Handle, vm: &VirtualMachine) -> PyResult<PyExpr> {
        match &before.expr {
            Expr::CaseWhen { branches, otherwise: None } => {
                Ok(wrap(Expr::CaseWhen { branches: branches.clone(), otherwise: Some(Box::new(value.expr.clone())) }))
            }
            Expr::CaseWhen { .. } => {
                Err(illegal("otherwise() can only be applied once on a Column previously generated by when()", vm))
            }
            _ => Err(illegal("otherwise() can only be applied on a Column previously generated by when()", vm)),
        }
    }

    fn illegal(text: &str, vm: &VirtualMachine) -> rustpython_vm::builtins::PyBaseExceptionRef {
        to_python(&SparkError::plain(ErrorClass::IllegalArgument, text), vm)
    }

    #[pyfunction]
    fn extract(child: Handle, extraction: Handle) -> PyExpr {
        wrap(Expr::UnresolvedExtract {
            child: Box::new(child.expr.clone()),
            extraction: Box::new(extraction.expr.clone()),
        })
    }

    #[pyfunction]
    fn sort(child: Handle, ascending: bool, nulls_first: bool) -> PyExpr {
        wrap(Expr::SortOrder(Box::new(SortOrder { child: child.expr.clone(), ascending, nulls_first })))
    }

    fn order(handles: &[Handle]) -> Vec<SortOrder> {
        handles.iter().map(|handle| dataframe::ascending(handle.expr.clone())).collect()
    }

    fn bound(offset: i64) -> FrameBound {
        match offset {
            i64::MIN => FrameBound::UnboundedPreceding,
            i64::MAX => FrameBound::UnboundedFollowing,
            0 => FrameBound::CurrentRow,
            offset => {
                let literal = match i32::try_from(offset) {
                    Ok(small) => Expr::Literal { value: Value::Integer(small), data_type: DataType::Integer },
                    Err(_) => Expr::Literal { value: Value::Long(offset), data_type: DataType::Long },
                };
                FrameBound::Offset(Box::new(literal))
            }
        }
    }

    /// Column.over. `frame` is (rows, start, end) with the extremes of i64 for unbounded ends.
    #[pyfunction]
    fn over(
        child: Handle,
        partition: Vec<Handle>,
        order_by: Vec<Handle>,
        frame: Option<PyTupleRef>,
        vm: &VirtualMachine,
    ) -> PyResult<PyExpr> {
        let frame = match frame {
            Some(frame) => Some(frame.extract_tuple::<(bool, i64, i64)>(vm)?),
            None => None,
        };
        let spec = WindowSpec {
            partition_by: exprs(&partition),
            order_by: order(&order_by),
            frame: frame.map(|(rows, start, end)| WindowFrame { rows, start: bound(start), end: bound(end) }),
        };
        let bare = match &child.expr {
            Expr::At { child, .. } => child,
            other => other,
        };
        match bare {
            Expr::UnresolvedFunction(function) => {
                let mut function = function.clone();
                function.over = Some(spec);
                Ok(wrap(Expr::UnresolvedFunction(function)))
            }
            other => {
                let text = current(vm).and_then(|state| dataframe::column_text(&state.sql, other).py(vm))?;
                let quoted = format!("\"{text}\"");
                Err(to_python(&SparkError::analysis("UNSUPPORTED_EXPR_FOR_WINDOW", &[("sqlExpr", &quoted)]), vm))
            }
        }
    }

    #[pyfunction]
    fn lambda_(names: Vec<String>, body: Handle) -> PyExpr {
        wrap(Expr::UnresolvedLambda { params: names, body: Box::new(body.expr.clone()) })
    }

    /// A variable of a lambda, to be found by name in the enclosing one.
    #[pyfunction]
    fn variable(name: String) -> PyExpr {
        wrap(Expr::UnresolvedAttribute(vec![name]))
    }

    /// `kind`: "scalar", "pandas" or "aggregate".
    #[pyfunction]
    fn udf(
        function: PyObjectRef,
        name: String,
        arguments: Vec<Handle>,
        names: Vec<Option<String>>,
        json: String,
        deterministic: bool,
        kind: String,
        vm: &VirtualMachine,
    ) -> PyResult<PyExpr> {
        let kind = super::udf_kind(&kind);
        let data_type = data_type(&json, vm)?;
        let handle = current(vm)?.keep(function);
        Ok(wrap(Expr::PythonUdf(Box::new(PythonUdf {
            handle,
            name,
            args: exprs(&arguments),
            arg_names: names,
            data_type,
            deterministic,
            kind,
        }))))
    }

    #[pyfunction]
    fn text(child: Handle, vm: &VirtualMachine) -> PyResult<String> {
        let state = current(vm)?;
        dataframe::column_text(&state.sql, &child.expr).py(vm)
    }

    /// F.expr.
    #[pyfunction]
    fn parse(text: String, vm: &VirtualMachine) -> PyResult<PyExpr> {
        let state = current(vm)?;
        dataframe::parse_expression(&state.sql, &text).py(vm).map(wrap)
    }

    /// Spark's JSON of a DDL type or table schema; ParseException otherwise.
    #[pyfunction]
    fn parse_type(text: String, table: bool, vm: &VirtualMachine) -> PyResult<String> {
        let ntz = current(vm).is_ok_and(|state| state.sql.conf.borrow().timestamp_is_ntz());
        if table {
            let schema = tidemark_sql::types::parse_struct(&text).py(vm)?;
            return Ok(DataType::Struct(schema.into()).with_timestamps(ntz).json());
        }
        let data_type = tidemark_sql::types::parse_data_type(&text).py(vm)?;
        Ok(data_type.with_timestamps(ntz).json())
    }

    /// DDL text of a struct given as JSON (StructType.toDDL).
    #[pyfunction]
    fn type_ddl(json: String, vm: &VirtualMachine) -> PyResult<String> {
        Ok(match data_type(&json, vm)? {
            DataType::Struct(schema) => schema.to_ddl(),
            other => other.sql(),
        })
    }

    /// printSchema's tree of a struct given as JSON.
    #[pyfunction]
    fn type_tree(json: String, level: usize, vm: &VirtualMachine) -> PyResult<String> {
        Ok(match data_type(&json, vm)? {
            DataType::Struct(schema) => schema.tree_string(level),
            other => other.simple_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::attribute_parts;

    #[test]
    fn attribute_names_split_at_dots_outside_back_quotes() {
        assert_eq!(attribute_parts("a.b").ok(), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(attribute_parts("`a.b`.c").ok(), Some(vec!["a.b".to_owned(), "c".to_owned()]));
        assert_eq!(attribute_parts("`a``b`").ok(), Some(vec!["a`b".to_owned()]));
        assert!(attribute_parts("a.").is_err());
        assert!(attribute_parts("`a").is_err());
        assert!(attribute_parts("`a`b").is_err());
    }
}
