//! `sayso show`: shows a card, a whole thread, or why an item is in the inbox.

use super::view;
use crate::cli::context::Context;
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::{Target, target};
use crate::cli::output::{Format, Output};
use crate::cli::values::Lines;
use crate::inbox::door::name_words;
use crate::inbox::{DecisionView, EffectView, NextView, StepView, ThreadView, TraceView};
use crate::text::duration;
use serde_json::json;

/// Show a card, or a whole thread: what happened, who decided, what was done
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso show i7k2m9q4x\n  \
    sayso show i7k2 --why\n  \
    sayso show t3h8w1z5c\n  \
    sayso show t3h8 --json | jq '.decisions[] | {type, by, at}'")]
pub struct Args {
    /// The interrupt, or the thread
    id: String,
    /// Say why it is in the inbox: reasons, rules, memory and cost
    #[arg(long)]
    why: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let target = target(&self.id)?;
        if self.why {
            let id = match target {
                Target::Interrupt(id) => id.to_string(),
                Target::Result(thread) => thread.to_string(),
            };
            let folder = context.open()?;
            let card = folder.inbox().decisions().why(id.clone()).await;
            let text = card.map_err(|error| Failure::from_inbox(&error, Exit::Gone))?.text();
            return folder.format.answer(&json!({ "id": id, "text": text }), |_| format!("{text}\n"));
        }
        let Target::Result(thread) = target else {
            return view::Args { id: self.id }.run(context).await;
        };
        let folder = context.open()?;
        let view = folder.inbox().threads().view(thread).await?;
        folder.format.answer(&view, |format| text(format, &view))
    }
}

fn text(format: &Format, view: &ThreadView) -> String {
    let mut lines = Lines::new(format.columns());
    lines.line(0, &format!("{} · {} · {}", view.id, view.workflow, view.status));
    lines.line(0, &view.title);
    if let Some(parent) = &view.parent {
        lines.line(0, &format!("started by {parent}"));
    }
    if let Some(origin) = &view.forked_from {
        lines.line(0, &format!("forked from {} after step {}", origin.thread, origin.step));
    }
    if let Some(error) = &view.error {
        lines.line(0, &format!("trouble: {} [{}]", error.text, error.code));
    }
    steps(&mut lines, format, &view.steps);
    decisions(&mut lines, format, &view.decisions);
    effects(&mut lines, format, &view.effects);
    if let Some(output) = view.output.as_ref().filter(|output| !output.is_null()) {
        lines.heading("Output");
        lines.value(2, output);
    }
    if view.usage.model_calls() > 0 {
        lines.heading("Usage");
        let usage = &view.usage;
        let tokens = format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens);
        let cost = usage.cost.map_or("price not known".to_owned(), |cost| format!("${cost:.4}"));
        lines.line(2, &format!("{} model calls, {tokens}, {cost}", usage.model_calls()));
    }
    lines.heading("Trace");
    trace(&mut lines, &view.trace, "", "");
    lines.into_text()
}

/// A span on one line, and its children below.
fn trace(lines: &mut Lines, span: &TraceView, branch: &str, below: &str) {
    let mut text = format!("{branch}{} · {}", span.name, duration(span.ms));
    if span.input_tokens + span.output_tokens > 0 {
        text += &format!(" · {} tokens in, {} out", span.input_tokens, span.output_tokens);
    }
    if let Some(model) = span.model.as_ref().filter(|model| !model.is_empty()) {
        text += &format!(" · {model}");
    }
    if let Some(error) = &span.error {
        text += &format!(" · {error}");
    }
    lines.line(2, &text);
    for (at, child) in span.children.iter().enumerate() {
        let last = at + 1 == span.children.len();
        let (branch, under) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        trace(lines, child, &format!("{below}{branch}"), &format!("{below}{under}"));
    }
}

fn steps(lines: &mut Lines, format: &Format, steps: &[StepView]) {
    lines.heading("Steps");
    let widest = steps.last().map_or(1, |last| last.n.to_string().len());
    for step in steps {
        let next = next(&step.next);
        lines.line(2, &format!("{:>widest$}  {}  {} {next}", step.n, format.time(step.at), step.node));
        // Updates are a list, but each is shown without a dash.
        step.updates.as_array().into_iter().flatten().for_each(|update| lines.value(4 + widest, update));
    }
}

fn decisions(lines: &mut Lines, format: &Format, decisions: &[DecisionView]) {
    if decisions.is_empty() {
        return;
    }
    lines.heading("Decisions");
    for decision in decisions {
        let (at, id) = (format.time(decision.at), &decision.interrupt);
        let undone = decision.undone_at.map(|at| format!(", taken back {}", format.time(at)));
        let what =
            format!("{} of {}, by {}", decision.r#type, name_words(&decision.action), decision.by.words());
        lines.line(2, &format!("{at}  {id} {what}{}", undone.unwrap_or_default()));
        lines.field(4, "proposed", &decision.proposed);
        if !decision.args.is_null() {
            lines.field(4, "given", &decision.args);
        }
        if let Some(executed) = &decision.executed {
            lines.field(4, "executed", executed);
        }
    }
}

fn effects(lines: &mut Lines, format: &Format, effects: &[EffectView]) {
    if effects.is_empty() {
        return;
    }
    lines.heading("Effects");
    for effect in effects {
        let (at, name) = (format.time(effect.at), name_words(&effect.name));
        lines.line(2, &format!("{at}  {name} (step {}): {}", effect.step, effect.state));
        if !effect.outcome.is_null() {
            lines.value(4, &effect.outcome);
        }
    }
}

fn next(next: &NextView) -> String {
    let list = |ids: Vec<String>| ids.join(", ");
    match next {
        NextView::Goto { goto } => format!("→ {goto}"),
        NextView::Ask { ask, then } => {
            format!("asks {} → {then}", list(ask.iter().map(ToString::to_string).collect()))
        }
        NextView::Spawn { spawn, then } => {
            format!("starts {} → {then}", list(spawn.iter().map(ToString::to_string).collect()))
        }
        NextView::End { .. } => "→ END".to_owned(),
    }
}
