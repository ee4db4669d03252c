//! The data each task is made from, and the shape of its answer.
//!
//! A workflow fills these, writes its prompt from them and puts them into
//! [`Request::facts`](super::Request::facts); the built-in model answers from them, language models from the
//! prompt. All text in them is Visible already. Fields may be added with a default, never renamed.

pub mod analyze;
pub mod ask;
pub mod docs;
pub mod email;
pub mod sheet;
