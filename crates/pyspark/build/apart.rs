//! Takes marshalled code apart into the streams of the library.

use crate::grammar::{END, STREAMS, Stream, Way, code};

#[derive(Default)]
pub(crate) struct Apart {
    /// The module at hand, from where it was read up to.
    module: Vec<u8>,
    at: usize,
    streams: [Vec<u8>; STREAMS],
}

impl Apart {
    pub(crate) fn add(&mut self, name: &str, package: bool, module: Vec<u8>) {
        let modules = &mut self.streams[Stream::Modules as usize];
        modules.push(u8::from(package));
        modules.extend(name.as_bytes());
        modules.push(END);
        (self.module, self.at) = (module, 0);
        code(self);
        assert_eq!(self.at, self.module.len(), "{name} is marshalled in another way");
    }

    /// The lengths of the streams, and the streams.
    pub(crate) fn finish(self) -> Vec<u8> {
        let lengths = self.streams.iter().flat_map(|stream| (stream.len() as u32).to_le_bytes());
        lengths.chain(self.streams.iter().flatten().copied()).collect()
    }

    fn read(&mut self, count: usize) -> Vec<u8> {
        let bytes = self.module[self.at..self.at + count].to_vec();
        self.at += count;
        bytes
    }

    fn read_number(&mut self) -> u32 {
        let bytes = self.read(4);
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    fn put(&mut self, stream: Stream, bytes: &[u8]) {
        self.streams[stream as usize].extend(bytes);
    }

    fn put_text(&mut self, stream: Stream, length: usize) {
        let text = self.read(length);
        assert!(!text.contains(&END), "the end of a text in a text");
        self.put(stream, &text);
        self.put(stream, &[END]);
    }
}

impl Way for Apart {
    fn fixed(&mut self, byte: u8) {
        assert_eq!(self.read(1), [byte], "code is marshalled in another way");
    }

    fn byte(&mut self, stream: Stream) -> u8 {
        let byte = self.read(1);
        self.put(stream, &byte);
        byte[0]
    }

    fn number(&mut self, stream: Stream) -> u32 {
        let number = self.read_number();
        let mut rest = number;
        while rest >= 0x80 {
            self.put(stream, &[0x80 | (rest & 0x7F) as u8]);
            rest >>= 7;
        }
        self.put(stream, &[rest as u8]);
        number
    }

    fn bytes(&mut self, stream: Stream, count: usize) {
        let bytes = self.read(count);
        self.put(stream, &bytes);
    }

    fn name(&mut self, stream: Stream) {
        let length = match self.read(1)[0] {
            b'z' => self.read(1)[0] as usize,
            _ => self.read_number() as usize,
        };
        self.put_text(stream, length);
    }

    fn text(&mut self, stream: Stream) {
        let length = self.read_number() as usize;
        self.put_text(stream, length);
    }
}
