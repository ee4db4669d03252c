//! Something to read.

use super::{cells, moved, screen, wheeled};
use crate::tui::actions::{Action, Scope};
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::draw;
use crate::tui::layout::centred;
use crate::tui::model::{Model, Popup};
use ratatui::layout::Rect;
use ratatui::terminal::Frame;

pub struct Page {
    pub title: String,
    pub doc: Doc,
    /// The scroll position.
    pub top: ScrollPosition,
}

impl Page {
    /// A page scrolled to its first line.
    pub fn new(title: impl Into<String>, doc: Doc) -> Self {
        Self { title: title.into(), doc, top: ScrollPosition::default() }
    }

    /// The whole box, and the area inside.
    fn areas(&self, model: &Model) -> (Rect, Rect) {
        let screen = screen(model);
        let outer_width = screen.width.min(100);
        let room = usize::from(outer_width.saturating_sub(4)).max(1);
        let page_lines =
            self.doc.lines(Default::default(), room, usize::from(screen.height), &model.theme).len();
        let outer = centred(screen, outer_width, cells(page_lines + 2));
        // The same area that `draw::frame` leaves.
        let inner = if outer.width < 6 || outer.height < 3 {
            outer
        } else {
            Rect { x: outer.x + 2, y: outer.y + 1, width: outer.width - 4, height: outer.height - 2 }
        };
        (outer, inner)
    }

    /// The columns and lines inside.
    fn size(&self, model: &Model) -> (usize, usize) {
        let (_, inner) = self.areas(model);
        (usize::from(inner.width), usize::from(inner.height))
    }
}

impl Popup for Page {
    fn scope(&self) -> Scope {
        Scope::Menu
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        if matches!(action, Action::Cancel | Action::Choose) {
            return None;
        }
        self.top = moved(&self.doc, self.top, action, self.size(model));
        Some(self)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let (outer, inner) = self.areas(model);
        draw::frame(buf, outer, &self.title, model.theme.accent);
        let (width, height) = (usize::from(inner.width), usize::from(inner.height));
        draw::lines(buf, inner, self.doc.lines(self.top, width, height, &model.theme));
        if self.doc.more_below(self.top, width, height) && outer.height > 2 {
            draw::right(
                buf,
                Rect { width: outer.width - 2, ..outer },
                outer.bottom() - 1,
                &model.spell(" ▼ <down> for more "),
                model.theme.quiet,
            );
        }
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Cancel, "close"), (Action::Down, "scroll")]
    }

    fn wheel(&mut self, model: &Model, by: isize) {
        self.top = wheeled(&self.doc, self.top, by, self.size(model));
    }
}
