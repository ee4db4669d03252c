//! LangGraph servers from a shell, where nobody drives.

use crate::runner::{Cli, json, run, spawn};
use crate::support::langgraph::Server;
use serde_json::json;
use std::net::TcpListener;

/// A server that asks this.
async fn asking(question: &str) -> Server {
    let server = Server::open().await;
    server.langgraph.ask("agent", &json!(question));
    server
}

/// The real program beside servers of these names and ports.
fn beside(servers: &[(&str, u16)]) -> Cli {
    let cli = Cli::new();
    let each = servers
        .iter()
        .map(|(name, port)| format!("[[server]]\nname = \"{name}\"\nurl = \"http://127.0.0.1:{port}\"\n"));
    cli.configure(&each.collect::<String>());
    cli
}

#[tokio::test(flavor = "multi_thread")]
async fn list_shows_what_doctor_counts() {
    let server = asking("How old are you?").await;
    let cli = beside(&[("lab", server.address.port())]);
    let checked = run(&cli, &["doctor"]).out;
    assert!(checked.contains("lab: LangGraph server 0.16.7, 1 thread is waiting"), "{checked}");
    let first = json(&cli, &["list"]);
    assert_eq!((first.as_array().unwrap().len(), &first[0]["title"]), (1, &json!("How old are you?")));
    assert_eq!(json(&cli, &["list"])[0]["id"], first[0]["id"]);
    assert_eq!(run(&cli, &["list"]).err, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_keeps_no_other_from_being_listed() {
    let well = asking("How old are you?").await;
    // One that lists its threads, and reading one of them takes forever.
    let stuck = asking("Which colour?").await;
    stuck.langgraph.lock().stuck = true;
    // One that is down, one that hangs up on everybody, and one that never answers.
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let down = port(&TcpListener::bind("127.0.0.1:0").unwrap());
    let (rude, silent) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let rude_port = port(&rude);
    std::thread::spawn(move || rude.incoming().for_each(drop));
    let well = ("well", well.address.port());
    let unreached = beside(&[("down", down), ("rude", rude_port), ("silent", port(&silent)), well]);
    let unread = beside(&[("stuck", stuck.address.port()), well]);
    // Both at once, because each takes as long as a person waits for a server.
    let lists = [spawn(&unreached, &["list"]), spawn(&unread, &["list"])];
    let down = format!("down: 127.0.0.1:{down} cannot be reached (");
    let rude = format!("rude: the connection to 127.0.0.1:{rude_port} broke off (");
    let unlisted = "; its new questions are not listed";
    let expected = [
        vec![
            (down.as_str(), unlisted),
            (&rude, "); its new questions are not listed"),
            ("silent: no answer within 5 seconds", unlisted),
        ],
        vec![("stuck: some threads could not be read", "; their questions are not listed")],
    ];
    for (listing, expected) in lists.into_iter().zip(expected) {
        let listed = listing.wait();
        assert!(listed.code == 0 && listed.out.contains("How old are you?"), "{listed:?}");
        let warned: Vec<&str> = listed.err.lines().collect();
        assert_eq!(warned.len(), expected.len(), "{listed:?}");
        for (line, (begins, ends)) in warned.iter().zip(expected) {
            assert!(line.starts_with(&format!("warning: {begins}")) && line.ends_with(ends), "{line}");
        }
    }
}
