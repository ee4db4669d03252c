//! `config`, `doctor`, `completions`, `man`, and the log.

use crate::runner::{Cli, captured, checks, each, json as json_of, keys, run};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

#[test]
fn config_says_what_is_meant() {
    let cli = Cli::new();
    cli.configure("[approvals]\nhold_seconds = 0\n[model]\nprovider = \"openai\"\nname = \"x\"\napi_key_env = \"KEY\"\n");
    let mut command = cli.command(&["config", "--json"]);
    let output = captured(command.env("KEY", "canary-secret").output().unwrap());
    assert!(!output.done().contains("canary"));
    let settings: Value = serde_json::from_str(&output.out).unwrap();
    let of = |key: &str| settings.as_array().unwrap().iter().find(|s| s["key"] == key).unwrap().clone();
    assert_eq!(of("approvals.hold_seconds"), json!({"key": "approvals.hold_seconds", "value": "0"}));
    assert_eq!(of("engine.retries")["value"], "3");
    assert_eq!(of("model.api_key_env")["value"], "env KEY (set)");
    assert!(cli.sayso(&["config"]).done().starts_with("KEY "));
    // A flag wins over the environment.
    let other = cli.path("other").display().to_string();
    let settings = cli.json(&["--data", &other, "config"]);
    assert_eq!(settings[0], json!({"key": "data", "value": other}));
}

#[test]
fn doctor_finds_everything_in_order() {
    let cli = Cli::new();
    cli.chat("tea");
    let report = json_of(&cli, &["doctor"]);
    for check in report.as_array().unwrap() {
        keys(check, "check ok text");
        assert_eq!(check["ok"], true, "{check}");
    }
    let known = "config,data folder,permissions,database,records,driver,model,api,api,api,reader,python";
    assert_eq!(each(&report, "check").join(","), known);
    let output = run(&cli, &["doctor"]);
    assert!(output.done().contains("1 thread checked, intact"));
    assert!(output.out.contains("without files, network or programs: limits on memory"), "{output:?}");
    #[cfg(target_os = "linux")]
    assert!(output.out.contains("(seccomp)") && output.out.contains("Landlock"), "{output:?}");
    assert!(output.out.contains("audius: ") && output.out.contains("no key needed"), "{output:?}");
    // It makes nothing.
    let elsewhere = cli.path("elsewhere");
    let report = json_of(&cli, &["doctor", "--data", elsewhere.to_str().unwrap()]);
    assert!(report[1]["ok"] == true && !elsewhere.exists(), "{report}");
}

#[test]
fn doctor_names_what_is_wrong() {
    let cli = Cli::new();
    cli.chat("tea");
    std::fs::set_permissions(cli.data(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = run(&cli, &["doctor"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.out.contains("FAIL  permissions") && output.out.contains("chmod 700"), "{output:?}");
    std::fs::set_permissions(cli.data(), std::fs::Permissions::from_mode(0o700)).unwrap();
    let db = rusqlite::Connection::open(cli.data().join("sayso.db")).unwrap();
    db.execute("UPDATE threads SET title = 'forged'", []).unwrap();
    drop(db);
    let [(false, records)] = &checks(&cli, "records")[..] else { panic!("nothing is wrong") };
    assert!(records.contains("`sayso doctor --repair`"), "{records}");
    let output = run(&cli, &["doctor", "--repair"]);
    assert!(output.code == 0 && output.out.contains("rebuilt: threads: the title of "), "{output:?}");
    let output = run(&cli, &["doctor", "--repair"]);
    assert!(output.out.contains("all match the log"), "{output:?}");
    assert_eq!(run(&cli, &["doctor"]).code, 0);
    std::fs::write(cli.data().join("sayso.db"), "a diary").unwrap();
    let output = cli.sayso(&["doctor"]);
    assert!(output.code == 1 && output.out.contains("is not a sayso database"), "{output:?}");
}

#[test]
fn doctor_says_what_the_screen_would_say_of_keys() {
    let cli = Cli::new();
    cli.chat("tea");
    let keys_of = |line: &str| {
        cli.configure(&format!("[keys]\n{line}\n"));
        (run(&cli, &["doctor"]).code, checks(&cli, "keys").pop())
    };
    for (line, expected) in [
        ("acept = [\"x\"]", "config.toml: [keys] has no action `acept`; did you mean `accept`?"),
        ("accept = [\"i\"]", "config.toml: [keys] `i` would mean both `accept` and `ignore`; "),
        ("[[command]]\nkey = \"a\"\nname = \"mine\"\nrun = \"true\"", "[[command]] `a` would mean both"),
    ] {
        let (code, check) = keys_of(line);
        let (ok, text) = check.unwrap();
        assert!(code == 1 && !ok && text.contains(expected), "{line}: {code} {text}");
    }
    assert!(matches!(keys_of("accept = [\"a\", \"ctrl-y\"]"), (0, Some((true, _)))));
    assert_eq!(keys_of("").1, None);
}

#[test]
fn completions_and_manual_come_from_the_same_definitions() {
    let cli = Cli::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = cli.sayso(&["completions", shell]);
        assert!(output.done().contains("args-hash"), "{shell}");
        keys(&cli.json(&["completions", shell]), "shell script");
    }
    assert!(cli.sayso(&["man"]).done().contains(".SH VERBS"));
    assert!(cli.sayso(&["man", "edit"]).done().contains("\\-\\-args\\-hash"));
    keys(&cli.json(&["man"]), "man");
    cli.refused(&["man", "edti"], 2, "did you mean `edit`?");
}

#[test]
fn the_log_is_private_and_on_stderr_only_when_asked() {
    let cli = Cli::new();
    let (thread, _) = cli.chat("tea");
    // A thread whose workflow is not there is trouble, and trouble is logged.
    let output = cli.real().args(["-v", "fork", &thread, "--step", "0", "--wait"]).output().unwrap();
    let output = captured(output);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.contains("WARN") && output.err.contains("lost_node"), "{output:?}");
    let log = cli.data().join("log");
    let file = std::fs::read_dir(&log).unwrap().next().unwrap().unwrap().path();
    assert!(std::fs::read_to_string(&file).unwrap().contains("lost_node"));
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&log), mode(&file)), (0o700, 0o600));
    cli.configure("[log]\nlevel = \"off\"\n");
    std::fs::remove_dir_all(&log).unwrap();
    cli.real().args(["fork", &thread, "--step", "0", "--wait"]).output().unwrap();
    assert!(!log.exists());
    // Every verb that reads the config logs.
    cli.configure("[log]\nlevel = \"trace\"\n");
    for verb in [&["doctor"][..], &["export", "--audit"], &["eval", "decisions"]] {
        cli.real().args(verb).output().unwrap();
        assert!(log.exists(), "{verb:?}");
        std::fs::remove_dir_all(&log).unwrap();
    }
}
