//! Events that change after they were put into the calendar: moved, changed once, cancelled; and mails that may not.

use super::*;
use sayso::config::MailMode;
use sayso::inbox::Question;

/// A mail about the event.
struct About {
    from: &'static str,
    method: &'static str,
    sequence: u32,
    stamp: &'static str,
    /// The lines of the event besides.
    lines: String,
}

/// Bob's event of 5 May, at 14:00 in Berlin, at this hour in UTC.
fn at(hour: u32) -> String {
    format!("DTSTART:20360505T{hour:02}0000Z\r\nDTEND:20360505T{:02}0000Z\r\n", hour + 1)
}

impl Default for About {
    fn default() -> Self {
        Self { from: BOB, method: "REQUEST", sequence: 2, stamp: "20261102T080000Z", lines: at(13) }
    }
}

impl About {
    fn event(&self) -> String {
        let Self { sequence, stamp, lines, .. } = self;
        format!(
            "BEGIN:VEVENT\r\nUID:kick@client\r\nSEQUENCE:{sequence}\r\nDTSTAMP:{stamp}\r\n{lines}SUMMARY:Kickoff\r\n\
             ORGANIZER:mailto:{BOB}\r\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.org\r\nEND:VEVENT\r\n"
        )
    }

    fn mail(&self) -> String {
        let Self { from, method, .. } = self;
        format!(
            "From: {from}\r\nTo: ada@example.org\r\nSubject: Updated invitation: Kickoff\r\nMessage-ID: <two@client.example>\r\n\
             Date: Mon, 02 Nov 2026 09:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n\
             --b\r\nContent-Type: text/plain\r\n\r\nSee the calendar.\r\n--b\r\n\
             Content-Type: text/calendar; method={method}\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:{method}\r\n{}END:VCALENDAR\r\n\
             --b--\r\n",
            self.event()
        )
    }

    async fn arrives(&self, inbox: &EmailInbox) -> (ThreadId, Question) {
        let thread = inbox.receive(&self.mail()).await;
        let item = inbox.open_item(&thread).await;
        (thread, item)
    }

    /// Where the calendar has this event.
    async fn arrives_at(&self, event: String) -> (EmailInbox, ThreadId, Question) {
        let inbox = with(event);
        let (thread, item) = self.arrives(&inbox).await;
        (inbox, thread, item)
    }
}

/// The event as it was accepted, at 14:00.
fn held() -> String {
    let about = About { sequence: 1, stamp: "20261101T080000Z", lines: at(12), ..About::default() };
    format!("BEGIN:VCALENDAR\r\n{}END:VCALENDAR\r\n", about.event())
}

fn cancelled() -> About {
    About { method: "CANCEL", lines: at(12), ..About::default() }
}

fn weekly() -> String {
    held().replace("SUMMARY", "RRULE:FREQ=WEEKLY\r\nSUMMARY")
}

fn with(event: String) -> EmailInbox {
    let inbox = EmailInbox::by_rules();
    inbox.calendar.events.lock().unwrap().push(event);
    inbox
}

#[tokio::test]
async fn a_moved_event_is_moved_in_the_calendar_and_answered() {
    for (answer, partstat) in [("accept", "ACCEPTED"), ("tentative", "TENTATIVE")] {
        let (inbox, thread, item) = About::default().arrives_at(held()).await;
        assert_eq!(item.action, "answer_invitation");
        assert_eq!(item.title, "Changed invitation: Kickoff");
        let moved = "Moved from Mon 5 May 2036, 14:00 to Mon 5 May 2036, 15:00.";
        assert!(item.text.contains(moved), "{}", item.text);
        assert_eq!(item.gist, moved);
        assert!(!item.warnings.iter().any(|warning| warning.code == "conflict"), "{:?}", item.warnings);
        assert!(item.irreversible && !item.grantable.thread && inbox.events() == [held()]);
        // What changes is the calendar's word and the mail's.
        let other = edit(("", item.args.clone()), "change", json!("Nothing changes."));
        assert!(inbox.decide(&item.id, other).await.is_err());
        inbox.answer(&thread, edit(("", item.args), "answer", json!(answer))).await;
        let events = inbox.events();
        assert_eq!(events.len(), 1, "{answer}");
        let partstat = format!("PARTSTAT={partstat}");
        assert_contains(&events[0], ["DTSTART:20360505T130000Z", "SEQUENCE:2", &partstat]);
        assert_eq!(inbox.sent().len(), 1, "{answer}");
        assert_eq!(inbox.status(&thread).await, Status::Done);
        assert!(inbox.model.requests_for("email.triage").is_empty(), "the calendar says what it is");
    }
}

#[tokio::test]
async fn a_change_that_is_declined_takes_the_event_out() {
    let (inbox, thread, item) = About::default().arrives_at(held()).await;
    assert!(item.text.contains("No: it goes out of your calendar; the organiser is told"), "{}", item.text);
    inbox.answer(&thread, edit(("", item.args), "answer", json!("decline"))).await;
    assert!(inbox.events().is_empty());
    assert!(inbox.sent()[0].contains("Declined: Kickoff"), "{}", inbox.sent()[0]);
}

#[tokio::test]
async fn one_of_a_series_is_changed_or_cancelled_alone() {
    let once = || format!("RECURRENCE-ID:20360512T120000Z\r\n{}", at(15).replace("0505", "0512"));
    let (inbox, thread, item) =
        About { sequence: 1, lines: once(), ..About::default() }.arrives_at(weekly()).await;
    let moved = "Only one of the series. Moved from Mon 12 May 2036, 14:00 to Mon 12 May 2036, 17:00.";
    assert!(item.text.contains(moved), "{}", item.text);
    inbox.answer(&thread, Decision::Accept).await;
    let changed = inbox.events();
    assert_eq!(changed[0].matches("BEGIN:VEVENT").count(), 2, "{}", changed[0]);
    assert!(changed[0].contains("RRULE") && changed[0].contains("DTSTART:20360512T150000Z"));

    let cancel = About { method: "CANCEL", lines: once(), ..About::default() };
    let (inbox, thread, item) = cancel.arrives_at(weekly()).await;
    assert!(item.text.contains("Cancelled: Kickoff, only Mon 12 May 2036, 14:00."), "{}", item.text);
    inbox.answer(&thread, Decision::Accept).await;
    let changed = inbox.events();
    assert!(changed[0].contains("RRULE") && changed[0].contains("STATUS:CANCELLED"), "{}", changed[0]);
    assert!(inbox.sent().is_empty());
}

#[tokio::test]
async fn a_cancelled_event_is_taken_out_once_the_person_says_so() {
    let (inbox, thread, item) = cancelled().arrives_at(held()).await;
    assert_eq!((item.action.as_str(), item.title.as_str()), ("remove_event", "Cancelled: Kickoff"));
    assert!(item.text.contains("Cancelled: Kickoff, Mon 5 May 2036, 14:00."), "{}", item.text);
    assert!(item.irreversible && !item.grantable.thread && inbox.events() == [held()]);
    inbox.answer(&thread, Decision::Accept).await;
    assert!(inbox.events().is_empty() && inbox.sent().is_empty());
    assert_eq!(inbox.ended(&thread).await, "cancelled");

    // A no leaves it, and teaches nothing about such mail.
    let (inbox, thread, _) = cancelled().arrives_at(held()).await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.events(), [held()]);
    assert!(inbox.learned().is_empty() && inbox.status(&thread).await == Status::Done);

    // Words go to the agent.
    let (inbox, thread, _) = cancelled().arrives_at(held()).await;
    inbox.answer(&thread, respond("Say: What a pity.")).await;
    assert_eq!(inbox.action(&thread).await, "write_email");
    assert_eq!(inbox.events(), [held()]);
}

#[tokio::test]
async fn what_may_not_change_the_calendar_is_said_and_changes_nothing() {
    let cancel = |from, sequence, stamp| About { from, method: "CANCEL", sequence, stamp, lines: at(12) };
    let update = |from, sequence, stamp| About { from, sequence, stamp, ..About::default() };
    let newer = "20261102T080000Z";
    let foreign =
        "eve@client.example is not the organizer of the event in your calendar; that is bob@client.example.";
    let stale = "Out of date: your calendar has a newer version of “Kickoff”.";
    for (about, why) in [
        (cancel("eve@client.example", 2, newer), foreign),
        (update("eve@client.example", 2, newer), foreign),
        (cancel(BOB, 0, newer), stale),
        (update(BOB, 0, newer), stale),
        (update(BOB, 1, "20261031T080000Z"), stale),
    ] {
        let (inbox, thread, item) = about.arrives_at(held()).await;
        assert_eq!(item.action, "notify", "{why}");
        assert!(item.text.contains(&format!("{why} Nothing was changed.")), "{why}: {}", item.text);
        inbox.answer(&thread, Decision::Accept).await;
        assert!(inbox.events() == [held()] && inbox.sent().is_empty(), "{why}");
    }
    // An event of the person's own that happens to have the UID.
    let own = held().replace(&format!("ORGANIZER:mailto:{BOB}\r\n"), "");
    let (inbox, _, item) = cancel(BOB, 2, newer).arrives_at(own.clone()).await;
    assert!(item.text.contains("has no organizer, so no mail can change it"), "{}", item.text);
    assert_eq!(inbox.events(), [own]);
}

#[tokio::test]
async fn a_cancelled_event_that_is_not_there_is_only_told() {
    let inbox = EmailInbox::by_rules();
    let (thread, item) = cancelled().arrives(&inbox).await;
    assert_eq!(item.action, "notify");
    let expected = "Cancelled: Kickoff, Mon 5 May 2036, 14:00. It is not in your calendar.";
    assert_contains(&item.text, [expected]);
    inbox.answer(&thread, Decision::Accept).await;
    assert!(inbox.events().is_empty() && inbox.sent().is_empty());
}

#[tokio::test]
async fn a_calendar_that_changed_meanwhile_is_asked_about_again() {
    // Deleted: what is accepted then is an invitation like any other.
    let (inbox, thread, _) = About::default().arrives_at(held()).await;
    inbox.calendar.events.lock().unwrap().clear();
    inbox.answer(&thread, Decision::Accept).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.title, "Invitation: Kickoff");
    assert!(inbox.sent().is_empty() && inbox.events().is_empty());
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!((inbox.sent().len(), inbox.events().len()), (1, 1));

    // Changed by somebody else: a newer version is left alone, and cannot be accepted away.
    let (inbox, thread, _) = About::default().arrives_at(held()).await;
    let newest = held().replace("SEQUENCE:1", "SEQUENCE:7");
    *inbox.calendar.events.lock().unwrap() = vec![newest.clone()];
    inbox.answer(&thread, Decision::Accept).await;
    let item = inbox.open_item(&thread).await;
    assert!(item.warnings.iter().any(|warning| warning.code == "event_refused"), "{:?}", item.warnings);
    assert!(!item.allow.accept && !item.allow.edit);
    assert!(inbox.sent().is_empty() && inbox.events() == [newest]);

    // Taken out already: nothing is left to do.
    let (inbox, thread, _) = cancelled().arrives_at(held()).await;
    inbox.calendar.events.lock().unwrap().clear();
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn an_account_that_observes_changes_nothing() {
    for method in ["REQUEST", "CANCEL"] {
        let inbox = with(held());
        *inbox.mode.lock().unwrap() = MailMode::Observe;
        let (thread, item) = About { method, ..About::default() }.arrives(&inbox).await;
        assert!(item.text.contains("only observes"), "{}", item.text);
        inbox.answer(&thread, Decision::Accept).await;
        assert!(inbox.events() == [held()] && inbox.sent().is_empty(), "{method}");
        assert_eq!(inbox.ended(&thread).await, "unsent");
    }
}

#[tokio::test]
async fn a_rule_of_the_persons_comes_first() {
    let (inbox, thread, item) = About { method: "CANCEL", ..About::default() }.arrives_at(held()).await;
    assert_eq!(item.action, "remove_event");
    // Said to be only worth knowing, it is shown and nothing else.
    inbox.mail().reclassify(thread.clone(), "notify".to_owned()).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.action(&thread).await, "notify");
}
