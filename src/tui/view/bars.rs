//! The header with tabs and counts, and the footer with the keys that work now.

use crate::inbox::{Overview, Status};
use crate::text::{truncate, width};
use crate::tui::actions::Action;
use crate::tui::commands::{available, pane};
use crate::tui::model::{Driving, Focus, Model, Tab};
use crate::tui::tabs::pane::named;
use crate::tui::{draw, layout, words};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

fn waiting_count(overview: &Overview) -> u64 {
    overview.open.iter().map(|(_, count)| count).sum()
}

fn tab_label(model: &Model, n: usize, tab: Tab) -> String {
    let is_narrow = model.size.0 < layout::NARROW;
    let count = match (tab, &model.overview) {
        (Tab::Inbox, Some(overview)) if waiting_count(overview) > 0 => {
            format!(" {}", waiting_count(overview))
        }
        _ => String::new(),
    };
    match (is_narrow, tab == model.tab) {
        (true, false) => format!(" {} ", n + 1),
        _ => format!(" {} {}{count} ", n + 1, tab.title()),
    }
}

/// The tab at a column of the header.
pub fn tab_at(model: &Model, column: u16) -> Option<Tab> {
    let mut x = 0;
    for (n, tab) in Tab::ALL.into_iter().enumerate() {
        x += width(&tab_label(model, n, tab));
        if usize::from(column) < x {
            return Some(tab);
        }
    }
    None
}

pub fn header(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    buf.set_style(area, theme.bar);
    let mut x = area.x;
    for (n, tab) in Tab::ALL.into_iter().enumerate() {
        let style =
            if tab == model.tab { theme.accent.add_modifier(Modifier::REVERSED) } else { theme.quiet };
        x = draw::text(buf, area, x, area.y, &tab_label(model, n, tab), style);
    }
    let mut end = Rect { x: x + 1, width: area.right().saturating_sub(x + 1), ..area };
    for (text, style) in signs(model) {
        let start = draw::right(buf, end, area.y, &format!(" {text} "), style);
        end.width = start.saturating_sub(end.x);
    }
}

/// The signs on the right of the header, most important first.
fn signs(model: &Model) -> Vec<(String, Style)> {
    let theme = &model.theme;
    let mut signs = Vec::new();
    if model.options.demo {
        signs.push(("DEMO".to_owned(), theme.warning));
    }
    if model.options.demo_script {
        signs.push(("demo script".to_owned(), theme.quiet));
    }
    if model.options.observes {
        signs.push(("OBSERVE".to_owned(), theme.warning));
    }
    if model.overview.as_ref().is_some_and(|overview| overview.paused) {
        signs.push((model.spell("PAUSED (<pause> resumes)"), theme.warning));
    }
    if model.quit_when_idle {
        signs.push(("quits once nothing is held".to_owned(), theme.warning));
    }
    match &model.driving {
        Driving::Nobody(_) => signs.push(("VIEW ONLY".to_owned(), theme.warning)),
        Driving::Theirs(Some(pid)) => signs.push((format!("run by process {pid}"), theme.quiet)),
        Driving::Theirs(None) => signs.push(("run elsewhere".to_owned(), theme.quiet)),
        Driving::Unknown | Driving::Ours => {}
    }
    signs.extend(mail_sign(model));
    let failing = model.sources.iter().filter(|line| line.is_server() && line.error.is_some());
    signs.extend(failing.map(|line| (format!("{} is offline", words::line(&line.source)), theme.warning)));
    if let Some(waiting) =
        model.overview.as_ref().map(|overview| overview.waiting_for_model).filter(|n| *n > 0)
    {
        signs.push((format!("model offline, {waiting} waiting"), theme.warning));
    }
    let count = |status: Status| model.overview.as_ref().map_or(0, |overview| overview.threads_in(status));
    let running = count(Status::Running).max(model.running_here.len() as u64);
    let spent =
        if model.spent_today >= 0.005 { format!("${:.2} today", model.spent_today) } else { String::new() };
    if running > 0 {
        let dot = if spent.is_empty() { "" } else { " · " };
        signs.push((
            format!("{} {running} running{dot}{spent}", draw::spinner(model.spinner_frame)),
            theme.good,
        ));
    } else if !spent.is_empty() {
        signs.push((spent, theme.quiet));
    }
    if count(Status::Held) > 0 {
        signs.push((format!("{} held", count(Status::Held)), theme.warning));
    }
    if let Some(overview) = &model.overview
        && overview.snoozed > 0
    {
        signs.push((format!("{} snoozed", overview.snoozed), theme.quiet));
    }
    signs
}

/// The state of mail: which mailboxes fail, or when they were last checked.
fn mail_sign(model: &Model) -> Option<(String, Style)> {
    let wrong = |is_partial: bool| {
        let sources = model.sources.iter().filter(|line| line.error.is_some() && !line.is_server());
        let names =
            sources.filter(|line| line.is_partial() == is_partial).map(|line| words::line(&line.source));
        names.collect::<Vec<_>>().join(", ")
    };
    for (names, how) in [(wrong(false), "failing"), (wrong(true), "lacks a folder")] {
        if !names.is_empty() {
            return Some((format!("mail: {names} {how}"), model.theme.warning));
        }
    }
    let last = model.sources.iter().filter(|line| !line.is_server()).filter_map(|line| line.ok_at).min()?;
    Some((format!("mail {}", words::age(last, model.wall)), model.theme.quiet))
}

/// How many keys the footer names; help names all.
const MAX_KEYS: usize = 7;

pub fn footer(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    buf.set_style(area, theme.bar);
    let scopes = model.scopes();
    let mut end = area;
    // However narrow the screen is, it names the way to help and the way back to the list.
    let always: &[(Action, &str)] = match (model.popup(), model.focus) {
        (Some(_), _) => &[],
        (None, Focus::List) => &[(Action::Help, "help")],
        (None, Focus::Card) => &[(Action::Help, "help"), (Action::Clear, "back")],
    };
    for (action, text) in always {
        if let Some(key) = model.keymap.key_of(&scopes, *action) {
            let start = draw::right(buf, end, area.y, &format!("{key} {text} "), theme.quiet);
            end.width = start.saturating_sub(area.x + 1);
        }
    }
    if !model.pending.is_empty() {
        let keys = format!(" {} …", crate::tui::key::Key::show_row(&model.pending));
        draw::text(buf, end, area.x, area.y, &keys, theme.accent);
        return;
    }
    let mut x = area.x + 1;
    let actions = match model.popup() {
        Some(popup) => popup.footer().into_iter().map(|(action, text)| (action, text.to_owned())).collect(),
        None => tab_footer(model),
    };
    let can =
        |(action, text)| Some((model.keymap.key_of(&scopes, action)?, text, available(model, action).ok()?));
    for (key, text, ()) in actions.into_iter().filter_map(can).take(MAX_KEYS - always.len()) {
        let text = truncate(&text, 32);
        let needed = u16::try_from(width(&key) + 1 + width(&text)).unwrap_or(u16::MAX);
        if x.saturating_add(needed) > end.right() {
            break;
        }
        x = draw::text(buf, end, x, area.y, &key, theme.accent);
        x = draw::text(buf, end, x + 1, area.y, &text, theme.text) + 2;
    }
}

/// The actions worth showing in the footer, most important first.
fn tab_footer(model: &Model) -> Vec<(Action, String)> {
    let always = [(Action::Search, "search"), (Action::NewThread, "new"), (Action::Palette, "palette")];
    pane(model).footer(model).into_iter().chain(named(always)).collect()
}
