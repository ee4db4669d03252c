//! Replays past interrupts with another model, other memory or other rules.
//!
//! A case is a decision a person made. The thread's state is folded up to the step at which a model was last called
//! before that interrupt. From there its nodes run again until one asks, and that question is compared with the
//! decision. For mail, triage is a separate case. Nothing outside is changed and nothing is written: the journal
//! refuses every effect, and the services have no access ([`services`]).
//!
//! Limits: the calendar and the known senders are today's, not those of the time.

mod judge;
mod report;
mod services;

pub use report::{DecisionsEval, EvalMiss, EvalRow, NotReplayed};

use super::setup::Setup;
use crate::config::Rule;
use crate::driver::Engine;
use crate::graph::{AnyState, Interrupt, Kind, Next, NoEffects, ProgressSink, StepContext, run_node};
use crate::inbox::Spec;
use crate::llm::Usage;
use crate::store::{PastDecision, StoreError, ThreadTimings};
use crate::workflows;
use crate::workflows::mail_facts::Class;
use jiff::Timestamp;
use serde_json::Value;
use services::{CostMeter, ReplayClock};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// A replay that has run this many nodes without asking never will ask.
const MAX_NODES: usize = 16;
/// The node that gives mail its class.
const TRIAGE_NODE: &str = "triage_router";

/// What to replay, and how.
#[derive(Clone, Debug, Default)]
pub struct ReplayOptions {
    pub since: Option<Timestamp>,
    /// Only the newest ones, at most this many.
    pub limit: usize,
    /// Profiles to use instead of those of the time, by namespace.
    pub memory: BTreeMap<String, String>,
    /// Rules to use instead of the config's.
    pub rules: Option<Vec<Rule>>,
    /// Whether it may cost more than a day's budget.
    pub any_cost: bool,
}

/// One decision to replay.
struct Case {
    past: PastDecision,
    /// The step at which the replay begins.
    from: u64,
    node: String,
    at: Timestamp,
    sort: PastDecisionKind,
}

enum PastDecisionKind {
    Triage(Class),
    Call(judge::Expected),
}

impl Setup {
    /// The full name of the memory that the user means.
    pub fn memory_named(&self, word: &str) -> Result<String, StoreError> {
        self.store.memory().resolve_namespace(word)
    }

    /// Replays past decisions. Calls `on_progress` with the number of cases done and their total; `stop` ends the replay
    /// early, with the results so far.
    pub async fn eval_decisions(
        &self,
        options: ReplayOptions,
        on_progress: &(dyn Fn(usize, usize) + Send + Sync),
        stop: impl Future<Output = ()>,
    ) -> Result<DecisionsEval, String> {
        let failed = |e: StoreError| e.to_string();
        let (then, spent) = (ReplayClock::default(), Arc::new(CostMeter::new(self.config.prices.clone())));
        let services = services::services(
            &self.config,
            &self.env,
            &self.store,
            options.memory,
            options.rules,
            &then,
            &spent,
        );
        let registry = workflows::all(&Arc::new(services)).map_err(|e| e.to_string())?;
        let engine = self.engine(registry);
        let past = self.store.inbox().past_decisions(options.since, options.limit).map_err(failed)?;
        let mut report = DecisionsEval::new(self.config.model.name.clone());
        let (cases, used) = cases(&engine, past, &mut report).map_err(failed)?;
        if !options.any_cost {
            self.check_cost(cases.len(), used)?;
        }
        tokio::pin!(stop);
        for (done, case) in (1..).zip(&cases) {
            then.set(case.at);
            tokio::select! {
                () = &mut stop => {
                    report.stopped = true;
                    break;
                }
                () = replay(&engine, case, &mut report) => on_progress(done, cases.len()),
            }
        }
        report.set_cost(spent.sum());
        Ok(report)
    }

    /// Checks that the replay stays within a day's budget, estimated from the tokens the same calls used before.
    fn check_cost(&self, cases: usize, used: Usage) -> Result<(), String> {
        let Some(price) = self.config.prices.get(&self.config.model.name) else { return Ok(()) };
        let (cost, budget) = (used.cost(price), self.config.budget.day);
        if cost <= budget {
            return Ok(());
        }
        Err(format!(
            "{cases} calls would cost about ${cost:.2}, more than budget.day (${budget:.2}); take fewer with --limit \
             or --since, or say --yes"
        ))
    }
}

/// The cases in past decisions, and the tokens their calls used then.
fn cases(
    engine: &Engine,
    past: Vec<PastDecision>,
    report: &mut DecisionsEval,
) -> Result<(Vec<Case>, Usage), StoreError> {
    let mut cases = Vec::new();
    let mut used = Usage::default();
    let mut seen = HashSet::new();
    for past in past {
        let laps = engine.store().figures().timings(&past.thread)?;
        let triage = laps.steps.iter().rev().find(|lap| lap.node == TRIAGE_NODE && lap.step <= past.step);
        if let (Some(lap), Some(class)) = (triage, judge::class(&past))
            && seen.insert((past.thread.clone(), lap.step))
        {
            used += usage_at(&laps, lap.step);
            let (from, node, at) = (lap.step, lap.node.clone(), lap.at);
            cases.push(Case { past: past.clone(), from, node, at, sort: PastDecisionKind::Triage(class) });
        }
        if past.kind == Kind::Triage {
            continue;
        }
        let Some(expected) = judge::expected(&past) else {
            report.unclear += 1;
            continue;
        };
        let call_step = laps.calls.iter().map(|call| call.span.step).filter(|step| *step <= past.step).max();
        let lap = call_step.and_then(|call_step| laps.steps.iter().find(|lap| lap.step == call_step));
        match lap {
            Some(lap) => {
                used += usage_at(&laps, lap.step);
                let (from, node, at) = (lap.step, lap.node.clone(), lap.at);
                cases.push(Case { past, from, node, at, sort: PastDecisionKind::Call(expected) });
            }
            None => report.not_replayed(&past, "it is not known at which step a model was asked"),
        }
    }
    Ok((cases, used))
}

fn usage_at(laps: &ThreadTimings, step: u64) -> Usage {
    let mut used = Usage::default();
    for span in laps.calls.iter().map(|call| &call.span).filter(|span| span.step == step) {
        used += Usage { input: span.input, output: span.output, cached: span.cached };
    }
    used
}

async fn replay(engine: &Engine, case: &Case, report: &mut DecisionsEval) {
    match run(engine, case).await {
        Err(why) => report.not_replayed(&case.past, &why),
        Ok((state, asked)) => match &case.sort {
            PastDecisionKind::Triage(class) => report.count_triage(&case.past, *class, &state),
            PastDecisionKind::Call(expected) => {
                let tool = &case.past.action;
                let got = asked.iter().find(|asked| asked.action == *tool).map(|asked| &asked.args);
                report.count_call(&case.past, expected, judge::judge(tool, expected, got), &asked);
            }
        },
    }
}

/// Runs a case until something is asked. Returns the state at that point, and what is asked.
async fn run(engine: &Engine, case: &Case) -> Result<(Value, Vec<Interrupt>), String> {
    let thread = &case.past.thread;
    let state = engine.state_at(thread, Some(case.from)).map_err(|e| e.to_string())?;
    let (Some(mut state), Some(spec)) = (state, engine.registry().get(&case.past.workflow)) else {
        return Err(format!("there is no workflow `{}` any more", case.past.workflow));
    };
    let sink: ProgressSink = Arc::new(|_| {});
    let mut node = case.node.clone();
    for nth in 0..MAX_NODES {
        let step = StepContext {
            thread: thread.clone(),
            workflow: case.past.workflow.clone(),
            node: node.clone(),
            number: case.from + nth as u64,
            forked: true,
            allowance: 1,
            last_try: true,
        };
        let limit = Duration::from_secs(300);
        let output = run_node(
            &spec.workflow,
            step,
            Arc::new(NoEffects("a replay does nothing to the outside")),
            &state,
            limit,
            &sink,
        )
        .await
        .map_err(|e| e.to_string())?;
        state = spec.workflow.apply(state, &output.updates).map_err(|e| e.to_string())?;
        if matches!(case.sort, PastDecisionKind::Triage(_)) {
            return Ok((written(spec, &state), Vec::new()));
        }
        match output.next {
            Next::Goto(next) => node = next,
            Next::Ask(asked, _) => return Ok((written(spec, &state), asked)),
            Next::Spawn(..) | Next::End | Next::Abandon => return Ok((written(spec, &state), Vec::new())),
        }
    }
    Err("it ran on without asking".to_owned())
}

fn written(spec: &Spec, state: &AnyState) -> Value {
    let text = spec.workflow.write(state).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or(Value::Null)
}
