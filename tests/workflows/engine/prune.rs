//! Pruning: what goes, what stays because somebody needs it, and that everything left is whole.

use super::laws::holds;
use crate::support::test_inbox::{self, eager};
use crate::support::{TestInbox, player};
use jiff::Timestamp;
use proptest::prelude::*;
use sayso::engine::graph::{Decision, ThreadId};
use sayso::engine::store::{MemoryCause, NewLesson, NewMail, Route, TakenIn};
use sayso::inbox::{ActivityQuery, ItemQuery, PruneQuery, Pruned, Pruning, Status, ThreadQuery, ThreadView};
use serde_json::json;
use std::collections::HashMap;

/// Everything that ended before now.
fn all() -> PruneQuery {
    let before = Timestamp::now().checked_add(jiff::SignedDuration::from_hours(1)).unwrap();
    PruneQuery { before, statuses: vec![Status::Done, Status::Abandoned] }
}

/// Everybody has read everything.
async fn file_all(inbox: &TestInbox) {
    let query = ItemQuery { limit: 999, ..Default::default() };
    for item in inbox.decisions().results(query).await.unwrap().rows {
        inbox.decisions().file_away(item.thread).await.unwrap();
    }
}

async fn prune(inbox: &TestInbox) -> Pruned {
    file_all(inbox).await;
    let plan = inbox.prune().plan(all()).await.unwrap();
    let done = inbox.prune().run(all()).await.unwrap();
    let figures = |p: &Pruning| (p.threads, p.records, p.mails);
    assert_eq!(figures(&done.taken), figures(&plan), "the preview said what went");
    assert_eq!(damaged(inbox), Vec::<String>::new());
    done
}

fn damaged(inbox: &TestInbox) -> Vec<String> {
    inbox.store().audit().verify().unwrap().problems()
}

fn is_pruned(view: &ThreadView) -> bool {
    view.error.as_ref().is_some_and(|error| error.code == "pruned")
}

fn kept(pruning: &Pruning) -> Vec<(&str, u64)> {
    pruning.kept.iter().map(|kept| (kept.why.as_str(), kept.threads)).collect()
}

/// Hands in a mail that saffron finds.
async fn hand_in(inbox: &TestInbox, thread: &ThreadId, raw: &str) -> [u8; 32] {
    test_inbox::hand_in_text(inbox, thread, raw, format!("{raw} saffron"), |_| ()).await
}

#[tokio::test]
async fn what_was_decided_and_done_stays_and_the_rest_goes() {
    let inbox = TestInbox::new();
    let plain = inbox.run_program(json!([[{"note": "nothing to see"}]])).await;
    let acted = inbox.run_accepted(test_inbox::deed()).await;
    let newest = inbox.run_program(json!([[{"note": "one"}], [{"note": "two"}]])).await;
    // It shares its beginning, and goes with it in one batch.
    let fork = inbox.fork(&newest, 1).await;
    inbox.drive().await;
    let taught = inbox.run_program(json!([])).await;
    let cause = MemoryCause { kind: "answer".to_owned(), thread: Some(taught.clone()), interrupt: None };
    inbox.store().memory().remember("email/tone".to_owned(), 0, "brief".to_owned(), cause).await.unwrap();
    assert_eq!(inbox.found("nothing to see").await, std::slice::from_ref(&plain));
    let before = inbox.view(&acted).await;
    let done = prune(&inbox).await;
    assert_eq!((done.taken.threads, done.taken.records), (5, 2), "{done:?}");
    assert!(is_pruned(&inbox.view(&taught).await));
    assert_eq!(inbox.found("nothing to see").await, []);
    for gone in [plain, newest, fork] {
        assert!(inbox.threads().view(gone).await.is_err(), "nobody needs it");
    }
    let after = inbox.view(&acted).await;
    assert!(is_pruned(&after) && after.steps.is_empty() && after.state.is_null(), "{after:?}");
    assert_eq!((after.decisions, after.effects), (before.decisions, before.effects));
    let thread = inbox.run_program(json!([[{"note": "after"}]])).await;
    assert_eq!((inbox.log(&thread).await, inbox.found("after").await), (json!(["after"]), vec![thread]));
    assert_eq!(prune(&inbox).await.taken.threads, 1, "what is pruned is not pruned again");
    // The bytes of what was done are the audit's.
    let sql = inbox.sql();
    let frozen: i64 = sql
        .query_row("SELECT count(*) FROM effects e JOIN blobs b ON b.digest = e.frozen", [], |row| row.get(0))
        .unwrap();
    assert_eq!(frozen, 1);
}

#[tokio::test]
async fn a_pruned_thread_says_so_wherever_it_is_touched() {
    let inbox = TestInbox::new();
    let thread = inbox.run("chat", json!({"topic": "tea"})).await;
    let asked = inbox.open_question(&thread).await;
    inbox.respond(&thread, "done").await;
    inbox.drive().await;
    assert_eq!(kept(&inbox.prune().plan(all()).await.unwrap()), [("its result is not filed away", 1)]);
    inbox.decisions().file_away(thread.clone()).await.unwrap();
    prune(&inbox).await;
    let says = |error: sayso::inbox::InboxError| {
        assert!(error.to_string().contains("was pruned on 20"), "{error}");
    };
    says(inbox.threads().proceed(thread.clone(), "more".to_owned()).await.unwrap_err());
    says(inbox.threads().fork(thread.clone(), 1).await.unwrap_err());
    let (item, card) = inbox.decisions().card(asked).await.unwrap();
    assert!(item.closed.is_some() && !card.text().is_empty());
    assert_eq!(inbox.outcome(&thread).await.status, Status::Done);
}

#[tokio::test]
async fn what_somebody_needs_is_kept_with_the_reason() {
    let inbox = TestInbox::new();
    inbox.run_program(json!([[{"ask": [{"key": "a"}]}]])).await;
    let forked = inbox.run_program(json!([[{"note": "x"}], [{"ask": [{"key": "a"}]}]])).await;
    inbox.threads().fork(forked.clone(), 2).await.unwrap();
    inbox.accept_and_drive(&forked).await;
    let taught = inbox.run_program(json!([])).await;
    let lesson = NewLesson { namespace: "n".to_owned(), cause: "{}".to_owned(), interrupt: None };
    inbox.store().memory().save_lessons(taught.clone(), 1, vec![lesson]).await.unwrap();
    let parent = inbox.run_program(json!([[{"spawn": [{"key": "k", "program": []}]}]])).await;
    let (child, _) = inbox.store().threads().family(&parent).unwrap()[1].clone();
    inbox.threads().proceed(child, "more".to_owned()).await.unwrap();
    file_all(&inbox).await;
    let plan = inbox.prune().plan(all()).await.unwrap();
    assert_eq!(plan.threads, 0, "{plan:?}");
    let mut why = kept(&plan);
    why.sort_unstable();
    assert_eq!(
        why,
        [
            ("a fork needs its steps", 1),
            ("a thread it started is not old enough or has not ended", 1),
            ("something is still to be learned from it", 1),
        ]
    );
    assert_eq!(prune(&inbox).await.taken.threads, 0);
    let young = PruneQuery { before: Timestamp::UNIX_EPOCH, ..all() };
    assert_eq!(inbox.prune().plan(young).await.unwrap(), Pruning::default());
    let open = PruneQuery { statuses: vec![Status::Waiting, Status::Ready], ..all() };
    assert_eq!(inbox.prune().plan(open).await.unwrap().threads, 0, "only what has ended is ever pruned");
}

#[tokio::test]
async fn an_effect_in_doubt_keeps_its_thread() {
    let inbox = TestInbox::new();
    inbox.leave_in_doubt();
    let thread = inbox.run_accepted(test_inbox::deed()).await;
    assert_eq!(inbox.trouble(&thread).await.0, "in_doubt");
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
    let plan = inbox.prune().plan(all()).await.unwrap();
    // Abandoned by a person who was told of the doubt: how it ended is on record, or it is not pruned.
    let unsettled = inbox.view(&thread).await.effects.iter().any(|effect| effect.state == "begun");
    assert_eq!(plan.threads, u64::from(!unsettled), "{plan:?}");
    prune(&inbox).await;
    assert_eq!(inbox.view(&thread).await.effects.len(), 1);
}

#[tokio::test]
async fn a_pruned_mail_is_never_taken_in_again_and_its_sender_stays_known() {
    let inbox = TestInbox::new();
    let mail = || NewMail {
        identity: "one".to_owned(),
        account: "home".to_owned(),
        message_id: Some("one@x.test".to_owned()),
        conversation: "c".to_owned(),
        sender: "eve@x.test".to_owned(),
        subject: "One".to_owned(),
        sent_at: None,
        came_at: Timestamp::UNIX_EPOCH,
        raw: b"the bytes of a mail".to_vec(),
        place: "cur/1".to_owned(),
        seen: false,
        words: "saffron".to_owned(),
    };
    let left = NewMail { identity: "left".to_owned(), raw: b"left alone".to_vec(), ..mail() };
    let route = Route::Left("too old".to_owned());
    assert_eq!(inbox.store().mail().take_in(left, route, 20).await.unwrap(), TakenIn::Kept);
    let start = || Route::Start(player::new_thread(""));
    let taken = inbox.store().mail().take_in(mail(), start(), 20).await.unwrap();
    let TakenIn::Started(thread) = taken else { panic!("{taken:?}") };
    inbox.drive().await;
    let triage = ("ignore".to_owned(), "a rule".to_owned());
    inbox.store().mail().record_triage(thread.clone(), triage.0, triage.1, None).await.unwrap();
    inbox.run_program(json!([])).await;
    assert_eq!(inbox.found("saffron").await.len(), 1);
    let done = prune(&inbox).await;
    assert_eq!(done.taken.mails, 2, "{done:?}");
    assert!(inbox.threads().view(thread).await.is_err());
    assert_eq!(inbox.store().mail().take_in(mail(), start(), 20).await.unwrap(), TakenIn::Known);
    let kept = "SELECT count(*) FROM mails WHERE account = 'home' AND raw <> zeroblob(32)";
    let kept: i64 = inbox.sql().query_row(kept, [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 0, "their bytes are gone");
    assert_eq!(inbox.found("saffron").await.len(), 0);
    let skipped = inbox.mail().skipped(sayso::inbox::SkippedQuery { after: None, limit: 9 }).await.unwrap();
    assert_eq!((skipped.rows.len(), skipped.rows[0].reason.as_str()), (1, "a rule"));
    assert_eq!(prune(&inbox).await.taken.mails, 0);
}

#[tokio::test]
async fn blobs_go_only_when_nothing_refers_to_them() {
    let inbox = TestInbox::new();
    let hex = |digest: &[u8; 32]| digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let put = async |text: &str| inbox.store().put_blob(text.as_bytes().to_vec()).await.unwrap();
    let (own, shared, again) = (put("own").await, put("shared").await, put("again").await);
    let names = |digests: &[&[u8; 32]]| {
        let ops: Vec<_> = digests.iter().map(|digest| json!({"note": hex(digest)})).collect();
        json!([ops])
    };
    let first = inbox.run_program(names(&[&own, &shared, &again])).await;
    let mailed = hand_in(&inbox, &first, "mailed").await;
    let open = inbox.run_program(json!([[{"note": hex(&shared)}, {"ask": [{"key": "a"}]}]])).await;
    let second = inbox.run_program(json!([])).await;
    let twice = hand_in(&inbox, &second, "twice").await;
    assert_eq!(hand_in(&inbox, &open, "twice").await, twice);
    prune(&inbox).await;
    for (digest, there) in [(own, false), (again, false), (mailed, false), (shared, true), (twice, true)] {
        assert_eq!(inbox.store().blob(&digest).is_ok(), there, "{}", hex(&digest));
    }
    // The same bytes kept once more are there once more.
    assert_eq!(put("again").await, again);
    assert!(inbox.store().blob(&again).is_ok());
}

#[tokio::test]
async fn blobs_stay_while_a_thread_runs() {
    let inbox = TestInbox::new();
    let digest = inbox.store().put_blob(b"own".to_vec()).await.unwrap();
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    inbox.run_program(json!([[{"note": hex}]])).await;
    file_all(&inbox).await;
    let ready = inbox.start_program(json!([[{"note": "not driven yet"}]])).await;
    let done = inbox.prune().run(all()).await.unwrap();
    assert!(done.left.iter().any(|left| left.contains("threads are running")), "{done:?}");
    assert!(inbox.store().blob(&digest).is_ok());
    inbox.drive().await;
    assert_eq!(inbox.status(&ready).await, Status::Done);
    file_all(&inbox).await;
    let done = inbox.prune().run(all()).await.unwrap();
    assert_eq!(done.left, Vec::<String>::new());
    assert!(inbox.store().blob(&digest).is_err(), "the next prune deletes them");
}

#[tokio::test]
async fn a_thread_taken_off_the_list_after_a_prune_is_noticed() {
    let inbox = TestInbox::new();
    inbox.run_program(json!([])).await;
    prune(&inbox).await;
    let thread = inbox.run_program(json!([])).await;
    inbox.sql().execute("DELETE FROM threads", []).unwrap();
    let differing = inbox.store().audit().verify().unwrap().differing;
    assert!(differing.contains(&format!("threads: {thread} is in the log, and not listed")), "{differing:?}");
}

#[tokio::test]
async fn storage_lists_every_table_and_a_vacuum_frees_space() {
    let inbox = TestInbox::new();
    for n in 0..40 {
        inbox.start_program(json!([[{"note": format!("{n} ").repeat(2_000)}]])).await;
    }
    inbox.drive().await;
    let before = inbox.statistics().storage().await.unwrap();
    let rows = |name: &str| before.tables.iter().find(|table| table.table == name).map(|table| table.rows);
    assert_eq!((rows("threads"), rows("log")), (Some(40), Some(121)));
    assert!(before.tables.windows(2).all(|pair| pair[0].bytes >= pair[1].bytes));
    assert!(before.tables.iter().all(|table| !table.table.starts_with("words_")), "{before:?}");
    let done = prune(&inbox).await;
    assert!(done.after < done.before / 2, "{} of {}", done.after, done.before);
    assert_eq!(inbox.statistics().storage().await.unwrap().file, done.after);
}

#[tokio::test]
async fn activity_counts_what_people_decided_by_day() {
    let inbox = TestInbox::new();
    let thread =
        inbox.run_program(json!([[{"ask": [{"key": "a"}, {"key": "b"}, {"key": "c"}, {"key": "d"}]}]])).await;
    let asked = inbox.outcome(&thread).await.interrupts;
    inbox.decide(&asked[0], Decision::Accept).await.unwrap();
    inbox.decide(&asked[1], Decision::Ignore).await.unwrap();
    inbox.decide(&asked[2], Decision::Edit { args: json!({"key": "c", "n": 7}) }).await.unwrap();
    inbox.decide(&asked[3], Decision::Accept).await.unwrap();
    inbox.decisions().undo(asked[3].clone()).await.unwrap();
    let now = Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    let activity = inbox.statistics().activity(ActivityQuery::last(3, &now)).await.unwrap();
    assert_eq!(activity.days.len(), 3);
    let today = activity.days[2].decisions;
    assert_eq!((today.untouched, today.edited, today.ignored, today.by_people()), (1, 1, 1, 3));
    let none = inbox.statistics().activity(ActivityQuery { days: Vec::new() }).await.unwrap();
    assert!(none.days.is_empty());
}

/// What happens in a store before it is pruned.
#[derive(Clone, Debug)]
enum Happens {
    Ends,
    Acts,
    Asks,
    Starts { waits: bool },
    Gives,
    Forks { whom: prop::sample::Index, at: prop::sample::Index },
    Answers { whom: prop::sample::Index },
    Mails { whom: prop::sample::Index },
}

fn happens() -> impl Strategy<Value = Happens> {
    let any = any::<prop::sample::Index>;
    prop_oneof![
        2 => Just(Happens::Ends),
        2 => Just(Happens::Acts),
        1 => Just(Happens::Asks),
        2 => proptest::bool::ANY.prop_map(|waits| Happens::Starts { waits }),
        1 => Just(Happens::Gives),
        3 => (any(), any()).prop_map(|(whom, at)| Happens::Forks { whom, at }),
        2 => any().prop_map(|whom| Happens::Answers { whom }),
        2 => any().prop_map(|whom| Happens::Mails { whom }),
    ]
}

async fn lives(inbox: &TestInbox, happens: &[Happens], cut: usize) -> (Vec<ThreadId>, Timestamp) {
    let (mut threads, mut before) = (Vec::new(), Timestamp::now());
    for (n, what) in happens.iter().enumerate() {
        if n == cut {
            before = Timestamp::now();
        }
        match what {
            Happens::Ends => threads.push(inbox.run_program(json!([[{"note": n.to_string()}], []])).await),
            Happens::Acts => {
                threads.push(inbox.run_accepted(test_inbox::deed()).await);
            }
            Happens::Asks => threads.push(inbox.run_program(json!([[{"ask": [{"key": "a"}]}], []])).await),
            Happens::Starts { waits } => {
                let first = if *waits { json!([{"ask": [{"key": "a"}]}]) } else { json!([{"note": "kid"}]) };
                let kid = json!({"key": "k", "program": [first]});
                threads.push(inbox.run_program(json!([[{"spawn": [kid]}], [{"note": "joined"}]])).await);
            }
            Happens::Gives => {
                let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}]}]])).await;
                inbox.stop(&thread).await;
                for id in inbox.outcome(&thread).await.interrupts {
                    let _ = inbox.decide(&id, Decision::Ignore).await;
                }
                inbox.drive().await;
                threads.push(thread);
            }
            Happens::Forks { whom, at } if !threads.is_empty() => {
                let origin = whom.get(&threads).clone();
                let steps = inbox.view(&origin).await.steps.len();
                let fork = inbox.threads().fork(origin, at.index(steps) as u64).await.unwrap().thread;
                inbox.drive().await;
                threads.push(fork);
            }
            Happens::Answers { whom } if !threads.is_empty() => {
                inbox.accept(whom.get(&threads)).await;
                inbox.drive().await;
            }
            Happens::Mails { whom } if !threads.is_empty() => {
                hand_in(inbox, whom.get(&threads), &format!("mail {n}")).await;
            }
            Happens::Forks { .. } | Happens::Answers { .. } | Happens::Mails { .. } => {}
        }
    }
    (threads, before)
}

async fn views(inbox: &TestInbox) -> HashMap<ThreadId, ThreadView> {
    let query = ThreadQuery { limit: 999, ..Default::default() };
    let mut views = HashMap::new();
    for line in inbox.threads().list(query).await.unwrap().rows {
        views.insert(line.id.clone(), inbox.view(&line.id).await);
    }
    views
}

/// Whatever happened before: what is left loads, is what it was, leans on nothing that is gone, and goes on.
#[test]
fn whatever_is_pruned_the_rest_is_whole_and_goes_on() {
    let story = (proptest::collection::vec(happens(), 1..12), 0..14usize, 1..4u8);
    holds(24, story, async |(story, cut, which)| {
        let inbox = TestInbox::new();
        let (threads, cutoff) = lives(&inbox, &story, cut).await;
        // All but the first are read.
        for thread in threads.iter().skip(1) {
            let _ = inbox.decisions().file_away(thread.clone()).await;
        }
        let before = views(&inbox).await;
        let statuses = [Status::Done, Status::Abandoned].into_iter().enumerate();
        let statuses = statuses.filter(|(n, _)| which & (1 << n) != 0).map(|(_, status)| status);
        let query = PruneQuery { before: cutoff, statuses: statuses.collect() };
        let done = inbox.prune().run(query.clone()).await.unwrap();
        let inbox = inbox.restart(eager());
        prop_assert_eq!(damaged(&inbox), Vec::<String>::new());
        let after = views(&inbox).await;
        prop_assert_eq!(before.len() - after.len(), (done.taken.threads - done.taken.records) as usize);
        for (id, was) in &before {
            let Some(is) = after.get(id) else {
                prop_assert!(was.decisions.is_empty() && was.effects.is_empty(), "{:?}", was);
                prop_assert!(query.statuses.contains(&was.status));
                continue;
            };
            prop_assert_eq!(&is.decisions, &was.decisions);
            prop_assert_eq!(&is.effects, &was.effects);
            if is_pruned(is) {
                prop_assert!(query.statuses.contains(&was.status), "{:?}", was);
                continue;
            }
            prop_assert_eq!(&is.steps, &was.steps);
            prop_assert_eq!(&is.state, &was.state);
            let whole = |id: &ThreadId| after.get(id).is_some_and(|view| !is_pruned(view));
            if let Some(from) = &is.forked_from {
                prop_assert!(whole(&from.thread), "its origin is there");
            }
            if let Some(parent) = &is.parent {
                prop_assert!(whole(parent), "its parent is there");
            }
        }
        for (id, view) in after.iter().filter(|(_, view)| !is_pruned(view)) {
            // Whatever is whole can be forked at every step, children started anew included.
            for step in 0..view.steps.len() {
                inbox.threads().fork(id.clone(), step as u64).await.unwrap();
            }
            inbox.accept(id).await;
        }
        inbox.drive().await;
        prop_assert_eq!(damaged(&inbox), Vec::<String>::new());
        Ok(())
    });
}

#[tokio::test]
async fn old_copies_of_opened_attachments_are_deleted() {
    let inbox = TestInbox::new();
    let copies = inbox.data().join("opened");
    let copy = copies.join("digest/letter.pdf");
    sayso::text::atomic_write::keep_copy(&copy, b"%PDF").unwrap();
    let before = Timestamp::now() - jiff::SignedDuration::from_hours(1);
    assert_eq!(inbox.prune().run(PruneQuery { before, ..all() }).await.unwrap().left, Vec::<String>::new());
    assert!(copy.exists(), "it was opened since");
    assert_eq!(prune(&inbox).await.left, Vec::<String>::new());
    assert!(!copies.exists());
}
