//! ExtractPythonUDFs: calls of the script's functions leave the expressions and become columns computed below.

use std::sync::Arc;

use super::Planner;
use crate::error::Result;
use crate::exec::ExecRef;
use crate::exec::python::PythonExec;
use crate::expr::{Attribute, Expr, ExprId, Metadata, PythonUdf};

fn has_udf(e: &Expr) -> bool {
    e.any(&|x| matches!(x, Expr::PythonUdf(_)))
}

/// The innermost calls: their arguments call nothing of the script themselves.
fn innermost(e: &Expr, out: &mut Vec<PythonUdf>) {
    if let Expr::PythonUdf(udf) = e
        && !udf.args.iter().any(has_udf)
    {
        if !out.contains(udf) {
            out.push((**udf).clone());
        }
        return;
    }
    e.children().into_iter().for_each(|c| innermost(c, out));
}

impl Planner<'_> {
    /// Takes the calls out of these expressions: the child with the columns they become, and the expressions over it.
    pub(super) fn extract_python(&self, mut list: Vec<Expr>, mut child: ExecRef) -> Result<(Vec<Expr>, ExecRef)> {
        while list.iter().any(has_udf) {
            let mut udfs = Vec::new();
            list.iter().for_each(|e| innermost(e, &mut udfs));
            let results: Vec<Arc<Attribute>> = udfs
                .iter()
                .enumerate()
                .map(|(i, udf)| {
                    Arc::new(Attribute {
                        id: ExprId::fresh(),
                        name: format!("pythonUDF{i}").into(),
                        data_type: udf.data_type.clone(),
                        nullable: true,
                        qualifier: Vec::new(),
                        metadata: Metadata::default(),
                    })
                })
                .collect();
            list = list.into_iter().map(|e| replaced(e, &udfs, &results)).collect();
            child = Arc::new(PythonExec::new(udfs, results, child)?);
        }
        Ok((list, child))
    }
}

fn replaced(e: Expr, udfs: &[PythonUdf], results: &[Arc<Attribute>]) -> Expr {
    if let Expr::PythonUdf(udf) = &e
        && let Some(i) = udfs.iter().position(|u| *u == **udf)
    {
        return Expr::Attribute(Arc::clone(&results[i]));
    }
    e.map_children(&mut |c| replaced(c, udfs, results))
}
