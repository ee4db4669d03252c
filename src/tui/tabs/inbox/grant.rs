//! Accepting, and allowing more of the same.
//!
//! Promises: what would run without asking is said in full before `y` allows it; a grant is given only together with
//! an accepted card.

use super::decide;
use crate::graph::Decision;
use crate::inbox::{Block, Decide, GrantLine, GrantRequest, GrantScope, Item};
use crate::text::Visible;
use crate::tui::actions::Action;
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu, Then};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, DecisionKind, InboxResult, Press};
use crate::tui::safe::{self, Guard};
use jiff::ToSpan;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// Offers what the card may allow. The menu decides nothing: what is chosen there is asked about.
pub fn offer(model: &mut Model, press: Press) -> Vec<Cmd> {
    if let Guard::Rejected(why) = safe::guard(model, Action::Accept, press) {
        model.say(why);
        return Vec::new();
    }
    let Some(opened) = model.current() else { return Vec::new() };
    let grantable = opened.item.grantable.clone();
    let mut rows: Vec<(String, Choice)> = Vec::new();
    let mut row = |text: String, scope, lasts| rows.push((text, Choice::Grant(scope, lasts)));
    if grantable.thread {
        row("for the rest of this thread".to_owned(), GrantScope::Thread, None);
        row("for this thread, for an hour".to_owned(), GrantScope::Thread, Some(HOUR));
    }
    if let Some(sender) = &grantable.sender {
        let sender = Visible::line(sender);
        row(format!("for mail of {sender}, for an hour"), GrantScope::Sender, Some(HOUR));
        if let Some(rest) = rest_of_day(model) {
            row(format!("for mail of {sender}, today"), GrantScope::Sender, Some(rest));
        }
    }
    if let Some(command) = &grantable.command {
        row("this very command in this folder, for an hour".to_owned(), GrantScope::Command, Some(HOUR));
        if let Some(sort) = command.sort() {
            let sort = Visible::line(&sort.join(" "));
            row(format!("any `{sort} …` in this folder, for an hour"), GrantScope::CommandSort, Some(HOUR));
            if let Some(rest) = rest_of_day(model) {
                row(format!("any `{sort} …` in this folder, today"), GrantScope::CommandSort, Some(rest));
            }
        }
    }
    let title = format!("Accept, and let {} run without asking", Visible::line(&opened.item.action));
    model.push(Menu::new(title, rows));
    Vec::new()
}

fn rest_of_day(model: &Model) -> Option<Duration> {
    let now = model.wall.to_zoned(model.options.time_zone.clone());
    let end = now.tomorrow().ok()?.start_of_day().ok()?;
    let left = end.timestamp().duration_since(model.wall);
    Duration::try_from(left).ok().filter(|left| *left > HOUR)
}

/// Says what would run without asking, and asks.
pub fn confirm(model: &mut Model, scope: GrantScope, lasts: Option<Duration>) -> Vec<Cmd> {
    let Some(opened) = model.current() else { return Vec::new() };
    let item = &opened.item;
    let (Some(id), Some(hash)) = (item.interrupt(), item.args_hash) else { return Vec::new() };
    let Some(whom) = whom(item, scope) else { return Vec::new() };
    let until = match lasts {
        None => "the thread ends".to_owned(),
        Some(lasts) => {
            let span = i64::try_from(lasts.as_secs()).unwrap_or(i64::MAX).min(31 * 86_400);
            let end = model.wall.checked_add(span.seconds()).unwrap_or(model.wall);
            end.to_zoned(model.options.time_zone.clone()).strftime("%a %d %b, %H:%M").to_string()
        }
    };
    let calls = match scope {
        GrantScope::Thread | GrantScope::Sender => "every further call",
        GrantScope::Command | GrantScope::CommandSort => "calls like this, and no others,",
    };
    let line = |text: &str| Visible::line(text);
    let fields = [
        ("now", "this one is accepted as it is shown".to_owned()),
        ("without asking", format!("{} of {}", calls, item.action)),
        ("for", whom),
        ("until", until),
        ("still asks", "any call that carries a warning".to_owned()),
        ("to end it", "X in 4 Activity; u takes back this acceptance alone".to_owned()),
    ];
    let fields = fields.iter().map(|(name, value)| (line(name), line(value))).collect();
    let page =
        Doc::page(&item.title, "", vec![Block::Warnings(item.warnings.clone()), Block::Fields(fields)]);
    let decision = Decide::on_screen(id.clone(), hash, Decision::Accept, true);
    let then = Then::Grant(decision, GrantRequest { interrupt: id, scope, lasts });
    model.push(Confirm::new(
        "Accept this, and allow more of the same?",
        "This is what will run without asking you.",
        page,
        then,
    ));
    Vec::new()
}

/// Whom or what a grant from this card would be for; `None` if it offers none of this scope.
fn whom(item: &Item, scope: GrantScope) -> Option<String> {
    let offered = &item.grantable;
    match scope {
        GrantScope::Thread => Some(format!("this thread ({}); a fork of it asks again", item.thread)),
        GrantScope::Sender => Some(format!("mail of {}, in any thread", offered.sender.as_ref()?)),
        GrantScope::Command => {
            let command = offered.command.as_ref()?;
            Some(format!("`{}` in {}, by {}", command.words.join(" "), command.folder, command.by))
        }
        GrantScope::CommandSort => {
            let command = offered.command.as_ref()?;
            let sort = command.sort()?.join(" ");
            let more = "and any plain words after it that stay in the folder";
            Some(format!("`{sort}` {more}, in {}, by {}", command.folder, command.by))
        }
    }
}

/// A card was accepted and a grant given, or neither.
pub fn granted(model: &mut Model, id: String, granted: InboxResult<GrantLine>) -> Vec<Cmd> {
    let (accepted, grant) = match granted {
        Ok(grant) => (Ok(()), Some(grant)),
        Err(failure) => (Err(failure), None),
    };
    let cmds = decide::decided(model, DecisionKind::Accepted, vec![(id, accepted)]);
    if let Some(grant) = grant {
        model.say(format!("accepted; {} runs without asking from now on (4 lists it)", grant.tool));
    }
    cmds
}
