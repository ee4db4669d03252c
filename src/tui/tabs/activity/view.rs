//! Draws the Activity tab.

use crate::inbox::door::{ActivityPage, name_words};
use crate::inbox::{Block, GrantLine, Status, ThreadLine};
use crate::text::{Visible, count_noun, pad, short_count};
use crate::tui::card::Doc;
use crate::tui::draw;
use crate::tui::layout::Areas;
use crate::tui::model::{ActivityRow, Model, Section};
use crate::tui::tabs::page;
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let list = &model.activity.list;
    for (y, (n, row)) in (areas.list.y..areas.list.bottom()).zip(list.rows.iter().enumerate().skip(list.top))
    {
        let (indent, row) = match row {
            ActivityRow::Section(section) => (0, Some(section_row(model, *section))),
            ActivityRow::Thread(at) => (2, model.running.get(*at).map(|thread| running_row(model, thread))),
            ActivityRow::Grant(at) => (2, model.grants.get(*at).map(|grant| grant_row(model, grant))),
        };
        let Some(row) = row else { continue };
        let line = Rect { y, height: 1, ..areas.list };
        rows::draw_one(model, row, indent, n == list.cursor, line, buf);
    }
    let shown = list.top..list.top + usize::from(areas.list.height);
    draw::more(&model.theme, shown, list.rows.len(), areas.list, buf);
    if areas.card.is_empty() {
        return;
    }
    if let Some(line) = model.selected_running() {
        return draw_stream(model, line, areas, buf);
    }
    page::draw(model, &selected_page(model), model.activity.page_top, areas, buf);
}

fn section_row(model: &Model, section: Section) -> PlainRow {
    PlainRow {
        lead: section.title().to_owned(),
        style: model.theme.title,
        text: String::new(),
        note: None,
        end: section_figure(model, section),
    }
}

/// A section's figure, in a word.
fn section_figure(model: &Model, section: Section) -> String {
    match section {
        Section::Overview => String::new(),
        Section::Running if model.running.is_empty() => "nothing".to_owned(),
        Section::Running => model.running.len().to_string(),
        Section::Allowed => model.grants.iter().filter(|grant| grant.in_force).count().to_string(),
    }
}

/// The page next to the list: the selected grant, or the section of the selected row.
pub fn selected_page(model: &Model) -> Doc {
    if let Some(grant) = model.selected_grant() {
        return grant_page(model, grant);
    }
    let Some(section) = model.activity_section() else { return Doc::default() };
    let blocks = match section {
        Section::Overview => overview(model),
        Section::Running => {
            let text = match model.running.len() {
                0 => {
                    "Nothing is running. <new_thread> starts a thread · <threads> shows past ones".to_owned()
                }
                some => format!("{}. <stop> stops the one selected in the list.", count_noun(some, "thread")),
            };
            vec![Block::text(&model.spell(&text))]
        }
        Section::Allowed => {
            let text = "Everything in the list below runs without asking. <stop> revokes the selected one at once; a \
                        call with a warning always asks. <accept_and_grant> on a card allows more of the same.";
            vec![Block::text(&model.spell(text))]
        }
    };
    Doc::page(section.title(), "", blocks)
}

fn overview(model: &Model) -> Vec<Block> {
    let page = ActivityPage {
        overview: model.overview.as_ref(),
        skipped: model.inbox.skipped_lately,
        activity: model.activity.figures.as_ref(),
        grants: &[],
        sources: &model.sources,
        storage: model.activity.storage.as_ref(),
        now: &model.local_time(),
    };
    page.blocks()
}

/// Shows the end of streamed text, because people want to see the newest part.
fn draw_stream(model: &Model, line: &ThreadLine, areas: &Areas, buf: &mut Buffer) {
    let (width, height) = (usize::from(areas.card.width), usize::from(areas.card.height));
    let doc = stream(model, line);
    let end = doc.end(width, height);
    draw::lines(buf, areas.card, doc.lines(end, width, height, &model.theme));
}

fn running_row(model: &Model, line: &ThreadLine) -> PlainRow {
    let node = model.running_here.get(&line.id).map_or("", |running| running.node.as_str());
    let sign = if line.status == Status::Running { draw::spinner(model.spinner_frame) } else { "·" };
    PlainRow {
        lead: sign.to_owned(),
        style: model.theme.good,
        text: format!("{} · {} {node}", words::line(&line.title), line.workflow),
        note: None,
        end: words::age(line.updated_at, model.wall),
    }
}

fn grant_row(model: &Model, grant: &GrantLine) -> PlainRow {
    let (lead, style) =
        if grant.in_force { ("allowed", model.theme.warning) } else { ("off", model.theme.quiet) };
    PlainRow {
        lead: pad(lead, 7),
        style,
        text: format!("{} · {}", name_words(&grant.tool), words::line(&grant.scope)),
        note: None,
        end: grant.until(&model.options.time_zone).map(|end| format!("until {end}")).unwrap_or_default(),
    }
}

fn grant_page(model: &Model, grant: &GrantLine) -> Doc {
    let line = |text: &str| Visible::line(text);
    let status = if grant.in_force { "runs without asking" } else { "off: it asks first" };
    let mut fields = vec![(line("now"), line(status)), (line("for"), line(&grant.scope))];
    if let Some(end) = grant.until(&model.options.time_zone) {
        fields.push((line("until"), line(&end)));
    }
    if grant.used > 0 {
        fields.push((line("used"), line(&count_noun(usize::try_from(grant.used).unwrap_or(0), "time"))));
    }
    if !grant.builtin {
        fields.push((line("given by"), line(&grant.origin)));
    }
    if let Some(at) = grant.created_at {
        let at = at.to_zoned(model.options.time_zone.clone());
        fields.push((line("given at"), line(&at.strftime("%a %d %b, %H:%M").to_string())));
    }
    let is_policy = grant.id.starts_with(crate::inbox::POLICY_GRANT);
    let how = match (is_policy, grant.in_force) {
        (true, _) => "The config allows it; remove it from [policy] there.",
        (false, true) => "<stop> revokes it at once. A call with a warning always asks.",
        (false, false) => "<stop> switches it on again.",
    };
    let blocks = vec![Block::Fields(fields), Block::Text(Visible::new(&model.spell(how)))];
    Doc::page(&format!("Allowed: {}", name_words(&grant.tool)), "", blocks)
}

fn stream(model: &Model, line: &ThreadLine) -> Doc {
    let mut blocks = Vec::new();
    let meta = format!(
        "{} · {} · {} · {}",
        line.workflow,
        line.status,
        line.id,
        count_noun(line.steps as usize, "step")
    );
    let visible = |text: &str| Visible::line(text);
    let mut fields = Vec::new();
    let running = model.running_here.get(&line.id);
    if let Some(running) = running {
        let since = running.since.map(|since| model.now.saturating_duration_since(since).as_secs());
        let since = since.map_or(String::new(), |seconds| format!(", for {seconds} s"));
        fields.push((visible("node"), visible(&format!("{}{since}", running.node))));
        if let Some((what, done, total)) = &running.bar {
            fields.push((visible(what), visible(&progress(*done, *total))));
        }
    }
    if let Some(usage) = model.activity.usage.get(&line.id) {
        let cost =
            usage.cost.filter(|cost| *cost > 0.0).map_or(String::new(), |cost| format!(", ${cost:.4}"));
        let (read, wrote) = (short_count(usage.input_tokens), short_count(usage.output_tokens));
        let calls = count_noun(usize::try_from(usage.calls).unwrap_or(usize::MAX), "call");
        fields.push((
            visible("so far"),
            visible(&format!("{calls}, {read} tokens read, {wrote} written{cost}")),
        ));
    }
    if !fields.is_empty() {
        blocks.push(Block::Fields(fields));
    }
    blocks.push(Block::Text(match running {
        Some(running) => Visible::new(&running.text),
        None => Visible::new("Another process is running it, or it is waiting its turn."),
    }));
    Doc::page(&line.title, &meta, blocks)
}

/// `████░░░░ 4 of 8`.
fn progress(done: u64, total: u64) -> String {
    let full = usize::try_from(done.min(total) * 20 / total.max(1)).unwrap_or(0);
    format!("{}{} {done} of {total}", "█".repeat(full), "░".repeat(20 - full.min(20)))
}
