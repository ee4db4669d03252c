//! Words to the built-in rules: a wish they cannot fulfil loses no draft, and an instruction is never sent as a mail.

use crate::support::email_inbox::{BOB, EmailInbox, edit, mail_with};
use crate::support::test_inbox::respond;
use sayso::graph::{Decision, InterruptId};
use sayso::inbox::{GrantRequest, GrantScope, Status};
use serde_json::json;

/// What people say about a draft, and in place of an answer.
const WISHES: &[&str] = &[
    "shorter",
    "more formal",
    "in German",
    "friendlier",
    "Ask for her customer number.",
    "tell him we can't",
    "propose Tuesday instead",
    "decline",
    "ok",
    "yes",
    "thanks him",
    "say no",
    "cc Zoe",
    "make it nicer and ask when he comes",
];

/// Mails that the rules ask about, answer, and want to meet for.
const MAILS: &[&str] = &[
    "When does the report come?\n",
    "Could you send me the report? And who signs it?\n",
    "The report is fine.\n",
    "Could we meet next week?\n",
];

const INSTRUCTION: &str = "Ask for her customer number.";

#[tokio::test]
async fn a_wish_that_the_rules_cannot_do_keeps_the_draft() {
    let inbox = EmailInbox::by_rules();
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("The report comes on Friday.")).await;
    let draft = inbox.open_item(&thread).await;
    assert_eq!(draft.action, "write_email");
    assert!(draft.text.contains("put your own words into the mail"), "{}", draft.text);
    for wish in [INSTRUCTION, "thanks him", "ok", "tell him we can't", INSTRUCTION] {
        inbox.answer(&thread, respond(wish)).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!((&item.action, &item.args), (&draft.action, &draft.args), "{wish}");
        assert!(item.allow.accept && item.allow.edit && item.allow.ignore, "{wish}");
        let note = "The built-in rules can't make that change, so the draft is unchanged.";
        assert!(item.text.contains(note), "{wish}: {}", item.text);
    }
    inbox.answer(&thread, Decision::Accept).await;
    let sent = inbox.sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("The report comes on Friday.") && !sent[0].contains("customer number"));
}

#[tokio::test]
async fn an_instruction_is_put_up_for_editing_and_not_for_sending() {
    let inbox = EmailInbox::by_rules();
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond(INSTRUCTION)).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "write_email");
    assert!(item.text.contains("The built-in rules can't write this mail from your words."), "{}", item.text);
    assert!(!item.args.to_string().contains("customer number"), "{}", item.args);
    assert!(!item.allow.accept && item.allow.edit && item.allow.respond && item.allow.ignore);
    let id = InterruptId::parse(&item.id).unwrap();
    assert!(inbox.decide(&id, Decision::Accept).await.is_err());
    let written = edit(("write_email", item.args), "content", json!("What is your customer number?"));
    inbox.answer(&thread, written).await;
    assert!(inbox.sent()[0].contains("What is your customer number?"));
    assert!(!inbox.sent()[0].contains("Ask for her"));
    assert_eq!(inbox.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn a_draft_that_the_person_changed_is_not_written_anew() {
    let inbox = EmailInbox::by_rules();
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("The report comes on Friday.")).await;
    let file = inbox.folder().join("plan.txt");
    std::fs::write(&file, "The plan.").unwrap();
    let mut call = ("write_email", inbox.open_item(&thread).await.args);
    call.1["content"] = json!("My own words.");
    inbox.answer(&thread, edit(call, "attachments", json!([file]))).await;
    let mine = inbox.open_item(&thread).await;
    assert!(!mine.text.contains("built-in rules"), "{}", mine.text);
    for wish in ["friendlier", "decline", "shorter", "cc zoe@client.example", "We are closed on Monday."] {
        inbox.answer(&thread, respond(wish)).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!(item.args, mine.args, "{wish}");
    }
}

#[tokio::test]
async fn short_words_answer_one_question_and_say_which() {
    let inbox = EmailInbox::by_rules();
    let one = inbox.take_in(&mail_with("", "When does the report come?\n"), json!({})).await.unwrap();
    inbox.drive().await;
    inbox.answer(&one, respond("Friday")).await;
    let item = inbox.open_item(&one).await;
    let text = item.args["content"].as_str().unwrap();
    assert!(text.contains("> When does the report come?\nFriday."), "{text}");
    // Of two questions nobody knows which one they answer.
    let inbox = EmailInbox::by_rules();
    let two = "Could you send me the report? And who signs it?\n";
    let thread = inbox.take_in(&mail_with("", two), json!({})).await.unwrap();
    inbox.drive().await;
    inbox.answer(&thread, respond("yes")).await;
    let item = inbox.open_item(&thread).await;
    assert!(!item.allow.accept && item.allow.edit, "{}", item.text);
    assert!(!item.args.to_string().contains("Yes"), "{}", item.args);
}

#[tokio::test]
async fn nobody_but_a_person_is_greeted_by_name() {
    let rows = [
        ("Conference <conference@events.example>", "When do you come?\n", "Hi,"),
        ("Summer Conference <summer@events.example>", "When do you come?\n", "Hi,"),
        ("Rita Moreno <rm@client.example>", "When do you come?\n\nBest,\nRita\n", "Hi Rita,"),
        ("Rita Moreno <rita.moreno@client.example>", "When do you come?\n", "Hi Rita,"),
    ];
    for (from, text, greeting) in rows {
        let inbox = EmailInbox::by_rules();
        let mail = mail_with("", text).replace("Bob Ray <bob@client.example>", from);
        assert!(mail.contains(from), "{mail}");
        let thread = inbox.take_in(&mail, json!({})).await.unwrap();
        inbox.drive().await;
        inbox.answer(&thread, respond("I come on Friday.")).await;
        let content = inbox.open_item(&thread).await.args["content"].as_str().unwrap().to_owned();
        assert!(content.starts_with(&format!("{greeting}\n")), "{from}: {content}");
        assert!(content.contains("I come on Friday."), "{content}");
    }
}

#[tokio::test]
async fn no_grant_sends_a_draft_that_words_left_as_it_was() {
    let inbox = EmailInbox::by_rules();
    // Bob is known, so nothing is unusual about writing to him.
    inbox.store().mail().remember_recipients(vec![BOB.to_owned()]).await.unwrap();
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("yes")).await;
    let draft = inbox.open_item(&thread).await;
    let interrupt = InterruptId::parse(&draft.id).unwrap();
    inbox
        .grants()
        .give(GrantRequest { interrupt, scope: GrantScope::Thread, ends_at: None, session: false })
        .await
        .unwrap();
    inbox.answer(&thread, respond(INSTRUCTION)).await;
    assert!(inbox.sent().is_empty());
    assert_eq!(inbox.open_item(&thread).await.args, draft.args);
    inbox.answer(&thread, respond("more formal")).await;
    assert!(inbox.sent().is_empty());
}

#[tokio::test]
async fn no_three_wishes_lose_a_draft() {
    for (n, first) in WISHES.iter().enumerate() {
        let mail = MAILS[n % MAILS.len()];
        for (one, two) in [(0, 0), (1, 4), (3, 11)] {
            let inbox = EmailInbox::by_rules();
            let thread = inbox.take_in(&mail_with("", mail), json!({})).await.unwrap();
            inbox.drive().await;
            let mut drafted = false;
            for wish in [first, &WISHES[(n + one) % WISHES.len()], &WISHES[(n + two) % WISHES.len()]] {
                inbox.answer(&thread, respond(wish)).await;
                assert_eq!(inbox.status(&thread).await, Status::Waiting, "{mail}{wish}");
                let item = inbox.open_item(&thread).await;
                let is_draft = item.action == "write_email" || item.action == "schedule_meeting";
                assert!(is_draft || !drafted, "{mail}{wish}: {}", item.text);
                assert!(!is_draft || item.allow.edit, "{mail}{wish}");
                let literal = item.args.to_string().contains(INSTRUCTION);
                assert!(!literal || !item.allow.accept, "{mail}{wish}: {}", item.args);
                drafted |= is_draft;
            }
            assert!(drafted, "{mail}{first}");
            assert!(inbox.sent().is_empty());
        }
    }
}
