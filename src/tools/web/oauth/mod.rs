//! OAuth 2 for programs on a person's own machine (RFC 8252): a browser, a one-shot listener on loopback, PKCE.
//!
//! Promises: an answer counts only with the state we gave out, compared in constant time, and only once; a code is
//! worthless without the verifier, which goes only to the token server; tokens are in a file of mode 0600 in a folder
//! of mode 0700, written all or nothing; a token is renewed once, however many tasks and processes ask, and a caller
//! that goes away meanwhile does not lose it.

mod bearer;
mod listener;
mod login;
mod pkce;
mod tokens;

pub use bearer::Bearer;
pub use listener::{Callback, Listener, Redirected};
pub use login::{Login, begin};
pub use pkce::{Secrets, challenge};
pub use tokens::Tokens;

/// Why there is no token; a sentence for people.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LoginError {
    /// The person has to log in, maybe again.
    #[error("{0}")]
    LoginRequired(String),
    /// It may work next time.
    #[error("{0}")]
    Temporary(String),
    /// It will not work until somebody fixes it.
    #[error("{0}")]
    Permanent(String),
}
