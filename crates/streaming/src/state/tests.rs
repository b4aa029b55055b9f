//! Stores over a file system in memory: versions, files, restarts, damage.

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::types::{DataType, StructField, StructType};
use tidemark_vfs::{FileSystem, MemoryFs};

use super::*;
use crate::operators::StreamingConf;

fn schema() -> Rc<StateSchema> {
    Rc::new(StateSchema::new(
        StructType::new(vec![StructField::new("k", DataType::Long, true)]),
        StructType::new(vec![StructField::new("count", DataType::Long, false)]),
    ))
}

fn row(number: i64) -> Vec<u8> {
    [0, number].iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn stores(fs: &Arc<MemoryFs>) -> StateStores {
    StateStores::new(fs.clone(), "/cp/state", "run", StreamingConf::default())
}

fn id() -> StoreId {
    StoreId::new(0, 0)
}

/// Batch `version`: counts up three keys and forgets one.
fn batch(stores: &mut StateStores, version: i64) -> StoreMetrics {
    let mut store = stores.open(&id(), &schema(), version).unwrap();
    for key in [version, version + 1, version + 2] {
        let count = store.get(&row(key)).map_or(0, |v| unsafe_row::long_at(v, 1, 0).unwrap());
        store.put(&row(key), &row(count + 1));
    }
    store.remove(&row(version - 5));
    store.remove(&row(1_000_000));
    stores.commit(store, 60_000 * version).unwrap()
}

fn rows(stores: &mut StateStores, version: i64) -> Vec<(Vec<u8>, Vec<u8>)> {
    stores.rows(&id(), &schema(), version).unwrap()
}

#[test]
fn a_restart_reads_the_same_rows_in_the_same_order() {
    let fs = Arc::new(MemoryFs::new());
    let mut first = stores(&fs);
    for version in 0..30 {
        assert_eq!(batch(&mut first, version).num_keys, (version + 3).min(7));
    }
    let mut second = stores(&fs);
    let expected = rows(&mut first, 30);
    let mut sorted = rows(&mut second, 30);
    assert_eq!(sorted.len(), 7);
    sorted.sort();
    let mut wanted = expected.clone();
    wanted.sort();
    assert_eq!(sorted, wanted);
    let metrics = batch(&mut second, 30);
    assert!(metrics.custom.contains(&("loadedMapCacheHitCount", 1)), "{metrics:?}");
}

#[test]
fn a_batch_runs_again_from_its_version() {
    let fs = Arc::new(MemoryFs::new());
    let mut stores = stores(&fs);
    batch(&mut stores, 0);
    batch(&mut stores, 1);
    let once = rows(&mut stores, 2);
    batch(&mut stores, 1);
    assert_eq!(rows(&mut stores, 2), once);
}

#[test]
fn files_are_those_of_spark() {
    let fs = Arc::new(MemoryFs::new());
    let mut stores = stores(&fs);
    stores.maintain_if_due(0);
    for version in 0..12 {
        batch(&mut stores, version);
    }
    stores.maintain_if_due(59_999);
    assert!(!fs.is_file("/cp/state/0/0/12.snapshot"));
    stores.maintain_if_due(60_000);
    let names: Vec<String> = fs.list("/cp/state/0/0").unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), 13);
    assert!(names.contains(&"12.snapshot".to_owned()) && names.contains(&"1.delta".to_owned()));
    fs.remove_file("/cp/state/0/0/3.delta").unwrap();
    let expected = rows(&mut stores, 12).len();
    let mut again = StateStores::new(fs.clone(), "/cp/state", "run", StreamingConf::default());
    assert_eq!(rows(&mut again, 12).len(), expected);
}

#[test]
fn old_files_go_when_no_retained_version_needs_them() {
    let fs = Arc::new(MemoryFs::new());
    let conf = StreamingConf { min_versions_to_retain: 2, ..StreamingConf::default() };
    let mut stores = StateStores::new(fs.clone(), "/cp/state", "run", conf);
    stores.maintain_if_due(0);
    for version in 0..12 {
        batch(&mut stores, version);
    }
    stores.maintain_if_due(60_000);
    for version in 12..20 {
        batch(&mut stores, version);
    }
    stores.maintain_if_due(120_000);
    let names: Vec<String> = fs.list("/cp/state/0/0").unwrap().into_iter().map(|entry| entry.name).collect();
    assert!(!names.contains(&"11.delta".to_owned()) && names.contains(&"12.snapshot".to_owned()), "{names:?}");
}

#[test]
fn missing_and_damaged_files_give_sparks_errors_and_stay() {
    let fs = Arc::new(MemoryFs::new());
    let mut writer = stores(&fs);
    for version in 0..3 {
        batch(&mut writer, version);
    }
    let condition = |fs: &Arc<MemoryFs>| stores(fs).open(&id(), &schema(), 3).unwrap_err().condition.unwrap();
    let path = "/cp/state/0/0/2.delta";
    let file = fs.read(path).unwrap();
    fs.write(path, b"", 0).unwrap();
    assert_eq!(condition(&fs), "CANNOT_LOAD_STATE_STORE.UNCATEGORIZED");
    fs.write(path, &file[..30], 0).unwrap();
    assert_eq!(condition(&fs), "CANNOT_LOAD_STATE_STORE.UNCATEGORIZED");
    // The end mark of the records is read, what comes after it is not.
    fs.write(path, &file[..file.len() - 3], 0).unwrap();
    assert!(stores(&fs).open(&id(), &schema(), 3).is_ok());
    fs.remove_file(path).unwrap();
    let error = stores(&fs).open(&id(), &schema(), 3).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[CANNOT_LOAD_STATE_STORE.CANNOT_READ_DELTA_FILE_NOT_EXISTS] An error occurred during loading state. Error reading \
         delta file file:/cp/state/0/0/2.delta of HDFSStateStoreProvider[stateStoreProviderId=StateStoreProviderId[ \
         storeId=StateStoreId[ operatorId=0, partitionId=0, storeName=default ], queryRunId=run ]]: \
         file:/cp/state/0/0/2.delta does not exist. SQLSTATE: 58030"
    );
    assert!(fs.is_file("/cp/state/0/0/1.delta") && fs.is_file("/cp/state/0/0/3.delta"));
}

#[test]
fn sizes_are_those_that_spark_reported() {
    // One key row of 16 bytes and one value row of 16 in the first version of a store.
    let fs = Arc::new(MemoryFs::new());
    let mut stores = stores(&fs);
    let mut store = stores.open(&id(), &schema(), 0).unwrap();
    store.put(&row(1), &row(1));
    let metrics = stores.commit(store, 0).unwrap();
    let current = 120 + 80 + 32 + 56 + 72 + 32;
    assert!(metrics.custom.contains(&("stateOnCurrentVersionSizeBytes", current)));
    assert_eq!(metrics.memory_used_bytes, current + 144);
}

#[test]
fn a_prefix_scan_finds_the_rows_of_one_key() {
    let fs = Arc::new(MemoryFs::new());
    let key = StructType::new(vec![
        StructField::new("k", DataType::String, true),
        StructField::new("sessionStartTime", DataType::Timestamp, true),
    ]);
    let mut schema = StateSchema::new(key, StructType::new(vec![StructField::new("n", DataType::Long, true)]));
    schema.prefix = 1;
    let schema = Rc::new(schema);
    let types = schema.key_types();
    let key = |name: &str, start: i64| -> Vec<u8> {
        let columns: Vec<arrow::array::ArrayRef> = vec![
            Arc::new(arrow::array::StringArray::from(vec![name])),
            Arc::new(arrow::array::TimestampMicrosecondArray::from(vec![start])),
        ];
        unsafe_row::encode_rows(&types, &columns, 1).unwrap().row(0).to_vec()
    };
    let rocks = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider";
    let sorted = StreamingConf { provider_class: rocks.to_owned(), ..StreamingConf::default() };
    let sorted = StateStores::new(Arc::new(MemoryFs::new()), "/state", "run", sorted);
    for mut stores in [stores(&fs), sorted] {
        let mut store = stores.open(&id(), &schema, 0).unwrap();
        for (name, start) in [("long enough for two words", 1), ("b", 5), ("long enough for two words", 9), ("b", 7)] {
            store.put(&key(name, start), &row(start));
        }
        store.remove(&key("b", 5));
        stores.commit(store, 0).unwrap();
        let store = stores.open(&id(), &schema, 1).unwrap();
        let prefix = unsafe_row::prefix(&types, 1, &key("long enough for two words", 0)).unwrap();
        let found: Vec<Vec<u8>> = store.prefix_scan(&prefix).into_iter().map(|(_, value)| value).collect();
        assert_eq!(found, [row(1), row(9)]);
        let prefix = unsafe_row::prefix(&types, 1, &key("b", 0)).unwrap();
        assert_eq!(store.prefix_scan(&prefix).len(), 1);
        assert_eq!((store.iter().count(), store.len()), (3, 3));
    }
}
