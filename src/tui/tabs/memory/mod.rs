//! The Memory tab: what sayso does by itself, and what was learned, version by version.

mod list;
mod profiles;
mod rows;
mod update;
mod view;

pub use list::show;
pub use profiles::remember;
pub use update::Memory;
