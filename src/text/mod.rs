//! Text from outside, made safe to show and to prompt with.
//!
//! Promises: what a [`Visible`] holds is what a person sees and what a model is given, character for character.
//! Does not know HTML, mail, colours or screens, and imports nothing of ours.

mod emoji;
mod hidden;
mod pass;
mod visible;

pub use hidden::is_hidden;
pub use visible::{Visible, hidden_count, typed};
