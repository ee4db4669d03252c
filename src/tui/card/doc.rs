//! The pieces of a card, and positions in them.

use super::highlight::{Language, LineState};
use super::lay;
use crate::graph::Grade;
use crate::inbox::{Block, Card, MailBlock, Tone};
use crate::text::{Markdown, Visible};
use crate::tui::theme::Theme;
use ratatui::text::Line;
use std::ops::Range;
use std::sync::Arc;

/// The lines of a mail above its text, plus a few of its text.
const MAIL_HEAD: usize = 8;

/// A line of a card: the piece, and the line within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScrollPosition {
    pub piece: usize,
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum PieceKind {
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
    Row {
        block: usize,
        row: Option<usize>,
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
}

/// A card cut into pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doc {
    pub(super) card: Arc<Card>,
    pub(super) pieces: Vec<Piece>,
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
                let text = self.card.blocks.get(*block).and_then(|block| part_of(block, *part));
                text.and_then(|text| text.get(range.clone())).unwrap_or_default()
            }
        }
    }

    pub(super) fn height(&self, piece: usize, width: usize) -> usize {
        self.pieces.get(piece).map_or(0, |piece| lay::height(self, piece, width))
    }

    /// Up to `height` lines starting at `top`.
    pub fn lines(&self, top: ScrollPosition, width: usize, height: usize, theme: &Theme) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        let mut skip = top.line;
        for piece in self.pieces.iter().skip(top.piece) {
            if lines.len() >= height {
                break;
            }
            let laid = lay::lines(self, piece, width, skip, height - lines.len(), theme);
            lines.extend(laid);
            skip = 0;
        }
        lines.truncate(height);
        lines
    }

    /// The highest position at which the end of the first `pieces` pieces is visible.
    fn last_top(&self, pieces: usize, width: usize, height: usize) -> ScrollPosition {
        let mut remaining = height.max(1);
        for piece in (0..pieces.min(self.pieces.len())).rev() {
            let piece_height = self.height(piece, width);
            if piece_height >= remaining {
                return ScrollPosition { piece, line: piece_height - remaining };
            }
            remaining -= piece_height;
        }
        ScrollPosition::default()
    }

    /// Whether the end of the proposal is on the screen or above it.
    pub fn end_in_sight(&self, top: ScrollPosition, width: usize, height: usize) -> bool {
        top >= self.last_top(self.proposal, width, height)
    }

    pub fn more_below(&self, top: ScrollPosition, width: usize, height: usize) -> bool {
        top < self.last_top(self.pieces.len(), width, height)
    }

    /// The position `by` lines further down, but no further than the end.
    pub fn down(&self, top: ScrollPosition, by: usize, width: usize, height: usize) -> ScrollPosition {
        let last = self.last_top(self.pieces.len(), width, height);
        let (mut position, mut remaining) = (top, by);
        while position < last {
            let rest_of_piece = self.height(position.piece, width).saturating_sub(position.line);
            if rest_of_piece > remaining {
                position.line += remaining;
                break;
            }
            remaining -= rest_of_piece;
            position = ScrollPosition { piece: position.piece + 1, line: 0 };
        }
        position.min(last)
    }

    /// The position `by` lines further up.
    pub fn up(&self, top: ScrollPosition, by: usize, width: usize) -> ScrollPosition {
        let (mut position, mut remaining) = (top, by);
        loop {
            if position.line >= remaining {
                position.line -= remaining;
                return position;
            }
            remaining -= position.line;
            let Some(piece) = position.piece.checked_sub(1) else { return ScrollPosition::default() };
            position = ScrollPosition { piece, line: self.height(piece, width) };
        }
    }

    pub fn end(&self, width: usize, height: usize) -> ScrollPosition {
        self.last_top(self.pieces.len(), width, height)
    }

    /// The next part after `top`, or the previous one.
    pub fn part(&self, top: ScrollPosition, forward: bool, width: usize, height: usize) -> ScrollPosition {
        let starts = || self.parts.iter().map(|piece| ScrollPosition { piece: *piece, line: 0 });
        let start =
            if forward { starts().find(|start| *start > top) } else { starts().rfind(|start| *start < top) };
        start
            .unwrap_or(if forward { self.end(width, height) } else { ScrollPosition::default() })
            .min(self.end(width, height))
    }

    /// Whether some of it is folded away.
    pub fn has_folds(&self) -> bool {
        self.pieces.iter().any(|piece| piece.kind == PieceKind::Fold)
    }

    pub fn mails(&self) -> impl Iterator<Item = &MailBlock> {
        self.card.blocks.iter().filter_map(|block| match block {
            Block::Mail(mail) => Some(mail.as_ref()),
            _ => None,
        })
    }

    /// The mail at the top of the screen, or the first mail if none begins above.
    pub fn mail_at(&self, top: ScrollPosition) -> Option<&Block> {
        let mail = self.mails.iter().rfind(|(piece, _)| *piece <= top.piece).or(self.mails.first());
        mail.and_then(|(_, block)| self.card.blocks.get(*block))
    }

    /// Where to look for the newest mail: `top` if its text begins on the screen, else the mail's beginning.
    pub fn at_mail(&self, top: ScrollPosition, width: usize, height: usize) -> ScrollPosition {
        let Some((mail, _)) = self.mails.first() else { return top };
        let mut lines = 0;
        for piece in top.piece..*mail {
            lines += self.height(piece, width);
            if lines + MAIL_HEAD > height + top.line {
                return ScrollPosition { piece: *mail, line: 0 }.min(self.end(width, height));
            }
        }
        top
    }

    /// How far down `top` is, in percent.
    pub fn percent(&self, top: ScrollPosition, width: usize, height: usize) -> usize {
        let last = self.last_top(self.pieces.len(), width, height).piece.max(1);
        if self.more_below(top, width, height) { (top.piece * 100 / last).min(99) } else { 100 }
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
        Block::Warnings(_) | Block::Table { .. } | Block::Words(_) | Block::Day(_) => None,
    }
}
