//! The table of entries: key, type, default. Only what scripts set and the engine reads.

use crate::error::{ErrorClass, Result, SparkError};
use crate::functions::datetime::zone::Zone;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Long,
    Bytes,
    Time,
    Zone,
    Text,
    /// A text without a default (OptionalConfigEntry).
    Optional,
    /// One of these, upper case.
    OneOf(&'static [&'static str]),
}

use Kind::{Bool, Bytes, Int, Long, OneOf, Optional, Text, Time};

/// Sorted by key.
const ENTRIES: &[(&str, Kind, &str)] = &[
    ("spark.sql.adaptive.advisoryPartitionSizeInBytes", Bytes, "64MB"),
    ("spark.sql.adaptive.coalescePartitions.enabled", Bool, "true"),
    ("spark.sql.adaptive.enabled", Bool, "true"),
    ("spark.sql.adaptive.localShuffleReader.enabled", Bool, "true"),
    ("spark.sql.adaptive.skewJoin.enabled", Bool, "true"),
    ("spark.sql.analyzer.failAmbiguousSelfJoin", Bool, "true"),
    ("spark.sql.ansi.doubleQuotedIdentifiers", Bool, "false"),
    ("spark.sql.ansi.enabled", Bool, "true"),
    ("spark.sql.ansi.enforceReservedKeywords", Bool, "false"),
    ("spark.sql.autoBroadcastJoinThreshold", Bytes, "10485760b"),
    ("spark.sql.broadcastTimeout", Time, "300000ms"),
    ("spark.sql.caseSensitive", Bool, "false"),
    ("spark.sql.cbo.enabled", Bool, "false"),
    ("spark.sql.charAsVarchar", Bool, "false"),
    ("spark.sql.codegen.wholeStage", Bool, "true"),
    ("spark.sql.columnNameOfCorruptRecord", Text, "_corrupt_record"),
    ("spark.sql.crossJoin.enabled", Bool, "true"),
    ("spark.sql.csv.parser.columnPruning.enabled", Bool, "true"),
    ("spark.sql.datetime.java8API.enabled", Bool, "false"),
    ("spark.sql.debug.maxToStringFields", Int, "25"),
    ("spark.sql.decimalOperations.allowPrecisionLoss", Bool, "true"),
    ("spark.sql.defaultCatalog", Text, "spark_catalog"),
    ("spark.sql.execution.arrow.maxRecordsPerBatch", Int, "10000"),
    ("spark.sql.execution.arrow.pyspark.enabled", Bool, "true"),
    ("spark.sql.execution.arrow.pyspark.fallback.enabled", Bool, "true"),
    ("spark.sql.execution.pythonUDF.arrow.enabled", Bool, "true"),
    ("spark.sql.files.ignoreCorruptFiles", Bool, "false"),
    ("spark.sql.files.ignoreMissingFiles", Bool, "false"),
    ("spark.sql.files.maxPartitionBytes", Bytes, "128MB"),
    ("spark.sql.files.maxRecordsPerFile", Long, "0"),
    ("spark.sql.files.openCostInBytes", Bytes, "4MB"),
    ("spark.sql.groupByOrdinal", Bool, "true"),
    ("spark.sql.lateralColumnAlias.enableImplicitResolution", Bool, "true"),
    ("spark.sql.groupByAliases", Bool, "true"),
    ("spark.sql.inMemoryColumnarStorage.batchSize", Int, "10000"),
    ("spark.sql.inMemoryColumnarStorage.compressed", Bool, "true"),
    ("spark.sql.join.preferSortMergeJoin", Bool, "true"),
    ("spark.sql.json.enablePartialResults", Bool, "true"),
    ("spark.sql.jsonGenerator.ignoreNullFields", Bool, "true"),
    ("spark.sql.leafNodeDefaultParallelism", Int, ""),
    ("spark.sql.legacy.pathOptionBehavior.enabled", Bool, "false"),
    ("spark.sql.legacy.sizeOfNull", Bool, "true"),
    ("spark.sql.legacy.timeParserPolicy", OneOf(&["EXCEPTION", "CORRECTED", "LEGACY"]), "EXCEPTION"),
    ("spark.sql.mapKeyDedupPolicy", OneOf(&["EXCEPTION", "LAST_WIN"]), "EXCEPTION"),
    ("spark.sql.maxPlanStringLength", Bytes, "2147483632b"),
    ("spark.sql.optimizer.excludedRules", Text, ""),
    ("spark.sql.optimizer.maxIterations", Int, "100"),
    ("spark.sql.orderByOrdinal", Bool, "true"),
    ("spark.sql.parquet.binaryAsString", Bool, "false"),
    ("spark.sql.parquet.compression.codec", Text, "snappy"),
    ("spark.sql.parquet.filterPushdown", Bool, "true"),
    ("spark.sql.parquet.mergeSchema", Bool, "false"),
    ("spark.sql.parquet.outputTimestampType", OneOf(&["INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"]), "INT96"),
    ("spark.sql.parser.quotedRegexColumnNames", Bool, "false"),
    ("spark.sql.pivotMaxValues", Int, "10000"),
    ("spark.sql.pyspark.inferNestedDictAsStruct.enabled", Bool, "false"),
    ("spark.sql.pyspark.jvmStacktrace.enabled", Bool, "false"),
    ("spark.sql.repl.eagerEval.enabled", Bool, "false"),
    ("spark.sql.repl.eagerEval.maxNumRows", Int, "20"),
    ("spark.sql.repl.eagerEval.truncate", Int, "20"),
    ("spark.sql.retainGroupColumns", Bool, "true"),
    ("spark.sql.selfJoinAutoResolveAmbiguity", Bool, "true"),
    ("spark.sql.session.timeZone", Kind::Zone, "UTC"),
    ("spark.sql.shuffle.partitions", Int, "200"),
    ("spark.sql.sources.default", Text, "parquet"),
    ("spark.sql.sources.partitionColumnTypeInference.enabled", Bool, "true"),
    ("spark.sql.sources.partitionOverwriteMode", OneOf(&["STATIC", "DYNAMIC"]), "STATIC"),
    ("spark.sql.statistics.fallBackToHdfs", Bool, "false"),
    ("spark.sql.storeAssignmentPolicy", OneOf(&["ANSI", "STRICT", "LEGACY"]), "ANSI"),
    ("spark.sql.streaming.aggregation.stateFormatVersion", Int, "2"),
    ("spark.sql.streaming.checkpointLocation", Optional, ""),
    (
        "spark.sql.streaming.commitProtocolClass",
        Text,
        "org.apache.spark.sql.execution.streaming.ManifestFileCommitProtocol",
    ),
    ("spark.sql.streaming.continuous.epochBacklogQueueSize", Int, "10000"),
    ("spark.sql.streaming.continuous.executorPollIntervalMs", Time, "100ms"),
    ("spark.sql.streaming.continuous.executorQueueSize", Int, "1024"),
    ("spark.sql.streaming.fileSink.log.cleanupDelay", Time, "600000ms"),
    ("spark.sql.streaming.fileSink.log.compactInterval", Int, "10"),
    ("spark.sql.streaming.fileSink.log.deletion", Bool, "true"),
    ("spark.sql.streaming.fileSource.cleaner.numThreads", Int, "1"),
    ("spark.sql.streaming.fileSource.log.cleanupDelay", Time, "600000ms"),
    ("spark.sql.streaming.fileSource.log.compactInterval", Int, "10"),
    ("spark.sql.streaming.fileSource.log.deletion", Bool, "true"),
    ("spark.sql.streaming.fileSource.schema.forceNullable", Bool, "true"),
    ("spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion", Int, "2"),
    ("spark.sql.streaming.forceDeleteTempCheckpointLocation", Bool, "false"),
    ("spark.sql.streaming.join.stateFormatVersion", Int, "2"),
    ("spark.sql.streaming.kafka.useDeprecatedOffsetFetching", Bool, "false"),
    ("spark.sql.streaming.maxBatchesToRetainInMemory", Int, "2"),
    ("spark.sql.streaming.metricsEnabled", Bool, "false"),
    ("spark.sql.streaming.minBatchesToRetain", Int, "100"),
    ("spark.sql.streaming.multipleWatermarkPolicy", Text, "min"),
    ("spark.sql.streaming.noDataMicroBatches.enabled", Bool, "true"),
    ("spark.sql.streaming.noDataProgressEventInterval", Time, "10000ms"),
    ("spark.sql.streaming.numRecentProgressUpdates", Int, "100"),
    ("spark.sql.streaming.offsetLog.formatVersion", Int, "1"),
    ("spark.sql.streaming.pollingDelay", Time, "10ms"),
    ("spark.sql.streaming.schemaInference", Bool, "false"),
    ("spark.sql.streaming.sessionWindow.merge.sessions.in.local.partition", Bool, "false"),
    ("spark.sql.streaming.sessionWindow.stateFormatVersion", Int, "1"),
    ("spark.sql.streaming.stateStore.checkpointFormatVersion", Int, "1"),
    ("spark.sql.streaming.stateStore.compression.codec", Text, "lz4"),
    ("spark.sql.streaming.stateStore.encodingFormat", Text, "unsaferow"),
    ("spark.sql.streaming.stateStore.maintenanceInterval", Time, "60000ms"),
    ("spark.sql.streaming.stateStore.minDeltasForSnapshot", Int, "10"),
    (
        "spark.sql.streaming.stateStore.providerClass",
        Text,
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
    ),
    ("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", Bool, "false"),
    ("spark.sql.streaming.stateStore.rocksdb.formatVersion", Int, "5"),
    ("spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows", Bool, "true"),
    ("spark.sql.streaming.stateStore.stateSchemaCheck", Bool, "true"),
    ("spark.sql.streaming.statefulOperator.allowMultiple", Bool, "true"),
    ("spark.sql.streaming.statefulOperator.checkCorrectness.enabled", Bool, "true"),
    ("spark.sql.streaming.statefulOperator.useStrictDistribution", Bool, "true"),
    ("spark.sql.streaming.stopActiveRunOnRestart", Bool, "true"),
    ("spark.sql.streaming.stopTimeout", Time, "0ms"),
    ("spark.sql.streaming.triggerAvailableNowWrapper.enabled", Bool, "false"),
    ("spark.sql.streaming.ui.enabled", Bool, "true"),
    ("spark.sql.streaming.unsupportedOperationCheck", Bool, "true"),
    ("spark.sql.timeType.enabled", Bool, "false"),
    ("spark.sql.timestampType", OneOf(&["TIMESTAMP_NTZ", "TIMESTAMP_LTZ"]), "TIMESTAMP_LTZ"),
    ("spark.sql.variable.substitute", Bool, "true"),
    ("spark.sql.view.maxNestedViewDepth", Int, "100"),
    ("spark.sql.warehouse.dir", Text, "spark-warehouse"),
];

/// StaticSQLConf and entries of the core that a running session cannot change.
const STATIC: &[&str] = &[
    "spark.sql.cache.serializer",
    "spark.sql.catalogImplementation",
    "spark.sql.codegen.cache.maxEntries",
    "spark.sql.event.truncate.length",
    "spark.sql.extensions",
    "spark.sql.filesourceTableRelationCacheSize",
    "spark.sql.globalTempDatabase",
    "spark.sql.queryExecutionListeners",
    "spark.sql.sources.schemaStringLengthThreshold",
    "spark.sql.streaming.streamingQueryListeners",
    "spark.sql.streaming.ui.enabled",
    "spark.sql.streaming.ui.retainedQueries",
    "spark.sql.streaming.ui.retainedProgressUpdates",
    "spark.sql.ui.retainedExecutions",
    "spark.sql.warehouse.dir",
];

fn entry(key: &str) -> Option<&'static (&'static str, Kind, &'static str)> {
    ENTRIES.iter().find(|e| e.0 == key)
}

pub(super) fn default_of(key: &str) -> Option<&'static str> {
    entry(key).filter(|e| e.1 != Optional).map(|e| e.2)
}

pub(super) fn is_sql(key: &str) -> bool {
    entry(key).is_some()
}

pub(super) fn is_static(key: &str) -> bool {
    STATIC.contains(&key)
}

/// Entries registered by Spark's core (ConfigEntry), which spark.conf.set refuses.
pub(super) fn is_core(key: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "spark.driver.",
        "spark.executor.",
        "spark.task.",
        "spark.shuffle.",
        "spark.eventLog.",
        "spark.ui.",
        "spark.memory.",
        "spark.scheduler.",
        "spark.storage.",
        "spark.network.",
        "spark.dynamicAllocation.",
        "spark.kryo",
    ];
    matches!(
        key,
        "spark.master" | "spark.app.name" | "spark.cores.max" | "spark.serializer" | "spark.jars" | "spark.local.dir"
    ) || PREFIXES.iter().any(|p| key.starts_with(p))
}

/// Checks a value against its entry, with Spark's error.
pub(super) fn check(key: &str, value: &str) -> Result<()> {
    let Some((_, kind, _)) = entry(key) else { return Ok(()) };
    let text = value.trim();
    let refuse = |condition: &str, name: &str, parameter: &str| {
        Err(SparkError::new(
            ErrorClass::IllegalArgument,
            condition,
            &[("confValue", value), ("confName", key), (name, parameter)],
        ))
    };
    let mismatch = |kind: &str| refuse("INVALID_CONF_VALUE.TYPE_MISMATCH", "confType", kind);
    match kind {
        Bool if !matches!(text.to_ascii_lowercase().as_str(), "true" | "false") => return mismatch("boolean"),
        Int if text.parse::<i32>().is_err() && !text.is_empty() => return mismatch("int"),
        Long if text.parse::<i64>().is_err() => return mismatch("long"),
        Bytes if parse_bytes(text).is_none() => return mismatch("bytes in BYTE"),
        Time if parse_millis(text).is_none() => {
            let seconds = key == "spark.sql.broadcastTimeout";
            return mismatch(if seconds { "time in SECONDS" } else { "time in MILLISECONDS" });
        }
        Kind::Zone if Zone::parse(value).is_none() => {
            return refuse("INVALID_CONF_VALUE.TIME_ZONE", "confType", "");
        }
        OneOf(options) if !options.contains(&text.to_ascii_uppercase().as_str()) => {
            return refuse("INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", "confOptions", &options.join(", "));
        }
        _ => {}
    }
    let positive = match key {
        "spark.sql.shuffle.partitions" => Some("The value of spark.sql.shuffle.partitions must be positive"),
        "spark.sql.streaming.minBatchesToRetain" => Some("minBatchesToRetain must be positive"),
        _ => None,
    };
    if let Some(requirement) = positive
        && text.parse::<i32>().is_ok_and(|n| n <= 0)
    {
        return refuse("INVALID_CONF_VALUE.REQUIREMENT", "confRequirement", requirement);
    }
    let (valid, requirement): (&[&str], &str) = match key {
        "spark.sql.streaming.multipleWatermarkPolicy" => (
            &["min", "max"],
            "Invalid value for 'spark.sql.streaming.multipleWatermarkPolicy'. Valid values are 'min' and 'max'",
        ),
        "spark.sql.streaming.aggregation.stateFormatVersion"
        | "spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion" => {
            (&["1", "2"], "Valid versions are 1 and 2")
        }
        "spark.sql.streaming.join.stateFormatVersion" => (&["1", "2", "3", "4"], "Valid versions are 1, 2, 3, and 4"),
        _ => return Ok(()),
    };
    if valid.contains(&&*text.to_ascii_lowercase()) {
        return Ok(());
    }
    refuse("INVALID_CONF_VALUE.REQUIREMENT", "confRequirement", requirement)
}

/// JavaUtils.byteStringAsBytes.
pub(super) fn parse_bytes(text: &str) -> Option<i64> {
    let (number, unit) = split_unit(text)?;
    let factor = match unit.as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        "g" | "gb" => 1 << 30,
        "t" | "tb" => 1 << 40,
        "p" | "pb" => 1 << 50,
        _ => return None,
    };
    number.checked_mul(factor)
}

/// JavaUtils.timeStringAsMs.
pub(super) fn parse_millis(text: &str) -> Option<i64> {
    let (number, unit) = split_unit(text)?;
    Some(match unit.as_str() {
        "us" => number / 1000,
        "" | "ms" => number,
        "s" => number.checked_mul(1000)?,
        "m" | "min" => number.checked_mul(60_000)?,
        "h" => number.checked_mul(3_600_000)?,
        "d" => number.checked_mul(86_400_000)?,
        _ => return None,
    })
}

fn split_unit(text: &str) -> Option<(i64, String)> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(text.len());
    let number = text.get(..end)?.parse().ok()?;
    Some((number, text[end..].to_owned()))
}
