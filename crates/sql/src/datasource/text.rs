//! Lines of a piece of a file (Hadoop's LineRecordReader) and the text format.

use std::sync::Arc;

use arrow::array::StringBuilder;
use arrow::record_batch::RecordBatch;

use super::splits::FileSplit;
use crate::error::Result;

/// Lines that begin in `start .. start + len` of `content`, without their ends. A line belongs to the piece in which it
/// begins; the first, broken line of a later piece belongs to the one before. `separator` None: LF, CR LF or CR.
pub fn lines<'a>(content: &'a [u8], split: &FileSplit, separator: Option<&'a [u8]>) -> Lines<'a> {
    let frozen = usize::try_from(split.file.len).unwrap_or(usize::MAX).min(content.len());
    let content = &content[..frozen];
    let start = usize::try_from(split.start).unwrap_or(usize::MAX).min(frozen);
    let end = usize::try_from(split.start + split.len).unwrap_or(usize::MAX).min(frozen);
    let mut lines = Lines { content, at: start, end, separator, first: split.start == 0 };
    if split.start > 0 {
        // The line that runs over the border was read with the piece before.
        let _ = lines.take_line();
    }
    lines
}

/// See [`lines`].
pub struct Lines<'a> {
    content: &'a [u8],
    at: usize,
    end: usize,
    separator: Option<&'a [u8]>,
    first: bool,
}

impl<'a> Lines<'a> {
    fn take_line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.content[self.at..];
        if rest.is_empty() {
            return None;
        }
        let (line, used) = match self.separator {
            Some(separator) => match find(rest, separator) {
                Some(at) => (&rest[..at], at + separator.len()),
                None => (rest, rest.len()),
            },
            None => match rest.iter().position(|b| *b == b'\n' || *b == b'\r') {
                Some(at) if rest[at] == b'\r' && rest.get(at + 1) == Some(&b'\n') => (&rest[..at], at + 2),
                Some(at) => (&rest[..at], at + 1),
                None => (rest, rest.len()),
            },
        };
        self.at += used;
        Some(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        // A line that begins exactly at the border still belongs here, as LineRecordReader reads one line more.
        if self.at > self.end || (self.at == self.end && self.end == self.content.len()) {
            return None;
        }
        let line = self.take_line()?;
        if std::mem::take(&mut self.first) {
            return Some(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
        }
        Some(line)
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    haystack.windows(needle.len()).position(|w| w == needle)
}

/// The text format: one row a line, or one a file (`wholetext`).
pub fn read_text(
    content: &[u8],
    split: &FileSplit,
    separator: Option<&[u8]>,
    whole: bool,
    batch_rows: usize,
    emit: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let field = arrow::datatypes::Field::new("value", arrow::datatypes::DataType::Utf8, true);
    let schema = Arc::new(arrow::datatypes::Schema::new(vec![field]));
    let mut builder = StringBuilder::new();
    let mut rows = 0;
    let mut push = |text: &[u8], builder: &mut StringBuilder| -> Result<()> {
        builder.append_value(String::from_utf8_lossy(text));
        rows += 1;
        if rows == batch_rows {
            rows = 0;
            emit(RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(builder.finish())])?)?;
        }
        Ok(())
    };
    if whole {
        let frozen = usize::try_from(split.file.len).unwrap_or(usize::MAX).min(content.len());
        push(&content[..frozen], &mut builder)?;
    } else {
        for line in lines(content, split, separator) {
            push(line, &mut builder)?;
        }
    }
    if rows > 0 {
        emit(RecordBatch::try_new(schema, vec![Arc::new(builder.finish())])?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasource::FileStatus;

    #[test]
    fn every_line_belongs_to_one_piece() {
        let content = b"one\r\ntwo\n\nlast";
        let file = FileStatus { path: "/f".into(), len: content.len() as u64, modified_ms: 0 };
        for cut in 1..content.len() as u64 {
            let pieces = [(0, cut), (cut, content.len() as u64 - cut)];
            let mut all: Vec<&[u8]> = Vec::new();
            for (start, len) in pieces {
                all.extend(lines(content, &FileSplit { file: file.clone(), start, len }, None));
            }
            // CR LF cut in its middle: the reader sees CR alone at the border of the whole content, never of the piece.
            assert_eq!(all, [&b"one"[..], b"two", b"", b"last"], "cut at {cut}");
        }
    }
}
