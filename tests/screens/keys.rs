//! What keys do.

use crate::harness::Desk;
use sayso::graph::{Decision, InterruptId};
use sayso::inbox::{By, Decide};
use sayso::tui::{Cmd, Focus, Mouse, Msg, Tab};
use serde_json::json;

const SIZE: (u16, u16) = (120, 32);

fn kinds(desk: &Desk) -> Vec<(String, String)> {
    desk.decisions().into_iter().map(|decision| (decision.r#type, decision.action)).collect()
}

fn of(kind: &str, action: &str) -> (String, String) {
    (kind.to_owned(), action.to_owned())
}

#[test]
fn every_way_of_deciding() {
    let mut desk = Desk::full(SIZE);
    desk.press("a");
    assert_eq!(kinds(&desk), [of("accept", "notify")]);
    assert_eq!(desk.selected(), "Lunch on Thursday?", "the next one is selected");
    desk.press("r").type_in("Friday is better").press("<ctrl-s>");
    assert!(kinds(&desk).contains(&of("respond", "write_email")));
    desk.press("i");
    let ignored = desk.decisions().into_iter().find(|decision| decision.r#type == "ignore").unwrap();
    assert_eq!(ignored.action, "write_email");
    desk.press("e<tab><tab>").press("<ctrl-u>").type_in("45").press("<ctrl-s>y");
    let edited = desk.decisions().into_iter().find(|decision| decision.r#type == "edit").unwrap();
    assert_eq!(edited.args["minutes"], json!(45));
    assert_eq!(edited.proposed["minutes"], json!(30));
    assert_eq!(desk.selected(), "Mean of three values");
    desk.press("G").press("a");
    assert!(desk.note().starts_with("filed away"), "{}", desk.note());
}

#[test]
fn what_was_decided_can_be_taken_back() {
    let mut desk = Desk::full(SIZE);
    desk.press("j").press("a");
    assert!(!desk.titles().contains(&"Lunch on Thursday?".to_owned()));
    assert!(desk.model.undo.as_ref().unwrap().until.is_some(), "it counts down");
    desk.press("u");
    assert_eq!(desk.selected(), "Lunch on Thursday?");
    assert!(desk.decisions().iter().all(|decision| decision.undone_at.is_some()));
}

#[test]
fn marks_are_decided_together_and_taken_back_as_a_whole() {
    let mut desk = Desk::full(SIZE);
    desk.press("gn").press("*").press("a");
    assert!(desk.decisions().is_empty(), "it asks first");
    desk.press("<enter>");
    assert!(desk.decisions().is_empty(), "Enter does not confirm");
    desk.press("y");
    assert_eq!(kinds(&desk).len(), 2);
    desk.press("u");
    assert!(desk.decisions().iter().all(|decision| decision.undone_at.is_some()));
    assert_eq!(desk.titles().len(), 2);
}

#[test]
fn marks_of_two_sorts_and_trouble_are_not_decided_together() {
    let mut desk = Desk::full(SIZE);
    desk.press("*").press("a");
    assert!(desk.note().contains("one kind and one tool"), "{}", desk.note());
    desk.press("gx").press("*").press("a");
    assert!(desk.note().contains("one at a time"), "{}", desk.note());
    desk.press("\\write<enter>").press("*").press("a");
    assert!(desk.decisions().is_empty());
}

#[test]
fn warned_items_are_left_out_and_named() {
    let mut desk = Desk::full(SIZE);
    desk.press("\\from:eve<enter>").press("*").press("\\<ctrl-u>write_email<enter>").press("*").press("a");
    let shown = desk.dump();
    assert!(shown.contains("1 item will be accepted"), "{shown}");
    assert!(shown.contains("Invoice 4711: carries a warning"), "{shown}");
    desk.press("y");
    assert_eq!(kinds(&desk), [of("accept", "write_email")]);
}

#[test]
fn new_items_do_not_move_the_selection() {
    let mut desk = Desk::full(SIZE);
    desk.press("jj");
    desk.press("s").press("j").press("<enter>");
    assert_eq!(desk.selected(), "Invoice 4711", "sorting keeps it");
    desk.start("desk", json!({"kind": "mail", "title": "Brand new", "from": "x@example.org"}));
    assert_eq!(desk.selected(), "Invoice 4711");
    assert_eq!(desk.titles()[1], "Brand new");
    assert!(matches!(desk.outside.last(), Some(Cmd::Notice(text)) if text.contains("1 new item")));
}

#[test]
fn keys_are_dead_on_what_vanished_until_the_next_move() {
    let mut desk = Desk::full(SIZE);
    desk.press("j");
    let id = InterruptId::parse(&desk.model.inbox.list.selected().unwrap().id).unwrap();
    desk.behind(async |inbox| {
        let decide =
            Decide { interrupt: id, decision: Decision::Ignore, shown: None, learn: true, by: By::Cli };
        inbox.decisions().decide(decide).await.unwrap();
    });
    assert_eq!(desk.selected(), "");
    desk.press("a").press("i");
    assert_eq!(desk.decisions().len(), 1, "only the one decided elsewhere");
    desk.press("j");
    assert_eq!(desk.selected(), "Invoice 4711", "the move goes to what took its place");
}

#[test]
fn a_card_that_changed_is_not_decided_as_it_was() {
    let mut desk = Desk::full(SIZE);
    desk.press("j");
    let wrong = "0".repeat(64);
    let shown = desk.model.shown.clone().unwrap();
    assert_ne!(shown.hash.unwrap(), wrong);
    let ready = sayso::tui::PendingDecision {
        id: InterruptId::parse(&shown.id).unwrap(),
        shown: wrong,
        decision: Decision::Accept,
        learn: true,
    };
    desk.perform(vec![Cmd::Decide(sayso::tui::DecisionKind::Accepted, vec![ready])]);
    assert!(desk.decisions().is_empty());
    assert!(desk.note().contains("has changed since it was shown"), "{}", desk.note());
}

#[test]
fn snoozed_items_are_out_of_sight() {
    let mut desk = Desk::full(SIZE);
    desk.press("jz").press("<enter>");
    assert!(!desk.titles().contains(&"Lunch on Thursday?".to_owned()));
    desk.press("gs");
    assert_eq!(desk.titles(), ["Lunch on Thursday?"]);
    desk.press("z").press("<enter>");
    desk.press("gi");
    assert!(desk.titles().contains(&"Lunch on Thursday?".to_owned()), "woken by hand");
}

#[test]
fn search_and_filters() {
    let mut desk = Desk::full(SIZE);
    desk.press("/is:warn<enter>");
    assert_eq!(desk.selected(), "Invoice 4711");
    desk.press("/example.org<enter>").press("n");
    let first = desk.selected();
    desk.press("N").press("n");
    assert_eq!(desk.selected(), first);
    desk.press("\\older:2d<enter>");
    assert!(desk.titles().is_empty());
    desk.press("<esc><esc>");
    assert_eq!(desk.titles().len(), 9);
    desk.press("/older:soon<enter>");
    assert!(desk.note().contains("older: takes a time"), "{}", desk.note());
    for (keys, count) in
        [("ga", 4), ("gn", 2), ("gq", 1), ("gx", 1), ("gd", 1), ("gs", 0), ("go", 0), ("gi", 9)]
    {
        desk.press("<esc>").press(keys);
        assert_eq!(desk.titles().len(), count, "{keys}");
    }
}

#[test]
fn a_thread_is_started_from_a_form_and_from_the_palette() {
    let mut desk = Desk::with(SIZE, Vec::new());
    desk.press("c<enter>").type_in("mail").press("<tab>").type_in("By hand").press("<ctrl-s>");
    assert!(desk.note().starts_with("started t"), "{}", desk.note());
    desk.press(":").type_in("desk --kind mail --title \"By line\"").press("<enter>");
    assert!(desk.note().starts_with("started t"), "{}", desk.note());
    desk.press("c<enter><ctrl-s>");
    assert!(desk.dump().contains("is needed"), "{}", desk.dump());
}

#[test]
fn the_palette_acts_but_never_decides() {
    let mut desk = Desk::full(SIZE);
    desk.press(":").type_in("accept").press("<enter>");
    assert!(desk.note().contains("press a"), "{}", desk.note());
    assert!(desk.decisions().is_empty());
    desk.press(":").type_in("all threads").press("<enter>");
    assert_eq!(desk.model.tab, Tab::Threads);
}

#[test]
fn results_go_on_in_the_same_thread() {
    let mut desk = Desk::full(SIZE);
    desk.press("Gr").type_in("now by quarter").press("<ctrl-s>");
    assert!(desk.note().starts_with("gone on with"), "{}", desk.note());
    assert_eq!(desk.titles().len(), 8);
}

#[test]
fn the_editor_gives_back_what_it_was_given() {
    let mut desk = Desk::full(SIZE);
    desk.press("jE");
    let Some(Cmd::Editor(layer, text, "json")) = desk.outside.pop() else { panic!("an editor is asked for") };
    let text = text.replace("Thursday at noon", "Friday at one");
    desk.tell(Msg::Edited(layer, Ok(text)));
    desk.drawn();
    desk.press("<ctrl-s>");
    assert!(desk.dump().contains("+ Friday at one"), "{}", desk.dump());
    desk.press("y");
    assert_eq!(kinds(&desk), [of("edit", "write_email")]);
}

#[test]
fn copying_stopping_pausing_and_leaving() {
    let mut desk = Desk::full(SIZE);
    desk.press("y");
    assert!(matches!(desk.outside.last(), Some(Cmd::Copy(text)) if text.contains("Quarterly figures")));
    desk.press("X").press("y");
    assert!(desk.note().starts_with("stopped"), "{}", desk.note());
    desk.press("!");
    assert!(desk.note().starts_with("paused"), "{}", desk.note());
    desk.press("<enter>");
    assert_eq!(desk.model.focus, Focus::Card);
    desk.press("q");
    assert_eq!(desk.model.focus, Focus::List);
    desk.press("q");
    assert_eq!(desk.outside.last(), Some(&Cmd::Quit));
}

#[test]
fn the_mouse_points_and_scrolls() {
    let mut desk = Desk::full(SIZE);
    desk.tell(Msg::Mouse(Mouse::Click, 5, 4));
    assert_eq!(desk.selected(), "Lunch on Thursday?");
    desk.tell(Msg::Mouse(Mouse::WheelDown, 5, 4));
    assert_eq!(desk.selected(), "Invoice 4711");
    desk.tell(Msg::Mouse(Mouse::Click, 14, 0));
    assert_eq!(desk.model.tab, Tab::Threads);
}
