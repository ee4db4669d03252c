//! What a model says to the questions of these tests.

use super::*;

/// A question with what was added to it (after `+`), the operations that may answer it, the thing it names, and the
/// parameters it gives.
const ROWS: &str = r#"
Add a task with list=home and title="Buy tea" | Add Task, List Tasks | | {"list": "home", "title": "Buy tea"}
Add a task with list=home and title="Buy tea"+title="Buy milk" please | Add Task | | {"list": "home", "title": "Buy milk"}
And the trending playlists? | Get Trending Playlists, Get Trending Tracks | | {}
And this month? | Get Trending Tracks | | {"time": "month"}
How much is one euro in dollars? | Get Exchange Rate | | {"base": "EUR", "quote": "USD"}
List tasks with list=home | List Tasks | | {"list": "home"}
List tasks with list=work | List Tasks | | {"list": "work"}
Search Wikipedia for "Jupiter" | Search Articles, Get Article Summary | | {"q": "Jupiter"}
Tell me about the artist "Skrillex" and their tracks | Get User, Get User Tracks | user Skrillex | {}
Tell me about the playlist "Night Drive" | Get Playlist, Search Playlists | playlist Night Drive | {}
Tell me about the track "Echo" | Get Track, Search Tracks | track Echo | {}
Tell me about the track "Gone" | Get Track, Search Tracks | track Gone | {}
Tell me about the track "Night Drive" | Get Track, Search Tracks | track Night Drive | {}
Trending underground tracks in Techno | Get Underground Trending Tracks, Get Trending Tracks | | {}
What does Wikipedia say about Jupiter? | Get Article Summary | article Jupiter | {}
What is the exchange rate from EUR to USD? | Get Exchange Rate | | {"base": "EUR", "quote": "USD"}
Which tracks are on the playlist "Night Drive"? | Get Playlist Tracks | playlist Night Drive | {}
Who are the followers of Skrillex? | Get Followers | user Skrillex | {}
Who are the followers of the artist? | Get Followers | | {}
Who follows them? | Get Followers, Get Following | user Skrillex | {}
Who is Skrillex? | Get User | user Skrillex | {}
exchange rate of the euro to the dollar | Get Exchange Rate | | {"base": "EUR", "quote": "USD"}
find tracks | Search Tracks | | {}
followers of the user | Get Followers | | {}
list tasks with list=home | List Tasks | | {"list": "home"}
list the exchange rates for USD | List Exchange Rates, Get Exchange Rate | | {"base": "USD"}
more trending tracks | Get Trending Tracks | | {}
tracks by Skrillex | Get User Tracks | user Skrillex | {}
trending playlists | Get Trending Playlists, Get Trending Tracks | | {}
trending tracks | Get Trending Tracks | | {}
which currencies are there? | List Currencies | | {}
"#;

/// The answer to a request; no API answers what is not listed.
pub fn answer(request: &Request) -> Value {
    let prompt = words(request);
    let told = |line: &str| {
        Some(line.strip_prefix("The question: ").or(line.strip_prefix("The person added: "))?.to_owned())
    };
    let question = prompt.lines().filter_map(told).collect::<Vec<_>>().join("+");
    let rows = ROWS.lines().filter(|line| !line.is_empty());
    let mut rows = rows.map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let row = rows.find(|row| row[0] == question).unwrap_or(vec!["", "", "", "{}"]);
    let tools: Vec<&str> = row[1].split(", ").filter(|tool| !tool.is_empty()).collect();
    let entity = row[2].split_once(' ');
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
        _ => json!({ "parameters": serde_json::from_str::<Value>(row[3]).unwrap() }),
    }
}
