//! Names the commit that a release is built from, for `sayso --version`. A debug build is not built anew for each commit.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let commit = git(&["rev-parse", "--short=10", "HEAD"]).or_else(packaged);
    println!("cargo::rustc-env=SAYSO_COMMIT={}", commit.as_deref().unwrap_or("an unknown commit"));
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// What `cargo package` wrote down.
fn packaged() -> Option<String> {
    let info = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, hash) = info.split_once("\"sha1\": \"")?;
    Some(hash.get(..10)?.to_owned())
}
