//! OAuth 2 for programs on a person's own machine (RFC 8252): a browser, a one-shot listener on loopback, PKCE.
//!
//! Promised: an answer counts only with the state that was given out, compared in the same time whatever it is, and
//! only once; a code is worth nothing without the verifier, which never leaves but to the token server; tokens lie in a
//! file of mode 0600 in a folder of mode 0700 and are written whole or not at all; however many ask at once, in however
//! many processes, a token is renewed once, and whoever asked may go away meanwhile without losing it.

mod bearer;
mod listener;
mod login;
mod pkce;
mod tokens;

pub use bearer::Bearer;
pub use listener::{Answer, Callback, Listener};
pub use login::{Login, begin};
pub use pkce::{Secrets, challenge};
pub use tokens::Tokens;

/// Why there is no token; a sentence for people.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LoginError {
    /// The person has to log in, or to log in again.
    #[error("{0}")]
    Again(String),
    /// It may go better next time.
    #[error("{0}")]
    Passing(String),
    /// It will not, until somebody mends it.
    #[error("{0}")]
    Lasting(String),
}
