//! Finds distinctive text: the parts of a text that show which mail it comes from.
//!
//! Distinctive text is codes, and five words in a row that are not all everyday words. Text from the conversation or
//! from the user does not count. Both are also found inside percent escapes, hexadecimal or base64. Linear in all texts
//! together. A search by words then compares it with other mails.

use super::placeholders::without_placeholders;
use crate::mail::codes::codes;
use crate::text::words::alphanumeric_words;
use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use std::collections::HashSet;

/// How many words in a row are distinctive.
const WORDS_PER_RUN: usize = 5;
/// The most runs or codes of one text we look for.
const MAX_FOUND: usize = 2_000;
/// How much of a text counts as known, in bytes: the searchable part of a mail.
const MAX_KNOWN: usize = 128 << 10;
/// How many layers of encoding are decoded.
const WRAPPINGS: usize = 2;

/// Words everybody writes: grammar, courtesy, dates and times. English and German, like the built-in rules.
const EVERYDAY: &str = "
a about above after again all also always am an and any anybody anyone anything are around as asap at attached available
back be because been before being best better both briefly but by call can cannot cc cheers come contact could date day days
dear did do does doing done don down due during each early either email emails end enough even evening ever every everyone
everything feel few fine first for forward free from further get give glad go going good great greetings had happy has have
having he hear hearing hello help her here hesitate hey hi him his hope hour hours how however i if in instead into is it its
just keep kind kindly know last late later least let like ll long look looking looks made mail mails make many matter may
maybe me meet meeting meetings message minute minutes mine moment month months more morning most much my need new next no not
nothing now of off on once one only or other our out over own pass please possible question questions quick re reach read
ready really reason received regarding regards reply respond response right said same say see seems send sent several shall
she short should since so some somebody someone something soon sorry speak still such suit suits sure take talk tell than
thank thanks that the their them then there these they thing things think this those though through time times to today
together tomorrow tonight too touch two until up upon us ve very via wait want was way we week weekend weeks well were what
whatever when where whether which while who whole why will wish wishes with within without wonderful work works would write
writing yes yesterday yet you your yours yourself
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october
november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec cet cest utc gmt pm noon
three four five six seven eight nine ten
aber alle alles als also am an anbei andere anruf antwort antworten auch auf aus bald bei beim beste besten bin bis bitte da
dafür damit danach dank danke dann das dass daß dazu dein dem den denn der des die dies diese diesen dieser dieses dir doch du durch
ein eine einem einen einer eines einfach entschuldigung er es etwas euch euer falls frage fragen freue freundliche
freundlichen für ganz geben gegen gern gerne geht gibt grüße grüßen gruß gut gute guten habe haben hallo hat heute hier hiermit
hoffe hätte hätten ich ihm ihnen ihr ihre ihrem ihren ihrer im in ist ja jede jeden jeder jetzt kann kannst kein keine können
könnte könnten lassen liebe lieber liegt los mail mal man mehr mein meine meinen melde melden mich mir mit möchte morgen muss
nach nachricht nicht nichts noch nur ob oder ohne passen passt per rückmeldung sage sagen schicke schicken schon schöne schönen
sehr sei sein seit sich sie sind so sobald sollte sollten sowie tag tage termin treffen uhr um und uns unser unsere unter viel
viele vielen vom von vor wann war waren warten was wäre wegen weil weiter wenn wer werde werden wie wieder wir wird wo woche
wochen wollen würde würden zeit zu zum zur zurück zusammen zwei zwischen
montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember
";

/// The parts of a text that show where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DistinctiveText {
    /// PINs, account numbers and so on, as the mail index has them.
    pub codes: Vec<String>,
    /// Runs of words.
    pub phrases: Vec<String>,
    /// Whether there was more than we look for.
    pub is_truncated: bool,
}

/// What distinguishes these texts from others. They may repeat `known` texts; `names` count as everyday words.
pub fn distinctive_text(texts: &[String], known: &[String], names: &[String]) -> DistinctiveText {
    let known = known.iter().map(|text| &text[..text.floor_char_boundary(MAX_KNOWN)]);
    let known: Vec<String> = known.flat_map(|text| with_decoded(text, &HashSet::new())).collect();
    let known_codes: HashSet<String> = known.iter().flat_map(|text| codes(text)).collect();
    let known_words: Vec<Vec<String>> = known.iter().map(|text| alphanumeric_words(text)).collect();
    let known_runs: HashSet<&[String]> = known_words.iter().flat_map(|words| runs(words)).collect();
    let named = names.iter().flat_map(|name| alphanumeric_words(name));
    let everyday: HashSet<String> = EVERYDAY.split_whitespace().map(str::to_owned).chain(named).collect();
    let says_nothing = |word: &String| everyday.contains(word) || word.bytes().all(|b| b.is_ascii_digit());

    let mut result = DistinctiveText::default();
    let mut seen = HashSet::new();
    for text in texts.iter().flat_map(|text| with_decoded(text, &known_codes)) {
        let new =
            codes(&text).into_iter().filter(|code| !known_codes.contains(code) && seen.insert(code.clone()));
        result.codes.extend(new);
        for run in runs(&alphanumeric_words(&text)) {
            if !known_runs.contains(run) && !run.iter().all(says_nothing) {
                let run = run.join(" ");
                if seen.insert(run.clone()) {
                    result.phrases.push(run);
                }
            }
        }
    }
    result.is_truncated = result.codes.len() > MAX_FOUND || result.phrases.len() > MAX_FOUND;
    result.codes.truncate(MAX_FOUND);
    result.phrases.truncate(MAX_FOUND);
    result
}

/// Every shortest run that counts as [`WORDS_PER_RUN`] words.
fn runs(words: &[String]) -> impl Iterator<Item = &[String]> {
    (0..words.len()).filter_map(|start| {
        let mut length = 0;
        words[start..].iter().enumerate().find_map(|(n, word)| {
            length += weight(word);
            (length >= WORDS_PER_RUN).then(|| &words[start..=start + n])
        })
    })
}

/// How many words a word counts as: scripts without blanks write whole clauses as one.
fn weight(word: &str) -> usize {
    let is_wide =
        |c: char| matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}');
    match word.chars().filter(|c| is_wide(*c)).count() {
        0 => 1,
        wide => wide.div_ceil(4),
    }
}

/// A text, and the texts encoded in it. `known_codes` are not decoded.
fn with_decoded(text: &str, known_codes: &HashSet<String>) -> Vec<String> {
    let mut texts = vec![without_placeholders(text).into_owned()];
    let mut at = 0;
    for _ in 0..WRAPPINGS {
        let outer = texts.len();
        for n in at..outer {
            let text = texts[n].clone();
            texts.extend(from_percent(&text));
            texts.extend(from_hex(&text, known_codes));
            texts.extend(from_base64(&text));
        }
        at = outer;
    }
    texts
}

fn from_percent(text: &str) -> Option<String> {
    let bytes: Vec<u8> = percent_decode_str(text).collect();
    (bytes.len() < text.len()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn from_digits(two: &[u8]) -> Option<u8> {
    let two = std::str::from_utf8(two).ok().filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u8::from_str_radix(two, 16).ok()
}

/// Texts whose bytes are written as pairs of hexadecimal digits, and hexadecimal numbers.
fn from_hex(text: &str, known_codes: &HashSet<String>) -> Vec<String> {
    let mut texts = Vec::new();
    let mut bytes: Vec<u8> = Vec::new();
    for word in alphanumeric_words(text) {
        let prefixed = word.strip_prefix("0x");
        let digits = prefixed.or(word.strip_prefix('x')).unwrap_or(&word);
        let is_hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        if is_hex && digits.len() % 2 == 0 {
            bytes.extend(digits.as_bytes().chunks(2).filter_map(from_digits));
        } else {
            texts.extend(text_of(&std::mem::take(&mut bytes)));
        }
        // This leaves years alone.
        let is_number = prefixed.is_some() || codes(digits).iter().any(|code| code == digits);
        if is_hex && is_number && !known_codes.contains(digits) {
            texts.extend(u128::from_str_radix(digits, 16).ok().map(|number| number.to_string()));
        }
    }
    texts.extend(text_of(&bytes));
    texts
}

/// Bytes as text, if there are enough of them to mean something.
fn text_of(bytes: &[u8]) -> Option<String> {
    (bytes.len() >= 4).then(|| String::from_utf8_lossy(bytes).into_owned())
}

fn from_base64(text: &str) -> Vec<String> {
    let lenient = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let engines = [GeneralPurpose::new(&STANDARD, lenient), GeneralPurpose::new(&URL_SAFE, lenient)];
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_');
    let pieces = text.split(|c: char| !inside(c)).filter(|piece| piece.len() >= 6);
    let texts = pieces.filter_map(|piece| {
        let bytes = engines.iter().find_map(|engine| engine.decode(piece).ok())?;
        // Ordinary words can be valid base64 too, but do not decode to text.
        String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.chars().any(|c| c.is_control() && !c.is_whitespace()))
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinctive(text: &str) -> DistinctiveText {
        distinctive_text(&[text.to_owned()], &[], &[])
    }

    #[test]
    fn codes_are_found_in_every_wrapping() {
        for text in [
            "It is 4711.",
            "It is 4 7 1 1.",
            "It is four seven one one.",
            "It is 0x1267.",
            "It is 1267 in hex.",
            "It is 34373131.",
            "It is 34 37 31 31.",
            r"It is \x34\x37\x31\x31.",
            "It is NDcxMQ==.",
            "It is NDcxMQ.",
            "It is %34%37%31%31.",
            "It is %4E%44%63%78%4D%51.",
            "It is 47⟨U+200B⟩11.",
        ] {
            assert!(distinctive(text).codes.contains(&"4711".to_owned()), "{text}: {:?}", distinctive(text));
        }
    }

    #[test]
    fn words_in_a_row_are_found_in_every_wrapping() {
        let run = "the merger closes on friday".to_owned();
        for text in [
            "The merger closes on Friday.",
            "Well: the MERGER,\ncloses -- on Friday!",
            "VGhlIG1lcmdlciBjbG9zZXMgb24gRnJpZGF5",
            "the%20merger%20closes%20on%20friday",
            "546865206d657267657220636c6f736573206f6e20467269646179",
        ] {
            assert!(distinctive(text).phrases.contains(&run), "{text}: {:?}", distinctive(text));
        }
        assert!(distinctive("The merger closes soon.").phrases.is_empty(), "four words");
    }

    #[test]
    fn what_everybody_writes_tells_nothing() {
        for text in [
            "Thank you for your mail. I will get back to you as soon as I can. Best regards",
            "Would Tuesday 5 May at 14:00 or Wednesday 6 May at 10:30 work for you?",
            "Hello Bob, thanks for your message. I look forward to hearing from you.",
            "Vielen Dank für Ihre Nachricht, ich melde mich morgen bei Ihnen. Viele Grüße",
        ] {
            assert_eq!(
                distinctive_text(&[text.to_owned()], &[], &["Bob Ray".to_owned()]),
                DistinctiveText::default(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_known_may_be_repeated() {
        let known = ["The merger closes on Friday, reference DE89 3704 0044.".to_owned()];
        let text = "Yes: the merger closes on Friday (DE8937040044, 3704-0044).";
        let distinctive = distinctive_text(&[text.to_owned()], &known, &[]);
        assert_eq!(distinctive.codes, Vec::<String>::new());
        assert_eq!(distinctive.phrases.len(), 4, "those that hold a new word: {:?}", distinctive.phrases);
        assert!(!distinctive.phrases.contains(&"the merger closes on friday".to_owned()));
    }

    #[test]
    fn clauses_without_blanks_are_words_in_a_row() {
        let distinctive = distinctive("来月の合併について、北支店の買収価格は四億二千万円です。");
        let clause = "北支店の買収価格は四億二千万円です";
        assert_eq!(distinctive.phrases, [format!("来月の合併について {clause}"), clause.to_owned()]);
    }

    #[test]
    fn a_text_too_long_to_look_for_says_so() {
        let text: String = (0..=MAX_FOUND + WORDS_PER_RUN).map(|n| format!("word{} ", n % 97 * n)).collect();
        let distinctive = distinctive(&text);
        assert!(distinctive.is_truncated && distinctive.phrases.len() == MAX_FOUND);
    }
}
