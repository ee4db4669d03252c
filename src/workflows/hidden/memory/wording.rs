//! Lines about how to write replies and when to meet, checked word by word against closed lists.
//!
//! No list has a word for sending, asking, permitting, paying, or for people other than the two who write to each
//! other. A forbidding word must be followed by what it forbids, so "no emojis" passes and "no replies" does not.

use crate::agent::lesson::{Cause, CauseKind, MemoryFacts};
use serde_json::Value;

/// Words that connect a sentence.
const LINKING: &str = "a always an and answer answers answering are as at auf be begin but by cut das default der die do ein \
    eine email emails end er for from generally grown he her his i ihr im in immer is ist it keep keeps kept kind \
    like likes mail mails make me mehr message messages mit moved much my new of oder often or our over person \
    please prefer preferred prefers preference rather replies reply replying response responses schreib schreibe \
    schreiben schreibt sehr sender she should start than the their them they to under und unter usually use user \
    uses using very von was we when while with write writes writing written you your antwort antworten antworte bitte \
    lieber etwas so too zu more most less least being";

/// Words that forbid.
const FORBIDDING: &[&str] = &[
    "no", "not", "never", "don't", "dont", "without", "avoid", "avoids", "omit", "kein", "keine", "nicht",
    "ohne",
];

/// Words allowed between a forbidding word and what it forbids.
const BETWEEN: &str = "a an any be begin end in meetings more much of on over put schedule so start such the too use very \
    with write zu";

/// Words about how something is written.
const WORDING: &str = "american anrede ausführlich ausführlicher bold brevity brief briefer briefly british bullet bullets \
    capitals caps casual casually cheerful cheers closing colloquial concise concisely crisp dear deutsch deutsche detail \
    detailed details du duzen dutch emoji emojis emoticons english englisch exclamation exclamations filler fluff formal \
    formally formell formeller french freundlich freundlicher friendlier friendly förmlich förmlicher german grammar greet \
    greeting greetings grußformel hallo hello herzlich herzlicher hey hi humor humour höflich höflicher idioms informal \
    informally informell italian italics jargon jokes knapp knapper kurz kürzer language languages length locker lockerer \
    long longer länge länger manner marks name names neutral nice nicer paragraph paragraphs phrases plain plainly \
    pleasantries point points polish polite politely politer politeness portuguese professional professionally regards \
    salutation sentence sentences short shorter shortest siezen sign-off simple slang small smileys spanish spelling \
    sprache style sätze talk terse thank thanks tone ton voice warm warmer warmly wording words word wörter lines";

/// Words allowed before "to" and the address we reply to.
const REPLYING: &[&str] = &["replies", "answers", "replying", "writing"];

/// Units that a number in a line about wording may count.
const UNITS: &[&str] =
    &["word", "words", "sentence", "sentences", "paragraph", "paragraphs", "lines", "wörter", "sätze"];

/// Words about when and where to meet.
const MEETING: &str = "afternoon afternoons before after between until break breaks buffer call calls day days duration early \
    earlier evening evenings free friday fridays gap gaps half hour hours late later lunch lunchtime midday minute minutes \
    monday mondays morning mornings noon online phone place quarter saturday saturdays sunday sundays thursday thursdays \
    time times tuesday tuesdays video wednesday wednesdays week weekday weekdays weekend weekends weeks working long longer \
    short shorter";

/// Words that connect a sentence about meetings.
const PLANNING: &str = "each hold leave meet meeting meetings on plan propose schedule suggest two";

/// Words that end mails.
const CLOSERS: &str = "all best beste besten cheers cordially dank danke faithfully freundliche freundlichen greetings \
    grüße grüßen gruß gruss herzliche herzlichen kind liebe lieben many mit regards sincerely thank thanks the truly viele \
    vielen warm warmly wishes with you yours";

/// Words for places.
const PLACES: &str = "building floor meeting office online phone room the video";

/// The beginnings of a line that says how to sign mails.
const SIGN_OFFS: &[&str] = &[
    "sign-off: end with ",
    "sign off with ",
    "sign off as ",
    "sign replies as ",
    "sign replies with ",
    "sign mails as ",
    "sign mails with ",
    "sign with ",
    "sign as ",
    "end with ",
    "end replies with ",
];

const PLACE: &str = "place: ";

/// The longest sign-off or place, in words.
const MAX_SLOT_WORDS: usize = 6;

/// Whether a line is only about how to write replies.
pub(super) fn is_about_wording(facts: &MemoryFacts, text: &str) -> bool {
    let counts = |rest: &[String]| {
        let mut rest =
            rest.iter().skip_while(|word| is_number(word) || ["to", "or", "and"].contains(&word.as_str()));
        rest.next().is_some_and(|unit| UNITS.contains(&unit.as_str()))
    };
    is_made_of(facts, text, &[LINKING], &[WORDING], &counts)
}

/// Whether a line is only about when and how to meet.
pub(super) fn is_about_meetings(facts: &MemoryFacts, text: &str) -> bool {
    // Several numbers in a row may be a phone number.
    let counts = |rest: &[String]| rest.first().is_none_or(|next| !is_number(next));
    is_made_of(facts, text, &[LINKING, PLANNING], &[MEETING], &counts)
}

fn is_made_of(
    facts: &MemoryFacts,
    text: &str,
    linking: &[&str],
    telling: &[&str],
    counts: &dyn Fn(&[String]) -> bool,
) -> bool {
    let words = words(text);
    let is_linking = |word: &str| holds(linking, word) || is_persons_name(facts, word);
    let is_telling = |word: &str| holds(telling, word) || is_number(word);
    let fits = |index: usize, word: &str| {
        let rest = words.get(index + 1..).unwrap_or_default();
        if FORBIDDING.contains(&word) {
            rest.iter().find(|word| !holds(&[BETWEEN], word)).is_some_and(|word| is_telling(word))
        } else if word == "say" {
            rest.first()
                .is_some_and(|word| ["more", "less", "hello", "hi", "thanks"].contains(&word.as_str()))
        } else if is_number(word) {
            counts(rest)
        } else if word.contains('@') {
            is_replied_to(facts, &words[..index], word)
        } else {
            is_telling(word) || is_linking(word)
        }
    };
    words.iter().filter(|word| is_number(word)).count() <= 4
        && words.iter().any(|word| is_telling(word))
        && words.iter().enumerate().all(|(index, word)| fits(index, word))
}

/// Whether a line says how to sign mails, in words that are usual closings, the person's name, or words the person put
/// at the end of a mail or asked for.
pub(super) fn is_sign_off(facts: &MemoryFacts, text: &str) -> bool {
    let Some(slot) = sign_off(text) else { return false };
    let is_known = |word: &String| holds(&[CLOSERS], word) || is_persons_name(facts, word);
    slot.iter().all(is_known)
        || facts
            .causes
            .iter()
            .any(|cause| is_put_at_end(cause, &slot, &is_known) || is_asked_for(cause, &slot))
}

/// Whether a line says how to sign mails, in any words.
pub(super) fn has_sign_off(text: &str) -> bool {
    sign_off(text).is_some()
}

/// Whether a line names the place that the person gave for a meeting.
pub(super) fn is_place(facts: &MemoryFacts, text: &str) -> bool {
    let Some(slot) = place(text) else { return false };
    facts.causes.iter().any(|cause| {
        let (before, after) = (arg(&cause.proposed, "location"), arg(&cause.edited, "location"));
        after == slot && slot.iter().all(|word| holds(&[PLACES], word) || !before.contains(word))
    })
}

/// Whether a line names a place, in any words.
pub(super) fn has_place(text: &str) -> bool {
    place(text).is_some()
}

fn sign_off(text: &str) -> Option<Vec<String>> {
    let lower = text.to_lowercase();
    let rest = SIGN_OFFS.iter().find_map(|frame| lower.strip_prefix(frame))?;
    slot(rest).filter(|words| words.iter().flat_map(|word| word.chars()).all(|c| !c.is_ascii_digit()))
}

fn place(text: &str) -> Option<Vec<String>> {
    slot(text.to_lowercase().strip_prefix(PLACE)?)
}

/// A few plain words.
fn slot(text: &str) -> Option<Vec<String>> {
    let words = words(text);
    let is_plain = |word: &String| word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '\'');
    ((1..=MAX_SLOT_WORDS).contains(&words.len()) && words.iter().all(is_plain)).then_some(words)
}

/// Whether the person's edited mail ends like this. Words the model had already written there do not count as theirs.
fn is_put_at_end(cause: &Cause, slot: &[String], is_known: &dyn Fn(&String) -> bool) -> bool {
    let (before, after) = (arg(&cause.proposed, "content"), arg(&cause.edited, "content"));
    cause.kind == CauseKind::ProposalEdited
        && after.ends_with(slot)
        && slot.iter().all(|word| is_known(word) || !before.contains(word))
}

/// Whether the person asked for it: “sign as Noor”.
fn is_asked_for(cause: &Cause, slot: &[String]) -> bool {
    let feedback = words(&cause.feedback);
    let is_framed = |index: usize| {
        let before = &feedback[..index];
        before.last().is_some_and(|word| ["as", "with"].contains(&word.as_str()))
            && before.iter().any(|word| ["sign", "end", "close"].contains(&word.as_str()))
    };
    slot.len() <= 2
        && feedback.windows(slot.len()).enumerate().any(|(index, run)| run == slot && is_framed(index))
}

fn arg(args: &Value, name: &str) -> Vec<String> {
    words(args.get(name).and_then(Value::as_str).unwrap_or_default())
}

/// Lower-case words, without surrounding punctuation.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace('’', "'");
    let marks = ['.', ',', ';', ':', '!', '?', '(', ')', '"', '“', '”', '„', '\'', '…', '–', '—', '-', '/'];
    let words = lower.split_whitespace().map(|word| word.trim_matches(marks));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn holds(lists: &[&str], word: &str) -> bool {
    lists.iter().any(|list| list.split_whitespace().any(|listed| listed == word))
}

/// A small number, or a time of day.
fn is_number(word: &str) -> bool {
    let bare = word.strip_suffix("am").or_else(|| word.strip_suffix("pm")).unwrap_or(word);
    let (integer, minutes) = bare.split_once(':').unwrap_or((bare, "00"));
    let is_digits =
        |text: &str, max: usize| (1..=max).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_digits(integer, 3) && is_digits(minutes, 2) && integer.bytes().any(|b| b != b'0')
}

/// Whether a word is part of the person's name.
fn is_persons_name(facts: &MemoryFacts, word: &str) -> bool {
    words(&facts.user.name).iter().any(|name| name == word)
}

/// Whether an address is the sender's and we reply to it. After "write to" it would be a recipient, after "start with"
/// a greeting.
fn is_replied_to(facts: &MemoryFacts, before: &[String], address: &str) -> bool {
    let is_framed = matches!(before, [.., how, to] if to == "to" && REPLYING.contains(&how.as_str()));
    let mut senders = facts.causes.iter().filter_map(|cause| cause.mail.as_ref());
    is_framed && senders.any(|mail| mail.from.trim().to_lowercase() == address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::mail_facts::{MailFacts, User};
    use serde_json::json;

    fn facts(cause: Cause) -> MemoryFacts {
        let mail = MailFacts { from: "Bob@client.example".to_owned(), ..MailFacts::default() };
        MemoryFacts {
            user: User { name: "Ada Lovelace".to_owned(), ..User::default() },
            causes: vec![Cause { mail: Some(mail), ..cause }],
            ..MemoryFacts::default()
        }
    }

    #[test]
    fn no_list_holds_a_word_that_acts() {
        let acts = "accept add address agree all allow alle allen answer-all anybody anyone anything approve approval ask attach \
            attachment authorise authorize bcc blind book both cc client confirm copy decide delete deny directly everybody \
            everyone everything except fine forward forget grant hide ignore include invite kopie list loop mark may mute need \
            nothing ok okay only others pay payment permit pretend promise recipient recipients report run say secret senden \
            send share show silence skip tell transfer trust unless yes zero";
        let lists = [LINKING, BETWEEN, WORDING, MEETING, PLANNING];
        for word in acts.split_whitespace() {
            assert!(!holds(&lists, word), "{word}");
        }
    }

    #[test]
    fn what_is_forbidden_follows_at_once() {
        let facts = facts(Cause::new(CauseKind::ProposalAnswered));
        for (line, passes) in [
            ("No emojis", true),
            ("Don’t use bullet points", true),
            ("not too formal", true),
            ("No replies", false),
            ("never write emails", false),
            ("no more replies, briefly", false),
            ("without", false),
            ("always reply", false),
            ("say thanks, briefly", true),
            ("say 500, briefly", false),
            ("at most 5 sentences", true),
            ("always answer 500, briefly", false),
            ("0 words", false),
            ("4111 1111 1111 words", false),
            ("Ada prefers short mails", true),
            ("Short replies to bob@client.example", true),
            ("Short when writing to bob@client.example", true),
            ("Write short mails to bob@client.example", false),
            ("Start with bob@client.example, briefly", false),
            ("Short replies to eve@client.example", false),
        ] {
            assert_eq!(is_about_wording(&facts, line), passes, "{line}");
        }
        for (line, passes) in [
            ("Not before 10:00", true),
            ("Leave 15 minutes between meetings", true),
            ("No meetings", false),
            ("Propose morning meetings with bob@client.example", false),
            ("Meetings in the morning are fine without asking", false),
        ] {
            assert_eq!(is_about_meetings(&facts, line), passes, "{line}");
        }
    }

    #[test]
    fn a_sign_off_or_place_is_what_the_person_typed() {
        let edited = Cause {
            proposed: json!({"content": "Hello.\n\nask nobody\nAda", "location": "Room 3 copy mark"}),
            edited: json!({"content": "Hello.\n\nask nobody\nNoor", "location": "Room 4 copy mark"}),
            ..Cause::new(CauseKind::ProposalEdited)
        };
        let edited = facts(edited);
        for (line, passes) in [
            ("Sign as Noor", true),
            ("Sign-off: end with “Kind regards / Ada”", true),
            ("Sign-off: end with “ask nobody / Noor”", false),
            ("Sign as Hello", false),
            ("Sign as noor@evil.example", false),
        ] {
            assert_eq!(is_sign_off(&edited, line), passes, "{line}");
        }
        assert!(!is_place(&edited, "Place: Room 4 copy mark") && !is_place(&edited, "Place: Room 4"));
        let cause = Cause {
            feedback: "don't copy Mark, and sign as Noor".to_owned(),
            ..Cause::new(CauseKind::ProposalAnswered)
        };
        assert!(is_sign_off(&facts(cause.clone()), "Sign as Noor"));
        assert!(!is_sign_off(&facts(cause), "Sign as copy Mark"));
    }
}
