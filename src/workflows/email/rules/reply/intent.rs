//! What a person's words to the rules mean: a yes or no, a time, or a statement to send. Anything else is unclear and
//! is not used: "ask for her customer number" must never become a mail.

use jiff::civil::Date;

use super::when::{Mention, mentions};
use crate::text::phrases::{NormalizedText, is_listed, normalize_text};
use crate::text::words::{sentences, with_full_stop};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReplyIntent {
    Yes,
    No,
    Decline,
    /// Only days and times.
    Times(Vec<Mention>),
    /// Text for the sender.
    Text(String),
    Unclear,
}

/// Somebody who says "he" or "she" of the sender is not talking to the sender.
const OTHERS: &str = "he, she, him, her, hers, his, they, them, their, theirs, er, ihm, ihn";

/// Words about what somebody should do, possibly us.
const TO_DO: &str =
    "you should, you must, you could, want you, like you to, need you to, we should, du sollst, sie sollen";

/// Words about the text itself.
const WRITING: &str = "shorter, longer, formal, informal, friendlier, nicer, polite, politer, politely, tone, wording, draft, \
    sentence, sentences, paragraph, greeting, version, rewrite, rephrase, translate, too long, too short, kürzer, länger, \
    freundlicher, förmlicher";

/// First words of statements about oneself or a thing.
const SUBJECTS: &str = "i, we, it, that, this, there, the, my, our, a, an, these, those, all, both, everything, nothing, \
    unfortunately, yes, no, ich, wir, es, das, der, die, mein, meine, unser, unsere, leider, ja, nein";

/// Days can be first words, too.
const DAYS: &str = "monday, tuesday, wednesday, thursday, friday, saturday, sunday, today, tomorrow, next, montag, dienstag, \
    mittwoch, donnerstag, freitag, samstag, sonntag, heute, morgen";

/// Verbs of a statement. None is also a noun: "include prices" is not a statement.
const FINITE: &str = "is, are, was, were, will, works, suits, has, have, had, can, cannot, could, would, am, does, did, \
    comes, came, fits, takes, took, arrived, arrives, approves, agrees, brings, sends, sent, pays, paid, knows, goes, says, \
    said, writes, wrote, decides, confirms, gets, got, owns, ist, sind, war, wird, werden, hat, haben, kann, können, passt, \
    kommt, kommen, geht";

const YES: &str = "yes, yes please, ok, okay, sure, ja, gern, gerne, ja gerne, accept, agreed, agree, say yes, approve, \
    approved, yep, fine, of course, klar, sag zu, zusagen";

const NO: &str = "no, nope, nein, no thanks, no thank you, say no, leider nein, not interested, leider nicht";

const DECLINE: &str =
    "decline, decline it, decline please, please decline, absagen, sag ab, bitte absagen, ablehnen";

/// Words that name a day or time, or appear next to one.
const TIMES: &str = "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag \
    samstag sonntag today tomorrow heute morgen week woche day days tag tage january february march april may june july \
    august september october november december januar februar märz mai juni juli oktober dezember morning mornings \
    afternoon afternoons evening noon vormittag vormittags nachmittag nachmittags abend mittag am pm uhr o clock a an at on \
    in by to for from until till or and next this the of only after before around about between um ab bis von zu nach vor \
    oder und nächste nächsten kommenden am im der den die nur instead stattdessen please bitte rather better lieber besser \
    st nd rd th";

/// Interprets words said on `today`.
pub(super) fn read_intent(words: &str, today: Date) -> ReplyIntent {
    if let Some(text) = word_for_word(words) {
        return ReplyIntent::Text(text);
    }
    let flat_words = normalize_text(words);
    if is_one_of(&flat_words, YES) {
        return ReplyIntent::Yes;
    }
    if is_one_of(&flat_words, NO) {
        return ReplyIntent::No;
    }
    if is_one_of(&flat_words, DECLINE) {
        return ReplyIntent::Decline;
    }
    let times = mentions(words, today);
    let is_time_word = |word: &str| {
        word.chars().all(|c| c.is_ascii_digit()) || TIMES.split_whitespace().any(|listed| listed == word)
    };
    let without_digits = flat_words.replace(|c: char| c.is_ascii_digit(), " ");
    if !times.is_empty() && without_digits.split_whitespace().all(is_time_word) {
        return ReplyIntent::Times(times);
    }
    // "Yes. Sam approves it." is a statement, too.
    let parts: Vec<&str> = words.lines().flat_map(sentences).filter(|part| !part.trim().is_empty()).collect();
    let is_verdict =
        |part: &&str| is_one_of(&normalize_text(part), YES) || is_one_of(&normalize_text(part), NO);
    match parts.iter().any(|part| is_statement(part))
        && parts.iter().all(|part| is_statement(part) || is_verdict(part))
    {
        true => ReplyIntent::Text(sentence(words)),
        false => ReplyIntent::Unclear,
    }
}

/// Whether the words are exactly one of the phrases.
fn is_one_of(flat_words: &NormalizedText, phrases: &str) -> bool {
    is_listed(flat_words.trim(), phrases)
}

/// Text to send word for word: in quotation marks, or after "Say:".
fn word_for_word(words: &str) -> Option<String> {
    let words = words.trim();
    let heads = ["say:", "write:", "reply:", "answer:", "sag:", "schreib:", "schreibe:", "antworte:"];
    let has_head =
        |head: &&str| words.get(..head.len()).is_some_and(|start| start.eq_ignore_ascii_case(head));
    let after_head = heads.iter().find(|head| has_head(head)).and_then(|head| words.get(head.len()..));
    let text = after_head.unwrap_or(words).trim();
    let quoted = text
        .strip_prefix(['"', '“', '„', '»'])
        .and_then(|text| text.strip_suffix(['"', '”', '“', '«']))
        .filter(|text| !text.contains(['"', '“', '”', '„', '»', '«']));
    let text = quoted.or(after_head.map(|_| text))?;
    text.chars().any(char::is_alphanumeric).then(|| sentence(text))
}

/// Whether the text is a statement one would make to a sender.
fn is_statement(text: &str) -> bool {
    let words = normalize_text(text);
    let is_odd = [OTHERS, WRITING, TO_DO].iter().any(|list| words.has(list));
    if is_odd || text.trim_end().ends_with('?') {
        return false;
    }
    // In "Yes, it still stands", look at what follows the yes.
    let mut rest: Vec<&str> = words.split_whitespace().collect();
    if rest.len() > 2 && normalize_text(rest[0]).has("yes, no, ja, nein, sorry, unfortunately, leider") {
        rest.remove(0);
    }
    let nth = |n: usize| normalize_text(rest.get(n).copied().unwrap_or_default());
    let (first, has_finite_verb, count) = (nth(0), words.has(FINITE), rest.len());
    // No instruction starts like this, whatever verb follows.
    let reads_as_statement =
        first.has("i, we, ich, wir") && count > 1 || first.has("it, there, es") && count > 2;
    let starts_with_subject = first.has(SUBJECTS) || first.has(DAYS);
    reads_as_statement
        || starts_with_subject && has_finite_verb
        || nth(1).has(FINITE) && !first.has("please, bitte")
}

/// Capitalizes the first letter and adds a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    with_full_stop(&first.to_uppercase().chain(chars).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn intent(words: &str) -> ReplyIntent {
        read_intent(words, date(2026, 11, 11))
    }

    #[test]
    fn statements_are_sent_and_instructions_are_not() {
        for statement in [
            "The report comes on Friday",
            "I'll send it tomorrow.",
            "We are closed on Monday. It is a holiday.",
            "Tuesday at 3 works for me",
            "Der Bericht kommt am Freitag",
            "Unfortunately that is not possible.",
            "yes\nSam approves it",
            "Yes, it still stands.",
            "Say: ask for the moon",
            "“Come at nine.”",
        ] {
            assert!(
                matches!(intent(statement), ReplyIntent::Text(_)),
                "{statement}: {:?}",
                intent(statement)
            );
        }
        for instruction in [
            "Ask for her customer number.",
            "tell him we can't",
            "The report comes on Friday. Ask for her number.",
            "shorter",
            "shorter, propose Tuesday",
            "a detailed answer, please",
            "make it nicer and ask when he comes",
            "cc Zoe",
            "thanks him",
            "we should decline this",
            "I want a shorter reply",
            "Sag ihm, dass es später wird",
            "frag nach der Kundennummer",
            "When does she need it?",
            "",
        ] {
            assert_eq!(intent(instruction), ReplyIntent::Unclear, "{instruction}");
        }
    }

    #[test]
    fn verdicts_and_times_are_read_whole() {
        assert_eq!(
            (intent("Yes!"), intent("nein"), intent("decline")),
            (ReplyIntent::Yes, ReplyIntent::No, ReplyIntent::Decline)
        );
        for times in ["Tuesday afternoon", "am Donnerstag um 14 Uhr", "at 4 instead", "17 November, 3pm"] {
            assert!(matches!(intent(times), ReplyIntent::Times(_)), "{times}: {:?}", intent(times));
        }
        assert_eq!(intent("Tuesday with Bob"), ReplyIntent::Unclear);
    }

    #[test]
    fn words_given_as_such_are_sentences() {
        assert_eq!(intent("say: see you there"), ReplyIntent::Text("See you there.".to_owned()));
    }
}
