//! `sayso doctor`: checks whether everything works.

use crate::app::{AuditChecked, Check, FEATURES, Health, Setup};
use crate::cli::context::{Context, check_keys};
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::{Format, Output};
use crate::config::{Config, Env};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Check the data folder and the whole database, call the model once, look at mail, servers, APIs and Python
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It exits with 1 when a check fails; the report is printed all the same.\n\nExamples:\n  \
    sayso doctor\n  \
    sayso doctor --json | jq '.[] | select(.ok | not)'\n  \
    sayso doctor --repair\n  \
    sayso doctor --audit audit-2026.jsonl"
)]
pub struct Args {
    /// Check the audit instead: that each line follows from the one before, and that an exported FILE is unchanged
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    audit: Option<Option<PathBuf>>,
    /// Rebuild every list that differs from the log
    #[arg(long, conflicts_with = "audit")]
    repair: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let config = context.config()?;
        let checks = match self.audit {
            Some(file) => audit(config, context.env(), file.as_deref()),
            None if self.repair => vec![repair(config, context.env()).await],
            None => {
                let keys = keys(&config, check_keys(&config));
                let mut checks = report(config, context.env()).await;
                checks.extend(keys);
                checks
            }
        };
        let well = checks.iter().all(|check| check.ok);
        let answer = context.format.answer(&checks, |format| text(format, &checks))?;
        Ok(answer.with_exit(if well { Exit::Done } else { Exit::Failed }))
    }
}

/// Checks everything, and creates nothing.
pub(super) async fn report(config: Config, env: &Env) -> Vec<Check> {
    let mut checks = vec![configured(&config)];
    let mut features = Vec::new();
    for feature in FEATURES {
        features.extend((feature.check)(&config, env).await);
    }
    if config.data.exists() {
        checks.extend(look(config, env));
    } else {
        let text = format!("{} does not exist yet; it is made when it is needed", config.data.display());
        checks.push(Check::good("data folder", text));
    }
    checks.extend(features);
    checks
}

/// Rebuilds the lists from the log.
async fn repair(config: Config, env: &Env) -> Check {
    let folder = config.data.display().to_string();
    if !config.data.exists() {
        return Check::bad("lists", format!("{folder} does not exist; name the folder with --data"));
    }
    let repaired = match Setup::open(config, env.clone()) {
        Ok(setup) => setup.repair().await,
        Err(error) => return Check::bad("lists", error.to_string()),
    };
    match repaired {
        Ok(differing) if differing.is_empty() => Check::good("lists", "all match the log"),
        Ok(differing) => Check::good("lists", format!("rebuilt: {}", differing.join("; "))),
        Err(error) => Check::bad("lists", error.to_string()),
    }
}

/// Checks the audit of the store, and an export of it.
fn audit(config: Config, env: &Env, file: Option<&Path>) -> Vec<Check> {
    let folder = config.data.display().to_string();
    if !config.data.exists() {
        return vec![Check::bad("audit", format!("{folder} does not exist; name the folder with --data"))];
    }
    let setup = match Setup::open(config, env.clone()) {
        Ok(setup) => setup,
        Err(error) => return vec![Check::bad("audit", error.to_string())],
    };
    let judged = |check, checked: Result<AuditChecked, String>| match checked {
        Ok(AuditChecked { lines, problems }) if problems.is_empty() => {
            Check::good(check, format!("{lines} lines, each follows from the one before it"))
        }
        Ok(AuditChecked { problems, .. }) => Check::bad(check, problems.join("; ")),
        Err(why) => Check::bad(check, why),
    };
    let mut checks = vec![judged("audit", setup.check_audit().map_err(|e| e.to_string()))];
    if let Some(file) = file {
        checks.push(judged("audit file", setup.check_export(file).map_err(|e| e.to_string())));
    }
    checks
}

fn configured(config: &Config) -> Check {
    Check::good(
        "config",
        match &config.file {
            Some(file) => format!("{} is read", file.display()),
            None => "there is none; all settings are defaults".to_owned(),
        },
    )
}

/// Checks the keys that the config sets for the screen; `None` if it sets none.
fn keys(config: &Config, checked: Result<(), String>) -> Option<Check> {
    let check = match checked {
        Ok(()) => Check::good("keys", "every key of [keys] and [[command]] has one meaning"),
        Err(why) => Check::bad("keys", why),
    };
    let sets_none = config.keys.is_empty() && config.commands.is_empty();
    (!sets_none).then_some(check)
}

fn look(config: Config, env: &Env) -> Vec<Check> {
    let folder = config.data.clone();
    let setup = match Setup::open(config, env.clone()) {
        Ok(setup) => setup,
        Err(error) => return vec![permissions(&folder), Check::bad("database", error.to_string())],
    };
    let permissions = permissions(&folder);
    let health = match setup.health() {
        Ok(health) => health,
        Err(error) => return vec![permissions, Check::bad("database", error.to_string())],
    };
    let folder = match &health.view_only {
        None => Check::good("data folder", format!("{} can be written", folder.display())),
        Some(why) => Check::bad("data folder", format!("it can only be viewed: {why}")),
    };
    let format = format!("format {}, read by SQLite {}", health.format, health.sqlite);
    let mut checks =
        vec![folder, permissions, Check::good("database", format), records(&health), driver(&health)];
    checks.extend(senders(&setup));
    checks
}

/// The server whose sender checks are trusted, for each account.
fn senders(setup: &Setup) -> Vec<Check> {
    let receivers = match setup.receivers() {
        Ok(receivers) => receivers,
        Err(error) => return vec![Check::bad("senders", error.to_string())],
    };
    let check = |(account, server): (String, Option<String>)| match server {
        Some(server) => Check::good("senders", format!("{account}: checked by {server}")),
        None => {
            let text = "not known yet which server checks them; sayso learns that as mail comes in";
            Check::good("senders", format!("{account}: {text}"))
        }
    };
    receivers.into_iter().map(check).collect()
}

/// Whether only the user can read the data.
fn permissions(folder: &Path) -> Check {
    let open_to_others = |path: &Path| {
        let mode = std::fs::metadata(path).map(|meta| meta.permissions().mode() & 0o777).unwrap_or(0);
        (mode & 0o077 != 0).then_some(mode)
    };
    if let Some(mode) = open_to_others(folder) {
        let text = format!("others can open {0} (mode {mode:o}); run chmod 700 {0}", folder.display());
        return Check::bad("permissions", text);
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"sayso.db")) {
        if let Some(mode) = open_to_others(&entry.path()) {
            let path = entry.path();
            let text = format!("others can read {0} (mode {mode:o}); run chmod 600 {0}", path.display());
            return Check::bad("permissions", text);
        }
    }
    Check::good("permissions", "only you can read it")
}

fn records(Health { verified, .. }: &Health) -> Check {
    if verified.damaged.is_empty() && !verified.differing.is_empty() {
        let text = format!("{}; `sayso doctor --repair` rebuilds the lists", verified.differing.join("; "));
        return Check::bad("records", text);
    }
    match verified.damaged.as_slice() {
        [] if verified.threads == 1 => Check::good("records", "1 thread checked, intact"),
        [] => Check::good("records", format!("{} threads checked, all intact", verified.threads)),
        damaged => {
            let text = format!("{}; restore a backup of the data folder", damaged.join("; "));
            Check::bad("records", text)
        }
    }
}

fn driver(health: &Health) -> Check {
    let who = match health.driver {
        Some(pid) => format!("process {pid} is running the threads"),
        None => "no process is running threads now".to_owned(),
    };
    let paused = if health.paused { "; everything is paused, `sayso pause --off` ends that" } else { "" };
    Check::good("driver", format!("{who}{paused}"))
}

pub(super) fn text(format: &Format, checks: &[Check]) -> String {
    let widest = checks.iter().map(|check| check.check.len()).max().unwrap_or(0);
    let line = |check: &Check| {
        let mark = match (check.ok, check.warns) {
            (false, _) => "FAIL",
            (true, true) => "warn",
            (true, false) => "ok  ",
        };
        format.wrapped(&format!("{mark}  {:widest$}  ", check.check), &check.text)
    };
    checks.iter().map(line).collect()
}
