//! The sections of mail as typed; the rest stands in `raw.rs`.

use serde::Deserialize;

use super::mail::{FiledBy, MailMode, MailTls, PolicyMode, RuleClass};
use super::raw::Switch;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mail {
    pub(super) name: Option<String>,
    pub(super) kind: MailKind,
    pub(super) path: Option<String>,
    pub(super) folders: Vec<String>,
    pub(super) drafts: Option<String>,
    pub(super) sent: Option<String>,
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) tls: Option<MailTls>,
    pub(super) user: Option<String>,
    pub(super) password_env: Option<String>,
    pub(super) password_command: Option<String>,
    pub(super) password_file: Option<String>,
    pub(super) token_command: Option<String>,
    pub(super) ca_file: Option<String>,
    pub(super) tls_pin: Option<String>,
    pub(super) address: Option<String>,
    pub(super) aliases: Vec<String>,
    pub(super) mode: MailMode,
    pub(super) handled: Handled,
    #[serde(default)]
    pub(super) outgoing: Outgoing,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MailKind {
    Maildir,
    Imap,
    Gmail,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Handled {
    pub(super) done: String,
    pub(super) ignored: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outgoing {
    pub(super) kind: Option<OutgoingKind>,
    pub(super) path: Option<String>,
    pub(super) command: Option<Vec<String>>,
    pub(super) sent: Option<String>,
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) tls: Option<MailTls>,
    pub(super) user: Option<String>,
    pub(super) password_env: Option<String>,
    pub(super) password_command: Option<String>,
    pub(super) password_file: Option<String>,
    pub(super) token_command: Option<String>,
    pub(super) ca_file: Option<String>,
    pub(super) tls_pin: Option<String>,
    pub(super) filed_by: Option<FiledBy>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OutgoingKind {
    Maildir,
    Command,
    Smtp,
    Gmail,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) subject: Option<String>,
    pub(super) list: Option<String>,
    pub(super) account: Option<String>,
    pub(super) class: Option<RuleClass>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calendar {
    pub(super) kind: CalendarKind,
    pub(super) path: Option<String>,
    pub(super) calendar: Option<String>,
    pub(super) account: Option<String>,
    pub(super) url: Option<String>,
    pub(super) user: Option<String>,
    pub(super) password_env: Option<String>,
    pub(super) password_command: Option<String>,
    pub(super) password_file: Option<String>,
    pub(super) ca_file: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CalendarKind {
    Ics,
    Google,
    Caldav,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Intake {
    pub(super) first_days: u32,
    pub(super) first_limit: usize,
    pub(super) ask_over: usize,
    pub(super) every_seconds: u64,
    pub(super) unread_only: Switch,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Learning {
    pub(super) delay_seconds: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    pub(super) mode: PolicyMode,
    pub(super) recipients: Vec<String>,
    pub(super) expire: Option<String>,
}
