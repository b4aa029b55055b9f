//! FileSourceScanExec: files to tasks to batches, with partition columns from folder names.

use std::any::Any;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StructArray};

use super::batch::{make_batch, row_count};
use super::{ExecContext, ExecNode, ExecRef, Partition};
use crate::datasource::partitions;
use crate::datasource::read::ReadTask;
use crate::datasource::relation::{Format, format_named};
use crate::datasource::splits::{self, FileSplit};
use crate::error::Result;
use crate::expr::{Attribute, Expr, ExprId};
use crate::plan::FileRelation;
use crate::planner::text;
use crate::types::StructType;
use crate::value::{Value, repeat_value};

/// Where an output column comes from.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// Position in the required data columns.
    Data(usize),
    /// Position in the partition columns.
    Partition(usize),
    /// `_metadata`: the file and the piece of it.
    Metadata,
}

#[derive(Debug)]
pub struct FileScanExec {
    pub relation: FileRelation,
    pub output: Vec<Arc<Attribute>>,
    /// One for each output column.
    pub columns: Vec<Column>,
    /// The data columns that are read.
    pub required: StructType,
    /// Filters on partition columns, bound to them.
    pub partition_filters: Vec<Expr>,
    /// Filters that the parser applies, bound to `required`.
    pub pushed: Vec<Expr>,
    /// For explain: filters over data columns, over partition columns, and those pushed, as Spark prints them.
    pub shown_data_filters: String,
    pub shown_partition_filters: String,
    pub shown_pushed: String,
    /// The streaming source whose batch this is.
    pub source: Option<ExprId>,
}

/// As many paths as fit into about a hundred characters (Utils.buildLocationMetadata).
fn locations(paths: &[String]) -> String {
    let mut text = String::new();
    for (i, path) in paths.iter().enumerate() {
        let dots = if i > 0 { ", " } else { "" };
        if text.len() >= 100 {
            return format!("{text}{dots}...");
        }
        text.push_str(dots);
        text.push_str(path);
    }
    text
}

/// `_metadata` of `rows` rows of a piece, the first of which is the file's row number `first`; its fields in their order.
fn metadata_of(format: Format, piece: &FileSplit, first: i64, rows: usize) -> Result<ArrayRef> {
    let path = &piece.file.path;
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    let long = |n: u64| Value::Long(i64::try_from(n).unwrap_or(i64::MAX));
    let values = [
        Value::from(crate::datasource::qualified(path)),
        Value::from(name),
        long(piece.file.len),
        long(piece.start),
        long(piece.len),
        Value::Timestamp(piece.file.modified_ms.saturating_mul(1000)),
    ];
    let schema = crate::analyzer::file_metadata::fields(format);
    let mut columns: Vec<ArrayRef> = schema
        .fields
        .iter()
        .zip(&values)
        .map(|(field, value)| repeat_value(&field.data_type, value, rows))
        .collect::<Result<_>>()?;
    if columns.len() < schema.fields.len() {
        let end = first.saturating_add(i64::try_from(rows).unwrap_or(0));
        columns.push(Arc::new(Int64Array::from_iter_values(first..end)));
    }
    Ok(Arc::new(StructArray::try_new(schema.to_arrow_fields(), columns, None)?))
}

impl FileScanExec {
    /// Partition values of the files, and the files whose values pass the filters.
    fn selected(&self, ctx: &ExecContext<'_>) -> Result<Vec<(crate::datasource::FileStatus, Vec<Value>)>> {
        let base = self.relation.options.get("basepath").map(|b| crate::datasource::resolve_path(&ctx.session.cwd, b));
        let bases = partitions::base_paths(&*ctx.session.fs, &self.relation.root_paths, base.as_deref());
        let schema = &self.relation.partition_schema;
        let mut out = Vec::new();
        for file in self.relation.files.iter() {
            let values = partitions::values_of(file, &bases, schema, &ctx.conf)?;
            if !self.partition_filters.is_empty() {
                let columns: Vec<ArrayRef> = schema
                    .fields
                    .iter()
                    .zip(&values)
                    .map(|(f, v)| repeat_value(&f.data_type, v, 1))
                    .collect::<Result<_>>()?;
                let one = make_batch(&crate::catalog::attributes(schema), columns, 1)?;
                let mut keep = true;
                for filter in &self.partition_filters {
                    keep = keep && super::bind::eval_condition(filter, &one, &ctx.eval(0, 0))?.value(0);
                }
                if !keep {
                    continue;
                }
            }
            out.push((file.clone(), values));
        }
        Ok(out)
    }
}

impl FileScanExec {
    /// The lines of explain("formatted") below the name.
    pub fn details(&self, output: &str) -> Vec<String> {
        let format = format_named(&self.relation.format).map_or("", |f| f.shown());
        let roots: Vec<String> = self.relation.root_paths.iter().map(|r| crate::datasource::qualified(r)).collect();
        let mut lines = vec![
            output.to_owned(),
            format!("Batched: {}", format == "Parquet"),
            format!("Location: InMemoryFileIndex [{}]", locations(&roots)),
        ];
        for (name, filters) in
            [("PartitionFilters", &self.shown_partition_filters), ("PushedFilters", &self.shown_pushed)]
        {
            if filters != "[]" {
                lines.push(format!("{name}: {filters}"));
            }
        }
        lines.push(format!("ReadSchema: {}", self.required.simple_string()));
        lines
    }
}

impl ExecNode for FileScanExec {
    fn name(&self) -> String {
        format!("FileScan {}", self.relation.format)
    }
    fn arguments(&self) -> String {
        let format = format_named(&self.relation.format).map_or("", |f| f.shown());
        // A micro-batch reads the files that it was given, not what lies in the folder.
        let roots: Vec<String> = match self.source {
            Some(_) => self.relation.files.iter().map(|f| crate::datasource::qualified(&f.path)).collect(),
            None => self.relation.root_paths.iter().map(|r| crate::datasource::qualified(r)).collect(),
        };
        format!(
            "{} Batched: {}, DataFilters: {}, Format: {format}, Location: InMemoryFileIndex({} paths)[{}], PartitionFilters: {}, PushedFilters: {}, ReadSchema: {}",
            text::attributes(&self.output).replace(", ", ","),
            format == "Parquet",
            self.shown_data_filters,
            roots.len(),
            locations(&roots),
            self.shown_partition_filters,
            self.shown_pushed,
            self.required.simple_string()
        )
    }
    fn output(&self) -> &[Arc<Attribute>] {
        &self.output
    }
    fn children(&self) -> Vec<&ExecRef> {
        Vec::new()
    }
    fn execute(&self, ctx: &ExecContext<'_>) -> Result<Vec<Partition>> {
        let format = format_named(&self.relation.format)?;
        let selected = self.selected(ctx)?;
        let files: Vec<_> = selected.iter().map(|(f, _)| f.clone()).collect();
        let splittable = format.splittable(&self.relation.options)?;
        let tasks = splits::partitions(&files, splittable, &ctx.conf, ctx.default_parallelism);
        let task = ReadTask {
            session: ctx.session,
            conf: &ctx.conf,
            relation: &self.relation,
            format,
            required: &self.required,
            pushed: &self.pushed,
        };
        let mut all = Vec::with_capacity(tasks.len());
        for pieces in &tasks {
            let mut partition = Vec::new();
            for piece in pieces {
                let values = selected.iter().find(|(f, _)| f.path == piece.file.path).map_or(&[][..], |(_, v)| v);
                let mut first = 0_i64;
                task.read(piece, &mut |batch| {
                    let rows = batch.num_rows();
                    let columns: Vec<ArrayRef> = self
                        .columns
                        .iter()
                        .map(|c| match c {
                            Column::Data(i) => Ok(Arc::clone(batch.column(*i))),
                            Column::Metadata => metadata_of(format, piece, first, rows),
                            Column::Partition(i) => {
                                repeat_value(&self.relation.partition_schema.fields[*i].data_type, &values[*i], rows)
                            }
                        })
                        .collect::<Result<_>>()?;
                    partition.push(make_batch(&self.output, columns, rows)?);
                    first = first.saturating_add(i64::try_from(rows).unwrap_or(0));
                    Ok(())
                })?;
            }
            all.push(partition);
        }
        if let Some(source) = self.source {
            let rows: usize = all.iter().map(|p: &Partition| row_count(p)).sum();
            ctx.source_rows.borrow_mut().push((source, i64::try_from(rows).unwrap_or(i64::MAX)));
        }
        Ok(all)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
