//! One decision for all marked items: one kind and one tool at a time, after a list to confirm.

use super::send;
use crate::engine::graph::{Decision, InterruptId, Kind, ThreadId};
use crate::inbox::door::action_words;
use crate::inbox::{ANSWER_INVITATION, DecisionRequest, ItemKind, ItemLine, unsent_edit_key};
use crate::text::{count_noun, width, wrap};
use crate::tui::actions::{Action, Scope};
use crate::tui::layers::{cells, draw_keys, half_page, screen};
use crate::tui::layout::centred;
use crate::tui::model::{DecisionKind, Model, Popup, Rows};
use crate::tui::{draw, words};
use ratatui::layout::Rect;
use ratatui::terminal::Frame;
use ratatui::text::Line;

/// A wider box is hard to read.
const MAX_WIDTH: u16 = 110;

/// One decision on many items, before it is confirmed.
struct Bulk {
    kind: DecisionKind,
    /// The items: each title, and its decision or, for a result, the thread to file away. The
    /// selected one can be left out.
    list: Rows<(String, BulkItem)>,
    /// Titles of the items left out, each with the reason.
    left_out: Vec<String>,
}

enum BulkItem {
    Decide(DecisionRequest),
    FileAway(ThreadId),
}

/// Opens the list to confirm, or says why it cannot.
pub fn ask(model: &mut Model, action: Action) {
    let marked: Vec<ItemLine> = model.inbox.list.marked().into_iter().cloned().collect();
    let bulk = Bulk::new(&marked, action, |row| model.drafts.contains_key(&unsent_edit_key(&row.id)));
    match bulk {
        Ok(bulk) => model.push(bulk),
        Err(why) => model.refuse(&why),
    }
}

impl Bulk {
    fn new(
        marked: &[ItemLine],
        action: Action,
        has_unsent_edit: impl Fn(&ItemLine) -> bool,
    ) -> Result<Bulk, String> {
        if let Some(why) = why_apart(marked.iter()) {
            return Err(words::capitalized(&why));
        }
        let are_results = marked.iter().all(|row| row.kind == ItemKind::Result);
        let (kind, decision) = match action {
            Action::Accept if are_results => (DecisionKind::Filed, Decision::Accept),
            Action::Accept => (DecisionKind::Accepted, Decision::Accept),
            _ => (DecisionKind::Ignored, Decision::Ignore),
        };
        let mut bulk = Bulk { kind, list: Rows::default(), left_out: Vec::new() };
        for row in marked {
            // Nothing that somebody wrote is thrown away.
            let is_kept = row.is_kept_as_draft && decision == Decision::Ignore;
            let decision = if is_kept { Decision::Draft } else { decision.clone() };
            let item = match (InterruptId::parse(&row.id), row.hash) {
                (Ok(id), Some(hash)) => BulkItem::Decide(DecisionRequest::on_screen(
                    id,
                    hash,
                    decision.clone(),
                    action != Action::IgnoreQuietly,
                )),
                _ => BulkItem::FileAway(row.thread.clone()),
            };
            let why_left_out = if row.is_decided() {
                "already decided"
            } else if !row.allow.permits(&decision) {
                "can't be answered that way"
            } else if row.action == ANSWER_INVITATION && decision == Decision::Accept {
                "is answered one at a time"
            } else if row.is_warned() && decision == Decision::Accept {
                "carries a warning"
            } else if has_unsent_edit(row) && decision == Decision::Accept {
                "has changes you haven't sent"
            } else {
                let kept = if is_kept { " · kept as a draft" } else { "" };
                bulk.list.rows.push((words::line(&format!("{}{kept}", row.title)), item));
                continue;
            };
            bulk.left_out.push(words::line(&format!("{}: {why_left_out}", row.title)));
        }
        if marked.iter().all(|row| row.is_kept_as_draft) && kind == DecisionKind::Ignored {
            bulk.kind = DecisionKind::Drafted;
        }
        if bulk.list.rows.is_empty() {
            return Err(format!("Nothing is left to decide together: {}", bulk.left_out.join("; ")));
        }
        Ok(bulk)
    }
}

/// Why the marked items can't be decided together; `None` if they can.
pub fn why_marks_apart(model: &Model) -> Option<String> {
    why_apart(model.inbox.list.marked().into_iter())
}

/// Why these items can't be decided together: they are of several kinds or for several tools, or trouble.
fn why_apart<'a>(rows: impl Iterator<Item = &'a ItemLine>) -> Option<String> {
    let mut kinds: Vec<(ItemKind, Vec<String>)> = Vec::new();
    for row in rows {
        let action = words::line(&action_words(&row.workflow, &row.action));
        match kinds.iter_mut().find(|(kind, _)| *kind == row.kind) {
            Some((_, actions)) if actions.contains(&action) => {}
            Some((_, actions)) => actions.push(action),
            None => kinds.push((row.kind, vec![action])),
        }
    }
    match kinds.as_slice() {
        [(ItemKind::Question(Kind::Trouble), _)] => Some("trouble is decided one at a time".to_owned()),
        [] => None,
        [(_, actions)] if actions.len() == 1 => None,
        several => {
            let named = several.iter().map(|(kind, actions)| match actions.as_slice() {
                [_] => words::kinds(*kind).to_owned(),
                actions => format!("{} ({})", words::kinds(*kind), actions.join(", ")),
            });
            let named = named.collect::<Vec<_>>().join(", ");
            Some(format!("only one kind and one tool can be decided at a time; you marked {named}"))
        }
    }
}

/// A text after a bullet, on as many lines as it needs.
fn bulleted(text: &str, room: usize) -> Vec<String> {
    // Every item has a line, even one without a title.
    let text = if text.is_empty() { " " } else { text };
    let lines = wrap(text, room.saturating_sub(2).max(1)).enumerate();
    lines.map(|(n, line)| format!("{}{line}", if n == 0 { "• " } else { "  " })).collect()
}

impl Popup for Bulk {
    fn scope(&self) -> Scope {
        Scope::Confirm
    }

    fn act(mut self: Box<Self>, model: &mut Model, action: Action) -> Option<Box<dyn Popup>> {
        match action {
            Action::Drop if self.list.selected().is_some() => {
                self.list.rows.remove(self.list.cursor);
                self.list.step(0);
                if self.list.rows.is_empty() {
                    model.say("Nothing is left to decide");
                    return None;
                }
            }
            Action::No => return None,
            Action::Yes => {
                carry_out(model, *self);
                return None;
            }
            action => self.list.act(action, half_page(model)),
        }
        Some(self)
    }

    fn draw(&self, model: &Model, frame: &mut Frame<'_>) -> bool {
        let buf = frame.buffer_mut();
        let theme = &model.theme;
        let screen = screen(model);
        let texts = self.list.rows.iter().map(|(title, _)| title).chain(&self.left_out);
        let longest = texts.map(|text| width(text)).max().unwrap_or(0);
        // The frame takes four columns, and a bullet two.
        let outer_width = cells(longest + 6).clamp(80, MAX_WIDTH).min(screen.width);
        let room = usize::from(outer_width.saturating_sub(4));
        // Rows further away than a screen are neither wrapped nor drawn.
        let screen_lines = usize::from(screen.height);
        let first = self.list.cursor.saturating_sub(screen_lines);
        let rows: Vec<(usize, String)> = self
            .list
            .rows
            .iter()
            .enumerate()
            .skip(first)
            .take(2 * screen_lines + 1)
            .flat_map(|(n, (title, _))| bulleted(title, room).into_iter().map(move |line| (n, line)))
            .collect();
        let left_out: Vec<String> =
            self.left_out.iter().take(screen_lines).flat_map(|why| bulleted(why, room)).collect();
        let outer = centred(screen, outer_width, cells(rows.len() + left_out.len() + 7));
        let inner = draw::frame(buf, outer, "Decide together?", theme.warning);
        let title = format!("{} will be {}:", count_noun(self.list.rows.len(), "item"), self.kind.word());
        draw::text(buf, inner, inner.x, inner.y, &title, theme.title);
        let left_out_height =
            if left_out.is_empty() { 0 } else { cells(left_out.len() + 1).min(inner.height / 3) };
        let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(3 + left_out_height), ..inner };
        let last = rows.iter().rposition(|(n, _)| *n == self.list.cursor).unwrap_or(0);
        let top = (last + 1).saturating_sub(usize::from(list.height.max(1)));
        for (y, (n, text)) in (list.y..list.bottom()).zip(rows.iter().skip(top)) {
            let line = Rect { y, height: 1, ..list };
            draw::text(buf, line, line.x, y, text, theme.text);
            if *n == self.list.cursor {
                buf.set_style(line, theme.selected);
            }
        }
        let (above, below) = (first + top, self.list.rows.len().saturating_sub(first + 2 * screen_lines + 1));
        draw::more(
            &model.theme,
            above..above + usize::from(list.height),
            first + rows.len() + below,
            list,
            buf,
        );
        let left_out_area = Rect { y: list.bottom(), height: left_out_height, ..inner };
        let heading = std::iter::once(Line::styled("left out:", theme.warning));
        draw::lines(
            buf,
            left_out_area,
            heading.chain(left_out.into_iter().map(|line| Line::styled(line, theme.warning))),
        );
        draw_keys(
            model,
            buf,
            inner,
            &[(Action::Yes, "yes, all of them"), (Action::No, "no"), (Action::Drop, "leave this one out")],
        );
        inner.width >= 16 && list.height > 0
    }

    fn footer(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Yes, "yes"), (Action::No, "no"), (Action::Drop, "leave out"), (Action::Down, "down")]
    }

    fn wheel(&mut self, _: &Model, by: isize) {
        self.list.step(by);
    }
}

/// Carries out a confirmed list.
fn carry_out(model: &mut Model, bulk: Bulk) {
    let (mut decisions, mut threads) = (Vec::new(), Vec::new());
    for (_, item) in bulk.list.rows {
        match item {
            BulkItem::Decide(decision) => decisions.push(decision),
            BulkItem::FileAway(thread) => threads.push(thread),
        }
    }
    if !decisions.is_empty() {
        send::decide(model, bulk.kind, decisions);
    }
    if !threads.is_empty() {
        send::file_away(model, threads);
    }
}
