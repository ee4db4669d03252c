//! `sayso connect`: lets a coding agent ask in the inbox.

use crate::cli::called::{flags, program_as_called};
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::last_week;
use crate::cli::output::{Format, Output};
use crate::cli::table::{cut, full, table};
use crate::cli::wizard::{Prompt, show};
use crate::connect::setup::{self, Change, FoundAgent, Options, Places, Plan};
use crate::dialects::Agent;
use serde_json::{Value, json};
use similar::TextDiff;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Let a coding agent on this machine ask in the inbox; without a name, list the agents
#[derive(Debug, Default, clap::Args)]
#[command(
    after_help = "It writes hooks, the MCP server and the permission to call it into the agent's own config, and shows \
    the change first. Your own settings stay, and --remove removes what was added. Where sayso is missing or fails, the \
    agent refuses or asks you itself.\n\nExamples:\n  \
    sayso connect\n  \
    sayso connect claude --manual\n  \
    sayso connect codex --patience 300\n  \
    sayso connect claude --last-week      what it would have asked\n  \
    sayso connect gemini --project --yes\n  \
    sayso connect claude --remove"
)]
pub struct Args {
    /// Which one
    #[arg(value_enum, value_name = "AGENT")]
    agent: Option<Agent>,
    /// In this folder's own config, for everybody who works in it
    #[arg(long, requires = "agent")]
    project: bool,
    /// Remove what sayso added
    #[arg(long, requires = "agent")]
    remove: bool,
    /// Ask before every tool, not only where the agent itself would ask
    #[arg(long, conflicts_with = "remove", requires = "agent")]
    all: bool,
    /// Claude Code: ask before calls that sayso warns about, in auto mode, too
    #[arg(long, conflicts_with_all = ["remove", "all"], requires = "agent")]
    warned: bool,
    /// Claude Code: start in manual mode, in which it asks, instead of auto mode
    #[arg(long, conflicts_with_all = ["remove", "all", "warned"], requires = "agent")]
    manual: bool,
    /// How long a card waits before the agent asks you itself, or refuses
    #[arg(long, value_name = "SECONDS", conflicts_with = "remove", requires = "agent", value_parser = clap::value_parser!(u64).range(5..=86_000))]
    patience: Option<u64>,
    /// Change nothing; show what Claude Code or Codex would have asked in the last week, from its own transcripts
    #[arg(
        long,
        conflicts_with_all = ["project", "remove", "all", "warned", "manual", "patience", "yes"],
        requires = "agent"
    )]
    last_week: bool,
    /// Write it without asking
    #[arg(long, requires = "agent")]
    yes: bool,
}

impl Args {
    /// The arguments without any flags.
    pub fn plain(agent: Agent) -> Self {
        Self { agent: Some(agent), ..Self::default() }
    }

    pub(super) async fn run(mut self, context: Context) -> Result<Output, Failure> {
        let places = Places::new(&context.inputs().host, context.env()).map_err(Failure::failed)?;
        let Some(agent) = self.agent else {
            return list(&context.format, &setup::find_agents(&places));
        };
        if self.last_week {
            return last_week::report(context, agent).await;
        }
        if (self.warned || self.manual) && agent != Agent::Claude {
            return Err(Failure::usage("--warned and --manual are for claude; --all asks before every tool"));
        }
        let format = context.format.clone();
        let asks = !self.yes && !format.is_json() && std::io::stdin().is_terminal() && format.width.is_some();
        let is_plain = !(self.remove || self.all || self.warned || self.manual);
        if asks && is_plain && agent == Agent::Claude && setup::starts_in_auto_mode(&places) {
            self.choose_mode().await?;
        }
        let options = Options {
            project: self.project,
            all: self.all,
            warned: self.warned,
            manual: self.manual,
            patience: self.patience.unwrap_or_else(|| agent.patience()),
            program: self.program(&context)?,
        };
        let plan = if self.remove {
            setup::disconnect(agent, &options, &places)
        } else {
            setup::connect(agent, &options, &places)
        };
        let plan = plan.map_err(Failure::failed)?;
        let something = plan.changes.iter().any(Change::is_something);
        let mut write = self.yes && something;
        if something && asks {
            show(&shown(&plan));
            write = Prompt.confirm("Write this?").await?;
        }
        let kept = if write {
            setup::write(&plan.changes, format.now).map_err(Failure::failed)?
        } else {
            Vec::new()
        };
        let report = Report { agent, plan, kept, written: write, removes: self.remove, shown: asks };
        format.answer(&report.json(), |_| report.text())
    }

    /// Asks what should become of Claude Code's auto mode.
    async fn choose_mode(&mut self) -> Result<(), Failure> {
        let title = "Claude Code's windows start in auto mode: another model decides instead of you, and you are asked \
            almost nothing. What would you like?";
        let choices = [
            "manual mode: it asks you, here and in its window",
            "auto mode, and it asks here before calls that sayso warns about",
            "auto mode as it is; it asks here once you switch the mode (Shift+Tab)",
        ];
        match Prompt.choose_one(title, &choices.map(str::to_owned)).await? {
            0 => self.manual = true,
            1 => self.warned = true,
            _ => {}
        }
        Ok(())
    }

    /// The command that starts sayso. A project's files are shared, so they name neither the program's path on this
    /// machine nor a folder that nobody named.
    fn program(&self, context: &Context) -> Result<Vec<String>, Failure> {
        if !self.project {
            return program_as_called(context);
        }
        Ok(std::iter::once("sayso".to_owned()).chain(flags(context, None)?).collect())
    }
}

/// The agents that can be connected, and which of them are here.
fn list(format: &Format, agents: &[FoundAgent]) -> Result<Output, Failure> {
    let data: Vec<Value> = agents
        .iter()
        .map(|FoundAgent { agent, program, connected }| {
            json!({
                "agent": agent.word(),
                "name": agent.name(),
                "program": program.as_ref().map(|path| path.display().to_string()),
                "connected": connected.as_ref().ok(),
                "error": connected.as_ref().err(),
            })
        })
        .collect();
    let row = |FoundAgent { agent, program, connected }: &FoundAgent| {
        let connected = match connected {
            Ok(true) => "yes".to_owned(),
            Ok(false) => "no".to_owned(),
            Err(why) => why.clone(),
        };
        let program = program.as_ref().map_or("not found".to_owned(), |path| path.display().to_string());
        [agent.word().to_owned(), agent.name().to_owned(), program, connected]
    };
    let rows: Vec<_> = agents.iter().map(row).collect();
    format.answer(&data, |format| {
        let columns = [full("AGENT"), full("NAME"), full("PROGRAM"), cut("CONNECTED")];
        let table = table(format, columns, &rows);
        format!("{table}\n`sayso connect AGENT` connects one. It shows the change before it writes it.\n")
    })
}

struct Report {
    agent: Agent,
    plan: Plan,
    kept: Vec<PathBuf>,
    written: bool,
    removes: bool,
    /// Whether the change was shown already.
    shown: bool,
}

impl Report {
    fn json(&self) -> Value {
        let changes = self.plan.changes.iter().map(|change| {
            let what = match (&change.before, &change.after) {
                (before, after) if before == after => "none",
                (None, _) => "created",
                (_, None) => "deleted",
                (Some(_), Some(_)) => "changed",
            };
            json!({"path": change.path, "change": what, "diff": diff(change)})
        });
        json!({
            "agent": self.agent.word(),
            "written": self.written,
            "files": changes.collect::<Vec<_>>(),
            "kept": self.kept,
            "notes": self.plan.notes,
        })
    }

    fn text(&self) -> String {
        let name = self.agent.name();
        if !self.plan.changes.iter().any(Change::is_something) {
            return if self.removes {
                format!("{name} is not connected here; nothing was changed.")
            } else {
                format!("{name} is connected already; nothing was changed.")
            };
        }
        let mut out = if self.shown { String::new() } else { shown(&self.plan) };
        if !self.written {
            let again = if self.shown { "" } else { "; --yes writes it" };
            out.push_str(&format!("Nothing was written{again}.\n"));
            return out;
        }
        out.push_str(&if self.removes {
            format!("{name} no longer asks here.\n")
        } else {
            format!("{name} is connected. Keep the inbox open, or `sayso watch`, to see what it asks.\n")
        });
        for note in &self.plan.notes {
            out.push_str(&format!("- {note}\n"));
        }
        for kept in &self.kept {
            out.push_str(&format!("- The file as it was: {}\n", kept.display()));
        }
        out
    }
}

/// The change as a diff.
fn shown(plan: &Plan) -> String {
    plan.changes.iter().filter(|change| change.is_something()).map(diff).collect()
}

fn diff(change: &Change) -> String {
    if !change.is_something() {
        return String::new();
    }
    let path = change.path.display().to_string();
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    let name = |text: Option<&str>| if text.is_some() { path.clone() } else { "/dev/null".to_owned() };
    let mut unified = diff.unified_diff();
    format!("{}\n", unified.context_radius(2).header(&name(before), &name(after)))
}
