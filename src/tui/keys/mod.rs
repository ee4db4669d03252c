//! Keys as people write and press them, the actions they stand for, and which key means what if the config says so.

mod action;
mod key;
mod keymap;

pub use action::Action;
pub use key::Key;
pub use keymap::{BINDINGS, Binding, Keymap, Lookup, Scope};
