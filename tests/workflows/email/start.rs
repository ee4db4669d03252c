//! What a thread is started with, and what is refused before anything is stored.

use super::*;

#[tokio::test]
async fn a_file_is_a_mail() {
    let inbox = EmailInbox::new("respond", [calls([write()])]);
    let file = inbox.folder().join("one.eml");
    std::fs::write(&file, mail()).unwrap();
    let thread = inbox.start("email", json!({ "file": file })).await;
    inbox.drive().await;
    assert_eq!(inbox.view(&thread).await.title, "The report");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.sent().len(), 1);
    assert_eq!(inbox.ledger(&thread), ("respond".to_owned(), Some("replied".to_owned())));
    assert!(inbox.marks().is_empty(), "it lies in no mailbox");
    let state = inbox.state(&thread).await.to_string();
    assert!(!state.contains("When does the report come"), "mails are kept by digest");
}

#[tokio::test]
async fn json_is_a_mail_too() {
    let simple = json!({"author": "Bob Ray <bob@client.example>", "to": "ada@example.org", "subject": "The report", "email_thread": "When?"});
    let gmail = json!({"id": "1", "payload": {"mimeType": "text/plain", "headers": [
        {"name": "From", "value": "Bob Ray <bob@client.example>"},
        {"name": "To", "value": "ada@example.org"},
        {"name": "Subject", "value": "The report"},
        {"name": "Message-ID", "value": "<one@client.example>"}
    ], "body": {"data": "V2hlbj8"}}});
    for given in [simple, gmail] {
        let inbox = EmailInbox::new("notify", []);
        let thread = inbox.start("email", json!({ "json": given })).await;
        inbox.drive().await;
        let item = inbox.open_item(&thread).await;
        assert_eq!((item.title.as_str(), item.source.as_deref()), ("The report", Some("Bob Ray")));
        assert!(item.text.contains("When?"), "{}", item.text);
        assert_eq!(inbox.view(&thread).await.state["json"], Value::Null);
    }
}

#[tokio::test]
async fn what_is_no_mail_is_refused_in_a_sentence() {
    let inbox = EmailInbox::new("notify", []);
    let folder = inbox.folder().to_str().unwrap().to_owned();
    for (input, expected) in [
        (json!({}), "give a mail"),
        (json!({"file": "x.eml", "json": {}}), "either `file` or `json`"),
        (json!({"file": format!("{folder}/none.eml")}), "there is no file"),
        (json!({"file": folder}), "is not a file"),
        (json!({"json": {"subject": "x"}}), "`json`"),
        (json!({"received": {"raw": "00"}}), "give `file` or `json`"),
        (json!({"file": "x", "model": "none"}), "there are main, other"),
        (json!({"mail": "x"}), "unknown field `mail`"),
    ] {
        let refused = inbox.refused_start("email", input.clone()).await;
        assert!(refused.contains(expected), "{input}: {refused}");
    }
    assert_eq!(inbox.sql().query_row("SELECT count(*) FROM threads", [], |row| row.get::<_, i64>(0)), Ok(0));
}

#[tokio::test]
async fn people_see_the_keys_they_can_give() {
    let inbox = EmailInbox::new("notify", []);
    let spec = inbox.engine().registry().get("email").unwrap();
    let schema = spec.workflow.input_schema();
    let mut keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["file", "json", "model"]);
    assert_eq!(spec.workflow.shape().name, "email_assistant");
    let memory = inbox.engine().registry().get("memory").unwrap();
    assert!(memory.hidden && !memory.results && !spec.results);
    let nodes: Vec<&str> = spec.workflow.shape().nodes.iter().map(|node| node.name.as_str()).collect();
    let expected = "triage_router triage_interrupt_handler triage_answered update_memory mark_as_read_node reminded \
        response_agent/llm_call response_agent/interrupt_handler response_agent/act \
        response_agent/update_memory response_agent/leave";
    for node in expected.split_whitespace() {
        assert!(nodes.contains(&node), "{node}: {nodes:?}");
    }
}
