//! `grants`, `accept --grant`, `draft`, `reclassify` and `undo --batch`.

use crate::desk::{Desk, OUTCOME, keys, text, texts};
use serde_json::{Value, json};

const GRANT: &[&str] = &[
    "id",
    "tool",
    "scope",
    "thread",
    "sender",
    "origin",
    "builtin",
    "created_at",
    "expires_at",
    "revoked_at",
    "in_force",
];

/// A player that asks this first.
fn asking(desk: &Desk, question: Value) -> (String, String) {
    let program = json!([[{"ask": [question]}]]).to_string();
    let (thread, mut asked) = desk.asked(&["player", &format!("program={program}")]);
    (thread, asked.remove(0))
}

fn offering(desk: &Desk) -> (String, String) {
    asking(desk, json!({"key": "a", "for_thread": true, "sender": "bo@far.test", "draft": true}))
}

#[test]
fn a_grant_is_given_with_an_accept_listed_and_revoked() {
    let desk = Desk::new();
    let (thread, asked) = offering(&desk);
    assert!(
        desk.sayso(&["view", &asked])
            .done()
            .contains("accept --grant sender allows it for mail of bo@far.test")
    );
    let item = desk.json(&["view", &asked]);
    assert_eq!(item["grantable"], json!({"thread": true, "sender": "bo@far.test"}));
    let outcome = desk.json(&["accept", &asked, "--grant", "sender", "--for", "2h"]);
    keys(&outcome, OUTCOME);
    let lines = desk.json(&["grants"]);
    for line in lines.as_array().unwrap() {
        keys(line, GRANT);
    }
    let given = &lines[4];
    assert_eq!(
        (&given["tool"], &given["sender"], &given["origin"]),
        (&json!("do"), &json!("bo@far.test"), &json!(asked))
    );
    assert_eq!(
        (&given["builtin"], &given["in_force"], &given["thread"]),
        (&json!(false), &json!(true), &Value::Null)
    );
    let listed = desk.sayso(&["grants"]);
    assert!(
        listed.done().contains("mail of bo@far.test") && listed.out.contains("in force until"),
        "{listed:?}"
    );
    let id = text(&given["id"]);
    let revoked = desk.json(&["grants", "revoke", &id[..4]]);
    keys(&revoked, GRANT);
    assert_eq!(revoked["in_force"], false);
    desk.refused(&["grants", "revoke", &id], 3, "it was revoked at");
    desk.refused(&["grants", "restore", &id], 2, "not built in");
    // For the thread, for as long as it lasts.
    let (thread_two, asked) = offering(&desk);
    desk.json(&["accept", &asked, "--grant", "thread"]);
    let given = desk.json(&["grants"])[5].clone();
    assert_eq!((&given["thread"], &given["expires_at"]), (&json!(thread_two), &Value::Null));
    assert_ne!(thread, thread_two);
}

#[test]
fn what_cannot_be_allowed_is_not_accepted_either() {
    let desk = Desk::new();
    let (thread, asked) = desk.parcel("book");
    desk.refused(&["accept", &asked, "--grant", "thread"], 2, "cannot be allowed for its thread");
    desk.refused(&["accept", &asked, "--grant", "everything"], 2, "sender");
    desk.refused(&["accept", &asked, "--for", "1h"], 2, "--grant");
    desk.refused(
        &["accept", &asked, "--grant", "thread", "--for", "soon"],
        2,
        "`soon` is not a length of time",
    );
    desk.refused(&["accept", &thread, "--grant", "thread"], 2, "leave --grant out");
    assert_eq!(desk.json(&["show", &thread])["status"], "waiting");
    // And what is not accepted allows nothing.
    let (_, offered) = offering(&desk);
    desk.refused(&["accept", &offered, "--grant", "thread", "--args-hash", "00000000"], 3, "has changed");
    let in_force = |line: &&Value| line["in_force"] == true && line["builtin"] == false;
    assert_eq!(desk.json(&["grants"]).as_array().unwrap().iter().filter(in_force).count(), 0);
}

#[test]
fn what_is_built_in_is_switched_off_and_on() {
    let desk = Desk::new();
    let ids =
        |lines: &Value| lines.as_array().unwrap().iter().map(|line| text(&line["id"])).collect::<Vec<_>>();
    assert_eq!(
        ids(&desk.json(&["grants"])),
        ["builtin:output_files", "builtin:mark_handled", "builtin:catalogue_get", "builtin:server_commands"]
    );
    assert_eq!(
        desk.sayso(&["grants", "revoke", "builtin:output_files"]).done(),
        "builtin:output_files is off.\n"
    );
    desk.refused(&["grants", "revoke", "builtin:output_files"], 3, "no longer open");
    assert_eq!(desk.json(&["grants", "restore", "builtin:output_files"])["in_force"], true);
    desk.refused(&["grants", "revoke", "builtin:nothing"], 3, "`sayso grants` shows them all");
    desk.refused(&["grants", "revoke", "nonsense!"], 3, "there is no grant `nonsense!`");
    desk.refused(&["grants", "revoke"], 2, "<ID>");
    desk.refused(&["grants", "give"], 2, "give");
    desk.configure("[policy.write_email]\nmode = \"allow\"\nrecipients = [\"own_domain\"]\n");
    let policy = desk.json(&["grants"])[4].clone();
    assert_eq!((&policy["id"], &policy["origin"]), (&json!("policy:write_email"), &json!("config")));
    desk.refused(&["grants", "revoke", "policy:write_email"], 2, "[policy.write_email]");
}

#[test]
fn a_draft_is_a_decision_like_the_others() {
    let desk = Desk::new();
    let (thread, asked) = offering(&desk);
    assert!(desk.sayso(&["view", &asked]).done().contains("ignore, draft"));
    desk.refused(&["draft", &asked, "--args-hash", "00000000"], 3, "has changed");
    let outcome = desk.json(&["draft", &asked, "--wait", "--timeout", "60"]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["status"], "done");
    assert_eq!(desk.json(&["show", &thread])["decisions"][0]["type"], "draft");
    let (_, parcel) = desk.parcel("book");
    desk.refused(&["draft", &parcel], 2, "cannot be answered with draft");
    desk.refused(&["draft", &thread], 2, "a result cannot be answered with draft");
}

#[test]
fn a_thread_is_corrected_where_its_workflow_takes_it() {
    let desk = Desk::new();
    let (thread, asked) = desk.parcel("book");
    let outcome = desk.json(&["reclassify", &thread, "respond", "--wait"]);
    keys(&outcome, OUTCOME);
    assert_eq!(outcome["status"], "waiting");
    assert_ne!(texts(&outcome["interrupts"]), [asked.as_str()], "it is asked anew");
    desk.refused(&["accept", &asked], 3, "the thread was corrected");
    desk.refused(&["reclassify", &thread, "spam"], 2, "notify");
    desk.refused(&["reclassify", "t00000000", "ignore"], 3, "there is no thread");
}

#[test]
fn undo_takes_a_batch_of_one_back_too() {
    let desk = Desk::new();
    desk.configure("[approvals]\nhold_seconds = 3600\n");
    let (_, asked) = desk.parcel("book");
    desk.json(&["accept", &asked]);
    let undone = desk.json(&["undo", &asked, "--batch"]);
    assert_eq!(undone.as_array().unwrap().len(), 1);
    keys(&undone[0], OUTCOME);
    assert_eq!(undone[0]["status"], "waiting");
    desk.refused(&["undo", &asked, "--batch"], 1, "nothing to undo");
}
