//! `memory`: shapes, names, edits, pins and versions.

use crate::runner::{Cli, keys};
use crate::terminal::Terminal;
use sayso::engine::store::{MemoryCause, Store};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const VIEW: &str = "namespace version profile updated_at cause pinned";
const VERSION: &str = "namespace version profile updated_at cause";
const TONE: &str = "email_assistant/response_preferences";

fn taught() -> Cli {
    let cli = Cli::new();
    let store = Store::open(&cli.data()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (name, read, text) in
        [(TONE, 0, "Be brief."), (TONE, 1, "Be brief.\nSay thanks.\n"), ("b/cal", 0, "Mornings.")]
    {
        let cause = MemoryCause { kind: "answer".to_owned(), thread: None, interrupt: None };
        runtime.block_on(store.memory().remember(name.to_owned(), read, text.to_owned(), cause)).unwrap();
    }
    cli
}

#[test]
fn profiles_are_listed_shown_and_told_by_version() {
    let cli = taught();
    assert!(Cli::new().sayso(&["memory", "list"]).done().contains("Nothing has been learned yet"));
    let listed = cli.json(&["memory", "list"]);
    assert_eq!(listed[1]["namespace"], TONE);
    assert!(cli.sayso(&["memory", "list"]).done().contains("Be brief."));
    let shown = cli.json(&["memory", "show", "response_preferences"]);
    keys(&shown, VIEW);
    assert_eq!((&shown["version"], &shown["cause"]["kind"]), (&json!(2), &json!("answer")));
    keys(&shown["cause"], "kind thread interrupt");
    let history = cli.json(&["memory", "history", TONE]);
    keys(&history[0], VERSION);
    assert_eq!((&history[0]["version"], &history[1]["version"]), (&json!(2), &json!(1)));
    assert!(cli.sayso(&["memory", "history", "response_preferences"]).done().contains("version 1 · answer"));
    cli.refused(&["memory", "show", "nothing"], 3, "there is no memory `nothing`; `sayso memory list`");
    for verb in ["memory", "eval", "apis"] {
        // Typed alone, it tells what there is and does not call that an error.
        let output = cli.sayso(&[verb]);
        assert_eq!((output.code, output.out.as_str()), (2, ""), "{output:?}");
        assert!(output.err.contains(&format!("Usage: sayso {verb} ")), "{output:?}");
        assert!(!output.err.contains("error:") && output.err.contains("--data <DIR>"), "{output:?}");
    }
    cli.refused(&["memory", "show"], 2, "<NS|ROW>");
}

#[test]
fn a_profile_is_written_anew_from_words_a_file_or_stdin() {
    let cli = taught();
    let edit = |more: &[&str]| cli.json(&[&["memory", "edit", "cal"], more].concat());
    assert_eq!(edit(&["--text", "Afternoons."])["version"], 2);
    assert_eq!(edit(&["--text", "Afternoons."])["version"], 2, "the same again is no new version");
    std::fs::write(cli.path("new.md"), "Evenings.\n").unwrap();
    assert_eq!(edit(&["--file", "new.md"])["profile"], "Evenings.\n");
    let output = cli.sayso_with(&["memory", "edit", "cal", "--text", "-", "--json"], b"Never.\n");
    assert_eq!(serde_json::from_str::<Value>(output.done()).unwrap()["cause"]["kind"], "edit");
    assert_eq!(cli.json(&["memory", "revert", "cal", "1"])["profile"], "Mornings.");
    let none = "there is no version `9 of b/cal`; `sayso memory history`";
    cli.refused(&["memory", "revert", "cal", "9"], 3, none);
    cli.refused(&["memory", "revert", "cal", "x"], 2, "VERSION");
    cli.refused(&["memory", "edit", "cal"], 2, "an editor needs a terminal");
    cli.refused(&["memory", "edit", "cal", "--text", "  "], 2, "would be empty");
    cli.refused(&["memory", "edit", "cal", "--file", "missing.md"], 2, "missing.md cannot be read");
    cli.refused(&["memory", "edit", "cal", "--text", "a", "--file", "new.md"], 2, "cannot be used with");
}

#[test]
fn a_line_is_pinned_and_let_go() {
    let cli = taught();
    let pinned = cli.json(&["memory", "pin", "response_preferences", "thanks"]);
    keys(&pinned, VIEW);
    assert_eq!(pinned["pinned"], json!(["Say thanks."]));
    assert!(cli.sayso(&["memory", "show", TONE]).done().ends_with("Pinned:\nSay thanks.\n"));
    cli.json(&["memory", "edit", "cal", "--text", "- Mornings.\n- Never on Mondays."]);
    let dashed = cli.json(&["memory", "pin", "cal", "- Mornings."]);
    assert_eq!(dashed["pinned"], json!(["- Mornings."]));
    assert_eq!(cli.json(&["memory", "unpin", "cal", "- Mornings."])["pinned"], json!([]));
    cli.refused(&["memory", "pin", TONE, "no such line"], 2, "has no line `no such line`");
    cli.refused(&["memory", "edit", TONE, "--text", "Be brief."], 1, "the line `Say thanks.` is pinned");
    assert_eq!(cli.json(&["memory", "unpin", TONE, "1"])["pinned"], json!([]));
    assert_eq!(cli.json(&["memory", "edit", TONE, "--text", "Be brief."])["version"], 3);
}

#[test]
fn a_profile_is_written_anew_in_an_editor() {
    let cli = taught();
    let editor = cli.path("editor.sh");
    std::fs::write(&editor, "#!/bin/sh\necho 'And warm.' >> \"$1\"\n").unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o700)).unwrap();
    let editor = editor.display().to_string();
    let terminal =
        Terminal::open(&cli, &["memory", "edit", "cal"], &[("NO_COLOR", "1"), ("EDITOR", &editor)]);
    let output = terminal.ends();
    assert!(output.contains("And warm."), "{output}");
    assert_eq!(cli.json(&["memory", "show", "cal"])["profile"], "Mornings.And warm.\n");
}

#[test]
fn rows_are_set_paused_and_deleted() {
    let cli = taught();
    let row = cli.json(&["memory", "set", "News@Shop.example", "skip"]);
    keys(
        &row,
        "key answer state confirmed corrected decisions asked by_hand corrected_by applied_at applied",
    );
    assert_eq!((&row["key"], &row["answer"]), (&json!("news@shop.example"), &json!("skip")));
    assert!(
        cli.sayso(&["memory", "set", "shop.example", "lower"])
            .done()
            .contains("show mail from @shop.example lower")
    );
    let listed = cli.sayso(&["memory", "list"]);
    assert!(listed.done().contains("news@shop.example") && listed.done().contains("Be brief."));
    assert_eq!(cli.json(&["memory", "pause", "news@shop.example"])["state"], "paused");
    assert_eq!(cli.json(&["memory", "resume", "news@shop.example"])["state"], "given");
    assert!(cli.sayso(&["memory", "show", "@shop.example"]).done().contains("0 mails"));
    assert_eq!(cli.json(&["memory", "delete", "news@shop.example"]), Value::Null);
    let none = "there is no row `news@shop.example`; `sayso memory list` shows them all";
    cli.refused(&["memory", "delete", "news@shop.example"], 3, none);
    cli.refused(&["memory", "set", "everybody", "skip"], 2, "names no mail; give an address");
    cli.refused(&["memory", "set", "kind:mail", "skip"], 2, "there are kind:newsletters");
    cli.refused(&["memory", "set", "a@b.example", "hide"], 2, "ANSWER");
}
