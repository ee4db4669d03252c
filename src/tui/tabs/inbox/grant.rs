//! Accepts a card, and allows more of the same.
//!
//! Promises: everything that would run without asking is shown in full before `y` allows it; a grant is given only
//! together with an accepted card.

use super::{answer, send};
use crate::engine::graph::{AgentCall, Decision, Grantable, InterruptId, Warning};
use crate::inbox::door::{Inbox, action_words, name_words};
use crate::inbox::{
    Block, DecisionRequest, GrantRequest, GrantScope, PROGRAM_ACTIONS, Question, Weighed, allowed_words,
    pattern_words,
};
use crate::text::{Visible, count_noun};
use crate::tui::card::Doc;
use crate::tui::layers::{Choice, Confirm, Menu};
use crate::tui::model::{Model, asker};
use crate::tui::words;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

/// We assume that no session lasts longer.
const SESSION: Duration = Duration::from_secs(12 * 3600);

/// Above grants that may allow any code together with this one.
const ADDING_UP: &str = "Together with these it may allow any code: one writes files, the other runs a command that may run them.";

/// Offers what the card may allow. The menu decides nothing: the choice is asked about.
pub fn offer(model: &mut Model) {
    if answer::has_unsent_edit(model) {
        return model.refuse(
            "You changed this and haven't sent it: <accept> accepts it first, with or without your changes",
        );
    }
    let Some(question) = model.question() else { return };
    let mut grantable = question.grantable.clone();
    if Warning::need_confirmation(&question.warnings) {
        // Such a card gives no grant; what the agent itself remembers is up to the agent.
        grantable = Grantable { remember: grantable.remember, ..Grantable::default() };
    }
    let mut rows: Vec<Choice> = Vec::new();
    let mut row = |text: String, scope, duration| rows.push(choice(text, scope, duration, false));
    if grantable.thread {
        row("for the rest of this thread".to_owned(), GrantScope::Thread, None);
        row("for this thread, for an hour".to_owned(), GrantScope::Thread, Some(HOUR));
    }
    if let Some(sender) = &grantable.sender {
        let sender = Visible::line(sender);
        row(format!("for mail from {sender}, for an hour"), GrantScope::Sender, Some(HOUR));
        if let Some(rest) = rest_of_day(model) {
            row(format!("for mail from {sender}, today"), GrantScope::Sender, Some(rest));
        }
    }
    if let Some(call) = &grantable.call {
        rows.extend(agent_rows(model, call));
    }
    let asker = asker(question);
    rows.extend(grantable.remember.iter().enumerate().map(|(index, offer)| {
        let text = format!("let {asker} remember: {}", Visible::line(&offer.words));
        Choice::new(text, move |model| confirm_remember(model, index))
    }));
    let title =
        format!("Accept, and allow without asking: {}", action_words(&question.workflow, &question.action));
    model.push(Menu::new(title, rows));
}

/// Proposes to end a grant whose answers the user keeps taking back, as these.
pub fn propose_end(model: &mut Model, undone: Vec<InterruptId>) {
    let look = async move |inbox: Inbox| inbox.grants().often_undone(undone).await;
    model.read(look, |model, found| {
        let Some((grant, count)) = found else { return };
        let fields = [("allows", grant.tool.as_str()), ("for", grant.scope.as_str())];
        let fields = fields.map(|(name, value)| (Visible::line(name), Visible::line(value)));
        let page = Doc::untitled(vec![Block::Fields(fields.to_vec())], Default::default());
        let why = format!("You have taken back {} it gave.", count_noun(count, "answer"));
        model.push(Confirm::new("Ask about this again from now on?", why, page, move |model| {
            model.tell(async move |inbox: Inbox| {
                let ended = inbox.grants().revoke(grant.id).await;
                ended.map(|grant| format!("No longer allowed without asking: {}", grant.scope))
            });
        }));
    });
}

/// A row that asks whether to accept and allow this much.
fn choice(text: String, scope: GrantScope, duration: Option<Duration>, session: bool) -> Choice {
    Choice::new(text, move |model| weigh(model, scope, duration, session))
}

/// What a program's call may allow, for an hour, today, or in its session: the call itself, or with other paths.
fn agent_rows(model: &Model, call: &AgentCall) -> Vec<Choice> {
    let mut rows = Vec::new();
    for allowed in std::iter::once(call.exactly()).chain(call.with_paths_open()) {
        let what = Visible::line(&pattern_words(&allowed, call));
        let scope = GrantScope::Call(allowed);
        rows.push(choice(format!("{what}, for an hour"), scope.clone(), Some(HOUR), false));
        if let Some(rest) = rest_of_day(model) {
            rows.push(choice(format!("{what}, today"), scope.clone(), Some(rest), false));
        }
        if call.session.is_some() {
            rows.push(choice(format!("{what}, in this session"), scope, Some(SESSION), true));
        }
    }
    rows
}

/// Shows what the agent would remember, and asks.
fn confirm_remember(model: &mut Model, index: usize) {
    let Some(item) = model.question() else { return };
    let (id, hash) = (item.id.clone(), item.args_hash);
    let Some(offer) = item.grantable.remember.get(index) else { return };
    let asker = asker(item);
    let fields = [
        ("now", "this one is accepted as it is shown".to_owned()),
        ("told to remember", offer.words.clone()),
        ("from then on", format!("{asker} does that without asking, here or in its own window")),
        ("to end it", format!("in the settings of {asker}; this is not a sayso grant")),
    ];
    let line = |text: &str| Visible::line(text);
    let fields = fields.iter().map(|(name, value)| (line(name), line(value))).collect();
    let args = item.args.as_object().into_iter().flatten();
    let args = args.map(|(name, value)| (line(name), words::value(value))).collect();
    let page = Doc::page(&item.title, "", vec![Block::Fields(fields), Block::Fields(args)]);
    let decision = DecisionRequest::on_screen(id.clone(), hash, Decision::Accept, true);
    let title = format!("Accept this, and let {asker} remember it?");
    let why = "Neither you nor sayso will see calls like this any more.";
    let about = id.clone();
    let confirm = Confirm::new(title, why, page, move |model| {
        let accept = async move |inbox: Inbox| inbox.decisions().accept_and_remember(decision, index).await;
        send::accept(model, &id, accept, |_, _| {});
    });
    model.push(confirm.about(&about));
}

fn rest_of_day(model: &Model) -> Option<Duration> {
    let now = model.local_time();
    let end = now.tomorrow().ok()?.start_of_day().ok()?;
    let remaining = end.timestamp().duration_since(model.wall);
    Duration::try_from(remaining).ok().filter(|remaining| *remaining > HOUR)
}

/// Looks at what the grant would have done so far, and asks.
fn weigh(model: &mut Model, scope: GrantScope, duration: Option<Duration>, session: bool) {
    let Some(interrupt) = model.question().map(|question| question.id.clone()) else { return };
    // However long the box stays open, the grant ends when the box says.
    let ends_at = duration.map(|duration| model.wall.checked_add(duration).unwrap_or(model.wall));
    let request = GrantRequest { interrupt, scope, ends_at, session };
    let tried = request.clone();
    model.read(
        async move |inbox: Inbox| {
            let adding_up = inbox.grants().adding_up(tried.clone()).await;
            inbox.grants().weigh(tried).await.and_then(|weighed| Ok((weighed, adding_up?)))
        },
        move |model, (weighed, adding_up)| {
            if model.layers.is_empty() {
                confirm(model, request, &weighed, &adding_up);
            }
        },
    );
}

/// Shows what would run without asking, and asks.
fn confirm(model: &mut Model, request: GrantRequest, weighed: &Weighed, adding_up: &[String]) {
    let Some(item) = model.question().filter(|question| question.id == request.interrupt) else { return };
    let (id, hash) = (item.id.clone(), item.args_hash);
    let Some(mut grantee) = grantee(item, &request.scope) else { return };
    if request.session {
        grantee.push_str(", only in this session");
    }
    let until = match request.ends_at {
        None => "the thread ends".to_owned(),
        Some(end) => end.to_zoned(model.options.time_zone.clone()).strftime("%a %d %b, %H:%M").to_string(),
    };
    let calls = match &request.scope {
        GrantScope::Thread | GrantScope::Sender => "every later call",
        GrantScope::Call(_) => "only with these words",
    };
    let line = |text: &str| Visible::line(text);
    let fields = [
        ("now", "this one is accepted as it is shown".to_owned()),
        ("without asking", format!("{}, {calls}", action_words(&item.workflow, &item.action))),
        ("for", grantee),
        ("until", until),
        ("still asks", "any call with a warning".to_owned()),
        ("to end it", model.spell("<stop> in <activity> Activity · <undo> undoes only this answer")),
    ];
    let fields = fields.iter().map(|(name, value)| (line(name), line(value))).collect();
    let mut blocks = vec![Block::Warnings(item.warnings.clone()), Block::Fields(fields)];
    let list = |title: &str, items: &[String]| {
        let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
        [Block::Heading(line(title)), Block::Text(Visible::new(&items.join("\n")))]
    };
    if !adding_up.is_empty() {
        blocks.extend(list(ADDING_UP, adding_up));
    }
    blocks.push(Block::Text(line(&weighed.sentence("item"))));
    if !weighed.other.is_empty() {
        blocks.extend(list("It would have accepted these, and you did not:", &weighed.other));
    }
    let page = Doc::page(&item.title, "", blocks);
    let decision = DecisionRequest::on_screen(id.clone(), hash, Decision::Accept, true);
    let about = id.clone();
    let title = "Accept this, and allow more of the same?";
    let confirm = Confirm::new(title, "This is what will run without asking you.", page, move |model| {
        let accept = async move |inbox: Inbox| inbox.decisions().accept_and_grant(decision, request).await;
        send::accept(model, &id, accept, |model, (_, grant)| {
            let word = if grant.tool.starts_with(PROGRAM_ACTIONS) { "Allowed" } else { "Accepted" };
            let what = name_words(&grant.tool);
            let how = model.spell("<activity> lists it");
            model.say(format!("{word} · from now on without asking: {what}, {} · {how}", grant.scope));
        });
    });
    model.push(confirm.about(&about));
}

/// Who or what a grant from this card would cover; `None` if the card offers no such scope.
fn grantee(item: &Question, scope: &GrantScope) -> Option<String> {
    let grantable = &item.grantable;
    match scope {
        GrantScope::Thread => Some(format!("this thread ({}); a fork of it asks again", item.thread)),
        GrantScope::Sender => Some(format!("mail from {}, in any thread", grantable.sender.as_ref()?)),
        GrantScope::Call(allowed) => {
            let call = grantable.call.as_ref()?;
            Some(format!("{}, by {}", allowed_words(&call.patterns(allowed.clone())?), call.by))
        }
    }
}
