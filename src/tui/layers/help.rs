//! All keys, by where they mean something.

use super::{Popup, screen};
use crate::text::pad;
use crate::tui::actions::{Action, Scope};
use crate::tui::draw;
use crate::tui::layout::centred;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Press};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// All keys.
#[derive(Clone, Debug, Default)]
pub struct Help {
    /// The line at the top.
    pub top: usize,
}

impl Popup for Help {
    fn scope(&self) -> Scope {
        Scope::Menu
    }

    fn act(model: &mut Model, action: Action, _press: Press) -> Vec<Cmd> {
        match action {
            Action::Down => Self::scroll(model, 1),
            Action::Up => Self::scroll(model, -1),
            Action::PageDown => Self::scroll(model, 10),
            Action::PageUp => Self::scroll(model, -10),
            Action::Top => Self::scroll(model, isize::MIN),
            Action::Bottom => Self::scroll(model, isize::MAX),
            Action::Cancel | Action::Choose => {
                model.layers.pop();
            }
            _ => {}
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let inner = draw::frame(buf, area(model), "Keys", model.theme.accent);
        draw::lines(buf, inner, lines(model).into_iter().skip(self.top));
        true
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Cancel, "close"), (Action::Down, "scroll")]
    }

    fn scroll(model: &mut Model, by: isize) {
        let last = last_top(model);
        if let Some(help) = Self::uppermost(model) {
            help.top = help.top.saturating_add_signed(by).min(last);
        }
    }
}

fn lines(model: &Model) -> Vec<Line<'static>> {
    let theme = &model.theme;
    let mut lines =
        vec![Line::styled("Enter, Esc, mouse and paste never decide.", theme.quiet), Line::default()];
    for scope in Scope::ALL {
        lines.push(Line::styled(scope.title(), theme.title));
        for (keys, action, help) in model.keymap.rows(scope) {
            lines.push(Line::from(vec![
                Span::styled(format!("  {}", pad(&keys, 18)), theme.accent),
                Span::styled(format!(" {}", pad(help, 36)), theme.text),
                Span::styled(format!(" {}", action.name()), theme.quiet),
            ]));
        }
        lines.push(Line::default());
    }
    lines
}

fn area(model: &Model) -> Rect {
    let screen = screen(model);
    centred(screen, 84, screen.height.saturating_sub(if screen.height > 12 { 2 } else { 0 }))
}

/// How far help can be scrolled.
fn last_top(model: &Model) -> usize {
    let rows: usize = Scope::ALL.iter().map(|scope| model.keymap.rows(*scope).len() + 2).sum();
    (rows + 2).saturating_sub(usize::from(area(model).height.saturating_sub(2)))
}
