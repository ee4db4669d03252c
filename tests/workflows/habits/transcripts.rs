//! What a capable model says, written by hand in the form of a recording, and played to the end.

use super::jobs::{Job, run};
use sayso::agent::llm::{Model, ModelError, Replayer};
use sayso::agent::{Models, Picked};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The only model there is.
struct Replay(Arc<dyn Model>);

impl Models for Replay {
    fn pick(&self, _: &str, _: &str, _: Option<&str>) -> Result<Picked, ModelError> {
        let name = "replay".to_owned();
        Ok(Picked { model: self.0.clone(), name, builtin: false, person: false, server: None, window: None })
    }

    fn pick_only(&self, name: &str) -> Result<Picked, ModelError> {
        self.pick("", "", Some(name))
    }

    fn check_name(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn has_any(&self) -> bool {
        true
    }

    fn check_answers(&self, _: &str, _: &[&str], _: &Value) -> Result<(), String> {
        Ok(())
    }
}

#[tokio::test]
async fn transcripts_are_labelled_and_play_to_the_end() {
    for (job, name, asked) in [
        (Job::Email, "email", vec!["schedule_meeting", "write_email"]),
        (Job::Analyze, "analyze", vec!["analysis_question", "analysis_question"]),
        (Job::Sheet, "sheet", vec!["python"]),
        (Job::Docs, "docs", vec![]),
        (Job::Ask, "ask", vec![]),
    ] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/transcripts/{name}.jsonl"));
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert!(line["request"]["label"].as_str().unwrap().starts_with("written by hand"), "{line}");
        }
        let models: Arc<dyn Models> = Arc::new(Replay(Arc::new(Replayer::open(&path).unwrap())));
        let outcomes = run(job, &models, ["transcript"].into_iter()).await;
        let outcome = &outcomes["transcript"];
        assert!(outcome.ended() && outcome.troubles.is_empty(), "{name}: {outcome:#?}");
        let actions: Vec<&str> = outcome.asked.iter().map(|(action, _)| action.as_str()).collect();
        assert_eq!(actions, asked, "{name}");
    }
}
