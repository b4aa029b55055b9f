//! `_tidemark_expr`: building columns. Every call makes an unresolved expression, as Column.scala does.

pub(crate) use _tidemark_expr::{PyExpr, module_def};

use rustpython_vm::PyResult;
use rustpython_vm::VirtualMachine;
use tidemark_sql::error::{ErrorClass, SparkError};
use tidemark_sql::types::DataType;

use crate::errors::IntoPython;

/// A data type that crossed as Spark's JSON.
pub(super) fn data_type(json: &str, vm: &VirtualMachine) -> PyResult<DataType> {
    DataType::from_json(json).py(vm)
}

/// CharVarcharUtils.replaceCharVarcharWithStringForCast: a cast to CHAR or VARCHAR is one to STRING.
fn without_lengths(data_type: DataType) -> DataType {
    match data_type {
        DataType::Char(_) | DataType::Varchar(_) => DataType::String,
        DataType::Array { element, contains_null } => {
            DataType::Array { element: without_lengths((*element).clone()).into(), contains_null }
        }
        DataType::Map { key, value, value_contains_null } => DataType::Map {
            key: without_lengths((*key).clone()).into(),
            value: without_lengths((*value).clone()).into(),
            value_contains_null,
        },
        DataType::Struct(schema) => {
            let mut schema = (*schema).clone();
            for field in &mut schema.fields {
                field.data_type = without_lengths(field.data_type.clone());
            }
            DataType::Struct(schema.into())
        }
        other => other,
    }
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

#[rustpython_vm::pymodule]
mod _tidemark_expr {
    use rustpython_vm::builtins::PyTupleRef;
    use rustpython_vm::{PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine, pyclass};
    use tidemark_sql::dataframe;
    use tidemark_sql::error::{ErrorClass, SparkError};
    use tidemark_sql::expr::{
        Alias, EvalMode, Expr, ExprId, FrameBound, Metadata, PythonUdf, SortOrder, UdfKind, UnresolvedFunction,
        WindowFrame, WindowSpec,
    };
    use tidemark_sql::types::DataType;
    use tidemark_sql::value::Value;

    use super::{attribute_parts, data_type, without_lengths};
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
        })))
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
        let to = without_lengths(data_type(&json, vm)?);
        let mode = if lenient { EvalMode::Try } else { EvalMode::Ansi };
        Ok(wrap(Expr::Cast { child: Box::new(child.expr.clone()), to, mode, implicit: false }))
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
        handles
            .iter()
            .map(|handle| match &handle.expr {
                Expr::SortOrder(order) => (**order).clone(),
                child => SortOrder { child: child.clone(), ascending: true, nulls_first: true },
            })
            .collect()
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
        match &child.expr {
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

    #[pyfunction]
    fn udf(
        function: PyObjectRef,
        name: String,
        arguments: Vec<Handle>,
        names: Vec<Option<String>>,
        json: String,
        deterministic: bool,
        vm: &VirtualMachine,
    ) -> PyResult<PyExpr> {
        let data_type = data_type(&json, vm)?;
        let handle = current(vm)?.keep(function);
        Ok(wrap(Expr::PythonUdf(Box::new(PythonUdf {
            handle,
            name,
            args: exprs(&arguments),
            arg_names: names,
            data_type,
            deterministic,
            kind: UdfKind::Scalar,
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
        if table {
            return tidemark_sql::types::parse_struct(&text).py(vm).map(|schema| schema.json());
        }
        tidemark_sql::types::parse_data_type(&text).py(vm).map(|data_type| data_type.json())
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
