//! Tests the Maildir with real files, and with other clients changing it.

use super::*;
use crate::config::MailSource;
use crate::mail::{FetchedMail, open_mailbox};
use std::fs;
use tempfile::TempDir;

struct TestMaildir {
    folder: TempDir,
    config: config::Mail,
}

impl TestMaildir {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Mail");
        let source = MailSource::Maildir { path, folders: vec!["Work".to_owned()], drafts: None, sent: None };
        let config = config::Mail {
            name: "home".to_owned(),
            source,
            address: "ann@example.org".to_owned(),
            aliases: Vec::new(),
            mode: MailMode::Act,
            model: None,
            handled_done: AfterHandling::Seen,
            handled_ignored: AfterHandling::None,
            outgoing: None,
        };
        let this = Self { folder, config };
        for name in ["", ".Work", ".Archive"] {
            Folder::new("", this.path(name)).create().unwrap();
        }
        this
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join("Mail").join(inside)
    }

    fn put(&self, inside: &str, text: &str) {
        fs::write(self.path(inside), text).unwrap();
        self.date(inside);
    }

    fn date(&self, inside: &str) {
        // The disk's clock may be too coarse, so the order is by name here.
        let when = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        fs::File::open(self.path(inside)).unwrap().set_modified(when).unwrap();
    }

    fn open(&self) -> Arc<dyn Mailbox> {
        open_mailbox(&self.config)
    }

    async fn fetch(&self, since: Option<&Cursor>) -> (Vec<FetchedMail>, Cursor) {
        let fetched = self.open().fetch(since, 1000).await.unwrap();
        (fetched.mails, fetched.cursor.unwrap())
    }

    fn files(&self, inside: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(inside)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn places(mails: &[FetchedMail]) -> Vec<&str> {
    mails.iter().map(|mail| mail.place.as_str()).collect()
}

#[tokio::test]
async fn mails_are_fetched_once_wherever_they_lie() {
    let mailbox = TestMaildir::new();
    mailbox.put("new/1.host", "one");
    mailbox.put("cur/2.host:2,RS", "two");
    mailbox.put(".Work/new/3.host", "three");
    mailbox.put("tmp/4.host", "unfinished");
    mailbox.put("cur/5.host:2,ST", "thrown away");
    mailbox.put("cur/6.host:2,D", "a draft");
    mailbox.put("new/.hidden", "no mail");
    fs::create_dir(mailbox.path("cur/folder")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", mailbox.path("new/7.host")).unwrap();
    let pipe = mailbox.path("new/8.host");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let (mails, cursor) = mailbox.fetch(None).await;
    assert_eq!(places(&mails), ["INBOX/1.host", "INBOX/2.host", "Work/3.host"]);
    assert_eq!(mails[0].raw, b"one");
    assert_eq!((mails[0].seen, mails[0].answered), (false, false));
    assert_eq!((mails[1].seen, mails[1].answered), (true, true));
    assert_eq!(mails[0].arrived, Timestamp::from_second(1_700_000_000).unwrap());

    fs::rename(mailbox.path("new/1.host"), mailbox.path("cur/1.host,U=7:2,F")).unwrap();
    mailbox.put("new/0.host", "older by name, and new all the same");
    let (mails, cursor) = mailbox.fetch(Some(&cursor)).await;
    assert_eq!(places(&mails), ["INBOX/0.host"]);
    fs::rename(mailbox.path("cur/2.host:2,RS"), mailbox.path("moved")).unwrap();
    let (mails, cursor) = mailbox.fetch(Some(&cursor)).await;
    assert!(mails.is_empty());
    fs::rename(mailbox.path("moved"), mailbox.path("new/2.host")).unwrap();
    assert!(mailbox.fetch(Some(&cursor)).await.0.is_empty(), "moved away and back is not new");
}

#[tokio::test]
async fn a_limit_leaves_the_rest_for_the_next_time() {
    let mailbox = TestMaildir::new();
    (0..25).for_each(|n| mailbox.put(&format!("new/{n:02}.host"), "x"));
    let (mut since, mut got, mut left) = (None, Vec::new(), Vec::new());
    for _ in 0..4 {
        let fetched = mailbox.open().fetch(since.as_ref(), 10).await.unwrap();
        got.extend(fetched.mails.into_iter().map(|mail| mail.place));
        left.push(fetched.remaining);
        since = fetched.cursor;
    }
    assert_eq!(left, [15, 5, 0, 0]);
    assert_eq!(got, (0..25).map(|n| format!("INBOX/{n:02}.host")).collect::<Vec<_>>());
    let from = |second| Timestamp::from_second(second).unwrap();
    for (second, expected) in [(1_700_000_001, 0), (1_700_000_000, 25)] {
        let start = mailbox.open().start(from(second)).await.unwrap().unwrap();
        assert_eq!(mailbox.fetch(Some(&start)).await.0.len(), expected);
    }
    let broken = mailbox.open().fetch(Some(&Cursor("nonsense".to_owned())), 1).await;
    assert!(matches!(broken, Err(MailError::Permanent(_))));
}

#[tokio::test]
async fn what_happens_to_mails_between_two_pages_counts() {
    let mailbox = TestMaildir::new();
    (0..6).for_each(|n| mailbox.put(&format!("new/{n}.host"), "x"));
    let maildir = mailbox.open();
    let first = maildir.fetch(None, 2).await.unwrap();
    assert_eq!(places(&first.mails), ["INBOX/0.host", "INBOX/1.host"]);
    fs::remove_file(mailbox.path("new/2.host")).unwrap();
    fs::rename(mailbox.path("new/3.host"), mailbox.path("cur/3.host:2,S")).unwrap();
    fs::rename(mailbox.path("new/4.host"), mailbox.path("cur/4.host:2,ST")).unwrap();
    mailbox.put("new/6.host", "came later");
    let two = maildir.fetch(first.cursor.as_ref(), 2).await.unwrap();
    assert_eq!((places(&two.mails), two.remaining), (vec!["INBOX/3.host", "INBOX/5.host"], 1));
    let second = maildir.fetch(first.cursor.as_ref(), 10).await.unwrap();
    assert_eq!(places(&second.mails), ["INBOX/3.host", "INBOX/5.host", "INBOX/6.host"]);
    assert!(second.mails[0].seen);
    assert!(maildir.fetch(second.cursor.as_ref(), 10).await.unwrap().mails.is_empty());
    // A page that was not kept is fetched again.
    let again = maildir.fetch(first.cursor.as_ref(), 10).await.unwrap();
    assert_eq!(places(&again.mails), ["INBOX/3.host", "INBOX/5.host", "INBOX/6.host"]);
}

#[tokio::test]
async fn a_file_too_large_for_memory_is_read_in_part() {
    let mailbox = TestMaildir::new();
    mailbox.put("new/1.host", "Subject: huge\n\n");
    let file = fs::OpenOptions::new().write(true).open(mailbox.path("new/1.host")).unwrap();
    file.set_len(5 << 30).unwrap();
    mailbox.date("new/1.host");
    mailbox.put("new/2.host", "small");
    let fetched = mailbox.open().fetch(None, 10).await.unwrap();
    assert_eq!(fetched.mails[0].raw.len(), (64 << 20) + 1);
    assert_eq!((fetched.mails.len(), fetched.remaining), (1, 1), "the rest is for the next time");
}

#[tokio::test]
async fn standing_is_told_by_flags() {
    let mailbox = TestMaildir::new();
    mailbox.put("new/1.host", "x");
    mailbox.put("cur/2.host:2,RS", "x");
    mailbox.put("cur/3.host:2,T", "x");
    let asked: Vec<String> =
        ["INBOX/2.host", "INBOX/1.host", "INBOX/3.host", "Work/1.host", "Other/1.host", "odd"]
            .map(str::to_owned)
            .into();
    let present = |seen, answered| MailPresence::There { seen, answered };
    let presence = mailbox.open().presence(&asked).await.unwrap();
    assert_eq!(presence[..2], [present(true, true), present(false, false)]);
    assert_eq!(presence[2..4], [MailPresence::Gone; 2]);
    assert_eq!(presence[4..], [MailPresence::Unknown; 2], "what is not read says nothing about its mail");
}

#[test]
fn a_mail_is_found_by_its_key_whatever_its_file_is_called() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mailbox = TestMaildir::new();
    let plain = ["new/1.host", "cur/2.host:2,S", "cur/3.host", "cur/4.host:2,DPST", "cur/5.host,U=7:2,"];
    let odd = ["cur/6.host!2,S", "cur/7%FF:2,S"];
    plain.iter().chain(&odd).for_each(|file| mailbox.put(file, "Subject: x"));
    fs::write(mailbox.path("cur").join(OsStr::from_bytes(b"7\xFF:2,S")), "Subject: another").unwrap();
    fs::create_dir(mailbox.path("cur/8.host:2,S")).unwrap();
    let folder = Folder::new("", mailbox.path(""));
    let listed = folder.list().unwrap();
    assert_eq!(listed.len(), 8, "{listed:?}");
    for (key, entry) in listed {
        assert_eq!(folder.find(&key).unwrap().unwrap().path(), entry.path(), "{key}");
    }
    assert!(folder.find("8.host").unwrap().is_none());
    assert!(folder.find("9.host").unwrap().is_none());
}

#[tokio::test]
async fn marking_does_as_the_config_says() {
    let mut mailbox = TestMaildir::new();
    // A synchroniser gave it a number, which is valid in its folder only.
    mailbox.put("new/1.host,U=7", "x");
    mailbox.put("cur/2.host:2,Fa", "x");
    mailbox.open().mark("INBOX/1.host", Handled::Ignored).await.unwrap();
    assert_eq!(mailbox.files("new"), ["1.host,U=7"], "nothing is to be done with what was ignored");
    mailbox.config.mode = MailMode::Observe;
    let observing = mailbox.open();
    observing.mark("INBOX/1.host", Handled::Done).await.unwrap();
    observing.save_draft(b"Message-ID: <d@x>\n\nx\n").await.unwrap_err();
    assert_eq!(mailbox.files("new"), ["1.host,U=7"], "who observes touches nothing");
    mailbox.config.mode = MailMode::Act;
    mailbox.open().mark("INBOX/1.host", Handled::Done).await.unwrap();
    mailbox.open().mark("INBOX/2.host", Handled::Answered).await.unwrap();
    mailbox.open().mark("INBOX/gone.host", Handled::Done).await.unwrap();
    assert_eq!(mailbox.files("cur"), ["1.host,U=7:2,S", "2.host:2,FRSa"]);

    mailbox.config.handled_ignored = AfterHandling::Folder("Archive".to_owned());
    mailbox.open().mark("INBOX/1.host", Handled::Ignored).await.unwrap();
    assert_eq!(mailbox.files(".Archive/cur"), ["1.host:2,S"]);
    mailbox.config.handled_ignored = AfterHandling::Folder("Nowhere".to_owned());
    let error = mailbox.open().mark("INBOX/2.host", Handled::Ignored).await.unwrap_err().to_string();
    assert!(error.contains(".Nowhere") && error.contains("check the path"), "{error}");
    assert!(mailbox.open().check().await.is_err());
    assert_eq!(mailbox.files("cur"), ["2.host:2,FRSa"]);
}

#[tokio::test]
async fn a_label_is_a_letter_that_dovecot_knows() {
    let mut mailbox = TestMaildir::new();
    fs::write(mailbox.path("dovecot-keywords"), "0 $Forwarded\n2 Other\n").unwrap();
    mailbox.put("new/1.host", "x");
    mailbox.put("cur/2.host:2,S", "x");
    mailbox.config.handled_done = AfterHandling::Label("handled".to_owned());
    mailbox.open().mark("INBOX/1.host", Handled::Done).await.unwrap();
    mailbox.open().mark("INBOX/2.host", Handled::Answered).await.unwrap();
    assert_eq!(mailbox.files("cur"), ["1.host:2,b", "2.host:2,RSb"]);
    let keywords = fs::read_to_string(mailbox.path("dovecot-keywords")).unwrap();
    assert_eq!(keywords, "0 $Forwarded\n1 handled\n2 Other\n");
    mailbox.config.handled_done = AfterHandling::Label("new".to_owned());
    fs::write(mailbox.path("dovecot-keywords.lock"), "").unwrap();
    let busy = mailbox.open().mark("INBOX/1.host", Handled::Done).await;
    assert!(matches!(busy, Err(MailError::Temporary(_))), "{busy:?}");
    fs::remove_file(mailbox.path("dovecot-keywords.lock")).unwrap();
    let all: String = (0..26).map(|n| format!("{n} label{n}\n")).collect();
    fs::write(mailbox.path("dovecot-keywords"), all).unwrap();
    assert!(mailbox.open().mark("INBOX/1.host", Handled::Done).await.is_err());
    assert!(!mailbox.path("dovecot-keywords.lock").exists());
    assert_eq!(mailbox.files("cur"), ["1.host:2,b", "2.host:2,RSb"]);
}

#[tokio::test]
async fn a_draft_is_kept_once() {
    let mailbox = TestMaildir::new();
    let raw = b"Message-ID: <d1@example.org>\r\nSubject: x\r\n\r\ntext\r\n";
    mailbox.open().save_draft(raw).await.unwrap();
    mailbox.open().save_draft(raw).await.unwrap();
    let files = mailbox.files(".Drafts/cur");
    assert_eq!(files.len(), 1);
    assert!(files[0].ends_with(":2,DS"));
    let draft = fs::read(mailbox.path(".Drafts/cur").join(&files[0])).unwrap();
    assert_eq!(draft, b"Message-ID: <d1@example.org>\nSubject: x\n\ntext\n");
    // The user's own client has rewritten it meanwhile.
    fs::rename(mailbox.path(".Drafts/cur").join(&files[0]), mailbox.path(".Drafts/cur/99.host:2,D")).unwrap();
    mailbox.open().save_draft(raw).await.unwrap();
    assert_eq!(mailbox.files(".Drafts/cur"), ["99.host:2,D"]);
    assert_eq!(mailbox.files(".Drafts/tmp"), Vec::<String>::new());
    mailbox.open().save_draft(b"Message-ID: <d2@example.org>\r\n\r\nother").await.unwrap();
    assert_eq!(mailbox.files(".Drafts/cur").len(), 2);
}

#[tokio::test]
async fn an_answer_in_sent_counts() {
    let mailbox = TestMaildir::new();
    let maildir = mailbox.open();
    assert!(!maildir.answered_elsewhere(&["a@x".to_owned()]).await.unwrap()[0], "no Sent, no answer");
    Folder::new("", mailbox.path(".Sent")).create().unwrap();
    mailbox.put(".Sent/cur/1.host:2,S", "In-Reply-To: <a@x>\nReferences: <root@x> <a@x>\n\nbody");
    assert!(maildir.answered_elsewhere(&["a@x".to_owned()]).await.unwrap()[0]);
    assert!(
        !maildir.answered_elsewhere(&["root@x".to_owned()]).await.unwrap()[0],
        "another mail was answered"
    );
    mailbox.put(".Sent/new/2.host", "References: <root@x>\n\nIn-Reply-To: <fake@x>");
    assert!(maildir.answered_elsewhere(&["root@x".to_owned()]).await.unwrap()[0]);
    assert!(!maildir.answered_elsewhere(&["fake@x".to_owned()]).await.unwrap()[0]);
    fs::remove_file(mailbox.path(".Sent/cur/1.host:2,S")).unwrap();
    assert!(!maildir.answered_elsewhere(&["a@x".to_owned()]).await.unwrap()[0]);
}

#[tokio::test]
async fn what_the_person_sent_lies_in_sent() {
    let mailbox = TestMaildir::new();
    let maildir = mailbox.open();
    let sent = async || maildir.is_sent("a@x").await.unwrap();
    assert!(!sent().await, "no Sent, nothing sent");
    Folder::new("", mailbox.path(".Sent")).create().unwrap();
    mailbox.put("cur/1.host:2,S", "Message-ID: <a@x>\n\nbody");
    mailbox.put(".Sent/cur/2.host:2,S", "Message-ID: <b@x>\nIn-Reply-To: <a@x>\n\nMessage-ID: <a@x>");
    assert!(!sent().await, "only in the inbox, and as what another answers");
    mailbox.put(".Sent/cur/3.host:2,S", "Message-ID: <a@x>\n\nbody");
    assert!(sent().await);
}

#[tokio::test]
async fn changes_are_noticed_also_those_between_two_looks() {
    let mailbox = TestMaildir::new();
    let maildir = mailbox.open();
    maildir.changed().await;
    let quiet = std::future::poll_fn(|context| {
        let waits = std::pin::pin!(maildir.changed()).poll(context).is_pending();
        std::task::Poll::Ready(waits)
    });
    assert!(quiet.await, "nothing has happened");
    mailbox.put("new/1.host", "x");
    maildir.changed().await;
    fs::rename(mailbox.path("new/1.host"), mailbox.path("cur/1.host:2,S")).unwrap();
    maildir.changed().await;
    tokio::join!(maildir.changed(), async { mailbox.put(".Work/new/2.host", "x") });
}

#[tokio::test]
async fn what_is_wrong_is_said() {
    let mailbox = TestMaildir::new();
    assert_eq!(mailbox.open().check().await.unwrap(), "0 mails in its folders");
    fs::remove_dir_all(mailbox.path(".Work")).unwrap();
    let error = mailbox.open().check().await.unwrap_err().to_string();
    assert!(error.starts_with("there is no ") && error.ends_with("check the path in the config"), "{error}");
}

#[tokio::test]
async fn a_folder_that_is_named_twice_is_read_once() {
    let mut mailbox = TestMaildir::new();
    mailbox.put(".Work/new/1.host", "x");
    let MailSource::Maildir { folders, .. } = &mut mailbox.config.source else { panic!() };
    folders.push("Work".to_owned());
    assert_eq!(places(&mailbox.fetch(None).await.0), ["Work/1.host"]);
}

#[tokio::test]
async fn who_lies_in_the_mailbox_is_known() {
    let mailbox = TestMaildir::new();
    Folder::new("", mailbox.path(".Sent")).create().unwrap();
    mailbox
        .put("cur/100.old:2,S", "From: Old Friend <Friend@Old.example>\r\nTo: ann@example.org\r\n\r\nhi\r\n");
    let sent = "From: ann@example.org\r\nTo: a@x.example, B <b@x.example>\r\nCc: c@x.example\r\n\r\nwell\r\n";
    mailbox.put(".Sent/cur/100.sent:2,S", sent);
    let people = mailbox.open().people(Timestamp::MAX).await.unwrap();
    assert_eq!(people.heard_from, ["friend@old.example"]);
    assert_eq!(people.wrote_to, ["a@x.example", "b@x.example", "c@x.example"]);
    // A mail not taken in yet makes nobody known.
    let people = mailbox.open().people(Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!((people.heard_from.len(), people.wrote_to.len()), (0, 3));
}

#[tokio::test]
async fn mail_is_put_away_once_and_comes_back() {
    let mailbox = TestMaildir::new();
    let cases = [
        (Destination::Archive, ".Archive"),
        (Destination::Trash, ".Trash"),
        (Destination::Spam, ".Junk"),
        (Destination::Folder("Work".into()), ".Work"),
    ];
    for (n, (to, folder)) in cases.into_iter().enumerate() {
        // A synchroniser gave it a number, which is valid in its folder only.
        mailbox.put(&format!("cur/{n}.host,U=7:2,FS"), "one");
        let place = format!("INBOX/{n}.host");
        let undo = mailbox.open().put_away(&place, &to).await.unwrap();
        assert_eq!(mailbox.open().put_away(&place, &to).await.unwrap(), undo, "once more is once");
        assert_eq!(mailbox.files(&format!("{folder}/cur")), [format!("{n}.host:2,FS")], "{to:?}");
        let presence = mailbox.open().presence(std::slice::from_ref(&place)).await.unwrap();
        assert_eq!(presence, [MailPresence::Gone]);
        for _ in 0..2 {
            mailbox.open().put_back(&undo).await.unwrap();
        }
        assert_eq!(mailbox.files("cur"), [format!("{n}.host:2,FS")], "{to:?}");
        assert!(mailbox.files(&format!("{folder}/cur")).is_empty());
        fs::remove_file(mailbox.path(&format!("cur/{n}.host:2,FS"))).unwrap();
        // Once the trash is emptied there is no way back.
        assert!(
            mailbox.open().put_back(&undo).await.unwrap_err().to_string().contains("no longer where it was")
        );
        assert!(mailbox.open().put_away(&place, &to).await.is_err());
    }
}

#[tokio::test]
async fn mail_goes_to_no_folder_that_is_not_there_or_lies_elsewhere() {
    let mailbox = TestMaildir::new();
    mailbox.put("new/1.host", "one");
    for name in ["Nowhere", "../../elsewhere", "", "Work/../.."] {
        let to = Destination::Folder(name.to_owned());
        let refused = mailbox.open().put_away("INBOX/1.host", &to).await.unwrap_err().to_string();
        assert!(refused.contains("there is no folder"), "{name}: {refused}");
        assert!(refused.ends_with("; there are Archive, Work"), "{name}: {refused}");
    }
    assert_eq!(mailbox.files("new"), ["1.host"]);
    assert_eq!(mailbox.open().folders().await.unwrap(), ["Archive", "Work"]);
    fs::create_dir_all(mailbox.path("Archive/2026/cur")).unwrap();
    assert_eq!(mailbox.open().folders().await.unwrap(), ["Archive", "Archive/2026", "Work"]);
    let to = Destination::Folder("Archive/2026".to_owned());
    mailbox.open().put_away("INBOX/1.host", &to).await.unwrap();
}

#[tokio::test]
async fn folders_lie_beside_the_main_one_where_sent_does() {
    let mut mailbox = TestMaildir::new();
    for name in ["Sent", "Lists", "Lists/2026", "trash", "office/inbox"] {
        Folder::new("", mailbox.folder.path().join(name)).create().unwrap();
    }
    let MailSource::Maildir { sent, .. } = &mut mailbox.config.source else { panic!() };
    *sent = Some(mailbox.folder.path().join("Sent"));
    let names = ["Archive", "Lists", "Lists/2026", "Sent", "Work", "trash"];
    assert_eq!(mailbox.open().folders().await.unwrap(), names);
    let destinations = [
        (Destination::Folder("Lists/2026".into()), "../Lists/2026"),
        (Destination::Archive, ".Archive"),
        (Destination::Trash, "../trash"),
        (Destination::Spam, "../Junk"),
    ];
    for (n, (to, folder)) in destinations.into_iter().enumerate() {
        mailbox.put(&format!("new/{n}.host"), "one");
        mailbox.open().put_away(&format!("INBOX/{n}.host"), &to).await.unwrap();
        assert_eq!(mailbox.files(&format!("{folder}/cur")).len(), 1, "{to:?}");
    }
    mailbox.open().save_draft(b"Message-ID: <d@x>\n\nx\n").await.unwrap();
    assert_eq!(mailbox.files("../Drafts/cur").len(), 1);
}
