//! Signs of one cell: what an item is, and how something ended. The shape says it; the colour repeats it.

use crate::engine::graph::Kind;
use crate::inbox::{DecisionEnd, ItemKind, ItemLine, PROGRAM_ACTIONS};
use std::ffi::OsString;

/// Which signs the terminal's font has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Letters and the like.
    Plain,
    #[default]
    All,
}

impl Glyphs {
    /// What the environment says about the font: that of the Linux console has few signs.
    pub fn of_terminal(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        if variable("TERM").is_some_and(|term| term == "linux") { Self::Plain } else { Self::All }
    }

    fn sign(self, sign: &'static str, plain: &'static str) -> &'static str {
        match self {
            Self::All => sign,
            Self::Plain => plain,
        }
    }

    /// What an item is: a command, a mail to send, something of a workflow's own, a question, …
    pub fn of_item(self, row: &ItemLine) -> &'static str {
        match row.kind {
            _ if is_alarming(row) => "!",
            ItemKind::Question(Kind::Approval) if row.action.starts_with(PROGRAM_ACTIONS) => "$",
            ItemKind::Question(Kind::Approval) if row.belongs_to() == "email" => self.sign("✉", "m"),
            ItemKind::Question(Kind::Approval) => self.sign("▦", "#"),
            ItemKind::Question(Kind::Question | Kind::Trouble) => "?",
            ItemKind::Question(Kind::Triage) => self.sign("•", "."),
            ItemKind::Result => self.sign("★", "*"),
        }
    }

    /// How a decision ended.
    pub fn of_end(self, end: DecisionEnd) -> &'static str {
        match end {
            DecisionEnd::Pending => self.sign("…", "~"),
            DecisionEnd::Done => self.sign("✓", "+"),
            DecisionEnd::Ignored | DecisionEnd::Expired => self.sign("–", "-"),
            DecisionEnd::Undone => self.sign("↶", "<"),
            DecisionEnd::Failed | DecisionEnd::InDoubt => "!",
        }
    }
}

/// Whether an item is trouble, or tells of something with a warning. What is to be approved keeps its own sign.
pub fn is_alarming(row: &ItemLine) -> bool {
    match row.kind {
        ItemKind::Question(Kind::Trouble) => true,
        ItemKind::Question(Kind::Triage) => row.is_warned(),
        ItemKind::Question(Kind::Approval | Kind::Question) | ItemKind::Result => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_has_few_signs() {
        let of = |term: &str| Glyphs::of_terminal(|name| (name == "TERM").then(|| term.into()));
        assert_eq!(of("linux").of_end(DecisionEnd::Done), "+");
        assert_eq!(of("xterm-256color").of_end(DecisionEnd::Done), "✓");
    }

    #[test]
    fn every_end_that_differs_to_a_person_has_its_own_sign() {
        use DecisionEnd::{Done, Failed, Ignored, Pending, Undone};
        for glyphs in [Glyphs::Plain, Glyphs::All] {
            let signs = [Pending, Done, Ignored, Undone, Failed].map(|end| glyphs.of_end(end));
            for (n, sign) in signs.iter().enumerate() {
                assert!(!signs[..n].contains(sign) && crate::text::width(sign) == 1, "{sign}");
            }
        }
    }
}
