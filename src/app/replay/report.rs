//! The results of a replay, for people and for programs.

use super::judge::{Expected, Judged};
use super::services::TotalCost;
use crate::graph::{Decision, Interrupt};
use crate::store::PastDecision;
use crate::text::short_line;
use crate::workflows::mail_facts::Class;
use serde::Serialize;
use serde_json::Value;
use std::fmt::{self, Write};

/// Longer texts are cut in the list of misses.
const MAX_TEXT: usize = 100;

/// How often the new proposal is what was decided then.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DecisionsEval {
    /// The model, as its provider calls it.
    pub model: String,
    /// How many cases were replayed.
    pub cases: usize,
    /// How many match the decision.
    pub same: usize,
    /// The counts by workflow and tool.
    pub rows: Vec<EvalRow>,
    /// Cases in which something else was proposed.
    pub misses: Vec<EvalMiss>,
    /// Cases that could not be replayed.
    pub failures: Vec<NotReplayed>,
    /// Decisions that do not say what would have been right: responses to the agent, answers to questions.
    pub unclear: usize,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// In dollars; `None` if a price is not known.
    pub cost: Option<f64>,
    pub stopped: bool,
}

/// One tool of one workflow.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EvalRow {
    pub workflow: String,
    /// The tool, or `triage`.
    pub tool: String,
    pub cases: usize,
    /// How many match the decision.
    pub same: usize,
    /// How much of the texts the user would have had to change, on average, from 0 to 1.
    pub distance: Option<f64>,
    #[serde(skip)]
    texts: usize,
}

/// A case in which something else was proposed.
#[derive(Clone, Debug, Serialize)]
pub struct EvalMiss {
    pub thread: String,
    pub interrupt: String,
    pub workflow: String,
    /// The tool, or `triage`.
    pub tool: String,
    pub decided: Value,
    /// What would be proposed now; null if the tool would not be called.
    pub proposed: Value,
    /// How much of the text differs.
    pub distance: Option<f64>,
}

/// A case that could not be replayed.
#[derive(Clone, Debug, Serialize)]
pub struct NotReplayed {
    pub thread: String,
    pub interrupt: String,
    pub error: String,
}

impl DecisionsEval {
    pub(super) fn new(model: String) -> Self {
        Self { model, ..Self::default() }
    }

    pub(super) fn not_replayed(&mut self, past: &PastDecision, why: &str) {
        self.failures.push(NotReplayed {
            thread: past.thread.to_string(),
            interrupt: past.interrupt.to_string(),
            error: why.to_owned(),
        });
    }

    pub(super) fn count_triage(&mut self, past: &PastDecision, expected: Class, state: &Value) {
        let got = state.get("classification_decision").cloned().unwrap_or_default();
        let judged = Judged { same: got == expected.as_str(), distance: None };
        self.count(past, "triage", judged, Value::from(expected.as_str()), got);
    }

    pub(super) fn count_call(
        &mut self,
        past: &PastDecision,
        expected: &Expected,
        judged: Judged,
        asked: &[Interrupt],
    ) {
        let got = asked.iter().find(|asked| asked.action == past.action);
        let proposed = match got {
            Some(got) => got.args.clone(),
            // If another tool is called instead, name it.
            None => asked.first().map_or(Value::Null, |other| Value::from(other.action.clone())),
        };
        let decided = match expected {
            Expected::Call(args) => args.clone(),
            Expected::None => Value::from(Decision::Ignore.word()),
        };
        self.count(past, &past.action, judged, decided, proposed);
    }

    fn count(&mut self, past: &PastDecision, tool: &str, judged: Judged, decided: Value, proposed: Value) {
        let index = self.rows.iter().position(|row| row.workflow == past.workflow && row.tool == tool);
        let at = index.unwrap_or_else(|| {
            let (workflow, tool) = (past.workflow.clone(), tool.to_owned());
            self.rows.push(EvalRow { workflow, tool, ..EvalRow::default() });
            self.rows.len() - 1
        });
        let row = &mut self.rows[at];
        row.cases += 1;
        self.cases += 1;
        if let Some(distance) = judged.distance {
            let sum = row.distance.unwrap_or_default() * row.texts as f64 + distance;
            row.texts += 1;
            row.distance = Some(sum / row.texts as f64);
        }
        if judged.same {
            row.same += 1;
            self.same += 1;
            return;
        }
        self.misses.push(EvalMiss {
            thread: past.thread.to_string(),
            interrupt: past.interrupt.to_string(),
            workflow: past.workflow.clone(),
            tool: tool.to_owned(),
            decided,
            proposed,
            distance: judged.distance,
        });
    }

    pub(super) fn set_cost(&mut self, sum: TotalCost) {
        (self.input_tokens, self.output_tokens) = (sum.usage.input, sum.usage.output);
        self.cost = if sum.unpriced { None } else { Some(sum.cost) };
    }
}

impl fmt::Display for DecisionsEval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} of {} as decided", self.model, self.same, self.cases)?;
        if self.stopped {
            writeln!(f, "It was stopped; these are the cases that were done.")?;
        }
        if !self.rows.is_empty() {
            writeln!(
                f,
                "\n{:<10} {:<18} {:>6} {:>6} {:>9}",
                "WORKFLOW", "TOOL", "CASES", "SAME", "REWRITTEN"
            )?;
        }
        for row in &self.rows {
            let rewritten = row.distance.map(|part| format!("{:.0} %", part * 100.0)).unwrap_or_default();
            let EvalRow { workflow, tool, cases, same, .. } = row;
            writeln!(f, "{workflow:<10} {tool:<18} {cases:>6} {same:>6} {rewritten:>9}")?;
        }
        for miss in &self.misses {
            write!(f, "\n{} {} ({})", miss.thread, miss.tool, miss.interrupt)?;
            write!(f, "\n  decided   {}\n  proposed  {}\n", short(&miss.decided), short(&miss.proposed))?;
        }
        for failure in &self.failures {
            writeln!(
                f,
                "\n{} ({}) cannot be replayed: {}",
                failure.thread, failure.interrupt, failure.error
            )?;
        }
        if self.unclear > 0 {
            writeln!(
                f,
                "\n{} decisions do not say what would have been right, and were left out.",
                self.unclear
            )?;
        }
        let cost = self.cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
        writeln!(f, "\n{} tokens read, {} written{cost}", self.input_tokens, self.output_tokens)
    }
}

/// A proposal in a line.
fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(members) => {
            let mut line = String::new();
            for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let _ = write!(line, "{name}: {value}  ");
            }
            line
        }
        other => other.to_string(),
    };
    short_line(text.trim(), MAX_TEXT)
}
