//! M08: answers as they go out, beside files that say how they must look.
//!
//! Each `tests/fixtures/mail/replies/NAME.json` is a mail and what is answered; `NAME.eml` is the answer, its lines
//! ended by newlines alone. Where an `.eml` is missing it is written, and the test fails until somebody has read it.

use crate::report;
use jiff::tz::TimeZone;
use sayso::mail::compose::{
    Draft, compose, from_address, reply_all_left_out, reply_recipients, with_quote, with_signature,
};
use sayso::mail::{Address, Mail};
use serde::Deserialize;
use std::fs;
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What it is about.
    about: String,
    mail: Mail,
    /// The person's addresses, the usual one first.
    own: Vec<String>,
    /// Whether the answer goes to all.
    all: bool,
    quote: bool,
    signature: String,
    content: String,
    /// Whom an answer to all would have reached besides.
    left_out: Vec<String>,
}

impl Case {
    fn answer(&self) -> Draft {
        let people = reply_recipients(&self.mail, &self.own);
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let mut content = self.content.clone();
        if self.quote {
            content = with_quote(&content, &self.mail, &zone);
        }
        Draft {
            from: Address {
                name: "Ann Lee".to_owned(),
                address: from_address(&self.mail, &self.own[0], &self.own),
            },
            to: people.to,
            cc: if self.all { people.also } else { Vec::new() },
            content: with_signature(&content, &self.signature),
            ..Draft::answering(&self.mail)
        }
    }
}

#[test]
fn m08_answers_go_to_the_right_people_and_join_the_conversation() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/mail/replies");
    let date = "2026-03-09T14:05:00+01:00[+01:00]".parse().unwrap();
    let mut trials = 0;
    let mut written = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let case: Case = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let draft = case.answer();
        let bare = |list: &[Address]| list.iter().map(|one| one.address.clone()).collect::<Vec<String>>();
        let left = reply_all_left_out(&case.mail, &case.own, &bare(&draft.to), &bare(&draft.cc));
        assert_eq!(bare(&left), case.left_out, "{name}: {}", case.about);
        let raw = String::from_utf8(compose(&draft, name, &date).unwrap()).unwrap();
        let text = raw.replace("\r\n", "\n");
        assert!(!text.contains('\r'), "{name}: lines end in CRLF");
        let golden = path.with_extension("eml");
        match fs::read_to_string(&golden) {
            Ok(golden) => assert_eq!(text, golden, "{name}: {}", case.about),
            Err(_) => {
                fs::write(&golden, text).unwrap();
                written.push(name.to_owned());
            }
        }
        trials += 1;
    }
    assert_eq!(written, Vec::<String>::new(), "these were written; read them and run again");
    assert!(trials >= 12);
    report("M08", "answers beside their golden files", trials);
}
