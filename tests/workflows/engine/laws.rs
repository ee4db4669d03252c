//! Laws that hold whatever the order in which things happen.

use crate::support::TestInbox;
use crate::support::test_inbox::{eager, edit, holding, respond};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sayso::engine::graph::Decision;
use sayso::engine::store::{MemoryCause, StoreError};
use sayso::inbox::Status;
use serde_json::{Value, json};

/// Somebody in one of two processes decides or undoes one of the open questions.
#[derive(Clone, Debug)]
struct Act {
    process: usize,
    question: usize,
    what: Option<Decision>,
}

fn act() -> impl Strategy<Value = Act> {
    let what = prop_oneof![
        2 => Just(None),
        1 => Just(Some(Decision::Accept)),
        1 => Just(Some(Decision::Ignore)),
        1 => Just(Some(respond("hm"))),
        1 => (2..9).prop_map(|n| Some(edit(json!({"key": "x", "n": n})))),
    ];
    (0..2usize, 0..3usize, what).prop_map(|(process, question, what)| Act { process, question, what })
}

/// Tries a law on so many random cases.
pub fn holds<S: Strategy>(cases: u32, strategy: S, law: impl AsyncFn(S::Value) -> Result<(), TestCaseError>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    runner.run(&strategy, |value| runtime.block_on(law(value))).unwrap();
}

const THREE: &str = r#"[[{"ask": [
    {"key": "a", "irreversible": true}, {"key": "b", "irreversible": true}, {"key": "c", "irreversible": true}
]}]]"#;

#[test]
fn any_order_of_decisions_and_undos_gives_each_question_exactly_one_outcome() {
    holds(24, proptest::collection::vec(act(), 1..14), async |acts| {
        let inbox = TestInbox::holding();
        let processes = [inbox.other_process(holding()), inbox.other_process(holding())];
        let thread = inbox.run_program(serde_json::from_str(THREE).unwrap()).await;
        let asked = inbox.outcome(&thread).await.interrupts;
        let mut expected: [Option<Decision>; 3] = Default::default();
        let mut taken = 0;
        for act in acts {
            let (process, id, stands) =
                (&processes[act.process], &asked[act.question], &mut expected[act.question]);
            match act.what {
                Some(decision) => {
                    let result = process.decide(id, decision.clone()).await;
                    prop_assert_eq!(result.is_ok(), stands.is_none(), "{:?}", result);
                    if stands.is_none() {
                        *stands = Some(decision);
                        taken += 1;
                    }
                }
                None => {
                    prop_assert_eq!(process.undo(id).await.is_ok(), stands.is_some());
                    *stands = None;
                }
            }
            let outcome = inbox.outcome(&thread).await;
            let open = expected.iter().filter(|stands| stands.is_none()).count();
            prop_assert_eq!(outcome.interrupts.len(), open);
            prop_assert_eq!(outcome.status == Status::Waiting, open > 0);
        }
        let given = finish(&inbox, &thread, &asked, &mut expected).await;
        let view = inbox.view(&thread).await;
        prop_assert_eq!(view.status, Status::Done);
        prop_assert_eq!(view.decisions.len(), taken + given);
        let in_force = view.decisions.iter().filter(|d| d.undone_at.is_none()).count();
        prop_assert_eq!(in_force, 3);
        let seen: Vec<Value> =
            view.state["answers"].as_array().unwrap().iter().map(|a| a["decision"].clone()).collect();
        let expected: Vec<Value> =
            expected.iter().map(|d| serde_json::to_value(d.as_ref().unwrap()).unwrap()).collect();
        prop_assert_eq!(seen, expected, "the thread sees exactly those");
        inbox.assert_whole();
        Ok(())
    });
}

/// Decides what is still open, and lets the thread go on without its hold.
async fn finish(
    inbox: &TestInbox,
    thread: &sayso::engine::graph::ThreadId,
    asked: &[sayso::engine::graph::InterruptId],
    expected: &mut [Option<Decision>; 3],
) -> usize {
    let mut given = 0;
    let now = inbox.other_process(eager());
    // The last answer decides about the hold, so it is given once more by somebody who holds nothing.
    if expected.iter().all(Option::is_some) {
        now.decisions().undo(asked[2].clone()).await.unwrap();
        expected[2] = None;
    }
    for (id, stands) in asked.iter().zip(expected.iter_mut()) {
        if stands.is_none() {
            now.decide(id, Decision::Ignore).await.unwrap();
            *stands = Some(Decision::Ignore);
            given += 1;
        }
    }
    inbox.drive().await;
    assert_eq!(inbox.status(thread).await, Status::Done);
    given
}

/// The same at once: whoever is told yes is the one the thread hears.
#[test]
fn of_many_who_decide_at_once_one_wins_and_the_others_are_told() {
    holds(16, proptest::collection::vec((0..2usize, 0..3usize, any::<bool>()), 3..12), async |racers| {
        let inbox = TestInbox::new();
        let processes = [inbox.other_process(eager()), inbox.other_process(eager())];
        let thread = inbox.run_program(serde_json::from_str(THREE).unwrap()).await;
        let asked = inbox.outcome(&thread).await.interrupts;
        let race = racers.into_iter().map(|(process, question, yes)| {
            let (process, id) = (processes[process].clone(), asked[question].clone());
            let decision = if yes { Decision::Accept } else { Decision::Ignore };
            tokio::spawn(
                async move { (question, decision.clone(), process.decide(&id, decision).await.is_ok()) },
            )
        });
        let mut won: [Vec<Decision>; 3] = Default::default();
        let mut tried = [false; 3];
        for racer in race.collect::<Vec<_>>() {
            let (question, decision, is_winner) = racer.await.unwrap();
            tried[question] = true;
            if is_winner {
                won[question].push(decision);
            }
        }
        for (question, id) in asked.iter().enumerate() {
            prop_assert_eq!(won[question].len(), usize::from(tried[question]), "one winner");
            if !tried[question] {
                inbox.decide(id, Decision::Ignore).await.unwrap();
                won[question].push(Decision::Ignore);
            }
        }
        inbox.drive().await;
        let words: Vec<Value> =
            ["a", "b", "c"].iter().zip(&won).map(|(key, won)| json!([key, won[0].word()])).collect();
        prop_assert_eq!(inbox.log(&thread).await, json!([{ "answers": words }]));
        inbox.assert_whole();
        Ok(())
    });
}

/// Any program: the state at each step is the fold of the updates before it, for forks of it too.
#[test]
fn the_fold_of_a_prefix_is_the_state_at_that_step() {
    let line = prop_oneof![
        Just(json!([])),
        "[a-z\u{e9}\u{4e2d}]{0,9}".prop_map(|text| json!([{ "note": text }])),
        Just(json!([{"ask": [{"key": "a"}, {"key": "b"}]}])),
        Just(json!([{"spawn": [{"key": "k", "program": [[{"note": "kid"}]]}]}])),
        Just(json!([{"call": "x"}, {"flaky": 1}, {"once": {"name": "go"}}])),
    ];
    let story = (proptest::collection::vec(line, 0..7), any::<prop::sample::Index>());
    holds(12, story, async |(program, at)| {
        let (inbox, thread) = TestInbox::new().playing(json!(program)).await;
        let workflow = inbox.engine().registry().get("player").unwrap().workflow.clone();
        let mut threads = vec![thread.clone()];
        for forked in [false, true] {
            let last = threads.last().unwrap().clone();
            while inbox.status(&last).await != Status::Done {
                inbox.accept_and_drive(&last).await;
            }
            if !forked {
                let steps = inbox.view(&last).await.steps.len();
                let step = at.index(steps) as u64;
                threads.push(inbox.fork(&last, step).await);
                inbox.drive().await;
            }
        }
        for thread in threads {
            let steps = inbox.view(&thread).await.steps;
            let mut state = workflow.empty();
            for n in 0..=steps.len() {
                let then = inbox.engine().state_at(&thread, Some(n as u64)).unwrap().unwrap();
                prop_assert_eq!(workflow.write(&then).unwrap(), workflow.write(&state).unwrap());
                if let Some(step) = steps.get(n) {
                    state = workflow.apply(state, &step.updates.to_string()).unwrap();
                }
            }
            let beyond = inbox.engine().state_at(&thread, Some(999)).unwrap().unwrap();
            prop_assert_eq!(workflow.write(&beyond).unwrap(), workflow.write(&state).unwrap());
        }
        prop_assert!(inbox.store().audit().verify().unwrap().problems().is_empty());
        Ok(())
    });
}

/// Many writers share a commit: those who won are on the disk, those who lost are told and left nothing.
#[test]
fn in_a_group_commit_winners_are_durable_and_losers_are_told() {
    let writers = proptest::collection::vec((0..2usize, 0..4usize, 0..3u64), 1..40);
    holds(16, writers, async |writers| {
        let inbox = TestInbox::new();
        let stores = [inbox.store().clone(), inbox.other_process(eager()).engine().store().clone()];
        let race = writers.into_iter().enumerate().map(|(n, (process, space, read))| {
            let store = stores[process].clone();
            let cause = MemoryCause { kind: "edit".to_owned(), thread: None, interrupt: None };
            tokio::spawn(async move {
                let written =
                    store.memory().remember(format!("ns{space}"), read, format!("by {n}"), cause).await;
                (space, read, n, written)
            })
        });
        let mut won: [Vec<(u64, String)>; 4] = Default::default();
        for racer in race.collect::<Vec<_>>() {
            let (space, read, n, written) = racer.await.unwrap();
            match written {
                Ok(version) => {
                    prop_assert_eq!(version, read + 1);
                    won[space].push((version, format!("by {n}")));
                }
                Err(StoreError::Conflict(_)) => {}
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }
        drop(stores);
        let inbox = inbox.restart(eager());
        for (space, mut won) in won.into_iter().enumerate() {
            won.sort();
            let kept = inbox.store().memory().history(&format!("ns{space}")).unwrap();
            let kept: Vec<_> = kept.into_iter().rev().map(|v| (v.version, v.profile)).collect();
            prop_assert_eq!(kept, won);
        }
        Ok(())
    });
}

/// Something that may happen to a thread at any time.
#[derive(Clone, Debug)]
enum Happening {
    Decide(usize, Decision),
    Undo(usize),
    News,
    Settled,
    Stop,
    Drive,
    Restart,
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening::{Decide, Drive, News, Restart, Settled, Stop, Undo};
    prop_oneof![
        4 => (0..4usize).prop_map(|which| Decide(which, Decision::Accept)),
        1 => (0..4usize).prop_map(|which| Decide(which, respond("hm"))),
        2 => (0..8usize).prop_map(Undo),
        2 => Just(News),
        1 => Just(Settled),
        2 => Just(Stop),
        4 => Just(Drive),
        1 => Just(Restart),
    ]
}

/// Whatever happens in whatever order: the thread can always be brought to its end, each effect happens once,
/// and every row is sound.
#[test]
fn any_thread_ends_with_each_effect_done_once() {
    let program = json!([
        [{"ask": [{"key": "a", "irreversible": true}, {"key": "b"}]}],
        [{"call": "x"}, {"once": {"name": "first", "frozen": "first"}}, {"flaky": 4}],
        [{"spawn": [{"key": "k", "program": [[{"ask": [{"key": "z"}]}]]}]}],
        [{"ask": [{"key": "c"}]}],
        [{"flaky": 4}, {"once": {"name": "second", "frozen": "second"}}]
    ]);
    let doubtful = (proptest::collection::vec(happening(), 0..24), 0..3u8);
    holds(40, doubtful, async |(happenings, doubt)| {
        let mut inbox = TestInbox::new();
        if doubt > 0 {
            inbox.world.fault(sayso::engine::graph::EffectError::Unknown("cut off".to_owned()));
        }
        if doubt > 1 {
            let dark = sayso::engine::graph::EffectTrace::Unknown("dark".to_owned());
            *inbox.world.found.lock().unwrap() = Some(dark);
        }
        let thread = inbox.start_program(program.clone()).await;
        let mut seen: Vec<sayso::engine::graph::InterruptId> = Vec::new();
        for (n, happening) in happenings.into_iter().enumerate() {
            let open = inbox.outcome(&thread).await.interrupts;
            seen.extend(open.iter().filter(|id| !seen.contains(id)).cloned().collect::<Vec<_>>());
            match happening {
                Happening::Decide(which, decision) => {
                    if let Some(id) = open.get(which) {
                        let _ = inbox.decide(id, decision).await;
                    }
                }
                Happening::Undo(which) => {
                    if let Some(id) = seen.get(which) {
                        let _ = inbox.undo(id).await;
                    }
                }
                Happening::News if inbox.status(&thread).await != Status::Done => {
                    inbox.news(&thread, &format!("mail {n}")).await;
                }
                Happening::Settled if inbox.status(&thread).await != Status::Done => {
                    let what = sayso::engine::graph::EventKind::AnsweredElsewhere {
                        reason: "s".to_owned(),
                        payload: Value::Null,
                    };
                    inbox.arrive(&thread, &format!("settled {n}"), what).await.unwrap();
                }
                Happening::News | Happening::Settled => {}
                Happening::Stop => {
                    let _ = inbox.threads().stop(thread.clone()).await;
                }
                Happening::Drive => inbox.drive().await,
                Happening::Restart => inbox = inbox.restart(eager()),
            }
        }
        for _ in 0..40 {
            inbox.drive().await;
            for (member, _) in inbox.store().threads().family(&thread).unwrap() {
                inbox.accept(&member).await;
            }
            if inbox.status(&thread).await == Status::Done {
                break;
            }
        }
        let view = inbox.view(&thread).await;
        prop_assert_eq!(view.status, Status::Done, "{:#?}", view);
        let mut performed = inbox.world.performed();
        performed.sort();
        let settled = view.effects.iter().filter(|e| e.state == "settled").count();
        prop_assert_eq!(view.effects.len(), 2);
        prop_assert_eq!(performed.len() + settled, 2, "{:?}", performed);
        performed.dedup();
        prop_assert_eq!(performed.len() + settled, 2, "each once");
        inbox.assert_whole();
        Ok(())
    });
}
