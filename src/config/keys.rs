//! The one table of every key the config knows: its section, what it may hold, and its default.
//!
//! Reading, environment variables, error messages, `sayso config` and the test of `config.example.toml` all go by
//! this table; `raw.rs` gives the same keys their Rust types. A key is listed when something reads it.

use super::settings::Provider;

/// A section of the file.
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) keys: &'static [Key],
}

/// Whether a section stands once, or once a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `[budget]`
    One,
    /// `[models.cheap]`
    Named,
    /// `[[mail]]`, in the order written
    Array,
}

/// A key of a section.
pub(super) struct Key {
    /// As written; a leading `*` stands for any word, and a dot leads into a section within.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) preset: Preset,
}

/// What a key may hold.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Texts,
    Choice(&'static [&'static str]),
    Count { least: i64, most: i64 },
    Amount { most: f64 },
}

/// What is meant when a key is not written.
#[derive(Clone, Copy)]
pub(super) enum Preset {
    Text(&'static str),
    Texts(&'static [&'static str]),
    Count(i64),
    Amount(f64),
    /// There is no value; the words say what happens then.
    Unset(&'static str),
    /// There must be a value.
    Required,
}

use Kind::{Amount, Choice, Count, Text, Texts};
use Preset::{Required, Unset};

const MOST_DOLLARS: f64 = 1_000_000.0;
const DAY: i64 = 86_400;

const SWITCH: &[&str] = &["on", "off"];

const PORT: Kind = Kind::Count { least: 1, most: 65_535 };

const MAIL: &[Key] = &[
    key("name", Text, Required),
    key("kind", Choice(&["maildir", "imap", "gmail"]), Preset::Text("maildir")),
    key("path", Text, Unset("none; a Maildir needs one")),
    key("folders", Texts, Preset::Texts(&[])),
    key("drafts", Text, Unset(".Drafts beneath path, or as the server says")),
    key("sent", Text, Unset(".Sent beneath path, or as the server says")),
    key("host", Text, Unset("none; imap needs one")),
    key("port", PORT, Unset("993, or 143 with starttls")),
    key("tls", Choice(&["tls", "starttls"]), Unset("tls")),
    key("user", Text, Unset("the address")),
    key("password_env", Text, Unset("none")),
    key("password_command", Text, Unset("none")),
    key("password_file", Text, Unset("none")),
    key("token_command", Text, Unset("none")),
    key("ca_file", Text, Unset("the machine's certificates")),
    key("tls_pin", Text, Unset("none")),
    key("address", Text, Unset("user.address")),
    key("aliases", Texts, Preset::Texts(&[])),
    key("mode", Choice(&["act", "observe"]), Preset::Text("act")),
    key("handled.done", Text, Preset::Text("seen")),
    key("handled.ignored", Text, Preset::Text("none")),
    key("outgoing.kind", Choice(&["maildir", "command", "smtp", "gmail"]), Unset("nothing is sent")),
    key("outgoing.path", Text, Unset("none")),
    key("outgoing.command", Texts, Unset("none")),
    key("outgoing.sent", Text, Unset("none")),
    key("outgoing.host", Text, Unset("none; smtp needs one")),
    key("outgoing.port", PORT, Unset("465, or 587 with starttls")),
    key("outgoing.tls", Choice(&["tls", "starttls"]), Unset("tls")),
    key("outgoing.user", Text, Unset("as for imap, or the address")),
    key("outgoing.password_env", Text, Unset("as for imap")),
    key("outgoing.password_command", Text, Unset("as for imap")),
    key("outgoing.password_file", Text, Unset("as for imap")),
    key("outgoing.token_command", Text, Unset("as for imap")),
    key("outgoing.ca_file", Text, Unset("the machine's certificates")),
    key("outgoing.tls_pin", Text, Unset("none")),
    key("outgoing.filed_by", Choice(&["auto", "server", "sayso"]), Unset("auto")),
];

const GOOGLE: &[Key] = &[
    key("client_id", Text, Unset("none; gmail needs one")),
    key("client_secret_env", Text, Unset("none")),
    key("client_secret_command", Text, Unset("none")),
    key("client_secret_file", Text, Unset("none")),
    key("auth_url", Text, Preset::Text("https://accounts.google.com/o/oauth2/v2/auth")),
    key("token_url", Text, Preset::Text("https://oauth2.googleapis.com/token")),
    key("gmail_url", Text, Preset::Text("https://gmail.googleapis.com")),
    key("calendar_url", Text, Preset::Text("https://www.googleapis.com/calendar/v3")),
];

const APIS: &[Key] = &[
    key("hosts", Texts, Unset("the API's own")),
    key("host_list", Text, Unset("the API's own")),
    key("private", Texts, Preset::Texts(&[])),
    key("api_key_env", Text, Unset("none")),
    key("api_key_command", Text, Unset("none")),
    key("api_key_file", Text, Unset("none")),
];

const SERVER: &[Key] = &[
    key("name", Text, Required),
    key("url", Text, Required),
    key("api_key_env", Text, Unset("none")),
    key("api_key_command", Text, Unset("none")),
    key("api_key_file", Text, Unset("none")),
    key("token_command", Text, Unset("none")),
    key("headers", Texts, Preset::Texts(&[])),
    key("graphs", Texts, Preset::Texts(&[])),
    key("assistants", Texts, Preset::Texts(&[])),
    key("metadata", Texts, Preset::Texts(&[])),
    key("every_seconds", Count { least: 1, most: DAY }, Preset::Count(5)),
];

const TRACES: &[Key] = &[
    key("endpoint", Text, Unset("nothing is sent")),
    key("headers", Texts, Preset::Texts(&[])),
    key("contents", Choice(SWITCH), Preset::Text("off")),
];

const MODEL: &[Key] = &[
    key("provider", Choice(Provider::NAMES), Preset::Text("builtin")),
    key("name", Text, Unset("none; only builtin needs none")),
    key("base_url", Text, Unset("the provider's own")),
    key("api_key_env", Text, Unset("none")),
    key("api_key_command", Text, Unset("none")),
    key("api_key_file", Text, Unset("none")),
    key("max_concurrent", Count { least: 1, most: 1000 }, Preset::Count(4)),
    key("requests_per_minute", Count { least: 1, most: 1_000_000 }, Unset("no limit")),
    key("timeout_seconds", Count { least: 1, most: 3600 }, Preset::Count(120)),
    key("context_tokens", Count { least: 256, most: 100_000_000 }, Unset("the provider's own")),
    key("max_output_tokens", Count { least: 1, most: 10_000_000 }, Preset::Count(4096)),
    key("temperature", Amount { most: 2.0 }, Unset("the provider's own")),
];

/// Every section, in the order in which they are shown.
pub(super) const SECTIONS: &[Section] = &[
    Section {
        name: "user",
        shape: Shape::One,
        keys: &[
            key("name", Text, Unset("none")),
            key("background", Text, Unset("none")),
            key("time_zone", Text, Unset("the system's")),
            key("address", Text, Unset("none")),
            key("aliases", Texts, Preset::Texts(&[])),
            key("signature", Text, Unset("none")),
            key("quote", Choice(SWITCH), Preset::Text("on")),
            key("remind_after", Text, Preset::Text("never")),
        ],
    },
    Section { name: "model", shape: Shape::One, keys: MODEL },
    Section { name: "models", shape: Shape::Named, keys: MODEL },
    Section {
        name: "workflow",
        shape: Shape::Named,
        keys: &[
            key("model", Text, Unset("[model]")),
            key("*_model", Text, Unset("the workflow's model")),
            key("expire", Text, Unset("approvals.expire")),
        ],
    },
    Section {
        name: "prices",
        shape: Shape::Named,
        keys: &[
            key("input", Amount { most: MOST_DOLLARS }, Required),
            key("output", Amount { most: MOST_DOLLARS }, Required),
            key("cached", Amount { most: MOST_DOLLARS }, Unset("the price of input")),
        ],
    },
    Section {
        name: "approvals",
        shape: Shape::One,
        keys: &[
            key("hold_seconds", Count { least: 0, most: DAY }, Preset::Count(10)),
            key("expire", Text, Preset::Text("never")),
            key("expire_kinds", Texts, Preset::Texts(&["approval", "question"])),
        ],
    },
    Section {
        name: "budget",
        shape: Shape::One,
        keys: &[
            key("day", Amount { most: MOST_DOLLARS }, Preset::Amount(2.0)),
            key("thread", Amount { most: MOST_DOLLARS }, Preset::Amount(0.25)),
            key("calls_per_thread", Count { least: 1, most: 1_000_000 }, Preset::Count(40)),
        ],
    },
    Section {
        name: "engine",
        shape: Shape::One,
        keys: &[
            key("concurrency", Count { least: 1, most: 1000 }, Preset::Count(8)),
            key("node_timeout_seconds", Count { least: 1, most: DAY }, Preset::Count(1800)),
            key("step_limit", Count { least: 1, most: 100_000 }, Preset::Count(100)),
            key("retries", Count { least: 0, most: 100 }, Preset::Count(3)),
        ],
    },
    Section { name: "google", shape: Shape::One, keys: GOOGLE },
    Section { name: "mail", shape: Shape::Array, keys: MAIL },
    Section {
        name: "rule",
        shape: Shape::Array,
        keys: &[
            key("from", Text, Unset("any")),
            key("to", Text, Unset("any")),
            key("subject", Text, Unset("any")),
            key("list", Text, Unset("any")),
            key("account", Text, Unset("any")),
            key("class", Choice(&["ignore", "notify", "respond"]), Required),
        ],
    },
    Section {
        name: "calendar",
        shape: Shape::One,
        keys: &[
            key("kind", Choice(&["ics", "google", "caldav"]), Preset::Text("ics")),
            key("path", Text, Unset("there is no calendar")),
            key("calendar", Text, Unset("primary at Google, the only one on a server")),
            key("account", Text, Unset("the first of kind gmail")),
            key("url", Text, Unset("none; caldav needs one")),
            key("user", Text, Unset("user.address")),
            key("password_env", Text, Unset("none")),
            key("password_command", Text, Unset("none")),
            key("password_file", Text, Unset("none")),
            key("ca_file", Text, Unset("the machine's certificates")),
        ],
    },
    Section {
        name: "intake",
        shape: Shape::One,
        keys: &[
            key("first_days", Count { least: 0, most: 3650 }, Preset::Count(1)),
            key("first_limit", Count { least: 0, most: 100_000 }, Preset::Count(200)),
            key("ask_over", Count { least: 0, most: 100_000 }, Preset::Count(50)),
            key("every_seconds", Count { least: 5, most: DAY }, Preset::Count(60)),
            key("unread_only", Choice(SWITCH), Preset::Text("on")),
        ],
    },
    Section {
        name: "learning",
        shape: Shape::One,
        keys: &[key("delay_seconds", Count { least: 0, most: DAY }, Preset::Count(20))],
    },
    Section {
        name: "policy",
        shape: Shape::Named,
        keys: &[
            key("mode", Choice(&["ask", "allow"]), Preset::Text("ask")),
            key("recipients", Texts, Preset::Texts(&["thread"])),
            key("expire", Text, Unset("the workflow's, else approvals.expire")),
        ],
    },
    Section { name: "apis", shape: Shape::Named, keys: APIS },
    Section { name: "server", shape: Shape::Array, keys: SERVER },
    Section {
        name: "sheet",
        shape: Shape::One,
        keys: &[
            key("max_steps", Count { least: 1, most: 100 }, Preset::Count(10)),
            key("with_informer", Choice(SWITCH), Preset::Text("off")),
            key("seconds", Count { least: 1, most: 600 }, Preset::Count(30)),
            key("memory_mb", Count { least: 256, most: 16_384 }, Preset::Count(1024)),
            key("output_kb", Count { least: 1, most: 1024 }, Preset::Count(64)),
            key("max_rows", Count { least: 1, most: 1_048_576 }, Preset::Count(1_048_576)),
        ],
    },
    Section {
        name: "theme",
        shape: Shape::One,
        keys: &[key("name", Choice(&["default", "light", "contrast", "plain"]), Preset::Text("default"))],
    },
    Section {
        name: "notices",
        shape: Shape::One,
        keys: &[
            key("bell", Choice(SWITCH), Preset::Text("on")),
            key("desktop", Choice(&["off", "osc9", "osc777"]), Preset::Text("off")),
            key("command", Texts, Preset::Texts(&[])),
            key("kinds", Texts, Preset::Texts(&["triage", "approval", "question", "trouble"])),
            key("quiet", Text, Unset("none")),
            key("every_seconds", Count { least: 0, most: DAY }, Preset::Count(60)),
        ],
    },
    Section { name: "traces", shape: Shape::One, keys: TRACES },
    // Which actions there are is the screen's affair, and it refuses the others by name.
    Section { name: "keys", shape: Shape::One, keys: &[key("*", Texts, Unset("as `?` shows them"))] },
    Section {
        name: "log",
        shape: Shape::One,
        keys: &[key(
            "level",
            Choice(&["off", "error", "warn", "info", "debug", "trace"]),
            Preset::Text("info"),
        )],
    },
];

const fn key(name: &'static str, kind: Kind, preset: Preset) -> Key {
    Key { name, kind, preset }
}

impl Section {
    /// The section called `name`.
    pub(super) fn find(name: &str) -> Option<&'static Section> {
        SECTIONS.iter().find(|section| section.name == name)
    }

    /// The key that `name` is, or is an instance of.
    pub(super) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| match key.name.strip_prefix('*') {
            Some(suffix) => name.len() > suffix.len() && name.ends_with(suffix),
            None => key.name == name,
        })
    }

    /// Whether `name` is a section within this one, such as the `outgoing` of `[mail.outgoing]`.
    pub(super) fn has_within(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name.split_once('.').is_some_and(|(within, _)| within == name))
    }
}

impl Key {
    /// The environment variable that sets this key of `section`.
    pub(super) fn variable(&self, section: &Section) -> String {
        format!("SAYSO_{}__{}", section.name, self.name).to_uppercase()
    }
}

impl Preset {
    /// The default as it would be written, where there is one.
    pub(super) fn value(self) -> Option<toml::Value> {
        match self {
            Self::Text(text) => Some(text.into()),
            Self::Texts(texts) => Some(texts.to_vec().into()),
            Self::Count(count) => Some(count.into()),
            Self::Amount(amount) => Some(amount.into()),
            Self::Unset(_) | Self::Required => None,
        }
    }
}
