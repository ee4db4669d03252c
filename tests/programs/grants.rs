//! `grants`, `accept --grant`, `draft`, `reclassify` and `undo --batch`.

use crate::runner::{Cli, OUTCOME, each, keys, text, texts};
use sayso::engine::graph::{BatchId, Decision, InterruptId};
use sayso::engine::store::{DecisionDetails, Holds, Store};
use sayso::inbox::{DecidedBy, DecisionRequest};
use serde_json::{Value, json};

const GRANT: &str =
    "id tool used scope thread sender origin builtin created_at expires_at revoked_at in_force";

/// A player that asks this first.
fn asking(cli: &Cli, question: Value) -> (String, String) {
    let program = json!([[{"ask": [question]}]]).to_string();
    let (thread, mut asked) = cli.asked(&["player", &format!("program={program}")]);
    (thread, asked.remove(0))
}

fn offering(cli: &Cli) -> (String, String) {
    asking(cli, json!({"key": "a", "for_thread": true, "sender": "bo@far.test", "draft": true}))
}

#[test]
fn a_grant_is_given_with_an_accept_listed_and_revoked() {
    let cli = Cli::new();
    let (thread, asked) = offering(&cli);
    let offered = "accept --grant sender allows it for mail from bo@far.test";
    assert!(cli.sayso(&["view", &asked]).done().contains(offered));
    let item = cli.json(&["view", &asked]);
    assert_eq!(item["grantable"], json!({"thread": true, "sender": "bo@far.test"}));
    let outcome = cli.json(&["accept", &asked, "--grant", "sender", "--for", "2h"]);
    keys(&outcome, OUTCOME);
    let lines = cli.json(&["grants"]);
    for line in lines.as_array().unwrap() {
        keys(line, GRANT);
    }
    let given = &lines[5];
    for (key, expected) in [
        ("tool", json!("do")),
        ("sender", json!("bo@far.test")),
        ("origin", json!(asked)),
        ("builtin", json!(false)),
        ("in_force", json!(true)),
        ("thread", Value::Null),
    ] {
        assert_eq!(given[key], expected, "{key}");
    }
    let listed = cli.sayso(&["grants"]);
    assert!(
        listed.done().contains("mail from bo@far.test") && listed.out.contains("in force until"),
        "{listed:?}"
    );
    let id = text(&given["id"]);
    let revoked = cli.json(&["grants", "revoke", &id[..4]]);
    keys(&revoked, GRANT);
    assert_eq!(revoked["in_force"], false);
    cli.refused(&["grants", "revoke", &id], 3, "it was revoked at");
    cli.refused(&["grants", "restore", &id], 2, "not built in");
    // For the thread, for as long as it lasts.
    let (thread_two, asked) = offering(&cli);
    cli.json(&["accept", &asked, "--grant", "thread"]);
    let given = cli.json(&["grants"])[6].clone();
    assert_eq!((&given["thread"], &given["expires_at"]), (&json!(thread_two), &Value::Null));
    assert_ne!(thread, thread_two);
}

#[test]
fn what_cannot_be_allowed_is_not_accepted_either() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    cli.refused(&["accept", &asked, "--grant", "thread"], 2, "cannot be allowed for its thread");
    cli.refused(&["accept", &asked, "--grant", "everything"], 2, "is not what this card shows");
    cli.refused(&["accept", &asked, "--for", "1h"], 2, "--grant");
    let soon = ["accept", &asked, "--grant", "thread", "--for", "soon"];
    cli.refused(&soon, 2, "`soon` is not a length of time");
    cli.refused(&["accept", &thread, "--grant", "thread"], 2, "leave --grant out");
    assert_eq!(cli.json(&["show", &thread])["status"], "waiting");
    // And what is not accepted allows nothing.
    let (_, offered) = offering(&cli);
    cli.refused(&["accept", &offered, "--grant", "thread", "--args-hash", "00000000"], 3, "has changed");
    let in_force = |line: &&Value| line["in_force"] == true && line["builtin"] == false;
    assert_eq!(cli.json(&["grants"]).as_array().unwrap().iter().filter(in_force).count(), 0);
}

#[test]
fn what_is_built_in_is_switched_off_and_on() {
    let cli = Cli::new();
    let builtin = "output_files mark_handled own_mail put_away catalogue_get"
        .split(' ')
        .map(|name| format!("builtin:{name}"));
    assert_eq!(each(&cli.json(&["grants"]), "id"), builtin.collect::<Vec<_>>());
    let off = cli.sayso(&["grants", "revoke", "builtin:output_files"]);
    assert_eq!(off.done(), "builtin:output_files is off.\n");
    cli.refused(&["grants", "revoke", "builtin:output_files"], 3, "no longer open");
    assert_eq!(cli.json(&["grants", "restore", "builtin:output_files"])["in_force"], true);
    cli.refused(&["grants", "revoke", "builtin:nothing"], 3, "`sayso grants` shows them all");
    cli.refused(&["grants", "revoke", "nonsense!"], 3, "there is no grant `nonsense!`");
    cli.refused(&["grants", "revoke"], 2, "<ID>");
    cli.refused(&["grants", "give"], 2, "give");
    cli.configure("[policy.write_email]\nmode = \"allow\"\nrecipients = [\"own_domain\"]\n");
    let policy = cli.json(&["grants"])[5].clone();
    assert_eq!((&policy["id"], &policy["origin"]), (&json!("policy:write_email"), &json!("config")));
    cli.refused(&["grants", "revoke", "policy:write_email"], 2, "[policy.write_email]");
}

#[test]
fn a_draft_is_a_decision_like_the_others() {
    let cli = Cli::new();
    let (thread, asked) = offering(&cli);
    assert!(cli.sayso(&["view", &asked]).done().contains("ignore, draft"));
    cli.refused(&["draft", &asked, "--args-hash", "00000000"], 3, "has changed");
    let outcome = cli.json(&["draft", &asked, "--wait", "--timeout", "60"]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["status"], "done");
    assert_eq!(cli.json(&["show", &thread])["decisions"][0]["type"], "draft");
    let (_, parcel) = cli.parcel("book");
    cli.refused(&["draft", &parcel], 2, "cannot be answered with draft");
    cli.refused(&["draft", &thread], 2, "a result cannot be answered with draft");
}

#[test]
fn a_thread_is_corrected_where_its_workflow_takes_it() {
    let cli = Cli::new();
    let (thread, asked) = cli.parcel("book");
    let outcome = cli.json(&["reclassify", &thread, "respond", "--wait"]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["status"], "waiting");
    assert_ne!(texts(&outcome["interrupts"]), [asked.as_str()], "it is asked anew");
    cli.refused(&["accept", &asked], 3, "the thread was corrected");
    cli.refused(&["reclassify", &thread, "spam"], 2, "notify");
    cli.refused(&["reclassify", "t00000000", "ignore"], 3, "there is no thread");
}

#[test]
fn undo_of_a_batch_names_what_it_cannot_take_back() {
    let cli = Cli::new();
    let asked = ["book", "pen"].map(|what| cli.parcel(what).1);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for id in &asked {
        // The first is acted on before the second is decided.
        cli.sayso(&["run"]).done();
        let decide = DecisionRequest {
            interrupt: InterruptId::parse(id).unwrap(),
            decision: Decision::Ignore,
            shown: None,
            learn: true,
            by: DecidedBy::Tui,
        };
        let batch = Some(BatchId::parse("b2345678a").unwrap());
        let details = DecisionDetails { batch, ..DecisionDetails::default() };
        let store = Store::open(&cli.data()).unwrap();
        runtime.block_on(store.inbox().decide(decide, details, Holds::default())).unwrap();
    }
    let undone = cli.sayso(&["undo", &asked[1], "--batch", "--json"]);
    let each: Value = serde_json::from_str(&undone.out).unwrap();
    let told = |id: &str| {
        let found = each.as_array().unwrap().iter().find(|one| one["interrupt"] == id);
        found.map(|one| (one["status"].as_str(), one["refused"].is_string()))
    };
    assert_eq!((told(&asked[0]), told(&asked[1])), (Some((None, true)), Some((Some("waiting"), false))));
    assert_eq!(undone.code, 1, "{undone:?}");
}

/// A call of Claude Code's, as it is asked about in the person's folder.
fn call(cli: &Cli, tool: &str, args: &str) -> serde_json::Value {
    let mut command = cli.real();
    command.args(["request", "--title", tool, "--action", tool, "--source", "claude-code"]);
    let output = command.args(["--args", args, "--json"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A grant for a tool of a server is for what starts that server now.
#[test]
fn another_server_of_the_same_name_is_another() {
    let cli = Cli::new();
    let config = |entry: &str| {
        let text = format!(r#"{{"mcpServers": {{"site": {entry}}}}}"#);
        std::fs::write(cli.path(".claude.json"), text).unwrap();
    };
    let ask = || call(&cli, "mcp__site__publish", r#"{"page": "a"}"#);
    config(r#"{"command": "site", "args": ["--staging"], "env": {"TOKEN": "a"}}"#);
    let asked = ask();
    let id = asked["id"].as_str().unwrap().to_owned();
    cli.json(&["accept", &id, "--grant", "mcp__site__publish"]);
    let scope = cli.json(&["grants"]).as_array().unwrap().last().unwrap()["scope"].to_string();
    assert!(scope.contains("its server: site of ") && !scope.contains("TOKEN"), "{scope}");
    assert_ne!(ask()["status"], "waiting");
    config(r#"{"command": "site", "args": ["--staging"], "env": {"TOKEN": "b"}}"#);
    assert_ne!(ask()["status"], "waiting", "a token that changes changes nothing");
    for entry in [
        r#"{"command": "site", "args": ["--production"], "env": {"TOKEN": "a"}}"#,
        r#"{"command": "site", "args": ["--staging"], "env": {"TOKEN": "a", "HOST": "b"}}"#,
        r#"{"url": "https://site.test"}"#,
    ] {
        config(entry);
        assert_eq!(ask()["status"], "waiting", "{entry}");
    }
    std::fs::remove_file(cli.path(".claude.json")).unwrap();
    assert_eq!(ask()["status"], "waiting", "a server that nobody can see");
}

/// A script is allowed as it is: once it has changed it is asked about again, with the difference.
#[test]
fn a_script_that_changed_is_asked_with_the_difference() {
    let cli = Cli::new();
    let write = |text: &str| std::fs::write(cli.path("x.sh"), text).unwrap();
    let ask = || call(&cli, "Bash", r#"{"command": "sh x.sh"}"#);
    write("echo one\necho two\n");
    let id = ask()["id"].as_str().unwrap().to_owned();
    cli.json(&["accept", &id, "--grant", "sh x.sh"]);
    assert_ne!(ask()["status"], "waiting");
    write("echo one\necho three\n");
    let asked = ask();
    assert_eq!(asked["status"], "waiting");
    let shown = cli.real().args(["view", asked["id"].as_str().unwrap()]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    for line in ["You allowed this before `x.sh` changed:", "-echo two", "+echo three"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    write("echo one\necho two\n");
    assert_ne!(ask()["status"], "waiting");
}
