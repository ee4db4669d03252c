//! `sayso activity`: recent activity in numbers.

use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::{Answer, Page};
use crate::cli::table::{cut, full, right, table};
use crate::inbox::{
    Activity, ActivityQuery, DayLine, Latency, ModelLine, NodeLine, Storage, TableSize, ToolLine,
};
use crate::text::bytes;
use serde_json::json;

/// Show what went on lately: decisions, models, times, storage
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
        let query = ActivityQuery::last(self.days, &folder.page.now.to_zoned(folder.page.zone.clone()));
        let activity = folder.inbox().figures().activity(query).await?;
        let storage = folder.inbox().figures().storage().await?;
        let mut data = serde_json::to_value(&activity).map_err(|e| Failure::failed(e.to_string()))?;
        data["storage"] = json!(storage);
        folder.page.answer(&data, |page| report_text(page, &activity, &storage))
    }
}

fn report_text(page: &Page, activity: &Activity, storage: &Storage) -> String {
    let mut out = String::new();
    let row = |day: &DayLine| {
        let decisions = &day.decisions;
        let date = day.day.to_zoned(page.zone.clone()).strftime("%a %Y-%m-%d").to_string();
        let cost = format!("${:.4}", day.cost);
        let decided = [
            decisions.untouched,
            decisions.edited,
            decisions.responded,
            decisions.ignored,
            decisions.granted,
        ];
        let [untouched, edited, responded, ignored, granted] = decided.map(|count| count.to_string());
        [
            date,
            untouched,
            edited,
            responded,
            ignored,
            granted,
            day.calls.to_string(),
            day.tokens.to_string(),
            cost,
        ]
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
    out.push_str(&table(page, columns, &activity.days.iter().map(row).collect::<Vec<_>>()));
    if !activity.tools.is_empty() {
        let row = |line: &ToolLine| {
            let decisions = &line.decisions;
            [
                line.tool.clone(),
                decisions.untouched.to_string(),
                decisions.edited.to_string(),
                decisions.responded.to_string(),
                decisions.ignored.to_string(),
                decisions.granted.to_string(),
            ]
        };
        let rows: Vec<_> = activity.tools.iter().map(row).collect();
        let columns = [
            cut("TOOL"),
            right("UNTOUCHED"),
            right("EDITED"),
            right("RESPONDED"),
            right("IGNORED"),
            right("GRANTED"),
        ];
        out.push_str(&format!("\n{}", table(page, columns, &rows)));
    }
    let times = |latency: &Latency| [latency.p50, latency.p90, latency.p99].map(|ms| format!("{ms} ms"));
    if !activity.models.is_empty() {
        let row = |line: &ModelLine| {
            let [p50, p90, p99] = times(&line.latency);
            let cost = line.cost.map_or("not known".to_owned(), |cost| format!("${cost:.4}"));
            let tokens = (line.input + line.output).to_string();
            [line.model.clone(), line.calls.to_string(), line.failed.to_string(), tokens, cost, p50, p90, p99]
        };
        let rows: Vec<_> = activity.models.iter().map(row).collect();
        let columns = [
            cut("MODEL"),
            right("CALLS"),
            right("FAILED"),
            right("TOKENS"),
            right("COST"),
            right("P50"),
            right("P90"),
            right("P99"),
        ];
        out.push_str(&format!("\n{}", table(page, columns, &rows)));
    }
    if !activity.nodes.is_empty() {
        let row = |line: &NodeLine| {
            let [p50, p90, p99] = times(&line.latency);
            [format!("{}.{}", line.workflow, line.node), line.runs.to_string(), p50, p90, p99]
        };
        let rows: Vec<_> = activity.nodes.iter().map(row).collect();
        let columns = [cut("NODE"), right("RUNS"), right("P50"), right("P90"), right("P99")];
        out.push_str(&format!("\n{}", table(page, columns, &rows)));
    }
    let row = |size: &TableSize| [size.table.clone(), size.rows.to_string(), bytes(size.bytes)];
    let rows: Vec<_> = storage.tables.iter().map(row).collect();
    out.push_str(&format!("\n{}", table(page, [full("TABLE"), right("ROWS"), right("SIZE")], &rows)));
    out.push_str(&format!(
        "The file takes {} with its log, {} of it unused.\n",
        bytes(storage.file),
        bytes(storage.free)
    ));
    out
}
