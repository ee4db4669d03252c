//! The real thing: Dovecot for IMAP, Exim for SMTP, radicale for CalDAV, `langgraph dev`, coding agents, the official
//! client of MCP, a small model, and packages from registries. `.ci/run` installs them; where they cannot be had, or started because it takes root, each test says so
//! and passes.
//! The same holds for Python with openpyxl, pandas and matplotlib.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../workflows/instructions.rs"]
#[allow(dead_code)]
mod instructions;
#[path = "../support/mod.rs"]
mod support;

mod coding_agents;
mod dovecot;
mod exim;
mod langgraph;
mod mailbox;
mod mcp;
mod packages;
mod radicale;
mod sending;
mod sheet;
mod smollm;
mod whole;
