//! Marks, and one decision for all that are marked: one kind and one tool at a time, after a confirming list.

use super::Row;
use crate::graph::{Decision, InterruptId, Kind};
use crate::inbox::ItemKind;
use crate::tui::keys::Action;
use crate::tui::layers::{Bulk, BulkItem, Layer};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, PendingDecision};

pub fn mark(model: &mut Model, action: Action) -> Vec<Cmd> {
    let list = &mut model.list;
    let here = list.selected().map(|row| (row.id.clone(), row.who().to_owned()));
    let Some((id, who)) = here else { return Vec::new() };
    match action {
        Action::Mark => {
            if !list.marks.remove(&id) {
                list.marks.insert(id.clone());
            }
            list.anchor = Some(id);
            list.step(1);
        }
        Action::MarkRange => {
            let anchor = list.anchor.clone().unwrap_or_else(|| id.clone());
            let from = (0..list.len()).find(|n| list.row(*n).is_some_and(|row| row.id == anchor));
            let (from, to) = (from.unwrap_or(list.cursor()), list.cursor());
            let ids: Vec<String> =
                (from.min(to)..=from.max(to)).filter_map(|n| list.row(n)).map(|row| row.id.clone()).collect();
            list.marks.extend(ids);
            list.anchor = Some(id);
        }
        _ => {
            let same = |row: &Row| action == Action::MarkAll || row.who() == who;
            let ids: Vec<String> = (0..list.len())
                .filter_map(|n| list.row(n))
                .filter(|row| same(row))
                .map(|row| row.id.clone())
                .collect();
            if ids.iter().all(|id| list.marks.contains(id)) {
                ids.iter().for_each(|id| {
                    list.marks.remove(id);
                });
            } else {
                list.marks.extend(ids);
            }
        }
    }
    Vec::new()
}

/// Puts the confirming list up, or says why there cannot be one.
pub fn ask(model: &mut Model, action: Action) -> Vec<Cmd> {
    let marked: Vec<Row> = model.list.marked().into_iter().cloned().collect();
    match bulk(&marked, action) {
        Ok(bulk) => model.push(Layer::Bulk(bulk)),
        Err(why) => model.say(why),
    }
    Vec::new()
}

fn bulk(marked: &[Row], action: Action) -> Result<Bulk, String> {
    let Some(first) = marked.first() else {
        return Err("no marked item is shown; Esc clears the marks".to_owned());
    };
    if let Some(other) = marked.iter().find(|row| (row.kind, &row.action) != (first.kind, &first.action)) {
        return Err(format!(
            "marks are of two sorts ({} {} and {} {}); decide one kind and one tool at a time",
            first.kind.word(),
            first.action,
            other.kind.word(),
            other.action
        ));
    }
    if first.kind == ItemKind::Interrupt(Kind::Trouble) {
        return Err("trouble is decided one at a time".to_owned());
    }
    let (deed, decision) = match (action, first.kind) {
        (Action::Accept, ItemKind::Result) => (DecisionKind::Filed, Decision::Accept),
        (Action::Accept, ItemKind::Interrupt(_)) => (DecisionKind::Accepted, Decision::Accept),
        _ => (DecisionKind::Ignored, Decision::Ignore),
    };
    let mut found = Bulk { deed, rows: Vec::new(), cursor: 0, left_out: Vec::new() };
    for row in marked {
        let ready = match (InterruptId::parse(&row.id), row.hash) {
            (Ok(id), Some(hash)) => BulkItem::Decide(PendingDecision {
                id,
                shown: hash.to_string(),
                decision: decision.clone(),
                learn: action != Action::IgnoreQuietly,
            }),
            _ => BulkItem::FileAway(row.thread.clone()),
        };
        if row.is_decided() {
            found.left_out.push(format!("{}: decided already", row.title));
        } else if !row.allow.permits(&decision) {
            found.left_out.push(format!("{}: takes no such answer", row.title));
        } else if row.warned && decision == Decision::Accept {
            found.left_out.push(format!("{}: carries a warning", row.title));
        } else {
            found.rows.push((row.title.clone(), ready));
        }
    }
    if found.rows.is_empty() {
        return Err(format!("nothing is left to decide together: {}", found.left_out.join("; ")));
    }
    Ok(found)
}

/// What a confirmed list does.
pub fn carry_out(model: &mut Model, bulk: Bulk) -> Vec<Cmd> {
    let (mut decide, mut file) = (Vec::new(), Vec::new());
    for (_, item) in bulk.rows {
        match item {
            BulkItem::Decide(ready) => {
                model.deciding.insert(ready.id.to_string());
                decide.push(ready);
            }
            BulkItem::FileAway(thread) => file.push(thread),
        }
    }
    let mut cmds = Vec::new();
    if !decide.is_empty() {
        cmds.push(Cmd::Decide(bulk.deed, decide));
    }
    if !file.is_empty() {
        cmds.push(Cmd::FileAway(file));
    }
    cmds
}
