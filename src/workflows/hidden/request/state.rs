//! A program's question, and the answer it got.

use super::report::Report;
use crate::dialects::{Agent, Tool};
use crate::engine::graph::{Allow, Answer, Decision, Event, EventKind, Remember, State, Waiting};
use crate::inbox::Ending;
use crate::text::exact::apply_edit;
use crate::text::{Visible, short_line};
use crate::tools::moment::Moment;
use crate::tools::process::Process;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// A way to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// As proposed.
    Accept,
    /// With changed arguments.
    Edit,
    /// In words.
    Respond,
    /// Not at all.
    Ignore,
}

/// The keys of `start`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestInput {
    /// What is asked, in one line.
    pub title: String,
    /// More about it.
    #[serde(default)]
    pub text: Option<String>,
    /// What the asker would do, as one word; without it, it asks a question.
    #[serde(default)]
    pub action: Option<String>,
    /// The arguments it would do it with, as they came.
    #[serde(default)]
    pub args: Option<Map<String, Value>>,
    /// JSON schema of the arguments; without it, edited ones keep to the shape of those given.
    #[serde(default)]
    pub schema: Option<Value>,
    /// The answers it takes; without it, all that make sense.
    #[serde(default)]
    pub allow: Option<Vec<Way>>,
    /// Who asks, as it calls itself.
    #[serde(default)]
    pub source: Option<String>,
    /// The folder it works in.
    #[serde(default)]
    pub folder: Option<String>,
    /// Where in an agent's work it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// The process that waits for the answer; when it is gone, so is the question, unless it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<Process>,
    /// Whether it stays when that process is gone, because its asker will ask again under the same key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stays: bool,
    /// Whoever waits for the answer, and for how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Whether an agent asks by a tool of its own choosing, which it may do beside a hook.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_tool: bool,
    /// What it can be told to remember, so that it asks no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remember: Vec<Remember>,
    /// Whether it is asked each time, whatever was allowed before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each_time: bool,
    /// Whether the agent's own rules refused it, and it tries again if it is allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retry: bool,
    /// Whether an agent asks its own questions, to be answered and not to be allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub question: bool,
    /// Whether the agent does not say all of what it would do.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    /// Whether the asker's shell is none whose lines sayso can read; sayso itself fills this in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_shell: bool,
    /// Where the asker's shell finds the programs of its command; sayso itself fills this in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// Where links lead that its paths go through; sayso itself fills this in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// The MCP server whose tool it would use, as the agent's config defines it; sayso itself fills this in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether it only tells something.
    #[serde(default)]
    pub notice: bool,
    /// After how many seconds nobody waits for the answer any more.
    #[serde(default)]
    pub expires_in: Option<u64>,
    /// When it was asked; sayso itself fills this in.
    #[serde(default)]
    pub asked: Option<Moment>,
    /// How many characters that cannot be seen it held; sayso itself fills this in.
    #[serde(default)]
    pub hidden: u64,
}

/// The widest title, in columns.
const MAX_TITLE: usize = 200;

/// The first line that is not empty, as it is shown.
fn first_line(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Visible::line(first).into_string().trim().to_owned()
}

/// Where in an agent's work something is asked, as the agent says it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// What the agent calls the session.
    pub id: String,
    /// The sub-agent that asks.
    #[serde(default)]
    pub helper: Option<String>,
    /// The branch checked out in its folder.
    #[serde(default)]
    pub branch: Option<String>,
    /// What the person asked for last.
    #[serde(default)]
    pub prompt: Option<String>,
}

impl RequestInput {
    /// The answers it takes.
    pub(super) fn allow(&self) -> Allow {
        let has_args = self.args.as_ref().is_some_and(|args| !args.is_empty());
        let default_ways = match (self.notice, &self.action) {
            (true, _) => vec![Way::Accept, Way::Respond, Way::Ignore],
            (false, Some(_)) if has_args => vec![Way::Accept, Way::Edit, Way::Respond, Way::Ignore],
            (false, _) => vec![Way::Accept, Way::Respond, Way::Ignore],
        };
        let ways = self.allow.as_ref().unwrap_or(&default_ways);
        let allows = |way: Way| ways.contains(&way);
        Allow {
            accept: allows(Way::Accept),
            edit: allows(Way::Edit),
            respond: allows(Way::Respond),
            ignore: allows(Way::Ignore),
            draft: false,
        }
    }

    /// The tool it would use, if it is one of the agent's own that we know.
    pub(super) fn tool(&self) -> Option<&'static Tool> {
        Agent::by_hook_name(self.source.as_deref()?)?.dialect().tool(self.action.as_deref()?)
    }

    /// The command it would run, if it runs one.
    pub(super) fn command(&self) -> Option<&str> {
        self.args.as_ref()?.get("command")?.as_str()
    }

    /// The title with these arguments: if it names an argument after its first word, as `$ make` does, it names the new
    /// one.
    pub(super) fn title_with(&self, args: &Value) -> String {
        let Some((lead, named)) = self.title.split_once(' ') else { return self.title.clone() };
        let names = |text: &str| {
            let shown = first_line(text);
            match named.strip_suffix('…') {
                Some(start) => shown.starts_with(start.trim_end()),
                None => shown == named,
            }
        };
        let mut texts = self.args.iter().flatten().filter_map(|(name, value)| Some((name, value.as_str()?)));
        let argument = texts.find(|(_, text)| names(text)).map(|(name, _)| name);
        match argument.and_then(|name| args.get(name)).and_then(Value::as_str) {
            Some(text) => short_line(&format!("{lead} {}", first_line(text)), MAX_TITLE),
            None => self.title.clone(),
        }
    }

    /// Whether its arguments contain text for a file.
    pub(super) fn writes_a_file(&self) -> bool {
        let file_args =
            ["content", "new_string", "new_str", "newString", "edits", "new_source", "diff", "changes"];
        self.args.as_ref().is_some_and(|args| file_args.iter().any(|name| args.contains_key(*name)))
    }

    /// Who waits for the answer, no longer than the request lasts.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        let ends = [self.waiting?.gives_up_in, self.expires_in];
        Some(Waiting::of(ends.into_iter().flatten().min()))
    }

    /// How much longer the answer is waited for; `None` if there is no time limit.
    pub fn time_left(&self, now: &Moment) -> Option<Duration> {
        let duration = Duration::from_secs(self.expires_in?);
        Some(duration.saturating_sub(now.since(self.asked.as_ref()?)))
    }

    /// Whether the process that waits for the answer is gone.
    pub fn is_orphaned(&self, now: &Moment) -> bool {
        let restarted = self.asked.as_ref().is_some_and(|asked| !asked.same_run(now));
        self.asker.as_ref().is_some_and(|asker| restarted || !asker.is_alive())
    }

    /// Whether a hook and a tool ask about the same call of the same session.
    pub fn is_same_call_by_hook_or_tool(&self, other: &Self) -> bool {
        let session = |input: &Self| input.session.as_ref().map(|session| session.id.clone());
        self.by_tool != other.by_tool
            && session(self).is_some_and(|id| session(other) == Some(id))
            && self.asks_the_same(other)
    }

    /// Whether it is the same call of the same session, made again.
    pub fn is_made_again(&self, call: &Self) -> bool {
        let session = |input: &Self| input.session.as_ref().map(|session| session.id.clone());
        session(self).is_some_and(|id| session(call) == Some(id))
            && self.source == call.source
            && self.folder == call.folder
            && self.action == call.action
            && self.args == call.args
    }

    /// Whether two askers ask exactly the same. Who they are, when they asked and for how long does not matter.
    pub fn asks_the_same(&self, other: &Self) -> bool {
        let bare = |input: &Self| Self {
            expires_in: None,
            asked: None,
            session: None,
            asker: None,
            stays: false,
            waiting: None,
            by_tool: false,
            remember: Vec::new(),
            ..input.clone()
        };
        bare(self) == bare(other)
    }
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RequestOutcome {
    /// As proposed.
    Accept,
    /// With these arguments instead.
    Edit { args: Value },
    /// In words.
    Respond { text: String },
    /// No.
    Ignore,
    /// Nobody answered in time.
    Expired,
    /// The asker no longer waits for it.
    Withdrawn,
}

impl RequestOutcome {
    /// The kind of ending, without its contents.
    pub fn ending(&self) -> Ending {
        match self {
            RequestOutcome::Accept => Ending::Accept,
            RequestOutcome::Edit { .. } => Ending::Edit,
            RequestOutcome::Respond { .. } => Ending::Respond,
            RequestOutcome::Ignore => Ending::Ignore,
            RequestOutcome::Expired => Ending::Expired,
            RequestOutcome::Withdrawn => Ending::Withdrawn,
        }
    }
}

/// A program's question to a person.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    pub asked: RequestInput,
    pub given: Option<RequestOutcome>,
    /// Which of its offers the asker should remember, by index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remember: Option<usize>,
    /// Whether the answer was handed to the asker, if that is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub delivered: bool,
    /// What the asker reported afterwards.
    pub reported: Option<Report>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum RequestUpdate {
    /// It was asked.
    Started { asked: Box<RequestInput> },
    /// It was answered, or it is over.
    Given {
        /// `None` if there was no answer.
        given: Option<RequestOutcome>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remember: Option<usize>,
        /// What came of it, if the asker did it without an answer from here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<Report>,
    },
    /// The answer was handed to the asker.
    Delivered,
    /// The asker reported the outcome.
    Reported { report: Report },
}

impl State for Request {
    type Input = RequestInput;
    type Update = RequestUpdate;

    fn started(asked: RequestInput) -> RequestUpdate {
        RequestUpdate::Started { asked: Box::new(asked) }
    }

    fn answered(answers: Vec<Answer>) -> RequestUpdate {
        let answer = answers.into_iter().next();
        let remember = answer.as_ref().and_then(|answer| answer.remember);
        let outcome = answer.map(|answer| match answer.decision {
            Decision::Accept | Decision::Draft => RequestOutcome::Accept,
            Decision::Edit { args } => RequestOutcome::Edit { args },
            Decision::Respond { text } => RequestOutcome::Respond { text },
            Decision::Ignore if answer.expired => RequestOutcome::Expired,
            Decision::Ignore => RequestOutcome::Ignore,
        });
        RequestUpdate::Given { given: outcome, remember, report: None }
    }

    fn arrived(event: Event) -> Option<RequestUpdate> {
        match event.what {
            EventKind::AnsweredElsewhere { payload, .. } if payload.get("how").is_some() => {
                let outcome = match payload["how"].as_str() {
                    Some("withdrawn") => RequestOutcome::Withdrawn,
                    _ => RequestOutcome::Expired,
                };
                let report = payload.get("report").map(read_report);
                Some(RequestUpdate::Given { given: Some(outcome), remember: None, report })
            }
            EventKind::AnsweredElsewhere { payload, .. } if payload.get("delivered").is_some() => {
                Some(RequestUpdate::Delivered)
            }
            EventKind::AnsweredElsewhere { payload, .. } => {
                Some(RequestUpdate::Reported { report: read_report(&payload["report"]) })
            }
            EventKind::Words { .. }
            | EventKind::Hint { .. }
            | EventKind::News { .. }
            | EventKind::Corrected { .. } => None,
        }
    }

    fn apply(&mut self, update: RequestUpdate) {
        match update {
            RequestUpdate::Started { asked } => self.asked = *asked,
            RequestUpdate::Given { given, remember, report } => {
                self.given = given.or(self.given.take());
                self.remember = remember;
                self.reported = report.or(self.reported.take());
            }
            RequestUpdate::Delivered => self.delivered = true,
            RequestUpdate::Reported { report } => self.reported = Some(report),
        }
    }

    fn title(&self) -> String {
        match &self.given {
            Some(RequestOutcome::Edit { args }) => self.asked.title_with(args),
            _ => self.asked.title.clone(),
        }
    }

    fn output(&self) -> Option<Value> {
        let outcome = self.given.as_ref()?;
        let mut output = json!({"type": outcome.ending(), "args": self.args()});
        // The list of decisions reads this.
        if let Some(report) = &self.reported {
            output["reported"] = Value::from(report.words());
        }
        Some(output)
    }
}

fn read_report(payload: &Value) -> Report {
    serde_json::from_value(payload.clone()).unwrap_or_default()
}

impl Request {
    /// What the asker should remember.
    pub fn remembered(&self) -> Option<&Remember> {
        let is_accepted = self.given == Some(RequestOutcome::Accept);
        self.remember.filter(|_| is_accepted).and_then(|index| self.asked.remember.get(index))
    }

    /// What the asker may do now, or was told: the original arguments, the edited ones, or the person's words.
    pub fn args(&self) -> Value {
        let original_args = || self.asked.args.clone().map_or(Value::Null, Value::Object);
        match &self.given {
            Some(RequestOutcome::Accept) => original_args(),
            // Text that was not edited goes back as it came, not as it was shown.
            Some(RequestOutcome::Edit { args }) => {
                serde_json::from_str(&apply_edit(&original_args().to_string(), args))
                    .unwrap_or_else(|_| args.clone())
            }
            Some(RequestOutcome::Respond { text }) => Value::from(text.as_str()),
            Some(RequestOutcome::Ignore | RequestOutcome::Expired | RequestOutcome::Withdrawn) | None => {
                Value::Null
            }
        }
    }
}
