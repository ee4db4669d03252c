//! `sayso mail attachments`, `save` and `open`: the attachments of a mail.

use crate::cli::context::OpenFolder;
use crate::cli::failure::Failure;
use crate::cli::ids::{Target, target};
use crate::cli::output::Output;
use crate::cli::table::{cut, full, right, table};
use crate::engine::graph::ThreadId;
use crate::inbox::InboxError;
use crate::inbox::door::{AttachedFile, Programs};
use serde_json::json;
use std::path::PathBuf;

/// The mail whose attachments are listed.
#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// An interrupt or a thread about mail
    id: String,
}

/// The attachment to save, and the folder it goes to.
#[derive(Debug, clap::Args)]
pub(super) struct Save {
    /// An interrupt or a thread about mail
    id: String,
    /// Its number in `sayso mail attachments`
    #[arg(default_value_t = 1)]
    n: usize,
    /// The folder it is written to
    #[arg(long, value_name = "DIR", default_value = ".")]
    to: PathBuf,
    /// Save it although it can run programs when it is opened
    #[arg(long)]
    anyway: bool,
}

/// The attachment to open.
#[derive(Debug, clap::Args)]
pub(super) struct Open {
    /// An interrupt or a thread about mail
    id: String,
    /// Its number in `sayso mail attachments`
    #[arg(default_value_t = 1)]
    n: usize,
}

pub(super) async fn thread(folder: &OpenFolder, id: &str) -> Result<ThreadId, Failure> {
    Ok(match target(id)? {
        Target::Interrupt(id) => folder.inbox().decisions().card(id).await?.0.thread,
        Target::Result(thread) => folder.inbox().threads().view(thread).await?.id,
    })
}

impl List {
    pub(super) async fn run(self, folder: &OpenFolder) -> Result<Output, Failure> {
        let thread = thread(folder, &self.id).await?;
        let files = folder.inbox().mail().attachments(thread).await?;
        folder.format.answer(&files, |format| {
            if files.is_empty() {
                return "Nothing is attached.\n".to_owned();
            }
            let row = |file: &AttachedFile| {
                let warning = if file.program { "CAN RUN PROGRAMS" } else { "" };
                [
                    file.n.to_string(),
                    file.bytes.to_string(),
                    file.kind.clone(),
                    file.from.clone(),
                    warning.to_owned(),
                    file.name.clone(),
                ]
            };
            let rows: Vec<_> = files.iter().map(row).collect();
            let columns =
                [right("N"), right("BYTES"), full("TYPE"), full("FROM"), full("WARNING"), cut("NAME")];
            table(format, columns, &rows)
        })
    }
}

impl Save {
    pub(super) async fn run(self, folder: &OpenFolder) -> Result<Output, Failure> {
        let thread = thread(folder, &self.id).await?;
        let programs = if self.anyway { Programs::Save } else { Programs::Refuse };
        let saved = folder.inbox().mail().save_attachment(thread, self.n, self.to, programs).await;
        let path = saved.map_err(|error| match error {
            InboxError::RunsPrograms(_) => {
                Failure::failed(format!("{error}; --anyway saves it all the same"))
            }
            error => error.into(),
        })?;
        let path = path.display().to_string();
        folder.format.answer(&json!({ "path": path }), |_| format!("{path}\n"))
    }
}

impl Open {
    pub(super) async fn run(self, folder: &OpenFolder) -> Result<Output, Failure> {
        let thread = thread(folder, &self.id).await?;
        let path = folder.inbox().mail().open_attachment(thread, self.n).await?;
        let path = path.display().to_string();
        folder.format.answer(&json!({ "path": path }), |_| format!("opened {path}\n"))
    }
}
