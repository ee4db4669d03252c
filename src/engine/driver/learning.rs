//! Turns answers into memory: some time after the last answer, one thread per profile learns from all of them. Rows
//! learn at once; here a person is asked about those that need it. Whoever stores something to do here says that
//! everything moved; until then nothing is read.

use super::engine::Engine;
use crate::engine::store::{OpenLesson, StoreError};
use crate::inbox::{LEARNING_WORKFLOW, ROW_WORKFLOW};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::time::Duration;
use tokio::time::Instant;

/// What the driver remembers about lessons between looks. Its clock is monotonic and starts over with each driver.
#[derive(Default)]
pub(crate) struct PendingLessons {
    /// The newest lesson of each profile, and when we first saw it.
    newest: HashMap<String, (i64, Instant)>,
    /// When to look again, if there is anything to wait for.
    due: Option<Instant>,
}

impl PendingLessons {
    /// There may be something new: the next look reads.
    pub(crate) fn doubt(&mut self) {
        self.due = Some(Instant::now());
    }

    /// Starts a thread for each profile whose newest lesson is old enough. Returns when to look again, or `None` if
    /// there is nothing to learn.
    pub(crate) async fn look(
        &mut self,
        engine: &Engine,
        delay: Duration,
    ) -> Result<Option<Instant>, StoreError> {
        let now = Instant::now();
        if self.due.is_some_and(|due| due <= now) {
            self.due = self.read(engine, delay, now).await?;
        }
        Ok(self.due)
    }

    async fn read(
        &mut self,
        engine: &Engine,
        delay: Duration,
        now: Instant,
    ) -> Result<Option<Instant>, StoreError> {
        let mut wake = ask_about_rows(engine).await?.then_some(now);
        if engine.registry().get(LEARNING_WORKFLOW).is_none() {
            return Ok(wake);
        }
        let mut profiles: BTreeMap<String, Vec<OpenLesson>> = BTreeMap::new();
        for lesson in engine.store().memory().open_lessons()? {
            profiles.entry(lesson.namespace.clone()).or_default().push(lesson);
        }
        self.newest.retain(|namespace, _| profiles.contains_key(namespace));
        for (namespace, lessons) in profiles {
            let newest = lessons.last().map_or(0, |lesson| lesson.seq);
            let since = match self.newest.get(&namespace) {
                Some((seq, since)) if *seq == newest => *since,
                _ => {
                    self.newest.insert(namespace.clone(), (newest, now));
                    now
                }
            };
            let mut due = since + delay;
            if due <= now {
                let began = begin(engine, &namespace, &lessons).await;
                let Some(began) = unless_it_cannot(began, &namespace)? else { continue };
                self.newest.remove(&namespace);
                due = if began { now } else { now + delay };
            }
            wake = Some(wake.map_or(due, |soonest| soonest.min(due)));
        }
        Ok(wake)
    }
}

/// Starts a thread for each row that a person is to be asked about; says whether there was one.
async fn ask_about_rows(engine: &Engine) -> Result<bool, StoreError> {
    let mut asked = false;
    for row in engine.store().memory().rows_to_ask_about()? {
        // If this engine does not know the workflow, it leaves the row to one that does.
        if let Ok(new) = engine.new_thread(ROW_WORKFLOW, json!({ "row": row }), "") {
            let asking =
                engine.store().memory().ask_about_row(new, row.key.clone(), engine.step_limit()).await;
            asked |= unless_it_cannot(asking, row.key)?.is_some();
        }
    }
    Ok(asked)
}

/// What was done, or nothing if it can't be: one row or profile does not hold up the others. A write that may succeed
/// later is an error.
fn unless_it_cannot<T>(done: Result<T, StoreError>, what: impl Display) -> Result<Option<T>, StoreError> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(error @ (StoreError::Full | StoreError::Busy)) => Err(error),
        Err(error) => {
            tracing::error!(%what, %error, "cannot be learned from");
            Ok(None)
        }
    }
}

/// Starts the thread that learns from these lessons; says whether one does now.
async fn begin(engine: &Engine, namespace: &str, lessons: &[OpenLesson]) -> Result<bool, StoreError> {
    let causes: Vec<Value> =
        lessons.iter().filter_map(|lesson| serde_json::from_str(&lesson.cause).ok()).collect();
    let last = lessons.last();
    let input = json!({
        "namespace": namespace,
        "causes": causes,
        "thread": last.map(|lesson| lesson.thread.to_string()),
        "interrupt": last.and_then(|lesson| lesson.interrupt.clone()),
    });
    let new = match engine.new_thread(LEARNING_WORKFLOW, input, "") {
        Ok(new) => new,
        Err(error) => {
            tracing::error!(%namespace, %error, "answers cannot be learned from");
            return Ok(false);
        }
    };
    let seqs = lessons.iter().map(|lesson| lesson.seq).collect();
    match engine.store().memory().start_learning(new, seqs, engine.step_limit()).await {
        // Another process was quicker.
        Err(StoreError::Moved) => Ok(true),
        started => started.map(|_| true),
    }
}

#[cfg(test)]
mod tests {
    use super::super::engine::Settings;
    use super::*;
    use crate::engine::store::{FILE, Store};
    use crate::inbox::Registry;

    #[tokio::test]
    async fn nothing_is_read_unless_there_may_be_something_new() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let engine = Engine::new(store, Registry::new([]), Settings::default());
        // Whoever reads now fails.
        let db = rusqlite::Connection::open(folder.path().join(FILE)).unwrap();
        db.execute("DROP TABLE taught", []).unwrap();
        let mut lessons = PendingLessons::default();
        assert!(matches!(lessons.look(&engine, Duration::ZERO).await, Ok(None)));
        lessons.doubt();
        for look in ["the first", "the next"] {
            assert!(lessons.look(&engine, Duration::ZERO).await.is_err(), "{look}");
        }
    }
}
