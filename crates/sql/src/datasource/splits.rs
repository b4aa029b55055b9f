//! Files to tasks (FilePartition): large files are cut, small ones packed together.

use super::FileStatus;
use crate::conf::SqlConf;
use crate::exec::settings;

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSplit {
    pub file: FileStatus,
    pub start: u64,
    pub len: u64,
}

/// FilePartition.maxSplitBytes.
pub fn max_split_bytes(files: &[FileStatus], conf: &SqlConf, parallelism: usize) -> u64 {
    let open_cost = u64::try_from(settings::open_cost(conf)).unwrap_or(0);
    let max = u64::try_from(settings::max_partition_bytes(conf)).unwrap_or(u64::MAX);
    let total: u64 = files.iter().map(|f| f.len + open_cost).sum();
    let per_core = total / parallelism.max(1) as u64;
    max.min(open_cost.max(per_core)).max(1)
}

/// The pieces of each task. Pieces are taken by decreasing size (ties in the order given) and packed until a task is full.
pub fn partitions(files: &[FileStatus], splittable: bool, conf: &SqlConf, parallelism: usize) -> Vec<Vec<FileSplit>> {
    let max = max_split_bytes(files, conf, parallelism);
    let open_cost = u64::try_from(settings::open_cost(conf)).unwrap_or(0);
    let mut pieces: Vec<FileSplit> = Vec::new();
    for file in files.iter().filter(|f| f.len > 0) {
        if splittable && super::inflate::packing(&file.path).is_none() {
            let mut start = 0;
            while start < file.len {
                let len = max.min(file.len - start);
                pieces.push(FileSplit { file: file.clone(), start, len });
                start += len;
            }
        } else {
            pieces.push(FileSplit { file: file.clone(), start: 0, len: file.len });
        }
    }
    pieces.sort_by_key(|p| std::cmp::Reverse(p.len));
    let mut out: Vec<Vec<FileSplit>> = Vec::new();
    let mut current: Vec<FileSplit> = Vec::new();
    let mut size = 0;
    for piece in pieces {
        if size + piece.len > max && !current.is_empty() {
            out.push(std::mem::take(&mut current));
            size = 0;
        }
        size += piece.len + open_cost;
        current.push(piece);
    }
    if !current.is_empty() {
        out.push(current);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_files_are_packed_by_size() {
        let file = |path: &str, len: u64| FileStatus { path: path.into(), len, modified_ms: 0 };
        let files = [file("a", 10), file("b", 30), file("c", 20)];
        let tasks = partitions(&files, true, &SqlConf::default(), 2);
        let names: Vec<Vec<&str>> = tasks.iter().map(|t| t.iter().map(|p| p.file.path.as_str()).collect()).collect();
        assert_eq!(names, [vec!["b", "c"], vec!["a"]]);
    }
}
