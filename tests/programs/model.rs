//! A language model for the real program: a server on this machine that answers by what it is asked, the same however
//! often and in whatever order.

use crate::support::model_server::Play;
use crate::support::wire;
use axum::Router;
use axum::body::Bytes;
use axum::response::IntoResponse;
use sayso::agent::llm::Provider;
use serde_json::{Value, json};
use std::sync::OnceLock;
use tokio::net::TcpListener;

/// The lines of a config that name it for every workflow that needs a model.
pub fn config() -> String {
    static PORT: OnceLock<u16> = OnceLock::new();
    let port = PORT.get_or_init(|| {
        let (send, port) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            tokio::runtime::Runtime::new().unwrap().block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                send.send(listener.local_addr().unwrap().port()).unwrap();
                axum::serve(listener, Router::new().fallback(serve)).await.unwrap();
            });
        });
        port.recv().unwrap()
    });
    let uses: Vec<String> = ["analyze", "sheet", "ask", "docs"]
        .map(|workflow| format!("[workflow.{workflow}]\nmodel = \"written\"\n"))
        .to_vec();
    format!(
        "[approvals]\nhold_seconds = 0\n[models.written]\nprovider = \"openai\"\n\
         name = \"written\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n{}",
        uses.concat()
    )
}

async fn serve(body: Bytes) -> impl IntoResponse {
    let reply = answer(&serde_json::from_slice(&body).unwrap()).chunks.concat();
    ([("content-type", "text/event-stream")], reply)
}

fn answer(body: &Value) -> Play {
    let messages: Vec<(&str, &str)> =
        body["messages"].as_array().unwrap().iter().map(role_and_text).collect();
    let (system, rest) = messages.split_first().unwrap();
    if system.1.contains("analyse the files") {
        analysis(rest)
    } else if system.1.contains("work on a spreadsheet") {
        sheet(rest)
    } else if system.1.contains("document a code base") {
        page(rest.last().unwrap().1)
    } else if system.1.contains("check a text") {
        say(&json!({"is_wanted": true}).to_string())
    } else {
        api(rest.last().unwrap().1)
    }
}

fn role_and_text(message: &Value) -> (&str, &str) {
    (message["role"].as_str().unwrap(), message["content"].as_str().unwrap_or_default())
}

fn say(text: &str) -> Play {
    wire::text(Provider::Openai, &[text])
}

fn call(tool: &str, args: Value) -> Play {
    wire::calls(Provider::Openai, &[(tool, args)])
}

/// Asks about what is open, repeats what it is told, and sums up what was said.
fn analysis(messages: &[(&str, &str)]) -> Play {
    let said: Vec<&str> =
        messages.iter().skip(1).filter(|(role, _)| *role == "user").map(|(_, text)| *text).collect();
    match said.last() {
        Some(last) if last.contains("Write the result as a Markdown document") => {
            let said = said.join("\n\n");
            let said = said.split("The person has approved.").next().unwrap();
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            say(&format!("# Why did the launch slip?\n\n## Findings\n\nThe budget (`plan.md`): {said}"))
        }
        _ if messages.len() == 1 && messages[0].1.contains("The person has approved.") => {
            say("# Why did the launch slip?\n\n## Findings\n\nThe supplier was late (`talk.txt`).")
        }
        Some(last) => {
            let words = last.split_whitespace().collect::<Vec<_>>().join(" ");
            say(&format!("You said “{words}”. Is that right?"))
        }
        None => say("`plan.md` says: The budget is TBD. **What is it?**"),
    }
}

/// Pages that are refined once, by what one file says.
fn page(prompt: &str) -> Play {
    let score = if prompt.contains("It keeps boxes in rows.") { 90 } else { 50 };
    if prompt.contains("Give each of completeness") {
        let scores = json!({"completeness": score, "clarity": score, "depth": score, "accuracy": score});
        let scores = scores.as_object().unwrap().clone().into_iter();
        let missing = ("missing_information".to_owned(), json!(["What is kept where."]));
        say(&Value::Object(scores.chain([missing]).collect()).to_string())
    } else if prompt.contains("Ask three to five concrete questions") {
        let about = prompt.split("A page about ").nth(1).unwrap().split(':').next().unwrap();
        let one = |n: usize| json!({"question": format!("What of {about} is {n}?"), "files": [], "for_person": false});
        say(&json!({"questions": [one(1), one(2), one(3)]}).to_string())
    } else if prompt.contains("Questions whose answers would improve it") {
        say("## Overview\n\nIt keeps boxes in rows. See `src/a/mod.rs`.")
    } else {
        say("## Overview\n\nIt keeps boxes. See `src/a/mod.rs`.")
    }
}

/// One piece of code for each instruction; what it prints is the answer.
fn sheet(messages: &[(&str, &str)]) -> Play {
    let (role, last) = messages.last().unwrap();
    let said = last.rsplit("The person says: ").next().unwrap();
    if *role == "tool" && said == *last {
        return call("finish", json!({ "answer": "" }));
    }
    const READ: &str =
        "import csv, glob\nname = glob.glob('*.csv')[0]\nrows = list(csv.DictReader(open(name)))\n";
    let code = if said.contains("top 2") {
        "for r in sorted(rows, key=lambda r: -float(r['Amount']))[:2]:\n    print(r['Region'], r['Amount'])"
    } else if said.contains("outliers") {
        "for n, r in enumerate(rows):\n    r['Mark'] = 'high' if float(r['Amount']) > 100 else ''\n    \
         if r['Mark']:\n        print(f'row {n + 2} is marked')\n\
         out = csv.DictWriter(open(name, 'w', newline=''), rows[0].keys())\nout.writeheader()\nout.writerows(rows)"
    } else {
        "print(sum(int(r['Amount']) for r in rows))"
    };
    let code = format!("{READ}{code}");
    call("python", json!({ "code": code }))
}

/// The operation each question needs, and its parameters.
fn api(prompt: &str) -> Play {
    let question = prompt.lines().next().unwrap().trim_start_matches("The question: ");
    let (api, parameters) = match question {
        "top genres" => ("audius/top_genres", json!({})),
        "find tracks" => ("audius/search_tracks", json!({})),
        "Please add a pet with name=Tom and kind=cat" => {
            ("pets/addpet", json!({"name": "Tom", "kind": "cat"}))
        }
        _ => ("audius/trending_tracks", json!({})),
    };
    let answer = if prompt.contains("\nWhat can be asked") {
        json!({ "api": api, "parameters": parameters })
    } else {
        json!({ "parameters": parameters })
    };
    say(&answer.to_string())
}
