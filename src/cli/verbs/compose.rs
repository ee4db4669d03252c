//! `sayso mail compose` and `mail forward`: mail that a person begins.

use crate::cli::context::OpenFolder;
use crate::cli::drive::WaitArgs;
use crate::cli::failure::{Exit, Failure};
use crate::cli::output::Output;
use crate::cli::text_input::text_or_stdin;
use crate::inbox::door::{Letter, new_mail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

use super::attachments::thread;

/// A new mail.
#[derive(Debug, clap::Args)]
pub(super) struct Compose {
    #[command(flatten)]
    people: People,
    /// What it is about
    #[arg(long, value_name = "TEXT")]
    subject: String,
    /// The text; `-` reads it from stdin
    text: String,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    waiting: WaitArgs,
}

/// A mail that forwards another.
#[derive(Debug, clap::Args)]
pub(super) struct Forward {
    /// An interrupt or a thread about mail
    id: String,
    #[command(flatten)]
    people: People,
    /// In place of "Fwd:" and the mail's subject
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// Words above the mail; `-` reads them from stdin
    text: Option<String>,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    waiting: WaitArgs,
}

#[derive(Debug, clap::Args)]
struct People {
    /// The address it leaves from, if you have several accounts
    #[arg(long, value_name = "ADDRESS")]
    from: Option<String>,
    /// Whom it goes to; repeat it for several
    #[arg(long, value_name = "ADDRESS", required = true)]
    to: Vec<String>,
    /// Who gets a copy
    #[arg(long, value_name = "ADDRESS")]
    cc: Vec<String>,
    /// Who gets a copy unseen by the others
    #[arg(long, value_name = "ADDRESS")]
    bcc: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct Files {
    /// A file to attach; repeat it for several
    #[arg(long = "attach", value_name = "FILE")]
    attach: Vec<PathBuf>,
}

impl Compose {
    pub(super) async fn run(self, folder: &OpenFolder) -> Result<Output, Failure> {
        let mut letter = new_mail();
        letter.args = json!({ "subject": self.subject, "content": text_or_stdin(&self.text)? });
        send(folder, letter, self.people, self.files, &self.waiting).await
    }
}

impl Forward {
    pub(super) async fn run(self, folder: &OpenFolder) -> Result<Output, Failure> {
        let thread = thread(folder, &self.id).await?;
        let mut letter = folder.inbox().mail().forward(thread).await?;
        if let Some(subject) = self.subject {
            letter.args["subject"] = Value::from(subject);
        }
        if let Some(text) = self.text {
            letter.args["content"] = Value::from(text_or_stdin(&text)?);
        }
        send(folder, letter, self.people, self.files, &self.waiting).await
    }
}

async fn send(
    folder: &OpenFolder,
    mut letter: Letter,
    people: People,
    files: Files,
    waiting: &WaitArgs,
) -> Result<Output, Failure> {
    let People { from, to, cc, bcc } = people;
    if let Some(from) = from {
        letter.args["from"] = Value::from(from);
    }
    (letter.args["to"], letter.args["cc"], letter.args["bcc"]) = (json!(to), json!(cc), json!(bcc));
    let mut attachments = letter.args["attachments"].as_array().cloned().unwrap_or_default();
    for path in &files.attach {
        attachments.push(Value::from(full_path(path)?));
    }
    letter.args["attachments"] = Value::from(attachments);
    let outcome = folder.inbox().mail().send(letter).await;
    let outcome = outcome.map_err(|error| Failure::from_inbox(&error, Exit::Usage))?;
    waiting.follow(folder, outcome).await
}

/// The process that reads the file may run in another folder than the person typed in.
fn full_path(path: &Path) -> Result<String, Failure> {
    let full = std::path::absolute(path).ok();
    let full = full.and_then(|full| full.to_str().map(str::to_owned));
    full.ok_or_else(|| Failure::usage(format!("{} is not a path to a file", path.display())))
}
