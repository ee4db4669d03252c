//! What a person's words want of a reply: what it is to say, and how.
//!
//! Words that are no wish about the form are what the reply says, nearly as they stand: "tell him Tuesday works"
//! becomes "Tuesday works." Nothing is added to them.

use jiff::civil::Date;

use super::super::super::words::stem_set;
use super::super::signs::{flat, has};
use super::manner::Manner;
use super::when::{Mention, mentions, minutes};
use std::collections::HashSet;

/// All that the words of a person want, in the order they were said.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    /// What is to be said, clause by clause.
    pub say: Vec<Say>,
    /// Sentences with these words go.
    pub drop: Vec<HashSet<String>>,
    pub copy: Vec<String>,
    pub uncopy: Vec<String>,
    /// Names to copy that have no address.
    pub unknown: Vec<String>,
    pub subject: Option<String>,
    /// The newest days and times that were named.
    pub when: Vec<Mention>,
    pub minutes: Option<u32>,
    /// Another time, no matter which.
    pub other_time: bool,
    pub to_all: bool,
}

/// One thing to be said.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Say {
    Yes,
    No,
    Decline,
    /// A sentence.
    Words(String),
    /// What follows a German `dass`, whose words stand in another order than a sentence's.
    That(String),
    /// A day or a time, and nothing else.
    When(String),
    /// Something to point out that is no sentence by itself.
    Note(String),
}

/// What words are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The mail: they are what the answer says, and "add it" is said to the sender.
    Mail,
    /// A proposal: "add that we are closed" is said to the agent.
    Proposal,
}

/// Words at which a clause about the form begins.
const FORM: &str = "shorter, briefer, longer, friendlier, warmer, nicer, cc, copy, decline, don t mention, do not mention, \
    in german, in english, mention, also mention, also say, say, tell, formal, informal, kürzer, länger, \
    freundlicher, förmlicher, erwähne, sag, schreib, auf deutsch, auf englisch, subject, leave out, reply all, \
    reply to all, more formal, less formal, make it";

/// Those that only a proposal makes clear.
const CHANGES: &str =
    "more, less, make, add, also add, drop, remove, without, keep, propose, offer, suggest, sign";

/// Reads words; what they say about length, tone and language goes into `manner`. `known` are addresses that names may
/// stand for.
pub(super) fn read(
    wishes: &mut Wishes,
    manner: &mut Manner,
    words: &str,
    about: About,
    base: Date,
    known: &[String],
) {
    let named = mentions(words, base);
    if !named.is_empty() {
        wishes.when = named;
    }
    wishes.minutes = minutes(words).or(wishes.minutes);
    for clause in clauses(words, about) {
        read_clause(wishes, manner, &clause, about, known);
    }
}

fn read_clause(wishes: &mut Wishes, manner: &mut Manner, clause: &str, about: About, known: &[String]) {
    let proposal = about == About::Proposal;
    let words = flat(clause);
    let count = words.split_whitespace().count();
    if let Some(subject) = strip(clause, &["subject:", "betreff:"]) {
        wishes.subject = Some(subject.trim().to_owned());
        return;
    }
    if has(&words, "reply all, reply to all, answer all, answer everybody, an alle") {
        wishes.to_all = true;
        return;
    }
    if addresses(clause).len() == clause.split_whitespace().count() {
        wishes.copy.extend(addresses(clause));
        return;
    }
    if starts(&words, "cc, copy, add, include, put, also copy, also cc, loop in")
        && people(wishes, clause, known)
    {
        return;
    }
    if starts(&words, "remove, drop, uncopy, without, don t copy, do not copy") && clause.contains('@') {
        wishes.uncopy.extend(addresses(clause));
        return;
    }
    let leave = ["don't mention", "don’t mention", "do not mention", "leave out", "streiche"];
    let cut = ["drop", "remove", "without", "lass"];
    let what = strip(clause, &leave).or_else(|| strip(clause, &cut).filter(|_| proposal));
    if let Some(what) = what {
        let stems = stem_set(what.trim_end_matches(" weg"));
        wishes.say.retain(|said| !matches!(said, Say::Words(text) | Say::That(text) | Say::Note(text) if shares(text, &stems)));
        wishes.drop.push(stems);
        return;
    }
    if has(
        &words,
        "other time, another time, different time, other day, another day, andere zeit, anderer termin, andere termine, other times",
    ) {
        wishes.other_time = true;
        return;
    }
    if count <= 8 && manner.tone(&words) {
        return;
    }
    if let Some(rest) = strip(
        clause,
        &["decline", "say no", "politely decline", "absagen", "sag ab", "turn it down", "refuse"],
    ) {
        wishes.say = vec![Say::Decline];
        let reason = rest.trim_start_matches([':', ',', ' ', '-', '–']);
        let reason = strip(reason, &["politely", "because", "weil", "it", "this", "that", "to them"])
            .unwrap_or(reason);
        if flat(reason).split_whitespace().count() > 1 {
            wishes.say.push(Say::Words(sentence(reason)));
        }
        return;
    }
    // Any day will do here: what counts is whether one is named.
    let dated = !mentions(clause, Date::constant(2026, 1, 5)).is_empty() || minutes(clause).is_some();
    let moves = starts(&words, "make it, move it, schedule, propose, offer, suggest, rather, better, lieber");
    if dated && (moves || count <= 5 && !is_sentence(clause) && !starts(&words, "tell, say, sag, schreib")) {
        if !moves {
            wishes.say.push(Say::When(sentence(clause)));
        }
        return;
    }
    let replaces = has(&words, "instead, rather than that, stattdessen");
    let clause = strip(clause, &["instead", "no, instead", "stattdessen"]).unwrap_or(clause);
    let clause = clause.trim_end_matches([' ', '.']);
    let clause = clause.strip_suffix(" instead").unwrap_or(clause);
    let Some(said) = said(clause, about) else { return };
    if replaces {
        wishes.say.clear();
    }
    if !wishes.say.contains(&said) {
        wishes.say.push(said);
    }
}

fn said(clause: &str, about: About) -> Option<Say> {
    let words = flat(clause);
    let whole = |list: &str| list.split(", ").any(|phrase| words.trim() == phrase);
    if whole(
        "yes, yes please, ok, okay, sure, ja, gern, gerne, ja gerne, accept, agreed, agree, say yes, approve, approved, yep, fine, of course, klar, sag zu, zusagen",
    ) {
        return Some(Say::Yes);
    }
    if whole("no, nope, nein, no thanks, no thank you, leider nein, not interested, leider nicht") {
        return Some(Say::No);
    }
    let tell = ["please tell", "tell", "let", "sag", "sage", "inform"];
    let say = [
        "please say that",
        "please say",
        "say that",
        "say",
        "reply that",
        "reply with",
        "reply",
        "write that",
        "write",
        "answer that",
        "answer with",
        "answer",
        "also say that",
        "also say",
        "schreib",
        "schreibe",
        "antworte",
        "confirm that",
    ];
    let mention = ["please mention that", "also mention that", "mention that", "add that", "also add that"];
    let note = ["please mention", "also mention", "mention", "erwähne auch", "erwähne"];
    if let Some((_, rest)) =
        clause.split_once("dass ").filter(|(head, _)| head.split_whitespace().count() <= 3)
    {
        return Some(Say::That(rest.trim_end_matches(['.', '!']).to_owned()));
    }
    if let Some(rest) = strip(clause, &mention) {
        return words_of(rest);
    }
    let added = || strip(clause, &["also add", "add"]).filter(|_| about == About::Proposal);
    if let Some(rest) = strip(clause, &note).or_else(added) {
        let rest = rest.trim_start_matches([':', ' ']);
        return if is_sentence(rest) { words_of(rest) } else { Some(Say::Note(rest.to_owned())) };
    }
    if let Some(rest) = strip(clause, &tell) {
        let mut rest = rest.trim_start();
        let who = rest.split_whitespace().next().unwrap_or_default().to_owned();
        let person = matches!(who.to_lowercase().as_str(), "him" | "her" | "them" | "ihm" | "ihr" | "ihnen")
            || who.chars().next().is_some_and(char::is_uppercase) && who != "I";
        if person {
            rest = rest[who.len()..].trim_start();
        }
        let rest = strip(rest, &["know that", "know", "that"]).unwrap_or(rest);
        return words_of(&turned(rest.trim_start_matches([',', ' ', ':'])));
    }
    words_of(strip(clause, &say).unwrap_or(clause))
}

fn words_of(text: &str) -> Option<Say> {
    let text = text.trim_start_matches([':', ',', ' ', '"', '“']).trim_end_matches(['"', '”']);
    text.chars().any(char::is_alphanumeric).then(|| Say::Words(sentence(text)))
}

/// Words about the sender become words to the sender.
fn turned(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut subject = false;
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches([',', '.', '!', '?']);
        let end = &word[bare.len()..];
        let next = match bare.to_lowercase().as_str() {
            "he" | "she" | "they" => "you".to_owned(),
            "his" | "their" => "your".to_owned(),
            "him" | "them" => "you".to_owned(),
            "is" if subject => "are".to_owned(),
            "was" if subject => "were".to_owned(),
            "has" if subject => "have".to_owned(),
            "does" if subject => "do".to_owned(),
            verb if subject && verb.ends_with('s') && !verb.ends_with("ss") && verb.len() > 3 => {
                bare[..bare.len() - 1].to_owned()
            }
            _ => bare.to_owned(),
        };
        subject = matches!(bare.to_lowercase().as_str(), "he" | "she");
        out.push(format!("{next}{end}"));
    }
    out.join(" ")
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

fn is_sentence(text: &str) -> bool {
    has(
        &flat(text),
        "is, are, was, were, will, works, suits, passt, can, could, have, has, had, need*, am, do, does, works, i ll, we ll, ll, re, i m, ist, \
         sind, wird, werden, haben, hat, kann, können, bin, muss, müssen, should, must, would, may, won t, don t, \
         can t, i, we",
    )
}

/// Whether `text` has all of these words.
pub(super) fn shares(text: &str, stems: &HashSet<String>) -> bool {
    !stems.is_empty() && stems.is_subset(&stem_set(text))
}

/// Splits at sentence ends, and at commas and "and" where a wish about the form begins or ends.
fn clauses(words: &str, about: About) -> Vec<String> {
    let form =
        |text: &str| starts(&flat(text), FORM) || about == About::Proposal && starts(&flat(text), CHANGES);
    let mut out: Vec<String> = Vec::new();
    for sentence in super::super::super::words::sentences(words) {
        for part in sentence.split([';', '\n']) {
            let mut open = String::new();
            let mut rest = part.trim();
            while !rest.is_empty() {
                let cut = [", and ", ", but ", ", then ", ", ", " and ", " und ", " but "]
                    .iter()
                    .filter_map(|sign| rest.find(sign).map(|at| (at, sign.len())))
                    .min_by_key(|(at, len)| (*at, usize::MAX - len));
                let (head, tail, glue) = match cut {
                    Some((at, len)) => (&rest[..at], &rest[at + len..], &rest[at..at + len]),
                    None => (rest, "", ""),
                };
                open.push_str(head);
                let short = flat(&open).split_whitespace().count() <= 3;
                let yes_no =
                    matches!(flat(&open).trim(), "yes" | "no" | "ok" | "okay" | "sure" | "ja" | "nein");
                let whole = !starts(&flat(&open), "decline, cc, copy, add, mention, say, tell");
                let ends = tail.is_empty() || form(tail) || yes_no || short && whole && form(&open);
                if ends {
                    out.push(std::mem::take(&mut open));
                } else {
                    open.push_str(glue);
                }
                rest = tail;
            }
        }
    }
    out.into_iter().map(|clause| clause.trim().to_owned()).filter(|clause| !clause.is_empty()).collect()
}

fn starts(flat: &str, phrases: &str) -> bool {
    phrases.split(", ").any(|phrase| flat.trim_start().starts_with(&format!("{phrase} ")))
}

/// What follows one of `heads`, whatever its case.
fn strip<'a>(text: &'a str, heads: &[&str]) -> Option<&'a str> {
    let text = text.trim();
    heads.iter().find_map(|head| {
        let start = text.get(..head.len())?;
        let rest = &text[head.len()..];
        let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric()) || head.ends_with(':');
        (start.eq_ignore_ascii_case(head) && ends).then_some(rest.trim_start())
    })
}

fn addresses(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '(' | ')'))
        .map(|word| word.trim_end_matches('.').to_lowercase())
        .filter(|word| word.contains('@') && word.len() > 3)
        .collect()
}

/// Copies whoever the clause names; whether it names somebody.
fn people(wishes: &mut Wishes, clause: &str, known: &[String]) -> bool {
    let words = flat(clause);
    let found = addresses(clause);
    let copies = has(&words, "cc, copy, in copy, loop in, to the cc");
    if !found.is_empty() {
        wishes.copy.extend(found);
        return true;
    }
    if !copies {
        return false;
    }
    let skip = "add include put also copy cc in to the loop please and as well too";
    for name in words.split_whitespace().filter(|word| !skip.split(' ').any(|skip| skip == *word)) {
        let is = |address: &&String| {
            let local = address.split('@').next().unwrap_or_default().to_lowercase();
            local.split(['.', '-', '_']).any(|part| part == name)
        };
        match known.iter().find(is) {
            Some(address) => wishes.copy.push(address.to_lowercase()),
            None => wishes.unknown.push(name.to_owned()),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn of(text: &str) -> (Wishes, Manner) {
        let (mut wishes, mut manner) = (Wishes::default(), Manner::default());
        read(
            &mut wishes,
            &mut manner,
            text,
            About::Proposal,
            date(2026, 11, 11),
            &["bob.stone@x.example".to_owned()],
        );
        (wishes, manner)
    }

    fn words(text: &str) -> Vec<String> {
        let say = |said: &Say| match said {
            Say::Words(text) => text.clone(),
            Say::Note(text) => format!("note: {text}"),
            other => format!("{other:?}"),
        };
        of(text).0.say.iter().map(say).collect()
    }

    #[test]
    fn words_become_sentences() {
        let rows: &[(&str, &[&str])] = &[
            ("Tell him Tuesday works", &["Tuesday works."]),
            ("tell her that she has my approval and can start", &["You have my approval and can start."]),
            ("yes, but only after the release", &["Yes", "Only after the release."]),
            ("ok", &["Yes"]),
            ("decline, we are fully booked in December", &["Decline", "We are fully booked in December."]),
            ("mention the holiday closure", &["note: the holiday closure"]),
            ("mention that we are closed on Friday", &["We are closed on Friday."]),
            ("say we will pay 500 instead", &["We will pay 500."]),
            ("Sag ihr, dass wir uns freuen", &["That(\"wir uns freuen\")"]),
            (
                "The contract is fine. I signed it yesterday",
                &["The contract is fine.", "I signed it yesterday."],
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn wishes_about_the_form_are_not_said() {
        let (wishes, manner) = of("shorter and friendlier, cc bob, and mention the invoice");
        assert_eq!((manner.short, manner.warm), (1, true));
        assert_eq!(wishes.copy, ["bob.stone@x.example"]);
        assert_eq!(wishes.say, [Say::Note("the invoice".into())]);
        let (wishes, _) = of("make it Friday at 10, 45 minutes");
        assert_eq!((wishes.when.len(), wishes.minutes, wishes.say.len()), (1, Some(45), 0));
        assert_eq!(of("copy Zoe").0.unknown, ["zoe"]);
        assert!(of("propose another time").0.other_time);
        assert_eq!(of("subject: Budget").0.subject.as_deref(), Some("Budget"));
    }
}
