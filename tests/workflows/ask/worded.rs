//! What a reply alone does not answer: the model computes and words it, and every figure is borne out or marked.

use super::*;

/// Asks how much 250 EUR are with a model that words the reply like this.
async fn converted(says: Value) -> (AskInbox, String) {
    let model = FakeModel::by(move |request| {
        let parameters = json!({"base": "EUR", "quote": "USD"});
        let rest = "convert 250 EUR";
        Ok(match request.task.as_str() {
            "ask.answer" => says.as_str().map_or_else(|| Scripted::json(&says), Scripted::text),
            _ => Scripted::json(
                &json!({"api": "frankfurter/exchange_rate", "parameters": parameters, "rest": rest}),
            ),
        })
    });
    let inbox = AskInbox::with(model, |port| {
        format!(
            "[apis.frankfurter]\nhosts = [\"http://127.0.0.1:{port}\"]\nprivate = [\"127.0.0.1:{port}\"]\n"
        )
    })
    .await;
    let rate = json!({"date": "2026-07-03", "base": "EUR", "quote": "USD", "rate": 1.0834});
    inbox.server.tell("/v2/rate/", [Reply::Json(200, rate)]);
    let answer = inbox.answer_to("How much is 250 EUR in USD?").await;
    (inbox, answer)
}

const REPLY: &str =
    "Exchange Rate (base EUR, quote USD):\n\n- from: EUR\n- to: USD\n- rate: 1.0834\n- date: 2026-07-03";

#[tokio::test]
async fn a_computed_figure_is_shown_with_its_computation() {
    let computation = json!({"by": "*", "of": [250, 1.0834], "result": 270.85});
    let says = json!({"words": "250 EUR are 270.85 USD.", "computations": [computation]});
    let (inbox, answer) = converted(says).await;
    assert_eq!(answer, format!("250 EUR are 270.85 USD.\n\n250 × 1.0834 = 270.85\n\n{REPLY}"));
    let tasks: Vec<String> = inbox.model.requests().into_iter().map(|request| request.task).collect();
    assert_eq!(tasks, ["ask.select", "ask.answer"]);
    assert_contains(&inbox.model.last_words(), ["\"rate\":1.0834", "Left to do with it: convert 250 EUR"]);
}

#[tokio::test]
async fn a_figure_that_nothing_bears_out_is_marked() {
    let (_, answer) = converted(json!({"words": "250 EUR are about 280 USD at 1.08."})).await;
    let marked =
        "250 EUR are about 280 [?] USD at 1.08.\n\n[?] is neither in the reply nor computed from it.";
    assert_eq!(answer, format!("{marked}\n\n{REPLY}"));
}

#[tokio::test]
async fn without_words_that_can_be_read_the_reply_stays_and_what_is_open_is_said() {
    for says in [json!("I would rather not."), json!({"words": "  "})] {
        let (_, answer) = converted(says).await;
        assert_eq!(answer, format!("{REPLY}\n\nLeft open: convert 250 EUR"));
    }
}

#[tokio::test]
async fn what_the_reply_answers_takes_one_call() {
    let inbox = AskInbox::new().await;
    inbox.answer_to("trending tracks").await;
    assert_eq!(inbox.model.requests().len(), 1);
}
