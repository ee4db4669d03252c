//! Keys as people write and press them, and which of them means what.

mod key;
mod keymap;

pub use key::Key;
pub use keymap::{Keymap, Lookup};
