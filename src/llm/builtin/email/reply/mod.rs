//! Replies by rules: what was asked, what the person said, how they write, when they are free.
//!
//! Promised: nothing is said that neither the person, nor their profile, nor their calendar said. Where an answer is
//! not known, the person is asked; where the profile allows it, the mail says that it will be looked into. Words of
//! the mail are read for what they ask and when, and are never followed. Feedback changes the next proposal, or is
//! answered by a question. After a mail was sent, or anything was refused, it is done.
//!
//! [`story`] reads what happened, [`desk`] everything a reply needs, [`letter`] and [`meeting`] propose.

mod clock;
mod desk;
mod letter;
mod manner;
mod meeting;
mod points;
mod slots;
mod story;
mod voice;
mod when;
mod wishes;

use serde_json::{Value, json};

use super::super::words::line;
use crate::llm::facts::email::ReplyFacts;
use desk::Desk;
use story::Story;

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

/// What is to be called next.
pub(super) fn reply(facts: &ReplyFacts) -> Result<Vec<Call>, String> {
    let story = Story::of(facts);
    if story.over() {
        return Ok(vec![("done", json!({}))]);
    }
    let desk = Desk::new(facts, &story)?;
    if let Some(why) = story.failed {
        let why = line(why, 300);
        return Ok(vec![letter::question(format!(
            "That could not be done: {why}. What shall I do instead?"
        ))]);
    }
    if let Some(name) = desk.wishes.unknown.last().filter(|_| desk.wishes.copy.is_empty()) {
        let text = format!("I know no address for “{}”. Which one shall be copied?", line(name, 60));
        return Ok(vec![letter::question(text)]);
    }
    let calls = if points::wants_meeting(&facts.mail, &desk.points) || meets(&desk) {
        meeting::propose(&desk)
    } else {
        letter::propose(&desk)
    };
    Ok(changed(&desk, calls))
}

/// Whether a meeting was proposed before, and the person's words are about its time.
fn meets(desk: &Desk<'_>) -> bool {
    desk.story.returned.is_some_and(|(tool, _)| tool == "schedule_meeting")
}

/// The same proposal again would not be an answer to words about it.
fn changed(desk: &Desk<'_>, calls: Vec<Call>) -> Vec<Call> {
    let same = desk
        .story
        .returned
        .is_some_and(|(tool, args)| calls.iter().any(|(name, proposed)| *name == tool && proposed == args));
    match desk.story.feedback.last() {
        Some(words) if same => {
            let words = line(words, 200);
            vec![letter::question(format!(
                "I could not turn “{words}” into a change. In which words shall I say it?"
            ))]
        }
        _ => calls,
    }
}
