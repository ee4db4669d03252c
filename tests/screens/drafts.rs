//! What was typed survives leaving, and a crash.

use crate::harness::{Desk, inbox};
use sayso::tui::Msg;
use std::time::Duration;

#[test]
fn text_survives_leaving_and_a_crash() {
    let mut desk = Desk::full((120, 32));
    desk.press("jr").type_in("Not this week").press("<esc>");
    desk.press("jjr").type_in("Second").press("<esc>").press("kkr");
    assert!(desk.dump().contains("Not this week"), "{}", desk.dump());
    desk.type_in(" please");
    // A moment later it is kept, without anybody leaving the box.
    desk.at += Duration::from_secs(1);
    let (at, wall) = (desk.at, desk.model.wall);
    desk.tell(Msg::Tick(at, wall));
    let Desk { folder, .. } = desk;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let again = inbox(&folder, Duration::from_secs(10));
    let mut desk = Desk::over(folder, again, runtime, (120, 32));
    assert!(desk.dump().contains('✎'), "the list shows what was begun");
    desk.press("jr");
    assert!(desk.dump().contains("Not this week please"), "{}", desk.dump());
    desk.press("<ctrl-s>");
    assert_eq!(desk.decisions().len(), 1);
    assert!(
        !desk.model.drafts.values().any(|draft| draft.contains("Not this week")),
        "what was sent is no draft"
    );
    desk.press("u").press("r");
    assert!(desk.dump().contains("Not this week please"), "taken back, it is one again: {}", desk.dump());
    desk.press("<ctrl-s>");
    assert_eq!(desk.decisions().len(), 2);
}

#[test]
fn an_edit_that_is_taken_back_can_be_edited_further() {
    let mut desk = Desk::full((120, 32));
    desk.press("jjj").press("e<tab><tab>").press("<ctrl-u>").type_in("45").press("<ctrl-s>y");
    assert_eq!(desk.decisions().len(), 1, "{}", desk.dump());
    desk.press("u").press("e");
    assert!(desk.dump().contains("45"), "{}", desk.dump());
}
