//! The nodes: one asks, the other ends the thread once it is answered.

use super::report::Report;
use super::state::{Request, RequestOutcome, RequestUpdate};
use super::{grantable, original, risk};
use crate::agent::{GrantCheck, Services};
use crate::engine::graph::{Command, Ctx, Interrupt, Kind, Labels, NodeError, Warning};
use crate::inbox::{UNNAMED_PROGRAM, proposal};
use crate::text::{hex, short_line};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The longest gist a list has room for.
const MAX_GIST: usize = 160;

/// Puts the question to the person, or lets a grant answer it.
pub(super) async fn ask_person(
    ctx: Ctx<Services>,
    state: Arc<Request>,
) -> Result<Command<Request>, NodeError> {
    let mut question = question(&state);
    let is_warned = Warning::need_confirmation(&question.warnings);
    match &mut question.grantable.call {
        // No grant answers it, so what it is asked because of is what it warns about.
        Some(call) if is_warned => call.asks = call.acts.iter().position(risk::is_risky),
        Some(call) => match ctx.services().records.agent_grant(&question.action, call)? {
            GrantCheck::Grant(grant) => question.granted = Some(grant),
            GrantCheck::NotCovered(act, was) => (call.asks, call.was) = (Some(act), was),
        },
        None => {}
    }
    Ok(Command::ask(vec![question], "answered"))
}

/// The answer is in the state, where the asker reads it. If the asker is gone, the agent has been refused or has asked
/// elsewhere, and the record must not look as if it had been told.
pub(super) async fn answered(_: Ctx<Services>, state: Arc<Request>) -> Result<Command<Request>, NodeError> {
    let allowed = matches!(state.given, Some(RequestOutcome::Accept | RequestOutcome::Edit { .. }));
    let asker = state.asked.asker.as_ref().filter(|_| !state.asked.stays);
    let gone = asker.is_some_and(|asker| !asker.is_alive());
    if !(allowed && gone) {
        return Ok(Command::end());
    }
    let error = Some("the process that asked ended before it was told".to_owned());
    let report = Report { error, ..Report::default() };
    Ok(Command::end().update(RequestUpdate::Reported { report }))
}

fn question(state: &Request) -> Interrupt {
    let request = &state.asked;
    let (kind, action) = match (&request.action, request.notice) {
        (_, true) => (Kind::Triage, "notice"),
        (Some(action), false) if request.question => (Kind::Question, action.as_str()),
        (Some(action), false) => (Kind::Approval, action.as_str()),
        (None, false) => (Kind::Question, "question"),
    };
    let args = Value::Object(request.args.clone().unwrap_or_default());
    let mut question = proposal("request", kind, &format!("request/{action}"), &args, &request.title);
    question.gist = gist(state);
    question.allow = request.allow();
    question.labels = labels(kind);
    if kind == Kind::Approval {
        let what = if request.command().is_some() { "change the command" } else { "change it" };
        question.labels.edit = Some(what.to_owned());
    }
    if request.question {
        // Its fields are empty: to fill them in is another way to answer.
        question.labels.edit = Some("fill in".to_owned());
        question.labels.done = Some("answered".to_owned());
    }
    question.labels.words_refuse = kind == Kind::Approval && question.allow.accept && question.allow.respond;
    if question.labels.words_refuse {
        question.labels.respond = Some("refuse and say why".to_owned());
    }
    question.source = Some(format!("request: {}", request.source.as_deref().unwrap_or(UNNAMED_PROGRAM)));
    question.schema = request.schema.clone().unwrap_or(Value::Bool(true));
    question.shown_with = vec![card_digest(state), original::digest(request.args.as_ref())];
    question.waiting = request.waiting();
    question.warnings = risk::warnings(request);
    if request.each_time || request.question {
        return question;
    }
    question.harmless = !Warning::need_confirmation(&question.warnings) && grantable::is_harmless(request);
    question.grantable.call = grantable::call(request);
    // Anything with a warning is asked each time.
    if !Warning::need_confirmation(&question.warnings) {
        question.grantable.remember = request.remember.clone();
    }
    question
}

fn labels(kind: Kind) -> Labels {
    let (accept, ignore, done, refused) = match kind {
        Kind::Triage => ("noted", "ignore", "noted", "ignored"),
        Kind::Question => ("yes", "no", "yes", "no"),
        Kind::Approval | Kind::Trouble => ("allow", "refuse", "allowed", "refused"),
    };
    let respond = if kind == Kind::Question { "answer" } else { "" };
    Labels {
        done: Some(done.to_owned()),
        refused: Some(refused.to_owned()),
        ..Labels::new(accept, respond, ignore)
    }
}

/// The first line of the text, or the arguments on one line.
fn gist(state: &Request) -> String {
    let first =
        state.asked.text.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
    let line = match (first, &state.asked.args) {
        (Some(line), _) => line.trim().to_owned(),
        (None, Some(args)) => {
            let pairs = args.iter().map(|(name, value)| match value {
                Value::String(text) => format!("{name}: {text}"),
                other => format!("{name}: {other}"),
            });
            pairs.collect::<Vec<_>>().join(", ")
        }
        (None, None) => String::new(),
    };
    short_line(&line, MAX_GIST)
}

/// A digest of everything else on the card, so that an approval is bound to all of it.
fn card_digest(state: &Request) -> String {
    let request = &state.asked;
    let mut parts = json!([request.title, request.text, request.source, request.folder, request.session]);
    if let Some(parts) = parts.as_array_mut() {
        parts.extend((!request.remember.is_empty()).then(|| json!(request.remember)));
        parts.extend((!request.links.is_empty()).then(|| json!(request.links)));
    }
    format!("shown:{}", hex(&Sha256::digest(parts.to_string().as_bytes())))
}
