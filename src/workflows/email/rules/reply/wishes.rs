//! What a person's words want of a reply: what it is to say, and how.
//!
//! Words are understood as a whole or not at all: where one clause is no wish that is known here, nobody can say what the
//! rest is worth without it. What the reply is to say is told from instructions by [`speech`](super::speech).

use jiff::civil::Date;

use super::super::signs::{flat, has};
use super::manner::Manner;
use super::speech::{self, is_sentence};
use super::voice::Lang;
use super::when::{Mention, mentions, minutes};
use crate::text::words::stem_set;
use std::collections::HashSet;

/// All that the words of a person want, in the order they were said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wishes {
    /// What is to be said, clause by clause.
    pub say: Vec<Say>,
    /// Sentences with these words go.
    pub drop: Vec<HashSet<String>>,
    pub copy: Vec<String>,
    pub uncopy: Vec<String>,
    pub subject: Option<String>,
    /// The newest days and times that were named.
    pub when: Vec<Mention>,
    pub minutes: Option<u32>,
    /// Another time, no matter which.
    pub other_time: bool,
    pub to_all: bool,
}

impl Wishes {
    /// The same, without what concerns the envelope: whom it goes to, and its subject.
    pub fn inside(self) -> Self {
        let (copy, uncopy, subject, to_all) = Default::default();
        Self { copy, uncopy, subject, to_all, ..self }
    }

    /// What was given to be said, word for word.
    pub fn given(&self) -> impl Iterator<Item = &str> {
        self.say.iter().filter_map(|said| match said {
            Say::Words(text) | Say::That(text) | Say::When(text) | Say::Note(text) => Some(text.as_str()),
            Say::Yes | Say::No | Say::Decline => None,
        })
    }
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
    /// A draft: "add that we are closed" is said to the agent.
    Draft,
    /// A meeting that was proposed: they move it, or say what to write instead.
    Meeting,
}

/// What helps to understand words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    pub today: Date,
    /// Addresses that names may stand for.
    pub known: &'a [String],
    /// Who is written to, by name.
    pub sender: &'a str,
    /// Whether the mail asks something that can be answered by yes or no.
    pub asked: bool,
}

/// Words at which a clause about the form begins.
const FORM: &str = "shorter, briefer, longer, friendlier, warmer, nicer, cc, copy, decline, don t mention, do not mention, \
    in german, in english, mention, also mention, also say, say, tell, formal, informal, kürzer, länger, \
    freundlicher, förmlicher, erwähne, sag, schreib, auf deutsch, auf englisch, subject, leave out, reply all, \
    reply to all, more formal, less formal, make it";

/// Those that only a proposal makes clear.
const CHANGES: &str =
    "more, less, make, add, also add, drop, remove, without, keep, propose, offer, suggest, sign";

/// All there is to say about length, tone and language.
const TONES: &str = "shorter, short, brief, briefer, shorten, too long, kürzer, kurz, knapp, longer, detail, details, too short, \
    länger, ausführlicher, friendlier, warmer, warm, kinder, nicer, freundlicher, herzlicher, informal, casual, less formal, \
    informell, lockerer, formal, formally, förmlicher, formell, no exclamation marks, without exclamation marks, in english, \
    auf englisch, in german, auf deutsch";

/// Words that change nothing about a wish.
const FILLERS: &str = "please bitte just also and then but make it the this draft mail email reply answer write sound be a an \
    bit little lot much even more still noch etwas ein wenig viel mach es die antwort mehr";

/// Words that name a day or a time, or stand beside one.
const TIMES: &str = "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag \
    samstag sonntag today tomorrow heute morgen week woche day days tag tage january february march april may june july \
    august september october november december januar februar märz mai juni juli oktober dezember morning mornings \
    afternoon afternoons evening noon lunch vormittag vormittags nachmittag nachmittags abend mittag am pm uhr o clock hour \
    hours minute minutes min half quarter past stunde stunden minuten one two three four five six seven eight nine ten eleven \
    twelve a an at on in by to for from until till or and next this the of only after before around about between um ab bis \
    von zu nach vor oder und nächste nächsten kommenden am im der den die nur instead stattdessen please bitte rather better \
    lieber besser st nd rd th";

/// Verbs that move a meeting.
const MOVES: &[&str] = &[
    "make it",
    "move it to",
    "move it",
    "schedule it for",
    "schedule it",
    "schedule",
    "propose",
    "offer",
    "suggest",
];

/// Reads words; what they say about length, tone and language goes into `manner`. Whether all of them were understood:
/// where they were not, nothing of what was read holds.
pub(super) fn read(
    wishes: &mut Wishes,
    manner: &mut Manner,
    words: &str,
    about: About,
    context: Context<'_>,
) -> bool {
    if about != About::Draft
        && let Some(text) = speech::word_for_word(words)
    {
        wishes.say.push(Say::Words(text));
        return true;
    }
    let before = manner.lang;
    let earlier = std::mem::take(&mut wishes.when);
    let clauses = clauses(words, about);
    let understood = !clauses.is_empty()
        && clauses.iter().all(|clause| read_clause(wishes, manner, clause, about, context));
    if wishes.when.is_empty() {
        wishes.when = earlier;
    }
    // Whoever wants another language wants the words translated, too.
    let foreign = |text: &str| Lang::of(text) != manner.lang;
    understood && (manner.lang == before || !wishes.given().any(foreign) && manner.known.is_empty())
}

fn read_clause(
    wishes: &mut Wishes,
    manner: &mut Manner,
    clause: &str,
    about: About,
    context: Context<'_>,
) -> bool {
    let words = flat(clause);
    let core: Vec<&str> =
        words.split_whitespace().filter(|word| !FILLERS.split_whitespace().any(|one| one == *word)).collect();
    let core = core.join(" ");
    let whole = |phrases: &str| phrases.split(", ").any(|phrase| phrase == core);
    if let Some(subject) = strip(clause, &["subject:", "betreff:"]) {
        wishes.subject = Some(subject.trim().to_owned());
        return !subject.trim().is_empty();
    }
    if whole("all, to all, everybody, to everybody, alle") && has(&words, "reply, answer, antwort, an alle") {
        wishes.to_all = true;
        return true;
    }
    if people(wishes, clause, context.known) {
        return true;
    }
    let leave = ["don't mention", "don’t mention", "do not mention", "leave out", "streiche"];
    let cut = ["drop", "remove", "without", "lass"];
    let what = strip(clause, &leave).or_else(|| strip(clause, &cut).filter(|_| about != About::Mail));
    // What is said about the tone is no sentence to leave out.
    if let Some(what) = what.filter(|_| !whole(TONES)) {
        let stems = stem_set(what.trim_end_matches(" weg"));
        wishes.say.retain(|said| !matches!(said, Say::Words(text) | Say::That(text) | Say::Note(text) if shares(text, &stems)));
        wishes.drop.push(stems);
        return true;
    }
    let other_time = "other time, another time, different time, other day, another day, andere zeit, anderer termin, andere \
                      termine, other times, anderen termin";
    if has(&words, other_time) && words.split_whitespace().count() <= 5 {
        wishes.other_time = true;
        return true;
    }
    if whole(TONES) {
        return manner.tone(&words);
    }
    if let Some(rest) =
        strip(clause, &["politely decline", "decline", "absagen", "sag ab", "turn it down", "refuse"])
    {
        return decline(wishes, rest);
    }
    if names_a_time(clause) {
        wishes.when.extend(mentions(clause, context.today));
        wishes.minutes = minutes(clause).or(wishes.minutes);
        // Said about a proposal, it is for the agent; said about the mail, it is the answer.
        if about == About::Mail && strip(clause, MOVES).is_none() {
            wishes.say.push(Say::When(speech::sentence(clause)));
        }
        return true;
    }
    let replaces = has(&words, "instead, stattdessen");
    let clause = strip(clause, &["instead", "no, instead", "stattdessen"]).unwrap_or(clause);
    let clause = clause.trim_end_matches([' ', '.']);
    let clause = clause.strip_suffix(" instead").unwrap_or(clause);
    let Some(said) = speech::said(clause, about, replaces, &wishes.say, context) else { return false };
    if replaces {
        wishes.say.clear();
    }
    if !wishes.say.contains(&said) {
        wishes.say.push(said);
    }
    true
}

/// A refusal with its reason, where one is given.
fn decline(wishes: &mut Wishes, rest: &str) -> bool {
    let objects = ["it", "this", "that", "them", "the invitation", "the meeting", "the offer", "the request"];
    let rest = strip(rest, &objects).unwrap_or(rest);
    let rest = strip(rest, &["politely", "kindly", "please", "bitte"]).unwrap_or(rest);
    let reason = strip(rest.trim_start_matches([':', ',', ' ', '-', '–']), &["because", "since"]);
    let reason = reason.unwrap_or(rest).trim_start_matches([':', ',', ' ', '-', '–']);
    wishes.say = vec![Say::Decline];
    if flat(reason).trim().is_empty() {
        return true;
    }
    wishes.say.push(Say::Words(speech::sentence(reason)));
    speech::speaks(reason)
}

/// Whether a clause is a day, a time or a length, and no word more.
fn names_a_time(clause: &str) -> bool {
    // Any day will do here: what counts is whether one is named.
    let dated = !mentions(clause, Date::constant(2026, 1, 5)).is_empty() || minutes(clause).is_some();
    let rest = strip(clause, MOVES).unwrap_or(clause);
    let known = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit()) || TIMES.split_whitespace().any(|one| one == word)
    };
    dated && flat(rest).split_whitespace().all(known) && !is_sentence(rest)
}

/// Whether `text` has all of these words.
pub(super) fn shares(text: &str, stems: &HashSet<String>) -> bool {
    !stems.is_empty() && stems.is_subset(&stem_set(text))
}

/// Splits at sentence ends, and at commas and "and" where a wish about the form begins or ends.
fn clauses(words: &str, about: About) -> Vec<String> {
    let form = |text: &str| starts(&flat(text), FORM) || about != About::Mail && starts(&flat(text), CHANGES);
    let mut out: Vec<String> = Vec::new();
    for sentence in crate::text::words::sentences(words) {
        for part in sentence.split([';', '\n']) {
            // "Yes, please" is one clause.
            if speech::yes_or_no(part).is_some() {
                out.push(part.trim().to_owned());
                continue;
            }
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
                let whole = !starts(
                    &flat(&open),
                    "decline, cc, copy, add, mention, say, tell, sag, sage, schreib, erwähne",
                );
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
pub(super) fn strip<'a>(text: &'a str, heads: &[&str]) -> Option<&'a str> {
    let text = text.trim();
    heads.iter().find_map(|head| {
        let start = text.get(..head.len())?;
        let rest = &text[head.len()..];
        let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric()) || head.ends_with(':');
        (start.eq_ignore_ascii_case(head) && ends).then_some(rest.trim_start())
    })
}

/// Copies whoever a clause names, or no longer; whether it does that, for people that are known, and nothing more.
fn people(wishes: &mut Wishes, clause: &str, known: &[String]) -> bool {
    let copies = ["also copy", "also cc", "please copy", "please cc", "cc", "copy", "loop in"];
    let adds = ["please add", "also add", "add", "include", "put"];
    let drops = ["don't copy", "do not copy", "uncopy", "remove", "drop", "without"];
    let skip = "also copy cc in to the loop please and as well too";
    let by_name = strip(clause, &copies);
    let rest = by_name.or_else(|| strip(clause, &adds)).or_else(|| strip(clause, &drops)).unwrap_or(clause);
    let mut named = Vec::new();
    let words =
        rest.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '(' | ')' | ':'));
    for word in words.map(|word| word.trim_end_matches('.').to_lowercase()).filter(|word| !word.is_empty()) {
        let is = |address: &&String| {
            let local = address.split('@').next().unwrap_or_default().to_lowercase();
            local.split(['.', '-', '_']).any(|part| part == word)
        };
        if word.contains('@') && word.len() > 3 {
            named.push(word);
        } else if let Some(address) = known.iter().find(is).filter(|_| by_name.is_some()) {
            named.push(address.to_lowercase());
        } else if !skip.split(' ').any(|skip| skip == word) {
            return false;
        }
    }
    let names_somebody = !named.is_empty();
    if strip(clause, &drops).is_some() {
        wishes.uncopy.extend(named);
    } else {
        wishes.copy.extend(named);
    }
    names_somebody
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn of(text: &str, about: About) -> Option<(Wishes, Manner)> {
        let (mut wishes, mut manner) = (Wishes::default(), Manner::default());
        let known = ["bob.stone@x.example".to_owned()];
        let context = Context { today: date(2026, 11, 11), known: &known, sender: "Jonas Beck", asked: true };
        read(&mut wishes, &mut manner, text, about, context).then_some((wishes, manner))
    }

    fn words(text: &str, about: About) -> Option<Vec<String>> {
        let say = |said: &Say| match said {
            Say::Words(text) => text.clone(),
            Say::Note(text) => format!("note: {text}"),
            other => format!("{other:?}"),
        };
        Some(of(text, about)?.0.say.iter().map(say).collect())
    }

    #[test]
    fn an_answer_becomes_sentences() {
        let rows: &[(&str, &[&str])] = &[
            ("Tell him Tuesday works", &["Tuesday works."]),
            ("tell him we can't", &["We can't."]),
            ("tell her that she has my approval and can start", &["You have my approval and can start."]),
            ("yes, but only after the release", &["Yes", "Only after the release."]),
            ("ok", &["Yes"]),
            ("say no", &["No"]),
            ("yes\nSam approves it", &["Yes", "Sam approves it."]),
            ("Yes, it still stands.", &["Yes", "It still stands."]),
            ("Yes, please.", &["Yes"]),
            ("No, thanks.", &["No"]),
            ("12", &["12."]),
            ("decline, we are fully booked in December", &["Decline", "We are fully booked in December."]),
            ("Sag ihr, dass wir uns freuen", &["That(\"wir uns freuen\")"]),
            ("Say: ask Tom, he knows", &["Ask Tom, he knows."]),
            ("“Please send me your customer number.”", &["Please send me your customer number."]),
            (
                "The contract is fine. I signed it yesterday",
                &["The contract is fine.", "I signed it yesterday."],
            ),
        ];
        for (text, expected) in rows {
            let expected = expected.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(words(text, About::Mail), Some(expected), "{text}");
        }
    }

    #[test]
    fn instructions_are_not_taken_for_an_answer() {
        for text in [
            "Ask for her customer number.",
            "ask Jonas",
            "thanks him",
            "thank him and wish him well",
            "say hello to Bob",
            "tell Zoe the copy is on its way",
            "tell him they can't come",
            "reply politely",
            "add it, but after the release",
            "apologise, we are late",
            "ask her on Tuesday",
            "keep it short and thank her",
            "we should decline",
            "I want it shorter",
            "The tone is wrong",
            "can you make it nicer?",
            "Make sure it is polite",
            "copy Zoe",
            "Include prices",
            "The files are ready, in German please",
        ] {
            assert_eq!(words(text, About::Mail), None, "{text}");
        }
    }

    #[test]
    fn a_draft_is_changed_by_clear_wishes_alone() {
        let clear = |text: &str| of(text, About::Draft).unwrap_or_else(|| panic!("{text}"));
        let (wishes, manner) = clear("shorter and friendlier, cc bob, and mention the invoice");
        assert_eq!((manner.short, manner.warm), (1, true));
        assert_eq!(wishes.copy, ["bob.stone@x.example"]);
        assert_eq!(wishes.say, [Say::Note("the invoice".into())]);
        let (wishes, _) = clear("make it Friday at 10, 45 minutes");
        assert_eq!((wishes.when.len(), wishes.minutes, wishes.say.len()), (1, Some(45), 0));
        assert!(clear("propose another time").0.other_time);
        assert_eq!(clear("subject: Budget").0.subject.as_deref(), Some("Budget"));
        assert_eq!(
            clear("mention that we are closed on Friday").0.say,
            [Say::Words("We are closed on Friday.".into())]
        );
        assert_eq!(clear("say we will pay 500 instead").0.say, [Say::Words("We will pay 500.".into())]);
        assert_eq!(clear("decline").0.say, [Say::Decline]);
        assert_eq!(clear("even shorter, please").1.short, 1);
        for text in [
            "ok",
            "yes",
            "no",
            "thanks",
            "tell him we can't",
            "The contract is fine",
            "I am short of time",
            "shorter, but keep the date",
            "copy Zoe",
            "shorter and thank him",
        ] {
            assert!(of(text, About::Draft).is_none(), "{text}");
        }
        assert!(of("tell him I am away that day", About::Meeting).is_some());
    }
}
