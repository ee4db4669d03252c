//! Turns rows into spans: the tree users see under Trace, with ids that stay the same however often it is sent.
//!
//! A trace is a thread with everything it started. The ids of threads, steps and calls derive from their names in the
//! store, so a parent's id is known before the parent is sent, and a span sent twice is the same span. A span holds
//! only names and numbers, unless contents were asked for.

use super::wire::{Attribute, Kind, Span};
use super::words::message_attributes;
use crate::config::{Config, Provider};
use crate::driver::Engine;
use crate::graph::{EffectState, ThreadId};
use crate::inbox::Status;
use crate::llm::Redactor;
use crate::service::{SpanNames, before, read_call};
use crate::store::{Call, PendingSpan, StepTiming, Traced, TracedEffect};
use crate::text::hex;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// Makes spans from the rows of a store.
pub(super) struct SpanBuilder<'a> {
    engine: &'a Engine,
    config: &'a Config,
    redactor: &'a Redactor,
    contents: bool,
    threads: HashMap<ThreadId, Option<TracedThread<'a>>>,
}

/// A thread whose spans are sent.
struct TracedThread<'a> {
    traced: Traced,
    names: SpanNames<'a>,
    trace: String,
}

/// Something in a thread that has a span id.
enum Part<'a> {
    Thread,
    Step(u64),
    Call(u64),
    Effect(u64, &'a str),
}

impl<'a> SpanBuilder<'a> {
    pub(super) fn new(engine: &'a Engine, config: &'a Config, redactor: &'a Redactor) -> Self {
        let contents = config.traces.as_ref().is_some_and(|traces| traces.contents);
        Self { engine, config, redactor, contents, threads: HashMap::new() }
    }

    /// Whether an effect has to wait for its step, which the driver is about to commit.
    pub(super) fn waits(&mut self, thread: &ThreadId, what: &PendingSpan) -> bool {
        let PendingSpan::Effect { step, name } = what else { return false };
        let Some(traced_thread) = self.traced_thread(thread) else { return false };
        let mut effects = traced_thread.traced.effects.iter();
        let effect = effects.find(|effect| effect.step == *step && effect.name == *name);
        traced_thread.traced.status.active()
            && effect.is_some_and(|effect| traced_thread.node_of(effect).is_none())
    }

    fn traced_thread(&mut self, thread: &ThreadId) -> Option<&TracedThread<'a>> {
        if !self.threads.contains_key(thread) {
            self.threads.insert(thread.clone(), self.read(thread));
        }
        self.threads.get(thread)?.as_ref()
    }

    /// The spans of something that happened in a thread; none if the store no longer has it, or it is damaged.
    pub(super) fn spans_of(&mut self, thread: &ThreadId, what: &PendingSpan) -> Vec<Span> {
        self.traced_thread(thread);
        let Some(Some(traced_thread)) = self.threads.get(thread) else { return Vec::new() };
        let mut spans = match what {
            PendingSpan::Step { step, ends } => {
                let timing = traced_thread.traced.timings.steps.iter().find(|timing| timing.step == *step);
                let mut spans: Vec<Span> =
                    timing.and_then(|timing| traced_thread.node(timing)).into_iter().collect();
                if let (true, Some(timing)) = (ends, timing) {
                    spans.extend(traced_thread.thread_spans(timing.at.as_millisecond()));
                }
                spans
            }
            PendingSpan::Call { call } => {
                let call = traced_thread.traced.timings.calls.iter().find(|known| known.number == *call);
                call.map(|call| self.call(traced_thread, call)).into_iter().collect()
            }
            PendingSpan::Effect { step, name } => {
                let effect = traced_thread.traced.effects.iter().find(|e| e.step == *step && e.name == *name);
                effect.and_then(|effect| traced_thread.effect(effect)).into_iter().collect()
            }
            PendingSpan::Ended => {
                traced_thread.thread_spans(traced_thread.traced.timings.last.as_millisecond())
            }
        };
        for span in &mut spans {
            span.name = self.redactor.text(&span.name);
            span.attributes.extend(traced_thread.common_attributes());
        }
        spans
    }

    fn read(&self, thread: &ThreadId) -> Option<TracedThread<'a>> {
        let read = self.engine.store().figures().traced(thread).and_then(|traced| {
            let names = SpanNames::new(self.engine, &traced.timings)?;
            let trace = id(&["trace", traced.root.as_str()], 16);
            Ok(TracedThread { traced, names, trace })
        });
        read.inspect_err(|error| tracing::warn!(%thread, %error, "a thread has no trace to send")).ok()
    }

    fn call(&self, traced_thread: &TracedThread<'_>, Call { number, span, at }: &Call) -> Span {
        let provider = self.provider(&span.model);
        let mut attributes: Vec<(&'static str, Attribute)> = vec![
            ("gen_ai.operation.name", "chat".into()),
            ("gen_ai.provider.name", provider.into()),
            // The old name; some servers still look for it.
            ("gen_ai.system", provider.into()),
            ("gen_ai.request.model", self.redactor.text(&span.model).into()),
            ("gen_ai.usage.input_tokens", span.input.into()),
            ("gen_ai.usage.output_tokens", span.output.into()),
            ("gen_ai.usage.cache_read.input_tokens", span.cached.into()),
            ("sayso.step", span.step.into()),
        ];
        attributes.extend(span.cost.map(|cost| ("gen_ai.usage.cost", Attribute::Amount(cost))));
        attributes.extend(span.error.as_ref().map(|error| ("error.type", error.as_str().into())));
        if self.contents
            && let Ok(view) = read_call(self.engine.store(), &span.thread, *number)
            && view.missing.is_none()
        {
            attributes.extend(message_attributes(&view, self.redactor));
        }
        Span {
            parent: Some(traced_thread.id(&Part::Step(span.step))),
            name: span.task.clone(),
            kind: Kind::Client,
            began: before(*at, span.ms).as_millisecond(),
            ended: at.as_millisecond(),
            attributes,
            error: span.error.clone(),
            ..traced_thread.span(&Part::Call(*number))
        }
    }

    /// The provider of a model, in the words of OpenTelemetry's conventions.
    fn provider(&self, model: &str) -> &'static str {
        let mut models = self.config.models.values().chain([&self.config.model]);
        match models.find(|configured| configured.name == model).map(|configured| configured.provider) {
            Some(Provider::Builtin) => "sayso",
            Some(Provider::Openai) => "openai",
            Some(Provider::Anthropic) => "anthropic",
            Some(Provider::Gemini) => "gcp.gemini",
            Some(Provider::Ollama) => "ollama",
            None => "_OTHER",
        }
    }
}

impl TracedThread<'_> {
    fn node(&self, timing: &StepTiming) -> Option<Span> {
        let began = before(timing.at, timing.ms?).as_millisecond();
        Some(Span {
            name: self.name(&timing.node, timing.step),
            began,
            ended: timing.at.as_millisecond(),
            attributes: vec![("sayso.node", timing.node.as_str().into()), ("sayso.step", timing.step.into())],
            ..self.step(timing.step)
        })
    }

    /// The span of the whole thread, and those of steps that were begun and never committed.
    fn thread_spans(&self, ended: i64) -> Vec<Span> {
        let Traced { timings, status, error, parent, forked_from, .. } = &self.traced;
        let above = |(thread, step): &(ThreadId, u64)| span_id(thread, &Part::Step(*step));
        let mut attributes: Vec<(&'static str, Attribute)> = vec![
            ("gen_ai.operation.name", "invoke_agent".into()),
            ("gen_ai.provider.name", "sayso".into()),
            ("gen_ai.agent.name", timings.workflow.as_str().into()),
            ("sayso.status", status.word().into()),
        ];
        attributes.extend(forked_from.as_ref().map(|origin| ("sayso.forked_from", origin.as_str().into())));
        let failed =
            if *status == Status::Abandoned { error.clone().or(Some("abandoned".to_owned())) } else { None };
        attributes.extend(failed.as_ref().map(|error| ("error.type", error.as_str().into())));
        let thread_span = Span {
            parent: parent.as_ref().map(above),
            name: self.names.of(&timings.workflow, None, 1),
            began: timings.began.as_millisecond(),
            ended,
            attributes,
            error: failed,
            ..self.span(&Part::Thread)
        };
        let mut spans = self.uncommitted_steps();
        spans.push(thread_span);
        spans
    }

    /// Spans for steps that were never committed, timed by the calls in them.
    fn uncommitted_steps(&self) -> Vec<Span> {
        let Traced { timings, node, .. } = &self.traced;
        let mut times: BTreeMap<u64, (i64, i64)> = BTreeMap::new();
        for Call { span, at, .. } in &timings.calls {
            let (began, ended) = (before(*at, span.ms).as_millisecond(), at.as_millisecond());
            let time = times.entry(span.step).or_insert((began, ended));
            *time = (time.0.min(began), time.1.max(ended));
        }
        times.retain(|step, _| {
            !timings.steps.iter().any(|timing| timing.step == *step && timing.ms.is_some())
        });
        let span = |(step, (began, ended)): (u64, (i64, i64))| Span {
            name: if step == timings.steps.len() as u64 {
                self.name(node, step)
            } else {
                format!("step {step}")
            },
            began,
            ended,
            attributes: vec![("sayso.step", step.into()), ("error.type", "not_taken".into())],
            error: Some("not_taken".to_owned()),
            ..self.step(step)
        };
        times.into_iter().map(span).collect()
    }

    fn effect(&self, effect: &TracedEffect) -> Option<Span> {
        let failed = match effect.state {
            EffectState::Done | EffectState::Settled => None,
            EffectState::NotDone | EffectState::InDoubt => Some(effect.state.word().to_owned()),
            EffectState::Begun => return None,
        };
        let tool = effect.name.split([':', ' ']).next().unwrap_or_default();
        let mut attributes: Vec<(&'static str, Attribute)> = vec![
            ("gen_ai.operation.name", "execute_tool".into()),
            ("gen_ai.tool.name", tool.into()),
            ("gen_ai.tool.call.id", effect.name.as_str().into()),
            ("sayso.step", effect.step.into()),
            ("sayso.effect", effect.state.word().into()),
        ];
        attributes.extend(failed.as_ref().map(|why| ("error.type", why.as_str().into())));
        Some(Span {
            parent: Some(
                self.id(&self.node_of(effect).map_or(Part::Thread, |timing| Part::Step(timing.step))),
            ),
            name: format!("execute_tool {tool}"),
            began: effect.begun.as_millisecond(),
            ended: effect.ended?.as_millisecond(),
            attributes,
            error: failed,
            ..self.span(&Part::Effect(effect.step, &effect.name))
        })
    }

    /// The step whose node caused an effect, once it is committed. An effect is numbered by the steps before it, and
    /// the updates its node was waiting for come in between.
    fn node_of(&self, effect: &TracedEffect) -> Option<&StepTiming> {
        self.traced.timings.steps.iter().find(|timing| timing.ms.is_some() && timing.step >= effect.step)
    }

    /// The name of a node's run at a step; runs of a node are counted.
    fn name(&self, node: &str, step: u64) -> String {
        let timings = &self.traced.timings;
        let runs = timings
            .steps
            .iter()
            .filter(|timing| timing.ms.is_some() && timing.node == node && timing.step < step);
        self.names.of(&timings.workflow, Some(node), runs.count() + 1)
    }

    fn step(&self, step: u64) -> Span {
        Span { parent: Some(self.id(&Part::Thread)), ..self.span(&Part::Step(step)) }
    }

    /// The attributes of every span in a thread.
    fn common_attributes(&self) -> [(&'static str, Attribute); 3] {
        let timings = &self.traced.timings;
        [
            ("gen_ai.conversation.id", timings.thread.as_str().into()),
            ("session.id", self.traced.root.as_str().into()),
            ("sayso.workflow", timings.workflow.as_str().into()),
        ]
    }

    fn span(&self, part: &Part<'_>) -> Span {
        Span {
            trace: self.trace.clone(),
            id: self.id(part),
            parent: None,
            name: String::new(),
            kind: Kind::Internal,
            began: 0,
            ended: 0,
            attributes: Vec::new(),
            error: None,
        }
    }

    fn id(&self, part: &Part<'_>) -> String {
        span_id(&self.traced.timings.thread, part)
    }
}

fn span_id(thread: &ThreadId, part: &Part<'_>) -> String {
    let thread = thread.as_str();
    match part {
        Part::Thread => id(&["thread", thread], 8),
        Part::Step(step) => id(&["step", thread, &step.to_string()], 8),
        Part::Call(call) => id(&["call", thread, &call.to_string()], 8),
        Part::Effect(step, name) => id(&["effect", thread, &step.to_string(), name], 8),
    }
}

/// An id that depends on these words alone: so many bytes, in hexadecimal.
fn id(words: &[&str], bytes: usize) -> String {
    hex(&Sha256::digest(words.join("\0").as_bytes())[..bytes])
}
