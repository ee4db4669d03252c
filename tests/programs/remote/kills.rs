//! The real program killed around the resume: it is sent at most once, and in the end once.

use crate::runner::{Cli, json, run, text};
use crate::support::langgraph::Server;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_around_the_resume() {
    let effect = ["before_intent", "after_intent", "before_outcome", "after_outcome"];
    let commits = ["before_commit", "after_commit", "before_commit:2", "after_commit:2"];
    for point in effect.into_iter().chain(commits) {
        let server = Server::open().await;
        let cli = Cli::new();
        cli.configure(&format!(
            "[approvals]\nhold_seconds = 0\n[[server]]\nname = \"lab\"\nurl = \"{}\"\nevery_seconds = 1\n",
            server.url()
        ));
        server.langgraph.ask("agent", &json!("How old are you?"));
        let item = json(&cli, &["list"])[0].clone();
        cli.killed_at(point, &["respond", &text(&item["id"]), "42", "--wait"]);
        assert!(server.langgraph.resumes().len() <= 1, "{point}");
        run(&cli, &["run"]);
        let shown = json(&cli, &["show", &text(&item["thread"])]);
        assert_eq!(
            (&shown["status"], &shown["state"]["status"]),
            (&json!("done"), &json!("idle")),
            "{point}"
        );
        let resumes = server.langgraph.resumes();
        assert_eq!(resumes.len(), 1, "{point}: {resumes:?}");
        assert!(resumes[0].contains(r#""resume":{"int1":"42"}"#), "{point}");
    }
}
