//! The screen goes to what comes of a thread that was just started or decided on, unless the person went elsewhere.

use crate::support::test_inbox::{TestInbox, eager};
use crate::support::test_screen::{TestScreen, wall};
use serde_json::json;
use std::sync::Arc;

/// Two conversations wait, and the one about milk is selected.
fn screen() -> TestScreen {
    let inbox = TestInbox::builder().settings(eager()).clock(Arc::new(wall));
    let mut screen = TestScreen::over(inbox.open(), (100, 30));
    for topic in ["milk", "jam"] {
        screen.start("chat", json!({ "topic": topic }));
    }
    screen.press("gg");
    assert_eq!(screen.titles(), ["Question 1 about milk?", "Question 1 about jam?"]);
    screen.selects("Question 1 about milk?");
    screen
}

fn start(screen: &mut TestScreen, workflow: &str, input: serde_json::Value) {
    let workflow = workflow.to_owned();
    screen.call(|model| sayso::tui::start_thread(model, workflow, input, None));
    screen.drawn();
}

#[test]
fn what_a_new_thread_asks_is_selected() {
    let mut screen = screen();
    start(&mut screen, "chat", json!({"topic": "tea"}));
    screen.selects("").shows(["Its next step will appear here"]);
    screen.hides(["your answer"]); // nothing was answered
    screen.goes_on().selects("Question 1 about tea?").says("…Question 1 about tea?");
}

#[test]
fn who_moves_on_after_starting_a_thread_stays_there() {
    let mut screen = screen();
    start(&mut screen, "chat", json!({"topic": "tea"}));
    screen.press("j").selects("Question 1 about milk?"); // back to where they were
    screen.goes_on().selects("Question 1 about milk?");
}

#[test]
fn what_asks_again_after_it_was_accepted_is_selected() {
    let twice = json!({"program": [[{"ask": [{"key": "first"}]}], [{"ask": [{"key": "second"}]}]]});
    for moves_on in [false, true] {
        let mut screen = screen();
        start(&mut screen, "player", twice.clone());
        screen.goes_on();
        let first = screen.model.inbox.list.selected().unwrap().clone();
        screen.press("a");
        assert!(!screen.selected().is_empty(), "the next card is there meanwhile: {}", screen.dump());
        if moves_on {
            screen.press("k");
        }
        let there = screen.model.inbox.list.selected().unwrap().id.clone();
        screen.goes_on();
        let selected = screen.model.inbox.list.selected().unwrap();
        if moves_on {
            assert_eq!(selected.id, there)
        } else {
            assert!(selected.thread == first.thread && selected.id != first.id, "{selected:?}")
        }
    }
}

#[test]
fn a_filter_hides_nothing_that_was_waited_for() {
    let mut screen = screen();
    screen.press("\\question 1<enter>").press("r").type_in("more").press("<ctrl-s>");
    screen.shows(["next step will appear here"]);
    screen.goes_on().selects("Question 2 about milk?").press("<esc>").press("gq").press("gg");
    let before = screen.selected();
    screen.press("r").type_in("done").press("<ctrl-s>").goes_on();
    let selected = screen.model.inbox.list.selected().unwrap();
    assert_eq!(selected.kind.word(), "result", "{before}: {}", screen.dump());
    // Once the person moves on, it is one of the others again.
    screen.press("k");
    screen.behind(async |_| {});
    assert!(screen.titles().iter().all(|title| title.starts_with("Question")), "{:?}", screen.titles());
}
