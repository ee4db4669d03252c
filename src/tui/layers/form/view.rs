//! Draws forms and boxes.

use super::{Field, FieldKind, Form};
use crate::text::{Visible, truncate, width};
use crate::tui::draw;
use crate::tui::layers::screen;
use crate::tui::layout::{self, Areas, centred};
use crate::tui::model::Model;
use crate::tui::words;
use ratatui::layout::{Position, Rect};
use ratatui::terminal::Frame;
use ratatui::text::{Line, Span};

/// How many completions are listed.
const SHOWN_COMPLETIONS: usize = 6;

/// Draws a form; `false` if its cursor is not visible.
pub fn draw(model: &Model, form: &Form, frame: &mut Frame<'_>) -> bool {
    let theme = &model.theme;
    let room = room(model);
    let columns = usize::from(room.width.saturating_sub(5)).max(1);
    let (lines, cursor) =
        if form.is_letter() { letter_lines(model, form, columns) } else { lines(model, form, columns) };
    let outer = if !layout::areas(model).form.is_empty() {
        room
    } else {
        let height = u16::try_from(lines.len() + 3).unwrap_or(u16::MAX);
        let min_height = if form.is_box() { 10 } else { 6 };
        centred(screen(model), room.width, height.max(min_height).min(room.height))
    };
    let mut inner = draw::frame(frame.buffer_mut(), outer, &Visible::line(&form.title), theme.accent);
    if inner.height > 2 {
        inner.height -= 1;
        let line = Rect { y: inner.bottom(), height: 1, ..inner };
        if let Some(error) = &form.error {
            let error = Visible::line(&model.spell(error.sentence()));
            draw::text(frame.buffer_mut(), line, line.x, line.y, &error, theme.danger);
        } else if form.learns {
            let text =
                if form.learn { "sayso may learn from this" } else { "sayso learns nothing from this" };
            draw::text(frame.buffer_mut(), line, line.x, line.y, text, theme.quiet);
        }
    }
    let top = (cursor.0 + 2).saturating_sub(usize::from(inner.height.max(1))).min(cursor.0);
    let all = lines.iter().rposition(|line| line.width() > 0).map_or(0, |last| last + 1);
    draw::lines(frame.buffer_mut(), inner, lines.into_iter().skip(top));
    draw::more(&model.theme, top..top + usize::from(inner.height), all, inner, frame.buffer_mut());
    let y = inner.y + u16::try_from(cursor.0 - top).unwrap_or(u16::MAX);
    let x = inner.x.saturating_add(u16::try_from(cursor.1).unwrap_or(u16::MAX));
    if y < inner.bottom() && x <= inner.right() {
        frame.set_cursor_position(Position { x, y });
        return true;
    }
    false
}

/// The most room a form may take: its own place if the card is visible too, else the middle of the screen.
fn room(model: &Model) -> Rect {
    let Areas { form, .. } = layout::areas(model);
    if !form.is_empty() {
        return form;
    }
    let screen = screen(model);
    centred(
        screen,
        layout::MAX_FORM_WIDTH,
        screen.height.saturating_sub(if screen.height > 12 { 2 } else { 0 }),
    )
}

/// All lines of the form, and the line and column of the cursor.
fn lines<'f>(model: &Model, form: &'f Form, columns: usize) -> (Vec<Line<'f>>, (usize, usize)) {
    let theme = &model.theme;
    let mut lines = Vec::new();
    let mut cursor = (0, 0);
    for (n, field) in form.fields.iter().enumerate() {
        let is_focused = n == form.focus;
        let is_empty = field.kind == FieldKind::Fixed && field.editor.text().is_empty();
        if is_empty || field.is_left_out || form.is_folded(field) {
            continue;
        }
        if !form.is_box() {
            lines.push(label(model, form, field, is_focused, columns));
        }
        let inset = if form.is_box() { 0 } else { 2 };
        let (text, cursor_in_field) = field.editor.laid_out(columns.saturating_sub(inset));
        if is_focused {
            cursor = (lines.len() + cursor_in_field.0, cursor_in_field.1 + inset);
        }
        let style = match field.kind {
            FieldKind::Fixed => theme.quiet,
            _ => theme.text,
        };
        let bar = if is_focused { theme.accent } else { theme.rule };
        for line in text {
            // Typed text may contain escape sequences that must not reach the screen.
            let shown = Visible::line(&line).into_string();
            let margin = if form.is_box() { Span::raw("") } else { Span::styled("│ ", bar) };
            lines.push(Line::from(vec![margin, Span::styled(shown, style)]));
        }
        if is_focused && form.completions.1.len() > 1 {
            for path in form.completions.1.iter().take(SHOWN_COMPLETIONS) {
                lines.push(Line::styled(format!("    {}", Visible::line(path)), theme.quiet));
            }
        }
        if !form.is_box() {
            lines.push(Line::default());
        }
    }
    let folded: Vec<String> = form.fields.iter().filter(|field| form.is_folded(field)).map(summary).collect();
    if !folded.is_empty() {
        let more = Span::styled("▸ more  ", theme.title);
        let rest = truncate(&folded.join(" · "), columns.saturating_sub(8)).into_owned();
        lines.push(Line::from(vec![more, Span::styled(rest, theme.quiet)]));
    }
    for (n, text) in form.refusals(&model.options.refusals).iter().enumerate() {
        let number = Span::styled(format!("{} ", n + 1), theme.accent);
        lines.push(Line::from(vec![number, Span::styled(Visible::line(text).into_string(), theme.quiet)]));
    }
    if lines.is_empty() {
        lines.push(Line::styled("There is nothing to fill in.", theme.quiet));
    }
    (lines, cursor)
}

/// A field in few words: its name and what it holds.
fn summary(field: &Field) -> String {
    let name = Visible::line(&field.name).replace('_', " ");
    match Visible::line(field.editor.text()).as_str().trim() {
        "" => name,
        text => format!("{name}: {text}"),
    }
}

/// The width of a name above a letter.
const NAME_COLUMNS: usize = 14;

/// A letter: whom it goes to on one line, which opens while the cursor is there, and the text below.
fn letter_lines<'f>(model: &Model, form: &'f Form, columns: usize) -> (Vec<Line<'f>>, (usize, usize)) {
    let theme = &model.theme;
    let (mut lines, mut cursor) = (Vec::new(), (0, 0));
    let (body, head): (Vec<_>, Vec<_>) =
        form.fields.iter().enumerate().partition(|(_, field)| field.is_body());
    if body.iter().any(|(n, _)| *n == form.focus) {
        lines.push(Line::styled(truncate(&envelope(form), columns).into_owned(), theme.title));
    } else {
        for (n, field) in head {
            let is_focused = n == form.focus;
            let (text, at) = field.editor.laid_out(columns.saturating_sub(NAME_COLUMNS).max(1));
            if is_focused {
                cursor = (lines.len() + at.0, at.1 + NAME_COLUMNS);
            }
            let name = words::capitalized(&Visible::line(&field.name).replace('_', " "));
            let style = if is_focused { theme.accent } else { theme.quiet };
            for (row, line) in text.iter().enumerate() {
                let name = if row == 0 { name.as_str() } else { "" };
                let shown = Span::styled(Visible::line(line).into_string(), theme.text);
                lines.push(Line::from(vec![Span::styled(format!("{name:<NAME_COLUMNS$}"), style), shown]));
            }
            if let Some(error) = shown_error(form, n) {
                let indent = " ".repeat(NAME_COLUMNS);
                lines.push(Line::styled(format!("{indent}✗ {}", Visible::line(error)), theme.danger));
            }
            if is_focused {
                for one in form.completions.1.iter().take(SHOWN_COMPLETIONS) {
                    let indent = " ".repeat(NAME_COLUMNS);
                    lines.push(Line::styled(format!("{indent}{}", Visible::line(one)), theme.quiet));
                }
            }
        }
    }
    lines.push(Line::styled("─".repeat(columns), theme.rule));
    for (n, field) in body {
        if let Some(error) = shown_error(form, n) {
            lines.push(Line::styled(format!("✗ {}", Visible::line(error)), theme.danger));
        }
        let (text, at) = field.editor.laid_out(columns);
        if n == form.focus {
            cursor = (lines.len() + at.0, at.1);
        }
        lines.extend(text.iter().map(|line| Line::styled(Visible::line(line).into_string(), theme.text)));
    }
    (lines, cursor)
}

/// What is wrong with a field of a letter. What is not written yet, or can be completed, is not wrong.
fn shown_error(form: &Form, n: usize) -> Option<&str> {
    let field = form.fields.get(n)?;
    let is_focused = n == form.focus;
    let is_begun = is_focused || !field.editor.text().trim().is_empty();
    let can_be_completed = is_focused && !form.completions.1.is_empty();
    field.error.as_deref().filter(|_| is_begun && !can_be_completed)
}

/// Whom a letter goes to, and what it is about, in one line.
fn envelope(form: &Form) -> String {
    let value = |name: &str| {
        let field = form.fields.iter().find(|field| field.name == name)?;
        let lines: Vec<&str> = field.editor.text().lines().filter(|line| !line.trim().is_empty()).collect();
        (!lines.is_empty()).then(|| Visible::line(&lines.join(", ")).into_string())
    };
    let named = [("To", "to"), ("Cc", "cc"), ("Bcc", "bcc"), ("with", "attachments")];
    let mut parts: Vec<String> =
        named.iter().filter_map(|(name, key)| Some(format!("{name} {}", value(key)?))).collect();
    parts.push(value("subject").unwrap_or_else(|| "(no subject)".to_owned()));
    parts.join(" · ")
}

fn label<'f>(model: &Model, form: &Form, field: &'f Field, is_focused: bool, columns: usize) -> Line<'f> {
    let theme = &model.theme;
    let is_required = !field.optional && field.kind != FieldKind::Fixed;
    let name = format!("{}{}", Visible::line(&field.name), if is_required { " *" } else { "" });
    let mut spans = vec![Span::styled(name, if is_focused { theme.accent } else { theme.title })];
    let remaining = columns.saturating_sub(width(&spans[0].content) + 3);
    let (text, style) = match &field.error {
        Some(error) => (format!("✗ {}", Visible::line(error)), theme.danger),
        None => (model.spell(&field.about(&form.now)), theme.quiet),
    };
    if !text.is_empty() {
        spans.push(Span::styled(format!("   {}", truncate(&text, remaining)), style));
    }
    Line::from(spans)
}
