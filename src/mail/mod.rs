//! Mail: incoming mail made safe to show and to use in prompts, and outgoing mail composed once and frozen.
//!
//! Promises: every text in a [`Mail`] is [`Visible`](crate::text::Visible). Sizes and depths are bounded before a
//! parser sees anything. Unreadable mail gives an error that keeps the raw bytes. Nothing a mail refers to is ever
//! fetched. A [`Mailbox`] is read and marked, and an [`Outgoing`] sends exactly the bytes it is given.
//!
//! Not here: threads, storage and decisions. A new source takes one file and one arm in `open`.

mod codes;
pub mod compose;
mod copies;
mod html;
pub mod imap;
mod json;
mod links;
mod mailbox;
pub mod maildir;
mod model;
mod net;
mod observing;
mod open;
pub mod outgoing;
mod quotes;
mod read;
pub mod risk;
pub mod smtp;

pub use copies::Copies;
pub use json::from_json;
pub use mailbox::{
    Account, Cursor, Destination, Fetched, FetchedMail, Handled, MailError, MailPresence, Mailbox, Outgoing,
    People, SendError, Sent, SentLookup, UndoToken,
};
pub use model::{
    Address, AddressField, Attachment, Invitation, Link, ListInfo, Mail, Oddity, Piece, Unsubscribe,
};
pub use net::Timeouts;
pub use observing::only_observes;
pub use open::{open_mailbox, open_outgoing};
pub use quotes::pieces;
pub use read::{ParseError, attachment, identity, parse};

use std::pin::Pin;

/// The visible text of an HTML page, and how many hidden pieces were left out.
pub fn html_text(html: &str) -> (String, u32) {
    let page = html::page(html);
    (page.text, page.hidden)
}

/// A boxed future, returned by traits that are used as `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
