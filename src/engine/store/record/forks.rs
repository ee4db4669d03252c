//! Whether a fork, or the thread it was forked from, has already done what another of them is about to do.

use crate::engine::graph::{Authorization, Interrupt, Warning};
use crate::engine::store::StoreError;
use crate::engine::store::log::{self, Asked, EffectBegun, EntryKind};
use crate::engine::store::rows::{self, ThreadRow};
use rusqlite::Connection;
use std::collections::HashMap;

/// Adds warnings to a question about something that was already done in threads that share steps with this one.
pub fn warn_if_done(db: &Connection, row: &ThreadRow, asked: &mut Asked) -> Result<(), StoreError> {
    while let Some((warning, bind)) = unseen_warning(db, row, asked)? {
        asked.warn(&warning, &bind);
    }
    Ok(())
}

/// A warning that the question lacks because the same was done in such a thread, and what to bind it to.
pub fn unseen_warning(
    db: &Connection,
    row: &ThreadRow,
    asked: &Asked,
) -> Result<Option<(Warning, String)>, StoreError> {
    if !asked.interrupt.irreversible {
        return Ok(None);
    }
    // Each thread with the last step it shares with this one, and whether this one was forked from it.
    let mut family = vec![(row.seq, i64::MAX, true)];
    let mut at = 0;
    while let Some(&(seq, shared, is_origin)) = family.get(at) {
        at += 1;
        let relative = if seq == row.seq { None } else { Some(ThreadRow::by_seq(db, seq)?) };
        let thread = relative.as_ref().unwrap_or(row);
        if relative.is_some() && has_done(db, seq, shared, &asked.interrupt.action)? {
            let bind = format!("origin:{}", thread.id);
            if !asked.interrupt.shown_with.contains(&bind) {
                let what =
                    if is_origin { "The thread this was forked from" } else { "A fork of this thread" };
                let text = format!("{what} ({}) has already done this.", thread.id);
                return Ok(Some((Warning::caution("done_in_original", text), bind)));
            }
        }
        let mut add = |next: i64, step: i64, is_origin: bool| {
            if !family.iter().any(|(known, ..)| *known == next) {
                family.push((next, step.min(shared), is_origin));
            }
        };
        if let (Some(origin), Some(step)) = (thread.origin, thread.origin_step) {
            add(origin, step, is_origin);
        }
        let forks = "SELECT seq, origin_step FROM threads WHERE origin = ?";
        for (fork, step) in rows::query(db, forks, [seq], |row| Ok((row.get(0)?, row.get(1)?)))? {
            add(fork, step, false);
        }
    }
    Ok(None)
}

/// Whether a thread has begun an effect on a card with this action, at this step or later.
fn has_done(db: &Connection, thread: i64, step: i64, action: &str) -> Result<bool, StoreError> {
    let mut cards: HashMap<String, (i64, String)> = HashMap::new();
    for entry in log::stream(db, thread, thread)? {
        let keys: Vec<String> = match entry.kind {
            EntryKind::Asked => {
                let Asked { step, interrupt: Interrupt { key, action, .. }, .. } = entry.parse_body()?;
                cards.insert(key, (step, action));
                continue;
            }
            EntryKind::Begun => match entry.parse_body::<EffectBegun>()?.basis {
                Authorization::Decision { key, .. } | Authorization::Draft { key, .. } => vec![key],
                Authorization::Answers { given } => {
                    given.into_iter().filter(|(_, args)| !args.is_null()).map(|(key, _)| key).collect()
                }
                Authorization::Grant { .. } => continue,
            },
            _ => continue,
        };
        let is_match = |(at, done): &(i64, String)| *at >= step && done == action;
        if keys.iter().filter_map(|key| cards.get(key)).any(is_match) {
            return Ok(true);
        }
    }
    Ok(false)
}
