//! The audit: what is told of decisions and deeds, and what becomes of whoever changes it afterwards.

use crate::support::House;
use crate::support::house::{holding, respond};
use proptest::prelude::*;
use sayso::graph::Decision;
use sayso::inbox::{Backend, GrantRequest, GrantScope, OUTPUT_FILES, PruneQuery, Status};
use sayso::store::{MemoryCause, Store};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn export(store: &Store) -> Vec<String> {
    let mut lines = Vec::new();
    store
        .audit(None, &mut |line| {
            lines.push(line.to_owned());
            Ok(())
        })
        .unwrap();
    lines
}

fn judged(store: &Store, lines: &[String]) -> Vec<String> {
    store.check_export(&mut lines.iter().cloned().map(Ok)).unwrap().problems
}

fn told(lines: &[String]) -> Vec<Value> {
    let parsed = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.filter(|line| line.get("end").is_none()).collect()
}

fn whats(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["what"].as_str().unwrap()).collect()
}

/// A house in which something of every sort has happened.
async fn lived_in() -> House {
    let house = House::new();
    let thread = house.played(json!([
        [{"ask": [{"key": "a", "irreversible": true}]}],
        [{"once": {"name": "go", "key": "a"}}],
        [{"ask": [{"key": "b", "for_thread": true}]}]
    ]));
    let thread = thread.await;
    let id = house.asked(&thread).await;
    house.decide(&id, Decision::Ignore).await.unwrap();
    house.local.undo(id.clone()).await.unwrap();
    house.decide(&id, Decision::Accept).await.unwrap();
    house.settle().await;
    let next = house.asked(&thread).await;
    let request = GrantRequest { interrupt: next.clone(), scope: GrantScope::Thread, lasts: None };
    let grant = house.local.grant(request).await.unwrap();
    house.local.revoke(grant.id).await.unwrap();
    house.local.revoke(OUTPUT_FILES.to_owned()).await.unwrap();
    house.local.restore(OUTPUT_FILES.to_owned()).await.unwrap();
    house.decide(&next, Decision::Edit { args: json!({"key": "b", "n": 3}) }).await.unwrap();
    house.settle().await;
    let chat = house.start("chat", json!({"topic": "tea"})).await;
    house.settle().await;
    house.respond(&chat, "green, \u{202e}please").await;
    house.settle().await;
    house.local.stop(chat.clone()).await.unwrap();
    let cause = MemoryCause { kind: "edit".to_owned(), thread: Some(chat), interrupt: None };
    house.store().remember("tone".to_owned(), 0, "be brief".to_owned(), cause).await.unwrap();
    house.local.memory_pin("tone".to_owned(), "1".to_owned(), true).await.unwrap();
    house.local.memory_pin("tone".to_owned(), "1".to_owned(), false).await.unwrap();
    house.local.pause(true).await.unwrap();
    house.local.pause(false).await.unwrap();
    house
}

#[tokio::test]
async fn what_was_decided_and_done_is_told_with_who_when_and_whence() {
    let house = lived_in().await;
    let lines = export(house.store());
    let told = told(&lines);
    assert_eq!(
        whats(&told),
        [
            "begun",
            "started",
            "decided",
            "undone",
            "decided",
            "effect_begun",
            "effect_ended",
            "granted",
            "revoked",
            "revoked",
            "restored",
            "decided",
            "started",
            "decided",
            "stopped",
            "remembered",
            "pinned",
            "unpinned",
            "paused",
            "resumed"
        ]
    );
    for (at, line) in (1..).zip(&told) {
        assert_eq!(line["n"], at);
        assert_eq!(line["from"]["pid"], std::process::id());
        assert!(!line["from"]["user"].as_str().unwrap().is_empty() && line["from"]["host"].is_string());
        line["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    }
    let (accepted, begun, ended) = (&told[4], &told[5], &told[6]);
    assert_eq!((&accepted["by"], &accepted["decision"]), (&json!("cli"), &json!("accept")));
    assert_eq!(accepted["shown"], begun["executed"], "what was shown is what was done");
    assert_eq!(accepted["texts"]["proposed"], begun["texts"]["executed"]);
    assert_eq!((&begun["by"], &begun["interrupt"]), (&json!("decision"), &accepted["interrupt"]));
    assert_eq!((&ended["state"], &ended["effect"]), (&json!("done"), &json!("go")));
    let edited = &told[11];
    assert_ne!(edited["shown"], edited["edited"]);
    assert_eq!(edited["texts"]["edited"], json!({"key": "b", "n": 3}));
    assert_eq!(told[13]["texts"]["said"], "green, \u{202e}please");
    assert!(!lines.iter().any(|line| line.contains('\u{202e}')), "nothing hidden leaves");
    assert_eq!(told[3]["because"], "person");
    assert_eq!(told[15]["texts"]["profile"], "be brief");
    assert_eq!((&told[12]["workflow"], &told[12]["thread"]), (&json!("chat"), &told[13]["thread"]));
    assert!(told[12]["texts"]["input"].to_string().contains("tea"), "{}", told[12]);
    assert_eq!(house.store().check_audit().unwrap().problems, [""; 0]);
    assert_eq!(judged(house.store(), &lines), [""; 0]);
}

#[tokio::test]
async fn anybody_can_check_the_chain_with_sha256() {
    let house = lived_in().await;
    let mut before = "0".repeat(64);
    for line in export(house.store()) {
        let Some(rest) = line.strip_prefix("{\"digest\":\"") else { continue };
        let (digest, rest) = (&rest[..64], &rest[66..]);
        let chained =
            rest.split_once(",\"texts\":{").map_or(rest.to_owned(), |(text, _)| format!("{text}}}"));
        let sha: String =
            Sha256::digest(format!("{{{chained}")).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sha, digest, "{line}");
        assert!(chained.starts_with(&format!("\"before\":\"{before}\"")), "{line}");
        before = digest.to_owned();
    }
}

#[tokio::test]
async fn what_was_refused_is_not_told_and_what_an_arrival_takes_back_is() {
    let house = House::with(holding(), Vec::new());
    let thread = house.played(json!([[{"ask": [{"key": "a", "irreversible": true}]}]])).await;
    let id = house.asked(&thread).await;
    let before = export(house.store()).len();
    house.decide(&id, Decision::Edit { args: json!({"key": 7}) }).await.unwrap_err();
    assert_eq!(export(house.store()).len(), before);
    house.decide(&id, Decision::Accept).await.unwrap();
    house.decide(&id, Decision::Ignore).await.unwrap_err();
    assert_eq!(export(house.store()).len(), before + 1);
    house.news(&thread, "mail").await;
    let lines = export(house.store());
    let told = told(&lines);
    assert_eq!(told.last().unwrap()["because"], "arrival");
    // What came later is bound to the card now; what was shown then can still be told.
    assert_eq!(told[told.len() - 2]["texts"]["bound_to"], json!([]));
    house.decide(&id, respond("not yet")).await.unwrap();
    assert_eq!(house.store().check_audit().unwrap().problems, [""; 0]);
    assert_eq!(judged(house.store(), &export(house.store())), [""; 0]);
}

#[tokio::test]
async fn an_export_begins_where_it_is_asked_to() {
    let house = lived_in().await;
    let mut lines = Vec::new();
    let later = house.store().now() + jiff::SignedDuration::from_hours(1);
    let keep = &mut |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    assert_eq!(house.store().audit(Some(later), keep).unwrap(), 0);
    assert!(lines[0].starts_with("{\"end\":"));
    let all = export(house.store());
    assert_eq!(judged(house.store(), &all[5..]), [""; 0], "a later part of it is sound by itself");
}

/// What somebody may do to an export, by two numbers.
fn tampered(lines: &[String], deed: u8, one: usize, two: usize) -> Vec<String> {
    let mut lines = lines.to_vec();
    let (one, two) = (one % lines.len(), two % lines.len());
    match deed {
        0 => drop(lines.remove(one)),
        1 => lines.swap(one, two),
        2 => lines.truncate(one),
        3 => lines.insert(one, lines[two].clone()),
        // A character that is part of a value, changed.
        4 => {
            let at: Vec<usize> = lines[one].match_indices(char::is_alphanumeric).map(|(at, _)| at).collect();
            let at = at[two * 31 % at.len()];
            let other = if lines[one].as_bytes()[at] == b'7' { "8" } else { "7" };
            lines[one].replace_range(at..=at, other);
        }
        // A line made up, with a digest of its own.
        _ => {
            let Some(rest) = lines[one].strip_prefix("{\"digest\":\"") else { return lines };
            let (text, texts) = match rest[66..].split_once(",\"texts\":{") {
                Some((text, texts)) => (format!("{{{text}}}"), Some(texts.to_owned())),
                None => (format!("{{{}", &rest[66..]), None),
            };
            let text = text.replacen("\"what\":\"", "\"what\":\"x", 1);
            let sha: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
            let text = &text[1..];
            lines[one] = match texts {
                Some(texts) => {
                    format!("{{\"digest\":\"{sha}\",{},\"texts\":{{{texts}", text.strip_suffix('}').unwrap())
                }
                None => format!("{{\"digest\":\"{sha}\",{text}"),
            };
        }
    }
    lines
}

#[test]
fn a_changed_export_is_named() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let house = runtime.block_on(lived_in());
    let lines = export(house.store());
    let deeds = (0_u8..6, any::<u16>(), any::<u16>());
    let config = ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((deed, one, two) in deeds)| {
        let changed = tampered(&lines, deed, one.into(), two.into());
        prop_assume!(changed != lines);
        // The first lines may be left out: such is an export of a later time.
        prop_assume!(!lines.ends_with(&changed) || changed.is_empty());
        let problems = judged(house.store(), &changed);
        prop_assert!(!problems.is_empty(), "deed {deed} on {one} and {two} went unnoticed");
    });
}

#[tokio::test]
async fn each_sort_of_change_is_named_by_what_it_is() {
    let house = lived_in().await;
    let lines = export(house.store());
    let has = |lines: &[String], words: &str| {
        let problems = judged(house.store(), lines);
        assert!(problems.iter().any(|problem| problem.contains(words)), "{words}: {problems:?}");
    };
    let mut edited = lines.clone();
    edited[4] = edited[4].replace("\"accept\"", "\"ignore\"");
    has(&edited, "line 5 was edited");
    let mut texts = lines.clone();
    texts[13] = texts[13].replace("green", "black");
    has(&texts, "the texts beside line 14 are not those it tells");
    texts[12] = texts[12].replace("tea", "gin");
    has(&texts, "the texts beside line 13 are not those it tells");
    let mut deleted = lines.clone();
    deleted.remove(4);
    has(&deleted, "line 5 is missing");
    let mut reordered = lines.clone();
    reordered.swap(4, 5);
    has(&reordered, "line 5 stands behind line 6: lines were reordered");
    has(&lines[..lines.len() - 1], "the file is cut off");
    let mut cut = lines.clone();
    cut.remove(lines.len() - 2);
    has(&cut, &format!("line {} is cut off the end", lines.len() - 1));
    let mut doubled = lines.clone();
    doubled.insert(6, lines[2].clone());
    has(&doubled, "a second line 3 stands behind line 6: it is forged");
    has(&tampered(&lines, 5, 7, 0), "line 9 does not rest on the line 8 before it: one of them is forged");
    has(&tampered(&lines, 5, 7, 0), "line 8 is not the one the store has");
    has(&[vec!["hello".to_owned()], lines.clone()].concat(), "number 1 of the file is no line of an audit");
    // The audit of another folder is sound, and not this one's.
    let other = lived_in().await;
    let problems = judged(other.store(), &lines);
    assert!(problems.iter().any(|problem| problem == "line 2 is not the one the store has"), "{problems:?}");
}

#[tokio::test]
async fn a_changed_store_is_named() {
    let house = lived_in().await;
    let lines = export(house.store());
    let sql = |text: &str| house.sql().execute_batch(text).unwrap();
    let has = |words: &str| {
        let problems = house.store().check_audit().unwrap().problems;
        assert!(problems.iter().any(|problem| problem.contains(words)), "{words}: {problems:?}");
    };
    sql("CREATE TABLE kept AS SELECT * FROM audit");
    let restore = || sql("DELETE FROM audit; INSERT INTO audit SELECT * FROM kept");
    sql("UPDATE audit SET entry = replace(entry, 'accept', 'ignore') WHERE seq = 5");
    has("line 5 was edited");
    restore();
    sql("DELETE FROM audit WHERE seq = 5");
    has("line 5 is missing");
    has("(accept, by cli,");
    restore();
    sql("DELETE FROM audit WHERE seq > 17");
    has("lines 18 to 20 are cut off the end");
    restore();
    sql("INSERT INTO audit SELECT 21, at, entry, digest FROM audit WHERE seq = 4");
    has("line 21 was edited");
    has("line 21 stands behind line 20, which was the last: it is forged");
    restore();
    sql("UPDATE audit SET seq = CASE seq WHEN 3 THEN -1 ELSE 3 END WHERE seq IN (3, 4)");
    sql("UPDATE audit SET seq = 4 WHERE seq = -1");
    has("line 3 was edited");
    restore();
    assert_eq!(house.store().check_audit().unwrap().problems, [""; 0]);
    // Whoever can write the file can begin anew; an export kept elsewhere tells.
    sql("UPDATE audit SET entry = entry || ' ' WHERE seq = 20");
    assert_eq!(judged(house.store(), &lines), [""; 0], "the export is what it was");
    sql("UPDATE audit SET digest = randomblob(32) WHERE seq = 20");
    assert_eq!(judged(house.store(), &lines), ["line 20 is not the one the store has"]);
}

#[tokio::test]
async fn an_audit_whose_end_is_unknown_takes_no_decision() {
    let house = House::new();
    let thread = house.played(json!([[{"ask": [{"key": "a"}]}]])).await;
    let id = house.asked(&thread).await;
    house.sql().execute_batch("UPDATE audit_head SET n = n + 1").unwrap();
    let error = house.decide(&id, Decision::Accept).await.unwrap_err().to_string();
    assert!(error.contains("the audit's last line"), "{error}");
    assert_eq!(house.asked(&thread).await, id, "it is still open");
}

#[tokio::test]
async fn what_people_start_continue_and_prune_is_told() {
    let house = House::new();
    let thread = house.start("chat", json!({"topic": "tea"})).await;
    house.settle().await;
    house.respond(&thread, "done").await;
    house.settle().await;
    house.local.proceed(thread.clone(), "and now by quarter".to_owned()).await.unwrap();
    house.settle().await;
    house.respond(&thread, "done").await;
    house.settle().await;
    let fork = house.local.fork(thread.clone(), 1).await.unwrap().thread;
    house.local.stop(fork.clone()).await.unwrap();
    let lines = export(house.store());
    let before = told(&lines);
    assert_eq!(whats(&before), ["begun", "started", "decided", "continued", "decided", "started", "stopped"]);
    let sha =
        |text: &str| -> String { Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect() };
    assert_eq!(before[3]["said"], sha("and now by quarter"));
    assert_eq!(before[5]["forked_from"], thread.as_str());
    // What was started with is held against the step that says so.
    house.sql().execute_batch("UPDATE steps SET updates = replace(updates, 'tea', 'gin')").unwrap();
    let problems = house.store().check_audit().unwrap().problems;
    assert!(problems.iter().any(|problem| problem.contains("was started with")), "{problems:?}");
    house.sql().execute_batch("UPDATE steps SET updates = replace(updates, 'gin', 'tea')").unwrap();

    let other = House::new();
    let gone = other.played(json!([[{"ask": [{"key": "a"}]}]])).await;
    other.accept(&gone).await;
    other.settle().await;
    other.local.file_away(gone.clone()).await.unwrap();
    let before = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let query = PruneQuery { before, statuses: vec![Status::Done] };
    assert_eq!(other.local.prune(query.clone()).await.unwrap().taken.threads, 1);
    let kept = told(&export(other.store()));
    let pruned = kept.last().unwrap();
    assert_eq!(
        (&pruned["what"], &pruned["threads"], &pruned["records"]),
        (&json!("pruned"), &json!(1), &json!(1))
    );
    assert_eq!((&pruned["statuses"], pruned["heads"].as_str().unwrap().len()), (&json!(["done"]), 64));
    assert_eq!(pruned["older_than"], before.as_millisecond());
    // A second one has nothing to let go of, and nothing to tell.
    other.local.prune(query).await.unwrap();
    assert_eq!(told(&export(other.store())).len(), kept.len());
    assert_eq!(other.store().check_audit().unwrap().problems, [""; 0]);
    assert_eq!(judged(other.store(), &export(other.store())), [""; 0]);
}
