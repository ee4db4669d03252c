//! `sayso snooze`: hides an interrupt until a given time.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::ids::interrupt;
use crate::cli::output::Output;
use crate::cli::pages;
use crate::inbox::Item;
use crate::text::when;

/// Hide an interrupt until a given time
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Days without an hour begin at 09:00, by the clock of [user] time_zone.\n\nExamples:\n  \
    sayso snooze i7k2m9q4x 2h\n  \
    sayso snooze i7k2 monday\n  \
    sayso snooze i7k2 2026-11-20T08:00:00Z\n  \
    sayso snooze i7k2 off"
)]
pub struct Args {
    /// The interrupt
    id: String,
    /// 30m, 2h, 3d, tomorrow, monday, 2026-11-20, 09:00 or an RFC 3339 time; off wakes it
    when: String,
}

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let id = interrupt(&self.id)?;
        let folder = context.open()?;
        let until = when::parse_snooze(&self.when, &folder.format.now.to_zoned(folder.format.zone.clone()))
            .map_err(Failure::usage)?;
        let question = folder.inbox().decisions().snooze(id, until).await?;
        let (id, until) = (question.id.clone(), question.snoozed_until);
        let mut item = Item::Question(Box::new(question));
        pages::add_card(folder.inbox(), &mut item).await;
        folder.format.answer(&item, |format| match until {
            Some(until) => format!("{id} is snoozed until {}.\n", format.time(until)),
            None => format!("{id} is back in the list.\n"),
        })
    }
}
