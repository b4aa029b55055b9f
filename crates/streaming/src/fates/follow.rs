//! Follows the rows of one batch from their sources to the operators and the output.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::Int64Type;
use arrow::record_batch::RecordBatch;
use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::batch::{concat_partition, make_batch};
use tidemark_sql::exec::leaf::LocalScanExec;
use tidemark_sql::exec::{ExecContext, ExecRef, Partition};
use tidemark_sql::expr::{Attribute, Expr, ExprId};
use tidemark_sql::plan::{LocalRelation, LogicalPlan, PlanRef};
use tidemark_sql::planner::{Planner, python_operator};
use tidemark_sql::types::DataType;
use tidemark_sql::value::{Value, value_at};

use super::lineage::{Lowered, id_column};
use super::notes::OperatorNotes;
use super::{BatchTrace, Change, Course, Hop, LateRow, Mark, News, Verdict};
use crate::api::{EventFate, EventObservation};
use crate::batch::PlannedBatch;
use crate::batch::events::{self, SourceRow};
use crate::operators::OutputMode;
use crate::operators::judge::{Kind, Release};
use crate::operators::nodes::{StateWriter, StatefulNode};
use crate::operators::planner::generates_appends;
use crate::state::unsafe_row::encode_rows;

/// What became of a batch's source rows.
pub(crate) struct Followed {
    pub(crate) events: Vec<EventObservation>,
    pub(crate) trace: BatchTrace,
}

/// A row on its way.
#[derive(Default)]
struct Node {
    hops: Vec<Hop>,
    branches: Vec<usize>,
}

/// One batch.
pub(crate) struct Follower<'a> {
    planned: &'a PlannedBatch,
    ctx: ExecContext<'a>,
    /// The stateful nodes of the physical plan by id.
    writers: BTreeMap<usize, (&'a ExecRef, &'a dyn StateWriter)>,
    /// Sources by their mark, in the order of the query's description.
    sources: &'a [ExprId],
    next_operator: usize,
    nodes: Vec<Node>,
    /// Events of the batch; the nodes of the same numbers are theirs, the map says which.
    events: Vec<EventObservation>,
    event_nodes: Vec<usize>,
    by_node: BTreeMap<usize, usize>,
    news: Vec<(super::EntryId, Kind, Vec<usize>)>,
    marks: Vec<Mark>,
    /// Late rows by operator.
    late: BTreeMap<usize, i64>,
    complete: bool,
}

/// Follows the rows of a batch that has run. `output`: what it gave; `sources`: their marks.
pub(crate) fn follow(planned: &PlannedBatch, output: &[Partition], sources: &[ExprId]) -> Followed {
    let physical = planned.physical();
    let mut writers = BTreeMap::new();
    collect(&physical, &mut writers);
    let mut ctx = ExecContext::new(planned.session());
    ctx.now_us = planned.now_us();
    let mut follower = Follower {
        planned,
        ctx,
        writers,
        sources,
        next_operator: 0,
        nodes: Vec::new(),
        events: Vec::new(),
        event_nodes: Vec::new(),
        by_node: BTreeMap::new(),
        news: Vec::new(),
        marks: Vec::new(),
        late: BTreeMap::new(),
        complete: true,
    };
    let went = follower.lower(planned.optimized()).and_then(|top| follower.come_out(top, output));
    if let Err(error) = went {
        // What is known up to there is told; the page can do without the rest.
        let reason = format!("the engine could not follow it ({error})");
        follower.lose(&follower.event_nodes.clone(), &reason);
        follower.complete = false;
    }
    follower.finish()
}

fn collect<'a>(plan: &'a ExecRef, found: &mut BTreeMap<usize, (&'a ExecRef, &'a dyn StateWriter)>) {
    if let Some(StatefulNode::Writer(writer)) = StatefulNode::of(plan) {
        found.insert(writer.stateful().operator(), (plan, writer));
    }
    for child in plan.children() {
        collect(child, found);
    }
}

/// Whether the planner makes an operator with state of a node (StatefulPlanner).
pub(super) fn is_stateful(plan: &LogicalPlan, mode: OutputMode) -> bool {
    match plan {
        LogicalPlan::Aggregate { .. } | LogicalPlan::Distinct { .. } | LogicalPlan::Deduplicate { .. } => {
            plan.is_streaming()
        }
        LogicalPlan::Limit { .. } => plan.is_streaming() && generates_appends(plan, mode),
        LogicalPlan::Extension(node) => node.group_state().is_some() && plan.is_streaming(),
        LogicalPlan::Join(join) => join.left.is_streaming() && join.right.is_streaming(),
        _ => false,
    }
}

impl Follower<'_> {
    pub(super) fn mode(&self) -> OutputMode {
        self.planned.stateful().output_mode
    }

    fn new_node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn hop(&mut self, node: usize, hop: Hop) {
        if let Some(node) = self.nodes.get_mut(node) {
            node.hops.push(hop);
        }
    }

    /// Numbered rows as the leaf of a plan.
    fn leaf(output: &[Arc<Attribute>], batches: Vec<RecordBatch>, ids: Vec<usize>) -> Result<Lowered> {
        let id = id_column();
        let columns: Vec<Arc<Attribute>> = output.iter().cloned().chain([id.clone()]).collect();
        let mut left = ids.as_slice();
        let mut partitions = Vec::new();
        for batch in batches {
            let (own, rest) = left.split_at_checked(batch.num_rows()).unwrap_or((left, &[]));
            left = rest;
            let numbers: Int64Array = own.iter().map(|id| *id as i64).collect();
            let mut arrays = batch.columns().to_vec();
            arrays.push(Arc::new(numbers));
            partitions.push(vec![make_batch(&columns, arrays, batch.num_rows())?]);
        }
        let relation = LocalRelation { output: columns, partitions: Arc::new(partitions), from_rdd: true };
        Ok(Lowered::new(LogicalPlan::LocalRelation(relation), id, ids))
    }

    /// The rows of a source, each an event.
    pub(super) fn source(&mut self, mark: ExprId, data: &LogicalPlan, output: &[Arc<Attribute>]) -> Result<Lowered> {
        let source = self.sources.iter().position(|known| *known == mark).unwrap_or(0);
        let rows = self.planned.input_rows().values().sum::<i64>();
        let rows = usize::try_from(rows).unwrap_or(0);
        let mut read = events::Reader::new(&self.ctx, output, rows, self.events.len());
        let batches = read.rows(data)?;
        self.complete &= !read.cut;
        let mut ids = Vec::new();
        for SourceRow { place, origin, row } in read.found {
            let node = self.new_node();
            self.by_node.insert(node, self.events.len());
            self.event_nodes.push(node);
            let fate = EventFate::Accepted;
            self.events.push(EventObservation { event_time_us: None, origin, row, fate, place, source });
            ids.push(node);
        }
        Self::leaf(output, batches, ids)
    }

    /// Notes a withWatermark; parents come before children, as in the tracker.
    pub(super) fn mark(&mut self, column: &Expr, delay_ms: i64, plan: &LogicalPlan) {
        let mut sources = Vec::new();
        find_sources(plan, &mut |mark| sources.extend(self.sources.iter().position(|known| *known == mark)));
        sources.sort_unstable();
        sources.dedup();
        let column = column.to_attribute().name.to_string();
        self.marks.push(Mark { column, delay_ms, watermark_ms: None, sources });
    }

    /// The event times of the batch's events where they come to their watermark.
    pub(super) fn note_event_times(&mut self, below: &Lowered, column: &Expr) -> Result<()> {
        if below.hides(column) {
            return Ok(());
        }
        let (rows, ids) = self.run(&below.plan, vec![column.clone()], below)?;
        let data_type = column.data_type();
        for (row, id) in ids.into_iter().enumerate() {
            let Some(event) = self.by_node.get(&id).and_then(|at| self.events.get_mut(*at)) else { continue };
            if let Value::Timestamp(us) | Value::TimestampNtz(us) = value_at(rows.column(0).as_ref(), row, &data_type) {
                event.event_time_us = event.event_time_us.or(Some(us));
            }
        }
        Ok(())
    }

    /// Runs a plan over numbered rows: the columns of `list`, and the numbers.
    fn run(&self, plan: &LogicalPlan, mut list: Vec<Expr>, rows: &Lowered) -> Result<(RecordBatch, Vec<usize>)> {
        let columns = list.len();
        list.push(Expr::Attribute(rows.id.clone()));
        let plan = Arc::new(LogicalPlan::Project { list, child: Arc::new(plan.clone()) });
        let exec = Planner::new(&self.ctx, None).plan_child(&plan)?;
        let partitions: Partition = exec.execute(&self.ctx)?.into_iter().flatten().collect();
        let batch = concat_partition(exec.output(), &partitions)?;
        let numbers = batch.column(columns).as_primitive_opt::<Int64Type>().map(|ids| ids.values().to_vec());
        let ids = numbers.unwrap_or_default().into_iter().map(|id| usize::try_from(id).unwrap_or(0)).collect();
        let output: Vec<Arc<Attribute>> = exec.output().iter().take(columns).cloned().collect();
        let rows = batch.num_rows();
        Ok((make_batch(&output, batch.columns().iter().take(columns).cloned().collect(), rows)?, ids))
    }

    /// Tells the filters on the way; the rows that one of them took out.
    fn pass_filters(&mut self, rows: &Lowered) -> Result<Vec<usize>> {
        let mut gone = Vec::new();
        for probe in &rows.probes {
            let (held, ids) = self.run(&probe.plan, probe.terms.clone(), rows)?;
            // The first term that no copy of the row meets together with those before it; a copy that meets all saves it.
            let mut verdicts: BTreeMap<usize, usize> = BTreeMap::new();
            for (row, id) in ids.into_iter().enumerate() {
                let holds = |at: usize| {
                    let column = held.column(at).as_any().downcast_ref::<BooleanArray>();
                    column.is_none_or(|b| b.is_valid(row) && b.value(row))
                };
                let met = (0..probe.terms.len()).take_while(|at| holds(*at)).count();
                let best = verdicts.entry(id).or_insert(met);
                *best = met.max(*best);
            }
            let shown: Vec<&Expr> = probe.terms.iter().filter(|term| !is_guard(term)).collect();
            let all = shown.iter().map(|term| term.pretty_sql()).collect::<Vec<_>>().join(" AND ");
            for (id, met) in verdicts {
                match probe.terms.get(met) {
                    Some(term) => {
                        self.hop(id, Hop::Filter { condition: term.pretty_sql(), kept: false });
                        gone.push(id);
                    }
                    None if all.is_empty() => {}
                    None => self.hop(id, Hop::Filter { condition: all.clone(), kept: true }),
                }
            }
        }
        Ok(gone)
    }

    /// The node of each row that came: a row that has become several gets a branch for each.
    fn arrivals(&mut self, rows: &Lowered, ids: &[usize], gone: &[usize]) -> Vec<usize> {
        let mut counts: BTreeMap<usize, usize> = rows.roots.iter().map(|id| (*id, 0)).collect();
        for id in ids {
            *counts.entry(*id).or_insert(0) += 1;
        }
        for (id, count) in &counts {
            if rows.multiplied && !gone.contains(id) {
                self.hop(*id, Hop::Joined { rows: *count });
            }
        }
        let mut nodes = Vec::with_capacity(ids.len());
        for id in ids {
            if counts.get(id) == Some(&1) {
                nodes.push(*id);
                continue;
            }
            let branch = self.new_node();
            if let Some(node) = self.nodes.get_mut(*id) {
                node.branches.push(branch);
            }
            nodes.push(branch);
        }
        nodes
    }

    fn lose(&mut self, roots: &[usize], reason: &str) {
        for id in roots {
            self.hop(*id, Hop::Unknown { reason: reason.to_owned() });
        }
    }

    /// A stateful node: what it says about the rows that came, and the rows that it gave.
    pub(super) fn operator(&mut self, plan: &PlanRef) -> Result<Lowered> {
        let id = self.next_operator;
        self.next_operator += 1;
        let Some((exec, writer)) = self.writers.get(&id).copied() else {
            return Err(SparkError::internal("a stateful node that has no operator"));
        };
        let mut through = Lowered::nowhere("no row came");
        let children: Vec<PlanRef> = plan.child_plans().into_iter().filter(|child| child.is_streaming()).collect();
        for (side, child) in children.iter().enumerate() {
            let rows = self.lower(child)?;
            through = self.meet(plan, writer, exec, side, rows)?;
        }
        let notes = self.planned.stateful().notes.borrow().operators.get(&id).cloned().unwrap_or_default();
        self.complete &= !notes.cut;
        let releases = writer.releases(&notes)?;
        match &**plan {
            LogicalPlan::Distinct { .. } | LogicalPlan::Deduplicate { .. } | LogicalPlan::Limit { .. } => {
                self.release(releases, &notes);
                Ok(through)
            }
            LogicalPlan::Aggregate { .. } => {
                let ids = self.release(releases, &notes);
                self.aggregated(&notes, ids, exec)
            }
            _ => {
                let ids = self.release(releases, &notes);
                Self::leaf(&plan.output(), notes.rows.clone(), in_order(&notes, &ids))
            }
        }
    }

    /// Notes what came out of an operator: the number of each of its rows, by place.
    fn release(&mut self, releases: Vec<Release>, _notes: &OperatorNotes) -> BTreeMap<(usize, usize), usize> {
        let mut ids = BTreeMap::new();
        for release in releases {
            let nodes: Vec<usize> = release
                .rows
                .into_iter()
                .map(|place| {
                    let node = self.new_node();
                    ids.insert(place, node);
                    node
                })
                .collect();
            self.news.extend(release.news.into_iter().map(|(entry, kind)| (entry, kind, nodes.clone())));
        }
        ids
    }

    /// Rows that came to an operator; those that go on as they are.
    fn meet(
        &mut self,
        plan: &LogicalPlan,
        writer: &dyn StateWriter,
        exec: &ExecRef,
        side: usize,
        rows: Lowered,
    ) -> Result<Lowered> {
        if let Some(reason) = &rows.blind {
            self.lose(&rows.roots, reason);
            return Ok(Lowered::nowhere(reason));
        }
        let gone = self.pass_filters(&rows)?;
        let inputs = exec.children();
        let input: Vec<Arc<Attribute>> = inputs.get(side).map_or_else(Vec::new, |child| child.output().to_vec());
        let whole = || input.iter().cloned().map(Expr::Attribute).collect::<Vec<Expr>>();
        let (list, needed) = match plan {
            LogicalPlan::Aggregate { grouping, .. } => (grouping.iter().map(named).collect(), grouping.clone()),
            LogicalPlan::Extension(node) => {
                let keys = python_operator(node).and_then(|node| node.keys.first().cloned());
                (whole(), keys.unwrap_or_default())
            }
            LogicalPlan::Deduplicate { .. } | LogicalPlan::Distinct { .. } => (whole(), whole()),
            _ => (whole(), whole()),
        };
        if needed.iter().any(|expr| rows.hides(expr)) {
            let reason = "its key comes from a function of the script, or from chance, and is not worked out again";
            self.lose(&rows.roots, reason);
            return Ok(Lowered::nowhere(reason));
        }
        let (batch, ids) = self.run(&rows.plan, list, &rows)?;
        let meetings = writer.judge(side, &batch, &self.ctx)?;
        let nodes = self.arrivals(&rows, &ids, &gone);
        let mut on = Vec::new();
        for ((at, meeting), node) in meetings.into_iter().enumerate().zip(&nodes) {
            if matches!(meeting.verdict, Verdict::Late { .. }) {
                *self.late.entry(writer.stateful().operator()).or_insert(0) += 1;
            }
            if meeting.verdict.passes() {
                on.push((at as u32, *node));
            }
            self.hop(*node, Hop::Met(Box::new(meeting)));
        }
        if matches!(plan, LogicalPlan::Aggregate { .. } | LogicalPlan::Join(_) | LogicalPlan::Extension(_)) {
            return Ok(Lowered::nowhere("no row passes as it is"));
        }
        let at: UInt32Array = on.iter().map(|(row, _)| *row).collect();
        let columns: Vec<ArrayRef> = batch.columns().iter().map(|c| take(c, &at, None)).collect::<Result<_, _>>()?;
        let passing = make_batch(&input, columns, on.len())?;
        Self::leaf(&input, vec![passing], on.into_iter().map(|(_, node)| node).collect())
    }

    /// State rows of an aggregation as its output rows.
    fn aggregated(
        &mut self,
        notes: &OperatorNotes,
        ids: BTreeMap<(usize, usize), usize>,
        exec: &ExecRef,
    ) -> Result<Lowered> {
        let Some(finish) = &notes.finish else { return Ok(Lowered::nowhere("nothing came out")) };
        let nodes: Vec<usize> = ids.values().copied().collect();
        let hidden = finish.outer.iter().flatten().any(|expr| expr.any(&|e| matches!(e, Expr::PythonUdf(_))));
        if hidden {
            let reason = "a function of the script works on the result, and is not called a second time";
            return Ok(Lowered { roots: nodes, ..Lowered::nowhere(reason) });
        }
        // A partition for each row, so that results and rows stay together.
        let one = |(batch, row): &(usize, usize)| {
            notes.rows.get(*batch).filter(|rows| *row < rows.num_rows()).map(|rows| vec![rows.slice(*row, 1)])
        };
        let partitions: Vec<Partition> = ids.keys().filter_map(one).collect();
        let output = exec.output().to_vec();
        let scan: ExecRef = Arc::new(LocalScanExec {
            ordinals: (0..output.len()).collect(),
            output,
            partitions: Arc::new(partitions),
            from_rdd: true,
            source: None,
        });
        let mut finished = finish.pieces.finish(scan)?;
        if let Some(list) = &finish.outer {
            finished = Planner::new(&self.ctx, None).project(list.clone(), finished)?;
        }
        let rows = finished.execute(&self.ctx)?;
        if rows.len() != nodes.len() || rows.iter().any(|p| p.iter().map(RecordBatch::num_rows).sum::<usize>() != 1) {
            return Err(SparkError::internal("a state row that gives no row"));
        }
        Self::leaf(finished.output(), rows.into_iter().flatten().filter(|b| b.num_rows() > 0).collect(), nodes)
    }

    /// The rows at the query's end: which of the batch's rows each is.
    fn come_out(&mut self, rows: Lowered, output: &[Partition]) -> Result<()> {
        if let Some(reason) = rows.blind.clone() {
            self.lose(&rows.roots, &reason);
            return Ok(());
        }
        let gone = self.pass_filters(&rows)?;
        let columns: Vec<Arc<Attribute>> =
            rows.plan.output().into_iter().filter(|a| a.id != rows.id.id && !rows.opaque.contains(&a.id)).collect();
        let list = columns.iter().cloned().map(Expr::Attribute).collect();
        let (batch, ids) = self.run(&rows.plan, list, &rows)?;
        let nodes = self.arrivals(&rows, &ids, &gone);
        let positions = self.positions(&columns, &batch, output, &rows).unwrap_or_else(|_| vec![None; nodes.len()]);
        for (node, row) in nodes.into_iter().zip(positions) {
            self.hop(node, Hop::Out { row });
        }
        Ok(())
    }

    /// Places in the output: equal rows in their order.
    fn positions(
        &self,
        columns: &[Arc<Attribute>],
        rows: &RecordBatch,
        output: &[Partition],
        lowered: &Lowered,
    ) -> Result<Vec<Option<usize>>> {
        let all = self.planned.optimized().output();
        let wanted: Vec<usize> = columns.iter().filter_map(|c| all.iter().position(|a| a.id == c.id)).collect();
        if wanted.len() != columns.len() {
            return Ok(vec![None; rows.num_rows()]);
        }
        let types: Vec<DataType> = columns.iter().map(|a| a.data_type.clone()).collect();
        let mut places: BTreeMap<Vec<u8>, VecDeque<usize>> = BTreeMap::new();
        let mut at = 0;
        for batch in output.iter().flatten() {
            let own: Vec<ArrayRef> = wanted.iter().filter_map(|i| batch.columns().get(*i).cloned()).collect();
            for row in encode_rows(&types, &own, batch.num_rows())?.iter() {
                places.entry(row.to_vec()).or_default().push_back(at);
                at += 1;
            }
        }
        // Rows that only a hidden column tells apart cannot be told apart here.
        let vague = !lowered.opaque.is_empty();
        let encoded = encode_rows(&types, rows.columns(), rows.num_rows())?;
        let place = |row: &[u8]| {
            let places = places.get_mut(row)?;
            if vague && places.len() > 1 { None } else { places.pop_front() }
        };
        Ok(encoded.iter().map(place).collect())
    }

    fn course(&self, node: usize) -> Course {
        let Some(node) = self.nodes.get(node) else { return Course::default() };
        Course { hops: node.hops.clone(), branches: node.branches.iter().map(|branch| self.course(*branch)).collect() }
    }

    /// Rows of operators that a later operator refused; one that came from two rows of state is one row.
    fn late_rows(&self) -> Vec<LateRow> {
        let mut found: Vec<LateRow> = Vec::new();
        let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (entry, _, nodes) in &self.news {
            for start in nodes {
                if let Some(places) = places.get(start) {
                    for place in places {
                        let of = &mut found[*place].of;
                        if !of.contains(entry) {
                            of.push(entry.clone());
                        }
                    }
                    continue;
                }
                let from = found.len();
                let mut open = vec![*start];
                while let Some(node) = open.pop().and_then(|node| self.nodes.get(node)) {
                    let late = node.hops.iter().filter_map(|hop| match hop {
                        Hop::Met(meeting) if matches!(meeting.verdict, Verdict::Late { .. }) => Some(&**meeting),
                        _ => None,
                    });
                    found.extend(late.map(|meeting| LateRow { of: vec![entry.clone()], meeting: meeting.clone() }));
                    open.extend(&node.branches);
                }
                places.insert(*start, (from..found.len()).collect());
            }
        }
        found
    }

    fn finish(mut self) -> Followed {
        let courses: Vec<Course> = self.event_nodes.iter().map(|node| self.course(*node)).collect();
        for (event, course) in self.events.iter_mut().zip(&courses) {
            event.fate = fate(course);
        }
        let late_rows = self.late_rows();
        let news = std::mem::take(&mut self.news);
        let news = news.into_iter().map(|(entry, kind, nodes)| {
            let mut courses: Vec<Course> = nodes.iter().map(|node| self.course(*node)).collect();
            let change = match kind {
                Kind::Emitted => Change::Emitted { course: courses.pop().unwrap_or_default() },
                Kind::Removed => Change::Removed { watermark_ms: self.planned.stateful().eviction(entry.operator).0 },
                Kind::Grown(now) => Change::Grown(now),
                Kind::Merged(into) => Change::Merged(into),
                Kind::Matched { partner } => Change::Matched { partner, course: courses.pop().unwrap_or_default() },
                Kind::Taken => Change::Taken,
                Kind::NullRow => Change::NullRow { course: courses.pop().unwrap_or_default() },
                Kind::Called { timed_out, due } => Change::Called { timed_out, due, courses },
            };
            News { entry, change }
        });
        let news = news.collect();
        let trace = BatchTrace {
            courses,
            news,
            operators: self.planned.operator_rules(),
            marks: self.marks,
            late: self.late,
            late_rows,
            any_mark: false,
            next_watermark_ms: 0,
            complete: self.complete,
        };
        Followed { events: self.events, trace }
    }
}

/// The numbers of an operator's rows in the order of its batches; rows that nobody asks about have none.
fn in_order(notes: &OperatorNotes, ids: &BTreeMap<(usize, usize), usize>) -> Vec<usize> {
    let places =
        notes.rows.iter().enumerate().flat_map(|(batch, rows)| (0..rows.num_rows()).map(move |row| (batch, row)));
    places.map(|place| ids.get(&place).copied().unwrap_or(usize::MAX >> 1)).collect()
}

/// A grouping expression under a name.
fn named(expr: &Expr) -> Expr {
    match expr {
        Expr::Attribute(_) | Expr::Alias(_) => expr.clone(),
        other => other.clone().alias("key"),
    }
}

/// A condition that only keeps nulls away from a later one.
fn is_guard(term: &Expr) -> bool {
    matches!(term, Expr::Call(call) if &*call.name == "isnotnull")
}

fn find_sources(plan: &LogicalPlan, found: &mut dyn FnMut(ExprId)) {
    if let LogicalPlan::StreamingBatch { source, .. } = plan {
        found(*source);
    }
    for child in plan.children() {
        find_sources(child, found);
    }
}

/// A row's fate in one word, from the first operators that it came to.
fn fate(course: &Course) -> EventFate {
    let mut met = Vec::new();
    first_meetings(course, &mut met);
    let late = |verdict: &Verdict| matches!(verdict, Verdict::Late { .. });
    if !met.is_empty() {
        if !met.iter().all(|meeting| late(&meeting.verdict)) {
            return EventFate::Accepted;
        }
        let last = met.iter().filter_map(|meeting| Some((meeting.time_us?, meeting.late_watermark_ms?))).max();
        return last.map_or(EventFate::Accepted, |(boundary_us, watermark_ms)| EventFate::Dropped {
            boundary_us,
            watermark_us: watermark_ms.saturating_mul(1000),
        });
    }
    let filtered = course.hops.iter().any(|hop| matches!(hop, Hop::Filter { kept: false, .. }));
    if filtered { EventFate::Filtered } else { EventFate::Accepted }
}

fn first_meetings<'a>(course: &'a Course, found: &mut Vec<&'a super::Meeting>) {
    for hop in &course.hops {
        if let Hop::Met(meeting) = hop {
            found.push(meeting);
            return;
        }
    }
    for branch in &course.branches {
        first_meetings(branch, found);
    }
}
