//! Activity and Memory as one lives in them: sections, figures and versions.

use crate::support::test_screen::TestScreen;
use sayso::engine::graph::{Progress, ThreadId};
use sayso::engine::store::MemoryCause;
use sayso::inbox::Status;
use sayso::tui::{Msg, Tab, running_listed};

const SIZE: (u16, u16) = (140, 36);

#[test]
fn what_was_decided_is_counted_and_drawn() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("ja").press("4").shows(["1 today, 1 in 30 days; 0 more by grants"]);
}

#[test]
fn sections_are_gone_through_and_the_selection_stays_where_it_was() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("4").press("G");
    let selected = screen.model.activity_key(screen.model.activity.list.cursor);
    screen.start("desk", serde_json::json!({"kind": "slow", "title": "Slow"}));
    assert_eq!(
        screen.model.activity_key(screen.model.activity.list.cursor),
        selected,
        "rows came, the selection stayed"
    );
    screen.press("gg").press("<enter>");
    for title in ["Running now", "Allowed without asking"] {
        screen.press("]");
        assert_eq!(screen.model.activity_key(screen.model.activity.list.cursor).as_deref(), Some(title));
    }
    screen.press("[[");
    assert_eq!(screen.model.activity_key(screen.model.activity.list.cursor).as_deref(), Some("Overview"));
}

#[test]
fn a_running_thread_shows_its_node_and_what_it_used_and_is_stopped() {
    let mut screen = TestScreen::full(SIZE);
    let thread = screen.model.inbox.list.selected().unwrap().thread.clone();
    screen.press("gr");
    let line = sayso::inbox::ThreadLine {
        id: thread.clone(),
        workflow: "desk".to_owned(),
        title: "At work".to_owned(),
        status: Status::Running,
        steps: 2,
        created_at: crate::support::test_screen::wall(),
        updated_at: crate::support::test_screen::wall(),
        parent: None,
        forked_from: None,
        outcome: None,
        end: None,
        snippet: None,
        seq: 1,
    };
    screen.call(|model| running_listed(model, vec![line]));
    screen.tell(Msg::Progress(Progress::Started { thread: thread.clone(), node: "plan".to_owned() }));
    let what = "reading".to_owned();
    screen.tell(Msg::Progress(Progress::Bar { thread: thread.clone(), what, done: 3, total: 8 }));
    let delta = "Three files are read.".to_owned();
    screen.tell(Msg::Progress(Progress::Text { thread: thread.clone(), delta }));
    screen.press("j").shows(["plan, for", "so far", "3 of 8", "Three files are read."]);
    screen.press("X").shows(["Stop the thread"]);
    screen.press("n").press("t");
    assert_eq!(screen.model.tab, Tab::Threads);
}

#[test]
fn versions_are_gone_through_with_their_causes() {
    let mut screen = TestScreen::full(SIZE);
    screen.remember();
    let thread = screen.model.inbox.list.selected().unwrap().thread.clone();
    screen.press("3");
    let told: ThreadId = thread.clone();
    screen.behind(async move |inbox| {
        let cause = MemoryCause { kind: "answer".to_owned(), thread: Some(told), interrupt: None };
        let profile = "Prefers long replies.\nSigns with “Ada”.".to_owned();
        let store = inbox.engine().store();
        store.memory().remember("email/response_preferences".to_owned(), 1, profile, cause).await.unwrap();
    });
    screen.shows(["version 2 of 2", "learned from your answer in"]);
    screen.shows(["− Prefers short replies.", "+ Prefers long replies."]);
    screen.press("<enter>").press("]").shows(["version 1 of 2", "It began with"]);
    screen.press("]").says("This is the first version");
    screen.press("R").shows(["Go back to version 1?"]);
    screen.press("n").press("[").press("t");
    assert_eq!(screen.model.tab, Tab::Threads);
    assert_eq!(screen.model.threads.selected().map(|line| line.id.clone()), Some(thread));
    screen.press("3").press("<enter>").press("]").press("R").press("y");
    assert_eq!(screen.profile().newest.version, 3);
    assert!(screen.profile().newest.profile.starts_with("Prefers short replies."));
}
