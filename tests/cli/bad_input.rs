//! What bad input gets: a sentence, a code, and nothing lost.

use crate::desk::{Desk, said};
use std::os::unix::ffi::OsStringExt;

#[test]
fn ids_that_lead_nowhere() {
    let desk = Desk::new();
    let (thread, asked) = desk.chat("tea");
    let there_is_none = "there is no interrupt `i00000000`; `sayso list` shows what is open";
    for verb in [&["view"][..], &["accept"], &["ignore"], &["undo"]] {
        desk.refused(&[verb, &["i00000000"]].concat(), 3, there_is_none);
    }
    desk.refused(&["respond", "i00000000", "x"], 3, there_is_none);
    desk.refused(&["edit", "i00000000", "--set", "a=1"], 3, there_is_none);
    desk.refused(&["edit", "i00000000", "--args", "{}"], 3, there_is_none);
    desk.refused(&["snooze", "i00000000", "1h"], 3, there_is_none);
    desk.refused(
        &["accept", "t00000000"],
        3,
        "there is no thread `t00000000`; `sayso threads` shows them all",
    );
    desk.refused(&["accept", "nonsense!"], 3, "cannot be the id of an interrupt or a thread");
    desk.refused(&["show", "t00000000"], 3, "there is no thread");
    desk.refused(&["stop", "nonsense!"], 3, "cannot be the id of a thread");
    desk.refused(&["show", &asked], 3, &format!("`sayso view {asked}`"));
    desk.refused(&["undo", &thread], 3, &format!("`sayso show {thread}`"));
}

#[test]
fn an_ambiguous_beginning() {
    let desk = Desk::new();
    desk.chat("tea");
    desk.chat("milk");
    desk.refused(&["accept", "i"], 2, "`i` is the beginning of 2 ids");
    desk.refused(&["show", "t"], 2, "give one more letter");
}

#[test]
fn wrong_usage() {
    let desk = Desk::new();
    desk.refused(&[], 2, "`sayso list`");
    desk.refused(&["lsit"], 2, "list");
    desk.refused(&["list", "--kind", "spam"], 2, "approval");
    desk.refused(&["list", "--limit", "0"], 2, "--limit");
    desk.refused(&["list", "--kind", "result", "--snoozed"], 2, "results are not snoozed");
    desk.refused(&["threads", "--status", "lost"], 2, "abandoned");
    desk.refused(&["view"], 2, "<ID>");
    desk.refused(&["accept", "i1", "i2"], 2, "i2");
    desk.refused(&["--nope"], 2, "--nope");
    desk.refused(&["completions", "cmd"], 2, "bash");
}

#[test]
fn an_argument_that_is_not_text() {
    let desk = Desk::new();
    let bytes = std::ffi::OsString::from_vec(b"topic=\xff".to_vec());
    let output = desk.real().args(["start", "chat"]).arg(&bytes).output().unwrap();
    said(output).refused(2, "UTF-8");
    // A folder may be called anything, though.
    let folder = desk.path("x").with_file_name(std::ffi::OsString::from_vec(b"d\xff".to_vec()));
    let output = desk.real().arg("--data").arg(&folder).args(["list", "--json"]).output().unwrap();
    assert_eq!(said(output).done(), "[]\n");
    assert!(folder.join("sayso.db").exists());
}

#[test]
fn a_data_folder_that_cannot_be() {
    let desk = Desk::new();
    std::fs::write(desk.path("file"), "").unwrap();
    let inside = desk.path("file").join("data").display().to_string();
    desk.refused(&["list", "--data", &inside], 1, "cannot be made");
    std::fs::write(desk.data().join("sayso.db"), "this is a diary, not a database").unwrap();
    desk.refused(&["list"], 1, "is not a sayso database");
    desk.refused(&["--data", "", "list"], 2, "--data");
}

#[test]
fn a_config_that_cannot_be_meant() {
    let desk = Desk::new();
    desk.refused(
        &["list", "--config", "/nowhere/config.toml"],
        2,
        "there is no config file /nowhere/config.toml",
    );
    desk.refused(&["list", "--model", "oracle"], 2, "there is no model \"oracle\"");
    desk.configure("[aprovals]\nhold_seconds = 1\n");
    desk.refused(&["list"], 2, "did you mean \"approvals\"?");
    desk.refused(&["doctor"], 2, "config.toml:1");
    // What needs no config works all the same.
    assert_eq!(desk.sayso(&["man"]).code, 0);
}
