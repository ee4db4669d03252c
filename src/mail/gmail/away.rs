//! Puts mail away by removing and adding labels.

use super::find;
use super::labels::Labels;
use super::wire;
use crate::mail::{Destination, MailError, UndoToken};
use crate::web::google::{Api, Repeat};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How to undo it: the labels to put back on and to take off.
#[derive(Serialize, Deserialize)]
struct UndoRecord {
    id: String,
    put: Vec<String>,
    take: Vec<String>,
    trashed: bool,
}

/// Puts a mail away. Repeating it changes nothing more.
pub(super) async fn put_away(
    api: &Api,
    labels: &Labels,
    id: &str,
    to: &Destination,
) -> Result<UndoToken, MailError> {
    let message = match wire::is_id(id) {
        true => find::minimal(api, id).await?,
        false => None,
    };
    let Some(message) = message else { return Err(gone()) };
    let mut undo =
        UndoRecord { id: id.to_owned(), put: vec!["INBOX".to_owned()], take: Vec::new(), trashed: false };
    // An interrupted attempt may already have removed INBOX; it is put back all the same.
    if message.has("UNREAD") {
        undo.put.push("UNREAD".to_owned());
    }
    match to {
        Destination::Archive => {}
        Destination::Trash => undo.trashed = true,
        Destination::Spam => undo.take.push("SPAM".to_owned()),
        Destination::Folder(name) => undo.take = labels.ids(std::slice::from_ref(name)).await?,
    }
    if undo.trashed {
        let request = api.request(Method::POST, &wire::me(&["messages", id, "trash"]), &[]);
        api.call(request.body("application/json", Vec::new()), Repeat::Freely).await?;
    } else {
        modify(api, id, &undo.take, &["INBOX".to_owned()]).await?;
    }
    UndoToken::of(&undo).map_err(MailError::Permanent)
}

pub(super) async fn put_back(api: &Api, undo: &UndoToken) -> Result<(), MailError> {
    let UndoRecord { id, put, take, trashed } = undo.record().map_err(MailError::Permanent)?;
    if !wire::is_id(&id) || find::minimal(api, &id).await?.is_none() {
        return Err(gone());
    }
    if trashed {
        let request = api.request(Method::POST, &wire::me(&["messages", &id, "untrash"]), &[]);
        api.call(request.body("application/json", Vec::new()), Repeat::Freely).await?;
    }
    modify(api, &id, &put, &take).await
}

async fn modify(api: &Api, id: &str, put: &[String], take: &[String]) -> Result<(), MailError> {
    let body = json!({"addLabelIds": put, "removeLabelIds": take}).to_string();
    let request = api.request(Method::POST, &wire::me(&["messages", id, "modify"]), &[]);
    api.call(request.body("application/json", body.into_bytes()), Repeat::Freely).await?;
    Ok(())
}

fn gone() -> MailError {
    MailError::Permanent("the mail is no longer there; Gmail empties trash and spam after 30 days".to_owned())
}
