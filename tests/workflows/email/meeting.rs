//! Meetings and the calendar.

use crate::support::email_inbox::{BOB, EmailInbox, calls, done, edit, meet};
use crate::support::test_inbox::respond;
use sayso::calendar::Busy;
use sayso::graph::Decision;
use serde_json::json;

fn busy(start: &str, end: &str) -> Busy {
    let at = |text: &str| text.parse().unwrap();
    Busy { start: at(start), end: at(end), title: "Dentist".to_owned(), all_day: false }
}

#[tokio::test]
async fn a_meeting_stands_in_the_calendar_and_is_invited_to() {
    let inbox = EmailInbox::new("respond", [calls([meet()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert!(item.irreversible && !item.allow.draft);
    assert!(
        item.text.contains("When: Monday 5 May 2036, 14:00–14:30 (Europe/Berlin), 30 minutes"),
        "{}",
        item.text
    );
    assert!(item.text.contains(&format!("With: {BOB}")));
    assert!(!item.warnings.iter().any(|warning| warning.code == "conflict"));
    inbox.answer(&thread, Decision::Accept).await;
    let events = inbox.calendar.events.lock().unwrap().clone();
    assert_eq!(events.len(), 1);
    assert!(events[0].contains("SUMMARY:The report"), "{}", events[0]);
    let sent = inbox.sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("text/calendar") && sent[0].contains("method=REQUEST"), "{}", sent[0]);
    assert!(sent[0].contains("To: bob@client.example"));
    let output = inbox.outcome(&thread).await.output.unwrap();
    assert_eq!(output["outcome"], "scheduled");
    assert_eq!(output["sent"][0]["start"], "2036-05-05T14:00:00+02:00");
    assert!(inbox.learned().is_empty());
}

#[tokio::test]
async fn an_edited_meeting_is_made_as_edited_and_teaches_how_to_plan() {
    let inbox = EmailInbox::new("respond", [calls([meet()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, edit(meet(), "duration_minutes", json!(15))).await;
    assert!(inbox.calendar.events.lock().unwrap()[0].contains("T141500"));
    assert_eq!(inbox.learned(), ["cal_preferences proposal_edited"]);
    assert_eq!(inbox.versions(), [("cal_preferences".to_owned(), 2)]);
}

#[tokio::test]
async fn words_and_refusals_make_no_meeting() {
    let inbox = EmailInbox::new("respond", [calls([meet()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("Never on Mondays")).await;
    assert_eq!(inbox.learned(), ["cal_preferences proposal_answered"]);
    assert!(inbox.calendar.events.lock().unwrap().is_empty() && inbox.sent().is_empty());

    let inbox = EmailInbox::new("respond", [calls([meet()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.learned(), ["triage_preferences proposal_ignored"]);
    assert!(inbox.calendar.events.lock().unwrap().is_empty() && inbox.sent().is_empty());
}

#[tokio::test]
async fn what_else_is_then_stands_on_the_card() {
    let inbox = EmailInbox::new("respond", [calls([meet()])]);
    inbox.calendar.busy.lock().unwrap().push(busy("2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z"));
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    let conflict = item.warnings.iter().find(|warning| warning.code == "conflict").unwrap();
    assert_eq!(conflict.text, "You are busy then: Dentist (14:15–15:00)");

    let inbox = EmailInbox::new("respond", [calls([meet()])]);
    *inbox.calendar.fails.lock().unwrap() = Some("the file cannot be read".to_owned());
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert!(item.warnings.iter().any(|warning| warning.code == "calendar_unknown"));
}

#[tokio::test]
async fn the_calendar_is_looked_at_without_asking_and_its_errors_are_errors() {
    let look = ("check_calendar_availability", json!({"days": ["2036-05-05", "2036-05-06"]}));
    let inbox = EmailInbox::new("respond", [calls([look.clone()]), calls([done()])]);
    inbox.calendar.busy.lock().unwrap().push(busy("2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z"));
    let thread = inbox.receive_mail().await;
    assert_eq!(inbox.open_item(&thread).await.action, "notify", "nobody is asked about the calendar");
    let request = inbox.model.requests_for("email.reply").remove(1);
    let said = format!("{:?}", request.messages);
    assert!(said.contains("Dentist") && said.contains("2036-05-05T14:15:00+02:00"), "{said}");
    let became = &request.facts["said"][1];
    assert_eq!(became["data"][0]["title"], "Dentist");

    let inbox = EmailInbox::new("respond", [calls([look]), calls([done()])]);
    *inbox.calendar.fails.lock().unwrap() = Some("the file cannot be read".to_owned());
    inbox.receive_mail().await;
    let request = inbox.model.requests_for("email.reply").remove(1);
    assert_eq!(request.facts["said"][1]["how"], "failed");
    let said = request.facts["said"][1]["text"].as_str().unwrap();
    assert!(said.contains("the file cannot be read") && !said.contains("free"), "{said}");
}

#[tokio::test]
async fn a_time_there_is_not_goes_back_to_the_model() {
    let mut wrong = meet();
    wrong.1["start"] = json!("2036-13-45T14:00:00+02:00");
    let inbox = EmailInbox::new("respond", [calls([wrong]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    assert_eq!(inbox.open_item(&thread).await.action, "notify");
    let said = format!("{:?}", inbox.model.requests_for("email.reply")[1].messages);
    assert!(said.contains("is not a time there is"), "{said}");
    assert!(inbox.sent().is_empty());
}
