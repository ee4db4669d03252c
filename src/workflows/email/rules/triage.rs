//! Classifies a mail by the first general rule that fits.
//!
//! General rules name no senders and no single mails. Programs are sorted by what they report, people by whom they ask.
//! Each decision names its rule and the evidence, so a person can disagree.

use super::asks::Ask;
use super::kinds::Kind;
use super::signs::{Calendar, Reach, Signs, own_text};
use crate::agent::mail_facts::{Class, MailFacts};
use crate::mail::risk::names_new_bank_details;
use crate::text::phrases::normalize_text;
use crate::text::words::line;
use crate::workflows::email::facts::{Triage, TriageFacts};

/// The maximum length of a gist.
const MAX_GIST: usize = 100;

struct Verdict {
    class: Class,
    why: String,
    /// Whether it rests on what the mail does not say.
    unsure: bool,
}

impl Verdict {
    fn new(class: Class, why: impl Into<String>) -> Self {
        Self { class, why: why.into(), unsure: false }
    }

    /// For a mail without any signs.
    fn unsure(class: Class, why: &str) -> Self {
        Self { unsure: true, ..Self::new(class, why) }
    }
}

pub(super) fn triage(facts: &TriageFacts) -> Triage {
    let signs = Signs::of(&facts.user, &facts.mail);
    let verdict = general(&facts.mail, &signs);
    let Verdict { class, why, unsure } = match verdict.class {
        Class::Ignore if signs.own_money => {
            Verdict::new(Class::Notify, "it seems to be about your own money")
        }
        // What somebody writes to few is theirs to read, whatever words are in it.
        Class::Ignore if signs.personal && !is_settled(&facts.mail, &signs) => Verdict {
            class: Class::Notify,
            why: format!("{}, but a person wrote it to you or to few", verdict.why),
            ..verdict
        },
        Class::Ignore | Class::Notify | Class::Respond => verdict,
    };
    Triage {
        reasoning: format!("General rule: {why}."),
        gist: gist(&facts.mail, &signs),
        classification: class,
        unsure,
        suspicious: false,
    }
}

/// Whether the mailbox's filter or the sender's calendar has said what the mail is.
fn is_settled(mail: &MailFacts, signs: &Signs) -> bool {
    mail.headers.spam || signs.calendar == Some(Calendar::Accepted)
}

/// The first rule that fits, with its reason.
fn general(mail: &MailFacts, signs: &Signs) -> Verdict {
    let say = |class, why: &str| Verdict::new(class, why);
    if mail.headers.spam {
        return say(Class::Ignore, "the mailbox's filter calls it spam");
    }
    if signs.bounce {
        return say(Class::Notify, "a mail could not be delivered");
    }
    if signs.auto_reply {
        return say(Class::Ignore, "an automatic reply");
    }
    match signs.calendar {
        Some(Calendar::Accepted) => return say(Class::Ignore, "somebody accepted an invitation"),
        Some(Calendar::Change) => return say(Class::Notify, "an appointment changed or was declined"),
        Some(Calendar::Invitation) if signs.reach != Reach::Group => {
            return say(Class::Respond, "an invitation that waits for an answer");
        }
        Some(Calendar::Invitation) | None => {}
    }
    if let Some(why) = suspicion(mail, signs) {
        return Verdict::new(Class::Notify, format!("{why}, so look twice"));
    }
    let is_list_talk = mail.list_id.is_some() && is_talk(mail, signs);
    if !is_list_talk && (signs.automated || signs.bulk) {
        return by_program(mail, signs);
    }
    if is_list_talk {
        return on_a_list(mail, signs);
    }
    if !signs.colleague && signs.subject.contains(&Kind::Payment) && !mail.headers.in_reply_to {
        return say(Class::Notify, "a bill that is due wants money, not an answer");
    }
    by_a_person(signs)
}

/// Whether a mail is part of a discussion on a list. Mail that is only sent to many counts as a program's.
fn is_talk(mail: &MailFacts, signs: &Signs) -> bool {
    let sent_to_many = mail.headers.list_unsubscribe && !signs.colleague;
    !signs.automated && (mail.headers.list_post || mail.headers.in_reply_to || !sent_to_many)
}

/// Mail from programs: what needs attention is shown; advertising and confirmations are not.
fn by_program(mail: &MailFacts, signs: &Signs) -> Verdict {
    let is = |kind| signs.is(kind);
    let text = normalize_text(&format!("{}\n{}", mail.subject, mail.text));
    if text.has(DECIDES) && !(mail.headers.list_unsubscribe && mail.list_id.is_none()) {
        return Verdict::new(Class::Respond, "somebody waits for your decision");
    }
    let needs_nothing = signs.bulk && signs.says_nothing_is_wanted;
    // An advertisement may contain any word, so trust only phrases that ads never use about an account.
    let is_advertising = signs.bulk && (is(Kind::Promotion) || is(Kind::Newsletter) || is(Kind::Survey));
    let rows: [(bool, Class, &str); 15] = [
        (is(Kind::Code), Class::Notify, "a code or a confirmation somebody asked for"),
        (
            signs.hints(Kind::Security) > 0 || is(Kind::Security) && !is_advertising,
            Class::Notify,
            "a notice about the security of an account or system",
        ),
        (
            signs.hints(Kind::Payment) > 0 || is(Kind::Payment) && !is_advertising,
            Class::Notify,
            "something about a payment or a renewal needs a look",
        ),
        (needs_nothing, Class::Ignore, "sent to many, and nothing is wanted"),
        (is(Kind::DeliveryProblem) && !is_advertising, Class::Notify, "a delivery needs a look"),
        (is(Kind::Recovery), Class::Ignore, "something works again"),
        (is(Kind::BuildSuccess) && !is(Kind::BuildFailure), Class::Ignore, "something worked as it should"),
        (is(Kind::BuildFailure) && !is_advertising, Class::Notify, "a build, job or deployment failed"),
        (is(Kind::Outage) && !is_advertising, Class::Notify, "a system is in trouble, or will be"),
        (signs.is_named_beside && !is_advertising, Class::Notify, "sent to many, and to you by name"),
        (is(Kind::Survey), Class::Ignore, "a survey"),
        (is(Kind::Promotion) && signs.bulk, Class::Ignore, "advertising"),
        (is(Kind::Newsletter) && signs.bulk, Class::Ignore, "a newsletter"),
        (is(Kind::Receipt) || is(Kind::Delivery), Class::Ignore, "a receipt or a delivery on its way"),
        (is(Kind::Deadline) || is(Kind::Announcement), Class::Notify, "a date or a change to know about"),
    ];
    match rows.into_iter().find(|(fits, _, _)| *fits) {
        Some((_, class, why)) => Verdict::new(class, why),
        None if signs.bulk => Verdict::unsure(Class::Ignore, "sent by a program to many"),
        None => Verdict::unsure(Class::Notify, "written by a program to you"),
    }
}

/// On a list, a mail concerns the reader only if it names them, or if a colleague announces something.
fn on_a_list(mail: &MailFacts, signs: &Signs) -> Verdict {
    let is_asked = matches!(signs.ask, Ask::OfReader(_));
    if is_asked && signs.colleague && normalize_text(&own_text(&mail.text)).has(EVERYBODY) {
        return Verdict::new(Class::Respond, "a colleague asks everybody for an answer");
    }
    match (signs.mentions, is_asked) {
        (true, true) => Verdict::new(Class::Respond, "somebody on a list asks you by name"),
        (true, false) => Verdict::new(Class::Notify, "somebody on a list names you"),
        (false, _) if signs.colleague && is_worth_knowing(signs) => {
            Verdict::new(Class::Notify, "a colleague tells everybody something that matters")
        }
        (false, _) if signs.is_named_beside => {
            Verdict::new(Class::Notify, "somebody on a list writes to you, too")
        }
        (false, _) => Verdict::new(Class::Ignore, "talk on a list that does not name you"),
    }
}

fn by_a_person(signs: &Signs) -> Verdict {
    let quote = |words: &str| format!("“{}”", line(words, 80));
    match (signs.reach, &signs.ask) {
        (Reach::Direct, Ask::OfReader(words)) => {
            Verdict::new(Class::Respond, format!("a person asks you directly: {}", quote(words)))
        }
        (Reach::Direct, Ask::Nothing) => {
            Verdict::new(Class::Notify, "a person tells you something and asks nothing")
        }
        (Reach::Direct, Ask::OfOthers(_)) => {
            Verdict::new(Class::Notify, "a person writes to you, but asks somebody else")
        }
        (Reach::Copy | Reach::Group, Ask::OfReader(words)) if signs.mentions => {
            Verdict::new(Class::Respond, format!("you are asked by name: {}", quote(words)))
        }
        (Reach::Copy | Reach::Group, _) if signs.mentions => Verdict::new(Class::Notify, "you are named"),
        (Reach::Copy, _) if is_worth_knowing(signs) => {
            Verdict::new(Class::Notify, "a copy about something that matters")
        }
        (Reach::Copy, _) => Verdict::unsure(Class::Ignore, "a copy that asks nothing of you"),
        (Reach::Group, _) if signs.colleague => {
            Verdict::new(Class::Notify, "a colleague writes to a group you are in")
        }
        (Reach::Group, Ask::OfReader(_)) => Verdict::new(Class::Notify, "a person asks a group you are in"),
        (Reach::Group, _) if is_worth_knowing(signs) => {
            Verdict::new(Class::Notify, "a group you are in is told something that matters")
        }
        (Reach::Group, _) => Verdict::unsure(Class::Ignore, "sent to a group by a stranger, asking nothing"),
    }
}

/// A program says that somebody is waiting for the reader.
const DECIDES: &str = "waiting for your decision, waiting for your approval, awaiting your approval, needs your approval, need \
    your approval, approval needed, approval required, requires your approval, requested your review, review requested, \
    your review was requested, awaiting your signature, signature requested, awaiting your decision, escalated to you, \
    wartet auf ihre freigabe, wartet auf deine freigabe, freigabe erforderlich";

/// Everybody is asked individually.
const EVERYBODY: &str = "each of you, every one of you, everyone please, everybody please, all of you, answer from everyone, \
    answer from all, reply to me, jeder von euch, von euch allen, von allen eine";

/// Why a mail should be checked rather than answered: nobody honest asks for this by mail.
fn suspicion(mail: &MailFacts, signs: &Signs) -> Option<&'static str> {
    let text = normalize_text(&own_text(&mail.text));
    if signs.bulk || mail.headers.in_reply_to && signs.colleague {
        return None;
    }
    if text.has(PASSWORD) {
        return Some("somebody wants a password");
    }
    if text.has(GIFT_CARDS) && text.has(SENT_IN_SECRET) {
        return Some("somebody wants gift cards");
    }
    (!signs.colleague && names_new_bank_details(&text)).then_some("bank details are said to have changed")
}

const GIFT_CARDS: &str = "gift card, gift cards, scratch the codes, geschenkkarten, gutscheinkarten, carte cadeau, cartes \
    cadeaux, tarjetas de regalo";
const SENT_IN_SECRET: &str =
    "send me, codes, discreet, discreetly, confidential, fotos, photos, pictures, vertraulich, diskret";
const PASSWORD: &str = "confirm your password, verify your password, validate your password, enter your password, send us \
    your password, send me your password, your password today, verify your account, confirm your account, validate your \
    account, confirm your credentials, verify your credentials, validate your mailbox, verify your mailbox, passwort \
    bestätigen, konto bestätigen, konto verifizieren, confirmez votre mot de passe, vérifier votre compte, confirme su \
    contraseña, verifique su cuenta";

/// Whether a mail is worth knowing about although it asks for nothing.
fn is_worth_knowing(signs: &Signs) -> bool {
    [Kind::Deadline, Kind::Outage, Kind::Announcement, Kind::BuildFailure, Kind::Security, Kind::Payment]
        .iter()
        .any(|kind| signs.is(*kind))
}

/// One line that says what the mail wants, or how it begins. Sender and subject are shown next to it.
fn gist(mail: &MailFacts, signs: &Signs) -> String {
    if let Ask::OfReader(words) = &signs.ask
        && !signs.automated
        && !signs.bulk
    {
        return line(words, MAX_GIST - 1);
    }
    let says_something =
        |line: &&str| line.split_whitespace().count() > 2 && !line.starts_with('>') && !is_greeting(line);
    let first = mail.text.lines().map(str::trim).find(says_something).unwrap_or(&mail.subject);
    line(if first.trim().is_empty() { "(nothing is said)" } else { first }, MAX_GIST - 1)
}

/// `Dear Ms Haddad,`: a short line that ends like a greeting.
fn is_greeting(line: &str) -> bool {
    line.ends_with([',', '!', ':']) && line.split_whitespace().count() <= 5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::mail_facts::{Signals, User};
    use crate::calendar::Attendance;

    fn facts(subject: &str, text: &str) -> TriageFacts {
        TriageFacts {
            user: User {
                name: "Ada Lovelace".into(),
                addresses: vec!["ada@engine.example".into()],
                ..User::default()
            },
            mail: MailFacts {
                from: "bob@stone.example".into(),
                from_name: "Bob Stone".into(),
                to: vec!["ada@engine.example".into()],
                subject: subject.into(),
                text: text.into(),
                ..MailFacts::default()
            },
            profile: String::new(),
        }
    }

    #[test]
    fn a_direct_question_is_answered() {
        let answer = triage(&facts("Figures", "Hi Ada,\nCould you send me the figures?"));
        assert_eq!(answer.classification, Class::Respond);
        assert!(answer.gist.starts_with("Could you"), "{}", answer.gist);
    }

    #[test]
    fn no_rule_hides_what_a_person_writes_to_few() {
        let calendar = |method: &str, attendance| Signals {
            calendar: Some(method.to_owned()),
            attendance,
            ..Signals::default()
        };
        let bicycles = "Hello Ada,\nwe need 40 bicycles for our clients. What is your price?";
        let prices = "Hi,\ncould you send me your price list? I can call you in 15 minutes.";
        for (subject, text, expected) in [
            ("Bicycles", bicycles, Class::Respond),
            ("Quick question", prices, Class::Respond),
            ("Re: Invoice", "I received the invoice, but the amount is wrong.", Class::Notify),
            ("Contract", "Great news: the board signed the contract.", Class::Notify),
            ("Out of office on Monday", "I am away then, so I moved our call.", Class::Notify),
        ] {
            for in_reply_to in [false, true] {
                let mut facts = facts(subject, text);
                facts.mail.headers.in_reply_to = in_reply_to;
                let answer = triage(&facts);
                assert_eq!(answer.classification, expected, "{subject}: {}", answer.reasoning);
            }
        }
        for (headers, expected) in [
            (calendar("REPLY", Some(Attendance::Accept)), Class::Ignore),
            (calendar("REPLY", Some(Attendance::Tentative)), Class::Notify),
            (calendar("REPLY", Some(Attendance::Decline)), Class::Notify),
            (calendar("REPLY", None), Class::Notify),
            (Signals { spam: true, ..Signals::default() }, Class::Ignore),
            (
                Signals { auto_submitted: Some("auto-replied".to_owned()), ..Signals::default() },
                Class::Ignore,
            ),
        ] {
            let mut facts = facts("Abgelehnt: Kickoff", "");
            facts.mail.headers = headers;
            let answer = triage(&facts);
            assert_eq!(answer.classification, expected, "{:?}: {}", facts.mail.headers, answer.reasoning);
        }
        let crowd: Vec<String> = (0..12).map(|n| format!("p{n}@stone.example")).collect();
        for (others, expected) in [(&crowd[..2], Class::Notify), (&crowd[..], Class::Ignore)] {
            let mut facts = facts("Desk lamps", "The blue ones are nicer.");
            facts.mail.cc = std::mem::take(&mut facts.mail.to);
            facts.mail.to = others.to_vec();
            assert_eq!(triage(&facts).classification, expected, "{}", others.len());
        }
    }

    #[test]
    fn the_word_before_the_at_of_an_address_is_no_name() {
        let mut facts = facts("[dev] The build", "The info page of the build is out of date again.");
        facts.user.addresses = vec!["info@engine.example".into()];
        facts.mail.to = vec!["dev@lists.example".into()];
        facts.mail.list_id = Some("dev.lists.example".into());
        facts.mail.headers.list_post = true;
        assert_eq!(triage(&facts).classification, Class::Ignore);
        facts.mail.cc = vec!["info@engine.example".into()];
        assert_eq!(triage(&facts).classification, Class::Notify);
    }

    #[test]
    fn gists_are_one_short_line() {
        let long = facts(&"very long subject ".repeat(40), "a\nb");
        let gist = triage(&long).gist;
        assert!(gist.chars().count() <= MAX_GIST && !gist.contains('\n'), "{gist}");
    }
}
