//! The steps of a thread, including those it shares with the threads it was forked from.

use crate::engine::store::StoreError;
use crate::engine::store::log::{self, Entry, EntryKind, Started, Step, Stepped};
use crate::engine::store::rows::{ThreadRow, damaged, json};
use crate::inbox::NextView;
use rusqlite::Connection;

/// One step of a thread, its own or a shared one.
#[derive(Clone, Debug)]
pub struct StepOf {
    pub n: i64,
    pub node: String,
    pub updates: String,
    pub next: NextView,
    pub at: i64,
    pub ms: Option<i64>,
    /// The entry that contains it.
    pub entry: i64,
}

/// The steps in an entry; `neighbors` are entries read together with it.
pub fn steps_in(db: &Connection, entry: &Entry, neighbors: &[Entry]) -> Result<Vec<StepOf>, StoreError> {
    let (at, seq) = (entry.at, entry.seq);
    if entry.kind == EntryKind::Started {
        let started: Started = entry.parse_body()?;
        let first = started.updates.map(|updates| StepOf {
            n: 0,
            node: "START".to_owned(),
            updates: updates.get().to_owned(),
            next: NextView::Goto { goto: started.node },
            at,
            ms: None,
            entry: seq,
        });
        return Ok(first.into_iter().collect());
    }
    let body: Stepped = entry.parse_body()?;
    let text = log::unpack_steps(db, entry, neighbors)?;
    let steps: Vec<Step> = json(&format!("the steps of entry {seq}"), &text)?;
    if steps.len() as i64 != body.count {
        return damaged(format!("entry {seq} of the log does not hold the steps it tells of"));
    }
    let names: Vec<String> = steps.iter().skip(1).map(|step| step.node.clone()).collect();
    let nexts = names.into_iter().map(|goto| NextView::Goto { goto }).chain([body.next]);
    let views = (body.n..).zip(steps).zip(nexts).map(|((n, step), next)| StepOf {
        n,
        node: step.node,
        updates: step.updates.get().to_owned(),
        next,
        at,
        ms: step.ms,
        entry: seq,
    });
    Ok(views.collect())
}

/// All steps of a thread, including shared ones.
pub fn steps_of(db: &Connection, row: &ThreadRow) -> Result<Vec<StepOf>, StoreError> {
    steps_since(db, row, row.seq, 0)
}

/// The steps from entry `from` on that are numbered at least `min_step`. Shared steps are included if `from` is the
/// thread's first entry.
pub fn steps_since(
    db: &Connection,
    row: &ThreadRow,
    from: i64,
    min_step: i64,
) -> Result<Vec<StepOf>, StoreError> {
    row.refuse_pruned()?;
    let mut steps = Vec::new();
    if let (Some(origin), Some(last)) = (row.origin, row.origin_step)
        && from == row.seq
        && min_step <= last
    {
        let origin = ThreadRow::by_seq(db, origin)?;
        steps = steps_since(db, &origin, origin.seq, min_step)?;
        steps.retain(|step| step.n <= last);
    }
    let entries = log::stream(db, row.seq, from)?;
    if entries.last().map(|entry| entry.seq) != Some(row.last) {
        return damaged(format!("what last happened to thread {} is not on record", row.id));
    }
    if entries.first().is_none_or(|entry| entry.seq != from) {
        return damaged(format!("entry {from} of the log is missing"));
    }
    for entry in entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Started | EntryKind::Stepped))
    {
        steps.extend(steps_in(db, entry, &entries)?);
    }
    for (expected, step) in (steps.first().map_or(min_step, |step| step.n)..).zip(&steps) {
        if step.n != expected {
            return damaged(format!("step {expected} of thread {} is missing", row.id));
        }
    }
    steps.retain(|step| step.n >= min_step);
    Ok(steps)
}
