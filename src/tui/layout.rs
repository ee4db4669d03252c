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

/// From this size on, the card stays visible next to the form about it.
const MIN_SIZE_BESIDE: (u16, u16) = (140, 16);

/// On a smaller screen the card stays visible above its form if it keeps this many lines.
const MIN_CARD_ABOVE: u16 = 8;

/// The lines of a box below its card, and the fewest that a form with fields needs there.
const BOX_BELOW: u16 = 10;
const FIELDS_BELOW: u16 = 16;

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
    match beside {
        Some(_) if model.size.0 >= MIN_SIZE_BESIDE.0 && model.size.1 >= MIN_SIZE_BESIDE.1 => {
            put_form_beside(areas)
        }
        Some(Beside::Box) => {
            let refusals = u16::try_from(model.options.refusals.len() + 4).unwrap_or(u16::MAX);
            put_form_below(areas, BOX_BELOW.max(refusals))
        }
        Some(Beside::Fields) => put_form_below(areas, (areas.body.height / 3 * 2).max(FIELDS_BELOW)),
        None if shows_lately(model) => make_third_column(areas),
        None => areas,
    }
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
    !areas(model).form.is_empty()
}

/// The card keeps the upper part of the body, without the list; on a low screen the form covers everything instead.
fn put_form_below(areas: Areas, rows: u16) -> Areas {
    let body = areas.body;
    if body.height < rows.saturating_add(MIN_CARD_ABOVE) {
        return areas;
    }
    let card = inset(Rect { width: body.width.min(MAX_LINE_WIDTH), height: body.height - rows - 1, ..body });
    Areas {
        list: Rect::default(),
        rule: Rect::default(),
        card,
        more: Rect { y: card.bottom(), height: 1, ..card },
        form: Rect { y: card.bottom() + 1, width: body.width.min(MAX_LINE_WIDTH), height: rows, ..body },
        ..areas
    }
}

/// The form takes the list's place, and at most half of the screen; the card keeps the rest. The form has a frame, so
/// there is no line between them.
fn put_form_beside(areas: Areas) -> Areas {
    let body = areas.body;
    let form = (body.width / 2).min(MAX_FORM_WIDTH);
    let right_of_form =
        |part: Rect| Rect { x: form + 2, width: (body.width - form - 3).min(MAX_LINE_WIDTH), ..part };
    Areas {
        list: Rect::default(),
        rule: Rect::default(),
        card: right_of_form(areas.card),
        more: right_of_form(areas.more),
        form: Rect { width: form, ..body },
        ..areas
    }
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
    if areas.card.height >= 4 {
        areas.card.height -= 1;
        areas.more = Rect { y: areas.card.bottom(), height: 1, ..areas.card };
    }
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
    /// One of the folded groups before a position: the position, and the group's index.
    FoldedGroup(usize, usize),
    Row(usize),
}

/// The entries that fit, starting at `list.top`, each with its line and height.
pub fn entries(list: &List, area: Rect) -> Vec<(u16, u16, Entry)> {
    let row_lines = row_height(area);
    let mut entries = Vec::new();
    let mut y = 0;
    for position in list.top..=list.len() {
        let folded = list.folded_before(position).count();
        let room = usize::from(area.height.saturating_sub(y));
        // The row at the top stays visible; if the folded groups before it do not all fit, only the nearest are shown.
        let first = if position == list.top && position < list.len() {
            let row = row_lines + heading_height(list, position, area);
            folded.saturating_sub(room.saturating_sub(usize::from(row)))
        } else {
            0
        };
        for n in (first..folded).take(room) {
            entries.push((y, 1, Entry::FoldedGroup(position, n)));
            y += 1;
        }
        if position == list.len() {
            break;
        }
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

/// The rows that these entries show in full, and how many there are. Folded groups below the last row count as rows.
pub fn shown_rows(list: &List, entries: &[(u16, u16, Entry)], area: Rect) -> (Range<usize>, usize) {
    let end = match entries.last() {
        Some((_, height, Entry::Row(position))) => position + usize::from(*height == row_height(area)),
        Some((_, _, Entry::FoldedGroup(position, n))) if *position == list.len() => position + n + 1,
        Some((_, _, Entry::FoldedGroup(position, _) | Entry::Group(position))) => *position,
        None => list.top,
    };
    (list.top..end, list.len() + list.folded_before(list.len()).count())
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
        let folded = u16::try_from(list.folded_before(row).count()).unwrap_or(u16::MAX);
        let needed = (row_lines + heading_height(list, row, area)).saturating_add(folded);
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
        for width in MIN_SIZE_BESIDE.0..300 {
            let screen = Rect { x: 0, y: 0, width, height: 40 };
            let a = put_form_beside(split((width, 40), Focus::List, 0));
            for part in [a.form, a.card, a.more] {
                assert!(!part.is_empty() && screen.union(part) == screen, "{width} {a:?}");
            }
            assert!(a.form.right() < a.card.x, "{width} {a:?}");
            assert!(a.form.width >= 70 && a.card.width >= 67, "{width} {a:?}");
        }
        for width in 1..MIN_SIZE_BESIDE.0 {
            for height in 0..60 {
                let screen = Rect { x: 0, y: 0, width, height };
                let a = put_form_below(split((width, height), Focus::List, 0), BOX_BELOW);
                for part in [a.form, a.card, a.more] {
                    assert!(part.is_empty() || screen.union(part) == screen, "{width}×{height} {a:?}");
                }
                assert_eq!(
                    a.form.is_empty(),
                    height < BOX_BELOW + MIN_CARD_ABOVE + 3,
                    "{width}×{height} {a:?}"
                );
                assert!(a.form.is_empty() || a.card.height >= MIN_CARD_ABOVE - 1, "{width}×{height} {a:?}");
            }
        }
        let wide = split((120, 30), Focus::List, 0);
        assert!(wide.list.right() <= wide.rule.x && wide.rule.right() <= wide.card.x);
        assert!(split((60, 10), Focus::List, 0).card.is_empty());
    }
}
