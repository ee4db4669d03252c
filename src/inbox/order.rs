//! The order of the inbox's list, on the screen and on the command line.

use super::{ItemKind, ItemLine};
use crate::engine::graph::Kind;
use jiff::Timestamp;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Oldest,
    Newest,
}

/// How rows are grouped under headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// By what they want; whoever waits comes first, and what is only to be read last.
    #[default]
    Urgency,
    /// By sender; coding agents are senders too.
    Sender,
    Workflow,
    None,
}

/// The words under which sorts and groups are saved.
const SORTS: [(Sort, &str); 2] = [(Sort::Oldest, "oldest"), (Sort::Newest, "newest")];
const GROUPS: [(Group, &str); 4] = [
    (Group::Urgency, "urgency"),
    (Group::Sender, "sender"),
    (Group::Workflow, "workflow"),
    (Group::None, "none"),
];

/// How the list is sorted and grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    pub sort: Sort,
    pub group: Group,
}

impl Order {
    /// The order that these words say, as usual where they say nothing.
    pub fn from_words(words: &str) -> Self {
        let says = |word: &str| words.split_whitespace().any(|said| said == word);
        let (sort, _) = SORTS.into_iter().find(|&(_, word)| says(word)).unwrap_or_default();
        let (group, _) = GROUPS.into_iter().find(|&(_, word)| says(word)).unwrap_or_default();
        Self { sort, group }
    }

    /// The order in two words.
    pub fn words(self) -> String {
        let sort = SORTS.iter().find(|(sort, _)| *sort == self.sort).map_or("", |(_, word)| word);
        let group = GROUPS.iter().find(|(group, _)| *group == self.group).map_or("", |(_, word)| word);
        format!("{sort} {group}")
    }

    /// Puts things in order, each by its row.
    pub fn arrange<'r, T>(self, things: &mut [T], row: impl Fn(&T) -> &'r ItemLine, now: Timestamp) {
        things.sort_by_key(|thing| {
            let row = row(thing);
            (row.kind == ItemKind::Result, row.dated, row.seq)
        });
        match self.sort {
            Sort::Oldest => {}
            Sort::Newest => things.reverse(),
        }
        // Somebody who waits does nothing else meanwhile, and whoever gives up first is served first.
        things.sort_by_key(|thing| {
            let row = row(thing);
            let waits = row.is_waited_for(now);
            (!waits, row.gives_up_at.filter(|_| waits).unwrap_or(Timestamp::MAX))
        });
        things.sort_by_cached_key(|thing| self.group_of(row(thing), now));
    }

    /// The group that a row belongs to: its place among the others, and its name.
    pub fn group_of(self, row: &ItemLine, now: Timestamp) -> (u8, &str) {
        match self.group {
            Group::None => (0, ""),
            Group::Sender => (0, row.who()),
            Group::Workflow => (0, row.belongs_to()),
            Group::Urgency if row.is_waited_for(now) => (0, "Agents waiting"),
            Group::Urgency => match row.kind {
                ItemKind::Question(Kind::Trouble) => (1, "Trouble"),
                ItemKind::Question(Kind::Approval) => (2, "To approve"),
                ItemKind::Question(Kind::Question) => (3, "Questions"),
                ItemKind::Question(Kind::Triage) => (4, "For your information"),
                ItemKind::Result => (5, "Results"),
            },
        }
    }
}
