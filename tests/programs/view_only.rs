//! A data folder that cannot be written: reading works, writing says why not.

use crate::runner::{Cli, CliOutput, captured};
use std::process::Command;

/// Runs the program where the store's first write fails. Modes do not keep root out, so the place of the file it
/// would write first is taken by a folder.
fn viewing(cli: &Cli, args: &[&str]) -> CliOutput {
    let mut command = cli.clean(Command::new("sh"));
    command.arg("-c").arg(r#"mkdir "$SAYSO_DATA/.probe-$$" && exec "$@""#).arg("sh");
    command.arg(env!("CARGO_BIN_EXE_sayso")).args(args).env("PATH", std::env::var_os("PATH").unwrap());
    captured(command.output().unwrap())
}

#[test]
fn reading_verbs_work_and_writing_verbs_say_why_not() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    let shown = cli.json(&["list"]);
    let listed = viewing(&cli, &["list", "--json"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&listed.out).unwrap()[0]["id"], shown[0]["id"]);
    for args in [
        &["list"][..],
        &["view", &asked],
        &["threads"],
        &["threads", "--search", "tea"],
        &["show", &thread],
        &["activity"],
        &["config"],
    ] {
        assert_eq!(viewing(&cli, args).code, 0, "{args:?}");
    }
    for args in [
        &["accept", &asked][..],
        &["respond", &asked, "x"],
        &["ignore", &asked, "--wait"],
        &["snooze", &asked, "1h"],
        &["undo", &asked],
        &["stop", &thread],
        &["fork", &thread, "--step", "0"],
        &["pause"],
        &["pause", "--off"],
    ] {
        viewing(&cli, args).refused(1, "the data folder can only be viewed: ");
    }
    cli.configure("[[server]]\nname = \"lab\"\nurl = \"http://127.0.0.1:9\"\n");
    let listed = viewing(&cli, &["list"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    assert!(
        listed
            .err
            .starts_with("warning: the servers could not be checked: the data folder can only be viewed: "),
        "{listed:?}"
    );
    cli.configure("");
    let checked = viewing(&cli, &["doctor"]);
    assert!(checked.code == 1 && checked.out.contains("FAIL  data folder"), "{checked:?}");
    assert_eq!(cli.json(&["list"])[0]["id"], shown[0]["id"]);
}
