//! Accounts that only observe: nothing leaves by any tool, and what was asked then is not done later.

use super::office::*;
use sayso::config::MailMode;
use sayso::graph::Decision;
use serde_json::json;

fn plan() -> Plan {
    Plan { mode: MailMode::Observe, ..Plan::default() }
}

/// Nothing has left by any door.
async fn nothing_left(office: &Office, thread: &sayso::graph::ThreadId) {
    assert!(office.sent().is_empty() && office.marks().is_empty());
    assert!(office.mailbox.drafts.lock().unwrap().is_empty());
    assert!(office.days.events.lock().unwrap().is_empty());
    assert!(office.view(thread).await.effects.is_empty());
}

#[tokio::test]
async fn nothing_leaves_by_any_tool() {
    let list = mail_with("List-Unsubscribe: <mailto:leave@list.example?subject=stop>\r\n", "The newsletter.");
    let leave = || ("unsubscribe", json!({}));
    for (raw, call, decision) in [
        (mail(), write(), Decision::Accept),
        (mail(), write(), edit(write(), "subject", json!("Another"))),
        (mail(), write(), Decision::Draft),
        (mail(), meet(), Decision::Accept),
        (mail(), meet(), edit(meet(), "subject", json!("Another"))),
        (list, leave(), Decision::Accept),
    ] {
        let name = format!("{} {decision:?}", call.0);
        let office = Office::with(plan(), "respond", [calls([call]), calls([done()])]);
        let thread = office.receive(&raw, json!({})).await.unwrap();
        office.settle().await;
        let item = office.open(&thread).await;
        assert!(item.text.contains("only observes"), "{name}: {}", item.text);
        assert_eq!(item.labels.accept.as_deref(), Some("accept, sends nothing"), "{name}");
        office.decides(&thread, decision).await;
        nothing_left(&office, &thread).await;
        let outcome = office.outcome(&thread).await.output.unwrap()["outcome"].clone();
        assert_eq!(outcome, "observed", "{name}");
    }
}

#[tokio::test]
async fn mail_that_was_shown_or_ignored_is_not_marked() {
    for (class, decision) in
        [("notify", Some(Decision::Accept)), ("notify", Some(Decision::Ignore)), ("ignore", None)]
    {
        let office = Office::with(plan(), class, []);
        let thread = office.got().await;
        if let Some(decision) = decision {
            office.decides(&thread, decision).await;
        }
        nothing_left(&office, &thread).await;
        assert!(office.ledger(&thread).1.is_some(), "sayso itself remembers that it is handled");
    }
}

#[tokio::test]
async fn what_was_asked_while_observing_is_asked_again_before_it_is_done() {
    for call in [write(), meet()] {
        let office = Office::with(plan(), "respond", [calls([call]), calls([done()])]);
        let thread = office.got().await;
        let before = office.open(&thread).await;
        assert!(!before.irreversible);
        // The person trusts it now, and finds the card that said nothing would leave.
        *office.mode.lock().unwrap() = MailMode::Act;
        office.decides(&thread, Decision::Accept).await;
        nothing_left(&office, &thread).await;
        let again = office.open(&thread).await;
        assert!(again.irreversible && again.id != before.id, "{again:?}");
        assert_eq!(again.args, before.args);
        office.decides(&thread, Decision::Accept).await;
        assert_eq!(office.sent().len(), 1);
        assert_eq!(
            office
                .view(&thread)
                .await
                .effects
                .iter()
                .filter(|effect| effect.name.starts_with("send"))
                .count(),
            1
        );
    }
}

#[tokio::test]
async fn what_was_approved_is_not_done_once_the_account_only_observes() {
    let office = Office::new("respond", [calls([write()]), calls([done()])]);
    let thread = office.got().await;
    *office.mode.lock().unwrap() = MailMode::Observe;
    office.decides(&thread, Decision::Accept).await;
    nothing_left(&office, &thread).await;
}

#[tokio::test]
async fn answers_teach_also_while_observing() {
    let office = Office::with(plan(), "respond", [calls([write()])]);
    let thread = office.got().await;
    office.decides(&thread, Decision::Ignore).await;
    assert_eq!(office.learned(), ["triage_preferences proposal_ignored"]);
}
