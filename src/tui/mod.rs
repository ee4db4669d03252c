//! The inbox on the screen.
//!
//! What happens becomes a [`Msg`]; `update(model, msg)` changes the model and gives back [`Cmd`]s; `perform` does
//! them and sends their outcome back as messages; `view(&model, frame)` draws and changes nothing. One table of keys
//! ([`BINDINGS`]) feeds dispatch, footer, help, palette and `docs/keys.md`.
//!
//! Promises: nothing is decided unseen, by repetition, by typing ahead, by paste or by mouse (see `safe`); every way
//! out restores the terminal; nothing from outside reaches it but as [`crate::text::Visible`]. The screen names no
//! workflow and reads no store: it talks to [`crate::inbox::Screen`].

mod action;
mod activity;
mod bindings;
mod card;
mod forms;
mod fuzzy;
mod key;
mod layer;
mod layout;
mod list;
mod model;
mod msg;
mod options;
mod perform;
mod query;
mod review;
mod run;
mod safe;
mod terminal;
mod theme;
mod threads;
mod update;
mod view;
mod words;

pub use action::Action;
pub use bindings::{BINDINGS, Binding, Keymap, Lookup, Scope};
pub use key::Key;
pub use layer::Layer;
pub use list::{Filter, Group, Row, Sort};
pub use model::{Focus, Model, Tab};
pub use msg::{
    Cmd, DecisionKind, Driving, Failure, InboxResult, Lines, Mouse, Msg, Past, PendingDecision, Press, Read,
    Seen,
};
pub use options::{Options, Startable};
pub use perform::perform;
pub use review::{Aspect, Review, Reviewed};
pub use run::{RunError, run};
pub use terminal::{TerminalError, edit};
pub use update::update;
pub use view::view;
