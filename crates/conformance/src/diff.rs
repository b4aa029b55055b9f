//! How two texts differ, for a person to read.

/// The first line that differs: its number (from 1), the expected and the actual line (None: the text ended before).
pub fn first_difference(expected: &str, actual: &str) -> Option<(usize, Option<String>, Option<String>)> {
    let (mut left, mut right) = (expected.lines(), actual.lines());
    for number in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => return Some((number, a.map(str::to_owned), b.map(str::to_owned))),
        }
    }
    None
}

/// Lines of both texts with the common start and end cut off: `-` expected, `+` actual, up to `limit` lines of each.
pub fn unified(expected: &str, actual: &str, limit: usize) -> String {
    let left: Vec<&str> = expected.lines().collect();
    let right: Vec<&str> = actual.lines().collect();
    let start = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let tail = left[start..].iter().rev().zip(right[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    let mut text = format!("@@ line {} @@\n", start + 1);
    for line in left[start.saturating_sub(3)..start].iter() {
        text.push_str(&format!("  {line}\n"));
    }
    for (sign, lines) in [('-', &left[start..left.len() - tail]), ('+', &right[start..right.len() - tail])] {
        for line in lines.iter().take(limit) {
            text.push_str(&format!("{sign} {line}\n"));
        }
        if lines.len() > limit {
            text.push_str(&format!("{sign} ... {} more\n", lines.len() - limit));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\n"), Some((2, Some("b".into()), None)));
        assert_eq!(unified("a\nb\nc\n", "a\nx\nc\n", 9), "@@ line 2 @@\n  a\n- b\n+ x\n");
    }
}
