//! SIGKILL at every point that matters: no mail is lost, none is doubled.

use super::CONFIG;
use super::folder_mailbox::letter;
use super::post::Post;
use sayso::engine::graph::Decision;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn entry() {
    let Ok(home) = std::env::var("SAYSO_INTAKE_HOME") else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(live(&PathBuf::from(home)));
    std::process::exit(0);
}

fn config(asks: bool) -> String {
    format!("{CONFIG}[intake]\nask_over = {}\n", if asks { 2 } else { 50 })
}

/// Syncs, answers what the first sync asks, and syncs again.
async fn live(home: &Path) {
    let asks = std::env::var("SAYSO_INTAKE_ASKS").is_ok();
    let post = Post::open(home, &config(asks));
    for _ in 0..2 {
        post.sync_and_drive().await;
        for item in post.items().await.iter().filter(|item| item.action == "first_sync") {
            post.decide(&item.id, Decision::Accept).await;
        }
    }
    post.mailbox.put(&letter(9, "late@b.example", "Re: Letter 1", "In-Reply-To: <1@post.example>\r\n"));
    post.sync_and_drive().await;
}

/// Runs the test `entry` as a child process, and says whether it ran to its end.
fn child(home: &Path, entry: &str, point: Option<&str>, asks: bool) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([entry, "--exact", "--nocapture", "--test-threads=1"]);
    command.env("SAYSO_INTAKE_HOME", home).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(point) = point {
        command.env("SAYSO_FAIL_POINT", point);
    }
    if asks {
        command.env("SAYSO_INTAKE_ASKS", "1");
    }
    command.status().unwrap().success()
}

/// With more than a page of mail, the next page is under way when the process dies.
#[tokio::test]
async fn killed_between_two_pages() {
    let mut trials = 0;
    for point in ["before_cursor:1", "after_cursor:1", "before_cursor:2", "after_cursor:2"] {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = super::folder_mailbox::FolderMailbox::new(folder.path().join("mailbox"));
        mailbox.fill(1..=520);
        let look = |point: Option<&str>| child(folder.path(), "intake::kills::look_once", point, false);
        assert!(!look(Some(point)), "{point}: it should have died");
        assert!(look(None), "{point}: recovery");
        let post = Post::open(folder.path(), CONFIG);
        let mails = post.mails().await;
        let known: HashSet<&str> = mails.iter().map(|mail| mail.identity.as_str()).collect();
        assert_eq!((mails.len(), known.len()), (520, 520), "{point}");
        post.assert_whole();
        trials += 1;
    }
    println!("intake · SIGKILL between two pages · {trials} trials · {trials} passes");
}

#[test]
fn look_once() {
    let Ok(home) = std::env::var("SAYSO_INTAKE_HOME") else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let synced = runtime.block_on(async { Post::open(Path::new(&home), CONFIG).sync().await });
    std::process::exit(i32::from(synced.error.is_some()));
}

#[tokio::test]
async fn killed_at_every_named_point() {
    let points = [
        ("before_take_in", 3, false),
        ("after_take_in", 3, false),
        ("before_cursor", 1, false),
        ("after_cursor", 1, false),
        ("after_begin_taking", 1, false),
        ("before_take_kept", 2, false),
        ("after_take_kept", 2, false),
        ("before_first_asked", 1, true),
        ("after_first_asked", 1, true),
        ("after_begin_taking", 1, true),
        ("after_take_kept", 3, true),
    ];
    let mut trials = 0;
    for (point, passes, asks) in points {
        for count in 1..=passes {
            let what = format!("{point}:{count} asks {asks}");
            let folder = tempfile::tempdir().unwrap();
            let mailbox = super::folder_mailbox::FolderMailbox::new(folder.path().join("mailbox"));
            mailbox.fill(1..=4);
            let live = |point: Option<&str>| child(folder.path(), "intake::kills::entry", point, asks);
            assert!(!live(Some(&format!("{point}:{count}"))), "{what}: it should have died");
            assert!(live(None), "{what}: recovery");
            let post = Post::open(folder.path(), &config(asks));
            let mails = post.mails().await;
            assert_eq!(mails.len(), 5, "{what}: {mails:?}");
            assert!(mails.iter().all(|mail| mail.state == "thread"), "{what}: {mails:?}");
            let threads = post.threads("email").await;
            assert_eq!(threads.len(), 4, "{what}: one thread a conversation");
            let shown: Vec<String> = threads
                .iter()
                .flat_map(|thread| thread.state["mails"].as_array().unwrap())
                .map(|mail| mail["identity"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(shown.len(), 5, "{what}: each mail reached a thread once");
            assert_eq!(shown.iter().collect::<HashSet<_>>().len(), 5, "{what}");
            assert_eq!(post.threads("intake").await.len(), usize::from(asks), "{what}: asked once");
            post.assert_whole();
            trials += 1;
        }
    }
    println!("intake · SIGKILL at each named point · {trials} trials · {trials} passes");
}
