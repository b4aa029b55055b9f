//! `_metadata` of file sources and input_file_name() (AddMetadataColumns, FileSourceMetadataAttribute, InputFileBlockHolder).
//!
//! A relation of files has a hidden column that only its name brings up: where an expression asks for it, the relations
//! below get it, and what lies between hands it on. A star does not show it.

use std::sync::Arc;

use super::Analyzer;
use super::names::same_name;
use crate::datasource::relation::{Format, format_named};
use crate::expr::{Attribute, Expr, ExprId, FILE_METADATA, Metadata, UnresolvedFunction};
use crate::plan::{LogicalPlan, PlanRef};
use crate::types::{DataType, StructField, StructType};
use crate::value::Value;

/// The functions that tell of the file being read, and the field of `_metadata` that holds the same.
const FUNCTIONS: [(&str, &str); 3] = [
    ("input_file_name", "file_path"),
    ("input_file_block_start", "file_block_start"),
    ("input_file_block_length", "file_block_length"),
];

/// The fields that every format has (FileFormat.BASE_FILE_METADATA_FIELDS), and the row's number in its Parquet file
/// (ParquetFileFormat.ROW_INDEX_FIELD).
pub(crate) fn fields(format: Format) -> StructType {
    let mut fields = vec![
        StructField::new("file_path", DataType::String, false),
        StructField::new("file_name", DataType::String, false),
        StructField::new("file_size", DataType::Long, false),
        StructField::new("file_block_start", DataType::Long, false),
        StructField::new("file_block_length", DataType::Long, false),
        StructField::new("file_modification_time", DataType::Timestamp, false),
    ];
    if format == Format::Parquet {
        fields.push(StructField::new("row_index", DataType::Long, false));
    }
    StructType::new(fields)
}

fn attribute(format: Format) -> Arc<Attribute> {
    Arc::new(Attribute {
        id: ExprId::fresh(),
        name: FILE_METADATA.into(),
        data_type: DataType::Struct(Arc::new(fields(format))),
        nullable: false,
        qualifier: Vec::new(),
        metadata: Metadata { hidden: true, ..Metadata::default() },
    })
}

fn function_of(expr: &Expr) -> Option<(&'static str, &'static str)> {
    let Expr::UnresolvedFunction(call) = expr else { return None };
    if !call.args.is_empty() {
        return None;
    }
    FUNCTIONS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(&call.name))
}

/// What to do with a node whose expressions ask for the hidden column.
enum Wanted {
    Nothing,
    Name,
    Function,
}

impl Analyzer<'_> {
    fn wanted(&self, node: &LogicalPlan) -> Wanted {
        let case_sensitive = self.conf.case_sensitive();
        let mut found = Wanted::Nothing;
        node.for_each_expression(&mut |expr| {
            expr.visit(&mut |inner| match inner {
                Expr::UnresolvedAttribute(parts)
                    if parts.iter().any(|p| same_name(p, FILE_METADATA, case_sensitive)) =>
                {
                    found = Wanted::Name;
                }
                _ if function_of(inner).is_some() && !matches!(found, Wanted::Name) => found = Wanted::Function,
                _ => {}
            });
        });
        found
    }

    /// The node over children that show their hidden column, where its expressions ask for it; and whether it shows above
    /// the node, too, because that puts out what its child does.
    pub(super) fn with_file_metadata(&self, node: LogicalPlan) -> (LogicalPlan, bool) {
        let wanted = self.wanted(&node);
        if matches!(wanted, Wanted::Nothing) {
            return (node, false);
        }
        let children = node.child_plans();
        let named_so = |column: &Arc<Attribute>| same_name(&column.name, FILE_METADATA, self.conf.case_sensitive());
        if matches!(wanted, Wanted::Name) && children.iter().any(|child| child.output().iter().any(named_so)) {
            return (node, false);
        }
        let through: Vec<PlanRef> =
            children.iter().map(|child| exposed(child).unwrap_or_else(|| child.clone())).collect();
        let sources = through.iter().filter(|child| child.output().iter().any(|a| a.is_file_metadata())).count();
        let mut next = through.into_iter();
        let lists = matches!(node, LogicalPlan::Project { .. } | LogicalPlan::Aggregate { .. });
        let node = if sources > 0 { node.map_children(&mut |old| next.next().unwrap_or(old)) } else { node };
        let node = node.map_expressions(&mut |expr| {
            if !expr.any(&|inner| function_of(inner).is_some()) {
                return expr;
            }
            let name = (lists && !has_name(&expr)).then(|| expr.pretty_sql());
            let replaced = expr.transform_up(&mut |inner| match function_of(&inner) {
                Some((_, field)) if sources == 1 => {
                    let value = Expr::UnresolvedAttribute(vec![FILE_METADATA.to_owned(), field.to_owned()]);
                    if field == "file_path" { quoted_uri(value) } else { value }
                }
                Some((_, "file_path")) => Expr::literal(Value::from(String::new()), DataType::String),
                Some(_) => Expr::literal(Value::Long(-1), DataType::Long),
                None => inner,
            });
            match name {
                Some(name) => replaced.alias(&name),
                None => replaced,
            }
        });
        (node, !lists && sources > 0)
    }
}

fn call(name: &str, args: Vec<Expr>) -> Expr {
    Expr::UnresolvedFunction(Box::new(UnresolvedFunction {
        operator: false,
        name: name.to_owned(),
        arg_names: args.iter().map(|_| None).collect(),
        args,
        distinct: false,
        filter: None,
        ignore_nulls: false,
        over: None,
        within_group: Vec::new(),
    }))
}

/// `file:/a b` as `file:///a%20b`, the form of input_file_name().
fn quoted_uri(path: Expr) -> Expr {
    let text = |text: &str| Expr::literal(Value::from(text.to_owned()), DataType::String);
    let number = Expr::literal(Value::Integer(6), DataType::Integer);
    let plain = call("substring", vec![path, number]);
    let quoted = [("%", "%25"), (" ", "%20")];
    let quoted = quoted.into_iter().fold(plain, |path, (from, to)| call("replace", vec![path, text(from), text(to)]));
    call("concat", vec![text("file://"), quoted])
}

fn has_name(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(_) => true,
        Expr::At { child, .. } => has_name(child),
        _ => false,
    }
}

/// The plan with the hidden column of its files in its output; None where it has none.
fn exposed(plan: &PlanRef) -> Option<PlanRef> {
    if plan.output().iter().any(|a| a.is_file_metadata()) {
        return Some(plan.clone());
    }
    let made = match &**plan {
        LogicalPlan::FileRelation(relation) => {
            let format = format_named(&relation.format).ok()?;
            let mut relation = relation.clone();
            relation.output.push(attribute(format));
            LogicalPlan::FileRelation(relation)
        }
        LogicalPlan::StreamingRelation(relation) => {
            let format = format_named(&relation.format).ok()?;
            let mut relation = relation.clone();
            relation.output.push(attribute(format));
            LogicalPlan::StreamingRelation(relation)
        }
        LogicalPlan::Project { list, child } => {
            let child = exposed(child)?;
            let hidden = child.output().into_iter().find(|a| a.is_file_metadata())?;
            let list = list.iter().cloned().chain([Expr::Attribute(hidden)]).collect();
            LogicalPlan::Project { list, child }
        }
        LogicalPlan::Filter { .. }
        | LogicalPlan::SubqueryAlias { .. }
        | LogicalPlan::View { .. }
        | LogicalPlan::EventTimeWatermark { .. }
        | LogicalPlan::Sort { .. }
        | LogicalPlan::Limit { .. }
        | LogicalPlan::Sample { .. }
        | LogicalPlan::Hint { .. }
        | LogicalPlan::Generate { .. }
        | LogicalPlan::Repartition { .. }
        | LogicalPlan::CollectMetrics { .. } => {
            let child = exposed(plan.child_plans().first()?)?;
            (**plan).clone().map_children(&mut |_| child.clone())
        }
        _ => return None,
    };
    Some(Arc::new(made))
}

/// The plan without the hidden column.
pub(super) fn without(plan: PlanRef) -> PlanRef {
    let list = plan.output().into_iter().filter(|a| !a.is_file_metadata()).map(Expr::Attribute).collect();
    Arc::new(LogicalPlan::Project { list, child: plan })
}
