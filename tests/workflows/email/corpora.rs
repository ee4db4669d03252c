//! Warnings, measured on mails whose writers had not read the rules: 60 and later 30 that mean harm, 200 and later 60
//! that are ordinary. `docs/email.md` says how to repeat it and what came out.

use sayso::engine::graph::Grade;
use sayso::mail::risk::{Receiver, Risk, RiskContext, risks_of_mail};
use sayso::mail::{Mail, parse};
use sayso::workflows::email::{eval::split_mbox, grade};

/// Whom the reader of these mails knows.
const PEOPLE: &[(&str, &str)] = &[
    ("Jonas Keller", "jonas.keller@brightwater-tools.example"),
    ("Ines Vogt", "ines.vogt@brightwater-tools.example"),
    ("Adaeze Obi", "adaeze.obi@brightwater-tools.example"),
    ("Marek Nowak", "marek.nowak@brightwater-tools.example"),
    ("Katrin Lindqvist", "katrin.lindqvist@brightwater-tools.example"),
    ("Tom Arden", "tom@ardensteel.example"),
    ("Lucia Ferri", "lucia.ferri@ferri-design.example"),
];

/// The mails of a set, each with its name and style.
fn mails(set: &str) -> Vec<(String, String, Mail)> {
    let path = format!("{}/tests/fixtures/{set}.mbox", env!("CARGO_MANIFEST_DIR"));
    let split = split_mbox(&std::fs::read(path).unwrap()).into_iter();
    let mail = |(line, raw): (String, Vec<u8>)| {
        let (name, style) = line.split_once(' ').unwrap_or((&line, ""));
        (name.to_owned(), style.to_owned(), parse(&raw).unwrap())
    };
    split.map(mail).collect()
}

/// What a set is warned of: name, style, risks.
fn measured(set: &str) -> Vec<(String, String, Vec<Risk>)> {
    let own = vec![PEOPLE[0].1.to_owned()];
    let addresses: Vec<String> = PEOPLE.iter().map(|(_, address)| (*address).to_owned()).collect();
    let mut receiver = Receiver::default();
    mails("warnings/ordinary").iter().for_each(|(_, _, mail)| receiver.observe(mail));
    assert!(receiver.is_trusted(), "{receiver:?}");
    let is_known = |address: &str| PEOPLE.iter().any(|(_, known)| *known == address);
    let by_name = |name: &str| {
        PEOPLE
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, address)| (*address).to_owned())
    };
    let known = RiskContext {
        is_known: &is_known,
        by_name: &by_name,
        receiver: Some(&receiver),
        addresses: &addresses,
        own: &own,
        ..RiskContext::default()
    };
    mails(set).into_iter().map(|(name, style, mail)| (name, style, risks_of_mail(&mail, &known))).collect()
}

fn is_heavy(risks: &[Risk]) -> bool {
    risks.iter().any(|risk| grade(risk) >= Grade::Caution)
}

#[test]
fn most_mail_that_means_harm_gets_a_caution_or_a_danger() {
    for (set, many, least) in [("warnings/phish", 60, PHISH), ("warnings/phish_later", 30, PHISH_LATER)] {
        let all = measured(set);
        let missed = all.iter().filter(|(_, _, risks)| !is_heavy(risks));
        let missed: Vec<String> = missed.map(|(name, style, _)| format!("{name}: {style}")).collect();
        let found = all.len() - missed.len();
        println!("{set}: {found} of {}; missed {missed:#?}", all.len());
        assert_eq!(all.len(), many);
        assert!(found >= least, "{set}: {found}: {missed:#?}");
    }
}

#[test]
fn ordinary_mail_is_seldom_warned_of() {
    let warned = |risks: &[Risk]| {
        let heavy = risks.iter().filter(|risk| grade(risk) >= Grade::Caution);
        heavy.map(Risk::text).collect::<Vec<_>>()
    };
    for (set, many, most) in [
        ("warnings/ordinary", 200, ORDINARY),
        ("warnings/ordinary_later", 60, ORDINARY_LATER),
        ("triage/ignore", 30, 0),
        // Four of these mean harm.
        ("triage/notify", 30, 4),
        ("triage/respond", 40, 0),
    ] {
        let all = measured(set);
        let found = all.iter().filter(|(_, _, risks)| is_heavy(risks));
        let found: Vec<_> = found.map(|(name, style, risks)| (name, style, warned(risks))).collect();
        println!("{set}: {} of {}; {found:#?}", found.len(), all.len());
        assert_eq!(all.len(), many);
        assert!(found.len() <= most, "{set}: {found:#?}");
    }
}

/// How many must be found, and how many ordinary ones may be.
const PHISH: usize = 44;
const PHISH_LATER: usize = 11;
const ORDINARY: usize = 1;
const ORDINARY_LATER: usize = 0;
