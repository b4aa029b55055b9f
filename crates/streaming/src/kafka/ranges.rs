//! From offsets to tasks (Spark's KafkaOffsetRangeCalculator).

use super::options::Division;
use super::scala::{long_hash, product_hash, string_hash};
use super::topic::TopicPartition;

/// Offsets of one partition that one task reads; negative ones stand for the ends of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OffsetRange {
    pub(super) partition: TopicPartition,
    pub(super) from: i64,
    pub(super) until: i64,
}

impl OffsetRange {
    pub(super) fn size(&self) -> i64 {
        self.until - self.from
    }

    /// hashCode of Spark's case class, without a preferred location.
    pub(super) fn hash_code(&self) -> i32 {
        let fields = [self.partition.hash_code(), long_hash(self.from), long_hash(self.until), string_hash("None")];
        product_hash("KafkaOffsetRange", &fields)
    }
}

/// Cuts into `parts` pieces; the last ones get what does not divide.
fn cut(range: &OffsetRange, parts: i64) -> Vec<OffsetRange> {
    let mut remaining = range.size();
    let mut from = range.from;
    let mut pieces = Vec::new();
    for part in 0..parts {
        let size = remaining / (parts - part);
        remaining -= size;
        let until = (from + size).min(range.until);
        pieces.push(OffsetRange { partition: range.partition.clone(), from, until });
        from = until;
    }
    pieces.retain(|piece| piece.size() > 0);
    pieces
}

/// How many of `min_parts` a range deserves.
fn part_count(size: i64, total: i64, min_parts: i64) -> i64 {
    // Java's Math.round: half up.
    ((size as f64 / total as f64 * min_parts as f64 + 0.5).floor() as i64).max(1)
}

impl Division {
    /// One task a range unless minPartitions or maxRecordsPerPartition asks for more. Ranges without records are left out.
    pub(super) fn tasks(self, ranges: Vec<OffsetRange>) -> Vec<OffsetRange> {
        let mut ranges: Vec<OffsetRange> = ranges.into_iter().filter(|range| range.size() > 0).collect();
        if let Some(max) = self.max_records {
            ranges = ranges.iter().flat_map(|range| cut(range, (range.size() + max - 1) / max)).collect();
        }
        let Some(min) = self.min_partitions.map(i64::from) else { return ranges };
        if ranges.len() as i64 >= min {
            return ranges;
        }
        let total: i64 = ranges.iter().map(OffsetRange::size).sum();
        let whole = |range: &OffsetRange| part_count(range.size(), total, min) == 1;
        let unsplit: Vec<TopicPartition> =
            ranges.iter().filter(|range| whole(range)).map(|range| range.partition.clone()).collect();
        let unsplit_size: i64 = ranges.iter().filter(|range| whole(range)).map(OffsetRange::size).sum();
        let split_min = (min - unsplit.len() as i64).max(1);
        let parts = |range: &OffsetRange| {
            if unsplit.contains(&range.partition) {
                1
            } else {
                part_count(range.size(), total - unsplit_size, split_min)
            }
        };
        ranges.iter().flat_map(|range| cut(range, parts(range))).collect()
    }

    /// Whether ranges of these sizes would be cut.
    pub(super) fn divides(self, ranges: &[OffsetRange]) -> bool {
        self.min_partitions.is_some_and(|min| i64::from(min) > ranges.len() as i64)
            || self.max_records.is_some_and(|max| ranges.iter().any(|range| range.size() > max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(
        min_partitions: Option<i32>,
        max_records: Option<i64>,
        ranges: &[(i32, i64, i64)],
    ) -> Vec<(i32, i64, i64)> {
        let ranges = ranges
            .iter()
            .map(|(partition, from, until)| OffsetRange {
                partition: TopicPartition::new("t", *partition),
                from: *from,
                until: *until,
            })
            .collect();
        let tasks = Division { min_partitions, max_records }.tasks(ranges);
        tasks.into_iter().map(|task| (task.partition.partition, task.from, task.until)).collect()
    }

    /// The figures of Spark's KafkaOffsetRangeCalculatorSuite.
    #[test]
    fn ranges_are_cut_as_spark_cuts_them() {
        assert_eq!(tasks(None, None, &[(1, 1, 1)]), []);
        assert_eq!(tasks(Some(1), None, &[(1, 1, 2), (2, 1, 2), (3, 1, 1)]), [(1, 1, 2), (2, 1, 2)]);
        assert_eq!(tasks(Some(4), None, &[(1, 1, 5)]), [(1, 1, 2), (1, 2, 3), (1, 3, 4), (1, 4, 5)]);
        assert_eq!(
            tasks(Some(3), None, &[(1, 1, 5), (2, 1, 21)]),
            [(1, 1, 5), (2, 1, 7), (2, 7, 14), (2, 14, 21)][..1]
                .iter()
                .copied()
                .chain([(2, 1, 11), (2, 11, 21)])
                .collect::<Vec<_>>()
        );
        assert_eq!(
            tasks(Some(4), None, &[(1, 0, 3), (2, 0, 10), (3, 0, 0)]),
            [(1, 0, 3), (2, 0, 3), (2, 3, 6), (2, 6, 10)]
        );
        assert_eq!(tasks(None, Some(4), &[(1, 0, 10)]), [(1, 0, 3), (1, 3, 6), (1, 6, 10)]);
    }
}
