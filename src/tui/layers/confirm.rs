//! A question that only `y` answers with yes, with a page to read first.

use super::{Layer, Popup, cells, draw_keys, form, screen};
use crate::inbox::{DecisionRequest, GrantRequest, PruneQuery};
use crate::text::wrap;
use crate::tui::actions::{Action, Scope};
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::layout::centred;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, Press};
use crate::tui::tabs::activity;
use crate::tui::tabs::inbox::{Row, decide};
use crate::tui::{draw, key_guard};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Shown if the card was decided or withdrawn while its box was open.
const GONE: &str =
    "This one is gone: it was decided elsewhere, or nobody waits for it any more. n closes this.";

/// A question that only `y` answers with yes.
#[derive(Clone, Debug)]
pub struct Confirm {
    pub title: String,
    /// Why we ask once more.
    pub why: String,
    pub then: OnConfirm,
    /// The details, to scroll through.
    pub page: Doc,
    /// The scroll position.
    pub top: ScrollPosition,
}

/// What happens once it is confirmed.
#[derive(Clone, Debug, PartialEq)]
pub enum OnConfirm {
    Decide(DecisionKind, DecisionRequest),
    /// Takes a decision and allows more of the same.
    Grant(DecisionRequest, GrantRequest),
    /// Takes a decision and tells the agent to remember the offer with this index.
    Remember(DecisionRequest, usize),
    Prune(PruneQuery),
    Do(Cmd),
}

impl Confirm {
    pub fn new(title: impl Into<String>, why: impl Into<String>, page: Doc, then: OnConfirm) -> Self {
        Self { title: title.into(), why: why.into(), then, page, top: ScrollPosition::default() }
    }

    /// The whole box, and the part of it that shows the page.
    fn areas(&self, model: &Model) -> (Rect, Rect) {
        let screen = screen(model);
        let outer_width = screen.width.min(96);
        let room = usize::from(outer_width.saturating_sub(4)).max(1);
        let text_lines = wrap(self.reason(model), room).count() + wrap(&self.title, room).count();
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

    /// Whether the page is longer than the box.
    pub fn scrolls(&self, model: &Model) -> bool {
        let (_, page) = self.areas(model);
        self.page.more_below(ScrollPosition::default(), usize::from(page.width), usize::from(page.height))
    }

    /// Why we ask, or that there is nothing left to decide.
    fn reason(&self, model: &Model) -> &str {
        let interrupt = match &self.then {
            OnConfirm::Decide(_, decision)
            | OnConfirm::Grant(decision, _)
            | OnConfirm::Remember(decision, _) => decision.interrupt.to_string(),
            OnConfirm::Prune(_) | OnConfirm::Do(_) => return &self.why,
        };
        let list = &model.inbox.list;
        let is_gone = list.complete && list.find(&interrupt).is_none_or(Row::is_decided);
        if is_gone { GONE } else { &self.why }
    }
}

impl Popup for Confirm {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
        let Some(Layer::Confirm(confirm)) = model.layer() else { return Vec::new() };
        let (_, page) = confirm.areas(model);
        let (width, height) = (usize::from(page.width), usize::from(page.height));
        let Some(confirm) = Confirm::uppermost(model) else { return Vec::new() };
        match action {
            Action::Down => confirm.top = confirm.page.down(confirm.top, 1, width, height),
            Action::Up => confirm.top = confirm.page.up(confirm.top, 1, width),
            Action::No => {
                model.layers.pop();
            }
            Action::Yes => {
                if !key_guard::confirms(model, press) {
                    model.say("Ignored: the keys came too fast");
                    return Vec::new();
                }
                let Some((_, Layer::Confirm(confirm))) = model.layers.pop() else { return Vec::new() };
                // The form below a review is finished as well.
                let mut cmds = match model.layer() {
                    Some(Layer::Form(_)) => form::leave(model),
                    _ => Vec::new(),
                };
                cmds.extend(match confirm.then {
                    OnConfirm::Decide(kind, decision) => decide::send(model, kind, decision),
                    OnConfirm::Grant(decision, request) => {
                        model.deciding.insert(decision.interrupt.to_string());
                        vec![Cmd::Grant(decision, request)]
                    }
                    OnConfirm::Remember(decision, index) => {
                        model.deciding.insert(decision.interrupt.to_string());
                        vec![Cmd::AcceptRemembering(decision, index)]
                    }
                    OnConfirm::Do(cmd) => vec![cmd],
                    OnConfirm::Prune(query) => activity::prune(model, query),
                });
                return cmds;
            }
            _ => {}
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let theme = &model.theme;
        let (outer, page) = self.areas(model);
        let inner = draw::frame(buf, outer, "Yes or no?", theme.warning);
        let room = usize::from(inner.width).max(1);
        let title = wrap(&self.title, room).map(|line| Line::styled(line, theme.title));
        let why = wrap(self.reason(model), room).map(|line| Line::styled(line, theme.text));
        draw::lines(buf, inner, title.chain(why));
        let (width, height) = (usize::from(page.width), usize::from(page.height));
        draw::lines(buf, page, self.page.lines(self.top, width, height, theme));
        if self.page.more_below(self.top, width, height) && inner.height > 2 {
            draw::right(buf, inner, inner.bottom() - 1, "▼ j for more", theme.quiet);
        }
        draw_keys(model, buf, inner, &[("y", "yes"), ("n", "no")]);
        inner.width >= 16 && inner.height >= 3
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Yes, "yes"), (Action::No, "no"), (Action::Down, "scroll")]
    }
}
