//! What was typed survives leaving, and a crash.

use crate::support::test_screen::TestScreen;
use sayso::tui::Msg;
use std::time::Duration;

#[test]
fn text_survives_leaving_and_a_crash() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("jr").type_in("Not this week").press("<esc>");
    screen.press("jjr").type_in("Second").press("<esc>").press("kkr");
    assert!(screen.dump().contains("Not this week"), "{}", screen.dump());
    screen.type_in(" please");
    // A moment later it is kept, without anybody leaving the box.
    screen.at += Duration::from_secs(1);
    let (at, wall) = (screen.at, screen.model.wall);
    screen.tell(Msg::Tick(at, wall));
    let mut screen = screen.reopen();
    assert!(screen.dump().contains('✎'), "the list shows what was begun");
    screen.press("jr");
    assert!(screen.dump().contains("Not this week please"), "{}", screen.dump());
    screen.press("<ctrl-s>");
    assert_eq!(screen.decisions().len(), 1);
    assert!(
        !screen.model.drafts.values().any(|draft| draft.contains("Not this week")),
        "what was sent is no draft"
    );
    screen.press("u").press("r");
    assert!(screen.dump().contains("Not this week please"), "taken back, it is one again: {}", screen.dump());
    screen.press("<ctrl-s>");
    assert_eq!(screen.decisions().len(), 2);
}

#[test]
fn an_edit_that_is_taken_back_can_be_edited_further() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("jjj").press("e<tab>").press("<ctrl-u>").type_in("45").press("<ctrl-s>y");
    assert_eq!(screen.decisions().len(), 1, "{}", screen.dump());
    screen.press("u").press("e");
    assert!(screen.dump().contains("45"), "{}", screen.dump());
}

#[test]
fn accepting_what_was_changed_and_not_sent_asks_which_one() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("jjj").press("e<tab>").press("<ctrl-u>").type_in("45").press("<esc>");
    screen.press("a");
    assert!(screen.dump().contains("You changed this"), "{}", screen.dump());
    assert!(screen.decisions().is_empty());
    screen.press("<enter>");
    assert!(screen.dump().contains("Accept it like this?"), "{}", screen.dump());
    screen.press("y");
    assert_eq!(screen.decisions()[0].args["minutes"], 45);
    let mut screen = TestScreen::full((120, 32));
    screen.press("jjj").press("e<tab>").press("<ctrl-u>").type_in("45").press("<esc>");
    screen.press("a").press("j<enter>");
    assert!(screen.dump().contains("Your changes are not in it"), "{}", screen.dump());
    screen.press("y");
    assert_eq!(screen.decisions()[0].r#type, "accept");
}

#[test]
fn a_form_that_was_only_looked_at_is_no_change() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("jjj").press("e<tab>").type_in("1").press("<backspace>").press("<esc>").press("a");
    assert_eq!(screen.decisions().len(), 1, "{}", screen.dump());
}
