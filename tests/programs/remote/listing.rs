//! A server's threads that ask: listed among the others, shown, stopped.

use super::remote_inbox::RemoteInbox;
use sayso::engine::graph::Decision;
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
        let filter = sayso::inbox::Query { workflow, ..Default::default() };
        let query = ThreadQuery { filter, account, limit: 50, ..ThreadQuery::default() };
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
async fn a_thread_is_shown_as_its_server_has_it() {
    let remote = RemoteInbox::new().await;
    let id = remote.langgraph().ask("agent", &json!("How old are you?"));
    let item = remote.wait_for_items(1).await.remove(0);
    let (_, card) = remote.inbox.decisions().card(item.id.clone()).await.unwrap();
    assert!(card.text().contains("please") && card.text().contains(&id), "{}", card.text());
    // The run takes a while.
    remote.langgraph().lock().threads[0].busy_reads = 3;
    remote.decide(&item, Decision::Respond { text: "7".into() }).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    assert_eq!(remote.langgraph().lock().threads[0].busy_reads, 0);
    let view = remote.inbox.threads().view(item.thread.clone()).await.unwrap();
    assert_eq!((&view.state["status"], &view.state["graph"]), (&json!("idle"), &json!("agent")));
    assert_eq!(view.state["messages"], json!([{"who": "you", "said": "please"}]));
    assert_eq!(view.effects.iter().map(|effect| effect.name.as_str()).collect::<Vec<_>>(), ["resume"]);
    assert!(matches!(
        remote.inbox.threads().fork(item.thread.clone(), 0).await,
        Err(InboxError::Conflict(_))
    ));
}

/// Only the question here is given up; its thread waits on for somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_thread_goes_on_waiting_on_the_server() {
    let remote = RemoteInbox::new().await;
    let item = remote.question(&json!("?")).await;
    remote.inbox.threads().stop(item.thread.clone()).await.unwrap();
    let stopped = remote.wait_for_items(1).await.remove(0);
    remote.decide(&stopped, Decision::Ignore).await.unwrap();
    remote.wait_for_status(&item, Status::Abandoned).await;
    remote.inbox.mail().fetch().await.unwrap();
    assert_eq!(remote.look_once().await, Vec::<String>::new());
    assert_eq!(remote.items().await, []);
    let state = remote.langgraph().lock();
    assert!(state.resumes.is_empty() && !state.threads[0].ended && !state.threads[0].interrupts.is_empty());
}
