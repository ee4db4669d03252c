//! A key becomes an action, and the action happens where it is available.

use crate::graph::Kind;
use crate::inbox::ItemKind;
use crate::tui::keys::{Action, Lookup};
use crate::tui::layers::{self, Ask, Help, Prompt, form};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Past, Press};
use crate::tui::safe;
use crate::tui::tabs::inbox::{Filter, decide, grants, mail, marks, menus, skipped};
use crate::tui::tabs::{self, Focus, Tab, activity, memory, moves};

pub fn pressed(model: &mut Model, press: Press) -> Vec<Cmd> {
    model.now = model.now.max(press.at);
    safe::heard(model, press);
    model.pending.push(press.key);
    let scopes = model.scopes();
    let cmds = match model.keymap.lookup(&scopes, &model.pending) {
        Lookup::Begun => Vec::new(),
        Lookup::Found(action) => {
            model.pending.clear();
            match action.available(model) {
                Ok(()) => act(model, action, press),
                Err(why) => {
                    if !why.is_empty() {
                        model.say(why);
                    }
                    Vec::new()
                }
            }
        }
        Lookup::Nothing => {
            let alone = model.pending.len() == 1;
            model.pending.clear();
            if alone { layers::type_key(model, press.key) } else { Vec::new() }
        }
    };
    model.last_key = Some((press.key, press.at));
    cmds
}

pub fn act(model: &mut Model, action: Action, press: Press) -> Vec<Cmd> {
    if model.layer().is_some() {
        return layers::act(model, action, press);
    }
    match action {
        Action::TabInbox => tabs::go(model, Tab::Inbox),
        Action::TabThreads => tabs::go(model, Tab::Threads),
        Action::TabMemory => tabs::go(model, Tab::Memory),
        Action::TabActivity => tabs::go(model, Tab::Activity),
        Action::NextTab => tabs::turn(model, 1),
        Action::PreviousTab => tabs::turn(model, 3),
        Action::ShowAll => show(model, Filter::All),
        Action::ShowApprovals => show(model, Filter::Kind(ItemKind::Interrupt(Kind::Approval))),
        Action::ShowTriage => show(model, Filter::Kind(ItemKind::Interrupt(Kind::Triage))),
        Action::ShowQuestions => show(model, Filter::Kind(ItemKind::Interrupt(Kind::Question))),
        Action::ShowTrouble => show(model, Filter::Kind(ItemKind::Interrupt(Kind::Trouble))),
        Action::ShowResults => show(model, Filter::Kind(ItemKind::Result)),
        Action::ShowSnoozed => show(model, Filter::Snoozed),
        Action::ShowHeld => show(model, Filter::Held),
        Action::ShowRunning => show(model, Filter::Running),
        Action::ShowSkipped => show(model, Filter::Skipped),
        Action::Search => prompt(model, Ask::Search),
        Action::Narrow if model.tab == Tab::Threads => crate::tui::tabs::threads::offer_filters(model),
        Action::Narrow => prompt(model, Ask::Narrow),
        Action::Palette => prompt(model, Ask::Palette),
        Action::SearchNext => moves::find(model, true),
        Action::SearchPrevious => moves::find(model, false),
        Action::Help => {
            model.push(Help::default());
            Vec::new()
        }
        Action::NewThread => form::choose_workflow(model),
        Action::Undo => decide::undo(model, press),
        Action::Pause => {
            let paused = model.overview.as_ref().is_some_and(|overview| overview.paused);
            vec![Cmd::Pause(!paused)]
        }
        Action::FetchMail => vec![Cmd::FetchMail],
        Action::Clear => clear(model),
        Action::Back => tabs::back(model),
        Action::Quit => layers::quit(model),
        Action::CloseLayer => {
            model.say("Q quits; Ctrl-C closes what is open");
            Vec::new()
        }
        Action::Redraw => vec![Cmd::Redraw],
        Action::Suspend => vec![Cmd::Suspend],
        Action::Down
        | Action::Up
        | Action::Top
        | Action::Bottom
        | Action::PageDown
        | Action::PageUp
        | Action::CardDown
        | Action::CardUp
        | Action::NextItem
        | Action::PreviousItem
        | Action::NextPart
        | Action::PreviousPart
        | Action::Quotes
        | Action::Headers
        | Action::Open
        | Action::Leave => moves::act(model, action),
        Action::Attachments => mail::attachments(model),
        Action::Links => mail::links(model),
        Action::Pipe => mail::ask_pipe(model),
        Action::Mark | Action::MarkRange | Action::MarkAll | Action::MarkSame => marks::mark(model, action),
        Action::Sort => menus::offer_sorts(model),
        Action::Accept | Action::Ignore | Action::IgnoreQuietly | Action::SaveDraft => {
            decide::act(model, action, press)
        }
        Action::AcceptGrant => grants::offer(model, press),
        Action::Reclassify => skipped::offer(model),
        Action::Why => decide::ask_why(model),
        Action::Stop if model.selected_grant().is_some() => grants::revoke(model, press),
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
        | Action::Answer => crate::tui::tabs::threads::review::act(model, action, press),
        Action::Stop if model.tab == Tab::Threads => {
            crate::tui::tabs::threads::review::act(model, action, press)
        }
        Action::Stop => decide::stop(model, press),
        Action::Prune => activity::offer_prune(model),
        Action::EditProfile => memory::edit(model),
        Action::AddLine => memory::ask_line(model),
        Action::PinLine => memory::ask_pins(model),
        Action::RevertProfile => memory::ask_past(model, Past::Revert),
        Action::History => memory::ask_past(model, Past::Read),
        Action::Edit => form::edit(model),
        Action::EditOutside => form::edit_outside(model),
        Action::Respond => form::respond(model),
        Action::Snooze => menus::offer_snooze(model),
        Action::OpenThread => crate::tui::tabs::threads::open_thread(model),
        Action::Copy => decide::copy(model),
        Action::Yes
        | Action::No
        | Action::Drop
        | Action::Wait
        | Action::TakeBack
        | Action::GoNow
        | Action::NextField
        | Action::PreviousField
        | Action::Submit
        | Action::Outside
        | Action::Remember
        | Action::Complete
        | Action::LeaveForm
        | Action::Choose
        | Action::Cancel => Vec::new(),
    }
}

fn prompt(model: &mut Model, ask: Ask) -> Vec<Cmd> {
    let text = match (ask, model.tab) {
        (Ask::Search, Tab::Threads) => &model.threads.search,
        (Ask::Narrow, _) => model.list.narrow.typed(),
        _ => "",
    };
    let prompt = Prompt::new(ask, text);
    model.push(prompt);
    Vec::new()
}

/// Shows other rows of the inbox, from their first on.
fn show(model: &mut Model, filter: Filter) -> Vec<Cmd> {
    let mut cmds = tabs::go(model, Tab::Inbox);
    model.list.filter = filter;
    model.focus = Focus::List;
    model.list.marks.clear();
    model.list.arrange(model.wall);
    model.list.select(0);
    match filter {
        Filter::Running => cmds.push(Cmd::Running),
        Filter::Skipped => cmds.extend(skipped::read(model)),
        Filter::All | Filter::Kind(_) | Filter::Snoozed | Filter::Held => {}
    }
    cmds
}

/// Takes back what narrows the view, the nearest first.
fn clear(model: &mut Model) -> Vec<Cmd> {
    if model.focus == Focus::Card {
        model.focus = Focus::List;
    } else if !model.list.marks.is_empty() {
        model.list.marks.clear();
    } else if !model.list.search.is_empty() {
        model.list.search = Default::default();
    } else if !model.list.narrow.is_empty() {
        model.list.narrow = Default::default();
        model.list.arrange(model.wall);
    } else if model.tab == Tab::Threads
        && let Some(cmds) = crate::tui::tabs::threads::clear(model)
    {
        return cmds;
    } else if model.tab == Tab::Inbox && model.list.filter != Filter::All {
        return show(model, Filter::All);
    } else {
        model.note = None;
    }
    Vec::new()
}
