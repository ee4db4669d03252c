//! The other APIs that are built in, answered in the shapes their documentation shows.

use super::*;

async fn everyday() -> AskInbox {
    AskInbox::with(knowing(), |port| {
        let api = |name: &str| {
            format!(
                "[apis.{name}]\nhosts = [\"http://127.0.0.1:{port}\"]\nprivate = [\"127.0.0.1:{port}\"]\n"
            )
        };
        api("frankfurter") + &api("wikipedia")
    })
    .await
}

#[tokio::test]
async fn exchange_rates_are_asked_for_by_code_and_by_name() {
    let inbox = everyday().await;
    let rate = json!({"date": "2026-07-03", "base": "EUR", "quote": "USD", "rate": 1.1416});
    inbox.server.tell("/v2/rate/", [Reply::Json(200, rate)]);
    for question in [
        "What is the exchange rate from EUR to USD?",
        "How much is one euro in dollars?",
        "exchange rate of the euro to the dollar",
    ] {
        let answer = inbox.answer_to(question).await;
        assert_eq!(inbox.server.lines().pop().unwrap(), "GET /v2/rate/EUR/USD", "{question}: {answer}");
        assert!(answer.contains("- rate: 1.1416\n- date: 2026-07-03"), "{answer}");
    }
    let rows = json!([
        {"date": "2026-07-03", "base": "USD", "quote": "EUR", "rate": 0.87598},
        {"date": "2026-07-03", "base": "USD", "quote": "TWD", "rate": 31.913}
    ]);
    inbox.server.tell("/v2/rates", [Reply::Json(200, rows)]);
    let answer = inbox.answer_to("list the exchange rates for USD").await;
    assert!(answer.contains("1. \"EUR\" (0.87598 for one unit)"), "{answer}");
    assert_eq!(inbox.server.lines().pop().unwrap(), "GET /v2/rates?base=USD");
    inbox.server.tell(
        "/v1/currencies",
        [Reply::Json(200, json!({"AUD": "Australian Dollar", "BGN": "Bulgarian Lev"}))],
    );
    let answer = inbox.answer_to("which currencies are there?").await;
    assert!(answer.contains("- AUD: Australian Dollar"), "{answer}");
}

#[tokio::test]
async fn wikipedia_is_searched_and_told() {
    let inbox = everyday().await;
    let page = json!({
        "id": 38930, "key": "Jupiter", "title": "Jupiter",
        "excerpt": "<span class=\"searchmatch\">Jupiter</span> is the fifth planet from the Sun",
        "matched_title": null, "description": "fifth planet from the Sun and largest planet in the Solar System",
        "thumbnail": {"mimetype": "image/jpeg", "size": null, "width": 200, "height": 200, "duration": null, "url": "//upload.wikimedia.org/x.jpg"}
    });
    let other = json!({"id": 1, "key": "Jupiter_(god)", "title": "Jupiter (god)", "excerpt": "", "matched_title": null, "description": null, "thumbnail": null});
    inbox.server.tell("/w/rest.php/v1/search/page", [Reply::Json(200, json!({"pages": [page, other]}))]);
    let summary = json!({
        "type": "standard", "title": "Jupiter", "displaytitle": "Jupiter", "pageid": 38930,
        "description": "Fifth planet from the Sun", "extract": "Jupiter is the fifth planet from the Sun.",
        "content_urls": {"desktop": {"page": "https://en.wikipedia.org/wiki/Jupiter"}}
    });
    inbox.server.tell("/api/rest_v1/page/summary/Jupiter", [Reply::Json(200, summary)]);
    let answer = inbox.answer_to("What does Wikipedia say about Jupiter?").await;
    assert!(answer.contains("- says: Jupiter is the fifth planet from the Sun."), "{answer}");
    assert!(answer.contains("- link: https://en.wikipedia.org/wiki/Jupiter"), "{answer}");
    let answer = inbox.answer_to("Search Wikipedia for \"Jupiter\"").await;
    assert!(answer.contains("1. \"Jupiter\" (fifth planet from the Sun and largest"), "{answer}");
    assert_eq!(inbox.server.lines().pop().unwrap(), "GET /w/rest.php/v1/search/page?q=Jupiter&limit=10");
}
