//! Two calls in one message: every combination of answers.

use super::*;
use sayso::mail::SendError;

#[tokio::test]
async fn two_proposals_are_asked_at_once_and_every_pair_of_answers_is_carried_out() {
    let answers = |call: (&'static str, Value), key: &str, value: &str| {
        [Decision::Accept, edit(call, key, json!(value)), respond("Not like this"), Decision::Ignore]
    };
    for first in answers(write(), "content", "Changed.") {
        for second in answers(meet(), "subject", "Changed") {
            let name = format!("{} + {}", first.word(), second.word());
            let inbox = EmailInbox::new("respond", [calls([write(), meet()])]);
            let thread = inbox.receive_mail().await;
            let items = inbox.open_items(&thread).await;
            let actions: Vec<&str> = items.iter().map(|item| item.action.as_str()).collect();
            assert_eq!(actions, ["write_email", "schedule_meeting"], "{name}");
            let ids = inbox.outcome(&thread).await.interrupts;
            inbox.decide(&ids[1], second.clone()).await.unwrap();
            inbox.drive().await;
            assert_eq!(inbox.status(&thread).await, Status::Waiting, "{name}: one is open still");
            assert!(inbox.sent().is_empty(), "{name}");
            inbox.decide(&ids[0], first.clone()).await.unwrap();
            inbox.drive().await;

            let does = |decision: &Decision| matches!(decision, Decision::Accept | Decision::Edit { .. });
            // In the order of the message: the mail, then the invitation.
            let sent: Vec<bool> = inbox.sent().iter().map(|mail| mail.contains("text/calendar")).collect();
            let expected = [(does(&first), false), (does(&second), true)];
            let expected: Vec<bool> =
                expected.iter().filter(|(sent, _)| *sent).map(|(_, invites)| *invites).collect();
            assert_eq!(sent, expected, "{name}");
            assert_eq!(inbox.events().len(), usize::from(does(&second)), "{name}");
            let responds = |decision: &Decision| matches!(decision, Decision::Respond { .. });
            let refuses = |decision: &Decision| matches!(decision, Decision::Ignore);
            let again = responds(&first) || responds(&second) || !(refuses(&first) || refuses(&second));
            assert_eq!(inbox.replies_asked(), 1 + usize::from(again), "{name}");
            let mut expected = Vec::new();
            for (decision, profile) in [(&first, "response_preferences"), (&second, "cal_preferences")] {
                match decision {
                    Decision::Edit { .. } => expected.push(format!("{profile} proposal_edited")),
                    // One of two refused says nothing about the mail.
                    Decision::Ignore if refuses(&first) && refuses(&second) => {
                        expected.push("lower bob@client.example".to_owned());
                    }
                    Decision::Respond { .. } => expected.push(format!("{profile} proposal_answered")),
                    Decision::Ignore | Decision::Accept | Decision::Draft => {}
                }
            }
            let mut learned = inbox.learned();
            learned.sort();
            expected.sort();
            expected.dedup();
            assert_eq!(learned, expected, "{name}");
            // Words alone decide nothing: a model that has nothing more to propose has the mail shown.
            let shown = responds(&first) && responds(&second);
            let ended = if shown { Status::Waiting } else { Status::Done };
            assert_eq!(inbox.status(&thread).await, ended, "{name}");
            if shown {
                assert_eq!(inbox.action(&thread).await, "notify", "{name}");
            }
            if again && refuses(&second) {
                assert_contains(&inbox.prompt(1), ["The person refused this."]);
            }
        }
    }
}

#[tokio::test]
async fn done_counts_in_any_position() {
    for proposal in [calls([done(), write()]), calls([write(), done()])] {
        let inbox = EmailInbox::new("respond", [proposal]);
        let thread = inbox.receive_mail().await;
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.sent().len(), 1);
        assert_eq!(inbox.status(&thread).await, Status::Done);
        assert_eq!(inbox.replies_asked(), 1, "the model is not asked again");
    }
    // Words win over done: the model is to hear them.
    let inbox = EmailInbox::new("respond", [calls([write(), done()])]);
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("Longer")).await;
    assert_eq!(inbox.replies_asked(), 2);
    assert!(inbox.sent().is_empty());
}

#[tokio::test]
async fn a_question_beside_a_proposal_waits_for_both() {
    let inbox = EmailInbox::new("respond", [calls([ask("Which?"), write()])]);
    let thread = inbox.receive_mail().await;
    let [question, mail] = inbox.outcome(&thread).await.interrupts.try_into().unwrap();
    inbox.decide(&question, respond("The yearly one")).await.unwrap();
    inbox.decide(&mail, Decision::Accept).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(inbox.replies_asked(), 2, "the model hears the answer");
    assert!(inbox.learned().is_empty());
}

#[tokio::test]
async fn a_mail_that_the_model_proposes_nothing_for_is_shown_with_its_reason() {
    for (call, reason) in [
        (("done", json!({"reason": "It is only a receipt."})), "proposes no reply: It is only a receipt."),
        (done(), "proposes no reply and gives no reason."),
    ] {
        let (inbox, thread) = EmailInbox::proposing(call).await;
        assert_contains(&inbox.text(&thread).await, [reason, "When does the report come?"]);
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.ended(&thread).await, "accepted");
    }
}

#[tokio::test]
async fn a_mail_that_a_person_leaves_in_the_models_place_says_so() {
    let inbox = EmailInbox::new("respond", []);
    let thread = inbox.take_in(&mail(), json!({})).await.unwrap();
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.action(&thread).await, "your_turn");
    inbox.answer(&thread, Decision::Ignore).await;
    assert_contains(&inbox.text(&thread).await, ["It should be answered, and you left it without a reply."]);
}

#[tokio::test]
async fn words_about_a_mail_that_was_only_shown_lead_to_an_answer() {
    let inbox = EmailInbox::new("respond", [calls([done()]), calls([done()]), calls([write()])]);
    let thread = inbox.receive_mail().await;
    // The model may have nothing to propose as often as it likes: the mail comes back.
    inbox.answer(&thread, respond("Answer it")).await;
    assert_eq!(inbox.action(&thread).await, "notify");
    inbox.answer(&thread, respond("Really")).await;
    assert_eq!(inbox.action(&thread).await, "write_email");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.ended(&thread).await, "replied");
    assert_eq!(inbox.marks(), ["new/1 Answered"]);
}

#[tokio::test]
async fn words_about_a_call_are_heard_after_its_neighbour_was_asked_about_again() {
    for (words, hears) in [(respond("Tuesday instead"), true), (Decision::Ignore, false)] {
        let inbox = EmailInbox::new("respond", [calls([meet(), write()])]);
        let file = inbox.folder().join("plan.txt");
        std::fs::write(&file, "The plan.").unwrap();
        let thread = inbox.receive_mail().await;
        let [meeting, mail] = inbox.outcome(&thread).await.interrupts.try_into().unwrap();
        inbox.decide(&meeting, words).await.unwrap();
        inbox.decide(&mail, edit(write(), "attachments", json!([file]))).await.unwrap();
        inbox.drive().await;
        assert_contains(&inbox.text(&thread).await, ["Asked once more: you attached a file."]);
        let last = if hears { Decision::Ignore } else { Decision::Accept };
        inbox.answer(&thread, last).await;
        assert_eq!(
            inbox.replies_asked(),
            1 + usize::from(hears),
            "a refusal ends it, words are for the model"
        );
        if hears {
            assert_contains(&inbox.prompt(1), ["Tuesday instead"]);
        } else {
            assert_eq!(inbox.ended(&thread).await, "replied");
        }
    }
}

async fn taken_over() -> (EmailInbox, ThreadId) {
    let inbox = EmailInbox::new("respond", []);
    let thread = inbox.take_in(&mail(), json!({})).await.unwrap();
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.action(&thread).await, "your_turn");
    (inbox, thread)
}

#[tokio::test]
async fn a_person_in_the_models_place_answers_a_mail_in_words_and_no_model_judges_them() {
    let (inbox, thread) = taken_over().await;
    let question = inbox.open_question(&thread).await;
    inbox.decide(&question, respond("It comes on Friday.")).await.unwrap();
    // Given back before the next step: the words stay the person's.
    inbox.model.queue("text.check", [Scripted::json(&json!({"is_wanted": false}))]);
    inbox.threads().hand(thread.clone(), false).await.unwrap();
    inbox.drive().await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), &item.args["content"]), ("write_email", &json!("It comes on Friday.")));
    inbox.answer(&thread, Decision::Accept).await;
    assert!(inbox.sent()[0].contains("It comes on Friday."));
    assert_eq!(inbox.replies_asked(), 1, "what follows is the model's");
}

#[tokio::test]
async fn what_was_approved_and_could_not_be_sent_is_not_tried_again_by_taking_over() {
    let (inbox, thread) = EmailInbox::proposing(write()).await;
    let refused = || SendError::Refused("no such user".to_owned());
    inbox.outgoing.fails.lock().unwrap().extend([refused()]);
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble);
    inbox.threads().hand(thread.clone(), true).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Trouble, "the person decides about it first");
    assert!(inbox.sent().is_empty());
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(inbox.action(&thread).await, "your_turn");
}
