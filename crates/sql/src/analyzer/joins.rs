//! Joins: self joins, USING and NATURAL, the condition.

use std::sync::Arc;

use super::dedup::apart;
use super::names::{column_in, quoted, trim_all_aliases};
use super::{Analyzer, Scope, checks};
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, quoted_sql};
use crate::plan::{Join, JoinCondition, JoinKind, LogicalPlan, PlanRef};
use crate::types::DataType;

impl Analyzer<'_> {
    pub(super) fn join(&mut self, join: Join) -> Result<PlanRef> {
        let Join { left, right, kind, condition } = join;
        let right = apart(self.session, &left, &right);
        match condition {
            JoinCondition::None => Ok(Arc::new(LogicalPlan::Join(Join { left, right, kind, condition }))),
            JoinCondition::On(on) => {
                let scope = Scope::of(&[left.clone(), right.clone()]);
                let on = trim_all_aliases(self.expr(on, &scope)?);
                if on.data_type() != DataType::Boolean && on.data_type() != DataType::Null {
                    return Err(SparkError::analysis(
                        "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
                        &[("joinCondition", &quoted_sql(&on)), ("conditionType", &on.data_type().quoted_sql())],
                    ));
                }
                let plan = LogicalPlan::Join(Join { left, right, kind, condition: JoinCondition::On(on) });
                checks::inputs_present(self, &plan)?;
                Ok(Arc::new(plan))
            }
            JoinCondition::Using(names) => self.using(left, right, kind, &names),
            JoinCondition::Natural => {
                let (ours, theirs) = (left.output(), right.output());
                let names: Vec<String> = ours
                    .iter()
                    .filter(|column| column_in(&theirs, &column.name, self.conf.case_sensitive()).is_some())
                    .map(|column| column.name.to_string())
                    .collect();
                self.using(left, right, kind, &names)
            }
        }
    }

    /// USING and NATURAL: equal columns joined into one (NaturalAndUsingJoinResolution).
    fn using(&mut self, left: PlanRef, right: PlanRef, kind: JoinKind, names: &[String]) -> Result<PlanRef> {
        let (ours, theirs) = (left.output(), right.output());
        let case_sensitive = self.conf.case_sensitive();
        let missing = |name: &str, side: &str, columns: &[Arc<Attribute>]| {
            let mut shown: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
            shown.sort();
            let error = SparkError::analysis(
                "UNRESOLVED_USING_COLUMN_FOR_JOIN",
                &[("colName", &quoted(name)), ("side", side), ("suggestion", &shown.join(", "))],
            );
            Err(self.at_place(error))
        };
        let mut pairs = Vec::new();
        for name in names {
            let parts = [name.clone()];
            let left_column = match super::scope::find_column(&ours, &parts, case_sensitive)? {
                Some(found) => found.attribute,
                None => return missing(name, "left", &ours),
            };
            let right_column = match super::scope::find_column(&theirs, &parts, case_sensitive)? {
                Some(found) => found.attribute,
                None => return missing(name, "right", &theirs),
            };
            pairs.push((left_column, right_column));
        }
        let mut on: Option<Expr> = None;
        for (a, b) in &pairs {
            let equal = self.call("=", vec![Expr::Attribute(a.clone()), Expr::Attribute(b.clone())])?;
            on = Some(match on {
                None => equal,
                Some(so_far) => self.call("and", vec![so_far, equal])?,
            });
        }
        let condition = on.map_or(JoinCondition::None, JoinCondition::On);
        let join = LogicalPlan::Join(Join { left, right, kind, condition });
        let output = join.output();
        let current = |wanted: &Arc<Attribute>| {
            Expr::Attribute(
                output.iter().find(|column| column.id == wanted.id).cloned().unwrap_or_else(|| wanted.clone()),
            )
        };
        let keys_left: Vec<_> = pairs.iter().map(|(a, _)| a.id).collect();
        let keys_right: Vec<_> = pairs.iter().map(|(_, b)| b.id).collect();
        let rest_left: Vec<Expr> = ours.iter().filter(|column| !keys_left.contains(&column.id)).map(current).collect();
        let rest_right: Vec<Expr> =
            theirs.iter().filter(|column| !keys_right.contains(&column.id)).map(current).collect();
        let mut list: Vec<Expr> = match kind {
            JoinKind::LeftOuter
            | JoinKind::LeftSingle
            | JoinKind::LeftSemi
            | JoinKind::LeftAnti
            | JoinKind::Inner
            | JoinKind::Cross => pairs.iter().map(|(a, _)| current(a)).collect(),
            JoinKind::RightOuter => pairs.iter().map(|(_, b)| current(b)).collect(),
            JoinKind::FullOuter => pairs
                .iter()
                .map(|(a, b)| Ok(self.call("coalesce", vec![current(a), current(b)])?.alias(&a.name)))
                .collect::<Result<_>>()?,
        };
        list.extend(rest_left);
        if !matches!(kind, JoinKind::LeftSemi | JoinKind::LeftAnti) {
            list.extend(rest_right);
        }
        Ok(Arc::new(LogicalPlan::Project { list, child: Arc::new(join) }))
    }
}
