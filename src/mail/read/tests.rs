//! Tests with whole, broken and damaged mails.

use super::*;
use crate::text::Visible;
use proptest::prelude::*;

fn mail(raw: &str) -> Mail {
    parse(raw.replace('\n', "\r\n").as_bytes()).unwrap()
}

#[test]
fn an_ordinary_mail() {
    let mail = mail(
        "Return-Path: <ann@example.com>\nDelivered-To: bob@example.org\nFrom: =?utf-8?Q?Ann_Sm=C3=AFth?= <Ann@EXAMPLE.com>\n\
         To: \"Jones, Bob\" <bob@example.org>, carol@example.org\nCc: Team: dan@example.org, eve@example.org;\n\
         Subject: =?utf-8?B?R3LDvMOfZQ==?=\nDate: Mon, 9 Nov 2026 10:11:12 +0100\nMessage-ID: <m1@example.com>\n\
         In-Reply-To: <m0@example.com>\nReferences: <r@example.com>\n <m0@example.com>\nAuto-Submitted: no\n\nHello\n\n-- \nAnn\n",
    );
    assert_eq!(mail.from.to_string(), "Ann Smïth <Ann@example.com>");
    let all: Vec<String> = mail.recipients().map(ToString::to_string).collect();
    assert_eq!(
        all,
        ["Jones, Bob <bob@example.org>", "carol@example.org", "dan@example.org", "eve@example.org"]
    );
    assert_eq!((mail.subject.as_str(), mail.text.as_str()), ("Grüße", "Hello\n\n-- \nAnn"));
    assert_eq!(mail.date.unwrap().to_string(), "2026-11-09T09:11:12Z");
    assert_eq!(mail.message_id.as_deref(), Some("m1@example.com"));
    assert_eq!(mail.conversation(), Some("r@example.com"));
    assert_eq!(mail.references, ["r@example.com", "m0@example.com"]);
    assert_eq!(mail.delivered_to, ["bob@example.org"]);
    assert_eq!((mail.auto_submitted, mail.list, mail.cut, mail.hidden), (None, None, false, 0));
    assert_eq!(mail.headers[2], ("From".to_owned(), "Ann Smïth <Ann@EXAMPLE.com>".to_owned()));
    assert_eq!(mail.raw.len(), 64);
}

#[test]
fn heads_as_broken_as_they_come() {
    assert_eq!(mail("From x@y Mon Nov 9\nSubject: mbox\n\ntext").subject, "mbox");
    assert_eq!(mail("Subject: no blank line\nand then text\nmore").text, "and then text\nmore");
    assert_eq!(mail("just words\nand more").text, "just words\nand more");
    assert_eq!(mail("Subject: only").text, "");
    assert_eq!(mail("Subject : spaced\n\nx").subject, "spaced");
    assert_eq!(mail("From: Ann\n\nx").from.name, "Ann");
    assert_eq!(mail("From: ann@example.com (Ann)\n\nx").from.address, "ann@example.com");
    assert_eq!(mail("From: <ann@m\u{fc}nchen.example>\n\nx").from.address, "ann@xn--mnchen-3ya.example");
    assert_eq!(
        mail("From: \"boss@bank.example\" <x@evil.example>\n\nx").from.to_string(),
        "boss@bank.example <x@evil.example>"
    );
    assert_eq!(
        mail("From: =?utf-8?Q?a_=3Cb=40bank.example=3E=2C?= <x@evil.example>\n\nx").from.address,
        "x@evil.example"
    );
    assert_eq!(mail("Date: nonsense\nFrom: \n\nx").date, None);
    assert_eq!(mail("Subject: a\u{1b}[31mb\u{202e}c\n\nx\u{7}y").subject, "a⟨U+001B⟩[31mb⟨U+202E⟩c");
    assert_eq!(parse(b"").unwrap_err(), ParseError::Empty);
    assert_eq!(parse(b"\r\n \n").unwrap_err(), ParseError::Empty);
    let raw = parse(b"Subject: caf\xe9\nFrom: J\xf6rg <j@x.example>\n\nx").unwrap();
    assert_eq!((raw.subject.as_str(), raw.from.name.as_str()), ("café", "Jörg"));
    let cyrillic =
        parse(b"Subject: \xf0\xd2\xc9\xd7\xc5\xd4\nContent-Type: text/plain; charset=koi8-r\n\n\xcd\xc9\xd2")
            .unwrap();
    assert_eq!((cyrillic.subject.as_str(), cyrillic.text.as_str()), ("Привет", "мир"));
}

#[test]
fn parts_and_attachments() {
    let raw = "Subject: s\nContent-Type: multipart/mixed; boundary=\"b 1\"\n\nignored\n--b 1\nContent-Type: multipart/alternative; boundary=b2\n\n\
               --b2\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9 =\nnoir\n\
               --b2\nContent-Type: text/html\n\n<p>caf&eacute; <a href='https://evil.example'>https://bank.example</a>\n--b2--\nepilogue\n\
               --b 1\nContent-Type: application/pdf; name*0*=utf-8''Pl%C3; name*1*=%A4n; name*2=.pdf\nContent-Transfer-Encoding: base64\n\nJVBERg==\n\
               --b 1\nContent-Disposition: attachment; filename=\"..\\\\..\\\\=?utf-8?B?csOpc3Vtw6kuZG9j?=\"\nContent-Type: text/plain\n\nwords\n--b 1--\n";
    let mail = mail(raw);
    assert_eq!(mail.text, "café noir");
    assert_eq!(mail.links.len(), 1);
    let names: Vec<_> =
        mail.attachments.iter().map(|part| (part.name.as_str(), part.kind.as_str(), part.bytes)).collect();
    assert_eq!(names, [("Plän.pdf", "application/pdf", 4), ("résumé.doc", "text/plain", 5)]);
    let raw = raw.replace('\n', "\r\n");
    assert_eq!(attachment(raw.as_bytes(), &mail.attachments[0].digest).as_deref(), Some(&b"%PDF"[..]));
    assert_eq!(attachment(raw.as_bytes(), &mail.attachments[1].digest).as_deref(), Some(&b"words"[..]));
    assert_eq!(attachment(raw.as_bytes(), "00"), None);
}

#[test]
fn html_where_the_plain_text_says_nothing() {
    const NEWS: &str = "The real news of this week, at length: everything is well, and more of it will come next week, as always.";
    let alternative = |plain: &str| {
        format!(
            "Content-Type: multipart/alternative; boundary=b\n\n--b\n\n{plain}\n--b\nContent-Type: text/html\n\n<p>{NEWS}<i style=display:none>x</i></p>\n--b--\n"
        )
    };
    for stub in ["", " \n", "Your mail client cannot show HTML.\nView it elsewhere."] {
        let mail = mail(&alternative(stub));
        assert_eq!((mail.text.as_str(), mail.hidden), (NEWS, 1), "{stub:?}");
    }
    assert_eq!(mail(&alternative("The real news, in plain words.")).text, "The real news, in plain words.");
    assert_eq!(mail("Content-Type: text/html\n\n<p>only</p>").text, "only");
    assert_eq!(mail("Subject: x\n\n<html><body>mislabelled</body></html>").text, "mislabelled");
}

#[test]
fn hidden_text_is_kept_wherever_it_stands() {
    let html = |text: &str| format!("Content-Type: text/html\n\n{text}\n");
    let (first, second) = ("<i hidden>first</i>", "<i hidden>second</i>");
    let parts = |kind: &str, one: &str, other: &str| {
        mail(&format!("Content-Type: multipart/{kind}; boundary=b\n\n--b\n{one}--b\n{other}--b--\n"))
    };
    for kind in ["mixed", "related", "alternative"] {
        let beside = parts(kind, "\nseen\n", &html(first));
        assert_eq!((beside.text.as_str(), beside.unseen.as_str()), ("seen", "first"), "{kind}");
        let both = parts(kind, &html(first), &html(second));
        assert_eq!((both.text.as_str(), both.hidden), ("", 2), "{kind}");
        assert!(both.unseen.contains("first") && both.unseen.contains("second"), "{kind}: {}", both.unseen);
    }
    let partly = parts("related", &html(&format!("seen{first}")), &html(&format!("too{second}")));
    assert_eq!((partly.text.as_str(), partly.hidden), ("seen\n\ntoo", 2));
    assert!(partly.unseen.contains("first") && partly.unseen.contains("second"), "{}", partly.unseen);
}

#[test]
fn forwards_stand_below_with_their_heads() {
    let inner = "From: Carol <carol@example.net>\nSubject: inner\nDate: Mon, 9 Nov 2026 10:11:12 +0000\nContent-Type: multipart/mixed; boundary=i\n\n--i\n\nthe news\n--i\nContent-Type: message/rfc822\n\nSubject: innermost\n\ndeep\n--i--\n";
    let mail = mail(&format!(
        "Subject: fwd\nContent-Type: multipart/mixed; boundary=o\n\n--o\n\nlook\n--o\nContent-Type: message/rfc822\nContent-Disposition: attachment; filename=x.eml\n\n{inner}--o--\n"
    ));
    let expected = "look\n\n---------- Forwarded message ----------\nFrom: Carol <carol@example.net>\nDate: Mon, 9 Nov 2026 10:11:12 +0000\nSubject: inner\n\nthe news\n\n---------- Forwarded message ----------\nSubject: innermost\n\ndeep";
    assert_eq!(mail.text, expected);
    assert_eq!(mail.subject, "fwd");
    assert_eq!((mail.attachments.len(), mail.attachments[0].name.as_str()), (1, "x.eml"));
    let digest = "Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: one\n\nfirst\n--d\n\nSubject: two\n\nsecond\n--d--\n";
    assert!(self::mail(digest).text.contains("Subject: two\n\nsecond"));
}

#[test]
fn calendars_and_lists() {
    let ics = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nUID:1\nEND:VEVENT\nEND:VCALENDAR";
    let invited = mail(&format!(
        "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nCome?\n--b\nContent-Type: text/calendar; method=request; charset=utf-8\n\n{ics}\n--b--\n"
    ));
    let invitation = invited.invitation.unwrap();
    assert_eq!((invitation.method.as_str(), invited.text.as_str()), ("REQUEST", "Come?"));
    assert!(invitation.text.starts_with("BEGIN:VCALENDAR\nMETHOD"));
    // It is data: only what no calendar may hold is left out.
    let odd = format!(
        "Content-Type: text/calendar; charset=utf-8\n\n{}",
        ics.replace("UID:1", "UID:1\u{200b}2\x1b")
    );
    assert!(mail(&odd).invitation.unwrap().text.contains("UID:1\u{200b}2\n"));
    let bare = mail(&format!("Content-Type: text/calendar\n\n{ics}"));
    assert_eq!(bare.invitation.unwrap().method, "REQUEST");
    let listed = mail(
        "List-Id: The list <dev.lists.example.org>\nList-Post: <mailto:dev@lists.example.org>\nList-Unsubscribe: <mailto:leave@lists.example.org?subject=leave%20now>, <https://lists.example.org/u?x=1>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\nPrecedence: bulk\n\nx",
    );
    let list = listed.list.unwrap();
    assert_eq!(
        (list.id.as_deref(), list.post.as_deref()),
        (Some("dev.lists.example.org"), Some("dev@lists.example.org"))
    );
    assert_eq!(
        list.unsubscribe[0],
        crate::mail::Unsubscribe::OneClick { url: "https://lists.example.org/u?x=1".to_owned() }
    );
    assert_eq!(
        list.unsubscribe[1],
        crate::mail::Unsubscribe::Mail {
            to: "leave@lists.example.org".to_owned(),
            subject: "leave now".to_owned(),
            body: String::new()
        }
    );
    assert_eq!(listed.precedence.as_deref(), Some("bulk"));
    let hidden = mail("List-Unsubscribe: <mailto:a@b.example?subject=x%E2%80%8By&body=1%0A2>\n\nx");
    let expected = crate::mail::Unsubscribe::Mail {
        to: "a@b.example".to_owned(),
        subject: "x\u{200b}y".to_owned(),
        body: "1\n2".to_owned(),
    };
    assert_eq!(hidden.list.unwrap().unsubscribe, [expected]);
}

#[test]
fn the_same_mail_is_the_same_however_it_is_kept() {
    let one = parse(b"Received: a\r\nMessage-ID: <1@x>\r\nFrom: a@x.example\r\n\r\nhi\r\nthere\r\n").unwrap();
    let two = parse(b"Received: b\nMessage-ID: <1@x>\nFrom: A@X.example\n\nhi\nthere").unwrap();
    assert_ne!(one.raw, two.raw);
    assert_eq!(identity("work", &one), identity("work", &two));
    assert_ne!(identity("work", &one), identity("home", &one));
    let other = parse(b"Message-ID: <1@x>\nFrom: a@x.example\n\nhi\nyou").unwrap();
    assert_ne!(identity("work", &one), identity("work", &other));
}

/// Mails in all common shapes, to be damaged.
const SHAPES: &[&str] = &[
    "From: =?utf-8?Q?Ann?= <a@x.example>\nTo: b@x.example, \"C, D\" <c@x.example>\nSubject: =?koi8-r?B?8NLJ18XU?=\nDate: Mon, 9 Nov 2026 10:11:12 +0100\nMessage-ID: <1@x.example>\nReferences: <0@x.example>\n\nHello\n> quoted\n",
    "Content-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<p style=3D\"display:none\">x</p><a href=3Dhttp://x.example>y</a>\n--b\nContent-Type: application/x; name*=utf-8''%C3%A9.exe\nContent-Transfer-Encoding: base64\n\nAAECAwQ=\n--b\nContent-Type: message/rfc822\n\nSubject: in\n\nner\n--b--\n",
    "Content-Type: text/plain; charset=utf-7; format=flowed; delsp=yes\nList-Unsubscribe: <mailto:a@b.example?subject=%41>\n\n+ZYeB9FH6ckh5Pg- \n-- \nx",
    "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nplain\n--b\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR\n--b--",
];

/// All texts of a mail.
fn texts(mail: &Mail) -> Vec<&str> {
    let mut all = vec![mail.subject.as_str(), &mail.text, &mail.from.name, &mail.from.address];
    for address in mail.recipients().chain(&mail.bcc).chain(&mail.reply_to).chain(&mail.sender) {
        all.extend([address.name.as_str(), &address.address]);
    }
    all.extend(mail.headers.iter().flat_map(|(name, value)| [name.as_str(), value]));
    all.extend(mail.links.iter().flat_map(|link| [link.text.as_str(), &link.target]));
    all.extend(mail.attachments.iter().flat_map(|part| [part.name.as_str(), &part.kind]));
    all.extend(mail.invitation.iter().flat_map(|part| [part.method.as_str()]));
    all.extend(mail.message_id.iter().chain(&mail.in_reply_to).chain(&mail.references).map(String::as_str));
    all.extend(
        mail.delivered_to.iter().chain(&mail.auto_submitted).chain(&mail.precedence).map(String::as_str),
    );
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn damaged_mail_is_read_or_refused(
        shape in 0..SHAPES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(&b"\r\n-=?<>\"\x1b\0:;,@ \xe9\xff"[..])], 0_u8..3), 0..12),
        cut in any::<prop::sample::Index>(),
        whole in any::<bool>(),
    ) {
        let mut raw = SHAPES[shape].as_bytes().to_vec();
        for (at, byte, how) in edits {
            let at = at.index(raw.len());
            match how {
                0 => raw[at] = byte,
                1 => raw.insert(at, byte),
                _ => { raw.remove(at); }
            }
        }
        if !whole {
            raw.truncate(cut.index(raw.len()));
        }
        if let Ok(mail) = parse(&raw) {
            for text in texts(&mail) {
                prop_assert!(Visible::new(text) == text, "{:?}", text);
                prop_assert!(text.len() <= raw.len() * 16 + 256);
            }
            prop_assert_eq!(&mail, &parse(&raw).unwrap());
            for part in &mail.attachments {
                prop_assert_eq!(attachment(&raw, &part.digest).map(|content| content.len() as u64), Some(part.bytes));
            }
            let pieces: String = crate::mail::pieces(&mail.text).into_iter().map(|piece| piece.text).collect();
            prop_assert_eq!(&pieces, &mail.text);
        }
    }

    #[test]
    fn no_bytes_panic(raw in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&raw);
    }
}

#[test]
fn an_encoded_address_keeps_no_brackets() {
    let mail = parse(b"From: a@x.example\nReply-To: =?utf-8?Q?<bob=40x.example>?=\n\nHi").unwrap();
    assert_eq!(mail.reply_to, [crate::mail::Address::bare("bob@x.example")]);
}
