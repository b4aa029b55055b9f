//! The analyzer: unresolved plans to resolved ones, and Spark's analysis errors.
//!
//! One pass, bottom-up: a node is analysed once its children are (the rules of Catalyst's Analyzer and CheckAnalysis
//! that a user can notice, in the order in which they show). DataFrame methods call [`Analyzer::node`] over plans that
//! are analysed already; SQL text goes through [`Analyzer::plan`].

mod aggregate;
mod checks;
pub(crate) mod coercion;
mod dedup;
mod domain;
mod expressions;
mod extract;
mod failed;
pub(crate) mod file_metadata;
mod functions;
mod generate;
mod grouping;
mod inline_table;
pub(crate) mod interval;
mod join_watermark;
mod joins;
mod lateral;
mod merged_keys;
mod metrics;
mod names;
mod nearest;
mod outer_limit;
mod pipes;
mod pivot;
mod project;
mod recursion;
mod relations;
mod scope;
mod set_operations;
mod sort;
mod sql_functions;
pub mod streaming_checks;
mod subquery;
mod table_functions;
mod time_windows;
mod unpivot;
mod window_kernels;
mod windows;

use std::sync::Arc;

use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, Origin, Site};
use crate::functions::datetime::zone::Zone;
use crate::plan::{LogicalPlan, NearestByJoin, PlanRef};
use crate::session::SqlSession;
use crate::types::DataType;

pub(crate) use dedup::{Copies, apart, fresh_ids};
pub(crate) use project::{STAR_EXCEPT, STAR_SET};

/// Marks of the parser for what has no node of its own: `t(a, b)` renames, VALUES, UNPIVOT, LATERAL (a hint's name).
pub(crate) const COLUMN_ALIASES: &str = "$column_aliases";
pub(crate) const INLINE_TABLE: &str = "$values";
pub(crate) const UNPIVOT: &str = "$unpivot";
pub(crate) const LATERAL: &str = "$lateral";
/// Columns of an UNPIVOT that belong together.
pub(crate) const UNPIVOT_GROUP: &str = "$unpivot_group";
/// Around a set operation or a SELECT, with its place (a hint's name).
pub(crate) const PLACED: &str = "$placed";
/// Before the name of a pipe step (a hint's name).
pub(crate) const PIPE: &str = "$pipe:";
/// `Column.outer`: a column of an enclosing query.
pub(crate) const OUTER: &str = "$outer";
/// Before the name of a common table expression of WITH RECURSIVE; the level of MAX RECURSION LEVEL and a colon follow.
pub(crate) const RECURSIVE: &str = "$recursive:";
pub(crate) use inline_table::local_rows;
pub use names::quoted;
pub(crate) use names::{column_in, quote_parts, unresolved_column};
pub(crate) use recursion::{UNFINISHED, recursive_name};
pub(crate) use scope::Scope;
pub(crate) use sql_functions::query_of;

/// Conditions (by their beginning) whose errors Spark raises with the plan at hand.
const SHOWN_WITH_PLAN: [&str; 20] = [
    "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY",
    "MULTI_ALIAS_WITHOUT_GENERATOR",
    "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
    "UNRESOLVED_COLUMN.",
    "INVALID_FORMAT.",
    "DATATYPE_MISMATCH.",
    "MISSING_AGGREGATION",
    "MISSING_GROUP_BY",
    "INVALID_WHERE_CONDITION",
    "UNSUPPORTED_GROUPING_EXPRESSION",
    "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE",
    "UNSUPPORTED_EXPR_FOR_WINDOW",
    "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED",
    "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
    "INVALID_USAGE_OF_STAR_OR_REGEX",
    "UNPIVOT_",
    "MISSING_ATTRIBUTES",
    "GROUP_BY_AGGREGATE",
    "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
    "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH",
];

/// Analyses plans and expressions for one session.
pub(crate) struct Analyzer<'a> {
    pub(crate) session: &'a SqlSession,
    pub(crate) conf: SqlConf,
    /// Common table expressions in sight, innermost last.
    ctes: Vec<(String, PlanRef)>,
    /// Columns of the enclosing queries while a subquery is analysed, innermost last.
    outer: Vec<Vec<Arc<Attribute>>>,
    /// While HAVING or ORDER BY over an aggregation is resolved: the columns below the aggregation.
    having: Option<Vec<Arc<Attribute>>>,
    /// Place in the SQL text of the expression at hand.
    origin: Option<Arc<Origin>>,
    /// The session's zone, for the expressions that are analysed in it.
    zone: Arc<(String, Zone)>,
    /// The resolved node that the error at hand shows.
    shown: Option<PlanRef>,
    /// Aliases of the select list at hand that its present item names.
    laterals: Vec<lateral::Lateral>,
    /// Ids and names under which select lists name columns of their generators.
    generated: Vec<(ExprId, String)>,
    /// Whether a call of a SQL function was resolved.
    calls_sql_functions: bool,
    /// How many bodies of SQL functions are around.
    depth: usize,
}

impl<'a> Analyzer<'a> {
    pub(crate) fn new(session: &'a SqlSession) -> Self {
        let conf = session.conf.borrow().clone();
        crate::expr::show_moments_in(conf.time_zone());
        let zone = Arc::new((conf.time_zone_id().to_owned(), conf.time_zone().clone()));
        Self {
            session,
            conf,
            ctes: Vec::new(),
            outer: Vec::new(),
            having: None,
            origin: None,
            zone,
            shown: None,
            laterals: Vec::new(),
            generated: Vec::new(),
            calls_sql_functions: false,
            depth: 0,
        }
    }

    /// Analyses a whole plan as the parser makes it.
    pub(crate) fn plan(&mut self, plan: &PlanRef) -> Result<PlanRef> {
        match &**plan {
            LogicalPlan::With { ctes, child } => {
                let known = self.ctes.len();
                for (name, query) in ctes {
                    let (name, query) = match recursive_name(name) {
                        Some((name, level)) => (name, self.recursive_cte(name, level, query)?),
                        None => (name.as_str(), self.plan(query)?),
                    };
                    self.ctes.push((name.to_owned(), query));
                }
                let child = self.plan(child);
                self.ctes.truncate(known);
                child
            }
            LogicalPlan::Join(join) if is_lateral(&join.right) => {
                let left = self.plan(&join.left)?;
                self.lateral_join(join, left)
            }
            LogicalPlan::Hint { name, child, .. } if name.starts_with(PIPE) => {
                self.pipe_step(name.trim_start_matches(PIPE), child)
            }
            LogicalPlan::Hint { name, parameters, child } if name == PLACED => {
                let plan = self.plan(child);
                plan.map_err(|error| at_query(error, parameters))
            }
            // An analysed frame inside a subquery that waited for its enclosing query.
            LogicalPlan::View { name, child } if name.is_empty() => Ok(self.unsealed(child)),
            // The grouping of an aggregate decides how HAVING and ORDER BY above it resolve: they see its child too.
            node => {
                let mut children = Vec::new();
                for child in node.child_plans() {
                    match self.plan(&child) {
                        Ok(analysed) => children.push(analysed),
                        Err(error) => return Err(self.below(error, node, &children)),
                    }
                }
                let mut children = children.into_iter();
                let node = node.clone().map_children(&mut |old| children.next().unwrap_or(old));
                self.node(node)
            }
        }
    }

    /// Analyses one node whose children are analysed. Errors of CheckAnalysis show the node as it was written.
    pub(crate) fn node(&mut self, node: LogicalPlan) -> Result<PlanRef> {
        let written = node.clone();
        self.origin = None;
        self.shown = None;
        let (node, shown) = self.with_file_metadata(node);
        let starred = if merged_keys::has_qualified_star(&node) { self.with_merged_keys(&node) } else { None };
        let resolved = match starred {
            Some(node) => self.resolved_node(node).map(merged_keys::settled),
            None => self.resolved_node(node),
        };
        let resolved = resolved.map(|plan| if shown { file_metadata::without(plan) } else { plan });
        let resolved = match resolved {
            Err(error) if merged_keys::may_be_merged(&error) => {
                let again = self.with_merged_keys(&written).map(|node| self.resolved_node(node));
                again.and_then(Result::ok).map(merged_keys::settled).ok_or(error)
            }
            other => other,
        };
        let resolved = match resolved {
            Ok(plan) if self.calls_sql_functions => self.without_sql_functions(plan),
            other => other,
        };
        let resolved = resolved.and_then(|plan| self.without_implicit_times(plan));
        let resolved = resolved.map_err(|error| failed::at_aggregate(error, &written));
        let resolved = resolved.map_err(|error| {
            let shows_plan = error
                .condition
                .as_deref()
                .is_some_and(|condition| SHOWN_WITH_PLAN.iter().any(|prefix| condition.starts_with(prefix)));
            if !shows_plan || !error.context.is_empty() {
                return error;
            }
            let place = self.place();
            let plan = self.half_resolved(written);
            let missing =
                error.condition.as_deref().is_some_and(|condition| condition.starts_with("MISSING_ATTRIBUTES"));
            let mark = if missing { "!" } else { "" };
            error.with_context(format!("{place};\n{mark}{}", crate::explain::tree_string(&plan)))
        });
        resolved.map_err(|error| self.with_query_context(error))
    }

    /// The part of the query that an error shows the place of, or the call of a Column's method.
    fn with_query_context(&self, error: SparkError) -> SparkError {
        let Some(origin) = &self.origin else { return error };
        match &origin.context {
            Some(context) if error.context.starts_with("; line") || origin.line == 0 => error.with_place(context),
            _ => error,
        }
    }

    /// Casts to TIME that coercion puts in are refused where the type is off; columns of the type are not.
    fn without_implicit_times(&self, plan: PlanRef) -> Result<PlanRef> {
        let mut cast = false;
        let implicit = |expr: &Expr| match expr {
            Expr::Cast { to: DataType::Time(_), implicit, .. } => *implicit,
            Expr::Literal { value: crate::value::Value::Null, data_type: DataType::Time(_) } => true,
            _ => false,
        };
        for node in plan.child_plans().iter().chain([&plan]) {
            node.for_each_expression(&mut |expr| cast |= expr.any(&implicit));
        }
        if cast {
            crate::functions::time_type_enabled(&self.conf)?;
        }
        Ok(plan)
    }

    fn resolved_node(&mut self, node: LogicalPlan) -> Result<PlanRef> {
        match node {
            LogicalPlan::UnresolvedRelation { parts, streaming, at } => {
                self.origin.clone_from(&at);
                self.relation(&parts, streaming)
            }
            LogicalPlan::LocalRelation(_)
            | LogicalPlan::Range { .. }
            | LogicalPlan::OneRow
            | LogicalPlan::FileRelation(_)
            | LogicalPlan::MemoryTable { .. }
            | LogicalPlan::StreamingRelation(_)
            | LogicalPlan::StreamingBatch { .. }
            | LogicalPlan::SubqueryAlias { .. }
            | LogicalPlan::View { .. }
            | LogicalPlan::With { .. }
            | LogicalPlan::Expand { .. }
            | LogicalPlan::Window { .. } => Ok(Arc::new(node)),
            LogicalPlan::Distinct { ref child } => {
                set_operations::refuse_maps(&child.output()).map_err(|error| self.at_node(error, &node))?;
                Ok(Arc::new(node))
            }
            LogicalPlan::Project { list, child } => self.project(list, &child),
            LogicalPlan::Filter { condition, child } => self.filter(condition, &child),
            LogicalPlan::Aggregate { grouping, list, child } => self.aggregate(grouping, list, &child),
            LogicalPlan::GroupingSets { by, sets, list, child } => self.grouping_sets(by, sets, list, &child),
            LogicalPlan::Pivot { grouping, column, values, aggregates, child } => {
                self.pivot(grouping, column, values, aggregates, &child)
            }
            LogicalPlan::Sort { order, global, child } => self.sort(order, global, &child),
            LogicalPlan::Limit { limit, child } => {
                let limit = self.limit_expression("limit", limit, &child)?;
                Ok(Arc::new(LogicalPlan::Limit { limit, child }))
            }
            LogicalPlan::Offset { offset, child } => {
                let offset = self.limit_expression("offset", offset, &child)?;
                Ok(Arc::new(LogicalPlan::Offset { offset, child }))
            }
            LogicalPlan::Tail { limit, child } => {
                let limit = self.limit_expression("tail", limit, &child)?;
                Ok(Arc::new(LogicalPlan::Tail { limit, child }))
            }
            LogicalPlan::Deduplicate { columns, within_watermark, child } => {
                let scope = self.scope(&child);
                let columns =
                    columns.into_iter().map(|column| self.expr(column, &scope)).collect::<Result<Vec<_>>>()?;
                let keys: Vec<_> = columns.iter().map(Expr::to_attribute).collect();
                let node = LogicalPlan::Deduplicate { columns, within_watermark, child };
                set_operations::refuse_maps(&keys).map_err(|error| self.at_node(error, &node))?;
                Ok(Arc::new(node))
            }
            LogicalPlan::EventTimeWatermark { column, delay, child } => self.watermark(column, delay, &child),
            LogicalPlan::Generate { generator, outer, qualifier, output, child } => {
                self.generate(generator, outer, qualifier, output, &child)
            }
            LogicalPlan::Repartition { partitions, shuffle, by, spread, child } => {
                let scope = self.scope(&child);
                let by = by.into_iter().map(|expr| self.expr(expr, &scope)).collect::<Result<Vec<_>>>()?;
                let node = LogicalPlan::Repartition { partitions, shuffle, by, spread, child };
                checks::partition_id(self, &node)?;
                Ok(Arc::new(node))
            }
            LogicalPlan::Sample { .. } => Ok(Arc::new(node)),
            LogicalPlan::CollectMetrics { name, metrics, child } => self.collect_metrics(name, metrics, child),
            LogicalPlan::Hint { .. } => Ok(Arc::new(node)),
            LogicalPlan::Extension(ref extension) => {
                if let Some(join) = extension.as_any().downcast_ref::<NearestByJoin>() {
                    return self.nearest_by_join(join);
                }
                let scope = Scope::of(&node.child_plans());
                let node = node.try_map_expressions(&mut |expr| self.expr(expr, &scope))?;
                Ok(Arc::new(node))
            }
            LogicalPlan::Join(join) if is_lateral(&join.right) => {
                let left = join.left.clone();
                self.lateral_join(&join, left)
            }
            LogicalPlan::Join(join) => {
                let joined = self.join(join)?;
                metrics::unique_names(&joined)?;
                Ok(joined)
            }
            LogicalPlan::Union { children, by_name, allow_missing } => {
                let union = self.union(children, by_name, allow_missing)?;
                metrics::unique_names(&union)?;
                Ok(union)
            }
            LogicalPlan::SetOperation { kind, all, left, right } => self.set_operation(kind, all, &left, &right),
        }
    }

    /// The names that expressions over this plan can use.
    pub(crate) fn scope(&self, child: &PlanRef) -> Scope {
        Scope::of(std::slice::from_ref(child))
    }

    /// Adds the place in the SQL text and the plan at hand to an error, as AnalysisException prints them:
    /// `; line 1 pos 7;` and the tree.
    pub(crate) fn at_node(&self, error: SparkError, node: &LogicalPlan) -> SparkError {
        if !error.context.is_empty() {
            return error;
        }
        let place = self.place();
        let context = format!("{place};\n{}", crate::explain::tree_string(node));
        self.with_query_context(error.with_context(context))
    }

    /// `; line 1 pos 7`, or nothing for expressions that were not written as SQL text.
    pub(crate) fn place(&self) -> String {
        match &self.origin {
            Some(origin) if origin.line > 0 => format!("; line {} pos {}", origin.line, origin.position),
            _ => String::new(),
        }
    }

    /// What the expression at hand keeps of its analysis.
    pub(crate) fn site(&self) -> Site {
        Site { zone: Some(self.zone.clone()), origin: self.origin.clone() }
    }

    /// Gives calls and casts that have none yet the zone and the place of the expression at hand.
    fn with_site(&self, expr: Expr) -> Expr {
        match expr {
            Expr::Call(ref call) if call.site.zone.is_some() => expr,
            Expr::Cast { ref site, .. } if site.zone.is_some() => expr,
            Expr::Call(mut call) => {
                call.site = self.site();
                Expr::Call(call).map_children(&mut |child| self.with_site(child))
            }
            Expr::Cast { child, to, mode, implicit, .. } => {
                Expr::Cast { child: Box::new(self.with_site(*child)), to, mode, implicit, site: self.site() }
            }
            other => other.map_children(&mut |child| self.with_site(child)),
        }
    }

    /// An error that shows its place but no plan.
    pub(crate) fn at_place(&self, error: SparkError) -> SparkError {
        if !error.context.is_empty() {
            return error;
        }
        let place = self.place();
        self.with_query_context(error.with_context(place))
    }

    fn limit_expression(&mut self, kind: &str, limit: Expr, child: &PlanRef) -> Result<Expr> {
        let origin = match &limit {
            Expr::At { origin, .. } => Some(origin.clone()),
            _ => None,
        };
        let limit = self.expr(limit, &Scope::default())?;
        self.refuse_sql_function(&limit, "GlobalLimit")?;
        self.origin = origin.or(self.origin.take());
        let checked = checks::limit_like(self, kind, limit, child);
        self.origin = None;
        checked
    }
}

/// An error of a set operation or a SELECT with the place of the whole.
fn at_query(mut error: SparkError, place: &[Expr]) -> SparkError {
    let own = matches!(
        error.condition.as_deref(),
        Some(
            "NUM_COLUMNS_MISMATCH"
                | "INCOMPATIBLE_COLUMN_TYPE"
                | "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE"
                | "MISSING_GROUP_BY"
                | "INVALID_WHERE_CONDITION"
                | "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE"
                | "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"
                | "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE"
        )
    ) || error.condition.as_deref().is_some_and(|condition| condition.starts_with("NEAREST_BY_JOIN."));
    if let [Expr::At { origin, .. }] = place
        && own
        && error.context.starts_with(";\n")
    {
        error.place = origin.context.clone().map(Box::new);
        error.context = format!("; line {} pos {}{}", origin.line, origin.position, error.context);
    }
    error
}

fn is_lateral(plan: &PlanRef) -> bool {
    matches!(&**plan, LogicalPlan::Hint { name, .. } if name == LATERAL)
}

/// Analyses a plan as the parser makes it.
pub fn analyze(session: &SqlSession, plan: &PlanRef) -> Result<PlanRef> {
    Analyzer::new(session).plan(plan)
}
