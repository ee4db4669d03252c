//! The user's own commands: they get the card as JSON, and their output is shown as a page.
//!
//! They run only by their key, with a card on the screen, and approve nothing: a command that wants to decide calls
//! `sayso`, with all of its checks.

use super::actions::Action;
use super::card::Doc;
use super::key_guard::{self, Guard};
use super::layers::Page;
use super::model::{Failure, InboxResult, LastDecisionKey, Model, Press};
use super::words;
use crate::config::OwnCommand;
use crate::inbox::Block;
use crate::inbox::door::Inbox;
use crate::text::Visible;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// A command that runs longer is killed.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Nobody reads more output than this.
const MAX_OUTPUT: usize = 256 * 1024;

/// Runs the command with this number on the card shown.
pub fn start(model: &mut Model, number: usize, press: Press) {
    let Some(command) = model.options.commands.get(number).cloned() else { return };
    // It may decide through `sayso accept`, so its key follows the rules for decision keys.
    let why = match key_guard::guard(model, Action::Ignore, press) {
        Guard::Rejected(why) | Guard::TooEarly(why) => Some(why),
        Guard::Waits => Some("Ignored: the key seems to be held down"),
        Guard::Acts | Guard::Asks | Guard::Scrolls => None,
    };
    if let Some(why) = why {
        model.say(why);
        return;
    }
    model.last_decision_key = Some(LastDecisionKey::new(press.key));
    let Some(opened) = model.current() else { return };
    let card = match serde_json::to_string(&opened.item) {
        Ok(card) => card,
        Err(error) => return model.fail(error.to_string()),
    };
    let name = words::line(&command.name);
    model.say(format!("Running: {name}"));
    let run = async move |inbox: Inbox| run(&command, card, inbox.engine().store().folder()).await;
    model.start(run, move |model, result| ran(model, &name, result));
}

/// Shows its output.
fn ran(model: &mut Model, name: &str, result: InboxResult<String>) {
    match result {
        Ok(output) if output.trim().is_empty() => model.say(format!("{name}: done")),
        Ok(output) => {
            model.note = None;
            let doc = Doc::page(name, "What your command printed", vec![Block::Text(Visible::new(&output))]);
            model.push(Page::new("Your command", doc));
        }
        Err(failure) => model.fail(format!("{name}: {}", failure.text)),
    }
}

/// Runs it in a shell and returns its output.
async fn run(command: &OwnCommand, card: String, data: &Path) -> InboxResult<String> {
    // In its own process group, so that what it starts ends with it.
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(&command.run)
        .env("SAYSO_DATA", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| Failure::new(format!("no shell could be started: {error}")))?;
    let group = child.id();
    let (input, out, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let write_input = async {
        if let Some(mut input) = input {
            // A command may stop reading its input at any point.
            let _ = input.write_all(card.as_bytes()).await;
        }
    };
    let work = async {
        let (stdout, stderr, ()) = tokio::join!(read(out), read(errors), write_input);
        (child.wait().await, stdout, stderr)
    };
    let Ok((status, stdout, stderr)) = tokio::time::timeout(TIMEOUT, work).await else {
        kill_group(group);
        return Err(Failure::new(format!("it took longer than {} s and was stopped", TIMEOUT.as_secs())));
    };
    let status = status.map_err(|error| Failure::new(error.to_string()))?;
    if status.success() {
        return Ok(stdout);
    }
    let how = status.code().map_or("it was killed".to_owned(), |code| format!("it failed with {code}"));
    match stderr.lines().find(|line| !line.trim().is_empty()) {
        Some(why) => Err(Failure::new(format!("{how}: {}", words::line(why.trim())))),
        None => Err(Failure::new(how)),
    }
}

/// All output of a command; beyond the limit it is read but not kept.
async fn read(pipe: Option<impl AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let mut chunk = [0; 8192];
        while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
            let room = MAX_OUTPUT.saturating_sub(bytes.len());
            bytes.extend_from_slice(&chunk[..read.min(room)]);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn kill_group(group: Option<u32>) {
    let group = group.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn printed(run_this: &str) -> InboxResult<String> {
        let command = OwnCommand { key: "gj".to_owned(), name: "x".to_owned(), run: run_this.to_owned() };
        run(&command, "{\"id\":\"i1\"}".to_owned(), Path::new("/data")).await
    }

    #[tokio::test]
    async fn a_command_gets_the_card_and_says_something() {
        assert_eq!(printed("cat; echo \" $SAYSO_DATA\"").await.unwrap(), "{\"id\":\"i1\"} /data\n");
        assert_eq!(printed("true").await.unwrap(), "");
        let failed = |result: InboxResult<String>| result.unwrap_err().text;
        assert_eq!(
            failed(printed("echo; echo no such ticket >&2; exit 3").await),
            "it failed with 3: no such ticket"
        );
        assert_eq!(failed(printed("exit 4").await), "it failed with 4");
        assert_eq!(printed("yes | head -c 900000").await.unwrap().len(), MAX_OUTPUT);
    }
}
