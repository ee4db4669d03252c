//! The query language of the inbox, of threads and of decisions, on the screen and on the command line: words, and
//! terms such as `from:ines`. Says what a query asks for; each list knows how to look for it.

use super::{AnswerKind, DecisionEnd, ItemKind, ItemStatus, Status};
use crate::engine::graph::Grade;
use crate::text::when::Past;
use crate::text::{nearest, one_of};
use jiff::{Timestamp, Zoned};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Where a query is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Place {
    Inbox,
    Threads,
    Decisions,
}

/// The keys of terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
enum Key {
    From,
    Kind,
    Workflow,
    Is,
    Answer,
    Older,
    Newer,
}

/// What `is:` says about an item or a thread besides its status and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Flag {
    /// Look twice before deciding.
    Warn,
    Danger,
    /// Mail came since it was asked.
    New,
    Irreversible,
    Snoozed,
    /// Decided, but not acted on yet.
    Held,
    /// sayso started the thread for itself.
    Engine,
}

impl Flag {
    /// Whether it is so with an item.
    pub fn holds(self, grade: Option<Grade>, new_mail: bool, irreversible: bool, status: ItemStatus) -> bool {
        match self {
            Flag::Warn => grade >= Some(Grade::Caution),
            Flag::Danger => grade == Some(Grade::Danger),
            Flag::New => new_mail,
            Flag::Irreversible => irreversible,
            Flag::Snoozed => status == ItemStatus::Snoozed,
            Flag::Held => matches!(status, ItemStatus::Decided | ItemStatus::Held { .. }),
            Flag::Engine => false,
        }
    }
}

/// A query as typed and as parsed. Everything it names must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    pub typed: String,
    /// In lower case.
    pub words: Vec<String>,
    /// In the sender's name or address; in lower case.
    pub from: Option<String>,
    pub kind: Option<ItemKind>,
    /// A name that ends in `/` means a server with all its graphs.
    pub workflow: Option<String>,
    pub flags: Vec<Flag>,
    pub status: Option<Status>,
    /// How it ended, in the words of the list or of [`DecisionEnd`].
    pub outcome: Option<String>,
    pub answer: Option<AnswerKind>,
    pub older: Option<Past>,
    pub newer: Option<Past>,
}

/// The part of a row that every list has.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Where words are looked for.
    pub texts: &'a [&'a str],
    pub source: &'a str,
    pub workflow: &'a str,
    pub kind: Option<ItemKind>,
    pub at: Timestamp,
}

impl Place {
    fn keys(self) -> impl Iterator<Item = &'static str> {
        let keys = Key::VARIANTS.iter().filter(move |key| **key != Key::Answer || self == Place::Decisions);
        keys.map(<&str>::from)
    }

    /// What a query can have here, for an empty line.
    pub fn hint(self) -> String {
        format!("words, {}", self.keys().map(|key| format!("{key}:")).collect::<Vec<_>>().join(" "))
    }

    fn kinds(self) -> &'static [ItemKind] {
        let kinds = &ItemKind::ALL;
        // A result is an item; nobody asks or decides it.
        if self == Place::Inbox { kinds } else { &kinds[..kinds.len() - 1] }
    }

    fn flags(self) -> &'static [Flag] {
        match self {
            Place::Inbox => &Flag::VARIANTS[..Flag::Engine as usize],
            Place::Threads => &[Flag::Engine],
            Place::Decisions => &[],
        }
    }

    /// The words that `is:` takes; besides, what has ended takes any word of its outcome.
    fn is_words(self) -> Vec<&'static str> {
        let mut words: Vec<&str> = self.flags().iter().map(<&str>::from).collect();
        if self == Place::Threads {
            words.extend(Status::ALL.map(Status::word));
        }
        if self != Place::Inbox {
            words.extend(DecisionEnd::VARIANTS.iter().map(<&str>::from));
        }
        words
    }
}

impl Query {
    /// Parses a query; the error says what was not understood, and what would be.
    pub fn parse(typed: &str, place: Place, now: &Zoned) -> Result<Self, String> {
        let mut query = Self { typed: typed.trim().to_owned(), ..Self::default() };
        for (key, value) in terms(typed) {
            let lower = value.to_lowercase();
            let Some(name) = key.map(|key| key.to_lowercase()) else {
                query.words.push(lower);
                continue;
            };
            match name.parse::<Key>() {
                Ok(_) if !place.keys().any(|known| known == name) => {
                    let keys = one_of(place.keys().map(|key| format!("{key}:")));
                    return Err(format!("{name}: does not apply here; use {keys}"));
                }
                Ok(key) => query.add(key, &value, &lower, place, now)?,
                // A text such as `Re:` or `12:30` is a word.
                Err(_) => match nearest(&name, place.keys()).filter(|_| !value.is_empty()) {
                    Some(near) => return Err(did_you_mean(&format!("{name}:"), &format!("{near}:"))),
                    None => query.words.push(format!("{name}:{lower}")),
                },
            }
        }
        Ok(query)
    }

    fn add(&mut self, key: Key, value: &str, lower: &str, place: Place, now: &Zoned) -> Result<(), String> {
        let takes = |what: &str| format!("{}: takes {what}", <&str>::from(key));
        let name =
            |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty()).ok_or_else(|| takes("a name"));
        let past = || {
            let example = || takes("a time such as 30m, 4h, 2d, 1w or 2026-11-20");
            Past::parse(lower, now).map(Some).ok_or_else(example)
        };
        match key {
            Key::From => self.from = Some(name(lower)?),
            Key::Workflow => self.workflow = Some(name(value)?),
            Key::Older => self.older = past()?,
            Key::Newer => self.newer = past()?,
            Key::Kind => {
                let kinds = place.kinds();
                let words = || takes(&one_of(kinds.iter().map(|kind| kind.word())));
                let kind = kinds.iter().find(|kind| kind.word() == lower);
                self.kind = Some(*kind.ok_or_else(words)?);
            }
            Key::Answer => {
                let words = || takes(&one_of(AnswerKind::VARIANTS.iter().map(<&str>::from)));
                self.answer = Some(lower.parse().map_err(|_| words())?);
            }
            Key::Is => return self.add_is(lower, place),
        }
        Ok(())
    }

    fn add_is(&mut self, word: &str, place: Place) -> Result<(), String> {
        let words = place.is_words();
        if !words.contains(&word) {
            let applies_elsewhere = Place::VARIANTS.iter().any(|place| place.is_words().contains(&word));
            match nearest(word, words.iter().copied()) {
                Some(near) if !applies_elsewhere => {
                    return Err(did_you_mean(&format!("is:{word}"), &format!("is:{near}")));
                }
                _ if applies_elsewhere || word.is_empty() || place == Place::Inbox => {
                    let more =
                        if place == Place::Inbox { "" } else { ", or an outcome as the list shows it" };
                    return Err(format!("is: takes {} here{more}", one_of(words)));
                }
                _ => {}
            }
        }
        let flag = place.flags().iter().find(|flag| <&str>::from(*flag) == word);
        let status = Status::from_word(word).filter(|_| place == Place::Threads);
        match (flag, status) {
            (Some(flag), _) => self.flags.push(*flag),
            (None, Some(status)) => self.status = Some(status),
            (None, None) => self.outcome = Some(word.to_owned()),
        }
        Ok(())
    }

    /// A query for what came from one sender.
    pub fn of_sender(sender: &str) -> Self {
        let typed = format!("from:\"{}\"", sender.replace('"', ""));
        Self { typed, from: Some(sender.to_lowercase()), ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.typed.is_empty()
    }

    /// Whether a row has the words, the sender, the workflow, the kind and the time.
    pub fn matches(&self, row: &Candidate<'_>, now: Timestamp) -> bool {
        let is_in = |text: &str, word: &String| text.to_lowercase().contains(word);
        let of =
            |name: &String| row.workflow == name || name.ends_with('/') && row.workflow.starts_with(name);
        self.words.iter().all(|word| row.texts.iter().any(|text| is_in(text, word)))
            && self.from.as_ref().is_none_or(|who| is_in(row.source, who))
            && self.workflow.as_ref().is_none_or(of)
            && self.kind.is_none_or(|kind| row.kind == Some(kind))
            && self.matches_time(row.at, now)
    }

    pub fn matches_time(&self, at: Timestamp, now: Timestamp) -> bool {
        self.older.is_none_or(|older| at <= older.at(now))
            && self.newer.is_none_or(|newer| at >= newer.at(now))
    }

    /// Whether it ended as asked for: by the code, or by a part of the outcome that begins with the word. Something
    /// that was "not sent" was not sent.
    pub fn matches_end(&self, end: Option<DecisionEnd>, outcome: &str) -> bool {
        let Some(word) = &self.outcome else { return true };
        let begins = |part: &str| {
            let part = part.to_lowercase();
            part.strip_prefix(word.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        end.is_some_and(|end| end.word() == word) || outcome.split(", ").any(begins)
    }
}

/// The terms, each with its key if it has one. They end at spaces; in quotes, spaces and colons are text.
fn terms(typed: &str) -> Vec<(Option<String>, String)> {
    let mut terms = Vec::new();
    let (mut key, mut text, mut quoted) = (None, String::new(), false);
    for c in typed.chars() {
        match c {
            '"' => quoted = !quoted,
            ':' if !quoted && key.is_none() => key = Some(std::mem::take(&mut text)),
            c if c.is_whitespace() && !quoted => terms.push((key.take(), std::mem::take(&mut text))),
            c => text.push(c),
        }
    }
    terms.push((key, text));
    terms.retain(|(key, text)| key.is_some() || !text.is_empty());
    terms
}

fn did_you_mean(word: &str, near: &str) -> String {
    format!("there is no {word}; did you mean {near}? In quotes it is text to search for")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::graph::Kind;

    fn parse(typed: &str, place: Place) -> Result<Query, String> {
        Query::parse(typed, place, &"2026-11-20T12:00:00Z[UTC]".parse().unwrap())
    }

    #[test]
    fn words_and_terms_are_told_apart() {
        let query = parse("Hub FROM:Ines kind:approval drawings is:sent older:2d", Place::Threads).unwrap();
        assert_eq!(query.words, ["hub", "drawings"]);
        assert_eq!(query.from.as_deref(), Some("ines"));
        assert_eq!(query.kind, Some(ItemKind::Question(Kind::Approval)));
        assert_eq!(query.outcome.as_deref(), Some("sent"));
        assert_eq!(query.older, Some(Past::Ago(jiff::SignedDuration::from_hours(48))));
        let query =
            parse("is:waiting workflow:Desk is:engine Re: 12:30 \"order:47 \" x", Place::Threads).unwrap();
        assert_eq!((query.status, query.workflow.as_deref()), (Some(Status::Waiting), Some("Desk")));
        assert_eq!(
            (query.flags, query.words),
            (vec![Flag::Engine], ["re:", "12:30", "order:47 ", "x"].map(str::to_owned).to_vec())
        );
        let query = parse("from:\"Ines Ruiz\" answer:edit newer:2026-11-19", Place::Decisions).unwrap();
        assert_eq!((query.from.as_deref(), query.answer), (Some("ines ruiz"), Some(AnswerKind::Edit)));
        assert_eq!(query.newer, Some(Past::At("2026-11-19T00:00:00Z".parse().unwrap())));
        let of_sender = Query::of_sender("Ines Ruiz <ines@example.org>");
        assert_eq!(parse(&of_sender.typed, Place::Decisions).unwrap(), of_sender);
    }

    #[test]
    fn what_does_not_apply_is_refused_with_what_does() {
        use Place::{Decisions, Inbox, Threads};
        for (typed, place, expected) in [
            (
                "answer:edit",
                Inbox,
                "answer: does not apply here; use from:, kind:, workflow:, is:, older: or newer:",
            ),
            ("form:ines", Inbox, "there is no form:; did you mean from:? In quotes it is text to search for"),
            (
                "is:waitng",
                Threads,
                "there is no is:waitng; did you mean is:waiting? In quotes it is text to search for",
            ),
            ("is:waiting", Inbox, "is: takes warn, danger, new, irreversible, snoozed or held here"),
            ("is:bogus", Inbox, "is: takes warn, danger, new, irreversible, snoozed or held here"),
            (
                "is:warn",
                Decisions,
                "is: takes pending, done, ignored, expired, undone, failed or in_doubt here, or an outcome as the list shows it",
            ),
            ("kind:x", Inbox, "kind: takes triage, approval, question, trouble or result"),
            ("kind:result", Threads, "kind: takes triage, approval, question or trouble"),
            ("from:", Threads, "from: takes a name"),
            ("newer:soon", Decisions, "newer: takes a time such as 30m, 4h, 2d, 1w or 2026-11-20"),
        ] {
            assert_eq!(parse(typed, place).unwrap_err(), expected, "{typed}");
        }
    }

    #[test]
    fn an_outcome_is_found_by_its_parts_and_by_its_code() {
        let takes = |word: &str, outcome: &str| {
            parse(&format!("is:{word}"), Place::Decisions)
                .unwrap()
                .matches_end(Some(DecisionEnd::Failed), outcome)
        };
        assert!(takes("\"saved as a draft\"", "saved as a draft"));
        assert!(takes("sent", "sent") && takes("sent", "retried, Sent to Ann") && takes("failed", "broken"));
        assert!(!takes("sent", "not sent") && !takes("done", "not done"));
    }
}
