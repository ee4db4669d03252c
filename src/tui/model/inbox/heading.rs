//! The line above a card's title: what state it is in, and whom it concerns. Ids and internal names are shown by “why”.

use crate::engine::graph::Kind;
use crate::inbox::door::action_words;
use crate::inbox::{
    ABSENT_ACTION, ANSWER_INVITATION, ASKING_WORKFLOW, Item, PROGRAM_ACTIONS, Question, UNNAMED_PROGRAM,
    YOUR_TURN,
};
use crate::text::Visible;
use crate::tui::words;
use serde_json::Value;
use std::collections::HashMap;

/// What state the item is in, and whom it concerns.
pub(super) fn verdict(item: &Item) -> String {
    match item {
        Item::Question(question) => asked(question),
        Item::Result(result) => format!("Done · {}", Visible::line(&result.workflow)),
    }
}

fn asked(item: &Question) -> String {
    let workflow = Visible::line(&item.workflow).into_string();
    let source = item.source.as_deref().map(words::line);
    let who = source.clone().unwrap_or_else(|| workflow.clone());
    let is_of_program = item.action.starts_with(PROGRAM_ACTIONS);
    let concerning = |state: &str| format!("{state} · {who}");
    match (item.kind, item.action.as_str()) {
        (Kind::Triage, _) if is_of_program => format!("To know · {}", program(item)),
        (Kind::Triage, _) => concerning("To know"),
        (Kind::Question, _) if is_of_program => format!("Asks you · {}", program(item)),
        (Kind::Question, "remind") => concerning("Not answered yet"),
        (Kind::Question, YOUR_TURN) => concerning("Your turn"),
        (Kind::Question, _) if item.is_about_mail() => format!("Asks you · about the mail from {who}"),
        (Kind::Question, _) => match source {
            Some(source) => format!("Asks you · about {source}"),
            None => format!("Asks you · {workflow}"),
        },
        (Kind::Trouble, ABSENT_ACTION) => "Does not answer · your model".to_owned(),
        (Kind::Trouble, _) if item.workflow == ASKING_WORKFLOW => format!("Needs you · your mailbox {who}"),
        (Kind::Trouble, action) => {
            let state = match action {
                "stopped" => "Stopped",
                "budget" | "step_limit" => "At its limit",
                "in_doubt" => "Perhaps done",
                _ => "Failed",
            };
            match source {
                Some(source) => format!("{state} · {workflow}, about {source}"),
                None => format!("{state} · {workflow}"),
            }
        }
        (Kind::Approval, _) => wish(item, &who),
    }
}

/// What would be done, to whom.
fn wish(item: &Question, who: &str) -> String {
    let to = words::recipients(&item.args, &HashMap::new()).unwrap_or_else(|| who.to_owned());
    let ready_to = |what: &str| match (item.allow.accept, item.sends_nothing()) {
        (false, _) => "Not ready to be sent".to_owned(),
        (true, false) => format!("Ready to {what}"),
        (true, true) => "Only proposed, sends nothing".to_owned(),
    };
    let wish = match item.action.as_str() {
        "write_email" => return format!("{} → {to}", ready_to("send")),
        "schedule_meeting" => return format!("{} → {to}", ready_to("invite")),
        "unsubscribe" => return format!("{} · {who}", ready_to("leave the list")),
        ANSWER_INVITATION => return format!("Invited by {who}"),
        "remove_event" => return format!("Cancelled by {who}"),
        "python" => format!("Wants to run code · {who}"),
        action if action.starts_with(PROGRAM_ACTIONS) => {
            let command = item.args.get("command").and_then(Value::as_str).unwrap_or_default();
            let what = if command.trim().is_empty() {
                format!("use {}", action_words(&item.workflow, action))
            } else {
                "run".to_owned()
            };
            let folder = item.grantable.call.as_ref().map(|call| call.folder.as_str());
            let folder = folder.map(|folder| format!(" in {}", Visible::line(folder))).unwrap_or_default();
            format!("Wants to {what} · {}{folder}", program(item))
        }
        action => format!("Needs your approval · {who}, {}", action_words(&item.workflow, action)),
    };
    if item.irreversible { format!("{wish} · can't be undone") } else { wish }
}

/// The program that asks. It chose its name itself, so it is never shown like a person's.
fn program(item: &Question) -> String {
    match asker(item).as_str() {
        UNNAMED_PROGRAM => "a program that gave no name".to_owned(),
        name => format!("the program {name}"),
    }
}

/// The name of the program that asks.
pub fn asker(item: &Question) -> Visible {
    let source = item.source.as_deref().unwrap_or_default();
    Visible::line(source.strip_prefix("request: ").unwrap_or(source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::graph::{AgentCall, Allow, Grantable, Hash, InterruptId, Labels, Texts, ThreadId};
    use jiff::Timestamp;
    use serde_json::json;

    fn item(kind: Kind, action: &str, source: Option<&str>) -> Question {
        Question {
            id: InterruptId::parse("i12345678").unwrap(),
            key: String::new(),
            thread: ThreadId::parse("t12345678").unwrap(),
            workflow: "ask".to_owned(),
            kind,
            title: String::new(),
            gist: String::new(),
            action: action.to_owned(),
            args: json!({}),
            schema: Value::Bool(true),
            edit_from: None,
            allow: Allow::ALL,
            labels: Labels::default(),
            give_back: false,
            warnings: Vec::new(),
            source: source.map(str::to_owned),
            text: String::new(),
            created_at: Timestamp::UNIX_EPOCH,
            snoozed_until: None,
            waiting: false,
            gives_up_at: None,
            args_hash: Hash::from_bytes([0; 32]),
            irreversible: false,
            grantable: Grantable::default(),
            closed: None,
        }
    }

    #[test]
    fn the_verdict_says_the_state_and_whom_it_concerns() {
        use Kind::{Approval, Question, Triage, Trouble};
        for (kind, action, source, expected) in [
            (Approval, "write_email", Some("Ann"), "Ready to send → Ann"),
            (Approval, "write_email", None, "Ready to send → ask"),
            (Approval, "request/restart", Some("request: ci"), "Wants to use restart · the program ci"),
            (Approval, "python", Some("orders.xlsx"), "Wants to run code · orders.xlsx"),
            (Approval, "write_docs", None, "Needs your approval · ask, saving files"),
            (Question, "request/question", Some("request: ci"), "Asks you · the program ci"),
            (Question, "request/x", Some("request: a program"), "Asks you · a program that gave no name"),
            (Triage, "request/notice", Some("request: ci"), "To know · the program ci"),
            (Triage, "notify", Some("Ann"), "To know · Ann"),
            (Question, "remind", Some("Ann"), "Not answered yet · Ann"),
            (Question, "question", Some("notes"), "Asks you · about notes"),
            (Question, "next_question", None, "Asks you · ask"),
            (Question, YOUR_TURN, None, "Your turn · ask"),
            (Trouble, "failed", None, "Failed · ask"),
            (Trouble, "stopped", None, "Stopped · ask"),
            (Trouble, "budget", None, "At its limit · ask"),
        ] {
            assert_eq!(asked(&item(kind, action, source)), expected);
        }
        let mut command = item(Approval, "request/Bash", Some("request: claude-code"));
        command.args = json!({ "command": "ls" });
        assert_eq!(asked(&command), "Wants to run · the program claude-code");
        let (by, folder) = ("claude-code".to_owned(), "/home/noor/webshop".to_owned());
        command.grantable.call =
            Some(AgentCall { by, session: None, folder, acts: Vec::new(), asks: None, was: Texts::new() });
        assert_eq!(asked(&command), "Wants to run · the program claude-code in /home/noor/webshop");
        command.grantable.call = None;
        for no_command in [json!(7), json!(null), json!(["ls"]), json!(" ")] {
            command.args = json!({ "command": no_command });
            assert_eq!(asked(&command), "Wants to use Bash · the program claude-code", "{no_command}");
        }
    }

    #[test]
    fn a_mail_is_said_to_be_ready_only_if_it_would_be_sent() {
        let mut mail = item(Kind::Approval, "write_email", Some("Ann"));
        mail.args = json!({"to": ["bob@b.example"], "cc": ["c@c.example"]});
        assert_eq!(asked(&mail), "Ready to send → bob@b.example and 1 more", "whoever wrote before");
        mail.workflow = "email".to_owned();
        assert_eq!(asked(&mail), "Only proposed, sends nothing → bob@b.example and 1 more");
        (mail.irreversible, mail.allow.accept) = (true, false);
        assert_eq!(asked(&mail), "Not ready to be sent → bob@b.example and 1 more");
    }
}
