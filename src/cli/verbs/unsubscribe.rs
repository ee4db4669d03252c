//! `sayso mail unsubscribe`: leaves a mailing list, after asking.

use crate::cli::context::OpenFolder;
use crate::cli::drive::Signals;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use serde_json::json;

use super::attachments::thread;
use super::put_away::drive;

/// The mail whose list is to be left.
#[derive(Debug, clap::Args)]
pub(super) struct Unsubscribe {
    /// An interrupt or a thread about mail
    id: String,
}

impl Unsubscribe {
    /// Lets the thread ask; nothing is sent before the user decides.
    pub(super) async fn run(self, folder: &OpenFolder) -> Result<Output, Failure> {
        let thread = thread(folder, &self.id).await?;
        folder.inbox().mail().unsubscribe(thread.clone()).await?;
        drive(folder, std::slice::from_ref(&thread), &mut Signals::listen()).await?;
        let view = folder.inbox().threads().view(thread).await?;
        let card = view.questions.last().map(|question| question.id.to_string());
        folder.format.answer(&json!({ "thread": view.id, "card": card }), |_| match &card {
            Some(id) => {
                format!("Nothing was sent yet. See it with `sayso show {id}`; `sayso accept {id}` unsubscribes you.\n")
            }
            None => "No process is running threads now; `sayso run` lets it ask.\n".to_owned(),
        })
    }
}
