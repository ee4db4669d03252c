//! Projections: how each log entry changes the tables that lists and drivers read.
//!
//! Only [`apply`] writes them, both live and when they are rebuilt, except whether a thread is running, which the log
//! does not record. It reads the entry and the current projections, and nothing else.

use crate::graph::{BatchId, EffectState};
use crate::inbox::{BUILTIN_GRANTS, DecidedBy, Status};
use crate::store::StoreError;
use crate::store::log::{
    self, Arrived, Asked, Closed, Decided, EffectBegun, EffectEnded, Entry, EntryKind, Granted, Learned, Pin,
    Pruned, Reopened, Revoked, Scope, Settled, Snoozed, Started, Stepped, parse_digest,
};
use crate::store::rows::{Awaits, EffectRow, GrantRow, InterruptRow, Stage, ThreadRow};
use rusqlite::{Connection, params};

/// The projections, each with the column that identifies a row.
pub(in crate::store) const TABLES: [(&str, &str); 7] = [
    ("threads", "id"),
    ("interrupts", "id"),
    ("effects", "seq"),
    ("grants", "id"),
    ("memory", "seq"),
    ("pins", "seq"),
    ("pauses", "seq"),
];

/// The status of a live thread, from what it still waits for. ?1 is the thread; ?2 what it awaits and ?3 its number of
/// steps, if this entry changes them; ?4 how long it is held.
const LIVE_STATUS: &str = "CASE
    WHEN EXISTS (SELECT 1 FROM interrupts INDEXED BY interrupts_pending WHERE thread = ?1 AND status <> 'closed' AND status = 'open' AND trouble = 1) THEN 'trouble'
    WHEN EXISTS (SELECT 1 FROM interrupts INDEXED BY interrupts_pending WHERE thread = ?1 AND status <> 'closed' AND status = 'decided' AND trouble = 1)
        THEN CASE WHEN ?4 > 0 THEN 'held' ELSE 'ready' END
    WHEN coalesce(?2, awaits) = 'answers'
        AND EXISTS (SELECT 1 FROM interrupts INDEXED BY interrupts_pending WHERE thread = ?1 AND status <> 'closed' AND status = 'open') THEN 'waiting'
    WHEN coalesce(?2, awaits) = 'children' AND EXISTS (
        SELECT 1 FROM threads child WHERE child.parent = ?1 AND child.parent_step = coalesce(?3, threads.steps) - 1
            AND child.status NOT IN ('done', 'abandoned')) THEN 'joining'
    WHEN ?4 > 0 THEN 'held'
    ELSE 'ready' END";

/// Keeps a thread's error only while it has trouble.
const ERRORS: &str = "
    error_code = CASE WHEN EXISTS (SELECT 1 FROM interrupts INDEXED BY interrupts_pending WHERE thread = ?1 AND status <> 'closed' AND trouble = 1)
        THEN error_code END,
    error_text = CASE WHEN EXISTS (SELECT 1 FROM interrupts INDEXED BY interrupts_pending WHERE thread = ?1 AND status <> 'closed' AND trouble = 1)
        THEN error_text END";

/// Updates the projections with this entry.
pub(in crate::store) fn apply(db: &Connection, entry: &Entry) -> Result<(), StoreError> {
    // The remains of a pruned thread are in the `pruned` entry.
    if entry.body.is_none() {
        return Ok(());
    }
    match entry.kind {
        EntryKind::Opened => Ok(()),
        EntryKind::Paused | EntryKind::Resumed => {
            execute(db, "INSERT OR REPLACE INTO pauses (seq, last) VALUES (1, ?)", [entry.seq])
        }
        EntryKind::Started => started(db, entry, entry.parse_body()?),
        EntryKind::Stepped => stepped(db, entry, &entry.parse_body()?),
        EntryKind::Asked => asked(db, entry, entry.parse_body()?),
        EntryKind::Decided => decided(db, entry, &entry.parse_body()?),
        EntryKind::Undone => {
            update_question(db, entry, Stage::Open, None)?;
            update_status(db, entry, 0)
        }
        EntryKind::Closed => {
            let _: Closed = entry.parse_body()?;
            update_question(db, entry, Stage::Closed, None)?;
            update_status(db, entry, 0)
        }
        EntryKind::Amended => {
            let sql = "UPDATE interrupts SET overdue = NULL, stamp = ?2 WHERE seq = ?1";
            execute(db, sql, params![entry.about, entry.seq])?;
            touch(db, entry)
        }
        EntryKind::Snoozed => snoozed(db, entry, &entry.parse_body()?),
        EntryKind::Begun => begun(db, entry, entry.parse_body()?),
        EntryKind::Ended => ended(db, entry, &entry.parse_body()?),
        EntryKind::Arrived | EntryKind::Continued | EntryKind::Corrected => {
            let _: Arrived = entry.parse_body()?;
            let sql = "UPDATE threads SET unheard = unheard + 1, last = ?2 WHERE seq = ?1";
            execute(db, sql, [entry.stream, entry.seq])
        }
        EntryKind::Stopped => {
            let sql = "UPDATE interrupts INDEXED BY interrupts_pending SET overdue = NULL, stamp = ?2
                       WHERE thread = ?1 AND status <> 'closed' AND overdue IS NOT NULL";
            execute(db, sql, [entry.stream, entry.seq])?;
            touch(db, entry)
        }
        EntryKind::Settled => settled(db, entry, &entry.parse_body()?),
        EntryKind::Reopened => reopened(db, entry, &entry.parse_body()?),
        EntryKind::Filed => {
            execute(db, "UPDATE threads SET unread = 0, last = ?2 WHERE seq = ?1", [entry.stream, entry.seq])
        }
        EntryKind::Granted => granted(db, entry, entry.parse_body()?),
        EntryKind::Revoked => revoked(db, entry, &entry.parse_body()?),
        EntryKind::Restored => {
            execute(db, "UPDATE grants SET revoked_at = NULL WHERE seq = ?", [entry.stream])
        }
        EntryKind::Learned => learned(db, entry, &entry.parse_body()?),
        EntryKind::Pinned => {
            let Pin { namespace, line, .. } = entry.parse_body()?;
            let sql = "INSERT OR REPLACE INTO pins (seq, namespace, line) VALUES (?, ?, ?)";
            execute(db, sql, params![entry.seq, namespace, line])
        }
        EntryKind::Unpinned => {
            let Pin { namespace, line, .. } = entry.parse_body()?;
            execute(db, "DELETE FROM pins WHERE namespace = ? AND line = ?", params![namespace, line])
        }
        EntryKind::Pruned => pruned(db, entry, entry.parse_body()?),
    }
}

fn execute(db: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<(), StoreError> {
    db.prepare_cached(sql)?.execute(params)?;
    Ok(())
}

fn touch(db: &Connection, entry: &Entry) -> Result<(), StoreError> {
    execute(db, "UPDATE threads SET last = ?2 WHERE seq = ?1", [entry.stream, entry.seq])
}

/// Recomputes the thread's status and raises its version, so that a running node notices.
fn update_status(db: &Connection, entry: &Entry, hold_ms: i64) -> Result<(), StoreError> {
    execute(
        db,
        &format!(
            "UPDATE threads SET last = ?5, version = ?5, updated_at = ?6, hold_ms = ?4, {ERRORS},
            held_at = CASE WHEN ?4 > 0 THEN ?6 END,
            status = CASE WHEN status IN ('done', 'abandoned') THEN status ELSE {LIVE_STATUS} END
         WHERE seq = ?1"
        ),
        params![entry.stream, None::<Awaits>, None::<i64>, hold_ms, entry.seq, entry.at],
    )
}

fn update_question(
    db: &Connection,
    entry: &Entry,
    stage: Stage,
    batch: Option<&str>,
) -> Result<(), StoreError> {
    execute(
        db,
        "UPDATE interrupts SET status = ?3, batch = ?4, stamp = ?2, snoozed_until = NULL, overdue = NULL WHERE seq = ?1",
        params![entry.about, entry.seq, stage, batch],
    )
}

fn started(db: &Connection, entry: &Entry, body: Started) -> Result<(), StoreError> {
    let Entry { seq, at, .. } = *entry;
    let (parent, origin) = (body.parent, body.origin);
    ThreadRow {
        seq,
        id: body.id,
        workflow: body.workflow,
        fingerprint: body.fingerprint,
        title: body.title,
        status: Status::Ready,
        node: body.node,
        awaits: Awaits::Nothing,
        steps: origin.map_or(1, |origin| origin.step + 1),
        step: seq,
        since: seq,
        last: seq,
        version: seq,
        steps_since_person: 0,
        step_limit: body.step_limit,
        allowance: 1,
        unheard: 0,
        parent: parent.map(|parent| parent.thread),
        parent_step: parent.map(|parent| parent.step),
        child_key: body.key,
        origin: origin.map(|origin| origin.thread),
        origin_step: origin.map(|origin| origin.step),
        output: None,
        error_code: None,
        error_text: None,
        unread: false,
        hold_ms: 0,
        held_at: None,
        created_at: at,
        updated_at: at,
        pruned_at: None,
    }
    .put(db)
}

fn stepped(db: &Connection, entry: &Entry, body: &Stepped) -> Result<(), StoreError> {
    let Entry { seq, stream, at, .. } = *entry;
    let open = serde_json::to_string(&body.open).map_err(|e| StoreError::Sql(e.to_string()))?;
    execute(
        db,
        "UPDATE interrupts INDEXED BY interrupts_pending SET status = 'closed', stamp = ?2
         WHERE thread = ?1 AND status <> 'closed' AND seq NOT IN (SELECT value FROM json_each(?3))",
        params![stream, seq, open],
    )?;
    let steps = body.n + body.count;
    let ends = body.ended();
    let (node, awaits) = body.next_node();
    let since = log::first_needed(seq, &body.open, &body.unheard);
    let output = body.output.as_ref().map(|output| output.get()).filter(|_| !body.no_output);
    execute(db, &format!(
        "UPDATE threads SET awaits = ?2, steps = ?3, hold_ms = ?4, held_at = NULL, last = ?5, version = ?5, step = ?5,
            updated_at = ?6, since = ?7, status = coalesce(?8, {LIVE_STATUS}), node = coalesce(?9, node),
            steps_since_person = coalesce(?10, steps_since_person + ?11), title = coalesce(?12, title),
            output = CASE WHEN ?17 THEN NULL ELSE coalesce(?13, output) END,
            fingerprint = coalesce(?14, fingerprint), unheard = ?15,
            unread = ?16 AND parent IS NULL, {ERRORS}
         WHERE seq = ?1"
    ), params![
        stream,
        awaits,
        steps,
        0,
        seq,
        at,
        since,
        ends,
        node,
        body.since_heard,
        body.count,
        body.title,
        output,
        body.fingerprint,
        body.unheard.len() as i64,
        body.result && ends == Some(Status::Done),
        body.no_output,
    ])?;
    if ends.is_some() { wake_parent(db, entry) } else { Ok(()) }
}

/// A parent continues when the last child it waits for has ended.
fn wake_parent(db: &Connection, child: &Entry) -> Result<(), StoreError> {
    execute(db, "UPDATE threads SET version = ?2, updated_at = ?3, status = CASE status WHEN 'joining' THEN 'ready' ELSE status END
         WHERE seq = (SELECT parent FROM threads WHERE seq = ?1)
           AND steps - 1 = (SELECT parent_step FROM threads WHERE seq = ?1)
           AND awaits = 'children' AND status NOT IN ('done', 'abandoned')
           AND NOT EXISTS (SELECT 1 FROM threads child WHERE child.parent = threads.seq
                AND child.parent_step = threads.steps - 1 AND child.status NOT IN ('done', 'abandoned'))", params![child.stream, child.seq, child.at])
}

fn asked(db: &Connection, entry: &Entry, body: Asked) -> Result<(), StoreError> {
    InterruptRow {
        seq: entry.seq,
        thread: entry.stream,
        step: body.step,
        kind: body.kind,
        schema: body.schema.as_ref().map(|schema| schema.blob),
        allow: i64::from(body.allow),
        trouble: body.is_trouble(),
        status: Stage::Open,
        snoozed_until: body.snoozed_until,
        overdue: None,
        batch: None,
        stamp: entry.seq,
        id: body.id,
        action: body.action.clone(),
    }
    .put(db)?;
    // A node's question comes with its step, which sets the thread's status.
    let Some(text) = body.trouble else { return Ok(()) };
    execute(db, "UPDATE threads SET status = 'trouble', error_code = ?3, error_text = ?4, last = ?2, version = ?2, updated_at = ?5
         WHERE seq = ?1", params![entry.stream, entry.seq, body.action, text, entry.at])
}

fn decided(db: &Connection, entry: &Entry, body: &Decided) -> Result<(), StoreError> {
    if let DecidedBy::Grant(grant) = &body.by {
        execute(db, "UPDATE grants SET used = used + 1 WHERE id = ?", [grant])?;
    }
    update_question(db, entry, Stage::Decided, body.batch.as_ref().map(BatchId::as_str))?;
    update_status(db, entry, body.hold_ms)
}

fn snoozed(db: &Connection, entry: &Entry, body: &Snoozed) -> Result<(), StoreError> {
    let sql = "UPDATE interrupts SET snoozed_until = ?3, overdue = ?4, stamp = ?2 WHERE seq = ?1";
    execute(db, sql, params![entry.about, entry.seq, body.until, body.overdue])?;
    touch(db, entry)
}

fn begun(db: &Connection, entry: &Entry, body: EffectBegun) -> Result<(), StoreError> {
    EffectRow {
        seq: entry.seq,
        thread: entry.stream,
        step: body.step,
        name: body.name,
        state: EffectState::Begun,
        frozen: parse_digest(&body.bytes)?.to_vec(),
        outcome: "null".to_owned(),
        begun_at: entry.at,
        ended_at: None,
    }
    .put(db)?;
    execute(
        db,
        "UPDATE threads SET status = 'running', hold_ms = 0, held_at = NULL, last = ?2, updated_at = ?3 WHERE seq = ?1",
        [entry.stream, entry.seq, entry.at],
    )
}

fn ended(db: &Connection, entry: &Entry, body: &EffectEnded) -> Result<(), StoreError> {
    let ended_at = (body.state != EffectState::Begun).then_some(entry.at);
    let sql = "UPDATE effects SET state = ?2, outcome = ?3, ended_at = ?4 WHERE seq = ?1";
    execute(db, sql, params![entry.about, body.state, body.outcome.to_string(), ended_at])?;
    touch(db, entry)
}

fn settled(db: &Connection, entry: &Entry, body: &Settled) -> Result<(), StoreError> {
    let Entry { seq, stream, at, .. } = *entry;
    execute(
        db,
        "UPDATE interrupts INDEXED BY interrupts_pending SET status = 'closed', stamp = ?2
         WHERE thread = ?1 AND status <> 'closed' AND (?3 OR (trouble = 1 AND status = 'decided'))",
        params![stream, seq, body.ends.is_some()],
    )?;
    execute(
        db,
        &format!(
        "UPDATE threads SET step_limit = step_limit + ?7, allowance = allowance + ?8, last = ?5, version = ?5,
            updated_at = ?6, hold_ms = ?4, held_at = NULL, 
            status = coalesce(?9, CASE WHEN status IN ('done', 'abandoned') THEN status ELSE {LIVE_STATUS} END),
            unheard = CASE WHEN ?9 IS NULL THEN unheard - ?10 ELSE 0 END,
            error_code = CASE WHEN ?9 IS NULL THEN NULL ELSE error_code END,
            error_text = CASE WHEN ?9 IS NULL THEN NULL ELSE error_text END
         WHERE seq = ?1"
    ),
        params![
            stream,
            None::<Awaits>,
            None::<i64>,
            0,
            seq,
            at,
            body.more_steps,
            body.more_budgets,
            body.ends,
            body.drops.len() as i64,
        ],
    )?;
    if body.ends.is_some() { wake_parent(db, entry) } else { Ok(()) }
}

fn reopened(db: &Connection, entry: &Entry, body: &Reopened) -> Result<(), StoreError> {
    for (stage, questions) in [(Stage::Open, &body.open), (Stage::Decided, &body.decided)] {
        for question in questions {
            let sql = "UPDATE interrupts SET status = ?3, stamp = ?2, overdue = NULL WHERE seq = ?1";
            execute(db, sql, params![question, entry.seq, stage])?;
        }
    }
    execute(
        db,
        &format!(
            "UPDATE threads SET last = ?5, version = ?5, updated_at = ?6, hold_ms = ?4, held_at = NULL,
            status = {LIVE_STATUS} WHERE seq = ?1"
        ),
        params![entry.stream, None::<Awaits>, None::<i64>, 0, entry.seq, entry.at],
    )
}

fn granted(db: &Connection, entry: &Entry, body: Granted) -> Result<(), StoreError> {
    GrantRow {
        seq: entry.stream,
        id: body.id,
        tool: body.tool,
        scope: scope_text(&body.scope)?,
        interrupt: body.interrupt,
        created_at: entry.at,
        expires_at: body.expires_at,
        revoked_at: None,
        used: 0,
    }
    .put(db)
}

fn revoked(db: &Connection, entry: &Entry, body: &Revoked) -> Result<(), StoreError> {
    let builtin = body.builtin.as_deref().filter(|_| entry.prev.is_none());
    let Some(builtin) = builtin.and_then(|id| BUILTIN_GRANTS.iter().find(|builtin| builtin.id == id)) else {
        execute(db, "UPDATE grants SET revoked_at = ?2 WHERE seq = ?1", [entry.stream, entry.at])?;
        return Ok(());
    };
    GrantRow {
        seq: entry.stream,
        id: builtin.id.to_owned(),
        tool: builtin.tool.to_owned(),
        scope: scope_text(&Scope::Builtin)?,
        interrupt: None,
        created_at: entry.at,
        expires_at: None,
        revoked_at: Some(entry.at),
        used: 0,
    }
    .put(db)
}

fn learned(db: &Connection, entry: &Entry, body: &Learned) -> Result<(), StoreError> {
    execute(
        db,
        "INSERT OR REPLACE INTO memory (seq, stream, namespace, version, thread) VALUES (?, ?, ?, ?, ?)",
        params![entry.seq, entry.stream, body.namespace, body.version.cast_signed(), body.cause.thread],
    )
}

fn pruned(db: &Connection, entry: &Entry, body: Pruned) -> Result<(), StoreError> {
    // The steps that closed these questions have lost their bodies.
    let threads: Vec<i64> = body.kept.iter().map(|row| row.seq).collect();
    let threads = serde_json::to_string(&threads).map_err(|e| StoreError::Sql(e.to_string()))?;
    execute(
        db,
        "UPDATE interrupts SET status = 'closed', stamp = ?2 WHERE thread IN (SELECT value FROM json_each(?1))",
        params![threads, entry.seq],
    )?;
    for row in body.kept {
        execute(db, "DELETE FROM threads WHERE seq = ?", [row.seq])?;
        row.put(db)?;
    }
    for thread in body.gone {
        execute(db, "DELETE FROM threads WHERE seq = ?", [thread])?;
    }
    Ok(())
}

fn scope_text(scope: &Scope) -> Result<String, StoreError> {
    serde_json::to_string(scope).map_err(|e| StoreError::Sql(e.to_string()))
}
