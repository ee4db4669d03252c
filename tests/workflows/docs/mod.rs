//! `docs` with agents whose model says what a test wants.

mod asking;
mod docs_inbox;
mod endings;
mod failing;
mod reading;
mod writing;
