//! Every proposal is made here, so that the text shown, hashed and executed is the same.

use crate::graph::{Interrupt, Kind};
use crate::text::Visible;
use serde_json::Value;

/// An interrupt whose action and arguments, wherever they come from, contain nothing invisible.
pub fn proposal(key: &str, kind: Kind, action: &str, args: &Value, title: &str) -> Interrupt {
    let action = Visible::line(action).into_string();
    let mut interrupt = Interrupt::new(key, kind, action, Visible::json(args));
    interrupt.title = Visible::line(title).into_string();
    interrupt
}
