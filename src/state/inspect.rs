//! What the page knows of a query's state and plan: the answers that came last, and what is picked in them.

use super::{Action, App, Effect, Tab};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;
use tidemark_protocol::messages::{BatchReport, InspectEvent, PlanReport, StateReport, StateRequest};

/// Rows of state, or why those that were asked for cannot be shown.
type StateAnswer = Result<Rc<StateReport>, Rc<(StateRequest, String)>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct InspectState {
    /// The state that was asked for last, or why it cannot be shown.
    pub state: Option<StateAnswer>,
    /// Plans by query.
    pub plans: BTreeMap<String, Rc<PlanReport>>,
    /// The stateful operator that the State tab shows.
    pub operator: usize,
    /// The node that the Plan tab explains.
    pub node: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InspectAction {
    /// Show this stateful operator in the State tab, from wherever one is.
    OpenOperator(usize),
    PickOperator(usize),
    PickNode(usize),
}

/// Spark's memoryUsedBytes of a stateful operator in a batch: the one figure that only the progress has.
pub fn operator_bytes(batch: &BatchReport, operator: usize) -> Option<i64> {
    let progress: Value = serde_json::from_str(&batch.progress_json).ok()?;
    progress.get("stateOperators")?.get(operator)?.get("memoryUsedBytes")?.as_i64()
}

impl InspectState {
    /// What the worker says.
    pub(super) fn hear(&mut self, event: InspectEvent) {
        match event {
            InspectEvent::State(report) => self.state = Some(Ok(Rc::new(report))),
            InspectEvent::NoState { request, message } => self.state = Some(Err(Rc::new((request, message)))),
            InspectEvent::Plan(plan) => {
                self.plans.insert(plan.query.clone(), Rc::new(plan));
            }
        }
    }

    /// Another query is shown.
    pub(super) fn turn_away(&mut self) {
        self.state = None;
        self.operator = 0;
        self.node = 0;
    }
}

impl App {
    pub(super) fn act_inspect(&mut self, action: InspectAction) -> Vec<Effect> {
        match action {
            InspectAction::OpenOperator(operator) => {
                self.inspect.operator = operator;
                return self.act(Action::SelectTab(Tab::StateStore));
            }
            InspectAction::PickOperator(operator) => self.inspect.operator = operator,
            InspectAction::PickNode(node) => self.inspect.node = node,
        }
        Vec::new()
    }

    /// The plan of the shown query, as it was told last.
    pub fn shown_plan(&self) -> Option<&Rc<PlanReport>> {
        self.inspect.plans.get(&self.shown_query()?.info.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemark_protocol::messages::Event;

    #[test]
    fn a_link_from_the_plan_opens_the_state_of_its_operator() {
        let mut app = App::default();
        app.apply(Action::Inspect(InspectAction::OpenOperator(1)));
        assert_eq!((app.inspect.operator, app.tab), (1, Tab::StateStore));
    }

    #[test]
    fn answers_are_kept_until_another_query_is_shown() {
        let mut app = App::default();
        let plan = PlanReport { query: "q".to_owned(), ..PlanReport::default() };
        app.apply(Action::Heard(Box::new(Event::Inspect(Box::new(InspectEvent::Plan(plan))))));
        let request = StateRequest { query: "q".to_owned(), ..StateRequest::default() };
        let gone = InspectEvent::NoState { request, message: "gone".to_owned() };
        app.apply(Action::Heard(Box::new(Event::Inspect(Box::new(gone)))));
        assert!(app.inspect.plans.contains_key("q") && matches!(app.inspect.state, Some(Err(_))));
        app.apply(Action::SelectQuery(0));
        assert_eq!(app.inspect.state, None);
        assert!(app.inspect.plans.contains_key("q"));
    }
}
