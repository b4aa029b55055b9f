//! The workspace's store in a real IndexedDB (Chromium).

#![cfg(target_arch = "wasm32")]
// clippy.toml allows these in tests, but knows only `#[test]`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use idb::{DatabaseEvent, Factory, ObjectStoreParams, TransactionMode};
use js_sys::{Object, Reflect, Uint8Array};
use tidemark::storage::{CHUNK_BYTES, Lock, Store, database_name, lock};
use tidemark_protocol::Command;
use tidemark_protocol::workbench::{Commit, Options, Output, Record, Stored, Workbench};
use tidemark_vfs::Change;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn file(path: &str, content: Vec<u8>) -> Change {
    Change::File { path: path.to_owned(), content: Arc::new(content), modified_ms: 7 }
}

fn dir(path: &str) -> Change {
    Change::Dir { path: path.to_owned(), modified_ms: 5 }
}

fn put(key: &str, value: &str) -> Record {
    Record::Put { key: key.to_owned(), value: value.to_owned() }
}

async fn fresh(workspace: &str) -> Store {
    Factory::new().unwrap().delete(&database_name(workspace)).unwrap().await.unwrap();
    Store::open(workspace).await.unwrap()
}

/// As a reloaded tab finds it.
async fn reload(store: Store, workspace: &str) -> (Store, Option<Stored>) {
    store.close();
    let mut store = Store::open(workspace).await.unwrap();
    let stored = store.load().await.unwrap();
    (store, stored)
}

#[wasm_bindgen_test]
async fn a_journal_makes_the_round_trip() {
    let store = fresh("round-trip").await;
    let (mut store, nothing) = reload(store, "round-trip").await;
    assert_eq!(nothing, None);
    let large: Vec<u8> = (0..CHUNK_BYTES * 2 + 10).map(|at| (at / 7) as u8).collect();
    let files = vec![dir("/d"), file("/d/a", b"1".to_vec()), file("/d/big", large.clone())];
    let commit = Commit { clear: false, files: files.clone(), records: vec![put("script", "x = 1"), put("gone", "")] };
    store.commit(&commit).await.unwrap();
    let (mut store, stored) = reload(store, "round-trip").await;
    let records = vec![("gone".to_owned(), String::new()), ("script".to_owned(), "x = 1".to_owned())];
    assert_eq!(stored, Some(Stored { files, records }));

    // A large file grows by a slice, then shrinks to a small one; others go.
    let mut longer = large;
    longer.extend_from_slice(&[9; 100]);
    let files = vec![Change::Removed { path: "/d/a".into() }, file("/d/big", longer.clone())];
    let records = vec![Record::Delete { key: "gone".to_owned() }];
    store.commit(&Commit { clear: false, files, records }).await.unwrap();
    let (mut store, stored) = reload(store, "round-trip").await;
    assert_eq!(stored.unwrap().files, vec![dir("/d"), file("/d/big", longer)]);
    let files = vec![file("/d/big", b"small".to_vec())];
    store.commit(&Commit { clear: false, files, records: Vec::new() }).await.unwrap();
    let (mut store, stored) = reload(store, "round-trip").await;
    assert_eq!(stored.unwrap().files, vec![dir("/d"), file("/d/big", b"small".to_vec())]);

    store.commit(&Commit { clear: true, files: vec![dir("/new")], records: Vec::new() }).await.unwrap();
    let (_, stored) = reload(store, "round-trip").await;
    assert_eq!(stored, Some(Stored { files: vec![dir("/new")], records: Vec::new() }));
}

#[wasm_bindgen_test]
async fn a_tab_killed_between_two_commits_finds_the_first() {
    let mut store = fresh("killed").await;
    let said = Rc::new(RefCell::new(Vec::new()));
    let heard = said.clone();
    let options = Options { now_ms: 1_000, seed: 1, stopwatch: None };
    let mut bench = Workbench::open(options.clone(), None, Rc::new(move |output| heard.borrow_mut().push(output)));
    let write = |text: &str| Command::WriteFile { path: "/workspace/x".to_owned(), content: text.into() };
    bench.handle(write("durable"));
    let durable = said.take();
    for output in durable {
        if let Output::Commit(commit) = output {
            store.commit(&commit).await.unwrap();
        }
    }
    // The second command is carried out, and the tab goes away before its commit is written.
    bench.handle(write("lost"));
    assert!(said.borrow().iter().any(|output| matches!(output, Output::Commit(_))));
    let (_, stored) = reload(store, "killed").await;
    let stored = stored.unwrap();
    assert!(stored.files.iter().any(|change| match change {
        Change::File { path, content, .. } => path == "/workspace/x" && ***content == *b"durable",
        _ => false,
    }));
    let back = Rc::new(RefCell::new(Vec::new()));
    let heard = back.clone();
    drop(Workbench::open(options, Some(stored), Rc::new(move |output| heard.borrow_mut().push(output))));
    let restored = back
        .borrow()
        .iter()
        .any(|output| matches!(output, Output::Event(tidemark_protocol::Event::Ready { restored: Some(_), .. })));
    assert!(restored);
}

#[wasm_bindgen_test]
async fn a_database_of_the_first_schema_is_brought_up() {
    let name = database_name("old");
    let factory = Factory::new().unwrap();
    factory.delete(&name).unwrap().await.unwrap();
    let mut request = factory.open(&name, Some(1)).unwrap();
    request.on_upgrade_needed(|event| {
        for store in ["files", "records"] {
            event.database().unwrap().create_object_store(store, ObjectStoreParams::new()).unwrap();
        }
    });
    let database = request.await.unwrap();
    let transaction = database.transaction(&["files", "records"], TransactionMode::ReadWrite).unwrap();
    let entry = Object::new();
    for (key, value) in
        [("dir", JsValue::FALSE), ("modified", 7.into()), ("content", Uint8Array::from(&b"old"[..]).into())]
    {
        Reflect::set(&entry, &key.into(), &value).unwrap();
    }
    transaction.object_store("files").unwrap().put(&entry, Some(&"/f".into())).unwrap();
    transaction.object_store("records").unwrap().put(&"x = 1".into(), Some(&"script".into())).unwrap();
    transaction.commit().unwrap().await.unwrap();
    database.close();

    let mut store = Store::open("old").await.unwrap();
    let files = vec![file("/f", b"old".to_vec())];
    let records = vec![("script".to_owned(), "x = 1".to_owned())];
    assert_eq!(store.load().await.unwrap(), Some(Stored { files, records }));
    let large = file("/f", vec![3; CHUNK_BYTES + 1]);
    store.commit(&Commit { clear: false, files: vec![large.clone()], records: Vec::new() }).await.unwrap();
    let (_, stored) = reload(store, "old").await;
    assert_eq!(stored.unwrap().files, vec![large]);
}

#[wasm_bindgen_test]
async fn a_workspace_is_held_once() {
    assert_eq!(lock("held").await, Lock::Held);
    assert_eq!(lock("held").await, Lock::Elsewhere);
    assert_eq!(lock("another").await, Lock::Held);
}
