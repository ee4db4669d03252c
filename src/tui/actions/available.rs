//! Whether an action makes sense now. Dispatch, footer and palette all ask here, and nowhere else.

use crate::graph::{Grantable, Kind};
use crate::inbox::{ItemKind, PROGRAM_ACTIONS};
use crate::tui::actions::Action;
use crate::tui::layers::Layer;
use crate::tui::layout;
use crate::tui::model::Model;
use crate::tui::tabs::Tab;
use crate::tui::tabs::inbox::{Row, history};
use crate::tui::tabs::threads::review;

impl Action {
    /// Ok if the action is available; otherwise the reason as a sentence, or an empty string if none is worth showing.
    pub fn available(self, model: &Model) -> Result<(), &'static str> {
        let in_inbox = model.tab == Tab::Inbox && (model.layer().is_none() || model.shows_help());
        let row = model.selected();
        match self {
            Action::Accept | Action::Ignore | Action::IgnoreQuietly if model.inbox.list.has_marks() => {
                when(in_inbox, "You decide in the inbox · 1 goes there")
            }
            Action::Edit
            | Action::EditOutside
            | Action::Respond
            | Action::AcceptGrant
            | Action::SaveDraft
            | Action::RefuseAndStop
            | Action::Reclassify
            | Action::Unsubscribe
                if model.inbox.list.has_marks() =>
            {
                Err("Marked items can only be accepted, ignored or snoozed together · Esc clears the marks")
            }
            Action::Accept
            | Action::Ignore
            | Action::IgnoreQuietly
            | Action::Edit
            | Action::EditOutside
            | Action::AcceptGrant
            | Action::SaveDraft
            | Action::RefuseAndStop
            | Action::Respond => {
                let Some(row) = row else { return Err("Nothing is selected · j or k selects") };
                if row.is_decided() {
                    return Err("Already decided · u undoes the last decision");
                }
                check_answer(model, row, self)
            }
            Action::Terminal => match model.layer().filter(|_| !model.shows_help()) {
                Some(layer) => when(matches!(layer, Layer::Sessions(_)), ""),
                None => {
                    let is_agent = row.is_some_and(|row| row.action.starts_with(PROGRAM_ACTIONS));
                    when(in_inbox && is_agent, "Only a coding agent has a terminal to go to")
                }
            },
            Action::Snooze => match row {
                Some(row) if row.kind == ItemKind::Result => {
                    Err("Results can't be snoozed · a files them away")
                }
                Some(row) => when(!row.is_decided(), "Already decided"),
                None => when(model.inbox.list.has_marks(), "Nothing is selected · j or k selects"),
            },
            Action::Stop if model.tab == Tab::Threads => {
                let can = model.shown_review().is_some_and(|r| r.is_alive() || r.trouble().is_some());
                when(can, "It has ended")
            }
            Action::NextView
            | Action::PreviousView
            | Action::StateDiff
            | Action::ShowPrompt
            | Action::Unfold
            | Action::PanLeft
            | Action::PanRight
            | Action::Fork
            | Action::Settle
            | Action::Retry
            | Action::Export
            | Action::Answer => review::available(model, self),
            Action::Stop => {
                let running = model.selected_running().is_some();
                let can = row.is_some() || running || model.selected_grant().is_some();
                when(can, "Nothing is selected · j or k selects")
            }
            Action::OpenThread => when(
                crate::tui::tabs::selected_thread(model).is_some(),
                "Nothing is selected · j or k selects",
            ),
            Action::Behind => when(
                model.shows_history() && model.inbox.history.list.selected().is_some(),
                "Past decisions have grants and lessons · gh lists them",
            ),
            Action::Why if model.shows_skipped() => when(
                crate::tui::tabs::inbox::decide::why_target(model).is_some(),
                "A rule of yours skipped it before any thread was started; the card names it",
            ),
            Action::Why => when(
                crate::tui::tabs::inbox::decide::why_target(model).is_some(),
                "Nothing is selected · j or k selects",
            ),
            Action::Archive | Action::Delete | Action::Spam | Action::MoveMail => {
                when(in_inbox && crate::tui::tabs::inbox::away::has_mail(model), "Only mail can be put away")
            }
            Action::PutBack => when(
                history::moved(model).is_some(),
                "Only mail that was moved can be put back · gh lists it",
            ),
            Action::Unsubscribe => when(
                crate::tui::tabs::inbox::mail::unsubscribable_thread(model).is_some(),
                "This mail doesn't say how to leave a list",
            ),
            Action::Reclassify => when(
                crate::tui::tabs::inbox::skipped::can_reclassify(model),
                "Only triaged mail can be reclassified",
            ),
            Action::EditProfile
            | Action::AddLine
            | Action::PinLine
            | Action::RevertProfile
            | Action::History => when(
                model.tab == Tab::Memory && model.memory.list.selected().is_some(),
                "Nothing has been learned yet",
            ),
            Action::Prune => when(
                model.tab == Tab::Activity && !model.activity.pruning,
                "You prune in Activity · 4 goes there",
            ),
            Action::Copy => when(
                model.current().is_some() || matches!(model.layer(), Some(Layer::Menu(_))),
                "There is no card to copy",
            ),
            Action::Open => match model.tab {
                Tab::Inbox if model.shows_running() => when(!model.running.rows.is_empty(), ""),
                Tab::Inbox if model.shows_skipped() => when(!model.inbox.skipped.rows.is_empty(), ""),
                Tab::Inbox if model.shows_history() => when(!model.inbox.history.list.rows.is_empty(), ""),
                Tab::Inbox => when(!model.inbox.list.is_empty(), ""),
                Tab::Activity => Ok(()),
                Tab::Threads => when(!model.threads.rows.is_empty(), "No thread is listed here"),
                Tab::Memory => when(!model.memory.list.rows.is_empty(), ""),
            },
            Action::MarkSame if model.shows_history() => {
                when(history::sender(model).is_some(), "Nobody is named on this one")
            }
            Action::Mark
            | Action::MarkRange
            | Action::MarkAll
            | Action::MarkSame
            | Action::Sort
            | Action::FoldGroup => when(in_inbox && model.shows_items() && !model.inbox.list.is_empty(), ""),
            Action::UnfoldGroups => when(in_inbox && model.shows_items(), ""),
            Action::NextItem | Action::PreviousItem => when(in_inbox || model.tab == Tab::Threads, ""),
            Action::Quotes if model.tab == Tab::Threads => when(review::has_mail(model), ""),
            Action::Quotes => when(
                model.current().is_some_and(|opened| opened.folds.open || opened.doc.has_folds()),
                "Nothing is folded on this card",
            ),
            Action::Pipe => when(model.current().is_some(), ""),
            Action::Headers | Action::Attachments | Action::Links => self.available_on_mail(model),
            Action::SearchNext | Action::SearchPrevious => {
                let has_search = match model.tab {
                    Tab::Threads => !model.threads.search.is_empty(),
                    Tab::Inbox | Tab::Memory | Tab::Activity => !model.inbox.list.search.is_empty(),
                };
                when(has_search, "Nothing to repeat · / searches")
            }
            Action::LastLesson => when(model.inbox.news.has_lesson(), "Nothing was learned lately"),
            Action::NewThread => when(!model.workflows.is_empty(), "There is no workflow to start"),
            Action::Narrow => {
                when(matches!(model.tab, Tab::Inbox | Tab::Threads), "There is nothing to filter here")
            }
            Action::Search => {
                when(matches!(model.tab, Tab::Inbox | Tab::Threads), "There is nothing to search here")
            }
            Action::Complete => when(
                matches!(model.layer(), Some(Layer::Form(form)) if form.fields.get(form.focus).is_some_and(|f| f.path)),
                "",
            ),
            Action::CardDown | Action::CardUp | Action::PageDown | Action::PageUp
                if matches!(model.layer(), Some(Layer::Form(_))) =>
            {
                when(
                    layout::has_card_with_form(model),
                    "No card is shown here · a larger window has room for it",
                )
            }
            Action::Down if matches!(model.layer(), Some(Layer::Confirm(confirm)) if !confirm.scrolls(model)) => {
                Err("")
            }
            Action::Remember => when(matches!(model.layer(), Some(Layer::Form(form)) if form.learns()), ""),
            Action::Drop => when(matches!(model.layer(), Some(Layer::Bulk(_))), ""),
            _ => Ok(()),
        }
    }

    /// Whether the card has a mail, and that mail has what this action shows.
    fn available_on_mail(self, model: &Model) -> Result<(), &'static str> {
        let Some(doc) = model.current().map(|opened| &opened.doc) else { return Err("") };
        when(doc.mails().next().is_some(), "There is no mail on this card")?;
        match self {
            Action::Attachments => {
                when(doc.mails().any(|mail| !mail.attachments.is_empty()), "Nothing is attached")
            }
            Action::Links => when(doc.mails().any(|mail| !mail.links.is_empty()), "It has no links"),
            _ => Ok(()),
        }
    }
}

fn when(can: bool, why: &'static str) -> Result<(), &'static str> {
    if can { Ok(()) } else { Err(why) }
}

/// Whether a card accepts this answer. If not, says why and what it accepts instead.
fn check_answer(model: &Model, row: &Row, answer: Action) -> Result<(), &'static str> {
    match answer {
        Action::Accept if row.allow.accept => Ok(()),
        Action::Accept => Err(match (row.allow.respond, row.allow.edit) {
            (_, true) if row.kind == ItemKind::Interrupt(Kind::Approval) => {
                "This can't be accepted as it is · e fills it in"
            }
            (true, _) => "This can't be accepted: it asks for words · r answers it",
            (false, true) => "This can't be accepted as it is · e fills it in",
            (false, false) => "This can't be accepted from here",
        }),
        Action::SaveDraft => when(row.allow.draft, "Only a reply to a mail can be saved as a draft"),
        Action::AcceptGrant => {
            let offered = model.current().map(|opened| &opened.item.grantable);
            when(
                row.allow.accept && offered.is_some_and(Grantable::is_something),
                "This card has nothing to allow · a accepts it",
            )?;
            when(
                !row.is_warned() || offered.is_some_and(|offered| !offered.remember.is_empty()),
                "It carries a warning, so nothing more can be allowed from it · a accepts only this one",
            )
        }
        Action::RefuseAndStop => {
            let can = model.current().is_some_and(|opened| opened.item.takes_refusals());
            when(can, "Only a coding agent's session can be stopped")
        }
        Action::Edit | Action::EditOutside => when(row.allow.edit, "There is nothing to edit on this card"),
        Action::Respond => when(row.allow.respond, "Nobody reads an answer to this card"),
        _ if row.kind == ItemKind::Result => Err("A result is filed away, not ignored · a does that"),
        _ => when(row.allow.ignore, "This card can't be ignored · a accepts it"),
    }
}
