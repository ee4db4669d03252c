//! The inbox's menus: sorting, grouping and snoozing.

use crate::graph::InterruptId;
use crate::text::when;
use crate::tui::layers::{Choice, Menu};
use crate::tui::model::Model;
use crate::tui::msg::Cmd;
use crate::tui::tabs::inbox::{Group, Sort};
use jiff::civil::Weekday;
use jiff::{Timestamp, ToSpan};

pub fn offer_sorts(model: &mut Model) -> Vec<Cmd> {
    let (sort, group) = (model.inbox.list.sort, model.inbox.list.group);
    let mark = |is_current: bool| if is_current { "● " } else { "  " };
    let rows = [
        ("oldest first", Choice::Sort(Sort::Oldest), sort == Sort::Oldest),
        ("newest first", Choice::Sort(Sort::Newest), sort == Sort::Newest),
        ("most urgent first", Choice::Sort(Sort::Urgent), sort == Sort::Urgent),
        ("no groups", Choice::Group(Group::None), group == Group::None),
        ("group by sender", Choice::Group(Group::Sender), group == Group::Sender),
        ("group by kind", Choice::Group(Group::Kind), group == Group::Kind),
        ("group by workflow", Choice::Group(Group::Workflow), group == Group::Workflow),
    ];
    let rows = rows
        .into_iter()
        .map(|(text, choice, is_current)| (format!("{}{text}", mark(is_current)), choice))
        .collect();
    model.push(Menu::new("Sort and group", rows));
    Vec::new()
}

/// Saves the current order of the list.
pub fn keep_order(model: &mut Model) -> Vec<Cmd> {
    model.inbox.list.arrange(model.wall);
    vec![Cmd::KeepOrder(model.inbox.list.order_words())]
}

/// Folds the group of the selected row.
pub fn fold(model: &mut Model) -> Vec<Cmd> {
    if !model.inbox.list.fold(model.wall) {
        model.say("There are no groups to fold · s groups the list");
    }
    Vec::new()
}

pub fn unfold(model: &mut Model) -> Vec<Cmd> {
    if !model.inbox.list.unfold(model.wall) {
        model.say("No group is folded");
    }
    Vec::new()
}

pub fn offer_snooze(model: &mut Model) -> Vec<Cmd> {
    let now = model.local_time();
    let at_hour = |day: &jiff::Zoned, hour: i8| {
        day.with()
            .hour(hour)
            .minute(0)
            .second(0)
            .subsec_nanosecond(0)
            .build()
            .ok()
            .map(|zoned| zoned.timestamp())
    };
    let after = |span: jiff::Span| now.checked_add(span).ok();
    let times = [
        ("for an hour", after(1.hour()).map(|zoned| zoned.timestamp())),
        ("for four hours", after(4.hours()).map(|zoned| zoned.timestamp())),
        ("this evening", at_hour(&now, 18)),
        ("tomorrow", after(1.day()).and_then(|day| at_hour(&day, 9))),
        ("next Monday", now.nth_weekday(1, Weekday::Monday).ok().and_then(|day| at_hour(&day, 9))),
        ("for a week", after(1.week()).and_then(|day| at_hour(&day, 9))),
    ];
    let mut times: Vec<(&str, jiff::Timestamp)> = times
        .into_iter()
        .filter_map(|(text, until)| Some((text, until.filter(|until| *until > model.wall)?)))
        .collect();
    times.sort_by_key(|(_, until)| *until);
    times.dedup_by_key(|(_, until)| *until);
    let row = |(text, until): (&str, jiff::Timestamp)| {
        let shown = until.to_zoned(model.options.time_zone.clone()).strftime("%a %-d %b %H:%M");
        (format!("{text:<16} {shown}"), Choice::Snooze(Some(until)))
    };
    let mut rows: Vec<(String, Choice)> = times.into_iter().map(row).collect();
    if model.selected().is_some_and(|row| row.snoozed_until.is_some_and(|until| until > model.wall)) {
        rows.insert(0, ("wake it now".to_owned(), Choice::Snooze(None)));
    }
    rows.push(("another time …".to_owned(), Choice::SnoozeUntil));
    model.push(Menu::new("Snooze", rows));
    Vec::new()
}

/// Snoozes until a time as people write it.
pub fn snooze_until(model: &mut Model, text: &str) -> Vec<Cmd> {
    match when::parse_snooze(text, &model.local_time()) {
        Ok(until) => {
            model.layers.pop();
            snooze(model, until)
        }
        Err(why) => {
            model.refuse(&why);
            Vec::new()
        }
    }
}

/// Snoozes the marked items, or else the selected one, until then; without a time, wakes them.
pub fn snooze(model: &Model, until: Option<Timestamp>) -> Vec<Cmd> {
    let marked = model.inbox.list.marked();
    let rows = if marked.is_empty() { model.selected().into_iter().collect() } else { marked };
    let ids: Vec<InterruptId> = rows.iter().filter_map(|row| InterruptId::parse(&row.id).ok()).collect();
    if ids.is_empty() { Vec::new() } else { vec![Cmd::Snooze(ids, until)] }
}
