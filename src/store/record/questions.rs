//! Questions read from the log, and the schemas their arguments must fit.

use crate::graph::InterruptId;
use crate::inbox::{AnswerKind, DecidedBy};
use crate::store::log::{self, Asked, Decided, SchemaBlob, Tx};
use crate::store::record::listed::Listed;
use crate::store::record::recent::{Question, StoredAnswer};
use crate::store::rows::{InterruptRow, Stage, ThreadRow, damaged, json, time};
use crate::store::{StoreError, blobs};
use crate::text::hex;
use rusqlite::Connection;
use serde_json::Value;
use sha2::Digest as _;
use sha2::Sha256;

/// The question of a row, read from the log.
pub(in crate::store) fn question_of(
    db: &Connection,
    interrupt: &InterruptRow,
) -> Result<Question, StoreError> {
    let question = Question::read(db, interrupt.thread, interrupt.seq)?;
    if question.asked.id == interrupt.id {
        Ok(question)
    } else {
        damaged(format!("question {} is not on record under that id", interrupt.id))
    }
}

/// What a question asks, with the warnings that were added later, and when it was asked.
pub(in crate::store) fn asked_of(
    db: &Connection,
    interrupt: &InterruptRow,
) -> Result<(Asked, i64), StoreError> {
    if interrupt.amended {
        let question = Question::read(db, interrupt.thread, interrupt.seq)?;
        return Ok((question.asked, question.at));
    }
    let entry = log::entry(db, interrupt.seq)?;
    Ok((entry.parse_body()?, entry.at))
}

/// The current answer to a question.
pub(in crate::store) fn answer_to(
    db: &Connection,
    interrupt: &InterruptRow,
) -> Result<Option<Decided>, StoreError> {
    interrupt.answer.map(|seq| log::entry(db, seq)?.parse_body()).transpose()
}

/// The thread that asks an open question, and the index of the question among those of the thread.
pub(in crate::store) fn open_question(
    db: &Connection,
    id: &InterruptId,
) -> Result<(Listed, usize), StoreError> {
    let asks = "WHERE seq = (SELECT thread FROM interrupts WHERE id = ?)";
    if let Some(row) = ThreadRow::select(db, asks, [id.as_str()])?.pop() {
        let listed = Listed::of(db, row)?;
        if let Some(at) = listed.questions.iter().position(|q| q.id == *id && q.status == Stage::Open) {
            return Ok((listed, at));
        }
    }
    // It is not open, or a person gave only the beginning of its id.
    let interrupt = InterruptRow::find(db, id)?;
    if interrupt.status != Stage::Open {
        return Err(not_open(db, &interrupt)?);
    }
    if interrupt.id == *id {
        return damaged(format!("question {id} is listed, and its thread is not"));
    }
    open_question(db, &interrupt.id)
}

/// The error for an interrupt that is not open, with the reason.
pub(in crate::store) fn not_open(
    db: &Connection,
    interrupt: &InterruptRow,
) -> Result<StoreError, StoreError> {
    let question = Question::read(db, interrupt.thread, interrupt.seq)?;
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
pub(in crate::store) fn questions(db: &Connection, row: &ThreadRow) -> Result<Vec<Question>, StoreError> {
    let mut statement =
        db.prepare_cached("SELECT seq FROM log WHERE stream = ? AND kind = 'asked' ORDER BY seq")?;
    let seqs: Vec<i64> = statement.query_map([row.seq], |cells| cells.get(0))?.collect::<Result<_, _>>()?;
    seqs.into_iter().map(|seq| Question::read(db, row.seq, seq)).collect()
}

/// Stores a schema; `None` if it accepts anything.
pub(in crate::store) fn schema(tx: &Tx<'_>, schema: &Value) -> Result<Option<SchemaBlob>, StoreError> {
    match schema {
        Value::Bool(true) => Ok(None),
        schema => {
            let text = schema.to_string();
            let blob = blobs::put_shared(tx, text.as_bytes())?;
            Ok(Some(SchemaBlob { blob, begins: digest_prefix(&text) }))
        }
    }
}

/// The schema of a question.
pub(in crate::store) fn schema_of(db: &Connection, asked: &Asked) -> Result<Value, StoreError> {
    let Some(stored) = &asked.schema else { return Ok(Value::Bool(true)) };
    let text = String::from_utf8_lossy(&blobs::get_shared(db, stored.blob)?).into_owned();
    if digest_prefix(&text) != stored.begins {
        return damaged(format!("the schema of question {} is another one", asked.id));
    }
    json("a schema", &text)
}

/// Enough of a digest to tell one schema from another.
fn digest_prefix(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..8])
}
