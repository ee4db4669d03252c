//! A thread taken out of the store: Markdown for people, JSON for programs.
//!
//! Promises: JSON is complete (what `show` gives, the conversation, and every step with its state); all text is
//! [`Visible`](crate::text::Visible), so that what is read in a pager is what the inbox showed; a file is written whole or not at all, and
//! never over one that stands there. Secrets are in no thread, so there are none to take out.

mod markdown;
mod write;

pub use write::{ExportError, write_new};

use super::Inbox;
use crate::graph::ThreadId;
use crate::inbox::{Card, InboxError, ThreadView};
use jiff::tz::TimeZone;
use serde::Serialize;

/// What a thread is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Markdown,
    /// For programs, complete.
    Json,
}

impl Format {
    /// How a file of it ends.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Json => "json",
        }
    }

    /// What a file of this name is to hold.
    pub fn of(name: &str) -> Self {
        let json = name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"));
        if json { Format::Json } else { Format::Markdown }
    }
}

/// A thread with everything that belongs to it.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// What `show` gives.
    #[serde(flatten)]
    pub view: ThreadView,
    /// The conversation as its workflow tells it, as text.
    pub conversation: String,
    #[serde(skip)]
    card: Card,
}

/// Reads a thread as a whole.
pub async fn export(inbox: &Inbox, thread: ThreadId) -> Result<Exported, InboxError> {
    let view = inbox.threads().view(thread).await?;
    let card = inbox.threads().conversation(view.id.clone()).await?;
    Ok(Exported { view, conversation: card.text(), card })
}

impl Exported {
    /// For people, with times as their clock shows them.
    pub fn markdown(&self, zone: &TimeZone) -> String {
        markdown::page(&self.view, &self.card, zone)
    }
}
