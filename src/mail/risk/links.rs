//! Links that hide where they lead, or are made to be misread.

use super::Risk;
use super::domains::{self, Domains};
use crate::mail::{Link, Mail};

pub(super) fn links(mail: &Mail) -> impl Iterator<Item = &Link> {
    mail.links.iter().filter(|link| domains::host(&link.target.to_ascii_lowercase()).is_some())
}

/// Hosts of link shorteners, which hide the target.
const SHORT: &[&str] = &[
    "bit.ly",
    "t.co",
    "tinyurl.com",
    "goo.gl",
    "ow.ly",
    "is.gd",
    "buff.ly",
    "rebrand.ly",
    "cutt.ly",
    "shorturl.at",
    "rb.gy",
    "t.ly",
    "tiny.cc",
    "s.id",
    "v.gd",
    "lnkd.in",
    "qrco.de",
    "bl.ink",
    "shorte.st",
    "adf.ly",
    "trib.al",
    "dlvr.it",
];

/// The host of a link that hides its target.
pub(super) fn short_link(mail: &Mail) -> Option<String> {
    links(mail)
        .filter_map(|link| domains::host(&link.target.to_ascii_lowercase()))
        .find(|host| SHORT.contains(&host.as_str()))
}

/// A link designed to be misread: an IP address, a name before an `@`, or a look-alike.
pub(super) fn odd_link(mail: &Mail, known: &Domains<'_>) -> Option<(String, bool)> {
    links(mail).find_map(|link| {
        let target = link.target.to_ascii_lowercase();
        let host = domains::host(&target)?;
        let authority = target.split_once("://")?.1.split(['/', '?', '#']).next().unwrap_or_default();
        let number = host.parse::<std::net::IpAddr>().is_ok() || host.starts_with('[');
        let named = authority.split_once('@').is_some_and(|(name, _)| name.contains('.'));
        match known.risk(&host) {
            Some(Risk::LookAlike { .. }) => Some((link.target.clone(), true)),
            other => (number || named || other.is_some()).then(|| (link.target.clone(), false)),
        }
    })
}
