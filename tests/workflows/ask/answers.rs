//! What a model says to the questions of these tests.

use crate::support::fake_model::words;
use sayso::llm::Request;
use serde_json::{Value, json};

/// A question with what was added to it, the operations that may answer it, the kind and the name of the thing it names,
/// and the parameters it gives.
type Row = (&'static str, &'static [&'static str], Option<(&'static str, &'static str)>, &'static str);

const ROWS: &[Row] = &[
    (
        "Add a task with list=home and title=\"Buy tea\"",
        &["Add Task", "List Tasks"],
        None,
        r#"{"list": "home", "title": "Buy tea"}"#,
    ),
    (
        "Add a task with list=home and title=\"Buy tea\"\ntitle=\"Buy milk\" please",
        &["Add Task"],
        None,
        r#"{"list": "home", "title": "Buy milk"}"#,
    ),
    ("And the trending playlists?", &["Get Trending Playlists", "Get Trending Tracks"], None, "{}"),
    ("And this month?", &["Get Trending Tracks"], None, r#"{"time": "month"}"#),
    ("How much is one euro in dollars?", &["Get Exchange Rate"], None, r#"{"base": "EUR", "quote": "USD"}"#),
    ("List tasks with list=home", &["List Tasks"], None, r#"{"list": "home"}"#),
    ("List tasks with list=work", &["List Tasks"], None, r#"{"list": "work"}"#),
    (
        "Search Wikipedia for \"Jupiter\"",
        &["Search Articles", "Get Article Summary"],
        None,
        r#"{"q": "Jupiter"}"#,
    ),
    (
        "Tell me about the artist \"Skrillex\" and their tracks",
        &["Get User", "Get User Tracks"],
        Some(("user", "Skrillex")),
        "{}",
    ),
    (
        "Tell me about the playlist \"Night Drive\"",
        &["Get Playlist", "Search Playlists"],
        Some(("playlist", "Night Drive")),
        "{}",
    ),
    ("Tell me about the track \"Echo\"", &["Get Track", "Search Tracks"], Some(("track", "Echo")), "{}"),
    ("Tell me about the track \"Gone\"", &["Get Track", "Search Tracks"], Some(("track", "Gone")), "{}"),
    (
        "Tell me about the track \"Night Drive\"",
        &["Get Track", "Search Tracks"],
        Some(("track", "Night Drive")),
        "{}",
    ),
    (
        "Trending underground tracks in Techno",
        &["Get Underground Trending Tracks", "Get Trending Tracks"],
        None,
        "{}",
    ),
    ("What does Wikipedia say about Jupiter?", &["Get Article Summary"], Some(("article", "Jupiter")), "{}"),
    (
        "What is the exchange rate from EUR to USD?",
        &["Get Exchange Rate"],
        None,
        r#"{"base": "EUR", "quote": "USD"}"#,
    ),
    (
        "Which tracks are on the playlist \"Night Drive\"?",
        &["Get Playlist Tracks"],
        Some(("playlist", "Night Drive")),
        "{}",
    ),
    ("Who are the followers of Skrillex?", &["Get Followers"], Some(("user", "Skrillex")), "{}"),
    ("Who are the followers of the artist?", &["Get Followers"], None, "{}"),
    ("Who follows them?", &["Get Followers", "Get Following"], Some(("user", "Skrillex")), "{}"),
    ("Who is Skrillex?", &["Get User"], Some(("user", "Skrillex")), "{}"),
    (
        "exchange rate of the euro to the dollar",
        &["Get Exchange Rate"],
        None,
        r#"{"base": "EUR", "quote": "USD"}"#,
    ),
    ("find tracks", &["Search Tracks"], None, "{}"),
    ("followers of the user", &["Get Followers"], None, "{}"),
    ("list tasks with list=home", &["List Tasks"], None, r#"{"list": "home"}"#),
    (
        "list the exchange rates for USD",
        &["List Exchange Rates", "Get Exchange Rate"],
        None,
        r#"{"base": "USD"}"#,
    ),
    ("more trending tracks", &["Get Trending Tracks"], None, "{}"),
    ("tracks by Skrillex", &["Get User Tracks"], Some(("user", "Skrillex")), "{}"),
    ("trending playlists", &["Get Trending Playlists", "Get Trending Tracks"], None, "{}"),
    ("trending tracks", &["Get Trending Tracks"], None, "{}"),
    ("which currencies are there?", &["List Currencies"], None, "{}"),
];

/// The answer to a request; no API answers what is not listed.
pub fn answer(request: &Request) -> Value {
    let prompt = words(request);
    let told = |line: &str| {
        Some(line.strip_prefix("The question: ").or(line.strip_prefix("The person added: "))?.to_owned())
    };
    let question = prompt.lines().filter_map(told).collect::<Vec<_>>().join("\n");
    let row = ROWS.iter().find(|(known, ..)| *known == question);
    let (_, tools, entity, parameters) = row.copied().unwrap_or(("", &[], None, "{}"));
    match request.task.as_str() {
        "ask.category" => json!({
            "query_type": "test",
            "categories": tools,
            "is_entity_query": entity.is_some(),
            "entity_type": entity.map(|(kind, _)| kind),
            "entity_name": entity.map(|(_, name)| name),
            "complexity": if question.contains(" and their ") { "complex" } else { "simple" },
        }),
        "ask.select" => {
            let name = |line: &str| Some(line.strip_prefix("- ")?.split(": ").next()?.to_owned());
            let names: Vec<String> = prompt.lines().filter_map(name).collect();
            json!({ "api": names[0], "secondary_api": names.get(1) })
        }
        _ => json!({ "parameters": serde_json::from_str::<Value>(parameters).unwrap() }),
    }
}
