//! D04–D06: disks that fail, fill up, or cannot be written.

use crate::child::{errand, has_strace, run, traced};
use crate::home::Home;
use crate::support::TestInbox;
use crate::support::test_inbox::eager;
use crate::{report, skipped};
use sayso::app::{Driver, Scope, Until};
use sayso::engine::graph::Decision;
use sayso::engine::store::Mode;
use sayso::inbox::Status;
use serde_json::json;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

#[tokio::test]
async fn d04_a_failed_sync_stops_everything() {
    if !has_strace() {
        return skipped("D04", "no strace");
    }
    let (mut trials, mut stopped) = (0, 0);
    for n in 1.. {
        let home = Home::new();
        let printed = run(traced(&home, "life", &format!("fsync,fdatasync:error=EIO:when={n}")));
        let what = format!("sync {n}: {printed:?}");
        trials += 1;
        let mut over = false;
        match printed.first().map(String::as_str) {
            // A directory's sync, which loses nothing here, or the fault came after the end.
            Some("done") => over = trials > 12,
            Some(error) if error.starts_with("error ") => {
                assert!(error.contains("disk failed") || error.contains("can only be viewed"), "{what}");
                assert_eq!(printed[1], "after 0", "{what}: no effect after");
                assert!(printed[2].starts_with("mode view-only"), "{what}: it says so");
                stopped += 1;
            }
            Some(error) => assert!(error.contains("disk failed"), "{what}: refused at the door"),
            None => panic!("{what}"),
        }
        assert_eq!(run(errand(&home, "life")), ["done"], "{what}");
        home.check_end(1, &what).await;
        if over {
            break;
        }
    }
    assert!(stopped >= 6, "{stopped} of {trials} stopped the writer");
    report("D04", "EIO at the Nth sync", trials);
}

#[tokio::test]
async fn d05_a_full_disk_at_each_write() {
    if !has_strace() {
        return skipped("D05", "no strace, so no ENOSPC at each write");
    }
    let (mut trials, mut refused) = (0, 0);
    for n in (1..).step_by(9) {
        let home = Home::new();
        let fault = format!("pwrite64:error=ENOSPC:when={n}..{}", n + 7);
        let printed = run(traced(&home, "full", &fault));
        let what = format!("write {n}: {printed:?}");
        trials += 1;
        let full = printed.iter().filter(|line| line.contains("the disk is full")).count();
        refused += usize::from(full > 0);
        // Space returned to the very process that was refused, or at the latest to the next one.
        if printed.last().is_none_or(|last| last != "done") {
            assert_eq!(run(errand(&home, "life")), ["done"], "{what}");
        }
        home.check_end(1, &what).await;
        if printed == ["done"] && n > 100 {
            break;
        }
    }
    assert!(refused > 5, "{refused} of {trials} were refused");
    report("D05", "ENOSPC at each write", trials);
}

/// A real full disk: the decision is refused before the effect, and the same process goes on when space returns.
#[tokio::test]
async fn d05_a_small_disk_that_fills_up() {
    let home = Home::new();
    let disk = home.data();
    std::fs::create_dir(&disk).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=1m", "none"]).arg(&disk).stderr(std::process::Stdio::null());
    if !mount.status().is_ok_and(|status| status.success()) {
        return skipped("D05", "a small disk cannot be mounted here");
    }
    let _small = SmallDisk(disk.clone());
    let inbox = TestInbox::builder().in_folder(home.folder.path()).open();
    let thread = inbox.start("courier", json!({"parcels": ["book"]})).await;
    let mut worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
    worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
    let id = inbox.open_question(&thread).await;
    let filler = disk.join("filler");
    let fill = || {
        let mut size = 1 << 20;
        while size > 0 {
            use std::io::Write;
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&filler).unwrap();
            if file.write_all(&vec![0; size]).is_err() {
                size /= 2;
            }
        }
    };
    fill();
    let error = inbox.decide(&id, Decision::Accept).await.unwrap_err().to_string();
    assert!(error.contains("the disk is full; nothing was written"), "{error}");
    assert_eq!(inbox.open_question(&thread).await, id);
    std::fs::remove_file(&filler).unwrap();
    inbox.decide(&id, Decision::Accept).await.unwrap();
    fill();
    let error = worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap_err();
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert_eq!(inbox.delivery_log.deliveries().len(), 0, "refused before the effect");
    drop(worker);
    // A driver that stays does not have to be told that there is space again.
    let driver = inbox.drive_in_background().await;
    std::fs::remove_file(&filler).unwrap();
    let mut changes = inbox.changes();
    while inbox.status(&thread).await != Status::Done {
        changes.changed().await.unwrap();
    }
    driver.stop().await;
    assert_eq!(inbox.delivery_log.deliveries().len(), 1);
    let thread = inbox.start("courier", json!({"parcels": ["lamp"]})).await;
    inbox.drive().await;
    let id = inbox.open_question(&thread).await;
    // Whoever starts on a full disk can look.
    let inbox = inbox.restart_after(eager(), |_| fill());
    assert!(matches!(inbox.store().mode(), Mode::ViewOnly(why) if why.ends_with("the disk is full")));
    assert_eq!(inbox.open_question(&thread).await, id);
    let error = inbox.decide(&id, Decision::Accept).await.unwrap_err().to_string();
    assert!(error.contains("can only be viewed"), "{error}");
    let inbox = inbox.restart_after(eager(), |_| std::fs::remove_file(&filler).unwrap());
    inbox.decide(&id, Decision::Accept).await.unwrap();
    drop(inbox);
    report("D05", "a real full disk", 4);
}

/// A disk of its own, until it is dropped.
struct SmallDisk(std::path::PathBuf);

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Somebody who owns nothing else looks at the folder.
fn looks(home: &Home) -> Vec<String> {
    let mut command = errand(home, "look");
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    run(command)
}

#[tokio::test]
async fn d06_what_cannot_be_written_is_viewed() {
    let mut trials = 0;
    // The file and the folder; with the log folded in and with one left behind.
    for (folder_mode, file_mode, log) in
        [(0o500, 0o600, false), (0o700, 0o400, false), (0o500, 0o400, false), (0o500, 0o600, true)]
    {
        let home = Home::new();
        let what = format!("folder {folder_mode:o}, file {file_mode:o}, log {log}");
        let inbox = home.inbox();
        inbox.threads().start("courier".to_owned(), json!({"parcels": ["book"]})).await.unwrap();
        let mut worker = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
        worker.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
        drop(worker);
        // A copy taken while it is open has its log beside it.
        let kept = home.folder.path().join("kept");
        std::fs::create_dir(&kept).unwrap();
        for entry in std::fs::read_dir(home.data()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), kept.join(entry.file_name())).unwrap();
        }
        drop(inbox);
        if log {
            std::fs::remove_dir_all(home.data()).unwrap();
            std::fs::rename(&kept, home.data()).unwrap();
        }
        let before = std::fs::read(home.data().join("sayso.db")).unwrap();
        let set = |path: &std::path::Path, mode| {
            if rustix::process::geteuid().is_root() {
                chown(path, Some(65534), Some(65534)).unwrap();
            }
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        for entry in std::fs::read_dir(home.data()).unwrap() {
            set(&entry.unwrap().path(), file_mode);
        }
        set(&home.data(), folder_mode);
        set(home.folder.path(), 0o755);
        let printed = looks(&home);
        set(&home.data(), 0o700);
        assert!(
            printed[0].starts_with("mode ViewOnly(\"") && printed[0].contains("cannot be written: "),
            "{what}: {printed:?}"
        );
        assert!(
            printed[1].starts_with("item i") && printed[1].ends_with("true"),
            "{what}: the card is shown: {printed:?}"
        );
        assert!(printed[2].starts_with("no the data folder can only be viewed: "), "{what}: {printed:?}");
        assert!(printed[3].starts_with("no driver "), "{what}: {printed:?}");
        assert_eq!(printed[4], "end", "{what}");
        assert_eq!(std::fs::read(home.data().join("sayso.db")).unwrap(), before, "{what}: untouched");
        trials += 1;
    }
    report("D06", "read-only file or folder", trials);
}
