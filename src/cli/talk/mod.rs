//! A conversation with one thread at the terminal: shows its questions, takes the user's answers, and in between drives
//! the thread, or watches it if another process drives.
//!
//! Promises: leaving loses nothing, because every answer is a decision like any other and the thread waits in the
//! inbox. An answer is bound to the question that was on the screen. If somebody else answers meanwhile, the user is
//! told and the conversation goes on from there.

mod input;
mod screen;

use super::context::OpenFolder;
use super::drive::{Signals, file_away_result, warn_failed};
use super::failure::Failure;
use super::output::{Answer, Format};
use crate::app::{Ended, Scope, Until};
use crate::graph::{Decision, InterruptId, Kind, Progress, ThreadId};
use crate::inbox::{
    Block, DecidedBy, DecisionRequest, InboxError, Item, ItemKind, Outcome, SeenHash, Status,
};
use crate::service::{drive_or_wait, family_outcome, wait_until_closed};
use input::{Keyboard, Typed};
use screen::{Screen, Stream};
use std::cell::Cell;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often the status line is drawn.
const TICK: Duration = Duration::from_millis(100);

/// The input that opens the editor.
const EDIT: &str = ":e";

/// Whether a conversation can be held here.
pub(super) fn is_possible(format: &Format) -> bool {
    !format.is_json() && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Holds a conversation with `thread` until it ends or the user leaves.
pub(super) async fn hold(folder: &OpenFolder, thread: ThreadId) -> Result<Answer, Failure> {
    let (screen, signals) = (Screen::new(), Signals::listen());
    let keyboard = Keyboard::default();
    let mut talk = Talk {
        folder,
        thread,
        screen,
        keyboard,
        signals,
        streamed: String::new(),
        questions_asked: 0,
        shown: None,
    };
    let ended = folder.app().run_with_background(talk.run()).await;
    talk.screen.clear();
    ended.map(|()| Answer::nothing())
}

struct Talk<'h> {
    folder: &'h OpenFolder,
    thread: ThreadId,
    screen: Screen,
    keyboard: Keyboard,
    signals: Signals,
    /// The model's text that is already on the screen.
    streamed: String,
    questions_asked: usize,
    /// The first block of the last question: the answer so far, if there is one.
    shown: Option<Block>,
}

/// The result of asking a question.
enum AskResult {
    /// It was decided, here or elsewhere.
    Answered,
    /// The user left.
    Left,
}

/// What the user's text means.
enum ParsedInput {
    Decision(Decision),
    /// It cannot be used, with the reason.
    Unclear(String),
}

impl Talk<'_> {
    async fn run(&mut self) -> Result<(), Failure> {
        let (open, status) = loop {
            let ended = self.drive_until_idle().await?;
            let outcome = family_outcome(self.folder.engine(), &self.thread).map_err(anyhow::Error::from)?;
            let open = outcome.interrupts.first().cloned();
            match (ended, open) {
                (Ended::Stopped, open) => break (open, outcome.status),
                (Ended::Paused, None) => {
                    self.screen.say("Everything is paused; `sayso pause --off` lets threads go on.");
                    break (None, outcome.status);
                }
                (Ended::Idle, None) => return self.end(&outcome).await,
                (Ended::Idle | Ended::Paused, Some(id)) => match self.ask(&id).await? {
                    AskResult::Answered => {}
                    AskResult::Left => break (Some(id), outcome.status),
                },
            }
        };
        self.leave(open.as_ref(), status);
        Ok(())
    }

    /// Drives the thread, or watches the process that does, until it asks or rests.
    async fn drive_until_idle(&mut self) -> Result<Ended, Failure> {
        let engine = self.folder.engine();
        let scope = Scope::Family(self.thread.clone());
        let mut progress = engine.progress();
        let driver = Cell::new(None);
        let stop = self.signals.received();
        let driving = drive_or_wait(engine, &scope, Until::Idle, stop, |pid| driver.set(pid));
        tokio::pin!(driving);
        let mut work = Work::new(&self.thread);
        let mut tick = tokio::time::interval(TICK);
        let report = loop {
            tokio::select! {
                biased;
                ended = &mut driving => break ended.map_err(anyhow::Error::from)?,
                event = progress.recv() => event.into_iter().for_each(|e| work.take(e, &mut self.screen)),
                _ = tick.tick() => work.show(driver.get(), &mut self.screen),
            }
        };
        while let Ok(event) = progress.try_recv() {
            work.take(event, &mut self.screen);
        }
        self.screen.clear();
        self.streamed = work.stream.finish(&mut self.screen);
        warn_failed(&report);
        Ok(report.ended)
    }

    /// Asks the user until the question is decided or they leave.
    async fn ask(&mut self, id: &InterruptId) -> Result<AskResult, Failure> {
        let (item, card) = self.folder.inbox().decisions().card(id.clone()).await?;
        // Parts that stay the same during a conversation are shown once.
        let in_full = self.questions_asked == 0 || !is_plain_question(&item);
        self.screen.card(&card, in_full, &self.streamed);
        self.shown = card.blocks.into_iter().next();
        if in_full {
            self.screen.say(&self.answer_hint(&item));
        }
        self.questions_asked += 1;
        let (ahead, end) = self.keyboard.typed_ahead().await.unwrap_or_default();
        if end {
            return Ok(AskResult::Left);
        }
        if !ahead.is_empty() {
            self.screen
                .say(&format!("You typed this before the question appeared, so it was not used: {ahead}"));
        }
        let draft = Path::new(&self.folder.path).join(format!("answer-{}.md", item.id));
        loop {
            let words = match self.read_answer(&item, &draft).await? {
                PromptInput::Text(words) => words,
                PromptInput::Left => return Ok(AskResult::Left),
                PromptInput::Elsewhere => {
                    self.screen.gap();
                    self.screen.say("This was answered elsewhere in the meantime; going on from there.");
                    return Ok(AskResult::Answered);
                }
            };
            let decision = match parse_input(&item, words) {
                ParsedInput::Decision(decision) => decision,
                ParsedInput::Unclear(why) => {
                    self.screen.say(&why);
                    continue;
                }
            };
            let shown = item.args_hash.map(SeenHash::Whole);
            let decide =
                DecisionRequest { interrupt: id.clone(), decision, shown, learn: true, by: DecidedBy::Cli };
            match self.folder.inbox().decisions().decide(decide).await {
                Ok(_) => {
                    let _ = std::fs::remove_file(&draft);
                    return Ok(AskResult::Answered);
                }
                Err(InboxError::NotOpen { why, .. }) => {
                    self.screen.say(&format!("Your answer was not used: {why}. Going on from there."));
                    return Ok(AskResult::Answered);
                }
                Err(error @ InboxError::Stale { .. }) => {
                    self.screen.say(&error.to_string());
                    return Ok(AskResult::Answered);
                }
                Err(InboxError::Refused { refusal, .. }) => self.screen.say(&refusal.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The user's answer, or why there is none.
    async fn read_answer(&mut self, item: &Item, draft: &Path) -> Result<PromptInput, Failure> {
        let id = item.interrupt();
        let elsewhere = async {
            match &id {
                Some(id) => wait_until_closed(self.folder.engine(), &item.thread, id).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(elsewhere);
        let mut words = String::new();
        loop {
            self.screen.prompt(if words.is_empty() { ">" } else { "." });
            let typed = tokio::select! {
                biased;
                () = self.signals.received() => return Ok(PromptInput::Left),
                closed = &mut elsewhere => {
                    closed.map_err(anyhow::Error::from)?;
                    return Ok(PromptInput::Elsewhere);
                }
                typed = self.keyboard.line() => typed?,
            };
            let line = match typed {
                Typed::Text(line) => line,
                Typed::End => return Ok(PromptInput::Left),
            };
            if line.trim() == EDIT && words.is_empty() {
                let edited = input::edit_in_editor(draft, &self.question(item)).await;
                self.signals.forget().await;
                match edited {
                    Ok(text) if !text.is_empty() => {
                        self.screen.text(&text);
                        return Ok(PromptInput::Text(text));
                    }
                    Ok(_) => self.screen.say("Nothing was written."),
                    Err(why) => self.screen.say(&why),
                }
                continue;
            }
            if let Some(more) = line.strip_suffix('\\') {
                words.push_str(more);
                words.push('\n');
                continue;
            }
            words.push_str(&line);
            if !words.trim().is_empty() {
                return Ok(PromptInput::Text(words));
            }
            words.clear();
            let hint = self.answer_hint(item);
            self.screen.say(&hint);
        }
    }

    fn question(&self, item: &Item) -> String {
        let question = item.args.get("question").and_then(|text| text.as_str());
        question.unwrap_or(&item.gist).to_owned()
    }

    /// The possible answers, in a sentence.
    fn answer_hint(&self, item: &Item) -> String {
        let leave = "Ctrl-D leaves it in the inbox.";
        if is_plain_question(item) {
            let approve = if item.allow.accept { "DONE approves, " } else { "" };
            return format!(
                "Answer; a line that ends with \\ goes on, {EDIT} opens an editor, {approve}{leave}"
            );
        }
        let label = |word: &str, label: &Option<String>| match label {
            Some(label) => format!("{word} ({label})"),
            None => word.to_owned(),
        };
        let answers = [
            (item.allow.accept, label("accept", &item.labels.accept)),
            (item.allow.ignore, label("ignore", &item.labels.ignore)),
            (item.allow.respond, label("any other words", &item.labels.respond)),
        ];
        let answers: Vec<String> =
            answers.into_iter().filter(|(may, _)| *may).map(|(_, answer)| answer).collect();
        let edit =
            if item.allow.edit { format!(" `sayso edit {}` changes it.", item.id) } else { String::new() };
        format!("Type {}; {leave}{edit}", answers.join(", "))
    }

    /// The last line of a conversation that the user leaves.
    fn leave(&mut self, open: Option<&InterruptId>, status: Status) {
        self.screen.gap();
        let thread = &self.thread;
        let how = match open {
            Some(id) => format!(
                "You left; it waits in the inbox. `sayso respond {id} \"…\" --wait` goes on, `sayso show {id}` shows it."
            ),
            None if status.active() => format!(
                "You left while it was working; nothing is lost. `sayso run` continues thread \
                 {thread}, then `sayso list` shows what it asks."
            ),
            None => format!("You left; `sayso show {thread}` shows where it stands."),
        };
        self.screen.say(&how);
    }

    /// The last lines of a conversation that is over.
    async fn end(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        let thread = &self.thread;
        match outcome.status {
            Status::Done => {}
            Status::Abandoned => {
                self.screen
                    .say(&format!("Thread {thread} was abandoned; `sayso show {thread}` still shows it."));
                return Ok(());
            }
            Status::Ready
            | Status::Running
            | Status::Waiting
            | Status::Held
            | Status::Joining
            | Status::Trouble => {
                self.leave(None, outcome.status);
                return Ok(());
            }
        }
        match self.folder.inbox().decisions().result(self.thread.clone()).await {
            // It is already on the screen.
            Ok((_, card)) if self.shown.is_some() && card.blocks.first() == self.shown.as_ref() => {}
            Ok((_, card)) => self.screen.card(&card, false, &self.streamed),
            // It was filed away already.
            Err(InboxError::Conflict(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let file =
            outcome.output.as_ref().and_then(|output| output.get("file")).and_then(|file| file.as_str());
        if let Some(file) = file {
            self.screen.say(&format!("Written to {file}"));
        }
        let thread = &self.thread;
        self.screen.say(&format!(
            "Thread {thread} is done. `sayso continue {thread} \"…\"` goes on from here, `sayso show {thread}` shows all of it."
        ));
        // It was read here, so it need not wait in the inbox.
        file_away_result(self.folder, outcome).await
    }
}

/// The user's answer to a prompt.
enum PromptInput {
    Text(String),
    Left,
    /// Somebody else has answered.
    Elsewhere,
}

/// Whether everything typed is part of the answer.
fn is_plain_question(item: &Item) -> bool {
    item.kind == ItemKind::Interrupt(Kind::Question) && item.allow.respond
}

fn parse_input(item: &Item, words: String) -> ParsedInput {
    if is_plain_question(item) {
        return ParsedInput::Decision(Decision::Respond { text: words });
    }
    match words.trim().to_lowercase().as_str() {
        "accept" if item.allow.accept => ParsedInput::Decision(Decision::Accept),
        "ignore" if item.allow.ignore => ParsedInput::Decision(Decision::Ignore),
        "accept" | "ignore" | "edit" => ParsedInput::Unclear("That cannot be answered here.".to_owned()),
        // Short answers are meant for the question; we must not send them to the agent as a response.
        "y" | "yes" | "a" | "ok" | "run" => {
            ParsedInput::Unclear("To accept it, type the whole word: accept.".to_owned())
        }
        "n" | "no" | "i" | "q" | "quit" | "exit" => ParsedInput::Unclear(
            "To refuse it, type the whole word: ignore. Ctrl-D leaves it in the inbox.".to_owned(),
        ),
        _ if item.allow.respond => ParsedInput::Decision(Decision::Respond { text: words }),
        _ => ParsedInput::Unclear("Only the words above are understood here.".to_owned()),
    }
}

/// What is shown while the thread works.
struct Work {
    thread: ThreadId,
    node: Option<String>,
    bar: Option<String>,
    stream: Stream,
    since: Instant,
}

impl Work {
    fn new(thread: &ThreadId) -> Self {
        Self {
            thread: thread.clone(),
            node: None,
            bar: None,
            stream: Stream::default(),
            since: Instant::now(),
        }
    }

    fn take(&mut self, event: Progress, screen: &mut Screen) {
        match event {
            Progress::Started { thread, node } if thread == self.thread => {
                if self.node.as_ref() == Some(&node) && !self.stream.is_empty() {
                    std::mem::take(&mut self.stream).finish(screen);
                    screen.say("That was interrupted; trying again:");
                }
                (self.node, self.bar) = (Some(node), None);
            }
            Progress::Text { thread, delta } if thread == self.thread => self.stream.feed(&delta, screen),
            Progress::Bar { thread, what, done, total } if thread == self.thread => {
                self.bar = Some(format!("{what} {done} of {total}"));
            }
            Progress::Started { .. }
            | Progress::Text { .. }
            | Progress::Bar { .. }
            | Progress::Finished { .. }
            | Progress::Unreachable { .. } => {}
        }
    }

    fn show(&self, driver: Option<u32>, screen: &mut Screen) {
        let seconds = self.since.elapsed().as_secs();
        let what = match (driver, &self.bar, &self.node) {
            (Some(pid), ..) => format!("process {pid} is running it; watching"),
            (None, Some(bar), _) => bar.clone(),
            (None, None, Some(node)) => node.replace('_', " "),
            (None, None, None) => "working".to_owned(),
        };
        let what = if seconds > 1 { format!("{what} · {seconds} s") } else { what };
        screen.status(&what, &self.stream.unfinished_line());
    }
}
