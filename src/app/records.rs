//! The records that nodes read and write, kept in the store.

use super::policy::allows;
use crate::agent::mail_facts::Class;
use crate::agent::{CallRecord, ConversationMail, GrantCheck, GrantQuery, Lesson, Profile, Records};
use crate::config::Config;
use crate::engine::graph::{AgentCall, BoxFuture, InterruptId, NodeError, StepContext, ThreadId};
use crate::engine::store::{KeptMail, NewLesson, Prompt, RepeatQuery, Span, Store, StoreError};
use crate::inbox::{MailLine, MemoryCause, MemoryRow, POLICY_GRANT, RowChange, RowKey, RowState};
use crate::mail::compose::is_own;
use crate::mail::risk::{DistinctiveText, KnownDomains, Receiver};
use crate::mail::{self, Mail};
use crate::text::{digest_from_hex, hex};
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, PoisonError};

/// How many addresses are searched for look-alikes.
const MAX_CONTACTS: usize = 2000;

/// How many mails a row is tried on before a person is asked about it.
const MAX_MAILS: usize = 500;

/// How many mails of a conversation a card shows.
const MAX_SHOWN: usize = 30;

/// During this time no sender is called new, because everybody would be.
const FIRST_DAY: SignedDuration = SignedDuration::from_hours(24);

pub(super) struct StoreRecords {
    config: Arc<Config>,
    store: Store,
    /// The addresses that the person wrote to, when they were last read, and their domains.
    contacts: Mutex<(Vec<String>, Arc<KnownDomains>)>,
}

impl StoreRecords {
    pub(super) fn new(config: Arc<Config>, store: Store) -> Self {
        Self { config, store, contacts: Mutex::default() }
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

impl Records for StoreRecords {
    fn check_budget(&self, step: &StepContext) -> Result<(), NodeError> {
        let spent = self.store.statistics().usage(&step.thread, true)?;
        let today = self.store.statistics().cost_since(self.midnight())?;
        // A call with an unknown price counts as a call and costs nothing.
        let cost = spent.cost.unwrap_or_default();
        let times = f64::from(step.allowance.max(1));
        let budget = &self.config.budget;
        let text = if spent.calls >= budget.calls_per_thread.saturating_mul(u64::from(step.allowance.max(1)))
        {
            format!("This thread has called models {} times (budget.calls_per_thread).", spent.calls)
        } else if cost >= budget.thread * times {
            format!("This thread has cost ${cost:.2} (budget.thread).")
        } else if today >= budget.day * times {
            format!("Models have cost ${today:.2} today (budget.day).")
        } else {
            return Ok(());
        };
        Err(NodeError::Budget { text })
    }

    fn record_call(&self, step: &StepContext, call: CallRecord) {
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

    fn put_blob(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<String, NodeError>> {
        Box::pin(async move {
            let digest = self.store.put_blob(bytes).await?;
            Ok(hex(&digest))
        })
    }

    fn blob(&self, digest: &str) -> Result<Vec<u8>, NodeError> {
        Ok(self.store.blob(&self::digest(digest)?)?)
    }

    fn profile<'a>(
        &'a self,
        namespace: &'a str,
        preset: &'a str,
    ) -> BoxFuture<'a, Result<Profile, NodeError>> {
        Box::pin(async move {
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
        })
    }

    fn learn<'a>(
        &'a self,
        step: &'a StepContext,
        lessons: Vec<Lesson>,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            let mut new_lessons = Vec::new();
            for lesson in lessons {
                let cause = serde_json::to_string(&lesson.cause).map_err(NodeError::failed)?;
                new_lessons.push(NewLesson {
                    namespace: lesson.namespace,
                    cause,
                    interrupt: lesson.interrupt,
                });
            }
            let saving = self.store.memory().save_lessons(step.thread.clone(), step.number, new_lessons);
            Ok(saving.await?)
        })
    }

    fn rows(&self, keys: &[RowKey]) -> Result<Vec<MemoryRow>, NodeError> {
        let mut rows = Vec::new();
        for key in keys {
            rows.extend(self.row(key)?.filter(|row| row.state == RowState::Given));
        }
        Ok(rows)
    }

    fn row(&self, key: &RowKey) -> Result<Option<MemoryRow>, NodeError> {
        Ok(self.store.memory().row(key)?.map(|line| line.row))
    }

    fn threads_of_conversation(&self, identity: &str) -> Result<Vec<ThreadId>, NodeError> {
        Ok(self.store.mail().threads_of_conversation(identity)?)
    }

    fn wrote_any(&self, ids: &[String], own: &[String]) -> Result<bool, NodeError> {
        for id in ids {
            let writers = self.store.mail().writers_of(id)?;
            if writers.iter().any(|writer| is_own(writer, own)) || self.store.mail().sent_by_any(id)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn change_row(&self, key: RowKey, change: RowChange) -> BoxFuture<'_, Result<(), NodeError>> {
        Box::pin(async move {
            self.store.memory().change_row(key, change).await?;
            Ok(())
        })
    }

    fn mails_from(&self, senders: &str, since: Timestamp) -> Result<Vec<(String, MailLine)>, NodeError> {
        let mails = self.store.mail().from(senders, since, MAX_MAILS)?;
        Ok(mails.into_iter().map(|(raw, mail)| (hex(&raw), mail)).collect())
    }

    fn write_profile<'a>(
        &'a self,
        namespace: &'a str,
        read: u64,
        text: String,
        cause: Option<(ThreadId, Option<InterruptId>)>,
    ) -> BoxFuture<'a, Result<Option<u64>, NodeError>> {
        Box::pin(async move {
            let (thread, interrupt) = cause.map_or((None, None), |(thread, answer)| (Some(thread), answer));
            let cause = MemoryCause { kind: "answer".to_owned(), thread, interrupt };
            match self.store.memory().remember(namespace.to_owned(), read, text, cause).await {
                Ok(version) => Ok(Some(version)),
                Err(StoreError::Conflict(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        })
    }

    fn is_known(&self, address: &str) -> Result<bool, NodeError> {
        Ok(self.store.mail().knows(address)?)
    }

    fn is_first_day(&self, account: &str) -> Result<bool, NodeError> {
        let began = self.store.mail().began(account)?;
        Ok(began.is_some_and(|began| self.store.now().duration_since(began) < FIRST_DAY))
    }

    fn address_by_name(&self, name: &str) -> Result<Option<String>, NodeError> {
        Ok(self.store.mail().address_by_name(name)?)
    }

    fn receiver(&self, account: &str) -> Result<Option<Receiver>, NodeError> {
        let stored = self.store.mail().receiver(account)?;
        stored.map(|stored| serde_json::from_str(&stored).map_err(NodeError::failed)).transpose()
    }

    fn record_noted_sender<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move { Ok(self.store.mail().remember_senders(vec![address.to_owned()]).await?) })
    }

    fn contacts(&self) -> Result<Arc<KnownDomains>, NodeError> {
        let addresses = self.store.mail().contacts(MAX_CONTACTS)?;
        let mut contacts = self.contacts.lock().unwrap_or_else(PoisonError::into_inner);
        if contacts.0 != addresses {
            *contacts = (addresses.clone(), Arc::new(KnownDomains::new(&addresses)));
        }
        Ok(contacts.1.clone())
    }

    fn record_recipients<'a>(&'a self, addresses: &'a [String]) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move { Ok(self.store.mail().remember_recipients(addresses.to_vec()).await?) })
    }

    fn hand_in<'a>(&'a self, step: &'a StepContext, mail: &'a Mail) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            let handed = kept(mail, mail.raw.clone(), String::new())?;
            Ok(self.store.mail().hand_in(step.thread.clone(), handed, mail.words()).await?)
        })
    }

    fn find_repeated_text(
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

    fn record_sent<'a>(
        &'a self,
        step: &'a StepContext,
        account: &'a str,
        mail: &'a Mail,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            let sent = kept(mail, mail::identity(account, mail), account.to_owned())?;
            Ok(self.store.mail().record_sent(step.thread.clone(), sent).await?)
        })
    }

    fn conversation(
        &self,
        identities: &[String],
        sent: &[String],
    ) -> Result<(Vec<ConversationMail>, usize), NodeError> {
        let (mails, more) = self.store.mail().conversation(identities, sent, MAX_SHOWN)?;
        let mails = mails.into_iter();
        let mails = mails.map(|mail| ConversationMail { raw: hex(&mail.raw), is_unread: mail.is_unread });
        Ok((mails.collect(), more))
    }

    fn record_triage<'a>(
        &'a self,
        step: &'a StepContext,
        class: Class,
        reason: &'a str,
        row: Option<(&'a RowKey, &'a str)>,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            let (thread, class) = (step.thread.clone(), class.as_str().to_owned());
            let row =
                row.map(|(key, raw)| Ok::<_, NodeError>((key.to_string(), digest(raw)?))).transpose()?;
            Ok(self.store.mail().record_triage(thread, class, reason.to_owned(), row).await?)
        })
    }

    fn place_of(&self, identity: &str) -> Result<Option<String>, NodeError> {
        Ok(self.store.mail().place_of(identity)?)
    }

    fn record_handled<'a>(
        &'a self,
        step: &'a StepContext,
        outcome: &'a str,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            Ok(self.store.mail().record_handled(step.thread.clone(), outcome.to_owned()).await?)
        })
    }

    fn covering_grant(&self, step: &StepContext, wish: &GrantQuery<'_>) -> Result<Option<String>, NodeError> {
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

    fn agent_grant(&self, tool: &str, call: &AgentCall) -> Result<GrantCheck, NodeError> {
        let covering = self.store.grants().covering_call(tool, call)?;
        Ok(match covering {
            Ok(grant) => GrantCheck::Grant(grant),
            Err(command) => GrantCheck::NotCovered(command),
        })
    }

    fn is_builtin_on(&self, name: &str) -> Result<bool, NodeError> {
        Ok(self.store.grants().is_builtin_on(name)?)
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
