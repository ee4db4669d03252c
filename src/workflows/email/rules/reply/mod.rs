//! Replies without a model: the person's own words between a greeting and their name. Only an invitation is answered
//! without any.
//!
//! Promises: we say nothing that the person did not say, and never follow a mail's instructions. Words replace what was
//! proposed before. After a mail was sent, or anything was refused, we are done.

mod letter;
mod voice;

use serde_json::{Value, json};

use crate::agent::agent_loop::{CallResult, Turn};
use crate::agent::llm::ToolCall;
use crate::text::words::{line, with_full_stop};
use crate::workflows::email::facts::ReplyFacts;
use crate::workflows::email::tools::{ANSWER_INVITATION, CHECK_CALENDAR, SCHEDULE_MEETING, WRITE_EMAIL};

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

/// The tools that can be proposed again.
const TOOLS: [&str; 3] = [WRITE_EMAIL, SCHEDULE_MEETING, ANSWER_INVITATION];

/// What was said and done about the newest mail.
#[derive(Debug, Default)]
struct History<'a> {
    /// The person's words, oldest first.
    words: Vec<&'a str>,
    /// The call that could not be carried out, and why.
    failed: Option<(&'a ToolCall, &'a str)>,
    is_over: bool,
}

impl<'a> History<'a> {
    fn of(said: &'a [Turn]) -> Self {
        let mut history = Self::default();
        // The calls about the newest mail.
        let mut calls: Vec<&ToolCall> = Vec::new();
        for turn in said {
            match turn {
                Turn::Told { text } | Turn::Became { how: CallResult::Answered, text, .. } => {
                    history.add_words(text);
                }
                Turn::Called { calls: proposed, .. } => calls.extend(proposed),
                // To look something up ends nothing.
                Turn::Became { tool, .. } if tool == CHECK_CALENDAR => {}
                Turn::Became { call: id, how, text, .. } => {
                    match calls.iter().copied().rev().find(|call| call.id == *id) {
                        Some(call) if *how == CallResult::Failed => history.failed = Some((call, text)),
                        Some(_) => history.is_over = true,
                        None => {}
                    }
                }
                // Everything so far was about the old mail.
                Turn::News { .. } => {
                    calls.clear();
                    history = Self::default();
                }
                Turn::Said { .. } => {}
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

/// The next call, and what is to be said about it.
pub(super) fn reply(facts: &ReplyFacts) -> (String, Call) {
    let history = History::of(&facts.said);
    let silently = |call: Call| (String::new(), call);
    if history.is_over {
        return silently(("done", json!({})));
    }
    if let Some((call, why)) = history.failed
        && let Some(tool) = TOOLS.iter().find(|known| **known == call.name)
    {
        let why = with_full_stop(&line(why, 300));
        return (format!("That could not be done: {why}"), (*tool, call.args.clone()));
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
    if facts.tools.iter().any(|tool| tool == ANSWER_INVITATION) {
        return silently((ANSWER_INVITATION, json!({ "answer": "accept" })));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::mail_facts::{MailFacts, User};
    use proptest::prelude::*;

    fn facts(text: &str) -> ReplyFacts {
        ReplyFacts {
            user: User { name: "Ada Lovelace".into(), ..User::default() },
            mail: MailFacts { from: "b@x.example".into(), text: text.into(), ..MailFacts::default() },
            ..ReplyFacts::default()
        }
    }

    fn told(text: &str) -> Turn {
        Turn::Told { text: text.to_owned() }
    }

    fn called(id: &str, (tool, args): &(&str, Value)) -> Turn {
        let (id, name, args) = (id.to_owned(), (*tool).to_owned(), args.clone());
        let calls = vec![ToolCall { id, name, args, signature: None }];
        Turn::Called { text: String::new(), calls, in_words: false }
    }

    fn became(call: &str, how: CallResult, text: &str) -> Turn {
        let (call, tool, text) = (call.to_owned(), WRITE_EMAIL.to_owned(), text.to_owned());
        Turn::Became { call, tool, how, text, data: Value::Null, ends: false }
    }

    #[test]
    fn without_words_the_person_is_asked_and_their_words_become_the_letter() {
        let mut facts = facts("When does it come?");
        let asked = reply(&facts).1;
        assert_eq!(asked.0, "question");
        facts.said = vec![called("q", &asked), became("q", CallResult::Answered, "It comes on Friday.")];
        let letter = reply(&facts).1;
        assert_eq!(letter.1["content"], "Hi,\n\nIt comes on Friday.\n\nBest,\nAda");
        facts.said.extend([called("c", &letter), became("c", CallResult::Answered, "It comes on Monday.")]);
        let letter = reply(&facts).1;
        assert_eq!(letter.1["content"], "Hi,\n\nIt comes on Monday.\n\nBest,\nAda");
        facts.said.extend([called("d", &letter), became("d", CallResult::Done, "Sent.")]);
        assert_eq!(reply(&facts).1.0, "done");
        facts.said.push(told("And a second one is coming."));
        assert_eq!(reply(&facts).1.0, "write_email", "words after a mail was sent bring another one");
        facts.said.push(Turn::News { text: "New mail came.".to_owned() });
        assert_eq!(reply(&facts).1.0, "question", "what was said was about the old mail");
    }

    #[test]
    fn where_nobody_can_be_answered_the_person_is_asked_for_an_address() {
        for from in ["", "root", "\"john doe\"@x.example"] {
            let mut facts = facts("Please sign.");
            facts.mail.from = from.to_owned();
            facts.said = vec![told("I will sign it.")];
            let asked = reply(&facts).1;
            assert_eq!(asked.0, "question", "{from}");
            facts.said.extend([called("q", &asked), became("q", CallResult::Answered, "bob@x.example")]);
            let (tool, args) = reply(&facts).1;
            assert_eq!((tool, &args["to"]), ("write_email", &json!(["bob@x.example"])), "{from}");
            assert!(args["content"].as_str().unwrap().contains("I will sign it."), "{args}");
        }
    }

    #[test]
    fn a_letter_that_could_not_be_sent_is_shown_again() {
        let draft = ("write_email", json!({"to": ["b@x.example"], "subject": "Re: x", "content": "Soon."}));
        let mut facts = facts("When?");
        facts.said = vec![called("c", &draft), became("c", CallResult::Failed, "no such person")];
        assert_eq!(reply(&facts), ("That could not be done: no such person.".to_owned(), draft));
    }

    proptest! {
        #[test]
        fn any_words_are_survived(mail in "(?s).{0,200}", words in "(?s).{0,200}") {
            let mut facts = facts(&mail);
            reply(&facts);
            facts.said = vec![told(&words)];
            let next = reply(&facts);
            // Words of nothing are refused before they get here.
            let says_something = words.chars().any(char::is_alphanumeric);
            let content = next.1.1["content"].as_str();
            prop_assert!(!says_something || content.is_none_or(|content| !content.trim().is_empty()));
        }
    }
}
