//! Replies to an agent, only in forms that it is known to honour at that point.

use super::Agent;
use super::call::Call;
use super::elicitation::Elicitation;
use super::questions::Answers;
use crate::dialects::{HookPoint, Takes};
use crate::inbox::{Ending, RequestAnswer, STOP_WORDS};
use crate::text::Visible;
use serde_json::{Value, json};

/// What should happen to a call.
enum Verdict {
    Allow,
    /// Allow it with other arguments.
    Changed(Value),
    /// Refuse it for this reason.
    Deny(String),
    /// Refuse it, and end the session if the agent can be told to.
    Stop(String),
    /// sayso has no answer, for this reason.
    Open(String),
}

impl Call {
    /// The reply to the agent; `None` if silence tells it to go on, or to ask the person itself.
    pub fn reply(&self, answer: &RequestAnswer) -> Option<Value> {
        if let (Some(Ending::Accept), Some(remember)) = (answer.r#type, &answer.remember) {
            return self.reply_remembering(remember);
        }
        let id = &answer.id;
        let words = || answer.args.as_str().unwrap_or_default();
        let or_default = |words: &str| match words.trim() {
            STOP_WORDS => Verdict::Stop(format!("The person said no: {STOP_WORDS}")),
            words => Verdict::Deny(self.refusal(words)),
        };
        let verdict = match (answer.r#type, &self.questions) {
            (Some(Ending::Edit), Some(questions)) => match questions.chosen_in(&answer.args) {
                Some(answers) => return self.answered(&answers),
                None => Verdict::Deny("The person gave no answer.".to_owned()),
            },
            (Some(Ending::Respond), Some(_)) if words().trim() == STOP_WORDS => or_default(words()),
            (Some(Ending::Respond), Some(questions)) => match questions.chosen_by(words()) {
                Some(answers) => return self.answered(&answers),
                None => or_default(words()),
            },
            (Some(Ending::Edit), None) if self.elicitation.is_some() => match self.filled_in(&answer.args) {
                Ok(content) => Verdict::Changed(content),
                Err(why) => Verdict::Open(format!("what was filled in does not fit: {why}")),
            },
            (Some(Ending::Accept), _) => Verdict::Allow,
            (Some(Ending::Edit), None) => Verdict::Changed(answer.args.clone()),
            (Some(Ending::Respond), None) => or_default(words()),
            (Some(Ending::Ignore), _) => Verdict::Deny("The person said no.".to_owned()),
            (Some(Ending::Expired | Ending::Withdrawn) | None, _) => {
                Verdict::Open(format!("nobody answered {id} in time"))
            }
        };
        self.reply_to(verdict)
    }

    /// An `allow` that also says what to remember, if the agent offered that.
    fn reply_remembering(&self, remember: &Value) -> Option<Value> {
        let mut reply = self.reply_to(Verdict::Allow)?;
        let offered = self.remember.iter().any(|offer| offer.told == *remember);
        match self.point {
            HookPoint::PermissionRequest if offered => {
                reply["hookSpecificOutput"]["decision"]["updatedPermissions"] = json!([remember]);
            }
            HookPoint::Approval if offered => reply["decision"] = remember.clone(),
            _ => {}
        }
        Some(reply)
    }

    /// The reply that allows the call.
    pub fn allowed(&self) -> Option<Value> {
        self.reply_to(Verdict::Allow)
    }

    /// sayso cannot decide: the agent asks the person itself if it can, and refuses otherwise.
    pub fn undecided(&self, why: &str) -> Option<Value> {
        self.reply_to(Verdict::Open(Visible::line(why).into_string()))
    }

    fn reply_to(&self, verdict: Verdict) -> Option<Value> {
        match self.point {
            HookPoint::PreToolUse => self.before_use(verdict),
            HookPoint::PermissionRequest => self.permission(verdict),
            HookPoint::PermissionDenied => match verdict {
                Verdict::Allow => {
                    Some(json!({"hookSpecificOutput": {"hookEventName": "PermissionDenied", "retry": true}}))
                }
                // The agent's own refusal stands, and its words were told already.
                Verdict::Changed(_) | Verdict::Deny(_) | Verdict::Stop(_) | Verdict::Open(_) => None,
            },
            HookPoint::Prompted => Some(self.prompted(verdict)),
            HookPoint::BeforeTool => gemini(verdict),
            HookPoint::Tool => Some(match verdict {
                Verdict::Allow => json!({"decision": "allow"}),
                Verdict::Changed(args) => json!({"decision": "allow", "args": args}),
                Verdict::Deny(why) => json!({"decision": "deny", "message": why}),
                Verdict::Stop(why) => json!({"decision": "deny", "message": why, "stop": true}),
                Verdict::Open(why) => json!({"decision": "deny", "message": undecided(&why)}),
            }),
            HookPoint::Permission => match verdict {
                Verdict::Allow => Some(json!({"reply": "once"})),
                Verdict::Deny(why) => Some(json!({"reply": "reject", "message": why})),
                Verdict::Stop(why) => Some(json!({"reply": "reject", "message": why, "stop": true})),
                // It would not honour changed arguments; its own dialog is still open.
                Verdict::Changed(_) | Verdict::Open(_) => None,
            },
            HookPoint::Elicitation => self.elicitation_reply(verdict),
            HookPoint::Question => match verdict {
                Verdict::Deny(_) => Some(json!({"reject": true})),
                Verdict::Stop(_) => Some(json!({"reject": true, "stop": true})),
                Verdict::Allow | Verdict::Changed(_) | Verdict::Open(_) => None,
            },
            HookPoint::Approval | HookPoint::Permissions | HookPoint::Input | HookPoint::Form => {
                self.to_server(verdict)
            }
        }
    }

    /// The answer to a request of Codex's app-server. If there is none, its own dialog stays open.
    fn to_server(&self, verdict: Verdict) -> Option<Value> {
        let permissions = |granted: Value| json!({"permissions": granted, "scope": "turn"});
        let is_page = self.elicitation.as_ref().is_some_and(Elicitation::is_page);
        Some(match (self.point, verdict) {
            (HookPoint::Approval, Verdict::Allow) => json!({"decision": "accept"}),
            (HookPoint::Approval, Verdict::Deny(_)) => json!({"decision": "decline"}),
            (HookPoint::Approval, Verdict::Stop(_)) => json!({"decision": "cancel"}),
            (HookPoint::Permissions, Verdict::Allow) => permissions(self.input.get("permissions")?.clone()),
            (HookPoint::Permissions, Verdict::Deny(_) | Verdict::Stop(_)) => permissions(json!({})),
            (HookPoint::Input, Verdict::Deny(_) | Verdict::Stop(_)) => json!({"answers": {}}),
            (HookPoint::Form, Verdict::Allow) if is_page => json!({"action": "accept"}),
            (HookPoint::Form, Verdict::Allow) => json!({"action": "accept", "content": {}}),
            (HookPoint::Form, Verdict::Changed(content)) => json!({"action": "accept", "content": content}),
            (HookPoint::Form, Verdict::Deny(_) | Verdict::Stop(_)) => json!({"action": "decline"}),
            _ => return None,
        })
    }

    /// The text that goes with a refusal, for an agent that takes it separately.
    pub fn refusal_text(&self, answer: &RequestAnswer) -> Option<String> {
        let words = answer.args.as_str().filter(|_| answer.r#type == Some(Ending::Respond))?.trim();
        let answers = self.questions.as_ref().is_some_and(|asked| asked.chosen_by(words).is_some());
        (!answers && words != STOP_WORDS).then(|| self.refusal(words))
    }

    /// The person's words to an agent that may not go on: a no, or an answer that does not fit its questions.
    fn refusal(&self, words: &str) -> String {
        match &self.questions {
            None => format!("The person said no: {words}"),
            Some(_) => format!("The person answered: {words}"),
        }
    }

    /// Whether the person wants to stop the session.
    pub fn is_stopped(answer: &RequestAnswer) -> bool {
        answer.r#type == Some(Ending::Respond) && answer.args.as_str().map(str::trim) == Some(STOP_WORDS)
    }

    /// `PreToolUse`. Silence is the yes of an agent that takes no other.
    fn before_use(&self, verdict: Verdict) -> Option<Value> {
        let allowed = "Allowed in sayso.";
        Some(match verdict {
            Verdict::Allow if !self.takes(Takes::Allow) => return None,
            Verdict::Allow => {
                let mut decision = pre_tool_use("allow", allowed);
                decision["hookSpecificOutput"]["updatedInput"] = json!(self.input);
                decision
            }
            Verdict::Changed(args) => {
                let mut decision = pre_tool_use("allow", allowed);
                decision["hookSpecificOutput"]["updatedInput"] = args;
                decision
            }
            Verdict::Stop(why) if self.takes(Takes::Stop) => {
                let mut decision = pre_tool_use("deny", &why);
                decision["continue"] = Value::Bool(false);
                decision["stopReason"] = Value::from(why);
                decision
            }
            Verdict::Deny(why) | Verdict::Stop(why) => pre_tool_use("deny", &why),
            Verdict::Open(why) if self.takes(Takes::Ask) && !self.headless => {
                pre_tool_use("ask", &undecided(&why))
            }
            Verdict::Open(why) => pre_tool_use("deny", &undecided(&why)),
        })
    }

    /// `PermissionRequest`. Without an answer the agent's own question stays open, unless nobody sees it.
    fn permission(&self, verdict: Verdict) -> Option<Value> {
        let decision = match verdict {
            // A tool that needs the person, such as one that shows a plan, takes a yes only together with its input.
            Verdict::Allow if self.takes(Takes::Edit) => {
                json!({"behavior": "allow", "updatedInput": self.input})
            }
            Verdict::Allow => json!({"behavior": "allow"}),
            Verdict::Changed(args) if self.takes(Takes::Edit) => {
                json!({"behavior": "allow", "updatedInput": args})
            }
            Verdict::Stop(why) if self.takes(Takes::Stop) => {
                json!({"behavior": "deny", "message": why, "interrupt": true})
            }
            Verdict::Deny(why) | Verdict::Stop(why) => json!({"behavior": "deny", "message": why}),
            Verdict::Open(why) if self.headless => json!({"behavior": "deny", "message": undecided(&why)}),
            Verdict::Changed(_) | Verdict::Open(_) => return None,
        };
        Some(json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}))
    }

    /// The reply to an MCP server that asks for information. Without an answer Claude Code's own dialog asks.
    fn elicitation_reply(&self, verdict: Verdict) -> Option<Value> {
        let mut output = json!({"hookEventName": "Elicitation"});
        let action = match verdict {
            Verdict::Allow => "accept",
            Verdict::Changed(content) => {
                output["content"] = content;
                "accept"
            }
            Verdict::Deny(_) | Verdict::Stop(_) => "decline",
            Verdict::Open(_) if self.headless => "cancel",
            Verdict::Open(_) => return None,
        };
        output["action"] = Value::from(action);
        Some(json!({ "hookSpecificOutput": output }))
    }

    fn filled_in(&self, args: &Value) -> Result<Value, String> {
        let asked = self.elicitation.as_ref().ok_or("nothing was asked")?;
        asked.content(args)
    }

    /// The reply of the tool of `--permission-prompt-tool`. An `allow` needs the input even if it is unchanged.
    fn prompted(&self, verdict: Verdict) -> Value {
        match verdict {
            Verdict::Allow => json!({"behavior": "allow", "updatedInput": self.input}),
            Verdict::Changed(args) => json!({"behavior": "allow", "updatedInput": args}),
            Verdict::Deny(why) => json!({"behavior": "deny", "message": why}),
            Verdict::Stop(why) => json!({"behavior": "deny", "message": why, "interrupt": true}),
            Verdict::Open(why) => json!({"behavior": "deny", "message": undecided(&why)}),
        }
    }

    /// The reply to a prompt; there always is one.
    pub fn prompt_reply(&self, answer: &RequestAnswer) -> Value {
        self.reply(answer).unwrap_or_else(|| self.prompt_refused("there was no answer"))
    }

    /// The reply to a prompt if nobody could be asked.
    pub fn prompt_refused(&self, why: &str) -> Value {
        self.prompted(Verdict::Open(Visible::line(why).into_string()))
    }

    /// The answers to an agent's questions.
    fn answered(&self, answers: &Answers<'_>) -> Option<Value> {
        if self.point == HookPoint::Question {
            return Some(json!({"answers": answers.in_order()}));
        }
        if self.point == HookPoint::Input {
            return Some(json!({"answers": answers.by_id()}));
        }
        let mut input = self.input.clone();
        input.insert("answers".to_owned(), answers.by_text());
        self.reply_to(Verdict::Changed(Value::Object(input)))
    }
}

/// Gemini CLI takes refusals and changed arguments, and cannot be made to ask when nobody is there.
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

/// What an agent is told after a call that the person changed, if it takes that then. Its model knows only its own call.
pub fn told_after_edit(agent: Agent, event: &Value) -> Option<Value> {
    let name = event.get("hook_event_name")?.as_str()?;
    agent.of(event).dialect().takes_context(name).then_some(())?;
    let input = event.get("tool_input")?;
    let words =
        format!("The person changed this call before it ran. It ran with these arguments instead: {input}");
    Some(json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": words}}))
}

fn undecided(why: &str) -> String {
    format!("sayso could not decide: {why}")
}
