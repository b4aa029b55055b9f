//! Files of a checkpoint in readable form.

use tidemark_vfs::{FileSystem, MemoryFs};

/// The bytes of a file and, where they are not text, what they say.
pub(super) fn file(fs: &MemoryFs, path: &str) -> Result<(Vec<u8>, Option<String>), String> {
    let content = fs.read(path).map_err(|error| error.to_string())?.to_vec();
    let text = match std::str::from_utf8(&content) {
        Ok(_) => None,
        Err(_) => Some(hex(&content)),
    };
    Ok((content, text))
}

/// Bytes shown of a file that nothing here can decode.
const HEX_LIMIT: usize = 4096;

/// Offset, sixteen bytes, and their printable characters, a line.
fn hex(content: &[u8]) -> String {
    let mut text = String::new();
    for (line, bytes) in content[..content.len().min(HEX_LIMIT)].chunks(16).enumerate() {
        let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown: String =
            bytes.iter().map(|&byte| if (32..127).contains(&byte) { char::from(byte) } else { '.' }).collect();
        text.push_str(&format!("{:08x}  {:<47}  {shown}\n", line * 16, digits.join(" ")));
    }
    if content.len() > HEX_LIMIT {
        text.push_str(&format!("... {} more bytes\n", content.len() - HEX_LIMIT));
    }
    text
}
