//! A mail as the rest of the program sees it: plain data, every text made Visible, and beside it what holds hidden
//! characters as it came, for mail that repeats it.

use super::codes::codes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much of a text is searchable, in bytes.
const MAX_WORDS: usize = 128 << 10;

/// How many codes are searchable in their normal form. A mail with more contains a table.
const MAX_CODES: usize = 2_000;

/// A sender or recipient.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Address {
    /// The display name; empty if there is none.
    #[serde(default)]
    pub name: String,
    /// The bare address, with the domain in ASCII and lower case.
    pub address: String,
}

impl Address {
    /// An address without a display name.
    pub fn bare(address: &str) -> Self {
        Self { name: String::new(), address: address.to_owned() }
    }

    /// Several, as a header lists them.
    pub fn list(people: &[Address]) -> String {
        people.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Whether both reach the same mailbox, ignoring case.
    pub fn same(&self, other: &str) -> bool {
        self.address.eq_ignore_ascii_case(other)
    }

    /// The part after the `@`; empty if there is none.
    pub fn domain(&self) -> &str {
        self.address.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            f.write_str(&self.address)
        } else if self.address.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{} <{}>", self.name, self.address)
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mail {
    /// SHA-256 of the raw bytes, in hexadecimal.
    pub raw: String,
    /// The length of the raw bytes.
    pub bytes: u64,
    /// SHA-256 of the body without line ends, in hexadecimal; the same wherever the mail is kept.
    pub body: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// Without angle brackets.
    pub in_reply_to: Vec<String>,
    /// Without angle brackets, oldest first.
    pub references: Vec<String>,
    /// The author. If no address can be read, the address is empty and the name is the text of From.
    pub from: Address,
    /// Irregularities in its From and Reply-To.
    pub oddities: Vec<Oddity>,
    /// Who submitted it, if not the author.
    pub sender: Option<Address>,
    /// Where answers should go, if not to the author.
    pub reply_to: Vec<Address>,
    pub to: Vec<Address>,
    pub cc: Vec<Address>,
    /// Only in the user's own mail.
    pub bcc: Vec<Address>,
    /// The addresses it was delivered to (`Delivered-To`, `X-Original-To`), bare.
    pub delivered_to: Vec<String>,
    /// One line.
    pub subject: String,
    /// When it was sent, according to the mail itself.
    pub date: Option<Timestamp>,
    /// The text, including quotes. People and models read this.
    pub text: String,
    /// How many hidden pieces of text were left out.
    pub hidden: u32,
    /// The beginning of the hidden pieces and of versions that are not shown. It is never shown to people or models;
    /// warnings are computed from it.
    pub unseen: String,
    /// Whether the text was cut because it is too long; the raw bytes are complete.
    pub cut: bool,
    /// Links with their real targets.
    pub links: Vec<Link>,
    pub attachments: Vec<Attachment>,
    /// What the mailing list says, if it came from one.
    pub list: Option<ListInfo>,
    /// A calendar part.
    pub invitation: Option<Invitation>,
    /// `Auto-Submitted`, unless it is `no`.
    pub auto_submitted: Option<String>,
    pub precedence: Option<String>,
    /// All headers, unchanged, for users who want to see them.
    pub headers: Vec<(String, String)>,
    /// The fields that mail repeats, and the text (`text`), as they came, where they hold what cannot be seen: not yet safe
    /// to show.
    #[serde(skip)]
    pub unshown: Vec<(&'static str, String)>,
}

/// A header field that decides who the user is dealing with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressField {
    From,
    ReplyTo,
}

impl fmt::Display for AddressField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::From => "From",
            Self::ReplyTo => "Reply-To",
        })
    }
}

/// What is wrong with From or Reply-To.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Oddity {
    /// From names several senders.
    SeveralSenders {
        /// The first few of them; the first is the one shown.
        addresses: Vec<String>,
    },
    /// No address can be read.
    Unreadable {
        field: AddressField,
        /// The text of the field; may be empty.
        text: String,
    },
    /// It can be read, but other programs may read it differently.
    Unusual {
        field: AddressField,
        /// The text of the field.
        text: String,
        /// The address we read.
        address: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whether it repeats an earlier mail.
    pub quoted: bool,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The text shown; empty if that is the target itself.
    #[serde(default)]
    pub text: String,
    pub target: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// A name that is safe as a file name.
    pub name: String,
    /// Its media type, according to the mail.
    pub kind: String,
    /// The decoded length.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal.
    pub digest: String,
}

/// What a mailing list says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListInfo {
    /// `List-Id` without its description.
    pub id: Option<String>,
    /// The address for posting to the list.
    pub post: Option<String>,
    /// How to leave, best way first.
    pub unsubscribe: Vec<Unsubscribe>,
}

/// A way to leave a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Unsubscribe {
    /// One POST request (RFC 8058).
    OneClick { url: String },
    Mail {
        to: String,
        subject: String,
        /// The text to send.
        body: String,
    },
    /// A page that a user has to open.
    Page {
        /// The address of the page.
        url: String,
    },
}

/// A calendar part of a mail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// `REQUEST`, `REPLY`, `CANCEL` …
    pub method: String,
    /// The iCalendar text, without control characters but otherwise as it came: not yet safe to show.
    pub text: String,
}

impl Mail {
    /// A field or the text as it came, for mail that repeats it; `shown` is the same made Visible.
    pub fn as_sent<'a>(&'a self, name: &str, shown: &'a str) -> &'a str {
        self.unshown.iter().find(|(field, _)| *field == name).map_or(shown, |(_, text)| text)
    }

    /// Every address in To and Cc.
    pub fn recipients(&self) -> impl Iterator<Item = &Address> {
        self.to.iter().chain(&self.cc)
    }

    /// The values of all headers with a name, topmost first.
    pub fn headers_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = move |(header, _): &&(String, String)| header.eq_ignore_ascii_case(name);
        self.headers.iter().filter(named).map(|(_, value)| value.as_str())
    }

    /// The searchable text: people, subject, file names, the beginning of the text, and its codes in one piece.
    pub fn words(&self) -> String {
        let mut words = String::new();
        for person in std::iter::once(&self.from).chain(self.recipients().take(50)) {
            words.push_str(&person.name);
            words.push(' ');
            words.push_str(&person.address);
            words.push('\n');
        }
        words.push_str(&self.subject);
        for file in &self.attachments {
            words.push('\n');
            words.push_str(&file.name);
        }
        words.push('\n');
        let text = &self.text[..self.text.floor_char_boundary(MAX_WORDS)];
        words.push_str(text);
        for code in codes(&self.subject).iter().chain(&codes(text)).take(MAX_CODES) {
            words.push('\n');
            words.push_str(code);
        }
        words
    }

    /// What all mails of a conversation share: the id of the first mail, as far as this one knows it.
    pub fn conversation(&self) -> Option<&str> {
        let root = self.references.first().or(self.in_reply_to.first());
        root.or(self.message_id.as_ref()).map(String::as_str)
    }
}
