//! Replies by rules: what was asked, what the person said, how they write, when they are free.
//!
//! Promised: nothing is said that neither the person, nor their profile, nor their calendar said. Where an answer is
//! not known, the person is asked; where the profile allows it, the mail says that it will be looked into. Words of
//! the mail are read for what they ask and when, and are never followed. After a mail was sent, or anything was refused,
//! it is done.
//!
//! The person's words are carried out where they are understood surely and as a whole. Otherwise a proposal stays exactly
//! as it is, and where there is none yet, the person gets a draft to write themselves; a [`Remark`] says which. So no
//! question is asked twice, and no words lose a draft.
//!
//! [`story`] reads what happened, [`desk`] everything a reply needs, [`letter`] and [`meeting`] propose.

mod clock;
mod desk;
mod letter;
mod manner;
mod meeting;
mod points;
mod slots;
mod speech;
mod story;
mod voice;
mod when;
#[cfg(test)]
mod wish_tests;
mod wishes;

use serde_json::{Value, json};

use super::signs::{flat, has};
use crate::text::words::line;
use crate::workflows::email::facts::{Became, Remark, ReplyFacts, Said};
use desk::Desk;
use story::{Returned, Story};
use wishes::{About, Wishes};

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Next {
    pub calls: Vec<Call>,
    pub remark: Option<Remark>,
    /// Whether all of the text is from here, so that it can be written anew without losing anybody's words.
    own: bool,
}

impl Next {
    fn call(call: Call) -> Self {
        Self { calls: vec![call], remark: None, own: true }
    }
}

/// What is to be called next, and what is to be said about it.
pub(super) fn reply(facts: &ReplyFacts) -> Result<Next, String> {
    after(facts, &facts.said)
}

/// What comes after `said`.
fn after(facts: &ReplyFacts, said: &[Said]) -> Result<Next, String> {
    let story = Story::of(said);
    if story.over() {
        return Ok(Next::call(("done", json!({}))));
    }
    let desk = Desk::new(facts, &story)?;
    let returned = story.returned.and_then(|returned| Some((returned, name(returned.call.tool)?)));
    let Some((returned, tool)) = returned else {
        return Ok(match story.failed {
            Some((_, why)) => failed(why),
            None => fresh(&desk, said),
        });
    };
    let before = after(facts, &said[..returned.call.at])?;
    let own = before.own && before.calls.iter().any(|(tool, args)| returned.call.is(tool, args));
    let unwritten = own && returned.call.remark == Some(Remark::NotWritten);
    let kept = Next {
        calls: vec![(tool, returned.call.args.clone())],
        remark: Some(if unwritten { Remark::NotWritten } else { Remark::Unchanged }),
        own,
    };
    let next = match story.failed {
        Some((call, why)) if returned.call.is(call.tool, call.args) => return Ok(failed(why)),
        Some(_) => None,
        None if leaves(facts, &story) => Some(unsubscribe(said)),
        None => changed(&desk, returned, tool, own),
    };
    let same = |next: &Next| next.calls.iter().any(|(tool, args)| returned.call.is(tool, args));
    Ok(next.filter(|next| !same(next)).unwrap_or(kept))
}

fn failed(why: &str) -> Next {
    let why = line(why, 300);
    Next::call(letter::question(format!("That could not be done: {why}. What shall I do instead?")))
}

/// A proposal where none came back with words.
fn fresh(desk: &Desk<'_>, said: &[Said]) -> Next {
    if leaves(desk.facts, desk.story) {
        return unsubscribe(said);
    }
    if desk.to.is_empty() {
        return Next::call(ask_for_recipient(desk));
    }
    let calls = propose(desk);
    let asked = |(tool, args): &Call| {
        *tool == "question" && desk.story.asked.iter().any(|asked| args["content"] == *asked)
    };
    // Asked again, they would have nothing else to say.
    if desk.newest_words_unclear() || calls.iter().any(asked) {
        let remark = Some(Remark::NotWritten);
        return Next { remark, ..Next::call(letter::unwritten(desk)) };
    }
    Next { remark: as_given(desk, &calls), calls, own: true }
}

/// The question whom to write to.
fn ask_for_recipient(desk: &Desk<'_>) -> Call {
    let first = "This mail has no address that a reply can be sent to. Which address shall I \
                 write to? Ignore this if no reply is needed.";
    match desk.story.words().next_back() {
        Some(words) if desk.story.asked.contains(&first) => letter::question(format!(
            "“{}” contains no usable email address. Type one, or ignore this and write to them from your own \
             mail program.",
            line(words, 200)
        )),
        _ => letter::question(first),
    }
}

fn propose(desk: &Desk<'_>) -> Vec<Call> {
    if points::wants_meeting(&desk.facts.mail, &desk.points) || desk.story.heard_of_meeting() {
        meeting::propose(desk)
    } else {
        letter::propose(desk, &desk.points)
    }
}

/// What the person's words make of a proposal; `None` where they are not understood, or it can't be done.
fn changed(desk: &Desk<'_>, returned: Returned<'_>, tool: &'static str, own: bool) -> Option<Next> {
    let (about, words) = *desk.story.heard.get(returned.words)?;
    let (wishes, manner) = desk.read(words, about, true).filter(|_| desk.understood(returned.words))?;
    let args = addressed(desk, tool, returned.call.args, &wishes);
    let remark = returned.call.remark.filter(|remark| *remark != Remark::Unchanged);
    if wishes.clone().inside() == Wishes::default() && manner == manner::Manner::default() {
        return Some(Next { calls: vec![(tool, args)], remark, own });
    }
    // What somebody else wrote would be lost.
    if !own && about != About::Meeting {
        return None;
    }
    let mut calls = propose(desk);
    if calls.iter().any(|(tool, _)| *tool == "question") {
        return None;
    }
    for (proposed, moved) in
        calls.iter_mut().filter(|(proposed, _)| *proposed == tool && about == About::Meeting)
    {
        let mut args = args.clone();
        for key in ["start", "duration_minutes"] {
            args[key] = moved[key].clone();
        }
        (*proposed, *moved) = (tool, args);
    }
    Some(Next { remark: as_given(desk, &calls), calls, own: true })
}

/// The arguments with the recipients and the subject that are wished for, and nothing else changed.
fn addressed(desk: &Desk<'_>, tool: &str, args: &Value, wishes: &Wishes) -> Value {
    let mut args = args.clone();
    if let Some(subject) = &wishes.subject {
        args["subject"] = json!(subject);
    }
    let list = |args: &Value, key: &str| -> Vec<String> {
        let list = args.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().filter_map(|one| Some(one.as_str()?.to_owned())).collect()
    };
    let key = if tool == "schedule_meeting" { "attendees" } else { "cc" };
    let before = list(&args, key);
    let mut reached = before.clone();
    let all = desk.facts.reply_all.iter().filter(|_| wishes.to_all);
    for one in all.chain(&wishes.copy) {
        let known = |other: &String| other.eq_ignore_ascii_case(one);
        if !reached.iter().any(known) && !list(&args, "to").iter().any(known) {
            reached.push(one.clone());
        }
    }
    reached.retain(|one| !wishes.uncopy.iter().any(|other| other.eq_ignore_ascii_case(one)));
    if reached != before && !(reached.is_empty() && key == "attendees") {
        args[key] = json!(reached);
    }
    args
}

/// Whether the text of a mail holds words as they were given.
fn as_given(desk: &Desk<'_>, calls: &[Call]) -> Option<Remark> {
    let text = calls
        .iter()
        .find_map(|(tool, args)| (*tool == "write_email").then(|| args["content"].as_str())?)?;
    let text = text.to_lowercase();
    desk.wishes.given().any(|given| text.contains(&given.to_lowercase())).then_some(Remark::AsGiven)
}

/// A proposal's tool.
fn name(tool: &str) -> Option<&'static str> {
    ["write_email", "schedule_meeting", "unsubscribe"].into_iter().find(|known| *known == tool)
}

/// Leaves the list, once.
fn unsubscribe(said: &[Said]) -> Next {
    Next::call((if was_done(said, "unsubscribe") { "done" } else { "unsubscribe" }, json!({})))
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
fn was_done(said: &[Said], wanted: &str) -> bool {
    let called = |id: &String| {
        said.iter()
            .any(|said| matches!(said, Said::Called { id: known, tool, .. } if known == id && tool == wanted))
    };
    said.iter().any(|said| matches!(said, Said::Became { id, how: Became::Done, .. } if called(id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::mail_facts::{MailFacts, User};
    use proptest::prelude::*;

    fn called(id: &str, tool: &str, args: Value) -> Said {
        Said::Called { id: id.to_owned(), tool: tool.to_owned(), args, remark: None }
    }

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
                said: vec![Said::Told { text: "tell him I will".into() }],
                ..ReplyFacts::default()
            };
            let calls = reply(&facts).unwrap().calls;
            assert_eq!(calls[0].0, "question", "{from}");
            assert!(
                calls[0].1["content"]
                    .as_str()
                    .unwrap()
                    .starts_with("This mail has no address that a reply can be sent to")
            );
            let id = String::from("q");
            facts.said.push(Said::Called {
                id: id.clone(),
                tool: "question".into(),
                args: calls[0].1.clone(),
                remark: None,
            });
            let text = "bob@x.example".to_owned();
            facts.said.push(Said::Became { id, how: Became::Answered, text, data: Value::Null });
            let calls = reply(&facts).unwrap().calls;
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
                    remark: None,
                },
                Said::Became { id, how, text: "It was sent.".into(), data },
            ],
            ..ReplyFacts::default()
        };
        assert_eq!(reply(&facts).unwrap().calls[0].0, "done");
        let text = "Say: did you have a chance to look at my mail of 4 November?";
        facts.said.push(Said::Told { text: text.into() });
        let (tool, args) = reply(&facts).unwrap().calls.remove(0);
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
                said.push(called(&id, "unsubscribe", json!({})));
                said.push(Said::Became { id, how, text: "Sent.".into(), data });
            }
            let facts = ReplyFacts {
                mail: MailFacts { from: "n@x.example".into(), text: "News!".into(), ..MailFacts::default() },
                now: "2026-11-11T09:30:00+01:00".into(),
                tools: tools[..if offered { 4 } else { 3 }].iter().map(|tool| (*tool).to_owned()).collect(),
                said,
                ..ReplyFacts::default()
            };
            reply(&facts).unwrap().calls[0].0
        };
        assert_eq!(next("Please unsubscribe me.", true, false), "unsubscribe");
        assert_eq!(next("Please unsubscribe me.", true, true), "done");
        assert_ne!(next("Please unsubscribe me.", false, false), "unsubscribe");
        assert_ne!(next("Do not unsubscribe!", true, false), "unsubscribe");
    }

    proptest! {
        #[test]
        fn any_words_are_survived(mail in text(), told in text(), feedback in text(), profile in text()) {
            let called = called("c", "write_email", json!({"content": "x"}));
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
            let next = reply(&facts).unwrap();
            let calls = &next.calls;
            prop_assert!(!calls.is_empty());
            for (_, args) in calls {
                prop_assert!(args.get("content").is_none_or(|content| !content.as_str().unwrap().trim().is_empty()));
            }
            prop_assert_eq!(reply(&facts).unwrap(), next);
        }
    }
}
