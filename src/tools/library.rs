//! Files that a model may look into: it lists them, searches them, and reads parts of them.
//!
//! Every answer is short, with line numbers, and says what it leaves out. Who may read which file is decided by whoever
//! lends them.

use super::folder::Listed;
use super::tree;
use crate::text::{Visible, count_noun};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Files, and how their text is read; the error is a reason for people.
pub struct Library {
    /// Sorted by name.
    pub files: Vec<Listed>,
    pub text: ReadText,
}

/// Reads the text of a file by its name.
pub type ReadText = Box<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// Where a part of a file starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start<'a> {
    Line(u32),
    /// Where a name is declared, with the comment above it.
    Name(&'a str),
}

/// How many entries a list has, and how many bytes a search and a part of a file.
const LISTED: usize = 120;
const FOUND_BYTES: usize = 4_000;
const PART_BYTES: usize = 6_000;

/// How many lines of one file a search shows, and how long they may be.
const LINES_PER_FILE: usize = 4;
const LINE_CHARS: usize = 160;

/// How many bytes one search reads.
const SEARCH_BYTES: u64 = 256 << 20;

/// How many lines before a declaration are shown.
const BEFORE: usize = 4;

impl Library {
    pub fn holds(&self, name: &str) -> bool {
        self.files.binary_search_by(|file| file.name.as_str().cmp(name)).is_ok()
    }

    /// The files and folders in a folder, folders with how much they hold.
    pub fn list(&self, folder: &str) -> String {
        let prefix = prefix(folder);
        let mut entries: BTreeMap<String, (usize, u64)> = BTreeMap::new();
        for file in &self.files {
            let Some(rest) = file.name.strip_prefix(&prefix) else { continue };
            let name = rest.split_once('/').map_or(rest.to_owned(), |(folder, _)| format!("{folder}/"));
            let (count, bytes) = entries.entry(name).or_default();
            (*count, *bytes) = (*count + 1, *bytes + file.bytes);
        }
        if entries.is_empty() {
            return format!("There is no folder `{}`.", Visible::line(folder).as_str());
        }
        let mut out = String::new();
        for (name, (count, bytes)) in entries.iter().take(LISTED) {
            let files = if name.ends_with('/') {
                format!("{}, ", count_noun(*count as u64, "file"))
            } else {
                String::new()
            };
            let _ = writeln!(out, "{prefix}{name} ({files}{})", kilobytes(*bytes));
        }
        if entries.len() > LISTED {
            let _ = writeln!(out, "… and {} more; search for what you need", entries.len() - LISTED);
        }
        out
    }

    /// The lines that hold all of these words, in any case, some of each file. The folder may be a single file.
    pub fn search(&self, words: &str, folder: &str) -> String {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return "Name the words to search for.".to_owned();
        }
        let prefix = prefix(folder);
        let (mut out, mut more_lines, mut more_files, mut room) = (String::new(), 0, 0, SEARCH_BYTES);
        let is_meant = |file: &&Listed| format!("{}/", file.name).starts_with(&prefix);
        for file in self.files.iter().filter(is_meant) {
            if room < file.bytes {
                out += "[not all files were searched: they are too large]\n";
                break;
            }
            room -= file.bytes;
            let Ok(text) = (self.text)(&file.name) else { continue };
            let is_match = |line: &str| {
                let line = line.to_lowercase();
                words.iter().all(|word| line.contains(word.as_str()))
            };
            let found: Vec<(usize, &str)> =
                text.lines().enumerate().filter(|(_, line)| is_match(line)).collect();
            let shown = if out.len() < FOUND_BYTES { found.len().min(LINES_PER_FILE) } else { 0 };
            for (at, line) in &found[..shown] {
                let line: String = line.trim().chars().take(LINE_CHARS).collect();
                let _ = writeln!(out, "{}:{}: {}", file.name, at + 1, Visible::line(&line).as_str());
            }
            more_lines += found.len() - shown;
            more_files += usize::from(found.len() > shown);
        }
        if more_lines > 0 {
            let (lines, files) =
                (count_noun(more_lines as u64, "more line"), count_noun(more_files as u64, "file"));
            let _ = writeln!(out, "[{lines} in {files}; narrow the search, or read a file]");
        }
        if out.is_empty() { "No line holds all of these words.".to_owned() } else { out }
    }

    /// A part of a file, with line numbers.
    pub fn read(&self, name: &str, start: Start<'_>) -> Result<String, String> {
        if !self.holds(name) {
            return Err("there is no such file among those that may be read".to_owned());
        }
        let text = (self.text)(name)?;
        let first = match start {
            Start::Line(line) => (line as usize).saturating_sub(1),
            Start::Name(wanted) => {
                let line = tree::line_of(name, &text, wanted)
                    .ok_or_else(|| format!("it declares no `{}`", Visible::line(wanted).as_str()))?;
                (line as usize).saturating_sub(BEFORE + 1)
            }
        };
        let all = text.lines().count();
        if first >= all && all > 0 {
            return Err(format!("it has only {}", count_noun(all as u64, "line")));
        }
        let mut out = String::new();
        for (at, line) in text.lines().enumerate().skip(first) {
            if out.len() + line.len() > PART_BYTES && !out.is_empty() {
                let _ = writeln!(
                    out,
                    "[lines {} to {at} of {all}; ask for line {} to read on]",
                    first + 1,
                    at + 1
                );
                break;
            }
            let clipped = &line[..line.floor_char_boundary(PART_BYTES)];
            let _ = writeln!(out, "{:5}  {}", at + 1, Visible::line(clipped).as_str());
        }
        Ok(out)
    }
}

/// What the names of a folder's files begin with.
fn prefix(folder: &str) -> String {
    let parts = folder.split('/').filter(|part| !matches!(*part, "" | "."));
    parts.map(|part| format!("{part}/")).collect()
}

/// A size as people say it.
pub fn kilobytes(bytes: u64) -> String {
    if bytes < 1_024 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_024) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(files: &[(&str, String)]) -> Vec<Listed> {
        files
            .iter()
            .map(|(name, text)| Listed { name: (*name).to_owned(), bytes: text.len() as u64 })
            .collect()
    }

    #[test]
    fn a_part_begins_at_a_name_or_a_line_and_says_where_it_ends() {
        let rows: String = (0..400).map(|n| format!("x{n} = 'words words words'\n")).collect();
        let text = format!("{rows}class A:\n    def go(self):\n        pass\u{202e}\n{rows}");
        let files = listed(&[("a.py", text.clone())]);
        let library = Library { files, text: Box::new(move |_| Ok(text.clone())) };
        let part = library.read("a.py", Start::Name("A.go")).unwrap();
        assert!(part.starts_with("  398  x397") && part.contains("  402      def go(self):\n"), "{part}");
        assert!(part.ends_with("to read on]\n") && !part.contains('\u{202e}'), "{part}");
        assert_eq!(library.read("a.py", Start::Name("go")).unwrap(), part);
        assert!(library.read("a.py", Start::Line(803)).unwrap().starts_with("  803  x399"));
        assert_eq!(library.read("a.py", Start::Line(804)), Err("it has only 803 lines".to_owned()));
        assert_eq!(library.read("a.py", Start::Name("gone")), Err("it declares no `gone`".to_owned()));
        assert!(library.read("b.py", Start::Line(1)).unwrap_err().contains("no such file"));
    }

    #[test]
    fn thousands_of_files_are_listed_by_folder_and_searched() {
        let name = |n: usize| format!("year{}/day{n:04}.md", n / 1_000);
        let text = |name: &str| -> Result<String, String> {
            if name.ends_with("day2999.md") {
                Ok("One.\nThe turbine broke on Friday.\n".to_owned())
            } else {
                Ok("Nothing of note.\n".to_owned())
            }
        };
        let mut files: Vec<Listed> = (0..3_000).map(|n| Listed { name: name(n), bytes: 2_048 }).collect();
        files.push(Listed { name: "zebra.md".to_owned(), bytes: 3 });
        let library = Library { files, text: Box::new(text) };
        assert_eq!(
            library.list(""),
            "year0/ (1000 files, 2000 kB)\nyear1/ (1000 files, 2000 kB)\nyear2/ (1000 files, 2000 kB)\nzebra.md (3 bytes)\n"
        );
        let inside = library.list("year2/");
        assert!(
            inside.starts_with("year2/day2000.md (2 kB)\n") && inside.contains("… and 880 more"),
            "{inside}"
        );
        assert_eq!(library.list("year9"), "There is no folder `year9`.");
        assert_eq!(
            library.search("friday TURBINE", ""),
            "year2/day2999.md:2: The turbine broke on Friday.\n"
        );
        assert_eq!(library.search("turbine", "year1"), "No line holds all of these words.");
        let common = library.search("note", "");
        assert!(common.len() < FOUND_BYTES + 400 && common.contains("more lines in"), "{common}");
    }

    #[test]
    fn a_folder_is_what_lies_beneath_it() {
        let names = [".github/ci.yml", "src-old/a.rs", "src/a.rs", "src/b.rs"];
        let files = listed(&names.map(|name| (name, "on: push".to_owned())));
        let library = Library { files, text: Box::new(|_| Ok("on: push".to_owned())) };
        for folder in ["src", "src/", "/src", "./src/."] {
            assert_eq!(
                library.search("push", folder),
                "src/a.rs:1: on: push\nsrc/b.rs:1: on: push\n",
                "{folder}"
            );
            assert_eq!(library.list(folder), "src/a.rs (8 bytes)\nsrc/b.rs (8 bytes)\n", "{folder}");
        }
        assert_eq!(library.search("push", "src/b.rs"), "src/b.rs:1: on: push\n");
        assert_eq!(library.search("push", ".github"), ".github/ci.yml:1: on: push\n");
        assert_eq!(library.list("./.github"), ".github/ci.yml (8 bytes)\n");
        assert_eq!(library.list("github"), "There is no folder `github`.");
        assert_eq!(library.list("."), library.list(""));
    }
}
