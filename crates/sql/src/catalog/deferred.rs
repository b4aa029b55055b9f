//! Tables whose rows are made when a plan is executed: those of memory sinks, and the frames of foreachBatch functions.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::Catalog;
use crate::datasource::metadata_log::has_log;
use crate::error::{Result, SparkError};
use crate::exec::Partition;
use crate::expr::Expr;
use crate::optimizer::without_idle_sorts;
use crate::plan::{FileRelation, LocalRelation, LogicalPlan, PlanRef, Spread};
use crate::session::SqlSession;

/// What is done with the rows of a deferred table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// They are only looked at: nothing is counted.
    Look,
    All,
    /// A limit stands above them with nothing in between that reads ahead.
    First(FirstRows),
}

/// How far a limit reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstRows {
    pub rows: usize,
    /// The limit is the root (CollectLimitExec, executeTake): partitions are read one after the other until there are
    /// enough. Else so many rows of every partition.
    pub root: bool,
}

impl FirstRows {
    /// How many rows of partitions of these sizes are read. `root`: SparkPlan.executeTake runs one partition, then four
    /// times as many as it has run or what the rows found so far let expect.
    pub fn read(self, sizes: &[usize]) -> usize {
        if !self.root {
            return sizes.iter().map(|size| self.rows.min(*size)).sum();
        }
        let (mut read, mut found, mut scanned) = (0, 0, 0);
        while found < self.rows && scanned < sizes.len() {
            let left = self.rows - found;
            let tries = match (scanned, found) {
                (0, _) => 1,
                (_, 0) => scanned * 4,
                _ => (left * scanned * 3).div_ceil(found * 2).max(1).min(scanned * 4),
            };
            let run = &sizes[scanned..(scanned + tries).min(sizes.len())];
            read += run.iter().map(|size| self.rows.min(*size)).sum::<usize>();
            found += run.iter().sum::<usize>();
            scanned += run.len();
        }
        read
    }
}

/// Makes the rows of a deferred table.
pub type MakeRows = Rc<dyn Fn(Reading) -> Result<Vec<Partition>>>;

/// Rows that are made anew every time they are read, unless they are persisted.
#[derive(Clone)]
pub(super) struct Deferred {
    make: MakeRows,
    persisted: bool,
    kept: Option<Vec<Partition>>,
}

impl fmt::Debug for Deferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deferred")
    }
}

impl Catalog {
    /// Puts rows that are made anew at every execution behind a [`LogicalPlan::MemoryTable`] of this name, which is no view
    /// (the frame of a foreachBatch function: every action runs the batch again).
    pub fn set_deferred(&mut self, name: &str, make: MakeRows) {
        self.deferred.insert(name.to_owned(), Deferred { make, persisted: false, kept: None });
    }

    /// df.persist() and df.unpersist() of the frame of a foreachBatch function.
    pub fn persist_deferred(&mut self, name: &str, persisted: bool) {
        if let Some(deferred) = self.deferred.get_mut(name) {
            deferred.persisted = persisted;
            deferred.kept = None;
        }
    }

    pub fn drop_deferred(&mut self, name: &str) {
        self.deferred.remove(name);
    }
}

/// Puts the rows that memory sinks have now in the place of their tables. Done before any execution: the rows of a memory
/// table are those of the moment it is read, not of the moment the DataFrame was made. `explained`: the plan is only shown,
/// and nothing is run for it.
///
/// Files of a saved table are those of the moment, too: what is inserted refreshes the table's file index, which all frames
/// of the table share (InsertIntoHadoopFsRelationCommand). A table with a sink's log keeps its list.
pub fn bind_memory_tables(session: &SqlSession, plan: &PlanRef, explained: bool) -> Result<PlanRef> {
    let table = |relation: &FileRelation| {
        let [folder] = relation.root_paths.as_slice() else { return None };
        session.catalog.borrow().tables.values().find(|table| table.folder == *folder).cloned()
    };
    let changes = |node: &LogicalPlan| match node {
        LogicalPlan::MemoryTable { .. } => true,
        LogicalPlan::FileRelation(relation) => table(relation).is_some(),
        _ => false,
    };
    if !plan.any(&changes) {
        return Ok(plan.clone());
    }
    let bound = (**plan).clone().try_transform_up::<SparkError>(&mut |node| match node {
        LogicalPlan::MemoryTable { name, output } => {
            let rows = if explained && session.catalog.borrow().deferred.contains_key(&name) {
                Some(Vec::new())
            } else {
                deferred_rows(session, &name, plan)?
            };
            if let Some(rows) = rows {
                let partitions = Arc::new(rows);
                return Ok(LogicalPlan::LocalRelation(LocalRelation { output, partitions, from_rdd: true }));
            }
            let catalog = session.catalog.borrow();
            let batches =
                catalog.memory.get(&name.to_lowercase()).map(|table| table.batches.clone()).unwrap_or_default();
            let partitions = Arc::new(vec![batches]);
            Ok(LogicalPlan::LocalRelation(LocalRelation { output, partitions, from_rdd: false }))
        }
        LogicalPlan::FileRelation(relation) => {
            let Some(table) = table(&relation) else { return Ok(LogicalPlan::FileRelation(relation)) };
            if has_log(&*session.fs, &relation.root_paths) {
                return Ok(LogicalPlan::FileRelation(relation));
            }
            let (schema, folder) = (Some(&table.schema), [table.folder]);
            let found = crate::datasource::relation(session, &table.format, &table.options, schema, &folder);
            // A table that is dropped keeps the list, whose files are missed when they are read.
            let files = found.map_or_else(|_| relation.files.clone(), |found| found.files);
            Ok(LogicalPlan::FileRelation(FileRelation { files, ..relation }))
        }
        other => Ok(other),
    })?;
    Ok(Arc::new(bound))
}

/// The rows of a deferred table for one action. A global sort runs what is below it once more, for the samples that its
/// partitions are made by.
fn deferred_rows(session: &SqlSession, name: &str, plan: &PlanRef) -> Result<Option<Vec<Partition>>> {
    // No borrow is held while rows are made: that may run functions of the script.
    let Some(deferred) = session.catalog.borrow().deferred.get(name).cloned() else { return Ok(None) };
    if let Some(kept) = deferred.kept {
        return Ok(Some(kept));
    }
    if deferred.persisted {
        let rows = (deferred.make)(Reading::All)?;
        if let Some(deferred) = session.catalog.borrow_mut().deferred.get_mut(name) {
            deferred.kept = Some(rows.clone());
        }
        return Ok(Some(rows));
    }
    if crate::exec::settings::shuffle_partitions(&session.conf.borrow()) > 1 {
        for _ in 0..sampled(&without_idle_sorts((**plan).clone()), name) {
            (deferred.make)(Reading::All)?;
        }
    }
    (deferred.make)(reading(plan, name)).map(Some)
}

/// How an action reads the table.
fn reading(plan: &PlanRef, name: &str) -> Reading {
    let is_table = |node: &LogicalPlan| matches!(node, LogicalPlan::MemoryTable { name: found, .. } if found == name);
    let mut above = match &**plan {
        LogicalPlan::Limit { limit, .. } => rows_of(limit).map(|rows| FirstRows { rows, root: true }),
        _ => None,
    };
    let mut node = plan.clone();
    loop {
        node = match &*node {
            LogicalPlan::Limit { limit, child } => {
                above = above.or_else(|| rows_of(limit).map(|rows| FirstRows { rows, root: false }));
                child.clone()
            }
            // Python functions are given many rows at a time.
            LogicalPlan::Project { list, child }
                if !list.iter().any(|item| item.any(&|part| matches!(part, Expr::PythonUdf(_)))) =>
            {
                child.clone()
            }
            LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } => child.clone(),
            node if is_table(node) => return above.map_or(Reading::All, Reading::First),
            other => {
                // A limit further down, with other operators above it.
                let children = other.child_plans();
                let [only] = &children[..] else { return Reading::All };
                above = None;
                only.clone()
            }
        };
    }
}

fn rows_of(limit: &Expr) -> Option<usize> {
    match limit {
        Expr::Literal { value, .. } => value.as_i64().and_then(|rows| usize::try_from(rows).ok()),
        _ => None,
    }
}

/// How many range partitionings see the table's rows with no other exchange in between.
fn sampled(plan: &LogicalPlan, name: &str) -> usize {
    let reads = |child: &PlanRef| {
        let mut node: &LogicalPlan = child;
        loop {
            node = match node {
                LogicalPlan::Project { child, .. }
                | LogicalPlan::Filter { child, .. }
                | LogicalPlan::SubqueryAlias { child, .. }
                | LogicalPlan::View { child, .. }
                | LogicalPlan::Sort { global: false, child, .. } => child,
                LogicalPlan::MemoryTable { name: found, .. } => return found == name,
                _ => return false,
            };
        }
    };
    let own = match plan {
        // The first rows of a sort are found without partitions.
        LogicalPlan::Limit { child, .. } if matches!(&**child, LogicalPlan::Sort { .. }) => return 0,
        LogicalPlan::Sort { global: true, child, .. }
        | LogicalPlan::Repartition { spread: Spread::Range, child, .. } => usize::from(reads(child)),
        _ => 0,
    };
    own + plan.child_plans().iter().map(|child| sampled(child, name)).sum::<usize>()
}

/// Number of partitions of a plan; a deferred table is only looked at.
pub fn partition_count(session: &SqlSession, plan: &PlanRef) -> Result<usize> {
    if let LogicalPlan::MemoryTable { name, .. } = &**plan {
        let deferred = session.catalog.borrow().deferred.get(name).cloned();
        if let Some(deferred) = deferred {
            return match deferred.kept {
                Some(rows) => Ok(rows.len()),
                None => Ok((deferred.make)(Reading::Look)?.len()),
            };
        }
    }
    Ok(crate::planner::execute(session, plan)?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn take_reads_partition_after_partition() {
        let take = |rows| FirstRows { rows, root: true };
        assert_eq!(take(1).read(&[3, 3]), 1);
        // What the second job reads is more than it needs.
        assert_eq!(take(4).read(&[3, 3]), 6);
        assert_eq!(take(1).read(&[0, 3]), 1);
        assert_eq!(take(1).read(&[0, 3, 3]), 2);
        assert_eq!(FirstRows { rows: 1, root: false }.read(&[3, 3, 0]), 2);
    }
}
