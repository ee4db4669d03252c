//! Lists threads by status, workflow and account, and by words. Each page begins in an index where the last one ended.

use crate::engine::graph::{InterruptId, ThreadId};
use crate::engine::store::decision_history;
use crate::engine::store::log::{self, Asked};
use crate::engine::store::pages::PageBuilder;
use crate::engine::store::rows::{self, InterruptRow, ThreadRow, time};
use crate::engine::store::{StoreError, Threads, search};
use crate::inbox::{
    ENGINE_WORKFLOWS, Facets, Flag, ForkedFrom, ItemKind, Outcome, Page, Status, ThreadLine, ThreadQuery,
};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

/// How many of the best matches get a snippet.
const SNIPPETS: usize = 60;

impl Threads<'_> {
    /// The threads of a workflow that wait for a person.
    pub fn waiting_of(self, workflow: &str) -> Result<Vec<ThreadId>, StoreError> {
        let waiting = "SELECT id FROM threads INDEXED BY threads_by_status
             WHERE status = 'waiting' AND workflow = ? ORDER BY seq";
        self.0.read(|db| rows::column(db, waiting, [workflow]))
    }

    /// The threads of a workflow that have not ended, oldest first.
    pub fn unfinished_of(self, workflow: &str) -> Result<Vec<ThreadId>, StoreError> {
        let unfinished = "SELECT id FROM threads INDEXED BY threads_by_status
             WHERE status IN ('ready', 'running', 'waiting', 'held', 'joining', 'trouble') AND workflow = ?
             ORDER BY seq";
        self.0.read(|db| rows::column(db, unfinished, [workflow]))
    }

    /// The newest threads of a workflow that are done, newest first.
    pub fn ended_of(self, workflow: &str, limit: u32) -> Result<Vec<ThreadId>, StoreError> {
        let done = "SELECT id FROM threads INDEXED BY threads_by_workflow
             WHERE workflow = ? AND status = 'done' ORDER BY seq DESC LIMIT ?";
        self.0.read(|db| rows::column(db, done, params![workflow, limit]))
    }

    /// The newest thread of this workflow with this key, or with this key followed by `#` and more, and its status.
    pub fn newest_with_key(
        self,
        workflow: &str,
        key: &str,
    ) -> Result<Option<(ThreadId, Status)>, StoreError> {
        let newest =
            "SELECT id, status FROM threads INDEXED BY threads_by_key WHERE parent IS NULL AND workflow = ?1
             AND child_key >= ?2 AND child_key < ?2 || '$' ORDER BY seq DESC LIMIT 1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        self.0.read(|db| Ok(rows::query(db, newest, [workflow, key], read)?.pop()))
    }

    /// The keys of threads that wait for a person or are held.
    pub fn waiting_with_keys(self) -> Result<Vec<(String, ThreadId)>, StoreError> {
        let waiting = "SELECT child_key, id FROM threads
             WHERE status IN ('waiting', 'held') AND child_key IS NOT NULL AND parent IS NULL ORDER BY seq";
        self.0.read(|db| rows::query(db, waiting, [], |row| Ok((row.get(0)?, row.get(1)?))))
    }

    pub fn line(self, id: &ThreadId) -> Result<ThreadLine, StoreError> {
        self.0.read(|db| line(db, &ThreadRow::find(db, id)?))
    }

    /// A page of threads, newest first.
    pub async fn list(self, query: &ThreadQuery) -> Result<Page<ThreadLine>, StoreError> {
        if !query.filter.words.is_empty() {
            self.0.search().index_words().await?;
        }
        let now = self.0.now();
        self.0.read(|db| page(db, query, now))
    }

    /// A thread's status, open questions, output and error.
    pub fn outcome(self, id: &ThreadId) -> Result<Outcome, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, id)?;
            let rest = "WHERE thread = ? AND status <> 'closed' AND status = 'open' ORDER BY seq";
            let open = InterruptRow::select(db, rest, [row.seq])?;
            outcome(&row, open.into_iter().map(|open| open.id).collect())
        })
    }

    /// A thread and everything it started, directly or not.
    pub fn family(self, id: &ThreadId) -> Result<Vec<(ThreadId, Status)>, StoreError> {
        self.0.read(|db| {
            let root = ThreadRow::find(db, id)?;
            let family = "WITH RECURSIVE family (seq) AS (
                    SELECT ?1 UNION SELECT t.seq FROM threads t JOIN family f ON t.parent = f.seq
                 )
                 SELECT id, status FROM threads WHERE seq IN (SELECT seq FROM family) ORDER BY seq";
            rows::query(db, family, [root.seq], |row| Ok((row.get(0)?, row.get(1)?)))
        })
    }

    /// The threads of these workflows that are held, ready or running.
    pub fn active_of(self, workflows: &[&str]) -> Result<Vec<(ThreadId, Status)>, StoreError> {
        self.0.read(|db| {
            let active = "SELECT id, status FROM threads
                 WHERE status IN ('held', 'ready', 'running') AND workflow IN (SELECT value FROM json_each(?))
                 ORDER BY seq";
            let workflows = serde_json::Value::from(workflows.to_vec()).to_string();
            rows::query(db, active, [workflows], |row| Ok((row.get(0)?, row.get(1)?)))
        })
    }

    /// The values threads can be filtered by. It takes one index lookup per name, however many threads there are.
    pub fn facets(self) -> Result<Facets, StoreError> {
        self.0.read(|db| {
            // The servers are listed in the config.
            let (workflows, accounts) = (rows::column(db, WORKFLOWS, [])?, rows::column(db, ACCOUNTS, [])?);
            Ok(Facets { workflows, accounts, servers: Vec::new() })
        })
    }
}

const WORKFLOWS: &str = "WITH RECURSIVE known (name) AS (
         SELECT min(workflow) FROM threads INDEXED BY threads_by_workflow
         UNION ALL
         SELECT (SELECT min(workflow) FROM threads INDEXED BY threads_by_workflow WHERE workflow > name)
           FROM known WHERE name IS NOT NULL
     )
     SELECT name FROM known WHERE name IS NOT NULL";

/// Mail that a person handed in has no account.
const ACCOUNTS: &str = "WITH RECURSIVE known (name) AS (
         SELECT min(account) FROM mails INDEXED BY mails_by_account WHERE account > '' AND thread IS NOT NULL
         UNION ALL
         SELECT (SELECT min(account) FROM mails INDEXED BY mails_by_account
                  WHERE account > name AND thread IS NOT NULL)
           FROM known WHERE name IS NOT NULL
     )
     SELECT name FROM known WHERE name IS NOT NULL";

/// The numbers of the threads before `before`, newest first.
fn numbers(db: &Connection, query: &ThreadQuery, before: i64, limit: i64) -> Result<Vec<i64>, StoreError> {
    if !query.filter.words.is_empty() {
        return search::threads(db, &query.filter.words.join(" "), query, before, limit);
    }
    let status = query.filter.status.map(Status::word);
    let sql = sql(query);
    let page = |workflow: Option<&str>| {
        rows::column::<i64>(db, &sql, params![status, workflow, query.account, before, limit])
    };
    match query.filter.workflow.as_deref() {
        // Each graph of a server is a separate workflow, so we merge their pages.
        Some(server) if server.ends_with('/') => {
            let mut all = Vec::new();
            let names: Vec<String> = rows::column(db, WORKFLOWS, [])?;
            for name in names.iter().filter(|name| name.starts_with(server)) {
                all.extend(page(Some(name))?);
            }
            all.sort_unstable_by(|one, other| other.cmp(one));
            all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(all)
        }
        workflow => page(workflow),
    }
}

/// Chooses the index that skips the fewest threads. Threads that have not ended are few, whatever else is asked for.
fn sql(query: &ThreadQuery) -> String {
    let status = " AND t.status = ?1";
    let workflow = " AND t.workflow = ?2";
    let account = " AND EXISTS (SELECT 1 FROM mails WHERE account = ?3 AND thread = t.seq)";
    let status = query.filter.status.map(|known| (status, known.ended()));
    let workflow = query.filter.workflow.as_ref().map(|_| workflow);
    let account = query.account.as_ref().map(|_| account);
    let (index, place, rest) = match (status, workflow, account) {
        (Some((_, false)), ..) | (Some(_), None, None) => {
            ("t.seq FROM threads t INDEXED BY threads_by_status WHERE t.status = ?1", "t.seq", [workflow, account])
        }
        (_, Some(_), _) => (
            "t.seq FROM threads t INDEXED BY threads_by_workflow WHERE t.workflow = ?2",
            "t.seq",
            [status.map(|(sql, _)| sql), account],
        ),
        (_, None, Some(_)) => (
            "DISTINCT m.thread FROM mails m INDEXED BY mails_by_account CROSS JOIN threads t ON t.seq = m.thread
             WHERE m.account = ?3",
            "m.thread",
            [status.map(|(sql, _)| sql), None],
        ),
        (None, None, None) => ("t.seq FROM threads t WHERE true", "t.seq", [None, None]),
    };
    let rest: String = rest.into_iter().flatten().collect();
    format!("SELECT {index}{rest} AND {place} < ?4 ORDER BY {place} DESC LIMIT ?5")
}

/// The outcome of a thread with these open questions.
pub fn outcome(row: &ThreadRow, open: Vec<InterruptId>) -> Result<Outcome, StoreError> {
    Ok(Outcome {
        interrupts: open,
        output: row.output()?,
        error: row.error(),
        thread: row.id.clone(),
        status: row.status,
    })
}

fn page(db: &Connection, query: &ThreadQuery, now: Timestamp) -> Result<Page<ThreadLine>, StoreError> {
    let mut builder = PageBuilder::new(query.limit);
    let words = query.filter.words.join(" ");
    match words.as_str() {
        words if query.best_first && !words.is_empty() => {
            for hit in search::best_threads(db, words, query)? {
                let shown = builder.page.rows.len() < SNIPPETS;
                take(db, query, now, hit.thread, &mut builder)?;
                let last = builder.page.rows.last_mut();
                if shown && let Some(line) = last.filter(|line| line.seq == hit.thread) {
                    line.snippet = search::snippet(db, &hit, words)?;
                }
            }
        }
        _ => {
            let limit = query.limit.saturating_add(1);
            let mut before = query.after.unwrap_or(i64::MAX);
            loop {
                let seqs = numbers(db, query, before, i64::try_from(limit).unwrap_or(i64::MAX))?;
                for seq in &seqs {
                    take(db, query, now, *seq, &mut builder)?;
                }
                before = seqs.last().copied().unwrap_or(before);
                if builder.more || seqs.len() < limit {
                    break;
                }
            }
            builder.page.next = builder.page.last.filter(|_| builder.more);
        }
    }
    let mut page = builder.page;
    let nothing = page.rows.is_empty() && query.after.is_none();
    if nothing && !words.is_empty() {
        page.suggestion = search::nearest_words(db, &words)?;
    }
    Ok(page)
}

/// Adds a thread to the page if it matches the query.
fn take(
    db: &Connection,
    query: &ThreadQuery,
    now: Timestamp,
    seq: i64,
    page: &mut PageBuilder<ThreadLine>,
) -> Result<(), StoreError> {
    if page.more {
        return Ok(());
    }
    let read = |row: ThreadRow| {
        if matches_query(db, &row, query, now)? { line(db, &row).map(Some) } else { Ok(None) }
    };
    let has_ending =
        |line: &ThreadLine| query.filter.matches_end(line.end, line.outcome.as_deref().unwrap_or_default());
    let matching = ThreadRow::by_seq(db, seq).and_then(read).map(|line| line.filter(has_ending));
    if let Some(line) = matching.transpose() {
        page.take(seq, || line)?;
    }
    Ok(())
}

/// Whether a thread matches the parts of the query that no index covers.
fn matches_query(
    db: &Connection,
    row: &ThreadRow,
    query: &ThreadQuery,
    now: Timestamp,
) -> Result<bool, StoreError> {
    // Only ended threads can match a way of ending.
    if query.filter.outcome.is_some() && !row.status.ended() {
        return Ok(false);
    }
    let engine = ENGINE_WORKFLOWS.contains(&row.workflow.as_str());
    let listed =
        if query.filter.flags.contains(&Flag::Engine) { engine } else { !engine || !query.hides_engine };
    if !listed || !query.filter.matches_time(time(row.created_at)?, now) {
        return Ok(false);
    }
    Ok(match (&query.filter.from, query.filter.kind) {
        (None, None) => true,
        (from, kind) => {
            let asked = asked_questions(db, row)?;
            kind.is_none_or(|kind| asked.iter().any(|asked| ItemKind::Question(asked.interrupt.kind) == kind))
                && match from {
                    Some(from) => is_from(db, row, &asked, from)?,
                    None => true,
                }
        }
    })
}

/// The questions a thread has asked so far, except those whose bodies were deleted.
fn asked_questions(db: &Connection, row: &ThreadRow) -> Result<Vec<Asked>, StoreError> {
    let asked = "SELECT seq FROM log WHERE stream = ? AND kind = 'asked' AND body IS NOT NULL ORDER BY seq";
    let seqs = rows::column(db, asked, [row.seq])?;
    seqs.into_iter().map(|seq| log::entry(db, seq)?.parse_body()).collect()
}

/// Whether a mail in the thread, or the source of one of its questions, has this in its name or address.
fn is_from(db: &Connection, row: &ThreadRow, asked: &[Asked], from: &str) -> Result<bool, StoreError> {
    let contains = |text: &str| text.to_lowercase().contains(from);
    if asked.iter().filter_map(|asked| asked.interrupt.source.as_deref()).any(contains) {
        return Ok(true);
    }
    let senders: Vec<String> = rows::column(db, "SELECT sender FROM mails WHERE thread = ?", [row.seq])?;
    Ok(senders.iter().any(|sender| contains(sender)))
}

pub fn line(db: &Connection, row: &ThreadRow) -> Result<ThreadLine, StoreError> {
    let ended = match row.status.ended().then(|| decision_history::last_outcome(db, row)).transpose() {
        // The damage is reported when the thread is opened.
        Err(StoreError::Damaged(_)) => None,
        ended => ended?.flatten(),
    };
    let (end, outcome) = ended.unzip();
    Ok(ThreadLine {
        id: row.id.clone(),
        workflow: row.workflow.clone(),
        title: row.title.clone(),
        status: row.status,
        steps: row.steps.unsigned_abs(),
        created_at: time(row.created_at)?,
        updated_at: time(row.updated_at)?,
        parent: row.parent.map(|seq| ThreadRow::by_seq(db, seq).map(|parent| parent.id)).transpose()?,
        forked_from: forked_from(db, row)?,
        outcome,
        end,
        snippet: None,
        seq: row.seq,
    })
}

pub fn forked_from(db: &Connection, row: &ThreadRow) -> Result<Option<ForkedFrom>, StoreError> {
    match (row.origin, row.origin_step) {
        (Some(seq), Some(step)) => {
            Ok(Some(ForkedFrom { thread: ThreadRow::by_seq(db, seq)?.id, step: step.unsigned_abs() }))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::store::Store;
    use crate::inbox::Query;

    /// No query scans the whole table or sorts.
    #[test]
    fn every_list_is_read_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store
            .read(|db| {
                let plan = |sql: &str, parameters: usize| {
                    let mut plan = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
                    let nothing = vec![rusqlite::types::Null; parameters];
                    let lines =
                        plan.query_map(rusqlite::params_from_iter(nothing), |row| row.get::<_, String>(3));
                    lines.unwrap().map(Result::unwrap).collect::<Vec<_>>().join("\n")
                };
                for n in 0..12 {
                    let status = [None, Some(Status::Waiting), Some(Status::Done)][n / 4];
                    let one = |bit: usize| ((n % 4) & bit != 0).then(|| "x".to_owned());
                    let filter = Query { status, workflow: one(1), ..Query::default() };
                    let query = ThreadQuery { filter, account: one(2), ..ThreadQuery::default() };
                    let query_plan = plan(&sql(&query), 5);
                    assert!(
                        !query_plan.contains("SCAN") && !query_plan.contains("TEMP B-TREE"),
                        "{query:?}: {query_plan}"
                    );
                }
                for sql in [WORKFLOWS, ACCOUNTS] {
                    let query_plan = plan(sql, 0);
                    let scans = |line: &str| line.contains("SCAN") && !line.contains("known");
                    assert!(!query_plan.lines().any(scans), "{query_plan}");
                }
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn threads_are_unfinished_until_they_end() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let db = Connection::open(folder.path().join(crate::engine::store::FILE)).unwrap();
        for (seq, status) in (1_i64..).zip(Status::ALL) {
            db.execute(
                "INSERT INTO threads (seq, id, workflow, fingerprint, title, status, node, awaits, steps, step, since, last,
                        version, steps_since_person, step_limit, allowance, waiting_events, unread, hold_ms, created_at, updated_at)
                 VALUES (?1, 't0000000' || ?1, 'request', '', '', ?2, '', 'nothing', 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)",
                params![seq, status.word()],
            )
            .unwrap();
        }
        let unfinished = Status::ALL.iter().filter(|status| !status.ended()).count();
        assert_eq!(store.threads().unfinished_of("request").unwrap().len(), unfinished);
        assert!(store.threads().unfinished_of("email").unwrap().is_empty());
    }
}
