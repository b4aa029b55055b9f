//! Exchanges that Spark runs once although they stand twice in a plan (ReuseExchangeAndSubquery): what they read counts once.

use std::collections::{BTreeMap, BTreeSet};

use tidemark_sql::exec::ExecRef;
use tidemark_sql::exec::leaf::{LocalScanExec, SourceExec};
use tidemark_sql::exec::scan::FileScanExec;

/// The scans of sources, in the order in which they run: whether a scan lies below an exchange that is the same as an
/// earlier one.
pub(super) fn scans_reused(plan: &ExecRef) -> Vec<bool> {
    let mut scans = Vec::new();
    walk(plan, false, &mut BTreeSet::new(), &mut scans);
    scans
}

fn walk(node: &ExecRef, mut reused: bool, exchanges: &mut BTreeSet<String>, scans: &mut Vec<bool>) {
    let any = node.as_any();
    // Streams of Spark's second interface are equal to themselves only.
    if !reused && node.name() == "Exchange" && reads_files_only(node) {
        reused = !exchanges.insert(canonical(node));
    }
    for child in node.children() {
        walk(child, reused, exchanges, scans);
    }
    let counted = any.downcast_ref::<FileScanExec>().is_some_and(|scan| scan.source.is_some())
        || any.downcast_ref::<LocalScanExec>().is_some_and(|scan| scan.source.is_some())
        || any.is::<SourceExec>();
    if counted {
        scans.push(reused);
    }
}

fn reads_files_only(node: &ExecRef) -> bool {
    let children = node.children();
    if children.is_empty() { node.as_any().is::<FileScanExec>() } else { children.into_iter().all(reads_files_only) }
}

/// A plan's text with its attributes numbered as they come, without their names.
fn canonical(node: &ExecRef) -> String {
    let mut out = String::new();
    let mut ids = BTreeMap::new();
    write(node, &mut ids, &mut out);
    out
}

fn write(node: &ExecRef, ids: &mut BTreeMap<String, usize>, out: &mut String) {
    // Attributes are numbered from the leaves up: a node's children come first.
    out.push('(');
    for child in node.children() {
        write(child, ids, out);
    }
    out.push_str(&node.name());
    out.push(' ');
    let arguments = node.arguments();
    // The id of a watermark is its own in Spark too, and compared by nobody.
    let text = match arguments.split_once(", ") {
        Some((_, rest)) if node.name() == "EventTimeWatermark" => rest,
        _ => &arguments,
    };
    let mut pieces = text.split('#');
    let mut before = pieces.next().unwrap_or("");
    for piece in pieces {
        out.push_str(before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_'));
        let end = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        let next = ids.len();
        out.push_str(&format!("#{}", ids.entry(piece[..end].to_owned()).or_insert(next)));
        before = &piece[end..];
    }
    out.push_str(before);
    out.push(')');
}
