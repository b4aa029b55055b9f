//! Lessons and the gallery of example queries.
//!
//! A lesson is a Markdown file of `www/lessons`, an example a script of `www/gallery`; both are built in, so that they are
//! there offline and as old as the engine that they speak of. [`Lesson`] and [`Example`] are what the page shows; a
//! [`Condition`] is judged on a [`Run`], so that tasks and answers come from what the engine did, never from the text.
//!
//! `www/lessons/README.md` says how a lesson is written.

mod check;
mod gallery;
mod lesson;
mod markdown;
mod moves;
mod run;
mod sources;

pub use check::Condition;
pub use gallery::{Example, example, gallery};
pub use lesson::{Answer, Goal, Lesson, Part, Question, lesson, lessons};
pub use markdown::{Block, Inline};
pub use moves::{Edit, Move, Press};
pub use run::{QueryRun, QueryState, Run};
