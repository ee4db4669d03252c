//! The state of work on a workbook, and everything that can happen to it.

use super::WRITE_RESULT;
use crate::agent::agent_loop::{Dialog, LoopState, LoopUpdate};
use crate::engine::graph::{Answer, Decision, Event, EventKind, State};
use crate::tools::cage::Observation;
use crate::tools::workbook::WorkbookSummary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The keys of `start`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SheetInput {
    /// The workbook: .xlsx, .xls, .ods or .csv. It is never changed itself.
    pub workbook: String,
    /// What is to be done, or found out.
    pub instruction: String,
    /// How many steps it takes before you are asked whether to go on; as the config says where it is left out.
    #[serde(default)]
    pub max_steps: Option<u32>,
    /// Also offer the model look-ups of headings and values; as the config says where it is left out.
    #[serde(default)]
    pub with_informer: Option<bool>,
    /// A model from the config, for this thread.
    #[serde(default)]
    pub model: Option<String>,
}

/// A cell of code that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The code as it was accepted.
    pub code: String,
    /// What it did.
    pub observation: Observation,
}

/// The workbook as it was read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BookRead {
    /// The digest of its bytes; empty until it is read.
    pub digest: String,
    /// Its size.
    pub bytes: u64,
    /// What it was at the beginning.
    pub at_first: WorkbookSummary,
    /// Which Python runs the code, and what it has.
    pub python: String,
}

/// What code made of the workbook.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BookNow {
    /// The digest of the workbook that the next code works on.
    pub newest: String,
    /// Its sheets, and how many rows they have.
    pub sheets: Vec<String>,
    /// What a result keeps, and what it does not.
    pub kept: Vec<String>,
    /// Whether anything has changed since the beginning.
    pub changed: bool,
    /// Formulas that were written and not computed.
    pub formulas: Vec<String>,
    /// The other files that code left.
    pub files: Vec<KeptFile>,
}

/// A file beside the workbook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFile {
    pub name: String,
    /// The digest of its bytes.
    pub digest: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SheetWork {
    pub instruction: String,
    pub workbook: String,
    #[serde(flatten)]
    pub read: BookRead,
    /// The conversation with the model, and its steps.
    #[serde(flatten)]
    pub dialog: Dialog,
    /// Whether look-ups are offered to the model.
    pub with_informer: bool,
    /// What look-ups found.
    pub key_information: Vec<String>,
    /// Cells that ran and count, oldest first.
    pub cells: Vec<Cell>,
    /// How many of them ran before the person's newest words.
    pub earlier: usize,
    /// The newest observation, even of a cell that does not count.
    pub observation: Option<Observation>,
    #[serde(flatten)]
    pub book: BookNow,
    /// The model the thread was started with.
    pub model_name: Option<String>,
    /// Where the result was written.
    pub result_file: Option<String>,
    /// Where the other files were written.
    pub written_files: Vec<String>,
    /// The person's answer about writing it, if they were asked.
    pub may_write: Option<bool>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum SheetUpdate {
    /// The thread began.
    Started(SheetInput),
    /// The workbook was read.
    Read { read: BookRead, book: Box<BookNow> },
    /// A cell ran.
    Ran {
        code: String,
        observation: Box<Observation>,
        /// The workbook after it, if the cell counts.
        book: Box<BookNow>,
    },
    /// A look-up found something.
    Informed { found: Vec<String> },
    /// The person continued after a result.
    Heard { text: String },
    /// The person was asked whether to write the result.
    MayWrite { yes: bool },
    /// The result was written.
    Written {
        /// The result's path.
        file: Option<String>,
        /// The paths of the other files.
        files: Vec<String>,
    },
    /// What the person is told who ended the work.
    Closed { answer: String },
    #[serde(untagged)]
    Loop(LoopUpdate),
}

impl From<LoopUpdate> for SheetUpdate {
    fn from(update: LoopUpdate) -> Self {
        Self::Loop(update)
    }
}

impl LoopState for SheetWork {
    fn dialog(&self) -> &Dialog {
        &self.dialog
    }
}

impl State for SheetWork {
    type Input = SheetInput;
    type Update = SheetUpdate;

    fn started(input: SheetInput) -> SheetUpdate {
        SheetUpdate::Started(input)
    }

    fn answered(answers: Vec<Answer>) -> SheetUpdate {
        let yes = answers.first().is_some_and(|answer| answer.decision == Decision::Accept);
        match answers.first().map(|answer| answer.key.as_str()) {
            Some(WRITE_RESULT) => SheetUpdate::MayWrite { yes },
            Some(_) | None => LoopUpdate::Answered { answers }.into(),
        }
    }

    fn arrived(event: Event) -> Option<SheetUpdate> {
        match event.what {
            EventKind::Words { text } => Some(SheetUpdate::Heard { text }),
            EventKind::Hint { text } => Some(LoopUpdate::Hinted { text }.into()),
            EventKind::News { .. } | EventKind::AnsweredElsewhere { .. } | EventKind::Corrected { .. } => {
                None
            }
        }
    }

    fn apply(&mut self, update: SheetUpdate) {
        match update {
            SheetUpdate::Started(input) => {
                self.dialog.go_on(&input.instruction);
                // Both were filled in from the config before.
                self.dialog.max_steps = input.max_steps.unwrap_or_default();
                self.with_informer = input.with_informer.unwrap_or_default();
                (self.instruction, self.workbook) = (input.instruction, input.workbook);
                self.model_name = input.model;
            }
            SheetUpdate::Read { read, book } => (self.read, self.book) = (read, *book),
            SheetUpdate::Ran { code, observation, book } => {
                self.observation = Some((*observation).clone());
                if !observation.stopped {
                    self.cells.push(Cell { code, observation: *observation });
                    self.book = *book;
                }
            }
            SheetUpdate::Informed { found } => {
                for line in found {
                    if !self.key_information.contains(&line) {
                        self.key_information.push(line);
                    }
                }
            }
            SheetUpdate::Heard { text } => {
                (self.result_file, self.may_write) = (None, None);
                self.written_files.clear();
                self.earlier = self.cells.len();
                self.dialog.go_on(&text);
                self.instruction = text;
            }
            SheetUpdate::MayWrite { yes } => self.may_write = Some(yes),
            SheetUpdate::Written { file, files } => {
                (self.result_file, self.written_files) = (file, files);
            }
            SheetUpdate::Closed { answer } => self.dialog.answer = Some(answer),
            SheetUpdate::Loop(update) => {
                self.dialog.apply(update);
                if self.dialog.answer.as_deref() == Some("") {
                    self.dialog.answer = Some(self.last_printed());
                }
            }
        }
    }

    fn title(&self) -> String {
        self.instruction.lines().next().unwrap_or_default().to_owned()
    }

    fn output(&self) -> Option<Value> {
        let answer = self.dialog.answer.as_ref()?;
        let mut output =
            json!({ "answer": answer, "file": self.result_file, "formulas": self.book.formulas });
        if !self.written_files.is_empty() {
            output["files"] = json!(self.written_files);
        }
        let dropped: Vec<&String> = self.cells.iter().flat_map(|cell| &cell.observation.dropped).collect();
        if !dropped.is_empty() {
            output["dropped"] = json!(dropped);
        }
        Some(output)
    }
}

impl SheetWork {
    /// The answer of a model that only says "Done": what its last code printed.
    pub(super) fn last_printed(&self) -> String {
        let printed = self.cells.last().map(|cell| cell.observation.stdout.trim().to_owned());
        printed.filter(|text| !text.is_empty()).unwrap_or_else(|| "Done.".to_owned())
    }

    /// Whether there is anything to write.
    pub(super) fn has_results(&self) -> bool {
        self.book.changed || !self.book.files.is_empty()
    }
}
