//! The keys: first what can be done here, then all others, filtered by the typed text.

use super::actions::{Action, Scope};
use super::editor::Editor;
use super::layers::{draw_line, half_page, screen};
use super::layout::centred;
use super::model::{Model, Popup};
use super::{draw, fuzzy, words};
use crate::text::{pad, width};
use ratatui::layout::Rect;
use ratatui::terminal::Frame;
use ratatui::text::{Line, Span};

/// A line has three columns: the keys, what they do, and the action's name.
const KEYS_WIDTH: usize = 18;
const NAMES_WIDTH: usize = 18;
const MIN_HELP_WIDTH: usize = 36;

pub struct Help {
    top: usize,
    search: Editor,
    /// Says whether an action makes sense in the tab below.
    available: fn(&Model, Action) -> Result<(), &'static str>,
}

impl Popup for Help {
    fn scope(&self) -> Scope {
        Scope::Prompt
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        match action {
            Action::Down => self.scroll(model, 1),
            Action::Up => self.scroll(model, -1),
            Action::PageDown => self.scroll(model, half_page(model)),
            Action::PageUp => self.scroll(model, -half_page(model)),
            Action::Cancel | Action::Choose => return None,
            _ => {}
        }
        Some(self)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let inner = draw::frame(frame.buffer_mut(), area(model), "Keys", model.theme.accent);
        if inner.is_empty() {
            return false;
        }
        draw_line(model, frame, inner, "/", &self.search, "type to search");
        let rest = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        let lines = self.lines(model);
        let (shown, all) = (self.top..self.top + usize::from(rest.height), lines.len());
        draw::lines(frame.buffer_mut(), rest, lines.into_iter().skip(self.top));
        draw::more(&model.theme, shown, all, rest, frame.buffer_mut());
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Cancel, "close"), (Action::Down, "scroll")]
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        Some(&mut self.search)
    }

    fn text_changed(&mut self, _: &mut Model) {
        self.top = 0;
    }

    fn wheel(&mut self, model: &Model, by: isize) {
        self.scroll(model, 3 * by);
    }
}

/// Keys, what they do, and the action's name.
type Row = (String, String, &'static str);

impl Help {
    pub fn new(available: fn(&Model, Action) -> Result<(), &'static str>) -> Self {
        Self { top: 0, search: Editor::line(""), available }
    }

    fn scroll(&mut self, model: &Model, by: isize) {
        let height = usize::from(area(model).height.saturating_sub(3));
        let last = self.lines(model).len().saturating_sub(height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    fn lines(&self, model: &Model) -> Vec<Line<'static>> {
        let theme = &model.theme;
        let typed = self.search.text().trim();
        let mut lines = Vec::new();
        let sections = self.sections(model);
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
            let hint = model.spell("No key does that · <palette> finds actions by name");
            lines.push(Line::styled(hint, theme.quiet));
        } else {
            lines.push(Line::styled("Enter, Esc, mouse and paste never decide.", theme.quiet));
        }
        lines
    }

    /// The keys under their headings: first those that act on the selection, then the rest by scope.
    fn sections(&self, model: &Model) -> Vec<(&'static str, Vec<Row>)> {
        let scopes = model.tab_scopes().into_iter().filter(|scope| scope.is_about_selection());
        let rows = scopes.flat_map(|scope| model.keymap.rows(scope));
        let available: Vec<_> =
            rows.filter(|(_, action, _)| (self.available)(model, *action).is_ok()).collect();
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
}

fn area(model: &Model) -> Rect {
    let screen = screen(model);
    centred(screen, 96, screen.height.saturating_sub(if screen.height > 12 { 2 } else { 0 }))
}
