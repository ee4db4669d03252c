//! A thread since its last step, as the log tells it: what it asks, what was answered, what has reached it and what it
//! has begun. Whoever takes a thread further, answers it or lets something leave judges by this and by no projection.

use crate::graph::{Decision, EffectState, Event, Hash, What};
use crate::inbox::{NextView, Status};
use crate::store::StoreError;
use crate::store::log::{
    self, Amended, Arrived, Asked, Closed, Decided, EffectBegun, EffectEnded, Entry, Kind, Settled, Snoozed,
    Started, Stepped, Sum,
};
use crate::store::rows::{Awaits, ThreadRow, damaged};
use rusqlite::Connection;
use serde_json::Value;

/// The last step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastStep {
    /// Its entry, and the chain value of that.
    pub(in crate::store) seq: i64,
    pub(in crate::store) chain: Sum,
    /// How many steps there are with it.
    pub(in crate::store) steps: i64,
    /// Where the thread goes on.
    pub(in crate::store) node: String,
    /// What becomes an update first.
    pub(in crate::store) awaits: Awaits,
    /// How it ended, where it did.
    pub(in crate::store) ended: Option<Status>,
    /// The questions it left open, and what was still to be heard.
    pub(in crate::store) open: Vec<i64>,
    pub(in crate::store) unheard: Vec<i64>,
}

impl LastStep {
    /// Reads the entry of a step, or the one a thread began with.
    pub(in crate::store) fn of(entry: &Entry) -> Result<Self, StoreError> {
        if entry.kind == Kind::Started {
            let Started { node, origin, .. } = entry.says()?;
            return Ok(Self {
                seq: entry.seq,
                chain: entry.chain,
                steps: origin.map_or(1, |origin| origin.step + 1),
                node,
                awaits: Awaits::Nothing,
                ended: None,
                open: Vec::new(),
                unheard: Vec::new(),
            });
        }
        let body: Stepped = entry.says()?;
        Ok(Self::after(entry, body))
    }

    pub(in crate::store) fn after(entry: &Entry, body: Stepped) -> Self {
        let steps = body.n + body.count;
        let ended = match (&body.next, body.abandoned) {
            (_, true) => Some(Status::Abandoned),
            (NextView::End { .. }, false) => Some(Status::Done),
            _ => None,
        };
        let (node, awaits) = match body.next {
            NextView::Goto { goto } => (goto, Awaits::Nothing),
            NextView::Ask { then, .. } => (then, Awaits::Answers),
            NextView::Spawn { then, .. } => (then, Awaits::Children),
            NextView::End { .. } => (String::new(), Awaits::Nothing),
        };
        let (seq, chain) = (entry.seq, entry.chain);
        Self { seq, chain, steps, node, awaits, ended, open: body.open, unheard: body.unheard }
    }
}

/// A question that was asked, with all that happened to it.
#[derive(Clone, Debug)]
pub(in crate::store) struct Question {
    pub seq: i64,
    /// When it was asked.
    pub at: i64,
    /// As it stands now.
    pub asked: Asked,
    /// Every answer to it, oldest first.
    pub answers: Vec<Given>,
    /// Out of sight until then.
    pub snoozed_until: Option<i64>,
    /// How far the policy's clock was when its time began to run.
    pub waits: Option<i64>,
    /// Why it is over without an answer.
    pub closed: Option<String>,
}

/// An answer to a question, and what became of it.
#[derive(Clone, Debug)]
pub(in crate::store) struct Given {
    pub seq: i64,
    pub at: i64,
    pub body: Decided,
    pub undone_at: Option<i64>,
    /// Something was begun since: it cannot be taken back any more.
    pub acted: bool,
}

impl Given {
    pub(in crate::store) fn read(entry: &Entry) -> Result<Self, StoreError> {
        let (seq, at, body) = (entry.seq, entry.at, entry.says()?);
        Ok(Self { seq, at, body, undone_at: None, acted: false })
    }
}

impl Question {
    fn new(entry: &Entry) -> Result<Self, StoreError> {
        let asked: Asked = entry.says()?;
        Ok(Self {
            seq: entry.seq,
            at: entry.at,
            snoozed_until: asked.snoozed_until,
            asked,
            answers: Vec::new(),
            waits: None,
            closed: None,
        })
    }

    /// A question with everything that happened to it until its thread went on. Whether anything was begun is not
    /// looked at.
    pub(in crate::store) fn read(db: &Connection, thread: i64, seq: i64) -> Result<Self, StoreError> {
        let mut question: Option<Self> = None;
        log::follow(db, thread, seq, &mut |entry| {
            let Some(question) = &mut question else {
                if entry.seq != seq || entry.kind != Kind::Asked {
                    return damaged(format!("entry {seq} of the log asks nothing"));
                }
                question = Some(Self::new(&entry)?);
                return Ok(true);
            };
            match entry.kind {
                // Once a thread was pruned its steps say nothing, and a later answer is still one to this question.
                Kind::Stepped if entry.body.is_some() => {
                    return Ok(entry.says::<Stepped>()?.open.contains(&seq));
                }
                Kind::Settled => return Ok(entry.says::<Settled>()?.ends.is_none()),
                _ if entry.about == Some(seq) => question.hear(&entry)?,
                _ => {}
            }
            Ok(true)
        })?;
        question.map_or_else(|| damaged(format!("entry {seq} of the log is missing")), Ok)
    }

    fn hear(&mut self, entry: &Entry) -> Result<(), StoreError> {
        match entry.kind {
            Kind::Amended => {
                let Amended { warning, bind } = entry.says()?;
                self.asked.warn(&warning, &bind);
                // Nobody has been asked this yet.
                self.waits = None;
            }
            Kind::Decided => {
                if self.in_force().is_some() {
                    return damaged(format!("question {} was answered twice", self.asked.id));
                }
                self.answers.push(Given::read(entry)?);
                (self.snoozed_until, self.waits) = (None, None);
            }
            Kind::Undone => match self.answers.last_mut().filter(|given| given.undone_at.is_none()) {
                Some(given) => given.undone_at = Some(entry.at),
                None => {
                    return damaged(format!("no answer to question {} could be taken back", self.asked.id));
                }
            },
            Kind::Snoozed => {
                let Snoozed { until, waits } = entry.says()?;
                (self.snoozed_until, self.waits) = (until, waits);
            }
            Kind::Closed => self.closed = Some(entry.says::<Closed>()?.why),
            _ => {}
        }
        Ok(())
    }

    /// The answer that counts.
    pub(in crate::store) fn in_force(&self) -> Option<&Given> {
        self.answers.last().filter(|given| given.undone_at.is_none())
    }

    pub(in crate::store) fn is_open(&self) -> bool {
        self.in_force().is_none()
    }

    pub(in crate::store) fn hash(&self) -> Hash {
        self.asked.hash()
    }

    /// Whether somebody approved something that cannot be undone, and nothing was begun since.
    pub(in crate::store) fn approves_unseen(&self) -> bool {
        let acts = |given: &Given| {
            !given.acted && matches!(given.body.decision, Decision::Accept | Decision::Edit { .. })
        };
        !self.asked.is_trouble() && self.asked.irreversible && self.in_force().is_some_and(acts)
    }
}

/// An effect that the step under way has begun.
#[derive(Clone, Debug)]
pub(in crate::store) struct Effect {
    pub seq: i64,
    pub body: EffectBegun,
    pub state: EffectState,
    pub outcome: Value,
}

/// A thread since its last step.
#[derive(Clone, Debug)]
pub(in crate::store) struct Recent {
    pub step: LastStep,
    /// What it still has on its mind: open questions, and answers it has not taken up; oldest first.
    pub questions: Vec<Question>,
    /// What has reached it and was not taken in, oldest first.
    pub unheard: Vec<(i64, Event)>,
    pub effects: Vec<Effect>,
    /// The entries themselves, for whoever repeats what they say.
    pub entries: Vec<Entry>,
    /// It was ended from outside its graph.
    ended: Option<Status>,
}

impl Recent {
    /// Reads a thread since its last step.
    pub(in crate::store) fn read(db: &Connection, row: &ThreadRow) -> Result<Self, StoreError> {
        if row.pruned_at.is_some() {
            return damaged(format!("thread {} was pruned", row.id));
        }
        match Self::from(db, row, row.since)? {
            Ok(recent) => Ok(recent),
            // The projection led to the wrong place; the log knows the right one.
            Err(earlier) => match Self::from(db, row, earlier)? {
                Ok(recent) => Ok(recent),
                Err(_) => damaged(format!("thread {} does not lead back to its last step", row.id)),
            },
        }
    }

    fn from(db: &Connection, row: &ThreadRow, since: i64) -> Result<Result<Self, i64>, StoreError> {
        let entries = log::stream(db, row.seq, since)?;
        let last = entries.last().map(|entry| entry.seq);
        if last != Some(row.last) {
            return damaged(format!("what last happened to thread {} is not on record", row.id));
        }
        let is_step = |entry: &Entry| matches!(entry.kind, Kind::Stepped | Kind::Started);
        let Some(at) = entries.iter().rposition(is_step) else { return Ok(Err(row.seq)) };
        let step = LastStep::of(&entries[at])?;
        let first =
            step.open.iter().chain(&step.unheard).min().map_or(step.seq, |first| step.seq.min(*first));
        if entries.first().is_none_or(|entry| entry.seq > first) {
            return Ok(Err(first));
        }
        let mut recent = Self {
            questions: Vec::new(),
            unheard: Vec::new(),
            effects: Vec::new(),
            ended: step.ended,
            step,
            entries: Vec::new(),
        };
        for entry in &entries {
            recent.hear(entry)?;
        }
        let there = |seq: &i64| entries.iter().any(|entry| entry.seq == *seq);
        if !recent.step.open.iter().chain(&recent.step.unheard).all(there) {
            return damaged(format!("what thread {} waits for is not on record", row.id));
        }
        recent.entries = entries;
        Ok(Ok(recent))
    }

    fn hear(&mut self, entry: &Entry) -> Result<(), StoreError> {
        let later = entry.seq > self.step.seq;
        match entry.kind {
            Kind::Asked if later || self.step.open.contains(&entry.seq) => {
                self.questions.push(Question::new(entry)?);
            }
            Kind::Amended | Kind::Decided | Kind::Undone | Kind::Snoozed => {
                if let Some(question) = self.questions.iter_mut().find(|q| Some(q.seq) == entry.about) {
                    question.hear(entry)?;
                }
            }
            Kind::Closed => self.questions.retain(|question| Some(question.seq) != entry.about),
            Kind::Arrived | Kind::Continued | Kind::Corrected
                if later || self.step.unheard.contains(&entry.seq) =>
            {
                self.unheard.push((entry.seq, entry.says::<Arrived>()?.event));
            }
            Kind::Begun if later => {
                for given in self.questions.iter_mut().filter_map(|question| question.answers.last_mut()) {
                    given.acted = true;
                }
                let body: EffectBegun = entry.says()?;
                let (state, outcome) = (EffectState::Begun, Value::Null);
                self.effects.push(Effect { seq: entry.seq, body, state, outcome });
            }
            Kind::Ended => {
                let EffectEnded { state, outcome } = entry.says()?;
                if let Some(effect) = self.effects.iter_mut().find(|effect| Some(effect.seq) == entry.about) {
                    (effect.state, effect.outcome) = (state, outcome);
                }
            }
            Kind::Settled if later => {
                let Settled { takes, drops, ends, .. } = entry.says()?;
                self.questions
                    .retain(|question| !question.in_force().is_some_and(|given| takes.contains(&given.seq)));
                // Whatever was held has been taken up once; it is not held again.
                for given in self.questions.iter_mut().filter_map(|question| question.answers.last_mut()) {
                    given.body.hold_ms = 0;
                }
                self.unheard.retain(|(seq, _)| !drops.contains(seq));
                if ends.is_some() {
                    self.ended = ends;
                    self.questions.clear();
                    self.unheard.clear();
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The questions of nodes, not of the engine.
    pub(in crate::store) fn asked(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|question| !question.asked.is_trouble())
    }

    /// What the engine asks about the thread itself.
    pub(in crate::store) fn troubles(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|question| question.asked.is_trouble())
    }

    /// How long it is held, where nothing is open any more.
    pub(in crate::store) fn hold_ms(&self) -> i64 {
        let given = self.questions.iter().filter_map(Question::in_force).filter(|given| !given.acted);
        given.max_by_key(|given| given.seq).map_or(0, |given| given.body.hold_ms)
    }

    /// Where the thread stands.
    pub(in crate::store) fn status(&self, db: &Connection, row: &ThreadRow) -> Result<Status, StoreError> {
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        let settled = if self.hold_ms() > 0 { Status::Held } else { Status::Ready };
        Ok(if self.troubles().any(Question::is_open) {
            Status::Trouble
        } else if self.troubles().next().is_some() {
            // What was decided about its trouble comes before everything else it may wait for.
            settled
        } else if self.step.awaits == Awaits::Answers && self.asked().any(Question::is_open) {
            Status::Waiting
        } else if self.step.awaits == Awaits::Children
            && living_children(db, row.seq, self.step.steps - 1)? > 0
        {
            Status::Joining
        } else {
            settled
        })
    }

    /// Whether people are asked something the thread has not begun to act on. Where it has, another step would
    /// move its effects out of their place, so whatever comes waits for the next node.
    pub(in crate::store) fn asks(&self) -> bool {
        self.step.awaits == Awaits::Answers && self.effects.is_empty()
    }

    /// Whether something that cannot be undone is approved and nothing of it has been begun: whatever news comes now
    /// was not shown to whoever approved it.
    pub(in crate::store) fn approved_unseen(&self) -> bool {
        self.asks() && self.questions.iter().any(Question::approves_unseen)
    }
}

pub(in crate::store) fn living_children(db: &Connection, parent: i64, step: i64) -> Result<i64, StoreError> {
    Ok(db
        .prepare_cached(
            "SELECT count(*) FROM threads WHERE parent = ? AND parent_step = ? AND joined = 1
               AND status NOT IN ('done', 'abandoned')",
        )?
        .query_row([parent, step], |count| count.get(0))?)
}

pub(in crate::store) fn is_news(event: &Event) -> bool {
    matches!(event.what, What::News { .. })
}
