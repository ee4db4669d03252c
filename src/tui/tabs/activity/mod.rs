//! The Activity tab: figures, running threads and grants.

pub mod grants;
mod running;
mod update;
mod view;

pub use running::{listed as running_listed, read as read_running};
pub use update::{Activity, read_overview, show_running};
