//! The state of a documentation run, and everything that can happen to it.

use super::WRITE_DOCS;
use crate::engine::graph::{Answer, ChildResult, Decision, Event, EventKind, State, ThreadId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The keys of `start`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocsInput {
    /// The folder of the code base.
    pub dir: String,
    /// The folder the pages go to [default: docs-sayso inside the code base].
    #[serde(default)]
    pub out: Option<String>,
    /// How many times an agent refines its page at most.
    #[serde(default = "default_max_iterations")]
    pub max_iterations: u32,
    /// The score, out of 100, at which a page is good enough.
    #[serde(default = "default_clarity_threshold")]
    pub clarity_threshold: u32,
    /// How many points a refinement has to gain for another to follow.
    #[serde(default = "default_min_improvement")]
    pub min_improvement: u32,
    /// Whether agents question and refine what they wrote at all.
    #[serde(default = "default_self_questioning")]
    pub enable_self_questioning: bool,
    /// Ask you what no file can answer.
    #[serde(default)]
    pub ask_human: bool,
    /// Ask before a refinement that would take more tokens than this, by estimate.
    #[serde(default)]
    pub approve_over_tokens: Option<u64>,
    /// A model from the config, for this thread.
    #[serde(default)]
    pub model: Option<String>,
}

fn default_max_iterations() -> u32 {
    3
}

fn default_min_improvement() -> u32 {
    5
}

fn default_clarity_threshold() -> u32 {
    80
}

fn default_self_questioning() -> bool {
    true
}

/// The results of the scan, stored by digest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scanned {
    /// The digest of the facts.
    pub project: String,
    /// The digest of the facts as text, which every prompt begins with.
    pub facts: String,
    /// The digest of the list of files that may be read.
    pub files: String,
    /// What the code base is called.
    pub name: String,
    /// How many files it has.
    pub count: u64,
    /// How many were left out; the facts give the reasons.
    pub skipped: u64,
}

/// Why an agent stopped refining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The score is good enough.
    Threshold,
    /// It was refined as often as allowed.
    Maximum,
    /// The last refinement gained too little.
    SmallGain,
    /// Refining is switched off.
    SwitchedOff,
    /// The person did not want the tokens spent, or took a model's page as it is in the model's place.
    Declined,
    /// There was nothing more to find, or there was no score.
    NothingMore,
    /// There is no language model, and nobody in its place wrote a page.
    NoModel,
    /// The person wrote the page.
    OwnWords,
    /// Nobody did in time.
    Expired,
}

/// The result of an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentResult {
    pub agent_name: String,
    /// `success` or `failed`.
    pub status: String,
    /// Its analysis as data.
    pub data: Value,
    /// One line about it.
    pub summary: String,
    pub markdown: String,
    /// The score from 0 to 1, reduced by what could not be found in the code.
    pub confidence: f64,
    /// How much of its text was checked against the code, in words.
    pub checked: String,
    /// Problems on the way.
    pub warnings: Vec<String>,
    pub metadata: Metadata,
}

/// How a page was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// How often it was refined.
    pub iterations: u32,
    /// Every question the agent asked.
    pub self_questions: Vec<String>,
    /// What its last evaluation still found missing.
    pub missing_information: Vec<String>,
    /// Why refining stopped.
    pub stop: Option<Stop>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Documentation {
    /// What the thread was started with.
    pub settings: DocsInput,
    pub scanned: Option<Scanned>,
    /// The agents of this run.
    pub agents: Vec<String>,
    pub results: Vec<AgentResult>,
    pub threads: Vec<ThreadId>,
    /// What the person asked for in addition.
    pub wishes: Vec<String>,
    /// The person's answer about writing the pages, if they were asked.
    pub may_write: Option<bool>,
    /// The pages written, index first.
    pub written: Vec<String>,
    /// The run in a few lines.
    pub summary: Option<String>,
    /// The index page, if pages were written.
    pub index: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum DocsUpdate {
    /// The thread began.
    Started { settings: DocsInput },
    /// The tree was scanned.
    Scanned(Scanned),
    /// The agents were chosen.
    Planned { agents: Vec<String> },
    /// The agents ended.
    Joined { results: Vec<AgentResult>, threads: Vec<ThreadId> },
    /// The person was asked whether to write the pages.
    MayWrite { yes: bool },
    /// The run is over.
    Written {
        files: Vec<String>,
        /// The run in a few lines.
        summary: String,
        /// The index page, if pages were written.
        index: Option<String>,
    },
    /// The person continued after the result: everything starts again.
    Wished { text: String },
    /// The person added a hint to a retry.
    Hinted { text: String },
}

impl State for Documentation {
    type Input = DocsInput;
    type Update = DocsUpdate;

    fn started(input: DocsInput) -> DocsUpdate {
        DocsUpdate::Started { settings: input }
    }

    fn answered(answers: Vec<Answer>) -> DocsUpdate {
        let is_accepted = |answer: &Answer| answer.key == WRITE_DOCS && answer.decision == Decision::Accept;
        DocsUpdate::MayWrite { yes: answers.iter().any(is_accepted) }
    }

    fn joined(children: Vec<ChildResult>) -> Option<DocsUpdate> {
        let threads = children.iter().map(|child| child.thread.clone()).collect();
        Some(DocsUpdate::Joined { results: children.into_iter().map(agent_result).collect(), threads })
    }

    fn arrived(event: Event) -> Option<DocsUpdate> {
        match event.what {
            EventKind::Words { text } => Some(DocsUpdate::Wished { text }),
            EventKind::Hint { text } => Some(DocsUpdate::Hinted { text }),
            EventKind::News { .. } | EventKind::AnsweredElsewhere { .. } | EventKind::Corrected { .. } => {
                None
            }
        }
    }

    fn apply(&mut self, update: DocsUpdate) {
        match update {
            DocsUpdate::Started { settings } => self.settings = settings,
            DocsUpdate::Scanned(scanned) => self.scanned = Some(scanned),
            DocsUpdate::Planned { agents } => self.agents = agents,
            DocsUpdate::Joined { results, threads } => (self.results, self.threads) = (results, threads),
            DocsUpdate::MayWrite { yes } => self.may_write = Some(yes),
            DocsUpdate::Written { files, summary, index } => {
                (self.written, self.summary, self.index) = (files, Some(summary), index);
            }
            DocsUpdate::Wished { text } => {
                self.wishes.push(text);
                (self.scanned, self.summary, self.index, self.may_write) = (None, None, None, None);
                self.agents.clear();
                self.results.clear();
                self.written.clear();
            }
            DocsUpdate::Hinted { text } => self.wishes.push(text),
        }
    }

    fn title(&self) -> String {
        let name = self.scanned.as_ref().map(|scanned| scanned.name.clone()).filter(|name| !name.is_empty());
        let folder = || {
            std::path::Path::new(&self.settings.dir)
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        format!("Pages about {}", name.or_else(folder).unwrap_or_default())
    }

    fn output(&self) -> Option<Value> {
        let summary = self.summary.as_ref()?;
        Some(json!({
            "answer": summary,
            "out": self.out(),
            "file": self.written.first(),
            "files": self.written,
            "agents": self.results,
        }))
    }
}

impl Documentation {
    /// The folder the pages go to.
    pub(super) fn out(&self) -> &str {
        self.settings.out.as_deref().unwrap_or_default()
    }
}

/// The result of an agent's thread. An abandoned thread is a failed agent.
fn agent_result(child: ChildResult) -> AgentResult {
    let parsed = child.output.filter(|_| child.done).and_then(|output| serde_json::from_value(output).ok());
    parsed.unwrap_or_else(|| AgentResult {
        agent_name: child.key,
        status: "failed".to_owned(),
        warnings: vec![child.error.unwrap_or_else(|| "it was given up".to_owned())],
        ..AgentResult::default()
    })
}
