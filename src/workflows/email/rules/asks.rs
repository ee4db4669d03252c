//! What a mail asks of its reader: told from courtesies, and from what it asks of somebody else.

use super::signs::{flat, has};
use crate::text::words::{sentences, words};
use crate::workflows::mail_facts::User;

/// What a mail wants of its reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Nothing that was seen.
    Nothing,
    /// Something of somebody else, by name.
    OfOthers(String),
    OfReader(String),
}

/// Words that call the reader by name.
pub(super) fn names(user: &User) -> Vec<String> {
    let first = words(&user.name).next();
    let locals = user.addresses.iter().filter_map(|address| address.split('@').next()).map(str::to_lowercase);
    first.into_iter().chain(locals).filter(|name| name.chars().count() > 2).collect()
}

/// Courtesies that look like requests.
const COURTESIES: &str = "if you have any questions, if you have questions, any questions, feel free, don t hesitate, do not \
    hesitate, how are you, hope you re well, hope you are well, please find attached, please find \
    enclosed, please note, please be advised, please do not reply, please don t reply, please ignore, \
    please disregard, please see below, please see attached, how is it going, how s it going, did you \
    know, questions or concerns, let me know if anything, let me know if i can, if that changes, right \
    then, who knows, isn t it, isn t that";

/// What says that nothing is wanted.
const NOTHING: &str = "no action needed, no action required, no action is required, no action is needed, no reply needed, no \
    response needed, no need to reply, no need to respond, no need to answer, no need to do anything, \
    nothing needed from you, nothing for you to do, you don t need to do anything, does not require a \
    response, no reply necessary, no answer needed, don t need anything from you, nothing required from \
    you";

/// Words that ask.
const REQUESTS: &str = "could you, can you, would you, will you, please send, please review, please confirm, please let, \
    please reply, please respond, please advise, please share, please sign, please approve, please check, \
    please have a look, please take a look, please look, please fill, please complete, please provide, \
    please update, please tell, please call, please choose, please pick, please add, please forward, \
    please bring, please get back, please return, let me know, let us know, get back to me, get back to \
    us, your thoughts, what do you think, i need you to, we need you to, i need your, we need your, \
    waiting for your, waiting on you, waiting to hear, look forward to hearing, looking forward to \
    hearing, looking forward to your, rsvp, send me, send us, need an answer, need your answer, kindly, i \
    d like you to, would appreciate your, would love your, would be grateful, would be great if you, would \
    appreciate it if, your approval, your sign off, your feedback on, are you free, are you available, do \
    you have, would it be possible, is it possible, any update, any news, remind you to, don t forget to, \
    kannst du, könntest du, würdest du, können sie, könnten sie, würden sie, gib mir, gib uns, \
    geben sie mir, geben sie uns, sag mir, sagen sie mir, schick mir, schicken sie, bitte schick*, bitte \
    send*, bitte prüf*, bitte bestätig*, bitte gib, bitte geben, bitte sag*, bitte melde*, bitte teil*, \
    bitte um, bescheid";

/// What the sender's own words ask for.
pub(super) fn ask(user: &User, own: &str) -> Ask {
    if has(&flat(own), NOTHING) {
        return Ask::Nothing;
    }
    let mut others = None;
    for asked in asked(user, own) {
        if asked.of_reader {
            return Ask::OfReader(asked.sentence.to_owned());
        }
        others = Some(asked.sentence.to_owned());
    }
    others.map_or(Ask::Nothing, Ask::OfOthers)
}

/// One sentence that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked<'a> {
    pub sentence: &'a str,
    /// Whether it is for the reader, not for somebody else by name.
    pub of_reader: bool,
}

/// Every sentence that asks for something, in their order.
pub(super) fn asked<'a>(user: &User, own: &'a str) -> Vec<Asked<'a>> {
    let mut out = Vec::new();
    for sentence in sentences(own) {
        let flat_sentence = flat(sentence);
        if has(&flat_sentence, COURTESIES) {
            continue;
        }
        let question =
            sentence.trim_end_matches(['"', '\'', ')', '”']).ends_with('?') && flat_sentence.len() > 6;
        if question || has(&flat_sentence, REQUESTS) {
            let of_reader = addressee(sentence).is_none_or(|name| called(user, &name));
            out.push(Asked { sentence, of_reader });
        }
    }
    out
}

fn called(user: &User, name: &str) -> bool {
    let name = name.to_lowercase();
    names(user).contains(&name) || matches!(name.as_str(), "all" | "everyone" | "team" | "folks")
}

/// `Bob, could you …` and `@Bob can you …` are not for Ada.
fn addressee(sentence: &str) -> Option<String> {
    let (head, rest) = sentence.trim_start_matches(['-', '*', ' ']).split_once([' ', '\n'])?;
    if let Some(name) = head.strip_prefix('@') {
        return Some(name.trim_end_matches([',', ':']).to_owned());
    }
    let name = head.strip_suffix([',', ':'])?;
    let capital = name.chars().next().is_some_and(char::is_uppercase);
    let starters = [
        "also",
        "and",
        "so",
        "finally",
        "first",
        "second",
        "lastly",
        "meanwhile",
        "otherwise",
        "then",
        "now",
        "yes",
        "no",
        "ok",
        "okay",
        "hi",
        "hello",
        "hey",
        "dear",
        "thanks",
        "btw",
        "ps",
        "however",
        "therefore",
        "next",
        "today",
        "tomorrow",
        "again",
        "anyway",
        "well",
        "question",
        "fyi",
        "tbh",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "please",
    ];
    let plain = starters.contains(&name.to_lowercase().as_str());
    let short_rest = rest.trim().is_empty();
    (capital && !plain && !short_rest && name.chars().all(char::is_alphabetic)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::signs::own_text;
    use super::*;

    fn ada() -> User {
        User { name: "Ada Lovelace".into(), addresses: vec!["ada@engine.example".into()], ..User::default() }
    }

    #[test]
    fn asks_are_told_from_courtesies_and_from_asks_of_others() {
        let rows = [
            ("Hi Ada,\n\nCould you send me the figures? Thanks", true),
            ("The report is attached. Let me know if you have any questions.", false),
            ("Bob, could you take this one? Ada, just so you know.", false),
            ("Ada, could you take this one?", true),
            ("Lunch on Friday?", true),
            ("No action needed. Could you imagine?", false),
            ("> Could you send it?\n\nSent it yesterday.", false),
            ("Also, what do you think of the draft", true),
        ];
        for (text, asks) in rows {
            let seen = ask(&ada(), &own_text(text));
            assert_eq!(matches!(seen, Ask::OfReader(_)), asks, "{text}: {seen:?}");
        }
    }
}
