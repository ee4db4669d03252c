//! The header with tabs and counts, the line that says what happened, and the footer with the keys of now.

use crate::graph::Kind;
use crate::graph::Labels;
use crate::inbox::{ItemKind, Overview, Status};
use crate::text::{truncate, width};
use crate::tui::keys::Action;
use crate::tui::layers::{Ask, Choice, Layer};
use crate::tui::model::Model;
use crate::tui::msg::Driving;
use crate::tui::tabs::inbox::Filter;
use crate::tui::tabs::threads::review::Aspect;
use crate::tui::tabs::{Focus, Tab};
use crate::tui::{draw, layout, words};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// What turns while something runs.
pub fn spinner(model: &Model) -> &'static str {
    SPINNER[model.turns % SPINNER.len()]
}

/// How many wait, as far as that is known.
fn waiting(overview: &Overview) -> u64 {
    overview.open.iter().map(|(_, count)| count).sum()
}

fn tab_label(model: &Model, n: usize, tab: Tab) -> String {
    let short = model.size.0 < layout::NARROW;
    let count = match (tab, &model.overview) {
        (Tab::Inbox, Some(overview)) if waiting(overview) > 0 => format!(" {}", waiting(overview)),
        _ => String::new(),
    };
    match (short, tab == model.tab) {
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
        let began = draw::right(buf, end, area.y, &format!(" {text} "), style);
        end.width = began.saturating_sub(end.x);
    }
}

/// What the header says on its right, the most important first.
fn signs(model: &Model) -> Vec<(String, Style)> {
    let theme = &model.theme;
    let mut signs = Vec::new();
    if model.options.demo {
        signs.push(("DEMO".to_owned(), theme.warning));
    }
    if model.options.observes {
        signs.push(("OBSERVE".to_owned(), theme.warning));
    }
    if model.overview.as_ref().is_some_and(|overview| overview.paused) {
        signs.push(("PAUSED (! resumes)".to_owned(), theme.warning));
    }
    match &model.driving {
        Driving::Nobody(_) => signs.push(("VIEW ONLY".to_owned(), theme.warning)),
        Driving::Theirs(Some(pid)) => signs.push((format!("driven by process {pid}"), theme.quiet)),
        Driving::Theirs(None) => signs.push(("driven elsewhere".to_owned(), theme.quiet)),
        Driving::Unknown | Driving::Ours => {}
    }
    signs.extend(mail(model));
    let failing = model.sources.iter().filter(|line| line.is_server() && line.error.is_some());
    signs.extend(failing.map(|line| (format!("{} is away", words::line(&line.source)), theme.warning)));
    let count = |status: Status| model.overview.as_ref().map_or(0, |overview| overview.threads_in(status));
    let running = count(Status::Running).max(model.working.len() as u64);
    let spent =
        if model.spent_today >= 0.005 { format!("${:.2} today", model.spent_today) } else { String::new() };
    if running > 0 {
        let dot = if spent.is_empty() { "" } else { " · " };
        signs.push((format!("{} {running} running{dot}{spent}", spinner(model)), theme.good));
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

/// How mail does: which mailboxes fail, or when they were last looked at.
fn mail(model: &Model) -> Option<(String, Style)> {
    let failing: Vec<String> = model
        .sources
        .iter()
        .filter(|line| line.error.is_some() && line.is_mailbox())
        .map(|line| words::line(&line.source))
        .collect();
    if !failing.is_empty() {
        return Some((format!("mail: {} fails", failing.join(", ")), model.theme.warning));
    }
    let last = model.sources.iter().filter(|line| line.is_mailbox()).filter_map(|line| line.ok_at).min()?;
    Some((format!("mail {}", words::age(last, model.wall)), model.theme.quiet))
}

pub fn note(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    if let Some(Layer::Prompt(prompt)) = model.layer()
        && prompt.ask != Ask::Palette
    {
        return;
    }
    let mut room = area;
    if let Some(undo) = &model.undo
        && model.note.as_ref().is_none_or(|note| !note.bad)
    {
        let left = undo.until.map(|until| until.saturating_duration_since(model.now).as_secs_f32().ceil());
        let key = model.keymap.key_of(&model.scopes(), Action::Undo).unwrap_or("u".to_owned());
        let text = match left {
            Some(left) => format!("{key} takes it back ({left:.0} s) "),
            None => format!("{key} takes it back "),
        };
        let began = draw::right(buf, area, area.y, &text, theme.warning);
        room.width = began.saturating_sub(area.x + 1);
    }
    if let Some(note) = &model.note {
        let style = if note.bad { theme.danger } else { theme.text };
        draw::text(buf, room, area.x + 1, area.y, &note.text, style);
    } else if let Driving::Nobody(why) = &model.driving {
        draw::text(buf, room, area.x + 1, area.y, &format!("view only: {}", words::line(why)), theme.warning);
    } else if model.list.has_lost() && model.tab == Tab::Inbox {
        draw::text(buf, room, area.x + 1, area.y, "the selected item is gone; j or k goes on", theme.warning);
    } else if !model.list.marks.is_empty() {
        let text =
            format!("{} marked: decisions apply to the marks; Esc clears them", model.list.marks.len());
        draw::text(buf, room, area.x + 1, area.y, &text, theme.accent);
    } else {
        draw::text(buf, room, area.x + 1, area.y, &narrowed(model), theme.quiet);
    }
}

/// What the list is narrowed to.
fn narrowed(model: &Model) -> String {
    let mut parts = Vec::new();
    if model.tab == Tab::Inbox {
        if !model.list.narrow.is_empty() {
            parts.push(format!("narrowed to `{}`", model.list.narrow.typed()));
        }
        if !model.list.search.is_empty() {
            parts.push(format!("searching `{}`: n next, N previous", model.list.search.typed()));
        }
    } else if model.tab == Tab::Threads {
        if !model.threads.search.is_empty() {
            parts.push(format!("searching `{}`", words::line(&model.threads.search)));
        }
        let threads = &model.threads;
        let named = |name: &Option<String>| name.as_ref().map(|name| words::line(name));
        let status = threads.status.map(|status| status.to_string());
        let only: Vec<String> =
            [status, named(&threads.workflow), named(&threads.account)].into_iter().flatten().collect();
        if !only.is_empty() {
            parts.push(format!("only {}", only.join(", ")));
        }
    }
    if !parts.is_empty() {
        parts.push("Esc clears".to_owned());
    }
    if let (Tab::Inbox, Some(only)) = (model.tab, only(model.list.filter)) {
        let key = model.keymap.key_of(&model.scopes(), Action::ShowAll).unwrap_or("gi".to_owned());
        parts.push(format!("only {only}; {key} shows everything"));
    }
    parts.join(" · ")
}

/// What a filter leaves, in words.
fn only(filter: Filter) -> Option<&'static str> {
    match filter {
        Filter::All => None,
        Filter::Kind(ItemKind::Interrupt(Kind::Approval)) => Some("approvals"),
        Filter::Kind(ItemKind::Interrupt(Kind::Triage)) => Some("what there is to know"),
        Filter::Kind(ItemKind::Interrupt(Kind::Question)) => Some("questions"),
        Filter::Kind(ItemKind::Interrupt(Kind::Trouble)) => Some("trouble"),
        Filter::Kind(ItemKind::Result) => Some("results"),
        Filter::Snoozed => Some("what is snoozed"),
        Filter::Held => Some("what can still be taken back"),
        Filter::Running => Some("what is running"),
        Filter::Skipped => Some("mail that was not shown"),
    }
}

/// The actions worth a place in the footer, the most important first.
fn offered(model: &Model) -> Vec<(Action, String)> {
    let word = |action: Action| (action, action.help().to_owned());
    let named = |action: Action, text: &str| (action, text.to_owned());
    match model.layer() {
        Some(Layer::Confirm(_)) => vec![word(Action::Yes), word(Action::No), named(Action::Down, "scroll")],
        Some(Layer::Bulk(_)) => {
            vec![word(Action::Yes), word(Action::No), named(Action::Drop, "leave out"), word(Action::Down)]
        }
        Some(Layer::Form(form)) => {
            let submit = if form.is_box() { "send" } else { "review" };
            let submit = if matches!(form.purpose, crate::tui::layers::form::Purpose::Start { .. }) {
                "start"
            } else {
                submit
            };
            let learn = if form.learn { "learns from it" } else { "learns nothing" };
            let mut offered = vec![named(Action::Submit, submit), named(Action::LeaveForm, "leave, kept")];
            if form.fields.len() > 1 {
                offered.push(named(Action::NextField, "next"));
            }
            offered.extend([named(Action::Outside, "$EDITOR"), named(Action::Complete, "complete")]);
            offered.push(named(Action::Remember, learn));
            offered
        }
        Some(Layer::Menu(menu)) if menu.rows.iter().any(|(_, row)| matches!(row, Choice::Copy(_))) => {
            vec![word(Action::Copy), word(Action::Cancel)]
        }
        Some(Layer::Menu(_)) => vec![word(Action::Choose), word(Action::Cancel)],
        Some(Layer::Page(_)) => vec![word(Action::Cancel), named(Action::Down, "scroll")],
        Some(Layer::Help(_)) => vec![named(Action::Cancel, "close"), named(Action::Down, "scroll")],
        Some(Layer::Prompt(prompt)) => {
            let what = match prompt.ask {
                Ask::Search => "search",
                Ask::Narrow => "narrow",
                Ask::Palette => "do it",
                Ask::Pipe => "run it",
                Ask::Line => "add it",
                Ask::Export => "write it",
            };
            vec![named(Action::Choose, what), word(Action::Cancel)]
        }
        Some(Layer::Ending(_)) => {
            vec![
                named(Action::Wait, "wait"),
                named(Action::TakeBack, "take back"),
                named(Action::GoNow, "go now"),
                named(Action::Cancel, "stay"),
            ]
        }
        None => tab_offered(model),
    }
}

fn tab_offered(model: &Model) -> Vec<(Action, String)> {
    let named = |action: Action, text: &str| (action, text.to_owned());
    let mut offered = Vec::new();
    if model.shows_items() {
        let many = model.list.marks.len();
        if many > 0 {
            offered.push((Action::Accept, format!("accept {many}")));
            offered.push((Action::Ignore, format!("ignore {many}")));
            offered.push((Action::Snooze, format!("snooze {many}")));
        } else if let Some(row) = model.selected() {
            let labels = model.current().map(|opened| opened.item.labels.clone()).unwrap_or_default();
            let Labels { accept, edit, respond, ignore } = labels;
            let usual = if row.kind == ItemKind::Interrupt(Kind::Triage) { "noted" } else { "accept" };
            let label = |given: Option<String>, usual: &str| {
                given.map_or_else(|| usual.to_owned(), |l| words::line(&l))
            };
            offered.push((Action::Accept, label(accept, usual)));
            offered.push((Action::Edit, label(edit, "edit")));
            offered.push((Action::Respond, label(respond, "respond")));
            offered.push((Action::Ignore, label(ignore, "ignore")));
            offered.push(named(Action::AcceptGrant, "accept & allow"));
            offered.push(named(Action::SaveDraft, "draft"));
            offered.push(named(Action::Snooze, "snooze"));
        }
        if model.undo.is_some() {
            offered.push(named(Action::Undo, "undo"));
        }
        match model.focus {
            Focus::List => offered.extend([named(Action::Open, "read"), named(Action::Mark, "mark")]),
            Focus::Card => offered.extend([
                named(Action::Leave, "back"),
                named(Action::Quotes, if model.is_unfolded() { "fold" } else { "unfold" }),
                named(Action::Headers, "headers"),
                named(Action::Attachments, "attached"),
                named(Action::Links, "links"),
            ]),
        }
    } else if model.shows_skipped() {
        offered.extend([named(Action::Reclassify, "take it for…"), named(Action::OpenThread, "thread")]);
    } else if let Some(grant) = model.selected_grant() {
        let what = if grant.in_force { "revoke" } else { "switch on" };
        offered.push(named(Action::Stop, what));
    } else if model.tab == Tab::Memory {
        offered.extend([
            named(Action::EditProfile, "edit"),
            named(Action::AddLine, "add a line"),
            named(Action::PinLine, "pin"),
            named(Action::Open, "versions"),
            named(Action::History, "history"),
            named(Action::RevertProfile, "revert"),
            named(Action::OpenThread, "cause"),
        ]);
    } else if model.selected_running().is_some() {
        offered.extend([named(Action::Stop, "stop"), named(Action::OpenThread, "thread")]);
    } else if model.tab == Tab::Activity {
        offered.extend([named(Action::Prune, "prune"), named(Action::FetchMail, "fetch mail")]);
    } else if model.tab == Tab::Threads {
        offered.extend(thread_offered(model));
    } else if model.focus == Focus::Card {
        offered.push(named(Action::Leave, "back"));
    } else {
        offered.push(named(Action::Open, "read"));
    }
    offered.extend([
        named(Action::Search, "search"),
        named(Action::NewThread, "new"),
        named(Action::Palette, "palette"),
    ]);
    offered
}

/// What the shown thread offers, the most important first.
fn thread_offered(model: &Model) -> Vec<(Action, String)> {
    let named = |action: Action, text: &str| (action, text.to_owned());
    let mut offered =
        vec![named(Action::Settle, "settle"), named(Action::Retry, "retry"), named(Action::Answer, "answer")];
    if model.focus == Focus::Card {
        offered.extend([
            named(Action::NextView, "next view"),
            named(Action::Unfold, "unfold"),
            named(Action::ShowPrompt, "prompt"),
        ]);
        if model.threads.review.as_ref().is_some_and(|review| review.aspect == Aspect::Steps) {
            offered.extend([named(Action::NextPart, "next step"), named(Action::StateDiff, "diff or whole")]);
        }
    } else {
        offered.extend([named(Action::Open, "read"), named(Action::Narrow, "filter")]);
    }
    let ends = if model.threads.review.as_ref().is_some_and(|review| review.trouble().is_some()) {
        "abandon"
    } else {
        "stop"
    };
    offered.extend([
        named(Action::Fork, "fork"),
        named(Action::Export, "export"),
        named(Action::Reclassify, "take it for…"),
        named(Action::Stop, ends),
    ]);
    if model.focus == Focus::Card {
        offered.push(named(Action::Leave, "back"));
    }
    offered
}

pub fn footer(model: &Model, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let theme = &model.theme;
    let scopes = model.scopes();
    let mut end = area;
    if model.layer().is_none()
        && let Some(key) = model.keymap.key_of(&scopes, Action::Help)
    {
        let began = draw::right(buf, area, area.y, &format!("{key} help "), theme.quiet);
        end.width = began.saturating_sub(area.x + 1);
    }
    if !model.pending.is_empty() {
        let begun = format!(" {} …", crate::tui::keys::Key::show_row(&model.pending));
        draw::text(buf, end, area.x, area.y, &begun, theme.accent);
        return;
    }
    let mut x = area.x + 1;
    for (action, text) in offered(model) {
        if action.available(model).is_err() {
            continue;
        }
        let Some(key) = model.keymap.key_of(&scopes, action) else { continue };
        let text = truncate(&text, 32);
        let need = u16::try_from(width(&key) + 1 + width(&text)).unwrap_or(u16::MAX);
        if x.saturating_add(need) > end.right() {
            break;
        }
        x = draw::text(buf, end, x, area.y, &key, theme.accent);
        x = draw::text(buf, end, x + 1, area.y, &text, theme.text) + 2;
    }
}
