//! What Claude Code and Codex offer to remember so that they stop asking: rules, folders and commands that they suggest
//! with a question.
//!
//! Offers are shown and sent back unchanged, and only if the person chooses one. Other suggestions (another mode,
//! removed rules) have nothing to do with remembering and are not offered.

use crate::connect::setup::quoted;
use crate::engine::graph::Remember;
use crate::text::Visible;
use serde_json::{Value, json};

/// More than agents ever suggest.
const MOST: usize = 8;

/// How many bytes of a suggestion fit on a card.
const LONGEST: usize = 1000;

/// What an event offers to remember, with a description.
pub(super) fn offered(event: &Value) -> Vec<Remember> {
    let suggested = event.get("permission_suggestions").and_then(Value::as_array).into_iter().flatten();
    let short = suggested.filter(|rule| rule.to_string().len() <= LONGEST);
    short.filter_map(|rule| Some(Remember { words: words(rule)?, told: rule.clone() })).take(MOST).collect()
}

/// The offer in a request of Codex's app-server: commands with the same beginning.
pub(super) fn offered_by_server(params: &Value) -> Option<Remember> {
    let words: Vec<&str> = params
        .get("proposedExecpolicyAmendment")?
        .as_array()?
        .iter()
        .map(Value::as_str)
        .collect::<Option<_>>()?;
    let decision = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": words}});
    let offered = params.get("availableDecisions")?.as_array()?.contains(&decision);
    let line = words.iter().copied().map(quoted).collect::<Vec<_>>().join(" ");
    // Nobody can agree to something that is not shown exactly, and an empty list would mean every command.
    let is_shown = !words.is_empty() && Visible::line(&line).as_str() == line;
    let words = format!("commands that begin with `{line}`, everywhere");
    (offered && is_shown && decision.to_string().len() <= LONGEST)
        .then_some(Remember { words, told: decision })
}

fn words(update: &Value) -> Option<String> {
    let text = |name: &str| update.get(name).and_then(Value::as_str);
    let list = |name: &str| update.get(name).and_then(Value::as_array).filter(|list| !list.is_empty());
    let rules = match text("type")? {
        "addRules" if text("behavior") == Some("allow") => {
            let rule = |rule: &Value| {
                let tool = rule.get("toolName")?.as_str()?;
                match rule.get("ruleContent") {
                    None | Some(Value::Null) => Some(tool.to_owned()),
                    Some(content) => Some(format!("{tool}({})", content.as_str()?)),
                }
            };
            list("rules")?.iter().map(rule).collect::<Option<Vec<_>>>()?
        }
        "addDirectories" => {
            let folder = |folder: &Value| Some(format!("files in {}", folder.as_str()?));
            list("directories")?.iter().map(folder).collect::<Option<Vec<_>>>()?
        }
        _ => return None,
    };
    let place = match text("destination")? {
        "session" => "in this session",
        "localSettings" => "in this project, for you",
        "projectSettings" => "in this project, for everybody",
        "userSettings" => "everywhere",
        _ => return None,
    };
    Some(format!("{}, {place}", rules.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_folders_are_offered_as_they_came() {
        let rule = json!({"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
            "behavior": "allow", "destination": "localSettings"});
        let folder = json!({"type": "addDirectories", "directories": ["/app"], "destination": "session"});
        let event = json!({"permission_suggestions": [rule, folder]});
        let offered = offered(&event);
        assert_eq!(offered[0].words, "Bash(npm test *), in this project, for you");
        assert_eq!(offered[0].told, rule);
        assert_eq!(offered[1].words, "files in /app, in this session");
    }

    #[test]
    fn the_very_words_that_codex_will_remember_are_quoted() {
        let of = |words: Value| {
            let offer = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": words}});
            let params =
                json!({"proposedExecpolicyAmendment": words, "availableDecisions": ["accept", offer]});
            offered_by_server(&params).map(|offer| offer.words)
        };
        for (words, expected) in [
            (json!(["touch", "ran"]), "touch ran"),
            (json!(["bash", "-lc", "rm -rf x"]), "bash -lc 'rm -rf x'"),
            (json!(["echo", "it's", ""]), r"echo 'it'\''s' ''"),
        ] {
            let expected = format!("commands that begin with `{expected}`, everywhere");
            assert_eq!(of(words), Some(expected));
        }
        for words in [json!([]), json!(["ls\u{200b}"]), json!(["a\nb"]), json!(["ls", 3]), json!("ls")] {
            assert_eq!(of(words.clone()), None, "{words}");
        }
        // It proposes one thing but would accept another.
        let other = json!({"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["rm"]}});
        let params = json!({"proposedExecpolicyAmendment": ["ls"], "availableDecisions": ["accept", other]});
        assert_eq!(offered_by_server(&params), None);
    }

    #[test]
    fn what_is_no_remembering_is_not_offered() {
        let rules = json!([{"toolName": "Bash"}]);
        for rule in [
            json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"}),
            json!({"type": "addRules", "rules": rules, "behavior": "deny", "destination": "session"}),
            json!({"type": "addRules", "rules": rules, "behavior": "allow", "destination": "elsewhere"}),
            json!({"type": "addRules", "rules": [], "behavior": "allow", "destination": "session"}),
            json!({"type": "addRules", "rules": [{"toolName": 3}], "behavior": "allow", "destination": "session"}),
            json!({"type": "removeRules", "rules": rules, "behavior": "allow", "destination": "session"}),
            json!({"type": "addDirectories", "directories": ["x".repeat(2000)], "destination": "session"}),
            json!("addRules"),
        ] {
            assert_eq!(offered(&json!({"permission_suggestions": [rule]})), [], "{rule}");
        }
        assert_eq!(offered(&json!({})), []);
    }
}
