//! `sheet`: complete tasks on workbooks, with a scripted model. Each runs on a scripted Python, and on the machine's own
//! in its cage where there is one.

use crate::inputs::happened;
use crate::support::assert_contains;
use crate::support::python::{self, Piece, pythons};
use crate::support::test_inbox::{eager, respond};
use crate::support::{FakeModel, TestInbox, merged};
use sayso::agent::llm::{Message, ModelError, Reply, Scripted};
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::{DecidedBy, GrantScope, Status};
use sayso::tools::cage::Python;
use sayso::tools::workbook::{self, Book, CellPos};
use serde_json::{Value, json};
use std::sync::Arc;

const SALES: &str = "Region,Product,Amount,Day\nNorth,Hub,120,2026-01-05\nSouth,Rim,80,2026-01-06\n\
    North,Rim,60,2026-02-01\nEast,Hub,900,2026-02-03\nSouth,Hub,95,2026-03-01\n";

type Answer = Result<Reply, ModelError>;

fn code(piece: Piece) -> Answer {
    thinking("", piece)
}

fn thinking(thought: &str, piece: Piece) -> Answer {
    let mut reply = Scripted::calls([("python", json!({ "code": piece.code }))]);
    reply.text = thought.to_owned();
    Ok(reply)
}

fn finish(answer: &str) -> Answer {
    Ok(Scripted::calls([("finish", json!({ "answer": answer }))]))
}

/// A inbox with a workbook, and work on it driven to its first question.
async fn begun(
    python: &Arc<dyn Python>,
    name: &str,
    text: &str,
    answers: Vec<Answer>,
) -> (TestInbox, ThreadId) {
    let inbox = with_book(python, "", name, text, answers);
    let thread = start(&inbox, name, json!({})).await;
    (inbox, thread)
}

fn with_book(
    python: &Arc<dyn Python>,
    config: &str,
    name: &str,
    text: &str,
    answers: Vec<Answer>,
) -> TestInbox {
    let python = python.clone();
    let inbox = TestInbox::builder()
        .config(config)
        .with_model(FakeModel::new(answers))
        .with_services(move |services| services.python = python)
        .open();
    inbox.write_input(name, text);
    inbox
}

fn with_sales(python: &Arc<dyn Python>, config: &str, answers: Vec<Answer>) -> TestInbox {
    with_book(python, config, "sales.csv", SALES, answers)
}

async fn start(inbox: &TestInbox, name: &str, more: Value) -> ThreadId {
    let input = json!({"workbook": inbox.inputs().join(name), "instruction": "Look at the sales"});
    inbox.run("sheet", merged(input, more)).await
}

/// The same with the sales.
async fn on_sales(python: &Arc<dyn Python>, answers: Vec<Answer>) -> (TestInbox, ThreadId) {
    begun(python, "sales.csv", SALES, answers).await
}

/// What a tool told the model before this request, and whether it failed.
fn told(inbox: &TestInbox, request: usize) -> (String, bool) {
    match inbox.model.requests()[request].messages.last().unwrap().clone() {
        Message::Tool { text, failed, .. } => (text, failed),
        other => panic!("{other:?}"),
    }
}

/// Before any code runs, the card says what openpyxl would leave out of the workbook.
#[tokio::test]
async fn what_would_be_left_out_is_said_beforehand() {
    let python: Arc<dyn Python> = Arc::new(python::ScriptedPython);
    let inbox = with_sales(&python, "", vec![code(python::PRINT_HI)]);
    std::fs::copy("tests/fixtures/workbooks/budget.xlsx", inbox.inputs().join("budget.xlsx")).unwrap();
    let thread = start(&inbox, "budget.xlsx", json!({})).await;
    let card = inbox.open_item(&thread).await.text;
    let expected = "everything, where only values and formulas change; else openpyxl leaves out 1 charts";
    assert!(card.contains(expected), "{card}");
}

/// What code printed in its turn.
async fn printed(inbox: &TestInbox, thread: &ThreadId, cell: usize) -> Value {
    inbox.state(thread).await["cells"][cell]["observation"]["stdout"].clone()
}

fn result(inbox: &TestInbox, name: &str) -> Book {
    let bytes = std::fs::read(inbox.inputs().join(name)).unwrap();
    workbook::open(name, &bytes).unwrap()
}

fn shown(book: &Book, sheet: &str) -> Vec<Vec<String>> {
    let sheet = &book.sheets[book.find(sheet).unwrap()];
    let row = |row: usize| {
        let cells = 0..sheet.width();
        cells.map(move |column| sheet.shown(CellPos::new(row as u32, column as u32))).collect()
    };
    (0..sheet.rows.len()).map(row).collect()
}

#[tokio::test]
async fn a_thought_and_code_are_shown_run_and_answered_for() {
    for python in pythons().await {
        let answers = vec![thinking("I **sum** by region.", python::SUM), finish("East leads with 900.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        let card = inbox.text(&thread).await;
        assert!(card.starts_with("── This will run ──") && card.contains("I **sum** by region."), "{card}");
        assert!(card.contains("csv.DictReader") && card.contains("decimal point"), "{card}");
        let item = inbox.open_item(&thread).await;
        assert_eq!((item.action.as_str(), item.kind.word()), ("python", "approval"));
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Done);
        assert_eq!(
            outcome.output,
            Some(json!({"answer": "East leads with 900.", "file": null, "formulas": []}))
        );
        let (text, _) = told(&inbox, 1);
        assert_eq!(text, "Printed:\nNorth 180\nSouth 175\nEast 900");
        assert_eq!(inbox.input_files(), ["sales.csv"]);
        assert_eq!(
            happened(&inbox.view(&thread).await),
            [
                "START: started",
                "planner_node: read proposed",
                "tool_node:",
                "ANSWERS: answered",
                "run_code: ran became acted",
                "planner_node: ended",
                "write_result:"
            ]
        );
        let (_, card) = inbox.decisions().result(thread).await.unwrap();
        assert!(
            card.text().starts_with("East leads with 900.") && card.text().contains("North 180"),
            "{}",
            card.text()
        );
    }
}

#[tokio::test]
async fn files_and_the_result_are_written_beside_the_original_and_later_code_has_them() {
    for python in pythons().await {
        let answers = vec![code(python::FILTER), code(python::PRICES), code(python::JOIN), finish("Done.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, Decision::Accept).await;
        let card = inbox.text(&thread).await;
        assert!(card.contains("files saved: north.csv") && card.contains("other files: north.csv"), "{card}");
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(told(&inbox, 2).0, "Files saved: prices.csv", "what was there before is not new");
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Done);
        assert!(told(&inbox, 3).0.starts_with("`sales` has 5 columns now"), "{:?}", told(&inbox, 3));
        assert_eq!(inbox.read_input("sales.csv"), SALES);
        let path = |name: &str| inbox.inputs().join(name);
        let output = outcome.output.unwrap();
        assert_eq!(output["file"], json!(path("sales.result.csv")));
        assert_eq!(output["files"], json!([path("sales.north.csv"), path("sales.prices.csv")]));
        let north = "Region,Product,Amount,Day\nNorth,Hub,120,2026-01-05\nNorth,Rim,60,2026-02-01\n";
        assert_eq!(inbox.read_input("sales.north.csv"), north);
        let book = result(&inbox, "sales.result.csv");
        assert_eq!(shown(&book, "sales.result")[1], ["North", "Hub", "120", "2026-01-05", "600"]);
        let effects = inbox.view(&thread).await.effects;
        assert!(effects.iter().all(|effect| effect.state == "done") && effects.len() == 3, "{effects:?}");
    }
}

#[tokio::test]
async fn a_text_keeps_its_form_and_an_earlier_result_is_kept() {
    let text = "When;Amount\n3.4.2026;1,5\n12 Mar 2026;2,5\n2026/05/06;4,0\n";
    for python in pythons().await {
        let answers = vec![code(python::CLEAN_DATES), finish("Cleaned.")];
        let (inbox, thread) = begun(&python, "dates.csv", text, answers).await;
        assert!(inbox.text(&thread).await.contains("semicolon, decimal comma"));
        let system = inbox.model.requests()[0].system.clone();
        let how = "csv.reader(open(\"dates.csv\", newline=\"\", encoding=\"utf-8\"), delimiter=\";\")";
        assert_contains(&system, [how, "decimal=\",\"", "Today is ", "begins anew"]);
        inbox.answer(&thread, Decision::Accept).await;
        assert_contains(
            &told(&inbox, 1).0,
            ["3 cells changed, the first:", "dates!A2: 3.4.2026 → 2026-04-03"],
        );
        let cleaned = "When;Amount\n2026-04-03;1,5\n2026-03-12;2,5\n2026-05-06;4,0\n";
        assert_eq!(inbox.read_input("dates.result.csv"), cleaned);
        // Asked again it keeps the earlier result.
        let other =
            with_book(&python, "", "dates.csv", text, vec![code(python::FIRST_HEADING), finish("Done.")]);
        other.write_input("dates.result.csv", "mine");
        let thread = start(&other, "dates.csv", json!({})).await;
        other.answer(&thread, Decision::Accept).await;
        let files = other.input_files();
        let kept: Vec<_> = files.iter().filter(|name| name.starts_with("dates.result-")).collect();
        assert_eq!(kept.len(), 1, "{files:?}");
        assert_eq!(other.read_input(kept[0]), "mine");
    }
}

#[tokio::test]
async fn an_error_goes_back_with_its_line_and_a_hint_and_is_mended() {
    for python in pythons().await {
        let answers = vec![code(python::NO_MODULE), code(python::COUNT), finish("5 rows.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, Decision::Accept).await;
        let (text, failed) = told(&inbox, 1);
        assert!(failed, "{text}");
        assert_contains(
            &text,
            [
                "No module named 'pandas_of_tomorrow'",
                "Hint: only what is installed here",
                "line 1, in <module>",
            ],
        );
        let card = inbox.text(&thread).await;
        assert!(card.contains("It failed:") && card.contains("pandas"), "{card}");
        assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    }
}

#[tokio::test]
async fn edited_code_is_what_runs_and_what_the_conversation_keeps() {
    for python in pythons().await {
        let answers = vec![code(python::SET_X), code(python::PRINT_X), finish("Shown.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, Decision::Edit { args: json!({"code": python::PRINT_42.code}) }).await;
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(printed(&inbox, &thread, 0).await, "42\n");
        let last = inbox.model.requests().pop().unwrap();
        let Message::Assistant { calls, .. } = &last.messages[1] else { panic!("{:?}", last.messages) };
        assert_eq!(calls[0].args["code"], python::PRINT_42.code);
        // Each piece begins anew.
        assert!(told(&inbox, 2).0.contains("name 'x' is not defined"), "{:?}", told(&inbox, 2));
        let (inbox, thread) = on_sales(&python, vec![code(python::SET_X)]).await;
        let id = inbox.open_question(&thread).await;
        assert!(inbox.decide(&id, Decision::Edit { args: json!({"code": 7}) }).await.is_err());
    }
}

#[tokio::test]
async fn words_go_back_to_the_planner_and_nothing_runs_and_ignore_ends() {
    for python in pythons().await {
        let answers = vec![code(python::SUM), code(python::COUNT)];
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, respond("only the North, please")).await;
        let (text, _) = told(&inbox, 1);
        assert_eq!(text, "Not done. The person says: only the North, please");
        assert_eq!(inbox.view(&thread).await.state["cells"], json!([]));
        assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
        assert_eq!(inbox.input_files(), ["sales.csv"]);
    }
}

#[tokio::test]
async fn work_that_nobody_decided_about_in_time_is_not_written() {
    for python in pythons().await {
        let (inbox, thread) = on_sales(&python, vec![code(python::CHECKED), code(python::PRINT_180)]).await;
        let week = Some(std::time::Duration::from_secs(7 * 86_400));
        let expiry = Expiry { all: week, kinds: vec!["approval".to_owned()], ..Expiry::default() };
        let inbox = inbox.restart(Settings { expiry, ..eager() });
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.expire_after(7).await, 1);
        inbox.drive().await;
        assert_eq!(inbox.status(&thread).await, Status::Abandoned);
        assert_eq!(inbox.input_files(), ["sales.csv"]);
    }
}

#[tokio::test]
async fn ending_after_something_was_changed_writes_it() {
    for python in pythons().await {
        let answers = vec![code(python::CHECKED), code(python::SHARE), code(python::HEAD), finish("So.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        let first = inbox.open_item(&thread).await;
        assert_eq!(first.labels.ignore.as_deref(), Some("abandon"));
        inbox.answer(&thread, Decision::Accept).await;
        let second = inbox.open_item(&thread).await;
        assert_eq!(second.labels.ignore.as_deref(), Some("finish with what is done"));
        let outcome = inbox.answer(&thread, Decision::Ignore).await;
        assert_eq!(outcome.status, Status::Done);
        let output = outcome.output.unwrap();
        assert_eq!(
            output["answer"],
            "You ended it here. What had changed by then (1 cell) is in the result."
        );
        assert_eq!(inbox.input_files(), ["sales.csv", "sales.result.csv"]);
        let rows = shown(&result(&inbox, "sales.result.csv"), "sales.result");
        assert_eq!(rows[0], ["Region", "Product", "Amount", "Day", "Checked"]);
        // Going on begins where it was ended; the model was told that its code did not run.
        inbox.proceed(&thread, "and now?").await;
        let messages = format!("{:?}", inbox.model.requests().last().unwrap().messages);
        assert!(messages.contains("Not done. The person refused this."), "{messages}");
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(printed(&inbox, &thread, 1).await, "Region,Product,Amount,Day,Checked\n");

        // The same at the limit of steps.
        let answers = vec![code(python::CHECKED)];
        let inbox = with_sales(&python, "", answers);
        let thread = start(&inbox, "sales.csv", json!({"max_steps": 1})).await;
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Done);
        assert_eq!(inbox.input_files(), ["sales.csv", "sales.result.csv"]);
    }
}

#[tokio::test]
async fn the_config_says_how_far_code_may_go() {
    for python in pythons().await {
        let config = "[sheet]\nmax_steps = 3\nwith_informer = \"on\"\noutput_kb = 1\nmax_rows = 6\n";
        let answers = vec![code(python::TOO_MUCH), finish("So.")];
        let inbox = with_sales(&python, config, answers);
        let thread = start(&inbox, "sales.csv", json!({})).await;
        let state = inbox.view(&thread).await.state;
        assert_eq!((&state["max_steps"], &state["with_informer"]), (&json!(3), &json!(true)));
        inbox.answer(&thread, Decision::Accept).await;
        let error = inbox.view(&thread).await.state["observation"]["error"].clone();
        assert!(error.as_str().unwrap().contains("more than 1 KB"), "{error}");
        // What a thread is started with counts more.
        let thread = start(&inbox, "sales.csv", json!({"max_steps": 7, "with_informer": false})).await;
        let state = inbox.view(&thread).await.state;
        assert_eq!((&state["max_steps"], &state["with_informer"]), (&json!(7), &json!(false)));
        inbox.write_input("long.csv", &format!("{SALES}West,Hub,1,2026-03-02\n"));
        let thread = start(&inbox, "long.csv", json!({})).await;
        let (_, text) = inbox.trouble(&thread).await;
        assert!(text.contains("`long` has 7 rows, and sheet.max_rows in the config says 6"), "{text}");
    }
}

#[tokio::test]
async fn a_call_with_other_arguments_is_told_so() {
    for python in pythons().await {
        let odd = |args: Value| Ok(Scripted::calls([("python", args)]));
        for args in [json!({"code": {"of": 7}}), json!({"code": " "})] {
            let (inbox, thread) = on_sales(&python, vec![odd(args.clone()), code(python::TWO)]).await;
            assert_eq!(inbox.outcome(&thread).await.status, Status::Waiting, "{args}");
            let messages = format!("{:?}", inbox.model.requests()[1].messages.last());
            assert!(messages.contains("the arguments of `python`"), "{messages}");
            let (inbox, thread) = on_sales(&python, vec![odd(args.clone()), odd(args)]).await;
            inbox.trouble(&thread).await;
        }
    }
}

fn words(text: &str) -> Answer {
    Ok(Scripted::text(text))
}

#[tokio::test]
async fn a_fenced_block_is_code_too_and_what_nobody_understands_is_asked_again() {
    for python in pythons().await {
        let answers =
            vec![words(&format!("Look:\n```python\n{}\n```", python::PRINT_HI.code)), words("Done.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.output.unwrap()["answer"], "hi");
        assert!(
            matches!(&inbox.model.requests()[1].messages[..], [.., Message::User { text }] if text == "Printed:\nhi")
        );

        let (inbox, thread) =
            on_sales(&python, vec![words("```python\n```"), words("```python\nprint(")]).await;
        inbox.trouble(&thread).await;
        assert_eq!(inbox.model.requests().len(), 2);
        assert_contains(&inbox.model.last_words(), ["put the code into one whole ```python block"]);

        // An empty reply is no answer.
        let answers = vec![code(python::PRINT_180), words(" \n"), words("North has 180.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.output.unwrap()["answer"], "North has 180.");
        let (inbox, thread) = on_sales(&python, vec![code(python::PRINT_180), words(""), words(" ")]).await;
        assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Trouble);
    }
}

#[tokio::test]
async fn words_after_code_are_the_answer() {
    for python in pythons().await {
        for reply in
            ["The total for North is 6,298.50.", "Done. The total is 5.", "Totals:\n```text\nNorth 180\n```"]
        {
            let (inbox, thread) = on_sales(&python, vec![code(python::PRINT_180), words(reply)]).await;
            let outcome = inbox.answer(&thread, Decision::Accept).await;
            assert_eq!((outcome.status, inbox.model.requests().len()), (Status::Done, 2), "{reply}");
            assert_eq!(outcome.output, Some(json!({"answer": reply, "file": null, "formulas": []})));
            let (_, card) = inbox.decisions().result(thread).await.unwrap();
            assert!(card.text().starts_with(reply.lines().next().unwrap()), "{}", card.text());
        }
        // What was changed is written, as with an answer by call.
        let answers = vec![code(python::CHECKED), words("I added the column Checked.")];
        let (inbox, thread) = on_sales(&python, answers).await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.output.unwrap()["answer"], "I added the column Checked.");
        assert_eq!(inbox.input_files(), ["sales.csv", "sales.result.csv"]);
    }
}

#[tokio::test]
async fn words_after_code_are_the_answer_without_talk_and_only_if_they_are_one() {
    for python in pythons().await {
        let checked = async |said: &str, check: Value| {
            let (inbox, thread) = on_sales(&python, vec![code(python::PRINT_180), words(said)]).await;
            inbox.model.queue("text.check", [Scripted::json(&check)]);
            inbox.answer(&thread, Decision::Accept).await;
            (inbox, thread)
        };
        let talk = json!({"is_wanted": true, "last_is_talk": true});
        let (inbox, thread) = checked("North has 180.\n\nLet me know if you need more.", talk).await;
        assert_eq!(inbox.outcome(&thread).await.output.unwrap()["answer"], "North has 180.");
        let (inbox, thread) = checked("I am sorry, but no.", json!({"is_wanted": false})).await;
        assert_eq!(inbox.action(&thread).await, "unchecked_answer");
    }
}

#[tokio::test]
async fn words_before_any_code_are_reminded_once_and_then_put_to_the_person() {
    for python in pythons().await {
        // A reminder is often enough.
        let (inbox, thread) = on_sales(&python, vec![words("I will sum it."), code(python::TWO)]).await;
        assert_eq!(inbox.action(&thread).await, "python");
        assert_contains(&inbox.model.last_words(), ["nothing was computed for this yet"]);

        let twice = || vec![words("Done."), words("The sheet has five rows.")];
        let (inbox, thread) = on_sales(&python, twice()).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!((item.kind.word(), item.action.as_str()), ("question", "unchecked_answer"));
        assert!(item.text.starts_with("The sheet has five rows."), "{}", item.text);
        assert!(item.text.contains("No code was run for this."), "{}", item.text);
        assert_eq!(inbox.model.requests().len(), 2);
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Done);
        assert_eq!(outcome.output.unwrap()["answer"], "The sheet has five rows.");
        assert_eq!(inbox.model.requests().len(), 2);

        let (inbox, thread) = on_sales(&python, twice()).await;
        assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);

        let answers = twice().into_iter().chain([code(python::COUNT), words("Five rows.")]).collect();
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, respond("count them")).await;
        let asked = inbox.model.requests().pop().unwrap().messages;
        let [.., Message::Assistant { text: reply, .. }, Message::User { text: answered }] = asked.as_slice()
        else {
            panic!("{asked:?}")
        };
        assert_eq!(
            (reply.as_str(), answered.as_str()),
            ("The sheet has five rows.", "The person says: count them")
        );
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.output.unwrap()["answer"], "Five rows.");
    }
}

#[tokio::test]
async fn an_end_without_any_code_is_reminded_too() {
    for python in pythons().await {
        let (inbox, thread) = on_sales(&python, vec![finish("Five."), code(python::COUNT)]).await;
        assert_eq!(inbox.action(&thread).await, "python");
        assert_contains(&inbox.model.last_words(), ["nothing was computed for this yet"]);
        let (inbox, thread) = on_sales(&python, vec![finish("Five."), finish("Five rows.")]).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!(item.action, "unchecked_answer");
        assert_contains(&item.text, ["Five rows.", "No code was run for this."]);
        // A fence around all of the code is none of it.
        let mut fenced = code(python::PRINT_HI).unwrap();
        fenced.calls[0].args["code"] = json!(format!("```python\n{}\n```", python::PRINT_HI.code));
        let (inbox, thread) = on_sales(&python, vec![Ok(fenced), finish("Hi.")]).await;
        assert_eq!(inbox.open_item(&thread).await.args["code"], python::PRINT_HI.code);
        assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    }
}

#[tokio::test]
async fn going_on_is_reminded_of_code_and_words_are_then_the_answer() {
    for python in pythons().await {
        let answers = vec![
            code(python::PRINT_180),
            words("North has 180."),
            words("I will do it by quarter."),
            words("One hundred and eighty."),
        ];
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, Decision::Accept).await;
        inbox.proceed(&thread, "in words, please").await;
        let outcome = inbox.outcome(&thread).await;
        assert_eq!((outcome.status, inbox.model.requests().len()), (Status::Done, 4));
        assert_eq!(outcome.output.unwrap()["answer"], "One hundred and eighty.");
    }
}

#[tokio::test]
async fn the_step_limit_is_a_question_and_look_ups_are_steps() {
    for python in pythons().await {
        let look = || Ok(Scripted::calls([("inform", json!({ "question": "Where is North?" }))]));
        let answers = vec![look(), code(python::TWO), code(python::FOUR), finish("Enough.")];
        let inbox = with_sales(&python, "", answers);
        let thread = start(&inbox, "sales.csv", json!({"max_steps": 2, "with_informer": true})).await;
        let found = inbox.view(&thread).await.state["key_information"].clone();
        assert_eq!(found, json!(["\"north\" in sales: 2 cells, first A2, A4"]));
        inbox.answer(&thread, Decision::Accept).await;
        let item = inbox.open_item(&thread).await;
        assert_eq!((item.kind.word(), item.action.as_str()), ("trouble", "step_limit"));
        assert_eq!(inbox.model.requests().len(), 2);
        inbox.answer(&thread, Decision::Accept).await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        // The last of the four allowed is not needed.
        assert_eq!(outcome.status, Status::Done);
        // Without it, look-ups are not offered.
        let (without, _) = on_sales(&python, vec![finish("So.")]).await;
        let names: Vec<String> =
            without.model.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
        assert_eq!(names, ["python", "finish"]);
    }
}

#[tokio::test]
async fn a_grant_runs_the_rest_of_the_thread_without_asking() {
    for python in pythons().await {
        let answers = vec![code(python::SET_X), code(python::COUNT), finish("5")];
        let (inbox, thread) = on_sales(&python, answers).await;
        let item = inbox.open_item(&thread).await;
        assert!(item.grantable.thread && item.grantable.sender.is_none());
        inbox.grant(&thread, GrantScope::Thread).await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Done);
        let view = inbox.view(&thread).await;
        assert_eq!(view.decisions.len(), 2);
        assert!(matches!(view.decisions[1].by, DecidedBy::Grant(_)), "{:?}", view.decisions[1]);
    }
}

#[tokio::test]
async fn going_on_works_on_what_was_saved() {
    for python in pythons().await {
        let answers = vec![code(python::KEEP), finish("Kept."), code(python::KEPT), finish("6")];
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, Decision::Accept).await;
        // The file may be gone or changed by now: its bytes were kept.
        inbox.write_input("sales.csv", "other\n1\n");
        inbox.proceed(&thread, "now the sum").await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(outcome.status, Status::Done);
        assert_eq!(printed(&inbox, &thread, 1).await, "6 Region,Product,Amount,Day,Kept\n");
        assert_eq!(inbox.view(&thread).await.decisions.len(), 2);
    }
}

#[tokio::test]
async fn a_cell_that_was_stopped_leaves_nothing_behind() {
    for python in pythons().await {
        let answers = vec![code(python::SET_X), code(python::BOMB), code(python::LEFT), finish("1")];
        let (inbox, thread) = on_sales(&python, answers).await;
        inbox.answer(&thread, Decision::Accept).await;
        inbox.answer(&thread, Decision::Accept).await;
        let (text, _) = told(&inbox, 2);
        assert!(text.contains("memory") && text.contains("Nothing of this code counts"), "{text}");
        inbox.answer(&thread, Decision::Accept).await;
        assert_eq!(inbox.state(&thread).await["cells"].as_array().unwrap().len(), 2);
        assert_eq!(printed(&inbox, &thread, 1).await, "Region,Product,Amount,Day ['sales.csv']\n");
    }
}

#[tokio::test]
async fn what_cannot_be_a_workbook_is_refused_before_anything_is_stored() {
    for python in pythons().await {
        let inbox = with_sales(&python, "", vec![]);
        inbox.write_input("folder.xlsx/x.md", "");
        inbox.write_input("notes.md", "x");
        let book = |name: &str| inbox.inputs().join(name);
        let many = [
            (json!({"workbook": book("none.xlsx"), "instruction": "x"}), "cannot be opened"),
            (json!({"workbook": book("notes.md"), "instruction": "x"}), "not a workbook"),
            (json!({"workbook": book("folder.xlsx"), "instruction": "x"}), "not a file"),
            (json!({"workbook": book("sales.csv"), "instruction": " "}), "say what is to be done"),
            (json!({"workbook": book("sales.csv"), "instruction": "x", "max_steps": 0}), "between 1 and 100"),
            (json!({"workbook": book("sales.csv"), "instruction": "x", "model": "none"}), "there are"),
            (json!({"workbook": book("sales.csv")}), "instruction"),
        ];
        for (input, expected) in many {
            let error = inbox.refused_start("sheet", input.clone()).await;
            assert!(error.contains(expected), "{input}: {error}");
        }
        // What only shows when it is read is trouble, with the reason.
        inbox.write_input("broken.xlsx", "not a package");
        let thread = start(&inbox, "broken.xlsx", json!({})).await;
        inbox.trouble(&thread).await;
        let why = "broken.xlsx cannot be read: it is not an Excel (.xlsx) or OpenDocument (.ods) file inside";
        assert_contains(&inbox.text(&thread).await, [why]);
    }
}
