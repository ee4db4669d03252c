//! What a model proposes is only ever a proposal: I02, I04, I09, I10, I11.

use crate::report;
use crate::support::email_inbox::{BOB, EmailInbox, calls, done, second, write};
use sayso::engine::graph::Decision;
use sayso::inbox::{DecidedBy, DecisionRequest, SeenHash, Status};
use serde_json::{Value, json};

#[tokio::test]
async fn i02_hostile_calls_do_nothing_without_a_decision() {
    let hostile = [
        (
            "write_email",
            json!({"to": ["evil@attacker.example"], "bcc": ["all@attacker.example"], "subject": "x\r\nBcc: more@attacker.example", "content": "\u{1b}[31mHello\u{202e}"}),
        ),
        (
            "schedule_meeting",
            json!({"attendees": ["evil@attacker.example"], "subject": "x", "start": "2036-05-05T14:00:00Z", "duration_minutes": 30}),
        ),
        ("question", json!({"content": "What is your password?"})),
        ("check_calendar_availability", json!({"days": ["2036-05-05"]})),
        ("done", json!({})),
    ];
    let inbox = EmailInbox::new("respond", [calls(hostile)]);
    let thread = inbox.receive_mail().await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert!(inbox.sent().is_empty() && inbox.calendar.events.lock().unwrap().is_empty());
    assert!(inbox.marks().is_empty() && inbox.view(&thread).await.effects.is_empty());
    let items = inbox.open_items(&thread).await;
    assert_eq!(items.len(), 3);
    let args = items[0].args.to_string();
    assert!(!args.contains('\u{1b}') && !args.contains("\\u001b") && !args.contains('\u{202e}'), "{args}");
    let codes: Vec<&str> = items[0].warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert!(codes.contains(&"recipient_outside") && codes.contains(&"bcc_added"), "{codes:?}");
    // Accepted all the same, the mail says what the card said, and no header more.
    let ids = inbox.outcome(&thread).await.interrupts;
    inbox.decide(&ids[0], Decision::Accept).await.unwrap();
    inbox.decide(&ids[1], Decision::Ignore).await.unwrap();
    inbox.decide(&ids[2], Decision::Ignore).await.unwrap();
    inbox.drive().await;
    let sent = inbox.sent().remove(0);
    assert!(!sent.contains("\nBcc: more@"), "{sent}");
    report("I02", "every tool called with hostile arguments", 5);
}

#[tokio::test]
async fn i02_a_model_attaches_nothing_and_calls_no_tool_that_is_not_there() {
    let mut attaching = write();
    attaching.1["attachments"] = json!(["/etc/passwd"]);
    for bad in [calls([attaching]), calls([("send_money", json!({}))]), calls([("unsubscribe", json!({}))])] {
        let inbox = EmailInbox::new("respond", [bad, calls([done()])]);
        let thread = inbox.receive_mail().await;
        assert_eq!(inbox.open_item(&thread).await.action, "notify");
        assert_eq!(inbox.replies_asked(), 2);
        assert!(!inbox.view(&thread).await.state.to_string().contains("passwd"));
        assert!(inbox.sent().is_empty());
    }
    report("I02", "attachments, and tools that are not offered", 3);
}

#[tokio::test]
async fn i04_strangers_blind_copies_and_look_alikes_are_flagged() {
    let mut odd = write();
    odd.1["cc"] = json!(["bob@cl1ent.example"]);
    odd.1["bcc"] = json!(["dora@else.example"]);
    let inbox = EmailInbox::new("respond", [calls([odd])]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    let codes: Vec<&str> = item.warnings.iter().map(|warning| warning.code.as_str()).collect();
    for code in ["recipient_outside", "bcc_added", "look_alike"] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    assert!(item.text.starts_with("!! "), "{}", item.text);
    assert!(item.text.contains("Bcc: dora@else.example"));
    report("I04", "a stranger, a blind copy, a look-alike domain", 3);
}

#[tokio::test]
async fn i09_arguments_changed_in_the_database_are_not_carried_out() {
    // What was asked stands in the log, packed; whatever bytes are put in its place are not what it was chained with.
    let forged = format!("{:?}", json!({"to": ["eve@client.example"]}));
    let changes: [(&str, &str); 4] = [
        ("body = ?2", &forged),
        ("body = CAST(replace(CAST(body AS TEXT), 'bob', ?2) AS BLOB)", "eve"),
        ("body = NULL, sum = zeroblob(32 + length(?2))", ""),
        ("at = at + 1 + length(?2)", ""),
    ];
    for (change, text) in changes {
        for approved_first in [false, true] {
            let inbox = EmailInbox::new("respond", [calls([write()])]);
            let thread = inbox.receive_mail().await;
            let id = inbox.open_question(&thread).await;
            if approved_first {
                inbox.decide(&id, Decision::Accept).await.unwrap();
            }
            let change =
                format!("UPDATE log SET {change} WHERE seq = (SELECT seq FROM interrupts WHERE id = ?1)");
            assert_eq!(inbox.sql().execute(&change, [id.as_str(), text]).unwrap(), 1);
            if !approved_first {
                let _ = inbox.decide(&id, Decision::Accept).await;
            }
            inbox.drive().await;
            assert!(inbox.sent().is_empty(), "{change}");
            assert!(!inbox.store().audit().verify().unwrap().damaged.is_empty(), "{change}");
        }
    }
    report("I09", "arguments changed in the database, before and after the answer", 2 * changes.len());
}

#[tokio::test]
async fn i11_edits_that_do_not_fit_are_refused_with_the_field() {
    let inbox = EmailInbox::new("respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    let id = inbox.open_question(&thread).await;
    let cases: [(Value, &str); 5] = [
        (json!({"to": [], "subject": "x", "content": "y"}), "to"),
        (json!({"to": ["nobody"], "subject": "x", "content": "y"}), "to"),
        (json!({"to": [BOB], "subject": 7, "content": "y"}), "subject"),
        (json!({"to": [BOB], "subject": "x"}), "content"),
        (json!({"to": [BOB], "subject": "x", "content": "y", "html": "z"}), "html"),
    ];
    for (args, field) in cases {
        let refused = inbox.decide(&id, Decision::Edit { args }).await.unwrap_err().to_string();
        assert!(refused.contains(field), "{field}: {refused}");
    }
    assert_eq!(inbox.status(&thread).await, Status::Waiting, "nothing was decided");
    assert!(inbox.sent().is_empty());
    report("I11", "edited arguments: invalid, missing, wrong, too many", 5);
}

#[tokio::test]
async fn i10_new_mail_makes_a_card_stale_and_is_shown_before_it_is_decided() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let id = inbox.open_question(&thread).await;
    let shown = inbox.item(&id).await.args_hash.to_string();
    inbox.receive_news(&thread, &second()).await;
    inbox.drive().await;
    let decide = |shown: &str| DecisionRequest {
        interrupt: id.clone(),
        decision: Decision::Accept,
        shown: Some(SeenHash::Typed(shown.to_owned())),
        learn: true,
        by: DecidedBy::Cli,
    };
    let refused = inbox.decisions().decide(decide(&shown)).await.unwrap_err();
    assert!(refused.to_string().contains("changed since it was shown"), "{refused}");
    let item = inbox.item(&id).await;
    assert!(item.warnings.iter().any(|warning| warning.code == "new_mail"));
    assert!(item.text.contains("No hurry any more.") && item.text.contains("When does the report come?"));
    assert!(
        item.text.find("No hurry any more.") < item.text.find("When does the report come?"),
        "the newest comes first"
    );
    inbox.decisions().decide(decide(&item.args_hash.to_string())).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.sent().len(), 1);
    // What was proposed answers the mail it was proposed for, whatever came since.
    assert!(inbox.sent()[0].contains("In-Reply-To: <one@client.example>"), "{}", inbox.sent()[0]);
    report("I10", "new mail between showing and accepting", 1);
}
