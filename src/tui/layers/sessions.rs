//! The sessions of coding agents, over any tab; waiting ones come first.

use super::{Popup, cells, screen};
use crate::inbox::{AgentSession, SessionState};
use crate::text::Visible;
use crate::tui::actions::{Action, Scope};
use crate::tui::layout::{self, centred};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult, Press};
use crate::tui::tabs::threads::review;
use crate::tui::{draw, words};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns of the box, if there is room.
const MAX_WIDTH: u16 = 100;

const LINES_PER_SESSION: u16 = 2;

#[derive(Clone, Debug, Default)]
pub struct Sessions {
    /// `None` until they have been read.
    rows: Option<Vec<AgentSession>>,
    cursor: usize,
}

/// Opens the list of sessions.
pub fn show(model: &mut Model) -> Vec<Cmd> {
    model.push(Sessions::default());
    vec![Cmd::Sessions]
}

/// The sessions were read, for the first time or again. The cursor stays on its session.
pub fn listed(model: &mut Model, result: InboxResult<Vec<AgentSession>>) -> Vec<Cmd> {
    let Some(rows) = model.ok_or_fail(result) else { return Vec::new() };
    if let Some(list) = Sessions::uppermost(model) {
        let id = list.selected().map(|session| session.id.clone());
        let index = rows.iter().position(|session| Some(&session.id) == id.as_ref());
        list.cursor = index.unwrap_or(list.cursor).min(rows.len().saturating_sub(1));
        list.rows = Some(rows);
    }
    Vec::new()
}

/// Goes to the terminal of the agent that asks about the selected item.
pub fn focus_asker(model: &Model) -> Vec<Cmd> {
    model.selected().map(|row| Cmd::FocusAsker(row.thread.clone())).into_iter().collect()
}

impl Sessions {
    fn selected(&self) -> Option<&AgentSession> {
        self.rows.as_ref()?.get(self.cursor)
    }
}

impl Popup for Sessions {
    fn scope(&self) -> Scope {
        Scope::Menu
    }

    fn act(model: &mut Model, action: Action, _press: Press) -> Vec<Cmd> {
        let Some(list) = Sessions::uppermost(model) else { return Vec::new() };
        let last = list.rows.as_ref().map_or(0, |rows| rows.len().saturating_sub(1));
        match action {
            Action::Down => list.cursor = (list.cursor + 1).min(last),
            Action::Up => list.cursor = list.cursor.saturating_sub(1),
            Action::Top => list.cursor = 0,
            Action::Bottom => list.cursor = last,
            Action::Cancel => {
                model.layers.pop();
            }
            Action::Terminal => {
                return list
                    .selected()
                    .map(|session| Cmd::FocusSession(session.id.clone()))
                    .into_iter()
                    .collect();
            }
            Action::Choose => {
                let card = list.selected().map(|session| session.interrupt.clone());
                match card {
                    Some(Some(id)) => {
                        model.layers.pop();
                        return review::go_to_item(model, id.to_string());
                    }
                    Some(None) => model.say("It has no question here · gw goes to its terminal"),
                    None => {}
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let screen = screen(model);
        let count = self.rows.as_ref().map_or(1, |rows| rows.len().max(1));
        let height = cells(count).saturating_mul(LINES_PER_SESSION).saturating_add(2);
        let outer = centred(screen, screen.width.min(MAX_WIDTH), height);
        let inner = draw::frame(buf, outer, "Coding agents", model.theme.accent);
        match self.rows.as_deref() {
            None => draw::message(&model.theme, inner, buf, "…", ""),
            Some([]) => {
                let next = "`sayso connect claude` sets it up for Claude Code; docs/agents.md has the others";
                draw::message(&model.theme, inner, buf, "No coding agent has reported a session", next);
            }
            Some(rows) => {
                let top = layout::plain_top(0, self.cursor, inner.height / LINES_PER_SESSION);
                for (n, session) in rows.iter().enumerate().skip(top) {
                    let y = inner.y.saturating_add(cells(n - top).saturating_mul(LINES_PER_SESSION));
                    if y.saturating_add(LINES_PER_SESSION) > inner.bottom() {
                        break;
                    }
                    let area = Rect { y, height: LINES_PER_SESSION, ..inner };
                    draw_session(model, buf, area, session);
                    if n == self.cursor {
                        buf.set_style(area, model.theme.selected);
                    }
                }
            }
        }
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let mut actions = Vec::new();
        if self.selected().is_some_and(|session| session.interrupt.is_some()) {
            actions.push((Action::Choose, "to the card"));
        }
        if self.selected().is_some_and(|session| session.terminal.is_some()) {
            actions.push((Action::Terminal, "to its terminal"));
        }
        actions.push((Action::Cancel, "close"));
        actions
    }
}

fn draw_session(model: &Model, buf: &mut Buffer, area: Rect, session: &AgentSession) {
    let theme = &model.theme;
    let (mark, state, style): (&str, &str, Style) = match session.state {
        SessionState::Waiting => ("!", "waits for you", theme.warning),
        SessionState::Idle => ("○", "your turn", theme.text),
        SessionState::Working => ("●", "working", theme.good),
    };
    let since = words::age(session.since, model.wall);
    let end_x = draw::right(buf, area, area.y, &format!(" {state} · {since}"), style);
    let room = Rect { width: end_x.saturating_sub(area.x), ..area };
    let x = draw::text(buf, room, area.x, area.y, mark, style);
    let x = draw::text(buf, room, x + 1, area.y, &words::line(&session.agent_and_mode()), theme.title);
    let place = match (&session.folder, &session.branch) {
        (Some(folder), Some(branch)) => format!("{folder} ({branch})"),
        (folder, _) => folder.clone().unwrap_or_default(),
    };
    draw::text(buf, room, x + 2, area.y, &Visible::line(&place), theme.text);
    let y = area.y + 1;
    let facts = [Some(session.used()).filter(|used| !used.is_empty()), session.terminal.clone()];
    let facts = facts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let end_x = draw::right(buf, area, y, &format!(" {}", Visible::line(&facts)), theme.quiet);
    let room = Rect { width: end_x.saturating_sub(area.x), ..area };
    let about = match session.state {
        SessionState::Idle => session.prompt.clone().unwrap_or_default(),
        SessionState::Waiting | SessionState::Working => session.about(),
    };
    draw::text(buf, room, area.x + 2, y, &Visible::line(&about), theme.quiet);
}
