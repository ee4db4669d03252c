//! A line of text: to search, to filter, to name something; and the palette, which suggests actions by name.

use super::{Layer, Popup, cells, palette, screen};
use crate::inbox::{Place, Query};
use crate::text::wrap;
use crate::tui::actions::{Action, Scope};
use crate::tui::editor::Editor;
use crate::tui::key::Key;
use crate::tui::layout::{self, centred};
use crate::tui::model::{Model, Note};
use crate::tui::msg::{Cmd, Press};
use crate::tui::tabs::inbox::{away, history, mail, menus, news};
use crate::tui::tabs::threads::{self, review};
use crate::tui::tabs::{Tab, memory, moves};
use crate::tui::{draw, words};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

/// What a line of text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// Find something in the list.
    Search,
    Narrow,
    /// Run an action by its name.
    Palette,
    /// Pipe a mail through this command.
    Pipe,
    /// Add this line to a profile.
    Line,
    /// Write a thread to this file.
    Export,
    /// Move mail to this folder.
    Folder,
    /// Snooze until this time.
    Snooze,
    /// Reword a lesson.
    Lesson,
}

#[derive(Clone, Debug)]
pub struct Prompt {
    pub ask: PromptKind,
    pub editor: Editor,
    /// The selected suggestion.
    pub cursor: usize,
    /// The names that can be typed, if there is a list of them.
    pub names: Vec<String>,
}

impl PromptKind {
    /// What a query is asked about.
    fn place(self, model: &Model) -> Place {
        match self {
            PromptKind::Search if model.tab == Tab::Threads => Place::Threads,
            PromptKind::Search if model.shows_history() => Place::Decisions,
            _ => Place::Inbox,
        }
    }

    /// The sign before the text, and the hint for an empty line.
    fn sign_and_hint(self, model: &Model) -> (&'static str, String) {
        let (sign, hint) = match self {
            PromptKind::Search => return ("/", self.place(model).hint()),
            PromptKind::Narrow => return ("\\", self.place(model).hint()),
            PromptKind::Line => ("+", "one more line for this profile"),
            PromptKind::Export => ("to ", "a file: .md to read, .json for all of it"),
            PromptKind::Folder => ("to ", "a folder"),
            PromptKind::Snooze => ("until ", "2h, fri 9:00, tomorrow 18:00, 2026-11-20"),
            PromptKind::Lesson => ("learn ", "how it should read; leave it empty to take it back"),
            PromptKind::Pipe => ("|", "a command; the mail's text is its input"),
            PromptKind::Palette => (":", "an action, or a line such as `start WORKFLOW key=value`"),
        };
        (sign, hint.to_owned())
    }
}

impl Prompt {
    pub fn new(ask: PromptKind, text: &str) -> Self {
        Self { ask, editor: Editor::line(text), cursor: 0, names: Vec::new() }
    }

    /// The names that begin with the typed text.
    fn matching(&self) -> impl Iterator<Item = &String> {
        let typed = self.editor.text().trim().to_lowercase();
        self.names.iter().filter(move |name| name.to_lowercase().starts_with(&typed))
    }

    /// Completes the typed text to a name; a whole name becomes the next one, or the one before it.
    fn complete(&mut self, forward: bool) {
        let len = self.names.len();
        let index = self.names.iter().position(|name| name == self.editor.text());
        let next = match index {
            Some(at) if forward => self.names.get((at + 1) % len),
            Some(at) => self.names.get((at + len - 1) % len),
            None => self.matching().next(),
        };
        if let Some(next) = next.cloned() {
            self.editor.set(&next);
        }
    }
}

impl Popup for Prompt {
    fn scope(&self) -> Scope {
        Scope::Prompt
    }

    fn act(model: &mut Model, action: Action, _press: Press) -> Vec<Cmd> {
        let rows = palette::suggestions(model).len();
        let Some(prompt) = Prompt::uppermost(model) else { return Vec::new() };
        match action {
            Action::Down | Action::Up if prompt.ask == PromptKind::Folder => {
                prompt.complete(action == Action::Down)
            }
            Action::Down => prompt.cursor = (prompt.cursor + 1).min(rows.saturating_sub(1)),
            Action::Up => prompt.cursor = prompt.cursor.saturating_sub(1),
            Action::Cancel => {
                let searches = prompt.ask == PromptKind::Search;
                model.layers.pop();
                if searches && model.tab == Tab::Threads {
                    return threads::end_search(model, false);
                }
            }
            Action::Choose => {
                let (ask, text) = (prompt.ask, prompt.editor.text().to_owned());
                return match ask {
                    PromptKind::Palette => palette::choose(model),
                    PromptKind::Folder => away::chose_folder(model, &text),
                    PromptKind::Snooze => menus::snooze_until(model, &text),
                    PromptKind::Lesson => {
                        model.layers.pop();
                        news::reword(model, &text)
                    }
                    PromptKind::Pipe => mail::pipe(model, &text),
                    PromptKind::Line => memory::add_line(model, &text),
                    PromptKind::Export => review::export(model, &text),
                    PromptKind::Search | PromptKind::Narrow => look_for(model, ask, &text),
                };
            }
            _ => {}
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let theme = &model.theme;
        let screen = screen(model);
        let (sign, hint) = self.ask.sign_and_hint(model);
        let area = if self.ask == PromptKind::Palette {
            let outer = centred(screen, 76, screen.height.saturating_sub(2).min(18));
            draw::frame(frame.buffer_mut(), outer, "Palette", theme.accent)
        } else {
            let row = Rect { y: screen.bottom().saturating_sub(1), height: 1.min(screen.height), ..screen };
            frame.buffer_mut().set_style(row, theme.text);
            Clear.render(row, frame.buffer_mut());
            // The prompt covers the line where messages are shown.
            let is_error = |note: &&Note| (note.is_error || note.about_key) && row.y > screen.y;
            if let Some(note) = model.note.as_ref().filter(is_error) {
                let note_lines: Vec<&str> = wrap(&note.text, usize::from(row.width).max(1)).collect();
                let height = u16::try_from(note_lines.len()).unwrap_or(u16::MAX).min(row.y - screen.y);
                let above = Rect { y: row.y - height, height, ..row };
                Clear.render(above, frame.buffer_mut());
                let lines = note_lines.into_iter().map(|line| Line::styled(line, theme.danger));
                draw::lines(frame.buffer_mut(), above, lines);
            }
            row
        };
        if area.is_empty() {
            return false;
        }
        let buf = frame.buffer_mut();
        let x = draw::text(buf, area, area.x, area.y, sign, theme.accent);
        // The end of the typed text stays visible.
        let room = usize::from(area.right().saturating_sub(x)).saturating_sub(1).max(1);
        let (lines, (row, column)) = self.editor.laid_out(room + 1);
        let typed = lines.get(row).cloned().unwrap_or_default();
        let after = draw::text(buf, area, x, area.y, &typed, theme.text);
        if !self.names.is_empty() {
            let names: Vec<String> = self.matching().map(|name| words::line(name)).collect();
            draw::sentence(buf, area, after + 1, area.y, &names.join(" · "), theme.quiet);
        } else if self.editor.text().is_empty() {
            draw::text(buf, area, after + 1, area.y, &hint, theme.quiet);
        }
        let rows = palette::suggestions(model);
        let list = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let top = layout::plain_top(0, self.cursor, list.height);
        for (y, (n, suggestion)) in (list.y..list.bottom()).zip(rows.iter().enumerate().skip(top)) {
            let line = Rect { y, height: 1, ..list };
            let end_x = draw::right(buf, line, y, &format!(" {} ", suggestion.key), theme.accent);
            let room = Rect { width: end_x.saturating_sub(line.x), ..line };
            draw::text(buf, room, line.x + 1, y, &suggestion.text, theme.text);
            if n == self.cursor {
                buf.set_style(line, theme.selected);
            }
        }
        draw::more(&model.theme, top..top + usize::from(list.height), rows.len(), list, buf);
        if rows.is_empty() && self.ask == PromptKind::Palette && list.height > 0 {
            draw::text(buf, list, list.x + 1, list.y, "There is no such action", theme.quiet);
        }
        let column = x.saturating_add(cells(column)).min(area.right().saturating_sub(1));
        frame.set_cursor_position(Position { x: column, y: area.y });
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let choose = match self.ask {
            PromptKind::Search => "search",
            PromptKind::Narrow => "filter",
            PromptKind::Palette => "do it",
            PromptKind::Folder => "move it there",
            PromptKind::Snooze => "snooze it",
            PromptKind::Pipe => "run it",
            PromptKind::Line => "add it",
            PromptKind::Lesson => "save it",
            PromptKind::Export => "write it",
        };
        let mut actions = vec![(Action::Choose, choose), (Action::Cancel, "close")];
        if !self.names.is_empty() {
            actions.insert(1, (Action::Down, "complete"));
        }
        actions
    }

    fn type_key(&mut self, key: Key) -> bool {
        let is_changed = self.editor.key(key);
        if is_changed {
            self.cursor = 0;
        }
        is_changed
    }

    fn paste(&mut self, text: &str) -> bool {
        self.editor.insert(text);
        true
    }

    /// Threads are searched while the user types.
    fn text_changed(model: &mut Model) -> Vec<Cmd> {
        match model.layer() {
            Some(Layer::Prompt(prompt)) if prompt.ask == PromptKind::Search && model.tab == Tab::Threads => {
                // A search that is not understood yet changes nothing.
                let query = Query::parse(prompt.editor.text(), Place::Threads, &model.local_time());
                query.map_or_else(|_| Vec::new(), |query| threads::search(model, query))
            }
            _ => Vec::new(),
        }
    }
}

/// Searches the list, or filters it, by the typed text; or says what was not understood.
fn look_for(model: &mut Model, ask: PromptKind, text: &str) -> Vec<Cmd> {
    let place = ask.place(model);
    let query = match Query::parse(text, place, &model.local_time()) {
        Ok(query) => query,
        Err(why) => {
            model.refuse(&why);
            return Vec::new();
        }
    };
    model.layers.pop();
    match place {
        Place::Threads => {
            let mut cmds = threads::search(model, query);
            cmds.extend(threads::end_search(model, true));
            return cmds;
        }
        Place::Decisions => return history::search(model, query),
        Place::Inbox if ask == PromptKind::Narrow => model.inbox.list.narrow_to(query, model.wall),
        Place::Inbox => {
            model.inbox.list.search = query;
            if !model.inbox.list.search.is_empty() {
                return moves::find(model, true);
            }
        }
    }
    Vec::new()
}

/// Asks for a line of text; it starts with the current search or filter, which can be changed.
pub fn ask(model: &mut Model, ask: PromptKind) -> Vec<Cmd> {
    let text = match (ask, model.tab) {
        (PromptKind::Search, Tab::Threads) => &model.threads.search.typed,
        (PromptKind::Search, Tab::Inbox) if model.shows_history() => &model.inbox.history.filter.typed,
        (PromptKind::Narrow, _) => &model.inbox.list.narrow.typed,
        _ => "",
    };
    let prompt = Prompt::new(ask, text);
    model.push(prompt);
    Vec::new()
}
