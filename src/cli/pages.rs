//! Reads whole lists from the inbox, page by page.

use super::failure::Failure;
use super::print::warning;
use super::values::Lines;
use crate::inbox::door::Inbox;
use crate::inbox::{
    Block, Card, DecisionLine, DecisionQuery, InboxError, Item, ItemKind, ItemLine, ItemQuery, LineQuery,
    MailLine, MailQuery, Page, ThreadLine, ThreadQuery,
};
use crate::text::Visible;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;

/// How many rows are read at once.
const PAGE: usize = 200;

/// Reads page after page, each from a place and with at most so many rows, up to `limit` rows altogether. Warns about
/// damaged rows on stderr.
async fn read_all<T>(
    limit: Option<usize>,
    read: impl AsyncFn(Option<i64>, usize) -> Result<Page<T>, InboxError>,
) -> Result<Vec<T>, Failure> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let remaining = limit.map_or(PAGE, |limit| limit - rows.len());
        let page = read(after, remaining.min(PAGE)).await?;
        page.damaged.iter().for_each(|what| warning(what));
        rows.extend(page.rows);
        after = page.next;
        if after.is_none() || limit.is_some_and(|limit| rows.len() >= limit) {
            return Ok(rows);
        }
    }
}

/// The items of `query` in the order of the screen, at most `limit`, each with the time its age counts from. All of
/// them are read, because any may come first.
pub(super) async fn items(
    inbox: &Inbox,
    query: &ItemQuery,
    limit: Option<usize>,
    now: Timestamp,
) -> Result<Vec<(Item, Timestamp)>, Failure> {
    let read = async |after, _| {
        let part = ItemQuery { after, limit: PAGE, ..query.clone() };
        let mut page = if query.filter.kind == Some(ItemKind::Result) {
            inbox.decisions().results(part).await?.map(Item::Result)
        } else {
            inbox.decisions().questions(part).await?.map(|question| Item::Question(Box::new(question)))
        };
        page.rows.retain(|item| query.matches(item, now));
        Ok(page)
    };
    let items = read_all(None, read).await?;
    let mut lines: HashMap<String, ItemLine> = HashMap::new();
    for page in items.chunks(PAGE) {
        let ids = page.iter().map(|item| item.id().to_owned()).collect();
        let page = inbox.decisions().lines(LineQuery::Of(ids)).await?;
        lines.extend(page.into_iter().map(|line| (line.id.clone(), line)));
    }
    // What has no line was answered meanwhile.
    let with_line = |item: Item| Some((lines.get(item.id())?, item));
    let mut shown: Vec<(&ItemLine, Item)> = items.into_iter().filter_map(with_line).collect();
    inbox.decisions().order().await?.arrange(&mut shown, |(line, _)| *line, now);
    shown.truncate(limit.unwrap_or(usize::MAX));
    Ok(shown.into_iter().map(|(line, item)| (item, line.dated)).collect())
}

/// The threads of `query`, at most `limit`.
pub(super) async fn threads(
    inbox: &Inbox,
    query: ThreadQuery,
    limit: Option<usize>,
) -> Result<Vec<ThreadLine>, Failure> {
    let read = |after, limit| inbox.threads().list(ThreadQuery { after, limit, ..query.clone() });
    read_all(limit, read).await
}

/// The decisions of `query`, newest first, at most `limit`.
pub(super) async fn decisions(
    inbox: &Inbox,
    query: DecisionQuery,
    limit: usize,
) -> Result<Vec<DecisionLine>, Failure> {
    let read = |after, limit| inbox.decisions().history(DecisionQuery { after, limit, ..query.clone() });
    read_all(Some(limit), read).await
}

/// The mails, newest first, at most `limit`.
pub(super) async fn mails(inbox: &Inbox, limit: Option<usize>) -> Result<Vec<MailLine>, Failure> {
    read_all(limit, |after, limit| inbox.mail().list(MailQuery { after, limit })).await
}

/// Adds its card to the item, as text.
pub(super) async fn add_card(inbox: &Inbox, item: &mut Item) {
    let card = match item {
        Item::Question(question) => inbox.decisions().card(question.id.clone()).await.map(|(_, card)| card),
        Item::Result(result) => inbox.decisions().result(result.thread.clone()).await.map(|(_, card)| card),
    };
    let text = match card {
        Ok(card) => card_or_args(card.text(), item.title(), item.data()),
        Err(error) => {
            warning(&format!("the card of `{}` cannot be shown: {error}", item.id()));
            String::new()
        }
    };
    item.set_text(text);
}

/// An empty card must still show what is proposed, so the arguments replace it.
pub(super) fn card_or_args(text: String, title: &str, data: &Value) -> String {
    if !text.trim().is_empty() {
        return text;
    }
    let mut lines = Lines::new(usize::MAX);
    lines.value(0, data);
    let (title, args) = (Visible::line(title), Visible::new(&lines.into_text()));
    Card { blocks: vec![Block::Heading(title), Block::Text(args)] }.text()
}
