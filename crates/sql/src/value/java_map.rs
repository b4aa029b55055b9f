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
fn ordered(entries: Entries, capacity: usize) -> Entries {
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

/// A value whose maps have passed through a HashMap made for the number of their entries (EvaluatePython.toJava).
pub fn through_java(value: &Value) -> Value {
    rebuilt(value, &|entries| {
        let count = entries.len();
        ordered(entries, count)
    })
}

/// A value that Python pickled and the JVM's unpickler read: entries come in pieces of up to a thousand, each gathered from its
/// end in a HashMap of its own, and are put together in one that starts as large as the first piece wants.
pub fn unpickled(value: &Value) -> Value {
    const PIECE: usize = 1000;
    rebuilt(value, &|entries| {
        // A single entry is put by itself.
        let first = entries.len().min(PIECE);
        let wanted = if first > 1 { wanted(first) } else { 16 };
        let pieces = entries.chunks(PIECE).flat_map(|piece| ordered(piece.iter().rev().cloned().collect(), 16));
        ordered(pieces.collect(), wanted)
    })
}

/// The table that HashMap.putMapEntries makes for a number of entries.
fn wanted(entries: usize) -> usize {
    entries * 4 / 3 + 1
}

/// Names in the order of a HashMap that was made of a map in which they stand in this order.
pub fn java_map_of(names: &[String]) -> Vec<String> {
    let table = wanted(names.len());
    let entries = names.iter().map(|name| (Value::from(name.as_str()), Value::Null)).collect();
    ordered(entries, table).iter().filter_map(|(name, _)| name.as_str().map(str::to_owned)).collect()
}

type Entries = Vec<(Value, Value)>;

/// The value with the entries of each map in another order.
fn rebuilt(value: &Value, entries: &dyn Fn(Entries) -> Entries) -> Value {
    let each = |values: &[Value]| values.iter().map(|v| rebuilt(v, entries)).collect::<Vec<_>>();
    match value {
        Value::Map(pairs) => {
            Value::map(entries(pairs.iter().map(|(k, v)| (rebuilt(k, entries), rebuilt(v, entries))).collect()))
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

    #[test]
    fn what_python_pickled_is_put_together_in_a_table_of_its_size() {
        let map = |keys: &[i32]| Value::map(keys.iter().map(|k| (Value::Integer(*k), Value::Null)).collect());
        let (sent, read) = (map(&[10, 20, 30, 40, 50]), map(&[40, 50, 10, 20, 30]));
        assert_eq!(format!("{:?}", unpickled(&sent)), format!("{read:?}"));
    }
}
