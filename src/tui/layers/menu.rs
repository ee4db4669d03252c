//! A list to choose from.

use super::{cells, half_page, screen};
use crate::text::{width, wrap};
use crate::tui::actions::{Action, Scope};
use crate::tui::draw;
use crate::tui::key::Key;
use crate::tui::layout::centred;
use crate::tui::model::{Job, Model, Popup, Rows};
use ratatui::layout::Rect;
use ratatui::terminal::Frame;
use ratatui::text::Line;

/// The columns for the letters that choose rows.
const LETTER_COLUMNS: usize = 3;

pub struct Menu {
    pub title: String,
    pub list: Rows<Choice>,
}

/// A row of a menu.
pub struct Choice {
    pub text: String,
    /// A letter that chooses it.
    letter: Option<char>,
    then: Then,
}

/// What choosing a row does.
enum Then {
    Do(Box<dyn FnOnce(&mut Model) + Send>),
    Copy(String),
}

impl Choice {
    pub fn new(text: impl Into<String>, then: impl FnOnce(&mut Model) + Send + 'static) -> Self {
        Self { text: text.into(), letter: None, then: Then::Do(Box::new(then)) }
    }

    /// A row that copies a text, shown in full while it is selected.
    pub fn copy(text: impl Into<String>, target: impl Into<String>) -> Self {
        Self { text: text.into(), letter: None, then: Then::Copy(target.into()) }
    }

    /// The same row, which this letter chooses from anywhere in the menu.
    pub fn on(self, letter: char) -> Self {
        Self { letter: Some(letter), ..self }
    }

    pub fn choose(self, model: &mut Model) {
        match self.then {
            Then::Do(then) => then(model),
            Then::Copy(text) => model.jobs.push(Job::Copy(text)),
        }
    }
}

impl Menu {
    /// A menu with the cursor on its first row.
    pub fn new(title: impl Into<String>, rows: Vec<Choice>) -> Self {
        Self { title: title.into(), list: rows.into() }
    }
}

impl Popup for Menu {
    fn scope(&self) -> Scope {
        Scope::Menu
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        match action {
            Action::Cancel => return None,
            Action::Copy => {
                if let Some(Choice { then: Then::Copy(text), .. }) = self.list.selected() {
                    model.jobs.push(Job::Copy(text.clone()));
                }
            }
            Action::Choose => {
                if self.list.selected().is_some() {
                    self.list.rows.swap_remove(self.list.cursor).choose(model);
                }
                return None;
            }
            action => self.list.act(action, half_page(model)),
        }
        Some(self)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let theme = &model.theme;
        let has_letters = self.list.rows.iter().any(|row| row.letter.is_some());
        let indent = if has_letters { LETTER_COLUMNS } else { 0 };
        let widest = self.list.rows.iter().map(|row| width(&row.text) + indent).max().unwrap_or(0);
        let widest = widest.max(width(&self.title)).max(24);
        // A target that was cut off in its row is shown in full below the list.
        let screen = screen(model);
        let room = (widest + 2).min(usize::from(screen.width.saturating_sub(4))).max(1);
        let below: Vec<&str> = match self.list.selected() {
            Some(Choice { text, then: Then::Copy(target), .. }) if width(text) > room => {
                wrap(target, room).take(6).collect()
            }
            _ => Vec::new(),
        };
        let outer = centred(screen, cells(widest + 6), cells(self.list.rows.len() + below.len() + 2));
        let mut inner = draw::frame(buf, outer, &self.title, theme.accent);
        let below_height = cells(below.len()).min(inner.height.saturating_sub(1));
        inner.height -= below_height;
        let below_area = Rect { y: inner.bottom(), height: below_height, ..inner };
        draw::lines(buf, below_area, below.into_iter().map(|line| Line::styled(line, theme.quiet)));
        let shown = self.list.shown(inner.height);
        for (y, (n, row)) in
            (inner.y..inner.bottom()).zip(self.list.rows.iter().enumerate().skip(shown.start))
        {
            let line = Rect { y, height: 1, ..inner };
            let letter = row.letter.map(String::from).unwrap_or_default();
            draw::text(buf, line, line.x, y, &letter, theme.accent);
            draw::text(buf, line, line.x + cells(indent), y, &row.text, theme.text);
            if n == self.list.cursor {
                buf.set_style(line, theme.selected);
            }
        }
        draw::more(&model.theme, shown, self.list.rows.len(), inner, buf);
        true
    }

    fn quick_answer(&self, _: &Model, key: Key) -> Option<String> {
        let letter = key.letter()?;
        self.list.rows.iter().any(|row| row.letter == Some(letter)).then(|| letter.to_string())
    }

    fn answer(mut self: Box<Self>, model: &mut Model, answer: &str) -> Option<Box<dyn Popup>> {
        let row =
            self.list.rows.iter().position(|row| row.letter.is_some_and(|letter| answer.starts_with(letter)));
        if let Some(row) = row {
            self.list.rows.swap_remove(row).choose(model);
        }
        None
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let copies = self.list.rows.iter().any(|row| matches!(row.then, Then::Copy(_)));
        let first = if copies { (Action::Copy, "copy") } else { (Action::Choose, "choose") };
        vec![first, (Action::Cancel, "close")]
    }

    fn wheel(&mut self, _: &Model, by: isize) {
        self.list.step(by);
    }
}
