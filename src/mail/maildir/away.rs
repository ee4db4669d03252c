//! Putting mail away into other folders, and back.

use super::Inner;
use super::fetch::folder_and_key;
use super::folder::Folder;
use crate::mail::mailbox::NOT_THERE;
use crate::mail::{Destination, MailError, UndoToken};
use crate::text::{Visible, there_are};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How to undo it: where the mail was, where it is, and its key.
#[derive(Serialize, Deserialize)]
struct UndoRecord {
    from: String,
    to: PathBuf,
    key: String,
}

/// The folder mail goes to. We create a folder for a purpose if missing, as mail programs do, but never a named one.
fn target(inner: &Inner, to: &Destination) -> Result<Folder, MailError> {
    if let Destination::Folder(name) = to {
        let is_plain = !name.is_empty() && !name.split('/').any(|part| part.is_empty() || part == "..");
        let folder = inner.layout.folder(name);
        if !is_plain || !folder.exists() {
            let existing: Vec<String> =
                inner.layout.names().iter().map(|name| Visible::line(name).into_string()).collect();
            let (name, existing) = (Visible::line(name), there_are(&existing));
            return Err(MailError::Permanent(format!("there is no folder {name}; {existing}")));
        }
        return Ok(folder);
    }
    let (usual, names) = (to.usual_names(), inner.layout.names());
    let mut called = usual
        .iter()
        .flat_map(|usual| names.iter().filter(move |name| name.eq_ignore_ascii_case(usual)))
        .map(|name| inner.layout.folder(name));
    if let Some(existing) = called.find(Folder::exists) {
        return Ok(existing);
    }
    let first = usual.first().ok_or_else(|| MailError::Permanent("no folder is named".to_owned()))?;
    let created = inner.layout.folder(first);
    created.create()?;
    Ok(created)
}

/// Puts a mail away. If it is there already, an interrupted attempt put it there.
pub(super) fn put_away(inner: &Inner, place: &str, to: &Destination) -> Result<UndoToken, MailError> {
    let Some((folder, key)) = folder_and_key(&inner.folders, place) else { return Err(gone()) };
    let target = target(inner, to)?;
    let undo = UndoRecord { from: folder.name.clone(), to: target.path().to_owned(), key: key.to_owned() };
    match folder.find(key)? {
        Some(entry) => folder.move_mail(key, entry, &target, "")?.ok_or_else(gone)?,
        None if target.find(key)?.is_some() => {}
        None => return Err(gone()),
    }
    UndoToken::of(&undo).map_err(MailError::Permanent)
}

pub(super) fn put_back(inner: &Inner, undo: &UndoToken) -> Result<(), MailError> {
    let UndoRecord { from, to, key } = undo.record().map_err(MailError::Permanent)?;
    let Some(back) = inner.folders.iter().find(|folder| folder.name == from) else {
        let text = format!(
            "the folder {} is not read any more; move the mail in your mail program",
            Visible::line(&from)
        );
        return Err(MailError::Permanent(text));
    };
    let away = Folder::new("", to);
    match away.find(&key) {
        Ok(Some(entry)) => away.move_mail(&key, entry, back, "")?.ok_or_else(gone),
        _ if back.find(&key)?.is_some() => Ok(()),
        Ok(None) => Err(gone()),
        Err(error) => Err(error),
    }
}

fn gone() -> MailError {
    MailError::Permanent(NOT_THERE.to_owned())
}
