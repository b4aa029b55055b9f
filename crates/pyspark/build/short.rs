//! Takes out of a Python module what its code does not need. Every line stays on its line.

use std::error::Error;

use rustpython_compiler::TokenKind;
use rustpython_compiler::parser::parse_module;

/// `source` without comments, with one blank for each level of indentation and, unless `documented`, without docstrings.
pub(crate) fn shorten(source: &str, documented: bool) -> Result<String, Box<dyn Error>> {
    let parsed = parse_module(source)?;
    let tokens: Vec<_> = parsed.tokens().iter().map(|token| token.as_tuple()).collect();
    let mut short = String::with_capacity(source.len());
    let (mut kept, mut depth, mut formatted, mut starts) = (0, 0_usize, 0_usize, true);
    for (at, (kind, range)) in tokens.iter().enumerate() {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let gap = &source[kept..start];
        match kind {
            TokenKind::Comment => {
                short.push_str(gap.trim_end_matches([' ', '\t']));
                kept = end;
                continue;
            }
            TokenKind::Indent => {
                depth += 1;
                continue;
            }
            TokenKind::Dedent => {
                depth -= 1;
                continue;
            }
            TokenKind::Newline => {
                starts = true;
                continue;
            }
            TokenKind::NonLogicalNewline => continue,
            _ => {}
        }
        // What a formatted string has between its tokens may be text of it (`{x = }`).
        let inside = formatted > 0;
        match kind {
            TokenKind::FStringStart | TokenKind::TStringStart => formatted += 1,
            TokenKind::FStringEnd | TokenKind::TStringEnd => formatted -= 1,
            _ => {}
        }
        match gap.rfind('\n').filter(|_| !inside) {
            Some(line) => {
                let outside = gap[..line].split('\n').map(|line| line.trim_end_matches([' ', '\t']));
                short.push_str(&outside.collect::<Vec<_>>().join("\n"));
                short.push('\n');
                short.extend(std::iter::repeat_n(' ', if starts { depth } else { 0 }));
            }
            None => short.push_str(gap),
        }
        let mut following = tokens[at + 1..].iter().map(|token| token.0).filter(|kind| *kind != TokenKind::Comment);
        let text = &source[start..end];
        if *kind == TokenKind::String && starts && !documented && following.next() == Some(TokenKind::Newline) {
            short.push_str("''");
            short.extend(text.matches('\n'));
        } else {
            short.push_str(text);
        }
        (kept, starts) = (end, false);
    }
    Ok(short)
}
