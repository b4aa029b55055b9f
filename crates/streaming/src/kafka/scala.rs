//! The iteration order of Scala 2.13's hash maps: Spark's Kafka connector plans its tasks, and so its rows, in it.

/// Spark's own `String.hashCode`.
pub(super) fn string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// `items` as a `mutable.HashMap` iterates over them: by bucket, and by hash within one.
pub(super) fn mutable_order<T>(mut items: Vec<T>, hash: impl Fn(&T) -> i32) -> Vec<T> {
    let improved = |item: &T| {
        let hash = hash(item) as u32;
        (hash ^ (hash >> 16)) as i32
    };
    let mut table = 16usize;
    for size in 0..items.len() {
        if size + 1 >= table / 4 * 3 {
            table *= 2;
        }
    }
    let mask = table - 1;
    items.sort_by_key(|item| (improved(item) as usize & mask, improved(item)));
    items
}

/// `items` as a `java.util.HashMap` made for their number iterates over them, when they come out of one of its usual size.
pub(super) fn java_order<T>(mut items: Vec<T>, hash: impl Fn(&T) -> i32) -> Vec<T> {
    let spread = |item: &T| {
        let hash = hash(item) as u32;
        (hash ^ (hash >> 16)) as usize
    };
    let len = items.len();
    let grown = |table: usize| if len > table / 4 * 3 { table * 2 } else { table };
    let table = len.next_power_of_two();
    let table = if table < 4 { table * 2 } else { grown(table) };
    let first = grown(table.max(16));
    items.sort_by_key(|item| (spread(item) & (table - 1), spread(item) & (first - 1)));
    items
}

/// `items` in the order of an immutable `Map` or `Set`: up to four as they were put in, more by the trie of hashes.
pub(super) fn immutable_order<T>(items: Vec<T>, hash: impl Fn(&T) -> i32) -> Vec<T> {
    if items.len() <= 4 {
        return items;
    }
    let mut hashed: Vec<(u32, T)> = items.into_iter().map(|item| (improve(hash(&item)), item)).collect();
    hashed.sort_by_key(|(hash, _)| path(*hash));
    let mut ordered = Vec::with_capacity(hashed.len());
    node(hashed, 0, &mut ordered);
    ordered
}

/// scala.collection.Hashing.improve
fn improve(hash: i32) -> u32 {
    let mut hash = hash as u32;
    hash = hash.wrapping_add(!(hash << 9));
    hash ^= hash >> 14;
    hash = hash.wrapping_add(hash << 4);
    hash ^ (hash >> 10)
}

/// The positions of a hash in the nodes of the trie, from the root down: five bits each.
fn path(hash: u32) -> [u32; 7] {
    [0, 1, 2, 3, 4, 5, 6].map(|level| (hash >> (level * 5)) & 31)
}

/// A node gives the items that are alone at their position first, then what its child nodes hold.
fn node<T>(items: Vec<(u32, T)>, level: usize, out: &mut Vec<T>) {
    if level >= 7 {
        // Equal hashes, in the order in which they came.
        out.extend(items.into_iter().map(|(_, item)| item));
        return;
    }
    let mut groups: Vec<(u32, Vec<(u32, T)>)> = Vec::new();
    for (hash, item) in items {
        let position = path(hash)[level];
        match groups.last_mut() {
            Some((last, group)) if *last == position => group.push((hash, item)),
            _ => groups.push((position, vec![(hash, item)])),
        }
    }
    let (alone, shared): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| group.len() == 1);
    out.extend(alone.into_iter().flat_map(|(_, group)| group).map(|(_, item)| item));
    for (_, group) in shared {
        node(group, level + 1, out);
    }
}

/// Hash code of a case class with this prefix and these hash codes of its fields (MurmurHash3.productHash).
pub(super) fn product_hash(prefix: &str, fields: &[i32]) -> i32 {
    let mix = |hash: u32, data: i32| {
        let k = (data as u32).wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        (hash ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    };
    let mut hash = fields.iter().fold(mix(0xcafe_babe, string_hash(prefix)), |hash, field| mix(hash, *field));
    hash ^= fields.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    (hash ^ (hash >> 16)) as i32
}

/// Hash code of a long (Statics.longHash).
pub(super) fn long_hash(value: i64) -> i32 {
    if value == i64::from(value as i32) { value as i32 } else { (value ^ ((value as u64) >> 32) as i64) as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 13] = [
        "events",
        "orders",
        "clicks",
        "payments",
        "a",
        "b",
        "topic-1",
        "topic-2",
        "users",
        "zz",
        "events-enriched",
        "t",
        "logs",
    ];

    /// As Scala 2.13 printed them.
    #[test]
    fn maps_iterate_as_scalas_do() {
        let mutable = |n: usize| mutable_order(NAMES[..n].to_vec(), |name| string_hash(name)).join(",");
        assert_eq!(mutable(3), "clicks,orders,events");
        assert_eq!(mutable(13), "zz,a,b,events-enriched,payments,topic-1,topic-2,users,t,clicks,orders,logs,events");
        let immutable = |n: usize| immutable_order(NAMES[..n].to_vec(), |name| string_hash(name)).join(",");
        assert_eq!(immutable(4), "events,orders,clicks,payments");
        assert_eq!(immutable(6), "payments,a,b,clicks,orders,events");
        assert_eq!(immutable(13), "topic-1,payments,t,users,topic-2,a,b,orders,events-enriched,logs,events,zz,clicks");
        let numbers = immutable_order((0..40).collect(), |n| *n);
        assert_eq!(numbers[..12], [0, 5, 10, 14, 1, 6, 9, 13, 2, 12, 18, 11]);
        assert_eq!(product_hash("Tuple2", &[string_hash("a"), 5]), -1_125_433_385);
    }
}
