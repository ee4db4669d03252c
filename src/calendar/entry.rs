//! An event from a calendar. We read it completely or not at all.

use super::lines::{Component, Line};
use super::short;
use super::time::moment::{Length, Moment};
use super::time::rule::Rule;
use super::time::zone::Zone;
use crate::text::short_line;
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::sync::Arc;

/// An RDATE of a recurrence: another start, perhaps with its own length.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ExtraDate {
    pub start: Moment,
    pub length: Option<Length>,
}

/// The occurrence that an event replaces.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReplacedOccurrence {
    pub start: Moment,
    /// Also all later ones.
    pub onwards: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub uid: String,
    pub title: String,
    pub sequence: i64,
    /// Whether it takes time at all: not if it is cancelled or marked as free.
    pub matches_time: bool,
    pub start: Moment,
    pub length: Length,
    pub rules: Vec<Rule>,
    pub extra: Vec<ExtraDate>,
    pub except: Vec<Moment>,
    pub replaces: Option<ReplacedOccurrence>,
}

/// What is wrong with a time that has no instant.
pub(super) const BEYOND: &str = "its times are too far in the future";
const BACKWARDS: &str = "it ends before it begins";

/// The zones of a text: those it defines, and the well-known ones.
pub(super) struct Zones(HashMap<String, Result<Arc<Zone>, String>>);

impl Zones {
    /// Collects the zones that the calendars define.
    pub fn of(calendars: &[Component]) -> Self {
        let definitions = calendars.iter().flat_map(|calendar| &calendar.inside);
        let definitions = definitions.filter(|part| part.kind == "VTIMEZONE");
        Self(definitions.map(|zone| (zone.text("TZID"), Zone::defined(zone).map(Arc::new))).collect())
    }

    /// The zone of a `TZID`. A well-known name means the well-known zone, even if the text defines it differently.
    pub fn find(&self, id: &str) -> Result<Arc<Zone>, String> {
        match (Zone::by_name(id), self.0.get(id.trim())) {
            (Some(known), _) => Ok(Arc::new(known)),
            (None, Some(Ok(defined))) => Ok(defined.clone()),
            (None, Some(Err(why))) => Err(format!("its time zone ({}) cannot be followed: {why}", short(id))),
            (None, None) => Err(format!(
                "its time zone is not known ({}), and the calendar does not define it",
                short(id)
            )),
        }
    }
}

/// How many columns of a title are shown.
pub(super) const MAX_TITLE: usize = 200;

/// The title of an event: one line, shortened.
pub(super) fn title(event: &Component) -> String {
    short_line(&event.text("SUMMARY"), MAX_TITLE)
}

impl Entry {
    /// Reads a `VEVENT`.
    pub fn read(event: &Component, zones: &Zones, person: &TimeZone) -> Result<Self, String> {
        let moment = |line: &Line, value: &str| Moment::of(line, value, |id| zones.find(id));
        let first = |name: &str| event.line(name).map(|line| moment(line, &line.value)).transpose();
        let replaces = match event.line("RECURRENCE-ID") {
            Some(line) => Some(ReplacedOccurrence {
                start: moment(line, &line.value)?,
                onwards: line.param("RANGE").is_some_and(|range| range.eq_ignore_ascii_case("THISANDFUTURE")),
            }),
            None => None,
        };
        let cancelled = event.text("STATUS").eq_ignore_ascii_case("CANCELLED");
        let transparent = event.text("TRANSP").eq_ignore_ascii_case("TRANSPARENT");
        let start = match (first("DTSTART")?, &replaces) {
            (Some(start), _) => start,
            // A cancellation need not repeat when the occurrence would have been.
            (None, Some(replaces)) if cancelled => replaces.start.clone(),
            (None, _) => return Err("it has no DTSTART".to_owned()),
        };
        if event.line("EXRULE").is_some() {
            return Err("it uses EXRULE, which sayso does not follow".to_owned());
        }
        let rules: Result<Vec<Rule>, _> = event.all("RRULE").map(|line| Rule::read(&line.value)).collect();
        let except: Result<Vec<Moment>, _> = event
            .all("EXDATE")
            .flat_map(|line| line.value.split(',').map(move |value| moment(line, value)))
            .collect();
        let extra: Result<Vec<ExtraDate>, String> = event
            .all("RDATE")
            .flat_map(|line| line.value.split(',').map(move |value| (line, value)))
            .map(|(line, value)| extra(line, value, &moment, person))
            .collect();
        Ok(Self {
            uid: event.text("UID"),
            title: title(event),
            sequence: event.text("SEQUENCE").parse().unwrap_or(0),
            matches_time: !cancelled && !transparent,
            length: length(event, &start, first("DTEND")?, person)?,
            start,
            rules: rules?,
            extra: extra?,
            except: except?,
            replaces,
        })
    }
}

/// All events of some calendars. If one cannot be read, the error has its title and UID.
pub(super) fn entries_of(
    calendars: &[Component],
    person: &TimeZone,
) -> Result<Vec<Entry>, (String, String, String)> {
    let zones = Zones::of(calendars);
    let inside = calendars.iter().flat_map(|calendar| &calendar.inside);
    let read = |event: &Component| {
        Entry::read(event, &zones, person).map_err(|error| (title(event), event.text("UID"), error))
    };
    inside.filter(|part| part.kind == "VEVENT").map(read).collect()
}

fn length(
    event: &Component,
    start: &Moment,
    end: Option<Moment>,
    person: &TimeZone,
) -> Result<Length, String> {
    match (end, event.line("DURATION")) {
        (Some(end), _) if start.is_day() && end.is_day() => {
            let days = end.civil.duration_since(start.civil).as_hours() / 24;
            // Some programs end a one-day event on the same day.
            if days < 0 { Err(BACKWARDS.to_owned()) } else { Ok(days_long(days.max(1))) }
        }
        (Some(end), _) => between(start, &end, person),
        (None, Some(line)) => duration("DURATION", &line.value),
        (None, None) if start.is_day() => Ok(days_long(1)),
        (None, None) => Ok(days_long(0)),
    }
}

fn duration(name: &str, text: &str) -> Result<Length, String> {
    Length::read(text).ok_or_else(|| format!("its {name} is not a duration ({})", super::short(text)))
}

fn days_long(days: i64) -> Length {
    Length { days, exact: SignedDuration::ZERO }
}

fn between(start: &Moment, end: &Moment, person: &TimeZone) -> Result<Length, String> {
    let (from, until) = (start.instant(person), end.instant(person));
    let (from, until) = from.zip(until).ok_or(BEYOND)?;
    let exact = until.duration_since(from);
    if exact.is_negative() { Err(BACKWARDS.to_owned()) } else { Ok(Length { days: 0, exact }) }
}

fn extra(
    line: &Line,
    value: &str,
    moment: &dyn Fn(&Line, &str) -> Result<Moment, String>,
    person: &TimeZone,
) -> Result<ExtraDate, String> {
    let Some((start, end)) = value.split_once('/') else {
        return Ok(ExtraDate { start: moment(line, value)?, length: None });
    };
    let start = moment(line, start)?;
    let length = if end.trim_start().starts_with(['P', 'p', '+', '-']) {
        duration("RDATE", end)?
    } else {
        between(&start, &moment(line, end)?, person)?
    };
    Ok(ExtraDate { start, length: Some(length) })
}
