//! What is refused, and the one sentence that says so.

use super::*;

#[track_caller]
fn check_error(text: &str, expected: &str) {
    match resolve_with(text, &inputs()) {
        Ok(_) => panic!("{text:?} was taken"),
        Err(error) => assert_eq!(error.to_string(), expected, "{text:?}"),
    }
}

#[test]
fn unknown_names_are_refused_with_the_nearest() {
    for (text, expected) in [
        (
            "\n[model]\nprovder = \"openai\"",
            "unknown key \"provder\" in [model] at /x/config.toml:3; did you mean \"provider\"?",
        ),
        (
            "[approvals]\nheld = 10",
            "unknown key \"held\" in [approvals] at /x/config.toml:2; the keys are hold_seconds, hold_agents, refusals, expire, expire_kinds",
        ),
        (
            "[models.cheap]\nbase-url = \"x\"",
            "unknown key \"base-url\" in [models.cheap] at /x/config.toml:2; did you mean \"base_url\"?",
        ),
        (
            "[prices.\"gpt 4\"]\ninputs = 1",
            "unknown key \"inputs\" in [prices.\"gpt 4\"] at /x/config.toml:2; did you mean \"input\"?",
        ),
        (
            "[workflow.email]\ntriage = \"cheap\"",
            "unknown key \"triage\" in [workflow.email] at /x/config.toml:2; the keys are model, *_model, expire",
        ),
        ("[budgets]\nday = 1", "unknown section [budgets] at /x/config.toml:1; did you mean \"budget\"?"),
        (
            "colour = \"red\"",
            "unknown section [colour] at /x/config.toml:1; the sections are user, model, models, workflow, prices, \
             approvals, budget, engine, google, mail, rule, calendar, intake, learning, policy, apis, server, sheet, theme, notices, traces, keys, command, log",
        ),
        (
            "[budget]\nz = 1\na = 1",
            "unknown key \"z\" in [budget] at /x/config.toml:2; the keys are day, thread, calls_per_thread",
        ),
        (
            "[budget]\n\"\\u001b[2J\" = 1",
            "unknown key \"⟨U+001B⟩[2J\" in [budget] at /x/config.toml:2; the keys are day, thread, calls_per_thread",
        ),
    ] {
        check_error(text, expected);
    }
}

#[test]
fn wrong_types_are_refused() {
    for (text, expected) in [
        ("[budget]\n\nday = \"2\"", "budget.day at /x/config.toml:3 must be a number, not a string"),
        ("[budget]\nday = true", "budget.day at /x/config.toml:2 must be a number, not true or false"),
        (
            "[engine]\nretries = 1.5",
            "engine.retries at /x/config.toml:2 must be a whole number, not a number with a fraction",
        ),
        ("[user]\nname = 3", "user.name at /x/config.toml:2 must be a string, not a whole number"),
        ("[user]\nname = 2020-01-01", "user.name at /x/config.toml:2 must be a string, not a date"),
        ("[model.provider]\nx = 1", "model.provider at /x/config.toml:1 must be a string, not a section"),
        ("model = \"gpt\"", "model at /x/config.toml:1 must be a section; write [model]"),
        ("[[model]]\nname = \"x\"", "model at /x/config.toml:1 must be a section; write [model]"),
        (
            "[models]\ncheap = \"x\"",
            "models.cheap at /x/config.toml:2 must be a section; write [models.NAME]",
        ),
        ("models = 3", "models at /x/config.toml:1 must be a section; write [models.NAME]"),
    ] {
        check_error(text, expected);
    }
}

#[test]
fn values_that_cannot_be_meant_are_refused() {
    for (text, expected) in [
        (
            "[approvals]\nhold_seconds = -5",
            "approvals.hold_seconds at /x/config.toml:2 must be from 0 to 86400, not -5",
        ),
        ("[budget]\nday = -0.5", "budget.day at /x/config.toml:2 must be from 0 to 1000000, not -0.5"),
        ("[budget]\nday = nan", "budget.day at /x/config.toml:2 must be from 0 to 1000000, not NaN"),
        ("[budget]\nday = inf", "budget.day at /x/config.toml:2 must be from 0 to 1000000, not inf"),
        (
            "[engine]\nretries = 99999999999999999999",
            "engine.retries at /x/config.toml:2 is a number too large to read",
        ),
        (
            "[model]\nprovider = \"opnai\"",
            "model.provider at /x/config.toml:2 cannot be \"opnai\"; did you mean \"openai\"?",
        ),
        (
            "[log]\nlevel = \"loud\"",
            "log.level at /x/config.toml:2 cannot be \"loud\"; choose one of off, error, warn, info, debug, trace",
        ),
        (
            "[user]\ntime_zone = \"Europe/Pairs\"",
            "user.time_zone at /x/config.toml:2 has no time zone \"Europe/Pairs\"; write one such as Europe/Paris or UTC",
        ),
        (
            "[models.model]\nprovider = \"builtin\"",
            "models.model at /x/config.toml:1 would be taken for [model]; choose another name",
        ),
        (
            "[workflow.email]\n\ntriage_model = \"cheep\"\n[models.cheap]\n",
            "there is no model \"cheep\" (at /x/config.toml:3); the known ones are builtin, cheap, me",
        ),
        (
            "[model]\nprovider = \"openai\"",
            "[model] at /x/config.toml:2 needs name; write what openai calls the model",
        ),
        (
            "[models.big]\nname = \" \"\nprovider = \"anthropic\"",
            "[models.big] at /x/config.toml:3 needs name; write what anthropic calls the model",
        ),
        (
            "[models.builtin]",
            "models.builtin at /x/config.toml:1 names the built-in rules; choose another name",
        ),
        (
            "[model]\napi_key_env = \"A\"\napi_key_command = \"pass x\"",
            "model.api_key_command at /x/config.toml:3 says the same as api_key_env; keep one of them",
        ),
        (
            "[prices.x]\ninput = 1",
            "[prices.x] at /x/config.toml:1 needs output; write the dollars for a million tokens",
        ),
        (
            "[model]\nbase_url = \"localhost\"",
            "model.base_url at /x/config.toml:2 must begin with https:// or http://",
        ),
        (
            "[model]\nbase_url = \"https:///v1\"",
            "model.base_url at /x/config.toml:2 must be an address such as http://127.0.0.1:8080/v1",
        ),
        (
            "[model]\nbase_url = \"http://h/v1?x\"",
            "model.base_url at /x/config.toml:2 must end with a path, without ? or #",
        ),
    ] {
        check_error(text, expected);
    }
}

#[test]
fn broken_toml_names_its_line() {
    for (text, line) in
        [("[model\nname = 1", 1), ("\n\n[budget]\nday = = 1", 4), ("[log]\nlevel = \"a\"\nlevel = \"b\"", 3)]
    {
        let error = resolve_with(text, &inputs()).unwrap_err();
        assert!(
            matches!(&error, Error::Syntax { at: Origin::File { line: at, .. }, .. } if *at == line),
            "{error}"
        );
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    let deep = format!("[user]\nname = {}", "[".repeat(100_000));
    assert!(resolve_with(&deep, &inputs()).is_err());
}

#[test]
fn a_secret_in_the_file_is_refused_and_never_repeated() {
    const CANARY: &str = "skcanary7f3a";
    for text in [
        format!("[model]\napi_key = \"{CANARY}\""),
        format!("[models.x]\nApiKey = \"{CANARY}\""),
        format!("[model]\ntoken = \"{CANARY}\""),
        format!("[model]\napi_key_env = \"{CANARY}\""),
        format!("[model]\napi_key = {CANARY}"),
        format!("[model]\nbase_url = \"https://ada:{CANARY}@h/v1\""),
        format!("[model]\napi_key_env = [\"{CANARY}\"]"),
    ] {
        let error = resolve_with(&text, &inputs()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains(CANARY), "{error:?}");
    }
    check_error(
        "[model]\napi_key = \"x\"",
        "\"api_key\" in [model] at /x/config.toml:2 would keep a secret in the file; say where it is kept with \
         api_key_env, api_key_command or api_key_file",
    );
    let mut inputs = inputs();
    inputs.env = Env::from_iter([("K", CANARY)]);
    let text = format!("[model]\napi_key_env = \"K\"\n[models.x]\napi_key_command = \"echo {CANARY}\"");
    let config = resolve_with(&text, &inputs).unwrap();
    assert!(!format!("{config:?} {inputs:?}").contains(CANARY));
    assert_eq!(setting(&config, "model.api_key_env").value, "env K (set)");
    assert_eq!(setting(&config, "models.x.api_key_command").value, "command echo …");
}

#[test]
fn wrong_variables_are_refused() {
    for (name, value, expected) in [
        ("SAYSO_BUDGET__DAY", "two", "budget.day in SAYSO_BUDGET__DAY must be a number, not a string"),
        (
            "SAYSO_ENGINE__RETRIES",
            "-1",
            "engine.retries in SAYSO_ENGINE__RETRIES must be from 0 to 100, not -1",
        ),
        ("SAYSO_BUDGE__DAY", "1", "unknown variable SAYSO_BUDGE__DAY; did you mean SAYSO_BUDGET__DAY?"),
        ("SAYSO_X__Y", "1", "unknown variable SAYSO_X__Y; unset it; `sayso config` lists the keys"),
    ] {
        let mut inputs = inputs();
        inputs.env = Env::from_iter([(name, value)]);
        assert_eq!(resolve_with("", &inputs).unwrap_err().to_string(), expected);
    }
}
