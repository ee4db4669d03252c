//! What a screen asks of the local backend.

use super::local::Local;
use crate::graph::{BoxFuture, ThreadId};
use crate::inbox::{
    BackendError, Block, Card, Decided, DecisionView, Facets, Glance, Item, ItemLine, LineQuery, Screen,
};
use crate::text::Visible;
use serde_json::Value;

type Reply<'a, T> = BoxFuture<'a, Result<T, BackendError>>;

impl Screen for Local {
    fn glance(&self) -> Reply<'_, Vec<Glance>> {
        Box::pin(self.blocking(|this| this.engine().store().inbox().glance()))
    }

    fn lines(&self, query: LineQuery) -> Reply<'_, Vec<ItemLine>> {
        Box::pin(self.blocking(move |this| this.engine().store().inbox().lines(&query)))
    }

    fn facets(&self) -> Reply<'_, Facets> {
        Box::pin(self.blocking(|this| {
            let mut facets = this.engine().store().threads().facets()?;
            facets.servers = this.servers().map(|servers| servers.names()).unwrap_or_default();
            let server = |name: &str| name.split_once('/').map(|(server, _)| server.to_owned());
            let servers = &facets.servers;
            facets.workflows.retain(|name| server(name).is_none_or(|server| !servers.contains(&server)));
            Ok(facets)
        }))
    }

    fn answers(&self, thread: ThreadId) -> Reply<'_, Vec<DecisionView>> {
        Box::pin(self.blocking(move |this| this.engine().store().threads().answers(&thread)))
    }

    fn drafts(&self) -> Reply<'_, Vec<(String, String)>> {
        Box::pin(self.blocking(|this| this.engine().store().inbox().drafts()))
    }

    fn keep_draft(&self, key: String, text: Option<String>) -> Reply<'_, ()> {
        Box::pin(async move {
            self.engine().store().inbox().keep_draft(key, text).await.map_err(BackendError::from)
        })
    }

    fn why(&self, item: String) -> Reply<'_, Card> {
        Box::pin(self.blocking(move |this| this.read_why(&item)))
    }

    fn spent(&self, since: jiff::Timestamp) -> Reply<'_, f64> {
        Box::pin(self.blocking(move |this| this.engine().store().figures().cost_since(since)))
    }

    fn last_decided(&self) -> Reply<'_, Option<Decided>> {
        Box::pin(self.blocking(|this| this.engine().store().inbox().last_decided()))
    }
}

/// What a thread produced, as plain data, where its workflow draws no card of it.
pub(super) fn output(item: &Item) -> Card {
    let body = match &item.args {
        Value::String(text) => Block::Markdown(Visible::new(text)),
        Value::Object(fields) => Block::Fields(
            fields
                .iter()
                .map(|(name, value)| {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    (Visible::line(name), Visible::new(&value))
                })
                .collect(),
        ),
        other => {
            let text = serde_json::to_string_pretty(other).unwrap_or_default();
            Block::Code { language: "json".to_owned(), text: Visible::new(&text) }
        }
    };
    Card { blocks: vec![Block::Heading(Visible::line(&item.title)), body] }
}
