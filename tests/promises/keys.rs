//! Safe keys: I14, I15, and that nothing but a confirmed decision key decides.

use crate::report;
use crate::support::email_inbox::EmailInbox;
use crate::support::test_screen::{TestScreen, block_on, row};
use proptest::prelude::*;
use sayso::tui::{Key, Keymap, Mouse, Msg};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

const SIZE: (u16, u16) = (120, 32);
const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn i14_keys_typed_before_the_card_appeared_decide_nothing() {
    let mut screen = TestScreen::full(SIZE);
    screen.burst("ja").burst("aaa").burst("iI");
    assert!(screen.decisions().is_empty());
    // One key that was waiting while the next card was drawn.
    screen.key(Key::plain('j'), MS(500), false);
    screen.draw();
    screen.key(Key::plain('a'), MS(500), false);
    assert!(screen.decisions().is_empty(), "its card was never found on a quiet screen");
    report("I14", "keys typed before their card was shown", 4);
}

#[test]
fn i14_paste_decides_nothing() {
    let mut screen = TestScreen::full(SIZE);
    for text in ["a", "aaaa\n", "i", "y\n", "ay"] {
        screen.tell(Msg::Paste(text.to_owned()));
        screen.drawn();
    }
    screen.press("jja");
    screen.tell(Msg::Paste("y".to_owned()));
    assert!(screen.decisions().is_empty());
    report("I14", "paste with decision keys in it", 6);
}

#[test]
fn i15_a_key_held_down_decides_once() {
    let mut screen = TestScreen::full(SIZE);
    screen.pass(MS(500));
    for _ in 0..100 {
        screen.key(Key::plain('a'), MS(33), false);
        screen.drawn();
    }
    assert_eq!(screen.decisions().len(), 1, "the first press was meant, the others repeat it");
    report("I15", "a decision key held down", 100);
}

#[test]
fn two_presses_a_second_are_two_decisions() {
    let mut screen = TestScreen::with(SIZE, mails());
    for _ in 0..3 {
        // The next card is drawn as soon as the one before is decided.
        screen.pass(MS(250));
        screen.pass(MS(250));
        screen.key(Key::plain('a'), Duration::ZERO, false);
        screen.drawn();
    }
    screen.pass(MS(250));
    assert_eq!(screen.decisions().len(), 3);
}

#[test]
fn another_key_too_soon_takes_a_waiting_decision_away() {
    let mut screen = TestScreen::with(SIZE, mails());
    screen.press("a");
    screen.key(Key::plain('a'), MS(300), false);
    screen.drawn();
    screen.key(Key::plain('j'), MS(100), false);
    screen.pass(MS(1000));
    assert_eq!(screen.decisions().len(), 1);
    assert!(screen.note().contains("another key came right after"), "{}", screen.note());
    screen.press("a");
    assert_eq!(screen.decisions().len(), 2);
}

#[test]
fn a_waiting_decision_is_not_taken_on_what_came_in_its_place() {
    let mut screen = TestScreen::with(SIZE, mails());
    screen.press("a");
    screen.key(Key::plain('a'), MS(300), false);
    screen.drawn();
    screen.tell(Msg::Mouse(Mouse::Click, 5, 6));
    screen.pass(MS(1000));
    assert_eq!(screen.decisions().len(), 1);
}

/// Mails enough for a key held down to do harm.
fn mails() -> Vec<(&'static str, serde_json::Value)> {
    (0..6)
        .map(|n| ("desk", json!({"kind": "mail", "title": format!("Mail {n}"), "from": "x@example.org"})))
        .collect()
}

#[test]
fn i15_a_hidden_card_is_not_decided() {
    let mut screen = TestScreen::full((60, 10));
    screen.press("a").press("i").press("ja");
    assert!(screen.decisions().is_empty(), "the list alone is on the screen");
    assert!(screen.note().contains("isn't on the screen"), "{}", screen.note());
    screen.press("k<enter>").press("i");
    assert_eq!(screen.decisions().len(), 1);
    report("I15", "a narrow screen without the card", 3);
}

#[test]
fn i15_mouse_enter_and_escape_decide_nothing() {
    let mut screen = TestScreen::full(SIZE);
    for x in 0..SIZE.0 {
        for y in [0, 1, 2, 5, 30, 31] {
            screen.tell(Msg::Mouse(Mouse::Click, x, y));
        }
    }
    screen.press("1gi").press("<enter><enter><esc><esc>");
    screen.press("jja").press("<enter>");
    screen.tell(Msg::Mouse(Mouse::Click, 40, 20));
    assert!(screen.decisions().is_empty());
    report("I15", "mouse, Enter and Escape everywhere", usize::from(SIZE.0) * 6);
}

/// The keys that put mail away need no confirmation, so they are as safe as those that decide.
#[test]
fn i14_i15_mail_is_put_away_only_by_a_key_that_was_meant() {
    let mail = EmailInbox::new("notify", []);
    block_on(mail.receive_mail());
    let mut screen = TestScreen::over((*mail).clone(), SIZE);
    for key in ["f", "d", "S", "m"] {
        // Typed ahead, pasted, chosen in the palette.
        screen.burst(key).burst(&format!("j{key}{key}"));
        screen.tell(Msg::Paste(key.to_owned()));
        screen.press(":").type_in("archive").press("<enter>").says("…press f…");
        assert!(screen.model.popup().is_none());
    }
    screen.resize(60, 10).press("fdS").says("The card isn't on the screen · Enter opens it");
    screen.resize(SIZE.0, SIZE.1);
    block_on(mail.drive());
    assert!(mail.mailbox.moved.lock().unwrap().is_empty());
    for action in ["archive", "delete", "spam", "move_mail"] {
        let remapped = BTreeMap::from([(action.to_owned(), vec!["enter".to_owned()])]);
        let refused = Keymap::new(&remapped, &[]).unwrap_err();
        assert!(refused.contains("would let Enter decide"), "{refused}");
    }
    screen.pass(MS(1000));
    for _ in 0..100 {
        screen.key(Key::plain('d'), MS(33), false);
        screen.drawn();
    }
    block_on(mail.drive());
    assert_eq!(*mail.mailbox.moved.lock().unwrap(), ["new/1 Trash"], "held down, it acts once");
    report("I14", "keys that put mail away: typed ahead, pasted, chosen by name", 20);
    report("I15", "keys that put mail away: no card, Enter, held down", 107);
}

#[test]
fn an_irreversible_proposal_is_looked_at_first() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j");
    screen.key(Key::plain('a'), MS(650), false);
    assert!(screen.decisions().is_empty());
    screen.key(Key::plain('a'), MS(150), false);
    assert_eq!(screen.decisions().len(), 1);
}

#[test]
fn a_warning_is_asked_about() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("jja");
    assert!(screen.decisions().is_empty());
    screen.burst("y");
    assert!(screen.decisions().is_empty(), "not in a burst");
    screen.press("y");
    assert_eq!(screen.decisions().len(), 1);
}

/// A card of so many lines: a mail that cannot be taken back, or a meeting that could be.
fn long_card(kind: &str, lines: usize) -> TestScreen {
    let text = (1..=lines).map(|n| format!("Line {n}.\n")).collect::<String>() + "The end.";
    let item = json!({"kind": kind, "title": "Long", "from": "x@example.org", "text": text});
    TestScreen::with(SIZE, vec![("desk", item)])
}

#[test]
fn a_card_is_read_to_its_end_before_it_is_accepted() {
    let mut screen = long_card("reply", 100);
    screen.shows(["Line 1.", "a read on"]).hides(["The end.", "accept"]);
    for _ in 0..4 {
        screen.press("a").decided(0);
        assert!(screen.model.popup().is_none(), "{}", screen.dump());
    }
    screen.shows(["The end.", "a accept"]).hides(["read on"]);
    screen.press("a").decided(1);
    // Whoever scrolled there reads no further.
    let mut screen = long_card("reply", 100);
    screen.press("<enter>G").press("a").decided(1);
    // Every answer that accepts does the same; others need no end.
    let mut screen = long_card("reply", 100);
    screen.press("A").decided(0).shows(["Line 30."]).hides(["Line 2."]);
    assert!(screen.model.popup().is_none());
    screen.press("i").decided(1);
    // A warning is asked about at the end.
    let mut screen = long_card("warned", 40);
    screen.press("a").hides(["Yes or no?"]).press("aa").shows(["Yes or no?"]).decided(0);
    screen.press("y").decided(1);
}

#[test]
fn i14_the_key_that_shows_the_end_does_not_decide() {
    // Two pages: one press shows the end.
    let two_pages = || {
        let mut screen = long_card("reply", 40);
        screen.pass(MS(1000));
        screen
    };
    let mut screen = two_pages();
    screen.burst("aaaa").shows(["Line 1."]).decided(0);
    // Read before the end was drawn, however long after the first key.
    let mut screen = two_pages();
    screen.key(Key::plain('a'), MS(1000), false);
    for _ in 0..4 {
        screen.key(Key::plain('a'), MS(1000), false);
    }
    screen.decided(0);
    screen.drawn().shows(["The end."]);
    // Pressed at once after it was drawn, a mail still wants a look.
    screen.key(Key::plain('a'), MS(300), false);
    screen.says("…look at it for a moment…").decided(0);
    screen.press("a").decided(1);
    report("I14", "keys pressed before the end of their card was drawn", 9);
}

#[test]
fn i15_a_held_key_reads_on_and_decides_nothing() {
    for (delay, interval) in [(250, 33), (400, 130), (600, 200), (650, 90)] {
        let mut screen = long_card("question", 100);
        screen.pass(MS(1000));
        screen.key(Key::plain('a'), Duration::ZERO, false);
        screen.drawn().pass(MS(delay));
        for _ in 0..60 {
            screen.key(Key::plain('a'), Duration::ZERO, false);
            screen.drawn().pass(MS(interval));
        }
        screen.pass(MS(2000)).decided(0);
    }
    report("I15", "a key held down on a card longer than the screen", 244);
}

/// A key sequence: ordinary keys, pressed at any speed, read in bursts or not, drawn in between or not.
fn anything() -> impl Strategy<Value = Vec<(usize, u64, bool, bool)>> {
    prop::collection::vec((0_usize..80, 0_u64..900, any::<bool>(), any::<bool>()), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// However long a keyboard waits before it repeats a key, and however fast it repeats it then.
    #[test]
    fn i15_a_held_key_decides_one_item(key in 0_usize..3, delay in 130_u64..700, interval in 10_u64..250, repeats in 1_u32..40) {
        let key = row("aiI")[key];
        let mut screen = TestScreen::with(SIZE, mails());
        screen.key(key, MS(1000), false);
        screen.drawn();
        screen.pass(MS(delay));
        for _ in 0..repeats {
            screen.key(key, Duration::ZERO, false);
            screen.drawn();
            screen.pass(MS(interval));
        }
        // It is let go a moment after its last repeat, and that one alone cannot be told from a press.
        let most = if repeats == 1 { 2 } else { 1 };
        screen.pass(MS(2000));
        prop_assert!(screen.decisions().len() <= most, "{} decided", screen.decisions().len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is pressed, unless it is a decision key on a card that is shown or a `y` on a question that is.
    #[test]
    fn nothing_else_decides(keys in anything()) {
        let all = row("ADCLPRdow|jkgGJKHhl/nN\\:?cu!qQst*=V 1234]bT[zxvwyXEe<enter><esc><tab><ctrl-s><ctrl-d><ctrl-u><ctrl-c><backspace><up><down>aiIr");
        let mut screen = TestScreen::full((120, 32));
        for (n, wait, burst, draw) in keys {
            let key = all[n % all.len()];
            let decides = "aiIyD".contains(key.letter().unwrap_or(' ')) || key == row("<ctrl-s>")[0];
            // Meant: alone, after a look, on something that is there to be decided.
            let meant = decides && !burst && (screen.model.shown.is_some() || screen.model.layer_shown.is_some());
            let before = screen.decisions().len();
            screen.key(key, MS(wait), burst);
            if draw {
                screen.drawn();
            }
            let after = screen.decisions().len();
            prop_assert!(after == before || meant, "{key} decided {} items", after - before);
            if screen.outside.iter().any(|job| matches!(job, sayso::tui::Job::Quit)) {
                break;
            }
        }
    }
}
