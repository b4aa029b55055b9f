//! A data source of the script's in a plan.

use std::sync::Arc;

use super::{ExtensionNode, PlanRef};
use crate::expr::{Attribute, Expr};
use crate::python_source::Loaded;

/// RelationV2 over a source of the script's.
#[derive(Clone, Debug)]
pub struct PythonScan {
    pub loaded: Loaded,
    pub output: Vec<Arc<Attribute>>,
}

impl ExtensionNode for PythonScan {
    fn name(&self) -> String {
        let columns: Vec<String> = self.output.iter().cloned().map(|a| Expr::Attribute(a).plan_string()).collect();
        format!("RelationV2[{}] {}", columns.join(", "), self.loaded.name)
    }

    fn children(&self) -> Vec<PlanRef> {
        Vec::new()
    }

    fn output(&self) -> Vec<Arc<Attribute>> {
        self.output.clone()
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn rebuild(&self, _children: Vec<PlanRef>, _expressions: Vec<Expr>) -> Arc<dyn ExtensionNode> {
        Arc::new(self.clone())
    }

    fn with_output(&self, output: Vec<Arc<Attribute>>) -> Arc<dyn ExtensionNode> {
        Arc::new(Self { output, ..self.clone() })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
