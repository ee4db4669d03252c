//! The inbox on the screen.
//!
//! Every event becomes a [`Msg`]; `update(model, msg)` changes the model and returns [`Job`]s, whose callbacks change it
//! again when they end; `view(&model, frame)` draws and changes nothing. One table of actions ([`Action`], [`BINDINGS`])
//! feeds dispatch, footer, help, palette and `docs/keys.md`. A list with its page is a pane (`tabs/pane.rs`), and what
//! lies over it a pop-up (`model/popup.rs`): each keeps its keys, what they do, and its drawing in one place.
//!
//! Promises: nothing is decided unseen, by key repeat, by typing ahead, by paste or by mouse (see `key_guard`); every
//! way out restores the terminal; outside text reaches it only as [`crate::text::Visible`]. The screen reads no store:
//! it talks to [`crate::inbox::door::Inbox`].

mod actions;
mod card;
mod commands;
mod diff;
mod draw;
mod editor;
mod fuzzy;
mod help;
mod key;
mod key_guard;
mod layers;
mod layout;
mod model;
mod options;
mod own_commands;
mod palette;
mod run;
mod signs;
mod tabs;
mod terminal;
mod theme;
mod tour;
mod update;
mod view;
mod words;

pub use actions::{Action, BINDINGS, Binding, Keymap, Lookup, Scope};
pub use key::Key;
pub use layers::{Form, Menu, Prompt};
pub use model::{
    Callback, DecisionKind, Driving, Failure, Filter, Focus, InboxResult, Job, Model, Mouse, Msg, Opened,
    Popup, Press, Review, Seen, Tab, TakeText, ThreadPane,
};
pub use options::{Options, Startable};
pub use run::{RunError, run};
pub use signs::Glyphs;
pub use tabs::activity::running_listed;
pub use tabs::inbox::away::{MovedMail, moved as mails_moved};
pub use tabs::inbox::lines as lines_read;
pub use tabs::inbox::send::decide;
pub use tabs::inbox::skipped::listed as skipped_listed;
pub use tabs::start::start as start_thread;
pub use terminal::{TerminalError, check as check_terminal, edit};
pub use theme::Colours;
pub use update::{begin, update};
pub use view::view;
