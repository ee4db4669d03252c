//! From a past decision to the grant or the lesson behind it, and to other answers to the same sender.

use crate::support::email_inbox::{BOB, EmailInbox, calls, done, mail, write};
use crate::support::test_screen::{TestScreen, block_on};
use sayso::engine::graph::{Decision, Kind};
use sayso::inbox::{DecidedBy, GrantRequest, GrantScope, ItemKind, LineQuery};
use sayso::tui::Tab;
use serde_json::json;
use std::time::Duration;

const SIZE: (u16, u16) = (140, 36);

#[test]
fn a_decision_that_gave_a_grant_leads_to_it() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j").press("A").press("jj<enter>").press("y");
    let id = screen.grants()[0].id.clone();
    screen.press("gh").press("gb");
    assert!(screen.model.tab == Tab::Activity, "{}", screen.dump());
    assert_eq!(screen.model.selected_grant().map(|grant| grant.id.clone()), Some(id));
    // One key revokes it; then the decision says that it has ended.
    screen.press("X").press("q").press("gb");
    assert_eq!(screen.model.tab, Tab::Inbox);
    screen.says("Its grant is no longer in force: sending mail…");
}

#[test]
fn what_was_sent_is_said_and_can_be_read_afterwards() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    block_on(inbox.store().mail().remember_recipients(vec![BOB.to_owned()])).unwrap();
    block_on(async {
        inbox.take_in(&mail(), json!({})).await.unwrap();
        inbox.drive().await;
    });
    let mut screen = TestScreen::over((*inbox).clone(), SIZE);
    screen.press("a").says("Sending to Bob Ray").hides(["Sent to"]);
    block_on(inbox.drive());
    screen.tell(sayso::tui::Msg::Changed).says("Sent to Bob Ray");
    // It stays until something else is done, whatever is said meanwhile.
    let sent = "✓ Sent to Bob Ray ";
    screen.pass(Duration::from_secs(30)).shows([sent]);
    screen
        .press("gl")
        .says("Nothing was learned lately")
        .hides([sent])
        .pass(Duration::from_secs(10))
        .shows([sent]);
    screen.resize(160, 40).shows(["Now ─", "Lately ─", "Sent to"]);
    screen.press("gi").shows(["Nothing is at work"]).resize(SIZE.0, SIZE.1).hides(["Lately"]);
    screen.press("gh");
    let (shown, (_, args)) = (screen.dump(), write());
    assert!(shown.contains("As it was proposed"), "{shown}");
    assert!(shown.contains(args["content"].as_str().unwrap().lines().next().unwrap()), "{shown}");
    // The key of the inbox leads out of it, from here and from another tab.
    screen.press("1");
    assert!(screen.model.shows_items(), "{}", screen.dump());
    screen.press("gh").press("3").press("1");
    assert!(screen.model.shows_items());
}

#[test]
fn a_mail_of_one_s_own_is_not_approved_twice() {
    let inbox = EmailInbox::new("notify", []);
    block_on(inbox.receive_mail());
    let mut screen = TestScreen::over((*inbox).clone(), SIZE);
    screen.press("e").type_in("It comes on Friday.").press("<ctrl-s>");
    screen.hides(["Make a draft of this?", "Accept it"]).says("Written: …").decided(1);
    block_on(inbox.drive());
    assert!(inbox.sent()[0].contains("It comes on Friday."));
    screen
        .tell(sayso::tui::Msg::Changed)
        .shows(["✓ Sent to Bob Ray"])
        .press("gh")
        .shows(["drafted"])
        .hides(["What was done"]);
}

#[test]
fn trouble_stands_with_what_it_is_about() {
    let mut screen = TestScreen::full(SIZE);
    let mut lines = block_on(screen.inbox.decisions().lines(LineQuery::First(2))).unwrap();
    let trouble =
        [("unreachable", "The model at 127.0.0.1:8080 cannot be reached"), ("login", "Log in again")];
    for (line, (action, title)) in lines.iter_mut().zip(trouble) {
        line.kind = ItemKind::Question(Kind::Trouble);
        (line.workflow, line.action, line.title) = ("intake".into(), action.into(), title.into());
        line.source = Some("home".into());
    }
    screen.call(|model| sayso::tui::lines_read(model, Ok(lines)));
    // Grouped by workflow, neither is sayso's own affair.
    screen.press("s").press("Gk<enter>").shows([" model 1 ─", " email 1 ─"]).hides(["intake"]);
}

#[test]
fn what_a_person_decided_alone_says_so() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("I").press("gh").press("gb");
    screen.says("You decided this yourself, and nothing was learned from it");
    assert_eq!(screen.model.tab, Tab::Inbox);
}

#[test]
fn what_a_grant_decided_leads_to_the_grant_and_what_taught_leads_to_the_lesson() {
    let mut further = write();
    further.1["content"] = json!("And the figures with it.");
    let replies = [calls([write()]), calls([write()]), calls([further]), calls([done()])];
    let inbox = EmailInbox::new("respond", replies);
    // Bob is known, so nothing is unusual about writing to him.
    block_on(inbox.store().mail().remember_recipients(vec![BOB.to_owned()])).unwrap();
    let thread = block_on(async {
        let thread = inbox.take_in(&mail(), json!({})).await.unwrap();
        inbox.drive().await;
        let words = Decision::Respond { text: "Never write so much".to_owned() };
        inbox.answer(&thread, words).await;
        thread
    });
    let mut screen = TestScreen::over((*inbox).clone(), SIZE);
    screen.press("gh");
    assert_eq!(screen.model.inbox.history.list.rows.len(), 1, "{}", screen.dump());
    screen.press("gb");
    assert!(screen.model.tab == Tab::Memory, "{}", screen.dump());
    screen.shows(["version 2 of 2", "Keep replies short"]);
    // A version learned since does not come in the way.
    let line = "Sign with Ada".to_owned();
    block_on(inbox.memory().edit("response_preferences".to_owned(), 2, line)).unwrap();
    screen.press("q").press("gb").shows(["version 2 of 3"]);
    // A grant takes the decision after the next.
    let grant = block_on(async {
        let interrupt = inbox.open_question(&thread).await;
        let request = GrantRequest { interrupt, scope: GrantScope::Sender, ends_at: None, session: false };
        let given = inbox.grants().give(request).await.unwrap();
        inbox.answer(&thread, Decision::Accept).await;
        given.id
    });
    screen.tell(sayso::tui::Msg::Changed).press("q").press("gh").press("gg");
    let by_grant = |screen: &TestScreen| {
        screen
            .model
            .inbox
            .history
            .list
            .selected()
            .is_some_and(|line| matches!(&line.by, Some(DecidedBy::Grant(id)) if *id == grant))
    };
    assert!(by_grant(&screen), "{}", screen.dump());
    screen.press("gb");
    assert_eq!(screen.model.selected_grant().map(|grant| grant.id.clone()), Some(grant.clone()));
    // Other answers to the same sender.
    screen.press("q").press("=");
    assert_eq!(screen.model.inbox.history.list.rows.len(), 3, "{}", screen.dump());
    screen.press("<esc>");
    assert!(screen.model.inbox.history.filter.typed.is_empty());
}
