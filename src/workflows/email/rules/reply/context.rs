//! Collects everything we need to write a reply, once.

use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::super::signs::own_text;
use super::history::{About, ReplyHistory};
use super::intent::{ReplyIntent, read_intent};
use super::points::{Point, points, wants_meeting};
use super::style::WritingStyle;
use super::voice::{Lang, Voice};
use super::when::Mention;
use crate::text::phrases::normalize_text;
use crate::workflows::email::facts::ReplyFacts;

/// Everything we need to write a reply.
pub(super) struct ReplyContext<'a> {
    pub facts: &'a ReplyFacts,
    pub history: &'a ReplyHistory<'a>,
    pub now: Zoned,
    pub zone: TimeZone,
    /// The day the mail was written.
    pub mail_date: Date,
    pub own_text: String,
    pub style: WritingStyle,
    pub points: Vec<Point>,
    /// Whether the mail wants to meet.
    pub wants_meeting: bool,
    /// The newest yes, no or decline, unless something was said after it.
    pub verdict: Option<ReplyIntent>,
    /// The newest statement.
    pub text: Option<String>,
    /// The newest times.
    pub times: Vec<Mention>,
    /// What each of the person's words means; `None` for an address.
    intents: Vec<Option<ReplyIntent>>,
    pub voice: Voice,
    /// The recipients; empty if the mail has no usable address.
    pub to: Vec<String>,
    /// Whether the mail addresses several people.
    pub to_all: bool,
}

impl<'a> ReplyContext<'a> {
    pub fn new(facts: &'a ReplyFacts, history: &'a ReplyHistory<'a>) -> Result<Self, String> {
        let (now, zone) = now_and_zone(facts)?;
        let mail_date = facts.mail.date.parse::<Timestamp>().map(|at| at.to_zoned(zone.clone()).date());
        let mail_date = mail_date.unwrap_or_else(|_| now.date());
        let own_text = own_text(&facts.mail.text);
        let style = WritingStyle::read(&facts.response_profile);
        let points = points(&facts.user, &facts.mail, mail_date);
        let wants_meeting = wants_meeting(&facts.mail, &points);
        let (mut verdict, mut text, mut times) = (None, None, Vec::new());
        let mut intents = Vec::new();
        for (about, words) in &history.words {
            // A bare address says whom to write to; it is not text for the mail.
            let intent = (!is_sendable(words.trim()))
                .then(|| effective_intent(read_intent(words, now.date()), *about, wants_meeting));
            match &intent {
                Some(answer @ (ReplyIntent::Yes | ReplyIntent::No | ReplyIntent::Decline)) => {
                    verdict = Some(answer.clone())
                }
                Some(ReplyIntent::Text(statement)) => (text, verdict) = (Some(statement.clone()), None),
                Some(ReplyIntent::Times(mentions)) => (times, verdict) = (mentions.clone(), None),
                Some(ReplyIntent::Unclear) | None => {}
            }
            intents.push(intent);
        }
        let voice = voice(facts, &own_text, &style, text.as_deref());
        let to_all = !facts.reply_all.is_empty() && speaks_to_several(&own_text);
        let to = to(facts, history);
        Ok(Self {
            facts,
            history,
            now,
            zone,
            mail_date,
            own_text,
            style,
            points,
            wants_meeting,
            verdict,
            text,
            times,
            intents,
            voice,
            to,
            to_all,
        })
    }

    pub fn may(&self, tool: &str) -> bool {
        self.facts.tools.is_empty() || self.facts.tools.iter().any(|name| name == tool)
    }

    /// What the newest words mean.
    pub fn newest_words(&self) -> Option<&ReplyIntent> {
        self.intents.last()?.as_ref()
    }

    /// Whether we don't understand the newest words.
    pub fn newest_words_unclear(&self) -> bool {
        self.newest_words() == Some(&ReplyIntent::Unclear)
    }

    /// The newest words, if they are days and times.
    pub fn times_said(&self) -> Option<&'a str> {
        let newest = self.intents.iter().rposition(|intent| matches!(intent, Some(ReplyIntent::Times(_))))?;
        (newest + 1 == self.intents.len()).then(|| self.history.words[newest].1)
    }

    /// The sender, as shown to the person.
    pub fn sender_name(&self) -> &str {
        let mail = &self.facts.mail;
        match (mail.from_name.trim(), mail.from.as_str()) {
            ("", "") => "Somebody",
            ("", address) => address,
            (name, _) => name,
        }
    }

    /// The name in the greeting; empty if we know no person's name.
    pub fn greeting_name(&self) -> String {
        if self.to_all {
            return match self.voice.lang {
                Lang::English => "all".to_owned(),
                Lang::German => "zusammen".to_owned(),
            };
        }
        let name = self.facts.mail.from_name.trim();
        let name = match name.split_once(", ") {
            Some((last, first)) => format!("{first} {last}"),
            None => name.to_owned(),
        };
        let is_title = |word: &&str| normalize_text(word).has("dr, prof, mr, mrs, ms, herr, frau, dipl");
        let words: Vec<&str> = name.split_whitespace().skip_while(is_title).collect();
        let Some(first) = words.first().filter(|_| self.is_person(&words)) else { return String::new() };
        if self.voice.formal && !self.by_first_name() { name } else { (*first).to_owned() }
    }

    /// Whether these are surely a person's names: the mail is signed with the first, or the address contains the first
    /// and the last. Conferences and shops have names, too.
    fn is_person(&self, names: &[&str]) -> bool {
        let firm = "team, support, gmbh, inc, ltd, b v, ag, service, office, billing, newsletter, accounts, info, hr";
        let is_name_word = |word: &&str| word.chars().all(|c| c.is_alphabetic() || "-'’.".contains(c));
        let (Some(first), Some(last)) = (names.first(), names.last()) else { return false };
        if names.len() > 4 || !names.iter().all(is_name_word) || normalize_text(&names.join(" ")).has(firm) {
            return false;
        }
        let mut last_lines = self.own_text.lines().rev().filter(|line| !line.trim().is_empty()).take(3);
        let is_signature = |line: &str| {
            let line = normalize_text(line);
            line.split_whitespace().count() <= 4 && line.contains(&*normalize_text(first))
        };
        let local = self.facts.mail.from.split('@').next().unwrap_or_default().to_lowercase();
        let address_has = |name: &str| local.contains(&name.to_lowercase());
        last_lines.any(is_signature) || names.len() > 1 && address_has(first) && address_has(last)
    }

    /// Whether the sender uses the person's first name.
    fn by_first_name(&self) -> bool {
        let first = self.facts.user.name.split_whitespace().next().unwrap_or_default().to_lowercase();
        !first.is_empty() && normalize_text(greeting_line(&self.own_text)).contains(&format!(" {first} "))
    }
}

/// What the words change. A draft already has text, so only a time or a decline changes it.
fn effective_intent(intent: ReplyIntent, about: About, wants_meeting: bool) -> ReplyIntent {
    match (about, intent) {
        (About::Mail | About::Meeting, intent) => intent,
        (About::Draft, ReplyIntent::Decline) => ReplyIntent::Decline,
        (About::Draft, ReplyIntent::Times(times)) if wants_meeting => ReplyIntent::Times(times),
        (About::Draft, _) => ReplyIntent::Unclear,
    }
}

/// The reply-to addresses, else the sender, else the address the person gave when we asked.
fn to(facts: &ReplyFacts, history: &ReplyHistory<'_>) -> Vec<String> {
    let from = std::slice::from_ref(&facts.mail.from);
    let candidates = if facts.reply_to.is_empty() { from } else { &facts.reply_to };
    let usable: Vec<String> = candidates.iter().filter(|address| is_sendable(address)).cloned().collect();
    if !usable.is_empty() {
        return usable;
    }
    let newest_first = history.words.iter().rev().map(|(_, words)| *words);
    let words = newest_first.flat_map(|words| words.split([' ', ',', ';', '<', '>', '\n']));
    words
        .map(|word| word.trim_end_matches('.'))
        .find(|word| is_sendable(word))
        .map(str::to_owned)
        .into_iter()
        .collect()
}

/// Whether mail can be sent to an address as written.
fn is_sendable(address: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;\"\\()".contains(c);
    let parts = address.split_once('@');
    parts.is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty() && !domain.contains('@'))
        && !address.contains(odd)
}

fn now_and_zone(facts: &ReplyFacts) -> Result<(Zoned, TimeZone), String> {
    let at: Timestamp = facts.now.parse().map_err(|_| "at now: not a time (RFC 3339)".to_owned())?;
    let offset = Pieces::parse(&facts.now).ok().and_then(|pieces| pieces.to_numeric_offset());
    let zone = TimeZone::get(&facts.time_zone)
        .unwrap_or_else(|_| offset.map_or(TimeZone::UTC, |offset| offset.to_time_zone()));
    Ok((at.to_zoned(zone.clone()), zone))
}

/// The language follows the person's words, else the mail; the formality follows the mail.
fn voice(facts: &ReplyFacts, own_text: &str, style: &WritingStyle, text: Option<&str>) -> Voice {
    let lang = style
        .lang
        .or_else(|| Lang::of(text.unwrap_or_default()))
        .or_else(|| Lang::of(own_text))
        .or_else(|| Lang::of(&facts.mail.subject))
        .unwrap_or(Lang::English);
    let sounds_formal = match Lang::of(own_text).unwrap_or(lang) {
        Lang::English => ["dear", "to whom"]
            .iter()
            .any(|word| normalize_text(greeting_line(own_text)).starts_with(&*normalize_text(word))),
        Lang::German => !normalize_text(own_text)
            .has("du, dir, dich, dein*, euch, euer, eure, ihr beiden, hi, lieber, liebe"),
    };
    Voice { lang, formal: style.formal.unwrap_or(sounds_formal) }
}

fn speaks_to_several(own_text: &str) -> bool {
    let several = "all, both, everyone, everybody, team, folks, you two, zusammen, alle, ihr beiden, ihr lieben, and, und";
    normalize_text(greeting_line(own_text)).has(several) && greeting_line(own_text).len() < 60
}

/// The greeting line.
fn greeting_line(own_text: &str) -> &str {
    own_text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
