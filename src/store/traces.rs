//! How far traces were told to somebody outside, and what there is to tell since.
//!
//! The mark is three numbers in `settings`: the last step, model call and line of the audit that were told. It is moved
//! only after somebody took them, so whatever is interrupted is told again and nothing is left out; a thread that was
//! ended from outside its graph has no step that says so, and leaves a note. Where nobody ever asked for traces there is
//! no mark, and nothing here costs anything.

use super::audit::Fact;
use super::rows::{EffectRow, ThreadRow, damaged, time};
use super::spans::{Laps, laps};
use super::{Store, StoreError};
use crate::graph::{EffectState, ThreadId};
use crate::inbox::{NextView, Status};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

/// Where the mark is kept.
const MARK: &str = "traces";
/// What the note of a thread that was ended from outside begins with; its number follows.
const ENDED: &str = "ended:";
/// Longer lines of threads that start threads are not followed.
const DEPTH: usize = 64;

/// How far was told: the last step, model call and line of the audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceCursor {
    steps: i64,
    calls: i64,
    facts: i64,
}

/// Something to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UntoldSpan {
    /// A step was taken.
    Step {
        /// Its number.
        step: u64,
        /// Whether the thread ended with it.
        ends: bool,
    },
    /// A model was called.
    Call {
        /// The call's number.
        call: u64,
    },
    /// An effect came to an end.
    Effect {
        /// The step it belongs to.
        step: u64,
        /// What it is called within the step.
        name: String,
    },
    /// The thread was ended from outside its graph.
    Ended,
}

/// What there is to tell, oldest first.
#[derive(Clone, Debug)]
pub struct Untold {
    /// How far was told before.
    pub before: TraceCursor,
    /// What to tell: of which thread, what, and how far is told after it.
    pub spans: Vec<(ThreadId, UntoldSpan, TraceCursor)>,
    /// How far is told after all of it.
    pub after: TraceCursor,
}

/// An effect, by its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedEffect {
    /// The step it belongs to.
    pub step: u64,
    /// What it is called within the step.
    pub name: String,
    /// How far it came.
    pub state: EffectState,
    /// When its intent was kept.
    pub begun: Timestamp,
    /// When it ended; nothing where it is under way.
    pub ended: Option<Timestamp>,
}

/// A thread as its trace is told.
#[derive(Clone, Debug)]
pub struct Traced {
    /// Its steps and model calls.
    pub laps: Laps,
    /// What it did to the outside.
    pub effects: Vec<TracedEffect>,
    /// The thread that all of it began with.
    pub root: ThreadId,
    /// The thread that started it, and at which step.
    pub parent: Option<(ThreadId, u64)>,
    /// The thread it shares its beginning with.
    pub forked_from: Option<ThreadId>,
    /// Where it stands.
    pub status: Status,
    /// The node it stands at.
    pub node: String,
    /// Why it failed, as a fixed word.
    pub error: Option<String>,
}

impl Store {
    /// Begins to tell traces, unless that was begun before: what happens from now on is told.
    pub async fn begin_traces(&self) -> Result<(), StoreError> {
        if self.read(mark)?.is_some() {
            return Ok(());
        }
        self.write(|db| match mark(db)? {
            Some(_) => Ok(()),
            None => set_mark(db, newest(db)?),
        })
        .await
    }

    /// Tells no more traces: what happens from now on is not told, whoever asks for them later.
    pub async fn end_traces(&self) -> Result<(), StoreError> {
        if self.read(mark)?.is_none() {
            return Ok(());
        }
        self.write(|db| {
            let all = format!("{ENDED}*");
            db.execute("DELETE FROM settings WHERE name = ? OR name GLOB ?", [MARK, &all])?;
            Ok(())
        })
        .await
    }

    /// What there is to tell, at most so much of each kind.
    pub fn untold(&self, most: usize) -> Result<Untold, StoreError> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.read(|db| {
            let Some(before) = mark(db)? else {
                let none = TraceCursor::default();
                return Ok(Untold { before: none, spans: Vec::new(), after: none });
            };
            let mut untold = Untold { before, spans: Vec::new(), after: before };
            untold.steps(db, most)?;
            untold.calls(db, most)?;
            untold.effects(db, most)?;
            untold.ended(db, most)?;
            Ok(untold)
        })
    }

    /// Everything up to `after` is told, and that these threads were ended; `false` where somebody else told meanwhile.
    pub async fn told(
        &self,
        before: TraceCursor,
        after: TraceCursor,
        ended: Vec<ThreadId>,
    ) -> Result<bool, StoreError> {
        self.write(move |db| {
            if mark(db)? != Some(before) {
                return Ok(false);
            }
            for thread in &ended {
                match ThreadRow::seq_of(db, thread) {
                    Ok(seq) => {
                        db.execute("DELETE FROM settings WHERE name = ?", [format!("{ENDED}{seq}")])?
                    }
                    Err(StoreError::Unknown(..)) => 0,
                    Err(error) => return Err(error),
                };
            }
            set_mark(db, after)?;
            Ok(true)
        })
        .await
    }

    /// A thread as its trace is told.
    pub fn traced(&self, id: &ThreadId) -> Result<Traced, StoreError> {
        self.read(|db| {
            let row = ThreadRow::find(db, id)?;
            let mut root = row.clone();
            let mut parent = None;
            for _ in 0..DEPTH {
                let Some(above) = root.parent else { break };
                let step = root.parent_step.unwrap_or_default().unsigned_abs();
                root = ThreadRow::by_seq(db, above)?;
                parent.get_or_insert_with(|| (root.id.clone(), step));
            }
            let origin = row.origin.map(|origin| ThreadRow::by_seq(db, origin)).transpose()?;
            Ok(Traced {
                effects: effects(db, row.seq)?,
                root: root.id,
                parent,
                forked_from: origin.map(|origin| origin.id),
                status: row.status,
                node: row.node.clone(),
                error: row.error_code.clone(),
                laps: laps(db, row)?,
            })
        })
    }
}

impl Untold {
    fn steps(&mut self, db: &Connection, most: i64) -> Result<(), StoreError> {
        let mut found = db.prepare_cached(
            "SELECT s.seq, t.id, s.n, s.next FROM steps s JOIN threads t ON t.seq = s.thread
             WHERE s.seq > ? ORDER BY s.seq LIMIT ?",
        )?;
        let mut rows = found.query([self.after.steps, most])?;
        while let Some(row) = rows.next()? {
            self.after.steps = row.get(0)?;
            let next: String = row.get(3)?;
            // Whoever reads the thread to tell of it is told of damage.
            let ends = matches!(serde_json::from_str(&next), Ok(NextView::End { .. }));
            let step = row.get::<_, i64>(2)?.unsigned_abs();
            self.push(&row.get::<_, String>(1)?, UntoldSpan::Step { step, ends });
        }
        Ok(())
    }

    fn calls(&mut self, db: &Connection, most: i64) -> Result<(), StoreError> {
        let mut found = db.prepare_cached(
            "SELECT s.seq, t.id FROM spans s JOIN threads t ON t.seq = s.thread
             WHERE s.seq > ? ORDER BY s.seq LIMIT ?",
        )?;
        let mut rows = found.query([self.after.calls, most])?;
        while let Some(row) = rows.next()? {
            self.after.calls = row.get(0)?;
            let call = self.after.calls.unsigned_abs();
            self.push(&row.get::<_, String>(1)?, UntoldSpan::Call { call });
        }
        Ok(())
    }

    fn effects(&mut self, db: &Connection, most: i64) -> Result<(), StoreError> {
        let mut found =
            db.prepare_cached("SELECT seq, entry FROM audit WHERE seq > ? ORDER BY seq LIMIT ?")?;
        let mut rows = found.query([self.after.facts, most])?;
        while let Some(row) = rows.next()? {
            self.after.facts = row.get(0)?;
            let entry: String = row.get(1)?;
            if let Ok(Fact::EffectEnded { thread, step, effect, .. }) = serde_json::from_str(&entry) {
                self.push(&thread, UntoldSpan::Effect { step: step.unsigned_abs(), name: effect });
            }
        }
        Ok(())
    }

    fn ended(&mut self, db: &Connection, most: i64) -> Result<(), StoreError> {
        let mut found = db.prepare_cached(
            "SELECT t.id FROM settings n JOIN threads t ON t.seq = CAST(substr(n.name, ?) AS INTEGER)
             WHERE n.name GLOB ? ORDER BY t.seq LIMIT ?",
        )?;
        let mut rows = found.query(params![ENDED.len() as i64 + 1, format!("{ENDED}*"), most])?;
        while let Some(row) = rows.next()? {
            self.push(&row.get::<_, String>(0)?, UntoldSpan::Ended);
        }
        Ok(())
    }

    fn push(&mut self, thread: &str, what: UntoldSpan) {
        if let Ok(thread) = ThreadId::parse(thread) {
            self.spans.push((thread, what, self.after));
        }
    }
}

/// A thread was ended from outside its graph.
pub(super) fn ended(db: &Connection, thread: i64) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO settings (name, value)
         SELECT ?, '' WHERE EXISTS (SELECT 1 FROM settings WHERE name = ?)",
    )?
    .execute(params![format!("{ENDED}{thread}"), MARK])?;
    Ok(())
}

/// Rows were taken away, and numbers are given from the last one left on: what comes next must not count as told.
pub(super) fn numbered_again(db: &Connection) -> Result<(), StoreError> {
    let Some(told) = mark(db)? else { return Ok(()) };
    let newest = newest(db)?;
    let (steps, calls) = (told.steps.min(newest.steps), told.calls.min(newest.calls));
    db.execute(
        "DELETE FROM settings WHERE name GLOB ? AND CAST(substr(name, ?) AS INTEGER) NOT IN (SELECT seq FROM threads)",
        params![format!("{ENDED}*"), ENDED.len() as i64 + 1],
    )?;
    set_mark(db, TraceCursor { steps, calls, ..told })
}

fn newest(db: &Connection) -> Result<TraceCursor, StoreError> {
    let last = |table: &str| {
        db.query_row(&format!("SELECT coalesce(max(seq), 0) FROM {table}"), [], |row| row.get::<_, i64>(0))
    };
    Ok(TraceCursor { steps: last("steps")?, calls: last("spans")?, facts: last("audit")? })
}

fn mark(db: &Connection) -> Result<Option<TraceCursor>, StoreError> {
    let found: Option<String> = db
        .prepare_cached("SELECT value FROM settings WHERE name = ?")?
        .query_row([MARK], |row| row.get(0))
        .optional()?;
    let Some(text) = found else { return Ok(None) };
    let numbers: Option<Vec<i64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some([steps, calls, facts]) => Ok(Some(TraceCursor { steps: *steps, calls: *calls, facts: *facts })),
        _ => damaged("how far traces were told is not readable"),
    }
}

fn set_mark(db: &Connection, mark: TraceCursor) -> Result<(), StoreError> {
    let TraceCursor { steps, calls, facts } = mark;
    db.prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")?
        .execute(params![MARK, format!("{steps} {calls} {facts}")])?;
    Ok(())
}

fn effects(db: &Connection, thread: i64) -> Result<Vec<TracedEffect>, StoreError> {
    let mut found = db.prepare_cached("SELECT * FROM effects WHERE thread = ? ORDER BY seq")?;
    let mut rows = found.query([thread])?;
    let mut effects = Vec::new();
    while let Some(row) = rows.next()? {
        let row = EffectRow::read(row)?;
        effects.push(TracedEffect {
            step: row.step.unsigned_abs(),
            name: row.name,
            state: row.state,
            begun: time(row.begun_at)?,
            ended: row.ended_at.map(time).transpose()?,
        });
    }
    Ok(effects)
}
