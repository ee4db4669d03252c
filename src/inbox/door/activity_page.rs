//! The page of the Activity tab, which `sayso activity` prints too.

use super::name_words;
use crate::inbox::{
    Activity, Block, DayBars, DayLine, GrantLine, Overview, SkippedCount, SourceLine, Storage,
};
use crate::text::{Visible, ago, bytes, short_count as short};
use jiff::Zoned;
use jiff::tz::TimeZone;
use serde::Serialize;

/// What the page is made of. What has not been read yet is `None`.
#[derive(Debug, Serialize)]
pub struct ActivityPage<'a> {
    #[serde(flatten)]
    pub overview: Option<&'a Overview>,
    /// Mail of the last day.
    pub skipped: SkippedCount,
    #[serde(flatten)]
    pub activity: Option<&'a Activity>,
    /// Empty where they are listed next to the page.
    pub grants: &'a [GrantLine],
    pub sources: &'a [SourceLine],
    pub storage: Option<&'a Storage>,
    /// The person's clock.
    #[serde(skip)]
    pub now: &'a Zoned,
}

impl ActivityPage<'_> {
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks =
            vec![Block::Fields(self.overview.map(|now| self.situation(now)).unwrap_or_default())];
        let zone = self.now.time_zone();
        let allowed = self.grants.iter().filter(|grant| grant.in_force);
        let allowed =
            allowed.map(|grant| field(&name_words(&grant.tool), reach(grant, zone))).collect::<Vec<_>>();
        if !allowed.is_empty() {
            blocks.extend([heading("Allowed without asking"), Block::Fields(allowed)]);
        }
        blocks.extend([heading("Mailboxes and servers"), self.mailboxes()]);
        if let Some(activity) = self.activity {
            let date = |day: &DayLine| day.day.to_zoned(zone.clone()).strftime("%d").to_string();
            let bars = activity.days.iter().map(|day| (date(day), day.decisions.by_people()));
            blocks.extend([
                heading("Decided"),
                text(&decided(activity)),
                Block::Bars(DayBars(bars.collect())),
            ]);
            blocks.extend([heading("Models and cost"), text(&spent(activity))]);
        }
        let storage = self.storage.map_or("Looking …".to_owned(), |storage| {
            let (file, free) = (bytes(storage.file), bytes(storage.free));
            format!("The file takes {file} with its log, {free} of it unused.")
        });
        blocks.extend([heading("Storage"), text(&storage)]);
        blocks
    }

    fn situation(&self, overview: &Overview) -> Vec<(Visible, Visible)> {
        let counts = |counts: &[(String, u64)]| {
            let some = counts.iter().filter(|(_, n)| *n > 0);
            let parts: Vec<String> = some.map(|(word, n)| format!("{n} {word}")).collect();
            if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
        };
        let driver = match (overview.driver, overview.paused) {
            (_, true) => "paused; `sayso pause --off` lets threads go on".to_owned(),
            (Some(pid), false) => format!("process {pid}"),
            (None, false) => "none; `sayso watch` starts one".to_owned(),
        };
        let mut fields = vec![
            field("waiting for you", counts(&overview.open)),
            field("threads", counts(&overview.threads)),
            field("driver", driver),
        ];
        if overview.snoozed > 0 {
            fields.insert(1, field("snoozed", overview.snoozed.to_string()));
        }
        if overview.waiting_for_model > 0 {
            let waiting = overview.waiting_for_model;
            fields.push(field("model", format!("out of reach; {waiting} threads wait for it")));
        }
        if self.skipped.mails > 0 {
            fields.push(field("mail", format!("{} in the last day", self.skipped)));
        }
        fields
    }

    fn mailboxes(&self) -> Block {
        if self.sources.is_empty() {
            return text("No mailbox is set up. Add one as [[mail]] in the config.");
        }
        let since = |at| ago(at, self.now.timestamp());
        let status = |line: &SourceLine| match (&line.error, line.ok_at) {
            (Some(error), Some(at)) if line.is_partial() => format!("● checked {}, but {error}", since(at)),
            (Some(error), Some(at)) => format!("✗ fails: {error}; it last worked {}", since(at)),
            (Some(error), None) => format!("✗ fails: {error}"),
            (None, Some(at)) => format!("● checked {}", since(at)),
            (None, None) => "○ not checked yet".to_owned(),
        };
        Block::Fields(self.sources.iter().map(|line| field(&line.source, status(line))).collect())
    }
}

/// How far and until when a grant reaches.
fn reach(grant: &GrantLine, zone: &TimeZone) -> String {
    let until = grant.until(zone).map(|end| format!(", until {end}"));
    grant.scope.clone() + &until.unwrap_or_default()
}

fn field(name: &str, value: String) -> (Visible, Visible) {
    (Visible::line(name), Visible::line(&value))
}

fn heading(text: &str) -> Block {
    Block::Heading(Visible::line(text))
}

fn text(text: &str) -> Block {
    Block::Text(Visible::new(text))
}

fn decided(activity: &Activity) -> String {
    let today = activity.days.last().map_or(0, |day| day.decisions.by_people());
    let total: u64 = activity.days.iter().map(|day| day.decisions.by_people()).sum();
    let granted: u64 = activity.days.iter().map(|day| day.decisions.granted).sum();
    format!("{today} today, {total} in {} days; {granted} more by grants", activity.days.len())
}

/// What the models did, and what the built-in rules did in place of one; then each model.
fn spent(activity: &Activity) -> String {
    let sum = |count: fn(&DayLine) -> u64| activity.days.iter().map(count).sum::<u64>();
    let (by_rules, tokens) = (activity.by_rules(), short(sum(|day| day.tokens)));
    let rules = format!("{} answers of the built-in rules", short(by_rules));
    let models = sum(|day| day.calls).saturating_sub(by_rules);
    let cost = price(Some(activity.days.iter().map(|day| day.cost).sum()));
    let usage = format!("{} model calls · {tokens} tokens · {cost}", short(models));
    let mut text = match (models, by_rules) {
        (_, 0) => usage,
        (0, _) => rules,
        (_, _) => format!("{usage} · {rules}"),
    };
    for line in &activity.models {
        text += &format!(
            "\n{}: {} calls, {} failed · {} tokens read, {} written · {}",
            Visible::line(&line.model),
            short(line.calls),
            line.failed,
            short(line.input),
            short(line.output),
            price(line.cost)
        );
    }
    text
}

fn price(cost: Option<f64>) -> String {
    match cost {
        None => "price not known".to_owned(),
        Some(0.0) => "$0".to_owned(),
        Some(cost) if cost < 0.1 => format!("${cost:.4}"),
        Some(cost) => format!("${cost:.2}"),
    }
}
