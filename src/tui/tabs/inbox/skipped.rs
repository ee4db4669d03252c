//! Mail that was skipped, and giving a mail another class than triage did.

use crate::graph::{Kind, ThreadId};
use crate::inbox::{Block, ItemKind, Page, SkippedCount, SkippedLine, SkippedQuery};
use crate::text::{Visible, pad};
use crate::tui::card::Doc;
use crate::tui::draw;
use crate::tui::layers::{Choice, Confirm, Menu, OnConfirm};
use crate::tui::layout::{self, Areas};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, InboxResult};
use crate::tui::tabs::browse::PAGE;
use crate::tui::tabs::inbox::follow;
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::tabs::{self, Tab, page};
use crate::tui::{actions::Action, words};
use jiff::SignedDuration;
use ratatui::buffer::Buffer;

/// The classes a mail can have, and what each means.
const CLASSES: [(&str, &str); 3] = [
    ("ignore", "not worth showing"),
    ("notify", "worth knowing, no reply needed"),
    ("respond", "wants a reply; a draft is made for you to decide on"),
];

/// The mail that could be reclassified: its thread and title.
fn mail_to_reclassify(model: &Model) -> Option<(ThreadId, String)> {
    if model.shows_skipped() {
        let line = model.inbox.skipped.selected()?;
        return Some((line.thread.clone()?, Visible::line(&line.title).into_string()));
    }
    if model.shows_history() {
        let line = model.inbox.history.list.selected().filter(|line| line.workflow == "email")?;
        return Some((line.thread.clone(), Visible::line(&line.title).into_string()));
    }
    if let Some(review) = model.shown_review() {
        let title = Visible::line(&review.view.title).into_string();
        return review.has_mail().then(|| (review.view.id.clone(), title));
    }
    let row = model.selected()?;
    let is_triage = row.kind == ItemKind::Interrupt(Kind::Triage);
    let has_mail = || model.current().is_some_and(|opened| opened.doc.mails().next().is_some());
    (is_triage || has_mail()).then(|| (row.thread.clone(), row.title.clone()))
}

/// Whether the selected row is mail that was triaged.
pub fn can_reclassify(model: &Model) -> bool {
    mail_to_reclassify(model).is_some()
}

/// Offers the classes. The menu changes nothing: the choice is asked about.
pub fn offer(model: &mut Model) -> Vec<Cmd> {
    let Some((thread, title)) = mail_to_reclassify(model) else { return Vec::new() };
    let row = |(class, about): (&str, &str)| {
        (format!("{class:<8} {about}"), Choice::Reclassify(thread.clone(), title.clone(), class.to_owned()))
    };
    let rows = CLASSES.map(row).to_vec();
    model.push(Menu::new("Reclassify this mail as", rows));
    Vec::new()
}

pub fn confirm(model: &mut Model, thread: ThreadId, title: &str, class: String) -> Vec<Cmd> {
    model.push(Confirm::new(
        format!("Reclassify “{title}” as {class}?"),
        "Its thread runs again from triage, and sayso learns from the correction.",
        Doc::default(),
        OnConfirm::Do(Cmd::Reclassify(thread, class)),
    ));
    Vec::new()
}

pub fn reclassified(model: &mut Model, thread: ThreadId, result: InboxResult<String>) -> Vec<Cmd> {
    match result {
        Ok(class) => {
            model.say(format!("Reclassified as {class} · its thread runs again"));
            follow::follow_again(model, thread);
        }
        Err(failure) => model.fail(failure.text),
    }
    tabs::reload(model)
}

/// Reads the listed rows again plus one page, so that new ones push nothing out.
pub fn read(model: &Model) -> Vec<Cmd> {
    vec![Cmd::Skipped(SkippedQuery { after: None, limit: model.inbox.skipped.rows.len() + PAGE })]
}

/// Reads the next page before the end is reached.
pub fn more(model: &mut Model) -> Vec<Cmd> {
    let height = usize::from(layout::areas(model).list.height);
    match model.inbox.skipped.begin_next_page(height) {
        Some(after) => vec![Cmd::Skipped(SkippedQuery { after: Some(after), limit: PAGE })],
        None => Vec::new(),
    }
}

pub fn listed(model: &mut Model, query: &SkippedQuery, result: InboxResult<Page<SkippedLine>>) -> Vec<Cmd> {
    let skipped = &mut model.inbox.skipped;
    skipped.reading = false;
    let Some(page) = model.ok_or_fail(result) else { return Vec::new() };
    model.inbox.skipped.put(query.after, page.rows, page.next, |line| line.thread.clone());
    if let Some(damaged) = page.damaged.into_iter().next() {
        model.fail(damaged);
    }
    Vec::new()
}

/// Counts the last day's skipped mail: once a day, and whenever Activity shows it.
pub fn count(model: &mut Model) -> Option<Cmd> {
    let today = model.local_time().date();
    let last_day = model.inbox.skipped_lately.1.replace(today);
    if last_day == Some(today) && model.tab != Tab::Activity {
        return None;
    }
    let since = model.wall.saturating_sub(SignedDuration::from_hours(24)).ok()?;
    Some(Cmd::SkippedLately(since, today))
}

pub fn counted(model: &mut Model, result: InboxResult<(SkippedCount, bool)>) -> Vec<Cmd> {
    let Some((count, tell)) = model.ok_or_fail(result) else { return Vec::new() };
    model.inbox.skipped_lately.0 = count;
    if tell {
        let key = model.keymap.key_of(&model.scopes(), Action::ShowSkipped).unwrap_or("gk".to_owned());
        model.say(format!("Mail in the last day: {count}; {key} lists it"));
    }
    Vec::new()
}

/// Draws the skipped mail and why it was skipped.
pub fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let list = &model.inbox.skipped;
    if list.rows.is_empty() {
        let (what, next) = if list.read {
            ("No mail was skipped.", "What a rule or the model ignores is listed here, with the reason.")
        } else {
            ("Looking …", "")
        };
        return draw::message(&model.theme, areas.list, buf, what, next);
    }
    let name = |line: &SkippedLine| words::line(words::name(&line.sender));
    let names: Vec<String> = list.rows.iter().map(name).collect();
    // The subject gets more than half of the row.
    let name_width =
        rows::lead_width(names.iter().map(String::as_str), usize::from(areas.list.width) * 2 / 5);
    let row = |(line, name): (&SkippedLine, &String)| PlainRow {
        lead: pad(name, name_width),
        style: model.theme.quiet,
        text: format!("{}{}", if line.unsure { "? " } else { "" }, words::line(&line.title)),
        note: None,
        end: words::age(line.at, model.wall),
    };
    rows::draw(model, list, areas.list, buf, list.rows.iter().zip(&names).map(row));
    let Some(line) = list.selected().filter(|_| !areas.card.is_empty()) else { return };
    let visible = |text: &str| Visible::line(text);
    let at = line.at.to_zoned(model.options.time_zone.clone()).strftime("%a %d %b, %H:%M").to_string();
    let mut fields = vec![("from", line.sender.as_str()), ("came", &at), ("skipped because", &line.reason)];
    if line.unsure {
        fields.push(("unsure", "another class fits nearly as well"));
    }
    let fields = fields.into_iter().map(|(name, value)| (visible(name), visible(value))).collect();
    let how = match &line.thread {
        Some(_) => "C reclassifies it; w says why in full; t shows its thread.",
        None => "A rule of yours skipped it before any thread was started.",
    };
    let mut blocks = vec![Block::Fields(fields), Block::Text(Visible::new(how))];
    if !line.text.is_empty() {
        blocks.push(Block::Text(Visible::new(&line.text)));
    }
    let doc = Doc::page(&line.title, "not shown", blocks);
    page::draw(model, &doc, Default::default(), areas, buf);
}
