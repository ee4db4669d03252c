//! The inbox on the screen.
//!
//! What happens becomes a [`Msg`]; `update(model, msg)` changes the model and gives back [`Cmd`]s; `perform` does
//! them and sends their outcome back as messages; `view(&model, frame)` draws and changes nothing. One table of actions
//! ([`Action`], [`BINDINGS`]) feeds dispatch, footer, help, palette and `docs/keys.md`. A tab (`tabs`) and what can lie
//! over one (`layers`) each have their state, what keys do to it and its drawing in one place.
//!
//! Promises: nothing is decided unseen, by repetition, by typing ahead, by paste or by mouse (see `safe`); every way
//! out restores the terminal; nothing from outside reaches it but as [`crate::text::Visible`]. The screen names no
//! workflow and reads no store: it talks to [`crate::inbox::Screen`].

mod actions;
mod card;
mod diff;
mod draw;
mod editor;
mod keys;
mod layers;
mod layout;
mod model;
mod msg;
mod options;
mod own;
mod perform;
mod run;
mod safe;
mod tabs;
mod terminal;
mod theme;
mod tour;
mod update;
mod view;
mod words;

pub use actions::{Action, BINDINGS, Binding, Scope};
pub use keys::{Key, Keymap, Lookup};
pub use layers::Layer;
pub use model::Model;
pub use msg::{
    Cmd, DecisionKind, Driving, Failure, InboxResult, Lines, Mouse, Msg, Past, Press, Read, Reviewed, Seen,
};
pub use options::{Options, Startable};
pub use perform::perform;
pub use run::{RunError, run};
pub use tabs::inbox::{Filter, Group, Row, Sort};
pub use tabs::threads::review::{Aspect, Review};
pub use tabs::{Focus, Tab};
pub use terminal::{TerminalError, edit};
pub use theme::Colours;
pub use update::update;
pub use view::view;
