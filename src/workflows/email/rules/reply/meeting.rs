//! Meetings: check the calendar first, then take a time the sender named if it is free, else offer free times by mail.

use jiff::civil::Date;
use serde_json::json;

use super::Call;
use super::context::ReplyContext;
use super::intent::ReplyIntent;
use super::letter::{self, question};
use super::points::{Point, invites};
use super::slots::{Habits, Search, days, window, working_days};
use super::when::{Day, Mention, mentions, minutes};
use crate::text::words::{line, with_full_stop};

/// The calls for a mail that wants to meet.
pub(super) fn propose(context: &ReplyContext<'_>) -> Vec<Call> {
    let others: Vec<Point> = context.points.iter().filter(|point| !point.meeting).cloned().collect();
    let answers = invites(&context.facts.mail) && context.may("answer_invitation");
    if answers && context.text.is_none() && context.times.is_empty() {
        let declined = matches!(context.verdict, Some(ReplyIntent::Decline | ReplyIntent::No));
        let answer = if declined { "decline" } else { "accept" };
        return vec![("answer_invitation", json!({ "answer": answer }))];
    }
    if matches!(context.verdict, Some(ReplyIntent::Decline | ReplyIntent::No)) {
        return letter::propose(context, &context.points);
    }
    if context.history.met {
        return letter::propose(context, &others);
    }
    let told = context.text.is_some();
    if told && (others.is_empty() || context.history.calendar_failed.is_some()) {
        return letter::propose(context, &context.points);
    }
    let habits = Habits::read(&context.facts.cal_profile);
    let wanted = wanted(context);
    let today = context.now.date();
    let mut wanted_days = days(&wanted, today);
    if wanted_days.is_empty() {
        wanted_days = working_days(today, 3, &habits.never);
    }
    let known = &context.history.known;
    let missing: Vec<Date> = wanted_days.iter().copied().filter(|day| !known.days.contains(day)).collect();
    if !missing.is_empty() {
        let blind = context.history.calendar_failed.is_some() || !context.may("check_calendar_availability");
        // If we can't look, a yes is all there is to know about the only question.
        if blind && context.verdict == Some(ReplyIntent::Yes) && context.points.len() == 1 {
            return letter::propose(context, &context.points);
        }
        return vec![look(context, &missing)];
    }
    let minutes = range(&wanted).or_else(|| minutes(&context.own)).unwrap_or(habits.minutes);
    let search = Search { now: &context.now, zone: &context.zone, habits: &habits, known, minutes };
    let exact = wanted.iter().filter_map(|mention| match (mention.day, mention.time) {
        (Day::On(date), Some(time)) => Some((date, time)),
        _ => None,
    });
    let exact: Vec<_> = exact.collect();
    let mut fitting: Vec<_> = exact.iter().filter_map(|(date, time)| search.exactly(*date, *time)).collect();
    if let Some(part) = habits.prefer {
        let (from, until) = part.hours();
        fitting.sort_by_key(|start| !(start.time() >= from && start.time() < until));
    }
    if let Some(start) = fitting.first() {
        let mut calls = vec![schedule(context, &habits, start, minutes)];
        if !others.is_empty() && !told {
            calls.push(letter::ask(context, &others));
        }
        return calls;
    }
    offer(context, &habits, &search, &wanted, &exact, &others)
}

/// A mail that offers free times.
fn offer(
    context: &ReplyContext<'_>,
    habits: &Habits,
    search: &Search<'_>,
    wanted: &[Mention],
    exact: &[(Date, jiff::civil::Time)],
    others: &[Point],
) -> Vec<Call> {
    let known = &context.history.known;
    let mine = !context.times.is_empty();
    // If the person names days, offer only those.
    let named = if mine { days(wanted, context.now.date()) } else { Vec::new() };
    let free = search.three(wanted, if named.is_empty() { &known.days } else { &named });
    if free.is_empty() {
        let last = known.days.iter().max().copied().unwrap_or(context.now.date());
        // Look once more, a little later; then ask the person.
        return if known.days.len() <= 5 && named.is_empty() {
            vec![look(context, &working_days(last, 3, &habits.never))]
        } else {
            vec![question(format!(
                "{} wants to meet, and I found no free {} minutes on the days I checked. When would suit you?",
                context.who(),
                search.minutes
            ))]
        };
    }
    let mut said = Vec::new();
    if !others.is_empty() {
        match letter::answers(context, others) {
            Some(answers) => said.extend(answers),
            None => return vec![letter::ask(context, others)],
        }
    }
    if let Some((date, time)) = exact.first().filter(|_| !mine)
        && let Some(start) = search.at(*date, *time)
        && start > context.now
    {
        said.push(context.voice.busy(&context.voice.time(&start)));
    }
    said.push(context.voice.offer(free.len() == 1));
    let rows: Vec<String> = free.iter().map(|start| format!("- {}", context.voice.time(start))).collect();
    said.push(rows.join("\n"));
    vec![list(context, said)]
}

/// Puts the offered times right below their question.
fn list(context: &ReplyContext<'_>, said: Vec<String>) -> Call {
    let (name, mut args) = letter::mail(context, said);
    if let Some(text) = args["content"].as_str().map(|text| text.replace("?\n\n- ", "?\n- ")) {
        args["content"] = json!(text);
    }
    (name, args)
}

/// The times to use: the person's newest, else those in the mail.
fn wanted(context: &ReplyContext<'_>) -> Vec<Mention> {
    let mut text = context.own.clone();
    if invites(&context.facts.mail) {
        text = format!("{}\n\n{text}", context.facts.mail.subject);
    }
    let theirs: Vec<Mention> = mentions(&text, context.written)
        .into_iter()
        .filter(|mention| {
            !context.points.iter().any(|point| point.deadline.map(Day::On) == Some(mention.day))
        })
        .collect();
    if context.times.is_empty() {
        return theirs;
    }
    // "In the afternoon" applies to all days that were mentioned.
    if let [only @ Mention { day: Day::Unnamed, time: None, .. }] = context.times[..] {
        let days = if theirs.is_empty() { vec![only] } else { theirs };
        return days.into_iter().map(|mention| Mention { day: mention.day, ..only }).collect();
    }
    // "At four" applies to the day that was mentioned, "Friday" to the time.
    let day = theirs.iter().find_map(|mention| matches!(mention.day, Day::On(_)).then_some(mention.day));
    let start = context.history.returned.and_then(|call| call.start());
    let proposed = start.map(|at| at.to_zoned(context.zone.clone()));
    let day = proposed.as_ref().map(|at| Day::On(at.date())).or(day).unwrap_or(Day::Unnamed);
    let time = proposed.map(|at| at.time()).or_else(|| theirs.iter().find_map(|mention| mention.time));
    let complete = |mention: &Mention| Mention {
        day: if mention.day == Day::Unnamed { day } else { mention.day },
        time: mention.time.or(time.filter(|_| mention.part.is_none())),
        ..*mention
    };
    context.times.iter().map(complete).collect()
}

/// The length of a named range, in minutes.
fn range(wanted: &[Mention]) -> Option<u32> {
    let (from, until) =
        wanted.iter().find_map(|mention| window(mention).filter(|_| mention.until.is_some()))?;
    let minutes = (i32::from(until.hour()) - i32::from(from.hour())) * 60
        + (i32::from(until.minute()) - i32::from(from.minute()));
    u32::try_from(minutes).ok().filter(|minutes| (10..=180).contains(minutes))
}

fn look(context: &ReplyContext<'_>, days: &[Date]) -> Call {
    if let Some(why) = context.history.calendar_failed {
        let why = with_full_stop(&line(why, 200));
        return question(format!("{} wants to meet. {why} What should I answer?", context.who()));
    }
    if !context.may("check_calendar_availability") {
        return letter::ask(context, &context.points);
    }
    let days: Vec<String> = days.iter().map(ToString::to_string).collect();
    ("check_calendar_availability", json!({"days": days}))
}

fn schedule(context: &ReplyContext<'_>, habits: &Habits, start: &jiff::Zoned, minutes: u32) -> Call {
    let facts = context.facts;
    let mut attendees = context.to.clone();
    if context.to_all {
        attendees.extend(facts.reply_all.iter().cloned());
    }
    let mut subject = facts.mail.subject.trim().to_owned();
    while let Some(rest) = ["re:", "aw:", "fwd:", "fw:", "wg:"].iter().find_map(|head| {
        subject.get(..head.len())?.eq_ignore_ascii_case(head).then(|| subject[head.len()..].trim().to_owned())
    }) {
        subject = rest;
    }
    if subject.is_empty() {
        subject = format!("Meeting with {}", context.who());
    }
    let mut args = json!({
        "attendees": attendees,
        "subject": subject,
        "start": start.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        "duration_minutes": minutes,
        "content": letter::invitation_text(context),
    });
    if let Some(place) = &habits.place {
        args["location"] = json!(place);
    }
    ("schedule_meeting", args)
}
