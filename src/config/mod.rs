//! What was typed (file, environment, flags) and what is meant by it.

mod inputs;
mod secret;

pub use inputs::{Env, Flags, Host, Inputs};
pub use secret::{Secret, SecretError};
