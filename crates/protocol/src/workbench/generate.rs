//! Made-up events: the same recipe makes the same ones.

use serde_json::{Map, Value, json};
use tidemark_sql::types::{DataType, parse_data_type};
use tidemark_streaming::kafka::Message;
use tidemark_vfs::{FileSystem, MemoryFs};

use crate::messages::{Column, Generate, MadeUp};

/// Events that one command may make up.
pub(super) const MAX_EVENTS: u32 = 100_000;
const MAX_FILES: u32 = 1_000;

const PEOPLE: [&str; 12] =
    ["alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "mallory", "niaj"];
const ACTIONS: [&str; 4] = ["buy", "view", "cart", "refund"];

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// From 0 to 1, without 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Event times and keys of a recipe, in the order of arrival.
struct Events<'m> {
    made: &'m MadeUp,
    dice: Dice,
    /// Sum of the frequencies up to each key.
    shares: Vec<f64>,
    next: u32,
}

impl<'m> Events<'m> {
    fn of(made: &'m MadeUp) -> Self {
        let mut sum = 0.0;
        let keys = made.keys.clamp(1, 10_000);
        // libm: powers that are the same on every machine.
        let share = |key: u32| libm::pow(f64::from(key), -made.skew.clamp(0.0, 10.0));
        let shares = (1..=keys).map(|key| {
            sum += share(key);
            sum
        });
        Self { made, shares: shares.collect(), dice: Dice(made.seed), next: 0 }
    }

    fn key(&mut self) -> usize {
        let at = self.dice.unit() * self.shares.last().copied().unwrap_or(1.0);
        self.shares.partition_point(|sum| *sum <= at).min(self.shares.len().saturating_sub(1))
    }
}

impl Iterator for Events<'_> {
    /// Event time in ms, and the number of the key.
    type Item = (i64, usize);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.made.count.min(MAX_EVENTS) {
            return None;
        }
        let per_second = if self.made.per_second > 0.0 { self.made.per_second } else { 1.0 };
        let elapsed = (f64::from(self.next) * 1000.0 / per_second) as i64;
        self.next += 1;
        let back = self.dice.below(self.made.disorder_ms.max(0).unsigned_abs() + 1);
        let late = self.dice.below(100) < u64::from(self.made.late_percent);
        let back = i64::try_from(back).unwrap_or(0) + if late { self.made.late_ms.max(0) } else { 0 };
        let time = self.made.start_ms.saturating_add(elapsed).saturating_sub(back);
        Some((time, self.key()))
    }
}

fn person(key: usize) -> String {
    PEOPLE.get(key).map_or_else(|| format!("user{key}"), |name| (*name).to_owned())
}

fn amount(dice: &mut Dice) -> f64 {
    (dice.below(50_000) + 100) as f64 / 100.0
}

/// Purchases for a topic, keyed by user.
pub(super) fn messages(made: &MadeUp) -> Vec<Message> {
    let mut dice = Dice(made.seed ^ 0x5dee_ce66);
    let message = |(time, key): (i64, usize)| {
        let value = json!({
            "event_time": tidemark_streaming::format_ms(time),
            "user": person(key),
            "action": ACTIONS[dice.below(ACTIONS.len() as u64) as usize],
            "amount": amount(&mut dice),
        });
        Message { key: Some(person(key).into()), value: Some(value.to_string().into_bytes()), ..Message::default() }
    };
    Events::of(made).map(message).collect()
}

/// Files of JSON lines, in the order in which they are to be written; their names are not taken yet.
pub(super) fn files(fs: &MemoryFs, wanted: &Generate) -> Vec<(String, Vec<u8>)> {
    let columns: Vec<(&Column, DataType)> =
        wanted.columns.iter().filter_map(|column| Some((column, parse_data_type(&column.data_type).ok()?))).collect();
    let is_time = |(column, data_type): &&(&Column, DataType)| match &wanted.event_time {
        Some(name) => column.name == *name,
        None => matches!(data_type, DataType::Timestamp | DataType::TimestampNtz),
    };
    let time = columns.iter().find(is_time).map(|(column, _)| column.name.clone());
    let key =
        columns.iter().find(|(_, data_type)| *data_type == DataType::String).map(|(column, _)| column.name.clone());
    let mut dice = Dice(wanted.made.seed ^ 0x5dee_ce66);
    let mut lines = Vec::new();
    for (time_ms, number) in Events::of(&wanted.made) {
        let mut row = Map::new();
        for (column, data_type) in &columns {
            let value = if Some(&column.name) == time.as_ref() {
                time_value(time_ms, data_type)
            } else if Some(&column.name) == key.as_ref() {
                person(number).into()
            } else {
                value(&column.name, data_type, time_ms, &mut dice)
            };
            row.insert(column.name.clone(), value);
        }
        lines.push(Value::Object(row).to_string() + "\n");
    }
    let count = wanted.files.clamp(1, MAX_FILES).min(u32::try_from(lines.len()).unwrap_or(1).max(1)) as usize;
    let folder = wanted.folder.trim_end_matches('/');
    let free = |number: &usize| !fs.exists(&format!("{folder}/made-{number:04}.json"));
    let names = (1usize..).filter(free).map(|number| format!("{folder}/made-{number:04}.json"));
    let size = lines.len().div_ceil(count).max(1);
    names.zip(lines.chunks(size)).map(|(name, lines)| (name, lines.concat().into_bytes())).collect()
}

fn time_value(ms: i64, data_type: &DataType) -> Value {
    match data_type {
        DataType::Long | DataType::Double => (ms / 1000).into(),
        _ => tidemark_streaming::format_ms(ms).into(),
    }
}

/// A value of a type; names give a hint.
fn value(name: &str, data_type: &DataType, time_ms: i64, dice: &mut Dice) -> Value {
    let name = name.to_lowercase();
    match data_type {
        DataType::String if ["action", "type", "kind", "event"].iter().any(|hint| name.contains(hint)) => {
            ACTIONS[dice.below(ACTIONS.len() as u64) as usize].into()
        }
        DataType::String => format!("{name}{}", dice.below(10)).into(),
        DataType::Boolean => (dice.below(2) == 1).into(),
        DataType::Byte | DataType::Short | DataType::Integer | DataType::Long => (dice.below(100) + 1).into(),
        DataType::Float | DataType::Double | DataType::Decimal { .. } => amount(dice).into(),
        DataType::Date => tidemark_streaming::format_ms(time_ms).split('T').next().unwrap_or_default().into(),
        DataType::Timestamp | DataType::TimestampNtz => time_value(time_ms, data_type),
        DataType::Array { element, .. } => {
            (0..dice.below(3) + 1).map(|_| value(&name, element, time_ms, dice)).collect::<Vec<Value>>().into()
        }
        DataType::Struct(fields) => {
            let fields = fields.fields.iter();
            let object =
                fields.map(|field| (field.name.to_string(), value(&field.name, &field.data_type, time_ms, dice)));
            Value::Object(object.collect())
        }
        DataType::Map { value: inner, .. } => {
            Value::Object([("a".to_owned(), value(&name, inner, time_ms, dice))].into_iter().collect())
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(count: u32) -> MadeUp {
        MadeUp {
            seed: 7,
            count,
            start_ms: 1_771_063_265_000,
            per_second: 2.0,
            disorder_ms: 0,
            late_percent: 0,
            late_ms: 600_000,
            keys: 4,
            skew: 0.0,
        }
    }

    #[test]
    fn the_recipe_shapes_the_events() {
        let plain: Vec<i64> = Events::of(&made(4)).map(|(time, _)| time - 1_771_063_265_000).collect();
        assert_eq!(plain, [0, 500, 1000, 1500]);
        let disorder = MadeUp { disorder_ms: 5_000, ..made(100) };
        let times: Vec<i64> = Events::of(&disorder).map(|(time, _)| time).collect();
        assert!(times.windows(2).any(|pair| pair[1] < pair[0]));
        let late = MadeUp { late_percent: 20, ..made(1000) };
        let behind = Events::of(&late).zip(Events::of(&made(1000))).filter(|(a, b)| a.0 == b.0 - 600_000).count();
        assert!((150..250).contains(&behind), "{behind}");
        let skew = MadeUp { skew: 2.0, ..made(1000) };
        let first = |made: &MadeUp| Events::of(made).filter(|(_, key)| *key == 0).count();
        assert!(first(&skew) > 600 && (200..300).contains(&first(&made(1000))));
    }

    #[test]
    fn files_have_the_columns_of_the_schema_and_free_names() {
        let column = |name: &str, data_type: &str| Column { name: name.to_owned(), data_type: data_type.to_owned() };
        let wanted = Generate {
            folder: "/w/in/".to_owned(),
            columns: vec![
                column("at", "timestamp"),
                column("user", "string"),
                column("amount", "decimal(10,2)"),
                column("tags", "array<string>"),
                column("place", "struct<city:string,n:int>"),
            ],
            event_time: Some("at".to_owned()),
            made: made(5),
            files: 2,
        };
        let fs = MemoryFs::new();
        let one = files(&fs, &wanted);
        assert_eq!(
            one.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
            ["/w/in/made-0001.json", "/w/in/made-0002.json"]
        );
        assert_eq!(one, files(&fs, &wanted));
        let text = String::from_utf8(one[0].1.clone()).unwrap();
        assert_eq!(text.lines().count(), 3);
        let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(row["at"], "2026-02-14T10:01:05.000Z");
        assert!(row["place"]["n"].is_u64() && row["tags"].is_array() && row["amount"].is_f64(), "{row}");
        fs.create_dir_all("/w/in", 0).unwrap();
        fs.write("/w/in/made-0001.json", b"", 0).unwrap();
        assert_eq!(files(&fs, &wanted)[0].0, "/w/in/made-0002.json");
    }
}
