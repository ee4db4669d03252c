//! Cards: first warnings, then who wants what, the proposal, and the conversation.

use super::mails::{self, Conversation};
use super::state::{Email, MailRef};
use super::times::TimeRange;
use super::tools::{
    self, AnswerInvitationArgs, RemoveEventArgs, ScheduleMeetingArgs, UnsubscribeArgs, WriteEmailArgs,
};
use super::{day, meeting, remind, risks, send};
use crate::agent::agent_loop::{self, CallResult, Turn};
use crate::agent::llm::ToolCall;
use crate::agent::{ConversationMail, Services};
use crate::engine::graph::{AnyState, Kind, Warning};
use crate::inbox::{AttachmentLine, Block, BodyPiece, Card, Coming, MailBlock, Question};
use crate::mail::compose::reply_all_left_out;
use crate::mail::{self, Address, Mail};
use crate::text::{Visible, count_noun, short_line};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// How much of the model's text a card shows.
const MAX_MODEL_TEXT: usize = 400;

/// The card of a question, or of the result.
pub(super) fn draw(services: &Services, state: &AnyState, asked: Option<&Question>) -> Card {
    let Some(state) = state.get::<Email>() else { return Card::default() };
    let mut blocks = Vec::new();
    let conversation = match Conversation::read(services, state) {
        Ok(conversation) => conversation,
        Err(error) => {
            blocks.extend(asked.and_then(|asked| Block::warnings(&asked.warnings)));
            blocks.push(Block::text(&format!("The conversation cannot be shown: {error}")));
            return Card { blocks };
        }
    };
    let mut warnings = asked.map(|asked| asked.warnings.clone()).unwrap_or_default();
    if asked.is_some() && conversation.has_news() {
        // Mail that came after the question may have its own warnings.
        let new_warnings = risks::of_mails(services, &conversation).unwrap_or_default();
        Warning::add(&mut warnings, new_warnings);
    }
    blocks.extend(Block::warnings(&warnings));
    let question = asked.filter(|asked| asked.action == tools::QUESTION);
    let question =
        question.map(|asked| asked.args.get("content").and_then(Value::as_str).unwrap_or_default());
    let repeats_gist = question.is_some_and(|question| contains_gist(question, &state.gist));
    let gist = (!state.gist.is_empty() && !repeats_gist)
        .then(|| Block::Text(Visible::line(&sender_and_gist(state, &conversation))));
    let asks = match asked {
        None => vec![result(state)],
        Some(asked) => proposal_blocks(services, state, &conversation, asked),
    };
    let is_proposal = asked.is_some_and(|asked| asked.kind == Kind::Approval);
    let parts = if is_proposal { [asks, Vec::from_iter(gist)] } else { [Vec::from_iter(gist), asks] };
    blocks.extend(parts.into_iter().flatten());
    if let Some(earlier) = state.earlier.as_ref().filter(|earlier| !earlier.summary.is_empty()) {
        let thread = earlier.thread.to_string();
        blocks.push(Block::fields([("before", &earlier.summary), ("thread", &thread)]));
    }
    let turns = earlier_turns(state, &blocks);
    if !turns.is_empty() {
        blocks.push(Block::Turns(turns));
    }
    blocks.extend(mail_blocks(services, state, &conversation));
    Card { blocks }
}

/// The mails of a thread with their warnings, if they can be read.
pub(super) fn conversation(services: &Services, state: &AnyState) -> Vec<Block> {
    let Some(state) = state.get::<Email>() else { return Vec::new() };
    let Ok(conversation) = Conversation::read(services, state) else { return Vec::new() };
    let warnings = risks::of_mails(services, &conversation).unwrap_or_default();
    let mut blocks: Vec<Block> = Block::warnings(&warnings).into_iter().collect();
    blocks.extend(mail_blocks(services, state, &conversation));
    blocks
}

/// Why the item is in the inbox.
pub(super) fn explain(state: &AnyState, _: Option<&Question>) -> Vec<Block> {
    let Some(state) = state.get::<Email>() else { return Vec::new() };
    let class = state.classification_decision.map(|class| class.as_str()).unwrap_or("not triaged yet");
    let by = match state.triaged_by {
        super::state::TriagedBy::Model => "the model",
        super::state::TriagedBy::BuiltIn => "the built-in rules",
        super::state::TriagedBy::Rule => "a rule of yours",
        super::state::TriagedBy::Calendar => "your calendar",
        super::state::TriagedBy::Row => "a row of your memory",
        super::state::TriagedBy::Person => "you",
    };
    let unsure = if state.unsure { "another class fits nearly as well" } else { "" };
    let says = state.dialog.messages.iter().rev().find_map(text_beside_calls).unwrap_or_default();
    vec![Block::fields([
        ("class", class),
        ("decided by", by),
        ("because", &state.triage_reasoning),
        ("unsure", unsure),
        ("the model says", says),
    ])]
}

/// The model's text next to its calls.
fn text_beside_calls(turn: &Turn) -> Option<&str> {
    match turn {
        Turn::Called { text, .. } => Some(text.trim()).filter(|text| !text.is_empty()),
        Turn::Told { .. } | Turn::Said { .. } | Turn::Became { .. } | Turn::News { .. } => None,
    }
}

/// Whether a question says what the gist says.
fn contains_gist(question: &str, gist: &str) -> bool {
    question.contains(gist.trim_end_matches(['.', '…']))
}

/// The sender and the gist. The gist belongs to the triaged mail, not to a newer one.
fn sender_and_gist(state: &Email, conversation: &Conversation) -> String {
    let triaged = conversation.mails.iter().find(|(mail_ref, _)| mail_ref.raw == state.triaged);
    let triaged = triaged.or_else(|| conversation.about());
    let who = triaged.map(|(_, mail)| mails::sender(mail)).unwrap_or_default();
    format!("{who}: {}", state.gist)
}

fn result(state: &Email) -> Block {
    let outcome = state.outcome.clone().unwrap_or_default();
    let notes = state.notes.iter().map(|note| ("note", note.clone()));
    Block::fields([("outcome", outcome), ("summary", state.summary())].into_iter().chain(notes))
}

/// The proposal, after what the person should know first.
fn proposal_blocks(
    services: &Services,
    state: &Email,
    conversation: &Conversation,
    item: &Question,
) -> Vec<Block> {
    if let Some(blocks) = agent_loop::card(&state.dialog, item) {
        return blocks;
    }
    let Some(call) = call_blocks(services, state, conversation, item) else { return Vec::new() };
    let mut blocks = Vec::new();
    if !conversation.acts() {
        blocks.push(Block::text("This account only observes: accepting sends nothing and marks nothing."));
    } else if let Some(why) = state.asked_again.get(&item.key) {
        blocks.push(Block::text(&format!("Asked once more: {why}")));
    } else if state.observing && item.sends_nothing() {
        let text = "This was proposed while the account only observed. Accepting sends nothing yet: you are asked \
                    once more.";
        blocks.push(Block::text(text));
    }
    if item.action != tools::QUESTION && state.repeats_words(&item.args) {
        blocks.push(Block::text("These are your own words. Check them before you send."));
    }
    blocks.extend(call);
    let newest = state.dialog.messages.iter().rfind(|turn| matches!(turn, Turn::Called { .. }));
    let model_text = newest.and_then(text_beside_calls);
    if let Some(model_text) =
        model_text.filter(|_| state.dialog.pending.iter().any(|call| call.id == item.key))
    {
        blocks.push(Block::fields([("the model says", short_line(model_text, MAX_MODEL_TEXT))]));
    }
    blocks
}

/// A call as the person reads it. None if its arguments cannot be read.
fn call_blocks(
    services: &Services,
    state: &Email,
    conversation: &Conversation,
    item: &Question,
) -> Option<Vec<Block>> {
    let from = send::sender(services, conversation).to_string();
    Some(match item.action.as_str() {
        tools::WRITE_EMAIL => {
            let args: WriteEmailArgs = read(&item.args)?;
            write_email_blocks(services, state, conversation, &args, from)
        }
        tools::SCHEDULE_MEETING => {
            let args: ScheduleMeetingArgs = read(&item.args)?;
            let when = TimeRange::of(&args);
            let time = when.as_ref().map(|when| when.local_with_zone(services)).unwrap_or_else(Clone::clone);
            let mut invitation = vec![Block::fields([
                ("When", format!("{time}, {} minutes", args.duration_minutes)),
                ("Subject", args.subject),
                ("With", args.attendees.join(", ")),
                ("Where", args.location.unwrap_or_default()),
                ("From", from),
            ])];
            invitation.extend(args.content.map(|words| Block::text(&words)));
            let mut blocks = vec![Block::panel(sent_title(conversation), invitation)];
            blocks.extend(days(services, state, item, when.ok()));
            blocks
        }
        tools::ANSWER_INVITATION => {
            let args: AnswerInvitationArgs = read(&item.args)?;
            let when = TimeRange::between(&args.start, &args.end);
            let answer = answer_to_invitation(services, conversation, args, Coming::of(&item.args), from);
            let mut blocks = vec![Block::panel("This will be answered", vec![answer])];
            blocks.extend(days(services, state, item, when));
            blocks
        }
        tools::REMOVE_EVENT => {
            let args: RemoveEventArgs = read(&item.args)?;
            let event = [
                ("Change", args.change),
                ("Event", args.event),
                ("By", args.by),
                ("Accepting", "takes it out of your calendar; nothing is sent".to_owned()),
            ];
            vec![Block::panel("This will leave your calendar", vec![Block::fields(event)])]
        }
        tools::UNSUBSCRIBE => {
            vec![Block::panel(sent_title(conversation), vec![unsubscribe_block(read(&item.args)?, from)])]
        }
        remind::REMIND => {
            let reminders = state.remind.iter();
            reminders
                .map(|reminder| Block::fields(remind::fields(services, conversation, reminder)))
                .collect()
        }
        tools::QUESTION => {
            let question = item.args.get("content").and_then(Value::as_str).unwrap_or_default();
            vec![Block::text(question)]
        }
        _ => vec![Block::fields([("why shown", &state.triage_reasoning)])],
    })
}

/// The title of the panel with what leaves, if the account acts.
fn sent_title(conversation: &Conversation) -> &'static str {
    if conversation.acts() {
        "This will be sent"
    } else {
        "This would be sent, but the account only observes"
    }
}

fn write_email_blocks(
    services: &Services,
    state: &Email,
    conversation: &Conversation,
    args: &WriteEmailArgs,
    from: String,
) -> Vec<Block> {
    let files = args.attachments.iter().filter_map(|path| Some((path, state.attached.get(path)?)));
    let files: Vec<String> =
        files.map(|(path, file)| format!("{} from {path}", risks::file_line(file))).collect();
    let headers = Block::fields([
        ("To", args.to.join(", ")),
        ("Cc", args.cc.join(", ")),
        ("Bcc", args.bcc.join(", ")),
        // In the panel, as a form that changes them stands in its place.
        ("Left out", left_out(conversation, args)),
        ("Subject", args.subject.clone()),
        ("From", from),
        ("Attached", files.join("\n")),
        ("Added below", added_text(services, conversation, args)),
        ("Reminds", reminder_text(services, args)),
    ]);
    vec![Block::panel(sent_title(conversation), vec![headers, Block::text(&args.content)])]
}

fn answer_to_invitation(
    services: &Services,
    conversation: &Conversation,
    args: AnswerInvitationArgs,
    proposed: Coming,
    from: String,
) -> Block {
    let (time, place) = meeting::invited_to(services, conversation, &args);
    let told = if conversation.acts() { "the organiser is told" } else { "nothing is sent" };
    let has_calendar = conversation.acts() && services.calendar.is_some();
    let (coming, declining) = match &args.change {
        Some(_) if has_calendar => (told.to_owned(), format!("it goes out of your calendar; {told}")),
        None if has_calendar => (format!("it goes into your calendar; {told}"), told.to_owned()),
        _ => (told.to_owned(), told.to_owned()),
    };
    Block::fields([
        ("Change", args.change.unwrap_or_default()),
        ("Event", args.event),
        ("When", time),
        ("Where", place),
        ("To", args.to),
        ("Proposed", proposed.word().to_owned()),
        ("Yes, maybe", coming),
        ("No", declining),
        ("Words", args.comment.unwrap_or_default()),
        ("From", from),
    ])
}

fn unsubscribe_block(args: UnsubscribeArgs, from: String) -> Block {
    Block::fields(match args {
        UnsubscribeArgs::OneClick { url } => {
            let says = "List-Unsubscribe=One-Click, and nothing of you but what the address holds";
            vec![("Request", format!("POST {url}")), ("Says", says.to_owned())]
        }
        UnsubscribeArgs::Mail { to, subject, content } => {
            vec![("To", to), ("Subject", subject), ("Text", content), ("From", from)]
        }
    })
}

/// The days of a meeting, as the calendar had them when it was proposed.
fn days(services: &Services, state: &Email, item: &Question, when: Option<TimeRange>) -> Vec<Block> {
    match (state.days.get(&item.key), when) {
        (Some(busy), Some(when)) => day::strips(busy, when, &services.user.time_zone),
        _ => Vec::new(),
    }
}

fn read<T: DeserializeOwned>(args: &Value) -> Option<T> {
    serde_json::from_value(args.clone()).ok()
}

/// Everyone else that a reply to all would reach.
fn left_out(conversation: &Conversation, args: &WriteEmailArgs) -> String {
    let Some((_, answered)) = conversation.about().filter(|_| send::is_answer(conversation, args)) else {
        return String::new();
    };
    let mut reached = send::bare_addresses(&args.cc);
    reached.extend(send::bare_addresses(&args.bcc));
    let left_out = reply_all_left_out(
        answered,
        &conversation.own_addresses(),
        &send::bare_addresses(&args.to),
        &reached,
    );
    Address::list(&left_out)
}

/// Text that the config adds.
fn added_text(services: &Services, conversation: &Conversation, args: &WriteEmailArgs) -> String {
    let quote = services.user.quote && send::is_answer(conversation, args);
    let parts = [
        (quote, "the mail answered, quoted"),
        (conversation.forwarded.is_some(), "the mail forwarded"),
        (!services.user.signature.trim().is_empty(), "your signature"),
    ];
    let parts: Vec<&str> =
        parts.into_iter().filter(|(is_added, _)| *is_added).map(|(_, part)| part).collect();
    parts.join(", and ")
}

/// When we tell the person that nobody answered.
fn reminder_text(services: &Services, args: &WriteEmailArgs) -> String {
    match remind::reminder(services, args, &args.to) {
        Some(reminder) => {
            let due = reminder.due.to_zoned(services.user.time_zone.clone());
            format!("on {}, unless an answer has come", due.strftime("%a %-d %b %Y"))
        }
        None => String::new(),
    }
}

/// The earlier turns about this mail, without what the calendar said if `blocks` show it already.
fn earlier_turns(state: &Email, blocks: &[Block]) -> Vec<(Visible, Visible)> {
    // What was sent stands in the conversation.
    let is_elsewhere = |id: &str| {
        state.dialog.pending.iter().any(|call| call.id == id)
            || state.sent.iter().any(|note| note.call == id && note.kind == "mail")
    };
    let is_asked = |call: &&ToolCall| !matches!(call.name.as_str(), tools::CHECK_CALENDAR | tools::DONE);
    let mut turns = Vec::new();
    for turn in &state.dialog.messages {
        match turn {
            Turn::Told { text } => turns.push(("you".to_owned(), text.clone())),
            Turn::Called { calls, .. } => {
                for call in calls.iter().filter(is_asked).filter(|call| !is_elsewhere(&call.id)) {
                    let text = ["content", "subject"]
                        .iter()
                        .find_map(|key| call.args.get(key).and_then(Value::as_str))
                        .unwrap_or_default();
                    let who = match call.name.as_str() {
                        tools::QUESTION => "the agent asked".to_owned(),
                        tool => format!("the agent proposed {}", tools::words(tool)),
                    };
                    turns.push((who, text.to_owned()));
                }
            }
            Turn::Became { tool, how, text, .. } => match how {
                CallResult::Answered => turns.push(("you".to_owned(), text.clone())),
                CallResult::Refused if text.is_empty() => turns.push(("you".to_owned(), "(no)".to_owned())),
                // Only the agent needs to know what became of a question nobody answered.
                CallResult::Done | CallResult::Failed | CallResult::Refused if tool == tools::QUESTION => {}
                CallResult::Done | CallResult::Failed | CallResult::Refused => {
                    let is_new = |line: &&str| tool != tools::CHECK_CALENDAR || !is_shown(blocks, line);
                    let lines: Vec<&str> = text.lines().filter(is_new).collect();
                    if !lines.is_empty() {
                        turns.push((tools::words(tool).to_owned(), lines.join("\n")));
                    }
                }
            },
            Turn::Said { .. } => {}
            Turn::News { .. } => turns.push(("mail".to_owned(), "New mail came.".to_owned())),
        }
    }
    turns.into_iter().map(|(who, text)| (Visible::line(&who), Visible::new(&text))).collect()
}

/// Whether a question or the picture of a day shows this line.
fn is_shown(blocks: &[Block], line: &str) -> bool {
    blocks.iter().any(|block| match block {
        Block::Text(text) => text.contains(line),
        Block::Day(day) => day.about.as_str() == line,
        _ => false,
    })
}

/// The mails of the conversation, newest first: those of this thread and of others, those that were put away, and those
/// that were sent. Only the newest from somebody else is unfolded.
fn mail_blocks(services: &Services, state: &Email, conversation: &Conversation) -> Vec<Block> {
    let identities: Vec<String> = state.email_input.iter().map(|mail| mail.identity.clone()).collect();
    let sent: Vec<String> = state.sent.iter().map(|note| note.message_id.clone()).collect();
    let (known, more) = services.records.conversation(&identities, &sent).unwrap_or_default();
    let mut mails: Vec<(MailRef, Arc<Mail>)> = Vec::new();
    for ConversationMail { raw, .. } in known.iter().rev() {
        // The bytes of old mail may be gone.
        mails.extend(
            services.mail(raw).ok().map(|mail| (MailRef { raw: raw.clone(), ..MailRef::default() }, mail)),
        );
    }
    // Mail that a person handed in is in no mailbox, and long conversations are cut.
    let is_missing = |raw: &str| known.iter().all(|known| known.raw != raw);
    mails.extend(conversation.mails.iter().filter(|(mail_ref, _)| is_missing(&mail_ref.raw)).cloned());
    let mails = mails::by_date(mails, services.clock.clone()());
    let newest = conversation.newest().or(mails.last()).map(|(mail_ref, _)| mail_ref.raw.clone());
    let is_unread = |raw: &str| known.iter().any(|known| known.raw == raw && known.is_unread);
    let shown = mails.iter().rev().map(|(mail_ref, mail)| MailBlock {
        folded: Some(&mail_ref.raw) != newest.as_ref(),
        unread: is_unread(&mail_ref.raw),
        ..mail_block(services, mail)
    });
    let shown = shown.chain(conversation.forwarded.as_ref().map(|mail| mail_block(services, mail)));
    let mut blocks: Vec<Block> = shown.map(|mail| Block::Mail(Box::new(mail))).collect();
    if more > 0 {
        let text = format!("{} of this conversation not shown", count_noun(more, "older mail"));
        blocks.push(Block::Text(Visible::line(&text)));
    }
    blocks
}

fn mail_block(services: &Services, mail: &Mail) -> MailBlock {
    let pieces = mail::pieces(&mail.text).into_iter();
    let zone = services.user.time_zone.clone();
    let date = mail.date.map(|date| date.to_zoned(zone).strftime("%a %-d %b %Y, %H:%M").to_string());
    MailBlock {
        from: Visible::line(&mail.from.to_string()),
        to: Visible::line(&Address::list(&mail.to)),
        cc: Visible::line(&Address::list(&mail.cc)),
        date: Visible::line(&date.unwrap_or_default()),
        subject: Visible::line(&mail.subject),
        headers: mail
            .headers
            .iter()
            .map(|(name, value)| (Visible::line(name), Visible::line(value)))
            .collect(),
        body: pieces
            .map(|piece| BodyPiece { quoted: piece.quoted, text: Visible::new(&piece.text) })
            .collect(),
        attachments: mail
            .attachments
            .iter()
            .map(|file| AttachmentLine {
                name: Visible::line(&file.name),
                kind: Visible::line(&file.kind),
                bytes: file.bytes,
            })
            .collect(),
        links: mail
            .links
            .iter()
            .map(|link| (Visible::line(&link.text), Visible::line(&link.target)))
            .collect(),
        hidden: mail.hidden,
        folded: false,
        unread: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_quotes_the_gist_says_it() {
        let question = "Joost asks: “Can I bring it to your workshop, and do I get a bike?”";
        assert!(contains_gist(question, "Can I bring it to your workshop, and do I get a bike?"));
        assert!(contains_gist(question, "Can I bring it to your workshop…"));
        assert!(!contains_gist(question, "His hub rattles"));
    }
}
