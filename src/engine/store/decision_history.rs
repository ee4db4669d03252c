//! Past decisions: the list with how each ended, and what people decided, to try a model on.

use crate::engine::graph::{Authorization, Decision, EffectState, EventKind, Kind, SHORTFALL, ThreadId};
use crate::engine::store::grant_trial::Trial;
use crate::engine::store::log::{
    self, Arrived, Asked, Decided, EffectBegun, EffectEnded, Entry, EntryKind, Resolved, Stepped, UndoReason,
    Undone,
};
use crate::engine::store::record::since_step::AskedQuestion;
use crate::engine::store::rows::{self, ThreadRow, time};
use crate::engine::store::{Inbox, StoreError, action_history};
use crate::inbox::{
    AnswerKind, DecidedBy, DecisionEnd, DecisionLine, DecisionQuery, Ending, GrantRequest, PROGRAM_ACTIONS,
    Page, Status, Weighed,
};
use jiff::Timestamp;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::value::RawValue;

/// How many decisions are looked at before a grant is given.
const MAX_WEIGHED: usize = 2_000;

/// A decision a person made and did not take back.
#[derive(Clone, Debug)]
pub struct PastDecision {
    /// The thread that asked.
    pub thread: ThreadId,
    /// The step that asked.
    pub step: u64,
    pub kind: Kind,
    pub decision: Decision,
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
            by_people(db, since, usize::MAX, |thread, asked, decision| {
                let (step, kind) = (asked.step.unsigned_abs(), asked.interrupt.kind);
                past.push(PastDecision { thread: thread.id, step, kind, decision });
                past.len() < limit
            })?;
            past.reverse();
            Ok(past)
        })
    }

    /// What a grant would have done with what people decided lately.
    pub fn weigh_grant(self, request: &GrantRequest) -> Result<Weighed, StoreError> {
        let now = self.0.now();
        self.0.read(|db| {
            let trial = Trial::of(db, request)?;
            let mut weighed = Weighed::default();
            let cut = by_people(db, Some(Weighed::since(now)), MAX_WEIGHED, |thread, asked, decision| {
                if !trial.would_cover(&asked, &thread.id) {
                    return true;
                }
                match decision {
                    Decision::Accept => weighed.same += 1,
                    Decision::Edit { .. } | Decision::Respond { .. } | Decision::Ignore | Decision::Draft => {
                        let title = Some(asked.interrupt.title).filter(|title| !title.is_empty());
                        let title = title.unwrap_or(thread.title);
                        weighed.other.push(format!("{title} ({})", AnswerKind::from(&decision).past()));
                    }
                }
                true
            })?;
            if let Some(oldest) = cut {
                weighed.looked_back_to(oldest, now);
            }
            Ok(weighed)
        })
    }

    /// A page of all decisions, newest first, and of what else people did to items.
    pub fn decisions(self, query: &DecisionQuery) -> Result<Page<DecisionLine>, StoreError> {
        let now = self.0.now();
        self.0.read(|db| {
            let mut page = Page::<DecisionLine>::default();
            let since = since_ms(query.filter.newer.map(|newer| newer.at(now)));
            let before = query.after.unwrap_or(i64::MAX);
            let mut all = places(db, since, before)?;
            if !query.only_answers {
                all.extend(action_history::places(db, since, before)?);
            }
            for place in newest_first(all) {
                if page.rows.len() == query.limit {
                    page.next = page.rows.last().map(|line| line.seq);
                    break;
                }
                let entry = log::entry(db, place)?;
                if !query.filter.matches_time(time(entry.at)?, now) {
                    continue;
                }
                let line = match entry.kind {
                    EntryKind::Decided => Some(line(db, &entry)?),
                    _ => action_history::line(db, &entry)?,
                };
                page.rows.extend(line.filter(|line| query.matches(line, now)));
            }
            Ok(page)
        })
    }
}

/// Goes through decisions by people that stand, newest first, as long as `each` says so: the thread, its question and the
/// answer. Trouble is left out. Reads at most `limit` decisions, whoever took them; if there are more, returns when the
/// oldest it read was taken.
fn by_people(
    db: &Connection,
    since: Option<Timestamp>,
    limit: usize,
    mut each: impl FnMut(ThreadRow, Asked, Decision) -> bool,
) -> Result<Option<Timestamp>, StoreError> {
    let places = newest_first(places(db, since_ms(since), i64::MAX)?);
    for (count, place) in places.iter().enumerate() {
        let entry = log::entry(db, *place)?;
        let decided: Decided = entry.parse_body()?;
        let question = AskedQuestion::read(db, entry.stream, entry.about.unwrap_or_default())?;
        let undone = question.answers.iter().any(|g| g.seq == entry.seq && g.undone_at.is_some());
        if matches!(decided.by, DecidedBy::Tui | DecidedBy::Cli) && !undone && !question.asked.is_trouble() {
            let goes_on = each(ThreadRow::by_seq(db, entry.stream)?, question.asked, decided.decision);
            if !goes_on {
                return Ok(None);
            }
        }
        if count + 1 == limit && places.len() > limit {
            return Ok(Some(time(entry.at)?));
        }
    }
    Ok(None)
}

/// Where decisions are in the log, since a time and before a place, in no order.
fn places(db: &Connection, since: i64, before: i64) -> Result<Vec<i64>, StoreError> {
    let decided = "SELECT seq FROM log INDEXED BY log_decided WHERE kind = 'decided' AND at >= ? AND seq < ?";
    rows::column(db, decided, [since, before])
}

fn newest_first(mut places: Vec<i64>) -> Vec<i64> {
    places.sort_unstable_by_key(|place| std::cmp::Reverse(*place));
    places
}

fn since_ms(since: Option<Timestamp>) -> i64 {
    since.map_or(i64::MIN, Timestamp::as_millisecond)
}

/// How the last decision in a thread ended, if there was one.
pub fn last_outcome(
    db: &Connection,
    thread: &ThreadRow,
) -> Result<Option<(DecisionEnd, String)>, StoreError> {
    let last = "SELECT seq FROM log WHERE stream = ? AND kind = 'decided' ORDER BY seq DESC LIMIT 1";
    let Some(last) = rows::first(db, last, [thread.seq])? else { return unanswered(db, thread) };
    let entry = log::entry(db, last)?;
    let decided: Decided = entry.parse_body()?;
    let asked = asked_as_decided(db, &entry, &decided)?;
    let after = Aftermath::read(db, &entry, &decided, &asked)?;
    Ok(Some(after.outcome(&decided, &asked, thread.status)))
}

/// How a thread ended that nobody answered here: a program's question expired or was withdrawn, or the thread was set
/// aside with its mail.
fn unanswered(db: &Connection, thread: &ThreadRow) -> Result<Option<(DecisionEnd, String)>, StoreError> {
    let last = "SELECT seq FROM log WHERE stream = ? AND kind = 'asked' ORDER BY seq DESC LIMIT 1";
    let Some(last) = rows::first(db, last, [thread.seq])? else { return Ok(None) };
    let by_program =
        log::entry(db, last)?.parse_body::<log::Asked>()?.interrupt.action.starts_with(PROGRAM_ACTIONS);
    let mut ended = None;
    log::follow(db, thread.seq, last, &mut |entry| {
        match entry.kind {
            EntryKind::Arrived if by_program => {
                if let EventKind::AnsweredElsewhere { payload, .. } =
                    entry.parse_body::<Arrived>()?.event.what
                {
                    let how = payload.get("how").and_then(Value::as_str);
                    let words = [Ending::Expired, Ending::Withdrawn].map(Ending::word);
                    let word = words.into_iter().find(|word| how == Some(*word));
                    ended = word.map(|word| (DecisionEnd::Expired, word.to_owned()));
                    return Ok(ended.is_none());
                }
            }
            EntryKind::Resolved => {
                let why = entry.parse_body::<Resolved>()?.set_aside;
                ended = why.map(|why| (DecisionEnd::Ignored, why.word().to_owned()));
            }
            EntryKind::Reopened => ended = None,
            _ => {}
        }
        Ok(true)
    })?;
    Ok(ended)
}

/// The question behind an answer, in the words that fit the person's arguments.
fn asked_as_decided(db: &Connection, entry: &Entry, decided: &Decided) -> Result<log::Asked, StoreError> {
    let mut asked = AskedQuestion::read(db, entry.stream, entry.about.unwrap_or_default())?.asked;
    if let Some(title) = &decided.title {
        asked.interrupt.title.clone_from(title);
    }
    asked.interrupt.labels.done = decided.done.clone().or(asked.interrupt.labels.done);
    Ok(asked)
}

fn line(db: &Connection, entry: &Entry) -> Result<DecisionLine, StoreError> {
    let decided: Decided = entry.parse_body()?;
    let asked = asked_as_decided(db, entry, &decided)?;
    let thread = ThreadRow::by_seq(db, entry.stream)?;
    let after = Aftermath::read(db, entry, &decided, &asked)?;
    let (end, mut outcome) = after.outcome(&decided, &asked, thread.status);
    let edited = matches!(decided.decision, Decision::Edit { .. });
    if edited && asked.interrupt.labels.words_refuse && end == DecisionEnd::Done {
        outcome = format!("{outcome}, changed");
    }
    let remember = decided.remember.and_then(|place| asked.interrupt.grantable.remember.get(place));
    if let Some(remember) = remember.filter(|_| end == DecisionEnd::Done) {
        outcome = format!("{outcome}, told to remember {}", remember.words);
    }
    if let Some(report) = after.reported {
        outcome = format!("{outcome}, {report}");
    }
    // Trouble is called after its workflow, which says little in a list.
    let title = match asked.interrupt.title.is_empty() || asked.is_trouble() {
        true if !thread.title.is_empty() => thread.title,
        _ => asked.interrupt.title,
    };
    let answer = AnswerKind::from(&decided.decision);
    let (text, args) = match decided.decision {
        Decision::Edit { args } => (None, args),
        Decision::Respond { text } => (Some(text), asked.interrupt.args),
        Decision::Accept | Decision::Ignore | Decision::Draft => (None, asked.interrupt.args),
    };
    Ok(DecisionLine {
        at: time(entry.at)?,
        interrupt: Some(asked.id),
        thread: thread.id,
        workflow: thread.workflow,
        kind: Some(asked.interrupt.kind),
        action: asked.interrupt.action,
        title,
        source: asked.interrupt.source,
        answer,
        text,
        args,
        by: Some(decided.by),
        end,
        outcome,
        ended_at: after.ended_at.map(time).transpose()?,
        seq: entry.seq,
        batch: decided.batch,
    })
}

/// What a program's request says about itself at its end, if that is known already.
fn reported(output: &RawValue) -> Option<String> {
    let output: Value = serde_json::from_str(output.get()).ok()?;
    output.get("reported")?.as_str().map(str::to_owned)
}

/// What followed from an answer until its thread continued.
#[derive(Default)]
struct Aftermath {
    undone: Option<UndoReason>,
    /// Effects it permitted, each with its state.
    effects: Vec<(i64, EffectState)>,
    /// When the last of them ended.
    ended_at: Option<i64>,
    /// The thread failed with it.
    failed: bool,
    /// The thread took it in.
    taken_in: bool,
    /// The thread took a step after an answer to its trouble.
    went_on: bool,
    /// What that step did that had been approved before, such as "sent".
    made_good: Option<String>,
    /// What its effects did not reach.
    shortfall: Option<String>,
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
        let reports = asked.interrupt.action.starts_with(PROGRAM_ACTIONS);
        let acts = acts(decided, asked);
        let retries = goes_on(decided, asked);
        let mut after = Self::default();
        log::follow(db, answer.stream, answer.seq, &mut |entry| {
            match entry.kind {
                EntryKind::Undone if entry.about == answer.about => {
                    after.undone = Some(entry.parse_body::<Undone>()?.because);
                    return Ok(false);
                }
                EntryKind::Begun
                    if is_based_on(&entry.parse_body::<EffectBegun>()?.basis, &asked.interrupt.key) =>
                {
                    after.effects.push((entry.seq, EffectState::Begun));
                }
                EntryKind::Ended => {
                    let EffectEnded { state, outcome } = entry.parse_body()?;
                    let effect = after.effects.iter_mut().find(|(seq, _)| entry.about == Some(*seq));
                    match (effect, entry.about) {
                        (Some(effect), _) => (effect.1, after.ended_at) = (state, Some(entry.at)),
                        // It began before the trouble.
                        (None, Some(begun)) if retries => after.effects.push((begun, state)),
                        (None, _) => {}
                    }
                    let is_ours = after.effects.iter().any(|(seq, _)| entry.about == Some(*seq));
                    if let Some(shortfall) =
                        outcome.get(SHORTFALL).and_then(Value::as_str).filter(|_| is_ours)
                    {
                        after.shortfall = Some(shortfall.to_owned());
                    }
                }
                EntryKind::Asked => {
                    let next: log::Asked = entry.parse_body()?;
                    after.failed |= next.is_trouble();
                    after.asked_again |=
                        acts && !next.is_trouble() && next.interrupt.key == asked.interrupt.key;
                }
                // From here on, what happens follows from another answer.
                EntryKind::Decided if after.taken_in && !reports => return Ok(false),
                // A pruned thread has only links left, so it took the answer in long ago.
                EntryKind::Stepped if !after.taken_in => {
                    let stepped = entry.body.as_ref().map(|_| entry.parse_body::<Stepped>()).transpose()?;
                    after.taken_in =
                        stepped.as_ref().is_none_or(|stepped| stepped.takes.contains(&answer.seq));
                    if reports && after.taken_in {
                        after.reported = stepped.and_then(|stepped| reported(stepped.output.as_deref()?));
                    }
                }
                EntryKind::Stepped if retries => after.went_on = true,
                EntryKind::Arrived if reports && after.taken_in && entry.body.is_some() => {
                    // Without a reason, it tells people nothing useful.
                    if let EventKind::AnsweredElsewhere { reason, .. } =
                        entry.parse_body::<Arrived>()?.event.what
                        && !reason.is_empty()
                    {
                        after.reported = Some(reason);
                        return Ok(false);
                    }
                }
                EntryKind::Resolved => {
                    after.taken_in |= entry.parse_body::<Resolved>()?.takes.contains(&answer.seq)
                }
                _ => {}
            }
            // If nothing was done, it may be asked again a few steps later.
            let may_ask_again = acts && after.effects.is_empty() && !after.asked_again;
            let may_go_on = retries && !after.went_on && !after.failed;
            Ok(reports || !after.taken_in || may_ask_again || may_go_on)
        })?;
        let done = after.effects.iter().find(|(_, state)| *state == EffectState::Done);
        // A stop takes back what was approved, so what is done after it has an approval of its own.
        if let Some(begun) =
            done.filter(|_| retries && asked.interrupt.action != "stopped").map(|(begun, _)| *begun)
            && let Some(card) = log::entry(db, begun)?.about
        {
            after.made_good = log::entry(db, card)?.parse_body::<log::Asked>()?.interrupt.labels.done;
        }
        Ok(after)
    }

    /// What was done, and what it did not reach.
    fn but(&self, done: String) -> String {
        match &self.shortfall {
            Some(shortfall) => format!("{done}, but {shortfall}"),
            None => done,
        }
    }

    /// How it ended, as a code for scripts and in words for people.
    fn outcome(&self, decided: &Decided, asked: &log::Asked, status: Status) -> (DecisionEnd, String) {
        let labels = &asked.interrupt.labels;
        let ended = |end, word: &str| (end, word.to_owned());
        if let Some(because) = self.undone {
            return ended(DecisionEnd::Undone, because.label());
        }
        let label =
            |label: &Option<String>, usual: AnswerKind| label.clone().unwrap_or(usual.past().to_owned());
        if self.taken_in && goes_on(decided, asked) {
            let retried = label(&labels.done, AnswerKind::Accept);
            return match &self.made_good {
                _ if self.failed => (DecisionEnd::Failed, format!("{retried}, but failed")),
                Some(done) => (DecisionEnd::Done, self.but(format!("{retried}, {done}"))),
                None if !self.went_on && matches!(status, Status::Ready | Status::Running) => {
                    ended(DecisionEnd::Pending, "not acted on yet")
                }
                None => (DecisionEnd::Done, retried),
            };
        }
        let any = |state: EffectState| self.effects.iter().any(|(_, is)| *is == state);
        if any(EffectState::InDoubt) {
            return ended(DecisionEnd::InDoubt, "in doubt");
        }
        if any(EffectState::NotDone) || (self.failed && !self.taken_in) {
            return ended(DecisionEnd::Failed, DecisionEnd::Failed.word());
        }
        if !self.taken_in && !any(EffectState::Done) {
            return ended(
                DecisionEnd::Pending,
                if status == Status::Held { "held" } else { "not acted on yet" },
            );
        }
        if decided.by == DecidedBy::Expiry {
            return ended(DecisionEnd::Expired, DecisionEnd::Expired.word());
        }
        if self.effects.is_empty() && acts(decided, asked) {
            let draft = decided.decision == Decision::Draft;
            let deed = if draft { Some("saved") } else { labels.done.as_deref() };
            let is_working = matches!(status, Status::Ready | Status::Running);
            match deed {
                _ if self.asked_again => {
                    let text = format!("not {}, asked again", deed.unwrap_or("done"));
                    return (DecisionEnd::Failed, text);
                }
                Some(_) if is_working => return ended(DecisionEnd::Pending, "not acted on yet"),
                Some(deed) => return (DecisionEnd::Failed, format!("not {deed}")),
                None => {}
            }
        }
        match decided.decision {
            // What they wrote in place of the proposal is asked about before it is done.
            Decision::Edit { .. } if asked.interrupt.edit_from.is_some() => {
                ended(DecisionEnd::Done, "drafted")
            }
            Decision::Accept | Decision::Edit { .. } => {
                (DecisionEnd::Done, self.but(label(&labels.done, AnswerKind::Accept)))
            }
            Decision::Draft => ended(DecisionEnd::Done, AnswerKind::Draft.past()),
            Decision::Respond { .. } if !labels.words_refuse => {
                ended(DecisionEnd::Done, AnswerKind::Respond.past())
            }
            Decision::Respond { .. } | Decision::Ignore => {
                (DecisionEnd::Ignored, label(&labels.refused, AnswerKind::Ignore))
            }
        }
    }
}

/// Whether something has to be done here before this answer is carried out. A program does what it asked for itself.
fn acts(decided: &Decided, asked: &log::Asked) -> bool {
    let does = match decided.decision {
        Decision::Draft => true,
        Decision::Accept => asked.interrupt.irreversible,
        // What they wrote in place of the proposal is asked about first.
        Decision::Edit { .. } => asked.interrupt.irreversible && asked.interrupt.edit_from.is_none(),
        Decision::Respond { .. } | Decision::Ignore => false,
    };
    does && !asked.is_trouble() && !asked.interrupt.action.starts_with(PROGRAM_ACTIONS)
}

/// Whether a thread in trouble tries again with this answer.
fn goes_on(decided: &Decided, asked: &log::Asked) -> bool {
    asked.is_trouble() && decided.decision != Decision::Ignore && decided.by != DecidedBy::Expiry
}

/// Whether an effect was permitted by the answer to this question.
fn is_based_on(basis: &Authorization, question: &str) -> bool {
    match basis {
        Authorization::Decision { key, .. } | Authorization::Draft { key, .. } => key == question,
        Authorization::Answers { given } => given.contains_key(question),
        Authorization::Grant { .. } => false,
    }
}
