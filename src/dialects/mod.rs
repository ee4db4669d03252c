//! What we know of each coding agent, as data: one row per agent, in files of their own. Whoever asks, reads, grants or
//! checks looks here, so a new agent is a new row.
//!
//! A row says only what was seen in the program itself. A tool or an argument that it does not name is nothing we know:
//! it is asked about, and nothing in it is free to differ.

mod claude;
mod codex;
mod edits;
mod gemini;
mod opencode;
mod servers;

pub use edits::{Edited, edited};
pub use servers::{Server, personal_files, read_config, server_of, servers};

/// The coding agents whose dialects we know. The comments of the variants are help texts of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Agent {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// opencode
    Opencode,
    /// Gemini CLI
    Gemini,
}

impl Agent {
    pub const ALL: [Agent; 4] = [Agent::Claude, Agent::Codex, Agent::Opencode, Agent::Gemini];

    /// Its row.
    pub fn dialect(self) -> &'static Dialect {
        match self {
            Agent::Claude => &claude::DIALECT,
            Agent::Codex => &codex::DIALECT,
            Agent::Opencode => &opencode::DIALECT,
            Agent::Gemini => &gemini::DIALECT,
        }
    }

    /// The agent with this name as the source of a question.
    pub fn by_hook_name(name: &str) -> Option<Agent> {
        Agent::ALL.into_iter().find(|agent| agent.hook_name() == name)
    }

    /// The word a person types, and the name of its program.
    pub fn word(self) -> &'static str {
        self.dialect().word
    }

    /// The agent's own name.
    pub fn name(self) -> &'static str {
        self.dialect().name
    }

    /// Its name as the source of a question, and for `request --hook`.
    pub fn hook_name(self) -> &'static str {
        self.dialect().hook_name
    }
}

/// What we know of an agent.
#[derive(Debug)]
pub struct Dialect {
    pub word: &'static str,
    pub name: &'static str,
    pub hook_name: &'static str,
    /// The version that tests/live runs.
    pub tried_with: &'static str,
    /// The tools of its own that we know. Every other tool is a server's, or unknown.
    pub tools: &'static [Tool],
    /// How it names the tools of MCP servers.
    pub server_tools: ServerTools,
    /// Where its config defines them.
    pub servers: ServersIn,
    /// The events that its hooks send, each with what it means.
    events: &'static [Events],
    /// The event that is meant if none is named.
    pub unnamed_event: Option<&'static str>,
    /// The points at which it asks, and what it takes for an answer there.
    pub points: &'static [Point],
    /// Whether the hook after a call can tell the model something. What the model is told of an edit otherwise is the
    /// agent's own matter, or our plugin's.
    takes_context_after: bool,
    /// How many of its units make a second where it is told how long a hook may take; `None` if it waits for as long as
    /// the hook takes.
    pub limit_per_second: Option<u64>,
    pub home: Home,
    pub files: Files,
}

impl Dialect {
    /// The events that its hooks send, each with what it means.
    pub fn events(&self) -> impl Iterator<Item = (&'static str, Meaning)> {
        self.events.iter().copied().flatten().copied()
    }

    /// Whether its model is told what the hook says at this event. Then it must say nothing else.
    pub fn takes_context(&self, event: &str) -> bool {
        let after = |(name, meaning)| name == event && matches!(meaning, Meaning::Ran);
        self.takes_context_after && self.events().any(after)
    }

    /// The agent's own tool with this name.
    pub fn tool(&self, name: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// How it is answered at a point.
    pub fn point(&self, at: HookPoint) -> Option<&'static Point> {
        self.points.iter().find(|point| point.at == at)
    }

    /// Whether it honours this at this point.
    pub fn takes(&self, at: HookPoint, answer: Takes) -> bool {
        self.point(at).is_some_and(|point| point.takes.contains(&answer))
    }
}

/// A tool of an agent's own.
#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    pub does: Does,
    /// The arguments we know.
    pub args: &'static [(&'static str, Arg)],
    /// Arguments that the agent leaves out when it asks, although they change what the call does.
    pub untold: &'static [&'static str],
}

impl Tool {
    const fn new(name: &'static str, does: Does, args: &'static [(&'static str, Arg)]) -> Self {
        Self { name, does, args, untold: &[] }
    }

    /// What an argument is; `None` if we don't know it.
    pub fn arg(&self, name: &str) -> Option<Arg> {
        self.args.iter().find(|(known, _)| *known == name).map(|(_, arg)| *arg)
    }

    /// The names of the arguments of a kind.
    pub fn args_that_are(&self, kind: Arg) -> impl Iterator<Item = &'static str> {
        self.args.iter().filter(move |(_, arg)| *arg == kind).map(|(name, _)| *name)
    }

    /// The argument that is the command line.
    pub fn command(&self) -> Option<&'static str> {
        self.args_that_are(Arg::Command).next()
    }
}

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It runs a command line.
    Shell,
    /// It writes into a program that is already running.
    Input,
    /// It changes files.
    Edit,
    /// It reads files, and nothing else.
    Read,
    /// It asks the person questions of its own.
    Question,
    /// It shows a plan, and leaves the mode in which it only plans.
    Plan,
}

/// What an argument of an agent's own tool is. One that is not listed is fixed: it is part of what the call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The command line.
    Command,
    /// The folder it runs in, if not the session's.
    Folder,
    /// A file or a folder; also a list of them, and patterns of file names.
    Path,
    /// Text of a file, old or new.
    Contents,
    /// A whole patch, which names its files itself.
    Patch,
    /// Changes to several files: a list of objects with these arguments.
    Several,
    /// Says how something is read, and names no file.
    Plain,
    /// Words for the person. They change nothing, so they may differ.
    Words,
    /// A limit of time. It may differ.
    Limit,
    /// Switches the sandbox, or something else that protects, off. Never free, never hidden.
    Sandbox,
}

impl Arg {
    /// Whether it may differ between a call that was allowed and the next.
    pub fn is_free(self) -> bool {
        match self {
            Arg::Words | Arg::Limit => true,
            Arg::Command
            | Arg::Folder
            | Arg::Path
            | Arg::Contents
            | Arg::Patch
            | Arg::Several
            | Arg::Plain
            | Arg::Sandbox => false,
        }
    }
}

/// How an agent names the tools of MCP servers. In both parts it replaces what is no letter, digit, `_` or `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerTools {
    /// `mcp__server__tool`
    Doubled,
    /// `mcp_server_tool`
    Single,
    /// `server_tool`
    Bare,
}

impl ServerTools {
    /// How the names of all tools of a server begin.
    pub fn prefix(self, server: &str) -> String {
        let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let server: String = server.chars().map(|c| if is_kept(c) { c } else { '_' }).collect();
        match self {
            ServerTools::Doubled => format!("mcp__{server}__"),
            ServerTools::Single => format!("mcp_{server}_"),
            ServerTools::Bare => format!("{server}_"),
        }
    }
}

/// Events of hooks, each with what it means.
type Events = &'static [(&'static str, Meaning)];

/// What an event of a hook means.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// A call is about to happen, or a question is asked.
    Asks(HookPoint),
    /// A call has ended.
    Ran,
    /// The session has come to this moment, which ends some of its questions.
    Reached(Moment, Ends),
}

#[derive(Clone, Copy, Debug)]
pub enum Moment {
    Started,
    /// The person wrote something.
    Prompted,
    /// It tells the person something in its own window.
    Notified,
    TurnEnded,
    /// A sub-agent has ended; the session's turn goes on.
    HelperEnded,
    Ended,
}

/// Which open questions of the session are over.
#[derive(Clone, Copy, Debug)]
pub enum Ends {
    Nothing,
    Turn,
    Session,
}

/// At which point of a call an agent asks. The form of the answer depends on this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPoint {
    /// Before every call: Claude Code, Codex.
    PreToolUse,
    /// After its auto mode refused a call: Claude Code. If it is told so, it tries the call again.
    PermissionDenied,
    /// When it would ask the person itself: Claude Code, Codex.
    PermissionRequest,
    /// The same, through the tool of `--permission-prompt-tool`: Claude Code.
    Prompted,
    /// Before every call that its policy lets through: Gemini CLI.
    BeforeTool,
    /// Before a call, if nobody else can be asked: opencode.
    Tool,
    /// Alongside its own dialog: opencode.
    Permission,
    /// A question to the person, alongside its own dialog: opencode.
    Question,
    /// An MCP server asks for information: Claude Code.
    Elicitation,
    /// Alongside its own dialog, through the app-server, about a command or file changes: Codex.
    Approval,
    /// The same, about permissions for the rest of the turn: Codex.
    Permissions,
    /// The same, about its own questions: Codex.
    Input,
    /// The same, about information or a tool call that an MCP server asks for: Codex.
    Form,
}

/// How an agent is answered at a point.
#[derive(Debug)]
pub struct Point {
    pub at: HookPoint,
    /// What it honours there, besides a refusal, which all take.
    pub takes: &'static [Takes],
    /// What becomes of the call if the hook is killed, or takes longer than the agent waits.
    pub unanswered: Unanswered,
}

impl Point {
    const fn new(at: HookPoint, takes: &'static [Takes], unanswered: Unanswered) -> Self {
        Self { at, takes, unanswered }
    }
}

/// What an agent can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// That the call is allowed. Without this, silence allows it.
    Allow,
    /// To run it with other arguments.
    Edit,
    /// To ask the person itself.
    Ask,
    /// To end the session.
    Stop,
}

/// What becomes of a call without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    Runs,
    Refused,
    /// The agent's own dialog asks.
    AskedThere,
}

/// Where an agent's own folder is.
#[derive(Debug)]
pub struct Home {
    /// The variable that may name it, or a folder above it.
    pub variable: &'static str,
    /// Where it is in the folder that the variable names.
    pub below: &'static str,
    /// Where it is in the home folder otherwise.
    pub usual: &'static str,
}

/// Where MCP servers are defined.
#[derive(Clone, Copy, Debug)]
pub struct ServersIn {
    /// The key below which they stand.
    pub key: &'static str,
    /// The person's files, in the agent's own folder.
    pub person: &'static [&'static str],
    /// Whether they stand beside that folder instead, unless a variable names it.
    pub beside_folder: bool,
    /// The files of a project, in its folder or above it.
    pub project: &'static [&'static str],
    /// Folders of a project with files that may define some in their own way.
    pub elsewhere: &'static [&'static str],
    /// How the flags begin that may define some.
    pub flags: &'static [&'static str],
}

/// Where an agent keeps what decides what it does.
#[derive(Debug)]
pub struct Files {
    /// In a project, with those that are hidden anyway.
    pub project: &'static [&'static str],
    /// What it reads as instructions, in any folder.
    pub instructions: &'static [&'static str],
}

/// Whether a file with this name decides what an agent does, wherever in a project it is. Names are compared without
/// case, as some file systems do.
pub fn steers(name: &str) -> bool {
    let files = Agent::ALL.into_iter().map(|agent| &agent.dialect().files);
    files
        .flat_map(|files| files.project.iter().chain(files.instructions))
        .any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests;
