//! What an agent is told, in the form it is known to honour at that point, and nothing it is not.

use super::Agent;
use super::call::{Call, Point};
use super::elicitation::Elicitation;
use super::questions::Answers;
use crate::inbox::{Ending, RequestAnswer, STOP_WORDS};
use crate::text::Visible;
use serde_json::{Value, json};

/// What is to become of a call.
enum Verdict {
    Allow,
    /// With other arguments.
    Changed(Value),
    /// Not, for this reason.
    Deny(String),
    /// Not, and the session is to end where the agent can be told so.
    Stop(String),
    /// sayso has no answer, for this reason.
    Open(String),
}

impl Call {
    /// What the agent is told; nothing where that is how it is told to go on, or to ask itself.
    pub fn reply(&self, answer: &RequestAnswer) -> Option<Value> {
        if let (Some(Ending::Accept), Some(remember)) = (answer.r#type, &answer.remember) {
            return self.reply_remembering(remember);
        }
        let id = &answer.id;
        let words = || answer.args.as_str().unwrap_or_default();
        let said = |words: &str| match words.trim() {
            STOP_WORDS => Verdict::Stop(format!("The person said no: {STOP_WORDS}")),
            words => Verdict::Deny(format!("Not yet. The person answered: {words}")),
        };
        let verdict = match (answer.r#type, &self.questions) {
            (Some(Ending::Edit), Some(questions)) => match questions.chosen_in(&answer.args) {
                Some(answers) => return self.answered(&answers),
                None => Verdict::Deny("The person gave no answer.".to_owned()),
            },
            (Some(Ending::Respond), Some(_)) if words().trim() == STOP_WORDS => said(words()),
            (Some(Ending::Respond), Some(questions)) => match questions.chosen_by(words()) {
                Some(answers) => return self.answered(&answers),
                None => said(words()),
            },
            (Some(Ending::Edit), None) if self.elicitation.is_some() => match self.filled_in(&answer.args) {
                Ok(content) => Verdict::Changed(content),
                Err(why) => Verdict::Open(format!("what was filled in does not fit: {why}")),
            },
            (Some(Ending::Accept), _) => Verdict::Allow,
            (Some(Ending::Edit), None) => Verdict::Changed(answer.args.clone()),
            (Some(Ending::Respond), None) => said(words()),
            (Some(Ending::Ignore), _) => Verdict::Deny("The person said no.".to_owned()),
            (Some(Ending::Expired | Ending::Withdrawn) | None, _) => {
                Verdict::Open(format!("nobody answered {id} in time"))
            }
        };
        self.told(verdict)
    }

    /// The same, with what the agent is to remember, where it offered that.
    fn reply_remembering(&self, remember: &Value) -> Option<Value> {
        let mut told = self.told(Verdict::Allow)?;
        let offered = self.remember.iter().any(|offer| offer.told == *remember);
        match self.point {
            Point::PermissionRequest if offered => {
                told["hookSpecificOutput"]["decision"]["updatedPermissions"] = json!([remember]);
            }
            Point::Approval if offered => told["decision"] = remember.clone(),
            _ => {}
        }
        Some(told)
    }

    /// sayso cannot decide: the agent asks the person itself where it can, and refuses where it cannot.
    pub fn undecided(&self, why: &str) -> Option<Value> {
        self.told(Verdict::Open(Visible::line(why).into_string()))
    }

    fn told(&self, verdict: Verdict) -> Option<Value> {
        match self.point {
            Point::PreToolUse => self.before_use(verdict),
            Point::PermissionRequest => self.permission(verdict),
            Point::Prompted => Some(self.prompted(verdict)),
            Point::BeforeTool => gemini(verdict),
            Point::Tool => Some(match verdict {
                Verdict::Allow => json!({"decision": "allow"}),
                Verdict::Changed(args) => json!({"decision": "allow", "args": args}),
                Verdict::Deny(why) => json!({"decision": "deny", "message": why}),
                Verdict::Stop(why) => json!({"decision": "deny", "message": why, "stop": true}),
                Verdict::Open(why) => json!({"decision": "deny", "message": undecided(&why)}),
            }),
            Point::Permission => match verdict {
                Verdict::Allow => Some(json!({"reply": "once"})),
                Verdict::Deny(why) => Some(json!({"reply": "reject", "message": why})),
                Verdict::Stop(why) => Some(json!({"reply": "reject", "message": why, "stop": true})),
                // Changed arguments would not be honoured; its own dialog still asks.
                Verdict::Changed(_) | Verdict::Open(_) => None,
            },
            Point::Elicitation => self.elicited(verdict),
            Point::Question => match verdict {
                Verdict::Deny(_) => Some(json!({"reject": true})),
                Verdict::Stop(_) => Some(json!({"reject": true, "stop": true})),
                Verdict::Allow | Verdict::Changed(_) | Verdict::Open(_) => None,
            },
            Point::Approval | Point::Permissions | Point::Input | Point::Form => self.to_server(verdict),
        }
    }

    /// What Codex's app-server takes for the answer to its request. Without one its own dialog still asks.
    fn to_server(&self, verdict: Verdict) -> Option<Value> {
        let permissions = |granted: Value| json!({"permissions": granted, "scope": "turn"});
        let is_page = self.elicitation.as_ref().is_some_and(Elicitation::is_page);
        Some(match (self.point, verdict) {
            (Point::Approval, Verdict::Allow) => json!({"decision": "accept"}),
            (Point::Approval, Verdict::Deny(_)) => json!({"decision": "decline"}),
            (Point::Approval, Verdict::Stop(_)) => json!({"decision": "cancel"}),
            (Point::Permissions, Verdict::Allow) => permissions(self.input.get("permissions")?.clone()),
            (Point::Permissions, Verdict::Deny(_) | Verdict::Stop(_)) => permissions(json!({})),
            (Point::Input, Verdict::Deny(_) | Verdict::Stop(_)) => json!({"answers": {}}),
            (Point::Form, Verdict::Allow) if is_page => json!({"action": "accept"}),
            (Point::Form, Verdict::Allow) => json!({"action": "accept", "content": {}}),
            (Point::Form, Verdict::Changed(content)) => json!({"action": "accept", "content": content}),
            (Point::Form, Verdict::Deny(_) | Verdict::Stop(_)) => json!({"action": "decline"}),
            _ => return None,
        })
    }

    /// The words that go with a refusal, for an agent that takes them apart from it.
    pub fn words_with(&self, answer: &RequestAnswer) -> Option<String> {
        let words = answer.args.as_str().filter(|_| answer.r#type == Some(Ending::Respond))?.trim();
        let answers = self.questions.as_ref().is_some_and(|asked| asked.chosen_by(words).is_some());
        (!answers && words != STOP_WORDS).then(|| format!("Not yet. The person answered: {words}"))
    }

    /// Whether the person wants the session stopped.
    pub fn is_stopped(answer: &RequestAnswer) -> bool {
        answer.r#type == Some(Ending::Respond) && answer.args.as_str().map(str::trim) == Some(STOP_WORDS)
    }

    /// Claude Code's form of `PreToolUse`. Codex rejects `allow` without changed input, and `ask`, as unsupported, and
    /// then runs the command.
    fn before_use(&self, verdict: Verdict) -> Option<Value> {
        let allowed = "Allowed in sayso.";
        match (verdict, self.agent) {
            (Verdict::Allow, Agent::Codex) => None,
            (Verdict::Allow, _) => Some(pre_tool_use("allow", allowed)),
            (Verdict::Changed(args), _) => {
                let mut decision = pre_tool_use("allow", allowed);
                decision["hookSpecificOutput"]["updatedInput"] = args;
                Some(decision)
            }
            (Verdict::Stop(why), Agent::ClaudeCode) => {
                let mut decision = pre_tool_use("deny", &why);
                decision["continue"] = Value::Bool(false);
                decision["stopReason"] = Value::from(why);
                Some(decision)
            }
            (Verdict::Deny(why) | Verdict::Stop(why), _) => Some(pre_tool_use("deny", &why)),
            (Verdict::Open(why), Agent::ClaudeCode) if !self.headless => {
                Some(pre_tool_use("ask", &undecided(&why)))
            }
            (Verdict::Open(why), _) => Some(pre_tool_use("deny", &undecided(&why))),
        }
    }

    /// `PermissionRequest`. Without an answer the agent's own question stands, unless nobody sees it.
    fn permission(&self, verdict: Verdict) -> Option<Value> {
        let decision = match verdict {
            Verdict::Allow => json!({"behavior": "allow"}),
            Verdict::Changed(args) if self.agent == Agent::ClaudeCode => {
                json!({"behavior": "allow", "updatedInput": args})
            }
            Verdict::Stop(why) if self.agent == Agent::ClaudeCode => {
                json!({"behavior": "deny", "message": why, "interrupt": true})
            }
            Verdict::Deny(why) | Verdict::Stop(why) => json!({"behavior": "deny", "message": why}),
            Verdict::Open(why) if self.headless => json!({"behavior": "deny", "message": undecided(&why)}),
            Verdict::Changed(_) | Verdict::Open(_) => return None,
        };
        Some(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))
    }

    /// What an MCP server that wants to know something gets. Without an answer Claude Code's own dialog asks.
    fn elicited(&self, verdict: Verdict) -> Option<Value> {
        let mut told = json!({"hookEventName": "Elicitation"});
        let action = match verdict {
            Verdict::Allow => "accept",
            Verdict::Changed(content) => {
                told["content"] = content;
                "accept"
            }
            Verdict::Deny(_) | Verdict::Stop(_) => "decline",
            Verdict::Open(_) if self.headless => "cancel",
            Verdict::Open(_) => return None,
        };
        told["action"] = Value::from(action);
        Some(json!({ "hookSpecificOutput": told }))
    }

    fn filled_in(&self, args: &Value) -> Result<Value, String> {
        let asked = self.elicitation.as_ref().ok_or("nothing was asked")?;
        asked.content(args)
    }

    /// What the tool of `--permission-prompt-tool` answers. An `allow` needs the input, also where it is unchanged.
    fn prompted(&self, verdict: Verdict) -> Value {
        match verdict {
            Verdict::Allow => json!({"behavior": "allow", "updatedInput": self.input}),
            Verdict::Changed(args) => json!({"behavior": "allow", "updatedInput": args}),
            Verdict::Deny(why) => json!({"behavior": "deny", "message": why}),
            Verdict::Stop(why) => json!({"behavior": "deny", "message": why, "interrupt": true}),
            Verdict::Open(why) => json!({"behavior": "deny", "message": undecided(&why)}),
        }
    }

    /// The same for an answer; there always is one.
    pub fn prompt_reply(&self, answer: &RequestAnswer) -> Value {
        self.reply(answer).unwrap_or_else(|| self.prompt_refused("there was no answer"))
    }

    /// The same where nobody could be asked.
    pub fn prompt_refused(&self, why: &str) -> Value {
        self.prompted(Verdict::Open(Visible::line(why).into_string()))
    }

    /// The answers to an agent's questions.
    fn answered(&self, answers: &Answers<'_>) -> Option<Value> {
        if self.point == Point::Question {
            return Some(json!({"answers": answers.in_order()}));
        }
        if self.point == Point::Input {
            return Some(json!({"answers": answers.by_id()}));
        }
        let mut input = self.input.clone();
        input.insert("answers".to_owned(), answers.by_text());
        self.told(Verdict::Changed(Value::Object(input)))
    }
}

/// Gemini CLI: it takes a refusal and other arguments, and cannot be made to ask where nobody sits before it.
fn gemini(verdict: Verdict) -> Option<Value> {
    Some(match verdict {
        Verdict::Allow => json!({"decision": "allow"}),
        Verdict::Changed(args) => {
            json!({"decision": "allow", "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": args}})
        }
        Verdict::Deny(why) => json!({"decision": "deny", "reason": why}),
        Verdict::Stop(why) => {
            json!({"decision": "deny", "reason": why, "continue": false, "stopReason": why})
        }
        Verdict::Open(why) => json!({"decision": "deny", "reason": undecided(&why)}),
    })
}

fn pre_tool_use(what: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": what,
        "permissionDecisionReason": reason,
    }})
}

fn undecided(why: &str) -> String {
    format!("sayso could not decide: {why}")
}
