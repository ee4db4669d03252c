//! `sayso request`: lets any program ask the user, and get the answer.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::{Signals, seconds};
use crate::cli::failure::{Exit, Failure};
use crate::cli::hook::{self, Scope};
use crate::cli::ids::{Target, target};
use crate::cli::output::{Format, Output};
use crate::cli::text_input::read_stdin;
use crate::cli::values::Lines;
use crate::connect::HOOK_PATIENCE;
use crate::dialects::Agent;
use crate::inbox::door::{NewRequest, WaitResult};
use crate::inbox::{Ending, RequestAnswer};
use crate::text::read_error_text;
use crate::text::when;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

/// Ask the person something, from a script, a job or an agent
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("asking").multiple(true).args(["title", "text", "action", "args", "schema", "allow",
        "expires", "source", "key", "wait"]),
    after_help = "The question appears in the inbox. With --wait the answer is printed when it comes: {type, args, by, \
    at}, where type is accept, edit, respond, ignore or expired. Whoever does something by the exit code alone should \
    say --allow accept,ignore. Asked again with the same --key it is the same question, with one answer, also after \
    the asker or the machine went down.\n\n\
    Exit codes: 0 asked, or with --wait accepted, edited or responded to, 4 ignored, 5 expired; 1 too where --timeout \
    was not enough.\n\n\
    Examples:\n  \
    sayso request --title \"Deploy 1.4 to production?\" --allow accept,ignore --wait && ./deploy\n  \
    sayso request --title \"Which region?\" --text \"eu or us\" --wait --json | jq -r .args\n  \
    sayso request --title \"Pay the invoice\" --action pay --args '{\"amount\": 120}' --key inv-7 --expires 1d --wait\n  \
    sayso request --answer i7k2 --json | jq .args\n  \
    sayso request --hook claude-code < event.json\n  \
    git diff | sayso request --title \"Push this?\" --text - --source pre-push --wait"
)]
pub struct Args {
    /// What is asked, in one line
    #[arg(long, required_unless_present_any = ["hook", "answer"])]
    title: Option<String>,
    /// More about it; - reads it from stdin
    #[arg(long, allow_hyphen_values = true)]
    text: Option<String>,
    /// What you would do, as one word; the arguments are shown, and can be edited
    #[arg(long, value_name = "WORD")]
    action: Option<String>,
    /// The arguments, a JSON object; - reads it from stdin
    #[arg(long, value_name = "JSON", requires = "action")]
    args: Option<String>,
    /// A file with the JSON schema of the arguments
    #[arg(long, value_name = "FILE", requires = "action")]
    schema: Option<PathBuf>,
    /// The answers you take: accept, edit, respond, ignore
    #[arg(long, value_delimiter = ',', value_enum, value_name = "ANSWERS")]
    allow: Option<Vec<Way>>,
    /// The question expires after this long: 30m, 2h, 3d
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
    /// Who you are
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Your own name for the question: asking again with it repeats the same question
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Wait for the answer
    #[arg(long)]
    wait: bool,
    /// Give up waiting after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Read a hook's event from stdin and print the decision in the agent's own form
    #[arg(long, value_name = "AGENT", value_parser = agents(), conflicts_with_all = ["asking", "answer"])]
    hook: Option<Agent>,
    /// Read the answer to this request, or to the request of this thread; exit code 6 if there is none yet
    #[arg(long, value_name = "ID", conflicts_with_all = ["asking", "timeout"])]
    answer: Option<String>,
    /// Ask only about calls that sayso warns about; leave the others to the agent's own rules
    #[arg(long, requires = "hook")]
    warned: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum Way {
    /// As proposed
    Accept,
    /// With changed arguments
    Edit,
    /// In words
    Respond,
    /// No
    Ignore,
}

/// The agents by the names of their hooks.
fn agents() -> impl TypedValueParser<Value = Agent> {
    PossibleValuesParser::new(Agent::ALL.map(Agent::hook_name)).try_map(|name| {
        let agent = Agent::ALL.into_iter().find(|agent| agent.hook_name() == name);
        agent.ok_or("there is no such agent")
    })
}

impl Args {
    /// How long a hook waits for an answer; `None` if this is no hook.
    pub fn hook_patience(&self) -> Option<Duration> {
        self.hook.map(|_| self.timeout.unwrap_or(HOOK_PATIENCE))
    }

    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        if let Some(id) = self.answer {
            return read_answer(context, &id).await;
        }
        if let Some(agent) = self.hook {
            let scope = if self.warned { Scope::Warned } else { Scope::All };
            return hook::run(agent, context, self.timeout.unwrap_or(HOOK_PATIENCE), scope).await;
        }
        if self.timeout.is_some() && !self.wait {
            return Err(Failure::usage("--timeout says how long to wait, so it needs --wait"));
        }
        let input = self.input()?;
        let folder = context.open()?;
        let mut asking = NewRequest { input: Value::Object(input), key: self.key.clone() };
        if self.wait {
            asking = asking.waited_for(self.timeout);
        }
        let asked = folder.inbox().requests().ask(asking).await;
        let asked = asked.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
        let answer = if self.wait { self.wait_for(&folder, asked).await? } else { asked };
        format_answer(&folder.format, &answer, Exit::Done)
    }

    async fn wait_for(&self, folder: &OpenFolder, asked: RequestAnswer) -> Result<RequestAnswer, Failure> {
        let mut signals = Signals::listen();
        let id = &asked.id;
        let hint = format!("it stays in the inbox, and `sayso request --answer {id}` reads the answer later");
        let requests = folder.inbox().requests();
        let waiting = async {
            let stop = signals.received();
            requests.wait(&asked.thread, stop).await
        };
        let waited = match self.timeout {
            None => Ok(waiting.await?),
            Some(timeout) => match tokio::time::timeout(timeout, waiting).await {
                Ok(waited) => Ok(waited?),
                Err(_) => Err(timeout.as_secs_f64()),
            },
        };
        let why = match waited {
            Ok(WaitResult::Answered(answer)) => return Ok(answer),
            Ok(WaitResult::Told) => format!("interrupted while waiting for `{id}`"),
            Err(waited) => format!("gave up after {waited} s: nobody has answered `{id}` yet"),
        };
        requests.stop_waiting(&asked.thread).await?;
        Err(Failure::failed(format!("{why}; {hint}")))
    }

    /// The input, with the keys of `start request`.
    fn input(&self) -> Result<Map<String, Value>, Failure> {
        if self.text.as_deref() == Some("-") && self.args.as_deref() == Some("-") {
            return Err(Failure::usage("--text and --args cannot both come from stdin"));
        }
        let given = |words: &Option<String>| match words.as_deref() {
            Some("-") => read_stdin().map(Some),
            words => Ok(words.map(str::to_owned)),
        };
        let text = given(&self.text)?;
        let args = given(&self.args)?.map(|json| object("--args", &json)).transpose()?;
        let schema = match &self.schema {
            None => None,
            Some(file) => {
                let name = file.display();
                let text = std::fs::read_to_string(file).map_err(|e| {
                    Failure::usage(format!("--schema: {name} cannot be read: {}", read_error_text(&e)))
                })?;
                Some(object(&format!("--schema: {name}"), &text)?)
            }
        };
        let expires = match &self.expires {
            None => None,
            Some(word) => Some(when::parse_duration(word).map_err(Failure::usage)?.as_secs()),
        };
        let folder = std::env::current_dir().ok().map(|folder| folder.display().to_string());
        let ways = |ways: &Vec<Way>| ways.iter().map(|way| Value::from(<&str>::from(way))).collect::<Value>();
        let keys = [
            ("title", self.title.as_deref().map(Value::from)),
            ("text", text.map(Value::from)),
            ("action", self.action.as_deref().map(Value::from)),
            ("args", args),
            ("schema", schema),
            ("allow", self.allow.as_ref().map(ways)),
            ("source", self.source.as_deref().map(Value::from)),
            ("folder", folder.map(Value::from)),
            ("expires_in", expires.map(Value::from)),
        ];
        Ok(keys.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
    }
}

/// Reads the answer to a request, or to that of a thread.
async fn read_answer(context: Context, id: &str) -> Result<Output, Failure> {
    let target = target(id)?;
    let folder = context.open()?;
    let answer = match target {
        Target::Interrupt(id) => folder.inbox().requests().answer(&id).await,
        Target::Result(thread) => folder.inbox().requests().answer_in(&thread).await,
    };
    let answer = answer.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
    format_answer(&folder.format, &answer, Exit::Unanswered)
}

fn object(what: &str, json: &str) -> Result<Value, Failure> {
    let read = serde_json::from_str::<Value>(json);
    let value =
        read.map_err(|e| Failure::usage(format!("{what} is not JSON: {e}; quote it for the shell")))?;
    if value.is_object() {
        return Ok(value);
    }
    Err(Failure::usage(format!("{what} is not a JSON object; write it like '{{\"amount\": 120}}'")))
}

/// The answer to a request, or that there is none yet.
fn format_answer(format: &Format, answer: &RequestAnswer, unanswered: Exit) -> Result<Output, Failure> {
    let exit = match answer.r#type {
        Some(Ending::Accept | Ending::Edit | Ending::Respond) => Exit::Done,
        Some(Ending::Ignore) => Exit::Ignored,
        Some(Ending::Expired | Ending::Withdrawn) => Exit::Expired,
        None => unanswered,
    };
    Ok(format.for_program(answer, |format| answer_text(format, answer))?.with_exit(exit))
}

fn answer_text(format: &Format, answer: &RequestAnswer) -> String {
    let id = &answer.id;
    let by = match (&answer.by, answer.at) {
        (Some(by), Some(at)) => format!(" (by {by}, {})", format.time(at)),
        _ => String::new(),
    };
    let mut lines = Lines::new(format.columns());
    let sentence = match answer.r#type {
        None => format!("{id} waits for an answer; `sayso request --answer {id}` reads it later."),
        Some(Ending::Accept) => format!("{id} was accepted{by}."),
        Some(Ending::Edit) => format!("{id} was accepted with changes{by}."),
        Some(Ending::Respond) => format!("{id} was answered{by}."),
        Some(Ending::Ignore) => format!("{id} was refused{by}."),
        Some(Ending::Expired) => format!("{id} has expired; nobody answered in time."),
        Some(Ending::Withdrawn) => format!("{id} was withdrawn before anybody answered."),
    };
    lines.line(0, &sentence);
    if !answer.args.is_null() {
        lines.value(0, &answer.args);
    }
    lines.into_text()
}
