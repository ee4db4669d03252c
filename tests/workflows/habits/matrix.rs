//! The matrix: habits × wires × workflows.
//!
//! A wire shapes an answer before any workflow sees it, so each wire reads the habits in words (`analyze`), in data
//! (`ask`) and in calls (`sheet`), and one value in place of a list in a mail's calls. What the larger workflows make
//! of the answers is the same over each wire, but for a refusal, for which one of them has only words.

use super::bent::{FOREIGN, bent, unbent};
use super::habit::Habit;
use super::jobs::{Job, Outcome, run};
use super::script::straight;
use crate::support::model_server::Server;
use crate::support::wire::PROVIDERS;
use sayso::agent::llm::{BoxFuture, Message, Model, ModelError, OnText, Provider, Reply, Request};
use sayso::agent::{Models, Picked};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use strum::IntoEnumIterator;

/// A model at the other end of a real connection.
struct Line {
    provider: Provider,
    wire: Arc<dyn Model>,
    /// One call at a time: what the server says next belongs to the call under way.
    server: tokio::sync::Mutex<Server>,
}

impl Line {
    async fn open(provider: Provider) -> Arc<Self> {
        let server = Server::play([]).await;
        Arc::new(Self { provider, wire: server.model(provider), server: tokio::sync::Mutex::new(server) })
    }
}

/// The same model with a habit.
struct Habitual {
    habit: Option<Habit>,
    line: Arc<Line>,
    /// How often each thing was asked.
    seen: Mutex<HashMap<String, usize>>,
    calls: Mutex<usize>,
    shown: Mutex<usize>,
    /// What it was told about its answers.
    told: Mutex<Vec<String>>,
}

impl Habitual {
    fn new(habit: Option<Habit>, line: &Arc<Line>) -> Arc<Self> {
        let (seen, calls, shown, told) = Default::default();
        Arc::new(Self { habit, line: line.clone(), seen, calls, shown, told })
    }
}

impl Model for Habitual {
    fn label(&self) -> &str {
        self.line.wire.label()
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let server = self.line.server.lock().await;
            let reply = straight(request);
            let asked = format!("{} {}", request.task, request.facts);
            let first = {
                let mut seen = self.seen.lock().unwrap();
                let times = seen.entry(asked).or_default();
                *times += 1;
                *times == 1
            };
            if let Some(Message::User { text }) = request.messages.last()
                && text.contains("answer cannot be used: ")
            {
                self.told.lock().unwrap().push(text.clone());
            }
            let provider = self.line.provider;
            // Data is bent where a job is about data; a check of a text is none of the job.
            let habit = self.habit.filter(|_| request.task != "text.check");
            let play = habit.and_then(|habit| bent(habit, provider, request, &reply, first));
            *self.calls.lock().unwrap() += 1;
            *self.shown.lock().unwrap() += usize::from(play.is_some());
            server.next(play.unwrap_or_else(|| unbent(provider, request, &reply)));
            self.line.wire.complete(request, on_text).await
        })
    }
}

/// The models of an inbox, each known by its habit.
pub struct Habits(HashMap<&'static str, Arc<Habitual>>);

/// The name of the model without habits.
pub const STRAIGHT: &str = "straight";

impl Models for Habits {
    fn pick(&self, _: &str, _: &str, wanted: Option<&str>) -> Result<Picked, ModelError> {
        let name = wanted.expect("every thread names its model");
        let model = self.0[name].clone();
        Ok(Picked { model, name: name.to_owned(), builtin: false, person: false, server: None, window: None })
    }

    fn pick_only(&self, name: &str) -> Result<Picked, ModelError> {
        self.pick("", "", Some(name))
    }

    fn check_name(&self, name: &str) -> Result<(), String> {
        if self.0.contains_key(name) { Ok(()) } else { Err(format!("no habit {name}")) }
    }

    fn has_any(&self) -> bool {
        true
    }

    fn check_answers(&self, _: &str, _: &[&str], _: &Value) -> Result<(), String> {
        Ok(())
    }
}

/// What one row must come to.
fn judge(
    habit: Habit,
    provider: Provider,
    plain: &Outcome,
    got: &Outcome,
    shown: usize,
    calls: [usize; 2],
    told: &[String],
) -> Result<(), String> {
    let [plain_calls, calls] = calls;
    let budget = plain_calls + shown * usize::from(habit.is_asked_again());
    let is_named = |text: &&String| habit.is_told().iter().any(|words| text.contains(words));
    if shown == 0 {
        return if got == plain { Ok(()) } else { Err(format!("differs, and was never shown: {got:#?}")) };
    }
    match habit {
        Habit::Refusal => {
            let reply = if provider == Provider::Ollama {
                "cannot help|in words|calls no tool"
            } else {
                "refused|declined"
            };
            let text = format!("{got:?}");
            let says = reply.split('|').any(|word| text.contains(word));
            let ends = got.troubles.len() <= 1;
            if says && ends { Ok(()) } else { Err(format!("no card says why: {got:#?}")) }
        }
        _ if !got.troubles.is_empty() => Err(format!("trouble: {:?}", got.troubles)),
        _ if told.iter().any(|text| !is_named(&text)) => Err(format!("told {told:#?}")),
        _ if calls > budget => Err(format!("{calls} calls, and {budget} would do")),
        Habit::OtherLanguage if got.ended() && format!("{got:?}").contains(FOREIGN) => Ok(()),
        Habit::LongContext => {
            if got.ended() && got.says("too long for the model") {
                Ok(())
            } else {
                Err(format!("nothing says so: {got:#?}"))
            }
        }
        // Words end the mail; what was sent before is the same.
        _ if got == plain => Ok(()),
        _ => Err(format!("{got:#?}\nin place of {plain:#?}")),
    }
}

/// The habits with which a job is done over a wire.
fn habits(job: Job, provider: Provider) -> Vec<Habit> {
    match job {
        Job::Email if provider != Provider::Openai => vec![Habit::Refusal, Habit::OneForList],
        Job::Docs if provider != Provider::Openai => vec![Habit::Refusal],
        _ => Habit::iter().collect(),
    }
}

async fn every_habit_over(job: Job, provider: Provider) -> Vec<String> {
    let line = Line::open(provider).await;
    let habits = habits(job, provider);
    let mut models = HashMap::from([(STRAIGHT, Habitual::new(None, &line))]);
    models.extend(habits.iter().map(|habit| (habit.name(), Habitual::new(Some(*habit), &line))));
    let models = Arc::new(Habits(models));
    let served: Arc<dyn Models> = models.clone();
    let outcomes = run(job, &served, models.0.keys().copied()).await;
    let plain = &outcomes[STRAIGHT];
    assert!(plain.ended() && plain.troubles.is_empty(), "{job:?} {provider:?}: {plain:#?}");
    let of = |name: &str| {
        let model = &models.0[name];
        let told = model.told.lock().unwrap().clone();
        (*model.shown.lock().unwrap(), *model.calls.lock().unwrap(), told)
    };
    let mut wrong = Vec::new();
    for habit in habits {
        let (shown, calls, told) = of(habit.name());
        let judged = if (shown > 0) == job.has_room_for(habit, provider) {
            judge(habit, provider, plain, &outcomes[habit.name()], shown, [of(STRAIGHT).1, calls], &told)
        } else {
            Err(format!("was shown {shown} times"))
        };
        wrong.extend(judged.err().map(|why| format!("{job:?} over {provider:?}, {}: {why}", habit.name())));
    }
    wrong
}

async fn every_habit(job: Job) {
    let wrong =
        futures_util::future::join_all(PROVIDERS.map(|provider| every_habit_over(job, provider))).await;
    let wrong = wrong.concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test]
async fn email_finishes_with_every_habit() {
    every_habit(Job::Email).await;
}

#[tokio::test]
async fn analyze_finishes_with_every_habit() {
    every_habit(Job::Analyze).await;
}

#[tokio::test]
async fn sheet_finishes_with_every_habit() {
    every_habit(Job::Sheet).await;
}

#[tokio::test]
async fn docs_finishes_with_every_habit() {
    every_habit(Job::Docs).await;
}

#[tokio::test]
async fn ask_finishes_with_every_habit() {
    every_habit(Job::Ask).await;
}
