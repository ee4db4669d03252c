//! Exports a thread: Markdown for people, JSON for programs.
//!
//! Promises: JSON is complete (what `show` returns, the conversation, and every step with its state); all text is
//! [`Visible`](crate::text::Visible), so that a pager shows what the inbox showed; a file is written whole or not at
//! all, and never overwrites another. Threads contain no secrets, so an export has none either.

mod markdown;
mod write;

pub use write::{ExportError, write_new};

use super::Inbox;
use crate::engine::graph::ThreadId;
use crate::inbox::{Card, InboxError, ThreadView};
use jiff::tz::TimeZone;
use serde::Serialize;

/// The format of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people.
    #[default]
    Markdown,
    /// For programs, complete.
    Json,
}

impl Format {
    /// The file extension.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Json => "json",
        }
    }

    /// The format for a file with this name.
    pub fn of(name: &str) -> Self {
        let json = name.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"));
        if json { Format::Json } else { Format::Markdown }
    }
}

/// A thread with everything that belongs to it.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// What `show` returns.
    #[serde(flatten)]
    pub view: ThreadView,
    /// The conversation as text, as the workflow draws it.
    pub conversation: String,
    #[serde(skip)]
    card: Card,
}

/// Reads a whole thread.
pub async fn export(inbox: &Inbox, thread: ThreadId) -> Result<Exported, InboxError> {
    let view = inbox.threads().view(thread).await?;
    let card = inbox.threads().conversation(view.id.clone()).await?;
    Ok(Exported { view, conversation: card.text(), card })
}

impl Exported {
    /// The export for people, with times in their zone.
    pub fn markdown(&self, zone: &TimeZone) -> String {
        markdown::page(&self.view, &self.card, zone)
    }
}
