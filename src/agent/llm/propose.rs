//! Asks for words or calls, and checks them against the tools' schemas before anybody sees them.

use super::exchange::ModelExchange;
use super::schema::{self, Complaints};
use super::{Choice, Message, Model, ModelError, OnText, Reply, Request, ToolCall, calls, lenient_json};
use crate::text::words::clip;

/// Reads a reply before it is checked: it may find calls in the words, and objects to what cannot be used.
pub type ReadReply<'a> = &'a (dyn Fn(&mut Reply) -> Result<(), String> + Send + Sync);

/// One answer that `read` does not object to and whose calls all name an offered tool and fit its schema. An answer that
/// does not (or that is empty, repeats its last call, or calls nothing when a call is required) is sent back once with
/// what is wrong. Then the error is [`ModelError::Unreadable`]: no part of it is ever returned. Only words instead of a
/// required call are returned then, if the request says what ends the work. The usage counts every answer.
pub async fn propose(
    model: &dyn Model,
    request: &Request,
    read: ReadReply<'_>,
    on_text: OnText<'_>,
) -> Result<Reply, ModelError> {
    let mut asking = ModelExchange::new(model, request.clone(), on_text);
    loop {
        let mut reply = asking.answer().await?;
        read_text(request, &mut reply);
        let objection = read(&mut reply).err();
        let Err(complaints) = check(request, &mut reply, objection) else {
            break Ok(finished(asking, reply));
        };
        let only_words = reply.calls.is_empty() && reply.bad_calls.is_empty() && !is_empty(&reply);
        if only_words && asking.sent_back && request.ends_with.is_some() {
            break Ok(finished(asking, reply));
        }
        let wish = format!(
            "Your last answer cannot be used: {}. Nothing of it was carried out. Answer again, in full.",
            complaints.full
        );
        asking.send_back(&reply, wish, &complaints.masked)?;
    }
}

fn finished(asking: ModelExchange<'_>, reply: Reply) -> Reply {
    Reply { usage: asking.usage, left_out: asking.left_out, ..reply }
}

/// Takes calls out of the text, or the text out of its fence.
fn read_text(request: &Request, reply: &mut Reply) {
    if !reply.calls.is_empty() || !reply.bad_calls.is_empty() {
        return;
    }
    if let Some((calls, words)) = calls::in_text(&reply.text, &request.tools) {
        (reply.calls, reply.text) = (calls, words);
    } else if let Some(("markdown", inner)) = lenient_json::in_fence(&reply.text) {
        reply.text = inner.to_owned();
    }
}

/// The first call of a reply, if all of its calls were made just before, and worked. What a person said since may ask
/// for them again, and being done does not count as a call.
fn repeated<'r>(request: &Request, reply: &'r Reply) -> Option<&'r ToolCall> {
    let mut worked = Vec::new();
    for message in request.messages.iter().rev() {
        match message {
            Message::Tool { call_id, failed: false, .. } => worked.push(call_id),
            Message::Tool { .. } => {}
            Message::Assistant { calls, .. } if !calls.is_empty() => {
                let was_made = |call: &ToolCall| {
                    let same = |old: &ToolCall| {
                        old.name == call.name && old.args == call.args && worked.contains(&&old.id)
                    };
                    request.ends_with.as_ref() != Some(&call.name) && calls.iter().any(same)
                };
                return reply.calls.first().filter(|_| reply.calls.iter().all(was_made));
            }
            Message::User { .. } | Message::Assistant { .. } => return None,
        }
    }
    None
}

/// Says what is wrong with a reply. Coerces its calls to the schemas of their tools.
fn check(request: &Request, reply: &mut Reply, objection: Option<String>) -> Result<(), Complaints> {
    let mut wrong: Vec<Complaints> = Vec::from_iter(objection.map(Complaints::same));
    for bad in &reply.bad_calls {
        wrong.push(Complaints {
            full: format!("the call of `{}`: {}", clip(&bad.name, 60), bad.why),
            masked: "a call whose arguments are not JSON".to_owned(),
        });
    }
    for call in &mut reply.calls {
        wrong.extend(check_call(request, call).err());
    }
    calls::drop_doubles(&mut reply.calls);
    wrong.extend(missing(request, reply).map(Complaints::same));
    if wrong.is_empty() {
        wrong.extend(repeated(request, reply).map(|call| Complaints {
            full: format!(
                "it makes the call of `{}` again that was made just before, and its result is above; go on from there, \
                 or finish",
                clip(&call.name, 60)
            ),
            masked: "it repeats its last call".to_owned(),
        }));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let joined = |text: fn(&Complaints) -> &str| wrong.iter().map(text).collect::<Vec<_>>().join("; ");
    Err(Complaints { full: joined(|one| &one.full), masked: joined(|one| &one.masked) })
}

fn check_call(request: &Request, call: &mut ToolCall) -> Result<(), Complaints> {
    let written = clip(&call.name, 60);
    let Some(tool) = request.tools.iter().find(|tool| tool.name == call.name) else {
        return Err(Complaints {
            full: format!("there is no tool `{written}` ({})", offered(request)),
            masked: "a call of a tool that was not offered".to_owned(),
        });
    };
    call.args = schema::accept(&tool.schema, std::mem::take(&mut call.args)).map_err(|wrong| Complaints {
        full: format!("the arguments of `{written}`: {}", wrong.full),
        masked: format!("the arguments of `{written}`: {}", wrong.masked),
    })?;
    Ok(())
}

fn is_empty(reply: &Reply) -> bool {
    reply.calls.is_empty() && reply.bad_calls.is_empty() && reply.text.trim().is_empty()
}

/// What the request wants but the reply lacks.
fn missing(request: &Request, reply: &Reply) -> Option<String> {
    let calls_nothing = reply.calls.is_empty() && reply.bad_calls.is_empty();
    match request.choice {
        Choice::Required if calls_nothing => Some(format!("it calls no tool ({})", offered(request))),
        Choice::Auto | Choice::Required => is_empty(reply).then(|| "it is empty".to_owned()),
    }
}

fn offered(request: &Request) -> String {
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    if names.is_empty() {
        return "there are no tools; answer in words".to_owned();
    }
    format!("tools: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::llm::{BadCall, Scripted, ToolSpec, quiet};

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
        Reply { calls: vec![call], ..Reply::default() }
    }

    async fn fails_twice(bad: Reply) -> (String, Vec<Request>) {
        let model = Scripted::new([Ok(bad.clone()), Ok(bad)]);
        let error = propose(&model, &request(), &|_| Ok(()), &quiet).await.unwrap_err();
        assert_eq!(error.code(), "unreadable");
        assert_eq!(model.requests().len(), 2);
        (error.to_string(), model.requests())
    }

    fn last_message(request: &Request) -> &str {
        match request.messages.last() {
            Some(Message::User { text }) => text,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_fitting_call_is_taken() {
        let model = Scripted::new([Ok(call("write_email", json!({"to": "bob", "text": "hi"})))]);
        let reply = propose(&model, &request(), &|_| Ok(()), &quiet).await.unwrap();
        assert_eq!(reply.calls[0].args["to"], "bob");
    }

    #[tokio::test]
    async fn an_unknown_tool_is_told_which_there_are() {
        let (_, requests) = fails_twice(call("send_money", json!({}))).await;
        assert!(last_message(&requests[1]).contains("write_email"));
        // The conversation still alternates, as some chat templates insist.
        assert_eq!(requests[1].messages.len(), 3);
    }

    #[tokio::test]
    async fn extra_and_missing_arguments_are_named() {
        let (error, requests) = fails_twice(call("write_email", json!({"to": "canary", "bcc": "x"}))).await;
        assert!(
            last_message(&requests[1]).contains("text") && last_message(&requests[1]).contains("bcc"),
            "{}",
            last_message(&requests[1])
        );
        assert!(!error.contains("canary"), "{error}");
    }

    #[tokio::test]
    async fn words_where_a_call_is_required_and_empty_answers_are_asked_again() {
        let words = Reply { text: "Sure, I will write to Bob.".into(), ..Reply::default() };
        let good = call("write_email", json!({"to": "bob", "text": "hi"}));
        for (bad, why) in
            [(words, "it calls no tool (tools: write_email)"), (Reply::default(), "calls no tool")]
        {
            let model = Scripted::new([Ok(bad), Ok(good.clone())]);
            assert_eq!(propose(&model, &request(), &|_| Ok(()), &quiet).await.unwrap().calls.len(), 1);
            assert!(last_message(&model.requests()[1]).contains(why));
        }
    }

    #[tokio::test]
    async fn one_bad_call_spoils_its_neighbours() {
        let mut reply = call("write_email", json!({"to": "bob", "text": "hi"}));
        reply.bad_calls.push(BadCall { name: "write_email".into(), why: "not JSON".into() });
        fails_twice(reply).await;
    }

    #[tokio::test]
    async fn a_call_that_was_just_made_is_sent_back_and_then_refused() {
        let again = call("write_email", json!({"to": "bob", "text": "hi"}));
        let made = request()
            .message(again.message())
            .message(Message::result(&again.calls[0], "sent"))
            .ends_with("done");
        let model = Scripted::new([Ok(again.clone()), Ok(again)]);
        let error = propose(&model, &made, &|_| Ok(()), &quiet).await.unwrap_err();
        assert!(error.to_string().contains("it repeats its last call"), "{error}");
        assert!(last_message(&model.requests()[1]).contains("its result is above"));
    }
}
