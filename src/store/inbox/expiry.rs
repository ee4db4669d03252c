//! Expiry of unanswered questions: how long each has waited by the policy's own clock, and how it ends.
//!
//! An expiry is a decision like any other: *ignore*, made by the policy by compare-and-set, so either it or a person's
//! answer stands, never both. No effect follows from it: a question next to one that was accepted, edited or answered
//! stays open, because expiring it would let those proceed.

use crate::graph::{Decision, InterruptId, Kind};
use crate::inbox::DecidedBy;
use crate::store::inbox::decide::{Answer, DecisionDetails, Holds, record_answer};
use crate::store::log::{self, Snoozed};
use crate::store::record::append::append;
use crate::store::record::questions::open_question;
use crate::store::record::recent::Question;
use crate::store::row_digest::RowHasher;
use crate::store::rows::{self, InterruptRow, Stage, ThreadRow, damaged};
use crate::store::{Inbox, StoreError, settings};
use crate::text::hex;
use rusqlite::Connection;

/// The setting that keeps the policy's clock.
const CLOCK: &str = "policy_clock";

/// The policy's clock. It only runs forward, whatever the wall clock does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyClock {
    /// How much time it has counted, in milliseconds.
    pub total: i64,
    /// When `total` was last updated, in the keeper's own format.
    pub at: String,
}

/// A question that the policy may expire.
#[derive(Clone, Debug)]
pub struct Unanswered {
    pub id: InterruptId,
    /// The workflow that asks.
    pub workflow: String,
    /// The tool, or the name of the question.
    pub action: String,
    pub kind: Kind,
    /// What the policy clock showed when its waiting time started.
    pub waits: Option<i64>,
}

impl Inbox<'_> {
    /// The policy's clock as last stored.
    pub fn policy_clock(self) -> Result<Option<PolicyClock>, StoreError> {
        self.0.read(read_policy_clock)
    }

    /// Stores the clock, unless somebody else has moved it since it was read. Returns whether it was stored.
    pub async fn save_policy_clock(
        self,
        read: Option<PolicyClock>,
        clock: PolicyClock,
    ) -> Result<bool, StoreError> {
        self.0
            .write(move |db| {
                if read_policy_clock(db)? != read || read.is_some_and(|read| read.total > clock.total) {
                    return Ok(false);
                }
                let PolicyClock { total, at } = &clock;
                settings::set_text(db, CLOCK, &format!("{} {total} {at}", clock_digest(&clock)))?;
                Ok(true)
            })
            .await
    }

    /// Listed questions that can be ignored and are not snoozed, oldest first. Trouble is not included.
    pub fn unanswered(self) -> Result<Vec<Unanswered>, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            // Digests are checked only for questions that are due, just before they expire.
            let due = "SELECT i.id, t.workflow, i.action, i.kind, i.waits
                 FROM interrupts i JOIN threads t ON t.seq = i.thread
                 WHERE i.status <> 'closed' AND i.status = 'open' AND i.trouble = 0 AND i.kind <> 'trouble' AND i.allow & 8 <> 0
                   AND coalesce(i.snoozed_until, 0) <= ? AND NOT (t.status = 'trouble' AND t.error_code = 'stopped')
                 ORDER BY i.seq";
            rows::query(db, due, [now], |row| {
                let (id, workflow, action) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(Unanswered { id, workflow, action, kind: row.get(3)?, waits: row.get(4)? })
            })
        })
    }

    /// Starts the waiting time of these questions at `total`.
    pub async fn wait_from(self, ids: Vec<InterruptId>, total: i64) -> Result<(), StoreError> {
        let now = self.0.now_ms();
        self.0
            .write(move |tx| {
                for id in &ids {
                    let interrupt = InterruptRow::find(tx, id)?;
                    if interrupt.status == Stage::Open {
                        let mut row = ThreadRow::by_seq(tx, interrupt.thread)?;
                        let waits = Snoozed { until: interrupt.snoozed_until, waits: Some(total) };
                        append(tx, &mut row, log::EntryKind::Snoozed, Some(interrupt.seq), &waits, &[], now)?;
                    }
                }
                Ok(())
            })
            .await
    }

    /// Expires a question whose waiting time started at `waits`; returns whether it did. Anything that happened to it
    /// since keeps it open.
    pub async fn expire(self, id: InterruptId, waits: i64) -> Result<bool, StoreError> {
        let now = self.0.now_ms();
        self.0
            .write(move |tx| {
                let interrupt = InterruptRow::find(tx, &id)?;
                if interrupt.status != Stage::Open || settings::is_paused(tx)? {
                    return Ok(false);
                }
                let (row, recent, at) = open_question(tx, &interrupt)?;
                let question = &recent.questions[at];
                let snoozed = question.snoozed_until.is_some_and(|until| until > now);
                let asked = &question.asked;
                let can_expire = asked.allow().ignore && !asked.is_trouble() && asked.kind != Kind::Trouble;
                // Expiring it must not let something else proceed that was allowed.
                let allowed = |other: &Question| {
                    other.current_answer().is_some_and(|answer| answer.body.decision != Decision::Ignore)
                };
                // What a stopped thread asked is not listed until the thread goes on.
                let stopped =
                    recent.troubles().any(|trouble| trouble.is_open() && trouble.asked.action == "stopped");
                if question.waits != Some(waits)
                    || snoozed
                    || stopped
                    || !can_expire
                    || recent.questions.iter().any(allowed)
                {
                    return Ok(false);
                }
                let answer = Answer {
                    decision: Decision::Ignore,
                    learn: false,
                    by: DecidedBy::Expiry,
                    details: DecisionDetails::default(),
                };
                record_answer(tx, row, recent, at, answer, Holds::default(), now)?;
                Ok(true)
            })
            .await
    }
}

fn read_policy_clock(db: &Connection) -> Result<Option<PolicyClock>, StoreError> {
    let Some(text) = settings::text(db, CLOCK)? else { return Ok(None) };
    let read = || {
        let (digest, rest) = text.split_once(' ')?;
        let (total, at) = rest.split_once(' ')?;
        let clock = PolicyClock { total: total.parse().ok()?, at: at.to_owned() };
        (clock_digest(&clock) == digest).then_some(clock)
    };
    read().map_or_else(
        || damaged("the clock of the policy for expiry is not as it was written"),
        |c| Ok(Some(c)),
    )
}

fn clock_digest(clock: &PolicyClock) -> String {
    hex(RowHasher::of("policy_clock").int(clock.total).text(&clock.at).done().bytes())
}
