//! Layers: questions, lists to choose from, help.

use super::form::view as form;
use super::palette::suggestions;
use super::{Ask, Bulk, Choice, Confirm, Layer, Menu, Page, Prompt};
use crate::text::{pad, truncate, width, wrap};
use crate::tui::keys::Scope;
use crate::tui::layout::{self, centred};
use crate::tui::model::Model;
use crate::tui::{draw, words};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

fn screen(model: &Model) -> Rect {
    let areas = layout::areas(model);
    // The footer stays in sight: it has the keys.
    let height = model.size.1.saturating_sub(areas.footer.height);
    Rect { x: 0, y: 0, width: model.size.0, height }
}

fn narrow(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// Draws a layer; `false` where there is no room to read what it asks.
pub fn draw(model: &Model, layer: &Layer, frame: &mut Frame<'_>) -> bool {
    match layer {
        Layer::Confirm(confirm) => draw_confirm(model, confirm, frame.buffer_mut()),
        Layer::Bulk(bulk) => draw_bulk(model, bulk, frame.buffer_mut()),
        Layer::Form(it) => form::draw(model, it, screen(model), frame),
        Layer::Menu(menu) => draw_menu(model, menu, frame.buffer_mut()),
        Layer::Prompt(prompt) => draw_prompt(model, prompt, frame),
        Layer::Page(page) => draw_page(model, page, frame.buffer_mut()),
        Layer::Help(top) => draw_help(model, *top, frame.buffer_mut()),
        Layer::Ending(held) => draw_ending(model, held, frame.buffer_mut()),
    }
}

fn confirm_areas(model: &Model) -> (Rect, Rect) {
    let screen = screen(model);
    let Some(Layer::Confirm(confirm)) = model.layer() else { return Default::default() };
    let outer_width = screen.width.min(96);
    let room = usize::from(outer_width.saturating_sub(4)).max(1);
    let words = wrap(&confirm.why, room).count() + wrap(&confirm.title, room).count();
    let wanted = confirm.page.lines(Default::default(), room, usize::from(screen.height), &model.theme).len();
    let outer = centred(screen, outer_width, narrow(wanted + words + 5));
    let taken = narrow(words + 5);
    let inner = Rect {
        x: outer.x + 2,
        y: outer.y + 1 + narrow(words) + 1,
        width: outer.width.saturating_sub(4),
        height: outer.height.saturating_sub(taken),
    };
    (outer, inner)
}

/// The columns and lines in which a question's page is shown.
pub fn confirm_width(model: &Model) -> (usize, usize) {
    let (_, inner) = confirm_areas(model);
    (usize::from(inner.width), usize::from(inner.height))
}

fn draw_confirm(model: &Model, confirm: &Confirm, buf: &mut Buffer) -> bool {
    let theme = &model.theme;
    let (outer, page) = confirm_areas(model);
    let inner = draw::frame(buf, outer, "Yes or no?", theme.warning);
    let room = usize::from(inner.width).max(1);
    let asked = wrap(&confirm.title, room).map(|line| Line::styled(line, theme.title));
    let why = wrap(&confirm.why, room).map(|line| Line::styled(line, theme.text));
    draw::lines(buf, inner, asked.chain(why));
    let (width, height) = (usize::from(page.width), usize::from(page.height));
    draw::lines(buf, page, confirm.page.lines(confirm.top, width, height, theme));
    if confirm.page.more_below(confirm.top, width, height) && inner.height > 2 {
        draw::right(buf, inner, inner.bottom() - 1, "▼ j for more", theme.quiet);
    }
    if inner.height > 0 {
        keys(model, buf, inner, &[("y", "yes"), ("n", "no")]);
    }
    inner.width >= 16 && inner.height >= 3
}

/// Keys on the last line of a box.
fn keys(model: &Model, buf: &mut Buffer, inner: Rect, keys: &[(&str, &str)]) {
    let (mut x, y) = (inner.x, inner.bottom() - 1);
    for (key, text) in keys {
        x = draw::text(buf, inner, x, y, key, model.theme.accent);
        x = draw::text(buf, inner, x + 1, y, text, model.theme.text) + 3;
    }
}

fn draw_bulk(model: &Model, bulk: &Bulk, buf: &mut Buffer) -> bool {
    let theme = &model.theme;
    let outer = centred(screen(model), 80, narrow(bulk.rows.len() + bulk.left_out.len() + 7));
    let inner = draw::frame(buf, outer, "Decide together?", theme.warning);
    let title = format!("{} will be {}:", words::count(bulk.rows.len(), "item"), bulk.deed.word());
    draw::text(buf, inner, inner.x, inner.y, &title, theme.title);
    let left =
        if bulk.left_out.is_empty() { 0 } else { narrow(bulk.left_out.len() + 1).min(inner.height / 3) };
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(3 + left), ..inner };
    let top = layout::plain_top(0, bulk.cursor, list.height);
    for (y, (n, (title, _))) in (list.y..list.bottom()).zip(bulk.rows.iter().enumerate().skip(top)) {
        let line = Rect { y, height: 1, ..list };
        draw::text(buf, line, line.x, y, &format!("• {title}"), theme.text);
        if n == bulk.cursor {
            buf.set_style(line, theme.selected);
        }
    }
    let out = Rect { y: list.bottom(), height: left, ..inner };
    let told = std::iter::once(Line::styled("left out:", theme.warning));
    draw::lines(
        buf,
        out,
        told.chain(bulk.left_out.iter().map(|why| Line::styled(format!("• {why}"), theme.warning))),
    );
    if inner.height > 0 {
        keys(model, buf, inner, &[("y", "yes, all of them"), ("n", "no"), ("space", "leave this one out")]);
    }
    inner.width >= 16 && list.height > 0
}

fn draw_menu(model: &Model, menu: &Menu, buf: &mut Buffer) -> bool {
    let theme = &model.theme;
    let widest = menu.rows.iter().map(|(text, _)| width(text)).max().unwrap_or(0);
    let widest = widest.max(width(&menu.title)).max(24);
    // A target that was cut off in its row stands whole below the list.
    let screen = screen(model);
    let room = (widest + 2).min(usize::from(screen.width.saturating_sub(4))).max(1);
    let below: Vec<&str> = match menu.rows.get(menu.cursor) {
        Some((text, Choice::Copy(target))) if width(text) > room => wrap(target, room).take(6).collect(),
        _ => Vec::new(),
    };
    let outer = centred(screen, narrow(widest + 6), narrow(menu.rows.len() + below.len() + 2));
    let mut inner = draw::frame(buf, outer, &menu.title, theme.accent);
    let taken = narrow(below.len()).min(inner.height.saturating_sub(1));
    inner.height -= taken;
    let under = Rect { y: inner.bottom(), height: taken, ..inner };
    draw::lines(buf, under, below.into_iter().map(|line| Line::styled(line, theme.quiet)));
    let top = layout::plain_top(0, menu.cursor, inner.height);
    for (y, (n, (text, _))) in (inner.y..inner.bottom()).zip(menu.rows.iter().enumerate().skip(top)) {
        let line = Rect { y, height: 1, ..inner };
        draw::text(buf, line, line.x, y, text, theme.text);
        if n == menu.cursor {
            buf.set_style(line, theme.selected);
        }
    }
    true
}

fn draw_prompt(model: &Model, prompt: &Prompt, frame: &mut Frame<'_>) -> bool {
    let theme = &model.theme;
    let screen = screen(model);
    let (sign, hint) = match prompt.ask {
        Ask::Search => ("/", "words, from: kind: workflow: is:warn older:2d"),
        Ask::Narrow => ("\\", "words, from: kind: workflow: is:warn older:2d"),
        Ask::Line => ("+", "one more line for this profile"),
        Ask::Export => ("to ", "a file: .md to read, .json for all of it"),
        Ask::Pipe => ("|", "a command; the mail's text is its input"),
        Ask::Palette => (":", "an action, or a line such as `start WORKFLOW key=value`"),
    };
    let area = if prompt.ask == Ask::Palette {
        let outer = centred(screen, 76, screen.height.saturating_sub(2).min(18));
        draw::frame(frame.buffer_mut(), outer, "Palette", theme.accent)
    } else {
        let row = Rect { y: screen.bottom().saturating_sub(1), height: 1.min(screen.height), ..screen };
        frame.buffer_mut().set_style(row, theme.text);
        ratatui::widgets::Widget::render(ratatui::widgets::Clear, row, frame.buffer_mut());
        row
    };
    if area.is_empty() {
        return false;
    }
    let buf = frame.buffer_mut();
    let x = draw::text(buf, area, area.x, area.y, sign, theme.accent);
    // The end of what is typed stays in sight.
    let room = usize::from(area.right().saturating_sub(x)).saturating_sub(1).max(1);
    let (lines, (row, column)) = prompt.editor.laid_out(room + 1);
    let typed = lines.get(row).cloned().unwrap_or_default();
    let after = draw::text(buf, area, x, area.y, &typed, theme.text);
    if prompt.editor.text().is_empty() {
        draw::text(buf, area, after + 1, area.y, hint, theme.quiet);
    }
    let rows = suggestions(model);
    let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let top = layout::plain_top(0, prompt.cursor, list.height);
    for (y, (n, suggestion)) in (list.y..list.bottom()).zip(rows.iter().enumerate().skip(top)) {
        let line = Rect { y, height: 1, ..list };
        let ends = draw::right(buf, line, y, &format!(" {} ", suggestion.key), theme.accent);
        let room = Rect { width: ends.saturating_sub(line.x), ..line };
        draw::text(buf, room, line.x + 1, y, &suggestion.text, theme.text);
        if n == prompt.cursor {
            buf.set_style(line, theme.selected);
        }
    }
    if rows.is_empty() && prompt.ask == Ask::Palette && list.height > 0 {
        draw::text(buf, list, list.x + 1, list.y, "nothing goes by that name", theme.quiet);
    }
    let column = x.saturating_add(narrow(column)).min(area.right().saturating_sub(1));
    frame.set_cursor_position(Position { x: column, y: area.y });
    true
}

fn page_areas(model: &Model, page: &Page) -> (Rect, Rect) {
    let screen = screen(model);
    let outer_width = screen.width.min(100);
    let room = usize::from(outer_width.saturating_sub(4)).max(1);
    let wanted = page.doc.lines(Default::default(), room, usize::from(screen.height), &model.theme).len();
    let outer = centred(screen, outer_width, narrow(wanted + 2));
    // As `draw::frame` leaves it.
    let inner = if outer.width < 6 || outer.height < 3 {
        outer
    } else {
        Rect { x: outer.x + 2, y: outer.y + 1, width: outer.width - 4, height: outer.height - 2 }
    };
    (outer, inner)
}

/// The columns and lines in which a page is shown.
pub fn page_size(model: &Model) -> (usize, usize) {
    let Some(Layer::Page(page)) = model.layer() else { return (1, 1) };
    let (_, inner) = page_areas(model, page);
    (usize::from(inner.width), usize::from(inner.height))
}

fn draw_page(model: &Model, page: &Page, buf: &mut Buffer) -> bool {
    let (outer, inner) = page_areas(model, page);
    draw::frame(buf, outer, &page.title, model.theme.accent);
    let (width, height) = (usize::from(inner.width), usize::from(inner.height));
    draw::lines(buf, inner, page.doc.lines(page.top, width, height, &model.theme));
    if page.doc.more_below(page.top, width, height) && outer.height > 2 {
        draw::right(
            buf,
            Rect { width: outer.width - 2, ..outer },
            outer.bottom() - 1,
            " ▼ j for more ",
            model.theme.quiet,
        );
    }
    true
}

fn help_lines(model: &Model) -> Vec<Line<'static>> {
    let theme = &model.theme;
    let mut lines =
        vec![Line::styled("Enter, Esc, mouse and paste never decide.", theme.quiet), Line::default()];
    for scope in Scope::ALL {
        lines.push(Line::styled(scope.title(), theme.title));
        for (keys, action, help) in model.keymap.rows(scope) {
            lines.push(Line::from(vec![
                Span::styled(format!("  {}", pad(&keys, 18)), theme.accent),
                Span::styled(format!(" {}", pad(help, 36)), theme.text),
                Span::styled(format!(" {}", action.name()), theme.quiet),
            ]));
        }
        lines.push(Line::default());
    }
    lines
}

fn help_area(model: &Model) -> Rect {
    let screen = screen(model);
    centred(screen, 84, screen.height.saturating_sub(if screen.height > 12 { 2 } else { 0 }))
}

/// How far help can be scrolled.
pub fn help_length(model: &Model) -> usize {
    let rows: usize = Scope::ALL.iter().map(|scope| model.keymap.rows(*scope).len() + 2).sum();
    (rows + 2).saturating_sub(usize::from(help_area(model).height.saturating_sub(2)))
}

fn draw_help(model: &Model, top: usize, buf: &mut Buffer) -> bool {
    let inner = draw::frame(buf, help_area(model), "Keys", model.theme.accent);
    draw::lines(buf, inner, help_lines(model).into_iter().skip(top));
    true
}

fn draw_ending(model: &Model, held: &[String], buf: &mut Buffer) -> bool {
    let theme = &model.theme;
    let outer = centred(screen(model), 72, narrow(held.len().min(8) + 8));
    let inner = draw::frame(buf, outer, "Something is still held", theme.warning);
    let room = usize::from(inner.width);
    let mut lines: Vec<Line<'_>> = held
        .iter()
        .take(8)
        .map(|title| Line::styled(format!("• {}", truncate(title, room.saturating_sub(2))), theme.text))
        .collect();
    lines.push(Line::default());
    for (key, text) in [
        ("w", "wait until it has gone, then quit"),
        ("t", "take it back, then quit"),
        ("g", "quit now; it goes on with the next sayso"),
        ("n", "stay"),
    ] {
        lines.push(Line::from(vec![
            Span::styled(key, theme.accent),
            Span::styled(format!("  {text}"), theme.text),
        ]));
    }
    draw::lines(buf, inner, lines);
    inner.height >= 3
}
