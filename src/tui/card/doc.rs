//! The pieces of a card.

use super::highlight::{Language, LineState};
use crate::engine::graph::Grade;
use crate::inbox::{Block, Card, MailBlock, Tone};
use crate::text::{Markdown, Visible};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum PieceKind {
    /// What state the item is in, and whom it concerns.
    Verdict,
    Title,
    Meta,
    Warning(Grade),
    Heading,
    Text,
    /// Dimmed text that repeats an earlier mail.
    Quiet,
    Subject,
    /// Markdown, and the state it begins in (e.g. inside a code block).
    Markdown(Markdown),
    /// A field's value; its name is drawn before the first line.
    Field {
        name: String,
        indent: usize,
    },
    Code {
        language: Language,
        inside: LineState,
    },
    /// A row of a table, or its head, and how wide each column would like to be.
    Row {
        block: usize,
        row: Option<usize>,
        columns: Arc<[usize]>,
    },
    Diff(Tone),
    /// A range of a text with added and removed words: the block, and where the range begins.
    Words {
        block: usize,
        from: usize,
    },
    Day {
        block: usize,
    },
    Who,
    Said,
    Fold,
    Gap,
    /// The upper edge of a panel, with its title, and the lower one.
    Edge(Edge),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Upper,
    Lower,
}

/// Where a piece stands on its card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    #[default]
    Above,
    /// In a panel.
    Inside,
    /// After the panel: dimmed.
    Below,
}

/// Where a piece's text comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    Own(String),
    /// Part of the card: the block, the part of the block, the range.
    Card(usize, usize, Range<usize>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub kind: PieceKind,
    pub source: Source,
    pub place: Place,
}

/// A card cut into pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doc {
    pub(super) card: Arc<Card>,
    pub(super) pieces: Vec<Piece>,
    /// The item's title, which is not repeated as a mail's subject.
    pub(super) title: String,
    /// How many blocks have been cut into pieces, and where the next piece stands.
    pub(super) blocks: usize,
    pub(super) place: Place,
    /// Where parts begin, for jumping between them.
    pub(super) parts: Vec<usize>,
    /// Where mails begin, and the block of each.
    pub(super) mails: Vec<(usize, usize)>,
    /// How many pieces must have been seen to decide without being asked a second time.
    pub(super) proposal: usize,
}

impl Doc {
    pub(super) fn text<'d>(&'d self, piece: &'d Piece) -> &'d str {
        match &piece.source {
            Source::Own(text) => text,
            Source::Card(block, part, range) => {
                let text = self.block(*block).and_then(|block| part_of(block, *part));
                text.and_then(|text| text.get(range.clone())).unwrap_or_default()
            }
        }
    }

    /// The block that a piece names.
    pub(super) fn block(&self, number: usize) -> Option<&Block> {
        self.card.flat().nth(number)
    }

    /// Whether some of it is folded away.
    pub fn has_folds(&self) -> bool {
        self.pieces.iter().any(|piece| piece.kind == PieceKind::Fold)
    }

    pub fn mails(&self) -> impl Iterator<Item = &MailBlock> {
        self.card.flat().filter_map(|block| match block {
            Block::Mail(mail) => Some(mail.as_ref()),
            _ => None,
        })
    }
}

/// The part of a block that a piece can be a range of.
pub(super) fn part_of(block: &Block, part: usize) -> Option<&Visible> {
    match block {
        Block::Heading(text) | Block::Text(text) | Block::Markdown(text) | Block::Code { text, .. } => {
            Some(text)
        }
        Block::Fields(fields) => fields.get(part).map(|(_, value)| value),
        Block::Diff(spans) => spans.get(part).map(|span| &span.text),
        Block::Mail(mail) => match part.checked_sub(mail.body.len()) {
            None => mail.body.get(part).map(|piece| &piece.text),
            Some(header) => mail.headers.get(header).map(|(_, value)| value),
        },
        Block::Turns(turns) => turns.get(part).map(|(_, text)| text),
        Block::Warnings(_)
        | Block::Table { .. }
        | Block::Words(_)
        | Block::Day(_)
        | Block::Bars(_)
        | Block::Panel { .. } => None,
    }
}

/// Whether two subjects belong to the same conversation: prefixes added by mail clients are ignored.
pub(super) fn is_same_subject(one: &str, other: &str) -> bool {
    let bare = |subject: &str| {
        let mut rest = subject.trim().to_lowercase();
        while let Some((mark, after)) = rest.split_once(':') {
            if !matches!(mark.trim(), "re" | "fwd" | "fw" | "aw" | "wg" | "sv" | "tr" | "antw" | "odp") {
                break;
            }
            rest = after.trim().to_owned();
        }
        rest
    };
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_compared_without_their_marks() {
        assert!(is_same_subject("Lunch?", "Re: AW: lunch?"));
        assert!(is_same_subject("", "Re:"));
        assert!(!is_same_subject("Lunch?", "Dinner?"));
        assert!(!is_same_subject("Lunch", "Note: lunch"));
    }
}
