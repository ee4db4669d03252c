//! A complete thread, read at one moment with its whole chain checked.

use crate::engine::graph::{Authorization, Decision, ThreadId};
use crate::engine::store::log::{self, EffectBegun, EntryKind};
use crate::engine::store::record::questions::questions;
use crate::engine::store::record::since_step::AskedQuestion;
use crate::engine::store::record::steps::steps_of;
use crate::engine::store::rows::{self, EffectRow, InterruptRow, ThreadRow, damaged, json, time};
use crate::engine::store::threads::list::line;
use crate::engine::store::{StoreError, Threads};
use crate::inbox::{DecisionView, EffectView, ErrorView, QuestionView, StepView, ThreadLine};
use rusqlite::Connection;
use serde_json::Value;

/// Everything on record about a thread, except its folded state, which only its workflow can compute.
#[derive(Clone, Debug)]
pub struct StoredThread {
    pub line: ThreadLine,
    pub output: Option<Value>,
    /// Why it cannot continue.
    pub error: Option<ErrorView>,
    pub steps: Vec<StepView>,
    pub questions: Vec<QuestionView>,
    pub decisions: Vec<DecisionView>,
    /// Its effects on the outside world.
    pub effects: Vec<EffectView>,
}

impl Threads<'_> {
    /// The threads that began by themselves and ended after a log entry, and the newest entry.
    pub fn ended_after(self, entry: i64) -> Result<(Vec<ThreadId>, i64), StoreError> {
        self.0.read(|db| {
            let last = log::last_seq(db)?;
            let ended =
                "SELECT id FROM threads WHERE parent IS NULL AND status IN ('done', 'abandoned') AND seq IN
                 (SELECT stream FROM log WHERE seq > ? AND kind IN ('stepped', 'resolved'))";
            Ok((rows::query(db, ended, [entry], |row| Ok(row.get(0)?))?, last))
        })
    }

    /// The number of the newest log entry.
    pub fn last_entry(self) -> Result<i64, StoreError> {
        self.0.read(log::last_seq)
    }

    /// Everything on record about a thread.
    pub fn view(self, id: &ThreadId) -> Result<StoredThread, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, id)?;
            view(db, &row)
        })
    }
}

impl Threads<'_> {
    /// All decisions on a thread's questions, oldest first.
    pub fn answers(self, id: &ThreadId) -> Result<Vec<DecisionView>, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, id)?;
            decisions(db, &row, &questions(db, &row)?)
        })
    }
}

pub fn view(db: &Connection, row: &ThreadRow) -> Result<StoredThread, StoreError> {
    let asked = questions(db, row)?;
    let mut error = row.error();
    let mut views = Vec::new();
    if row.pruned_at.is_some() {
        error = Some(ErrorView { code: "pruned".to_owned(), text: row.pruned_text() });
    } else {
        for step in steps_of(db, row)? {
            views.push(StepView {
                n: step.n.unsigned_abs(),
                updates: json(&format!("step {}", step.n), &step.updates)?,
                node: step.node,
                next: step.next,
                at: time(step.at)?,
            });
        }
    }
    Ok(StoredThread {
        line: line(db, row)?,
        output: row.output()?,
        error,
        steps: views,
        questions: asked.iter().map(|question| question_view(db, question)).collect::<Result<_, _>>()?,
        decisions: decisions(db, row, &asked)?,
        effects: effects(db, row)?,
    })
}

fn question_view(db: &Connection, question: &AskedQuestion) -> Result<QuestionView, StoreError> {
    let asked = &question.asked;
    let state = InterruptRow::find(db, &asked.id)?.status.word();
    Ok(QuestionView {
        id: asked.id.clone(),
        step: asked.step.unsigned_abs(),
        kind: asked.interrupt.kind,
        action: asked.interrupt.action.clone(),
        title: asked.interrupt.title.clone(),
        gist: asked.interrupt.gist.clone(),
        source: asked.interrupt.source.clone(),
        args: asked.interrupt.args.clone(),
        args_hash: question.hash(),
        labels: asked.interrupt.labels.clone(),
        warnings: asked.interrupt.warnings.clone(),
        state,
        closed: question.closed.clone(),
        at: time(question.at)?,
    })
}

fn decisions(
    db: &Connection,
    row: &ThreadRow,
    asked: &[AskedQuestion],
) -> Result<Vec<DecisionView>, StoreError> {
    let begun_effects = begun_effects(db, row)?;
    let mut views = Vec::new();
    for question in asked {
        for answer in &question.answers {
            // An effect belongs to the last answer before it.
            let next = question.answers.iter().map(|other| other.seq).find(|seq| *seq > answer.seq);
            let follows_answer = |(seq, key, _): &&(i64, String, Value)| {
                *seq > answer.seq
                    && next.is_none_or(|next| *seq < next)
                    && *key == question.asked.interrupt.key
                    && answer.undone_at.is_none()
            };
            let view = DecisionView {
                interrupt: question.asked.id.clone(),
                action: question.asked.interrupt.action.clone(),
                r#type: answer.body.decision.word().to_owned(),
                proposed: question.asked.interrupt.args.clone(),
                args: match &answer.body.decision {
                    Decision::Accept | Decision::Ignore | Decision::Draft => Value::Null,
                    Decision::Edit { args } => args.clone(),
                    Decision::Respond { text } => Value::from(text.as_str()),
                },
                executed: begun_effects
                    .iter()
                    .filter(|(seq, ..)| can_belong_to(asked, question, *seq))
                    .rfind(|begun| follows_answer(begun))
                    .map(|(.., args)| args.clone())
                    .filter(|args| !args.is_null()),
                by: answer.body.by.clone(),
                at: time(answer.at)?,
                undone_at: answer.undone_at.map(time).transpose()?,
            };
            views.push((answer.seq, view));
        }
    }
    views.sort_by_key(|(seq, _)| *seq);
    Ok(views.into_iter().map(|(_, view)| view).collect())
}

/// Whether the effect begun by entry `seq` can belong to this question, rather than to a later one with the same key.
fn can_belong_to(asked: &[AskedQuestion], question: &AskedQuestion, seq: i64) -> bool {
    let later = |other: &&AskedQuestion| {
        other.seq > question.seq && other.asked.interrupt.key == question.asked.interrupt.key
    };
    !asked.iter().filter(later).any(|other| other.seq < seq)
}

/// The effects begun in a thread: the entry, the key of the card that permits it, and the arguments.
fn begun_effects(db: &Connection, row: &ThreadRow) -> Result<Vec<(i64, String, Value)>, StoreError> {
    let mut begun = Vec::new();
    for seq in rows::column(db, "SELECT seq FROM effects WHERE thread = ? ORDER BY seq", [row.seq])? {
        let entry = log::entry(db, seq)?;
        if entry.kind != EntryKind::Begun {
            return damaged(format!("entry {seq} of the log begins nothing"));
        }
        match entry.parse_body::<EffectBegun>()?.basis {
            Authorization::Decision { key, args } | Authorization::Draft { key, args } => {
                begun.push((seq, key, args))
            }
            Authorization::Answers { given } => {
                begun.extend(given.into_iter().map(|(key, args)| (seq, key, args)))
            }
            Authorization::Grant { .. } => {}
        }
    }
    Ok(begun)
}

fn effects(db: &Connection, row: &ThreadRow) -> Result<Vec<EffectView>, StoreError> {
    let mut views = Vec::new();
    for effect in EffectRow::select(db, "WHERE thread = ? ORDER BY seq", [row.seq])? {
        views.push(EffectView {
            name: effect.name,
            step: effect.step.unsigned_abs(),
            state: effect.state.word().to_owned(),
            at: time(effect.begun_at)?,
            outcome: json("an effect's outcome", &effect.outcome)?,
        });
    }
    Ok(views)
}
