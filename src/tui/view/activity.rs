//! The Activity tab, and what is running.

use super::bars::spinner;
use super::tabs::{Plain, rows};
use super::{draw, list};
use crate::inbox::{Block, GrantLine, SourceLine, Status, ThreadLine};
use crate::text::{Visible, pad};
use crate::tui::card::Doc;
use crate::tui::layout::Areas;
use crate::tui::model::{Model, Tab};
use crate::tui::words;
use ratatui::buffer::Buffer;

/// What is running, and what the selected thread says as it says it; in the Activity tab also what may be done without
/// asking.
pub(super) fn draw(model: &Model, areas: &Areas, buf: &mut Buffer) {
    let browse = &model.running;
    let grants: &[GrantLine] = if model.tab == Tab::Activity { &model.grants } else { &[] };
    if browse.rows.is_empty() && grants.is_empty() {
        let next = "c starts a thread · 2 shows past ones";
        list::message(model, areas.list, buf, "Nothing is running.", next);
    } else {
        let at_work = browse.rows.iter().map(|line| at_work(model, line));
        let allowed = grants.iter().map(|grant| allowed(model, grant));
        rows(model, browse, areas.list, buf, at_work.chain(allowed));
    }
    if areas.card.is_empty() {
        return;
    }
    let (width, height) = (usize::from(areas.card.width), usize::from(areas.card.height));
    let (doc, top) = match (browse.selected(), model.selected_grant(), model.tab) {
        // Of what is being said, the newest is what one wants to see.
        (Some(line), ..) => {
            let doc = stream(model, line);
            let end = doc.end(width, height);
            (doc, end)
        }
        (None, Some(grant), _) => (grant_page(model, grant), Default::default()),
        (None, None, Tab::Activity) => (overview(model), Default::default()),
        (None, None, _) => return,
    };
    draw::lines(buf, areas.card, doc.lines(top, width, height, &model.theme));
}

fn at_work(model: &Model, line: &ThreadLine) -> Plain {
    let node = model.working.get(&line.id).map_or("", |working| working.node.as_str());
    let turns = if line.status == Status::Running { spinner(model) } else { "·" };
    Plain {
        lead: turns.to_owned(),
        style: model.theme.good,
        text: format!("{} · {} {node}", words::line(&line.title), line.workflow),
        end: words::age(line.updated_at, model.wall),
    }
}

fn allowed(model: &Model, grant: &GrantLine) -> Plain {
    let (lead, style) =
        if grant.in_force { ("allowed", model.theme.warning) } else { ("off", model.theme.quiet) };
    Plain {
        lead: pad(lead, 7),
        style,
        text: format!("{} · {}", words::line(&grant.tool), words::line(&grant.scope)),
        end: until(model, grant),
    }
}

fn until(model: &Model, grant: &GrantLine) -> String {
    match grant.expires_at {
        Some(end) => end.to_zoned(model.options.time_zone.clone()).strftime("until %a %H:%M").to_string(),
        None => String::new(),
    }
}

fn grant_page(model: &Model, grant: &GrantLine) -> Doc {
    let line = |text: &str| Visible::line(text);
    let standing = if grant.in_force { "runs without asking" } else { "switched off: it is asked about" };
    let mut fields = vec![(line("now"), line(standing)), (line("for"), line(&grant.scope))];
    let until = until(model, grant);
    if !until.is_empty() {
        fields.push((line("ends"), line(&until)));
    }
    fields.push((line("given by"), line(&grant.origin)));
    if let Some(at) = grant.created_at {
        let at = at.to_zoned(model.options.time_zone.clone());
        fields.push((line("given at"), line(&at.strftime("%a %d %b, %H:%M").to_string())));
    }
    let policy = grant.id.starts_with(crate::inbox::POLICY_GRANT);
    let how = match (policy, grant.in_force) {
        (true, _) => "The config allows it; take it out of [policy] there.",
        (false, true) => "X revokes it at once. A call that carries a warning asks in any case.",
        (false, false) => "X switches it on again.",
    };
    let mut blocks = vec![Block::Fields(fields), Block::Text(Visible::new(how))];
    blocks.extend(numbers(model));
    Doc::page(&format!("Allowed: {}", grant.tool), &grant.id, blocks)
}

fn stream(model: &Model, line: &ThreadLine) -> Doc {
    let mut blocks = Vec::new();
    let meta = format!(
        "{} · {} · {} · {}",
        line.workflow,
        line.status,
        line.id,
        words::count(line.steps as usize, "step")
    );
    match model.working.get(&line.id) {
        Some(working) => {
            let mut fields = vec![(Visible::line("node"), Visible::line(&working.node))];
            if let Some((what, done, total)) = &working.bar {
                fields.push((Visible::line(what), Visible::line(&bar(*done, *total))));
            }
            blocks.push(Block::Fields(fields));
            blocks.push(Block::Text(Visible::new(&working.text)));
        }
        None => {
            blocks.push(Block::Text(Visible::new("Another process drives it, or it waits for its turn.")))
        }
    }
    Doc::page(&line.title, &meta, blocks)
}

/// `████░░░░ 4 of 8`.
fn bar(done: u64, total: u64) -> String {
    let full = usize::try_from(done.min(total) * 20 / total.max(1)).unwrap_or(0);
    format!("{}{} {done} of {total}", "█".repeat(full), "░".repeat(20 - full.min(20)))
}

fn overview(model: &Model) -> Doc {
    Doc::page("Everything in numbers", "", numbers(model))
}

fn ago(age: String) -> String {
    if age == "now" { "just now".to_owned() } else { format!("{age} ago") }
}

fn numbers(model: &Model) -> Vec<Block> {
    let Some(overview) = &model.overview else { return Vec::new() };
    let fields = |rows: &[(String, u64)]| {
        rows.iter().map(|(word, count)| (Visible::line(word), Visible::line(&count.to_string()))).collect()
    };
    let mut blocks =
        vec![Block::Heading(Visible::line("Waiting for you")), Block::Fields(fields(&overview.open))];
    if !model.sources.is_empty() {
        let source = |line: &SourceLine| {
            let said = match (&line.error, line.ok_at) {
                (Some(error), _) => format!("fails: {error}"),
                (None, Some(at)) => format!("looked at {} ($ looks again)", ago(words::age(at, model.wall))),
                (None, None) => "not looked at yet".to_owned(),
            };
            (Visible::line(&line.source), Visible::line(&said))
        };
        blocks.push(Block::Heading(Visible::line("Mail")));
        blocks.push(Block::Fields(model.sources.iter().map(source).collect()));
    }
    blocks.push(Block::Heading(Visible::line("Threads")));
    blocks.push(Block::Fields(fields(&overview.threads)));
    blocks
}
