//! Types with other types in place of some.

use super::DataType;

impl DataType {
    /// Every leaf of the type by `leaf`.
    fn map_leaves(self, leaf: &dyn Fn(DataType) -> DataType) -> DataType {
        match self {
            DataType::Array { element, contains_null } => {
                DataType::Array { element: (*element).clone().map_leaves(leaf).into(), contains_null }
            }
            DataType::Map { key, value, value_contains_null } => DataType::Map {
                key: (*key).clone().map_leaves(leaf).into(),
                value: (*value).clone().map_leaves(leaf).into(),
                value_contains_null,
            },
            DataType::Struct(schema) => {
                let mut schema = (*schema).clone();
                for field in &mut schema.fields {
                    field.data_type = field.data_type.clone().map_leaves(leaf);
                }
                DataType::Struct(schema.into())
            }
            other => leaf(other),
        }
    }

    /// CharVarcharUtils.replaceCharVarcharWithStringForCast: a cast to CHAR or VARCHAR is one to STRING.
    #[must_use]
    pub fn without_lengths(self) -> DataType {
        self.map_leaves(&|t| match t {
            DataType::Char(_) | DataType::Varchar(_) => DataType::String,
            other => other,
        })
    }

    /// TIMESTAMP as spark.sql.timestampType has it.
    #[must_use]
    pub fn with_timestamps(self, ntz: bool) -> DataType {
        self.map_leaves(&|t| if ntz && t == DataType::Timestamp { DataType::TimestampNtz } else { t })
    }
}
