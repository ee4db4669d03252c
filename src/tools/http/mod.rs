//! Sends requests only to servers the person can see.
//!
//! Promises: only http and https, only hosts from the list; a name is resolved once, all its addresses must be public,
//! and the connection goes to the address that was checked; redirects are checked like first requests; answers are
//! bounded in time and in size after decompression; no proxy, no cookies, no credentials in a URL. A private host is
//! reached only if the config names it with its port.
//!
//! Does not decide who may ask for what; a request that changes something is approved before it comes here.

mod address;
mod send;
mod target;

#[cfg(test)]
pub(crate) use super::web::{Trust, crypto};
#[cfg(test)]
pub(crate) use send::TestServer;
pub use send::{Call, Http, HttpAnswer, HttpError, Limits, Method, Resolve};
pub use target::Host;
