//! The inbox as a process of its own: this test program, started again in a pseudo-terminal.

use crate::support::samples;
use sayso::app::App;
use sayso::tui::{self, Options};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The folder the inbox is opened in; set for the child alone.
pub const FOLDER: &str = "SAYSO_TEST_SCREEN";
/// How long things are held there, in milliseconds.
pub const HOLD: &str = "SAYSO_TEST_HOLD";

/// Fills a folder with one of each.
pub async fn fill(folder: &Path, samples: Vec<(&str, serde_json::Value)>) {
    let inbox = samples::inbox(folder, Duration::ZERO).open();
    for (workflow, input) in samples {
        inbox.run(workflow, input).await;
    }
}

/// A folder with one of each.
pub fn filled() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(fill(folder.path(), samples::samples()));
    folder
}

/// Not a test: the inbox itself, when this program is started for that.
#[test]
#[ignore = "runs the screen for the other tests"]
fn screen() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let hold = std::env::var(HOLD).ok().and_then(|text| text.parse().ok()).unwrap_or(60_000);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let inbox = samples::inbox(folder.as_path(), Duration::from_millis(hold)).open();
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
            ended = tui::run(App::new((*inbox).clone()), options) => ended,
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
    fill(&folder, samples::samples()).await;
}
