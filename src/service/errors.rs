//! Store errors in words for people.

use crate::inbox::{InboxError, Refusal};
use crate::store::StoreError;
use crate::text::suggest;

/// How many ids are named when several match.
const SHOWN_IDS: usize = 4;

/// The error for an unknown workflow, with a suggestion if a known name is close.
pub(super) fn unknown_workflow(name: &str, known: &[&str]) -> InboxError {
    let hint = suggest(name, known, "none is built in");
    InboxError::NotFound { what: "workflow", id: name.to_owned(), hint }
}

impl From<StoreError> for InboxError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unknown(what, id) => {
                let hint = match what {
                    "interrupt" | "item" => "`sayso list` shows what is open",
                    "grant" => "`sayso grants` shows them all",
                    "memory" => "`sayso memory list` shows them all",
                    "version" => "`sayso memory history` shows them all",
                    _ => "`sayso threads` shows them all",
                };
                InboxError::NotFound { what, id, hint: hint.to_owned() }
            }
            StoreError::Ambiguous { id, some } => {
                let more = if some.len() > SHOWN_IDS { ", …" } else { "" };
                let shown = some.iter().take(SHOWN_IDS).map(String::as_str).collect::<Vec<_>>().join(", ");
                InboxError::Ambiguous { id, count: some.len(), some: format!("{shown}{more}") }
            }
            StoreError::NotOpen { id, why } => InboxError::NotOpen { id, why },
            StoreError::Refused { id, refusal: Refusal::Stale } => InboxError::Stale { id },
            StoreError::Refused { id, refusal } => InboxError::Refused { id, refusal },
            StoreError::Conflict(text) => InboxError::Conflict(text),
            other => InboxError::Failed(other.to_string()),
        }
    }
}
