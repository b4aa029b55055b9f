//! Type coercion: common types and implicit casts (AnsiTypeCoercion, and TypeCoercion when ANSI is off).

use crate::error::Result;
use crate::expr::{EvalMode, Expr, Site};
use crate::types::{DataType, StructField};

/// The cast mode of a session.
pub fn eval_mode(ansi: bool) -> EvalMode {
    if ansi { EvalMode::Ansi } else { EvalMode::Legacy }
}

/// `expr` as `to`: itself when it has the type, else an implicit cast.
pub fn cast_to(expr: Expr, to: &DataType, ansi: bool) -> Expr {
    if expr.data_type() == *to {
        return expr;
    }
    // A typed null needs no cast at run time.
    if let Expr::Literal { value, data_type: DataType::Null } = &expr
        && value.is_null()
    {
        return Expr::Cast {
            child: Box::new(expr),
            to: to.clone(),
            mode: eval_mode(ansi),
            implicit: true,
            site: Site::default(),
        };
    }
    Expr::Cast { child: Box::new(expr), to: to.clone(), mode: eval_mode(ansi), implicit: true, site: Site::default() }
}

/// DecimalType.forType.
pub fn decimal_for(data_type: &DataType) -> Option<(u8, i8)> {
    Some(match data_type {
        DataType::Byte => (3, 0),
        DataType::Short => (5, 0),
        DataType::Integer => (10, 0),
        DataType::Long => (20, 0),
        DataType::Float => (14, 7),
        DataType::Double => (30, 15),
        DataType::Decimal { precision, scale } => (*precision, *scale),
        _ => return None,
    })
}

/// DecimalType.boundedPreferIntegralDigits.
pub fn bounded(precision: i32, scale: i32) -> DataType {
    if precision <= 38 {
        return DataType::decimal(precision.max(0) as u8, scale as i8);
    }
    let dropped = precision - 38;
    DataType::decimal(38, (scale - dropped).max(0) as i8)
}

/// DecimalPrecisionTypeCoercion.widerDecimalType.
pub fn wider_decimal(a: (u8, i8), b: (u8, i8)) -> DataType {
    let scale = i32::from(a.1.max(b.1));
    let range = (i32::from(a.0) - i32::from(a.1)).max(i32::from(b.0) - i32::from(b.1));
    bounded(range + scale, scale)
}

/// DecimalType.adjustPrecisionScale: keeps the integral digits and at least six decimals.
pub fn adjusted(precision: i32, scale: i32) -> DataType {
    if precision <= 38 {
        return DataType::decimal(precision as u8, scale as i8);
    }
    if scale < 0 {
        return DataType::decimal(38, scale as i8);
    }
    let integral = precision - scale;
    let least = scale.min(6);
    DataType::decimal(38, (38 - integral).max(least) as i8)
}

fn rank(t: &DataType) -> Option<u8> {
    Some(match t {
        DataType::Byte => 0,
        DataType::Short => 1,
        DataType::Integer => 2,
        DataType::Long => 3,
        DataType::Float => 4,
        DataType::Double => 5,
        _ => return None,
    })
}

/// DecimalType.isWiderThan for integral types.
fn holds_integral(precision: u8, scale: i8, integral: &DataType) -> bool {
    let Some((p, _)) = decimal_for(integral) else { return false };
    i32::from(precision) - i32::from(scale) >= i32::from(p) && scale >= 0
}

/// findTightestCommonType.
pub fn tightest_common(a: &DataType, b: &DataType, ansi: bool) -> Option<DataType> {
    use DataType as T;
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (T::Null, t) | (t, T::Null) => Some(t.clone()),
        (T::Decimal { precision, scale }, i) | (i, T::Decimal { precision, scale }) if i.is_integral() => {
            holds_integral(*precision, *scale, i).then(|| T::decimal(*precision, *scale))
        }
        (T::Date, T::Timestamp) | (T::Timestamp, T::Date | T::TimestampNtz) | (T::TimestampNtz, T::Timestamp) => {
            Some(T::Timestamp)
        }
        (T::Date, T::TimestampNtz) | (T::TimestampNtz, T::Date) => Some(T::TimestampNtz),
        (T::Time(a), T::Time(b)) => Some(T::Time(*a.max(b))),
        (T::DayTimeInterval { start: s, end: e }, T::DayTimeInterval { start: t, end: f }) => {
            Some(T::DayTimeInterval { start: *s.min(t), end: *e.max(f) })
        }
        (T::YearMonthInterval { start: s, end: e }, T::YearMonthInterval { start: t, end: f }) => {
            Some(T::YearMonthInterval { start: *s.min(t), end: *e.max(f) })
        }
        _ => match (rank(a), rank(b)) {
            (Some(x), Some(y)) => {
                let wide = if x > y { a } else { b };
                Some(if ansi && *wide == T::Float { T::Double } else { wide.clone() })
            }
            _ => complex(a, b, &|a, b| tightest_common(a, b, ansi)),
        },
    }
}

/// findTypeForComplex.
fn complex(a: &DataType, b: &DataType, find: &dyn Fn(&DataType, &DataType) -> Option<DataType>) -> Option<DataType> {
    use DataType as T;
    match (a, b) {
        (T::Array { element: x, contains_null: m }, T::Array { element: y, contains_null: n }) => {
            let t = find(x, y)?;
            let force = forces_null(x, &t) || forces_null(y, &t);
            Some(T::array(t, *m || *n || force))
        }
        (T::Map { key: k, value: v, value_contains_null: m }, T::Map { key: l, value: w, value_contains_null: n }) => {
            let key = find(k, l)?;
            if forces_null(k, &key) || forces_null(l, &key) {
                return None;
            }
            let value = find(v, w)?;
            let force = forces_null(v, &value) || forces_null(w, &value);
            Some(T::map(key, value, *m || *n || force))
        }
        (T::Struct(x), T::Struct(y)) if x.fields.len() == y.fields.len() => {
            let mut fields = Vec::with_capacity(x.fields.len());
            for (f, g) in x.fields.iter().zip(&y.fields) {
                if !f.name.eq_ignore_ascii_case(&g.name) {
                    return None;
                }
                let t = find(&f.data_type, &g.data_type)?;
                let null = f.nullable || g.nullable || forces_null(&f.data_type, &t) || forces_null(&g.data_type, &t);
                fields.push(StructField::new(f.name.clone(), t, null));
            }
            Some(T::structure(fields))
        }
        _ => None,
    }
}

/// findWiderTypeForTwo.
pub fn wider_type(a: &DataType, b: &DataType, ansi: bool) -> Option<DataType> {
    tightest_common(a, b, ansi)
        .or_else(|| wider_for_decimal(a, b))
        .or_else(|| if ansi { wider_for_string(a, b) } else { string_promotion(a, b) })
        .or_else(|| complex(a, b, &|a, b| wider_type(a, b, ansi)))
}

/// findWiderTypeWithoutStringPromotionForTwo: greatest, least and other places where text stays text.
pub fn wider_without_string(a: &DataType, b: &DataType, ansi: bool) -> Option<DataType> {
    tightest_common(a, b, ansi)
        .or_else(|| wider_for_decimal(a, b))
        .or_else(|| complex(a, b, &|a, b| wider_without_string(a, b, ansi)))
}

fn wider_for_decimal(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType as T;
    match (a, b) {
        (T::Decimal { precision, scale }, t) | (t, T::Decimal { precision, scale }) => match t {
            T::Float | T::Double => Some(T::Double),
            _ if t.is_integral() || matches!(t, T::Decimal { .. }) => {
                Some(wider_decimal((*precision, *scale), decimal_for(t)?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// AnsiStringPromotionTypeCoercion.findWiderTypeForString.
pub fn wider_for_string(a: &DataType, b: &DataType) -> Option<DataType> {
    let (text, other) = match (a.is_string(), b.is_string()) {
        (true, _) => (a, b),
        (_, true) => (b, a),
        _ => return None,
    };
    match other {
        t if t.is_integral() => Some(DataType::Long),
        DataType::Float | DataType::Double | DataType::Decimal { .. } => Some(DataType::Double),
        DataType::Null => Some(text.clone()),
        t if t.is_ansi_interval() => None,
        t if t.is_string() => Some(DataType::String),
        t if t.is_atomic() && *t != DataType::Variant => Some(t.clone()),
        _ => None,
    }
}

/// TypeCoercion.stringPromotion.
fn string_promotion(a: &DataType, b: &DataType) -> Option<DataType> {
    let other = match (a.is_string(), b.is_string()) {
        (true, _) => b,
        (_, true) => a,
        _ => return None,
    };
    (other.is_atomic() && !matches!(other, DataType::Binary | DataType::Boolean | DataType::Variant))
        .then_some(DataType::String)
}

/// findCommonTypeForBinaryComparison with ANSI off: text gives way to the other side.
pub fn legacy_comparison(a: &DataType, b: &DataType) -> Option<DataType> {
    let other = match (a.is_string(), b.is_string()) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    match other {
        DataType::Decimal { .. } => Some(DataType::Double),
        DataType::Null => Some(DataType::String),
        t if t.is_atomic() => Some(t.clone()),
        _ => None,
    }
}

/// The common type of several (findWiderCommonType); text is looked at last when ANSI is off.
pub fn wider_common(types: &[DataType], ansi: bool) -> Option<DataType> {
    fold(types, ansi, wider_type)
}

pub fn wider_common_without_string(types: &[DataType], ansi: bool) -> Option<DataType> {
    fold(types, ansi, wider_without_string)
}

fn fold(types: &[DataType], ansi: bool, find: fn(&DataType, &DataType, bool) -> Option<DataType>) -> Option<DataType> {
    let mut ordered: Vec<&DataType> = types.iter().collect();
    if !ansi {
        ordered.sort_by_key(|t| !t.is_string());
    }
    ordered.into_iter().try_fold(DataType::Null, |a, b| find(&a, b, ansi))
}

/// Whether a cast can turn a value into null (Cast.forceNullable).
pub fn forces_null(from: &DataType, to: &DataType) -> bool {
    use DataType as T;
    match (from, to) {
        (T::Null, _) => false,
        _ if from == to => false,
        (T::String | T::Char(_) | T::Varchar(_), T::Binary) => false,
        (f, t) if f.is_string() => !t.is_string(),
        (_, t) if t.is_string() => false,
        (T::TimestampNtz, T::Date) | (T::Date, T::TimestampNtz) => true,
        (T::Timestamp | T::TimestampNtz | T::Date, T::Timestamp | T::TimestampNtz | T::Date) => false,
        (T::Timestamp, T::Byte | T::Short | T::Integer) => true,
        (T::Float | T::Double, T::Timestamp) => true,
        (_, T::Date) => true,
        (T::Date, _) => true,
        (_, T::CalendarInterval) => true,
        (f, T::Decimal { precision, scale }) => match f {
            T::Boolean => i32::from(*precision) - i32::from(*scale) < 1,
            T::Decimal { precision: p, scale: s } => {
                i32::from(*precision) - i32::from(*scale) < i32::from(*p) - i32::from(*s) || scale < s
            }
            f if f.is_integral() => !holds_integral(*precision, *scale, f),
            _ => true,
        },
        (T::Float | T::Double | T::Decimal { .. }, t) if t.is_integral() => true,
        _ => false,
    }
}

/// Cast.canANSIStoreAssign.
pub fn can_ansi_store(from: &DataType, to: &DataType) -> bool {
    use DataType as T;
    match (from, to) {
        _ if from == to => true,
        (T::Null, _) => true,
        (f, t) if f.is_numeric() && t.is_numeric() => true,
        (T::CalendarInterval, t) if t.is_string() => true,
        (T::Variant, _) | (_, T::Variant) => false,
        (f, t) if f.is_atomic() && t.is_string() => true,
        (f, t) if f.is_datetime() && t.is_datetime() => true,
        (T::DayTimeInterval { .. }, T::DayTimeInterval { .. })
        | (T::YearMonthInterval { .. }, T::YearMonthInterval { .. }) => true,
        (T::Array { element: a, contains_null: m }, T::Array { element: b, contains_null: n }) => {
            (!m || *n) && can_ansi_store(a, b)
        }
        (T::Map { key: a, value: x, value_contains_null: m }, T::Map { key: b, value: y, value_contains_null: n }) => {
            (!m || *n) && can_ansi_store(a, b) && can_ansi_store(x, y)
        }
        (T::Struct(a), T::Struct(b)) => {
            a.fields.len() == b.fields.len()
                && a.fields
                    .iter()
                    .zip(&b.fields)
                    .all(|(f, g)| (!f.nullable || g.nullable) && can_ansi_store(&f.data_type, &g.data_type))
        }
        _ => false,
    }
}

/// Coerces all to one type by `find`; None when there is none.
pub fn coerce_all(
    args: Vec<Expr>,
    ansi: bool,
    find: fn(&[DataType], bool) -> Option<DataType>,
) -> std::result::Result<(Vec<Expr>, DataType), Vec<Expr>> {
    let types: Vec<DataType> = args.iter().map(Expr::data_type).collect();
    match find(&types, ansi) {
        Some(t) => {
            let args =
                args.into_iter().map(|a| if a.data_type().same_type(&t) { a } else { cast_to(a, &t, ansi) }).collect();
            Ok((args, t))
        }
        None => Err(args),
    }
}

/// A value expected by a function: Catalyst's AbstractDataType.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum In {
    Any,
    Str,
    Bin,
    Bool,
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
    Date,
    Ts,
    Ntz,
    /// AnyTimestampType.
    AnyTs,
    /// NumericType.
    Num,
    /// IntegralType.
    Integral,
    /// DecimalType.
    Dec,
    Arr,
    ArrOf(&'static In),
    Map,
    Struct,
    YearMonth,
    DayTime,
    Calendar,
    Variant,
    /// TypeCollection.
    Either(&'static [In]),
}

impl In {
    pub fn accepts(&self, t: &DataType) -> bool {
        use DataType as T;
        match self {
            In::Any => true,
            In::Str => t.is_string(),
            In::Bin => *t == T::Binary,
            In::Bool => *t == T::Boolean,
            In::Byte => *t == T::Byte,
            In::Short => *t == T::Short,
            In::Int => *t == T::Integer,
            In::Long => *t == T::Long,
            In::Float => *t == T::Float,
            In::Double => *t == T::Double,
            In::Date => *t == T::Date,
            In::Ts => *t == T::Timestamp,
            In::Ntz => *t == T::TimestampNtz,
            In::AnyTs => matches!(t, T::Timestamp | T::TimestampNtz),
            In::Num => t.is_numeric(),
            In::Integral => t.is_integral(),
            In::Dec => matches!(t, T::Decimal { .. }),
            In::Arr => matches!(t, T::Array { .. }),
            In::ArrOf(of) => matches!(t, T::Array { element, .. } if of.accepts(element)),
            In::Map => matches!(t, T::Map { .. }),
            In::Struct => matches!(t, T::Struct(_)),
            In::YearMonth => matches!(t, T::YearMonthInterval { .. }),
            In::DayTime => matches!(t, T::DayTimeInterval { .. }),
            In::Calendar => *t == T::CalendarInterval,
            In::Variant => *t == T::Variant,
            In::Either(list) => list.iter().any(|i| i.accepts(t)),
        }
    }

    /// defaultConcreteType.
    fn concrete(&self) -> Option<DataType> {
        use DataType as T;
        Some(match self {
            In::Str => T::String,
            In::Bin => T::Binary,
            In::Bool => T::Boolean,
            In::Byte => T::Byte,
            In::Short => T::Short,
            In::Int => T::Integer,
            In::Long => T::Long,
            In::Float => T::Float,
            In::Double | In::Num => T::Double,
            In::Integral => T::Long,
            In::Date => T::Date,
            In::Ts | In::AnyTs => T::Timestamp,
            In::Ntz => T::TimestampNtz,
            In::Dec => T::decimal(38, 18),
            In::YearMonth => T::INTERVAL_YM,
            In::DayTime => T::INTERVAL_DT,
            In::Calendar => T::CalendarInterval,
            In::Arr => T::array(T::Null, true),
            In::ArrOf(of) => T::array(of.concrete()?, true),
            In::Map => T::map(T::Null, T::Null, true),
            In::Struct => T::structure(Vec::new()),
            In::Variant => T::Variant,
            In::Either(list) => return list.first().and_then(In::concrete),
            In::Any => return None,
        })
    }

    fn is_atomic(&self) -> bool {
        !matches!(
            self,
            In::Any | In::Arr | In::ArrOf(_) | In::Map | In::Struct | In::Calendar | In::Variant | In::Either(_)
        )
    }

    /// The type that `t` is cast to so that it fits; None when it does not.
    pub fn implicit(&self, t: &DataType, ansi: bool) -> Option<DataType> {
        use DataType as T;
        if self.accepts(t) {
            return Some(t.clone());
        }
        if let In::Either(list) = self {
            if *t == T::Null {
                return list.first().and_then(In::concrete);
            }
            return list.iter().find_map(|i| i.implicit(t, ansi));
        }
        match (t, self) {
            (T::Null, target) => target.concrete(),
            (t, In::Dec) if t.is_numeric() => decimal_for(t).map(|(p, s)| T::decimal(p, s)),
            (t, In::Str) if t.is_string() => None,
            (T::Float | T::Double | T::Decimal { .. }, In::Integral) => None,
            (t, In::Integral) if t.is_string() => None,
            (t, target) if t.is_string() && (target.is_atomic() && (ansi || legacy_text_target(target))) => {
                target.concrete()
            }
            (T::Array { element, .. }, In::ArrOf(of)) => of.implicit(element, ansi).map(|e| T::array(e, true)),
            (t, target) => {
                let to = target.concrete()?;
                let fits = if ansi { can_ansi_store(t, &to) } else { legacy_implicit(t, &to) };
                fits.then_some(to)
            }
        }
    }

    /// AbstractDataType.simpleString as messages quote it: `"STRING"`, `("STRING" or "BINARY")`.
    pub fn describe(&self) -> String {
        match self {
            In::Either(list) => {
                let parts: Vec<String> = list.iter().map(In::describe).collect();
                format!("({})", parts.join(" or "))
            }
            In::Num => "\"NUMERIC\"".into(),
            In::Integral => "\"INTEGRAL\"".into(),
            In::Dec => "\"DECIMAL\"".into(),
            In::Arr => "\"ARRAY\"".into(),
            In::ArrOf(of) => format!("\"ARRAY<{}>\"", of.describe().trim_matches('"')),
            In::Map => "\"MAP\"".into(),
            In::Struct => "\"STRUCT\"".into(),
            In::AnyTs => "(\"TIMESTAMP\" or \"TIMESTAMP WITHOUT TIME ZONE\")".into(),
            In::Any => "\"ANY\"".into(),
            other => other.concrete().map_or_else(String::new, |t| t.quoted_sql()),
        }
    }
}

fn legacy_text_target(target: &In) -> bool {
    !matches!(target, In::YearMonth | In::DayTime)
}

/// TypeCoercion.implicitCast between concrete types.
fn legacy_implicit(from: &DataType, to: &DataType) -> bool {
    use DataType as T;
    match (from, to) {
        (f, t) if f.is_numeric() && t.is_numeric() => true,
        (f, t) if f.is_datetime() && t.is_datetime() => true,
        (f, t) if f.is_string() => {
            t.is_numeric() || t.is_datetime() || matches!(t, T::Binary | T::Boolean | T::CalendarInterval)
        }
        (f, t) if t.is_string() => f.is_atomic() || *f == T::CalendarInterval,
        _ => false,
    }
}

/// Casts the arguments to what a function expects and checks them (ImplicitCastInputTypes, ExpectsInputTypes).
/// The last of `inputs` holds for all further arguments. `sql` gives the text of the whole call.
pub fn check_inputs(
    mut args: Vec<Expr>,
    inputs: &[In],
    implicit: bool,
    ansi: bool,
    sql: &dyn Fn(&[Expr]) -> String,
) -> Result<Vec<Expr>> {
    #[expect(clippy::needless_range_loop, reason = "the error text needs all arguments while one is replaced")]
    for i in 0..args.len() {
        let Some(input) = inputs.get(i).or(inputs.last()) else { break };
        let t = args[i].data_type();
        if input.accepts(&t) {
            continue;
        }
        let target = if implicit {
            input.implicit(&t, ansi)
        } else if t == DataType::Null {
            input.concrete()
        } else {
            None
        };
        if let Some(to) = target {
            let arg = std::mem::replace(&mut args[i], Expr::bool(false));
            args[i] = cast_to(arg, &to, ansi);
        }
    }
    for (i, arg) in args.iter().enumerate() {
        let Some(input) = inputs.get(i).or(inputs.last()) else { break };
        if !input.accepts(&arg.data_type()) {
            return Err(unexpected_input(&sql(&args), i, &input.describe(), arg));
        }
    }
    Ok(args)
}

/// DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE.
pub fn unexpected_input(sql: &str, index: usize, required: &str, arg: &Expr) -> crate::error::SparkError {
    crate::error::SparkError::analysis(
        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        &[
            ("sqlExpr", &format!("\"{sql}\"")),
            ("paramIndex", &ordinal(index)),
            ("requiredType", required),
            ("inputSql", &super::describe::quoted(arg)),
            ("inputType", &arg.data_type().quoted_sql()),
        ],
    )
}

/// ordinalNumber: "first" ... "tenth", then "11th".
pub fn ordinal(index: usize) -> String {
    const NAMES: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    NAMES.get(index).map_or_else(|| format!("{}th", index + 1), |n| (*n).to_owned())
}
