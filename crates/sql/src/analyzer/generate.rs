//! Generators: explode and kin in a select list, and LATERAL VIEW.

use std::sync::Arc;

use super::Analyzer;
use crate::error::{Result, SparkError};
use crate::expr::{Attribute, Expr, ExprId, GeneratorCall, Metadata};
use crate::plan::{LogicalPlan, PlanRef};

pub(super) fn generator_columns(call: &GeneratorCall, names: &[String]) -> Result<Vec<Arc<Attribute>>> {
    if !names.is_empty() && names.len() != call.output.len() {
        return Err(SparkError::analysis(
            "UDTF_ALIAS_NUMBER_MISMATCH",
            &[("aliasesSize", &call.output.len().to_string()), ("aliasesNames", &names.join(", "))],
        ));
    }
    Ok(call
        .output
        .iter()
        .enumerate()
        .map(|(i, (name, data_type, nullable))| {
            Arc::new(Attribute {
                id: ExprId::fresh(),
                name: names.get(i).unwrap_or(name).as_str().into(),
                data_type: data_type.clone(),
                nullable: *nullable || call.outer,
                qualifier: Vec::new(),
                metadata: Metadata::default(),
            })
        })
        .collect())
}

impl Analyzer<'_> {
    /// A select list with generators at the top of items: the first one's rows are those of the next (ExtractGenerator).
    pub(super) fn extract_generators(&mut self, list: Vec<Expr>, child: &PlanRef) -> Result<PlanRef> {
        for item in &list {
            let item = item.unaliased();
            if !matches!(item, Expr::Generator(_)) && item.any(&|expr| matches!(expr, Expr::Generator(_))) {
                return Err(SparkError::analysis(
                    "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                    &[("expression", &crate::expr::quoted_sql(item))],
                ));
            }
        }
        let mut out = Vec::new();
        let mut made = Vec::new();
        let mut plan = child.clone();
        for item in list {
            let Expr::Generator(call) = item.unaliased().clone() else {
                out.push(item);
                continue;
            };
            let names = match &item {
                Expr::Alias(alias) => alias.names.clone(),
                _ => Vec::new(),
            };
            let output = generator_columns(&call, &names)?;
            made.extend(output.iter().cloned());
            out.extend(output.iter().cloned().map(Expr::Attribute));
            plan = Arc::new(LogicalPlan::Generate {
                outer: call.outer,
                generator: Expr::Generator(call),
                qualifier: None,
                output,
                child: plan,
            });
        }
        let out = out.into_iter().map(|item| self.read_generated(item, &made)).collect();
        self.finish_project(out, &plan)
    }

    /// LATERAL VIEW [OUTER] generator(...) name AS columns. `output` holds the column names that the text gives.
    pub(super) fn generate(
        &mut self,
        generator: Expr,
        outer: bool,
        qualifier: Option<String>,
        output: Vec<Arc<Attribute>>,
        child: &PlanRef,
    ) -> Result<PlanRef> {
        if let Some(call) = self.script_table(&generator) {
            let names: Vec<String> = output.iter().map(|column| column.name.to_string()).collect();
            let around = self.origin.clone();
            if let Expr::At { origin, .. } = &generator {
                self.origin = Some(origin.clone());
            }
            let made = self.table_function(call, qualifier, &names, child).map_err(|error| self.at_place(error));
            self.origin = around;
            return made;
        }
        if let Expr::UnresolvedFunction(call) = super::functions::strip_origin(&generator)
            && let Some(function) = self.sql_function(&call.name)
        {
            let names: Vec<String> = output.iter().map(|column| column.name.to_string()).collect();
            if let Expr::At { origin, .. } = &generator {
                self.origin = Some(origin.clone());
            }
            return self.sql_table(&function, (**call).clone(), qualifier, &names, child);
        }
        if let Expr::At { child: call, origin } = &generator
            && let Expr::UnresolvedFunction(call) = &**call
            && self.session.catalog.borrow().function(&call.name).is_none()
        {
            self.origin = Some(origin.clone());
            let name = super::quoted(&call.name);
            return Err(self.at_place(SparkError::analysis("UNRESOLVABLE_TABLE_VALUED_FUNCTION", &[("name", &name)])));
        }
        let scope = self.scope(child);
        let resolved = super::names::trim_all_aliases(self.expr(generator, &scope)?);
        let Expr::Generator(mut call) = resolved else {
            let name = resolved.pretty_sql();
            return Err(SparkError::analysis(
                "UNSUPPORTED_GENERATOR.NOT_GENERATOR",
                &[("functionName", &super::quoted(&name)), ("classCanonicalName", &name)],
            ));
        };
        call.outer |= outer;
        let names: Vec<String> = output.iter().map(|column| column.name.to_string()).collect();
        let output = generator_columns(&call, &names)?;
        Ok(Arc::new(LogicalPlan::Generate {
            outer: call.outer,
            generator: Expr::Generator(call),
            qualifier,
            output,
            child: child.clone(),
        }))
    }
}
