//! The state of work on a workbook, and everything that can happen to it.

use super::{DIFFERS, STEP_LIMIT, UNCHECKED_ANSWER, WRITE_RESULT};
use crate::graph::{Answer, Decision, Event, EventKind, State};
use crate::llm::{Message, ToolCall};
use crate::tools::sandbox::Observation;
use crate::tools::workbook::WorkbookSummary;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The keys of `start`.
#[derive(Debug, Deserialize, JsonSchema)]
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

/// The Python that a piece of work uses from start to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonUsed {
    /// The path of the program; `None` for the embedded Python.
    pub program: Option<String>,
    /// Which Python it is and what it has, or why it is the embedded one; empty if nobody needs to know.
    pub text: String,
}

/// The planner's proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    pub thought: String,
    pub tool: String,
    pub args: Value,
    /// The call it came as; `None` if it came as words.
    pub call: Option<ToolCall>,
}

/// The person's answer to a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Run this code.
    Run(String),
    /// Something else; the words are in the conversation.
    Said,
    /// No more.
    Ended,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SheetWork {
    pub instruction: String,
    pub workbook: String,
    /// The digest of its bytes as they were read.
    pub digest: String,
    /// Its size.
    pub bytes: u64,
    /// The Python that runs the cells.
    pub python: Option<PythonUsed>,
    /// The day the work began; code that asks for the date gets this one.
    pub day: String,
    /// The conversation with the model.
    pub messages: Vec<Message>,
    /// Steps since the person last continued the work.
    pub step: u32,
    /// The step limit.
    pub max_steps: u32,
    /// How many more the person allowed.
    pub more_steps: u32,
    /// Whether look-ups are offered to the model.
    pub with_informer: bool,
    /// What look-ups found.
    pub key_information: Vec<String>,
    /// Cells that ran and count, oldest first. They run again before each new one.
    pub cells: Vec<Cell>,
    /// How many of them ran before the person's newest words.
    pub earlier: usize,
    /// The newest observation, even of a cell that does not count.
    pub observation: Option<Observation>,
    /// A description of the workbook after the cells.
    pub summary: Option<WorkbookSummary>,
    /// What a result keeps, and what it does not.
    pub kept: Vec<String>,
    /// Whether the cells changed anything.
    pub changed: bool,
    /// Formulas they wrote that were not computed.
    pub formulas: Vec<String>,
    /// Other files that the cells write.
    pub files: Vec<String>,
    /// Files that they write and that are not kept, each with the reason.
    pub dropped: Vec<String>,
    /// The cell that gave a different result when it ran again, counted from 1.
    pub differs: Option<usize>,
    /// Whether the person accepts the new result in place of the old.
    pub may_differ: bool,
    /// The model the thread was started with.
    pub model_name: Option<String>,
    /// The planner's current proposal.
    pub pending: Option<Pending>,
    /// The person's answer to it.
    pub verdict: Option<Verdict>,
    pub answer: Option<String>,
    /// Where the result was written.
    pub result_file: Option<String>,
    /// Where the other files were written.
    pub written_files: Vec<String>,
    /// The person's answer about writing it, if they were asked.
    pub may_write: Option<bool>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum SheetUpdate {
    /// The thread began.
    Started {
        instruction: String,
        workbook: String,
        /// The step limit.
        max_steps: u32,
        /// Whether look-ups are offered to the model.
        with_informer: bool,
        /// The model it was started with.
        model: Option<String>,
    },
    /// The workbook was read.
    Read {
        /// The digest of its bytes.
        digest: String,
        /// Its size.
        bytes: u64,
        /// A description of it.
        summary: WorkbookSummary,
        /// What a result keeps, and what it does not.
        kept: Vec<String>,
        /// The Python that runs the cells.
        python: Option<PythonUsed>,
        /// The day the work began.
        day: String,
    },
    /// The planner made a proposal.
    Planned { message: Message, pending: Pending },
    /// The person answered a proposal.
    Answered {
        verdict: Verdict,
        /// Their words, if they answered in words.
        text: Option<String>,
        /// Whether they changed the proposed code.
        edited: bool,
    },
    /// The person replied to words of the planner that are not based on code.
    Discussed {
        /// The planner's words.
        said: String,
        /// The person's words.
        text: String,
    },
    /// A cell ran.
    Ran {
        code: String,
        observation: Box<Observation>,
        /// The workbook after it; `None` if the cell does not count.
        summary: Option<WorkbookSummary>,
        /// Whether anything has changed since the beginning.
        changed: bool,
        /// Formulas that were written.
        formulas: Vec<String>,
        /// What a result keeps; empty if that did not change.
        kept: Vec<String>,
        /// A digest of each cell's result, if results could differ.
        digests: Vec<String>,
        /// Other files that the cells write.
        #[serde(default)]
        files: Vec<String>,
        /// Files that are not kept, each with the reason.
        #[serde(default)]
        dropped: Vec<String>,
    },
    /// A cell gave a different result when it ran again.
    Differed {
        /// Counted from 1.
        cell: usize,
    },
    /// The person accepted the new result, or not.
    MayDiffer { yes: bool },
    /// A look-up found something.
    Informed { found: Vec<String> },
    /// The person allowed as many steps again, or not.
    MoreSteps { yes: bool },
    /// The planner is finished.
    Finished { message: Message, answer: String },
    /// The person ended the work; changes made until then stay.
    Ended {
        /// The closing message.
        answer: String,
    },
    /// The person continued after a result.
    Heard { text: String },
    /// The person added a hint to a retry.
    Hinted { text: String },
    /// The person was asked whether to write the result.
    MayWrite { yes: bool },
    /// The result was written.
    Written {
        /// The result's path.
        file: Option<String>,
        /// The paths of the other files.
        #[serde(default)]
        files: Vec<String>,
    },
}

impl State for SheetWork {
    type Input = SheetInput;
    type Update = SheetUpdate;

    fn started(input: SheetInput) -> SheetUpdate {
        let SheetInput { workbook, instruction, max_steps, with_informer, model } = input;
        // Both were filled in from the config before.
        let (max_steps, with_informer) = (max_steps.unwrap_or_default(), with_informer.unwrap_or_default());
        SheetUpdate::Started { instruction, workbook, max_steps, with_informer, model }
    }

    fn answered(answers: Vec<Answer>) -> SheetUpdate {
        let ended = SheetUpdate::Answered { verdict: Verdict::Ended, text: None, edited: false };
        let Some(answer) = answers.into_iter().next() else { return ended };
        let yes = answer.decision == Decision::Accept;
        match answer.key.as_str() {
            WRITE_RESULT => return SheetUpdate::MayWrite { yes },
            STEP_LIMIT => return SheetUpdate::MoreSteps { yes },
            DIFFERS => return SheetUpdate::MayDiffer { yes },
            UNCHECKED_ANSWER => {
                let words =
                    answer.proposed.get("answer").and_then(Value::as_str).unwrap_or_default().to_owned();
                return match answer.decision {
                    Decision::Accept => {
                        SheetUpdate::Finished { message: Message::assistant(&words), answer: words }
                    }
                    Decision::Respond { text } => SheetUpdate::Discussed { said: words, text },
                    Decision::Edit { .. } | Decision::Ignore | Decision::Draft => ended,
                };
            }
            _ => {}
        }
        let code = |args: &Value| args.get("code").and_then(Value::as_str).unwrap_or_default().to_owned();
        let run = |args: &Value| SheetUpdate::Answered {
            verdict: Verdict::Run(code(args)),
            text: None,
            edited: code(args) != code(&answer.proposed),
        };
        match &answer.decision {
            Decision::Accept => run(&answer.proposed),
            Decision::Edit { args } => run(args),
            Decision::Respond { text } => {
                SheetUpdate::Answered { verdict: Verdict::Said, text: Some(text.clone()), edited: false }
            }
            Decision::Ignore | Decision::Draft => ended,
        }
    }

    fn arrived(event: Event) -> Option<SheetUpdate> {
        match event.what {
            EventKind::Words { text } => Some(SheetUpdate::Heard { text }),
            EventKind::Hint { text } => Some(SheetUpdate::Hinted { text }),
            EventKind::News { .. } | EventKind::Settled { .. } | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, update: SheetUpdate) {
        match update {
            SheetUpdate::Started { instruction, workbook, max_steps, with_informer, model } => {
                self.messages.push(Message::user(&instruction));
                (self.instruction, self.workbook, self.max_steps) = (instruction, workbook, max_steps);
                (self.with_informer, self.model_name) = (with_informer, model);
            }
            SheetUpdate::Read { digest, bytes, summary, kept, python, day } => {
                (self.digest, self.bytes, self.summary, self.kept) = (digest, bytes, Some(summary), kept);
                (self.python, self.day) = (python, day);
            }
            SheetUpdate::Planned { message, pending } => {
                self.step += 1;
                self.messages.push(message);
                (self.pending, self.verdict) = (Some(pending), None);
            }
            SheetUpdate::Answered { verdict, text, edited } => {
                if let Some(text) = text {
                    self.tell(&format!("Not run. The person says: {text}"), true);
                }
                if edited && let Verdict::Run(code) = &verdict {
                    self.replace_code(code);
                }
                self.verdict = Some(verdict);
            }
            SheetUpdate::Discussed { said, text } => {
                self.messages.extend([Message::assistant(said), Message::user(text)]);
            }
            SheetUpdate::Ran {
                code,
                observation,
                summary,
                changed,
                formulas,
                kept,
                digests,
                files,
                dropped,
            } => {
                let mut text = observation.text();
                if !dropped.is_empty() {
                    text += &format!("\nFiles that are not kept: {}", dropped.join("; "));
                }
                self.tell(&text, observation.error.is_some());
                self.observation = Some((*observation).clone());
                (self.verdict, self.may_differ) = (None, false);
                if !observation.stopped {
                    // The results the person accepted in place of the old ones count from now on.
                    for (cell, digest) in self.cells.iter_mut().zip(digests) {
                        cell.observation.digest = Some(digest);
                    }
                    self.cells.push(Cell { code, observation: *observation });
                    (self.summary, self.changed, self.formulas) = (summary, changed, formulas);
                    (self.files, self.dropped) = (files, dropped);
                    if !kept.is_empty() {
                        self.kept = kept;
                    }
                }
            }
            SheetUpdate::Differed { cell } => self.differs = Some(cell),
            SheetUpdate::MayDiffer { yes } => {
                (self.differs, self.may_differ) = (None, yes);
                if !yes {
                    (self.verdict, self.may_write) = (Some(Verdict::Ended), Some(false));
                }
            }
            SheetUpdate::Informed { found } => {
                let none = "Nothing in the workbook holds those words.".to_owned();
                self.tell(&if found.is_empty() { none } else { found.join("\n") }, false);
                for line in found {
                    if !self.key_information.contains(&line) {
                        self.key_information.push(line);
                    }
                }
            }
            SheetUpdate::MoreSteps { yes } => {
                if yes {
                    self.more_steps += self.max_steps;
                } else {
                    self.verdict = Some(Verdict::Ended);
                }
            }
            SheetUpdate::Finished { message, answer } => {
                self.messages.push(message);
                (self.pending, self.answer) = (None, Some(answer));
            }
            SheetUpdate::Ended { answer } => {
                if self.pending.is_some() {
                    self.tell("Not run. The person ended the work here.", true);
                }
                self.answer = Some(answer);
            }
            SheetUpdate::Heard { text } => {
                (self.answer, self.result_file, self.may_write, self.verdict) = (None, None, None, None);
                self.written_files.clear();
                (self.step, self.more_steps, self.earlier) = (0, 0, self.cells.len());
                self.instruction = text.clone();
                self.messages.push(Message::user(text));
            }
            SheetUpdate::Hinted { text } => self.messages.push(Message::user(text)),
            SheetUpdate::MayWrite { yes } => self.may_write = Some(yes),
            SheetUpdate::Written { file, files } => {
                (self.result_file, self.written_files) = (file, files);
            }
        }
    }

    fn title(&self) -> String {
        self.instruction.lines().next().unwrap_or_default().to_owned()
    }

    fn output(&self) -> Option<Value> {
        let answer = self.answer.as_ref()?;
        let mut output = json!({ "answer": answer, "file": self.result_file, "formulas": self.formulas });
        if !self.written_files.is_empty() {
            output["files"] = json!(self.written_files);
        }
        if !self.dropped.is_empty() {
            output["dropped"] = json!(self.dropped);
        }
        Some(output)
    }
}

impl SheetWork {
    /// Tells the model the outcome of its proposal.
    fn tell(&mut self, text: &str, failed: bool) {
        let call = self.pending.take().and_then(|pending| pending.call);
        self.messages.push(match call {
            Some(call) if failed => Message::failure(&call, text),
            Some(call) => Message::result(&call, text),
            None => Message::user(text),
        });
    }

    /// Replaces the proposed code in the conversation with the code that runs.
    fn replace_code(&mut self, code: &str) {
        let Some(Message::Assistant { text, calls }) = self.messages.last_mut() else { return };
        match calls.first_mut() {
            Some(call) => call.args = json!({ "code": code }),
            None => *text = format!("```python\n{code}\n```"),
        }
        if let Some(call) = self.pending.as_mut().and_then(|pending| pending.call.as_mut()) {
            call.args = json!({ "code": code });
        }
    }

    pub(super) fn is_at_limit(&self) -> bool {
        self.step >= self.max_steps + self.more_steps
    }

    /// The first cell whose result differs from before, counted from 1.
    pub(super) fn first_differing(&self, digests: &[String]) -> Option<usize> {
        let changed = |(cell, digest): (&Cell, &String)| {
            cell.observation.digest.as_ref().is_some_and(|previous| previous != digest)
        };
        self.cells.iter().zip(digests).position(changed).map(|at| at + 1)
    }

    /// The code of all cells that ran and count, followed by `next`.
    pub(super) fn codes(&self, next: Option<&str>) -> Vec<String> {
        let ran = self.cells.iter().map(|cell| cell.code.clone());
        ran.chain(next.map(str::to_owned)).collect()
    }
}
