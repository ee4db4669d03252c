//! Where a secret is kept, and how it is fetched when it is needed.
//!
//! Promises: a secret is read only when asked for, is typed so that it cannot be printed by accident, and never
//! appears in an error. What was read is remembered only to be kept out of the log and of servers' messages, never to
//! be used again.

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use thiserror::Error;

use super::inputs::Env;

/// Longer than any key or token.
const LONGEST: u64 = 64 * 1024;

/// How long a command may take. It may ask for a finger or a passphrase in its own window.
const PATIENCE: Duration = Duration::from_secs(60);

/// Shorter values are words, not keys, and would be cut out of everything.
const SHORTEST: usize = 8;

/// The secrets that were read, longest first since one may begin like another. Global because the log is.
static READ: Mutex<Vec<SecretString>> = Mutex::new(Vec::new());

/// `text` without the secrets of eight characters or more that this process has read.
pub fn without_secrets(mut text: String) -> String {
    for secret in READ.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if text.contains(secret.expose_secret()) {
            text = text.replace(secret.expose_secret(), "[secret]");
        }
    }
    text
}

/// Keeps a secret out of the log from now on. The token in `Bearer TOKEN` is one of its own.
fn remember(secret: &SecretString) {
    let whole = secret.expose_secret();
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    for text in whole.strip_prefix("Bearer ").into_iter().chain([whole]) {
        if text.len() >= SHORTEST && read.iter().all(|known| known.expose_secret() != text) {
            let place = read.partition_point(|known| known.expose_secret().len() >= text.len());
            read.insert(place, SecretString::from(text));
        }
    }
}

/// Where a secret is kept.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "(String, String)")]
pub enum Secret {
    /// In an environment variable.
    Env(String),
    /// In the first line a command prints, run by `sh -c`.
    Command(String),
    /// In the first line of a file that only its owner may read.
    File(PathBuf),
}

impl Secret {
    /// Fetches the secret. This may run a command, so do not call it on a thread that must not block.
    pub fn read(&self, env: &Env) -> Result<SecretString, SecretError> {
        let secret = match self {
            Self::Env(name) => {
                let value = env.get(name).ok_or_else(|| SecretError::NotSet { name: name.clone() })?;
                first_line(value.as_encoded_bytes())
            }
            Self::Command(command) => first_line(&run(command)?),
            Self::File(path) => first_line(&open(path)?),
        };
        let secret = secret.ok_or_else(|| SecretError::Empty { place: self.to_string() })?;
        remember(&secret);
        Ok(secret)
    }
}

/// From how it is kept and what was written: users who paste the secret itself into `api_key_env` must not see it
/// again.
impl TryFrom<(String, String)> for Secret {
    type Error = &'static str;

    fn try_from((kind, written): (String, String)) -> Result<Self, &'static str> {
        match kind.as_str() {
            "env" if is_variable(&written) => Ok(Self::Env(written)),
            "env" => {
                Err("must be the name of an environment variable, in capitals, and not the secret itself")
            }
            "command" => Ok(Self::Command(written)),
            _ => Ok(Self::File(written.into())),
        }
    }
}

pub(super) fn is_variable(name: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_';
    name.starts_with(is_capital) && name.chars().all(|c| is_capital(c) || c.is_ascii_digit())
}

/// Says where, not what. A command is cut to its program, since its arguments may carelessly include the secret.
impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "env {name}"),
            Self::Command(command) => match command.split_whitespace().next() {
                Some(program) => write!(f, "command {program} …"),
                None => f.write_str("command"),
            },
            Self::File(path) => write!(f, "file {}", path.display()),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({self})")
    }
}

/// Why a secret could not be read. What its command printed is not repeated, since it may hold the secret.
#[derive(Debug, Error)]
pub enum SecretError {
    #[error("the environment variable {name} is not set")]
    NotSet { name: String },
    /// It is empty, or not text. `place` is where it was looked for.
    #[error("the secret ({place}) is empty or not text")]
    Empty { place: String },
    #[error("its command cannot be run ({0})")]
    Run(#[source] io::Error),
    #[error("its command failed ({0}); run it by hand to see why")]
    Failed(ExitStatus),
    #[error("its command did not end within {} seconds; run it by hand to see why", PATIENCE.as_secs())]
    Slow,
    #[error("{} cannot be read ({source})", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("others can read {}; run chmod 600 on it", path.display())]
    Exposed { path: PathBuf },
}

/// The first line, as is usual for password stores; `None` if it is empty or not text.
fn first_line(bytes: &[u8]) -> Option<SecretString> {
    let text = str::from_utf8(bytes).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty() && !line.contains(char::is_control)).then(|| SecretString::from(line))
}

fn open(path: &PathBuf) -> Result<Vec<u8>, SecretError> {
    let unreadable = |source| SecretError::Unreadable { path: path.clone(), source };
    // Checked before opening: opening a pipe would wait for its other end.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    if is_exposed(&metadata) {
        return Err(SecretError::Exposed { path: path.clone() });
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LONGEST).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn is_exposed(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 != 0
}

fn run(command: &str) -> Result<Vec<u8>, SecretError> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // A full-screen program owns the terminal; the command's complaints must not land on it.
        .stderr(Stdio::null())
        .spawn()
        .map_err(SecretError::Run)?;
    let output = child.stdout.take();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map_or(Ok(0), |output| output.take(LONGEST).read_to_end(&mut bytes));
        // Nobody listens any more if we gave up on the command.
        let _ = sender.send(read.map(|_| bytes));
    });
    let deadline = Instant::now() + PATIENCE;
    let status = wait(&mut child, deadline)?;
    if !status.success() {
        return Err(SecretError::Failed(status));
    }
    // A process the command left behind may still hold its output open, so this waits only until the deadline.
    let time_left = deadline.saturating_duration_since(Instant::now());
    receiver.recv_timeout(time_left).map_err(|_| SecretError::Slow)?.map_err(SecretError::Run)
}

fn wait(child: &mut Child, deadline: Instant) -> Result<ExitStatus, SecretError> {
    loop {
        match child.try_wait().map_err(SecretError::Run)? {
            Some(status) => return Ok(status),
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(10)),
            None => {
                // It may have ended just now; either way it is gone.
                let _ = child.kill();
                let _ = child.wait();
                return Err(SecretError::Slow);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANARY: &str = "sk-canary-7f3a";

    #[track_caller]
    fn check(secret: &Secret, expected: Result<&str, &str>) {
        let env = Env::from_iter([("THE_KEY", CANARY), ("BLANK", " \n")]);
        match (secret.read(&env), expected) {
            (Ok(read), Ok(expected)) => assert_eq!(read.expose_secret(), expected),
            (Err(error), Err(expected)) => {
                let error = error.to_string();
                assert!(error.contains(expected) && !error.contains(CANARY), "{error}");
            }
            (read, expected) => panic!("{secret}: {read:?}, not {expected:?}"),
        }
    }

    #[test]
    fn from_the_environment() {
        check(&Secret::Env("THE_KEY".into()), Ok(CANARY));
        check(&Secret::Env("OTHER".into()), Err("OTHER is not set"));
        check(&Secret::Env("BLANK".into()), Err("env BLANK) is empty"));
    }

    #[test]
    fn from_a_command() {
        check(&Secret::Command(format!("echo '  {CANARY}  '; echo login: ada")), Ok(CANARY));
        check(&Secret::Command(format!("echo {CANARY}; exit 3")), Err("failed (exit status: 3)"));
        check(&Secret::Command(format!("true {CANARY}")), Err("(command true …) is empty"));
        check(&Secret::Command(format!("printf '{CANARY}\\033[2J'")), Err("is empty or not text"));
        check(&Secret::Command("yes key".into()), Err("failed"));
    }

    #[test]
    fn from_a_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, format!("{CANARY}\r\nsecond line\n")).unwrap();
        let secret = Secret::File(path.clone());

        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        check(&secret, Err("others can read"));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        check(&secret, Ok(CANARY));
        check(&Secret::File(folder.path().join("none")), Err("cannot be read"));
        check(&Secret::File(folder.path().into()), Err("it is not a file"));
    }

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::Command(format!("echo {CANARY}"));
        assert_eq!(format!("{secret} {secret:?}"), "command echo … Secret(command echo …)");
        let read = secret.read(&Env::default()).unwrap();
        assert!(!format!("{read:?}").contains(CANARY));
    }
}
