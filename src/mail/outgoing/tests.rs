//! Tests sending with programs and folders that fail in every way.

use super::envelope::{Envelope, without_bcc};
use super::*;
use crate::mail::maildir::{Delivery, DeliveryTarget};
use crate::mail::observing::Observing;
use crate::mail::{Copies, Outgoing, SendError, SentLookup};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const RAW: &[u8] = b"From: Ann <ann@example.org>\r\nTo: bob@example.com, \"C, D\" <c@example.com>\r\n\
    Cc: Bob <BOB@example.com>\r\nBcc: eve@example.net,\r\n fay@example.net\r\nSubject: x\r\n\
    Message-ID: <m1@example.org>\r\n\r\nBcc: stays\r\n.\r\n";

/// A program that acts like sendmail and runs the given commands.
fn sendmail(folder: &Path, does: &str) -> PathBuf {
    let path = folder.join("sendmail");
    let text = format!(
        "for word; do echo \"$word\" >>'{0}/words'; done\ncat >'{0}/mail'\n{does}\n",
        folder.display()
    );
    fs::write(&path, text).unwrap();
    path
}

fn program(folder: &TempDir, does: &str) -> Program {
    let script = sendmail(folder.path(), does);
    let words = ["sh", script.to_str().unwrap(), "-a", "home"].map(str::to_owned);
    Program::new(words.into(), Copies::Folder(folder.path().join("Sent")))
}

fn copies(folder: &Path) -> usize {
    let count = |part: &str| fs::read_dir(folder.join(part)).map_or(0, Iterator::count);
    count("new") + count("cur")
}

#[test]
fn an_envelope_has_everybody_once() {
    let envelope = Envelope::of(RAW).unwrap();
    assert_eq!(envelope.from, "ann@example.org");
    assert_eq!(envelope.to, ["bob@example.com", "c@example.com", "eve@example.net", "fay@example.net"]);
    assert_eq!(envelope.message_id, "m1@example.org");
    let shown = String::from_utf8(without_bcc(RAW)).unwrap();
    assert!(!shown.contains("net") && shown.contains("Bcc: stays"), "{shown}");
    assert_eq!(without_bcc(&without_bcc(RAW)), without_bcc(RAW));
    let folded = b"bcc :\n a@b.c\n\t,d@e.f\nTo: x@y.z\n\nbody";
    assert_eq!(without_bcc(folded), b"To: x@y.z\n\nbody");
    for bad in
        [&b"From: a@b.c\r\n\r\nTo: x@y.z"[..], b"To: x@y.z\r\n\r\n", b"From: a@b.c\r\nTo: x\r\n\r\n", b""]
    {
        assert!(matches!(Envelope::of(bad), Err(SendError::Refused(_))));
    }
}

#[tokio::test]
async fn a_program_gets_the_recipients_and_the_mail_without_bcc() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder, "exit 0");
    assert!(matches!(program.find(RAW).await, SentLookup::Unknown(_)));
    let sent = program.send(RAW).await.unwrap();
    assert_eq!(sent.message_id, "m1@example.org");
    let words = fs::read_to_string(folder.path().join("words")).unwrap();
    let words: Vec<&str> = words.lines().collect();
    assert_eq!(words[..6], ["-a", "home", "-i", "-f", "ann@example.org", "--"]);
    assert_eq!(words[6..], ["bob@example.com", "c@example.com", "eve@example.net", "fay@example.net"]);
    let mail = fs::read_to_string(folder.path().join("mail")).unwrap();
    assert!(mail.ends_with("\n\nBcc: stays\n.\n") && !mail.contains('\r') && !mail.contains("eve"), "{mail}");
    assert_eq!(program.find(RAW).await, SentLookup::Sent(sent.clone()));
    assert_eq!(program.send(RAW).await.unwrap(), sent);
    assert_eq!(copies(&folder.path().join("Sent")), 1, "one copy, however often");
    let copy = fs::metadata(sent.place.unwrap()).unwrap();
    assert_eq!(copy.permissions().mode() & 0o077, 0);
}

#[tokio::test]
async fn a_program_that_hangs_is_stopped_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    // It waits for a pipe that nobody writes to.
    let does = format!("mkfifo '{0}/never'; echo begun >&2; cat '{0}/never'", folder.path().display());
    let program = program(&folder, &does).with_timeout(Duration::from_millis(300));
    let error = program.send(RAW).await.unwrap_err();
    assert!(matches!(error, SendError::Unknown(_)), "{error:?}");
    assert_eq!(copies(&folder.path().join("Sent")), 0);
}

#[tokio::test]
async fn who_keeps_the_complaint_open_does_not_keep_us() {
    let folder = tempfile::tempdir().unwrap();
    let does =
        format!("mkfifo '{0}/never'; (cat '{0}/never') & echo \"$!\" >'{0}/pid'", folder.path().display());
    program(&folder, &does).send(RAW).await.unwrap();
    let pid: i32 = fs::read_to_string(folder.path().join("pid")).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_copy_that_cannot_be_kept_does_not_unsend_the_mail() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Sent"), "a file in the way").unwrap();
    let sent = program(&folder, "exit 0").send(RAW).await.unwrap();
    assert_eq!(sent.place, None);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named_without_its_words() {
    let new = |words: &[&str]| Program::new(words.iter().map(|w| (*w).to_owned()).collect(), Copies::Nowhere);
    let gone = new(&["/no/such/program", "--password=hunter2"]);
    let error = gone.check().await.unwrap_err().to_string();
    assert!(error.contains("no program program") && !error.contains("hunter2"), "{error}");
    let error = gone.send(RAW).await.unwrap_err();
    assert!(matches!(&error, SendError::NotSent(text) if !text.contains("hunter2")), "{error:?}");
    assert!(matches!(gone.find(RAW).await, SentLookup::Unknown(_)));
    assert!(new(&["sh"]).check().await.is_ok());
}

#[tokio::test]
async fn an_outbox_holds_a_mail_once_and_knows_what_it_held() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("outbox");
    let outbox = Outbox::new(path.clone());
    assert_eq!(outbox.find(RAW).await, SentLookup::NotSent, "there is not even a folder");
    outbox.check().await.unwrap();
    assert!(!path.exists(), "looking makes nothing");
    assert_eq!(outbox.find(RAW).await, SentLookup::NotSent);
    let sent = outbox.send(RAW).await.unwrap();
    assert_eq!(outbox.send(RAW).await.unwrap(), sent);
    assert_eq!(copies(&path), 1);
    let place = PathBuf::from(sent.place.clone().unwrap());
    let text = fs::read_to_string(&place).unwrap();
    assert!(text.contains("Bcc: eve@example.net"), "whoever sends has to know");
    assert_eq!(outbox.find(RAW).await, SentLookup::Sent(sent));
    let moved = path.join("cur").join(format!("{}:2,S", place.file_name().unwrap().to_str().unwrap()));
    fs::rename(&place, &moved).unwrap();
    outbox.send(RAW).await.unwrap();
    assert_eq!(copies(&path), 1, "moved to cur it is still there");
    fs::remove_file(&moved).unwrap();
    assert!(matches!(outbox.find(RAW).await, SentLookup::Unknown(_)), "somebody took it");
    let begun = Delivery::begin(&path, RAW, DeliveryTarget::New).unwrap();
    assert_eq!(outbox.find(RAW).await, SentLookup::NotSent, "what waits in tmp has not left");
    begun.finish().unwrap();
    assert!(matches!(outbox.find(RAW).await, SentLookup::Sent(_)));
}

#[tokio::test]
async fn who_observes_sends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let inner: std::sync::Arc<dyn Outgoing> = std::sync::Arc::new(Outbox::new(folder.path().join("outbox")));
    let observing = Observing { account: "home".to_owned(), inner };
    assert!(matches!(observing.send(RAW).await, Err(SendError::Refused(_))));
    assert_eq!(observing.find(RAW).await, SentLookup::NotSent);
}
