//! How the list is ordered and grouped, and what is said before many are decided at once.

use crate::support::test_inbox::hand_in;
use crate::support::test_screen::{TestScreen, block_on, wall};
use sayso::inbox::{Group, LineQuery, Order, Sort};
use sayso::tui::{Menu, Msg};
use serde_json::json;
use std::time::Duration;

const SIZE: (u16, u16) = (120, 32);

/// Chooses the row of a menu that holds these words.
fn choose(screen: &mut TestScreen, words: &str) {
    for _ in 0..20 {
        let Some(menu) = screen.model.top::<Menu>() else { panic!("no menu: {}", screen.dump()) };
        if menu.list.selected().unwrap().text.contains(words) {
            screen.press("<enter>");
            return;
        }
        screen.press("j");
    }
    panic!("{words} is not offered");
}

/// Where these parts are first drawn, in this order from top to bottom.
fn follow_one_another<const N: usize>(screen: &mut TestScreen, parts: [&str; N]) {
    let shown = screen.dump();
    let lines = parts.map(|part| {
        shown.lines().position(|line| line.contains(part)).unwrap_or_else(|| panic!("no {part:?}:\n{shown}"))
    });
    assert!(lines.is_sorted(), "{lines:?}\n{shown}");
}

#[test]
fn what_is_urgent_comes_first_and_opens_the_inbox() {
    let mut screen = TestScreen::full((120, 40));
    screen.selects("desk cannot go on").hides(["Agents waiting", "approval", "triage"]);
    assert!(screen.model.shown.is_some(), "its card is on the screen");
    let first = block_on(screen.inbox.decisions().lines(LineQuery::First(3))).unwrap();
    let first: Vec<&str> = first.iter().map(|line| line.title.as_str()).collect();
    assert_eq!(
        first,
        ["desk cannot go on", "Lunch on Thursday?", "Invoice 4711"],
        "the first frame has them"
    );
    let headings =
        ["Trouble 1 ─", "To approve 4 ─", "Questions 1 ─", "For your information 2 ─", "Results 1 ─"];
    follow_one_another(&mut screen, headings);
    screen.press("k");
    let late = json!({"kind": "reply", "title": "Thanks", "from": "x@example.org", "text": "Hi"});
    screen.start("desk", late);
    screen.selects("desk cannot go on"); // what comes moves nothing
    follow_one_another(&mut screen, ["Trouble 1 ─", "To approve 5 ─"]);
    // A filter leaves the headings of what it shows.
    screen.press("gq").shows(["Questions 1 ─"]).hides(["Trouble", "Results"]);
}

/// A row has a sign, the sender, the subject and the age, and below them the gist. A low list has rows of one line.
#[test]
fn a_row_says_who_and_what() {
    let mut screen = TestScreen::full((120, 40));
    let shown = screen.dump();
    let line = |part: &str| shown.lines().position(|line| line.contains(part)).unwrap();
    let at = line("eve@example.org  Lunch on Thursday?");
    assert!(shown.lines().nth(at + 1).unwrap().starts_with("   Dear Eve,"), "{shown}");
    assert!(shown.lines().nth(line("Bob Stone")).unwrap().starts_with(" • Bob Stone  Quarterly"), "{shown}");
    screen.model.options.glyphs = sayso::tui::Glyphs::Plain;
    screen.shows(["# eve@example.org", ". Bob Stone", "* report"]).hides(["▦", "•", "★"]);
    screen.resize(80, 24).shows(["# eve@example.org  Lunch on Thursday?  Dear Eve,"]);
}

#[test]
fn a_card_that_was_on_the_screen_is_not_new_any_more() {
    let mut screen = TestScreen::full(SIZE);
    let unseen = |screen: &TestScreen| {
        let list = &screen.model.inbox.list;
        list.all().iter().filter(|row| list.is_unseen(row)).count()
    };
    let all = screen.titles().len();
    assert_eq!(unseen(&screen), all - 1);
    screen.press("jj");
    assert_eq!(unseen(&screen), all - 3);
    // What lies over a card, or covers it, hides it.
    screen.resize(60, 11).press("j");
    assert_eq!(unseen(&screen), all - 3);
}

#[test]
fn marks_stay_on_their_items_in_any_order() {
    let mut screen = TestScreen::full(SIZE);
    let marked = |screen: &TestScreen| -> Vec<String> {
        screen.model.inbox.list.marked().into_iter().map(|row| row.title.clone()).collect()
    };
    let titles = screen.titles();
    screen.press("gg").press("j").press(" ").press("j").press(" ");
    assert_eq!(marked(&screen), [&*titles[1], &*titles[3]]);
    screen.press("s");
    choose(&mut screen, "newest first");
    assert_eq!(marked(&screen), [&*titles[3], &*titles[1]], "in the order shown");
    // What a filter hides is not marked for now; it is again when it is shown.
    screen.press(&format!("\\{}<enter>", titles[1].split(' ').next().unwrap()));
    assert_eq!(marked(&screen), [&*titles[1]]);
    screen.shows(["1 marked"]).press("2").hides(["1 marked"]).press("1").shows(["1 marked"]);
    screen.press("<esc>").hides(["1 marked"]);
    screen.press("gk/").says("There is nothing to search here");
    screen.press("a").says("Nothing is left to decide in this list").press("gi");
    screen.press("gg").press("*").press("*");
    assert!(marked(&screen).is_empty() && !screen.model.inbox.list.has_marks(), "{}", screen.dump());
}

#[test]
fn the_order_is_remembered() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("s");
    choose(&mut screen, "newest first");
    screen.press("s");
    choose(&mut screen, "by sender");
    let list = &screen.reopen().model.inbox.list;
    assert_eq!(list.order, Order { sort: Sort::Newest, group: Group::Sender });
}

#[test]
fn a_row_tells_the_age_of_the_mail() {
    let mail = |title: &str| {
        ("desk", json!({"kind": "mail", "title": title, "from": "x@example.org", "text": "Soon."}))
    };
    let mut screen = TestScreen::with(SIZE, vec![mail("News"), mail("Old news")]);
    assert_eq!(screen.titles(), ["News", "Old news"]);
    let rows = screen.model.inbox.list.all();
    let old = rows.iter().find(|row| row.title == "Old news").unwrap().thread.clone();
    screen.behind(async |inbox| {
        let sent_at = wall().checked_sub(jiff::SignedDuration::from_hours(72)).ok();
        hand_in(inbox, &old, "Old news", |mail| mail.sent_at = sent_at).await;
    });
    let screen = &mut screen.reopen();
    assert_eq!(screen.titles(), ["Old news", "News"]);
    screen.shows([" 3d "]);
}

#[test]
fn what_was_learned_is_taken_back_or_narrowed_in_place() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j").press("a").goes_on();
    screen.remember().tell(Msg::Changed).says("…gl takes it back…").press("gl");
    choose(&mut screen, "reword it");
    screen.type_in(" To colleagues.").press("<enter>");
    let profile = screen.profile().newest.profile;
    assert!(profile.starts_with("Prefers short replies. To colleagues.\n"), "{profile}");
    screen.tell(Msg::Changed).press("gl");
    choose(&mut screen, "take it back");
    assert_eq!(screen.profile().newest.profile, "Signs with “Ada”.");
}

#[test]
fn rows_are_added_changed_paused_and_deleted_by_one_key_each() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("3").press("o").type_in("Shop.Example").press("<enter>");
    choose(&mut screen, "show mail from @shop.example lower");
    screen.says("From now on: show mail from @shop.example lower").shows(["lower", "you set it"]);
    screen.press("e");
    choose(&mut screen, "skip mail from @shop.example");
    screen.shows(["Skip mail from @shop.example"]);
    screen.press("p").says("Paused: skip mail from @shop.example").shows(["It is paused", "p resume"]);
    screen.press("p").says("On again: skip mail from @shop.example").hides(["It is paused"]);
    screen.press("P").says("Rows have no text · e changes one");
    // A key held down asks once, and deletes nothing.
    screen
        .press("X")
        .burst("XX")
        .shows(["Delete the row “skip mail from @shop.example”?", "It can't be taken back"]);
    screen.press("n").hides(["Delete the row"]).shows(["Skip mail from @shop.example"]);
    screen.press("X").press("y");
    screen.says("Deleted: skip mail from @shop.example").shows(["Nothing has been learned yet"]);
}

#[test]
fn several_lessons_of_one_decision_are_counted() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j").press("a").goes_on();
    let long = "word ".repeat(60);
    screen.learn("email/triage_preferences", "- ignore mail from ci@forge.example");
    screen.learn("email/response_preferences", &format!("- Say {long}")).tell(Msg::Changed);
    let note = screen.note();
    assert!(note.starts_with("Learned 2 things, among them: "), "{note}");
    assert!(note.ends_with("gl takes that one back"), "{note}");
    assert!(note.chars().count() <= usize::from(SIZE.0), "{note}");
}

#[test]
fn the_hold_drains_as_a_bar() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("ja").shows(["Sending to eve@example.org · 10 s · u stops it · . sends it now"]);
    let full = screen.dump().matches('━').count();
    screen.pass(Duration::from_secs(5));
    let shown = screen.dump();
    assert!(shown.matches('━').count() < full && shown.contains(" · 5 s · u stops it"), "{shown}");
}

#[test]
fn a_decision_leads_to_its_reasons_and_to_other_answers() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j").press("a");
    screen.goes_on().press("gh").press("w").shows(["Why it was asked"]).press("<esc>").press("=");
    assert_eq!(screen.model.inbox.history.filter.typed, "from:\"eve@example.org\"");
    screen.shows(["Lunch on Thursday?"]);
}

/// A screen at the beginning of the tour; the tour's mail is delivered to this folder.
fn on_tour(folder: &std::path::Path) -> TestScreen {
    for part in ["tmp", "new"] {
        std::fs::create_dir_all(folder.join("mail/inbox").join(part)).unwrap();
    }
    let mail = |title: &str| {
        ("desk", json!({"kind": "mail", "title": title, "from": "x@example.org", "text": "Soon."}))
    };
    let reply = json!({"kind": "reply", "title": "Re: Twelve cargo bikes", "from": "a@example.org", "text": "Gladly."});
    let samples = vec![
        mail("First"),
        mail("your mailbox is 98% full"),
        ("desk", reply),
        mail("Build failed: 1"),
        mail("git push"),
    ];
    let mut screen = TestScreen::with(SIZE, samples);
    let tour = sayso::app::demo_tour(folder, &jiff::tz::TimeZone::UTC);
    let options = sayso::tui::Options { tour, time_zone: jiff::tz::TimeZone::UTC, ..Default::default() };
    let begun =
        sayso::tui::Model::new(options, Vec::new(), SIZE, screen.model.now, screen.model.wall).unwrap();
    screen.model.tour = begun.tour;
    screen.tell(Msg::Changed);
    screen
}

/// Whoever reads for longer than the hold is told what became of the mail, and where to see it.
#[test]
fn the_tour_says_when_it_is_too_late_to_undo() {
    let folder = tempfile::tempdir().unwrap();
    let mut screen = on_tour(folder.path());
    screen.pass(Duration::from_secs(1));
    screen.press("i").press("e").type_in("Dear Ada, ").press("<ctrl-s>");
    screen.shows(["Press u to take it back"]);
    screen.goes_on();
    screen.pass(Duration::from_secs(11)).shows(["Tour 3 of 7", "what you decided has been done"]);
    screen.press("gh").shows(["Tour 3 of 7", "Esc goes back"]);
    screen.press("gi").shows(["Tour 4 of 7", "Esc leaves the tour"]);
}

/// Whoever looks at something else finds the way back, and a step that was done before its turn is left out.
#[test]
fn the_tour_waits_for_whoever_looks_around() {
    let folder = tempfile::tempdir().unwrap();
    let mut screen = on_tour(folder.path());
    screen.selects("your mailbox is 98% full").shows(["Tour 1 of 7", "Esc leaves the tour"]);
    screen.pass(Duration::from_secs(1)).press("k").shows(["the tour waits", "Esc goes back"]);
    screen.press("<esc>").selects("your mailbox is 98% full").shows(["goes to spam"]);
    screen.press("2").shows(["the tour waits"]).press("<esc>").selects("your mailbox is 98% full");
    screen.press("j").selects("Build failed: 1");
    screen.pass(Duration::from_secs(1)).press("i").shows(["Tour 1 of 7"]);
    screen.press("<esc>").selects("your mailbox is 98% full");
    screen.pass(Duration::from_secs(1)).press("i").selects("Re: Twelve cargo bikes").shows(["Tour 2 of 7"]);
    screen.pass(Duration::from_secs(1)).press("a").shows(["Tour 3 of 7"]);
    screen.press("u").shows(["Tour 5 of 7"]);
}

/// The tour selects what it speaks of, and goes on by what the person does; it decides nothing.
#[test]
fn the_tour_goes_on_by_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut screen = on_tour(folder.path());
    screen.selects("your mailbox is 98% full").shows(["Tour 1 of 7"]);
    screen.pass(Duration::from_secs(1)).press("i");
    screen.selects("Re: Twelve cargo bikes").shows(["Tour 2 of 7"]);
    screen.press("e").type_in("Dear Ada, ").shows(["Dear Ada, Gladly."]); // it opens on the text, at its beginning
    screen.shows(["Tour 2 of 7"]); // what it says stays in sight
    screen.press("<ctrl-s>").shows(["Tour 3 of 7"]);
    screen.press("u").says("Taken back: “Re: Twelve cargo bikes”");
    screen.selects("Build failed: 1").shows(["Tour 4 of 7"]);
    screen.press("gh").press("gi").selects("Build failed: 1"); // whoever looks around comes back to it
    screen.press("i").shows(["Tour 5 of 7"]);
    let mail = std::fs::read_to_string(folder.path().join("mail/inbox/new/29-build-failed.demo")).unwrap();
    assert!(mail.contains("Mar 2026 09:59:00"), "another mail has come just now: {mail}");
    screen.press("gk").shows(["Tour 5 of 7"]); // it waits while skipped mail is looked at
    screen.press("gi");
    screen.selects("git push").shows(["Tour 6 of 7"]);
    screen.press("a").shows(["Tour 7 of 7"]);
    screen.press("<esc>").press("<esc>").hides(["Tour"]);
}
