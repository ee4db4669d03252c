//! Lessons: answers to learn from, kept until a thread learns them.
//!
//! What one answer teaches one profile is stored once, however often that is tried. Each lesson is learned by one
//! thread, started in the same transaction that marks the lesson as taken and empties it: from then on only that thread
//! has what happened.

use crate::engine::graph::{InterruptId, ThreadId};
use crate::engine::store::rows::{self, ThreadRow, damaged, readable, side_row};
use crate::engine::store::threads::start::{NewThread, start};
use crate::engine::store::{Memory, StoreError};
use crate::inbox::{LessonLink, MemoryVersion};
use rusqlite::params;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLesson {
    /// The profile that learns.
    pub namespace: String,
    /// What happened, as JSON.
    pub cause: String,
    /// The answered interrupt.
    pub interrupt: Option<InterruptId>,
}

/// A lesson that no thread has taken yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenLesson {
    /// Its number; later lessons have higher numbers.
    pub seq: i64,
    /// The profile that learns.
    pub namespace: String,
    /// What happened, as JSON.
    pub cause: String,
    /// The thread it came from.
    pub thread: ThreadId,
    /// The answered interrupt.
    pub interrupt: Option<String>,
}

side_row! {
    LessonRow in "lessons":
    namespace: String;
    /// Empty once a thread has taken it.
    cause: String,
    thread: i64,
    key: String,
    interrupt: Option<String>,
    at: i64,
    learner: Option<i64>,
}

impl Memory<'_> {
    /// Stores the lessons of a thread's step, unless they are stored already.
    pub async fn save_lessons(
        self,
        thread: ThreadId,
        step: u64,
        lessons: Vec<NewLesson>,
    ) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let thread = ThreadRow::seq_of(tx, &thread)?;
                for lesson in lessons {
                    let NewLesson { namespace, cause, interrupt } = lesson;
                    let interrupt = interrupt.map(|id| id.to_string());
                    // Without an answered interrupt, the step number serves as the key.
                    let key = interrupt.clone().unwrap_or_else(|| format!("step {step}"));
                    let saved = "SELECT 1 FROM lessons WHERE thread = ? AND namespace = ? AND key = ?";
                    if rows::exists(tx, saved, params![thread, namespace, key])? {
                        continue;
                    }
                    let (seq, at, learner) = (0, tx.now(), None);
                    LessonRow { seq, namespace, cause, thread, key, interrupt, at, learner }.insert(tx)?;
                    tx.everything_moved();
                }
                Ok(())
            })
            .await
    }

    /// Whether there are lessons that no thread has taken yet, or rows that a person is to be asked about.
    pub fn has_work(self) -> Result<bool, StoreError> {
        let work =
            "SELECT 1 FROM lessons WHERE learner IS NULL UNION ALL SELECT 1 FROM taught WHERE asks = 1";
        self.0.read(|db| rows::exists(db, work, []))
    }

    /// All lessons that no thread has taken yet, oldest first, but for those whose thread cannot be read.
    pub fn open_lessons(self) -> Result<Vec<OpenLesson>, StoreError> {
        self.0.read(|db| {
            let mut open = Vec::new();
            for row in LessonRow::select(db, "WHERE learner IS NULL ORDER BY seq", [])? {
                let LessonRow { seq, namespace, cause, interrupt, .. } = row;
                if let Some(thread) =
                    readable("the thread of a lesson", seq, ThreadRow::by_seq(db, row.thread))
                {
                    open.push(OpenLesson { seq, namespace, cause, thread: thread.id, interrupt });
                }
            }
            Ok(open)
        })
    }

    /// The profiles that were to learn from an answer, and the version each one wrote. Answers learned together make
    /// one version, which names the last of them.
    pub fn learned_from(self, interrupt: &InterruptId) -> Result<Vec<LessonLink>, StoreError> {
        let taught: Vec<(String, Option<String>)> = self.0.read(|db| {
            let of = "SELECT namespace, (SELECT last.interrupt FROM lessons AS last
                                    WHERE last.learner = lessons.learner ORDER BY last.seq DESC LIMIT 1)
                 FROM lessons WHERE interrupt = ? ORDER BY seq";
            rows::query(db, of, [interrupt], |row| Ok((row.get(0)?, row.get(1)?)))
        })?;
        let mut links = Vec::new();
        for (namespace, last) in taught {
            let versions = self.history(&namespace)?;
            let by_last = |version: &&MemoryVersion| match (&version.cause.interrupt, &last) {
                (Some(interrupt), Some(last)) => interrupt.as_str() == last,
                (None, _) | (_, None) => false,
            };
            let written = versions.iter().find(by_last);
            let version = written.map(|version| version.version);
            links.push(LessonLink { namespace, version });
        }
        Ok(links)
    }

    /// Starts the thread that learns these lessons. Returns `Moved` if one of them is already taken.
    pub async fn start_learning(
        self,
        new: NewThread,
        lessons: Vec<i64>,
        step_limit: i64,
    ) -> Result<ThreadId, StoreError> {
        self.0
            .write(move |db| {
                let learner = start(db, &new, step_limit)?;
                for seq in &lessons {
                    let Some(mut row) = LessonRow::select(db, "WHERE seq = ?", [seq])?.pop() else {
                        return damaged(format!("lesson number {seq} is missing"));
                    };
                    if row.learner.is_some() {
                        return Err(StoreError::Moved);
                    }
                    row.learner = Some(learner.seq);
                    row.cause.clear();
                    row.update(db)?;
                }
                Ok(learner.id)
            })
            .await
    }
}
