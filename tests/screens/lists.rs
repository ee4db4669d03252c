//! Lists and forms that don't fit, lists with nothing in them, and the way back to a list.

use crate::support::test_screen::TestScreen;
use jiff::SignedDuration;
use sayso::engine::graph::Progress;
use sayso::tui::{Menu, Msg};
use serde_json::json;

fn lines(screen: &mut TestScreen) -> Vec<String> {
    screen.dump().lines().map(str::to_owned).collect()
}

fn footer(screen: &mut TestScreen) -> String {
    lines(screen).pop().unwrap()
}

/// There is room for one line of the last item; it shows what the first line of the others does.
#[test]
fn a_list_shows_that_there_is_more() {
    let mut screen = TestScreen::full((100, 20));
    let shown = lines(&mut screen);
    assert!(shown[17].starts_with(" • Bob Stone") && shown[17].contains("now▼│"), "{shown:#?}");
    assert!(!shown[1].contains('▲'), "{shown:#?}");
    screen.press("G");
    let shown = lines(&mut screen);
    assert!(shown[1].contains("▲│"), "{shown:#?}");
    assert!(!shown.iter().any(|line| line.contains("▼│")), "{shown:#?}");
}

#[test]
fn a_form_shows_that_there_is_more() {
    let mut screen = TestScreen::full((60, 15));
    screen.press("je").press(&"<enter>".repeat(12)).press(&"<up>".repeat(12));
    screen.shows(["▼ │"]).hides(["▲"]);
    screen.press(&"<down>".repeat(20));
    screen.shows(["▲ │"]).hides(["▼"]);
}

/// Whatever is typed or pasted there shows the matches from the first on.
#[test]
fn paging_and_pasted_text_do_the_same_in_every_pop_up() {
    let mut screen = TestScreen::full((100, 20));
    for opens in [":", "?"] {
        screen.press(opens).hides(["▲"]).press("<pagedown><pagedown>").shows(["▲"]);
        screen.tell(Msg::Paste("e".to_owned())).hides(["▲"]).press("<esc>");
    }
    screen.press("4").press("c<pagedown>");
    let menu = &screen.model.top::<Menu>().unwrap().list;
    assert_eq!(menu.cursor + 1, menu.rows.len(), "a short menu is paged to its end");
}

#[test]
fn a_card_on_a_small_screen_names_the_way_back() {
    let mut screen = TestScreen::full((80, 24));
    assert!(!footer(&mut screen).contains("Esc back"));
    screen.press("j<enter>");
    let shown = footer(&mut screen);
    assert!(shown.contains("z later") && shown.ends_with("Esc back  ? help"), "{shown}");
    screen.press("<esc>");
    assert!(!footer(&mut screen).contains("Esc back"));
    // In a thread `h` goes through its views first.
    screen.press("2<enter>");
    let shown = footer(&mut screen);
    assert!(shown.ends_with("Esc back  ? help") && !shown.contains("previous view"), "{shown}");
    screen.press("l");
    let shown = footer(&mut screen);
    assert!(shown.contains("h previous view") && shown.ends_with("Esc back  ? help"), "{shown}");
    screen.press("<esc>");
    assert!(!footer(&mut screen).contains("Esc back"));
}

#[test]
fn an_inbox_without_sources_says_where_things_come_from() {
    let mut screen = TestScreen::with((120, 36), Vec::new());
    screen.shows(["Inbox zero"]);
    screen.model.options.no_sources = true;
    screen.shows([
        "`sayso init` brings your mail",
        "`sayso connect` your coding agents",
        "c starts a thread · ? shows",
    ]);
}

#[test]
fn threads_show_the_age_they_are_ordered_by() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("2");
    for (hours, line) in (1..).zip(&mut screen.model.threads.list.rows) {
        line.created_at -= SignedDuration::from_hours(hours);
    }
    screen.shows(["desk  1h", "desk  9h"]);
}

#[test]
fn an_empty_inbox_says_what_is_still_going_on() {
    let mut screen = TestScreen::with((120, 36), Vec::new());
    let mut started = None;
    screen.behind(async |inbox| {
        for title in ["One", "Two"] {
            let input = json!({"kind": "question", "title": title, "text": "?"});
            started = Some(inbox.threads().start("desk".to_owned(), input).await.unwrap().thread);
        }
    });
    screen.shows(["Nothing waits for you yet.", "2 threads are next"]).hides(["Inbox zero"]);
    let (thread, server) = (started.unwrap(), "127.0.0.1:9".to_owned());
    screen.tell(Msg::Progress(Progress::Unreachable { thread: thread.clone(), server }));
    let shown = screen.dump().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("1 thread is next"), "{shown}");
    for words in ["1 thread waits for the model at", "127.0.0.1:9"] {
        assert!(shown.contains(words), "{shown}");
    }
    // It got through.
    screen.tell(Msg::Progress(Progress::Finished { thread })).shows(["2 threads are next"]);
}
