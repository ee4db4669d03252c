//! A mail as everything else sees it: plain data, every text made Visible.

use super::codes::codes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much of a text can be found by its words, in bytes.
const MOST_WORDS: usize = 128 << 10;

/// How many of its codes are found however they are written. The rest is in a table.
const MOST_CODES: usize = 2_000;

/// Who wrote, or is written to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Address {
    /// The display name; empty where there is none.
    #[serde(default)]
    pub name: String,
    /// The bare address, its domain in lower case and in its ASCII form.
    pub address: String,
}

impl Address {
    /// An address without a display name.
    pub fn bare(address: &str) -> Self {
        Self { name: String::new(), address: address.to_owned() }
    }

    /// Whether both reach the same mailbox: case does not count.
    pub fn same(&self, other: &str) -> bool {
        self.address.eq_ignore_ascii_case(other)
    }

    /// What stands after the `@`; empty where nothing does.
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
    /// How long the raw bytes are.
    pub bytes: u64,
    /// SHA-256 of what follows the head, line ends left out, in hexadecimal; the same wherever the mail is kept.
    pub body: String,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// Without angle brackets.
    pub in_reply_to: Vec<String>,
    /// Without angle brackets, oldest first.
    pub references: Vec<String>,
    /// Who wrote it. Where no address can be read, the address is empty and the name is what From says.
    pub from: Address,
    /// What is odd about its From and Reply-To.
    pub oddities: Vec<Oddity>,
    /// Who handed it in, where that is somebody else.
    pub sender: Option<Address>,
    /// Where answers are wanted, if elsewhere.
    pub reply_to: Vec<Address>,
    pub to: Vec<Address>,
    /// To whom besides.
    pub cc: Vec<Address>,
    /// To whom unseen; only in mail of one's own.
    pub bcc: Vec<Address>,
    /// The addresses it was delivered to (`Delivered-To`, `X-Original-To`), bare.
    pub delivered_to: Vec<String>,
    /// The subject, one line.
    pub subject: String,
    /// When it was sent, by its own account.
    pub date: Option<Timestamp>,
    /// The text, quotes included. What a person reads and what a model reads.
    pub text: String,
    /// How many pieces of text were left out because they were made not to be seen.
    pub hidden: u32,
    /// How those pieces begin, and those of a version that is not the one shown. Nobody is shown it and no model reads it;
    /// warnings are computed from it.
    pub unseen: String,
    /// Whether the text was cut because it is too long; the raw bytes have all of it.
    pub cut: bool,
    /// Links with their real targets.
    pub links: Vec<Link>,
    /// What is attached.
    pub attachments: Vec<Attachment>,
    /// What its list says, where it came by one.
    pub list: Option<ListInfo>,
    /// A calendar part.
    pub invitation: Option<Invitation>,
    /// `Auto-Submitted`, where it is not `no`.
    pub auto_submitted: Option<String>,
    pub precedence: Option<String>,
    /// Whether the mailbox's own filter calls it spam.
    pub spam: bool,
    /// Every header as it stands, for whoever wants to see them.
    pub headers: Vec<(String, String)>,
}

/// A header field that decides whom a person deals with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressField {
    From,
    /// Where answers are wanted.
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

/// How From or Reply-To is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Oddity {
    /// From names several senders.
    SeveralSenders {
        /// The first of them; the very first is the one shown.
        addresses: Vec<String>,
    },
    /// No address can be read.
    Unreadable {
        field: AddressField,
        /// What stands there; empty where nothing does.
        text: String,
    },
    /// It can be read, but others may read it differently.
    Unusual {
        field: AddressField,
        /// What stands there.
        text: String,
        /// What was read.
        address: String,
    },
}

/// A piece of a mail's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whether it repeats an earlier mail.
    pub quoted: bool,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// What the mail shows; empty where it shows the target itself.
    #[serde(default)]
    pub text: String,
    /// Where it leads.
    pub target: String,
}

/// Something attached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// A name that is safe as a file name.
    pub name: String,
    /// Its media type, by its own account.
    pub kind: String,
    /// How long it is, decoded.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal.
    pub digest: String,
}

/// What a mailing list says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListInfo {
    /// `List-Id` without its description.
    pub id: Option<String>,
    /// The address mail to the list goes to.
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
        /// With this text.
        body: String,
    },
    /// A page that a person has to open.
    Page {
        /// Where it is.
        url: String,
    },
}

/// A calendar part of a mail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// `REQUEST`, `REPLY`, `CANCEL` …
    pub method: String,
    /// The iCalendar text.
    pub text: String,
}

impl Mail {
    /// Every address it was sent to, openly.
    pub fn recipients(&self) -> impl Iterator<Item = &Address> {
        self.to.iter().chain(&self.cc)
    }

    /// What it can be found by: who, what about, the beginning of what it says, and its codes in one piece.
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
        let text = &self.text[..self.text.floor_char_boundary(MOST_WORDS)];
        words.push_str(text);
        for code in codes(&self.subject).iter().chain(&codes(text)).take(MOST_CODES) {
            words.push('\n');
            words.push_str(code);
        }
        words
    }

    /// What the mails of one conversation share: the id of its first mail, as far as this one knows it.
    pub fn conversation(&self) -> Option<&str> {
        let root = self.references.first().or(self.in_reply_to.first());
        root.or(self.message_id.as_ref()).map(String::as_str)
    }
}
