//! Lays out pieces as lines of a given width. Only the requested lines are made.

use super::doc::{Doc, Edge, Piece, PieceKind, Place};
use super::highlight::{Token, highlight};
use super::table;
use crate::engine::graph::Grade;
use crate::inbox::{Block, StripLine, StripMark, Tone};
use crate::text::{Weight, expand_tabs, pad, truncate, width as text_width, wrap, wrap_code, wrap_quoted};
use crate::tui::theme::Theme;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::borrow::Cow;

/// How far a piece's text is indented, and the marker before it.
fn margin(kind: &PieceKind) -> (usize, &'static str) {
    match kind {
        PieceKind::Verdict
        | PieceKind::Title
        | PieceKind::Edge(_)
        | PieceKind::Meta
        | PieceKind::Heading
        | PieceKind::Subject
        | PieceKind::Text
        | PieceKind::Markdown(_)
        | PieceKind::Quiet
        | PieceKind::Gap
        | PieceKind::Who
        | PieceKind::Words { .. }
        | PieceKind::Day { .. }
        | PieceKind::Row { .. } => (0, ""),
        PieceKind::Warning(Grade::Info) => (2, "i "),
        PieceKind::Warning(Grade::Caution) => (2, "! "),
        PieceKind::Warning(Grade::Danger) => (3, "!! "),
        PieceKind::Field { indent, .. } => (*indent, ""),
        PieceKind::Code { .. } => (2, "│ "),
        PieceKind::Diff(Tone::Added) => (2, "+ "),
        PieceKind::Diff(Tone::Removed) => (2, "- "),
        PieceKind::Diff(Tone::Plain | Tone::Quiet) => (2, "  "),
        PieceKind::Said => (2, "  "),
        PieceKind::Fold => (2, "▸ "),
    }
}

/// Where there are fewer columns, a panel has no sides.
const MIN_FRAMED: usize = 24;

/// The columns for a piece, inside the frame if it stands in one.
fn columns(piece: &Piece, width: usize) -> usize {
    let is_framed = piece.place == Place::Inside && width >= MIN_FRAMED;
    if is_framed && !matches!(piece.kind, PieceKind::Edge(_)) { width - 4 } else { width }
}

/// How far a piece's text is indented. On a very narrow screen the indent shrinks.
fn inset(piece: &Piece, width: usize) -> usize {
    let inset = match (&piece.kind, piece.place) {
        // The frame marks it as code.
        (PieceKind::Code { .. }, Place::Inside) => 0,
        (kind, _) => margin(kind).0,
    };
    if inset * 2 > width { width.min(2) / 2 } else { inset }
}

/// The columns left for text.
fn room(piece: &Piece, width: usize) -> usize {
    width.saturating_sub(inset(piece, width)).max(1)
}

pub(super) fn height(doc: &Doc, piece: &Piece, width: usize) -> usize {
    let width = columns(piece, width);
    match &piece.kind {
        PieceKind::Gap | PieceKind::Fold | PieceKind::Edge(_) => 1,
        PieceKind::Meta if doc.text(piece).is_empty() => 0,
        PieceKind::Row { block, row, columns } => table::height(doc, *block, *row, columns, width),
        PieceKind::Markdown(inside) => inside.lines(doc.text(piece), width.max(1)).len(),
        PieceKind::Day { block } => day_lines(doc, *block, width).len(),
        // Measured line by line, as it is drawn: this matters when a single character is wider than the room.
        PieceKind::Code { .. } => {
            let text = doc.text(piece);
            let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
            lines.map(|line| wrap_code(line, room(piece, width)).len().max(1)).sum()
        }
        PieceKind::Words { .. } => wrap(doc.text(piece), width.max(1)).count().max(1),
        _ => wrap_quoted(doc.text(piece), room(piece, width)).count().max(1),
    }
}

pub(super) fn lines<'d>(
    doc: &'d Doc,
    piece: &'d Piece,
    width: usize,
    skip: usize,
    max: usize,
    theme: &Theme,
) -> Vec<Line<'d>> {
    let inside = columns(piece, width);
    let mut lines = laid(doc, piece, inside, skip, max, theme);
    for line in &mut lines {
        match piece.place {
            Place::Above => {}
            Place::Inside if inside == width => {}
            Place::Inside => {
                let used: usize = line.spans.iter().map(|span| text_width(&span.content)).sum();
                line.spans.insert(0, Span::styled("│ ", theme.rule));
                let rest = " ".repeat(inside.saturating_sub(used));
                line.spans.extend([Span::raw(rest), Span::styled(" │", theme.rule)]);
            }
            Place::Below => {
                let shown = |style: Style| if style == theme.text { theme.quiet } else { style };
                line.style = shown(line.style);
                line.spans.iter_mut().for_each(|span| span.style = shown(span.style));
            }
        }
    }
    lines
}

/// The edge of a panel; the upper one carries its title.
fn edge<'d>(edge: Edge, title: &str, width: usize, theme: &Theme) -> Line<'d> {
    let (left, right) = match edge {
        _ if width < MIN_FRAMED => ("", ""),
        Edge::Upper => ("╭─ ", "╮"),
        Edge::Lower => ("╰", "╯"),
    };
    let title = truncate(title, width.saturating_sub(6)).into_owned();
    let gap = if title.is_empty() { "" } else { " " };
    let used = text_width(left) + text_width(&title) + gap.len() + text_width(right);
    let rest = format!("{gap}{}{right}", "─".repeat(width.saturating_sub(used)));
    Line::from(vec![
        Span::styled(left, theme.rule),
        Span::styled(title, theme.title),
        Span::styled(rest, theme.rule),
    ])
}

fn laid<'d>(
    doc: &'d Doc,
    piece: &'d Piece,
    width: usize,
    skip: usize,
    max: usize,
    theme: &Theme,
) -> Vec<Line<'d>> {
    let style = style(&piece.kind, theme);
    let text = doc.text(piece);
    match &piece.kind {
        PieceKind::Gap => vec![Line::default()],
        PieceKind::Edge(which) => vec![edge(*which, text, width, theme)],
        PieceKind::Meta if text.is_empty() => Vec::new(),
        PieceKind::Fold => {
            vec![Line::styled(format!("▸ {}", truncate(text, width.saturating_sub(2))), style)]
        }
        PieceKind::Row { block, row, columns } => {
            let laid = table::lines(doc, *block, *row, columns, width, theme);
            laid.into_iter().skip(skip).take(max).collect()
        }
        PieceKind::Words { block, from } => {
            let spans = match doc.block(*block) {
                Some(Block::Words(spans)) => spans.as_slice(),
                _ => &[],
            };
            let wrapped = wrap(text, width.max(1)).skip(skip).take(max);
            wrapped.map(|line| word_line(text, line, *from, spans, theme)).collect()
        }
        PieceKind::Day { block } => {
            let span = |(mark, text)| Span::styled(text, mark_style(mark, theme));
            let laid = day_lines(doc, *block, width).into_iter().skip(skip).take(max);
            laid.map(|line| line.into_iter().map(span).collect()).collect()
        }
        PieceKind::Markdown(inside) => {
            let laid = inside.lines(text, width.max(1)).into_iter();
            let span = |(weight, text)| Span::styled(text, weight_style(weight, theme));
            laid.skip(skip).take(max).map(|line| line.into_iter().map(span).collect()).collect()
        }
        PieceKind::Code { language, inside } => {
            let mut state = *inside;
            let mut laid = Vec::new();
            for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                let (tokens, after) = highlight(line, *language, state);
                state = after;
                let bar = if inset(piece, width) > 0 { "│ " } else { "" };
                laid.extend(code_lines(line, &tokens, bar, room(piece, width), theme));
                if laid.len() >= skip + max {
                    break;
                }
            }
            laid.into_iter().skip(skip).take(max).collect()
        }
        kind => {
            let name = match kind {
                PieceKind::Field { name, .. } => name.as_str(),
                _ => "",
            };
            let inset = inset(piece, width);
            let mut wrapped = wrap_quoted(text, room(piece, width)).peekable();
            if wrapped.peek().is_none() {
                return vec![Line::styled(pad(name, inset.min(width)), theme.quiet)];
            }
            let line = |(n, (mark, line)): (usize, (&'d str, &'d str))| {
                let text = Span::styled(expand_tabs(line), style);
                Line::from(vec![prefix(kind, n, inset, theme), Span::styled(mark, style), text])
            };
            wrapped.enumerate().skip(skip).take(max).map(line).collect()
        }
    }
}

/// What is drawn before the `n`th line of running text: a field's name, a marker, or nothing.
fn prefix<'d>(kind: &'d PieceKind, n: usize, inset: usize, theme: &Theme) -> Span<'d> {
    match (kind, margin(kind).1) {
        (PieceKind::Field { name, .. }, _) if n == 0 && !name.is_empty() => {
            Span::styled(pad(name, inset.saturating_sub(1)) + " ", theme.quiet)
        }
        (_, mark) if inset > 0 && !mark.is_empty() && (n == 0 || matches!(kind, PieceKind::Diff(_))) => {
            Span::styled(mark, style(kind, theme))
        }
        _ => Span::raw(" ".repeat(inset)),
    }
}

fn style(kind: &PieceKind, theme: &Theme) -> Style {
    match kind {
        PieceKind::Title | PieceKind::Subject => theme.title,
        PieceKind::Verdict => theme.accent.add_modifier(Modifier::BOLD),
        PieceKind::Edge(_) => theme.rule,
        PieceKind::Heading | PieceKind::Who => theme.accent,
        PieceKind::Meta | PieceKind::Fold | PieceKind::Quiet => theme.quiet,
        PieceKind::Warning(grade) => theme.grade(*grade),
        PieceKind::Diff(Tone::Added) => theme.added,
        PieceKind::Diff(Tone::Removed) => theme.removed,
        PieceKind::Diff(Tone::Quiet) => theme.quiet,
        PieceKind::Diff(Tone::Plain)
        | PieceKind::Text
        | PieceKind::Markdown(_)
        | PieceKind::Field { .. }
        | PieceKind::Code { .. }
        | PieceKind::Row { .. }
        | PieceKind::Said
        | PieceKind::Words { .. }
        | PieceKind::Day { .. }
        | PieceKind::Gap => theme.text,
    }
}

fn day_lines(doc: &Doc, block: usize, width: usize) -> Vec<StripLine> {
    match doc.block(block) {
        Some(Block::Day(day)) => day.lines(width.max(1)),
        Some(Block::Bars(bars)) => bars.lines(width.max(1)),
        _ => Vec::new(),
    }
}

fn mark_style(mark: StripMark, theme: &Theme) -> Style {
    match mark {
        StripMark::Words => theme.text,
        StripMark::Scale | StripMark::Free | StripMark::AllDay => theme.quiet,
        StripMark::Busy => theme.warning,
        StripMark::Proposed => theme.accent,
        StripMark::Conflict => theme.danger,
    }
}

/// One line of a text with changed words: styles the added and the removed ones.
fn word_line<'d>(
    text: &str,
    line: &'d str,
    from: usize,
    spans: &[crate::inbox::Span],
    theme: &Theme,
) -> Line<'d> {
    let start = from + (line.as_ptr() as usize - text.as_ptr() as usize);
    let end = start + line.len();
    let (mut offset, mut styled_spans) = (0, Vec::new());
    for span in spans {
        let (first, last) = (offset.max(start), (offset + span.text.len()).min(end));
        offset += span.text.len();
        if first < last {
            let style = match span.tone {
                Tone::Plain => theme.text,
                Tone::Quiet => theme.quiet,
                Tone::Removed => theme.removed.add_modifier(Modifier::CROSSED_OUT),
                Tone::Added => theme.added.add_modifier(Modifier::UNDERLINED),
            };
            styled_spans.push(Span::styled(expand_tabs(&line[first - start..last - start]), style));
        }
    }
    Line::from(styled_spans)
}

/// A line of code, coloured, and broken if it does not fit.
fn code_lines<'d>(
    line: &'d str,
    tokens: &[(Token, &'d str)],
    bar: &'static str,
    room: usize,
    theme: &Theme,
) -> Vec<Line<'d>> {
    let mut lines = Vec::new();
    for (inset, part) in wrap_code(line, room) {
        let start = part.as_ptr() as usize - line.as_ptr() as usize;
        let range = start..start + part.len();
        let mut spans = vec![Span::styled(bar, theme.rule), Span::raw(" ".repeat(inset))];
        let mut offset = 0;
        for (token, text) in tokens {
            let (from, to) = (offset.max(range.start), (offset + text.len()).min(range.end));
            offset += text.len();
            if from < to {
                let cut: Cow<'_, str> = expand_tabs(&line[from..to]);
                spans.push(Span::styled(cut, token_style(*token, theme)));
            }
        }
        lines.push(Line::from(spans));
    }
    if lines.is_empty() {
        lines.push(Line::styled(bar, theme.rule));
    }
    lines
}

fn weight_style(weight: Weight, theme: &Theme) -> Style {
    match weight {
        Weight::Plain => theme.text,
        Weight::Heading => theme.accent,
        Weight::Strong => theme.title,
        Weight::Emphasis => theme.text.add_modifier(Modifier::ITALIC),
        Weight::Code => theme.string,
        Weight::Link => theme.text.add_modifier(Modifier::UNDERLINED),
        Weight::Quiet => theme.quiet,
    }
}

fn token_style(token: Token, theme: &Theme) -> Style {
    match token {
        Token::Plain => theme.text,
        Token::Keyword => theme.keyword,
        Token::Text => theme.string,
        Token::Number => theme.number,
        Token::Comment => theme.quiet,
    }
}
