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
use crate::text::phrases::{flat, has};
use crate::workflows::email::facts::ReplyFacts;

/// Everything we need to write a reply.
pub(super) struct ReplyContext<'a> {
    pub facts: &'a ReplyFacts,
    pub history: &'a ReplyHistory<'a>,
    pub now: Zoned,
    pub zone: TimeZone,
    /// The day the mail was written.
    pub written: Date,
    pub own: String,
    pub style: WritingStyle,
    pub points: Vec<Point>,
    /// Whether the mail wants to meet.
    pub meets: bool,
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
        let (now, zone) = clock(facts)?;
        let written = facts.mail.date.parse::<Timestamp>().map(|at| at.to_zoned(zone.clone()).date());
        let written = written.unwrap_or_else(|_| now.date());
        let own = own_text(&facts.mail.text);
        let style = WritingStyle::read(&facts.response_profile);
        let points = points(&facts.user, &facts.mail, written);
        let meets = wants_meeting(&facts.mail, &points);
        let (mut verdict, mut text, mut times) = (None, None, Vec::new());
        let mut read = Vec::new();
        for (about, words) in &history.heard {
            // A bare address says whom to write to; it is not text for the mail.
            let found =
                (!writable(words.trim())).then(|| counted(read_intent(words, now.date()), *about, meets));
            match &found {
                Some(said @ (ReplyIntent::Yes | ReplyIntent::No | ReplyIntent::Decline)) => {
                    verdict = Some(said.clone())
                }
                Some(ReplyIntent::Text(said)) => (text, verdict) = (Some(said.clone()), None),
                Some(ReplyIntent::Times(said)) => (times, verdict) = (said.clone(), None),
                Some(ReplyIntent::Unclear) | None => {}
            }
            read.push(found);
        }
        let voice = voice(facts, &own, &style, text.as_deref());
        let to_all = !facts.reply_all.is_empty() && speaks_to_several(&own);
        let to = to(facts, history);
        Ok(Self {
            facts,
            history,
            now,
            zone,
            written,
            own,
            style,
            points,
            meets,
            verdict,
            text,
            times,
            intents: read,
            voice,
            to,
            to_all,
        })
    }

    pub fn may(&self, tool: &str) -> bool {
        self.facts.tools.is_empty() || self.facts.tools.iter().any(|known| known == tool)
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
        (newest + 1 == self.intents.len()).then(|| self.history.heard[newest].1)
    }

    /// The sender, as shown to the person.
    pub fn who(&self) -> &str {
        let mail = &self.facts.mail;
        match (mail.from_name.trim(), mail.from.as_str()) {
            ("", "") => "Somebody",
            ("", address) => address,
            (name, _) => name,
        }
    }

    /// The name in the greeting; empty if we know no person's name.
    pub fn name(&self) -> String {
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
        let title = |word: &&str| has(&flat(word), "dr, prof, mr, mrs, ms, herr, frau, dipl");
        let words: Vec<&str> = name.split_whitespace().skip_while(title).collect();
        let Some(first) = words.first().filter(|_| self.is_person(&words)) else { return String::new() };
        if self.voice.formal && !self.by_first_name() { name } else { (*first).to_owned() }
    }

    /// Whether these are surely a person's names: the mail is signed with the first, or the address contains the first
    /// and the last. Conferences and shops have names, too.
    fn is_person(&self, names: &[&str]) -> bool {
        let firm = "team, support, gmbh, inc, ltd, b v, ag, service, office, billing, newsletter, accounts, info, hr";
        let letters = |word: &&str| word.chars().all(|c| c.is_alphabetic() || "-'’.".contains(c));
        let (Some(first), Some(last)) = (names.first(), names.last()) else { return false };
        if names.len() > 4 || !names.iter().all(letters) || has(&flat(&names.join(" ")), firm) {
            return false;
        }
        let mut ending = self.own.lines().rev().filter(|line| !line.trim().is_empty()).take(3);
        let signed = |line: &str| {
            let line = flat(line);
            line.split_whitespace().count() <= 4 && line.contains(&flat(first))
        };
        let local = self.facts.mail.from.split('@').next().unwrap_or_default().to_lowercase();
        let holds = |name: &str| local.contains(&name.to_lowercase());
        ending.any(signed) || names.len() > 1 && holds(first) && holds(last)
    }

    /// Whether the sender uses the person's first name.
    fn by_first_name(&self) -> bool {
        let first = self.facts.user.name.split_whitespace().next().unwrap_or_default().to_lowercase();
        !first.is_empty() && flat(head(&self.own)).contains(&format!(" {first} "))
    }
}

/// What the words change. A draft already has text, so only a time or a decline changes it.
fn counted(intent: ReplyIntent, about: About, meets: bool) -> ReplyIntent {
    match (about, intent) {
        (About::Mail | About::Meeting, meant) => meant,
        (About::Draft, ReplyIntent::Decline) => ReplyIntent::Decline,
        (About::Draft, ReplyIntent::Times(times)) if meets => ReplyIntent::Times(times),
        (About::Draft, _) => ReplyIntent::Unclear,
    }
}

/// The reply-to addresses, else the sender, else the address the person gave when we asked.
fn to(facts: &ReplyFacts, history: &ReplyHistory<'_>) -> Vec<String> {
    let from = std::slice::from_ref(&facts.mail.from);
    let wanted = if facts.reply_to.is_empty() { from } else { &facts.reply_to };
    let usable: Vec<String> = wanted.iter().filter(|address| writable(address)).cloned().collect();
    if !usable.is_empty() {
        return usable;
    }
    let heard = history.heard.iter().rev().map(|(_, words)| *words);
    let words = heard.flat_map(|words| words.split([' ', ',', ';', '<', '>', '\n']));
    words
        .map(|word| word.trim_end_matches('.'))
        .find(|word| writable(word))
        .map(str::to_owned)
        .into_iter()
        .collect()
}

/// Whether mail can be sent to an address as written.
fn writable(address: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "<>,;\"\\()".contains(c);
    let parts = address.split_once('@');
    parts.is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty() && !domain.contains('@'))
        && !address.contains(odd)
}

fn clock(facts: &ReplyFacts) -> Result<(Zoned, TimeZone), String> {
    let at: Timestamp = facts.now.parse().map_err(|_| "at now: not a time (RFC 3339)".to_owned())?;
    let offset = Pieces::parse(&facts.now).ok().and_then(|pieces| pieces.to_numeric_offset());
    let zone = TimeZone::get(&facts.time_zone)
        .unwrap_or_else(|_| offset.map_or(TimeZone::UTC, |offset| offset.to_time_zone()));
    Ok((at.to_zoned(zone.clone()), zone))
}

/// The language follows the person's words, else the mail; the formality follows the mail.
fn voice(facts: &ReplyFacts, own: &str, style: &WritingStyle, text: Option<&str>) -> Voice {
    let lang = style
        .lang
        .or_else(|| Lang::of(text.unwrap_or_default()))
        .or_else(|| Lang::of(own))
        .or_else(|| Lang::of(&facts.mail.subject))
        .unwrap_or(Lang::English);
    let distant = match Lang::of(own).unwrap_or(lang) {
        Lang::English => ["dear", "to whom"].iter().any(|word| flat(head(own)).starts_with(&flat(word))),
        Lang::German => {
            !has(&flat(own), "du, dir, dich, dein*, euch, euer, eure, ihr beiden, hi, lieber, liebe")
        }
    };
    Voice { lang, formal: style.formal.unwrap_or(distant) }
}

fn speaks_to_several(own: &str) -> bool {
    let several = "all, both, everyone, everybody, team, folks, you two, zusammen, alle, ihr beiden, ihr lieben, and, und";
    has(&flat(head(own)), several) && head(own).len() < 60
}

/// The greeting line.
fn head(own: &str) -> &str {
    own.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
