//! A list to choose from.

use super::{Popup, PromptKind, ask, cells, form, screen};
use crate::graph::ThreadId;
use crate::inbox::{DecisionRequest, GrantScope, MemoryVersion, Status};
use crate::service::{AttachedFile, Programs};
use crate::text::{width, wrap};
use crate::tui::actions::{Action, Scope};
use crate::tui::draw;
use crate::tui::layout::{self, centred};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, Press};
use crate::tui::tabs::inbox::history::{self, Place};
use crate::tui::tabs::inbox::{Group, Sort, decide, grant, mail, menus, news, skipped};
use crate::tui::tabs::threads::{self, review};
use crate::tui::tabs::{activity, memory};
use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Menu {
    pub title: String,
    /// Each row's text, and what choosing it does.
    pub rows: Vec<(String, Choice)>,
    /// The selected row.
    pub cursor: usize,
}

/// What choosing a row does.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    Sort(Sort),
    Group(Group),
    /// Snooze until this time, or wake.
    Snooze(Option<Timestamp>),
    /// Ask until when to snooze.
    SnoozeUntil,
    /// Review one's own changes before accepting them.
    AcceptEdited,
    /// Ask whether to accept the proposal without one's own changes.
    AcceptProposed(Box<DecisionRequest>),
    Start(String),
    /// List only threads with this status (or stop doing so); `None` lists all.
    Status(Option<Status>),
    /// List only threads of this workflow or server (or stop doing so).
    Workflow(String),
    /// List only threads with mail of this account (or stop doing so).
    Account(String),
    /// Ask whether the effect in doubt had this outcome.
    Settle(&'static str),
    Copy(String),
    /// Ask whether to accept and allow this much.
    Grant(GrantScope, Option<Duration>, bool),
    /// Ask whether to accept and let the agent remember the offer with this index.
    Remember(usize),
    /// Ask whether to give the mail of this thread, with this title, this class.
    Reclassify(ThreadId, String, String),
    /// Ask what to do with an attachment.
    Attached(ThreadId, Box<AttachedFile>),
    /// Save an attachment, by its number.
    SaveAttached(ThreadId, usize),
    /// Open an attachment, by its number.
    OpenAttached(ThreadId, usize),
    /// Pin or unpin this line of a profile.
    Pin(String, String, bool),
    /// Ask whether to go back to this version; the text is the current profile.
    Revert(Box<(MemoryVersion, String)>),
    /// Take back the last lesson.
    DropLesson,
    /// Ask how to reword the last lesson.
    NarrowLesson,
    /// Go to the grant or lesson behind a decision.
    GoTo(Place),
    /// Ask whether to prune threads that have been idle for this many days.
    Prune(i64),
}

impl Menu {
    /// A menu with the cursor on its first row.
    pub fn new(title: impl Into<String>, rows: Vec<(String, Choice)>) -> Self {
        Self { title: title.into(), rows, cursor: 0 }
    }
}

impl Popup for Menu {
    fn scope(&self) -> Scope {
        Scope::Menu
    }

    fn act(model: &mut Model, action: Action, _press: Press) -> Vec<Cmd> {
        let Some(menu) = Menu::uppermost(model) else { return Vec::new() };
        let last = menu.rows.len().saturating_sub(1);
        match action {
            Action::Down => menu.cursor = (menu.cursor + 1).min(last),
            Action::Up => menu.cursor = menu.cursor.saturating_sub(1),
            Action::Top => menu.cursor = 0,
            Action::Bottom => menu.cursor = last,
            Action::Cancel => {
                model.layers.pop();
            }
            Action::Copy => {
                if let Some((_, Choice::Copy(text))) = menu.rows.get(menu.cursor) {
                    return vec![Cmd::Copy(text.clone())];
                }
            }
            Action::Choose => {
                let choice = menu.rows.get(menu.cursor).map(|(_, choice)| choice.clone());
                model.layers.pop();
                if let Some(choice) = choice {
                    return choose(model, choice);
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let theme = &model.theme;
        let widest = self.rows.iter().map(|(text, _)| width(text)).max().unwrap_or(0);
        let widest = widest.max(width(&self.title)).max(24);
        // A target that was cut off in its row is shown in full below the list.
        let screen = screen(model);
        let room = (widest + 2).min(usize::from(screen.width.saturating_sub(4))).max(1);
        let below: Vec<&str> = match self.rows.get(self.cursor) {
            Some((text, Choice::Copy(target))) if width(text) > room => wrap(target, room).take(6).collect(),
            _ => Vec::new(),
        };
        let outer = centred(screen, cells(widest + 6), cells(self.rows.len() + below.len() + 2));
        let mut inner = draw::frame(buf, outer, &self.title, theme.accent);
        let below_height = cells(below.len()).min(inner.height.saturating_sub(1));
        inner.height -= below_height;
        let below_area = Rect { y: inner.bottom(), height: below_height, ..inner };
        draw::lines(buf, below_area, below.into_iter().map(|line| Line::styled(line, theme.quiet)));
        let top = layout::plain_top(0, self.cursor, inner.height);
        for (y, (n, (text, _))) in (inner.y..inner.bottom()).zip(self.rows.iter().enumerate().skip(top)) {
            let line = Rect { y, height: 1, ..inner };
            draw::text(buf, line, line.x, y, text, theme.text);
            if n == self.cursor {
                buf.set_style(line, theme.selected);
            }
        }
        draw::more(&model.theme, top..top + usize::from(inner.height), self.rows.len(), inner, buf);
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let copies = self.rows.iter().any(|(_, choice)| matches!(choice, Choice::Copy(_)));
        let first = if copies { (Action::Copy, "copy") } else { (Action::Choose, "choose") };
        vec![first, (Action::Cancel, "close")]
    }
}

fn choose(model: &mut Model, choice: Choice) -> Vec<Cmd> {
    match choice {
        Choice::Sort(sort) => {
            model.inbox.list.sort = sort;
            menus::keep_order(model)
        }
        Choice::Group(group) => {
            model.inbox.list.group = group;
            menus::keep_order(model)
        }
        Choice::DropLesson => news::reword(model, ""),
        Choice::NarrowLesson => news::ask_wording(model),
        Choice::Copy(text) => vec![Cmd::Copy(text)],
        Choice::GoTo(place) => history::go_to(model, place),
        Choice::Grant(scope, lasts, session) => grant::confirm(model, scope, lasts, session),
        Choice::Remember(index) => grant::confirm_remember(model, index),
        Choice::Reclassify(thread, title, class) => skipped::confirm(model, thread, &title, class),
        Choice::Attached(thread, file) => mail::offer_attached(model, &thread, &file),
        Choice::SaveAttached(thread, n) => vec![Cmd::SaveAttached(thread, n, Programs::Refuse)],
        Choice::OpenAttached(thread, n) => vec![Cmd::OpenAttached(thread, n)],
        Choice::Pin(namespace, line, pinned) => vec![Cmd::Pin(namespace, line, pinned)],
        Choice::Revert(to) => memory::confirm_revert(model, to.0, &to.1),
        Choice::Prune(days) => activity::plan_prune(model, days),
        Choice::Start(workflow) => form::start(model, &workflow),
        Choice::Status(_) | Choice::Workflow(_) | Choice::Account(_) => threads::filter(model, choice),
        Choice::Settle(outcome) => review::ask_settle(model, outcome),
        Choice::Snooze(until) => menus::snooze(model, until),
        Choice::SnoozeUntil => ask(model, PromptKind::Snooze),
        Choice::AcceptEdited => form::review_edit(model),
        Choice::AcceptProposed(decision) => {
            decide::confirm_proposed(model, DecisionKind::Accepted, *decision)
        }
    }
}
