//! Names of tables: common table expressions, temp views, saved tables.

use std::sync::Arc;

use super::dedup::fresh_ids;
use super::{Analyzer, quote_parts};
use crate::catalog::GLOBAL_TEMP;
use crate::error::{Result, SparkError};
use crate::plan::{LogicalPlan, PlanRef};

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
        if let Some(table) = crate::catalog::saved_table(self.session, parts, streaming)? {
            let name = parts.last().cloned().unwrap_or_default().to_lowercase();
            return Ok(Arc::new(LogicalPlan::SubqueryAlias { name, child: table }));
        }
        let error = SparkError::analysis(
            "TABLE_OR_VIEW_NOT_FOUND",
            &[("relationName", &quote_parts(parts)), ("searchPath", crate::catalog::SEARCH_PATH)],
        );
        Err(self.at_node(error, &LogicalPlan::UnresolvedRelation { parts: parts.to_vec(), streaming, at: None }))
    }
}
