//! Agents whose sayso hangs: its database is locked, or its stdin never ends. It refuses before their own limit.

use super::{SAYSO, Workplace, end, installed};
use rusqlite::Connection;
use serde_json::json;
use std::process::Child;

/// Tries both with an agent. `config` is the file with our command.
fn refuses_in_time(place: impl Fn() -> Workplace, config: &str, start: impl Fn(&Workplace) -> Child) {
    let locked = place();
    locked.list();
    let db = Connection::open(locked.path("data/sayso.db")).unwrap();
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    end(start(&locked));
    assert_eq!(locked.ran(), [false, false], "a locked database: {}", locked.tool_results());
    drop(db);
    assert!(locked.list().is_empty());
    let open = place();
    // It reads and writes a pipe, so it never sees the end. Hooks that only report are left alone.
    let (pipe, program) = (open.path("pipe"), open.path("sayso-open"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--timeout*) exec 0<>'{}';; esac\nexec '{SAYSO}' \"$@\"\n",
        pipe.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    open.replace_sayso(config, program.to_str().unwrap());
    end(start(&open));
    assert_eq!(open.ran(), [false, false], "an open stdin: {}", open.tool_results());
}

#[test]
#[ignore = "needs Claude Code; .ci/run installs it"]
fn claude_code_runs_nothing_where_sayso_hangs() {
    let Some(claude) = installed("claude") else { return };
    for connection in [&["claude", "--patience", "5"][..], &["claude", "--all", "--patience", "5"]] {
        let place = || Workplace::connected(super::claude::bash("touch ran"), connection);
        refuses_in_time(place, "claude/settings.json", |place| place.claude(&claude, &[]));
    }
}

#[test]
#[ignore = "needs Codex; .ci/run installs it"]
fn codex_runs_nothing_where_sayso_hangs() {
    let Some(codex) = installed("codex") else { return };
    let words = ["codex", "--all", "--patience", "5"];
    let place = || Workplace::connected(super::codex::shell("touch ran"), &words);
    refuses_in_time(place, "codex/hooks.json", |place| place.codex_exec(&codex));
}

#[test]
#[ignore = "needs opencode; .ci/run installs it"]
fn opencode_runs_nothing_where_sayso_hangs() {
    let Some(opencode) = installed("opencode") else { return };
    let place = || Workplace::connected(super::opencode::bash(), &["opencode", "--patience", "5"]);
    let start = |place: &Workplace| place.opencode_run(&opencode, &json!({"*": "ask"}));
    refuses_in_time(place, ".config/opencode/plugin/sayso.js", start);
}

#[test]
#[ignore = "needs Gemini CLI; .ci/run installs it"]
fn gemini_runs_nothing_where_sayso_hangs() {
    let Some(gemini) = installed("gemini") else { return };
    let place = || Workplace::connected(super::gemini::shell(), &["gemini", "--patience", "5"]);
    refuses_in_time(place, ".gemini/settings.json", |place| place.gemini(&gemini));
}
