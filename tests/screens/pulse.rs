//! Activity and Memory as one lives in them: sections, figures, letting go of what is old, and versions.

use crate::harness::Desk;
use sayso::graph::{Progress, ThreadId};
use sayso::inbox::{ItemKind, ItemQuery, PruneQuery, Status};
use sayso::store::MemoryCause;
use sayso::tui::{Cmd, Msg, Tab};

const SIZE: (u16, u16) = (140, 36);

#[test]
fn what_was_decided_is_counted_and_drawn() {
    let mut desk = Desk::full(SIZE);
    desk.press("a").press("4").press("jj");
    let shown = desk.dump();
    assert!(shown.contains("1 by you, 0 by grants") && shown.contains("By tool"), "{shown}");
    assert!(shown.contains("notify"), "{shown}");
    desk.press("1").press("4").press("jj");
    assert!(desk.dump().contains("How long it takes"), "{}", desk.dump());
}

#[test]
fn sections_are_gone_through_and_the_selection_stays_where_it_was() {
    let mut desk = Desk::full(SIZE);
    desk.press("4").press("G");
    assert!(desk.dump().contains("The file takes"), "{}", desk.dump());
    desk.start("desk", serde_json::json!({"kind": "slow", "title": "Slow"}));
    assert!(desk.dump().contains("The file takes"), "rows came, the selection stayed: {}", desk.dump());
    desk.press("gg").press("<enter>");
    for title in ["Running now", "Decisions", "Models and cost"] {
        desk.press("]");
        assert_eq!(desk.model.activity_key().as_deref(), Some(title));
    }
    desk.press("[[[");
    assert_eq!(desk.model.activity_key().as_deref(), Some("Overview"));
}

#[test]
fn old_threads_are_let_go_of_after_a_preview_and_a_yes() {
    let mut desk = Desk::full(SIZE);
    desk.press("4").press("P");
    assert!(desk.dump().contains("Let go of ended threads when"), "{}", desk.dump());
    desk.press("<enter>");
    assert_eq!(desk.note(), "nothing is that old");
    desk.behind(async |inbox| {
        let query = ItemQuery { kind: Some(ItemKind::Result), limit: 9, ..Default::default() };
        for item in inbox.decisions().items(query).await.unwrap().items {
            inbox.decisions().file_away(item.thread).await.unwrap();
        }
    });
    // As if some months had passed.
    let before = crate::harness::wall().checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    let query = PruneQuery { before, statuses: vec![Status::Done, Status::Abandoned] };
    let all = whole(&desk.inbox);
    desk.perform(vec![Cmd::PrunePlan(query)]);
    desk.drawn();
    let shown = desk.dump();
    assert!(shown.contains("It cannot be undone") && shown.contains("log "), "{shown}");
    desk.press("<enter>").burst("y");
    assert_eq!(whole(&desk.inbox), all, "neither Enter nor a burst goes on");
    desk.press("y");
    assert!(desk.note().contains("let go of; the file took"), "{}", desk.note());
    assert!(whole(&desk.inbox) < all, "steps of ended threads are gone");
}

/// How many threads still have their steps.
fn whole(inbox: &sayso::service::Inbox) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let query = sayso::inbox::ThreadQuery { limit: 999, ..Default::default() };
        let mut count = 0;
        for line in inbox.threads().list(query).await.unwrap().threads {
            count += usize::from(!inbox.threads().view(line.id).await.unwrap().steps.is_empty());
        }
        count
    })
}

#[test]
fn a_running_thread_shows_its_node_and_what_it_used_and_is_stopped() {
    let mut desk = Desk::full(SIZE);
    let thread = desk.model.inbox.list.selected().unwrap().thread.clone();
    desk.press("4").press("j");
    let line = sayso::inbox::ThreadLine {
        id: thread.clone(),
        workflow: "desk".to_owned(),
        title: "At work".to_owned(),
        status: Status::Running,
        steps: 2,
        created_at: crate::harness::wall(),
        updated_at: crate::harness::wall(),
        parent: None,
        forked_from: None,
        place: 1,
    };
    desk.tell(Msg::Running(Ok(vec![line])));
    desk.tell(Msg::Progress(Progress::Started { thread: thread.clone(), node: "plan".to_owned() }));
    desk.press("j");
    let shown = desk.dump();
    assert!(shown.contains("plan, for") && shown.contains("so far"), "{shown}");
    desk.press("X");
    assert!(desk.dump().contains("Stop the thread"), "{}", desk.dump());
    desk.press("n").press("t");
    assert_eq!(desk.model.tab, Tab::Threads);
}

#[test]
fn versions_are_gone_through_with_their_causes() {
    let mut desk = Desk::full(SIZE);
    desk.remember();
    let thread = desk.model.inbox.list.selected().unwrap().thread.clone();
    desk.press("3");
    let told: ThreadId = thread.clone();
    desk.behind(async move |inbox| {
        let cause = MemoryCause { kind: "answer".to_owned(), thread: Some(told), interrupt: None };
        let profile = "Prefers long replies.\nSigns with “Ada”.".to_owned();
        let store = inbox.engine().store();
        store.memory().remember("email/response_preferences".to_owned(), 1, profile, cause).await.unwrap();
    });
    let shown = desk.dump();
    assert!(shown.contains("version 2 of 2") && shown.contains("learned from your answer in"), "{shown}");
    assert!(shown.contains("Prefers short long replies."), "word by word: {shown}");
    desk.press("<enter>").press("]");
    assert!(
        desk.dump().contains("version 1 of 2") && desk.dump().contains("It began with"),
        "{}",
        desk.dump()
    );
    desk.press("]");
    assert_eq!(desk.note(), "this is the first version");
    desk.press("R");
    assert!(desk.dump().contains("Go back to version 1?"), "{}", desk.dump());
    desk.press("n").press("[").press("t");
    assert_eq!(desk.model.tab, Tab::Threads);
    assert_eq!(desk.model.threads.selected().map(|line| line.id.clone()), Some(thread));
    desk.press("3").press("<enter>").press("]").press("R").press("y");
    assert_eq!(desk.profile().newest.version, 3);
    assert!(desk.profile().newest.profile.starts_with("Prefers short replies."));
}
