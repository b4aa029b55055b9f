//! Column names as DataFrame methods take them.

use crate::error::{Result, SparkError};

/// Parts of a name: `a.b`, with backticks around parts that hold dots (UnresolvedAttribute.parseAttributeName).
pub fn parse_attribute_name(name: &str) -> Result<Vec<String>> {
    let failed = || SparkError::analysis("INVALID_ATTRIBUTE_NAME_SYNTAX", &[("name", name)]);
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quoted = false;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        if quoted {
            if c != '`' {
                part.push(c);
            } else if chars.peek() == Some(&'`') {
                part.push('`');
                chars.next();
            } else {
                quoted = false;
                if chars.peek().is_some_and(|next| *next != '.') {
                    return Err(failed());
                }
            }
        } else {
            match c {
                '`' if part.is_empty() => quoted = true,
                '`' => return Err(failed()),
                '.' => {
                    if name.ends_with('.') && chars.peek().is_none()
                        || part.is_empty() && parts.is_empty() && !name.starts_with('`')
                    {
                        return Err(failed());
                    }
                    parts.push(std::mem::take(&mut part));
                }
                other => part.push(other),
            }
        }
    }
    if quoted {
        return Err(failed());
    }
    parts.push(part);
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_backticks() {
        let parts = |name: &str| parse_attribute_name(name).ok();
        assert_eq!(parts("a.b"), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(parts("`a.b`.c"), Some(vec!["a.b".to_owned(), "c".to_owned()]));
        assert_eq!(parts("`a``b`"), Some(vec!["a`b".to_owned()]));
        for bad in ["a.", "`a", "a`b", "`a`b"] {
            assert!(parts(bad).is_none(), "{bad}");
        }
    }
}
