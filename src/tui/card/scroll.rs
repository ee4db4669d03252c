//! Scrolls through a card: positions in it, and the lines to draw from one on.

use super::doc::{Doc, Place};
use super::lay;
use crate::inbox::Block;
use crate::tui::theme::Theme;
use ratatui::text::Line;

/// A line of a card: the piece, and the line within it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScrollPosition {
    pub piece: usize,
    pub line: usize,
}

impl Doc {
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

    /// The mail at the top of the screen, or the first mail if none begins above.
    pub fn mail_at(&self, top: ScrollPosition) -> Option<&Block> {
        let mail = self.mails.iter().rfind(|(piece, _)| *piece <= top.piece).or(self.mails.first());
        mail.and_then(|(_, block)| self.block(*block))
    }

    /// Where whoever writes looks: below the panel that they write in, or at the newest mail.
    pub fn below(&self) -> ScrollPosition {
        let below = self.pieces.iter().position(|piece| piece.place == Place::Below);
        let piece = below.or(self.mails.first().map(|(piece, _)| *piece)).unwrap_or(0);
        ScrollPosition { piece, line: 0 }
    }

    /// How far down `top` is, in percent.
    pub fn percent(&self, top: ScrollPosition, width: usize, height: usize) -> usize {
        let last = self.last_top(self.pieces.len(), width, height).piece.max(1);
        if self.more_below(top, width, height) { (top.piece * 100 / last).min(99) } else { 100 }
    }
}
