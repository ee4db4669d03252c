//! One verb for one thing: cards, threads and reasons by `show`, pausing by `pause`, requests by `request`. The old names
//! still work.

use crate::demo::Demo;
use crate::runner::text;

#[test]
fn show_is_a_card_a_thread_or_the_reasons() {
    let demo = Demo::new();
    demo.json(&["run"]);
    let offer = demo.item("Twelve cargo bikes");
    let (id, thread) = (text(&offer["id"]), text(&offer["thread"]));
    assert_eq!(demo.json(&["show", &id]), demo.json(&["view", &id]));
    assert_eq!(demo.json(&["show", "--why", &id]), demo.json(&["why", &id]));
    assert_eq!(text(&demo.json(&["show", &thread])["id"]), thread);
}

#[test]
fn pause_ends_what_it_began() {
    let demo = Demo::new();
    assert!(demo.run(&["pause"]).done().contains("until `sayso pause --off`"));
    assert!(demo.run(&["pause", "--off"]).done().starts_with("Resumed"));
}

#[test]
fn request_reads_what_it_asked() {
    let demo = Demo::new();
    let asked = demo.json(&["request", "--title", "Deploy?", "--key", "d"]);
    let id = text(&asked["id"]);
    assert_eq!(demo.run(&["request", "--answer", &id, "--json"]).code, 6, "not answered yet");
    demo.json(&["accept", &id]);
    let answer = demo.run(&["request", "--answer", &id, "--json"]);
    assert_eq!(answer.out, demo.run(&["answer", &id, "--json"]).out);
    demo.run(&["request", "--answer", &id, "--title", "Deploy?"]).refused(2, "cannot be used with");
}

#[test]
fn help_is_in_groups_and_hides_old_names() {
    let demo = Demo::new();
    let help = demo.run(&["--help"]);
    let places =
        ["Deciding:", "  list", "Starting", "  analyze", "Agents", "Mail:", "Looking back:", "Set-up:"]
            .map(|part| help.done().find(part).unwrap_or_else(|| panic!("{part}: {help:?}")));
    assert!(places.is_sorted(), "{help:?}");
    for old in ["view", "why", "resume", "answer", "status"] {
        assert!(!help.out.contains(&format!("\n  {old} ")), "{old}: {help:?}");
    }
}
