//! A server's threads: listed among the others, shown, started, ended.

use crate::remote_inbox::RemoteInbox;
use sayso::graph::{Decision, ThreadId};
use sayso::inbox::{InboxError, Status, ThreadQuery};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn all_threads_are_listed_page_by_page() {
    let remote = RemoteInbox::new().await;
    for _ in 0..120 {
        remote.langgraph().thread("agent", Vec::new(), Vec::new());
    }
    remote.langgraph().ask("agent", &json!("?"));
    remote.wait_for_items(1).await;
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let query = ThreadQuery { limit: 7, after, ..ThreadQuery::default() };
        let page = remote.inbox.threads().list(query).await.unwrap();
        assert!(page.rows.len() <= 7 && page.damaged.is_empty());
        all.extend(page.rows);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let mut ids: Vec<&str> = all.iter().map(|line| line.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((all.len(), ids.len()), (121, 121));
    assert!(all.iter().all(|line| line.workflow == "lab/agent"));
    assert_eq!(all[0].status, Status::Waiting);
    let query = ThreadQuery {
        status: Some(Status::Done),
        search: Some("THREAD 11".into()),
        limit: 50,
        ..ThreadQuery::default()
    };
    let found = remote.inbox.threads().list(query).await.unwrap().rows;
    assert_eq!(found.len(), 11, "{found:?}");
}

/// `lab/` selects all threads of the server, mirrored here or not; `lab/agent` selects those of one graph.
#[tokio::test(flavor = "multi_thread")]
async fn threads_are_narrowed_to_a_server_and_to_one_of_its_graphs() {
    let remote = RemoteInbox::new().await;
    for graph in ["agent", "agent", "other"] {
        remote.langgraph().thread(graph, Vec::new(), Vec::new());
    }
    remote.langgraph().ask("agent", &json!("?"));
    remote.wait_for_items(1).await;
    let count = async |workflow: Option<&str>, account: Option<&str>| {
        let (workflow, account) = (workflow.map(str::to_owned), account.map(str::to_owned));
        let query = ThreadQuery { workflow, account, limit: 50, ..ThreadQuery::default() };
        remote.inbox.threads().list(query).await.unwrap().rows.len()
    };
    assert_eq!(count(None, None).await, 4);
    assert_eq!(count(Some("lab/"), None).await, 4);
    assert_eq!(count(Some("lab/agent"), None).await, 3);
    assert_eq!(count(Some("lab/other"), None).await, 1);
    assert_eq!(count(Some("elsewhere/"), None).await, 0);
    assert_eq!(count(None, Some("work")).await, 0, "what a server keeps is no mail of an account");
    let facets = remote.inbox.threads().facets().await.unwrap();
    assert_eq!((facets.servers, facets.workflows), (vec!["lab".to_owned()], Vec::<String>::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_found_by_the_beginning_of_its_id() {
    let remote = RemoteInbox::new().await;
    remote.langgraph().thread("agent", Vec::new(), Vec::new());
    let line = remote.threads().await.remove(0);
    let short = ThreadId::parse(&line.id.as_str()[..6]).unwrap();
    let view = remote.inbox.threads().view(short).await.unwrap();
    assert_eq!((view.id, view.status), (line.id, Status::Done));
    assert_eq!(view.state["messages"], json!([{"who": "you", "said": "please"}]));
    let nodes: Vec<&str> = view.steps.iter().map(|step| step.node.as_str()).collect();
    assert_eq!(nodes, ["input", "ask"]);
    assert_eq!(view.steps[1].updates, json!({"n": 1}));
    let none = remote.inbox.threads().view(ThreadId::parse("tzzzzzzzz").unwrap()).await;
    assert!(matches!(none, Err(InboxError::NotFound { .. })), "{none:?}");
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
    assert_eq!(
        view.effects.iter().map(|effect| effect.name.as_str()).collect::<Vec<_>>(),
        ["begin", "resume"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_are_ended_on_the_server_mirrored_or_not() {
    let remote = RemoteInbox::new().await;
    remote.langgraph().ask("agent", &json!("?"));
    let item = remote.wait_for_items(1).await.remove(0);
    remote.inbox.threads().stop(item.thread.clone()).await.unwrap();
    remote.wait_for_status(&item, Status::Done).await;
    remote.langgraph().thread("agent", Vec::new(), Vec::new());
    let line = remote
        .wait_until(async || remote.threads().await.into_iter().find(|line| line.id != item.thread))
        .await;
    let ended = remote.inbox.threads().stop(line.id).await.unwrap();
    remote
        .wait_until(async || {
            (remote.inbox.threads().outcome(ended.thread.clone()).await.unwrap().status == Status::Done)
                .then_some(())
        })
        .await;
    assert!(remote.langgraph().lock().threads.iter().all(|thread| thread.ended));
    assert!(matches!(
        remote.inbox.threads().fork(item.thread.clone(), 0).await,
        Err(InboxError::Conflict(_))
    ));
}
