//! Why an item is there, or a mail is not: the workflow's explanation, and the thread's cost so far.

use super::Inbox;
use super::{action_words, profile_words};
use crate::engine::graph::{InterruptId, Kind, ThreadId};
use crate::inbox::{Block, Card, InboxError, Item, NextView, Question, StepView, UsageView};
use crate::text::Visible;
use serde_json::Value;

/// How many lines of a profile are shown.
const LINES: usize = 40;

/// How many of the last steps are shown if a workflow has no explanation.
const STEPS: usize = 12;

impl Inbox {
    /// Reads the thread as it was when it asked.
    pub(super) fn read_why(&self, id: &str) -> Result<Card, InboxError> {
        let store = self.store();
        let unknown = || InboxError::unknown("item", id.to_owned());
        let (item, steps) = match (InterruptId::parse(id), ThreadId::parse(id)) {
            (Ok(id), _) => {
                let stored = store.inbox().item(&id)?;
                (Item::Question(Box::new(stored.item)), Some(stored.steps))
            }
            (Err(_), Ok(thread)) => (Item::Result(store.inbox().thread(&thread)?), None),
            (Err(_), Err(_)) => return Err(unknown()),
        };
        let mut blocks = Vec::new();
        if let Some(question) = item.question().filter(|question| question.kind == Kind::Trouble) {
            blocks.push(Block::Fields(trouble(question)));
        }
        blocks.extend(self.explained(&item, steps)?);
        blocks.extend(self.remembered(&item, steps)?);
        blocks.push(Block::Heading(Visible::line("Cost")));
        blocks.push(Block::Fields(cost(&store.statistics().usage(item.thread())?)));
        Ok(Card { blocks })
    }

    /// The person's known wishes at the time: the profiles that the thread uses, as they were when it asked.
    fn remembered(&self, item: &Item, steps: Option<u64>) -> Result<Vec<Block>, InboxError> {
        let store = self.store();
        let Some(spec) = self.engine.registry().get(item.workflow()) else { return Ok(Vec::new()) };
        let Some(state) = self.engine.state_at(item.thread(), steps)? else { return Ok(Vec::new()) };
        let mut fields = Vec::new();
        for namespace in spec.profiles(&state) {
            let versions = store.memory().history(&namespace)?;
            let Some(then) = versions.into_iter().find(|version| version.updated_at <= item.created_at())
            else {
                continue;
            };
            let mut lines: Vec<&str> = then.profile.lines().take(LINES + 1).collect();
            if lines.len() > LINES {
                lines[LINES] = "…";
            }
            let text = format!("version {}\n{}", then.version, lines.join("\n"));
            fields.push((Visible::line(&profile_words(&namespace)), Visible::new(&text)));
        }
        if fields.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Block::Heading(Visible::line("Memory it could use")), Block::Fields(fields)])
    }

    fn explained(&self, item: &Item, steps: Option<u64>) -> Result<Vec<Block>, InboxError> {
        if let Some(spec) = self.engine.registry().get(item.workflow())
            && let Some(state) = self.engine.state_at(item.thread(), steps)?
            && let Some(blocks) = spec.explain(&state, item.question())
        {
            return Ok(blocks);
        }
        let thread = self.store().threads().view(item.thread())?;
        let until = steps.and_then(|steps| usize::try_from(steps).ok()).unwrap_or(thread.steps.len());
        let shown = &thread.steps[..until.min(thread.steps.len())];
        let mut blocks = vec![Block::Heading(Visible::line("What the thread did"))];
        let earlier = shown.len().saturating_sub(STEPS);
        if earlier > 0 {
            blocks.push(Block::Text(Visible::new(&format!("({earlier} steps before these)"))));
        }
        blocks.push(Block::Fields(shown[earlier..].iter().map(step_line).collect()));
        Ok(blocks)
    }
}

fn trouble(item: &Question) -> Vec<(Visible, Visible)> {
    let mut fields = vec![
        (Visible::line("trouble"), Visible::line(&action_words(&item.workflow, &item.action))),
        (Visible::line("because"), Visible::new(&item.gist)),
    ];
    for name in ["node", "effect"] {
        let value = item.args.get(name).and_then(Value::as_str).filter(|value| !value.is_empty());
        fields.extend(value.map(|value| (Visible::line(name), Visible::line(value))));
    }
    fields
}

fn step_line(step: &StepView) -> (Visible, Visible) {
    let next = match &step.next {
        NextView::Goto { goto } => format!("then {goto}"),
        NextView::Ask { ask, .. } if ask.len() == 1 => "asked you".to_owned(),
        NextView::Ask { ask, .. } => format!("asked you {} things", ask.len()),
        NextView::Spawn { spawn, .. } => format!("started {} threads", spawn.len()),
        NextView::End { .. } => "ended".to_owned(),
    };
    (Visible::line(&format!("{} {}", step.n, step.node)), Visible::line(&next))
}

fn cost(usage: &UsageView) -> Vec<(Visible, Visible)> {
    let calls = match (usage.model_calls(), usage.by_rules) {
        (calls, 0) => calls.to_string(),
        (0, _) => {
            let none = "none; the built-in rules answered";
            return vec![(Visible::line("model calls"), Visible::line(none))];
        }
        (calls, rules) => format!("{calls}; the built-in rules answered {rules} more"),
    };
    let dollars = match usage.cost {
        Some(cost) => format!("${cost:.4}"),
        None => "not known: a model has no price in [prices]".to_owned(),
    };
    [
        ("model calls", calls),
        ("tokens", format!("{} read, {} written", usage.input_tokens, usage.output_tokens)),
        ("cost", dollars),
    ]
    .map(|(name, value)| (Visible::line(name), Visible::line(&value)))
    .into()
}
