//! The pages of the Activity tab: charts, and the figures behind them.

pub use crate::text::short_count as short;

use crate::graph::Kind;
use crate::inbox::{
    ASKING_WORKFLOW, Activity, DayLine, Decisions, ErrorLine, ItemKind, Latency, SourceLine, Storage,
};
use crate::text::{bytes, pad, short_line, width};
use crate::tui::draw::Sheet;
use crate::tui::model::Model;
use crate::tui::words;
use jiff::Timestamp;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Bar, BarChart, BarGroup, Sparkline, Widget};

/// The parts of a bar of decisions, each with its own sign: colours alone do not carry meaning.
const DECISION_PARTS: [(&str, &str); 4] =
    [("█", "untouched"), ("▓", "edited"), ("▒", "answered"), ("░", "ignored")];

fn styles(model: &Model) -> [Style; 4] {
    [model.theme.good, model.theme.accent, model.theme.keyword, model.theme.quiet]
}

fn counts(decisions: &Decisions) -> [u64; 4] {
    [decisions.untouched, decisions.edited, decisions.responded, decisions.ignored]
}

fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1000, ms / 100 % 10),
        _ => format!("{} min", ms / 60_000),
    }
}

fn heading(model: &Model, sheet: &mut Sheet, text: &str) {
    sheet.gap();
    sheet.say(text, model.theme.title);
}

/// A bar of up to `columns` columns that shows `part` of `total`; a part above zero takes at least one column.
fn bar(part: u64, total: u64, columns: usize, sign: &str) -> String {
    if part == 0 || total == 0 {
        return String::new();
    }
    let length = usize::try_from(part.saturating_mul(columns as u64) / total)
        .unwrap_or(columns)
        .clamp(1, columns.max(1));
    sign.repeat(length)
}

/// A bar for each day, the newest on the right, as many as fit.
pub fn days(model: &Model, sheet: &mut Sheet, days: &[(Timestamp, u64)], height: u16, style: Style) {
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
    let Some(activity) = &model.activity.figures else { return };
    heading(model, sheet, "Decided by day");
    let by_day: Vec<_> = activity.days.iter().map(|day| (day.day, day.decisions.by_people())).collect();
    days(model, sheet, &by_day, 7, model.theme.good);
    let tokens: u64 = activity.days.iter().map(|day| day.tokens).sum();
    let calls: u64 = activity.days.iter().map(|day| day.calls).sum();
    let cost: f64 = activity.days.iter().map(|day| day.cost).sum();
    sheet.gap();
    sheet.say(&figures(calls, activity.by_rules(), tokens, cost), model.theme.text);
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

pub fn decisions(model: &Model, sheet: &mut Sheet, activity: &Activity) {
    let total: u64 = activity.days.iter().map(|day| day.decisions.by_people()).sum();
    let granted: u64 = activity.days.iter().map(|day| day.decisions.granted).sum();
    if total + granted == 0 {
        sheet.wrap(
            &format!("Nothing was decided in the last {} days.", activity.days.len()),
            model.theme.quiet,
        );
        return;
    }
    sheet.say(&format!("{total} by you, {granted} by grants"), model.theme.quiet);
    heading(model, sheet, "By day");
    let by_day: Vec<_> = activity.days.iter().map(|day| (day.day, day.decisions.by_people())).collect();
    days(model, sheet, &by_day, 9, model.theme.good);
    heading(model, sheet, "By tool");
    let styles = styles(model);
    let legend = DECISION_PARTS.iter().zip(styles).flat_map(|((sign, word), style)| {
        [Span::styled(*sign, style), Span::styled(format!(" {word}   "), model.theme.quiet)]
    });
    sheet.line(Line::from(legend.collect::<Vec<_>>()));
    let name_width =
        activity.tools.iter().map(|line| width(&words::line(&line.tool))).max().unwrap_or(0).clamp(8, 24);
    let max = activity.tools.iter().map(|line| line.decisions.by_people()).max().unwrap_or(0);
    let columns = sheet.width().saturating_sub(name_width + 22).clamp(4, 48);
    for line in &activity.tools {
        let parts = counts(&line.decisions);
        let mut spans =
            vec![Span::styled(format!("{} ", pad(&words::line(&line.tool), name_width)), model.theme.text)];
        for ((part, (sign, _)), style) in parts.iter().zip(DECISION_PARTS).zip(styles) {
            spans.push(Span::styled(bar(*part, max, columns, sign), style));
        }
        let part_counts: Vec<String> = parts.iter().map(u64::to_string).collect();
        spans.push(Span::styled(format!(" {}", part_counts.join("·")), model.theme.quiet));
        if line.decisions.granted > 0 {
            spans.push(Span::styled(format!(" +{} granted", line.decisions.granted), model.theme.warning));
        }
        sheet.line(Line::from(spans));
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

pub fn models(model: &Model, sheet: &mut Sheet, activity: &Activity) {
    trouble(model, sheet, "model");
    if activity.models.is_empty() {
        sheet.wrap(
            &format!("No model was called in the last {} days.", activity.days.len()),
            model.theme.quiet,
        );
        return;
    }
    // The built-in model counts no tokens.
    let has_tokens = activity.days.iter().any(|day| day.tokens > 0);
    heading(model, sheet, if has_tokens { "Tokens by day, all models" } else { "Calls by day, all models" });
    let value = |day: &DayLine| if has_tokens { day.tokens } else { day.calls };
    let by_day: Vec<_> = activity.days.iter().map(|day| (day.day, value(day))).collect();
    days(model, sheet, &by_day, 8, model.theme.accent);
    for line in &activity.models {
        heading(model, sheet, &words::line(&line.model));
        let figures = format!(
            "{} calls, {} failed · {} tokens read, {} written · {}",
            short(line.calls),
            line.failed,
            short(line.input),
            short(line.output),
            price(line.cost)
        );
        sheet.wrap(&figures, model.theme.quiet);
        if line.tokens_by_day.iter().any(|tokens| *tokens > 0) {
            spark(model, sheet, "tokens", &line.tokens_by_day);
        }
        // Prices are fractions; only their proportions are drawn.
        let millionths: Vec<u64> = line.cost_by_day.iter().map(|cost| (cost * 1_000_000.0) as u64).collect();
        if millionths.iter().any(|millionths| *millionths > 0) {
            spark(model, sheet, "cost", &millionths);
        }
    }
}

fn spark(model: &Model, sheet: &mut Sheet, name: &str, days: &[u64]) {
    let label = 8.min(sheet.width());
    let (mut area, buf) = sheet.room(2);
    buf.set_stringn(area.x, area.bottom().saturating_sub(1), name, label, model.theme.quiet);
    let label = u16::try_from(label).unwrap_or(0);
    area.x += label;
    area.width = area.width.saturating_sub(label).min(u16::try_from(days.len() * 2).unwrap_or(u16::MAX));
    // Two columns per day.
    let doubled: Vec<u64> = days.iter().flat_map(|day| [*day, *day]).collect();
    let from = doubled.len().saturating_sub(usize::from(area.width));
    Sparkline::default().data(&doubled[from..]).style(model.theme.accent).render(area, buf);
}

pub fn times(model: &Model, sheet: &mut Sheet, activity: &Activity) {
    sheet.say("median · 90th percentile · 99th percentile", model.theme.quiet);
    let table = |sheet: &mut Sheet, title: &str, rows: Vec<(String, u64, Latency)>| {
        if rows.is_empty() {
            return;
        }
        heading(model, sheet, title);
        let name_width = rows.iter().map(|(name, ..)| width(name)).max().unwrap_or(0).clamp(8, 32);
        let max = rows.iter().map(|(_, _, latency)| latency.p99).max().unwrap_or(0);
        let columns = sheet.width().saturating_sub(name_width + 40).min(30);
        for (name, count, latency) in rows {
            let times = [latency.p50, latency.p90, latency.p99].map(|ms| format!("{:>8}", duration(ms)));
            let (fast, slow) = (bar(latency.p50, max, columns, "━"), bar(latency.p99, max, columns, "─"));
            let rest: String = slow.chars().skip(fast.chars().count()).collect();
            sheet.line(Line::from(vec![
                Span::styled(pad(&name, name_width), model.theme.text),
                Span::styled(times.concat(), model.theme.text),
                Span::styled(format!("{:>9}  ", format!("{count}×")), model.theme.quiet),
                Span::styled(fast, model.theme.accent),
                Span::styled(rest, model.theme.quiet),
            ]));
        }
    };
    let models = activity.models.iter().map(|line| (words::line(&line.model), line.calls, line.latency));
    table(sheet, "Models", models.collect());
    let nodes = activity
        .nodes
        .iter()
        .map(|line| (words::line(&format!("{}.{}", line.workflow, line.node)), line.runs, line.latency));
    table(sheet, "Nodes, in the newest steps", nodes.collect());
    if activity.models.is_empty() && activity.nodes.is_empty() {
        sheet.gap();
        sheet.say("Nothing has run yet.", model.theme.quiet);
    }
}

pub fn errors(model: &Model, sheet: &mut Sheet, errors: &[ErrorLine]) {
    if errors.is_empty() {
        sheet.say("Nothing went wrong lately.", model.theme.quiet);
        return;
    }
    let max = errors.first().map_or(0, |line| line.count);
    for line in errors {
        let head = format!("{}.{}", line.workflow, line.node);
        sheet.line(Line::from(vec![
            Span::styled(format!("{:>5} ", short(line.count)), model.theme.warning),
            Span::styled(bar(line.count, max, 12, "▇"), model.theme.danger),
            Span::styled(format!(" {}", words::line(&head)), model.theme.title),
            Span::styled(format!("  last {}", words::ago(line.last, model.wall)), model.theme.quiet),
        ]));
        let room = sheet.width().saturating_sub(6);
        sheet.say(&format!("      {}", short_line(&line.text, room)), model.theme.text);
    }
}

pub fn mailboxes(model: &Model, sheet: &mut Sheet, sources: &[SourceLine]) {
    trouble(model, sheet, "email");
    if sources.is_empty() {
        sheet.wrap("No mailbox is set up. Add one as [[mail]] in the config.", model.theme.quiet);
        return;
    }
    let (servers, mailboxes): (Vec<_>, Vec<_>) = sources.iter().partition(|line| line.is_server());
    source_lines(model, sheet, &mailboxes);
    if !servers.is_empty() {
        heading(model, sheet, "Servers");
        source_lines(model, sheet, &servers);
    }
    sheet.say("$ checks all of them now.", model.theme.quiet);
}

fn source_lines(model: &Model, sheet: &mut Sheet, sources: &[&SourceLine]) {
    for line in sources {
        let (sign, style, status) = match (&line.error, line.ok_at) {
            (Some(error), _) => ("✗", model.theme.danger, format!("fails: {error}")),
            (None, Some(at)) => ("●", model.theme.good, format!("checked {}", words::ago(at, model.wall))),
            (None, None) => ("○", model.theme.quiet, "not checked yet".to_owned()),
        };
        sheet.line(Line::from(vec![
            Span::styled(format!("{sign} "), style),
            Span::styled(words::line(&line.source), model.theme.title),
        ]));
        let status = words::line(&status);
        sheet.wrap(&status, model.theme.text);
        if let (Some(_), Some(at)) = (&line.error, line.ok_at) {
            sheet.say(&format!("it last worked {}", words::ago(at, model.wall)), model.theme.quiet);
        }
        sheet.gap();
    }
}

pub fn storage(model: &Model, sheet: &mut Sheet, storage: &Storage) {
    let free =
        if storage.free > 0 { format!(", {} of it unused", bytes(storage.free)) } else { String::new() };
    sheet.say(&format!("The file takes up {} with its log{free}.", bytes(storage.file)), model.theme.text);
    sheet.say("P prunes old threads, after a preview.", model.theme.quiet);
    sheet.gap();
    let max = storage.tables.first().map_or(0, |table| table.bytes);
    let name_width = storage.tables.iter().map(|table| width(&table.table)).max().unwrap_or(0).max(6);
    let columns = sheet.width().saturating_sub(name_width + 26).min(40);
    for table in storage.tables.iter().filter(|table| table.rows > 0) {
        sheet.line(Line::from(vec![
            Span::styled(format!("{} ", pad(&table.table, name_width)), model.theme.text),
            Span::styled(format!("{:>9} ", bytes(table.bytes)), model.theme.text),
            Span::styled(format!("{:>12}  ", format!("{} rows", short(table.rows))), model.theme.quiet),
            Span::styled(bar(table.bytes, max, columns, "▇"), model.theme.accent),
        ]));
    }
}
