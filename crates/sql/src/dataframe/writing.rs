//! DataFrameWriter.

use super::WriteSpec;
use crate::error::{Result, SparkError};
use crate::plan::PlanRef;
use crate::session::SqlSession;

/// df.write...save(), saveAsTable().
pub fn write(session: &SqlSession, plan: &PlanRef, spec: WriteSpec) -> Result<()> {
    let _ = (session, plan, spec);
    Err(SparkError::not_yet("Writing files"))
}
