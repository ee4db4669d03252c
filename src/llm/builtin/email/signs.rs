//! What can be seen in a mail: who wrote it to whom, of which kinds it is, whether it asks for something.

use std::collections::HashSet;

use super::super::words::{sentences, stem_set, words};
use super::kinds::{Kind, SIGNS};
use crate::llm::facts::email::{MailFacts, User};

/// How much of a body is looked at.
const MAX_TEXT: usize = 20_000;

/// Local parts of addresses nobody reads.
const MACHINES: &[&str] = &[
    "noreply",
    "no-reply",
    "no_reply",
    "donotreply",
    "do-not-reply",
    "notification",
    "notifications",
    "notify",
    "alert",
    "alerts",
    "mailer-daemon",
    "postmaster",
    "bounce",
    "bounces",
    "newsletter",
    "news",
    "updates",
    "update",
    "marketing",
    "promo",
    "offers",
    "info-noreply",
    "automated",
    "robot",
    "bot",
    "ci",
    "builds",
    "jenkins",
    "monitoring",
    "billing",
    "receipts",
    "orders",
    "invoice",
    "account-update",
    "digest",
    "hello-noreply",
    "shipping",
    "tracking",
    "calendar-notification",
    "system",
    "cron",
    "root",
    "daemon",
    "nagios",
    "statements",
];

/// How a mail reached its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// In To.
    Direct,
    /// In Cc.
    Copy,
    /// By a list, a group or Bcc.
    Group,
}

/// What a mail wants of its reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Nothing that was seen.
    Nothing,
    /// Something of somebody else, by name.
    OfOthers(String),
    /// This.
    OfReader(String),
}

/// All of it.
#[derive(Debug)]
pub(super) struct Signs {
    pub reach: Reach,
    /// Written by a program.
    pub automated: bool,
    /// Sent to many, by its headers.
    pub bulk: bool,
    /// From the reader's own domain, where that is not a provider's.
    pub colleague: bool,
    pub bounce: bool,
    pub auto_reply: bool,
    pub ask: Ask,
    /// Names the reader in the body.
    pub mentions: bool,
    /// Says thanks and little else.
    pub thanks: bool,
    /// Kinds seen in the subject.
    pub subject: HashSet<Kind>,
    /// Kinds seen in the body, with how many phrases.
    body: Vec<(Kind, usize)>,
    pub calendar: Option<Calendar>,
    /// Stems of everything, for memory lines.
    pub stems: HashSet<String>,
}

/// What a calendar mail says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calendar {
    Invitation,
    Change,
    Accepted,
}

impl Signs {
    pub fn of(user: &User, mail: &MailFacts) -> Self {
        let whole: String = mail.text.chars().take(MAX_TEXT).collect();
        let own = own_text(&whole);
        let (flat_subject, flat_body) = (flat(&mail.subject), flat(&own));
        let machine = machine(&mail.from);
        let precedence = mail.headers.precedence.as_deref().unwrap_or_default().to_lowercase();
        let submitted = mail.headers.auto_submitted.as_deref().unwrap_or("no").trim().to_lowercase();
        let bulk = mail.list_id.is_some()
            || mail.headers.list_unsubscribe
            || matches!(precedence.as_str(), "bulk" | "list" | "junk");
        let bounce = is_bounce(mail, &flat_subject);
        let auto_reply = !bounce
            && (submitted.starts_with("auto-replied")
                || precedence == "auto_reply"
                || has(&flat_subject, &["automatic reply", "auto reply", "autoreply", "out of office"])
                    && machine_words(&own));
        let subject: HashSet<Kind> =
            SIGNS.iter().filter(|sign| has(&flat_subject, sign.subject)).map(|sign| sign.kind).collect();
        let body = SIGNS
            .iter()
            .map(|sign| (sign.kind, sign.body.iter().filter(|phrase| has(&flat_body, &[phrase])).count()))
            .filter(|(_, count)| *count > 0)
            .collect();
        let all =
            format!("{} {} {} {}", mail.subject, own, mail.from_name, mail.list_id.as_deref().unwrap_or(""));
        Self {
            reach: reach(user, mail),
            automated: machine || submitted != "no" || bounce || auto_reply,
            bulk,
            colleague: colleague(user, &mail.from),
            bounce,
            auto_reply,
            ask: ask(user, &own),
            mentions: mentions(user, &own),
            thanks: thanks(&flat_body),
            subject,
            body,
            calendar: calendar(mail, &flat_subject),
            stems: stem_set(&all),
        }
    }

    /// Seen in the subject, or by two phrases of the body, or by one where one is enough.
    pub fn is(&self, kind: Kind) -> bool {
        self.subject.contains(&kind) || self.hints(kind) >= if weak(kind) { 2 } else { 1 }
    }

    /// How many phrases of the body hint at `kind`.
    pub fn hints(&self, kind: Kind) -> usize {
        self.body.iter().find(|(seen, _)| *seen == kind).map_or(0, |(_, count)| *count)
    }

    /// All kinds it is of.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        SIGNS.iter().map(|sign| sign.kind).filter(|kind| self.is(*kind))
    }
}

/// Kinds whose phrases also turn up in ordinary mail.
fn weak(kind: Kind) -> bool {
    matches!(kind, Kind::Newsletter | Kind::Pitch | Kind::Receipt | Kind::Promotion)
}

/// Lower case, words parted by one blank, one at either end, so that whole words can be looked for.
pub(super) fn flat(text: &str) -> String {
    let mut out = String::from(" ");
    for c in text.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// Whether one of `phrases` stands in a [`flat`] text.
pub(super) fn has(flat: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| match phrase.strip_suffix('*') {
        Some(stem) => flat.contains(&format!(" {stem}")),
        None => flat.contains(&format!(" {phrase} ")),
    })
}

/// What the sender wrote now: without quotes, what is forwarded below, and the signature.
pub(super) fn own_text(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let bare = line.trim();
        let quoted_head = (bare.starts_with("On ") && bare.ends_with("wrote:"))
            || bare.starts_with("-----Original Message")
            || bare.starts_with("________________");
        if line.trim_end() == "--" || quoted_head {
            break;
        }
        if !bare.starts_with('>') {
            out.push_str(line);
            out.push('\n');
        }
    }
    // A mail of nothing but a quote is read whole.
    if out.trim().is_empty() { text.to_owned() } else { out }
}

fn machine(from: &str) -> bool {
    let local = from.split('@').next().unwrap_or_default().to_lowercase();
    let local = local.split('+').next().unwrap_or_default();
    MACHINES.contains(&local)
        || ["noreply", "no-reply", "donotreply", "notification", "mailer-daemon", "bounce"]
            .iter()
            .any(|part| local.contains(part))
}

fn machine_words(own: &str) -> bool {
    has(
        &flat(own),
        &[
            "automatic",
            "automated",
            "out of office",
            "out of the office",
            "limited access",
            "i am away",
            "i m away",
            "on leave",
        ],
    )
}

fn is_bounce(mail: &MailFacts, flat_subject: &str) -> bool {
    let local = mail.from.split('@').next().unwrap_or_default().to_lowercase();
    matches!(local.as_str(), "mailer-daemon" | "postmaster")
        && has(
            flat_subject,
            &[
                "undeliver*",
                "delivery status",
                "delivery failure",
                "failure notice",
                "returned mail",
                "mail delivery",
                "delivery has failed",
                "not delivered",
            ],
        )
}

fn reach(user: &User, mail: &MailFacts) -> Reach {
    let mine = |list: &[String]| {
        list.iter().any(|address| user.addresses.iter().any(|own| own.eq_ignore_ascii_case(address.trim())))
    };
    if mine(&mail.to) {
        Reach::Direct
    } else if mine(&mail.cc) {
        Reach::Copy
    } else {
        Reach::Group
    }
}

/// Providers whose domain makes nobody colleagues.
const PROVIDERS: &[&str] = &[
    "gmail.com",
    "googlemail.com",
    "outlook.com",
    "hotmail.com",
    "yahoo.com",
    "icloud.com",
    "me.com",
    "gmx.de",
    "gmx.net",
    "web.de",
    "proton.me",
    "protonmail.com",
    "posteo.de",
    "fastmail.com",
    "aol.com",
    "live.com",
];

fn colleague(user: &User, from: &str) -> bool {
    let domain = |address: &str| address.rsplit('@').next().unwrap_or_default().to_lowercase();
    let theirs = domain(from);
    !PROVIDERS.contains(&theirs.as_str()) && user.addresses.iter().any(|own| domain(own) == theirs)
}

/// Words that call the reader by name.
fn names(user: &User) -> Vec<String> {
    let first = words(&user.name).next();
    let locals = user.addresses.iter().filter_map(|address| address.split('@').next()).map(str::to_lowercase);
    first.into_iter().chain(locals).filter(|name| name.chars().count() > 2).collect()
}

fn mentions(user: &User, own: &str) -> bool {
    let flat = flat(own);
    names(user).iter().any(|name| flat.contains(&format!(" {} ", name.replace(['.', '-', '_'], " "))))
}

fn thanks(flat_body: &str) -> bool {
    let short = flat_body.split_whitespace().count() <= 30;
    short
        && has(
            flat_body,
            &[
                "thanks",
                "thank you",
                "thx",
                "many thanks",
                "great",
                "perfect",
                "sounds good",
                "got it",
                "will do",
                "received",
                "noted",
            ],
        )
}

fn calendar(mail: &MailFacts, flat_subject: &str) -> Option<Calendar> {
    let method = mail.headers.calendar.as_deref().unwrap_or_default().to_uppercase();
    let invite = mail.attachments.iter().any(|name| name.to_lowercase().ends_with(".ics"));
    if method.is_empty() && !invite {
        return None;
    }
    let starts = |words: &[&str]| words.iter().any(|word| flat_subject.starts_with(&format!(" {word} ")));
    if starts(&["accepted"]) {
        Some(Calendar::Accepted)
    } else if method == "CANCEL"
        || starts(&[
            "declined",
            "cancelled",
            "canceled",
            "updated invitation",
            "updated",
            "tentative",
            "tentatively accepted",
        ])
    {
        Some(Calendar::Change)
    } else if method == "REPLY" {
        Some(Calendar::Accepted)
    } else {
        Some(Calendar::Invitation)
    }
}

/// Courtesies that look like requests.
const COURTESIES: &[&str] = &[
    "if you have any questions",
    "if you have questions",
    "any questions",
    "feel free",
    "don t hesitate",
    "do not hesitate",
    "how are you",
    "hope you re well",
    "hope you are well",
    "please find attached",
    "please find enclosed",
    "please note",
    "please be advised",
    "please do not reply",
    "please don t reply",
    "please ignore",
    "please disregard",
    "please see below",
    "please see attached",
    "how is it going",
    "how s it going",
    "did you know",
    "questions or concerns",
    "let me know if anything",
    "let me know if i can",
    "if that changes",
    "right then",
    "who knows",
    "isn t it",
    "isn t that",
];

/// What says that nothing is wanted.
const NOTHING: &[&str] = &[
    "no action needed",
    "no action required",
    "no action is required",
    "no action is needed",
    "no reply needed",
    "no response needed",
    "no need to reply",
    "no need to respond",
    "no need to answer",
    "no need to do anything",
    "nothing needed from you",
    "nothing for you to do",
    "you don t need to do anything",
    "does not require a response",
    "no reply necessary",
    "no answer needed",
    "don t need anything from you",
    "nothing required from you",
];

/// Words that ask.
const REQUESTS: &[&str] = &[
    "could you",
    "can you",
    "would you",
    "will you",
    "please send",
    "please review",
    "please confirm",
    "please let",
    "please reply",
    "please respond",
    "please advise",
    "please share",
    "please sign",
    "please approve",
    "please check",
    "please have a look",
    "please take a look",
    "please look",
    "please fill",
    "please complete",
    "please provide",
    "please update",
    "please tell",
    "please call",
    "please choose",
    "please pick",
    "please add",
    "please forward",
    "please bring",
    "please get back",
    "please return",
    "let me know",
    "let us know",
    "get back to me",
    "get back to us",
    "your thoughts",
    "what do you think",
    "i need you to",
    "we need you to",
    "i need your",
    "we need your",
    "waiting for your",
    "waiting on you",
    "waiting to hear",
    "look forward to hearing",
    "looking forward to hearing",
    "looking forward to your",
    "rsvp",
    "send me",
    "send us",
    "need an answer",
    "need your answer",
    "kindly",
    "i d like you to",
    "would appreciate your",
    "would love your",
    "would be grateful",
    "would be great if you",
    "would appreciate it if",
    "your approval",
    "your sign off",
    "your feedback on",
    "are you free",
    "are you available",
    "do you have",
    "would it be possible",
    "is it possible",
    "any update",
    "any news",
    "remind you to",
    "don t forget to",
];

fn ask(user: &User, own: &str) -> Ask {
    if has(&flat(own), NOTHING) {
        return Ask::Nothing;
    }
    let mut others = None;
    for sentence in sentences(own) {
        let flat_sentence = flat(sentence);
        if has(&flat_sentence, COURTESIES) {
            continue;
        }
        let question =
            sentence.trim_end_matches(['"', '\'', ')', '”']).ends_with('?') && flat_sentence.len() > 6;
        if !question && !has(&flat_sentence, REQUESTS) {
            continue;
        }
        match addressee(sentence) {
            Some(name) if !called(user, &name) => others = Some(sentence.to_owned()),
            _ => return Ask::OfReader(sentence.to_owned()),
        }
    }
    others.map_or(Ask::Nothing, Ask::OfOthers)
}

fn called(user: &User, name: &str) -> bool {
    let name = name.to_lowercase();
    names(user).iter().any(|own| *own == name)
        || matches!(name.as_str(), "all" | "everyone" | "team" | "folks")
}

/// `Bob, could you …` and `@Bob can you …` are not for Ada.
fn addressee(sentence: &str) -> Option<String> {
    let (head, rest) = sentence.trim_start_matches(['-', '*', ' ']).split_once([' ', '\n'])?;
    if let Some(name) = head.strip_prefix('@') {
        return Some(name.trim_end_matches([',', ':']).to_owned());
    }
    let name = head.strip_suffix([',', ':'])?;
    let capital = name.chars().next().is_some_and(char::is_uppercase);
    let starters = [
        "also",
        "and",
        "so",
        "finally",
        "first",
        "second",
        "lastly",
        "meanwhile",
        "otherwise",
        "then",
        "now",
        "yes",
        "no",
        "ok",
        "okay",
        "hi",
        "hello",
        "hey",
        "dear",
        "thanks",
        "btw",
        "ps",
        "however",
        "therefore",
        "next",
        "today",
        "tomorrow",
        "again",
        "anyway",
        "well",
        "question",
        "fyi",
        "tbh",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "please",
    ];
    let plain = starters.contains(&name.to_lowercase().as_str());
    let short_rest = rest.trim().is_empty();
    (capital && !plain && !short_rest && name.chars().all(char::is_alphabetic)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ada() -> User {
        User { name: "Ada Lovelace".into(), addresses: vec!["ada@engine.example".into()] }
    }

    #[test]
    fn asks_are_told_from_courtesies_and_from_asks_of_others() {
        let rows = [
            ("Hi Ada,\n\nCould you send me the figures? Thanks", true),
            ("The report is attached. Let me know if you have any questions.", false),
            ("Bob, could you take this one? Ada, just so you know.", false),
            ("Ada, could you take this one?", true),
            ("Lunch on Friday?", true),
            ("No action needed. Could you imagine?", false),
            ("> Could you send it?\n\nSent it yesterday.", false),
            ("Also, what do you think of the draft", true),
        ];
        for (text, asks) in rows {
            let seen = ask(&ada(), &own_text(text));
            assert_eq!(matches!(seen, Ask::OfReader(_)), asks, "{text}: {seen:?}");
        }
    }

    #[test]
    fn people_are_told_from_machines() {
        for from in
            ["no-reply@x.example", "notifications@github.com", "CI@builds.example", "noreply+7@x.example"]
        {
            assert!(machine(from), "{from}");
        }
        for from in ["bob@x.example", "nora.playfair@x.example", "city@x.example"] {
            assert!(!machine(from), "{from}");
        }
    }

    #[test]
    fn phrases_match_whole_words() {
        let text = flat("The build-failed again; off-site on Monday.");
        assert!(has(&text, &["build failed"]) && has(&text, &["mond*"]) && !has(&text, &["uild failed"]));
    }
}
