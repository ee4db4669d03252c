//! `docs` with agents whose model says what a test wants.

mod asking;
mod bureau;
mod endings;
mod failing;
mod reading;
mod writing;
