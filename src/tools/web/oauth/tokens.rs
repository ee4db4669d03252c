//! Tokens on disk.

use super::LoginError;
use crate::config::Google;
use crate::text::atomic_write::replace_private;
use crate::text::read_error_text;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The most bytes we read.
const LONGEST: u64 = 256 << 10;

/// The tokens of a login. They are never printed.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The client they belong to; another client cannot use them.
    pub client_id: String,
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Gets new access tokens.
    pub refresh_token: String,
    /// Sent with every request.
    #[serde(default)]
    pub access_token: String,
    /// When the access token expires.
    #[serde(default)]
    pub expires_at: Timestamp,
}

/// What to do if there is no usable token.
pub(super) fn log_in(login: &Google) -> String {
    format!("run `sayso auth google --account {}`", login.account)
}

impl Tokens {
    /// Loads the tokens of a login. The error says what to do.
    pub fn load(login: &Google) -> Result<Self, LoginError> {
        let path = &login.tokens;
        let permanent =
            |why: String| LoginError::Permanent(format!("the tokens in {} {why}", path.display()));
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = format!("nobody has logged in to Google for {}; {}", login.account, log_in(login));
                return Err(LoginError::LoginRequired(text));
            }
            Err(error) => return Err(permanent(format!("cannot be read: {}", read_error_text(&error)))),
        };
        let meta = file
            .metadata()
            .map_err(|error| permanent(format!("cannot be read: {}", read_error_text(&error))))?;
        if !meta.is_file() || meta.mode() & 0o077 != 0 {
            return Err(permanent("can be read by others; run chmod 600 on the file".to_owned()));
        }
        let mut bytes = Vec::new();
        let read = file.take(LONGEST).read_to_end(&mut bytes);
        read.map_err(|error| permanent(format!("cannot be read: {}", read_error_text(&error))))?;
        // An error from serde could quote a token.
        let tokens: Self = serde_json::from_slice(&bytes).map_err(|_| {
            LoginError::LoginRequired(format!(
                "the tokens in {} are damaged; {}",
                path.display(),
                log_in(login)
            ))
        })?;
        if tokens.client_id != login.client_id {
            let text =
                format!("the login of {} belongs to another client_id; {}", login.account, log_in(login));
            return Err(LoginError::LoginRequired(text));
        }
        Ok(tokens)
    }

    /// Stores them all or nothing, readable only by the person.
    pub fn save(&self, login: &Google) -> Result<(), LoginError> {
        let path = &login.tokens;
        let bytes = serde_json::to_vec(self).map_err(io::Error::other);
        bytes.and_then(|bytes| replace_private(path, &bytes)).map_err(|error| {
            LoginError::Permanent(format!("the tokens cannot be kept in {}: {error}", path.display()))
        })
    }
}

/// While held, keeps other processes from renewing the same token.
pub(super) struct Lock {
    _folder: File,
}

/// Waits until nobody else renews a token.
pub(super) fn lock(login: &Google) -> io::Result<Lock> {
    let folder = File::open(login.tokens.parent().unwrap_or(Path::new(".")))?;
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(Lock { _folder: folder })
}
