//! The state of an analysis, and everything that can happen to it.

use super::WRITE_RESULT;
use super::approval::{approves, nearly_approves};
use crate::graph::{Answer, Decision, Event, EventKind, State};
use crate::tools::folder::Skipped;
use crate::workflows::analyze::facts::{Role, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The keys of `start`.
#[derive(Debug, Deserialize, JsonSchema)]
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

/// A file of the folder; its contents are stored once, by digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// Its path within the folder.
    pub name: String,
    /// The digest of its text.
    pub digest: String,
    pub bytes: u64,
}

/// A file of which the model saw only a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unseen {
    /// Its path within the folder.
    pub name: String,
    /// How many bytes of its text were shown.
    pub shown: u64,
    /// How long its text is.
    pub bytes: u64,
}

/// What the person has decided so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Still talking.
    #[default]
    Open,
    /// The person wants the summary.
    Approved,
    Abandoned,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Analysis {
    /// The person's newest words; `analyze: <query>` at first.
    pub user_input: String,
    /// What the person wants to know.
    pub query: String,
    /// The files read.
    pub file_contents: Vec<FileRef>,
    /// Files that were not read.
    pub skipped: Vec<Skipped>,
    /// The model the thread was started with.
    pub model_name: Option<String>,
    /// The conversation.
    pub analysis_history: Vec<Turn>,
    /// The model's current question or proposal.
    pub current_analysis_query: String,
    pub analysis_output: Option<String>,
    pub inputs_dir: String,
    /// Whether subfolders are read.
    pub recursive: bool,
    /// Whether source code is read.
    pub code: bool,
    /// What the model had not seen of the files at its last turn.
    pub unseen: Vec<Unseen>,
    /// Whether the folder has been read.
    pub read: bool,
    pub verdict: Verdict,
    /// Whether the next card says how to approve.
    pub explain_approval: bool,
    /// Where the result was written.
    pub result_file: Option<String>,
    /// The person's answer about writing it, if they were asked.
    pub may_write: Option<bool>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AnalysisUpdate {
    /// The thread began.
    Started {
        /// What the person wants to know.
        query: String,
        inputs: String,
        /// Whether subfolders are read.
        recursive: bool,
        /// Whether source code is read.
        #[serde(default)]
        code: bool,
        /// The model it was started with.
        model: Option<String>,
    },
    /// The folder was read.
    Read {
        files: Vec<FileRef>,
        /// Files that were not read.
        skipped: Vec<Skipped>,
    },
    /// The model has a question or a proposal.
    Asked {
        text: String,
        /// What it did not see of the files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unseen: Vec<Unseen>,
    },
    /// The person answered.
    Answered {
        /// `None` if they accepted.
        text: Option<String>,
        verdict: Verdict,
    },
    /// The person continued after a result.
    Heard { text: String },
    /// The person added a hint to a retry; the verdict stays as it was.
    Hinted { text: String },
    /// The summary is finished.
    Concluded {
        output: String,
        /// What the model did not see of the files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unseen: Vec<Unseen>,
    },
    /// The person was asked whether to write the result.
    MayWrite { yes: bool },
    /// The result was written.
    Written { file: String },
}

impl State for Analysis {
    type Input = AnalyzeInput;
    type Update = AnalysisUpdate;

    fn started(input: AnalyzeInput) -> AnalysisUpdate {
        let AnalyzeInput { query, inputs, recursive, code, model } = input;
        AnalysisUpdate::Started { query, inputs, recursive, code, model }
    }

    fn answered(answers: Vec<Answer>) -> AnalysisUpdate {
        let answer = answers.into_iter().next();
        if let Some(answer) = &answer
            && answer.key == WRITE_RESULT
        {
            return AnalysisUpdate::MayWrite { yes: answer.decision == Decision::Accept };
        }
        match answer.map(|answer| answer.decision) {
            Some(Decision::Respond { text }) if approves(&text) => {
                AnalysisUpdate::Answered { text: Some(text), verdict: Verdict::Approved }
            }
            Some(Decision::Respond { text }) => {
                AnalysisUpdate::Answered { text: Some(text), verdict: Verdict::Open }
            }
            Some(Decision::Ignore) => AnalysisUpdate::Answered { text: None, verdict: Verdict::Abandoned },
            Some(Decision::Accept | Decision::Edit { .. } | Decision::Draft) | None => {
                AnalysisUpdate::Answered { text: None, verdict: Verdict::Approved }
            }
        }
    }

    fn arrived(event: Event) -> Option<AnalysisUpdate> {
        match event.what {
            EventKind::Words { text } => Some(AnalysisUpdate::Heard { text }),
            EventKind::Hint { text } => Some(AnalysisUpdate::Hinted { text }),
            EventKind::News { .. } | EventKind::Settled { .. } | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, update: AnalysisUpdate) {
        match update {
            AnalysisUpdate::Started { query, inputs, recursive, code, model } => {
                self.user_input = format!("analyze: {query}");
                self.query = query;
                self.inputs_dir = inputs;
                (self.recursive, self.code) = (recursive, code);
                self.model_name = model;
            }
            AnalysisUpdate::Read { files, skipped } => {
                (self.file_contents, self.skipped, self.read) = (files, skipped, true);
            }
            AnalysisUpdate::Asked { text, unseen } => {
                self.unseen = unseen;
                self.analysis_history.push(Turn { role: Role::Agent, text: text.clone() });
                self.current_analysis_query = text;
            }
            AnalysisUpdate::Answered { text, verdict } => {
                self.verdict = verdict;
                self.explain_approval = text.as_deref().is_some_and(nearly_approves);
                if let Some(text) = text {
                    self.add_user_turn(text);
                }
            }
            AnalysisUpdate::Heard { text } => {
                self.verdict = Verdict::Open;
                self.explain_approval = false;
                (self.analysis_output, self.result_file, self.may_write) = (None, None, None);
                self.add_user_turn(text);
            }
            AnalysisUpdate::Hinted { text } => self.add_user_turn(text),
            AnalysisUpdate::Concluded { output, unseen } => {
                self.unseen = unseen;
                // Added to the conversation, so that a later turn knows the conclusion.
                self.analysis_history.push(Turn { role: Role::Agent, text: output.clone() });
                self.analysis_output = Some(output);
            }
            AnalysisUpdate::MayWrite { yes } => self.may_write = Some(yes),
            AnalysisUpdate::Written { file } => self.result_file = Some(file),
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
    /// The only place where the person's words enter the history.
    fn add_user_turn(&mut self, text: String) {
        self.analysis_history.push(Turn { role: Role::User, text: text.clone() });
        self.user_input = text;
    }

    /// What the model should answer now: the query at first, then the person's newest words.
    pub fn input(&self) -> &str {
        match self.analysis_history.last() {
            Some(Turn { role: Role::User, text }) => text,
            _ => &self.query,
        }
    }
}
