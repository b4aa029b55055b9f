//! Walking and rebuilding expressions (Catalyst's TreeNode), and what can be told of one without its input.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use super::{Alias, Attribute, Expr, ExprId, FrameBound, Metadata, SortOrder, WindowSpec};
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

impl WindowSpec {
    fn children<'a>(&'a self, out: &mut Vec<&'a Expr>) {
        out.extend(&self.partition_by);
        out.extend(self.order_by.iter().map(|o| &o.child));
        if let Some(frame) = &self.frame {
            for bound in [&frame.start, &frame.end] {
                if let FrameBound::Offset(e) = bound {
                    out.push(e);
                }
            }
        }
    }

    fn try_map<E>(mut self, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<Self, E> {
        self.partition_by = map_vec(self.partition_by, f)?;
        self.order_by = map_orders(self.order_by, f)?;
        if let Some(frame) = &mut self.frame {
            for bound in [&mut frame.start, &mut frame.end] {
                if let FrameBound::Offset(e) = bound {
                    **e = f((**e).clone())?;
                }
            }
        }
        Ok(self)
    }
}

/// Applies `f` to every element.
pub(crate) fn map_vec<E>(list: Vec<Expr>, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<Vec<Expr>, E> {
    list.into_iter().map(f).collect()
}

/// Applies `f` to what is sorted by.
pub(crate) fn map_orders<E>(
    list: Vec<SortOrder>,
    f: &mut dyn FnMut(Expr) -> Result<Expr, E>,
) -> Result<Vec<SortOrder>, E> {
    list.into_iter().map(|o| Ok(SortOrder { child: f(o.child)?, ..o })).collect()
}

impl Expr {
    /// Direct children, in order.
    pub fn children(&self) -> Vec<&Expr> {
        let mut out = Vec::new();
        match self {
            Expr::UnresolvedAttribute(_)
            | Expr::UnresolvedStar(_)
            | Expr::UnresolvedRegex(_)
            | Expr::Literal { .. }
            | Expr::Attribute(_)
            | Expr::Bound { .. }
            | Expr::LambdaVariable(_)
            | Expr::ScalarSubquery(_)
            | Expr::Exists { .. } => {}
            Expr::UnresolvedFunction(u) => {
                out.extend(&u.args);
                out.extend(u.filter.as_ref());
                out.extend(u.within_group.iter().map(|o| &o.child));
                if let Some(over) = &u.over {
                    over.children(&mut out);
                }
            }
            Expr::UnresolvedExtract { child, extraction } => out.extend([&**child, &**extraction]),
            Expr::UnresolvedAlias(child) | Expr::Cast { child, .. } | Expr::At { child, .. } => out.push(child),
            Expr::GetField { child, .. } | Expr::GetArrayStructFields { child, .. } => out.push(child),
            Expr::InSubquery { child, .. } => out.push(child),
            Expr::UnresolvedLambda { body, .. } | Expr::Lambda { body, .. } => out.push(body),
            Expr::Alias(a) => out.push(&a.child),
            Expr::Call(c) => out.extend(&c.args),
            Expr::CaseWhen { branches, otherwise } => {
                out.extend(branches.iter().flat_map(|(c, v)| [c, v]));
                out.extend(otherwise.as_deref());
            }
            Expr::Aggregate(a) => {
                out.extend(&a.args);
                out.extend(a.filter.as_ref());
            }
            Expr::Generator(g) => out.extend(&g.args),
            Expr::Window(w) => {
                out.push(&w.function);
                w.spec.children(&mut out);
            }
            Expr::TimeWindow(w) => out.push(&w.time),
            Expr::SessionWindow(w) => out.extend([&w.time, &w.gap]),
            Expr::SortOrder(o) => out.push(&o.child),
            Expr::PythonUdf(u) => out.extend(&u.args),
        }
        out
    }

    /// The same expression over other children.
    pub fn try_map_children<E>(self, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        Ok(match self {
            Expr::UnresolvedFunction(mut u) => {
                u.args = map_vec(u.args, f)?;
                u.filter = u.filter.map(&mut *f).transpose()?;
                u.within_group = map_orders(u.within_group, f)?;
                u.over = u.over.map(|o| o.try_map(f)).transpose()?;
                Expr::UnresolvedFunction(u)
            }
            Expr::UnresolvedExtract { child, extraction } => {
                Expr::UnresolvedExtract { child: Box::new(f(*child)?), extraction: Box::new(f(*extraction)?) }
            }
            Expr::UnresolvedAlias(child) => Expr::UnresolvedAlias(Box::new(f(*child)?)),
            Expr::At { child, origin } => Expr::At { child: Box::new(f(*child)?), origin },
            Expr::Cast { child, to, mode, implicit, site } => {
                Expr::Cast { child: Box::new(f(*child)?), to, mode, implicit, site }
            }
            Expr::GetField { child, ordinal, name } => Expr::GetField { child: Box::new(f(*child)?), ordinal, name },
            Expr::GetArrayStructFields { child, ordinal, name } => {
                Expr::GetArrayStructFields { child: Box::new(f(*child)?), ordinal, name }
            }
            Expr::InSubquery { child, plan, negated } => {
                Expr::InSubquery { child: Box::new(f(*child)?), plan, negated }
            }
            Expr::UnresolvedLambda { params, body } => Expr::UnresolvedLambda { params, body: Box::new(f(*body)?) },
            Expr::Lambda { params, body } => Expr::Lambda { params, body: Box::new(f(*body)?) },
            Expr::Alias(mut a) => {
                a.child = f(a.child)?;
                Expr::Alias(a)
            }
            Expr::Call(mut c) => {
                c.args = map_vec(c.args, f)?;
                Expr::Call(c)
            }
            Expr::CaseWhen { branches, otherwise } => Expr::CaseWhen {
                branches: branches.into_iter().map(|(c, v)| Ok((f(c)?, f(v)?))).collect::<Result<_, E>>()?,
                otherwise: otherwise.map(|e| f(*e).map(Box::new)).transpose()?,
            },
            Expr::Aggregate(mut a) => {
                a.args = map_vec(a.args, f)?;
                a.filter = a.filter.map(f).transpose()?;
                Expr::Aggregate(a)
            }
            Expr::Generator(mut g) => {
                g.args = map_vec(g.args, f)?;
                Expr::Generator(g)
            }
            Expr::Window(mut w) => {
                w.function = f(w.function)?;
                w.spec = w.spec.try_map(f)?;
                Expr::Window(w)
            }
            Expr::TimeWindow(mut w) => {
                w.time = f(w.time)?;
                Expr::TimeWindow(w)
            }
            Expr::SessionWindow(mut w) => {
                w.time = f(w.time)?;
                w.gap = f(w.gap)?;
                Expr::SessionWindow(w)
            }
            Expr::SortOrder(mut o) => {
                o.child = f(o.child)?;
                Expr::SortOrder(o)
            }
            Expr::PythonUdf(mut u) => {
                u.args = map_vec(u.args, f)?;
                Expr::PythonUdf(u)
            }
            leaf => leaf,
        })
    }

    /// [`Self::try_map_children`] for what cannot fail.
    pub fn map_children(self, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        match self.try_map_children::<Infallible>(&mut |e| Ok(f(e))) {
            Ok(e) => e,
            Err(never) => match never {},
        }
    }

    /// Children first, then the node.
    pub fn transform_up(self, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let mapped = self.map_children(&mut |e| e.transform_up(f));
        f(mapped)
    }

    /// The node first, then the children of what it became.
    pub fn transform_down(self, f: &mut dyn FnMut(Expr) -> Expr) -> Expr {
        let mapped = f(self);
        mapped.map_children(&mut |e| e.transform_down(f))
    }

    /// Children first, then the node; the first error ends it.
    pub fn try_transform_up<E>(self, f: &mut dyn FnMut(Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        let mapped = self.try_map_children(&mut |e| e.try_transform_up(f))?;
        f(mapped)
    }

    /// Whether the node or any below it satisfies `test`.
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|c| c.any(test))
    }

    /// Calls `f` on the node and everything below it, parents first.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }

    /// Ids of the attributes in it.
    pub fn references(&self) -> BTreeSet<ExprId> {
        let mut out = BTreeSet::new();
        self.visit(&mut |e| {
            if let Expr::Attribute(a) = e {
                out.insert(a.id);
            }
        });
        out
    }

    pub fn is_aggregate(&self) -> bool {
        self.any(&|e| matches!(e, Expr::Aggregate(_)))
    }

    pub fn has_subquery(&self) -> bool {
        self.any(&|e| matches!(e, Expr::ScalarSubquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. }))
    }

    /// Gives the same result whenever and however often it is evaluated on the same row.
    pub fn deterministic(&self) -> bool {
        !self.any(&|e| match e {
            Expr::Call(c) => !c.deterministic,
            Expr::PythonUdf(u) => !u.deterministic,
            Expr::Generator(g) => !g.function.deterministic(),
            _ => false,
        })
    }

    /// Can be computed once, without input (Expression.foldable).
    pub fn foldable(&self) -> bool {
        match self {
            Expr::Literal { .. } => true,
            Expr::Cast { child, .. } | Expr::GetField { child, .. } => child.foldable(),
            Expr::Call(c) => {
                c.deterministic
                    && !c.args.is_empty()
                    && c.args.iter().all(|a| a.foldable() || matches!(a, Expr::Lambda { .. }))
            }
            Expr::CaseWhen { branches, otherwise } => {
                branches.iter().all(|(c, v)| c.foldable() && v.foldable())
                    && otherwise.as_ref().is_none_or(|e| e.foldable())
            }
            _ => false,
        }
    }

    pub fn data_type(&self) -> DataType {
        match self {
            Expr::Literal { data_type, .. } | Expr::Bound { data_type, .. } => data_type.clone(),
            Expr::Attribute(a) => a.data_type.clone(),
            Expr::Alias(a) => a.child.data_type(),
            Expr::Cast { to, .. } => to.clone(),
            Expr::Call(c) => c.data_type.clone(),
            Expr::CaseWhen { branches, otherwise } => branches
                .first()
                .map(|(_, v)| v.data_type())
                .or_else(|| otherwise.as_ref().map(|e| e.data_type()))
                .unwrap_or(DataType::Null),
            Expr::GetField { child, ordinal, .. } => field_of(&child.data_type(), *ordinal).0,
            Expr::GetArrayStructFields { child, ordinal, .. } => {
                let DataType::Array { element, contains_null } = child.data_type() else { return DataType::Null };
                let (field, nullable) = field_of(&element, *ordinal);
                DataType::Array { element: Arc::new(field), contains_null: contains_null || nullable }
            }
            Expr::Lambda { body, .. } => body.data_type(),
            Expr::LambdaVariable(v) => v.data_type.clone(),
            Expr::Aggregate(a) => a.data_type.clone(),
            Expr::Generator(g) => {
                let fields = g
                    .output
                    .iter()
                    .map(|(name, data_type, nullable)| StructField {
                        name: name.clone(),
                        data_type: data_type.clone(),
                        nullable: *nullable,
                        metadata: "{}".into(),
                    })
                    .collect();
                DataType::Struct(Arc::new(StructType { fields }))
            }
            Expr::Window(w) => w.function.data_type(),
            Expr::TimeWindow(w) => window_struct(&w.time.data_type()),
            Expr::SessionWindow(w) => window_struct(&w.time.data_type()),
            Expr::SortOrder(o) => o.child.data_type(),
            Expr::PythonUdf(u) => u.data_type.clone(),
            Expr::ScalarSubquery(plan) => plan.output().first().map_or(DataType::Null, |a| a.data_type.clone()),
            Expr::Exists { .. } | Expr::InSubquery { .. } => DataType::Boolean,
            _ => DataType::Null,
        }
    }

    pub fn nullable(&self) -> bool {
        match self {
            Expr::Literal { value, .. } => value.is_null(),
            Expr::Bound { nullable, .. } => *nullable,
            Expr::Attribute(a) => a.nullable,
            Expr::Alias(a) => a.child.nullable(),
            Expr::Cast { child, to, mode, .. } => {
                child.nullable() || *mode == super::EvalMode::Try || force_nullable(&child.data_type(), to)
            }
            Expr::Call(c) => c.nullable,
            Expr::CaseWhen { branches, otherwise } => {
                // What stands behind a condition that is TRUE is never reached.
                let sure =
                    branches.iter().position(|(c, _)| matches!(c, Expr::Literal { value: Value::Boolean(true), .. }));
                let reached = &branches[..sure.map_or(branches.len(), |at| at + 1)];
                reached.iter().any(|(_, v)| v.nullable())
                    || sure.is_none() && otherwise.as_ref().is_none_or(|e| e.nullable())
            }
            Expr::GetField { child, ordinal, .. } => child.nullable() || field_of(&child.data_type(), *ordinal).1,
            Expr::GetArrayStructFields { child, .. } => child.nullable(),
            Expr::Lambda { body, .. } => body.nullable(),
            Expr::LambdaVariable(v) => v.nullable,
            Expr::Aggregate(a) => a.nullable,
            Expr::Generator(_) => true,
            Expr::Window(w) => w.function.nullable(),
            Expr::TimeWindow(_) | Expr::SessionWindow(_) => false,
            Expr::SortOrder(o) => o.child.nullable(),
            Expr::Exists { .. } => false,
            Expr::InSubquery { child, plan, .. } => {
                child.nullable() || plan.output().first().is_some_and(|a| a.nullable)
            }
            _ => true,
        }
    }

    /// The id of a named expression.
    pub fn expr_id(&self) -> Option<ExprId> {
        match self {
            Expr::Attribute(a) => Some(a.id),
            Expr::Alias(a) => Some(a.id),
            _ => None,
        }
    }

    /// The column that a named expression makes (NamedExpression.toAttribute). Others get a column without a name.
    pub fn to_attribute(&self) -> Arc<Attribute> {
        match self {
            Expr::Attribute(a) => Arc::clone(a),
            Expr::Alias(a) => Arc::new(Attribute {
                id: a.id,
                name: a.names.first().map_or("", String::as_str).into(),
                data_type: a.child.data_type(),
                nullable: a.child.nullable(),
                qualifier: a.qualifier.clone(),
                metadata: a.metadata.clone().unwrap_or_else(|| a.child.metadata()),
            }),
            other => Arc::new(Attribute {
                id: ExprId::fresh(),
                name: "".into(),
                data_type: other.data_type(),
                nullable: other.nullable(),
                qualifier: Vec::new(),
                metadata: Metadata::default(),
            }),
        }
    }

    /// Metadata of a named expression or of the field it reads.
    pub fn metadata(&self) -> Metadata {
        match self {
            Expr::Attribute(a) => a.metadata.clone(),
            Expr::Alias(a) => a.metadata.clone().unwrap_or_else(|| a.child.metadata()),
            Expr::GetField { child, ordinal, .. } => match child.data_type() {
                DataType::Struct(s) => s.fields.get(*ordinal).map_or_else(Metadata::default, |f| Metadata {
                    user: (&*f.metadata != "{}").then(|| Arc::clone(&f.metadata)),
                    ..Metadata::default()
                }),
                _ => Metadata::default(),
            },
            _ => Metadata::default(),
        }
    }

    /// `expr AS name` with a new id.
    pub fn alias(self, name: &str) -> Expr {
        self.alias_with(name, ExprId::fresh())
    }

    /// `expr AS name` with the id given.
    pub fn alias_with(self, name: &str, id: ExprId) -> Expr {
        Expr::Alias(Box::new(Alias {
            child: self,
            id,
            names: vec![name.to_owned()],
            qualifier: Vec::new(),
            metadata: None,
        }))
    }

    pub fn literal(value: Value, data_type: DataType) -> Expr {
        Expr::Literal { value, data_type }
    }

    pub fn bool(value: bool) -> Expr {
        Expr::Literal { value: Value::Boolean(value), data_type: DataType::Boolean }
    }

    pub fn is_literal_bool(&self, wanted: bool) -> bool {
        matches!(self, Expr::Literal { value: Value::Boolean(b), .. } if *b == wanted)
    }
}

/// window struct of TimeWindow and SessionWindow over this time type.
pub fn window_struct(time: &DataType) -> DataType {
    let field = |name: &str| StructField {
        name: name.to_owned(),
        data_type: time.clone(),
        nullable: true,
        metadata: "{}".into(),
    };
    DataType::Struct(Arc::new(StructType { fields: vec![field("start"), field("end")] }))
}

fn field_of(data_type: &DataType, ordinal: usize) -> (DataType, bool) {
    match data_type {
        DataType::Struct(s) => {
            s.fields.get(ordinal).map_or((DataType::Null, true), |f| (f.data_type.clone(), f.nullable))
        }
        DataType::Variant => (DataType::Binary, true),
        _ => (DataType::Null, true),
    }
}

/// Cast.forceNullable: casts that can give null for a value that is not.
fn force_nullable(from: &DataType, to: &DataType) -> bool {
    use DataType as T;
    let integral = |t: &T| matches!(t, T::Byte | T::Short | T::Integer | T::Long);
    let text = |t: &T| matches!(t, T::String | T::Char(_) | T::Varchar(_));
    if from == to || *from == T::Null {
        return false;
    }
    match (from, to) {
        (T::Variant, _) => true,
        (f, t) if text(f) => !(text(t) || *t == T::Binary),
        (_, t) if text(t) => false,
        (T::Timestamp, T::Byte | T::Short | T::Integer) => true,
        (T::Float | T::Double, T::Timestamp) => true,
        (T::Timestamp, T::Date) | (T::TimestampNtz, T::Date) => false,
        (_, T::Date) => true,
        (T::Date, T::Timestamp | T::TimestampNtz) => false,
        (T::Date, _) | (_, T::CalendarInterval) => true,
        (f, T::Decimal { precision, scale }) => {
            let (p, s): (i32, i32) = match f {
                T::Boolean => (1, 0),
                T::Byte => (3, 0),
                T::Short => (5, 0),
                T::Integer => (10, 0),
                T::Long => (20, 0),
                T::Decimal { precision, scale } => (i32::from(*precision), i32::from(*scale)),
                _ => return true,
            };
            let (to_p, to_s) = (i32::from(*precision), i32::from(*scale));
            !(to_s >= s && to_p - to_s >= p - s)
        }
        (T::Float | T::Double | T::Decimal { .. }, t) if integral(t) => true,
        _ => false,
    }
}
