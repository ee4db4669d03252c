//! T09: whatever comes from outside, no terminal escape comes out.

use crate::runner::{Cli, CliOutput, texts};
use sayso::text::is_hidden;

const EVIL: &str = "topic=\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}\u{200b}evil\r\nforged\u{e0041}";

#[track_caller]
fn harmless(output: &CliOutput) {
    for text in [&output.out, &output.err] {
        let bad = text.chars().find(|c| is_hidden(*c) && !matches!(c, '\n' | '\t'));
        assert_eq!(bad, None, "{output:?}");
    }
}

#[test]
fn t09_no_escapes_in_a_pipe() {
    let cli = Cli::new();
    let (thread, asked) = cli.asked(&["chat", EVIL]);
    let asked = asked[0].as_str();
    for form in [&[][..], &["--json"]] {
        for verb in [
            &["list"][..],
            &["view", asked],
            &["threads"],
            &["show", &thread],
            &["activity"],
            &["config"],
            &["export", &thread],
            &["graph", "chat"],
            &["snooze", asked, "1h"],
            &["list", "--snoozed"],
            &["--help"],
            &["-vv", "list"],
        ] {
            let output = cli.sayso(&[verb, form].concat());
            assert_eq!(output.code, 0, "{output:?}");
            harmless(&output);
        }
    }
    for bad in [
        &["view", EVIL][..],
        &["start", EVIL],
        &["start", "chat", EVIL, "x\u{1b}[2J=1"],
        &["show", "t\u{1b}[2J"],
        &["snooze", asked, "\u{1b}[2J"],
        &["\u{1b}[2J"],
        &["list", "--kind", "\u{1b}[2J"],
        &["man", "\u{1b}[2J"],
        &["graph", "\u{1b}[2J"],
        &["list", "--config", "/no\u{1b}[2Jwhere"],
        &["list", "--model", "\u{1b}[2J"],
    ] {
        let output = cli.sayso(bad);
        assert!(output.code > 0 && output.out.is_empty(), "{output:?}");
        harmless(&output);
    }
}

#[test]
fn t09_no_escapes_under_any_terminal_setting() {
    let cli = Cli::new();
    for (name, value) in [("TERM", "dumb"), ("NO_COLOR", "1"), ("TERM", "xterm-256color"), ("CLICOLOR", "1")]
    {
        for args in [&["--help"][..], &["list"], &["nonsense"]] {
            let output = cli.real().args(args).env(name, value).output().unwrap();
            harmless(&crate::runner::captured(output));
        }
    }
}

#[test]
fn what_a_person_typed_is_kept_less_control_characters() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    cli.json(&["edit", &asked, "--set", "parcel=a\u{1b}[31m\u{200d}b", "--wait"]);
    let view = cli.json(&["show", &thread]);
    assert_eq!(view["decisions"][0]["args"]["parcel"], "a[31m\u{200d}b");
    assert!(texts(&view["state"]["parcels"]).contains(&"book".to_owned()));
}
