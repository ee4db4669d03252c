//! Quitting. We ask about held decisions first; typed text is kept in any case.

use super::inbox::undo;
use crate::engine::graph::InterruptId;
use crate::inbox::{ItemLine, ItemStatus};
use crate::text::truncate;
use crate::tui::actions::{Action, Scope};
use crate::tui::layers::{cells, screen};
use crate::tui::layout::centred;
use crate::tui::model::{Driving, Job, Model, Popup};
use crate::tui::{draw, words};
use ratatui::terminal::Frame;
use ratatui::text::{Line, Span};

/// The question asked when the user quits while something is held.
struct QuitPrompt;

/// How many held items it names.
const MAX_NAMED: usize = 8;

fn held(model: &Model) -> impl Iterator<Item = &ItemLine> {
    model.inbox.list.all().iter().filter(|row| matches!(row.status, ItemStatus::Held { .. }))
}

/// Quits, or asks what to do with held decisions.
pub fn quit(model: &mut Model) {
    model.save_draft();
    // If another process drives, held decisions go on without us.
    if held(model).next().is_none() || model.driving != Driving::Ours {
        model.jobs.push(Job::Quit);
    } else {
        model.push(QuitPrompt);
    }
}

impl Popup for QuitPrompt {
    fn scope(&self) -> Scope {
        Scope::Quit
    }

    fn act(self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        match action {
            Action::Cancel => {
                model.quit_when_idle = false;
                return None;
            }
            Action::Wait => {}
            Action::TakeBack => {
                let ids = held(model).filter_map(|row| InterruptId::parse(&row.id).ok()).collect();
                undo::take_back(model, ids, String::new());
            }
            Action::GoNow => {
                model.jobs.push(Job::Quit);
                return Some(self);
            }
            _ => return Some(self),
        }
        model.quit_when_idle = true;
        None
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let theme = &model.theme;
        // What is held now: meanwhile a hold may have ended.
        let held: Vec<String> = held(model).take(MAX_NAMED).map(|row| words::line(&row.title)).collect();
        let title = if held.is_empty() { "Nothing is held any more" } else { "Something is still held" };
        let outer = centred(screen(model), 72, cells(held.len() + 8));
        let inner = draw::frame(buf, outer, title, theme.warning);
        let room = usize::from(inner.width).saturating_sub(2);
        let named = held.iter().map(|title| format!("• {}", truncate(title, room)));
        let mut lines: Vec<Line<'_>> = named.map(|title| Line::styled(title, theme.text)).collect();
        lines.push(Line::default());
        for (_, action, text) in model.keymap.rows(Scope::Quit) {
            let Some(key) = model.keymap.key_of(&[Scope::Quit], action) else { continue };
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

    fn wheel(&mut self, _: &Model, _: isize) {}
}
