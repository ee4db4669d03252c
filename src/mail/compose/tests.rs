//! Tests composing by reading the result with somebody else's parser.

use super::*;
use crate::mail::ListInfo;
use mail_parser::{MessageParser, MimeHeaders};
use proptest::prelude::*;

fn date() -> Zoned {
    "2026-03-09T14:05:00+01:00[Europe/Berlin]".parse().unwrap()
}

fn draft() -> Draft {
    Draft {
        from: Address { name: "Ann Lee".to_owned(), address: "ann@example.org".to_owned() },
        to: vec![Address::bare("bob@example.com")],
        subject: "Lunch".to_owned(),
        content: "At noon?\n".to_owned(),
        ..Draft::default()
    }
}

fn composed(draft: &Draft) -> String {
    String::from_utf8(compose(draft, "t1/call1", &date()).unwrap()).unwrap()
}

#[test]
fn a_plain_mail_is_plain() {
    let expected = "From: \"Ann Lee\" <ann@example.org>\r\nTo: <bob@example.com>\r\nSubject: Lunch\r\n\
        Date: Mon, 9 Mar 2026 14:05:00 +0100\r\n\
        Message-ID: <ID@example.org>\r\nMIME-Version: 1.0\r\n\
        Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\nAt noon?\r\n";
    let id = message_id("t1/call1", "ann@example.org");
    assert_eq!(composed(&draft()), expected.replace("ID@example.org", &id));
    assert!(id.ends_with(".sayso@example.org"));
    assert_ne!(id, message_id("t1/call2", "ann@example.org"));
}

#[test]
fn nothing_injects_a_header() {
    let evil = "x\r\nBcc: eve@example.net\r\n\r\nbody\n\u{85}\u{b}Bcc: eve@example.net";
    let mut draft = draft();
    draft.from.name = evil.to_owned();
    draft.to = vec![Address { name: evil.to_owned(), address: "bob@example.com".to_owned() }];
    draft.subject = evil.to_owned();
    draft.in_reply_to = Some(evil.to_owned());
    draft.references = vec![evil.to_owned(), "fine@x".to_owned(), "<a>\r\nBcc: e@x".to_owned()];
    draft.attachments = vec![File { name: evil.to_owned(), bytes: vec![] }];
    draft.calendar = Some(Invitation { method: evil.to_owned(), text: "BEGIN:VCALENDAR".to_owned() });
    let text = composed(&draft);
    assert!(!text.lines().any(|line| line.to_ascii_lowercase().starts_with("bcc")), "{text}");
    let parsed = MessageParser::new().parse(text.as_bytes()).unwrap();
    assert!(parsed.bcc().is_none());
    assert_eq!(parsed.attachment_count(), 2, "the file and the invitation");
    assert!(text.contains("References: <fine@x>\r\n") && !text.contains("In-Reply-To"), "{text}");
    for bad in ["a@b\r\nBcc: e@x", "a b@c", "a@b, c@d", "<a@b>", "a", "@b", "a@", "ä@b.de", "a..b@c", "a@b c"]
    {
        draft.to = vec![Address::bare(bad)];
        let error = compose(&draft, "s", &date()).unwrap_err().to_string();
        assert!(error.contains("not an address") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn what_would_be_read_as_other_words_is_refused() {
    let looks_encoded = "Is =?utf-8?Q?=59es?= a charset".to_owned();
    let subject = Draft { subject: looks_encoded.clone(), ..draft() };
    assert_eq!(compose(&subject, "s", &date()), Err(ComposeError::LooksEncoded(looks_encoded.clone())));
    let name = Address { name: looks_encoded, address: "bob@example.com".to_owned() };
    let raw = compose(&Draft { to: vec![name], ..draft() }, "s", &date()).unwrap();
    let mail = MessageParser::new().parse(&raw).unwrap();
    assert_eq!(mail.to().unwrap().first().unwrap().name(), Some("Is = ?utf-8?Q?=59es?= a charset"));
    assert_eq!(reply_subject("Is =?x a charset"), "Re: Is = ?x a charset");
}

#[test]
fn a_domain_goes_out_in_ascii() {
    let mut draft = draft();
    draft.to = vec![Address { name: "Jürgen".to_owned(), address: "j@Müller.example".to_owned() }];
    let text = composed(&draft);
    assert!(text.contains("To: =?utf-8?Q?J=C3=BCrgen?= <j@xn--mller-kva.example>\r\n"), "{text}");
}

#[test]
fn what_people_type_as_a_recipient_is_read() {
    let read = |typed: &str| typed.parse::<Recipient>().map(|r| (r.0.name, r.0.address));
    let pair = |name: &str, address: &str| Ok((name.to_owned(), address.to_owned()));
    assert_eq!(read(" ann@example.org "), pair("", "ann@example.org"));
    assert_eq!(read("Ann Lee <ann@Example.ORG>"), pair("Ann Lee", "ann@example.org"));
    assert_eq!(read("\"Lee, \\\"A\\\"\" <a@b.c>"), pair("Lee, \"A\"", "a@b.c"));
    assert_eq!(read("a@[127.0.0.1]"), pair("", "a@[127.0.0.1]"));
    assert!(read("Ann Lee").is_err() && read("Ann <ann>").is_err() && read("").is_err());
}

#[test]
fn texts_get_the_encoding_that_suits_them() {
    let encoding = |content: &str| {
        let text = composed(&Draft { content: content.to_owned(), ..draft() });
        let parsed = MessageParser::new().parse(text.as_bytes()).unwrap();
        let back = parsed.body_text(0).unwrap().replace("\r\n", "\n");
        assert_eq!(back.strip_suffix('\n').unwrap(), content.strip_suffix('\n').unwrap_or(content));
        let line = text.lines().find(|line| line.starts_with("Content-Transfer-Encoding")).unwrap();
        line.rsplit_once(' ').unwrap().1.to_owned()
    };
    assert_eq!(encoding("short\n\nAnn"), "7bit");
    assert_eq!(encoding("short\n\n-- \nAnn"), "quoted-printable");
    assert_eq!(encoding(&"long ".repeat(50)), "quoted-printable");
    assert_eq!(encoding("Grüße\naus Köln, und viel anderes mehr noch"), "quoted-printable");
    assert_eq!(encoding("От кого это пришло"), "base64");
    assert_eq!(encoding("trailing \t\nnext"), "quoted-printable");
    assert_eq!(encoding("see\nFrom here on"), "base64");
    assert_eq!(encoding("see\n.\nhere"), "base64");
    assert_eq!(encoding("bell \u{7}"), "base64");
}

#[test]
fn an_invitation_has_the_shape_calendars_look_for() {
    let text = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n".to_owned();
    let calendar = Some(Invitation { method: "REQUEST".to_owned(), text: text.clone() });
    let file = File { name: "plan.pdf".to_owned(), bytes: vec![0; 200] };
    let alone = composed(&Draft { calendar: calendar.clone(), ..draft() });
    assert!(alone.contains("Content-Type: multipart/alternative;\r\n boundary=\"=_"), "{alone}");
    assert!(alone.contains("Content-Type: text/calendar; charset=utf-8; method=REQUEST\r\n"), "{alone}");
    let with = composed(&Draft { calendar, attachments: vec![file], ..draft() });
    assert!(with.contains("Content-Type: multipart/mixed;") && with.contains("multipart/alternative"));
    let parsed = MessageParser::new().parse(with.as_bytes()).unwrap();
    let part = parsed.parts.iter().find(|part| part.is_content_type("text", "calendar")).unwrap();
    assert_eq!(part.text_contents().unwrap().trim_end(), text.trim_end());
    assert_eq!(part.content_type().unwrap().attribute("method"), Some("REQUEST"));
}

#[test]
fn a_file_goes_out_unchanged_with_the_type_its_name_suggests() {
    for (name, kind) in [
        ("plan.pdf", "application/pdf"),
        ("Photo.JPG", "image/jpeg"),
        ("sums.csv", "text/csv"),
        ("notes.txt", "text/plain"),
        ("page.html", "text/html"),
        ("old.eml", "application/octet-stream"),
        ("plan.pdf\r\nBcc: e@x", "application/octet-stream"),
        ("Makefile", "application/octet-stream"),
    ] {
        // No character set: these bytes are Latin-1, with the line ends of three systems.
        let bytes = b"From x\r\nGr\xfc\xdfe\n.\r".to_vec();
        let file = File { name: name.to_owned(), bytes: bytes.clone() };
        let raw = compose(&Draft { attachments: vec![file], ..draft() }, "s", &date()).unwrap();
        let text = String::from_utf8(raw.clone()).unwrap();
        assert!(text.contains(&format!("Content-Type: {kind}\r\n")), "{text}");
        let mail = crate::mail::parse(&raw).unwrap();
        assert_eq!(mail.attachments.len(), 1, "{name}");
        assert_eq!(mail.attachments[0].kind, kind, "{name}");
        assert_eq!(crate::mail::attachment(&raw, &mail.attachments[0].digest), Some(bytes), "{name}");
    }
}

#[test]
fn a_subject_is_answered_with_one_re() {
    for (subject, answer) in [
        ("Lunch", "Re: Lunch"),
        ("Re: Lunch", "Re: Lunch"),
        ("AW: Re: SV:Antw: Lunch", "Re: Lunch"),
        ("re[2]: RE (3): Lunch", "Re: Lunch"),
        ("Fwd: Re: Lunch", "Re: Fwd: Re: Lunch"),
        ("Reply: x", "Re: Reply: x"),
        ("回复：午餐", "Re: 午餐"),
        ("re[ü: x", "Re: re[ü: x"),
        ("", "Re:"),
    ] {
        assert_eq!(reply_subject(subject), answer);
        assert_eq!(reply_subject(answer), answer, "once is enough");
    }
}

#[test]
fn those_an_answer_leaves_out_are_named() {
    let to = |addresses: &[&str]| addresses.iter().map(|a| Address::bare(a)).collect::<Vec<_>>();
    let mail = Mail {
        from: Address::bare("bob@example.com"),
        to: to(&["ann@example.org", "carl@example.com"]),
        cc: to(&["dora@example.com", "ANN@example.org"]),
        list: Some(ListInfo { post: Some("team@lists.example".to_owned()), ..ListInfo::default() }),
        ..Mail::default()
    };
    let own = ["ann@example.org".to_owned()];
    let left_out =
        reply_all_left_out(&mail, &own, &["BOB@example.com".to_owned()], &["dora@example.com".to_owned()]);
    assert_eq!(left_out, to(&["carl@example.com", "team@lists.example"]));
}

fn name() -> impl Strategy<Value = String> {
    let name = prop_oneof!["\\PC{0,90}", "[a-zA-Z0-9 .,\"\\\\()<>@=?_'-]{0,150}", "[ü-žа-я漢字🦀 ]{0,60}"];
    name.prop_map(|name| name.replace("=?", ""))
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn what_is_composed_reads_back(
        subject in name(), names in prop::collection::vec(name(), 1..6), content in "(\\PC|[\n\t\r\u{0}]){0,400}",
        file in name(), bytes in prop::collection::vec(any::<u8>(), 0..300), seed in any::<u64>(),
        references in prop::collection::vec("[a-z0-9.]{1,80}@[a-z]{1,20}", 0..30),
    ) {
        let address = |(n, name): (usize, &String)| Address { name: name.clone(), address: format!("a{n}@b.example") };
        let to: Vec<Address> = names.iter().enumerate().map(address).collect();
        let draft = Draft {
            to, bcc: vec![Address::bare("hidden@b.example")], subject: subject.clone(), content: content.clone(),
            attachments: vec![File { name: format!("{file}.zip"), bytes: bytes.clone() }],
            references: references.clone(), ..draft()
        };
        let raw = compose(&draft, &seed.to_string(), &date()).unwrap();
        prop_assert_eq!(&raw, &compose(&draft, &seed.to_string(), &date()).unwrap());
        prop_assert!(raw.is_ascii());
        for line in raw.split(|b| *b == b'\n') {
            let line_text = String::from_utf8_lossy(line);
            // One long word can't be folded, and may have the name of its field before it.
            let is_one_word = line_text.split_whitespace().count() <= 2;
            prop_assert!(line.len() <= 79 || is_one_word, "{line_text}");
            prop_assert!(line.is_empty() || line.ends_with(b"\r"));
        }
        let mail = MessageParser::new().parse(&raw).unwrap();
        let trimmed = field::subject(&subject).unwrap();
        prop_assert_eq!(mail.subject().unwrap_or_default(), trimmed.as_str());
        let read: Vec<_> = mail.to().unwrap().iter().collect();
        prop_assert_eq!(read.len(), names.len());
        for (at, (read, name)) in read.iter().zip(&names).enumerate() {
            let expected = format!("a{at}@b.example");
            prop_assert_eq!(read.address().unwrap(), expected.as_str());
            let expected = one_spaced(&field::one_line(name));
            prop_assert_eq!(read.name().unwrap_or_default(), expected.as_str());
        }
        prop_assert_eq!(mail.bcc().unwrap().first().unwrap().address().unwrap(), "hidden@b.example");
        let id = message_id(&seed.to_string(), "ann@example.org");
        prop_assert_eq!(mail.message_id().unwrap(), id.as_str());
        let content = content.replace("\r\n", "\n").replace('\r', "\n");
        let back = mail.body_text(0).unwrap().replace("\r\n", "\n");
        prop_assert_eq!(back.trim_end_matches('\n'), content.trim_end_matches('\n'));
        let part = mail.attachment(0).unwrap();
        prop_assert_eq!(part.contents(), bytes.as_slice());
        let chain = mail.references().as_text_list().map(|list| list.len()).unwrap_or_default();
        prop_assert_eq!(chain, references.len());
    }

    #[test]
    fn a_file_name_reads_back(name in "[a-zA-Z0-9 .,\"()ü漢🦀%'*-]{1,120}") {
        let file = File { name: name.clone(), bytes: vec![1] };
        let raw = compose(&Draft { attachments: vec![file], ..draft() }, "s", &date()).unwrap();
        let mail = MessageParser::new().parse(&raw).unwrap();
        let trimmed = name.trim();
        let expected = if trimmed.is_empty() { "file" } else { trimmed };
        prop_assert_eq!(mail.attachment(0).unwrap().attachment_name().unwrap(), expected);
    }
}
