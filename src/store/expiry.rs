//! Questions that nobody answers: how long each has waited by the policy's own clock, and their end.
//!
//! An expiry is a decision like any other, *ignore* by the policy, taken by compare-and-set: of it and a person's
//! answer exactly one stands. Nothing is carried out because of it: a question that waits beside one that was accepted,
//! edited or answered stays open, since its end would let those go on.

use super::commit::record_decision;
use super::decide::{Holds, decided};
use super::rows::{DecisionRow, InterruptRow, Stage, ThreadRow, damaged};
use super::seal::Seal;
use super::{Store, StoreError, settings};
use crate::graph::{Decision, InterruptId, Kind};
use crate::inbox::By;
use crate::text::hex;
use rusqlite::{Connection, OptionalExtension, params};

/// The policy's clock: it runs only forward, whatever the wall clock does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyClock {
    /// How much time it has seen pass, in milliseconds.
    pub total: i64,
    /// When that was, as its keeper writes moments down.
    pub at: String,
}

/// A question that a policy may look at.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// The interrupt.
    pub id: InterruptId,
    /// The workflow that asks.
    pub workflow: String,
    /// The tool, or what the question is called.
    pub action: String,
    /// What kind of question.
    pub kind: Kind,
    /// How far the clock was when its time began to run.
    pub waits: Option<i64>,
}

impl Store {
    /// The policy's clock as it was last kept.
    pub fn policy_clock(&self) -> Result<Option<PolicyClock>, StoreError> {
        self.read(kept)
    }

    /// Keeps the clock, unless somebody else has moved it since it was read; whether it did.
    pub async fn keep_policy_clock(
        &self,
        read: Option<PolicyClock>,
        clock: PolicyClock,
    ) -> Result<bool, StoreError> {
        self.write(move |db| {
            if kept(db)? != read || read.is_some_and(|read| read.total > clock.total) {
                return Ok(false);
            }
            let PolicyClock { total, at } = &clock;
            db.prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES ('policy_clock', ?)")?
                .execute(params![format!("{} {total} {at}", seal(&clock))])?;
            Ok(true)
        })
        .await
    }

    /// Open questions that can be ignored and are in sight, oldest first. Trouble is none of them.
    pub fn unanswered(&self) -> Result<Vec<Unanswered>, StoreError> {
        let now = self.now_ms();
        self.read(|db| {
            // Only what is due is read with its digest, when it is about to end.
            let mut found = db.prepare_cached(
                "SELECT i.id, t.workflow, i.action, i.kind, i.waits
                 FROM interrupts i JOIN threads t ON t.seq = i.thread
                 WHERE i.status = 'open' AND i.engine = 0 AND i.kind <> 'trouble' AND i.allow & 8 <> 0
                   AND coalesce(i.snoozed_until, 0) <= ?
                 ORDER BY i.seq",
            )?;
            let mut rows = found.query([now])?;
            let mut unanswered = Vec::new();
            while let Some(row) = rows.next()? {
                let (id, kind): (String, String) = (row.get(0)?, row.get(3)?);
                let (Ok(id), Some(kind)) = (InterruptId::parse(&id), Kind::from_word(&kind)) else {
                    return damaged(format!("interrupt {id} has no valid id or kind"));
                };
                let (workflow, action, waits) = (row.get(1)?, row.get(2)?, row.get(4)?);
                unanswered.push(Unanswered { id, workflow, action, kind, waits });
            }
            Ok(unanswered)
        })
    }

    /// The time of these questions runs from here on.
    pub async fn wait_from(&self, ids: Vec<InterruptId>, total: i64) -> Result<(), StoreError> {
        self.write(move |db| {
            for id in &ids {
                let mut interrupt = InterruptRow::find(db, id)?;
                if interrupt.stage == Stage::Open {
                    interrupt.waits = Some(total);
                    interrupt.update(db)?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Ends a question whose time ran from `waits` on; whether it did. Whatever happened to it since keeps it open.
    pub async fn expire(&self, id: InterruptId, waits: i64) -> Result<bool, StoreError> {
        let now = self.now_ms();
        self.write(move |db| {
            let interrupt = InterruptRow::find(db, &id)?;
            let snoozed = interrupt.snoozed_until.is_some_and(|until| until > now);
            let as_it_was = interrupt.stage == Stage::Open && interrupt.waits == Some(waits) && !snoozed;
            let may = interrupt.allow().ignore && !interrupt.engine && interrupt.kind != Kind::Trouble;
            if !as_it_was || !may || settings::is_paused(db)? || would_let_go_on(db, &interrupt)? {
                return Ok(false);
            }
            interrupt.check_hash()?;
            let row = ThreadRow::by_seq(db, interrupt.thread)?;
            let taken =
                record_decision(db, &row.id, &interrupt, Decision::Ignore, false, By::Expiry, None, now)?;
            decided(db, row, interrupt, &taken, Holds::default(), now)?;
            Ok(true)
        })
        .await
    }
}

/// Whether its end would let something else go on that was allowed.
fn would_let_go_on(db: &Connection, interrupt: &InterruptRow) -> Result<bool, StoreError> {
    for beside in InterruptRow::pending(db, interrupt.thread)? {
        if beside.stage == Stage::Decided && DecisionRow::in_force(db, &beside)?.decision != Decision::Ignore
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn kept(db: &Connection) -> Result<Option<PolicyClock>, StoreError> {
    let found: Option<String> = db
        .prepare_cached("SELECT value FROM settings WHERE name = 'policy_clock'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(text) = found else { return Ok(None) };
    let read = || {
        let (sealed, rest) = text.split_once(' ')?;
        let (total, at) = rest.split_once(' ')?;
        let clock = PolicyClock { total: total.parse().ok()?, at: at.to_owned() };
        (seal(&clock) == sealed).then_some(clock)
    };
    read().map_or_else(
        || damaged("the clock of the policy for expiry is not as it was written"),
        |c| Ok(Some(c)),
    )
}

fn seal(clock: &PolicyClock) -> String {
    hex(Seal::of("policy_clock").int(clock.total).text(&clock.at).done().bytes())
}
