//! `sayso memory`: what sayso does by itself, what was learned, and its versions.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::{Format, Output};
use crate::cli::table::{cut, full, right, table};
use crate::cli::text_input::read_stdin;
use crate::inbox::door::rows_named;
use crate::inbox::{
    MemoryItem, MemoryLine, MemoryVersion, MemoryView, RowAnswer, RowChange, RowKey, RowLine,
};
use crate::text::{Visible, read_error_text};
use crate::tui;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Show and change what was learned from your answers
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "ACTION",
    subcommand_help_heading = "Actions",
    after_help = "NS is a namespace, or its last part where no other has the same. A line is named by its text, by a part \
    of it that no other line has, or by its number.\n\nA row says what sayso does with some mail by itself. ROW is an \
    address, a domain (@shop.example), a list (list:ID), a kind (kind:newsletters, kind:discussions, \
    kind:notices) or a conversation (conversation:THREAD). ANSWER is first, show, lower or skip. Apart from a \
    conversation, only mail sent to many, by a sender your mail server has checked, is ever skipped.\n\nExamples:\n  \
    sayso memory list\n  \
    sayso memory show response_preferences\n  \
    sayso memory show list:offers.shop.example\n  \
    sayso memory set list:offers.shop.example skip\n  \
    sayso memory pause ines@studio.example\n  \
    sayso memory edit response_preferences\n  \
    sayso memory edit response_preferences --file profile.md\n  \
    sayso memory pin response_preferences \"Never promise dates\"\n  \
    sayso memory revert response_preferences 3"
)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Every row, and every namespace with its newest version
    List,
    /// One profile as it stands, or a row with the mails it decided
    Show {
        /// The namespace, or the row
        #[arg(value_name = "NS|ROW")]
        name: String,
    },
    /// Make or change a row
    Set {
        /// The mail it is about
        row: RowKey,
        /// What to do with it
        answer: RowAnswer,
    },
    /// Leave a row aside
    Pause {
        /// The mail it is about
        row: RowKey,
    },
    /// Act on a paused row again
    Resume {
        /// The mail it is about
        row: RowKey,
    },
    /// Delete a row
    Delete {
        /// The mail it is about
        row: RowKey,
    },
    /// All versions of a profile, newest first
    History {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: String,
    },
    /// Rewrite a profile: in $EDITOR, or from text
    Edit {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: String,
        /// The whole profile; - reads it from stdin
        #[arg(long, value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
        text: Option<String>,
        /// The whole profile, from this file
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Pin a line, so that nothing learned drops it
    Pin {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: String,
        /// The line
        #[arg(allow_hyphen_values = true)]
        line: String,
    },
    /// Unpin a line
    Unpin {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: String,
        /// The line
        #[arg(allow_hyphen_values = true)]
        line: String,
    },
    /// Make an earlier version the newest again
    Revert {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: String,
        /// The version
        version: u64,
    },
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let folder = context.open()?;
        let inbox = folder.inbox();
        let view = match self.action {
            Action::List => return list(&folder).await,
            Action::History { namespace } => return history(&folder, namespace).await,
            Action::Set { row, answer } => return change(&folder, row, RowChange::Set { answer }).await,
            Action::Pause { row } => return change(&folder, row, RowChange::Paused).await,
            Action::Resume { row } => return change(&folder, row, RowChange::Resumed).await,
            Action::Delete { row } => return change(&folder, row, RowChange::Deleted).await,
            Action::Show { name } => match name.parse::<RowKey>() {
                Ok(key) if inbox.memory().row(key.clone()).await.is_ok() => {
                    return show_row(&folder, key).await;
                }
                _ => inbox.memory().show(name).await,
            },
            Action::Pin { namespace, line } => inbox.memory().pin(namespace, line, true).await,
            Action::Unpin { namespace, line } => inbox.memory().pin(namespace, line, false).await,
            Action::Revert { namespace, version } => inbox.memory().revert(namespace, version).await,
            Action::Edit { namespace, text, file } => {
                let read = inbox.memory().show(namespace).await.map_err(|error| usage(&error))?.newest;
                let profile = match text_from_flags(text, file)? {
                    Some(profile) => profile,
                    None => edit_in_editor(&folder, &read)?,
                };
                if profile.trim().is_empty() {
                    return Err(Failure::usage("the profile would be empty; write at least one line"));
                }
                if profile.trim_end() == read.profile.trim_end() {
                    inbox.memory().show(read.namespace).await
                } else {
                    // Fails if the profile changed while it was edited.
                    let named = rows_named(&read.namespace, &read.profile, &profile);
                    let edited = inbox.memory().edit(read.namespace, read.version, profile).await?;
                    offer(&folder, named);
                    return show_view(&folder, &edited);
                }
            }
        };
        show_view(&folder, &view.map_err(|error| usage(&error))?)
    }
}

/// A conflict here means that the wrong thing was typed.
fn usage(error: &crate::inbox::InboxError) -> Failure {
    Failure::from_inbox(error, Exit::Usage)
}

fn text_from_flags(text: Option<String>, file: Option<PathBuf>) -> Result<Option<String>, Failure> {
    match (text, file) {
        (Some(text), _) if text == "-" => read_stdin().map(Some),
        (Some(text), _) => Ok(Some(text)),
        (None, Some(file)) => std::fs::read_to_string(&file).map(Some).map_err(|e| {
            Failure::usage(format!(
                "{} cannot be read: {}; name a file of UTF-8 text",
                file.display(),
                read_error_text(&e)
            ))
        }),
        (None, None) => Ok(None),
    }
}

fn edit_in_editor(folder: &OpenFolder, read: &MemoryVersion) -> Result<String, Failure> {
    if folder.format.is_json() || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(Failure::usage("an editor needs a terminal; give the profile with --text or --file"));
    }
    tui::edit(&read.profile, "md").map_err(Failure::failed)
}

/// Says what sayso itself can act on in the text that was written.
fn offer(folder: &OpenFolder, named: Option<Vec<RowKey>>) {
    let note = match named.as_deref() {
        _ if folder.format.is_json() => return,
        None => return,
        Some([]) => {
            "Only a model reads this text; `sayso memory set ROW ANSWER` makes sayso itself act.".to_owned()
        }
        Some(keys) => {
            let rows = keys.iter().map(|key| format!("  sayso memory set {key} first|show|lower|skip\n"));
            format!(
                "Only a model reads this text. To make sayso itself act on it:\n{}",
                rows.collect::<String>()
            )
        }
    };
    eprintln!("{}", note.trim_end());
}

async fn change(folder: &OpenFolder, key: RowKey, change: RowChange) -> Result<Output, Failure> {
    let row = folder.inbox().memory().change_row(key.clone(), change).await.map_err(|error| usage(&error))?;
    folder.format.answer(&row, |_| match &row {
        Some(line) => format!("{} ({})\n", line.row.sentence(), <&str>::from(line.row.state)),
        None => format!("deleted: the row about {}\n", key.words()),
    })
}

async fn show_row(folder: &OpenFolder, key: RowKey) -> Result<Output, Failure> {
    let view = folder.inbox().memory().row(key).await?;
    folder.format.answer(&view, |format| {
        let RowLine { row, applied, subject, .. } = &view.line;
        let (confirmed, corrected) = (row.confirmed, row.corrected);
        let state: &str = row.state.into();
        let mut out = format!(
            "{} · {state} · {confirmed} decisions, {corrected} corrections · {applied} mails\n",
            row.sentence()
        );
        out.extend(subject.iter().map(|subject| format!("subject: {}\n", Visible::line(subject))));
        for decision in &row.decisions {
            let answer =
                decision.interrupt.as_ref().map_or_else(|| "reclassified".to_owned(), ToString::to_string);
            out.push_str(&format!("from {answer} of thread {}\n", decision.thread));
        }
        let mails = view.mails.iter().map(|mail| {
            let became = mail.outcome.clone().or_else(|| mail.class.clone()).unwrap_or_default();
            [format.age(mail.came_at), became, mail.from.clone(), mail.subject.clone()]
        });
        let mails: Vec<_> = mails.collect();
        if !mails.is_empty() {
            out.push('\n');
            out.push_str(&table(
                format,
                [right("AGE"), full("BECAME"), full("FROM"), cut("SUBJECT")],
                &mails,
            ));
        }
        out
    })
}

async fn list(folder: &OpenFolder) -> Result<Output, Failure> {
    let items = folder.inbox().memory().list().await?;
    folder.format.answer(&items, |format| {
        if items.is_empty() {
            return format!("Nothing has been learned yet in {}.\n", folder.path);
        }
        let (mut rows, mut profiles) = (Vec::new(), Vec::new());
        for item in &items {
            match item {
                MemoryItem::Row(line) => rows.push(row_cells(format, line)),
                MemoryItem::Profile(line) => profiles.push(profile_cells(format, line)),
            }
        }
        let columns =
            [full("ROW"), full("ANSWER"), full("STATE"), right("DECISIONS"), right("MAILS"), right("LAST")];
        let rows =
            if rows.is_empty() { String::new() } else { format!("{}\n", table(format, columns, &rows)) };
        let columns = [full("NAMESPACE"), right("VERSION"), full("CAUSE"), right("AGE"), cut("PROFILE")];
        format!("{rows}{}", table(format, columns, &profiles))
    })
}

fn row_cells(format: &Format, line: &RowLine) -> [String; 6] {
    let RowLine { row, applied_at, applied, .. } = line;
    let state: &str = row.state.into();
    let last = applied_at.map(|at| format.age(at)).unwrap_or_default();
    let (key, answer) = (row.key.to_string(), row.answer.word().to_owned());
    [key, answer, state.to_owned(), row.confirmed.to_string(), applied.to_string(), last]
}

fn profile_cells(format: &Format, line: &MemoryLine) -> [String; 5] {
    let first = line.profile.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let (version, age) = (line.version.to_string(), format.age(line.updated_at));
    [line.namespace.clone(), version, line.cause.clone(), age, first.trim().to_owned()]
}

async fn history(folder: &OpenFolder, namespace: String) -> Result<Output, Failure> {
    let versions = folder.inbox().memory().history(namespace).await.map_err(|error| usage(&error))?;
    folder.format.answer(&versions, |format| {
        let blocks: Vec<String> = versions
            .iter()
            .map(|version| format!("{}\n\n{}\n", head(format, version), version.profile.trim_end()))
            .collect();
        blocks.join("\n")
    })
}

fn head(format: &Format, version: &MemoryVersion) -> String {
    let cause = &version.cause;
    let answer = cause.interrupt.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
    let thread = cause.thread.as_ref().map(|id| format!(" of thread {id}")).unwrap_or_default();
    let at = format.time(version.updated_at);
    format!("{} · version {} · {}{answer}{thread} · {at}", version.namespace, version.version, cause.kind)
}

fn show_view(folder: &OpenFolder, view: &MemoryView) -> Result<Output, Failure> {
    folder.format.answer(view, |format| {
        let mut out = format!("{}\n\n{}\n", head(format, &view.newest), view.newest.profile.trim_end());
        if !view.pinned.is_empty() {
            out.push_str("\nPinned:\n");
            view.pinned.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        }
        out
    })
}
