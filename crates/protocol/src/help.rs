//! The names that the editor completes and explains (www/help.json) are those of our own pyspark, each with its help.
//!
//! `TIDEMARK_BLESS=1` writes the file anew from the package and the words beside www/editor/help/names.py.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tidemark_vfs::MemoryFs;

use crate::engine::{Engine, Outcome, Setup};

const NAMES: &str = include_str!("../../../www/editor/help/names.py");
const FUNCTIONS: &str = include_str!("../../../www/editor/help/functions.txt");
const CLASSES: &str = include_str!("../../../www/editor/help/classes.txt");
const OTHER: &str = include_str!("../../../www/editor/help/other.txt");
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/help.json");

/// `name: text` lines; a name that ends with `*` stands for all that begin so.
struct Words(BTreeMap<&'static str, &'static str>);

impl Words {
    fn of(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self(lines.filter_map(|line| line.split_once(": ")).collect())
    }

    fn of_name(&self, name: &str) -> Option<&'static str> {
        let exact = self.0.get(name);
        let longest = || {
            let fits =
                self.0.iter().filter(|(key, _)| key.strip_suffix('*').is_some_and(|head| name.starts_with(head)));
            fits.max_by_key(|(key, _)| key.len()).map(|(_, text)| text)
        };
        exact.or_else(longest).copied()
    }
}

/// Every line that names.py printed: kind, name, text.
fn names() -> Vec<(String, String, String)> {
    let printed = Rc::new(RefCell::new(String::new()));
    let out = printed.clone();
    let print = Rc::new(move |_, text: &str| out.borrow_mut().push_str(text));
    let engine = Engine::new(Setup::new(Arc::new(MemoryFs::new()), "/w"), "names.py", print).expect("an engine");
    let outcome = engine.run(NAMES);
    assert!(matches!(outcome, Outcome::Finished { status: 0 }), "{outcome:?}");
    let printed = printed.borrow();
    printed.lines().map(|line| serde_json::from_str(line).expect("a list")).collect()
}

fn made() -> (Value, Vec<String>) {
    let (functions, classes, other) = (Words::of(FUNCTIONS), Words::of(CLASSES), Words::of(OTHER));
    let mut missing = Vec::new();
    let mut tables: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    let mut methods: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let mut options: BTreeMap<(String, String), Map<String, Value>> = BTreeMap::new();
    for (kind, name, text) in names() {
        match kind.as_str() {
            "function" => {
                let words = functions.of_name(&name);
                missing.extend(words.is_none().then(|| name.clone()));
                tables.entry("functions").or_default().insert(name, json!([text, words.unwrap_or_default()]));
            }
            // A type that few need is completed, and has no words.
            "type" | "trigger" => {
                let words = other.of_name(&format!("{kind} {name}")).unwrap_or_default();
                let table = if kind == "type" { "types" } else { "triggers" };
                tables.entry(table).or_default().insert(name, json!(words));
            }
            "read" | "write" => {
                let words = other.of_name(&format!("{kind}[file] {name}")).unwrap_or_default();
                options.entry((kind, text)).or_default().insert(name, json!(words));
            }
            class => {
                let words = classes.of_name(&format!("{class}.{name}"));
                missing.extend(words.is_none().then(|| format!("{class}.{name}")));
                let entry = json!([text, words.unwrap_or_default()]);
                methods.entry(class.to_owned()).or_default().insert(name, entry);
            }
        }
    }
    // What a script sets without the methods' arguments knowing of it.
    for (key, words) in &other.0 {
        let Some((kind, rest)) = key.split_once('[') else { continue };
        let Some((source, name)) = rest.split_once("] ") else { continue };
        options.entry((kind.to_owned(), source.to_owned())).or_default().insert(name.to_owned(), json!(words));
    }
    let mut kinds: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for ((kind, source), names) in options {
        kinds.entry(kind).or_default().insert(source, Value::Object(names));
    }
    let made = json!({
        "functions": tables.remove("functions"),
        "types": tables.remove("types"),
        "triggers": tables.remove("triggers"),
        "classes": methods,
        "options": kinds,
    });
    (made, missing)
}

#[test]
fn the_help_of_the_editor_is_that_of_our_package() {
    let (made, missing) = made();
    assert!(missing.is_empty(), "no words in www/editor/help for: {missing:?}");
    let made = serde_json::to_string(&made).expect("JSON").replace("],\"", "],\n\"") + "\n";
    if std::env::var_os("TIDEMARK_BLESS").is_some() {
        std::fs::write(FILE, made).expect("www/help.json is written");
        return;
    }
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(made == committed, "www/help.json is not up to date: run this test with TIDEMARK_BLESS=1");
}
