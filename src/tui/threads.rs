//! The list of threads as far as it was read, and the one that is shown.

use super::review::{Aspect, Review};
use crate::graph::ThreadId;
use crate::inbox::{Status, ThreadLine, ThreadPage, ThreadQuery};
use jiff::Timestamp;

/// So many threads are read at a time.
pub const PAGE: usize = 100;

/// What differs when anything happened to a thread.
pub type Stamp = (ThreadId, Status, u64, Timestamp);

/// The Threads tab.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// The rows that were read, newest first.
    pub rows: Vec<ThreadLine>,
    /// The selected one.
    pub cursor: usize,
    /// The first on the screen.
    pub top: usize,
    /// Whether anything has been read.
    pub read: bool,
    /// Only of this status.
    pub status: Option<Status>,
    /// Only where these words occur.
    pub search: String,
    /// What was searched for before something else was typed.
    pub searched: Option<String>,
    /// Where the next page begins; nothing after the last.
    pub next: Option<i64>,
    /// Whether the next page is on its way.
    pub reading: bool,
    /// The thread that is shown.
    pub review: Option<Review>,
    /// How the row of the shown thread stood when it was read.
    pub seen: Option<Stamp>,
    /// From which side threads are looked at.
    pub aspect: Aspect,
    /// What is to be selected once it is there.
    pub goto: Option<ThreadId>,
    /// What was selected before something else was listed.
    pub stay: Option<ThreadId>,
}

impl Threads {
    /// The selected row.
    pub fn selected(&self) -> Option<&ThreadLine> {
        self.rows.get(self.cursor)
    }

    /// What is listed, from a place on.
    pub fn query(&self, after: Option<i64>, limit: usize) -> ThreadQuery {
        let search = Some(self.search.clone()).filter(|words| !words.trim().is_empty());
        ThreadQuery { status: self.status, search, after, limit }
    }

    /// Whether this is what is listed now.
    pub fn wants(&self, query: &ThreadQuery) -> bool {
        let now = self.query(query.after, query.limit);
        now == *query
    }

    /// Lists something else; the selection stays where its thread is in that as well.
    pub fn list_anew(&mut self) {
        self.stay = self.stay.take().or_else(|| self.selected().map(|line| line.id.clone()));
        self.rows.clear();
        (self.cursor, self.top, self.next, self.reading, self.read) = (0, 0, None, false, false);
    }

    /// Puts a page where it belongs. The selected thread stays selected, and on the list, whatever became of it.
    pub fn put(&mut self, query: &ThreadQuery, page: ThreadPage) {
        let stay = self.stay.take().or_else(|| self.selected().map(|line| line.id.clone()));
        let here = self.goto.clone().or(stay);
        let above = query.after.unwrap_or(i64::MAX);
        let lowest = page.threads.iter().map(|line| line.place).min();
        // What is below the page is not known to it, unless it was the last one.
        let below = if page.next.is_some() { lowest.unwrap_or(above) } else { i64::MIN };
        let last_known = self.rows.last().map(|line| line.place);
        let known: std::collections::HashSet<ThreadId> =
            page.threads.iter().map(|line| line.id.clone()).collect();
        self.rows.retain(|line| {
            let covered = line.place < above && line.place >= below;
            !known.contains(&line.id) && (!covered || Some(&line.id) == here.as_ref())
        });
        self.rows.extend(page.threads);
        self.rows.sort_by_key(|line| std::cmp::Reverse(line.place));
        if last_known.is_none_or(|last| below <= last) {
            self.next = page.next;
        }
        if query.after.is_some() {
            self.reading = false;
        }
        self.read = true;
        let found = self.rows.iter().position(|line| Some(&line.id) == here.as_ref());
        if found.is_some() {
            self.goto = None;
        }
        self.cursor = found.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
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
            place,
        }
    }

    fn page(places: impl IntoIterator<Item = i64>, next: Option<i64>) -> ThreadPage {
        let threads = places.into_iter().map(|place| line(place, Status::Done)).collect();
        ThreadPage { threads, damaged: Vec::new(), next }
    }

    fn places(threads: &Threads) -> Vec<i64> {
        threads.rows.iter().map(|line| line.place).collect()
    }

    #[test]
    fn pages_are_put_where_they_belong() {
        let mut threads = Threads::default();
        threads.put(&threads.query(None, 3), page([9, 8, 7], Some(7)));
        threads.put(&threads.query(Some(7), 3), page([6, 5, 4], Some(4)));
        assert_eq!((places(&threads), threads.next), (vec![9, 8, 7, 6, 5, 4], Some(4)));
        threads.put(&threads.query(Some(4), 3), page([3], None));
        assert_eq!((places(&threads), threads.next), (vec![9, 8, 7, 6, 5, 4, 3], None));
    }

    #[test]
    fn what_comes_and_goes_moves_no_selection() {
        let mut threads = Threads::default();
        threads.put(&threads.query(None, 3), page([9, 8, 7], Some(7)));
        threads.put(&threads.query(Some(7), 3), page([6, 5], None));
        threads.cursor = 1;
        // Two new ones; 8, which is selected, no longer fits what is listed, and neither does 9.
        threads.put(&threads.query(None, 3), page([11, 10, 7], Some(7)));
        assert_eq!(places(&threads), [11, 10, 8, 7, 6, 5]);
        assert_eq!(threads.selected().unwrap().place, 8);
        assert_eq!(threads.next, None, "the end is still known");
        threads.cursor = 5;
        threads.put(&threads.query(None, 3), page([11, 10, 7], Some(7)));
        assert_eq!(places(&threads), [11, 10, 7, 6, 5], "nobody looks at it any more");
        assert_eq!(threads.selected().unwrap().place, 5);
        threads.put(&threads.query(None, 3), page([], None));
        assert_eq!(places(&threads), [5]);
    }

    #[test]
    fn an_answer_to_an_older_question_is_not_wanted() {
        let mut threads = Threads::default();
        let asked = threads.query(None, PAGE);
        threads.search = "budget".to_owned();
        assert!(!threads.wants(&asked) && threads.wants(&threads.query(None, PAGE)));
    }
}
