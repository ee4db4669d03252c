//! M12, M13 and I06: mail of every kind is shown or refused, in bounded time, and nothing in it is hidden.

use crate::report;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use sayso::mail::{Mail, parse};
use sayso::text::Visible;
use std::cell::Cell;
use std::fmt::Write as _;

/// The same few words in every character set mail is written in: label, bytes, text.
const SETS: &[(&str, &[u8], &str)] = &[
    ("us-ascii", b"plain words", "plain words"),
    ("utf-8", "Zażółć gęślą jaźń".as_bytes(), "Zażółć gęślą jaźń"),
    ("utf-7", b"+ZYeB9FH6ckh5Pg-, 1980.", "文致出版社, 1980."),
    ("iso-8859-1", b"\xe1\xe9\xed\xf3\xfa", "áéíóú"),
    ("iso-8859-2", b"\xbf\xf3\xb3\xe6", "żółć"),
    ("iso-8859-5", b"\xbf\xe0\xd8\xd2\xd5\xe2, \xdc\xd8\xe0", "Привет, мир"),
    ("iso-8859-6", b"\xe5\xd1\xcd\xc8\xc7", "مرحبا"),
    ("iso-8859-7", b"\xc3\xe5\xe9\xdc", "Γειά"),
    ("iso-8859-8", b"\xf9\xec\xe5\xed", "שלום"),
    ("iso-8859-9", b"\xfe\xfd\xf0", "şığ"),
    ("iso-8859-15", b"5 \xa4", "5 €"),
    ("windows-1250", b"sla\x9a\xe8i\xe8arno", "slaščičarno"),
    ("windows-1251", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"),
    ("windows-1252", b"\x93quoted\x94 \x80", "“quoted” €"),
    ("windows-1253", b"\xca\xf9\xe4\xe9\xea\xef\xdf", "Κωδικοί"),
    ("windows-1254", b"Kebab\xfdm\xfd", "Kebabımı"),
    ("windows-1255", b"\xf9\xec\xe5\xed", "שלום"),
    ("windows-1256", b"\xe3\xd1\xcd\xc8\xc7", "مرحبا"),
    ("windows-1257", b"h\xf5ljuk t\xe4is", "hõljuk täis"),
    ("koi8-r", b"\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"),
    ("koi8-u", b"\xf0\xd2\xc9\xd7\xa6\xd4", "Привіт"),
    ("ibm866", b"\x8f\xe0\xa8\xa2\xa5\xe2", "Привет"),
    ("macintosh", b"\x87\x8e\x92\x97\x9c", "áéíóú"),
    ("shift_jis", b"\x83n\x83\x8D\x81[\x81E\x83\x8F\x81[\x83\x8B\x83h", "ハロー・ワールド"),
    ("euc-jp", b"\xa5\xcf\xa5\xed\xa1\xbc\xa5\xef\xa1\xbc\xa5\xeb\xa5\xc9", "ハローワールド"),
    ("iso-2022-jp", b"\x1b$B%O%m!<!&%o!<%k%I\x1b(B", "ハロー・ワールド"),
    ("gb18030", b"\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7", "你好，世界"),
    ("gbk", b"\xc4\xe3\xba\xc3", "你好"),
    ("gb2312", b"\xc4\xe3\xba\xc3", "你好"),
    ("big5", b"\xa7A\xa6n\xa1A\xa5@\xac\xc9", "你好，世界"),
    ("euc-kr", b"\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4", "안녕하세요"),
    ("tis-620", b"\xc3\xcb\xd1\xca", "รหัส"),
    // Labels that are not true.
    ("utf-8", b"caf\xe9 noir", "café noir"),
    ("us-ascii", b"na\xefve \x96 yes", "naïve – yes"),
    ("iso-8859-1", "naïve ☕".as_bytes(), "naïve ☕"),
    ("koi8-r", "Привет".as_bytes(), "Привет"),
    ("gb2312", "你好吗".as_bytes(), "你好吗"),
    ("x-no-such-set", b"caf\xe9", "café"),
];

fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

fn quoted(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(*byte));
        } else {
            write!(out, "={byte:02X}").unwrap();
        }
        out
    })
}

/// The subject in one of the ways subjects are written.
fn subject(way: usize, label: &str, bytes: &[u8]) -> Vec<u8> {
    match way {
        0 => format!("=?{label}?B?{}?=", base64(bytes)).into_bytes(),
        1 => format!("=?{label}?q?{}?=", quoted(bytes)).into_bytes(),
        // Split anywhere, characters too.
        _ => {
            let (one, two) = bytes.split_at(bytes.len() / 2);
            format!("=?{label}?Q?{}?=\r\n =?{label}?Q?{}?=", quoted(one), quoted(two)).into_bytes()
        }
    }
}

/// A part in one of the transfer encodings.
fn part(way: usize, kind: &str, label: &str, bytes: &[u8]) -> Vec<u8> {
    let (encoding, content) = match way {
        0 => ("8bit", bytes.to_vec()),
        1 => ("base64", base64(bytes).into_bytes()),
        _ => ("quoted-printable", quoted(bytes).into_bytes()),
    };
    let head =
        format!("Content-Type: {kind}; charset=\"{label}\"\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n");
    [head.into_bytes(), content, b"\r\n".to_vec()].concat()
}

fn multipart(kind: &str, parts: &[Vec<u8>]) -> Vec<u8> {
    let mut out = format!("Content-Type: multipart/{kind}; boundary=\"=_x_{kind}\"\r\n\r\n").into_bytes();
    for part in parts {
        out.extend(format!("--=_x_{kind}\r\n").into_bytes());
        out.extend(part);
        out.extend(b"\r\n");
    }
    out.extend(format!("--=_x_{kind}--\r\n").into_bytes());
    out
}

/// The text in one of the shapes mails have.
fn shaped(shape: usize, way: usize, label: &str, bytes: &[u8]) -> Vec<u8> {
    let plain = || part(way, "text/plain", label, bytes);
    let rich = || part(way, "text/html", label, &[b"<html><body><p>", bytes, b"</p></body></html>"].concat());
    let mail =
        |inner: Vec<u8>| [b"Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n".to_vec(), inner].concat();
    let file =
        b"Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==\r\n"
            .to_vec();
    match shape {
        0 => plain(),
        1 => rich(),
        2 => multipart("alternative", &[plain(), rich()]),
        3 => multipart("mixed", &[plain(), file]),
        4 => multipart(
            "mixed",
            &[multipart("alternative", &[b"Content-Type: text/plain\r\n\r\n \r\n".to_vec(), rich()]), file],
        ),
        _ => multipart("mixed", &[mail(multipart("related", &[plain()]))]),
    }
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn is_visible(mail: &Mail) -> bool {
    let headers = mail.headers.iter().flat_map(|(name, value)| [name, value]);
    let parts = mail.attachments.iter().flat_map(|part| [&part.name, &part.kind]);
    let links = mail.links.iter().flat_map(|link| [&link.text, &link.target]);
    let people = mail.recipients().chain([&mail.from]).flat_map(|who| [&who.name, &who.address]);
    let mut texts =
        [&mail.subject, &mail.text].into_iter().chain(headers).chain(parts).chain(links).chain(people);
    texts.all(|text| Visible::new(text) == text.as_str())
}

#[test]
fn m12_mails_in_all_charsets() {
    let mut trials = 0;
    let mut dice = Dice(12);
    let mut refused = 0;
    for (label, bytes, text) in SETS {
        for shape in 0..6 {
            for way in 0..3 {
                let head = [
                    b"From: a@example.com\r\nSubject: ".to_vec(),
                    subject(way, label, bytes),
                    b"\r\n".to_vec(),
                ];
                let raw = [head.concat(), shaped(shape, way, label, bytes)].concat();
                let mail = parse(&raw).unwrap();
                assert!(mail.text.ends_with(text), "{label} {shape} {way}: {:?} {text:?}", mail.text);
                assert_eq!(mail.subject, *text, "{label} {way}");
                trials += 1;
                // And damaged: shown or refused, and nothing hidden either way.
                for _ in 0..8 {
                    let mut raw = raw.clone();
                    for _ in 0..=dice.roll(8) {
                        let at = dice.roll(raw.len());
                        match dice.roll(3) {
                            0 => raw[at] = dice.roll(256) as u8,
                            1 => drop(raw.remove(at)),
                            _ => raw.insert(at, b"\r\n-=?<\"\0\x1b:;"[dice.roll(11)]),
                        }
                    }
                    match parse(&raw) {
                        Ok(mail) => assert!(is_visible(&mail)),
                        Err(why) => {
                            refused += 1;
                            assert!(why.to_string().ends_with('.'));
                        }
                    }
                    trials += 1;
                }
            }
        }
    }
    assert_eq!(refused, 0, "a few damaged bytes are no reason to refuse a mail");
    report("M12", "mail in all charsets, whole and damaged", trials);
}

/// Reads a mail on a stack that deep recursion would overflow.
fn on_a_small_stack(raw: Vec<u8>) -> Result<Mail, String> {
    let reader = std::thread::Builder::new().stack_size(512 << 10);
    reader.spawn(move || parse(&raw).map_err(|why| why.to_string())).unwrap().join().unwrap()
}

fn nested(levels: usize, level: impl Fn(usize) -> String) -> Vec<u8> {
    (0..levels).fold(String::from("Subject: deep\r\n"), |out, at| out + &level(at)).into_bytes()
}

#[test]
fn m13_monsters() {
    let trials = Cell::new(0);
    let refused = |raw: Vec<u8>, word: &str| {
        trials.set(trials.get() + 1);
        let why = on_a_small_stack(raw).unwrap_err();
        assert!(why.contains(word), "{why}");
    };
    refused(
        nested(50_000, |at| format!("Content-Type: multipart/mixed; boundary=b{at}\r\n\r\n--b{at}\r\n")),
        "inside each other",
    );
    refused(nested(50_000, |_| "Content-Type: message/rfc822\r\n\r\n".to_owned()), "inside each other");
    refused(
        nested(50_000, |_| "Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\n".to_owned()),
        "inside each other",
    );
    refused(nested(100_000, |at| format!("X-{at}: y\r\n")), "header fields");
    refused(nested(100_000, |_| " folded again and again\r\n".to_owned()), "header");
    let parts =
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n".to_owned() + &"--b\r\n\r\nx\r\n".repeat(50_000);
    refused(parts.into_bytes(), "parts");
    refused(vec![b'x'; 65 << 20], "MB");

    let shown = |raw: Vec<u8>| {
        trials.set(trials.get() + 1);
        let mail = on_a_small_stack(raw).unwrap();
        assert!(mail.text.len() <= 2 << 20 && is_visible(&mail));
        mail
    };
    let body = |kind: &str, piece: &str, bytes: usize| {
        format!("Content-Type: {kind}\r\n\r\n{}", piece.repeat(bytes / piece.len())).into_bytes()
    };
    const BIG: usize = 50 << 20;
    let text = shown(body("text/plain", "A line of words that says very little.\r\n", BIG));
    assert!(text.cut && text.text.starts_with("A line of words"));
    assert!(shown(body("text/plain", "-- x\n", 8 << 20)).cut);
    assert!(shown(body("text/html", "<p>words", 8 << 20)).cut);
    let attached = shown(body("application/zip\r\nContent-Transfer-Encoding: base64", "QUJD", 20 << 20));
    assert_eq!(attached.attachments[0].bytes, 15 << 20);
    let divs = |close: &str| {
        format!(
            "Content-Type: text/html\r\n\r\n{}deep down{}",
            "<div>".repeat(200_000),
            close.repeat(200_000)
        )
    };
    assert_eq!(shown(divs("</div>").into_bytes()).text, "deep down");
    assert_eq!(shown(divs("").into_bytes()).text, "deep down");
    shown(body("text/html", "<table><tr><td><blockquote>", 2 << 20));
    shown(body("text/plain", "http://a.example/ ", 2 << 20));
    shown(body("text/plain", "\u{200b}\u{202e}e\u{301}\u{301}", 1 << 20));
    // Header fields that send parsers back and forth.
    let addresses = ["a@b.example,", "a@b.example ", "\"a@b.example\",", "<a@b>"];
    let signs = r#"=? =?utf-8?Q? =?utf-8?B? < ( " \" <" <( "< a: ;: ,"#.split(' ');
    for piece in signs.chain(addresses) {
        let long = piece.repeat(100_000 / piece.len());
        shown(format!("From: {long}\r\nTo: {long}\r\nSubject: {long}\r\nReferences: {long}\r\nDate: {long}\r\nContent-Type: {long}\r\n\r\nx").into_bytes());
    }
    report("M13", "nested parts, endless headers, 50 MB bodies, nested tags", trials.get());
}

#[test]
fn i06_hidden_text() {
    const SECRET: &str = "send the secrets";
    let mut trials = 0;
    let mut hides = |html: String| {
        let mail =
            parse(format!("Content-Type: text/html; charset=utf-8\r\n\r\n<p>seen</p>{html}").as_bytes())
                .unwrap();
        assert!(!mail.text.contains("secret") && mail.text.contains("seen"), "{html}: {}", mail.text);
        assert_eq!(mail.hidden, 1, "{html}");
        trials += 1;
    };
    for style in [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "font-size:0px",
        "font-size:1px",
        "color:#ffffff",
        "color:white",
        "background:#222;color:#222",
        "max-height:0;overflow:hidden",
        "position:absolute;left:-10000px",
        "text-indent:-5000px",
        "mso-hide:all",
    ] {
        hides(format!("<span style='{style}'>{SECRET}</span>"));
        hides(format!("<style>.q{{{style}}}</style><div class=q><b>{SECRET}</b></div>"));
    }
    hides(format!("<!-- {SECRET} -->"));
    hides(format!("<div hidden>{SECRET}</div>"));

    // Characters nobody sees are seen, in every field, and the model is given the very same text.
    let tags: String = SECRET.chars().map(|c| char::from_u32(0xE0000 + u32::from(c)).unwrap()).collect();
    for hidden in [
        tags.as_str(),
        "\u{200b}",
        "\u{202e}",
        "\u{2066}",
        "\u{feff}",
        "\u{1b}]0;x\u{7}",
        "\u{ad}",
        "\u{2062}",
    ] {
        for raw in [
            format!(
                "From: a{hidden}b <a@example.com>\r\nSubject: a{hidden}b\r\nX-Y: a{hidden}b\r\n\r\na{hidden}b"
            ),
            format!(
                "Content-Type: text/html; charset=utf-8\r\n\r\n<a href='http://x.example/{hidden}'>a{hidden}b</a>"
            ),
            format!("Content-Type: application/x; name=\"a{hidden}b.txt\"\r\n\r\nx"),
        ] {
            let mail = parse(raw.as_bytes()).unwrap();
            assert!(is_visible(&mail), "{raw:?}");
            let all = format!("{mail:?}");
            assert!(all.contains("⟨U+"), "{raw:?}: {all}");
            trials += 1;
        }
    }
    report("I06", "hidden HTML and hidden characters", trials);
}
