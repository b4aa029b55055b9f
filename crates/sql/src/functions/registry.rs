//! Functions by name: looked up, arguments counted, coerced and checked, turned into resolved expressions.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::coercion::{In, check_inputs};
use super::typed::{ColumnEval, column_call};
use crate::conf::SqlConf;
use crate::error::{Result, SparkError};
use crate::expr::{Expr, SortOrder};
use crate::types::DataType;

/// A call as the analyzer hands it over: arguments resolved (lambdas too), not yet coerced.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// As written; looked up without regard to case. Operators have their symbols: "+", "=", "and", "not", "isnull", "negative".
    pub name: String,
    pub args: Vec<Expr>,
    /// Named arguments, by position in `args`; empty when all are positional.
    pub arg_names: Vec<Option<String>>,
    pub distinct: bool,
    pub filter: Option<Expr>,
    pub ignore_nulls: bool,
    pub within_group: Vec<SortOrder>,
}

/// What a builder works with.
pub struct Build<'a> {
    /// In lower case.
    pub name: &'static str,
    /// As the user wrote it.
    pub written: &'a str,
    /// Names of the arguments, by position; empty when all are positional.
    pub arg_names: Vec<Option<String>>,
    pub distinct: bool,
    pub filter: Option<Expr>,
    pub ignore_nulls: bool,
    pub within_group: Vec<SortOrder>,
    pub conf: &'a SqlConf,
}

impl Build<'_> {
    pub fn ansi(&self) -> bool {
        self.conf.ansi()
    }

    /// Casts and checks the arguments of the function.
    pub fn inputs(&self, args: Vec<Expr>, inputs: &[In]) -> Result<Vec<Expr>> {
        check_inputs(args, inputs, true, self.ansi(), &|args| super::describe::call_text(self.name, args))
    }

    /// Another function over resolved arguments.
    pub fn invoke(&self, name: &str, args: Vec<Expr>) -> Result<Expr> {
        resolve_call(name, args, self.conf)
    }
}

pub type Builder = fn(&mut Build<'_>, Vec<Expr>) -> Result<Expr>;

/// A function's result type.
#[derive(Clone, Copy)]
pub enum Ret {
    Is(DataType2),
    /// That of an argument.
    Same(usize),
    Of(fn(&[Expr]) -> DataType),
}

/// Types that can stand in a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType2 {
    Bool,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    Str,
    Bin,
    Date,
    Ts,
    Ntz,
    Calendar,
    DayTime,
    YearMonth,
    Variant,
    StrArray,
}

impl DataType2 {
    pub fn get(self) -> DataType {
        match self {
            DataType2::Bool => DataType::Boolean,
            DataType2::Byte => DataType::Byte,
            DataType2::Short => DataType::Short,
            DataType2::Int => DataType::Integer,
            DataType2::Long => DataType::Long,
            DataType2::Float => DataType::Float,
            DataType2::Double => DataType::Double,
            DataType2::Str => DataType::String,
            DataType2::Bin => DataType::Binary,
            DataType2::Date => DataType::Date,
            DataType2::Ts => DataType::Timestamp,
            DataType2::Ntz => DataType::TimestampNtz,
            DataType2::Calendar => DataType::CalendarInterval,
            DataType2::DayTime => DataType::INTERVAL_DT,
            DataType2::YearMonth => DataType::INTERVAL_YM,
            DataType2::Variant => DataType::Variant,
            DataType2::StrArray => DataType::array(DataType::String, true),
        }
    }
}

/// How nulls come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// Null in, null out; nullable when an argument is.
    Strict,
    /// Null in, null out; may be null besides.
    StrictNullable,
    /// The function sees nulls; may give null.
    Always,
    /// The function sees nulls and never gives one.
    Never,
    /// The function sees nulls; nullable when an argument is.
    AnyArg,
    /// The function sees nulls; nullable when the first argument is.
    First,
}

#[derive(Clone, Copy)]
pub struct RowSpec {
    /// The last holds for all further arguments; empty: no check.
    pub inputs: &'static [In],
    pub ret: Ret,
    pub nulls: Nulls,
    /// ImplicitCastInputTypes; otherwise ExpectsInputTypes (no casts).
    pub implicit: bool,
    pub eval: ColumnEval,
}

#[derive(Clone, Copy)]
pub enum Kind {
    Row(RowSpec),
    Custom(Builder),
}

/// A function of the registry.
pub struct FunctionEntry {
    pub name: &'static str,
    /// Fewest and most arguments.
    pub min: usize,
    pub max: usize,
    pub kind: Kind,
    /// What columns and plans print instead of the name ("SQRT").
    pub shown: Option<&'static str>,
}

pub const MANY: usize = usize::MAX;

impl FunctionEntry {
    pub const fn custom(name: &'static str, min: usize, max: usize, build: Builder) -> Self {
        Self { name, min, max, kind: Kind::Custom(build), shown: None }
    }

    /// A function over columns.
    pub const fn columns(
        name: &'static str,
        min: usize,
        max: usize,
        inputs: &'static [In],
        ret: Ret,
        nulls: Nulls,
        eval: ColumnEval,
    ) -> Self {
        let spec = RowSpec { inputs, ret, nulls, implicit: true, eval };
        Self { name, min, max, kind: Kind::Row(spec), shown: None }
    }

    /// Printed by another name.
    pub const fn shown(mut self, name: &'static str) -> Self {
        self.shown = Some(name);
        self
    }

    /// Without implicit casts of its arguments.
    pub const fn exact(mut self) -> Self {
        if let Kind::Row(spec) = &mut self.kind {
            spec.implicit = false;
        }
        self
    }
}

fn table() -> &'static HashMap<&'static str, &'static FunctionEntry> {
    static TABLE: OnceLock<HashMap<&'static str, &'static FunctionEntry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        super::scalar::tables()
            .iter()
            .chain(super::aggregate::tables())
            .flat_map(|t| t.iter())
            .map(|e| (e.name, e))
            .collect()
    })
}

/// Where functions are looked for, as error texts print it.
const SEARCH_PATH: &str = "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]";

/// The function of this name (any case), or None.
pub fn lookup(name: &str) -> Option<&'static FunctionEntry> {
    let table = table();
    table.get(name).or_else(|| table.get(name.to_lowercase().as_str())).copied()
}

/// Whether the name is that of an aggregate function.
pub fn is_aggregate(name: &str) -> bool {
    let name = name.to_lowercase();
    super::aggregate::tables().iter().any(|table| table.iter().any(|entry| entry.name == name))
}

/// Whether the registry lets a function have that many arguments.
pub fn takes(name: &str, count: usize) -> bool {
    lookup(name).is_some_and(|entry| (entry.min..=entry.max).contains(&count))
}

/// Names of all functions, sorted (SHOW FUNCTIONS).
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = table().keys().copied().collect();
    names.sort_unstable();
    names
}

/// Looks a function up, coerces its arguments, checks them and gives the resolved expression (call, aggregate, generator,
/// cast, CASE ...). Errors are Spark's: UNRESOLVED_ROUTINE, WRONG_NUM_ARGS, DATATYPE_MISMATCH.
pub fn resolve(call: Invocation, conf: &SqlConf) -> Result<Expr> {
    let Some(entry) = lookup(&call.name) else {
        return Err(SparkError::analysis(
            "UNRESOLVED_ROUTINE",
            &[("routineName", &format!("`{}`", call.name.replace('.', "`.`"))), ("searchPath", SEARCH_PATH)],
        ));
    };
    check_count(entry, &call.name, call.args.len())?;
    if let Some(filter) = call.filter.as_ref().filter(|f| !matches!(f.data_type(), DataType::Boolean | DataType::Null))
    {
        return Err(SparkError::analysis(
            "INVALID_AGGREGATE_FILTER.NOT_BOOLEAN",
            &[("filterExpr", &super::describe::quoted(filter))],
        ));
    }
    let mut build = Build {
        name: entry.name,
        written: &call.name,
        arg_names: call.arg_names,
        distinct: call.distinct,
        filter: call.filter,
        ignore_nulls: call.ignore_nulls,
        within_group: call.within_group,
        conf,
    };
    run(entry, &mut build, call.args)
}

/// A plain call of a function over resolved arguments.
pub fn resolve_call(name: &str, args: Vec<Expr>, conf: &SqlConf) -> Result<Expr> {
    resolve(
        Invocation {
            name: name.to_owned(),
            args,
            arg_names: Vec::new(),
            distinct: false,
            filter: None,
            ignore_nulls: false,
            within_group: Vec::new(),
        },
        conf,
    )
}

fn run(entry: &'static FunctionEntry, build: &mut Build<'_>, args: Vec<Expr>) -> Result<Expr> {
    match &entry.kind {
        Kind::Custom(builder) => builder(build, args),
        Kind::Row(spec) => {
            let shown = entry.shown.unwrap_or(entry.name);
            let args = check_inputs(args, spec.inputs, spec.implicit, build.ansi(), &|args| {
                super::describe::call_text(shown, args)
            })?;
            let any = args.iter().any(Expr::nullable);
            let (strict, nullable) = match spec.nulls {
                Nulls::Strict => (true, any),
                Nulls::StrictNullable => (true, true),
                Nulls::Always => (false, true),
                Nulls::Never => (false, false),
                Nulls::AnyArg => (false, any),
                Nulls::First => (false, args.first().is_none_or(Expr::nullable)),
            };
            let data_type = match spec.ret {
                Ret::Is(t) => t.get(),
                Ret::Same(i) => args.get(i).map_or(DataType::Null, Expr::data_type),
                Ret::Of(f) => f(&args),
            };
            Ok(column_call(shown, args, data_type, nullable, strict, build.ansi(), spec.eval))
        }
    }
}

fn check_count(entry: &FunctionEntry, written: &str, actual: usize) -> Result<()> {
    if actual >= entry.min && actual <= entry.max {
        return Ok(());
    }
    if entry.name == "count" {
        return Err(SparkError::analysis(
            "WRONG_NUM_ARGS.WITH_SUGGESTION",
            &[
                ("functionName", &format!("`{written}`")),
                ("expectedNum", " >= 1"),
                ("actualNum", "0"),
                ("legacyNum", "0"),
                ("legacyConfKey", "\"spark.sql.legacy.allowParameterlessCount\""),
                ("legacyConfValue", "\"true\""),
            ],
        ));
    }
    let expected = if matches!(entry.name, "try_sum" | "counter_diff") {
        // Spark counts the evaluation mode of its constructor in; no argument at all is another error.
        "[1, 2]".to_owned()
    } else if entry.max == MANY {
        format!("> {}", entry.min.saturating_sub(1))
    } else if entry.min == entry.max {
        entry.min.to_string()
    } else {
        let counts: Vec<String> = (entry.min..=entry.max).map(|n| n.to_string()).collect();
        format!("[{}]", counts.join(", "))
    };
    Err(wrong_count(written, &expected, actual))
}

/// WRONG_NUM_ARGS.WITHOUT_SUGGESTION.
pub fn wrong_count(written: &str, expected: &str, actual: usize) -> SparkError {
    wrong_count_of(&format!("`{written}`"), expected, actual)
}

/// The same of a function whose name is quoted already.
pub fn wrong_count_of(quoted: &str, expected: &str, actual: usize) -> SparkError {
    SparkError::analysis(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        &[
            ("functionName", quoted),
            ("expectedNum", expected),
            ("actualNum", &actual.to_string()),
            ("docroot", "https://spark.apache.org/docs/latest"),
        ],
    )
}
