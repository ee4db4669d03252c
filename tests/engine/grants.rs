//! Grants: what may be done without asking, how far it goes, and how it ends.

use crate::support::House;
use crate::support::house::{eager, holding, registry};
use jiff::{SignedDuration, Timestamp};
use sayso::app::{Engine, Settings};
use sayso::config::{Policy, PolicyMode, Reach};
use sayso::graph::{Decision, InterruptId, ThreadId};
use sayso::inbox::{
    By, CATALOGUE_GET, Decide, GrantLine, GrantRequest, GrantScope, InboxError, MARK_HANDLED, OUTPUT_FILES,
    SERVER_COMMANDS, Status,
};
use sayso::service::Inbox;
use sayso::store::{Clock, Store};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// A house whose clock stands still until it is told to go on.
struct Bank {
    house: House,
    seconds: Arc<AtomicI64>,
    clock: Clock,
}

fn inbox(house: &House, clock: &Clock, settings: Settings) -> Inbox {
    let store = Store::open_with(&house.data(), clock.clone()).unwrap();
    Inbox::new(Engine::new(store, registry(&house.street, &house.world, Vec::new()), settings))
}

impl Bank {
    fn with(settings: Settings) -> Self {
        let seconds = Arc::new(AtomicI64::new(0));
        let hand = seconds.clone();
        let noon: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let clock: Clock = Arc::new(move || noon + SignedDuration::from_secs(hand.load(Ordering::SeqCst)));
        let house = House::with(eager(), Vec::new());
        house.world.consult(house.data(), clock.clone());
        let inbox = inbox(&house, &clock, settings);
        Self { house: House { inbox, ..house }, seconds, clock }
    }

    fn new() -> Self {
        Self::with(eager())
    }

    fn later(&self, seconds: i64) {
        self.seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    async fn give(
        &self,
        from: &InterruptId,
        scope: GrantScope,
        lasts: Option<u64>,
    ) -> Result<GrantLine, InboxError> {
        let lasts = lasts.map(Duration::from_secs);
        self.house.inbox.grants().give(GrantRequest { interrupt: from.clone(), scope, lasts }).await
    }

    /// A first card, accepted, and the grant that was given from it.
    async fn granted(&self, scope: GrantScope, lasts: Option<u64>) -> (ThreadId, GrantLine) {
        let first = json!({"key": "first", "for_thread": true, "sender": "Bo@far.test"});
        let thread = self
            .house
            .played(json!([[{"ask": [first]}], ask_and_do(json!({}))[0], ask_and_do(json!({}))[1]]))
            .await;
        let id = self.house.asked(&thread).await;
        let line = self.give(&id, scope, lasts).await.unwrap();
        (thread, line)
    }

    /// A thread whose question a grant has answered, while all driving is paused.
    async fn answered_and_paused(&self) -> ThreadId {
        let mut program = ask_and_do(json!({}));
        program[0].as_array_mut().unwrap().push(json!({"gate": "door"}));
        let thread = self.house.play(program).await;
        let driver = self.house.driver().await;
        self.house.world.reached("door").await;
        self.house.inbox.pause(true).await.unwrap();
        self.house.world.open("door");
        self.house
            .until_so(|| !self.house.store().threads().view(&thread).unwrap().decisions.is_empty())
            .await;
        driver.stop().await;
        thread
    }

    async fn by(&self, thread: &ThreadId) -> Vec<String> {
        self.house.view(thread).await.decisions.into_iter().map(|decision| decision.by).collect()
    }
}

/// A program that consults the grants, asks, and does what was allowed.
fn ask_and_do(more: Value) -> Value {
    let mut asked = json!({"key": "a", "irreversible": true, "consult": true, "sender": "bo@FAR.test"});
    asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!([[{"ask": [asked]}], [{"once": {"name": "go", "key": "a"}}]])
}

#[tokio::test]
async fn accepting_and_granting_is_both_or_neither() {
    let bank = Bank::new();
    let first = json!({"key": "first", "for_thread": true});
    let thread = bank.house.played(json!([[{"ask": [first]}], [{"end": null}]])).await;
    let id = bank.house.asked(&thread).await;
    let request = |scope| GrantRequest { interrupt: id.clone(), scope, lasts: Some(Duration::from_secs(60)) };
    let accept = |shown: Option<&str>| Decide {
        interrupt: id.clone(),
        decision: Decision::Accept,
        shown: shown.map(str::to_owned),
        learn: true,
        by: By::Cli,
    };
    let decisions = bank.house.inbox.decisions();
    let given = async || {
        let lines = bank.house.inbox.grants().list().await.unwrap();
        lines.into_iter().filter(|line| !line.builtin).count()
    };
    // What was shown is not what stands there: nothing is allowed either.
    let stale = decisions.accept_and_grant(accept(Some("00000000")), request(GrantScope::Thread)).await;
    assert!(matches!(stale, Err(InboxError::Stale { .. })), "{stale:?}");
    // What cannot be allowed is not accepted either.
    let refused = decisions.accept_and_grant(accept(None), request(GrantScope::Sender)).await;
    assert!(matches!(refused, Err(InboxError::Conflict(_))), "{refused:?}");
    assert_eq!((given().await, bank.house.asked(&thread).await), (0, id.clone()));
    let (_, line) = decisions.accept_and_grant(accept(None), request(GrantScope::Thread)).await.unwrap();
    assert!(line.in_force && given().await == 1);
    bank.house.settle().await;
    assert_eq!(bank.house.status(&thread).await, Status::Done);
}

#[tokio::test]
async fn a_thread_s_grant_answers_for_that_thread_alone() {
    let bank = Bank::new();
    let (thread, line) = bank.granted(GrantScope::Thread, None).await;
    assert_eq!((line.tool.as_str(), line.thread.as_ref(), line.expires_at), ("do", Some(&thread), None));
    assert!(line.id.starts_with('g') && line.id.len() == 9 && line.in_force && !line.builtin);
    bank.house.accept(&thread).await;
    bank.house.settle().await;
    assert_eq!(bank.house.status(&thread).await, Status::Done);
    assert_eq!(bank.by(&thread).await, ["cli".to_owned(), format!("grant:{}", line.id)]);
    let executed = bank.house.view(&thread).await.decisions[1].executed.clone();
    assert_eq!(executed, Some(json!({"key": "a", "n": 1})));
    // Another thread is asked, about mail of the same sender too; and so is a fork, which is another thread.
    let other = bank.house.played(ask_and_do(json!({}))).await;
    assert_eq!(bank.house.status(&other).await, Status::Waiting);
    let fork = bank.house.inbox.threads().fork(thread, 2).await.unwrap().thread;
    bank.house.settle().await;
    assert_eq!(bank.house.status(&fork).await, Status::Waiting);
    assert_eq!(bank.house.world.performed().len(), 1);
}

#[tokio::test]
async fn a_sender_s_grant_answers_in_every_thread_until_it_is_over() {
    let bank = Bank::new();
    let (_, line) = bank.granted(GrantScope::Sender, None).await;
    assert_eq!(line.sender.as_deref(), Some("bo@far.test"));
    let lasts = line.expires_at.unwrap().duration_since(line.created_at.unwrap());
    assert_eq!(lasts, SignedDuration::from_hours(1), "an hour, where nothing is said");
    let granted = bank.house.played(ask_and_do(json!({}))).await;
    assert_eq!(bank.by(&granted).await, [format!("grant:{}", line.id)]);
    for (more, why) in [
        (json!({"sender": "eve@far.test"}), "another sender"),
        (json!({"sender": null}), "no sender"),
        (json!({"warned": true}), "a warning"),
    ] {
        let asked = bank.house.played(ask_and_do(more)).await;
        assert_eq!(bank.house.status(&asked).await, Status::Waiting, "{why}");
    }
    bank.later(3599);
    let still = bank.house.played(ask_and_do(json!({}))).await;
    assert_eq!(bank.house.status(&still).await, Status::Done);
    bank.later(1);
    let over = bank.house.played(ask_and_do(json!({}))).await;
    assert_eq!(bank.house.status(&over).await, Status::Waiting);
    let lines = bank.house.inbox.grants().list().await.unwrap();
    let line = lines.iter().find(|one| one.id == line.id).unwrap();
    assert!(!line.in_force && line.revoked_at.is_none());
}

#[tokio::test]
async fn the_store_decides_what_a_grant_covers_whatever_a_node_says() {
    let bank = Bank::new();
    let (_, threads) = bank.granted(GrantScope::Thread, None).await;
    let (_, senders) = bank.granted(GrantScope::Sender, None).await;
    for (named, more) in [
        ("g00000000", json!({})),
        (OUTPUT_FILES, json!({})),
        ("policy:other", json!({})),
        (threads.id.as_str(), json!({})),
        (senders.id.as_str(), json!({"sender": "eve@far.test"})),
        (senders.id.as_str(), json!({"warned": true})),
    ] {
        let mut asked = json!({"key": "a", "granted": named, "sender": "bo@far.test"});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let thread = bank.house.played(json!([[{"ask": [asked]}]])).await;
        assert_eq!(bank.house.status(&thread).await, Status::Waiting, "{named} {more}");
    }
}

#[tokio::test]
async fn what_a_revoked_grant_had_answered_is_asked_again() {
    let bank = Bank::with(holding());
    let (_, line) = bank.granted(GrantScope::Sender, Some(600)).await;
    let thread = bank.house.play(ask_and_do(json!({}))).await;
    let driver = bank.house.driver().await;
    bank.house.until(&thread, Status::Held).await;
    // From another process, any beginning of the id.
    let other = bank.house.other(eager());
    let revoked = other.grants().revoke(line.id[..5].to_owned()).await.unwrap();
    assert!(revoked.revoked_at.is_some() && !revoked.in_force);
    assert_eq!(bank.house.status(&thread).await, Status::Waiting);
    driver.stop().await;
    let decisions = bank.house.view(&thread).await.decisions;
    assert!(decisions[0].undone_at.is_some() && decisions[0].executed.is_none());
    assert!(matches!(other.grants().revoke(line.id.clone()).await, Err(InboxError::NotOpen { .. })));
    assert!(matches!(
        other.grants().revoke("gzzzzzzzz".to_owned()).await,
        Err(InboxError::NotFound { what: "grant", .. })
    ));
    assert!(other.grants().restore(line.id).await.unwrap_err().to_string().contains("not built in"));
    assert_eq!(bank.house.world.performed().len(), 0);
}

#[tokio::test]
async fn a_grant_that_ends_before_its_answer_is_taken_up_is_not_acted_on() {
    let bank = Bank::with(Settings { hold: Duration::from_millis(1), ..eager() });
    let (_, line) = bank.granted(GrantScope::Sender, Some(600)).await;
    let thread = bank.answered_and_paused().await;
    assert_eq!(bank.by(&thread).await, [format!("grant:{}", line.id)]);
    bank.later(600);
    bank.house.inbox.pause(false).await.unwrap();
    bank.house.settle().await;
    assert_eq!(bank.house.status(&thread).await, Status::Waiting);
    assert!(bank.house.view(&thread).await.decisions[0].undone_at.is_some());
    assert_eq!(bank.house.world.performed().len(), 0);
}

#[tokio::test]
async fn a_grant_that_ends_while_its_node_runs_is_not_acted_on() {
    for revoke in [true, false] {
        let bank = Bank::new();
        let (_, line) = bank.granted(GrantScope::Sender, Some(600)).await;
        let mut program = ask_and_do(json!({}));
        program[1].as_array_mut().unwrap().insert(0, json!({"gate": "door"}));
        let thread = bank.house.play(program).await;
        let driver = bank.house.driver().await;
        bank.house.world.reached("door").await;
        if revoke {
            bank.house.inbox.grants().revoke(line.id).await.unwrap();
        } else {
            bank.later(600);
        }
        bank.house.world.open("door");
        bank.house.until(&thread, Status::Waiting).await;
        driver.stop().await;
        assert_eq!(bank.house.world.performed().len(), 0, "revoked: {revoke}");
        // A person's own word carries it.
        bank.house.accept(&thread).await;
        bank.house.world.open("door");
        bank.house.settle().await;
        assert_eq!(bank.house.status(&thread).await, Status::Done);
        assert_eq!(bank.by(&thread).await[1], "cli");
        assert_eq!(bank.house.world.performed().len(), 1);
    }
}

#[tokio::test]
async fn what_a_person_decided_beside_a_grant_stays_decided() {
    let bank = Bank::with(holding());
    let (_, line) = bank.granted(GrantScope::Sender, None).await;
    let both =
        json!([{"key": "a", "consult": true, "sender": "bo@far.test"}, {"key": "b", "irreversible": true}]);
    let thread = bank.house.played(json!([[{"ask": both}]])).await;
    let id = bank.house.asked(&thread).await;
    bank.house.decide(&id, Decision::Accept).await.unwrap();
    bank.house.inbox.grants().revoke(line.id).await.unwrap();
    let open = bank.house.outcome(&thread).await;
    assert_eq!((open.status, open.interrupts.len()), (Status::Waiting, 1));
    assert_ne!(open.interrupts[0], id);
}

#[tokio::test]
async fn only_what_a_card_offers_can_be_allowed() {
    let bank = Bank::new();
    let ask = |more: Value| {
        let mut asked = json!({"key": "a", "for_thread": true, "sender": "bo@far.test"});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([[{"ask": [asked]}]])
    };
    for (more, scope, lasts, expected) in [
        (json!({"for_thread": false}), GrantScope::Thread, None, "cannot be allowed for its thread"),
        (json!({"sender": null}), GrantScope::Sender, None, "cannot be allowed for a sender"),
        (json!({"warned": true}), GrantScope::Thread, None, "carries a warning"),
        (json!({}), GrantScope::Sender, Some(0), "a second at least"),
        (json!({}), GrantScope::Thread, Some(u64::MAX), "a year at most"),
    ] {
        let thread = bank.house.played(ask(more)).await;
        let id = bank.house.asked(&thread).await;
        let refused = bank.give(&id, scope, lasts).await.unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    let thread = bank.house.played(ask(json!({}))).await;
    let id = bank.house.asked(&thread).await;
    bank.house.decide(&id, Decision::Ignore).await.unwrap();
    let refused = bank.give(&id, GrantScope::Thread, None).await.unwrap_err().to_string();
    assert!(refused.contains("was not accepted"), "{refused}");
    let given = bank.house.inbox.grants().list().await.unwrap();
    assert!(given.iter().all(|line| line.builtin), "{given:?}");
}

#[tokio::test]
async fn what_is_built_in_is_listed_and_switched() {
    let bank = Bank::new();
    let names =
        |lines: &[GrantLine]| lines.iter().map(|line| (line.id.clone(), line.in_force)).collect::<Vec<_>>();
    let inbox = &bank.house.inbox;
    let (files, handled) = (OUTPUT_FILES.to_owned(), MARK_HANDLED.to_owned());
    let reading = (CATALOGUE_GET.to_owned(), true);
    let servers = (SERVER_COMMANDS.to_owned(), true);
    let all = [(files.clone(), true), (handled.clone(), true), reading.clone(), servers.clone()];
    assert_eq!(names(&inbox.grants().list().await.unwrap()), all);
    let program = json!([[{"once": {"name": "go"}}]]);
    let done = bank.house.played(program.clone()).await;
    assert_eq!(bank.house.status(&done).await, Status::Done);
    assert!(!inbox.grants().revoke("builtin:out".to_owned()).await.unwrap().in_force);
    assert!(matches!(inbox.grants().revoke(files.clone()).await, Err(InboxError::NotOpen { .. })));
    assert!(matches!(inbox.grants().revoke("builtin:".to_owned()).await, Err(InboxError::Ambiguous { .. })));
    assert!(matches!(
        inbox.grants().revoke("builtin:nothing".to_owned()).await,
        Err(InboxError::NotFound { .. })
    ));
    assert_eq!(
        names(&inbox.grants().list().await.unwrap()),
        [(files.clone(), false), (handled, true), reading, servers]
    );
    let refused = bank.house.played(program.clone()).await;
    assert!(bank.house.trouble(&refused).await.1.contains("`builtin:output_files`"));
    assert!(inbox.grants().restore(files.clone()).await.unwrap().in_force);
    assert!(inbox.grants().restore(files).await.unwrap().in_force);
    bank.house.accept(&refused).await;
    bank.house.settle().await;
    assert_eq!(bank.house.status(&refused).await, Status::Done);
    // A name nobody lists is no grant.
    let made_up = bank.house.played(json!([[{"once": {"name": "go", "grant": "builtin:everything"}}]])).await;
    assert!(bank.house.trouble(&made_up).await.1.contains("no grant in force goes by `builtin:everything`"));
    assert_eq!(bank.house.world.performed().len(), 2);
}

#[tokio::test]
async fn what_the_config_allows_is_listed_and_ends_with_it() {
    let policy = Policy { mode: PolicyMode::Allow, recipients: vec![Reach::Thread] };
    let bank = Bank::with(Settings { policies: [("do".to_owned(), policy)].into(), ..eager() });
    let config = bank.house.data().join("config.toml");
    std::fs::write(&config, "[policy.do]\nmode = \"allow\"\nrecipients = [\"thread\"]\n").unwrap();
    let lines = bank.house.inbox.grants().list().await.unwrap();
    let line = lines.into_iter().find(|line| line.origin == "config").unwrap();
    assert_eq!((line.id.as_str(), line.scope.as_str()), ("policy:do", "people in the conversation"));
    let refused = bank.house.inbox.grants().revoke(line.id).await.unwrap_err().to_string();
    assert!(refused.contains("[policy.do]"), "{refused}");
    let done = bank.house.played(ask_and_do(json!({}))).await;
    assert_eq!(bank.house.status(&done).await, Status::Done);
    assert_eq!(bank.by(&done).await, ["grant:policy:do"]);
    let thread = bank.answered_and_paused().await;
    // The next driver knows of no such policy.
    let Bank { house, clock, .. } = bank;
    let house = House { inbox: inbox(&house, &clock, eager()), ..house };
    house.inbox.pause(false).await.unwrap();
    house.settle().await;
    assert_eq!(house.status(&thread).await, Status::Waiting);
    assert_eq!(house.world.performed().len(), 1);
}

#[tokio::test]
async fn a_draft_is_kept_and_never_sent() {
    let bank = Bank::new();
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
        let thread = bank.house.played(program(draft)).await;
        let id = bank.house.asked(&thread).await;
        bank.house.decide(&id, decision.clone()).await.unwrap();
        bank.house.settle().await;
        let status = bank.house.status(&thread).await;
        assert_eq!(status == Status::Done, done, "{decision:?} {draft}");
        if !done {
            assert!(bank.house.trouble(&thread).await.1.contains("approved"));
        }
    }
    assert_eq!(bank.house.world.performed().len(), 1);
    // Not everything can be kept as one.
    let thread = bank.house.played(json!([[{"ask": [{"key": "a"}]}]])).await;
    let refused = bank.house.decide(&bank.house.asked(&thread).await, Decision::Draft).await.unwrap_err();
    assert!(refused.to_string().contains("cannot be answered with draft"), "{refused}");
}
