//! `sheet`: complete tasks on workbooks, with a scripted model and the real sandbox.

use crate::inputs::{self, happened};
use crate::support::assert_contains;
use crate::support::test_inbox::{eager, respond};
use crate::support::{TestInbox, merged};
use sayso::agent::llm::{Message, ModelError, Reply, Scripted};
use sayso::app::Settings;
use sayso::config::Expiry;
use sayso::engine::graph::{Decision, ThreadId};
use sayso::inbox::{DecidedBy, GrantScope, Status};
use sayso::tools::workbook::{self, Book, CellPos, Value as Cell};
use serde_json::{Value, json};

const SALES: &str = "Region,Product,Amount,Day\nNorth,Hub,120,2026-01-05\nSouth,Rim,80,2026-01-06\n\
    North,Rim,60,2026-02-01\nEast,Hub,900,2026-02-03\nSouth,Hub,95,2026-03-01\n";

type Answer = Result<Reply, ModelError>;

fn code(code: &str) -> Answer {
    thinking("", code)
}

fn thinking(thought: &str, code: &str) -> Answer {
    let mut reply = Scripted::calls([("python", json!({ "code": code }))]);
    reply.text = thought.to_owned();
    Ok(reply)
}

fn finish(answer: &str) -> Answer {
    Ok(Scripted::calls([("finish", json!({ "answer": answer }))]))
}

/// A inbox with a workbook, and work on it driven to its first question.
async fn begun(name: &str, text: &str, answers: Vec<Answer>) -> (TestInbox, ThreadId) {
    let inbox = inputs::with_answers(answers);
    inbox.write_input(name, text);
    let thread = start(&inbox, name, json!({})).await;
    (inbox, thread)
}

fn with_sales(config: &str, answers: Vec<Answer>) -> TestInbox {
    let inbox = inputs::with_config(config, answers);
    inbox.write_input("sales.csv", SALES);
    inbox
}

async fn start(inbox: &TestInbox, name: &str, more: Value) -> ThreadId {
    let input = json!({"workbook": inbox.inputs().join(name), "instruction": "Look at the sales"});
    inbox.run("sheet", merged(input, more)).await
}

/// The same with the sales.
async fn on_sales(answers: Vec<Answer>) -> (TestInbox, ThreadId) {
    begun("sales.csv", SALES, answers).await
}

/// What a tool told the model before this request, and whether it failed.
fn told(inbox: &TestInbox, request: usize) -> (String, bool) {
    match inbox.model.requests()[request].messages.last().unwrap().clone() {
        Message::Tool { text, failed, .. } => (text, failed),
        other => panic!("{other:?}"),
    }
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
    let answers = vec![
        thinking(
            "I **sum** by region.",
            "for k, v in group_by(sheet().records(), 'Region').items():\n    print(k, sum([r['Amount'] for r in v]))",
        ),
        finish("East leads with 900."),
    ];
    let (inbox, thread) = on_sales(answers).await;
    let card = inbox.text(&thread).await;
    assert!(card.starts_with("── This will run ──") && card.contains("I **sum** by region."), "{card}");
    assert!(card.contains("group_by(sheet()") && card.contains("decimal point"), "{card}");
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.action.as_str(), item.kind.word()), ("python", "approval"));
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(outcome.output, Some(json!({"answer": "East leads with 900.", "file": null, "formulas": []})));
    let (text, _) = told(&inbox, 1);
    assert_eq!(text, "Printed:\nNorth 180\nSouth 175\nEast 900");
    assert_eq!(inbox.input_files(), ["notes.md", "sales.csv"]);
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

#[tokio::test]
async fn a_filter_a_join_and_a_pivot_are_written_beside_the_original() {
    let answers = vec![
        code(
            "out = add_sheet('North')\nrows = sheet().rows()\nout.write('A1', [rows[0]] + [r for r in rows if r[0] == 'North'])",
        ),
        code("p = add_sheet('Prices')\np.write('A1', [['Product', 'Price'], ['Hub', 5], ['Rim', 7]])"),
        code(
            "price = {r['Product']: r['Price'] for r in sheet('Prices').records()}\ns = sheet('sales')\ns.set('E1', 'Units')\n\
             for n, r in enumerate(s.records()):\n    s.set((n + 2, 5), r['Amount'] / price[r['Product']])\n\
             g = group_by(s.records(), 'Region', 'Product')\nt = add_sheet('Pivot')\nproducts = ['Hub', 'Rim']\n\
             t.write('A1', [['Region'] + products])\nfor region in ['East', 'North', 'South']:\n    \
             t.append([region] + [sum([r['Amount'] for r in g.get((region, p), [])]) for p in products])",
        ),
        finish("Done."),
    ];
    let (inbox, thread) = on_sales(answers).await;
    inbox.answer(&thread, Decision::Accept).await;
    let card = inbox.text(&thread).await;
    assert!(card.contains("sheets added: North"), "{card}");
    inbox.answer(&thread, Decision::Accept).await;
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(inbox.read_input("sales.csv"), SALES);
    let book = result(&inbox, "sales.result.xlsx");
    assert_eq!(shown(&book, "North").len(), 3);
    assert_eq!(shown(&book, "sales")[1], ["North", "Hub", "120", "2026-01-05", "24"]);
    let pivot = shown(&book, "Pivot");
    assert_eq!(pivot[0], ["Region", "Hub", "Rim"]);
    assert_eq!(pivot[1..], [["East", "900", "0"], ["North", "120", "60"], ["South", "95", "80"]]);
    let effects = inbox.view(&thread).await.effects;
    assert_eq!((effects[0].name.as_str(), effects[0].state.as_str()), ("write_result", "done"));
}

#[tokio::test]
async fn dates_are_cleaned_and_formulas_written_as_text() {
    let text = "When;Amount\n3.4.2026;1,5\n12 Mar 2026;2,5\n2026/05/06;4,0\n";
    let answers = vec![
        code(
            "s = sheet()\nfor n, r in enumerate(s.records()):\n    s.set((n + 2, 1), parse_date(r['When']))\ns.set('B5', '=SUM(B2:B4)')",
        ),
        finish("Cleaned."),
    ];
    let (inbox, thread) = begun("dates.csv", text, answers).await;
    assert!(inbox.text(&thread).await.contains("semicolon, decimal comma"));
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.output.unwrap()["formulas"], json!(["dates!B5 =SUM(B2:B4)"]));
    let book = result(&inbox, "dates.result.xlsx");
    let day = |row| match book.sheets[0].value(CellPos::new(row, 0)) {
        Cell::Date(date) => date.date().to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!([day(1), day(2), day(3)], ["2026-04-03", "2026-03-12", "2026-05-06"]);
    assert_eq!(book.sheets[0].shown(CellPos::new(4, 1)), "=SUM(B2:B4)");
    // Asked again it keeps the earlier result.
    let answers = vec![code("sheet().set('C1', 'x')"), finish("Done.")];
    let other = inputs::with_answers(answers);
    other.write_input("dates.csv", text);
    other.write_input("dates.result.xlsx", "mine");
    let thread = start(&other, "dates.csv", json!({})).await;
    other.answer(&thread, Decision::Accept).await;
    let files = other.input_files();
    let kept: Vec<_> = files.iter().filter(|name| name.starts_with("dates.result-")).collect();
    assert_eq!(kept.len(), 1, "{files:?}");
    assert_eq!(other.read_input(kept[0]), "mine");
}

#[tokio::test]
async fn an_error_goes_back_with_the_way_it_is_done_here_and_is_mended() {
    let answers = vec![
        code("import pandas as pd\npd.read_excel('sales.xlsx')"),
        code("x = len(sheet().records())\nprint(x)"),
        finish("5 rows."),
    ];
    let (inbox, thread) = on_sales(answers).await;
    inbox.answer(&thread, Decision::Accept).await;
    let (text, failed) = told(&inbox, 1);
    assert!(failed, "{text}");
    assert_contains(&text, ["No module named 'pandas'", "Hint: sheet(\"Name\").records()"]);
    let card = inbox.text(&thread).await;
    assert!(card.contains("It failed:") && card.contains("pandas"), "{card}");
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
}

#[tokio::test]
async fn edited_code_is_what_runs_and_what_the_conversation_keeps() {
    let answers = vec![code("x = 2"), code("print(x)"), finish("Shown.")];
    let (inbox, thread) = on_sales(answers).await;
    inbox.answer(&thread, Decision::Edit { args: json!({"code": "x = 40 + 2"}) }).await;
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(printed(&inbox, &thread, 1).await, "42\n");
    let last = inbox.model.requests().pop().unwrap();
    let Message::Assistant { calls, .. } = &last.messages[1] else { panic!("{:?}", last.messages) };
    assert_eq!(calls[0].args["code"], "x = 40 + 2");
    let (inbox, thread) = on_sales(vec![code("x = 2")]).await;
    let id = inbox.open_question(&thread).await;
    assert!(inbox.decide(&id, Decision::Edit { args: json!({"code": 7}) }).await.is_err());
}

#[tokio::test]
async fn words_go_back_to_the_planner_and_nothing_runs_and_ignore_ends() {
    let answers = vec![code("print('all')"), code("print('less')")];
    let (inbox, thread) = on_sales(answers).await;
    inbox.answer(&thread, respond("only the North, please")).await;
    let (text, _) = told(&inbox, 1);
    assert_eq!(text, "Not done. The person says: only the North, please");
    assert_eq!(inbox.view(&thread).await.state["cells"], json!([]));
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);
    assert_eq!(inbox.input_files(), ["notes.md", "sales.csv"]);
}

#[tokio::test]
async fn work_that_nobody_decided_about_in_time_is_not_written() {
    let (inbox, thread) = on_sales(vec![code("sheet().set('E1', 'Checked')"), code("print(1)")]).await;
    let week = Some(std::time::Duration::from_secs(7 * 86_400));
    let expiry = Expiry { all: week, kinds: vec!["approval".to_owned()], ..Expiry::default() };
    let inbox = inbox.restart(Settings { expiry, ..eager() });
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.expire_after(7).await, 1);
    inbox.drive().await;
    assert_eq!(inbox.status(&thread).await, Status::Abandoned);
    assert_eq!(inbox.input_files(), ["notes.md", "sales.csv"]);
}

#[tokio::test]
async fn ending_after_something_was_changed_writes_it() {
    let answers = vec![
        code("sheet().set('E1', 'Checked')"),
        code("sheet().set('E2', 'never')"),
        code("print(sheet().get('E1'), sheet().get('E2'))"),
        finish("So."),
    ];
    let (inbox, thread) = on_sales(answers).await;
    let first = inbox.open_item(&thread).await;
    assert_eq!(first.labels.ignore.as_deref(), Some("abandon"));
    inbox.answer(&thread, Decision::Accept).await;
    let second = inbox.open_item(&thread).await;
    assert_eq!(second.labels.ignore.as_deref(), Some("finish with what is done"));
    let outcome = inbox.answer(&thread, Decision::Ignore).await;
    assert_eq!(outcome.status, Status::Done);
    let output = outcome.output.unwrap();
    assert_eq!(output["answer"], "You ended it here. What had changed by then (1 cell) is in the result.");
    assert_eq!(inbox.input_files(), ["notes.md", "sales.csv", "sales.result.xlsx"]);
    let rows = shown(&result(&inbox, "sales.result.xlsx"), "sales");
    assert_eq!((rows[0][4].as_str(), rows[1][4].as_str()), ("Checked", ""));
    // Going on begins where it was ended; the model was told that its code did not run.
    inbox.proceed(&thread, "and now?").await;
    let messages = format!("{:?}", inbox.model.requests().last().unwrap().messages);
    assert!(messages.contains("Not done. The person refused this."), "{messages}");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(printed(&inbox, &thread, 1).await, "Checked None\n");

    // The same at the limit of steps.
    let answers = vec![code("sheet().set('E1', 'Checked')")];
    let inbox = with_sales("", answers);
    let thread = start(&inbox, "sales.csv", json!({"max_steps": 1})).await;
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Done);
    assert_eq!(inbox.input_files(), ["notes.md", "sales.csv", "sales.result.xlsx"]);
}

#[tokio::test]
async fn the_config_says_how_far_code_may_go() {
    let config = "[sheet]\nmax_steps = 3\nwith_informer = \"on\"\noutput_kb = 1\nmax_rows = 6\n";
    let answers = vec![code("print('x' * 5000)"), finish("So.")];
    let inbox = with_sales(config, answers);
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

#[tokio::test]
async fn a_call_with_other_arguments_is_told_so() {
    let odd = |args: Value| Ok(Scripted::calls([("python", args)]));
    for args in [json!({"code": {"of": 7}}), json!({"code": " "})] {
        let (inbox, thread) = on_sales(vec![odd(args.clone()), code("1 + 1")]).await;
        assert_eq!(inbox.outcome(&thread).await.status, Status::Waiting, "{args}");
        let messages = format!("{:?}", inbox.model.requests()[1].messages.last());
        assert!(messages.contains("the arguments of `python`"), "{messages}");
        let (inbox, thread) = on_sales(vec![odd(args.clone()), odd(args)]).await;
        inbox.trouble(&thread).await;
    }
}

fn words(text: &str) -> Answer {
    Ok(Scripted::text(text))
}

#[tokio::test]
async fn a_fenced_block_is_code_too_and_what_nobody_understands_is_asked_again() {
    let answers = vec![words("Look:\n```python\nprint('hi')\n```"), words("Done.")];
    let (inbox, thread) = on_sales(answers).await;
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.output.unwrap()["answer"], "hi");
    assert!(
        matches!(&inbox.model.requests()[1].messages[..], [.., Message::User { text }] if text == "Printed:\nhi")
    );

    let (inbox, thread) = on_sales(vec![words("```python\n```"), words("```python\nprint(")]).await;
    inbox.trouble(&thread).await;
    assert_eq!(inbox.model.requests().len(), 2);
    assert_contains(&inbox.model.last_words(), ["put the code into one whole ```python block"]);

    // An empty reply is no answer.
    let answers = vec![code("print(180)"), words(" \n"), words("North has 180.")];
    let (inbox, thread) = on_sales(answers).await;
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.output.unwrap()["answer"], "North has 180.");
    let (inbox, thread) = on_sales(vec![code("print(180)"), words(""), words(" ")]).await;
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Trouble);
}

#[tokio::test]
async fn words_after_code_are_the_answer() {
    for reply in
        ["The total for North is 6,298.50.", "Done. The total is 5.", "Totals:\n```text\nNorth 180\n```"]
    {
        let (inbox, thread) = on_sales(vec![code("print(180)"), words(reply)]).await;
        let outcome = inbox.answer(&thread, Decision::Accept).await;
        assert_eq!((outcome.status, inbox.model.requests().len()), (Status::Done, 2), "{reply}");
        assert_eq!(outcome.output, Some(json!({"answer": reply, "file": null, "formulas": []})));
        let (_, card) = inbox.decisions().result(thread).await.unwrap();
        assert!(card.text().starts_with(reply.lines().next().unwrap()), "{}", card.text());
    }
    // What was changed is written, as with an answer by call.
    let answers = vec![code("sheet().set('E1', 'Checked')"), words("I added the column Checked.")];
    let (inbox, thread) = on_sales(answers).await;
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.output.unwrap()["answer"], "I added the column Checked.");
    assert_eq!(inbox.input_files(), ["notes.md", "sales.csv", "sales.result.xlsx"]);
}

#[tokio::test]
async fn words_after_code_are_the_answer_without_talk_and_only_if_they_are_one() {
    let checked = async |said: &str, check: Value| {
        let (inbox, thread) = on_sales(vec![code("print(180)"), words(said)]).await;
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

#[tokio::test]
async fn words_before_any_code_are_reminded_once_and_then_put_to_the_person() {
    // A reminder is often enough.
    let (inbox, thread) = on_sales(vec![words("I will sum it."), code("1")]).await;
    assert_eq!(inbox.action(&thread).await, "python");
    assert_contains(&inbox.model.last_words(), ["nothing was computed for this yet"]);

    let twice = || vec![words("Done."), words("The sheet has five rows.")];
    let (inbox, thread) = on_sales(twice()).await;
    let item = inbox.open_item(&thread).await;
    assert_eq!((item.kind.word(), item.action.as_str()), ("question", "unchecked_answer"));
    assert!(item.text.starts_with("The sheet has five rows."), "{}", item.text);
    assert!(item.text.contains("No code was run for this."), "{}", item.text);
    assert_eq!(inbox.model.requests().len(), 2);
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(outcome.output.unwrap()["answer"], "The sheet has five rows.");
    assert_eq!(inbox.model.requests().len(), 2);

    let (inbox, thread) = on_sales(twice()).await;
    assert_eq!(inbox.answer(&thread, Decision::Ignore).await.status, Status::Abandoned);

    let answers = twice().into_iter().chain([code("print(5)"), words("Five rows.")]).collect();
    let (inbox, thread) = on_sales(answers).await;
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

#[tokio::test]
async fn going_on_is_reminded_of_code_and_words_are_then_the_answer() {
    let answers = vec![
        code("print(180)"),
        words("North has 180."),
        words("I will do it by quarter."),
        words("One hundred and eighty."),
    ];
    let (inbox, thread) = on_sales(answers).await;
    inbox.answer(&thread, Decision::Accept).await;
    inbox.proceed(&thread, "in words, please").await;
    let outcome = inbox.outcome(&thread).await;
    assert_eq!((outcome.status, inbox.model.requests().len()), (Status::Done, 4));
    assert_eq!(outcome.output.unwrap()["answer"], "One hundred and eighty.");
}

#[tokio::test]
async fn the_step_limit_is_a_question_and_look_ups_are_steps() {
    let look = || Ok(Scripted::calls([("inform", json!({ "question": "Where is North?" }))]));
    let answers = vec![look(), code("1 + 1"), code("2 + 2"), finish("Enough.")];
    let inbox = with_sales("", answers);
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
    let (without, _) = on_sales(vec![finish("So.")]).await;
    let names: Vec<String> = without.model.requests()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["python", "finish"]);
}

#[tokio::test]
async fn a_grant_runs_the_rest_of_the_thread_without_asking() {
    let answers = vec![code("x = 1"), code("print(x + 1)"), finish("2")];
    let (inbox, thread) = on_sales(answers).await;
    let item = inbox.open_item(&thread).await;
    assert!(item.grantable.thread && item.grantable.sender.is_none());
    inbox.grant(&thread, GrantScope::Thread).await;
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done);
    let view = inbox.view(&thread).await;
    assert_eq!(view.decisions.len(), 2);
    assert!(matches!(view.decisions[1].by, DecidedBy::Grant(_)), "{:?}", view.decisions[1]);
}

#[tokio::test]
async fn state_is_made_again_from_what_was_accepted_and_going_on_keeps_it() {
    let answers = vec![
        code("kept = [1, 2, 3]\nsheet().set('F1', 'x')"),
        finish("Kept."),
        code("print(sum(kept), sheet().get('F1'))"),
        finish("6"),
    ];
    let (inbox, thread) = on_sales(answers).await;
    inbox.answer(&thread, Decision::Accept).await;
    // The file may be gone or changed by now: its bytes were kept.
    inbox.write_input("sales.csv", "other\n1\n");
    inbox.proceed(&thread, "now the sum").await;
    let outcome = inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(printed(&inbox, &thread, 1).await, "6 x\n");
    assert_eq!(inbox.view(&thread).await.decisions.len(), 2);
}

#[tokio::test]
async fn a_cell_that_was_stopped_leaves_nothing_behind() {
    let answers = vec![
        code("n = 1"),
        code("n = 2\nsheet().set('A1', 'gone')\nx = []\nwhile True:\n    x.append('a' * 1000000)"),
        code("print(n, sheet().get('A1'))"),
        finish("1"),
    ];
    let (inbox, thread) = on_sales(answers).await;
    inbox.answer(&thread, Decision::Accept).await;
    inbox.answer(&thread, Decision::Accept).await;
    let (text, _) = told(&inbox, 2);
    assert!(text.contains("memory") && text.contains("Nothing of this code counts"), "{text}");
    inbox.answer(&thread, Decision::Accept).await;
    assert_eq!(inbox.state(&thread).await["cells"].as_array().unwrap().len(), 2);
    assert_eq!(printed(&inbox, &thread, 1).await, "1 Region\n");
}

#[tokio::test]
async fn what_cannot_be_a_workbook_is_refused_before_anything_is_stored() {
    let inbox = with_sales("", vec![]);
    inbox.write_input("folder.xlsx/x.md", "");
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
