//! The inbox's menus: sorting, grouping and snoozing.

use super::send;
use crate::engine::graph::InterruptId;
use crate::inbox::door::Inbox;
use crate::inbox::{Group, ItemKind, ItemLine, Order, Sort};
use crate::text::when;
use crate::tui::layers::{Choice, Menu, Prompt};
use crate::tui::model::Model;
use jiff::civil::Weekday;
use jiff::{Timestamp, ToSpan};

pub fn offer_sorts(model: &mut Model) {
    let Order { sort, group } = model.inbox.list.order;
    let mark = |is_current: bool| if is_current { "● " } else { "  " };
    let sorts = [("oldest first", Sort::Oldest), ("newest first", Sort::Newest)];
    let groups = [
        ("group by urgency", Group::Urgency),
        ("group by sender", Group::Sender),
        ("group by workflow", Group::Workflow),
        ("no groups", Group::None),
    ];
    let sorts = sorts.map(|(text, by)| {
        Choice::new(format!("{}{text}", mark(sort == by)), move |model| {
            model.inbox.list.order.sort = by;
            keep_order(model);
        })
    });
    let groups = groups.map(|(text, by)| {
        Choice::new(format!("{}{text}", mark(group == by)), move |model| {
            model.inbox.list.order.group = by;
            keep_order(model);
        })
    });
    model.push(Menu::new("Sort and group", sorts.into_iter().chain(groups).collect()));
}

/// Saves the current order. If that fails, the list keeps it until the screen closes.
fn keep_order(model: &mut Model) {
    model.inbox.list.arrange(model.wall);
    let order = model.inbox.list.order;
    model.read(async move |inbox: Inbox| inbox.decisions().keep_order(order).await, |_, ()| {});
}

pub fn offer_snooze(model: &mut Model) {
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
        Choice::new(format!("{text:<16} {shown}"), move |model| snooze(model, Some(until)))
    };
    let mut rows: Vec<Choice> = times.into_iter().map(row).collect();
    if to_snooze(model).any(|row| row.snoozed_until.is_some_and(|until| until > model.wall)) {
        rows.insert(0, Choice::new("wake it now", |model| snooze(model, None)));
    }
    rows.push(Choice::new("another time …", ask_until));
    model.push(Menu::new("Snooze", rows));
}

/// Asks until when to snooze, as people write it.
fn ask_until(model: &mut Model) {
    let what = ("until ", "2h, fri 9:00, tomorrow 18:00, 2026-11-20", "snooze it");
    model.push(Prompt::new(what, "", |model, prompt| {
        let until = when::parse_snooze(prompt.text(), &model.local_time())?;
        snooze(model, until);
        Ok(())
    }));
}

/// What can be snoozed of the marked items, or else of the selected one.
pub fn to_snooze(model: &Model) -> impl Iterator<Item = &ItemLine> {
    let is_open = |row: &&ItemLine| row.kind != ItemKind::Result && !row.is_decided();
    model.chosen().into_iter().filter(is_open)
}

/// Snoozes until then; without a time, wakes.
fn snooze(model: &mut Model, until: Option<Timestamp>) {
    let ids: Vec<InterruptId> = to_snooze(model).filter_map(|row| InterruptId::parse(&row.id).ok()).collect();
    if !ids.is_empty() {
        send::snooze(model, ids, until);
    }
}
