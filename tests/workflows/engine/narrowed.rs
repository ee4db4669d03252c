//! Lists of threads by status, workflow and account: each page is what filtering all threads would give.

use crate::support::test_inbox::hand_in;
use crate::support::{TestInbox, player};
use sayso::engine::graph::ThreadId;
use sayso::inbox::{Flag, LEARNING_WORKFLOW, Query, Status, ThreadQuery};
use serde_json::json;
use std::collections::BTreeMap;

/// Threads of two workflows and several statuses, some with mail of two accounts; the account of each by its thread.
async fn add_threads(inbox: &TestInbox) -> BTreeMap<ThreadId, &'static str> {
    let mut accounts = BTreeMap::new();
    for n in 0..24_usize {
        let thread = match n % 3 {
            0 => inbox.start("chat", json!({"topic": "tea"})).await,
            1 => inbox.start_program(json!([[{"note": "done"}]])).await,
            _ => inbox.start_program(json!([[{"ask": [{"key": "a"}]}]])).await,
        };
        let account = ["home", "work", ""][n / 2 % 3];
        for part in 0..n % 4 {
            let subject = format!("mail {n} {part}");
            hand_in(inbox, &thread, &subject, |mail| mail.conversation = format!("c{n}")).await;
            accounts.insert(thread.clone(), account);
        }
        // What is handed in belongs to no account; these came to one.
        let sql = "UPDATE mails SET account = ? WHERE conversation = ?";
        inbox.sql().execute(sql, (account, format!("c{n}"))).unwrap();
    }
    inbox.drive().await;
    accounts
}

async fn pages(inbox: &TestInbox, query: &ThreadQuery) -> Vec<ThreadId> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = inbox.threads().list(ThreadQuery { after, limit: 3, ..query.clone() }).await.unwrap();
        assert!(page.rows.len() <= 3 && page.damaged.is_empty());
        found.extend(page.rows.into_iter().map(|line| line.id));
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

#[tokio::test]
async fn filters_find_every_match_and_nothing_else() {
    let inbox = TestInbox::new();
    let accounts = add_threads(&inbox).await;
    let all = inbox.threads().list(ThreadQuery { limit: 99, ..ThreadQuery::default() }).await.unwrap().rows;
    let mut narrowed = 0;
    for status in [None, Some(Status::Done), Some(Status::Waiting), Some(Status::Held)] {
        for workflow in [None, Some("chat"), Some("player"), Some("nobody's")] {
            for account in [None, Some("home"), Some("work"), Some("elsewhere")] {
                for search in [None, Some("tea")] {
                    let is = |line: &&sayso::inbox::ThreadLine| {
                        status.is_none_or(|status| line.status == status)
                            && workflow.is_none_or(|workflow| line.workflow == workflow)
                            && account.is_none_or(|account| accounts.get(&line.id) == Some(&account))
                            && search.is_none_or(|_| line.workflow == "chat")
                    };
                    let expected: Vec<ThreadId> = all.iter().filter(is).map(|line| line.id.clone()).collect();
                    let filter = Query {
                        status,
                        workflow: workflow.map(str::to_owned),
                        words: search.map(str::to_owned).into_iter().collect(),
                        ..Query::default()
                    };
                    let account = account.map(str::to_owned);
                    let query = ThreadQuery { filter, account, ..ThreadQuery::default() };
                    assert_eq!(pages(&inbox, &query).await, expected, "{query:?}");
                    narrowed += usize::from(!expected.is_empty() && expected.len() < all.len());
                }
            }
        }
    }
    assert!(narrowed > 20, "{narrowed} lists hold some of them");
    let facets = inbox.threads().facets().await.unwrap();
    assert_eq!(facets.workflows, ["chat", "player"]);
    assert_eq!(facets.accounts, ["home", "work"]);
    assert_eq!(facets.servers, Vec::<String>::new());
}

#[tokio::test]
async fn threads_of_the_engine_are_listed_when_they_are_asked_for() {
    let inbox =
        TestInbox::builder().with_workflow(player::spec(LEARNING_WORKFLOW, Default::default())).open();
    let mine = inbox.start_program(json!([[{"note": "done"}]])).await;
    let own = inbox.run(LEARNING_WORKFLOW, json!({"program": [[{"note": "done"}]]})).await;
    for (hides_engine, flags, found) in [
        (false, vec![], vec![own.clone(), mine.clone()]),
        (true, vec![], vec![mine]),
        (true, vec![Flag::Engine], vec![own]),
    ] {
        let filter = Query { flags, ..Query::default() };
        let query = ThreadQuery { filter, hides_engine, ..ThreadQuery::default() };
        assert_eq!(pages(&inbox, &query).await, found, "{query:?}");
    }
}
