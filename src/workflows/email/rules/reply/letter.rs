//! A text between a greeting and the person's name.

use serde_json::json;

use super::super::signs::own_text;
use super::Call;
use super::voice::{Lang, Voice, greeting};
use crate::mail::risk::without_placeholders;
use crate::text::phrases::normalize_text;
use crate::workflows::email::facts::ReplyFacts;

/// A mail with these words.
pub(super) fn write(facts: &ReplyFacts, to: &[String], words: &str) -> Call {
    let subject = match facts.subject.as_str() {
        "" => format!("Re: {}", facts.mail.subject),
        subject => subject.to_owned(),
    };
    ("write_email", json!({ "to": to, "subject": subject, "content": frame(facts, words) }))
}

/// The words with a greeting and the person's name; what the words already have is not added.
fn frame(facts: &ReplyFacts, words: &str) -> String {
    let voice = voice(facts);
    let words = words.trim();
    let (first, last) = (words.lines().next().unwrap_or_default(), words.lines().last().unwrap_or_default());
    let is_letter = words.lines().count() > 1;
    let name = &facts.user.name;
    let is_signed = is_letter && !last.trim().is_empty() && name.starts_with(last.trim());
    let mut parts = Vec::new();
    if !(is_letter && first.len() < 60 && first.trim_end().ends_with(',')) {
        let word = learned(&facts.response_profile, "Greeting:");
        let word = word
            .map(|word| word.trim_end_matches(['…', ' ', ',']).to_owned())
            .filter(|word| !word.is_empty());
        let name = || greeting_name(facts, voice.is_some_and(|voice| voice.formal));
        parts.extend(word.or_else(|| Some(voice?.greeting_word())).map(|word| greeting(&word, &name())));
    }
    parts.push(words.to_owned());
    if !is_signed {
        let end = learned(&facts.response_profile, "Sign-off:").map(|end| end.replace(" / ", "\n"));
        parts.extend(end.or_else(|| Some(voice?.sign_off(name))));
    }
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n\n")
}

/// The text in quotation marks on the line of the profile that begins with `head`.
fn learned(profile: &str, head: &str) -> Option<String> {
    let rest = profile.lines().rev().find_map(|line| strip_bullet(line).strip_prefix(head))?;
    let (_, quoted) = rest.split_once(['“', '"'])?;
    Some(quoted[..quoted.rfind(['”', '"'])?].trim().to_owned())
}

/// A line of a profile without its bullet or number.
fn strip_bullet(line: &str) -> &str {
    let line = line.trim().trim_start_matches(['-', '*', '•', '–']).trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = if rest.len() < line.len() { rest.strip_prefix(['.', ')']) } else { None };
    numbered.map_or(line, str::trim_start)
}

/// The language and the formality follow the mail; `None` if we don't write its language.
fn voice(facts: &ReplyFacts) -> Option<Voice> {
    let text = own_text(&facts.mail.text);
    let lang = Lang::of(&text)?;
    let formal = match lang {
        Lang::English => normalize_text(greeting_line(&text)).starts_with(&*normalize_text("dear")),
        Lang::German => !normalize_text(&text)
            .has("du, dir, dich, dein*, euch, euer, eure, ihr beiden, hi, lieber, liebe"),
    };
    Some(Voice { lang, formal })
}

fn greeting_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// The name in the greeting; empty if the sender is not surely a person. Conferences and shops have names, too.
fn greeting_name(facts: &ReplyFacts, formal: bool) -> String {
    let name = without_placeholders(&facts.mail.from_name);
    let name = match name.trim().split_once(", ") {
        Some((last, first)) => format!("{first} {last}"),
        None => name.trim().to_owned(),
    };
    // `Dr.` and `Prof.` are no names.
    let names: Vec<&str> = name.split_whitespace().skip_while(|word| word.ends_with('.')).collect();
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return String::new() };
    let text = own_text(&facts.mail.text);
    let mut last_lines = text.lines().rev().filter(|line| !line.trim().is_empty()).take(3);
    let is_signed = |line: &str| {
        let line = normalize_text(line);
        line.split_whitespace().count() <= 4 && line.contains(&*normalize_text(first))
    };
    let local = facts.mail.from.split('@').next().unwrap_or_default().to_lowercase();
    let address_has = |name: &str| local.contains(&name.to_lowercase());
    let is_person = last_lines.any(is_signed) || names.len() > 1 && address_has(first) && address_has(last);
    if !is_person {
        return String::new();
    }
    let own_first = facts.user.name.split_whitespace().next().unwrap_or_default().to_lowercase();
    let uses_first_name =
        !own_first.is_empty() && normalize_text(greeting_line(&text)).contains(&format!(" {own_first} "));
    if formal && !uses_first_name { name } else { (*first).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::mail_facts::{MailFacts, User};

    fn letter(text: &str, words: &str, profile: &str) -> String {
        let facts = ReplyFacts {
            user: User { name: "Ada Lovelace".into(), ..User::default() },
            mail: MailFacts {
                from: "bob@x.example".into(),
                from_name: "Bob Ross".into(),
                text: text.into(),
                ..MailFacts::default()
            },
            response_profile: profile.into(),
            ..ReplyFacts::default()
        };
        frame(&facts, words)
    }

    #[test]
    fn words_get_a_greeting_and_a_name_unless_they_have_them() {
        for (mail, words, letter_expected) in [
            ("Hi Ada,\nwhen will you come?\n\nBob", "On Friday.", "Hi Bob,\n\nOn Friday.\n\nBest,\nAda"),
            (
                "Dear Ms Lovelace,\nwhen would you like to see us?\n\nBob Ross",
                "On Friday.",
                "Dear Bob Ross,\n\nOn Friday.\n\nKind regards\nAda Lovelace",
            ),
            ("When will you come?", "On Friday.", "Hi,\n\nOn Friday.\n\nBest,\nAda"),
            ("西村です。いつ届きますか？ Heron 600 の the please", "金曜日です。", "金曜日です。"),
            ("Bonjour Ada,\nquand viens-tu ? On nous attend.\n\nBob", "Vendredi.", "Vendredi."),
            ("When?", "On Friday.", "On Friday."),
            (
                "Hi Ada,\nwann passt es dir?\n\nBob",
                "Das passt gut.",
                "Hallo Bob,\n\nDas passt gut.\n\nViele Grüße\nAda",
            ),
            ("When?", "Dear Bob,\n\non Friday.\n\nAda", "Dear Bob,\n\non Friday.\n\nAda"),
        ] {
            assert_eq!(letter(mail, words, ""), letter_expected, "{words}");
        }
        let profile = "- Greeting: begin with “Hello …”\n- Sign-off: end with “Cheers / A.”";
        assert_eq!(letter("When?\n\nBob", "Soon.", profile), "Hello Bob,\n\nSoon.\n\nCheers\nA.");
    }
}
