//! A whole thread, read at one moment with its whole chain checked.

use super::load::{asked, steps};
use super::rows::{DecisionRow, EffectRow, InterruptRow, ThreadRow, damaged, json, time};
use super::{Store, StoreError, lists, prune};
use crate::graph::{Decision, ThreadId};
use crate::inbox::{DecisionView, EffectView, ErrorView, QuestionView, StepView, ThreadLine};
use rusqlite::Connection;
use serde_json::Value;

/// Everything on record about a thread; its folded state is its workflow's affair.
#[derive(Clone, Debug)]
pub struct StoredThread {
    /// As one line of a list.
    pub line: ThreadLine,
    /// What it has produced.
    pub output: Option<Value>,
    /// Why it cannot go on.
    pub error: Option<ErrorView>,
    /// Its steps.
    pub steps: Vec<StepView>,
    /// What it asked.
    pub questions: Vec<QuestionView>,
    /// The decisions taken on it.
    pub decisions: Vec<DecisionView>,
    /// What it did to the outside.
    pub effects: Vec<EffectView>,
}

impl Store {
    /// Everything on record about a thread.
    pub fn thread(&self, id: &ThreadId) -> Result<StoredThread, StoreError> {
        self.read(|db| {
            let row = ThreadRow::find(db, id)?;
            view(db, &row)
        })
    }
}

impl Store {
    /// What was decided about a thread, oldest first.
    pub fn answers(&self, id: &ThreadId) -> Result<Vec<DecisionView>, StoreError> {
        self.read(|db| decisions(db, &ThreadRow::find(db, id)?))
    }
}

pub(super) fn view(db: &Connection, row: &ThreadRow) -> Result<StoredThread, StoreError> {
    if row.pruned_at.is_some() {
        return on_record(db, row);
    }
    let chain = steps(db, row, 0)?;
    if chain.last().is_some_and(|last| last.digest != row.head) {
        return damaged(format!("the steps of thread {} do not lead to where it stands", row.id));
    }
    for step in chain.iter().filter(|step| step.thread == row.seq) {
        for id in asked(step)? {
            InterruptRow::find(db, &id).or_else(|e| match e {
                StoreError::Unknown(..) => damaged(format!("interrupt {id} is missing")),
                other => Err(other),
            })?;
        }
    }
    let mut views = Vec::with_capacity(chain.len());
    for step in &chain {
        views.push(StepView {
            n: step.n.unsigned_abs(),
            node: step.node.clone(),
            updates: json(&format!("step {}", step.n), &step.updates)?,
            next: step.next()?,
            at: time(step.at)?,
        });
    }
    Ok(StoredThread {
        line: lists::line(db, row)?,
        output: lists::output(row)?,
        error: lists::error(row),
        steps: views,
        questions: questions(db, row)?,
        decisions: decisions(db, row)?,
        effects: effects(db, row)?,
    })
}

/// What is left of a pruned thread.
fn on_record(db: &Connection, row: &ThreadRow) -> Result<StoredThread, StoreError> {
    let pruned = ErrorView { code: "pruned".to_owned(), text: prune::pruned_text(row) };
    Ok(StoredThread {
        line: lists::line(db, row)?,
        output: lists::output(row)?,
        error: Some(pruned),
        steps: Vec::new(),
        questions: questions(db, row)?,
        decisions: decisions(db, row)?,
        effects: effects(db, row)?,
    })
}

fn decisions(db: &Connection, row: &ThreadRow) -> Result<Vec<DecisionView>, StoreError> {
    let mut found = db.prepare_cached("SELECT * FROM interrupts WHERE thread = ? ORDER BY seq")?;
    let mut rows = found.query([row.seq])?;
    let mut views = Vec::new();
    let mut asked = 0;
    while let Some(found) = rows.next()? {
        let interrupt = InterruptRow::read(found)?;
        asked += 1;
        for decision in DecisionRow::all(db, interrupt.seq)? {
            let executed =
                decision.executed.as_deref().map(|text| json("executed arguments", text)).transpose()?;
            let view = DecisionView {
                interrupt: interrupt.id.clone(),
                action: interrupt.action.clone(),
                r#type: decision.decision.word().to_owned(),
                proposed: interrupt.args()?,
                args: match decision.decision {
                    Decision::Accept | Decision::Ignore | Decision::Draft => Value::Null,
                    Decision::Edit { args } => args,
                    Decision::Respond { text } => Value::from(text),
                },
                executed,
                by: decision.by.to_string(),
                at: time(decision.at)?,
                undone_at: decision.undone_at.map(time).transpose()?,
            };
            views.push((decision.seq, view));
        }
    }
    counted(row, "questions", asked, row.interrupts)?;
    counted(row, "decisions", views.len() as i64, row.decisions)?;
    views.sort_by_key(|(seq, _)| *seq);
    Ok(views.into_iter().map(|(_, view)| view).collect())
}

fn questions(db: &Connection, row: &ThreadRow) -> Result<Vec<QuestionView>, StoreError> {
    let mut found = db.prepare_cached("SELECT * FROM interrupts WHERE thread = ? ORDER BY seq")?;
    let mut rows = found.query([row.seq])?;
    let mut views = Vec::new();
    while let Some(found) = rows.next()? {
        views.push(InterruptRow::read(found)?.question()?);
    }
    counted(row, "questions", views.len() as i64, row.interrupts)?;
    Ok(views)
}

fn effects(db: &Connection, row: &ThreadRow) -> Result<Vec<EffectView>, StoreError> {
    let mut found = db.prepare_cached("SELECT * FROM effects WHERE thread = ? ORDER BY seq")?;
    let mut rows = found.query([row.seq])?;
    let mut views = Vec::new();
    while let Some(found) = rows.next()? {
        let effect = EffectRow::read(found)?;
        views.push(EffectView {
            name: effect.name,
            step: effect.step.unsigned_abs(),
            state: effect.state.word().to_owned(),
            at: time(effect.begun_at)?,
            outcome: json("an effect's outcome", &effect.outcome)?,
        });
    }
    counted(row, "effects", views.len() as i64, row.effects)?;
    Ok(views)
}

/// A thread counts what it has asked, been told and begun, so that a row taken away is missed.
fn counted(row: &ThreadRow, what: &str, found: i64, expected: i64) -> Result<(), StoreError> {
    if found == expected {
        Ok(())
    } else {
        damaged(format!("thread {} has {expected} {what}, and {found} are on record", row.id))
    }
}
