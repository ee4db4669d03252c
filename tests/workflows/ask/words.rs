//! Questions in plain words, with the built-in rules: what is asked of the server, and what is said in the end.

use super::ask_inbox::AskInbox;

#[tokio::test]
async fn common_questions_reach_the_right_operation() {
    let inbox = AskInbox::by_rules().await;
    let me = "/v1/users/U2";
    let mut wrong = Vec::new();
    for (question, path) in [
        ("What are the trending tracks on Audius?", "/v1/tracks/trending?time=week&limit=10"),
        ("what are the trending tracks on audius this month", "/v1/tracks/trending?time=month&limit=10"),
        ("Top 5 hip-hop songs of all time", "/v1/tracks/trending?time=allTime&genre=Hip-Hop%2FRap&limit=5"),
        (
            "Which deep house tracks are popular this year?",
            "/v1/tracks/trending?time=year&genre=Deep+House&limit=10",
        ),
        ("Show me the underground trending tracks", "/v1/tracks/trending/underground?limit=10"),
        ("trending playlists", "/v1/playlists/trending?time=week&limit=10"),
        ("Find tracks about \"night drive\"", "/v1/tracks/search?query=night+drive&limit=10"),
        ("Search for the playlist Morning", "/v1/playlists/search?query=Morning&limit=10"),
        ("find users called skrillex", "/v1/users/search?query=skrillex&limit=10"),
        ("Who is Skrillex?", me),
        ("How many followers does Skrillex have?", me),
        ("Tell me about the artist Skrillex", me),
        ("tracks by Skrillex", "/v1/users/U2/tracks?limit=10"),
        ("What are Skrillex's top tracks?", "/v1/users/U2/tracks?limit=10"),
        ("Who are the followers of Skrillex?", "/v1/users/U2/followers?limit=10"),
        ("Who follows Skrillex?", "/v1/users/U2/followers?limit=10"),
        ("Who does Skrillex follow?", "/v1/users/U2/following?limit=10"),
        ("playlists by @skrillex", "/v1/users/U2/playlists?limit=10"),
        ("Who supports Skrillex?", "/v1/users/U2/supporters?limit=10"),
        ("artists similar to Skrillex", "/v1/users/U2/related?limit=10"),
        ("Tell me about the track \"Example Track\"", "/v1/tracks/D7KyD"),
        ("How many plays does the song 'Second Song' have?", "/v1/tracks/T2"),
        ("Who reposted the track \"Example Track\"?", "/v1/tracks/D7KyD/reposts?limit=10"),
        ("Who favourited the song “Example Track”?", "/v1/tracks/D7KyD/favorites?limit=10"),
        ("Tell me about the playlist \"Night Drive\"", "/v1/playlists/P1"),
        ("Which tracks are on the playlist \"Night Drive\"?", "/v1/playlists/P1/tracks?limit=10"),
        ("top genres", "/v1/metrics/genres?limit=20"),
        ("Show the latest tips", "/v1/tips?limit=10"),
    ] {
        let thread = inbox.ask(question).await;
        let asked = inbox.server.asked().pop().unwrap_or_default();
        if asked != format!("GET {path}") || inbox.outcome(&thread).await.output.is_none() {
            let outcome = inbox.outcome(&thread).await;
            wrong.push(format!(
                "{question}: {asked} and not {path}; {:?} {:?}",
                outcome.status, outcome.error
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
