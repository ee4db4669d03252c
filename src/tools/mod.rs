//! Hands: what workflows use to reach files and servers. Each keeps to its own limits, whoever asks.
//!
//! What is not here: any knowledge of threads or of who may do what; that is decided before a tool is used.

pub mod atomic_write;
pub mod cage;
pub mod catalogue;
pub mod folder;
pub mod http;
pub mod moment;
mod open_beneath;
pub mod process;
pub mod regular_file;
pub mod sandbox;
pub mod terminal;
pub mod tree;
pub mod workbook;
