//! The Threads tab as a pane: its keys, its list and the thread shown.

use super::{list, review, view};
use crate::engine::graph::ThreadId;
use crate::tui::actions::Action;
use crate::tui::layout::{self, Areas, ThreadEntry};
use crate::tui::model::{Focus, Model, Seen, ThreadPane};
use crate::tui::tabs::page;
use crate::tui::tabs::pane::{Cursor, Does, Pane, when};
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// All threads, and the one shown.
pub struct Threads;

impl Pane for Threads {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        let threads = &model.threads;
        Some(match action {
            Action::Open => when(!threads.list.rows.is_empty(), "No thread is listed here", |model| {
                model.focus = Focus::Card;
                list::open_selected(model);
            }),
            Action::Search => Ok(list::ask_search),
            Action::SearchNext | Action::SearchPrevious if threads.search.is_empty() => {
                Err("Nothing to repeat · <search> searches")
            }
            Action::SearchNext => Ok(|model| list::find(model, true)),
            Action::SearchPrevious => Ok(|model| list::find(model, false)),
            Action::Narrow => Ok(list::offer_filters),
            Action::Quotes => {
                let shows_mail =
                    model.shown_review().is_some_and(|review| review.pane == ThreadPane::Conversation);
                when(shows_mail, "", review::fold)
            }
            Action::Stop => {
                let can = model.shown_review().is_some_and(|r| r.is_alive() || r.trouble().is_some());
                when(can, "It has ended", review::ask_stop)
            }
            Action::TakeOver => {
                let can = model.shown_review().is_some_and(|r| r.is_alive() || r.trouble().is_some());
                when(can, "It has ended", review::take_over)
            }
            action => return review::does(model, action),
        })
    }

    fn read(&self, model: &mut Model) {
        list::read(model);
    }

    fn list<'m>(&self, model: &'m mut Model) -> Option<&'m mut dyn Cursor> {
        Some(&mut model.threads.list)
    }

    fn selected(&self, model: &mut Model) {
        list::selected(model);
    }

    /// Days are named between the rows, and filters above them.
    fn click(&self, model: &mut Model, line: u16) {
        let (bar, area) = layout::thread_list(layout::areas(model).list);
        let Some(line) = line.checked_sub(bar.height) else { return list::offer_filters(model) };
        let entries = layout::thread_entries(&model.threads, &model.options.time_zone, area);
        if let Some(ThreadEntry::Row(row) | ThreadEntry::Found(row)) = entries.get(usize::from(line)) {
            model.threads.list.select(*row);
            list::open_selected(model);
        }
    }

    fn keep_visible(&self, model: &mut Model, area: Rect) {
        let (_, area) = layout::thread_list(area);
        model.threads.list.top = layout::thread_top(&model.threads, &model.options.time_zone, area);
    }

    fn clear(&self, model: &mut Model) -> bool {
        list::clear(model)
    }

    fn scroll(&self, model: &mut Model, by: isize) {
        let size = review::size(model);
        match &mut model.threads.review {
            Some(review) if matches!(review.pane, ThreadPane::Conversation | ThreadPane::Steps) => {
                review.top = page::scrolled(&review.doc, review.top, by, size);
            }
            _ => review::scroll(model, by),
        }
    }

    fn part(&self, model: &mut Model, forward: bool) {
        review::part(model, forward);
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        view::draw(model, areas, buf);
        Seen::default()
    }

    fn footer(&self, model: &Model) -> Vec<(Action, String)> {
        view::footer(model)
    }

    fn thread(&self, _model: &Model) -> Option<ThreadId> {
        None
    }

    fn about(&self, model: &Model) -> Option<(String, String, &'static str)> {
        let view = &model.shown_review()?.view;
        let (id, title) = match view.questions.last() {
            Some(question) => (question.id.to_string(), &question.title),
            None => (view.id.to_string(), &view.title),
        };
        Some((id, words::line(title), "Why it is here"))
    }

    fn mail(&self, model: &Model) -> Option<(ThreadId, String)> {
        let review = model.shown_review().filter(|review| review.has_mail())?;
        Some((review.view.id.clone(), words::line(&review.view.title)))
    }

    fn filters(&self, model: &Model) -> Vec<String> {
        let threads = &model.threads;
        let mut parts = Vec::new();
        if !threads.search.is_empty() {
            parts.push(format!("searching `{}`", words::line(&threads.search.typed)));
        }
        let named = |name: &Option<String>| name.as_ref().map(|name| words::line(name));
        let status = threads.status.map(|status| status.to_string());
        let only: Vec<String> =
            [status, named(&threads.workflow), named(&threads.account)].into_iter().flatten().collect();
        if !only.is_empty() {
            parts.push(format!("only {}", only.join(", ")));
        }
        parts
    }
}
