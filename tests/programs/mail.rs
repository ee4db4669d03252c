//! `mail`, `mail sync`, `watch` and what `doctor` says of mail: the real program over a real Maildir.

use crate::runner::{Background, Cli, CliOutput, captured, keys, text, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::Stdio;

/// The program with a Maildir, and an account that reads it.
fn configured() -> Cli {
    let cli = Cli::new();
    for part in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(cli.path("mail").join(part)).unwrap();
    }
    configure(&cli, "");
    cli
}

fn configure(cli: &Cli, more: &str) {
    let path = cli.path("mail");
    cli.configure(&format!(
        "[user]\naddress = \"ada@example.org\"\n[[mail]]\nname = \"home\"\npath = \"{}\"\n{more}",
        path.display()
    ));
}

fn deliver(cli: &Cli, n: u32) {
    deliver_from(cli, n, "Bob <bob@b.example>");
}

fn deliver_from(cli: &Cli, n: u32, from: &str) {
    let now = jiff::Timestamp::now();
    let raw = format!(
        "Message-ID: <{n}@post.example>\r\nFrom: {from}\r\nTo: ada@example.org\r\nSubject: Lunch {n}?\r\n\
         Date: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\nShall we have lunch on Friday?\r\n"
    );
    std::fs::write(cli.path("mail/new").join(format!("{}.{n}.host", now.as_second())), raw).unwrap();
}

fn real(cli: &Cli, args: &[&str]) -> CliOutput {
    captured(cli.real().args(args).output().unwrap())
}

#[track_caller]
fn real_json(cli: &Cli, args: &[&str]) -> Value {
    let output = real(cli, args);
    serde_json::from_str(output.done()).unwrap()
}

#[test]
fn what_is_fetched_is_listed_with_its_thread() {
    let cli = configured();
    assert!(real(&cli, &["mail"]).done().contains("No mail yet"));
    deliver(&cli, 1);
    deliver(&cli, 2);
    let synced = real_json(&cli, &["mail", "sync", "--json"]);
    assert_eq!(synced, json!([{"source": "home", "new": 2, "started": 2, "error": null}]));
    // What came waits for the person right away.
    let listed = real_json(&cli, &["list", "--json"]);
    let mut titles: Vec<String> =
        listed.as_array().unwrap().iter().map(|item| text(&item["title"])).collect();
    titles.sort();
    assert_eq!(titles, ["Lunch 1?", "Lunch 2?"]);
    let why = real(&cli, &["why", &text(&listed[0]["id"])]);
    assert!(why.done().contains("decided by: the built-in rules"), "{why:?}");
    assert_eq!(real(&cli, &["mail", "sync"]).done(), "home: 0 mails new, 0 threads started\n");
    let mails = real_json(&cli, &["mail", "--json"]);
    assert_eq!(mails.as_array().unwrap().len(), 2);
    let expected = [
        "identity",
        "account",
        "from",
        "subject",
        "came_at",
        "state",
        "thread",
        "status",
        "class",
        "reason",
        "outcome",
        "handled_at",
    ];
    keys(&mails[0], &expected);
    assert_eq!((&mails[0]["from"], &mails[0]["subject"]), (&json!("bob@b.example"), &json!("Lunch 2?")));
    assert!(mails[0]["thread"].is_string() && mails[0]["status"] == "waiting", "{mails}");
    assert_eq!(real_json(&cli, &["mail", "--limit", "1", "--json"]).as_array().unwrap().len(), 1);
    let text = real(&cli, &["mail"]);
    assert!(text.done().contains("Lunch 1?") && text.out.contains("home"), "{text:?}");
}

#[test]
fn the_list_counts_ages_from_the_mail_as_the_screen_does() {
    let cli = configured();
    let now = jiff::Timestamp::now();
    for (n, hours) in [(1_i64, 2_i64), (2, 5)] {
        let sent = now - jiff::SignedDuration::from_hours(hours);
        let date = sent.strftime("%a, %d %b %Y %H:%M:%S +0000");
        let raw = format!(
            "Message-ID: <{n}@post.example>\r\nFrom: Bob <bob@b.example>\r\nTo: ada@example.org\r\n\
             Subject: Lunch {n}?\r\nDate: {date}\r\n\r\nShall we have lunch on Friday?\r\n"
        );
        std::fs::write(cli.path("mail/new").join(format!("{}.{n}.host", now.as_second() + n)), raw).unwrap();
        real_json(&cli, &["mail", "sync", "--json"]);
    }
    let output = real(&cli, &["list"]);
    let rows: Vec<&str> = output.done().lines().skip(1).collect();
    let [older, newer] = rows[..] else { panic!("{output:?}") };
    assert!(older.contains(" 5h ") && older.contains("Lunch 2?"), "{output:?}");
    assert!(newer.contains(" 2h ") && newer.contains("Lunch 1?"), "{output:?}");
    assert!(real(&cli, &["list", "--limit", "1"]).done().contains("Lunch 2?"));
    // Programs get them in the order they were asked.
    let first = real_json(&cli, &["list", "--limit", "1", "--json"]);
    assert_eq!(first.as_array().map(Vec::len), Some(1));
    assert!(text(&first[0]["title"]).contains("Lunch 1?"), "{first}");
}

#[test]
fn an_ignored_invoice_hides_no_later_mail_of_its_sender() {
    let cli = configured();
    configure(&cli, "[learning]\ndelay_seconds = 0\n");
    let letter = |n: u32, subject: &str, body: &str| {
        let now = jiff::Timestamp::now();
        let raw = format!(
            "Message-ID: <{n}@host.example>\r\nFrom: Host <billing@host.example>\r\nTo: ada@example.org\r\n\
             Subject: {subject}\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\n{body}\r\n"
        );
        std::fs::write(cli.path("mail/new").join(format!("{}.{n}.host", now.as_second())), raw).unwrap();
        real_json(&cli, &["mail", "sync", "--json"]);
        real(&cli, &["run"]).done();
        let listed = real_json(&cli, &["list", "--json"]);
        listed.as_array().unwrap().iter().map(|item| text(&item["title"])).collect::<Vec<_>>()
    };
    let invoice = "Here is the statement of this month for your hosting.";
    assert_eq!(letter(1, "Hosting statement March", invoice), ["Hosting statement March"]);
    let id = text(&real_json(&cli, &["list", "--json"])[0]["id"]);
    real(&cli, &["ignore", &id, "--wait"]).done();
    real(&cli, &["run"]).done();
    assert_eq!(letter(2, "Hosting statement March, copy", invoice).len(), 1);
    let dunning = "The hosting statement of March is overdue. Please pay within seven days.";
    assert_eq!(letter(3, "Hosting statement March: final notice", dunning).len(), 2);
}

#[test]
fn the_word_of_the_own_server_counts_once_it_is_known() {
    let cli = configured();
    let letter = |n: u32, from: &str, results: &str| {
        let now = jiff::Timestamp::now();
        let raw = format!(
            "{results}Received: from x by mx.home.example\r\nMessage-ID: <{n}@post.example>\r\nFrom: {from}\r\n\
             To: ada@example.org\r\nSubject: Letter {n}\r\nDate: Mon, 02 Nov 2026 10:00:00 +0000\r\n\r\n\
             Shall we have lunch on Friday?\r\n"
        );
        std::fs::write(cli.path("mail/new").join(format!("{}.{n}.host", now.as_second())), raw).unwrap();
        real_json(&cli, &["mail", "sync", "--json"]);
    };
    let line = |text: &str| format!("Authentication-Results: mx.home.example; {text}\r\n");
    let senders = || {
        let checks: Value = serde_json::from_str(&real(&cli, &["doctor", "--json"]).out).unwrap();
        let check = checks.as_array().unwrap().iter().find(|check| check["check"] == "senders").cloned();
        text(&check.unwrap()["text"])
    };
    letter(1, "Eve <eve@bank.example>", &line("dmarc=fail header.from=bank.example"));
    assert!(senders().starts_with("home: not known yet"), "{}", senders());
    for n in 2..=6 {
        letter(n, &format!("Bob <bob@b{n}.example>"), &line(&format!("dmarc=pass header.from=b{n}.example")));
    }
    assert_eq!(senders(), "home: checked by mx.home.example");
    letter(7, "Eve <eve@bank.example>", &line("dmarc=fail header.from=bank.example"));
    letter(8, "Eve <eve@shop.example>", "Authentication-Results: mx.evil.example; dmarc=fail\r\n");
    let listed = real_json(&cli, &["list", "--json"]);
    let warned = |title: &str| -> Vec<Value> {
        let item = listed.as_array().unwrap().iter().find(|item| item["title"] == title).unwrap();
        let warnings = item["warnings"].as_array().unwrap().iter();
        warnings
            .filter(|warning| warning["code"] == "not_authentic")
            .map(|warning| warning["grade"].clone())
            .collect()
    };
    assert_eq!((warned("Letter 7"), warned("Letter 8")), (vec![json!("caution")], vec![]));
}

#[test]
fn senders_as_the_world_writes_them_are_listed_and_shown() {
    let cli = configured();
    deliver_from(&cli, 1, "Microsoft account team , <x@evil.example>");
    deliver_from(&cli, 2, "\"service@paypal.com\" <x@evil.example>");
    deliver_from(&cli, 3, "Bob Ray");
    real_json(&cli, &["mail", "sync", "--json"]);
    let mails = real_json(&cli, &["mail", "--json"]);
    let from: Vec<&Value> = mails.as_array().unwrap().iter().map(|mail| &mail["from"]).collect();
    assert_eq!(from, [&json!(""), &json!("x@evil.example"), &json!("x@evil.example")]);
    assert!(real(&cli, &["mail"]).done().contains("(no address)"));
    real(&cli, &["run"]).done();
    let items = real_json(&cli, &["list", "--json"]);
    for (title, source, code, shown) in [
        (
            "Lunch 1?",
            "Microsoft account team",
            "unusual_header",
            "From: Microsoft account team <x@evil.example>",
        ),
        ("Lunch 2?", "x@evil.example", "name_holds_address", "From: service@paypal.com <x@evil.example>"),
        ("Lunch 3?", "Bob Ray", "unreadable_header", "This mail has no address that a reply can be sent to"),
    ] {
        let item = items.as_array().unwrap().iter().find(|item| item["title"] == title).unwrap();
        assert_eq!(item["source"], source, "{item}");
        let view = real(&cli, &["view", item["id"].as_str().unwrap()]);
        assert!(view.done().contains(&format!("[{code}]")) && view.out.contains(shown), "{view:?}");
    }
}

#[test]
fn a_mailbox_that_fails_is_named_and_the_other_is_read() {
    let cli = configured();
    let gone = "[[mail]]\nname = \"gone\"\npath = \"/nowhere/at/all\"\n";
    configure(&cli, gone);
    deliver(&cli, 1);
    let output = real(&cli, &["mail", "sync", "--json"]);
    assert_eq!(output.code, 1, "{output:?}");
    let synced: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&synced[0]["new"], &synced[0]["error"]), (&json!(1), &Value::Null));
    assert!(synced[1]["error"].as_str().unwrap().contains("/nowhere/at/all"), "{synced}");
    let doctor = real(&cli, &["doctor", "--json"]);
    assert_eq!(doctor.code, 1);
    let checks: Value = serde_json::from_str(&doctor.out).unwrap();
    let mail: Vec<&Value> = checks.as_array().unwrap().iter().filter(|c| c["check"] == "mail").collect();
    assert_eq!((mail.len(), &mail[0]["ok"], &mail[1]["ok"]), (2, &json!(true), &json!(false)), "{checks}");
}

#[test]
fn without_an_account_there_is_nothing_to_fetch() {
    let cli = Cli::new();
    real(&cli, &["mail", "sync"]).refused(2, "names no mail account; add a [[mail]]");
    assert!(real(&cli, &["mail"]).done().contains("names no mail account"));
    real(&cli, &["mail", "sink"]).refused(2, "sink");
    real(&cli, &["mail", "--limit", "0"]).refused(2, "0");
}

#[test]
fn watch_takes_mail_in_as_it_comes_and_ends_when_told() {
    let cli = configured();
    let mut command = cli.real();
    command.arg("watch").stdout(Stdio::piped()).stderr(Stdio::piped());
    let watch = Background::of(command.spawn().unwrap());
    until(|| real_json(&cli, &["status", "--json"])["driver"] == json!(watch.pid()));
    deliver(&cli, 1);
    // Somebody who asks beside it is answered by it.
    until(|| {
        real(&cli, &["mail", "sync"]).done();
        real_json(&cli, &["mail", "--json"]).as_array().unwrap().len() == 1
    });
    until(|| real_json(&cli, &["mail", "--json"])[0]["class"].is_string());
    watch.signal(Signal::TERM);
    let output = watch.wait();
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn what_an_answer_teaches_is_learned_before_driving_is_idle() {
    let cli = configured();
    configure(&cli, "[learning]\ndelay_seconds = 0\n");
    deliver(&cli, 1);
    real_json(&cli, &["mail", "sync", "--json"]);
    real(&cli, &["run"]).done();
    let items = real_json(&cli, &["list", "--json"]);
    let id = items[0]["id"].as_str().unwrap();
    real(&cli, &["ignore", id, "--wait"]).done();
    let learned = || real_json(&cli, &["memory", "show", "triage_preferences", "--json"]);
    assert_eq!(learned()["version"], 1, "whoever waits for one thread does not wait for this");
    real(&cli, &["run"]).done();
    let learned = learned();
    assert_eq!((&learned["version"], &learned["cause"]["kind"]), (&json!(2), &json!("answer")), "{learned}");
}

#[test]
fn a_mail_that_was_moved_meanwhile_is_marked_where_it_lies_now() {
    let cli = configured();
    for part in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(cli.path("mail/.later").join(part)).unwrap();
    }
    configure(&cli, "folders = [\"later\"]\nhandled.done = \"seen\"\n");
    deliver(&cli, 1);
    real(&cli, &["mail", "sync"]).done();
    real(&cli, &["run"]).done();
    let asked = real_json(&cli, &["list", "--json"]);
    let moved = std::fs::read_dir(cli.path("mail/new")).unwrap().next().unwrap().unwrap().path();
    std::fs::rename(&moved, cli.path("mail/.later/new").join(moved.file_name().unwrap())).unwrap();
    real(&cli, &["mail", "sync"]).done();
    real(&cli, &["ignore", asked[0]["id"].as_str().unwrap(), "--wait"]).done();
    let cur: Vec<_> = std::fs::read_dir(cli.path("mail/.later/cur")).unwrap().collect();
    assert_eq!(cur.len(), 1, "it is seen, where it was moved to");
}

fn files(cli: &Cli, folder: &str) -> usize {
    let count =
        |part: &str| std::fs::read_dir(cli.path("mail").join(folder).join(part)).map_or(0, Iterator::count);
    count("cur") + count("new")
}

#[test]
fn mail_is_put_away_by_a_verb_and_comes_back_with_its_card() {
    let cli = configured();
    deliver(&cli, 1);
    deliver(&cli, 2);
    real_json(&cli, &["mail", "sync", "--json"]);
    let open = |cli: &Cli| real_json(cli, &["list", "--json"]).as_array().unwrap().clone();
    let before = open(&cli);
    assert_eq!(before.len(), 2, "{before:?}");
    let (first, second) = (text(&before[0]["id"]), text(&before[1]["thread"]));

    let moved = real_json(&cli, &["mail", "archive", &first, "--json"]);
    keys(&moved[0], &["thread", "title", "done", "error"]);
    assert_eq!((&moved[0]["done"], &moved[0]["error"]), (&json!(true), &Value::Null));
    assert_eq!((files(&cli, ""), files(&cli, ".Archive")), (1, 1));
    assert_eq!(open(&cli).len(), 1, "its card went with it");
    let thread = text(&moved[0]["thread"]);
    let again = real(&cli, &["mail", "delete", &thread]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.out.contains("put away already"), "{again:?}");
    let late = real(&cli, &["accept", &first]);
    assert!(late.err.contains("you have archived it"), "{late:?}");
    let threads = real_json(&cli, &["threads", "--json"]);
    let line = threads.as_array().unwrap().iter().find(|line| line["id"] == thread.as_str()).unwrap();
    assert_eq!(line["outcome"], "archived");

    real_json(&cli, &["mail", "restore", &thread, "--json"]);
    assert_eq!((files(&cli, ""), files(&cli, ".Archive")), (2, 0));
    real_json(&cli, &["run", "--json"]);
    assert_eq!(open(&cli).len(), 2, "and came back");

    // Several are listed first.
    let listed = real(&cli, &["mail", "delete", &thread, &second]);
    assert!(
        listed.done().contains("would be deleted") && listed.done().contains("--yes"),
        "{}",
        listed.done()
    );
    assert_eq!((files(&cli, ""), files(&cli, ".Trash")), (2, 0));
    real_json(&cli, &["mail", "delete", &thread, &second, "--yes", "--json"]);
    assert_eq!((files(&cli, ""), files(&cli, ".Trash")), (0, 2));
    assert!(open(&cli).is_empty());
    let nowhere = real(&cli, &["mail", "restore", "t00000000"]);
    nowhere.refused(3, "");
}

#[test]
fn the_next_mail_of_a_conversation_that_was_put_away_knows_what_it_was_about() {
    let cli = configured();
    deliver(&cli, 1);
    real_json(&cli, &["mail", "sync", "--json"]);
    let thread = text(&real_json(&cli, &["list", "--json"])[0]["thread"]);
    real_json(&cli, &["mail", "archive", &thread, "--json"]);
    deliver_from(&cli, 2, "Bob <bob@b.example>\r\nIn-Reply-To: <1@post.example>");
    real_json(&cli, &["mail", "sync", "--json"]);
    let next = text(&real_json(&cli, &["list", "--json"])[0]["thread"]);
    let earlier = real_json(&cli, &["show", &next, "--json"])["state"]["earlier"].clone();
    assert_eq!(earlier["thread"], thread.as_str());
    assert!(earlier["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{earlier}");
}

#[test]
fn an_account_that_only_observes_keeps_its_mail_where_it_is() {
    let cli = configured();
    configure(&cli, "mode = \"observe\"\n");
    deliver(&cli, 1);
    real_json(&cli, &["mail", "sync", "--json"]);
    let thread = text(&real_json(&cli, &["list", "--json"])[0]["thread"]);
    let refused = real(&cli, &["mail", "archive", &thread]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.out.contains("only observes"), "{refused:?}");
    assert_eq!((files(&cli, ""), files(&cli, ".Archive")), (1, 0));
    assert_eq!(real_json(&cli, &["list", "--kind", "trouble", "--json"]), json!([]));
}

#[test]
fn a_folder_that_is_not_there_is_named_and_leaves_nothing_behind() {
    let cli = configured();
    deliver(&cli, 1);
    real_json(&cli, &["mail", "sync", "--json"]);
    let thread = text(&real_json(&cli, &["list", "--json"])[0]["thread"]);
    let refused = real(&cli, &["mail", "move", &thread, "--to", "Travel"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.out.contains("there is no folder Travel; there are none"), "{refused:?}");
    let open = real_json(&cli, &["list", "--json"]);
    assert_eq!((open.as_array().unwrap().len(), &open[0]["thread"]), (1, &json!(thread)), "{open}");
    // Once the folder is there, the same works.
    for part in ["cur", "new", "tmp"] {
        std::fs::create_dir_all(cli.path("mail/.Travel").join(part)).unwrap();
    }
    real(&cli, &["mail", "move", &thread, "--to", "Travel"]).done();
    assert_eq!((files(&cli, ""), files(&cli, ".Travel")), (0, 1));
}

#[test]
fn what_is_attached_is_listed_and_saved_and_what_runs_is_not() {
    let cli = configured();
    let raw = "From: Bob <bob@b.example>\r\nTo: ada@example.org\r\nSubject: Files\r\nMessage-ID: <files@b.example>\r\n\
        MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n\
        Could you look at these?\r\n--b\r\nContent-Type: text/csv; name=\"numbers.csv\"\r\nContent-Disposition: attachment\r\n\r\n\
        a,b\r\n--b\r\nContent-Type: application/octet-stream; name=\"../../setup.exe\"\r\n\
        Content-Disposition: attachment\r\n\r\nMZ\r\n--b--\r\n";
    let now = jiff::Timestamp::now().as_second();
    std::fs::write(cli.path("mail/new").join(format!("{now}.9.host")), raw).unwrap();
    real_json(&cli, &["mail", "sync", "--json"]);
    let thread = text(&real_json(&cli, &["list", "--json"])[0]["thread"]);
    let files = real_json(&cli, &["mail", "attachments", &thread, "--json"]);
    keys(&files[0], &["n", "name", "kind", "bytes", "program", "from"]);
    assert_eq!((&files[0]["name"], &files[0]["program"]), (&json!("numbers.csv"), &json!(false)));
    assert_eq!(files[1]["program"], json!(true), "{files}");
    let to = cli.path("saved");
    std::fs::create_dir(&to).unwrap();
    let to = to.display().to_string();
    for name in ["numbers.csv", "numbers (2).csv"] {
        let saved = real_json(&cli, &["mail", "save", &thread, "1", "--to", &to, "--json"]);
        assert_eq!(text(&saved["path"]), format!("{to}/{name}"));
        assert_eq!(std::fs::read_to_string(format!("{to}/{name}")).unwrap().trim(), "a,b");
    }
    real(&cli, &["mail", "save", &thread, "2", "--to", &to]).refused(1, "--anyway");
    real(&cli, &["mail", "open", &thread, "2"]).refused(1, "can run programs");
    real(&cli, &["mail", "save", &thread, "7", "--to", &to]).refused(1, "there is no attachment 7");
    assert_eq!(std::fs::read_dir(&to).unwrap().count(), 2);
    let saved = real_json(&cli, &["mail", "save", &thread, "2", "--to", &to, "--anyway", "--json"]);
    assert!(text(&saved["path"]).starts_with(&format!("{to}/")), "{saved}");
}

#[test]
fn doctor_warns_of_an_account_that_acts_and_cannot_send() {
    let cli = configured();
    let doctor = |more: &str| {
        configure(&cli, more);
        real(&cli, &["doctor"]).done().to_owned()
    };
    let warned = "its mode is \"act\", but nothing can be sent: write how under [mail.outgoing]";
    assert!(doctor("").contains("warn  mail ") && doctor("").contains(warned), "{}", doctor(""));
    let observing = doctor("mode = \"observe\"\n");
    assert!(
        observing.contains("ok    mail ") && observing.contains("there is no [mail.outgoing]"),
        "{observing}"
    );
}

#[test]
fn a_copy_of_what_is_sent_lies_beside_the_maildir_and_doctor_says_so() {
    let cli = configured();
    // Any program that is there.
    let program = env!("CARGO_BIN_EXE_sayso");
    configure(&cli, &format!("[mail.outgoing]\nkind = \"command\"\ncommand = [\"{program}\"]\n"));
    let checks = real(&cli, &["doctor", "--json"]);
    let checks: Value = serde_json::from_str(&checks.out).unwrap();
    let texts: Vec<String> = checks.as_array().unwrap().iter().map(|check| text(&check["text"])).collect();
    assert!(texts.iter().any(|text| text.contains("a copy goes to") && text.contains(".Sent")), "{texts:?}");
}
