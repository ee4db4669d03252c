//! Turns events into busy times: follows recurrences, leaves out exceptions, puts in changed occurrences.

use super::Busy;
use super::entry::{BEYOND, Entry};
use super::time::expand;
use super::time::moment::{Clock, Length, Moment, after};
use super::time::written::{Form, Written};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How many busy times one query may find.
const MAX_TIMES: usize = 50_000;

const TOO_OFTEN: &str = "it recurs too often to be followed";

/// A time window, and the person's time zone.
pub(super) struct Window<'a> {
    pub from: Timestamp,
    pub until: Timestamp,
    pub person: &'a TimeZone,
}

/// An event, and what is wrong with it.
pub(super) type BrokenEvent<'a> = (&'a Entry, String);

/// All busy times of the events within a window, sorted by start.
pub(super) fn busy_times<'a>(
    entries: &'a [Entry],
    window: &Window<'_>,
) -> Result<Vec<Busy>, BrokenEvent<'a>> {
    let mut families: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    let mut collector = Collector { seen: HashSet::new(), busy: Vec::new() };
    for entry in entries {
        families.entry(&entry.uid).or_default().push(entry);
    }
    for (uid, family) in families {
        // Without a UID we cannot tell which belong together.
        let (changes, masters): (Vec<&Entry>, Vec<&Entry>) =
            family.into_iter().partition(|entry| entry.replaces.is_some() && !uid.is_empty());
        let changes = Changes::of(changes, window.person);
        for master in masters {
            add_series(master, &changes, window, &mut collector).map_err(|error| (master, error))?;
        }
        for change in changes.all {
            let start = change.start.civil;
            collector.add(change, start, change.length, window).map_err(|error| (change, error))?;
        }
    }
    collector.busy.sort_by(|a, b| (a.start, a.end, &a.title).cmp(&(b.start, b.end, &b.title)));
    Ok(collector.busy)
}

struct Collector {
    seen: HashSet<(String, Timestamp, Timestamp)>,
    busy: Vec<Busy>,
}

impl Collector {
    /// Adds one occurrence if it takes time and lies in the window.
    fn add(
        &mut self,
        entry: &Entry,
        start: DateTime,
        length: Length,
        window: &Window<'_>,
    ) -> Result<(), String> {
        let clock = &entry.start.clock;
        let begins = clock.instant(start, window.person).ok_or(BEYOND)?;
        let ends = length.end(start, clock, window.person).ok_or(BEYOND)?;
        self.push(entry, begins, ends, window)
    }

    fn push(
        &mut self,
        entry: &Entry,
        start: Timestamp,
        end: Timestamp,
        window: &Window<'_>,
    ) -> Result<(), String> {
        let is_inside = start < window.until && (end > window.from || (end == start && start >= window.from));
        if !entry.matches_time || !is_inside || !self.seen.insert((entry.uid.clone(), start, end)) {
            return Ok(());
        }
        if self.busy.len() >= MAX_TIMES {
            return Err(TOO_OFTEN.to_owned());
        }
        self.busy.push(Busy { start, end, title: entry.title.clone(), all_day: entry.start.is_day() });
        Ok(())
    }
}

/// Adds every occurrence of an event that no change replaces.
fn add_series(
    master: &Entry,
    changes: &Changes<'_>,
    window: &Window<'_>,
    collector: &mut Collector,
) -> Result<(), String> {
    let person = window.person;
    if !master.matches_time && changes.all.iter().all(|change| !change.matches_time) {
        return Ok(());
    }
    // Changes may move occurrences into the window from outside, so they decide how far to look.
    let onwards = || changes.onwards.iter().map(|(_, change)| *change);
    let lengths = onwards().map(|change| reach(change, person)).chain([master.length]);
    let utc = |time: Timestamp| TimeZone::UTC.to_datetime(time);
    let from = lengths.map(|length| length.before(utc(window.from))).min().unwrap_or(DateTime::MIN);
    let earlier = onwards().map(|change| shift(change, person)).min().unwrap_or(SignedDuration::ZERO);
    let until = after(utc(window.until)).checked_sub(earlier.min(SignedDuration::ZERO));
    let until = until.unwrap_or(DateTime::MAX);

    let clock = &master.start.clock;
    let mut starts: Vec<(Moment, Option<Length>)> = vec![(master.start.clone(), None)];
    for rule in &master.rules {
        let times = expand::times(rule, master.start.civil, from, until).map_err(|_| TOO_OFTEN)?;
        let holds =
            |time: &DateTime| rule.until.as_ref().is_none_or(|until| is_within(*time, clock, until, person));
        let times = times.into_iter().filter(holds);
        starts.extend(times.map(|civil| (Moment { civil, clock: clock.clone() }, None)));
    }
    starts.extend(master.extra.iter().map(|extra| (extra.start.clone(), extra.length)));

    let except = ByMoment::of(master.except.iter().map(|moment| (moment, ())), person);
    for (start, length) in starts {
        if except.get(&start, person).is_some() {
            continue;
        }
        let begins = start.instant(person).ok_or(BEYOND)?;
        if let Some(change) = changes.onwards_at(&start, begins, person) {
            let begins = begins.checked_add(shift(change, person)).map_err(|_| BEYOND)?;
            let (civil, clock) = if change.start.is_day() {
                (person.to_datetime(begins), Clock::Day)
            } else {
                (utc(begins), Clock::Utc)
            };
            let ends = change.length.end(civil, &clock, person).ok_or(BEYOND)?;
            collector.push(change, begins, ends, window)?;
        } else if changes.single.get(&start, person).is_none() {
            let length = length.unwrap_or(master.length);
            let ends = length.end(start.civil, &start.clock, person).ok_or(BEYOND)?;
            collector.push(master, begins, ends, window)?;
        }
    }
    Ok(())
}

/// Occurrences by the moments that name them. A date names everything that begins on that day.
struct ByMoment<T> {
    instants: HashMap<Timestamp, T>,
    days: HashMap<Date, T>,
}

impl<T: Clone> ByMoment<T> {
    fn of<'a>(moments: impl Iterator<Item = (&'a Moment, T)>, person: &TimeZone) -> Self {
        let mut by_moment = Self { instants: HashMap::new(), days: HashMap::new() };
        for (moment, value) in moments {
            if moment.is_day() {
                drop(by_moment.days.insert(moment.civil.date(), value))
            } else {
                if let Some(instant) = moment.instant(person) {
                    by_moment.instants.insert(instant, value);
                }
            }
        }
        by_moment
    }

    fn get(&self, start: &Moment, person: &TimeZone) -> Option<&T> {
        let day = || self.days.get(&start.civil.date());
        start.instant(person).and_then(|instant| self.instants.get(&instant)).or_else(day)
    }
}

/// The changes that replace occurrences.
struct Changes<'a> {
    /// The newest change of each occurrence.
    all: Vec<&'a Entry>,
    single: ByMoment<()>,
    /// Changes with RANGE=THISANDFUTURE, sorted by start.
    onwards: Vec<(Timestamp, &'a Entry)>,
}

impl<'a> Changes<'a> {
    fn of(changes: Vec<&'a Entry>, person: &TimeZone) -> Self {
        let replaced_start = |entry: &Entry| entry.replaces.as_ref().and_then(|it| it.start.instant(person));
        let mut newest: HashMap<Option<Timestamp>, i64> = HashMap::new();
        for change in &changes {
            let sequence = newest.entry(replaced_start(change)).or_insert(change.sequence);
            *sequence = (*sequence).max(change.sequence);
        }
        let mut all = changes;
        all.retain(|change| {
            newest.get(&replaced_start(change)).is_none_or(|newest| change.sequence >= *newest)
        });
        let replaces = |change: &&'a Entry| change.replaces.as_ref();
        let single = ByMoment::of(all.iter().filter_map(replaces).map(|it| (&it.start, ())), person);
        let mut onwards: Vec<(Timestamp, &Entry)> = all
            .iter()
            .filter(|change| replaces(change).is_some_and(|it| it.onwards))
            .filter_map(|change| replaced_start(change).map(|at| (at, *change)))
            .collect();
        onwards.sort_by_key(|(at, _)| *at);
        Self { all, single, onwards }
    }

    /// The change that moves an occurrence and all later ones, unless the occurrence has its own change.
    fn onwards_at(&self, start: &Moment, begins: Timestamp, person: &TimeZone) -> Option<&'a Entry> {
        let (from, change) = self.onwards.iter().rev().find(|(from, _)| *from <= begins)?;
        let has_own_change = *from != begins && self.single.get(start, person).is_some();
        (!has_own_change).then_some(*change)
    }
}

/// How far a change moves the occurrence it replaces.
fn shift(change: &Entry, person: &TimeZone) -> SignedDuration {
    let old = change.replaces.as_ref().and_then(|it| it.start.instant(person));
    match (old, change.start.instant(person)) {
        (Some(old), Some(new)) => new.duration_since(old),
        _ => SignedDuration::ZERO,
    }
}

/// How long before a window the occurrences moved by a change may have begun.
fn reach(change: &Entry, person: &TimeZone) -> Length {
    let exact = change.length.exact.saturating_add(shift(change, person).max(SignedDuration::ZERO));
    Length { days: change.length.days, exact }
}

/// Whether a time is within a rule's end. If the end is a date, the whole day counts.
fn is_within(time: DateTime, clock: &Clock, until: &Written, person: &TimeZone) -> bool {
    match until.form {
        Form::Day => time.date() <= until.civil.date(),
        // Compared by the event's own clock.
        Form::Local => time <= until.civil,
        Form::Utc if *clock == Clock::Day => time.date() <= until.civil.date(),
        Form::Utc => match (clock.instant(time, person), Clock::Utc.instant(until.civil, person)) {
            (Some(time), Some(until)) => time <= until,
            _ => true,
        },
    }
}
