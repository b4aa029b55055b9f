//! Structs: named_struct, struct, and rows of SQL text.

use arrow::array::{ArrayRef, StructArray};

use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::describe;
use crate::functions::registry::{Build, FunctionEntry, MANY};
use crate::functions::row::call;
use crate::types::{DataType, StructField};
use crate::value::Value;

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("named_struct", 0, MANY, named_struct),
    FunctionEntry::custom("struct", 0, MANY, structure),
    FunctionEntry::custom("$row", 0, MANY, row),
];

/// Name of the field that an expression becomes; its place where it has none.
pub(super) fn field_name(e: &Expr, i: usize) -> String {
    match e {
        Expr::Attribute(a) => a.name.to_string(),
        Expr::Alias(a) => a.names.first().cloned().unwrap_or_default(),
        Expr::GetField { name, .. } | Expr::GetArrayStructFields { name, .. } => name.clone(),
        Expr::LambdaVariable(v) => v.name.clone(),
        // The analyzer keeps the place of a name of SQL text.
        Expr::At { child, .. } => field_name(child, i),
        _ => i.to_string(),
    }
}

fn named_struct(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    if !args.len().is_multiple_of(2) {
        return Err(super::super::registry::wrong_count(b.written, "2n (n > 0)", args.len()));
    }
    let mut fields = Vec::new();
    for (i, pair) in args.chunks(2).enumerate() {
        let name = match &pair[0] {
            Expr::Literal { value: Value::String(name), .. } => name.to_string(),
            other => {
                return Err(SparkError::analysis(
                    "DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING",
                    &[
                        ("sqlExpr", &format!("\"{}\"", describe::call_text("named_struct", &args))),
                        ("inputExprs", &format!("[{}]", describe::quoted(other))),
                    ],
                ));
            }
        };
        let value = &args[i * 2 + 1];
        fields.push(StructField {
            name,
            data_type: value.data_type(),
            nullable: value.nullable(),
            metadata: value.metadata().user.unwrap_or_else(|| "{}".into()),
        });
    }
    let t = DataType::structure(fields);
    Ok(call(b.name, args, t.clone(), false, MakeStruct { stride: 2, data_type: t }))
}

/// struct(a, b AS c): names from the arguments.
fn structure(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let fields: Vec<StructField> = args
        .iter()
        .enumerate()
        .map(|(i, a)| {
            let name = match field_name(a, i) {
                n if n == i.to_string() && !matches!(a, Expr::Attribute(_) | Expr::Alias(_)) => format!("col{}", i + 1),
                n => n,
            };
            StructField {
                name,
                data_type: a.data_type(),
                nullable: a.nullable(),
                metadata: a.metadata().user.unwrap_or_else(|| "{}".into()),
            }
        })
        .collect();
    let t = DataType::structure(fields);
    Ok(call(b.name, args, t.clone(), false, MakeStruct { stride: 1, data_type: t }))
}

/// `(a, b)` of SQL: a named_struct whose names are those of the expressions.
fn row(b: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    let DataType::Struct(schema) = structure(b, args.clone())?.data_type() else {
        return Err(SparkError::internal("a row is a struct"));
    };
    let named = schema
        .fields
        .iter()
        .zip(args)
        .flat_map(|(field, value)| {
            let value = match value {
                Expr::Alias(alias) => alias.child,
                other => other,
            };
            [Expr::literal(Value::from(field.name.as_str()), DataType::String), value]
        })
        .collect();
    b.invoke("named_struct", named)
}

/// Columns side by side as a struct; with stride 2 every second argument is a name.
#[derive(Debug)]
struct MakeStruct {
    stride: usize,
    data_type: DataType,
}

impl crate::functions::Kernel for MakeStruct {
    fn evaluate(&self, args: &[ArrayRef], rows: usize, _: &crate::functions::EvalContext<'_>) -> Result<ArrayRef> {
        let DataType::Struct(schema) = &self.data_type else { return Err(SparkError::internal("struct type")) };
        let fields = schema.to_arrow_fields();
        let columns = args
            .iter()
            .skip(self.stride - 1)
            .step_by(self.stride)
            .zip(fields.iter())
            .map(|(a, f)| {
                // Names inside may differ from those of the type.
                if a.data_type() == f.data_type() { Ok(a.clone()) } else { Ok(arrow::compute::cast(a, f.data_type())?) }
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(std::sync::Arc::new(StructArray::try_new_with_length(fields, columns, None, rows)?))
    }
}
