//! Column.withField and Column.dropFields: structs with fields put in, replaced or taken away (UpdateFields).

use arrow::array::NullArray;

use crate::dataframe::parse_attribute_name;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::unexpected_input;
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry, MANY};
use crate::functions::typed::column_call;
use crate::types::{DataType, StructType};
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[FunctionEntry::custom("update_fields", 1, MANY, update_fields)];

/// Arguments: the struct, then for each operation the new value (or NULL) named "with:path" or "drop:path".
fn update_fields(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let names = std::mem::take(&mut b.arg_names);
    let mut shown = vec![args[0].clone()];
    let mut operations = Vec::new();
    for (i, value) in args.iter().enumerate().skip(1) {
        let name = names.get(i).cloned().flatten().unwrap_or_default();
        let (with, path) = match (name.strip_prefix("with:"), name.strip_prefix("drop:")) {
            (Some(path), _) => (true, path),
            (_, Some(path)) => (false, path),
            _ => return Err(SparkError::internal("update_fields takes named operations")),
        };
        // What the name of the column shows of an operation.
        let operation = if with {
            let (t, nullable) = (value.data_type(), value.nullable());
            column_call("WithField", vec![value.clone()], t, nullable, false, b.ansi(), |c| {
                c.operand(0)?.to_array(c.rows)
            })
        } else {
            column_call("dropfield", Vec::new(), DataType::Null, true, false, b.ansi(), |c| {
                Ok(std::sync::Arc::new(NullArray::new(c.rows)))
            })
        };
        operations.push((parse_attribute_name(path)?, with.then(|| operation.clone())));
        shown.push(operation);
    }
    let sql = describe::call_text("update_fields", &shown);
    let value = updated(b, &args[0], &operations, &sql)?;
    let (t, nullable) = (value.data_type(), value.nullable());
    Ok(super::replaced("update_fields", shown, value, t, nullable))
}

type Operation = (Vec<String>, Option<Expr>);

fn updated(b: &Build<'_>, base: &Expr, operations: &[Operation], sql: &str) -> Result<Expr> {
    let DataType::Struct(schema) = base.data_type() else {
        return Err(unexpected_input(sql, 0, "\"STRUCT\"", base));
    };
    let mut fields: Vec<(String, Expr)> = schema
        .fields
        .iter()
        .enumerate()
        .map(|(ordinal, f)| {
            let field = Expr::GetField { child: Box::new(base.clone()), ordinal, name: f.name.clone() };
            (f.name.clone(), field)
        })
        .collect();
    for (path, value) in operations {
        let Some((first, rest)) = path.split_first() else { continue };
        let matching = |name: &str| b.conf.same_name(name, first);
        if rest.is_empty() {
            match value {
                Some(value) => {
                    let mut found = false;
                    for field in fields.iter_mut().filter(|f| matching(&f.0)) {
                        field.1 = value.clone();
                        found = true;
                    }
                    if !found {
                        fields.push((first.clone(), value.clone()));
                    }
                }
                None => fields.retain(|f| !matching(&f.0)),
            }
            continue;
        }
        let nested = [(rest.to_vec(), value.clone())];
        let mut found = false;
        for field in fields.iter_mut().filter(|f| matching(&f.0)) {
            field.1 = updated(b, &field.1, &nested, sql)?;
            found = true;
        }
        if !found && value.is_some() {
            return Err(not_found(first, &schema));
        }
    }
    if fields.is_empty() {
        return Err(SparkError::analysis(
            "DATATYPE_MISMATCH.CANNOT_DROP_ALL_FIELDS",
            &[("sqlExpr", &format!("\"{sql}\""))],
        ));
    }
    let named = fields
        .into_iter()
        .flat_map(|(name, value)| [Expr::literal(Value::from(name.as_str()), DataType::String), value])
        .collect();
    let made = b.invoke("named_struct", named)?;
    if !base.nullable() {
        return Ok(made);
    }
    let absent = b.invoke("isnull", vec![base.clone()])?;
    let null = Expr::literal(Value::Null, made.data_type());
    b.invoke("if", vec![absent, null, made])
}

fn not_found(name: &str, schema: &StructType) -> SparkError {
    let fields: Vec<String> = schema.fields.iter().map(|f| format!("`{}`", f.name)).collect();
    SparkError::analysis("FIELD_NOT_FOUND", &[("fieldName", &format!("`{name}`")), ("fields", &fields.join(", "))])
}
