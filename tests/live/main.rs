//! Real servers on loopback: Dovecot for IMAP, Exim for SMTP; and the official client of MCP. `.ci/run` installs them from Debian's packages; where
//! they cannot be had, or started because it takes root, each test says so and passes.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod dovecot;
mod exim;
mod mailbox;
mod mcp;
mod sending;
mod whole;
