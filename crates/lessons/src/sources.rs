//! The files, built in as they stand below `www/`.

macro_rules! texts {
    ($folder:literal: $($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../../www/", $folder, "/", $file)))),*]
    };
}

/// File name and text, in their order.
pub(crate) const LESSONS: &[(&str, &str)] = texts!(
    "lessons":
    "01-first-stream.md",
    "02-schema.md",
    "03-output-modes.md",
    "04-append-needs-a-watermark.md",
    "05-windows.md",
    "06-watermark.md",
    "07-delay.md",
    "08-boundary.md",
    "09-sliding-and-session.md",
    "10-deduplication.md",
    "11-join-with-a-table.md",
    "12-join-of-two-streams.md",
    "13-checkpoints.md",
    "14-what-a-restart-refuses.md",
    "15-once-and-available-now.md",
    "16-kafka.md",
    "17-monitoring.md",
    "18-continuous-mode.md",
    "19-cost-of-complete-mode.md",
);

/// File name and text; themes in the order of the lessons.
pub(crate) const GALLERY: &[(&str, &str)] = texts!(
    "gallery":
    "filter_purchases.py",
    "csv_with_header.py",
    "word_count.py",
    "bad_json.py",
    "tumbling_totals.py",
    "sliding_average.py",
    "user_sessions.py",
    "top_of_each_minute.py",
    "days_in_shanghai.py",
    "stream_and_table.py",
    "ads_and_clicks.py",
    "ads_without_a_click.py",
    "was_it_clicked.py",
    "dedup_for_ever.py",
    "dedup_within_watermark.py",
    "dedup_then_count.py",
    "running_totals.py",
    "state_in_python.py",
    "foreach_batch.py",
    "parquet_once.py",
    "memory_table.py",
    "two_queries.py",
    "kafka_parse.py",
    "kafka_to_kafka.py",
    "kafka_limit.py",
    "progress_report.py",
    "listener.py",
    "observe.py",
);
