//! Java's patterns for other crates.

use fancy_regex::Regex;

use super::patterns::translated;

/// A compiled java.util.regex.Pattern.
#[derive(Debug)]
pub struct JavaPattern(Regex);

impl JavaPattern {
    /// Err: what is wrong with it.
    pub fn compile(pattern: &str) -> Result<Self, String> {
        Regex::new(&translated(pattern)).map(Self).map_err(|error| error.to_string())
    }

    /// Matcher.find
    pub fn is_found_in(&self, text: &str) -> bool {
        self.0.is_match(text).unwrap_or(false)
    }
}
