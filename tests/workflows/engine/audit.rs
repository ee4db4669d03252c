//! The audit: what it says about decisions and effects, and how later changes are noticed.

use crate::support::TestInbox;
use crate::support::test_inbox::{edit, respond};
use proptest::prelude::*;
use sayso::engine::graph::Decision;
use sayso::engine::store::{MemoryCause, Store};
use sayso::inbox::{GrantRequest, GrantScope, OUTPUT_FILES, PruneQuery, Status};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn export(store: &Store) -> Vec<String> {
    let mut lines = Vec::new();
    let mut keep = |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    store.audit().export(None, &mut keep).unwrap();
    lines
}

fn judged(store: &Store, lines: &[String]) -> Vec<String> {
    store.audit().check_export(&mut lines.iter().cloned().map(Ok)).unwrap().problems
}

fn entries(lines: &[String]) -> Vec<Value> {
    let parsed = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.filter(|line| line.get("end").is_none()).collect()
}

/// What was decided, done and allowed, beside what threads did by themselves.
fn facts(lines: &[Value]) -> Vec<&Value> {
    let by_itself = ["opened", "asked", "stepped", "arrived", "filed"];
    lines.iter().filter(|line| !by_itself.contains(&line["what"].as_str().unwrap())).collect()
}

fn whats<'a>(facts: &[&'a Value]) -> Vec<&'a str> {
    facts.iter().map(|line| line["what"].as_str().unwrap()).collect()
}

/// An inbox in which every kind of thing has happened.
async fn inbox_with_history() -> TestInbox {
    let inbox = TestInbox::new();
    let thread = inbox.run_program(json!([
        [{"ask": [{"key": "a", "irreversible": true}]}],
        [{"once": {"name": "go", "key": "a"}}],
        [{"ask": [{"key": "b", "for_thread": true}]}]
    ]));
    let thread = thread.await;
    let id = inbox.open_question(&thread).await;
    inbox.decide(&id, Decision::Ignore).await.unwrap();
    inbox.undo(&id).await.unwrap();
    inbox.decide(&id, Decision::Accept).await.unwrap();
    inbox.drive().await;
    let next = inbox.open_question(&thread).await;
    let request =
        GrantRequest { interrupt: next.clone(), scope: GrantScope::Thread, ends_at: None, session: false };
    let grant = inbox.grants().give(request).await.unwrap();
    inbox.grants().revoke(grant.id).await.unwrap();
    inbox.grants().revoke(OUTPUT_FILES.to_owned()).await.unwrap();
    inbox.grants().restore(OUTPUT_FILES.to_owned()).await.unwrap();
    inbox.decide(&next, edit(json!({"key": "b", "n": 3}))).await.unwrap();
    inbox.drive().await;
    let chat = inbox.run("chat", json!({"topic": "tea"})).await;
    inbox.respond(&chat, "green, \u{202e}please").await;
    inbox.drive().await;
    inbox.stop(&chat).await;
    let cause = MemoryCause { kind: "edit".to_owned(), thread: Some(chat), interrupt: None };
    inbox.store().memory().remember("tone".to_owned(), 0, "be brief".to_owned(), cause).await.unwrap();
    inbox.memory().pin("tone".to_owned(), "1".to_owned(), true).await.unwrap();
    inbox.memory().pin("tone".to_owned(), "1".to_owned(), false).await.unwrap();
    inbox.pause(true).await.unwrap();
    inbox.pause(false).await.unwrap();
    inbox
}

#[tokio::test]
async fn what_was_decided_and_done_is_told_with_who_when_and_whence() {
    let inbox = inbox_with_history().await;
    let lines = export(inbox.store());
    let entries = entries(&lines);
    for (at, line) in (1..).zip(&entries) {
        assert_eq!(line["n"], at);
        line["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    }
    assert_eq!(entries[0]["what"], "opened", "the process makes itself known first");
    let facts = facts(&entries);
    assert_eq!(
        whats(&facts),
        [
            "started", "decided", "undone", "decided", "begun", "ended", "granted", "revoked", "revoked",
            "restored", "decided", "started", "decided", "stopped", "learned", "pinned", "unpinned",
            "paused", "resumed"
        ]
    );
    for line in facts.iter().filter(|line| line["what"] != "ended") {
        assert_eq!(line["from"]["pid"], std::process::id(), "{line}");
        assert!(!line["from"]["user"].as_str().unwrap().is_empty() && line["from"]["host"].is_string());
    }
    let (accepted, begun, ended) = (&facts[3]["body"], &facts[4]["body"], &facts[5]["body"]);
    assert_eq!((&accepted["by"], &accepted["decision"]), (&json!("cli"), &json!({"type": "accept"})));
    assert_eq!(accepted["shown"], begun["executed"], "what was shown is what was done");
    let asked = entries.iter().find(|line| line["what"] == "asked").unwrap();
    assert_eq!(asked["body"]["args"], begun["basis"]["args"]);
    assert_eq!((&ended["state"], &begun["name"]), (&json!("done"), &json!("go")));
    let edited = &facts[10]["body"];
    assert_eq!(edited["decision"], json!({"type": "edit", "args": {"key": "b", "n": 3}}));
    assert_eq!(facts[12]["body"]["decision"]["text"], "green, \u{202e}please");
    assert!(!lines.iter().any(|line| line.contains('\u{202e}')), "nothing hidden leaves");
    assert_eq!(facts[2]["body"]["because"], "person");
    assert_eq!(facts[14]["body"]["profile"], "be brief");
    assert_eq!(
        (&facts[11]["body"]["workflow"], &facts[11]["thread"]),
        (&json!("chat"), &facts[12]["thread"])
    );
    assert!(facts[11]["body"]["updates"].to_string().contains("tea"), "{}", facts[11]);
    let steps = entries.iter().filter(|line| line["what"] == "stepped");
    assert!(steps.clone().count() > 3 && steps.clone().all(|line| line["body"].is_null()));
    assert_eq!(inbox.store().audit().check_links().unwrap().problems, [""; 0]);
    assert_eq!(judged(inbox.store(), &lines), [""; 0]);
}

#[tokio::test]
async fn anybody_can_check_the_chain_with_sha256() {
    let inbox = inbox_with_history().await;
    let sha =
        |text: &str| -> String { Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect() };
    let mut before = "0".repeat(64);
    for line in export(inbox.store()) {
        let parsed: Value = serde_json::from_str(&line).unwrap();
        let Some(link) = parsed["link"].as_str() else { continue };
        assert_eq!(sha(link), parsed["digest"].as_str().unwrap(), "{line}");
        assert!(link.starts_with(&before), "{line}");
        before = sha(link);
        // The body stands last, as it was written.
        if let Some((_, body)) = line.split_once(",\"body\":") {
            assert!(link.ends_with(&sha(body.strip_suffix('}').unwrap())), "{line}");
        }
    }
}

#[tokio::test]
async fn what_was_refused_is_not_told_and_what_an_arrival_takes_back_is() {
    let inbox = TestInbox::holding();
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a", "irreversible": true}]}]])).await;
    let id = inbox.open_question(&thread).await;
    let before = export(inbox.store()).len();
    inbox.decide(&id, edit(json!({"key": 7}))).await.unwrap_err();
    assert_eq!(export(inbox.store()).len(), before);
    inbox.decide(&id, Decision::Accept).await.unwrap();
    inbox.decide(&id, Decision::Ignore).await.unwrap_err();
    assert_eq!(export(inbox.store()).len(), before + 1);
    inbox.news(&thread, "mail").await;
    let lines = export(inbox.store());
    let entries = entries(&lines);
    let undone = entries.iter().find(|line| line["what"] == "undone").unwrap();
    assert_eq!(undone["body"]["because"], "arrival");
    // What came later is bound to the card now, and says so by itself.
    let amended = entries.iter().find(|line| line["what"] == "amended").unwrap();
    assert_eq!(amended["body"]["bind"], "mail");
    inbox.decide(&id, respond("not yet")).await.unwrap();
    assert_eq!(inbox.store().audit().check_links().unwrap().problems, [""; 0]);
    assert_eq!(judged(inbox.store(), &export(inbox.store())), [""; 0]);
}

#[tokio::test]
async fn an_export_begins_where_it_is_asked_to() {
    let inbox = inbox_with_history().await;
    let mut lines = Vec::new();
    let later = inbox.store().now() + jiff::SignedDuration::from_hours(1);
    let keep = &mut |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    assert_eq!(inbox.store().audit().export(Some(later), keep).unwrap(), 0);
    assert!(lines[0].starts_with("{\"end\":"));
    let all = export(inbox.store());
    assert_eq!(judged(inbox.store(), &all[5..]), [""; 0], "a later part of it is sound by itself");
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
            let line: Value = serde_json::from_str(&lines[one]).unwrap();
            let Some(link) = line["link"].as_str().map(str::to_owned) else { return lines };
            let mut words: Vec<&str> = link.split(' ').collect();
            words[3] = "filed";
            let what = line["what"].as_str().unwrap();
            let forged = words.join(" ");
            let sha: String = Sha256::digest(&forged).iter().map(|byte| format!("{byte:02x}")).collect();
            lines[one] = lines[one]
                .replace(&link, &forged)
                .replace(line["digest"].as_str().unwrap(), &sha)
                .replace(&format!("\"what\":\"{what}\""), "\"what\":\"filed\"");
        }
    }
    lines
}

#[test]
fn a_changed_export_is_named() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let inbox = runtime.block_on(inbox_with_history());
    let lines = export(inbox.store());
    let deeds = (0_u8..6, any::<u16>(), any::<u16>());
    let config = ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |((deed, one, two) in deeds)| {
        let changed = tampered(&lines, deed, one.into(), two.into());
        prop_assume!(changed != lines);
        // The first lines may be left out: such is an export of a later time.
        prop_assume!(!lines.ends_with(&changed) || changed.is_empty());
        let problems = judged(inbox.store(), &changed);
        prop_assert!(!problems.is_empty(), "deed {deed} on {one} and {two} went unnoticed");
    });
}

#[tokio::test]
async fn the_first_line_that_differs_is_named() {
    let inbox = inbox_with_history().await;
    let lines = export(inbox.store());
    let is = |change: &dyn Fn(&mut Vec<String>), words: &str| {
        let mut changed = lines.clone();
        change(&mut changed);
        assert_eq!(judged(inbox.store(), &changed), [words]);
    };
    let at =
        |what: &str| lines.iter().position(|line| line.contains(&format!("\"what\":\"{what}\""))).unwrap();
    let (decided, learned, last) = (at("decided"), at("learned"), lines.len() - 1);
    let put = |at: usize, old: &'static str, new: &'static str| {
        move |lines: &mut Vec<String>| lines[at] = lines[at].replace(old, new)
    };
    let differs = |at: usize| format!("line {} is not the one the store has", at + 1);
    is(&put(decided, "\"ignore\"", "\"accept\""), &differs(decided));
    is(&put(decided, "\"what\":\"decided\"", "\"what\":\"undone\""), &differs(decided));
    is(&put(learned, "\"pid\":", "\"pid\":1"), &differs(learned));
    is(&|lines| drop(lines.remove(4)), &differs(4));
    is(&|lines| lines.swap(4, 5), &differs(4));
    is(&|lines| lines.insert(6, lines[2].clone()), &differs(6));
    is(&|lines| *lines = tampered(lines, 5, 7, 0), &differs(7));
    is(&|lines| lines.truncate(last), "the last line of an export is missing: the file is cut off");
    let early = format!("what follows line {} is not what the store had then", last - 1);
    is(&|lines| drop(lines.remove(last - 1)), &early);
    is(&|lines| lines.push(lines[2].clone()), "something stands behind the last line of the file");
    is(&|lines| lines.insert(0, "hello".to_owned()), "number 1 of the file is no line of an audit");
    // The audit of another folder is sound, and not this one's.
    let other = inbox_with_history().await;
    let problems = judged(other.store(), &lines);
    assert!(problems[0].ends_with("is not the one the store has"), "{problems:?}");
}

#[tokio::test]
async fn an_export_from_before_a_prune_is_sound() {
    let inbox = TestInbox::new();
    let kept = inbox.run_program(json!([[{"ask": [{"key": "a"}]}]])).await;
    inbox.accept_and_drive(&kept).await;
    let gone = inbox.run_program(json!([[{"note": "x"}]])).await;
    for thread in [kept, gone] {
        inbox.decisions().file_away(thread).await.unwrap();
    }
    let lines = export(inbox.store());
    let before = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let query = PruneQuery { before, statuses: vec![Status::Done] };
    assert_eq!(inbox.prune().run(query).await.unwrap().taken.threads, 2);
    assert_eq!(judged(inbox.store(), &lines), [""; 0]);
    let mut edited = lines.clone();
    let started = edited.iter().position(|line| line.contains("\"what\":\"started\"")).unwrap();
    edited[started] = edited[started].replace("\"workflow\":", "\"workflow\": ");
    let differs = format!("line {} is not the one the store has", started + 1);
    assert_eq!(judged(inbox.store(), &edited), [differs]);
}

#[tokio::test]
async fn a_changed_store_is_named() {
    let inbox = inbox_with_history().await;
    let lines = export(inbox.store());
    let last = lines.len() - 1;
    let sql = |text: &str| inbox.sql().execute_batch(text).unwrap();
    let has = |words: &str| {
        let problems = inbox.store().audit().check_links().unwrap().problems;
        assert!(problems.iter().any(|problem| problem.contains(words)), "{words}: {problems:?}");
    };
    sql("CREATE TABLE kept AS SELECT * FROM log");
    let cut = format!("DELETE FROM log WHERE seq > {}", last - 3);
    let forged = format!(
        "INSERT INTO log SELECT {}, stream, kind, ref, prev, at, sum, chain, body, steps FROM log WHERE seq = 4",
        last + 1
    );
    let swapped = "UPDATE log SET seq = CASE seq WHEN 3 THEN -1 ELSE 3 END WHERE seq IN (3, 4);
        UPDATE log SET seq = 4 WHERE seq = -1";
    let not_as = |entry: usize| format!("entry {entry} of the log is not as it was written");
    for (change, words) in [
        ("UPDATE log SET kind = 'undone' WHERE seq = 5", vec![not_as(5)]),
        ("DELETE FROM log WHERE seq = 5", vec!["entry 5 of the log is missing".to_owned()]),
        (&forged, vec![not_as(last + 1)]),
        (swapped, vec![not_as(3)]),
    ] {
        sql(change);
        words.iter().for_each(|words| has(words));
        sql("DELETE FROM log; INSERT INTO log SELECT * FROM kept");
    }
    assert_eq!(inbox.store().audit().check_links().unwrap().problems, [""; 0]);
    // The lists still have what was cut off.
    sql(&cut);
    assert_ne!(inbox.store().audit().verify().unwrap().problems(), [""; 0]);
    sql("DELETE FROM log; INSERT INTO log SELECT * FROM kept");
    sql("DELETE FROM log WHERE seq = 5");
    let own = "the store's own line 5 is damaged: entry 5 of the log is missing; `sayso doctor` says more";
    assert_eq!(judged(inbox.store(), &lines), [own]);
    sql("DELETE FROM log; INSERT INTO log SELECT * FROM kept");
    // Whoever can write the file can begin anew; an export kept elsewhere tells.
    sql(&format!("UPDATE log SET chain = randomblob(32) WHERE seq = {last}"));
    let problems = judged(inbox.store(), &lines);
    assert!(problems.contains(&format!("line {last} is not the one the store has")), "{problems:?}");
}

#[tokio::test]
async fn what_people_start_continue_and_prune_is_told() {
    let inbox = TestInbox::new();
    let thread = inbox.run("chat", json!({"topic": "tea"})).await;
    inbox.respond(&thread, "done").await;
    inbox.drive().await;
    inbox.threads().proceed(thread.clone(), "and now by quarter".to_owned()).await.unwrap();
    inbox.drive().await;
    inbox.respond(&thread, "done").await;
    inbox.drive().await;
    let fork = inbox.fork(&thread, 1).await;
    inbox.stop(&fork).await;
    let lines = export(inbox.store());
    let entries_before = entries(&lines);
    let before = facts(&entries_before);
    assert_eq!(whats(&before), ["started", "decided", "continued", "decided", "started", "stopped"]);
    assert_eq!(before[2]["body"]["event"]["what"]["text"], "and now by quarter", "{}", before[2]);
    assert_eq!(before[4]["thread"], fork.as_str());
    assert!(before[4]["body"]["origin"]["step"] == 1, "{}", before[4]);

    let other = TestInbox::new();
    let gone = other.run_program(json!([[{"ask": [{"key": "a"}]}]])).await;
    other.accept_and_drive(&gone).await;
    other.decisions().file_away(gone.clone()).await.unwrap();
    let before = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1);
    let query = PruneQuery { before, statuses: vec![Status::Done] };
    assert_eq!(other.prune().run(query.clone()).await.unwrap().taken.threads, 1);
    let kept = entries(&export(other.store()));
    let pruned = kept.last().unwrap();
    assert_eq!(
        (&pruned["what"], &pruned["body"]["kept"][0]["id"]),
        (&json!("pruned"), &json!(gone.as_str()))
    );
    assert_eq!(pruned["body"]["statuses"], json!(["done"]));
    assert_eq!(pruned["body"]["older_than"], before.as_millisecond());
    // A second one has nothing to let go of, and nothing to tell.
    other.prune().run(query).await.unwrap();
    assert_eq!(entries(&export(other.store())).len(), kept.len());
    assert_eq!(other.store().audit().check_links().unwrap().problems, [""; 0]);
    assert_eq!(judged(other.store(), &export(other.store())), [""; 0]);
}
