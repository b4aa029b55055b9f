//! Names of tables: common table expressions, temp views, saved tables.

use std::sync::Arc;

use super::dedup::fresh_ids;
use super::{Analyzer, quote_parts};
use crate::catalog::GLOBAL_TEMP;
use crate::error::{Result, SparkError};
use crate::expr::{Alias, Expr, ExprId, Metadata};
use crate::plan::{LogicalPlan, PlanRef};

/// `spark_catalog.default.name` of a table by the name that the catalog keeps it under.
fn in_full(name: &str) -> String {
    let (database, table) = crate::catalog::split(name);
    format!("spark_catalog.{database}.{}", table.to_lowercase())
}

impl Analyzer<'_> {
    pub(super) fn relation(&mut self, parts: &[String], streaming: bool) -> Result<PlanRef> {
        if let [name] = parts
            && let Some((_, plan)) = self.ctes.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            return Ok(Arc::new(LogicalPlan::SubqueryAlias { name: name.clone(), child: fresh_ids(plan) }));
        }
        let view = {
            let catalog = self.session.catalog.borrow();
            match parts {
                [name] => catalog.temp_view(name).cloned(),
                [database, name] if database.eq_ignore_ascii_case(GLOBAL_TEMP) => {
                    catalog.global_temp_view(name).cloned()
                }
                _ => None,
            }
        };
        if let Some(plan) = view {
            if streaming && !plan.is_streaming() {
                let name = parts.last().cloned().unwrap_or_default();
                return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1008", &[("quoted", &name)]));
            }
            let name = parts.last().cloned().unwrap_or_default().to_lowercase();
            // In a subquery the enclosing query may read the same view: its columns must not be these.
            let plan = if self.outer.is_empty() { plan } else { fresh_ids(&plan) };
            let view = Arc::new(LogicalPlan::View { name: parts.to_vec(), child: plan });
            return Ok(Arc::new(LogicalPlan::SubqueryAlias { name, child: view }));
        }
        if let Some(view) = self.saved_view(parts)? {
            return Ok(view);
        }
        if let Some(table) = crate::catalog::saved_table(self.session, parts, streaming)? {
            let name = self.session.catalog.borrow().table_name(parts)?;
            return Ok(Arc::new(LogicalPlan::SubqueryAlias { name: in_full(&name), child: table }));
        }
        if let Some(error) = crate::catalog::nested_namespace(parts) {
            return Err(error);
        }
        let error = SparkError::analysis(
            "TABLE_OR_VIEW_NOT_FOUND",
            &[("relationName", &quote_parts(parts)), ("searchPath", &self.session.catalog.borrow().search_path())],
        );
        Err(self.at_node(error, &LogicalPlan::UnresolvedRelation { parts: parts.to_vec(), streaming, at: None }))
    }

    /// A view of CREATE VIEW: its query is analysed without what is in sight here.
    fn saved_view(&mut self, parts: &[String]) -> Result<Option<PlanRef>> {
        let found = {
            let catalog = self.session.catalog.borrow();
            catalog.table_name(parts).ok().and_then(|name| catalog.saved_view(&name).cloned())
        };
        let Some(view) = found else { return Ok(None) };
        let mut plan = fresh_ids(&super::analyze(self.session, &view.query)?);
        if !view.columns.is_empty() {
            plan = crate::dataframe::to_df(self.session, &plan, view.columns)?;
        }
        if view.comments.iter().any(Option::is_some) {
            let list = plan.output().into_iter().enumerate().map(|(at, column)| {
                match view.comments.get(at).cloned().flatten() {
                    Some(comment) => {
                        let metadata = serde_json::json!({ "comment": comment }).to_string();
                        Expr::Alias(Box::new(Alias {
                            id: ExprId::fresh(),
                            names: vec![column.name.to_string()],
                            child: Expr::Attribute(column),
                            qualifier: Vec::new(),
                            metadata: Some(Metadata { user: Some(metadata.into()), ..Metadata::default() }),
                        }))
                    }
                    None => Expr::Attribute(column),
                }
            });
            plan = Arc::new(LogicalPlan::Project { list: list.collect(), child: plan });
        }
        let (database, name) = crate::catalog::split(&view.name);
        let full = ["spark_catalog", database, name].map(str::to_owned).to_vec();
        let child = Arc::new(LogicalPlan::View { name: full, child: plan });
        Ok(Some(Arc::new(LogicalPlan::SubqueryAlias { name: in_full(&view.name), child })))
    }
}
