//! The APIs of a data folder.

use crate::config::{Config, Env};
use crate::tools::catalogue::Shelf;

/// The APIs that can be asked: what is built in, and what was added to the data folder.
pub fn shelf(config: &Config, env: Env) -> Shelf {
    Shelf::new(config.data.join("apis"), config.apis.clone(), env)
}
