//! Draws the inbox's list and the card of the selected item.

use super::{follow, lately, send};
use crate::engine::graph::{Grade, Kind, ThreadId};
use crate::inbox::{ItemKind, ItemLine, ItemStatus, Status};
use crate::text::{count_noun, truncate, wrap};
use crate::tui::layers::Form;
use crate::tui::layout::{self, Areas, Entry};
use crate::tui::model::{DecisionKind, Filter, Followed, Heading, Model, PastEnd, Seen};
use crate::tui::tabs::{page, rows};
use crate::tui::{draw, signs, words};
use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::Line;
use std::any::Any;
use std::collections::BTreeMap;

/// Draws list and card.
pub fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
    draw_list(model, areas.list, buf);
    lately::draw(model, areas.lately, buf);
    let (card, end) = draw_card(model, areas, buf);
    Seen { card, end, layer: None }
}

fn draw_list(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let (whole, area) = (area, layout::item_rows(model, area));
    if model.inbox.list.is_empty() {
        draw_empty(model, area, buf);
        return draw_past_end(
            model,
            Rect { y: area.bottom(), height: whole.height - area.height, ..whole },
            buf,
        );
    }
    let entries = layout::entries(&model.inbox.list, area);
    let shown = layout::shown_rows(&model.inbox.list, &entries, area);
    let end = whole.y + layout::end_of(&entries);
    draw_past_end(model, Rect { y: end, height: 1.min(whole.bottom().saturating_sub(end)), ..whole }, buf);
    for (y, height, entry) in entries {
        let entry_area = Rect { y: area.y + y, height, ..area };
        match entry {
            Entry::Group(position) => {
                if let Some(heading) = model.inbox.list.heading_at(position) {
                    draw_heading(model, heading, entry_area, buf);
                }
            }
            Entry::Row(position) => {
                if let Some(row) = model.inbox.list.row(position) {
                    draw_row(model, row, layout::row_height(area), entry_area, buf);
                }
            }
        }
    }
    draw::more(&model.theme, shown, model.inbox.list.len(), area, buf);
}

/// Draws the line after the items, which is none of them.
fn draw_past_end(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(line) = model.past_end().filter(|_| !area.is_empty()) else { return };
    let text = match line {
        PastEnd::Skipped(mails) => {
            let how = model.spell("<open> or <show_skipped> opens");
            format!("{} skipped in the last day · {how}", count_noun(mails, "mail"))
        }
        PastEnd::Elsewhere(threads, may_be_more) => {
            let (plus, how) = (if may_be_more { "+" } else { "" }, model.spell("<open> opens"));
            format!("{threads}{plus} more put away, sent or done · {how}")
        }
    };
    let (theme, selected) = (&model.theme, model.inbox.list.is_past_end());
    let x = draw::text(buf, area, area.x, area.y, if selected { "▌ " } else { "  " }, theme.accent);
    draw::text(buf, area, x, area.y, &text, theme.quiet);
    if selected {
        buf.set_style(area, theme.selected);
    }
}

/// Draws a group's name and how many rows it has.
fn draw_heading(model: &Model, heading: &Heading, area: Rect, buf: &mut Buffer) {
    let name = format!("{} {}", words::line(words::name(&heading.name)), heading.count);
    draw::heading(&model.theme, &name, area, buf);
}

/// A shorter piece of the second line's text would say nothing beside the first.
const MIN_GIST_WIDTH: u16 = 16;

/// Whom it comes from. A program chose its name itself; only the sign of a command tells it from a person's.
fn sender(row: &ItemLine) -> String {
    let is_command = row.kind == ItemKind::Question(Kind::Approval);
    let name = row.who();
    words::line(name.strip_prefix("request: ").filter(|_| is_command).unwrap_or(words::name(name)))
}

/// Draws an item that takes this many lines; at the end of the list there may be room for fewer.
fn draw_row(model: &Model, row: &ItemLine, lines: u16, area: Rect, buf: &mut Buffer) {
    let (theme, list) = (&model.theme, &model.inbox.list);
    let selected = list.selected().is_some_and(|other| other.id == row.id);
    let lead = match (list.is_marked(&row.id), selected) {
        (true, _) => "✓",
        (false, true) => "▌",
        (false, false) => " ",
    };
    let x = draw::text(buf, area, area.x, area.y, lead, theme.accent);
    let is_alarm = signs::is_alarming(row);
    let style = match row.grade {
        Some(grade) if is_alarm && row.kind != ItemKind::Question(Kind::Trouble) => theme.grade(grade),
        _ => theme.kind(row.kind),
    };
    let sign = model.options.glyphs.of_item(row);
    let x = draw::text(buf, area, x, area.y, sign, style) + 1;

    let is_narrow = area.width < layout::NARROW / 2;
    let mut room = Rect { height: 1, ..area };
    if !is_narrow {
        let left = row.gives_up_at.filter(|_| row.is_waited_for(model.wall));
        let (time, style) = match left {
            Some(until) => (words::clock(model.wall, until), theme.warning),
            None => (words::age(row.dated, model.wall), theme.quiet),
        };
        room.width = draw::right(buf, area, area.y, &format!(" {time:>3} "), style).saturating_sub(area.x);
    }
    let flags = flags(model, row, is_alarm);
    if !flags.is_empty() {
        let style = row.grade.map_or(theme.quiet, |grade| theme.grade(grade));
        room.width = draw::right(buf, room, area.y, &format!(" {flags}"), style).saturating_sub(area.x);
    }

    let subject = words::line(&row.title);
    let subject = subject.strip_prefix("$ ").filter(|_| sign == "$").unwrap_or(&subject);
    let style = if list.is_unseen(row) { theme.bright } else { theme.text };
    let end = if is_narrow {
        draw::text(buf, room, x, area.y, subject, style)
    } else {
        let name = truncate(&sender(row), usize::from(room.width * 2 / 5)).into_owned();
        let end = draw::text(buf, room, x, area.y, &name, style.add_modifier(Modifier::BOLD));
        draw::text(buf, room, end + 2, area.y, subject, style)
    };
    // Why it is listed: the words around the match.
    let gist = words::line(list.snippet(&row.thread).unwrap_or(&row.gist));
    if lines > 1 {
        draw::text(buf, area, area.x, area.y + 1, if selected { "▌" } else { " " }, theme.accent);
        draw::text(buf, area, x, area.y + 1, &gist, theme.quiet);
    } else if !is_narrow && end + MIN_GIST_WIDTH < room.right() {
        draw::text(buf, room, end + 2, area.y, &gist, theme.quiet);
    }
    if selected {
        rows::mark_selected(model, area, buf);
    }
}

fn gives_up(at: Timestamp, now: Timestamp) -> String {
    format!("gives up in {}", words::clock(now, at))
}

/// Draws below the card that somebody waits for it: for how long already, and when they give up.
fn draw_waiting(model: &Model, area: Rect, buf: &mut Buffer) {
    let Some(row) = model.selected().filter(|row| row.is_waited_for(model.wall)) else { return };
    let waited = format!("has waited {}", words::clock(row.created_at, model.wall));
    let text = match row.gives_up_at {
        Some(until) => format!("{waited} · {}", gives_up(until, model.wall)),
        None => waited,
    };
    draw::text(buf, area, area.x, area.y, &text, model.theme.accent);
}

/// What users should know about a row at once: a danger, or a warning that its sign does not show, new mail, unsent text, held,
/// snoozed.
fn flags(model: &Model, row: &ItemLine, is_alarm: bool) -> String {
    let mut flags = String::new();
    if model.deciding.contains(&row.id) {
        flags.push('…');
    }
    let grade = row.grade.filter(|grade| !is_alarm || *grade == Grade::Danger);
    flags.push_str(grade.map_or("", Grade::mark));
    if row.new_mail {
        flags.push('+');
    }
    if send::draft_keys(&row.id).iter().any(|key| model.drafts.contains_key(key)) {
        flags.push('✎');
    }
    match row.status {
        ItemStatus::Held { .. } => flags.push_str("held"),
        ItemStatus::Decided => flags.push_str("decided"),
        ItemStatus::Snoozed => {
            let until = row.snoozed_until.map(|until| until.to_zoned(model.options.time_zone.clone()));
            flags.push_str(&until.map_or("z".to_owned(), |until| until.strftime("z %a %H:%M").to_string()));
        }
        ItemStatus::Open | ItemStatus::Result => {}
    }
    flags
}

/// Draws what an empty list says: that it is empty, and what to do next.
fn draw_empty(model: &Model, area: Rect, buf: &mut Buffer) {
    let going_on = going_on(model);
    let (what, next) = if !model.inbox.list.complete {
        ("Looking …", "")
    } else if !model.inbox.list.narrow.is_empty() {
        ("Nothing here matches that.", "<clear> shows everything again.")
    } else {
        match model.inbox.list.filter {
            Filter::All if nothing_ever_came(model) => (
                "Nothing has come here yet.",
                "`sayso init` brings your mail · `sayso connect` your coding agents · `sayso demo` shows an \
                 example · <new_thread> starts a thread · <help> shows all keys",
            ),
            Filter::All if !going_on.is_empty() => ("Nothing waits for you yet.", going_on.as_str()),
            Filter::All => {
                ("Inbox zero. Nothing waits for you.", "<new_thread> starts a thread · <help> shows all keys")
            }
            Filter::Kind(ItemKind::Question(Kind::Approval)) => {
                ("No approvals are waiting.", "<show_all> shows everything.")
            }
            Filter::Kind(ItemKind::Question(Kind::Triage)) => {
                ("Nothing to triage.", "<show_all> shows everything.")
            }
            Filter::Kind(ItemKind::Question(Kind::Question)) => {
                ("No agent has a question.", "<show_all> shows everything.")
            }
            Filter::Kind(ItemKind::Question(Kind::Trouble)) => {
                ("No trouble.", "<show_all> shows everything.")
            }
            Filter::Kind(ItemKind::Result) => ("No results to read.", "<show_all> shows everything."),
            Filter::Snoozed => {
                ("Nothing is snoozed.", "<snooze> on an item puts it out of sight for a while.")
            }
            Filter::Held => {
                ("Nothing is held.", "What you accept is held for a moment, and <undo> takes it back.")
            }
            // These lists have no items, and are drawn elsewhere.
            Filter::Skipped | Filter::Decided => return,
        }
    };
    draw::message(&model.theme, area, buf, what, &model.spell(next));
}

/// What threads are doing that may still ask something; empty if none does anything.
fn going_on(model: &Model) -> String {
    let count = |status: Status| model.overview.as_ref().map_or(0, |overview| overview.threads_in(status));
    let (ready, running) = (count(Status::Ready), count(Status::Running));
    let threads = |count: u64, verb: &str, verbs: &str| {
        format!("{} {}", count_noun(count, "thread"), if count == 1 { verb } else { verbs })
    };
    let mut going_on = Vec::new();
    let mut servers: BTreeMap<&str, u64> = BTreeMap::new();
    for server in model.unreachable.values() {
        *servers.entry(server).or_default() += 1;
    }
    let mut left = ready + running;
    for (server, count) in servers {
        let count = count.min(left);
        left -= count;
        let text = format!("for the model at {server}, which cannot be reached");
        going_on.push((count, threads(count, "waits", "wait") + " " + &text));
    }
    let running = running.min(left);
    going_on.push((running, threads(running, "is at work", "are at work")));
    let ready = left - running;
    let (is_next, are_next) =
        if model.is_paused() { ("is paused", "are paused") } else { ("is next", "are next") };
    going_on.push((ready, threads(ready, is_next, are_next)));
    let texts = going_on.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text);
    texts.collect::<Vec<_>>().join(" · ")
}

/// Whether the config names nothing that could bring something here, and nothing else ever did.
fn nothing_ever_came(model: &Model) -> bool {
    let threads = model.overview.as_ref().map(|overview| overview.threads.as_slice());
    model.options.no_sources && threads.is_some_and(|threads| threads.iter().all(|(_, count)| *count == 0))
}

fn draw_card(model: &Model, areas: &Areas, buf: &mut Buffer) -> (Option<String>, bool) {
    let area = areas.card;
    if area.is_empty() {
        return (None, false);
    }
    if let Some(Followed { thread, .. }) =
        model.inbox.following.as_ref().filter(|_| model.inbox.list.selection_vanished())
    {
        draw_followed(model, thread, area, buf);
        return (None, false);
    }
    if let Some(line) = model.past_end().filter(|_| model.inbox.list.is_past_end()) {
        let (what, next) = match line {
            PastEnd::Skipped(_) => (
                "Mail that a rule or the model ignored in the last day.",
                "<open> lists it with the reasons. Nothing is decided here.",
            ),
            PastEnd::Elsewhere(..) => {
                ("More threads match: put away, sent or done.", "<open> lists them in Threads.")
            }
        };
        draw::message(&model.theme, area, buf, what, &model.spell(next));
        return (None, false);
    }
    if model.inbox.list.is_empty() {
        return (None, false);
    }
    let Some(opened) = model.current() else {
        if model.inbox.list.selection_vanished() {
            draw::message(
                &model.theme,
                area,
                buf,
                "This one is gone.",
                &model.spell(
                    "It was decided elsewhere, or its thread moved on. <down> or <up> selects another.",
                ),
            );
        }
        return (None, false);
    };
    let form = model.layers.iter().find_map(|layer| (&*layer.popup as &dyn Any).downcast_ref::<Form>());
    let form_top = form.filter(|_| layout::has_card_with_form(model)).map(|form| form.card_top);
    page::draw(model, &opened.doc, form_top.unwrap_or(opened.top), areas, buf);
    draw_waiting(model, areas.more, buf);
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    // A card too narrow to show a whole line has not been seen.
    if width < 8 {
        return (None, false);
    }
    (Some(opened.item.id().to_owned()), opened.doc.end_in_sight(opened.top, width, height))
}

/// Draws what the answered thread is doing: its model's output, as it streams in.
fn draw_followed(model: &Model, thread: &ThreadId, area: Rect, buf: &mut Buffer) {
    let Some(working) = model.running_here.get(thread) else {
        let held = model.undo.as_ref().map(|undo| undo.kind).filter(|kind| follow::answers_at_once(*kind));
        let what = match held {
            Some(DecisionKind::Written) => "What you wrote is on its way.",
            Some(_) => "The agent gets your answer in a moment.",
            None => "It goes on.",
        };
        return draw::message(
            &model.theme,
            area,
            buf,
            what,
            &model.spell("Its next step will appear here · <down> or <up> moves on"),
        );
    };
    let title = format!("{} Working on it …", draw::spinner(model.spinner_frame));
    draw::text(buf, area, area.x + 1, area.y, &title, model.theme.title);
    let room = Rect {
        x: area.x + 1,
        y: area.y + 2,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    };
    let lines: Vec<&str> = wrap(&working.text, usize::from(room.width).max(1)).collect();
    let newest = lines.len().saturating_sub(usize::from(room.height));
    draw::lines(buf, room, lines[newest..].iter().map(|line| Line::styled(*line, model.theme.text)));
}
