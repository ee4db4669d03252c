//! Whether an action means something now. Dispatch, footer and palette ask here, and nowhere else.

use crate::inbox::ItemKind;
use crate::tui::actions::Action;
use crate::tui::layers::Layer;
use crate::tui::model::Model;
use crate::tui::tabs::Tab;
use crate::tui::tabs::threads::review;

impl Action {
    /// Nothing if it is available; why it is not, in a sentence or in no words at all.
    pub fn available(self, model: &Model) -> Result<(), &'static str> {
        let inbox = model.tab == Tab::Inbox && model.layer().is_none();
        let row = model.selected();
        let when = |can: bool, why: &'static str| if can { Ok(()) } else { Err(why) };
        match self {
            Action::Accept | Action::Ignore | Action::IgnoreQuietly if !model.inbox.list.marks.is_empty() => {
                when(inbox, "decisions are taken in the inbox; 1 goes there")
            }
            Action::Edit
            | Action::EditOutside
            | Action::Respond
            | Action::AcceptGrant
            | Action::SaveDraft
            | Action::RefuseAndStop
            | Action::Reclassify
            | Action::Unsubscribe
                if !model.inbox.list.marks.is_empty() =>
            {
                Err("marked items can be accepted, ignored or snoozed together; Esc clears the marks")
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
                let Some(row) = row else { return Err("nothing is selected; j or k selects an item") };
                if row.is_decided() {
                    return Err("it is decided already; u takes the last decision back");
                }
                let allowed = match self {
                    Action::Accept => row.allow.accept,
                    Action::SaveDraft => row.allow.draft,
                    Action::AcceptGrant => {
                        let offered =
                            model.current().is_some_and(|opened| opened.item.grantable.is_something());
                        return when(
                            offered && row.allow.accept,
                            "this card offers nothing to allow; a accepts it",
                        );
                    }
                    Action::RefuseAndStop => {
                        let can = model.current().is_some_and(|opened| opened.item.takes_refusals());
                        return when(can, "only a coding agent's session can be stopped");
                    }
                    Action::Edit | Action::EditOutside => row.allow.edit,
                    Action::Respond => row.allow.respond,
                    _ => row.allow.ignore,
                };
                when(allowed, "this item takes no such answer; the footer shows what it takes")
            }
            Action::Snooze => match row {
                Some(row) if row.kind == ItemKind::Result => Err("results are filed away, not snoozed"),
                Some(row) => when(!row.is_decided(), "it is decided already"),
                None => {
                    when(!model.inbox.list.marks.is_empty(), "nothing is selected; j or k selects an item")
                }
            },
            Action::Stop if model.tab == Tab::Threads => {
                let can = review::shown(model).is_some_and(|r| r.is_alive() || r.trouble().is_some());
                when(can, "it has ended; there is nothing to stop")
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
                when(can, "nothing is selected; j or k selects an item")
            }
            Action::OpenThread => when(
                crate::tui::tabs::thread_here(model).is_some(),
                "nothing is selected; j or k selects an item",
            ),
            Action::Why if model.shows_skipped() => when(
                crate::tui::tabs::inbox::decide::why_here(model).is_some(),
                "a rule of yours skipped it before any thread was started; the card names it",
            ),
            Action::Why => when(
                crate::tui::tabs::inbox::decide::why_here(model).is_some(),
                "nothing is selected; j or k selects an item",
            ),
            Action::Archive | Action::Delete | Action::Spam | Action::MoveMail => when(
                inbox && crate::tui::tabs::inbox::away::has_mail(model),
                "only mail is put away; j or k selects one",
            ),
            Action::Unsubscribe => when(
                crate::tui::tabs::inbox::mail::list_here(model).is_some(),
                "this mail came by no list that it says how to leave",
            ),
            Action::Reclassify => when(
                crate::tui::tabs::inbox::skipped::can_reclassify(model),
                "only mail that was triaged can be taken for something else",
            ),
            Action::EditProfile
            | Action::AddLine
            | Action::PinLine
            | Action::RevertProfile
            | Action::History => when(
                model.tab == Tab::Memory && model.memory.list.selected().is_some(),
                "nothing is learned yet",
            ),
            Action::Prune => when(
                model.tab == Tab::Activity && !model.activity.pruning,
                "old threads are let go of in Activity; 4 goes there",
            ),
            Action::Copy => when(
                model.current().is_some() || matches!(model.layer(), Some(Layer::Menu(_))),
                "there is no card to copy",
            ),
            Action::Open => match model.tab {
                Tab::Inbox if model.shows_running() => when(!model.running.rows.is_empty(), ""),
                Tab::Inbox if model.shows_skipped() => when(!model.inbox.skipped.rows.is_empty(), ""),
                Tab::Inbox if model.shows_history() => when(!model.inbox.history.list.rows.is_empty(), ""),
                Tab::Inbox => when(!model.inbox.list.is_empty(), ""),
                Tab::Activity => Ok(()),
                Tab::Threads => when(!model.threads.rows.is_empty(), ""),
                Tab::Memory => when(!model.memory.list.rows.is_empty(), ""),
            },
            Action::Mark | Action::MarkRange | Action::MarkAll | Action::MarkSame | Action::Sort => {
                when(inbox && model.shows_items() && !model.inbox.list.is_empty(), "")
            }
            Action::NextItem | Action::PreviousItem => when(inbox || model.tab == Tab::Threads, ""),
            Action::Quotes if model.tab == Tab::Threads => when(review::has_mail(model), ""),
            Action::Quotes | Action::Pipe => when(model.current().is_some(), ""),
            Action::Headers | Action::Attachments | Action::Links => {
                let Some(doc) = model.current().map(|opened| &opened.doc) else { return Err("") };
                when(doc.mails().next().is_some(), "there is no mail in this card")?;
                match self {
                    Action::Attachments => {
                        when(doc.mails().any(|mail| !mail.attachments.is_empty()), "nothing is attached")
                    }
                    Action::Links => {
                        when(doc.mails().any(|mail| !mail.links.is_empty()), "it holds no links")
                    }
                    _ => Ok(()),
                }
            }
            Action::SearchNext | Action::SearchPrevious => {
                when(!model.inbox.list.search.is_empty(), "nothing was searched for; / searches")
            }
            Action::NewThread => when(!model.workflows.is_empty(), "no workflow is built in"),
            Action::Narrow => {
                when(matches!(model.tab, Tab::Inbox | Tab::Threads), "there is nothing to narrow here")
            }
            Action::Search => {
                when(matches!(model.tab, Tab::Inbox | Tab::Threads), "there is nothing to search here")
            }
            Action::Complete => when(
                matches!(model.layer(), Some(Layer::Form(form)) if form.fields.get(form.focus).is_some_and(|f| f.path)),
                "",
            ),
            Action::Remember => when(matches!(model.layer(), Some(Layer::Form(form)) if form.learns()), ""),
            Action::Drop => when(matches!(model.layer(), Some(Layer::Bulk(_))), ""),
            _ => Ok(()),
        }
    }
}
