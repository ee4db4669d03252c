//! Reads again what is on the screen after something changed.

use super::inbox::{history, news, skipped};
use super::{Tab, activity, threads};
use crate::tui::layers::Layer;
use crate::tui::model::Model;
use crate::tui::msg::Cmd;

/// Reads again what the tabs show, one read at a time.
pub fn reload(model: &mut Model) -> Vec<Cmd> {
    if !model.inbox.list.complete && !model.inbox.is_glancing && model.inbox.reading {
        // The first lines are being read, and the first glance follows them.
        return Vec::new();
    }
    if model.inbox.is_glancing {
        model.inbox.glance_due = true;
        return Vec::new();
    }
    (model.inbox.is_glancing, model.inbox.glance_due) = (true, false);
    let mut cmds = vec![Cmd::Glance, Cmd::Overview, Cmd::Sources];
    let today = model.local_time().start_of_day();
    cmds.extend(today.ok().map(|today| Cmd::CostToday(today.timestamp())));
    cmds.extend(skipped::count(model));
    cmds.extend(news::look(model));
    if model.shows_running() || model.tab == Tab::Activity || model.inbox.following.is_some() {
        cmds.push(Cmd::Running);
    }
    if matches!(model.layer(), Some(Layer::Sessions(_))) {
        cmds.push(Cmd::Sessions);
    }
    if model.tab == Tab::Threads {
        cmds.extend(threads::read(model));
    }
    if model.tab == Tab::Memory {
        cmds.push(Cmd::Memory);
    }
    if model.tab == Tab::Activity {
        cmds.push(Cmd::Grants);
        cmds.extend(activity::refresh(model));
    }
    if model.shows_skipped() {
        cmds.extend(skipped::read(model));
    }
    if model.shows_history() {
        cmds.extend(history::read(model));
    }
    cmds
}
