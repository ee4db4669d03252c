//! One look at one mailbox: takes in new mail, page by page.

use super::route::{ParseResult, ParsedMail};
use super::{FirstLook, Intake, IntakeError, OnStep, Step, Synced};
use crate::engine::driver::{Gathering, fail_point};
use crate::engine::store::{Phase, Route, StoredSource, TakenIn};
use crate::mail::compose::is_own;
use crate::mail::risk::{Receiver, have_different_owners};
use crate::mail::{Account, Cursor, Fetched, FetchedMail, Mail, MailPresence};
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;

/// How many mails are fetched at once; a mailbox may be listed for each page.
const PAGE: usize = 500;
/// If a page has more bytes than this, the next one is not fetched ahead.
const MAX_BYTES_TO_PREFETCH: usize = 16 << 20;
/// How many are parsed at once.
const PARSED_AT_ONCE: usize = 8;

impl Intake {
    /// Looks at a mailbox, and takes in what is new. Returns what of it is missing, in a sentence.
    pub(super) async fn look(
        &self,
        account: &Account,
        synced: &mut Synced,
        on_step: OnStep<'_>,
    ) -> Result<Option<String>, IntakeError> {
        let store = self.engine().store();
        let wanted = self.wanted_since(account).await?;
        let days = SignedDuration::from_hours(24 * i64::from(self.0.config.intake.first_days));
        let usual = store.now().checked_sub(days).unwrap_or(Timestamp::MIN);
        let since = wanted.map_or(usual, |wanted| wanted.min(usual));
        let mut source = store.mail().source(account.name.clone(), since).await?;
        self.carry_out(account, &mut source, synced).await?;
        let mut stored = source.cursor.clone().map(Cursor);
        let first = match stored {
            Some(_) => None,
            None => self.start(account, source.since).await?,
        };
        let mut receiver: Receiver = source
            .receiver
            .as_deref()
            .and_then(|stored| serde_json::from_str(stored).ok())
            .unwrap_or_default();
        let (mut done, mut missing) = (0, None);
        let mut page = self.page(account, stored.as_ref().or(first.as_ref())).await?;
        loop {
            let count = page.mails.len() as u64;
            let total = done + count + page.remaining;
            let moved = page.cursor.is_some() && page.cursor != stored;
            // If a mailbox claims more mail but returns none, try again another time.
            let more = page.remaining > 0 && count > 0 && moved;
            let taking = async {
                let gathering = self.engine().gather();
                self.learn_from(account, &page.mails, &mut receiver).await?;
                for run in runs(page.mails) {
                    done += run.len() as u64;
                    self.take_run(account, &source, wanted, &run, &gathering, synced).await?;
                    on_step(Step { source: &account.name, done, total });
                }
                fail_point("before_cursor");
                if let (true, Some(next)) = (moved, &page.cursor) {
                    store.mail().save_cursor(account.name.clone(), next.0.clone()).await?;
                }
                fail_point("after_cursor");
                Ok::<_, IntakeError>(())
            };
            // Fetches and parses the next page while this one is written. If this one fails, we do not wait for the
            // next.
            let next = async {
                let light = page.bytes <= MAX_BYTES_TO_PREFETCH;
                Ok(if more && light { Some(self.page(account, page.cursor.as_ref()).await) } else { None })
            };
            let ((), next) = tokio::try_join!(taking, next)?;
            missing = page.missing.or(missing);
            stored = page.cursor.or(stored);
            page = match next {
                Some(next) => next?,
                None if more => self.page(account, stored.as_ref()).await?,
                None => break,
            };
        }
        if source.phase == Phase::Collecting {
            self.end_first_look(account, &mut source, synced).await?;
        }
        self.close_answered(account).await?;
        Ok(missing)
    }

    /// The first cursor of a mailbox that was never looked at.
    async fn start(&self, account: &Account, since: Timestamp) -> Result<Option<Cursor>, IntakeError> {
        let store = self.engine().store();
        // People who are already in the mailbox are not strangers.
        let people = account.mailbox.people(since).await?;
        store.mail().remember_senders(people.heard_from).await?;
        store.mail().remember_recipients(people.wrote_to).await?;
        Ok(account.mailbox.start(since).await?)
    }

    /// Stores what the headers of these mails tell: people's names, and the server that checks senders.
    async fn learn_from(
        &self,
        account: &Account,
        mails: &[(ParseResult, FetchedMail)],
        receiver: &mut Receiver,
    ) -> Result<(), IntakeError> {
        let store = self.engine().store();
        let before = receiver.clone();
        let mut people = Vec::new();
        for mail in mails.iter().filter_map(|(read, _)| Some(&read.as_ref().ok()?.mail)) {
            receiver.observe(mail);
            people.extend(self.people_named(account, mail)?);
        }
        if !people.is_empty() {
            store.mail().remember_names(people).await?;
        }
        if *receiver != before {
            let json = serde_json::to_string(receiver).unwrap_or_default();
            store.mail().save_receiver(account.name.clone(), json).await?;
        }
        Ok(())
    }

    /// The addresses and names in a mail of people the user knows: colleagues, earlier recipients and, if it is the
    /// user's own mail, its recipients.
    fn people_named(&self, account: &Account, mail: &Mail) -> Result<Vec<(String, String)>, IntakeError> {
        let store = self.engine().store();
        let is_own_mail = is_own(&mail.from.address, &account.addresses);
        let colleague =
            |address: &str| account.addresses.iter().any(|own| !have_different_owners(own, address));
        let mut people = Vec::new();
        let shown = mail.recipients().filter(|_| is_own_mail).chain(std::iter::once(&mail.from));
        for person in shown.filter(|person| !person.name.trim().is_empty() && !person.address.is_empty()) {
            if is_own_mail || colleague(&person.address) || store.mail().knows(&person.address)? {
                people.push((person.address.clone(), person.name.clone()));
            }
        }
        Ok(people)
    }

    /// Since when mail was asked for whether it was read or not, if this is the first look and it wants the newest.
    async fn wanted_since(&self, account: &Account) -> Result<Option<Timestamp>, IntakeError> {
        match self.0.first {
            FirstLook::Newest(count) if self.engine().store().mail().began(&account.name)?.is_none() => {
                Ok(account.mailbox.newest(count).await?)
            }
            FirstLook::Usual | FirstLook::Newest(_) => Ok(None),
        }
    }

    /// Fetches a page of mails and parses them, several at once.
    async fn page(&self, account: &Account, since: Option<&Cursor>) -> Result<Page, IntakeError> {
        let Fetched { mails, cursor, remaining, missing } = account.mailbox.fetch(since, PAGE).await?;
        let bytes = mails.iter().map(|mail| mail.raw.len()).sum();
        let read =
            |incoming: FetchedMail| async move { Ok((self.read(account, &incoming).await?, incoming)) };
        let mails: Result<_, IntakeError> =
            stream::iter(mails).map(read).buffered(PARSED_AT_ONCE).try_collect().await;
        Ok(Page { mails: mails?, bytes, cursor, remaining, missing })
    }

    /// Takes in unrelated mails, and counts them.
    async fn take_run(
        &self,
        account: &Account,
        source: &StoredSource,
        wanted: Option<Timestamp>,
        run: &[(ParseResult, FetchedMail)],
        gathering: &Gathering,
        synced: &mut Synced,
    ) -> Result<(), IntakeError> {
        let takes =
            run.iter().map(|(read, incoming)| self.take(account, source, wanted, read, incoming, gathering));
        for took in join_all(takes).await {
            let took = took?;
            synced.new += u64::from(took.new);
            synced.started += u64::from(took.started);
        }
        Ok(())
    }

    async fn take(
        &self,
        account: &Account,
        source: &StoredSource,
        wanted: Option<Timestamp>,
        read: &ParseResult,
        incoming: &FetchedMail,
        gathering: &Gathering,
    ) -> Result<TakeResult, IntakeError> {
        // Not only at first: a mailbox that lost its place shows everything again.
        if incoming.arrived < source.since {
            return Ok(TakeResult::default());
        }
        let limit = self.engine().step_limit();
        let store = self.engine().store();
        let is_known = match read {
            Ok(ParsedMail { identity, .. }) => store.mail().state(identity)?.is_some(),
            Err(unread) => store.mail().state(&unread.identity)?.is_some(),
        };
        if is_known {
            let mut mail = self.new_mail(account, read, incoming)?;
            // A second copy changes nothing. Only if the known one is not found has the mail moved.
            if let Some(place) = store.mail().place_of(&mail.identity)?.filter(|place| *place != mail.place) {
                let presence = account.mailbox.presence(std::slice::from_ref(&place)).await?;
                if matches!(presence.first(), Some(MailPresence::There { .. })) {
                    mail.place = place;
                }
            }
            store.mail().take_in(mail, Route::Asked, limit).await?;
            return Ok(TakeResult::default());
        }
        fail_point("before_take_in");
        let is_own_mail = match read {
            Ok(ParsedMail { mail, .. }) => self.is_own(account, mail).await?,
            Err(_) => false,
        };
        let result = match read {
            Ok(ParsedMail { mail, .. }) if is_own_mail => {
                self.close_by_own_mail(account, mail).await?;
                store
                    .mail()
                    .remember_recipients(mail.recipients().map(|to| to.address.clone()).collect())
                    .await?;
                store.mail().take_in(self.new_mail(account, read, incoming)?, Route::Sent, limit).await?
            }
            Ok(_) if incoming.answered => {
                let route = Route::Left("you had answered it already".to_owned());
                store.mail().take_in(self.new_mail(account, read, incoming)?, route, limit).await?
            }
            Ok(_) if source.phase == Phase::Collecting => {
                let is_wanted = wanted.is_some_and(|wanted| incoming.arrived >= wanted);
                let skip = incoming.seen && self.0.config.intake.unread_only && !is_wanted;
                let route =
                    if skip { Route::Left("you had read it already".to_owned()) } else { Route::Asked };
                store.mail().take_in(self.new_mail(account, read, incoming)?, route, limit).await?
            }
            _ => self.dispatch(account, read, incoming, gathering).await?,
        };
        fail_point("after_take_in");
        Ok(TakeResult { new: result != TakenIn::Known, started: matches!(result, TakenIn::Started(_)) })
    }
}

/// Mails that were fetched and parsed.
struct Page {
    mails: Vec<(ParseResult, FetchedMail)>,
    /// The total size of the mails.
    bytes: usize,
    cursor: Option<Cursor>,
    remaining: u64,
    missing: Option<String>,
}

/// The result of taking in one mail.
#[derive(Default)]
struct TakeResult {
    new: bool,
    started: bool,
}

/// Cuts a page into runs of unrelated mails, in order. The mails of a run are taken in concurrently and share a disk
/// write; a mail that may belong to an earlier one waits until that one is stored.
fn runs(page: Vec<(ParseResult, FetchedMail)>) -> Vec<Vec<(ParseResult, FetchedMail)>> {
    let mut runs: Vec<Vec<(ParseResult, FetchedMail)>> = Vec::new();
    let mut met: HashSet<String> = HashSet::new();
    for mail in page {
        let names: Vec<String> = match &mail.0 {
            Err(unread) => vec![unread.identity.clone()],
            Ok(ParsedMail { mail: parsed, identity, .. }) => {
                let refers = parsed.references.iter().chain(&parsed.in_reply_to).chain(&parsed.message_id);
                refers.cloned().chain([identity.clone()]).collect()
            }
        };
        if runs.is_empty() || names.iter().any(|name| met.contains(name)) {
            runs.push(Vec::new());
            met.clear();
        }
        met.extend(names);
        if let Some(run) = runs.last_mut() {
            run.push(mail);
        }
    }
    runs
}
