//! A form stands in its card's place. What is answered stays in sight below it on a high screen, and is scrolled from
//! there. Meetings show their day.

use crate::snapshots::snap_at;
use crate::support::email_inbox::{BOB, EmailInbox, calls, mail_with, meet, write};
use crate::support::test_screen::{TestScreen, block_on};
use sayso::calendar::Busy;
use sayso::tui::{Form, Model, Mouse, Msg};
use serde_json::json;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 60)];

const WIDE: (u16, u16) = (160, 30);

/// A long mail of Bob's and the answer to it, ready to send.
fn letter(size: (u16, u16)) -> TestScreen {
    let lines: Vec<String> = (1..=60).map(|n| format!("Point {n}: what about it?")).collect();
    over(size, &mail_with("", &lines.join("\n")), write())
}

/// A meeting on a day on which something else is.
fn meeting(size: (u16, u16)) -> TestScreen {
    over(size, &mail_with("", "Shall we meet?"), meet())
}

fn over(size: (u16, u16), mail: &str, call: (&str, serde_json::Value)) -> TestScreen {
    let inbox = EmailInbox::new("respond", [calls([call])]);
    let at = |text: &str| text.parse().unwrap();
    let busy = |start: &str, end: &str, title: &str| Busy {
        start: at(start),
        end: at(end),
        title: title.to_owned(),
        all_day: false,
    };
    inbox.calendar.busy.lock().unwrap().extend([
        busy("2036-05-05T07:00:00Z", "2036-05-05T08:30:00Z", "Stand-up"),
        busy("2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z", "Dentist"),
    ]);
    block_on(inbox.take_in(mail, json!({}))).unwrap();
    block_on(inbox.drive());
    TestScreen::over((*inbox).clone(), size)
}

#[test]
fn forms_beside_their_cards() {
    let press = |keys: &'static str| {
        move |screen: &mut TestScreen| {
            screen.press(keys);
        }
    };
    snap_at(&SIZES, "beside_edit", letter, press("e"));
    snap_at(&SIZES, "beside_respond", letter, press("r"));
    snap_at(&SIZES, "beside_scrolled", letter, press("e<pagedown><ctrl-down>"));
    snap_at(&SIZES, "meeting_day", meeting, press("<enter>"));
}

#[test]
fn a_form_does_not_say_who_would_be_left_out_without_it() {
    for size in SIZES {
        let mut screen = letter(size);
        screen.shows(["Left out"]).press("e").hides(["Left out"]).press("<ctrl-r>").hides(["Left out"]);
    }
}

fn top(model: &Model) -> usize {
    model.top::<Form>().map_or(0, |form| form.card_top.piece * 1000 + form.card_top.line)
}

#[test]
fn the_card_is_read_and_scrolled_while_the_form_has_the_keys() {
    let mut screen = letter(WIDE);
    screen.press("e");
    let typed = |screen: &TestScreen| screen.model.drafts.values().next().cloned().unwrap_or_default();
    // The mail that is answered stands folded below the form, and the first key opens it.
    screen.shows(["Reply to Bob Ray", "▸ Bob Ray <bob@client.example>"]).hides(["Point 2:"]);
    screen.press("<pagedown>").shows(["Reply to Bob Ray"]).hides(["▸ Bob Ray"]);
    let begin = top(&screen.model);
    screen.press("<ctrl-down>");
    let line = top(&screen.model);
    assert!(line > begin);
    screen.press("<alt-up>");
    assert_eq!(top(&screen.model), begin);
    screen.press("<pagedown><pagedown>");
    let page = top(&screen.model);
    assert!(page > line && !screen.dump().contains("Point 1:"), "{}", screen.dump());
    screen.press("<pageup><pageup>");
    assert_eq!(top(&screen.model), begin);
    screen.tell(Msg::Mouse(Mouse::WheelDown, 2, 5));
    assert!(top(&screen.model) > begin, "the wheel scrolls the card, wherever it is");
    assert_eq!(typed(&screen), "", "none of it is text");
    // What is typed is text, and the cursor moves in it.
    screen.press("<down>").type_in("jJ k");
    assert!(typed(&screen).contains("jJ k"), "{}", typed(&screen));
    screen.press("<esc>").decided(0);
}

#[test]
fn the_form_stands_where_the_card_was() {
    for (size, has_list) in [((200, 60), true), ((120, 36), true), ((90, 36), false)] {
        let mut screen = letter(size);
        screen.press("e").shows(["Reply to Bob Ray", "It comes tomorrow.", "▸ Bob Ray"]);
        screen.hides(["This will be sent", "Ready to send"]);
        assert_eq!(screen.dump().contains("▌✉ Bob Ray"), has_list, "{}", screen.dump());
        // Whoever answers the agent sees the draft above.
        screen.press("<esc>").press("r").shows(["Ready to send → bob@client.example", "It comes tomorrow."]);
        assert_eq!(screen.dump().contains("▌✉ Bob Ray"), has_list, "{}", screen.dump());
    }
    let mut screen = letter((120, 36));
    screen.press("cm").shows(["New mail", "▌✉ Bob Ray"]).hides(["Ready to send"]);
}

#[test]
fn on_a_low_screen_the_form_stands_alone() {
    let mut screen = letter((120, 24));
    screen.press("e");
    let begin = top(&screen.model);
    screen.press("<pagedown>");
    assert_eq!(top(&screen.model), begin);
    screen.says("No card is shown here · a larger window has room for it");
    screen.resize(120, 36).press("<pagedown><pagedown>");
    assert!(top(&screen.model) > begin);
}

#[test]
fn a_card_seen_beside_a_form_counts_as_not_seen() {
    let lines: Vec<String> = (1..=40).map(|n| format!("Answer {n}.")).collect();
    let draft = json!({"to": [BOB], "subject": "Re: The report", "content": lines.join("\n")});
    let mut screen = over((160, 30), &mail_with("", "When?"), ("write_email", draft));
    screen.press("r");
    for _ in 0..20 {
        screen.press("<pagedown>");
    }
    screen.shows(["Answer 40."]).press("<esc>");
    let opened = screen.model.inbox.opened.as_ref().unwrap();
    assert!(opened.end_seen.is_none(), "only the card itself, with its keys, is seen");
    assert_eq!(opened.item.data()["to"], json!([BOB]));
    screen.shows(["a read on"]).press("a").decided(0);
}

#[test]
fn a_new_thread_is_not_about_the_card() {
    let mut screen = TestScreen::full(WIDE);
    screen.press("c<enter>").press("<pagedown>");
    screen.says("No card is shown here · a larger window has room for it");
}
