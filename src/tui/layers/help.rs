//! The keys: first what can be done here, then all others, filtered by the typed text.

use super::{Popup, cells, fuzzy, screen};
use crate::text::{pad, width};
use crate::tui::actions::{Action, Scope};
use crate::tui::draw;
use crate::tui::editor::Editor;
use crate::tui::key::Key;
use crate::tui::layout::centred;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Press};
use crate::tui::words;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

/// A line has three columns: the keys, what they do, and the action's name.
const KEYS_WIDTH: usize = 18;
const NAMES_WIDTH: usize = 18;
const MIN_HELP_WIDTH: usize = 36;

#[derive(Clone, Debug)]
pub struct Help {
    pub top: usize,
    search: Editor,
}

impl Default for Help {
    fn default() -> Self {
        Self { top: 0, search: Editor::line("") }
    }
}

impl Popup for Help {
    fn scope(&self) -> Scope {
        Scope::Prompt
    }

    fn act(model: &mut Model, action: Action, _press: Press) -> Vec<Cmd> {
        match action {
            Action::Down => Self::scroll(model, 1),
            Action::Up => Self::scroll(model, -1),
            Action::PageDown => Self::scroll(model, 10),
            Action::PageUp => Self::scroll(model, -10),
            Action::Cancel | Action::Choose => {
                model.layers.pop();
            }
            _ => {}
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let theme = &model.theme;
        let buf = frame.buffer_mut();
        let inner = draw::frame(buf, area(model), "Keys", theme.accent);
        if inner.is_empty() {
            return false;
        }
        let x = draw::text(buf, inner, inner.x, inner.y, "/", theme.accent);
        let room = usize::from(inner.right().saturating_sub(x)).max(2);
        let (lines, (row, column)) = self.search.laid_out(room);
        let typed = lines.get(row).cloned().unwrap_or_default();
        let after = draw::text(buf, inner, x, inner.y, &typed, theme.text);
        if typed.is_empty() {
            draw::text(buf, inner, after + 1, inner.y, "type to search", theme.quiet);
        }
        let rest = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        let lines = self.lines(model);
        let (shown, all) = (self.top..self.top + usize::from(rest.height), lines.len());
        draw::lines(buf, rest, lines.into_iter().skip(self.top));
        draw::more(&model.theme, shown, all, rest, buf);
        let x = x.saturating_add(cells(column)).min(inner.right().saturating_sub(1));
        frame.set_cursor_position(Position { x, y: inner.y });
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Cancel, "close"), (Action::Down, "scroll")]
    }

    fn type_key(&mut self, key: Key) -> bool {
        let is_changed = self.search.key(key);
        if is_changed {
            self.top = 0;
        }
        is_changed
    }

    fn paste(&mut self, text: &str) -> bool {
        self.search.insert(text);
        true
    }

    fn scroll(model: &mut Model, by: isize) {
        let height = usize::from(area(model).height.saturating_sub(3));
        let Some(help) = Self::uppermost(model).cloned() else { return };
        let last = help.lines(model).len().saturating_sub(height);
        if let Some(shown) = Self::uppermost(model) {
            shown.top = help.top.saturating_add_signed(by).min(last);
        }
    }
}

/// Keys, what they do, and the action's name.
type Row = (String, String, &'static str);

impl Help {
    fn lines(&self, model: &Model) -> Vec<Line<'static>> {
        let theme = &model.theme;
        let typed = self.search.text().trim();
        let mut lines = Vec::new();
        let sections = sections(model);
        let help_widths = sections.iter().flat_map(|(_, rows)| rows).map(|(_, help, _)| width(help));
        let room =
            usize::from(area(model).width).saturating_sub(KEYS_WIDTH + NAMES_WIDTH + 5).max(MIN_HELP_WIDTH);
        let widest = help_widths.max().unwrap_or(0).min(room);
        for (title, rows) in sections {
            let matches_search = |(keys, help, name): &Row| {
                let words = format!("{keys} {help} {}", name.replace('_', " "));
                typed.is_empty() || fuzzy::score(&words, typed).is_some_and(|score| score > 0)
            };
            let rows: Vec<Row> = rows.into_iter().filter(matches_search).collect();
            if rows.is_empty() {
                continue;
            }
            lines.push(Line::styled(title, theme.title));
            for (keys, help, name) in rows {
                lines.push(Line::from(vec![
                    Span::styled(format!("  {}", pad(&keys, KEYS_WIDTH)), theme.accent),
                    Span::styled(format!(" {}", pad(&help, widest)), theme.text),
                    Span::styled(format!(" {name}"), theme.quiet),
                ]));
            }
            lines.push(Line::default());
        }
        if lines.is_empty() {
            lines.push(Line::styled("No key does that · : finds actions by name", theme.quiet));
        } else {
            lines.push(Line::styled("Enter, Esc, mouse and paste never decide.", theme.quiet));
        }
        lines
    }
}

/// The keys under their headings: first those that act on the selection, then the rest by scope.
fn sections(model: &Model) -> Vec<(&'static str, Vec<Row>)> {
    let scopes = model.tab_scopes().into_iter().filter(|scope| scope.is_about_selection());
    let rows = scopes.flat_map(|scope| model.keymap.rows(scope));
    let available: Vec<_> = rows.filter(|(_, action, _)| action.available(model).is_ok()).collect();
    let row = |(keys, action, help): (String, Action, &str)| (keys, help.to_owned(), action.name());
    let own_commands = model.keymap.own_commands().map(|(keys, name)| (keys, words::line(name), ""));
    let own_section = ("Your own commands, on an item", own_commands.collect());
    let others = Scope::ALL.into_iter().map(|scope| {
        let rows = model.keymap.rows(scope).into_iter().filter(|row| !available.contains(row));
        (scope.title(), rows.map(row).collect())
    });
    let others: Vec<(&str, Vec<Row>)> = others.collect();
    let available_section = ("Here", available.into_iter().map(row).collect());
    [available_section, own_section].into_iter().chain(others).collect()
}

fn area(model: &Model) -> Rect {
    let screen = screen(model);
    centred(screen, 96, screen.height.saturating_sub(if screen.height > 12 { 2 } else { 0 }))
}
