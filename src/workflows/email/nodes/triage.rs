//! Classifies a mail: by the person, else by rule, else by the model. Then, if it is only worth knowing, tells the
//! person.

use super::NodeResult;
use crate::agent::llm::OutputSchema;
use crate::agent::mail_facts::Class;
use crate::agent::{Services, ask_structured};
use crate::engine::graph::{Command, Ctx, Decision, Kind, Labels, NodeError};
use crate::inbox::{RowCause, RowKey, proposal};
use crate::mail;
use crate::text::{Visible, short_line};
use crate::workflows::email::facts::{Triage, TriageFacts};
use crate::workflows::email::mails::{self, Conversation};
use crate::workflows::email::state::{Email, EmailUpdate, MailRef, PendingRow, TriagedBy};
use crate::workflows::email::{
    defaults, event_news, input, own_mail, own_rules, prompts, risks, rows, rules,
};
use serde_json::json;
use std::sync::Arc;

/// Reads the mail and finds its class.
pub(in crate::workflows::email) async fn triage_router(ctx: Ctx<Services>, state: Arc<Email>) -> NodeResult {
    if state.is_settled() {
        return Ok(Command::goto("mark_as_read_node"));
    }
    if state.dialog.is_persons() && !state.dialog.pending.is_empty() {
        // The person has said what they want.
        return Ok(Command::goto("response_agent"));
    }
    if let Some(written) = state.own_mail.as_ref().filter(|_| state.is_begun_by_person()) {
        let own = own_mail::read(&ctx, &state, "start", &written.args).await?;
        return Ok(Command::goto("response_agent").update(EmailUpdate::Written { own }));
    }
    let services = ctx.services();
    let mut state = Email::clone(&state);
    let mut updates = Vec::new();
    if state.email_input.is_empty() || state.email_input.iter().any(MailRef::is_incomplete) {
        let mails = ctx.call("read_mail", read(&ctx, &state)).await?;
        state.email_input.clone_from(&mails);
        updates.push(EmailUpdate::Read { mails });
    }
    let conversation = Conversation::read(services, &state)?;
    let Some((newest_ref, newest)) = conversation.newest() else {
        return Err(NodeError::failed("there is no mail in this thread"));
    };
    let (mut newest_ref, mut newest) = (newest_ref.clone(), newest.clone());
    let mut classified = classify(&ctx, &state, &conversation, "").await?;
    // The last mail of a conversation must not hide earlier ones from others, and one that asks comes first.
    let (mut passed_over, mut suspicious) = (Vec::new(), classified.suspicious);
    let waiting = conversation.waiting_before(&state);
    if matches!(classified.by, TriagedBy::BuiltIn | TriagedBy::Model) && classified.class != Class::Respond {
        let mut later = vec![newest_ref.raw.clone()];
        for alone in &waiting {
            let Some((earlier_ref, earlier)) = alone.newest() else { continue };
            let found = classify(&ctx, &state, alone, &format!(":{}", earlier_ref.raw)).await?;
            suspicious |= found.suspicious;
            if found.class == Class::Respond {
                (newest_ref, newest, classified) = (earlier_ref.clone(), earlier.clone(), found);
                passed_over = later;
                break;
            }
            later.push(earlier_ref.raw.clone());
        }
    }
    let Classified { mut class, mut reasoning, gist, by, unsure, call, mut row, .. } = classified;
    if class == Class::Ignore && by != TriagedBy::Person && !waiting.is_empty() {
        (class, row) = (Class::Notify, None);
        reasoning = format!("An earlier mail of this conversation is undecided. Of the newest: {reasoning}");
    }
    let gist = if gist.trim().is_empty() { first_line(&newest) } else { gist };
    if !ctx.step_context().forked {
        let row = row.as_ref().map(|key| (key, newest_ref.raw.as_str()));
        services.records.record_triage(ctx.step_context(), class, &reasoning, row).await?;
    }
    let command = Command::goto(match class {
        Class::Ignore => "mark_as_read_node",
        Class::Notify => "triage_interrupt_handler",
        Class::Respond => "response_agent",
    });
    let mail = newest_ref.raw.clone();
    updates.push(EmailUpdate::Triaged { class, reasoning, gist, by, unsure, suspicious, mail, passed_over });
    updates.extend(call);
    Ok(Command { updates, ..command })
}

struct Classified {
    class: Class,
    reasoning: String,
    gist: String,
    by: TriagedBy,
    /// Whether another class fits almost as well.
    unsure: bool,
    suspicious: bool,
    /// A call that the person is asked about at once.
    call: Option<EmailUpdate>,
    /// The row of the memory that decided.
    row: Option<RowKey>,
}

/// The newest mail's class. The person's choice comes first, then their rules, their calendar, and the model with the
/// rows around it. `which` tells the calls about several mails apart.
async fn classify(
    ctx: &Ctx<Services>,
    state: &Email,
    conversation: &Conversation,
    which: &str,
) -> Result<Classified, NodeError> {
    let services = ctx.services();
    let Some(entry @ (newest_ref, newest)) = conversation.newest() else {
        return Err(NodeError::failed("there is no mail in this thread"));
    };
    let classified = |class: Class, reasoning: String, gist: String, by: TriagedBy| Classified {
        class,
        reasoning,
        gist,
        by,
        unsure: false,
        suspicious: false,
        call: None,
        row: None,
    };
    if let Some(class) = state.corrected {
        learn_correction(ctx, state, conversation, entry, class).await?;
        return Ok(classified(class, "You said so.".to_owned(), state.gist.clone(), TriagedBy::Person));
    }
    if let Some((class, why)) = own_rules::decide(&services.rules, newest, &newest_ref.account) {
        return Ok(classified(class, why, String::new(), TriagedBy::Rule));
    }
    if let Some(event) =
        ctx.call(&format!("event{which}"), event_news::triage_event(services, newest)).await?
    {
        let call = event.call.map(|(tool, args)| EmailUpdate::EventNews { tool, args });
        let classified = classified(event.class, event.reasoning, event.gist, TriagedBy::Calendar);
        return Ok(Classified { call, ..classified });
    }
    let rows = rows::of(services, newest_ref, newest)?;
    if let Some(row) = rows::skipping(services, conversation, &rows)? {
        let why = match row.key {
            RowKey::Conversation(_) => "You muted this conversation.".to_owned(),
            RowKey::Sender(_) | RowKey::List(_) | RowKey::Domain(_) | RowKey::Kind(_) => {
                format!("Your memory says: {}.", row.sentence())
            }
        };
        let classified = classified(Class::Ignore, why, String::new(), TriagedBy::Row);
        return Ok(Classified { row: Some(row.key.clone()), ..classified });
    }
    let (triage, by) = ask(ctx, state, conversation, newest, &format!("triage{which}")).await?;
    let gist = short_line(&triage.gist, 100);
    let Triage { classification, reasoning, unsure, suspicious, .. } = triage;
    let moved =
        rows::moved(&rows, &conversation.facts(services, newest)?, classification).filter(|_| !suspicious);
    Ok(match moved {
        Some((class, row)) => {
            let why = format!("Your memory says: {}. Without it: {reasoning}", row.sentence());
            Classified { row: Some(row.key.clone()), ..classified(class, why, gist, TriagedBy::Row) }
        }
        None => Classified { unsure, suspicious, ..classified(classification, reasoning, gist, by) },
    })
}

async fn learn_correction(
    ctx: &Ctx<Services>,
    state: &Email,
    conversation: &Conversation,
    newest: &(MailRef, Arc<mail::Mail>),
    class: Class,
) -> Result<(), NodeError> {
    if class != Class::Ignore {
        rows::take_back(ctx.services(), ctx.step_context(), newest).await?;
    }
    if state.classification_decision.is_none_or(|was| was == class)
        || conversation.is_own(&newest.0)
        || risks::newest_is_doubtful(ctx.services(), conversation)?
    {
        return Ok(());
    }
    let pending = PendingRow { cause: RowCause::Reclassified, wanted: class, interrupt: None };
    let was = state.classification_decision;
    rows::teach(ctx.services(), ctx.step_context(), was, newest, &pending).await
}

async fn ask(
    ctx: &Ctx<Services>,
    state: &Email,
    conversation: &Conversation,
    newest: &mail::Mail,
    name: &str,
) -> Result<(Triage, TriagedBy), NodeError> {
    let services = ctx.services();
    let facts = TriageFacts {
        user: mails::user(services, conversation.own_addresses()),
        mail: conversation.facts(services, newest)?,
        profile: conversation.profile(services, defaults::TRIAGE).await?,
    };
    let model = conversation.model(ctx, "triage", state).await?;
    let (request, output) = (prompts::triage_request(&facts), OutputSchema::of::<Triage>());
    let reply = ask_structured::<Triage>(ctx, name, &model, &request, output).await?;
    let mut triage = reply.value;
    // The rules may put away receipts, and what only the reader got; a model may not, as a mail can talk it into anything.
    let is_own_money = || !model.builtin && rules::is_about_own_money(&facts.user, &facts.mail);
    if triage.classification == Class::Ignore && is_own_money() {
        triage.classification = Class::Notify;
        triage.reasoning = format!("{}. Without that: {}", rules::OWN_MONEY, triage.reasoning);
    }
    if let Some(note) = reply.note {
        triage.reasoning = format!("{} {note}", triage.reasoning);
    }
    Ok((triage, if model.builtin { TriagedBy::BuiltIn } else { TriagedBy::Model }))
}

/// Stores the bytes of a mail that was handed in, and completes each reference for lists.
async fn read(ctx: &Ctx<Services>, state: &Email) -> Result<Vec<MailRef>, NodeError> {
    let services = ctx.services();
    let mut mail_refs = Vec::new();
    for mail_ref in &state.email_input {
        mail_refs.push(mails::complete_ref(mail_ref.clone(), &*services.mail(&mail_ref.raw)?));
    }
    if mail_refs.is_empty() {
        let raw = match (&state.file, &state.json) {
            (Some(file), _) => input::read_file(file).map_err(NodeError::failed)?,
            (None, Some(json)) => mail::from_json(json).map_err(unreadable)?,
            (None, None) => return Err(NodeError::failed("the thread was started without a mail")),
        };
        let mail = mail::parse(&raw).map_err(unreadable)?;
        let digest = services.records.put_blob(raw).await?;
        if !ctx.step_context().forked {
            services.records.hand_in(ctx.step_context(), &mail).await?;
        }
        let identity = mail::identity("", &mail);
        let mail_ref = MailRef { raw: digest, identity, ..MailRef::default() };
        mail_refs.push(mails::complete_ref(mail_ref, &mail));
    }
    Ok(mail_refs)
}

fn unreadable(error: mail::ParseError) -> NodeError {
    NodeError::failed(format!("the mail cannot be read: {error}"))
}

/// The gist, if nobody wrote one.
pub(super) fn first_line(mail: &mail::Mail) -> String {
    let first = mail.text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('>'));
    short_line(first.unwrap_or_default(), 100)
}

/// Tells the person about a mail.
pub(in crate::workflows::email) async fn triage_interrupt_handler(
    ctx: Ctx<Services>,
    state: Arc<Email>,
) -> NodeResult {
    if state.is_settled() {
        return Ok(Command::goto("mark_as_read_node"));
    }
    let services = ctx.services();
    let conversation = Conversation::read(services, &state)?;
    let Some((_, newest)) = conversation.newest() else {
        return Err(NodeError::failed("there is no mail in this thread"));
    };
    let args = json!({
        "from": newest.from.to_string(),
        "subject": newest.subject,
        "gist": state.gist,
    });
    let mut interrupt = proposal("notify", Kind::Triage, "notify", &args, &newest.subject);
    if interrupt.title.trim().is_empty() {
        interrupt.title = "(no subject)".to_owned();
    }
    interrupt.gist = Visible::line(&state.gist).into_string();
    interrupt.labels =
        Labels { done: Some("noted".to_owned()), ..Labels::new("noted", "answer it", "ignore it") };
    own_mail::offer(&mut interrupt, &conversation, newest);
    interrupt.source = Some(mails::sender(newest));
    interrupt.shown_with = state.mail_digests();
    interrupt.warnings = risks::of_mails(services, &conversation)?;
    Ok(Command::ask(vec![interrupt], "triage_answered"))
}

/// Processes the person's answer.
pub(in crate::workflows::email) async fn triage_answered(
    ctx: Ctx<Services>,
    state: Arc<Email>,
) -> NodeResult {
    let conversation = Conversation::read(ctx.services(), &state)?;
    let has_news = conversation.has_news();
    let says = |cause: RowCause, wanted: Class| {
        let answer = state.dialog.answers.first().filter(|answer| answer.learn)?;
        Some(PendingRow { cause, wanted, interrupt: Some(answer.interrupt.clone()) })
    };
    let decision = state.dialog.answers.first().map(|answer| &answer.decision);
    let written_mail = own_mail::from_answer(&ctx, &state).await?;
    let is_expired = state.dialog.answers.first().is_some_and(|answer| answer.expired);
    let (instructions, mut outcome, pending_row) = match decision {
        Some(Decision::Respond { text }) => {
            (Some(text.clone()), None, says(RowCause::Answered, Class::Respond))
        }
        Some(Decision::Ignore) if is_expired => (None, Some("expired"), None),
        Some(Decision::Ignore) => {
            (None, state.sent_outcome().or(Some("ignored")), says(RowCause::Ignored, Class::Ignore))
        }
        Some(Decision::Edit { .. }) => (None, None, says(RowCause::Answered, Class::Respond)),
        Some(Decision::Accept | Decision::Draft) => {
            (None, state.sent_outcome().or(Some("accepted")), says(RowCause::Noted, Class::Notify))
        }
        // It was settled elsewhere; nobody answered.
        None => (None, None, None),
    };
    // Accepting is about the mail that was shown; nobody has decided on the newer one yet. A person who saw both may
    // dismiss both at once.
    let is_accepted = matches!(decision, Some(Decision::Accept | Decision::Draft));
    if let Some((_, shown)) = conversation.about().filter(|_| is_accepted && !ctx.step_context().forked) {
        ctx.services().records.record_noted_sender(&shown.from.address).await?;
    }
    let again = has_news && (is_accepted || outcome.is_some() && conversation.has_unseen());
    if again {
        outcome = None;
    }
    Ok(Command::goto("update_memory").update(EmailUpdate::Shown {
        again,
        told: instructions,
        outcome: outcome.map(str::to_owned),
        pending_row,
        own: written_mail,
    }))
}
