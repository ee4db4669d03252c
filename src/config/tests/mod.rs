//! The config from the outside: (file, environment, flags) → settings.

mod example;
mod mail;
mod refused;
mod servers;
mod traces;

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;

use super::*;

const FILE: &str = "/x/config.toml";

/// A made-up machine; nothing of the real one.
pub(super) fn inputs() -> Inputs {
    Inputs {
        flags: Flags::default(),
        env: Env::default(),
        host: Host {
            home: Some("/home/ada".into()),
            working_dir: "/here".into(),
            data_dir: Some("/home/ada/.local/share/sayso".into()),
            config_dir: Some("/home/ada/.config/sayso".into()),
            time_zone: TimeZone::UTC,
        },
    }
}

fn paths() -> Paths {
    Paths { data: "/data".into(), data_named: None, config: Some(FILE.into()), config_named: None }
}

fn resolve_with(text: &str, inputs: &Inputs) -> Result<Config, Error> {
    resolve::resolve(inputs, &paths(), Some(text))
}

fn resolve(text: &str) -> Config {
    resolve_with(text, &inputs()).unwrap()
}

/// The value that `sayso config` shows for a key.
fn shown(text: &str, inputs: &Inputs, key: &str) -> String {
    let config = resolve_with(text, inputs).unwrap();
    let settings = describe::settings(inputs, &paths(), Some(text), &config).unwrap();
    let setting = settings.into_iter().find(|setting| setting.key == key);
    setting.unwrap_or_else(|| panic!("no setting {key}")).value.as_str().to_owned()
}

#[test]
fn without_a_word_all_is_default() {
    let config = resolve("");
    assert_eq!(config.model.provider, Provider::Builtin);
    assert_eq!(config.model.name, "builtin");
    assert_eq!(config.model.api_key, None);
    assert_eq!(config.models.keys().collect::<Vec<_>>(), ["builtin", "me"]);
    assert_eq!(config.approvals.hold, Duration::from_secs(10));
    assert_eq!(config.budget, Budget { day: 15.0, thread: 2.0, calls_per_thread: 200 });
    assert_eq!(config.engine.concurrency, 8);
    assert_eq!(config.log, Level::Info);
    assert_eq!(config.user.time_zone, TimeZone::UTC);
    assert_eq!(config.data, Path::new("/data"));
}

#[test]
fn what_is_written_is_meant() {
    let config = resolve(
        r#"
        budget = { day = 1, thread = 0 }
        [user]
        name = "Ada"
        time_zone = "UTC"
        [model]
        provider = "openai"
        name = "llama"
        base_url = "http://127.0.0.1:8080/v1/"
        api_key_file = "keys/local"
        temperature = 0
        [models.cheap]
        provider = "anthropic"
        name = "claude-haiku"
        timeout_seconds = 0x1E
        [workflow.email]
        triage_model = "cheap"
        model = "builtin"
        [prices."claude-haiku"]
        input = 1
        output = 5.0
        [log]
        level = "debug"
        "#,
    );
    assert_eq!((config.budget.day, config.budget.thread), (1.0, 0.0));
    assert_eq!(config.model.base_url, "http://127.0.0.1:8080/v1");
    assert_eq!(config.model.api_key, Some(Secret::File("/x/keys/local".into())));
    assert_eq!(config.model.temperature, Some(0.0));
    let cheap = config.model_named("cheap").unwrap();
    assert_eq!(cheap.base_url, "https://api.anthropic.com");
    assert_eq!(cheap.api_key, Some(Secret::Env("ANTHROPIC_API_KEY".into())));
    assert_eq!(cheap.idle_timeout, Duration::from_secs(30));
    assert_eq!(config.model_for("email", "triage").label, "cheap");
    assert_eq!(config.model_for("email", "reply").label, "builtin");
    assert_eq!(config.model_for("analyze", "any").label, "model");
    assert_eq!(config.prices["claude-haiku"], Price { input: 1.0, output: 5.0, cached: 1.0 });
    assert_eq!(config.log, Level::Debug);
}

#[test]
fn a_key_is_not_sent_to_another_server_by_default() {
    let local = resolve("[model]\nprovider = \"openai\"\nname = \"x\"\nbase_url = \"http://192.0.2.1/v1\"");
    assert_eq!(local.model.api_key, None);
    let own = resolve("[model]\nprovider = \"openai\"\nname = \"x\"");
    assert_eq!(own.model.api_key, Some(Secret::Env("OPENAI_API_KEY".into())));
}

#[test]
fn a_picked_model_is_used_everywhere() {
    let text = r#"
        [model]
        provider = "openai"
        name = "big"
        temperature = 1.0
        [models.cheap]
        provider = "ollama"
        name = "small"
        [workflow.email]
        triage_model = "builtin"
    "#;
    let mut inputs = inputs();
    inputs.env = Env::from_iter([("SAYSO_MODEL", "cheap")]);
    let config = resolve_with(text, &inputs).unwrap();
    assert_eq!((config.model.name.as_str(), config.model.temperature), ("small", None));
    assert_eq!(config.model.label, "cheap");
    assert_eq!(config.model_for("email", "triage"), &config.model);
    assert_eq!(shown(text, &inputs, "model"), "cheap");

    inputs.flags.model = Some("builtin".into());
    let config = resolve_with(text, &inputs).unwrap();
    assert_eq!(config.model.provider, Provider::Builtin);
    assert_eq!(config.model_for("email", "triage").provider, Provider::Builtin);

    // An unfinished [model] does not get in the way of another one.
    assert!(resolve_with("[model]\nprovider = \"openai\"", &inputs).is_ok());

    inputs.flags.model = Some("\u{1B}huge".into());
    assert_eq!(
        resolve_with(text, &inputs).unwrap_err().to_string(),
        "there is no model \"⟨U+001B⟩huge\" (in --model); the known ones are builtin, cheap, me"
    );
    assert_eq!(
        config.model_named("huge").unwrap_err().to_string(),
        "there is no model \"huge\" (in the thread's own key `model`); the known ones are builtin, cheap, me"
    );
}

#[test]
fn the_description_has_what_is_written_and_the_defaults() {
    let text =
        "[user]\nname = \"Ada\"\n[budget]\nday = 1.50\n[models.cheap]\nprovider = \"ollama\"\nname = \"x\"";
    for (key, value) in [
        ("data", "/data"),
        ("config", FILE),
        ("user.name", "Ada"),
        ("user.aliases", "(none)"),
        ("models.cheap.provider", "ollama"),
        ("model.provider", "builtin"),
        ("budget.day", "1.50"),
        ("budget.thread", "2.00"),
    ] {
        assert_eq!(shown(text, &inputs(), key), value, "{key}");
    }
}

#[test]
fn files_are_found_read_and_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let mut inputs = inputs();
    inputs.flags.data = Some(data.clone());
    inputs.host.config_dir = Some(folder.path().join("none"));

    let config = Config::load(&inputs).unwrap();
    assert_eq!((config.file, config.data), (None, data.clone()));

    let file = data.join("config.toml");
    std::fs::write(&file, "[budget]\nday = 7").unwrap();
    let config = Config::load(&inputs).unwrap();
    assert_eq!((config.budget.day, config.file), (7.0, Some(file.clone())));

    let refused = |path: PathBuf, expected: &str| {
        let mut inputs = inputs.clone();
        inputs.flags.config = Some(path);
        let error = Config::load(&inputs).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(folder.path().join("missing.toml"), "(named in --config); create it or leave the name out");
    refused(data.clone(), "cannot read the config file");
    std::fs::write(&file, b"name = \"\xFF\"").unwrap();
    refused(file.clone(), "is not UTF-8 text; name a TOML file");
    std::fs::write(&file, " ".repeat(2 << 20)).unwrap();
    refused(file, "is longer than a megabyte; name a TOML file");
}

#[test]
fn questions_expire_by_tool_by_workflow_and_by_kind() {
    assert!(resolve("").approvals.expiry.is_off());
    let expiry = |text: &str| resolve(text).approvals.expiry;
    let days = |days: u64| Some(Duration::from_secs(days * 86_400));
    let week = expiry("[approvals]\nexpire = \"1w\"");
    assert_eq!(week.of("email", "write_email", "approval"), days(7));
    assert_eq!(week.of("email", "notify", "triage"), None);
    let text = "[approvals]\nexpire = \"7d\"\n[workflow.docs]\nexpire = \"2d\"\n[workflow.sheet]\nexpire = \"never\"\n\
                [policy.notify]\nexpire = \"24h\"";
    // Picking a model for everything does not change the times.
    let picked =
        Inputs { flags: Flags { model: Some("builtin".to_owned()), ..Flags::default() }, ..inputs() };
    for named in [expiry(text), resolve_with(text, &picked).unwrap().approvals.expiry] {
        assert_eq!(named.of("docs/agent", "question", "question"), days(2));
        assert_eq!(named.of("sheet", "python", "approval"), None);
        assert_eq!(named.of("email", "notify", "triage"), days(1));
        assert_eq!(named.of("ask", "request", "approval"), days(7));
        assert!(!named.is_off());
    }
    assert!(expiry("[policy.notify]\nexpire = \"never\"").is_off());
    for wrong in ["7", "d", "7y", "0d", "-1d", "9999999999999999999d", "tomorrow", ""] {
        let text = format!("[approvals]\nexpire = \"{wrong}\"");
        let error = resolve_with(&text, &inputs()).unwrap_err().to_string();
        assert!(error.contains("12h, 7d or 2w") && error.contains(":2"), "{error}");
    }
    let error = resolve_with("[approvals]\nexpire_kinds = [\"trouble\"]", &inputs()).unwrap_err().to_string();
    assert!(error.contains("choose among triage, approval, question"), "{error}");
}
