//! window(), session_window(), window_time() and withWatermark (TimeWindowing, SessionWindowing, ResolveWindowTime,
//! EventTimeWatermark).

use std::sync::Arc;

use super::window_kernels::{SessionWindowKernel, TimeWindowKernel, WindowTimeKernel};
use super::{Analyzer, interval};
use crate::error::{Result, SparkError};
use crate::expr::{
    Alias, Attribute, Call, Expr, ExprId, Metadata, SessionWindow, TimeWindow, WindowKind, quoted_sql, window_struct,
};
use crate::functions::Kernel;
use crate::plan::{Delay, LogicalPlan, PlanRef};
use crate::types::DataType;
use crate::value::Value;

const WINDOW_TIME: &str = "window_time";

fn call(name: &str, args: Vec<Expr>, data_type: DataType, nullable: bool, kernel: Arc<dyn Kernel>) -> Expr {
    Expr::Call(Box::new(Call {
        name: name.into(),
        args,
        data_type,
        nullable,
        deterministic: true,
        kernel,
        seed: None,
        site: Default::default(),
    }))
}

/// Type of the times in a window struct; None when it is none.
fn window_time_type(data_type: &DataType) -> Option<DataType> {
    [DataType::Timestamp, DataType::TimestampNtz].into_iter().find(|time| {
        matches!(data_type, DataType::Struct(fields)
            if fields.fields.len() == 2
                && fields.fields[0].name == "start"
                && fields.fields[1].name == "end"
                && fields.fields.iter().all(|field| field.data_type == *time))
    })
}

/// window_time(window).
pub(super) fn window_time(window: &Expr) -> Result<Expr> {
    let bare = window.unaliased().clone();
    let time = match window_time_type(&bare.data_type()) {
        Some(time) => time,
        // A struct that is no window is refused where the column is made.
        None if matches!(bare.data_type(), DataType::Struct(_)) => DataType::Timestamp,
        None => {
            let sql = format!("\"window_time({})\"", bare.pretty_sql());
            return Err(SparkError::analysis(
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                &[
                    ("sqlExpr", &sql),
                    ("paramIndex", "first"),
                    ("requiredType", "\"STRUCT\""),
                    ("inputSql", &quoted_sql(&bare)),
                    ("inputType", &bare.data_type().quoted_sql()),
                ],
            ));
        }
    };
    let kernel = Arc::new(WindowTimeKernel { time: time.clone() });
    Ok(call(WINDOW_TIME, vec![bare], time, true, kernel))
}

fn long_sql(value: i64) -> String {
    format!("{value}L")
}

impl Analyzer<'_> {
    /// TimeWindow.parseExpression: a text, or a number of microseconds.
    fn window_length(&self, arg: &Expr) -> Result<i64> {
        let mut bare = arg.unaliased();
        while let Expr::At { child, .. } = bare {
            bare = child;
        }
        match bare {
            Expr::Literal { value: Value::String(text), .. } => interval::window_micros(text),
            Expr::Literal { value: Value::Integer(value), .. } => Ok(i64::from(*value)),
            Expr::Literal { value: Value::Long(value), .. } => Ok(*value),
            _ => Err(self.at_place(SparkError::analysis("_LEGACY_ERROR_TEMP_1207", &[]))),
        }
    }

    /// window(time, length[, slide[, start]]) with its checks (TimeWindow.checkInputDataTypes).
    pub(super) fn time_window(&self, args: &[Expr]) -> Result<Expr> {
        let Some(time) = args.first() else { return Err(SparkError::internal("window without a time")) };
        let time = time.unaliased().clone();
        let window = match args.get(1) {
            Some(arg) => self.window_length(arg)?,
            None => {
                return Err(self.at_place(SparkError::analysis(
                    "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                    &[
                        ("functionName", "`window`"),
                        ("expectedNum", "[2, 3, 4]"),
                        ("actualNum", "1"),
                        ("docroot", "https://spark.apache.org/docs/latest"),
                    ],
                )));
            }
        };
        let slide = args.get(2).map(|arg| self.window_length(arg)).transpose()?.unwrap_or(window);
        let start = args.get(3).map(|arg| self.window_length(arg)).transpose()?.unwrap_or(0);
        let shown = Expr::TimeWindow(Box::new(TimeWindow { time: time.clone(), window, slide, start }));
        let sql = quoted_sql(&shown);
        let time = match time.data_type() {
            DataType::Timestamp | DataType::TimestampNtz => time,
            DataType::String | DataType::Date | DataType::Null => self.implicit_cast(time, &DataType::Timestamp),
            other if window_time_type(&other).is_some() => window_time(&time)?,
            other => {
                return Err(SparkError::analysis(
                    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                    &[
                        ("sqlExpr", &sql),
                        ("paramIndex", "first"),
                        (
                            "requiredType",
                            "(\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\" or \"STRUCT<start: TIMESTAMP, end: TIMESTAMP>\" or \"STRUCT<start: TIMESTAMP_NTZ, end: TIMESTAMP_NTZ>\")",
                        ),
                        ("inputSql", &quoted_sql(&time)),
                        ("inputType", &other.quoted_sql()),
                    ],
                ));
            }
        };
        for (name, value) in [("`window_duration`", window), ("`slide_duration`", slide)] {
            if value <= 0 {
                return Err(SparkError::analysis(
                    "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                    &[
                        ("sqlExpr", &sql),
                        ("exprName", name),
                        ("valueRange", "(0, 9223372036854775807]"),
                        ("currentValue", &long_sql(value)),
                    ],
                ));
            }
        }
        let constraint = |left: &str, left_value: i64, sign: &str, right: &str, right_value: i64| {
            SparkError::analysis(
                "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION",
                &[
                    ("sqlExpr", &sql),
                    ("leftExprName", left),
                    ("leftExprValue", &long_sql(left_value)),
                    ("constraint", sign),
                    ("rightExprName", right),
                    ("rightExprValue", &long_sql(right_value)),
                ],
            )
        };
        if slide > window {
            return Err(constraint("`slide_duration`", slide, "<=", "`window_duration`", window));
        }
        if start.unsigned_abs() >= slide.unsigned_abs() {
            return Err(constraint("`abs(start_time)`", start.abs(), "<", "`slide_duration`", slide));
        }
        Ok(Expr::TimeWindow(Box::new(TimeWindow { time, window, slide, start })))
    }

    /// session_window(time, gap).
    pub(super) fn session_window(&self, args: Vec<Expr>) -> Result<Expr> {
        let mut args = args.into_iter().map(super::names::trim_all_aliases);
        let (Some(time), Some(gap)) = (args.next(), args.next()) else {
            return Err(SparkError::internal("session_window takes two arguments"));
        };
        let time = match time.data_type() {
            DataType::Timestamp | DataType::TimestampNtz => time,
            DataType::String | DataType::Date | DataType::Null => self.implicit_cast(time, &DataType::Timestamp),
            other if window_time_type(&other).is_some() => window_time(&time)?,
            other => {
                let sql = format!("\"sessionwindow({}, {})\"", time.pretty_sql(), gap.pretty_sql());
                return Err(SparkError::analysis(
                    "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                    &[
                        ("sqlExpr", &sql),
                        ("paramIndex", "first"),
                        (
                            "requiredType",
                            "(\"(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)\" or \"STRUCT<start: TIMESTAMP, end: TIMESTAMP>\" or \"STRUCT<start: TIMESTAMP_NTZ, end: TIMESTAMP_NTZ>\")",
                        ),
                        ("inputSql", &quoted_sql(&time)),
                        ("inputType", &other.quoted_sql()),
                    ],
                ));
            }
        };
        let gap = match gap.data_type() {
            DataType::CalendarInterval => gap,
            DataType::Null => Expr::literal(Value::Null, DataType::CalendarInterval),
            DataType::String => match &gap {
                Expr::Literal { value: Value::String(text), .. } => match interval::parse(text) {
                    Some(delay) => Expr::literal(
                        Value::CalendarInterval { months: delay.months, days: delay.days, micros: delay.micros },
                        DataType::CalendarInterval,
                    ),
                    // A text that is no interval gives null: no row has a session, and no error comes.
                    None => Expr::literal(Value::Null, DataType::CalendarInterval),
                },
                _ => Expr::Cast {
                    child: Box::new(gap),
                    to: DataType::CalendarInterval,
                    mode: crate::expr::EvalMode::Legacy,
                    implicit: true,
                    site: Default::default(),
                },
            },
            other => {
                return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1040", &[("dt", &other.jvm_name())]));
            }
        };
        Ok(Expr::SessionWindow(Box::new(SessionWindow { time, gap })))
    }

    /// Puts the columns of window_time(), window() and session_window() below a node and names them in its expressions.
    pub(super) fn extract_time_windows(
        &mut self,
        mut list: Vec<Expr>,
        child: &PlanRef,
    ) -> Result<(Vec<Expr>, PlanRef)> {
        let mut child = child.clone();
        loop {
            (list, child) = self.extract_window_times(list, child)?;
            // A window over the time of another waits for that one.
            let nested = |expr: &Expr| match expr {
                Expr::TimeWindow(window) => window.time.any(&|part| matches!(part, Expr::TimeWindow(_))),
                _ => false,
            };
            let windows = collect(&list, &|expr| matches!(expr, Expr::TimeWindow(_)) && !nested(expr));
            let sessions = collect(&list, &|expr| matches!(expr, Expr::SessionWindow(_)));
            if windows.len() + sessions.len() > 1 {
                return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1039", &[]));
            }
            let Some(expr) = windows.first().or_else(|| sessions.first()) else { return Ok((list, child)) };
            let (column, next) = match expr {
                Expr::TimeWindow(_) => self.time_window_below(expr, &child)?,
                _ => self.session_window_below(expr, &child)?,
            };
            child = next;
            list = replace(list, expr, &column);
        }
    }

    /// [`Self::extract_time_windows`] for window_time().
    fn extract_window_times(&self, mut list: Vec<Expr>, mut child: PlanRef) -> Result<(Vec<Expr>, PlanRef)> {
        let found = collect(&list, &|expr| matches!(expr, Expr::Call(call) if &*call.name == WINDOW_TIME));
        for expr in found {
            let Expr::Call(inner) = &expr else { continue };
            // The window itself may be a window() of this very node: it comes first.
            if inner.args.iter().any(|arg| arg.any(&|part| matches!(part, Expr::TimeWindow(_)))) {
                continue;
            }
            let mut metadata = match inner.args.first() {
                Some(Expr::Attribute(window)) if window.metadata.window.is_some() => window.metadata.clone(),
                _ => {
                    let node = LogicalPlan::Project { list: list.clone(), child: child.clone() };
                    let error = SparkError::analysis("_LEGACY_ERROR_TEMP_3101", &[("windowTime", &expr.plan_string())]);
                    return Err(error.with_context(format!(";\n{}", crate::explain::tree_string(&node))));
                }
            };
            metadata.window = None;
            let (column, next) = self.add_below(expr.clone(), &expr.pretty_sql(), metadata, &child);
            child = next;
            list = replace(list, &expr, &column);
        }
        Ok((list, child))
    }

    /// A new column before the others.
    fn add_below(&self, expr: Expr, name: &str, metadata: Metadata, child: &PlanRef) -> (Expr, PlanRef) {
        let alias = Expr::Alias(Box::new(Alias {
            child: expr,
            id: ExprId::fresh(),
            names: vec![name.to_owned()],
            qualifier: Vec::new(),
            metadata: Some(metadata),
        }));
        let column = Expr::Attribute(alias.to_attribute());
        let mut list = vec![alias];
        list.extend(child.output().into_iter().map(Expr::Attribute));
        (column, Arc::new(LogicalPlan::Project { list, child: child.clone() }))
    }

    fn time_window_below(&self, expr: &Expr, child: &PlanRef) -> Result<(Expr, PlanRef)> {
        let Expr::TimeWindow(spec) = expr else { return Err(SparkError::internal("a time window expected")) };
        let TimeWindow { time, window, slide, start } = &**spec;
        let time_type = time.data_type();
        let mut metadata = match time {
            Expr::Attribute(attribute) => attribute.metadata.clone(),
            _ => Metadata::default(),
        };
        metadata.window = Some(WindowKind::Time);
        let data_type = window_struct(&time_type);
        let at = |index: i64| {
            let kernel =
                TimeWindowKernel { window: *window, slide: *slide, start: *start, index, time: time_type.clone() };
            call("window", vec![time.clone()], data_type.clone(), false, Arc::new(kernel))
        };
        let not_null = |time: Expr| self.call("isnotnull", vec![time]);
        if window == slide {
            let filtered = Arc::new(LogicalPlan::Filter { condition: not_null(time.clone())?, child: child.clone() });
            return Ok(self.add_below(at(0), "window", metadata, &filtered));
        }
        let count = window / slide + i64::from(window % slide != 0);
        let column = Arc::new(Attribute {
            id: ExprId::fresh(),
            name: "window".into(),
            data_type: data_type.clone(),
            nullable: false,
            qualifier: Vec::new(),
            metadata,
        });
        let rest: Vec<Expr> = child.output().into_iter().map(Expr::Attribute).collect();
        let projections =
            (0..count).map(|index| [at(index)].into_iter().chain(rest.iter().cloned()).collect()).collect();
        let output = [column.clone()].into_iter().chain(child.output()).collect();
        let expand = Arc::new(LogicalPlan::Expand { projections, output, child: child.clone() });
        let condition = if window % slide == 0 {
            not_null(time.clone())?
        } else {
            let window_column = Expr::Attribute(column.clone());
            let start = self.extract_field(window_column.clone(), "start")?;
            let end = self.extract_field(window_column, "end")?;
            let after = self.call(">=", vec![time.clone(), start])?;
            let before = self.call("<", vec![time.clone(), end])?;
            self.call("and", vec![after, before])?
        };
        Ok((Expr::Attribute(column), Arc::new(LogicalPlan::Filter { condition, child: expand })))
    }

    fn session_window_below(&self, expr: &Expr, child: &PlanRef) -> Result<(Expr, PlanRef)> {
        let Expr::SessionWindow(spec) = expr else { return Err(SparkError::internal("a session window expected")) };
        let SessionWindow { time, gap } = &**spec;
        let time_type = time.data_type();
        let mut metadata = match time {
            Expr::Attribute(attribute) => attribute.metadata.clone(),
            _ => Metadata::default(),
        };
        metadata.window = Some(WindowKind::Session);
        if matches!(gap, Expr::Literal { value: Value::Null, .. }) {
            // No row has a session: a filter that lets nothing pass.
            let nothing = Expr::literal(Value::Null, window_struct(&time_type));
            let (column, below) = self.add_below(nothing, "session_window", metadata, child);
            return Ok((column, Arc::new(LogicalPlan::Filter { condition: Expr::bool(false), child: below })));
        }
        let end = self.call("+", vec![time.clone(), gap.clone()])?;
        let kernel = Arc::new(SessionWindowKernel { time: time_type.clone() });
        let session = call("session_window", vec![time.clone(), end], window_struct(&time_type), false, kernel);
        let (column, below) = self.add_below(session, "session_window", metadata, child);
        let not_null = self.call("isnotnull", vec![time.clone()])?;
        let positive = matches!(
            gap,
            Expr::Literal { value: Value::CalendarInterval { months, days, micros }, .. }
                if !interval::is_negative(&Delay { months: *months, days: *days, micros: *micros })
                    && (*months, *days, *micros) != (0, 0, 0)
        );
        let condition = if positive {
            not_null
        } else {
            let start = self.extract_field(column.clone(), "start")?;
            let end = self.extract_field(column.clone(), "end")?;
            let longer = self.call(">", vec![end, start])?;
            self.call("and", vec![not_null, longer])?
        };
        Ok((column, Arc::new(LogicalPlan::Filter { condition, child: below })))
    }

    /// withWatermark: a top-level timestamp column; batch plans drop the node (EliminateEventTimeWatermark).
    pub(super) fn watermark(&mut self, column: Expr, delay: Delay, child: &PlanRef) -> Result<PlanRef> {
        if !child.is_streaming() {
            return Ok(child.clone());
        }
        let scope = self.scope(child);
        let shown = column.pretty_sql();
        let column = self.expr(column, &scope)?;
        let Expr::Attribute(attribute) = &column else {
            return Err(SparkError::analysis("EVENT_TIME_MUST_BE_TOP_LEVEL_COLUMN", &[("eventExpr", &shown)]));
        };
        let is_window = attribute.metadata.window.is_some() && window_time_type(&attribute.data_type).is_some();
        if attribute.data_type != DataType::Timestamp && !is_window {
            let error = SparkError::analysis(
                "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
                &[("eventName", &super::quoted(&attribute.name)), ("eventType", &attribute.data_type.quoted_sql())],
            );
            let node = LogicalPlan::EventTimeWatermark { column, delay, child: child.clone() };
            return Err(error.with_context(format!(";\n{}", crate::explain::tree_string(&node))));
        }
        Ok(Arc::new(LogicalPlan::EventTimeWatermark { column, delay, child: child.clone() }))
    }
}

/// Distinct expressions for which the test holds, in order of appearance.
fn collect(list: &[Expr], test: &dyn Fn(&Expr) -> bool) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for item in list {
        item.visit(&mut |expr| {
            if test(expr) && !found.iter().any(|known| known.canonical() == expr.canonical()) {
                found.push(expr.clone());
            }
        });
    }
    found
}

fn replace(list: Vec<Expr>, what: &Expr, with: &Expr) -> Vec<Expr> {
    let canonical = what.canonical();
    list.into_iter()
        .map(|item| {
            let item = item.transform_down(&mut |expr| {
                let same =
                    std::mem::discriminant(&expr) == std::mem::discriminant(what) && expr.canonical() == canonical;
                if same { with.clone() } else { expr }
            });
            // `window AS window` of the automatic alias would hide the column's marker.
            match item {
                Expr::Alias(alias) if alias.child == *with && is_automatic(&alias.names, what) => with.clone(),
                other => other,
            }
        })
        .collect()
}

/// Whether the alias is the one that the analyzer made from the expression's text.
fn is_automatic(names: &[String], expr: &Expr) -> bool {
    matches!(names, [name] if Some(name.as_str()) == column_name(expr))
}

/// Name of the column that stands for the expression.
pub(super) fn column_name(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::TimeWindow(_) => Some("window"),
        Expr::SessionWindow(_) => Some("session_window"),
        _ => None,
    }
}
