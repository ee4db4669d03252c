//! Finds mails by Gmail's id, by Message-ID, or by a header field we wrote.

use super::wire::{self, Id, Listing, Message, Thread};
use super::{AT_ONCE, LONGEST_ID};
use crate::web::google::{Api, CallError, Repeat};
use futures_util::stream::{self, StreamExt};
use reqwest::Method;

/// The size limit for a list of headers.
const LIST: usize = 8 << 20;

/// A mail's labels and little else; `None` if it is gone.
pub(super) async fn minimal(api: &Api, id: &str) -> Result<Option<Message>, CallError> {
    let request = api.request(Method::GET, &wire::me(&["messages", id]), &[("format", "minimal")]);
    none_if_missing(api.json(request, Repeat::Freely).await)
}

/// The header fields of a mail with these names; `None` if it is gone.
pub(super) async fn headers(api: &Api, id: &str, names: &[&str]) -> Result<Option<Message>, CallError> {
    let mut query = vec![("format", "metadata")];
    query.extend(names.iter().map(|name| ("metadataHeaders", *name)));
    none_if_missing(
        api.json(api.request(Method::GET, &wire::me(&["messages", id]), &query), Repeat::Freely).await,
    )
}

fn none_if_missing<T>(reply: Result<T, CallError>) -> Result<Option<T>, CallError> {
    match reply {
        Ok(value) => Ok(Some(value)),
        Err(CallError::Refused { status: 404, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The mail with a Message-ID, under a label if one is given.
pub(super) async fn by_message_id(
    api: &Api,
    message_id: &str,
    label: Option<&str>,
) -> Result<Option<Message>, CallError> {
    // Other characters would become separate search terms.
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'(' | b')' | b'{' | b'}');
    if message_id.is_empty() || message_id.len() > LONGEST_ID || !message_id.bytes().all(is_plain) {
        return Ok(None);
    }
    let search = format!("rfc822msgid:{message_id}");
    let mut query = vec![("q", search.as_str()), ("maxResults", "10")];
    query.extend(label.map(|label| ("labelIds", label)));
    let request = api.request(Method::GET, &wire::me(&["messages"]), &query);
    let listing: Listing = api.json(request, Repeat::Freely).await?;
    Ok(listing.messages.into_iter().next())
}

/// Whether the user has answered the mail with this Message-ID.
pub(super) async fn is_answered(api: &Api, message_id: &str) -> Result<bool, CallError> {
    let Some(mail) = by_message_id(api, message_id, None).await? else { return Ok(false) };
    let Some(Id(thread)) = mail.thread_id else { return Ok(false) };
    let names = ["In-Reply-To", "References"];
    let mut query = vec![("format", "metadata")];
    query.extend(names.iter().map(|name| ("metadataHeaders", *name)));
    let request = api.request(Method::GET, &wire::me(&["threads", &thread]), &query).most(LIST);
    let Some(thread) = none_if_missing(api.json::<Thread>(request, Repeat::Freely).await)? else {
        return Ok(false);
    };
    let bracketed_id = format!("<{message_id}>");
    let answers = |message: &Message| {
        let is_sent = message.has("SENT") && !message.has("DRAFT") && !message.has("TRASH");
        let mut direct = message.headers("In-Reply-To").peekable();
        let is_direct = direct.peek().is_some();
        // Without In-Reply-To, the last id in References is the mail it answers.
        let is_last_reference =
            || message.headers("References").any(|value| value.trim_end().ends_with(&bracketed_id));
        is_sent
            && if is_direct { direct.any(|value| value.contains(&bracketed_id)) } else { is_last_reference() }
    };
    Ok(thread.messages.iter().any(answers))
}

/// The mail among these that has a field with this value, and its field `other_field`.
pub(super) async fn with_field(
    api: &Api,
    ids: Vec<Id>,
    field: &str,
    value: &str,
    other_field: &str,
) -> Result<Option<(Id, Option<String>)>, CallError> {
    let fetch_headers = |id: Id| async move { headers(api, &id.0, &[field, other_field]).await };
    let mut messages = stream::iter(ids).map(fetch_headers).buffered(AT_ONCE);
    while let Some(message) = messages.next().await {
        let Some(message) = message? else { continue };
        if message.headers(field).any(|text| text.trim() == value) {
            let other_value = message.headers(other_field).next().map(|text| text.trim().to_owned());
            return Ok(Some((message.id, other_value)));
        }
    }
    Ok(None)
}
