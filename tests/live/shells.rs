//! The reader of command lines against the shells themselves: thousands of made-up lines, and for each that is read the
//! words that sh, dash, bash and zsh really run.
//!
//! The lines call only two functions, which write down their arguments. They run in a folder of their own, with bwrap
//! behind its walls.

use sayso::text::{CommandLine, Joint, read_command_line};
use std::path::Path;
use std::process::{Command, Stdio};

/// How many lines are made.
const LINES: usize = 44_000;

/// What lines are made of.
const PIECES: &[&str] = &[
    "p ",
    "q ",
    "p",
    "a",
    "A",
    "-",
    "--",
    "=",
    "1",
    "2",
    "0",
    ">",
    "<",
    "&",
    "&&",
    "||",
    "|",
    ";",
    "\n",
    " ",
    "\t",
    "'",
    "\"",
    "\\",
    "\\\n",
    "'a b'",
    "\"a b\"",
    "'ü'",
    "\"é\"",
    "\\a",
    "\\ ",
    "\\$",
    "\\\"",
    "\"\\$\"",
    "\"\\a\"",
    "\"\\\\\"",
    "~",
    "^",
    "%",
    "+",
    ",",
    ":",
    "@",
    ".",
    "..",
    "/",
    ">/dev/null",
    "2>&1",
    "1>&2",
    "</dev/null",
    "!",
    "#",
    "*",
    "?",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "$",
    "`",
    "HEAD~1",
    "x=y",
    "=a",
    ":~",
    "\r",
    "\u{a0}",
    "if",
    "do",
    "'\\'",
    "'!'",
    "\"!a\"",
    "\"a'b\"",
    "''",
    "\"\"",
    "'$a'",
    "\\`",
    "\\~",
    "\\=",
    "\\#",
    "\\!",
    "\\*",
    "%%",
    "&& p ",
    "|| p ",
    "; p ",
    "| q ",
    "\np ",
];

/// Two functions that write their arguments to stream 9, one that succeeds and one that fails, and then the lines.
const SCRIPT: &str = r#"
p() { printf '%s\001' p "$@" "$END" >&9; return 0; }
q() { printf '%s\001' q "$@" "$END" >&9; return 1; }
for line in "$@"; do eval "$line"; printf '\003' >&9; done
"#;

/// The calls of a line, as the reader has it. Those of one pipe run side by side, so they are sorted.
fn expected(line: &CommandLine) -> Vec<String> {
    let (mut calls, mut succeeded) = (Vec::new(), true);
    for pipe in line.commands.chunk_by(|_, next| next.joint == Joint::Pipe) {
        let runs = match pipe[0].joint {
            Joint::And => succeeded,
            Joint::Or => !succeeded,
            Joint::Then | Joint::Pipe => true,
        };
        if runs {
            let call =
                |words: &Vec<String>| words.iter().map(|word| format!("{word}\u{1}")).collect::<String>();
            calls.extend(pipe.iter().map(|command| call(&command.words)));
            succeeded = pipe.last().unwrap().words[0] == "p";
        }
    }
    calls.sort();
    calls
}

/// The calls that a shell really makes for each of these lines.
fn calls(shell: &[&str], lines: &[String], folder: &Path) -> Vec<Vec<String>> {
    let folder = folder.to_str().unwrap();
    let mut walls = Vec::new();
    if has_walls() {
        walls
            .extend("bwrap --unshare-all --die-with-parent --ro-bind / / --dev /dev --tmpfs /tmp".split(' '));
        walls.extend(["--bind", folder, folder, "--chdir", folder]);
    }
    let outer = "ulimit -v 4000000; ulimit -t 60; exec 9>&1 >/dev/null 2>&1 </dev/null; exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", outer, "sh"])
        .args(walls)
        .args(shell)
        .args(["-c", SCRIPT, "sh"])
        .args(lines)
        .current_dir(folder)
        .env("END", "\u{2}")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let of_line = |text: &str| {
        let mut calls: Vec<String> =
            text.split("\u{2}\u{1}").filter(|call| !call.is_empty()).map(str::to_owned).collect();
        calls.sort();
        calls
    };
    text.split('\u{3}').map(of_line).collect()
}

/// Whether bwrap is here and may make walls.
fn has_walls() -> bool {
    let tried = Command::new("bwrap").args(["--unshare-all", "--ro-bind", "/", "/", "true"]).output();
    tried.is_ok_and(|tried| tried.status.success())
}

fn has(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    run.is_ok()
}

#[test]
#[ignore = "needs dash, bash and zsh"]
fn the_words_that_are_read_are_those_that_run() {
    let mut seed = 20_261_119u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut lines = Vec::new();
    for _ in 0..LINES {
        let mut line = ["p ", "q ", "p a ", "p"][next(4)].to_owned();
        for _ in 0..next(14) {
            line += PIECES[next(PIECES.len())];
        }
        let read = read_command_line(&line);
        let is_ours = |word: &String| matches!(word.as_str(), "p" | "q");
        let calls_ours = read.commands.iter().all(|command| command.words.first().is_some_and(is_ours));
        // Two calls of one pipe may write at once.
        let is_told_apart = !(line.contains('\n') && line.contains('|'));
        if read.unread.is_none() && calls_ours && is_told_apart {
            lines.push((line, expected(&read)));
        }
    }
    assert!(lines.len() > LINES / 20, "only {} lines were read", lines.len());
    for shell in [&["sh"][..], &["dash"], &["bash"], &["zsh", "-f"]] {
        if !has(shell[0]) {
            println!("{} is not here, so it is not tried", shell[0]);
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        for some in lines.chunks(250) {
            let texts: Vec<String> = some.iter().map(|(line, _)| line.clone()).collect();
            let really = calls(shell, &texts, folder.path());
            for (n, (line, expected)) in some.iter().enumerate() {
                assert_eq!(really.get(n), Some(expected), "{shell:?} {line:?}");
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{shell:?} wrote files");
    }
    println!("{} of {LINES} lines are read, and each shell reads them alike", lines.len());
}
