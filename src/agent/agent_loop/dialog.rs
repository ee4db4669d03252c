//! An agent's conversation, as the state of its thread keeps it.

use super::person;
use crate::agent::llm::{Message, Reply, ToolCall};
use crate::engine::graph::{Answer, Decision};
use crate::inbox::YOUR_TURN;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// The question when the limit of steps is reached.
pub const STEP_LIMIT: &str = "step_limit";
/// The question whether the model's words are the answer.
pub const UNCHECKED_ANSWER: &str = "unchecked_answer";
/// The tool with which a model asks the person something. The person's words are its result.
pub const QUESTION: &str = "question";

/// One entry of the conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Turn {
    /// The person's words.
    Told { text: String },
    /// The model's words, without a call.
    Said { text: String },
    /// The calls the model proposed, with the person's edits.
    Called {
        /// Text next to the calls.
        #[serde(default)]
        text: String,
        /// In the model's order.
        calls: Vec<ToolCall>,
        /// Whether the model wrote them as words, so that it is answered in words.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_words: bool,
    },
    /// The result of one call.
    Became {
        call: String,
        tool: String,
        how: CallResult,
        /// The person's words, or the tool's answer.
        text: String,
        /// The tool's answer as data.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        data: Value,
        /// Whether the loop ends with it, unless the person has something to say.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ends: bool,
    },
    /// Something happened meanwhile.
    News { text: String },
}

impl Turn {
    /// The calls the model proposed in it, if any.
    pub fn calls(&self) -> &[ToolCall] {
        match self {
            Turn::Called { calls, .. } => calls,
            Turn::Told { .. } | Turn::Said { .. } | Turn::Became { .. } | Turn::News { .. } => &[],
        }
    }
}

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallResult {
    Done,
    Failed,
    /// The person replied with words.
    Answered,
    Refused,
}

/// The conversation, and how far it has got.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dialog {
    pub messages: Vec<Turn>,
    /// Proposed calls without a result so far.
    pub pending: Vec<ToolCall>,
    /// Whether the person wrote them; a model's are only proposed.
    pub own: bool,
    /// Whether the person answered the question about them and is asked again.
    pub again: bool,
    /// Whether something happened since they were proposed and before anybody was asked.
    pub outdated: bool,
    /// The person's newest answers, until they are acted on.
    pub answers: Vec<Answer>,
    /// What the person said in the model's place.
    pub reply: Option<Reply>,
    /// Steps since the person last said what they want.
    pub step: u32,
    /// After how many steps the person is asked; 0 is no limit.
    pub max_steps: u32,
    /// How many more they allowed.
    pub more_steps: u32,
    /// The model's answer, which ends the loop.
    pub answer: Option<String>,
    /// Whether the loop ended without one.
    pub stopped: bool,
    /// Whether nobody gave the newest answers: time had run out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
}

/// What the loop does to the conversation. It has a tag of its own, so no update of a workflow is taken for one of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "loop", rename_all = "snake_case")]
pub enum LoopUpdate {
    /// The person says what they want, at first or after a result.
    Told { text: String },
    /// The person added a hint to a retry, which changes nothing else.
    Hinted { text: String },
    /// The model proposed calls.
    Proposed {
        text: String,
        calls: Vec<ToolCall>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        in_words: bool,
        /// Whether the person wrote them in the model's place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        own: bool,
    },
    /// The person answered what the loop asked.
    Answered { answers: Vec<Answer> },
    /// The person changed a call.
    Edited { call: String, args: Value },
    /// A call is over.
    Became {
        call: String,
        tool: String,
        how: CallResult,
        text: String,
        data: Value,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ends: bool,
    },
    /// The calls are void.
    Dropped { why: String },
    /// The answers were acted on. Calls without a result are asked about again.
    Acted,
    /// The loop is over; without an answer if the person ended it.
    Ended { answer: Option<String> },
}

impl Dialog {
    /// The only place where the loop changes a conversation.
    pub fn apply(&mut self, update: LoopUpdate) {
        match update {
            LoopUpdate::Told { text } => self.go_on(&text),
            LoopUpdate::Hinted { text } => self.messages.push(Turn::Told { text }),
            LoopUpdate::Proposed { text, calls, in_words, own } => {
                self.step += 1;
                self.pending.clone_from(&calls);
                (self.own, self.again, self.outdated, self.reply) = (own, false, false, None);
                self.messages.push(Turn::Called { text, calls, in_words });
            }
            LoopUpdate::Answered { answers } => self.take_answers(answers),
            LoopUpdate::Edited { call, args } => self.edit(&call, &args),
            LoopUpdate::Became { call, tool, how, text, data, ends } => {
                self.pending.retain(|pending| pending.id != call);
                self.messages.push(Turn::Became { call, tool, how, text, data, ends });
            }
            LoopUpdate::Dropped { why } => self.drop_pending(&why),
            LoopUpdate::Acted => {
                self.answers.clear();
                if !self.pending.is_empty() {
                    // The person is asked again about what they saw; the card shows what is new.
                    (self.again, self.outdated) = (true, false);
                }
            }
            LoopUpdate::Ended { answer } => {
                self.drop_pending("The person ended the work here.");
                let said = answer.clone().filter(|text| !text.is_empty());
                self.messages.extend(said.map(|text| Turn::Said { text }));
                self.reply = None;
                self.stopped = answer.is_none();
                self.answer = answer;
            }
        }
    }

    fn take_answers(&mut self, answers: Vec<Answer>) {
        self.expired = answers.iter().any(|answer| answer.expired);
        let own_question = answers
            .first()
            .filter(|answer| [STEP_LIMIT, UNCHECKED_ANSWER, YOUR_TURN].contains(&answer.key.as_str()));
        let Some(answer) = own_question else {
            self.answers = answers;
            return;
        };
        self.reply = None;
        match (answer.key.as_str(), &answer.decision) {
            (STEP_LIMIT, Decision::Accept) => self.more_steps += self.max_steps,
            (UNCHECKED_ANSWER, Decision::Accept) => {
                self.apply(LoopUpdate::Ended { answer: Some(words_of(&answer.proposed)) });
            }
            (UNCHECKED_ANSWER, Decision::Respond { text }) => {
                self.messages.push(Turn::Said { text: words_of(&answer.proposed) });
                self.messages.push(Turn::Told { text: text.clone() });
            }
            (YOUR_TURN, decision) if person::reply(decision).is_some() => {
                self.reply = person::reply(decision);
            }
            _ => self.stop(),
        }
    }

    /// Replaces the arguments of a call, in the conversation as well.
    fn edit(&mut self, id: &str, args: &Value) {
        let proposed = self.messages.iter_mut().rev().find_map(|turn| match turn {
            Turn::Called { calls, .. } => calls.iter_mut().find(|call| call.id == id),
            Turn::Told { .. } | Turn::Said { .. } | Turn::Became { .. } | Turn::News { .. } => None,
        });
        for call in proposed.into_iter().chain(self.pending.iter_mut().find(|call| call.id == id)) {
            call.args.clone_from(args);
        }
    }

    /// Refuses all pending calls: each call needs a result before the model speaks again.
    pub fn drop_pending(&mut self, why: &str) {
        self.outdated = false;
        for call in std::mem::take(&mut self.pending) {
            self.messages.push(Turn::Became {
                call: call.id,
                tool: call.name,
                how: CallResult::Refused,
                text: why.to_owned(),
                data: Value::Null,
                ends: false,
            });
        }
    }

    /// The person wants something, or something more: the loop begins with their words.
    pub fn go_on(&mut self, text: &str) {
        self.reopen("This was set aside.");
        self.messages.push(Turn::Told { text: text.to_owned() });
    }

    /// The loop begins again with what it knows.
    pub fn reopen(&mut self, why: &str) {
        self.drop_pending(why);
        (self.answer, self.stopped, self.reply) = (None, false, None);
        (self.step, self.more_steps) = (0, 0);
        self.answers.clear();
    }

    /// The person ends the loop.
    pub fn stop(&mut self) {
        self.apply(LoopUpdate::Ended { answer: None });
    }

    /// Something happened that the proposed calls do not know of. Where nothing was said since, it is no news.
    pub fn news(&mut self, text: &str) {
        self.outdated = !self.pending.is_empty();
        if !matches!(self.messages.last(), None | Some(Turn::News { .. })) {
            self.messages.push(Turn::News { text: text.to_owned() });
        }
    }

    /// A call of the person's own in place of what was proposed, asked about as if the model had proposed it.
    pub fn propose_own(&mut self, tool: &str, args: Value) {
        self.drop_pending("The person does this themselves.");
        let (id, name) = (format!("own{}", self.messages.len()), tool.to_owned());
        let calls = self.with_unique_ids(vec![ToolCall { id, name, args, signature: None }]);
        let (text, in_words, own) = (String::new(), false, true);
        self.apply(LoopUpdate::Proposed { text, calls, in_words, own });
    }

    /// Whether the person has had a hand in the pending calls.
    pub fn is_persons(&self) -> bool {
        self.own || self.again
    }

    pub fn is_over(&self) -> bool {
        self.stopped || self.answer.is_some()
    }

    pub fn is_at_limit(&self) -> bool {
        self.max_steps > 0 && self.step >= self.max_steps + self.more_steps
    }

    /// The answer to the question about a call.
    pub fn answer_to(&self, call: &ToolCall) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.key == call.id)
    }

    /// The model's words next to the calls it proposed last.
    pub fn thought(&self) -> &str {
        let newest = self.messages.iter().rev().find_map(|turn| match turn {
            Turn::Called { text, .. } => Some(text.trim()),
            Turn::Told { .. } | Turn::Said { .. } | Turn::Became { .. } | Turn::News { .. } => None,
        });
        newest.unwrap_or_default()
    }

    /// The newest calls, and whether each of them that is over ends the loop, by how it went. It may take several rounds
    /// of questions until all are over.
    pub(super) fn newest_calls(&self) -> (&[ToolCall], impl Iterator<Item = (CallResult, bool)>) {
        let proposed = |turn: &Turn| matches!(turn, Turn::Called { .. });
        let since = &self.messages[self.messages.iter().rposition(proposed).unwrap_or(self.messages.len())..];
        let calls = since.first().map_or(&[][..], Turn::calls);
        let results = since.iter().filter_map(|turn| match turn {
            Turn::Became { how, ends, .. } => Some((*how, *ends)),
            Turn::Called { .. } | Turn::Told { .. } | Turn::Said { .. } | Turn::News { .. } => None,
        });
        (calls, results)
    }

    /// What the newest calls of these tools told the model.
    pub(super) fn newest_results(&self, is_of: impl Fn(&str) -> bool) -> String {
        let newest = self.messages.iter().rev().take_while(|turn| !matches!(turn, Turn::Called { .. }));
        let mut results: Vec<&str> = newest
            .filter_map(|turn| match turn {
                Turn::Became { tool, text, .. } if is_of(tool) => Some(text.trim_end()),
                Turn::Became { .. }
                | Turn::Called { .. }
                | Turn::Told { .. }
                | Turn::Said { .. }
                | Turn::News { .. } => None,
            })
            .collect();
        results.reverse();
        results.join("\n\n")
    }

    /// Gives calls ids that no earlier call has, so an answer is never mistaken for an answer to another call. The keys of
    /// our own questions have no digit, so every id gets one.
    pub(super) fn with_unique_ids(&self, mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let earlier = self.messages.iter().flat_map(Turn::calls);
        let mut used: HashSet<String> = earlier.map(|call| call.id.clone()).collect();
        for call in &mut calls {
            let original_id = call.id.clone();
            let mut n = 1;
            while !call.id.contains(|c: char| c.is_ascii_digit()) || !used.insert(call.id.clone()) {
                n += 1;
                call.id = format!("{original_id}_{n}");
            }
        }
        calls
    }

    /// The conversation as models are sent it: results come right after their calls.
    pub fn to_messages(&self) -> Vec<Message> {
        let (mut messages, mut delayed) = (Vec::new(), Vec::new());
        let mut open_calls = 0;
        // The calls by id, and whether they came as words.
        let mut calls_made: BTreeMap<&str, bool> = BTreeMap::new();
        for turn in &self.messages {
            match turn {
                Turn::Called { text, calls, in_words } => {
                    open_calls = calls.len();
                    calls_made.extend(calls.iter().map(|call| (call.id.as_str(), *in_words)));
                    messages.push(if *in_words {
                        Message::assistant(call_in_words(text, calls))
                    } else {
                        Message::Assistant { text: text.clone(), calls: calls.clone() }
                    });
                }
                Turn::Became { call, tool, how, text, data, .. } => {
                    open_calls = open_calls.saturating_sub(1);
                    let (text, failed) = result_text(tool, *how, text, data);
                    let (call_id, name) = (call.clone(), tool.clone());
                    messages.push(match calls_made.get(call.as_str()) {
                        Some(true) => Message::user(text),
                        Some(false) | None => Message::Tool { call_id, name, text, failed },
                    });
                }
                Turn::Said { text } => messages.push(Message::assistant(text)),
                Turn::Told { text } => delayed.push(Message::user(format!("The person says: {text}"))),
                Turn::News { text } => delayed.push(Message::user(text)),
            }
            if open_calls == 0 {
                messages.append(&mut delayed);
            }
        }
        messages.append(&mut delayed);
        messages
    }
}

/// The words of a question whether they are the answer.
fn words_of(proposed: &Value) -> String {
    proposed.get("answer").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// What a model is told about a call, and whether that is a failure.
fn result_text(tool: &str, how: CallResult, text: &str, data: &Value) -> (String, bool) {
    let content = if data.is_null() { text.to_owned() } else { format!("{text}\n{data}") };
    match how {
        CallResult::Done => (content, false),
        CallResult::Failed => (content, true),
        CallResult::Answered if tool == QUESTION => (format!("The person says: {content}"), false),
        CallResult::Answered => (format!("Not done. The person says: {content}"), true),
        CallResult::Refused if content.is_empty() => ("Not done. The person refused this.".to_owned(), true),
        CallResult::Refused => (format!("Not done. {content}"), true),
    }
}

/// Calls as a model writes them that cannot call: a fenced block each, with the tool's name as its language.
fn call_in_words(text: &str, calls: &[ToolCall]) -> String {
    let mut words = text.to_owned();
    for call in calls {
        let mut values = call.args.as_object().into_iter().flat_map(|args| args.values());
        let inside = match (values.next(), values.next()) {
            (Some(Value::String(only)), None) => only.clone(),
            _ => call.args.to_string(),
        };
        words = format!("{words}\n```{}\n{}\n```", call.name, inside.trim_end());
    }
    words.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: &str, code: &str) -> ToolCall {
        let (id, name) = (id.to_owned(), "python".to_owned());
        ToolCall { id, name, args: json!({ "code": code }), signature: None }
    }

    fn proposed(calls: Vec<ToolCall>, in_words: bool) -> LoopUpdate {
        LoopUpdate::Proposed { text: "Look:".to_owned(), calls, in_words, own: false }
    }

    #[test]
    fn calls_in_words_are_answered_in_words_with_the_persons_changes() {
        let mut dialog = Dialog::default();
        dialog.apply(proposed(vec![call("a", "print(1)")], true));
        dialog.apply(LoopUpdate::Edited { call: "a".to_owned(), args: json!({ "code": "print(2)" }) });
        let (call, tool, how) = ("a".to_owned(), "python".to_owned(), CallResult::Done);
        let (text, data, ends) = ("2".to_owned(), Value::Null, false);
        dialog.apply(LoopUpdate::Became { call, tool, how, text, data, ends });
        let expected = [Message::assistant("Look:\n```python\nprint(2)\n```"), Message::user("2")];
        assert_eq!(dialog.to_messages(), expected);
    }

    #[test]
    fn what_is_said_meanwhile_comes_after_the_results() {
        let mut dialog = Dialog::default();
        dialog.apply(proposed(vec![call("a", "1"), call("b", "2")], false));
        dialog.news("New mail.");
        assert!(dialog.outdated);
        dialog.apply(LoopUpdate::Dropped { why: "Look at it first.".to_owned() });
        let messages = dialog.to_messages();
        let [
            Message::Assistant { calls, .. },
            Message::Tool { .. },
            Message::Tool { text, .. },
            Message::User { .. },
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!((calls.len(), text.as_str()), (2, "Not done. Look at it first."));
        assert!(!dialog.outdated && dialog.pending.is_empty());
    }

    #[test]
    fn ids_are_unique_whatever_the_server_says() {
        let mut dialog = Dialog::default();
        dialog.apply(proposed(vec![call("call_0", "1")], false));
        let ids: Vec<String> = dialog
            .with_unique_ids(vec![call("call_0", "2"), call("call_0", "3"), call("", "4")])
            .into_iter()
            .map(|call| call.id)
            .collect();
        assert_eq!(ids, ["call_0_2", "call_0_3", "_2"]);
    }
}
