//! What Microsoft's servers found out about a mail. They sign their findings with no name, so we go by the newest
//! `Received`: the mailbox's own server wrote it, and no sender can write above it.

use crate::mail::Mail;

/// The name under which Microsoft counts as a mailbox's server. No line can claim it: it is no host.
pub(super) const MICROSOFT: &str = "Microsoft";

/// From this spam confidence level on, Microsoft takes a mail for spam.
const SPAM: i8 = 5;

/// Hosts of Microsoft's mail service.
const HOSTS: [&str; 3] = [".outlook.com", ".office365.com", ".exchangelabs.com"];
/// Hosts at which mail from outside enters it.
const ENTRANCE: &str = ".mail.protection.outlook.com";

/// Whether the mail lies in one of Microsoft's mailboxes.
pub(super) fn has_mailbox(mail: &Mail) -> bool {
    mail.headers_named("received").next().is_some_and(is_by_microsoft)
}

/// What Microsoft found out about the sender: the topmost line, if it was written after the mail came in from outside.
pub(super) fn results(mail: &Mail) -> Option<&str> {
    let mut entered = !has_mailbox(mail);
    for (name, value) in &mail.headers {
        if entered {
            return None;
        }
        if name.eq_ignore_ascii_case("authentication-results") {
            let first = value.split(';').next().unwrap_or_default();
            return first.contains('=').then_some(value);
        }
        if name.eq_ignore_ascii_case("received") {
            entered = !is_by_microsoft(value) || by(value).ends_with(ENTRANCE);
        }
    }
    None
}

/// Whether Microsoft's filter calls the mail spam.
pub(super) fn calls_spam(mail: &Mail) -> bool {
    let level = |text: &str| text.trim().parse::<i8>().ok();
    let reports = mail.headers_named("x-forefront-antispam-report").flat_map(|report| report.split(';'));
    let reported = reports.filter_map(|part| level(part.trim().strip_prefix("SCL:")?));
    let marked = mail.headers_named("x-ms-exchange-organization-scl").filter_map(level);
    has_mailbox(mail) && reported.chain(marked).any(|level| level >= SPAM)
}

fn is_by_microsoft(received: &str) -> bool {
    HOSTS.iter().any(|host| by(received).ends_with(host))
}

/// The host that wrote a `Received`, in lower case; empty if that is not clear. A sender chooses some of its words (the
/// name in HELO), so there must be just one `by` outside of comments.
fn by(received: &str) -> String {
    let (mut plain, mut depth) = (String::new(), 0_i32);
    for c in received.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
        if depth < 0 {
            return String::new();
        }
    }
    let mut words = plain.split_whitespace();
    let host = words.by_ref().skip_while(|word| !word.eq_ignore_ascii_case("by")).nth(1);
    let is_clear = depth == 0 && !words.any(|word| word.eq_ignore_ascii_case("by"));
    host.filter(|_| is_clear).unwrap_or_default().trim_end_matches(';').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::parse;

    const INNER: &str =
        "Received: from AB1.namprd19.prod.outlook.com (::1) by CD2.namprd19.prod.outlook.com with HTTPS\r\n";
    const OUTER: &str = "Received: from evil.example (192.0.2.7) by EF3.mail.protection.outlook.com (10.1.2.3) with Microsoft SMTP\r\n";
    const FAILED: &str = "Authentication-Results: spf=fail (sender IP is 192.0.2.7) smtp.mailfrom=bank.example; dkim=none; dmarc=fail action=none header.from=bank.example\r\n";
    const FORGED: &str = "Authentication-Results: spf=pass smtp.mailfrom=bank.example; dmarc=pass header.from=bank.example\r\n";

    fn mail(lines: &[&str]) -> Mail {
        parse(format!("{}From: a@bank.example\r\nSubject: x\r\n\r\nHello", lines.concat()).as_bytes())
            .unwrap()
    }

    #[test]
    fn only_lines_above_the_entrance_are_microsofts() {
        let read = |lines: &[&str]| results(&mail(lines)).map(|line| line.contains("dmarc=fail"));
        assert_eq!(read(&[INNER, FAILED, OUTER]), Some(true));
        assert_eq!(read(&[INNER, FAILED, OUTER, FORGED]), Some(true));
        assert_eq!(read(&[INNER, OUTER, FORGED]), None);
        let elsewhere = "Received: from x.prod.outlook.com by mx.home.example\r\n";
        assert_eq!(read(&[elsewhere, FORGED]), None);
        assert_eq!(read(&[elsewhere, INNER, FAILED, OUTER]), None, "another server took it in later");
        for forged in [
            "from x by a.prod.outlook.com (192.0.2.7) by mx.home.example",
            "from x) by a.prod.outlook.com ( (192.0.2.7) by mx.home.example",
            "from h (helo=x) by a.prod.outlook.com (y) BY mx.home.example",
        ] {
            assert_eq!(read(&[&format!("Received: {forged}\r\n"), FORGED]), None, "{forged}");
        }
        assert_eq!(read(&[FORGED]), None);
        let named = "Authentication-Results: mx.evil.example; dmarc=pass\r\n";
        assert_eq!(read(&[INNER, named, OUTER]), None);
    }

    #[test]
    fn a_spam_level_counts_in_microsofts_own_mailboxes_only() {
        let report = "X-Forefront-Antispam-Report: CIP:192.0.2.7;CTRY:US;SCL:5;SFV:SPM;\r\n";
        let clean = "X-Forefront-Antispam-Report: CIP:192.0.2.7;SCL:-1;SFV:SKN;\r\n";
        let marked = "X-MS-Exchange-Organization-SCL: 9\r\n";
        assert!(calls_spam(&mail(&[INNER, OUTER, report])));
        assert!(calls_spam(&mail(&[INNER, OUTER, marked])));
        assert!(calls_spam(&mail(&[INNER, OUTER, clean, marked])));
        assert!(!calls_spam(&mail(&[INNER, OUTER, clean])));
        assert!(!calls_spam(&mail(&[report, marked])));
        assert!(!calls_spam(&mail(&["Received: by mx.home.example\r\n", INNER, report, marked])));
    }
}
