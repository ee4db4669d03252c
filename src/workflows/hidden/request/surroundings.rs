//! What a request is about beside its own text, looked at by the process that asks: where its shell finds programs, and
//! where links lead.

use super::risk::files;
use super::shell;
use super::state::RequestInput;
use crate::text::{SimpleCommand, Visible};
use crate::tools::folder::follow_links;
use crate::tools::process::program_path;
use std::path::Path;

/// The shells that read a command line alike; see [`crate::text::read_command_line`].
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// How many programs and links are looked for.
const MOST: usize = 100;

pub(super) fn look(request: &mut RequestInput) {
    let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
    request.other_shell =
        shell.is_some_and(|shell| !SHELLS.iter().any(|name| Path::new(&shell).ends_with(name)));
    (request.programs, request.links) = Default::default();
    let Some(folder) = request.folder.clone().filter(|folder| folder.starts_with('/')) else { return };
    let commands: Vec<SimpleCommand> =
        request.command().map(|line| shell::commands(line).commands).unwrap_or_default();
    let names =
        commands.iter().filter_map(|command| command.words.first()).filter(|name| !name.contains('/'));
    for name in names.take(MOST) {
        let found = program_path(name, Path::new(&folder));
        request.programs.extend(found.and_then(|path| Some((name.clone(), path.to_str()?.to_owned()))));
    }
    let words = commands.iter().flat_map(|command| command.words.iter().skip(1).chain(&command.writes));
    let words = words.filter(|word| word.contains('/') && !word.starts_with('-'));
    let files: Vec<String> = files(request).into_iter().chain(words.cloned()).take(MOST).collect();
    request.links = files.iter().filter_map(|file| link(file, &folder)).collect();
    request.links.dedup();
}

/// A path that goes through a link below the folder, and where it leads.
fn link(file: &str, folder: &str) -> Option<String> {
    let named = shell::resolve(file, folder);
    let leads_to = follow_links(&Path::new(folder).join(file)).ok()?;
    let expected = match named.strip_prefix(folder) {
        Ok(rest) => follow_links(Path::new(folder)).ok()?.join(rest),
        Err(_) => named,
    };
    let line = format!("{file} leads to {}", leads_to.display());
    (leads_to != expected).then(|| Visible::line(&line).into_string())
}
