//! Mail: what came, made safe to show and to prompt with, and what goes out, composed once and frozen.
//!
//! Promised: every text of a [`Mail`] is [`Visible`](crate::text::Visible); sizes and depths are bounded before a
//! parser sees anything; what cannot be read is an error that keeps the raw bytes; nothing a mail mentions is ever
//! fetched; a [`Mailbox`] is read and marked, and an [`Outgoing`] sends exactly the bytes it is given.
//!
//! What is not here: threads, storage and decisions. A new source is one file and one arm in its `open`.

mod codes;
pub mod compose;
mod copies;
pub mod gmail;
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

pub use json::from_json;
pub use mailbox::{
    Account, Cursor, Destination, Fetched, Found, Handled, MailError, Mailbox, NewMail, Outgoing, People,
    SendError, Sent, Standing, WayBack,
};
pub use model::{
    Address, AddressField, Attachment, Invitation, Link, ListInfo, Mail, Oddity, Piece, Unsubscribe,
};
pub use net::Patience;
pub use open::{open_mailbox, open_outgoing};
pub use quotes::pieces;
pub use read::{ParseError, attachment, identity, parse};

use std::pin::Pin;

/// The text that a page of HTML shows, and how many pieces of it are hidden and left out.
pub fn html_text(html: &str) -> (String, u32) {
    let page = html::page(html);
    (page.text, page.hidden)
}

/// A future that can be stored: what traits used as `dyn` return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
