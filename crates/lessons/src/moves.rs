//! What a lesson has a person do: files dropped, messages sent, lines changed, buttons pressed.

use tidemark_protocol::messages::{CrashPoint, KafkaMessage, LaidFile, LaidMessage};

#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// Replaces the whole script.
    Script(String),
    Edit(Edit),
    File(LaidFile),
    Message(LaidMessage),
    Press(Press),
}

/// Lines of the script that others take the place of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub from: String,
    pub to: String,
}

/// A button, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    Run,
    Step(usize),
    Stop,
    Restart,
    /// The lesson's own "load": everything anew.
    Load,
    Crash(Option<CrashPoint>),
}

impl Edit {
    /// The script after the change; None: the lines are not (or no longer) in it.
    pub fn apply(&self, script: &str) -> Option<String> {
        script.contains(&self.from).then(|| script.replacen(&self.from, &self.to, 1))
    }

    /// Lines that begin with `-` go, lines that begin with `+` come.
    fn parse(text: &str) -> Result<Edit, String> {
        let side = |sign: char| -> String {
            let lines = text.lines().filter_map(|line| line.strip_prefix(sign));
            lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
        };
        let (from, to) = (side('-'), side('+'));
        if from.is_empty() || text.lines().any(|line| !line.starts_with(['-', '+'])) {
            return Err(format!("an edit has lines with - and +: {text}"));
        }
        Ok(Edit { from, to })
    }
}

impl Press {
    fn parse(line: &str) -> Result<Press, String> {
        let mut words = line.split_whitespace();
        let (verb, object) = (words.next().unwrap_or_default(), words.next());
        Ok(match (verb, object) {
            ("run", None) => Press::Run,
            ("step", None) => Press::Step(1),
            ("step", Some(times)) => Press::Step(times.parse().map_err(|_| format!("step how often: {line}"))?),
            ("stop", None) => Press::Stop,
            ("restart", None) => Press::Restart,
            ("load", None) => Press::Load,
            ("crash", Some("now")) => Press::Crash(None),
            ("crash", Some("offsets")) => Press::Crash(Some(CrashPoint::OffsetsWritten)),
            ("crash", Some("sink")) => Press::Crash(Some(CrashPoint::SinkDone)),
            ("crash", Some("commit")) => Press::Crash(Some(CrashPoint::CommitWritten)),
            _ => return Err(format!("no such step: {line}")),
        })
    }
}

/// The moves of a fenced block; None: it is a piece of code to read.
pub(crate) fn of_block(info: &str, text: &str) -> Result<Option<Vec<Move>>, String> {
    let mut words = info.split_whitespace();
    let (kind, object) = (words.next().unwrap_or_default(), words.next());
    Ok(match (kind, object) {
        ("steps", None) => {
            Some(text.lines().map(|line| Press::parse(line).map(Move::Press)).collect::<Result<_, _>>()?)
        }
        ("edit", None) => Some(vec![Move::Edit(Edit::parse(text)?)]),
        ("python", Some("script")) => Some(vec![Move::Script(format!("{text}\n"))]),
        ("kafka", Some(topic)) => {
            let key = words.next().and_then(|word| word.strip_prefix("key=")).map(str::to_owned);
            let message =
                |line: &str| KafkaMessage { key: key.clone(), value: Some(line.to_owned()), ..Default::default() };
            let laid = |line: &str| Move::Message(LaidMessage { topic: topic.to_owned(), message: message(line) });
            Some(text.lines().map(laid).collect())
        }
        (_, Some(path)) if path.contains('.') => {
            let content = format!("{text}\n").into_bytes();
            Some(vec![Move::File(LaidFile { path: path.to_owned(), content })])
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_changes_lines_that_are_there() {
        let edit = Edit::parse("- b(1)\n- c\n+ b(2)").unwrap();
        assert_eq!(edit.apply("a\nb(1)\nc\nd").as_deref(), Some("a\nb(2)\nd"));
        assert_eq!(edit.apply("a\nb(3)"), None);
        assert!(Edit::parse("b").is_err() && Edit::parse("+ b").is_err());
    }

    #[test]
    fn a_block_says_what_it_is_by_its_fence() {
        let steps = of_block("steps", "run\nstep 3\ncrash sink").unwrap().unwrap();
        let crash = Press::Crash(Some(CrashPoint::SinkDone));
        assert_eq!(steps, [Move::Press(Press::Run), Move::Press(Press::Step(3)), Move::Press(crash)]);
        assert!(of_block("steps", "jump").is_err());
        assert_eq!(of_block("python", "x").unwrap(), None);
        let file = of_block("json data/in/1.json", "{}").unwrap().unwrap();
        assert!(matches!(&file[..], [Move::File(file)] if file.path == "data/in/1.json" && file.content == b"{}\n"));
        let sent = of_block("kafka events key=ana", "{}\n{}").unwrap().unwrap();
        assert!(matches!(&sent[..], [Move::Message(a), Move::Message(_)] if a.message.key.as_deref() == Some("ana")));
    }
}
