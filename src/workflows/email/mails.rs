//! The mails of a conversation, read from their stored bytes.

use super::defaults;
use super::state::{Email, MailRef, MailStatus};
use crate::agent::mail_facts::{MailFacts, Signals, User};
use crate::agent::{Picked, Services, pick_model, pick_only};
use crate::calendar::{self, Calendar, ReadOnly};
use crate::config::MailMode;
use crate::engine::graph::{Answer, AnyState, Ctx, Decision, NodeError};
use crate::mail::compose::is_own;
use crate::mail::risk::{Receiver, is_authenticated, is_forged, is_marked_spam, sender_shown};
use crate::mail::{self, Account, Mail};
use crate::text::Visible;
use jiff::Timestamp;
use std::sync::Arc;

/// A conversation as nodes and cards see it.
#[derive(Default)]
pub(super) struct Conversation {
    /// Oldest first, each with its reference.
    pub mails: Vec<(MailRef, Arc<Mail>)>,
    /// The account it came by, or that a mail it forwards came by; else the first account.
    pub account: Option<Account>,
    /// The mail that the person forwards.
    pub forwarded: Option<Arc<Mail>>,
    /// The address that the person chose for the mail they begin with.
    pub from: Option<String>,
    /// The digests of the mails that the person wrote.
    own: Vec<String>,
    /// The bare addresses, in lower case, that mail of this thread was sent to.
    pub written_to: Vec<String>,
    /// The digest of the mail being decided on.
    about: String,
    /// The digests of later mails that are decided on with it.
    passed_over: Vec<String>,
    /// Whether the model found one of its mails suspicious.
    pub suspicious: bool,
}

impl Conversation {
    /// The only model that may read this mail, if the account names one.
    pub fn only_model(&self) -> Option<String> {
        self.account.as_ref()?.model.clone()
    }

    /// The profile that learns from decisions in this conversation.
    pub fn namespace(&self, shared: &str) -> String {
        match &self.account {
            Some(account) if account.model.is_some() => defaults::account_namespace(shared, &account.name),
            _ => shared.to_owned(),
        }
    }

    /// The profile's text for this mail. If the account has its own model, the account's lines come first.
    pub async fn profile(&self, services: &Services, shared: &'static str) -> Result<String, NodeError> {
        let text = services.records.profile(shared, defaults::preset(shared)).await?.text;
        let namespace = self.namespace(shared);
        if namespace == shared {
            return Ok(text);
        }
        let account_text = services.records.profile(&namespace, "").await?.text;
        Ok(format!("{account_text}{text}"))
    }

    /// What we know about the server that checks senders for the account.
    pub fn receiver(&self, services: &Services) -> Result<Option<Receiver>, NodeError> {
        let account = self.account.as_ref().map_or("", |account| &account.name);
        services.records.receiver(account)
    }

    /// A mail as facts, with what that server found out about it.
    pub fn facts(&self, services: &Services, mail: &Mail) -> Result<MailFacts, NodeError> {
        let receiver = self.receiver(services)?;
        let mut facts = facts(mail);
        facts.headers.forged = is_forged(mail, receiver.as_ref());
        facts.headers.spam = is_marked_spam(mail, receiver.as_ref());
        Ok(facts)
    }

    pub async fn model(&self, ctx: &Ctx<Services>, role: &str, state: &Email) -> Result<Picked, NodeError> {
        match self.only_model() {
            Some(name) => pick_only(ctx, &name).await,
            None => pick_model(ctx, role, state.model_name.as_deref()).await,
        }
    }

    /// Reads every mail the thread knows.
    pub fn read(services: &Services, state: &Email) -> Result<Self, NodeError> {
        let mails =
            state.email_input.iter().map(|mail_ref| Ok((mail_ref.clone(), services.mail(&mail_ref.raw)?)));
        let mails: Vec<(MailRef, Arc<Mail>)> = mails.collect::<Result<_, NodeError>>()?;
        let mails = by_date(mails, services.clock.clone()());
        let with_account = mails.iter().rev().find(|(mail_ref, _)| !mail_ref.account.is_empty());
        let account = with_account.and_then(|(mail_ref, _)| services.accounts.get(&mail_ref.account));
        let of_forwarded = state.forwarded.as_ref().and_then(|mail| services.accounts.get(&mail.account));
        let chosen = state.from.as_ref().and_then(|from| services.accounts.of_address(from));
        let account = account.or(chosen).or(of_forwarded).or_else(|| services.accounts.first());
        // Once somebody has answered, it is their mail that the thread is about.
        let forwarded = state.forwarded.as_ref().filter(|_| mails.is_empty());
        let forwarded = forwarded.map(|mail| services.mail(&mail.raw)).transpose()?;
        let from = state.from.clone().filter(|_| mails.is_empty());
        let (about, suspicious) = (state.about.clone(), state.suspicious);
        let passed_over = state.passed_over.clone();
        let own = own(services, account.as_ref(), &mails)?;
        let left = state.sent.iter().filter(|note| !note.message_id.is_empty());
        let written_to = left.flat_map(|note| &note.to).map(|to| to.to_lowercase()).collect();
        Ok(Self { mails, account, forwarded, from, own, written_to, about, passed_over, suspicious })
    }

    /// All addresses of the person.
    pub fn own_addresses(&self) -> Vec<String> {
        self.account.as_ref().map(|account| account.addresses.clone()).unwrap_or_default()
    }

    /// Whether the person wrote a mail of it.
    pub fn is_own(&self, mail: &MailRef) -> bool {
        self.own.contains(&mail.raw)
    }

    /// The mail that was shown or that the proposals answer, even if newer mail came; else the newest.
    pub fn about(&self) -> Option<&(MailRef, Arc<Mail>)> {
        self.mails.iter().find(|(mail_ref, _)| mail_ref.raw == self.about).or_else(|| self.newest())
    }

    /// Whether newer mail came than the one being decided on.
    pub fn has_news(&self) -> bool {
        let raw = |entry: Option<&(MailRef, Arc<Mail>)>| entry.map(|(mail_ref, _)| mail_ref.raw.clone());
        raw(self.about()) != raw(self.newest())
    }

    /// The mail to decide about next: the newest that the person did not write and that was not passed over for an
    /// earlier one.
    pub fn newest(&self) -> Option<&(MailRef, Arc<Mail>)> {
        let is_next = |(mail_ref, _): &&(MailRef, Arc<Mail>)| {
            !self.is_own(mail_ref) && !self.passed_over.contains(&mail_ref.raw)
        };
        self.mails.iter().rev().find(is_next).or(self.mails.last())
    }

    /// The mails before the newest that wait with it, newest first, each as a conversation of its own. What came before
    /// the person last wrote waits no more.
    pub fn waiting_before(&self, state: &Email) -> Vec<Self> {
        let newest = self.newest().map(|(newest, _)| newest.raw.clone());
        let earlier =
            self.mails.iter().rev().skip_while(|(mail_ref, _)| Some(&mail_ref.raw) != newest.as_ref());
        let since = earlier.skip(1).take_while(|(mail_ref, _)| !self.is_own(mail_ref));
        let waits = since.filter(|(mail_ref, _)| !state.is_dealt_with(&mail_ref.raw));
        waits.map(|one| self.alone(vec![one.clone()])).collect()
    }

    /// The mail being decided on and every later mail of others, each as a conversation of its own. If none
    /// is being decided on, only the newest.
    pub fn to_decide_on(&self) -> impl Iterator<Item = Self> {
        let about_index = self.mails.iter().position(|(mail_ref, _)| mail_ref.raw == self.about);
        let newest = self.newest().map(|(newest, _)| &newest.raw);
        let is_meant = move |one: &&(MailRef, Arc<Mail>)| {
            newest == Some(&one.0.raw) || !self.is_own(&one.0) && about_index.is_some()
        };
        let alone = |one: &(MailRef, Arc<Mail>)| self.alone(vec![one.clone()]);
        self.mails.iter().skip(about_index.unwrap_or(0)).filter(is_meant).map(alone)
    }

    /// One mail that came by this account.
    pub fn of(services: &Services, account: &str, raw: String, mail: Arc<Mail>) -> Self {
        let account = services.accounts.get(account).or_else(|| services.accounts.first());
        let mails = vec![(MailRef { raw, ..MailRef::default() }, mail)];
        Self { mails, account, ..Self::default() }
    }

    /// The newest mail that the person did not write, as a conversation of its own.
    pub fn newest_alone(&self) -> Self {
        self.alone(self.newest().cloned().into_iter().collect())
    }

    /// Some of its mails, without what was decided.
    fn alone(&self, mails: Vec<(MailRef, Arc<Mail>)>) -> Self {
        let (account, own) = (self.account.clone(), self.own.clone());
        let written_to = self.written_to.clone();
        Self { mails, account, own, written_to, suspicious: self.suspicious, ..Self::default() }
    }

    /// Whether mail came after the person's newest answer.
    pub fn has_unseen(&self) -> bool {
        self.mails.iter().any(|(mail_ref, _)| mail_ref.status == MailStatus::New)
    }

    /// The digests of the mails that these answers decide, limited to those the person saw. A no covers all of
    /// them; a yes covers the mail being decided on, everything written before it, and what was passed over for it. Words and expiry decide nothing.
    pub fn decided(&self, answers: &[Answer]) -> Vec<String> {
        let mut decided_count = 0;
        for answer in answers.iter().filter(|answer| !answer.expired) {
            decided_count = decided_count.max(match answer.decision {
                Decision::Ignore => self.mails.len(),
                Decision::Accept | Decision::Edit { .. } | Decision::Draft => {
                    let about = self.about().map(|(mail_ref, _)| &mail_ref.raw);
                    self.mails
                        .iter()
                        .position(|(mail_ref, _)| Some(&mail_ref.raw) == about)
                        .map_or(0, |index| index + 1)
                }
                Decision::Respond { .. } => 0,
            });
        }
        let is_decided = |(index, (mail_ref, _)): &(usize, &(MailRef, Arc<Mail>))| {
            *index < decided_count || decided_count > 0 && self.passed_over.contains(&mail_ref.raw)
        };
        let refs = self.mails.iter().enumerate().filter(is_decided).map(|(_, (mail_ref, _))| mail_ref);
        refs.filter(|mail| mail.status != MailStatus::New).map(|mail| mail.raw.clone()).collect()
    }

    /// Whether the account's mode allows acting.
    pub fn acts(&self) -> bool {
        self.account.as_ref().is_none_or(|account| account.mode == MailMode::Act)
    }

    /// The person's calendar; read-only if the account only observes.
    pub fn calendar(&self, services: &Services) -> Option<Arc<dyn Calendar>> {
        let calendar = services.calendar.clone()?;
        let refusal = "the account this mail came to only observes; set its mode to \"act\" in the config";
        Some(if self.acts() { calendar } else { Arc::new(ReadOnly { calendar, refusal }) })
    }

    /// The bare addresses of everybody in the conversation, each once.
    pub fn people(&self) -> Vec<String> {
        let mut people: Vec<String> = Vec::new();
        for (_, mail) in &self.mails {
            let everybody = std::iter::once(&mail.from).chain(&mail.reply_to).chain(&mail.to).chain(&mail.cc);
            for person in everybody.filter(|person| !person.address.is_empty()) {
                if !people.iter().any(|address| person.same(address)) {
                    people.push(person.address.clone());
                }
            }
        }
        people
    }
}

/// The profiles a thread uses. If the account has its own model, its profiles come before the shared ones.
pub(super) fn profiles(services: &Services, state: &AnyState) -> Vec<String> {
    let read = state.get::<Email>().map(|state| Conversation::read(services, state));
    let Some(Ok(conversation)) = read else { return Vec::new() };
    let mut namespaces = Vec::new();
    for (shared, _) in defaults::PROFILES {
        let namespace = conversation.namespace(shared);
        namespaces.extend((namespace != shared).then_some(namespace));
        namespaces.push(shared.to_owned());
    }
    namespaces
}

/// The digests of the mails that the person wrote. Anybody can put the person's address into From, and mail that is known
/// as sent starts no thread; so it must come from a server that checked it, or from the person's hand.
fn own(
    services: &Services,
    account: Option<&Account>,
    mails: &[(MailRef, Arc<Mail>)],
) -> Result<Vec<String>, NodeError> {
    let Some(account) = account else { return Ok(Vec::new()) };
    let mut own = Vec::new();
    for (mail_ref, mail) in mails.iter().filter(|(_, mail)| is_own(&mail.from.address, &account.addresses)) {
        let is_handed_in = mail_ref.account.is_empty();
        if is_handed_in || is_authenticated(mail, services.records.receiver(&mail_ref.account)?.as_ref()) {
            own.push(mail_ref.raw.clone());
        }
    }
    Ok(own)
}

/// Sorts mails by when they were written, which may differ from when they arrived. A mail without a date, or with one
/// in the future, stays where it arrived.
pub(super) fn by_date(mails: Vec<(MailRef, Arc<Mail>)>, now: Timestamp) -> Vec<(MailRef, Arc<Mail>)> {
    let mut latest = Timestamp::MIN;
    let mut dated: Vec<(Timestamp, (MailRef, Arc<Mail>))> = Vec::new();
    for one in mails {
        let date = one.1.date.filter(|date| *date <= now).unwrap_or(latest);
        latest = latest.max(date);
        dated.push((date, one));
    }
    dated.sort_by_key(|(date, _)| *date);
    dated.into_iter().map(|(_, one)| one).collect()
}

/// The person whose mail it is, for prompts.
pub(super) fn user(services: &Services, addresses: Vec<String>) -> User {
    User { name: services.user.name.clone(), addresses, background: services.user.background.clone() }
}

/// A mail as facts, with the text a person sees.
pub(super) fn facts(mail: &Mail) -> MailFacts {
    let bare = |people: &[mail::Address]| people.iter().map(|one| one.address.clone()).collect();
    MailFacts {
        from: mail.from.address.clone(),
        from_name: mail.from.name.clone(),
        to: bare(&mail.to),
        cc: bare(&mail.cc),
        subject: mail.subject.clone(),
        date: mail.date.map(|date| date.to_string()).unwrap_or_default(),
        text: mail.text.clone(),
        list_id: mail.list.as_ref().and_then(|list| list.id.clone()),
        headers: Signals {
            auto_submitted: mail.auto_submitted.clone(),
            precedence: mail.precedence.clone(),
            list_unsubscribe: mail.list.as_ref().is_some_and(|list| !list.unsubscribe.is_empty()),
            list_post: mail.list.as_ref().is_some_and(|list| list.post.is_some()),
            in_reply_to: !mail.in_reply_to.is_empty(),
            calendar: mail.invitation.as_ref().map(|invitation| invitation.method.clone()),
            attendance: mail
                .invitation
                .as_ref()
                .and_then(|part| if part.method == "REPLY" { calendar::answered(&part.text) } else { None }),
            spam: false,
            forged: false,
        },
        attachments: mail.attachments.iter().map(|file| file.name.clone()).collect(),
    }
}

/// Completes a mail's reference with the details that lists show.
pub(super) fn complete_ref(mail_ref: MailRef, mail: &Mail) -> MailRef {
    MailRef {
        message_id: mail.message_id.clone(),
        from: mail.from.to_string(),
        subject: mail.subject.clone(),
        date: mail.date,
        ..mail_ref
    }
}

/// A mail's facts for a lesson, shortened: the important part is at the beginning.
pub(super) fn lesson_facts(mail: &Mail) -> MailFacts {
    let mut facts = facts(mail);
    facts.text.truncate(facts.text.floor_char_boundary(4_000));
    facts
}

/// The sender, for lists.
pub(super) fn sender(mail: &Mail) -> String {
    let name = sender_shown(&mail.from);
    Visible::line(if name.is_empty() { "somebody" } else { name }).into_string()
}

/// All references, completed for lists, if some are still incomplete.
pub(super) fn completed_refs(conversation: &Conversation) -> Option<Vec<MailRef>> {
    conversation.mails.iter().any(|(mail_ref, _)| mail_ref.is_incomplete()).then(|| {
        conversation.mails.iter().map(|(mail_ref, mail)| complete_ref(mail_ref.clone(), mail)).collect()
    })
}
