//! What a line tells only by hash, in full: from the rows while they are kept, and held against the line.

use super::super::StoreError;
use super::super::rows::{DecisionRow, EffectRow, InterruptRow, ThreadRow, json};
use super::fact::{Fact, bound, sha, sha_json};
use crate::graph::{Decision, InterruptId, ThreadId};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value};

/// Texts by the names an export gives them.
type Texts = Map<String, Value>;

/// What the rows hold of a line's texts, or why they are not what the line tells. Rows that are gone have none.
pub(super) fn of(db: &Connection, fact: &Fact, at: i64) -> Result<Result<Texts, String>, StoreError> {
    let mut texts = Texts::new();
    match fact {
        Fact::Decided { interrupt, action, decision, shown, edited, said, .. } => {
            let Some(row) = interrupt_row(db, interrupt)? else { return Ok(Ok(texts)) };
            let (proposed, binds) = (row.args()?, row.binds()?);
            // What came later was bound to it later, at the end.
            let Some(bound_then) =
                (0..=binds.len()).find(|n| bound(action, &proposed, &binds[..*n]) == *shown)
            else {
                return Ok(Err(format!("what {interrupt} proposes is not what was decided")));
            };
            let binds = &binds[..bound_then];
            texts.insert("proposed".to_owned(), proposed);
            texts.insert("bound_to".to_owned(), Value::from(binds.to_vec()));
            let mut meant = None;
            for row in DecisionRow::all(db, row.seq)? {
                if row.at != at || row.decision.word() != decision {
                    continue;
                }
                meant = match row.decision {
                    Decision::Edit { args } if Some(bound(action, &args, binds)) == *edited => {
                        Some(("edited", args))
                    }
                    Decision::Respond { text } if Some(sha(&text)) == *said => {
                        Some(("said", Value::from(text)))
                    }
                    _ => meant,
                };
            }
            match meant {
                Some((name, text)) => {
                    texts.insert(name.to_owned(), text);
                }
                None if edited.is_some() || said.is_some() => {
                    return Ok(Err(format!("the answer on record to {interrupt} is not what was decided")));
                }
                None => {}
            }
        }
        Fact::EffectBegun {
            interrupt: Some(interrupt),
            action: Some(action),
            executed: Some(executed),
            ..
        } => {
            let Some(row) = interrupt_row(db, interrupt)? else { return Ok(Ok(texts)) };
            let binds = row.binds()?;
            let mut found = None;
            for text in DecisionRow::all(db, row.seq)?.into_iter().filter_map(|decision| decision.executed) {
                let args: Value = json("executed arguments", &text)?;
                if bound(action, &args, &binds) == *executed {
                    found = Some(args);
                }
            }
            let Some(args) = found else {
                return Ok(Err(format!("what was executed on {interrupt} is not what is on record")));
            };
            texts.insert("executed".to_owned(), args);
            texts.insert("bound_to".to_owned(), Value::from(binds));
        }
        Fact::EffectEnded { thread, step, effect, outcome, .. } => {
            if let Some(row) = effect_row(db, thread, *step, effect)?
                && sha(&row.outcome) == *outcome
            {
                texts.insert("outcome".to_owned(), json("an effect's outcome", &row.outcome)?);
            }
        }
        Fact::Started { thread, input: Some(input), .. } => {
            let Some(found) = first_step(db, thread)? else { return Ok(Ok(texts)) };
            if sha_json(&found) != *input {
                return Ok(Err(format!("what thread {thread} was started with is not what is on record")));
            }
            texts.insert("input".to_owned(), found);
        }
        Fact::Remembered { namespace, version, profile, .. } => {
            let found: Option<String> = db
                .prepare_cached("SELECT profile FROM memory WHERE namespace = ? AND version = ?")?
                .query_row(params![namespace, version.cast_signed()], |row| row.get(0))
                .optional()?;
            let Some(found) = found else { return Ok(Ok(texts)) };
            if sha(&found) != *profile {
                return Ok(Err(format!("version {version} of the memory `{namespace}` is another one")));
            }
            texts.insert("profile".to_owned(), Value::from(found));
        }
        _ => {}
    }
    Ok(Ok(texts))
}

/// Whether texts that stand beside a line in a file are those it tells by hash.
pub(super) fn fit(fact: &Fact, texts: &Texts) -> bool {
    let none = Value::Null;
    let text = |name: &str| texts.get(name).unwrap_or(&none);
    let binds: Vec<String> = serde_json::from_value(text("bound_to").clone()).unwrap_or_default();
    texts.keys().all(|name| match (name.as_str(), fact) {
        ("proposed", Fact::Decided { action, shown, .. }) => bound(action, text(name), &binds) == *shown,
        ("edited", Fact::Decided { action, edited: Some(edited), .. }) => {
            bound(action, text(name), &binds) == *edited
        }
        ("said", Fact::Decided { said: Some(said), .. }) => {
            text(name).as_str().map(sha).as_ref() == Some(said)
        }
        ("executed", Fact::EffectBegun { action: Some(action), executed: Some(executed), .. }) => {
            bound(action, text(name), &binds) == *executed
        }
        // Proven with the arguments they are hashed with.
        ("bound_to", Fact::Decided { .. } | Fact::EffectBegun { .. }) => {
            texts.contains_key("proposed") || texts.contains_key("executed")
        }
        ("input", Fact::Started { input: Some(input), .. }) => sha_json(text(name)) == *input,
        ("outcome", Fact::EffectEnded { outcome, .. }) => sha(&text(name).to_string()) == *outcome,
        ("profile", Fact::Remembered { profile, .. }) => {
            text(name).as_str().map(sha).as_ref() == Some(profile)
        }
        _ => false,
    })
}

fn interrupt_row(db: &Connection, id: &str) -> Result<Option<InterruptRow>, StoreError> {
    let Ok(id) = InterruptId::parse(id) else { return Ok(None) };
    known(InterruptRow::find(db, &id))
}

/// What a thread began with, as long as its steps are kept.
fn first_step(db: &Connection, thread: &str) -> Result<Option<Value>, StoreError> {
    let Ok(id) = ThreadId::parse(thread) else { return Ok(None) };
    let Some(seq) = known(ThreadRow::seq_of(db, &id))? else { return Ok(None) };
    let found: Option<String> = db
        .prepare_cached("SELECT updates FROM steps WHERE thread = ? AND n = 0")?
        .query_row([seq], |row| row.get(0))
        .optional()?;
    found.map(|text| json("what a thread began with", &text)).transpose()
}

fn effect_row(db: &Connection, thread: &str, step: i64, name: &str) -> Result<Option<EffectRow>, StoreError> {
    let Ok(id) = ThreadId::parse(thread) else { return Ok(None) };
    match known(ThreadRow::seq_of(db, &id))? {
        Some(thread) => EffectRow::find(db, thread, step, name),
        None => Ok(None),
    }
}

fn known<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(row) => Ok(Some(row)),
        Err(StoreError::Unknown(..)) => Ok(None),
        Err(error) => Err(error),
    }
}
