//! The screens that the README and the docs show, drawn from the demo's week and held fresh.
//!
//! `SAYSO_UPDATE_SCREENS=1 cargo test --test screens svg` draws them anew.

mod draw;

use crate::support::config;
use crate::support::test_inbox::{TestClock, TestInbox, eager};
use crate::support::test_screen::{TestScreen, block_on};
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use sayso::app::{Settings, Setup, lay_out_demo};
use sayso::config::{Config, Env};
use sayso::engine::graph::Decision;
use sayso::engine::store::Store;
use sayso::inbox::door::{Inbox, NewRequest};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const SIZE: (u16, u16) = (104, 31);

/// The demo's mails, triaged and answered up to where somebody is asked.
fn demo(clock: &TestClock) -> TestInbox {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    lay_out_demo(&data, clock.clock()(), &TimeZone::UTC, false).unwrap();
    let config: Config = Arc::into_inner(config::load(&data, &Env::default())).unwrap();
    let store = Store::open_with(&data, clock.clock()).unwrap();
    let setup = Setup::over(config, Env::default(), store);
    // One at a time, so that cards are asked in the same order in every run.
    let settings = Settings { concurrency: 1, ..eager() };
    let engine = sayso::app::Engine::new(setup.store.clone(), setup.workflows().unwrap(), settings);
    let (intake, inbox) = (setup.intake(&engine), Inbox::new(engine));
    let inbox = TestInbox::of(inbox, folder, clock.clock());
    block_on(async {
        let synced = intake.sync_here_or_in_driver(&|_| {}, Duration::from_secs(60)).await.unwrap().unwrap();
        assert!(synced.iter().all(|synced| synced.error.is_none()), "{synced:?}");
        inbox.drive().await;
    });
    inbox
}

/// What Claude Code asks before it runs a command.
fn command(command: &str, about: &str) -> NewRequest {
    let input = json!({
        "title": format!("$ {command}"),
        "text": about,
        "action": "Bash",
        "args": {"command": command, "description": about},
        "source": "Claude Code",
        "folder": "/home/noor/webshop",
    });
    NewRequest { input, key: Some(command.to_owned()) }
}

/// Answers what is asked under this title, ten minutes after the answer before.
async fn answer(inbox: &TestInbox, clock: &TestClock, title: &str, decision: Decision) {
    clock.advance(600);
    let items = inbox.items().await;
    let found = items.iter().find(|item| item.title.contains(title));
    let found = found.unwrap_or_else(|| panic!("{title}: {:?}", items.iter().map(|item| &item.title)));
    let question = found.id.clone();
    inbox.decide(&question, decision).await.unwrap();
    inbox.drive().await;
}

/// A screen over all that, an hour later.
fn screen() -> TestScreen {
    let clock = TestClock::new();
    let inbox = demo(&clock);
    block_on(async {
        inbox.requests().ask(command("rm -rf dist", "Remove what was built")).await.unwrap();
        let publish = "Publish the pages of the spring fair";
        inbox.requests().ask(command("git push origin spring-fair", publish)).await.unwrap();
        inbox.drive().await;
        let words = Decision::Respond { text: "I bring it, and the stand.".to_owned() };
        answer(&inbox, &clock, "demo bike", words).await;
        answer(&inbox, &clock, "demo bike", Decision::Accept).await;
        answer(&inbox, &clock, "Build failed", Decision::Ignore).await;
        answer(&inbox, &clock, "Invitation", Decision::Accept).await;
        answer(&inbox, &clock, "rm -rf dist", Decision::Ignore).await;
        clock.advance(240);
    });
    let mut screen = TestScreen::over(inbox, SIZE);
    screen.model.wall = clock.clock()();
    screen
}

/// Puts the cursor on the row with these words, pressing `j` as often as it takes.
fn find(screen: &mut TestScreen, words: &str) {
    screen.press("gg");
    for _ in 0..60 {
        if screen.selected().contains(words) {
            return;
        }
        screen.press("j");
    }
    panic!("{words} is not listed: {:?}", screen.titles());
}

/// The same ids in every run, wherever one stands.
fn mask(buffer: &mut Buffer, ids: &[String]) {
    for y in 0..buffer.area.height {
        let row: Vec<String> = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol().to_owned()).collect();
        for id in ids {
            let letters: Vec<String> = id.chars().map(String::from).collect();
            for at in (0..row.len()).filter(|at| row[*at..].starts_with(&letters)) {
                for (n, letter) in "4k7m2qx9".chars().enumerate() {
                    buffer[(u16::try_from(at + 1 + n).unwrap(), y)].set_char(letter);
                }
            }
        }
    }
}

fn picture(screen: &mut TestScreen, title: &str) -> String {
    let model = &screen.model;
    let items = model.inbox.list.all().iter().flat_map(|row| [row.id.clone(), row.thread.to_string()]);
    let ids = items.chain(model.threads.list.rows.iter().map(|line| line.id.to_string())).collect::<Vec<_>>();
    let mut buffer = screen.buffer();
    mask(&mut buffer, &ids);
    draw::svg(&buffer, title)
}

/// Compares a picture with the one in the repository, or puts it there.
fn check(name: &str, drawn: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/screens").join(name);
    if std::env::var_os("SAYSO_UPDATE_SCREENS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == drawn,
        "assets/screens/{name} is old; draw it anew with SAYSO_UPDATE_SCREENS=1 cargo test --test screens svg"
    );
}

#[test]
fn the_pictures_are_what_the_screen_shows() {
    let mut screen = screen();
    find(&mut screen, "Twelve cargo bikes");
    check("inbox.svg", &picture(&mut screen, "The inbox, with a reply that was drafted"));
    find(&mut screen, "git push");
    check("agent.svg", &picture(&mut screen, "A command that an agent wants to run"));
    screen.press("gh");
    check("decisions.svg", &picture(&mut screen, "What was decided, and how it ended"));
    screen.press("2").press("/demo bike<enter>");
    check("thread.svg", &picture(&mut screen, "A thread from the mail to the reply that was sent"));
}
