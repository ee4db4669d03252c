//! Several agents that ask in one inbox at once.

use super::claude::bash;
use super::codex::shell;
use super::model::Model;
use super::{Workplace, end, installed, wait_for};

#[test]
#[ignore = "needs Claude Code and Codex; .ci/run installs them"]
fn two_agents_at_once_each_get_their_own_answer() {
    let (Some(claude), Some(codex)) = (installed("claude"), installed("codex")) else { return };
    for accepted in ["request: claude-code", "request: codex"] {
        let place = Workplace::connected(bash("true"), &["claude"]);
        place.connect(&["codex", "--all"]);
        let place =
            Workplace { model: Model::calling_each(vec![bash("touch ran"), shell("touch edited")]), ..place };
        let agents = [place.claude(&claude, &[]), place.codex_exec(&codex)];
        let both = || Some(place.list()).filter(|items| items.len() == 2);
        let items = wait_for(both, || format!("not both asked: {:?}", place.list()));
        for item in &items {
            let word = if item["source"] == accepted { "accept" } else { "ignore" };
            place.sayso(&[word, item["id"].as_str().unwrap()]);
        }
        agents.into_iter().for_each(end);
        let first = accepted == "request: claude-code";
        assert_eq!(place.ran(), [first, !first], "{accepted}: {}", place.tool_results());
    }
}
