//! Everything a reply is written from, read once.

use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::super::signs::{flat, has, own_text};
use super::manner::Manner;
use super::points::{Point, points};
use super::story::Story;
use super::voice::{Lang, Voice};
use super::wishes::{self, About, Context, Say, Wishes};
use crate::workflows::email::facts::ReplyFacts;

/// Everything a reply is written from.
pub(super) struct Desk<'a> {
    pub facts: &'a ReplyFacts,
    pub story: &'a Story<'a>,
    pub now: Zoned,
    pub zone: TimeZone,
    /// The day the mail was written on.
    pub written: Date,
    pub own: String,
    pub manner: Manner,
    pub wishes: Wishes,
    /// Which of the words heard were understood.
    clear: Vec<bool>,
    /// Addresses that names may stand for.
    known: Vec<String>,
    pub points: Vec<Point>,
    pub voice: Voice,
    /// Whom the reply goes to; nobody where the mail names no address that can be written to.
    pub to: Vec<String>,
    /// Whether the mail speaks to several people.
    pub to_all: bool,
}

impl<'a> Desk<'a> {
    pub fn new(facts: &'a ReplyFacts, story: &'a Story<'a>) -> Result<Self, String> {
        let (now, zone) = clock(facts)?;
        let written = facts.mail.date.parse::<Timestamp>().map(|at| at.to_zoned(zone.clone()).date());
        let written = written.unwrap_or_else(|_| now.date());
        let own = own_text(&facts.mail.text);
        let mut manner = Manner::read(&facts.response_profile);
        let mut wishes = Wishes::default();
        let mut known = facts.reply_all.clone();
        known.extend(
            facts.earlier.iter().flat_map(|mail| mail.to.iter().chain(&mail.cc).chain([&mail.from])).cloned(),
        );
        let points = points(&facts.user, &facts.mail, written);
        let sender = facts.mail.from_name.as_str();
        let context = Context { today: now.date(), known: &known, sender, asked: !points.is_empty() };
        for words in &story.older {
            let mut older = manner.clone();
            if wishes::read(&mut Wishes::default(), &mut older, words, About::Draft, context) {
                manner = older;
            }
        }
        let mut clear = Vec::new();
        for (about, words) in &story.heard {
            let (mut more, mut other) = (wishes.clone(), manner.clone());
            // An address alone says whom to write to, and is nothing to write.
            let address = writable(words.trim());
            let understood = address || wishes::read(&mut more, &mut other, words, *about, context);
            if understood && !address {
                (wishes, manner) = (more, other);
            }
            clear.push(understood);
        }
        let voice = voice(facts, &own, &manner, &wishes);
        let to_all = !facts.reply_all.is_empty() && (wishes.to_all || speaks_to_several(&own));
        Ok(Self {
            facts,
            story,
            now,
            zone,
            written,
            own,
            manner,
            wishes,
            clear,
            known,
            points,
            voice,
            to: to(facts, story),
            to_all,
        })
    }

    /// Whether a tool may be called.
    pub fn may(&self, tool: &str) -> bool {
        self.facts.tools.is_empty() || self.facts.tools.iter().any(|known| known == tool)
    }

    /// Whether these of the words heard were understood.
    pub fn understood(&self, heard: usize) -> bool {
        self.clear.get(heard).copied().unwrap_or_default()
    }

    /// Whether the newest words about what to write were not understood.
    pub fn newest_words_unclear(&self) -> bool {
        let newest = self.story.heard.iter().rposition(|(about, _)| *about == About::Mail);
        newest.is_some_and(|heard| !self.understood(heard))
    }

    /// What words want by themselves, where they are understood.
    pub fn read(&self, words: &str, about: About, asked: bool) -> Option<(Wishes, Manner)> {
        let (today, sender) = (self.now.date(), self.facts.mail.from_name.as_str());
        let context = Context { today, known: &self.known, sender, asked };
        let (mut wishes, mut manner) = (Wishes::default(), Manner::default());
        wishes::read(&mut wishes, &mut manner, words, about, context).then_some((wishes, manner))
    }

    /// Who wrote, for the person to read.
    pub fn who(&self) -> &str {
        let mail = &self.facts.mail;
        match (mail.from_name.trim(), mail.from.as_str()) {
            ("", "") => "Somebody",
            ("", address) => address,
            (name, _) => name,
        }
    }

    /// Whom the reply greets; empty where no person's name is known.
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
        let firm = "team, support, gmbh, inc, ltd, b v, ag, service, office, billing, newsletter, accounts, info, hr";
        let words: Vec<&str> = name.split_whitespace().collect();
        let person = (1..=4).contains(&words.len())
            && !has(&flat(&name), firm)
            && words.iter().all(|word| word.chars().all(|c| c.is_alphabetic() || "-'’.".contains(c)));
        match (person, self.voice.formal && !self.by_first_name()) {
            (false, _) => String::new(),
            (true, true) => name,
            (true, false) => words.first().map(|first| (*first).to_owned()).unwrap_or_default(),
        }
    }

    /// Whether the sender calls the person by their first name.
    fn by_first_name(&self) -> bool {
        let first = self.facts.user.name.split_whitespace().next().unwrap_or_default().to_lowercase();
        let head = self.own.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        !first.is_empty() && flat(head).contains(&format!(" {first} "))
    }
}

/// Where answers are wanted, else the sender; else the address the person named when they were asked for one.
fn to(facts: &ReplyFacts, story: &Story<'_>) -> Vec<String> {
    let from = std::slice::from_ref(&facts.mail.from);
    let wanted = if facts.reply_to.is_empty() { from } else { &facts.reply_to };
    let usable: Vec<String> = wanted.iter().filter(|address| writable(address)).cloned().collect();
    if !usable.is_empty() {
        return usable;
    }
    let words = story.words().rev().flat_map(|words| words.split([' ', ',', ';', '<', '>', '\n']));
    words
        .map(|word| word.trim_end_matches('.'))
        .find(|word| writable(word))
        .map(str::to_owned)
        .into_iter()
        .collect()
}

/// Whether mail can be sent to an address as it stands.
pub(super) fn writable(address: &str) -> bool {
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

/// The language is the one of the person's words, else the sender's; the distance is the sender's.
fn voice(facts: &ReplyFacts, own: &str, manner: &Manner, wishes: &Wishes) -> Voice {
    let words: Vec<&str> = wishes
        .say
        .iter()
        .filter_map(|said| match said {
            Say::Words(text) | Say::That(text) | Say::Note(text) => Some(text.as_str()),
            Say::Yes | Say::No | Say::Decline | Say::When(_) => None,
        })
        .collect();
    let german = wishes.say.iter().any(|said| matches!(said, Say::That(_))).then_some(Lang::German);
    let lang = german
        .or(manner.lang)
        .or_else(|| Lang::of(&words.join(" ")))
        .or_else(|| Lang::of(own))
        .or_else(|| Lang::of(&facts.mail.subject))
        .unwrap_or(Lang::English);
    let head = own.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let head = flat(head);
    let distant = match Lang::of(own).unwrap_or(lang) {
        Lang::English => head.starts_with(" dear ") || head.starts_with(" to whom "),
        Lang::German => {
            !has(&flat(own), "du, dir, dich, dein*, euch, euer, eure, ihr beiden, hi, lieber, liebe")
        }
    };
    Voice { lang, formal: manner.formal.unwrap_or(distant) }
}

fn speaks_to_several(own: &str) -> bool {
    let head = own.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    has(
        &flat(head),
        "all, both, everyone, everybody, team, folks, you two, zusammen, alle, ihr beiden, ihr lieben, and, und",
    ) && head.len() < 60
}
