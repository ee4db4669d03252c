//! Words. Steps are indexed in batches, when somebody searches, so that a turn does not pay for it; mails when they
//! are taken in.

pub(in crate::store) mod repeated_text;

use crate::inbox::{Status, ThreadQuery};
use crate::store::log::{self, COLUMNS, Entry, Kind, Started, Tx};
use crate::store::record::steps::steps_in;
use crate::store::rows::json;
use crate::store::{Search, StoreError};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

/// How many steps one write indexes, so that others get their turn in between.
const BATCH: i64 = 2000;

impl Search<'_> {
    /// Brings the index up to date.
    pub async fn index_words(self) -> Result<(), StoreError> {
        loop {
            let behind = self.0.read(|db| Ok(log::end_of(db)? > indexed(db)?))?;
            // A store that can only be viewed is searched as far as it was indexed.
            if !behind || matches!(self.0.mode(), super::Mode::ViewOnly(_)) {
                return Ok(());
            }
            self.0.write(|tx| index_batch(tx)).await?;
        }
    }
}

fn indexed(db: &Connection) -> Result<i64, StoreError> {
    let found: Option<String> = db
        .prepare_cached("SELECT value FROM settings WHERE name = 'indexed'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(found.and_then(|text| text.parse().ok()).unwrap_or(0))
}

fn index_batch(db: &Connection) -> Result<(), StoreError> {
    let from = indexed(db)?;
    let mut found = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM log l WHERE l.seq > ? AND l.kind IN ('started', 'stepped') AND l.body IS NOT NULL
         ORDER BY l.seq LIMIT ?"
    ))?;
    let mut rows = found.query([from, BATCH])?;
    let mut insert = db.prepare_cached("INSERT INTO words (rowid, text) VALUES (?, ?)")?;
    let (mut last, mut count) = (from, 0);
    while let Some(row) = rows.next()? {
        count += 1;
        last = row.get(0)?;
        // What cannot be read is named by whoever looks at its thread.
        let Ok(entry) = Entry::read(db, row) else { continue };
        let mut text = match entry.kind {
            Kind::Started => entry.says::<Started>().map(|started| started.title).unwrap_or_default(),
            _ => String::new(),
        };
        for step in steps_in(db, &entry, &[]).unwrap_or_default() {
            strings(&json("a step", &step.updates).unwrap_or(Value::Null), &mut text);
        }
        insert.execute(params![last, text])?;
    }
    if count < BATCH {
        last = log::end_of(db)?;
    }
    db.prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES ('indexed', ?)")?
        .execute([last.to_string()])?;
    Ok(())
}

/// Lets a new mail be found by what it says.
pub(in crate::store) fn add_mail(tx: &Tx<'_>, mail: i64, words: String) {
    if !words.is_empty() {
        tx.at_end(move |db| {
            db.prepare_cached("INSERT INTO mail_words (rowid, text) VALUES (?, ?)")?
                .execute(params![mail, words])?;
            Ok(())
        });
    }
}

/// Every text a person could look for; the names of fields are ours, not theirs.
fn strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push('\n');
            out.push_str(text);
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The threads before number `before` in which all the words occur in one step or one mail, newest first. What was
/// found is walked from its end and only as far as the page goes; a join would look all of it up and sort it.
pub(in crate::store) fn threads(
    db: &Connection,
    words: &str,
    query: &ThreadQuery,
    before: i64,
    limit: i64,
) -> Result<Vec<i64>, StoreError> {
    let Some(words) = quoted(words) else { return Ok(Vec::new()) };
    let mut found = db.prepare_cached(
        "SELECT t.seq FROM threads t
         WHERE t.seq IN (
             SELECT l.stream FROM words w JOIN log l ON l.seq = w.rowid WHERE w.text MATCH ?1
             UNION ALL
             SELECT m.thread FROM mail_words w JOIN mails m ON m.seq = w.rowid
              WHERE w.text MATCH ?1 AND m.thread IS NOT NULL
         ) AND t.seq < ?2 AND (?3 IS NULL OR t.status = ?3) AND (?4 IS NULL OR t.workflow = ?4
                OR (substr(?4, -1) = '/' AND substr(t.workflow, 1, length(?4)) = ?4))
           AND (?5 IS NULL OR EXISTS (SELECT 1 FROM mails WHERE account = ?5 AND thread = t.seq))
         ORDER BY t.seq DESC LIMIT ?6",
    )?;
    let ThreadQuery { status, workflow, account, .. } = query;
    let status = status.map(Status::word);
    Ok(found
        .query_map(params![words, before, status, workflow, account, limit], |row| row.get(0))?
        .collect::<Result<_, _>>()?)
}

/// Words as FTS5 takes them: each quoted, so that nothing in them is an operator; the last may be a beginning.
fn quoted(words: &str) -> Option<String> {
    let words: Vec<String> = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| format!("\"{word}\""))
        .collect();
    if words.is_empty() { None } else { Some(format!("{}*", words.join(" "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        assert_eq!(quoted("budget NEAR(\"x\")").as_deref(), Some(r#""budget" "NEAR" "x"*"#));
        assert_eq!(quoted(" -- "), None);
    }
}
