//! `sayso init`: a made-up home, what is found in it, and what is written from that.

use crate::runner::{Background, Cli, CliOutput, text};
use crate::support::file_names;
use crate::support::model_server::{Play, Server};
use crate::terminal::Terminal;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A home folder with nothing of the person who runs the tests.
struct Home(Cli);

impl Home {
    fn new() -> Self {
        Self(Cli::new())
    }

    /// One with a Maildir and a mail.
    fn with_mail() -> Self {
        let home = Self::new();
        home.maildir("Mail/home/INBOX", 1);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.0.real();
        // Nothing listens there, so no Ollama of this machine gets into the tests.
        command.env_remove("SAYSO_DATA").env("OLLAMA_HOST", "127.0.0.1:1").args(args);
        command
    }

    fn sayso(&self, args: &[&str]) -> CliOutput {
        Background::of(self.command(args), b"").wait()
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(self.sayso(&[args, &["--json"]].concat()).done()).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A Maildir with so many mails, each a question, the first ones long read.
    fn maildir(&self, name: &str, mails: usize) {
        self.0.maildir(name);
        for n in 0..mails {
            let raw = format!(
                "Message-ID: <{n}@post.example>\r\nDelivered-To: ada@example.org\r\nFrom: Bob <bob@b.example>\r\n\
                 To: ada@example.org\r\nSubject: Lunch {n}?\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\n\
                 Shall we have lunch on Friday?\r\n"
            );
            let file = self.path(name).join("cur").join(format!("{}.{n}.host:2,S", 1_700_000_000 + n));
            std::fs::write(&file, raw).unwrap();
            let day = std::time::Duration::from_secs(1_700_000_000 + n as u64 * 86_400);
            let day = std::time::SystemTime::UNIX_EPOCH + day;
            std::fs::File::options().write(true).open(&file).unwrap().set_modified(day).unwrap();
        }
    }

    fn config(&self) -> PathBuf {
        self.path(".config/sayso/config.toml")
    }

    fn configured(&self) -> String {
        std::fs::read_to_string(self.config()).unwrap()
    }

    /// Every file of a Maildir with its bytes.
    fn files(&self, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let folders = ["", "cur", "new", "tmp"].map(|part| self.path(name).join(part));
        let paths =
            folders.iter().flat_map(|folder| file_names(folder).into_iter().map(|name| folder.join(name)));
        paths.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }
}

#[track_caller]
fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_maildir_is_found_set_up_and_its_newest_mails_are_triaged() {
    let home = Home::new();
    home.maildir("Mail/home/INBOX", 27);
    let before = home.files("Mail/home/INBOX");
    let report = home.json(&["init", "--yes"]);
    assert_eq!(report["config"], json!(home.config()));
    let account = &report["accounts"][0];
    assert_eq!((&account["name"], &account["kind"]), (&json!("home"), &json!("maildir")));
    assert_eq!(account["address"], "ada@example.org");
    assert!(report["checks"].as_array().unwrap().iter().all(|check| check["ok"] == true), "{report}");
    let triage = &report["triage"];
    let count = |key: &str| triage[key].as_u64().unwrap();
    assert_eq!(count("respond") + count("notify") + count("ignore"), 20, "{triage}");
    assert_eq!((count("left"), &triage["sources"][0]["error"]), (0, &Value::Null));
    assert_eq!(home.files("Mail/home/INBOX"), before, "nothing is marked");
    assert_eq!(std::fs::metadata(home.config()).unwrap().permissions().mode() & 0o777, 0o600);
    holds(&home.configured(), &["mode = \"observe\"", "path = \"~/Mail/home/INBOX\""]);
    let mails = home.json(&["mail"]);
    assert_eq!(mails.as_array().unwrap().len(), 20, "older mail is none of ours");
    assert!(mails[0]["subject"].as_str().unwrap().contains("26"));
    assert!(!home.json(&["list"]).as_array().unwrap().is_empty());
}

#[test]
fn mail_beyond_the_newest_follows_or_is_asked_about_at_the_next_look() {
    for (mails, asks) in [(50, false), (90, true)] {
        let home = Home::new();
        home.0.maildir("Mail/home/INBOX");
        // Every other one was read already: that counts for the newest twenty only.
        for n in 0..mails * 2 {
            let raw = format!(
                "Message-ID: <{n}@post.example>\r\nDelivered-To: ada@example.org\r\nFrom: Bob <bob{n}@b.example>\r\n\
                 To: ada@example.org\r\nSubject: Lunch {n}?\r\n\r\nShall we have lunch on Friday?\r\n"
            );
            let flags = if n % 2 == 0 { "S" } else { "" };
            let file = home.path("Mail/home/INBOX/cur").join(format!("{n}.host:2,{flags}"));
            std::fs::write(&file, raw).unwrap();
            let ago = std::time::Duration::from_secs(3600 - n);
            let file = std::fs::File::options().write(true).open(&file).unwrap();
            file.set_modified(std::time::SystemTime::now() - ago).unwrap();
        }
        let triage = home.json(&["init", "--yes"])["triage"].clone();
        assert_eq!((&triage["sources"][0]["started"], &triage["left"]), (&json!(20), &json!(0)), "{triage}");
        let states = |state: &str| {
            let all = home.json(&["mail", "--limit", "999"]);
            all.as_array().unwrap().iter().filter(|mail| mail["state"] == state).count() as u64
        };
        let rest = mails - 10;
        assert_eq!((states("thread"), states("asked"), states("left")), (20, rest, rest));
        home.sayso(&["mail", "sync"]).done();
        let expected = if asks { (20, rest) } else { (20 + rest, 0) };
        assert_eq!((states("thread"), states("asked")), expected, "{mails} mails");
        home.sayso(&["run"]).done();
        let items = home.json(&["list", "--limit", "999"]);
        let question = items.as_array().unwrap().iter().find(|item| item["action"] == "first_sync");
        assert_eq!(question.map(|item| &item["args"]["mails"]), asks.then_some(&json!(rest)));
    }
}

#[test]
fn what_is_missing_to_send_and_to_think_is_said_with_what_to_add() {
    let said = [
        "No model was found: no Ollama on this machine and no API key in the environment.",
        "name it under [model] in the config",
        "Account home can't send anything, not even with mode = \"act\"",
        "Add [mail.outgoing]",
    ];
    holds(Home::with_mail().sayso(&["init", "--yes"]).done(), &said);
    let home = Home::with_mail();
    let mut command = home.command(&["init", "--yes"]);
    command.env("OPENAI_API_KEY", "x");
    let output = Background::of(command, b"").wait();
    assert!(!output.done().contains("No model was found"), "{output:?}");
}

#[test]
fn a_config_that_is_there_stays_or_is_kept_beside() {
    let home = Home::with_mail();
    home.sayso(&["mail", "sync"]).refused(2, "`sayso init` finds yours and writes one");
    home.write(".config/sayso/config.toml", "# mine\n");
    home.sayso(&["mail", "sync"]).refused(2, "names no mail account; add a [[mail]]");
    home.sayso(&["init", "--yes"]).refused(2, "there is a config already");
    assert_eq!(home.configured(), "# mine\n");
    let report = home.json(&["init", "--yes", "--force", "--no-triage"]);
    let kept = PathBuf::from(text(&report["kept"]));
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "# mine\n");
    assert_eq!((kept.parent(), &report["triage"]), (home.config().parent(), &Value::Null));
    assert!(home.configured().contains("[[mail]]"));
}

#[test]
fn what_cannot_be_set_up_is_said_and_nothing_is_written() {
    let home = Home::new();
    home.sayso(&["init", "--yes"]).refused(1, "no Maildir was found");
    home.sayso(&["init"]).refused(2, "--yes takes what it finds");
    home.sayso(&["init", "--json"]).refused(2, "--yes takes what it finds");
    home.sayso(&["init", "--yes", "--maildir", "nowhere"]).refused(2, "is not a Maildir");
    home.maildir("Maildir", 0);
    home.sayso(&["init", "--yes"]).refused(2, "--address");
    assert!(!home.path(".config").exists() && !home.path(".local").exists());
}

#[test]
fn accounts_of_the_same_name_are_numbered() {
    let home = Home::new();
    let maildirs = ["Mail/example", "Post/example", "Old/example"];
    maildirs.iter().for_each(|maildir| home.maildir(maildir, 0));
    let named = maildirs.iter().flat_map(|maildir| ["--maildir", *maildir]);
    let flags = ["init", "--yes", "--no-triage", "--address", "ada@example.org"];
    let report = home.json(&flags.into_iter().chain(named).collect::<Vec<_>>());
    let names: Vec<&Value> =
        report["accounts"].as_array().unwrap().iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["example", "example-2", "example-3"]);
    holds(&home.configured(), &["name = \"example\"", "name = \"example-2\"", "name = \"example-3\""]);
}

#[test]
fn maildirs_of_mbsync_are_taken_and_its_passwords_are_not() {
    let home = Home::new();
    home.maildir("Mail/work/INBOX", 1);
    home.maildir("Mail/work/Sent", 0);
    home.write(".gitconfig", "[user]\n\tname = Ada Example\n\temail = ada@git.example\n");
    home.write(
        ".mbsyncrc",
        "IMAPAccount work\nHost imap.work.example\nUser ada@work.example\nPass canary1\nTLSType IMAPS\n\nIMAPStore far\n\
         Account work\n\nMaildirStore near\nPath ~/Mail/work/\nInbox ~/Mail/work/INBOX\n\nChannel work\nFar :far:\nNear :near:\n",
    );
    let mut command = home.command(&["init", "--yes", "--json"]);
    command.env("OPENAI_API_KEY", "canary2");
    let output = Background::of(command, b"").wait();
    let report: Value = serde_json::from_str(output.done()).unwrap();
    assert_eq!(report["accounts"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["provider"], "builtin", "a key is no leave to send mail there");
    let text = home.configured();
    assert!(![&text, &output.out, &output.err].iter().any(|text| text.contains("canary")), "{text}");
    let lines = [
        "name = \"Ada Example\"",
        "address = \"ada@example.org\"",
        "path = \"~/Mail/work/INBOX\"",
        "sent = \"~/Mail/work/Sent\"",
        "OPENAI_API_KEY",
    ];
    holds(&text, &lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ollama_of_this_machine_is_found_and_used_when_named() {
    let home = Home::with_mail();
    let server = Server::play([Play::json(200, &json!({"models": [{"name": "qwen3:8b"}]}))]).await;
    let mut command = home.command(&["init", "--yes", "--no-triage", "--provider", "ollama"]);
    command.env("OLLAMA_HOST", &server.address);
    let output = Background::of(command, b"").wait();
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(server.seen()[0].path, "/api/tags");
    let model = format!("provider = \"ollama\"\nname = \"qwen3:8b\"\nbase_url = {:?}", server.address);
    holds(&home.configured(), &[&model]);
}

#[test]
fn the_data_folder_that_is_named_keeps_its_config_too() {
    let home = Home::with_mail();
    let report = home.json(&["--data", "here", "init", "--yes"]);
    assert_eq!(report["config"], json!(home.path("here/config.toml")));
    assert!(!home.path(".config").exists());
    assert_eq!(home.json(&["--data", "here", "mail"]).as_array().unwrap().len(), 1);
}

/// Waits for each of these words, and types what comes with them.
fn talk(terminal: &mut Terminal, turns: &[(&str, &str)]) {
    for (words, typed) in turns {
        terminal.wait_for(words);
        terminal.types(typed);
    }
}

/// The program at a terminal, where nothing of this machine is offered.
fn newly(cli: &Cli, args: &[&str]) -> Terminal {
    Terminal::open(cli, args, &[("NO_COLOR", "1"), ("PATH", "/none")])
}

/// The program without a config, with a Maildir in its home.
fn newcomer() -> Cli {
    let cli = Cli::new();
    std::fs::remove_dir_all(cli.data()).unwrap();
    cli.maildir("Mail/inbox");
    let raw = "Message-ID: <1@post.example>\r\nDelivered-To: ada@example.org\r\nFrom: Bob <bob@b.example>\r\nSubject: Tea?\r\n\r\nTea?\r\n";
    std::fs::write(cli.path("Mail/inbox/new/1.host"), raw).unwrap();
    cli
}

#[test]
fn somebody_who_is_new_is_asked_and_answers_with_enter() {
    let cli = newcomer();
    let mut terminal = newly(&cli, &[]);
    talk(&mut terminal, &[("5. leave\nNumber [1]: ", "2\n")]);
    let asked = terminal.wait_for("Number [1]: ");
    holds(&asked, &["1. Maildir ", "Mail/inbox\n", "by hand (IMAP)"]);
    terminal.types("7\n");
    let turns = [
        ("A number from 1 to 3, please.\nNumber [1]: ", "\n"),
        ("Your name: ", "Ada\n"),
        ("Your address [ada@example.org]: ", "\n"),
    ];
    talk(&mut terminal, &turns);
    let screen = terminal.wait_for("`sayso` opens the inbox.");
    holds(&screen, &["ok    mail", "Nothing was sent or marked"]);
    assert_eq!(screen.matches("No model was found").count(), 1, "{screen}");
    let mut checks = screen.lines().skip_while(|line| !line.starts_with("ok "));
    assert!(checks.all(|line| line.chars().count() <= 80), "lines break between words: {screen}");
    terminal.ends();
    let text = std::fs::read_to_string(cli.data().join("config.toml")).unwrap();
    holds(&text, &["name = \"Ada\"", "mode = \"observe\""]);
}

/// Names a server where nobody listens.
const SERVER: [(&str, &str); 9] = [
    ("Number [1]: ", "2\n"),
    ("Address", "no address\n"),
    ("That is not an address", "ada@example.org\n"),
    ("[imap.example.org]: ", "127.0.0.1:1\n"),
    ("STARTTLS\nNumber [1]: ", "\n"),
    ("User name there [ada@example.org]: ", "\n"),
    ("sayso never writes your password down.", ""),
    ("Number [1]: ", "2\n"),
    ("The variable [SAYSO_PASSWORD]: ", "\n"),
];

#[test]
fn a_server_that_does_not_let_one_in_is_said_right_there_and_leaving_writes_nothing() {
    let cli = newcomer();
    let mut terminal = newly(&cli, &["init"]);
    talk(&mut terminal, &SERVER);
    talk(&mut terminal, &[("- for none [127.0.0.1:1]: ", "-\n")]);
    let screen = terminal.wait_for("Number [1]: ");
    holds(&screen, &["FAILED: ", "127.0.0.1:1 cannot be reached"]);
    // Ctrl-C.
    terminal.types("\x03");
    drop(terminal);
    assert!(!cli.data().exists() && !cli.path(".config").exists());
}

#[test]
fn a_server_that_is_kept_is_written_and_its_trouble_is_told() {
    let cli = newcomer();
    let mut terminal = newly(&cli, &["init"]);
    talk(&mut terminal, &SERVER);
    let turns = [
        ("- for none [127.0.0.1:1]: ", "\n"),
        ("leave this account out\nNumber [1]: ", "2\n"),
        ("Your name: ", "Ada\n"),
        ("Your address [ada@example.org]: ", "\n"),
    ];
    talk(&mut terminal, &turns);
    let screen = terminal.wait_for("`sayso` opens the inbox.");
    holds(&screen, &["FAIL  mail", "Account example could not be read"]);
    terminal.ends();
    let text = std::fs::read_to_string(cli.data().join("config.toml")).unwrap();
    let password = "password_env = \"SAYSO_PASSWORD\"";
    holds(&text, &["kind = \"imap\"", password, "name = \"Ada\"", "port = 1", "kind = \"smtp\""]);
}
