//! `analyze`: the conversation.

use crate::inputs::{self, analysis, analyze, analyze_with, dialogue, happened, paid};
use crate::support::test_inbox::respond;
use crate::support::{FakeModel, TestInbox, assert_contains, merged};
use sayso::agent::llm::{Message, ModelError, Reply, Scripted};
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::{InboxError, Status, ThreadQuery};
use serde_json::{Value, json};

fn answers<const N: usize>(texts: [&str; N]) -> [Result<Reply, ModelError>; N] {
    texts.map(|text| Ok(Scripted::text(text)))
}

/// A conversation with these answers, driven to its first question.
async fn told<const N: usize>(texts: [&str; N]) -> (TestInbox, ThreadId) {
    let inbox = inputs::with_answers(answers(texts));
    let thread = analyze(&inbox).await;
    (inbox, thread)
}

#[tokio::test]
async fn a_question_an_answer_an_approval_a_result() {
    let inbox =
        inputs::with_answers(["Since when?", "The parts were late. Right?", "# It was late"].map(paid));
    let thread = analyze(&inbox).await;
    let card = inbox.text(&thread).await;
    assert!(card.starts_with("Since when?") && card.contains("read: notes.md"), "{card}");
    assert_eq!(inbox.answer(&thread, respond("Since Monday")).await.status, Status::Waiting);
    let card = inbox.text(&thread).await;
    assert!(card.contains("agent: Since when?") && card.contains("you: Since Monday"), "{card}");
    let outcome = inbox.answer(&thread, respond("DONE")).await;
    assert_eq!(outcome.status, Status::Done);
    let file = inbox.inputs().canonicalize().unwrap().join("analysis_result.md");
    assert_eq!(outcome.output, Some(json!({"answer": "# It was late", "file": file})));
    assert_eq!(inbox.read_input("analysis_result.md"), "# It was late\n");
    assert_eq!(inbox.model.tasks(), ["analyze.initial", "analyze.followup", "analyze.final"]);

    let view = inbox.view(&thread).await;
    assert_eq!(
        happened(&view),
        [
            "START: started",
            "analysis_prepare: read ended",
            "analysis_interrupt:",
            "ANSWERS: replied",
            "analysis_answered:",
            "analysis_prepare: ended",
            "analysis_interrupt:",
            "ANSWERS: replied",
            "analysis_answered: concluded",
            "write_result: written",
        ]
    );
    let effects: Vec<_> = view.effects.iter().map(|e| (e.name.as_str(), e.state.as_str())).collect();
    assert_eq!(effects, [("write_result", "done")]);
    assert_eq!((view.usage.calls, view.usage.input_tokens, view.usage.output_tokens), (4, 3000, 300));
    let (_, card) = inbox.decisions().result(thread).await.unwrap();
    assert!(
        card.text().starts_with("# It was late") && card.text().contains("written to: "),
        "{}",
        card.text()
    );
}

/// An approved analysis whose result the model checks like this.
async fn checked<const N: usize>(texts: [&str; N], checks: Vec<Reply>) -> (TestInbox, ThreadId) {
    let (inbox, thread) = told(texts).await;
    inbox.model.queue("text.check", checks);
    inbox.answer(&thread, Decision::Accept).await;
    (inbox, thread)
}

#[tokio::test]
async fn talk_around_the_result_is_cut_and_kept_in_the_trace() {
    let said = "Sure! Here is the document:\n```markdown\n# It was late\n\nBy a week.\n```\nLet me know if you need more.";
    let check = json!({"is_wanted": true, "first_is_talk": true, "last_is_talk": true});
    let (inbox, thread) = checked(["Right?", said], vec![Scripted::json(&check)]).await;
    let view = inbox.view(&thread).await;
    assert_eq!(view.output.unwrap()["answer"], "# It was late\n\nBy a week.");
    assert_eq!(inbox.read_input("analysis_result.md"), "# It was late\n\nBy a week.\n");
    let spans = view.trace.children.iter().flat_map(|node| &node.children);
    let call = spans.filter(|span| span.name == "analyze.final").find_map(|span| span.call).unwrap();
    assert_eq!(inbox.threads().model_call(thread, call).await.unwrap().answer.unwrap(), said);
}

#[tokio::test]
async fn a_refusal_in_words_is_no_result_and_a_retry_asks_again() {
    let texts = ["Right?", "I am sorry, but no.", "# It was late"];
    let (inbox, thread) = checked(texts, vec![Scripted::json(&json!({"is_wanted": false}))]).await;
    let (_, text) = inbox.trouble(&thread).await;
    assert_contains(&text, ["did not write the result of the analysis. It said: I am sorry, but no."]);
    assert_eq!(inbox.input_files(), ["notes.md"]);
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(inbox.read_input("analysis_result.md"), "# It was late\n");
}

#[tokio::test]
async fn a_result_that_could_not_be_checked_is_not_used() {
    let unreadable = vec![Scripted::text("It looks fine to me."); 3];
    let (inbox, thread) = checked(["Right?", "# It was late"], unreadable).await;
    let (_, text) = inbox.trouble(&thread).await;
    let expected = "It is not known whether the model wrote the result of the analysis";
    assert_contains(&text, [expected, "It said: # It was late"]);
    assert_eq!(inbox.input_files(), ["notes.md"]);
}

/// What a model was told, and what it said, is there to be read: exactly, at every turn.
#[tokio::test]
async fn every_call_keeps_its_words() {
    let (inbox, thread) = told(["Since when?", "The parts were late. Right?", "# It was late"]).await;
    inbox.answer(&thread, respond("Since Monday")).await;
    inbox.answer(&thread, respond("DONE")).await;
    let view = inbox.view(&thread).await;
    let calls: Vec<u64> =
        view.trace.children.iter().flat_map(|node| &node.children).filter_map(|span| span.call).collect();
    let asked = inbox.model.requests();
    assert_eq!(calls.len(), asked.len() + 1, "the result was checked");
    for (call, request) in calls.iter().zip(&asked) {
        let words = inbox.threads().model_call(thread.clone(), *call).await.unwrap();
        assert_eq!((words.system, words.task), (request.system.clone(), request.task.clone()));
        let sent = request.messages.iter().map(|message| match message {
            Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. } => text,
        });
        assert!(words.messages.iter().map(|(_, said)| said).eq(sent));
        assert!(words.answer.is_some_and(|answer| !answer.is_empty()) && words.missing.is_none());
    }
    let other = analyze(&inbox).await;
    let stranger = inbox.threads().model_call(other, calls[0]).await.unwrap_err().to_string();
    assert!(stranger.contains("there is no model call"), "{stranger}");
}

/// What a step did to the state, and what there was to see before it.
#[tokio::test]
async fn every_step_tells_what_it_changed() {
    let (inbox, thread) = told(["Since when?"]).await;
    let steps = inbox.view(&thread).await.steps.len() as u64;
    let asked = inbox.threads().step_states(thread.clone(), 1).await.unwrap();
    let paths: Vec<&str> = asked.changes.iter().map(|change| change.path.as_str()).collect();
    assert!(paths.contains(&"analysis_history[0]"), "{paths:?}");
    let last = inbox.threads().step_states(thread.clone(), steps - 1).await.unwrap();
    assert_eq!(last.state, inbox.state(&thread).await);
    let beyond = inbox.threads().step_states(thread.clone(), steps).await.unwrap_err().to_string();
    assert!(beyond.contains("no step"), "{beyond}");
    let text = inbox.threads().conversation(thread).await.unwrap().text();
    assert!(text.contains("query: "), "{text}");
}

#[tokio::test]
async fn the_words_that_approve_are_the_whole_answer() {
    for answer in ["not done yet", "we abandoned it", "is the solution approved by legal?"] {
        let (inbox, thread) = told(["Since when?", "And now?"]).await;
        assert_eq!(inbox.answer(&thread, respond(answer)).await.status, Status::Waiting, "{answer}");
        assert_eq!(inbox.model.tasks().last().unwrap(), "analyze.followup", "{answer}");
        assert!(inbox.text(&thread).await.starts_with("And now?"), "{answer}");
    }
    for answer in ["DONE", "done!", "Solution approved.", " okay, bye "] {
        let (inbox, thread) = told(["Since when?", "# Result"]).await;
        assert_eq!(inbox.answer(&thread, respond(answer)).await.status, Status::Done, "{answer}");
    }
}

/// A conversation whose model takes every answer for a yes, but for those that contain "not".
async fn presuming() -> (TestInbox, ThreadId) {
    let model = FakeModel::by(|request| {
        let said = request.facts["input"].as_str().unwrap_or_default();
        let is_offered = request.tools.iter().any(|tool| tool.name == "approved");
        Ok(match request.task.as_str() {
            "analyze.final" => Scripted::text("# Result"),
            _ if is_offered && !said.contains("not") => Scripted::calls([("approved", json!({}))]),
            _ => Scripted::text("The parts were late. Right?"),
        })
    });
    let inbox = inputs::with_model("", model);
    let thread = analyze(&inbox).await;
    (inbox, thread)
}

#[tokio::test]
async fn any_clear_yes_approves_once_it_was_shown_what_it_is_taken_for() {
    for answer in ["looks good", "approved", "done, thanks", "passt so"] {
        let (inbox, thread) = presuming().await;
        assert_eq!(inbox.answer(&thread, respond(answer)).await.status, Status::Waiting, "{answer}");
        let card = inbox.text(&thread).await;
        assert!(card.starts_with(&format!("“{answer}” is taken as your approval")), "{card}");
        assert!(card.contains("agent: The parts were late. Right?"), "{card}");
        assert_eq!(inbox.input_files(), ["notes.md"], "{answer}");
        assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done, "{answer}");
        assert_eq!(inbox.read_input("analysis_result.md"), "# Result\n");
        let expected =
            ["A:The parts were late. Right?".to_owned(), format!("U:{answer}"), "A:# Result".to_owned()];
        assert_eq!(dialogue(&inbox.view(&thread).await), expected);
    }
}

#[tokio::test]
async fn what_was_taken_for_a_yes_is_approved_by_the_person_alone() {
    let (inbox, thread) = presuming().await;
    inbox.answer(&thread, respond("fine")).await;
    // However often the model takes it for a yes.
    assert_eq!(inbox.answer(&thread, respond("yes, fine")).await.status, Status::Waiting);
    assert!(inbox.text(&thread).await.starts_with("“yes, fine” is taken as your approval"));
    assert_eq!(inbox.answer(&thread, respond("DONE")).await.status, Status::Done);

    let (inbox, thread) = presuming().await;
    inbox.answer(&thread, respond("fine")).await;
    inbox.answer(&thread, respond("no, it is not")).await;
    assert!(inbox.text(&thread).await.starts_with("The parts were late. Right?"));
    // What was said before counts no more.
    assert_eq!(inbox.answer(&thread, respond("fine")).await.status, Status::Waiting);
    assert!(inbox.text(&thread).await.starts_with("“fine” is taken as your approval"));
}

#[tokio::test]
async fn accept_approves_and_ignore_abandons() {
    let (inbox, thread) = told(["Since when?", "# Result"]).await;
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(dialogue(&inbox.view(&thread).await), ["A:Since when?", "A:# Result"]);

    let (inbox, thread) = told(["Since when?", "And now?"]).await;
    inbox.answer(&thread, respond("Monday")).await;
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
    assert_eq!(dialogue(&inbox.view(&thread).await), ["A:Since when?", "U:Monday", "A:And now?"]);
    assert_eq!(inbox.input_files(), ["notes.md"]);
    let again = inbox.threads().proceed(thread, "still there?".into()).await;
    assert!(matches!(again, Err(InboxError::NotOpen { .. })), "{again:?}");
}

#[tokio::test]
async fn twenty_turns_double_nothing() {
    let question = |n: usize| format!("Question {n}?");
    let script = (0..=20).map(question).chain(["# Result".to_owned()]);
    let inbox = inputs::with_answers(script.map(|text| Ok(Scripted::text(&text))));
    let thread = analyze(&inbox).await;
    for n in 0..20 {
        inbox.answer(&thread, respond(&format!("Answer {n}."))).await;
        let view = inbox.view(&thread).await;
        assert_eq!(dialogue(&view).len(), 2 * n + 3);
        let request = inbox.model.requests().pop().unwrap();
        // The question with the files, then every turn once.
        assert_eq!(request.messages.len(), 1 + 2 * (n + 1));
        assert_eq!(request.facts["input"], format!("Answer {n}."));
    }
    inbox.answer(&thread, respond("DONE")).await;
    let asked = serde_json::to_string(&inbox.model.requests().pop().unwrap().messages).unwrap();
    for n in 0..20 {
        assert_eq!(asked.matches(&format!("Answer {n}.")).count(), 1, "{n}");
        assert_eq!(asked.matches(&question(n)).count(), 1, "{n}");
    }
    assert_eq!(asked.matches("The launch slipped").count(), 1);
}

#[tokio::test]
async fn words_after_a_result_go_on_from_it() {
    let (inbox, thread) =
        told(["Since when?", "# By month", "By quarter, then. Right?", "# By quarter"]).await;
    inbox.answer(&thread, respond("DONE")).await;
    assert_eq!(
        inbox.threads().proceed(thread.clone(), "Now by quarter".into()).await.unwrap().status,
        Status::Ready
    );
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Waiting);
    assert!(inbox.decisions().result(thread.clone()).await.is_err(), "it is no result any more");
    let expected =
        ["A:Since when?", "U:DONE", "A:# By month", "U:Now by quarter", "A:By quarter, then. Right?"];
    assert_eq!(dialogue(&inbox.view(&thread).await), expected);
    // The model knows what it concluded, and is not asked for the files anew.
    let request = &inbox.model.requests()[2];
    assert_eq!(request.task, "analyze.followup");
    assert!(request.messages.contains(&Message::assistant("# By month")), "{:?}", request.messages);
    assert_eq!(inbox.answer(&thread, respond("done")).await.status, Status::Done);
    assert_eq!(inbox.read_input("analysis_result.md"), "# By quarter\n");
    let kept = inbox.input_files().into_iter().find(|name| name.starts_with("analysis_result-")).unwrap();
    assert_eq!(inbox.read_input(&kept), "# By month\n");
    assert_eq!(inbox.view(&thread).await.effects.len(), 2);
}

#[tokio::test]
async fn an_earlier_result_is_kept_and_never_read() {
    let inbox = inputs::with_answers(answers(["Since when?", "# New"]));
    inbox.write_input("analysis_result.md", "# Old");
    inbox.write_input("analysis_result-2020-01-01T000000.md", "# Older");
    let thread = analyze(&inbox).await;
    assert!(!serde_json::to_string(&inbox.model.requests()).unwrap().contains("# Old"));
    inbox.answer(&thread, respond("DONE")).await;
    assert_eq!(inbox.read_input("analysis_result.md"), "# New\n");
    let files = inbox.input_files();
    assert_eq!(files.len(), 4, "{files:?}");
    let kept: Vec<_> = files.iter().filter(|name| inbox.read_input(name) == "# Old").collect();
    assert!(matches!(kept.as_slice(), [name] if name.starts_with("analysis_result-20")), "{files:?}");
}

#[tokio::test]
async fn the_folder_is_read_once() {
    let (inbox, thread) = told(["Since when?", "And?"]).await;
    inbox.write_input("notes.md", "Rewritten meanwhile.");
    inbox.write_input("more.txt", "More.");
    inbox.answer(&thread, respond("Monday")).await;
    let request = serde_json::to_string(&inbox.model.requests()[1].messages).unwrap();
    assert!(request.contains("=== notes.md ===\\nThe launch slipped by three weeks."), "{request}");
    assert!(!request.contains("Rewritten") && !request.contains("more.txt"), "{request}");
}

#[tokio::test]
async fn a_thread_keeps_to_its_model() {
    let inbox = inputs::with_answers([]);
    let thread = analyze_with(&inbox, json!({"model": "other"})).await;
    inbox.answer(&thread, respond("Monday")).await;
    inbox.answer(&thread, respond("DONE")).await;
    assert_eq!((inbox.model.requests().len(), inbox.model.asked_other()), (0, 3));
    assert_eq!(inbox.read_input("analysis_result.md"), "Other: analyze.final\n");
    let input = merged(analysis(&inbox), json!({"model": "oracle"}));
    assert_contains(&inbox.refused_start("analyze", input).await, ["model", "there are main, other"]);
}

#[tokio::test]
async fn what_cannot_be_analysed_is_refused_before_anything_is_stored() {
    let inbox = inputs::with_answers([]);
    std::fs::create_dir_all(inbox.inputs().join("nested/empty")).unwrap();
    std::fs::create_dir(inbox.inputs().join("empty")).unwrap();
    let with = |key: &str, value: Value| merged(analysis(&inbox), json!({ key: value }));
    let folder = inbox.inputs();
    for (input, expected) in [
        (with("query", json!("  ")), "say what you want to know"),
        (with("inputs", json!(folder.join("nowhere"))), "it does not exist"),
        (with("inputs", json!(folder.join("notes.md"))), "is not a folder"),
        (with("inputs", json!(folder.join("empty"))), "holds no readable text or document"),
        (with("inputs", json!(folder.join("nested"))), "1 folder (read it with --recursive)"),
        (with("inputs", json!(3)), "inputs"),
        (with("depth", json!(3)), "depth"),
        (json!({"query": "Why?"}), "inputs"),
    ] {
        let error = inbox.refused_start("analyze", input).await;
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let all = inbox.threads().list(ThreadQuery { limit: 9, ..ThreadQuery::default() }).await.unwrap();
    assert!(all.rows.is_empty());
}

/// A folder of three thousand files: the model searches, reads what it found, and asks.
#[tokio::test]
async fn a_large_folder_is_searched_and_read_and_the_card_says_what_was() {
    let model = FakeModel::by(|request| {
        let made = request.messages.iter().filter(|one| matches!(one, Message::Tool { .. })).count();
        Ok(match made {
            0 => Scripted::calls([
                ("list", json!({"folder": "year2"})),
                ("search", json!({"text": "turbine friday"})),
                ("read", json!({"path": "../secret.txt"})),
            ]),
            3 => Scripted::calls([("read", json!({"path": "year2/day2999.md", "line": 2}))]),
            _ => Scripted::text("The turbine broke on Friday. Is that it?"),
        })
    });
    let inbox = inputs::with_model("", model);
    for n in 0..3_000 {
        let text = if n == 2_999 { "One.\nOn Friday the turbine broke.\n" } else { "Nothing of note.\n" };
        inbox.write_input(&format!("year{}/day{n:04}.md", n / 1_000), text);
    }
    inbox.write_input("photo.png", "no text");
    inbox.write_input("huge.md", &"x".repeat(2 << 20));
    std::fs::write(inbox.inputs().join("../secret.txt"), "canary").unwrap();
    let thread = inputs::analyze_with(&inbox, json!({"recursive": true})).await;
    let item = inbox.open_item(&thread).await;
    for line in [
        "read: year2/day2999.md\n",
        "not read: 3000 files that nothing led to so far",
        "left out: other formats (1 .png), huge.md (it is larger than 1024 KiB)",
    ] {
        assert!(item.text.contains(line), "{line}: {}", item.text);
    }
    assert_eq!(item.labels.respond.as_deref(), Some("answer scripted"));
    let requests = inbox.model.requests();
    assert!(inbox.model.requests()[0].messages.len() == 1 && requests.len() == 3);
    let words = serde_json::to_string(&requests[2].messages).unwrap();
    assert!(
        words.contains("year2/ (1000 files, ") && words.contains("year2/day2000.md (17 bytes)"),
        "{words}"
    );
    assert!(words.contains("year2/day2999.md:2: On Friday the turbine broke."), "{words}");
    assert!(words.contains("no such file among those") && !words.contains("canary") && words.len() < 24_000);
    // What was looked up is part of the next turn, and is not looked up again.
    inbox.answer(&thread, respond("Who saw it?")).await;
    let next = inbox.model.requests().pop().unwrap();
    assert_eq!((&next.messages[..5], next.task.as_str()), (&requests[2].messages[..5], "analyze.followup"));
    assert_eq!(inbox.model.requests().len(), 4);
}

#[tokio::test]
async fn documents_are_read_and_code_on_request() {
    for (code, sees) in [(json!({}), false), (json!({"code": true}), true)] {
        let inbox = inputs::with_answers([paid("Why?")]);
        inbox.write_input("page.html", "<p>From a page</p><p style=\"display:none\">never</p>");
        inbox.write_input("mail.eml", "From: Bob <bob@x.example>\nSubject: Late\n\nFrom a mail\n");
        inbox.write_input("table.csv", "Day,What\n1,From a table\n");
        inbox.write_input("main.rs", "fn main() {} // From code\n");
        inbox.write_input("broken.docx", "no document");
        inbox.write_input("scan.pdf", "%PDF-1.4\n");
        let thread = inputs::analyze_with(&inbox, code).await;
        let sent = inbox.model.last_words();
        for part in ["From a page", "Subject: Late", "From a mail", "1,From a table"] {
            assert!(sent.contains(part), "{part}: {sent}");
        }
        assert_eq!(sent.contains("From code"), sees);
        assert!(!sent.contains("never"));
        let card = inbox.text(&thread).await;
        assert!(
            card.contains("a complete Word document") && card.contains("no text that can be read"),
            "{card}"
        );
    }
}

#[tokio::test]
async fn a_person_in_the_models_place_looks_and_writes() {
    let inbox = inputs::with_me();
    let thread = analyze(&inbox).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!(item.action, "your_turn");
    let search = json!({"do": "search", "text": "launch"});
    inbox.answer(&thread, Decision::Edit { args: search }).await;
    assert_contains(&inbox.text(&thread).await, ["notes.md:1: The launch slipped by three weeks."]);
    inbox.answer(&thread, respond("The parts were late.")).await;
    assert_eq!(inbox.action(&thread).await, "analysis_question");
    inbox.answer(&thread, Decision::Accept).await;
    // What was said last may be the result.
    assert_eq!(inbox.open_item(&thread).await.args, json!({"result": "The parts were late."}));
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(inbox.read_input("analysis_result.md"), "The parts were late.\n");
    let messages = inbox.state(&thread).await["dialog"]["messages"].to_string();
    assert!(messages.contains("notes.md:1: The launch slipped by three weeks."), "{messages}");
}
