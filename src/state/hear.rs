//! What the worker says.

use super::{App, Content, Effect, Engine, FatesAction, Life, Piece, QueryView, point_name};
use crate::format;
use std::rc::Rc;
use tidemark_protocol::messages::{
    BatchKind, BatchReport, CrashPoint, Event, QueryInfo, Restored, ScriptState, StorageState, Stream,
};

/// Pieces of console text are joined up to this many bytes.
const PIECE: usize = 16 * 1024;
/// Bytes of console text that stay: the oldest pieces go first.
const CONSOLE_LIMIT: usize = 1 << 20;

/// Rows of a batch's output that are kept beside its report.
const ROWS: usize = 4_000;

impl App {
    pub(super) fn hear(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Ready { engine_version, spark_version, script, restored, files } => {
                let fresh = restored.is_none();
                self.ready(Engine::Ready { engine_version, spark_version }, script, restored);
                self.files = Rc::new(files);
                self.text_is_new();
                let shown = vec![Effect::ShowScript(self.script.clone())];
                // A worker that was started anew follows rows until it is told otherwise.
                let follow = if self.fates.follow { Vec::new() } else { self.act_fates(FatesAction::Follow(false)) };
                return [shown, follow, self.share_ready(fresh)].concat();
            }
            Event::Storage(state) => {
                if let Some(text) = storage_notice(&state).filter(|_| self.storage.as_ref() != Some(&state)) {
                    self.tell(text);
                }
                self.storage = Some(state);
            }
            Event::Console { stream, text } => self.print(stream, &text),
            Event::Script(state) => return self.script_became(state),
            Event::QueryStarted(info) => self.query_started(info),
            Event::Batch(report) => self.batch_done(*report),
            Event::Idle { query, clock_ms, reason } => {
                self.clock_ms = Some(clock_ms);
                self.say(format!("No batch: {reason}"));
                if let Some(view) = self.view(&query) {
                    view.idle = Some(reason);
                }
            }
            Event::QueryTerminated { query, error } => self.query_ended(&query, error),
            Event::Files(files) => self.files = Rc::new(files),
            Event::Topics(topics) => self.topics = Rc::new(topics),
            Event::KafkaRecords { topic, records } => self.records = Rc::new((topic, records)),
            Event::Fates(event) => return self.hear_fates(event),
            Event::Replay(event) => return self.hear_replay(event),
            Event::Ports(ports) => self.ports = Rc::new(ports),
            Event::Assist(event) => return self.hear_assist(event),
            Event::FileContent { path, content, text } => return self.content(path, content, text),
            Event::BatchRows { query, batch, offset, rows } => {
                if self.rows.query != query || self.rows.batch != batch {
                    self.rows = super::Rows { query, batch, by_index: std::collections::BTreeMap::new() };
                }
                for (at, row) in rows.into_iter().enumerate() {
                    self.rows.by_index.insert(offset + at, Rc::new(row));
                }
                // Far from what is looked at they can be asked for again; the state is copied with every change.
                if self.rows.by_index.len() > ROWS {
                    self.rows.by_index.retain(|index, _| index.abs_diff(offset) < ROWS / 4);
                }
            }
            Event::Inspect(event) => self.inspect.hear(*event),
            Event::Crashed { point, batch } => self.crashed(point, batch),
            Event::Refused { message, .. } if self.engine == Engine::Starting => {
                self.lose_session();
                self.engine = Engine::Failed(message);
            }
            // A view asked for what a crash or a stop has just taken away: nothing that a person did.
            Event::Refused { command, message } if command.starts_with("read ") => {
                self.say(format!("{command}: {message}"));
            }
            Event::Refused { command, message } => {
                self.continuous = false;
                self.tell(format!("{command}: {message}"));
            }
            Event::Share(event) => self.share_event(event),
            Event::Scripts(event) => return self.scripts_event(event),
            Event::Panicked { report } => {
                self.lose_session();
                self.say("The engine has stopped with an internal error.".to_owned());
                self.engine = Engine::Panicked(report);
            }
            Event::Settled { command, clock_ms, next_due_ms } => {
                let mut effects = self.settle(command, clock_ms, next_due_ms);
                effects.extend(self.lessons_settle());
                return effects;
            }
        }
        Vec::new()
    }

    /// A workspace is open: the first one, or the same one again after the worker was restarted.
    fn ready(&mut self, engine: Engine, script: String, restored: Option<Restored>) {
        let again = !self.script.is_empty();
        self.engine = engine;
        if !again {
            self.script = Rc::from(script);
        }
        if again {
            return;
        }
        let Some(restored) = restored else {
            if self.settled == 0 {
                self.lessons.laid_anew(true);
            }
            return self.say("Ready. Step runs the example, trigger by trigger.".to_owned());
        };
        self.print(Stream::Stdout, &restored.console);
        for info in restored.queries {
            let info = Rc::new(info);
            let batches = restored.batches.iter().filter(|batch| batch.query == info.id).cloned().map(Rc::new);
            self.queries.push(QueryView {
                batches: batches.collect(),
                life: Life::Gone,
                replayed: Vec::new(),
                torn: None,
                idle: None,
                started_in: 0,
                info,
            });
        }
        self.query = self.queries.len().saturating_sub(1);
        self.clock_ms = restored.batches.last().map(|batch| batch.clock_ms);
        let count = restored.batches.len();
        if count > 0 {
            self.say(format!("Workspace restored with {count} batches. Restart continues from the checkpoint."));
        }
    }

    fn print(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        // One piece may be too long by itself.
        let from = text.ceil_char_boundary(text.len().saturating_sub(CONSOLE_LIMIT));
        self.console_cut |= from > 0;
        let text = text.get(from..).unwrap_or_default();
        let pieces = Rc::make_mut(&mut self.console);
        match pieces.last_mut() {
            Some(last) if last.stream == stream && last.text.len() + text.len() <= PIECE => {
                last.text = Rc::from(format!("{}{text}", last.text));
            }
            _ => pieces.push(Piece { stream, text: Rc::from(text) }),
        }
        let mut length: usize = pieces.iter().map(|piece| piece.text.len()).sum();
        let old = pieces.iter().take_while(|piece| {
            let too_long = length > CONSOLE_LIMIT;
            length -= if too_long { piece.text.len() } else { 0 };
            too_long
        });
        let old = old.count();
        pieces.drain(..old);
        self.console_cut |= old > 0;
    }

    fn script_became(&mut self, state: ScriptState) -> Vec<Effect> {
        let mut effects = Vec::new();
        match &state {
            ScriptState::Failed { traceback, line } => {
                self.continuous = false;
                self.step_after_run = false;
                let last = traceback.lines().last().unwrap_or_default();
                self.say(format!("The script failed: {last}"));
                effects.extend(line.map(Effect::RevealLine));
            }
            ScriptState::Finished => self.say("The script has finished.".to_owned()),
            ScriptState::Parked { line, call } => self.say(format!("The script waits at line {line} in {call}.")),
            ScriptState::Running => {}
        }
        if matches!(state, ScriptState::Parked { .. } | ScriptState::Finished) {
            self.forget_old_queries();
        }
        self.script_state = Some(state);
        effects
    }

    /// Queries of earlier runs go once a run has started its own; those that it started again keep their batches.
    fn forget_old_queries(&mut self) {
        let run = self.runs;
        if !self.queries.iter().any(|view| view.started_in == run) {
            return;
        }
        let shown = self.shown_query().map(|view| view.info.id.clone());
        self.queries.retain(|view| view.started_in == run);
        self.query = self.queries.iter().position(|view| Some(&view.info.id) == shown.as_ref()).unwrap_or(0);
    }

    fn view(&mut self, query: &str) -> Option<&mut QueryView> {
        self.queries.iter_mut().find(|view| view.info.id == query)
    }

    /// A query with a checkpoint keeps its id over restarts: its batches stay on show.
    fn query_started(&mut self, info: QueryInfo) {
        let run = self.runs;
        let (id, info) = (info.id.clone(), Rc::new(info));
        if let Some(view) = self.view(&id) {
            view.info = info;
            view.life = Life::Active;
            view.idle = None;
            view.started_in = run;
        } else {
            self.fates.turn_away();
            self.queries.push(QueryView {
                info,
                life: Life::Active,
                batches: Vec::new(),
                replayed: Vec::new(),
                torn: None,
                idle: None,
                started_in: run,
            });
        }
        self.query = self.queries.iter().position(|view| view.info.id == id).unwrap_or(0);
        self.batch = None;
    }

    fn batch_done(&mut self, report: BatchReport) {
        self.clock_ms = Some(report.clock_ms);
        self.say(spoken(&report));
        let report = Rc::new(report);
        let Some(view) = self.view(&report.query) else { return };
        view.idle = None;
        if let Some((torn, _)) = view.torn.take() {
            // A later batch: the torn one had been committed, and is not run again.
            if torn == report.batch {
                view.replayed.push(torn);
            }
        }
        match view.batches.binary_search_by_key(&report.batch, |batch| batch.batch) {
            Ok(at) => {
                if !view.replayed.contains(&report.batch) {
                    view.replayed.push(report.batch);
                }
                if let Some(slot) = view.batches.get_mut(at) {
                    *slot = report;
                }
            }
            Err(at) => view.batches.insert(at, report),
        }
    }

    fn query_ended(&mut self, query: &str, error: Option<String>) {
        let Some(view) = self.view(query) else { return };
        view.life = match error {
            Some(error) => Life::Failed(error),
            None => Life::Stopped,
        };
        let text = match &view.life {
            Life::Failed(error) => {
                format!("Query {} failed: {}", view.label(), error.lines().next().unwrap_or_default())
            }
            _ => format!("Query {} has stopped.", view.label()),
        };
        self.say(text);
    }

    fn content(&mut self, path: String, content: Vec<u8>, text: Option<String>) -> Vec<Effect> {
        if let Some(at) = self.downloads.iter().position(|wanted| *wanted == path) {
            self.downloads.remove(at);
            return vec![Effect::Download { path, content }];
        }
        let content = Content { path, bytes: Rc::from(content), text: text.map(Rc::from) };
        if self.explain_path.as_deref() == Some(content.path.as_str()) {
            self.explained = Some(content.clone());
        }
        if self.open_path.as_deref() == Some(content.path.as_str()) {
            self.open = Some(content);
        }
        Vec::new()
    }

    fn crashed(&mut self, point: Option<CrashPoint>, batch: Option<i64>) {
        self.continuous = false;
        self.step_after_run = false;
        self.armed = None;
        self.next_due_ms = None;
        self.script_state = None;
        let shown = self.query;
        for (at, view) in self.queries.iter_mut().enumerate() {
            if view.life == Life::Active && (at == shown || batch.is_none()) {
                view.torn = batch.map(|batch| (batch, point));
            }
        }
        self.drop_queries();
        self.say(match batch {
            Some(batch) => {
                format!("Crashed in batch {batch} {}. Restart continues from the checkpoint.", point_name(point))
            }
            None => "Crashed. Restart continues from the checkpoint.".to_owned(),
        });
    }

    fn settle(&mut self, command: u64, clock_ms: i64, next_due_ms: Option<i64>) -> Vec<Effect> {
        self.settled += 1;
        if self.share.leaving && self.settled == self.sent {
            return self.leave();
        }
        self.clock_ms = Some(clock_ms);
        self.next_due_ms = next_due_ms;
        self.working.retain(|number| *number > command);
        if self.is_busy() {
            return Vec::new();
        }
        self.slow = false;
        if self.step_after_run {
            self.step_after_run = false;
            if self.is_active() {
                return self.ask(tidemark_protocol::Command::Step { query: None });
            }
            self.continuous = false;
        } else if self.continuous {
            if self.is_active() {
                return vec![Effect::StepAfter { ms: self.speed.pause_ms() }];
            }
            self.continuous = false;
        }
        self.check_if_wanted()
    }
}

/// What the person has to know about storage; None when all is well.
fn storage_notice(state: &StorageState) -> Option<String> {
    match state {
        StorageState::Persistent | StorageState::Memory => None,
        StorageState::OpenElsewhere => Some(
            "This workspace is open in another tab. This tab has a copy of the example of its own; nothing in it is saved."
                .to_owned(),
        ),
        StorageState::Unavailable { message } => {
            Some(format!("This browser keeps nothing for the page ({message}). Everything works, nothing is saved."))
        }
        StorageState::Full { message } => Some(format!(
            "The browser's storage is full ({message}). What is saved stays as it was; changes from now on are not saved. Delete files, or download what you need."
        )),
    }
}

/// A batch as one sentence.
fn spoken(report: &BatchReport) -> String {
    let kind = match &report.kind {
        BatchKind::Data => String::new(),
        BatchKind::NoData { reason } => format!(" without data ({reason})"),
    };
    let output = report
        .output_rows
        .map_or_else(|| "output unknown".to_owned(), |rows| format!("{} out", format::plural(rows, "row", "rows")));
    let dropped = if report.dropped_rows > 0 { format!(", {} dropped", report.dropped_rows) } else { String::new() };
    let input = format::plural(report.input_rows, "row", "rows");
    format!("Batch {}{kind}: {input} in, {output}{dropped}.", report.batch)
}
