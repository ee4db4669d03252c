//! The state of an analysis, and everything that can happen to it.

use super::approval::approves;
use super::{LOOKS, QUESTION, RESULT, WRITE_RESULT};
use crate::agent::agent_loop::{self, Dialog, LoopState, LoopUpdate};
use crate::engine::graph::{Answer, Decision, Event, EventKind, State};
use crate::workflows::analyze::facts::{Role, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The keys of `start`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalyzeInput {
    /// What you want to know.
    pub query: String,
    /// The folder with the texts and documents to read.
    pub inputs: String,
    /// Also read the folders inside it.
    #[serde(default)]
    pub recursive: bool,
    /// Also read source code.
    #[serde(default)]
    pub code: bool,
    /// A model from the config, for this thread.
    #[serde(default)]
    pub model: Option<String>,
}

/// What the person has decided so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Still talking.
    #[default]
    Open,
    /// The model takes the person's words for an approval, and says so.
    Presumed,
    /// The person wants the summary.
    Approved,
    Abandoned,
}

/// What the folder holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Folder {
    /// The digest of what every prompt begins with.
    pub opening: String,
    /// How many files may be read.
    pub count: u64,
    /// What cannot be read, and why.
    pub left_out: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    /// The person's newest words; `analyze: <query>` at first.
    pub user_input: String,
    /// What the person wants to know.
    pub query: String,
    pub inputs_dir: String,
    /// Whether subfolders are read, and source code.
    pub recursive: bool,
    pub code: bool,
    /// The model the thread was started with.
    pub model_name: Option<String>,
    /// The folder, once it was looked at.
    pub folder: Option<Folder>,
    /// The files that the model saw.
    pub file_contents: Vec<String>,
    /// The conversation, as `dialog` has it.
    pub analysis_history: Vec<Turn>,
    /// The conversation with everything the model looked up.
    pub dialog: Dialog,
    /// The model's current question or proposal.
    pub current_analysis_query: String,
    pub analysis_output: Option<String>,
    pub verdict: Verdict,
    /// Where the result was written.
    pub result_file: Option<String>,
    /// The person's answer about writing it, if they were asked.
    pub may_write: Option<bool>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AnalysisUpdate {
    /// The thread began.
    Started { input: AnalyzeInput },
    /// The folder was looked at.
    Read { folder: Folder, files: Vec<String> },
    /// The model read a part of a file.
    Seen { file: String },
    /// The model takes the person's words for an approval.
    Presumed,
    /// The person answered; no text if they accepted or abandoned it.
    Replied { text: Option<String>, verdict: Verdict },
    /// The person continued after a result.
    Heard { text: String },
    /// The summary is finished.
    Concluded { output: String },
    /// The person was asked whether to write the result.
    MayWrite { yes: bool },
    /// The result was written.
    Written { file: String },
    #[serde(untagged)]
    Loop(LoopUpdate),
}

impl From<LoopUpdate> for AnalysisUpdate {
    fn from(update: LoopUpdate) -> Self {
        Self::Loop(update)
    }
}

impl LoopState for Analysis {
    fn dialog(&self) -> &Dialog {
        &self.dialog
    }
}

impl State for Analysis {
    type Input = AnalyzeInput;
    type Update = AnalysisUpdate;

    fn started(input: AnalyzeInput) -> AnalysisUpdate {
        AnalysisUpdate::Started { input }
    }

    fn answered(answers: Vec<Answer>) -> AnalysisUpdate {
        let Some(answer) = answers.first().cloned() else { return LoopUpdate::Answered { answers }.into() };
        match answer.key.as_str() {
            WRITE_RESULT => return AnalysisUpdate::MayWrite { yes: answer.decision == Decision::Accept },
            RESULT => {
                let shown = || answer.proposed.get("result").and_then(Value::as_str).map(str::to_owned);
                let output = match answer.decision {
                    Decision::Respond { text } => Some(text),
                    Decision::Accept => shown(),
                    Decision::Edit { .. } | Decision::Ignore | Decision::Draft => None,
                };
                let abandoned = AnalysisUpdate::Replied { text: None, verdict: Verdict::Abandoned };
                return output.map_or(abandoned, |output| AnalysisUpdate::Concluded { output });
            }
            QUESTION => {}
            _ => return LoopUpdate::Answered { answers }.into(),
        }
        let (text, verdict) = match answer.decision {
            Decision::Respond { text } if approves(&text) => (Some(text), Verdict::Approved),
            Decision::Respond { text } => (Some(text), Verdict::Open),
            Decision::Ignore => (None, Verdict::Abandoned),
            Decision::Accept | Decision::Edit { .. } | Decision::Draft => (None, Verdict::Approved),
        };
        AnalysisUpdate::Replied { text, verdict }
    }

    fn arrived(event: Event) -> Option<AnalysisUpdate> {
        match event.what {
            EventKind::Words { text } => Some(AnalysisUpdate::Heard { text }),
            EventKind::Hint { text } => Some(LoopUpdate::Hinted { text }.into()),
            EventKind::News { .. } | EventKind::AnsweredElsewhere { .. } | EventKind::Corrected { .. } => {
                None
            }
        }
    }

    fn apply(&mut self, update: AnalysisUpdate) {
        match update {
            AnalysisUpdate::Started { input } => {
                self.user_input = format!("analyze: {}", input.query);
                (self.query, self.inputs_dir) = (input.query, input.inputs);
                (self.recursive, self.code, self.model_name) = (input.recursive, input.code, input.model);
                self.dialog.max_steps = LOOKS;
            }
            AnalysisUpdate::Read { folder, files } => {
                (self.folder, self.file_contents) = (Some(folder), files);
            }
            AnalysisUpdate::Seen { file } => {
                if !self.file_contents.contains(&file) {
                    self.file_contents.push(file);
                }
            }
            AnalysisUpdate::Loop(update) => {
                if let LoopUpdate::Ended { answer: Some(text) } = &update {
                    self.verdict = Verdict::Open;
                    self.current_analysis_query.clone_from(text);
                }
                self.dialog.apply(update);
            }
            // Only the person approves: the model says what it takes their words for.
            AnalysisUpdate::Presumed => self.verdict = Verdict::Presumed,
            AnalysisUpdate::Replied { text, verdict } => {
                self.verdict = verdict;
                if let Some(text) = text {
                    self.dialog.go_on(&text);
                }
            }
            AnalysisUpdate::Heard { text } => {
                self.verdict = Verdict::Open;
                (self.analysis_output, self.result_file, self.may_write) = (None, None, None);
                self.dialog.go_on(&text);
            }
            AnalysisUpdate::Concluded { output } => {
                // Added to the conversation, so that a later turn knows the conclusion.
                self.dialog.messages.push(agent_loop::Turn::Said { text: output.clone() });
                self.analysis_output = Some(output);
            }
            AnalysisUpdate::MayWrite { yes } => self.may_write = Some(yes),
            AnalysisUpdate::Written { file } => self.result_file = Some(file),
        }
        self.analysis_history = self.said();
        if let Some(turn) = self.analysis_history.iter().rfind(|turn| turn.role == Role::User) {
            self.user_input.clone_from(&turn.text);
        }
    }

    fn title(&self) -> String {
        self.query.lines().next().unwrap_or_default().to_owned()
    }

    fn output(&self) -> Option<Value> {
        let answer = self.analysis_output.as_ref()?;
        Some(json!({ "answer": answer, "file": self.result_file }))
    }
}

impl Analysis {
    /// The conversation without what was looked up.
    fn said(&self) -> Vec<Turn> {
        let said = self.dialog.messages.iter().filter_map(|turn| {
            let (role, text) = match turn {
                agent_loop::Turn::Told { text } => (Role::User, text),
                agent_loop::Turn::Said { text } => (Role::Agent, text),
                agent_loop::Turn::Called { .. }
                | agent_loop::Turn::Became { .. }
                | agent_loop::Turn::News { .. } => return None,
            };
            Some(Turn { role, text: text.clone() })
        });
        said.collect()
    }

    /// What the model should answer now: the query at first, then the person's newest words.
    pub fn input(&self) -> &str {
        match self.analysis_history.last() {
            Some(Turn { role: Role::User, text }) => text,
            _ => &self.query,
        }
    }
}
