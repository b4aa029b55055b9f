//! LIKE, ILIKE and their forms over several patterns.

use std::borrow::Cow;
use std::rc::Rc;

use arrow::array::ArrayRef;

use super::patterns::bool_call;
use crate::error::{Result, SparkError};
use crate::expr::Expr;
use crate::functions::coercion::In;
use crate::functions::registry::{Build, FunctionEntry, MANY};
use crate::functions::typed::{Bool, ColumnEval, Columns, Maybe, Memo, Text, all, column_call, three, two};
use crate::types::DataType;
use crate::value::Value;

const STR: &[In] = &[In::Str];

pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    FunctionEntry::custom("like", 2, 3, |b, a| like(b, a, |c| liked(c, false))),
    FunctionEntry::custom("ilike", 2, 3, |b, a| like(b, a, |c| liked(c, true))),
    FunctionEntry::custom("likeall", 2, MANY, |b, a| like_many(b, a, |c| liked_many(c, true, false))),
    FunctionEntry::custom("likeany", 2, MANY, |b, a| like_many(b, a, |c| liked_many(c, false, false))),
    FunctionEntry::custom("notlikeall", 2, MANY, |b, a| like_many(b, a, |c| liked_many(c, true, true))),
    FunctionEntry::custom("notlikeany", 2, MANY, |b, a| like_many(b, a, |c| liked_many(c, false, true))),
];

/// One step of a LIKE pattern.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    One,
    Any,
    Is(char),
}

/// StringUtils.escapeLikeRegex, read as steps.
fn like_steps(pattern: &str, escape: char) -> Result<Vec<Step>> {
    let shown = format!("'{}'", pattern.replace('\\', "\\\\").replace('\'', "\\'"));
    let mut steps = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == escape {
            match chars.next() {
                Some(n) if n == '_' || n == '%' || n == escape => steps.push(Step::Is(n)),
                Some(n) => {
                    return Err(SparkError::analysis(
                        "INVALID_FORMAT.ESC_IN_THE_MIDDLE",
                        &[("format", &shown), ("char", &format!("'{n}'"))],
                    ));
                }
                None => return Err(SparkError::analysis("INVALID_FORMAT.ESC_AT_THE_END", &[("format", &shown)])),
            }
        } else {
            steps.push(match c {
                '_' => Step::One,
                '%' => Step::Any,
                c => Step::Is(c),
            });
        }
    }
    Ok(steps)
}

/// A LIKE pattern; the usual ones need no search step by step.
enum Like {
    Equals(String),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
    Steps(Vec<Step>),
}

impl Like {
    /// Err: Spark's refusal of the pattern.
    fn new(pattern: &str, escape: char) -> Result<Like> {
        let steps = like_steps(pattern, escape)?;
        let inner = steps.strip_prefix(&[Step::Any]).unwrap_or(&steps);
        let inner = inner.strip_suffix(&[Step::Any]).unwrap_or(inner);
        let plain: Option<String> = inner
            .iter()
            .map(|step| match step {
                Step::Is(c) => Some(*c),
                _ => None,
            })
            .collect();
        let (open, closed) = (steps.first() == Some(&Step::Any), steps.last() == Some(&Step::Any));
        Ok(match plain {
            None => Like::Steps(steps),
            Some(text) => match (open, closed) {
                (false, false) => Like::Equals(text),
                (false, true) => Like::StartsWith(text),
                (true, false) => Like::EndsWith(text),
                (true, true) => Like::Contains(text),
            },
        })
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Like::Equals(whole) => text == whole,
            Like::StartsWith(part) => text.starts_with(part.as_str()),
            Like::EndsWith(part) => text.ends_with(part.as_str()),
            Like::Contains(part) => text.contains(part.as_str()),
            Like::Steps(steps) => like_matches(text, steps),
        }
    }
}

fn like_matches(text: &str, steps: &[Step]) -> bool {
    // Greedy with one place to come back to.
    let (mut t, mut p) = (text.chars(), 0);
    let mut back = None;
    loop {
        let before = t.clone();
        let Some(c) = t.next() else { break };
        match steps.get(p) {
            Some(Step::Any) => {
                p += 1;
                back = Some((p, before.clone()));
                t = before;
            }
            Some(Step::One) => p += 1,
            Some(Step::Is(wanted)) if *wanted == c => p += 1,
            _ => match &mut back {
                Some((after, from)) => {
                    p = *after;
                    from.next();
                    t = from.clone();
                }
                None => return false,
            },
        }
    }
    steps[p..].iter().all(|s| *s == Step::Any)
}

/// LIKE patterns of a batch.
struct Likes {
    known: Memo<Like>,
    /// In lower case.
    fold: bool,
}

impl Likes {
    fn get(&self, pattern: &str, escape: char) -> Result<Rc<Like>> {
        // The escape is the same for nearly all rows; another one has its own key.
        let key = if escape == '\\' { Cow::Borrowed(pattern) } else { Cow::Owned(format!("{escape}\0{pattern}")) };
        self.known.get(&key, |_| {
            if self.fold { Like::new(&pattern.to_lowercase(), escape) } else { Like::new(pattern, escape) }
        })
    }
}

fn liked(c: &Columns<'_>, fold: bool) -> Result<ArrayRef> {
    let likes = Likes { known: Memo::default(), fold };
    let matches = |text: &str, pattern: &str, escape: char| {
        let like = likes.get(pattern, escape)?;
        Ok(Some(if fold { like.matches(&text.to_lowercase()) } else { like.matches(text) }))
    };
    if c.args.len() == 2 {
        return two::<Text, Text, Bool>(c, &|text, pattern| matches(text, pattern, '\\'));
    }
    three::<Text, Text, Text, Bool>(c, &|text, pattern, escape| {
        matches(text, pattern, escape.chars().next().unwrap_or('\\'))
    })
}

fn like(b: &mut Build<'_>, args: Vec<Expr>, eval: ColumnEval) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    if let Some(Expr::Literal { value: Value::String(escape), .. }) = args.get(2)
        && escape.chars().count() != 1
    {
        return Err(SparkError::analysis(
            "INVALID_ESCAPE_CHAR",
            &[("sqlExpr", &format!("\"{}\"", crate::functions::describe::call_text(b.name, &args)))],
        ));
    }
    Ok(bool_call(b, args, eval))
}

/// likeall(text, patterns...) and its kin: shown with the text alone.
fn like_many(b: &mut Build<'_>, args: Vec<Expr>, eval: ColumnEval) -> Result<Expr> {
    let args = b.inputs(args, STR)?;
    Ok(column_call(b.name, args, DataType::Boolean, true, false, b.ansi(), eval))
}

/// Whether all of the patterns, or any, are like the text (not like it).
fn liked_many(c: &Columns<'_>, every: bool, negated: bool) -> Result<ArrayRef> {
    let likes = Likes { known: Memo::default(), fold: false };
    all::<Maybe<Text>, Bool>(c, &|v| {
        let Some((Some(text), patterns)) = v.split_first() else { return Ok(None) };
        let mut unknown = false;
        for pattern in patterns {
            match pattern {
                None => unknown = true,
                Some(pattern) => {
                    let hit = likes.get(pattern, '\\')?.matches(text) != negated;
                    if hit != every {
                        return Ok(Some(hit));
                    }
                }
            }
        }
        Ok(if unknown { None } else { Some(every) })
    })
}
