//! `sayso mail archive`, `delete`, `spam`, `move`, `mute` and `restore`.

use crate::app::{Scope, Until};
use crate::cli::context::OpenFolder;
use crate::cli::drive::{Signals, drive_until};
use crate::cli::failure::{Exit, Failure};
use crate::cli::ids::{Target, target};
use crate::cli::output::Output;
use crate::engine::graph::ThreadId;
use crate::inbox::door::{Destination, MailMove};
use crate::text::Visible;
use serde::Serialize;

/// The mails to move, by their items or threads.
#[derive(Debug, clap::Args)]
pub(super) struct Mails {
    /// Interrupts or threads about mail
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Do it for several at once; without it they are only listed
    #[arg(long)]
    yes: bool,
}

/// The mails to move, and the folder they go to.
#[derive(Debug, clap::Args)]
pub(super) struct MoveTo {
    #[command(flatten)]
    mails: Mails,
    /// The folder
    #[arg(long, value_name = "FOLDER")]
    to: String,
}

impl MoveTo {
    pub(super) async fn run(self, folder: &OpenFolder) -> Result<Output, Failure> {
        let to = Destination::Folder(self.to);
        self.mails.run(folder, &MailMove::Away(to)).await
    }
}

/// The result of moving one mail.
#[derive(Serialize)]
struct Moved {
    thread: ThreadId,
    title: String,
    done: bool,
    error: Option<String>,
}

impl Mails {
    /// Moves the mails one after the other. If one cannot be moved, it is named, and the others still are moved; a signal
    /// ends all of it.
    pub(super) async fn run(self, folder: &OpenFolder, mail_move: &MailMove) -> Result<Output, Failure> {
        let mut threads: Vec<(ThreadId, String)> = Vec::new();
        for id in &self.ids {
            let thread = match target(id)? {
                Target::Interrupt(id) => folder.inbox().decisions().card(id).await?.0.thread,
                Target::Result(thread) => thread,
            };
            let view = folder.inbox().threads().view(thread).await?;
            if !threads.iter().any(|(known, _)| *known == view.id) {
                threads.push((view.id, view.title));
            }
        }
        let mut moved = Vec::new();
        let only_listed = threads.len() > 1 && !self.yes;
        let mut signals = Signals::listen();
        for (thread, title) in threads {
            let outcome = if only_listed {
                None
            } else if signals.have_come().await {
                Some(Err(Failure::failed("interrupted before it was begun")))
            } else {
                Some(move_one(folder, &thread, mail_move, &mut signals).await)
            };
            let error = match &outcome {
                Some(Err(failure)) => Some(failure.text().to_owned()),
                Some(Ok(())) | None => None,
            };
            moved.push(Moved { thread, title, done: matches!(outcome, Some(Ok(()))), error });
        }
        let answer = folder.format.answer(&moved, |_| text(&moved, mail_move, only_listed))?;
        let well = moved.iter().all(|moved| moved.error.is_none());
        Ok(answer.with_exit(if well { Exit::Done } else { Exit::Failed }))
    }
}

async fn move_one(
    folder: &OpenFolder,
    thread: &ThreadId,
    mail_move: &MailMove,
    signals: &mut Signals,
) -> Result<(), Failure> {
    let by = folder.inbox().mail().begin_move(thread, mail_move, None).await?;
    let mail = folder.inbox().mail();
    folder.app().run_with_background(mail.end_move(thread, mail_move, &by, signals.received())).await?;
    // If the mail's own thread was at work when the mail went away, it goes on.
    drive(folder, std::slice::from_ref(thread), signals).await
}

pub(super) async fn drive(
    folder: &OpenFolder,
    threads: &[ThreadId],
    signals: &mut Signals,
) -> Result<(), Failure> {
    let scope = Scope::Only(threads.iter().cloned().collect());
    drive_until(folder, &scope, Until::Idle, None, signals, |_| {})
        .await?
        .ensure_rested("`sayso run` goes on with it")?;
    Ok(())
}

fn text(moved: &[Moved], mail_move: &MailMove, only_listed: bool) -> String {
    let line = |moved: &Moved| {
        let what = match (&moved.error, only_listed) {
            (Some(error), _) => format!("FAILED: {error}"),
            (None, true) => format!("would be {}", mail_move.done()),
            (None, false) => mail_move.done(),
        };
        format!("{}  {}: {}\n", moved.thread, Visible::line(&moved.title), Visible::line(&what))
    };
    let mut out: String = moved.iter().map(line).collect();
    if only_listed {
        out.push_str("Nothing was done yet; --yes does it.\n");
    } else if moved.iter().any(|moved| moved.done) {
        out.push_str(match mail_move {
            MailMove::Away(_) => {
                "`sayso mail restore` with the same id puts it back while the mailbox still has it.\n"
            }
            MailMove::Mute => "`sayso mail restore` with the same id shows the conversation again.\n",
            MailMove::Back => "",
        });
    }
    out
}
