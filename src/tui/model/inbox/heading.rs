//! The line below a card's title: who wants what, in words. Ids and internal names are shown by “why”.

use crate::engine::graph::Kind;
use crate::inbox::door::action_words;
use crate::inbox::{ABSENT_ACTION, ASKING_WORKFLOW, Item, PROGRAM_ACTIONS, Question, UNNAMED_PROGRAM};
use crate::text::Visible;
use serde_json::Value;

/// Says who wants what from the user.
pub(super) fn who_wants_what(item: &Item) -> String {
    match item {
        Item::Question(question) => wish(question),
        Item::Result(result) => format!("The {} thread is done", Visible::line(&result.workflow)),
    }
}

fn wish(item: &Question) -> String {
    let source = item.source.as_deref().map(|source| Visible::line(source).into_string());
    let workflow = Visible::line(&item.workflow);
    let who = source.clone().unwrap_or_else(|| workflow.to_string());
    let wish = match item.kind {
        Kind::Triage if item.action.starts_with(PROGRAM_ACTIONS) => {
            format!("{} tells you something", program(item))
        }
        Kind::Triage => format!("{who} wrote to you"),
        Kind::Question => match (item.action.as_str(), &source) {
            ("remind", _) => format!("You are waiting for an answer from {who}"),
            (action, _) if action.starts_with(PROGRAM_ACTIONS) => format!("{} asks you", program(item)),
            (_, Some(_)) => format!("{who} asks you"),
            (_, None) => format!("The {workflow} thread asks you"),
        },
        Kind::Trouble if item.action == ABSENT_ACTION => "Your model does not answer".to_owned(),
        Kind::Trouble if item.workflow == ASKING_WORKFLOW => {
            format!("Your mailbox {who} needs you")
        }
        Kind::Trouble => match item.action.as_str() {
            "stopped" => format!("The {workflow} thread is stopped"),
            "budget" | "step_limit" => format!("The {workflow} thread needs you"),
            _ => format!("The {workflow} thread failed"),
        },
        Kind::Approval => approval(item, source.is_some(), &who),
    };
    if item.irreversible { format!("{wish} · can't be undone afterwards") } else { wish }
}

fn approval(item: &Question, is_answer: bool, who: &str) -> String {
    let ready = match (item.allow.accept, item.sends_nothing()) {
        (false, _) => ", not ready to be sent",
        (true, false) => ", ready to send",
        (true, true) => " · accepting sends nothing",
    };
    match item.action.as_str() {
        "write_email" if item.begins_conversation() => format!("Mail to {who}{ready}"),
        "write_email" if is_answer => format!("Reply to {who}{ready}"),
        "write_email" => format!("Mail{ready}"),
        "schedule_meeting" => format!("Invitation to {who}{ready}"),
        "answer_invitation" => format!("Answer to an invitation from {who}{ready}"),
        "remove_event" => format!("{who} cancelled an event in your calendar"),
        "unsubscribe" => format!("Unsubscribe from {who}{ready}"),
        "python" => format!("{who} wants to run this code"),
        action if action.starts_with(PROGRAM_ACTIONS) => {
            match item.args.get("command").and_then(Value::as_str) {
                Some(command) if !command.trim().is_empty() => {
                    format!("{} wants to run a command", program(item))
                }
                _ => format!("{} wants to use {}", program(item), action_words(&item.workflow, action)),
            }
        }
        action => format!("{who} needs your approval: {}", action_words(&item.workflow, action)),
    }
}

/// The program that asks. It chose its name itself, so it is never shown like a person's.
fn program(item: &Question) -> String {
    match asker(item).as_str() {
        UNNAMED_PROGRAM => "A program that gave no name".to_owned(),
        name => format!("The program {name}"),
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
    use crate::engine::graph::{Allow, Grantable, Hash, InterruptId, Labels, ThreadId};
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
    fn the_line_says_wish() {
        use Kind::{Approval, Question, Triage, Trouble};
        for (kind, action, source, expected) in [
            (Approval, "write_email", Some("Ann"), "Reply to Ann, ready to send"),
            (Approval, "write_email", None, "Mail, ready to send"),
            (Approval, "request/restart", Some("request: ci"), "The program ci wants to use restart"),
            (Question, "request/question", Some("request: ci"), "The program ci asks you"),
            (
                Question,
                "request/question",
                Some("request: a program"),
                "A program that gave no name asks you",
            ),
            (Triage, "request/notice", Some("request: ci"), "The program ci tells you something"),
            (Triage, "notify", Some("Ann"), "Ann wrote to you"),
            (Question, "remind", Some("Ann"), "You are waiting for an answer from Ann"),
            (Question, "question", Some("Ann"), "Ann asks you"),
            (Question, "next_question", None, "The ask thread asks you"),
            (Trouble, "failed", None, "The ask thread failed"),
            (Trouble, "stopped", None, "The ask thread is stopped"),
            (Trouble, "budget", None, "The ask thread needs you"),
        ] {
            assert_eq!(wish(&item(kind, action, source)), expected);
        }
        let mut command = item(Approval, "request/Bash", Some("request: claude-code"));
        command.args = json!({ "command": "ls" });
        assert_eq!(wish(&command), "The program claude-code wants to run a command");
        for no_command in [json!(7), json!(null), json!(["ls"]), json!(" ")] {
            command.args = json!({ "command": no_command });
            assert_eq!(wish(&command), "The program claude-code wants to use Bash", "{no_command}");
        }
    }

    #[test]
    fn what_was_asked_while_observing_is_not_ready_to_send() {
        let mut asked = item(Kind::Approval, "answer_invitation", Some("Ann"));
        asked.workflow = "email".to_owned();
        assert_eq!(wish(&asked), "Answer to an invitation from Ann · accepting sends nothing");
        asked.irreversible = true;
        assert_eq!(
            wish(&asked),
            "Answer to an invitation from Ann, ready to send · can't be undone afterwards"
        );
    }

    #[test]
    fn a_mail_that_cannot_be_accepted_is_not_ready() {
        let mut unwritten = item(Kind::Approval, "write_email", Some("Ann"));
        unwritten.allow.accept = false;
        unwritten.irreversible = true;
        assert_eq!(wish(&unwritten), "Reply to Ann, not ready to be sent · can't be undone afterwards");
    }
}
