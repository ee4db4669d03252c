//! What waits for a person, and what they decide.

use super::Inbox;
use crate::graph::{BatchId, InterruptId, ThreadId};
use crate::inbox::{
    By, Card, Decide, Decided, DecisionLine, DecisionLinks, DecisionPage, DecisionQuery, Glance, GrantLine,
    GrantRequest, InboxError, Item, ItemLine, ItemPage, ItemQuery, LineQuery, Outcome, Together,
};
use futures_util::future::join_all;
use jiff::Timestamp;

/// What a person can decide, and has decided.
#[derive(Clone, Copy)]
pub struct Decisions<'a>(pub(super) &'a Inbox);

impl Decisions<'_> {
    /// A page of the inbox.
    pub async fn items(self, query: ItemQuery) -> Result<ItemPage, InboxError> {
        // A page is read in no time, and a reader who wants them all takes page after page.
        Ok(self.0.store().inbox().items(&query)?)
    }

    /// Everything in the inbox at a glance, each kind in the order it was asked.
    pub async fn glance(self) -> Result<Vec<Glance>, InboxError> {
        self.0.blocking(|inbox| inbox.store().inbox().glance()).await
    }

    /// Items as lines of a list.
    pub async fn lines(self, query: LineQuery) -> Result<Vec<ItemLine>, InboxError> {
        self.0.blocking(move |inbox| inbox.store().inbox().lines(&query)).await
    }

    /// One item with its card.
    pub async fn card(self, id: InterruptId) -> Result<(Item, Card), InboxError> {
        self.0.blocking(move |inbox| inbox.read_card(&id)).await
    }

    /// A result nobody has filed away, with its card as the thread's last state draws it.
    pub async fn result(self, thread: ThreadId) -> Result<(Item, Card), InboxError> {
        self.0.blocking(move |inbox| inbox.read_result(&thread)).await
    }

    /// Why an item is there, by the item's id: what its workflow says of it, and what the thread has cost so far.
    pub async fn why(self, item: String) -> Result<Card, InboxError> {
        self.0.blocking(move |inbox| inbox.read_why(&item)).await
    }

    /// Takes a decision.
    pub async fn decide(self, decide: Decide) -> Result<Outcome, InboxError> {
        self.take(decide, None).await
    }

    /// Takes decisions that a person confirmed as one. Each is taken or refused by itself; those taken can be taken
    /// back together, from any process. The answers stand in the order of `decides`.
    pub async fn decide_together(self, decides: Vec<Decide>) -> Together {
        let batch = BatchId::random();
        // All at once: the store groups them, and one that is refused does not hurt the others.
        let each = decides.into_iter().map(|decide| {
            let (id, batch) = (decide.interrupt.clone(), batch.clone());
            async move { (id, self.take(decide, Some(batch)).await) }
        });
        join_all(each).await
    }

    /// Accepts, and allows the like of it from now on: both or neither.
    pub async fn accept_and_grant(
        self,
        accept: Decide,
        request: GrantRequest,
    ) -> Result<(Outcome, GrantLine), InboxError> {
        self.check_remote(&accept).await?;
        let holds = self.0.engine.holds(accept.by == By::Tui);
        Ok(self.0.store().inbox().accept_and_grant(accept, holds, request).await?)
    }

    /// Accepts, and has the program that asked told to remember what it offered at this place, from 0.
    pub async fn accept_and_remember(self, accept: Decide, place: usize) -> Result<Outcome, InboxError> {
        self.check_remote(&accept).await?;
        let holds = self.0.engine.holds(accept.by == By::Tui);
        Ok(self.0.store().inbox().accept_and_remember(accept, holds, place).await?)
    }

    async fn take(self, decide: Decide, batch: Option<BatchId>) -> Result<Outcome, InboxError> {
        self.check_remote(&decide).await?;
        let holds = self.0.engine.holds(decide.by == By::Tui);
        Ok(self.0.store().inbox().decide(decide, batch, holds).await?)
    }

    /// A decision about a server's thread is taken only if it can be sent.
    async fn check_remote(self, decide: &Decide) -> Result<(), InboxError> {
        match &self.0.remote {
            Some(remote) => remote.ready_for(&decide.interrupt).await,
            None => Ok(()),
        }
    }

    /// Takes a decision back.
    pub async fn undo(self, id: InterruptId) -> Result<Outcome, InboxError> {
        let thread = self.0.store().inbox().undo(id).await?;
        self.0.outcome_of(&thread)
    }

    /// Takes back everything that was decided together with this one and is not acted on yet; each that was is
    /// named with the reason. A decision taken alone is taken back alone.
    pub async fn undo_batch(self, id: InterruptId) -> Result<Together, InboxError> {
        let undone = self.0.store().inbox().undo_batch(id).await?;
        let outcome = |thread: ThreadId| self.0.outcome_of(&thread);
        let each =
            undone.into_iter().map(|(id, done)| (id, done.map_err(InboxError::from).and_then(outcome)));
        Ok(each.collect())
    }

    /// The newest decision that can still be taken back, whichever process took it.
    pub async fn last_decided(self) -> Result<Option<Decided>, InboxError> {
        self.0.blocking(|inbox| inbox.store().inbox().last_decided()).await
    }

    /// Puts an interrupt out of sight until a time, or back into it.
    pub async fn snooze(self, id: InterruptId, until: Option<Timestamp>) -> Result<Item, InboxError> {
        Ok(self.0.store().inbox().snooze(id, until).await?)
    }

    /// Files a result away.
    pub async fn file_away(self, thread: ThreadId) -> Result<Outcome, InboxError> {
        self.0.store().inbox().file_away(thread.clone()).await?;
        self.0.outcome_of(&thread)
    }

    /// A page of decisions, newest first: who took them and how each ended.
    pub async fn history(self, query: DecisionQuery) -> Result<DecisionPage, InboxError> {
        self.0.blocking(move |inbox| inbox.store().inbox().decisions(&query)).await
    }

    /// The grants of a decision, and what was learned from it.
    pub async fn links(self, line: DecisionLine) -> Result<DecisionLinks, InboxError> {
        let mut grants = self.0.grants().list().await?;
        let took = |grant: &GrantLine| matches!(&line.by, By::Grant(id) if *id == grant.id);
        grants.retain(|grant| took(grant) || grant.origin == line.interrupt.as_str());
        let read = move |inbox: &Inbox| inbox.store().memory().learned_from(&line.interrupt);
        let lessons = self.0.blocking(read).await?;
        Ok(DecisionLinks { grants, lessons })
    }

    /// How the person wants the list ordered, as the screen wrote it down.
    pub async fn order(self) -> Result<Option<String>, InboxError> {
        self.0.blocking(|inbox| inbox.store().inbox().order()).await
    }

    /// Keeps how the person wants the list ordered.
    pub async fn keep_order(self, order: String) -> Result<(), InboxError> {
        Ok(self.0.store().inbox().keep_order(order).await?)
    }

    /// Everything begun and not sent: by key, the text.
    pub async fn drafts(self) -> Result<Vec<(String, String)>, InboxError> {
        self.0.blocking(|inbox| inbox.store().inbox().drafts()).await
    }

    /// Keeps what was begun under a key, or forgets it.
    pub async fn keep_draft(self, key: String, text: Option<String>) -> Result<(), InboxError> {
        Ok(self.0.store().inbox().keep_draft(key, text).await?)
    }
}
