//! What a model says to the questions of these tests.

use super::*;

/// A question with what was added to it (after `+`), the operation that answers it (and the one to ask next), and the
/// parameters it gives.
const ROWS: &str = r#"
Add a task with list=home and title="Buy tea" | tasks/add_task | {"list": "home", "title": "Buy tea"}
Add a task with list=home and title="Buy tea"+title="Buy milk" please | tasks/add_task | {"list": "home", "title": "Buy milk"}
And the trending playlists? | audius/trending_playlists | {}
And this month? | audius/trending_tracks | {"time": "month"}
How much is one euro in dollars? | frankfurter/exchange_rate | {"base": "EUR", "quote": "USD"}
List tasks with list=home | tasks/list_tasks | {"list": "home"}
List tasks with list=work | tasks/list_tasks | {"list": "work"}
Search Wikipedia for "Jupiter" | wikipedia/search_articles | {"q": "Jupiter"}
Tell me about the artist "Skrillex" and their tracks | audius/get_user audius/user_tracks | {"user_id": "Skrillex"}
Tell me about the playlist "Night Drive" | audius/get_playlist | {"playlist_id": "Night Drive"}
Tell me about the track "Echo" | audius/get_track | {"track_id": "Echo"}
Tell me about the track "Gone" | audius/get_track | {"track_id": "Gone"}
Tell me about the track "Night Drive" | audius/get_track | {"track_id": "Night Drive"}
What does Wikipedia say about Jupiter? | wikipedia/article_summary | {"title": "Jupiter"}
What is the exchange rate from EUR to USD? | frankfurter/exchange_rate | {"base": "EUR", "quote": "USD"}
Which tracks are on the playlist "Night Drive"? | audius/playlist_tracks | {"playlist_id": "Night Drive"}
Who are the followers of Skrillex? | audius/user_followers | {"user_id": "Skrillex"}
Who are the followers of the artist? | audius/user_followers | {}
Who follows them? | audius/user_followers | {"user_id": "Skrillex"}
Who is Skrillex? | audius/get_user | {"user_id": "Skrillex"}
exchange rate of the euro to the dollar | frankfurter/exchange_rate | {"base": "EUR", "quote": "USD"}
find tracks | audius/search_tracks | {}
followers of the user | audius/user_followers | {}
list tasks with list=home | tasks/list_tasks | {"list": "home"}
list the exchange rates for USD | frankfurter/exchange_rates | {"base": "USD"}
more trending tracks | audius/trending_tracks | {}
tracks by Skrillex | audius/user_tracks | {"user_id": "Skrillex"}
trending playlists | audius/trending_playlists | {}
trending tracks | audius/trending_tracks | {}
which currencies are there? | frankfurter/currencies | {}
"#;

/// The answer to a request; no API answers what is not listed.
pub fn answer(request: &Request) -> Value {
    let prompt = words(request);
    let told = |line: &str| {
        Some(line.strip_prefix("The question: ").or(line.strip_prefix("The person added: "))?.to_owned())
    };
    let question = prompt.lines().filter_map(told).collect::<Vec<_>>().join("+");
    let mut rows = ROWS.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let row = rows.find(|row| row[0] == question && row.len() == 3).unwrap_or(vec!["", "", "{}"]);
    let parameters = serde_json::from_str::<Value>(row[2]).unwrap();
    let mut apis = row[1].split_whitespace();
    match request.task.as_str() {
        "ask.select" => json!({"api": apis.next(), "secondary_api": apis.next(), "parameters": parameters}),
        _ => json!({ "parameters": parameters }),
    }
}
