//! HTTP to the servers of the config that hold the person's own mail, calendars and traces, and the login there.
//!
//! Promised: nothing is said before the certificate is checked, and in the clear only to this machine; every wait and
//! every reply has a bound; redirects are not followed, for what shows who comes would travel along; an error tells
//! apart what surely did not leave from what may have; tokens lie in a file only the person can read and are in no
//! error. What is not here: requests that models propose (`tools::http`), and what the replies mean.

mod client;
pub mod google;
pub mod oauth;

pub use client::{Ask, Reply, Wait, Web, WebError, secret};

use crate::text::{Visible, truncate};

/// Something a server said, safe and short.
pub fn said(text: &str) -> String {
    truncate(&Visible::line(text.trim()), 300).into_owned()
}
