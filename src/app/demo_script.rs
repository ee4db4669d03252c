//! The demo's model and its web: they play answers that were written for the demo's mails and threads.
//!
//! Promises: an answer depends on the task, on the mail or thread, and on what the person chose, and on nothing else. So it
//! is the same however often and in whatever order it is asked for. Where nobody wrote one, sayso does what it does
//! without a model: rules triage the mail, and the person's words become the letter. Other threads are told in a
//! sentence. What the person taught the triage is put around what is written here.

use crate::agent::agent_loop::{CallResult, Turn};
use crate::agent::llm::{Builtin, Message, ModelError, ReadyModel, Reply, Request, RuleAnswer, facts};
use crate::agent::mail_facts::{Class, MailFacts};
use crate::text::read_error_text;
use crate::text::words::letters_and_digits;
use crate::tools::http::{Http, HttpAnswer, HttpError};
use crate::workflows::RULES;
use crate::workflows::analyze::facts::AnalyzeFacts;
use crate::workflows::ask::facts::AskFacts;
use crate::workflows::email::facts::{ReplyFacts, TriageFacts};
use crate::workflows::sheet::facts::PlanFacts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The file that marks a folder as the demo's.
pub(super) const DEMO_MARKER: &str = ".sayso-demo";

pub fn is_demo(folder: &Path) -> bool {
    folder.join(DEMO_MARKER).is_file()
}

/// The web of the demo: it answers what the script in the demo's folder says, and nothing leaves the machine.
pub(super) fn demo_web(folder: &Path) -> Http {
    let folder = folder.to_owned();
    Http::played(move |call| {
        let script = Script::open(&folder).map_err(HttpError::Refused)?;
        let address = call.url.split('?').next().unwrap_or_default();
        let body = script.answers.web.get(address).ok_or_else(|| {
            HttpError::Refused(format!(
                "the demo sends nothing over the network, and plays no answer of {address}"
            ))
        })?;
        let kind = "application/json".to_owned();
        Ok(HttpAnswer { status: 200, kind, body: body.clone().into_bytes(), ..HttpAnswer::default() })
    })
}

/// A model that plays the script in the demo's folder.
pub(super) struct Script {
    answers: Answers,
    rules: Builtin,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    mail: Vec<MailAnswers>,
    analysis: Vec<AnalysisAnswers>,
    sheet: Vec<SheetAnswers>,
    api: Vec<ApiAnswers>,
    pages: Vec<Pages>,
    /// What the web answers, as JSON, by the address without its query.
    web: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MailAnswers {
    from: String,
    subject: String,
    class: Class,
    gist: String,
    why: String,
    /// The days to look up in the calendar before anything is proposed.
    #[serde(default)]
    days: Vec<String>,
    /// Whether a letter goes to everybody in the conversation.
    #[serde(default)]
    to_all: bool,
    /// What is proposed first.
    reply: Proposal,
    /// What is proposed after the person said this.
    #[serde(default)]
    words: BTreeMap<String, Proposal>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Proposal {
    Letter(String),
    Question(String),
    Meeting { subject: String, start: String, minutes: u32, content: String },
    Invitation(String),
    Unsubscribe,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnalysisAnswers {
    query: String,
    turn: String,
    #[serde(default)]
    words: BTreeMap<String, String>,
    result: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SheetAnswers {
    instruction: String,
    thought: String,
    code: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApiAnswers {
    query: String,
    /// The operation to ask. The question gives no parameters; the person is asked for them.
    api: String,
}

/// The pages about a code base, by the agent that writes them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pages {
    /// What the code base says of itself.
    about: String,
    written: BTreeMap<String, String>,
}

/// What the person chose last about a mail.
enum Choice<'a> {
    /// Nothing yet, and nothing was looked up.
    Nothing,
    /// Nothing yet; the calendar was looked up.
    CalendarRead,
    Words(&'a str),
    /// Something that ends a proposal.
    Ended,
}

impl Script {
    /// What it is called wherever models are named.
    pub const NAME: &str = "demo script";
    /// Its file in the demo's folder.
    pub const FILE: &str = "script.toml";

    /// Reads the script in the demo's folder; the error says what is wrong with it.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let path = folder.join(Self::FILE);
        let cannot = |why: String| {
            format!("{} cannot be read: {why}; `sayso demo --reset` lays it out anew", path.display())
        };
        let text = fs::read_to_string(&path).map_err(|error| cannot(read_error_text(&error)))?;
        let answers = toml::from_str(&text).map_err(|error| cannot(error.message().to_owned()))?;
        Ok(Self { answers, rules: Builtin::new(Self::NAME, RULES) })
    }

    /// Refuses a thread that nobody wrote answers for; the error names those there are.
    pub fn check_thread(&self, workflow: &str, input: &Value) -> Result<(), String> {
        let Answers { analysis, sheet, api, .. } = &self.answers;
        let (key, written): (_, Vec<&str>) = match workflow {
            "analyze" => ("query", analysis.iter().map(|one| one.query.as_str()).collect()),
            "sheet" => ("instruction", sheet.iter().map(|one| one.instruction.as_str()).collect()),
            _ => ("query", api.iter().map(|one| one.query.as_str()).collect()),
        };
        let words = input.get(key).and_then(Value::as_str).unwrap_or_default();
        if written.iter().any(|known| is_same(known, words)) {
            return Ok(());
        }
        Err(format!(
            "the demo plays written answers, and has none to this; it has some to “{}”. A model of your own, in [model] \
             of the demo's config.toml, answers everything",
            written.join("”, “")
        ))
    }

    /// Sender and subject of every mail that answers are written for.
    #[cfg(test)]
    pub fn mails(&self) -> Vec<(String, String)> {
        self.answers.mail.iter().map(|mail| (mail.from.clone(), mail.subject.clone())).collect()
    }

    fn mail(&self, mail: &MailFacts) -> Option<&MailAnswers> {
        self.answers.mail.iter().find(|written| written.from == mail.from && written.subject == mail.subject)
    }

    fn triage(&self, facts: &TriageFacts) -> Option<RuleAnswer> {
        let written = self.mail(&facts.mail)?;
        Some(RuleAnswer::Data(json!({
            "reasoning": written.why,
            "gist": written.gist,
            "classification": written.class,
            "unsure": false,
        })))
    }

    fn reply(&self, facts: &ReplyFacts) -> Option<RuleAnswer> {
        let written = self.mail(&facts.mail)?;
        let proposal = match choice(&facts.said) {
            Choice::Nothing if !written.days.is_empty() => {
                return Some(call("check_calendar_availability", json!({ "days": written.days })));
            }
            Choice::Nothing | Choice::CalendarRead => &written.reply,
            Choice::Words(words) => find(&written.words, words)?,
            Choice::Ended => return None,
        };
        Some(match proposal {
            Proposal::Letter(content) => {
                let cc = if written.to_all { facts.reply_all.as_slice() } else { &[] };
                let args =
                    json!({ "to": facts.reply_to, "cc": cc, "subject": facts.subject, "content": content });
                call("write_email", args)
            }
            Proposal::Question(content) => call("question", json!({ "content": content })),
            Proposal::Meeting { subject, start, minutes, content } => call(
                "schedule_meeting",
                json!({
                    "attendees": facts.reply_to,
                    "subject": subject,
                    "start": start,
                    "duration_minutes": minutes,
                    "content": content,
                }),
            ),
            Proposal::Invitation(answer) => call("answer_invitation", json!({ "answer": answer })),
            Proposal::Unsubscribe => call("unsubscribe", json!({})),
        })
    }

    fn analysis(&self, task: &str, facts: &AnalyzeFacts) -> Result<RuleAnswer, ModelError> {
        let mut all = self.answers.analysis.iter();
        let written = all.find(|one| is_same(&one.query, &facts.query)).ok_or(ModelError::Unscripted)?;
        let text = match task {
            "analyze.initial" => written.turn.clone(),
            "analyze.final" => written.result.clone(),
            _ => find(&written.words, &facts.input).cloned().unwrap_or_else(no_answer),
        };
        Ok(RuleAnswer::Text(text))
    }

    fn sheet(&self, facts: &PlanFacts) -> RuleAnswer {
        let finish = |answer: String| call("finish", json!({ "answer": answer }));
        let mut all = self.answers.sheet.iter();
        let written = all.find(|one| is_same(&one.instruction, &facts.instruction));
        match (written.filter(|_| facts.said.is_empty()), facts.ran.last()) {
            (None, _) => finish(no_answer()),
            // What the code printed is the answer.
            (Some(_), Some(None)) => finish(String::new()),
            (Some(SheetAnswers { thought, code, .. }), _) => {
                RuleAnswer::Calls(thought.clone(), vec![("python", json!({ "code": code }))])
            }
        }
    }

    fn api(&self, task: &str, facts: &AskFacts) -> Result<RuleAnswer, ModelError> {
        let mut all = self.answers.api.iter();
        let written = all.find(|one| is_same(&one.query, &facts.query)).ok_or(ModelError::Unscripted)?;
        match task {
            "ask.select" => Ok(RuleAnswer::Data(json!({ "api": written.api }))),
            "ask.params" => Ok(RuleAnswer::Data(json!({ "parameters": {} }))),
            _ => Err(ModelError::Unscripted),
        }
    }

    /// The page of an agent, about the code base that it is written for.
    fn page(&self, request: &Request) -> Result<RuleAnswer, ModelError> {
        let agent = request.facts.get("agent").and_then(Value::as_str).unwrap_or_default();
        let says = |message: &Message, words: &str| matches!(message, Message::User { text } if text.contains(words));
        let is_about = |pages: &&Pages| request.messages.iter().any(|message| says(message, &pages.about));
        let pages = self.answers.pages.iter().find(is_about);
        let written = pages.and_then(|pages| pages.written.get(agent)).ok_or(ModelError::Unscripted)?;
        Ok(RuleAnswer::Text(written.trim().to_owned()))
    }
}

impl ReadyModel for Script {
    fn label(&self) -> &str {
        Self::NAME
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        let written = match request.task.as_str() {
            "email.triage" => self.triage(&read(request)?),
            "email.reply" => self.reply(&read(request)?),
            "analyze.initial" | "analyze.followup" | "analyze.final" => {
                Some(self.analysis(&request.task, &read(request)?)?)
            }
            "sheet.plan" => Some(self.sheet(&read(request)?)),
            "ask.select" | "ask.params" | "ask.answer" => Some(self.api(&request.task, &read(request)?)?),
            "docs.analyze" => Some(self.page(request)?),
            // Nobody asks for a second version of what was written by hand.
            "docs.evaluate" => Some(RuleAnswer::Data(json!({
                "completeness": 90, "clarity": 90, "depth": 90, "accuracy": 90, "missing_information": [],
            }))),
            // What stands in the script is what was asked for.
            "text.check" => Some(RuleAnswer::Data(json!({ "is_wanted": true }))),
            _ => None,
        };
        match written {
            Some(answer) => Ok(answer.into_reply(Self::NAME, request)),
            None => Ok(Reply { model: Self::NAME.to_owned(), ..self.rules.answer(request)? }),
        }
    }
}

fn read<T: DeserializeOwned>(request: &Request) -> Result<T, ModelError> {
    facts(&request.facts).map_err(|why| ModelError::BadFacts { task: request.task.clone(), why })
}

fn call(tool: &'static str, args: Value) -> RuleAnswer {
    RuleAnswer::Calls(String::new(), vec![(tool, args)])
}

fn is_same(written: &str, said: &str) -> bool {
    letters_and_digits(written) == letters_and_digits(said)
}

/// What was written for these words.
fn find<'a, T>(written: &'a BTreeMap<String, T>, said: &str) -> Option<&'a T> {
    written.iter().find(|(words, _)| is_same(words, said)).map(|(_, answer)| answer)
}

/// The sentence for words that nobody wrote an answer to.
fn no_answer() -> String {
    format!("The demo's script has no answer to this. {}", ModelError::Unscripted.explain())
}

fn choice(said: &[Turn]) -> Choice<'_> {
    match said.last() {
        None => Choice::Nothing,
        Some(Turn::Told { text } | Turn::Became { how: CallResult::Answered, text, .. }) => {
            Choice::Words(text)
        }
        Some(Turn::Became { tool, how: CallResult::Done, .. }) if tool == "check_calendar_availability" => {
            Choice::CalendarRead
        }
        Some(Turn::Became { .. } | Turn::Called { .. } | Turn::Said { .. } | Turn::News { .. }) => {
            Choice::Ended
        }
    }
}
