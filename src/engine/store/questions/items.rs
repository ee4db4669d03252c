//! The lists of the inbox, page by page: each page is an indexed query that begins where the last one ended.

use crate::engine::graph::{InterruptId, Kind, ThreadId};
use crate::engine::store::log::{EntryKind, PersonAction};
use crate::engine::store::pages::PageBuilder;
use crate::engine::store::questions::LISTED;
use crate::engine::store::record::append::append;
use crate::engine::store::record::questions::{asked_of, not_open, schema_of};
use crate::engine::store::rows::{self, InterruptRow, Stage, ThreadRow, time};
use crate::engine::store::{Inbox, StoreError};
use crate::inbox::{ABSENT_ACTION, ItemKind, ItemQuery, Page, Question, Status, ThreadResult};
use rusqlite::{Connection, params};
use serde_json::Value;

impl Inbox<'_> {
    /// A page of open questions, oldest first.
    pub fn questions(self, query: &ItemQuery) -> Result<Page<Question>, StoreError> {
        let now = self.0.now_ms();
        let kind = query.filter.kind.and_then(ItemKind::question);
        self.0.read(|db| interrupts(db, query, kind, now))
    }

    /// A page of unread results, oldest first.
    pub fn results(self, query: &ItemQuery) -> Result<Page<ThreadResult>, StoreError> {
        self.0.read(|db| results(db, query))
    }

    /// One question, open or not.
    pub fn item(self, id: &InterruptId) -> Result<StoredItem, StoreError> {
        self.0.read(|db| {
            let interrupt = InterruptRow::find(db, id)?;
            let row = ThreadRow::by_seq(db, interrupt.thread)?;
            // An open question is drawn with everything that has arrived since. Asking a question is a step; trouble is
            // not.
            let steps = match (interrupt.status, interrupt.trouble) {
                (Stage::Open, _) => row.steps,
                (Stage::Decided | Stage::Closed, true) => interrupt.step,
                (Stage::Decided | Stage::Closed, false) => interrupt.step + 1,
            };
            let mut item = question(db, &interrupt, row.id, row.workflow)?;
            if interrupt.status != Stage::Open
                && let StoreError::NotOpen { why, .. } = not_open(db, &interrupt)?
            {
                item.closed = Some(why);
            }
            Ok(StoredItem { item, steps: steps.unsigned_abs(), engine: interrupt.trouble })
        })
    }

    /// A thread's result, unless somebody has filed it away.
    pub fn result(self, id: &ThreadId) -> Result<ThreadResult, StoreError> {
        self.0.read(|db| {
            let row = ThreadRow::find(db, id)?;
            if row.unread { result(&row) } else { Err(no_result(&row)) }
        })
    }

    /// What a thread gives, whether or not somebody has read it.
    pub fn thread(self, id: &ThreadId) -> Result<ThreadResult, StoreError> {
        self.0.read(|db| result(&ThreadRow::find(db, id)?))
    }

    /// Counts open interrupts by kind, snoozed ones, and threads by status.
    pub fn counts(self) -> Result<Counts, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            let mut counts = Counts::default();
            let mut statement = db.prepare_cached(&format!(
                "SELECT kind, coalesce(snoozed_until, 0) > ?, count(*) FROM interrupts INDEXED BY interrupts_live WHERE {LISTED} GROUP BY 1, 2"
            ))?;
            let mut rows = statement.query([now])?;
            while let Some(row) = rows.next()? {
                let (kind, snoozed, count): (String, bool, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                if snoozed {
                    counts.snoozed += count.unsigned_abs();
                } else if let Some(place) = Kind::ALL.iter().position(|known| known.word() == kind) {
                    counts.open[place] += count.unsigned_abs();
                }
            }
            let mut statement = db.prepare_cached("SELECT status, count(*) FROM threads GROUP BY status")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (status, count): (String, i64) = (row.get(0)?, row.get(1)?);
                if let Some(place) = Status::ALL.iter().position(|known| known.word() == status) {
                    counts.threads[place] += count.unsigned_abs();
                }
            }
            let results: i64 = rows::one(db, "SELECT count(*) FROM threads WHERE unread = 1", [])?;
            counts.results = results.unsigned_abs();
            let waiting = "SELECT CASE WHEN EXISTS (
                     SELECT 1 FROM interrupts INDEXED BY interrupts_live
                     WHERE status <> 'closed' AND status = 'open' AND action = ?
                 ) THEN (SELECT count(*) FROM threads WHERE status = 'ready') ELSE 0 END";
            counts.waiting_for_model = rows::one::<i64>(db, waiting, [ABSENT_ACTION])?.unsigned_abs();
            Ok(counts)
        })
    }

    /// Files a result away.
    pub async fn file_away(self, id: ThreadId) -> Result<(), StoreError> {
        self.0
            .write(move |tx| {
                let mut row = ThreadRow::find(tx, &id)?;
                if !row.unread {
                    return Err(no_result(&row));
                }
                let from = tx.opened()?;
                append(tx, &mut row, EntryKind::Filed, None, &PersonAction { from })?;
                Ok(())
            })
            .await
    }
}

/// An interrupt with everything needed to draw its card.
#[derive(Clone, Debug)]
pub struct StoredItem {
    pub item: Question,
    /// How many steps of its thread the card is drawn from.
    pub steps: u64,
    /// Whether the engine asked it, rather than a node.
    pub engine: bool,
}

/// The inbox in numbers, in the order of `Kind::ALL` and `Status::ALL`.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Open interrupts that are not snoozed.
    pub open: [u64; 4],
    /// Open interrupts that are snoozed.
    pub snoozed: u64,
    /// Unread results.
    pub results: u64,
    pub threads: [u64; 8],
    /// Threads that wait for a model server that cannot be reached.
    pub waiting_for_model: u64,
}

/// The question as the inbox shows it; its text comes with its card.
pub fn question_shown(db: &Connection, interrupt: &InterruptRow) -> Result<Question, StoreError> {
    let ThreadRow { id, workflow, .. } = ThreadRow::by_seq(db, interrupt.thread)?;
    question(db, interrupt, id, workflow)
}

fn question(
    db: &Connection,
    interrupt: &InterruptRow,
    thread: ThreadId,
    workflow: String,
) -> Result<Question, StoreError> {
    let (asked, at) = asked_of(db, interrupt)?;
    let (schema, gives_up_at) = (schema_of(db, &asked)?, asked.gives_up_at(at)?);
    let said = asked.interrupt;
    Ok(Question {
        id: asked.id,
        key: said.key,
        thread,
        workflow,
        kind: said.kind,
        title: said.title,
        gist: said.gist,
        action: said.action,
        args: said.args,
        schema,
        edit_from: said.edit_from,
        allow: said.allow,
        labels: said.labels,
        give_back: false,
        warnings: said.warnings,
        source: said.source,
        text: String::new(),
        created_at: time(at)?,
        snoozed_until: interrupt.snoozed_until.map(time).transpose()?,
        waiting: said.waiting.is_some(),
        gives_up_at,
        args_hash: interrupt.hash(),
        irreversible: said.irreversible,
        grantable: said.grantable,
        closed: None,
    })
}

fn interrupts(
    db: &Connection,
    query: &ItemQuery,
    kind: Option<Kind>,
    now: i64,
) -> Result<Page<Question>, StoreError> {
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX - 1);
    let after = query.after.unwrap_or(0);
    let sql = format!(
        "SELECT {}, (SELECT t.id FROM threads t WHERE t.seq = interrupts.thread),
             (SELECT t.workflow FROM threads t WHERE t.seq = interrupts.thread)
         FROM interrupts INDEXED BY interrupts_live
         WHERE {LISTED} AND seq > ?1 AND (?2 IS NULL OR kind = ?2) AND (coalesce(snoozed_until, 0) > ?3) = ?4
         ORDER BY seq LIMIT ?5",
        InterruptRow::COLUMNS
    );
    let parameters = params![after, kind.map(Kind::word), now, query.is_snoozed(), limit.saturating_add(1)];
    let mut statement = db.prepare_cached(&sql)?;
    let own = statement.column_count() - 2;
    let mut rows = statement.query(parameters)?;
    let mut page = PageBuilder::new(query.limit);
    while let Some(cells) = rows.next()? {
        let row = InterruptRow::read(cells)?;
        page.take(row.seq, || question(db, &row, cells.get(own)?, cells.get(own + 1)?))?;
    }
    Ok(page.finish(after))
}

fn results(db: &Connection, query: &ItemQuery) -> Result<Page<ThreadResult>, StoreError> {
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX - 1).saturating_add(1);
    let rest = "WHERE unread = 1 AND seq > ? ORDER BY seq LIMIT ?";
    let mut page = PageBuilder::new(query.limit);
    for row in ThreadRow::select(db, rest, [query.after.unwrap_or(0), limit])? {
        page.take(row.seq, || result(&row))?;
    }
    Ok(page.finish(0))
}

fn result(row: &ThreadRow) -> Result<ThreadResult, StoreError> {
    Ok(ThreadResult {
        thread: row.id.clone(),
        workflow: row.workflow.clone(),
        title: row.title.clone(),
        output: row.output()?.unwrap_or(Value::Null),
        text: String::new(),
        ended_at: time(row.updated_at)?,
    })
}

fn no_result(row: &ThreadRow) -> StoreError {
    StoreError::Conflict(format!(
        "thread `{0}` has no result waiting to be read; `sayso show {0}` shows all of it",
        row.id
    ))
}
