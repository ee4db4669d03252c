//! An inbox with a fake mail account, a fake calendar, and a model that classifies mail and replies.

use super::fake_model::{FakeModel, answer_by_rules};
use super::test_inbox::{TestInbox, eager};
use jiff::tz::TimeZone;
use sayso::agent::Accounts;
use sayso::agent::lesson::{Cause, MemoryFacts};
use sayso::agent::llm::{ModelError, Reply, Request, Scripted};
use sayso::app::Settings;
use sayso::calendar::{Busy, Calendar, CalendarError, IcsCalendar, InvitedEvent, Revision, read_events};
use sayso::config::{AfterHandling, MailMode};
use sayso::engine::graph::{BoxFuture, Decision, EventKind, InterruptId, ThreadId, Warning};
use sayso::engine::store::{NewMail, NewThread, Route, TakenIn};
use sayso::inbox::{DecidedBy, DecisionRequest, RowLine};
use sayso::mail::{
    Account, Cursor, Destination, Fetched, Handled, MailError, MailPresence, Mailbox, Outgoing, SendError,
    Sent, SentLookup, UndoToken,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

pub const ME: &str = "ada@example.org";
pub const BOB: &str = "bob@client.example";

/// Records the mail that is sent.
#[derive(Default)]
pub struct FakeOutgoing {
    pub sent: Mutex<Vec<String>>,
    pub fails: Mutex<VecDeque<SendError>>,
    /// Whom the server does not take mail for, each with its reason.
    pub refuses: Mutex<Vec<(String, String)>>,
}

impl Outgoing for FakeOutgoing {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        Box::pin(async move {
            if let Some(error) = self.fails.lock().unwrap().pop_front() {
                return Err(error);
            }
            let raw = String::from_utf8(raw.to_vec()).unwrap();
            self.sent.lock().unwrap().push(raw);
            let refused = self.refuses.lock().unwrap().clone();
            let message_id = "sent@example.org".to_owned();
            Ok(Sent { message_id, refused, ..Sent::default() })
        })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, SentLookup> {
        Box::pin(async move {
            let raw = String::from_utf8(raw.to_vec()).unwrap();
            let found = self.sent.lock().unwrap().contains(&raw);
            if found { SentLookup::Sent(Sent::default()) } else { SentLookup::NotSent }
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async { Ok("fine".to_owned()) })
    }
}

/// A mailbox that records what is done to it.
#[derive(Default)]
pub struct FakeMailbox {
    pub marks: Mutex<Vec<String>>,
    pub drafts: Mutex<Vec<String>>,
    /// Where mail was put.
    pub moved: Mutex<Vec<String>>,
    pub fails: Mutex<VecDeque<MailError>>,
}

impl Mailbox for FakeMailbox {
    fn fetch<'a>(&'a self, _: Option<&'a Cursor>, _: usize) -> BoxFuture<'a, Result<Fetched, MailError>> {
        Box::pin(async { Ok(Fetched::default()) })
    }

    fn presence<'a>(&'a self, _: &'a [String]) -> BoxFuture<'a, Result<Vec<MailPresence>, MailError>> {
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

    fn put_away<'a>(
        &'a self,
        place: &'a str,
        to: &'a Destination,
    ) -> BoxFuture<'a, Result<UndoToken, MailError>> {
        Box::pin(async move {
            self.moved.lock().unwrap().push(format!("{place} {to:?}"));
            Ok(UndoToken(place.to_owned()))
        })
    }

    fn put_back<'a>(&'a self, undo: &'a UndoToken) -> BoxFuture<'a, Result<(), MailError>> {
        Box::pin(async move {
            if let Some(error) = self.fails.lock().unwrap().pop_front() {
                return Err(error);
            }
            self.moved.lock().unwrap().push(format!("{} back", undo.0));
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

    fn answered_elsewhere<'a>(&'a self, ids: &'a [String]) -> BoxFuture<'a, Result<Vec<bool>, MailError>> {
        Box::pin(async { Ok(vec![false; ids.len()]) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async { Ok("fine".to_owned()) })
    }
}

#[derive(Default)]
pub struct FakeCalendar {
    pub busy: Mutex<Vec<Busy>>,
    pub events: Mutex<Vec<String>>,
    pub fails: Mutex<Option<String>>,
}

impl FakeCalendar {
    /// Runs `work` on a folder of `.ics` files that holds the events, and reads them back.
    async fn on_disk(
        &self,
        work: impl AsyncFnOnce(&IcsCalendar) -> Result<(), CalendarError>,
    ) -> Result<(), CalendarError> {
        let folder = tempfile::tempdir().unwrap();
        let events = self.events.lock().unwrap().clone();
        for (n, event) in events.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{n:03}.ics")), event).unwrap();
        }
        let done = work(&IcsCalendar::new(folder.path(), TimeZone::UTC)).await;
        let mut files: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        *self.events.lock().unwrap() =
            files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        done
    }
}

impl Calendar for FakeCalendar {
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
                return Err(CalendarError::Permanent(text));
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

    fn events_of<'a>(&'a self, uid: &'a str) -> BoxFuture<'a, Result<Vec<InvitedEvent>, CalendarError>> {
        Box::pin(async move {
            if let Some(text) = self.fails.lock().unwrap().clone() {
                return Err(CalendarError::Permanent(text));
            }
            let events = self.events.lock().unwrap();
            let read = events.iter().flat_map(|event| read_events(event, &TimeZone::UTC).unwrap());
            Ok(read.filter(|event| event.uid == uid).collect())
        })
    }

    fn revise<'a>(
        &'a self,
        event: &'a [u8],
        sender: &'a str,
        revision: Revision,
    ) -> BoxFuture<'a, Result<(), CalendarError>> {
        Box::pin(async move {
            self.on_disk(async |calendar| calendar.revise(event, sender, revision).await).await
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, CalendarError>> {
        Box::pin(async { Ok("fine".to_owned()) })
    }
}

/// The only account there is.
pub struct OneAccount(Account, Arc<Mutex<MailMode>>);

impl OneAccount {
    pub fn new(account: Account) -> Self {
        let mode = Arc::new(Mutex::new(account.mode));
        Self(account, mode)
    }
}

impl Accounts for OneAccount {
    fn all(&self) -> Vec<Account> {
        vec![Account { mode: *self.1.lock().unwrap(), ..self.0.clone() }]
    }
}

/// How an inbox with mail is set up.
pub struct EmailSetup {
    pub mode: MailMode,
    pub config: String,
    pub settings: Settings,
    /// Whether mail can be sent.
    pub outgoing: bool,
    /// The model that alone reads the account's mail.
    pub model: Option<&'static str>,
    /// Whether the model passes for the built-in rules, whose texts nobody checks.
    pub is_builtin: bool,
}

impl Default for EmailSetup {
    fn default() -> Self {
        let config = "[user]\nname = \"Ada\"\naddress = \"ada@example.org\"\n".to_owned();
        Self { mode: MailMode::Act, config, settings: eager(), outgoing: true, model: None, is_builtin: true }
    }
}

/// An inbox with a fake mail account and a fake calendar.
pub struct EmailInbox {
    inbox: TestInbox,
    /// How the model classifies mail.
    class: Arc<Mutex<String>>,
    pub outgoing: Arc<FakeOutgoing>,
    pub mailbox: Arc<FakeMailbox>,
    pub calendar: Arc<FakeCalendar>,
    /// The mode of the account in the config, which tests can change.
    pub mode: Arc<Mutex<MailMode>>,
}

/// How a made-up model answers.
type Answer = fn(&Request) -> Result<Reply, ModelError>;

impl EmailInbox {
    /// The model classifies mail as `class`, gives these replies, and then is done.
    pub fn new(class: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(EmailSetup::default(), class, replies)
    }

    pub fn with(setup: EmailSetup, class: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        let inbox = Self::open(setup, class, |_| Ok(calls([done()])));
        inbox.model.queue("email.reply", replies);
        inbox
    }

    /// The built-in rules write the replies.
    pub fn by_rules() -> Self {
        Self::open(EmailSetup::default(), "respond", answer_by_rules)
    }

    /// The same for a person in this time zone.
    pub fn by_rules_in(zone: &str) -> Self {
        let mut setup = EmailSetup::default();
        setup.config.push_str(&format!("time_zone = \"{zone}\"\n"));
        Self::open(setup, "respond", answer_by_rules)
    }

    /// The built-in rules triage, too.
    pub fn all_by_rules() -> Self {
        Self::open_with(EmailSetup::default(), "", Some(answer_by_rules), answer_by_rules)
    }

    /// A model that triages like this.
    pub fn triaged_by(triage: Answer) -> Self {
        Self::open_with(EmailSetup::default(), "", Some(triage), |_| Ok(calls([done()])))
    }

    fn open(setup: EmailSetup, class: &str, reply: Answer) -> Self {
        Self::open_with(setup, class, None, reply)
    }

    fn open_with(setup: EmailSetup, class: &str, triage: Option<Answer>, reply: Answer) -> Self {
        let class = Arc::new(Mutex::new(class.to_owned()));
        let classified = class.clone();
        let model = FakeModel::by(move |request| match (request.task.as_str(), triage) {
            ("email.triage", Some(triage)) => triage(request),
            ("email.triage", None) => {
                let classification = classified.lock().unwrap();
                // `ignore unsure`, `notify suspicious`
                let (class, more) = classification.split_once(' ').unwrap_or((&**classification, ""));
                Ok(Scripted::json(&json!({
                    "reasoning": "It says so.",
                    "gist": "Wants the report",
                    "classification": class,
                    "unsure": more == "unsure",
                    "suspicious": more == "suspicious",
                })))
            }
            ("email.reply", _) => reply(request),
            ("email.memory", _) => {
                let facts: MemoryFacts = serde_json::from_value(request.facts.clone()).unwrap();
                let learned = format!("{}- Keep replies short\n", facts.profile);
                Ok(Scripted::json(&json!({"reasoning": "Noted.", "profile": learned})))
            }
            (other, _) => panic!("nobody asks for {other}"),
        });
        let outgoing = Arc::<FakeOutgoing>::default();
        let mailbox = Arc::<FakeMailbox>::default();
        let calendar = Arc::<FakeCalendar>::default();
        let account = Account {
            name: "work".to_owned(),
            address: ME.to_owned(),
            addresses: vec![ME.to_owned()],
            mode: setup.mode,
            model: setup.model.map(str::to_owned),
            handled_done: AfterHandling::Seen,
            handled_ignored: AfterHandling::None,
            mailbox: mailbox.clone(),
            outgoing: setup.outgoing.then(|| outgoing.clone() as Arc<dyn Outgoing>),
        };
        let mode = Arc::new(Mutex::new(setup.mode));
        let (accounts, days) = (Arc::new(OneAccount(account, mode.clone())), calendar.clone());
        let known = accounts.clone();
        let inbox = TestInbox::builder()
            .settings(setup.settings)
            .config(setup.config)
            .home_in("Europe/Berlin")
            .with_model(if setup.is_builtin { model.builtin() } else { model })
            .with_services(move |services| {
                services.accounts = accounts;
                services.calendar = Some(days);
            })
            .open()
            .with_accounts(known);
        Self { inbox, class, outgoing, mailbox, calendar, mode }
    }

    /// Classifies mail like this from now on.
    pub fn classify_as(&self, class: &str) {
        *self.class.lock().unwrap() = class.to_owned();
    }

    fn thread(&self, input: Value) -> NewThread {
        let workflow = &self.engine().registry().get("email").unwrap().workflow;
        NewThread {
            id: ThreadId::random(),
            workflow: "email".to_owned(),
            fingerprint: workflow.fingerprint().to_owned(),
            entry: workflow.shape().entry.clone(),
            updates: workflow.started(input).unwrap(),
            title: "mail".to_owned(),
            key: String::new(),
        }
    }

    async fn store_raw(&self, raw: &str) -> (String, sayso::mail::Mail) {
        let mail = sayso::mail::parse(raw.as_bytes()).unwrap();
        self.store().put_blob(raw.as_bytes().to_vec()).await.unwrap();
        (mail.raw.clone(), mail)
    }

    /// Takes a mail in as intake does. `None` if it was taken in before.
    pub async fn take_in(&self, raw: &str, more: Value) -> Option<ThreadId> {
        let (digest, mail) = self.store_raw(raw).await;
        let identity = sayso::mail::identity("work", &mail);
        let received =
            json!({"received": {"account": "work", "identity": identity, "raw": digest, "place": "new/1"}});
        let input = super::merged(received, more);
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
            seen: false,
            words: mail.words(),
        };
        match self.store().mail().take_in(new, Route::Start(self.thread(input)), 100).await.unwrap() {
            TakenIn::Started(thread) => Some(thread),
            TakenIn::Known => None,
            other => panic!("{other:?}"),
        }
    }

    /// Bob's mail, driven as far as it goes.
    pub async fn receive_mail(&self) -> ThreadId {
        let thread = self.take_in(&mail(), json!({})).await.unwrap();
        self.drive().await;
        thread
    }

    /// New mail for a thread.
    pub async fn receive_news(&self, thread: &ThreadId, raw: &str) {
        let (digest, mail) = self.store_raw(raw).await;
        let identity = sayso::mail::identity("work", &mail);
        let automatic = mail.auto_submitted.is_some();
        let payload = json!({"account": "work", "identity": identity, "raw": digest, "place": "new/2", "automatic": automatic});
        let warning = Warning::caution("new_mail", "Bob wrote again.");
        let what = EventKind::News { topic: "mail".to_owned(), payload, warning };
        self.arrive(thread, &format!("mail:{identity}"), what).await.unwrap();
    }

    /// Decides without learning from it, and drives on.
    pub async fn answer_without_learning(&self, id: &InterruptId, decision: Decision) {
        let interrupt = id.clone();
        let decide = DecisionRequest { interrupt, decision, shown: None, learn: false, by: DecidedBy::Cli };
        self.decisions().decide(decide).await.unwrap();
        self.drive().await;
    }

    pub fn sent(&self) -> Vec<String> {
        self.outgoing.sent.lock().unwrap().clone()
    }

    pub fn marks(&self) -> Vec<String> {
        self.mailbox.marks.lock().unwrap().clone()
    }

    /// What was learned from: the profile's short name and what the person did.
    pub fn lessons(&self) -> Vec<(String, Cause)> {
        let requests = self.model.requests_for("email.memory").into_iter();
        let facts = requests.map(|request| serde_json::from_value::<MemoryFacts>(request.facts).unwrap());
        let named = facts.flat_map(|facts| {
            let name = facts.namespace.rsplit('/').next().unwrap().to_owned();
            facts.causes.into_iter().map(move |cause| (name.clone(), cause))
        });
        named.collect()
    }

    /// The same as text, and the rows that decisions made: `lower bob@client.example`.
    pub fn learned(&self) -> Vec<String> {
        let word = |cause: &Cause| serde_json::to_value(cause.kind).unwrap().to_string().replace('"', "");
        let lessons = self.lessons().into_iter().map(|(name, cause)| format!("{name} {}", word(&cause)));
        let row = |line: RowLine| format!("{} {}", line.row.answer.word(), line.row.key);
        lessons.chain(self.rows().into_iter().map(row)).collect()
    }

    /// All rows, those that only count answers included.
    pub fn rows(&self) -> Vec<RowLine> {
        self.store().memory().rows().unwrap()
    }

    /// From here on the account's own server has vouched for enough mail to be believed.
    pub async fn trust_server(&self) {
        let mut receiver = sayso::mail::risk::Receiver::default();
        for n in 0..10 {
            let raw = format!(
                "Authentication-Results: mx.example.org; dmarc=pass\r\nFrom: a@s{n}.example\r\n\r\nHi\r\n"
            );
            receiver.observe(&sayso::mail::parse(raw.as_bytes()).unwrap());
        }
        assert!(receiver.is_trusted());
        let stored = serde_json::to_string(&receiver).unwrap();
        self.store().mail().source("work".to_owned(), self.store().now()).await.unwrap();
        self.store().mail().save_receiver("work".to_owned(), stored).await.unwrap();
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

    /// What happened to a thread's mail, in the ledger.
    pub fn ledger(&self, thread: &ThreadId) -> (String, Option<String>) {
        let sql = "SELECT m.class, m.outcome FROM mails m JOIN threads t ON t.seq = m.thread WHERE t.id = ?";
        self.sql().query_row(sql, [thread.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    }
}

impl Deref for EmailInbox {
    type Target = TestInbox;

    fn deref(&self) -> &TestInbox {
        &self.inbox
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

pub fn edit(call: (&str, Value), key: &str, value: Value) -> Decision {
    let mut args = call.1;
    args[key] = value;
    Decision::Edit { args }
}

impl EmailInbox {
    /// Bob's mail, for which the model proposes `call` and then is done.
    pub async fn proposing(call: (&str, Value)) -> (Self, ThreadId) {
        let inbox = Self::new("respond", [calls([call])]);
        let thread = inbox.receive_mail().await;
        (inbox, thread)
    }

    /// Bob's mail, which the model classifies like this.
    pub async fn classifying(class: &str) -> (Self, ThreadId) {
        let inbox = Self::new(class, []);
        let thread = inbox.receive_mail().await;
        (inbox, thread)
    }

    /// A mail, driven as far as it goes.
    pub async fn receive(&self, raw: &str) -> ThreadId {
        let thread = self.take_in(raw, json!({})).await.unwrap();
        self.drive().await;
        thread
    }

    /// From here on nothing is unusual about writing to Bob.
    pub async fn know_bob(&self) {
        self.store().mail().remember_recipients(vec![BOB.to_owned()]).await.unwrap();
    }

    /// What became of a mail whose thread has ended.
    pub async fn ended(&self, thread: &ThreadId) -> String {
        let output = self.outcome(thread).await.output.unwrap();
        output["outcome"].as_str().unwrap().to_owned()
    }

    /// Everything that was before the model when it was asked for a reply for this time.
    pub fn prompt(&self, nth: usize) -> String {
        format!("{:?}", self.model.requests_for("email.reply")[nth].messages)
    }

    /// How often the model was asked for a reply.
    pub fn replies_asked(&self) -> usize {
        self.model.requests_for("email.reply").len()
    }

    pub fn events(&self) -> Vec<String> {
        self.calendar.events.lock().unwrap().clone()
    }

    /// The calendar cannot be read from here on.
    pub fn lose_calendar(&self) {
        *self.calendar.fails.lock().unwrap() = Some("the file cannot be read".to_owned());
    }

    /// The person says what class the mail is of.
    pub async fn correct(&self, thread: &ThreadId, class: &str) {
        let what = EventKind::Corrected { payload: json!({ "class": class }) };
        self.arrive(thread, &format!("corrected:{class}"), what).await.unwrap();
        self.drive().await;
    }

    /// A look at the mailbox finds that the mail was answered elsewhere.
    pub async fn settle(&self, thread: &ThreadId) {
        let reason = "you have answered it elsewhere".to_owned();
        let what = EventKind::AnsweredElsewhere { reason, payload: json!({}) };
        self.arrive(thread, "settled:answered", what).await.unwrap();
    }
}
