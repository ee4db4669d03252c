//! The cards of proposals.

use crate::agent::agent_loop::Asked;
use crate::agent::{GrantQuery, Services};
use crate::engine::graph::{Allow, Ctx, Grantable, Interrupt, Kind, Labels, NodeError, Warning};
use crate::inbox::{Coming, OWN_MAIL, proposal};
use crate::mail::Mail;
use crate::mail::compose::{self, reply_recipients};
use crate::mail::risk::sender_shown;
use crate::text::{Visible, short_line};
use crate::workflows::email::event_news::{self, CalendarImpact};
use crate::workflows::email::mails::{self, Conversation};
use crate::workflows::email::state::{Email, EmailUpdate};
use crate::workflows::email::times::TimeRange;
use crate::workflows::email::tools::{self, AnswerInvitationArgs, ScheduleMeetingArgs, WriteEmailArgs};
use crate::workflows::email::{day, own_mail, risks, send};
use serde_json::{Value, json};
use std::sync::Arc;

/// The question about a call, and what the calendar says about its time.
pub(super) async fn ask(
    ctx: Ctx<Services>,
    state: Arc<Email>,
    question: Interrupt,
) -> Result<Asked<Email>, NodeError> {
    let services = ctx.services();
    let conversation = Conversation::read(services, &state)?;
    let nothing = Mail::default();
    let answered = conversation.about().map_or(&nothing, |(_, mail)| &**mail);
    let (tool, call) = (question.action.clone(), question.key.clone());
    // A person's bad input is asked about again; only the model's goes back to the model.
    if !state.dialog.is_persons()
        && let Err(why) = check(services, &conversation, answered, &tool, &question.args)?
    {
        return Ok(Asked::Unusable(why));
    }
    let (impact, calendar_warning) = calendar_impact(services, answered, &tool).await;
    let args = args(services, &conversation, answered, (&tool, &question.args), &impact)?;
    let is_question = tool == tools::QUESTION;
    let kind = if is_question { Kind::Question } else { Kind::Approval };
    let mut interrupt = proposal(&call, kind, &tool, &args, &title(&tool, &args, answered));
    interrupt.schema =
        if state.forwarded.is_some() { tools::forward_schema() } else { tools::edit_schema(&tool) };
    if tool == tools::WRITE_EMAIL {
        let people = reply_recipients(answered, &conversation.own_addresses());
        own_mail::offer_everybody(&mut interrupt.schema, &people.also);
    }
    if tool == tools::ANSWER_INVITATION {
        for key in ["to", "event", "start", "end", "change"] {
            interrupt.schema["properties"][key] = json!({ "const": interrupt.args[key] });
        }
    }
    interrupt.allow = allow(&tool, &conversation);
    // No model reads along in a conversation that the person began.
    interrupt.allow.respond &= !state.is_begun_by_person();
    interrupt.labels = labels(&tool, &args, &conversation);
    if tools::has_no_edit(&tool) {
        own_mail::offer(&mut interrupt, &conversation, answered);
    }
    if state.files_of(&args).any(|file| file.error.is_some()) {
        // A mail without its attachment cannot be sent; the warning says why.
        interrupt.allow.accept = false;
    }
    if matches!(impact, CalendarImpact::Refused { .. }) {
        (interrupt.allow.accept, interrupt.allow.edit) = (false, false);
    }
    interrupt.gist = gist(&tool, &args, &state);
    interrupt.source = Some(match send::recipients(&tool, &args).into_iter().next() {
        Some(first) if state.is_begun_by_person() => first,
        _ => mails::sender(answered),
    });
    interrupt.irreversible = !is_question && conversation.acts();
    interrupt.shown_with = state.mail_digests();
    interrupt.shown_with.extend(state.forwarded.as_ref().map(|mail| mail.raw.clone()));
    interrupt.shown_with.extend(state.files_of(&args).map(|file| file.digest.clone()));
    let lookup = risks::look_up_time(services, &conversation, &tool, &args).await;
    let proposed_call = (tool.as_str(), &args);
    interrupt.warnings =
        risks::of_call(services, ctx.step_context(), &state, &conversation, proposed_call, lookup.as_ref())?;
    Warning::add(&mut interrupt.warnings, calendar_warning);
    if conversation.has_news() {
        let text = "New mail came in this conversation since this was proposed.";
        interrupt.warnings.insert(0, Warning::caution("new_mail", text));
    }
    Warning::add(&mut interrupt.warnings, risks::of_mails(services, &conversation)?);
    // Only the person may change existing calendar entries.
    let changes_calendar = tool == tools::REMOVE_EVENT || impact.change().is_some();
    if !is_question && !changes_calendar {
        let sender = Some(answered.from.address.to_lowercase()).filter(|sender| !sender.is_empty());
        let own = state.is_own_mail(&tool);
        interrupt.grantable =
            Grantable { thread: !state.is_begun_by_person(), sender, own, ..Grantable::default() };
        // Words that the person may have meant for us must not leave unseen.
        // Asked about again, it could not be done as it was.
        let needs_look = Warning::need_confirmation(&interrupt.warnings)
            || state.repeats_words(&args)
            || state.asked_again.contains_key(&call);
        // Nobody wrote it for a fork.
        let is_approved = own
            && !ctx.step_context().forked
            && conversation.acts()
            && interrupt.allow.accept
            && !state.asked_again.contains_key(&call)
            && services.records.is_builtin_on(OWN_MAIL)?;
        interrupt.granted = match is_approved {
            true => Some(OWN_MAIL.to_owned()),
            false => covering_grant(&ctx, &conversation, answered, proposed_call, needs_look)?,
        };
    }
    let busy = lookup.and_then(Result::ok).and_then(|lookup| day::busy_to_keep(&lookup.busy.ok()?));
    let observing = !conversation.acts();
    let is_known = observing == state.observing && state.days.get(&call) == busy.as_ref();
    let asked = (!is_known).then_some(EmailUpdate::Asked { call, observing, busy });
    Ok(Asked::Card(Box::new(interrupt), asked.into_iter().collect()))
}

/// Whether a call that fits its schema makes sense; the inner error says why not.
fn check(
    services: &Services,
    conversation: &Conversation,
    answered: &Mail,
    tool: &str,
    args: &Value,
) -> Result<Result<(), String>, NodeError> {
    let addresses = |people: &[String]| send::parse_addresses(people).map(drop).map_err(|e| e.to_string());
    let subject = |text: &str| compose::subject(text).map(drop).map_err(|e| e.to_string());
    let zone = &services.user.time_zone;
    Ok(match tool {
        tools::SCHEDULE_MEETING => serde_json::from_value::<ScheduleMeetingArgs>(args.clone())
            .map_err(|e| e.to_string())
            .and_then(|args| {
                TimeRange::of(&args)
                    .and_then(|_| addresses(&args.attendees))
                    .and_then(|()| subject(&args.subject))
            }),
        tools::WRITE_EMAIL => serde_json::from_value::<WriteEmailArgs>(args.clone())
            .map_err(|e| e.to_string())
            .and_then(|args| {
                addresses(&[args.to, args.cc, args.bcc].concat()).and_then(|()| subject(&args.subject))
            }),
        tools::ANSWER_INVITATION if tools::invitation_args(answered, args, zone).is_none() => {
            Err("this mail carries no invitation that can be answered".to_owned())
        }
        tools::REMOVE_EVENT
            if event_news::remove_event_args(answered, zone, &CalendarImpact::New).is_none() =>
        {
            Err("this mail cancels no event".to_owned())
        }
        tools::UNSUBSCRIBE
            if tools::unsubscribe_args(answered, conversation.receiver(services)?.as_ref()).is_none() =>
        {
            Err("this mail names no way to leave its list that may be used".to_owned())
        }
        _ => Ok(()),
    })
}

/// What a call about an event would do to the calendar, and a warning if that is refused or unknown.
async fn calendar_impact(
    services: &Services,
    answered: &Mail,
    tool: &str,
) -> (CalendarImpact, Option<Warning>) {
    if !matches!(tool, tools::ANSWER_INVITATION | tools::REMOVE_EVENT) {
        return (CalendarImpact::New, None);
    }
    match event_news::calendar_impact(services, answered).await {
        Ok(impact) => {
            let warning = match &impact {
                CalendarImpact::Refused { why } => Some(Warning::caution("event_refused", why)),
                CalendarImpact::New | CalendarImpact::Known | CalendarImpact::Changes { .. } => None,
            };
            (impact, warning)
        }
        Err(error) => (CalendarImpact::New, Some(Warning::caution("calendar_unknown", error.to_string()))),
    }
}

/// The arguments of a call: from the model, or from the mail.
fn args(
    services: &Services,
    conversation: &Conversation,
    answered: &Mail,
    (tool, proposed): (&str, &Value),
    impact: &CalendarImpact,
) -> Result<Value, NodeError> {
    Ok(match tool {
        // The list says how to leave it; the model only says that it wants to.
        tools::UNSUBSCRIBE => {
            json!(tools::unsubscribe_args(answered, conversation.receiver(services)?.as_ref()))
        }
        // The invitation's details come from the mail, too; the person's answer stays.
        tools::ANSWER_INVITATION => {
            match tools::invitation_args(answered, proposed, &services.user.time_zone) {
                Some(args) => json!(AnswerInvitationArgs { change: impact.change(), ..args }),
                None => proposed.clone(),
            }
        }
        tools::REMOVE_EVENT => {
            json!(event_news::remove_event_args(answered, &services.user.time_zone, impact))
        }
        _ => proposed.clone(),
    })
}

/// The grant that covers a call, if there is one.
fn covering_grant(
    ctx: &Ctx<Services>,
    conversation: &Conversation,
    answered: &Mail,
    (tool, args): (&str, &Value),
    warned: bool,
) -> Result<Option<String>, NodeError> {
    let query = GrantQuery {
        tool,
        sender: &answered.from.address.to_lowercase(),
        recipients: &send::recipients(tool, args),
        conversation: &conversation.people(),
        own: &conversation.own_addresses(),
        warned,
    };
    ctx.services().records.covering_grant(ctx.step_context(), &query)
}

fn allow(tool: &str, conversation: &Conversation) -> Allow {
    match tool {
        tools::QUESTION => Allow { accept: false, ..Allow::ALL },
        tools::WRITE_EMAIL => Allow { draft: conversation.account.is_some(), ..Allow::ALL },
        _ => Allow::ALL,
    }
}

fn labels(tool: &str, args: &Value, conversation: &Conversation) -> Labels {
    let to = |verb: &str, key: &str| format!("{verb} {}", addressees(conversation, &args[key]));
    let (accept, ignore, done) = match tool {
        tools::QUESTION => return Labels::new("", "answer", ""),
        tools::ANSWER_INVITATION if conversation.acts() => {
            let coming = Coming::of(args);
            (coming.word().to_owned(), "don't answer", coming.done())
        }
        // The words that matter come first: a narrow list cuts the rest.
        _ if !conversation.acts() => ("accept, sends nothing".to_owned(), "", "not sent, observe mode"),
        tools::WRITE_EMAIL => (to("send to", "to"), "don't send", "sent"),
        tools::SCHEDULE_MEETING => (to("invite", "attendees"), "don't invite", "invited"),
        tools::REMOVE_EVENT => ("take the event out".to_owned(), "keep the event", "taken out"),
        _ => ("leave the list".to_owned(), "stay on the list", "unsubscribed"),
    };
    Labels { done: Some(done.to_owned()), ..Labels::new(accept, "", ignore) }
}

/// Whom something goes to, by the names they give themselves in the conversation.
fn addressees(conversation: &Conversation, people: &Value) -> String {
    let people: Vec<String> = serde_json::from_value(people.clone()).unwrap_or_default();
    let people = send::bare_addresses(&people);
    let Some((first, more)) = people.split_first() else { return "nobody".to_owned() };
    let senders = conversation.mails.iter().rev().map(|(_, mail)| &mail.from);
    let name = senders.filter(|from| from.same(first)).map(sender_shown).find(|name| !name.is_empty());
    let name = Visible::line(name.unwrap_or(first));
    if more.is_empty() { name.to_string() } else { format!("{name} and {} more", more.len()) }
}

fn title(tool: &str, args: &Value, answered: &Mail) -> String {
    let text = |key: &str| args.get(key).and_then(Value::as_str).unwrap_or_default();
    let subject = if answered.subject.trim().is_empty() { "(no subject)" } else { &answered.subject };
    match tool {
        tools::UNSUBSCRIBE => format!("Unsubscribe: {subject}"),
        tools::ANSWER_INVITATION if !matches!(text("change"), "" | event_news::ALREADY) => {
            format!("Changed invitation: {}", text("event"))
        }
        tools::ANSWER_INVITATION => format!("Invitation: {}", text("event")),
        tools::REMOVE_EVENT => format!("Cancelled: {}", text("event")),
        tools::QUESTION => subject.to_owned(),
        _ if text("subject").trim().is_empty() => subject.to_owned(),
        _ => text("subject").to_owned(),
    }
}

fn gist(tool: &str, args: &Value, state: &Email) -> String {
    let text = match tool {
        tools::QUESTION => args.get("content").and_then(Value::as_str).unwrap_or_default(),
        _ => &state.gist,
    };
    short_line(text, 160)
}
