//! A thread since its last step, read from the log: what it asks, what was answered, what has reached it and which
//! effects it has begun. Before anything leaves, it is read with every entry checked.

use crate::engine::graph::{Decision, EffectState, Event, EventKind, Hash};
use crate::engine::store::StoreError;
use crate::engine::store::log::{
    self, Amended, Arrived, Asked, Closed, Decided, EffectBegun, EffectEnded, Entry, EntryKind, Reopened,
    Resolved, Snoozed, Started, Stepped, Waited,
};
use crate::engine::store::record::listed::{live_status, living_children};
use crate::engine::store::rows::{Awaits, ThreadRow, damaged};
use crate::inbox::{SetAside, Status};
use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;

/// The last step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastStep {
    /// The number of its entry.
    pub seq: i64,
    /// How many steps there are, including this one.
    pub steps: i64,
    /// The next node.
    pub node: String,
    /// What the thread takes in before the next node.
    pub awaits: Awaits,
    /// How the thread ended, if it did.
    pub ended: Option<Status>,
    /// The questions it left open, and the events not taken in yet.
    pub open: Vec<i64>,
    pub waiting_events: Vec<i64>,
}

impl LastStep {
    /// Reads a `stepped` entry, or the `started` entry of a thread.
    pub fn of(entry: &Entry) -> Result<Self, StoreError> {
        if entry.kind == EntryKind::Started {
            let Started { node, origin, .. } = entry.parse_body()?;
            return Ok(Self {
                seq: entry.seq,
                steps: origin.map_or(1, |origin| origin.step + 1),
                node,
                awaits: Awaits::Nothing,
                ended: None,
                open: Vec::new(),
                waiting_events: Vec::new(),
            });
        }
        let body: Stepped = entry.parse_body()?;
        let (node, awaits) = body.next_node();
        Ok(Self {
            seq: entry.seq,
            steps: body.n + body.count,
            node: node.unwrap_or_default().to_owned(),
            awaits,
            ended: body.ended(),
            open: body.open,
            waiting_events: body.waiting_events,
        })
    }
}

/// A question, with everything that happened to it.
#[derive(Clone, Debug)]
pub struct AskedQuestion {
    pub seq: i64,
    pub at: i64,
    /// Includes later amendments.
    pub asked: Asked,
    /// All answers, oldest first.
    pub answers: Vec<StoredAnswer>,
    pub snoozed_until: Option<i64>,
    /// When the policy first found it overdue.
    pub overdue: Option<i64>,
    /// Why it was closed without an answer.
    pub closed: Option<String>,
}

/// An answer to a question, and what happened to it.
#[derive(Clone, Debug)]
pub struct StoredAnswer {
    pub seq: i64,
    pub at: i64,
    pub body: Decided,
    pub undone_at: Option<i64>,
    /// An effect has begun since, so it can no longer be taken back.
    pub acted: bool,
}

impl StoredAnswer {
    pub fn read(entry: &Entry) -> Result<Self, StoreError> {
        let (seq, at, body) = (entry.seq, entry.at, entry.parse_body()?);
        Ok(Self { seq, at, body, undone_at: None, acted: false })
    }
}

impl AskedQuestion {
    fn new(entry: &Entry) -> Result<Self, StoreError> {
        let asked: Asked = entry.parse_body()?;
        Ok(Self {
            seq: entry.seq,
            at: entry.at,
            snoozed_until: asked.interrupt.snoozed_until.map(Timestamp::as_millisecond),
            asked,
            answers: Vec::new(),
            overdue: None,
            closed: None,
        })
    }

    /// Reads a question with everything that happened to it until its thread continued. It does not check whether
    /// effects have begun.
    pub fn read(db: &Connection, thread: i64, seq: i64) -> Result<Self, StoreError> {
        let mut question: Option<Self> = None;
        log::follow(db, thread, seq, &mut |entry| {
            let Some(question) = &mut question else {
                if entry.seq != seq || entry.kind != EntryKind::Asked {
                    return damaged(format!("entry {seq} of the log asks nothing"));
                }
                question = Some(Self::new(&entry)?);
                return Ok(true);
            };
            match entry.kind {
                // Steps of a pruned thread have no bodies, and a later answer still belongs to this question.
                EntryKind::Stepped if entry.body.is_some() => {
                    return Ok(entry.parse_body::<Stepped>()?.open.contains(&seq));
                }
                EntryKind::Resolved => {
                    let Resolved { ends, set_aside, .. } = entry.parse_body()?;
                    let Some(why) = set_aside else { return Ok(ends.is_none()) };
                    question.closed = Some(why.sentence());
                }
                EntryKind::Reopened if entry.parse_body::<Reopened>()?.open.contains(&seq) => {
                    (question.closed, question.overdue) = (None, None);
                }
                _ if entry.about == Some(seq) => question.apply(&entry)?,
                _ => {}
            }
            Ok(true)
        })?;
        question.map_or_else(|| damaged(format!("entry {seq} of the log is missing")), Ok)
    }

    fn apply(&mut self, entry: &Entry) -> Result<(), StoreError> {
        match entry.kind {
            EntryKind::Amended => {
                let Amended { warning, bind, .. } = entry.parse_body()?;
                self.asked.warn(&warning, &bind);
                // Nobody has seen the amended question yet, so its waiting time starts over.
                self.overdue = None;
            }
            EntryKind::Decided => {
                if self.current_answer().is_some() {
                    return damaged(format!("question {} was answered twice", self.asked.id));
                }
                self.answers.push(StoredAnswer::read(entry)?);
                (self.snoozed_until, self.overdue) = (None, None);
            }
            EntryKind::Undone => match self.answers.last_mut().filter(|answer| answer.undone_at.is_none()) {
                Some(answer) => answer.undone_at = Some(entry.at),
                None => {
                    return damaged(format!("no answer to question {} could be taken back", self.asked.id));
                }
            },
            EntryKind::Snoozed => {
                let Snoozed { until, overdue } = entry.parse_body()?;
                (self.snoozed_until, self.overdue) = (until, overdue);
            }
            EntryKind::Waited => self.asked.interrupt.waiting = entry.parse_body::<Waited>()?.waiting,
            EntryKind::Closed => self.closed = Some(entry.parse_body::<Closed>()?.why),
            _ => {}
        }
        Ok(())
    }

    pub fn current_answer(&self) -> Option<&StoredAnswer> {
        self.answers.last().filter(|answer| answer.undone_at.is_none())
    }

    pub fn is_open(&self) -> bool {
        self.current_answer().is_none()
    }

    pub fn hash(&self) -> Hash {
        self.asked.hash()
    }

    /// Whether something irreversible was approved and no effect has begun since.
    pub fn has_unstarted_approval(&self) -> bool {
        let acts = |answer: &StoredAnswer| {
            !answer.acted && matches!(answer.body.decision, Decision::Accept | Decision::Edit { .. })
        };
        !self.asked.is_trouble()
            && self.asked.interrupt.irreversible
            && self.current_answer().is_some_and(acts)
    }
}

/// An effect that the current step has begun.
#[derive(Clone, Debug)]
pub struct Effect {
    pub seq: i64,
    pub body: EffectBegun,
    pub state: EffectState,
    pub outcome: Value,
}

/// A thread since its last step.
#[derive(Clone, Debug)]
pub struct SinceStep {
    pub step: LastStep,
    /// Open questions and answers not taken in yet, oldest first.
    pub questions: Vec<AskedQuestion>,
    /// Events not taken in yet, oldest first.
    pub waiting_events: Vec<(i64, Event)>,
    pub effects: Vec<Effect>,
    /// The entries themselves, so that new entries can be compressed against them.
    pub entries: Vec<Entry>,
    /// How the thread ended, by its last step or from outside its graph.
    ended: Option<Status>,
    /// If it was set aside: why, and the questions it had then.
    pub set_aside: Option<(SetAside, Vec<AskedQuestion>)>,
}

impl SinceStep {
    pub fn read(db: &Connection, row: &ThreadRow) -> Result<Self, StoreError> {
        if row.pruned_at.is_some() {
            return damaged(format!("thread {} was pruned", row.id));
        }
        let entries = log::stream(db, row.seq, row.since)?;
        if entries.last().map(|entry| entry.seq) != Some(row.last) {
            return damaged(format!("what last happened to thread {} is not on record", row.id));
        }
        let is_step = |entry: &Entry| matches!(entry.kind, EntryKind::Stepped | EntryKind::Started);
        let Some(step) = entries.iter().rfind(|entry| is_step(entry)) else {
            return damaged(format!("thread {} does not lead back to its last step", row.id));
        };
        let step = LastStep::of(step)?;
        let is_on_record = |seq: &i64| entries.iter().any(|entry| entry.seq == *seq);
        if !step.open.iter().chain(&step.waiting_events).all(is_on_record) {
            return damaged(format!("what thread {} waits for is not on record", row.id));
        }
        let mut recent = Self {
            questions: Vec::new(),
            waiting_events: Vec::new(),
            effects: Vec::new(),
            ended: step.ended,
            set_aside: None,
            step,
            entries: Vec::new(),
        };
        for entry in &entries {
            recent.apply(entry)?;
        }
        recent.entries = entries;
        Ok(recent)
    }

    /// The same with every entry checked, for what is about to leave.
    pub fn verified(db: &Connection, row: &ThreadRow) -> Result<Self, StoreError> {
        let recent = Self::read(db, row)?;
        recent.verify(db, row)?;
        Ok(recent)
    }

    /// Checks every entry it was read from, and the thread's first one.
    pub fn verify(&self, db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
        check_beginning(db, row)?;
        log::verify(db, &self.entries)
    }

    fn apply(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let later = entry.seq > self.step.seq;
        match entry.kind {
            EntryKind::Asked if later || self.step.open.contains(&entry.seq) => {
                self.questions.push(AskedQuestion::new(entry)?);
            }
            EntryKind::Amended
            | EntryKind::Decided
            | EntryKind::Undone
            | EntryKind::Snoozed
            | EntryKind::Waited => {
                if let Some(question) = self.questions.iter_mut().find(|q| Some(q.seq) == entry.about) {
                    question.apply(entry)?;
                }
            }
            EntryKind::Closed => self.questions.retain(|question| Some(question.seq) != entry.about),
            // Nobody sees its questions while it is stopped, so their waiting time starts over.
            EntryKind::Stopped => self.questions.iter_mut().for_each(|question| question.overdue = None),
            EntryKind::Arrived | EntryKind::Continued | EntryKind::Corrected
                if later || self.step.waiting_events.contains(&entry.seq) =>
            {
                self.waiting_events.push((entry.seq, entry.parse_body::<Arrived>()?.event));
            }
            EntryKind::Begun if later => {
                for answer in self.questions.iter_mut().filter_map(|question| question.answers.last_mut()) {
                    answer.acted = true;
                }
                let body: EffectBegun = entry.parse_body()?;
                let (state, outcome) = (EffectState::Begun, Value::Null);
                self.effects.push(Effect { seq: entry.seq, body, state, outcome });
            }
            EntryKind::Ended => {
                let EffectEnded { state, outcome } = entry.parse_body()?;
                if let Some(effect) = self.effects.iter_mut().find(|effect| Some(effect.seq) == entry.about) {
                    (effect.state, effect.outcome) = (state, outcome);
                }
            }
            EntryKind::Released => self.release(),
            EntryKind::Resolved if later => {
                let Resolved { takes, drops, ends, set_aside, .. } = entry.parse_body()?;
                self.questions.retain(|question| {
                    !question.current_answer().is_some_and(|answer| takes.contains(&answer.seq))
                });
                // Held answers have been taken up once and are not held again.
                self.release();
                self.waiting_events.retain(|(seq, _)| !drops.contains(seq));
                if ends.is_some() {
                    self.ended = ends;
                    let questions = std::mem::take(&mut self.questions);
                    self.set_aside = set_aside.map(|why| (why, questions));
                    self.waiting_events.clear();
                }
            }
            EntryKind::Reopened if later => {
                self.ended = None;
                self.questions = self.set_aside.take().map(|(_, questions)| questions).unwrap_or_default();
                // Nobody saw them meanwhile.
                self.questions.iter_mut().for_each(|question| question.overdue = None);
            }
            _ => {}
        }
        Ok(())
    }

    fn release(&mut self) {
        for answer in self.questions.iter_mut().filter_map(|question| question.answers.last_mut()) {
            answer.body.hold_ms = 0;
        }
    }

    /// The questions asked by nodes, not by the engine.
    pub fn node_questions(&self) -> impl Iterator<Item = &AskedQuestion> {
        self.questions.iter().filter(|question| !question.asked.is_trouble())
    }

    /// The questions the engine asks about the thread itself.
    pub fn troubles(&self) -> impl Iterator<Item = &AskedQuestion> {
        self.questions.iter().filter(|question| question.asked.is_trouble())
    }

    /// How long it is held once no question is open.
    pub fn hold_ms(&self) -> i64 {
        let pending =
            self.questions.iter().filter_map(AskedQuestion::current_answer).filter(|answer| !answer.acted);
        pending.max_by_key(|answer| answer.seq).map_or(0, |answer| answer.body.hold_ms)
    }

    pub fn status(&self, db: &Connection, row: &ThreadRow) -> Result<Status, StoreError> {
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        let joins =
            self.step.awaits == Awaits::Children && living_children(db, row.seq, self.step.steps - 1)? > 0;
        let questions = self.questions.iter().map(|q| (q.asked.is_trouble(), q.is_open()));
        Ok(live_status(self.step.awaits, questions, joins, self.hold_ms()))
    }

    /// Whether people are asked something the thread has not begun to act on. Once it has, another step would shift its
    /// effects to a different step number, so new events wait for the next node.
    pub fn asks(&self) -> bool {
        self.step.awaits == Awaits::Answers && self.effects.is_empty()
    }

    /// Whether the step carries out what the person approved: an effect has begun, or begins when it is tried again.
    pub fn carries_out_approval(&self) -> bool {
        !self.effects.is_empty() || self.has_unstarted_approval()
    }

    /// Whether something irreversible is approved and no effect has begun. The person who approved it has not seen any
    /// news that comes now.
    pub fn has_unstarted_approval(&self) -> bool {
        self.asks() && self.questions.iter().any(AskedQuestion::has_unstarted_approval)
    }
}

/// Checks that the row agrees with the thread's first log entry, which is checked.
pub fn check_beginning(db: &Connection, row: &ThreadRow) -> Result<(), StoreError> {
    let started: Started = log::verified_entry(db, row.seq)?.parse_body()?;
    let parent = started.parent.map(|parent| (parent.thread, parent.step));
    let listed = row.parent.zip(row.parent_step);
    let origin = started.origin.map(|origin| (origin.thread, origin.step));
    let same = started.id == row.id
        && started.workflow == row.workflow
        && started.key == row.child_key
        && parent == listed
        && origin == row.origin.zip(row.origin_step);
    if same { Ok(()) } else { damaged(format!("thread {} is not listed as what it began as", row.id)) }
}

pub fn is_news(event: &Event) -> bool {
    matches!(event.what, EventKind::News { .. })
}
