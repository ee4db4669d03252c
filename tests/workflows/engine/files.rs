//! Other parts of the store: memory, full-text search, blobs, files and their modes.

use crate::support::TestInbox;
use sayso::engine::store::{MemoryCause, Store, StoreError};
use sayso::inbox::ThreadQuery;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

fn cause(kind: &str) -> MemoryCause {
    MemoryCause { kind: kind.to_owned(), thread: None, interrupt: None }
}

#[tokio::test]
async fn memory_is_versioned_by_compare_and_set() {
    let inbox = TestInbox::new();
    let store = inbox.store();
    assert_eq!(store.memory().newest("email/tone").unwrap(), None);
    for (read, profile, written) in [(0, "be brief", 1), (1, "be briefer", 2)] {
        let version =
            store.memory().remember("email/tone".to_owned(), read, profile.to_owned(), cause("edit")).await;
        assert_eq!(version.unwrap(), written);
    }
    for stale in [0, 1, 3] {
        let error = store
            .memory()
            .remember("email/tone".to_owned(), stale, "x".to_owned(), cause("edit"))
            .await
            .unwrap_err();
        assert!(matches!(&error, StoreError::Conflict(why) if why.contains("is at version 2")), "{error}");
    }
    store.memory().remember("email/other".to_owned(), 0, String::new(), cause("default")).await.unwrap();
    let history = store.memory().history("email/tone").unwrap();
    let versions: Vec<_> = history.iter().map(|v| (v.version, v.profile.as_str())).collect();
    assert_eq!(versions, [(2, "be briefer"), (1, "be brief")]);
    assert_eq!(store.memory().namespaces().unwrap(), ["email/other", "email/tone"]);
}

#[tokio::test]
async fn words_are_found_and_odd_queries_are_only_words() {
    let inbox = TestInbox::new();
    let tea = inbox.start("chat", json!({"topic": "Grüner Tee, 日本 2024 don't"})).await;
    let wine = inbox.run("chat", json!({"topic": "wine AND cheese NEAR the river"})).await;
    inbox.respond(&tea, "the *budget* (quarterly): \"naïve\" %_ \u{0} end").await;
    inbox.drive().await;
    let both = vec![wine.clone(), tea.clone()];
    let table = [
        ("gruner", vec![tea.clone()]),
        ("GRÜNER tee", vec![tea.clone()]),
        ("日本", vec![tea.clone()]),
        ("日", vec![tea.clone()]),
        ("don't", vec![tea.clone()]),
        ("budg", vec![tea.clone()]),
        ("naive", vec![tea.clone()]),
        ("wine AND cheese", vec![wine.clone()]),
        ("cheese NEAR", vec![wine.clone()]),
        ("NEAR(wine, 2)", vec![]),
        ("about", both),
        ("\"", vec![]),
        ("*", vec![]),
        ("text:wine", vec![]),
        ("wine*", vec![wine.clone()]),
        ("wine; DROP TABLE words; --", vec![]),
        ("(((", vec![]),
        ("\u{0}", vec![]),
        ("🍵", vec![]),
        ("ﬀ ① ²", vec![]),
        ("", vec![]),
    ];
    for (words, threads) in table {
        assert_eq!(inbox.found(words).await, threads, "{words:?}");
    }
    assert_eq!(inbox.found(&"wine ".repeat(3000)).await, std::slice::from_ref(&wine), "many words");
    assert_eq!(inbox.found(&"x".repeat(100_000)).await, [], "a long one");
}

/// The index can always be made anew from the steps, whatever became of the note how far it has come.
#[tokio::test]
async fn a_lost_place_in_the_index_costs_only_time() {
    let inbox = TestInbox::new();
    let tea = inbox.start("chat", json!({"topic": "tea"})).await;
    assert_eq!(inbox.found("tea").await, std::slice::from_ref(&tea));
    for sql in ["DELETE FROM settings", "UPDATE settings SET value = 'x'"] {
        inbox.sql().execute(sql, []).unwrap();
        assert_eq!(inbox.found("tea").await, std::slice::from_ref(&tea), "{sql}");
    }
}

#[tokio::test]
async fn threads_are_listed_newest_first_and_items_oldest_first_in_pages() {
    let inbox = TestInbox::new();
    for n in 0..7 {
        inbox.start("chat", json!({"topic": format!("tea {n}")})).await;
    }
    inbox.drive().await;
    let all = inbox.threads().list(ThreadQuery { limit: 9, ..Default::default() }).await.unwrap().rows;
    let titles: Vec<String> = all.into_iter().map(|line| line.title).collect();
    let newest_first: Vec<String> = (0..7).rev().map(|n| format!("About tea {n}")).collect();
    assert_eq!(titles, newest_first);
    let (mut after, mut items) = (None, Vec::new());
    loop {
        let query = sayso::inbox::ItemQuery { limit: 2, after, ..Default::default() };
        let page = inbox.decisions().questions(query).await.unwrap();
        items.extend(page.rows);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(items.len(), 7);
    assert_eq!(items[0].title, "Question 1 about tea 0?", "oldest first");
}

#[tokio::test]
async fn blobs_are_kept_by_their_digest() {
    let inbox = TestInbox::new();
    let store = inbox.store();
    let digest = store.put_blob(b"mail".to_vec()).await.unwrap();
    assert_eq!(store.put_blob(b"mail".to_vec()).await.unwrap(), digest);
    assert_eq!(store.blob(&digest).unwrap(), b"mail");
    let count: i64 = inbox.sql().query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
    assert!(matches!(store.blob(&[7; 32]), Err(StoreError::Damaged(why)) if why.contains("0707") ));
    inbox.sql().execute("UPDATE blobs SET bytes = x'00'", []).unwrap();
    assert!(matches!(store.blob(&digest), Err(StoreError::Damaged(_))));
}

#[tokio::test]
async fn files_are_private() {
    let inbox = TestInbox::new();
    inbox.run_program(json!([])).await;
    let mode = |path: std::path::PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(inbox.data()), 0o700);
    let mut seen = Vec::new();
    for entry in std::fs::read_dir(inbox.data()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(mode(entry.path()), 0o600, "{:?}", entry.path());
        seen.push(entry.file_name().into_string().unwrap());
    }
    seen.sort();
    assert_eq!(seen, ["driver.lock", "sayso.db", "sayso.db-shm", "sayso.db-wal"]);
}

#[test]
fn sqlite_is_new_enough() {
    let version: Vec<u32> =
        sayso::engine::store::sqlite_version().split('.').map(|part| part.parse().unwrap()).collect();
    assert!(version >= vec![3, 51, 3], "{version:?}");
}

#[test]
fn other_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sayso.db");
    let other = {
        let db = rusqlite::Connection::open(&file).unwrap();
        db.execute_batch("PRAGMA application_id = 7; CREATE TABLE x (y)").unwrap();
        drop(db);
        std::fs::read(&file).unwrap()
    };
    for (bytes, why) in [
        (b"hello".to_vec(), "does not begin like an SQLite file"),
        (other[..50].to_vec(), "cut short"),
        (other.clone(), "belongs to another program"),
    ] {
        std::fs::write(&file, &bytes).unwrap();
        let error = Store::open(folder.path()).err().unwrap();
        assert!(matches!(&error, StoreError::NotOurs { .. }) && error.to_string().contains(why), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "untouched");
    }
}

#[tokio::test]
async fn many_open_a_new_folder_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let opened: Vec<_> = (0..8)
        .map(|_| {
            let folder = folder.path().to_owned();
            std::thread::spawn(move || Store::open(&folder).map(|_| ()))
        })
        .collect();
    for thread in opened {
        thread.join().unwrap().unwrap();
    }
}
