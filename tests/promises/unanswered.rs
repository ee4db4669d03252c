//! A mail that the model proposes nothing for is shown, and stays unread until a person has decided: I17.

use crate::report;
use crate::support::email_inbox::{EmailInbox, EmailSetup, ask, calls, done, mail, meet, second, write};
use crate::support::test_inbox::respond;
use sayso::agent::llm::{Reply, Scripted};
use sayso::engine::graph::{Decision, EventKind, ThreadId};
use sayso::inbox::Status;
use serde_json::{Value, json};

/// The mail is among what waits for the person, and nothing says it is handled.
async fn is_shown(inbox: &EmailInbox, thread: &ThreadId, name: &str) {
    assert_eq!(inbox.status(thread).await, Status::Waiting, "{name}");
    let item = inbox.open_item(thread).await;
    assert_eq!(item.action, "notify", "{name}");
    assert!(item.text.contains("the model proposes no reply"), "{name}: {}", item.text);
    assert!(item.text.contains("When does the report come?"), "{name}: {}", item.text);
    assert!(inbox.marks().is_empty(), "{name}");
}

fn calendar() -> (&'static str, Value) {
    ("check_calendar_availability", json!({"days": ["2036-05-05"]}))
}

fn unknown() -> Reply {
    calls([("archive_mail", json!({}))])
}

fn prose(text: &str) -> Reply {
    Reply { text: text.to_owned(), ..Reply::default() }
}

#[tokio::test]
async fn i17_a_model_that_is_done_hides_no_mail() {
    let mut impossible = meet();
    impossible.1["start"] = json!("2036-13-45T14:00:00+02:00");
    let scripts: [(&str, Vec<Reply>); 9] = [
        ("done", vec![calls([done()])]),
        ("done with a reason", vec![calls([("done", json!({"reason": "It is spam."}))])]),
        ("done twice", vec![calls([done(), done()])]),
        ("done beside the calendar", vec![calls([calendar(), done()])]),
        ("done after the calendar", vec![calls([calendar()]), calls([calendar()]), calls([done()])]),
        ("done after a call that cannot be used", vec![calls([impossible]), calls([done()])]),
        ("done after a tool that is not there", vec![unknown(), calls([done()])]),
        ("done after prose", vec![prose("Nothing to do."), calls([done()])]),
        ("done after nothing", vec![prose(""), calls([done()])]),
    ];
    let trials = scripts.len();
    for (name, replies) in scripts {
        let inbox = EmailInbox::new("respond", replies);
        let thread = inbox.receive_mail().await;
        is_shown(&inbox, &thread, name).await;
        assert_eq!(inbox.ledger(&thread), ("notify".to_owned(), None), "{name}");
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.marks(), ["new/1 Done"], "{name}: the person has decided");
    }
    report("I17", "a model that calls done before anybody decided", trials);
}

#[tokio::test]
async fn i17_words_to_the_model_are_no_decision() {
    for proposal in [calls([ask("Which report?")]), calls([write()]), calls([write(), done()])] {
        let inbox = EmailInbox::new("respond", [proposal, calls([done()])]);
        let thread = inbox.receive_mail().await;
        inbox.answer(&thread, respond("The yearly one")).await;
        is_shown(&inbox, &thread, "words").await;
    }
    // The person asked for an answer themselves.
    let inbox = EmailInbox::new("ignore", [calls([done()])]);
    let thread = inbox.receive_mail().await;
    let what = EventKind::Corrected { payload: json!({"class": "respond"}) };
    inbox.arrive(&thread, "reclassify", what).await.unwrap();
    inbox.drive().await;
    is_shown(&inbox, &thread, "reclassified").await;
    let mut setup = EmailSetup::default();
    setup.config.push_str("[[rule]]\nfrom = \"*@client.example\"\nclass = \"respond\"\n");
    let inbox = EmailInbox::with(setup, "ignore", [calls([done()])]);
    let thread = inbox.receive_mail().await;
    is_shown(&inbox, &thread, "a rule").await;
    report("I17", "done after the person's words, a reclassification or a rule", 5);
}

#[tokio::test]
async fn i17_an_answer_to_one_mail_decides_on_no_later_one() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.receive_news(&thread, &second()).await;
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
    is_shown(&inbox, &thread, "a later mail").await;
    assert!(inbox.open_item(&thread).await.text.contains("No hurry any more."));
    report("I17", "done on a mail that came after the one answered", 1);
}

#[tokio::test]
async fn i17_a_mail_that_is_ignored_hides_no_earlier_one() {
    let inbox = EmailInbox::new("ignore", []);
    let thread = inbox.take_in(&mail(), json!({})).await.unwrap();
    inbox.receive_news(&thread, &second()).await;
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "notify");
    assert!(item.text.contains("An earlier mail of this conversation is undecided."), "{}", item.text);
    assert!(inbox.marks().is_empty());
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.marks(), ["new/1 Done", "new/2 Done"], "the person has seen both");
    report("I17", "a mail to be ignored behind one that nobody has looked at", 1);
}

#[tokio::test]
async fn i17_a_model_that_calls_nothing_that_is_there_is_shown_to_the_person() {
    let scripts = [
        ("unknown tools", [unknown(), unknown()], Status::Trouble),
        ("prose", [prose("I have answered it."), prose("It is done.")], Status::Waiting),
        ("nothing", [prose(""), prose("")], Status::Trouble),
    ];
    let trials = scripts.len();
    for (name, replies, status) in scripts {
        let setup = EmailSetup { is_builtin: false, ..EmailSetup::default() };
        let inbox = EmailInbox::with(setup, "respond", replies);
        inbox.model.queue("text.check", [Scripted::json(&json!({"is_wanted": false}))]);
        let thread = inbox.receive_mail().await;
        assert_eq!(inbox.status(&thread).await, status, "{name}");
        let item = inbox.open_item(&thread).await;
        let why = "the model proposes no reply: It is done.";
        assert_eq!((item.action == "notify", item.text.contains(why)), (name == "prose", name == "prose"));
        assert!(item.text.contains("When does the report come?"), "{name}: {}", item.text);
        assert!(inbox.marks().is_empty() && inbox.ledger(&thread).1.is_none(), "{name}");
    }
    report("I17", "unknown tools, prose and empty answers only", trials);
}
