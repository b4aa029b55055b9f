//! cache(), persist() and CACHE TABLE: which plans are cached. Plans are cheap to run again, so that rows are not kept; the
//! catalog and the frames tell what Spark's would.

use std::sync::Arc;

use super::same_semantics;
use crate::analyzer::streaming_checks::check_batch;
use crate::error::Result;
use crate::expr::Attribute;
use crate::plan::{LogicalPlan, PlanRef};
use crate::session::SqlSession;

/// MEMORY_AND_DISK_DESER: disk, memory, off heap, deserialized, replicas.
pub(super) const DESERIALIZED: &str = "1 1 0 1 1";

/// A plan that is cached, with its storage level as it was given.
#[derive(Clone, Debug)]
pub struct Cached {
    plan: PlanRef,
    level: String,
}

/// CacheManager.cacheQuery: a plan that is cached already keeps its level. A stream is no batch and is refused.
pub fn cache(session: &SqlSession, plan: &PlanRef, level: &str) -> Result<()> {
    check_batch(plan)?;
    if storage_level(session, plan).is_none() {
        session.cached.borrow_mut().push(Cached { plan: plan.clone(), level: level.to_owned() });
    }
    Ok(())
}

/// CacheManager.uncacheQuery.
pub fn uncache(session: &SqlSession, plan: &PlanRef) {
    session.cached.borrow_mut().retain(|cached| !same_semantics(&cached.plan, plan));
}

/// The level that the plan is cached with.
pub fn storage_level(session: &SqlSession, plan: &PlanRef) -> Option<String> {
    let cached = session.cached.borrow();
    cached.iter().find(|cached| same_semantics(&cached.plan, plan)).map(|cached| cached.level.clone())
}

/// Whether the files with this output are read below a cached plan.
pub fn is_cached(session: &SqlSession, output: &[Arc<Attribute>]) -> bool {
    let is_it = |plan: &LogicalPlan| matches!(plan, LogicalPlan::FileRelation(r) if r.output == output);
    session.cached.borrow().iter().any(|cached| cached.plan.any(&is_it))
}

/// CLEAR CACHE.
pub fn clear_cache(session: &SqlSession) {
    session.cached.borrow_mut().clear();
}
