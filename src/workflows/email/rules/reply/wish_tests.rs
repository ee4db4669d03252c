//! Whatever people say, in whatever order: what was proposed is still there, or is what they asked for.

use super::*;
use crate::workflows::mail_facts::{MailFacts, Signals, User};
use proptest::prelude::*;

const WISHES: &[&str] = &[
    "shorter",
    "even shorter, please",
    "more formal",
    "in German",
    "friendlier",
    "kürzer",
    "decline",
    "decline, we are fully booked",
    "ok",
    "yes",
    "no",
    "say no",
    "thanks him",
    "Ask for her customer number.",
    "tell him we can't",
    "tell her that she has my approval",
    "propose Tuesday instead",
    "make it Friday at 10",
    "another time",
    "only in the afternoon",
    "cc bob@x.example",
    "copy Zoe",
    "subject: Budget",
    "mention the holiday closure",
    "don't mention the times",
    "Say: it comes tomorrow.",
    "The files are on the server.",
    "yes\nJonas Beck",
    "?",
    "",
];

/// What nobody may find in a mail that one key sends.
const INSTRUCTIONS: &[&str] = &["thanks him", "Ask for her customer number.", "copy Zoe"];

fn mails() -> Vec<ReplyFacts> {
    let mail = |text: &str| ReplyFacts {
        user: User { name: "Ada Lovelace".into(), ..User::default() },
        mail: MailFacts {
            from: "jonas@x.example".into(),
            from_name: "Jonas Beck".into(),
            subject: "The plan".into(),
            text: text.into(),
            ..MailFacts::default()
        },
        reply_to: vec!["jonas@x.example".into()],
        subject: "Re: The plan".into(),
        now: "2026-11-11T09:30:00+01:00".into(),
        time_zone: "Europe/Amsterdam".into(),
        ..ReplyFacts::default()
    };
    let mut hold = mail("Could you send me the figures by Friday?");
    hold.response_profile = "- Say that I will look into it.".into();
    let mut invitation = mail("You are invited. When: Tuesday 17 November 2026, 10:00. Please let us know.");
    invitation.mail.headers = Signals { calendar: Some("REQUEST".into()), ..Signals::default() };
    vec![
        mail("Could you send me the figures by Friday?"),
        mail("Could you send me the figures? And who is the lead?"),
        mail("The figures are fine."),
        mail("Könnten Sie mir die Menge bestätigen?"),
        mail("Could we meet next week?"),
        mail("Are you free next Tuesday at 2?"),
        mail("Are you free next Tuesday at 10? And who signs the lease?"),
        hold,
        invitation,
    ]
}

/// Drives the rules until they ask something; the calendar is `known`, or cannot be read.
fn rest(facts: &mut ReplyFacts, known: bool) -> Next {
    loop {
        let next = reply(facts).unwrap();
        for (tool, args) in &next.calls {
            let (id, args) = (facts.said.len().to_string(), args.clone());
            facts.said.push(Said::Called { id, tool: (*tool).to_owned(), args, remark: next.remark });
        }
        if next.calls[0].0 != "check_calendar_availability" {
            return next;
        }
        let how = if known { Became::Done } else { Became::Failed };
        let id = (facts.said.len() - 1).to_string();
        facts.said.push(Said::Became { id, how, text: "line 3".into(), data: json!([]) });
    }
}

/// Says the same about everything that is asked.
fn respond(facts: &mut ReplyFacts, next: &Next, words: &str) {
    let first = facts.said.len() - next.calls.len();
    for n in 0..next.calls.len() {
        let (id, how, text) = ((first + n).to_string(), Became::Answered, words.to_owned());
        facts.said.push(Said::Became { id, how, text, data: Value::Null });
    }
}

fn proposal(next: &Next) -> Option<&Call> {
    next.calls.iter().find(|(tool, _)| matches!(*tool, "write_email" | "schedule_meeting"))
}

/// Walks through a mail with these words, and holds every answer against what is promised.
fn walk(mut facts: ReplyFacts, known: bool, wishes: &[&str]) {
    let mut next = rest(&mut facts, known);
    let mut asked: Vec<Value> = Vec::new();
    for wish in wishes {
        let story = format!("{:?} {known} {wishes:?} at {wish:?}", facts.mail.text);
        asked.extend(next.calls.iter().filter(|(tool, _)| *tool == "question").map(|(_, args)| args.clone()));
        respond(&mut facts, &next, wish);
        let then = rest(&mut facts, known);
        let (before, now) = (proposal(&next).cloned(), proposal(&then));
        assert!(before.is_none() || now.is_some(), "the draft is lost: {story}\n{then:?}");
        assert!(!then.calls.iter().any(|(_, args)| asked.contains(args)), "asked again: {story}\n{then:?}");
        assert!(then.calls.iter().all(|(tool, _)| *tool != "done"), "{story}");
        let same = before.is_some() && now == before.as_ref();
        match then.remark {
            Some(Remark::Unchanged) => assert!(same, "{story}\n{before:?}\n{then:?}"),
            Some(Remark::NotWritten) => {
                assert_eq!(now.map(|(tool, _)| *tool), Some("write_email"), "{story}")
            }
            Some(Remark::AsGiven) | None => assert!(!same, "the same, and nobody says so: {story}\n{then:?}"),
        }
        let text = now.map(|(_, args)| args["content"].to_string().to_lowercase()).unwrap_or_default();
        let typed = |words: &&&str| text.contains(words.trim_end_matches('.').to_lowercase().as_str());
        if let Some(words) = INSTRUCTIONS.iter().find(typed) {
            let ways = [Some(Remark::NotWritten), Some(Remark::Unchanged)];
            assert!(ways.contains(&then.remark), "{words}: {story}\n{then:?}");
        }
        next = then;
    }
}

#[test]
fn every_wish_three_times_over() {
    for facts in mails() {
        for wish in WISHES {
            walk(facts.clone(), true, &[wish, wish, wish]);
            walk(facts.clone(), false, &[wish, wish, wish]);
        }
    }
}

#[test]
fn what_is_understood_is_done_and_the_rest_is_kept() {
    let mut facts = mails().remove(0);
    let mut after = |words: &str| {
        let next = rest(&mut facts, true);
        respond(&mut facts, &next, words);
        let next = reply(&facts).unwrap();
        (next.calls[0].0, next.calls[0].1["content"].as_str().unwrap_or_default().to_owned(), next.remark)
    };
    let (_, yes, remark) = after("yes");
    assert!(yes.contains("Yes, I will send you the figures by Friday.") && remark.is_none(), "{yes}");
    let (_, short, remark) = after("shorter");
    assert!(!short.contains("Thank you") && short.contains("Yes, I will") && remark.is_none(), "{short}");
    let (_, again, remark) = after("shorter");
    assert_eq!((again, remark), (short.clone(), Some(Remark::Unchanged)));
    let (_, kept, remark) = after("Ask for her customer number.");
    assert_eq!((kept, remark), (short, Some(Remark::Unchanged)));
    let (_, german, remark) = after("in German");
    assert!(german.starts_with("Hallo Jonas") && german.contains("Ja.") && remark.is_none(), "{german}");
}

proptest! {
    #[test]
    fn any_wishes_in_any_order(
        mail in 0..9usize,
        known in any::<bool>(),
        wishes in prop::collection::vec(prop::sample::select(WISHES), 3..6),
    ) {
        walk(mails().remove(mail), known, &wishes);
    }
}
