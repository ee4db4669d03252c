//! What waits for a person, and what they decide.

use super::Inbox;
use crate::engine::graph::{BatchId, Decision, InterruptId, ThreadId};
use crate::engine::store::DecisionDetails;
use crate::inbox::{
    BatchResults, Card, DecidedBy, DecisionLine, DecisionLinks, DecisionQuery, DecisionRequest, Edited,
    GrantLine, GrantRequest, InboxError, ItemLine, ItemQuery, ItemStamp, LineQuery, Order, Outcome, Page,
    Question, ThreadResult, UndoableBatch,
};
use futures_util::future::join_all;
use jiff::Timestamp;
use serde_json::Value;

/// Open questions and past decisions.
#[derive(Clone, Copy)]
pub struct Decisions<'a>(pub(super) &'a Inbox);

impl Decisions<'_> {
    /// A page of open questions, oldest first. Their `text` is empty; the card has it.
    pub async fn questions(self, query: ItemQuery) -> Result<Page<Question>, InboxError> {
        // A page is read quickly, and callers who want everything read page by page.
        self.0.store().inbox().questions(&query)
    }

    /// A page of results that nobody has filed away, oldest first.
    pub async fn results(self, query: ItemQuery) -> Result<Page<ThreadResult>, InboxError> {
        self.0.store().inbox().results(&query)
    }

    /// What there is in the inbox, each kind in the order it was asked.
    pub async fn stamps(self) -> Result<Vec<ItemStamp>, InboxError> {
        self.0.blocking(|inbox| inbox.store().inbox().stamps()).await
    }

    /// Items as lines of a list.
    pub async fn lines(self, query: LineQuery) -> Result<Vec<ItemLine>, InboxError> {
        self.0.blocking(move |inbox| inbox.store().inbox().lines(&query)).await
    }

    /// One question with its card.
    pub async fn card(self, id: InterruptId) -> Result<(Question, Card), InboxError> {
        self.0.blocking(move |inbox| inbox.read_card(&id)).await
    }

    /// A result that nobody has filed away, with a card drawn from the thread's last state.
    pub async fn result(self, thread: ThreadId) -> Result<(ThreadResult, Card), InboxError> {
        self.0.blocking(move |inbox| inbox.read_result(&thread)).await
    }

    /// Why an item is there, by its id: the workflow's explanation, and the thread's cost so far.
    pub async fn why(self, item: String) -> Result<Card, InboxError> {
        self.0.blocking(move |inbox| inbox.read_why(&item)).await
    }

    /// What an item becomes with these arguments: its title, and its warnings.
    pub async fn edited(self, id: InterruptId, args: Value) -> Result<Edited, InboxError> {
        self.0.blocking(move |inbox| inbox.read_edited(&id, &args)).await
    }

    /// Makes a decision.
    pub async fn decide(self, decide: DecisionRequest) -> Result<Outcome, InboxError> {
        self.take(decide, None, None).await
    }

    /// Makes decisions that a person confirmed together. Each is made or refused by itself; those made can be undone
    /// together, from any process. The results are in the order of `decides`.
    pub async fn decide_together(self, decides: Vec<DecisionRequest>) -> BatchResults {
        let batch = BatchId::random();
        // All at once: the store groups them, and a refusal does not affect the others.
        let each = decides.into_iter().map(|decide| {
            let (id, batch) = (decide.interrupt.clone(), batch.clone());
            async move { (id, self.take(decide, None, Some(batch)).await) }
        });
        join_all(each).await
    }

    /// Accepts, and allows similar calls from now on: both or neither.
    pub async fn accept_and_grant(
        self,
        accept: DecisionRequest,
        request: GrantRequest,
    ) -> Result<(Outcome, GrantLine), InboxError> {
        self.check_remote(&accept).await?;
        let holds = self.0.engine.holds(accept.by == DecidedBy::Tui);
        self.0.store().inbox().accept_and_grant(accept, holds, request).await
    }

    /// Accepts, and tells the asking program to remember its offer number `place`, counted from 0.
    pub async fn accept_and_remember(
        self,
        accept: DecisionRequest,
        place: usize,
    ) -> Result<Outcome, InboxError> {
        self.take(accept, Some(place), None).await
    }

    async fn take(
        self,
        decide: DecisionRequest,
        remember: Option<usize>,
        batch: Option<BatchId>,
    ) -> Result<Outcome, InboxError> {
        self.check_remote(&decide).await?;
        let holds = self.0.engine.holds(decide.by == DecidedBy::Tui);
        let edited = match &decide.decision {
            Decision::Edit { args } => Some(self.edited(decide.interrupt.clone(), args.clone()).await?),
            Decision::Accept | Decision::Respond { .. } | Decision::Ignore | Decision::Draft => None,
        };
        let details = DecisionDetails { remember, batch, edited };
        self.0.store().inbox().decide(decide, details, holds).await
    }

    /// A decision on a server's thread is made only if it can be sent.
    async fn check_remote(self, decide: &DecisionRequest) -> Result<(), InboxError> {
        match &self.0.remote {
            Some(remote) => remote.ready_for(&decide.interrupt).await,
            None => Ok(()),
        }
    }

    /// Undoes a decision.
    pub async fn undo(self, id: InterruptId) -> Result<Outcome, InboxError> {
        let thread = self.0.store().inbox().undo(id).await?;
        self.0.outcome_of(&thread)
    }

    /// Lets a held decision take effect at once.
    pub async fn act_now(self, id: InterruptId, by: DecidedBy) -> Result<Outcome, InboxError> {
        self.0.store().inbox().act_now(id, by).await
    }

    /// Undoes everything that was decided together with this and is not acted on yet; for the rest, it returns the
    /// reason. A decision made alone is undone alone.
    pub async fn undo_batch(self, id: InterruptId) -> Result<BatchResults, InboxError> {
        let undone = self.0.store().inbox().undo_batch(id).await?;
        let outcome = |thread: ThreadId| self.0.outcome_of(&thread);
        let each = undone.into_iter().map(|(id, done)| (id, done.and_then(outcome)));
        Ok(each.collect())
    }

    /// The newest decision that can still be undone, whichever process made it.
    pub async fn last_decided(self) -> Result<Option<UndoableBatch>, InboxError> {
        self.0.blocking(|inbox| inbox.store().inbox().last_decided()).await
    }

    /// Hides an interrupt until a time, or shows it again.
    pub async fn snooze(self, id: InterruptId, until: Option<Timestamp>) -> Result<Question, InboxError> {
        self.0.store().inbox().snooze(id, until).await
    }

    pub async fn file_away(self, thread: ThreadId) -> Result<Outcome, InboxError> {
        self.0.store().inbox().file_away(thread.clone()).await?;
        self.0.outcome_of(&thread)
    }

    /// A page of decisions, newest first: who made them and how each ended.
    pub async fn history(self, query: DecisionQuery) -> Result<Page<DecisionLine>, InboxError> {
        self.0.blocking(move |inbox| inbox.store().inbox().decisions(&query)).await
    }

    /// The grants of a decision, and what was learned from it.
    pub async fn links(self, line: DecisionLine) -> Result<DecisionLinks, InboxError> {
        let mut grants = self.0.grants().list().await?;
        let took = |grant: &GrantLine| matches!(&line.by, Some(DecidedBy::Grant(id)) if *id == grant.id);
        let Some(interrupt) = line.interrupt else { return Ok(DecisionLinks::default()) };
        grants.retain(|grant| took(grant) || grant.origin == interrupt.as_str());
        let read = move |inbox: &Inbox| {
            let memory = inbox.store().memory();
            Ok((memory.learned_from(&interrupt)?, memory.rows_from(&interrupt)?))
        };
        let (lessons, rows) = self.0.blocking(read).await?;
        Ok(DecisionLinks { grants, lessons, rows })
    }

    /// The person's order of the list.
    pub async fn order(self) -> Result<Order, InboxError> {
        let words = self.0.blocking(|inbox| inbox.store().inbox().order()).await?;
        Ok(Order::from_words(&words.unwrap_or_default()))
    }

    /// Stores the person's order of the list.
    pub async fn keep_order(self, order: Order) -> Result<(), InboxError> {
        self.0.store().inbox().save_order(order.words()).await
    }

    /// All unsent drafts: keys and texts.
    pub async fn drafts(self) -> Result<Vec<(String, String)>, InboxError> {
        self.0.blocking(|inbox| inbox.store().inbox().drafts()).await
    }

    /// Stores the draft under a key, or deletes it.
    pub async fn keep_draft(self, key: String, text: Option<String>) -> Result<(), InboxError> {
        self.0.store().inbox().save_draft(key, text).await
    }
}
