//! `state/OP/_metadata/metadata`: which operator wrote the state (OperatorStateMetadata, version 1).

use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorMetadata {
    pub operator_id: usize,
    /// "stateStoreSave", "dedupe" ...
    pub operator_name: String,
    pub stores: Vec<StoreMetadata>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreMetadata {
    pub name: String,
    /// numColsPrefixKey
    pub prefix: usize,
    pub partitions: usize,
}

impl OperatorMetadata {
    pub(super) fn write(&self) -> Vec<u8> {
        let stores: Vec<Value> = self
            .stores
            .iter()
            .map(|s| json!({"storeName": s.name, "numColsPrefixKey": s.prefix, "numPartitions": s.partitions}))
            .collect();
        let operator = json!({"operatorId": self.operator_id, "operatorName": self.operator_name});
        format!("v1\n{}", json!({"operatorInfo": operator, "stateStoreInfo": stores})).into_bytes()
    }

    /// None where the file is not of this form: Spark then skips the comparison.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (version, text) = text.split_once('\n')?;
        if version != "v1" {
            return None;
        }
        let json: Value = serde_json::from_str(text).ok()?;
        let number = |value: &Value| value.as_u64().map(|number| number as usize);
        let operator = json.get("operatorInfo")?;
        let stores = json.get("stateStoreInfo")?.as_array()?;
        Some(Self {
            operator_id: number(operator.get("operatorId")?)?,
            operator_name: operator.get("operatorName")?.as_str()?.to_owned(),
            stores: stores
                .iter()
                .map(|store| {
                    Some(StoreMetadata {
                        name: store.get("storeName")?.as_str()?.to_owned(),
                        prefix: number(store.get("numColsPrefixKey")?)?,
                        partitions: number(store.get("numPartitions")?)?,
                    })
                })
                .collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_sparks() {
        let metadata = OperatorMetadata {
            operator_id: 0,
            operator_name: "stateStoreSave".into(),
            stores: vec![StoreMetadata { name: "default".into(), prefix: 0, partitions: 2 }],
        };
        let file = metadata.write();
        let expected = "v1\n{\"operatorInfo\":{\"operatorId\":0,\"operatorName\":\"stateStoreSave\"},\
            \"stateStoreInfo\":[{\"storeName\":\"default\",\"numColsPrefixKey\":0,\"numPartitions\":2}]}";
        assert_eq!(String::from_utf8_lossy(&file), expected);
        assert_eq!(OperatorMetadata::read(&file), Some(metadata));
        assert_eq!(OperatorMetadata::read(b"v1\n{not json"), None);
    }
}
