//! A server's threads that ask: listed among the others, shown, started, ended.

use super::remote_inbox::RemoteInbox;
use sayso::graph::Decision;
use sayso::inbox::{InboxError, Status, ThreadQuery};
use serde_json::json;

/// `lab/` selects the server's threads that asked here; `lab/agent` selects those of one graph.
#[tokio::test(flavor = "multi_thread")]
async fn threads_are_narrowed_to_a_server_and_to_one_of_its_graphs() {
    let remote = RemoteInbox::new().await;
    for graph in ["agent", "agent", "other"] {
        remote.langgraph().ask(graph, &json!("?"));
    }
    remote.langgraph().thread("agent", Vec::new(), Vec::new());
    remote.wait_for_items(3).await;
    let count = async |workflow: Option<&str>, account: Option<&str>| {
        let (workflow, account) = (workflow.map(str::to_owned), account.map(str::to_owned));
        let query = ThreadQuery { workflow, account, limit: 50, ..ThreadQuery::default() };
        remote.inbox.threads().list(query).await.unwrap().rows.len()
    };
    assert_eq!(count(None, None).await, 3);
    assert_eq!(count(Some("lab/"), None).await, 3);
    assert_eq!(count(Some("lab/agent"), None).await, 2);
    assert_eq!(count(Some("lab/other"), None).await, 1);
    assert_eq!(count(Some("elsewhere/"), None).await, 0);
    assert_eq!(count(None, Some("work")).await, 0, "what a server keeps is no mail of an account");
    let facets = remote.inbox.threads().facets().await.unwrap();
    assert_eq!((facets.servers, facets.workflows), (vec!["lab".to_owned()], Vec::<String>::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_started_followed_and_answered() {
    let remote = RemoteInbox::new().await;
    let wrong = remote.inbox.threads().start("lab/agnt".to_owned(), json!({})).await;
    assert!(wrong.unwrap_err().to_string().contains("did you mean `lab/agent`?"));
    let started =
        remote.inbox.threads().start("lab/agent".to_owned(), json!({"task": "x", "n": 1.0})).await.unwrap();
    let item = remote.wait_for_items(1).await.remove(0);
    assert_eq!((&item.thread, item.title.as_str()), (&started.thread, "How old are you?"));
    let body = remote.langgraph().resumes().remove(0);
    assert!(body.contains(r#""input":{"n":1.0,"task":"x"}"#), "{body}");
    remote.decide(&item, Decision::Respond { text: "7".into() }).await.unwrap();
    let done = remote.wait_for_status(&item, Status::Done).await;
    assert_eq!(done.output.unwrap()["status"], "idle");
    assert_eq!(remote.langgraph().resumes().len(), 2);
    let view = remote.inbox.threads().view(item.thread.clone()).await.unwrap();
    assert_eq!(view.state["status"], "idle");
    assert_eq!(view.state["messages"], json!([{"who": "you", "said": "please"}]));
    assert_eq!(
        view.effects.iter().map(|effect| effect.name.as_str()).collect::<Vec<_>>(),
        ["begin", "resume"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_ended_on_the_server() {
    let remote = RemoteInbox::new().await;
    remote.langgraph().ask("agent", &json!("?"));
    let item = remote.wait_for_items(1).await.remove(0);
    remote.inbox.threads().stop(item.thread.clone()).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    assert!(remote.langgraph().lock().threads.iter().all(|thread| thread.ended));
    assert!(matches!(
        remote.inbox.threads().fork(item.thread.clone(), 0).await,
        Err(InboxError::Conflict(_))
    ));
}
