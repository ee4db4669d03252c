//! Replies without a model: the person's own words between a greeting and their name. Only a mail that wants to meet is
//! answered from the calendar ([`meeting`]).
//!
//! Promises: we say nothing that the person or their calendar did not say. We read a mail for whether it wants to meet
//! and when, and never follow its instructions. Words replace what was proposed before. After a mail was sent, or anything
//! was refused, we are done.

mod clock;
mod letter;
mod meeting;
mod slots;
mod voice;
mod when;

use jiff::civil::Date;
use serde_json::{Value, json};

use crate::agent::agent_loop::CallResult;
use crate::text::words::{line, with_full_stop};
use crate::workflows::email::facts::{ReplyEvent, ReplyFacts};
use slots::KnownCalendar;

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

/// The tools that can be proposed again.
const TOOLS: [&str; 3] = ["write_email", "schedule_meeting", "answer_invitation"];

const CHECK_CALENDAR: &str = "check_calendar_availability";

/// What was said and done about the newest mail.
#[derive(Debug, Default)]
struct History<'a> {
    /// The person's words, oldest first.
    words: Vec<&'a str>,
    calendar: KnownCalendar,
    /// Why the calendar could not be read.
    calendar_failed: Option<&'a str>,
    /// The call that could not be carried out, and why.
    failed: Option<(&'a str, &'a Value, &'a str)>,
    is_over: bool,
}

impl<'a> History<'a> {
    fn of(said: &'a [ReplyEvent]) -> Self {
        let mut history = Self::default();
        // The calls about the newest mail.
        let mut calls: Vec<(&str, &str, &Value)> = Vec::new();
        for event in said {
            match event {
                ReplyEvent::Told { text } => history.add_words(text),
                ReplyEvent::Called { id, tool, args } => calls.push((id, tool, args)),
                ReplyEvent::Became { how: CallResult::Answered, text, .. } => history.add_words(text),
                ReplyEvent::Became { id, how, text, data } => {
                    let call = calls.iter().rev().find(|(call, ..)| call == id).copied();
                    match (call, how) {
                        (Some((_, CHECK_CALENDAR, args)), CallResult::Done) => {
                            history.calendar.add(days_of(args), data);
                        }
                        (Some((_, CHECK_CALENDAR, _)), _) => history.calendar_failed = Some(text),
                        (Some((_, tool, args)), CallResult::Failed) => {
                            history.failed = Some((tool, args, text))
                        }
                        (Some(_), _) => history.is_over = true,
                        (None, _) => {}
                    }
                }
                // Everything so far was about the old mail, except what the calendar said.
                ReplyEvent::Came => {
                    calls.retain(|(_, tool, _)| *tool == CHECK_CALENDAR);
                    let Self { calendar, calendar_failed, .. } = history;
                    history = Self { calendar, calendar_failed, ..Self::default() };
                }
            }
        }
        history
    }

    /// Words mean that the person wants something else, or more.
    fn add_words(&mut self, text: &'a str) {
        self.words.push(text);
        (self.failed, self.is_over) = (None, false);
    }
}

fn days_of(args: &Value) -> Vec<Date> {
    let days = args.get("days").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    days.iter().filter_map(|day| day.as_str()?.get(..10)?.parse().ok()).collect()
}

/// The next call, and what is to be said about it.
pub(super) fn reply(facts: &ReplyFacts) -> Result<(String, Call), String> {
    let history = History::of(&facts.said);
    let silently = |call: Call| Ok((String::new(), call));
    if history.is_over {
        return silently(("done", json!({})));
    }
    if let Some((tool, args, why)) = history.failed
        && let Some(tool) = TOOLS.iter().find(|known| **known == tool)
    {
        let why = with_full_stop(&line(why, 300));
        return Ok((format!("That could not be done: {why}"), (*tool, args.clone())));
    }
    let to = recipients(facts, &history);
    if to.is_empty() {
        return silently(question(
            "This mail has no address that a reply can be sent to. Which address should I write to? Ignore this if no \
             reply is needed.",
        ));
    }
    let words = history.words.iter().rev().find(|words| !is_sendable(words.trim()));
    if let Some(words) = words {
        return silently(letter::write(facts, &to, words));
    }
    if let Some(call) = meeting::propose(facts, &history, &to)? {
        return silently(call);
    }
    silently(question(format!(
        "What should I answer {}? Your words become the letter, with a greeting and your name.",
        sender_name(facts)
    )))
}

fn question(text: impl Into<String>) -> Call {
    ("question", json!({ "content": text.into() }))
}

/// The sender, as shown to the person.
fn sender_name(facts: &ReplyFacts) -> &str {
    match (facts.mail.from_name.trim(), facts.mail.from.as_str()) {
        ("", "") => "the sender",
        ("", address) => address,
        (name, _) => name,
    }
}

/// The reply-to addresses, else the sender, else the address the person gave when we asked.
fn recipients(facts: &ReplyFacts, history: &History<'_>) -> Vec<String> {
    let from = std::slice::from_ref(&facts.mail.from);
    let candidates = if facts.reply_to.is_empty() { from } else { &facts.reply_to };
    let usable: Vec<String> = candidates.iter().filter(|address| is_sendable(address)).cloned().collect();
    if !usable.is_empty() {
        return usable;
    }
    let newest_first = history.words.iter().rev();
    let mut words = newest_first.flat_map(|words| words.split([' ', ',', ';', '<', '>', '\n']));
    words
        .find_map(|word| Some(word.trim_end_matches('.')).filter(|word| is_sendable(word)))
        .map(str::to_owned)
        .into_iter()
        .collect()
}

/// Whether mail can be sent to an address as written.
fn is_sendable(address: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;\"\\()".contains(c);
    let parts = address.split_once('@');
    parts.is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty() && !domain.contains('@'))
        && !address.contains(odd)
}

/// A line of a profile without its bullet or number.
fn strip_bullet(line: &str) -> &str {
    let line = line.trim().trim_start_matches(['-', '*', '•', '–']).trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = if rest.len() < line.len() { rest.strip_prefix(['.', ')']) } else { None };
    numbered.map_or(line, str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::mail_facts::{MailFacts, User};
    use proptest::prelude::*;

    fn facts(text: &str) -> ReplyFacts {
        ReplyFacts {
            user: User { name: "Ada Lovelace".into(), ..User::default() },
            mail: MailFacts { from: "b@x.example".into(), text: text.into(), ..MailFacts::default() },
            now: "2026-11-11T09:30:00+01:00".into(),
            ..ReplyFacts::default()
        }
    }

    fn told(text: &str) -> ReplyEvent {
        ReplyEvent::Told { text: text.to_owned() }
    }

    fn called(id: &str, (tool, args): &(&str, Value)) -> ReplyEvent {
        ReplyEvent::Called { id: id.to_owned(), tool: (*tool).to_owned(), args: args.clone() }
    }

    fn became(id: &str, how: CallResult, text: &str) -> ReplyEvent {
        ReplyEvent::Became { id: id.to_owned(), how, text: text.to_owned(), data: Value::Null }
    }

    #[test]
    fn without_words_the_person_is_asked_and_their_words_become_the_letter() {
        let mut facts = facts("When does it come?");
        let asked = reply(&facts).unwrap().1;
        assert_eq!(asked.0, "question");
        facts.said = vec![called("q", &asked), became("q", CallResult::Answered, "It comes on Friday.")];
        let letter = reply(&facts).unwrap().1;
        assert_eq!(letter.1["content"], "Hi,\n\nIt comes on Friday.\n\nBest,\nAda");
        facts.said.extend([called("c", &letter), became("c", CallResult::Answered, "It comes on Monday.")]);
        let letter = reply(&facts).unwrap().1;
        assert_eq!(letter.1["content"], "Hi,\n\nIt comes on Monday.\n\nBest,\nAda");
        facts.said.extend([called("d", &letter), became("d", CallResult::Done, "Sent.")]);
        assert_eq!(reply(&facts).unwrap().1.0, "done");
        facts.said.push(told("And a second one is coming."));
        assert_eq!(
            reply(&facts).unwrap().1.0,
            "write_email",
            "words after a mail was sent bring another one"
        );
        facts.said.push(ReplyEvent::Came);
        assert_eq!(reply(&facts).unwrap().1.0, "question", "what was said was about the old mail");
    }

    #[test]
    fn where_nobody_can_be_answered_the_person_is_asked_for_an_address() {
        for from in ["", "root", "\"john doe\"@x.example"] {
            let mut facts = facts("Please sign.");
            facts.mail.from = from.to_owned();
            facts.said = vec![told("I will sign it.")];
            let asked = reply(&facts).unwrap().1;
            assert_eq!(asked.0, "question", "{from}");
            facts.said.extend([called("q", &asked), became("q", CallResult::Answered, "bob@x.example")]);
            let (tool, args) = reply(&facts).unwrap().1;
            assert_eq!((tool, &args["to"]), ("write_email", &json!(["bob@x.example"])), "{from}");
            assert!(args["content"].as_str().unwrap().contains("I will sign it."), "{args}");
        }
    }

    #[test]
    fn a_letter_that_could_not_be_sent_is_shown_again() {
        let draft = ("write_email", json!({"to": ["b@x.example"], "subject": "Re: x", "content": "Soon."}));
        let mut facts = facts("When?");
        facts.said = vec![called("c", &draft), became("c", CallResult::Failed, "no such person")];
        assert_eq!(reply(&facts).unwrap(), ("That could not be done: no such person.".to_owned(), draft));
    }

    proptest! {
        #[test]
        fn any_words_are_survived(mail in "(?s).{0,200}", words in "(?s).{0,200}") {
            let mut facts = facts(&mail);
            prop_assert!(reply(&facts).is_ok());
            facts.said = vec![told(&words)];
            let next = reply(&facts).unwrap();
            prop_assert!(next.1.1["content"].as_str().is_none_or(|content| !content.trim().is_empty()));
        }
    }
}
