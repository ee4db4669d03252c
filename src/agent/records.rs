//! What nodes read from and write to the store. They reach it no other way.

use super::lesson::Cause;
use super::mail_facts::Class;
use super::policy::{GrantQuery, allows};
use crate::agent::llm::Usage;
use crate::config::Config;
use crate::engine::graph::{AgentCall, InterruptId, NodeError, StepContext, Texts, ThreadId};
use crate::engine::store::{KeptMail, NewLesson, Prompt, RepeatQuery, Span, Store, StoreError};
use crate::inbox::{MailLine, MemoryCause, MemoryRow, POLICY_GRANT, RowChange, RowKey, RowState};
use crate::mail::compose::is_own;
use crate::mail::risk::{DistinctiveText, KnownDomains, Receiver};
use crate::mail::{self, Mail};
use crate::text::{digest_from_hex, hex};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How many addresses are searched for look-alikes.
const MAX_CONTACTS: usize = 2000;

/// How many mails a row is tried on before a person is asked about it.
const MAX_MAILS: usize = 500;

/// How many mails of a conversation a card shows.
const MAX_SHOWN: usize = 30;

/// During this time no sender is called new, because everybody would be.
const FIRST_DAY: SignedDuration = SignedDuration::from_hours(24);

/// The record of one model call.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// What it was for (`analyze.initial`).
    pub task: String,
    /// The provider's name for the model that was asked.
    pub model: String,
    /// The name the model gave itself, which may be longer.
    pub answered_as: Option<String>,
    /// Whether it was the built-in rules.
    pub builtin: bool,
    pub took: Duration,
    /// Zero if the call failed.
    pub usage: Usage,
    /// The error code, if it failed.
    pub error: Option<String>,
    /// Everything before the conversation: instructions, tools, the output schema.
    pub head: Value,
    /// The conversation as it was sent.
    pub messages: Value,
    pub answer: Option<Value>,
}

/// One version of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The version that was read; only the version right after it can be written.
    pub version: u64,
    pub text: String,
    /// Lines that no update may drop.
    pub pinned: Vec<String>,
}

/// An answer to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// The profile that learns.
    pub namespace: String,
    pub cause: Cause,
    /// The answered interrupt.
    pub interrupt: Option<InterruptId>,
}

/// A mail of a conversation, whichever thread took it or sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationMail {
    /// The digest of its bytes, in hexadecimal.
    pub raw: String,
    /// Whether its mailbox called it unread when we last looked, and it was not handled since.
    pub is_unread: bool,
}

/// Whether a program's call is allowed without asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantCheck {
    /// Allowed by this grant; if several grants together allow it, by the first of them.
    Grant(String),
    /// Not allowed; the index of the first act that no grant allows, and what its files were when one did.
    NotCovered(usize, Texts),
}

/// What nodes read from and write to the store.
#[derive(Clone)]
pub struct Records {
    config: Arc<Config>,
    store: Store,
    /// The addresses that the person wrote to, when they were last read, and their domains.
    contacts: Arc<Mutex<(Vec<String>, Arc<KnownDomains>)>>,
}

impl Records {
    pub fn new(config: Arc<Config>, store: Store) -> Self {
        Self { config, store, contacts: Arc::default() }
    }

    /// Whether one more model call is within the budgets.
    pub fn check_budget(&self, step: &StepContext) -> Result<(), NodeError> {
        // A call with an unknown price counts as a call and costs nothing.
        let (calls, cost) = self.store.statistics().spent(&step.thread)?;
        let today = self.store.statistics().cost_since(self.midnight())?;
        let times = f64::from(step.allowance.max(1));
        let budget = &self.config.budget;
        let text = if calls >= budget.calls_per_thread.saturating_mul(u64::from(step.allowance.max(1))) {
            format!("This thread has called models {calls} times (budget.calls_per_thread).")
        } else if cost >= budget.thread * times {
            format!("This thread has cost ${cost:.2} (budget.thread).")
        } else if today >= budget.day * times {
            format!("Models have cost ${today:.2} today (budget.day).")
        } else {
            return Ok(());
        };
        Err(NodeError::Budget { text })
    }

    /// Records a model call.
    pub fn record_call(&self, step: &StepContext, call: CallRecord) {
        let prices = &self.config.prices;
        // The configured name first; a server may add a date to it.
        let answered_price = call.answered_as.as_ref().and_then(|name| prices.get(name));
        let price = prices.get(&call.model).or(answered_price);
        let cost = price.map(|price| call.usage.cost(price));
        let prompt = Prompt {
            head: call.head.to_string(),
            messages: call.messages.to_string(),
            answer: call.answer.map(|answer| answer.to_string()),
        };
        let span = Span {
            thread: step.thread.clone(),
            step: step.number,
            // The built-in rules cost nothing, so they use up no budget.
            counts: !call.builtin,
            cost: if call.builtin { Some(0.0) } else { cost },
            task: call.task,
            model: call.model,
            ms: u64::try_from(call.took.as_millis()).unwrap_or(u64::MAX),
            input: call.usage.input,
            output: call.usage.output,
            cached: call.usage.cached,
            error: call.error,
        };
        self.store.statistics().record_span(span, prompt);
    }

    /// Stores bytes and returns their digest in hexadecimal, so that states stay small.
    pub async fn put_blob(&self, bytes: Vec<u8>) -> Result<String, NodeError> {
        let digest = self.store.put_blob(bytes).await?;
        Ok(hex(&digest))
    }

    /// The bytes with this digest.
    pub fn blob(&self, digest: &str) -> Result<Vec<u8>, NodeError> {
        Ok(self.store.blob(&self::digest(digest)?)?)
    }

    /// The newest profile of a namespace. If there is none yet, `preset` becomes its first version.
    pub async fn profile(&self, namespace: &str, preset: &str) -> Result<Profile, NodeError> {
        if let Some(newest) = self.newest_profile(namespace)? {
            return Ok(newest);
        }
        let cause = MemoryCause { kind: "default".to_owned(), thread: None, interrupt: None };
        match self.store.memory().remember(namespace.to_owned(), 0, preset.to_owned(), cause).await {
            // Another process stored it first; use that one.
            Ok(_) | Err(StoreError::Conflict(_)) => {}
            Err(error) => return Err(error.into()),
        }
        let newest = self.newest_profile(namespace)?;
        newest.ok_or_else(|| NodeError::failed(format!("the memory `{namespace}` cannot be read")))
    }

    /// Stores answers to learn from. The same step stores them only once, even if it is called again.
    pub async fn learn(&self, step: &StepContext, lessons: Vec<Lesson>) -> Result<(), NodeError> {
        let mut new_lessons = Vec::new();
        for lesson in lessons {
            let cause = serde_json::to_string(&lesson.cause).map_err(NodeError::failed)?;
            new_lessons.push(NewLesson { namespace: lesson.namespace, cause, interrupt: lesson.interrupt });
        }
        let saving = self.store.memory().save_lessons(step.thread.clone(), step.number, new_lessons);
        Ok(saving.await?)
    }

    /// The rows in force about these, in their order.
    pub fn rows(&self, keys: &[RowKey]) -> Result<Vec<MemoryRow>, NodeError> {
        let mut rows = Vec::new();
        for key in keys {
            rows.extend(self.row(key)?.filter(|row| row.state == RowState::Given));
        }
        Ok(rows)
    }

    /// The row about this, in force or not.
    pub fn row(&self, key: &RowKey) -> Result<Option<MemoryRow>, NodeError> {
        Ok(self.store.memory().row(key)?.map(|line| line.row))
    }

    /// The threads of the conversation of a mail, by its identity.
    pub fn threads_of_conversation(&self, identity: &str) -> Result<Vec<ThreadId>, NodeError> {
        Ok(self.store.mail().threads_of_conversation(identity)?)
    }

    /// Whether the person, or sayso for them, wrote a mail with one of these Message-IDs.
    pub fn wrote_any(&self, ids: &[String], own: &[String]) -> Result<bool, NodeError> {
        for id in ids {
            let writers = self.store.mail().writers_of(id)?;
            if writers.iter().any(|writer| is_own(writer, own)) || self.store.mail().sent_by_any(id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Changes a row. A decision counts once, even if it is called again.
    pub async fn change_row(&self, key: RowKey, change: RowChange) -> Result<(), NodeError> {
        self.store.memory().change_row(key, change).await?;
        Ok(())
    }

    /// The newest mails from these senders (`*` matches anything) since then, each with the digest of its bytes.
    pub fn mails_from(&self, senders: &str, since: Timestamp) -> Result<Vec<(String, MailLine)>, NodeError> {
        let mails = self.store.mail().from(senders, since, MAX_MAILS)?;
        Ok(mails.into_iter().map(|(raw, mail)| (hex(&raw), mail)).collect())
    }

    /// Writes the version after `read`; `None` if somebody else was faster.
    pub async fn write_profile(
        &self,
        namespace: &str,
        read: u64,
        text: String,
        cause: Option<(ThreadId, Option<InterruptId>)>,
    ) -> Result<Option<u64>, NodeError> {
        let (thread, interrupt) = cause.map_or((None, None), |(thread, answer)| (Some(thread), answer));
        let cause = MemoryCause { kind: "answer".to_owned(), thread, interrupt };
        match self.store.memory().remember(namespace.to_owned(), read, text, cause).await {
            Ok(version) => Ok(Some(version)),
            Err(StoreError::Conflict(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the person wrote to this address, accepted its mail, or had mail from it before sayso looked.
    pub fn is_known(&self, address: &str) -> Result<bool, NodeError> {
        Ok(self.store.mail().knows(address)?)
    }

    /// Whether sayso has watched this account for less than a day.
    pub fn is_first_day(&self, account: &str) -> Result<bool, NodeError> {
        let began = self.store.mail().began(account)?;
        Ok(began.is_some_and(|began| self.store.now().duration_since(began) < FIRST_DAY))
    }

    /// The address of somebody the person knows by this name.
    pub fn address_by_name(&self, name: &str) -> Result<Option<String>, NodeError> {
        Ok(self.store.mail().address_by_name(name)?)
    }

    /// What is known about the server that checks senders for an account.
    pub fn receiver(&self, account: &str) -> Result<Option<Receiver>, NodeError> {
        let stored = self.store.mail().receiver(account)?;
        stored.map(|stored| serde_json::from_str(&stored).map_err(NodeError::failed)).transpose()
    }

    /// Remembers that the person accepted a mail from this address. This makes nobody trusted.
    pub async fn record_noted_sender(&self, address: &str) -> Result<(), NodeError> {
        Ok(self.store.mail().remember_senders(vec![address.to_owned()]).await?)
    }

    /// The domains the person wrote to, for spotting look-alikes: of a few thousand addresses at most, the newest.
    /// Writing to the person makes nobody trusted.
    pub fn contacts(&self) -> Result<Arc<KnownDomains>, NodeError> {
        let addresses = self.store.mail().contacts(MAX_CONTACTS)?;
        let mut contacts = self.contacts.lock().unwrap_or_else(PoisonError::into_inner);
        if contacts.0 != addresses {
            *contacts = (addresses.clone(), Arc::new(KnownDomains::new(&addresses)));
        }
        Ok(contacts.1.clone())
    }

    /// Remembers whom the person wrote to.
    pub async fn record_recipients(&self, addresses: &[String]) -> Result<(), NodeError> {
        Ok(self.store.mail().remember_recipients(addresses.to_vec()).await?)
    }

    /// Stores a mail that a person handed in, as the mail of this thread.
    pub async fn hand_in(&self, step: &StepContext, mail: &Mail) -> Result<(), NodeError> {
        let handed = kept(mail, mail.raw.clone(), String::new())?;
        Ok(self.store.mail().hand_in(step.thread.clone(), handed, mail.words()).await?)
    }

    /// The first of these codes and phrases that appears in a mail of another conversation, and who wrote that mail.
    /// The conversation of the thread and of the mails in `inside` does not count, nor does mail from an `own` address.
    pub fn find_repeated_text(
        &self,
        step: &StepContext,
        inside: &[String],
        own: &[String],
        text: &DistinctiveText,
    ) -> Result<Option<(String, String)>, NodeError> {
        let DistinctiveText { codes, phrases, .. } = text;
        let repeat = self.store.search().find_repeated_text(&RepeatQuery {
            thread: &step.thread,
            inside,
            own,
            codes,
            phrases,
        });
        Ok(repeat?.map(|repeat| (repeat.text, repeat.sender)))
    }

    /// Records a mail that the thread has sent, so that answers to it belong to its conversation.
    pub async fn record_sent(&self, step: &StepContext, account: &str, mail: &Mail) -> Result<(), NodeError> {
        let sent = kept(mail, mail::identity(account, mail), account.to_owned())?;
        Ok(self.store.mail().record_sent(step.thread.clone(), sent).await?)
    }

    /// The newest mails of the conversations that these belong to, the newest first, and how many more there are. Mail
    /// that came is named by its identity, mail that was sent by its Message-ID.
    pub fn conversation(
        &self,
        identities: &[String],
        sent: &[String],
    ) -> Result<(Vec<ConversationMail>, usize), NodeError> {
        let (mails, more) = self.store.mail().conversation(identities, sent, MAX_SHOWN)?;
        let mails = mails.into_iter();
        let mails = mails.map(|mail| ConversationMail { raw: hex(&mail.raw), is_unread: mail.is_unread });
        Ok((mails.collect(), more))
    }

    /// Records how triage classified the thread's mails, and the row that did with the mail that has this digest.
    pub async fn record_triage(
        &self,
        step: &StepContext,
        class: Class,
        reason: &str,
        row: Option<(&RowKey, &str)>,
    ) -> Result<(), NodeError> {
        let (thread, class) = (step.thread.clone(), class.as_str().to_owned());
        let row = row.map(|(key, raw)| Ok::<_, NodeError>((key.to_string(), digest(raw)?))).transpose()?;
        Ok(self.store.mail().record_triage(thread, class, reason.to_owned(), row).await?)
    }

    /// Where the mailbox keeps a mail now, by its identity; it may have been moved since it arrived.
    pub fn place_of(&self, identity: &str) -> Result<Option<String>, NodeError> {
        Ok(self.store.mail().place_of(identity)?)
    }

    /// Records that the thread's mails are handled, and how (`replied`, `accepted`, `ignored`, `elsewhere` …).
    pub async fn record_handled(&self, step: &StepContext, outcome: &str) -> Result<(), NodeError> {
        Ok(self.store.mail().record_handled(step.thread.clone(), outcome.to_owned()).await?)
    }

    /// The id of the grant or policy that covers this, for [`crate::engine::graph::Interrupt::granted`]; if `None`, the person
    /// is asked. The store checks again when the question is committed, and before the effect.
    pub fn covering_grant(
        &self,
        step: &StepContext,
        wish: &GrantQuery<'_>,
    ) -> Result<Option<String>, NodeError> {
        if wish.warned {
            return Ok(None);
        }
        let mut strangers = Vec::new();
        for to in wish.recipients.iter().filter(|to| !is_own(to, wish.own)) {
            if !self.store.mail().knows(to)? {
                strangers.push(to);
            }
        }
        let grant = self.store.grants().covering(wish.tool, &step.thread, wish.sender, &strangers);
        let grant = grant?;
        if grant.is_some() {
            return Ok(grant);
        }
        let policy = self.config.policies.get(wish.tool);
        let allows = policy.is_some_and(|policy| allows(policy, wish));
        Ok(allows.then(|| format!("{POLICY_GRANT}{}", wish.tool)))
    }

    /// Whether a grant allows a program's call without asking.
    pub fn agent_grant(&self, tool: &str, call: &AgentCall) -> Result<GrantCheck, NodeError> {
        let covering = self.store.grants().covering_call(tool, call)?;
        Ok(match covering {
            Ok(grant) => GrantCheck::Grant(grant),
            Err((act, was)) => GrantCheck::NotCovered(act, was),
        })
    }

    /// Whether a built-in grant (`builtin:output_files`, `builtin:mark_handled` …) is in force.
    pub fn is_builtin_on(&self, name: &str) -> Result<bool, NodeError> {
        Ok(self.store.grants().is_builtin_on(name)?)
    }

    fn midnight(&self) -> Timestamp {
        let now = self.store.now();
        let zone = self.config.user.time_zone.clone();
        now.to_zoned(zone).start_of_day().map_or(now, |day| day.timestamp())
    }

    fn newest_profile(&self, namespace: &str) -> Result<Option<Profile>, NodeError> {
        let Some(newest) = self.store.memory().newest(namespace)? else {
            return Ok(None);
        };
        let pinned = self.store.memory().pins(namespace)?;
        Ok(Some(Profile { version: newest.version, text: newest.profile, pinned }))
    }
}

/// A mail whose bytes are stored, as the store keeps it.
fn kept(mail: &Mail, identity: String, account: String) -> Result<KeptMail, NodeError> {
    Ok(KeptMail {
        conversation: mail.conversation().unwrap_or(&identity).to_owned(),
        identity,
        account,
        message_id: mail.message_id.clone(),
        sender: mail.from.address.to_lowercase(),
        subject: mail.subject.clone(),
        sent_at: mail.date,
        raw: digest(&mail.raw)?,
    })
}

/// Parses the hexadecimal digest that nodes use.
fn digest(digits: &str) -> Result<[u8; 32], NodeError> {
    digest_from_hex(digits).ok_or_else(|| NodeError::failed("a file's digest is unreadable"))
}
