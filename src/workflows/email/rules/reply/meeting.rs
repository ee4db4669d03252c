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
    let is_answerable = invites(&context.facts.mail) && context.may("answer_invitation");
    if is_answerable && context.text.is_none() && context.times.is_empty() {
        let is_declined = matches!(context.verdict, Some(ReplyIntent::Decline | ReplyIntent::No));
        let answer = if is_declined { "decline" } else { "accept" };
        return vec![("answer_invitation", json!({ "answer": answer }))];
    }
    if matches!(context.verdict, Some(ReplyIntent::Decline | ReplyIntent::No)) {
        return letter::propose(context, &context.points);
    }
    if context.history.scheduled {
        return letter::propose(context, &others);
    }
    let has_text = context.text.is_some();
    if has_text && (others.is_empty() || context.history.calendar_failed.is_some()) {
        return letter::propose(context, &context.points);
    }
    let habits = Habits::read(&context.facts.cal_profile);
    let wanted_times = wanted_times(context);
    let today = context.now.date();
    let mut wanted_days = days(&wanted_times, today);
    if wanted_days.is_empty() {
        wanted_days = working_days(today, 3, &habits.excluded_weekdays);
    }
    let calendar = &context.history.calendar;
    let unchecked: Vec<Date> =
        wanted_days.iter().copied().filter(|day| !calendar.days.contains(day)).collect();
    if !unchecked.is_empty() {
        let is_blind =
            context.history.calendar_failed.is_some() || !context.may("check_calendar_availability");
        // If we can't look, a yes is all there is to know about the only question.
        if is_blind && context.verdict == Some(ReplyIntent::Yes) && context.points.len() == 1 {
            return letter::propose(context, &context.points);
        }
        return vec![check_calendar(context, &unchecked)];
    }
    let minutes =
        range_minutes(&wanted_times).or_else(|| minutes(&context.own_text)).unwrap_or(habits.minutes);
    let search = Search { now: &context.now, zone: &context.zone, habits: &habits, calendar, minutes };
    let exact = wanted_times.iter().filter_map(|mention| match (mention.day, mention.time) {
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
        if !others.is_empty() && !has_text {
            calls.push(letter::ask(context, &others));
        }
        return calls;
    }
    offer(context, &habits, &search, &wanted_times, &exact, &others)
}

/// A mail that offers free times.
fn offer(
    context: &ReplyContext<'_>,
    habits: &Habits,
    search: &Search<'_>,
    wanted_times: &[Mention],
    exact: &[(Date, jiff::civil::Time)],
    others: &[Point],
) -> Vec<Call> {
    let calendar = &context.history.calendar;
    let has_own_times = !context.times.is_empty();
    // If the person names days, offer only those.
    let named_days = if has_own_times { days(wanted_times, context.now.date()) } else { Vec::new() };
    let free =
        search.up_to_three(wanted_times, if named_days.is_empty() { &calendar.days } else { &named_days });
    if free.is_empty() {
        let last = calendar.days.iter().max().copied().unwrap_or(context.now.date());
        // Look once more, a little later; then ask the person.
        return if calendar.days.len() <= 5 && named_days.is_empty() {
            vec![check_calendar(context, &working_days(last, 3, &habits.excluded_weekdays))]
        } else {
            vec![question(format!(
                "{} wants to meet, and I found no free {} minutes on the days I checked. When would suit you?",
                context.sender_name(),
                search.minutes
            ))]
        };
    }
    let mut paragraphs = Vec::new();
    if !others.is_empty() {
        match letter::answers(context, others) {
            Some(answers) => paragraphs.extend(answers),
            None => return vec![letter::ask(context, others)],
        }
    }
    if let Some((date, time)) = exact.first().filter(|_| !has_own_times)
        && let Some(start) = search.zoned(*date, *time)
        && start > context.now
    {
        paragraphs.push(context.voice.busy(&context.voice.time(&start)));
    }
    paragraphs.push(context.voice.offer(free.len() == 1));
    let rows: Vec<String> = free.iter().map(|start| format!("- {}", context.voice.time(start))).collect();
    paragraphs.push(rows.join("\n"));
    vec![mail_with_list(context, paragraphs)]
}

/// Puts the offered times right below their question.
fn mail_with_list(context: &ReplyContext<'_>, paragraphs: Vec<String>) -> Call {
    let (name, mut args) = letter::mail(context, paragraphs);
    if let Some(text) = args["content"].as_str().map(|text| text.replace("?\n\n- ", "?\n- ")) {
        args["content"] = json!(text);
    }
    (name, args)
}

/// The times to use: the person's newest, else those in the mail.
fn wanted_times(context: &ReplyContext<'_>) -> Vec<Mention> {
    let mut text = context.own_text.clone();
    if invites(&context.facts.mail) {
        text = format!("{}\n\n{text}", context.facts.mail.subject);
    }
    let mail_times: Vec<Mention> = mentions(&text, context.mail_date)
        .into_iter()
        .filter(|mention| {
            !context.points.iter().any(|point| point.deadline.map(Day::On) == Some(mention.day))
        })
        .collect();
    if context.times.is_empty() {
        return mail_times;
    }
    // "In the afternoon" applies to all days that were mentioned.
    if let [only @ Mention { day: Day::Unnamed, time: None, .. }] = context.times[..] {
        let days = if mail_times.is_empty() { vec![only] } else { mail_times };
        return days.into_iter().map(|mention| Mention { day: mention.day, ..only }).collect();
    }
    // "At four" applies to the day that was mentioned, "Friday" to the time.
    let day = mail_times.iter().find_map(|mention| matches!(mention.day, Day::On(_)).then_some(mention.day));
    let start = context.history.returned.and_then(|call| call.start());
    let proposed = start.map(|at| at.to_zoned(context.zone.clone()));
    let day = proposed.as_ref().map(|at| Day::On(at.date())).or(day).unwrap_or(Day::Unnamed);
    let time = proposed.map(|at| at.time()).or_else(|| mail_times.iter().find_map(|mention| mention.time));
    let complete = |mention: &Mention| Mention {
        day: if mention.day == Day::Unnamed { day } else { mention.day },
        time: mention.time.or(time.filter(|_| mention.part.is_none())),
        ..*mention
    };
    context.times.iter().map(complete).collect()
}

/// The length of a named range, in minutes.
fn range_minutes(mentions: &[Mention]) -> Option<u32> {
    let (from, until) =
        mentions.iter().find_map(|mention| window(mention).filter(|_| mention.until.is_some()))?;
    let minutes = (i32::from(until.hour()) - i32::from(from.hour())) * 60
        + (i32::from(until.minute()) - i32::from(from.minute()));
    u32::try_from(minutes).ok().filter(|minutes| (10..=180).contains(minutes))
}

fn check_calendar(context: &ReplyContext<'_>, days: &[Date]) -> Call {
    if let Some(why) = context.history.calendar_failed {
        let why = with_full_stop(&line(why, 200));
        return question(format!("{} wants to meet. {why} What should I answer?", context.sender_name()));
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
        subject = format!("Meeting with {}", context.sender_name());
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
