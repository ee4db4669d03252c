//! One job for each workflow, with a person who accepts everything.

use super::habit::Habit;
use crate::support::email_inbox::{BOB, FakeCalendar, FakeMailbox, FakeOutgoing, ME, OneAccount};
use crate::support::model_server::{Play, Server};
use crate::support::test_inbox::respond;
use crate::support::{FakeModel, TestInbox};
use sayso::agent::Models;
use sayso::agent::llm::Provider;
use sayso::config::{AfterHandling, MailMode};
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::{Question, Status};
use sayso::mail::Account;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// The five workflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Job {
    Email,
    Analyze,
    Sheet,
    Docs,
    Ask,
}

impl Job {
    /// Whether a habit can show in the answers of this job: one that only talks cannot misname a tool.
    pub fn has_room_for(self, habit: Habit, provider: Provider) -> bool {
        use Habit::*;
        match self {
            Self::Email => true,
            Self::Analyze => {
                ![ProseAfterWork, WrappedAnswer, NumbersAsText, OtherCase, OneForList].contains(&habit)
            }
            Self::Sheet => {
                ![Fence, WrappedAnswer, NullOptional, EmptyOptional, NumbersAsText, OtherCase, OneForList]
                    .contains(&habit)
            }
            Self::Docs => ![ProseAfterWork, OtherCase, SeveralCalls].contains(&habit),
            // Data is asked for by a call on one wire alone.
            Self::Ask if habit == ToolName => provider == Provider::Anthropic,
            Self::Ask => ![ProseAfterWork, OneForList, CallAsText, SeveralCalls, SameCall].contains(&habit),
        }
    }
}

/// What came of a job.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub status: Status,
    pub output: Value,
    /// What the person was asked, in order.
    pub asked: Vec<(String, Value)>,
    /// What went wrong.
    pub troubles: Vec<String>,
    /// The texts of the cards.
    pub cards: Vec<String>,
}

impl PartialEq for Outcome {
    fn eq(&self, other: &Self) -> bool {
        let told = |one: &Self| (one.status, one.output.clone(), one.asked.clone(), one.troubles.clone());
        told(self) == told(other)
    }
}

impl Outcome {
    pub fn ended(&self) -> bool {
        self.status == Status::Done
    }

    /// Whether the answer or a card says this.
    pub fn says(&self, words: &str) -> bool {
        self.output.to_string().contains(words) || self.cards.iter().any(|card| card.contains(words))
    }
}

/// Does the job once with every model, all at the same time.
pub async fn run(
    job: Job,
    models: &Arc<dyn Models>,
    names: impl Iterator<Item = &'static str>,
) -> HashMap<&'static str, Outcome> {
    let api = Server::play([Play::json(
        200,
        &json!({"data": [{"name": "Tie Guan Yin"}, {"name": "Da Hong Pao"}]}),
    )])
    .await;
    let inbox = open(models, &api);
    let mut threads = Vec::new();
    for name in names {
        threads.push((name, start(job, &inbox, name).await));
    }
    let mut asked: HashMap<&str, Vec<(String, Value)>> = HashMap::new();
    let mut cards: HashMap<&str, Vec<String>> = HashMap::new();
    loop {
        inbox.drive().await;
        let mut open = 0;
        for (name, thread) in &threads {
            for item in items(&inbox, thread).await {
                cards.entry(name).or_default().push(item.text.clone());
                let seen = asked.entry(name).or_default();
                let decision = decide(&item, seen.len());
                seen.push((item.action.clone(), shown(job, &item)));
                inbox.decide(&item.id, decision).await.unwrap();
                open += 1;
            }
        }
        if open == 0 {
            break;
        }
    }
    let mut outcomes = HashMap::new();
    for (name, thread) in threads {
        let outcome = inbox.outcome(&thread).await;
        let troubles = outcome.error.iter().map(|error| error.text.clone()).collect();
        let output = output(job, &inbox, name, outcome.output.unwrap_or_default());
        let asked = asked.remove(name).unwrap_or_default();
        let cards = cards.remove(name).unwrap_or_default();
        outcomes.insert(name, Outcome { status: outcome.status, output, asked, troubles, cards });
    }
    outcomes
}

fn open(models: &Arc<dyn Models>, api: &Server) -> TestInbox {
    let port = api.address.rsplit(':').next().unwrap();
    let config =
        format!("[user]\nname = \"Ada\"\naddress = \"{ME}\"\n[apis.tea]\nprivate = [\"127.0.0.1:{port}\"]\n");
    let account = Account {
        name: "work".to_owned(),
        address: ME.to_owned(),
        addresses: vec![ME.to_owned()],
        mode: MailMode::Act,
        handled_done: AfterHandling::None,
        handled_ignored: AfterHandling::None,
        mailbox: Arc::<FakeMailbox>::default(),
        outgoing: Some(Arc::<FakeOutgoing>::default()),
        model: None,
    };
    let models = models.clone();
    let inbox = TestInbox::builder()
        .config(config)
        .with_file("apis/tea.json", tea(&api.address).to_string())
        .home_in("Europe/Berlin")
        .with_model(FakeModel::default())
        .with_services(move |services| {
            services.models = models;
            services.accounts = Arc::new(OneAccount::new(account));
            services.calendar = Some(Arc::<FakeCalendar>::default());
        })
        .open();
    inbox.write_input("sales.csv", "Region,Amount\nNorth,120\nSouth,80\n");
    inbox.write_input("code/Cargo.toml", "[package]\nname = 'box'\nversion = '1.0.0'\n");
    inbox.write_input("code/src/lib.rs", "//! Keeps boxes.\npub struct Box;\n");
    inbox
}

fn tea(host: &str) -> Value {
    let optional = json!([
        {"name": "limit", "description": "how many", "type": "integer", "in": "query"},
        {"name": "sort", "description": "by what", "type": "string", "in": "query", "enum": ["byName", "byPrice"]},
        {"name": "loose", "description": "loose leaves", "type": "boolean", "in": "query"},
        {"name": "shop", "description": "where", "type": "string", "in": "query"},
    ]);
    let operation = |id: &str, name: &str| {
        json!({
            "id": id, "category_name": "Tea", "tool_name": name, "api_name": name, "api_description": "Tea.",
            "method": "GET", "api_url": format!("/v1/{id}"),
            "required_parameters": [{"name": "query", "description": "words", "type": "string", "in": "query"}],
            "optional_parameters": optional, "asks": ["tea"],
        })
    };
    json!({
        "name": "tea", "title": "Tea", "hosts": [host], "data": "/data",
        "operations": [operation("find_tea", "Find Tea"), operation("list_tea", "List Tea")],
    })
}

async fn start(job: Job, inbox: &TestInbox, name: &str) -> ThreadId {
    let (workflow, input) = match job {
        Job::Email => {
            let mail = format!("mails/{name}.eml");
            let text = format!(
                "From: Bob Ray <{BOB}>\r\nTo: Ada <{ME}>\r\nSubject: The report\r\nMessage-ID: <{name}@client.example>\r\n\
                 Date: Mon, 02 Nov 2026 09:00:00 +0000\r\n\r\nCan we meet on Monday about the report?\r\n"
            );
            inbox.write_input(&mail, &text);
            ("email", json!({"file": inbox.inputs().join(mail)}))
        }
        Job::Analyze => {
            let folder = format!("notes-{name}");
            inbox.write_input(&format!("{folder}/notes.md"), "The launch slipped by three weeks.\n");
            // More than a prompt holds, so it is searched and read.
            for month in 1..=20 {
                let days = format!("On a day of month {month} nothing happened.\n").repeat(80);
                inbox.write_input(&format!("{folder}/month-{month}.md"), &days);
            }
            ("analyze", json!({"query": "Why did the launch slip?", "inputs": inbox.inputs().join(folder)}))
        }
        Job::Sheet => (
            "sheet",
            json!({"workbook": inbox.inputs().join("sales.csv"), "instruction": "What is the total?"}),
        ),
        Job::Docs => {
            let out = inbox.folder().join("pages").join(name);
            ("docs", json!({"dir": inbox.inputs().join("code"), "out": out, "max_iterations": 1}))
        }
        Job::Ask => ("ask", json!({"query": "Find oolong tea, the cheapest first, five of them, loose"})),
    };
    let mut input = input;
    input["model"] = json!(name);
    inbox.start(workflow, input).await
}

/// What a thread and its children ask.
async fn items(inbox: &TestInbox, thread: &ThreadId) -> Vec<Question> {
    let outcome = inbox.outcome(thread).await;
    if outcome.status == Status::Trouble {
        return Vec::new();
    }
    let mut items = Vec::new();
    for id in outcome.interrupts {
        items.push(inbox.item(&id).await);
    }
    items
}

/// Yes to everything; a conversation is answered once first.
fn decide(item: &Question, before: usize) -> Decision {
    match item.action.as_str() {
        "analysis_question" if before == 0 => respond("Yes, the supplier."),
        "notify" | "analysis_question" | "unchecked_answer" => Decision::Accept,
        _ if item.allow.accept => Decision::Accept,
        _ => Decision::Ignore,
    }
}

/// What is asked, without what differs from thread to thread.
fn shown(job: Job, item: &Question) -> Value {
    match (job, item.action.as_str()) {
        // Why a mail is shown stands on its card.
        (Job::Email, "notify") => json!(item.text),
        _ => item.args.clone(),
    }
}

fn output(job: Job, inbox: &TestInbox, name: &str, output: Value) -> Value {
    let folder = inbox.folder().display().to_string();
    let text = output.to_string().replace(&folder, "").replace(name, "NAME");
    match job {
        // How good the pages are is the model's word; that they are there is ours.
        Job::Docs => json!(serde_json::from_str::<Value>(&text).unwrap()),
        Job::Email => Value::Null,
        _ => serde_json::from_str(&text).unwrap(),
    }
}
