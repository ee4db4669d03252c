//! A line as grants see it: one command after another, each either harmless or in need of permission.

use super::harmless::{Reads, reads};
use super::paths::{file_inside, resolve};
use crate::text::{Joint, SimpleCommand, quoted_word, read_command_line};

/// The commands of a line that still need permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Segments {
    /// The commands that are not harmless, in order.
    pub needed: Vec<Segment>,
    /// The number of all commands.
    pub count: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Segment {
    /// Its words without quotes.
    pub words: Vec<String>,
    /// The folder it runs in.
    pub folder: String,
    /// What stands between the one before that is not harmless and this one.
    pub after: String,
}

/// Why a line can only be judged as a whole, in a few words.
pub(in super::super) type UnsplitReason = &'static str;

const UNCLEAR_FOLDER: UnsplitReason = "it is unclear which folder it ends up in";

/// Splits a line that runs in a folder. Reading is harmless below `root`.
pub(in super::super) fn segments(line: &str, start: &str, root: &str) -> Result<Segments, UnsplitReason> {
    let line = read_command_line(line);
    if let Some(why) = line.unread {
        return Err(why);
    }
    let (mut folder, mut has_moved) = (start.to_owned(), false);
    let (mut needed, mut after) = (Vec::new(), String::new());
    for (n, SimpleCommand { words, joint, .. }) in line.commands.iter().enumerate() {
        if has_moved && matches!(joint, Joint::Then | Joint::Or) {
            return Err(UNCLEAR_FOLDER);
        }
        after.push_str(joint.as_str());
        if words.first().is_some_and(|name| name == "cd") {
            let is_piped = line.commands.get(n + 1).is_some_and(|next| next.joint == Joint::Pipe);
            if is_piped || *joint == Joint::Pipe {
                return Err("it changes the folder within a pipe");
            }
            let target = cd_target(words, &folder).ok_or("it is unclear which folder it changes to")?;
            if target != folder {
                if *joint == Joint::Or {
                    return Err(UNCLEAR_FOLDER);
                }
                (folder, has_moved) = (target, true);
            }
            continue;
        }
        let reads = file_inside(&folder, root).and_then(|_| reads(words, &folder));
        match reads {
            Some(Reads::Input) => {}
            // What ran before may have changed what a file's name leads to.
            Some(Reads::Files) if needed.is_empty() && *joint != Joint::Pipe => {}
            // What it does may depend on its input.
            _ if *joint == Joint::Pipe => return Err("a command in it reads what another one writes"),
            Some(Reads::Files) => return Err("a command in it reads files after another one ran"),
            None => {
                let after = std::mem::take(&mut after);
                needed.push(Segment { words: words.clone(), folder: folder.clone(), after });
                continue;
            }
        }
        let shown: Vec<String> = words.iter().map(|word| quoted_word(word)).collect();
        after.push_str(&format!(" {} ", shown.join(" ")));
    }
    Ok(Segments { needed, count: line.commands.len() })
}

/// The folder that `cd` changes to.
fn cd_target(words: &[String], folder: &str) -> Option<String> {
    let [_, target] = words else { return None };
    let is_plain = !target.is_empty() && !target.starts_with(['-', '+']);
    is_plain.then(|| resolve(target, folder).to_str().map(str::to_owned)).flatten()
}
