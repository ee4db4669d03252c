//! The visible features of a mail: who wrote to whom, which kinds it is, whether it asks for something.

use std::collections::HashSet;

use super::MAX_TEXT;
use super::asks::{Ask, ask, names, says_nothing_is_wanted};
use super::kinds::{KIND_DEFINITIONS, Kind};
use super::own_money::is_about_own_money;
use crate::agent::mail_facts::{MailFacts, Signals, User};
use crate::calendar::Attendance;
use crate::text::phrases::{NormalizedText, is_listed, normalize_text};

/// Local parts of addresses that nobody reads.
const MACHINES: &str = "noreply, no-reply, no_reply, donotreply, do-not-reply, notification, notifications, notify, alert, \
    alerts, mailer-daemon, postmaster, bounce, bounces, newsletter, news, updates, update, marketing, \
    promo, offers, info-noreply, automated, robot, bot, ci, builds, jenkins, monitoring, billing, \
    receipts, orders, invoice, account-update, digest, hello-noreply, shipping, tracking, \
    calendar-notification, system, cron, root, daemon, nagios, statements";

/// How many recipients are few.
const FEW: usize = 10;

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

#[derive(Debug)]
pub(super) struct Signs {
    pub reach: Reach,
    /// Written by a program.
    pub automated: bool,
    /// Sent to many, by its headers.
    pub bulk: bool,
    /// By its headers a person wrote it, and to few.
    pub personal: bool,
    /// From the reader's domain, unless that is a mail provider's.
    pub colleague: bool,
    pub bounce: bool,
    pub auto_reply: bool,
    pub ask: Ask,
    /// Sent to many, but about the reader's own money, and no mere receipt.
    pub own_money: bool,
    /// Sent to many, and to the reader beside them.
    pub is_named_beside: bool,
    /// Names the reader in the body.
    pub mentions: bool,
    /// Says that no action is needed.
    pub says_nothing_is_wanted: bool,
    /// Kinds seen in the subject.
    pub subject: HashSet<Kind>,
    /// Kinds seen in the body, with the number of phrases.
    body: Vec<(Kind, usize)>,
    pub calendar: Option<Calendar>,
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
        let text: String = mail.text.chars().take(MAX_TEXT).collect();
        let own_text = own_text(&text);
        let (flat_subject, flat_body) = (normalize_text(&mail.subject), normalize_text(&own_text));
        let by_machine = is_machine(&mail.from);
        let precedence = mail.headers.precedence.as_deref().unwrap_or_default().to_lowercase();
        let submitted = mail.headers.auto_submitted.as_deref().unwrap_or("no").trim().to_lowercase();
        let bounce = is_bounce(mail, &flat_subject);
        let auto_reply = !bounce
            && (submitted.starts_with("auto-replied")
                || precedence == "auto_reply"
                || flat_subject.has("automatic reply, auto reply, autoreply, out of office")
                    && has_machine_words(&flat_body));
        let subject: HashSet<Kind> = KIND_DEFINITIONS
            .iter()
            .filter(|sign| flat_subject.has(sign.subject))
            .map(|sign| sign.kind)
            .collect();
        let body = KIND_DEFINITIONS
            .iter()
            .map(|sign| (sign.kind, sign.body.split(", ").filter(|phrase| flat_body.has(phrase)).count()))
            .filter(|(_, count)| *count > 0)
            .collect();
        Self {
            reach: reach(user, mail),
            automated: by_machine || submitted != "no" || bounce || auto_reply,
            bulk: mail.is_bulk(),
            personal: !by_machine
                && submitted == "no"
                && precedence != "auto_reply"
                && !mail.is_bulk()
                && mail.to.len() + mail.cc.len() <= FEW,
            colleague: is_colleague(user, &mail.from),
            bounce,
            auto_reply,
            ask: ask(user, &own_text, &flat_body),
            own_money: mail.is_bulk() && !subject.contains(&Kind::Receipt) && is_about_own_money(user, mail),
            is_named_beside: mail.is_bulk() && is_named_beside(user, mail),
            mentions: mentions_reader(user, &flat_body),
            says_nothing_is_wanted: says_nothing_is_wanted(&flat_body),
            subject,
            body,
            calendar: calendar(&mail.headers),
        }
    }

    /// Whether the subject shows the kind, or enough phrases of the body: two for weak kinds, else one.
    pub fn is(&self, kind: Kind) -> bool {
        kind == Kind::Payment && self.own_money
            || self.subject.contains(&kind)
            || self.hints(kind) >= if is_weak(kind) { 2 } else { 1 }
    }

    /// How many phrases of the body hint at `kind`.
    pub fn hints(&self, kind: Kind) -> usize {
        self.body.iter().find(|(seen, _)| *seen == kind).map_or(0, |(_, count)| *count)
    }
}

/// Kinds whose phrases also turn up in ordinary mail.
fn is_weak(kind: Kind) -> bool {
    matches!(kind, Kind::Newsletter | Kind::Receipt | Kind::Promotion)
}

/// What the sender wrote now, without quotes, forwarded text and the signature.
pub(super) fn own_text(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let bare = line.trim();
        let starts_quote = (bare.starts_with("On ") && bare.ends_with("wrote:"))
            || (bare.starts_with("Am ") && bare.contains("schrieb") && bare.ends_with(':'))
            || bare.starts_with("-----Original Message")
            || bare.starts_with("________________");
        if line.trim_end() == "--" || starts_quote {
            break;
        }
        if !bare.starts_with('>') {
            out.push_str(line);
            out.push('\n');
        }
    }
    // A mail that only quotes is read whole.
    if out.trim().is_empty() { text.to_owned() } else { out }
}

fn is_machine(from: &str) -> bool {
    let local = from.split('@').next().unwrap_or_default().to_lowercase();
    let local = local.split('+').next().unwrap_or_default();
    is_listed(local, MACHINES)
        || ["noreply", "no-reply", "donotreply", "notification", "mailer-daemon", "bounce"]
            .iter()
            .any(|part| local.contains(part))
}

fn has_machine_words(flat_body: &NormalizedText) -> bool {
    flat_body.has(
        "automatic, automated, out of office, out of the office, limited access, i am away, i m away, on \
        leave",
    )
}

fn is_bounce(mail: &MailFacts, flat_subject: &NormalizedText) -> bool {
    let local = mail.from.split('@').next().unwrap_or_default().to_lowercase();
    matches!(local.as_str(), "mailer-daemon" | "postmaster")
        && flat_subject.has(
            "undeliver*, delivery status, delivery failure, failure notice, returned mail, mail delivery, \
            delivery has failed, not delivered",
        )
}

fn reach(user: &User, mail: &MailFacts) -> Reach {
    let has_reader = |list: &[String]| {
        list.iter().any(|address| user.addresses.iter().any(|own| own.eq_ignore_ascii_case(address.trim())))
    };
    if has_reader(&mail.to) {
        Reach::Direct
    } else if has_reader(&mail.cc) {
        Reach::Copy
    } else {
        Reach::Group
    }
}

/// Whether the reader's address stands beside others: they were put there, or somebody answers them.
fn is_named_beside(user: &User, mail: &MailFacts) -> bool {
    let is_own =
        |address: &&String| user.addresses.iter().any(|own| own.eq_ignore_ascii_case(address.trim()));
    let (own, others): (Vec<_>, Vec<_>) = mail.to.iter().chain(&mail.cc).partition(is_own);
    !own.is_empty() && !others.is_empty()
}

/// Providers whose domain does not make people colleagues.
const PROVIDERS: &str = "gmail.com, googlemail.com, outlook.com, hotmail.com, yahoo.com, icloud.com, me.com, gmx.de, gmx.net, \
    web.de, proton.me, protonmail.com, posteo.de, fastmail.com, aol.com, live.com";

fn is_colleague(user: &User, from: &str) -> bool {
    let domain = |address: &str| address.rsplit('@').next().unwrap_or_default().to_lowercase();
    let sender_domain = domain(from);
    !is_listed(&sender_domain, PROVIDERS)
        && user.addresses.iter().any(|address| domain(address) == sender_domain)
}

fn mentions_reader(user: &User, flat_body: &NormalizedText) -> bool {
    names(user).iter().any(|name| flat_body.contains(&format!(" {name} ")))
}

/// What a calendar mail says by its method. The answer of whoever was invited is in it, too; a subject may say anything.
fn calendar(headers: &Signals) -> Option<Calendar> {
    Some(match (headers.calendar.as_deref()?.to_uppercase().as_str(), headers.attendance) {
        ("REPLY", Some(Attendance::Accept)) => Calendar::Accepted,
        ("REPLY" | "CANCEL", _) => Calendar::Change,
        ("REQUEST", _) => Calendar::Invitation,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_from_machines() {
        for from in
            ["no-reply@x.example", "notifications@github.com", "CI@builds.example", "noreply+7@x.example"]
        {
            assert!(is_machine(from), "{from}");
        }
        for from in ["bob@x.example", "nora.playfair@x.example", "city@x.example"] {
            assert!(!is_machine(from), "{from}");
        }
    }
}
