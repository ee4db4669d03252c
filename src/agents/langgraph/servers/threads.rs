//! Lists servers' threads together with those of this folder: one list, newest first, page by page.
//!
//! A page is merged from the position in each source. Positions are kept in memory under the number that a page returns
//! as its end, as long as somebody is likely to read on.

use super::{Servers, inbox_error, key, with_timeout};
use crate::agents::langgraph::{PAGE, Remote, RemoteThread, line, state, steps, view};
use crate::graph::ThreadId;
use crate::inbox::{EngineThreads, InboxError, Page, ThreadLine, ThreadQuery, ThreadView};
use crate::text::Visible;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many positions are kept.
const REMEMBERED: usize = 64;
/// How long a server's page is reused: screens read again whenever anything changes.
const FRESH: Duration = Duration::from_secs(3);
/// How many pages of a server are searched for a thread.
const SEARCHED: usize = 20;
/// How much of a thread's history is read.
const HISTORY: usize = 100;

type Read = Result<(Vec<RemoteThread>, bool), String>;

/// The positions of lists, and pages read recently.
#[derive(Default)]
pub(super) struct Pages {
    places: Mutex<BTreeMap<i64, PagePosition>>,
    read: Mutex<BTreeMap<(usize, usize), (Instant, Read)>>,
}

/// The position in one source, with the lines not yet listed.
#[derive(Clone, Default)]
struct Side {
    waiting: VecDeque<ThreadLine>,
    /// Where its next page starts; `None` after the last.
    next: Option<usize>,
}

/// The position in a merged list.
#[derive(Clone)]
struct PagePosition {
    local: VecDeque<ThreadLine>,
    local_next: Option<Option<i64>>,
    sides: Vec<Side>,
}

impl Servers {
    /// A page of all threads.
    pub(super) async fn list_threads(&self, query: &ThreadQuery) -> Result<Page<ThreadLine>, InboxError> {
        let cached = query.after.and_then(|after| self.0.pages.places().get(&after).cloned());
        let mut place = match (cached, query.after) {
            (Some(place), _) => place,
            (None, None) => PagePosition {
                local: VecDeque::new(),
                local_next: Some(None),
                sides: match can_hold(query) {
                    true => {
                        self.remotes().iter().map(|_| Side { next: Some(0), ..Side::default() }).collect()
                    }
                    false => Vec::new(),
                },
            },
            // A number of the store, or one we no longer have: continue with this folder's own threads.
            (None, Some(after)) => PagePosition {
                local: VecDeque::new(),
                local_next: Some(Some(after.max(0))),
                sides: Vec::new(),
            },
        };
        let mut page = Page::default();
        let mirrored: HashSet<String> = self.mirrored_keys()?;
        while page.rows.len() < query.limit {
            self.refill(&mut place, query, &mirrored, &mut page).await?;
            let heads = place.sides.iter().map(|side| side.waiting.front());
            let newest = std::iter::once(place.local.front()).chain(heads).enumerate();
            let newest = newest.filter_map(|(source, head)| Some((source, head?.created_at)));
            // If several are equally new, the first source wins, so that the order is always the same.
            let first = newest.fold(None, |best: Option<(usize, Timestamp)>, next| match best {
                Some(best) if best.1 >= next.1 => Some(best),
                _ => Some(next),
            });
            let line = match first {
                None => None,
                Some((0, _)) => place.local.pop_front(),
                Some((source, _)) => {
                    place.sides.get_mut(source - 1).and_then(|side| side.waiting.pop_front())
                }
            };
            let Some(line) = line else { return Ok(page) };
            page.rows.push(line);
        }
        page.next = Some(self.0.pages.remember(place));
        Ok(page)
    }

    /// The keys of servers' threads that are already in this folder.
    fn mirrored_keys(&self) -> Result<HashSet<String>, InboxError> {
        let keys = self.engine().store().threads().keys()?;
        Ok(keys.into_iter().map(|key| key.split('#').next().unwrap_or_default().to_owned()).collect())
    }

    async fn refill(
        &self,
        place: &mut PagePosition,
        query: &ThreadQuery,
        mirrored: &HashSet<String>,
        page: &mut Page<ThreadLine>,
    ) -> Result<(), InboxError> {
        while let (true, Some(after)) = (place.local.is_empty(), place.local_next) {
            let local = self.engine().store().threads().list(&ThreadQuery { after, ..query.clone() }).await?;
            page.damaged.extend(local.damaged);
            page.suggestion = local.suggestion.or(page.suggestion.take());
            place.local.extend(local.rows);
            place.local_next = local.next.map(Some);
        }
        let now = self.engine().store().now();
        for (n, side) in place.sides.iter_mut().enumerate() {
            while let (true, Some(offset)) = (side.waiting.is_empty(), side.next) {
                let remote = &self.remotes()[n];
                let (threads, more) = match self.page(n, offset).await {
                    Ok(read) => read,
                    Err(why) => {
                        page.damaged.push(format!("{}: {why}; its threads are not listed", remote.name()));
                        (Vec::new(), false)
                    }
                };
                side.next = more.then_some(offset + PAGE);
                let others =
                    threads.iter().filter(|thread| !mirrored.contains(&key(remote.name(), &thread.id)));
                let lines = others.map(|thread| line(remote.name(), thread));
                side.waiting.extend(lines.filter(|line| is_wanted(line, query, now)));
            }
        }
        Ok(())
    }

    async fn page(&self, n: usize, offset: usize) -> Read {
        let fresh = self.0.pages.read().get(&(n, offset)).filter(|(at, _)| at.elapsed() < FRESH).cloned();
        if let Some((_, read)) = fresh {
            return read;
        }
        let read = with_timeout(self.remotes()[n].threads(offset)).await.map_err(|fault| fault.to_string());
        self.0.pages.read().insert((n, offset), (Instant::now(), read.clone()));
        read
    }

    /// A server's thread that is not mirrored here, by a prefix of its id.
    pub(super) async fn find(
        &self,
        id: &ThreadId,
    ) -> Result<Option<(Arc<Remote>, RemoteThread)>, InboxError> {
        let mut matches: Vec<(Arc<Remote>, RemoteThread)> = Vec::new();
        for (n, remote) in self.remotes().iter().enumerate() {
            for page in 0..SEARCHED {
                // A server that is away does not hide another server's threads.
                let Ok((threads, more)) = self.page(n, page * PAGE).await else { break };
                let named = threads
                    .into_iter()
                    .filter(|thread| line(remote.name(), thread).id.as_str().starts_with(id.as_str()));
                matches.extend(named.map(|thread| (remote.clone(), thread)));
                if !more {
                    break;
                }
            }
        }
        if matches.len() > 1 {
            let names: Vec<String> = matches
                .iter()
                .take(5)
                .map(|(remote, thread)| line(remote.name(), thread).id.to_string())
                .collect();
            return Err(InboxError::Ambiguous {
                id: id.to_string(),
                count: matches.len(),
                some: names.join(", "),
            });
        }
        Ok(matches.pop())
    }

    /// A server's thread in its current state there.
    pub(super) async fn view_thread(&self, id: &ThreadId) -> Result<Option<ThreadView>, InboxError> {
        let Some((remote, thread)) = self.find(id).await? else { return Ok(None) };
        let fault = |fault| inbox_error(&remote, &fault);
        let Some(thread) = with_timeout(remote.thread(&thread.id)).await.map_err(fault)? else {
            return Ok(None);
        };
        let history = with_timeout(remote.history(&thread.id, HISTORY)).await.map_err(fault)?;
        Ok(Some(view(remote.name(), &thread, &history)))
    }

    /// The server's state of a mirrored thread, used instead of the one stored here.
    pub(super) async fn read_state(&self, id: &ThreadId) -> Result<Option<Value>, InboxError> {
        let Some((remote, mirror)) = self.mirror(id)? else { return Ok(None) };
        let result = async {
            let Some(thread) = with_timeout(remote.thread(&mirror.of.thread)).await? else {
                return Ok(Value::Null);
            };
            let history = with_timeout(remote.history(&mirror.of.thread, HISTORY)).await?;
            let mut result = state(remote.name(), &thread);
            result["history"] = json!(steps(&history));
            Ok::<_, crate::agents::langgraph::ServerError>(result)
        };
        Ok(Some(match result.await {
            Ok(Value::Null) => json!({"server": remote.name(), "thread": mirror.of.thread, "status": "gone"}),
            Ok(result) => result,
            Err(fault) => json!({
                "server": remote.name(), "thread": mirror.of.thread, "status": mirror.status,
                "away": Visible::line(&fault.to_string()), "values": Visible::json(&mirror.values),
            }),
        }))
    }
}

/// Whether servers' threads can match the query: we do not know who asked what there.
fn can_hold(query: &ThreadQuery) -> bool {
    query.from.is_none()
        && query.kind.is_none()
        && query.ending.is_none()
        && query.account.is_none()
        && query.engine != EngineThreads::Only
}

/// Whether a line matches the query: its status, its age, and words in its title or its graph's name.
fn is_wanted(line: &ThreadLine, query: &ThreadQuery, now: Timestamp) -> bool {
    let age = Duration::try_from(now.duration_since(line.created_at)).unwrap_or_default();
    let old = query.older.is_none_or(|than| age >= than) && query.newer.is_none_or(|than| age < than);
    if !old {
        return false;
    }
    let status = query.status.is_none_or(|status| line.status == status);
    let text = format!("{} {}", line.title, line.workflow).to_lowercase();
    let words = query.search.as_deref().unwrap_or_default().to_lowercase();
    let workflow = query
        .workflow
        .as_deref()
        .is_none_or(|name| line.workflow == name || (name.ends_with('/') && line.workflow.starts_with(name)));
    status && workflow && words.split_whitespace().all(|word| text.contains(word))
}

impl Pages {
    fn places(&self) -> std::sync::MutexGuard<'_, BTreeMap<i64, PagePosition>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> std::sync::MutexGuard<'_, BTreeMap<(usize, usize), (Instant, Read)>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.retain(|_, (at, _)| at.elapsed() < FRESH);
        read
    }

    /// Keeps a position under a number that no row of the store has.
    fn remember(&self, place: PagePosition) -> i64 {
        let mut places = self.places();
        let number = places.keys().next().copied().unwrap_or(0) - 1;
        places.insert(number, place);
        while places.len() > REMEMBERED {
            places.pop_last();
        }
        number
    }
}
