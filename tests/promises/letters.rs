//! D02 with mail that a person begins: the program dies while it is held, and it is sent once all the same.

use crate::program::Program;
use crate::report;
use serde_json::Value;
use std::os::unix::fs::DirBuilderExt;
use std::process::{Child, Command, Stdio};

/// Long enough for the program to die meanwhile.
const HOLD_SECONDS: u32 = 5;

fn program() -> Program {
    let program = Program::new();
    for folder in ["mail", "sent"] {
        for part in ["", "cur", "new", "tmp"] {
            let path = program.path(folder).join(part);
            std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path).unwrap();
        }
    }
    let (mail, sent) = (program.path("mail"), program.path("sent"));
    program.configure(&format!(
        "[user]\nname = \"Ada\"\naddress = \"ada@example.org\"\n\n[model]\nprovider = \"builtin\"\n\n\
         [[mail]]\nname = \"home\"\nkind = \"maildir\"\npath = {mail:?}\naddress = \"ada@example.org\"\nmode = \"act\"\n\n\
         [mail.outgoing]\nkind = \"maildir\"\npath = {sent:?}\n\n[approvals]\nhold_seconds = {HOLD_SECONDS}\n"
    ));
    program
}

fn json(program: &Program, args: &[&str]) -> Value {
    let (out, err) = program.run(args);
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{args:?}: {e}: {out}{err}"))
}

fn sent(program: &Program) -> Vec<String> {
    let folders = ["cur", "new"].map(|part| program.path("sent").join(part));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
}

fn running(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the thread has this status.
fn comes_to(program: &Program, thread: &str, status: &str) {
    while json(program, &["show", thread, "--json"])["status"] != status {
        std::thread::yield_now();
    }
}

#[test]
fn d02_a_composed_mail_is_sent_once_though_the_program_dies_while_it_is_held() {
    let program = program();
    std::fs::write(program.path("plan.txt"), "Twelve bikes.\n").unwrap();
    let args = ["mail", "compose", "--to", "ines@example.org", "--cc", "Sam <sam@example.org>"];
    let more = ["--subject", "Lunch", "--attach", "plan.txt", "How about Friday?", "--json"];
    let started = json(&program, &[&args[..], &more].concat());
    let thread = started["thread"].as_str().unwrap();
    for _ in 0..2 {
        let mut driver = running(program.command(&["run"]));
        comes_to(&program, thread, "held");
        driver.kill().unwrap();
        driver.wait().unwrap();
        assert_eq!(sent(&program), Vec::<String>::new(), "it was held");
    }
    let held = json(&program, &["show", thread, "--json"]);
    assert_eq!(held["decisions"][0]["by"], "grant:builtin:own_mail", "nobody was asked: {held}");
    for _ in 0..2 {
        program.run(&["run"]);
    }
    assert_eq!(json(&program, &["show", thread, "--json"])["status"], "done");
    let sent = sent(&program);
    assert_eq!(sent.len(), 1, "{sent:?}");
    for part in [
        "To: <ines@example.org>",
        "Cc: \"Sam\" <sam@example.org>",
        "Subject: Lunch",
        "How about Friday?",
        "plan.txt",
    ] {
        assert!(sent[0].contains(part), "{part}: {}", sent[0]);
    }
    report("D02", "SIGKILL while a composed mail is held", 2);
}
