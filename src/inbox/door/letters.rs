//! Mail that a person begins: a new one, or one that forwards another. It is a thread of `email` like any other.

use super::mail::Mail;
use crate::engine::graph::ThreadId;
use crate::inbox::{InboxError, Outcome};
use crate::mail;
use crate::workflows::email::{self, Email, Letter};

/// How many people are offered to complete an address.
const MAX_PEOPLE: usize = 2_000;

impl Mail<'_> {
    /// What forwarding a thread's mail starts from.
    pub async fn forward(self, thread: ThreadId) -> Result<Letter, InboxError> {
        self.0
            .blocking(move |inbox| {
                let addresses = inbox.accounts.as_ref().map(|accounts| accounts.addresses());
                let email = inbox.engine.state_of::<Email>(&thread, None)?;
                let parse = |raw: &str| mail::parse(&Mail(inbox).raw(raw).ok()?).ok();
                let letter = email
                    .and_then(|email| email::forward(&email, parse))
                    .map(|letter| letter.from_one_of(&addresses.unwrap_or_default()));
                letter.ok_or_else(|| {
                    let text = format!("`{thread}` has no mail that can be forwarded");
                    InboxError::Conflict(text)
                })
            })
            .await
    }

    /// Starts the thread that sends a mail. It is held before it leaves, and a warning makes it a question.
    pub async fn send(self, letter: Letter) -> Result<Outcome, InboxError> {
        let draft = letter.draft.clone();
        self.0.threads().start_from("email".to_owned(), letter.into_input(), draft).await
    }

    /// The addresses of people the person knows, those they wrote to last first.
    pub async fn people(self) -> Result<Vec<String>, InboxError> {
        self.0.blocking(|inbox| inbox.store().mail().people(MAX_PEOPLE)).await
    }
}
