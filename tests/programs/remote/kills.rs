//! The real program killed around the resume: it is sent at most once, and in the end once.

use crate::support::langgraph::Server;
use serde_json::{Value, json};
use std::process::{Command, Output};

struct Program {
    home: tempfile::TempDir,
}

impl Program {
    fn new(server: &Server) -> Self {
        let home = tempfile::tempdir().unwrap();
        let config = format!(
            "[approvals]\nhold_seconds = 0\n[[server]]\nname = \"lab\"\nurl = \"{}\"\nevery_seconds = 1\n",
            server.url()
        );
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        Self { home }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command.env_clear().env("HOME", self.home.path()).args(args);
        command
            .arg("--data")
            .arg(self.home.path().join("data"))
            .arg("--config")
            .arg(self.home.path().join("config.toml"));
        command
    }

    async fn run(&self, args: &[&str], fail_point: Option<&str>) -> Output {
        let mut command = self.command(args);
        if let Some(point) = fail_point {
            command.env("SAYSO_FAIL_POINT", point);
        }
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    }

    async fn json(&self, args: &[&str]) -> Value {
        let mut args = args.to_vec();
        args.push("--json");
        let output = self.run(&args, None).await;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_around_the_resume() {
    let points = [
        "before_intent",
        "after_intent",
        "before_outcome",
        "after_outcome",
        "before_commit",
        "after_commit",
        "before_commit:2",
        "after_commit:2",
    ];
    for point in points {
        let server = Server::open().await;
        let program = Program::new(&server);
        server.langgraph.ask("agent", &json!("How old are you?"));
        let item = program.json(&["list"]).await[0].clone();
        let id = item["id"].as_str().unwrap().to_owned();
        let killed = program.run(&["respond", &id, "42", "--wait"], Some(point)).await;
        assert_eq!(
            std::os::unix::process::ExitStatusExt::signal(&killed.status),
            Some(9),
            "{point}: {killed:?}"
        );
        assert!(server.langgraph.resumes().len() <= 1, "{point}");
        let thread = item["thread"].as_str().unwrap();
        program.run(&["run"], None).await;
        let shown = program.json(&["show", thread]).await;
        assert_eq!(shown["status"], "done", "{point}: {shown:#}");
        let resumes = server.langgraph.resumes();
        assert_eq!(resumes.len(), 1, "{point}: {resumes:?}");
        assert!(resumes[0].contains(r#""resume":{"int1":"42"}"#), "{point}");
        assert_eq!(shown["state"]["status"], json!("idle"), "{point}");
    }
}
