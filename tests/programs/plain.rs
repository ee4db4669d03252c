//! The real program: what needs no workflow, and how it behaves in a pipe.

use crate::runner::{Cli, captured, run};
use std::io::Read;
use std::process::Stdio;

#[test]
fn verbs_work_on_an_empty_folder() {
    let cli = Cli::new();
    for (args, out) in [
        (&["list", "--json"][..], "[]\n"),
        (&["threads", "--json"], "[]\n"),
        (&["run", "--until-idle", "--json"], "{\"threads\":[],\"interrupts\":[]}\n"),
        (&["activity", "--short"], "0 open\n"),
    ] {
        assert_eq!(run(&cli, args).done(), out);
    }
    run(&cli, &["start", "chat", "topic=x"])
        .refused(3, "there is no workflow `chat`; there are analyze, ask");
    run(&cli, &[]).refused(2, "`sayso list`");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let cli = Cli::new();
    for args in [&["config"][..], &["--help"], &["completions", "bash"], &["man"]] {
        let mut command = cli.real();
        let mut child = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let cli = Cli::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output =
        cli.real().arg("config").stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output();
    captured(output.unwrap()).refused(1, "cannot be written");
}

#[test]
fn help_is_there_for_every_verb() {
    let cli = Cli::new();
    let help = run(&cli, &["--help"]);
    let verbs: Vec<&str> = help
        .done()
        .lines()
        .take_while(|line| *line != "Options:")
        // What a verb does may take a second line.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(verbs.contains(&"list") && verbs.contains(&"man"), "{verbs:?}");
    for verb in &verbs {
        let output = run(&cli, &[verb, "--help"]);
        assert!(output.done().contains("Example"), "{verb}");
        assert!(output.done().contains("--json"), "{verb}");
    }
    assert!(run(&cli, &["--version"]).done().starts_with("sayso 0."));
}
