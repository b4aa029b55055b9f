//! Paths as the logs hold them: `file:///folder/name%20with%20space`.

use std::fmt::Write;

/// The URI of an absolute path (java.net.URI's quoting of a path).
pub fn path_to_uri(path: &str) -> String {
    let mut uri = String::from("file://");
    for c in path.chars() {
        if c.is_ascii_control()
            || matches!(c, ' ' | '"' | '#' | '%' | '<' | '>' | '?' | '[' | '\\' | ']' | '^' | '`' | '{' | '|' | '}')
        {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                // Writing to a String cannot fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        } else {
            uri.push(c);
        }
    }
    uri
}

/// The path of a URI or of a plain path.
pub fn uri_to_path(uri: &str) -> String {
    match uri.strip_prefix("file:") {
        Some(rest) => {
            let path = decode(rest);
            let slashes = path.chars().take_while(|c| *c == '/').count();
            if slashes > 1 { path[slashes - 1..].to_owned() } else { path }
        }
        None => uri.to_owned(),
    }
}

/// Undoes percent quoting.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let quoted = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok()))
            .flatten();
        if let Some(byte) = quoted {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for path in ["/a/b.json", "/a b/ü%20#.txt"] {
            assert_eq!(uri_to_path(&path_to_uri(path)), path);
        }
        assert_eq!(path_to_uri("/a b"), "file:///a%20b");
        assert_eq!(uri_to_path("file:/x/y"), "/x/y");
        assert_eq!(uri_to_path("data/in"), "data/in");
    }
}
