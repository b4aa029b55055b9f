//! The names of Unicode's characters, for Python's `\N{...}` and `unicodedata`, in a form that is small once it is compressed:
//! a quarter of the tables of `unicode_names2`, in whose place this stands (see `patches/`). Names are read from the start of
//! the text, so that a look-up takes longer.

/// What `build.rs` wrote. For each name: 1 and a number where characters without names come before it; 0x80 plus the number
/// of bytes that it shares with the name before; its other bytes; 2 and a number where that many characters in a row have
/// this name with their code, in hexadecimal, at its end.
const TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/names.bin"));

/// An entry of the table.
struct Entry<'a> {
    first: u32,
    /// Characters that it stands for.
    count: u32,
    name: &'a str,
    /// The name ends in the character's code.
    coded: bool,
}

struct Reader {
    at: usize,
    next: u32,
    name: String,
}

impl Reader {
    fn new() -> Self {
        Self { at: 0, next: 0, name: String::new() }
    }

    fn number(&mut self) -> u32 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = TABLE.get(self.at).copied().unwrap_or(0);
            self.at += 1;
            number |= u32::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }

    fn entry(&mut self) -> Option<Entry<'_>> {
        let mut lead = *TABLE.get(self.at)?;
        self.at += 1;
        if lead == 1 {
            self.next += self.number();
            lead = *TABLE.get(self.at)?;
            self.at += 1;
        }
        self.name.truncate(usize::from(lead & 0x7F));
        while let Some(byte) = TABLE.get(self.at).filter(|byte| (0x20..0x80).contains(*byte)) {
            self.name.push(char::from(*byte));
            self.at += 1;
        }
        let coded = TABLE.get(self.at) == Some(&2);
        let count = if coded {
            self.at += 1;
            self.number()
        } else {
            1
        };
        let first = self.next;
        self.next += count;
        Some(Entry { first, count, name: &self.name, coded })
    }
}

/// The name of a character, as `unicodedata.name` gives it; None where it has none.
#[must_use]
pub fn name(character: char) -> Option<String> {
    let code = u32::from(character);
    let mut reader = Reader::new();
    while let Some(entry) = reader.entry() {
        if code < entry.first {
            return None;
        }
        if code - entry.first < entry.count {
            return Some(if entry.coded { format!("{}{code:X}", entry.name) } else { entry.name.to_owned() });
        }
    }
    None
}

/// The character of this name, in any case; None where there is none.
#[must_use]
pub fn character(name: &str) -> Option<char> {
    let wanted = name.to_ascii_uppercase();
    let mut reader = Reader::new();
    while let Some(entry) = reader.entry() {
        let code = if entry.coded {
            let digits = wanted.strip_prefix(entry.name).filter(|digits| !digits.starts_with(['0', '+']));
            digits.and_then(|digits| u32::from_str_radix(digits, 16).ok())
        } else {
            (entry.name == wanted).then_some(entry.first)
        };
        if let Some(code) = code.filter(|code| (entry.first..entry.first + entry.count).contains(code)) {
            return char::from_u32(code);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Reader, character, name};

    #[test]
    fn every_character_has_its_name() {
        let mut reader = Reader::new();
        let mut known: Vec<(u32, String)> = Vec::new();
        while let Some(entry) = reader.entry() {
            for code in entry.first..entry.first + entry.count {
                known.push((code, if entry.coded { format!("{}{code:X}", entry.name) } else { entry.name.to_owned() }));
            }
        }
        let all = ('\0'..=char::MAX).filter_map(|c| Some((u32::from(c), unicode_names2::name(c)?.to_string())));
        assert!(all.eq(known));
    }

    #[test]
    fn look_ups_go_both_ways() {
        for (text, found) in [
            ("EM DASH", '\u{2014}'),
            ("HANGUL SYLLABLE GAG", '\u{AC01}'),
            ("CJK UNIFIED IDEOGRAPH-4E2D", '\u{4E2D}'),
            ("WATER WAVE", '\u{1F30A}'),
        ] {
            assert_eq!(character(text), Some(found));
            assert_eq!(character(&text.to_lowercase()), Some(found));
            assert_eq!(name(found).as_deref(), Some(text));
        }
        assert_eq!(character("EM  DASH"), None);
        assert_eq!(character("CJK UNIFIED IDEOGRAPH-04E2D"), None);
        assert_eq!(name('\u{E000}'), None);
        assert_eq!(name('\n'), None);
    }
}
