//! `mail`, `mail sync`, `watch` and what `doctor` says of mail: the real program over a real Maildir.

use crate::runner::{Cli, checks, each, json, keys, list, open, read, run, spawn, text, until};
use crate::support::file_names;
use rustix::process::Signal;
use sayso::engine::store::DriverLock;
use serde_json::{Value, json};

/// The program with a Maildir, and an account that reads it.
fn configured() -> Cli {
    let cli = Cli::new();
    cli.maildir("mail");
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

const BOB: &str = "From: Bob <bob@b.example>\r\n";

/// Mail number `n`, about lunch, with these lines in its head.
fn deliver(cli: &Cli, n: u32, head: &str) {
    deliver_of(cli, n, head, "Mon, 02 Nov 2026 10:00:00 +0000");
}

/// The same of another date.
fn deliver_of(cli: &Cli, n: u32, head: &str, date: &str) {
    let raw = format!(
        "{head}Message-ID: <{n}@post.example>\r\nTo: ada@example.org\r\nSubject: Lunch {n}?\r\nDate: {date}\r\n\r\n\
         Shall we have lunch on Friday?\r\n"
    );
    let now = jiff::Timestamp::now().as_second();
    std::fs::write(cli.path("mail/new").join(format!("{now}.{n}.host")), raw).unwrap();
}

fn sync(cli: &Cli) {
    json(cli, &["mail", "sync"]);
}

/// One mail from Bob that was read, and its thread.
fn one_mail(cli: &Cli) -> String {
    deliver(cli, 1, BOB);
    sync(cli);
    text(&json(cli, &["list"])[0]["thread"])
}

#[test]
fn what_is_fetched_is_listed_with_its_thread() {
    let cli = configured();
    assert!(run(&cli, &["mail"]).done().contains("No mail yet"));
    deliver(&cli, 1, BOB);
    deliver(&cli, 2, BOB);
    let synced = json(&cli, &["mail", "sync"]);
    assert_eq!(synced, json!([{"source": "home", "new": 2, "started": 2, "error": null}]));
    // What came waits for the person right away.
    let listed = json(&cli, &["list"]);
    let mut titles = each(&listed, "title");
    titles.sort();
    assert_eq!(titles, ["Lunch 1?", "Lunch 2?"]);
    let why = run(&cli, &["show", "--why", &text(&listed[0]["id"])]);
    assert!(why.done().contains("decided by: the built-in rules"), "{why:?}");
    assert_eq!(run(&cli, &["mail", "sync"]).done(), "home: 0 mails new, 0 threads started\n");
    let mails = json(&cli, &["mail"]);
    assert_eq!(mails.as_array().unwrap().len(), 2);
    keys(
        &mails[0],
        "identity account from subject came_at state thread status class reason outcome handled_at",
    );
    assert_eq!((&mails[0]["from"], &mails[0]["subject"]), (&json!("bob@b.example"), &json!("Lunch 2?")));
    assert!(mails[0]["thread"].is_string() && mails[0]["status"] == "waiting", "{mails}");
    assert_eq!(list(&cli, &["mail", "--limit", "1"]).len(), 1);
    let text = run(&cli, &["mail"]);
    assert!(text.done().contains("Lunch 1?") && text.out.contains("home"), "{text:?}");
}

#[test]
fn a_model_that_is_not_there_is_told_after_a_look_at_the_mailbox() {
    let cli = configured();
    let model = "[model]\nprovider = \"openai\"\nname = \"tiny-1\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    configure(&cli, &format!("{model}[engine]\nretries = 0\n"));
    deliver(&cli, 1, BOB);
    sync(&cli);
    assert_eq!(each(&json(&cli, &["list"]), "action"), ["unreachable"]);
}

#[test]
fn the_list_counts_ages_from_the_mail_as_the_screen_does() {
    let cli = configured();
    for (n, hours) in [(1, 2), (2, 5)] {
        let sent = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(hours);
        deliver_of(&cli, n, BOB, &sent.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string());
        sync(&cli);
    }
    let output = run(&cli, &["list"]);
    let rows: Vec<&str> = output.done().lines().skip(1).collect();
    let [older, newer] = rows[..] else { panic!("{output:?}") };
    assert!(older.contains(" 5h ") && older.contains("Lunch 2?"), "{output:?}");
    assert!(newer.contains(" 2h ") && newer.contains("Lunch 1?"), "{output:?}");
    assert!(run(&cli, &["list", "--limit", "1"]).done().contains("Lunch 2?"));
    // Programs get them in the same order.
    let first = json(&cli, &["list", "--limit", "1"]);
    assert_eq!(first.as_array().map(Vec::len), Some(1));
    assert!(text(&first[0]["title"]).contains("Lunch 2?"), "{first}");
}

#[test]
fn the_word_of_the_own_server_counts_once_it_is_known() {
    let cli = configured();
    let letter = |n: u32, from: &str, results: &str| {
        let received = "Received: from x by mx.home.example\r\n";
        deliver(&cli, n, &format!("{results}{received}From: {from}\r\n"));
        sync(&cli);
    };
    let line = |text: &str| format!("Authentication-Results: mx.home.example; {text}\r\n");
    let senders = || checks(&cli, "senders").remove(0).1;
    letter(1, "Eve <eve@bank.example>", &line("dmarc=fail header.from=bank.example"));
    assert!(senders().starts_with("home: not known yet"), "{}", senders());
    for n in 2..=6 {
        letter(n, &format!("Bob <bob@b{n}.example>"), &line(&format!("dmarc=pass header.from=b{n}.example")));
    }
    assert_eq!(senders(), "home: checked by mx.home.example");
    letter(7, "Eve <eve@bank.example>", &line("dmarc=fail header.from=bank.example"));
    letter(8, "Eve <eve@shop.example>", "Authentication-Results: mx.evil.example; dmarc=fail\r\n");
    let listed = json(&cli, &["list"]);
    let warned = |title: &str| -> Vec<Value> {
        let item = listed.as_array().unwrap().iter().find(|item| item["title"] == title).unwrap();
        let warnings = item["warnings"].as_array().unwrap().iter();
        let warnings = warnings.filter(|warning| warning["code"] == "not_authentic");
        warnings.map(|warning| warning["grade"].clone()).collect()
    };
    assert_eq!((warned("Lunch 7?"), warned("Lunch 8?")), (vec![json!("caution")], vec![]));
}

#[test]
fn senders_as_the_world_writes_them_are_listed_and_shown() {
    let cli = configured();
    let senders =
        ["Microsoft account team , <x@evil.example>", "\"service@paypal.com\" <x@evil.example>", "Bob Ray"];
    for (n, from) in (1..).zip(senders) {
        deliver(&cli, n, &format!("From: {from}\r\n"));
    }
    sync(&cli);
    assert_eq!(each(&json(&cli, &["mail"]), "from"), ["", "x@evil.example", "x@evil.example"]);
    assert!(run(&cli, &["mail"]).done().contains("(no address)"));
    run(&cli, &["run"]).done();
    let items = json(&cli, &["list"]);
    for (title, source, code, shown) in [
        ("Lunch 1?", "Microsoft account team", "unusual_header", "From: Microsoft account team <x@evil"),
        ("Lunch 2?", "x@evil.example", "name_holds_address", "From: service@paypal.com <x@evil.example>"),
        ("Lunch 3?", "Bob Ray", "unreadable_header", "This mail has no address that a reply can be sent to"),
    ] {
        let item = items.as_array().unwrap().iter().find(|item| item["title"] == title).unwrap();
        assert_eq!(item["source"], source, "{item}");
        let view = run(&cli, &["view", item["id"].as_str().unwrap()]);
        assert!(view.done().contains(&format!("[{code}]")) && view.out.contains(shown), "{view:?}");
    }
}

#[test]
fn a_mailbox_that_fails_is_named_and_the_other_is_read() {
    let cli = configured();
    let gone = "[[mail]]\nname = \"gone\"\npath = \"/nowhere/at/all\"\n";
    configure(&cli, gone);
    deliver(&cli, 1, BOB);
    let synced = read(&run(&cli, &["mail", "sync", "--json"]), 1);
    assert_eq!((&synced[0]["new"], &synced[0]["error"]), (&json!(1), &Value::Null));
    assert!(synced[1]["error"].as_str().unwrap().contains("/nowhere/at/all"), "{synced}");
    assert_eq!(run(&cli, &["doctor"]).code, 1);
    assert!(matches!(checks(&cli, "mail")[..], [(true, _), (false, _)]));
}

#[test]
fn without_an_account_there_is_nothing_to_fetch() {
    let cli = Cli::new();
    run(&cli, &["mail", "sync"]).refused(2, "names no mail account; add a [[mail]]");
    assert!(run(&cli, &["mail"]).done().contains("names no mail account"));
    run(&cli, &["mail", "sink"]).refused(2, "sink");
    run(&cli, &["mail", "--limit", "0"]).refused(2, "0");
}

#[test]
fn watch_takes_mail_in_as_it_comes_and_ends_when_told() {
    let cli = configured();
    let watch = spawn(&cli, &["watch"]);
    until(|| json(&cli, &["activity"])["driver"] == json!(watch.pid()));
    deliver(&cli, 1, BOB);
    // Somebody who asks beside it is answered by it.
    until(|| {
        run(&cli, &["mail", "sync"]).done();
        list(&cli, &["mail"]).len() == 1
    });
    until(|| json(&cli, &["mail"])[0]["class"].is_string());
    watch.signal(Signal::TERM);
    let output = watch.wait();
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn what_an_answer_teaches_is_a_row_at_once() {
    let cli = configured();
    one_mail(&cli);
    run(&cli, &["run"]).done();
    let item = json(&cli, &["list"])[0].clone();
    run(&cli, &["ignore", &text(&item["id"]), "--wait"]).done();
    let row = json(&cli, &["memory", "show", "bob@b.example"]);
    assert_eq!((&row["answer"], &row["confirmed"]), (&json!("lower"), &json!(1)), "{row}");
    assert_eq!((&row["state"], &row["decisions"][0]["interrupt"]), (&json!("noticed"), &item["id"]), "{row}");
}

#[test]
fn a_mail_that_was_moved_meanwhile_is_marked_where_it_lies_now() {
    let cli = configured();
    cli.maildir("mail/.later");
    configure(&cli, "folders = [\"later\"]\nhandled.done = \"seen\"\n");
    one_mail(&cli);
    run(&cli, &["run"]).done();
    let asked = json(&cli, &["list"]);
    let moved = std::fs::read_dir(cli.path("mail/new")).unwrap().next().unwrap().unwrap().path();
    std::fs::rename(&moved, cli.path("mail/.later/new").join(moved.file_name().unwrap())).unwrap();
    sync(&cli);
    run(&cli, &["ignore", asked[0]["id"].as_str().unwrap(), "--wait"]).done();
    assert_eq!(file_names(&cli.path("mail/.later/cur")).len(), 1, "it is seen, where it was moved to");
}

fn files(cli: &Cli, folder: &str) -> usize {
    let count = |part: &str| file_names(&cli.path("mail").join(folder).join(part)).len();
    count("cur") + count("new")
}

#[test]
fn mail_is_put_away_by_a_verb_and_comes_back_with_its_card() {
    let cli = configured();
    deliver(&cli, 1, BOB);
    deliver(&cli, 2, BOB);
    sync(&cli);
    let before = open(&cli);
    assert_eq!(before.len(), 2, "{before:?}");
    let (first, second) = (text(&before[0]["id"]), text(&before[1]["thread"]));

    let moved = json(&cli, &["mail", "archive", &first]);
    keys(&moved[0], "thread title done error");
    assert_eq!((&moved[0]["done"], &moved[0]["error"]), (&json!(true), &Value::Null));
    assert_eq!((files(&cli, ""), files(&cli, ".Archive")), (1, 1));
    assert_eq!(open(&cli).len(), 1, "its card went with it");
    let thread = text(&moved[0]["thread"]);
    let again = run(&cli, &["mail", "delete", &thread]);
    assert!(again.code == 1 && again.out.contains("put away already"), "{again:?}");
    let late = run(&cli, &["accept", &first]);
    assert!(late.err.contains("you have archived it"), "{late:?}");
    let threads = json(&cli, &["threads"]);
    let line = threads.as_array().unwrap().iter().find(|line| line["id"] == thread.as_str()).unwrap();
    assert_eq!(line["outcome"], "archived");

    json(&cli, &["mail", "restore", &thread]);
    assert_eq!((files(&cli, ""), files(&cli, ".Archive")), (2, 0));
    json(&cli, &["run"]);
    assert_eq!(open(&cli).len(), 2, "and came back");

    // Several are listed first.
    let listed = run(&cli, &["mail", "delete", &thread, &second]);
    assert!(listed.done().contains("would be deleted") && listed.out.contains("--yes"), "{listed:?}");
    assert_eq!((files(&cli, ""), files(&cli, ".Trash")), (2, 0));
    json(&cli, &["mail", "delete", &thread, &second, "--yes"]);
    assert_eq!((files(&cli, ""), files(&cli, ".Trash")), (0, 2));
    assert!(open(&cli).is_empty());
    run(&cli, &["mail", "restore", "t00000000"]).refused(3, "");
}

#[test]
fn an_interrupt_ends_every_move_that_was_asked_for() {
    let cli = configured();
    deliver(&cli, 1, BOB);
    deliver(&cli, 2, BOB);
    sync(&cli);
    let threads = each(&json(&cli, &["list"]), "thread");
    let moves = || list(&cli, &["threads", "is:engine"]).len();
    let before = moves();
    // While the test is the driver, the first move waits for it.
    let lock = DriverLock::take(&cli.data()).unwrap();
    let deleting = spawn(&cli, &["mail", "delete", &threads[0], &threads[1], "--yes", "--json"]);
    until(|| moves() > before);
    deleting.signal(Signal::INT);
    let moved = read(&deleting.wait(), 1);
    assert!(text(&moved[0]["error"]).contains("interrupted while waiting"), "{moved}");
    assert!(text(&moved[1]["error"]).contains("interrupted before it was begun"), "{moved}");
    assert_eq!(moves(), before + 1);
    drop(lock);
}

#[test]
fn what_cannot_be_put_away_is_named_and_leaves_nothing_behind() {
    let cli = configured();
    let thread = one_mail(&cli);
    let refused = run(&cli, &["mail", "move", &thread, "--to", "Travel"]);
    assert!(refused.code == 1 && refused.out.contains("no folder Travel; there are none"), "{refused:?}");
    assert_eq!(each(&json(&cli, &["list"]), "thread"), [thread.as_str()]);
    // Once the folder is there, the same works.
    cli.maildir("mail/.Travel");
    run(&cli, &["mail", "move", &thread, "--to", "Travel"]).done();
    assert_eq!((files(&cli, ""), files(&cli, ".Travel")), (0, 1));
    // The next mail of the conversation knows what it was about.
    deliver(&cli, 2, &format!("{BOB}In-Reply-To: <1@post.example>\r\n"));
    sync(&cli);
    let next = text(&json(&cli, &["list"])[0]["thread"]);
    let earlier = json(&cli, &["show", &next])["state"]["earlier"].clone();
    assert_eq!(earlier["thread"], thread.as_str());
    assert!(!text(&earlier["summary"]).is_empty(), "{earlier}");
    // An account that only observes keeps its mail where it is.
    configure(&cli, "mode = \"observe\"\n");
    let refused = run(&cli, &["mail", "archive", &next]);
    assert!(refused.code == 1 && refused.out.contains("only observes"), "{refused:?}");
    assert_eq!((files(&cli, ""), files(&cli, ".Archive")), (1, 0));
    assert_eq!(json(&cli, &["list", "--kind", "trouble"]), json!([]));
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
    json(&cli, &["mail", "sync"]);
    let thread = text(&json(&cli, &["list"])[0]["thread"]);
    let files = json(&cli, &["mail", "attachments", &thread]);
    keys(&files[0], "n name kind bytes program from");
    assert_eq!((&files[0]["name"], &files[0]["program"]), (&json!("numbers.csv"), &json!(false)));
    assert_eq!(files[1]["program"], json!(true), "{files}");
    std::fs::create_dir(cli.path("saved")).unwrap();
    let to = cli.path("saved").display().to_string();
    for name in ["numbers.csv", "numbers (2).csv"] {
        let saved = json(&cli, &["mail", "save", &thread, "1", "--to", &to]);
        assert_eq!(text(&saved["path"]), format!("{to}/{name}"));
        assert_eq!(std::fs::read_to_string(format!("{to}/{name}")).unwrap().trim(), "a,b");
    }
    run(&cli, &["mail", "save", &thread, "2", "--to", &to]).refused(1, "--anyway");
    run(&cli, &["mail", "open", &thread, "2"]).refused(1, "can run programs");
    let missing = run(&cli, &["mail", "save", &thread, "7", "--to", &to]);
    assert!(!missing.err.contains("--anyway"), "{missing:?}");
    missing.refused(1, "there is no attachment 7");
    assert_eq!(file_names(&cli.path("saved")).len(), 2);
    let saved = json(&cli, &["mail", "save", &thread, "2", "--to", &to, "--anyway"]);
    assert!(text(&saved["path"]).starts_with(&format!("{to}/")), "{saved}");
}

#[test]
fn doctor_says_whether_and_how_an_account_can_send() {
    let cli = configured();
    let doctor = |more: &str, expected: &[&str]| {
        configure(&cli, more);
        let output = run(&cli, &["doctor"]);
        assert!(expected.iter().all(|part| output.done().contains(part)), "{output:?}");
    };
    doctor(
        "",
        &["warn  mail ", "its mode is \"act\", but nothing can be sent: write how under [mail.outgoing]"],
    );
    doctor("mode = \"observe\"\n", &["ok    mail ", "there is no [mail.outgoing]"]);
    // Any program that is there.
    let program = env!("CARGO_BIN_EXE_sayso");
    let outgoing = format!("[mail.outgoing]\nkind = \"command\"\ncommand = [\"{program}\"]\n");
    doctor(&outgoing, &["a copy goes to", ".Sent"]);
}

/// The program with a second account, and an outbox for each.
fn sending() -> Cli {
    let cli = Cli::new();
    let account = |name: &str| {
        cli.maildir(name);
        cli.maildir(&format!("{name}-out"));
        format!(
            "[[mail]]\nname = \"{name}\"\npath = \"{}\"\naddress = \"ada@{name}.example\"\n[mail.outgoing]\nkind = \"maildir\"\n\
             path = \"{}\"\n",
            cli.path(name).display(),
            cli.path(&format!("{name}-out")).display()
        )
    };
    let user = "[user]\nname = \"Ada\"\naddress = \"ada@home.example\"\nremind_after = \"3d\"\n[approvals]\nhold_seconds = 0\n";
    cli.configure(&format!("{user}{}{}", account("home"), account("work")));
    cli
}

/// The mail in an outbox, and its Message-ID.
fn in_outbox(cli: &Cli, account: &str) -> Vec<(String, String)> {
    let folder = cli.path(&format!("{account}-out/new"));
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let raw = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let id = raw.lines().find_map(|line| line.strip_prefix("Message-ID: ")).unwrap().to_owned();
        (raw, id)
    };
    std::fs::read_dir(folder).unwrap().map(read).collect()
}

#[test]
fn an_answer_to_a_new_mail_joins_its_conversation_whichever_account_sent_it() {
    let cli = sending();
    let letter = ["--to", "zoe@far.example", "--subject", "Lunch", "How about Friday?"];
    let from = ["mail", "compose", "--wait", "--from", "Ada@Work.example"];
    let sent = json(&cli, &[&from[..], &letter[..]].concat());
    assert_eq!((in_outbox(&cli, "home").len(), in_outbox(&cli, "work").len()), (0, 1));
    let (raw, id) = in_outbox(&cli, "work").remove(0);
    assert!(raw.contains("<ada@work.example>"), "{raw}");
    let waiting = json(&cli, &["list", "is:snoozed"]);
    assert_eq!(each(&waiting, "action"), ["remind"]);

    let answer = |n: u32| {
        let raw = format!(
            "From: Zoe <zoe@far.example>\r\nTo: ada@work.example\r\nSubject: Re: Lunch\r\nMessage-ID: <{n}@far.example>\r\n\
             In-Reply-To: {id}\r\n\r\nFriday is fine.\r\n"
        );
        std::fs::write(cli.path("work/new").join(format!("1.{n}.host")), raw).unwrap();
        sync(&cli);
    };
    answer(1);
    assert!(json(&cli, &["list", "is:snoozed"]).as_array().unwrap().is_empty(), "nobody waits any more");
    let item = json(&cli, &["list"]).as_array().unwrap()[0].clone();
    assert_eq!(item["thread"], sent["thread"]);
    let card = run(&cli, &["show", &text(&item["id"])]);
    let at = |words: &str| card.done().rfind(words).unwrap_or_else(|| panic!("{words}: {card:?}"));
    assert!(at("Friday is fine.") < at("How about Friday?"), "the newest first: {card:?}");
    assert!(at("[unread]") < at("Friday is fine."), "{card:?}");
    assert_eq!(card.out.matches("[unread]").count(), 1, "{card:?}");

    // A later mail finds the conversation, too, although its thread has ended.
    run(&cli, &["accept", &text(&item["id"]), "--wait"]).done();
    answer(2);
    let later = json(&cli, &["list"]).as_array().unwrap()[0].clone();
    assert_ne!(later["thread"], sent["thread"]);
    let card = run(&cli, &["show", &text(&later["id"])]);
    assert!(card.done().contains("How about Friday?"), "{card:?}");
    assert_eq!(card.out.matches("[unread]").count(), 1, "what was accepted is read: {card:?}");
    assert_eq!(each(&json(&cli, &["mail"]), "state"), ["thread", "thread"]);

    let unknown = run(&cli, &[&["mail", "compose", "--from", "eve@far.example"], &letter[..]].concat());
    assert!(
        unknown
            .err
            .contains("no account sends from eve@far.example; there are ada@home.example, ada@work.example"),
        "{unknown:?}"
    );
}
