//! What was typed survives leaving, and a crash.

use crate::support::test_screen::TestScreen;
use sayso::tui::Msg;
use serde_json::json;
use std::time::Duration;

#[test]
fn text_survives_leaving_and_a_crash() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("jr").type_in("Not this week").press("<esc>");
    screen.press("jjr").type_in("Second").press("<esc>").press("kkr").shows(["Not this week"]);
    screen.type_in(" please");
    // A moment later it is kept, without anybody leaving the box.
    screen.at += Duration::from_secs(1);
    let (at, wall) = (screen.at, screen.model.wall);
    screen.tell(Msg::Tick(at, wall));
    let mut screen = screen.reopen();
    assert!(screen.dump().contains('✎'), "the list shows what was begun");
    screen.press("jr").shows(["Not this week please"]);
    screen.press("<ctrl-s>").decided(1);
    assert!(
        !screen.model.drafts.values().any(|draft| draft.contains("Not this week")),
        "what was sent is no draft"
    );
    screen.press("u").press("r").shows(["Not this week please"]); // taken back, it is one again
    screen.press("<ctrl-s>").decided(2);
}

#[test]
fn an_edit_that_is_taken_back_can_be_edited_further() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("jjj").press("e<tab>").press("<ctrl-u>").type_in("45").press("<ctrl-s>y").decided(1);
    screen.press("u").press("e").shows(["45"]);
}

#[test]
fn accepting_what_was_changed_and_not_sent_asks_which_one() {
    for (choice, asked, kind, minutes) in [
        ("<enter><ctrl-s>", "Accept it with your changes?", "edit", json!(45)),
        ("j<enter>", "Your changes are not in it", "accept", json!(null)),
    ] {
        let mut screen = TestScreen::full((120, 32));
        screen.press("jjj").press("e<tab>").press("<ctrl-u>").type_in("45").press("<esc>");
        screen.press("a").shows(["You changed this"]).decided(0);
        screen.press(choice).shows([asked]).press("y");
        let decided = &screen.decisions()[0];
        assert_eq!((decided.r#type.as_str(), &decided.args["minutes"]), (kind, &minutes));
    }
}

#[test]
fn a_form_that_was_only_looked_at_is_no_change() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("jr").type_in("x").press("<backspace>").press("<esc>").hides(["✎"]).press("k");
    screen.press("jjj").press("e<tab>").type_in("1").press("<backspace>").press("<esc>").press("a");
    screen.decided(1);
}
