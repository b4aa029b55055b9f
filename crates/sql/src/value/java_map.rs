//! The order of a java.util.HashMap: maps pass through one on their way from and to Python's objects.

use super::Value;

/// hashCode of a key as it crosses: whole numbers boxed, dates and times as numbers. None for what has no fixed one.
fn hash_code(key: &Value) -> Option<i32> {
    let long = |n: i64| (n ^ ((n as u64) >> 32) as i64) as i32;
    Some(match key {
        Value::Boolean(b) => {
            if *b {
                1231
            } else {
                1237
            }
        }
        Value::Byte(n) => i32::from(*n),
        Value::Short(n) => i32::from(*n),
        Value::Integer(n) | Value::Date(n) | Value::YearMonthInterval(n) => *n,
        Value::Long(n) | Value::Timestamp(n) | Value::TimestampNtz(n) | Value::Time(n) | Value::DayTimeInterval(n) => {
            long(*n)
        }
        Value::Float(x) => x.to_bits() as i32,
        Value::Double(x) => long(x.to_bits() as i64),
        Value::String(s) => s.encode_utf16().fold(0i32, |h, c| h.wrapping_mul(31).wrapping_add(i32::from(c))),
        _ => return None,
    })
}

/// Entries in the order in which a HashMap of that initial capacity holds them.
fn ordered(entries: Vec<(Value, Value)>, capacity: usize) -> Vec<(Value, Value)> {
    let mut table = capacity.max(1).next_power_of_two();
    // A table grows when it is three quarters full.
    while entries.len() * 4 > table * 3 {
        table *= 2;
    }
    let bucket = |key: &Value| {
        let hash = hash_code(key)? as u32;
        Some((hash ^ (hash >> 16)) as usize & (table - 1))
    };
    if entries.iter().any(|(key, _)| bucket(key).is_none()) {
        return entries;
    }
    let mut entries = entries;
    entries.sort_by_key(|(key, _)| bucket(key));
    entries
}

/// A value whose maps have passed through Java's HashMap; `capacity` gives the initial one for a number of entries.
pub fn through_java(value: &Value, capacity: &dyn Fn(usize) -> usize) -> Value {
    let each = |values: &[Value]| values.iter().map(|v| through_java(v, capacity)).collect::<Vec<_>>();
    match value {
        Value::Map(entries) => {
            let entries: Vec<(Value, Value)> =
                entries.iter().map(|(k, v)| (through_java(k, capacity), through_java(v, capacity))).collect();
            let initial = capacity(entries.len());
            Value::map(ordered(entries, initial))
        }
        Value::Array(items) => Value::array(each(items)),
        Value::Struct(fields) => Value::structure(each(fields)),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_by_their_hash() {
        let entries = |keys: &[&str]| keys.iter().map(|k| (Value::from(*k), Value::Null)).collect::<Vec<_>>();
        let keys = |entries: Vec<(Value, Value)>| {
            entries.iter().map(|(k, _)| k.as_str().unwrap_or("").to_owned()).collect::<String>()
        };
        assert_eq!(keys(ordered(entries(&["k", "z"]), 16)), "zk");
        assert_eq!(keys(ordered(entries(&["b", "a", "c"]), 3)), "abc");
    }
}
