//! A workspace in the fragment of an address: `#w1=` and, as URL-safe base64, zlib over JSON.
//!
//! Only what was brought travels: scripts, input files, topics. The number is the version of the form; another one is
//! refused. zlib's checksum tells a link that lost a piece.

use super::paths;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use flate2::read::{ZlibDecoder, ZlibEncoder};
use serde::{Deserialize, Serialize};
use std::io::Read;
use tidemark_protocol::messages::{NamedScript, Parcel, ParcelFile};

/// Letters that a link's fragment may have: longer ones are cut by chat programs and some servers' logs.
pub const LIMIT: usize = 32 * 1024;
/// Bytes that a link may unfold to: a guard against links made to fill the memory.
const UNFOLDED_LIMIT: usize = 8 << 20;
const VERSION: u32 = 1;

/// Why a link cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    OtherVersion(u32),
    /// Letters of its fragment, or what it unfolds to is over the limit (None).
    TooLarge(Option<usize>),
    Broken(&'static str),
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LinkError::OtherVersion(version) => {
                write!(
                    f,
                    "The link is of version {version}; this page reads version {VERSION}. Reload the page: a newer one may read it."
                )
            }
            LinkError::TooLarge(Some(letters)) => {
                write!(
                    f,
                    "The link is too large: {letters} letters, and {LIMIT} are read. Ask for the workspace as a file."
                )
            }
            LinkError::TooLarge(None) => {
                write!(f, "The link is too large: it unfolds to more than {} MB.", UNFOLDED_LIMIT >> 20)
            }
            LinkError::Broken(what) => {
                write!(f, "The link is broken ({what}); a piece of it may have been lost. Copy it again as a whole.")
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Form {
    /// Name and text.
    #[serde(rename = "s")]
    scripts: Vec<(String, String)>,
    /// Index of the shown script.
    #[serde(rename = "c", default)]
    current: usize,
    /// In the order of arrival.
    #[serde(rename = "f", default)]
    files: Vec<FileForm>,
    /// Empty folders.
    #[serde(rename = "d", default, skip_serializing_if = "Vec::is_empty")]
    folders: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct FileForm {
    #[serde(rename = "p")]
    path: String,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// base64 of what is no text.
    #[serde(rename = "b", default, skip_serializing_if = "Option::is_none")]
    bytes: Option<String>,
}

/// The fragment without its `#`. Err: its length, which is over the limit.
pub fn encode(parcel: &Parcel) -> Result<String, usize> {
    let file = |file: &ParcelFile| {
        let path = paths::shown(&file.path).to_owned();
        match std::str::from_utf8(&file.content) {
            Ok(text) => FileForm { path, text: Some(text.to_owned()), bytes: None },
            Err(_) => FileForm { path, text: None, bytes: Some(STANDARD_NO_PAD.encode(&file.content)) },
        }
    };
    let form = Form {
        scripts: parcel.scripts.iter().map(|script| (script.name.clone(), script.text.clone())).collect(),
        current: parcel.scripts.iter().position(|script| script.name == parcel.current).unwrap_or(0),
        files: paths::inputs(parcel).into_iter().map(file).collect(),
        folders: input_folders(parcel),
    };
    let json = serde_json::to_vec(&form).unwrap_or_default();
    let mut folded = Vec::new();
    // Reading from memory does not fail.
    let _ = ZlibEncoder::new(json.as_slice(), flate2::Compression::best()).read_to_end(&mut folded);
    let fragment = format!("w{VERSION}={}", URL_SAFE_NO_PAD.encode(folded));
    if fragment.len() > LIMIT { Err(fragment.len()) } else { Ok(fragment) }
}

/// Empty folders outside of checkpoints: a source wants its folder to be there.
fn input_folders(parcel: &Parcel) -> Vec<String> {
    let checkpoints = paths::checkpoints(parcel);
    let brought = |folder: &&String| {
        folder.as_str() != paths::CWD
            && paths::is_below(folder, paths::CWD)
            && !checkpoints.iter().any(|checkpoint| paths::is_below(folder, checkpoint))
    };
    parcel.folders.iter().filter(brought).map(|folder| paths::shown(folder).to_owned()).collect()
}

/// The workspace in a fragment (with or without its `#`). None: there is none in it.
pub fn decode(fragment: &str) -> Option<Result<Parcel, LinkError>> {
    let fragment = fragment.trim_start_matches('#');
    let (version, body) = fragment.strip_prefix('w')?.split_once('=')?;
    let version: u32 = version.parse().ok()?;
    Some(if version != VERSION {
        Err(LinkError::OtherVersion(version))
    } else if fragment.len() > LIMIT {
        Err(LinkError::TooLarge(Some(fragment.len())))
    } else {
        unfold(body)
    })
}

fn unfold(body: &str) -> Result<Parcel, LinkError> {
    let folded = URL_SAFE_NO_PAD.decode(body).map_err(|_| LinkError::Broken("letters that do not belong"))?;
    let mut json = Vec::new();
    let limit = UNFOLDED_LIMIT as u64 + 1;
    ZlibDecoder::new(folded.as_slice())
        .take(limit)
        .read_to_end(&mut json)
        .map_err(|_| LinkError::Broken("it does not unfold"))?;
    if json.len() > UNFOLDED_LIMIT {
        return Err(LinkError::TooLarge(None));
    }
    let form: Form = serde_json::from_slice(&json).map_err(|_| LinkError::Broken("no workspace in it"))?;
    let bad_path = LinkError::Broken("a path in it is no path");
    let file = |form: FileForm| {
        let path = paths::checked(&form.path).ok_or_else(|| bad_path.clone())?;
        let content = match (form.text, form.bytes) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(bytes)) => {
                STANDARD_NO_PAD.decode(bytes).map_err(|_| LinkError::Broken("a file in it is damaged"))?
            }
            _ => return Err(LinkError::Broken("a file in it is damaged")),
        };
        Ok(ParcelFile { path, modified_ms: 0, content })
    };
    let scripts: Vec<NamedScript> = form.scripts.into_iter().map(|(name, text)| NamedScript { name, text }).collect();
    let current = scripts.get(form.current).or(scripts.first()).ok_or(LinkError::Broken("no script in it"))?;
    Ok(Parcel {
        current: current.name.clone(),
        files: form.files.into_iter().map(file).collect::<Result<_, _>>()?,
        folders: form
            .folders
            .iter()
            .map(|folder| paths::checked(folder).ok_or_else(|| bad_path.clone()))
            .collect::<Result<_, _>>()?,
        scripts,
        ..Parcel::default()
    })
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::super::paths::tests::file;
    use super::*;
    use proptest::prelude::*;

    fn parcel() -> Parcel {
        let mut parcel = Parcel {
            scripts: vec![
                NamedScript { name: "a.py".to_owned(), text: "print('ü')\n".to_owned() },
                NamedScript { name: "b.py".to_owned(), text: String::new() },
            ],
            current: "b.py".to_owned(),
            files: vec![file("/workspace/in/2.json", "{}\n", 7), file("/workspace/in/1.json", "x", 9)],
            folders: vec!["/workspace/more".to_owned()],
            ..Parcel::default()
        };
        parcel.files.push(ParcelFile { path: "/else/b".to_owned(), modified_ms: 8, content: vec![0, 255, 128] });
        parcel
    }

    #[test]
    fn a_link_brings_scripts_and_inputs_in_their_order() {
        let link = encode(&parcel()).unwrap();
        assert!(link.starts_with("w1=") && link.is_ascii(), "{link}");
        let back = decode(&format!("#{link}")).unwrap().unwrap();
        assert_eq!((back.scripts, back.current), (parcel().scripts, "b.py".to_owned()));
        let paths: Vec<&str> = back.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/workspace/in/2.json", "/else/b", "/workspace/in/1.json"]);
        assert_eq!(back.files[1].content, [0, 255, 128]);
        assert_eq!(back.folders, ["/workspace/more"]);
    }

    #[test]
    fn a_link_that_cannot_be_opened_says_why() {
        assert_eq!(decode(""), None);
        assert_eq!(decode("#pane-script"), None);
        assert_eq!(decode("#w2=abc"), Some(Err(LinkError::OtherVersion(2))));
        let long = format!("#w1={}", "A".repeat(LIMIT));
        assert_eq!(decode(&long), Some(Err(LinkError::TooLarge(Some(LIMIT + 3)))));
        let whole = encode(&parcel()).unwrap();
        let broken = |link: &str| matches!(decode(link), Some(Err(LinkError::Broken(_))));
        assert!(broken("#w1=") && broken("#w1=%%%") && broken(&whole[..whole.len() - 9]));
        let folded = |json: &str| {
            let mut folded = Vec::new();
            ZlibEncoder::new(json.as_bytes(), flate2::Compression::best()).read_to_end(&mut folded).unwrap();
            format!("w1={}", URL_SAFE_NO_PAD.encode(folded))
        };
        assert!(broken(&folded("{}")) && broken(&folded(r#"{"s":[]}"#)));
        assert!(broken(&folded(r#"{"s":[["a.py",""]],"f":[{"p":"../../etc/passwd","t":""}]}"#)));
        assert!(broken(&folded(r#"{"s":[["a.py",""]],"f":[{"p":"a"}]}"#)));
        let bomb = folded(&format!(r#"{{"s":[["a.py","{}"]]}}"#, " ".repeat(UNFOLDED_LIMIT)));
        assert_eq!(decode(&bomb), Some(Err(LinkError::TooLarge(None))));
        let large =
            Parcel { scripts: vec![NamedScript { name: "a".into(), text: noise(80_000) }], ..Parcel::default() };
        assert!(encode(&large).is_err_and(|letters| letters > LIMIT));
    }

    /// Text that does not compress.
    fn noise(length: usize) -> String {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b' ' + ((state >> 40) % 94) as u8)
        };
        (0..length).map(|_| next()).collect()
    }

    proptest! {
        #[test]
        fn what_was_put_in_comes_out(text in ".{0,200}", name in "[a-zü ]{1,9}\\.json", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let parcel = Parcel {
                scripts: vec![NamedScript { name: "s.py".to_owned(), text }],
                current: "s.py".to_owned(),
                files: vec![ParcelFile { path: format!("/workspace/{name}"), modified_ms: 0, content: bytes }],
                ..Parcel::default()
            };
            prop_assert_eq!(decode(&encode(&parcel).unwrap()), Some(Ok(parcel)));
        }

        #[test]
        fn a_changed_letter_is_an_error_or_the_same(at in 0usize..400, letter in "[A-Za-z0-9_-]") {
            let link = encode(&parcel()).unwrap();
            let at = 3 + at % (link.len() - 3);
            let changed = format!("{}{letter}{}", &link[..at], &link[at + 1..]);
            if let Some(Ok(back)) = decode(&changed) {
                prop_assert_eq!(back.scripts, parcel().scripts);
            }
        }

        #[test]
        fn junk_never_panics(junk in ".{0,300}") {
            let _ = decode(&format!("w1={junk}"));
        }
    }
}
