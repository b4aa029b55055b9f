//! The Python modules that the build script compiled, put together again from its streams.

mod grammar;

use std::sync::OnceLock;

use rustpython_vm::frozen::{FrozenCodeObject, FrozenModule};

use self::grammar::{END, STREAMS, Stream, Way};

/// For each stream its length in four bytes, and then the streams.
static STREAMS_OF_MODULES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

/// All modules by name, as the interpreter takes them; made when the first interpreter is.
pub(crate) fn modules() -> impl Iterator<Item = (&'static str, FrozenModule)> {
    static MODULES: OnceLock<Vec<(String, bool, Vec<u8>)>> = OnceLock::new();
    let modules = MODULES.get_or_init(|| Together::new(STREAMS_OF_MODULES).modules());
    modules.iter().map(|(name, package, bytes)| {
        (name.as_str(), FrozenModule { code: FrozenCodeObject { bytes: bytes.as_slice() }, package: *package })
    })
}

/// Puts code together from the streams.
struct Together {
    /// What is left of each stream.
    rest: [&'static [u8]; STREAMS],
    out: Vec<u8>,
}

impl Together {
    fn new(all: &'static [u8]) -> Self {
        let (lengths, mut streams) = all.split_at_checked(4 * STREAMS).unwrap_or_default();
        let mut rest = [&[][..]; STREAMS];
        for (stream, length) in rest.iter_mut().zip(lengths.as_chunks::<4>().0) {
            let length = u32::from_le_bytes(*length) as usize;
            (*stream, streams) = streams.split_at_checked(length).unwrap_or_default();
        }
        Self { rest, out: Vec::new() }
    }

    fn modules(mut self) -> Vec<(String, bool, Vec<u8>)> {
        let mut modules = Vec::new();
        while !self.rest[Stream::Modules as usize].is_empty() {
            let package = self.take(Stream::Modules, 1) == [1];
            let name = String::from_utf8_lossy(self.until_end(Stream::Modules)).into_owned();
            grammar::code(&mut self);
            modules.push((name, package, stored(&std::mem::take(&mut self.out))));
        }
        modules
    }

    fn take(&mut self, stream: Stream, count: usize) -> &'static [u8] {
        let rest = &mut self.rest[stream as usize];
        let (taken, left) = rest.split_at_checked(count).unwrap_or_default();
        *rest = left;
        taken
    }

    fn until_end(&mut self, stream: Stream) -> &'static [u8] {
        let length = self.rest[stream as usize].iter().position(|byte| *byte == END).unwrap_or_default();
        let text = self.take(stream, length);
        self.take(stream, 1);
        text
    }

    fn sized(&mut self, text: &[u8]) {
        self.out.extend((text.len() as u32).to_le_bytes());
        self.out.extend(text);
    }
}

impl Way for Together {
    fn fixed(&mut self, byte: u8) {
        self.out.push(byte);
    }

    fn byte(&mut self, stream: Stream) -> u8 {
        let byte = self.take(stream, 1).first().copied().unwrap_or_default();
        self.out.push(byte);
        byte
    }

    fn number(&mut self, stream: Stream) -> u32 {
        let (mut number, mut shift) = (0_u32, 0);
        while let Some(byte) = self.take(stream, 1).first() {
            number |= u32::from(byte & 0x7F) << shift;
            shift += 7;
            if *byte < 0x80 {
                break;
            }
        }
        self.out.extend(number.to_le_bytes());
        number
    }

    fn bytes(&mut self, stream: Stream, count: usize) {
        let bytes = self.take(stream, count);
        self.out.extend(bytes);
    }

    fn name(&mut self, stream: Stream) {
        let text = self.until_end(stream);
        if text.len() < 256 && text.is_ascii() {
            self.out.extend([b'z', text.len() as u8]);
            self.out.extend(text);
        } else {
            self.out.push(b'u');
            self.sized(text);
        }
    }

    fn text(&mut self, stream: Stream) {
        let text = self.until_end(stream);
        self.sized(text);
    }
}

/// `bytes` as an LZ4 block that compresses nothing, behind its size: RustPython unpacks LZ4.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut block = Vec::with_capacity(bytes.len() + bytes.len() / 255 + 8);
    block.extend((bytes.len() as u32).to_le_bytes());
    match bytes.len().checked_sub(15) {
        None => block.push((bytes.len() as u8) << 4),
        Some(mut rest) => {
            block.push(0xF0);
            while rest >= 255 {
                block.push(255);
                rest -= 255;
            }
            block.push(rest as u8);
        }
    }
    block.extend(bytes);
    block
}
