//! Answers in words or calls: checked against the tools' schemas before anybody sees them.

use super::schema;
use super::structured::MORE_TRIES;
use super::{Choice, Message, Model, ModelError, OnText, Reply, Request, Stop, Usage};
use crate::text::words::clip;

/// What a reply has against it, for the model and (without values) for an error.
type Complaint = schema::Complaints;

/// One answer whose calls all name an offered tool and fit its schema. An answer that does not (or that is
/// empty, or calls nothing where a call is required) goes back with what is wrong, twice at most, then the
/// error is [`ModelError::Unreadable`]: no part of it is ever returned. The usage counts every answer.
pub async fn propose(model: &dyn Model, request: &Request, on_text: OnText<'_>) -> Result<Reply, ModelError> {
    let mut request = request.clone();
    let mut usage = Usage::default();
    let mut why = String::new();
    for _ in 0..=MORE_TRIES {
        let mut reply = model.complete(&request, on_text).await?.visible();
        usage += reply.usage;
        let checked = check(&request, &mut reply);
        // Words that end where the tokens did are not the whole answer; a call is whole or is none.
        let whole = reply.stop != Stop::Length || !reply.calls.is_empty();
        let complaint = match checked {
            Ok(()) if whole => {
                reply.usage = usage;
                return Ok(reply);
            }
            Ok(()) => Complaint::default(),
            Err(complaint) => complaint,
        };
        if reply.stop == Stop::Length {
            let used = reply.usage.output.try_into().unwrap_or(u32::MAX);
            let limit = request.max_tokens.unwrap_or(used);
            return Err(ModelError::AnswerTooLong { model: model.label().to_owned(), limit });
        }
        on_text(super::Delta::Restart);
        // The bad call itself is not repeated: servers refuse arguments they cannot parse.
        let said = if reply.text.trim().is_empty() { "(an answer that cannot be used)" } else { &reply.text };
        request.messages.push(Message::assistant(clip(said, 4_000)));
        request.messages.push(Message::user(format!(
            "Your last answer cannot be used: {}. Nothing of it was carried out. Answer again, in full.",
            complaint.full
        )));
        why = complaint.masked;
    }
    Err(ModelError::unreadable(model.label(), format!("after {} tries: {why}", MORE_TRIES + 1)))
}

/// What is wrong with a reply. Drops the nulls that its calls give for optional arguments.
fn check(request: &Request, reply: &mut Reply) -> Result<(), Complaint> {
    let mut full = Vec::new();
    let mut masked = Vec::new();
    let mut blame = |seen: String, told: String| {
        full.push(seen);
        masked.push(told);
    };
    let offered = || {
        let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        if names.is_empty() {
            "there are no tools".to_owned()
        } else {
            format!("tools: {}", names.join(", "))
        }
    };
    for bad in &reply.bad_calls {
        let name = clip(&bad.name, 60);
        blame(format!("the call of `{name}`: {}", bad.why), "a call whose arguments are not JSON".into());
    }
    for call in &mut reply.calls {
        let name = clip(&call.name, 60);
        match request.tools.iter().find(|tool| tool.name == call.name) {
            None => blame(
                format!("there is no tool `{name}` ({})", offered()),
                "a call of a tool that was not offered".into(),
            ),
            Some(tool) => match schema::accept(&tool.schema, std::mem::take(&mut call.args)) {
                Ok(args) => call.args = args,
                Err(complaint) => blame(
                    format!("the arguments of `{name}`: {}", complaint.full),
                    format!("the arguments of `{}`: {}", tool.name, complaint.masked),
                ),
            },
        }
    }
    if reply.calls.is_empty() && reply.bad_calls.is_empty() {
        let must = match &request.choice {
            Choice::Auto => None,
            Choice::Required => Some(format!("it calls no tool ({})", offered())),
            Choice::Tool(name) => Some(format!("it does not call the tool `{name}`")),
        };
        let empty = reply.text.trim().is_empty().then(|| "it is empty".to_owned());
        if let Some(text) = must.or(empty) {
            blame(text.clone(), text);
        }
    } else if let Choice::Tool(name) = &request.choice
        && !reply.calls.iter().any(|call| call.name == *name)
    {
        let text = format!("it does not call the tool `{name}`");
        blame(text.clone(), text);
    }
    if full.is_empty() { Ok(()) } else { Err(Complaint { full: full.join("; "), masked: masked.join("; ") }) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::{BadCall, Scripted, ToolCall, ToolSpec, quiet};

    fn request() -> Request {
        Request::new("test", json!(null))
            .user("Answer Bob.")
            .tool(ToolSpec {
                name: "write_email".into(),
                description: "Write.".into(),
                schema: json!({
                    "type": "object",
                    "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
                    "required": ["to", "text"],
                    "additionalProperties": false
                }),
            })
            .choice(Choice::Required)
    }

    fn call(name: &str, args: serde_json::Value) -> Reply {
        let call = ToolCall { id: "c1".into(), name: name.into(), args, signature: None };
        Reply { calls: vec![call], stop: Stop::Calls, ..Reply::default() }
    }

    async fn fails_thrice(bad: Reply) -> (String, Vec<Request>) {
        let model = Scripted::new([Ok(bad.clone()), Ok(bad.clone()), Ok(bad)]);
        let error = propose(&model, &request(), &quiet).await.unwrap_err();
        assert_eq!(error.code(), "unreadable");
        assert_eq!(model.requests().len(), 3);
        (error.to_string(), model.requests())
    }

    fn told(request: &Request) -> &str {
        match request.messages.last() {
            Some(Message::User { text }) => text,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_fitting_call_is_taken() {
        let model = Scripted::new([Ok(call("write_email", json!({"to": "bob", "text": "hi"})))]);
        let reply = propose(&model, &request(), &quiet).await.unwrap();
        assert_eq!(reply.calls[0].args["to"], "bob");
    }

    #[tokio::test]
    async fn an_unknown_tool_is_told_which_there_are() {
        let (_, asked) = fails_thrice(call("send_money", json!({}))).await;
        assert!(told(&asked[1]).contains("write_email"));
        // The conversation still alternates: some chat templates insist on it.
        assert_eq!(asked[2].messages.len(), 5);
    }

    #[tokio::test]
    async fn extra_and_missing_arguments_are_named() {
        let (error, asked) = fails_thrice(call("write_email", json!({"to": "canary", "bcc": "x"}))).await;
        assert!(told(&asked[1]).contains("text") && told(&asked[1]).contains("bcc"), "{}", told(&asked[1]));
        assert!(!error.contains("canary"), "{error}");
    }

    #[tokio::test]
    async fn words_where_a_call_is_required_and_empty_answers_are_asked_again() {
        let words = Reply { text: "Sure, I will write to Bob.".into(), ..Reply::default() };
        let good = call("write_email", json!({"to": "bob", "text": "hi"}));
        let model = Scripted::new([Ok(words), Ok(Reply::default()), Ok(good)]);
        assert_eq!(propose(&model, &request(), &quiet).await.unwrap().calls.len(), 1);
    }

    #[tokio::test]
    async fn one_bad_call_spoils_its_neighbours() {
        let mut reply = call("write_email", json!({"to": "bob", "text": "hi"}));
        reply.bad_calls.push(BadCall { name: "write_email".into(), why: "not JSON".into() });
        fails_thrice(reply).await;
    }
}
