//! `export`: a thread as Markdown or JSON.

use crate::runner::{Cli, keys, text};
use sayso::text::is_hidden;
use serde_json::Value;

#[test]
fn a_thread_is_exported_for_people_and_for_programs() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    cli.json(&["respond", &asked, "green, please", "--wait"]);
    let output = cli.sayso(&["export", &thread]);
    let page = output.done();
    let answer = "answer: respond by you, on the command line";
    for part in ["# ", "workflow: chat", "## Asked and answered", answer, "green, please", "## Steps"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    keys(&cli.json(&["export", &thread, "--format", "md"]), "thread markdown");
    // And all of it as JSON for programs.
    let whole = cli.json(&["export", &thread[..5]]);
    let shown = cli.json(&["show", &thread]);
    for (key, value) in shown.as_object().unwrap() {
        assert_eq!(&whole[key], value, "{key}");
    }
    assert_eq!(whole["questions"][0]["id"], asked.as_str());
    assert_eq!(whole["questions"][0]["state"], "closed");
    assert!(text(&whole["conversation"]).contains("green"), "{}", whole["conversation"]);
    let printed = cli.sayso(&["export", &thread, "--format", "json"]);
    let printed: Value = serde_json::from_str(printed.done()).unwrap();
    assert_eq!(printed, whole);
}

#[test]
fn export_writes_a_file_once() {
    let cli = Cli::new();
    let (thread, _) = cli.chat("tea");
    let path = cli.path("tea.json");
    let file = path.to_str().unwrap();
    let output = cli.json(&["export", &thread, "-o", file]);
    keys(&output, "thread format file bytes");
    assert_eq!(output["format"], "json", "by the file's ending");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(written["id"], thread.as_str());
    cli.refused(&["export", &thread, "-o", file], 1, "is there already");
    let other = cli.path("tea.md");
    assert!(cli.sayso(&["export", &thread, "-o", other.to_str().unwrap()]).done().contains("is written to"));
    assert!(std::fs::read_to_string(&other).unwrap().starts_with("# "));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&other).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    cli.refused(&["export", &thread, "-o", "/no/such/folder/x.md"], 1, "cannot be written");
    cli.refused(&["export", "t00000000"], 3, "there is no thread");
    cli.refused(&["export", &thread, "--format", "pdf"], 2, "pdf");
    cli.refused(&["export"], 2, "");
    cli.refused(&["export", &thread, "--audit"], 2, "--audit");
}

/// T01: whatever stands in a thread, what is taken out of it is no order to a terminal, and no mark of Markdown.
#[test]
fn t01_export_hides_nothing_and_forges_nothing() {
    let cli = Cli::new();
    let evil = "topic=\u{1b}[2J\u{202e}\u{200b}*bold* [x](http://evil.test)\n# forged\n```\nout of the fence\u{e0041}";
    let (thread, _) = cli.asked(&["chat", evil]);
    for form in ["md", "json"] {
        let output = cli.sayso(&["export", &thread, "--format", form]);
        let out = output.done();
        assert_eq!(out.chars().find(|c| is_hidden(*c) && !matches!(c, '\n' | '\t')), None, "{out}");
        if form == "md" {
            assert!(!out.lines().any(|line| line == "# forged"), "{out}");
        }
    }
}
