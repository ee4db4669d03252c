//! Meetings: look at the calendar first, then take a time the sender named if it is free, else offer free times by mail.

use jiff::civil::{Date, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::json;

use super::super::asks::request_sentences;
use super::super::signs::own_text;
use super::slots::{Habits, Search, days, window, working_days};
use super::voice::{Lang, Voice};
use super::when::{Day, Mention, mentions, minutes};
use super::{CHECK_CALENDAR, Call, History, letter, question, sender_name};
use crate::agent::mail_facts::MailFacts;
use crate::text::phrases::normalize_text;
use crate::text::words::{line, sentences, with_full_stop};
use crate::workflows::email::facts::ReplyFacts;

const MEET: &str = "meet, meeting, call, lunch, coffee, catch up, sit together, appointment, time for, free on, are you free, are you \
    available, availab*, join us, join me, does that work, work for you, works for you, suit you, suits you, slot, \
    schedule, treffen, termin, telefonieren, zeit für, hast du zeit, haben sie zeit, passt es dir, passt es ihnen, \
    passt dir, passt ihnen, zusammensetzen, mittagessen, hättest du zeit, hätten sie zeit";

/// Together with a day, these mean a meeting, too.
const DAY: &str =
    "work, works, suit, suits, how about, what about, ok for you, okay for you, passt, ginge, geht bei";

/// A request for work is not a meeting, even if it names a day.
const WORK: &str = "send, review, sign, confirm the, check, read, fill, pay, approve, comment*, share, forward, update, schick*, \
    send*, prüf*, unterschreib*, bezahl*, freigeb*, call stack, call the, prepare, bring";

const DUE: &str =
    "by, before, until, no later than, deadline, due, at the latest, bis, spätestens, frist, end of";

/// The next call for a mail that wants to meet; `None` if it does not.
pub(super) fn propose(
    facts: &ReplyFacts,
    history: &History<'_>,
    to: &[String],
) -> Result<Option<Call>, String> {
    let (now, zone) = now_and_zone(facts)?;
    let is_offered = |tool: &str| facts.tools.is_empty() || facts.tools.iter().any(|name| name == tool);
    let mail_date = facts.mail.date.parse::<Timestamp>().map(|at| at.to_zoned(zone.clone()).date());
    let mail_date = mail_date.unwrap_or_else(|_| now.date());
    let text = own_text(&facts.mail.text);
    if invites(&facts.mail) && is_offered("answer_invitation") {
        return Ok(Some(("answer_invitation", json!({ "answer": "accept" }))));
    }
    if !invites(&facts.mail) && !wants_to_meet(facts, &text, mail_date) {
        return Ok(None);
    }
    let habits = Habits::read(&facts.cal_profile);
    let wanted = wanted_times(facts, &text, mail_date);
    let mut wanted_days = days(&wanted, now.date());
    if wanted_days.is_empty() {
        wanted_days = working_days(now.date(), 3, &habits.excluded_weekdays);
    }
    let check = |days: &[Date]| check_calendar(facts, history, is_offered(CHECK_CALENDAR), days);
    let calendar = &history.calendar;
    let unchecked: Vec<Date> = wanted_days.into_iter().filter(|day| !calendar.days.contains(day)).collect();
    if !unchecked.is_empty() {
        return Ok(Some(check(&unchecked)));
    }
    let minutes = range_minutes(&wanted).or_else(|| minutes(&text)).unwrap_or(habits.minutes);
    let search = Search { now: &now, zone: &zone, habits: &habits, calendar, minutes };
    let exact: Vec<(Date, Time)> = wanted.iter().filter_map(exact_time).collect();
    let mut fitting: Vec<Zoned> =
        exact.iter().filter_map(|(date, time)| search.exactly(*date, *time)).collect();
    if let Some(part) = habits.prefer {
        let (from, until) = part.hours();
        fitting.sort_by_key(|start| !(start.time() >= from && start.time() < until));
    }
    let voice = letter::voice(facts, "");
    if let Some(start) = fitting.first() {
        return Ok(Some(schedule(facts, voice, to, &habits, start, minutes)));
    }
    let free = search.up_to_three(&wanted, &calendar.days);
    if free.is_empty() {
        // Look once more, a little later; then ask the person.
        let last = calendar.days.iter().max().copied().unwrap_or(now.date());
        return Ok(Some(if calendar.days.len() <= 5 {
            check(&working_days(last, 3, &habits.excluded_weekdays))
        } else {
            question(format!(
                "{} wants to meet, and I found no free {minutes} minutes on the days I checked. When would suit you?",
                sender_name(facts)
            ))
        }));
    }
    let named =
        exact.first().and_then(|(date, time)| search.zoned(*date, *time)).filter(|start| *start > now);
    let busy = named.map(|start| voice.busy(&voice.time(&start)));
    let times: Vec<String> = free.iter().map(|start| format!("- {}", voice.time(start))).collect();
    let offer = format!("{}\n{}", voice.offer(free.len() == 1), times.join("\n"));
    // “Leider” begins a German letter as well as a thank-you does.
    let thanks = (busy.is_none() || voice.lang == Lang::English).then(|| voice.thanks());
    let sentences: Vec<String> = thanks.into_iter().chain(busy).chain([offer]).collect();
    Ok(Some(letter::write_in(facts, voice, to, &sentences.join(" "))))
}

/// Whether a request of the mail is about meeting.
fn wants_to_meet(facts: &ReplyFacts, text: &str, base: Date) -> bool {
    request_sentences(&facts.user, text).iter().filter(|asked| asked.of_reader).any(|asked| {
        let words = normalize_text(asked.sentence);
        let names_day = !mentions(asked.sentence, base).is_empty();
        !words.has(WORK) && (words.has(MEET) || names_day && words.has(DAY) && !words.has(DUE))
    })
}

/// Whether the mail is an invitation.
fn invites(mail: &MailFacts) -> bool {
    mail.headers.calendar.as_deref().is_some_and(|method| method.eq_ignore_ascii_case("request"))
}

/// The times the mail names, without those by which something is due.
fn wanted_times(facts: &ReplyFacts, text: &str, base: Date) -> Vec<Mention> {
    let is_due = |words: &str| normalize_text(words).has(DUE) && !normalize_text(words).has(MEET);
    let due: Vec<Mention> = sentences(text)
        .into_iter()
        .filter(|words| is_due(words))
        .flat_map(|words| mentions(words, base))
        .collect();
    let text =
        if invites(&facts.mail) { format!("{}\n\n{text}", facts.mail.subject) } else { text.to_owned() };
    mentions(&text, base).into_iter().filter(|mention| !due.contains(mention)).collect()
}

fn exact_time(mention: &Mention) -> Option<(Date, Time)> {
    match (mention.day, mention.time) {
        (Day::On(date), Some(time)) => Some((date, time)),
        _ => None,
    }
}

/// The length of a named range, in minutes.
fn range_minutes(mentions: &[Mention]) -> Option<u32> {
    let (from, until) =
        mentions.iter().find_map(|mention| window(mention).filter(|_| mention.until.is_some()))?;
    let minutes = (i32::from(until.hour()) - i32::from(from.hour())) * 60
        + (i32::from(until.minute()) - i32::from(from.minute()));
    u32::try_from(minutes).ok().filter(|minutes| (10..=180).contains(minutes))
}

fn check_calendar(facts: &ReplyFacts, history: &History<'_>, is_offered: bool, days: &[Date]) -> Call {
    let why = match history.calendar_failed {
        Some(why) => with_full_stop(&line(why, 200)),
        None if !is_offered => "There is no calendar to look into.".to_owned(),
        None => {
            let days: Vec<String> = days.iter().map(ToString::to_string).collect();
            return (CHECK_CALENDAR, json!({ "days": days }));
        }
    };
    question(format!("{} wants to meet. {why} What should I answer?", sender_name(facts)))
}

fn schedule(
    facts: &ReplyFacts,
    voice: Voice,
    to: &[String],
    habits: &Habits,
    start: &Zoned,
    minutes: u32,
) -> Call {
    let mut subject = facts.mail.subject.trim();
    while let Some(rest) = ["re:", "aw:", "fwd:", "fw:", "wg:"].iter().find_map(|head| {
        subject.get(..head.len())?.eq_ignore_ascii_case(head).then(|| subject[head.len()..].trim())
    }) {
        subject = rest;
    }
    let subject = match subject {
        "" => format!("Meeting with {}", sender_name(facts)),
        subject => subject.to_owned(),
    };
    let mut args = json!({
        "attendees": to,
        "subject": subject,
        "start": start.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        "duration_minutes": minutes,
        "content": letter::frame(facts, voice, &format!("{} {}", voice.thanks(), voice.invite())),
    });
    if let Some(place) = &habits.place {
        args["location"] = json!(place);
    }
    ("schedule_meeting", args)
}

fn now_and_zone(facts: &ReplyFacts) -> Result<(Zoned, TimeZone), String> {
    let at: Timestamp = facts.now.parse().map_err(|_| "at now: not a time (RFC 3339)".to_owned())?;
    let offset = Pieces::parse(&facts.now).ok().and_then(|pieces| pieces.to_numeric_offset());
    let zone = TimeZone::get(&facts.time_zone)
        .unwrap_or_else(|_| offset.map_or(TimeZone::UTC, |offset| offset.to_time_zone()));
    Ok((at.to_zoned(zone.clone()), zone))
}
