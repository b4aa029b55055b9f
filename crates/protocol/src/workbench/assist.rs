//! Help beside the session: checks of a script, results as files, the session's time zone.

use arrow::record_batch::RecordBatch;
use tidemark_sql::conf::SqlConf;
use tidemark_sql::datasource::write::FileWriter;
use tidemark_sql::error::SparkError;
use tidemark_sql::types::StructType;
use tidemark_vfs::{FileSystem, MemoryFs};

use super::{Workbench, report};
use crate::messages::{AssistCommand, AssistEvent, BatchTable, Event, Problem, ResultFormat};

impl Workbench {
    pub(super) fn assist(&mut self, command: AssistCommand) {
        match command {
            AssistCommand::Check { edit, text } => {
                let unit = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                let problem =
                    |p: tidemark_pyspark::Problem| Problem { from: unit(p.from), to: unit(p.to), message: p.message };
                let problems = tidemark_pyspark::check(&text).into_iter().map(problem).collect();
                self.shared.event(Event::Assist(AssistEvent::Checked { edit, problems }));
            }
            AssistCommand::Export { query, batch, format } => self.export(&query, batch, format),
        }
    }

    fn session_zone(&self) -> Option<String> {
        let zone = self.engine.as_ref()?.sql().conf.borrow().get("spark.sql.session.timeZone")?;
        (!zone.is_empty()).then_some(zone)
    }

    /// Keeps the session's time zone with the workspace: what it shows after a reload is in it.
    pub(super) fn note_zone(&self) {
        if let Some(zone) = self.session_zone().filter(|_| !self.replay.is_stale()) {
            self.shared.ledger.borrow_mut().set_zone(&zone);
        }
    }

    /// Says the session's time zone if it is another one than before.
    pub(super) fn tell_zone(&mut self) {
        let zone = self.session_zone().unwrap_or_else(|| self.shared.ledger.borrow().zone().to_owned());
        if zone != self.zone_said {
            self.zone_said.clone_from(&zone);
            self.shared.event(Event::Assist(AssistEvent::Zone(zone)));
        }
    }

    fn export(&self, query: &str, batch: i64, format: ResultFormat) {
        let ledger = self.shared.ledger.borrow();
        let Some(seen) = ledger.batch(query, batch) else {
            return self.refuse("export", "this batch is not remembered");
        };
        let kept = self.shared.kept.borrow();
        let rows = kept.iter().find(|kept| kept.query == query && kept.batch == batch).map(|kept| kept.rows.as_slice());
        let columns = &seen.output;
        let whole = rows.is_some() || columns.rows.len() == columns.total;
        let content = match (format, rows) {
            _ if !whole => return self.refuse("export", "only the first rows of this batch are left: run it again"),
            (ResultFormat::Json, Some(rows)) => {
                let conf = self.engine.as_ref().map(|engine| engine.sql().conf.borrow().clone()).unwrap_or_default();
                match json_lines(rows, &conf) {
                    Ok(content) => content,
                    Err(error) => return self.refuse("export", error.to_string()),
                }
            }
            (ResultFormat::Json, None) => remembered_lines(columns, &columns.rows),
            (ResultFormat::Csv, Some(rows)) => csv(columns, &report::cells(rows, &self.zone(), 0, usize::MAX)),
            (ResultFormat::Csv, None) => csv(columns, &columns.rows),
        };
        let name = ledger.query_name(query).unwrap_or("query").to_owned();
        let name = format!("{}-batch-{batch}.{}", safe(&name), format.extension());
        self.shared.event(Event::Assist(AssistEvent::Exported { name, content }));
    }
}

/// A name as a file may have it everywhere.
fn safe(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).collect()
}

/// As Spark's JSON writer writes them.
fn json_lines(rows: &[RecordBatch], conf: &SqlConf) -> Result<Vec<u8>, SparkError> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let schema = StructType::from_arrow(&first.schema())?;
    let fs = MemoryFs::new();
    let writer = FileWriter::new("json", &Default::default(), &schema, &[], conf)?;
    let written = writer.write(&fs, "/out", &[rows.to_vec()], &|_, _, _| "rows.json".to_owned(), 0)?;
    let path = written.first().map(|file| file.path.clone()).unwrap_or_default();
    Ok(fs.read(&path).map(|content| content.to_vec()).unwrap_or_default())
}

/// JSON of cells alone: what is left of a batch after a reload. Numbers stay numbers, all else is text.
fn remembered_lines(table: &BatchTable, rows: &[Vec<Option<String>>]) -> Vec<u8> {
    let mut text = String::new();
    for row in rows {
        let object: serde_json::Map<String, serde_json::Value> = table
            .columns
            .iter()
            .zip(row)
            .filter_map(|(column, cell)| {
                let cell = cell.as_ref()?;
                let plain = matches!(
                    column.data_type.as_str(),
                    "int" | "bigint" | "smallint" | "tinyint" | "double" | "float" | "boolean"
                );
                let value = serde_json::from_str(cell).ok().filter(|_| plain);
                Some((column.name.clone(), value.unwrap_or_else(|| cell.clone().into())))
            })
            .collect();
        text.push_str(&serde_json::Value::Object(object).to_string());
        text.push('\n');
    }
    text.into_bytes()
}

fn csv(table: &BatchTable, rows: &[Vec<Option<String>>]) -> Vec<u8> {
    let quoted = |cell: &str| {
        if cell.is_empty() || cell.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    };
    let line = |cells: Vec<String>| cells.join(",") + "\r\n";
    let mut text = line(table.columns.iter().map(|column| quoted(&column.name)).collect());
    for row in rows {
        text.push_str(&line(row.iter().map(|cell| cell.as_deref().map_or_else(String::new, quoted)).collect()));
    }
    text.into_bytes()
}
