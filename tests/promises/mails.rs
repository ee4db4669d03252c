//! D01 with the workflow `email` itself: a mail is shown, answered, its answer edited and sent, and both answers
//! learned from, while the process dies at every instant that could matter. The outbox is a real Maildir, and its mails
//! are counted.

use crate::child::{deaths, has_strace, strace};
use crate::support::{FakeModel, TestInbox};
use crate::{report, skipped};
use sayso::agent::lesson::MemoryFacts;
use sayso::agent::llm::{ModelError, Reply, Request, Scripted};
use sayso::config::{Config, Env};
use sayso::engine::graph::{Decision, InterruptId};
use sayso::engine::store::{NewMail, NewThread, Route};
use sayso::inbox::door::Inbox;
use sayso::inbox::{Status, ThreadView};
use sayso::mail::open_mailbox;
use sayso::workflows::email::facts::ReplyFacts;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

const MAIL: &str = "From: Bob Ray <bob@client.example>\r\nTo: ada@example.org\r\nSubject: The report\r\nMessage-ID: <one@client.example>\r\nDate: Mon, 02 Nov 2026 09:00:00 +0000\r\n\r\nWhen does the report come?\r\n";

/// What the profile learns, in a line that needs no word of the person.
const LEARNED: (&str, &str) = ("response_preferences", "- Keep replies short\n");

#[test]
fn entry() {
    let Ok(home) = std::env::var("SAYSO_MAIL_HOME") else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(live(&PathBuf::from(home)));
    println!("> done");
    // No destructor runs, as in a process that dies.
    std::process::exit(0);
}

/// A model without a memory of its own, so that another process goes on where this one died.
fn answer(request: &Request) -> Result<Reply, ModelError> {
    let facts = request.facts.clone();
    Ok(match request.task.as_str() {
        "email.triage" => {
            Scripted::json(&json!({"reasoning": "So.", "gist": "Wants it", "classification": "notify"}))
        }
        "email.reply" => {
            let facts: ReplyFacts = serde_json::from_value(facts).unwrap();
            let mail = json!({"to": facts.reply_to, "subject": facts.subject, "content": "Tomorrow."});
            let proposed = facts.said.len() > 1;
            Scripted::calls([if proposed { ("done", json!({})) } else { ("write_email", mail) }])
        }
        _ => {
            let facts: MemoryFacts = serde_json::from_value(facts).unwrap();
            assert!(facts.namespace.ends_with(LEARNED.0));
            let profile = format!("{}{}", facts.profile, LEARNED.1);
            Scripted::json(&json!({"reasoning": "So.", "profile": profile}))
        }
    })
}

fn open(home: &Path) -> (TestInbox, Arc<Config>) {
    let (inbox, outbox) = (home.join("inbox"), home.join("outbox"));
    let config = format!(
        "[user]\nname = \"Ada\"\naddress = \"ada@example.org\"\n[[mail]]\nname = \"work\"\nkind = \"maildir\"\npath = {inbox:?}\nhandled.done = \"seen\"\n[mail.outgoing]\nkind = \"maildir\"\npath = {outbox:?}\n"
    );
    let model = FakeModel::by(answer).builtin();
    let inbox = TestInbox::builder().in_folder(home).config(config).with_model(model).open();
    let config = crate::support::config::load(&inbox.data(), &Env::default());
    (inbox, config)
}

/// Takes the mail in, drives, and answers whatever is asked, until nothing is.
async fn live(home: &Path) {
    let (inbox, config) = open(home);
    take_in(&inbox, &config).await;
    loop {
        inbox.drive().await;
        let items = inbox.items().await;
        if items.is_empty() {
            return;
        }
        for item in items {
            let id = InterruptId::parse(&item.id.to_string()).unwrap();
            let decision = match item.action.as_str() {
                "notify" => Decision::Respond { text: "Answer him".to_owned() },
                "write_email" => {
                    let mut args = item.args.clone();
                    args["content"] = Value::from("Tomorrow at nine.");
                    Decision::Edit { args }
                }
                other => panic!("nothing else is asked, not {other}: {}", item.gist),
            };
            inbox.decide(&id, decision).await.unwrap();
        }
    }
}

async fn take_in(inbox: &Inbox, config: &Config) {
    let mailbox = open_mailbox(&config.mail[0]);
    let store = inbox.engine().store();
    for found in mailbox.fetch(None, 10).await.unwrap().mails {
        let mail = sayso::mail::parse(&found.raw).unwrap();
        let identity = sayso::mail::identity("work", &mail);
        let received =
            json!({"account": "work", "identity": identity, "raw": mail.raw, "place": found.place});
        let workflow = &inbox.engine().registry().get("email").unwrap().workflow;
        let thread = NewThread {
            id: sayso::engine::graph::ThreadId::random(),
            workflow: "email".to_owned(),
            fingerprint: workflow.fingerprint().to_owned(),
            entry: workflow.shape().entry.clone(),
            updates: workflow.started(json!({ "received": received })).unwrap(),
            title: mail.subject.clone(),
            key: String::new(),
        };
        let new = NewMail {
            identity,
            account: "work".to_owned(),
            message_id: mail.message_id.clone(),
            conversation: mail.conversation().unwrap().to_owned(),
            sender: mail.from.address.clone(),
            subject: mail.subject.clone(),
            sent_at: mail.date,
            came_at: found.arrived,
            raw: found.raw,
            place: found.place,
            seen: false,
            words: String::new(),
        };
        store.mail().take_in(new, Route::Start(thread), 100).await.unwrap();
    }
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for folder in ["cur", "new", "tmp"] {
            std::fs::create_dir_all(home.path().join("inbox").join(folder)).unwrap();
        }
        std::fs::write(home.path().join("inbox/new/1.one.here"), MAIL).unwrap();
        Self(home)
    }

    /// Lives once; `false` where it died.
    fn lives(&self, mut command: Command) -> bool {
        command
            .args(["mails::entry", "--exact", "--nocapture", "--test-threads=1"])
            .env("SAYSO_MAIL_HOME", self.0.path())
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        String::from_utf8_lossy(&command.output().unwrap().stdout)
            .lines()
            .any(|line| line.ends_with("> done"))
    }

    /// The end of the story: everything happened, and happened once.
    async fn check_end(&self, what: &str) {
        let (inbox, _) = open(self.0.path());
        let views = inbox.views().await;
        assert!(views.iter().all(|view| view.status == Status::Done), "{what}: {views:?}");
        let workflows: Vec<&str> = views.iter().map(|view| view.workflow.as_str()).collect();
        let mails: Vec<&ThreadView> = views.iter().filter(|view| view.workflow == "email").collect();
        assert_eq!(mails.len(), 1, "{what}: {workflows:?}");
        let nodes: Vec<&str> = mails[0].steps.iter().map(|step| step.node.as_str()).collect();
        let expected = [
            "START",
            "triage_router",
            "triage_interrupt_handler",
            "ANSWERS",
            "triage_answered",
            "update_memory",
            "response_agent/llm_call",
            "response_agent/interrupt_handler",
            "ANSWERS",
            "response_agent/act",
            "response_agent/update_memory",
            "response_agent/llm_call",
            "response_agent/leave",
            "mark_as_read_node",
        ];
        assert_eq!(nodes, expected, "{what}: each step once");
        assert_eq!(mails[0].output.as_ref().unwrap()["outcome"], "replied", "{what}");
        let sent = files(&self.0.path().join("outbox"));
        assert_eq!(sent.len(), 1, "{what}: the mail was sent once");
        assert!(std::fs::read_to_string(&sent[0]).unwrap().contains("Tomorrow at nine."), "{what}");
        let seen = files(&self.0.path().join("inbox"));
        assert_eq!(seen.len(), 1, "{what}: {seen:?}");
        let name = seen[0].file_name().unwrap().to_string_lossy().into_owned();
        assert!(name.rsplit_once(',').is_some_and(|(_, flags)| flags.contains('S')), "{what}: {name}");
        let store = inbox.engine().store();
        let newest = store.memory().newest(&format!("email_assistant/{}", LEARNED.0)).unwrap().unwrap();
        assert_eq!(newest.profile.matches(LEARNED.1).count(), 1, "{what}: learned once");
        assert_eq!(newest.version, 2, "{what}");
        let rows = store.memory().rows().unwrap();
        let rows: Vec<_> = rows.iter().map(|line| (line.row.sentence(), line.row.confirmed)).collect();
        assert_eq!(rows, [("show mail from bob@client.example first".to_owned(), 1)], "{what}");
        assert!(store.memory().open_lessons().unwrap().is_empty(), "{what}");
        inbox.assert_intact(what);
    }
}

/// The mails of a Maildir.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = ["new", "cur"].into_iter().filter_map(|name| std::fs::read_dir(folder.join(name)).ok());
    entries.flatten().map(|entry| entry.unwrap().path()).collect()
}

fn this() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Whether it died of this; if so, another process brings the mail to its end.
fn dies(what: &str, doomed: Command) -> bool {
    let home = Home::new();
    if home.lives(doomed) {
        return false;
    }
    assert!(home.lives(this()), "{what}: recovery");
    tokio::runtime::Runtime::new().unwrap().block_on(home.check_end(what));
    true
}

#[test]
fn d01_a_mail_thread_killed_at_every_step() {
    let points = [
        "before_node",
        "before_intent",
        "after_intent",
        "before_outcome",
        "after_outcome",
        "before_commit",
        "after_commit",
    ];
    let trials = points.map(|point| {
        let trials = deaths(|count| {
            let (mut doomed, what) = (this(), format!("{point}:{count}"));
            doomed.env("SAYSO_FAIL_POINT", &what);
            dies(&what, doomed)
        });
        assert!(trials > 1, "{point}: it was to die");
        trials
    });
    report("D01", "a mail thread, SIGKILL at each step", trials.into_iter().sum());
}

#[test]
fn d01_a_mail_thread_killed_at_every_sync() {
    if !has_strace() {
        return skipped("D01", "no strace, so no SIGKILL at each sync");
    }
    let trials = deaths(|n| {
        let doomed = strace(&format!("fsync,fdatasync:signal=SIGKILL:when={n}"));
        dies(&format!("sync {n}"), doomed)
    });
    assert!(trials > 20, "a mail's life has more than {trials} syncs");
    report("D01", "a mail thread, SIGKILL at each fsync and fdatasync", trials);
}

/// A mail and its words are one transaction: wherever the power fails, both are there or neither is.
#[tokio::test]
async fn d01_a_power_cut_leaves_no_mail_without_its_words() {
    let inbox = TestInbox::new();
    for mail in 0..30 {
        let new = NewMail {
            identity: format!("mail {mail}"),
            account: "work".to_owned(),
            message_id: None,
            conversation: format!("c{mail}"),
            sender: "eve@x.test".to_owned(),
            subject: "One".to_owned(),
            sent_at: None,
            came_at: jiff::Timestamp::UNIX_EPOCH,
            raw: format!("the bytes of mail {mail}").into_bytes(),
            place: format!("cur/{mail}"),
            seen: false,
            words: "saffron".to_owned(),
        };
        inbox.store().mail().take_in(new, Route::Left("seen".to_owned()), 100).await.unwrap();
    }
    let name = |end: &str| inbox.store().folder().join(format!("sayso.db{end}"));
    let (file, wal) = (std::fs::read(name("")).unwrap(), std::fs::read(name("-wal")).unwrap());
    let mut seen = std::collections::BTreeSet::new();
    // A frame of the write-ahead log is a page and 24 bytes; some cuts are between frames, some within one.
    let cuts: Vec<usize> = (0..wal.len()).step_by(4120 / 2).collect();
    for cut in &cuts {
        let copy = tempfile::tempdir().unwrap();
        std::fs::write(copy.path().join("sayso.db"), &file).unwrap();
        std::fs::write(copy.path().join("sayso.db-wal"), &wal[..*cut]).unwrap();
        let db = rusqlite::Connection::open(copy.path().join("sayso.db")).unwrap();
        let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        let mails = count("SELECT count(*) FROM mails");
        assert_eq!(
            mails,
            count("SELECT count(*) FROM mail_words WHERE mail_words MATCH 'saffron'"),
            "at {cut}"
        );
        seen.insert(mails);
    }
    assert!(seen.len() > 20, "{seen:?}");
    report("D01", "the write-ahead log cut while mail is taken in", cuts.len());
}
