//! The page of the Activity tab: what waits, what was decided and spent, mailboxes, storage.

pub use crate::text::short_count as short;

use crate::graph::Kind;
use crate::inbox::{ASKING_WORKFLOW, Activity, ItemKind, SourceLine};
use crate::text::width;
use crate::tui::draw::Sheet;
use crate::tui::model::Model;
use crate::tui::words;
use jiff::Timestamp;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Bar, BarChart, BarGroup, Widget};

fn heading(model: &Model, sheet: &mut Sheet, text: &str) {
    sheet.gap();
    sheet.say(text, model.theme.title);
}

/// A bar for each day, the newest on the right, as many as fit.
fn chart(model: &Model, sheet: &mut Sheet, days: &[(Timestamp, u64)], height: u16, style: Style) {
    let room = sheet.width();
    if room < 8 || days.is_empty() {
        return;
    }
    let bar_columns = (room / days.len()).clamp(3, 7);
    let fits = (room / bar_columns).max(1);
    let shown = &days[days.len().saturating_sub(fits)..];
    let bars: Vec<Bar<'_>> = shown
        .iter()
        .map(|(day, count)| {
            let date = day.to_zoned(model.options.time_zone.clone()).strftime("%d").to_string();
            Bar::default().value(*count).label(Line::from(date)).text_value(short_in(*count, bar_columns - 1))
        })
        .collect();
    let group = BarGroup::default().bars(&bars);
    let (area, buf) = sheet.room(height);
    BarChart::default()
        .data(group)
        .bar_width(u16::try_from(bar_columns - 1).unwrap_or(2))
        .bar_gap(1)
        .bar_style(style)
        .value_style(style.add_modifier(ratatui::style::Modifier::REVERSED))
        .label_style(model.theme.quiet)
        .render(area, buf);
}

fn short_in(number: u64, columns: usize) -> String {
    let text = short(number);
    if number == 0 || width(&text) > columns { String::new() } else { text }
}

pub fn overview(model: &Model, sheet: &mut Sheet) {
    if let Some(overview) = &model.overview {
        heading(model, sheet, "Waiting for you");
        numbers(model, sheet, &overview.open);
        heading(model, sheet, "Threads");
        numbers(model, sheet, &overview.threads);
    }
    let (skipped, _) = model.inbox.skipped_lately;
    if skipped.mails > 0 {
        heading(model, sheet, "Mail in the last day");
        sheet.say(&format!("{skipped}; gk lists it"), model.theme.text);
    }
    if let Some(activity) = &model.activity.figures {
        decided(model, sheet, activity);
        spending(model, sheet, activity);
    }
    heading(model, sheet, "Mailboxes and servers");
    mailboxes(model, sheet, &model.sources);
    heading(model, sheet, "Storage");
    match &model.activity.storage {
        _ if model.activity.pruning => sheet.say("Pruning …", model.theme.quiet),
        Some(storage) => {
            let (file, free) = (words::bytes(storage.file), words::bytes(storage.free));
            let text =
                format!("The file takes {file} with its log, {free} of it unused. P prunes old threads.");
            sheet.wrap(&text, model.theme.text);
        }
        None => sheet.say("Looking …", model.theme.quiet),
    }
}

fn decided(model: &Model, sheet: &mut Sheet, activity: &Activity) {
    heading(model, sheet, "Decided by day");
    let today = activity.days.last().map_or(0, |day| day.decisions.by_people());
    let total: u64 = activity.days.iter().map(|day| day.decisions.by_people()).sum();
    let granted: u64 = activity.days.iter().map(|day| day.decisions.granted).sum();
    let days = activity.days.len();
    let text = format!("{today} today, {total} in {days} days; {granted} more by grants");
    sheet.wrap(&text, model.theme.text);
    let by_day: Vec<_> = activity.days.iter().map(|day| (day.day, day.decisions.by_people())).collect();
    chart(model, sheet, &by_day, 5, model.theme.good);
}

fn spending(model: &Model, sheet: &mut Sheet, activity: &Activity) {
    heading(model, sheet, "Models and cost");
    trouble(model, sheet, "model");
    let tokens: u64 = activity.days.iter().map(|day| day.tokens).sum();
    let calls: u64 = activity.days.iter().map(|day| day.calls).sum();
    let cost: f64 = activity.days.iter().map(|day| day.cost).sum();
    sheet.wrap(&figures(calls, activity.by_rules(), tokens, cost), model.theme.text);
    for line in &activity.models {
        let figures = format!(
            "{}: {} calls, {} failed · {} tokens read, {} written · {}",
            words::line(&line.model),
            short(line.calls),
            line.failed,
            short(line.input),
            short(line.output),
            price(line.cost)
        );
        sheet.wrap(&figures, model.theme.quiet);
    }
}

/// What the models did, and what the built-in rules did in place of one.
fn figures(calls: u64, by_rules: u64, tokens: u64, cost: f64) -> String {
    let rules = format!("{} answers of the built-in rules", short(by_rules));
    let models = calls.saturating_sub(by_rules);
    let usage = format!("{} model calls · {} tokens · {}", short(models), short(tokens), price(Some(cost)));
    match (models, by_rules) {
        (_, 0) => usage,
        (0, _) => rules,
        (_, _) => format!("{usage} · {rules}"),
    }
}

/// Words and their numbers, several to a line; zeros are dimmed.
fn numbers(model: &Model, sheet: &mut Sheet, all: &[(String, u64)]) {
    let mut pieces = Vec::new();
    for (word, count) in all {
        let style = if *count == 0 { model.theme.quiet } else { model.theme.text };
        // The no-break space makes it one word: a number stays with what it counts.
        pieces.push((format!("{count}\u{a0}{word} "), style));
        pieces.push(("  ".to_owned(), model.theme.quiet));
    }
    sheet.flow(&pieces);
}

fn price(cost: Option<f64>) -> String {
    match cost {
        None => "price not known".to_owned(),
        Some(0.0) => "$0".to_owned(),
        Some(cost) if cost < 0.1 => format!("${cost:.4}"),
        Some(cost) => format!("${cost:.2}"),
    }
}

/// Trouble in the inbox about this subject.
fn trouble(model: &Model, sheet: &mut Sheet, about: &str) {
    let rows = model.inbox.list.all().iter();
    for row in rows.filter(|row| row.workflow == ASKING_WORKFLOW && row.about() == about) {
        if row.kind == ItemKind::Interrupt(Kind::Trouble) {
            sheet.line(Line::from(vec![
                Span::styled("✗ ", model.theme.danger),
                Span::styled(row.title.clone(), model.theme.title),
            ]));
            sheet.wrap(&row.gist, model.theme.text);
            sheet.gap();
        }
    }
}

fn mailboxes(model: &Model, sheet: &mut Sheet, sources: &[SourceLine]) {
    trouble(model, sheet, "email");
    if sources.is_empty() {
        sheet.wrap("No mailbox is set up. Add one as [[mail]] in the config.", model.theme.quiet);
        return;
    }
    sources.iter().for_each(|line| source(model, sheet, line));
    sheet.say("$ checks all of them now.", model.theme.quiet);
}

fn source(model: &Model, sheet: &mut Sheet, line: &SourceLine) {
    let (sign, style, status) = match (&line.error, line.ok_at) {
        (Some(error), Some(at)) => {
            let status = format!("fails: {error}; it last worked {}", words::ago(at, model.wall));
            ("✗", model.theme.danger, status)
        }
        (Some(error), None) => ("✗", model.theme.danger, format!("fails: {error}")),
        (None, Some(at)) => ("●", model.theme.good, format!("checked {}", words::ago(at, model.wall))),
        (None, None) => ("○", model.theme.quiet, "not checked yet".to_owned()),
    };
    sheet.line(Line::from(vec![
        Span::styled(format!("{sign} "), style),
        Span::styled(words::line(&line.source), model.theme.title),
    ]));
    sheet.wrap(&words::line(&status), model.theme.text);
}
