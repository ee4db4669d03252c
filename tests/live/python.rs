//! `sayso python` with the real uv, and with the real venv and pip: what they make can be caged and has all `sheet` needs.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Makes an environment with what lies in this folder, before what else is in the `PATH`, and removes it.
fn made_by(programs: &str, others: &str) {
    let programs = std::env::current_dir().unwrap().join(programs);
    if !programs.exists() {
        println!("not tried here: there is no {}", programs.display());
        return;
    }
    let path = format!("{}:{others}", programs.display());
    let home = tempfile::tempdir().unwrap();
    let sayso = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command.env("HOME", home.path()).env("PATH", &path).args(args).arg("--json");
        command.env("SAYSO_DATA", home.path().join("data")).env_remove("SAYSO_CONFIG");
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default(), text(&output.stderr))
    };
    let (made, error) = sayso(&["python"]);
    if error.contains("which needs a network") {
        println!("not tried here: {error}");
        return;
    }
    let python = made["python"].as_str().unwrap_or_else(|| panic!("{made} {error}"));
    println!("{python}");
    let folder = Path::new(made["folder"].as_str().unwrap());
    for part in ["openpyxl 3", "pandas ", "matplotlib ", folder.join("env/bin/python").to_str().unwrap()] {
        assert!(python.contains(part), "{part}: {python}");
    }
    let (report, _) = sayso(&["doctor"]);
    let check = report.as_array().unwrap().iter().find(|check| check["check"] == "python").unwrap();
    assert_eq!((&check["ok"], &check["text"]), (&true.into(), &made["python"]));
    let (removed, _) = sayso(&["python", "--remove"]);
    assert_eq!(removed["removed"], true);
    assert!(!folder.exists());
}

#[test]
#[ignore = "fetches uv's packages from PyPI"]
fn uv_makes_what_sheet_needs() {
    // uv takes no Python that lies in an environment.
    made_by("target/uv/bin", &std::env::var("PATH").unwrap());
}

#[test]
#[ignore = "fetches pip's packages from PyPI"]
fn venv_and_pip_make_what_sheet_needs() {
    made_by("target/sheet-python/bin", "");
}
