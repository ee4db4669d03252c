//! A server's threads: listed among the others, shown, started, ended.

use crate::room::Room;
use sayso::graph::{Decision, ThreadId};
use sayso::inbox::{InboxError, Status, ThreadQuery};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn all_threads_are_one_list_page_by_page() {
    let room = Room::new().await;
    for _ in 0..120 {
        room.house().thread("agent", Vec::new(), Vec::new());
    }
    room.house().asks("agent", &json!("?"));
    room.open(1).await;
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let query = ThreadQuery { limit: 7, after, ..ThreadQuery::default() };
        let page = room.inbox.threads().list(query).await.unwrap();
        assert!(page.threads.len() <= 7 && page.damaged.is_empty());
        all.extend(page.threads);
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
    let found = room.inbox.threads().list(query).await.unwrap().threads;
    assert_eq!(found.len(), 11, "{found:?}");
}

/// A server goes by its name and a stroke, with all its graphs, mirrored here or not; a graph by its own name.
#[tokio::test(flavor = "multi_thread")]
async fn threads_are_narrowed_to_a_server_and_to_one_of_its_graphs() {
    let room = Room::new().await;
    for graph in ["agent", "agent", "other"] {
        room.house().thread(graph, Vec::new(), Vec::new());
    }
    room.house().asks("agent", &json!("?"));
    room.open(1).await;
    let count = async |workflow: Option<&str>, account: Option<&str>| {
        let (workflow, account) = (workflow.map(str::to_owned), account.map(str::to_owned));
        let query = ThreadQuery { workflow, account, limit: 50, ..ThreadQuery::default() };
        room.inbox.threads().list(query).await.unwrap().threads.len()
    };
    assert_eq!(count(None, None).await, 4);
    assert_eq!(count(Some("lab/"), None).await, 4);
    assert_eq!(count(Some("lab/agent"), None).await, 3);
    assert_eq!(count(Some("lab/other"), None).await, 1);
    assert_eq!(count(Some("elsewhere/"), None).await, 0);
    assert_eq!(count(None, Some("work")).await, 0, "what a server keeps is no mail of an account");
    let facets = room.inbox.threads().facets().await.unwrap();
    assert_eq!((facets.servers, facets.workflows), (vec!["lab".to_owned()], Vec::<String>::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_is_shown_by_the_beginning_of_its_name() {
    let room = Room::new().await;
    room.house().thread("agent", Vec::new(), Vec::new());
    let line = room.threads().await.remove(0);
    let short = ThreadId::parse(&line.id.as_str()[..6]).unwrap();
    let view = room.inbox.threads().view(short).await.unwrap();
    assert_eq!((view.id, view.status), (line.id, Status::Done));
    assert_eq!(view.state["messages"], json!([{"who": "you", "said": "please"}]));
    let nodes: Vec<&str> = view.steps.iter().map(|step| step.node.as_str()).collect();
    assert_eq!(nodes, ["input", "ask"]);
    assert_eq!(view.steps[1].updates, json!({"n": 1}));
    let none = room.inbox.threads().view(ThreadId::parse("tzzzzzzzz").unwrap()).await;
    assert!(matches!(none, Err(InboxError::NotFound { .. })), "{none:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_started_followed_and_answered() {
    let room = Room::new().await;
    let wrong = room.inbox.threads().start("lab/agnt".to_owned(), json!({})).await;
    assert!(wrong.unwrap_err().to_string().contains("did you mean `lab/agent`?"));
    let started =
        room.inbox.threads().start("lab/agent".to_owned(), json!({"task": "x", "n": 1.0})).await.unwrap();
    let item = room.open(1).await.remove(0);
    assert_eq!((&item.thread, item.title.as_str()), (&started.thread, "How old are you?"));
    let body = room.house().resumes().remove(0);
    assert!(body.contains(r#""input":{"n":1.0,"task":"x"}"#), "{body}");
    room.decide(&item, Decision::Respond { text: "7".into() }).await.unwrap();
    let done = room.stands(&item, Status::Done).await;
    assert_eq!(done.output.unwrap()["status"], "idle");
    assert_eq!(room.house().resumes().len(), 2);
    let view = room.inbox.threads().view(item.thread.clone()).await.unwrap();
    assert_eq!(view.state["status"], "idle");
    assert_eq!(
        view.effects.iter().map(|effect| effect.name.as_str()).collect::<Vec<_>>(),
        ["begin", "resume"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_are_ended_there_mirrored_or_not() {
    let room = Room::new().await;
    room.house().asks("agent", &json!("?"));
    let item = room.open(1).await.remove(0);
    room.inbox.threads().stop(item.thread.clone()).await.unwrap();
    room.stands(&item, Status::Done).await;
    room.house().thread("agent", Vec::new(), Vec::new());
    let line =
        room.until(async || room.threads().await.into_iter().find(|line| line.id != item.thread)).await;
    let ended = room.inbox.threads().stop(line.id).await.unwrap();
    room.until(async || {
        (room.inbox.threads().outcome(ended.thread.clone()).await.unwrap().status == Status::Done)
            .then_some(())
    })
    .await;
    assert!(room.house().lock().threads.iter().all(|thread| thread.ended));
    assert!(matches!(room.inbox.threads().fork(item.thread.clone(), 0).await, Err(InboxError::Conflict(_))));
}
