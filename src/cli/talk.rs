//! A conversation with one thread at the terminal: prints each card as text, reads a line, and prints the result.
//!
//! Promises: leaving loses nothing, because every answer is a decision like any other and the thread waits in the
//! inbox. An answer is bound to the card that was printed; a line typed before it answers nothing.

use super::context::OpenFolder;
use super::drive::{Signals, drive_until, file_away_result};
use super::failure::Failure;
use super::outcome;
use super::output::{Format, Output};
use super::pages::card_or_args;
use super::wizard::say;
use crate::app::{Ended, Scope, Until};
use crate::engine::graph::{Decision, InterruptId, Kind, ThreadId};
use crate::inbox::door::family_outcome;
use crate::inbox::{
    Block, Card, DecidedBy, DecisionRequest, InboxError, Outcome, Question, SeenHash, Status,
};
use rustix::termios::{QueueSelector, tcflush};
use serde_json::Value;
use std::io::{BufRead, IsTerminal, stdin};
use tokio::sync::oneshot;

/// The line that accepts where every other one is an answer in words.
const DONE: &str = "DONE";

/// Whether a conversation can be held here.
pub(super) fn is_possible(format: &Format) -> bool {
    format.is_read_by_person() && stdin().is_terminal()
}

/// Holds a conversation with `thread` until it ends or the user leaves.
pub(super) async fn converse(folder: &OpenFolder, thread: ThreadId) -> Result<Output, Failure> {
    let mut signals = Signals::listen();
    let scope = Scope::WithChildren(thread.clone());
    let mut shown = None;
    loop {
        say("Working …\n");
        let driven = drive_until(folder, &scope, Until::Idle, None, |_| {}).await?;
        let outcome = family_outcome(folder.engine(), &thread).map_err(anyhow::Error::from)?;
        let open = outcome.interrupts.first().filter(|_| driven.report.ended != Ended::Stopped);
        let Some(id) = open else { return end(folder, &outcome, shown).await };
        let (item, card) = folder.inbox().decisions().card(id.clone()).await?;
        shown = card.blocks.first().cloned();
        print(card, &item.title, &item.args);
        if !ask(folder, id, &item, &mut signals).await? {
            return outcome::answer(folder, &outcome).await;
        }
    }
}

/// Asks until the card is decided; false if the user left.
async fn ask(
    folder: &OpenFolder,
    id: &InterruptId,
    item: &Question,
    signals: &mut Signals,
) -> Result<bool, Failure> {
    loop {
        let _ = tcflush(stdin(), QueueSelector::IFlush);
        say(&format!("{}\n> ", hint(item)));
        let Some(line) = read_line(signals).await else {
            say("\n");
            return Ok(false);
        };
        let decision = match line.trim() {
            "" => continue,
            "accept" if !is_plain_question(item) => Decision::Accept,
            done if done.eq_ignore_ascii_case(DONE) && item.allow.accept => Decision::Accept,
            "ignore" if !is_plain_question(item) => Decision::Ignore,
            words => Decision::Respond { text: words.to_owned() },
        };
        let shown = Some(SeenHash::Whole(item.args_hash));
        let request =
            DecisionRequest { interrupt: id.clone(), decision, shown, learn: true, by: DecidedBy::Cli };
        match folder.inbox().decisions().decide(request).await {
            Ok(_) => return Ok(true),
            Err(InboxError::Refused { refusal, .. }) => say(&format!("{refusal}\n")),
            // Somebody else decided, or the card changed: the conversation goes on from there.
            Err(error @ (InboxError::NotOpen { .. } | InboxError::Stale { .. })) => {
                say(&format!("Your answer was not used: {error}.\n"));
                return Ok(true);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// A line from the keyboard; nothing if the user leaves by Ctrl-C or Ctrl-D.
async fn read_line(signals: &mut Signals) -> Option<String> {
    let (send, receive) = oneshot::channel();
    // In a thread of its own, because nothing waits for it when the user leaves.
    std::thread::spawn(move || {
        let mut line = Vec::new();
        let read = stdin().lock().read_until(b'\n', &mut line);
        let _ = send.send(read.is_ok_and(|read| read > 0).then_some(line));
    });
    tokio::select! {
        biased;
        () = signals.received() => None,
        line = receive => line.ok().flatten().map(|line| String::from_utf8_lossy(&line).into_owned()),
    }
}

/// Whether everything typed is part of the answer.
fn is_plain_question(item: &Question) -> bool {
    item.kind == Kind::Question && item.allow.respond
}

/// The possible answers, in a sentence.
fn hint(item: &Question) -> String {
    let leave = "Ctrl-D leaves it in the inbox.";
    if is_plain_question(item) {
        let approve = if item.allow.accept { format!("{DONE} approves; ") } else { String::new() };
        return format!("Answer in a line; {approve}{leave}");
    }
    let choices = [
        (item.allow.accept, "accept", &item.labels.accept),
        (item.allow.ignore, "ignore", &item.labels.ignore),
        (item.allow.respond, "any other words", &item.labels.respond),
    ];
    let choices = choices.into_iter().filter(|(may, ..)| *may).map(|(_, word, label)| match label {
        Some(label) => format!("{word} ({label})"),
        None => word.to_owned(),
    });
    format!("Type {}; {leave}", choices.collect::<Vec<_>>().join(", "))
}

/// Prints a card without the earlier turns, which are on the screen already.
fn print(mut card: Card, title: &str, data: &Value) {
    card.blocks.retain(|block| !matches!(block, Block::Turns(_)));
    say(&format!("\n{}\n\n", card_or_args(card.text(), title, data).trim_end()));
}

/// Prints the result, unless it begins with what was `shown` last.
async fn end(folder: &OpenFolder, outcome: &Outcome, shown: Option<Block>) -> Result<Output, Failure> {
    if outcome.status != Status::Done {
        return outcome::answer(folder, outcome).await;
    }
    match folder.inbox().decisions().result(outcome.thread.clone()).await {
        Ok((_, card)) if shown.is_some() && card.blocks.first() == shown.as_ref() => {}
        Ok((result, card)) => print(card, &result.title, &result.output),
        // It was filed away already.
        Err(InboxError::Conflict(_)) => {}
        Err(error) => return Err(error.into()),
    }
    // It was read here, so it need not wait in the inbox.
    file_away_result(folder, outcome).await?;
    let thread = &outcome.thread;
    Ok(Output::line(format!("Thread {thread} is done. `sayso continue {thread} \"…\"` goes on from here.\n")))
}
