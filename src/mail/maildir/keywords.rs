//! Labels as Dovecot stores them: `dovecot-keywords` in the folder gives each of 26 letters a meaning.
//!
//! Dovecot and programs that share its Maildir show such labels; programs that do not know the file keep the letter and
//! show nothing.

use super::folder::Folder;
use super::trouble;
use crate::mail::MailError;
use crate::text::Visible;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;

/// More than 26 lines need.
const LONGEST: u64 = 64 << 10;

/// The letter of a label, assigned if it has none yet.
pub(super) fn letter(folder: &Folder, label: &str) -> Result<char, MailError> {
    if label.is_empty() || label.contains(|c: char| c.is_whitespace() || c.is_control()) {
        let label = Visible::line(label);
        return Err(MailError::Permanent(format!(
            "a label is one word; `{label}` is not, change it in the config"
        )));
    }
    let path = folder.path().join("dovecot-keywords");
    let lock = folder.path().join("dovecot-keywords.lock");
    if let Some(letter) = find_letter(&read(&path).map_err(|error| trouble(&path, &error))?, label) {
        return Ok(letter);
    }
    // The lock file becomes the new file: other writers wait, readers see the old file or the new one.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&lock);
    let mut file = match file {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let lock = lock.display();
            return Err(MailError::Temporary(format!(
                "another program holds {lock}; it will be tried again"
            )));
        }
        other => other.map_err(|error| trouble(&lock, &error))?,
    };
    let result = (|| {
        let mut lines = read(&path)?;
        if let Some(letter) = find_letter(&lines, label) {
            return Ok((letter, false));
        }
        let Some(index) = (0..26u8).find(|index| lines.iter().all(|(used, _)| used != index)) else {
            return Err(io::Error::other("all 26 labels a Maildir can have are taken; use one of those"));
        };
        lines.push((index, label.to_owned()));
        lines.sort();
        for (index, name) in &lines {
            writeln!(file, "{index} {name}")?;
        }
        file.sync_all()?;
        fs::rename(&lock, &path)?;
        Ok((char::from(b'a' + index), true))
    })();
    if !matches!(result, Ok((_, true))) {
        let _ = fs::remove_file(&lock);
    }
    result.map(|(letter, _)| letter).map_err(|error| trouble(&path, &error))
}

fn find_letter(lines: &[(u8, String)], label: &str) -> Option<char> {
    let line = lines.iter().find(|(_, name)| name.eq_ignore_ascii_case(label))?;
    Some(char::from(b'a' + line.0))
}

fn read(path: &std::path::Path) -> io::Result<Vec<(u8, String)>> {
    let mut text = String::new();
    match fs::File::open(path) {
        Ok(file) => file.take(LONGEST).read_to_string(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let line = |line: &str| {
        let (index, name) = line.split_once(' ')?;
        let index = index.parse().ok().filter(|index| *index < 26)?;
        Some((index, name.to_owned()))
    };
    Ok(text.lines().filter_map(line).collect())
}
