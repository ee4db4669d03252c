//! Grants: what may be done without asking, how far it goes, and how it ends.

use crate::support::test_inbox::{TestClock, decision, eager, edit, holding};
use crate::support::{TestInbox, merged};
use jiff::SignedDuration;
use sayso::app::Settings;
use sayso::config::{Policy, PolicyMode};
use sayso::engine::graph::{
    Authorization, Decision, EffectError, EffectTrace, Intent, InterruptId, ThreadId,
};
use sayso::engine::store::EffectIntent;
use sayso::inbox::{
    CATALOGUE_GET, DecidedBy, DecisionRequest, GrantLine, GrantRequest, GrantScope, InboxError, MARK_HANDLED,
    OUTPUT_FILES, OWN_MAIL, PUT_AWAY, SeenHash, Status,
};
use serde_json::{Value, json};
use std::time::Duration;

/// An inbox whose clock stands still until it is told to go on.
fn with_clock(settings: Settings) -> (TestInbox, TestClock) {
    let clock = TestClock::new();
    let inbox = TestInbox::builder().settings(settings).clock(clock.clock()).open();
    inbox.world.consult(inbox.data(), clock.clock());
    (inbox, clock)
}

async fn give(
    inbox: &TestInbox,
    from: &InterruptId,
    scope: GrantScope,
    lasts: Option<u64>,
) -> Result<GrantLine, InboxError> {
    let ends_at = lasts.map(|seconds| inbox.store().now() + Duration::from_secs(seconds));
    inbox.grants().give(GrantRequest { interrupt: from.clone(), scope, ends_at, session: false }).await
}

/// A first card, accepted, and the grant that was given from it.
async fn granted(inbox: &TestInbox, scope: GrantScope, lasts: Option<u64>) -> (ThreadId, GrantLine) {
    let first = json!({"key": "first", "for_thread": true, "sender": "Bo@far.test"});
    let thread = inbox
        .run_program(json!([[{"ask": [first]}], ask_and_do(json!({}))[0], ask_and_do(json!({}))[1]]))
        .await;
    let id = inbox.open_question(&thread).await;
    let line = give(inbox, &id, scope, lasts).await.unwrap();
    (thread, line)
}

/// A thread whose question a grant has answered, while all driving is paused.
async fn answered_and_paused(inbox: &TestInbox) -> ThreadId {
    let mut program = ask_and_do(json!({}));
    program[0].as_array_mut().unwrap().push(json!({"gate": "door"}));
    let thread = inbox.start_program(program).await;
    let driver = inbox.drive_to("door").await;
    inbox.pause(true).await.unwrap();
    inbox.world.open("door");
    inbox.wait_until(|| !inbox.store().threads().view(&thread).unwrap().decisions.is_empty()).await;
    driver.stop().await;
    thread
}

async fn decided_by(inbox: &TestInbox, thread: &ThreadId) -> Vec<String> {
    inbox.view(thread).await.decisions.into_iter().map(|decision| decision.by.to_string()).collect()
}

/// A program that consults the grants, asks, and does what was allowed.
fn ask_and_do(more: Value) -> Value {
    let asked = json!({"key": "a", "irreversible": true, "consult": true, "sender": "bo@FAR.test"});
    json!([[{"ask": [merged(asked, more)]}], [{"once": {"name": "go", "key": "a"}}]])
}

#[tokio::test]
async fn accepting_and_granting_is_both_or_neither() {
    let (inbox, _) = with_clock(eager());
    let first = json!({"key": "first", "for_thread": true});
    let thread = inbox.run_program(json!([[{"ask": [first]}], [{"end": null}]])).await;
    let id = inbox.open_question(&thread).await;
    let ends_at = Some(inbox.store().now() + Duration::from_secs(60));
    let request = |scope| GrantRequest { interrupt: id.clone(), scope, ends_at, session: false };
    let accept = |shown: Option<&str>| DecisionRequest {
        shown: shown.map(|typed| SeenHash::Typed(typed.to_owned())),
        ..decision(&id, Decision::Accept, DecidedBy::Cli)
    };
    let decisions = inbox.decisions();
    let given = async || {
        let lines = inbox.grants().list().await.unwrap();
        lines.into_iter().filter(|line| !line.builtin).count()
    };
    // What was shown is not what stands there: nothing is allowed either.
    let stale = decisions.accept_and_grant(accept(Some("00000000")), request(GrantScope::Thread)).await;
    assert!(matches!(stale, Err(InboxError::Stale { .. })), "{stale:?}");
    // What cannot be allowed is not accepted either.
    let refused = decisions.accept_and_grant(accept(None), request(GrantScope::Sender)).await;
    assert!(matches!(refused, Err(InboxError::Conflict(_))), "{refused:?}");
    assert_eq!((given().await, inbox.open_question(&thread).await), (0, id.clone()));
    let (_, line) = decisions.accept_and_grant(accept(None), request(GrantScope::Thread)).await.unwrap();
    assert!(line.in_force && given().await == 1);
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn a_thread_s_grant_answers_for_that_thread_alone() {
    let (inbox, _) = with_clock(eager());
    let (thread, line) = granted(&inbox, GrantScope::Thread, None).await;
    assert_eq!((line.tool.as_str(), line.thread.as_ref(), line.expires_at), ("do", Some(&thread), None));
    assert!(line.id.starts_with('g') && line.id.len() == 9 && line.in_force && !line.builtin);
    assert_eq!(inbox.accept_and_drive(&thread).await, Status::Done);
    assert_eq!(decided_by(&inbox, &thread).await, ["cli".to_owned(), format!("grant:{}", line.id)]);
    let executed = inbox.view(&thread).await.decisions[1].executed.clone();
    assert_eq!(executed, Some(json!({"key": "a", "n": 1})));
    // Another thread is asked, about mail of the same sender too; and so is a fork, which is another thread.
    assert_eq!(inbox.comes_to(ask_and_do(json!({}))).await, Status::Waiting);
    let fork = inbox.fork(&thread, 2).await;
    inbox.drive().await;
    assert_eq!(inbox.status(&fork).await, Status::Waiting);
    assert_eq!(inbox.world.performed().len(), 1);
}

#[tokio::test]
async fn a_sender_s_grant_answers_in_every_thread_until_it_is_over() {
    let (inbox, clock) = with_clock(eager());
    let (_, line) = granted(&inbox, GrantScope::Sender, None).await;
    assert_eq!(line.sender.as_deref(), Some("bo@far.test"));
    let lasts = line.expires_at.unwrap().duration_since(line.created_at.unwrap());
    assert_eq!(lasts, SignedDuration::from_hours(1), "an hour, where nothing is said");
    let granted = inbox.run_program(ask_and_do(json!({}))).await;
    assert_eq!(decided_by(&inbox, &granted).await, [format!("grant:{}", line.id)]);
    for (more, why) in [
        (json!({"sender": "eve@far.test"}), "another sender"),
        (json!({"sender": null}), "no sender"),
        (json!({"warned": true}), "a warning"),
    ] {
        assert_eq!(inbox.comes_to(ask_and_do(more)).await, Status::Waiting, "{why}");
    }
    // What is only worth knowing suspends nothing.
    assert_eq!(inbox.comes_to(ask_and_do(json!({"remarked": true}))).await, Status::Done);
    clock.advance(3599);
    assert_eq!(inbox.comes_to(ask_and_do(json!({}))).await, Status::Done);
    clock.advance(1);
    assert_eq!(inbox.comes_to(ask_and_do(json!({}))).await, Status::Waiting);
    let lines = inbox.grants().list().await.unwrap();
    let line = lines.iter().find(|one| one.id == line.id).unwrap();
    assert!(!line.in_force && line.revoked_at.is_none());
}

#[tokio::test]
async fn the_store_decides_what_a_grant_covers_whatever_a_node_says() {
    let (inbox, _) = with_clock(eager());
    let (_, threads) = granted(&inbox, GrantScope::Thread, None).await;
    let (_, senders) = granted(&inbox, GrantScope::Sender, None).await;
    for (named, more) in [
        ("g00000000", json!({})),
        (OUTPUT_FILES, json!({})),
        ("policy:other", json!({})),
        (threads.id.as_str(), json!({})),
        (senders.id.as_str(), json!({"sender": "eve@far.test"})),
        (senders.id.as_str(), json!({"warned": true})),
    ] {
        let asked = merged(json!({"key": "a", "granted": named, "sender": "bo@far.test"}), more.clone());
        assert_eq!(inbox.comes_to(json!([[{"ask": [asked]}]])).await, Status::Waiting, "{named} {more}");
    }
}

#[tokio::test]
async fn what_a_revoked_grant_had_answered_is_asked_again() {
    let (inbox, _) = with_clock(holding());
    let (_, line) = granted(&inbox, GrantScope::Sender, Some(600)).await;
    let thread = inbox.start_program(ask_and_do(json!({}))).await;
    let driver = inbox.drive_in_background().await;
    inbox.wait_for(&thread, Status::Held).await;
    // From another process, any beginning of the id.
    let other = inbox.other_process(eager());
    let revoked = other.grants().revoke(line.id[..5].to_owned()).await.unwrap();
    assert!(revoked.revoked_at.is_some() && !revoked.in_force);
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    driver.stop().await;
    let decisions = inbox.view(&thread).await.decisions;
    assert!(decisions[0].undone_at.is_some() && decisions[0].executed.is_none());
    assert!(matches!(other.grants().revoke(line.id.clone()).await, Err(InboxError::NotOpen { .. })));
    assert!(matches!(
        other.grants().revoke("gzzzzzzzz".to_owned()).await,
        Err(InboxError::NotFound { what: "grant", .. })
    ));
    assert!(other.grants().restore(line.id).await.unwrap_err().to_string().contains("not built in"));
    assert_eq!(inbox.world.performed().len(), 0);
}

#[tokio::test]
async fn a_grant_that_ends_before_its_answer_is_taken_up_is_not_acted_on() {
    let (inbox, clock) = with_clock(Settings { hold: Duration::from_millis(1), ..eager() });
    let (_, line) = granted(&inbox, GrantScope::Sender, Some(600)).await;
    let thread = answered_and_paused(&inbox).await;
    assert_eq!(decided_by(&inbox, &thread).await, [format!("grant:{}", line.id)]);
    clock.advance(600);
    inbox.pause(false).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert!(inbox.view(&thread).await.decisions[0].undone_at.is_some());
    assert_eq!(inbox.world.performed().len(), 0);
}

#[tokio::test]
async fn a_grant_that_ends_while_its_node_runs_is_not_acted_on() {
    for revoke in [true, false] {
        let (inbox, clock) = with_clock(eager());
        let (_, line) = granted(&inbox, GrantScope::Sender, Some(600)).await;
        let mut program = ask_and_do(json!({}));
        program[1].as_array_mut().unwrap().insert(0, json!({"gate": "door"}));
        let thread = inbox.start_program(program).await;
        let driver = inbox.drive_to("door").await;
        if revoke {
            inbox.grants().revoke(line.id).await.unwrap();
        } else {
            clock.advance(600);
        }
        inbox.world.open("door");
        inbox.wait_for(&thread, Status::Waiting).await;
        driver.stop().await;
        assert_eq!(inbox.world.performed().len(), 0, "revoked: {revoke}");
        // A person's own word carries it.
        inbox.accept(&thread).await;
        inbox.world.open("door");
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, Status::Done);
        assert_eq!(decided_by(&inbox, &thread).await[1], "cli");
        assert_eq!(inbox.world.performed().len(), 1);
    }
}

/// An effect of which it is known that it did not happen, or which is not found, begins again as any other.
#[tokio::test]
async fn what_failed_is_not_tried_again_after_its_grant_ended() {
    for (fault, found) in [
        (EffectError::NotDone("closed".to_owned()), None),
        (EffectError::Unknown("cut off".to_owned()), Some(EffectTrace::Unknown("dark".to_owned()))),
    ] {
        let (inbox, _) = with_clock(Settings { retries: 0, ..eager() });
        let (_, line) = granted(&inbox, GrantScope::Sender, Some(600)).await;
        let what = format!("{fault:?}");
        *inbox.world.found.lock().unwrap() = found;
        inbox.world.fault(fault);
        let thread = inbox.run_program(ask_and_do(json!({}))).await;
        let trouble = inbox.open_question(&thread).await;
        *inbox.world.found.lock().unwrap() = Some(EffectTrace::NotDone);
        inbox.grants().revoke(line.id.clone()).await.unwrap();
        let again = match inbox.item(&trouble).await.allow.edit {
            true => edit(json!({"effect": "go", "outcome": "not_done"})),
            false => Decision::Accept,
        };
        inbox.decide(&trouble, again).await.unwrap();
        inbox.drive().await;
        let (code, text) = inbox.trouble(&thread).await;
        assert_eq!(code, "failed", "{what}");
        assert!(text.contains(&line.id) && text.contains("`sayso grants`"), "{what}: {text}");
        assert_eq!(inbox.world.counted("attempts"), 1, "{what}");
    }
}

/// As a process leaves it that dies between intent and outcome, and the next finds no trace of it.
#[tokio::test]
async fn what_was_begun_and_is_not_found_is_not_done_after_its_grant_ended() {
    for forbid in [true, false] {
        let policy = Policy { mode: PolicyMode::Allow, ..Policy::default() };
        let allowing = || Settings { policies: [("do".to_owned(), policy.clone())].into(), ..eager() };
        let inbox = TestInbox::with_settings(allowing());
        *inbox.world.found.lock().unwrap() = Some(EffectTrace::NotDone);
        let asked = json!({"key": "a", "irreversible": true, "granted": "policy:do"});
        let program = json!([[{"ask": [asked]}], [{"gate": "g"}, {"once": {"name": "go", "key": "a"}}]]);
        let thread = inbox.start_program(program).await;
        inbox.drive_to("g").await.stop().await;
        let have = inbox.store().threads().load(&thread, None).unwrap();
        let basis = Authorization::Decision { key: "a".to_owned(), args: json!({"key": "a", "n": 1}) };
        let effect = EffectIntent {
            thread: thread.clone(),
            version: have.row.version,
            step: have.at.steps,
            policies: vec!["do".to_owned()],
            intent: Intent { name: "go".to_owned(), basis, frozen: b"early".to_vec() },
        };
        inbox.store().effects().begin(effect).await.unwrap();
        let inbox = inbox.restart(if forbid { eager() } else { allowing() });
        inbox.world.open("g");
        inbox.drive().await;
        let (status, performed) = if forbid { (Status::Trouble, 0) } else { (Status::Done, 1) };
        assert_eq!(inbox.status(&thread).await, status);
        assert_eq!(inbox.world.performed(), vec!["early"; performed]);
    }
}

#[tokio::test]
async fn what_a_person_decided_beside_a_grant_stays_decided() {
    let (inbox, _) = with_clock(holding());
    let (_, line) = granted(&inbox, GrantScope::Sender, None).await;
    let both =
        json!([{"key": "a", "consult": true, "sender": "bo@far.test"}, {"key": "b", "irreversible": true}]);
    let thread = inbox.run_program(json!([[{"ask": both}]])).await;
    let id = inbox.open_question(&thread).await;
    inbox.decide(&id, Decision::Accept).await.unwrap();
    inbox.grants().revoke(line.id).await.unwrap();
    let open = inbox.outcome(&thread).await;
    assert_eq!((open.status, open.interrupts.len()), (Status::Waiting, 1));
    assert_ne!(open.interrupts[0], id);
}

#[tokio::test]
async fn a_grant_whose_answers_are_taken_back_is_named_from_the_second_on() {
    let (inbox, _) = with_clock(holding());
    let (_, line) = granted(&inbox, GrantScope::Sender, None).await;
    let driver = inbox.drive_in_background().await;
    for expected in [None, Some((line.id.clone(), 2))] {
        let thread = inbox.start_program(ask_and_do(json!({}))).await;
        inbox.wait_for(&thread, Status::Held).await;
        let id = inbox.threads().answers(thread).await.unwrap()[0].interrupt.clone();
        inbox.decisions().undo(id.clone()).await.unwrap();
        let named = inbox.grants().often_undone(vec![id]).await.unwrap();
        assert_eq!(named.map(|(grant, count)| (grant.id, count)), expected);
    }
    driver.stop().await;
}

#[tokio::test]
async fn only_what_a_card_offers_can_be_allowed() {
    let (inbox, _) = with_clock(eager());
    let ask = |more: Value| {
        let asked = json!({"key": "a", "for_thread": true, "sender": "bo@far.test"});
        json!([[{"ask": [merged(asked, more)]}]])
    };
    for (more, scope, lasts, expected) in [
        (json!({"for_thread": false}), GrantScope::Thread, None, "cannot be allowed for its thread"),
        (json!({"sender": null}), GrantScope::Sender, None, "cannot be allowed for a sender"),
        (json!({"warned": true}), GrantScope::Thread, None, "has a warning"),
        (json!({}), GrantScope::Sender, Some(0), "would have ended already"),
        (json!({}), GrantScope::Thread, Some(400 * 86_400), "a year at most"),
    ] {
        let thread = inbox.run_program(ask(more)).await;
        let id = inbox.open_question(&thread).await;
        let refused = give(&inbox, &id, scope, lasts).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    let thread = inbox.run_program(ask(json!({}))).await;
    let id = inbox.open_question(&thread).await;
    inbox.decide(&id, Decision::Ignore).await.unwrap();
    let refused = give(&inbox, &id, GrantScope::Thread, None).await.unwrap_err().to_string();
    assert!(refused.contains("was not accepted"), "{refused}");
    let given = inbox.grants().list().await.unwrap();
    assert!(given.iter().all(|line| line.builtin), "{given:?}");
}

#[tokio::test]
async fn what_is_built_in_is_listed_and_switched() {
    let (inbox, _) = with_clock(eager());
    let names =
        |lines: &[GrantLine]| lines.iter().map(|line| (line.id.clone(), line.in_force)).collect::<Vec<_>>();
    let (files, handled) = (OUTPUT_FILES.to_owned(), MARK_HANDLED.to_owned());
    let reading = (CATALOGUE_GET.to_owned(), true);
    let away = (PUT_AWAY.to_owned(), true);
    let own = (OWN_MAIL.to_owned(), true);
    let all = [(files.clone(), true), (handled.clone(), true), own.clone(), away.clone(), reading.clone()];
    assert_eq!(names(&inbox.grants().list().await.unwrap()), all);
    let program = json!([[{"once": {"name": "go"}}]]);
    assert_eq!(inbox.comes_to(program.clone()).await, Status::Done);
    assert!(!inbox.grants().revoke("builtin:out".to_owned()).await.unwrap().in_force);
    assert!(matches!(inbox.grants().revoke(files.clone()).await, Err(InboxError::NotOpen { .. })));
    assert!(matches!(inbox.grants().revoke("builtin:".to_owned()).await, Err(InboxError::Ambiguous { .. })));
    assert!(matches!(
        inbox.grants().revoke("builtin:nothing".to_owned()).await,
        Err(InboxError::NotFound { .. })
    ));
    assert_eq!(
        names(&inbox.grants().list().await.unwrap()),
        [(files.clone(), false), (handled, true), own, away, reading]
    );
    let refused = inbox.run_program(program.clone()).await;
    assert!(inbox.trouble(&refused).await.1.contains("`builtin:output_files`"));
    assert!(inbox.grants().restore(files.clone()).await.unwrap().in_force);
    assert!(inbox.grants().restore(files).await.unwrap().in_force);
    assert_eq!(inbox.accept_and_drive(&refused).await, Status::Done);
    // A name nobody lists is no grant.
    let made_up = inbox.run_program(json!([[{"once": {"name": "go", "grant": "builtin:everything"}}]])).await;
    assert!(inbox.trouble(&made_up).await.1.contains("no grant in force goes by `builtin:everything`"));
    assert_eq!(inbox.world.performed().len(), 2);
}

#[tokio::test]
async fn what_the_config_allows_is_listed_and_ends_with_it() {
    let policy = Policy { mode: PolicyMode::Allow, ..Policy::default() };
    let (inbox, _) = with_clock(Settings { policies: [("do".to_owned(), policy)].into(), ..eager() });
    let config = inbox.data().join("config.toml");
    std::fs::write(&config, "[policy.do]\nmode = \"allow\"\nrecipients = [\"thread\"]\n").unwrap();
    let lines = inbox.grants().list().await.unwrap();
    let line = lines.into_iter().find(|line| line.origin == "config").unwrap();
    assert_eq!((line.id.as_str(), line.scope.as_str()), ("policy:do", "people in the conversation"));
    let refused = inbox.grants().revoke(line.id).await.unwrap_err().to_string();
    assert!(refused.contains("[policy.do]"), "{refused}");
    let done = inbox.run_program(ask_and_do(json!({}))).await;
    assert_eq!(inbox.status(&done).await, Status::Done);
    assert_eq!(decided_by(&inbox, &done).await, ["grant:policy:do"]);
    let thread = answered_and_paused(&inbox).await;
    // The next driver knows of no such policy.
    let inbox = inbox.restart(eager());
    inbox.pause(false).await.unwrap();
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert_eq!(inbox.world.performed().len(), 1);
}

#[tokio::test]
async fn a_draft_is_kept_and_never_sent() {
    let (inbox, _) = with_clock(eager());
    let program = |draft: bool| {
        json!([[{"ask": [{"key": "a", "irreversible": true, "draft": true}]}],
            [{"once": {"name": "go", "key": "a", "draft": draft}}]])
    };
    for (decision, draft, done) in [
        (Decision::Draft, true, true),
        (Decision::Draft, false, false),
        (Decision::Accept, true, false),
        (Decision::Ignore, true, false),
    ] {
        let thread = inbox.run_program(program(draft)).await;
        inbox.answer(&thread, decision.clone()).await;
        let status = inbox.status(&thread).await;
        assert_eq!(status == Status::Done, done, "{decision:?} {draft}");
        if !done {
            assert!(inbox.trouble(&thread).await.1.contains("approved"));
        }
    }
    assert_eq!(inbox.world.performed().len(), 1);
    // Not everything can be kept as one.
    let thread = inbox.run_program(json!([[{"ask": [{"key": "a"}]}]])).await;
    let refused = inbox.decide(&inbox.open_question(&thread).await, Decision::Draft).await.unwrap_err();
    assert!(refused.to_string().contains("cannot be answered with draft"), "{refused}");
}
