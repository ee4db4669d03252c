//! Tools that workflows use to reach files and servers. Each enforces its own limits, whoever calls it.
//!
//! Knows nothing about threads or permissions; those are decided before a tool is used.

pub mod cage;
pub mod catalogue;
pub mod folder;
pub mod git;
pub mod http;
pub mod library;
pub mod moment;
mod open_beneath;
pub mod process;
pub mod regular_file;
pub mod terminal;
pub mod tree;
pub mod web;
pub mod workbook;
