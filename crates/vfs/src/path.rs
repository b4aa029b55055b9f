//! Paths: absolute, `/`-separated, without `.`, `..` and empty parts.

/// The absolute, normalised form of `path`; relative ones count from the root.
pub fn normalize(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// `path` seen from `base`: itself when absolute.
pub fn join(base: &str, path: &str) -> String {
    if path.starts_with('/') { normalize(path) } else { normalize(&format!("{base}/{path}")) }
}

/// The folder that a path is in; None for the root.
pub fn parent(path: &str) -> Option<&str> {
    let at = path.rfind('/')?;
    if path.len() == 1 { None } else { Some(if at == 0 { "/" } else { &path[..at] }) }
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or("")
}
