//! `sayso mail`: lists mail and its outcome, fetches it, writes and forwards it, and puts it away.

use crate::app::{Step, Synced, Until};
use crate::cli::context::{Context, OpenFolder};
use crate::cli::drive::{Signals, drive_until};
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::Output;
use crate::cli::pages;
use crate::cli::progress::Bar;
use crate::cli::table::{cut, full, name, right, table};
use crate::inbox::MailLine;
use crate::inbox::door::{Destination, MailMove};
use crate::text::count_noun;
use std::time::Duration;

use super::attachments;
use super::compose::{Compose, Forward};
use super::put_away::{Mails, MoveTo};
use super::unsubscribe::Unsubscribe;

/// How long another process that drives may take to look at every mailbox.
const SYNC_TIMEOUT: Duration = Duration::from_secs(120);

/// List mail with its threads, fetch what is new, write, forward, or put mail away
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:\n  \
    sayso mail --limit 20\n  \
    sayso mail --json | jq '.[] | select(.class == \"ignore\")'\n  \
    sayso mail sync")]
pub struct Args {
    /// At most this many, the newest first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Check every mailbox now, and triage what is new
    #[command(
        after_help = "It fetches mail and drives the threads until they ask you something or finish, so `sayso list` shows what \
        came in. If another process is driving, that one is asked to check. It exits with 1 if a mailbox failed; the \
        report is printed all the same.\n\nExamples:\n  \
        sayso mail sync && sayso list\n  \
        sayso mail sync --json"
    )]
    Sync,
    /// Write a new mail
    #[command(
        after_help = "You wrote it, so you are not asked again: it is held for a moment when it runs, and then sent. With a \
        warning it waits as a card.\n\nExamples:\n  \
        sayso mail compose --to ines@example.org --subject Lunch 'How about Friday?' --wait\n  \
        sayso mail compose --to ines@example.org --subject Plan --attach plan.pdf -"
    )]
    Compose(Compose),
    /// Forward a mail, with what is attached to it
    #[command(after_help = "Examples:\n  sayso mail forward i7k2 --to ines@example.org 'What do you think?'")]
    Forward(Forward),
    /// Take mails out of the inbox, into the archive
    #[command(after_help = "Examples:\n  sayso mail archive i7k2\n  sayso mail archive t3h8 t9f --yes")]
    Archive(Mails),
    /// Move mails to the trash
    #[command(after_help = "Examples:\n  sayso mail delete i7k2\n  sayso mail delete t3h8 t9f --yes")]
    Delete(Mails),
    /// Move mails to the spam folder
    #[command(after_help = "Examples:\n  sayso mail spam i7k2")]
    Spam(Mails),
    /// Move mails to another folder
    #[command(after_help = "Examples:\n  sayso mail move i7k2 --to Travel")]
    Move(MoveTo),
    /// Mute conversations: new mail in them is skipped, unless it has a warning or is about your own money
    #[command(after_help = "`sayso mail restore` undoes it.\n\nExamples:\n  sayso mail mute i7k2")]
    Mute(Mails),
    /// List what is attached to the mails of a thread
    #[command(after_help = "Examples:\n  sayso mail attachments i7k2")]
    Attachments(attachments::List),
    /// Save something attached; what can run programs only with --anyway
    #[command(after_help = "Examples:\n  sayso mail save i7k2 1 --to ~/Downloads")]
    Save(attachments::Save),
    /// Open a copy of something attached with the system's program
    #[command(
        after_help = "Files that can run programs are not opened.\n\nExamples:\n  sayso mail open i7k2 1"
    )]
    Open(attachments::Open),
    /// Leave the mailing list a mail came from; asks first
    #[command(
        after_help = "A card shows what would be sent; nothing leaves before you accept it.\n\nExamples:\n  \
        sayso mail unsubscribe i7k2"
    )]
    Unsubscribe(Unsubscribe),
    /// Put back mails that were archived, deleted, marked as spam, moved or muted
    #[command(after_help = "Examples:\n  sayso mail restore t3h8")]
    Restore(Mails),
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        match self.verb {
            Some(Verb::Sync) => sync(&folder).await,
            Some(Verb::Compose(compose)) => compose.run(&folder).await,
            Some(Verb::Forward(forward)) => forward.run(&folder).await,
            Some(Verb::Archive(mails)) => mails.run(&folder, &MailMove::Away(Destination::Archive)).await,
            Some(Verb::Delete(mails)) => mails.run(&folder, &MailMove::Away(Destination::Trash)).await,
            Some(Verb::Spam(mails)) => mails.run(&folder, &MailMove::Away(Destination::Spam)).await,
            Some(Verb::Move(to)) => to.run(&folder).await,
            Some(Verb::Mute(mails)) => mails.run(&folder, &MailMove::Mute).await,
            Some(Verb::Attachments(list)) => list.run(&folder).await,
            Some(Verb::Save(save)) => save.run(&folder).await,
            Some(Verb::Open(open)) => open.run(&folder).await,
            Some(Verb::Unsubscribe(leave)) => leave.run(&folder).await,
            Some(Verb::Restore(mails)) => mails.run(&folder, &MailMove::Back).await,
            None => list(&folder, self.limit.and_then(|limit| usize::try_from(limit).ok())).await,
        }
    }
}

async fn list(folder: &OpenFolder, limit: Option<usize>) -> Result<Output, Failure> {
    let mails = pages::mails(folder.inbox(), limit).await?;
    folder.format.answer(&mails, |format| {
        if mails.is_empty() {
            return match folder.intake() {
                Some(_) => "No mail yet; `sayso mail sync` checks for some.\n".to_owned(),
                None => format!("No mail has come: {}.\n", folder.no_account()),
            };
        }
        let row = |mail: &MailLine| {
            [
                format.age(mail.came_at),
                mail.account.clone(),
                mail.thread.as_ref().map(ToString::to_string).unwrap_or_else(|| "-".to_owned()),
                became(mail),
                if mail.from.is_empty() { "(no address)".to_owned() } else { mail.from.clone() },
                mail.subject.clone(),
            ]
        };
        let rows: Vec<_> = mails.iter().map(row).collect();
        let columns =
            [right("AGE"), full("ACCOUNT"), full("THREAD"), full("BECAME"), name("FROM"), cut("SUBJECT")];
        table(format, columns, &rows)
    })
}

/// The outcome of a mail, in a word or two.
fn became(mail: &MailLine) -> String {
    match (&mail.class, &mail.outcome, &mail.status) {
        (Some(class), Some(outcome), _) if class != outcome => format!("{class}, {outcome}"),
        (Some(class), Some(_), _) => class.clone(),
        (None, Some(outcome), _) => outcome.clone(),
        (Some(class), None, Some(status)) => format!("{class}, {status}"),
        (None, None, Some(status)) if mail.state == "thread" => status.to_string(),
        (Some(class), None, None) => class.clone(),
        (None, None, _) => mail.state.clone(),
    }
}

async fn sync(folder: &OpenFolder) -> Result<Output, Failure> {
    let Some(intake) = folder.intake() else {
        return Err(Failure::usage(folder.no_account()));
    };
    let bar = Bar::new(folder.format.is_json());
    let step = |step: Step<'_>| bar.show(step.source, step.done, step.total);
    let synced = intake.sync_here_or_in_driver(&step, SYNC_TIMEOUT).await?;
    bar.clear();
    let Some(synced) = synced else {
        let text = "the running process has not checked every mailbox; `sayso doctor` shows how they are";
        return Err(Failure::failed(text));
    };
    // Also triages mail of an earlier look that was cut short.
    let scope = intake.threads()?;
    drive_until(folder, &scope, Until::Idle, None, &mut Signals::listen(), |_| {})
        .await?
        .ensure_rested("`sayso run` triages the rest")?;
    let well = synced.iter().all(|synced| synced.error.is_none());
    let answer = folder.format.answer(&synced, |_| synced.iter().map(line).collect())?;
    Ok(answer.with_exit(if well { Exit::Done } else { Exit::Failed }))
}

fn line(synced: &Synced) -> String {
    let mut text = format!(
        "{}: {} new, {} started",
        synced.source,
        count_noun(synced.new, "mail"),
        count_noun(synced.started, "thread")
    );
    if let Some(error) = &synced.error {
        text += &format!("; FAILED: {error}");
    }
    text + "\n"
}
