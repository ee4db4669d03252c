//! How long everything took: a thread, its nodes, their model calls and the threads they started, as a tree.

use crate::engine::driver::Engine;
use crate::engine::graph::{AnyState, ThreadId};
use crate::engine::store::{Call, StepTiming, ThreadTimings};
use crate::inbox::{InboxError, Spec, TraceView};
use jiff::Timestamp;
use std::collections::HashMap;

/// How many levels of child threads are followed.
const DEPTH: usize = 8;

/// The trace of a thread.
pub(super) fn trace(engine: &Engine, thread: &ThreadId) -> Result<TraceView, InboxError> {
    thread_trace(engine, thread, DEPTH)
}

fn thread_trace(engine: &Engine, id: &ThreadId, depth: usize) -> Result<TraceView, InboxError> {
    let timings = engine.store().statistics().timings(id)?;
    let names = SpanNames::new(engine, &timings)?;
    let mut runs: HashMap<&str, usize> = HashMap::new();
    let mut nodes = Vec::new();
    for timing in &timings.steps {
        let Some(ms) = timing.ms else { continue };
        let nth = runs.entry(timing.node.as_str()).or_default();
        *nth += 1;
        let mut node = node(names.of(&timings.workflow, Some(&timing.node), *nth), timing, ms);
        node.children =
            timings.calls.iter().filter(|call| call.span.step == timing.step).map(call_span).collect();
        for (child, _) in timings.children.iter().filter(|(_, step)| depth > 0 && *step == timing.step) {
            node.children.push(thread_trace(engine, child, depth - 1)?);
        }
        nodes.push(include_children(node));
    }
    // Calls of a step that is not committed yet, or never was.
    let is_committed =
        |call: &Call| timings.steps.iter().any(|timing| timing.ms.is_some() && timing.step == call.span.step);
    nodes.extend(timings.calls.iter().filter(|call| !is_committed(call)).map(call_span));
    let name = names.of(&timings.workflow, None, 1);
    Ok(include_children(thread_span(name, timings, nodes)))
}

/// The names of a thread's spans.
struct SpanNames<'a> {
    spec: Option<&'a Spec>,
    state: Option<AnyState>,
}

impl<'a> SpanNames<'a> {
    /// The names its workflow gives, or plain names if this build does not know the workflow.
    fn new(engine: &'a Engine, timings: &ThreadTimings) -> Result<Self, InboxError> {
        let spec = engine.registry().get(&timings.workflow);
        Ok(Self { spec, state: engine.state_at(&timings.thread, None)? })
    }

    /// The name of the thread, or of the `nth` run of a node.
    fn of(&self, workflow: &str, node: Option<&str>, nth: usize) -> String {
        match (self.spec, &self.state) {
            (Some(spec), Some(state)) => spec.span_name(state, node, nth),
            _ => node.unwrap_or(workflow).to_owned(),
        }
    }
}

fn thread_span(name: String, timings: ThreadTimings, children: Vec<TraceView>) -> TraceView {
    TraceView {
        ms: between(timings.began, timings.last),
        thread: Some(timings.thread),
        children,
        ..TraceView::begun(name, "thread", timings.began)
    }
}

fn node(name: String, timing: &StepTiming, ms: u64) -> TraceView {
    TraceView { ms, step: Some(timing.step), ..TraceView::begun(name, "node", before(timing.at, ms)) }
}

fn call_span(Call { number, span, at }: &Call) -> TraceView {
    TraceView {
        ms: span.ms,
        step: Some(span.step),
        input_tokens: span.input,
        output_tokens: span.output,
        cost: span.cost,
        call: Some(*number),
        model: Some(span.model.clone()),
        error: span.error.clone(),
        ..TraceView::begun(span.task.clone(), "call", before(*at, span.ms))
    }
}

/// Adds the tokens of everything inside, and makes the span last as long as the threads it waited for.
fn include_children(mut span: TraceView) -> TraceView {
    span.input_tokens += span.children.iter().map(|child| child.input_tokens).sum::<u64>();
    if span.call.is_none() {
        span.cost = span.children.iter().map(|child| child.cost).sum();
    }
    span.output_tokens += span.children.iter().map(|child| child.output_tokens).sum::<u64>();
    let threads = span.children.iter().filter(|child| child.sort == "thread");
    let last = threads.map(|child| between(span.at, child.at).saturating_add(child.ms)).max();
    span.ms = span.ms.max(last.unwrap_or_default());
    span
}

fn between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_millisecond() - from.as_millisecond()).unwrap_or_default()
}

/// The start time of something that took `ms` and ended at `at`.
fn before(at: Timestamp, ms: u64) -> Timestamp {
    let ms = at.as_millisecond().saturating_sub(i64::try_from(ms).unwrap_or(i64::MAX));
    Timestamp::from_millisecond(ms).unwrap_or(at)
}
