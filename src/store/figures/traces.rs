//! How far traces have been exported, and what is left to export.
//!
//! The cursor is two numbers in `settings`: the last log entry and the last model call that were exported. It moves
//! only after the receiver took them, so anything interrupted is sent again and nothing is left out. If nobody ever asked
//! for traces there is no cursor, and this costs nothing.

use crate::graph::{EffectState, ThreadId};
use crate::inbox::{NextView, Status};
use crate::store::figures::spans::{ThreadTimings, timings};
use crate::store::log::{self, COLUMN_COUNT, COLUMNS, EffectBegun, Entry, EntryKind};
use crate::store::record::steps::{StepOf, ended_outside, steps_in};
use crate::store::rows::{EffectRow, ThreadRow, damaged, time};
use crate::store::{Figures, StoreError, settings};
use jiff::Timestamp;
use rusqlite::Connection;

/// The setting that holds the cursor.
const CURSOR: &str = "traces";
/// How many parents are followed to find the root.
const DEPTH: usize = 64;

/// The last log entry and the last model call that were exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceCursor {
    entries: i64,
    calls: i64,
}

/// A span to export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingSpan {
    /// A step was taken.
    Step {
        step: u64,
        /// Whether the thread ended with this step.
        ends: bool,
    },
    /// A model was called.
    Call { call: u64 },
    /// An effect ended.
    Effect {
        /// The step it belongs to.
        step: u64,
        /// Its name within the step.
        name: String,
    },
    /// The thread was ended from outside its graph.
    Ended,
}

/// The spans to export, oldest first.
#[derive(Clone, Debug)]
pub struct PendingSpans {
    /// The cursor before these spans.
    pub before: TraceCursor,
    /// For each span: its thread, the span, and the cursor after it.
    pub spans: Vec<(ThreadId, PendingSpan, TraceCursor)>,
    /// The cursor after all of them.
    pub after: TraceCursor,
}

/// The timing of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedEffect {
    /// The step it belongs to.
    pub step: u64,
    /// Its name within the step.
    pub name: String,
    pub state: EffectState,
    /// When its intent was committed.
    pub begun: Timestamp,
    /// `None` while it is running.
    pub ended: Option<Timestamp>,
}

/// A thread with everything its trace contains.
#[derive(Clone, Debug)]
pub struct Traced {
    pub timings: ThreadTimings,
    /// Its effects on the outside world.
    pub effects: Vec<TracedEffect>,
    /// The topmost parent.
    pub root: ThreadId,
    /// The thread that started it, and at which step.
    pub parent: Option<(ThreadId, u64)>,
    pub forked_from: Option<ThreadId>,
    pub status: Status,
    /// Its current node.
    pub node: String,
    /// Why it failed, as an error code.
    pub error: Option<String>,
}

impl Figures<'_> {
    /// Starts exporting what happens from now on, unless that was started before.
    pub async fn begin_traces(self) -> Result<(), StoreError> {
        if self.0.read(read_cursor)?.is_some() {
            return Ok(());
        }
        self.0
            .write(|db| match read_cursor(db)? {
                Some(_) => Ok(()),
                None => write_cursor(db, newest(db)?),
            })
            .await
    }

    /// Stops exporting. What happens from now on is never exported, even if somebody asks for traces later.
    pub async fn end_traces(self) -> Result<(), StoreError> {
        if self.0.read(read_cursor)?.is_none() {
            return Ok(());
        }
        self.0.write(|db| settings::delete(db, CURSOR)).await
    }

    /// The spans to export, at most `limit` of each kind.
    pub fn pending(self, limit: usize) -> Result<PendingSpans, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.0.read(|db| {
            let Some(before) = read_cursor(db)? else {
                let none = TraceCursor::default();
                return Ok(PendingSpans { before: none, spans: Vec::new(), after: none });
            };
            let mut pending = PendingSpans { before, spans: Vec::new(), after: before };
            pending.entries(db, limit)?;
            pending.calls(db, limit)?;
            Ok(pending)
        })
    }

    /// Marks everything up to `after` as exported. Returns `false` if somebody else moved the cursor meanwhile.
    pub async fn mark_exported(self, before: TraceCursor, after: TraceCursor) -> Result<bool, StoreError> {
        self.0
            .write(move |db| {
                if read_cursor(db)? != Some(before) {
                    return Ok(false);
                }
                write_cursor(db, after)?;
                Ok(true)
            })
            .await
    }

    /// A thread with everything its trace contains.
    pub fn traced(self, id: &ThreadId) -> Result<Traced, StoreError> {
        self.0.read(|db| {
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
                timings: timings(db, row)?,
            })
        })
    }
}

impl PendingSpans {
    fn entries(&mut self, db: &Connection, limit: i64) -> Result<(), StoreError> {
        let mut statement = db.prepare_cached(&format!(
            "SELECT {COLUMNS}, t.id FROM log l JOIN threads t ON t.seq = l.stream
             WHERE l.seq > ? AND l.kind IN ('started', 'stepped', 'ended', 'settled') ORDER BY l.seq LIMIT ?"
        ))?;
        let mut rows = statement.query([self.after.entries, limit])?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            count += 1;
            let before = self.after;
            self.after.entries = row.get(0)?;
            let thread: ThreadId = row.get(COLUMN_COUNT)?;
            // Damage is reported when the thread is read for export; pruned entries have nothing to export.
            let spans = Entry::read(db, row).and_then(|entry| spans_of(db, &entry)).unwrap_or_default();
            let last = spans.len().saturating_sub(1);
            for (at, span) in spans.into_iter().enumerate() {
                // An entry counts as exported when its last span is.
                let then = if at == last { self.after } else { before };
                self.spans.push((thread.clone(), span, then));
            }
        }
        if count < limit {
            self.after.entries = log::last_seq(db)?;
        }
        Ok(())
    }

    fn calls(&mut self, db: &Connection, limit: i64) -> Result<(), StoreError> {
        let mut statement = db.prepare_cached(
            "SELECT s.seq, t.id FROM spans s JOIN threads t ON t.seq = s.thread
             WHERE s.seq > ? ORDER BY s.seq LIMIT ?",
        )?;
        let mut rows = statement.query([self.after.calls, limit])?;
        while let Some(row) = rows.next()? {
            self.after.calls = row.get(0)?;
            let call = self.after.calls.unsigned_abs();
            self.spans.push((row.get(1)?, PendingSpan::Call { call }, self.after));
        }
        Ok(())
    }
}

/// The spans of an entry.
fn spans_of(db: &Connection, entry: &Entry) -> Result<Vec<PendingSpan>, StoreError> {
    Ok(match entry.kind {
        EntryKind::Started | EntryKind::Stepped => {
            let span = |step: StepOf| PendingSpan::Step {
                step: step.n.unsigned_abs(),
                ends: matches!(step.next, NextView::End { .. }),
            };
            steps_in(db, entry, &[])?.into_iter().map(span).collect()
        }
        EntryKind::Ended => {
            let EffectBegun { step, name, .. } =
                log::entry(db, entry.about.unwrap_or_default())?.parse_body()?;
            vec![PendingSpan::Effect { step: step.unsigned_abs(), name }]
        }
        _ if ended_outside(entry)? => vec![PendingSpan::Ended],
        _ => Vec::new(),
    })
}

/// Calls were deleted, and new numbers follow the last one left. Moves the cursor back so that new calls do not count
/// as exported.
pub(in crate::store) fn rewind_call_cursor(db: &Connection) -> Result<(), StoreError> {
    let Some(cursor) = read_cursor(db)? else { return Ok(()) };
    write_cursor(db, TraceCursor { calls: cursor.calls.min(newest(db)?.calls), ..cursor })
}

fn newest(db: &Connection) -> Result<TraceCursor, StoreError> {
    let last = |table: &str| {
        db.query_row(&format!("SELECT coalesce(max(seq), 0) FROM {table}"), [], |row| row.get::<_, i64>(0))
    };
    Ok(TraceCursor { entries: last("log")?, calls: last("spans")? })
}

fn read_cursor(db: &Connection) -> Result<Option<TraceCursor>, StoreError> {
    let Some(text) = settings::text(db, CURSOR)? else { return Ok(None) };
    let numbers: Option<Vec<i64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some([entries, calls]) => Ok(Some(TraceCursor { entries: *entries, calls: *calls })),
        _ => damaged("how far traces were told is not readable"),
    }
}

fn write_cursor(db: &Connection, cursor: TraceCursor) -> Result<(), StoreError> {
    let TraceCursor { entries, calls } = cursor;
    settings::set_text(db, CURSOR, &format!("{entries} {calls}"))
}

fn effects(db: &Connection, thread: i64) -> Result<Vec<TracedEffect>, StoreError> {
    let mut effects = Vec::new();
    for row in EffectRow::select(db, "WHERE thread = ? ORDER BY seq", [thread])? {
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
