//! Agents in their own windows: Claude Code and Codex in tmux, answered here and there, and brought to the front. kitty
//! and WezTerm cannot be run here; what they are told is tested by its arguments alone (`tools::terminal`).

use super::claude::bash;
use super::codex::asking;
use super::model::ToolCall;
use super::{SAYSO, Workplace, installed, wait_for, wait_until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

/// A tmux server of its own; it ends with the test.
pub(super) struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    /// One in whose only window this runs; `None` where there is no tmux.
    pub(super) fn running(place: &Workplace, name: &str, command: &Command) -> Option<Self> {
        let tmux = Self { socket: place.path(name) };
        let mut start = Command::new("tmux");
        start.env_clear().env("PATH", std::env::var_os("PATH")?).env("TERM", "xterm-256color");
        start.arg("-S").arg(&tmux.socket).args([
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "120",
            "-y",
            "40",
        ]);
        for (name, value) in command.get_envs() {
            start.arg("-e").arg(format!("{}={}", name.to_str()?, value?.to_str()?));
        }
        start.arg("-c").arg(command.get_current_dir().unwrap_or(Path::new("/")));
        start.arg(command.get_program()).args(command.get_args());
        match start.output() {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(_) => {
                eprintln!("skipped: there is no tmux");
                return None;
            }
        }
        Some(tmux)
    }

    fn tmux(&self, words: &[&str]) -> Output {
        Command::new("tmux").arg("-S").arg(&self.socket).args(words).env_remove("TMUX").output().unwrap()
    }

    fn run(&self, words: &[&str]) -> String {
        let output = self.tmux(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(super) fn screen(&self) -> String {
        self.run(&["capture-pane", "-p", "-t", "%0"])
    }

    /// Waits until this stands on the screen.
    pub(super) fn wait_for_text(&self, text: &str) {
        let missing = || format!("`{text}` never came:\n{}", self.screen());
        wait_until(|| self.screen().contains(text), missing);
    }

    fn press(&self, keys: &[&str]) {
        self.run(&[&["send-keys", "-t", "%0"], keys].concat());
    }

    /// Presses a key until that has done something: a dialog takes no key in its first moment.
    pub(super) fn press_until(&self, key: &str, done: impl Fn() -> bool) {
        let mut pressed: Option<Instant> = None;
        let press = || {
            if done() {
                return true;
            }
            if pressed.is_none_or(|pressed| pressed.elapsed().as_secs() >= 3) {
                self.press(&[key]);
                pressed = Some(Instant::now());
            }
            false
        };
        wait_until(press, || format!("{key} does nothing:\n{}", self.screen()));
    }

    /// Types a line, and sends it once it stands there.
    fn enter(&self, line: &str) {
        self.press(&["-l", line]);
        self.wait_for_text(line);
        self.press(&["Enter"]);
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

impl Workplace {
    fn claude_window(&self, program: &Path) -> Option<Tmux> {
        let manual = ["--permission-mode", "default"];
        self.claude_window_with(program, &manual, |tmux| tmux.wait_for_text("for shortcuts"))
    }

    /// In auto mode, as it starts by itself.
    fn claude_window_in_auto_mode(&self, program: &Path) -> Option<Tmux> {
        self.claude_window_with(program, &[], |tmux| tmux.wait_for_text("auto mode on"))
    }

    /// In the manual mode of its settings: it offers auto mode first.
    fn claude_window_in_manual_mode(&self, program: &Path) -> Option<Tmux> {
        self.claude_window_with(program, &[], |tmux| {
            tmux.wait_for_text("No, keep manual mode");
            tmux.press_until("Down", || tmux.screen().contains("❯ No, keep manual mode"));
            tmux.press_until("Enter", || tmux.screen().contains("for shortcuts"));
        })
    }

    fn claude_window_with(&self, program: &Path, flags: &[&str], ready: impl Fn(&Tmux)) -> Option<Tmux> {
        let mut command = self.claude_command(program);
        // Auto mode's check is a part of Anthropic's server; this makes it a question to the model.
        command.env("TERM", "xterm-256color").env("CLAUDE_CODE_AUTO_MODE_SERVER", "0").args(flags);
        let tmux = Tmux::running(self, "tmux", &command)?;
        ready(&tmux);
        tmux.enter("Do it.");
        Some(tmux)
    }

    fn codex_window(&self, program: &Path) -> Option<Tmux> {
        self.configure_codex("on-request", "workspace-write");
        self.trust_project();
        let mut command = self.at_home(program);
        command.env("TERM", "xterm-256color").arg("--dangerously-bypass-hook-trust");
        let tmux = Tmux::running(self, "tmux", &command)?;
        self.ask_codex(&tmux);
        Some(tmux)
    }

    /// Lets Codex work in the project without asking about that first.
    pub(super) fn trust_project(&self) {
        let project = self.path("project").canonicalize().unwrap();
        let config = self.path("codex/config.toml");
        let mut text = std::fs::read_to_string(&config).unwrap();
        text += &format!("\n[projects.{:?}]\ntrust_level = \"trusted\"\n", project.to_str().unwrap());
        std::fs::write(&config, text).unwrap();
    }

    pub(super) fn ask_codex(&self, tmux: &Tmux) {
        tmux.wait_for_text("? for shortcuts");
        tmux.enter("Do it.");
    }

    /// The one card, once it is there.
    fn card(&self, tmux: &Tmux) -> Value {
        let missing = || format!("it never asked:\n{}", tmux.screen());
        wait_for(|| self.list().into_iter().next(), missing)
    }

    /// The error of an accept that comes too late.
    pub(super) fn accepted_late(&self, item: &Value) -> String {
        let late = self.at_home(SAYSO).args(["accept", item["id"].as_str().unwrap()]).output().unwrap();
        assert_eq!(late.status.code(), Some(3), "{late:?}");
        String::from_utf8(late.stderr).unwrap()
    }

    fn wait_until_ran(&self, tmux: &Tmux) {
        wait_until(|| self.ran()[0], || format!("it never ran:\n{}", tmux.screen()));
    }
}

#[test]
#[ignore = "needs Claude Code and tmux; .ci/run installs the former"]
fn claude_code_s_window_is_answered_here_or_there() {
    let Some(claude) = installed("claude") else { return };
    // Here: its own dialog goes.
    let place = Workplace::connected(bash("touch ran"), &["claude"]);
    let Some(tmux) = place.claude_window(&claude) else { return };
    let item = place.card(&tmux);
    tmux.wait_for_text("Do you want to proceed?");
    place.sayso(&["accept", item["id"].as_str().unwrap()]);
    place.wait_until_ran(&tmux);
    tmux.wait_for_text("Done.");
    assert!(!tmux.screen().contains("Do you want to proceed?"), "{}", tmux.screen());
    // It waits for the person's next words, and says what it has used.
    let idle = place.session(|session| session["state"] == "idle" && !session["input_tokens"].is_null());
    assert_eq!((&idle["prompt"], &idle["terminal"]), (&json!("Do it."), &json!("tmux")), "{idle}");
    // There: the card goes, and the record says so.
    let place = Workplace::connected(bash("touch ran"), &["claude"]);
    let Some(tmux) = place.claude_window(&claude) else { return };
    let item = place.card(&tmux);
    tmux.wait_for_text("Do you want to proceed?");
    let asks = place.session(|session| session["state"] == "waiting");
    assert_eq!(asks["interrupt"], item["id"], "{asks}");
    tmux.press_until("1", || place.ran()[0]);
    place.wait_until_empty();
    let late = place.accepted_late(&item);
    assert!(late.contains("answered there") && late.contains("the agent did it"), "{late}");
    let shown = place.sayso(&["show", item["thread"].as_str().unwrap(), "--json"]);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["state"]["reported"]["exit_code"], 0, "{shown}");
    // Interrupted there, it waits for no answer any more.
    let place = Workplace::connected(bash("touch ran"), &["claude"]);
    let Some(tmux) = place.claude_window(&claude) else { return };
    let item = place.card(&tmux);
    tmux.wait_for_text("Do you want to proceed?");
    tmux.press_until("Escape", || tmux.screen().contains("nterrupted"));
    place.wait_until_empty();
    let late = place.accepted_late(&item);
    assert!(late.contains("the asker no longer waits for it") && !place.ran()[0], "{late}");
}

/// It takes a yes to its plan only together with the plan.
#[test]
#[ignore = "needs Claude Code and tmux; .ci/run installs the former"]
fn claude_code_s_plan_is_accepted_here() {
    let Some(claude) = installed("claude") else { return };
    let plan = ToolCall { tool: "ExitPlanMode", input: json!({"plan": "# The plan\n\n1. Do it."}) };
    let place = Workplace::connected(plan, &["claude"]);
    let flags = ["--permission-mode", "plan"];
    let ready = |tmux: &Tmux| tmux.wait_for_text("plan mode on");
    let Some(tmux) = place.claude_window_with(&claude, &flags, ready) else { return };
    let item = place.card(&tmux);
    place.sayso(&["accept", item["id"].as_str().unwrap()]);
    tmux.wait_for_text("Done.");
    assert!(place.tool_results().contains("approved"), "{}", place.tool_results());
}

#[test]
#[ignore = "needs Claude Code and tmux; .ci/run installs the former"]
fn claude_code_s_auto_mode_is_seen_and_asked_about() {
    let Some(claude) = installed("claude") else { return };
    let deletes = || bash("rm -rf old; touch ran");
    // As it is: nobody is asked. The session's line says why.
    let place = Workplace::connected(deletes(), &["claude"]);
    let Some(tmux) = place.claude_window_in_auto_mode(&claude) else { return };
    place.wait_until_ran(&tmux);
    place.session(|session| session["mode"] == "auto");
    assert!(place.list().is_empty());
    // In manual mode it asks.
    let place = Workplace::connected(deletes(), &["claude", "--manual"]);
    let Some(tmux) = place.claude_window_in_manual_mode(&claude) else { return };
    let item = place.card(&tmux);
    place.session(|session| session["mode"] == "manual");
    place.sayso(&["accept", item["id"].as_str().unwrap()]);
    place.wait_until_ran(&tmux);
    // In auto mode it asks before calls that sayso warns about.
    let place = Workplace::connected(deletes(), &["claude", "--warned"]);
    let Some(tmux) = place.claude_window_in_auto_mode(&claude) else { return };
    let item = place.card(&tmux);
    place.session(|session| session["mode"] == "auto" && session["interrupt"] == item["id"]);
    place.sayso(&["respond", item["id"].as_str().unwrap(), "not on a Friday"]);
    tmux.wait_for_text("Done.");
    assert!(!place.ran()[0] && place.tool_results().contains("not on a Friday"), "{}", place.tool_results());
    // What auto mode refused is allowed here, and made again.
    let place =
        Workplace::connected(bash("curl -s http://127.0.0.1:9/x; touch ran"), &["claude", "--warned"]);
    let Some(tmux) = place.claude_window_in_auto_mode(&claude) else { return };
    let item = place.card(&tmux);
    assert!(item["text"].as_str().unwrap().contains("Auto mode refused this"), "{item}");
    place.sayso(&["accept", item["id"].as_str().unwrap()]);
    place.wait_until_ran(&tmux);
    tmux.wait_for_text("Done.");
    assert_eq!(place.outcome(), "allowed, exit code 0");
}

#[test]
#[ignore = "needs Codex and tmux; .ci/run installs the former"]
fn codex_s_window_is_answered_here_or_later_there() {
    let Some(codex) = installed("codex") else { return };
    let place = asking(&["codex"]);
    let Some(tmux) = place.codex_window(&codex) else { return };
    let item = place.card(&tmux);
    let waits = place.session(|session| session["interrupt"] == item["id"]);
    assert_eq!(waits["terminal"], "tmux", "{waits}");
    place.sayso(&["accept", item["id"].as_str().unwrap()]);
    place.wait_until_ran(&tmux);
    tmux.wait_for_text("Done.");
    place.session(|session| session["state"] == "idle");
    // It hides its own question while the card waits; then it asks there.
    let place = asking(&["codex", "--patience", "5"]);
    let Some(tmux) = place.codex_window(&codex) else { return };
    let item = place.card(&tmux);
    tmux.wait_for_text("Would you like to run");
    place.wait_until_empty();
    tmux.press_until("y", || place.ran()[0]);
    let late = place.accepted_late(&item);
    assert!(late.contains("the asker no longer waits for it"), "{late}");
}

#[test]
#[ignore = "needs Claude Code and tmux; .ci/run installs the former"]
fn a_session_s_terminal_comes_to_the_front() {
    let Some(claude) = installed("claude") else { return };
    let place = Workplace::connected(bash("touch ran"), &["claude"]);
    let Some(tmux) = place.claude_window(&claude) else { return };
    place.card(&tmux);
    let session = place.session(|session| session["state"] == "waiting");
    let id = &session["id"].as_str().unwrap()[..8];
    tmux.run(&["new-window", "sleep 600"]);
    let shown = || tmux.run(&["display-message", "-p", "#{pane_id}"]).trim().to_owned();
    assert_ne!(shown(), "%0");
    let focus = || place.at_home(SAYSO).args(["sessions", "focus", id]).output().unwrap();
    // Nobody looks at that tmux.
    let output = focus();
    assert!(String::from_utf8_lossy(&output.stderr).contains("open in no terminal"), "{output:?}");
    assert_eq!((output.status.code(), shown().as_str()), (Some(1), "%0"));
    // Somebody does, in a terminal that is another tmux.
    tmux.run(&["select-window", "-t", ":1"]);
    let mut attach = Command::new("tmux");
    attach.arg("-S").arg(&tmux.socket).arg("attach");
    let Some(outer) = Tmux::running(&place, "outer", &attach) else { return };
    let attached = || tmux.run(&["display-message", "-p", "-t", "%0", "#{session_attached}"]).trim() != "0";
    wait_until(attached, || format!("nobody attached:\n{}", outer.screen()));
    let output = focus();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(shown(), "%0");
    outer.wait_for_text("Do you want to proceed?");
    // From another session of the same tmux the client is taken there.
    tmux.run(&["new-session", "-d", "-s", "other", "sh"]);
    tmux.run(&["switch-client", "-t", "other"]);
    let mut inside = place.at_home(SAYSO);
    let pane = tmux.run(&["display-message", "-p", "-t", "other", "#{pane_id}"]).trim().to_owned();
    inside.env("TMUX", format!("{},1,0", tmux.socket.display())).env("TMUX_PANE", pane);
    let output = inside.args(["sessions", "focus", id]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    outer.wait_for_text("Do you want to proceed?");
    // A window that was closed is reported.
    tmux.run(&["kill-pane", "-t", "%0"]);
    place.wait_until_no_session();
    assert_eq!(focus().status.code(), Some(3));
}
