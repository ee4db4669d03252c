//! `sayso memory`: what was learned, and its versions.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::{Format, Output};
use crate::cli::table::{cut, full, right, table};
use crate::inbox::{MemoryVersion, MemoryView};
use crate::text::read_error_text;
use crate::tui;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Show and change what was learned from your answers
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "ACTION",
    subcommand_help_heading = "Actions",
    after_help = "NS is a namespace, or its last part where no other has the same. A line is named by its text, by a part \
    of it that no other line has, or by its number.\n\nExamples:\n  \
    sayso memory list\n  \
    sayso memory show response_preferences\n  \
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
    /// Every namespace with its newest version
    List,
    /// One profile as it stands
    Show {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: String,
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
            Action::Show { namespace } => inbox.memory().show(namespace).await,
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
                    let edited = inbox.memory().edit(read.namespace, read.version, profile).await;
                    return show_view(&folder, &edited?);
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
        (Some(text), _) if text == "-" => std::io::read_to_string(std::io::stdin())
            .map(Some)
            .map_err(|e| Failure::usage(format!("stdin cannot be read: {e}; pipe UTF-8 text into it"))),
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

async fn list(folder: &OpenFolder) -> Result<Output, Failure> {
    let lines = folder.inbox().memory().list().await?;
    folder.format.answer(&lines, |format| {
        if lines.is_empty() {
            return format!("Nothing has been learned yet in {}.\n", folder.path);
        }
        let row = |line: &crate::inbox::MemoryLine| {
            let first = line.profile.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let (version, age) = (line.version.to_string(), format.age(line.updated_at));
            [line.namespace.clone(), version, line.cause.clone(), age, first.trim().to_owned()]
        };
        let rows: Vec<_> = lines.iter().map(row).collect();
        let columns = [full("NAMESPACE"), right("VERSION"), full("CAUSE"), right("AGE"), cut("PROFILE")];
        table(format, columns, &rows)
    })
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
