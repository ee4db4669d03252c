//! What nodes know of mail: the accounts of the config, the record of each mail, and who is known.

use super::blobs::digest_from_hex;
use crate::graph::{BoxFuture, NodeError, StepContext};
use crate::mail::risk::DistinctiveText;
use crate::mail::{Account, Mail};
use crate::store::{HandedIn, RepeatQuery, Store};
use crate::workflows::mail_facts::Class;
use crate::workflows::{Accounts, Contacts, Ledger};

/// Look-alikes are looked for among so many addresses.
const MOST_CONTACTS: usize = 2000;

/// The accounts of the config, in its order.
pub(super) struct ConfiguredAccounts(pub(super) Vec<Account>);

impl Accounts for ConfiguredAccounts {
    fn get(&self, name: &str) -> Option<Account> {
        self.0.iter().find(|account| account.name == name).cloned()
    }

    fn first(&self) -> Option<Account> {
        let sends = self.0.iter().find(|account| account.outgoing.is_some());
        sends.or(self.0.first()).cloned()
    }
}

/// The record of each mail.
pub(super) struct StoreLedger(pub(super) Store);

impl Ledger for StoreLedger {
    fn hand_in<'a>(&'a self, step: &'a StepContext, mail: &'a Mail) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            let handed = HandedIn {
                identity: mail.raw.clone(),
                message_id: mail.message_id.clone(),
                conversation: mail.conversation().unwrap_or(&mail.raw).to_owned(),
                sender: mail.from.address.to_lowercase(),
                subject: mail.subject.clone(),
                sent_at: mail.date,
                raw: digest_from_hex(&mail.raw)?,
                words: mail.words(),
            };
            self.0.mail().hand_in(step.thread.clone(), handed).await.map_err(NodeError::failed)
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
        let found = self.0.search().find_repeated_text(&RepeatQuery {
            thread: &step.thread,
            inside,
            own,
            codes,
            phrases,
        });
        Ok(found.map_err(NodeError::failed)?.map(|found| (found.text, found.sender)))
    }

    fn triaged<'a>(
        &'a self,
        step: &'a StepContext,
        class: Class,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            let (thread, class) = (step.thread.clone(), class.as_str().to_owned());
            self.0.mail().triaged(thread, class, reason.to_owned()).await.map_err(NodeError::failed)
        })
    }

    fn place_of(&self, identity: &str) -> Result<Option<String>, NodeError> {
        self.0.mail().place_of(identity).map_err(NodeError::failed)
    }

    fn handled<'a>(
        &'a self,
        step: &'a StepContext,
        outcome: &'a str,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            self.0.mail().handled(step.thread.clone(), outcome.to_owned()).await.map_err(NodeError::failed)
        })
    }
}

/// Who is known.
pub(super) struct StoreContacts(pub(super) Store);

impl Contacts for StoreContacts {
    fn known(&self, address: &str, besides: Option<&str>) -> Result<bool, NodeError> {
        self.0.mail().knows(address, besides).map_err(NodeError::failed)
    }

    fn all(&self) -> Result<Vec<String>, NodeError> {
        self.0.mail().contacts(MOST_CONTACTS).map_err(NodeError::failed)
    }

    fn wrote_to<'a>(&'a self, addresses: &'a [String]) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move { self.0.mail().wrote_to(addresses.to_vec()).await.map_err(NodeError::failed) })
    }
}
