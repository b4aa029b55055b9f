//! Which operator wrote the state (OperatorStateMetadata): version 1 in `state/OP/_metadata/metadata`; version 2, with what
//! transformWithState tells of its variables, in `state/OP/_metadata/v2/BATCH`.

use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorMetadata {
    pub operator_id: usize,
    /// "stateStoreSave", "dedupe" ...
    pub operator_name: String,
    pub stores: Vec<StoreMetadata>,
    /// operatorPropertiesJson, in version 2.
    pub properties: Option<String>,
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
        let store = |s: &StoreMetadata| {
            let mut json = json!({"storeName": s.name, "numColsPrefixKey": s.prefix, "numPartitions": s.partitions});
            if self.properties.is_some() {
                json["stateSchemaFilePaths"] = json!([]);
            }
            json
        };
        let stores: Vec<Value> = self.stores.iter().map(store).collect();
        let operator = json!({"operatorId": self.operator_id, "operatorName": self.operator_name});
        let mut json = json!({"operatorInfo": operator, "stateStoreInfo": stores});
        let Some(properties) = &self.properties else { return format!("v1\n{json}").into_bytes() };
        json["operatorPropertiesJson"] = json!(properties);
        format!("v2\n{json}").into_bytes()
    }

    /// None where the file is not of this form: Spark then skips the comparison.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (version, text) = text.split_once('\n')?;
        if version != "v1" && version != "v2" {
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
            properties: json.get("operatorPropertiesJson").and_then(Value::as_str).map(str::to_owned),
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
            properties: None,
        };
        let file = metadata.write();
        let expected = "v1\n{\"operatorInfo\":{\"operatorId\":0,\"operatorName\":\"stateStoreSave\"},\
            \"stateStoreInfo\":[{\"storeName\":\"default\",\"numColsPrefixKey\":0,\"numPartitions\":2}]}";
        assert_eq!(String::from_utf8_lossy(&file), expected);
        assert_eq!(OperatorMetadata::read(&file), Some(metadata.clone()));
        assert_eq!(OperatorMetadata::read(b"v1\n{not json"), None);
        let second = OperatorMetadata { properties: Some("{\"timeMode\":\"NoTime\"}".into()), ..metadata };
        assert!(second.write().starts_with(b"v2\n"));
        assert_eq!(OperatorMetadata::read(&second.write()), Some(second));
    }
}
