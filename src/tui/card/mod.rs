//! A card as something to scroll through.
//!
//! A [`Doc`] cuts a card into small pieces when it arrives; lines are laid out only for the pieces on the screen, so a
//! card of 50 MB scrolls like one of a page. Nothing here is cached by width: a resize costs a screen, too.

mod build;
mod doc;
mod highlight;
mod lay;
mod mail;
mod table;

pub use build::{Extra, Folds};
pub use doc::{Doc, Place};
pub use mail::link;
