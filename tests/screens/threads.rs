//! Past threads: the list that lives, and one thread from every side.

use crate::snapshots::{snap, snap_with};
use crate::support::test_inbox::deed;
use crate::support::test_screen::{TestScreen, block_on};
use crate::support::{TestInbox, samples};
use jiff::tz::TimeZone;
use sayso::engine::graph::ThreadId;
use sayso::inbox::{DecisionEnd, Status, ThreadQuery};
use sayso::tui::{Focus, Menu, Tab, ThreadPane};
use serde_json::{Value, json};
use std::time::Duration;

fn listed(screen: &TestScreen) -> Vec<String> {
    screen.model.threads.list.rows.iter().map(|line| line.title.clone()).collect()
}

fn selected(screen: &TestScreen) -> String {
    screen.model.threads.selected().map(|line| line.title.clone()).unwrap_or_default()
}

fn shown(screen: &TestScreen) -> &sayso::tui::Review {
    screen.model.threads.review.as_ref().expect("a thread is shown")
}

fn mail(title: &str, text: &str) -> Value {
    json!({"kind": "mail", "title": title, "from": "x@example.org", "text": text})
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
    snap_with("threads_edited", |screen| {
        screen.press("je").press("<ctrl-u>").type_in("Friday").press("<ctrl-s>").press("y");
        screen.pass(Duration::from_secs(11)).goes_on();
        screen.press("2").press("G").press("k").press("<enter>").press("G");
    });
}

#[test]
fn older_turns_of_any_thread_are_unfolded() {
    let mut screen = TestScreen::full((120, 45));
    screen.press("2<enter>").shows(["▸ ada@example.org, Monday: Could", "▸ 4 quoted lines"]);
    screen.press("<enter>").shows(["  Could you send me the figures?", "> the"]).hides(["▸"]);
    screen.press("<enter>").shows(["▸ ada@example.org, Monday: Could"]);
}

#[test]
fn what_is_searched_for_is_found_while_it_is_typed() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2");
    let all = listed(&screen);
    screen.press("/").type_in("fig");
    assert_eq!(listed(&screen), ["Quarterly figures"]);
    screen.type_in("x");
    assert!(listed(&screen).is_empty());
    screen.press("<backspace>").press("<enter>");
    assert_eq!(listed(&screen), ["Quarterly figures"]);
    assert_eq!(shown(&screen).view.title, "Quarterly figures");
    screen.press("/").type_in("zzz");
    assert!(listed(&screen).is_empty());
    screen.press("<esc>");
    assert_eq!(listed(&screen), ["Quarterly figures"], "what was searched for before is searched for again");
    screen.press("<esc>");
    assert_eq!(listed(&screen), all);
    assert_eq!(selected(&screen), "Quarterly figures", "and stays selected");
    screen.press("l").press("/").type_in("lunch").press("<esc>");
    assert_eq!((screen.model.focus, listed(&screen)), (Focus::Card, all));
    assert_eq!(shown(&screen).view.title, "Quarterly figures");
}

#[test]
fn threads_are_searched_by_sender_kind_status_and_age() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2jj");
    let before = selected(&screen);
    for (typed, titles) in [
        ("from:eve", &["Lunch on Thursday?"][..]),
        ("kind:question", &["Which quarter do you mean?"]),
        ("is:trouble", &["Fetch the prices"]),
        ("workflow:report newer:1h", &["What changed in the code base?"]),
        ("kind:approval from:carol", &["Planning"]),
        ("older:1d", &[]),
    ] {
        screen.press("/").type_in(typed).press("<enter>");
        assert_eq!(listed(&screen), titles, "{typed}");
        let shown = screen.model.threads.review.is_some();
        assert_eq!(shown, !titles.is_empty(), "{typed}: nothing stale is shown");
        screen.press("<esc>");
    }
    screen.press("gg").press("jj").press("/").type_in("kind:").press("<enter>");
    screen.says("…kind: takes triage…");
    screen.press("<esc>");
    assert_eq!(selected(&screen), before, "a search that was given up changes nothing");
}

#[test]
fn the_best_match_comes_first_and_n_walks_through_them() {
    let mail = |title: &str, text: &str| ("desk", mail(title, text));
    let long = "The figures are late. ".repeat(20) + "Of the budget nobody speaks.";
    let samples = vec![mail("The budget", "Soon."), mail("News", &long), mail("Lunch", "At noon.")];
    let mut screen = TestScreen::with((200, 32), samples);
    screen.press("2/").type_in("budget").press("<enter>");
    assert_eq!(listed(&screen), ["The budget", "News"], "not by age");
    screen.shows(["2 found  all "]);
    assert_eq!(shown(&screen).view.title, "The budget");
    let found = screen.model.threads.list.rows[1].snippet.clone().unwrap();
    assert!(found.starts_with('…') && found.contains("Of the budget nobody"), "{found}");
    screen.shows(["Of the budget"]);
    screen.press("n");
    assert_eq!((selected(&screen).as_str(), shown(&screen).view.title.as_str()), ("News", "News"));
    screen.press("n").says("…last match…");
    screen.press("N");
    assert_eq!(selected(&screen), "The budget");
    screen.press("<esc>").press("n").says("…Nothing to repeat…");
}

#[test]
fn a_near_word_is_offered_where_nothing_is_found() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2/").type_in("qarterly figurs").press("<enter>").shows(["“quarterly figures”"]);
    screen.press("<esc>/").type_in("zzzzzzzzz").press("<enter>").hides(["Did you mean"]);
}

/// A thread that ended shows how its last decision did, under the day it began.
#[test]
fn threads_show_outcomes_and_days() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("ja").press("gg");
    while screen.selected() != "Invoice 4711" {
        screen.press("j");
    }
    screen.press("i");
    screen.pass(Duration::from_secs(11)).goes_on().press("2");
    let shown = |title: &str| {
        let line = screen.model.threads.list.rows.iter().find(|line| line.title == title).unwrap();
        (line.outcome_or_status().to_owned(), line.end)
    };
    assert_eq!(shown("Lunch on Thursday?"), ("accepted".to_owned(), Some(DecisionEnd::Done)));
    assert_eq!(shown("Invoice 4711"), ("ignored".to_owned(), Some(DecisionEnd::Ignored)));
    assert_eq!(shown("Planning"), ("waiting".to_owned(), None));
    screen.shows(["Today ───", "accepted  Lunch"]);
    screen.press("/").type_in("is:ignored").press("<enter>");
    assert_eq!(listed(&screen), ["Invoice 4711"]);
    screen.model.wall += jiff::SignedDuration::from_hours(24);
    screen.shows(["Yesterday"]);
}

/// By status and workflow; what is chosen twice is lifted, and `all` lifts everything, as Esc does.
#[test]
fn threads_are_filtered() {
    let mut screen = TestScreen::full((120, 32));
    let all = samples::samples().len();
    let choose = |screen: &mut TestScreen, row: &str| {
        screen.press("2\\gg");
        let Some(menu) = screen.model.top::<Menu>() else { panic!("no menu") };
        let at = menu.list.rows.iter().position(|choice| choice.text.contains(row)).unwrap();
        screen.press(&"j".repeat(at)).press("<enter>");
    };
    choose(&mut screen, "trouble");
    assert_eq!(listed(&screen), ["Fetch the prices"]);
    screen.press("<esc>");
    choose(&mut screen, "workflow  report");
    assert_eq!(listed(&screen), ["What changed in the code base?"]);
    screen.shows(["only report"]);
    choose(&mut screen, "waiting");
    assert!(listed(&screen).is_empty(), "no report waits");
    choose(&mut screen, "workflow  report");
    assert_eq!(listed(&screen).len(), 7, "those that wait, of any workflow");
    choose(&mut screen, "workflow  desk");
    choose(&mut screen, "waiting");
    assert_eq!(listed(&screen).len(), all - 1);
    choose(&mut screen, "all");
    assert_eq!(listed(&screen).len(), all);
    choose(&mut screen, "workflow  desk");
    screen.press("<esc>");
    assert_eq!(listed(&screen).len(), all);
}

/// New threads appear on top, others change, and what one looks at stays where it is.
#[test]
fn what_happens_meanwhile_moves_no_selection() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2jjj");
    let before = selected(&screen);
    screen.start("desk", mail("Just in", "new"));
    assert_eq!(listed(&screen)[0], "Just in");
    assert_eq!(selected(&screen), before);
    let thread = shown(&screen).view.id.clone();
    screen.behind(async |inbox| {
        inbox.threads().stop(thread).await.unwrap();
    });
    assert_eq!(selected(&screen), before);
    assert_eq!(shown(&screen).view.status, Status::Trouble, "what is shown is as it stands");
}

#[test]
fn further_pages_are_read_as_one_moves() {
    let mut screen = TestScreen::with((120, 32), Vec::new());
    screen.behind(async |inbox| {
        for n in 0..230 {
            inbox.threads().start("desk".to_owned(), mail(&format!("Mail {n}"), "x")).await.unwrap();
        }
    });
    screen.press("2");
    assert_eq!(listed(&screen).len(), 100);
    for _ in 0..24 {
        screen.press("<ctrl-d>");
    }
    screen.press("G");
    assert_eq!(listed(&screen).len(), 230);
    assert_eq!(selected(&screen), "Mail 0");
    screen.behind(async |inbox| {
        inbox.threads().start("desk".to_owned(), mail("One more", "x")).await.unwrap();
    });
    assert_eq!((listed(&screen).len(), selected(&screen)), (231, "Mail 0".to_owned()));
}

#[test]
fn a_thread_is_turned_and_left_by_h_and_l() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2");
    assert_eq!(screen.model.focus, Focus::List);
    screen.press("l");
    assert_eq!((screen.model.focus, shown(&screen).pane), (Focus::Card, ThreadPane::Conversation));
    screen.press("llll");
    assert_eq!(shown(&screen).pane, ThreadPane::State);
    screen.press("l");
    assert_eq!(shown(&screen).pane, ThreadPane::Conversation, "one key reaches them all");
    screen.press("llllhhhhh");
    assert_eq!((screen.model.focus, shown(&screen).pane), (Focus::List, ThreadPane::Conversation));
    screen.press("ll").press("J");
    assert_eq!(shown(&screen).pane, ThreadPane::Steps, "the next thread is looked at from the same side");
    let last = shown(&screen).step;
    screen.press("[");
    assert_eq!(shown(&screen).step, last - 1);
    assert!(shown(&screen).states.as_ref().is_some_and(|states| states.n as usize == last - 1));
    screen.press("]]]");
    assert_eq!(shown(&screen).step, last);
    // Whoever comes from elsewhere begins with the conversation.
    screen.press("1t");
    assert_eq!(shown(&screen).pane, ThreadPane::Conversation);
}

/// What a fork asks anew stands in the inbox, selected; the original is as it was.
#[test]
fn a_fork_is_asked_about_and_opens_in_the_inbox() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2G").press("<enter>").press("f").says("…step…");
    let original = shown(&screen).view.clone();
    screen.press("lf").shows(["Fork a new thread after step"]);
    screen.press("n");
    let count = listed(&screen).len();
    screen.press("f");
    screen.burst("y");
    assert_eq!(listed(&screen).len(), count, "keys that were waiting fork nothing");
    screen.press("n").press("fy");
    assert_eq!(screen.model.tab, Tab::Inbox);
    screen.selects("Quarterly figures");
    let fork: ThreadId = screen.model.selected().unwrap().thread.clone();
    assert_ne!(fork, original.id);
    screen.behind(async |inbox| {
        let fork = inbox.threads().view(fork).await.unwrap();
        assert_eq!(fork.forked_from.unwrap().thread, original.id);
        assert_eq!(inbox.threads().view(original.id.clone()).await.unwrap().steps, original.steps);
    });
}

#[test]
fn trouble_is_retried_or_given_up_from_its_thread() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2jj");
    assert_eq!(
        (selected(&screen).as_str(), shown(&screen).view.status),
        ("Fetch the prices", Status::Trouble)
    );
    screen.press("S").says("…in doubt…");
    screen.press("R").press("n").decided(0);
    screen.press("Ry");
    let decided = screen.decisions();
    assert_eq!((decided[0].r#type.as_str(), decided[0].by.to_string()), ("accept", "tui".to_owned()));
    screen.goes_on();
    assert_eq!(shown(&screen).view.status, Status::Trouble, "it failed again");
    screen.press("Xy");
    assert_eq!(screen.decisions().last().unwrap().r#type, "ignore");
    screen.goes_on();
    assert_eq!(shown(&screen).view.status, Status::Abandoned);
    screen.press("X").says("…has ended…");
}

/// `S` tells how an effect in doubt ended; it takes a choice and a `y`, and nothing happens twice for it.
#[test]
fn an_effect_in_doubt_is_settled_from_its_thread() {
    for (row, asked, state, performed) in
        [(0, "Count it as done?", "settled", 0), (1, "Do it again?", "done", 1)]
    {
        let inbox = TestInbox::new();
        inbox.leave_in_doubt();
        let thread = block_on(inbox.run_accepted(deed()));
        assert_eq!(block_on(inbox.trouble(&thread)).0, "in_doubt");
        let world = inbox.world.clone();
        let mut screen = TestScreen::over(inbox, (120, 32));
        screen.press("2");
        assert_eq!(shown(&screen).view.id, thread);
        let before = screen.decisions().len();
        screen.press("S").press(&"j".repeat(row)).press("<enter>").shows([asked]);
        screen.press("<enter>").burst("y");
        assert_eq!(screen.decisions().len(), before, "neither Enter nor a burst settles it");
        screen.press("<esc>").press("S").press(&"j".repeat(row)).press("<enter>").press("y");
        assert_eq!(screen.decisions().len(), before + 1);
        screen.goes_on();
        assert_eq!(shown(&screen).view.status, Status::Done, "{asked}");
        assert_eq!(shown(&screen).view.effects[0].state, state, "{asked}");
        assert_eq!(world.performed().len(), performed, "{asked}");
        screen.press("S");
        assert!(screen.model.popup().is_none(), "there is no doubt any more");
    }
}

#[test]
fn a_thread_that_is_alive_is_stopped_from_its_page() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2G").press("X");
    screen.press("y");
    screen.behind(async |_| {});
    assert_eq!(shown(&screen).view.status, Status::Trouble);
    screen.press("a");
    assert_eq!(screen.model.tab, Tab::Inbox);
    assert!(screen.selected().contains("stopped"), "{}", screen.selected());
}

#[test]
fn a_stopped_thread_has_one_card_and_it_is_selected() {
    let mut screen = TestScreen::full((120, 32));
    screen.on_the_mail();
    let (asked, before) = (screen.selected(), screen.titles().len());
    screen.press("X").press("y");
    screen.behind(async |_| {});
    assert!(screen.selected().contains("stopped"), "{}", screen.dump());
    screen.shows(["Stopped · desk"]);
    assert_eq!(screen.titles().len(), before);
    assert!(!screen.titles().contains(&asked), "{:?}", screen.titles());
}

#[test]
fn a_thread_is_written_to_a_file_once() {
    let mut screen = TestScreen::full((120, 32));
    screen.model.options.time_zone = TimeZone::fixed(jiff::tz::offset(13));
    let path = screen.inbox.folder().join("thread.md").display().to_string();
    for said in ["Written to", "is there already"] {
        screen.press("2").press("W").press("<ctrl-u>").type_in(&path).press("<enter>");
        assert!(screen.note().contains(said), "{}", screen.note());
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("# ") && page.contains("## Steps") && page.contains("+13"), "{page}");
    screen.press("W").press("<ctrl-u>").press("<enter>");
    assert_eq!(screen.model.layers.len(), 0);
}

/// `w` says why there was a card, also when it was answered long ago.
#[test]
fn why_is_told_of_past_questions() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2Gw").shows(["Why it is here"]);
    let all = ThreadQuery { limit: 100, ..ThreadQuery::default() };
    screen.press("<esc>").behind(async |inbox| {
        for line in inbox.threads().list(all).await.unwrap().rows {
            for question in inbox.threads().view(line.id).await.unwrap().questions {
                let why = inbox.decisions().why(question.id.to_string()).await.unwrap();
                assert!(why.text().contains("cost"), "{}", why.text());
            }
        }
    });
}
