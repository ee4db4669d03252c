//! What the config says of mail, calendars and rules.

use std::path::PathBuf;

use serde::Deserialize;

use super::google::Google;
use super::secret::Secret;

/// A `[[mail]]`: one account.
#[derive(Clone, Debug, PartialEq)]
pub struct Mail {
    /// What it is called everywhere.
    pub name: String,
    /// Where it is read.
    pub source: MailSource,
    /// The address mail is sent from.
    pub address: String,
    /// Further addresses that reach the person here.
    pub aliases: Vec<String>,
    /// Whether anything may be sent or marked.
    pub mode: MailMode,
    /// What is done in the mailbox with mail that was decided on.
    pub handled_done: AfterHandling,
    /// What is done in the mailbox with mail that the model or a rule ignored.
    pub handled_ignored: AfterHandling,
    /// Where mail is sent; `None` where `[mail.outgoing]` is not there.
    pub outgoing: Option<MailOutgoing>,
}

/// Where an account is read.
#[derive(Clone, Debug, PartialEq)]
pub enum MailSource {
    Maildir {
        /// The folder that has `cur`, `new` and `tmp`.
        path: PathBuf,
        /// Further folders to read, each a Maildir: a path, or a name beneath `path` (`.Work`, `Work`).
        folders: Vec<String>,
        /// The Maildir drafts are kept in; `.Drafts` beneath `path` where nothing is said.
        drafts: Option<PathBuf>,
        /// Where sent mail lies, for what was answered elsewhere; `.Sent` beneath `path` where nothing is said.
        sent: Option<PathBuf>,
    },
    /// An IMAP server.
    Imap {
        /// Where it is and who is there.
        server: MailServer,
        /// The folders to read; the first few are also listened to.
        folders: Vec<String>,
        /// The folder drafts are kept in; the one the server calls so where nothing is said.
        drafts: Option<String>,
        /// The folder sent mail lies in; the one the server calls so where nothing is said.
        sent: Option<String>,
    },
    /// Gmail, by its own interface.
    Gmail {
        /// The login.
        google: Google,
        /// The labels to read.
        labels: Vec<String>,
    },
}

/// A mail server, and as whom it is used.
#[derive(Clone, Debug, PartialEq)]
pub struct MailServer {
    /// Its name, as its certificate has it.
    pub host: String,
    pub port: u16,
    /// How the connection is made safe; one that is not is not made.
    pub tls: MailTls,
    /// As whom.
    pub user: String,
    /// How to show it.
    pub login: MailLogin,
    /// Certificates to trust instead of the machine's, in PEM.
    pub ca_file: Option<PathBuf>,
    /// The SHA-256 of the only certificate to trust, in hexadecimal, for a bridge on this machine.
    pub tls_pin: Option<String>,
}

/// How a connection is made safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// From its first byte.
    #[default]
    Tls,
    /// After a word in the clear.
    Starttls,
}

/// How a mail server is shown who comes.
#[derive(Clone, Debug, PartialEq)]
pub enum MailLogin {
    Password(Secret),
    /// By a token (XOAUTH2), fetched anew for each connection.
    Token(Secret),
}

/// Where an account's mail is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum MailOutgoing {
    /// An outbox folder, a Maildir: whoever watches it sends.
    Maildir {
        /// The folder.
        path: PathBuf,
    },
    /// A program that takes the mail on its standard input, such as msmtp or sendmail.
    Command {
        /// The words of the command; recipients are added after `--`.
        command: Vec<String>,
        /// A Maildir a copy of what was sent is put into.
        sent: Option<PathBuf>,
    },
    /// An SMTP server. A copy of what was sent is kept in the account's Sent folder, where that is on a server too.
    Smtp {
        /// Where it is and who is there.
        server: MailServer,
        /// Who puts the copy there.
        filed_by: FiledBy,
    },
    /// Gmail, by its own interface. Gmail itself keeps a copy.
    Gmail {
        /// The login.
        google: Google,
    },
}

/// Who puts a copy of what was sent into Sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FiledBy {
    /// The server, where it does so within a moment; else sayso.
    #[default]
    Auto,
    /// The server, always.
    Server,
    /// sayso, at once.
    Sayso,
}

/// Whether anything may be sent or marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailMode {
    /// What was approved is done.
    #[default]
    Act,
    /// Nothing is sent or marked; cards say what would happen.
    Observe,
}

/// What is done in the mailbox with mail that was handled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AfterHandling {
    /// Nothing.
    #[default]
    None,
    /// It is marked as seen.
    Seen,
    /// It gets a label (a keyword, where the mailbox has such).
    Label(String),
    /// It is moved to a folder.
    Folder(String),
}

/// A `[[rule]]`: decides before any model, for nothing. Every pattern given must match; `*` stands for any letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// Against the sender's address.
    pub from: Option<String>,
    /// Against any recipient's address.
    pub to: Option<String>,
    /// Against the subject.
    pub subject: Option<String>,
    /// Against the list's id.
    pub list: Option<String>,
    /// Only mail of this account.
    pub account: Option<String>,
    /// What becomes of it.
    pub class: RuleClass,
}

/// What a rule makes of mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleClass {
    /// Not shown.
    #[default]
    Ignore,
    /// Shown.
    Notify,
    /// Answered.
    Respond,
}

/// `[policy.TOOL]`: when a tool may act without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether it ever may.
    pub mode: PolicyMode,
    /// Whom it may reach then: every recipient has to be in one of these. Without any it reaches nobody.
    pub recipients: Vec<Reach>,
}

/// Whether a tool asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyMode {
    /// It always asks.
    #[default]
    Ask,
    /// It acts without asking where the policy's conditions hold, and asks elsewhere.
    Allow,
}

/// Whom a policy lets a tool reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Whoever is in the conversation already.
    Thread,
    /// Whoever has an address at a domain of the person's own.
    OwnDomain,
}

/// `[calendar]`: where the person's times are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Calendar {
    /// An iCalendar file, or a folder of them.
    Ics {
        /// The file.
        path: PathBuf,
    },
    /// Google Calendar.
    Google {
        /// The login.
        google: Google,
        /// Which of its calendars, by Google's id.
        calendar: String,
    },
    /// A calendar on a CalDAV server.
    CalDav {
        /// Where it is and who is there.
        server: CalDavServer,
    },
}

/// A CalDAV server, and as whom it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalDavServer {
    /// Any address it is known by: its root, the person's, or the calendar's own.
    pub url: String,
    /// As whom.
    pub user: String,
    /// Where the password is kept.
    pub password: Secret,
    /// Which calendar, by its name or the last part of its address; the only one where nothing is said.
    pub calendar: Option<String>,
    /// Certificates to trust instead of the machine's, in PEM.
    pub ca_file: Option<PathBuf>,
}

/// `[intake]`: what of the mail becomes threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Intake {
    /// How far back the first look at a mailbox goes.
    pub first_days: u32,
    /// How many mails the first look takes at most.
    pub first_limit: usize,
    /// More than this are shown and asked first.
    pub ask_over: usize,
    /// How often mailboxes are looked at that cannot tell of themselves.
    pub every_seconds: u64,
    /// Whether only unread mail counts at the first look.
    pub unread_only: bool,
}

/// `[learning]`: how answers become memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learning {
    /// How long after the last decision.
    pub delay: std::time::Duration,
}
