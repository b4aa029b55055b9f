//! Which buttons can be pressed, and why not.

use super::replay::PAST;
use super::{App, Engine};

/// Open, or closed with the reason that the tooltip gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Open,
    Closed(&'static str),
}

impl Gate {
    pub fn is_open(self) -> bool {
        self == Gate::Open
    }

    pub fn reason(self) -> Option<&'static str> {
        match self {
            Gate::Open => None,
            Gate::Closed(reason) => Some(reason),
        }
    }

    fn when(open: bool, reason: &'static str) -> Gate {
        if open { Gate::Open } else { Gate::Closed(reason) }
    }

    fn and(self, other: Gate) -> Gate {
        if self.is_open() { other } else { self }
    }
}

/// What a press of Step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepPlan {
    Step,
    /// Nothing runs: run the script, then one trigger.
    RunFirst,
    Blocked(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates {
    pub run: Gate,
    pub step: Gate,
    pub step_plan: StepPlan,
    pub continuous: Gate,
    pub stop: Gate,
    pub restart: Gate,
    pub crash: Gate,
    /// Whether the script can be tried on the checkpoints.
    pub may_restart: Gate,
    pub reset: Gate,
    pub interrupt: Gate,
}

impl App {
    pub fn gates(&self) -> Gates {
        let engine = match self.engine {
            Engine::Ready { .. } => Gate::Open,
            Engine::Starting => Gate::Closed("The engine is starting"),
            Engine::Failed(_) => Gate::Closed("The engine could not be loaded"),
            Engine::Panicked(_) => Gate::Closed("The engine has stopped; restart it first"),
        };
        let engine = engine.and(Gate::when(!self.frozen, PAST));
        let free = engine.and(Gate::when(!self.is_busy(), "A script or a trigger is running"));
        let active = Gate::when(self.is_active(), "No query is running");
        let manual = Gate::when(!self.continuous, "Triggers run continuously; pause first");
        let step_plan = match free.and(manual) {
            Gate::Closed(reason) => StepPlan::Blocked(reason),
            Gate::Open if self.is_active() => StepPlan::Step,
            Gate::Open => StepPlan::RunFirst,
        };
        let step = match step_plan {
            StepPlan::Blocked(reason) => Gate::Closed(reason),
            StepPlan::Step | StepPlan::RunFirst => Gate::Open,
        };
        Gates {
            run: free.and(manual),
            step,
            step_plan,
            continuous: if self.continuous { Gate::Open } else { free },
            stop: engine.and(active),
            restart: free.and(Gate::when(!self.queries.is_empty(), "Nothing has run yet; press Run")),
            crash: engine.and(active),
            may_restart: free.and(manual),
            reset: free,
            interrupt: Gate::when(self.is_busy() || !matches!(self.engine, Engine::Ready { .. }), "Nothing is running"),
        }
    }
}
