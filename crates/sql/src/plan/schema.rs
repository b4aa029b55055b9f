//! The schema that a DataFrame shows.

use std::sync::Arc;

use super::LogicalPlan;
use crate::expr::{Metadata, WindowKind};
use crate::types::{StructField, StructType};

impl LogicalPlan {
    /// Schema of the output, as `df.schema` gives it.
    pub fn schema(&self) -> StructType {
        StructType {
            fields: self
                .output()
                .iter()
                .map(|attribute| StructField {
                    name: attribute.name.to_string(),
                    data_type: attribute.data_type.clone(),
                    nullable: attribute.nullable,
                    metadata: metadata_json(&attribute.metadata),
                })
                .collect(),
        }
    }
}

/// Field metadata: the user's, with the keys that Spark adds for event time and windows.
fn metadata_json(metadata: &Metadata) -> Arc<str> {
    let mut entries = Vec::new();
    if let Some(user) = &metadata.user {
        let inner = user.trim();
        let inner = inner.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(inner).trim();
        if !inner.is_empty() {
            entries.push(inner.to_owned());
        }
    }
    match metadata.window {
        Some(WindowKind::Time) => entries.push("\"spark.timeWindow\":true".to_owned()),
        Some(WindowKind::Session) => entries.push("\"spark.sessionWindow\":true".to_owned()),
        None => {}
    }
    if let Some(delay) = metadata.watermark_delay_ms {
        entries.push(format!("\"spark.watermarkDelayMs\":{delay}"));
    }
    format!("{{{}}}", entries.join(",")).into()
}
