//! Values between Python and the engine, by data type, as PySpark's pickling does (EvaluatePython): what does not fit the
//! type becomes null.

use chrono::{DateTime, Datelike, Days, NaiveDate, Timelike};
use rustpython_vm::builtins::{PyBaseExceptionRef, PyBytes, PyDict, PyFloat, PyInt, PyList, PyStr, PyTuple};
use rustpython_vm::convert::ToPyObject;
use rustpython_vm::{AsObject, PyObject, PyObjectRef, PyResult, VirtualMachine};
use tidemark_sql::error::{ErrorClass, SparkError};
use tidemark_sql::types::{DataType, StructType};
use tidemark_sql::value::Value;

/// Days between 0001-01-01 (ordinal 1 in Python) and the epoch.
const EPOCH_ORDINAL: i64 = 719_163;
const DAY_US: i64 = 86_400_000_000;

/// Whether the object's class, or one it derives from, has this name ("date", "Decimal"): spares importing the modules.
fn is_named(object: &PyObject, name: &str) -> bool {
    let class = object.class();
    &*class.name() == name || class.mro_collect().iter().any(|base| &*base.name() == name)
}

fn integer_attribute(object: &PyObject, name: &'static str, vm: &VirtualMachine) -> PyResult<i64> {
    object.get_attr(name, vm)?.try_int(vm)?.try_to_primitive(vm)
}

fn timedelta_us(object: &PyObject, vm: &VirtualMachine) -> PyResult<i64> {
    let days = integer_attribute(object, "days", vm)?;
    let seconds = integer_attribute(object, "seconds", vm)?;
    let micros = integer_attribute(object, "microseconds", vm)?;
    Ok(days * DAY_US + seconds * 1_000_000 + micros)
}

fn date_days(object: &PyObject, vm: &VirtualMachine) -> PyResult<i64> {
    let ordinal: i64 = vm.call_method(object, "toordinal", ())?.try_int(vm)?.try_to_primitive(vm)?;
    Ok(ordinal - EPOCH_ORDINAL)
}

/// Microseconds since midnight on the clock of a time or datetime.
fn clock_us(object: &PyObject, vm: &VirtualMachine) -> PyResult<i64> {
    let hours = integer_attribute(object, "hour", vm)?;
    let minutes = integer_attribute(object, "minute", vm)?;
    let seconds = integer_attribute(object, "second", vm)?;
    let micros = integer_attribute(object, "microsecond", vm)?;
    Ok(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros)
}

/// Nanoseconds since midnight of a time; its zone plays no part.
fn time_ns(object: &PyObject, vm: &VirtualMachine) -> PyResult<i64> {
    Ok(clock_us(object, vm)? * 1000)
}

/// µs since the epoch of a datetime; a naive one is in the local zone, which is UTC here. `zoneless` ignores an offset.
fn datetime_us(object: &PyObject, zoneless: bool, vm: &VirtualMachine) -> PyResult<i64> {
    let wall = date_days(object, vm)? * DAY_US + clock_us(object, vm)?;
    if zoneless {
        return Ok(wall);
    }
    let offset = vm.call_method(object, "utcoffset", ())?;
    if vm.is_none(&offset) { Ok(wall) } else { Ok(wall - timedelta_us(&offset, vm)?) }
}

/// Unscaled value, digits and scale of a decimal number in plain or scientific notation; None for NaN and infinities.
pub(crate) fn parse_decimal(text: &str) -> Option<(i128, u8, i8)> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut unscaled: i128 = 0;
    for digit in whole.chars().chain(fraction.chars()) {
        unscaled = unscaled.checked_mul(10)?.checked_add(i128::from(digit.to_digit(10)?))?;
    }
    let mut scale = i32::try_from(fraction.len()).ok()? - exponent;
    while scale < 0 {
        unscaled = unscaled.checked_mul(10)?;
        scale += 1;
    }
    let length = unscaled.to_string().len();
    let precision = length.max(usize::try_from(scale).ok()?);
    if precision > 38 {
        return None;
    }
    if negative {
        unscaled = -unscaled;
    }
    Some((unscaled, u8::try_from(precision).ok()?, i8::try_from(scale).ok()?))
}

fn rescale(unscaled: i128, from: i8, precision: u8, to: i8) -> Option<i128> {
    let mut value = unscaled;
    if to >= from {
        for _ in from..to {
            value = value.checked_mul(10)?;
        }
    } else {
        let mut divisor: i128 = 1;
        for _ in to..from {
            divisor = divisor.checked_mul(10)?;
        }
        let half = divisor / 2;
        // HALF_UP, as Decimal.changePrecision.
        value = if value >= 0 { (value + half) / divisor } else { (value - half) / divisor };
    }
    let limit = 10i128.checked_pow(u32::from(precision))?;
    (value.abs() < limit).then_some(value)
}

/// NUMERIC_VALUE_OUT_OF_RANGE of Decimal.apply: more digits before the point than the type has.
fn too_wide(unscaled: i128, from: i8, precision: u8, scale: i8) -> SparkError {
    // Without a limit of digits this is the value as it would be rounded.
    let rounded = rescale(unscaled, from, 38, scale).unwrap_or(unscaled);
    SparkError::new(
        ErrorClass::Arithmetic,
        "NUMERIC_VALUE_OUT_OF_RANGE.WITHOUT_SUGGESTION",
        &[
            ("roundedValue", &decimal_text(rounded, scale)),
            ("originalValue", &decimal_text(unscaled, from)),
            ("precision", &precision.to_string()),
            ("scale", &scale.to_string()),
        ],
    )
}

/// The value and type of a Python object used as a literal (`F.lit(x)`, `col == x`), as py4j and Literal.apply see it;
/// None where they would refuse it.
pub(crate) fn literal(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Option<(Value, DataType)>> {
    if vm.is_none(object) {
        return Ok(Some((Value::Null, DataType::Null)));
    }
    if object.is(&vm.ctx.true_value) || object.is(&vm.ctx.false_value) {
        return Ok(Some((Value::Boolean(object.is(&vm.ctx.true_value)), DataType::Boolean)));
    }
    if let Some(int) = object.downcast_ref::<PyInt>() {
        if let Ok(small) = int.try_to_primitive::<i32>(vm) {
            return Ok(Some((Value::Integer(small), DataType::Integer)));
        }
        if let Ok(long) = int.try_to_primitive::<i64>(vm) {
            return Ok(Some((Value::Long(long), DataType::Long)));
        }
        return Ok(parse_decimal(&int.as_bigint().to_string()).map(|(unscaled, precision, scale)| {
            (Value::Decimal(unscaled, precision, scale), DataType::Decimal { precision, scale })
        }));
    }
    if let Some(float) = object.downcast_ref::<PyFloat>() {
        return Ok(Some((Value::Double(float.to_f64()), DataType::Double)));
    }
    if let Some(text) = object.downcast_ref::<PyStr>() {
        return Ok(Some((Value::String(text.to_string_lossy().into()), DataType::String)));
    }
    if let Some(bytes) = bytes_of(object, vm) {
        return Ok(Some((Value::Binary(bytes.into()), DataType::Binary)));
    }
    if let Some(list) = object.downcast_ref::<PyList>() {
        let items = list.borrow_vec().to_vec();
        return array_literal(&items, vm);
    }
    if is_named(object, "Decimal") {
        let text = object.str(vm)?.to_string_lossy().into_owned();
        return Ok(parse_decimal(&text).map(|(unscaled, precision, scale)| {
            (Value::Decimal(unscaled, precision, scale), DataType::Decimal { precision, scale })
        }));
    }
    if is_named(object, "datetime") {
        return Ok(Some((Value::Timestamp(datetime_us(object, false, vm)?), DataType::Timestamp)));
    }
    if is_named(object, "date") {
        let days = i32::try_from(date_days(object, vm)?).unwrap_or(i32::MAX);
        return Ok(Some((Value::Date(days), DataType::Date)));
    }
    if is_named(object, "time") {
        return Ok(Some((Value::Time(time_ns(object, vm)?), DataType::Time(6))));
    }
    if is_named(object, "timedelta") {
        let micros = timedelta_us(object, vm)?;
        return Ok(Some((Value::DayTimeInterval(micros), DataType::DayTimeInterval { start: 0, end: 3 })));
    }
    Ok(None)
}

/// A list as an array literal, when its elements are literals of one type.
fn array_literal(items: &[PyObjectRef], vm: &VirtualMachine) -> PyResult<Option<(Value, DataType)>> {
    let mut element = DataType::Null;
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        let Some((value, data_type)) = literal(item, vm)? else { return Ok(None) };
        if element == DataType::Null {
            element = data_type;
        } else if data_type != DataType::Null && data_type != element {
            return Ok(None);
        }
        values.push(value);
    }
    Ok(Some((Value::Array(values.into()), DataType::array(element, true))))
}

fn bytes_of(object: &PyObject, vm: &VirtualMachine) -> Option<Vec<u8>> {
    if let Some(bytes) = object.downcast_ref::<PyBytes>() {
        return Some(bytes.as_bytes().to_vec());
    }
    if is_named(object, "bytearray") {
        let copy = vm.ctx.types.bytes_type.as_object().call((object.to_owned(),), vm).ok()?;
        return copy.downcast_ref::<PyBytes>().map(|bytes| bytes.as_bytes().to_vec());
    }
    None
}

fn integral<T: TryFrom<i64>>(object: &PyObject, vm: &VirtualMachine) -> Option<T> {
    if is_named(object, "bool") {
        return None;
    }
    let long: i64 = object.downcast_ref::<PyInt>()?.try_to_primitive(vm).ok()?;
    T::try_from(long).ok()
}

/// Elements of a list, tuple or other sequence.
fn elements(object: &PyObject, vm: &VirtualMachine) -> PyResult<Option<Vec<PyObjectRef>>> {
    if let Some(list) = object.downcast_ref::<PyList>() {
        return Ok(Some(list.borrow_vec().to_vec()));
    }
    if let Some(tuple) = object.downcast_ref::<PyTuple>() {
        return Ok(Some(tuple.as_slice().to_vec()));
    }
    if is_named(object, "array") || is_named(object, "set") {
        return Ok(Some(object.try_to_value::<Vec<PyObjectRef>>(vm)?));
    }
    Ok(None)
}

fn structure(object: &PyObject, schema: &StructType, vm: &VirtualMachine) -> PyResult<Value> {
    let mut values = Vec::with_capacity(schema.fields.len());
    if let Some(dict) = object.downcast_ref::<PyDict>() {
        for field in &schema.fields {
            let item = dict.get_item_opt(field.name.as_str(), vm)?.unwrap_or_else(|| vm.ctx.none());
            values.push(to_value(&item, &field.data_type, vm)?);
        }
    } else if let Some(items) = elements(object, vm)? {
        for (index, field) in schema.fields.iter().enumerate() {
            let item = items.get(index).cloned().unwrap_or_else(|| vm.ctx.none());
            values.push(to_value(&item, &field.data_type, vm)?);
        }
    } else if let Ok(attributes) = object.get_attr("__dict__", vm) {
        for field in &schema.fields {
            let item = attributes.get_item(field.name.as_str(), vm).unwrap_or_else(|_| vm.ctx.none());
            values.push(to_value(&item, &field.data_type, vm)?);
        }
    } else {
        return Ok(Value::Null);
    }
    Ok(Value::Struct(values.into()))
}

/// A Python object as a value of `data_type`; null where it does not fit.
pub(crate) fn to_value(object: &PyObjectRef, data_type: &DataType, vm: &VirtualMachine) -> PyResult<Value> {
    if vm.is_none(object) {
        return Ok(Value::Null);
    }
    let value = match data_type {
        DataType::Boolean if is_named(object, "bool") => Some(Value::Boolean(object.is(&vm.ctx.true_value))),
        DataType::Byte => integral(object, vm).map(Value::Byte),
        DataType::Short => integral(object, vm).map(Value::Short),
        DataType::Integer => integral(object, vm).map(Value::Integer),
        DataType::Long => integral(object, vm).map(Value::Long),
        #[allow(clippy::cast_possible_truncation, reason = "a double given for a FLOAT is narrowed, as Spark does")]
        DataType::Float => object.downcast_ref::<PyFloat>().map(|float| Value::Float(float.to_f64() as f32)),
        DataType::Double => object.downcast_ref::<PyFloat>().map(|float| Value::Double(float.to_f64())),
        DataType::Decimal { precision, scale } if is_named(object, "Decimal") => {
            let text = object.str(vm)?.to_string_lossy().into_owned();
            match parse_decimal(&text) {
                None => None,
                Some((unscaled, _, from)) => match rescale(unscaled, from, *precision, *scale) {
                    Some(fitting) => Some(Value::Decimal(fitting, *precision, *scale)),
                    None => return Err(crate::errors::to_python(&too_wide(unscaled, from, *precision, *scale), vm)),
                },
            }
        }
        DataType::String | DataType::Char(_) | DataType::Varchar(_) => {
            Some(Value::String(java_text(object, vm)?.into()))
        }
        DataType::Binary => match object.downcast_ref::<PyStr>() {
            Some(text) => Some(Value::Binary(text.to_string_lossy().as_bytes().into())),
            None => bytes_of(object, vm).map(|bytes| Value::Binary(bytes.into())),
        },
        DataType::Date if is_named(object, "date") => i32::try_from(date_days(object, vm)?).ok().map(Value::Date),
        DataType::Timestamp if is_named(object, "datetime") => Some(Value::Timestamp(datetime_us(object, false, vm)?)),
        DataType::TimestampNtz if is_named(object, "datetime") => {
            Some(Value::TimestampNtz(datetime_us(object, true, vm)?))
        }
        DataType::Time(_) if is_named(object, "time") => Some(Value::Time(time_ns(object, vm)?)),
        DataType::DayTimeInterval { .. } if is_named(object, "timedelta") => {
            Some(Value::DayTimeInterval(timedelta_us(object, vm)?))
        }
        DataType::YearMonthInterval { .. } => integral(object, vm).map(Value::YearMonthInterval),
        DataType::Array { element, .. } => match elements(object, vm)? {
            Some(items) => {
                let values: PyResult<Vec<Value>> = items.iter().map(|item| to_value(item, element, vm)).collect();
                Some(Value::Array(values?.into()))
            }
            None => None,
        },
        DataType::Map { key, value, .. } => match object.downcast_ref::<PyDict>() {
            Some(dict) => {
                let mut entries = Vec::with_capacity(dict.__len__());
                for (k, v) in dict {
                    entries.push((to_value(&k, key, vm)?, to_value(&v, value, vm)?));
                }
                Some(Value::Map(entries.into()))
            }
            None => None,
        },
        DataType::Struct(schema) => Some(structure(object, schema, vm)?),
        DataType::Variant if is_named(object, "VariantVal") => {
            let value = bytes_of(&*object.get_attr("value", vm)?, vm);
            let metadata = bytes_of(&*object.get_attr("metadata", vm)?, vm);
            value
                .zip(metadata)
                .map(|(value, metadata)| Value::Variant { value: value.into(), metadata: metadata.into() })
        }
        _ => None,
    };
    Ok(value.unwrap_or(Value::Null))
}

/// Java's toString of an object given where a string is wanted (EvaluatePython.makeFromJava).
fn java_text(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<String> {
    if let Some(text) = object.downcast_ref::<PyStr>() {
        return Ok(text.to_string_lossy().into_owned());
    }
    if is_named(object, "bool") {
        return Ok(if object.is(&vm.ctx.true_value) { "true" } else { "false" }.to_owned());
    }
    if let Some(items) = elements(object, vm)? {
        let texts: PyResult<Vec<String>> = items.iter().map(|item| java_text(item, vm)).collect();
        return Ok(format!("[{}]", texts?.join(", ")));
    }
    if let Some(dict) = object.downcast_ref::<PyDict>() {
        let mut entries = Vec::new();
        for (key, value) in dict {
            entries.push(format!("{}={}", java_text(&key, vm)?, java_text(&value, vm)?));
        }
        return Ok(format!("{{{}}}", entries.join(", ")));
    }
    if vm.is_none(object) {
        return Ok("null".to_owned());
    }
    Ok(object.str(vm)?.to_string_lossy().into_owned())
}

/// Makes Python objects of values; holds the classes that are needed again and again.
pub(crate) struct ToPython<'a> {
    vm: &'a VirtualMachine,
    types: PyObjectRef,
    row: PyObjectRef,
    datetime: PyObjectRef,
    decimal: std::cell::OnceCell<PyObjectRef>,
}

impl<'a> ToPython<'a> {
    pub(crate) fn new(vm: &'a VirtualMachine) -> PyResult<Self> {
        let types = vm.import("pyspark.sql.types", 0)?.get_attr("sql", vm)?.get_attr("types", vm)?;
        let datetime = vm.import("datetime", 0)?;
        let row = types.get_attr("_create_row", vm)?;
        Ok(Self { vm, types, row, datetime, decimal: std::cell::OnceCell::new() })
    }

    /// With the errors of `date.fromordinal` for what Python cannot hold.
    fn date(&self, days: i32) -> PyResult {
        if i64::from(days) + EPOCH_ORDINAL < 1 {
            return Err(self.vm.new_value_error("ordinal must be >= 1"));
        }
        let epoch = NaiveDate::default();
        let date = if days >= 0 {
            epoch.checked_add_days(Days::new(u64::from(days.unsigned_abs())))
        } else {
            epoch.checked_sub_days(Days::new(u64::from(days.unsigned_abs())))
        };
        let date = date.ok_or_else(|| self.vm.new_value_error("date is out of range"))?;
        if date.year() > 9999 {
            return Err(self.vm.new_value_error(format!("year {} is out of range", date.year())));
        }
        self.datetime.get_attr("date", self.vm)?.call((date.year(), date.month(), date.day()), self.vm)
    }

    fn timestamp(&self, micros: i64) -> PyResult {
        let moment = DateTime::from_timestamp_micros(micros)
            .ok_or_else(|| self.vm.new_value_error("timestamp is out of range"))?
            .naive_utc();
        let arguments: Vec<PyObjectRef> = vec![
            moment.year().to_pyobject(self.vm),
            moment.month().to_pyobject(self.vm),
            moment.day().to_pyobject(self.vm),
            moment.hour().to_pyobject(self.vm),
            moment.minute().to_pyobject(self.vm),
            moment.second().to_pyobject(self.vm),
            (moment.nanosecond() / 1000).to_pyobject(self.vm),
        ];
        self.datetime.get_attr("datetime", self.vm)?.call(arguments, self.vm)
    }

    fn time(&self, nanos: i64) -> PyResult {
        let micros = nanos / 1000;
        let seconds = micros / 1_000_000;
        let fields = (seconds / 3600, seconds / 60 % 60, seconds % 60, micros % 1_000_000);
        self.datetime.get_attr("time", self.vm)?.call(fields, self.vm)
    }

    fn decimal(&self, unscaled: i128, scale: i8) -> PyResult {
        let class = match self.decimal.get() {
            Some(class) => class.clone(),
            None => {
                let class = self.vm.import("decimal", 0)?.get_attr("Decimal", self.vm)?;
                self.decimal.get_or_init(|| class).clone()
            }
        };
        class.call((decimal_text(unscaled, scale),), self.vm)
    }

    /// PySpark's refusal of types that have no Python value.
    fn refuse(&self, name: &'static str) -> PyBaseExceptionRef {
        let refused = self.types.get_attr(name, self.vm).and_then(|class| {
            let instance = class.call((), self.vm)?;
            self.vm.call_method(&instance, "fromInternal", (0,))
        });
        match refused {
            Ok(_) => self.vm.new_not_implemented_error(name),
            Err(exception) => exception,
        }
    }

    /// A Row of `values` named as in `schema`.
    pub(crate) fn row(&self, schema: &StructType, values: Vec<PyObjectRef>) -> PyResult {
        let names = schema.fields.iter().map(|field| self.vm.ctx.new_str(field.name.as_str()).into()).collect();
        self.row.call((self.vm.ctx.new_list(names), self.vm.ctx.new_tuple(values)), self.vm)
    }

    pub(crate) fn object(&self, value: &Value, data_type: &DataType) -> PyResult {
        let vm = self.vm;
        let object = match (value, data_type) {
            // These types refuse even a null.
            (Value::Null, DataType::CalendarInterval) => return Err(self.refuse("CalendarIntervalType")),
            (Value::Null, DataType::YearMonthInterval { .. }) => return Err(self.refuse("YearMonthIntervalType")),
            (Value::Null, _) => vm.ctx.none(),
            (Value::Boolean(v), _) => v.to_pyobject(vm),
            (Value::Byte(v), _) => v.to_pyobject(vm),
            (Value::Short(v), _) => v.to_pyobject(vm),
            (Value::Integer(v), _) => v.to_pyobject(vm),
            (Value::Long(v), _) => v.to_pyobject(vm),
            (Value::Float(v), _) => f64::from(*v).to_pyobject(vm),
            (Value::Double(v), _) => v.to_pyobject(vm),
            (Value::Decimal(unscaled, _, scale), _) => self.decimal(*unscaled, *scale)?,
            (Value::String(v), _) => vm.ctx.new_str(&**v).into(),
            // PySpark hands out bytearray for BINARY unless spark.sql.execution.pyspark.binaryAsBytes is set, which it is.
            (Value::Binary(v), _) => vm.ctx.new_bytes(v.to_vec()).into(),
            (Value::Date(v), _) => self.date(*v)?,
            (Value::Timestamp(v) | Value::TimestampNtz(v), _) => self.timestamp(*v)?,
            (Value::Time(v), _) => self.time(*v)?,
            (Value::YearMonthInterval(_), _) => return Err(self.refuse("YearMonthIntervalType")),
            (Value::DayTimeInterval(v), _) => self.datetime.get_attr("timedelta", vm)?.call((0, 0, *v), vm)?,
            (Value::CalendarInterval { .. }, _) => return Err(self.refuse("CalendarIntervalType")),
            (Value::Array(items), DataType::Array { element, .. }) => {
                let objects: PyResult<Vec<PyObjectRef>> = items.iter().map(|item| self.object(item, element)).collect();
                vm.ctx.new_list(objects?).into()
            }
            (Value::Map(entries), DataType::Map { key, value, .. }) => {
                let dict = vm.ctx.new_dict();
                for (k, v) in entries.iter() {
                    dict.set_item(&*self.object(k, key)?, self.object(v, value)?, vm)?;
                }
                dict.into()
            }
            (Value::Struct(values), DataType::Struct(schema)) => {
                let objects: PyResult<Vec<PyObjectRef>> = values
                    .iter()
                    .zip(&schema.fields)
                    .map(|(value, field)| self.object(value, &field.data_type))
                    .collect();
                self.row(schema, objects?)?
            }
            (Value::Variant { value, metadata }, _) => {
                let class = self.types.get_attr("VariantVal", vm)?;
                class.call((vm.ctx.new_bytearray(value.to_vec()), vm.ctx.new_bytearray(metadata.to_vec())), vm)?
            }
            (value, data_type) => {
                return Err(vm.new_runtime_error(format!("{value:?} is not a {data_type:?}")));
            }
        };
        Ok(object)
    }
}

/// Plain notation with `scale` digits after the point.
fn decimal_text(unscaled: i128, scale: i8) -> String {
    let scale = usize::try_from(scale).unwrap_or(0);
    let digits = unscaled.unsigned_abs().to_string();
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    let sign = if unscaled < 0 { "-" } else { "" };
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::{decimal_text, parse_decimal};

    #[test]
    fn decimals_keep_their_scale() {
        assert_eq!(parse_decimal("12.50"), Some((1250, 4, 2)));
        assert_eq!(parse_decimal("-0.001"), Some((-1, 3, 3)));
        assert_eq!(parse_decimal("1E+3"), Some((1000, 4, 0)));
        assert_eq!(parse_decimal("NaN"), None);
        assert_eq!(decimal_text(-5, 2), "-0.05");
        assert_eq!(decimal_text(1250, 2), "12.50");
    }
}
