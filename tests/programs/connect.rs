//! `sayso connect`: what it shows, writes and removes; and what `doctor` says about it.

use crate::runner::{Cli, checks_with, each, json, run, text};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

#[test]
fn nothing_is_written_before_somebody_says_so() {
    let cli = Cli::new();
    for agent in ["claude", "codex", "opencode", "gemini"] {
        let shown = run(&cli, &["connect", agent]);
        assert!(shown.code == 0 && shown.out.contains("+++ "), "{agent}: {shown:?}");
        assert!(shown.out.ends_with("Nothing was written; --yes writes it.\n"), "{}", shown.out);
        let planned = json(&cli, &["connect", agent]);
        assert_eq!(planned["written"], false);
        let files = each(&planned["files"], "path");
        assert!(files.iter().all(|file| !std::path::Path::new(file).exists()), "{files:?}");
        let report = run(&cli, &["connect", agent, "--yes"]);
        assert!(report.code == 0 && report.out.contains("is connected."), "{report:?}");
        assert!(run(&cli, &["connect", agent, "--yes"]).out.contains("connected already"));
        let gone = run(&cli, &["connect", agent, "--remove", "--yes"]);
        assert!(gone.out.contains("no longer asks here"), "{gone:?}");
        assert!(files.iter().all(|file| !std::path::Path::new(file).exists()), "{files:?}");
        assert!(run(&cli, &["connect", agent, "--remove", "--yes"]).out.contains("is not connected here"));
    }
    run(&cli, &["connect", "emacs"]).refused(2, "emacs");
    run(&cli, &["connect", "claude", "--remove", "--all"]).refused(2, "--all");
    run(&cli, &["connect", "claude", "--patience", "1"]).refused(2, "patience");
    std::fs::create_dir_all(cli.path(".claude")).unwrap();
    std::fs::write(cli.path(".claude/settings.json"), "{").unwrap();
    run(&cli, &["connect", "claude", "--yes"]).refused(1, "settings.json");
}

/// Agents start sayso without the shell's environment, and upgrades move what a link leads to.
#[test]
fn the_folder_in_use_and_the_path_as_called_are_written() {
    let cli = Cli::new();
    let bin = cli.path("bin");
    std::fs::create_dir(&bin).unwrap();
    for name in ["sayso", "so"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sayso"), bin.join(name)).unwrap();
    }
    // What would be written, without its punctuation.
    let planned = |program: &str, words: &str, data: Option<&Path>| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec {program} connect {words} --json")]);
        let mut command = cli.clean(shell);
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).env_remove("SAYSO_DATA");
        command.envs(data.map(|data| ("SAYSO_DATA", data)));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let planned: Value = serde_json::from_slice(&output.stdout).unwrap();
        let plain = each(&planned["files"], "diff").concat().replace(['"', ',', '\n', '+', '[', ']'], " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (data, usual) = (cli.data(), cli.path(".local/share/sayso"));
    for agent in ["claude", "codex", "opencode", "gemini"] {
        for (program, name) in [("sayso", "sayso"), ("so", "so"), ("./bin/sayso", "sayso")] {
            for (named, used) in [(None, &usual), (Some(data.as_path()), &data)] {
                let written = planned(program, agent, named);
                let count = |words: &str| written.matches(words).count();
                let start = format!("--data {}", used.display());
                // The hooks and the MCP server; opencode's plugin has them all in one place.
                let starts = count("request --hook") + 1;
                assert_eq!(count(&start), starts, "{agent} {program}: {written}");
                assert_eq!(count(&format!("{} ", bin.join(name).display())), starts, "{agent}: {written}");
                assert!(!written.contains(env!("CARGO_BIN_EXE_sayso")), "{agent}: {written}");
            }
        }
    }
    // Everybody who works in a project has folders of their own.
    assert!(!planned("sayso", "codex --project", None).contains("--data"));
    let named = planned("sayso", "codex --project", Some(&data));
    assert!(named.contains(&format!("sayso --data {}", data.display())), "{named}");
}

#[test]
fn without_a_name_the_agents_are_listed() {
    let cli = Cli::new();
    let bin = cli.path("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("codex"), "").unwrap();
    run(&cli, &["connect", "gemini", "--yes"]);
    let listed = |args: &[&str]| {
        let output = cli.real().args(args).env("PATH", &bin).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let table = listed(&["connect"]);
    let row = |agent: &str| table.lines().find(|line| line.starts_with(agent)).unwrap();
    assert!(row("claude").contains("not found") && row("claude").ends_with("no"), "{table}");
    assert!(row("codex").contains("bin/codex") && row("codex").ends_with("no"), "{table}");
    assert!(row("gemini").ends_with("yes") && table.contains("`sayso connect AGENT`"), "{table}");
    let data: Value = serde_json::from_str(&listed(&["connect", "--json"])).unwrap();
    assert_eq!(each(&data, "agent"), ["claude", "codex", "opencode", "gemini"]);
    assert_eq!((&data[1]["connected"], &data[3]["connected"]), (&Value::from(false), &Value::from(true)));
    run(&cli, &["connect", "--remove"]).refused(2, "AGENT");
}

#[test]
fn claude_code_s_auto_mode_is_named_with_two_ways_out() {
    let cli = Cli::new();
    let settings = || std::fs::read_to_string(cli.path(".claude/settings.json")).unwrap();
    let auto = |output: &str| output.contains("auto mode, in which another model decides");
    let shown = run(&cli, &["connect", "claude", "--yes"]).out;
    assert!(auto(&shown) && shown.contains("--manual") && shown.contains("--warned"), "{shown}");
    // Before it uses a tool, only our own server's calls are looked at.
    let before_use = |settings: &Value| each(&settings["hooks"]["PreToolUse"], "matcher");
    let written: Value = serde_json::from_str(&settings()).unwrap();
    let [own] = <[String; 1]>::try_from(before_use(&written)).unwrap();
    assert!(own.starts_with("mcp__sayso") && own.ends_with("__.*"), "{own}");
    assert!(!settings().contains("defaultMode"));
    // Before calls that sayso warns about, and about what auto mode refused.
    let shown = run(&cli, &["connect", "claude", "--warned", "--yes"]).out;
    assert!(!auto(&shown), "{shown}");
    let written: Value = serde_json::from_str(&settings()).unwrap();
    let command = |event: &str| -> String {
        let groups = written["hooks"][event].as_array().unwrap();
        groups.iter().map(|group| text(&group["hooks"][0]["command"])).collect()
    };
    assert!(command("PreToolUse").contains("--hook claude-code --warned --timeout 590"), "{written}");
    assert!(!command("PermissionDenied").contains("--warned"), "{written}");
    assert!(!command("PermissionRequest").contains("--warned"), "{written}");
    // In manual mode, which stays if sayso goes: without it, less would be asked than before.
    let shown = run(&cli, &["connect", "claude", "--manual", "--yes"]).out;
    assert!(!auto(&shown), "{shown}");
    let written: Value = serde_json::from_str(&settings()).unwrap();
    assert_eq!(written["permissions"]["defaultMode"], "default");
    assert_eq!(before_use(&written), [own]);
    assert!(run(&cli, &["connect", "claude", "--yes"]).out.contains("connected already"));
    let gone = run(&cli, &["connect", "claude", "--remove", "--yes"]).out;
    assert!(gone.contains("still start in manual mode"), "{gone}");
    assert!(settings().contains("defaultMode") && !settings().contains("sayso"));
    run(&cli, &["connect", "gemini", "--warned"]).refused(2, "--warned");
    run(&cli, &["connect", "claude", "--warned", "--manual"]).refused(2, "--manual");
}

#[test]
fn doctor_says_how_an_agent_stands() {
    let cli = Cli::new();
    let bin = cli.path("bin");
    std::fs::create_dir(&bin).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let checks = || checks_with(&cli, &[("PATH", &path)], "agent");
    assert_eq!(checks(), []);
    let program = bin.join("claude");
    std::fs::write(&program, "#!/bin/sh\necho '2.1.327 (Claude Code)'\n").unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let says = |well: bool, parts: &[&str]| {
        let (ok, output) = checks().pop().unwrap();
        assert!(ok == well && parts.iter().all(|part| output.contains(part)), "{output}");
    };
    says(true, &["found, and not connected"]);
    run(&cli, &["connect", "claude", "--yes"]);
    says(false, &["start in auto mode", "--warned"]);
    run(&cli, &["connect", "claude", "--warned", "--yes"]);
    says(true, &["start in auto mode"]);
    run(&cli, &["connect", "claude", "--manual", "--yes"]);
    says(true, &["2.1.327", "the hook answers", "start in manual mode"]);
    // A limit that is too short, and a sayso that is gone.
    let settings = cli.path(".claude/settings.json");
    let written = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, written.replace("620", "60")).unwrap();
    says(false, &["may take 60 s"]);
    std::fs::write(&settings, written.replace(env!("CARGO_BIN_EXE_sayso"), "/nowhere/sayso")).unwrap();
    says(false, &["does not answer"]);
}

/// Settings of the folder and of the agent that keep it from asking are named.
#[test]
fn doctor_and_connect_say_where_an_agent_does_not_ask() {
    let cli = Cli::new();
    let bin = cli.path("bin");
    std::fs::create_dir(&bin).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    for (agent, settings, config, expected) in [
        ("claude", ".claude/settings.local.json", r#"{"disableAllHooks": true}"#, "`disableAllHooks` in"),
        (
            "claude",
            ".claude/settings.local.json",
            r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#,
            "a mode that asks nothing",
        ),
        ("codex", ".codex/config.toml", "approval_policy = \"never\"\n", "so it asks nothing"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "`features.hooks` in"),
        ("opencode", "opencode.json", "{}", "runs commands and changes files without asking"),
        (
            "opencode",
            "opencode.json",
            r#"{"permission": {"bash": "ask", "*": "allow"}}"#,
            "runs commands and",
        ),
        (
            "opencode",
            "opencode.json",
            r#"{"permission": {"*": "allow", "b?sh": {"*": "ask"}}}"#,
            "so it changes files",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            r#"{"hooksConfig": {"disabled": ["sayso"]}}"#,
            "`hooksConfig.disabled` in",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            r#"{"hooksConfig": {"enabled": false}}"#,
            "`hooksConfig.enabled` in",
        ),
    ] {
        let program = bin.join(agent);
        std::fs::write(&program, "#!/bin/sh\necho 1.0\n").unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let project = cli.path("project");
        let file = project.join(settings);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let manual: &[&str] = if agent == "claude" { &["--manual"] } else { &[] };
        run(&cli, &[&["connect", agent, "--yes"], manual].concat()).done();
        let doctor = || {
            let output =
                cli.real().args(["doctor", "--json"]).env("PATH", &path).current_dir(&project).output();
            let checks: Vec<Value> = serde_json::from_slice(&output.unwrap().stdout).unwrap();
            let check = checks.into_iter().find(|check| check["check"] == "agent").unwrap();
            (check["ok"] == true, text(&check["text"]))
        };
        let (_, before) = doctor();
        assert!(agent == "opencode" || !before.contains(expected), "{agent}: {before}");
        std::fs::write(&file, config).unwrap();
        let (ok, said) = doctor();
        assert!(said.contains(expected) && !ok, "{agent} {config}: {said}");
        let mut command = cli.real();
        command.args(["connect", agent, "--patience", "77", "--yes"]).current_dir(&project);
        let connected = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(connected.contains(expected), "{agent} {config}: {connected}");
        run(&cli, &["connect", agent, "--remove", "--yes"]).done();
        std::fs::remove_file(&file).unwrap();
        std::fs::remove_file(&program).unwrap();
    }
}

/// Real transcripts: of Claude Code 2.1.326 with a sub-agent, and of Codex 0.169.0.
const CLAUDE: [&str; 2] = [
    include_str!("../fixtures/agents/claude.jsonl"),
    include_str!("../fixtures/agents/claude-subagent.jsonl"),
];
const CODEX: &str = include_str!("../fixtures/agents/codex.jsonl");

/// What the last week would have asked is judged like a hook's question, and leaves nothing behind.
#[test]
fn the_calls_of_the_last_week_are_shown_on_request() {
    let cli = Cli::new();
    let webshop = cli.path("webshop");
    std::fs::create_dir(&webshop).unwrap();
    let write = |path: &str, text: &str, at: jiff::Timestamp| {
        let path = cli.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = text.replace("/home/noor/webshop", webshop.to_str().unwrap());
        std::fs::write(path, text.replace("{{at}}", &at.to_string())).unwrap();
    };
    run(&cli, &["connect", "claude", "--last-week"]).refused(1, "has left no transcripts in");
    run(&cli, &["connect", "gemini", "--last-week"]).refused(2, "not those of Gemini CLI");
    run(&cli, &["connect", "claude", "--last-week", "--yes"]).refused(2, "--yes");
    let now = jiff::Timestamp::now();
    let (yesterday, long_ago) =
        (now - jiff::SignedDuration::from_hours(24), now - jiff::SignedDuration::from_hours(200));
    write(".claude/projects/-webshop/s.jsonl", &format!("{}{{ torn", CLAUDE[0]), yesterday);
    write(".claude/projects/-webshop/s/subagents/agent-a.jsonl", CLAUDE[1], yesterday);
    write(".claude/projects/-webshop/old.jsonl", &CLAUDE[0].replace("toolu_", "old_"), long_ago);
    write(".codex/sessions/2026/11/19/rollout-x.jsonl", CODEX, yesterday);

    let report = json(&cli, &["connect", "claude", "--last-week"]);
    let figures =
        ["sessions", "calls", "harmless", "granted", "unreadable"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(figures, [1, 11, 4, 0, 1], "{report}");
    let asked = report["asked"].as_array().unwrap();
    let warned: Vec<String> = asked.iter().flat_map(|call| each(&call["warnings"], "code")).collect();
    assert_eq!(warned.len(), 3, "{report}");
    for code in ["as_root", "deletes", "writes_outside"] {
        assert!(warned.contains(&code.to_owned()), "{code}: {warned:?}");
    }
    assert!(
        asked[3..].iter().all(|call| call["warnings"] == Value::Array(Vec::new())),
        "warned ones come first"
    );
    let shown = run(&cli, &["connect", "claude", "--last-week"]).done().to_owned();
    assert!(
        shown.contains(
            "made 11 calls in 1 session. With --all, sayso would have asked about 7, 3 of them with a warning."
        ),
        "{shown}"
    );
    assert!(
        shown.contains("$ rm -rf build") && shown.contains("1 line of its transcripts could not be read"),
        "{shown}"
    );

    // A grant answers here what it would have answered then.
    let mut command = cli.real();
    command.args([
        "request",
        "--title",
        "$ git status",
        "--action",
        "Bash",
        "--source",
        "claude-code",
        "--json",
    ]);
    command
        .args(["--args", r#"{"command": "git status", "description": "What has changed"}"#])
        .current_dir(&webshop);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let id = text(&serde_json::from_slice::<Value>(&output.stdout).unwrap()["id"]);
    run(&cli, &["accept", &id, "--grant", "git status"]).done();
    let report = json(&cli, &["connect", "claude", "--last-week"]);
    assert_eq!(
        (&report["granted"], report["asked"].as_array().unwrap().len()),
        (&Value::from(1), 6),
        "{report}"
    );

    let report = json(&cli, &["connect", "codex", "--last-week"]);
    // Codex's hooks do not say in which folder a command runs, so none is known to be harmless.
    assert_eq!((&report["calls"], &report["harmless"]), (&Value::from(2), &Value::from(0)), "{report}");
    assert_eq!(report["asked"][0]["title"], "$ rm -rf build");
    assert_eq!(report["asked"][0]["folder"], webshop.join("src").to_str().unwrap());
    // Nothing was asked and nothing connected.
    assert_eq!(json(&cli, &["list"]), Value::Array(Vec::new()));
    assert!(!cli.path(".claude/settings.json").exists());
}
