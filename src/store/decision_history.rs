//! Past decisions: the list with how each ended, and what people decided, for comparing with what another model would
//! have proposed.

use crate::graph::{Authorization, Decision, EffectState, EventKind, InterruptId, Kind, ThreadId};
use crate::inbox::{
    AnswerKind, By, DecisionEnd, DecisionLine, DecisionPage, DecisionQuery, PROGRAM_ACTIONS, Status,
};
use crate::store::log::{
    self, Arrived, COLUMNS, Decided, EffectBegun, EffectEnded, Entry, Kind as EntryKind, Settled, Stepped,
    UndoReason, Undone,
};
use crate::store::record::recent::Question;
use crate::store::rows::{ThreadRow, time};
use crate::store::{Inbox, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

/// A decision a person made and did not take back.
#[derive(Clone, Debug)]
pub struct PastDecision {
    /// The thread that asked.
    pub thread: ThreadId,
    pub workflow: String,
    /// The step that asked.
    pub step: u64,
    pub interrupt: InterruptId,
    pub kind: Kind,
    /// The tool, or the name of the question.
    pub action: String,
    pub proposed: Value,
    pub decision: Decision,
    pub at: Timestamp,
}

impl Inbox<'_> {
    /// The newest decisions by people since a time, at most `limit`, oldest first. Trouble is left out, and so are
    /// answers by grants or the policy.
    pub fn past_decisions(
        self,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<PastDecision>, StoreError> {
        self.0.read(|db| {
            let mut past = Vec::new();
            each(db, since, None, &mut |entry| {
                if past.len() == limit {
                    return Ok(false);
                }
                let decided: Decided = entry.says()?;
                let question = Question::read(db, entry.stream, entry.about.unwrap_or_default())?;
                let undone = question.answers.iter().any(|g| g.seq == entry.seq && g.undone_at.is_some());
                if !matches!(decided.by, By::Tui | By::Cli) || undone || question.asked.is_trouble() {
                    return Ok(true);
                }
                let thread = ThreadRow::by_seq(db, entry.stream)?;
                past.push(PastDecision {
                    thread: thread.id,
                    workflow: thread.workflow,
                    step: question.asked.step.unsigned_abs(),
                    kind: question.asked.kind,
                    action: question.asked.action,
                    proposed: question.asked.args,
                    interrupt: question.asked.id,
                    decision: decided.decision,
                    at: time(entry.at)?,
                });
                Ok(true)
            })?;
            past.reverse();
            Ok(past)
        })
    }

    /// A page of all decisions, newest first.
    pub fn decisions(self, query: &DecisionQuery) -> Result<DecisionPage, StoreError> {
        self.0.read(|db| {
            let mut page = DecisionPage::default();
            each(db, query.since, query.after, &mut |entry| {
                if page.decisions.len() == query.limit {
                    page.next = page.decisions.last().map(|line| line.place);
                    return Ok(false);
                }
                if query.until.is_some_and(|until| entry.at >= until.as_millisecond()) {
                    return Ok(true);
                }
                let line = line(db, &entry)?;
                if query.takes(&line) {
                    page.decisions.push(line);
                }
                Ok(true)
            })?;
            Ok(page)
        })
    }
}

/// Reads decisions since a time and before a place, newest first, while `each` returns true.
fn each(
    db: &Connection,
    since: Option<Timestamp>,
    before: Option<i64>,
    each: &mut dyn FnMut(Entry) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let since = since.map_or(i64::MIN, Timestamp::as_millisecond);
    let mut found = db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM log l INDEXED BY log_decided
         WHERE l.kind = 'decided' AND l.at >= ? AND l.seq < ? ORDER BY l.seq DESC"
    ))?;
    let mut rows = found.query([since, before.unwrap_or(i64::MAX)])?;
    while let Some(row) = rows.next()? {
        if !each(Entry::read(db, row)?)? {
            break;
        }
    }
    Ok(())
}

/// How the last decision in a thread ended, if there was one.
pub(in crate::store) fn last_outcome(
    db: &Connection,
    thread: &ThreadRow,
) -> Result<Option<(DecisionEnd, String)>, StoreError> {
    let mut found = db.prepare_cached(
        "SELECT seq FROM log WHERE stream = ? AND kind = 'decided' ORDER BY seq DESC LIMIT 1",
    )?;
    let Some(last) = found.query_row([thread.seq], |row| row.get(0)).optional()? else { return Ok(None) };
    let entry = log::entry(db, last)?;
    let decided: Decided = entry.says()?;
    let asked = Question::read(db, entry.stream, entry.about.unwrap_or_default())?.asked;
    let after = Aftermath::read(db, &entry, &decided, &asked)?;
    Ok(Some(after.told(&decided, &asked, thread.status)))
}

fn line(db: &Connection, entry: &Entry) -> Result<DecisionLine, StoreError> {
    let decided: Decided = entry.says()?;
    let asked = Question::read(db, entry.stream, entry.about.unwrap_or_default())?.asked;
    let thread = ThreadRow::by_seq(db, entry.stream)?;
    let after = Aftermath::read(db, entry, &decided, &asked)?;
    let (end, mut outcome) = after.told(&decided, &asked, thread.status);
    let edited = matches!(decided.decision, Decision::Edit { .. });
    if edited && asked.labels.words_refuse && end == DecisionEnd::Done {
        outcome = format!("{outcome}, changed");
    }
    let remember = decided.remember.and_then(|place| asked.grantable.remember.get(place));
    if let Some(remember) = remember.filter(|_| end == DecisionEnd::Done) {
        outcome = format!("{outcome}, told to remember {}", remember.words);
    }
    if let Some(told) = after.reported {
        outcome = format!("{outcome}, {told}");
    }
    let (answer, text, args) = match decided.decision {
        Decision::Accept => (AnswerKind::Accept, None, asked.args),
        Decision::Edit { args } => (AnswerKind::Edit, None, args),
        Decision::Respond { text } => (AnswerKind::Respond, Some(text), asked.args),
        Decision::Ignore => (AnswerKind::Ignore, None, asked.args),
        Decision::Draft => (AnswerKind::Draft, None, asked.args),
    };
    Ok(DecisionLine {
        at: time(entry.at)?,
        interrupt: asked.id,
        thread: thread.id,
        workflow: thread.workflow,
        kind: asked.kind,
        action: asked.action,
        title: if asked.title.is_empty() { thread.title } else { asked.title },
        source: asked.source,
        answer,
        text,
        args,
        by: decided.by,
        end,
        outcome,
        place: entry.seq,
    })
}

/// What followed from an answer until its thread continued.
#[derive(Default)]
struct Aftermath {
    undone: Option<UndoReason>,
    /// Effects it permitted, each with its state.
    effects: Vec<(i64, EffectState)>,
    /// The thread failed with it.
    failed: bool,
    /// The thread took it in.
    taken: bool,
    /// The thread asked the same question again.
    asked_again: bool,
    /// What the program that asked reported afterwards.
    reported: Option<String>,
}

impl Aftermath {
    fn read(
        db: &Connection,
        answer: &Entry,
        decided: &Decided,
        asked: &log::Asked,
    ) -> Result<Self, StoreError> {
        let reports = asked.action.starts_with(PROGRAM_ACTIONS);
        let acts = match decided.decision {
            Decision::Accept | Decision::Edit { .. } | Decision::Draft => {
                asked.irreversible && !asked.is_trouble()
            }
            Decision::Respond { .. } | Decision::Ignore => false,
        };
        let mut after = Self::default();
        log::follow(db, answer.stream, answer.seq, &mut |entry| {
            match entry.kind {
                EntryKind::Undone if entry.about == answer.about => {
                    after.undone = Some(entry.says::<Undone>()?.because);
                    return Ok(false);
                }
                EntryKind::Begun if rests_on(&entry.says::<EffectBegun>()?.basis, &asked.key) => {
                    after.effects.push((entry.seq, EffectState::Begun));
                }
                EntryKind::Ended => {
                    if let Some(effect) = after.effects.iter_mut().find(|(seq, _)| entry.about == Some(*seq))
                    {
                        effect.1 = entry.says::<EffectEnded>()?.state;
                    }
                }
                EntryKind::Asked => {
                    let next: log::Asked = entry.says()?;
                    after.failed |= next.is_trouble();
                    after.asked_again |= acts && !next.is_trouble() && next.key == asked.key;
                }
                // From here on, what happens follows from another answer.
                EntryKind::Decided if after.taken && !reports => return Ok(false),
                // A pruned thread has only links left, so it took the answer in long ago.
                EntryKind::Stepped if !after.taken => {
                    after.taken =
                        entry.body.is_none() || entry.says::<Stepped>()?.takes.contains(&answer.seq);
                }
                EntryKind::Arrived if reports && after.taken && entry.body.is_some() => {
                    // Without a reason, it tells people nothing useful.
                    if let EventKind::Settled { reason, .. } = entry.says::<Arrived>()?.event.what
                        && !reason.is_empty()
                    {
                        after.reported = Some(reason);
                        return Ok(false);
                    }
                }
                EntryKind::Settled => after.taken |= entry.says::<Settled>()?.takes.contains(&answer.seq),
                _ => {}
            }
            // If nothing was done, it may be asked again a few steps later.
            let may_ask_again = acts && after.effects.is_empty() && !after.asked_again;
            Ok(reports || !after.taken || may_ask_again)
        })?;
        Ok(after)
    }

    /// How it ended, as a code for scripts and in words for people.
    fn told(&self, decided: &Decided, asked: &log::Asked, status: Status) -> (DecisionEnd, String) {
        let labels = &asked.labels;
        let said = |end, word: &str| (end, word.to_owned());
        if let Some(because) = self.undone {
            return said(DecisionEnd::Undone, because.words());
        }
        let any = |state: EffectState| self.effects.iter().any(|(_, is)| *is == state);
        if any(EffectState::InDoubt) {
            return said(DecisionEnd::InDoubt, "in doubt");
        }
        if any(EffectState::NotDone) || (self.failed && !self.taken) {
            return said(DecisionEnd::Failed, "failed");
        }
        if !self.taken && !any(EffectState::Done) {
            return said(
                DecisionEnd::Pending,
                if status == Status::Held { "held" } else { "not acted on yet" },
            );
        }
        if decided.by == By::Expiry {
            return said(DecisionEnd::Expired, "expired");
        }
        let label = |label: &Option<String>, usual: &str| label.clone().unwrap_or_else(|| usual.to_owned());
        if self.asked_again && self.effects.is_empty() {
            let draft = matches!(decided.decision, Decision::Draft);
            let done = if draft { "saved".to_owned() } else { label(&labels.done, "done") };
            return (DecisionEnd::Failed, format!("not {done}, asked again"));
        }
        match decided.decision {
            // What they wrote in place of the proposal is asked about before it is done.
            Decision::Edit { .. } if asked.edit_from.is_some() => said(DecisionEnd::Done, "drafted"),
            Decision::Accept | Decision::Edit { .. } => (DecisionEnd::Done, label(&labels.done, "accepted")),
            Decision::Draft => said(DecisionEnd::Done, "saved as a draft"),
            Decision::Respond { .. } if !labels.words_refuse => said(DecisionEnd::Done, "answered"),
            Decision::Respond { .. } | Decision::Ignore => {
                (DecisionEnd::Ignored, label(&labels.refused, "ignored"))
            }
        }
    }
}

/// Whether an effect was permitted by the answer to this question.
fn rests_on(basis: &Authorization, question: &str) -> bool {
    match basis {
        Authorization::Decision { key, .. } | Authorization::Draft { key, .. } => key == question,
        Authorization::Answers { given } => given.contains_key(question),
        Authorization::Grant { .. } => false,
    }
}
