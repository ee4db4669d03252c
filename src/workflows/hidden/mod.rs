//! Workflows nobody starts: they carry out what people and programs do in the inbox.

pub mod intake;
pub mod memory;
pub mod put_away;
pub mod request;
pub mod row;
