//! `sayso status`: the inbox in numbers.

use crate::cli::context::{Context, OpenFolder};
use crate::cli::failure::Failure;
use crate::cli::output::Answer;
use crate::graph::Kind;
use crate::inbox::{ItemKind, Overview, SkippedCount, Status};
use jiff::SignedDuration;
use serde_json::{Map, Value, json};

/// Show the inbox in numbers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    sayso status\n  \
    sayso status --short       one line, for status bars")]
pub(in crate::cli) struct Args {
    /// One line, for status bars
    #[arg(long)]
    short: bool,
}

impl Args {
    pub(super) async fn run(self, context: Context<'_>) -> Result<Answer, Failure> {
        if self.short && !context.format.is_json() {
            return Ok(Answer::line(brief(context).await));
        }
        answer(&context.open()?, text).await
    }
}

/// Always one line: a prompt or a status bar has no room for errors. Creates no data folder.
async fn brief(context: Context<'_>) -> String {
    if !context.has_data() {
        return "0 open".to_owned();
    }
    let Ok(folder) = context.open() else { return "sayso ?".to_owned() };
    match folder.inbox().figures().overview().await {
        Ok(overview) => short(&overview),
        Err(_) => "sayso ?".to_owned(),
    }
}

/// The answer with the numbers; `text` makes the text for people.
pub(super) async fn answer(
    folder: &OpenFolder,
    text: impl FnOnce(&Overview, SkippedCount) -> String,
) -> Result<Answer, Failure> {
    let overview = folder.inbox().figures().overview().await?;
    let skipped = skipped(folder).await?;
    folder.format.answer(&data(&overview, skipped), |_| text(&overview, skipped))
}

/// How much of the last day's mail was not shown.
pub(super) async fn skipped(folder: &OpenFolder) -> Result<SkippedCount, Failure> {
    let since = folder.format.now.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(folder.format.now);
    Ok(folder.inbox().mail().skipped_since(since).await?)
}

fn data(overview: &Overview, skipped: SkippedCount) -> Value {
    let object = |counts: &[(String, u64)]| -> Value {
        counts.iter().map(|(word, count)| (word.clone(), Value::from(*count))).collect::<Map<_, _>>().into()
    };
    json!({
        "open": object(&overview.open),
        "snoozed": overview.snoozed,
        "threads": object(&overview.threads),
        "paused": overview.paused,
        "driver": overview.driver,
        "waiting_for_model": overview.waiting_for_model,
        "skipped": skipped,
    })
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
    add(overview.open_of(ItemKind::Interrupt(Kind::Trouble)), "trouble");
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

fn text(overview: &Overview, skipped: SkippedCount) -> String {
    let counts = |counts: &[(String, u64)]| {
        let parts: Vec<String> =
            counts.iter().filter(|(_, n)| *n > 0).map(|(word, n)| format!("{n} {word}")).collect();
        if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
    };
    let driver = match (overview.driver, overview.paused) {
        (_, true) => "paused; `sayso pause --off` lets threads go on".to_owned(),
        (Some(pid), false) => format!("process {pid}"),
        (None, false) => "none; `sayso watch` starts one".to_owned(),
    };
    let model = match overview.waiting_for_model {
        0 => String::new(),
        waiting => format!("model    out of reach; {waiting} threads wait for it\n"),
    };
    let mail = match skipped.mails {
        0 => String::new(),
        _ => format!("mail     {skipped} in the last day\n"),
    };
    format!(
        "open     {}\nsnoozed  {}\nthreads  {}\ndriver   {driver}\n{model}{mail}",
        counts(&overview.open),
        overview.snoozed,
        counts(&overview.threads)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overview(open: u64, results: u64, running: u64, paused: bool) -> Overview {
        Overview {
            open: vec![("question".into(), open), ("trouble".into(), 0), ("result".into(), results)],
            snoozed: 1,
            threads: vec![("running".into(), running), ("done".into(), 2)],
            paused,
            driver: None,
            waiting_for_model: 0,
        }
    }

    #[test]
    fn the_short_form_names_only_what_there_is() {
        assert_eq!(short(&overview(0, 0, 0, false)), "0 open\n");
        assert_eq!(short(&overview(3, 2, 1, true)), "3 open · 2 results · 1 running · paused\n");
        assert_eq!(short(&overview(3, 1, 0, false)), "3 open · 1 result\n");
    }

    #[test]
    fn the_long_form_says_what_to_do() {
        let base =
            "open     3 question\nsnoozed  1\nthreads  2 done\ndriver   none; `sayso watch` starts one\n";
        assert_eq!(text(&overview(3, 0, 0, false), SkippedCount::default()), base);
        let output = text(&overview(3, 0, 0, false), SkippedCount { mails: 9, unsure: 2 });
        assert_eq!(output, format!("{base}mail     9 skipped, 2 unsure in the last day\n"));
        let output = text(&overview(3, 0, 0, false), SkippedCount { mails: 1, unsure: 0 });
        assert!(output.ends_with("mail     1 skipped in the last day\n"), "{output}");
    }
}
