//! The box before an answer counts says what would be done, in the card's own words.

use crate::support::FakeModel;
use crate::support::email_inbox::{BOB, EmailInbox, EmailSetup, calls, mail_with};
use crate::support::test_inbox::{TestInbox, eager};
use crate::support::test_screen::{TestScreen, block_on};
use sayso::config::MailMode;
use sayso::inbox::DecisionQuery;
use sayso::inbox::door::NewRequest;
use serde_json::json;

/// Bob's invitation with a warning, in an account that only observes.
fn invited(mode: MailMode) -> TestScreen {
    let calendar = format!(
        "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:kick@client\r\nDTSTAMP:20261101T080000Z\r\n\
         DTSTART:20360505T120000Z\r\nDTEND:20360505T130000Z\r\nSUMMARY:Kickoff\r\nORGANIZER:mailto:{BOB}\r\n\
         ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    let headers = "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n";
    let parts = format!(
        "--b\r\nContent-Type: text/plain\r\n\r\nPlease come. Our bank details have changed; please transfer \
         the fee to DE02 1203 0000 0000 2020 51.\r\n--b\r\n\
         Content-Type: text/calendar; method=REQUEST\r\n\r\n{calendar}--b--\r\n"
    );
    let setup = EmailSetup { mode, ..EmailSetup::default() };
    let accept = ("answer_invitation", json!({"answer": "accept"}));
    let inbox = EmailInbox::with(setup, "respond", [calls([accept])]);
    block_on(inbox.take_in(&mail_with(headers, &parts), json!({}))).unwrap();
    block_on(inbox.drive());
    TestScreen::over((*inbox).clone(), (160, 50))
}

#[test]
fn an_answer_to_an_invitation_is_confirmed_in_the_words_of_its_card() {
    let mut screen = invited(MailMode::Observe);
    screen.shows(["Invited by Bob Ray", "accepting sends nothing"]);
    screen.press("a");
    screen.shows([
        "Say yes? “Invitation: Kickoff”",
        "Nothing is sent. Asking again because it carries a warning.",
        "This account only observes",
        "Monday 5 May 2036, 14:00–15:00",
    ]);
    screen.hides(["answer_invitation", "2036-05-05T"]);
    screen.decided(0);
}

#[test]
fn an_invitation_is_answered_by_one_key_and_what_follows_is_said() {
    for (key, answer, said) in [
        ("a", "accept", "Accepted"),
        ("M", "tentative", "Tentatively accepted"),
        ("i", "decline", "Declined"),
    ] {
        let mut screen = invited(MailMode::Act);
        screen.shows(["a yes", "M maybe", "i no", "it goes into your calendar; the organiser is told"]);
        screen.burst(key).decided(0);
        screen.press("gsgi").press(key).shows(["Asking again because it carries a warning."]).press("y");
        screen.says(&format!("{said}: “Invitation: Kickoff”. The organiser is told."));
        let decision = screen.decisions().remove(0);
        let args = if decision.r#type == "edit" { decision.args } else { decision.proposed };
        assert_eq!(args["answer"], answer);
        screen.press("u").says("Taken back: “Invitation: Kickoff”");
    }
    let mut screen = invited(MailMode::Act);
    screen.press("I").says("Ignored: “Invitation: Kickoff”");
    assert_eq!(screen.decisions()[0].r#type, "ignore");
    let mut screen = TestScreen::full((160, 50));
    screen.press("jM").says("Only an invitation can be answered with maybe").decided(0);
}

#[test]
fn a_declined_invitation_is_not_accepted() {
    let mut screen = invited(MailMode::Observe);
    screen.press("e");
    screen.shows(["Answer to Bob Ray", "Whether you come.", "2036-05-05 12:00"]);
    screen.hides(["start *", "2036-05-05T"]);
    screen.press("  <ctrl-s>");
    screen.shows(["Answer the invitation like this?", "Nothing is sent.", "- accept", "+ decline"]);
    screen.hides(["Accept it"]);
    screen.press("y");
    assert_eq!(screen.decisions()[0].args["answer"], "decline");
    screen.says("Not sent, observe mode: “Invitation: Kickoff”");
    let mut screen = invited(MailMode::Act);
    screen.press("e  <ctrl-s>y").says("Declined: “Invitation: Kickoff”. The organiser is told.");
}

/// The warnings, the line at the bottom, `gh` and Threads are about the command that was allowed.
#[test]
fn a_changed_command_is_told_as_it_runs() {
    let inbox = TestInbox::builder().with_model(FakeModel::default()).settings(eager()).open();
    let input = json!({"title": "$ ls build", "action": "Bash", "args": {"command": "ls build"},
        "source": "claude-code", "folder": "/tmp"});
    block_on(inbox.requests().ask(NewRequest { input, key: None })).unwrap();
    let mut screen = TestScreen::over(inbox.clone(), (160, 50));
    screen.press("e").press("<ctrl-u>").type_in("rm -rf build").press("<ctrl-s>");
    screen.shows(["It deletes folders with everything in them."]);
    screen.press("y").says("Allowed, changed: “$ rm -rf build”");
    block_on(inbox.drive());
    let query = DecisionQuery { limit: 1, ..DecisionQuery::default() };
    let line = block_on(inbox.decisions().history(query)).unwrap().rows.remove(0);
    assert_eq!((line.title.as_str(), line.outcome.as_str()), ("$ rm -rf build", "allowed, changed"));
    let thread = block_on(inbox.threads().view(line.thread.clone())).unwrap();
    assert_eq!(thread.title, "$ rm -rf build");
    let card = block_on(inbox.threads().conversation(line.thread)).unwrap().text();
    assert!(card.contains("rm -rf build") && !card.contains("ls build"), "{card}");
}
