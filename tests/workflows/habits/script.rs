//! The replies of a model without bad habits, from which the habits are derived.

use crate::support::email_inbox::BOB;
use sayso::agent::llm::{Message, Reply, Request, Scripted};
use serde_json::{Value, json};

/// What the person is told at the end of a calculation.
pub const ANSWER: &str = "The total is 200.";

/// The answer to a request.
pub fn straight(request: &Request) -> Reply {
    let made = request.messages.iter().filter(|one| matches!(one, Message::Tool { .. })).count();
    let agent = request.facts["agent"].as_str().unwrap_or_default();
    match request.task.as_str() {
        "email.triage" => data(json!({
            "reasoning": "He asks for a date.", "gist": "Wants to meet", "classification": "respond",
        })),
        "email.reply" => steps(made, &reply_steps()),
        "analyze.initial" if made == 0 => Scripted::calls([("search", json!({"text": "launch slipped"}))]),
        "analyze.initial" if made == 1 => Scripted::calls([("read", json!({"path": "notes.md"}))]),
        "analyze.initial" => {
            Scripted::text("The notes say that the launch slipped. Is the supplier the reason?")
        }
        "analyze.followup" => {
            Scripted::text("Then the supplier was late by three weeks. Is that the answer?")
        }
        "analyze.final" => Scripted::text("# Why the launch slipped\n\nThe supplier was late (notes.md)."),
        "sheet.plan" => steps(
            made,
            &[("python", json!({"code": "print(120 + 80)"})), ("finish", json!({"answer": ANSWER}))],
        ),
        "docs.analyze" => Scripted::text("## Overview\n\nIt keeps boxes."),
        "docs.evaluate" => {
            // One agent asks itself more; the others are content.
            let poor = agent == "testing" && request.facts["iteration"] == 0;
            let score = if poor { 50 } else { 90 };
            data(json!({
                "completeness": score, "clarity": score, "depth": score, "accuracy": score,
                "missing_information": ["What is kept where."],
            }))
        }
        "docs.questions" => {
            let one = |what: &str| json!({"question": format!("What is {what}?"), "files": ["src/lib.rs"], "for_person": false});
            data(json!({"questions": [one("a box"), one("a row"), one("a shelf")]}))
        }
        "docs.refine" if !request.tools.is_empty() && made == 0 => {
            Scripted::calls([("read_file", json!({"path": "src/lib.rs"}))])
        }
        "docs.refine" => Scripted::text("## Overview\n\nIt keeps boxes in rows."),
        "ask.select" => data(json!({
            "api": "tea/find_tea", "rest": "which is the first",
            "parameters": {"query": "oolong", "limit": 5, "sort": "byPrice", "loose": true},
        })),
        "ask.answer" => data(json!({
            "words": "The first of 2 is Tie Guan Yin; that is 50 %.",
            "computations": [
                {"by": "/", "of": [1, 2], "result": 0.5}, {"by": "*", "of": [0.5, 100], "result": 50},
            ],
        })),
        "text.check" => data(json!({"is_wanted": true, "first_is_talk": false, "last_is_talk": false})),
        other => panic!("nobody asks for {other}"),
    }
}

fn reply_steps() -> Vec<(&'static str, Value)> {
    vec![
        ("check_calendar_availability", json!({"days": ["2036-05-05"]})),
        (
            "schedule_meeting",
            json!({
                "attendees": [BOB], "subject": "The report", "start": "2036-05-05T14:00:00+02:00",
                "duration_minutes": 30,
            }),
        ),
        (
            "write_email",
            json!({"to": [BOB], "subject": "Re: The report", "content": "Monday at two suits me."}),
        ),
        ("done", json!({})),
    ]
}

fn steps(made: usize, all: &[(&'static str, Value)]) -> Reply {
    let at = made.min(all.len() - 1);
    Scripted::calls(all[at..=at].iter().cloned())
}

/// The call that comes after this one.
pub fn next(request: &Request, reply: &Reply) -> Option<Reply> {
    let mut later = request.clone();
    later.messages.push(reply.message());
    later.messages.extend(reply.calls.iter().map(|call| Message::result(call, "")));
    Some(straight(&later)).filter(|next| !next.calls.is_empty() && next.calls[0].name != reply.calls[0].name)
}

fn data(value: Value) -> Reply {
    Scripted::json(&value)
}
