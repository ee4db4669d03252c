//! Fetches new mail: first the numbers, then the sizes, then the mails, in batches that fit.

use super::answer::Responses;
use super::cursor::{MailLocation, Marks};
use super::folders;
use super::login::is_passing;
use super::names::Folder;
use super::session::{Arg, ImapError, LONGEST_TEXT, Open, Session};
use super::value::{Value, after, has_flag, set};
use crate::mail::maildir::ids;
use crate::mail::{Cursor, Fetched, FetchedMail, MailError};
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// The longest mail read whole, which is the parser's limit.
const LARGEST: u64 = LONGEST_TEXT - 1;
/// How many bytes one command asks for, give or take a mail.
const AT_ONCE: u64 = 8 << 20;
/// How many bytes one fetch brings, give or take a mail; the next fetch brings the rest.
const IN_ALL: u64 = 64 << 20;

pub(super) enum FetchError {
    Imap(ImapError),
    Mail(MailError),
}

impl From<ImapError> for FetchError {
    fn from(error: ImapError) -> Self {
        Self::Imap(error)
    }
}

/// At most `limit` mails not fetched before, oldest first in each folder. A mail that the server does not give comes
/// without content if the server gives a later one of the folder, so that it holds up no other. Otherwise the trouble may
/// be the server's: the cursor stays before it, and if nothing is given at all, that is an error. A missing folder is one
/// only if there is no other.
pub(super) async fn fetch(
    session: &mut Session,
    read: &[Folder],
    since: Option<&Cursor>,
    limit: usize,
) -> Result<Fetched, FetchError> {
    let mut marks = Marks::read(since).map_err(FetchError::Mail)?;
    let names: Vec<&str> = read.iter().map(|folder| folder.name.as_str()).collect();
    marks.retain_folders(&names);
    let (mut mails, mut remaining, mut bytes, mut refusal) =
        (Vec::<FetchedMail>::new(), 0, 0, None::<ImapError>);
    let (mut missing, mut is_any_there) = (None, false);
    for folder in read {
        let Some(open) = open_if_there(session, folder, false).await? else {
            missing = Some(folders::unknown(session, &folder.name).await);
            continue;
        };
        is_any_there = true;
        let marked = marks.next(&open);
        let from = marked.unwrap_or(1);
        if open.next.is_some_and(|next| from >= next) {
            marks.set(&open, from);
            continue;
        }
        let since = marks.since.filter(|_| marked.is_none());
        let pending = numbers(session, from, since).await?;
        let room = limit.saturating_sub(mails.len());
        let mut done = 0;
        let (mut given, mut refused) =
            (BTreeMap::<u64, FetchedMail>::new(), BTreeMap::<u64, ImapError>::new());
        for piece in pieces(session, &pending[..pending.len().min(room)]).await? {
            if bytes >= IN_ALL {
                break;
            }
            done += piece.uids.len();
            let (more_given, more_refused) = bodies(session, &open, &piece).await?;
            bytes += more_given.values().map(|mail| mail.raw.len() as u64).sum::<u64>();
            given.extend(more_given);
            refused.extend(more_refused);
        }
        let whole = given.keys().rev().find(|uid| !refused.contains_key(*uid));
        let behind_whole = whole.map_or(0, |uid| uid + 1);
        let withheld = given.split_off(&behind_whole);
        mails.extend(given.into_values());
        refusal = refused.pop_last().map(|(_, refusal)| refusal).or(refusal);
        remaining += (pending.len() - done) as u64;
        let first_left = withheld.keys().next().or(pending.get(done));
        let next = match (first_left, pending.last()) {
            (Some(first_left), _) => *first_left,
            // Numbered mails that are not listed are deleted or drafts.
            (None, Some(last)) => (last + 1).max(open.next.unwrap_or(0)),
            (None, None) => from.max(open.next.unwrap_or(0)),
        };
        marks.set(&open, next);
    }
    let missing = match missing {
        Some(error) if !is_any_there || error.ends_session() => return Err(error.into()),
        missing => missing.map(|error| error.to_string()),
    };
    match refusal {
        Some(refusal) if mails.is_empty() => Err(refusal.into()),
        _ => Ok(Fetched { mails, cursor: Some(Cursor::of(&marks)), remaining, missing }),
    }
}

/// A cursor that skips mail that came before `from`, give or take two days.
pub(super) async fn start(
    session: &mut Session,
    read: &[Folder],
    from: Timestamp,
) -> Result<Cursor, ImapError> {
    let mut marks = Marks::since(from);
    for folder in read {
        // It is said by the fetch that follows.
        let Some(open) = open_if_there(session, folder, false).await? else { continue };
        let line = format!("UID SEARCH SINCE {}", day(from));
        let uids = session.command(&[Arg::Raw(&line)]).await?.search_results();
        let next = match (uids.first(), open.next) {
            (Some(first), _) => *first,
            (None, Some(next)) => next,
            // The server does not say what comes next: everything there now is old.
            (None, None) => numbers(session, 1, None).await?.last().map_or(1, |last| last + 1),
        };
        marks.set(&open, next);
    }
    Ok(Cursor::of(&marks))
}

/// When the oldest of the newest `count` mails came. Reads as many dates in each folder.
pub(super) async fn newest(
    session: &mut Session,
    read: &[Folder],
    count: usize,
) -> Result<Option<Timestamp>, ImapError> {
    let mut dates = Vec::new();
    for folder in read {
        let mails = open_if_there(session, folder, false).await?.map_or(0, |open| open.mails);
        if mails == 0 {
            continue;
        }
        // By position in the folder: the last few do not require all the numbers.
        let first = mails.saturating_sub(count as u64) + 1;
        let line = format!("FETCH {first}:{mails} (UID INTERNALDATE)");
        let answers = session.command(&[Arg::Raw(&line)]).await?;
        dates.extend(answers.fetched().filter_map(|(_, pairs)| arrived(pairs)));
    }
    dates.sort_unstable();
    Ok(dates.iter().rev().take(count).next_back().copied())
}

/// Opens a folder. If it is missing, the error lists some that exist.
pub(super) async fn open(session: &mut Session, folder: &Folder, writable: bool) -> Result<Open, ImapError> {
    match open_if_there(session, folder, writable).await? {
        Some(open) => Ok(open),
        None => Err(folders::unknown(session, &folder.name).await),
    }
}

/// Opens a folder; `None` if it is missing.
pub(super) async fn open_if_there(
    session: &mut Session,
    folder: &Folder,
    writable: bool,
) -> Result<Option<Open>, ImapError> {
    match session.open(folder, writable).await {
        // Servers use different codes, so we check the list: a folder that is not in it does not exist.
        Err(error @ ImapError::No { .. }) => {
            let listed = folders::list(session).await?;
            if listed.iter().any(|listed| listed.folder == *folder) { Err(error) } else { Ok(None) }
        }
        other => other.map(Some),
    }
}

/// The numbers from `from` on, without deleted mails and drafts.
async fn numbers(session: &mut Session, from: u64, since: Option<Timestamp>) -> Result<Vec<u64>, ImapError> {
    let since = since.map(|since| format!(" SINCE {}", day(since))).unwrap_or_default();
    let line = format!("UID SEARCH UID {from}:* UNDELETED UNDRAFT{since}");
    let mut uids = session.command(&[Arg::Raw(&line)]).await?.search_results();
    // `*` is the last mail, even if that comes before the first one asked for.
    uids.retain(|uid| *uid >= from);
    Ok(uids)
}

/// A day that is surely earlier, in any time zone: servers compare days by their own clock.
fn day(time: Timestamp) -> String {
    let day = time.checked_sub(SignedDuration::from_hours(48)).unwrap_or(time);
    jiff::tz::TimeZone::UTC.to_datetime(day).strftime("%-d-%b-%Y").to_string()
}

/// What the server answers about mails, and the mails it refuses to answer about.
#[derive(Default)]
struct Asked {
    answers: Vec<Responses>,
    refused: Vec<(u64, ImapError)>,
}

/// Asks about mails with one command. If the server refuses that for good, it may mean a single mail, so we ask about
/// each alone.
async fn ask(session: &mut Session, uids: &[u64], items: &str) -> Result<Asked, ImapError> {
    let mut asked = Asked::default();
    let mut sets = vec![uids];
    while let Some(uids) = sets.pop() {
        let line = format!("UID FETCH {} ({items})", set(uids));
        match (session.command(&[Arg::Raw(&line)]).await, uids) {
            (Ok(answers), _) => asked.answers.push(answers),
            (Err(error), _) if !may_mean_a_mail(&error) => return Err(error),
            (Err(refusal), [uid]) => asked.refused.push((*uid, refusal)),
            (Err(_), _) => sets.extend(uids.chunks(1).rev()),
        }
    }
    Ok(asked)
}

fn may_mean_a_mail(error: &ImapError) -> bool {
    matches!(error, ImapError::No { code, .. } if !is_passing(code))
}

/// Mails to fetch with one command.
struct Piece {
    uids: Vec<u64>,
    /// A single mail that is too long to read whole, or may be.
    huge: bool,
}

/// Asks for sizes first, so that no command returns more than fits.
async fn pieces(session: &mut Session, uids: &[u64]) -> Result<Vec<Piece>, ImapError> {
    if uids.is_empty() {
        return Ok(Vec::new());
    }
    let asked = ask(session, uids, "UID RFC822.SIZE").await?;
    let told = asked.answers.iter().flat_map(Responses::fetched);
    let mut sizes: HashMap<u64, u64> =
        told.filter_map(|(uid, pairs)| Some((uid, after(pairs, "RFC822.SIZE")?.number()?))).collect();
    sizes.extend(asked.refused.iter().map(|(uid, _)| (*uid, u64::MAX)));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut bytes = 0;
    for uid in uids {
        // A mail that has gone meanwhile has no size and will not be in the answer.
        let size = sizes.get(uid).copied().unwrap_or(0);
        let huge = size > LARGEST;
        match pieces.last_mut() {
            Some(piece) if !huge && !piece.huge && bytes + size <= AT_ONCE => {
                piece.uids.push(*uid);
                bytes += size;
            }
            _ => {
                pieces.push(Piece { uids: vec![*uid], huge });
                bytes = size;
            }
        }
    }
    Ok(pieces)
}

/// The mails, those that the server does not give without content, and why it does not give these.
async fn bodies(
    session: &mut Session,
    open: &Open,
    piece: &Piece,
) -> Result<(BTreeMap<u64, FetchedMail>, BTreeMap<u64, ImapError>), ImapError> {
    // One byte over the limit, so that the parser sees that there is more.
    let part = if piece.huge { format!("BODY.PEEK[]<0.{LONGEST_TEXT}>") } else { "BODY.PEEK[]".to_owned() };
    let asked = ask(session, &piece.uids, &format!("UID FLAGS INTERNALDATE {part}")).await?;
    let mut told: BTreeMap<u64, (&[Value], Option<&[u8]>)> = BTreeMap::new();
    for (uid, pairs) in asked.answers.iter().flat_map(Responses::fetched) {
        let text = match after(pairs, "BODY[]").or_else(|| after(pairs, "BODY[]<0>")) {
            Some(Value::Text(raw)) => Some(raw.as_slice()),
            // The server may report flags in between; those answers have no date.
            _ if after(pairs, "INTERNALDATE").is_some() => None,
            _ => continue,
        };
        if piece.uids.contains(&uid) && told.get(&uid).is_none_or(|(_, text)| text.is_none()) {
            told.insert(uid, (pairs, text));
        }
    }
    let mut refusals: BTreeMap<u64, ImapError> = told
        .iter()
        .filter(|(_, (_, text))| text.is_none())
        .map(|(uid, _)| (*uid, session.no(String::new(), "it gives a mail without its text")))
        .collect();
    let mail = |(uid, (pairs, text)): (u64, (&[Value], Option<&[u8]>))| {
        (uid, fetched_mail(open, uid, pairs, text.unwrap_or_default()))
    };
    let mut mails: BTreeMap<u64, FetchedMail> = told.into_iter().map(mail).collect();
    for (uid, refused) in asked.refused {
        tracing::warn!(error = %refused, "a mail was not given by its server");
        let asked = ask(session, &[uid], "UID FLAGS INTERNALDATE").await?;
        let mut told = asked.answers.iter().flat_map(Responses::fetched);
        let pairs = told.find(|(told, _)| *told == uid).map(|(_, pairs)| pairs);
        // If the server answers but does not have it, it is gone.
        if pairs.is_some() || !asked.refused.is_empty() {
            mails.insert(uid, fetched_mail(open, uid, pairs.unwrap_or_default(), b""));
            refusals.insert(uid, refused);
        }
    }
    Ok((mails, refusals))
}

fn fetched_mail(open: &Open, uid: u64, pairs: &[Value], raw: &[u8]) -> FetchedMail {
    let message_id = ids(raw).message_id;
    FetchedMail {
        place: MailLocation::new(open, uid, message_id.as_deref()).write(),
        raw: raw.to_owned(),
        // Without a readable date, better new than old.
        arrived: arrived(pairs).unwrap_or_else(Timestamp::now),
        seen: has_flag(pairs, "\\Seen"),
        answered: has_flag(pairs, "\\Answered"),
    }
}

/// When the server received a mail.
pub(super) fn arrived(pairs: &[Value]) -> Option<Timestamp> {
    date(&after(pairs, "INTERNALDATE")?.text()?)
}

/// Parses `17-Jul-1996 02:44:25 -0700`.
fn date(text: &str) -> Option<Timestamp> {
    let parsed = jiff::fmt::strtime::parse("%d-%b-%Y %H:%M:%S %z", text.trim()).ok()?;
    parsed.to_timestamp().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read() {
        assert_eq!(date(" 7-Jul-2026 02:44:25 -0700"), Some("2026-07-07T09:44:25Z".parse().unwrap()));
        assert_eq!(date("yesterday"), None);
    }
}
