//! Accounts that only observe: nothing leaves by any tool, and what was asked then is not done later.

use super::*;
use sayso::config::MailMode;
use sayso::inbox::ThreadQuery;

fn setup() -> EmailSetup {
    EmailSetup { mode: MailMode::Observe, ..EmailSetup::default() }
}

/// Nothing has left by any door.
async fn nothing_left(inbox: &EmailInbox, thread: &ThreadId) {
    assert!(inbox.sent().is_empty() && inbox.marks().is_empty());
    assert!(inbox.mailbox.drafts.lock().unwrap().is_empty());
    assert!(inbox.events().is_empty());
    assert!(inbox.view(thread).await.effects.is_empty());
}

/// How it ended, in the words that both lists use: that of decisions and that of threads.
async fn outcome_line(inbox: &EmailInbox, thread: &ThreadId) -> String {
    let decided = inbox.past_outcomes().await.remove(0);
    let threads = inbox.threads().list(ThreadQuery { limit: 10, ..ThreadQuery::default() }).await.unwrap();
    let line = threads.rows.iter().find(|line| line.id == *thread).unwrap();
    assert_eq!(line.outcome_or_status(), decided);
    decided
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
        let inbox = EmailInbox::with(setup(), "respond", [calls([call])]);
        let thread = inbox.receive(&raw).await;
        let item = inbox.open_item(&thread).await;
        assert!(item.text.contains("only observes"), "{name}: {}", item.text);
        assert_eq!(item.labels.accept.as_deref(), Some("accept, sends nothing"), "{name}");
        inbox.answer(&thread, decision).await;
        nothing_left(&inbox, &thread).await;
        assert_eq!(inbox.ended(&thread).await, "unsent", "{name}");
        let expected = if name.ends_with("Draft") { "not saved" } else { "not sent, observe mode" };
        assert_eq!(outcome_line(&inbox, &thread).await, expected, "{name}");
    }
}

#[tokio::test]
async fn mail_that_was_shown_or_ignored_is_not_marked() {
    for (class, decision) in
        [("notify", Some(Decision::Accept)), ("notify", Some(Decision::Ignore)), ("ignore", None)]
    {
        let inbox = EmailInbox::with(setup(), class, []);
        let thread = inbox.receive_mail().await;
        if let Some(decision) = decision {
            inbox.answer(&thread, decision).await;
        }
        nothing_left(&inbox, &thread).await;
        assert!(inbox.ledger(&thread).1.is_some(), "sayso itself remembers that it is handled");
    }
}

#[tokio::test]
async fn what_was_asked_while_observing_is_asked_again_before_it_is_done() {
    for call in [write(), meet()] {
        let inbox = EmailInbox::with(setup(), "respond", [calls([call])]);
        let thread = inbox.receive_mail().await;
        let before = inbox.open_item(&thread).await;
        assert!(!before.irreversible);
        // The person trusts it now, and finds the card that said nothing would leave.
        *inbox.mode.lock().unwrap() = MailMode::Act;
        let told = inbox.text(&thread).await;
        assert!(told.contains("Accepting sends nothing yet: you are asked once more."), "{told}");
        inbox.answer(&thread, Decision::Accept).await;
        nothing_left(&inbox, &thread).await;
        let again = inbox.open_item(&thread).await;
        assert!(again.irreversible && again.id != before.id, "{again:?}");
        assert_eq!(again.args, before.args);
        assert_contains(&again.text, ["Asked once more: this was proposed while the account only observed"]);
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.sent().len(), 1);
        let effects = inbox.view(&thread).await.effects;
        assert_eq!(effects.iter().filter(|effect| effect.name.starts_with("send")).count(), 1);
    }
}

#[tokio::test]
async fn what_is_proposed_after_observing_was_not_asked_before() {
    let inbox = EmailInbox::with(setup(), "respond", [calls([ask("When?")]), calls([write()])]);
    let thread = inbox.receive_mail().await;
    *inbox.mode.lock().unwrap() = MailMode::Act;
    inbox.answer(&thread, respond("On Monday.")).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "write_email");
    assert!(item.irreversible && !item.text.contains("only observed"), "{}", item.text);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
}

#[tokio::test]
async fn what_was_approved_is_not_done_once_the_account_only_observes() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    *inbox.mode.lock().unwrap() = MailMode::Observe;
    inbox.answer(&thread, Decision::Accept).await;
    nothing_left(&inbox, &thread).await;
    assert_eq!(outcome_line(&inbox, &thread).await, "not sent");
}

#[tokio::test]
async fn answers_teach_also_while_observing() {
    let inbox = EmailInbox::with(setup(), "respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.learned(), ["lower bob@client.example"]);
}
