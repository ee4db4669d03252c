//! The Activity tab: what is running, what went on, and pruning old threads.

use super::ActivityRow;
use crate::graph::ThreadId;
use crate::inbox::{
    Activity, ActivityQuery, Block, PruneQuery, Pruned, Pruning, Status, Storage, ThreadLine, UsageView,
};
use crate::text::{Visible, count_noun};
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu, OnConfirm};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult};
use crate::tui::tabs::{self, Tab};
use crate::tui::words;
use jiff::ToSpan;
use std::time::Duration;

/// Figures are counted at most this often, however much happens.
const REFRESH_INTERVAL: Duration = Duration::from_secs(5);

/// The ages, in days, from which threads can be pruned.
const AGES: [(i64, &str); 4] = [(30, "a month"), (90, "three months"), (180, "half a year"), (365, "a year")];

/// Reads everything the tab needs when it is opened.
pub fn open(model: &mut Model) -> Vec<Cmd> {
    model.activity.read_at = None;
    let mut cmds = vec![Cmd::Running, Cmd::Grants, Cmd::Overview, Cmd::Sources, Cmd::Storage];
    cmds.extend(refresh(model));
    cmds.extend(read_selected(model));
    cmds
}

/// Counts again, unless that was done just now.
pub fn refresh(model: &mut Model) -> Vec<Cmd> {
    let is_recent =
        model.activity.read_at.is_some_and(|at| model.now.saturating_duration_since(at) < REFRESH_INTERVAL);
    if is_recent || model.tab != Tab::Activity {
        return Vec::new();
    }
    model.activity.read_at = Some(model.now);
    let now = model.local_time();
    vec![Cmd::Activity(ActivityQuery::last(ActivityQuery::DAYS, &now))]
}

/// Reads what only the selected row needs.
pub fn read_selected(model: &mut Model) -> Vec<Cmd> {
    model.selected_running().map(|line| Cmd::Usage(line.id.clone())).into_iter().collect()
}

/// Moves the selection by rows.
pub fn step(model: &mut Model, by: isize) -> Vec<Cmd> {
    let last = model.activity_rows().len().saturating_sub(1);
    select(model, model.activity.cursor.saturating_add_signed(by).min(last))
}

pub fn select(model: &mut Model, row: usize) -> Vec<Cmd> {
    if row != model.activity.cursor {
        model.activity.page_top = 0;
    }
    model.activity.cursor = row.min(model.activity_rows().len().saturating_sub(1));
    read_selected(model)
}

/// Moves to the next or previous section, skipping the rows in between.
pub fn section(model: &mut Model, forward: bool) -> Vec<Cmd> {
    let rows = model.activity_rows();
    let is_section = |n: &usize| matches!(rows.get(*n), Some(ActivityRow::Section(_)));
    let cursor = model.activity.cursor;
    let target =
        if forward { (cursor + 1..rows.len()).find(is_section) } else { (0..cursor).rev().find(is_section) };
    target.map_or(Vec::new(), |row| select(model, row))
}

pub fn running(model: &mut Model, result: InboxResult<Vec<ThreadLine>>) -> Vec<Cmd> {
    if let Some(lines) = model.ok_or_fail(result) {
        let selected = model.running.selected().map(|line| line.id.clone());
        let position = lines.iter().position(|line| Some(&line.id) == selected.as_ref());
        model.running.cursor = position.unwrap_or(model.running.cursor.min(lines.len().saturating_sub(1)));
        let is_running =
            |thread: &ThreadId| lines.iter().any(|line| line.id == *thread && line.status == Status::Running);
        model.running_here.retain(|thread, _| is_running(thread));
        model.activity.usage.retain(|thread, _| lines.iter().any(|line| line.id == *thread));
        let (key, section) = (model.activity_key(), model.activity_section());
        model.running.rows = lines;
        model.running.read = true;
        model.keep_activity(key, section);
        if let Some(followed) = &mut model.inbox.following {
            let idle = !model.running.rows.iter().any(|line| line.id == followed.thread);
            // From now on a glance shows whether it asks something.
            if idle != std::mem::replace(&mut followed.idle, idle) {
                model.inbox.stale_glance = model.inbox.is_glancing;
                return tabs::reload(model);
            }
        }
        return model.selected_running().map(|line| Cmd::Usage(line.id.clone())).into_iter().collect();
    }
    Vec::new()
}

pub fn used(model: &mut Model, thread: ThreadId, result: InboxResult<UsageView>) -> Vec<Cmd> {
    if let Some(usage) = model.ok_or_fail(result) {
        model.activity.usage.insert(thread, usage);
    }
    Vec::new()
}

pub fn counted(model: &mut Model, result: InboxResult<Box<Activity>>) -> Vec<Cmd> {
    if let Some(activity) = model.ok_or_fail(result) {
        model.activity.figures = Some(activity);
    }
    Vec::new()
}

pub fn stored(model: &mut Model, result: InboxResult<Storage>) -> Vec<Cmd> {
    if let Some(storage) = model.ok_or_fail(result) {
        model.activity.storage = Some(storage);
    }
    Vec::new()
}

/// Asks from which age to prune. The menu changes nothing: the choice is previewed and asked about.
pub fn offer_prune(model: &mut Model) -> Vec<Cmd> {
    let row = |(days, words): (i64, &str)| (format!("no activity for {words}"), Choice::Prune(days));
    let rows = AGES.map(row).to_vec();
    model.push(Menu { cursor: 1, ..Menu::new("Prune finished threads with", rows) });
    Vec::new()
}

pub fn plan_prune(model: &mut Model, days: i64) -> Vec<Cmd> {
    let now = model.local_time();
    let Ok(before) = now.checked_sub(days.days()) else { return Vec::new() };
    let statuses = vec![Status::Done, Status::Abandoned];
    model.say("Counting what would be pruned …");
    vec![Cmd::PrunePlan(PruneQuery { before: before.timestamp(), statuses })]
}

/// Shows the preview; only `y` goes on.
pub fn planned(model: &mut Model, query: PruneQuery, result: InboxResult<Pruning>) -> Vec<Cmd> {
    let Some(plan) = model.ok_or_fail(result) else { return Vec::new() };
    if plan.threads == 0 && plan.mails == 0 {
        let needed: u64 = plan.kept.iter().map(|kept| kept.threads).sum();
        model.say(match needed {
            0 => "Nothing is that old".to_owned(),
            needed => format!("Nothing that old can be pruned: {needed} still needed"),
        });
        return Vec::new();
    }
    model.note = None;
    let line = |text: &str| Visible::line(text);
    let rows = plan.tables.iter().map(|table| {
        vec![line(&table.table), line(&table.rows.to_string()), line(&words::bytes(table.bytes))]
    });
    let mut blocks =
        vec![Block::Table { head: ["table", "rows", "about"].map(line).to_vec(), rows: rows.collect() }];
    if !plan.kept.is_empty() {
        blocks.push(Block::Heading(line("Kept")));
        let fields = plan.kept.iter().map(|kept| (line(&kept.threads.to_string()), line(&kept.why)));
        blocks.push(Block::Fields(fields.collect()));
    }
    let day = query.before.to_zoned(model.options.time_zone.clone()).strftime("%d %b %Y").to_string();
    let title = format!(
        "Delete {} and the contents of {}, untouched since {day}?",
        count_noun(usize::try_from(plan.threads).unwrap_or(usize::MAX), "thread"),
        count_noun(usize::try_from(plan.mails).unwrap_or(usize::MAX), "mail")
    );
    let why = format!(
        "About {}. It cannot be undone. {} leave a record: what was asked, decided and done stays, and no mail is \
         handled twice.",
        words::bytes(plan.bytes()),
        plan.records
    );
    let page = Doc::page("What is deleted", "", blocks);
    model.push(Confirm::new(title, why, page, OnConfirm::Prune(query)));
    Vec::new()
}

pub fn prune(model: &mut Model, query: PruneQuery) -> Vec<Cmd> {
    model.activity.pruning = true;
    model.say("Pruning …");
    vec![Cmd::Prune(query)]
}

pub fn pruned(model: &mut Model, result: InboxResult<Pruned>) -> Vec<Cmd> {
    model.activity.pruning = false;
    if let Some(done) = model.ok_or_fail(result) {
        let sizes =
            format!("the file was {} and is now {}", words::bytes(done.before), words::bytes(done.after));
        let leftover = done.left.first().map_or(String::new(), |left| format!("; left: {left}"));
        let threads = count_noun(usize::try_from(done.taken.threads).unwrap_or(usize::MAX), "thread");
        model.say(format!("{threads} pruned; {sizes}{leftover}"));
    }
    model.activity.storage = None;
    vec![Cmd::Storage]
}
