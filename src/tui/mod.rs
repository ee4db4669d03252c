//! The inbox on the screen.
//!
//! Every event becomes a [`Msg`]; `update(model, msg)` changes the model and returns [`Cmd`]s; `perform` runs them and
//! sends their results back as messages; `view(&model, frame)` draws and changes nothing. One table of actions
//! ([`Action`], [`BINDINGS`]) feeds dispatch, footer, help, palette and `docs/keys.md`. Each tab (`tabs`) and each
//! pop-up (`layers`) keeps its state, its keys and its drawing in one place.
//!
//! Promises: nothing is decided unseen, by key repeat, by typing ahead, by paste or by mouse (see `key_guard`); every
//! way out restores the terminal; outside text reaches it only as [`crate::text::Visible`]. The screen reads no store:
//! it talks to [`crate::service::Inbox`].

mod actions;
mod card;
mod diff;
mod draw;
mod editor;
mod key;
mod key_guard;
mod layers;
mod layout;
mod model;
mod msg;
mod options;
mod own_commands;
mod perform;
mod run;
mod tabs;
mod terminal;
mod theme;
mod tour;
mod update;
mod view;
mod words;

pub use actions::{Action, BINDINGS, Binding, Keymap, Lookup, Scope};
pub use key::Key;
pub use layers::Layer;
pub use model::Model;
pub use msg::{
    Cmd, DecisionKind, Driving, Failure, HistoryPurpose, InboxResult, LoadedCard, LoadedThread, Mouse, Msg,
    Press, Seen,
};
pub use options::{Options, Startable};
pub use perform::perform;
pub use run::{RunError, run};
pub use tabs::inbox::{Filter, Group, Row, Sort};
pub use tabs::threads::review::{Review, ThreadPane};
pub use tabs::{Focus, Tab};
pub use terminal::{TerminalError, edit};
pub use theme::Colours;
pub use update::update;
pub use view::view;
