//! Questions: several at once, each decided on its own, and each kind of wrong answer with its own error.

use crate::support::TestInbox;
use crate::support::test_inbox::{decision, edit, respond};
use sayso::engine::graph::{Decision, InterruptId};
use sayso::inbox::{DecidedBy, DecisionRequest, InboxError, ItemQuery, Refusal, SeenHash, Status};
use serde_json::json;

#[tokio::test]
async fn the_thread_goes_on_when_the_last_of_several_is_decided() {
    let inbox = TestInbox::new();
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}, {"key": "b"}, {"key": "c"}]}]])).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    let answers = [
        (2, Decision::Ignore, Status::Waiting, 2),
        (0, edit(json!({"key": "a", "n": 2})), Status::Waiting, 1),
        (1, respond("why?"), Status::Ready, 0),
    ];
    for (which, decision, status, left) in answers {
        let outcome = inbox.decide(&asked[which], decision).await.unwrap();
        assert_eq!((outcome.status, outcome.interrupts.len()), (status, left));
        if status == Status::Waiting {
            inbox.drive().await;
            assert_eq!(inbox.status(&thread).await, Status::Waiting, "it waits for the others");
        }
    }
    inbox.drive().await;
    let expected = json!([{"answers": [["a", "edit"], ["b", "respond"], ["c", "ignore"]]}]);
    assert_eq!(inbox.log(&thread).await, expected, "answers stand in the order asked");
    assert_eq!(inbox.nodes(&thread).await, ["START", "play", "ANSWERS", "play"]);
}

#[tokio::test]
async fn wrong_answers_are_told_apart_and_store_nothing() {
    let inbox = TestInbox::new();
    let thread =
        inbox.run_program(json!([[{"ask": [{"key": "a", "no_respond": true}, {"key": "b"}]}]])).await;
    let [a, b] = <[InterruptId; 2]>::try_from(inbox.outcome(&thread).await.interrupts).unwrap();
    let hash = inbox.item(&a).await.args_hash.to_string();
    type Told = fn(&InboxError) -> bool;
    let table: Vec<(&str, InterruptId, Decision, Option<&str>, Told)> = vec![
        ("unknown", InterruptId::parse("izzzzzzzz").unwrap(), Decision::Accept, None, |e| {
            matches!(e, InboxError::NotFound { what: "interrupt", .. })
        }),
        (
            "the beginning of both",
            InterruptId::parse("i").unwrap(),
            Decision::Accept,
            None,
            |e| matches!(e, InboxError::Ambiguous { some, .. } if some.len() == 2),
        ),
        ("another hash", a.clone(), Decision::Accept, Some("00000000"), |e| {
            matches!(e, InboxError::Stale { .. })
        }),
        ("a hash too short", a.clone(), Decision::Accept, Some(&hash[..7]), |e| {
            matches!(e, InboxError::Stale { .. })
        }),
        ("not allowed", a.clone(), respond("hm"), None, |e| {
            matches!(e, InboxError::Refused { refusal: Refusal::NotAllowed("respond", takes), .. }
                if takes == "accept, edit or ignore")
        }),
        ("no words", b.clone(), respond(" \u{1b}\n"), None, |e| {
            matches!(e, InboxError::Refused { refusal: Refusal::Empty, .. })
        }),
        ("wrong type", a.clone(), edit(json!({"key": "a", "n": "two"})), None, |e| named(e, "`n`: ")),
        ("too big", a.clone(), edit(json!({"key": "a", "n": 10})), None, |e| named(e, "`n`: ")),
        ("missing", a.clone(), edit(json!({"key": "a"})), None, |e| named(e, "\"n\" is a required property")),
        ("unknown key", a.clone(), edit(json!({"key": "a", "n": 1, "z": 1})), None, |e| named(e, "'z'")),
        ("no object", a.clone(), edit(json!([1])), None, |e| named(e, "is not of type")),
    ];
    let version = inbox.store().threads().version(&thread).unwrap();
    let seen = |typed: &str| Some(SeenHash::Typed(typed.to_owned()));
    for (what, question, answer, shown, told) in table {
        let request = decision(&question, answer, DecidedBy::Cli);
        let request = DecisionRequest { shown: shown.and_then(seen), ..request };
        let error = inbox.decisions().decide(request).await.unwrap_err();
        assert!(told(&error), "{what}: {error:?}");
    }
    assert_eq!(inbox.store().threads().version(&thread).unwrap(), version);
    assert_eq!(inbox.view(&thread).await.decisions.len(), 0, "nothing was stored");

    let shown = seen(&hash[..8]);
    let request = DecisionRequest { shown, ..decision(&a, Decision::Accept, DecidedBy::Tui) };
    inbox.decisions().decide(request).await.unwrap();
    let error = inbox.decide(&a, Decision::Ignore).await.unwrap_err();
    assert!(
        matches!(&error, InboxError::NotOpen { why, .. } if why.starts_with("it was accepted (by tui) at ")),
        "{error:?}"
    );
}

fn named(error: &InboxError, text: &str) -> bool {
    matches!(error, InboxError::Refused { refusal: Refusal::Args(why), .. } if why.contains(text))
}

#[tokio::test]
async fn what_a_person_types_is_kept_less_control_characters() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"ask": [{"key": "a"}, {"key": "b"}]}]])).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    inbox.decide(&asked[0], respond("a\u{1b}[31m b\r\nc\u{7}")).await.unwrap();
    inbox.decide(&asked[1], edit(json!({"key": "x\u{1b}]0;t\u{7}\ny", "n": 1}))).await.unwrap();
    let decisions = inbox.view(&thread).await.decisions;
    assert_eq!(decisions[0].args, json!("a[31m b\nc"));
    assert_eq!(decisions[1].args, json!({"key": "x]0;t\ny", "n": 1}));
}

#[tokio::test]
async fn a_start_input_that_does_not_fit_names_the_field() {
    let inbox = TestInbox::new();
    let table = [
        ("chat", json!({"topic": 3}), "`topic`: invalid type"),
        ("chat", json!({}), "missing field `topic`"),
        ("chat", json!({"topic": "x", "turns": -1}), "`turns`: invalid value"),
        ("chat", json!({"topic": "x", "other": 1}), "unknown field `other`"),
        ("player", json!({"program": [[{"ask": [{"key": 3}]}]]}), "`program[0][0].ask[0].key`"),
        ("chta", json!({}), "did you mean `chat`?"),
        ("kid", json!({"program": []}), "there is no workflow `kid`"),
    ];
    for (workflow, input, expected) in table {
        let error = inbox.threads().start(workflow.to_owned(), input).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(inbox.threads().list(Default::default()).await.unwrap().rows.len(), 0, "nothing was stored");
}

#[tokio::test]
async fn an_empty_ask_does_not_wait() {
    let (inbox, thread) = TestInbox::new().playing(json!([[{"ask": []}]])).await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(inbox.log(&thread).await, json!([{"answers": []}]));
}

#[tokio::test]
async fn a_snoozed_question_is_out_of_sight_and_still_open() {
    let (inbox, _, id) = TestInbox::new().asking(json!([[{"ask": [{"key": "a"}]}]])).await;
    let seen = |snoozed: bool| {
        let flags = snoozed.then_some(sayso::inbox::Flag::Snoozed).into_iter().collect();
        let filter = sayso::inbox::Query { flags, ..Default::default() };
        inbox.decisions().questions(ItemQuery { filter, limit: 9, ..Default::default() })
    };
    let until = Some(jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1));
    assert!(inbox.decisions().snooze(id.clone(), until).await.unwrap().snoozed_until.is_some());
    assert_eq!((seen(false).await.unwrap().rows.len(), seen(true).await.unwrap().rows.len()), (0, 1));
    inbox.decisions().snooze(id.clone(), None).await.unwrap();
    assert_eq!((seen(false).await.unwrap().rows.len(), seen(true).await.unwrap().rows.len()), (1, 0));
    inbox.decide(&id, Decision::Accept).await.unwrap();
    assert!(inbox.decisions().snooze(id, until).await.is_err());
}
