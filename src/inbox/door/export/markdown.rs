//! A thread as a Markdown page: its subject, the conversation, questions and answers, and effects.

use crate::inbox::{Block, Card, DecisionView, EffectView, NextView, QuestionView, ThreadView, TraceView};
use crate::text::Visible;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::fmt::Write;

pub(super) fn page(view: &ThreadView, card: &Card, zone: &TimeZone) -> String {
    let mut page = Page { out: String::new(), zone };
    page.head(view);
    page.conversation(view, card);
    page.questions(view);
    page.effects(&view.effects);
    page.steps(view);
    page.trace(view);
    Visible::new(&page.out).into_string()
}

struct Page<'a> {
    out: String,
    zone: &'a TimeZone,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn heading(&mut self, text: &str) {
        let _ = write!(self.out, "\n## {text}\n\n");
    }

    fn time(&self, at: Timestamp) -> String {
        at.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M:%S %Z").to_string()
    }

    /// `- name: value`; a value with several lines goes below the name.
    fn field(&mut self, name: &str, value: &str) {
        let value = value.trim_end();
        if value.contains('\n') {
            self.line(&format!("- {name}:\n"));
            self.fenced("", value, "  ");
        } else if !value.is_empty() {
            self.line(&format!("- {name}: {}", plain(value)));
        }
    }

    /// Writes text unchanged, in a fence that none of its lines can close.
    fn fenced(&mut self, language: &str, text: &str, indent: &str) {
        let longest =
            text.lines().map(|line| line.trim_start().bytes().take_while(|b| *b == b'`').count()).max();
        let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
        self.line(&format!("{indent}{fence}{language}"));
        for line in text.trim_end().lines() {
            self.line(&format!("{indent}{line}"));
        }
        self.line(&format!("{indent}{fence}"));
    }

    fn head(&mut self, view: &ThreadView) {
        self.line(&format!("# {}\n", plain(&one_line(&view.title))));
        self.field("thread", view.id.as_str());
        self.field("workflow", &one_line(&view.workflow));
        self.field("status", view.status.word());
        if let (Some(first), Some(last)) = (view.steps.first(), view.steps.last()) {
            self.field("began", &self.time(first.at));
            self.field("last step", &self.time(last.at));
        }
        if let Some(parent) = &view.parent {
            self.field("started by", parent.as_str());
        }
        if let Some(from) = &view.forked_from {
            self.field("forked from", &format!("{} after step {}", from.thread, from.step));
        }
        if let Some(error) = &view.error {
            self.field("trouble", &format!("{} [{}]", one_line(&error.text), one_line(&error.code)));
        }
        let usage = &view.usage;
        let cost = usage.cost.map_or("price not known".to_owned(), |cost| format!("${cost:.4}"));
        self.field(
            "models",
            &format!(
                "{} calls, {} tokens read, {} written, {cost}",
                usage.calls, usage.input_tokens, usage.output_tokens
            ),
        );
    }

    /// The mails first and oldest first, so that it reads in the order it was written. A card has them the other way
    /// round.
    fn conversation(&mut self, view: &ThreadView, card: &Card) {
        if card.blocks.is_empty() {
            return;
        }
        self.heading("Conversation");
        let is_mail = |block: &&Block| matches!(block, Block::Mail(_));
        let (mails, rest): (Vec<&Block>, Vec<&Block>) = card.blocks.iter().partition(is_mail);
        let has_mails = !mails.is_empty();
        self.blocks(mails.into_iter().rev());
        if has_mails && !rest.is_empty() {
            let open = view.questions.iter().any(QuestionView::is_open);
            self.heading(if open { "Waits for you" } else { "Result" });
        }
        self.blocks(rest.into_iter());
    }

    fn blocks<'b>(&mut self, blocks: impl Iterator<Item = &'b Block>) {
        for block in blocks {
            match block {
                Block::Markdown(text) => self.quoted(text),
                Block::Turns(turns) => {
                    for (who, said) in turns {
                        self.line(&format!("**{}**\n", plain(who)));
                        self.quoted(said);
                    }
                }
                Block::Fields(fields) => {
                    fields.iter().for_each(|(name, value)| self.field(name, value));
                    self.line("");
                }
                Block::Heading(text) => self.line(&format!("### {}\n", plain(text))),
                Block::Panel { title, blocks } => {
                    self.line(&format!("### {}\n", plain(title)));
                    self.blocks(blocks.iter());
                    self.line("---\n");
                }
                Block::Code { language, text } => {
                    self.fenced(language, text, "");
                    self.line("");
                }
                other => {
                    if let Block::Mail(mail) = other {
                        self.line(&format!("### {}\n", plain(&mail.from)));
                    }
                    let text = Card { blocks: vec![other.clone()] }.text();
                    if !text.trim().is_empty() {
                        self.fenced("", &text, "");
                        self.line("");
                    }
                }
            }
        }
    }

    /// Quotes what others said, so that a heading in it does not become a heading of the page.
    fn quoted(&mut self, text: &str) {
        for line in text.trim_end().lines() {
            self.line(&format!("> {line}"));
        }
        self.line("");
    }

    fn questions(&mut self, view: &ThreadView) {
        if view.questions.is_empty() {
            return;
        }
        self.heading("Asked and answered");
        for question in &view.questions {
            self.question(question);
            for decision in view.decisions.iter().filter(|decision| decision.interrupt == question.id) {
                self.decision(decision);
            }
        }
    }

    fn question(&mut self, question: &QuestionView) {
        self.line(&format!("### {}\n", plain(&one_line(&question.title))));
        self.field("id", question.id.as_str());
        self.field("asked", &self.time(question.at));
        self.field("kind", &format!("{}, {}", question.kind.word(), one_line(&question.action)));
        self.field("about", &one_line(&question.gist));
        for warning in &question.warnings {
            self.field("warning", &one_line(&warning.line()));
        }
        match &question.closed {
            Some(why) => self.field("closed", &one_line(why)),
            None if question.is_open() => self.field("state", "waits for an answer"),
            None => {}
        }
        self.value("proposed", &question.args);
    }

    fn decision(&mut self, decision: &DecisionView) {
        let undone =
            decision.undone_at.map(|at| format!(", taken back {}", self.time(at))).unwrap_or_default();
        let what = format!(
            "{} by {}, {}{undone}",
            decision.r#type,
            one_line(&decision.by.words()),
            self.time(decision.at)
        );
        self.field("answer", &what);
        self.value("given", &decision.args);
        if let Some(executed) = &decision.executed {
            self.value("carried out", executed);
        }
    }

    fn value(&mut self, name: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.field(name, text),
            other => {
                self.line(&format!("- {name}:\n"));
                self.fenced("json", &serde_json::to_string_pretty(other).unwrap_or_default(), "  ");
            }
        }
    }

    fn effects(&mut self, effects: &[EffectView]) {
        if effects.is_empty() {
            return;
        }
        self.heading("Done outside sayso");
        for effect in effects {
            let name = one_line(&effect.name);
            self.line(&format!(
                "- {}: {} at step {}, {}",
                plain(&name),
                effect.state,
                effect.step,
                self.time(effect.at)
            ));
            self.value("outcome", &effect.outcome);
        }
    }

    fn steps(&mut self, view: &ThreadView) {
        self.heading("Steps");
        for step in &view.steps {
            let next = match &step.next {
                NextView::Goto { goto } => format!("on to {goto}"),
                NextView::Ask { ask, then } => format!("asks {}, then {then}", ids(ask)),
                NextView::Spawn { spawn, then } => format!("starts {}, then {then}", ids(spawn)),
                NextView::End { .. } => "ends".to_owned(),
            };
            let at = self.time(step.at);
            self.line(&format!(
                "{}. {}: {} ({at})",
                step.n,
                plain(&one_line(&step.node)),
                plain(&one_line(&next))
            ));
        }
    }

    fn trace(&mut self, view: &ThreadView) {
        self.heading("Trace");
        self.span(&view.trace, 0);
    }

    fn span(&mut self, span: &TraceView, depth: usize) {
        let mut text =
            format!("{:indent$}- {}, {} ms", "", plain(&one_line(&span.name)), span.ms, indent = depth * 2);
        if span.input_tokens + span.output_tokens > 0 {
            let _ = write!(text, ", {} tokens read, {} written", span.input_tokens, span.output_tokens);
        }
        if let Some(model) = span.model.as_deref().filter(|model| !model.is_empty()) {
            let _ = write!(text, ", {}", plain(&one_line(model)));
        }
        if let Some(error) = &span.error {
            let _ = write!(text, ", {}", plain(&one_line(error)));
        }
        self.line(&text);
        span.children.iter().for_each(|child| self.span(child, depth + 1));
    }
}

fn ids<T: ToString>(ids: &[T]) -> String {
    ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn one_line(text: &str) -> String {
    Visible::line(text).into_string()
}

/// Escapes Markdown in a line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
