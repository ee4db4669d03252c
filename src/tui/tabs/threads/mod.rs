//! The Threads tab: all threads, and one of them in five views.

mod list;
mod pane;
mod review;
mod view;

pub use list::search;
pub use pane::Threads;
pub use review::show;
