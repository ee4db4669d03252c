//! The scope of a grant for a program's calls: which calls it covers, and how a list describes it.
//!
//! A call of several commands is covered if each command is covered by some grant. Words that lead out of the folder
//! are never covered, except those that a grant names.

use crate::engine::graph::{AgentAction, AgentCall, CommandLine, may_follow};
use crate::engine::store::log::{AgentScope, Allows, CommandScope};
use crate::inbox::GrantScope;
use std::path::{Component, Path};
use std::time::Duration;

/// How long a grant lasts if the person does not say, unless it is for a thread.
pub const DEFAULT_DURATION: Duration = Duration::from_secs(3600);

/// The id of the first grant that helps cover the call, or the index of the first command that no grant covers.
pub fn covering<'a>(
    grants: impl Iterator<Item = (&'a str, &'a str, &'a AgentScope)>,
    tool: &str,
    call: &AgentCall,
) -> Result<String, usize> {
    let fits = |scope: &AgentScope| {
        scope.by == call.by && (scope.session.is_none() || scope.session == call.session)
    };
    let grants: Vec<_> = grants.filter(|(_, _, scope)| fits(scope)).collect();
    let first = |covers: &dyn Fn(&str, &Allows) -> bool| {
        let position = grants.iter().position(|(_, tool, scope)| covers(tool, &scope.allows));
        position.ok_or(0usize)
    };
    let at: Result<usize, usize> = match &call.does {
        AgentAction::Commands(commands) => {
            let by = |command: &CommandLine| {
                first(&|of, allows| {
                    of == tool
                        && matches!(allows, Allows::Commands(all) if all.iter().any(|one| one.covers(command)))
                })
            };
            let mut at = Err(0);
            for (n, command) in commands.iter().enumerate() {
                let position = by(command).map_err(|_| n)?;
                at = Ok(at.map_or(position, |least: usize| least.min(position)));
            }
            at
        }
        AgentAction::Edit { file, .. } => {
            first(&|_, allows| matches!(allows, Allows::Edits { folder } if contains_visible(folder, file)))
        }
        AgentAction::Tool { folder } => first(&|of, allows| {
            of == tool && matches!(allows, Allows::Tool { folder: only } if only == folder)
        }),
    };
    let at = at?;
    grants.get(at).map(|(id, ..)| (*id).to_owned()).ok_or(0)
}

/// Whether a file is in a folder and no part of its path is hidden: hidden files configure the tools that work there.
fn contains_visible(folder: &str, file: &str) -> bool {
    let Ok(rest) = Path::new(file).strip_prefix(folder) else { return false };
    let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.to_string_lossy().starts_with('.'));
    rest.components().next().is_some() && rest.components().all(plain)
}

impl CommandScope {
    fn covers(&self, command: &CommandLine) -> bool {
        let rest = command.words.get(self.words.len()..).unwrap_or_default();
        self.folder == command.folder
            && command.words.starts_with(&self.words)
            && (rest.is_empty() || self.more && rest.iter().all(|word| may_follow(&self.words, word)))
    }
}

/// The scope a person allows with a card, or why that is not possible.
pub fn agent_scope(call: AgentCall, scope: GrantScope, session: bool) -> Result<AgentScope, &'static str> {
    if session && call.session.is_none() {
        return Err("belongs to no session");
    }
    let has_command_prefix = call.has_command_prefix();
    let allows = match (call.does, scope) {
        (AgentAction::Commands(_), GrantScope::CommandSort) if !has_command_prefix => {
            return Err("is not a command that can be allowed this way");
        }
        (AgentAction::Commands(commands), GrantScope::Command | GrantScope::CommandSort) => {
            let by_prefix = scope == GrantScope::CommandSort;
            Allows::Commands(commands.into_iter().map(|command| allowed(command, by_prefix)).collect())
        }
        (AgentAction::Edit { folder, .. }, GrantScope::Edits) => Allows::Edits { folder },
        (AgentAction::Tool { folder }, GrantScope::Tool) => Allows::Tool { folder },
        (AgentAction::Commands(_) | AgentAction::Edit { .. } | AgentAction::Tool { .. }, _) => {
            return Err("cannot be allowed this way");
        }
    };
    Ok(AgentScope { by: call.by, session: call.session.filter(|_| session), allows })
}

/// The command itself, or with `by_prefix` every command that begins like it, if that is clear.
fn allowed(command: CommandLine, by_prefix: bool) -> CommandScope {
    let prefix = command.prefix().filter(|_| by_prefix).map(<[String]>::to_vec);
    let more = prefix.is_some();
    CommandScope { folder: command.folder, words: prefix.unwrap_or(command.words), more }
}

/// Describes what is allowed.
pub fn describe(scope: &AgentScope) -> String {
    let what = match &scope.allows {
        Allows::Commands(commands) => {
            let one = |command: &CommandScope| {
                let more = if command.more { " …" } else { "" };
                format!("`{}{more}` in {}", command.words.join(" "), command.folder)
            };
            commands.iter().map(one).collect::<Vec<_>>().join(" and ")
        }
        Allows::Edits { folder } => format!("changes to files inside {folder}, none of them hidden"),
        Allows::Tool { folder } => format!("calls from {folder}"),
    };
    let session = scope.session.as_ref().map(|id| format!(", in session {id}")).unwrap_or_default();
    format!("{what}, by {}{session}", scope.by)
}
