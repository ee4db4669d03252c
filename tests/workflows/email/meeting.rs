//! Meetings and the calendar.

use super::*;
use sayso::calendar::Busy;

/// The person is at the dentist's in this time.
fn keep_busy(inbox: &EmailInbox, start: &str, end: &str) {
    let (start, end) = (start.parse().unwrap(), end.parse().unwrap());
    let busy = Busy { start, end, title: "Dentist".to_owned(), all_day: false };
    inbox.calendar.busy.lock().unwrap().push(busy);
}

#[tokio::test]
async fn a_meeting_stands_in_the_calendar_and_is_invited_to() {
    let (inbox, thread) = EmailInbox::proposing(meet()).await;
    let item = inbox.open_item(&thread).await;
    assert!(item.irreversible && !item.allow.draft);
    assert_contains(&item.text, ["When: Monday 5 May 2036, 14:00–14:30 (Europe/Berlin), 30 minutes"]);
    assert!(item.text.contains(&format!("With: {BOB}")));
    assert!(!inbox.warnings(&thread).await.contains(&"conflict".to_owned()));
    inbox.answer(&thread, Decision::Accept).await;
    let events = inbox.events();
    assert_eq!(events.len(), 1);
    assert!(events[0].contains("SUMMARY:The report"), "{}", events[0]);
    let sent = inbox.sent();
    assert_eq!(sent.len(), 1);
    assert_contains(&sent[0], ["text/calendar", "method=REQUEST", "To: <bob@client.example>"]);
    let output = inbox.outcome(&thread).await.output.unwrap();
    assert_eq!(output["outcome"], "scheduled");
    assert_eq!(output["sent"][0]["start"], "2036-05-05T14:00:00+02:00");
    assert!(inbox.learned().is_empty());
}

#[tokio::test]
async fn whom_the_server_refuses_an_invitation_for_is_asked_about() {
    let mut meeting = meet();
    meeting.1["attendees"] = json!([BOB, "zoe@far.example"]);
    let (inbox, thread) = EmailInbox::proposing(meeting).await;
    let refused = vec![("zoe@far.example".to_owned(), "no such user".to_owned())];
    *inbox.outgoing.refuses.lock().unwrap() = refused;
    inbox.answer(&thread, Decision::Accept).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), &item.args["to"]), ("write_email", &json!(["zoe@far.example"])));
    assert_contains(
        &item.text,
        ["Asked once more: the server would not take it for zoe@far.example (no such user)."],
    );
    assert!(item.args["content"].as_str().unwrap().contains("Monday 5 May 2036"), "{}", item.args);
    assert_eq!((inbox.events().len(), inbox.sent().len()), (1, 1));
}

#[tokio::test]
async fn an_edited_meeting_is_made_as_edited_and_teaches_how_to_plan() {
    let (inbox, thread) = EmailInbox::proposing(meet()).await;
    inbox.answer(&thread, edit(meet(), "duration_minutes", json!(15))).await;
    assert!(inbox.events()[0].contains("T141500"));
    assert_eq!(inbox.learned(), ["cal_preferences proposal_edited"]);
    assert_eq!(inbox.versions(), [("cal_preferences".to_owned(), 2)]);
}

#[tokio::test]
async fn a_meeting_moved_onto_a_busy_time_is_asked_about_once_more() {
    let inbox = EmailInbox::new("respond", [calls([meet()])]);
    keep_busy(&inbox, "2036-05-06T12:15:00Z", "2036-05-06T13:00:00Z");
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, edit(meet(), "start", json!("2036-05-06T14:00:00+02:00"))).await;
    assert!(inbox.events().is_empty() && inbox.sent().is_empty());
    let item = inbox.open_item(&thread).await;
    assert!(item.warnings.iter().any(|warning| warning.code == "conflict"), "{:?}", item.warnings);
    let why = "Asked once more: you changed the time, and you are busy then.";
    assert_contains(&item.text, [why, "Tue 6 May: 14:15–15:00 Dentist", "╳"]);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!((inbox.events().len(), inbox.sent().len()), (1, 1));
}

#[tokio::test]
async fn a_meeting_moved_to_a_time_nobody_can_vouch_for_says_why_it_is_asked_about_again() {
    for (start, fails, why) in [
        ("2020-05-06T14:00:00+02:00", false, "it is in the past"),
        ("2036-05-06T14:00:00+02:00", true, "your calendar can't be read"),
    ] {
        let (inbox, thread) = EmailInbox::proposing(meet()).await;
        *inbox.calendar.fails.lock().unwrap() = fails.then(|| "the file cannot be read".to_owned());
        inbox.answer(&thread, edit(meet(), "start", json!(start))).await;
        assert!(inbox.sent().is_empty(), "{why}");
        let text = inbox.text(&thread).await;
        assert!(text.contains(&format!("Asked once more: you changed the time, and {why}.")), "{text}");
    }
}

#[tokio::test]
async fn an_invitation_accepted_after_all_while_busy_is_asked_about_once_more() {
    for (answer, change) in [("accept", "you accept now"), ("tentative", "you accept tentatively now")] {
        let declines = calls([("answer_invitation", json!({"answer": "decline"}))]);
        let inbox = EmailInbox::new("respond", [declines]);
        keep_busy(&inbox, "2036-05-05T12:30:00Z", "2036-05-05T14:00:00Z");
        let thread = inbox.receive(&invitation("REQUEST")).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!(item.args["answer"], "decline");
        inbox.answer(&thread, edit(("", item.args), "answer", json!(answer))).await;
        assert!(inbox.sent().is_empty(), "{answer}");
        let text = inbox.text(&thread).await;
        assert!(text.contains(&format!("Asked once more: {change}, and you are busy then.")), "{text}");
    }
}

#[tokio::test]
async fn words_and_refusals_make_no_meeting() {
    for (decision, learned) in [
        (respond("Never on Mondays"), "cal_preferences proposal_answered"),
        (Decision::Ignore, "lower bob@client.example"),
    ] {
        let (inbox, thread) = EmailInbox::proposing(meet()).await;
        inbox.answer(&thread, decision).await;
        assert_eq!(inbox.learned(), [learned]);
        assert!(inbox.events().is_empty() && inbox.sent().is_empty());
    }
}

#[tokio::test]
async fn what_else_is_then_stands_on_the_card() {
    let inbox = EmailInbox::new("respond", [calls([meet()])]);
    keep_busy(&inbox, "2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z");
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    let conflict = item.warnings.iter().find(|warning| warning.code == "conflict").unwrap();
    assert_eq!(conflict.text, "You are busy then: Dentist (14:15–15:00)");
    let day = "Mon 5 May: 14:15–15:00 Dentist; free otherwise\n\
               08  09  10  11  12  13  14  15  16  17\n\
               ························▒╳██············\n\
               ▒ proposed  ╳ conflict  █ busy";
    assert!(item.text.contains(day), "{}", item.text);
    // The card shows what was told then, and asks nobody.
    inbox.calendar.busy.lock().unwrap().clear();
    *inbox.calendar.fails.lock().unwrap() = Some("the calendar was asked".to_owned());
    assert!(inbox.text(&thread).await.contains(day));

    let inbox = EmailInbox::new("respond", [calls([meet()])]);
    inbox.lose_calendar();
    let thread = inbox.receive_mail().await;
    assert!(inbox.warnings(&thread).await.contains(&"calendar_unknown".to_owned()));
    let text = inbox.text(&thread).await;
    assert!(!text.contains("proposed"), "nothing is known of the day: {text}");
}

#[tokio::test]
async fn what_the_calendar_says_of_a_day_stands_on_the_card_once() {
    let look = ("check_calendar_availability", json!({"days": ["2036-05-05", "2036-05-06"]}));
    let inbox = EmailInbox::new("respond", [calls([look]), calls([meet()])]);
    keep_busy(&inbox, "2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z");
    let thread = inbox.receive_mail().await;
    let text = inbox.text(&thread).await;
    for line in ["Mon 5 May: 14:15–15:00 Dentist; free otherwise", "Tue 6 May: free all day"] {
        assert_eq!(text.matches(line).count(), 1, "{line}: {text}");
    }
}

#[tokio::test]
async fn the_calendar_is_looked_at_without_asking_and_its_errors_are_errors() {
    let look = ("check_calendar_availability", json!({"days": ["2036-05-05", "2036-05-06"]}));
    let inbox = EmailInbox::new("respond", [calls([look.clone()])]);
    keep_busy(&inbox, "2036-05-05T12:15:00Z", "2036-05-05T13:00:00Z");
    let thread = inbox.receive_mail().await;
    assert_eq!(inbox.action(&thread).await, "notify", "nobody is asked about the calendar");
    assert_contains(&inbox.prompt(1), ["Dentist", "2036-05-05T14:15:00+02:00"]);
    let facts = inbox.model.requests_for("email.reply").remove(1).facts;
    assert_eq!(facts["said"][1]["data"][0]["title"], "Dentist");

    let inbox = EmailInbox::new("respond", [calls([look])]);
    inbox.lose_calendar();
    inbox.receive_mail().await;
    let became = inbox.model.requests_for("email.reply").remove(1).facts["said"][1].clone();
    assert_eq!(became["how"], "failed");
    let text = became["text"].as_str().unwrap();
    assert!(text.contains("the file cannot be read") && !text.contains("free"), "{text}");
}

#[tokio::test]
async fn a_time_there_is_not_goes_back_to_the_model() {
    let mut wrong = meet();
    wrong.1["start"] = json!("2036-13-45T14:00:00+02:00");
    let inbox = EmailInbox::new("respond", [calls([wrong])]);
    let thread = inbox.receive_mail().await;
    assert_eq!(inbox.action(&thread).await, "notify");
    let messages = inbox.prompt(1);
    assert!(messages.contains("is not a time there is"), "{messages}");
    assert!(inbox.sent().is_empty());
}

/// Bob's invitation to Ada.
fn invitation(method: &str) -> String {
    let calendar = format!(
        "BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:kick@client\r\nSEQUENCE:1\r\nDTSTAMP:20261101T080000Z\r\n\
         DTSTART:20360505T120000Z\r\nDTEND:20360505T130000Z\r\nSUMMARY:Kickoff\r\nORGANIZER:mailto:{BOB}\r\n\
         ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.org\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    mail_with(
        "MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n",
        &format!(
            "--b\r\nContent-Type: text/plain\r\n\r\nPlease come.\r\n--b\r\nContent-Type: text/calendar; method={method}\r\n\r\n\
             {calendar}--b--\r\n"
        ),
    )
}

#[tokio::test]
async fn an_invitation_is_answered_and_stands_in_the_calendar() {
    for (answer, partstat, stands) in
        [("accept", "ACCEPTED", true), ("tentative", "TENTATIVE", true), ("decline", "DECLINED", false)]
    {
        let inbox = EmailInbox::by_rules();
        keep_busy(&inbox, "2036-05-05T12:30:00Z", "2036-05-05T14:00:00Z");
        let thread = inbox.receive(&invitation("REQUEST")).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!((item.action.as_str(), item.title.as_str()), ("answer_invitation", "Invitation: Kickoff"));
        assert_eq!((&item.args["answer"], &item.args["to"]), (&json!("accept"), &json!(BOB)));
        assert!(item.text.contains("When: Monday 5 May 2036, 14:00–15:00"), "{}", item.text);
        assert!(item.warnings.iter().any(|warning| warning.code == "conflict"), "{:?}", item.warnings);
        assert!(item.text.contains("········▒▒╳╳████····"), "{}", item.text);
        assert!(item.irreversible && inbox.sent().is_empty());
        // To whom it goes is the invitation's word.
        let elsewhere = edit(("", item.args.clone()), "to", json!("eve@client.example"));
        assert!(inbox.decide(&item.id, elsewhere).await.is_err());
        inbox.answer(&thread, edit(("", item.args), "answer", json!(answer))).await;
        let sent = inbox.sent();
        assert_eq!(sent.len(), 1, "{answer}");
        assert!(sent[0].contains("method=REPLY") && sent[0].contains(&format!("To: <{BOB}>")), "{}", sent[0]);
        let calendar = decoded(&sent[0]);
        assert_contains(&calendar, [&format!("PARTSTAT={partstat}"), "UID:kick@client"]);
        let events = inbox.events();
        assert_eq!(events.len(), usize::from(stands), "{answer}");
        assert!(!stands || events[0].contains("UID:kick@client") && !events[0].contains("METHOD"));
        assert_eq!(inbox.status(&thread).await, Status::Done);
    }
}

#[tokio::test]
async fn an_invitation_says_where_and_by_which_other_clock() {
    let shown = async |calendar: String| {
        let inbox = EmailInbox::by_rules();
        let thread = inbox.receive(&calendar).await;
        inbox.text(&thread).await
    };
    let there = invitation("REQUEST")
        .replace("DTSTART:20360505T120000Z", "DTSTART;TZID=America/New_York:20360505T080000")
        .replace("DTEND:20360505T130000Z", "DTEND;TZID=America/New_York:20360505T090000")
        .replace("SUMMARY:Kickoff", "SUMMARY:Kickoff\r\nLOCATION:Room 4\\, upstairs");
    let text = shown(there).await;
    let when = "When: Monday 5 May 2036, 14:00–15:00 Europe/Berlin (08:00–09:00 America/New_York)\n";
    assert!(text.contains(when) && text.contains("Where: Room 4, upstairs\n"), "{text}");
    let here = invitation("REQUEST")
        .replace("DTSTART:20360505T120000Z", "DTSTART;TZID=Europe/Berlin:20360505T140000")
        .replace("DTEND:20360505T130000Z", "DTEND;TZID=Europe/Berlin:20360505T150000");
    let text = shown(here).await;
    assert!(text.contains("When: Monday 5 May 2036, 14:00–15:00\n") && !text.contains("Where:"), "{text}");
}

/// An all-day event, and one at noon, are on the person's clock; one at noon in New York is not.
#[tokio::test]
async fn an_invitation_without_a_zone_is_at_the_hour_it_names_wherever_the_person_is() {
    let day = ("DTSTART;VALUE=DATE:20361204", "DTEND;VALUE=DATE:20361205");
    let floating = ("DTSTART:20361204T120000", "DTEND:20361204T130000");
    let zoned =
        ("DTSTART;TZID=America/New_York:20361204T120000", "DTEND;TZID=America/New_York:20361204T130000");
    let noon = "Thursday 4 December 2036, 12:00–13:00";
    for (zone, (start, end), when, busy, free) in [
        ("Europe/Berlin", day, "Thursday 4 December 2036", "2036-12-04T22:30Z", "2036-12-04T23:00Z"),
        ("America/New_York", day, "Thursday 4 December 2036", "2036-12-05T04:30Z", "2036-12-04T04:30Z"),
        ("Pacific/Auckland", day, "Thursday 4 December 2036", "2036-12-03T11:00Z", "2036-12-04T11:00Z"),
        ("Europe/Berlin", floating, noon, "2036-12-04T11:30Z", "2036-12-04T12:00Z"),
        ("America/New_York", floating, noon, "2036-12-04T17:30Z", "2036-12-04T12:00Z"),
        ("Pacific/Auckland", floating, noon, "2036-12-03T23:30Z", "2036-12-04T12:00Z"),
        (
            "Europe/Berlin",
            zoned,
            "Thursday 4 December 2036, 18:00–19:00 Europe/Berlin (12:00–13:00 America/New_York)",
            "2036-12-04T17:30Z",
            "2036-12-04T12:00Z",
        ),
        ("America/New_York", zoned, noon, "2036-12-04T17:30Z", "2036-12-04T12:00Z"),
        (
            "Pacific/Auckland",
            zoned,
            "Friday 5 December 2036, 06:00–07:00 Pacific/Auckland (Thursday, 12:00–13:00 America/New_York)",
            "2036-12-04T17:30Z",
            "2036-12-04T12:00Z",
        ),
    ] {
        let inbox = EmailInbox::by_rules_in(zone);
        for start in [busy, free] {
            let start: jiff::Timestamp = start.parse().unwrap();
            keep_busy(&inbox, &start.to_string(), &(start + jiff::SignedDuration::from_mins(30)).to_string());
        }
        let raw = invitation("REQUEST")
            .replace("DTSTART:20360505T120000Z", start)
            .replace("DTEND:20360505T130000Z", end)
            .replace("SUMMARY:Kickoff", "SUMMARY:Fair\r\nLOCATION:Hall 3");
        let thread = inbox.receive(&raw).await;
        let item = inbox.open_item(&thread).await;
        let (when, place) = (format!("When: {when}\n"), "Where: Hall 3\n");
        assert!(item.text.contains(&when) && item.text.contains(place), "{zone} {start}: {}", item.text);
        let conflicts = item.warnings.iter().filter(|warning| warning.code == "conflict").count();
        assert_eq!(conflicts, 1, "{zone} {start}: {:?}", item.warnings);
    }
}

/// A person sees what is hidden in a title; calendars and the organizer get it as it was written.
#[tokio::test]
async fn what_stands_for_hidden_characters_leaves_with_no_answer() {
    let inbox = EmailInbox::by_rules();
    let raw = invitation("REQUEST")
        .replace("text/calendar;", "text/calendar; charset=utf-8;")
        .replace("SUMMARY:Kickoff", "SUMMARY:Kick\u{200b}off\r\nLOCATION:Room\u{200b} 4")
        .replace("UID:kick@client", "UID:kick\u{200b}@client");
    let thread = inbox.receive(&raw).await;
    let item = inbox.open_item(&thread).await;
    assert_contains(&item.text, ["Event: Kick⟨U+200B⟩off", "Where: Room⟨U+200B⟩ 4"]);
    inbox.answer(&thread, Decision::Accept).await;
    let sent = sayso::mail::parse(inbox.sent()[0].as_bytes()).unwrap();
    let (answer, kept) = (decoded(&inbox.sent()[0]), inbox.events()[0].replace("\r\n ", ""));
    for text in [&answer, &kept] {
        assert_contains(text, ["SUMMARY:Kick\u{200b}off", "UID:kick\u{200b}@client"]);
    }
    assert!(kept.contains("LOCATION:Room\u{200b} 4") && !kept.contains('⟨'), "{kept}");
    // What a mail says is made visible where it is read, here once.
    assert_eq!(sent.subject.matches("⟨U+200B⟩").count(), 1, "{}", sent.subject);
    assert!(!inbox.sent()[0].contains("=E2=9F=A8"), "{}", inbox.sent()[0]);
    // It is found again by its own name.
    let other = inbox.receive(&raw.replace("<one@", "<three@")).await;
    assert!(inbox.text(&other).await.contains("It is in your calendar already."));
}

/// The calendar part of a mail that was sent.
fn decoded(raw: &str) -> String {
    let part = sayso::mail::parse(raw.as_bytes()).unwrap().invitation.unwrap().text;
    part.replace("\r\n ", "").replace("\n ", "")
}

#[tokio::test]
async fn an_invitation_of_ours_carries_the_words_proposed() {
    let (tool, mut args) = meet();
    args["content"] = json!("Hi Bob,\n\nthat suits me.");
    let (inbox, thread) = EmailInbox::proposing((tool, args)).await;
    assert_contains(&inbox.text(&thread).await, ["Hi Bob,", "that suits me."]);
    inbox.answer(&thread, Decision::Accept).await;
    let text = sayso::mail::parse(inbox.sent()[0].as_bytes()).unwrap().text;
    assert!(text.starts_with("Hi Bob,") && text.contains("that suits me."), "{text}");
    assert!(text.contains("Monday 5 May 2036"), "{text}");
}
