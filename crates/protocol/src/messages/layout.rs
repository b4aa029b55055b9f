//! What a workspace can be laid from: a script and its inputs.

use serde::{Deserialize, Serialize};

use super::KafkaMessage;

/// A workspace before anything has run in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    pub script: String,
    /// In the order of their arrival.
    pub files: Vec<LaidFile>,
    /// In the order of their arrival. A topic that is not there is made, with one partition.
    pub messages: Vec<LaidMessage>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaidFile {
    /// Absolute, or below the working directory of scripts.
    pub path: String,
    #[serde(with = "serde_bytes")]
    pub content: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaidMessage {
    pub topic: String,
    pub message: KafkaMessage,
}
