//! The analysed plan of a query as a graph: nodes with Spark's names, the event-time column traced through them, the
//! stateful ones with their ids, and hints where a watermark is of no use.

use tidemark_sql::exec::ExecRef;
use tidemark_sql::explain::{join_kind_name, node_line, source_text};
use tidemark_sql::expr::{Attribute, Expr};
use tidemark_sql::plan::{GroupStateNode, Join, JoinCondition, LogicalPlan};
use tidemark_sql::value::text::calendar_interval_to_string;

use super::{Occurrence, relations};
use crate::inspection::{JoinRange, PlanColumn, PlanDescription, PlanNode};
use crate::operators::{OutputMode, StateWriter, writers};
use crate::query::Query;

/// Longest `brief` of a node, characters.
const BRIEF: usize = 120;

/// `ran`: the physical plan of the newest batch, which knows the ids of the stateful operators.
pub(crate) fn plan_description(query: &Query, ran: Option<&ExecRef>) -> PlanDescription {
    let setup = &query.setup;
    let explain = query.explained.borrow().as_ref().map(|explained| explained.text(true)).unwrap_or_default();
    let first = explain.lines().nth(1).unwrap_or_default().trim_start_matches('~');
    let (name, text) = match first.split_once(' ') {
        Some((name, _)) => (name.to_owned(), first.to_owned()),
        None => {
            ("WriteToMicroBatchDataSource".to_owned(), format!("WriteToMicroBatchDataSource {}", setup.sink_format))
        }
    };
    let mut walk = Walk {
        found: PlanDescription { explain, ..PlanDescription::default() },
        numbers: numbers(&setup.plan),
        met: 0,
        writers: ran.map(|plan| writers(plan).into_iter()),
        mode: setup.output_mode,
        stateful: Vec::new(),
    };
    walk.found.nodes.push(PlanNode {
        name,
        text,
        brief: format!("{}, {} mode", setup.sink_format, setup.output_mode.name().to_lowercase()),
        output: columns(&setup.output),
        streaming: true,
        ..PlanNode::default()
    });
    let root = walk.node(&setup.plan);
    if let Some(sink) = walk.found.nodes.first_mut() {
        sink.children.push(root);
    }
    let mut found = walk.found;
    hints(&mut found.nodes, &walk.stateful);
    found
}

/// The source that each relation of the plan reads, numbered as the query opens them.
fn numbers(plan: &LogicalPlan) -> Vec<usize> {
    let mut keys = Vec::new();
    let number = |occurrence: Occurrence| {
        let key = (occurrence.relation.id, occurrence.instance);
        let known = keys.iter().position(|other| *other == key);
        known.unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        })
    };
    relations(plan).into_iter().map(number).collect()
}

fn columns(attributes: &[std::sync::Arc<Attribute>]) -> Vec<PlanColumn> {
    let column = |a: &std::sync::Arc<Attribute>| PlanColumn {
        name: a.name.to_string(),
        data_type: a.data_type.simple_string(),
        delay_ms: a.metadata.watermark_delay_ms,
    };
    attributes.iter().map(column).collect()
}

/// A stateful node and whether its watermark reaches its keys.
struct StatefulPlace {
    node: usize,
    uses_event_time: bool,
    /// Node indexes below it: `node + 1 ..= last`.
    last: usize,
}

struct Walk<'a> {
    found: PlanDescription,
    /// The source behind each relation, in plan order, and how many relations have been met.
    numbers: Vec<usize>,
    met: usize,
    /// Of the physical plan, in the order in which the logical ones are met.
    writers: Option<std::vec::IntoIter<&'a dyn StateWriter>>,
    mode: OutputMode,
    stateful: Vec<StatefulPlace>,
}

impl Walk<'_> {
    /// Adds a node and what is below it; its index. Names of views and tables are left out: they change nothing.
    fn node(&mut self, plan: &LogicalPlan) -> usize {
        if let LogicalPlan::SubqueryAlias { child, .. } | LogicalPlan::View { child, .. } = plan {
            return self.node(child);
        }
        let at = self.found.nodes.len();
        let text = node_line(plan);
        let name = text.split([' ', '(', '[']).next().unwrap_or_default().to_owned();
        let stateful = keeps_state(plan, self.mode);
        let mut node = PlanNode {
            name,
            text,
            brief: cut(&brief(plan)),
            output: columns(&plan.output()),
            streaming: plan.is_streaming(),
            stateful,
            ..PlanNode::default()
        };
        let mut range = None;
        // Parents are numbered before their children, in both plans.
        if stateful && let Some(writer) = self.writers.as_mut().and_then(Iterator::next) {
            let lifetimes: Vec<_> = rules(writer);
            node.operator = Some(writer.operator_id());
            node.unbounded = lifetimes.iter().any(|lifetime| lifetime.1);
            node.rules = lifetimes.into_iter().map(|lifetime| lifetime.0).collect();
            range = writer.match_range().map(|range| (writer.operator_id(), range));
        }
        if matches!(plan, LogicalPlan::StreamingRelation(_)) {
            if self.numbers.get(self.met) == Some(&self.found.sources.len()) {
                self.found.sources.push(at);
            }
            self.met += 1;
        }
        self.found.nodes.push(node);
        let mut starts = Vec::new();
        for child in plan.child_plans() {
            starts.push(self.met);
            let index = self.node(&child);
            if let Some(node) = self.found.nodes.get_mut(at) {
                node.children.push(index);
            }
        }
        if let (Some((operator, (lower_us, upper_us))), [left, right]) = (range, &starts[..]) {
            let sources = |from: usize, to: usize| {
                let mut numbers = self.numbers.get(from..to).unwrap_or_default().to_vec();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            };
            let (left, right) = (sources(*left, *right), sources(*right, self.met));
            self.found.joins.push(JoinRange { operator, left, right, lower_us, upper_us });
        }
        if stateful {
            let last = self.found.nodes.len() - 1;
            self.stateful.push(StatefulPlace { node: at, uses_event_time: uses_event_time(plan), last });
        }
        at
    }
}

/// How rows leave: a sentence for each store that holds rows, and whether none ever does.
fn rules(writer: &dyn StateWriter) -> Vec<(String, bool)> {
    let mut names: Vec<String> = writer.stores().into_iter().map(|(name, _)| name).collect();
    if names.len() > 1 {
        names.retain(|name| name.ends_with("keyWithIndexToValue"));
    }
    if names.is_empty() {
        names.push(crate::state::DEFAULT_STORE.to_owned());
    }
    let rule = |name: &String| {
        let lifetime = writer.lifetime(name);
        let side = name.split_once('-').map(|(side, _)| format!("{side}: ")).unwrap_or_default();
        (format!("{side}{}", lifetime.rule), lifetime.unbounded)
    };
    names.iter().map(rule).collect()
}

/// Whether the node keeps rows between batches, as the planner of stateful operators decides.
fn keeps_state(plan: &LogicalPlan, mode: OutputMode) -> bool {
    match plan {
        LogicalPlan::Aggregate { child, .. } | LogicalPlan::Distinct { child } => child.is_streaming(),
        LogicalPlan::GroupingSets { child, .. } | LogicalPlan::Pivot { child, .. } => child.is_streaming(),
        LogicalPlan::Deduplicate { child, .. } => child.is_streaming(),
        LogicalPlan::Limit { child, .. } => child.is_streaming() && mode != OutputMode::Update && appends(plan, mode),
        LogicalPlan::Join(join) => join.left.is_streaming() && join.right.is_streaming(),
        LogicalPlan::Extension(node) => plan.is_streaming() && node.group_state().is_some(),
        _ => false,
    }
}

/// See the planner: the limit of complete mode over an aggregation is one of each batch alone.
fn appends(plan: &LogicalPlan, mode: OutputMode) -> bool {
    mode == OutputMode::Append
        || !plan.any(&|p| matches!(p, LogicalPlan::Aggregate { child, .. } if child.is_streaming()))
}

fn marked(expr: &Expr) -> bool {
    let mut found = expr.metadata().watermark_delay_ms.is_some();
    expr.visit(&mut |e| found |= e.metadata().watermark_delay_ms.is_some());
    found
}

/// Whether the event time is where the operator can evict by it.
fn uses_event_time(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate { grouping, .. } => grouping.iter().any(marked),
        LogicalPlan::Distinct { child } => child.output().iter().any(|a| a.metadata.watermark_delay_ms.is_some()),
        LogicalPlan::Deduplicate { columns, within_watermark, .. } => *within_watermark || columns.iter().any(marked),
        LogicalPlan::Join(Join { condition: JoinCondition::On(on), .. }) => marked(on),
        LogicalPlan::Extension(node) => match node.group_state() {
            Some(GroupStateNode::ApplyInPandasWithState { event_time_timeout, .. }) => event_time_timeout,
            Some(GroupStateNode::TransformWithState) => true,
            None => false,
        },
        _ => false,
    }
}

fn event_times(node: &PlanNode) -> Vec<&str> {
    node.output.iter().filter(|column| column.delay_ms.is_some()).map(|column| &*column.name).collect()
}

/// Where a watermark does nothing, and where the event time is lost before an operator that would need it.
fn hints(nodes: &mut [PlanNode], stateful: &[StatefulPlace]) {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let above: Vec<&StatefulPlace> = stateful.iter().filter(|place| place.node < at && at <= place.last).collect();
        if node.name == "EventTimeWatermark" {
            let column = event_times(node).join(", ");
            if above.is_empty() {
                let text = "No operator above keeps state, so this watermark drops nothing and evicts nothing.";
                found.push((at, text.to_owned()));
            } else if above.iter().all(|place| !place.uses_event_time) {
                found.push((
                    at,
                    format!(
                        "`{column}` reaches no key of a stateful operator: late rows are not dropped by it and it evicts \
                         nothing. Put it, or a window over it, among the keys."
                    ),
                ));
            }
            continue;
        }
        let below: Vec<&str> =
            node.children.iter().filter_map(|child| nodes.get(*child)).flat_map(event_times).collect();
        if let Some(place) = stateful.iter().find(|place| place.node == at) {
            if !place.uses_event_time {
                found.push((at, no_event_time(node, &below)));
            }
        } else if !below.is_empty() && event_times(node).is_empty() && !above.is_empty() {
            let text =
                format!("The event-time column `{}` ends here: what is above has no watermark.", below.join(", "));
            found.push((at, text));
        }
    }
    for (at, text) in found {
        if let Some(node) = nodes.get_mut(at) {
            node.hint = Some(text);
        }
    }
}

fn no_event_time(node: &PlanNode, below: &[&str]) -> String {
    match (node.name.as_str(), below) {
        ("GlobalLimit", _) => "It only counts the rows that have come out.".to_owned(),
        (_, []) => "No watermark comes in, so nothing ever evicts this state.".to_owned(),
        ("Join", _) => "The condition has no event time: nothing ever evicts the rows that wait here.".to_owned(),
        (_, below) => {
            format!(
                "The event-time column `{}` is not among its keys: nothing ever evicts this state.",
                below.join(", ")
            )
        }
    }
}

/// What matters of a node, short.
fn brief(plan: &LogicalPlan) -> String {
    let names = |list: &[Expr]| list.iter().map(|e| e.to_attribute().name.to_string()).collect::<Vec<_>>().join(", ");
    match plan {
        LogicalPlan::Aggregate { grouping, .. } if grouping.is_empty() => "of all rows".to_owned(),
        LogicalPlan::Aggregate { grouping, .. } => format!("by {}", names(grouping)),
        LogicalPlan::Project { list, .. } => names(list),
        LogicalPlan::Filter { condition, .. } => condition.pretty_sql(),
        LogicalPlan::Deduplicate { columns, .. } => format!("by {}", names(columns)),
        LogicalPlan::EventTimeWatermark { column, delay, .. } => format!(
            "{}, {}",
            column.to_attribute().name,
            calendar_interval_to_string(delay.months, delay.days, delay.micros)
        ),
        LogicalPlan::StreamingRelation(relation) => source_text(relation),
        LogicalPlan::Join(join) => match &join.condition {
            JoinCondition::On(on) => format!("{}, {}", join_kind_name(join.kind), on.pretty_sql()),
            _ => join_kind_name(join.kind).to_owned(),
        },
        LogicalPlan::Extension(node) => without_ids(&node.name()),
        other => {
            let line = without_ids(&node_line(other));
            line.split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
        }
    }
}

/// A plan's text without the ids of its columns: `ts#12-T10000ms` is `ts`.
fn without_ids(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('#') {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(before);
        if digits == 0 {
            out.push('#');
            rest = after;
            continue;
        }
        rest = after.get(digits..).unwrap_or_default();
        if let Some(delay) = rest.strip_prefix("-T") {
            let digits = delay.bytes().take_while(u8::is_ascii_digit).count();
            rest = delay.get(digits..).and_then(|rest| rest.strip_prefix("ms")).unwrap_or(rest);
        }
    }
    out.push_str(rest);
    out
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(BRIEF) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_columns_are_left_out() {
        assert_eq!(without_ids("(a#12 > b#3-T10000ms)"), "(a > b)");
        assert_eq!(without_ids("x = '#' AND y#1L"), "x = '#' AND yL");
        assert_eq!(cut(&"é".repeat(200)).chars().count(), BRIEF + 1);
    }
}
