//! The inbox as a process of its own: this test program, started again in a pseudo-terminal.

use crate::support::desk;
use sayso::app::{App, Driver, Engine, Scope, Settings, Until};
use sayso::inbox::Registry;
use sayso::service::Inbox;
use sayso::store::Store;
use sayso::tui::{self, Options};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The folder the inbox is opened in; set for the child alone.
pub const FOLDER: &str = "SAYSO_TEST_SCREEN";
/// How long things are held there, in milliseconds.
pub const HOLD: &str = "SAYSO_TEST_HOLD";

pub fn open(folder: &Path, hold: Duration) -> Inbox {
    let store = Store::open(&folder.join("data")).unwrap();
    let settings = Settings { hold, soft_hold: hold, ..Settings::default() };
    let registry = Registry::new(desk::specs(folder.join("outbox")));
    Inbox::new(Engine::new(store, registry, settings))
}

/// Fills a folder with one of each.
pub async fn fill(folder: &Path, samples: Vec<(&str, serde_json::Value)>) {
    let inbox = open(folder, Duration::ZERO);
    for (workflow, input) in samples {
        inbox.threads().start(workflow.to_owned(), input).await.unwrap();
        let mut driver = Driver::take(inbox.engine().clone()).await.unwrap().unwrap();
        driver.run(&Scope::All, Until::Idle, std::future::pending()).await.unwrap();
    }
}

/// A folder with one of each.
pub fn filled() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(fill(folder.path(), desk::samples()));
    folder
}

/// Not a test: the inbox itself, when this program is started for that.
#[test]
#[ignore = "runs the screen for the other tests"]
fn screen() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let hold = std::env::var(HOLD).ok().and_then(|text| text.parse().ok()).unwrap_or(60_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let inbox = open(&folder, Duration::from_millis(hold));
    let options = Options::default();
    let breaks = async {
        if std::env::var_os("SAYSO_TEST_PANIC").is_none() {
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        panic!("broke on purpose");
    };
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = tui::run(App::new(inbox), options) => ended,
            () = breaks => Ok(()),
        }
    });
    match ended {
        Ok(()) => println!("SCREEN ENDED WELL"),
        Err(error) => println!("SCREEN ENDED: {error}"),
    }
}

/// Not a test: lays out a folder to look at by hand.
#[tokio::test]
#[ignore = "lays out a folder for a person to look at"]
async fn lay_out() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    fill(&folder, desk::samples()).await;
}
