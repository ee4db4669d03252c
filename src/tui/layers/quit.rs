//! Quitting. We ask about held decisions first; typed text is kept in any case.

use super::{Popup, cells, screen};
use crate::graph::InterruptId;
use crate::inbox::ItemStatus;
use crate::text::truncate;
use crate::tui::actions::{Action, Scope};
use crate::tui::layout::centred;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Driving, Press};
use crate::tui::{draw, key_guard};
use ratatui::Frame;
use ratatui::text::{Line, Span};

/// The question asked when the user quits while something is held.
#[derive(Clone, Debug)]
pub struct QuitPrompt {
    /// The titles of the held items.
    pub held: Vec<String>,
}

/// Quits, or asks what to do with held decisions.
pub fn quit(model: &mut Model) -> Vec<Cmd> {
    let mut cmds = model.save_draft();
    let held: Vec<String> = model
        .inbox
        .list
        .all()
        .iter()
        .filter(|row| matches!(row.status, ItemStatus::Held { .. }))
        .map(|row| row.title.clone())
        .collect();
    // If another process drives, held decisions go on without us.
    if held.is_empty() || model.driving != Driving::Ours {
        cmds.push(Cmd::Quit);
    } else {
        model.push(QuitPrompt { held });
    }
    cmds
}

impl Popup for QuitPrompt {
    fn scope(&self) -> Scope {
        Scope::Quit
    }

    fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
        if action == Action::Cancel {
            model.layers.pop();
            return Vec::new();
        }
        if !key_guard::confirms(model, press) {
            model.say("Ignored: the keys came too fast");
            return Vec::new();
        }
        let held = model.inbox.list.all().iter().filter(|row| matches!(row.status, ItemStatus::Held { .. }));
        let ids: Vec<InterruptId> = held.filter_map(|row| InterruptId::parse(&row.id).ok()).collect();
        match action {
            Action::Wait => {
                model.layers.pop();
                model.quit_when_idle = true;
                model.say("Quitting as soon as nothing is held");
                Vec::new()
            }
            Action::TakeBack => {
                model.layers.pop();
                model.quit_when_idle = true;
                vec![Cmd::Undo(ids)]
            }
            Action::GoNow => vec![Cmd::Quit],
            _ => Vec::new(),
        }
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let theme = &model.theme;
        let outer = centred(screen(model), 72, cells(self.held.len().min(8) + 8));
        let inner = draw::frame(buf, outer, "Something is still held", theme.warning);
        let room = usize::from(inner.width);
        let mut lines: Vec<Line<'_>> = self
            .held
            .iter()
            .take(8)
            .map(|title| Line::styled(format!("• {}", truncate(title, room.saturating_sub(2))), theme.text))
            .collect();
        lines.push(Line::default());
        for (key, text) in [
            ("w", "wait for it to finish, then quit"),
            ("t", "take it back, then quit"),
            ("g", "quit now; it resumes when sayso next runs"),
            ("n", "stay"),
        ] {
            lines.push(Line::from(vec![
                Span::styled(key, theme.accent),
                Span::styled(format!("  {text}"), theme.text),
            ]));
        }
        draw::lines(buf, inner, lines);
        inner.height >= 3
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![
            (Action::Wait, "wait"),
            (Action::TakeBack, "take back"),
            (Action::GoNow, "quit now"),
            (Action::Cancel, "stay"),
        ]
    }
}
