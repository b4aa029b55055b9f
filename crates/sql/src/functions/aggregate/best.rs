//! The greatest rows of a group, as Spark's heap of them keeps them.

use std::cmp::Ordering;
use std::ops::Range;

/// The greatest of some rows, in the places that they take among equals (MaxMinByKHeap): a new one takes that of the least.
pub(super) fn best(rows: Range<usize>, count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    // Places, the least first.
    let mut heap: Vec<usize> = Vec::new();
    for row in rows {
        if kept.len() < count {
            heap.push(kept.len());
            kept.push(row);
            let mut at = heap.len() - 1;
            while at > 0 && compare(kept[heap[at]], kept[heap[(at - 1) / 2]]).is_lt() {
                heap.swap(at, (at - 1) / 2);
                at = (at - 1) / 2;
            }
            continue;
        }
        let Some(place) = heap.first().filter(|place| compare(row, kept[**place]).is_gt()).copied() else { continue };
        kept[place] = row;
        let mut at = 0;
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < heap.len() && compare(kept[heap[child]], kept[heap[least]]).is_lt() {
                    least = child;
                }
            }
            if least == at {
                break;
            }
            heap.swap(at, least);
            at = least;
        }
    }
    kept
}
