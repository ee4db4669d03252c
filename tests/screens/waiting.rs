//! Whatever somebody waits for stands on top, with the time it has waited and the time that is left.

use crate::support::fake_model::FakeModel;
use crate::support::test_inbox::{TestInbox, eager};
use crate::support::test_screen::{TestScreen, wall};
use jiff::ToSpan;
use sayso::graph::{Decision, InterruptId};
use sayso::inbox::{DecidedBy, DecisionRequest};
use sayso::service::NewRequest;
use sayso::tui::Msg;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn screen(questions: &[Value]) -> TestScreen {
    let inbox = TestInbox::builder().with_model(FakeModel::default()).settings(eager()).clock(Arc::new(wall));
    let mut screen = TestScreen::over(inbox.open(), (100, 30));
    let questions = questions.to_vec();
    screen.behind(async |inbox| {
        for input in questions {
            inbox.requests().ask(NewRequest { input, key: None }).await.unwrap();
        }
    });
    screen.press("gg");
    screen
}

#[test]
fn what_somebody_waits_for_stands_on_top_and_counts_down() {
    let command = |title: &str, waiting: Value| {
        json!({"title": title, "action": "Bash", "args": {"command": title}, "source": "claude-code",
            "waiting": waiting})
    };
    let mut screen = screen(&[
        json!({"title": "Nobody waits"}),
        command("cargo publish", json!({"gives_up_in": 600})),
        command("cargo test", json!({})),
    ]);
    assert_eq!(screen.titles(), ["cargo publish", "cargo test", "Nobody waits"]);
    let later = |screen: &mut TestScreen, seconds: i64| {
        let at = screen.at;
        screen.tell(Msg::Tick(at, wall() + seconds.seconds()));
        screen.drawn();
        screen.dump()
    };
    let shown = later(&mut screen, 108);
    assert!(shown.contains("has waited 1:48 · gives up in 8:12"), "{shown}");
    assert!(shown.contains("approval · gives up in 8:12"), "{shown}");
    assert!(screen.model.shows_seconds());
    screen.press("j");
    let shown = later(&mut screen, 3723);
    assert!(shown.contains("has waited 1:02:03") && !shown.contains("gives up in"), "{shown}");
    // Whoever gave up waits no more.
    screen.behind(async |_| {});
    assert_eq!(screen.titles()[0], "cargo test");
}

#[test]
fn what_the_answered_agent_asks_next_is_selected_unless_the_person_went_elsewhere() {
    let question = |title: &str, source: &str| json!({"title": title, "source": source});
    let mut screen = screen(&[question("How many?", "claude-code"), question("Which one?", "gemini")]);
    let asks = |screen: &mut TestScreen, title: &str, source: &str| {
        let input = question(title, source);
        screen.behind(async |inbox| {
            inbox.requests().ask(NewRequest { input, key: None }).await.unwrap();
        });
    };
    assert_eq!(screen.selected(), "How many?");
    screen.press("r").type_in("Two").press("<ctrl-s>");
    assert_eq!(screen.selected(), "Which one?");
    asks(&mut screen, "Why?", "codex");
    assert_eq!(screen.selected(), "Which one?", "another agent");
    asks(&mut screen, "From where?", "claude-code");
    assert_eq!(screen.selected(), "From where?", "{}", screen.dump());
    screen.press("r").type_in("Home").press("<ctrl-s>").press("k");
    let here = screen.selected();
    asks(&mut screen, "Where to?", "claude-code");
    assert_eq!(screen.selected(), here, "the person moved meanwhile");
}

#[test]
fn a_digit_on_an_empty_line_sends_a_refusal_of_one_s_own() {
    let command = json!({"title": "cargo publish", "action": "Bash", "args": {"command": "cargo publish"},
        "source": "claude-code"});
    let question = json!({"title": "How many?", "source": "claude-code"});
    let mut screen = screen(&[command, question]);
    screen.model.options.refusals = vec!["Not now.".to_owned(), "Use the tests that are there.".to_owned()];
    screen.press("r");
    let shown = screen.dump();
    assert!(shown.contains("1 Not now.") && shown.contains("2 Use the tests that are there."), "{shown}");
    // There is no third, and after other words a digit is a digit.
    screen.press("3");
    assert!(!screen.dump().contains("1 Not now."), "{}", screen.dump());
    screen.press("<backspace>2");
    let said = screen.decisions();
    assert_eq!((said.len(), &said[0].args), (1, &json!("Use the tests that are there.")));
    assert_eq!(screen.note(), "Refused: “cargo publish”");
    // A question may be answered with a number.
    screen.press("ggr2");
    assert_eq!(screen.decisions().len(), 1);
    assert!(!screen.dump().contains("Not now."), "{}", screen.dump());
}

#[test]
fn a_session_is_stopped_after_a_yes() {
    let command = json!({"title": "cargo publish", "action": "Bash", "args": {"command": "cargo publish"},
        "source": "claude-code"});
    let mut screen = screen(&[command, json!({"title": "How many?"})]);
    screen.press("R");
    assert!(
        screen.decisions().is_empty() && screen.dump().contains("stop the session?"),
        "{}",
        screen.dump()
    );
    screen.press("y");
    assert_eq!(screen.decisions()[0].args, json!(sayso::inbox::STOP_WORDS));
    screen.press("ggR");
    assert!(screen.note().contains("Only a coding agent"), "{}", screen.note());
}

#[test]
fn what_arrives_one_after_another_is_counted_together() {
    let question = |title: &str| json!({"title": title, "source": "codex"});
    let mut screen = screen(&[question("One?"), question("Two?")]);
    let asks = |screen: &mut TestScreen, title: &str| {
        let input = question(title);
        screen.behind(async |inbox| {
            inbox.requests().ask(NewRequest { input, key: None }).await.unwrap();
        });
    };
    assert_eq!(screen.note(), "2 new");
    asks(&mut screen, "Three?");
    assert_eq!(screen.note(), "3 new");
    screen.pass(Duration::from_secs(10));
    asks(&mut screen, "Four?");
    assert!(screen.note().ends_with(": Four?"), "{}", screen.note());
}

#[test]
fn a_permission_is_allowed_in_the_words_it_is_refused_in() {
    let command = json!({"title": "cargo test", "action": "Bash", "args": {"command": "cargo test"},
        "source": "claude-code"});
    let mut screen = screen(&[command]);
    screen.press("a");
    assert_eq!(screen.note(), "Allowed: “cargo test”");
}

#[test]
fn a_box_over_a_card_that_is_gone_says_so() {
    let command = json!({"title": "cargo publish", "action": "Bash", "args": {"command": "cargo publish"},
        "source": "claude-code"});
    let mut screen = screen(&[command]);
    screen.press("R");
    assert!(!screen.dump().contains("scroll"), "there is nothing to scroll: {}", screen.dump());
    let id = screen.model.inbox.list.selected().unwrap().id.clone();
    screen.behind(async |inbox| {
        let interrupt = InterruptId::parse(&id).unwrap();
        let (decision, by) = (Decision::Ignore, DecidedBy::Cli);
        let decide = DecisionRequest { interrupt, decision, shown: None, learn: false, by };
        inbox.decisions().decide(decide).await.unwrap();
    });
    assert!(screen.dump().contains("This one is gone: it was decided elsewhere"), "{}", screen.dump());
    screen.press("y");
    assert!(
        screen.note().starts_with("Not decided: ") && !screen.note().contains(": :"),
        "{}",
        screen.note()
    );
}
