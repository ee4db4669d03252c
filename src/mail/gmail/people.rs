//! Finds the people the user knows from a few header fields of the newest mails, and when the newest mails came.

use super::find;
use super::wire::{self, Id, Listing, Message};
use super::{AT_ONCE, Inner};
use crate::mail::read::addresses_in;
use crate::mail::{MailError, People};
use crate::web::google::CallError;
use futures_util::stream::{self, StreamExt};
use jiff::Timestamp;
use reqwest::Method;
use std::collections::BTreeSet;

/// How many sent mails are read: each takes a request.
const SENT: usize = 500;
/// How many mails are read under each label.
const RECEIVED: usize = 200;
/// The size limit for a list.
const LIST: usize = 8 << 20;

impl Inner {
    /// The people the user knows, judging by sent mail and by mail that came before `until`.
    pub(super) async fn people(&self, until: Timestamp) -> Result<People, MailError> {
        let (mut wrote_to, mut heard_from) = (BTreeSet::new(), BTreeSet::new());
        let sent = self.newest_under("SENT", SENT, None).await?;
        self.read_headers(sent, &["To", "Cc", "Bcc"], |mail| add_addresses(&mut wrote_to, mail)).await?;
        let before = format!("before:{}", until.as_second().max(0));
        for label in self.labels.ids(&self.read_labels).await? {
            let received = self.newest_under(&label, RECEIVED, Some(&before)).await?;
            self.read_headers(received, &["From"], |mail| add_addresses(&mut heard_from, mail)).await?;
        }
        let list = |addresses: BTreeSet<String>| addresses.into_iter().collect();
        Ok(People { wrote_to: list(wrote_to), heard_from: list(heard_from) })
    }

    /// When the oldest of the newest `count` mails came.
    pub(super) async fn newest(&self, count: usize) -> Result<Option<Timestamp>, MailError> {
        let mut dates = Vec::new();
        for label in self.labels.ids(&self.read_labels).await? {
            let ids = self.newest_under(&label, count, None).await?;
            let fetch_minimal = |id: Id| async move { find::minimal(&self.api, &id.0).await };
            let mut mails = stream::iter(ids).map(fetch_minimal).buffered(AT_ONCE);
            while let Some(mail) = mails.next().await {
                match mail {
                    // A mail under several labels counts once.
                    Ok(Some(mail)) => dates.push((mail.arrived(), mail.id.0)),
                    Ok(None) | Err(CallError::UnexpectedReply(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        dates.sort_unstable();
        dates.dedup();
        Ok(dates.iter().rev().take(count).next_back().map(|(arrived, _)| *arrived))
    }

    /// The newest mails under a label, at most `most`.
    async fn newest_under(
        &self,
        label: &str,
        most: usize,
        search: Option<&str>,
    ) -> Result<Vec<Id>, CallError> {
        let page_size = most.min(500).to_string();
        let mut query = vec![("labelIds", label), ("maxResults", page_size.as_str())];
        query.extend(search.map(|search| ("q", search)));
        let request = self.api.request(Method::GET, &wire::me(&["messages"]), &query).most(LIST);
        let (mut ids, mut pages) = (Vec::new(), self.api.pages(request));
        while ids.len() < most
            && let Some(listing) = pages.next::<Listing>().await?
        {
            ids.extend(listing.messages.into_iter().map(|message| message.id));
        }
        ids.truncate(most);
        Ok(ids)
    }

    /// Reads header fields of mails. Unreadable ones are skipped.
    async fn read_headers(
        &self,
        ids: Vec<Id>,
        fields: &[&str],
        mut each: impl FnMut(&[String]),
    ) -> Result<(), CallError> {
        let fetch_headers = |id: Id| async move { find::headers(&self.api, &id.0, fields).await };
        let mut mails = stream::iter(ids).map(fetch_headers).buffered(AT_ONCE);
        while let Some(mail) = mails.next().await {
            match mail {
                Ok(Some(mail)) => each(&values(&mail, fields)),
                Ok(None) | Err(CallError::UnexpectedReply(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn values(mail: &Message, fields: &[&str]) -> Vec<String> {
    fields.iter().flat_map(|field| mail.headers(field)).map(str::to_owned).collect()
}

/// Adds the bare addresses in some fields.
fn add_addresses(addresses: &mut BTreeSet<String>, values: &[String]) {
    for value in values {
        // A value must stay within one field, whatever it contains.
        let head = format!("To: {}\r\n\r\n", value.replace(['\r', '\n'], " "));
        addresses.extend(addresses_in(head.as_bytes(), &["To"]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_field() {
        let mut addresses = BTreeSet::new();
        let fields = [
            "Bob <Bob@Example.com>, \"Doe, Eve\"\r\n <eve@example.com>",
            "Lee, Ann <ann@münchen.example>",
            "undisclosed-recipients:;",
            "",
        ];
        add_addresses(&mut addresses, &fields.map(str::to_owned));
        let expected = ["ann@xn--mnchen-3ya.example", "bob@example.com", "eve@example.com"];
        assert_eq!(addresses.into_iter().collect::<Vec<_>>(), expected);
    }
}
