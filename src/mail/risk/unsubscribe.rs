//! Leaving a mailing list: whether one request is enough, and what is odd about where it goes.

use super::Risk;
use super::authentication::{Outcome, Receiver, checks};
use super::domains;
use crate::mail::{Mail, Unsubscribe};

/// The headers that say how to leave; a signature must cover both (RFC 8058).
const UNSUBSCRIBE_HEADERS: [&str; 2] = ["list-unsubscribe", "list-unsubscribe-post"];

/// The URL that leaves a list with one request, if it can be trusted: the mailbox's own server says that a signature is
/// valid, and it covers the headers with the URL. Then nobody on the way has written them.
pub fn one_click<'a>(mail: &'a Mail, receiver: Option<&Receiver>) -> Option<&'a str> {
    let url = mail.list.as_ref()?.unsubscribe.iter().find_map(|option| match option {
        Unsubscribe::OneClick { url } => Some(url.as_str()),
        Unsubscribe::Mail { .. } | Unsubscribe::Page { .. } => None,
    })?;
    // If there are two lines, the signature may cover the other one.
    if UNSUBSCRIBE_HEADERS.iter().any(|name| mail.headers_named(name).count() != 1) {
        return None;
    }
    let signatures: Vec<Signature> =
        mail.headers_named("dkim-signature").filter_map(Signature::read).collect();
    let checks = checks(mail, receiver);
    let mut passed = checks.iter().filter(|check| check.method == "dkim" && check.outcome == Outcome::Pass);
    let is_covered = passed.any(|check| {
        let mut domain_signatures = signatures.iter().filter(|one| one.is_of(&check.domain)).peekable();
        // The server does not say which of a domain's signatures it means.
        domain_signatures.peek().is_some() && domain_signatures.all(|one| one.covers_unsubscribe)
    });
    is_covered.then_some(url)
}

/// The parts of a `DKIM-Signature` that matter.
struct Signature {
    domain: String,
    covers_unsubscribe: bool,
}

impl Signature {
    fn read(value: &str) -> Option<Self> {
        let tag = |wanted_name: &str| {
            let mut tags = value.split(';').filter_map(|tag| tag.split_once('='));
            tags.find(|(name, _)| name.trim() == wanted_name)
                .map(|(_, value)| value.trim().to_ascii_lowercase())
        };
        let signed = tag("h")?;
        let covers = |name: &&str| signed.split(':').any(|field| field.trim() == *name);
        Some(Self { domain: tag("d")?, covers_unsubscribe: UNSUBSCRIBE_HEADERS.iter().all(covers) })
    }

    /// Whether a server's result is about this signature: results name its domain or one below it.
    fn is_of(&self, domain: &str) -> bool {
        let beneath = domain.strip_suffix(&self.domain);
        beneath.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }
}

/// The warning about a mail or request that leaves the list `mail` came from: the list decides where it goes. `to` is
/// an address or a host.
pub fn unsubscribe_risk(mail: &Mail, to: &str) -> Option<Risk> {
    let list = mail.list.as_ref();
    let post = list.and_then(|list| list.post.as_deref());
    let id = list.and_then(|list| list.id.as_deref()).map(|id| format!("list@{id}"));
    let senders = [Some(mail.from.address.as_str()), post, id.as_deref()];
    let target = if to.contains('@') { to.to_owned() } else { format!("list@{to}") };
    let fits = senders.into_iter().flatten().any(|sender| !domains::have_different_owners(sender, &target));
    (!fits).then(|| Risk::LeavesElsewhere { address: to.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::parse;

    const RESULTS: &str =
        "Authentication-Results: mx1.home.example; dkim=pass header.i=@news.example header.s=a";
    const SIGNED: &str = "DKIM-Signature: v=1; a=rsa-sha256; d=news.example; s=a;\r\n h=From:Subject:\r\n List-Unsubscribe:List-Unsubscribe-Post; b=abc";
    const WAY: &str = "List-Unsubscribe: <mailto:u@news.example>, <https://news.example/u?1>";
    const POST: &str = "List-Unsubscribe-Post: List-Unsubscribe=One-Click";

    fn learned() -> Receiver {
        let mut receiver = Receiver::default();
        for n in 0..8 {
            let mail = format!(
                "Authentication-Results: mx1.home.example; spf=pass\r\nFrom: a@b{n}.example\r\n\r\nHello"
            );
            receiver.observe(&parse(mail.as_bytes()).unwrap());
        }
        receiver
    }

    fn one_click_url(lines: &[&str]) -> Option<String> {
        let head = lines.join("\r\n");
        let mail = parse(format!("{head}\r\nFrom: news@news.example\r\n\r\nHello").as_bytes()).unwrap();
        one_click(&mail, Some(&learned())).map(str::to_owned)
    }

    #[test]
    fn one_request_leaves_a_list_whose_signature_covers_how() {
        let url = Some("https://news.example/u?1".to_owned());
        assert_eq!(one_click_url(&[RESULTS, SIGNED, WAY, POST]), url);
        let beneath = RESULTS.replace("header.i=@news.example", "header.d=news.example");
        assert_eq!(one_click_url(&[&beneath, SIGNED, WAY, POST]), url);
    }

    #[test]
    fn whatever_is_not_confirmed_is_not_used() {
        let only_from = SIGNED.replace(":\r\n List-Unsubscribe:List-Unsubscribe-Post", "");
        let half = SIGNED.replace(":List-Unsubscribe-Post", "");
        let other = SIGNED.replace("d=news.example", "d=other.example");
        let longer = SIGNED.replace("d=news.example", "d=ews.example");
        let failed = RESULTS.replace("dkim=pass", "dkim=fail");
        let foreign = RESULTS.replace("home.example", "evil.example");
        for lines in [
            vec![SIGNED, WAY, POST],
            vec![&failed, SIGNED, WAY, POST],
            vec![&foreign, SIGNED, WAY, POST],
            vec![RESULTS, WAY, POST],
            vec![RESULTS, &only_from, WAY, POST],
            vec![RESULTS, &half, WAY, POST],
            vec![RESULTS, &other, WAY, POST],
            vec![RESULTS, &longer, WAY, POST],
            vec![RESULTS, SIGNED, WAY],
            // A second signature that does not cover it may be the valid one.
            vec![RESULTS, SIGNED, &only_from, WAY, POST],
            // A second line may be the unsigned one.
            vec![RESULTS, SIGNED, "List-Unsubscribe: <https://evil.example/u>", WAY, POST],
            vec![RESULTS, SIGNED, "List-Unsubscribe: <http://news.example/u>", POST],
        ] {
            assert_eq!(one_click_url(&lines), None, "{lines:?}");
        }
        let mail = parse(
            format!("{RESULTS}\r\n{SIGNED}\r\n{WAY}\r\n{POST}\r\nFrom: a@news.example\r\n\r\nx").as_bytes(),
        );
        assert_eq!(one_click(&mail.unwrap(), None), None, "nobody knows the server yet");
    }
}
