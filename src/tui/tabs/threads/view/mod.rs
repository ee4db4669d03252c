//! Draws the Threads tab: the list with its filters, and one thread in five views.

mod list;
mod rows;

use crate::text::{count_noun, duration, truncate, width};
use crate::tui::actions::Action;
use crate::tui::layout::{self, Areas};
use crate::tui::model::{Focus, Model, Review, ThreadPane};
use crate::tui::tabs::page;
use crate::tui::{draw, words};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

pub fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    list::draw(model, areas.list, buf);
    let Some(review) = &model.threads.review else { return };
    if areas.card.is_empty() {
        return;
    }
    let (head, body) = layout::review(areas.card);
    draw_title(model, review, head, buf);
    let (output, body) = reserve_output(model, review, body);
    match review.pane {
        ThreadPane::Conversation | ThreadPane::Steps => {
            let inner = Areas { card: body, ..*areas };
            page::draw(model, &review.doc, review.top, &inner, buf);
        }
        ThreadPane::Trace => rows::trace(model, review, body, buf),
        ThreadPane::Graph => draw_graph(model, review, body, buf),
        ThreadPane::State => rows::state(model, review, body, buf),
    }
    highlight_search(model, body, buf);
    draw_output(model, review, output, buf);
}

/// Draws the title, the status, and the names of the views.
fn draw_title(model: &Model, review: &Review, area: Rect, buf: &mut Buffer) {
    let theme = &model.theme;
    let view = &review.view;
    let mut y = area.y;
    if area.height >= 3 {
        draw::text(buf, area, area.x, y, &words::line(&view.title), theme.title);
        let x =
            draw::text(buf, area, area.x, y + 1, view.status.word(), list::status_style(model, view.status));
        let mut meta =
            vec![words::line(&view.workflow), view.id.to_string(), count_noun(view.steps.len(), "step")];
        let calls = view.usage.model_calls();
        if calls > 0 {
            meta.push(count_noun(usize::try_from(calls).unwrap_or(0), "model call"));
            meta.extend(view.usage.cost.filter(|cost| *cost > 0.0).map(|cost| format!("${cost:.4}")));
        }
        if let Some(from) = &view.forked_from {
            meta.push(format!("forked from {} after step {}", from.thread, from.step));
        }
        if let Some(parent) = &view.parent {
            meta.push(format!("started by {parent}"));
        }
        draw::text(buf, area, x, y + 1, &format!(" · {}", meta.join(" · ")), theme.quiet);
        y += 2;
    }
    if area.height == 0 {
        return;
    }
    let is_narrow =
        ThreadPane::ALL.iter().map(|pane| width(pane.title()) + 3).sum::<usize>() > usize::from(area.width);
    let mut x = area.x;
    for pane in ThreadPane::ALL {
        let style = match (pane == review.pane, model.focus) {
            (true, Focus::Card) => theme.accent.add_modifier(Modifier::REVERSED),
            (true, Focus::List) => theme.accent,
            (false, _) => theme.quiet,
        };
        let name = if is_narrow { truncate(pane.title(), 5).into_owned() } else { pane.title().to_owned() };
        x = draw::text(buf, area, x, y, &format!(" {name} "), style) + u16::from(!is_narrow);
    }
}

/// Reserves room at the bottom for the thread's output while it works.
fn reserve_output(model: &Model, review: &Review, body: Rect) -> (Rect, Rect) {
    if !model.running_here.contains_key(&review.view.id) || body.height < 8 {
        return (Rect { height: 0, ..body }, body);
    }
    let height = (body.height / 3).max(4);
    let output = Rect { y: body.bottom() - height, height, ..body };
    (output, Rect { height: body.height - height, ..body })
}

fn draw_output(model: &Model, review: &Review, area: Rect, buf: &mut Buffer) {
    let Some(working) = model.running_here.get(&review.view.id).filter(|_| area.height > 1) else { return };
    let theme = &model.theme;
    let elapsed_ms = working.since.map(|since| model.now.saturating_duration_since(since).as_millis());
    let mut text = format!("{} {}", draw::spinner(model.spinner_frame), working.node);
    if let Some(ms) = elapsed_ms {
        text += &format!(" · {}", duration(u64::try_from(ms).unwrap_or(u64::MAX)));
    }
    let usage = &review.view.usage;
    if usage.calls > 0 {
        text += &format!(" · {} tokens so far", usage.input_tokens + usage.output_tokens);
    }
    if let Some((what, done, total)) = &working.bar {
        text += &format!(" · {what} {done} of {total}");
    }
    draw::text(buf, area, area.x, area.y, &text, theme.good);
    // Shows the end of streamed text, because people want to see the newest part.
    let room = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let lines: Vec<&str> = crate::text::wrap(&working.text, usize::from(room.width).max(1)).collect();
    let newest = lines.len().saturating_sub(usize::from(room.height));
    draw::lines(buf, room, lines[newest..].iter().map(|line| Line::styled(*line, theme.text)));
}

fn draw_graph(model: &Model, review: &Review, area: Rect, buf: &mut Buffer) {
    use crate::engine::graph::Highlight;
    let theme = &model.theme;
    if review.picture.lines.is_empty() {
        let text = "sayso has no graph of this workflow.";
        draw::text(buf, area, area.x, area.y, text, theme.quiet);
        return;
    }
    let style = |highlight: Highlight| match highlight {
        Highlight::Off => theme.quiet,
        Highlight::On => theme.good,
        Highlight::Here => theme.accent,
    };
    let room = Rect { height: area.height.saturating_sub(1), ..area };
    let lines = review.picture.lines.iter().skip(review.first).map(|strokes| {
        let mut skip = review.shift;
        let spans = strokes.iter().map(move |(text, highlight)| {
            let shown: String = text.chars().skip(skip).collect();
            skip = skip.saturating_sub(text.chars().count());
            Span::styled(shown, style(*highlight))
        });
        Line::from(spans.collect::<Vec<_>>())
    });
    draw::lines(buf, room, lines);
    let below = Rect { y: room.bottom(), height: area.height - room.height, ..area };
    let more = review.picture.lines.len().saturating_sub(review.first + usize::from(room.height));
    let hint = if more > 0 { format!("▼ {more} lines   ") } else { String::new() };
    draw::text(buf, below, below.x, below.y, &format!("{hint}{}", crate::engine::graph::LEGEND), theme.quiet);
}

/// Highlights the words searched for.
fn highlight_search(model: &Model, area: Rect, buf: &mut Buffer) {
    highlight(buf, area, &model.threads.search.words.join(" "), model.theme.search_match);
}

/// Patches the style of every word that begins with one of these, ignoring case.
fn highlight(buf: &mut Buffer, area: Rect, search: &str, style: Style) {
    let words: Vec<Vec<char>> = search
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().map(lowercase).collect())
        .collect();
    if words.is_empty() {
        return;
    }
    for y in area.y..area.bottom() {
        let row: Vec<char> = (area.x..area.right())
            .map(|x| buf.cell((x, y)).and_then(|cell| cell.symbol().chars().next()).map_or(' ', lowercase))
            .collect();
        for column in 0..row.len() {
            if column > 0 && row[column - 1].is_alphanumeric() {
                continue;
            }
            let Some(word) =
                words.iter().filter(|word| row[column..].starts_with(word)).max_by_key(|word| word.len())
            else {
                continue;
            };
            let x = area.x + u16::try_from(column).unwrap_or(0);
            let word_width = u16::try_from(word.len()).unwrap_or(0);
            buf.set_style(Rect { x, y, width: word_width, height: 1 }.intersection(area), style);
        }
    }
}

fn lowercase(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

/// The actions on the thread shown worth showing in the footer, most important first.
pub fn footer(model: &Model) -> Vec<(Action, String)> {
    let named = |action: Action, text: &str| (action, text.to_owned());
    let mut actions =
        vec![named(Action::Settle, "settle"), named(Action::Retry, "retry"), named(Action::Answer, "answer")];
    if model.focus == Focus::Card {
        actions.push(named(Action::NextView, "next view"));
        // Before the first view `h` leads to the list.
        if model.threads.review.as_ref().is_some_and(|review| review.pane.previous().is_some()) {
            actions.push(named(Action::PreviousView, "previous view"));
        }
        actions.extend([named(Action::Unfold, "unfold"), named(Action::ShowPrompt, "prompt")]);
        if model.threads.review.as_ref().is_some_and(|review| review.pane == ThreadPane::Steps) {
            actions.extend([named(Action::NextPart, "next step"), named(Action::StateDiff, "diff or whole")]);
        }
    } else {
        actions.extend([named(Action::Open, "read"), named(Action::Narrow, "filter")]);
    }
    let stop_label = if model.threads.review.as_ref().is_some_and(|review| review.trouble().is_some()) {
        "abandon"
    } else {
        "stop"
    };
    actions.extend([
        named(Action::Fork, "fork"),
        named(Action::Export, "export"),
        named(Action::Reclassify, "reclassify"),
        named(Action::Stop, stop_label),
        named(Action::TakeOver, "take over"),
    ]);
    actions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lit_where_they_begin() {
        let area = Rect::new(0, 0, 30, 1);
        let mut buf = Buffer::empty(area);
        buf.set_string(0, 0, "Budget, budgetary, low-budget", Style::new());
        let style = Style::new().add_modifier(Modifier::BOLD);
        highlight(&mut buf, area, "BUDGET x", style);
        let lit: String =
            (0..30).map(|x| if buf[(x, 0)].modifier.contains(Modifier::BOLD) { '^' } else { '.' }).collect();
        assert_eq!(lit, "^^^^^^..^^^^^^.........^^^^^^.");
        highlight(&mut buf, area, " - ", style);
    }
}
