//! Whatever somebody waits for stands on top, with the time it has waited and the time that is left.

use crate::support::merged;
use crate::support::test_screen::{TestScreen, wall};
use jiff::ToSpan;
use sayso::tui::Msg;
use serde_json::{Value, json};
use std::time::Duration;

/// Claude Code asks whether it may run this.
fn command(line: &str) -> Value {
    json!({"title": line, "action": "Bash", "args": {"command": line}, "source": "claude-code"})
}

#[test]
fn what_somebody_waits_for_stands_on_top_and_counts_down() {
    let waits = |line: &str, waiting: Value| merged(command(line), json!({ "waiting": waiting }));
    let mut screen = TestScreen::with_requests(vec![
        json!({"title": "Nobody waits"}),
        waits("cargo publish", json!({"gives_up_in": 600})),
        waits("cargo test", json!({})),
    ]);
    assert_eq!(screen.titles(), ["cargo publish", "cargo test", "Nobody waits"]);
    let later = |screen: &mut TestScreen, seconds: i64| {
        screen.tell(Msg::Tick(screen.at, wall() + seconds.seconds()));
        screen.drawn();
    };
    later(&mut screen, 108);
    screen.shows(["has waited 1:48 · gives up in 8:12", "Agents waiting 2 ─", " 8:12 "]);
    assert!(screen.model.shows_seconds());
    later(screen.press("j"), 3723);
    screen.shows(["has waited 1:02:03"]).hides(["gives up in"]);
    // Whoever gave up waits no more.
    screen.behind(async |_| {});
    assert_eq!(screen.titles()[0], "cargo test");
}

#[test]
fn what_the_answered_agent_asks_next_is_selected_unless_the_person_went_elsewhere() {
    let question = |title: &str, source: &str| json!({"title": title, "source": source});
    let mut screen = TestScreen::with_requests(vec![
        question("How many?", "claude-code"),
        question("Which one?", "gemini"),
    ]);
    screen.selects("How many?");
    screen.press("r").type_in("Two").press("<ctrl-s>").selects("Which one?");
    screen.asked(question("Why?", "codex"));
    screen.selects("Which one?"); // another agent
    screen.asked(question("From where?", "claude-code"));
    screen.selects("From where?");
    screen.press("r").type_in("Home").press("<ctrl-s>").press("k");
    let here = screen.selected();
    screen.asked(question("Where to?", "claude-code"));
    assert_eq!(screen.selected(), here, "the person moved meanwhile");
}

#[test]
fn a_digit_on_an_empty_line_sends_a_refusal_of_one_s_own() {
    let question = json!({"title": "How many?", "source": "claude-code"});
    let mut screen = TestScreen::with_requests(vec![command("cargo publish"), question]);
    screen.model.options.refusals = vec!["Not now.".to_owned(), "Use the tests that are there.".to_owned()];
    screen.press("r").shows(["1 Not now.", "2 Use the tests that are there."]);
    // There is no third, and after other words a digit is a digit.
    screen.press("3").hides(["1 Not now."]);
    screen.press("<backspace>2");
    let said = screen.decisions();
    assert_eq!((said.len(), &said[0].args), (1, &json!("Use the tests that are there.")));
    screen.says("Refused: “cargo publish”");
    // A question may be answered with a number.
    screen.press("ggr2").decided(1).hides(["Not now."]);
}

#[test]
fn a_session_is_stopped_after_a_yes() {
    let mut screen = TestScreen::with_requests(vec![command("cargo publish"), json!({"title": "How many?"})]);
    screen.press("R").shows(["stop the session?"]).decided(0);
    screen.press("y");
    assert_eq!(screen.decisions()[0].args, json!(sayso::inbox::STOP_WORDS));
    screen.press("ggR").says("…Only a coding agent…");
}

#[test]
fn what_arrives_one_after_another_is_counted_together() {
    let question = |title: &str| json!({"title": title, "source": "codex"});
    let mut screen = TestScreen::with_requests(vec![question("One?"), question("Two?")]);
    screen.says("2 new");
    screen.asked(question("Three?"));
    screen.says("3 new");
    screen.pass(Duration::from_secs(10));
    screen.asked(question("Four?"));
    screen.says("…: Four?");
}

#[test]
fn a_permission_is_allowed_in_the_words_it_is_refused_in() {
    let mut screen = TestScreen::with_requests(vec![command("cargo test")]);
    screen.press("a").says("Allowed: “cargo test”");
}

#[test]
fn a_box_over_a_card_that_is_gone_says_so() {
    let mut screen = TestScreen::with_requests(vec![command("cargo publish")]);
    screen.press("R").hides(["scroll"]); // there is nothing to scroll
    screen.ignored_elsewhere();
    screen.shows(["This one is gone: it was decided elsewhere"]);
    screen.press("y");
    assert!(
        screen.note().starts_with("Not decided: ") && !screen.note().contains(": :"),
        "{}",
        screen.note()
    );
}
