//! The list rows of one thread: its own, and those of its questions that are not closed.
//!
//! [`Listed::apply`] is how an entry changes them, live and when the lists are rebuilt.

use crate::engine::graph::{EffectState, InterruptId, ThreadId, Warning};
use crate::engine::store::StoreError;
use crate::engine::store::log::{
    self, Amended, Asked, Decided, EffectBegun, EffectEnded, Entry, EntryKind, Handed, NewEntry, Reopened,
    Resolved, Snoozed, Started, Step, Stepped, Tx, parse_digest,
};
use crate::engine::store::record::first_rows::{first_row, question_row};
use crate::engine::store::rows::{self, Awaits, EffectRow, InterruptRow, Runnable, Stage, ThreadRow};
use crate::inbox::{DecidedBy, Status};
use rusqlite::{Connection, params};

/// A thread as the lists have it.
pub struct Listed {
    pub row: ThreadRow,
    /// Its questions that are not closed, oldest first.
    pub questions: Vec<InterruptRow>,
    /// The questions among them that are not in the table yet.
    new: Vec<i64>,
    /// Those that the table has otherwise.
    changed: Vec<i64>,
    /// Whether columns differ that seldom change.
    details_changed: bool,
    /// Whether it had ended when it was read.
    had_ended: bool,
}

impl Listed {
    pub fn find(tx: &Tx<'_>, id: &ThreadId) -> Result<Self, StoreError> {
        match tx.memory().take(|(row, _)| row.id == *id) {
            Some((row, questions)) => Ok(Self::new(row, questions)),
            None => Self::of(tx, ThreadRow::find(tx, id)?),
        }
    }

    pub fn of(db: &Connection, row: ThreadRow) -> Result<Self, StoreError> {
        let questions = InterruptRow::select(db, "WHERE thread = ? AND status <> 'closed'", [row.seq])?;
        Ok(Self::new(row, questions))
    }

    /// A thread by its first entry. A pruned one has no row until the entry that pruned it is reached.
    pub fn by_seq(tx: &Tx<'_>, seq: i64) -> Result<Self, StoreError> {
        if let Some((row, questions)) = tx.memory().take(|(row, _)| row.seq == seq) {
            return Ok(Self::new(row, questions));
        }
        let row = ThreadRow::select(tx, "WHERE seq = ?", [seq])?.pop();
        Self::of(tx, row.unwrap_or_else(|| first_row(seq, 0, Started::forgotten())))
    }

    /// The thread that asks this question, if the writer remembers it.
    pub fn remembered(tx: &Tx<'_>, question: &InterruptId) -> Option<Self> {
        let asks = |row: &InterruptRow| row.id == *question;
        let (row, questions) = tx.memory().take(|(_, questions)| questions.iter().any(asks))?;
        Some(Self::new(row, questions))
    }

    fn new(row: ThreadRow, questions: Vec<InterruptRow>) -> Self {
        let had_ended = row.status.ended();
        Self { row, questions, new: Vec::new(), changed: Vec::new(), details_changed: false, had_ended }
    }

    /// Questions that are open or decided.
    pub fn live(&self) -> impl Iterator<Item = &InterruptRow> {
        self.questions.iter().filter(|question| question.status != Stage::Closed)
    }

    /// Whether it has ended since it was read.
    pub fn ends_now(&self) -> bool {
        !self.had_ended && self.row.status.ended()
    }

    /// Asks a question.
    pub fn ask(&mut self, tx: &Tx<'_>, asked: &Asked) -> Result<Entry, StoreError> {
        let entry = tx.append(self.entry(EntryKind::Asked, asked)?)?;
        self.row.last = entry.seq;
        self.asked(&entry, asked);
        Ok(entry)
    }

    /// Records the answer to a question.
    pub fn decide(&mut self, tx: &Tx<'_>, question: i64, decided: &Decided) -> Result<Entry, StoreError> {
        let new = self.entry(EntryKind::Decided, decided)?;
        let entry = tx.append(NewEntry { about: Some(question), ..new })?;
        self.row.last = entry.seq;
        self.decided(tx, &entry, decided)?;
        Ok(entry)
    }

    /// Takes steps; `similar` are entries they repeat, for compression.
    pub fn step(
        &mut self,
        tx: &Tx<'_>,
        stepped: &Stepped,
        steps: &[Step],
        similar: &[&Entry],
    ) -> Result<Entry, StoreError> {
        let steps = log::pack_steps(&log::text(&steps)?, similar);
        let new = self.entry(EntryKind::Stepped, stepped)?;
        let entry = tx.append(NewEntry { steps: Some(steps), ..new })?;
        self.row.last = entry.seq;
        self.stepped(tx, &entry, stepped)?;
        Ok(entry)
    }

    fn entry(&self, kind: EntryKind, body: &impl serde::Serialize) -> Result<NewEntry<'static>, StoreError> {
        NewEntry::new(Some(self.row.seq), kind, Some(self.row.last), body)
    }

    /// Changes the rows as the entry says. They are written by [`Self::save`].
    pub fn apply(&mut self, db: &Connection, entry: &Entry) -> Result<(), StoreError> {
        self.row.last = entry.seq;
        match entry.kind {
            EntryKind::Stepped => self.stepped(db, entry, &entry.parse_body()?)?,
            EntryKind::Asked => self.asked(entry, &entry.parse_body()?),
            EntryKind::Decided => self.decided(db, entry, &entry.parse_body()?)?,
            EntryKind::Undone => {
                self.change(entry, |question| {
                    question.set(Stage::Open, None);
                    question.answer = None;
                });
                self.goes_on(db, entry, 0)?;
            }
            EntryKind::Released => self.goes_on(db, entry, 0)?,
            EntryKind::Closed => {
                self.change(entry, |question| question.set(Stage::Closed, None));
                self.goes_on(db, entry, 0)?;
            }
            EntryKind::Amended => {
                let Amended { warning, hash, .. } = entry.parse_body()?;
                let confirms = Warning::need_confirmation(&[warning]);
                self.change(entry, |question| {
                    (question.overdue, question.amended, question.hash) = (None, true, hash.bytes());
                    question.confirms |= confirms;
                });
            }
            EntryKind::Snoozed => {
                let Snoozed { until, overdue } = entry.parse_body()?;
                self.change(entry, |question| (question.snoozed_until, question.overdue) = (until, overdue));
            }
            EntryKind::Waited => self.change(entry, |question| question.amended = true),
            EntryKind::Begun => self.begun(db, entry, entry.parse_body()?)?,
            EntryKind::Ended => ended(db, entry, &entry.parse_body()?)?,
            EntryKind::Arrived | EntryKind::Continued | EntryKind::Corrected => {
                self.row.waiting_events += 1;
                self.details_changed = true;
            }
            EntryKind::Stopped => self.change_all(
                entry.seq,
                |question| question.overdue.is_some(),
                |question| question.overdue = None,
            ),
            // A node that asks the model at this moment is dropped.
            EntryKind::Handed => {
                self.row.by_person = entry.parse_body::<Handed>()?.to_person;
                // Whoever takes it over or gives it back has looked at it.
                self.row.steps_since_person = 0;
                (self.row.version, self.row.updated_at) = (entry.seq, entry.at);
                self.details_changed = true;
            }
            EntryKind::Resolved => self.resolved(db, entry, &entry.parse_body()?)?,
            EntryKind::Reopened => self.reopened(db, entry, &entry.parse_body()?)?,
            EntryKind::Filed => {
                self.row.unread = false;
                self.details_changed = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the rows that changed.
    pub fn save(mut self, tx: &Tx<'_>) -> Result<(), StoreError> {
        let row = &self.row;
        tx.prepare_cached(
            "UPDATE threads SET status = ?2, node = ?3, awaits = ?4, steps = ?5, step = ?6, since = ?7, last = ?8,
                version = ?9, steps_since_person = ?10, hold_ms = ?11, held_at = ?12, updated_at = ?13
             WHERE seq = ?1",
        )?
        .execute(params![
            row.seq,
            row.status,
            row.node,
            row.awaits,
            row.steps,
            row.step,
            row.since,
            row.last,
            row.version,
            row.steps_since_person,
            row.hold_ms,
            row.held_at,
            row.updated_at,
        ])?;
        if self.details_changed {
            tx.prepare_cached(
                "UPDATE threads SET title = ?2, fingerprint = ?3, output = ?4, error_code = ?5, error_text = ?6,
                    unread = ?7, waiting_events = ?8, step_limit = ?9, allowance = ?10, by_person = ?11
                 WHERE seq = ?1",
            )?
            .execute(params![
                row.seq,
                row.title,
                row.fingerprint,
                row.output,
                row.error_code,
                row.error_text,
                row.unread,
                row.waiting_events,
                row.step_limit,
                row.allowance,
                row.by_person,
            ])?;
        }
        for question in &self.questions {
            if self.new.contains(&question.seq) {
                question.put(tx)?;
            } else if self.changed.contains(&question.seq) {
                question.update(tx)?;
            }
        }
        self.questions.retain(|question| question.status != Stage::Closed);
        tx.moved(Runnable::of(&self.row));
        tx.memory().keep(self.row, self.questions);
        Ok(())
    }

    /// Changes the question that the entry is about.
    fn change(&mut self, entry: &Entry, change: impl FnOnce(&mut InterruptRow)) {
        if let Some(question) = self.questions.iter_mut().find(|q| Some(q.seq) == entry.about) {
            change(question);
            question.stamp = entry.seq;
            self.changed.push(question.seq);
        }
    }

    fn change_all(
        &mut self,
        stamp: i64,
        which: impl Fn(&InterruptRow) -> bool,
        change: impl Fn(&mut InterruptRow),
    ) {
        for question in self.questions.iter_mut().filter(|q| q.status != Stage::Closed && which(q)) {
            change(question);
            question.stamp = stamp;
            self.changed.push(question.seq);
        }
    }

    fn close(&mut self, stamp: i64, which: impl Fn(&InterruptRow) -> bool) {
        self.change_all(stamp, which, |q| (q.status, q.acted) = (Stage::Closed, false));
    }

    /// Keeps the thread's error only while it has trouble.
    fn forget_error(&mut self) {
        if self.row.error_code.is_some() && !self.live().any(|question| question.trouble) {
            (self.row.error_code, self.row.error_text) = (None, None);
            self.details_changed = true;
        }
    }

    /// The status of a thread that has not ended, from what it still waits for.
    fn live_status(&self, db: &Connection, hold_ms: i64) -> Result<Status, StoreError> {
        let joins =
            self.row.awaits == Awaits::Children && living_children(db, self.row.seq, self.row.steps - 1)? > 0;
        let questions = self.live().map(|question| (question.trouble, question.status == Stage::Open));
        Ok(live_status(self.row.awaits, questions, joins, hold_ms))
    }

    /// Computes the status anew and raises the version, so that a running node notices.
    fn goes_on(&mut self, db: &Connection, entry: &Entry, hold_ms: i64) -> Result<(), StoreError> {
        (self.row.version, self.row.updated_at) = (entry.seq, entry.at);
        (self.row.hold_ms, self.row.held_at) = (hold_ms, (hold_ms > 0).then_some(entry.at));
        self.forget_error();
        if !self.row.status.ended() {
            self.row.status = self.live_status(db, hold_ms)?;
        }
        Ok(())
    }

    fn stepped(&mut self, db: &Connection, entry: &Entry, body: &Stepped) -> Result<(), StoreError> {
        let Entry { seq, at, .. } = *entry;
        self.close(seq, |question| !body.open.contains(&question.seq));
        let ends = body.ended();
        let (node, awaits) = body.next_node();
        if let Some(node) = node {
            node.clone_into(&mut self.row.node);
        }
        let row = &mut self.row;
        row.awaits = awaits;
        row.steps = body.n + body.count;
        row.step = seq;
        row.since = body.open.iter().chain(&body.waiting_events).fold(seq, |first, entry| first.min(*entry));
        (row.version, row.updated_at, row.hold_ms, row.held_at) = (seq, at, 0, None);
        row.steps_since_person = body.since_heard.unwrap_or(row.steps_since_person + body.count);
        let unread = body.result && ends == Some(Status::Done) && row.parent.is_none();
        let waiting_events = body.waiting_events.len() as i64;
        let changes = body.title.is_some() || body.fingerprint.is_some() || body.output.is_some();
        if changes || body.no_output || (row.unread, row.waiting_events) != (unread, waiting_events) {
            (row.unread, row.waiting_events) = (unread, waiting_events);
            if let Some(title) = &body.title {
                row.title.clone_from(title);
            }
            if let Some(fingerprint) = &body.fingerprint {
                row.fingerprint.clone_from(fingerprint);
            }
            let output = body.output.as_ref().map(|output| output.get().to_owned()).or(row.output.take());
            row.output = output.filter(|_| !body.no_output);
            self.details_changed = true;
        }
        self.forget_error();
        self.row.status = match ends {
            Some(ended) => ended,
            None => self.live_status(db, 0)?,
        };
        Ok(())
    }

    fn asked(&mut self, entry: &Entry, body: &Asked) {
        if let Some(text) = &body.trouble {
            let row = &mut self.row;
            (row.status, row.version, row.updated_at) = (Status::Trouble, entry.seq, entry.at);
            (row.error_code, row.error_text) = (Some(body.interrupt.action.clone()), Some(text.clone()));
            self.details_changed = true;
        }
        self.new.push(entry.seq);
        self.questions.push(question_row(entry, body));
    }

    fn decided(&mut self, db: &Connection, entry: &Entry, body: &Decided) -> Result<(), StoreError> {
        if let DecidedBy::Grant(grant) = &body.by {
            db.prepare_cached("UPDATE grants SET used = used + 1 WHERE id = ?")?.execute([grant])?;
        }
        let batch = body.batch.as_ref().map(|batch| batch.as_str().to_owned());
        self.change(entry, |question| {
            question.set(Stage::Decided, batch);
            question.answer = Some(entry.seq);
        });
        self.goes_on(db, entry, body.hold_ms)
    }

    fn begun(&mut self, db: &Connection, entry: &Entry, body: EffectBegun) -> Result<(), StoreError> {
        EffectRow {
            seq: entry.seq,
            thread: entry.stream,
            step: body.step,
            name: body.name,
            state: EffectState::Begun,
            frozen: parse_digest(&body.bytes)?,
            outcome: "null".to_owned(),
            begun_at: entry.at,
            ended_at: None,
        }
        .put(db)?;
        for question in self.questions.iter_mut().filter(|question| question.status == Stage::Decided) {
            question.acted = true;
            self.changed.push(question.seq);
        }
        let row = &mut self.row;
        (row.status, row.updated_at, row.hold_ms, row.held_at) = (Status::Running, entry.at, 0, None);
        Ok(())
    }

    fn resolved(&mut self, db: &Connection, entry: &Entry, body: &Resolved) -> Result<(), StoreError> {
        let ends = body.ends;
        let is_over = |q: &InterruptRow| ends.is_some() || (q.trouble && q.status == Stage::Decided);
        self.close(entry.seq, is_over);
        let row = &mut self.row;
        row.step_limit += body.more_steps;
        row.allowance += body.more_budgets;
        (row.version, row.updated_at, row.hold_ms, row.held_at) = (entry.seq, entry.at, 0, None);
        row.waiting_events = if ends.is_some() { 0 } else { row.waiting_events - body.drops.len() as i64 };
        if ends.is_none() {
            (row.error_code, row.error_text) = (None, None);
        }
        self.details_changed = true;
        self.row.status = match ends {
            Some(ended) => ended,
            None if self.row.status.ended() => self.row.status,
            None => self.live_status(db, 0)?,
        };
        Ok(())
    }

    fn reopened(&mut self, db: &Connection, entry: &Entry, body: &Reopened) -> Result<(), StoreError> {
        for (stage, questions) in [(Stage::Open, &body.open), (Stage::Decided, &body.decided)] {
            for seq in questions {
                if let Some(mut question) = InterruptRow::select(db, "WHERE seq = ?", [seq])?.pop() {
                    (question.status, question.stamp, question.overdue) = (stage, entry.seq, None);
                    // Only an answer that was acted on is kept.
                    question.acted = stage == Stage::Decided;
                    self.changed.push(question.seq);
                    self.questions.push(question);
                }
            }
        }
        self.questions.sort_unstable_by_key(|question| question.seq);
        let row = &mut self.row;
        (row.version, row.updated_at, row.hold_ms, row.held_at) = (entry.seq, entry.at, 0, None);
        self.row.status = self.live_status(db, 0)?;
        Ok(())
    }
}

/// The status of a thread that has not ended. `questions` are those that are not closed: whether each is about trouble,
/// and whether it is open. `joins` says that it waits for children.
pub fn live_status(
    awaits: Awaits,
    questions: impl Iterator<Item = (bool, bool)>,
    joins: bool,
    hold_ms: i64,
) -> Status {
    let (mut open, mut trouble, mut open_trouble) = (false, false, false);
    for (is_trouble, is_open) in questions {
        open |= is_open;
        trouble |= is_trouble;
        open_trouble |= is_trouble && is_open;
    }
    let settled = if hold_ms > 0 { Status::Held } else { Status::Ready };
    if open_trouble {
        Status::Trouble
    } else if trouble {
        // A decision about its trouble comes before anything else it waits for.
        settled
    } else if awaits == Awaits::Answers && open {
        Status::Waiting
    } else if joins {
        Status::Joining
    } else {
        settled
    }
}

/// How many of the threads it started at this step have not ended.
pub fn living_children(db: &Connection, parent: i64, step: i64) -> Result<i64, StoreError> {
    let living = "SELECT count(*) FROM threads WHERE parent = ? AND parent_step = ?
                    AND status NOT IN ('done', 'abandoned')";
    rows::one(db, living, [parent, step])
}

fn ended(db: &Connection, entry: &Entry, body: &EffectEnded) -> Result<(), StoreError> {
    let ended_at = (body.state != EffectState::Begun).then_some(entry.at);
    db.prepare_cached("UPDATE effects SET state = ?2, outcome = ?3, ended_at = ?4 WHERE seq = ?1")?
        .execute(params![entry.about, body.state, body.outcome.to_string(), ended_at])?;
    Ok(())
}
