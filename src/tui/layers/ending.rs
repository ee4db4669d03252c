//! Leaving. What is held is asked about first; what was typed is kept anyway.

use super::Layer;
use crate::graph::InterruptId;
use crate::inbox::Standing;
use crate::tui::keys::Action;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Driving, Press};
use crate::tui::safe;
use crate::tui::tabs::{Focus, Tab};
use crate::tui::update::data;

/// Back by one, and at the top out.
pub fn back(model: &mut Model) -> Vec<Cmd> {
    if model.focus == Focus::Card {
        model.focus = Focus::List;
    } else if model.tab != Tab::Inbox {
        model.tab = Tab::Inbox;
    } else {
        return quit(model);
    }
    Vec::new()
}

pub fn quit(model: &mut Model) -> Vec<Cmd> {
    let mut cmds = data::keep(model);
    let held: Vec<String> = model
        .list
        .all()
        .iter()
        .filter(|row| matches!(row.standing, Standing::Held { .. }))
        .map(|row| row.title.clone())
        .collect();
    // Where another process drives, what is held goes on without us.
    if held.is_empty() || model.driving != Driving::Ours {
        cmds.push(Cmd::Quit);
    } else {
        model.push(Layer::Ending(held));
    }
    cmds
}

pub fn ending(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
    if action == Action::Cancel {
        model.layers.pop();
        return Vec::new();
    }
    if !safe::confirms(model, press) {
        model.say("keys came too fast to be meant");
        return Vec::new();
    }
    let held = model.list.all().iter().filter(|row| matches!(row.standing, Standing::Held { .. }));
    let ids: Vec<InterruptId> = held.filter_map(|row| InterruptId::parse(&row.id).ok()).collect();
    match action {
        Action::Wait => {
            model.layers.pop();
            model.ending = true;
            model.say("waits for what is held, then quits");
            Vec::new()
        }
        Action::TakeBack => {
            model.layers.pop();
            model.ending = true;
            vec![Cmd::Undo(ids)]
        }
        Action::GoNow => vec![Cmd::Quit],
        _ => Vec::new(),
    }
}
