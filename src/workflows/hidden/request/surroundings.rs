//! What a request is about beside its own text, looked at by the process that asks: where its shell finds programs,
//! where links lead, and what starts the server whose tool is used.

use super::risk::files;
use super::shell;
use super::state::RequestInput;
use crate::dialects::{Agent, Server, personal_files, server_of, servers};
use crate::text::{SimpleCommand, Visible, hex};
use crate::tools::folder::follow_links;
use crate::tools::process::program_path;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The shells that read a command line alike; see [`crate::text::read_command_line`].
const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// How many programs and links are looked for.
const MOST: usize = 100;

pub(super) fn look(request: &mut RequestInput) {
    let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
    request.other_shell =
        shell.is_some_and(|shell| !SHELLS.iter().any(|name| Path::new(&shell).ends_with(name)));
    (request.programs, request.links, request.server) = Default::default();
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
    request.server = server(request, Path::new(&folder));
}

/// The MCP server whose tool it would use: its name, the file that defines it, and a digest of what starts it. Values of
/// its variables and headers may be secrets, and change.
fn server(request: &RequestInput, folder: &Path) -> Option<String> {
    let agent = Agent::by_hook_name(request.source.as_deref()?)?;
    let action = request.action.as_deref().filter(|_| request.tool().is_none())?;
    let home = PathBuf::from(std::env::var_os("HOME")?);
    let known =
        servers(agent, &personal_files(agent, &home, |name| std::env::var_os(name)), Some(folder)).ok()?;
    let Server { name, file, entry, .. } = server_of(agent, action, &known)?;
    let mut entry = entry.clone();
    for value in entry.as_object_mut()?.values_mut() {
        if let Value::Object(secrets) = value {
            *value = secrets.keys().cloned().collect();
        }
    }
    let digest = hex(&Sha256::digest(entry.to_string().as_bytes()));
    let line = format!("{name} of {}, {}", file.display(), digest.get(..16)?);
    Some(Visible::line(&line).into_string())
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
