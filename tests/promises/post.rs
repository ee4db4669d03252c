//! D02 and M02: mail sent while the process dies around it, and by programs that fail in every way.
//!
//! The courier sends its parcels by mail. What counts is what arrives: the mails in the outbox, or the lines a stand-in
//! for sendmail writes.

use crate::child::{deaths, errand, has_strace, traced};
use crate::home::Home;
use crate::kills::dies_and_recovers;
use crate::support::TestInbox;
use crate::support::delivery::DeliveryLog;
use crate::{report, side_by_side, skipped};
use sayso::engine::graph::Decision;
use sayso::inbox::Status;
use sayso::mail::outgoing::{Outbox, Program};
use sayso::mail::{Copies, Outgoing, SendError, SentLookup};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Reads the mail and writes its last line into the ledger; told to, it kills who called it, once.
const SENDMAIL: &str = r#"
home=$1
last=$(tail -n 1)
if [ "$SAYSO_SENDMAIL" = before ] && mkdir "$home/died"; then kill -9 $PPID; exit 1; fi
printf '%s\n' "$last" >>"$home/street"
if [ "$SAYSO_SENDMAIL" = after ] && mkdir "$home/died"; then kill -9 $PPID; fi
exit 0
"#;

/// The delivery_log of a home, with the way out that `SAYSO_POST` names.
pub fn delivery_log(home: &Path) -> Arc<DeliveryLog> {
    let ledger = home.join("street");
    let outgoing: Arc<dyn Outgoing> = match std::env::var("SAYSO_POST").as_deref() {
        Ok("outbox") => Arc::new(Outbox::new(DeliveryLog::outbox(&ledger))),
        Ok("program") => Arc::new(Program::new(sendmail(home), Copies::Nowhere)),
        Ok("program and copy") => Arc::new(Program::new(sendmail(home), Copies::Folder(home.join("Sent")))),
        _ => return DeliveryLog::new(ledger),
    };
    DeliveryLog::by_mail(ledger, outgoing)
}

fn sendmail(home: &Path) -> Vec<String> {
    let script = home.join("sendmail");
    std::fs::write(&script, SENDMAIL).unwrap();
    ["sh", script.to_str().unwrap(), home.to_str().unwrap()].map(str::to_owned).into()
}

/// Dies, and another process finishes with the same way out. The end of the story is that each mail arrived once.
fn once(home: &Home, what: &str, post: &str, mut doomed: std::process::Command) -> bool {
    doomed.env("SAYSO_POST", post);
    let died = dies_and_recovers(home, what, &[("SAYSO_POST", post)], doomed);
    if post == "program and copy" {
        let copies = std::fs::read_dir(home.folder.path().join("Sent/cur")).map_or(0, Iterator::count);
        // A mail whose copy the crash prevented is settled by a person, who keeps none.
        assert!(copies <= 2, "{what}: {copies} copies");
    }
    died
}

#[test]
fn d02_killed_at_each_phase_of_a_send() {
    let points = [
        "before_intent",
        "after_intent",
        "before_delivery",
        "after_delivery",
        "before_outcome",
        "after_outcome",
    ];
    let mut trials = Vec::new();
    for post in ["outbox", "program", "program and copy"] {
        for point in points {
            trials.extend([1, 2].map(|count| (post, "SAYSO_FAIL_POINT", format!("{point}:{count}"))));
        }
    }
    for post in ["program", "program and copy"] {
        trials.extend(["before", "after"].map(|moment| (post, "SAYSO_SENDMAIL", moment.to_owned())));
    }
    side_by_side(&trials, |(post, name, value)| {
        let (home, what) = (Home::new(), format!("{post}, {name}={value}"));
        let mut doomed = errand(&home, "life");
        doomed.env(name, value);
        assert!(once(&home, &what, post, doomed), "{what}: it was to die");
    });
    report("D02", "SIGKILL around a send, at each phase", trials.len());
}

#[test]
fn d02_killed_at_each_step_of_a_delivery() {
    if !has_strace() {
        return skipped("D02", "no strace, so no SIGKILL inside a delivery");
    }
    let trials = ["rename,renameat,renameat2", "mkdir,mkdirat", "fsync"].map(|calls| {
        deaths(|n| {
            let home = Home::new();
            let doomed = traced(&home, "life", &format!("{calls}:signal=SIGKILL:when={n}"));
            once(&home, &format!("{calls} {n}"), "outbox", doomed)
        })
    });
    let trials = trials.into_iter().sum();
    assert!(trials > 7, "a delivery has more than {trials} steps");
    report("D02", "SIGKILL at each rename, mkdir and fsync of an outbox", trials);
}

/// What a mail becomes when the program ends like this.
async fn sent_by(folder: &Path, does: &str) -> Result<(), SendError> {
    let script = folder.join("fails");
    std::fs::write(&script, format!("cat >/dev/null\n{does}\n")).unwrap();
    let words = ["sh", script.to_str().unwrap()].map(str::to_owned);
    let program = Program::new(words.into(), Copies::Folder(folder.join("Sent")));
    let raw = b"From: a@example.org\r\nTo: b@example.org\r\nMessage-ID: <m@example.org>\r\n\r\nx\r\n";
    let sent = program.send(raw).await.map(|_| ());
    let kept = matches!(program.find(raw).await, SentLookup::Sent(_));
    assert_eq!(kept, sent.is_ok(), "{does}: a copy is kept of what was sent, and of nothing else");
    let _ = std::fs::remove_dir_all(folder.join("Sent"));
    sent
}

#[tokio::test]
async fn m02_each_way_a_program_can_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut trials = 0;
    for code in 0..=255u8 {
        let does = format!("printf 'no \\033[31mway\\nout ' >&2; exit {code}");
        let ended = sent_by(folder.path(), &does).await;
        let right = match code {
            0 => ended.is_ok(),
            71 | 75 | 126 | 127 => matches!(&ended, Err(SendError::NotSent(_))),
            64..=69 | 72 | 73 | 77 | 78 => matches!(&ended, Err(SendError::Refused(_))),
            _ => matches!(&ended, Err(SendError::Unknown(_))),
        };
        assert!(right, "{code}: {ended:?}");
        if let Err(error) = ended {
            let text = error.to_string();
            assert!(text.contains("way out") && !text.contains(['\u{1b}', '\n']), "{text:?}");
        }
        trials += 1;
    }
    for signal in ["KILL", "TERM", "SEGV"] {
        let ended = sent_by(folder.path(), &format!("kill -{signal} $$")).await;
        assert!(matches!(ended, Err(SendError::Unknown(_))), "{signal}: {ended:?}");
        trials += 1;
    }
    report("M02", "a sending program ended by each code and signal", trials);
}

#[tokio::test]
async fn m02_a_retry_is_the_same_mail_and_a_refusal_asks() {
    let mut trials = 0;
    for (codes, status, tries) in [("75 75 0", Status::Done, 3), ("65 0", Status::Trouble, 1)] {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        let script = folder.join("sendmail");
        let text = r#"
            cd "$1"
            n=$(ls | grep -c '^try')
            cat >"try$n"
            set -- CODES
            shift "$n"
            exit "$1"
        "#;
        std::fs::write(&script, text.replace("CODES", codes)).unwrap();
        let words = ["sh", script.to_str().unwrap(), folder.to_str().unwrap()].map(str::to_owned);
        let delivery_log =
            DeliveryLog::by_mail(folder.join("mail"), Arc::new(Program::new(words.into(), Copies::Nowhere)));
        let inbox = TestInbox::builder().in_folder(folder).delivery_log(delivery_log).open();
        let thread = inbox.run("courier", json!({"parcels": ["book"]})).await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, status, "{codes}");
        let all: Vec<_> =
            (0..tries).map(|n| std::fs::read(folder.join(format!("try{n}"))).unwrap()).collect();
        assert!(!folder.join(format!("try{tries}")).exists(), "{codes}: no more tries than that");
        assert!(all.iter().all(|one| *one == all[0]), "{codes}: the same bytes each time");
        assert!(String::from_utf8_lossy(&all[0]).contains("\nMessage-ID: <"), "{codes}");
        trials += tries;
    }
    report("M02", "a retried mail is the same, a refused one is not retried", trials);
}
