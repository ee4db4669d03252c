//! Text from outside, made safe to show and to prompt with.

mod visible;

pub use visible::Visible;
