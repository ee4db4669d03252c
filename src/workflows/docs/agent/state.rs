//! The state of one agent, and everything that can happen to it.

use crate::agent::agent_loop::{Dialog, LoopState, LoopUpdate};
use crate::engine::graph::{Answer, Decision, Event, EventKind, State};
use crate::inbox::YOUR_TURN;
use crate::text::count_noun;
use crate::workflows::docs::facts::Question;
use crate::workflows::docs::state::{AgentResult, DocsInput, Metadata, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The action of the question before a costly refinement.
pub(super) const REFINE: &str = "refine";

/// The action of a question that no file answers.
pub(super) const QUESTION: &str = "question";

/// What an agent works with.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentContext {
    /// Which agent.
    pub agent: String,
    /// What the code base is called.
    pub name: String,
    /// The digests of its facts, of the facts as text, and of the list of files that may be read.
    pub project: String,
    pub facts: String,
    pub files: String,
    /// What the run was started with.
    pub settings: DocsInput,
}

/// The keys of `start`, for the run that starts it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentInput {
    /// What it works with.
    pub context: AgentContext,
}

/// Whether to stop after these scores, newest last, and why. `refined` counts the refinements so far.
pub(super) fn stop_reason(settings: &DocsInput, refined: u32, scores: &[f64]) -> Option<Stop> {
    let newest = scores.last().copied().unwrap_or_default();
    let previous = scores.len().checked_sub(2).and_then(|at| scores.get(at));
    if newest >= f64::from(settings.clarity_threshold) {
        Some(Stop::Threshold)
    } else if !settings.enable_self_questioning {
        Some(Stop::SwitchedOff)
    } else if refined >= settings.max_iterations {
        Some(Stop::Maximum)
    } else if previous.is_some_and(|previous| newest - previous < f64::from(settings.min_improvement)) {
        Some(Stop::SmallGain)
    } else {
        None
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentState {
    pub context: AgentContext,
    /// How often it has refined.
    pub iteration: u32,
    pub current_analysis: String,
    /// What the last evaluation found missing.
    pub missing_information: Vec<String>,
    /// The last score, 0 to 100.
    pub clarity_score: f64,
    /// Every question it asked itself.
    pub self_questions: Vec<String>,
    /// The analysis it settled on.
    pub final_analysis: Option<String>,
    /// One line per refinement.
    pub refinement_notes: Vec<String>,
    /// Every score, oldest first.
    pub scores: Vec<f64>,
    /// The best analysis so far with its score, if it is not the newest one.
    pub best: Option<(f64, String)>,
    /// The questions of the current refinement.
    pub round: Vec<Question>,
    /// The current refinement, as a conversation with the model.
    pub dialog: Dialog,
    /// How many turns of the model each refinement took.
    pub turns: Vec<usize>,
    /// Whether the person declined to go on.
    pub declined: bool,
    pub stop: Option<Stop>,
    /// Hints the person added to a retry.
    pub hints: Vec<String>,
    pub result: Option<AgentResult>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AgentUpdate {
    /// The thread began.
    Started { context: Box<AgentContext> },
    /// The first analysis is written.
    Analyzed { text: String },
    /// The person in the model's place wrote the page, or takes it as it is.
    Wrote { text: Option<String> },
    /// It was scored.
    Scored {
        /// The mean of the four scores.
        score: f64,
        missing: Vec<String>,
    },
    /// No more refinements; the note says what failed.
    Stopped { why: Stop, note: Option<String> },
    /// The model asked questions.
    Questioned { questions: Vec<Question> },
    /// The person was asked whether to spend the tokens.
    Allowed { yes: bool },
    /// The person answered or dismissed questions.
    Told {
        /// By the index of the question.
        answers: Vec<(usize, Option<String>)>,
    },
    /// The person added a hint to a retry.
    Hinted { text: String },
    /// It is done, or failed permanently.
    Ended { result: Box<AgentResult> },
    #[serde(untagged)]
    Loop(LoopUpdate),
}

impl From<LoopUpdate> for AgentUpdate {
    fn from(update: LoopUpdate) -> Self {
        Self::Loop(update)
    }
}

impl LoopState for AgentState {
    fn dialog(&self) -> &Dialog {
        &self.dialog
    }
}

impl State for AgentState {
    type Input = AgentInput;
    type Update = AgentUpdate;

    fn started(input: AgentInput) -> AgentUpdate {
        AgentUpdate::Started { context: Box::new(input.context) }
    }

    fn answered(answers: Vec<Answer>) -> AgentUpdate {
        if let Some(answer) = answers.iter().find(|answer| answer.key == REFINE) {
            return AgentUpdate::Allowed { yes: answer.decision == Decision::Accept };
        }
        if let Some(answer) = answers.iter().find(|answer| answer.key == YOUR_TURN) {
            return match &answer.decision {
                _ if answer.expired => AgentUpdate::Stopped { why: Stop::Expired, note: None },
                Decision::Respond { text } => AgentUpdate::Wrote { text: Some(text.clone()) },
                Decision::Edit { .. } => LoopUpdate::Answered { answers }.into(),
                Decision::Accept | Decision::Ignore | Decision::Draft => AgentUpdate::Wrote { text: None },
            };
        }
        let numbered_answer = |answer: Answer| {
            let index = answer.key.strip_prefix('q')?.parse().ok()?;
            let text = match answer.decision {
                Decision::Respond { text } => Some(text),
                Decision::Accept | Decision::Edit { .. } | Decision::Ignore | Decision::Draft => None,
            };
            Some((index, text))
        };
        AgentUpdate::Told { answers: answers.into_iter().filter_map(numbered_answer).collect() }
    }

    fn arrived(event: Event) -> Option<AgentUpdate> {
        match event.what {
            EventKind::Hint { text } => Some(AgentUpdate::Hinted { text }),
            EventKind::Words { .. }
            | EventKind::News { .. }
            | EventKind::AnsweredElsewhere { .. }
            | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, update: AgentUpdate) {
        match update {
            AgentUpdate::Started { context } => self.context = *context,
            AgentUpdate::Analyzed { text } => self.current_analysis = text,
            AgentUpdate::Wrote { text } => {
                self.dialog.stop();
                self.stop = Some(match text {
                    Some(text) => {
                        (self.current_analysis, self.best) = (text, None);
                        Stop::OwnWords
                    }
                    None if self.current_analysis.is_empty() => Stop::NoModel,
                    None => Stop::Declined,
                });
            }
            AgentUpdate::Scored { score, missing } => self.add_score(score, missing),
            AgentUpdate::Stopped { why, note } => {
                self.dialog.stop();
                self.stop = Some(why);
                self.refinement_notes.extend(note);
            }
            AgentUpdate::Questioned { questions } => {
                self.self_questions.extend(questions.iter().map(|one| one.question.clone()));
                self.round = questions;
            }
            AgentUpdate::Allowed { yes } => self.declined = !yes,
            AgentUpdate::Told { answers } => {
                for (index, text) in answers {
                    if let Some(asked) = self.round.get_mut(index) {
                        asked.answer = text;
                    }
                }
            }
            AgentUpdate::Hinted { text } => self.hints.push(text),
            AgentUpdate::Ended { result } => {
                self.final_analysis = Some(self.best_analysis().1.to_owned());
                self.result = Some(*result);
            }
            AgentUpdate::Loop(update) => {
                self.dialog.apply(update);
                if let Some(text) = self.dialog.answer.take() {
                    self.refine(text);
                }
            }
        }
    }

    fn title(&self) -> String {
        format!("{} of {}", self.context.agent, self.context.name)
    }

    fn output(&self) -> Option<Value> {
        serde_json::to_value(self.result.as_ref()?).ok()
    }
}

impl AgentState {
    fn add_score(&mut self, score: f64, missing: Vec<String>) {
        self.scores.push(score);
        self.clarity_score = score;
        self.missing_information = missing;
        if self.best.as_ref().is_some_and(|(best, _)| *best <= score) {
            self.best = None;
        }
    }

    fn refine(&mut self, text: String) {
        self.iteration += 1;
        let questions = count_noun(self.answerable().count() as u64, "question");
        self.refinement_notes.push(format!("Iteration {}: Addressed {questions}", self.iteration));
        if self.best.as_ref().is_none_or(|(score, _)| *score < self.clarity_score) {
            self.best = Some((self.clarity_score, std::mem::take(&mut self.current_analysis)));
        }
        self.current_analysis = text;
        self.turns.push(self.dialog.step as usize + 1);
        self.dialog = Dialog::default();
        self.round.clear();
    }

    /// The questions of the current refinement that the files may answer, or the person did.
    pub(super) fn answerable(&self) -> impl Iterator<Item = &Question> {
        self.round.iter().filter(|asked| !asked.for_person || asked.answer.is_some())
    }

    /// The refinement to which the model's `nth` turn belongs.
    pub(super) fn refinement_of(&self, nth: usize) -> usize {
        let ends = self.turns.iter().scan(0, |sum, turns| {
            *sum += turns;
            Some(*sum)
        });
        ends.take_while(|end| *end < nth).count() + 1
    }

    /// The best analysis so far, with its score.
    pub(super) fn best_analysis(&self) -> (f64, &str) {
        match &self.best {
            Some((score, text)) => (*score, text),
            None => (self.clarity_score, &self.current_analysis),
        }
    }

    /// How the page was made.
    pub(super) fn metadata(&self) -> Metadata {
        Metadata {
            iterations: self.iteration,
            self_questions: self.self_questions.clone(),
            missing_information: self.missing_information.clone(),
            stop: self.stop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refining_ends_at_each_of_its_limits_and_not_before() {
        let settings: DocsInput = serde_json::from_value(serde_json::json!({"dir": ""})).unwrap();
        assert_eq!(stop_reason(&settings, 0, &[79.75]), None);
        assert_eq!(stop_reason(&settings, 0, &[80.0]), Some(Stop::Threshold));
        assert_eq!(stop_reason(&settings, 1, &[50.0, 54.75]), Some(Stop::SmallGain));
        assert_eq!(stop_reason(&settings, 1, &[50.0, 55.0]), None);
        assert_eq!(stop_reason(&settings, 1, &[50.0, 40.0]), Some(Stop::SmallGain));
        assert_eq!(stop_reason(&settings, 3, &[10.0, 30.0, 50.0, 70.0]), Some(Stop::Maximum));
        assert_eq!(
            stop_reason(&DocsInput { max_iterations: 0, ..settings.clone() }, 0, &[10.0]),
            Some(Stop::Maximum)
        );
        let off = DocsInput { enable_self_questioning: false, ..settings.clone() };
        assert_eq!(stop_reason(&off, 0, &[10.0]), Some(Stop::SwitchedOff));
        let any = DocsInput { min_improvement: 0, ..settings };
        assert_eq!(stop_reason(&any, 1, &[50.0, 50.0]), None);
    }

    #[test]
    fn a_refinement_that_made_it_worse_is_not_settled_on() {
        let mut state = AgentState::default();
        state.apply(AgentUpdate::Analyzed { text: "first".to_owned() });
        state.apply(AgentUpdate::Scored { score: 60.0, missing: Vec::new() });
        let refined = |text: &str| LoopUpdate::Ended { answer: Some(text.to_owned()) }.into();
        state.apply(refined("worse"));
        state.apply(AgentUpdate::Scored { score: 40.0, missing: Vec::new() });
        assert_eq!(state.best_analysis(), (60.0, "first"));
        state.apply(refined("best"));
        state.apply(AgentUpdate::Scored { score: 70.0, missing: Vec::new() });
        assert_eq!(state.best_analysis(), (70.0, "best"));
    }
}
