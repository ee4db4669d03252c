//! The part of the thread list read so far, and the thread that is shown.

use super::review::{Review, ThreadPane};
use super::rows::{PAGE, Rows};
use crate::engine::graph::ThreadId;
use crate::inbox::{Facets, Page, Query, Status, ThreadLine, ThreadQuery};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::HashSet;

/// Changes whenever anything happens to a thread.
pub type Stamp = (ThreadId, Status, u64, Timestamp);

#[derive(Clone, Debug, Default)]
pub struct ThreadsTab {
    /// What was read so far, newest first.
    pub list: Rows<ThreadLine>,
    /// Lists only threads with this status.
    pub status: Option<Status>,
    /// Lists only threads of this workflow or server.
    pub workflow: Option<String>,
    /// Lists only threads with mail of this account.
    pub account: Option<String>,
    /// What the list can be filtered by.
    pub facets: Facets,
    pub search: Query,
    /// What the user may have meant, if nothing was found.
    pub suggestion: Option<String>,
    /// The thread that is shown.
    pub review: Option<Review>,
    /// The stamp of the shown thread's row when the thread was read.
    pub shown_stamp: Option<Stamp>,
    /// The view in which threads are shown.
    pub pane: ThreadPane,
    /// The thread to select once it is there.
    pub goto: Option<ThreadId>,
    /// The thread that was selected before the list changed.
    pub keep_selected: Option<ThreadId>,
}

impl ThreadsTab {
    pub fn selected(&self) -> Option<&ThreadLine> {
        self.list.selected()
    }

    /// The query for what is listed, starting after `after`.
    pub fn query(&self, after: Option<i64>, limit: usize) -> ThreadQuery {
        let mut filter = self.search.clone();
        filter.status = filter.status.or(self.status);
        filter.workflow = filter.workflow.or_else(|| self.workflow.clone());
        let (account, best_first) = (self.account.clone(), self.is_ranked());
        ThreadQuery { filter, account, best_first, hides_engine: true, after, limit }
    }

    /// Whether the best match comes first. Almost everything contains one or two letters, and ranking all of it is slow.
    fn is_ranked(&self) -> bool {
        self.search.words.join(" ").chars().count() > 2
    }

    /// Whether there may be more than is listed. Of ranked matches only one page is read.
    pub fn has_more(&self) -> bool {
        self.list.next.is_some() || (self.is_ranked() && self.list.rows.len() >= PAGE)
    }

    /// The day a row belongs to, if the list goes by days. Search results are ranked by relevance instead.
    pub fn day(&self, row: usize, zone: &TimeZone) -> Option<Date> {
        let line = self.list.rows.get(row).filter(|_| self.search.words.is_empty())?;
        Some(line.created_at.to_zoned(zone.clone()).date())
    }

    /// The text around what the search found in a row.
    pub fn snippet(&self, row: usize) -> Option<&str> {
        let snippet = self.list.rows.get(row)?.snippet.as_deref();
        snippet.filter(|snippet| !snippet.is_empty())
    }

    /// Whether a filter is set, apart from the search.
    pub fn is_narrowed(&self) -> bool {
        self.status.is_some() || self.workflow.is_some() || self.account.is_some()
    }

    /// Clears the filters and the search.
    pub fn widen(&mut self) {
        self.search = Query::default();
        (self.status, self.workflow, self.account) = (None, None, None);
    }

    /// Whether this query matches what is listed now.
    pub fn wants(&self, query: &ThreadQuery) -> bool {
        self.query(query.after, query.limit) == *query
    }

    /// Starts a different list; the selection stays if its thread is in that list too.
    pub fn reset_list(&mut self) {
        self.keep_selected =
            self.keep_selected.take().or_else(|| self.selected().map(|line| line.id.clone()));
        self.list = Rows::default();
    }

    /// Merges a page into the list. The selected thread stays selected and listed, even if it no longer matches.
    ///
    /// A page says nothing about rows above it or below its last row. Threads of servers have no place in this folder's
    /// order, so they are missing from pages that begin at a place, and they stay.
    pub fn put(&mut self, query: &ThreadQuery, page: Page<ThreadLine>) {
        let current = self.keep_selected.take().or_else(|| self.selected().map(|line| line.id.clone()));
        let selected = self.goto.clone().or(current);
        let (from, includes_servers) = match query.after {
            None => (0, true),
            after if after == self.list.next => (self.list.rows.len(), true),
            Some(place) => match self.list.rows.iter().position(|line| line.seq == place) {
                Some(above) => (above + 1, false),
                None => return,
            },
        };
        let last =
            page.rows.last().and_then(|last| self.list.rows.iter().position(|line| line.id == last.id));
        let to = match last {
            Some(last) if page.next.is_some() => (last + 1).max(from),
            _ => self.list.rows.len(),
        };
        if to == self.list.rows.len() {
            self.list.next = page.next;
        }
        if query.after.is_none() {
            self.suggestion = page.suggestion;
        }
        let page_ids: HashSet<ThreadId> = page.rows.iter().map(|line| line.id.clone()).collect();
        let old = std::mem::take(&mut self.list.rows);
        let mut fresh = page.rows.into_iter().peekable();
        for (index, line) in old.into_iter().enumerate() {
            if !(from..to).contains(&index) {
                if index == to {
                    self.list.rows.extend(fresh.by_ref());
                }
                if !page_ids.contains(&line.id) {
                    self.list.rows.push(line);
                }
            } else if page_ids.contains(&line.id) {
                // New threads come before the row they were listed before.
                for next in fresh.by_ref() {
                    let is_same = next.id == line.id;
                    self.list.rows.push(next);
                    if is_same {
                        break;
                    }
                }
            } else if Some(&line.id) == selected.as_ref() || (!includes_servers && line.seq == 0) {
                while let Some(next) = fresh.next_if(|next| is_newer(next, &line)) {
                    self.list.rows.push(next);
                }
                self.list.rows.push(line);
            }
        }
        self.list.rows.extend(fresh);
        if query.after.is_some() {
            self.list.reading = false;
        }
        self.list.read = true;
        let position = self.list.rows.iter().position(|line| Some(&line.id) == selected.as_ref());
        if position.is_some() {
            self.goto = None;
        }
        self.list.cursor = position.unwrap_or(self.list.cursor).min(self.list.rows.len().saturating_sub(1));
    }
}

/// Whether one thread is listed above another.
fn is_newer(one: &ThreadLine, other: &ThreadLine) -> bool {
    match (one.seq, other.seq) {
        (0, _) | (_, 0) => one.created_at > other.created_at,
        (one, other) => one > other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(place: i64, status: Status) -> ThreadLine {
        ThreadLine {
            id: ThreadId::parse(&format!("t{place:08}")).unwrap(),
            workflow: "chat".to_owned(),
            title: String::new(),
            status,
            steps: 1,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            parent: None,
            forked_from: None,
            outcome: None,
            end: None,
            snippet: None,
            seq: place,
        }
    }

    fn page(places: impl IntoIterator<Item = i64>, next: Option<i64>) -> Page<ThreadLine> {
        let rows = places.into_iter().map(|place| line(place, Status::Done)).collect();
        Page { rows, next, ..Page::default() }
    }

    fn places(threads: &ThreadsTab) -> Vec<i64> {
        threads.list.rows.iter().map(|line| line.seq).collect()
    }

    #[test]
    fn pages_are_put_where_they_belong() {
        let mut threads = ThreadsTab::default();
        threads.put(&threads.query(None, 3), page([9, 8, 7], Some(7)));
        threads.put(&threads.query(Some(7), 3), page([6, 5, 4], Some(4)));
        assert_eq!((places(&threads), threads.list.next), (vec![9, 8, 7, 6, 5, 4], Some(4)));
        threads.put(&threads.query(Some(4), 3), page([3], None));
        assert_eq!((places(&threads), threads.list.next), (vec![9, 8, 7, 6, 5, 4, 3], None));
    }

    #[test]
    fn what_comes_and_goes_moves_no_selection() {
        let mut threads = ThreadsTab::default();
        threads.put(&threads.query(None, 3), page([9, 8, 7], Some(7)));
        threads.put(&threads.query(Some(7), 3), page([6, 5], None));
        threads.list.cursor = 1;
        // Two new ones came; 8, which is selected, no longer matches the list, and neither does 9.
        threads.put(&threads.query(None, 3), page([11, 10, 7], Some(7)));
        assert_eq!(places(&threads), [11, 10, 8, 7, 6, 5]);
        assert_eq!(threads.selected().unwrap().seq, 8);
        assert_eq!(threads.list.next, None, "the end is still known");
        // So many have come that none of the known ones is among the newest.
        let mut far = threads.clone();
        far.put(&far.query(None, 3), page([99, 98, 97], Some(97)));
        assert_eq!((far.list.rows[0].seq, far.list.next, far.selected().unwrap().seq), (99, Some(97), 8));
        threads.list.cursor = 5;
        threads.put(&threads.query(None, 3), page([11, 10, 7], Some(7)));
        assert_eq!(places(&threads), [11, 10, 7, 6, 5], "nobody looks at it any more");
        assert_eq!(threads.selected().unwrap().seq, 5);
        threads.put(&threads.query(None, 3), page([], None));
        assert_eq!(places(&threads), [5]);
    }

    /// Threads of servers are missing from a page of this folder's own threads, but they are not gone.
    #[test]
    fn threads_of_servers_stay_where_they_stand() {
        let mut threads = ThreadsTab::default();
        let mut first = page([9, 0, 7], Some(-1));
        first.rows[1].id = ThreadId::parse("tserver00").unwrap();
        threads.put(&threads.query(None, 3), first);
        threads.put(&threads.query(Some(9), 3), page([7, 6], None));
        assert_eq!(places(&threads), [9, 0, 7, 6]);
    }

    #[test]
    fn a_full_page_of_matches_may_not_be_all_of_them() {
        let mut threads = ThreadsTab::default();
        threads.search.words.push("budget".to_owned());
        for (count, has_more) in [(PAGE - 1, false), (PAGE, true)] {
            threads.put(&threads.query(None, PAGE), page((1..).take(count), None));
            assert_eq!(threads.has_more(), has_more);
        }
    }

    #[test]
    fn an_answer_to_an_older_question_is_not_wanted() {
        let mut threads = ThreadsTab::default();
        let query = threads.query(None, PAGE);
        threads.search = Query::of_sender("Ines");
        assert!(!threads.wants(&query) && threads.wants(&threads.query(None, PAGE)));
    }
}
