//! Checks the chain from each entry to the next.

use crate::engine::store::log::{BodyCache, COLUMNS, Entry, StoreError};
use rusqlite::Connection;

/// More problems than this say nothing new.
const MAX_PROBLEMS: usize = 20;

/// Follows the chain from the first entry to the last and passes on each sound entry. Returns the problems it found.
pub fn check(
    db: &Connection,
    each: &mut dyn FnMut(Entry) -> Result<(), StoreError>,
) -> Result<Vec<String>, StoreError> {
    let mut problems = Vec::new();
    let mut report = |problem: String| {
        if problems.len() < MAX_PROBLEMS && !problems.contains(&problem) {
            problems.push(problem);
        }
    };
    let mut statement = db.prepare(&format!("SELECT {COLUMNS} FROM log l ORDER BY l.seq"))?;
    let mut rows = statement.query([])?;
    let (mut next, mut bodies, mut before) = (1, BodyCache::default(), None);
    while let Some(row) = rows.next()? {
        let seq: i64 = row.get(0)?;
        if seq > next {
            report(match seq - next {
                1 => format!("entry {next} of the log is missing"),
                _ => format!("entries {next} to {} of the log are missing", seq - 1),
            });
            before = None;
        }
        next = seq + 1;
        let read = Entry::read(db, row, &mut bodies).and_then(|entry| {
            entry.verify(before)?;
            Ok(entry)
        });
        before = row.get(7).ok();
        match read {
            Ok(entry) => each(entry)?,
            Err(StoreError::Damaged(problem)) => report(problem),
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}
