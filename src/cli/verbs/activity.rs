//! `sayso activity`: recent activity in numbers.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Answer, Format};
use crate::cli::table::{cut, full, right, table};
use crate::inbox::{Activity, ActivityQuery, DayLine, Decisions, ModelLine, Storage, TableSize};
use crate::text::bytes;
use serde_json::json;

/// Show what went on lately: decisions, models, storage
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso activity\n  \
    sayso activity --days 30 --json")]
pub(in crate::cli) struct Args {
    /// How many days to show, today included
    #[arg(long, value_name = "N", default_value_t = 14, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        let folder = context.open()?;
        let query = ActivityQuery::last(self.days, &folder.format.now.to_zoned(folder.format.zone.clone()));
        let activity = folder.inbox().figures().activity(query).await?;
        let storage = folder.inbox().figures().storage().await?;
        let mut data = serde_json::to_value(&activity).map_err(|e| Failure::failed(e.to_string()))?;
        data["storage"] = json!(storage);
        folder.format.answer(&data, |format| report_text(format, &activity, &storage))
    }
}

fn report_text(format: &Format, activity: &Activity, storage: &Storage) -> String {
    let mut tables = vec![day_table(format, &activity.days)];
    if !activity.models.is_empty() {
        tables.push(model_table(format, &activity.models));
    }
    tables.push(storage_table(format, storage));
    tables.join("\n")
}

fn day_table(format: &Format, days: &[DayLine]) -> String {
    let row = |day: &DayLine| {
        let date = day.day.to_zoned(format.zone.clone()).strftime("%a %Y-%m-%d").to_string();
        let cost = format!("${:.4}", day.cost);
        let [untouched, edited, responded, ignored, granted] = decision_counts(&day.decisions);
        let (calls, tokens) = (day.calls.to_string(), day.tokens.to_string());
        [date, untouched, edited, responded, ignored, granted, calls, tokens, cost]
    };
    let columns = [
        full("DAY"),
        right("ACCEPTED"),
        right("EDITED"),
        right("RESPONDED"),
        right("IGNORED"),
        right("GRANTED"),
        right("CALLS"),
        right("TOKENS"),
        right("COST"),
    ];
    table(format, columns, &days.iter().map(row).collect::<Vec<_>>())
}

fn model_table(format: &Format, models: &[ModelLine]) -> String {
    let row = |line: &ModelLine| {
        let cost = line.cost.map_or("not known".to_owned(), |cost| format!("${cost:.4}"));
        let tokens = (line.input + line.output).to_string();
        [line.model.clone(), line.calls.to_string(), line.failed.to_string(), tokens, cost]
    };
    let columns = [cut("MODEL"), right("CALLS"), right("FAILED"), right("TOKENS"), right("COST")];
    table(format, columns, &models.iter().map(row).collect::<Vec<_>>())
}

fn storage_table(format: &Format, storage: &Storage) -> String {
    let row = |size: &TableSize| [size.table.clone(), size.rows.to_string(), bytes(size.bytes)];
    let rows: Vec<_> = storage.tables.iter().map(row).collect();
    let sizes = table(format, [full("TABLE"), right("ROWS"), right("SIZE")], &rows);
    let (file, free) = (bytes(storage.file), bytes(storage.free));
    format!("{sizes}The file takes {file} with its log, {free} of it unused.\n")
}

fn decision_counts(counts: &Decisions) -> [String; 5] {
    [counts.untouched, counts.edited, counts.responded, counts.ignored, counts.granted]
        .map(|count| count.to_string())
}
