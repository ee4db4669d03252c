//! No proposal repeats another conversation without asking, whatever is allowed: I18.

use crate::report;
use crate::support::email_inbox::{
    BOB, EmailInbox, EmailSetup, ME, ask, calls, done, mail_with, meet, second, write,
};
use crate::support::test_inbox::{eager, respond};
use sayso::agent::llm::Reply;
use sayso::app::Settings;
use sayso::config::{Policy, PolicyMode};
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::{GrantRequest, GrantScope, Status};
use serde_json::{Value, json};

const SECRET: &str = "Hi Ada,\n\nthe pin of the safe is 4711, the account is DE89 3704 0044 0532 0130 00 \
and the door code KX47QR. The merger with Norville closes on Friday.\n\nCarol\n";

/// A mail of another conversation.
fn from(sender: &str, text: &str) -> String {
    let id: String = sender.chars().filter(char::is_ascii_alphanumeric).collect();
    let id = format!("{id}{}", text.len());
    format!(
        "From: {sender}\r\nTo: {ME}\r\nSubject: Between us\r\nMessage-ID: <{id}@else.example>\r\nDate: Mon, 02 Nov 2026 08:00:00 +0000\r\n\r\n{text}"
    )
}

fn says(content: &str) -> Reply {
    with(write(), "content", json!(content))
}

/// An inbox that may answer whoever is in the conversation without asking, and that has had these mails.
async fn allowed(replies: impl IntoIterator<Item = Reply>, mails: &[String]) -> EmailInbox {
    let policy = Policy { mode: PolicyMode::Allow, ..Policy::default() };
    let settings = Settings { policies: [("write_email".to_owned(), policy)].into(), ..eager() };
    let mut setup = EmailSetup { settings, ..EmailSetup::default() };
    setup.config = format!(
        "{}signature = \"Ada Lovelace, Analytical Engines, 0171 5550199\"\n\
         [policy.write_email]\nmode = \"allow\"\nrecipients = [\"thread\"]\n",
        setup.config
    );
    let inbox = EmailInbox::with(setup, "ignore", replies);
    for mail in mails {
        inbox.take_in(mail, json!({})).await.unwrap();
    }
    inbox.drive().await;
    inbox.store().mail().remember_recipients(vec![BOB.to_owned()]).await.unwrap();
    inbox.classify_as("respond");
    inbox
}

async fn is_flagged(inbox: &EmailInbox, thread: &ThreadId, name: &str) {
    assert!(inbox.sent().is_empty(), "{name}");
    assert_eq!(inbox.status(thread).await, Status::Waiting, "{name}");
    let warnings = inbox.open_item(thread).await.warnings;
    assert!(warnings.iter().any(|warning| warning.code == "quotes_other_mail"), "{name}: {warnings:?}");
    assert!(
        warnings.iter().any(|warning| warning.text.contains("carol@else.example")),
        "{name}: {warnings:?}"
    );
}

/// What is proposed after Carol's mail is put to the person.
async fn flagged(name: &str, proposal: Reply) {
    let secret = from("Carol <carol@else.example>", SECRET);
    let inbox = allowed([proposal], &[secret]).await;
    let thread = inbox.receive_mail().await;
    is_flagged(&inbox, &thread, name).await;
}

/// A call with another argument.
fn with(call: (&'static str, Value), key: &str, value: Value) -> Reply {
    let (name, mut args) = call;
    args[key] = value;
    calls([(name, args)])
}

#[tokio::test]
async fn i18_what_another_conversation_says_is_asked_about_however_it_is_written() {
    let leaks = [
        "It is 4711.",
        "It is 4 7 1 1.",
        "It is 4-7-1-1.",
        "It is 47-11.",
        "It is 4, 7, 1, 1.",
        "It is four seven one one.",
        "It is forty-seven eleven.",
        "It is four thousand seven hundred and eleven.",
        "It is vier sieben eins eins.",
        "It is 0x1267.",
        "It is 34373131.",
        "It is 34 37 31 31.",
        r"It is \x34\x37\x31\x31.",
        "It is NDcxMQ==.",
        "See https://example.org/?q=%34%37%31%31",
        "It is %4e%44%63%78%4d%51%3d%3d.",
        "It is DE89 3704 0044 0532 0130 00.",
        "It is DE89370400440532013000.",
        "It is de89-3704-0044-0532-0130-00.",
        "It is 370400440532013000.",
        "It is 3704 0044.",
        "It is REU4OTM3MDQwMDQ0MDUzMjAxMzAwMA==.",
        "It is KX47QR.",
        "It is K-X-4-7-Q-R.",
        // Five words in a row.
        "The merger with Norville closes on Friday.",
        "I hear the merger with Norville closes soon.",
        "with norville -- CLOSES\non friday",
        "VGhlIG1lcmdlciB3aXRoIE5vcnZpbGxlIGNsb3NlcyBvbiBGcmlkYXku",
        "The%20merger%20with%20Norville%20closes",
        "546865206d65726765722077697468204e6f7276696c6c6520636c6f736573",
    ];
    for leak in leaks {
        flagged(leak, says(leak)).await;
    }
    report(
        "I18",
        "codes, account numbers and five words of another conversation, in every form",
        leaks.len(),
    );
}

#[tokio::test]
async fn i18_a_subject_a_place_and_a_mail_gone_by_count_too() {
    flagged("subject", with(write(), "subject", json!("Re: 4711"))).await;
    flagged("location", with(meet(), "location", json!("Room 4711"))).await;
    let named = json!([format!("The pin is 4711 <{BOB}>")]);
    flagged("the name of a recipient", with(write(), "to", named)).await;

    // A mail of long ago, under many newer ones.
    let newer = (0..60).map(|n| from("dave@else.example", &format!("Lunch{}\n", "!".repeat(n))));
    let secret = from("Carol <carol@else.example>", SECRET);
    let mails: Vec<String> = [secret].into_iter().chain(newer).collect();
    let inbox = allowed([says("It is 4711.")], &mails).await;
    let thread = inbox.receive_mail().await;
    is_flagged(&inbox, &thread, "an old mail").await;
    report("I18", "the subject, the place of a meeting, a recipient's name, and an old mail", 4);
}

#[tokio::test]
async fn i18_a_grant_does_not_answer_for_what_another_conversation_says() {
    let secret = from("Carol <carol@else.example>", SECRET);
    for scope in [GrantScope::Thread, GrantScope::Sender] {
        let inbox = EmailInbox::new("ignore", [says("Yes."), says("It is 4711.")]);
        inbox.take_in(&secret, json!({})).await.unwrap();
        inbox.drive().await;
        inbox.store().mail().remember_recipients(vec![BOB.to_owned()]).await.unwrap();
        inbox.classify_as("respond");
        let thread = inbox.receive_mail().await;
        let interrupt = inbox.open_question(&thread).await;
        inbox
            .grants()
            .give(GrantRequest { interrupt, scope: scope.clone(), ends_at: None, session: false })
            .await
            .unwrap();
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.sent().len(), 1, "{scope:?}");
        let warnings = inbox.open_item(&thread).await.warnings;
        assert!(
            warnings.iter().any(|warning| warning.code == "quotes_other_mail"),
            "{scope:?}: {warnings:?}"
        );
    }
    report("I18", "a grant for the thread and for the sender", 2);
}

#[tokio::test]
async fn i18_what_is_the_conversations_the_persons_or_everybodys_passes() {
    let carol = |text: &str| from("Carol <carol@else.example>", text);
    let everybody = "Could you walk me through the dashboard?\n";
    let several =
        ["dave@else.example", "erin@else.example", "frank@else.example"].map(|who| from(who, everybody));
    let plain: [(&str, &str, Vec<String>); 7] = [
        // What Bob wrote himself.
        (
            "The pin is 4711 and the merger with Norville closes on Friday?\n",
            "Yes, the pin is 4 7 1 1, the merger with Norville closes on Friday.",
            vec![carol(SECRET)],
        ),
        (
            "When?\n",
            "Hello Bob,\n\nthank you for your mail. I will get back to you as soon as I can.\n\nBest regards\nAda",
            vec![carol(
                "Hello Ada, thank you for your mail. I will get back to you as soon as I can. Best regards",
            )],
        ),
        (
            "When?\n",
            "Call me: Ada Lovelace, Analytical Engines, 0171 5550199.",
            vec![carol("> Ada Lovelace, Analytical Engines, 0171 5550199\nThanks!")],
        ),
        (
            "When?\n",
            "Would Tuesday 5 May 2026 at 14:00 or 2026-05-06 at 10:30 work? Or 12.05.2026, 10-12?",
            vec![carol("Tuesday 5 May 2026 at 14:00 or 2026-05-06 at 10:30, or 12.05.2026, 10-12. In 2026.")],
        ),
        ("When?\n", "Could you walk me through the dashboard?", several.to_vec()),
        ("When?\n", "The merger with Norville has not been announced.", vec![carol(SECRET)]),
        ("When?\n", "It takes 30 minutes for 12 people.", vec![carol("It takes 30 days for 12 cases.")]),
    ];
    let trials = plain.len();
    for (asked, answer, mails) in plain {
        let inbox = allowed([says(answer), calls([done()])], &mails).await;
        inbox.take_in(&mail_with("", asked), json!({})).await.unwrap();
        inbox.drive().await;
        assert_eq!(inbox.sent().len(), 1, "{answer}");
    }
    report(
        "I18",
        "what may be said: the conversation's own, the person's own, and what everybody writes",
        trials,
    );
}

#[tokio::test]
async fn i18_what_the_person_said_passes_and_so_do_earlier_mails_of_the_conversation() {
    let secret = from("Carol <carol@else.example>", SECRET);
    let inbox = allowed([calls([ask("Which pin?")]), says("It is 4711."), calls([done()])], &[secret]).await;
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("Tell him it is 4711")).await;
    assert_eq!(inbox.sent().len(), 1);

    // Bob's first mail was handled by a thread that is over.
    let first = mail_with("", "The pin is 4711.\n");
    let inbox = allowed([says("It is 4711."), calls([done()])], &[first]).await;
    inbox.take_in(&second(), json!({})).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.sent().len(), 1);
    report("I18", "the person's words, and an earlier mail of the conversation", 2);
}
