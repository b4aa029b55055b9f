//! What a code object looks like in RustPython's marshal format (`rustpython_compiler_core::marshal::serialize_code`), walked
//! once for both ways: the build script takes modules apart into streams of like things, which compress better than the
//! modules as they are (a fifth less), and the program puts them together again.

/// Kinds of things; each has a stream of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Modules,
    Instructions,
    InstructionCounts,
    Arguments,
    PositionalOnly,
    KeywordOnly,
    StackDepths,
    Flags,
    Constants,
    ConstantCounts,
    Texts,
    Bytes,
    Integers,
    Floats,
    Items,
    Names,
    NameCounts,
    Locals,
    LocalCounts,
    LocalKinds,
    Files,
    Functions,
    QualifiedNames,
    FirstLines,
    Lines,
    LineLengths,
    Exceptions,
    ExceptionLengths,
}

/// Number of streams.
pub(crate) const STREAMS: usize = Stream::ExceptionLengths as usize + 1;

/// Ends a text in its stream: no byte of UTF-8, nor of what Python makes of lone surrogates.
pub(crate) const END: u8 = 0xFF;

/// One of the two ways. Each method takes the next thing from where the code comes from and gives it to where it goes.
pub(crate) trait Way {
    /// A byte that is always the same in the marshal format and in no stream.
    fn fixed(&mut self, byte: u8);
    fn byte(&mut self, stream: Stream) -> u8;
    /// Four bytes in the marshal format.
    fn number(&mut self, stream: Stream) -> u32;
    fn bytes(&mut self, stream: Stream, count: usize);
    /// A name: a short ASCII string where it is one.
    fn name(&mut self, stream: Stream);
    /// A string constant without its type.
    fn text(&mut self, stream: Stream);
}

/// Walks a code object.
pub(crate) fn code(way: &mut impl Way) {
    way.number(Stream::Arguments);
    way.number(Stream::PositionalOnly);
    way.number(Stream::KeywordOnly);
    way.number(Stream::StackDepths);
    way.number(Stream::Flags);
    counted(way, Stream::InstructionCounts, Stream::Instructions);
    way.fixed(b'(');
    for _ in 0..way.number(Stream::ConstantCounts) {
        constant(way);
    }
    way.fixed(b'(');
    for _ in 0..way.number(Stream::NameCounts) {
        way.name(Stream::Names);
    }
    way.fixed(b'(');
    for _ in 0..way.number(Stream::LocalCounts) {
        way.name(Stream::Locals);
    }
    counted(way, Stream::LocalCounts, Stream::LocalKinds);
    way.name(Stream::Files);
    way.name(Stream::Functions);
    way.name(Stream::QualifiedNames);
    way.number(Stream::FirstLines);
    counted(way, Stream::LineLengths, Stream::Lines);
    counted(way, Stream::ExceptionLengths, Stream::Exceptions);
}

fn counted(way: &mut impl Way, counts: Stream, stream: Stream) {
    way.fixed(b's');
    let count = way.number(counts);
    way.bytes(stream, count as usize);
}

fn constant(way: &mut impl Way) {
    match way.byte(Stream::Constants) {
        b'i' => way.bytes(Stream::Integers, 4),
        b'l' => {
            let digits = way.number(Stream::Integers).cast_signed().unsigned_abs();
            way.bytes(Stream::Integers, 2 * digits as usize);
        }
        b'g' => way.bytes(Stream::Floats, 8),
        b'y' => way.bytes(Stream::Floats, 16),
        b'u' => way.text(Stream::Texts),
        b's' => {
            let count = way.number(Stream::Items);
            way.bytes(Stream::Bytes, count as usize);
        }
        b'c' => code(way),
        b'(' | b'[' | b'<' | b'>' => {
            for _ in 0..way.number(Stream::Items) {
                constant(way);
            }
        }
        b':' => (0..3).for_each(|_| constant(way)),
        _ => {}
    }
}
