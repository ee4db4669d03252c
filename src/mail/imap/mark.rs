//! Reads the state of mails, and tells the mailbox what was done with them.

use super::answer::Responses;
use super::cursor::MailLocation;
use super::fetch::{open, open_if_there};
use super::folders;
use super::names::Folder;
use super::session::{Arg, ImapError, Open, Session};
use super::value::{Value, has_flag, set};
use crate::config::AfterHandling;
use crate::mail::MailPresence;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The current state of mails, in the order asked.
pub(super) async fn presence(
    session: &mut Session,
    places: &[String],
) -> Result<Vec<MailPresence>, ImapError> {
    let mut presences = vec![MailPresence::Gone; places.len()];
    let mut by_folder: BTreeMap<String, Vec<(usize, MailLocation)>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        if let Some(place) = MailLocation::read(place) {
            by_folder.entry(place.folder.clone()).or_default().push((at, place));
        }
    }
    for (name, mails) in by_folder {
        // It was renamed or deleted, and the mails may be anywhere.
        let Some(open) = open_if_there(session, &Folder::named(&name), false).await? else {
            mails.iter().for_each(|(at, _)| presences[*at] = MailPresence::Unknown);
            continue;
        };
        let mut uids = Vec::with_capacity(mails.len());
        for (at, place) in &mails {
            match current_uid(session, &open, place).await? {
                CurrentUid::Uid(uid) => uids.push((*at, uid)),
                CurrentUid::Gone => {}
                // We cannot tell; a mail not known to be gone is there.
                CurrentUid::Unknown => presences[*at] = MailPresence::There { seen: false, answered: false },
            }
        }
        let mut numbers: Vec<u64> = uids.iter().map(|(_, uid)| *uid).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.is_empty() {
            continue;
        }
        let line = format!("UID FETCH {} (UID FLAGS)", set(&numbers));
        let answers = session.command(&[Arg::Raw(&line)]).await?;
        let there: BTreeMap<u64, &[Value]> = answers.fetched().collect();
        for (at, uid) in uids {
            if let Some(pairs) = there.get(&uid).filter(|pairs| !has_flag(pairs, "\\Deleted")) {
                let (seen, answered) = (has_flag(pairs, "\\Seen"), has_flag(pairs, "\\Answered"));
                presences[at] = MailPresence::There { seen, answered };
            }
        }
    }
    Ok(presences)
}

/// Where a mail is now.
pub(super) enum CurrentUid {
    Uid(u64),
    Gone,
    Unknown,
}

/// The current number of a mail: unchanged, or found by Message-ID if the numbers are void.
pub(super) async fn current_uid(
    session: &mut Session,
    open: &Open,
    place: &MailLocation,
) -> Result<CurrentUid, ImapError> {
    if place.validity == open.validity {
        return Ok(CurrentUid::Uid(place.uid));
    }
    if place.message_id.is_empty() {
        return Ok(CurrentUid::Unknown);
    }
    let uids = session.with_id("Message-ID", &place.message_id).await?;
    Ok(uids.last().map_or(CurrentUid::Gone, |uid| CurrentUid::Uid(*uid)))
}

/// Does to a mail what the config says; a missing mail is no error.
pub(super) async fn mark(
    session: &mut Session,
    place: &MailLocation,
    flags: &[&str],
    after: &AfterHandling,
) -> Result<(), ImapError> {
    let Some(open) = open_if_there(session, &Folder::named(&place.folder), true).await? else {
        return Ok(());
    };
    let CurrentUid::Uid(uid) = current_uid(session, &open, place).await? else { return Ok(()) };
    let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    match after {
        AfterHandling::None | AfterHandling::Folder(_) => {}
        AfterHandling::Seen => flags.push("\\Seen".to_owned()),
        AfterHandling::Label(label) => flags.push(keyword(label)?),
    }
    if !flags.is_empty() {
        let line = format!("UID STORE {uid} +FLAGS.SILENT ({})", flags.join(" "));
        let stored = session.command(&[Arg::Raw(&line)]).await;
        if let (Err(ImapError::No { text, .. }), AfterHandling::Label(label)) = (&stored, after) {
            let text = format!("{} does not take the label {label} ({text})", session.place());
            return Err(ImapError::Permanent(format!("{text}; set handled to seen or folder:NAME")));
        }
        stored?;
    }
    match after {
        AfterHandling::Folder(name) => move_to(session, uid, place, &Folder::named(name)).await.map(drop),
        AfterHandling::None | AfterHandling::Seen | AfterHandling::Label(_) => Ok(()),
    }
}

/// The label as an IMAP keyword.
fn keyword(label: &str) -> Result<String, ImapError> {
    let is_plain =
        |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')' | '{' | '%' | '*' | '"' | '\\' | ']');
    if !label.is_empty() && label.chars().all(is_plain) {
        return Ok(label.to_owned());
    }
    let text =
        format!("the label {label:?} cannot be one on an IMAP server; use plain letters without spaces");
    Err(ImapError::Permanent(text))
}

/// The number of a mail in a folder, with the UIDVALIDITY of that folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Numbered {
    pub(super) validity: u64,
    pub(super) uid: u64,
}

impl Numbered {
    /// Reads `COPYUID 38505 304 3956`, which says where one mail went.
    fn of(answers: &Responses) -> Option<Self> {
        let mut words = answers.code("COPYUID")?.split_whitespace();
        let (validity, _, uid) = (words.next()?, words.next()?, words.next()?);
        Some(Self { validity: validity.parse().ok()?, uid: uid.parse().ok()? })
    }
}

/// Moves a mail. Returns its new number, if the server reports it.
pub(super) async fn move_to(
    session: &mut Session,
    uid: u64,
    place: &MailLocation,
    target: &Folder,
) -> Result<Option<Numbered>, ImapError> {
    let to = Arg::Text(target.wire.as_bytes());
    let moved = if session.can("MOVE") {
        let answers = session.command(&[Arg::Raw(&format!("UID MOVE {uid} ")), to]).await;
        answers.map(|answers| Numbered::of(&answers))
    } else {
        copy_and_delete(session, uid, place, target).await
    };
    match moved {
        Err(ImapError::No { code, .. })
            if code.starts_with("TRYCREATE") || code.starts_with("NONEXISTENT") =>
        {
            Err(folders::unknown(session, &target.name).await)
        }
        other => other,
    }
}

/// For servers without MOVE: copies the mail, unless an interrupted attempt already did, and then deletes it.
async fn copy_and_delete(
    session: &mut Session,
    uid: u64,
    place: &MailLocation,
    target: &Folder,
) -> Result<Option<Numbered>, ImapError> {
    let is_copied = match place.message_id.as_str() {
        "" => false,
        id => {
            open(session, target, false).await?;
            let is_copied = !session.with_id("Message-ID", id).await?.is_empty();
            open(session, &Folder::named(&place.folder), true).await?;
            is_copied
        }
    };
    let mut numbered = None;
    if !is_copied {
        let to = Arg::Text(target.wire.as_bytes());
        let answers = session.command(&[Arg::Raw(&format!("UID COPY {uid} ")), to]).await?;
        numbered = Numbered::of(&answers);
    }
    session.command(&[Arg::Raw(&format!("UID STORE {uid} +FLAGS.SILENT (\\Deleted)"))]).await?;
    // Without UIDPLUS, expunging would also remove mails that others have marked as deleted.
    if session.can("UIDPLUS") {
        session.command(&[Arg::Raw(&format!("UID EXPUNGE {uid}"))]).await?;
    }
    Ok(numbered)
}
