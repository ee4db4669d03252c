//! The query language of `/` in Threads: words, and `from:` `kind:` `workflow:` `is:` `older:` `newer:`.

use crate::graph::Kind;
use crate::inbox::{EngineThreads, Status};
use crate::tui::tabs::inbox::query::seconds;
use std::time::Duration;

/// A search as parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    pub words: String,
    pub from: Option<String>,
    pub kind: Option<Kind>,
    pub workflow: Option<String>,
    pub status: Option<Status>,
    /// How it ended, if that is not a status.
    pub ending: Option<String>,
    pub older: Option<Duration>,
    pub newer: Option<Duration>,
    pub engine: bool,
}

/// How a thread can have ended, apart from its statuses.
const ENDINGS: [&str; 8] =
    ["sent", "allowed", "refused", "ignored", "expired", "withdrawn", "failed", "answered"];

impl Search {
    /// Parses a search; the error says what was not understood.
    pub fn parse(typed: &str) -> Result<Self, String> {
        let mut search = Self::default();
        let mut words = Vec::new();
        for word in typed.split_whitespace() {
            let lower = word.to_lowercase();
            match lower.split_once(':') {
                Some(("from", who)) if !who.is_empty() => search.from = Some(who.to_owned()),
                Some(("workflow", name)) if !name.is_empty() => {
                    search.workflow = word.split_once(':').map(|(_, name)| name.to_owned());
                }
                Some(("kind", kind)) => {
                    let kind = Kind::from_word(kind);
                    search.kind = Some(kind.ok_or("kind: takes triage, approval, question or trouble")?);
                }
                Some(("is", "engine")) => search.engine = true,
                Some(("is", word)) if ENDINGS.contains(&word) => search.ending = Some(word.to_owned()),
                Some(("is", word)) => search.status = Some(Status::from_word(word).ok_or_else(unknown_word)?),
                Some(("older", age)) => search.older = Some(parse_age("older", age)?),
                Some(("newer", age)) => search.newer = Some(parse_age("newer", age)?),
                _ => words.push(word),
            }
        }
        search.words = words.join(" ");
        Ok(search)
    }

    /// Which of the engine's own threads are listed.
    pub fn engine(&self) -> EngineThreads {
        if self.engine { EngineThreads::Only } else { EngineThreads::Hidden }
    }
}

fn unknown_word() -> String {
    let statuses = Status::ALL.map(Status::word);
    let all: Vec<&str> = ENDINGS.into_iter().chain(statuses).collect();
    format!("is: takes {} or engine", all.join(", "))
}

fn parse_age(key: &str, age: &str) -> Result<Duration, String> {
    let seconds = seconds(age).and_then(|seconds| u64::try_from(seconds).ok());
    let seconds = seconds.ok_or_else(|| format!("{key}: takes a time such as 30m, 4h, 2d or 1w"))?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_keys_are_told_apart() {
        let search = Search::parse("hub from:Ines kind:approval drawings is:sent older:2d").unwrap();
        assert_eq!(search.words, "hub drawings");
        assert_eq!((search.from.as_deref(), search.kind), (Some("ines"), Some(Kind::Approval)));
        assert_eq!(search.ending.as_deref(), Some("sent"));
        assert_eq!(search.older, Some(Duration::from_secs(2 * 86_400)));
        assert_eq!(search.engine(), EngineThreads::Hidden);
        let search = Search::parse("is:waiting workflow:email is:engine Re: x").unwrap();
        assert_eq!((search.status, search.words.as_str()), (Some(Status::Waiting), "Re: x"));
        assert_eq!(search.engine(), EngineThreads::Only);
        for (typed, expected) in [
            ("kind:x", "kind: takes"),
            ("is:x", "is: takes sent"),
            ("older:x", "older: takes"),
            ("newer:", "newer:"),
        ] {
            assert!(Search::parse(typed).unwrap_err().starts_with(expected), "{typed}");
        }
    }
}
