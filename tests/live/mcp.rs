//! The official Python SDK as a client of `sayso mcp`. `.ci/run` installs it from PyPI under `target/`; if it is not
//! available, the test says so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;

fn python() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_BIN_EXE_sayso")).ancestors().nth(2)?.to_owned();
    let python = target.join("mcp-venv/bin/python");
    let has_mcp =
        Command::new(&python).args(["-c", "import mcp"]).output().is_ok_and(|output| output.status.success());
    has_mcp.then_some(python)
}

#[test]
#[ignore = "needs the Python package mcp; .ci/run installs it"]
fn the_official_client_asks_waits_cancels_and_comes_back() {
    let Some(python) = python() else {
        eprintln!("skipped: there is no Python with the package mcp under target/mcp-venv");
        return;
    };
    let data = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/mcp_client.py");
    let output = Command::new(python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_sayso"))
        .arg(data.path().join("data"))
        .env("HOME", data.path())
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.trim_end().ends_with("all is well"), "{out}\n{err}");
}
