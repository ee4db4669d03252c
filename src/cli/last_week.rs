//! `sayso connect AGENT --last-week`: the calls an agent made, and which of them sayso would have asked about.

use super::context::Context;
use super::failure::Failure;
use super::output::{Format, Output};
use super::table::{cut, full, name, right, table};
use crate::connect::hooks::{PastCalls, past_calls};
use crate::connect::setup::Places;
use crate::dialects::Agent;
use crate::engine::graph::Warning;
use crate::inbox::door::Inbox;
use crate::text::count_noun;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How many lines people get; JSON has them all.
const MOST: usize = 40;

/// What an agent did in the last week. The field names are a contract.
#[derive(Debug, Default, Serialize)]
struct Report {
    agent: &'static str,
    sessions: usize,
    calls: usize,
    /// How many of them change nothing.
    harmless: usize,
    /// How many are covered by a grant.
    granted: usize,
    /// How many lines of the transcripts could not be read.
    unreadable: usize,
    /// The rest: those with a warning first, then the latest.
    asked: Vec<Asked>,
}

/// A call that sayso would have asked about, however often it was made.
#[derive(Debug, Serialize)]
struct Asked {
    title: String,
    folder: Option<String>,
    times: usize,
    latest: Timestamp,
    warnings: Vec<Warning>,
    #[serde(skip)]
    warned: bool,
}

pub(super) async fn report(context: Context, agent: Agent) -> Result<Output, Failure> {
    let places = Places::new(&context.inputs().host, context.env()).map_err(Failure::failed)?;
    let folder = places.transcripts(agent).ok_or_else(|| {
        let text =
            format!("sayso reads the transcripts of claude and codex, and not those of {}", agent.name());
        Failure::usage(text)
    })?;
    if !folder.is_dir() {
        let (name, folder) = (agent.name(), folder.display());
        return Err(Failure::failed(format!("{name} has left no transcripts in {folder}")));
    }
    let since = context.format.now.saturating_sub(WEEK).unwrap_or(Timestamp::MIN);
    let opened = context.open()?;
    let report = judge(opened.inbox(), agent, past_calls(agent, &folder, since)).await;
    opened.format.answer(&report, |format| text(format, agent, &report))
}

async fn judge(inbox: &Inbox, agent: Agent, past: PastCalls) -> Report {
    let mut report = Report {
        agent: agent.word(),
        sessions: past.sessions,
        calls: past.calls.len(),
        unreadable: past.unreadable,
        ..Report::default()
    };
    let mut asked: BTreeMap<_, Asked> = BTreeMap::new();
    for call in past.calls {
        let Ok(question) = call.question(inbox).await else {
            report.unreadable += 1;
            continue;
        };
        if question.granted.is_some() {
            report.granted += 1;
        } else if question.harmless {
            report.harmless += 1;
        } else {
            let folder = call.folder().map(str::to_owned);
            let warned = Warning::need_confirmation(&question.warnings);
            let same =
                asked.entry((question.title.clone(), folder.clone(), warned)).or_insert_with(|| Asked {
                    title: question.title,
                    folder,
                    times: 0,
                    latest: call.at,
                    warnings: question.warnings,
                    warned,
                });
            (same.times, same.latest) = (same.times + 1, call.at);
        }
    }
    report.asked = asked.into_values().collect();
    report.asked.sort_by_key(|asked| (!asked.warned, std::cmp::Reverse(asked.latest)));
    report
}

fn text(format: &Format, agent: Agent, report: &Report) -> String {
    let name_of_agent = agent.name();
    let times = |of: &dyn Fn(&Asked) -> bool| -> usize {
        report.asked.iter().filter(|asked| of(asked)).map(|asked| asked.times).sum()
    };
    let (asked, warned) = (times(&|_| true), times(&|asked| asked.warned));
    let unreadable = match report.unreadable {
        0 => String::new(),
        count => format!("{} of its transcripts could not be read.\n", count_noun(count, "line")),
    };
    if report.calls == 0 {
        return format!("{name_of_agent} made no calls in the last week.\n{unreadable}");
    }
    let (calls, sessions) = (count_noun(report.calls, "call"), count_noun(report.sessions, "session"));
    let mut out = format.wrapped("", &format!(
        "In the last week {name_of_agent} made {calls} in {sessions}. With --all, sayso would have asked about \
         {asked}, {warned} of them with a warning."
    ));
    let row = |asked: &Asked| {
        let at = asked.latest.to_zoned(format.zone.clone()).strftime("%a %-d %b %H:%M").to_string();
        let times = if asked.times > 1 { format!("{}×", asked.times) } else { String::new() };
        let folder = asked.folder.as_deref().map(Path::new).and_then(Path::file_name);
        let folder = folder.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
        let codes: Vec<_> = asked.warnings.iter().map(|warning| warning.code.replace('_', " ")).collect();
        [at, times, folder, asked.title.clone(), codes.join(", ")]
    };
    let rows: Vec<_> = report.asked.iter().take(MOST).map(row).collect();
    if !rows.is_empty() {
        let columns = [full("LAST"), right(""), name("FOLDER"), cut("CALL"), full("WARNING")];
        out += &format!("\n{}\n", table(format, columns, &rows));
    }
    if let Some(more) = report.asked.len().checked_sub(MOST).filter(|more| *more > 0) {
        out += &format!("There are {more} more; --json lists them all.\n");
    }
    let left_out =
        [(report.harmless, "calls that change nothing"), (report.granted, "calls that a grant covers")];
    let left_out = left_out.iter().filter(|(count, _)| *count > 0);
    let left_out: Vec<String> = left_out.map(|(count, what)| format!("{what} ({count})")).collect();
    let left_out =
        if left_out.is_empty() { String::new() } else { format!("Left out: {}. ", left_out.join(", ")) };
    let warned = if agent == Agent::Claude { ", and with --warned before those with a warning" } else { "" };
    out += &format.wrapped("", &format!(
        "{left_out}Once connected, {name_of_agent} asks here where its own rules would ask you; with --all it asks before \
         every call{warned}."
    ));
    out + &unreadable
}
