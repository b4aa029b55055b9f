//! Texts as Python source.

use std::fmt::Write;

fn escaped(letter: char, out: &mut String) {
    match letter {
        '\\' => out.push_str("\\\\"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        letter if letter.is_control() => drop(write!(out, "\\u{:04x}", u32::from(letter))),
        letter => out.push(letter),
    }
}

/// A string literal on one line.
pub fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            letter => escaped(letter, &mut out),
        }
    }
    out.push('"');
    out
}

/// A string literal that keeps its lines.
pub fn block(text: &str) -> String {
    let mut out = String::from("'''\\\n");
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            // Alone it closes nothing.
            '\'' if letters.peek().is_some_and(|next| *next != '\'') => out.push('\''),
            '\'' => out.push_str("\\'"),
            '\n' => out.push('\n'),
            letter => escaped(letter, &mut out),
        }
    }
    out.push_str("'''");
    out
}

/// A literal of text or bytes.
pub fn content(content: &[u8]) -> String {
    match std::str::from_utf8(content) {
        Ok(text) if text.contains('\n') => block(text),
        Ok(text) => literal(text),
        Err(_) => {
            let mut out = String::from("b\"");
            for byte in content {
                let _ = write!(out, "\\x{byte:02x}");
            }
            out.push('"');
            out
        }
    }
}

/// Lines (1-based) of a script that import what only this page has.
pub fn lines_of_ours(script: &str) -> Vec<usize> {
    let ours = |line: &str| {
        let line = line.trim_start();
        let name = line.strip_prefix("import ").or_else(|| line.strip_prefix("from "));
        name.is_some_and(|name| {
            let name = name.trim_start();
            name.strip_prefix("tidemark")
                .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
        })
    };
    script.lines().enumerate().filter(|(_, line)| ours(line)).map(|(at, _)| at + 1).collect()
}

/// A script with the folder of the page's scripts taken off the front of its paths.
pub fn relative_paths(script: &str) -> String {
    let cwd = super::paths::CWD;
    let mut script = script.to_owned();
    for quote in ['"', '\''] {
        for scheme in ["", "file:", "file://"] {
            script = script.replace(&format!("{quote}{scheme}{cwd}/"), &quote.to_string());
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_python() {
        assert_eq!(literal("a\"b\\\n\u{7}ü"), r#""a\"b\\\n\u0007ü""#);
        assert_eq!(block("it's\n"), "'''\\\nit's\n'''");
        assert_eq!(block("'''"), "'''\\\n\\'\\'\\''''");
        assert_eq!(content(&[255, 0]), r#"b"\xff\x00""#);
    }

    #[test]
    fn our_own_modules_are_found_by_line() {
        let script = "import os\nfrom tidemark import kafka\n  import tidemark.socket as s\nimport tidemarks\n# import tidemark\n";
        assert_eq!(lines_of_ours(script), [2, 3]);
    }

    #[test]
    fn paths_below_the_page_s_folder_become_relative() {
        assert_eq!(
            relative_paths("json('/workspace/a') + \"file:///workspace/b\" + '/workspaces'"),
            "json('a') + \"b\" + '/workspaces'"
        );
    }
}
