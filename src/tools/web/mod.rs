//! HTTP to the servers in the config that hold the person's own mail, calendars and traces, and the login there; and
//! what all HTTP clients have in common.
//!
//! Promises: nothing is sent before the certificate is checked, and unencrypted only to this machine; every wait and
//! every reply is bounded; redirects are not followed, because credentials would travel along; errors distinguish what
//! surely was not sent from what may have been; tokens are in a file only the person can read, and in no error. Does
//! not handle requests that models propose (`tools::http`), and does not interpret replies.

mod client;
pub mod google;
mod http;
pub mod oauth;
mod tls;

pub use client::{Reply, WebClient, WebError, WebRequest, WebTimeouts, headers, secret};
pub use http::{build_client, retry_after, root_cause};
pub use tls::{Trust, crypto};

use crate::text::short_line;

/// A server's words, made safe and short.
pub fn safe_excerpt(text: &str) -> String {
    short_line(text.trim(), 300)
}
