//! Asks one question until there is a usable answer: an unusable one is sent back once with what is wrong, one that was
//! cut off is asked for again with more room, and a conversation that is too long is shortened.

use super::{Delta, Message, Model, ModelError, OnText, Reply, Request, Stop, Usage};
use crate::text::words::clip;

/// How much of an unusable answer the model is shown again.
const MAX_QUOTED_CHARS: usize = 4_000;

/// Conversations of fewer bytes are not shortened: nothing would be left of them.
const MIN_BYTES_TO_SHORTEN: usize = 200;

/// How much of the conversation's texts is kept when it was too long once, and twice: one part in this many.
const SHORTENING_DIVISORS: [usize; 2] = [2, 8];

/// A question while it is being asked.
pub(super) struct ModelExchange<'a> {
    model: &'a dyn Model,
    on_text: OnText<'a>,
    pub request: Request,
    /// All tokens used, including those of unusable answers.
    pub usage: Usage,
    /// How many bytes of the conversation the model was not shown.
    pub left_out: usize,
    /// How many times the model was asked.
    pub answers: usize,
    /// Whether an answer was sent back.
    pub sent_back: bool,
    was_cut: bool,
    shortened: usize,
}

impl<'a> ModelExchange<'a> {
    pub fn new(model: &'a dyn Model, request: Request, on_text: OnText<'a>) -> Self {
        Self {
            model,
            on_text,
            request,
            usage: Usage::default(),
            left_out: 0,
            answers: 0,
            sent_back: false,
            was_cut: false,
            shortened: 0,
        }
    }

    /// The next answer that is complete.
    pub async fn answer(&mut self) -> Result<Reply, ModelError> {
        loop {
            self.answers += 1;
            let error = match self.model.complete(&self.request, self.on_text).await {
                Ok(reply) => {
                    let reply = reply.visible();
                    self.usage += reply.usage;
                    // Text that ended because the tokens ran out is not the whole answer. A call is either whole or not
                    // there.
                    if reply.stop != Stop::Length || !reply.calls.is_empty() {
                        return Ok(reply);
                    }
                    let used = reply.usage.output.try_into().unwrap_or(u32::MAX);
                    let limit = self.request.max_tokens.unwrap_or(used);
                    ModelError::AnswerTooLong { model: self.model.label().to_owned(), limit }
                }
                Err(error) => error,
            };
            match error {
                ModelError::AnswerTooLong { limit, .. } if !self.was_cut => {
                    self.was_cut = true;
                    // The request's own limit is dropped first: thoughts count as well.
                    if self.request.max_tokens.take().is_none() {
                        let wish = format!(
                            "Your last answer was cut off after {limit} tokens, and nothing of it was used. Answer \
                             again, more briefly, and whole."
                        );
                        self.say("(an answer that was cut off)", wish);
                    }
                }
                ModelError::ContextTooLong { .. } if self.shortened < SHORTENING_DIVISORS.len() => {
                    let left_out = shorten(&mut self.request, SHORTENING_DIVISORS[self.shortened]);
                    self.shortened += 1;
                    if left_out == 0 {
                        return Err(error);
                    }
                    self.left_out += left_out;
                }
                error => return Err(error),
            }
            (self.on_text)(Delta::Restart);
        }
    }

    /// Sends the answer back with what is wrong with it, once; after that, the error says `why`, without values.
    pub fn send_back(&mut self, reply: &Reply, wish: String, why: &str) -> Result<(), ModelError> {
        if self.sent_back {
            return Err(ModelError::unreadable(self.model.label(), format!("after two tries: {why}")));
        }
        self.sent_back = true;
        (self.on_text)(Delta::Restart);
        // The bad call itself is not repeated: servers refuse arguments they cannot parse.
        let text = if reply.text.trim().is_empty() { "(an answer that cannot be used)" } else { &reply.text };
        let text = clip(text, MAX_QUOTED_CHARS);
        self.say(&text, wish);
        Ok(())
    }

    /// Adds the model's words and ours, so that the conversation still alternates, as some chat templates insist.
    fn say(&mut self, answer: &str, wish: String) {
        self.request.messages.push(Message::assistant(answer));
        self.request.messages.push(Message::user(wish));
    }
}

/// Cuts the longest texts of a conversation until one part in `parts` is left, and marks the cuts. Returns how many
/// bytes were left out.
fn shorten(request: &mut Request, parts: usize) -> usize {
    let texts =
        |messages: &[Message]| -> Vec<usize> { messages.iter().map(|one| text_of(one).len()).collect() };
    let sizes = texts(&request.messages);
    let all = sizes.iter().sum::<usize>();
    if all < MIN_BYTES_TO_SHORTEN {
        return 0;
    }
    let most = share(&sizes, all / parts);
    let mut left_out = 0;
    for message in &mut request.messages {
        let (Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. }) = message;
        if text.len() <= most {
            continue;
        }
        // The end is kept as well: the question is usually there.
        let head = text.floor_char_boundary(most / 2);
        let tail = text.ceil_char_boundary(text.len() - most / 2);
        left_out += tail - head;
        *text = format!(
            "{}\n[… {} bytes are left out here: the conversation is too long for the model …]\n{}",
            &text[..head],
            tail - head,
            &text[tail..]
        );
    }
    left_out
}

fn text_of(message: &Message) -> &str {
    match message {
        Message::User { text } | Message::Assistant { text, .. } | Message::Tool { text, .. } => text,
    }
}

/// How large each of these may be so that all of them fit into `room`: small ones stay whole.
fn share(sizes: &[usize], room: usize) -> usize {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut remaining = room;
    for (index, size) in sorted.iter().enumerate() {
        let each = remaining / (sorted.len() - index);
        if *size > each {
            return each;
        }
        remaining -= size;
    }
    sorted.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn small_texts_stay_whole_when_room_is_shared() {
        assert_eq!(share(&[10, 20, 30], 100), 30);
        assert_eq!(share(&[10, 200, 300], 110), 50);
        assert_eq!(share(&[100, 100], 50), 25);
        assert_eq!(share(&[], 50), 0);
    }

    #[test]
    fn a_conversation_is_shortened_in_the_middle_of_its_longest_texts() {
        let long = format!("first {} last", "é".repeat(5_000));
        let mut request = Request::new("t", json!(null)).user(long.clone()).user("What now?");
        let left_out = shorten(&mut request, 2);
        assert!((4_900..5_200).contains(&left_out), "{left_out}");
        let [Message::User { text }, Message::User { text: short }] = request.messages.as_slice() else {
            panic!()
        };
        assert!(
            text.starts_with("first ") && text.ends_with(" last") && text.contains("left out here"),
            "{text}"
        );
        assert_eq!(short, "What now?");
    }
}
