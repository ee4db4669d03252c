//! The first rows of threads and questions.

use crate::engine::graph::Warning;
use crate::engine::store::log::{Asked, Entry, Started};
use crate::engine::store::rows::{Awaits, InterruptRow, Stage, ThreadRow};
use crate::inbox::Status;
use jiff::Timestamp;

/// The row of a thread that has just begun.
pub fn first_row(seq: i64, at: i64, body: Started) -> ThreadRow {
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
        by_person: body.by_person,
        waiting_events: 0,
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
}

/// The row of a question that was just asked.
pub fn question_row(entry: &Entry, body: &Asked) -> InterruptRow {
    InterruptRow {
        seq: entry.seq,
        thread: entry.stream,
        step: body.step,
        kind: body.interrupt.kind,
        allow: body.allow_bits(),
        trouble: body.is_trouble(),
        status: Stage::Open,
        snoozed_until: body.interrupt.snoozed_until.map(Timestamp::as_millisecond),
        overdue: None,
        batch: None,
        stamp: entry.seq,
        hash: body.hash().bytes(),
        irreversible: body.interrupt.irreversible,
        harmless: body.interrupt.harmless,
        confirms: Warning::need_confirmation(&body.interrupt.warnings),
        amended: false,
        answer: None,
        acted: false,
        id: body.id.clone(),
        action: body.interrupt.action.clone(),
    }
}
