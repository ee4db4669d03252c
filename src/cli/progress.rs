//! A progress bar on stderr; nothing if stderr is not a terminal.

use super::output::columns;
use crate::text::{Visible, truncate};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Columns of the bar itself.
const WIDTH: u64 = 24;

/// Clears the line the cursor is on.
const CLEAR: &str = "\r\x1b[2K";

pub(super) struct Bar {
    enabled: bool,
    drawn: AtomicBool,
    /// The percentage drawn last, so that not every step is drawn.
    last: AtomicU64,
}

impl Bar {
    /// A bar that is drawn if stderr is a capable terminal, unless the answer is for a program.
    pub(super) fn new(for_program: bool) -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let enabled = !for_program && !dumb && std::io::stderr().is_terminal();
        Self { enabled, drawn: AtomicBool::new(false), last: AtomicU64::new(u64::MAX) }
    }

    /// Shows the progress of `what`.
    pub(super) fn show(&self, what: &str, done: u64, total: u64) {
        let percent = done.saturating_mul(100) / total.max(1);
        if !self.enabled || self.last.swap(percent, Ordering::Relaxed) == percent {
            return;
        }
        self.drawn.store(true, Ordering::Relaxed);
        let _ = write!(std::io::stderr(), "{CLEAR}{}", line(what, done, total));
        let _ = std::io::stderr().flush();
    }

    /// Shows what goes on where nobody knows how much is left.
    pub(super) fn tell(&self, text: &str) {
        if !self.enabled {
            return;
        }
        self.drawn.store(true, Ordering::Relaxed);
        let text = Visible::line(text);
        let _ = write!(std::io::stderr(), "{CLEAR}{}", truncate(&text, columns().saturating_sub(1)));
        let _ = std::io::stderr().flush();
    }

    pub(super) fn clear(&self) {
        if self.drawn.load(Ordering::Relaxed) {
            let _ = write!(std::io::stderr(), "{CLEAR}");
        }
    }
}

fn line(what: &str, done: u64, total: u64) -> String {
    let full = done.saturating_mul(WIDTH) / total.max(1);
    let bar: String = (0..WIDTH).map(|at| if at < full { '#' } else { '.' }).collect();
    format!("{} [{bar}] {done} of {total}", Visible::line(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills() {
        assert_eq!(line("home", 0, 4), "home [........................] 0 of 4");
        assert_eq!(line("home", 2, 4), "home [############............] 2 of 4");
        assert_eq!(line("home", 4, 4), "home [########################] 4 of 4");
        assert_eq!(line("a\u{1b}", 0, 0), "a⟨U+001B⟩ [........................] 0 of 0");
    }
}
