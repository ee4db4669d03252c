//! The text of a reply, and the questions that come before one.

use serde_json::{Value, json};

use super::Call;
use super::context::ReplyContext;
use super::intent::{ReplyIntent, sentence};
use super::points::Point;
use super::voice::{Lang, Voice};
use crate::text::words::line;

/// A mail with what we know, or a question if that is too little.
pub(super) fn propose(context: &ReplyContext<'_>, points: &[Point]) -> Vec<Call> {
    match content(context, points) {
        Some(paragraphs) => vec![mail(context, paragraphs)],
        None => vec![ask(context, points)],
    }
}

/// A mail for the person to write: only greeting and sign-off.
pub(super) fn empty_mail(context: &ReplyContext<'_>) -> Call {
    ("write_email", envelope(context, &frame(context, "")))
}

/// The text of the mail with an invitation.
pub(super) fn invitation_text(context: &ReplyContext<'_>) -> String {
    let mut text = if context.style.short { String::new() } else { format!("{} ", context.voice.thanks()) };
    text.push_str(&context.voice.invite());
    frame(context, &context.voice.begin(&text, true))
}

/// What the reply says about `points`; `None` if we must ask the person.
fn content(context: &ReplyContext<'_>, points: &[Point]) -> Option<Vec<String>> {
    let voice = context.voice;
    let answer = match &context.verdict {
        Some(ReplyIntent::Decline) => return Some(vec![voice.decline()]),
        Some(ReplyIntent::No) if context.wants_meeting => return Some(vec![voice.decline()]),
        Some(ReplyIntent::Yes) => Some(voice.yes()),
        Some(ReplyIntent::No) => Some(voice.no()),
        Some(_) | None if context.text.is_some() || context.wants_meeting => None,
        Some(_) | None => context.times_said().map(sentence),
    };
    match (answer, points) {
        // Short words answer only a single question, which we quote.
        (Some(answer), [point]) => Some(vec![format!("> {}\n{answer}", line(&point.text, 300))]),
        (Some(_), _) => None,
        (None, _) => answers(context, points),
    }
}

/// The person's statement, else the profile's answers; for the rest, that we will look into it if the profile allows
/// that.
pub(super) fn answers(context: &ReplyContext<'_>, points: &[Point]) -> Option<Vec<String>> {
    if let Some(text) = &context.text {
        return Some(vec![text.clone()]);
    }
    let mut out = Vec::new();
    let mut has_open_points = points.is_empty();
    for point in points {
        match context.style.answer(&point.text) {
            Some(answer) => out.push(sentence(answer)),
            None => has_open_points = true,
        }
    }
    if points.is_empty() || has_open_points && !context.style.hold {
        return None;
    }
    if has_open_points {
        out.push(context.voice.hold());
    }
    let day =
        points.iter().find_map(|point| point.deadline).filter(|_| context.style.deadlines && has_open_points);
    out.extend(day.map(|day| context.voice.deadline(&context.voice.day(day))));
    Some(out)
}

pub(super) fn mail(context: &ReplyContext<'_>, sentences: Vec<String>) -> Call {
    let (voice, style) = (context.voice, &context.style);
    let skips_thanks = sentences.first().is_some_and(|text| needs_no_thanks(text));
    let opening = (!style.short && !skips_thanks).then(|| voice.thanks());
    let mut paragraphs: Vec<String> = Vec::new();
    let is_plain = |text: &String| !text.starts_with('>') && !text.contains('\n');
    // Sentences are joined; quotes and lists are separate paragraphs.
    for text in opening.iter().chain(&sentences) {
        let first = paragraphs.is_empty();
        match paragraphs.last_mut() {
            Some(last) if is_plain(text) && is_plain(last) => {
                last.push(' ');
                last.push_str(&voice.begin(text, false));
            }
            _ => paragraphs.push(voice.begin(text, first)),
        }
    }
    let mut body = paragraphs.join("\n\n");
    if style.no_exclamation {
        body = body.replace('!', ".");
    }
    ("write_email", envelope(context, &frame(context, &body)))
}

/// A text between greeting and sign-off.
fn frame(context: &ReplyContext<'_>, body: &str) -> String {
    let (voice, style) = (context.voice, &context.style);
    let greeting = voice.greeting(style.greeting.as_deref(), &context.greeting_name());
    let sign_off = style.sign_off.clone().unwrap_or_else(|| voice.sign_off(&context.facts.user.name));
    let parts = [greeting.as_str(), body, &sign_off];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    parts.join("\n\n").trim_end().to_owned()
}

fn needs_no_thanks(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["thank", "danke", "vielen dank", "leider"].iter().any(|word| lower.starts_with(word))
}

fn envelope(context: &ReplyContext<'_>, content: &str) -> Value {
    let facts = context.facts;
    let to = context.to.clone();
    let mut cc: Vec<String> = if context.to_all { facts.reply_all.clone() } else { Vec::new() };
    let copies =
        context.style.copies.iter().filter(|(_, whom)| to.iter().any(|to| to.eq_ignore_ascii_case(whom)));
    cc.extend(copies.map(|(who, _)| who.clone()));
    let mut recipients: Vec<String> = to.iter().map(|address| address.to_lowercase()).collect();
    cc.retain(|address| {
        let address = address.to_lowercase();
        let is_new = !recipients.contains(&address);
        recipients.push(address);
        is_new
    });
    let subject = match facts.subject.as_str() {
        "" => format!("Re: {}", facts.mail.subject),
        subject => subject.to_owned(),
    };
    let mut args = json!({"to": to, "subject": subject, "content": content});
    if !cc.is_empty() {
        args["cc"] = json!(cc);
    }
    args
}

/// Asks the person what to answer to `points`.
pub(super) fn ask(context: &ReplyContext<'_>, points: &[Point]) -> Call {
    let who = line(context.sender_name(), 60);
    let mut text = match points {
        [] => format!("What should I tell {who} about “{}”?", line(&context.facts.mail.subject, 120)),
        [one] => format!("{who} asks: “{}”", line(&one.text, 300)),
        many => {
            let rows =
                many.iter().enumerate().map(|(n, point)| format!("{}. {}", n + 1, line(&point.text, 300)));
            format!("{who} asks:\n{}", rows.collect::<Vec<_>>().join("\n"))
        }
    };
    let english = Voice { lang: Lang::English, formal: false };
    if let Some(day) = points.iter().find_map(|point| point.deadline) {
        text.push_str(&format!("\nWanted by {}.", english.day(day)));
    }
    if !points.is_empty() {
        text.push_str("\nWhat should I answer?");
    }
    question(text)
}

pub(super) fn question(text: impl Into<String>) -> Call {
    ("question", json!({"content": text.into()}))
}
