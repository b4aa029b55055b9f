//! The texts of types: simpleString, catalogString, sql, typeName, toDDL.

use super::{DataType, StructField, StructType};

/// spark.sql.debug.maxToStringFields.
const MAX_TO_STRING_FIELDS: usize = 25;

pub(super) const YEAR_MONTH: [&str; 2] = ["year", "month"];
pub(super) const DAY_TIME: [&str; 4] = ["day", "hour", "minute", "second"];

/// QuotingUtils.quoteIfNeeded: backquotes around a name that is not a plain identifier.
pub fn quote_if_needed(name: &str) -> String {
    let plain = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.bytes().all(|b| b.is_ascii_digit());
    if plain { name.to_owned() } else { format!("`{}`", name.replace('`', "``")) }
}

fn interval(prefix: &str, names: &[&str], start: u8, end: u8) -> String {
    let at = |i: u8| names.get(i as usize).copied().unwrap_or("");
    if start == end { format!("{prefix}{}", at(start)) } else { format!("{prefix}{} to {}", at(start), at(end)) }
}

impl DataType {
    /// DataType.simpleString: structs of more than 25 fields are cut.
    pub fn simple_string(&self) -> String {
        match self {
            DataType::Array { element, .. } => format!("array<{}>", element.simple_string()),
            DataType::Map { key, value, .. } => format!("map<{},{}>", key.simple_string(), value.simple_string()),
            DataType::Struct(s) => s.simple_string(),
            other => other.catalog_string(),
        }
    }

    /// DataType.catalogString: the whole type, as DDL-like text in lower case.
    pub fn catalog_string(&self) -> String {
        match self {
            DataType::Null => "void".into(),
            DataType::Boolean => "boolean".into(),
            DataType::Byte => "tinyint".into(),
            DataType::Short => "smallint".into(),
            DataType::Integer => "int".into(),
            DataType::Long => "bigint".into(),
            DataType::Float => "float".into(),
            DataType::Double => "double".into(),
            DataType::Decimal { precision, scale } => format!("decimal({precision},{scale})"),
            DataType::String => "string".into(),
            DataType::Char(n) => format!("char({n})"),
            DataType::Varchar(n) => format!("varchar({n})"),
            DataType::Binary => "binary".into(),
            DataType::Date => "date".into(),
            DataType::Timestamp => "timestamp".into(),
            DataType::TimestampNtz => "timestamp_ntz".into(),
            DataType::Time(precision) => format!("time({precision})"),
            DataType::YearMonthInterval { start, end } => interval("interval ", &YEAR_MONTH, *start, *end),
            DataType::DayTimeInterval { start, end } => interval("interval ", &DAY_TIME, *start, *end),
            DataType::CalendarInterval => "interval".into(),
            DataType::Array { element, .. } => format!("array<{}>", element.catalog_string()),
            DataType::Map { key, value, .. } => format!("map<{},{}>", key.catalog_string(), value.catalog_string()),
            DataType::Struct(s) => {
                let fields: Vec<String> =
                    s.fields.iter().map(|f| format!("{}:{}", f.name, f.data_type.catalog_string())).collect();
                format!("struct<{}>", fields.join(","))
            }
            DataType::Variant => "variant".into(),
        }
    }

    /// DataType.typeName, as printSchema and the JSON form use it.
    pub fn type_name(&self) -> String {
        match self {
            DataType::Byte => "byte".into(),
            DataType::Short => "short".into(),
            DataType::Integer => "integer".into(),
            DataType::Long => "long".into(),
            DataType::Array { .. } => "array".into(),
            DataType::Map { .. } => "map".into(),
            DataType::Struct(_) => "struct".into(),
            other => other.catalog_string(),
        }
    }

    /// DataType.sql: "DECIMAL(10,0)", "STRUCT<a: INT NOT NULL>".
    pub fn sql(&self) -> String {
        match self {
            DataType::Array { element, .. } => format!("ARRAY<{}>", element.sql()),
            DataType::Map { key, value, .. } => format!("MAP<{}, {}>", key.sql(), value.sql()),
            DataType::Struct(s) => {
                let fields: Vec<String> = s.fields.iter().map(StructField::sql).collect();
                format!("STRUCT<{}>", fields.join(", "))
            }
            other => other.simple_string().to_uppercase(),
        }
    }

    /// toString of the type's object, which a few old error texts print.
    pub fn jvm_name(&self) -> String {
        match self {
            DataType::Decimal { precision, scale } => format!("DecimalType({precision},{scale})"),
            DataType::YearMonthInterval { start, end } => format!("YearMonthIntervalType({start},{end})"),
            DataType::DayTimeInterval { start, end } => format!("DayTimeIntervalType({start},{end})"),
            DataType::Array { element, contains_null } => format!("ArrayType({},{contains_null})", element.jvm_name()),
            DataType::Map { key, value, value_contains_null } => {
                format!("MapType({},{},{value_contains_null})", key.jvm_name(), value.jvm_name())
            }
            DataType::Struct(fields) => {
                let fields: Vec<String> = fields
                    .fields
                    .iter()
                    .map(|f| format!("StructField({},{},{})", f.name, f.data_type.jvm_name(), f.nullable))
                    .collect();
                format!("StructType({})", fields.join(","))
            }
            DataType::Null => "NullType".into(),
            DataType::CalendarInterval => "CalendarIntervalType".into(),
            DataType::TimestampNtz => "TimestampNTZType".into(),
            DataType::Time(precision) => format!("TimeType({precision})"),
            other => {
                let name = other.type_name();
                let mut letters = name.chars();
                let first = letters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
                format!("{first}{}Type", letters.as_str())
            }
        }
    }

    /// The type in messages: `"STRING"` (QueryErrorsBase.toSQLType).
    pub fn quoted_sql(&self) -> String {
        format!("\"{}\"", self.sql())
    }
}

impl StructField {
    fn comment_ddl(&self) -> String {
        match self.comment() {
            Some(text) => format!(" COMMENT '{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
            None => String::new(),
        }
    }

    fn null_ddl(&self) -> &'static str {
        if self.nullable { "" } else { " NOT NULL" }
    }

    /// StructField.sql.
    pub fn sql(&self) -> String {
        format!("{}: {}{}{}", quote_if_needed(&self.name), self.data_type.sql(), self.null_ddl(), self.comment_ddl())
    }

    /// StructField.toDDL.
    pub fn to_ddl(&self) -> String {
        format!("{} {}{}{}", quote_if_needed(&self.name), self.data_type.sql(), self.null_ddl(), self.comment_ddl())
    }
}

impl StructType {
    /// StructType.simpleString.
    pub fn simple_string(&self) -> String {
        let mut parts: Vec<String> = self
            .fields
            .iter()
            .take(MAX_TO_STRING_FIELDS)
            .map(|f| format!("{}:{}", f.name, f.data_type.simple_string()))
            .collect();
        if self.fields.len() > MAX_TO_STRING_FIELDS {
            parts.push(format!("... {} more fields", self.fields.len() - MAX_TO_STRING_FIELDS));
        }
        format!("struct<{}>", parts.join(","))
    }

    /// StructType.toDDL.
    pub fn to_ddl(&self) -> String {
        self.fields.iter().map(StructField::to_ddl).collect::<Vec<_>>().join(",")
    }
}

impl DataType {
    /// Scala's toString of the type, as some messages show it ("StringType").
    pub fn scala_name(&self) -> String {
        match self {
            Self::Null => "NullType".into(),
            Self::Boolean => "BooleanType".into(),
            Self::Byte => "ByteType".into(),
            Self::Short => "ShortType".into(),
            Self::Integer => "IntegerType".into(),
            Self::Long => "LongType".into(),
            Self::Float => "FloatType".into(),
            Self::Double => "DoubleType".into(),
            Self::Decimal { precision, scale } => format!("DecimalType({precision},{scale})"),
            Self::String => "StringType".into(),
            Self::Char(length) => format!("CharType({length})"),
            Self::Varchar(length) => format!("VarcharType({length})"),
            Self::Binary => "BinaryType".into(),
            Self::Date => "DateType".into(),
            Self::Timestamp => "TimestampType".into(),
            Self::TimestampNtz => "TimestampNTZType".into(),
            Self::Time(precision) => format!("TimeType({precision})"),
            Self::YearMonthInterval { start, end } => format!("YearMonthIntervalType({start},{end})"),
            Self::DayTimeInterval { start, end } => format!("DayTimeIntervalType({start},{end})"),
            Self::CalendarInterval => "CalendarIntervalType".into(),
            Self::Array { element, contains_null } => format!("ArrayType({},{contains_null})", element.scala_name()),
            Self::Map { key, value, value_contains_null } => {
                format!("MapType({},{},{value_contains_null})", key.scala_name(), value.scala_name())
            }
            Self::Struct(fields) => fields.scala_name(),
            Self::Variant => "VariantType".into(),
        }
    }
}

impl StructType {
    /// StructType.toString.
    pub fn scala_name(&self) -> String {
        let fields: Vec<String> = self.fields.iter().map(StructField::scala_name).collect();
        format!("StructType({})", fields.join(","))
    }
}

impl StructField {
    /// StructField.toString.
    pub fn scala_name(&self) -> String {
        format!("StructField({},{},{})", self.name, self.data_type.scala_name(), self.nullable)
    }
}
