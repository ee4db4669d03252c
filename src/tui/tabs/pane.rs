//! A pane: a list with a page next to it. Each tab is one, and the inbox has several.

use crate::engine::graph::ThreadId;
use crate::tui::actions::Action;
use crate::tui::layout::{self, Areas};
use crate::tui::model::{Focus, Model, Rows, Seen};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What a key does to the screen.
pub type Effect = fn(&mut Model);

/// What an action does now, or why it does nothing: a sentence, or nothing if none is worth showing.
pub type Does = Result<Effect, &'static str>;

pub fn when(can: bool, why: &'static str, effect: Effect) -> Does {
    if can { Ok(effect) } else { Err(why) }
}

/// Why there is no next match where a search leaves out what does not match.
pub const NO_NEXT_MATCH: &str = "<search> filters this list · <down> and <up> go through it";

/// The far end of a list or a page, in steps.
pub const END: isize = isize::MAX / 2;

/// The selection of a list, whatever its rows are.
pub trait Cursor {
    fn step(&mut self, by: isize);
    fn select(&mut self, row: usize);
    fn top(&mut self) -> &mut usize;
    fn keep_visible(&mut self, height: u16);
}

impl<T> Cursor for Rows<T> {
    fn step(&mut self, by: isize) {
        Rows::step(self, by);
    }

    fn select(&mut self, row: usize) {
        Rows::select(self, row);
    }

    fn top(&mut self) -> &mut usize {
        &mut self.top
    }

    fn keep_visible(&mut self, height: u16) {
        self.top = self.top_for(height);
    }
}

pub trait Pane: Sync {
    /// What an action does here; `None` if it does here what it does everywhere.
    fn does(&self, model: &Model, action: Action) -> Option<Does>;

    /// Reads what it shows. Runs when it is opened and when something changed.
    fn read(&self, _model: &mut Model) {}

    /// Reads what it shows for the first time.
    fn open(&self, model: &mut Model) {
        self.read(model);
    }

    /// Its list, if that is a plain one.
    fn list<'m>(&self, _model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        None
    }

    /// Another row was selected: reads what is shown next to it.
    fn selected(&self, _model: &mut Model) {}

    /// Moves the selection by rows.
    fn step(&self, model: &mut Model, by: isize) {
        if let Some(list) = self.list(model) {
            list.step(by);
            self.selected(model);
        }
    }

    /// Selects the row at a line of the list.
    fn click(&self, model: &mut Model, line: u16) {
        if let Some(list) = self.list(model) {
            let row = *list.top() + usize::from(line);
            list.select(row);
            self.selected(model);
        }
    }

    /// Keeps the selected row on the screen.
    fn keep_visible(&self, model: &mut Model, area: Rect) {
        if let Some(list) = self.list(model) {
            list.keep_visible(area.height);
        }
    }

    /// Removes what narrows the list, nearest first; says whether there was anything.
    fn clear(&self, _model: &mut Model) -> bool {
        false
    }

    /// Scrolls the page by lines; by [`END`] to either end.
    fn scroll(&self, _model: &mut Model, _by: isize) {}

    /// Moves to the next or previous part of what is shown.
    fn part(&self, _model: &mut Model, _forward: bool) {}

    /// Draws it, and says what a key may act on: whose card it is, and whether the end of its proposal is visible.
    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen;

    /// The actions worth showing in the footer, most important first.
    fn footer(&self, model: &Model) -> Vec<(Action, String)>;

    /// The thread of the selected row.
    fn thread(&self, model: &Model) -> Option<ThreadId>;

    /// What “why” can be asked about here: its id, its title, and the title of the answer.
    fn about(&self, _model: &Model) -> Option<(String, String, &'static str)> {
        None
    }

    /// The triaged mail that could be given another class: its thread and its title.
    fn mail(&self, _model: &Model) -> Option<(ThreadId, String)> {
        None
    }

    /// What it is filtered by, in words.
    fn filters(&self, _model: &Model) -> Vec<String> {
        Vec::new()
    }
}

/// Gives the page the focus.
pub fn open_page(model: &mut Model) {
    model.focus = Focus::Card;
}

/// Actions with their texts, for a footer.
pub fn named<const N: usize>(actions: [(Action, &str); N]) -> Vec<(Action, String)> {
    actions.map(|(action, text)| (action, text.to_owned())).to_vec()
}

/// The columns and lines of the page.
pub fn page_size(model: &Model) -> (usize, usize) {
    let Areas { card, .. } = layout::areas(model);
    (usize::from(card.width), usize::from(card.height))
}
