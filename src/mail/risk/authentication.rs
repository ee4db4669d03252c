//! Reads what the receiving server found out about the sender: `Authentication-Results` (RFC 8601).
//!
//! Anybody can write such a line into a mail, so only lines from the mailbox's own server count. We learn which server
//! that is from the account's mails: it writes the topmost line in mails from several senders. Microsoft names no server
//! and is known by the mail's way. Promises: linear time, no errors; an unreadable line says nothing.

use super::microsoft::{self, MICROSOFT};
use super::organisation;
use crate::mail::Mail;
use serde::{Deserialize, Serialize};

/// A server must check this many mails, from this many organisations, to count as the mailbox's own.
const MAILS: u32 = 5;
const SENDERS: usize = 3;
/// After this many mails in a row that another server checked, the mailbox has moved.
const MOVED: u32 = 20;

/// What we know about the server that checks senders for a mailbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receiver {
    /// The name it used last (`authserv-id`).
    pub id: String,
    /// How many mails it has checked; counting stops at the limit.
    mails: u32,
    /// Some of the organisations they came from.
    senders: Vec<String>,
    /// How many mails in a row another server checked.
    others: u32,
}

impl Receiver {
    /// Learns from a mail of the account.
    pub fn observe(&mut self, mail: &Mail) {
        let named = || mail.headers_named("authentication-results").next().and_then(parts).map(|(id, _)| id);
        let Some(id) = microsoft::results(mail).map(|_| MICROSOFT.to_owned()).or_else(named) else { return };
        if !self.is(&id) {
            self.others += 1;
            let limit = if self.is_trusted() { MOVED } else { self.mails };
            if self.others > limit {
                *self = Self { id, mails: 1, ..Self::default() };
                self.senders.push(organisation(mail.from.domain()).to_owned());
            }
            return;
        }
        let sender = organisation(mail.from.domain());
        if self.senders.len() < SENDERS && !self.senders.iter().any(|known| known == sender) {
            self.senders.push(sender.to_owned());
        }
        (self.id, self.others, self.mails) = (id, 0, self.mails.saturating_add(1).min(MAILS));
    }

    /// Whether enough mails have shown that it is the mailbox's own server.
    pub fn is_trusted(&self) -> bool {
        self.mails >= MAILS && self.senders.len() >= SENDERS
    }

    /// Whether a line with this id is its own. A provider has many hosts.
    fn is(&self, id: &str) -> bool {
        organisation(&self.id.to_ascii_lowercase()) == organisation(&id.to_ascii_lowercase())
    }
}

/// The result of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Pass,
    Fail,
    /// Neither of them.
    Other,
}

/// What a server says about a mail's sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Authentication {
    /// Nothing, or nothing reliable.
    Unknown,
    /// The mail comes from the domain in From.
    Passed,
    /// It does not, or that cannot be determined: these checks failed.
    Failed(Vec<&'static str>),
}

/// One check in a line: method, outcome, the domain it is about, and the remark in parentheses.
pub(super) struct Check {
    pub(super) method: String,
    pub(super) outcome: Outcome,
    pub(super) domain: String,
    /// Whether the domain asks for nothing to be done about a failure.
    is_lenient: bool,
}

/// What the mailbox's trusted server says about a mail's sender.
pub(super) fn authentication(mail: &Mail, receiver: Option<&Receiver>) -> Authentication {
    let checks = checks(mail, receiver);
    let aligned = |check: &Check| organisation(&check.domain) == organisation(mail.from.domain());
    let dmarc = checks.iter().find(|check| check.method == "dmarc").map(|check| check.outcome);
    let vouches = |check: &Check| matches!(check.method.as_str(), "dkim" | "spf") && aligned(check);
    let vouched = checks.iter().any(|check| check.outcome == Outcome::Pass && vouches(check));
    if dmarc == Some(Outcome::Pass) || vouched && dmarc != Some(Outcome::Fail) {
        return Authentication::Passed;
    }
    let failed: Vec<&'static str> = ["SPF", "DKIM", "DMARC"]
        .into_iter()
        .filter(|name| {
            let fails =
                |check: &Check| check.outcome == Outcome::Fail && check.method.eq_ignore_ascii_case(name);
            checks.iter().any(fails)
        })
        .collect();
    if failed.is_empty() || by_a_list(mail, &checks) {
        return Authentication::Unknown;
    }
    Authentication::Failed(failed)
}

/// Whether the mailbox's trusted server says that a mail comes from the domain in its From.
pub fn is_authenticated(mail: &Mail, receiver: Option<&Receiver>) -> bool {
    authentication(mail, receiver) == Authentication::Passed
}

/// A list that forwards mail breaks its authors' checks, unless their domain has a strict policy.
fn by_a_list(mail: &Mail, checks: &[Check]) -> bool {
    let list = mail.list.as_ref();
    let id = list.and_then(|list| list.id.as_deref()).unwrap_or_default();
    let post = list.and_then(|list| list.post.as_deref()).unwrap_or_default();
    let host = post.rsplit_once('@').map_or(id, |(_, host)| host);
    let vouched =
        |check: &Check| check.outcome == Outcome::Pass && organisation(&check.domain) == organisation(host);
    let strict =
        |check: &Check| check.method == "dmarc" && check.outcome == Outcome::Fail && !check.is_lenient;
    !host.is_empty() && checks.iter().any(vouched) && !checks.iter().any(strict)
}

/// Whether Microsoft's filter calls the mail spam, in a mailbox of Microsoft's.
pub(super) fn is_spam_to_microsoft(mail: &Mail, receiver: Option<&Receiver>) -> bool {
    may_be_at_microsoft(receiver) && microsoft::calls_spam(mail)
}

/// Whether no other server is known to be the mailbox's own.
fn may_be_at_microsoft(receiver: Option<&Receiver>) -> bool {
    receiver.is_none_or(|receiver| !receiver.is_trusted() || receiver.is(MICROSOFT))
}

/// The checks written by the trusted server: its topmost line, and its other lines up to the next server.
pub(super) fn checks(mail: &Mail, receiver: Option<&Receiver>) -> Vec<Check> {
    if let Some(line) = microsoft::results(mail).filter(|_| may_be_at_microsoft(receiver)) {
        return line.to_ascii_lowercase().split(';').filter_map(check).collect();
    }
    let lines = own_fields(mail, receiver).iter().filter_map(|field| own_line(field, receiver?));
    lines.flatten().filter_map(|part| check(&part)).collect()
}

/// Whether the mailbox's own filter has marked the mail as spam.
pub fn is_marked_spam(mail: &Mail, receiver: Option<&Receiver>) -> bool {
    own_fields(mail, receiver).iter().any(|(name, value)| {
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "x-spam-flag" | "x-spam" => value.eq_ignore_ascii_case("yes"),
            "x-spam-status" => value.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("yes")),
            _ => false,
        }
    })
}

/// The fields that the trusted server, or whoever came after it, wrote: down to the server before it. None if the server
/// has not signed.
fn own_fields<'m>(mail: &'m Mail, receiver: Option<&Receiver>) -> &'m [(String, String)] {
    let trusted = receiver.filter(|receiver| receiver.is_trusted());
    let signed = trusted.and_then(|own| mail.headers.iter().position(|field| own_line(field, own).is_some()));
    let Some(signed) = signed else { return &[] };
    let mut below = mail.headers.iter().skip(signed);
    let before = below.position(|(name, _)| name.eq_ignore_ascii_case("received"));
    &mail.headers[..before.map_or(mail.headers.len(), |before| signed + before)]
}

/// What a line of this server's says; `None` for other fields.
fn own_line((name, value): &(String, String), receiver: &Receiver) -> Option<Vec<String>> {
    let (id, rest) = parts(value).filter(|_| name.eq_ignore_ascii_case("authentication-results"))?;
    receiver.is(&id).then_some(rest)
}

/// The id of a line and its other parts. A line without an id does not say who wrote it, and Microsoft signs with none:
/// only the mail's way shows that a line is Microsoft's.
fn parts(value: &str) -> Option<(String, Vec<String>)> {
    let mut parts = value.split(';').map(str::trim);
    let id = parts.next()?.split_whitespace().next()?.to_owned();
    let plain = id.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let claims_microsoft = organisation(&id.to_ascii_lowercase()).eq_ignore_ascii_case(MICROSOFT);
    (plain && id.contains('.') && !claims_microsoft)
        .then(|| (id, parts.map(str::to_ascii_lowercase).collect()))
}

/// Parses `dkim=pass (2048-bit key) header.d=example.org`.
fn check(part: &str) -> Option<Check> {
    let (mut plain, mut remark, mut depth) = (String::new(), String::new(), 0_u32);
    for c in part.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => remark.push(c),
            _ => plain.push(c),
        }
    }
    let mut words = plain.split_whitespace();
    let (method, outcome) = words.next()?.split_once('=')?;
    let outcome = match outcome {
        "pass" => Outcome::Pass,
        // A domain that says “probably not” (softfail) leaves the decision to DMARC.
        "fail" | "hardfail" => Outcome::Fail,
        _ => Outcome::Other,
    };
    let about = |names: &[&str]| {
        let pairs = words.clone().filter_map(|word| word.split_once('='));
        pairs.into_iter().find(|(name, _)| names.contains(name)).map(|(_, value)| value)
    };
    let named = about(&["header.d", "header.i", "smtp.mailfrom", "smtp.mail", "header.from", "smtp.helo"]);
    let domain = named.unwrap_or_default().rsplit('@').next().unwrap_or_default().to_owned();
    let is_lenient = remark.to_ascii_lowercase().contains("p=none") || about(&["action"]) == Some("none");
    Some(Check { method: method.to_owned(), outcome, domain, is_lenient })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::parse;

    fn mail(from: &str, results: &str) -> Mail {
        parse(format!("{results}From: {from}\r\nSubject: x\r\n\r\nHello").as_bytes()).unwrap()
    }

    fn trusted_receiver() -> Receiver {
        let mut receiver = Receiver::default();
        for n in 0..MAILS {
            let line =
                format!("Authentication-Results: mx{n}.home.example; spf=pass smtp.mailfrom=a@b.example\r\n");
            receiver.observe(&mail(&format!("a@b{n}.example"), &line));
        }
        receiver
    }

    #[test]
    fn a_server_is_learned_from_mails_of_several_senders() {
        assert!(trusted_receiver().is_trusted());
        assert_eq!(trusted_receiver().id, "mx4.home.example");
        let mut one = Receiver::default();
        for _ in 0..50 {
            one.observe(&mail("a@evil.example", "Authentication-Results: mx.evil.example; dkim=pass\r\n"));
        }
        assert!(!one.is_trusted(), "one sender alone makes no server trusted");
        // Lines that outsiders write below the server's own, or instead of it, change nothing.
        let mut receiver = trusted_receiver();
        for n in 0..MOVED {
            let other = format!("Authentication-Results: other{n}.example; dkim=pass\r\n");
            receiver.observe(&mail("a@b.example", &other));
        }
        assert!(receiver.is_trusted() && receiver.id.ends_with("home.example"));
    }

    #[test]
    fn only_lines_of_the_own_server_count() {
        let receiver = trusted_receiver();
        let of = |from: &str, lines: &str| authentication(&mail(from, lines), Some(&receiver));
        let line = |text: &str| format!("Authentication-Results: mx1.home.example; {text}\r\n");
        let failed = |names: &[&'static str]| Authentication::Failed(names.to_vec());
        for (text, expected) in [
            ("dmarc=pass header.from=bank.example", Authentication::Passed),
            (
                "spf=fail smtp.mailfrom=x@bank.example; dkim=none; dmarc=fail (p=REJECT)",
                failed(&["SPF", "DMARC"]),
            ),
            (
                "spf=softfail smtp.mailfrom=x@bank.example; dkim=pass header.d=mail.bank.example",
                Authentication::Passed,
            ),
            ("dkim=fail (bad ; signature) header.d=bank.example", failed(&["DKIM"])),
            ("spf=pass smtp.mailfrom=x@elsewhere.example; dkim=none", Authentication::Unknown),
            ("spf=pass smtp.mailfrom=x@elsewhere.example; dmarc=fail", failed(&["DMARC"])),
            ("none", Authentication::Unknown),
        ] {
            assert_eq!(of("a@bank.example", &line(text)), expected, "{text}");
        }
        let forged = "Authentication-Results: mx.evil.example; dmarc=pass\r\n";
        assert_eq!(of("a@bank.example", forged), Authentication::Unknown);
        // The topmost server counts; an outsider's line is below its Received.
        let both = format!(
            "{}Received: by mx1.home.example\r\n{}",
            line("spf=fail smtp.mailfrom=bank.example; dmarc=fail"),
            line("dmarc=pass")
        );
        assert_eq!(of("a@bank.example", &both), failed(&["SPF", "DMARC"]));
        assert_eq!(authentication(&mail("a@bank.example", &both), None), Authentication::Unknown);
    }

    #[test]
    fn only_the_own_servers_filter_calls_mail_spam() {
        let receiver = trusted_receiver();
        let signed = "Authentication-Results: mx1.home.example; spf=pass smtp.mailfrom=b.example\r\n";
        let (top, below) = ("Received: by imap.home.example\r\n", "Received: by mx1.home.example\r\n");
        for (flag, expected) in [
            ("X-Spam-Flag: YES\r\n", true),
            ("X-Spam-Status: Yes, score=7.4 required=5.0\r\n", true),
            ("X-Spam: yes\r\n", true),
            ("X-Spam-Flag: NO\r\nX-Spam-Status: No, score=-1\r\n", false),
        ] {
            let of = |lines: &[&str], receiver: Option<&Receiver>| {
                is_marked_spam(&mail("a@b.example", &lines.concat()), receiver)
            };
            assert_eq!(of(&[top, signed, flag, below], Some(&receiver)), expected, "{flag}");
            assert_eq!(of(&[flag, top, signed, below], Some(&receiver)), expected, "{flag}");
            // The sender, or a server on the way, wrote these.
            assert!(!of(&[top, signed, below, flag], Some(&receiver)), "{flag}");
            assert!(!of(&[top, below, flag], Some(&receiver)) && !of(&[flag], None), "{flag}");
            assert!(!of(&[top, signed, flag, below], None), "nobody knows the server yet");
        }
    }

    #[test]
    fn microsoft_is_known_by_the_way_of_the_mail() {
        let way = "Received: from a by b.prod.outlook.com\r\n";
        let entrance = "Received: from mx.bank.example by c.mail.protection.outlook.com\r\n";
        let of = |results: &str, receiver: Option<&Receiver>| {
            let lines = format!("{way}Authentication-Results: {results}\r\n{entrance}");
            authentication(&mail("a@bank.example", &lines), receiver)
        };
        let failed = "spf=fail smtp.mailfrom=bank.example; dmarc=fail action=none header.from=bank.example";
        let passed = "spf=pass smtp.mailfrom=bank.example; dmarc=pass action=none header.from=bank.example";
        assert_eq!(of(failed, None), Authentication::Failed(vec!["SPF", "DMARC"]));
        assert_eq!(of(passed, None), Authentication::Passed);
        assert_eq!(
            of(passed, Some(&trusted_receiver())),
            Authentication::Unknown,
            "the mailbox is elsewhere"
        );
        let mut receiver = Receiver::default();
        for n in 0..MAILS {
            let lines = format!("{way}Authentication-Results: {passed}\r\n{entrance}");
            receiver.observe(&mail(&format!("a@b{n}.example"), &lines));
        }
        assert!(receiver.is_trusted());
        assert_eq!(of(failed, Some(&receiver)), Authentication::Failed(vec!["SPF", "DMARC"]));
        for id in ["Microsoft", "Microsoft.", "microsoft.", ".Microsoft"] {
            let forged = mail("a@bank.example", &format!("Authentication-Results: {id}; dmarc=pass\r\n"));
            assert_eq!(authentication(&forged, Some(&receiver)), Authentication::Unknown, "{id}");
        }
    }

    #[test]
    fn a_list_that_vouches_for_itself_breaks_nothing() {
        let receiver = trusted_receiver();
        let list = |remark: &str| {
            format!(
                "Authentication-Results: mx1.home.example; dkim=pass header.d=lists.example; dmarc=fail ({remark}) header.from=b.example\r\nList-Id: <dev.lists.example>\r\n"
            )
        };
        let of = |remark: &str| authentication(&mail("a@b.example", &list(remark)), Some(&receiver));
        assert_eq!(of("p=NONE dis=none"), Authentication::Unknown);
        assert_eq!(of("p=REJECT"), Authentication::Failed(vec!["DMARC"]));
    }
}
