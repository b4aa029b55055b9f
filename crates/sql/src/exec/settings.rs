//! The configuration keys that execution reads, with Spark's defaults.

use crate::conf::SqlConf;

fn number(conf: &SqlConf, key: &str, default: i64) -> i64 {
    conf.get(key).and_then(|v| v.trim().parse().ok()).unwrap_or(default)
}

/// A size such as "128m" or "4194304b", in bytes.
fn bytes(conf: &SqlConf, key: &str, default: i64) -> i64 {
    let Some(text) = conf.get(key) else { return default };
    let text = text.trim().to_ascii_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        "g" | "gb" => 1 << 30,
        "t" | "tb" => 1 << 40,
        _ => return default,
    };
    digits.parse::<i64>().map_or(default, |n| n.saturating_mul(unit))
}

fn flag(conf: &SqlConf, key: &str, default: bool) -> bool {
    conf.get(key).map_or(default, |v| v.trim().eq_ignore_ascii_case("true"))
}

/// spark.sql.shuffle.partitions.
pub fn shuffle_partitions(conf: &SqlConf) -> usize {
    usize::try_from(number(conf, "spark.sql.shuffle.partitions", 200)).unwrap_or(200).max(1)
}

/// spark.sql.adaptive.enabled.
pub fn adaptive(conf: &SqlConf) -> bool {
    flag(conf, "spark.sql.adaptive.enabled", true)
}

/// spark.sql.autoBroadcastJoinThreshold, bytes; negative: off.
pub fn broadcast_threshold(conf: &SqlConf) -> i64 {
    bytes(conf, "spark.sql.autoBroadcastJoinThreshold", 10 << 20)
}

/// spark.sql.adaptive.autoBroadcastJoinThreshold; by default that of planning.
pub fn adaptive_broadcast_threshold(conf: &SqlConf) -> i64 {
    bytes(conf, "spark.sql.adaptive.autoBroadcastJoinThreshold", broadcast_threshold(conf))
}

/// spark.sql.join.preferSortMergeJoin.
pub fn prefer_sort_merge_join(conf: &SqlConf) -> bool {
    flag(conf, "spark.sql.join.preferSortMergeJoin", true)
}

/// spark.sql.files.maxPartitionBytes.
pub fn max_partition_bytes(conf: &SqlConf) -> i64 {
    bytes(conf, "spark.sql.files.maxPartitionBytes", 128 << 20)
}

/// spark.sql.files.openCostInBytes.
pub fn open_cost(conf: &SqlConf) -> i64 {
    bytes(conf, "spark.sql.files.openCostInBytes", 4 << 20)
}

/// Whether a format's rows are filtered while they are parsed (spark.sql.json.filterPushdown.enabled, csv likewise).
pub fn filter_pushdown(conf: &SqlConf, format: &str) -> bool {
    flag(conf, &format!("spark.sql.{format}.filterPushdown.enabled"), true)
}

/// spark.sql.objectHashAggregate.sortBased.fallbackThreshold.
pub fn object_aggregate_threshold(conf: &SqlConf) -> usize {
    usize::try_from(number(conf, "spark.sql.objectHashAggregate.sortBased.fallbackThreshold", 128)).unwrap_or(128)
}
