//! The sessions of coding agents, over any tab; waiting ones come first.

use super::inbox;
use crate::inbox::door::Inbox;
use crate::inbox::{AgentSession, SessionState};
use crate::text::Visible;
use crate::tui::actions::{Action, Scope};
use crate::tui::layers::{cells, half_page, screen};
use crate::tui::layout::centred;
use crate::tui::model::{Model, Popup, Rows};
use crate::tui::{draw, words};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::terminal::Frame;

/// Columns of the box, if there is room.
const MAX_WIDTH: u16 = 100;

const LINES_PER_SESSION: u16 = 2;

#[derive(Default)]
pub struct Sessions(Rows<AgentSession>);

/// Opens the list of sessions.
pub fn show(model: &mut Model) {
    model.push(Sessions::default());
    read(model);
}

/// Reads the sessions, for the first time or again.
pub fn read(model: &mut Model) {
    let work = async |inbox: Inbox| inbox.sessions().list().await;
    model.read(work, |model, rows| {
        if let Some(Sessions(list)) = model.top_mut() {
            list.replace(rows, |session| session.id.clone());
        }
    });
}

impl Popup for Sessions {
    fn scope(&self) -> Scope {
        Scope::Menu
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        let selected = self.0.selected();
        match (action, selected) {
            (Action::Cancel, _) => return None,
            (Action::Terminal, Some(session)) => {
                let id = session.id.clone();
                model.tell(async move |inbox: Inbox| inbox.sessions().focus(&id).await);
            }
            (Action::Choose, Some(session)) => match &session.interrupt {
                Some(id) => {
                    inbox::go_to_item(model, id.to_string());
                    return None;
                }
                None => model.refuse("It has no question here · <terminal> goes to its terminal"),
            },
            (action, _) => self.0.act(action, half_page(model)),
        }
        Some(self)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let screen = screen(model);
        let count = self.0.rows.len().max(1);
        let height = cells(count).saturating_mul(LINES_PER_SESSION).saturating_add(2);
        let outer = centred(screen, screen.width.min(MAX_WIDTH), height);
        let inner = draw::frame(buf, outer, "Coding agents", model.theme.accent);
        match self.0.rows.as_slice() {
            [] if !self.0.read => draw::message(&model.theme, inner, buf, "…", ""),
            [] => {
                let next = "`sayso connect claude` sets it up for Claude Code; docs/agents.md has the others";
                draw::message(&model.theme, inner, buf, "No coding agent has reported a session", next);
            }
            rows => {
                let top = self.0.top_for(inner.height / LINES_PER_SESSION);
                for (n, session) in rows.iter().enumerate().skip(top) {
                    let y = inner.y.saturating_add(cells(n - top).saturating_mul(LINES_PER_SESSION));
                    if y.saturating_add(LINES_PER_SESSION) > inner.bottom() {
                        break;
                    }
                    let area = Rect { y, height: LINES_PER_SESSION, ..inner };
                    draw_session(model, buf, area, session);
                    if n == self.0.cursor {
                        buf.set_style(area, model.theme.selected);
                    }
                }
            }
        }
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        let mut actions = Vec::new();
        if self.0.selected().is_some_and(|session| session.interrupt.is_some()) {
            actions.push((Action::Choose, "to the card"));
        }
        if self.0.selected().is_some_and(|session| session.terminal.is_some()) {
            actions.push((Action::Terminal, "to its terminal"));
        }
        actions.push((Action::Cancel, "close"));
        actions
    }

    fn wheel(&mut self, _: &Model, by: isize) {
        self.0.step(by);
    }
}

fn draw_session(model: &Model, buf: &mut Buffer, area: Rect, session: &AgentSession) {
    let theme = &model.theme;
    let (mark, state, style): (&str, &str, Style) = match session.state {
        SessionState::Waiting => ("!", "waits for you", theme.warning),
        SessionState::Idle => ("○", "your turn", theme.text),
        SessionState::Silent => ("◌", "silent", theme.quiet),
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
        SessionState::Waiting | SessionState::Silent | SessionState::Working => session.about(),
    };
    draw::text(buf, room, area.x + 2, y, &Visible::line(&about), theme.quiet);
}
