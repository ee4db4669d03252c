//! Queries for the screen: a cheap overview of everything, lines of a list, and drafts.

use crate::engine::graph::{InterruptId, ThreadId, Warning};
use crate::engine::store::questions::LISTED;
use crate::engine::store::record::questions::{answer_to, asked_of};
use crate::engine::store::rows::{self, InterruptRow, Stage, ThreadRow, damaged, time};
use crate::engine::store::settings::{set_text, text};
use crate::engine::store::threads::start::delete_draft;
use crate::engine::store::{Inbox, StoreError};
use crate::inbox::{
    ItemKind, ItemLine, ItemStamp, ItemStatus, LineQuery, PROGRAM_ACTIONS, RESULT_ANSWERS, Status,
};
use rusqlite::{Connection, Row, params};

/// The setting that says how the list is ordered.
const ORDER: &str = "list_order";

/// Drafts not touched for this long are deleted.
const DRAFT_LIFETIME_MS: i64 = 90 * 24 * 60 * 60 * 1000;

impl Inbox<'_> {
    /// What there is in the inbox: open and decided interrupts, then results.
    pub fn stamps(self) -> Result<Vec<ItemStamp>, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            let open = format!(
                "SELECT id, stamp, coalesce(snoozed_until, 0) > ? FROM interrupts INDEXED BY interrupts_live WHERE {LISTED} ORDER BY seq"
            );
            let mut all = rows::query(db, &open, [now], |row| {
                stamp(row, if row.get(2)? { ItemStatus::Snoozed } else { ItemStatus::Open })
            })?;
            let decided = "SELECT i.id, i.stamp, t.status, t.hold_ms, t.held_at
                 FROM interrupts i INDEXED BY interrupts_live JOIN threads t ON t.seq = i.thread
                 WHERE i.status <> 'closed' AND i.status = 'decided' ORDER BY i.seq";
            all.extend(rows::query(db, decided, [], |row| {
                stamp(row, decided_status(row.get(2)?, row.get(3)?, row.get(4)?)?)
            })?);
            let results = "SELECT id, last FROM threads WHERE unread = 1 ORDER BY seq";
            all.extend(rows::query(db, results, [], |row| stamp(row, ItemStatus::Result))?);
            Ok(all)
        })
    }

    /// Items as lines of a list. Items that cannot be trusted or are gone are left out.
    pub fn lines(self, query: &LineQuery) -> Result<Vec<ItemLine>, StoreError> {
        let now = self.0.now_ms();
        self.0.read(|db| {
            let results = match query {
                LineQuery::First(limit) => first_lines(db, *limit, now)?,
                LineQuery::Of(ids) => ids.iter().map(|id| line_of(db, id, now)).collect(),
            };
            let mut lines = Vec::with_capacity(results.len());
            for line in results {
                match line {
                    Ok(line) => lines.extend(line),
                    Err(StoreError::Damaged(_) | StoreError::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(lines)
        })
    }

    /// The order the person wants for the list, in the screen's own format.
    pub fn order(self) -> Result<Option<String>, StoreError> {
        self.0.read(|db| text(db, ORDER))
    }

    /// Stores the order of the list.
    pub async fn save_order(self, order: String) -> Result<(), StoreError> {
        self.0.write(move |db| set_text(db, ORDER, &order)).await
    }

    /// All unsent drafts, with their keys.
    pub fn drafts(self) -> Result<Vec<(String, String)>, StoreError> {
        self.0.read(|db| {
            let all = "SELECT key, text FROM drafts ORDER BY key";
            rows::query(db, all, [], |row| Ok((row.get(0)?, row.get(1)?)))
        })
    }

    /// Stores the draft under a key, or deletes it.
    pub async fn save_draft(self, key: String, text: Option<String>) -> Result<(), StoreError> {
        self.0
            .write(move |db| {
                match text {
                    Some(text) => db
                        .prepare_cached("INSERT OR REPLACE INTO drafts (key, text, at) VALUES (?, ?, ?)")?
                        .execute(params![key, text, db.now()])
                        .map(drop)?,
                    None => delete_draft(db, &key)?,
                }
                db.prepare_cached("DELETE FROM drafts WHERE at < ?")?
                    .execute([db.now().saturating_sub(DRAFT_LIFETIME_MS)])?;
                Ok(())
            })
            .await
    }
}

fn stamp(row: &Row<'_>, status: ItemStatus) -> Result<ItemStamp, StoreError> {
    let stamp: i64 = row.get(1)?;
    Ok(ItemStamp { id: row.get(0)?, status, stamp: stamp.unsigned_abs() })
}

fn decided_status(status: Status, hold_ms: i64, held_at: Option<i64>) -> Result<ItemStatus, StoreError> {
    Ok(match held_at {
        Some(since) if status == Status::Held => ItemStatus::Held { hold_ms, since: time(since)? },
        _ => ItemStatus::Decided,
    })
}

type LineResult = Result<Option<ItemLine>, StoreError>;

/// The first lines of a list by urgency. Which programs still wait is not in the table, so they all come first.
fn first_lines(db: &Connection, limit: usize, now: i64) -> Result<Vec<LineResult>, StoreError> {
    let rest = format!(
        "INDEXED BY interrupts_live WHERE {LISTED} AND coalesce(snoozed_until, 0) <= ?
         ORDER BY CASE
             WHEN action GLOB '{PROGRAM_ACTIONS}*' THEN 0
             ELSE 1 + instr('trouble approval question triage', kind)
         END, seq LIMIT ?"
    );
    let rows = InterruptRow::select(db, &rest, [now, i64::try_from(limit).unwrap_or(i64::MAX)])?;
    Ok(rows.into_iter().map(|row| interrupt_line(db, row, now)).collect())
}

fn line_of(db: &Connection, id: &str, now: i64) -> LineResult {
    if let Ok(id) = InterruptId::parse(id) {
        return interrupt_line(db, InterruptRow::find(db, &id)?, now);
    }
    let Ok(id) = ThreadId::parse(id) else { return damaged(format!("`{id}` is no id")) };
    let row = ThreadRow::find(db, &id)?;
    if !row.unread {
        return Ok(None);
    }
    let ended_at = time(row.updated_at)?;
    Ok(Some(ItemLine {
        id: row.id.to_string(),
        seq: row.seq,
        stamp: row.last.unsigned_abs(),
        status: ItemStatus::Result,
        thread: row.id,
        workflow: row.workflow,
        kind: ItemKind::Result,
        action: "result".to_owned(),
        title: row.title,
        gist: String::new(),
        source: None,
        allow: RESULT_ANSWERS,
        grade: None,
        new_mail: false,
        irreversible: false,
        is_kept_as_draft: false,
        hash: None,
        created_at: ended_at,
        dated: ended_at,
        snoozed_until: None,
        waiting: false,
        gives_up_at: None,
    }))
}

/// When the newest mail of a thread was sent. If a mail's date is in the future, the time it arrived counts.
fn newest_mail(db: &Connection, thread: i64) -> Result<Option<i64>, StoreError> {
    let newest = "SELECT max(min(coalesce(sent_at, came_at), came_at)) FROM mails WHERE thread = ? AND state <> 'sent'";
    rows::one(db, newest, [thread])
}

fn interrupt_line(db: &Connection, row: InterruptRow, now: i64) -> LineResult {
    let thread = ThreadRow::by_seq(db, row.thread)?;
    let status = match row.status {
        Stage::Closed => return Ok(None),
        Stage::Open if row.snoozed_until.unwrap_or(0) > now => ItemStatus::Snoozed,
        Stage::Open => ItemStatus::Open,
        Stage::Decided => decided_status(thread.status, thread.hold_ms, thread.held_at)?,
    };
    let (asked, at) = asked_of(db, &row)?;
    let decided_title = answer_to(db, &row)?.and_then(|answer| answer.title);
    let gives_up_at = asked.gives_up_at(at)?;
    let said = asked.interrupt;
    Ok(Some(ItemLine {
        waiting: said.waiting.is_some(),
        gives_up_at,
        is_kept_as_draft: said.grantable.own && said.allow.draft,
        allow: said.allow,
        grade: Warning::highest_grade(&said.warnings),
        new_mail: said.warnings.iter().any(|warning| warning.code == "new_mail"),
        created_at: time(at)?,
        dated: time(newest_mail(db, row.thread)?.unwrap_or(at))?,
        snoozed_until: row.snoozed_until.map(time).transpose()?,
        hash: Some(row.hash()),
        id: row.id.to_string(),
        seq: row.seq,
        stamp: row.stamp.unsigned_abs(),
        status,
        thread: thread.id,
        workflow: thread.workflow,
        kind: ItemKind::Question(said.kind),
        action: said.action,
        title: decided_title.unwrap_or(said.title),
        gist: said.gist,
        source: said.source,
        irreversible: said.irreversible,
    }))
}
