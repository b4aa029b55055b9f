//! Zip files: read with limits and checked names, written with deflate.

use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Files that a zip may hold.
const FILE_LIMIT: usize = 50_000;
/// Bytes that a zip may unpack to.
pub const UNPACKED_LIMIT: u64 = 256 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveError {
    NoZip,
    TooManyFiles(usize),
    TooLarge,
    /// A name that leads out of the folder that it is unpacked into, or is none.
    BadName(String),
    /// This file cannot be read: damaged, encrypted, or packed in a way that is not known.
    Damaged(String),
}

impl std::fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ArchiveError::NoZip => write!(f, "This is no zip file, or its end is missing."),
            ArchiveError::TooManyFiles(count) => {
                write!(f, "The zip is too large: {count} files, and {FILE_LIMIT} are read.")
            }
            ArchiveError::TooLarge => {
                write!(f, "The zip is too large: it unpacks to more than {} MB.", UNPACKED_LIMIT >> 20)
            }
            ArchiveError::BadName(name) => write!(f, "The zip has a file with a name that is not allowed: {name:?}."),
            ArchiveError::Damaged(name) => {
                write!(f, "The zip is broken: {name} is damaged, encrypted, or packed in an unknown way.")
            }
        }
    }
}

/// Name inside the zip, and content.
pub type Entry = (String, Vec<u8>);

pub fn pack<'a>(entries: impl IntoIterator<Item = (String, &'a [u8])>) -> Result<Vec<u8>, ArchiveError> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // Without times: the same workspace is the same zip.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in entries {
        let damaged = |_| ArchiveError::Damaged(name.clone());
        writer.start_file(name.as_str(), options).map_err(damaged)?;
        writer.write_all(content).map_err(|_| ArchiveError::Damaged(name.clone()))?;
    }
    Ok(writer.finish().map_err(|_| ArchiveError::NoZip)?.into_inner())
}

/// The files of a zip; folders are left out.
pub fn unpack(bytes: &[u8]) -> Result<Vec<Entry>, ArchiveError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| ArchiveError::NoZip)?;
    if archive.len() > FILE_LIMIT {
        return Err(ArchiveError::TooManyFiles(archive.len()));
    }
    let mut entries = Vec::new();
    let mut room = UNPACKED_LIMIT;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).map_err(|_| ArchiveError::Damaged(format!("file {}", index + 1)))?;
        let Ok(name) = file.name().map(|name| name.into_owned()) else {
            return Err(ArchiveError::BadName(format!("file {}", index + 1)));
        };
        if file.is_dir() {
            continue;
        }
        if !is_plain(&name) || file.is_symlink() {
            return Err(ArchiveError::BadName(name));
        }
        let mut content = Vec::new();
        // Sizes in a zip are claims: what is read counts.
        let read = file.by_ref().take(room + 1).read_to_end(&mut content);
        read.map_err(|_| ArchiveError::Damaged(name.clone()))?;
        room = room.checked_sub(content.len() as u64).ok_or(ArchiveError::TooLarge)?;
        entries.push((name, content));
    }
    Ok(entries)
}

fn is_plain(name: &str) -> bool {
    !name.starts_with('/') && super::paths::checked(name).is_some()
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        pack(entries.iter().map(|(name, content)| ((*name).to_owned(), *content))).unwrap()
    }

    #[test]
    fn a_zip_makes_the_round_trip_and_is_the_same_each_time() {
        let bytes = zip(&[("a/b.txt", b"hello"), ("c", &[0; 5000])]);
        assert_eq!(bytes, zip(&[("a/b.txt", b"hello"), ("c", &[0; 5000])]));
        assert!(bytes.len() < 1000);
        let back = unpack(&bytes).unwrap();
        assert_eq!(back, [("a/b.txt".to_owned(), b"hello".to_vec()), ("c".to_owned(), vec![0; 5000])]);
    }

    #[test]
    fn names_that_lead_out_and_what_is_no_zip_are_refused() {
        for bad in ["../a", "a/../../b", "/etc/passwd", "a\\..\\b", "a//b"] {
            assert_eq!(unpack(&zip(&[(bad, b"x")])), Err(ArchiveError::BadName(bad.to_owned())));
        }
        assert_eq!(unpack(b"hello"), Err(ArchiveError::NoZip));
        let whole = zip(&[("a", b"x")]);
        assert_eq!(unpack(&whole[..whole.len() - 5]), Err(ArchiveError::NoZip));
    }

    proptest! {
        #[test]
        fn a_changed_byte_is_an_error_or_leaves_the_content(at in 0usize..10_000, byte in any::<u8>()) {
            let content = b"some content that is long enough to be packed, packed, packed, packed".as_slice();
            let mut bytes = zip(&[("a.txt", content)]);
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(entries) = unpack(&bytes) {
                prop_assert!(entries.iter().all(|(_, back)| back == content));
            }
        }

        #[test]
        fn junk_never_panics(junk in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = unpack(&junk);
        }
    }
}
