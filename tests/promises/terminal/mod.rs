//! The real program in a pseudo-terminal, read by a terminal parser. Tests wait for text, never for time.

mod deciding;
mod mails;
mod memory;
mod threads;
