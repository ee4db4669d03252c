//! Why a thread was set aside.

use serde::{Deserialize, Serialize};

/// Why a thread was set aside: its mail went away, or is not to be shown. It goes on where it was once the mail is back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SetAside {
    Archived,
    Deleted,
    Spam,
    /// To this folder.
    Moved(String),
    /// Its conversation is no longer shown.
    Muted,
    /// Its mailbox no longer has it.
    Gone,
}

impl SetAside {
    /// The word for scripts, and in the record of mails.
    pub fn word(&self) -> &'static str {
        self.into()
    }

    /// A sentence for anyone who still tries to answer.
    pub fn sentence(&self) -> String {
        match self {
            SetAside::Archived => "you have archived it".to_owned(),
            SetAside::Deleted => "you have deleted it".to_owned(),
            SetAside::Spam => "you have marked it as spam".to_owned(),
            SetAside::Moved(folder) => format!("you have moved it to {folder}"),
            SetAside::Muted => "you have muted its conversation".to_owned(),
            SetAside::Gone => "the mail is no longer in its mailbox".to_owned(),
        }
    }
}
