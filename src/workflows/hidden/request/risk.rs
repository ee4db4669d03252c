//! Warnings about what a program wants to do: a closed list, computed here and never taken from the asker. Modest on
//! purpose: it knows the usual ways to lose something, and promises no more.

use super::place::Place;
use super::shell;
use super::state::RequestInput;
use crate::dialects::{edited, steers};
use crate::engine::graph::{Act, Grade, Warning};
use crate::text::{Joint, SimpleCommand};
use crate::tools::folder::follow_links;
use serde_json::Value;
use std::path::Path;

/// Something unusual about a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Risk {
    /// It deletes folders and everything in them.
    Deletes,
    /// It runs text that another command pipes into it.
    RunsPiped,
    /// It runs with another user's rights, usually root's.
    AsRoot,
    /// It overwrites or deletes what others have pushed.
    ForcePush,
    /// It throws away work that is not committed.
    DiscardsWork,
    /// It writes outside the folder it works in.
    WritesOutside,
    /// It may change what runs later.
    RunsLater,
    /// It changes git's settings.
    GitSettings,
    /// It contains letters that look like others.
    LooksLike,
    /// It writes to a disk directly, bypassing its files.
    RawDisk,
    /// It gives everybody access.
    OpensAll,
    /// It publishes something for others: a package, an image, a release.
    Publishes,
    /// It changes what runs for others.
    Deploys,
    /// It contains invisible characters.
    Hidden,
}

impl Risk {
    fn grade(self) -> Grade {
        match self {
            Risk::Deletes
            | Risk::RunsPiped
            | Risk::ForcePush
            | Risk::DiscardsWork
            | Risk::RawDisk
            | Risk::OpensAll => Grade::Danger,
            Risk::Publishes
            | Risk::Deploys
            | Risk::AsRoot
            | Risk::WritesOutside
            | Risk::RunsLater
            | Risk::GitSettings
            | Risk::LooksLike
            | Risk::Hidden => Grade::Caution,
        }
    }

    fn warning(self) -> Warning {
        let (code, text) = match self {
            Risk::Deletes => ("deletes", "It deletes folders with everything in them."),
            Risk::RunsPiped => {
                ("runs_piped", "It runs whatever another command hands it, such as a download.")
            }
            Risk::AsRoot => ("as_root", "It runs with the rights of another user, such as root."),
            Risk::ForcePush => ("force_push", "It overwrites or deletes what was pushed to a repository."),
            Risk::DiscardsWork => ("discards_work", "It throws away changes that are not committed."),
            Risk::WritesOutside => ("writes_outside", "It writes outside the folder it works in."),
            Risk::RunsLater => (
                "runs_later",
                "It may change what runs later: a hook of git, or the settings of an agent or a shell.",
            ),
            Risk::GitSettings => {
                ("git_settings", "It changes settings of git, which can make git run programs.")
            }
            Risk::LooksLike => ("looks_like", "It contains letters that look like others."),
            Risk::RawDisk => ("raw_disk", "It writes to a disk or device directly."),
            Risk::OpensAll => ("opens_all", "It lets every user of this machine read or write."),
            Risk::Publishes => ("publishes", "It publishes something that others can then get."),
            Risk::Deploys => ("deploys", "It deploys: it changes what runs for others."),
            Risk::Hidden => {
                ("hidden_characters", "It contains invisible characters; they are shown as placeholders.")
            }
        };
        Warning::new(self.grade(), code, text)
    }
}

pub(super) fn warnings(request: &RequestInput) -> Vec<Warning> {
    let mut risks = Vec::new();
    if let Some(command) = request.command() {
        for simple in &shell::commands(command).commands {
            add_command_risks(simple, request.folder.as_deref(), &mut risks);
        }
    }
    let files = files(request);
    if let Some(folder) = request.folder.as_deref() {
        if files.iter().any(|file| is_outside(file, folder)) {
            risks.push(Risk::WritesOutside);
        }
        let place = Place::of(folder);
        if files.iter().any(|file| runs_later(file, Some(folder)) || place.is_hook_of_git(file)) {
            risks.push(Risk::RunsLater);
        }
    }
    if request.command().into_iter().chain(files.iter().map(String::as_str)).any(looks_like_others) {
        risks.push(Risk::LooksLike);
    }
    if request.hidden > 0 {
        risks.push(Risk::Hidden);
    }
    risks.sort_unstable();
    risks.dedup();
    risks.into_iter().map(Risk::warning).collect()
}

/// Whether this command of a line has to do with a warning.
pub(super) fn is_risky(act: &Act) -> bool {
    let words = act.words.iter().map(|word| word.text.clone()).collect();
    let simple = SimpleCommand { words, ..SimpleCommand::default() };
    let mut risks = Vec::new();
    for simple in shell::commands_within(&simple) {
        add_command_risks(&simple, Some(&act.folder), &mut risks);
    }
    !risks.is_empty()
}

/// The files that a call changes.
pub(super) fn files(request: &RequestInput) -> Vec<String> {
    let Some(args) = &request.args else { return Vec::new() };
    if let Some(files) = request.tool().and_then(|tool| edited(tool, args)) {
        return files.iter().map(|file| file.path().to_owned()).collect();
    }
    if !request.writes_a_file() {
        return Vec::new();
    }
    let several = args.get("changes").and_then(Value::as_array).into_iter().flatten();
    let changes = std::iter::once(args).chain(several.filter_map(Value::as_object));
    let files = changes
        .flat_map(|change| FILES.iter().chain(&["moved_to"]).filter_map(|name| change.get(*name)?.as_str()));
    files.map(str::to_owned).collect()
}

/// The argument names that agents use for a file.
pub(super) const FILES: &[&str] = &["file_path", "filePath", "filepath", "path", "notebook_path", "file"];

fn add_command_risks(simple: &SimpleCommand, folder: Option<&str>, risks: &mut Vec<Risk>) {
    let (program, rest) = shell::program(&simple.words);
    let has = |words: &[&str]| rest.iter().any(|word| words.contains(&word.as_str()));
    let has_short_flag = |letters: &[char]| {
        rest.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
    };
    if shell::starts(&simple.words, &["sudo", "doas", "pkexec"]) || program == "su" {
        risks.push(Risk::AsRoot);
    }
    match program {
        "rm" if has_short_flag(&['r', 'R']) || has(&["--recursive"]) => risks.push(Risk::Deletes),
        "find" if has(&["-delete"]) => risks.push(Risk::Deletes),
        "find" => {
            let runs = |word: &String| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
            for (index, _) in rest.iter().enumerate().filter(|(_, word)| runs(word)) {
                let words = rest[index + 1..].iter().take_while(|word| !matches!(word.as_str(), ";" | "+"));
                let inner = SimpleCommand { words: words.cloned().collect(), ..SimpleCommand::default() };
                // The words of a `find` within are among these.
                if shell::program(&inner.words).0 != "find" {
                    add_command_risks(&inner, folder, risks);
                }
            }
        }
        "shred" | "truncate" => risks.push(Risk::Deletes),
        "dd" if rest.iter().any(|word| word.starts_with("of=")) => risks.push(Risk::RawDisk),
        "chmod" if rest.iter().any(|word| is_open_mode(word)) => risks.push(Risk::OpensAll),
        "git" => add_git_risks(rest, risks),
        program if !has(&["--dry-run", "-n", "--help", "--version"]) && publishes(program, rest) => {
            risks.push(Risk::Publishes);
        }
        program if !has(&["--dry-run", "--help", "--version"]) && deploys(program, rest) => {
            risks.push(Risk::Deploys);
        }
        "tee" if rest.iter().any(|file| !file.starts_with('-') && writes_outside(file, folder)) => {
            risks.push(Risk::WritesOutside);
        }
        program if program.starts_with("mkfs") => risks.push(Risk::RawDisk),
        program
            if shell::is_interpreter(program)
                && (simple.joint == Joint::Pipe && shell::runs_what_it_reads(&simple.words)
                    || rest.iter().any(|word| word.contains("$()"))) =>
        {
            risks.push(Risk::RunsPiped);
        }
        _ => {}
    }
    // A program that only reads changes nothing; git has warnings of its own.
    let is_option = |word: &&String| word.starts_with('-');
    let changes = |word: &&String| !shell::is_reader(program) && (program != "git" || is_option(word));
    let named = rest.iter().filter(changes).map(|word| word.rsplit('=').next().unwrap_or_default());
    if named.chain(simple.writes.iter().map(String::as_str)).any(|file| runs_later(file, folder)) {
        risks.push(Risk::RunsLater);
    }
    for file in &simple.writes {
        if file.starts_with("/dev/")
            && !matches!(file.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        {
            risks.push(Risk::RawDisk);
        } else if writes_outside(file, folder) {
            risks.push(Risk::WritesOutside);
        }
    }
}

/// Whether one of a program's first two words, flags aside, is one of these commands.
fn has_subcommand(words: &[String], commands: &[&str]) -> bool {
    words.iter().filter(|word| !word.starts_with('-')).take(2).any(|word| commands.contains(&word.as_str()))
}

fn publishes(program: &str, words: &[String]) -> bool {
    match program {
        "cargo" | "npm" | "pnpm" | "yarn" | "bun" | "poetry" | "uv" | "flit" | "hatch" | "dart" | "mix" => {
            has_subcommand(words, &["publish", "hex.publish"])
        }
        "twine" => has_subcommand(words, &["upload"]),
        "gem" | "docker" | "podman" | "buildah" => has_subcommand(words, &["push"]),
        "skopeo" => has_subcommand(words, &["copy"]),
        "gh" => words.iter().any(|word| word == "release") && has_subcommand(words, &["create", "upload"]),
        _ => false,
    }
}

fn deploys(program: &str, words: &[String]) -> bool {
    match program {
        "kubectl" | "oc" => has_subcommand(
            words,
            &["apply", "create", "delete", "replace", "patch", "rollout", "scale", "drain"],
        ),
        "helm" => has_subcommand(words, &["install", "upgrade", "uninstall", "rollback"]),
        "terraform" | "tofu" | "terragrunt" => has_subcommand(words, &["apply", "destroy"]),
        "pulumi" => has_subcommand(words, &["up", "destroy"]),
        "ansible-playbook" => true,
        // `fly deploy`, `make deploy`, `npm run deploy`, `./deploy.sh`.
        _ => program == "deploy.sh" || program == "deploy" || has_subcommand(words, &["deploy"]),
    }
}

/// Git's own flags whose value may be the next word.
const GIT_FLAGS_WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--attr-source",
    "--shallow-file",
];

fn add_git_risks(words: &[String], risks: &mut Vec<Risk>) {
    // `git -C folder push`: skips the flags before the command, and their values.
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(flag) = words.next_if(|word| word.starts_with('-')) {
        if GIT_FLAGS_WITH_VALUE.contains(&flag) {
            words.next();
        }
    }
    let (command, rest) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
    let has = |any: &[&str]| rest.iter().any(|word| any.contains(word));
    let any_starts_with = |start: &str| rest.iter().any(|word| word.starts_with(start));
    // After one of these letters comes its value.
    let has_short_flag = |letter: char| {
        let words = rest.iter().copied().take_while(|word| *word != "--");
        let flags = words.filter_map(|word| word.strip_prefix('-')).filter(|flags| !flags.starts_with('-'));
        let mut letters = flags.filter_map(|flags| flags.split(['s', 'c', 'C', 'b', 'B', 'e']).next());
        letters.any(|letters| letters.contains(letter))
    };
    match command {
        "push"
            if has(&["-f", "--mirror", "--delete", "-d"])
                || any_starts_with("--force")
                || any_starts_with("+")
                || any_starts_with(":") =>
        {
            risks.push(Risk::ForcePush);
        }
        "reset" if has(&["--hard"]) => risks.push(Risk::DiscardsWork),
        "clean" if has(&["--force"]) || has_short_flag('f') => {
            risks.push(Risk::DiscardsWork);
        }
        "checkout" | "switch" if has(&["--", ".", "--force", "--discard-changes"]) || has_short_flag('f') => {
            risks.push(Risk::DiscardsWork);
        }
        // With --staged alone, the files stay.
        "restore"
            if has(&["--worktree"])
                || has_short_flag('W')
                || !(has(&["--staged"]) || has_short_flag('S')) =>
        {
            risks.push(Risk::DiscardsWork);
        }
        "stash" if has(&["drop", "clear"]) => risks.push(Risk::DiscardsWork),
        "branch" if has(&["--force"]) || has_short_flag('D') || has_short_flag('f') => {
            risks.push(Risk::DiscardsWork);
        }
        "config" if !any_starts_with("--get") && sets(&rest) => risks.push(Risk::GitSettings),
        _ => {}
    }
}

/// Whether `git config` with these words sets something: `KEY VALUE`, `--unset KEY`, `set KEY VALUE`, `-e`.
fn sets(words: &[&str]) -> bool {
    let plain: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let is_key = |word: &&&str| word.contains('.');
    match plain.as_slice() {
        [] => words.iter().any(|word| matches!(*word, "-e" | "--edit")),
        [key] if is_key(key) => words.iter().any(|word| word.starts_with("--unset")),
        [first, ..] => is_key(first) || !matches!(**first, "get" | "list"),
    }
}

/// `777`, `0777`, `a+w`, `o+rw` …
fn is_open_mode(word: &str) -> bool {
    let is_octal = word.len() >= 3 && word.chars().all(|c| c.is_digit(8));
    let others_write = word.chars().last().is_some_and(|last| matches!(last, '2' | '3' | '6' | '7'));
    let opens_by_letters = word.split(',').any(|part| {
        part.split_once('+').is_some_and(|(who, what)| {
            what.contains('w')
                && who.chars().all(|c| "ugoa".contains(c))
                && !who.chars().all(|c| "ug".contains(c))
        })
    });
    (is_octal && others_write) || opens_by_letters || (word.starts_with('+') && word.contains('w'))
}

/// Whether output goes somewhere that is not certainly inside the folder.
fn writes_outside(file: &str, folder: Option<&str>) -> bool {
    // An empty word, stream numbers and these devices are not files.
    if file.is_empty() || matches!(file, "1" | "2" | "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
    {
        return false;
    }
    file.starts_with('~') || file.starts_with('$') || folder.is_none_or(|folder| is_outside(file, folder))
}

/// Whether a file decides what runs later without anybody being asked: git's own files, settings and instructions of
/// agents, and what is hidden outside the folder, such as the files that a shell reads when it starts.
fn runs_later(file: &str, folder: Option<&str>) -> bool {
    let folder = folder.unwrap_or("/");
    let named = shell::resolve(file, folder);
    let real = follow_links(&Path::new(folder).join(file)).unwrap_or_else(|_| named.clone());
    let is_at_home = std::env::home_dir().is_some_and(|home| home == Path::new(folder));
    let any_name = |path: &Path, is_meant: &dyn Fn(&str) -> bool| {
        let rest = path.strip_prefix(folder).unwrap_or(path);
        rest.iter().any(|name| is_meant(&name.to_string_lossy()))
    };
    let is_hidden = |path: &Path| any_name(path, &|name| name.starts_with('.'));
    let decides = |path: &Path| any_name(path, &|name| name.eq_ignore_ascii_case(".git") || steers(name));
    let is_elsewhere = is_at_home || file.starts_with(['~', '$']) || is_outside(file, folder);
    decides(&named) || decides(&real) || is_elsewhere && (is_hidden(&named) || is_hidden(&real))
}

/// Whether a word has letters of the ASCII alphabet and others that look like some.
fn looks_like_others(text: &str) -> bool {
    let looks_ascii = |c: char| {
        let mut alike = [0; 4];
        !c.is_ascii()
            && c.is_alphabetic()
            && unicode_security::skeleton(c.encode_utf8(&mut alike)).all(|c| c.is_ascii())
    };
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word.contains(looks_ascii) && word.contains(|c: char| c.is_ascii_alphabetic()))
}

fn is_outside(file: &str, folder: &str) -> bool {
    shell::file_inside(file, folder).is_none()
}

#[cfg(test)]
mod tests;
