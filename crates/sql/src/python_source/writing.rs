//! Writing to a data source of the script's: tasks over partitions, then the commit of what they say.

use std::rc::Rc;

use super::{broken, failed, json, options_json, script};
use crate::error::{ErrorClass, Result, SparkError};
use crate::exec::Partition;
use crate::expr::UdfHost;
use crate::session::SqlSession;
use crate::types::StructType;

/// What one save() or one streaming query writes.
pub struct Writing {
    script: Rc<dyn UdfHost>,
    object: u64,
}

impl Writing {
    /// `class`: the registered source, of this name.
    pub fn new(
        session: &SqlSession,
        class: u64,
        name: &str,
        options: &indexmap::IndexMap<String, String>,
        schema: &StructType,
        overwrite: bool,
    ) -> Result<Self> {
        let script = script(session)?;
        let texts = [name, &options_json(options), &json(schema), if overwrite { "true" } else { "false" }];
        let object = script.make(class, "writing", &texts)?;
        Ok(Self { script, object })
    }

    /// Writes the rows, partition by partition. `batch`: of a streaming query. A task that fails aborts the job.
    pub fn write(&self, partitions: &[Partition], batch: Option<i64>) -> Result<()> {
        let stream = if batch.is_some() { "true" } else { "false" };
        self.script.ask(self.object, "begin", &[stream]).map_err(failed("initialize", "writer"))?;
        let tasks = partitions.len();
        let mut written = partitions.iter().map(|rows| self.script.write(self.object, "write", &[], rows));
        let failed = match written.find_map(Result::err) {
            Some(error) => Some(error),
            None => self.finish("commit", tasks, batch).err(),
        };
        let Some(error) = failed else { return Ok(()) };
        match self.finish("abort", tasks, batch) {
            Ok(()) => Err(error),
            // WRITING_JOB_FAILED: what failed first is the cause.
            Err(_) => Err(SparkError::new(ErrorClass::Spark, "_LEGACY_ERROR_TEMP_2070", &[]).with_cause(error)),
        }
    }

    fn finish(&self, method: &str, tasks: usize, batch: Option<i64>) -> Result<()> {
        let tasks = tasks.to_string();
        let Some(batch) = batch else {
            let done = self.script.ask(self.object, "finish", &[method, &tasks]);
            return done.map(drop).map_err(failed("commit or abort", "write"));
        };
        let done = self.script.ask(self.object, "finish_stream", &[method, &tasks, &batch.to_string()]);
        done.map(drop).map_err(broken(method))
    }
}
