//! LangGraph servers from a shell, where nobody drives.

use crate::runner::{Cli, CliOutput, captured};
use crate::support::langgraph::Server;
use serde_json::{Value, json};
use std::net::TcpListener;

/// The real program beside servers of these names and ports.
fn beside(servers: &[(&str, u16)]) -> Cli {
    let cli = Cli::new();
    let each = servers
        .iter()
        .map(|(name, port)| format!("[[server]]\nname = \"{name}\"\nurl = \"http://127.0.0.1:{port}\"\n"));
    cli.configure(&each.collect::<String>());
    cli
}

fn real(cli: &Cli, args: &[&str]) -> CliOutput {
    captured(cli.real().args(args).output().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn list_shows_what_doctor_counts() {
    let server = Server::open().await;
    server.langgraph.ask("agent", &json!("How old are you?"));
    let cli = beside(&[("lab", server.address.port())]);
    let checked = real(&cli, &["doctor"]).out;
    assert!(checked.contains("lab: LangGraph server 0.16.7, 1 thread is waiting"), "{checked}");
    let mut ids = Vec::new();
    for _ in 0..2 {
        let listed = real(&cli, &["list", "--json"]);
        assert_eq!((listed.code, listed.err.as_str()), (0, ""), "{listed:?}");
        let items: Value = serde_json::from_str(&listed.out).unwrap();
        assert_eq!((items.as_array().unwrap().len(), &items[0]["title"]), (1, &json!("How old are you?")));
        ids.push(items[0]["id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_keeps_no_other_from_being_listed() {
    let server = Server::open().await;
    server.langgraph.ask("agent", &json!("How old are you?"));
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
    // One that is down, one that hangs up on everybody, one that never answers, and one that stops in the middle.
    let down = port(&TcpListener::bind("127.0.0.1:0").unwrap());
    let (rude, silent) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    let stuck = Server::open().await;
    stuck.langgraph.ask("agent", &json!("Which colour?"));
    stuck.langgraph.lock().stuck = true;
    let servers = [
        ("down", down),
        ("rude", port(&rude)),
        ("silent", port(&silent)),
        ("stuck", stuck.address.port()),
        ("well", server.address.port()),
    ];
    std::thread::spawn(move || rude.incoming().for_each(drop));
    let listed = real(&beside(&servers), &["list"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    assert!(listed.out.contains("How old are you?"), "{listed:?}");
    let warned: Vec<&str> = listed.err.lines().collect();
    let expected = [
        (
            format!("warning: down: 127.0.0.1:{down} cannot be reached ("),
            "; its new questions are not listed",
        ),
        (
            format!("warning: rude: the connection to 127.0.0.1:{} broke off (", servers[1].1),
            "); its new questions are not listed",
        ),
        ("warning: silent: no answer within 5 seconds".to_owned(), "; its new questions are not listed"),
        ("warning: stuck: some threads could not be read".to_owned(), "; their questions are not listed"),
    ];
    assert_eq!(warned.len(), expected.len(), "{listed:?}");
    for (line, (begins, ends)) in warned.iter().zip(expected) {
        assert!(line.starts_with(&begins) && line.ends_with(ends), "{line}");
    }
}
