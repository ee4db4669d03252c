//! What every HTTP client here has in common: its settings, and how its errors are read.

use reqwest::{Client, ClientBuilder, redirect};
use std::error::Error;
use std::time::Duration;

/// A client with the settings of all of them, and more by `with`. It verifies certificates, and follows no redirects,
/// because keys would travel along.
pub fn build_client(
    connect: Duration,
    with: impl Fn(ClientBuilder) -> ClientBuilder,
) -> reqwest::Result<Client> {
    let builder = || {
        let builder = Client::builder()
            .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(connect);
        with(builder)
    };
    // Building fails on a machine without root certificates; with none trusted, plain http still works.
    builder().build().or_else(|_| builder().tls_certs_only([]).build())
}

/// The innermost cause, if there is one. It does not name the URL, which may hold a secret: only the outermost error
/// does.
pub fn root_cause(error: &reqwest::Error) -> Option<String> {
    std::iter::successors(error.source(), |&cause| cause.source()).last().map(ToString::to_string)
}
