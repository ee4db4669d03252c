//! The sessions of coding agents: listed over any tab, with the way to their cards and terminals; and what an agent is
//! told to remember.

use crate::support::test_screen::{TestScreen, drive, wall};
use jiff::ToSpan;
use sayso::inbox::DecisionQuery;
use sayso::inbox::door::{News, SessionNews, Used};
use serde_json::{Value, json};
use std::time::Duration;

fn news(id: &str, minute: i64, what: News) -> SessionNews {
    SessionNews {
        agent: "claude-code",
        id: id.to_owned(),
        at: wall() - (60 - minute).minutes(),
        what,
        folder: Some(format!("/home/noor/{id}")),
        branch: Some("main".to_owned()),
        model: None,
        mode: None,
        process: None,
        terminal: None,
        used: Some(Used { input: 12_000, output: 400, cost: Some(0.14), ..Used::default() }),
    }
}

fn command(line: &str, session: &str) -> Value {
    let rule = json!({"words": "Bash(npm test *), in this project, for you", "told": {"type": "addRules"}});
    json!({"title": format!("$ {line}"), "action": "Bash", "args": {"command": line}, "source": "claude-code",
        "folder": "/home/noor/hub", "session": {"id": session}, "waiting": {}, "remember": [rule]})
}

fn screen(told: Vec<SessionNews>, asked: Vec<Value>) -> TestScreen {
    let mut screen = TestScreen::with_requests(asked);
    screen.behind(async |inbox| {
        for news in told {
            inbox.sessions().record(news).await.unwrap();
        }
    });
    screen
}

fn some() -> Vec<SessionNews> {
    let prompt = |words: &str| News::Prompted(Some(words.to_owned()));
    vec![
        news("hub", 10, prompt("Mend the hub\u{1b}[2J")),
        news("spokes", 20, prompt("Count the spokes")),
        news("bell", 30, News::Started),
        news("lamp", 40, prompt("Light it")),
        news("lamp", 41, News::AsksThere("Claude needs your permission".to_owned())),
    ]
}

#[test]
fn sessions_are_listed_over_any_tab() {
    let mut screen = screen(some(), vec![command("npm test", "hub")]);
    screen.press("4").press("gc");
    screen.call(|model| model.activity.storage = Some(crate::snapshots::storage())).drawn();
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("sessions_100x30", screen.dump());
    });
    for (columns, rows) in [(1, 1), (20, 6), (60, 15), (160, 45)] {
        screen.resize(columns, rows);
        screen.dump();
    }
}

#[test]
fn enter_goes_to_the_card_and_decides_nothing() {
    let mut screen = screen(some(), vec![command("ls", "bell"), command("npm test", "hub")]);
    screen.press("4").press("gc").press("j<enter>");
    assert!(screen.model.popup().is_none() && screen.selected() == "$ ls", "{}", screen.dump());
    // The cursor stays on its session when the list changes.
    screen.press("gc").press("jj");
    screen.behind(async |inbox| inbox.sessions().record(news("bell", 50, News::Ended)).await.unwrap());
    screen.press("<enter>").selects("$ npm test");
    screen.press("gc").press("G").press("<enter>").says("…gw goes to its terminal…");
    screen.press("<esc>");
    assert!(screen.model.popup().is_none() && screen.decisions().is_empty());
}

#[test]
fn a_terminal_that_cannot_be_shown_is_told_of() {
    let mut screen = screen(some(), vec![json!({"title": "Nobody's"}), command("npm test", "hub")]);
    screen.press("gw").says("…its terminal takes no commands…");
    screen.press("gc").press("j").press("gw").says("…its terminal takes no commands…");
    screen.press("<esc>G").press("gw").says("…this did not come from a coding agent…").decided(0);
}

#[test]
fn nothing_is_listed_where_nobody_tells() {
    let mut screen = screen(Vec::new(), Vec::new());
    screen.press("gc").shows(["No coding agent has reported a session"]);
    screen.press("<enter>gw<esc>");
    assert!(screen.model.popup().is_none());
}

#[test]
fn what_an_agent_asks_is_answered_and_not_refused() {
    let asked = json!({"title": "Which colour?", "text": "  1 Red\n  2 Blue", "action": "AskUserQuestion",
        "args": {"Colour": ""}, "question": true, "allow": ["edit", "respond", "ignore"], "source": "claude-code",
        "folder": "/home/noor/hub", "session": {"id": "hub"}, "waiting": {}});
    let mut screen = screen(Vec::new(), vec![asked]);
    screen.press("gq").selects("Which colour?").shows(["The program claude-code asks you", "r answer"]);
    screen.hides(["Colour"]); // an empty field says nothing
    screen.press("r").shows(["Your answer to the agent"]);
    screen.press("<esc>").press("e").shows(["Your answer to the agent"]);
}

#[test]
fn an_agent_is_told_to_remember_after_a_yes() {
    let mut screen = screen(Vec::new(), vec![command("npm test", "hub")]);
    screen.press("A").press("G");
    screen.shows(["let claude-code remember: Bash(npm test *), in this project, for you"]);
    screen.press("<enter>");
    let shown = screen.dump();
    assert!(shown.contains("this is not a sayso grant") && screen.decisions().is_empty(), "{shown}");
    screen.press("n").decided(0);
    screen.press("A").press("G<enter>").burst("y").decided(0); // not in a burst
    screen.press("y").decided(1);
    assert!(screen.grants().is_empty(), "nothing is granted by it");
    screen.behind(async |inbox| {
        drive(inbox, Duration::from_secs(60)).await;
        let query = DecisionQuery { limit: 1, ..DecisionQuery::default() };
        let outcome = inbox.decisions().history(query).await.unwrap().rows.remove(0).outcome;
        assert!(outcome.contains("told to remember Bash(npm test *)"), "{outcome}");
    });
}

#[test]
fn what_an_agent_was_to_remember_is_forgotten_with_undo() {
    let mut screen = screen(Vec::new(), vec![command("npm test", "hub")]);
    screen.press("A").press("G<enter>").press("y").decided(1);
    screen.press("u").says("Taken back…");
    screen.press("a").decided(2);
    screen.behind(async |inbox| {
        drive(inbox, Duration::from_secs(60)).await;
        let query = DecisionQuery { limit: 1, ..DecisionQuery::default() };
        let decision = inbox.decisions().history(query).await.unwrap().rows.remove(0);
        assert!(!decision.outcome.contains("remember"), "{}", decision.outcome);
    });
}
