//! Mail that was not shown, and taking a mail for something else than triage did.

use super::data;
use crate::graph::{Kind, ThreadId};
use crate::inbox::{ItemKind, SkippedLine};
use crate::text::Visible;
use crate::tui::card::{Doc, Place};
use crate::tui::layer::{Choice, Confirm, Layer, Menu, Then};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Told};

/// What a mail can be taken for, and what comes of that.
const CLASSES: [(&str, &str); 3] = [
    ("ignore", "not worth showing"),
    ("notify", "worth knowing, and no more"),
    ("respond", "wants a reply; a draft is made for you to decide on"),
];

/// The mail that could be taken for something else: thread and title.
fn mail(model: &Model) -> Option<(ThreadId, String)> {
    if model.shows_skipped() {
        let line = model.skipped.selected()?;
        return Some((line.thread.clone()?, Visible::line(&line.title).into_string()));
    }
    if let Some(review) = super::review::shown(model) {
        let title = Visible::line(&review.view.title).into_string();
        return review.has_mail().then(|| (review.view.id.clone(), title));
    }
    let row = model.selected()?;
    let triage = row.kind == ItemKind::Interrupt(Kind::Triage);
    let mails = || model.current().is_some_and(|opened| opened.doc.mails().next().is_some());
    (triage || mails()).then(|| (row.thread.clone(), row.title.clone()))
}

/// Whether the selected row is mail that was triaged.
pub(super) fn can_reclassify(model: &Model) -> bool {
    mail(model).is_some()
}

/// Offers the classes. The menu changes nothing: what is chosen there is asked about.
pub(super) fn offer(model: &mut Model) -> Vec<Cmd> {
    let Some((thread, title)) = mail(model) else { return Vec::new() };
    let row = |(class, about): (&str, &str)| {
        (format!("{class:<8} {about}"), Choice::Reclassify(thread.clone(), title.clone(), class.to_owned()))
    };
    let rows = CLASSES.map(row).to_vec();
    model.push(Layer::Menu(Menu { title: "Take this mail for".to_owned(), rows, cursor: 0 }));
    Vec::new()
}

pub(super) fn confirm(model: &mut Model, thread: ThreadId, title: &str, class: String) -> Vec<Cmd> {
    model.push(Layer::Confirm(Box::new(Confirm {
        title: format!("Take “{title}” for: {class}?"),
        why: "Its thread runs again from triage, and sayso learns from the correction.".to_owned(),
        then: Then::Reclassify(thread, class),
        page: Doc::default(),
        top: Place::default(),
    })));
    Vec::new()
}

pub(super) fn reclassified(model: &mut Model, told: Told<String>) -> Vec<Cmd> {
    match told {
        Ok(class) => model.say(format!("taken for: {class}; its thread runs again")),
        Err(failure) => model.fail(failure.text),
    }
    data::changed(model)
}

pub(super) fn listed(model: &mut Model, told: Told<Vec<SkippedLine>>) -> Vec<Cmd> {
    match told {
        Ok(lines) => {
            let here = model.skipped.selected().and_then(|line| line.thread.clone());
            let stays = lines.iter().position(|line| here.is_some() && line.thread == here);
            model.skipped.cursor = stays.unwrap_or(model.skipped.cursor.min(lines.len().saturating_sub(1)));
            model.skipped.rows = lines;
            model.skipped.read = true;
        }
        Err(failure) => model.fail(failure.text),
    }
    Vec::new()
}
