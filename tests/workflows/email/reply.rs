//! Every answer to a proposed mail and to a question.

use super::*;
use crate::support::fake_model::words;
use jiff::tz::TimeZone;
use sayso::inbox::door::export;
use sayso::mail::SendError;
use serde::Serialize;
use std::path::PathBuf;

#[tokio::test]
async fn an_accepted_mail_leaves_once_exactly_as_shown() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.kind, Kind::Approval);
    assert_eq!((item.action.as_str(), item.title.as_str()), ("write_email", "Re: The report"));
    assert!(item.irreversible && item.allow.draft && item.allow.edit);
    let shown = [
        "To: bob@client.example",
        "It comes tomorrow.",
        "From: Ada <ada@example.org>",
        "Left out: carol@example.org",
        "When does the report come?",
    ];
    assert_contains(&item.text, shown);
    inbox.answer(&thread, Decision::Accept).await;
    let sent = inbox.sent();
    assert_eq!(sent.len(), 1);
    let parts = [
        "From: \"Ada\" <ada@example.org>\r\n",
        "To: <bob@client.example>\r\n",
        "Subject: Re: The report\r\n",
        "In-Reply-To: <one@client.example>\r\n",
        "References: <one@client.example>\r\n",
        "It comes tomorrow.",
        "> When does the report come?",
    ];
    assert_contains(&sent[0], parts);
    let outcome = inbox.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done);
    let output = outcome.output.unwrap();
    assert_eq!((&output["outcome"], &output["sent"][0]["to"]), (&json!("replied"), &json!([BOB])));
    assert!(output["summary"].as_str().unwrap().contains("It comes tomorrow."));
    assert!(inbox.learned().is_empty(), "what was right teaches nothing");
    assert_eq!(inbox.ledger(&thread), ("respond".to_owned(), Some("replied".to_owned())));
    let effects = inbox.view(&thread).await.effects;
    let effects: Vec<&str> = effects.iter().map(|effect| effect.name.as_str()).collect();
    assert_eq!(effects, ["send:call_0", "mark:0"]);
}

#[tokio::test]
async fn a_sender_that_cannot_be_read_is_shown_as_written_and_the_model_is_told_so() {
    let inbox = EmailInbox::new("respond", [calls([ask("Which address?")])]);
    let thread = inbox.receive(&mail().replace("Bob Ray <bob@", "Bob Ray <bob at ")).await;
    let item = inbox.open_item(&thread).await;
    let warning = item.warnings.iter().find(|warning| warning.code == "unreadable_header").unwrap();
    assert!(warning.text.ends_with("“Bob Ray <bob at client.example>”."), "{}", warning.text);
    assert_contains(&item.text, ["From: Bob Ray <bob at client.example>"]);
    assert_eq!(inbox.model.requests_for("email.reply")[0].facts["reply_to"], json!([]));
    let told = ["An answer goes to: nobody", "From: Bob Ray <bob at client.example>"];
    assert_contains(&inbox.prompt(0), told);
}

/// What is shown for a hidden character stays here: what repeats a mail repeats it as it came.
#[tokio::test]
async fn what_repeats_a_mail_repeats_it_as_it_came() {
    let hidden = |text: &str| {
        mail_with("", text).replace("Bob Ray", "Bob\u{200b} Ray").replace("The report", "The\u{200b} report")
    };
    let inbox = EmailInbox::by_rules();
    let thread = inbox.receive(&hidden("When does the re\u{200b}port come?\n")).await;
    inbox.answer(&thread, respond("It comes tomorrow.")).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.args["subject"], "Re: The⟨U+200B⟩ report");
    inbox.answer(&thread, Decision::Accept).await;
    let original = inbox.receive(&hidden("Another re\u{200b}port.\n").replace("<one@", "<other@")).await;
    let mut forward = inbox.mail().forward(original).await.unwrap();
    forward.args["to"] = json!(["zoe@far.example"]);
    inbox.mail().send(forward).await.unwrap();
    inbox.drive().await;
    for (sent, repeated) in inbox.sent().iter().zip([
        ["Re: The\u{200b} report", "Bob\u{200b} Ray wrote:", "> When does the re\u{200b}port come?"],
        ["Fwd: The\u{200b} report", "From: Bob\u{200b} Ray <", "Another re\u{200b}port."],
    ]) {
        let read = mail_parser::MessageParser::new().parse(sent.as_bytes()).unwrap();
        let text = format!("{}\n{}", read.subject().unwrap(), read.body_text(0).unwrap());
        assert!(!text.contains("U+200B"), "{text}");
        assert_contains(&text, repeated);
    }
    assert_eq!(inbox.sent().len(), 2);
}

#[tokio::test]
async fn whoever_the_server_refuses_is_named_and_asked_about() {
    let zoe = "Zoe <zoe@far.example>";
    let call = || edit(write(), "to", json!([BOB, zoe]));
    for why in ["550 no such user", "451 not now"] {
        for again in [true, false] {
            let Decision::Edit { args } = call() else { panic!() };
            let (inbox, thread) = EmailInbox::proposing(("write_email", args.clone())).await;
            *inbox.outgoing.refuses.lock().unwrap() = vec![("zoe@far.example".to_owned(), why.to_owned())];
            inbox.answer(&thread, edit(("", args), "remind_after", json!("3d"))).await;
            assert_eq!(inbox.past_outcomes().await, ["sent, but zoe@far.example did not get it"]);
            let knows = |address: &str| inbox.store().mail().knows(address).unwrap();
            assert!(knows(BOB) && !knows("zoe@far.example"));
            let item = inbox.open_item(&thread).await;
            assert_eq!((item.action.as_str(), &item.args["to"]), ("write_email", &json!([zoe])));
            let asked = format!("Asked once more: the server would not take it for zoe@far.example ({why}).");
            assert_contains(&item.text, [&asked, "It comes tomorrow."]);
            inbox.outgoing.refuses.lock().unwrap().clear();
            inbox.answer(&thread, if again { Decision::Accept } else { Decision::Ignore }).await;
            let sent = inbox.sent();
            let id = |raw: &str| raw.lines().find(|line| line.starts_with("Message-ID:")).map(str::to_owned);
            let expected = match again {
                true => {
                    assert_contains(&sent[1], ["To: \"Zoe\" <zoe@far.example>\r\n", "It comes tomorrow."]);
                    assert_ne!(id(&sent[0]), id(&sent[1]));
                    json!([BOB, "zoe@far.example"])
                }
                false => json!([BOB]),
            };
            let item = inbox.open_item(&thread).await;
            assert_eq!((sent.len(), item.action.as_str()), (1 + usize::from(again), "remind"));
            assert_eq!(item.args["to"], expected);
        }
    }
}

#[tokio::test]
async fn an_edited_mail_leaves_as_edited_and_teaches_how_to_write() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    inbox.answer(&thread, edit(write(), "content", json!("Tomorrow at nine."))).await;
    assert_eq!(inbox.learned(), ["response_preferences proposal_edited"]);
    let (_, cause) = inbox.lessons().remove(0);
    assert_eq!(cause.proposed["content"], "It comes tomorrow.");
    assert_eq!(cause.edited["content"], "Tomorrow at nine.");
    assert_eq!(inbox.versions(), [("response_preferences".to_owned(), 2)]);
    for text in [&inbox.sent()[0], &inbox.prompt(1)] {
        assert!(text.contains("Tomorrow at nine.") && !text.contains("It comes tomorrow."), "{text}");
    }
}

/// A model that writes this instead of calling a tool, and what the check of its text says.
async fn writing(text: &str, check: Value) -> (EmailInbox, ThreadId) {
    let setup = EmailSetup { is_builtin: false, ..EmailSetup::default() };
    let inbox = EmailInbox::with(setup, "respond", [Scripted::text(text), Scripted::text(text)]);
    inbox.model.queue("text.check", [Scripted::json(&check)]);
    let thread = inbox.receive_mail().await;
    (inbox, thread)
}

#[tokio::test]
async fn a_mail_written_without_a_call_is_a_draft() {
    let said = "Here is a draft:\n\nDear Bob,\n\nit comes tomorrow.";
    let (inbox, thread) = writing(said, json!({"is_wanted": true, "first_is_talk": true})).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), item.title.as_str()), ("write_email", "Re: The report"));
    assert_eq!(item.args["to"], json!([BOB]));
    assert_eq!(item.args["content"], "Dear Bob,\n\nit comes tomorrow.");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!((inbox.sent().len(), inbox.status(&thread).await), (1, Status::Done));
}

#[tokio::test]
async fn the_greeting_and_the_name_under_a_mail_are_no_talk() {
    let said = "Dear Bea,\n\nit comes tomorrow.\n\nBest,\nAda";
    let check = json!({"is_wanted": true, "first_is_talk": true, "last_is_talk": true});
    let (inbox, thread) = writing(said, check).await;
    assert_eq!(inbox.open_item(&thread).await.args["content"], said);
}

#[tokio::test]
async fn words_that_are_no_mail_are_shown_as_the_reason() {
    let (inbox, thread) = writing("Nothing needs an answer here.", json!({"is_wanted": false})).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "notify");
    assert!(item.text.contains("Nothing needs an answer here."), "{}", item.text);
}

#[tokio::test]
async fn words_bring_a_new_proposal_and_teach_how_to_write() {
    let inbox = EmailInbox::new("respond", [calls([write()]), calls([write()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("shorter")).await;
    assert!(inbox.sent().is_empty());
    assert_eq!(inbox.learned(), ["response_preferences proposal_answered"]);
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "write_email");
    assert!(item.text.contains("you: shorter"), "{}", item.text);
    assert_contains(&inbox.prompt(1), ["Not done. The person says: shorter"]);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
}

#[tokio::test]
async fn a_refused_mail_ends_it_and_teaches_triage() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert!(inbox.sent().is_empty());
    assert_eq!(inbox.ended(&thread).await, "ignored");
    assert_eq!(inbox.learned(), ["lower bob@client.example"]);
    assert_eq!(inbox.replies_asked(), 1);
    assert_eq!(inbox.marks(), ["new/1 Done"]);
}

#[tokio::test]
async fn a_draft_is_kept_and_nothing_leaves() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    inbox.answer(&thread, Decision::Draft).await;
    assert!(inbox.sent().is_empty() && inbox.learned().is_empty());
    let drafts = inbox.mailbox.drafts.lock().unwrap().clone();
    assert_eq!(drafts.len(), 1);
    assert_contains(&drafts[0], ["It comes tomorrow.", "To: <bob@client.example>"]);
    assert_eq!(inbox.ended(&thread).await, "drafted");
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert_eq!(inbox.marks(), ["new/1 Done"]);
}

#[tokio::test]
async fn a_question_takes_words_or_nothing() {
    let inbox = EmailInbox::new("respond", [calls([ask("Which report?")]), calls([write()])]);
    let thread = inbox.receive_mail().await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.kind, Kind::Question);
    assert_eq!(item.action, "question");
    assert!(!item.allow.accept && item.allow.edit && item.allow.respond && item.allow.ignore);
    assert!(!item.irreversible && item.text.contains("Which report?"));
    inbox.answer(&thread, respond("The yearly one")).await;
    let prompt = inbox.prompt(1);
    assert!(prompt.contains("The person says: The yearly one") && !prompt.contains("Not done"), "{prompt}");
    assert_eq!(inbox.action(&thread).await, "write_email");
    assert!(inbox.learned().is_empty());

    let (inbox, thread) = EmailInbox::proposing(ask("Which report?")).await;
    inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(inbox.ended(&thread).await, "ignored");
    assert_eq!(inbox.learned(), ["lower bob@client.example"]);
}

#[tokio::test]
async fn a_mail_that_cannot_be_sent_waits_and_is_sent_once() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let refused = || SendError::Refused("no such user".to_owned());
    inbox.outgoing.fails.lock().unwrap().extend([refused(), refused()]);
    inbox.answer(&thread, Decision::Accept).await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("no such user"), "{text}");
    assert_eq!(inbox.open_item(&thread).await.title, "The reply to Bob Ray could not be sent");
    assert_eq!(inbox.past_outcomes().await, ["failed"]);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.past_outcomes().await, ["retried, but failed", "failed"]);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!((inbox.sent().len(), inbox.status(&thread).await), (1, Status::Done));
    assert_eq!(inbox.past_outcomes().await, ["retried, sent", "retried, but failed", "sent"]);
}

/// One mail is listed as sent once.
#[tokio::test]
async fn a_mail_approved_while_its_thread_was_stopped_is_sent_when_it_goes_on() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let mail = inbox.open_question(&thread).await;
    inbox.threads().stop(thread.clone()).await.unwrap();
    inbox.decide(&mail, Decision::Accept).await.unwrap();
    inbox.drive().await;
    assert!(inbox.sent().is_empty());
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(inbox.past_outcomes().await, ["resumed", "sent"]);
}

#[tokio::test]
async fn an_export_has_the_mail_before_the_reply() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
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
    assert!(inbox.warnings(&thread).await.contains(&"cannot_send".to_owned()));
    inbox.answer(&thread, Decision::Accept).await;
    assert!(inbox.trouble(&thread).await.1.contains("[mail.outgoing]"));
}

#[tokio::test]
async fn replies_come_from_the_address_the_mail_came_to_and_carry_the_signature() {
    let mut setup = EmailSetup::default();
    setup.config.push_str("signature = \"Ada, Workshop\"\nquote = \"off\"\n");
    let inbox = EmailInbox::with(setup, "respond", [calls([write()])]);
    let thread = inbox.receive_mail().await;
    assert_contains(&inbox.text(&thread).await, ["Added below: your signature"]);
    inbox.answer(&thread, Decision::Accept).await;
    let sent = inbox.sent().remove(0);
    assert_contains(&sent, ["--=20\r\nAda, Workshop", "From: \"Ada\" <ada@example.org>"]);
    assert!(!sent.contains("> When does"), "{sent}");
}

#[tokio::test]
async fn the_model_is_told_the_day_the_profiles_and_what_was_before() {
    let inbox = EmailInbox::new("respond", [calls([write()])]);
    let earlier = json!({"earlier": {"thread": "t0000000x", "summary": "Wrote to Bob about the draft."}});
    let thread = inbox.take_in(&mail_with("", "And now?\n"), earlier).await.unwrap();
    inbox.drive().await;
    let today = inbox.store().now().to_zoned(TimeZone::get("Europe/Berlin").unwrap());
    let told = [
        "Respond to the email: The report",
        &today.strftime("%A %Y-%m-%d").to_string(),
        "Friendly, plain and brief",
        "Meetings of 30 minutes",
        "Wrote to Bob about the draft.",
    ];
    assert_contains(&inbox.prompt(0), told);
    let facts = inbox.model.requests_for("email.reply").remove(0).facts;
    assert_eq!((&facts["reply_to"], &facts["reply_all"]), (&json!([BOB]), &json!(["carol@example.org"])));
    assert_contains(&inbox.text(&thread).await, ["t0000000x", "Wrote to Bob about the draft."]);
}

/// A proposed mail, and a file beside the data folder to attach to it.
async fn with_file() -> (EmailInbox, ThreadId, PathBuf) {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let file = inbox.folder().join("plan.txt");
    std::fs::write(&file, "The plan.").unwrap();
    (inbox, thread, file)
}

fn attach(file: impl Serialize) -> Decision {
    edit(write(), "attachments", json!([file]))
}

#[tokio::test]
async fn files_are_added_by_the_person_alone_and_shown_before_they_leave() {
    let (inbox, thread, file) = with_file().await;
    let before = inbox.open_item(&thread).await.args_hash;
    inbox.answer(&thread, attach(&file)).await;
    assert!(inbox.sent().is_empty(), "nobody has seen yet what would leave");
    let item = inbox.open_item(&thread).await;
    assert_ne!(item.args_hash, before);
    let shown = ["Attached: plan.txt (9 bytes, sha256 ", "Asked once more: you attached a file."];
    assert_contains(&item.text, shown);
    assert_eq!(inbox.past_outcomes().await, ["not sent, asked again"]);
    // What was shown is what is sent, whatever has become of the file.
    std::fs::write(&file, "Another plan.").unwrap();
    inbox.answer(&thread, Decision::Accept).await;
    assert_contains(&inbox.sent()[0], ["plan.txt", "VGhlIHBsYW4u"]);
    assert_eq!(inbox.past_outcomes().await, ["sent", "not sent, asked again"]);
    assert!(inbox.learned().is_empty(), "a file teaches nothing");
}

#[tokio::test]
async fn a_file_that_cannot_be_attached_is_said_and_can_be_left_out() {
    for (path, why) in [
        ("/nowhere/at-all", "there is no file /nowhere/at-all"),
        // There is such a file where the tests run.
        ("Cargo.toml", "is not a full path"),
    ] {
        let (inbox, thread) = EmailInbox::proposing(write()).await;
        inbox.answer(&thread, attach(path)).await;
        let item = inbox.open_item(&thread).await;
        assert!(item.warnings.iter().any(|warning| warning.text.contains(why)), "{:?}", item.warnings);
        assert!(!item.allow.accept, "it cannot be sent like this");
        assert_contains(&item.text, ["Asked once more: a file can't be attached."]);
        let warned = |args: &Value| item.edited(args).warnings.iter().any(|w| w.code == "attachment");
        assert!(warned(&item.args) && !warned(&json!({"attachments": []})));
        inbox.answer(&thread, edit(write(), "attachments", json!([]))).await;
        assert_eq!(inbox.sent().len(), 1);
    }
}

#[tokio::test]
async fn a_file_named_again_is_read_again_and_shown_before_it_leaves() {
    let (inbox, thread, file) = with_file().await;
    inbox.answer(&thread, attach(&file)).await;
    assert_contains(&inbox.text(&thread).await, [&format!("from {}", file.display())]);
    std::fs::write(&file, "Another plan.").unwrap();
    inbox.answer(&thread, attach(&file)).await;
    assert!(inbox.sent().is_empty(), "nobody has seen yet what it holds now");
    let shown = ["plan.txt (13 bytes, sha256 ", "Asked once more: a file changed since you saw it."];
    assert_contains(&inbox.text(&thread).await, shown);
    inbox.answer(&thread, attach(&file)).await;
    assert!(inbox.sent()[0].contains("QW5vdGhlciBwbGFuLg=="), "what was shown last leaves");
}

#[tokio::test]
async fn a_file_at_home_is_named_as_people_name_it() {
    let (inbox, thread, _) = with_file().await;
    inbox.answer(&thread, attach("~/plan.txt")).await;
    assert_contains(&inbox.text(&thread).await, ["plan.txt (9 bytes, sha256 ", "from ~/plan.txt"]);
    inbox.answer(&thread, attach("~/plan.txt")).await;
    assert!(inbox.sent()[0].contains("VGhlIHBsYW4u"), "its bytes leave");
}

#[tokio::test]
async fn an_edit_teaches_once_it_was_carried_out() {
    let (inbox, thread, file) = with_file().await;
    let mut both = write();
    both.1["content"] = json!("It comes on Monday.");
    inbox.answer(&thread, edit(both, "attachments", json!([file]))).await;
    assert!(inbox.learned().is_empty(), "it may still be taken back");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.learned(), ["response_preferences proposal_edited"]);
}

#[tokio::test]
async fn a_draft_that_comes_back_is_before_the_model_with_the_word_to_keep_what_it_offers() {
    let mut offering = write();
    offering.1["content"] = json!("Would Tuesday at 15:00 or Thursday at 10:00 suit you?");
    let (inbox, thread) = EmailInbox::proposing(offering).await;
    inbox.answer(&thread, respond("shorter")).await;
    assert_contains(&inbox.prompt(1), ["Tuesday at 15:00 or Thursday at 10:00"]);
    let request = &inbox.model.requests_for("email.reply")[1];
    assert_contains(&words(request), ["The person says: shorter"]);
    assert_contains(&request.system, ["every answer, offer, time and date in it stays"]);
}
