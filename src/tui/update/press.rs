//! Turns a key into an action, and runs the action if it makes sense now.

use crate::tui::actions::Lookup;
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Press};
use crate::tui::{key_guard, layers, own_commands};

pub fn pressed(model: &mut Model, press: Press) -> Vec<Cmd> {
    model.now = model.now.max(press.at);
    model.note.take_if(|note| note.about_key);
    key_guard::note_key(model, press);
    model.pending.push(press.key);
    let scopes = model.scopes();
    let cmds = match model.keymap.lookup(&scopes, &model.pending) {
        Lookup::Prefix => Vec::new(),
        Lookup::Found(action) => {
            model.pending.clear();
            match action.available(model) {
                Ok(()) => action.run(model, press),
                Err(why) => {
                    if !why.is_empty() {
                        model.refuse(why);
                    }
                    Vec::new()
                }
            }
        }
        Lookup::OwnCommand(number) => {
            model.pending.clear();
            own_commands::start(model, number, press)
        }
        Lookup::Nothing => {
            let is_single_key = model.pending.len() == 1;
            model.pending.clear();
            if is_single_key { layers::type_key(model, press) } else { Vec::new() }
        }
    };
    model.last_key = Some((press.key, press.at));
    cmds
}
