//! What agents tell of their sessions, and what Claude Code remembers when it is told to.

use super::claude::bash;
use super::codex::shell;
use super::model::ToolCall;
use super::{Workplace, end, installed, kill_tree, wait_for, wait_until};
use serde_json::{Value, json};
use std::process::Child;

impl Workplace {
    pub(super) fn sessions(&self) -> Vec<Value> {
        serde_json::from_str(&self.sayso(&["sessions", "--json"])).unwrap()
    }

    /// The one session, once it is as it should be.
    pub(super) fn session(&self, is: impl Fn(&Value) -> bool) -> Value {
        let find = || {
            let all = self.sessions();
            let found = all.iter().find(|session| is(session)).cloned();
            assert!(found.is_none() || all.len() == 1, "{all:?}");
            found
        };
        wait_for(find, || format!("it never came to that: {:?}", self.sessions()))
    }

    pub(super) fn wait_until_no_session(&self) {
        wait_until(|| self.sessions().is_empty(), || format!("it stays: {:?}", self.sessions()));
    }

    /// Checks out a branch, as far as anybody reads it.
    fn on_branch(&self, name: &str) {
        std::fs::create_dir(self.project(".git")).unwrap();
        std::fs::write(self.project(".git/HEAD"), format!("ref: refs/heads/{name}\n")).unwrap();
    }
}

/// While its card waits the session does, and it ends with the agent, however that ends.
fn follow(call: fn() -> ToolCall, words: &[&str], agent: &str, start: &dyn Fn(&Workplace) -> Child) {
    let begin = || {
        let place = Workplace::connected(call(), words);
        place.on_branch("trunk");
        let mut child = start(&place);
        let item = place.item(&mut child);
        let waits = place.session(|session| session["interrupt"] == item["id"]);
        assert_eq!((&waits["agent"], &waits["state"]), (&json!(agent), &json!("waiting")), "{waits}");
        assert_eq!((&waits["waits_for"], &waits["branch"]), (&item["title"], &json!("trunk")), "{waits}");
        let project = place.path("project").canonicalize().unwrap();
        assert_eq!(waits["folder"].as_str(), project.to_str(), "{waits}");
        (place, child, item)
    };
    let (place, child, item) = begin();
    place.sayso(&["accept", item["id"].as_str().unwrap()]);
    end(child);
    place.wait_until_no_session();
    let (place, mut child, _) = begin();
    kill_tree(child.id());
    child.wait().unwrap();
    place.wait_until_no_session();
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_tells_of_its_session() {
    let Some(claude) = installed("claude") else { return };
    follow(|| bash("touch ran"), &["claude"], "claude-code", &|place| place.claude(&claude, &[]));
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_tells_of_its_session() {
    let Some(codex) = installed("codex") else { return };
    follow(|| shell("touch ran"), &["codex", "--all"], "codex", &|place| place.codex_exec(&codex));
}

#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn gemini_tells_of_its_session() {
    let Some(gemini) = installed("gemini") else { return };
    follow(super::gemini::shell, &["gemini"], "gemini", &|place| place.gemini(&gemini));
}

#[test]
#[ignore = "needs opencode; .ci/run installs it"]
fn opencode_tells_of_its_session() {
    let Some(opencode) = installed("opencode") else { return };
    let ask = json!({"*": "ask"});
    follow(super::opencode::bash, &["opencode"], "opencode", &|place| place.opencode_run(&opencode, &ask));
}

#[test]
#[ignore = "needs Claude Code, Codex, Gemini CLI and opencode; .ci/run installs them"]
fn hooks_that_only_report_block_nothing() {
    let read = |tool, input| ToolCall { tool, input };
    let programs = ["/nowhere/sayso", "false", "echo"];
    // What a hook says would be taken for the person's words.
    let finish = |place: Workplace, agent: Child| {
        end(agent);
        assert!(!place.model.heard("--hook"), "{}", place.tool_results());
    };
    for program in programs {
        if let Some(claude) = installed("claude") {
            let place = Workplace::connected(read("TodoWrite", json!({"todos": []})), &["claude"]);
            place.replace_sayso("claude/settings.json", program);
            let agent = place.claude(&claude, &[]);
            finish(place, agent);
        }
        if let Some(codex) = installed("codex") {
            let place = Workplace::connected(read("update_plan", json!({"plan": []})), &["codex"]);
            place.replace_sayso("codex/hooks.json", program);
            let agent = place.codex_exec(&codex);
            finish(place, agent);
        }
        if let Some(gemini) = installed("gemini") {
            let place = Workplace::connected(read("list_directory", json!({"dir_path": "."})), &["gemini"]);
            place.replace_sayso(".gemini/settings.json", program);
            let agent = place.gemini(&gemini);
            finish(place, agent);
        }
    }
    if let Some(opencode) = installed("opencode") {
        let place = Workplace::connected(read("glob", json!({"pattern": "*"})), &["opencode"]);
        let allow = json!({"*": "allow"});
        for program in ["/nowhere/sayso", "/bin/false"] {
            place.replace_sayso(".config/opencode/plugin/sayso.js", program);
            end(place.opencode_run(&opencode, &allow));
            place.connect(&["opencode"]);
        }
    }
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_remembers_what_it_is_told_to() {
    let Some(claude) = installed("claude") else { return };
    let again = |words: &[&str]| {
        let place = Workplace::connected(bash("git init -q ."), &["claude"]);
        let item = place.decide(place.claude(&claude, &[]), words);
        let offered = item["grantable"]["remember"][0]["words"].as_str().unwrap().to_owned();
        assert!(offered.contains("Bash(git init"), "{offered}");
        assert!(place.project(".git").exists());
        std::fs::remove_dir_all(place.project(".git")).unwrap();
        (place, offered)
    };
    let (place, offered) = again(&["accept", "--remember"]);
    // Nobody is asked any more.
    end(place.claude(&claude, &[]));
    assert!(place.project(".git").exists(), "{}", place.tool_results());
    let decisions: Vec<Value> = serde_json::from_str(&place.sayso(&["decisions", "--json"])).unwrap();
    assert_eq!(decisions.len(), 1, "{decisions:?}");
    let outcome = decisions[0]["outcome"].as_str().unwrap();
    assert!(outcome.contains(&format!("told to remember {offered}")), "{outcome}");
    let grants: Vec<Value> = serde_json::from_str(&place.sayso(&["grants", "--json"])).unwrap();
    assert!(grants.iter().all(|grant| grant["builtin"] == true), "{grants:?}");
    // What was only accepted is asked again.
    let (place, _) = again(&["accept"]);
    place.decide(place.claude(&claude, &[]), &["ignore"]);
    assert!(!place.project(".git").exists());
}
