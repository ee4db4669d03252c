//! Meetings and the calendar.

use super::office::{BOB, Office, calls, done, edit, meet, respond};
use sayso::calendar::Busy;
use sayso::graph::Decision;
use serde_json::json;

fn busy(start: &str, end: &str) -> Busy {
    let at = |text: &str| text.parse().unwrap();
    Busy { start: at(start), end: at(end), title: "Dentist".to_owned(), all_day: false }
}

#[tokio::test]
async fn a_meeting_stands_in_the_calendar_and_is_invited_to() {
    let office = Office::new("respond", [calls([meet()]), calls([done()])]);
    let thread = office.got().await;
    let item = office.open(&thread).await;
    assert!(item.irreversible && !item.allow.draft);
    assert!(
        item.text.contains("When: Monday 5 May 2036, 14:00–14:30 (Europe/Berlin), 30 minutes"),
        "{}",
        item.text
    );
    assert!(item.text.contains(&format!("With: {BOB}")));
    assert!(!item.warnings.iter().any(|warning| warning.code == "conflict"));
    office.decides(&thread, Decision::Accept).await;
    let events = office.days.events.lock().unwrap().clone();
    assert_eq!(events.len(), 1);
    assert!(events[0].contains("SUMMARY:The report"), "{}", events[0]);
    let sent = office.sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("text/calendar") && sent[0].contains("method=REQUEST"), "{}", sent[0]);
    assert!(sent[0].contains("To: bob@client.example"));
    let output = office.outcome(&thread).await.output.unwrap();
    assert_eq!(output["outcome"], "scheduled");
    assert_eq!(output["sent"][0]["start"], "2036-05-05T14:00:00+02:00");
    assert!(office.learned().is_empty());
}

#[tokio::test]
async fn an_edited_meeting_is_made_as_edited_and_teaches_how_to_plan() {
    let office = Office::new("respond", [calls([meet()]), calls([done()])]);
    let thread = office.got().await;
    office.decides(&thread, edit(meet(), "duration_minutes", json!(15))).await;
    assert!(office.days.events.lock().unwrap()[0].contains("T141500"));
    assert_eq!(office.learned(), ["cal_preferences proposal_edited"]);
    assert_eq!(office.versions(), [("cal_preferences".to_owned(), 2)]);
}

#[tokio::test]
async fn words_and_refusals_make_no_meeting() {
    let office = Office::new("respond", [calls([meet()]), calls([done()])]);
    let thread = office.got().await;
    office.decides(&thread, respond("Never on Mondays")).await;
    assert_eq!(office.learned(), ["cal_preferences proposal_answered"]);
    assert!(office.days.events.lock().unwrap().is_empty() && office.sent().is_empty());

    let office = Office::new("respond", [calls([meet()])]);
    let thread = office.got().await;
    office.decides(&thread, Decision::Ignore).await;
    assert_eq!(office.learned(), ["triage_preferences proposal_ignored"]);
    assert!(office.days.events.lock().unwrap().is_empty() && office.sent().is_empty());
}

#[tokio::test]
async fn what_else_is_then_stands_on_the_card() {
    let office = Office::new("respond", [calls([meet()])]);
    office.days.busy.lock().unwrap().push(busy("2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z"));
    let thread = office.got().await;
    let item = office.open(&thread).await;
    let conflict = item.warnings.iter().find(|warning| warning.code == "conflict").unwrap();
    assert_eq!(conflict.text, "You are busy then: Dentist (14:15–15:00)");

    let office = Office::new("respond", [calls([meet()])]);
    *office.days.fails.lock().unwrap() = Some("the file cannot be read".to_owned());
    let thread = office.got().await;
    let item = office.open(&thread).await;
    assert!(item.warnings.iter().any(|warning| warning.code == "calendar_unknown"));
}

#[tokio::test]
async fn the_calendar_is_looked_at_without_asking_and_its_errors_are_errors() {
    let look = ("check_calendar_availability", json!({"days": ["2036-05-05", "2036-05-06"]}));
    let office = Office::new("respond", [calls([look.clone()]), calls([done()])]);
    office.days.busy.lock().unwrap().push(busy("2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z"));
    let thread = office.got().await;
    assert_eq!(office.open(&thread).await.action, "notify", "nobody is asked about the calendar");
    let request = office.requests("email.reply").remove(1);
    let said = format!("{:?}", request.messages);
    assert!(said.contains("Dentist") && said.contains("2036-05-05T14:15:00+02:00"), "{said}");
    let became = &request.facts["said"][1];
    assert_eq!(became["data"][0]["title"], "Dentist");

    let office = Office::new("respond", [calls([look]), calls([done()])]);
    *office.days.fails.lock().unwrap() = Some("the file cannot be read".to_owned());
    office.got().await;
    let request = office.requests("email.reply").remove(1);
    assert_eq!(request.facts["said"][1]["how"], "failed");
    let said = request.facts["said"][1]["text"].as_str().unwrap();
    assert!(said.contains("the file cannot be read") && !said.contains("free"), "{said}");
}

#[tokio::test]
async fn a_time_there_is_not_goes_back_to_the_model() {
    let mut wrong = meet();
    wrong.1["start"] = json!("2036-13-45T14:00:00+02:00");
    let office = Office::new("respond", [calls([wrong]), calls([done()])]);
    let thread = office.got().await;
    assert_eq!(office.open(&thread).await.action, "notify");
    let said = format!("{:?}", office.requests("email.reply")[1].messages);
    assert!(said.contains("is not a time there is"), "{said}");
    assert!(office.sent().is_empty());
}
