//! Mail that a rule or the model ignored.

use super::tabs::{Plain, rows};
use super::{card, list};
use crate::inbox::{Block, SkippedLine};
use crate::text::{Visible, pad};
use crate::tui::card::Doc;
use crate::tui::layout::Areas;
use crate::tui::model::Model;
use crate::tui::words;
use ratatui::buffer::Buffer;

/// Mail that was not shown, and why.
pub(super) fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let browse = &model.skipped;
    if browse.rows.is_empty() {
        let (what, next) = if browse.read {
            ("No mail was skipped.", "What a rule or the model ignores is listed here, with the reason.")
        } else {
            ("Looking …", "")
        };
        return list::message(model, areas.list, buf, what, next);
    }
    let mail = |line: &SkippedLine| Plain {
        lead: pad(&words::line(&line.sender), 24),
        style: model.theme.quiet,
        text: words::line(&line.title),
        end: words::age(line.at, model.wall),
    };
    rows(model, browse, areas.list, buf, browse.rows.iter().map(mail));
    let Some(line) = browse.selected().filter(|_| !areas.card.is_empty()) else { return };
    let one = |text: &str| Visible::line(text);
    let at = line.at.to_zoned(model.options.time_zone.clone()).strftime("%a %d %b, %H:%M").to_string();
    let fields = [("from", line.sender.as_str()), ("came", &at), ("skipped because", &line.reason)];
    let fields = fields.map(|(name, value)| (one(name), one(value))).to_vec();
    let how = match &line.thread {
        Some(_) => "C takes it for something else; t shows its thread.",
        None => "A rule skipped it before any thread was started.",
    };
    let doc =
        Doc::page(&line.title, "not shown", vec![Block::Fields(fields), Block::Text(Visible::new(how))]);
    card::page(model, &doc, Default::default(), areas, buf);
}
