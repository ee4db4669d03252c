//! Past threads: the list that lives, and one thread from every side.

use crate::harness::{Desk, drive};
use crate::snapshots::{snap, snap_with};
use crate::support::{House, desk};
use sayso::graph::{EffectError, Found, ThreadId};
use sayso::inbox::{Status, ThreadQuery};
use sayso::tui::{Aspect, Focus, Tab};
use serde_json::json;
use std::time::Duration;

fn listed(desk: &Desk) -> Vec<String> {
    desk.model.threads.rows.iter().map(|line| line.title.clone()).collect()
}

fn selected(desk: &Desk) -> String {
    desk.model.threads.selected().map(|line| line.title.clone()).unwrap_or_default()
}

fn shown(desk: &Desk) -> &sayso::tui::Review {
    desk.model.threads.review.as_ref().expect("a thread is shown")
}

#[test]
fn every_side() {
    snap("threads_trouble", "2jj");
    snap("threads_conversation", "2<enter>");
    snap("threads_steps", "2<enter>l");
    snap("threads_whole", "2<enter>l[d");
    snap("threads_trace", "2<enter>llj");
    snap("threads_graph", "2<enter>lll");
    snap("threads_state", "2<enter>llll<enter>");
    snap("threads_filter", "2\\");
    snap("threads_filtered", "2\\jj<enter>");
    snap("threads_of_a_workflow", "2\\G<enter>");
    snap("threads_search", "2/figures");
    snap("threads_fork", "2jj<enter>lf");
    snap("threads_retry", "2jjR");
    snap("threads_abandon", "2jjX");
    snap("threads_export", "2W");
    snap_with("threads_edited", |desk| {
        desk.press("je").press("<ctrl-u>").type_in("Friday").press("<ctrl-s>").press("y");
        desk.pass(Duration::from_secs(11));
        desk.behind(async |inbox| drive(inbox, Duration::from_secs(60)).await);
        desk.press("2").press("G").press("k").press("<enter>").press("G");
    });
}

#[test]
fn what_is_searched_for_is_found_while_it_is_typed() {
    let mut desk = Desk::full((120, 32));
    desk.press("2");
    let all = listed(&desk);
    desk.press("/").type_in("fig");
    assert_eq!(listed(&desk), ["Quarterly figures"]);
    desk.type_in("x");
    assert!(listed(&desk).is_empty());
    desk.press("<backspace>").press("<enter>");
    assert_eq!(listed(&desk), ["Quarterly figures"]);
    assert_eq!(shown(&desk).view.title, "Quarterly figures");
    desk.press("/").type_in("zzz");
    assert!(listed(&desk).is_empty());
    desk.press("<esc>");
    assert_eq!(listed(&desk), ["Quarterly figures"], "what was searched for before is searched for again");
    desk.press("<esc>");
    assert_eq!(listed(&desk), all);
    assert_eq!(selected(&desk), "Quarterly figures", "and stays selected");
}

#[test]
fn threads_are_filtered_by_status() {
    let mut desk = Desk::full((120, 32));
    desk.press("2\\G");
    let trouble = Status::ALL.iter().position(|status| *status == Status::Trouble).unwrap();
    desk.press("gg").press(&"j".repeat(trouble + 1)).press("<enter>");
    assert_eq!(listed(&desk), ["Fetch the prices"]);
    desk.press("<esc>");
    assert_eq!(listed(&desk).len(), desk::samples().len());
}

/// By workflow beside the status; what is chosen twice is lifted, and `all` lifts everything.
#[test]
fn threads_are_filtered_by_workflow_too() {
    let mut desk = Desk::full((120, 32));
    let all = desk::samples().len();
    let choose = |desk: &mut Desk, row: &str| {
        desk.press("2\\gg");
        let Some(sayso::tui::Layer::Menu(menu)) = desk.model.layer() else { panic!("no menu") };
        let at = menu.rows.iter().position(|(text, _)| text.contains(row)).unwrap();
        desk.press(&"j".repeat(at)).press("<enter>");
    };
    choose(&mut desk, "workflow  report");
    assert_eq!(listed(&desk), ["What changed in the code base?"]);
    assert!(desk.dump().contains("only report"), "{}", desk.dump());
    choose(&mut desk, "waiting");
    assert!(listed(&desk).is_empty(), "no report waits");
    choose(&mut desk, "workflow  report");
    assert_eq!(listed(&desk).len(), 7, "those that wait, of any workflow");
    choose(&mut desk, "workflow  desk");
    choose(&mut desk, "waiting");
    assert_eq!(listed(&desk).len(), all - 1);
    choose(&mut desk, "all");
    assert_eq!(listed(&desk).len(), all);
    choose(&mut desk, "workflow  desk");
    desk.press("<esc>");
    assert_eq!(listed(&desk).len(), all);
}

/// New threads appear on top, others change, and what one looks at stays where it is.
#[test]
fn what_happens_meanwhile_moves_no_selection() {
    let mut desk = Desk::full((120, 32));
    desk.press("2jjj");
    let before = selected(&desk);
    desk.start("desk", json!({"kind": "mail", "title": "Just in", "from": "x@example.org", "text": "new"}));
    assert_eq!(listed(&desk)[0], "Just in");
    assert_eq!(selected(&desk), before);
    let thread = shown(&desk).view.id.clone();
    desk.behind(async |inbox| {
        inbox.threads().stop(thread).await.unwrap();
    });
    assert_eq!(selected(&desk), before);
    assert_eq!(shown(&desk).view.status, Status::Trouble, "what is shown is as it stands");
}

#[test]
fn further_pages_are_read_as_one_moves() {
    let mut desk = Desk::with((120, 32), Vec::new());
    desk.behind(async |inbox| {
        for n in 0..230 {
            let input =
                json!({"kind": "mail", "title": format!("Mail {n}"), "from": "x@example.org", "text": "x"});
            inbox.threads().start("desk".to_owned(), input).await.unwrap();
        }
    });
    desk.press("2");
    assert_eq!(listed(&desk).len(), 100);
    for _ in 0..24 {
        desk.press("<ctrl-d>");
    }
    desk.press("G");
    assert_eq!(listed(&desk).len(), 230);
    assert_eq!(selected(&desk), "Mail 0");
    desk.behind(async |inbox| {
        let input = json!({"kind": "mail", "title": "One more", "from": "x@example.org", "text": "x"});
        inbox.threads().start("desk".to_owned(), input).await.unwrap();
    });
    assert_eq!((listed(&desk).len(), selected(&desk)), (231, "Mail 0".to_owned()));
}

#[test]
fn a_thread_is_turned_and_left_by_h_and_l() {
    let mut desk = Desk::full((120, 32));
    desk.press("2");
    assert_eq!(desk.model.focus, Focus::List);
    desk.press("l");
    assert_eq!((desk.model.focus, shown(&desk).aspect), (Focus::Card, Aspect::Conversation));
    desk.press("llll");
    assert_eq!(shown(&desk).aspect, Aspect::State);
    desk.press("l");
    assert_eq!(shown(&desk).aspect, Aspect::State, "after the last side there is none");
    desk.press("hhhhh");
    assert_eq!((desk.model.focus, shown(&desk).aspect), (Focus::List, Aspect::Conversation));
    desk.press("ll").press("J");
    assert_eq!(shown(&desk).aspect, Aspect::Steps, "the next thread is looked at from the same side");
    let last = shown(&desk).step;
    desk.press("[");
    assert_eq!(shown(&desk).step, last - 1);
    assert!(shown(&desk).states.as_ref().is_some_and(|states| states.n as usize == last - 1));
    desk.press("]]]");
    assert_eq!(shown(&desk).step, last);
}

/// What a fork asks anew stands in the inbox, selected; the original is as it was.
#[test]
fn a_fork_is_asked_about_and_opens_in_the_inbox() {
    let mut desk = Desk::full((120, 32));
    desk.press("2G").press("<enter>").press("f");
    assert!(desk.note().contains("steps"), "{}", desk.note());
    let original = shown(&desk).view.clone();
    desk.press("lf");
    assert!(desk.dump().contains("Begin another thread after step"), "{}", desk.dump());
    desk.press("n");
    let count = listed(&desk).len();
    desk.press("f");
    desk.burst("y");
    assert_eq!(listed(&desk).len(), count, "keys that were waiting fork nothing");
    desk.press("n").press("fy");
    assert_eq!(desk.model.tab, Tab::Inbox);
    assert_eq!(desk.selected(), "Quarterly figures");
    let fork: ThreadId = desk.model.selected().unwrap().thread.clone();
    assert_ne!(fork, original.id);
    desk.behind(async |inbox| {
        let fork = inbox.threads().view(fork).await.unwrap();
        assert_eq!(fork.forked_from.unwrap().thread, original.id);
        assert_eq!(inbox.threads().view(original.id.clone()).await.unwrap().steps, original.steps);
    });
}

#[test]
fn trouble_is_retried_or_given_up_from_its_thread() {
    let mut desk = Desk::full((120, 32));
    desk.press("2jj");
    assert_eq!((selected(&desk).as_str(), shown(&desk).view.status), ("Fetch the prices", Status::Trouble));
    desk.press("S");
    assert!(desk.note().contains("in doubt"), "{}", desk.note());
    desk.press("R").press("n");
    assert!(desk.decisions().is_empty());
    desk.press("Ry");
    let decided = desk.decisions();
    assert_eq!((decided[0].r#type.as_str(), decided[0].by.as_str()), ("accept", "tui"));
    desk.behind(async |inbox| drive(inbox, Duration::from_secs(60)).await);
    assert_eq!(shown(&desk).view.status, Status::Trouble, "it failed again");
    desk.press("Xy");
    assert_eq!(desk.decisions().last().unwrap().r#type, "ignore");
    desk.behind(async |inbox| drive(inbox, Duration::from_secs(60)).await);
    assert_eq!(shown(&desk).view.status, Status::Abandoned);
    desk.press("X");
    assert!(desk.note().contains("has ended"), "{}", desk.note());
}

/// `S` tells how an effect in doubt ended; it takes a choice and a `y`, and nothing happens twice for it.
#[test]
fn an_effect_in_doubt_is_settled_from_its_thread() {
    for (row, asked, state, performed) in [(0, "It was done?", "settled", 0), (1, "Do it again?", "done", 1)]
    {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let house = House::new();
        *house.world.found.lock().unwrap() = Some(Found::Unknown("dark".to_owned()));
        house.world.fault(EffectError::Unknown("cut off".to_owned()));
        let thread = runtime.block_on(async {
            let ask = json!([{"ask": [{"key": "a", "irreversible": true}]}]);
            let once = json!([{"once": {"name": "go", "key": "a"}}]);
            let thread = house.played(json!([ask, once])).await;
            house.accept(&thread).await;
            house.settle().await;
            assert_eq!(house.trouble(&thread).await.0, "in_doubt");
            thread
        });
        let House { folder, inbox, world, street: _street } = house;
        let mut desk = Desk::over(folder, inbox, runtime, (120, 32));
        desk.press("2");
        assert_eq!(shown(&desk).view.id, thread);
        let before = desk.decisions().len();
        desk.press("S").press(&"j".repeat(row)).press("<enter>");
        assert!(desk.dump().contains(asked), "{}", desk.dump());
        desk.press("<enter>").burst("y");
        assert_eq!(desk.decisions().len(), before, "neither Enter nor a burst settles it");
        desk.press("<esc>").press("S").press(&"j".repeat(row)).press("<enter>").press("y");
        assert_eq!(desk.decisions().len(), before + 1);
        desk.behind(async |inbox| drive(inbox, Duration::from_secs(60)).await);
        assert_eq!(shown(&desk).view.status, Status::Done, "{asked}");
        assert_eq!(shown(&desk).view.effects[0].state, state, "{asked}");
        assert_eq!(world.performed().len(), performed, "{asked}");
        desk.press("S");
        assert!(desk.model.layer().is_none(), "there is no doubt any more");
    }
}

#[test]
fn a_thread_that_is_alive_is_stopped_from_its_page() {
    let mut desk = Desk::full((120, 32));
    desk.press("2G").press("X");
    desk.press("y");
    desk.behind(async |_| {});
    assert_eq!(shown(&desk).view.status, Status::Trouble);
    desk.press("a");
    assert_eq!(desk.model.tab, Tab::Inbox);
    assert!(desk.selected().contains("stopped"), "{}", desk.selected());
}

#[test]
fn a_thread_is_written_to_a_file_once() {
    let mut desk = Desk::full((120, 32));
    let path = desk.folder.path().join("thread.md").display().to_string();
    for said in ["written to", "is there already"] {
        desk.press("2").press("W").press("<ctrl-u>").type_in(&path).press("<enter>");
        assert!(desk.note().contains(said), "{}", desk.note());
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("# ") && page.contains("## Steps"), "{page}");
    desk.press("W").press("<ctrl-u>").press("<enter>");
    assert_eq!(desk.model.layers.len(), 0);
}

/// `w` says why there was a card, also when it was answered long ago.
#[test]
fn why_is_told_of_past_questions() {
    let mut desk = Desk::full((120, 32));
    desk.press("2Gw");
    assert!(desk.dump().contains("Why it is here"), "{}", desk.dump());
    let all = ThreadQuery { limit: 100, ..ThreadQuery::default() };
    desk.press("<esc>").behind(async |inbox| {
        for line in inbox.threads().list(all).await.unwrap().threads {
            for question in inbox.threads().view(line.id).await.unwrap().questions {
                let why = inbox.decisions().why(question.id.to_string()).await.unwrap();
                assert!(why.text().contains("cost"), "{}", why.text());
            }
        }
    });
}
