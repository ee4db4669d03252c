//! The format of an answer, and the answer.

use super::failure::{Exit, Failure};
use crate::text::{Visible, io_error_text, plain_json, width, wrap};
use clap::builder::StyledStr;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::io::{ErrorKind, IsTerminal, Write};

/// Columns if the terminal does not report its width.
const DEFAULT_WIDTH: usize = 80;

/// Most columns of running text: longer lines are hard to read.
const READABLE: usize = 100;

/// The format an answer is written in.
#[derive(Clone, Debug)]
pub(super) struct Format {
    /// JSON rather than text.
    json: bool,
    /// In columns; `None` if nothing has to fit, as in a pipe.
    pub(super) width: Option<usize>,
    /// The current time, for ages.
    pub(super) now: Timestamp,
    /// The user's time zone.
    pub(super) zone: TimeZone,
}

impl Format {
    pub(super) fn new(json: bool, zone: TimeZone) -> Self {
        let terminal = std::io::stdout().is_terminal();
        Self { json, width: terminal.then(columns), now: Timestamp::now(), zone }
    }

    /// Whether a person reads the answer, as text on a terminal.
    pub(super) fn is_read_by_person(&self) -> bool {
        !self.json && self.width.is_some()
    }

    /// An answer as JSON or text; only the wanted one is made. All text goes out here, and nothing hidden gets through.
    pub(super) fn answer<T: Serialize + ?Sized>(
        &self,
        data: &T,
        text: impl FnOnce(&Self) -> String,
    ) -> Result<Output, Failure> {
        let stdout = if self.json { safe_json(data)? } else { Visible::new(&text(self)).into_string() };
        Ok(Output { stdout, exit: Exit::Done })
    }

    /// An answer that programs read: JSON unless a person looks at it on a terminal.
    pub(super) fn for_program<T: Serialize + ?Sized>(
        &self,
        data: &T,
        text: impl FnOnce(&Self) -> String,
    ) -> Result<Output, Failure> {
        Self { json: self.json || self.width.is_none(), ..self.clone() }.answer(data, text)
    }

    /// Text for another program. It is printed byte for byte, so it must contain nothing from outside.
    pub(super) fn program(&self, data: &serde_json::Value, text: String) -> Result<Output, Failure> {
        let stdout = if self.json { safe_json(data)? } else { text };
        Ok(Output { stdout, exit: Exit::Done })
    }

    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Columns of running text.
    pub(super) fn columns(&self) -> usize {
        self.width.unwrap_or(READABLE).min(READABLE)
    }

    /// `text` after `lead`, on lines that break between words and begin where the text began. One line if nothing has
    /// to fit.
    pub(super) fn wrapped(&self, lead: &str, text: &str) -> String {
        if self.width.is_none() {
            return format!("{lead}{text}\n");
        }
        let indent = width(lead);
        let mut lines = wrap(text, self.columns().saturating_sub(indent));
        let mut wrapped = format!("{lead}{}\n", lines.next().unwrap_or_default());
        lines.for_each(|line| wrapped += &format!("{:indent$}{line}\n", ""));
        wrapped
    }

    /// A time in the user's time zone.
    pub(super) fn time(&self, at: Timestamp) -> String {
        at.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// How long ago: `40s`, `3m`, `2h`, `5d`.
    pub(super) fn age(&self, at: Timestamp) -> String {
        let seconds = self.now.as_second().saturating_sub(at.as_second()).max(0);
        match seconds {
            0..60 => format!("{seconds}s"),
            60..3600 => format!("{}m", seconds / 60),
            3600..86_400 => format!("{}h", seconds / 3600),
            _ => format!("{}d", seconds / 86_400),
        }
    }
}

/// What a verb prints when it succeeds.
#[derive(Debug)]
pub(super) struct Output {
    stdout: String,
    exit: Exit,
}

impl Output {
    /// What the parser prints for `--help` and `--version`.
    pub(super) fn help(text: &StyledStr) -> Self {
        let stdout = if styled() { text.ansi().to_string() } else { text.to_string() };
        Self { stdout, exit: Exit::Done }
    }

    /// The help of a verb that needs a subcommand. It is not an answer, so it goes to stderr; it is not an error
    /// either, so it is not labelled as one.
    pub(super) fn usage(help: &StyledStr) -> Self {
        // If even stderr is closed, the exit code has to do.
        let _ = write!(std::io::stderr(), "{help}");
        Self::nothing().with_exit(Exit::Usage)
    }

    /// A line that sayso wrote itself, so it needs no escaping.
    pub(super) fn line(text: String) -> Self {
        Self { stdout: text, exit: Exit::Done }
    }

    /// Prints nothing; everything was printed already.
    pub(super) fn nothing() -> Self {
        Self { stdout: String::new(), exit: Exit::Done }
    }

    /// The same answer with another exit code.
    pub(super) fn with_exit(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Prints the answer. A reader that closes the pipe early is not a failure.
    pub(super) fn print(self) -> Result<Exit, Failure> {
        let mut stdout = std::io::stdout().lock();
        let mut written = stdout.write_all(self.stdout.as_bytes());
        if !self.stdout.is_empty() && !self.stdout.ends_with('\n') {
            written = written.and_then(|()| stdout.write_all(b"\n"));
        }
        match written.and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let why = io_error_text(&error);
                Err(Failure::failed(format!("the command worked, but its output cannot be written: {why}")))
            }
            Ok(()) | Err(_) => Ok(self.exit),
        }
    }
}

/// Whether stdout supports styles and the user wants them.
fn styled() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    std::io::stdout().is_terminal() && !dumb && !set("NO_COLOR")
}

/// Columns of the terminal behind stdout.
pub(super) fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(DEFAULT_WIDTH)
}

/// JSON on one line, with every invisible character escaped. It means the same to a parser.
pub(super) fn safe_json<T: Serialize + ?Sized>(data: &T) -> Result<String, Failure> {
    plain_json(data).map_err(|e| Failure::failed(format!("the answer cannot be written as JSON: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words_on_a_terminal_only() {
        let mut format = Format::new(false, TimeZone::UTC);
        format.width = Some(20);
        assert_eq!(
            format.wrapped("ok  ", "nothing can be sent: there"),
            "ok  nothing can be\n    sent: there\n"
        );
        assert_eq!(format.wrapped("ok  ", ""), "ok  \n");
        format.width = None;
        assert_eq!(format.wrapped("ok  ", "nothing can be sent: there"), "ok  nothing can be sent: there\n");
    }

    #[test]
    fn ages_read_well() {
        let mut format = Format::new(false, TimeZone::UTC);
        format.now = "2026-11-20T12:00:00Z".parse().unwrap();
        for (at, age) in [
            ("2026-11-20T12:00:05Z", "0s"),
            ("2026-11-20T11:59:20Z", "40s"),
            ("2026-11-20T11:56:30Z", "3m"),
            ("2026-11-20T09:10:00Z", "2h"),
            ("2026-11-15T12:00:00Z", "5d"),
        ] {
            assert_eq!(format.age(at.parse().unwrap()), age, "{at}");
        }
    }
}
