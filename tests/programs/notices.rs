//! Notices by a command, and the line for status bars.

use crate::runner::{Cli, json, run, spawn, until};
use rustix::process::Signal;

#[test]
fn a_command_is_told_of_what_is_new_as_words_that_no_shell_reads() {
    let cli = Cli::new();
    cli.maildir("mail");
    let (mail, log) = (cli.path("mail"), cli.path("told"));
    cli.configure(&format!(
        "[user]\naddress = \"ada@example.org\"\n[[mail]]\nname = \"home\"\npath = \"{}\"\n[notices]\nevery_seconds = 0\n\
         command = [\"/bin/sh\", \"-c\", 'printf \"%s|%s|%s\\n\" \"$1\" \"$SAYSO_NOTICE_KIND\" \"$SAYSO_NOTICE_COUNT\" >> \"$0\"', \"{}\"]\n",
        mail.display(),
        log.display(),
    ));
    let watch = spawn(&cli, &["watch"]);
    until(|| json(&cli, &["activity"])["driver"] == watch.pid());
    let raw = "Message-ID: <1@post.example>\r\nFrom: Bob <bob@b.example>\r\nTo: ada@example.org\r\n\
        Subject: --x $(touch owned) `touch owned`?\r\n\r\nShall we have lunch on Friday?\r\n";
    std::fs::write(mail.join("new").join(format!("{}.1.host", jiff::Timestamp::now().as_second())), raw)
        .unwrap();
    run(&cli, &["mail", "sync"]).done();
    until(|| std::fs::read_to_string(&log).is_ok_and(|log| log.ends_with('\n')));
    let line = std::fs::read_to_string(&log).unwrap();
    assert!(line.starts_with("–-x $(touch owned) `touch owned`?|") && line.ends_with("|1\n"), "{line}");
    assert!(!cli.path("owned").exists());
    watch.signal(Signal::TERM);
    assert_eq!(watch.wait().code, 0);
}

#[test]
fn the_line_for_status_bars_always_comes_and_makes_nothing() {
    let cli = Cli::new();
    let status = || run(&cli, &["activity", "--short"]);
    assert_eq!(status().done(), "0 open\n");
    assert!(!cli.data().join("sayso.db").exists());
    std::fs::write(cli.data().join("sayso.db"), "a diary").unwrap();
    assert_eq!(status().done(), "sayso ?\n");
    cli.configure("[budget\n");
    assert_eq!(status().done(), "sayso ?\n");
}

#[test]
fn wrong_hours_and_kinds_are_refused() {
    let cli = Cli::new();
    for (text, expected) in [
        ("quiet = \"at night\"", "22:00-07:00"),
        ("quiet = \"25:00-07:00\"", "22:00-07:00"),
        ("kinds = [\"mails\"]", "triage, approval, question, trouble"),
    ] {
        cli.configure(&format!("[notices]\n{text}\n"));
        run(&cli, &["config"]).refused(2, expected);
    }
}
