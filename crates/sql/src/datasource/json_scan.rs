//! Tokens of JSON text as Spark's Jackson settings accept them: finds and checks values without building anything.

/// What the reader lets pass beyond the standard.
#[derive(Clone, Copy, Debug)]
pub struct Lenience {
    /// allowSingleQuotes (on by default).
    pub single_quotes: bool,
    /// allowNonNumericNumbers: NaN, Infinity, -INF ... (on by default).
    pub non_numeric: bool,
    pub unquoted_names: bool,
    pub control_chars: bool,
    pub leading_zeros: bool,
    pub backslash_any: bool,
    /// allowComments: `// to the end of the line` and `/* between these */`.
    pub comments: bool,
}

/// Not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// A value's place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Object,
    Array,
    /// With its quotes; `escaped` when a backslash is in it.
    Text {
        escaped: bool,
    },
    Integer,
    Float,
    /// NaN and the infinities.
    NonNumeric,
    True,
    False,
    Null,
}

/// Walks over JSON text.
pub struct Scanner<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub lenience: Lenience,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8], lenience: Lenience) -> Self {
        Self { bytes, at: 0, lenience }
    }

    #[inline]
    pub fn space(&mut self) {
        loop {
            while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
                self.at += 1;
            }
            if !self.lenience.comments || !self.comment() {
                return;
            }
        }
    }

    /// Takes the comment that begins here.
    fn comment(&mut self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = match rest {
            [b'/', b'/', body @ ..] => body.iter().position(|b| *b == b'\n').map_or(rest.len(), |at| at + 2),
            [b'/', b'*', body @ ..] => body.windows(2).position(|w| w == b"*/").map_or(rest.len(), |at| at + 4),
            _ => return false,
        };
        self.at += end;
        true
    }

    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Takes `byte` if it is next.
    #[inline]
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The value that begins here, checked to its end.
    pub fn value(&mut self) -> Result<Span, Malformed> {
        self.space();
        let start = self.at;
        let kind = match self.peek().ok_or(Malformed)? {
            b'{' => {
                self.members(&mut |_, _| Ok(()))?;
                Kind::Object
            }
            b'[' => {
                self.items(&mut |_| Ok(()))?;
                Kind::Array
            }
            b'"' => Kind::Text { escaped: self.text(b'"')? },
            b'\'' if self.lenience.single_quotes => Kind::Text { escaped: self.text(b'\'')? },
            b't' => self.word(b"true", Kind::True)?,
            b'f' => self.word(b"false", Kind::False)?,
            b'n' => self.word(b"null", Kind::Null)?,
            _ => self.number()?,
        };
        Ok(Span { start, end: self.at, kind })
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<Kind, Malformed> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(Malformed);
        }
        self.at += word.len();
        match self.peek() {
            Some(b) if b.is_ascii_alphanumeric() || b == b'_' => Err(Malformed),
            _ => Ok(kind),
        }
    }

    fn number(&mut self) -> Result<Kind, Malformed> {
        if self.lenience.non_numeric && matches!(self.peek(), Some(b'N' | b'I' | b'+' | b'-')) {
            for word in [&b"NaN"[..], b"Infinity", b"+Infinity", b"-Infinity", b"+INF", b"-INF", b"INF"] {
                if self.bytes[self.at..].starts_with(word) {
                    return self.word(word, Kind::NonNumeric);
                }
            }
        }
        self.eat(b'-');
        let digits = self.digits();
        if digits == 0 || (digits > 1 && self.bytes[self.at - digits] == b'0' && !self.lenience.leading_zeros) {
            return Err(Malformed);
        }
        let mut kind = Kind::Integer;
        if self.eat(b'.') {
            kind = Kind::Float;
            if self.digits() == 0 {
                return Err(Malformed);
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            kind = Kind::Float;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(Malformed);
            }
        }
        match self.peek() {
            None | Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') => Ok(kind),
            Some(b'/') if self.lenience.comments => Ok(kind),
            Some(_) => Err(Malformed),
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// A quoted text; whether it holds escapes.
    fn text(&mut self, quote: u8) -> Result<bool, Malformed> {
        self.at += 1;
        let mut escaped = false;
        loop {
            // Most texts are plain: a run without quotes, escapes and controls is passed at once.
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            self.at += plain_run(rest, quote);
            let byte = self.peek().ok_or(Malformed)?;
            self.at += 1;
            if byte == quote {
                return Ok(escaped);
            }
            if byte == b'\\' {
                escaped = true;
                let next = self.peek().ok_or(Malformed)?;
                self.at += 1;
                match next {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'\'' if self.lenience.single_quotes => {}
                    b'u' => {
                        let hex = self.bytes.get(self.at..self.at + 4).ok_or(Malformed)?;
                        if !hex.iter().all(u8::is_ascii_hexdigit) {
                            return Err(Malformed);
                        }
                        self.at += 4;
                    }
                    _ if self.lenience.backslash_any => {}
                    _ => return Err(Malformed),
                }
            } else if byte < 0x20 && !self.lenience.control_chars {
                return Err(Malformed);
            }
        }
    }

    /// Walks over the members of the object that begins here; `member` gets the name's and the value's place.
    pub fn members(&mut self, member: &mut dyn FnMut(Span, Span) -> Result<(), Malformed>) -> Result<(), Malformed> {
        self.at += 1;
        self.space();
        if self.eat(b'}') {
            return Ok(());
        }
        loop {
            self.space();
            let start = self.at;
            let escaped = match self.peek().ok_or(Malformed)? {
                b'"' => self.text(b'"')?,
                b'\'' if self.lenience.single_quotes => self.text(b'\'')?,
                _ if self.lenience.unquoted_names => {
                    while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b > 0x7f) {
                        self.at += 1;
                    }
                    if self.at == start {
                        return Err(Malformed);
                    }
                    false
                }
                _ => return Err(Malformed),
            };
            let name = Span { start, end: self.at, kind: Kind::Text { escaped } };
            self.space();
            if !self.eat(b':') {
                return Err(Malformed);
            }
            let value = self.value()?;
            member(name, value)?;
            self.space();
            if self.eat(b'}') {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(Malformed);
            }
        }
    }

    /// Walks over the elements of the array that begins here.
    pub fn items(&mut self, item: &mut dyn FnMut(Span) -> Result<(), Malformed>) -> Result<(), Malformed> {
        self.at += 1;
        self.space();
        if self.eat(b']') {
            return Ok(());
        }
        loop {
            let value = self.value()?;
            item(value)?;
            self.space();
            if self.eat(b']') {
                return Ok(());
            }
            if !self.eat(b',') {
                return Err(Malformed);
            }
        }
    }
}

/// How many bytes come before the first quote, escape or control.
#[inline]
fn plain_run(bytes: &[u8], quote: u8) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // Eight bytes at a time: a high bit marks a byte that is looked for, the lowest one for certain.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut passed = 0;
    for chunk in bytes.chunks_exact(8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let found = control | zero(word ^ (ONES * u64::from(quote))) | zero(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return passed + (found.trailing_zeros() / 8) as usize;
        }
        passed += 8;
    }
    passed + bytes[passed..].iter().take_while(|b| **b >= 0x20 && **b != quote && **b != b'\\').count()
}

/// The bytes of a text or name without its quotes; None when escapes are in it.
pub fn plain(bytes: &[u8], span: Span) -> Option<&[u8]> {
    if span.kind == (Kind::Text { escaped: true }) {
        return None;
    }
    let raw = &bytes[span.start..span.end];
    Some(match raw.first() {
        Some(b'"' | b'\'') => &raw[1..raw.len() - 1],
        _ => raw,
    })
}

/// The characters of a quoted text (quotes in the span); names may be unquoted.
pub fn unquote<'a>(bytes: &'a [u8], span: Span) -> Result<std::borrow::Cow<'a, str>, Malformed> {
    let raw = &bytes[span.start..span.end];
    let inner = match raw.first() {
        Some(b'"' | b'\'') => &raw[1..raw.len() - 1],
        _ => raw,
    };
    let inner = std::str::from_utf8(inner).map_err(|_| Malformed)?;
    if span.kind != (Kind::Text { escaped: true }) {
        return Ok(std::borrow::Cow::Borrowed(inner));
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut chars = rest[at + 1..].chars();
        let c = chars.next().ok_or(Malformed)?;
        rest = chars.as_str();
        match c {
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let code = hex(rest)?;
                rest = &rest[4..];
                if (0xd800..0xdc00).contains(&code) && rest.starts_with("\\u") {
                    let low = hex(&rest[2..])?;
                    if (0xdc00..0xe000).contains(&low) {
                        rest = &rest[6..];
                        let joined = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        out.push(char::from_u32(joined).unwrap_or('\u{fffd}'));
                        continue;
                    }
                }
                // A lone surrogate becomes a question mark when Java encodes it.
                out.push(char::from_u32(code).unwrap_or('?'));
            }
            other => out.push(other),
        }
    }
    out.push_str(rest);
    Ok(std::borrow::Cow::Owned(out))
}

fn hex(text: &str) -> Result<u32, Malformed> {
    text.get(..4).and_then(|h| u32::from_str_radix(h, 16).ok()).ok_or(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place of a run.
    #[test]
    fn runs_end_at_the_first_special_byte() {
        for length in 0..20 {
            for at in 0..length {
                for byte in 0..=255_u8 {
                    let mut bytes = vec![b'a'; length];
                    bytes[at] = byte;
                    bytes[length - 1] = if at == length - 1 { byte } else { b'"' };
                    let expected = bytes.iter().take_while(|b| **b >= 0x20 && **b != b'"' && **b != b'\\').count();
                    assert_eq!(plain_run(&bytes, b'"'), expected, "{bytes:?}");
                }
            }
        }
    }
}
