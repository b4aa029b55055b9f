//! One lesson, read from its Markdown.

use std::sync::OnceLock;

use tidemark_protocol::messages::Layout;

use crate::check::Condition;
use crate::markdown::{self, Block};
use crate::moves::{self, Move};
use crate::sources;

#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// As links name it.
    pub name: String,
    /// From 1.
    pub number: usize,
    pub title: String,
    /// The release of Spark whose behaviour it tells.
    pub spark: String,
    /// What "load" lays.
    pub layout: Layout,
    pub intro: Vec<Block>,
    pub question: Question,
    /// How to see the answer.
    pub run: Vec<Part>,
    pub why: Vec<Block>,
    pub task: Vec<Part>,
    /// The task is done when all hold.
    pub goals: Vec<Goal>,
    pub solution: Vec<Part>,
}

/// What is asked before the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Question {
    pub text: Vec<Block>,
    /// One of them is right; a question for a number has only that one.
    pub answers: Vec<Answer>,
    /// A number is to be typed.
    pub free: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub text: String,
    pub right: bool,
    /// What has happened when this answer is the right one.
    pub condition: Condition,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    pub text: String,
    pub condition: Condition,
}

/// A piece of a section: something to read, or something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(Block),
    Move(Move),
}

/// All lessons in their order.
pub fn lessons() -> &'static [Lesson] {
    static LESSONS: OnceLock<Vec<Lesson>> = OnceLock::new();
    // The test below reads every file: none is left out.
    LESSONS.get_or_init(|| {
        let read =
            (1..).zip(sources::LESSONS).filter_map(|(number, (file, text))| Lesson::parse(file, number, text).ok());
        read.collect()
    })
}

pub fn lesson(name: &str) -> Option<&'static Lesson> {
    lessons().iter().find(|lesson| lesson.name == name)
}

impl Lesson {
    /// The one after it.
    pub fn next(&self) -> Option<&'static Lesson> {
        lessons().get(self.number)
    }

    pub(crate) fn parse(file: &str, number: usize, text: &str) -> Result<Lesson, String> {
        let stem = file.strip_suffix(".md").unwrap_or(file);
        let name = stem.split_once('-').map_or(stem, |(_, name)| name).to_owned();
        let (front, body) = front_matter(text).ok_or("there is no front matter")?;
        let field = |name: &str| {
            let found = front.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            found.map(|value| value.trim().to_owned()).ok_or_else(|| format!("{name} is missing"))
        };
        let mut lesson = Lesson {
            name,
            number,
            title: field("title")?,
            spark: field("spark")?,
            layout: Layout::default(),
            intro: Vec::new(),
            question: Question::default(),
            run: Vec::new(),
            why: Vec::new(),
            task: Vec::new(),
            goals: Vec::new(),
            solution: Vec::new(),
        };
        let mut section = String::new();
        for block in markdown::parse(body) {
            match block {
                Block::Heading(title) => section = title,
                block => lesson.take(&section, block)?,
            }
        }
        lesson.complete()?;
        Ok(lesson)
    }

    fn take(&mut self, section: &str, block: Block) -> Result<(), String> {
        if let Block::Code { info, text } = &block {
            match (section, info.as_str()) {
                ("Predict", "choose") => {
                    self.question.answers = text.lines().map(answer).collect::<Result<_, _>>()?;
                    return Ok(());
                }
                ("Predict", "number") => {
                    let (text, condition) = labelled(text)?;
                    self.question.free = true;
                    self.question.answers = vec![Answer { text, right: true, condition }];
                    return Ok(());
                }
                ("Task", "goals") => {
                    let goal = |line| labelled(line).map(|(text, condition)| Goal { text, condition });
                    self.goals = text.lines().map(goal).collect::<Result<_, _>>()?;
                    return Ok(());
                }
                _ => {}
            }
            if let Some(moves) = moves::of_block(info, text)? {
                return self.take_moves(section, moves);
            }
        }
        match section {
            "" => self.intro.push(block),
            "Predict" => self.question.text.push(block),
            "Run" => self.run.push(Part::Text(block)),
            "Why" => self.why.push(block),
            "Task" => self.task.push(Part::Text(block)),
            "Solution" => self.solution.push(Part::Text(block)),
            _ => return Err(format!("no such section: {section}")),
        }
        Ok(())
    }

    fn take_moves(&mut self, section: &str, moves: Vec<Move>) -> Result<(), String> {
        for one in moves {
            match (section, one) {
                ("", Move::Script(text)) => self.layout.script = text,
                ("", Move::File(file)) => self.layout.files.push(file),
                ("", Move::Message(message)) => self.layout.messages.push(message),
                ("Run", one) => self.run.push(Part::Move(one)),
                ("Task", one) => self.task.push(Part::Move(one)),
                ("Solution", one) => self.solution.push(Part::Move(one)),
                (_, one) => return Err(format!("nothing can be done in section {section}: {one:?}")),
            }
        }
        Ok(())
    }

    fn complete(&self) -> Result<(), String> {
        let right = self.question.answers.iter().filter(|answer| answer.right).count();
        let parts = [
            (!self.layout.script.is_empty(), "a script"),
            (!self.intro.is_empty(), "an introduction"),
            (right == 1, "one right answer"),
            (!self.run.is_empty(), "section Run"),
            (!self.why.is_empty(), "section Why"),
            (!self.goals.is_empty(), "goals of the task"),
            (self.solution.iter().any(|part| matches!(part, Part::Move(_))), "a solution"),
        ];
        match parts.iter().find(|(there, _)| !there) {
            Some((_, what)) => Err(format!("it has not {what}")),
            None => Ok(()),
        }
    }
}

/// What stands between the two lines of dashes, and what follows.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("---\n")?.split_once("\n---\n")
}

/// `text :: condition`.
fn labelled(line: &str) -> Result<(String, Condition), String> {
    let (text, condition) = line.split_once(" :: ").ok_or_else(|| format!("a text, ::, a condition: {line}"))?;
    Ok((text.trim().to_owned(), Condition::parse(condition)?))
}

/// `* text :: condition` is the right one, `- text :: condition` another.
fn answer(line: &str) -> Result<Answer, String> {
    let right = line.starts_with("* ");
    let rest = line.strip_prefix("* ").or_else(|| line.strip_prefix("- "));
    let (text, condition) = labelled(rest.ok_or_else(|| format!("an answer begins with - or *: {line}"))?)?;
    Ok(Answer { text, right, condition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::Inline;

    #[test]
    fn every_lesson_can_be_read_and_links_only_to_lessons() {
        for (number, (file, text)) in (1..).zip(sources::LESSONS) {
            let lesson = Lesson::parse(file, number, text).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(file.starts_with(&format!("{number:02}-")), "{file} is not the lesson number {number}");
            assert_eq!(lesson.spark, tidemark_protocol::SPARK_VERSION, "{file}");
            let texts = lesson.intro.iter().chain(&lesson.why).chain(&lesson.question.text);
            for block in texts {
                let Block::Paragraph(inlines) = block else { continue };
                for inline in inlines {
                    let Inline::Link { to, .. } = inline else { continue };
                    let target = to.strip_prefix("#lesson=").unwrap_or_else(|| panic!("{file}: {to}"));
                    assert!(super::lesson(target).is_some(), "{file} links to {to}");
                }
            }
        }
    }

    #[test]
    fn a_lesson_without_a_part_says_which() {
        let text = "---\ntitle: A\nspark: 4.3.0\n---\nRead.\n\n```python script\nx\n```\n\n## Predict\nWhat?\n\n```number\n3 :: batches = 3\n```\n";
        assert_eq!(Lesson::parse("01-a.md", 1, text).unwrap_err(), "it has not section Run");
        assert!(Lesson::parse("01-a.md", 1, &text.replace("## Predict", "## Guess")).unwrap_err().contains("Guess"));
        assert_eq!(Lesson::parse("01-a.md", 1, "x").unwrap_err(), "there is no front matter");
    }
}
