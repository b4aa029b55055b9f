//! Writes the names of all characters as one text that compresses well: each holds what differs from the name before it.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

/// The longest part of the name before that an entry may share.
const MOST_SHARED: usize = 0x7F;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let mut table = Vec::new();
    let mut before = String::new();
    let mut expected = 0;
    let mut run: Option<(String, u32)> = None;
    for code in (0..=0x10_FFFF).chain([0]) {
        let name = char::from_u32(code).and_then(unicode_names2::name).map(|name| name.to_string());
        let stem = name.as_ref().and_then(|name| name.strip_suffix(&format!("{code:X}")));
        match (&mut run, stem) {
            (Some((known, count)), Some(stem)) if known == stem && code == expected => *count += 1,
            _ => {
                if let Some((_, count)) = run.take() {
                    table.push(2);
                    number(&mut table, count);
                }
                let Some(name) = &name else { continue };
                if code != expected {
                    table.push(1);
                    number(&mut table, code - expected);
                }
                let text = stem.unwrap_or(name);
                let shared = text.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count().min(MOST_SHARED);
                table.push(0x80 | u8::try_from(shared)?);
                table.extend(&text.as_bytes()[shared..]);
                text.clone_into(&mut before);
                run = stem.map(|stem| (stem.to_owned(), 1));
            }
        }
        if name.is_some() {
            expected = code + 1;
        }
    }
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("names.bin"), table)?;
    Ok(())
}

/// Seven bits a byte, the least significant first.
fn number(table: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        table.push(0x80 | (number & 0x7F) as u8);
        number >>= 7;
    }
    table.push(number as u8);
}
