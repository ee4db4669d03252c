//! What keys do with the selected item, and the list of items as a pane.

use super::bulk::why_marks_apart;
use super::{answer, away, decide, filter, grant, mail, marks, menus, show, view};
use crate::engine::graph::{Grantable, Kind, Labels, ThreadId};
use crate::inbox::door::{Destination, Inbox, MailMove};
use crate::inbox::{ItemKind, ItemLine, PROGRAM_ACTIONS, Question, YOUR_TURN};
use crate::tui::actions::Action;
use crate::tui::card::Folds;
use crate::tui::key_guard::NOTHING_SELECTED;
use crate::tui::layout::{self, Areas, Entry};
use crate::tui::model::{Filter, Focus, Job, Model, Opened, PastEnd, Seen, Tab};
use crate::tui::tabs::page;
use crate::tui::tabs::pane::{Does, Effect, NO_NEXT_MATCH, Pane, named, open_page, page_size, when};
use crate::tui::words;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The items that wait, and the card of the selected one.
pub struct Items;

impl Pane for Items {
    fn does(&self, model: &Model, action: Action) -> Option<Does> {
        let list = &model.inbox.list;
        let listed = |effect: Effect| when(!list.is_empty(), "", effect);
        Some(match action {
            Action::Open if list.is_past_end() => match model.past_end() {
                Some(PastEnd::Skipped(_)) => Ok(|model| show(model, Filter::Skipped)),
                Some(PastEnd::Elsewhere(..)) | None => return None,
            },
            Action::Open => listed(open_page),
            Action::Mark => listed(marks::mark),
            Action::MarkRange => listed(marks::mark_range),
            Action::MarkAll => listed(marks::mark_all),
            Action::MarkSame => listed(marks::mark_same),
            Action::Sort => listed(menus::offer_sorts),
            Action::Search | Action::Narrow => Ok(filter::ask),
            Action::SearchNext | Action::SearchPrevious => Err(NO_NEXT_MATCH),
            _ => return None,
        })
    }

    /// After the last item comes the line about skipped mail.
    fn step(&self, model: &mut Model, by: isize) {
        let goes_past_end = by > 0 && model.focus == Focus::List && model.past_end().is_some();
        let list = &mut model.inbox.list;
        let is_last = list.selected().is_some() && list.cursor() + 1 == list.len();
        match (list.is_past_end(), by) {
            (true, 1..) => {}
            (true, _) => list.select(list.len().saturating_add_signed(by)),
            (false, _) if goes_past_end && (is_last || list.is_empty()) => list.select_past_end(),
            (false, _) => list.step(by),
        }
    }

    fn click(&self, model: &mut Model, line: u16) {
        let area = layout::item_rows(model, layout::areas(model).list);
        let entries = layout::entries(&model.inbox.list, area);
        let hit = entries.iter().find(|(from, height, _)| (*from..from + height).contains(&line));
        match hit {
            Some((_, _, Entry::Row(position))) => model.inbox.list.select(*position),
            None if model.past_end().is_some() && layout::end_of(&entries) == line => {
                model.inbox.list.select_past_end();
            }
            _ => {}
        }
    }

    fn keep_visible(&self, model: &mut Model, area: Rect) {
        let area = layout::item_rows(model, area);
        let list = &mut model.inbox.list;
        list.top = match list.selected() {
            Some(_) => layout::top_for(list, area),
            None if list.is_past_end() => layout::top_for(list, area),
            None => list.top.min(list.len().saturating_sub(1)),
        };
    }

    fn clear(&self, model: &mut Model) -> bool {
        let list = &mut model.inbox.list;
        if list.has_marks() {
            list.clear_marks();
        } else if !list.narrow.is_empty() {
            list.narrow_to(Default::default(), model.wall);
        } else {
            return false;
        }
        true
    }

    fn filters(&self, model: &Model) -> Vec<String> {
        let narrow = Some(&model.inbox.list.narrow).filter(|narrow| !narrow.is_empty());
        narrow.map(|narrow| format!("filtered by `{}`", words::line(&narrow.typed))).into_iter().collect()
    }

    fn scroll(&self, model: &mut Model, by: isize) {
        let size = page_size(model);
        if let Some(opened) = opened(model) {
            opened.top = page::scrolled(&opened.doc, opened.top, by, size);
        }
    }

    fn part(&self, model: &mut Model, forward: bool) {
        let (width, height) = page_size(model);
        if let Some(opened) = opened(model) {
            opened.top = opened.doc.part(opened.top, forward, width, height);
        }
    }

    fn draw(&self, model: &Model, areas: &Areas, buf: &mut Buffer) -> Seen {
        view::draw(model, areas, buf)
    }

    fn footer(&self, model: &Model) -> Vec<(Action, String)> {
        footer(model)
    }

    fn thread(&self, model: &Model) -> Option<ThreadId> {
        model.selected().map(|row| row.thread.clone())
    }

    fn about(&self, model: &Model) -> Option<(String, String, &'static str)> {
        model.selected().map(|row| (row.id.clone(), row.title.clone(), "Why it is here"))
    }

    fn mail(&self, model: &Model) -> Option<(ThreadId, String)> {
        let row = model.selected()?;
        let is_triage = row.kind == ItemKind::Question(Kind::Triage);
        let has_mail = || model.current().is_some_and(|opened| opened.doc.mails().next().is_some());
        (is_triage || has_mail()).then(|| (row.thread.clone(), row.title.clone()))
    }
}

/// The card shown, if it is up to date.
fn opened(model: &mut Model) -> Option<&mut Opened> {
    model.current()?;
    model.inbox.opened.as_mut()
}

/// What an action does with the selected item or its mails, in any pane; most do nothing where no item is selected.
pub fn does(model: &Model, action: Action) -> Option<Does> {
    let (row, current, has_marks) = (model.selected(), model.current(), model.has_marks());
    Some(match action {
        Action::Accept | Action::Ignore | Action::IgnoreQuietly if has_marks => Ok(take(action)),
        Action::Edit
        | Action::EditOutside
        | Action::Respond
        | Action::AcceptGrant
        | Action::Maybe
        | Action::SaveDraft
        | Action::RefuseAndStop
        | Action::Reclassify
        | Action::Unsubscribe
            if has_marks =>
        {
            Err(
                "Together, marked items are accepted, ignored or snoozed, and mail is put away · <clear> clears the marks",
            )
        }
        Action::Accept | Action::Ignore | Action::IgnoreQuietly | Action::Maybe | Action::SaveDraft => {
            on_open_item(model, action, take(action))
        }
        Action::Edit => on_open_item(model, action, answer::edit),
        Action::EditOutside => on_open_item(model, action, answer::edit_outside),
        Action::AcceptGrant => on_open_item(model, action, grant::offer),
        Action::RefuseAndStop => on_open_item(model, action, decide::ask_to_stop),
        Action::Respond => on_open_item(model, action, answer::respond),
        Action::Terminal => {
            let is_agent = row.is_some_and(|row| row.action.starts_with(PROGRAM_ACTIONS));
            when(is_agent, "Only a coding agent has a terminal to go to", go_to_terminal)
        }
        Action::Snooze => match row {
            _ if menus::to_snooze(model).next().is_some() => Ok(menus::offer_snooze),
            _ if has_marks => Err("None of the marked items can be snoozed · <clear> clears the marks"),
            Some(row) if row.kind == ItemKind::Result => {
                Err("Results can't be snoozed · <accept> files them away")
            }
            Some(_) => Err("Already decided"),
            None => Err(no_item(model)),
        },
        Action::Archive => {
            on_mail(model, |model| away::put_away(model, MailMove::Away(Destination::Archive)))
        }
        Action::Delete => on_mail(model, |model| away::put_away(model, MailMove::Away(Destination::Trash))),
        Action::Spam => on_mail(model, |model| away::put_away(model, MailMove::Away(Destination::Spam))),
        Action::Mute => on_mail(model, |model| away::put_away(model, MailMove::Mute)),
        Action::MoveMail => on_mail(model, away::ask_folder),
        Action::PutBack => Err("Only mail that was moved can be put back · <show_decisions> lists it"),
        Action::Behind => Err("Past decisions have grants and lessons · <show_decisions> lists them"),
        Action::Unsubscribe => {
            let can = mail::unsubscribable_thread(model).is_some();
            when(can, "This mail doesn't say how to leave a list", mail::unsubscribe)
        }
        Action::Copy => when(current.is_some(), "There is no card to copy", copy),
        Action::Pipe => when(current.is_some(), "", mail::ask_pipe),
        Action::Quotes => {
            let has_folds = current.is_some_and(|opened| opened.folds.open || opened.doc.has_folds());
            when(has_folds, "Nothing is folded on this card", |model| {
                fold(model, |folds| folds.open = !folds.open);
            })
        }
        Action::Headers | Action::Attachments | Action::Links => on_mail_of_card(model, action),
        Action::Search | Action::Narrow | Action::SearchNext | Action::SearchPrevious => {
            Err("There is nothing to search here")
        }
        _ => return None,
    })
}

fn take(action: Action) -> Effect {
    match action {
        Action::Accept => |model| decide::take(model, Action::Accept),
        Action::Maybe => |model| decide::take(model, Action::Maybe),
        Action::SaveDraft => |model| decide::take(model, Action::SaveDraft),
        Action::IgnoreQuietly => |model| decide::take(model, Action::IgnoreQuietly),
        _ => |model| decide::take(model, Action::Ignore),
    }
}

/// An answer to the selected item, if it is open and accepts this answer.
fn on_open_item(model: &Model, action: Action, effect: Effect) -> Does {
    let Some(row) = model.selected() else { return Err(no_item(model)) };
    if row.is_decided() {
        return Err("Already decided · <undo> undoes the last decision");
    }
    check_answer(model, row, action).map(|()| effect)
}

/// Why there is no item to act on.
fn no_item(model: &Model) -> &'static str {
    match (model.shows_items(), model.inbox.list.is_past_end()) {
        (true, false) => NOTHING_SELECTED,
        (true, true) => "This line is no item",
        (false, _) if model.tab == Tab::Inbox => "Nothing is left to decide in this list",
        (false, _) => "You decide in the inbox · <inbox> goes there",
    }
}

fn on_mail(model: &Model, effect: Effect) -> Does {
    when(away::has_mail(model), "Only mail can be put away", effect)
}

/// What an action shows of the card's mails, if they have it.
fn on_mail_of_card(model: &Model, action: Action) -> Does {
    const NO_MAIL: &str = "No card with a mail is shown";
    if let Some(review) = model.shown_review().filter(|_| action == Action::Attachments) {
        return when(review.has_mail(), "There is no mail in this thread", mail::attachments);
    }
    let Some(doc) = model.current().map(|opened| &opened.doc) else { return Err(NO_MAIL) };
    if doc.mails().next().is_none() {
        return Err("There is no mail on this card");
    }
    match action {
        Action::Attachments => {
            let has_some = doc.mails().any(|mail| !mail.attachments.is_empty());
            when(has_some, "Nothing is attached", mail::attachments)
        }
        Action::Links => when(doc.mails().any(|mail| !mail.links.is_empty()), "It has no links", mail::links),
        _ => Ok(|model| fold(model, |folds| folds.headers = !folds.headers)),
    }
}

/// Whether a card accepts this answer. If not, says why and what it accepts instead.
fn check_answer(model: &Model, row: &ItemLine, answer: Action) -> Result<(), &'static str> {
    let when = |can: bool, why: &'static str| if can { Ok(()) } else { Err(why) };
    match answer {
        Action::Accept if row.allow.accept => Ok(()),
        Action::Accept => Err(match (row.allow.respond, row.allow.edit) {
            (_, true) if row.kind == ItemKind::Question(Kind::Approval) => {
                "This can't be accepted as it is · <edit> fills it in"
            }
            (true, _) => "This can't be accepted: it asks for words · <respond> answers it",
            (false, true) => "This can't be accepted as it is · <edit> fills it in",
            (false, false) => "This can't be accepted here",
        }),
        Action::Maybe => {
            let can = model.question().is_some_and(Question::is_invitation);
            when(can, "Only an invitation can be answered with maybe")
        }
        Action::SaveDraft => when(row.allow.draft, "Only a reply to a mail can be saved as a draft"),
        Action::AcceptGrant => {
            let offered = model.question().map(|question| &question.grantable);
            when(
                row.allow.accept && offered.is_some_and(Grantable::is_something),
                "This card has nothing to allow · <accept> accepts it",
            )?;
            when(
                !row.is_warned() || offered.is_some_and(|offered| !offered.remember.is_empty()),
                "It carries a warning, so nothing more can be allowed from it · <accept> accepts only this one",
            )
        }
        Action::RefuseAndStop => {
            let can = model.question().is_some_and(Question::takes_refusals);
            when(can, "Only a coding agent's session can be stopped")
        }
        Action::Edit | Action::EditOutside => when(row.allow.edit, "There is nothing to edit on this card"),
        Action::Respond => when(row.allow.respond, "Nobody reads an answer to this card"),
        _ if row.kind == ItemKind::Result => Err("A result is filed away, not ignored · <accept> does that"),
        _ => when(row.allow.ignore, "This card can't be ignored · <accept> accepts it"),
    }
}

/// Goes to the terminal of the agent that asks about the selected item.
fn go_to_terminal(model: &mut Model) {
    if let Some(thread) = model.selected().map(|row| row.thread.clone()) {
        model.tell(async move |inbox: Inbox| inbox.sessions().focus_asker(thread).await);
    }
}

/// Copies the card to the clipboard.
fn copy(model: &mut Model) {
    if let Some(text) = model.current().map(|opened| opened.item.text().to_owned()) {
        model.jobs.push(Job::Copy(text));
    }
}

/// Folds or unfolds parts of the card.
fn fold(model: &mut Model, change: impl FnOnce(&mut Folds)) {
    let (width, height) = page_size(model);
    if let Some(opened) = &mut model.inbox.opened {
        change(&mut opened.folds);
        opened.cut();
        opened.top = opened.top.min(opened.doc.end(width, height));
    }
}

/// The actions on the selected or marked items.
fn footer(model: &Model) -> Vec<(Action, String)> {
    let mut actions = Vec::new();
    let count = model.inbox.list.mark_count();
    if count > 0 {
        if why_marks_apart(model).is_none() {
            actions.push((Action::Accept, format!("accept {count}")));
            actions.push((Action::Ignore, format!("ignore {count}")));
        }
        let snoozed = menus::to_snooze(model).count();
        actions.extend((snoozed > 0).then(|| (Action::Snooze, format!("snooze {snoozed}"))));
    } else if model.selected().is_some() {
        actions.extend(answers(model));
    }
    actions.extend(match model.focus {
        Focus::List => named([(Action::Open, "read"), (Action::Mark, "mark")]),
        Focus::Card => named([
            (Action::Quotes, if model.is_unfolded() { "fold" } else { "unfold" }),
            (Action::Headers, "headers"),
            (Action::Attachments, "attached"),
            (Action::Links, "links"),
        ]),
    });
    actions
}

/// What each key would answer the card, in its own words.
fn answers(model: &Model) -> Vec<(Action, String)> {
    let Labels { accept, edit, respond, ignore, .. } =
        model.current().map(|opened| opened.item.labels()).unwrap_or_default();
    let label =
        |own: Option<String>, usual: &str| own.map_or_else(|| usual.to_owned(), |own| words::line(&own));
    let reads_on = model.current().is_some_and(|opened| {
        let (width, height) = page_size(model);
        opened.end_seen.is_none() && !opened.doc.end_in_sight(opened.top, width, height)
    });
    let is_invitation = model.question().is_some_and(Question::is_invitation);
    let mut answers = Vec::new();
    if reads_on {
        answers.push((Action::Accept, "read on".to_owned()));
    } else if is_invitation {
        answers.extend(decide::INVITATION_KEYS.map(|(action, coming)| (action, coming.word().to_owned())));
    } else {
        answers.push((Action::Accept, label(accept, "accept")));
    }
    let always = (Action::AcceptGrant, "allow always…".to_owned());
    let asks_often = model.selected().is_some_and(|row| row.action.starts_with(PROGRAM_ACTIONS));
    answers.extend(Some(always.clone()).filter(|_| asks_often && !reads_on));
    answers.push((Action::Edit, label(edit, "edit")));
    match model.selected().map(|row| row.action.as_str()) {
        Some("failed") => answers.push((Action::TakeOver, "take over".to_owned())),
        Some(YOUR_TURN) if model.question().is_some_and(|question| question.give_back) => {
            answers.push((Action::TakeOver, "give it back".to_owned()));
        }
        _ => {}
    }
    answers.push((Action::Respond, label(respond, "tell the agent")));
    let ignore_key = if is_invitation { Action::IgnoreQuietly } else { Action::Ignore };
    let is_kept = model.question().is_some_and(Question::is_kept_as_draft);
    answers.push((ignore_key, if is_kept { "keep as a draft".to_owned() } else { label(ignore, "ignore") }));
    let rest = [
        (Action::RefuseAndStop, "stop the session"),
        (Action::Snooze, "later"),
        (Action::SaveDraft, "draft"),
    ];
    answers.extend(named(rest));
    answers.extend(Some(always).filter(|_| !asks_often && !reads_on));
    answers
}
