//! What a program wants to do as grants see it: its commands, its changes to files, or the call just as it is.
//!
//! Whatever a call holds is part of its acts, so that no grant covers a call that holds something else. A word is open,
//! so that a person can leave a hole for it, only if it names a file that such calls may really be about.

use super::place::Place;
use super::shell::{self, Segment};
use super::state::RequestInput;
use crate::dialects::{Arg, Does, Edited, Tool, edited};
use crate::engine::graph::{Act, ActPattern, AgentCall, Texts, Word};
use crate::text::hex;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Longer values are compared by their digest.
const MAX_VALUE: usize = 200;

/// The call as grants see it; `None` if such calls are always asked.
pub(super) fn call(request: &RequestInput) -> Option<AgentCall> {
    let folder = request.folder.as_deref().filter(|folder| folder.starts_with('/'))?;
    let by = request.source.clone()?;
    let action = request.action.as_deref()?;
    let acts = match request.tool() {
        _ if request.untold => return None,
        Some(tool) => match tool.does {
            Does::Shell => commands(request, tool, folder)?,
            Does::Edit => vec![edit(request, tool, folder).unwrap_or_else(|| whole(request, action, folder))],
            // What a program that is already running makes of it, nobody can tell.
            Does::Input => return None,
            Does::Read | Does::Question | Does::Plan => vec![whole(request, action, folder)],
        },
        None => vec![whole(request, action, folder)],
    };
    let session = request.session.as_ref().map(|session| session.id.clone());
    Some(AgentCall { by, session, folder: folder.to_owned(), acts, asks: None, was: Texts::new() })
}

/// Whether a call changes nothing: a line of only harmless commands, or a tool that reads inside the folder.
pub(super) fn is_harmless(request: &RequestInput) -> bool {
    let folder = request.folder.as_deref().filter(|folder| folder.starts_with('/'));
    let (Some(folder), Some(tool), Some(args)) = (folder, request.tool(), &request.args) else {
        return false;
    };
    let known = |allows: &dyn Fn(Arg, &Value) -> bool| {
        args.iter().all(|(name, value)| tool.arg(name).is_some_and(|arg| arg.is_free() || allows(arg, value)))
    };
    match tool.does {
        _ if request.untold => false,
        Does::Shell => {
            known(&|arg, _| matches!(arg, Arg::Command | Arg::Folder))
                && Line::of(request, tool, folder)
                    .is_some_and(|line| line.split.is_ok_and(|all| all.is_empty()))
        }
        Does::Read => known(&|arg, value| match arg {
            Arg::Path => is_inside(value, folder),
            Arg::Plain => true,
            _ => false,
        }),
        Does::Edit | Does::Input | Does::Question | Does::Plan => false,
    }
}

/// Whether a value names nothing outside the folder.
fn is_inside(value: &Value, folder: &str) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => shell::file_inside(text, folder).is_some(),
        Value::Array(items) => items.iter().all(|item| is_inside(item, folder)),
        Value::Object(_) => false,
    }
}

/// A line of commands in the folder that it runs in.
struct Line<'a> {
    text: &'a str,
    folder: String,
    /// The commands that are not harmless, or why they cannot be told apart.
    split: Result<Vec<Segment>, &'static str>,
}

impl<'a> Line<'a> {
    /// `None` if an argument has another form than we know.
    fn of(request: &'a RequestInput, tool: &Tool, folder: &str) -> Option<Self> {
        let args = request.args.as_ref()?;
        let text = args.get(tool.command()?)?.as_str()?;
        let mut runs_in = folder.to_owned();
        for name in tool.args_that_are(Arg::Folder) {
            if let Some(named) = args.get(name) {
                runs_in = shell::resolve(named.as_str()?, folder).to_str()?.to_owned();
            }
        }
        let split = if request.other_shell {
            Err("the agent's shell is none that sayso can read for")
        } else {
            shell::segments(text, &runs_in, folder).map(|all| all.needed)
        };
        Some(Self { text, folder: runs_in, split })
    }
}

/// The commands that are not harmless, or the line as a whole. A line of only harmless ones is still asked: nobody has
/// allowed anything yet.
fn commands(request: &RequestInput, tool: &Tool, start: &str) -> Option<Vec<Act>> {
    let line = Line::of(request, tool, start)?;
    let fixed = fixed(request, |arg| matches!(arg, Arg::Command | Arg::Folder));
    let place = Place::of(start);
    match line.split {
        Ok(needed) if !needed.is_empty() => {
            let acts = needed.into_iter().enumerate();
            acts.map(|(n, segment)| command(request, segment, n == 0, &place, fixed.clone())).collect()
        }
        Ok(_) | Err(_) => {
            let mut act = act(vec![Word { text: line.text.to_owned(), open: false }], &line.folder, fixed);
            for command in shell::commands(line.text).commands {
                pin(&command.words, &place, &mut act)?;
            }
            act.fixed.insert(ActPattern::LINE.to_owned(), String::new());
            Some(vec![act])
        }
    }
}

/// A command; `None` if such a command is always asked.
fn command(
    request: &RequestInput,
    segment: Segment,
    is_first: bool,
    place: &Place,
    fixed: BTreeMap<String, String>,
) -> Option<Act> {
    let Segment { words, folder, after } = segment;
    let mut act = Act { after, ..act(Vec::new(), &folder, fixed) };
    pin(&words, place, &mut act)?;
    let name = words.first()?;
    let found = request.programs.get(name).cloned();
    let found =
        found.or_else(|| name.contains('/').then(|| name.clone())).unwrap_or_else(|| "not found".to_owned());
    place.pin(&found, &mut act)?;
    act.fixed.insert(ActPattern::PROGRAM.to_owned(), found);
    // What ran before may have changed what a path leads to.
    let takes_paths = is_first && shell::takes_paths(&words);
    let word = |(n, text): (usize, &String)| {
        let follows_option = n > 0 && words[n - 1].starts_with('-') && words[n - 1] != "--";
        let open = takes_paths && n >= 2 && !follows_option && place.is_open_word(text, &folder);
        Word { text: text.clone(), open }
    };
    act.words = words.iter().enumerate().map(word).collect();
    Some(act)
}

fn act(words: Vec<Word>, folder: &str, fixed: BTreeMap<String, String>) -> Act {
    Act { words, folder: folder.to_owned(), fixed, texts: Texts::new(), after: String::new() }
}

/// Fixes what the programs and scripts of the project in a command contain; `None` if it runs what it reads.
fn pin(words: &[String], place: &Place, act: &mut Act) -> Option<()> {
    for file in shell::programs_in(words) {
        place.pin(file, act)?;
    }
    (!shell::runs_what_it_reads(words)).then_some(())
}

/// Changes to files that such calls may be about; `None` if one of them is another.
fn edit(request: &RequestInput, tool: &Tool, folder: &str) -> Option<Act> {
    let place = Place::of(folder);
    let mut words = vec![Word { text: request.action.clone()?, open: false }];
    for file in edited(tool, request.args.as_ref()?)? {
        // What is moved or deleted is asked about each time.
        let Edited::Written(path) = file else { return None };
        if !place.is_open_file(&path, folder) {
            return None;
        }
        words.push(Word { text: path, open: true });
    }
    let mut fixed =
        fixed(request, |arg| matches!(arg, Arg::Path | Arg::Contents | Arg::Patch | Arg::Several));
    fixed.insert(ActPattern::CONTENTS.to_owned(), String::new());
    Some(act(words, folder, fixed))
}

/// The call as it is.
fn whole(request: &RequestInput, action: &str, folder: &str) -> Act {
    let words = vec![Word { text: action.to_owned(), open: false }];
    let mut fixed = fixed(request, |_| false);
    fixed.extend(request.server.clone().map(|server| ("its server".to_owned(), server)));
    if request.tool().is_none() {
        // What it means may be said only here.
        fixed.insert("asked".to_owned(), short(&Value::from(request.title.as_str())));
        fixed.extend(request.text.as_deref().map(|text| ("details".to_owned(), short(&Value::from(text)))));
    }
    act(words, folder, fixed)
}

/// The arguments that must be the same, except those that are `told` otherwise, and the names of those that may differ.
fn fixed(request: &RequestInput, told: impl Fn(Arg) -> bool) -> BTreeMap<String, String> {
    let none = Map::new();
    let args = request.args.as_ref().unwrap_or(&none).iter();
    let fixed = args.filter_map(|(name, value)| match request.tool().and_then(|tool| tool.arg(name)) {
        Some(arg) if told(arg) => None,
        // That it is there is fixed, too.
        Some(arg) if arg.is_free() => Some((format!("any {name}"), String::new())),
        Some(_) | None => Some((format!("`{name}`"), short(value))),
    });
    fixed.collect()
}

/// A value, or the digest of a long one. No value begins like a digest.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= MAX_VALUE { text } else { format!("sha256 {}", hex(&Sha256::digest(text.as_bytes()))) }
}

#[cfg(test)]
mod tests;
