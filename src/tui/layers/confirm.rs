//! A question that only `y` answers with yes, with a page to read first.

use super::{cells, draw_keys, moved, screen, wheeled};
use crate::engine::graph::InterruptId;
use crate::inbox::ItemLine;
use crate::text::wrap;
use crate::tui::actions::{Action, Scope};
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::layout::centred;
use crate::tui::model::{Model, Popup};
use crate::tui::{draw, words};
use ratatui::layout::Rect;
use ratatui::terminal::Frame;
use ratatui::text::Line;

/// Shown if the card was decided or withdrawn while its box was open.
const GONE: &str =
    "This one is gone: it was decided elsewhere, or nobody waits for it any more. <no> closes this.";

pub struct Confirm {
    title: String,
    /// Why we ask once more.
    why: String,
    /// The question that would be decided, if it is about one.
    about: Option<InterruptId>,
    /// What happens on yes.
    then: Box<dyn FnOnce(&mut Model) + Send>,
    /// The details, to scroll through.
    page: Doc,
    /// The scroll position.
    top: ScrollPosition,
}

impl Confirm {
    pub fn new(
        title: impl Into<String>,
        why: impl Into<String>,
        page: Doc,
        then: impl FnOnce(&mut Model) + Send + 'static,
    ) -> Self {
        let (title, why, top) = (words::line(&title.into()), why.into(), ScrollPosition::default());
        Self { title, why, about: None, then: Box::new(then), page, top }
    }

    /// It says so if this question is decided or withdrawn meanwhile.
    pub fn about(self, interrupt: &InterruptId) -> Self {
        Self { about: Some(interrupt.clone()), ..self }
    }

    /// The whole box, and the part of it that shows the page.
    fn areas(&self, model: &Model) -> (Rect, Rect) {
        let screen = screen(model);
        let outer_width = screen.width.min(96);
        let room = usize::from(outer_width.saturating_sub(4)).max(1);
        let text_lines = wrap(&self.reason(model), room).count() + wrap(&self.title, room).count();
        let page_lines =
            self.page.lines(Default::default(), room, usize::from(screen.height), &model.theme).len();
        // The frame, the keys and the empty line above them; a page has an empty line above it as well.
        let other_lines = text_lines + 4 + usize::from(page_lines > 0);
        let outer = centred(screen, outer_width, cells(page_lines + other_lines));
        let other_lines = cells(other_lines);
        let inner = Rect {
            x: outer.x + 2,
            y: outer.y + 1 + cells(text_lines) + 1,
            width: outer.width.saturating_sub(4),
            height: outer.height.saturating_sub(other_lines),
        };
        (outer, inner)
    }

    /// The columns and lines that show the page.
    fn size(&self, model: &Model) -> (usize, usize) {
        let (_, page) = self.areas(model);
        (usize::from(page.width), usize::from(page.height))
    }

    /// Why we ask, or that there is nothing left to decide.
    fn reason(&self, model: &Model) -> String {
        let list = &model.inbox.list;
        let is_gone =
            |id: &InterruptId| list.complete && list.find(id.as_str()).is_none_or(ItemLine::is_decided);
        if self.about.as_ref().is_some_and(is_gone) { model.spell(GONE) } else { self.why.clone() }
    }
}

impl Popup for Confirm {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        match action {
            Action::No => return None,
            Action::Yes => {
                (self.then)(model);
                return None;
            }
            action => self.top = moved(&self.page, self.top, action, self.size(model)),
        }
        Some(self)
    }

    /// A page that fits the box does not scroll.
    fn available(&self, model: &Model, action: Action) -> Result<(), &'static str> {
        let (width, height) = self.size(model);
        let scrolls = self.page.more_below(ScrollPosition::default(), width, height);
        if scrolls || matches!(action, Action::Yes | Action::No) { Ok(()) } else { Err("") }
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let theme = &model.theme;
        let (outer, page) = self.areas(model);
        let inner = draw::frame(buf, outer, "Yes or no?", theme.warning);
        let room = usize::from(inner.width).max(1);
        let title = wrap(&self.title, room).map(|line| Line::styled(line, theme.title));
        let reason = self.reason(model);
        let why = wrap(&reason, room).map(|line| Line::styled(line, theme.text));
        draw::lines(buf, inner, title.chain(why));
        let (width, height) = (usize::from(page.width), usize::from(page.height));
        draw::lines(buf, page, self.page.lines(self.top, width, height, theme));
        if self.page.more_below(self.top, width, height) && inner.height > 2 {
            draw::right(buf, inner, inner.bottom() - 1, &model.spell("▼ <down> for more"), theme.quiet);
        }
        draw_keys(model, buf, inner, &[(Action::Yes, "yes"), (Action::No, "no")]);
        inner.width >= 16 && inner.height >= 3
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Yes, "yes"), (Action::No, "no"), (Action::Down, "scroll")]
    }

    fn wheel(&mut self, model: &Model, by: isize) {
        self.top = wheeled(&self.page, self.top, by, self.size(model));
    }
}
