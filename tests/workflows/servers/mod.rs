//! Scripted mail servers on loopback, and everything that can go wrong with them.

mod faults;
mod imap;
mod listening;
mod trust;
