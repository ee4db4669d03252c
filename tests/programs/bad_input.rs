//! What bad input gets: a sentence, a code, and nothing lost.

use crate::runner::{Cli, captured};
use std::os::unix::ffi::OsStringExt;

#[test]
fn ids_that_lead_nowhere() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    let there_is_none = "there is no interrupt `i00000000`; `sayso list` shows what is open";
    for verb in [&["view"][..], &["accept"], &["ignore"], &["undo"]] {
        cli.refused(&[verb, &["i00000000"]].concat(), 3, there_is_none);
    }
    cli.refused(&["respond", "i00000000", "x"], 3, there_is_none);
    cli.refused(&["edit", "i00000000", "--set", "a=1"], 3, there_is_none);
    cli.refused(&["edit", "i00000000", "--args", "{}"], 3, there_is_none);
    cli.refused(&["snooze", "i00000000", "1h"], 3, there_is_none);
    cli.refused(
        &["accept", "t00000000"],
        3,
        "there is no thread `t00000000`; `sayso threads` shows them all",
    );
    cli.refused(&["accept", "nonsense!"], 3, "cannot be the id of an interrupt or a thread");
    cli.refused(&["show", "t00000000"], 3, "there is no thread");
    cli.refused(&["stop", "nonsense!"], 3, "cannot be the id of a thread");
    cli.refused(&["stop", &asked], 3, &format!("`sayso show {asked}`"));
    cli.refused(&["undo", &thread], 3, &format!("`sayso show {thread}`"));
}

#[test]
fn an_ambiguous_beginning() {
    let cli = Cli::new();
    cli.chat("tea");
    cli.chat("milk");
    cli.refused(&["accept", "i"], 2, "`i` matches 2 ids");
    cli.refused(&["show", "t"], 2, "give more letters");
    for topic in ["bread", "salt", "jam"] {
        cli.chat(topic);
    }
    cli.refused(&["accept", "i"], 2, "`i` matches 5 ids");
    cli.refused(&["accept", "i"], 2, ", …); give more letters");
}

#[test]
fn wrong_usage() {
    let cli = Cli::new();
    cli.refused(&[], 2, "`sayso list`");
    cli.refused(&["lsit"], 2, "list");
    cli.refused(&["list", "--kind", "spam"], 2, "approval");
    cli.refused(&["list", "--limit", "0"], 2, "--limit");
    cli.refused(&["list", "--kind", "result", "--snoozed"], 2, "results are not snoozed");
    cli.refused(&["threads", "--status", "lost"], 2, "abandoned");
    cli.refused(&["view"], 2, "<ID>");
    cli.refused(&["accept", "i1", "i2"], 2, "i2");
    cli.refused(&["--nope"], 2, "--nope");
    cli.refused(&["completions", "cmd"], 2, "bash");
}

#[test]
fn an_argument_that_is_not_text() {
    let cli = Cli::new();
    let bytes = std::ffi::OsString::from_vec(b"topic=\xff".to_vec());
    let output = cli.real().args(["start", "chat"]).arg(&bytes).output().unwrap();
    captured(output).refused(2, "UTF-8");
    // A folder may be called anything, though.
    let folder = cli.path("x").with_file_name(std::ffi::OsString::from_vec(b"d\xff".to_vec()));
    let output = cli.real().arg("--data").arg(&folder).args(["list", "--json"]).output().unwrap();
    assert_eq!(captured(output).done(), "[]\n");
    assert!(folder.join("sayso.db").exists());
}

#[test]
fn a_data_folder_that_cannot_be() {
    let cli = Cli::new();
    std::fs::write(cli.path("file"), "").unwrap();
    let inside = cli.path("file").join("data").display().to_string();
    cli.refused(&["list", "--data", &inside], 1, "cannot be made");
    let file = cli.path("file").display().to_string();
    cli.refused(&["list", "--data", &file], 1, "is a file, not a folder");
    std::fs::write(cli.data().join("sayso.db"), "this is a diary, not a database").unwrap();
    cli.refused(&["list"], 1, "is not a sayso database");
    cli.refused(&["--data", "", "list"], 2, "--data");
}

#[test]
fn a_config_that_cannot_be_meant() {
    let cli = Cli::new();
    cli.refused(&["list", "--config", "/nowhere/x.toml"], 2, "there is no config file /nowhere/x.toml");
    cli.refused(&["list", "--model", "oracle"], 2, "there is no model \"oracle\"");
    cli.configure("[aprovals]\nhold_seconds = 1\n");
    cli.refused(&["list"], 2, "did you mean \"approvals\"?");
    cli.refused(&["doctor"], 2, "config.toml:1");
    // What needs no config works all the same.
    assert_eq!(cli.sayso(&["man"]).code, 0);
}
