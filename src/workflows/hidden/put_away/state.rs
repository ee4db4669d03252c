//! Where a mail was moved, or whether its conversation was muted, and whether it is back.

use crate::engine::graph::{Answer, Event, EventKind, State, ThreadId};
use crate::inbox::RowKey;
use crate::mail::{Destination, UndoToken};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A mail to be put away.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PutAwayMail {
    /// The account it came by.
    pub account: String,
    /// What makes it the same mail.
    pub identity: String,
    /// Where the mailbox kept it when it came.
    pub place: String,
    pub from: String,
    pub subject: String,
}

/// What a thread is started with.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct PutAwayRequest {
    pub mail: PutAwayMail,
    /// `archive`, `trash`, `spam`, `{"folder": NAME}` or `{"mute": THREAD}`.
    pub to: Value,
}

/// A mail and where it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PutAway {
    pub mail: PutAwayMail,
    pub to: Value,
    /// How to bring it back, while it is away.
    pub way: Option<String>,
    /// Whether the person wants it back.
    pub back: bool,
    /// How often it was moved, in either direction.
    pub steps: u32,
    /// Why the mailbox refused the last move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

pub(super) enum Step {
    Away(Destination),
    Back(UndoToken),
    /// Its conversation is no longer shown, which this row says.
    Mute(RowKey),
    Unmute(RowKey),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum PutAwayUpdate {
    /// The person wants it away.
    Started(PutAwayRequest),
    /// It is away; `way` says how to bring it back.
    WentAway { way: String },
    /// The person wants it back.
    Wanted,
    /// It is back.
    CameBack,
    /// It stays where it is: the mailbox refused to move it.
    Refused { why: String },
    /// An event that does not concern this workflow.
    Nothing,
}

impl PutAway {
    pub(super) fn next(&self) -> Option<Step> {
        if self.refused.is_some() {
            return None;
        }
        match (&self.way, self.back) {
            (None, false) => match self.muted() {
                Some(key) => Some(Step::Mute(key)),
                None => serde_json::from_value(self.to.clone()).ok().map(Step::Away),
            },
            (Some(way), true) => Some(match self.muted() {
                Some(key) => Step::Unmute(key),
                None => Step::Back(UndoToken(way.clone())),
            }),
            (Some(_), false) | (None, true) => None,
        }
    }

    /// Whether it is away and nobody has asked for it.
    pub fn is_away(&self) -> bool {
        self.way.is_some() && !self.back && self.refused.is_none()
    }

    /// The row of a conversation that is to be muted.
    fn muted(&self) -> Option<RowKey> {
        let thread = ThreadId::parse(self.to.get("mute")?.as_str()?).ok()?;
        Some(RowKey::Conversation(thread))
    }
}

impl State for PutAway {
    type Input = PutAwayRequest;
    type Update = PutAwayUpdate;

    fn started(request: PutAwayRequest) -> PutAwayUpdate {
        PutAwayUpdate::Started(request)
    }

    fn answered(_: Vec<Answer>) -> PutAwayUpdate {
        // This workflow asks nothing.
        PutAwayUpdate::Nothing
    }

    fn arrived(event: Event) -> Option<PutAwayUpdate> {
        match event.what {
            EventKind::Words { .. } => Some(PutAwayUpdate::Wanted),
            EventKind::AnsweredElsewhere { .. }
            | EventKind::Hint { .. }
            | EventKind::News { .. }
            | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, update: PutAwayUpdate) {
        match update {
            PutAwayUpdate::Started(request) => (self.mail, self.to) = (request.mail, request.to),
            PutAwayUpdate::WentAway { way } => {
                self.way = Some(way);
                self.steps += 1;
            }
            PutAwayUpdate::Wanted => (self.back, self.refused) = (self.way.is_some(), None),
            PutAwayUpdate::CameBack => {
                self.way = None;
                self.steps += 1;
            }
            PutAwayUpdate::Refused { why } => (self.back, self.refused) = (false, Some(why)),
            PutAwayUpdate::Nothing => {}
        }
    }

    fn title(&self) -> String {
        let to = match &self.to {
            Value::String(word) if word == "trash" => "Delete".to_owned(),
            Value::String(word) if word == "spam" => "Spam".to_owned(),
            Value::String(_) => "Archive".to_owned(),
            other if other.get("mute").is_some() => "Mute".to_owned(),
            other => format!("Move to {}", other.get("folder").and_then(Value::as_str).unwrap_or_default()),
        };
        format!("{to}: {}", self.mail.subject)
    }

    fn output(&self) -> Option<Value> {
        let back = self.back && self.way.is_none();
        (self.steps > 0).then(|| json!({"mail": self.mail, "to": self.to, "back": back}))
    }
}
