//! A post office: an account whose two doors count, a calendar, and models with a script.

use crate::support::House;
use crate::support::courier::Street;
use crate::support::house::eager;
use sayso::app::{Engine, Settings, services};
use sayso::calendar::{Busy, Calendar, CalendarError};
use sayso::config::{AfterHandling, Config, Env, Flags, Host, Inputs, MailMode};
use sayso::graph::{BoxFuture, Decision, InterruptId, ThreadId, Warning, What};
use sayso::inbox::{By, Decide, Item};
use sayso::llm::{Builtin, Model, ModelError, Reply, Request, Scripted, quiet};
use sayso::mail::{
    Account, Cursor, Fetched, Found, Handled, MailError, Mailbox, Outgoing, SendError, Sent, Standing,
};
use sayso::service::Inbox;
use sayso::store::{NewMail, NewThread, Route, Store, TakenIn};
use sayso::workflows::lesson::{Cause, CauseKind, MemoryFacts};
use sayso::workflows::{self, Accounts, Models, Picked};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::ops::Deref;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

pub const ME: &str = "ada@example.org";
pub const BOB: &str = "bob@client.example";

/// What the models say.
#[derive(Default)]
pub struct Script {
    pub class: Mutex<String>,
    pub replies: Mutex<VecDeque<Reply>>,
    pub memory: Mutex<VecDeque<Value>>,
    /// Whether the built-in rules write the replies.
    rules: Mutex<bool>,
    asked: Mutex<Vec<Request>>,
}

struct Cast(Arc<Scripted>);

impl Models for Cast {
    fn pick(&self, _: &str, _: &str, _: Option<&str>) -> Result<Picked, ModelError> {
        let model = self.0.clone();
        Ok(Picked { model, name: "scripted".to_owned(), builtin: true, window: None })
    }

    fn known(&self, name: &str) -> Result<(), String> {
        if name == "main" { Ok(()) } else { Err("there is main".to_owned()) }
    }
}

impl Script {
    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        match request.task.as_str() {
            "email.triage" => Ok(Scripted::json(&json!({
                "reasoning": "It says so.",
                "gist": "Wants the report",
                "classification": *self.class.lock().unwrap(),
            }))),
            "email.reply" if *self.rules.lock().unwrap() => {
                // The rules never wait.
                let mut answer = pin!(async {
                    Builtin::new("builtin", sayso::workflows::RULES).complete(request, &quiet).await
                });
                match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(reply) => reply,
                    Poll::Pending => panic!("the built-in rules wait"),
                }
            }
            "email.reply" => Ok(self.replies.lock().unwrap().pop_front().unwrap_or_else(|| calls([done()]))),
            "email.memory" => {
                let facts: MemoryFacts = serde_json::from_value(request.facts.clone()).unwrap();
                let next = self.memory.lock().unwrap().pop_front();
                let learned = format!("{}- {}\n", facts.profile, narrow_line(&facts));
                Ok(Scripted::json(
                    &next.unwrap_or_else(|| json!({"reasoning": "Noted.", "profile": learned})),
                ))
            }
            other => panic!("nobody asks for {other}"),
        }
    }
}

/// A line that may be learned unasked.
fn narrow_line(facts: &MemoryFacts) -> String {
    let Some(cause) = facts.causes.last() else { return "Keep replies short".to_owned() };
    let verb = match cause.kind {
        _ if !facts.namespace.ends_with("triage_preferences") => return "Keep replies short".to_owned(),
        CauseKind::NotifyIgnored => "ignore",
        CauseKind::ProposalIgnored => "notify about",
        CauseKind::Reclassified(class) => class.as_str(),
        _ => "respond to",
    };
    format!("{verb} mail from {} about report", cause.mail.as_ref().unwrap().from)
}

/// Where mail goes out, and how often.
#[derive(Default)]
pub struct Way {
    pub sent: Mutex<Vec<String>>,
    pub fails: Mutex<VecDeque<SendError>>,
}

impl Outgoing for Way {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        Box::pin(async move {
            if let Some(error) = self.fails.lock().unwrap().pop_front() {
                return Err(error);
            }
            let raw = String::from_utf8(raw.to_vec()).unwrap();
            self.sent.lock().unwrap().push(raw);
            Ok(Sent { message_id: "sent@example.org".to_owned(), ..Sent::default() })
        })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Found> {
        Box::pin(async move {
            let raw = String::from_utf8(raw.to_vec()).unwrap();
            let found = self.sent.lock().unwrap().contains(&raw);
            if found { Found::Sent(Sent::default()) } else { Found::NotSent }
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async { Ok("fine".to_owned()) })
    }
}

/// A mailbox that remembers what it was told.
#[derive(Default)]
pub struct Cabinet {
    pub marks: Mutex<Vec<String>>,
    pub drafts: Mutex<Vec<String>>,
    pub fails: Mutex<VecDeque<MailError>>,
}

impl Mailbox for Cabinet {
    fn fetch<'a>(&'a self, _: Option<&'a Cursor>, _: usize) -> BoxFuture<'a, Result<Fetched, MailError>> {
        Box::pin(async { Ok(Fetched::default()) })
    }

    fn standing<'a>(&'a self, _: &'a [String]) -> BoxFuture<'a, Result<Vec<Standing>, MailError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn mark<'a>(&'a self, place: &'a str, handled: Handled) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async move {
            if let Some(error) = self.fails.lock().unwrap().pop_front() {
                return Err(error);
            }
            self.marks.lock().unwrap().push(format!("{place} {handled:?}"));
            Ok(())
        })
    }

    fn save_draft<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async move {
            self.drafts.lock().unwrap().push(String::from_utf8(raw.to_vec()).unwrap());
            Ok(())
        })
    }

    fn is_sent<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<bool, MailError>> {
        Box::pin(async { Ok(false) })
    }

    fn answered_elsewhere<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<bool, MailError>> {
        Box::pin(async { Ok(false) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async { Ok("fine".to_owned()) })
    }
}

/// A calendar.
#[derive(Default)]
pub struct Days {
    pub busy: Mutex<Vec<Busy>>,
    pub events: Mutex<Vec<String>>,
    pub fails: Mutex<Option<String>>,
}

impl Calendar for Days {
    fn name(&self) -> &str {
        "days"
    }

    fn busy(
        &self,
        from: jiff::Timestamp,
        until: jiff::Timestamp,
    ) -> BoxFuture<'_, Result<Vec<Busy>, CalendarError>> {
        Box::pin(async move {
            if let Some(text) = self.fails.lock().unwrap().clone() {
                return Err(CalendarError::Lasting(text));
            }
            let busy = self.busy.lock().unwrap().clone();
            Ok(busy.into_iter().filter(|one| one.start < until && one.end > from).collect())
        })
    }

    fn add<'a>(&'a self, event: &'a [u8]) -> BoxFuture<'a, Result<(), CalendarError>> {
        Box::pin(async move {
            self.events.lock().unwrap().push(String::from_utf8(event.to_vec()).unwrap());
            Ok(())
        })
    }

    fn holds<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<bool, CalendarError>> {
        Box::pin(async move { Ok(self.events.lock().unwrap().iter().any(|event| event.contains(uid))) })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        Box::pin(async { Ok("fine".to_owned()) })
    }
}

struct One(Account, Arc<Mutex<MailMode>>);

impl Accounts for One {
    fn get(&self, name: &str) -> Option<Account> {
        self.first().filter(|account| name == account.name)
    }

    fn first(&self) -> Option<Account> {
        Some(Account { mode: *self.1.lock().unwrap(), ..self.0.clone() })
    }
}

/// How an office is set up.
pub struct Plan {
    pub mode: MailMode,
    pub config: String,
    pub settings: Settings,
    pub outgoing: bool,
}

impl Default for Plan {
    fn default() -> Self {
        let config = "[user]\nname = \"Ada\"\naddress = \"ada@example.org\"\n".to_owned();
        Self { mode: MailMode::Act, config, settings: eager(), outgoing: true }
    }
}

/// A house with the real workflows and counted doors.
pub struct Office {
    house: House,
    pub script: Arc<Script>,
    pub way: Arc<Way>,
    pub mailbox: Arc<Cabinet>,
    pub days: Arc<Days>,
    /// What the config says of the account now.
    pub mode: Arc<Mutex<MailMode>>,
}

impl Office {
    pub fn new(class: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(Plan::default(), class, replies)
    }

    /// An office where the built-in rules write the replies.
    pub fn by_rules() -> Self {
        let office = Self::new("respond", []);
        *office.script.rules.lock().unwrap() = true;
        office
    }

    pub fn with(plan: Plan, class: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let store = Store::open(&data).unwrap();
        std::fs::write(data.join("config.toml"), &plan.config).unwrap();
        let host = Host {
            home: Some(folder.path().to_owned()),
            working_dir: folder.path().to_owned(),
            data_dir: None,
            config_dir: None,
            time_zone: jiff::tz::TimeZone::get("Europe/Berlin").unwrap(),
        };
        let flags = Flags { data: Some(data), ..Flags::default() };
        let config = Config::load(&Inputs { flags, env: Env::default(), host }).unwrap();
        let script = Arc::new(Script::default());
        *script.class.lock().unwrap() = class.to_owned();
        script.replies.lock().unwrap().extend(replies);
        let (way, mailbox, days) = (Arc::<Way>::default(), Arc::<Cabinet>::default(), Arc::<Days>::default());
        let account = Account {
            name: "work".to_owned(),
            address: ME.to_owned(),
            addresses: vec![ME.to_owned()],
            mode: plan.mode,
            handled_done: AfterHandling::Seen,
            handled_ignored: AfterHandling::None,
            mailbox: mailbox.clone(),
            outgoing: plan.outgoing.then(|| way.clone() as Arc<dyn Outgoing>),
        };
        let answers = script.clone();
        let mut services = services(&Arc::new(config), Env::default(), &store);
        services.models = Arc::new(Cast(Arc::new(Scripted::by(move |request| answers.answer(request)))));
        let mode = Arc::new(Mutex::new(plan.mode));
        services.accounts = Arc::new(One(account, mode.clone()));
        services.calendar = Some(days.clone());
        let registry = workflows::all(&Arc::new(services)).unwrap();
        let inbox = Inbox::new(Engine::new(store, registry, plan.settings));
        let street = Street::new(folder.path().join("street"));
        let house = House { folder, inbox, street, world: Default::default() };
        Self { house, script, way, mailbox, days, mode }
    }

    fn thread(&self, input: Value) -> NewThread {
        let workflow = &self.engine().registry().get("email").unwrap().workflow;
        NewThread {
            workflow: "email".to_owned(),
            fingerprint: workflow.fingerprint().to_owned(),
            entry: workflow.shape().entry.clone(),
            updates: workflow.started(input).unwrap(),
            title: "mail".to_owned(),
            key: String::new(),
        }
    }

    async fn keep(&self, raw: &str) -> (String, sayso::mail::Mail) {
        let mail = sayso::mail::parse(raw.as_bytes()).unwrap();
        self.store().put_blob(raw.as_bytes().to_vec()).await.unwrap();
        (mail.raw.clone(), mail)
    }

    /// Takes a mail in as intake does. `None` where it was taken in before.
    pub async fn receive(&self, raw: &str, more: Value) -> Option<ThreadId> {
        let (digest, mail) = self.keep(raw).await;
        let identity = sayso::mail::identity("work", &mail);
        let mut input =
            json!({"received": {"account": "work", "identity": identity, "raw": digest, "place": "new/1"}});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let new = NewMail {
            identity,
            account: "work".to_owned(),
            message_id: mail.message_id.clone(),
            conversation: mail.conversation().unwrap_or_default().to_owned(),
            sender: mail.from.address.clone(),
            subject: mail.subject.clone(),
            sent_at: mail.date,
            came_at: self.store().now(),
            raw: raw.as_bytes().to_vec(),
            place: "new/1".to_owned(),
            words: mail.words(),
        };
        match self.store().mail().take_in(new, Route::Start(self.thread(input)), 100).await.unwrap() {
            TakenIn::Started(thread) => Some(thread),
            TakenIn::Known => None,
            other => panic!("{other:?}"),
        }
    }

    /// Bob's mail, driven as far as it goes.
    pub async fn got(&self) -> ThreadId {
        let thread = self.receive(&mail(), json!({})).await.unwrap();
        self.settle().await;
        thread
    }

    /// New mail for a thread.
    pub async fn news(&self, thread: &ThreadId, raw: &str) {
        let (digest, mail) = self.keep(raw).await;
        let identity = sayso::mail::identity("work", &mail);
        let payload = json!({"account": "work", "identity": identity, "raw": digest, "place": "new/2"});
        let warning = Warning { code: "new_mail".to_owned(), text: "Bob wrote again.".to_owned() };
        let what = What::News { topic: "mail".to_owned(), payload, warning };
        self.arrive(thread, &format!("mail:{identity}"), what).await.unwrap();
    }

    /// The open items of a thread, in the order asked.
    pub async fn items(&self, thread: &ThreadId) -> Vec<Item> {
        let mut items = Vec::new();
        for id in self.outcome(thread).await.interrupts {
            items.push(self.item(&id).await);
        }
        items
    }

    /// The one open item.
    pub async fn open(&self, thread: &ThreadId) -> Item {
        let id = self.asked(thread).await;
        self.item(&id).await
    }

    /// Decides the one open item, and drives on.
    pub async fn decides(&self, thread: &ThreadId, decision: Decision) {
        let id = self.asked(thread).await;
        self.decide(&id, decision).await.unwrap();
        self.settle().await;
    }

    /// Decides without anything to be learned.
    pub async fn decides_quietly(&self, id: &InterruptId, decision: Decision) {
        let interrupt = id.clone();
        let decide = Decide { interrupt, decision, shown: None, learn: false, by: By::Cli };
        self.inbox.decisions().decide(decide).await.unwrap();
        self.settle().await;
    }

    pub fn sent(&self) -> Vec<String> {
        self.way.sent.lock().unwrap().clone()
    }

    pub fn marks(&self) -> Vec<String> {
        self.mailbox.marks.lock().unwrap().clone()
    }

    pub fn requests(&self, task: &str) -> Vec<Request> {
        let asked = self.script.asked.lock().unwrap();
        asked.iter().filter(|request| request.task == task).cloned().collect()
    }

    /// What was learned from: the profile's short name and what the person did.
    pub fn lessons(&self) -> Vec<(String, Cause)> {
        let requests = self.requests("email.memory").into_iter();
        let facts = requests.map(|request| serde_json::from_value::<MemoryFacts>(request.facts).unwrap());
        let named = facts.flat_map(|facts| {
            let name = facts.namespace.rsplit('/').next().unwrap().to_owned();
            facts.causes.into_iter().map(move |cause| (name.clone(), cause))
        });
        named.collect()
    }

    /// The same, as words.
    pub fn learned(&self) -> Vec<String> {
        let word = |cause: &Cause| serde_json::to_value(cause.kind).unwrap().to_string().replace('"', "");
        self.lessons().iter().map(|(name, cause)| format!("{name} {}", word(cause))).collect()
    }

    /// The newest version of each profile that has more than one.
    pub fn versions(&self) -> Vec<(String, u64)> {
        let names = self.store().memory().namespaces().unwrap().into_iter();
        let newest = names.map(|name| {
            let version = self.store().memory().newest(&name).unwrap().unwrap().version;
            (name.rsplit('/').next().unwrap().to_owned(), version)
        });
        newest.filter(|(_, version)| *version > 1).collect()
    }

    /// What became of a thread's mail, in the ledger.
    pub fn ledger(&self, thread: &ThreadId) -> (String, Option<String>) {
        let sql = "SELECT m.class, m.outcome FROM mails m JOIN threads t ON t.seq = m.thread WHERE t.id = ?";
        self.sql().query_row(sql, [thread.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    }
}

impl Deref for Office {
    type Target = House;

    fn deref(&self) -> &House {
        &self.house
    }
}

pub fn calls<const N: usize>(calls: [(&str, Value); N]) -> Reply {
    Scripted::calls(calls)
}

pub fn done() -> (&'static str, Value) {
    ("done", json!({}))
}

pub fn write() -> (&'static str, Value) {
    let args = json!({"to": [BOB], "subject": "Re: The report", "content": "It comes tomorrow."});
    ("write_email", args)
}

pub fn ask(text: &str) -> (&'static str, Value) {
    ("question", json!({ "content": text }))
}

pub fn meet() -> (&'static str, Value) {
    let args = json!({
        "attendees": [BOB],
        "subject": "The report",
        "start": "2036-05-05T14:00:00+02:00",
        "duration_minutes": 30,
    });
    ("schedule_meeting", args)
}

/// Bob's mail.
pub fn mail() -> String {
    mail_with("", "When does the report come?\n")
}

pub fn mail_with(headers: &str, text: &str) -> String {
    format!(
        "From: Bob Ray <{BOB}>\r\nTo: Ada <{ME}>, carol@example.org\r\nSubject: The report\r\nMessage-ID: <one@client.example>\r\nDate: Mon, 02 Nov 2026 09:00:00 +0000\r\n{headers}\r\n{text}"
    )
}

/// Bob's second mail of the conversation.
pub fn second() -> String {
    format!(
        "From: Bob Ray <{BOB}>\r\nTo: Ada <{ME}>\r\nSubject: Re: The report\r\nMessage-ID: <two@client.example>\r\nIn-Reply-To: <one@client.example>\r\nReferences: <one@client.example>\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\nNo hurry any more.\r\n"
    )
}

pub fn respond(text: &str) -> Decision {
    Decision::Respond { text: text.to_owned() }
}

pub fn edit(call: (&str, Value), key: &str, value: Value) -> Decision {
    let mut args = call.1;
    args[key] = value;
    Decision::Edit { args }
}
