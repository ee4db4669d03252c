//! The tabs: what each of them lists, draws and does.

pub mod activity;
pub mod inbox;
pub mod memory;
pub mod page;
pub mod pane;
pub mod quit;
mod rows;
pub mod sessions;
pub mod start;
pub mod threads;
