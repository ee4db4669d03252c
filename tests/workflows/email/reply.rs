//! Every answer to a proposed mail and to a question.

use crate::support::email_inbox::{
    BOB, EmailInbox, EmailSetup, ME, ask, calls, done, edit, mail_with, write,
};
use crate::support::fake_model::words;
use crate::support::test_inbox::respond;
use jiff::tz::TimeZone;
use sayso::graph::{Decision, Kind};
use sayso::inbox::{DecisionQuery, ItemKind, Status};
use sayso::llm::Scripted;
use sayso::mail::SendError;
use sayso::service::export;
use serde_json::json;

#[tokio::test]
async fn an_accepted_mail_leaves_once_exactly_as_shown() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.kind, ItemKind::Interrupt(Kind::Approval));
    assert_eq!((item.action.as_str(), item.title.as_str()), ("write_email", "Re: The report"));
    assert!(item.irreversible && item.allow.draft && item.allow.edit);
    for shown in ["To: bob@client.example", "It comes tomorrow.", "From: Ada <ada@example.org>"] {
        assert!(item.text.contains(shown), "{shown}: {}", item.text);
    }
    assert!(item.text.contains("Left out: carol@example.org"), "{}", item.text);
    assert!(item.text.contains("When does the report come?"));
    inbox.answer(&thread, Decision::Accept).await;
    let sent = inbox.sent();
    assert_eq!(sent.len(), 1);
    for header in [
        "From: Ada <ada@example.org>\r\n",
        "To: bob@client.example\r\n",
        "Subject: Re: The report\r\n",
        "In-Reply-To: <one@client.example>\r\n",
        "References: <one@client.example>\r\n",
    ] {
        assert!(sent[0].contains(header), "{header}: {}", sent[0]);
    }
    assert!(sent[0].contains("It comes tomorrow.") && sent[0].contains("> When does the report come?"));
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done);
    let output = outcome.output.unwrap();
    assert_eq!(output["outcome"], "replied");
    assert_eq!(output["sent"][0]["to"], json!([BOB]));
    assert!(output["summary"].as_str().unwrap().contains("It comes tomorrow."));
    assert!(inbox.learned().is_empty(), "what was right teaches nothing");
    assert_eq!(inbox.ledger(&thread), ("respond".to_owned(), Some("replied".to_owned())));
    let effects: Vec<String> =
        inbox.view(&thread).await.effects.iter().map(|effect| effect.name.clone()).collect();
    assert_eq!(effects, ["send:call_0", "mark:0"]);
}

#[tokio::test]
async fn a_sender_with_a_comma_in_the_name_is_answered() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let raw = mail_with("", "When does the report come?\r\n").replace("Bob Ray <", "Ray, Bob <");
    let thread = inbox.take_in(&raw, json!({})).await.unwrap();
    inbox.drive().await;
    let facts = inbox.model.requests_for("email.reply").remove(0).facts;
    assert_eq!((&facts["reply_to"], &facts["mail"]["from"]), (&json!([BOB]), &json!(BOB)));
    let item = inbox.open_item(&thread).await;
    assert!(item.warnings.iter().any(|warning| warning.code == "unusual_header"), "{:?}", item.warnings);
    assert!(item.text.contains("Ray, Bob <bob@client.example>"), "{}", item.text);
    inbox.answer(&thread, Decision::Accept).await;
    assert!(inbox.sent()[0].contains("In-Reply-To: <one@client.example>\r\n"), "it answers the mail");
}

#[tokio::test]
async fn a_sender_that_cannot_be_read_is_shown_as_written_and_the_model_is_told_so() {
    let inbox = EmailInbox::new("respond", [calls([ask("Which address?")])]);
    let raw = mail_with("", "When does the report come?\r\n").replace("Bob Ray <bob@", "Bob Ray <bob at ");
    let thread = inbox.take_in(&raw, json!({})).await.unwrap();
    inbox.drive().await;
    let item = inbox.open_item(&thread).await;
    let warning = item.warnings.iter().find(|warning| warning.code == "unreadable_header").unwrap();
    assert!(warning.text.ends_with("“Bob Ray <bob at client.example>”."), "{}", warning.text);
    assert!(item.text.contains("From: Bob Ray <bob at client.example>"), "{}", item.text);
    let request = inbox.model.requests_for("email.reply").remove(0);
    assert_eq!(request.facts["reply_to"], json!([]));
    let messages = format!("{:?}", request.messages);
    assert!(
        messages.contains("An answer goes to: nobody")
            && messages.contains("From: Bob Ray <bob at client.example>")
    );
}

#[tokio::test]
async fn an_edited_mail_leaves_as_edited_and_teaches_how_to_write() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, edit(write(), "content", json!("Tomorrow at nine."))).await;
    assert!(inbox.sent()[0].contains("Tomorrow at nine.") && !inbox.sent()[0].contains("It comes tomorrow."));
    assert_eq!(inbox.learned(), ["response_preferences proposal_edited"]);
    let (_, cause) = inbox.lessons().remove(0);
    assert_eq!(cause.proposed["content"], "It comes tomorrow.");
    assert_eq!(cause.edited["content"], "Tomorrow at nine.");
    assert_eq!(inbox.versions(), [("response_preferences".to_owned(), 2)]);
    let request = inbox.model.requests_for("email.reply").remove(1);
    let messages = format!("{:?}", request.messages);
    assert!(messages.contains("Tomorrow at nine.") && !messages.contains("It comes tomorrow."), "{messages}");
}

#[tokio::test]
async fn a_mail_written_without_a_call_is_a_draft() {
    let said = || Scripted::text("Here is a draft:\n\nDear Bob,\n\nit comes tomorrow.");
    let setup = EmailSetup { is_builtin: false, ..EmailSetup::default() };
    let inbox = EmailInbox::with(setup, "respond", [said(), said(), calls([done()])]);
    inbox.model.queue("text.check", [Scripted::json(&json!({"is_wanted": true, "first_is_talk": true}))]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), item.title.as_str()), ("write_email", "Re: The report"));
    assert_eq!(item.args["to"], json!([BOB]));
    assert_eq!(item.args["content"], "Dear Bob,\n\nit comes tomorrow.");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(inbox.outcome(&thread).await.status, Status::Done);
}

#[tokio::test]
async fn words_that_are_no_mail_are_shown_as_the_reason() {
    let said = || Scripted::text("Nothing needs an answer here.");
    let setup = EmailSetup { is_builtin: false, ..EmailSetup::default() };
    let inbox = EmailInbox::with(setup, "respond", [said(), said()]);
    inbox.model.queue("text.check", [Scripted::json(&json!({"is_wanted": false}))]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "notify");
    assert!(item.text.contains("Nothing needs an answer here."), "{}", item.text);
}

#[tokio::test]
async fn words_bring_a_new_proposal_and_lasting_ones_teach_how_to_write() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("Always shorter")).await;
    assert!(inbox.sent().is_empty());
    assert_eq!(inbox.learned(), ["response_preferences proposal_answered"]);
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "write_email");
    assert!(item.text.contains("you: Always shorter"), "{}", item.text);
    let messages = format!("{:?}", inbox.model.requests_for("email.reply")[1].messages);
    assert!(messages.contains("Not done. The person says: Always shorter"), "{messages}");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
}

#[tokio::test]
async fn a_refused_mail_ends_it_and_teaches_triage() {
    let inbox = EmailInbox::new("respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert!(inbox.sent().is_empty());
    let output = inbox.outcome(&thread).await.output.unwrap();
    assert_eq!(output["outcome"], "ignored");
    assert_eq!(inbox.learned(), ["triage_preferences proposal_ignored"]);
    assert_eq!(inbox.model.requests_for("email.reply").len(), 1);
    assert_eq!(inbox.marks(), ["new/1 Done"]);
}

#[tokio::test]
async fn a_draft_is_kept_and_nothing_leaves() {
    let inbox = EmailInbox::new("respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Draft).await;
    assert!(inbox.sent().is_empty());
    let drafts = inbox.mailbox.drafts.lock().unwrap().clone();
    assert_eq!(drafts.len(), 1);
    assert!(drafts[0].contains("It comes tomorrow.") && drafts[0].contains("To: bob@client.example"));
    let outcome = inbox.outcome(&thread).await;
    assert_eq!((outcome.status, &outcome.output.unwrap()["outcome"]), (Status::Done, &json!("drafted")));
    assert!(inbox.learned().is_empty());
    assert_eq!(inbox.marks(), ["new/1 Done"]);
}

#[tokio::test]
async fn a_question_takes_words_or_nothing() {
    let inbox = EmailInbox::new("respond", [calls([ask("Which report?")]), calls([write()])]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.kind, ItemKind::Interrupt(Kind::Question));
    assert_eq!(item.action, "question");
    assert!(!item.allow.accept && item.allow.edit && item.allow.respond && item.allow.ignore);
    assert!(!item.irreversible && item.text.contains("Which report?"));
    inbox.answer(&thread, respond("The yearly one")).await;
    let messages = format!("{:?}", inbox.model.requests_for("email.reply")[1].messages);
    assert!(
        messages.contains("The person says: The yearly one") && !messages.contains("Not done"),
        "{messages}"
    );
    assert_eq!(inbox.open_item(&thread).await.action, "write_email");
    assert!(inbox.learned().is_empty());

    let inbox = EmailInbox::new("respond", [calls([ask("Which report?")])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.outcome(&thread).await.output.unwrap()["outcome"], "ignored");
    assert_eq!(inbox.learned(), ["triage_preferences proposal_ignored"]);
}

#[tokio::test]
async fn a_mail_that_cannot_be_sent_waits_and_is_sent_once() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    for _ in 0..2 {
        inbox.outgoing.fails.lock().unwrap().push_back(SendError::Refused("no such user".to_owned()));
    }
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, Decision::Accept).await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("no such user"), "{text}");
    assert_eq!(inbox.open_item(&thread).await.title, "The reply to Bob Ray could not be sent");
    assert_eq!(outcomes(&inbox).await, ["failed"]);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcomes(&inbox).await, ["retried, but failed", "failed"]);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(outcomes(&inbox).await, ["retried, sent", "retried, but failed", "sent"]);
}

/// One mail is listed as sent once.
#[tokio::test]
async fn a_mail_approved_while_its_thread_was_stopped_is_sent_when_it_goes_on() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let mail = inbox.open_question(&thread).await;
    inbox.threads().stop(thread.clone()).await.unwrap();
    inbox.decide(&mail, Decision::Accept).await.unwrap();
    inbox.drive().await;
    assert!(inbox.sent().is_empty());
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(outcomes(&inbox).await, ["resumed", "sent"]);
}

#[tokio::test]
async fn an_export_has_the_mail_before_the_reply() {
    let inbox = EmailInbox::new("respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    let page = export(&inbox, thread).await.unwrap().markdown(&TimeZone::UTC);
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    let order = [at("## Conversation"), at("### Bob Ray"), at("## Waits for you"), at("It comes tomorrow.")];
    assert!(order.is_sorted(), "{page}");
}

#[tokio::test]
async fn an_account_without_a_way_out_says_so_and_keeps_the_answer() {
    let setup = EmailSetup { outgoing: false, ..EmailSetup::default() };
    let inbox = EmailInbox::with(setup, "respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert!(item.warnings.iter().any(|warning| warning.code == "cannot_send"), "{:?}", item.warnings);
    inbox.answer(&thread, Decision::Accept).await;
    assert!(inbox.trouble(&thread).await.1.contains("[mail.outgoing]"));
}

#[tokio::test]
async fn replies_come_from_the_address_the_mail_came_to_and_carry_the_signature() {
    let mut setup = EmailSetup::default();
    setup.config.push_str("signature = \"Ada, Workshop\"\nquote = \"off\"\n");
    let inbox = EmailInbox::with(setup, "respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    assert!(inbox.open_item(&thread).await.text.contains("Added below: your signature"));
    inbox.answer(&thread, Decision::Accept).await;
    let sent = inbox.sent().remove(0);
    assert!(sent.contains("-- \r\nAda, Workshop") && !sent.contains("> When does"), "{sent}");
    assert!(sent.contains(&format!("From: Ada <{ME}>")));
}

#[tokio::test]
async fn the_model_is_told_the_day_the_profiles_and_what_was_before() {
    let inbox = EmailInbox::new("respond", [calls([write()])]);
    let earlier = json!({"earlier": {"thread": "t0000000x", "summary": "Wrote to Bob about the draft."}});
    let thread = inbox.take_in(&mail_with("", "And now?\n"), earlier).await.unwrap();
    inbox.drive().await;
    let request = inbox.model.requests_for("email.reply").remove(0);
    let today = inbox.store().now().to_zoned(jiff::tz::TimeZone::get("Europe/Berlin").unwrap());
    let messages = format!("{:?}", request.messages);
    assert!(messages.contains("Respond to the email: The report"));
    assert!(messages.contains(&today.strftime("%A %Y-%m-%d").to_string()), "{messages}");
    assert!(messages.contains("Friendly, plain and brief") && messages.contains("Meetings of 30 minutes"));
    assert!(messages.contains("Wrote to Bob about the draft."));
    assert_eq!(request.facts["reply_to"], json!([BOB]));
    assert_eq!(request.facts["reply_all"], json!(["carol@example.org"]));
    let text = inbox.open_item(&thread).await.text;
    assert!(text.contains("t0000000x") && text.contains("Wrote to Bob about the draft."), "{text}");
}

/// How the decisions about the mail ended, newest first.
async fn outcomes(inbox: &EmailInbox) -> Vec<String> {
    let workflow = Some("email".to_owned());
    let filter = sayso::inbox::Query { workflow, ..Default::default() };
    let query = DecisionQuery { filter, limit: 9, ..DecisionQuery::default() };
    let past = inbox.decisions().history(query).await.unwrap().rows;
    past.into_iter().map(|line| line.outcome).collect()
}

#[tokio::test]
async fn files_are_added_by_the_person_alone_and_shown_before_they_leave() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let file = inbox.folder().join("plan.txt");
    std::fs::write(&file, "The plan.").unwrap();
    let before = inbox.open_item(&thread).await.args_hash.unwrap();
    inbox.answer(&thread, edit(write(), "attachments", json!([file]))).await;
    assert!(inbox.sent().is_empty(), "nobody has seen yet what would leave");
    let item = inbox.open_item(&thread).await;
    assert_ne!(item.args_hash.unwrap(), before);
    assert!(item.text.contains("Attached: plan.txt (9 bytes, sha256 "), "{}", item.text);
    assert!(item.text.contains("Asked once more: you attached a file."), "{}", item.text);
    assert_eq!(outcomes(&inbox).await, ["not sent, asked again"]);
    // What was shown is what is sent, whatever has become of the file.
    std::fs::write(&file, "Another plan.").unwrap();
    inbox.answer(&thread, Decision::Accept).await;
    let sent = inbox.sent().remove(0);
    assert!(sent.contains("plan.txt") && sent.contains("VGhlIHBsYW4u"), "{sent}");
    assert_eq!(outcomes(&inbox).await, ["sent", "not sent, asked again"]);

    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, edit(write(), "attachments", json!(["/nowhere/at-all"]))).await;
    let item = inbox.open_item(&thread).await;
    assert!(item.warnings.iter().any(|w| w.text.contains("there is no file /nowhere/at-all")));
    assert!(!item.allow.accept, "it cannot be sent like this");
    assert!(item.text.contains("Asked once more: a file can't be attached."), "{}", item.text);
    let without = item.edited(&json!({"attachments": []})).warnings;
    assert!(!without.iter().any(|w| w.code == "attachment"), "{without:?}");
    assert!(item.edited(&item.args).warnings.iter().any(|w| w.code == "attachment"));
    let fixed = edit(write(), "attachments", json!([]));
    inbox.answer(&thread, fixed).await;
    assert_eq!(inbox.sent().len(), 1);
}

#[tokio::test]
async fn a_file_named_again_is_read_again_and_shown_before_it_leaves() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let file = inbox.folder().join("plan.txt");
    std::fs::write(&file, "The plan.").unwrap();
    let attach = || edit(write(), "attachments", json!([file]));
    inbox.answer(&thread, attach()).await;
    let shown = inbox.open_item(&thread).await.text;
    assert!(shown.contains(&format!("from {}", file.display())), "{shown}");
    std::fs::write(&file, "Another plan.").unwrap();
    inbox.answer(&thread, attach()).await;
    assert!(inbox.sent().is_empty(), "nobody has seen yet what it holds now");
    let shown = inbox.open_item(&thread).await.text;
    assert!(shown.contains("plan.txt (13 bytes, sha256 "), "{shown}");
    assert!(shown.contains("Asked once more: a file changed since you saw it."), "{shown}");
    inbox.answer(&thread, attach()).await;
    assert!(inbox.sent().remove(0).contains("QW5vdGhlciBwbGFuLg=="), "what was shown last leaves");
}

#[tokio::test]
async fn a_file_at_home_is_named_as_people_name_it() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    std::fs::write(inbox.folder().join("plan.txt"), "The plan.").unwrap();
    let thread = inbox.receive_mail().await;
    let attach = || edit(write(), "attachments", json!(["~/plan.txt"]));
    inbox.answer(&thread, attach()).await;
    let shown = inbox.open_item(&thread).await.text;
    assert!(shown.contains("plan.txt (9 bytes, sha256 ") && shown.contains("from ~/plan.txt"), "{shown}");
    inbox.answer(&thread, attach()).await;
    assert!(inbox.sent().remove(0).contains("VGhlIHBsYW4u"), "its bytes leave");
}

#[tokio::test]
async fn a_path_that_depends_on_where_one_stands_is_not_read() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    // There is such a file where the tests run.
    inbox.answer(&thread, edit(write(), "attachments", json!(["Cargo.toml"]))).await;
    let item = inbox.open_item(&thread).await;
    assert!(item.warnings.iter().any(|w| w.text.contains("is not a full path")), "{:?}", item.warnings);
    assert!(!item.allow.accept, "it cannot be sent like this");
}

#[tokio::test]
async fn an_edit_teaches_once_it_was_carried_out_and_a_file_teaches_nothing() {
    let file = |inbox: &EmailInbox| {
        let file = inbox.folder().join("plan.txt");
        std::fs::write(&file, "The plan.").unwrap();
        json!([file])
    };
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, edit(write(), "attachments", file(&inbox))).await;
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!((inbox.sent().len(), inbox.learned().len()), (1, 0));

    let inbox = EmailInbox::new("respond", [calls([write()]), calls([done()])]);
    let thread = inbox.receive_mail().await;
    let mut both = write();
    both.1["content"] = json!("It comes on Monday.");
    inbox.answer(&thread, edit(both, "attachments", file(&inbox))).await;
    assert!(inbox.learned().is_empty(), "it may still be taken back");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.learned(), ["response_preferences proposal_edited"]);
}

#[tokio::test]
async fn every_card_of_a_mail_lets_the_person_write_it() {
    let question = || calls([("question", json!({"content": "When does it come?"}))]);
    for (class, replies) in [("notify", vec![]), ("respond", vec![question()])] {
        let inbox = EmailInbox::new(class, replies);
        let thread = inbox.receive_mail().await;
        let item = inbox.open_item(&thread).await;
        assert!(item.allow.edit, "{class}");
        assert_eq!(item.labels.edit.as_deref(), Some("write it myself"), "{class}");
        let start = item.edit_from.unwrap();
        assert_eq!((&start["to"], &start["subject"]), (&json!([BOB]), &json!("Re: The report")));
        inbox.answer(&thread, edit(("", start), "content", json!("It comes on Friday.\n\nAda"))).await;
        // It is a proposal now, with everything that is unusual about it, and nothing has left.
        let mine = inbox.open_item(&thread).await;
        assert_eq!((mine.action.as_str(), inbox.sent().len()), ("write_email", 0), "{class}");
        assert_eq!(mine.args["content"], "It comes on Friday.\n\nAda");
        assert!(mine.irreversible && mine.edit_from.is_none());
        inbox.answer(&thread, Decision::Accept).await;
        assert!(inbox.sent()[0].contains("It comes on Friday."), "{class}");
        assert_eq!(inbox.status(&thread).await, Status::Done, "{class}");
        assert_eq!(outcomes(&inbox).await, ["sent", "drafted"], "{class}");
        let asked = inbox.model.requests_for("email.reply").len();
        assert!(asked <= replies_before(class) + 1, "{class}: the model wrote nothing in between");
    }
}

fn replies_before(class: &str) -> usize {
    usize::from(class == "respond")
}

#[tokio::test]
async fn a_draft_that_comes_back_is_before_the_model_with_the_word_to_keep_what_it_offers() {
    let offer = "Would Tuesday at 15:00 or Thursday at 10:00 suit you?";
    let draft = json!({"to": [BOB], "subject": "Re: The report", "content": offer});
    let inbox = EmailInbox::new("respond", [calls([("write_email", draft)])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("shorter")).await;
    let request = inbox.model.requests_for("email.reply").remove(1);
    let messages = format!("{:?}", request.messages);
    assert!(messages.contains("Tuesday at 15:00 or Thursday at 10:00"), "{messages}");
    let prompt = words(&request);
    assert!(prompt.contains("The person says: shorter"), "{prompt}");
    assert!(prompt.contains("every answer, offer, time and date in it stays"), "{prompt}");
}
