//! Putting mail away into other folders, and back.

use super::cursor::MailLocation;
use super::fetch::{open, open_if_there};
use super::folders::{self, FolderPurpose};
use super::mark::{CurrentUid, Numbered, current_uid, move_to};
use super::names::Folder;
use super::session::{Arg, ImapError, Session};
use crate::mail::mailbox::NOT_THERE;
use crate::mail::{Destination, UndoToken};
use serde::{Deserialize, Serialize};

/// How to undo it: where the mail was and where it is. It is found there by its Message-ID, or else by its number.
#[derive(Serialize, Deserialize)]
struct UndoRecord {
    from: String,
    to: String,
    message_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<Numbered>,
}

/// The folder mail goes to: a named one, or the server's folder for that purpose, created if missing.
async fn target(session: &mut Session, to: &Destination) -> Result<Folder, ImapError> {
    let purpose = match to {
        Destination::Folder(name) => return Ok(Folder::named(name)),
        Destination::Archive => FolderPurpose::Archive,
        Destination::Trash => FolderPurpose::Trash,
        Destination::Spam => FolderPurpose::Junk,
    };
    if let Some(folder) = folders::find_by_purpose(session, None, purpose).await? {
        return Ok(folder);
    }
    let folder = Folder::named(purpose.name_to_create());
    session.command(&[Arg::Raw("CREATE "), Arg::Text(folder.wire.as_bytes())]).await?;
    Ok(folder)
}

/// Puts a mail away. If it is there already, an interrupted attempt put it there.
pub(super) async fn put_away(
    session: &mut Session,
    place: &MailLocation,
    to: &Destination,
) -> Result<UndoToken, ImapError> {
    let target = target(session, to).await?;
    let uid = match open_if_there(session, &Folder::named(&place.folder), true).await? {
        Some(opened) => match current_uid(session, &opened, place).await? {
            CurrentUid::Uid(uid) if is_there(session, uid).await? => Some(uid),
            CurrentUid::Uid(_) | CurrentUid::Gone | CurrentUid::Unknown => None,
        },
        None => None,
    };
    let number = match uid {
        Some(uid) => move_to(session, uid, place, &target).await?,
        None if find_in(session, &target, &place.message_id).await?.is_some() => None,
        None => return Err(gone()),
    };
    let undo = UndoRecord {
        from: place.folder.clone(),
        to: target.name,
        message_id: place.message_id.clone(),
        // We prefer the Message-ID: numbers change.
        number: number.filter(|_| place.message_id.is_empty()),
    };
    UndoToken::of(&undo).map_err(ImapError::Permanent)
}

pub(super) async fn put_back(session: &mut Session, undo: &UndoToken) -> Result<(), ImapError> {
    let UndoRecord { from, to, message_id, number } = undo.record().map_err(ImapError::Permanent)?;
    let (home, away) = (Folder::named(&from), Folder::named(&to));
    let uid = match (message_id.as_str(), number) {
        ("", Some(number)) => {
            let opened = open(session, &away, false).await?;
            let is_present = opened.validity == number.validity && is_there(session, number.uid).await?;
            is_present.then_some(number.uid)
        }
        ("", None) => return Err(unnumbered(session, &to)),
        (id, _) => find_in(session, &away, id).await?,
    };
    let Some(uid) = uid else {
        return match find_in(session, &home, &message_id).await? {
            Some(_) => Ok(()),
            None => Err(gone()),
        };
    };
    let opened = open(session, &away, true).await?;
    let place = MailLocation { folder: to, validity: opened.validity, uid, message_id };
    move_to(session, uid, &place, &home).await.map(drop)
}

fn unnumbered(session: &Session, folder: &str) -> ImapError {
    ImapError::Permanent(format!(
        "this mail has no Message-ID, and {} did not say which number it has in {folder} (UIDPLUS); move it back in your \
         mail program",
        session.place()
    ))
}

async fn is_there(session: &mut Session, uid: u64) -> Result<bool, ImapError> {
    let answers = session.command(&[Arg::Raw(&format!("UID FETCH {uid} (UID)"))]).await?;
    Ok(answers.fetched().any(|(fetched_uid, _)| fetched_uid == uid))
}

/// The number of a mail in a folder, found by its Message-ID.
async fn find_in(session: &mut Session, folder: &Folder, id: &str) -> Result<Option<u64>, ImapError> {
    if id.is_empty() {
        return Ok(None);
    }
    open(session, folder, false).await?;
    Ok(session.with_id("Message-ID", id).await?.last().copied())
}

fn gone() -> ImapError {
    ImapError::Permanent(NOT_THERE.to_owned())
}
