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
use super::signs::{flat, has};
use crate::llm::facts::email::{Became, ReplyFacts, Said};
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
    if leaves(facts, &story) {
        let left = said_done(facts, "unsubscribe");
        return Ok(vec![(if left { "done" } else { "unsubscribe" }, json!({}))]);
    }
    if let Some(name) = desk.wishes.unknown.last().filter(|_| desk.wishes.copy.is_empty()) {
        let text = format!("I know no address for “{}”. Which one shall be copied?", line(name, 60));
        return Ok(vec![letter::question(text)]);
    }
    if desk.to.is_empty() {
        let text = "There is nobody to answer to: the mail names no address that mail can be sent to. Which address \
                    shall I write to? Ignore this where no answer is needed.";
        return Ok(vec![letter::question(text)]);
    }
    let calls = if points::wants_meeting(&facts.mail, &desk.points) || meets(&desk) {
        meeting::propose(&desk)
    } else {
        letter::propose(&desk)
    };
    Ok(changed(&desk, calls))
}

/// Whether the person's last words are to leave the list the mail came by, and it can be left.
fn leaves(facts: &ReplyFacts, story: &Story<'_>) -> bool {
    let offered = facts.tools.iter().any(|tool| tool == "unsubscribe");
    let last = story.heard.last().map(|(_, words)| flat(words)).unwrap_or_default();
    offered
        && has(
            &last,
            "unsubscribe, unsubscribe me, leave the list, leave this list, abbestellen, abmelden, bestell ab",
        )
        && !has(&last, "not, don t, never, nicht, kein*")
}

/// Whether a call of this tool was carried out.
fn said_done(facts: &ReplyFacts, wanted: &str) -> bool {
    let called = |id: &String| {
        facts
            .said
            .iter()
            .any(|said| matches!(said, Said::Called { id: known, tool, .. } if known == id && tool == wanted))
    };
    facts.said.iter().any(|said| matches!(said, Said::Became { id, how: Became::Done, .. } if called(id)))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::facts::email::{MailFacts, User};
    use proptest::prelude::*;

    /// Words that the rules look for, and characters they may stumble over.
    fn text() -> impl Strategy<Value = String> {
        let words = prop::sample::select(vec![
            "could you",
            "please",
            "send",
            "next",
            "Tuesday",
            "at",
            "3",
            "pm",
            "17.",
            "17.11.",
            "November",
            "um",
            "14",
            "Uhr",
            "tell him",
            "he",
            "has",
            "decline",
            "cc",
            "bob@x.example",
            "shorter",
            "add",
            "mention",
            ",",
            ";",
            "and",
            "?",
            ".",
            "\n",
            "\n\n",
            "dass",
            "ſ",
            "İ",
            "ẞ",
            "🧨",
            "yes",
            "instead",
            "30 minutes",
            "meet",
            "> q",
            "by",
            "2026-13-45",
            "99:99",
            "24:00",
            "0",
            "-",
            "half an hour",
            "Dear",
            "„",
            "(",
        ]);
        prop::collection::vec(words, 0..30).prop_map(|words| words.join(" "))
    }

    #[test]
    fn where_nobody_can_be_answered_the_person_is_asked() {
        for from in ["", "root", "\"john doe\"@x.example"] {
            let mut facts = ReplyFacts {
                user: User { name: "Ada Lovelace".into(), ..User::default() },
                mail: MailFacts { from: from.into(), text: "Please call.".into(), ..MailFacts::default() },
                reply_to: Some(from.to_owned()).filter(|from| !from.is_empty()).into_iter().collect(),
                now: "2026-11-11T09:30:00+01:00".into(),
                said: vec![Said::Told { text: "tell him yes".into() }],
                ..ReplyFacts::default()
            };
            let calls = reply(&facts).unwrap();
            assert_eq!(calls[0].0, "question", "{from}");
            assert!(calls[0].1["content"].as_str().unwrap().starts_with("There is nobody to answer to"));
            let id = String::from("q");
            facts.said.push(Said::Called {
                id: id.clone(),
                tool: "question".into(),
                args: calls[0].1.clone(),
            });
            let text = "bob@x.example".to_owned();
            facts.said.push(Said::Became { id, how: Became::Answered, text, data: Value::Null });
            let calls = reply(&facts).unwrap();
            assert_eq!((calls[0].0, &calls[0].1["to"]), ("write_email", &json!(["bob@x.example"])), "{from}");
        }
    }

    #[test]
    fn words_after_a_mail_was_sent_bring_another_one() {
        let (id, how, data) = ("c".to_owned(), Became::Done, Value::Null);
        let mut facts = ReplyFacts {
            mail: MailFacts { from: "b@x.example".into(), text: "When?".into(), ..MailFacts::default() },
            reply_to: vec!["b@x.example".into()],
            now: "2026-11-11T09:30:00+01:00".into(),
            said: vec![
                Said::Called {
                    id: id.clone(),
                    tool: "write_email".into(),
                    args: json!({"content": "Soon."}),
                },
                Said::Became { id, how, text: "It was sent.".into(), data },
            ],
            ..ReplyFacts::default()
        };
        assert_eq!(reply(&facts).unwrap()[0].0, "done");
        let text = "Say: did you have a chance to look at my mail of 4 November?";
        facts.said.push(Said::Told { text: text.into() });
        let (tool, args) = reply(&facts).unwrap().remove(0);
        assert_eq!(tool, "write_email");
        assert!(
            args["content"].as_str().unwrap().contains("id you have a chance to look at my mail"),
            "{args}"
        );
    }

    #[test]
    fn a_list_is_left_when_the_person_says_so_and_it_can_be() {
        let next = |words: &str, offered: bool, done: bool| {
            let tools = ["write_email", "question", "done", "unsubscribe"];
            let mut said = vec![Said::Told { text: words.into() }];
            if done {
                let (id, how, data) = ("u".to_owned(), Became::Done, Value::Null);
                said.push(Said::Called { id: id.clone(), tool: "unsubscribe".into(), args: json!({}) });
                said.push(Said::Became { id, how, text: "Sent.".into(), data });
            }
            let facts = ReplyFacts {
                mail: MailFacts { from: "n@x.example".into(), text: "News!".into(), ..MailFacts::default() },
                now: "2026-11-11T09:30:00+01:00".into(),
                tools: tools[..if offered { 4 } else { 3 }].iter().map(|tool| (*tool).to_owned()).collect(),
                said,
                ..ReplyFacts::default()
            };
            reply(&facts).unwrap()[0].0
        };
        assert_eq!(next("Please unsubscribe me.", true, false), "unsubscribe");
        assert_eq!(next("Please unsubscribe me.", true, true), "done");
        assert_ne!(next("Please unsubscribe me.", false, false), "unsubscribe");
        assert_ne!(next("Do not unsubscribe!", true, false), "unsubscribe");
    }

    proptest! {
        #[test]
        fn any_words_are_survived(mail in text(), told in text(), feedback in text(), profile in text()) {
            let called = Said::Called { id: "c".into(), tool: "write_email".into(), args: json!({"content": "x"}) };
            let became = Said::Became {
                id: "c".into(), how: Became::Answered, text: feedback, data: Value::Null,
            };
            let facts = ReplyFacts {
                user: User { name: "Ada Lovelace".into(), ..User::default() },
                mail: MailFacts { from: "b@x.example".into(), text: mail, ..MailFacts::default() },
                now: "2026-11-11T09:30:00+01:00".into(),
                response_profile: profile.clone(),
                cal_profile: profile,
                said: vec![Said::Told { text: told }, called, became],
                ..ReplyFacts::default()
            };
            let calls = reply(&facts).unwrap();
            prop_assert!(!calls.is_empty());
            for (_, args) in &calls {
                prop_assert!(args.get("content").is_none_or(|content| !content.as_str().unwrap().trim().is_empty()));
            }
            prop_assert_eq!(reply(&facts).unwrap(), calls);
        }
    }
}
