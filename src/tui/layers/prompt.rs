//! A line of text: to search, to filter, to name something.

use super::{cells, screen};
use crate::text::wrap;
use crate::tui::actions::{Action, Scope};
use crate::tui::editor::Editor;
use crate::tui::model::{Model, Note, Popup};
use crate::tui::{draw, words};
use ratatui::layout::{Position, Rect};
use ratatui::terminal::Frame;
use ratatui::text::Line;

/// Takes the typed line, or says why it can't.
type TakeLine = Box<dyn Fn(&mut Model, &Prompt) -> Result<(), String> + Send>;

/// Hears what is typed so far.
type Watch = Box<dyn Fn(&mut Model, &str) + Send>;

pub struct Prompt {
    /// The sign before the text.
    sign: &'static str,
    /// What an empty line says.
    hint: String,
    /// What Enter does, for the footer.
    verb: &'static str,
    editor: Editor,
    /// The names that can be typed, if there is a list of them.
    pub names: Vec<String>,
    /// The line stays open if it can't be taken.
    then: TakeLine,
    changed: Watch,
    cancelled: Box<dyn Fn(&mut Model) + Send>,
    decides: bool,
}

impl Prompt {
    pub fn new(
        (sign, hint, verb): (&'static str, &str, &'static str),
        text: &str,
        then: impl Fn(&mut Model, &Prompt) -> Result<(), String> + Send + 'static,
    ) -> Self {
        Self {
            sign,
            hint: hint.to_owned(),
            verb,
            editor: Editor::line(text),
            names: Vec::new(),
            then: Box::new(then),
            changed: Box::new(|_, _| {}),
            cancelled: Box::new(|_| {}),
            decides: false,
        }
    }

    /// Takes the line only from a person who saw it: not typed ahead, not repeated.
    pub fn deciding(self) -> Self {
        Self { decides: true, ..self }
    }

    /// Also tells what is typed while it is being typed.
    pub fn while_typing(self, changed: impl Fn(&mut Model, &str) + Send + 'static) -> Self {
        Self { changed: Box::new(changed), ..self }
    }

    /// Also tells when it is closed without an answer.
    pub fn if_cancelled(self, cancelled: impl Fn(&mut Model) + Send + 'static) -> Self {
        Self { cancelled: Box::new(cancelled), ..self }
    }

    pub fn text(&self) -> &str {
        self.editor.text()
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

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        match action {
            Action::Down | Action::Up => self.complete(action == Action::Down),
            Action::Cancel => {
                (self.cancelled)(model);
                return None;
            }
            Action::Choose => match (self.then)(model, &self) {
                Ok(()) => return None,
                Err(why) => model.refuse(&why),
            },
            _ => {}
        }
        Some(self)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let theme = &model.theme;
        let screen = screen(model);
        let row = Rect { y: screen.bottom().saturating_sub(1), height: 1.min(screen.height), ..screen };
        frame.buffer_mut().set_style(row, theme.text);
        draw::clear(frame.buffer_mut(), row);
        // The prompt covers the line where messages are shown.
        let is_error = |note: &&Note| (note.is_error || note.about_key) && row.y > screen.y;
        if let Some(note) = model.note.as_ref().filter(is_error) {
            let note_lines: Vec<&str> = wrap(&note.text, usize::from(row.width).max(1)).collect();
            let height = u16::try_from(note_lines.len()).unwrap_or(u16::MAX).min(row.y - screen.y);
            let above = Rect { y: row.y - height, height, ..row };
            draw::clear(frame.buffer_mut(), above);
            let lines = note_lines.into_iter().map(|line| Line::styled(line, theme.danger));
            draw::lines(frame.buffer_mut(), above, lines);
        }
        if row.is_empty() {
            return false;
        }
        let hint = if self.names.is_empty() { self.hint.as_str() } else { "" };
        let after = draw_line(model, frame, row, self.sign, &self.editor, hint);
        if !self.names.is_empty() {
            let names: Vec<String> = self.matching().map(|name| words::line(name)).collect();
            draw::sentence(frame.buffer_mut(), row, after + 1, row.y, &names.join(" · "), theme.quiet);
        }
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let mut actions = vec![(Action::Choose, self.verb), (Action::Cancel, "close")];
        if !self.names.is_empty() {
            actions.insert(1, (Action::Down, "complete"));
        }
        actions
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        Some(&mut self.editor)
    }

    fn text_changed(&mut self, model: &mut Model) {
        (self.changed)(model, self.editor.text());
    }

    fn covers_note(&self) -> bool {
        true
    }

    fn choice_decides(&self) -> bool {
        self.decides
    }

    fn wheel(&mut self, _: &Model, _: isize) {}
}

/// Draws a line that is being typed: a sign, the text or a hint, and the cursor. Returns where the text ends.
pub fn draw_line(
    model: &Model,
    frame: &mut Frame<'_>,
    area: Rect,
    sign: &str,
    editor: &Editor,
    hint: &str,
) -> u16 {
    let theme = &model.theme;
    let x = draw::text(frame.buffer_mut(), area, area.x, area.y, sign, theme.accent);
    // The end of the typed text stays visible.
    let room = usize::from(area.right().saturating_sub(x)).max(2);
    let (lines, (row, column)) = editor.laid_out(room);
    let typed = lines.get(row).cloned().unwrap_or_default();
    let after = draw::text(frame.buffer_mut(), area, x, area.y, &typed, theme.text);
    if typed.is_empty() {
        draw::text(frame.buffer_mut(), area, after + 1, area.y, hint, theme.quiet);
    }
    let column = x.saturating_add(cells(column)).min(area.right().saturating_sub(1));
    frame.set_cursor_position(Position { x: column, y: area.y });
    after
}
