//! Several agents that ask in one inbox at once.

use super::claude::bash;
use super::codex::shell;
use super::model::Model;
use super::{Workplace, end, installed};
use serde_json::Value;

#[test]
#[ignore = "needs Claude Code and Codex; .ci/run installs them"]
fn two_agents_at_once_get_each_its_own_answer() {
    let (Some(claude), Some(codex)) = (installed("claude"), installed("codex")) else { return };
    for accepted in ["request: claude-code", "request: codex"] {
        let place = Workplace::connected(bash("true"), &["claude"]);
        place.connect(&["codex", "--all"]);
        let place =
            Workplace { model: Model::calling_each(vec![bash("touch ran"), shell("touch edited")]), ..place };
        let agents = [place.claude(&claude, &[]), place.codex_exec(&codex)];
        let begun = std::time::Instant::now();
        let mut items: Vec<Value> = Vec::new();
        while items.len() < 2 {
            assert!(begun.elapsed().as_secs() < 60, "not both asked: {items:?}");
            items = place.list();
        }
        for item in &items {
            let word = if item["source"] == accepted { "accept" } else { "ignore" };
            place.sayso(&[word, item["id"].as_str().unwrap()]);
        }
        agents.into_iter().for_each(end);
        let first = accepted == "request: claude-code";
        assert_eq!(place.ran(), [first, !first], "{accepted}: {}", place.told());
    }
}
