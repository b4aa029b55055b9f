//! `writeStream.start()`: checks, checkpoint, and the new query among the session's (StreamingQueryManager.startQuery).

use std::rc::Rc;
use std::sync::Arc;

use tidemark_sql::error::{ErrorClass, Result, SparkError};
use tidemark_sql::plan::{LogicalPlan, PlanRef};
use tidemark_vfs::join;

use crate::api::{Overrides, QueryApi, WriterSpec};
use crate::checkpoint::{fs_error, illegal_state, query_id};
use crate::query::{Query, Setup};
use crate::session::StreamingSession;
use crate::settings::Settings;
use crate::sinks::{ResolvedSink, open_view, parse_output_mode, resolve};
use crate::sources::file::uri_to_path;
use crate::sources::option;
use crate::trigger::Trigger;

const LOCATION: &str = "spark.sql.streaming.checkpointLocation";

pub(crate) fn start(session: &StreamingSession, plan: PlanRef, spec: &WriterSpec) -> Result<Rc<dyn QueryApi>> {
    let overrides = session.overrides.borrow().clone();
    let (plan, spec) = (overridden_plan(plan, &overrides), overridden_spec(spec, &overrides));
    let env = session.env.clone();
    if spec.path.is_some() {
        env.session.conf.borrow().refuse_path_option(&spec.options, "start")?;
    }
    let settings = Settings::of(&env.session.conf.borrow());
    let trigger = Trigger::parse(&spec.trigger)?;
    let output_mode = parse_output_mode(spec.output_mode.as_deref())?;
    let output = plan.output();
    let resolved = resolve(&spec, trigger, output_mode, &output, &env.session, &settings, &env.broker)?;
    crate::batch::check_start(trigger, &resolved.format, &settings)?;
    let (checkpoint, delete_checkpoint) = checkpoint(session, &spec, &resolved, &settings)?;
    if settings.flag("spark.sql.streaming.unsupportedOperationCheck", true) {
        crate::batch::check(&plan, output_mode, trigger, &resolved.format, &env.session)?;
    }
    let stateful = crate::batch::keeps_state(&plan);
    let shown = resolved.sink.description();
    let asynchronous = crate::batch::check_async(&spec.options, trigger, &resolved.format, &shown, stateful)?;
    let now = env.clock.now_ms();
    let fs = &env.session.fs;
    let id = query_id(fs, &checkpoint, || env.ids.uuid(), now)?;
    for folder in ["offsets", "commits"] {
        fs.create_dir_all(&format!("{checkpoint}/{folder}"), now).map_err(|e| fs_error(&e))?;
    }
    let setup = Setup {
        id,
        run_id: env.ids.uuid(),
        name: spec.query_name.clone(),
        options: options_text(&spec),
        plan,
        output: output.clone(),
        output_mode,
        trigger,
        sink_format: resolved.format.clone(),
        checkpoint,
        delete_checkpoint,
        asynchronous,
        settings: settings.clone(),
    };
    refuse_or_stop_others(session, &setup, &settings)?;
    let limit = settings.long("spark.sql.streaming.numRecentProgressUpdates", 100);
    let query = Query::new(env.clone(), session.weak(), setup, resolved.sink, limit);
    session.add(query.clone());
    query.set_status("Initializing sources");
    query.announce();
    if let Some(view) = &resolved.view {
        open_view(&env.session, view, &output)?;
    }
    Ok(query)
}

/// The writer with what a what-if run changes.
fn overridden_spec(spec: &WriterSpec, overrides: &Overrides) -> WriterSpec {
    let mut spec = spec.clone();
    if overrides.output_mode.is_some() {
        spec.output_mode.clone_from(&overrides.output_mode);
    }
    if let Some(trigger) = &overrides.trigger {
        spec.trigger = trigger.clone();
    }
    spec
}

/// The plan with what a what-if run changes of its file sources.
fn overridden_plan(plan: PlanRef, overrides: &Overrides) -> PlanRef {
    let Some(max_files) = overrides.max_files else { return plan };
    let limited = (*plan).clone().try_transform_up(&mut |node| {
        Ok::<_, SparkError>(match node {
            LogicalPlan::StreamingRelation(mut relation) => {
                relation.options.retain(|key, _| !key.eq_ignore_ascii_case("maxFilesPerTrigger"));
                if max_files > 0 {
                    relation.options.retain(|key, _| !key.eq_ignore_ascii_case("maxBytesPerTrigger"));
                    relation.options.insert("maxFilesPerTrigger".to_owned(), max_files.to_string());
                }
                LogicalPlan::StreamingRelation(relation)
            }
            other => other,
        })
    });
    limited.map_or(plan, Arc::new)
}

/// The options of a writer as plans show them; its name and path are options too.
fn options_text(spec: &WriterSpec) -> String {
    let name = spec.query_name.iter().map(|name| ("queryName", name));
    let options = spec.options.iter().map(|(key, value)| (&**key, value)).filter(|(key, _)| *key != "queryName");
    let path = spec.path.iter().map(|path| ("path", path)).filter(|_| option(&spec.options, "path").is_none());
    let all: Vec<String> = name.chain(options).chain(path).map(|(key, value)| format!("{key}={value}")).collect();
    all.join(", ")
}

/// The folder of the checkpoint, made, and whether it goes with the query (ResolveWriteToStream.resolveCheckpointLocation).
fn checkpoint(
    session: &StreamingSession,
    spec: &WriterSpec,
    resolved: &ResolvedSink,
    settings: &Settings,
) -> Result<(String, bool)> {
    let env = &session.env;
    let (location, delete) = if let Some(given) = option(&spec.options, "checkpointLocation") {
        if given.is_empty() {
            return Err(SparkError::plain(ErrorClass::IllegalArgument, "Can not create a Path from an empty string"));
        }
        (given.to_owned(), false)
    } else if let Some(root) = settings.get(LOCATION).filter(|root| !root.is_empty()) {
        let name = spec.query_name.clone().unwrap_or_else(|| env.ids.uuid());
        (format!("{}/{name}", root.trim_end_matches('/')), false)
    } else if resolved.temporary_checkpoint {
        (fresh_folder(session), true)
    } else {
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1298", &[("config", LOCATION)]));
    };
    let folder = join(&env.session.cwd, &uri_to_path(&location));
    let fs = &env.session.fs;
    if !resolved.recovers && fs.exists(&format!("{folder}/offsets")) {
        // Spark names the place as it was given.
        let shown = format!("{}/offsets", location.trim_end_matches('/'));
        return Err(SparkError::analysis("_LEGACY_ERROR_TEMP_1299", &[("checkpointPath", &shown)]));
    }
    if fs.is_file(&folder) {
        return Err(SparkError::plain(
            ErrorClass::Java("org.apache.hadoop.fs.FileAlreadyExistsException"),
            format!("Destination exists and is not a directory: {folder}"),
        ));
    }
    fs.create_dir_all(&folder, env.clock.now_ms()).map_err(|e| {
        if e.kind == tidemark_vfs::FsErrorKind::NotADirectory {
            SparkError::plain(
                ErrorClass::Java("org.apache.hadoop.fs.ParentNotDirectoryException"),
                format!("Parent path is not a directory: file:{}", e.path),
            )
        } else {
            fs_error(&e)
        }
    })?;
    Ok((folder, delete))
}

/// A folder that is not there yet: on a disk, another run with the same seed may have left its own.
fn fresh_folder(session: &StreamingSession) -> String {
    loop {
        let folder = format!("/tmp/temporary-{}", session.env.ids.uuid());
        if !session.env.session.fs.exists(&folder) {
            return folder;
        }
    }
}

/// Two queries may share neither name nor id; a second run of one id stops the first unless that is switched off.
fn refuse_or_stop_others(session: &StreamingSession, setup: &Setup, settings: &Settings) -> Result<()> {
    let active = session.active_queries();
    if let Some(name) = &setup.name
        && active.iter().any(|query| query.setup.name.as_ref() == Some(name))
    {
        return Err(SparkError::plain(
            ErrorClass::IllegalArgument,
            format!(
                "Cannot start query with name {name} as a query with that name is already active in this SparkSession"
            ),
        ));
    }
    let Some(other) = active.iter().find(|query| query.setup.id == setup.id) else { return Ok(()) };
    if settings.flag("spark.sql.streaming.stopActiveRunOnRestart", true) {
        return other.stop();
    }
    Err(illegal_state(format!(
        "Cannot start query with id {} as another query with same id is already active. Perhaps you are attempting to \
         restart a query from checkpoint that is already active. You may stop the old query by setting the SQL \
         configuration: spark.conf.set(\"spark.sql.streaming.stopActiveRunOnRestart\", true) and retry.",
        setup.id
    )))
}
