//! Gmail's replies, as far as we need them.

use crate::web::google::Page;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, de};

/// A path within the user's mailbox.
pub(super) fn me<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    ["gmail", "v1", "users", "me"].into_iter().chain(rest.iter().copied()).collect()
}

/// The same for uploads.
pub(super) fn upload<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    ["upload", "gmail", "v1", "users", "me"].into_iter().chain(rest.iter().copied()).collect()
}

/// Whether it looks like one of Gmail's ids.
pub(super) fn is_id(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=200).contains(&text.len()) && text.bytes().all(is_plain)
}

/// Gmail writes long numbers as strings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Number(pub(super) u64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(number) => Ok(Self(number)),
            Written::Text(text) => text.parse().map(Self).map_err(|_| de::Error::custom("no number")),
        }
    }
}

/// An id that is safe in a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Id(pub(super) String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if is_id(&text) { Ok(Self(text)) } else { Err(de::Error::custom("no id")) }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Profile {
    #[serde(default)]
    pub(super) email_address: String,
    pub(super) history_id: Number,
}

/// A mail, with as much of it as we asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Message {
    pub(super) id: Id,
    #[serde(default)]
    pub(super) thread_id: Option<Id>,
    /// `None` if Gmail does not say.
    #[serde(default)]
    pub(super) label_ids: Option<Vec<String>>,
    #[serde(default)]
    internal_date: Option<Number>,
    #[serde(default)]
    pub(super) raw: Option<String>,
    #[serde(default)]
    payload: Option<Payload>,
}

#[derive(Clone, Debug, Deserialize)]
struct Payload {
    #[serde(default)]
    headers: Vec<Header>,
}

#[derive(Clone, Debug, Deserialize)]
struct Header {
    name: String,
    value: String,
}

impl Message {
    pub(super) fn has(&self, label: &str) -> bool {
        self.label_ids.iter().flatten().any(|known| known == label)
    }

    /// When Gmail received it. Without a date, better new than old.
    pub(super) fn arrived(&self) -> Timestamp {
        let milliseconds = self.internal_date.and_then(|date| i64::try_from(date.0).ok());
        milliseconds.and_then(|at| Timestamp::from_millisecond(at).ok()).unwrap_or_else(Timestamp::now)
    }

    pub(super) fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let all = self.payload.iter().flat_map(|payload| &payload.headers);
        all.filter(move |header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value.as_str())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listing {
    #[serde(default)]
    pub(super) messages: Vec<Message>,
    #[serde(default)]
    next_page_token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct History {
    #[serde(default)]
    pub(super) history: Vec<Record>,
    #[serde(default)]
    next_page_token: Option<String>,
    pub(super) history_id: Number,
}

impl Page for Listing {
    fn next_page(&self) -> Option<&str> {
        self.next_page_token.as_deref()
    }
}

impl Page for History {
    fn next_page(&self) -> Option<&str> {
        self.next_page_token.as_deref()
    }
}

/// A record of the history.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    pub(super) id: Number,
    #[serde(default)]
    messages_added: Vec<Change>,
    #[serde(default)]
    labels_added: Vec<Change>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    message: Message,
    #[serde(default)]
    label_ids: Option<Vec<String>>,
}

impl Record {
    /// The mails that appeared under one of the labels: new ones, and those that were given the label.
    pub(super) fn mails_added(self, read: &[String]) -> Vec<Id> {
        let any = |labels: &Option<Vec<String>>| match labels {
            Some(labels) => labels.iter().any(|label| read.contains(label)),
            // Gmail does not say, so we look at the mail.
            None => true,
        };
        let added = self.messages_added.into_iter().filter(|change| any(&change.message.label_ids));
        let put = self.labels_added.into_iter().filter(|change| any(&change.label_ids));
        added.chain(put).map(|change| change.message.id).collect()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Thread {
    #[serde(default)]
    pub(super) messages: Vec<Message>,
}

#[derive(Debug, Deserialize)]
pub(super) struct LabelList {
    #[serde(default)]
    pub(super) labels: Vec<Label>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Label {
    pub(super) id: String,
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Drafts {
    #[serde(default)]
    pub(super) drafts: Vec<Draft>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Draft {
    pub(super) message: Message,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_cannot_leave_their_place() {
        for odd in ["", "..", "a/b", "a?b", "a b", "é", &"x".repeat(201)] {
            assert!(!is_id(odd), "{odd}");
        }
        assert!(is_id("18f0c2a9b7d6e5f4") && is_id("r-12_3"));
    }

    #[test]
    fn numbers_come_as_texts_or_numbers() {
        let profile = |text: &str| serde_json::from_str::<Profile>(text);
        assert_eq!(profile(r#"{"historyId": "42"}"#).unwrap().history_id, Number(42));
        assert_eq!(profile(r#"{"historyId": 42}"#).unwrap().history_id, Number(42));
        for odd in [r#"{"historyId": "x"}"#, r#"{"historyId": -1}"#, r#"{"historyId": []}"#, "{}", "[]"] {
            assert!(profile(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn what_came_under_a_label() {
        let record: Record = serde_json::from_str(
            r#"{"id": "7", "messages": [{"id": "z"}],
                "messagesAdded": [{"message": {"id": "a", "labelIds": ["INBOX", "UNREAD"]}},
                                  {"message": {"id": "b", "labelIds": ["DRAFT"]}}, {"message": {"id": "c"}}],
                "labelsAdded": [{"message": {"id": "d"}, "labelIds": ["INBOX"]}, {"message": {"id": "e"}, "labelIds": ["STARRED"]}]}"#,
        )
        .unwrap();
        let came: Vec<String> =
            record.mails_added(&["INBOX".to_owned()]).into_iter().map(|id| id.0).collect();
        assert_eq!(came, ["a", "c", "d"]);
    }
}
