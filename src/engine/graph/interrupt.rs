//! A question to a person, and the answer.

use super::InterruptId;
use super::agent_call::AgentCall;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What kind of inbox item an interrupt is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    /// Something to know about.
    Triage,
    /// A proposed tool call.
    Approval,
    /// An agent asks.
    Question,
    /// A failed thread, an effect in doubt, a limit reached.
    Trouble,
}

impl Kind {
    /// Every kind, in the order the inbox names them.
    pub const ALL: [Kind; 4] = [Kind::Triage, Kind::Approval, Kind::Question, Kind::Trouble];

    /// The word used in JSON, in the store and on the command line.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Which answers an interrupt takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allow {
    /// Do as proposed.
    pub accept: bool,
    /// Do it with changed arguments.
    pub edit: bool,
    /// Reply to the agent in words.
    pub respond: bool,
    /// Don't do it.
    pub ignore: bool,
    /// Do as proposed, but keep it as a draft: nothing is sent.
    #[serde(default)]
    pub draft: bool,
}

impl Allow {
    /// The four answers that any card can take.
    pub const ALL: Allow = Allow { accept: true, edit: true, respond: true, ignore: true, draft: false };

    /// Whether `decision` is among the allowed answers.
    pub fn permits(self, decision: &Decision) -> bool {
        match decision {
            Decision::Accept => self.accept,
            Decision::Edit { .. } => self.edit,
            Decision::Respond { .. } => self.respond,
            Decision::Ignore => self.ignore,
            Decision::Draft => self.draft,
        }
    }

    /// The words of the allowed answers, each with the card's own label.
    pub fn answers(self, labels: &Labels) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        let all = [
            (self.accept, "accept", labels.accept.as_deref()),
            (self.edit, "edit", labels.edit.as_deref()),
            (self.respond, "respond", labels.respond.as_deref()),
            (self.ignore, "ignore", labels.ignore.as_deref()),
            (self.draft, "draft", None),
        ];
        all.into_iter().filter_map(|(allowed, word, label)| allowed.then_some((word, label)))
    }
}

/// Labels for the keys on this card, if the usual words would mislead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// In place of "accept".
    pub accept: Option<String>,
    /// In place of "edit".
    pub edit: Option<String>,
    /// In place of "respond".
    pub respond: Option<String>,
    /// In place of "ignore".
    pub ignore: Option<String>,
    /// The status after accepting, in place of "accepted": "sent".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    /// The status after ignoring, in place of "ignored": "refused".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Whether responding refuses it as well: somebody asks for a permission, and is told why not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub words_refuse: bool,
}

impl Labels {
    /// Labels for the three usual answers; the usual word where one is empty.
    pub fn new(accept: impl Into<String>, respond: impl Into<String>, ignore: impl Into<String>) -> Self {
        let label = |text: String| (!text.is_empty()).then_some(text);
        Self {
            accept: label(accept.into()),
            respond: label(respond.into()),
            ignore: label(ignore.into()),
            ..Self::default()
        }
    }
}

/// How serious a warning is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Grade {
    /// Worth knowing; it does not change how the card is decided.
    Info,
    /// Worth a second look: accepting asks for confirmation, bulk decisions skip it, and no grant covers it.
    Caution,
    /// Like a caution, but somebody probably means harm or something cannot be undone.
    Danger,
}

impl Grade {
    /// A mark for lists and plain text.
    pub fn mark(self) -> &'static str {
        match self {
            Grade::Info => "i",
            Grade::Caution => "!",
            Grade::Danger => "!!",
        }
    }
}

/// Something unusual about a card, computed by code and never by a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub grade: Grade,
    /// A fixed word, for scripts.
    pub code: String,
    /// A sentence, for people.
    pub text: String,
    /// The argument it is about, if it goes when that one is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl Warning {
    pub fn new(grade: Grade, code: &str, text: impl Into<String>) -> Self {
        Self { grade, code: code.to_owned(), text: text.into(), about: None }
    }

    /// The same warning, about one argument.
    #[must_use]
    pub fn about(self, argument: &str) -> Self {
        Self { about: Some(argument.to_owned()), ..self }
    }

    pub fn caution(code: &str, text: impl Into<String>) -> Self {
        Self::new(Grade::Caution, code, text)
    }

    /// The highest grade among these.
    pub fn highest_grade(warnings: &[Warning]) -> Option<Grade> {
        warnings.iter().map(|warning| warning.grade).max()
    }

    /// Whether these warnings need a person's confirmation, whatever is allowed.
    pub fn need_confirmation(warnings: &[Warning]) -> bool {
        Self::highest_grade(warnings) >= Some(Grade::Caution)
    }

    /// Adds new warnings, most serious first. An info is dropped if a more serious warning has the same code.
    pub fn add(warnings: &mut Vec<Warning>, more: impl IntoIterator<Item = Warning>) {
        for new in more {
            if !warnings.contains(&new) {
                warnings.push(new);
            }
        }
        let heavier: Vec<String> =
            warnings.iter().filter(|one| one.grade > Grade::Info).map(|one| one.code.clone()).collect();
        warnings.retain(|one| one.grade > Grade::Info || !heavier.contains(&one.code));
        warnings.sort_by_key(|warning| std::cmp::Reverse(warning.grade));
    }

    /// The warning as a line of plain text.
    pub fn line(&self) -> String {
        format!("{} {} [{}]", self.grade.mark(), self.text, self.code)
    }
}

/// What a person may allow from this card beyond this one time. The asking node sets it; nothing else can be allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grantable {
    /// Whether this action may be allowed for the rest of the thread.
    pub thread: bool,
    /// The sender, bare and in lower case, if calls about their mail may be allowed for a while.
    pub sender: Option<String>,
    /// Whether the person wrote the arguments themselves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
    /// The program's call, if similar calls may be allowed for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<AgentCall>,
    /// What the program itself can be told to remember, so that it stops asking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remember: Vec<Remember>,
}

/// Something a program offers to remember. Nothing is granted by it here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// What, for people.
    pub words: String,
    /// What the program is told, as it offered it.
    pub told: Value,
}

impl Grantable {
    /// Whether anything can be allowed.
    pub fn is_something(&self) -> bool {
        self.thread || self.sender.is_some() || self.call.is_some() || !self.remember.is_empty()
    }
}

/// Somebody waits for the answer, and does nothing else meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// After how many seconds they give up; nothing where they wait for as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gives_up_in: Option<u64>,
    /// The number and birth of the process that waits, if another one had asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<(u32, u64)>,
}

impl Waiting {
    pub fn of(gives_up_in: Option<u64>) -> Self {
        Self { gives_up_in, process: None }
    }

    /// The same from the moment the question was asked, this many seconds ago.
    #[must_use]
    pub fn since(self, asked_ago: u64) -> Self {
        Self { gives_up_in: self.gives_up_in.map(|seconds| seconds.saturating_add(asked_ago)), ..self }
    }
}

/// A question as the asking node states it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interrupt {
    /// Chosen by the asking node (a tool call's id, say) so that it can find its answer.
    pub key: String,
    pub kind: Kind,
    /// The tool's name, `notify`, or a trouble's code.
    pub action: String,
    /// The proposed arguments, exactly as they will be executed if accepted.
    pub args: Value,
    /// JSON schema of the arguments; an edit must fit it.
    #[serde(default = "any", skip_serializing_if = "is_any")]
    pub schema: Value,
    /// What an edit starts from, if not from the proposed arguments. Then the person writes something of their own, and
    /// is asked about it before it is done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub edit_from: Option<Value>,
    pub allow: Allow,
    #[serde(default, skip_serializing_if = "is_default")]
    pub labels: Labels,
    /// One line for the list.
    #[serde(default, skip_serializing_if = "is_default")]
    pub title: String,
    /// A second line: what it is about.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gist: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub warnings: Vec<Warning>,
    /// The person or thing it comes from, for the list.
    #[serde(default, skip_serializing_if = "is_default")]
    pub source: Option<String>,
    /// Accepting it cannot be undone, so it is held first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub irreversible: bool,
    /// Accepting it changes nothing, so it is not held.
    #[serde(default, skip_serializing_if = "is_default")]
    pub harmless: bool,
    /// Digests of attachments and ids of mails shown with it: the hash covers them too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub shown_with: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub grantable: Grantable,
    /// Hidden until then.
    #[serde(default, skip_serializing_if = "is_default")]
    pub snoozed_until: Option<Timestamp>,
    /// Set if somebody waits for the answer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub waiting: Option<Waiting>,
    /// Whether news cancels the question: the thread runs again from its entry with the news, as if it had not asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub closes_on_news: bool,
    /// The id of the grant that answers it without asking; that is recorded as a decision like any other. If the grant
    /// does not cover this question when it is committed, a person is asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub granted: Option<String>,
}

impl Interrupt {
    /// A question with an action and arguments; everything else has its default.
    pub fn new(key: impl Into<String>, kind: Kind, action: impl Into<String>, args: Value) -> Self {
        Self {
            key: key.into(),
            kind,
            action: action.into(),
            args,
            schema: any(),
            edit_from: None,
            allow: Allow::ALL,
            labels: Labels::default(),
            title: String::new(),
            gist: String::new(),
            warnings: Vec::new(),
            source: None,
            irreversible: false,
            harmless: false,
            shown_with: Vec::new(),
            grantable: Grantable::default(),
            snoozed_until: None,
            waiting: None,
            closes_on_news: false,
            granted: None,
        }
    }
}

/// The schema that everything fits.
fn any() -> Value {
    Value::Bool(true)
}

fn is_any(schema: &Value) -> bool {
    *schema == any()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Decision {
    /// Do as proposed.
    Accept,
    /// Do it with these arguments instead.
    Edit {
        /// The full arguments after the edit.
        args: Value,
    },
    /// Reply to the agent in words.
    Respond { text: String },
    /// Don't do it.
    Ignore,
    /// Do as proposed, but keep it as a draft.
    Draft,
}

impl Decision {
    /// The word used in JSON, in the store and on the command line.
    pub fn word(&self) -> &'static str {
        self.into()
    }
}

/// An answer as the thread receives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The key the asking node chose.
    pub key: String,
    pub interrupt: InterruptId,
    pub proposed: Value,
    pub decision: Decision,
    /// Whether we may learn from it.
    pub learn: bool,
    /// Whether nobody answered: the question expired and counts as ignored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// The index of the asker's `remember` offer that the person chose, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<usize>,
}
