//! Questions read from the log, and the schemas their arguments must fit.

use crate::engine::graph::InterruptId;
use crate::engine::store::StoreError;
use crate::engine::store::log::{self, Asked, Decided, SchemaRef, Tx};
use crate::engine::store::record::listed::Listed;
use crate::engine::store::record::since_step::{AskedQuestion, StoredAnswer};
use crate::engine::store::rows::{self, InterruptRow, Stage, ThreadRow, damaged, json, time};
use crate::inbox::{AnswerKind, DecidedBy};
use crate::text::hex;
use rusqlite::Connection;
use serde_json::Value;
use sha2::Digest as _;
use sha2::Sha256;

/// The question of a row, read from the log.
pub fn question_of(db: &Connection, interrupt: &InterruptRow) -> Result<AskedQuestion, StoreError> {
    let question = AskedQuestion::read(db, interrupt.thread, interrupt.seq)?;
    if question.asked.id == interrupt.id {
        Ok(question)
    } else {
        damaged(format!("question {} is not on record under that id", interrupt.id))
    }
}

/// What a question asks, with the warnings that were added later, and when it was asked.
pub fn asked_of(db: &Connection, interrupt: &InterruptRow) -> Result<(Asked, i64), StoreError> {
    if interrupt.amended {
        let question = AskedQuestion::read(db, interrupt.thread, interrupt.seq)?;
        return Ok((question.asked, question.at));
    }
    let entry = log::entry(db, interrupt.seq)?;
    Ok((entry.parse_body()?, entry.at))
}

/// The current answer to a question.
pub fn answer_to(db: &Connection, interrupt: &InterruptRow) -> Result<Option<Decided>, StoreError> {
    interrupt.answer.map(|seq| log::entry(db, seq)?.parse_body()).transpose()
}

/// The thread that asks an open question, and the index of the question among those of the thread.
pub fn open_question(tx: &Tx<'_>, id: &InterruptId) -> Result<(Listed, usize), StoreError> {
    let asks = "WHERE seq = (SELECT thread FROM interrupts WHERE id = ?)";
    let listed = match Listed::remembered(tx, id) {
        Some(listed) => Some(listed),
        None => {
            ThreadRow::select(tx, asks, [id.as_str()])?.pop().map(|row| Listed::of(tx, row)).transpose()?
        }
    };
    if let Some(listed) = listed
        && let Some(at) = listed.questions.iter().position(|q| q.id == *id && q.status == Stage::Open)
    {
        return Ok((listed, at));
    }
    // It is not open, or a person gave only the beginning of its id.
    let interrupt = InterruptRow::find(tx, id)?;
    if interrupt.status != Stage::Open {
        return Err(not_open(tx, &interrupt)?);
    }
    if interrupt.id == *id {
        return damaged(format!("question {id} is listed, and its thread is not"));
    }
    open_question(tx, &interrupt.id)
}

/// The error for an interrupt that is not open, with the reason.
pub fn not_open(db: &Connection, interrupt: &InterruptRow) -> Result<StoreError, StoreError> {
    let question = AskedQuestion::read(db, interrupt.thread, interrupt.seq)?;
    let id = interrupt.id.to_string();
    let why = match (question.closed, question.answers.last()) {
        (Some(why), _) => why,
        (None, Some(answer)) if answer.undone_at.is_none() => describe_answer(answer)?,
        // It ended with its thread, or with a step that no longer needed it.
        (None, _) => "its thread was ended".to_owned(),
    };
    Ok(StoreError::NotOpen { id, why })
}

fn describe_answer(answer: &StoredAnswer) -> Result<String, StoreError> {
    let at = time(answer.at)?;
    if answer.body.by == DecidedBy::Expiry {
        return Ok(format!("nobody answered in time, so it expired at {at}"));
    }
    let word = AnswerKind::from(&answer.body.decision).past();
    Ok(format!("it was {word} (by {}) at {at}", answer.body.by))
}

/// Every question a thread has asked, oldest first. Their answers do not have `acted` set.
pub fn questions(db: &Connection, row: &ThreadRow) -> Result<Vec<AskedQuestion>, StoreError> {
    let asked = "SELECT seq FROM log WHERE stream = ? AND kind = 'asked' ORDER BY seq";
    let seqs = rows::column(db, asked, [row.seq])?;
    seqs.into_iter().map(|seq| AskedQuestion::read(db, row.seq, seq)).collect()
}

/// Stores a schema, unless it is stored already; `None` if it accepts anything.
pub fn schema(tx: &Tx<'_>, schema: &Value) -> Result<Option<SchemaRef>, StoreError> {
    if *schema == Value::Bool(true) {
        return Ok(None);
    }
    let text = schema.to_string();
    if let Some(known) = tx.memory().schema(&text) {
        return Ok(Some(known));
    }
    let number = match rows::first(tx, "SELECT seq FROM schemas WHERE text = ?", [&text])? {
        Some(number) => number,
        None => {
            tx.prepare_cached("INSERT INTO schemas (text) VALUES (?)")?.execute([&text])?;
            tx.last_insert_rowid()
        }
    };
    let stored = SchemaRef { number, begins: digest_prefix(&text) };
    tx.memory().keep_schema(text, stored.clone());
    Ok(Some(stored))
}

/// The schema of a question.
pub fn schema_of(db: &Connection, asked: &Asked) -> Result<Value, StoreError> {
    match &asked.schema {
        Some(schema) => json("a schema", &schema_text(db, schema.number)?),
        None => Ok(Value::Bool(true)),
    }
}

/// Checks that the schema of a question is the one it was asked with.
pub fn check_schema(db: &Connection, asked: &Asked) -> Result<(), StoreError> {
    match &asked.schema {
        Some(schema) if digest_prefix(&schema_text(db, schema.number)?) != schema.begins => {
            damaged(format!("the schema of question {} is another one", asked.id))
        }
        _ => Ok(()),
    }
}

fn schema_text(db: &Connection, number: i64) -> Result<String, StoreError> {
    let text = rows::first(db, "SELECT text FROM schemas WHERE seq = ?", [number])?;
    text.ok_or_else(|| StoreError::Damaged(format!("schema number {number} is missing")))
}

/// Enough of a digest to tell one schema from another.
fn digest_prefix(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}
