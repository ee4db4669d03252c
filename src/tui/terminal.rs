//! Takes over the terminal, and gives it back whatever happens.
//!
//! Promises: raw mode, the alternate screen, mouse and paste reporting are switched on and off together; a panic, a
//! signal, Ctrl-Z and `$EDITOR` leave the terminal as we found it.

use crate::config::{Desktop, Notices};
use crate::text::{Visible, io_error_text, read_error_text};
use base64::prelude::{BASE64_STANDARD, Engine};
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::terminal::{Frame, Terminal};
use ratatui_crossterm::CrosstermBackend;
use std::cell::Cell;
use std::io::{self, IsTerminal, Stdout, Write};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::NamedTempFile;

/// Clicks and the wheel are reported, and nothing else: moving the mouse is not input.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Whether we have the terminal right now.
static HAS_TERMINAL: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread draws. A panic in another thread is caught there, and must not touch the screen.
    static IS_DRAWING: Cell<bool> = const { Cell::new(false) };
}

/// Why there is no screen.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Input or output is not a terminal.
    #[error("the inbox needs a terminal; `sayso list` prints what waits")]
    None,
    /// Its abilities are too limited.
    #[error("the terminal is `dumb` and cannot show a screen; `sayso list` prints what waits")]
    Dumb,
    /// It failed.
    #[error("the terminal could not be used: {0}")]
    Io(#[from] io::Error),
}

/// Whether there is a terminal that can show a screen.
pub fn check() -> Result<(), TerminalError> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err(TerminalError::None);
    }
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        return Err(TerminalError::Dumb);
    }
    Ok(())
}

/// The terminal, which is ours until this is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub fn take() -> Result<Self, TerminalError> {
        check()?;
        restore_on_panic();
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(Self { terminal })
    }

    /// Draws a frame, and flushes it to the terminal.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        IS_DRAWING.set(true);
        self.terminal.draw(draw)?;
        io::stdout().flush()
    }

    /// Takes over the terminal again after we were stopped and continued.
    pub fn retake(&mut self) -> io::Result<()> {
        enter()?;
        self.clear()
    }

    /// Forgets what is on the screen, so that the next frame draws everything.
    ///
    /// Does not ask the terminal for its cursor position: the answer would arrive among the keys.
    pub fn clear(&mut self) -> io::Result<()> {
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(())
    }

    /// Gives the terminal back for a while, and then takes it over again.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        let result = work();
        self.retake()?;
        Ok(result)
    }

    /// Copies text to the clipboard of the user at the terminal.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout();
        write!(out, "\x1b]52;c;{}\x1b\\", BASE64_STANDARD.encode(text))?;
        out.flush()
    }

    /// Rings the bell and shows a notice, depending on the settings.
    pub fn notice(&mut self, notices: Notices, text: &str) -> io::Result<()> {
        let mut out = io::stdout();
        // A semicolon would begin the next field.
        let text = Visible::line(text).replace(';', ",");
        match notices.desktop {
            Desktop::Off => {}
            Desktop::Osc9 => write!(out, "\x1b]9;{text}\x07")?,
            Desktop::Osc777 => write!(out, "\x1b]777;notify;sayso;{text}\x07")?,
        }
        if notices.bell {
            write!(out, "\x07")?;
        }
        out.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    HAS_TERMINAL.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, Print(MOUSE_ON), Hide)
}

/// Gives the terminal back; if one step fails, the others still run.
pub fn leave() {
    if HAS_TERMINAL.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), Print(MOUSE_OFF), DisableBracketedPaste, Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if IS_DRAWING.get() || !HAS_TERMINAL.load(Ordering::SeqCst) {
                leave();
                earlier(info);
            } else {
                tracing::error!(%info, "a part of the program broke off");
            }
        }));
    });
}

/// Whether keys are waiting that nobody has read.
pub fn keys_wait() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    // If we cannot know, we assume there are some: then nothing is decided.
    poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).map_or(true, |ready| ready > 0)
}

/// Stops this process until the shell continues it.
pub fn stop() -> io::Result<()> {
    use rustix::process::{Signal, getpid, kill_process};
    // Stops the whole group, as Ctrl-Z in a terminal would: a pager in front of us stops as well.
    if rustix::process::kill_current_process_group(Signal::TSTP).is_err() {
        kill_process(getpid(), Signal::STOP)?;
    }
    // The kernel chooses which thread takes the signal; until one has, we must not take the terminal back.
    std::thread::sleep(std::time::Duration::from_millis(50));
    Ok(())
}

/// Lets the user edit `text` in `$VISUAL` or `$EDITOR`, in a private file that is removed afterwards.
pub fn edit(text: &str, extension: &str) -> Result<String, String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let file = private_file(text, extension)
        .map_err(|e| format!("could not create a file to edit: {}", io_error_text(&e)))?;
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(file.path())
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .status();
    // By its name: an editor may have put another file in its place.
    let edited = std::fs::read_to_string(file.path());
    match status {
        Ok(status) if status.success() => {
            edited.map_err(|e| format!("cannot read the edited file: {}", read_error_text(&e)))
        }
        Ok(status) => Err(format!("{editor} ended with {status}; nothing changed")),
        Err(error) => Err(format!(
            "{editor} could not be started: {}; set EDITOR to an editor that works",
            io_error_text(&error)
        )),
    }
}

/// Runs the user's command with `text` on its standard input, and waits until its output has been read.
pub fn pipe(command: &str, text: &str) -> Result<(), String> {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| format!("no shell could be started: {}", io_error_text(&error)))?;
    if let Some(mut input) = child.stdin.take() {
        // A command may stop reading its input at any point.
        let _ = input.write_all(text.as_bytes());
    }
    let status =
        child.wait().map_err(|error| format!("lost contact with {command}: {}", io_error_text(&error)))?;
    let failure = if status.success() { String::new() } else { format!("{status}; ") };
    print!("[sayso: {failure}Enter goes back] ");
    let _ = io::stdout().flush();
    let _ = io::stdin().read_line(&mut String::new());
    Ok(())
}

fn private_file(text: &str, extension: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("sayso-").suffix(&format!(".{extension}")).tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}
