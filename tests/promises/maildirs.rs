//! M11: a Maildir in which deliveries die and other clients are at work at any moment. Nothing is lost or doubled.

use crate::child::{Away, errand, run, say, wait_for_word};
use crate::damage::Random;
use crate::home::Home;
use crate::report;
use sayso::config::{self, AfterHandling, MailMode, MailSource};
use sayso::mail::maildir::{Delivery, DeliveryTarget};
use sayso::mail::{Cursor, Handled, MailPresence, Mailbox, open_mailbox};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How many mails a child delivers.
const MAILS: usize = 60;

fn mail(n: usize) -> Vec<u8> {
    format!("From: a@example.org\r\nSubject: {n}\r\n\r\nmail {n}\r\n").into_bytes()
}

/// The child: delivers every mail; those that are there already stay one. With `SAYSO_STEPS` it waits for a word
/// between `tmp` and `new`.
pub fn deliver(home: &Path) {
    let steps = std::env::var("SAYSO_STEPS").is_ok();
    for n in 0..MAILS {
        let delivery = Delivery::begin(&home.join("Mail"), &mail(n), DeliveryTarget::New).unwrap();
        if steps {
            say("written");
            wait_for_word();
        }
        delivery.finish().unwrap();
        if steps {
            say("delivered");
        }
    }
    say("done");
}

/// A reader who commits what it fetched, and counts.
struct Reader {
    path: PathBuf,
    maildir: Arc<dyn Mailbox>,
    cursor: Option<Cursor>,
    /// What was fetched, by what it says, with its place.
    got: BTreeMap<String, String>,
}

impl Reader {
    fn new(folder: &Path) -> Self {
        let path = folder.join("Mail");
        for part in ["tmp", "new", "cur"] {
            fs::create_dir_all(path.join(part)).unwrap();
        }
        let source = MailSource::Maildir { path: path.clone(), folders: vec![], drafts: None, sent: None };
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
        Self { path, maildir: open_mailbox(&config), cursor: None, got: BTreeMap::new() }
    }

    /// Fetches once; where it is `kept`, the mails are stored and the cursor with them.
    async fn fetch(&mut self, limit: usize, kept: bool) -> u64 {
        let fetched = self.maildir.fetch(self.cursor.as_ref(), limit).await.unwrap();
        if kept {
            for mail in fetched.mails {
                let text = String::from_utf8(mail.raw).unwrap().lines().last().unwrap().to_owned();
                let earlier = self.got.insert(text.clone(), mail.place);
                assert_eq!(earlier, None, "{text} came twice");
            }
            self.cursor = fetched.cursor;
        }
        fetched.remaining
    }

    async fn fetch_all(&mut self) {
        while self.fetch(50, true).await > 0 {}
    }

    fn files(&self) -> Vec<(&'static str, String)> {
        let list = |part: &'static str| {
            let entries = fs::read_dir(self.path.join(part)).unwrap();
            entries.map(move |entry| (part, entry.unwrap().file_name().into_string().unwrap()))
        };
        let mut files: Vec<_> = list("new").chain(list("cur")).collect();
        files.sort();
        files
    }
}

/// What another client does to a mail: flags it, moves it, numbers it.
fn meddle(path: &Path, part: &str, file: &str, random: &mut Random) {
    let (unique, flags) = file.split_once(":2,").unwrap_or((file, ""));
    let mut flags: BTreeSet<char> = flags.chars().collect();
    let mut unique = unique.to_owned();
    match random.below(8) {
        0 => unique = format!("{},U={}", unique.split(",U=").next().unwrap(), random.below(99)),
        1 => flags.extend(['R', 'S']),
        2 => flags.extend(['a']),
        3 => flags.extend(['P']),
        _ => flags.extend(['F']),
    }
    let flags: String = flags.into_iter().collect();
    let to = if flags.is_empty() && random.below(2) == 0 {
        path.join("new").join(unique)
    } else {
        path.join("cur").join(format!("{unique}:2,{flags}"))
    };
    // Somebody else may have been quicker.
    let _ = fs::rename(path.join(part).join(file), to);
}

fn expected() -> Vec<String> {
    let mut all: Vec<String> = (0..MAILS).map(|n| format!("mail {n}")).collect();
    all.sort();
    all
}

#[tokio::test]
async fn m11_killed_between_tmp_and_new() {
    let mut trials = 0;
    for before in [0, 1, 7] {
        let home = Home::new();
        let mut reader = Reader::new(home.folder.path());
        let mut doomed = errand(&home, "deliver");
        doomed.env("SAYSO_STEPS", "1");
        let mut away = Away::start(doomed);
        for _ in 0..before {
            assert_eq!(away.hear().unwrap(), "written");
            away.nudge();
            assert_eq!(away.hear().unwrap(), "delivered");
        }
        assert_eq!(away.hear().unwrap(), "written");
        away.child.kill().unwrap();
        away.rest();
        assert_eq!(fs::read_dir(reader.path.join("tmp")).unwrap().count(), 1, "it died in between");
        reader.fetch_all().await;
        assert_eq!(reader.got.len(), before, "what is in tmp is no mail yet");
        assert_eq!(run(errand(&home, "deliver")), ["done"]);
        reader.fetch_all().await;
        assert_eq!(reader.got.keys().cloned().collect::<Vec<_>>(), expected());
        assert_eq!(fs::read_dir(reader.path.join("tmp")).unwrap().count(), 0);
        trials += 1;
    }
    report("M11", "SIGKILL between tmp and new", trials);
}

#[tokio::test]
async fn m11_killed_at_random_while_another_client_works() {
    let (mut random, mut trials) = (Random(0x11), 0);
    for _ in 0..4 {
        let home = Home::new();
        let mut reader = Reader::new(home.folder.path());
        for _ in 0..6 {
            let mut away = Away::start(errand(&home, "deliver"));
            let (stop, stopped) = std::sync::mpsc::channel::<()>();
            let hour = Duration::from_micros(random.below(40_000));
            let killer = std::thread::spawn(move || {
                // Whichever comes first: its end, or its hour.
                let _ = stopped.recv_timeout(hour);
                let _ = away.child.kill();
                away.rest();
            });
            while !killer.is_finished() {
                for (part, file) in reader.files() {
                    meddle(&reader.path, part, &file, &mut random);
                }
                reader.fetch(10, true).await;
            }
            drop(stop);
            killer.join().unwrap();
            trials += 1;
        }
        assert_eq!(run(errand(&home, "deliver")), ["done"]);
        reader.fetch_all().await;
        assert_eq!(reader.got.keys().cloned().collect::<Vec<_>>(), expected());
        assert_eq!(reader.files().len(), MAILS, "each is there once, however often it was delivered");
    }
    report("M11", "SIGKILL at random while another client works", trials);
}

/// What a test knows of a mail.
#[derive(Default)]
struct Known {
    deleted: bool,
    marked: bool,
}

#[tokio::test]
async fn m11_any_order_of_what_clients_do() {
    let mut trials = 0;
    for seed in 1..=60 {
        let mut random = Random(seed);
        let home = Home::new();
        let mut reader = Reader::new(home.folder.path());
        let mut known: BTreeMap<String, Known> = BTreeMap::new();
        for at in 0..80 {
            let files = reader.files();
            let some = (!files.is_empty()).then(|| files[random.below(files.len() as u64) as usize].clone());
            match (random.below(10), some) {
                (0..3, _) => {
                    // Names of one second, and times that jump.
                    let name = format!("1700000000.M{at}P1.host");
                    fs::write(reader.path.join("tmp").join(&name), format!("\nmail {at}")).unwrap();
                    fs::rename(reader.path.join("tmp").join(&name), reader.path.join("new").join(&name))
                        .unwrap();
                    let when = std::time::UNIX_EPOCH + Duration::from_secs(random.below(4_000_000_000));
                    let file = fs::File::open(reader.path.join("new").join(&name)).unwrap();
                    file.set_modified(when).unwrap();
                    known.insert(format!("mail {at}"), Known::default());
                }
                (3..6, Some((part, file))) => meddle(&reader.path, part, &file, &mut random),
                (6, Some((part, file))) => {
                    let path = reader.path.join(part).join(file);
                    let text = fs::read_to_string(&path).unwrap().trim().to_owned();
                    fs::remove_file(path).unwrap();
                    known.get_mut(&text).unwrap().deleted = true;
                }
                (7, _) if !reader.got.is_empty() => {
                    let nth = random.below(reader.got.len() as u64) as usize;
                    let (text, place) = reader.got.iter().nth(nth).unwrap();
                    reader.maildir.mark(place, Handled::Answered).await.unwrap();
                    known.get_mut(text).unwrap().marked = true;
                    let presence = reader.maildir.presence(std::slice::from_ref(place)).await.unwrap();
                    let there = MailPresence::There { seen: true, answered: true };
                    let right = if known[text].deleted { MailPresence::Gone } else { there };
                    assert_eq!(presence, [right], "seed {seed}: {text}");
                }
                // Sometimes the reader dies before what it fetched is stored.
                _ => {
                    let (limit, kept) = (1 + random.below(5) as usize, random.below(4) > 0);
                    reader.fetch(limit, kept).await;
                }
            }
        }
        reader.fetch_all().await;
        for (text, known) in &known {
            assert!(known.deleted || reader.got.contains_key(text), "seed {seed}: {text} is lost");
        }
        let flags: BTreeMap<String, String> = reader
            .files()
            .into_iter()
            .map(|(part, file)| {
                let text = fs::read_to_string(reader.path.join(part).join(&file)).unwrap().trim().to_owned();
                (text, file.split_once(":2,").map_or("", |(_, flags)| flags).to_owned())
            })
            .collect();
        for (text, known) in known.iter().filter(|(_, known)| !known.deleted) {
            assert!(flags.contains_key(text), "seed {seed}: {text} is not in the mailbox");
            assert!(!known.marked || flags[text].contains("RS"), "seed {seed}: {text} has {}", flags[text]);
        }
        trials += 1;
    }
    report("M11", "any order of deliveries, flags, moves, marks and fetches", trials);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn m11_flags_change_while_we_read_and_mark() {
    let folder = tempfile::tempdir().unwrap();
    let mut reader = Reader::new(folder.path());
    for n in 0..MAILS {
        Delivery::begin(&reader.path, &mail(n), DeliveryTarget::New).unwrap().finish().unwrap();
    }
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let other = {
        let (path, stop) = (reader.path.clone(), stop.clone());
        std::thread::spawn(move || {
            let mut random = Random(7);
            while !stop.load(Ordering::SeqCst) {
                for part in ["new", "cur"] {
                    for entry in fs::read_dir(path.join(part)).unwrap() {
                        let file = entry.unwrap().file_name().into_string().unwrap();
                        meddle(&path, part, &file, &mut random);
                    }
                }
            }
        })
    };
    for _ in 0..30 {
        reader.fetch(7, true).await;
        for place in reader.got.values() {
            if random_half(place) {
                // A mail that is renamed all the time may take another try.
                let _ = reader.maildir.mark(place, Handled::Done).await;
            }
        }
    }
    stop.store(true, Ordering::SeqCst);
    other.join().unwrap();
    reader.fetch_all().await;
    assert_eq!(reader.got.keys().cloned().collect::<Vec<_>>(), expected());
    assert_eq!(reader.files().len(), MAILS, "each is there once");
    let places: Vec<String> = reader.got.values().cloned().collect();
    let presence = reader.maildir.presence(&places).await.unwrap();
    assert!(presence.iter().all(|one| matches!(one, MailPresence::There { .. })));
    report("M11", "flags changed by another client all the while", MAILS);
}

fn random_half(place: &str) -> bool {
    place.bytes().fold(0, |sum: u32, byte| sum + u32::from(byte)) % 2 == 0
}
