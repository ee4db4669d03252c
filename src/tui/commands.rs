//! What keys do: the pane on the screen says first, then what they do everywhere. Saying changes nothing; before a key
//! that decides does anything, it passes the guard.

use super::actions::Action;
use super::help::Help;
use super::key_guard::{self, Guard};
use super::layout::{self, Areas};
use super::model::{DeferredKey, Filter, Focus, Job, LastDecisionKey, Model, Popup, Press, Tab};
use super::palette::Palette;
use super::tabs::activity::{self, Activity};
use super::tabs::inbox::history::Decided;
use super::tabs::inbox::skipped::{self, Skipped};
use super::tabs::inbox::{self, Items, compose, decide, news, stop, take_over, undo};
use super::tabs::memory::Memory;
use super::tabs::pane::{Does, END, Effect, Pane, open_page, when};
use super::tabs::threads::{self, Threads};
use super::tabs::{quit, sessions, start};
use super::words;
use crate::engine::graph::Kind;
use crate::inbox::door::{Inbox, action_words};
use crate::inbox::{ItemKind, Place, Query};
use crate::tui::card::Doc;
use crate::tui::layers::Page;

/// The pane on the screen.
pub fn pane(model: &Model) -> &'static dyn Pane {
    match (model.tab, model.inbox.list.filter) {
        (Tab::Inbox, Filter::Skipped) => &Skipped,
        (Tab::Inbox, Filter::Decided) => &Decided,
        (Tab::Inbox, Filter::All | Filter::Kind(_) | Filter::Snoozed | Filter::Held) => &Items,
        (Tab::Threads, _) => &Threads,
        (Tab::Memory, _) => &Memory,
        (Tab::Activity, _) => &Activity,
    }
}

/// Ok if an action makes sense now, in the uppermost pop-up or else in the tab; otherwise the reason.
pub fn available(model: &Model, action: Action) -> Result<(), &'static str> {
    match model.popup() {
        Some(popup) => popup.available(model, action),
        None => available_in_tab(model, action),
    }
}

fn available_in_tab(model: &Model, action: Action) -> Result<(), &'static str> {
    does(model, action).map(drop)
}

/// Runs an action in the uppermost pop-up, or else in the tab.
pub fn run(model: &mut Model, action: Action, press: Press) {
    // Whoever presses another key is looking at the card.
    model.early_key.take_if(|_| !action.decides_on_card());
    let does = match model.popup() {
        Some(popup) => popup.available(model, action).map(|()| None),
        None => does(model, action).map(Some),
    };
    match does {
        Err("") => {}
        Err(why) => model.refuse(why),
        Ok(_) if !passes_guard(model, action, press) => {}
        Ok(Some(effect)) => effect(model),
        Ok(None) => model.with_popup(|model, popup| popup.act(model, action)),
    }
}

/// Does what a key meant that has passed its guard meanwhile.
pub fn act(model: &mut Model, action: Action) {
    if let Ok(effect) = does(model, action) {
        effect(model);
    }
}

/// Whether a key may do what it means; if not, says why, waits, or asks. A key that decides is guarded even if nothing
/// here names it.
fn passes_guard(model: &mut Model, action: Action, press: Press) -> bool {
    const TOO_FAST: &str = "Ignored: the keys came too fast";
    let (passes, why) = match action {
        _ if action.decides_on_card() => {
            if !model.has_marks() {
                return passes_card_guard(model, action, press);
            }
            let is_meant = key_guard::is_deliberate(model, press);
            if is_meant {
                model.last_decision_key = Some(LastDecisionKey::new(press.key));
            }
            (is_meant, TOO_FAST)
        }
        Action::Choose if model.popup().is_some_and(Popup::choice_decides) => {
            (key_guard::confirms(model, press), TOO_FAST)
        }
        Action::AcceptGrant => {
            return match key_guard::guard(model, Action::Accept, press) {
                Guard::Rejected(why) | Guard::TooEarly(why) => {
                    model.refuse(why);
                    false
                }
                Guard::Scrolls => {
                    show_more(model, press);
                    false
                }
                Guard::Acts | Guard::Asks | Guard::Waits => true,
            };
        }
        Action::Yes | Action::Wait | Action::TakeBack | Action::GoNow => {
            (key_guard::confirms(model, press), TOO_FAST)
        }
        Action::Submit => (key_guard::confirms(model, press), "Not sent: the keys came too fast"),
        // Decisions taken elsewhere, or before this screen was opened, are undone one press at a time.
        Action::Undo => {
            let is_new = model.undo.is_some() && model.put_away.is_empty();
            (is_new || key_guard::is_deliberate(model, press), "")
        }
        _ => (!action.decides() || key_guard::is_deliberate(model, press), ""),
    };
    if !passes && !why.is_empty() {
        model.say(why);
    }
    passes
}

/// The guard of keys that decide on the card shown.
fn passes_card_guard(model: &mut Model, action: Action, press: Press) -> bool {
    match key_guard::guard(model, action, press) {
        Guard::Acts => {
            model.last_decision_key = Some(LastDecisionKey::new(press.key));
            return true;
        }
        Guard::Rejected(why) => model.refuse(why),
        Guard::TooEarly(why) => {
            model.refuse(why);
            key_guard::note_early(model, press);
        }
        Guard::Asks => decide::confirm(model, action),
        Guard::Scrolls => show_more(model, press),
        Guard::Waits => {
            let at = press.at;
            model.deferred_key = model.shown.clone().map(|shown| DeferredKey { action, at, shown });
        }
    }
    false
}

/// Scrolls a card whose end has not been seen. A key that did so may still be held down when the end appears.
fn show_more(model: &mut Model, press: Press) {
    model.last_decision_key.get_or_insert(LastDecisionKey::new(press.key));
    pane(model).scroll(model, page_height(model));
}

/// A key that is no action in the uppermost pop-up: it answers, or it is text.
pub fn type_key(model: &mut Model, press: Press) {
    let answer = model.popup().and_then(|popup| popup.quick_answer(model, press.key));
    match answer {
        Some(_) if !key_guard::confirms(model, press) => model.say("Not sent: the keys came too fast"),
        Some(answer) => model.with_popup(|model, popup| popup.answer(model, &answer)),
        None => model.with_popup(|model, mut popup| {
            if popup.type_key(press.key) {
                popup.text_changed(model);
            }
            Some(popup)
        }),
    }
}

/// Pasted text is text where there is a text field, and nothing anywhere else.
pub fn paste(model: &mut Model, text: &str) {
    let mut is_used = false;
    model.with_popup(|model, mut popup| {
        is_used = popup.paste(text);
        if is_used {
            popup.text_changed(model);
        }
        Some(popup)
    });
    if !is_used {
        model.say("Pasted text is only used where you write");
    }
}

/// What an action does in the tab, or why it does nothing.
fn does(model: &Model, action: Action) -> Does {
    let here = pane(model).does(model, action).or_else(|| inbox::does(model, action));
    here.or_else(|| moves(model, action)).unwrap_or_else(|| does_everywhere(model, action))
}

/// Moving through the list, or through the page if that has the focus.
fn moves(model: &Model, action: Action) -> Option<Does> {
    let in_page = model.focus == Focus::Card;
    let effect: Effect = match action {
        Action::NextItem | Action::PreviousItem if !matches!(model.tab, Tab::Inbox | Tab::Threads) => {
            return Some(Err(""));
        }
        Action::Down | Action::NextItem => |model| pane(model).step(model, 1),
        Action::Up | Action::PreviousItem => |model| pane(model).step(model, -1),
        Action::CardDown => |model| pane(model).scroll(model, 1),
        Action::CardUp => |model| pane(model).scroll(model, -1),
        Action::PageDown if in_page => |model| pane(model).scroll(model, page_height(model)),
        Action::PageUp if in_page => |model| pane(model).scroll(model, -page_height(model)),
        Action::Top if in_page => |model| pane(model).scroll(model, -END),
        Action::Bottom if in_page => |model| pane(model).scroll(model, END),
        Action::PageDown => |model| pane(model).step(model, half_list(model)),
        Action::PageUp => |model| pane(model).step(model, -half_list(model)),
        Action::Top => |model| pane(model).step(model, -END),
        Action::Bottom => |model| pane(model).step(model, END),
        Action::NextPart => |model| pane(model).part(model, true),
        Action::PreviousPart => |model| pane(model).part(model, false),
        Action::Open if model.inbox.list.is_past_end() && model.shows_items() => open_elsewhere,
        Action::Open => open_page,
        Action::Leave => |model| model.focus = Focus::List,
        _ => return None,
    };
    Some(Ok(effect))
}

/// Lists in Threads what the inbox is filtered by.
fn open_elsewhere(model: &mut Model) {
    let typed = model.inbox.list.narrow.typed.clone();
    if let Ok(query) = Query::parse(&typed, Place::Threads, &model.local_time()) {
        model.go(Tab::Threads);
        model.threads.widen();
        threads::search(model, query);
    }
}

/// Half of what the list shows, in rows.
fn half_list(model: &Model) -> isize {
    let Areas { list, .. } = layout::areas(model);
    isize::from(i16::try_from((list.height / layout::row_height(list) / 2).max(1)).unwrap_or(1))
}

/// What the page shows, in lines, but for two.
fn page_height(model: &Model) -> isize {
    let Areas { card, .. } = layout::areas(model);
    isize::from(i16::try_from(card.height.saturating_sub(2).max(1)).unwrap_or(1))
}

fn does_everywhere(model: &Model, action: Action) -> Does {
    const NO_THREAD: &str = "No thread is selected · <down> or <up> selects one";
    let pane = pane(model);
    Ok(match action {
        Action::TabInbox => inbox::enter,
        Action::TabThreads => |model| model.go(Tab::Threads),
        Action::TabMemory => |model| model.go(Tab::Memory),
        Action::TabActivity => |model| model.go(Tab::Activity),
        Action::NextTab => |model| turn(model, 1),
        Action::PreviousTab => |model| turn(model, 3),
        Action::ShowAll => |model| inbox::show(model, Filter::All),
        Action::ShowApprovals => |model| inbox::show(model, Filter::interrupts(Kind::Approval)),
        Action::ShowTriage => |model| inbox::show(model, Filter::interrupts(Kind::Triage)),
        Action::ShowQuestions => |model| inbox::show(model, Filter::interrupts(Kind::Question)),
        Action::ShowTrouble => |model| inbox::show(model, Filter::interrupts(Kind::Trouble)),
        Action::ShowResults => |model| inbox::show(model, Filter::Kind(ItemKind::Result)),
        Action::ShowSnoozed => |model| inbox::show(model, Filter::Snoozed),
        Action::ShowHeld => |model| inbox::show(model, Filter::Held),
        Action::ShowRunning => activity::show_running,
        Action::ShowSkipped => |model| inbox::show(model, Filter::Skipped),
        Action::ShowDecisions => |model| inbox::show(model, Filter::Decided),
        Action::LastLesson => {
            return when(model.inbox.news.has_lesson(), "Nothing was learned lately", news::offer);
        }
        Action::ShowSessions => sessions::show,
        Action::Palette => |model| model.push(Palette::new(available_in_tab, run)),
        Action::Help => |model| model.push(Help::new(available_in_tab)),
        Action::NewThread => {
            let has_some = !model.workflows.is_empty();
            return when(has_some, "There is no workflow to start", start::choose_workflow);
        }
        Action::Undo => undo::undo,
        Action::ActNow => return when(model.is_held(), "Nothing is held", undo::act_now),
        Action::Pause => pause,
        Action::FetchMail => fetch_mail,
        Action::Clear => clear,
        Action::Back => back,
        Action::Quit => quit::quit,
        Action::CloseLayer => |model| model.refuse("<quit> quits · <close_layer> closes what is open"),
        Action::Redraw => |model| model.jobs.push(Job::Redraw),
        Action::Suspend => |model| model.jobs.push(Job::Suspend),
        Action::OpenThread => return when(pane.thread(model).is_some(), NO_THREAD, open_thread),
        Action::Stop => {
            let can = model.selected().is_some() || model.selected_running().is_some();
            return when(can, "No running thread is selected", ask_stop);
        }
        Action::TakeOver => return when(pane.thread(model).is_some(), NO_THREAD, take_over),
        Action::Why => {
            return when(pane.about(model).is_some(), "There is nothing to explain here", ask_why);
        }
        Action::Forward => {
            return when(pane.mail(model).is_some(), "There is no mail to forward", forward);
        }
        Action::Reclassify => {
            return when(pane.mail(model).is_some(), "Only triaged mail can be reclassified", reclassify);
        }
        // It belongs to another tab or list.
        _ => return Err(""),
    })
}

fn turn(model: &mut Model, by: usize) {
    let index = Tab::ALL.iter().position(|tab| *tab == model.tab).unwrap_or(0);
    model.go(Tab::ALL[(index + by) % Tab::ALL.len()]);
}

fn pause(model: &mut Model) {
    let paused = !model.is_paused();
    let said = model.spell(if paused { "Paused: nothing runs until <pause> resumes" } else { "Resumed" });
    model.tell(async move |inbox: Inbox| inbox.pause(paused).await.map(|()| said));
}

/// Asks the driver to check for mail.
pub fn fetch_mail(model: &mut Model) {
    model.tell(async |inbox: Inbox| {
        let fetched = inbox.mail().fetch().await;
        fetched.map(|()| "Looking for new mail".to_owned())
    });
}

/// Goes back one level, or quits at the top.
fn back(model: &mut Model) {
    if model.focus == Focus::Card {
        model.focus = Focus::List;
    } else if model.tab != Tab::Inbox {
        model.go(Tab::Inbox);
    } else {
        quit::quit(model);
    }
}

/// Removes whatever narrows the view, nearest first.
fn clear(model: &mut Model) {
    if model.focus == Focus::Card {
        model.focus = Focus::List;
    } else if pane(model).clear(model) {
    } else if model.tab == Tab::Inbox && model.inbox.list.filter != Filter::All {
        inbox::show(model, Filter::All);
    } else if let Some(item) = model.left_tour_item() {
        inbox::show(model, Filter::All);
        model.inbox.goto = Some(item);
        inbox::select_goto(model);
    } else if model.tour.take().is_some() {
        model.say("You left the tour · `sayso demo --tour --reset` begins it again");
    } else {
        model.note = None;
    }
}

fn open_thread(model: &mut Model) {
    if let Some(thread) = pane(model).thread(model) {
        threads::show(model, thread);
    }
}

fn ask_stop(model: &mut Model) {
    let title = match (model.selected(), model.selected_running()) {
        (Some(row), _) => row.title.clone(),
        (None, Some(line)) => words::line(&line.title),
        (None, None) => return,
    };
    if let Some(thread) = pane(model).thread(model) {
        stop::ask(model, thread, &title);
    }
}

fn take_over(model: &mut Model) {
    if let Some(thread) = pane(model).thread(model) {
        take_over::toggle(model, thread);
    }
}

fn forward(model: &mut Model) {
    if let Some((thread, title)) = pane(model).mail(model) {
        compose::forward(model, thread, title);
    }
}

fn reclassify(model: &mut Model) {
    if let Some((thread, title)) = pane(model).mail(model) {
        skipped::offer_classes(model, &thread, &title);
    }
}

/// Asks why something is there, and shows the answer if the user is still looking at it.
fn ask_why(model: &mut Model) {
    let Some((id, ..)) = pane(model).about(model) else { return };
    let asked = id.clone();
    let work = async move |inbox: Inbox| inbox.decisions().why(asked).await;
    model.start(work, move |model, result| {
        let about = pane(model).about(model).filter(|(about, ..)| *about == id && model.layers.is_empty());
        let Some((_, title, heading)) = about else { return };
        let Some(card) = model.ok_or_fail(result) else { return };
        let row = model.selected().filter(|row| row.id == id);
        let meta =
            row.map(|row| format!("{id} · {} · {}", action_words(&row.workflow, &row.action), row.workflow));
        model.push(Page::new(heading, Doc::page(&title, &meta.unwrap_or(id), card.blocks)));
    });
}
