//! `sayso show`: a whole thread.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::ids::thread;
use crate::cli::output::{Answer, Page};
use crate::cli::pages::plain;
use crate::inbox::{NextView, ThreadView};
use crate::text::{Visible, wrap};
use serde_json::Value;
use std::fmt::Write;

/// Columns of running text where the page has no width of its own.
const READABLE: usize = 100;

/// Show a whole thread: what happened, who decided, what was done
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso show t3h8w1z5c\n  \
    sayso show t3h8 --json | jq '.decisions[] | {type, by, at}'")]
pub(in crate::cli) struct Args {
    /// The thread
    thread: String,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let thread = thread(&self.thread)?;
        let here = context.open()?;
        let view = here.backend().thread(thread).await?;
        here.page.answer(&view, |page| text(page, &view))
    }
}

fn text(page: &Page, view: &ThreadView) -> String {
    let mut out = Out { text: String::new(), columns: page.width.unwrap_or(READABLE) };
    out.line(0, &format!("{} · {} · {}", view.id, view.workflow, view.status));
    out.line(0, &view.title);
    if let Some(parent) = &view.parent {
        out.line(0, &format!("started by {parent}"));
    }
    if let Some(origin) = &view.forked_from {
        out.line(0, &format!("forked from {} after step {}", origin.thread, origin.step));
    }
    if let Some(error) = &view.error {
        out.line(0, &format!("trouble: {} [{}]", error.text, error.code));
    }
    out.steps(page, view);
    out.decisions(page, view);
    out.effects(page, view);
    if let Some(output) = view.output.as_ref().filter(|output| !output.is_null()) {
        out.heading("Output");
        out.value(2, output);
    }
    if view.usage.calls > 0 {
        out.heading("Usage");
        let usage = &view.usage;
        let tokens = format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens);
        out.line(2, &format!("{} model calls, {tokens}, ${:.4}", usage.calls, usage.cost));
    }
    out.text
}

/// Text that grows line by line, each wrapped under its beginning.
struct Out {
    text: String,
    columns: usize,
}

impl Out {
    fn heading(&mut self, text: &str) {
        let _ = write!(self.text, "\n{text}\n");
    }

    fn line(&mut self, indent: usize, text: &str) {
        let text = Visible::new(text);
        for line in wrap(&text, self.columns.saturating_sub(indent).max(20)) {
            let _ = writeln!(self.text, "{:indent$}{line}", "");
        }
    }

    /// A value as a person reads it; a list of one thing as that thing.
    fn value(&mut self, indent: usize, value: &Value) {
        match value {
            Value::Array(items) if items.is_empty() => {}
            Value::Array(items) => items.iter().for_each(|item| self.value(indent, item)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    self.line(indent, &format!("{name}: {}", plain(field)));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.line(indent, &plain(value))
            }
        }
    }

    fn steps(&mut self, page: &Page, view: &ThreadView) {
        self.heading("Steps");
        let widest = view.steps.last().map_or(1, |last| last.n.to_string().len());
        for step in &view.steps {
            let next = next(&step.next);
            self.line(2, &format!("{:>widest$}  {}  {} {next}", step.n, page.time(step.at), step.node));
            self.value(4 + widest, &step.updates);
        }
    }

    fn decisions(&mut self, page: &Page, view: &ThreadView) {
        if view.decisions.is_empty() {
            return;
        }
        self.heading("Decisions");
        for decision in &view.decisions {
            let undone = decision.undone_at.map(|at| format!(", taken back {}", page.time(at)));
            self.line(
                2,
                &format!(
                    "{}  {} {} of {}, by {}{}",
                    page.time(decision.at),
                    decision.interrupt,
                    decision.r#type,
                    decision.action,
                    decision.by,
                    undone.unwrap_or_default()
                ),
            );
            self.line(4, &format!("proposed: {}", plain(&decision.proposed)));
            if !decision.args.is_null() {
                self.line(4, &format!("given: {}", plain(&decision.args)));
            }
            if let Some(executed) = &decision.executed {
                self.line(4, &format!("executed: {}", plain(executed)));
            }
        }
    }

    fn effects(&mut self, page: &Page, view: &ThreadView) {
        if view.effects.is_empty() {
            return;
        }
        self.heading("Effects");
        for effect in &view.effects {
            self.line(
                2,
                &format!(
                    "{}  {} (step {}): {}{}",
                    page.time(effect.at),
                    effect.name,
                    effect.step,
                    effect.state,
                    if effect.outcome.is_null() {
                        String::new()
                    } else {
                        format!(", {}", plain(&effect.outcome))
                    }
                ),
            );
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
