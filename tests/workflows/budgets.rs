//! The default budgets let default work finish, with a model that costs what good ones do and caches nothing.

use crate::docs::docs_inbox::{AGENTS, result, scores};
use crate::inputs::{self, analyze};
use crate::support::test_inbox::respond;
use crate::support::{FakeModel, TestInbox};
use sayso::agent::llm::{Message, ModelError, Reply, Request, Scripted, Usage};
use sayso::inbox::Status;
use serde_json::json;

const PRICES: &str = "[prices.scripted]\ninput = 3.0\noutput = 15.0\n";

/// A reply that is paid for by the length of its prompt, and by `output` tokens.
fn priced(request: &Request, output: u64, reply: Reply) -> Result<Reply, ModelError> {
    let text = |message: &Message| match message {
        Message::User { text } | Message::Tool { text, .. } | Message::Assistant { text, .. } => text.len(),
    };
    let bytes = request.system.len() + request.messages.iter().map(text).sum::<usize>();
    let usage = Usage { input: bytes as u64 / 4, output, cached: 0 };
    Ok(Reply { usage, ..reply })
}

fn spent(inbox: &TestInbox) -> f64 {
    inbox.sql().query_row("SELECT sum(cost) FROM spans", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn an_analysis_of_many_files_has_eight_turns() {
    let model = FakeModel::by(|request| priced(request, 600, Scripted::text("And then?")));
    let inbox = inputs::with_model(PRICES, model);
    // More than a prompt has room for.
    let day = "The launch slipped by a day for want of parts.\n".repeat(100);
    for n in 0..58 {
        inbox.write_input(&format!("day{n}.md"), &day);
    }
    let thread = analyze(&inbox).await;
    for _ in 0..8 {
        assert_eq!(inbox.answer(&thread, respond("Parts?")).await.status, Status::Waiting);
        assert_eq!(inbox.action(&thread).await, "analysis_question");
    }
    assert_eq!(inbox.answer(&thread, respond("DONE")).await.status, Status::Done);
    println!("analyze: ${:.2}", spent(&inbox));
}

/// A code base whose facts fill every prompt; each page is refined as often as it may be.
#[tokio::test]
async fn all_agents_of_docs_finish() {
    let evaluated = std::sync::Mutex::new(std::collections::HashMap::<String, f64>::new());
    let model = FakeModel::by(move |request| {
        let agent = request.facts["agent"].as_str().unwrap_or_default().to_owned();
        match request.task.as_str() {
            "docs.evaluate" => {
                let mut evaluated = evaluated.lock().unwrap();
                let score = evaluated.entry(agent).or_insert(30.0);
                *score += 10.0;
                priced(request, 300, Scripted::json(&scores([*score; 4])))
            }
            "docs.questions" => {
                let nth = &request.facts["iteration"];
                let ask = |n: usize| {
                    let files = [format!("src/part{n}.rs"), format!("src/part{}.rs", n + 9)];
                    json!({"question": format!("{agent} {nth}-{n}?"), "files": files, "for_person": false})
                };
                let questions: Vec<_> = (0..5).map(ask).collect();
                priced(request, 500, Scripted::json(&json!({ "questions": questions })))
            }
            "docs.refine" if request.messages.len() == 1 => {
                let read = json!({"path": "src/part20.rs", "name": null, "line": null});
                priced(request, 100, Scripted::calls([("read_file", read)]))
            }
            _ => priced(
                request,
                2_000,
                Scripted::text(&format!("## Overview\n\n{}", "`src/part1.rs` counts.\n".repeat(350))),
            ),
        }
    });
    let inbox = inputs::with_model(PRICES, model);
    inbox.write_input("Cargo.toml", "[package]\nname = 'mill'\nversion = '1.0.0'\n");
    let about =
        "in sacks, in hours, in loads and in the days that its millers were at the stones, ".repeat(3);
    for n in 0..60 {
        let function = |at: usize| {
            format!(
                "/// Counts what part {n} of the mill ground on day {at}, {about}all told.\n\
                 pub fn ground_{n}_{at}(sacks: usize, hours: usize) -> usize {{\n    sacks * hours + {at}\n}}\n\n"
            )
        };
        let text: String = (0..28).map(function).collect();
        inbox.write_input(&format!("src/part{n}.rs"), &format!("//! Part {n} of the mill.\n{text}"));
    }
    let thread = inbox.run("docs", json!({"dir": inbox.inputs()})).await;
    let outcome = inbox.outcome(&thread).await;
    println!("docs: ${:.2}", spent(&inbox));
    assert_eq!(outcome.status, Status::Done, "{outcome:?}");
    for agent in AGENTS {
        let found = result(&outcome, agent);
        assert_eq!(found["status"], "success", "{agent}");
        assert_eq!(found["metadata"]["iterations"], 3, "{agent}");
    }
}
