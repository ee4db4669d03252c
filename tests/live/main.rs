//! Tests with real programs: Dovecot for IMAP, Exim for SMTP, radicale for CalDAV, `langgraph dev`, coding agents, the
//! official MCP client, a small model, packages from registries, and Python with openpyxl, pandas and matplotlib; and a
//! long day in `soak`; and the shells. `.ci/run` installs them. If one is missing, or needs root to start, its tests say so and pass.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod coding_agents;
mod configured_model;
mod dovecot;
mod exim;
mod langgraph;
mod mailbox;
mod mcp;
mod packages;
mod python;
mod radicale;
mod sending;
mod sheet;
mod shells;
mod smollm;
mod soak;
mod whole;

/// How the tests themselves speak to a server here.
fn http() -> reqwest::Client {
    use sayso::tools::web::{Trust, build_client};
    build_client(std::time::Duration::from_secs(10), Trust::Machine, |builder| builder.no_proxy()).unwrap()
}
