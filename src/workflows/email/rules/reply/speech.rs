//! What a reply is to say, told from what the agent is to do.
//!
//! "Tuesday works" is said to the sender, "ask for her customer number" is said to us, and the rules can't write what an
//! instruction asks for. Whatever is not surely an answer is therefore none: a person who is misunderstood here would
//! find their instruction in the mail.

use super::super::signs::{flat, has};
use super::wishes::{About, Context, Say, strip};

/// Whoever speaks of the sender in the third person does not speak to them.
const OTHERS: &str = "he, she, him, her, hers, his, they, them, their, theirs, er, ihm, ihn";

/// Words about what somebody should do, which may be we.
const TO_DO: &str = "you should, you must, you could, want you, like you to, need you to, we should";

/// Words about the writing.
const WRITING: &str = "shorter, longer, formal, informal, friendlier, nicer, polite, politer, politely, tone, wording, draft, sentence, sentences, paragraph, \
    greeting, version, rewrite, rephrase, translate";

/// How sentences begin that say something about oneself or a thing.
const SUBJECTS: &str = "i, we, it, that, this, there, the, my, our, a, an, these, those, all, both, everything, nothing, \
    unfortunately, yes, no, ich, wir, es, das, der, die, mein, meine, unser, unsere, leider, ja, nein";

/// Verbs of a sentence. None of them is a noun, too: "include prices" is no sentence about somebody.
const FINITE: &str = "is, are, was, were, will, works, suits, has, have, had, can, cannot, could, would, am, does, did, \
    comes, came, fits, takes, took, arrived, arrives, approves, agrees, brings, sends, sent, pays, paid, knows, goes, says, \
    said, writes, wrote, decides, confirms, gets, got, owns, ist, sind, war, wird, werden, hat, haben, kann, können, passt, \
    kommt, kommen, geht";

/// What is to be said, where a clause says so surely. `before` is what is said already.
pub(super) fn said(
    clause: &str,
    about: About,
    replaces: bool,
    before: &[Say],
    context: Context<'_>,
) -> Option<Say> {
    // A draft says something already: what comes besides or instead has to be told.
    let new = about != About::Draft || replaces;
    if let Some(answer) = yes_or_no(clause) {
        return Some(answer).filter(|_| about == About::Mail && context.asked);
    }
    if let Some((head, rest)) = clause.split_once("dass ") {
        let tells = strip(head, &["sag", "sage", "schreib", "schreibe", "antworte", "erwähne"]);
        let clear = !has(&flat(rest), "er, sie, ihm, ihn, ihr, ihnen, sein*, ihre*");
        return tells
            .filter(|who| who.split_whitespace().count() <= 2 && clear && new)
            .map(|_| Say::That(rest.trim_end_matches(['.', '!']).to_owned()));
    }
    let besides = ["please mention that", "also mention that", "mention that", "also say that", "also say"];
    let adds = ["add that", "also add that"];
    let added = strip(clause, &adds).filter(|_| about != About::Mail);
    if let Some(rest) = strip(clause, &besides).or(added) {
        return sentence_of(rest);
    }
    let note = ["please mention", "also mention", "mention", "erwähne auch", "erwähne"];
    let added = || strip(clause, &["also add", "add"]).filter(|_| about != About::Mail);
    if let Some(rest) = strip(clause, &note).or_else(added) {
        let rest = rest.trim_start_matches([':', ' ']);
        let thing = has(&first(rest), "the, our, my, a, an, die, den, das, unsere, unseren");
        let short = flat(rest).split_whitespace().count() <= 8 && !has(&flat(rest), OTHERS);
        let note = (thing && short && !is_sentence(rest)).then(|| Say::Note(rest.to_owned()));
        return note.or_else(|| sentence_of(rest));
    }
    if !new {
        return None;
    }
    if let Some(rest) = told(clause, context.sender) {
        return yes_or_no(&rest).filter(|_| context.asked).or_else(|| sentence_of(&rest));
    }
    let say = [
        "please say that",
        "please say",
        "say that",
        "say",
        "reply that",
        "write that",
        "answer that",
        "confirm that",
    ];
    if let Some(rest) = strip(clause, &say) {
        return sentence_of(rest);
    }
    if about != About::Mail || has(&flat(clause), TO_DO) {
        return None;
    }
    let goes_on = matches!(before.last(), Some(Say::Yes | Say::No))
        && has(&first(clause), "only, after, before, until, nur, erst, ab")
        && !has(&flat(clause), OTHERS);
    (goes_on || names(clause)).then(|| Say::Words(sentence(clause))).or_else(|| sentence_of(clause))
}

/// A plain yes or no.
pub(super) fn yes_or_no(clause: &str) -> Option<Say> {
    let words = flat(clause);
    let whole = |list: &str| list.split(", ").any(|phrase| words.trim() == phrase);
    if whole(
        "yes, yes please, ok, okay, sure, ja, gern, gerne, ja gerne, accept, agreed, agree, say yes, approve, approved, \
         yep, fine, of course, klar, sag zu, zusagen",
    ) {
        return Some(Say::Yes);
    }
    whole("no, nope, nein, no thanks, no thank you, say no, leider nein, not interested, leider nicht")
        .then_some(Say::No)
}

/// What the sender is to be told: "tell him Tuesday works", with what is said about them said to them.
fn told(clause: &str, sender: &str) -> Option<String> {
    let rest = strip(clause, &["please tell", "tell", "sag", "sage", "inform", "let"])?;
    let who = rest.split_whitespace().next()?;
    let name = who.trim_end_matches([',', ':']);
    let pronoun = match name.to_lowercase().as_str() {
        "him" => "he",
        "her" => "she",
        "them" | "ihm" | "ihr" | "ihnen" => "",
        _ if sender.split_whitespace().any(|part| part.eq_ignore_ascii_case(name)) => "",
        _ => return None,
    };
    let rest = rest.strip_prefix(who)?.trim_start();
    let lets = strip(clause, &["let"]).is_some();
    let rest = match strip(rest, &["know that", "know"]) {
        Some(rest) => rest,
        None if lets => return None,
        None => strip(rest, &["that"]).unwrap_or(rest),
    };
    to_second_person(rest.trim_start_matches([',', ' ', ':']), pronoun)
}

/// Words about the sender become words to the sender, where it is sure who is meant and what becomes of the verb.
fn to_second_person(text: &str, pronoun: &str) -> Option<String> {
    let mut out: Vec<String> = Vec::new();
    let mut after_pronoun = false;
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches([',', '.', '!', '?']);
        let lower = bare.to_lowercase();
        let next = if after_pronoun {
            match lower.as_str() {
                "is" => "are",
                "was" => "were",
                "has" => "have",
                "does" => "do",
                "can" | "could" | "should" | "will" | "would" | "may" | "might" | "must" | "had" => bare,
                _ => return None,
            }
        } else if !pronoun.is_empty() && lower == pronoun {
            "you"
        } else {
            bare
        };
        after_pronoun = !pronoun.is_empty() && lower == pronoun;
        out.push(format!("{next}{}", &word[bare.len()..]));
    }
    (!after_pronoun).then(|| out.join(" "))
}

/// Words that are given as such: in quotation marks, or after "Say:".
pub(super) fn word_for_word(words: &str) -> Option<String> {
    let words = words.trim();
    let heads =
        ["say:", "please say:", "write:", "reply:", "answer:", "schreib:", "schreibe:", "antworte:", "sag:"];
    let given = strip(words, &heads).unwrap_or(words);
    let quoted = ['"', '“', '„', '»'].iter().any(|sign| given.starts_with(*sign))
        && ['"', '”', '“', '«'].iter().any(|sign| given.ends_with(*sign));
    let marks = ['"', '“', '”', '„', '»', '«', ' '];
    let text = if quoted { given.trim_matches(marks) } else { given };
    let is_given = given.len() < words.len() || quoted && !text.contains(marks.split_at(6).0);
    (is_given && text.chars().any(char::is_alphanumeric)).then(|| sentence(text))
}

/// A sentence, where the words are one that is said to the sender.
fn sentence_of(text: &str) -> Option<Say> {
    speaks(text).then(|| Say::Words(sentence(text)))
}

/// Whether words are a sentence that one says to a sender.
pub(super) fn speaks(text: &str) -> bool {
    let words = flat(text);
    if has(&words, OTHERS) || has(&words, WRITING) || text.trim_end().ends_with('?') {
        return false;
    }
    let starts = first(text);
    let second = flat(words.split_whitespace().nth(1).unwrap_or_default());
    let finite = has(&words, FINITE) || words.split_whitespace().any(|word| word.ends_with("ed"));
    let count = words.split_whitespace().count();
    // No instruction begins so, whatever verb follows.
    let states = has(&starts, "i, we, ich, wir") && count > 1 || has(&starts, "it, there, es") && count > 2;
    states || has(&starts, SUBJECTS) && finite || has(&second, FINITE) && !has(&starts, "please, bitte")
}

/// Whether words are a name or a number and nothing else.
fn names(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = |word: &&str| word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    let verbs = "ask, tell, say, thank, thanks, write, send, call, make, add, give, greet, invite, forward, copy, remind, \
                 offer, propose, use, keep, wish, answer, reply, email, mail, ping, notify, contact, meet, ignore, decline, \
                 frag, sag, schreib, dank, ruf";
    // One word alone may be anything; a number is not.
    let number = words.len() == 1 && text.starts_with(|c: char| c.is_ascii_digit());
    number || (2..=4).contains(&words.len()) && words.iter().all(name) && !has(&first(text), verbs)
}

/// The first word, as phrases are looked for in.
fn first(text: &str) -> String {
    flat(flat(text).split_whitespace().next().unwrap_or_default())
}

/// A first capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let mut out: String = first.to_uppercase().chain(chars).collect();
    if !out.ends_with(['.', '!', '?', ':', '…']) {
        out.push('.');
    }
    out
}

/// Whether words have a verb that makes them one.
pub(super) fn is_sentence(text: &str) -> bool {
    has(
        &flat(text),
        "is, are, was, were, will, works, suits, passt, can, could, have, has, had, need*, do, does, i ll, we ll, ll, re, \
         i m, ist, sind, wird, werden, haben, hat, kann, können, bin, muss, müssen, should, must, would, won t, don t, \
         can t, i, we",
    )
}
