//! What a row of the memory is about: the mail of a sender, a list, a domain, a kind or a conversation.

use crate::engine::graph::ThreadId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The longest address, list id or domain.
const MAX_NAME: usize = 200;

/// The mail that a row is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RowKey {
    /// A sender's address.
    Sender(String),
    /// A mailing list's id.
    List(String),
    /// The domain of senders.
    Domain(String),
    Kind(BulkKind),
    /// The conversation of this thread. A person mutes it; nothing learns such a row.
    Conversation(ThreadId),
}

/// Kinds of mail that is sent to many, told by their headers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, EnumString, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum BulkKind {
    /// One can unsubscribe from it.
    Newsletters,
    /// A list that takes posts.
    Discussions,
    /// A program says that it wrote it.
    Notices,
}

impl fmt::Display for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowKey::Sender(address) => f.write_str(address),
            RowKey::List(id) => write!(f, "list:{id}"),
            RowKey::Domain(domain) => write!(f, "@{domain}"),
            RowKey::Kind(kind) => write!(f, "kind:{}", <&str>::from(kind)),
            RowKey::Conversation(thread) => write!(f, "conversation:{thread}"),
        }
    }
}

impl From<RowKey> for String {
    fn from(key: RowKey) -> String {
        key.to_string()
    }
}

impl TryFrom<String> for RowKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for RowKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim().to_lowercase();
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= MAX_NAME
                && name.chars().all(|c| c.is_alphanumeric() || "._%+-=/".contains(c))
        };
        let is_domain = |name: &str| {
            is_name(name) && name.contains('.') && !name.starts_with('.') && !name.ends_with('.')
        };
        if let Some(kind) = text.strip_prefix("kind:") {
            let known = BulkKind::VARIANTS.iter().map(|kind| format!("kind:{}", <&str>::from(kind)));
            let known = known.collect::<Vec<_>>().join(", ");
            return kind
                .parse()
                .map(Self::Kind)
                .map_err(|_| format!("`{text}` is no kind; there are {known}"));
        }
        if let Some(thread) = text.strip_prefix("conversation:") {
            let whole = ThreadId::parse(thread).ok().filter(ThreadId::is_whole);
            return whole
                .map(Self::Conversation)
                .ok_or_else(|| format!("`{thread}` is no whole id of a thread"));
        }
        match (text.strip_prefix("list:"), text.split_once('@')) {
            (Some(id), _) if is_name(id) => Ok(Self::List(id.to_owned())),
            (None, Some(("", domain))) if is_domain(domain) => Ok(Self::Domain(domain.to_owned())),
            (None, Some((local, domain))) if is_name(local) && is_domain(domain) => Ok(Self::Sender(text)),
            (None, None) if is_domain(&text) => Ok(Self::Domain(text)),
            _ => Err(format!(
                "`{text}` names no mail; give an address, a domain (@shop.example), a list (list:ID) or a kind \
                 (kind:newsletters)"
            )),
        }
    }
}

impl RowKey {
    /// In words: `mail from ines@shop.example`.
    pub fn words(&self) -> String {
        match self {
            Self::Sender(address) => format!("mail from {address}"),
            Self::List(id) => format!("mail of the list {id}"),
            Self::Domain(domain) => format!("mail from @{domain}"),
            Self::Kind(BulkKind::Newsletters) => "newsletters".to_owned(),
            Self::Kind(BulkKind::Discussions) => "discussions on lists".to_owned(),
            Self::Kind(BulkKind::Notices) => "notices of programs".to_owned(),
            Self::Conversation(thread) => format!("the conversation of {thread}"),
        }
    }

    /// Whether it is about more than one sender or list.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Domain(_) | Self::Kind(_))
    }

    /// The addresses and domains that a text names, each once: what it says about them is not read.
    pub fn named_in(text: &str) -> Vec<Self> {
        let is_end = |c: char| c.is_whitespace() || "<>()[]{}\"'“”„‚’,;!?*`".contains(c);
        let mut keys = Vec::new();
        for word in text.split(is_end) {
            let word = word.trim_matches(['.', ':']);
            let is_named = word.contains('@') || word.starts_with("list:") || word.starts_with("kind:");
            if let Some(key) = word.parse().ok().filter(|key| is_named && !keys.contains(key)) {
                keys.push(key);
            }
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_as_they_are_written() {
        for text in [
            "ines@shop.example",
            "list:announce.shop.example",
            "@shop.example",
            "kind:newsletters",
            "conversation:t12345678",
        ] {
            assert_eq!(text.parse::<RowKey>().unwrap().to_string(), text);
        }
        assert_eq!("Shop.Example".parse(), Ok(RowKey::Domain("shop.example".to_owned())));
        for text in [
            "",
            "shop",
            "a@b",
            "a@@b.example",
            "a b@c.example",
            "kind:mail",
            "conversation:t1234",
            "conversation:lunch",
            "list:",
            "@.example",
            "a@b.example ",
        ] {
            assert_eq!(text.parse::<RowKey>().is_ok(), text.ends_with(' '), "{text}");
        }
    }

    #[test]
    fn a_text_names_addresses_lists_and_domains() {
        let text = "Never show mail from “Ines” <ines@shop.example>, @ads.example or list:talk.example. See a.b and ines@shop.example.";
        let named: Vec<String> = RowKey::named_in(text).iter().map(ToString::to_string).collect();
        assert_eq!(named, ["ines@shop.example", "@ads.example", "list:talk.example"]);
        assert!(RowKey::named_in("notify about invoices, www.shop.example").is_empty());
    }
}
