//! Turns a key into an action, and runs it.

use crate::tui::actions::Lookup;
use crate::tui::model::{Model, Press};
use crate::tui::{commands, key_guard, own_commands};

pub fn pressed(model: &mut Model, press: Press) {
    model.now = model.now.max(press.at);
    model.note.take_if(|note| note.about_key);
    key_guard::note_key(model, press);
    model.pending.push(press.key);
    let scopes = model.scopes();
    let found = model.keymap.lookup(&scopes, &model.pending);
    if found != Lookup::Prefix {
        let is_single_key = model.pending.len() == 1;
        model.pending.clear();
        match found {
            Lookup::Found(action) => commands::run(model, action, press),
            Lookup::OwnCommand(number) => own_commands::start(model, number, press),
            Lookup::Nothing if is_single_key => commands::type_key(model, press),
            Lookup::Nothing | Lookup::Prefix => {}
        }
    }
    model.last_key = Some((press.key, press.at));
    model.is_touched = true;
}
