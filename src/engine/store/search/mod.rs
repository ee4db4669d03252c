//! Full-text search. Steps are indexed in batches when somebody searches, so that turns stay cheap; mails are indexed
//! when they are taken in.

pub mod repeated_text;

use crate::engine::store::log::{self, COLUMNS, Entry, EntryKind, Started, Tx};
use crate::engine::store::record::steps::steps_in;
use crate::engine::store::rows::{self, json};
use crate::engine::store::{Search, StoreError, settings};
use crate::inbox::{Status, ThreadQuery};
use crate::text::nearest;
use crate::text::words::{alphanumeric_words, around};
use rusqlite::{Connection, params};
use serde_json::Value;
use std::collections::BTreeSet;

/// The setting that says up to which entry of the log steps are indexed.
const INDEXED: &str = "indexed";

/// How many steps one write indexes, so that other writers get their turn.
const BATCH: i64 = 2000;

impl Search<'_> {
    /// Brings the index up to date.
    pub async fn index_words(self) -> Result<(), StoreError> {
        loop {
            let behind = self.0.read(|db| Ok(log::last_seq(db)? > indexed(db)?))?;
            // A view-only store is searched as far as it was indexed.
            if !behind || matches!(self.0.mode(), super::Mode::ViewOnly(_)) {
                return Ok(());
            }
            self.0.write(|tx| index_batch(tx)).await?;
        }
    }
}

fn indexed(db: &Connection) -> Result<i64, StoreError> {
    Ok(settings::text(db, INDEXED)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

fn index_batch(db: &Connection) -> Result<(), StoreError> {
    let from = indexed(db)?;
    let mut statement = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM log l WHERE l.seq > ? AND l.kind IN ('started', 'stepped') AND l.body IS NOT NULL
         ORDER BY l.seq LIMIT ?"
    ))?;
    let mut rows = statement.query([from, BATCH])?;
    let mut insert = db.prepare_cached("INSERT INTO words (rowid, text) VALUES (?, ?)")?;
    let (mut last, mut count) = (from, 0);
    while let Some(row) = rows.next()? {
        count += 1;
        last = row.get(0)?;
        // `sayso doctor` names damage.
        let Ok(entry) = Entry::read(db, row, &mut log::BodyCache::default()) else { continue };
        let mut text = match entry.kind {
            EntryKind::Started => {
                entry.parse_body::<Started>().map(|started| started.title).unwrap_or_default()
            }
            _ => String::new(),
        };
        for step in steps_in(db, &entry, &[]).unwrap_or_default() {
            strings(&json("a step", &step.updates).unwrap_or(Value::Null), &mut text);
        }
        insert.execute(params![last, text])?;
    }
    if count < BATCH {
        last = log::last_seq(db)?;
    }
    settings::set_number(db, INDEXED, last)
}

/// Adds a new mail to the index.
pub fn add_mail(tx: &Tx<'_>, mail: i64, words: String) {
    if !words.is_empty() {
        tx.at_end(move |db| {
            db.prepare_cached("INSERT INTO mail_words (rowid, text) VALUES (?, ?)")?
                .execute(params![mail, words])?;
            Ok(())
        });
    }
}

/// Collects all text a person could search for. Field names are ours, not theirs.
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

/// The threads before number `before` in which all words occur in one step or one mail, newest first. The matches are
/// walked from the end and only as far as the page goes; a join would look up and sort all of them.
pub fn threads(
    db: &Connection,
    words: &str,
    query: &ThreadQuery,
    before: i64,
    limit: i64,
) -> Result<Vec<i64>, StoreError> {
    let Some(words) = quoted(words) else { return Ok(Vec::new()) };
    let mut statement = db.prepare_cached(
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
    let status = query.filter.status.map(Status::word);
    Ok(statement
        .query_map(params![words, before, status, query.filter.workflow, query.account, limit], |row| {
            row.get(0)
        })?
        .collect::<Result<_, _>>()?)
}

/// A thread in which the words were found.
pub struct Hit {
    pub thread: i64,
    /// The entry of the step that contains them; `None` if a mail does.
    step: Option<i64>,
}

/// At most this many matches are ranked.
const MAX_RANKED: i64 = 1000;

/// The threads in which all words occur in one step or one mail, best first: first those with the words in their title,
/// then by how much of the text the words make up.
pub fn best_threads(db: &Connection, words: &str, query: &ThreadQuery) -> Result<Vec<Hit>, StoreError> {
    let Some(matched) = quoted(words) else { return Ok(Vec::new()) };
    let mut statement = db.prepare_cached(
        "WITH in_steps AS MATERIALIZED (SELECT rowid, rank AS score FROM words WHERE words MATCH ?1),
              in_mails AS MATERIALIZED (SELECT rowid, rank AS score FROM mail_words WHERE mail_words MATCH ?1),
              hits AS (
                  SELECT l.stream AS thread, s.score AS score, l.seq AS step
                    FROM in_steps s JOIN log l ON l.seq = s.rowid
                  UNION ALL
                  SELECT m.thread, s.score, NULL FROM in_mails s JOIN mails m ON m.seq = s.rowid
                   WHERE m.thread IS NOT NULL
              )
         SELECT t.seq, max(h.step), t.title, min(h.score) FROM hits h JOIN threads t ON t.seq = h.thread
          WHERE (?2 IS NULL OR t.status = ?2) AND (?3 IS NULL OR t.workflow = ?3
                OR (substr(?3, -1) = '/' AND substr(t.workflow, 1, length(?3)) = ?3))
            AND (?4 IS NULL OR EXISTS (SELECT 1 FROM mails WHERE account = ?4 AND thread = t.seq))
          GROUP BY t.seq ORDER BY min(h.score), t.seq DESC LIMIT ?5",
    )?;
    let status = query.filter.status.map(Status::word);
    let query_words = alphanumeric_words(words);
    let mut hits = statement
        .query_map(params![matched, status, query.filter.workflow, query.account, MAX_RANKED], |row| {
            let title: String = row.get(2)?;
            Ok((contains_all(&title, &query_words), Hit { thread: row.get(0)?, step: row.get(1)? }))
        })?
        .collect::<Result<Vec<_>, _>>()?;
    hits.sort_by_key(|(in_title, _)| !in_title);
    Ok(hits.into_iter().map(|(_, hit)| hit).collect())
}

fn contains_all(text: &str, words: &[String]) -> bool {
    let text = alphanumeric_words(text);
    words.iter().all(|word| text.iter().any(|other| other.starts_with(word)))
}

/// A snippet around the words in the step that contains them.
pub fn snippet(db: &Connection, hit: &Hit, words: &str) -> Result<Option<String>, StoreError> {
    let Some(step) = hit.step else { return Ok(None) };
    // `sayso doctor` names damage.
    let Ok(entry) = log::entry(db, step) else { return Ok(None) };
    let mut text = String::new();
    for step in steps_in(db, &entry, &[]).unwrap_or_default() {
        strings(&json("a step", &step.updates).unwrap_or(Value::Null), &mut text);
    }
    Ok(around(&text, words))
}

/// How many of the newest threads and mails are searched for similar words.
const MAX_SEARCHED: i64 = 2000;

/// The same words, with unknown ones replaced by the nearest words in titles, subjects and senders. `None` if nothing
/// changed.
pub fn nearest_words(db: &Connection, words: &str) -> Result<Option<String>, StoreError> {
    let mut vocabulary = BTreeSet::new();
    for sql in [
        "SELECT title FROM threads ORDER BY seq DESC LIMIT ?",
        "SELECT sender || ' ' || subject FROM mails ORDER BY seq DESC LIMIT ?",
    ] {
        for text in rows::column::<String>(db, sql, [MAX_SEARCHED])? {
            vocabulary.extend(alphanumeric_words(&text));
        }
    }
    let mut changed = false;
    let mut corrected = Vec::new();
    for word in alphanumeric_words(words) {
        let is_known = vocabulary.range(word.clone()..).next().is_some_and(|other| other.starts_with(&word));
        let near = if is_known { None } else { nearest(&word, vocabulary.iter().map(String::as_str)) };
        changed |= near.is_some();
        corrected.push(near.map_or(word, str::to_owned));
    }
    Ok(changed.then(|| corrected.join(" ")))
}

/// Words as an FTS5 query: each is quoted, so that none is an operator; the last one may be a prefix.
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
