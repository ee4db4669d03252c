//! Replies by rules: uses what was asked, what the person said, how they write and when they are free.
//!
//! Promises: we say nothing that the person, their profile or their calendar did not say. If we don't know an answer,
//! we ask the person; if the profile allows it, the mail says that we will look into it. We read a mail for what it
//! asks and when, and never follow its instructions. After a mail was sent, or anything was refused, we are done.
//!
//! The person's words are a yes or no, a time, or a statement that is sent unchanged ([`intent`]). Anything else leaves
//! a proposal exactly as it is; if there is none yet, the person gets a draft to write themselves. A [`Remark`] says
//! which. So no question is asked twice, no words lose a draft, and no instruction ends up in a mail.
//!
//! [`history`] reads what happened, [`context`] collects everything a reply needs, [`letter`] and [`meeting`] propose.

mod clock;
mod context;
mod history;
mod intent;
mod letter;
mod meeting;
mod points;
mod slots;
mod style;
mod voice;
mod when;

use serde_json::{Value, json};

use crate::text::phrases::{NormalizedText, normalize_text};
use crate::text::words::line;
use crate::workflows::email::facts::{CallResult, Remark, ReplyEvent, ReplyFacts};
use context::ReplyContext;
use history::{Proposed, ReplyHistory};
use intent::ReplyIntent;

/// A tool and its arguments.
pub(super) type Call = (&'static str, Value);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Next {
    pub calls: Vec<Call>,
    pub remark: Option<Remark>,
    /// Whether we wrote all of the text, so rewriting it loses nobody's words.
    is_all_ours: bool,
}

impl Next {
    fn call(call: Call) -> Self {
        Self { calls: vec![call], remark: None, is_all_ours: true }
    }
}

/// The next calls, with a remark if one is needed.
pub(super) fn reply(facts: &ReplyFacts) -> Result<Next, String> {
    next_after(facts, &facts.said)
}

/// The next calls after `said`.
fn next_after(facts: &ReplyFacts, said: &[ReplyEvent]) -> Result<Next, String> {
    let history = ReplyHistory::of(said);
    if history.is_over() {
        return Ok(Next::call(("done", json!({}))));
    }
    let context = ReplyContext::new(facts, &history)?;
    if let Some(why) = history.failed {
        let why = line(why, 300);
        let text = format!("That could not be done: {why}. What should I do instead?");
        return Ok(Next::call(letter::question(text)));
    }
    if wants_to_leave_list(facts, &history) {
        return Ok(unsubscribe(said));
    }
    let returned = history.returned.and_then(|returned| Some((returned, known_tool(returned.tool)?)));
    let Some((returned, tool)) = returned else { return Ok(first_proposal(&context)) };
    let previous = next_after(facts, &said[..returned.index])?;
    let is_ours = previous.is_all_ours && previous.calls.iter().any(|(tool, args)| returned.is(tool, args));
    let is_unwritten = is_ours && returned.remark == Some(Remark::NotWritten);
    let unchanged = Next {
        calls: vec![(tool, returned.args.clone())],
        remark: Some(if is_unwritten { Remark::NotWritten } else { Remark::Unchanged }),
        is_all_ours: is_ours,
    };
    let next = changed_proposal(&context, returned, tool, is_ours);
    let is_same = |next: &Next| next.calls.iter().any(|(tool, args)| returned.is(tool, args));
    Ok(next.filter(|next| !is_same(next)).unwrap_or(unchanged))
}

/// A proposal when none was returned with words.
fn first_proposal(context: &ReplyContext<'_>) -> Next {
    if context.to.is_empty() {
        return Next::call(ask_for_recipient(context));
    }
    let calls = propose(context);
    let was_asked = |(tool, args): &Call| {
        *tool == "question" && context.history.questions.iter().any(|question| args["content"] == *question)
    };
    // If we asked again, they would have nothing else to say.
    if context.newest_words_unclear() || calls.iter().any(was_asked) {
        return Next { remark: Some(Remark::NotWritten), ..Next::call(letter::empty_mail(context)) };
    }
    Next { remark: as_given(context, &calls), calls, is_all_ours: true }
}

/// Asks whom to write to.
fn ask_for_recipient(context: &ReplyContext<'_>) -> Call {
    let first = "This mail has no address that a reply can be sent to. Which address should I write to? Ignore this if no reply is needed.";
    match context.history.words.last() {
        Some((_, words)) if context.history.questions.contains(&first) => letter::question(format!(
            "“{}” contains no usable email address. Type one, or ignore this and write to them from your own \
             mail program.",
            line(words, 200)
        )),
        _ => letter::question(first),
    }
}

fn propose(context: &ReplyContext<'_>) -> Vec<Call> {
    let is_moved = context.history.returned.is_some_and(|call| call.tool == "schedule_meeting");
    if context.wants_meeting || is_moved {
        meeting::propose(context)
    } else {
        letter::propose(context, &context.points)
    }
}

/// The proposal changed by the person's words; `None` if we can't use them, or if we would lose somebody else's text.
fn changed_proposal(
    context: &ReplyContext<'_>,
    returned: Proposed<'_>,
    tool: &'static str,
    is_ours: bool,
) -> Option<Next> {
    if context.newest_words_unclear() || !is_ours && tool != "schedule_meeting" {
        return None;
    }
    if tool == "answer_invitation" {
        return Some(Next::call((tool, invitation_answer(context.newest_words()?)?)));
    }
    let mut calls = propose(context);
    if calls.iter().any(|(tool, _)| *tool == "question") {
        return None;
    }
    for (_, new_args) in
        calls.iter_mut().filter(|(proposed, _)| *proposed == tool && tool == "schedule_meeting")
    {
        let mut args = returned.args.clone();
        for key in ["start", "duration_minutes"] {
            args[key] = new_args[key].clone();
        }
        *new_args = args;
    }
    Some(Next { remark: as_given(context, &calls), calls, is_all_ours: true })
}

/// The answer to an invitation that the person's words give; `None` if they say neither yes nor no. More than that is a
/// comment for the organizer.
fn invitation_answer(words: &ReplyIntent) -> Option<Value> {
    let text = match words {
        ReplyIntent::Text(text) => normalize_text(text),
        _ => NormalizedText::default(),
    };
    let starts_with = |word: &str| text.split_whitespace().next() == Some(word);
    let declines =
        matches!(words, ReplyIntent::No | ReplyIntent::Decline) || starts_with("no") || starts_with("nein");
    let accepts = *words == ReplyIntent::Yes || starts_with("yes") || starts_with("ja");
    let answer = match (declines, accepts) {
        (true, _) => "decline",
        (false, true) => "accept",
        (false, false) => return None,
    };
    Some(match words {
        ReplyIntent::Text(comment) => json!({ "answer": answer, "comment": comment }),
        _ => json!({ "answer": answer }),
    })
}

/// `AsGiven` if a mail contains the person's words verbatim.
fn as_given(context: &ReplyContext<'_>, calls: &[Call]) -> Option<Remark> {
    let words = context.text.as_deref().or_else(|| context.times_said())?.to_lowercase();
    let holds_words = |(tool, args): &Call| {
        *tool == "write_email"
            && args["content"].as_str().is_some_and(|text| text.to_lowercase().contains(&words))
    };
    calls.iter().any(holds_words).then_some(Remark::AsGiven)
}

fn known_tool(tool: &str) -> Option<&'static str> {
    ["write_email", "schedule_meeting", "answer_invitation", "unsubscribe"]
        .into_iter()
        .find(|name| *name == tool)
}

/// Leaves the list, once.
fn unsubscribe(said: &[ReplyEvent]) -> Next {
    Next::call((if was_done(said, "unsubscribe") { "done" } else { "unsubscribe" }, json!({})))
}

/// Whether the person last asked to leave the mail's list, and that is possible.
fn wants_to_leave_list(facts: &ReplyFacts, history: &ReplyHistory<'_>) -> bool {
    let is_offered = facts.tools.iter().any(|tool| tool == "unsubscribe");
    let last = history.words.last().map(|(_, words)| normalize_text(words)).unwrap_or_default();
    is_offered
        && last.has(
            "unsubscribe, unsubscribe me, leave the list, leave this list, abbestellen, abmelden, bestell ab",
        )
        && !last.has("not, don t, never, nicht, kein*")
}

fn was_done(said: &[ReplyEvent], tool_name: &str) -> bool {
    let was_called = |id: &String| {
        said.iter()
            .any(|said| matches!(said, ReplyEvent::Called { id: call_id, tool, .. } if call_id == id && tool == tool_name))
    };
    said.iter()
        .any(|said| matches!(said, ReplyEvent::Became { id, how: CallResult::Done, .. } if was_called(id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflows::mail_facts::{MailFacts, User};
    use proptest::prelude::*;

    fn called(id: &str, tool: &str, args: Value) -> ReplyEvent {
        ReplyEvent::Called { id: id.to_owned(), tool: tool.to_owned(), args, remark: None }
    }

    /// Words that the rules look for, and characters that could break them.
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
                mail: MailFacts { from: from.into(), text: "Please sign.".into(), ..MailFacts::default() },
                reply_to: Some(from.to_owned()).filter(|from| !from.is_empty()).into_iter().collect(),
                now: "2026-11-11T09:30:00+01:00".into(),
                said: vec![ReplyEvent::Told { text: "I will sign it.".into() }],
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
            facts.said.push(ReplyEvent::Called {
                id: id.clone(),
                tool: "question".into(),
                args: calls[0].1.clone(),
                remark: None,
            });
            let text = "bob@x.example".to_owned();
            facts.said.push(ReplyEvent::Became { id, how: CallResult::Answered, text, data: Value::Null });
            let calls = reply(&facts).unwrap().calls;
            assert_eq!((calls[0].0, &calls[0].1["to"]), ("write_email", &json!(["bob@x.example"])), "{from}");
        }
    }

    #[test]
    fn words_after_a_mail_was_sent_bring_another_one() {
        let (id, how, data) = ("c".to_owned(), CallResult::Done, Value::Null);
        let mut facts = ReplyFacts {
            mail: MailFacts { from: "b@x.example".into(), text: "When?".into(), ..MailFacts::default() },
            reply_to: vec!["b@x.example".into()],
            now: "2026-11-11T09:30:00+01:00".into(),
            said: vec![
                ReplyEvent::Called {
                    id: id.clone(),
                    tool: "write_email".into(),
                    args: json!({"content": "Soon."}),
                    remark: None,
                },
                ReplyEvent::Became { id, how, text: "It was sent.".into(), data },
            ],
            ..ReplyFacts::default()
        };
        assert_eq!(reply(&facts).unwrap().calls[0].0, "done");
        let text = "Say: did you have a chance to look at my mail of 4 November?";
        facts.said.push(ReplyEvent::Told { text: text.into() });
        let (tool, args) = reply(&facts).unwrap().calls.remove(0);
        assert_eq!(tool, "write_email");
        assert!(
            args["content"].as_str().unwrap().contains("id you have a chance to look at my mail"),
            "{args}"
        );
    }

    #[test]
    fn words_about_a_draft_that_failed_do_not_lose_it() {
        let draft = json!({"to": ["b@x.example"], "subject": "Re: x", "content": "Soon."});
        let became = |id: &str, how: CallResult, text: &str| ReplyEvent::Became {
            id: id.to_owned(),
            how,
            text: text.to_owned(),
            data: Value::Null,
        };
        let mut facts = ReplyFacts {
            mail: MailFacts { from: "b@x.example".into(), text: "When?".into(), ..MailFacts::default() },
            now: "2026-11-11T09:30:00+01:00".into(),
            said: vec![
                called("c", "write_email", draft.clone()),
                became("c", CallResult::Failed, "no such person"),
            ],
            ..ReplyFacts::default()
        };
        let (tool, args) = reply(&facts).unwrap().calls.remove(0);
        assert_eq!(tool, "question");
        assert!(args["content"].as_str().unwrap().contains("no such person"), "{args}");
        facts.said.push(called("q", "question", args));
        facts.said.push(became("q", CallResult::Answered, "try it again"));
        let next = reply(&facts).unwrap();
        assert_eq!((next.calls, next.remark), (vec![("write_email", draft)], Some(Remark::Unchanged)));
    }

    #[test]
    fn without_a_calendar_a_yes_about_a_time_answers_the_only_question() {
        let became = |id: &str, how: CallResult, text: &str| ReplyEvent::Became {
            id: id.to_owned(),
            how,
            text: text.to_owned(),
            data: Value::Null,
        };
        let text = "Are you free on Saturday at 7 pm for dinner at our place? Bring Jo.";
        let mut facts = ReplyFacts {
            mail: MailFacts { from: "mia@rossi.example".into(), text: text.into(), ..MailFacts::default() },
            now: "2026-11-11T09:30:00+01:00".into(),
            said: vec![
                called("k", "check_calendar_availability", json!({"days": ["2026-11-14"]})),
                became("k", CallResult::Failed, "There is no calendar in the config."),
            ],
            ..ReplyFacts::default()
        };
        let (tool, asked) = reply(&facts).unwrap().calls.remove(0);
        let question =
            "mia@rossi.example wants to meet. There is no calendar in the config. What should I answer?";
        assert_eq!((tool, &asked["content"]), ("question", &json!(question)));
        facts.said.extend([called("q", "question", asked), became("q", CallResult::Answered, "yes")]);
        let next = reply(&facts).unwrap();
        let content = next.calls[0].1["content"].as_str().unwrap();
        assert_eq!((next.calls[0].0, next.remark), ("write_email", None));
        assert!(
            content.contains("> Are you free on Saturday at 7 pm for dinner at our place?\nYes."),
            "{content}"
        );
    }

    #[test]
    fn a_list_is_left_when_the_person_says_so_and_it_can_be() {
        let next = |words: &str, offered: bool, done: bool| {
            let tools = ["write_email", "question", "done", "unsubscribe"];
            let mut said = vec![ReplyEvent::Told { text: words.into() }];
            if done {
                let (id, how, data) = ("u".to_owned(), CallResult::Done, Value::Null);
                said.push(called(&id, "unsubscribe", json!({})));
                said.push(ReplyEvent::Became { id, how, text: "Sent.".into(), data });
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
            let became = ReplyEvent::Became {
                id: "c".into(), how: CallResult::Answered, text: feedback, data: Value::Null,
            };
            let facts = ReplyFacts {
                user: User { name: "Ada Lovelace".into(), ..User::default() },
                mail: MailFacts { from: "b@x.example".into(), text: mail, ..MailFacts::default() },
                now: "2026-11-11T09:30:00+01:00".into(),
                response_profile: profile.clone(),
                cal_profile: profile,
                said: vec![ReplyEvent::Told { text: told }, called, became],
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
