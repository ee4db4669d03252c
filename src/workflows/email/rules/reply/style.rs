//! How to write replies: the profile `response_preferences`, read line by line.
//!
//! We understand the lines the memory writes ("Length: …", "Greeting: …", "Sign-off: …", "Tone: …", "Copy A when
//! writing to B") and free lines about length, tone, language, acknowledging deadlines, saying that we will look into
//! it, and "when asked about X, say Y". Other lines are ignored here.

use std::collections::HashSet;

use super::super::profile::strip_bullet;
use super::voice::Lang;
use crate::text::phrases::{NormalizedText, normalize_text};
use crate::text::words::stem_set;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WritingStyle {
    /// Say no more than necessary.
    pub short: bool,
    pub greeting: Option<String>,
    pub sign_off: Option<String>,
    pub formal: Option<bool>,
    pub no_exclamation: bool,
    pub lang: Option<Lang>,
    /// Whom to copy, and when writing to whom.
    pub copies: Vec<(String, String)>,
    /// Acknowledge deadlines.
    pub deadlines: bool,
    /// A reply may say that we will look into it.
    pub hold: bool,
    /// Known topics with their answers.
    pub known_answers: Vec<(HashSet<String>, String)>,
}

impl WritingStyle {
    pub fn read(profile: &str) -> Self {
        let mut style = Self::default();
        for line in profile.lines().map(strip_bullet).filter(|line| !line.is_empty()) {
            style.line(line);
        }
        style
    }

    fn line(&mut self, line: &str) {
        let words = normalize_text(line);
        if let Some((about, answer)) = asked_about(line) {
            self.known_answers.push((stem_set(about), answer.to_owned()));
            return;
        }
        if let Some(quoted) = line.strip_prefix("Greeting:").and_then(quoted) {
            self.greeting =
                Some(quoted.trim_end_matches(['…', ' ', ',']).to_owned()).filter(|g| !g.is_empty());
            return;
        }
        if let Some(quoted) = line.strip_prefix("Sign-off:").and_then(quoted) {
            self.sign_off = Some(quoted.replace(" / ", "\n"));
            return;
        }
        if words.has("sign off with, sign with, sign as, sign off as, end with")
            && let Some(quoted) = quoted(line)
        {
            self.sign_off = Some(quoted.replace(" / ", "\n").replace("\\n", "\n"));
            return;
        }
        if let Some(copy) = parse_copy(line) {
            self.copies.push(copy);
            return;
        }
        self.tone(&words);
        self.deadlines |= words.has("deadline*")
            && words.has("acknowledge*, mention*, confirm*, reference*, repeat*, name");
        self.hold |= words.has("investigat*, look into, get back, looked into, acknowledge receipt")
            && !words.has("never, don t, do not, without asking");
    }

    /// Words about length, tone and language.
    fn tone(&mut self, words: &NormalizedText) {
        self.short |= words.has("shorter, short, brief, briefly, briefer, shorten, kürzer, kurz, knapp");
        if words.has("informal, casual, less formal, informell, duzen, lockerer, first names, first name") {
            self.formal = Some(false);
        } else if words.has("formal, more formal, formally, förmlicher, formell, siezen") {
            self.formal = Some(true);
        }
        self.no_exclamation |= words.has("exclamation marks");
        if words.has("in english, auf englisch") {
            self.lang = Some(Lang::English);
        } else if words.has("in german, auf deutsch") {
            self.lang = Some(Lang::German);
        }
    }

    /// The profile's answer to a question.
    pub fn answer(&self, question: &str) -> Option<&str> {
        let question_stems = stem_set(question);
        let fits =
            |(about, _): &&(HashSet<String>, String)| !about.is_empty() && about.is_subset(&question_stems);
        self.known_answers
            .iter()
            .filter(fits)
            .max_by_key(|(about, _)| about.len())
            .map(|(_, answer)| answer.as_str())
    }
}

/// The text in quotation marks.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['“', '"'])?;
    let rest = &text[start..];
    let rest = &rest[rest.chars().next()?.len_utf8()..];
    let end = rest.rfind(['”', '"'])?;
    Some(rest[..end].trim())
}

/// "When asked about the address, say: Canal Street 4."
fn asked_about(line: &str) -> Option<(&str, &str)> {
    let lower = line.to_lowercase();
    if lower.len() != line.len() {
        return None;
    }
    let head = ["when asked ", "if asked ", "when somebody asks ", "if somebody asks ", "when people ask "]
        .iter()
        .find(|head| lower.starts_with(*head))?;
    let (at, word) = [", say ", ", say: ", ", answer ", ", answer: ", ", tell them ", ": "]
        .iter()
        .filter_map(|word| lower.find(word).map(|at| (at, *word)))
        .min_by_key(|(at, word)| (*at, usize::MAX - word.len()))?;
    let about = line.get(head.len()..at)?.trim();
    let about = ["about ", "for ", "where ", "what ", "whether "]
        .iter()
        .find_map(|word| about.strip_prefix(word))
        .unwrap_or(about);
    let answer = line.get(at + word.len()..)?.trim().trim_start_matches(['“', '"', ':', ' ']);
    let answer = answer.trim_end_matches(['”', '"']);
    (!answer.is_empty()).then_some((about, answer))
}

/// "Copy eve@x.example when writing to bob@x.example"
fn parse_copy(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix("Copy ").or_else(|| line.strip_prefix("copy "))?;
    let (who, to) = rest.split_once(" when writing to ")?;
    let address = |text: &str| text.trim().trim_end_matches(['.', ',']).to_lowercase();
    (who.contains('@') && to.contains('@')).then(|| (address(who), address(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_memory_are_understood() {
        let style = WritingStyle::read(
            "- Length: keep replies short (cut from 40 to 9 words)\n- Greeting: begin with “Dear …”\n\
             - Sign-off: end with “Kind regards / Ada”\n- Tone: no exclamation marks\n\
             - Copy eve@x.example when writing to bob@x.example\n\
             - If the mail mentions a deadline, acknowledge it.\n\
             - When asked about our office address, say: We are at Canal Street 4, Leiden.\n- Paint it blue.",
        );
        assert!(style.short);
        assert_eq!(style.greeting.as_deref(), Some("Dear"));
        assert_eq!(style.sign_off.as_deref(), Some("Kind regards\nAda"));
        assert!(style.no_exclamation && style.deadlines && !style.hold);
        assert_eq!(style.copies, [("eve@x.example".to_owned(), "bob@x.example".to_owned())]);
        assert_eq!(
            style.answer("What is the address of your office?"),
            Some("We are at Canal Street 4, Leiden.")
        );
        assert_eq!(style.answer("What is the price?"), None);
    }
}
