//! The screen goes to what comes of a thread that was just started or decided on, unless the person went elsewhere.

use crate::support::test_inbox::{TestInbox, eager};
use crate::support::test_screen::{TestScreen, drive, wall};
use sayso::tui::Cmd;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Two conversations wait, and the one about milk is selected.
fn screen() -> TestScreen {
    let inbox = TestInbox::builder().settings(eager()).clock(Arc::new(wall));
    let mut screen = TestScreen::over(inbox.open(), (100, 30));
    for topic in ["milk", "jam"] {
        screen.start("chat", json!({ "topic": topic }));
    }
    screen.press("gg");
    assert_eq!(screen.titles(), ["Question 1 about milk?", "Question 1 about jam?"]);
    assert_eq!(screen.selected(), "Question 1 about milk?");
    screen
}

fn start(screen: &mut TestScreen, workflow: &str, input: serde_json::Value) {
    screen.perform(vec![Cmd::Start(workflow.to_owned(), input)]);
    screen.drawn();
}

fn goes_on(screen: &mut TestScreen) {
    screen.behind(async |inbox| drive(inbox, Duration::from_secs(60)).await);
}

#[test]
fn what_a_new_thread_asks_is_selected() {
    let mut screen = screen();
    start(&mut screen, "chat", json!({"topic": "tea"}));
    assert_eq!(screen.selected(), "");
    let shown = screen.dump();
    assert!(shown.contains("Its next step will appear here"), "{shown}");
    assert!(!shown.contains("your answer"), "nothing was answered: {shown}");
    goes_on(&mut screen);
    assert_eq!(screen.selected(), "Question 1 about tea?", "{}", screen.dump());
    assert!(screen.note().ends_with("Question 1 about tea?"), "{}", screen.note());
}

#[test]
fn who_moves_on_after_starting_a_thread_stays_there() {
    let mut screen = screen();
    start(&mut screen, "chat", json!({"topic": "tea"}));
    screen.press("j");
    assert_eq!(screen.selected(), "Question 1 about milk?", "back to where they were");
    goes_on(&mut screen);
    assert_eq!(screen.selected(), "Question 1 about milk?");
}

#[test]
fn what_asks_again_after_it_was_accepted_is_selected() {
    let twice = json!({"program": [[{"ask": [{"key": "first"}]}], [{"ask": [{"key": "second"}]}]]});
    for moves_on in [false, true] {
        let mut screen = screen();
        start(&mut screen, "player", twice.clone());
        goes_on(&mut screen);
        let first = screen.model.inbox.list.selected().unwrap().clone();
        screen.press("a");
        assert!(!screen.selected().is_empty(), "the next card is there meanwhile: {}", screen.dump());
        if moves_on {
            screen.press("k");
        }
        let there = screen.model.inbox.list.selected().unwrap().id.clone();
        goes_on(&mut screen);
        let selected = screen.model.inbox.list.selected().unwrap();
        match moves_on {
            true => assert_eq!(selected.id, there),
            false => assert!(selected.thread == first.thread && selected.id != first.id, "{selected:?}"),
        }
    }
}

#[test]
fn a_filter_hides_nothing_that_was_waited_for() {
    let mut screen = screen();
    screen.press("\\question 1<enter>").press("r").type_in("more").press("<ctrl-s>");
    assert!(screen.dump().contains("next step will appear here"), "{}", screen.dump());
    goes_on(&mut screen);
    assert_eq!(screen.selected(), "Question 2 about milk?", "{}", screen.dump());
    screen.press("<esc>").press("gq").press("gg");
    let before = screen.selected();
    screen.press("r").type_in("done").press("<ctrl-s>");
    goes_on(&mut screen);
    let selected = screen.model.inbox.list.selected().unwrap();
    assert_eq!(selected.kind.word(), "result", "{before}: {}", screen.dump());
    // Once the person moves on, it is one of the others again.
    screen.press("k");
    screen.behind(async |_| {});
    assert!(screen.titles().iter().all(|title| title.starts_with("Question")), "{:?}", screen.titles());
}
