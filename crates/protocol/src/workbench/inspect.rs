//! Answers to looks into a query.

use tidemark_streaming::api;

use super::Workbench;
use super::report::columns;
use crate::messages::{
    Command, Event, InspectCommand, InspectEvent, JoinRange, PlanColumn, PlanNode, PlanReport, RowMark, StateReport,
    StateRequest, StateRow, StateSection,
};

impl Workbench {
    pub(super) fn inspect(&mut self, command: InspectCommand) {
        let lives = self.engine.as_ref().is_some_and(|engine| engine.query(command.query()).is_some());
        let recalls = !matches!(command, InspectCommand::Plan { recall: false, .. });
        if !lives && recalls && self.recall(command.query(), Command::Inspect(command.clone())) {
            return;
        }
        let past = self.remembered().filter(|_| !lives && recalls).and_then(|memory| memory.look(command.clone()));
        if let Some(answer) = past.or_else(|| self.look(command)) {
            self.shared.event(Event::Inspect(Box::new(answer)));
        }
    }

    pub(super) fn look(&self, command: InspectCommand) -> Option<InspectEvent> {
        match command {
            InspectCommand::State(request) => self.state(request),
            InspectCommand::Plan { query, .. } => self.plan(query),
        }
    }

    fn state(&self, request: StateRequest) -> Option<InspectEvent> {
        let found = self.engine.as_ref().and_then(|engine| engine.query(&request.query));
        let Some(found) = found else {
            let message = "The session that held this state is gone, and what was done in it is not remembered. Run the script to look into its state again.";
            return Some(InspectEvent::NoState { request, message: message.to_owned() });
        };
        let wanted = api::StateRequest {
            operator: request.operator,
            store: request.store.clone(),
            partition: request.partition,
            batch: request.batch,
            changes_only: request.changes_only,
            filter: request.filter.clone(),
            offset: request.offset,
            limit: request.limit,
        };
        Some(match found.state(&wanted) {
            Ok(page) => InspectEvent::State(state_report(request, page)),
            Err(error) => {
                let batch = request.batch.map_or_else(String::new, |batch| format!(" after batch {batch}"));
                let message = format!("The state{batch} cannot be read: its files are gone or damaged. {error}");
                InspectEvent::NoState { request, message }
            }
        })
    }

    /// None without a session: the page keeps the plan that it has.
    fn plan(&self, query: String) -> Option<InspectEvent> {
        let found = self.engine.as_ref()?.query(&query)?;
        Some(InspectEvent::Plan(plan_report(query, found.plan())))
    }
}

fn state_report(request: StateRequest, page: api::StatePage) -> StateReport {
    let section = |section: api::StateSection| StateSection {
        name: section.name,
        key: columns(&section.key),
        value: columns(&section.value),
        rule: section.rule,
        unbounded: section.unbounded,
        held: section.held,
        added: section.added,
        changed: section.changed,
        removed: section.removed,
        compared: section.compared,
    };
    let row = |row: api::StateRowView| StateRow {
        section: row.section,
        partition: row.partition,
        key: row.key,
        value: row.value,
        mark: match row.mark {
            api::RowMark::Held => RowMark::Held,
            api::RowMark::Added => RowMark::Added,
            api::RowMark::Changed(before) => RowMark::Changed(before),
            api::RowMark::Removed => RowMark::Removed,
        },
        expiry: row.expiry,
    };
    StateReport {
        request,
        batch: page.batch,
        stores: page.stores,
        sections: page.sections.into_iter().map(section).collect(),
        total: page.total,
        rows: page.rows.into_iter().map(row).collect(),
    }
}

fn plan_report(query: String, plan: api::PlanDescription) -> PlanReport {
    let column = |column: api::PlanColumn| PlanColumn {
        name: column.name,
        data_type: column.data_type,
        delay_ms: column.delay_ms,
    };
    let node = |node: api::PlanNode| PlanNode {
        name: node.name,
        text: node.text,
        brief: node.brief,
        children: node.children,
        output: node.output.into_iter().map(column).collect(),
        streaming: node.streaming,
        stateful: node.stateful,
        operator: node.operator,
        rules: node.rules,
        unbounded: node.unbounded,
        hint: node.hint,
    };
    let join = |join: api::JoinRange| JoinRange {
        operator: join.operator,
        left: join.left,
        right: join.right,
        lower_us: join.lower_us,
        upper_us: join.upper_us,
    };
    PlanReport {
        query,
        nodes: plan.nodes.into_iter().map(node).collect(),
        sources: plan.sources,
        joins: plan.joins.into_iter().map(join).collect(),
        explain: plan.explain,
    }
}
