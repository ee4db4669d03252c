//! Where things are on a screen of any size. Pure, so that drawing, scrolling and the mouse agree.

use super::model::{Beside, Focus, List, Model, ThreadsTab};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use ratatui::layout::Rect;
use std::ops::Range;

/// From this width on, list and card are side by side.
pub const WIDE: u16 = 100;

/// From this width on, there is a third column beside the items.
const VERY_WIDE: u16 = 160;

/// Below this height, items take one line.
const MIN_HEIGHT_FOR_TWO_LINES: u16 = 12;

/// The list stays beside a form if the form keeps this many columns.
const MIN_FORM_WIDTH: u16 = 60;

/// In a column this high, a form leaves the lower third to the rest of its card.
const MIN_SHARED_HEIGHT: u16 = 26;

/// The lines of a box below its card, and the fewest that the card keeps above it.
const BOX_BELOW: u16 = 10;
const MIN_CARD_ABOVE: u16 = 8;

/// A form wider than this is hard to read.
pub const MAX_FORM_WIDTH: u16 = 92;

/// Below this width, rows take one line and words are short.
pub const NARROW: u16 = 60;

/// Lines longer than this are hard to read.
const MAX_LINE_WIDTH: u16 = 110;

/// The parts of the screen; parts without room are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// Tabs and counts.
    pub header: Rect,
    /// Everything between header and footer.
    pub body: Rect,
    pub list: Rect,
    /// The line between list and card.
    pub rule: Rect,
    /// The card, without its margin.
    pub card: Rect,
    /// Below the card: its scroll position.
    pub more: Rect,
    /// What goes on now and what was done lately, beside the items of a very wide screen.
    pub lately: Rect,
    /// The form about the card, if the card stays visible with it.
    pub form: Rect,
    /// The tour's text.
    pub tour: Rect,
    /// The latest note.
    pub note: Rect,
    /// The keys that work now.
    pub footer: Rect,
}

pub fn areas(model: &Model) -> Areas {
    areas_beside(model, model.layers.iter().find_map(|layer| layer.popup.beside_card()))
}

/// The parts of the screen with such a pop-up next to the card.
pub fn areas_beside(model: &Model, beside: Option<Beside>) -> Areas {
    let tour = model.tour.as_ref().map_or(0, |tour| tour.height(model.size.1));
    let areas = split(model.size, model.focus, tour);
    let areas = if shows_lately(model) { make_third_column(areas) } else { areas };
    let refusals = u16::try_from(model.options.refusals.len() + 4).unwrap_or(u16::MAX);
    beside.map_or(areas, |beside| put_form(areas, beside, BOX_BELOW.max(refusals)))
}

/// Whether the screen is wide enough for what was done lately beside the items.
pub fn shows_lately(model: &Model) -> bool {
    model.shows_items() && model.size.0 >= VERY_WIDE
}

/// Takes the room for a third column from the list and the card.
fn make_third_column(areas: Areas) -> Areas {
    let Rect { width, .. } = areas.body;
    let (list, lately) = ((width * 3 / 10).min(64), (width / 5).min(44));
    let card = (width - list - lately - 6).min(MAX_LINE_WIDTH);
    let in_column = |part: Rect| Rect { x: list + 2, width: card, ..part };
    Areas {
        list: Rect { width: list, ..areas.list },
        rule: Rect { x: list, ..areas.rule },
        card: in_column(areas.card),
        more: in_column(areas.more),
        lately: Rect { x: list + card + 5, width: width - list - card - 6, ..areas.body },
        ..areas
    }
}

/// Whether the card is visible together with the form about it.
pub fn has_card_with_form(model: &Model) -> bool {
    let areas = areas(model);
    !areas.form.is_empty() && !areas.card.is_empty()
}

/// Puts a form in the card's column: fields in the place of the card's head and panel, with the rest of the card below
/// if there is room; a box, of so many lines, below the card.
fn put_form(areas: Areas, beside: Beside, box_lines: u16) -> Areas {
    let body = areas.body;
    let has_list = areas.card.width >= MIN_FORM_WIDTH && areas.rule.width == 1;
    let column = if has_list {
        Rect { y: body.y, height: body.height, ..areas.card }
    } else {
        inset(Rect { width: body.width.min(MAX_LINE_WIDTH), ..body })
    };
    let (form, card) = match beside {
        Beside::Fields if column.height >= MIN_SHARED_HEIGHT => {
            let form = Rect { height: column.height - column.height / 3, ..column };
            (form, Rect { y: form.bottom(), height: column.height / 3, ..column })
        }
        Beside::Fields | Beside::Nothing => (column, Rect::default()),
        Beside::Box if column.height < box_lines.saturating_add(MIN_CARD_ABOVE) => return areas,
        Beside::Box => {
            let card = Rect { height: column.height - box_lines, ..column };
            (Rect { y: card.bottom(), height: box_lines, ..column }, card)
        }
    };
    let (list, rule) = if has_list { (areas.list, areas.rule) } else { Default::default() };
    let (card, more) = with_more(card);
    Areas { list, rule, card, more, form, ..areas }
}

/// Takes a line off a card for its scroll position.
fn with_more(card: Rect) -> (Rect, Rect) {
    if card.height < 4 {
        return (card, Rect::default());
    }
    let card = Rect { height: card.height - 1, ..card };
    (card, Rect { y: card.bottom(), height: 1, ..card })
}

fn split((width, height): (u16, u16), focus: Focus, tour: u16) -> Areas {
    let mut areas = Areas::default();
    let (mut top, mut bottom) = (0, height);
    let row = |y| Rect { x: 0, y, width, height: 1 };
    if height >= 3 {
        bottom -= 1;
        areas.footer = row(bottom);
    }
    if height >= 5 {
        areas.header = row(0);
        top = 1;
    }
    if height >= 7 {
        bottom -= 1;
        areas.note = row(bottom);
    }
    bottom -= tour;
    areas.tour = Rect { x: 0, y: bottom, width, height: tour };
    let body = Rect { x: 0, y: top, width, height: bottom - top };
    areas.body = body;
    if width >= WIDE {
        // What the card cannot use belongs to the list.
        let list = (width * 2 / 5).min(64).max(width.saturating_sub(MAX_LINE_WIDTH + 3).min(width / 2));
        areas.list = Rect { width: list, ..body };
        areas.rule = Rect { x: list, width: 1, ..body };
        areas.card = Rect { x: list + 2, width: (width - list - 3).min(MAX_LINE_WIDTH), ..body };
    } else if body.height >= 12 {
        // A user who reads the card wants to see more of it.
        let list = match focus {
            Focus::List => (body.height * 2 / 5).max(4),
            Focus::Card => (body.height / 5).max(2),
        };
        areas.list = Rect { height: list, ..body };
        areas.rule = Rect { y: body.y + list, height: 1, ..body };
        areas.card = inset(Rect { y: body.y + list + 1, height: body.height - list - 1, ..body });
    } else {
        match focus {
            Focus::List => areas.list = body,
            Focus::Card => areas.card = inset(body),
        }
    }
    (areas.card, areas.more) = with_more(areas.card);
    areas
}

fn inset(area: Rect) -> Rect {
    if area.width < 20 { area } else { Rect { x: area.x + 1, width: area.width - 2, ..area } }
}

/// How many lines an item takes.
pub fn row_height(list: Rect) -> u16 {
    if list.width < NARROW / 2 || list.height < MIN_HEIGHT_FOR_TWO_LINES { 1 } else { 2 }
}

/// How many lines there are above an item for the heading of its group.
fn heading_height(list: &List, position: usize, area: Rect) -> u16 {
    u16::from(area.height >= MIN_HEADED_HEIGHT && list.heading_at(position).is_some())
}

/// The part of the list for items, without the line after them.
pub fn item_rows(model: &Model, list: Rect) -> Rect {
    let below = u16::from(model.past_end().is_some() && list.height > 1);
    Rect { height: list.height - below, ..list }
}

/// The line after these entries.
pub fn end_of(entries: &[(u16, u16, Entry)]) -> u16 {
    entries.last().map_or(0, |(y, height, _)| y + height)
}

/// A line of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The heading of the group that begins at a position.
    Group(usize),
    Row(usize),
}

/// The entries that fit, starting at `list.top`, each with its line and height.
pub fn entries(list: &List, area: Rect) -> Vec<(u16, u16, Entry)> {
    let row_lines = row_height(area);
    let mut entries = Vec::new();
    let mut y = 0;
    for position in list.top..list.len() {
        if heading_height(list, position, area) > 0 && y < area.height {
            entries.push((y, 1, Entry::Group(position)));
            y += 1;
        }
        if y >= area.height {
            break;
        }
        entries.push((y, row_lines.min(area.height - y), Entry::Row(position)));
        y += row_lines;
    }
    entries
}

/// The rows that these entries show in full.
pub fn shown_rows(list: &List, entries: &[(u16, u16, Entry)], area: Rect) -> Range<usize> {
    let end = match entries.last() {
        Some((_, height, Entry::Row(position))) => position + usize::from(*height == row_height(area)),
        Some((_, _, Entry::Group(position))) => *position,
        None => list.top,
    };
    list.top..end
}

/// The first row to show so that the row at the cursor is fully visible.
pub fn top_for(list: &List, area: Rect) -> usize {
    let last = list.len().saturating_sub(1);
    let cursor = list.cursor().min(last);
    // After the last row, nothing is left empty that rows above it could fill.
    let top = list.top.min(first_visible(list, last, area));
    top.max(first_visible(list, cursor, area)).min(cursor)
}

/// The first row that fits if `last` is the last one.
fn first_visible(list: &List, last: usize, area: Rect) -> usize {
    let row_lines = row_height(area);
    let mut remaining = area.height;
    let mut first = last + 1;
    while first > 0 {
        let row = first - 1;
        let needed = row_lines + heading_height(list, row, area);
        if needed > remaining {
            break;
        }
        remaining -= needed;
        first = row;
    }
    first.min(last)
}

/// The line of filters above the list of threads, and the list. A very low list has no such line.
pub fn thread_list(list: Rect) -> (Rect, Rect) {
    let bar = u16::from(list.height >= 4);
    (Rect { height: bar, ..list }, Rect { y: list.y + bar, height: list.height - bar, ..list })
}

/// A line of the list of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadEntry {
    /// The day of the rows below.
    Day(Date),
    Row(usize),
    /// The text around what the search found in the row above.
    Found(usize),
}

/// A lower list has no headings.
const MIN_HEADED_HEIGHT: u16 = 6;

/// The lines of the thread list that fit, starting at its top; each day is named above its first row.
pub fn thread_entries(threads: &ThreadsTab, zone: &TimeZone, area: Rect) -> Vec<ThreadEntry> {
    let mut entries = Vec::new();
    let mut last = None;
    for row in threads.list.top..threads.list.rows.len() {
        let day = threads.day(row, zone).filter(|_| area.height >= MIN_HEADED_HEIGHT);
        if day != last {
            entries.extend(day.map(ThreadEntry::Day));
            last = day;
        }
        if entries.len() >= usize::from(area.height) {
            break;
        }
        entries.push(ThreadEntry::Row(row));
        if threads.snippet(row).is_some() {
            entries.push(ThreadEntry::Found(row));
        }
    }
    entries.truncate(usize::from(area.height));
    entries
}

/// The first row of the thread list to show so that the row at the cursor is visible.
pub fn thread_top(threads: &ThreadsTab, zone: &TimeZone, area: Rect) -> usize {
    let day = |row| threads.day(row, zone).filter(|_| area.height >= MIN_HEADED_HEIGHT);
    let lines = |row| 1 + usize::from(threads.snippet(row).is_some());
    let cursor = threads.list.cursor;
    let mut min_top = cursor;
    let heading = usize::from(day(cursor).is_some());
    let mut remaining = usize::from(area.height).saturating_sub(lines(cursor) + heading);
    while min_top > 0 {
        let needed = lines(min_top - 1) + usize::from(day(min_top) != day(min_top - 1));
        if needed > remaining {
            break;
        }
        remaining -= needed;
        min_top -= 1;
    }
    threads.list.top.clamp(min_top, cursor)
}

/// The lines above a thread (title, status, views), and the area for the thread.
pub fn review(card: Rect) -> (Rect, Rect) {
    let head = match card.height {
        0..3 => 0,
        3..8 => 1,
        _ => 3,
    };
    let gap = u16::from(card.height >= 10);
    let body = Rect { y: card.y + head + gap, height: card.height - head - gap, ..card };
    (Rect { height: head, ..card }, body)
}

/// A box in the middle of the screen, as large as requested if there is room.
pub fn centred(screen: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(screen.width), height.min(screen.height));
    Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 2,
        width,
        height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stay_on_the_screen() {
        for width in 0..200 {
            for height in 0..60 {
                for focus in [Focus::List, Focus::Card] {
                    let screen = Rect { x: 0, y: 0, width, height };
                    let a = split((width, height), focus, 0);
                    for part in [a.header, a.list, a.rule, a.card, a.more, a.note, a.footer] {
                        assert!(part.is_empty() || screen.union(part) == screen, "{width}×{height} {a:?}");
                    }
                }
            }
        }
        for (width, height) in (1..220).flat_map(|width| (0..60).map(move |height| (width, height))) {
            let screen = Rect { x: 0, y: 0, width, height };
            for beside in [Beside::Fields, Beside::Box, Beside::Nothing] {
                let a = put_form(split((width, height), Focus::List, 0), beside, BOX_BELOW);
                for part in [a.form, a.card, a.more, a.list] {
                    assert!(part.is_empty() || screen.union(part) == screen, "{width}×{height} {a:?}");
                    assert!(part == a.form || !part.intersects(a.form), "{width}×{height} {a:?}");
                }
                let has_form = beside != Beside::Box || height >= BOX_BELOW + MIN_CARD_ABOVE + 3;
                assert!(a.form.is_empty() || has_form, "{width}×{height} {a:?}");
                assert!(a.list.is_empty() || a.form.is_empty() || a.form.width >= MIN_FORM_WIDTH, "{a:?}");
            }
        }
        let wide = split((120, 30), Focus::List, 0);
        assert!(wide.list.right() <= wide.rule.x && wide.rule.right() <= wide.card.x);
        assert!(split((60, 10), Focus::List, 0).card.is_empty());
    }
}
