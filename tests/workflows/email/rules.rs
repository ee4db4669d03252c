//! Words to the built-in rules: what they can't do costs nobody a draft, and an instruction is nobody's mail.

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
    assert!(item.text.contains("The built-in rules can't write this mail."), "{}", item.text);
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
    for wish in ["friendlier", "decline", "shorter"] {
        inbox.answer(&thread, respond(wish)).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!(item.args, mine.args, "{wish}");
    }
    inbox.answer(&thread, respond("cc zoe@client.example")).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.args["cc"], json!(["zoe@client.example"]));
    assert_eq!(
        (&item.args["content"], &item.args["attachments"]),
        (&mine.args["content"], &mine.args["attachments"])
    );
    inbox.answer(&thread, respond("friendlier")).await;
    assert_eq!(inbox.open_item(&thread).await.args, item.args);
}

#[tokio::test]
async fn no_grant_sends_a_draft_that_words_left_as_it_was() {
    let inbox = EmailInbox::by_rules();
    // Bob is known, so nothing is unusual about writing to him.
    inbox.store().mail().wrote_to(vec![BOB.to_owned()]).await.unwrap();
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("yes")).await;
    let draft = inbox.open_item(&thread).await;
    let interrupt = InterruptId::parse(&draft.id).unwrap();
    inbox
        .grants()
        .give(GrantRequest { interrupt, scope: GrantScope::Thread, lasts: None, session: false })
        .await
        .unwrap();
    inbox.answer(&thread, respond(INSTRUCTION)).await;
    assert!(inbox.sent().is_empty());
    assert_eq!(inbox.open_item(&thread).await.args, draft.args);
    // What was done as wished needs no second look.
    inbox.answer(&thread, respond("more formal")).await;
    assert_eq!(inbox.sent().len(), 1);
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
