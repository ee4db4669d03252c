//! Sends mail and saves drafts.

use super::find;
use super::profile;
use super::wire::{self, Drafts, Id, Listing, Message};
use crate::config::Google;
use crate::mail::maildir::ids;
use crate::mail::net::crlf;
use crate::mail::outgoing::Envelope;
use crate::mail::{BoxFuture, MailError, Outgoing, SendError, Sent, SentLookup};
use crate::text::hex;
use crate::web::WebTimeouts;
use crate::web::google::{Api, CallError, Repeat};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The field with our Message-ID, since Gmail assigns its own to sent mail.
const MARK: &str = "X-Sayso-Message-ID";
/// How many of the last sent mails and drafts we search for ours.
const LAST: &str = "100";
/// The size limit for a list.
const LIST: usize = 8 << 20;

/// Sends through Gmail.
pub struct GmailOutgoing {
    api: Api,
}

impl GmailOutgoing {
    /// Outgoing mail for a login. Does not connect yet.
    pub fn open(google: &Google) -> Result<Self, MailError> {
        Self::with_timeouts(google, WebTimeouts::default())
    }

    /// The same with other timeouts.
    pub fn with_timeouts(google: &Google, wait: WebTimeouts) -> Result<Self, MailError> {
        let api = Api::new(google, &google.gmail_url, wait).map_err(MailError::Permanent)?;
        Ok(Self { api })
    }

    async fn find_sent(&self, message_id: &str) -> Result<Option<Sent>, CallError> {
        let sent = |message_id: String, id: Id| Sent { message_id, place: Some(id.0), refused: Vec::new() };
        if let Some(message) = find::by_message_id(&self.api, message_id, Some("SENT")).await? {
            return Ok(Some(sent(message_id.to_owned(), message.id)));
        }
        let query = [("labelIds", "SENT"), ("maxResults", LAST)];
        let request = self.api.request(Method::GET, &wire::me(&["messages"]), &query).most(LIST);
        let listing: Listing = self.api.json(request, Repeat::Freely).await?;
        let last_ids = listing.messages.into_iter().map(|message| message.id).collect();
        let message = find::with_field(&self.api, last_ids, MARK, message_id, "Message-ID").await?;
        Ok(message.map(|(id, gmail_id)| sent(gmail_id.map_or_else(|| message_id.to_owned(), bare), id)))
    }
}

impl Outgoing for GmailOutgoing {
    fn send<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, Result<Sent, SendError>> {
        Box::pin(async move {
            let envelope = Envelope::of(raw)?;
            let metadata = match thread_of(&self.api, raw).await? {
                Some(thread) => json!({ "threadId": thread }),
                None => json!({}),
            };
            let sent: Message = match upload(&self.api, &["messages", "send"], &metadata, raw).await {
                // The conversation disappeared after we looked it up. Nothing was sent.
                Err(CallError::Refused { status: 404, .. }) if metadata.get("threadId").is_some() => {
                    upload(&self.api, &["messages", "send"], &json!({}), raw).await
                }
                other => other,
            }?;
            // The mail has been sent; its new id is useful but not required.
            let gmail_id = match find::headers(&self.api, &sent.id.0, &["Message-ID"]).await {
                Ok(message) => {
                    message.and_then(|mail| mail.headers("Message-ID").next().map(|id| bare(id.to_owned())))
                }
                Err(error) => {
                    tracing::warn!(%error, "what Gmail calls a mail that was sent cannot be found out");
                    None
                }
            };
            let message_id = gmail_id.filter(|id| !id.is_empty()).unwrap_or(envelope.message_id);
            Ok(Sent { message_id, place: Some(sent.id.0), refused: Vec::new() })
        })
    }

    fn find<'a>(&'a self, raw: &'a [u8]) -> BoxFuture<'a, SentLookup> {
        Box::pin(async move {
            let Ok(envelope) = Envelope::of(raw) else { return SentLookup::NotSent };
            if envelope.message_id.is_empty() {
                return SentLookup::Unknown("nothing shows whether the mail was sent; check Sent".to_owned());
            }
            match self.find_sent(&envelope.message_id).await {
                Ok(Some(sent)) => SentLookup::Sent(sent),
                // A request that was cut off may still be carried out a moment later.
                Ok(None) => SentLookup::Unknown(
                    "it is not among the last mails sent, but Gmail may have sent it all the same".to_owned(),
                ),
                Err(error) => SentLookup::Unknown(error.to_string()),
            }
        })
    }

    fn check(&self) -> BoxFuture<'_, Result<String, MailError>> {
        Box::pin(async move {
            let profile = profile(&self.api).await?;
            Ok(format!(
                "mail is sent as {} by {}",
                crate::web::safe_excerpt(&profile.email_address),
                self.api.place()
            ))
        })
    }
}

/// Saves a mail as a draft, unless it is there already.
pub(super) async fn save_draft(api: &Api, raw: &[u8]) -> Result<(), CallError> {
    if let Some(message_id) = ids(raw).message_id {
        let query = [("maxResults", LAST)];
        let request = api.request(Method::GET, &wire::me(&["drafts"]), &query).most(LIST);
        let drafts: Drafts = api.json(request, Repeat::Freely).await?;
        let existing = drafts.drafts.into_iter().map(|draft| draft.message.id).collect();
        if find::with_field(api, existing, MARK, &message_id, MARK).await?.is_some() {
            return Ok(());
        }
    }
    let metadata = match thread_of(api, raw).await? {
        Some(thread) => json!({"message": {"threadId": thread}}),
        None => json!({}),
    };
    match upload::<Value>(api, &["drafts"], &metadata, raw).await {
        // Before the next try, we check whether it was saved.
        Err(CallError::Unknown(text)) => Err(CallError::Temporary(text)),
        other => other.map(drop),
    }
}

/// The conversation of the mail that this one answers.
async fn thread_of(api: &Api, raw: &[u8]) -> Result<Option<String>, CallError> {
    for answered in ids(raw).answers {
        let message = find::by_message_id(api, &answered, None).await?;
        if let Some(Id(thread)) = message.and_then(|message| message.thread_id) {
            return Ok(Some(thread));
        }
    }
    Ok(None)
}

/// Uploads a mail with its metadata. Never repeated on a guess.
async fn upload<T: serde::de::DeserializeOwned>(
    api: &Api,
    path: &[&str],
    metadata: &Value,
    raw: &[u8],
) -> Result<T, CallError> {
    let mail = with_mark(raw);
    // A line that neither part can contain.
    let boundary = format!("sayso-{}", hex(&Sha256::digest(&mail)));
    let head = format!(
        "--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{metadata}\r\n\
         --{boundary}\r\nContent-Type: message/rfc822\r\n\r\n"
    );
    let mut body = head.into_bytes();
    body.extend_from_slice(&mail);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    let request = api.request(Method::POST, &wire::upload(path), &[("uploadType", "multipart")]);
    let request = request.body(&format!("multipart/related; boundary={boundary}"), body);
    let reply = api.call(request, Repeat::Never).await?;
    // Gmail accepted the mail; an unreadable reply does not change that.
    serde_json::from_slice(&reply.body)
        .map_err(|_| CallError::Unknown(format!("{} took it, but its reply makes no sense", api.place())))
}

/// The mail with its Message-ID in a second field. `Bcc` stays: Gmail sends to those addresses and removes it.
fn with_mark(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() + 100);
    if let Some(id) = ids(raw).message_id.filter(|id| id.bytes().all(|byte| byte.is_ascii_graphic())) {
        out.extend_from_slice(format!("{MARK}: {id}\r\n").as_bytes());
    }
    out.extend_from_slice(&crlf(raw));
    out
}

fn bare(id: String) -> String {
    id.trim().trim_start_matches('<').trim_end_matches('>').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_leaves_with_its_id_twice() {
        let raw = b"Message-ID: <a@x>\nTo: b@y\nBcc: c@z\n\nHello\n";
        let mail = String::from_utf8(with_mark(raw)).unwrap();
        assert!(mail.starts_with("X-Sayso-Message-ID: a@x\r\nMessage-ID: <a@x>\r\n"), "{mail}");
        assert!(mail.contains("Bcc: c@z\r\n"));
        assert_eq!(bare(" <a@x> ".to_owned()), "a@x");
    }
}
