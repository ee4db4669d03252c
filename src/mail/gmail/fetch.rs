//! Fetches new mail from Gmail's history, or from a full listing if the history is gone.

use super::cursor::Marks;
use super::wire::{self, History, Id, Listing, Message};
use super::{AT_ONCE, Inner, profile};
use crate::mail::{Cursor, Fetched, FetchedMail, MailError, MailPresence};
use crate::web::google::{CallError, Repeat};
use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use futures_util::stream::{self, StreamExt};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

/// The longest mail read whole, which is the parser's limit.
const LARGEST: usize = 64 << 20;
/// The size limit for replies fetched in parallel; a longer one is fetched again, alone.
const SMALL: usize = 8 << 20;
/// The size limit for a reply with one mail: large enough to show that a mail exceeds the parser's limit.
const LARGE: usize = LARGEST / 3 * 4 + (1 << 20);
/// How many bytes one fetch brings, give or take a mail; the next fetch brings the rest.
const IN_ALL: usize = 64 << 20;
/// The size limit for a list.
const LIST: usize = 8 << 20;
/// How many pages of the history one fetch reads.
const MAX_PAGES: usize = 50;
/// The most mails a listing may have.
const MAX_LISTED: usize = 500_000;
/// How many mails with invalid replies are skipped; beyond that, the server itself must be broken.
const MAX_ODD: usize = 50;

/// Gmail may or may not pad its base64.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A mail to fetch, and the history record that mentions it; mails from a listing have none.
struct PendingMail {
    id: Id,
    until: Option<u64>,
}

/// The result of fetching mails.
#[derive(Default)]
struct FetchResult {
    mails: Vec<FetchedMail>,
    /// How many were processed, including the odd ones.
    done: usize,
    /// Mails with invalid replies.
    odd: Vec<Id>,
    /// What to tell the user about them.
    missed: Option<String>,
}

/// Adds mails with invalid replies to the marks, without duplicates.
fn remember(marks: &mut Marks, odd: Vec<Id>) -> Result<(), CallError> {
    for Id(id) in odd {
        if !marks.odd.contains(&id) {
            marks.odd.push(id);
        }
    }
    match marks.odd.len() {
        0..=MAX_ODD => Ok(()),
        many => Err(CallError::Temporary(format!("Gmail's replies about {many} mails make no sense"))),
    }
}

/// Whether a fetch may stop after the first `at` mails: history records are taken whole.
fn is_record_boundary(pending: &[PendingMail], at: usize) -> bool {
    match (at.checked_sub(1).and_then(|last| pending.get(last)), pending.get(at)) {
        (Some(last), Some(next)) => last.until.is_none() || last.until != next.until,
        _ => true,
    }
}

impl Inner {
    /// Where to begin: at the current history, with a listing of all existing mail.
    pub(super) async fn begin(&self, since: Option<Timestamp>) -> Result<Marks, MailError> {
        let history = profile(&self.api).await?.history_id.0;
        Ok(Marks { history, since, listing: Some(String::new()), odd: Vec::new() })
    }

    pub(super) async fn fetch(&self, since: Option<&Cursor>, limit: usize) -> Result<Fetched, MailError> {
        let marks = match since {
            Some(cursor) => cursor.position()?,
            None => self.begin(None).await?,
        };
        let label_ids = self.labels.ids(&self.read_labels).await?;
        if let Some(after) = marks.listing.clone() {
            return self.fetch_listed(marks, &after, &label_ids, limit).await;
        }
        match self.fetch_new(&marks, &label_ids, limit).await {
            // The history does not reach back that far: we list everything again. Known mails are recognised.
            Err(CallError::Refused { status: 404, .. }) => {
                let fresh = self.begin(marks.since).await?;
                self.fetch_listed(Marks { odd: marks.odd, ..fresh }, "", &label_ids, limit).await
            }
            other => Ok(other?),
        }
    }

    async fn fetch_listed(
        &self,
        mut marks: Marks,
        after: &str,
        label_ids: &[String],
        limit: usize,
    ) -> Result<Fetched, MailError> {
        let ids = self.list_all(&marks, label_ids).await?;
        // If the id has left the list meanwhile, we start over; mails taken already are recognised.
        let start = ids.iter().position(|id| id == after).map_or(0, |at| at + 1);
        let pending: Vec<PendingMail> = ids[start..]
            .iter()
            .take(limit)
            .map(|id| PendingMail { id: Id(id.clone()), until: None })
            .collect();
        let FetchResult { mails, done, odd, missed } = self.get_all(&pending, label_ids).await?;
        remember(&mut marks, odd)?;
        let remaining = ids.len() - start - done;
        marks.listing = match (remaining, pending.get(done.wrapping_sub(1))) {
            (0, _) => None,
            (_, Some(last)) => Some(last.id.0.clone()),
            (_, None) => Some(after.to_owned()),
        };
        if remaining == 0 {
            *self.listing.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(Fetched { mails, cursor: Some(Cursor::of(&marks)), remaining: remaining as u64, missed })
    }

    /// All mail under the labels, oldest first. Listed once and cached while we go through it.
    async fn list_all(&self, marks: &Marks, label_ids: &[String]) -> Result<Arc<Vec<String>>, MailError> {
        let cached = self.listing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, ids)) = cached.filter(|(history, _)| *history == marks.history) {
            return Ok(ids);
        }
        // One day earlier, in case Gmail uses another clock; intake drops mail that came before `since`.
        let day = SignedDuration::from_hours(24);
        let since = marks.since.and_then(|since| since.checked_sub(day).ok());
        let after = since.map(|since| format!("after:{}", since.as_second().max(0)));
        let mut ids = Vec::new();
        let mut seen_ids: HashSet<Id> = HashSet::new();
        for label in label_ids {
            let mut newest_first = Vec::new();
            let mut query = vec![("labelIds", label.as_str()), ("maxResults", "500")];
            query.extend(after.as_deref().map(|after| ("q", after)));
            let request = self.api.request(Method::GET, &wire::me(&["messages"]), &query).most(LIST);
            let mut pages = self.api.pages(request);
            while let Some(listing) = pages.next::<Listing>().await? {
                newest_first.extend(listing.messages.into_iter().map(|message| message.id));
                if newest_first.len() + ids.len() > MAX_LISTED {
                    let text =
                        format!("more than {MAX_LISTED} mails are under the labels; name fewer in folders");
                    return Err(MailError::Permanent(text));
                }
            }
            ids.extend(
                newest_first.into_iter().rev().filter(|id| seen_ids.insert(id.clone())).map(|id| id.0),
            );
        }
        let ids = Arc::new(ids);
        *self.listing.lock().unwrap_or_else(PoisonError::into_inner) = Some((marks.history, ids.clone()));
        Ok(ids)
    }

    async fn fetch_new(
        &self,
        marks: &Marks,
        label_ids: &[String],
        limit: usize,
    ) -> Result<Fetched, CallError> {
        let (pending, reached, has_more) = self.list_added(marks.history, label_ids, limit).await?;
        // A mail that occurs twice is fetched once. Records stay whole, so that no mail is skipped.
        let mut seen_ids = HashSet::new();
        let pending: Vec<PendingMail> =
            pending.into_iter().filter(|one| seen_ids.insert(one.id.clone())).collect();
        let count = whole_records(&pending, limit);
        let FetchResult { mut mails, done, odd, missed } = self.get_all(&pending[..count], label_ids).await?;
        // Up to the last complete record.
        let history = match pending.get(done) {
            None => Some(reached),
            Some(_) => (1..=done)
                .rev()
                .find(|at| is_record_boundary(&pending, *at))
                .and_then(|at| pending[at - 1].until),
        };
        let history = history.unwrap_or(marks.history);
        let remaining = pending.len() - done + usize::from(has_more);
        // Ask again for mails that had invalid replies, unless they are among these.
        let retries = marks.odd.iter().filter(|id| !seen_ids.contains(&Id((*id).clone())));
        let retries: Vec<PendingMail> =
            retries.map(|id| PendingMail { id: Id(id.clone()), until: None }).collect();
        let retried = match self.get_all(&retries, label_ids).await {
            Err(CallError::Login(text)) => return Err(CallError::Login(text)),
            // Old failures do not hold up new mail.
            Err(error) => FetchResult { missed: Some(error.to_string()), ..FetchResult::default() },
            Ok(retried) => retried,
        };
        mails.extend(retried.mails);
        let mut marks = Marks { history, odd: Vec::new(), ..marks.clone() };
        let unasked = retries.into_iter().skip(retried.done).map(|one| one.id);
        remember(&mut marks, odd.into_iter().chain(retried.odd).chain(unasked).collect())?;
        let missed = missed.or(retried.missed);
        Ok(Fetched { mails, cursor: Some(Cursor::of(&marks)), remaining: remaining as u64, missed })
    }

    /// The mails that came since a point in the history, how far it was read, and whether there is more.
    async fn list_added(
        &self,
        from: u64,
        label_ids: &[String],
        limit: usize,
    ) -> Result<(Vec<PendingMail>, u64, bool), CallError> {
        let start = from.to_string();
        let (mut pending, mut reached) = (Vec::new(), from);
        let query = [
            ("startHistoryId", start.as_str()),
            ("historyTypes", "messageAdded"),
            ("historyTypes", "labelAdded"),
            ("maxResults", "500"),
        ];
        let mut pages =
            self.api.pages(self.api.request(Method::GET, &wire::me(&["history"]), &query).most(LIST));
        for _ in 0..MAX_PAGES {
            let Some(history) = pages.next::<History>().await? else { break };
            if !pages.has_next() {
                reached = reached.max(history.history_id.0);
            }
            for record in history.history {
                let until = record.id.0;
                reached = reached.max(until);
                pending.extend(
                    record
                        .mails_added(label_ids)
                        .into_iter()
                        .map(|id| PendingMail { id, until: Some(until) }),
                );
            }
            if pending.len() > limit {
                break;
            }
        }
        Ok((pending, reached, pages.has_next()))
    }

    /// Fetches mails, a few at a time. `done` says how many were processed: if one fails after others came, we return
    /// those, and the next fetch starts with the failed one. A mail with an invalid reply is skipped and reported.
    async fn get_all(&self, pending: &[PendingMail], label_ids: &[String]) -> Result<FetchResult, CallError> {
        let large_mail_slot = tokio::sync::Semaphore::new(1);
        let large_mail_slot = &large_mail_slot;
        let ids: Vec<Id> = pending.iter().map(|mail| mail.id.clone()).collect();
        let fetch_one = |id: Id| async move { self.get(&id, label_ids, large_mail_slot).await };
        let mut replies = stream::iter(ids).map(fetch_one).buffered(AT_ONCE);
        let (mut result, mut bytes) = (FetchResult::default(), 0_usize);
        while let Some(reply) = replies.next().await {
            match reply {
                Ok(mail) => {
                    result.done += 1;
                    bytes += mail.as_ref().map_or(0, |mail| mail.raw.len());
                    result.mails.extend(mail);
                }
                Err(CallError::UnexpectedReply(text)) => {
                    result.odd.extend(pending.get(result.done).map(|mail| mail.id.clone()));
                    result.done += 1;
                    result.missed =
                        Some(format!("{text}; that mail is asked for again, and holds up no other"));
                }
                Err(error) if result.done == 0 => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "a mail could not be fetched; it is tried again");
                    break;
                }
            }
            if bytes >= IN_ALL && is_record_boundary(pending, result.done) {
                break;
            }
        }
        Ok(result)
    }

    /// One mail; `None` if it is gone or was put away.
    async fn get(
        &self,
        id: &Id,
        label_ids: &[String],
        large_mail_slot: &tokio::sync::Semaphore,
    ) -> Result<Option<FetchedMail>, CallError> {
        let request = |most| {
            self.api.request(Method::GET, &wire::me(&["messages", &id.0]), &[("format", "raw")]).most(most)
        };
        let small = match self.api.call(request(SMALL), Repeat::Freely).await {
            Err(CallError::Refused { status: 404, .. }) => return Ok(None),
            // One mail that Gmail refuses must not stop the others.
            Err(CallError::Refused { text, .. }) => return Err(CallError::UnexpectedReply(text)),
            other => other?,
        };
        let (message, raw) = if small.is_complete {
            let message: Message = serde_json::from_slice(&small.body)
                .map_err(|_| self.api.unexpected("a mail that cannot be read"))?;
            let text = message.raw.clone().ok_or_else(|| self.api.unexpected("a mail without its bytes"))?;
            let raw =
                BASE64.decode(text).map_err(|_| self.api.unexpected("a mail whose bytes cannot be read"))?;
            (message, raw)
        } else {
            drop(small);
            let _one_at_a_time = large_mail_slot.acquire().await;
            let Some(message) = super::find::minimal(&self.api, &id.0).await? else { return Ok(None) };
            let large = self.api.call(request(LARGE), Repeat::Freely).await?;
            (message, beginning(&large.body).ok_or_else(|| self.api.unexpected("a mail without its bytes"))?)
        };
        let (seen, answered) = match self.presence_by_labels(&message, label_ids) {
            MailPresence::There { seen, answered } if !message.has("DRAFT") => (seen, answered),
            _ => return Ok(None),
        };
        let arrived = message.arrived();
        Ok(Some(FetchedMail { place: message.id.0, raw, arrived, seen, answered }))
    }
}

/// How many mails to take without splitting a record, unless the first record alone exceeds the limit.
fn whole_records(pending: &[PendingMail], limit: usize) -> usize {
    if pending.len() <= limit {
        return pending.len();
    }
    let before = (1..=limit).rev().find(|at| is_record_boundary(pending, *at));
    before
        .or_else(|| (limit..pending.len()).find(|at| is_record_boundary(pending, *at)))
        .unwrap_or(pending.len())
}

/// Decodes the mail in a reply that may have been cut, as far as it goes.
fn beginning(body: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::find(body, b"\"raw\"")? + 5;
    let rest = body[start..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = memchr::memchr(b'"', rest).unwrap_or(rest.len());
    // Four letters are three bytes; an incomplete last group is dropped.
    let text = &rest[..end - if end == rest.len() { end % 4 } else { 0 }];
    BASE64.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(untils: &[u64]) -> Vec<PendingMail> {
        untils.iter().map(|until| PendingMail { id: Id(format!("m{until}")), until: Some(*until) }).collect()
    }

    #[test]
    fn records_are_not_cut() {
        for (untils, limit, take) in [
            (&[1, 2, 3][..], 5, 3),
            (&[1, 2, 2, 3], 2, 1),
            (&[1, 2, 2, 3], 3, 3),
            (&[1, 1, 1, 2], 2, 3),
            (&[1, 1, 1], 2, 3),
            (&[], 2, 0),
        ] {
            assert_eq!(whole_records(&pending(untils), limit), take, "{untils:?} {limit}");
        }
    }

    #[test]
    fn the_beginning_of_a_reply_that_was_cut() {
        assert_eq!(beginning(br#"{"id": "a", "raw" : "RnJvbQ=="}"#).unwrap(), b"From");
        assert_eq!(beginning(br#"{"id": "a", "raw":"RnJvbTogYQ"#).unwrap(), b"From: ");
        assert_eq!(beginning(br#"{"id": "a"}"#), None);
        assert_eq!(beginning(br#"{"raw": 7}"#), None);
    }
}
