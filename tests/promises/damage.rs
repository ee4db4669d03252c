//! D07, D08 and D14: bits that flip, entries and rows somebody changed by SQL, lists that were forged.
//!
//! The same database is looked at twice, before and after: once by whoever reads it all, once by a driver that was told
//! of nothing. Damage must be named, or everything read must be as it was; and a driver does nothing that it would not
//! have done.

use crate::report;
use crate::support::TestInbox;
use crate::support::test_inbox::{eager, respond};
use rusqlite::Connection;
use rusqlite::types::Value as Sql;
use sayso::app::{Driver, Engine, Scope, Settings, Until};
use sayso::engine::graph::{Decision, EventKind};
use sayso::engine::store::{KeptMail, MemoryCause, Store, StoreError};
use sayso::inbox::door::Inbox;
use sayso::inbox::{GrantRequest, GrantScope, ItemQuery, OUTPUT_FILES, ThreadQuery};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// A small generator, so that every trial can be had again.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

/// A database in which every table has rows of every kind, as one file.
async fn full_database() -> (TestInbox, Vec<u8>) {
    let inbox = TestInbox::new();
    let kid = json!({"key": "k", "program": [[{"note": "kid"}]]});
    let chat = inbox.start("chat", json!({"topic": "tea"})).await;
    // So many that there is a snapshot.
    for turn in 0..40 {
        inbox.drive().await;
        inbox.respond(&chat, &format!("answer {turn}")).await;
    }
    let done = inbox.run_program(json!([[{"spawn": [kid]}], [{"ask": [{"key": "a", "irreversible": true}]}], [{"once": {"name": "go", "key": "a", "frozen": "go"}}]])).await;
    let id = inbox.open_question(&done).await;
    inbox.decisions().decide(decide(&id, Decision::Ignore)).await.unwrap();
    inbox.decisions().undo(id).await.unwrap();
    inbox.accept(&done).await;
    inbox.drive().await;
    let failed = inbox.run_program(json!([[{"call": "x"}, {"fail": "for good"}]])).await;
    let trouble = inbox.open_question(&failed).await;
    inbox.decide(&trouble, respond("try harder")).await.unwrap();
    inbox.drive().await;
    let waiting = inbox.run_program(json!([[{"ask": [{"key": "a"}, {"key": "b"}]}]])).await;
    inbox.news(&waiting, "mail").await;
    let asked = inbox.outcome(&waiting).await.interrupts;
    inbox.decide(&asked[0], Decision::Edit { args: json!({"key": "z", "n": 3}) }).await.unwrap();
    let queued = inbox.start_program(json!([[{"note": "later"}]])).await;
    inbox.news(&queued, "one").await;
    let settled = EventKind::AnsweredElsewhere { reason: "elsewhere".to_owned(), payload: Value::Null };
    inbox.arrive(&queued, "two", settled).await.unwrap();
    inbox.threads().fork(done, 3).await.unwrap();
    let cause = || MemoryCause { kind: "edit".to_owned(), thread: Some(chat.clone()), interrupt: None };
    for (space, read) in [("tone", 0), ("tone", 1), ("other", 0)] {
        inbox
            .store()
            .memory()
            .remember(space.to_owned(), read, format!("{space} {read}"), cause())
            .await
            .unwrap();
    }
    for space in ["tone", "other"] {
        inbox.memory().pin(space.to_owned(), "1".to_owned(), true).await.unwrap();
    }
    let offering = inbox
        .run_program(json!([[{"ask": [{"key": "a", "for_thread": true, "sender": "bo@far.test"}]}]]))
        .await;
    let interrupt = inbox.open_question(&offering).await;
    for scope in [GrantScope::Thread, GrantScope::Sender, GrantScope::Thread] {
        let request = GrantRequest {
            interrupt: interrupt.clone(),
            scope: scope.clone(),
            ends_at: None,
            session: false,
        };
        let given = inbox.grants().give(request).await.unwrap();
        if scope == GrantScope::Sender {
            inbox.grants().revoke(given.id).await.unwrap();
        }
    }
    inbox.grants().revoke(OUTPUT_FILES.to_owned()).await.unwrap();
    inbox.decisions().decide_together(vec![decide(&interrupt, Decision::Accept)]).await;
    inbox.pause(false).await.unwrap();
    // What a driver would do next: one approved and held, one to be approved, one that a grant allows.
    let once = |name: &str| json!([[{"ask": [{"key": "a", "irreversible": true}]}], [{"once": {"name": name, "key": "a", "frozen": name}}]]);
    inbox.run_program(once("to be approved")).await;
    let held = inbox.run_program(once("held")).await;
    let held = inbox.open_question(&held).await;
    let slow = Settings { hold: Duration::from_millis(20), ..eager() };
    inbox.other_process(slow).decisions().decide(decide(&held, Decision::Accept)).await.unwrap();
    inbox.start_program(json!([[{"once": {"name": "switched off", "frozen": "switched off"}}]])).await;
    let raw = inbox.store().put_blob(b"a mail".to_vec()).await.unwrap();
    let mail = KeptMail {
        identity: "one".to_owned(),
        account: String::new(),
        message_id: None,
        conversation: "one".to_owned(),
        sender: "bo@far.test".to_owned(),
        subject: "One".to_owned(),
        sent_at: None,
        raw,
    };
    inbox.store().mail().hand_in(chat.clone(), mail, "one".to_owned()).await.unwrap();
    found(&inbox, "tea").await;
    // Closed and opened anew, so that the file is all there is.
    let mut bytes = Vec::new();
    let inbox = inbox.restart_after(eager(), |data| bytes = std::fs::read(data.join("sayso.db")).unwrap());
    (inbox, bytes)
}

fn decide(id: &sayso::engine::graph::InterruptId, decision: Decision) -> sayso::inbox::DecisionRequest {
    let by = sayso::inbox::DecidedBy::Cli;
    sayso::inbox::DecisionRequest { interrupt: id.clone(), decision, shown: None, learn: true, by }
}

async fn found(inbox: &TestInbox, words: &str) -> usize {
    let query = ThreadQuery {
        filter: sayso::inbox::Query { words: vec![words.to_owned()], ..Default::default() },
        limit: 9,
        ..Default::default()
    };
    inbox.threads().list(query).await.unwrap().rows.len()
}

/// Everything people and drivers read, as text; an error where something is not to be trusted.
async fn read(original: &TestInbox, data: &Path) -> Result<String, StoreError> {
    let store = Store::open(data)?;
    if let Some(first) = store.audit().verify()?.problems().into_iter().next() {
        return Err(StoreError::Damaged(first));
    }
    let inbox = Inbox::new(Engine::new(store.clone(), original.engine().registry().clone(), eager()));
    let damaged = |error: sayso::inbox::InboxError| StoreError::Damaged(error.to_string());
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = inbox
            .threads()
            .list(ThreadQuery { limit: 5, after, ..Default::default() })
            .await
            .map_err(damaged)?;
        if let Some(first) = page.damaged.into_iter().next() {
            return Err(StoreError::Damaged(first));
        }
        for line in page.rows {
            let view = inbox.threads().view(line.id.clone()).await.map_err(damaged)?;
            let mut loaded = store.threads().load(&line.id, None)?;
            // Both are spared work and nothing else: without them it is done again.
            loaded.tail = Default::default();
            loaded.at.snapshot_bytes = 0;
            loaded.calls.clear();
            let outcome = store.threads().outcome(&line.id)?;
            all.push(format!("{line:?} {} {loaded:?} {outcome:?}", serde_json::to_string(&view).unwrap()));
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    for flags in [vec![], vec![sayso::inbox::Flag::Snoozed]] {
        let filter = sayso::inbox::Query { flags, ..Default::default() };
        let page = inbox
            .decisions()
            .questions(ItemQuery { filter, limit: 99, ..Default::default() })
            .await
            .map_err(damaged)?;
        for item in &page.rows {
            let card = inbox.decisions().card(item.id.clone()).await.map_err(damaged)?;
            all.push(format!("{item:?} {card:?}"));
        }
        all.extend(page.damaged);
    }
    let results = ItemQuery { limit: 99, ..Default::default() };
    all.push(format!("{:?}", inbox.decisions().results(results).await.map_err(damaged)?));
    for space in store.memory().namespaces()? {
        all.push(format!("{:?} {:?}", store.memory().history(&space)?, store.memory().view(&space)?));
    }
    all.push(format!("{:?}", store.grants().list()?));
    all.push(format!("{:?} {} {:?}", store.threads().runnable()?, store.paused()?, store.inbox().counts()?));
    Ok(all.join("\n"))
}

/// How a trial ended.
enum Trial {
    /// Named, in these words.
    Named(String),
    /// Everything read is as it was.
    Harmless,
}

async fn judge(inbox: &TestInbox, data: &Path, before: &str, what: &str) -> Trial {
    match read(inbox, data).await {
        Ok(after) => {
            assert_eq!(after, before, "{what}: silently wrong");
            Trial::Harmless
        }
        Err(error) => Trial::Named(error.to_string()),
    }
}

/// What a driver does that was told of nothing, with a person who says yes to all that is asked; and what it said.
async fn driven(data: &Path) -> (BTreeSet<String>, Vec<String>) {
    let mut troubles = Vec::new();
    let Ok(store) = Store::open(data) else { return (BTreeSet::new(), vec!["it was not opened".to_owned()]) };
    drop(store);
    let inbox = TestInbox::builder().in_folder(data.parent().unwrap()).open();
    for _ in 0..3 {
        let mut worker = match Driver::take(inbox.engine().clone()).await {
            Ok(worker) => worker.expect("nobody else drives"),
            Err(error) => {
                troubles.push(error.to_string());
                break;
            }
        };
        if let Err(error) = worker.run(&Scope::All, Until::Idle, std::future::pending()).await {
            troubles.push(error.to_string());
        }
        troubles.extend(worker.failed().values().map(ToString::to_string));
        let page = match inbox.decisions().questions(ItemQuery { limit: 99, ..Default::default() }).await {
            Ok(page) => page,
            Err(error) => {
                troubles.push(error.to_string());
                break;
            }
        };
        troubles.extend(page.damaged);
        for item in page.rows {
            if let Err(error) = inbox.decisions().decide(decide(&item.id, Decision::Accept)).await {
                troubles.push(error.to_string());
            }
        }
    }
    (inbox.world.performed().into_iter().collect(), troubles)
}

/// A copy of the file, to be damaged.
struct Copies {
    inbox: TestInbox,
    bytes: Vec<u8>,
    data: std::path::PathBuf,
}

impl Copies {
    async fn new() -> Self {
        let (inbox, bytes) = full_database().await;
        let data = inbox.folder().join("copy/data");
        Self { inbox, bytes, data }
    }

    fn lay_bytes(&self, bytes: &[u8]) {
        let _ = std::fs::remove_dir_all(&self.data);
        std::fs::create_dir_all(&self.data).unwrap();
        std::fs::write(self.data.join("sayso.db"), bytes).unwrap();
    }

    fn lay(&self) -> Connection {
        self.lay_bytes(&self.bytes);
        let db = Connection::open(self.data.join("sayso.db")).unwrap();
        db.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF").unwrap();
        db
    }

    /// Changes a new copy; whether anything was. What the schema itself forbids cannot be done to it.
    fn tamper(&self, sql: &str, parameters: &[Sql]) -> bool {
        self.lay().execute(sql, rusqlite::params_from_iter(parameters)).is_ok_and(|changed| changed > 0)
    }

    async fn read(&self) -> String {
        drop(self.lay());
        read(&self.inbox, &self.data).await.unwrap()
    }

    /// What a driver does with the file as it is.
    async fn would_do(&self) -> BTreeSet<String> {
        drop(self.lay());
        let (done, troubles) = driven(&self.data).await;
        assert_eq!(troubles, Vec::<String>::new());
        assert!(done.contains("held") && done.contains("to be approved"), "{done:?}");
        done
    }
}

#[tokio::test]
async fn d07_bits_that_flip_are_named_or_harmless() {
    let copies = Copies::new().await;
    let (before, would) = (copies.read().await, copies.would_do().await);
    let bytes = &copies.bytes;
    // Mostly where something is written: a page's unused middle is zeroes.
    let written: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
    let mut random = Random(0xf11b);
    let (trials, mut named) = (260, 0);
    for trial in 0..trials {
        let mut flipped = bytes.clone();
        let at = match trial % 8 {
            0 => usize::try_from(random.below(bytes.len() as u64)).unwrap(),
            _ => written[usize::try_from(random.below(written.len() as u64)).unwrap()],
        };
        let bit = random.below(8);
        flipped[at] ^= 1 << bit;
        copies.lay_bytes(&flipped);
        let what = format!("bit {bit} of byte {at}");
        if trial % 2 == 0 {
            let (done, troubles) = driven(&copies.data).await;
            assert!(done.is_subset(&would), "{what}: {:?}", done.difference(&would));
            named += usize::from(!troubles.is_empty());
        } else if let Trial::Named(_) = judge(&copies.inbox, &copies.data, &before, &what).await {
            named += 1;
        }
    }
    assert!(named > trials / 5, "{named} of {trials} were named");
    println!("D07 · {named} named, {} harmless", trials - named);
    report("D07", "random bit flips, half of them under a driver", trials);
}

/// The record and what stands beside it; each with whether nothing is told or done because of a row.
const RECORD: [(&str, bool); 7] = [
    ("log", false),
    ("blobs", false),
    ("schemas", false),
    ("mails", true),
    ("calls", true),
    ("snapshots", true),
    ("settings", true),
];

/// What is made from the log.
const LISTS: [&str; 6] = ["threads", "interrupts", "effects", "grants", "memory", "pauses"];

fn columns(db: &Connection, table: &str) -> Vec<(String, String, bool)> {
    let mut found = db.prepare(&format!("PRAGMA table_info({table})")).unwrap();
    let rows = found.query_map([], |row| Ok((row.get(1)?, row.get(2)?, row.get::<_, i64>(5)? > 0))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Another value of the same type.
fn other(value: Sql, kind: &str) -> Sql {
    match (value, kind) {
        (Sql::Null, "TEXT") => Sql::Text("null".to_owned()),
        (Sql::Null, "BLOB") => Sql::Blob(vec![7; 32]),
        (Sql::Null, _) => Sql::Integer(1),
        (Sql::Integer(n @ (0 | 1)), _) => Sql::Integer(1 - n),
        (Sql::Integer(n), _) => Sql::Integer(n + 1),
        (Sql::Text(text), _) => Sql::Text(match text.as_str() {
            "open" => "decided".to_owned(),
            "decided" | "closed" => "open".to_owned(),
            "waiting" | "done" | "trouble" => "ready".to_owned(),
            "held" => "waiting".to_owned(),
            "ready" => "done".to_owned(),
            "asked" => "decided".to_owned(),
            "stepped" => "started".to_owned(),
            other => format!("{other}x"),
        }),
        (Sql::Blob(mut bytes), _) => {
            bytes[0] ^= 1;
            Sql::Blob(bytes)
        }
        (Sql::Real(x), _) => Sql::Real(x + 1.0),
    }
}

/// The keys of the rows to tamper with, newest first: the newest one, and in the log the newest of each kind.
fn places(db: &Connection, table: &str, keys: &[&str]) -> Vec<Vec<Sql>> {
    let order: Vec<String> = keys.iter().map(|key| format!("{key} DESC")).collect();
    let which = if table == "log" { "seq IN (SELECT max(seq) FROM log GROUP BY kind)" } else { "true" };
    let sql = format!("SELECT {} FROM {table} WHERE {which} ORDER BY {}", keys.join(", "), order.join(", "));
    let mut found = db.prepare(&sql).unwrap();
    let rows = found.query_map([], |row| (0..keys.len()).map(|n| row.get(n)).collect()).unwrap();
    rows.take(if table == "log" { usize::MAX } else { 1 }).map(Result::unwrap).collect()
}

/// What somebody may do to the rows of a table, as SQL with its parameters.
fn tampering(db: &Connection, table: &str) -> Vec<(String, Vec<Sql>)> {
    let columns = columns(db, table);
    let keys: Vec<&str> = columns.iter().filter(|(_, _, key)| *key).map(|(name, ..)| name.as_str()).collect();
    let place = keys.iter().map(|key| format!("{key} IS ?")).collect::<Vec<_>>().join(" AND ");
    let places = places(db, table, &keys);
    assert!(!places.is_empty(), "{table} has no rows");
    let mut all = Vec::new();
    for (n, at) in places.into_iter().enumerate() {
        all.push((format!("DELETE FROM {table} WHERE {place}"), at.clone()));
        // The columns of entries of all kinds are one; what they say is not.
        for (column, kind, _) in columns.iter().filter(|(name, ..)| n == 0 || name == "body") {
            let sql = format!("SELECT {column} FROM {table} WHERE {place}");
            let value: Sql = db.query_row(&sql, rusqlite::params_from_iter(&at), |row| row.get(0)).unwrap();
            let mut parameters = vec![other(value, kind)];
            parameters.extend(at.clone());
            all.push((format!("UPDATE {table} SET {column} = ? WHERE {place}"), parameters));
        }
    }
    all.push((format!("DELETE FROM {table}"), Vec::new()));
    if keys == ["seq"] {
        let ends = format!("SELECT min(seq), max(seq) FROM {table}");
        let (first, last): (i64, i64) =
            db.query_row(&ends, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let (first, last) = (Sql::Integer(first), Sql::Integer(last));
        let rest: Vec<&str> =
            columns.iter().map(|(name, ..)| name.as_str()).filter(|name| *name != "seq").collect();
        let rest = rest.join(", ");
        let swap =
            format!("UPDATE {table} SET seq = CASE seq WHEN ?1 THEN -1 ELSE ?1 END WHERE seq IN (?1, ?2)");
        all.push((swap, vec![first.clone(), last.clone()]));
        all.push((format!("DELETE FROM {table} WHERE seq > ?"), vec![first]));
        // A copy of a sound row, in another place, under another name where names are unique.
        let copied: Vec<String> = rest
            .split(", ")
            .map(|c| match c {
                "id" => "substr(id, 1, 8) || 'z'".to_owned(),
                "name" => "name || 'z'".to_owned(),
                "version" if table == "memory" => "version + 1".to_owned(),
                "digest" if table == "blobs" => "randomblob(32)".to_owned(),
                other => other.to_owned(),
            })
            .collect();
        let forge = format!(
            "INSERT INTO {table} (seq, {rest}) SELECT (SELECT max(seq) + 1 FROM {table}), {} FROM {table} WHERE seq = ?",
            copied.join(", ")
        );
        all.push((forge, vec![last]));
    }
    all
}

#[tokio::test]
async fn d08_entries_and_rows_changed_by_sql_are_noticed() {
    let copies = Copies::new().await;
    let (before, would) = (copies.read().await, copies.would_do().await);
    let (mut trials, mut named) = (0, 0);
    for (table, spare) in RECORD {
        for (sql, parameters) in tampering(&copies.lay(), table) {
            let what = format!("{sql} {parameters:?}");
            for under_a_driver in [false, true] {
                if !copies.tamper(&sql, &parameters) {
                    break;
                }
                trials += 1;
                if under_a_driver {
                    let (done, troubles) = driven(&copies.data).await;
                    assert!(done.is_subset(&would), "{what}: {:?}", done.difference(&would));
                    named += usize::from(!troubles.is_empty());
                    continue;
                }
                match judge(&copies.inbox, &copies.data, &before, &what).await {
                    Trial::Named(text) => {
                        named += 1;
                        assert!(!text.contains("no such"), "{what}: {text}");
                    }
                    // The number a row is kept under, where nothing goes by it, and what only spares work.
                    Trial::Harmless => {
                        assert!(
                            spare || (table != "log" && sql.contains(" SET seq = ")),
                            "{what}: unnoticed"
                        );
                    }
                }
            }
        }
    }
    println!("D08 · {named} named, {} harmless", trials - named);
    report("D08", "entries and rows edited, deleted, reordered, truncated, forged", trials);
}

#[tokio::test]
async fn d14_forged_lists_cause_nothing_and_are_made_anew() {
    let copies = Copies::new().await;
    let (before, would) = (copies.read().await, copies.would_do().await);
    let (mut trials, mut repaired) = (0, 0);
    for table in LISTS {
        for (sql, parameters) in tampering(&copies.lay(), table) {
            let what = format!("{sql} {parameters:?}");
            for under_a_driver in [false, true] {
                if !copies.tamper(&sql, &parameters) {
                    break;
                }
                trials += 1;
                if under_a_driver {
                    let (done, _) = driven(&copies.data).await;
                    assert!(done.is_subset(&would), "{what}: {:?}", done.difference(&would));
                    continue;
                }
                let store = Store::open(&copies.data).unwrap();
                let verified = store.audit().verify().unwrap();
                assert!(!verified.differing.is_empty(), "{what}: unnoticed");
                assert!(!store.audit().repair().await.unwrap().is_empty(), "{what}");
                drop(store);
                assert_eq!(read(&copies.inbox, &copies.data).await.unwrap(), before, "{what}: not as it was");
                repaired += 1;
            }
        }
    }
    println!("D14 · {repaired} made anew");
    report("D14", "lists forged or deleted, the log intact", trials);
}
