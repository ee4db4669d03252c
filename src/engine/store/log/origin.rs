//! Where a write comes from: the user's account, the machine, the process and its terminal, and nothing more.

use serde::{Deserialize, Serialize};
use std::io::IsTerminal;
use std::sync::OnceLock;

/// A process, described for an auditor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    user: String,
    host: String,
    pid: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tty: Option<String>,
}

/// This process. It is looked up once, since nothing about it changes while it runs.
pub fn this_process() -> &'static Origin {
    static THIS_PROCESS: OnceLock<Origin> = OnceLock::new();
    THIS_PROCESS.get_or_init(|| Origin { user: user(), host: host(), pid: std::process::id(), tty: tty() })
}

/// The account's name if the machine lists it, otherwise its number. We do not trust the environment, which can say
/// anything.
fn user() -> String {
    let uid = rustix::process::getuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number == uid).then(|| name.to_owned())
    });
    name.unwrap_or(uid)
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn tty() -> Option<String> {
    if !std::io::stdin().is_terminal() {
        return None;
    }
    let device = std::fs::canonicalize("/dev/stdin").ok()?;
    Some(device.strip_prefix("/dev").unwrap_or(&device).display().to_string())
}
