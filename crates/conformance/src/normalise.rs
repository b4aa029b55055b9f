//! What differs from run to run is replaced, exactly as the recorder (tests/conformance/record.py) does.

use std::sync::OnceLock;

use regex::Regex;

/// In the recorder's order: a later rule sees the text that the earlier ones left.
const RULES: [(&str, &str); 4] = [
    ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>"),
    (r"@[0-9a-f]{5,16}\b", "@<id>"),
    (r"#\d+L?\b", "#n"),
    (r"\b0x[0-9a-f]{6,}\b", "<addr>"),
];

fn rules() -> &'static [(Regex, &'static str)] {
    static COMPILED: OnceLock<Vec<(Regex, &'static str)>> = OnceLock::new();
    COMPILED.get_or_init(|| {
        RULES.iter().filter_map(|(pattern, to)| Regex::new(pattern).ok().map(|regex| (regex, *to))).collect()
    })
}

/// Replaces the working directory, UUIDs, object and expression ids; strips line ends and blank lines around the text.
pub fn normalise(text: &str, cwd: &str) -> String {
    let mut text = text.to_owned();
    for form in [format!("file://{cwd}"), format!("file:{cwd}"), cwd.to_owned()] {
        text = text.replace(&form, "<cwd>");
    }
    for (pattern, replacement) in rules() {
        text = pattern.replace_all(&text, *replacement).into_owned();
    }
    let text = text.replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    format!("{}\n", lines.join("\n").trim_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_paths_and_line_ends_go() {
        assert_eq!(rules().len(), RULES.len());
        let text = "\n\nat file:/home/x/data  \nid 1b4e28ba-2fa1-11d2-883f-0016d3cca427, user#12L, Foo@1a2b3c4d 0xdeadbeef\r\nend \n\n";
        assert_eq!(normalise(text, "/home/x"), "at <cwd>/data\nid <uuid>, user#n, Foo@<id> <addr>\n\nend\n");
    }
}
