//! State rows of an operator for people: any version that is there, beside the one before it.

use std::collections::BTreeMap;
use std::rc::Rc;

use tidemark_sql::error::{Result, SparkError};
use tidemark_sql::exec::ExecRef;
use tidemark_sql::types::StructType;

use super::nodes::{StateWriter, writers};
use crate::inspection::{RowMark, StatePage, StateRequest, StateRowView, StateSection};
use crate::state::{DEFAULT_STORE, StateSchema, Step, StoreId, StoreVersion, format_rows};

type Cells = Vec<Option<String>>;

/// What `request` asks of the operators of `plan`. `newest`: the newest batch that has committed its state.
pub(crate) fn state_page(plan: &ExecRef, newest: i64, request: &StateRequest) -> Result<StatePage> {
    let found = writers(plan).into_iter().find(|writer| writer.operator_id() == request.operator);
    let Some(writer) = found else {
        return Err(SparkError::internal(format!("the query has no stateful operator {}", request.operator)));
    };
    let batch = request.batch.unwrap_or(newest);
    let shown = shown_stores(writer, request.store.as_deref());
    let mut page = StatePage { batch, stores: store_names(writer), ..StatePage::default() };
    let mut taker = Taker { request, page: &mut page };
    for store in shown {
        let section = Section::new(writer, store);
        taker.add(&section, batch + 1)?;
    }
    Ok(page)
}

fn store_names(writer: &dyn StateWriter) -> Vec<String> {
    let names: Vec<String> = writer.stores().into_iter().map(|(name, _)| name).collect();
    if names.is_empty() { vec![DEFAULT_STORE.to_owned()] } else { names }
}

/// The wanted store. Without a wish a join shows the rows of both sides, not their counts.
fn shown_stores(writer: &dyn StateWriter, wanted: Option<&str>) -> Vec<(String, StateSchema)> {
    let mut stores = writer.stores();
    if stores.is_empty() {
        stores.push((DEFAULT_STORE.to_owned(), (*writer.stateful().schema).clone()));
    }
    let several = stores.len() > 1;
    stores.retain(|(name, _)| match wanted {
        Some(wanted) => name == wanted,
        None => !several || name.ends_with(JOIN_ROWS),
    });
    stores
}

/// End of the names of the stores that hold a join's rows.
const JOIN_ROWS: &str = "keyWithIndexToValue";

/// One store of the operator.
struct Section<'a> {
    writer: &'a dyn StateWriter,
    store: String,
    schema: Rc<StateSchema>,
    /// Rows of a join: the key ends with an index and the value with whether there was a partner.
    join_rows: bool,
    with_matched: bool,
}

impl<'a> Section<'a> {
    fn new(writer: &'a dyn StateWriter, (store, schema): (String, StateSchema)) -> Self {
        let join_rows = store.ends_with(JOIN_ROWS);
        let with_matched = join_rows && schema.value.fields.last().is_some_and(|field| field.name == "matched");
        Self { writer, store, schema: Rc::new(schema), join_rows, with_matched }
    }

    fn head(&self) -> StateSection {
        let columns = |schema: &StructType| {
            schema.fields.iter().map(|f| (f.name.clone(), f.data_type.simple_string())).collect::<Vec<_>>()
        };
        let (mut key, value) = match self.writer.panel_columns() {
            Some(columns) => columns,
            None => (columns(&self.schema.key), columns(&self.schema.value)),
        };
        if self.join_rows {
            key.pop();
        }
        for (column, name) in key.iter_mut().zip(self.writer.key_names(&self.store)) {
            column.0.clone_from(name);
        }
        let lifetime = self.writer.lifetime(&self.store);
        StateSection {
            name: self.store.split_once('-').map(|(side, _)| side.to_owned()).unwrap_or_default(),
            key,
            value,
            rule: lifetime.rule,
            unbounded: lifetime.unbounded,
            compared: true,
            ..StateSection::default()
        }
    }

    /// Cells of rows: key, value and when they leave. Rows that are Spark's own indexes are left out.
    fn rows<'r>(&self, rows: impl Iterator<Item = (&'r [u8], &'r [u8], RowMark)>) -> Result<Vec<Row>> {
        let rows: Vec<_> = rows.collect();
        if self.writer.panel_columns().is_some() {
            let mut found = Vec::new();
            for (key, value, mark) in rows {
                if let Some((key, value, expiry)) = self.writer.panel_row(key, value)? {
                    found.push(Row { key, value, mark, expiry });
                }
            }
            return Ok(found);
        }
        let keys: Vec<&[u8]> = rows.iter().map(|row| row.0).collect();
        let values: Vec<&[u8]> = rows.iter().map(|row| row.1).collect();
        let zone = &self.writer.stateful().batch.zone;
        let keys = format_rows(&self.schema.key, &keys, zone)?;
        let cells = keys.into_iter().zip(format_rows(&self.schema.value, &values, zone)?);
        let mut found = Vec::with_capacity(rows.len());
        for ((mut key, value), (key_row, value_row, mark)) in cells.zip(rows) {
            if self.join_rows {
                key.pop();
            }
            found.push(Row { key, value, mark, expiry: self.writer.expiry(&self.store, key_row, value_row) });
        }
        Ok(found)
    }

    fn value_cells(&self, key: &[u8], value: &[u8]) -> Result<Cells> {
        let rows = self.rows(std::iter::once((key, value, RowMark::Held)))?;
        Ok(rows.into_iter().next().map(|row| row.value).unwrap_or_default())
    }

    fn mark(&self, key: &[u8], step: &Step) -> Result<RowMark> {
        Ok(match step {
            Step::Held => RowMark::Held,
            Step::Added => RowMark::Added,
            Step::Changed(old) => RowMark::Changed(self.value_cells(key, old)?),
        })
    }
}

struct Row {
    key: Cells,
    value: Cells,
    mark: RowMark,
    expiry: Option<String>,
}

/// Collects the rows that fit.
struct Taker<'a> {
    request: &'a StateRequest,
    page: &'a mut StatePage,
}

/// Rows that are made into text at once.
const CHUNK: usize = 512;

impl Taker<'_> {
    fn add(&mut self, section: &Section<'_>, version: i64) -> Result<()> {
        let stateful = section.writer.stateful();
        let operator = stateful.operator;
        let mut head = section.head();
        let partitions = stateful.batch.query.stores.borrow().partitions(operator);
        let index = self.page.sections.len();
        for partition in partitions {
            if self.request.partition.is_some_and(|wanted| wanted != partition) {
                continue;
            }
            let id = StoreId::named(operator, partition, &section.store);
            let found = stateful.batch.query.stores.borrow().version(&id, &section.schema, version)?;
            head.compared &= found.compared;
            if section.writer.panel_columns().is_some() {
                self.panel_partition(section, &mut head, (index, partition), &found)?;
                continue;
            }
            head.held += found.len();
            if section.join_rows {
                self.join_partition(section, &mut head, (index, partition), &found)?;
            } else {
                self.partition(section, &mut head, (index, partition), &found)?;
            }
        }
        self.page.sections.push(head);
        Ok(())
    }

    fn partition(
        &mut self,
        section: &Section<'_>,
        head: &mut StateSection,
        place: (usize, usize),
        found: &StoreVersion,
    ) -> Result<()> {
        for step in found.touched() {
            match step {
                Step::Added => head.added += 1,
                Step::Changed(_) => head.changed += 1,
                Step::Held => {}
            }
        }
        head.removed += found.removed.len();
        let plain = !self.request.changes_only && self.request.filter.is_empty();
        let mut chunk = Vec::new();
        for (key, value, step) in found.rows() {
            if self.request.changes_only && *step == Step::Held {
                continue;
            }
            if plain && !self.wants(self.page.total) {
                self.page.total += 1;
                continue;
            }
            chunk.push((key, value, section.mark(key, step)?));
            if chunk.len() == CHUNK || plain {
                self.take(place, section.rows(chunk.drain(..))?);
            }
        }
        let removed = found.removed.iter().map(|(key, value)| (&key[..], &value[..], RowMark::Removed));
        chunk.extend(removed);
        self.take(place, section.rows(chunk.into_iter())?);
        Ok(())
    }

    /// A store of several kinds of rows, some of them Spark's own indexes: only what is shown counts.
    fn panel_partition(
        &mut self,
        section: &Section<'_>,
        head: &mut StateSection,
        place: (usize, usize),
        found: &StoreVersion,
    ) -> Result<()> {
        let mut all = Vec::new();
        for (key, value, step) in found.rows() {
            all.push((key, value, section.mark(key, step)?));
        }
        all.extend(found.removed.iter().map(|(key, value)| (&key[..], &value[..], RowMark::Removed)));
        let rows = section.rows(all.into_iter())?;
        for row in &rows {
            head.held += usize::from(row.mark != RowMark::Removed);
            head.count(&row.mark);
        }
        self.take(place, rows);
        Ok(())
    }

    /// A join fills the hole of a row with the last one of its key, so a row is known by its cells, not by its index.
    fn join_partition(
        &mut self,
        section: &Section<'_>,
        head: &mut StateSection,
        place: (usize, usize),
        found: &StoreVersion,
    ) -> Result<()> {
        let identity = |row: &Row| {
            let cells = row.value.len() - usize::from(section.with_matched);
            (row.key.clone(), row.value.get(..cells).unwrap_or_default().to_vec())
        };
        let before: Vec<_> = found
            .rows()
            .filter_map(|(key, _, step)| match step {
                Step::Changed(old) => Some((key, &old[..], RowMark::Removed)),
                _ => None,
            })
            .chain(found.removed.iter().map(|(key, value)| (&key[..], &value[..], RowMark::Removed)))
            .collect();
        let mut gone: BTreeMap<_, Vec<Row>> = BTreeMap::new();
        for row in section.rows(before.into_iter())? {
            gone.entry(identity(&row)).or_default().push(row);
        }
        let mut rows = section.rows(found.rows().map(|(key, value, step)| {
            (key, value, if *step == Step::Held { RowMark::Held } else { RowMark::Added })
        }))?;
        for row in &mut rows {
            if row.mark == RowMark::Added
                && let Some(old) = gone.get_mut(&identity(row)).and_then(Vec::pop)
            {
                row.mark = if old.value == row.value { RowMark::Held } else { RowMark::Changed(old.value) };
            }
            head.count(&row.mark);
        }
        let left: Vec<Row> = gone.into_values().flatten().collect();
        head.removed += left.len();
        self.take(place, rows.into_iter().chain(left).collect());
        Ok(())
    }

    fn wants(&self, at: usize) -> bool {
        at >= self.request.offset && at - self.request.offset < self.request.limit
    }

    fn take(&mut self, (section, partition): (usize, usize), rows: Vec<Row>) {
        let filter = self.request.filter.to_lowercase();
        let holds = |cells: &Cells| cells.iter().flatten().any(|cell| cell.to_lowercase().contains(&filter));
        for row in rows {
            if self.request.changes_only && row.mark == RowMark::Held {
                continue;
            }
            if !filter.is_empty() && !holds(&row.key) && !holds(&row.value) {
                continue;
            }
            if self.wants(self.page.total) {
                let Row { key, value, mark, expiry } = row;
                self.page.rows.push(StateRowView { section, partition, key, value, mark, expiry });
            }
            self.page.total += 1;
        }
    }
}
