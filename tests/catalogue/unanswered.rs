//! A mail that the model proposes nothing for is shown, and stays unread until a person has decided: I17.

use crate::office::{Office, Plan, ask, calls, done, mail, meet, respond, second, write};
use crate::report;
use sayso::graph::{Decision, ThreadId, What};
use sayso::inbox::Status;
use sayso::llm::Reply;
use serde_json::{Value, json};

/// The mail is among what waits for the person, and nothing says it is handled.
async fn is_shown(office: &Office, thread: &ThreadId, name: &str) {
    assert_eq!(office.status(thread).await, Status::Waiting, "{name}");
    let item = office.open(thread).await;
    assert_eq!(item.action, "notify", "{name}");
    assert!(item.text.contains("the model proposes no reply"), "{name}: {}", item.text);
    assert!(item.text.contains("When does the report come?"), "{name}: {}", item.text);
    assert!(office.marks().is_empty(), "{name}");
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
    let scripts: [(&str, Vec<Reply>); 8] = [
        ("done", vec![calls([done()])]),
        ("done with a reason", vec![calls([("done", json!({"reason": "It is spam."}))])]),
        ("done twice", vec![calls([done(), done()])]),
        ("done beside the calendar", vec![calls([calendar(), done()])]),
        ("done after the calendar", vec![calls([calendar()]), calls([calendar()]), calls([done()])]),
        ("done after a call that cannot be used", vec![calls([impossible]), calls([done()])]),
        ("done after tools that are not there", vec![unknown(), unknown(), calls([done()])]),
        ("done after prose", vec![prose("Nothing to do."), prose(""), calls([done()])]),
    ];
    let trials = scripts.len();
    for (name, replies) in scripts {
        let office = Office::new("respond", replies);
        let thread = office.got().await;
        is_shown(&office, &thread, name).await;
        assert_eq!(office.ledger(&thread), ("notify".to_owned(), None), "{name}");
        office.decides(&thread, Decision::Accept).await;
        assert_eq!(office.marks(), ["new/1 Done"], "{name}: the person has decided");
    }
    report("I17", "a model that calls done before anybody decided", trials);
}

#[tokio::test]
async fn i17_words_to_the_model_are_no_decision() {
    for proposal in [calls([ask("Which report?")]), calls([write()]), calls([write(), done()])] {
        let office = Office::new("respond", [proposal, calls([done()])]);
        let thread = office.got().await;
        office.decides(&thread, respond("The yearly one")).await;
        is_shown(&office, &thread, "words").await;
    }
    // The person asked for an answer themselves.
    let office = Office::new("ignore", [calls([done()])]);
    let thread = office.got().await;
    let what = What::Corrected { payload: json!({"class": "respond"}) };
    office.arrive(&thread, "reclassify", what).await.unwrap();
    office.settle().await;
    is_shown(&office, &thread, "reclassified").await;
    let mut plan = Plan::default();
    plan.config.push_str("[[rule]]\nfrom = \"*@client.example\"\nclass = \"respond\"\n");
    let office = Office::with(plan, "ignore", [calls([done()])]);
    let thread = office.got().await;
    is_shown(&office, &thread, "a rule").await;
    report("I17", "done after the person's words, a reclassification or a rule", 5);
}

#[tokio::test]
async fn i17_an_answer_to_one_mail_decides_on_no_later_one() {
    let office = Office::new("respond", [calls([write()]), calls([done()])]);
    let thread = office.got().await;
    office.news(&thread, &second()).await;
    office.decides(&thread, Decision::Accept).await;
    assert_eq!(office.sent().len(), 1);
    is_shown(&office, &thread, "a later mail").await;
    assert!(office.open(&thread).await.text.contains("No hurry any more."));
    report("I17", "done on a mail that came after the one answered", 1);
}

#[tokio::test]
async fn i17_a_mail_that_is_ignored_hides_no_earlier_one() {
    let office = Office::new("ignore", []);
    let thread = office.receive(&mail(), json!({})).await.unwrap();
    office.news(&thread, &second()).await;
    office.settle().await;
    assert_eq!(office.status(&thread).await, Status::Waiting);
    let item = office.open(&thread).await;
    assert_eq!(item.action, "notify");
    assert!(item.text.contains("An earlier mail of this conversation is undecided."), "{}", item.text);
    assert!(office.marks().is_empty());
    office.decides(&thread, Decision::Ignore).await;
    assert_eq!(office.marks(), ["new/1 Done", "new/2 Done"], "the person has seen both");
    report("I17", "a mail to be ignored behind one that nobody has looked at", 1);
}

#[tokio::test]
async fn i17_a_model_that_calls_nothing_that_is_there_is_trouble() {
    let scripts = [
        ("unknown tools", [unknown(), unknown(), unknown()]),
        ("prose", [prose("I have answered it."), prose("It is done."), prose("Done.")]),
        ("nothing", [prose(""), prose(""), prose("")]),
    ];
    let trials = scripts.len();
    for (name, replies) in scripts {
        let office = Office::new("respond", replies);
        let thread = office.got().await;
        assert_eq!(office.status(&thread).await, Status::Trouble, "{name}");
        let item = office.open(&thread).await;
        assert!(item.text.contains("When does the report come?"), "{name}: {}", item.text);
        assert!(office.marks().is_empty() && office.ledger(&thread).1.is_none(), "{name}");
    }
    report("I17", "unknown tools, prose and empty answers only", trials);
}
