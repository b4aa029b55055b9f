//! Files of a checkpoint in readable form.

use std::sync::Arc;

use tidemark_streaming::state::explain_file;
use tidemark_vfs::{FileSystem, MemoryFs, file_name, parent};

/// The bytes of a file and, where they are not text, what they say.
pub(super) fn file(fs: &MemoryFs, path: &str) -> Result<(Vec<u8>, Option<String>), String> {
    let content = fs.read(path).map_err(|error| error.to_string())?;
    let schema = schema_of(fs, path);
    let text = explain_file(path, &content, schema.as_ref().map(|schema| schema.as_slice()));
    let text = text.or_else(|| std::str::from_utf8(&content).is_err().then(|| hex(&content)));
    Ok((content.to_vec(), text))
}

/// The schema of a state file's store, which lies with partition 0: state/OPERATOR/0[/STORE]/_metadata/schema.
fn schema_of(fs: &MemoryFs, path: &str) -> Option<Arc<Vec<u8>>> {
    let folder = parent(path)?;
    let (partition, store) = match file_name(folder).parse::<usize>() {
        Ok(_) => (folder, String::new()),
        Err(_) => (parent(folder)?, format!("/{}", file_name(folder))),
    };
    fs.read(&format!("{}/0{store}/_metadata/schema", parent(partition)?)).ok()
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
