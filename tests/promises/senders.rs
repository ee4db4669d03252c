//! I19: From and Reply-To as the world writes them, by accident and on purpose.
//!
//! Each form says what must be shown, whom an answer reaches, and which warnings stand on the card. Results of checks
//! by others (`Authentication-Results`) are not among them: sayso reads none, so a forged one has nothing to change.

use crate::report;
use sayso::mail::compose::reply_recipients;
use sayso::mail::risk::{Risk, RiskContext, risks_of_mail};
use sayso::mail::{Mail, parse};

const QUIET: &[&str] = &[];
const UNUSUAL: &[&str] = &["unusual_header"];
const UNREADABLE: &[&str] = &["unreadable_header"];
const SEVERAL: &[&str] = &["several_senders"];
const NAME: &[&str] = &["name_holds_address"];
const NAME_AND_UNUSUAL: &[&str] = &["unusual_header", "name_holds_address"];
const ELSEWHERE: &[&str] = &["reply_to_differs"];
const ELSEWHERE_AND_UNUSUAL: &[&str] = &["unusual_header", "reply_to_differs"];

/// A From line, the sender as shown, and the warnings. The address shown is the one an answer goes to.
const FROM: &[(&str, &str, &[&str])] = &[
    // Commas and semicolons.
    ("Microsoft account team , <x@evil.example>", "Microsoft account team <x@evil.example>", UNUSUAL),
    ("Smith, Alice <a@b.example>", "Smith, Alice <a@b.example>", UNUSUAL),
    ("Acme, Inc., Billing <a@b.example>", "Acme, Inc., Billing <a@b.example>", UNUSUAL),
    ("Smith, a@b.example", "Smith <a@b.example>", UNUSUAL),
    ("Alice <a@b.example>,", "Alice <a@b.example>", UNUSUAL),
    (", Alice <a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <a@b.example>, Inc.", "Alice <a@b.example>", UNUSUAL),
    ("Alice; <a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <a@b.example>;", "Alice <a@b.example>", UNUSUAL),
    ("\"Smith, Alice\" <a@b.example>", "Smith, Alice <a@b.example>", QUIET),
    ("=?utf-8?Q?Smith=2C_Alice?= <a@b.example>", "Smith, Alice <a@b.example>", QUIET),
    // Several senders.
    ("Alice <a@b.example>, Bob <c@d.example>", "Alice <a@b.example>", SEVERAL),
    ("a@b.example, c@d.example", "a@b.example", SEVERAL),
    ("Alice <a@b.example>; Bob <c@d.example>", "Alice <a@b.example>", SEVERAL),
    ("a@b.example c@d.example", "a@b.example", SEVERAL),
    ("<a@b.example, c@d.example>", "a@b.example", SEVERAL),
    ("Smith, Alice <a@b.example>, Bob <c@d.example>", "Smith, Alice <a@b.example>", SEVERAL),
    ("PayPal <service@paypal.com>, <x@evil.example>", "PayPal <service@paypal.com>", SEVERAL),
    ("service@paypal.com, PayPal <x@evil.example>", "service@paypal.com", SEVERAL),
    ("Alice <a@b.example>\r\nFrom: Bob <c@d.example>", "Alice <a@b.example>", SEVERAL),
    ("Alice <a@b.example>\r\nFrom: Alice <A@B.example>", "Alice <a@b.example>", UNUSUAL),
    ("\r\nFrom: Alice <a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("Alice\r\nFrom: Bob <c@d.example>", "Bob <c@d.example>", UNUSUAL),
    // Names that are none, and names that say another address.
    ("<a@b.example>", "a@b.example", QUIET),
    ("\"\" <a@b.example>", "a@b.example", QUIET),
    ("a@b.example (Alice)", "Alice <a@b.example>", QUIET),
    ("(Alice) a@b.example", "Alice <a@b.example>", QUIET),
    ("Alice (Sales (EU)) <a@b.example>", "Alice (Sales (EU)) <a@b.example>", QUIET),
    ("'Alice' <a@b.example>", "'Alice' <a@b.example>", QUIET),
    ("a@b.example <a@b.example>", "a@b.example <a@b.example>", QUIET),
    ("\"service@paypal.com\" <x@evil.example>", "service@paypal.com <x@evil.example>", NAME),
    ("service@paypal.com <x@evil.example>", "service@paypal.com <x@evil.example>", NAME),
    ("service＠paypal.com <x@evil.example>", "service＠paypal.com <x@evil.example>", NAME),
    (
        "x@evil.example service@paypal.com <x@evil.example>",
        "x@evil.example service@paypal.com <x@evil.example>",
        NAME,
    ),
    (
        "\"PayPal <service@paypal.com>\" <x@evil.example>",
        "PayPal <service@paypal.com> <x@evil.example>",
        NAME,
    ),
    (
        "=?utf-8?Q?Pay_=3Cservice=40paypal.com=3E?= <x@evil.example>",
        "Pay <service@paypal.com> <x@evil.example>",
        NAME,
    ),
    ("Alice <x@evil.example> (service@paypal.com)", "Alice (service@paypal.com) <x@evil.example>", NAME),
    (
        "PayPal <service@paypal.com> <x@evil.example>",
        "PayPal <service@paypal.com> <x@evil.example>",
        NAME_AND_UNUSUAL,
    ),
    ("\"Pay <service@paypal.com>, <x@evil.example>", "Pay <service@paypal.com>", SEVERAL),
    // Brackets.
    ("Alice <<a@b.example>>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <a@b.example", "Alice <a@b.example>", UNUSUAL),
    ("Alice a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <a@b.example>>", "Alice <a@b.example>", UNUSUAL),
    ("Alice a@b.example", "Alice <a@b.example>", UNUSUAL),
    ("Alice [a@b.example]", "Alice <a@b.example>", UNUSUAL),
    ("Alice ＜a@b.example＞", "Alice <a@b.example>", UNUSUAL),
    ("Alice < B <a@b.example>", "Alice B <a@b.example>", UNUSUAL),
    ("Alice <Sales> <a@b.example>", "Alice <Sales> <a@b.example>", UNUSUAL),
    ("<a@b.example> Alice", "Alice <a@b.example>", UNUSUAL),
    ("Alice < a@b.example >", "Alice <a@b.example>", QUIET),
    ("Alice <a @ b.example>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <mailto:a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("mailto:a@b.example", "a@b.example", UNUSUAL),
    ("Alice <'a@b.example'>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <a@b.example.>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <@relay.example:a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("Alice <a@b@c.example>", "Alice <a@b@c.example>", UNUSUAL),
    ("Cron Daemon <root>", "Cron Daemon <root>", UNUSUAL),
    ("root (Cron Daemon)", "Cron Daemon <root>", UNUSUAL),
    ("Alice <a@[192.0.2.7]>", "Alice <a@[192.0.2.7]>", QUIET),
    // Quotes and comments.
    ("\"Alice <a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("Alice\" <a@b.example>", "Alice <a@b.example>", UNUSUAL),
    ("\"Alice <a@b.example>\"", "Alice <a@b.example>", UNUSUAL),
    ("\"a@b.example\"", "a@b.example", UNUSUAL),
    ("\"Alice \\\"Al\\\" Smith\" <a@b.example>", "Alice \"Al\" Smith <a@b.example>", QUIET),
    ("\"Alice \"Al\" Smith\" <a@b.example>", "Alice Al Smith <a@b.example>", QUIET),
    ("\"john doe\"@b.example", "\"john doe\"@b.example", QUIET),
    ("Alice (Sales <a@b.example>", "Alice Sales <a@b.example>", UNUSUAL),
    ("Alice (a@b.example)", "Alice <a@b.example>", UNUSUAL),
    // Encoded words.
    ("=?utf-8?B?QWxpY2UgPGFAYi5leGFtcGxlPg==?=", "Alice <a@b.example>", UNUSUAL),
    ("=?utf-8?Q?Alice?= <=?utf-8?Q?a=40b.example?=>", "Alice <a@b.example>", UNUSUAL),
    ("\"=?utf-8?Q?Alice?=\" <a@b.example>", "Alice <a@b.example>", QUIET),
    ("=?utf-8?Q?Alice?=<a@b.example>", "Alice <a@b.example>", QUIET),
    // Groups and colons.
    ("Team: Alice <a@b.example>;", "Alice <a@b.example>", UNUSUAL),
    ("Team: Alice <a@b.example>, Bob <c@d.example>;", "Alice <a@b.example>", SEVERAL),
    ("Acme: Support <a@b.example>", "Acme: Support <a@b.example>", UNUSUAL),
    // Lines and letters.
    ("\r\n Alice\r\n\t<a@b.example>", "Alice <a@b.example>", QUIET),
    ("Alice\r <a@b.example>", "Alice <a@b.example>", QUIET),
    ("Alice\n <a@b.example>", "Alice <a@b.example>", QUIET),
    ("Alice\0 <a@b.example>", "Alice⟨U+0000⟩ <a@b.example>", QUIET),
    ("\u{202e}ecilA <a@b.example>", "⟨U+202E⟩ecilA <a@b.example>", QUIET),
    ("Jörg <j@münchen.example>", "Jörg <j@xn--mnchen-3ya.example>", &["punycode"]),
    ("Alice <a@pay\u{200b}pal.example>", "Alice <a@pay⟨U+200B⟩pal.example>", UNUSUAL),
    // Nothing that can be read: the raw text is shown.
    ("", "", UNREADABLE),
    ("Alice", "Alice", UNREADABLE),
    ("<>", "<>", UNREADABLE),
    ("\"Alice\" <>", "\"Alice\" <>", UNREADABLE),
    ("Alice <john doe@b.example>", "Alice <john doe@b.example>", UNREADABLE),
    ("Alice <a@b.exa\r\n mple>", "Alice <a@b.exa mple>", UNREADABLE),
    ("Alice <@b.example>", "Alice <@b.example>", UNREADABLE),
    ("a(at)b.example", "a(at)b.example", UNREADABLE),
    ("\"Write to help@bank.example\"", "\"Write to help@bank.example\"", UNREADABLE),
    ("Undisclosed: ;", "Undisclosed: ;", UNREADABLE),
];

/// A Reply-To line of a mail from a@b.example, whom an answer goes to, and the warnings.
const REPLY_TO: &[(&str, &[&str], &[&str])] = &[
    ("Smith, Alice <c@b.example>", &["c@b.example"], UNUSUAL),
    ("Alice , <x@evil.example>", &["x@evil.example"], ELSEWHERE_AND_UNUSUAL),
    ("\"a@b.example\" <x@evil.example>", &["x@evil.example"], ELSEWHERE),
    ("\"Alice <x@evil.example>\"", &["x@evil.example"], ELSEWHERE_AND_UNUSUAL),
    ("c@b.example, d@b.example", &["c@b.example", "d@b.example"], QUIET),
    ("c@b.example; d@b.example", &["c@b.example", "d@b.example"], UNUSUAL),
    ("c@b.example\r\nReply-To: d@b.example", &["c@b.example", "d@b.example"], UNUSUAL),
    ("Team: c@b.example, d@b.example;", &["c@b.example", "d@b.example"], UNUSUAL),
    ("<<c@b.example>>", &["c@b.example"], UNUSUAL),
    ("<mailto:c@b.example>", &["c@b.example"], UNUSUAL),
    ("=?utf-8?Q?<c=40b.example>?=", &["c@b.example"], UNUSUAL),
    // An answer goes to the sender.
    ("", &["a@b.example"], QUIET),
    ("<>", &["a@b.example"], UNREADABLE),
    ("Alice", &["a@b.example"], UNREADABLE),
];

fn mail(from: &str, reply_to: Option<&str>) -> Mail {
    let mut raw = format!("From: {from}\r\nTo: me@home.example\r\nSubject: Hello\r\n");
    if let Some(reply_to) = reply_to {
        raw += &format!("Reply-To: {reply_to}\r\n");
    }
    parse(format!("{raw}\r\nHello").as_bytes()).unwrap()
}

/// The warnings of a mail whose sender is known.
fn risks(mail: &Mail) -> Vec<Risk> {
    let own = ["me@home.example".to_owned()];
    risks_of_mail(mail, &RiskContext { own: &own, ..RiskContext::default() })
}

fn codes(mail: &Mail) -> Vec<&'static str> {
    risks(mail).iter().map(Risk::code).collect()
}

fn answered(mail: &Mail) -> Vec<String> {
    let people = reply_recipients(mail, &["me@home.example".to_owned()]);
    people.to.into_iter().map(|one| one.address).collect()
}

#[test]
fn i19_from_lines() {
    let mut wrong = Vec::new();
    for (line, shown, expected) in FROM {
        let mail = mail(line, None);
        let found = (mail.from.to_string(), codes(&mail));
        if found != ((*shown).to_owned(), expected.to_vec()) {
            wrong.push(format!("{line:?}: {found:?}, not {shown:?} {expected:?}"));
        }
        // What is shown in brackets is whom an answer reaches; where nothing is, nobody is written to.
        let address = (*expected != UNREADABLE).then(|| mail.from.address.clone());
        if answered(&mail) != address.into_iter().collect::<Vec<_>>() {
            wrong.push(format!("{line:?}: an answer goes to {:?}", answered(&mail)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), FROM.len(), wrong.join("\n"));
    // Letters that say no charset, and a mail that has no From at all.
    let raw = parse(b"From: J\xf6rg, Dr. <j@b.example>\r\n\r\nHello").unwrap();
    assert_eq!((raw.from.to_string().as_str(), codes(&raw)), ("Jörg, Dr. <j@b.example>", UNUSUAL.to_vec()));
    let none = parse(b"Subject: Hello\r\n\r\nHello").unwrap();
    assert_eq!((none.from.to_string().as_str(), codes(&none)), ("", UNREADABLE.to_vec()));
    report("I19", "From lines: what is shown, whom an answer reaches, the warnings", FROM.len() + 2);
}

#[test]
fn i19_reply_to_lines() {
    for (line, reached, expected) in REPLY_TO {
        let mail = mail("Alice <a@b.example>", Some(line));
        assert_eq!((answered(&mail), codes(&mail)), (to_vec(reached), expected.to_vec()), "{line:?}");
    }
    // Who cannot be read but says where to answer can be answered.
    let mail = mail("Alice", Some("a@b.example"));
    assert_eq!((answered(&mail), codes(&mail)), (to_vec(&["a@b.example"]), UNREADABLE.to_vec()));
    report("I19", "Reply-To lines: whom an answer reaches, the warnings", REPLY_TO.len() + 1);
}

fn to_vec(list: &[&str]) -> Vec<String> {
    list.iter().map(|one| (*one).to_owned()).collect()
}

#[test]
fn i19_warnings_say_what_stands_there() {
    let mut trials = 0;
    for (line, text) in [
        (
            "Microsoft account team , <x@evil.example>",
            "The From line is unusual: “Microsoft account team , <x@evil.example>”. It was read as x@evil.example.",
        ),
        (
            "Alice <a@b.example>, c@d.example, e@f.example",
            "The mail names several senders: a@b.example, c@d.example, e@f.example. Only the first is shown.",
        ),
        ("Alice", "The From line has no readable address: “Alice”."),
        ("", "The mail does not say who sent it."),
    ] {
        let found = risks(&mail(line, None));
        assert_eq!(found.iter().map(Risk::text).collect::<Vec<_>>(), [text], "{line:?}");
        trials += 1;
    }
    let found = risks(&mail("a@b.example", Some("Alice")));
    let text = "The Reply-To line has no readable address: “Alice”. Your reply goes to the sender.";
    assert_eq!(found.iter().map(Risk::text).collect::<Vec<_>>(), [text]);
    report("I19", "the words of the warnings", trials + 1);
}
