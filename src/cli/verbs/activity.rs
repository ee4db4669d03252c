//! `sayso activity`: what waits, what is allowed, and recent activity in numbers, as the Activity tab shows it.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::engine::graph::Kind;
use crate::inbox::door::ActivityPage;
use crate::inbox::{ActivityQuery, Card, ItemKind, Overview, SkippedCount, Status};
use jiff::SignedDuration;

/// Show what waits, what is allowed, and what went on lately
#[derive(Debug, clap::Args)]
#[command(
    alias = "status",
    after_help = "Examples:\n  \
    sayso activity\n  \
    sayso activity --days 7 --json\n  \
    sayso activity --short     one line, for status bars"
)]
pub struct Args {
    /// How many days to show, today included
    #[arg(long, value_name = "N", default_value_t = ActivityQuery::DAYS, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    /// One line, for status bars
    #[arg(long, conflicts_with = "days")]
    short: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        if self.short && !context.format.is_json() {
            return Ok(Output::line(brief(context).await));
        }
        let folder = context.open()?;
        let (inbox, now) = (folder.inbox(), folder.format.now.to_zoned(folder.format.zone.clone()));
        let (overview, skipped) = (inbox.statistics().overview().await?, skipped(&folder).await?);
        let activity = inbox.statistics().activity(ActivityQuery::last(self.days, &now)).await?;
        let (grants, sources) = (inbox.grants().list().await?, inbox.mail().sources().await?);
        let page = ActivityPage {
            overview: Some(&overview),
            skipped,
            activity: Some(&activity),
            grants: &grants,
            sources: &sources,
            storage: Some(&inbox.statistics().storage().await?),
            now: &now,
        };
        folder.format.answer(&page, |_| Card { blocks: page.blocks() }.text())
    }
}

/// Always one line: a prompt or a status bar has no room for errors. Creates no data folder.
async fn brief(context: Context) -> String {
    if !context.has_data() {
        return "0 open".to_owned();
    }
    let Ok(folder) = context.open() else { return "sayso ?".to_owned() };
    match folder.inbox().statistics().overview().await {
        Ok(overview) => short(&overview),
        Err(_) => "sayso ?".to_owned(),
    }
}

/// How much of the last day's mail was not shown.
pub(super) async fn skipped(folder: &OpenFolder) -> Result<SkippedCount, Failure> {
    let since = folder.format.now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(folder.format.now);
    Ok(folder.inbox().mail().skipped_since(since).await?)
}

/// How many items wait for a decision; a result only waits to be read.
fn decisions(overview: &Overview) -> u64 {
    overview.open.iter().map(|(_, count)| count).sum::<u64>() - overview.open_of(ItemKind::Result)
}

fn short(overview: &Overview) -> String {
    let mut parts = vec![format!("{} open", decisions(overview))];
    let mut add = |count: u64, word: &str| {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    };
    add(overview.open_of(ItemKind::Question(Kind::Trouble)), "trouble");
    let results = overview.open_of(ItemKind::Result);
    add(results, if results == 1 { "result" } else { "results" });
    add(overview.threads_in(Status::Held), "held");
    add(overview.threads_in(Status::Running), "running");
    add(overview.waiting_for_model, "waiting for the model");
    if overview.paused {
        parts.push("paused".to_owned());
    }
    parts.join(" · ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_form_names_only_what_there_is() {
        let overview = |open: u64, results: u64, running: u64, paused: bool| Overview {
            open: vec![("question".into(), open), ("trouble".into(), 0), ("result".into(), results)],
            snoozed: 1,
            threads: vec![("running".into(), running), ("done".into(), 2)],
            paused,
            driver: None,
            waiting_for_model: 0,
        };
        assert_eq!(short(&overview(0, 0, 0, false)), "0 open\n");
        assert_eq!(short(&overview(3, 2, 1, true)), "3 open · 2 results · 1 running · paused\n");
        assert_eq!(short(&overview(3, 1, 0, false)), "3 open · 1 result\n");
    }
}
