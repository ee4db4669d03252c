//! A part of one file, starting at a name or a line, with line numbers.

use super::super::open_beneath::FolderHandle;
use super::blank::blank;
use super::{items, language};
use crate::text::{self, Visible};
use std::fmt::Write;
use std::path::Path;

/// Where an excerpt starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExcerptStart<'a> {
    Line(u32),
    /// Where a name is declared, with the comment above it.
    Name(&'a str),
}

/// The longest file we read, in bytes.
const LONGEST: u64 = 512 << 10;

const BEFORE: usize = 6;

/// An excerpt of a file, about `most` bytes at most, with line numbers; the error is a reason for people.
pub fn excerpt(folder: &Path, path: &str, from: ExcerptStart<'_>, most: usize) -> Result<String, String> {
    let beneath = FolderHandle::open(folder).map_err(|e| text::read_error_text(&e))?;
    let text = beneath.text(Path::new(path), LONGEST)?;
    let start = match from {
        ExcerptStart::Line(line) => (line as usize).saturating_sub(1),
        ExcerptStart::Name(name) => declared(path, &text, name)?.saturating_sub(BEFORE + 1),
    };
    let all = text.lines().count();
    if start >= all && all > 0 {
        return Err(format!("it has only {all} lines"));
    }
    let mut out = String::new();
    for (at, line) in text.lines().enumerate().skip(start) {
        if out.len() + line.len() > most && !out.is_empty() {
            let _ = writeln!(out, "[lines {} to {at} of {all}; ask for a later line to read on]", start + 1);
            break;
        }
        let clipped = &line[..line.floor_char_boundary(most)];
        let _ = writeln!(out, "{:5}  {}", at + 1, Visible::line(clipped).as_str());
    }
    Ok(out)
}

/// The numbered lines of a body, about `most` bytes at most. Long comments and texts are cut to their first line.
pub fn body(folder: &Path, path: &str, first: u32, last: u32, most: usize) -> Result<String, String> {
    let beneath = FolderHandle::open(folder).map_err(|e| text::read_error_text(&e))?;
    let text = beneath.text(Path::new(path), LONGEST)?;
    let language = language::of(Path::new(path)).ok_or("its language is not known")?;
    let code = blank(language.family, &text);
    let lines: Vec<(usize, &str, &str)> = text
        .lines()
        .zip(code.lines())
        .enumerate()
        .map(|(at, (line, code))| (at + 1, line, code))
        .skip((first as usize).saturating_sub(1))
        .take((last.saturating_sub(first)) as usize + 1)
        .collect();
    let mut out = String::new();
    let groups = lines.chunk_by(|a, b| a.2.trim().is_empty() == b.2.trim().is_empty());
    for group in groups {
        let silent = group[0].2.trim().is_empty() && group.len() > 3;
        for (at, line, _) in group {
            if silent && *at > group[0].0 {
                out += "       …\n";
                break;
            }
            if out.len() + line.len() > most {
                let _ = writeln!(out, "       … up to line {last}");
                return Ok(out);
            }
            let _ = writeln!(out, "{at:5}  {}", Visible::line(line).as_str());
        }
    }
    Ok(out)
}

/// The line that declares a name: the full name, else its last part.
fn declared(path: &str, text: &str, name: &str) -> Result<usize, String> {
    let language = language::of(Path::new(path)).filter(|language| language.is_read());
    let language = language.ok_or("names of its language are not read here; ask for a line instead")?;
    let items = items::read(language, text, &blank(language.family, text));
    let last = |name: &str| name.rsplit(['.', ':']).next().unwrap_or_default().to_owned();
    let exact = items.iter().find(|item| item.name == name);
    let item = exact.or_else(|| items.iter().find(|item| last(&item.name) == last(name)));
    item.map(|item| item.line as usize)
        .ok_or_else(|| format!("it declares no `{}`", Visible::line(name).as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_begins_at_a_name_or_a_line_and_says_where_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let rows: String = (0..40).map(|n| format!("x{n} = 1\n")).collect();
        let text = format!("{rows}class A:\n    def go(self):\n        pass\u{202e}\n{rows}");
        std::fs::write(folder.path().join("a.py"), text).unwrap();
        let read = |from| excerpt(folder.path(), "a.py", from, 200);
        let part = read(ExcerptStart::Name("A.go")).unwrap();
        assert!(
            part.starts_with("   36  x35 = 1\n") && part.contains("   42      def go(self):\n"),
            "{part}"
        );
        assert!(
            part.ends_with("of 83; ask for a later line to read on]\n") && !part.contains('\u{202e}'),
            "{part}"
        );
        assert_eq!(read(ExcerptStart::Name("go")).unwrap(), part);
        assert!(read(ExcerptStart::Line(83)).unwrap().starts_with("   83  x39"));
        assert_eq!(read(ExcerptStart::Line(84)), Err("it has only 83 lines".to_owned()));
        assert_eq!(read(ExcerptStart::Name("gone")), Err("it declares no `gone`".to_owned()));
        std::fs::write(folder.path().join("a.rb"), "class A\nend\n").unwrap();
        assert!(
            excerpt(folder.path(), "a.rb", ExcerptStart::Name("A"), 99)
                .unwrap_err()
                .contains("not read here")
        );
        assert!(excerpt(folder.path(), "../a.py", ExcerptStart::Line(1), 99).is_err());
    }
}
