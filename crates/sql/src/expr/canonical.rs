//! When two expressions mean the same, and types that differ in nullability only.

use std::sync::Arc;

use super::{Attribute, Expr, ExprId, LambdaVariable, Metadata};
use crate::types::{DataType, StructField, StructType};

impl Expr {
    /// No unresolved part is left.
    pub fn is_resolved(&self) -> bool {
        !self.any(&|expr| {
            matches!(
                expr,
                Expr::UnresolvedAttribute(_)
                    | Expr::UnresolvedStar(_)
                    | Expr::UnresolvedRegex(_)
                    | Expr::UnresolvedFunction(_)
                    | Expr::UnresolvedExtract { .. }
                    | Expr::UnresolvedAlias(_)
                    | Expr::UnresolvedLambda { .. }
            )
        })
    }

    /// The expression below any alias.
    pub fn unaliased(&self) -> &Expr {
        match self {
            Expr::Alias(alias) => alias.child.unaliased(),
            other => other,
        }
    }

    /// Without what does not change the meaning: names, qualifiers, metadata, aliases, the order of commutative operands
    /// (Catalyst's `canonicalized`).
    #[must_use]
    pub fn canonical(&self) -> Expr {
        let expr = match self {
            Expr::Alias(alias) => return alias.child.canonical(),
            Expr::Attribute(attribute) => {
                return Expr::Attribute(Arc::new(Attribute {
                    id: attribute.id,
                    name: "none".into(),
                    data_type: attribute.data_type.clone(),
                    nullable: true,
                    qualifier: Vec::new(),
                    metadata: Metadata::default(),
                }));
            }
            other => other.clone(),
        };
        let mut expr = expr.map_children(&mut |child| child.canonical());
        match &mut expr {
            Expr::Cast { implicit, .. } => *implicit = false,
            Expr::GetField { name, .. } | Expr::GetArrayStructFields { name, .. } => name.clear(),
            Expr::Call(call) => {
                call.nullable = true;
                if matches!(&*call.name, "+" | "*" | "and" | "or" | "=" | "==" | "<=>" | "&" | "|" | "^") {
                    call.args.sort_by_cached_key(|arg| format!("{arg:?}"));
                }
            }
            Expr::Lambda { params, body } => {
                // Parameters are told apart by how deep their lambda is and by their position (HigherOrderFunction.canonicalized).
                let depth = body.lambda_depth();
                for (position, param) in params.iter_mut().enumerate() {
                    let id = ExprId(u64::MAX - (depth * 8 + position) as u64);
                    let named =
                        LambdaVariable { id, name: "none".into(), data_type: param.data_type.clone(), nullable: true };
                    let old = std::mem::replace(param, named.clone());
                    let made = std::mem::replace(&mut **body, Expr::bool(true));
                    **body = made.with_variable(old.id, &named);
                }
            }
            _ => {}
        }
        expr
    }

    /// Lambdas within one another at the deepest place.
    fn lambda_depth(&self) -> usize {
        let inner = self.children().into_iter().map(Expr::lambda_depth).max().unwrap_or(0);
        inner + usize::from(matches!(self, Expr::Lambda { .. }))
    }

    /// With another variable for the one of this id.
    fn with_variable(self, id: ExprId, variable: &LambdaVariable) -> Expr {
        match self {
            Expr::LambdaVariable(old) if old.id == id => Expr::LambdaVariable(variable.clone()),
            other => other.map_children(&mut |child| child.with_variable(id, variable)),
        }
    }

    /// Whether two resolved, deterministic expressions always give the same value.
    pub fn semantic_eq(&self, other: &Expr) -> bool {
        self.deterministic() && other.deterministic() && self.canonical() == other.canonical()
    }
}

/// `left` with every "may be null" of `right` added; both of the same shape.
pub fn merge_nullability(left: DataType, right: &DataType) -> DataType {
    match (left, right) {
        (
            DataType::Array { element, contains_null },
            DataType::Array { element: other, contains_null: other_contains },
        ) => DataType::Array {
            element: Arc::new(merge_nullability((*element).clone(), other)),
            contains_null: contains_null || *other_contains,
        },
        (
            DataType::Map { key, value, value_contains_null },
            DataType::Map { key: other_key, value: other_value, value_contains_null: other_contains },
        ) => DataType::Map {
            key: Arc::new(merge_nullability((*key).clone(), other_key)),
            value: Arc::new(merge_nullability((*value).clone(), other_value)),
            value_contains_null: value_contains_null || *other_contains,
        },
        (DataType::Struct(fields), DataType::Struct(others)) => DataType::Struct(Arc::new(StructType {
            fields: fields
                .fields
                .iter()
                .zip(&others.fields)
                .map(|(field, other)| StructField {
                    name: field.name.clone(),
                    data_type: merge_nullability(field.data_type.clone(), &other.data_type),
                    nullable: field.nullable || other.nullable,
                    metadata: field.metadata.clone(),
                })
                .collect(),
        })),
        (left, _) => left,
    }
}
