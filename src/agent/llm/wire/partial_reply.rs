//! An answer that is still being read. It becomes a [`Reply`] only when its end was seen.

use super::calls::{Calls, Piece};
use super::{Fault, OutputMode};
use crate::agent::llm::{Delta, OnText, Reply, Request, Stop, Usage, lenient_json};
use crate::text::Visible;

/// The longest text of an answer.
const MAX_TEXT: usize = 4 << 20;

/// What has been read so far.
pub struct PartialReply {
    text: String,
    calls: Calls,
    stop: Option<Stop>,
    closed: bool,
    /// Whether the answer is asked for as a call, which then is the only one there can be.
    is_call: bool,
    /// Tokens, as reported so far.
    pub usage: Usage,
    /// The model's name, as reported.
    pub model: String,
}

impl PartialReply {
    pub fn new(request: &Request, mode: OutputMode) -> Self {
        Self {
            text: String::new(),
            calls: Calls::default(),
            stop: None,
            closed: false,
            is_call: mode == OutputMode::Tool && request.output.is_some(),
            usage: Usage::default(),
            model: String::new(),
        }
    }

    /// Adds words, which are shown at once.
    pub fn say(&mut self, text: &str, on_text: OnText<'_>) -> Result<(), Fault> {
        if self.text.len() + text.len() > MAX_TEXT {
            return Err(Fault::TooLarge(format!("its text is larger than {} MB", MAX_TEXT >> 20)));
        }
        if !text.is_empty() {
            self.text.push_str(text);
            on_text(Delta::Text(Visible::new(text).as_str()));
        }
        Ok(())
    }

    /// Adds a piece of a call.
    pub fn call(&mut self, piece: Piece<'_>) -> Result<(), Fault> {
        self.calls.add(piece)
    }

    /// The answer is complete; a few figures may follow.
    pub fn end(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// Nothing more follows.
    pub fn close(&mut self) {
        self.closed = true;
    }

    pub fn ended(&self) -> bool {
        self.closed || self.stop.is_some()
    }

    pub fn closed(&self) -> bool {
        self.closed
    }

    /// The first name counts; a long one is cut.
    pub fn set_model(&mut self, name: Option<&str>) {
        if let Some(name) = name.filter(|_| self.model.is_empty()) {
            self.model = name.chars().take(120).collect();
        }
    }

    /// The reply, if the answer is complete.
    pub fn finish(self, request: &Request) -> Result<Reply, Fault> {
        if !self.ended() {
            return Err(Fault::Cut("the stream ended before the answer did".into()));
        }
        let (mut calls, bad_calls) = self.calls.finish(request);
        let mut stop = self.stop.unwrap_or_default();
        let mut text = lenient_json::without_thoughts(&self.text).to_owned();
        if stop == Stop::Length && (!bad_calls.is_empty() || (text.trim().is_empty() && calls.is_empty())) {
            return Err(Fault::OutOfTokens);
        }
        if self.is_call
            && let Some(call) = calls.drain(..).next()
        {
            text = call.args.to_string();
            stop = Stop::End;
        }
        let (in_words, left_out) = (false, 0);
        Ok(Reply { text, calls, in_words, bad_calls, usage: self.usage, stop, model: self.model, left_out })
    }
}
