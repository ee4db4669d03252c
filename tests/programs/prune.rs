//! `prune` and `activity`: previews, shapes and bad input.

use crate::runner::{Cli, checks, keys, text};
use serde_json::json;

const REPORT: &str = "pruned before status threads records mails kept file_before file_after left";

#[test]
fn prune_shows_first_and_takes_only_when_told() {
    let cli = Cli::new();
    let (thread, asked) = cli.chat("tea");
    cli.json(&["respond", &asked, "done", "--wait"]);
    let (open, _) = cli.chat("milk");
    assert!(cli.sayso(&["prune"]).done().contains("that is done or abandoned and untouched since"));
    let plan = cli.json(&["prune", "--older-than", "0d"]);
    keys(&plan, REPORT);
    assert_eq!((&plan["pruned"], &plan["threads"]), (&json!(false), &json!(0)));
    assert_eq!(plan["kept"], json!([{"why": "its result is not filed away", "threads": 1}]));
    let output = cli.sayso(&["prune", "--older-than", "0d"]);
    assert!(output.done().contains("1 kept: its result is not filed away"), "{output:?}");
    let (parcel, _) = cli.asked(&["courier", "parcels=word"]);
    cli.json(&["stop", &parcel]);
    let trouble = text(&cli.json(&["list", "--kind", "trouble"])[0]["id"]);
    assert_eq!(cli.json(&["ignore", &trouble, "--wait"])["status"], "abandoned");
    let output = cli.sayso(&["prune", "--older-than", "0d"]);
    let output = output.done();
    assert!(output.contains("1 threads are done or abandoned"), "{output}");
    assert!(output.contains("--yes prunes it"), "{output}");
    assert!(!cli.json(&["show", &parcel])["steps"].as_array().unwrap().is_empty(), "nothing was changed");
    let done = cli.json(&["prune", "--older-than", "0d", "--yes"]);
    keys(&done, REPORT);
    assert_eq!((&done["pruned"], &done["threads"], &done["records"]), (&json!(true), &json!(1), &json!(1)));
    let shown = cli.json(&["show", &parcel]);
    assert_eq!((&shown["steps"], &shown["error"]["code"]), (&json!([]), &json!("pruned")));
    assert_eq!(shown["decisions"].as_array().unwrap().len(), 1);
    assert!(cli.sayso(&["show", &parcel]).done().contains("was pruned"));
    for kept in [thread, open] {
        assert!(!cli.json(&["show", &kept])["steps"].as_array().unwrap().is_empty());
    }
    assert!(cli.sayso(&["prune", "--older-than", "0d", "--yes"]).done().starts_with("0 threads"));
    for name in ["database", "records"] {
        assert!(matches!(checks(&cli, name)[..], [(true, _)]), "{name}");
    }
}

#[test]
fn prune_refuses_what_it_does_not_understand() {
    let cli = Cli::new();
    cli.refused(&["prune", "--older-than", "soon"], 2, "`soon` is not a length of time");
    cli.refused(&["prune", "--older-than", "-3d"], 2, "");
    cli.refused(&["prune", "--status", "waiting"], 2, "waiting");
    cli.refused(&["prune", "--status", "done,open"], 2, "open");
    cli.refused(&["prune", "t1"], 2, "t1");
}

#[test]
fn activity_tells_the_days_in_numbers() {
    let cli = Cli::new();
    let (_, asked) = cli.asked(&["courier", "parcels=word"]);
    cli.json(&["accept", &asked[0], "--wait"]);
    let activity = cli.json(&["activity", "--days", "3"]);
    assert_eq!(activity["days"].as_array().unwrap().len(), 3);
    keys(&activity["days"][0], "day decisions calls tokens cost");
    assert_eq!(activity["days"][2]["decisions"]["untouched"], 1);
    keys(&activity["storage"], "file free tables");
    let output = cli.sayso(&["activity"]);
    let output = output.done();
    assert!(output.contains("1 today, 1 in 30 days") && output.contains("The file takes"), "{output}");
    assert!(Cli::new().sayso(&["activity"]).done().contains("0 today, 0 in 30 days"));
    cli.refused(&["activity", "--days", "0"], 2, "0");
    cli.refused(&["activity", "--days", "400"], 2, "400");
    cli.refused(&["activity", "--days", "many"], 2, "many");
}
