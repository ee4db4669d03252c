//! Replies without a model: the person's own words, which they see before anybody else does.

use super::*;
use sayso::inbox::GrantScope;

#[tokio::test]
async fn words_become_the_letter_and_new_words_replace_it() {
    let inbox = EmailInbox::by_rules();
    let thread = inbox.receive_mail().await;
    let asked = inbox.open_item(&thread).await;
    assert_eq!(asked.action, "question");
    assert!(asked.text.contains("Your words become the letter"), "{}", asked.text);
    for words in ["The report comes on Friday.", "No, on Monday.\n\nSorry!"] {
        inbox.answer(&thread, respond(words)).await;
        let draft = inbox.open_item(&thread).await;
        assert_eq!((draft.action.as_str(), &draft.args["to"]), ("write_email", &json!([BOB])), "{words}");
        let content = draft.args["content"].as_str().unwrap();
        assert!(
            content.starts_with("Hi") && content.contains(words) && content.ends_with("\nAda"),
            "{content}"
        );
        assert_contains(&draft.text, ["These are your own words. Check them before you send."]);
        assert!(inbox.sent().is_empty());
    }
    inbox.answer(&thread, Decision::Accept).await;
    let sent = inbox.sent();
    assert_eq!(sent.len(), 1);
    assert!(sent[0].contains("No, on Monday.") && !sent[0].contains("Friday"), "{}", sent[0]);
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
        let thread = inbox.receive(&mail).await;
        inbox.answer(&thread, respond("I come on Friday.")).await;
        let content = inbox.open_item(&thread).await.args["content"].as_str().unwrap().to_owned();
        assert!(content.starts_with(&format!("{greeting}\n")), "{from}: {content}");
        assert!(content.contains("I come on Friday."), "{content}");
    }
}

#[tokio::test]
async fn no_grant_sends_words_that_the_person_has_not_seen_as_a_letter() {
    let inbox = EmailInbox::by_rules();
    // Bob is known, so nothing is unusual about writing to him.
    inbox.know_bob().await;
    let thread = inbox.receive_mail().await;
    inbox.answer(&thread, respond("It comes on Friday.")).await;
    inbox.grant(&thread, GrantScope::Thread).await;
    inbox.answer(&thread, respond("Ask for her customer number.")).await;
    assert!(inbox.sent().is_empty());
    assert_eq!(inbox.action(&thread).await, "write_email");
}
