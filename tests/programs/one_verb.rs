//! One verb for one thing: cards, threads and reasons by `show`, pausing by `pause`, requests by `request`.

use crate::runner::{Cli, json, run, text};

#[test]
fn show_is_a_card_a_thread_or_the_reasons() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    assert_eq!(cli.json(&["show", &asked]), cli.json(&["view", &asked]));
    assert_eq!(text(&cli.json(&["show", "--why", &asked])["id"]), asked);
    assert_eq!(text(&cli.json(&["show", &thread])["id"]), thread);
}

#[test]
fn request_reads_what_it_asked_and_pause_ends_what_it_began() {
    let cli = Cli::new();
    let id = text(&json(&cli, &["request", "--title", "Deploy?", "--key", "d"])["id"]);
    assert_eq!(run(&cli, &["request", "--answer", &id, "--json"]).code, 6, "not answered yet");
    json(&cli, &["accept", &id]);
    assert_eq!(json(&cli, &["request", "--answer", &id])["type"], "accept");
    let others: [&[&str]; 4] =
        [&["--title", "Deploy?"], &["--expires", "1h"], &["--timeout", "1"], &["--hook", "codex"]];
    for flags in others {
        run(&cli, &[&["request", "--answer", &id], flags].concat()).refused(2, "cannot be used with");
    }
    assert!(run(&cli, &["pause"]).done().contains("until `sayso pause --off`"));
    for ends in [&["pause", "--off"][..], &["resume"]] {
        assert!(run(&cli, ends).done().starts_with("Resumed"));
    }
}

#[test]
fn help_is_in_groups() {
    let help = run(&Cli::new(), &["--help"]);
    let places =
        ["Deciding:", "  list", "Starting", "  analyze", "Agents", "Mail:", "Looking back:", "Set-up:"]
            .map(|part| help.done().find(part).unwrap_or_else(|| panic!("{part}: {help:?}")));
    assert!(places.is_sorted(), "{help:?}");
    for other in ["view", "resume", "status"] {
        assert!(!help.out.contains(&format!("\n  {other} ")), "{other}: {help:?}");
    }
}
