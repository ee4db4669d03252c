//! `docs` with agents whose model is scripted.

mod asking;
pub mod docs_inbox;
mod endings;
mod failing;
mod reading;
mod writing;
