//! `headers`: headers sent to a server. Their values may be kept elsewhere.

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::inputs::Env;
use super::secret::{Secret, SecretError, is_variable};

/// Words in the names of headers that carry credentials; their values are kept out of the file.
const CREDENTIALS: &[&str] = &["authorization", "cookie", "api-key", "apikey", "token", "secret", "password"];

/// The value of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// Written in the config.
    Text(String),
    /// Kept elsewhere.
    Secret(Secret),
    /// A token that is kept elsewhere, after the word `Bearer`.
    Bearer(Secret),
}

/// A header as written: `Name: words`, `Name: $VARIABLE`, `Name: $(command)` or `Name: $(<file)`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct HeaderLine(pub(super) String, pub(super) Header);

/// Errors never quote a value, since it may be a secret.
impl TryFrom<String> for HeaderLine {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        let Some((name, value)) = parted(&written) else {
            return Err("must be a header such as \"X-Tenant: acme\"".to_owned());
        };
        let name = name.to_ascii_lowercase();
        let reference = match value.strip_prefix('$') {
            None if CREDENTIALS.iter().any(|word| name.contains(word)) => {
                return Err(format!(
                    "must not hold {name} itself; write $NAME for a variable, $(COMMAND) for what a command prints, \
                     or $(<FILE) for a file only you can read"
                ));
            }
            None => return Ok(Self(name, Header::Text(value.to_owned()))),
            Some(reference) => reference,
        };
        let inner = reference.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).map(str::trim);
        let secret = match inner.map(|inner| (inner, inner.strip_prefix('<').map(str::trim))) {
            Some((_, Some(path))) if !path.is_empty() => Secret::File(path.into()),
            Some((command, None)) if !command.is_empty() => Secret::Command(command.to_owned()),
            None if is_variable(reference) => Secret::Env(reference.to_owned()),
            _ => {
                return Err(format!(
                    "has a {name} whose $ is not followed by a variable's name in capitals, (COMMAND) or (<FILE)"
                ));
            }
        };
        Ok(Self(name, Header::Secret(secret)))
    }
}

fn parted(written: &str) -> Option<(&str, &str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let (name, value) = written.split_once(':').map(|(name, value)| (name.trim(), value.trim()))?;
    let is_header = !name.is_empty()
        && name.chars().all(is_name)
        && !value.is_empty()
        && !value.contains(char::is_control);
    is_header.then_some((name, value))
}

impl Header {
    /// The header's value. This may run a command, so do not call it on a thread that must not block.
    pub fn read(&self, env: &Env) -> Result<SecretString, SecretError> {
        match self {
            Self::Text(text) => Ok(SecretString::from(text.as_str())),
            Self::Secret(secret) => secret.read(env),
            Self::Bearer(secret) => {
                secret.read(env).map(|token| SecretString::from(format!("Bearer {}", token.expose_secret())))
            }
        }
    }
}
