//! The query language of `/` and `\`: words, and `from:` `is:` `kind:` `workflow:` `older:` `newer:`.

use super::row::Row;
use crate::graph::Grade;
use crate::inbox::{ItemKind, ItemStatus};
use jiff::Timestamp;

/// A search as typed and as parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    typed: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    Word(String),
    From(String),
    Workflow(String),
    Kind(ItemKind),
    Is(Is),
    Older(i64),
    Newer(i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Is {
    Warned,
    Danger,
    New,
    Irreversible,
    Snoozed,
    Held,
}

impl Query {
    /// Parses a query; the error says what was not understood.
    pub fn parse(typed: &str) -> Result<Self, String> {
        let mut terms = Vec::new();
        for word in typed.split_whitespace() {
            let lower = word.to_lowercase();
            terms.push(match lower.split_once(':') {
                Some(("from", who)) if !who.is_empty() => Term::From(who.to_owned()),
                Some(("workflow", name)) if !name.is_empty() => Term::Workflow(name.to_owned()),
                Some(("kind", kind)) => Term::Kind(
                    ItemKind::from_word(kind)
                        .ok_or("kind: takes triage, approval, question, trouble or result".to_owned())?,
                ),
                Some(("is", what)) => Term::Is(match what {
                    "warn" | "warning" | "warned" => Is::Warned,
                    "danger" => Is::Danger,
                    "new" => Is::New,
                    "irreversible" => Is::Irreversible,
                    "snoozed" => Is::Snoozed,
                    "held" => Is::Held,
                    _ => return Err("is: takes warn, danger, new, irreversible, snoozed or held".to_owned()),
                }),
                Some(("older", age)) => Term::Older(seconds(age).ok_or_else(|| bad_age("older"))?),
                Some(("newer", age)) => Term::Newer(seconds(age).ok_or_else(|| bad_age("newer"))?),
                _ => Term::Word(lower),
            });
        }
        Ok(Self { typed: typed.trim().to_owned(), terms })
    }

    pub fn typed(&self) -> &str {
        &self.typed
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn matches(&self, row: &Row, now: Timestamp) -> bool {
        let has = |text: &str, word: &str| text.to_lowercase().contains(word);
        let age = now.as_second().saturating_sub(row.created_at.as_second());
        self.terms.iter().all(|term| match term {
            Term::Word(word) => [&row.title, &row.gist, &row.source, &row.action, &row.workflow]
                .into_iter()
                .any(|text| has(text, word)),
            Term::From(who) => has(&row.source, who),
            Term::Workflow(name) => has(&row.workflow, name),
            Term::Kind(kind) => row.kind == *kind,
            Term::Is(Is::Warned) => row.is_warned(),
            Term::Is(Is::Danger) => row.grade == Some(Grade::Danger),
            Term::Is(Is::New) => row.new_mail,
            Term::Is(Is::Irreversible) => row.irreversible,
            Term::Is(Is::Snoozed) => row.status == ItemStatus::Snoozed,
            Term::Is(Is::Held) => row.is_decided(),
            Term::Older(least) => age >= *least,
            Term::Newer(most) => age <= *most,
        })
    }
}

fn bad_age(key: &str) -> String {
    format!("{key}: takes a time such as 30m, 4h, 2d or 1w")
}

/// `30m`, `4h`, `2d`, `1w` in seconds.
pub fn seconds(age: &str) -> Option<i64> {
    let (number, unit) = age.split_at(age.find(|c: char| !c.is_ascii_digit())?);
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(unit)
}
