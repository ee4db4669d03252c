//! Gmail labels: found by name, created once, added and removed.

use super::wire::{self, Label, LabelList};
use crate::config::AfterHandling;
use crate::mail::{Handled, MailError};
use crate::text::there_are;
use crate::web::google::{Api, CallError, Repeat};
use crate::web::safe_excerpt;
use reqwest::Method;
use serde_json::json;
use tokio::sync::Mutex;

/// The labels of a mailbox.
pub(super) struct Labels {
    api: Api,
    /// The labels listed so far. Locked while listing or creating, so that none is created twice.
    cache: Mutex<Option<Vec<Label>>>,
}

impl Labels {
    pub(super) fn new(api: Api) -> Self {
        Self { api, cache: Mutex::default() }
    }

    /// The ids of labels by their names.
    pub(super) async fn ids(&self, names: &[String]) -> Result<Vec<String>, MailError> {
        let mut ids = Vec::with_capacity(names.len());
        for name in names {
            if name.eq_ignore_ascii_case("INBOX") {
                ids.push("INBOX".to_owned());
                continue;
            }
            let mut cache = self.cache.lock().await;
            let labels = self.load(&mut cache).await?;
            match find(labels, name) {
                Some(label) => ids.push(label.id.clone()),
                None => {
                    let existing: Vec<String> =
                        labels.iter().map(|label| safe_excerpt(&label.name)).collect();
                    let text = format!("Gmail has no label {}; {}", safe_excerpt(name), there_are(&existing));
                    // The user may create it.
                    *cache = None;
                    return Err(MailError::Permanent(text));
                }
            }
        }
        Ok(ids)
    }

    /// The names of all labels, the user's own first.
    pub(super) async fn names(&self) -> Result<Vec<String>, MailError> {
        let mut cache = self.cache.lock().await;
        // The user may have created one since.
        *cache = None;
        let mut labels: Vec<&Label> = self.load(&mut cache).await?.iter().collect();
        labels.sort_by_key(|label| !label.id.starts_with("Label_"));
        Ok(labels.into_iter().map(|label| label.name.clone()).collect())
    }

    async fn load<'a>(&self, cache: &'a mut Option<Vec<Label>>) -> Result<&'a Vec<Label>, CallError> {
        let labels = match cache.take() {
            Some(labels) => labels,
            None => {
                let request = self.api.request(Method::GET, &wire::me(&["labels"]), &[]).most(8 << 20);
                let list: LabelList = self.api.json(request, Repeat::Freely).await?;
                list.labels.into_iter().filter(|label| wire::is_id(&label.id)).collect()
            }
        };
        Ok(cache.insert(labels))
    }

    /// The id of a label, created if missing.
    async fn find_or_create(&self, name: &str) -> Result<String, CallError> {
        let mut cache = self.cache.lock().await;
        if let Some(label) = find(self.load(&mut cache).await?, name) {
            return Ok(label.id.clone());
        }
        let body = json!({"name": name, "labelListVisibility": "labelShow", "messageListVisibility": "show"});
        let request = self.api.request(Method::POST, &wire::me(&["labels"]), &[]);
        let request = request.body("application/json", body.to_string().into_bytes());
        // Creating it again is refused; then we find it.
        match self.api.json::<Label>(request, Repeat::Freely).await {
            Ok(label) if wire::is_id(&label.id) => {
                let id = label.id.clone();
                cache.get_or_insert_default().push(Label { name: name.to_owned(), ..label });
                Ok(id)
            }
            Ok(_) => Err(self.api.unexpected("a label without an id")),
            Err(error @ CallError::Refused { status: 409 | 400, .. }) => {
                *cache = None;
                let id = find(self.load(&mut cache).await?, name).map(|label| label.id.clone());
                id.ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Does to a mail what the config says; a missing mail is no error.
    pub(super) async fn mark(
        &self,
        place: &str,
        after: &AfterHandling,
        handled: Handled,
    ) -> Result<(), MailError> {
        let marked = self.modify(place, after, handled).await;
        let marked = match marked {
            // A cached label may have been deleted meanwhile.
            Err(CallError::Refused { status: 400, .. }) => {
                *self.cache.lock().await = None;
                self.modify(place, after, handled).await
            }
            other => other,
        };
        match marked {
            Err(CallError::Refused { status: 404, .. }) => Ok(()),
            other => Ok(other?),
        }
    }

    async fn modify(&self, place: &str, after: &AfterHandling, handled: Handled) -> Result<(), CallError> {
        let (mut added, mut removed): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
        if handled == Handled::Answered || *after == AfterHandling::Seen {
            removed.push("UNREAD");
        }
        match after {
            AfterHandling::None | AfterHandling::Seen => {}
            AfterHandling::Label(name) => added.push(self.find_or_create(name).await?),
            AfterHandling::Folder(name) => {
                removed.push("INBOX");
                // In Gmail, archiving means leaving the inbox.
                if !["archive", "all mail"].iter().any(|all| name.eq_ignore_ascii_case(all)) {
                    added.push(self.find_or_create(name).await?);
                }
            }
        }
        let body = json!({"addLabelIds": added, "removeLabelIds": removed}).to_string();
        let request = self.api.request(Method::POST, &wire::me(&["messages", place, "modify"]), &[]);
        self.api.call(request.body("application/json", body.into_bytes()), Repeat::Freely).await.map(drop)
    }
}

fn find<'a>(labels: &'a [Label], name: &str) -> Option<&'a Label> {
    let is_named = |label: &&Label| label.name.eq_ignore_ascii_case(name) || label.id == name;
    labels.iter().find(is_named)
}
