//! Scans: local rows, and files with the projections and filters above them (FileSourceStrategy's ScanOperation).

use std::sync::Arc;

use super::{Planner, text};
use crate::dataframe::is_cached;
use crate::datasource::checks::{check_corrupt_column, check_options, has_corrupt_column};
use crate::datasource::relation::{Format, format_named};
use crate::datasource::write::too_wide_for_text;
use crate::error::Result;
use crate::exec::ExecRef;
use crate::exec::bind::bind;
use crate::exec::leaf::LocalScanExec;
use crate::exec::scan::{Column, FileScanExec};
use crate::exec::settings;
use crate::expr::{Attribute, Expr, ExprId};
use crate::optimizer::split_conjuncts;
use crate::plan::{FileRelation, LocalRelation, LogicalPlan, PlanRef};
use crate::types::StructType;

/// Rows of a leaf under the ids that the plan above knows.
struct Leaf<'p> {
    relation: &'p FileRelation,
    output: Vec<Arc<Attribute>>,
    source: Option<ExprId>,
}

impl Planner<'_> {
    fn local_scan(&self, relation: &LocalRelation, output: Vec<Arc<Attribute>>, source: Option<ExprId>) -> ExecRef {
        Arc::new(LocalScanExec {
            ordinals: (0..output.len()).collect(),
            output,
            partitions: if relation.from_rdd || source.is_some() {
                Arc::clone(&relation.partitions)
            } else {
                self.sliced(&relation.partitions)
            },
            from_rdd: relation.from_rdd,
            source,
        })
    }

    /// Rows in hand are cut evenly over the cores (LocalTableScanExec).
    fn sliced(&self, partitions: &Arc<Vec<crate::exec::Partition>>) -> Arc<Vec<crate::exec::Partition>> {
        let [one] = partitions.as_slice() else { return Arc::clone(partitions) };
        let rows = crate::exec::batch::row_count(one);
        let slices = rows.min(self.ctx.default_parallelism);
        let cut = |i: usize| {
            let (from, to) = (i * rows / slices, (i + 1) * rows / slices);
            crate::exec::limit::slice_rows(one.clone(), from, Some(to - from))
        };
        Arc::new((0..slices).map(cut).collect())
    }

    pub(super) fn plan_scan(&self, plan: &PlanRef) -> Result<ExecRef> {
        match &**plan {
            LogicalPlan::LocalRelation(relation) => Ok(self.local_scan(relation, relation.output.clone(), None)),
            LogicalPlan::StreamingBatch { source, data, output } => match &**data {
                LogicalPlan::LocalRelation(relation) => Ok(self.local_scan(relation, output.clone(), Some(*source))),
                LogicalPlan::FileRelation(_) => self.plan_file_scan(plan, &[], None),
                other => {
                    // Any other plan of the batch's data: its columns under the names and ids of the source.
                    let child = self.plan_child(&Arc::new(other.clone()))?;
                    let counted = crate::exec::leaf::SourceExec { source: *source, output: output.clone(), child };
                    Ok(Arc::new(counted))
                }
            },
            _ => self.plan_file_scan(plan, &[], None),
        }
    }

    /// Projections and filters directly over a file scan become part of it; None: not such a plan.
    pub(super) fn plan_scan_operation(&self, plan: &PlanRef) -> Result<Option<ExecRef>> {
        let (list, below) = match &**plan {
            LogicalPlan::Project { list, child } => (Some(list), child),
            _ => (None, plan),
        };
        let mut filters = Vec::new();
        let mut at = below;
        while let LogicalPlan::Filter { condition, child } = &**at {
            filters.extend(split_conjuncts(condition));
            at = child;
        }
        let is_files = match &**at {
            LogicalPlan::FileRelation(_) => true,
            LogicalPlan::StreamingBatch { data, .. } => matches!(&**data, LogicalPlan::FileRelation(_)),
            _ => false,
        };
        if !is_files {
            return Ok(None);
        }
        self.plan_file_scan(at, &filters, list.map(Vec::as_slice)).map(Some)
    }

    fn leaf<'p>(plan: &'p PlanRef) -> Option<Leaf<'p>> {
        match &**plan {
            LogicalPlan::FileRelation(relation) => {
                Some(Leaf { relation, output: relation.output.clone(), source: None })
            }
            LogicalPlan::StreamingBatch { source, data, output } => match &**data {
                LogicalPlan::FileRelation(relation) => {
                    Some(Leaf { relation, output: output.clone(), source: Some(*source) })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// FileSourceStrategy: only the columns in use are read, filters go to partitions and to the parser, all but those on
    /// partition columns are applied again above.
    fn plan_file_scan(&self, plan: &PlanRef, filters: &[Expr], list: Option<&[Expr]>) -> Result<ExecRef> {
        let Some(Leaf { relation, output, source }) = Self::leaf(plan) else {
            return Err(crate::error::SparkError::internal("not a scan of files"));
        };
        let format = format_named(&relation.format)?;
        if format == Format::Text && relation.data_schema.fields.len() > 1 {
            return Err(too_wide_for_text(relation.data_schema.fields.len()));
        }
        let conf = &self.ctx.conf;
        check_options(format, &relation.options)?;
        if format == Format::BinaryFile {
            crate::datasource::binary_file::check(&relation.data_schema)?;
        }
        // Rows of a cached frame were parsed whole, which shows where malformed ones have a column.
        let cached = has_corrupt_column(format, &relation.options, &relation.data_schema, conf)
            && is_cached(self.ctx.session, &relation.output);
        let in_schema =
            |schema: &StructType, a: &Attribute| schema.fields.iter().position(|f| conf.same_name(&f.name, &a.name));
        let used = |a: &Arc<Attribute>| {
            cached
                || list.is_none_or(|l| l.iter().any(|e| e.references().contains(&a.id)))
                || filters.iter().any(|f| f.references().contains(&a.id))
        };
        let wanted: Vec<Arc<Attribute>> = output.iter().filter(|a| used(a)).cloned().collect();
        let mut required = StructType::default();
        let mut required_attributes: Vec<Arc<Attribute>> = Vec::new();
        let mut columns = Vec::new();
        for a in &wanted {
            match in_schema(&relation.partition_schema, a) {
                _ if a.is_file_metadata() => columns.push(Column::Metadata),
                Some(i) => columns.push(Column::Partition(i)),
                None => {
                    let field = in_schema(&relation.data_schema, a).map(|i| relation.data_schema.fields[i].clone());
                    columns.push(Column::Data(required.fields.len()));
                    required.fields.extend(field);
                    required_attributes.push(Arc::clone(a));
                }
            }
        }
        if !cached {
            check_corrupt_column(format, &relation.options, &relation.data_schema, &required, conf)?;
        }
        let partition_attributes: Vec<Arc<Attribute>> = relation
            .partition_schema
            .fields
            .iter()
            .filter_map(|f| output.iter().find(|a| conf.same_name(&a.name, &f.name)).cloned())
            .collect();
        let on = |f: &Expr, attributes: &[Arc<Attribute>]| {
            f.references().iter().all(|id| attributes.iter().any(|a| a.id == *id))
        };
        let usable: Vec<&Expr> = filters.iter().filter(|f| f.deterministic() && !f.has_subquery()).collect();
        let on_partitions: Vec<Expr> = usable
            .iter()
            .filter(|f| !f.references().is_empty() && on(f, &partition_attributes))
            .map(|f| (*f).clone())
            .collect();
        let data_filters: Vec<Expr> =
            usable.iter().filter(|f| on(f, &required_attributes)).map(|f| (*f).clone()).collect();
        let pushable: Vec<&Expr> = data_filters.iter().filter(|f| translatable(f)).collect();
        let parses_filters = !cached
            && matches!(format, Format::Json | Format::Csv)
            && settings::filter_pushdown(conf, &relation.format);
        let pushed = if parses_filters {
            pushable.iter().map(|f| bind(f, &required_attributes)).collect::<Result<_>>()?
        } else {
            Vec::new()
        };
        let shown: Vec<String> = pushable.iter().map(|f| source_filter(f)).collect();
        let scan: ExecRef = Arc::new(FileScanExec {
            relation: relation.clone(),
            output: wanted,
            columns,
            required,
            partition_filters: on_partitions.iter().map(|f| bind(f, &partition_attributes)).collect::<Result<_>>()?,
            pushed,
            shown_data_filters: text::expressions(&data_filters),
            shown_partition_filters: text::expressions(&on_partitions),
            shown_pushed: format!("[{}]", shown.join(", ")),
            source,
        });
        let after: Vec<Expr> = filters.iter().filter(|f| !on_partitions.contains(f)).cloned().collect();
        let filtered = match crate::optimizer::join_conjuncts(after) {
            Some(condition) => self.filter(condition, scan)?,
            None => scan,
        };
        match list {
            Some(list) => self.project(list.to_vec(), filtered),
            None => Ok(filtered),
        }
    }
}

fn column(e: &Expr) -> Option<&str> {
    match e {
        Expr::Attribute(a) => Some(&a.name),
        _ => None,
    }
}

fn comparable(a: &Expr, b: &Expr) -> bool {
    (column(a).is_some() && matches!(b, Expr::Literal { value, .. } if !value.is_null()))
        || (column(b).is_some() && matches!(a, Expr::Literal { value, .. } if !value.is_null()))
}

/// DataSourceStrategy.translateFilter: comparisons of a column with a literal, and what is made of them.
fn translatable(f: &Expr) -> bool {
    let Expr::Call(call) = f else {
        return matches!(f, Expr::Literal { value: crate::value::Value::Boolean(_), .. });
    };
    match (&*call.name, call.args.as_slice()) {
        ("=" | "==" | "<=>" | "<" | "<=" | ">" | ">=", [a, b]) => comparable(a, b),
        ("isnull" | "isnotnull", [a]) => column(a).is_some(),
        ("and" | "or", [a, b]) => translatable(a) && translatable(b),
        ("not" | "!", [a]) => translatable(a),
        ("in", [a, list @ ..]) => column(a).is_some() && list.iter().all(|e| matches!(e, Expr::Literal { .. })),
        ("startswith" | "endswith" | "contains", [a, b]) => {
            column(a).is_some() && matches!(b, Expr::Literal { value: crate::value::Value::String(_), .. })
        }
        _ => false,
    }
}

/// A translated filter as Spark prints it: `GreaterThan(cents,5)`.
fn source_filter(f: &Expr) -> String {
    let Expr::Call(call) = f else {
        return if f.is_literal_bool(true) { "AlwaysTrue()".into() } else { "AlwaysFalse()".into() };
    };
    let name = |n: &str| {
        match n {
            "=" | "==" => "EqualTo",
            "<=>" => "EqualNullSafe",
            "<" => "LessThan",
            "<=" => "LessThanOrEqual",
            ">" => "GreaterThan",
            ">=" => "GreaterThanOrEqual",
            "isnull" => "IsNull",
            "isnotnull" => "IsNotNull",
            "startswith" => "StringStartsWith",
            "endswith" => "StringEndsWith",
            "contains" => "StringContains",
            other => other,
        }
        .to_owned()
    };
    let plain = |e: &Expr| column(e).map_or_else(|| text::expression(e), str::to_owned);
    match (&*call.name, call.args.as_slice()) {
        ("and", [a, b]) => format!("And({},{})", source_filter(a), source_filter(b)),
        ("or", [a, b]) => format!("Or({},{})", source_filter(a), source_filter(b)),
        ("not" | "!", [a]) => format!("Not({})", source_filter(a)),
        ("in", [a, list @ ..]) => {
            format!("In({}, [{}])", plain(a), list.iter().map(plain).collect::<Vec<_>>().join(","))
        }
        (op, [a, b]) if column(a).is_none() => {
            // A literal on the left: the comparison is turned round.
            let turned = match op {
                "<" => ">",
                "<=" => ">=",
                ">" => "<",
                ">=" => "<=",
                same => same,
            };
            format!("{}({},{})", name(turned), plain(b), plain(a))
        }
        (op, args) => format!("{}({})", name(op), args.iter().map(plain).collect::<Vec<_>>().join(",")),
    }
}
