//! The folder: what there is to read, and what is left out. A small folder is read at once; in a large one the model
//! lists, searches and reads.

use super::documents;
use crate::tools::folder::{self, FileFilter, FolderError, Limits, Skipped, Survey};
use crate::tools::library::{Library, kilobytes};
use std::fmt::Write;
use std::path::Path;

/// How many bytes of files every prompt may hold. More would cost at every turn.
const MAX_BYTES: usize = 60_000;

/// A folder with more files, or with larger ones, is not read at once.
const MAX_FILES: usize = 200;
const MAX_PACKED_BYTES: u64 = 16 << 20;

/// How many kinds of files are named, and how many files with the reason.
const KINDS: usize = 5;
const NAMED: usize = 12;

/// Endings of plain text. Source code, which is read only on request, comes last.
const TEXT: &[&str] = &[
    "txt", "md", "markdown", "csv", "rs", "py", "js", "mjs", "ts", "tsx", "jsx", "go", "java", "kt", "c",
    "h", "cc", "cpp", "hpp", "cs", "rb", "php", "swift", "scala", "sh", "sql", "toml", "yaml", "yml", "json",
    "xml", "css", "proto", "lua", "r",
];

/// How many of them are not source code.
const PLAIN: usize = 4;

/// What is read from the folder: text and documents, code on request, never the result of an earlier analysis.
fn filter(recursive: bool, code: bool) -> FileFilter<'static> {
    let is_excluded = |name: &str| name.starts_with("analysis_result") && name.ends_with(".md");
    let endings = if code { TEXT } else { &TEXT[..PLAIN] };
    FileFilter { endings, documents: documents::READERS, is_excluded, recursive }
}

/// The files of a folder, as a model may look into them.
pub(super) fn library(dir: &Path, recursive: bool, code: bool) -> Result<Library, FolderError> {
    let survey = folder::survey(dir, &filter(recursive, code), &Limits::default())?;
    let text = folder::text_reader(dir, filter(recursive, code), Limits::default())?;
    Ok(Library { files: survey.files, text: Box::new(text) })
}

/// What the first look at a folder found.
pub(super) struct Looked {
    /// What every prompt begins with: the files, or a list of them.
    pub opening: String,
    /// The files that the opening shows.
    pub read: Vec<String>,
    /// How many files may be read.
    pub count: usize,
    /// What cannot be read, and why.
    pub left_out: String,
}

/// Looks at a folder for a model that can read so many tokens. The error says that there is nothing to read.
pub(super) fn look(dir: &Path, recursive: bool, code: bool, window: Option<u64>) -> Result<Looked, String> {
    let survey =
        folder::survey(dir, &filter(recursive, code), &Limits::default()).map_err(|e| e.to_string())?;
    let mut library = library(dir, recursive, code).map_err(|e| e.to_string())?;
    let mut unreadable = Vec::new();
    let packed: u64 = survey.files.iter().map(|file| file.bytes).sum();
    let mut texts = None;
    if survey.files.len() <= MAX_FILES && packed <= MAX_PACKED_BYTES {
        let mut read = Vec::new();
        for file in &survey.files {
            match (library.text)(&file.name) {
                Ok(text) => read.push((file.name.clone(), text)),
                Err(why) => unreadable.push(Skipped { name: file.name.clone(), why }),
            }
        }
        library.files.retain(|file| read.iter().any(|(name, _)| *name == file.name));
        // Two bytes per token leave room for the conversation.
        let room = window.map_or(MAX_BYTES, |tokens| (tokens as usize).saturating_mul(2).min(MAX_BYTES));
        texts = Some(read).filter(|read| read.iter().map(|(_, text)| text.len()).sum::<usize>() <= room);
    }
    let left_out = left_out(&survey, &unreadable);
    if library.files.is_empty() {
        return Err(nothing_to_read(dir, &left_out));
    }
    let count = library.files.len();
    let mut opening = String::new();
    let Some(texts) = texts else {
        let size = kilobytes(library.files.iter().map(|file| file.bytes).sum());
        let _ = write!(opening, "The folder holds {count} files, {size}. List, search and read them.\n\n");
        opening += &library.list("");
        return Ok(Looked { opening, read: Vec::new(), count, left_out });
    };
    opening += "The files:\n";
    for (name, text) in &texts {
        let _ = write!(opening, "\n=== {name} ===\n{text}\n");
    }
    let read = texts.into_iter().map(|(name, _)| name).collect();
    Ok(Looked { opening, read, count, left_out })
}

fn nothing_to_read(dir: &Path, left_out: &str) -> String {
    let text = format!(
        "{} holds no readable text or document (.txt, .md, .csv, .html, .eml, .pdf, .docx)",
        dir.display()
    );
    if left_out.is_empty() { text } else { format!("{text}; left out: {left_out}") }
}

/// What cannot be read, in a line: formats, folders, and files with the reason.
fn left_out(survey: &Survey, unreadable: &[Skipped]) -> String {
    let mut parts = Vec::new();
    if !survey.other.is_empty() {
        let mut other: Vec<(&String, &usize)> = survey.other.iter().collect();
        other.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let named = other.iter().take(KINDS).map(|(ending, count)| match ending.as_str() {
            "" => format!("{count} without an ending"),
            ending => format!("{count} .{ending}"),
        });
        let more = if other.len() > KINDS { " …" } else { "" };
        parts.push(format!("other formats ({}{more})", named.collect::<Vec<_>>().join(", ")));
    }
    match survey.folders {
        0 => {}
        1 => parts.push("1 folder (read it with --recursive)".to_owned()),
        many => parts.push(format!("{many} folders (read them with --recursive)")),
    }
    let skipped = survey.skipped.iter().chain(unreadable);
    parts.extend(skipped.take(NAMED).map(|one| format!("{} ({})", one.name, one.why)));
    let more = (survey.skipped.len() + unreadable.len()).saturating_sub(NAMED) + survey.more_skipped;
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    parts.join(", ")
}
