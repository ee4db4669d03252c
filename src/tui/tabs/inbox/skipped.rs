//! Mail that was skipped, and giving a mail another class than triage did.

use super::follow;
use crate::engine::graph::ThreadId;
use crate::inbox::door::Inbox;
use crate::inbox::{Block, DecisionEnd, Page, SkippedLine, SkippedQuery};
use crate::text::{Visible, pad};
use crate::tui::actions::Action;
use crate::tui::card::{Doc, ScrollPosition};
use crate::tui::layers::{Choice, Confirm, Menu};
use crate::tui::layout::{self, Areas};
use crate::tui::model::{InboxResult, Model, PAGE, Seen, Tab};
use crate::tui::tabs::page;
use crate::tui::tabs::pane::{Cursor, Does, Pane, named, open_page, page_size, when};
use crate::tui::tabs::rows::{self, PlainRow};
use crate::tui::{draw, words};
use jiff::SignedDuration;
use ratatui::buffer::Buffer;

/// The classes a mail can have, and what each means.
const CLASSES: [(&str, &str); 3] = [
    ("ignore", "not worth showing"),
    ("notify", "worth knowing, no reply needed"),
    ("respond", "wants a reply; a draft is made for you to decide on"),
];

/// The list of skipped mail.
pub struct Skipped;

impl Pane for Skipped {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        Some(match action {
            Action::Open => when(model.inbox.skipped.selected().is_some(), "", open_page),
            Action::Why if self.thread(model).is_none() => {
                Err("A rule of yours skipped it before any thread was started; the card names it")
            }
            Action::Unsubscribe => {
                let is_known = self.thread(model).is_some();
                when(is_known, "This mail doesn't say how to leave a list", super::mail::unsubscribe)
            }
            _ => return None,
        })
    }

    /// Reads the rows down to the selected one again plus one page, so that new ones don't push it out.
    fn read(&self, model: &mut Model) {
        read(model, SkippedQuery { after: None, limit: model.inbox.skipped.cursor + PAGE });
    }

    fn list<'m>(&self, model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        Some(&mut model.inbox.skipped)
    }

    /// Reads the next page before the end is reached.
    fn selected(&self, model: &mut Model) {
        model.inbox.skipped_top = ScrollPosition::default();
        let height = usize::from(layout::areas(model).list.height);
        if let Some(after) = model.inbox.skipped.begin_next_page(height) {
            read(model, SkippedQuery { after: Some(after), limit: PAGE });
        }
    }

    fn scroll(&self, model: &mut Model, by: isize) {
        let Some(doc) = model.inbox.skipped.selected().map(|line| card(model, line)) else { return };
        model.inbox.skipped_top = page::scrolled(&doc, model.inbox.skipped_top, by, page_size(model));
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        draw_list(model, areas, buf);
        let drawn = model.decidable().filter(|_| !areas.card.is_empty());
        Seen { card: drawn.map(|(id, _)| id), ..Seen::default() }
    }

    fn footer(&self, _model: &Model) -> Vec<(Action, String)> {
        named([
            (Action::Reclassify, "reclassify"),
            (Action::Why, "why"),
            (Action::OpenThread, "thread"),
            (Action::Unsubscribe, "unsubscribe"),
        ])
    }

    fn thread(&self, model: &Model) -> Option<ThreadId> {
        model.inbox.skipped.selected()?.thread.clone()
    }

    fn about(&self, model: &Model) -> Option<(String, String, &'static str)> {
        let (thread, title) = self.mail(model)?;
        Some((thread.to_string(), title, "Why it was skipped"))
    }

    fn mail(&self, model: &Model) -> Option<(ThreadId, String)> {
        let line = model.inbox.skipped.selected()?;
        Some((line.thread.clone()?, words::line(&line.title)))
    }
}

/// Offers the classes for a mail. The menu changes nothing: the choice is asked about.
pub fn offer_classes(model: &mut Model, thread: &ThreadId, title: &str) {
    let row = |(class, about): (&'static str, &str)| {
        let (thread, title) = (thread.clone(), title.to_owned());
        Choice::new(format!("{class:<8} {about}"), move |model| {
            model.push(Confirm::new(
                format!("Reclassify “{title}” as {class}?"),
                "Its thread runs again from triage, and sayso learns from the correction.",
                Doc::default(),
                move |model| {
                    let said = format!("Reclassified as {class} · its thread runs again");
                    reclassify(model, thread, class, said);
                },
            ));
        })
    };
    model.push(Menu::new("Reclassify this mail as", CLASSES.map(row).into_iter().collect()));
}

/// Gives a mail its class, and says `said` once that is stored.
pub fn reclassify(model: &mut Model, thread: ThreadId, class: &'static str, said: String) {
    let id = thread.clone();
    let reclassify = async move |inbox: Inbox| inbox.mail().reclassify(id, class.to_owned()).await;
    model.start(reclassify, move |model, result| {
        if model.ok_or_fail(result).is_some() {
            model.report(DecisionEnd::Done, said);
            follow::follow_again(model, thread);
        }
        model.reload();
    });
}

fn read(model: &mut Model, query: SkippedQuery) {
    let after = query.after;
    let work = async move |inbox: Inbox| inbox.mail().skipped(query).await;
    model.start(work, move |model, result| {
        listed(model, after, result);
    });
}

pub fn listed(model: &mut Model, after: Option<i64>, result: InboxResult<Page<SkippedLine>>) {
    model.inbox.skipped.reading = false;
    let Some(page) = model.ok_or_fail(result) else { return };
    model.inbox.skipped.put(after, page.rows, page.next, |line| line.thread.clone());
    if let Some(damaged) = page.damaged.into_iter().next() {
        model.fail(damaged);
    }
}

/// Counts the last day's skipped mail for the line below the items, and more of it where Activity shows it.
pub fn count(model: &mut Model) {
    let Ok(since) = model.wall.saturating_sub(SignedDuration::from_hours(24)) else { return };
    let count = async move |inbox: Inbox| inbox.mail().count_skipped(since).await;
    model.read(count, |model, mails| {
        model.inbox.recently_skipped = mails;
        if model.past_end().is_none() && model.inbox.list.is_past_end() {
            model.inbox.list.select(model.inbox.list.cursor());
        }
    });
    if model.tab == Tab::Activity {
        let count = async move |inbox: Inbox| inbox.mail().skipped_since(since).await;
        model.read(count, |model, count| model.inbox.skipped_lately = count);
    }
}

/// Draws the list of skipped mail, and the card of the selected one.
fn draw_list(model: &Model, areas: &Areas, buf: &mut Buffer) {
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
    if let Some(line) = list.selected().filter(|_| !areas.card.is_empty()) {
        page::draw(model, &card(model, line), model.inbox.skipped_top, areas, buf);
    }
}

/// What was skipped, and why.
fn card(model: &Model, line: &SkippedLine) -> Doc {
    let visible = |text: &str| Visible::line(text);
    let at = line.at.to_zoned(model.options.time_zone.clone()).strftime("%a %d %b, %H:%M").to_string();
    let mut fields = vec![("from", line.sender.as_str()), ("came", &at), ("skipped because", &line.reason)];
    if line.unsure {
        fields.push(("unsure", "another class fits nearly as well"));
    }
    let fields = fields.into_iter().map(|(name, value)| (visible(name), visible(value))).collect();
    let how = match &line.thread {
        Some(_) => "<reclassify> reclassifies it; <why> says why in full; <open_thread> shows its thread.",
        None => "A rule of yours skipped it before any thread was started.",
    };
    let mut blocks = vec![Block::Fields(fields), Block::Text(Visible::new(&model.spell(how)))];
    if !line.text.is_empty() {
        blocks.push(Block::Text(Visible::new(&line.text)));
    }
    Doc::page(&line.title, "not shown", blocks)
}
