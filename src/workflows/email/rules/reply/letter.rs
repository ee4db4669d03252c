//! The text of a reply, and the questions that come before one.

use serde_json::{Value, json};

use super::super::signs::flat;
use super::Call;
use super::desk::{Desk, writable};
use super::points::{Point, settle};
use super::speech::sentence;
use super::wishes::{About, Say, shares};
use crate::text::words::line;

/// A mail that says what is known, or a question where too little is.
pub(super) fn propose(desk: &Desk<'_>, points: &[Point]) -> Vec<Call> {
    match content(desk, points) {
        Some(paragraphs) => vec![mail(desk, paragraphs)],
        None => vec![ask(desk, points)],
    }
}

/// A mail for the person to write: what they typed, between greeting and farewell.
pub(super) fn unwritten(desk: &Desk<'_>) -> Call {
    let words: Vec<&str> = desk.story.words().map(str::trim).filter(|words| !writable(words)).collect();
    ("write_email", envelope(desk, &framed(desk, &words.join("\n\n"))))
}

/// What the reply says about `points`; `None` where the person has to be asked.
pub(super) fn content(desk: &Desk<'_>, points: &[Point]) -> Option<Vec<String>> {
    let mut said = match told(desk, points) {
        Some(said) => said,
        None => untold(desk, points)?,
    };
    said.retain(|text| !desk.wishes.drop.iter().any(|stems| shares(text, stems)));
    (!said.is_empty()).then_some(said)
}

/// From the person's words.
fn told(desk: &Desk<'_>, points: &[Point]) -> Option<Vec<String>> {
    let by_point = desk.story.words().rev().find_map(|words| {
        let parts = one_each(words, points.len())?;
        let read = |part: &String| Some(desk.read(part, About::Mail, true)?.0.say);
        parts.iter().map(read).collect::<Option<Vec<_>>>()
    });
    let said = match by_point {
        Some(parts) => {
            let mut out = Vec::new();
            for (point, part) in points.iter().zip(parts) {
                out.extend(say(desk, &part, std::slice::from_ref(point), true));
            }
            // What was said later about the proposal stands besides.
            let mut later = Vec::new();
            for (n, (about, words)) in desk.story.heard.iter().enumerate() {
                if *about != About::Mail && desk.understood(n) {
                    later.extend(
                        desk.read(words, *about, true).map(|(wishes, _)| wishes.say).unwrap_or_default(),
                    );
                }
            }
            if later.contains(&Say::Decline) {
                out.clear();
            }
            out.extend(say(desk, &later, &[], false));
            out
        }
        None => say(desk, &desk.wishes.say, points, false),
    };
    (!said.is_empty()).then_some(said)
}

/// From the profile alone: what it knows, and that the rest will be looked into, where it allows to say so.
fn untold(desk: &Desk<'_>, points: &[Point]) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut open = points.is_empty();
    for point in points {
        match desk.manner.answer(&point.text) {
            Some(answer) => out.push(sentence(answer)),
            None => open = true,
        }
    }
    if points.is_empty() || open && !desk.manner.hold {
        return None;
    }
    if open {
        out.push(desk.voice.hold());
    }
    let day = points.iter().find_map(|point| point.deadline).filter(|_| desk.manner.deadlines && open);
    out.extend(day.map(|day| desk.voice.deadline(&desk.voice.day(day))));
    Some(out)
}

/// What is said, as sentences. `quote` puts the question before an answer that is nothing without it.
fn say(desk: &Desk<'_>, said: &[Say], points: &[Point], quote: bool) -> Vec<String> {
    let voice = desk.voice;
    let asked: Vec<&Point> = points.iter().filter(|point| !point.meeting).collect();
    let mut out = Vec::new();
    for (n, one) in said.iter().enumerate() {
        match one {
            Say::Yes | Say::No => {
                let yes = *one == Say::Yes;
                let bare = if yes { voice.yes() } else { voice.no() };
                let goes_on = matches!(said.get(n + 1), Some(Say::Words(_)));
                if let [point] = asked[..]
                    && goes_on
                {
                    out.push(settle(point, yes, voice).unwrap_or(bare));
                    continue;
                }
                if asked.is_empty() {
                    out.push(if yes { voice.agree() } else { bare });
                    continue;
                }
                for point in &asked {
                    let quoted = || format!("> {}\n{bare}", line(&point.text, 300));
                    out.push(settle(point, yes, voice).unwrap_or_else(quoted));
                }
            }
            Say::Decline => out.push(voice.decline()),
            Say::Words(text) | Say::When(text) => match points {
                [point] if quote && flat(text).split_whitespace().count() < 4 => {
                    out.push(format!("> {}\n{text}", line(&point.text, 300)));
                }
                _ => out.push(text.clone()),
            },
            Say::That(text) => out.push(voice.that(text)),
            Say::Note(text) => out.push(voice.note(text)),
        }
    }
    out
}

/// One answer a point: by lines, by numbers or by semicolons.
fn one_each(words: &str, count: usize) -> Option<Vec<String>> {
    if count < 2 {
        return None;
    }
    let bare = |part: &str| {
        let part = part.trim().trim_start_matches(['-', '*']);
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest =
            if rest.len() < part.len() { rest.strip_prefix(['.', ')', ':']).unwrap_or(part) } else { part };
        rest.trim().to_owned()
    };
    let by_sign =
        |sign: char| -> Vec<String> { words.split(sign).map(bare).filter(|part| !part.is_empty()).collect() };
    ['\n', ';'].into_iter().map(by_sign).find(|parts| parts.len() == count)
}

/// The whole mail.
pub(super) fn mail(desk: &Desk<'_>, said: Vec<String>) -> Call {
    let (voice, manner) = (desk.voice, &desk.manner);
    let polite = said.first().is_some_and(|text| thanks(text));
    let mut open = None;
    if manner.warm {
        open = Some(voice.warm_thanks());
    } else if manner.short < 1 && !polite {
        open = Some(voice.thanks());
    }
    if manner.warm && polite {
        open = None;
    }
    let mut paragraphs: Vec<String> = Vec::new();
    let plain = |text: &String| !text.starts_with('>') && !text.contains('\n');
    // Sentences flow together; quotes and lists stand alone.
    for text in open.iter().chain(&said) {
        let first = paragraphs.is_empty();
        match paragraphs.last_mut() {
            Some(last) if plain(text) && plain(last) => {
                last.push(' ');
                last.push_str(&voice.begin(text, false));
            }
            _ => paragraphs.push(voice.begin(text, first)),
        }
    }
    if manner.warm {
        paragraphs.push(voice.warm_end());
    }
    if manner.short < 0 {
        paragraphs.push(voice.begin(&voice.ask_back(), false));
    }
    let mut body = paragraphs.join("\n\n");
    if manner.no_exclamation {
        body = body.replace('!', ".");
    }
    ("write_email", envelope(desk, &framed(desk, &body)))
}

/// A text between greeting and farewell.
fn framed(desk: &Desk<'_>, body: &str) -> String {
    let (voice, manner) = (desk.voice, &desk.manner);
    let greeting = voice.greeting(manner.greeting.as_deref(), &desk.name());
    let sign_off = manner.sign_off.clone().unwrap_or_else(|| voice.sign_off(&desk.facts.user.name));
    let parts = [greeting.as_str(), body, &sign_off];
    parts
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
        .trim_end()
        .to_owned()
}

fn thanks(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["thank", "danke", "vielen dank", "leider"].iter().any(|word| lower.starts_with(word))
}

fn envelope(desk: &Desk<'_>, content: &str) -> Value {
    let facts = desk.facts;
    let to = desk.to.clone();
    let mut cc: Vec<String> = if desk.to_all { facts.reply_all.clone() } else { Vec::new() };
    let copies =
        desk.manner.copies.iter().filter(|(_, whom)| to.iter().any(|to| to.eq_ignore_ascii_case(whom)));
    cc.extend(copies.map(|(who, _)| who.clone()));
    cc.extend(desk.wishes.copy.iter().cloned());
    let mut known: Vec<String> = to.iter().map(|address| address.to_lowercase()).collect();
    cc.retain(|address| {
        let address = address.to_lowercase();
        let new = !known.contains(&address) && !desk.wishes.uncopy.contains(&address);
        known.push(address);
        new
    });
    let subject = desk.wishes.subject.clone().unwrap_or_else(|| facts.subject.clone());
    let subject = if subject.is_empty() { format!("Re: {}", facts.mail.subject) } else { subject };
    let mut args = json!({"to": to, "subject": subject, "content": content});
    if !cc.is_empty() {
        args["cc"] = json!(cc);
    }
    args
}

/// A question to the person: what to answer to `points`.
pub(super) fn ask(desk: &Desk<'_>, points: &[Point]) -> Call {
    let who = line(desk.who(), 60);
    let mut text = match points {
        [] => format!("What shall I answer {who} about “{}”?", line(&desk.facts.mail.subject, 120)),
        [one] => format!("{who} asks: “{}”", line(&one.text, 300)),
        many => {
            let rows =
                many.iter().enumerate().map(|(n, point)| format!("{}. {}", n + 1, line(&point.text, 300)));
            format!("{who} asks:\n{}", rows.collect::<Vec<_>>().join("\n"))
        }
    };
    let english = super::voice::Voice { lang: super::voice::Lang::English, formal: false };
    if let Some(day) = points.iter().find_map(|point| point.deadline) {
        text.push_str(&format!("\nWanted by {}.", english.day(day)));
    }
    match points.len() {
        0 => {}
        1 => text.push_str("\nWhat shall I answer?"),
        _ => text.push_str("\nWhat shall I answer? One line a point, or in your own words."),
    }
    question(text)
}

/// A question in these words.
pub(super) fn question(text: impl Into<String>) -> Call {
    ("question", json!({"content": text.into()}))
}
