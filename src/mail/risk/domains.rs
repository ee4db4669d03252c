//! Domains: who owns them, and which ones look like others.
//!
//! We find the owner of a domain in the Public Suffix List: good enough to avoid warnings within one organisation, and
//! never used to allow anything.

use super::{Risk, RiskContext};
use crate::mail::{Link, Mail};
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::char::is_combining_mark;

/// Domains under which anybody can get a name, whether the list has them or not.
const HOSTED: &[&str] = &[
    "github.io",
    "gitlab.io",
    "blogspot.com",
    "wordpress.com",
    "web.app",
    "firebaseapp.com",
    "pages.dev",
    "workers.dev",
    "herokuapp.com",
    "vercel.app",
    "netlify.app",
    "azurewebsites.net",
    "cloudfront.net",
    "amazonaws.com",
    "weebly.com",
    "wixsite.com",
    "onmicrosoft.com",
    "sharepoint.com",
    "substack.com",
    "myshopify.com",
    "duckdns.org",
    "ngrok.io",
    "glitch.me",
];

/// Providers with millions of mailboxes; never taken for imitations of each other.
const PROVIDERS: &[&str] = &[
    "gmail.com",
    "googlemail.com",
    "mail.com",
    "email.com",
    "outlook.com",
    "hotmail.com",
    "live.com",
    "msn.com",
    "icloud.com",
    "me.com",
    "mac.com",
    "aol.com",
    "ymail.com",
    "yahoo.com",
    "proton.me",
    "protonmail.com",
    "pm.me",
    "fastmail.com",
    "fastmail.fm",
    "hey.com",
    "web.de",
    "t-online.de",
    "freenet.de",
    "mail.ru",
    "inbox.ru",
    "list.ru",
    "bk.ru",
    "yandex.ru",
    "yandex.com",
    "qq.com",
    "163.com",
    "126.com",
    "sina.com",
    "naver.com",
    "daum.net",
    "orange.fr",
    "free.fr",
    "laposte.net",
    "libero.it",
    "seznam.cz",
    "wp.pl",
    "onet.pl",
    "tutanota.com",
    "tuta.com",
    "zoho.com",
    "comcast.net",
    "verizon.net",
    "att.net",
    "rocketmail.com",
    "posteo.de",
    "mailbox.org",
    "googlegroups.com",
    "gmx.com",
    "gmx.de",
    "gmx.net",
    "gmx.at",
    "gmx.ch",
];

/// Brands with a domain in every country.
const EVERYWHERE: &[&str] =
    &["hotmail", "outlook", "live", "yahoo", "gmx", "yandex", "google", "amazon", "ebay", "paypal", "msn"];

/// Those of them that give mailboxes to anybody.
const COUNTRIES: &[&str] = &["hotmail", "outlook", "live", "yahoo", "gmx", "yandex", "msn"];

/// Words that imitations add to a name.
const BAIT: &[&str] = &[
    "account",
    "accounts",
    "admin",
    "alert",
    "alerts",
    "bank",
    "billing",
    "center",
    "corp",
    "customer",
    "finance",
    "global",
    "group",
    "help",
    "helpdesk",
    "hr",
    "inc",
    "invoice",
    "invoices",
    "login",
    "ltd",
    "mail",
    "notice",
    "office",
    "online",
    "pay",
    "payment",
    "payments",
    "payroll",
    "portal",
    "secure",
    "security",
    "service",
    "services",
    "signin",
    "sso",
    "support",
    "team",
    "update",
    "verify",
    "verification",
    "web",
];

/// Shorter names too often differ by one letter by chance.
const LONG_ENOUGH: usize = 5;

/// The part of a domain that belongs to one owner: `mail.example.co.uk` belongs to `example.co.uk`.
pub fn organisation(domain: &str) -> &str {
    let domain = domain.trim_end_matches('.');
    let listed = psl::domain_str(domain).unwrap_or(domain);
    let names = HOSTED.iter().find_map(|host| domain.strip_suffix(host)?.strip_suffix('.'));
    let hosted = names.map_or("", |names| &domain[names.rfind('.').map_or(0, |dot| dot + 1)..]);
    if hosted.len() > listed.len() { hosted } else { listed }
}

pub(super) fn same_organisation(one: &str, other: &str) -> bool {
    organisation(&one.to_ascii_lowercase()) == organisation(&other.to_ascii_lowercase())
}

/// Whether two addresses have different owners: two organisations, or two people at a mail provider.
pub fn have_different_owners(one: &str, other: &str) -> bool {
    let domain =
        |address: &str| address.rsplit_once('@').map_or("", |(_, domain)| domain).to_ascii_lowercase();
    let (first, second) = (domain(one), domain(other));
    if !same_organisation(&first, &second) {
        return true;
    }
    is_provider(&first) && !one.eq_ignore_ascii_case(other)
}

/// Whether a domain is a mail provider with millions of users.
pub(super) fn is_provider(domain: &str) -> bool {
    let shared = organisation(domain);
    PROVIDERS.contains(&shared) || COUNTRIES.contains(&split(shared).0)
}

/// The name of an organisation's domain, and the part after it.
fn split(organisation: &str) -> (&str, &str) {
    organisation.split_once('.').unwrap_or((organisation, ""))
}

/// The domains of people the user knows, each with its skeleton. Making skeletons is slow, so for many addresses this is
/// made once and kept.
#[derive(Debug, Default)]
pub struct KnownDomains(BTreeMap<String, String>);

impl KnownDomains {
    /// Those of somebody who knows nobody.
    pub const NONE: &Self = &Self(BTreeMap::new());

    pub fn new(addresses: &[String]) -> Self {
        let domain = |address: &String| Some(organisation(address.rsplit_once('@')?.1).to_owned());
        let domains: BTreeSet<String> = addresses.iter().filter_map(domain).collect();
        let known = domains.into_iter().filter(|domain| domain.contains('.'));
        Self(known.map(|domain| (domain.clone(), skeleton(&domain))).collect())
    }

    /// The first one in order that is imitated, so that the same mail always gets the same warning.
    fn imitated(&self, imitation: &Imitation) -> Option<&str> {
        let imitated = self.0.iter().find(|(known, skeleton)| imitation.imitates(known, skeleton));
        imitated.map(|(known, _)| known.as_str())
    }
}

/// The domains the user knows.
pub(super) struct Domains<'a> {
    contacts: &'a KnownDomains,
    others: KnownDomains,
}

impl<'a> Domains<'a> {
    pub fn new(known: &RiskContext<'a>) -> Self {
        Self { contacts: known.contacts, others: KnownDomains::new(known.addresses) }
    }

    /// The warning about a domain, if any.
    pub fn risk(&self, domain: &str) -> Option<Risk> {
        let domain = domain.to_ascii_lowercase();
        let owner = organisation(&domain);
        let all = [self.contacts, &self.others];
        if owner.is_empty()
            || all.iter().any(|known| known.0.contains_key(owner))
            || PROVIDERS.contains(&owner)
        {
            return None;
        }
        let shown = if domain.contains("xn--") { idna::domain_to_unicode(&domain).0 } else { domain.clone() };
        let imitation = Imitation::new(&domain, &shown);
        if let Some(like) = all.iter().filter_map(|known| known.imitated(&imitation)).min() {
            return Some(Risk::LookAlike { like: like.to_owned(), domain });
        }
        (shown != domain).then_some(Risk::Punycode { domain, shown })
    }
}

/// A domain that may look like another.
struct Imitation {
    domain: String,
    organisation: String,
    skeleton: String,
}

impl Imitation {
    fn new(domain: &str, shown: &str) -> Self {
        let organisation = organisation(shown).to_owned();
        Self { domain: domain.to_owned(), skeleton: skeleton(&organisation), organisation }
    }

    fn imitates(&self, known: &str, known_skeleton: &str) -> bool {
        let (name, end) = split(&self.organisation);
        let (known_name, known_end) = split(known);
        // Catches `example.com.evil.net`, whatever the length of the name.
        let is_prefixed = self.domain.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'))
            || memchr::memmem::find(self.domain.as_bytes(), format!(".{known}.").as_bytes()).is_some();
        if is_prefixed
            || (known_name.len() > 2 && self.organisation != known && self.skeleton == known_skeleton)
        {
            return true;
        }
        if known_name.len() < LONG_ENOUGH {
            return false;
        }
        if name == known_name {
            return end != known_end && !EVERYWHERE.contains(&name);
        }
        (end == known_end && one_edit(name, known_name)) || adds_word(name, known_name)
    }
}

/// Whether a name is another one with a word added.
fn adds_word(name: &str, known: &str) -> bool {
    let is_hyphened = name.contains('-') && !known.contains('-') && name.split('-').any(|word| word == known);
    let is_glued =
        name.strip_prefix(known).or(name.strip_suffix(known)).is_some_and(|word| BAIT.contains(&word));
    is_hyphened || is_glued
}

/// Whether one letter was changed, added, removed, or swapped with its neighbour. Numbered names are not imitations.
fn one_edit(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    if short.len() < LONG_ENOUGH - 1 || long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (rest, longer) = (&short[same..], &long[same..]);
    match longer.len() - rest.len() {
        1 => rest == &longer[1..] && !longer[0].is_ascii_digit(),
        _ => match (rest, longer) {
            ([a, rest @ ..], [b, longer @ ..]) if rest == longer => {
                !(a.is_ascii_digit() && b.is_ascii_digit())
            }
            ([a, b, rest @ ..], [c, d, longer @ ..]) => a == d && b == c && rest == longer,
            _ => false,
        },
    }
}

/// Letters that Unicode tells apart, by their size at most.
const NEARLY: [&str; 11] = ["bьвƅ", "eє", "kкκĸ", "lŀ", "mм", "nпŉ", "s5", "tтτ", "uц", "wω", "xχ"];

/// Replaces similar letters with a single one, and drops accents.
pub(super) fn skeleton(text: &str) -> String {
    let nearly =
        |c: char| NEARLY.iter().find(|alike| alike.contains(c)).and_then(|alike| alike.chars().next());
    let lower: String = text.to_lowercase().chars().map(|c| nearly(c).unwrap_or(c)).collect();
    let letters = unicode_security::skeleton(&lower).filter(|c| !is_combining_mark(*c));
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    plain.replace("rn", "m").replace("vv", "w").replace(['i', '|'], "l")
}

/// The addresses in a text, written with any kind of `@`.
pub(super) fn addresses_in(text: &str) -> impl Iterator<Item = String> + '_ {
    let outside = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '@' | '＠' | '﹫' | '-' | '_' | '+'));
    text.split(outside).filter_map(|word| {
        let word = word.trim_matches(['.', '-']).replace(['＠', '﹫'], "@");
        let (local, domain) = word.split_once('@')?;
        (!local.is_empty() && domain.contains('.') && !domain.contains('@')).then(|| word.clone())
    })
}

/// Hosts that redirect links and include the target in the link.
const WRAPPERS: &[&str] = &[
    "safelinks.protection.outlook.com",
    "urldefense.com",
    "urldefense.proofpoint.com",
    "google.com",
    "l.facebook.com",
    "linkprotect.cudasvc.com",
    "protect-us.mimecast.com",
    "protect-eu.mimecast.com",
    "protect2.fireeye.com",
    "lnkd.in",
    "linkedin.com",
];

/// Top-level domains of names written without `www.`; others may be files or abbreviations.
const TOP: &[&str] = &[
    "com", "net", "org", "edu", "gov", "io", "co", "uk", "de", "fr", "it", "es", "nl", "eu", "ch", "at",
    "be", "dk", "se", "no", "fi", "ca", "au", "jp", "cn", "in", "br", "ru", "us", "app", "dev", "info",
    "biz", "shop", "online", "site", "bank",
];

/// Warns about a link whose text shows another host than its target.
pub(super) fn link_differs(mail: &Mail, link: &Link) -> Option<Risk> {
    let lower = link.target.trim_start().to_ascii_lowercase();
    let risk = |text: &str| Some(Risk::LinkDiffers { text: text.to_owned(), target: shorten(&link.target) });
    if ["javascript:", "vbscript:", "data:"].iter().any(|scheme| lower.starts_with(scheme)) {
        return risk(if link.text.is_empty() { "nothing" } else { &link.text });
    }
    let text = link.text.trim();
    if let Some(to) = lower.strip_prefix("mailto:") {
        let shown = addresses_in(text).next()?.to_ascii_lowercase();
        let to = addresses_in(to.split('?').next().unwrap_or_default()).next()?;
        return if shown == to { None } else { risk(text) };
    }
    let shown_host = host_in_text(text)?;
    let target_host = host(&lower)?;
    let is_wrapped = WRAPPERS
        .iter()
        .any(|wrapper| target_host == *wrapper || target_host.ends_with(&format!(".{wrapper}")));
    if same_organisation(&shown_host, &target_host)
        || (is_wrapped && lower.contains(organisation(&shown_host)))
    {
        return None;
    }
    // The sender's own site, through its newsletter service.
    let is_own_site = same_organisation(&shown_host, mail.from.domain())
        && services(mail).any(|service| same_organisation(&service, &target_host));
    if is_own_site { None } else { risk(text) }
}

/// The hosts that a newsletter says it is sent by.
fn services(mail: &Mail) -> impl Iterator<Item = String> + '_ {
    let names_service = |name: &str| {
        matches!(name.to_ascii_lowercase().as_str(), "list-unsubscribe" | "list-id" | "return-path")
    };
    let values = mail.headers.iter().filter(move |(name, _)| names_service(name)).map(|(_, value)| value);
    let words = values.flat_map(|value| value.split(['<', '>', ',', ' ', '@']));
    words.filter(|word| word.contains('.')).filter_map(|word| host(word).or_else(|| Some(word.to_owned())))
}

fn shorten(target: &str) -> String {
    if target.chars().count() <= 120 {
        target.to_owned()
    } else {
        target.chars().take(119).chain(['…']).collect()
    }
}

/// The host of a URL.
pub(super) fn host(target: &str) -> Option<String> {
    let (scheme, rest) = target.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    // The part before an `@` is a user name, however much it looks like a host.
    let host = authority.rsplit('@').next()?;
    let host = if host.starts_with('[') { host } else { host.split(':').next()? };
    (!host.is_empty()).then(|| crate::mail::read::ascii_domain(host))
}

/// The host that a link's text shows, if any.
fn host_in_text(text: &str) -> Option<String> {
    let word = text.trim_matches(['<', '>', '(', ')', '"', '.', ',']);
    if word.contains(char::is_whitespace) || word.contains('@') {
        return None;
    }
    let lower = word.to_lowercase();
    if let Some(host) = host(&lower) {
        return host.contains('.').then_some(host);
    }
    let host = lower.split(['/', '?', '#', ':']).next()?;
    let (_, top) = host.rsplit_once('.')?;
    let is_host_name =
        host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-')) && !host.starts_with('.');
    (is_host_name && (host.starts_with("www.") || TOP.contains(&top)))
        .then(|| crate::mail::read::ascii_domain(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_belongs_to_whoever_registered_it() {
        for (domain, owner) in [
            ("example.org", "example.org"),
            ("mail.example.co.uk.", "example.co.uk"),
            ("shop.somebody.github.io", "somebody.github.io"),
            ("x.ines.onmicrosoft.com", "ines.onmicrosoft.com"),
            ("a.bucket.s3.amazonaws.com", "bucket.s3.amazonaws.com"),
            ("deep.far.test", "far.test"),
            ("co.uk", "co.uk"),
            ("localhost", "localhost"),
            ("", ""),
        ] {
            assert_eq!(organisation(domain), owner, "{domain}");
        }
    }

    #[test]
    fn letters_that_look_alike_are_the_same() {
        for (imitation, known) in [
            ("раураӏ", "paypal"),
            ("mіcrosоft", "microsoft"),
            ("тwіттer", "twitter"),
            ("gοοgle", "google"),
            ("g0ògłe", "google"),
            ("exarnp1e", "example"),
            ("vvebsite", "website"),
            ("𝖺pple", "apple"),
            ("аррӏе", "apple"),
        ] {
            assert_eq!(skeleton(imitation), skeleton(known), "{imitation}");
        }
        assert_ne!(skeleton("paypal"), skeleton("payday"));
    }
}
