//! The terminal: taken over, and given back whatever happens.
//!
//! Promises: raw mode, the other screen, mouse and paste reporting are switched on and off together; a panic, a signal,
//! Ctrl-Z and `$EDITOR` leave the terminal as it was found.

use crate::config::{Desktop, Notices};
use crate::text::{Visible, hex, io_words, unreadable};
use crossterm::clipboard::CopyToClipboard;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::style::Print;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};
use std::cell::Cell;
use std::io::{self, IsTerminal, Stdout, Write};
use std::process::{Command, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Clicks and the wheel are reported, and nothing else: a mouse that is only moved is no input.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// Whether the terminal is ours right now.
static TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread draws. A panic elsewhere is caught by whoever runs there, and must not touch the screen.
    static DRAWS: Cell<bool> = const { Cell::new(false) };
}

/// Why there can be no screen.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// Input or output is not a terminal.
    #[error("the inbox needs a terminal; `sayso list` prints what waits")]
    None,
    /// It can do too little.
    #[error("the terminal is `dumb` and cannot show a screen; `sayso list` prints what waits")]
    Dumb,
    /// It refused.
    #[error("the terminal could not be used: {0}")]
    Io(#[from] io::Error),
}

/// The terminal, ours until it is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal over.
    pub fn take() -> Result<Self, TerminalError> {
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(TerminalError::None);
        }
        if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
            return Err(TerminalError::Dumb);
        }
        restore_on_panic();
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(Self { terminal })
    }

    /// Draws a frame, all the way to the terminal.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        DRAWS.set(true);
        self.terminal.draw(draw)?;
        io::stdout().flush()
    }

    /// Takes the terminal over again after somebody else stopped and continued us.
    pub fn again(&mut self) -> io::Result<()> {
        enter()?;
        self.clear()
    }

    /// Forgets what is on the screen, so that the next frame draws all of it.
    ///
    /// The terminal is not asked where its cursor is: whoever asks has to wait for the answer among the keys.
    pub fn clear(&mut self) -> io::Result<()> {
        execute!(io::stdout(), Clear(ClearType::All))?;
        self.terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
        Ok(())
    }

    /// Gives the terminal back for a while, and takes it over again.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> io::Result<T> {
        leave();
        let done = work();
        self.again()?;
        Ok(done)
    }

    /// Puts text on the clipboard of whoever sits at the terminal.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text.as_bytes()))
    }

    /// Rings, and shows a notice, as far as wanted.
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
    TAKEN.store(true, Ordering::SeqCst);
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, Print(MOUSE_ON), Hide)
}

/// Gives the terminal back; what fails on the way changes nothing about the rest.
pub fn leave() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(io::stdout(), Print(MOUSE_OFF), DisableBracketedPaste, Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if DRAWS.get() || !TAKEN.load(Ordering::SeqCst) {
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
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = io::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        // Where it cannot be known, it is taken to be so: then nothing is decided.
        poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).map_or(true, |ready| ready > 0)
    }
    #[cfg(not(unix))]
    crossterm::event::poll(std::time::Duration::ZERO).unwrap_or(true)
}

/// Stops this process until the shell continues it.
pub fn stop() -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        // The whole group, as Ctrl-Z of a terminal would: a pager in front of us stops as well.
        if rustix::process::kill_current_process_group(Signal::TSTP).is_err() {
            kill_process(getpid(), Signal::STOP)?;
        }
        // Which thread takes the signal is the kernel's choice; until it has, the terminal must stay given back.
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    Ok(())
}

/// Lets a person edit `text` in `$VISUAL` or `$EDITOR`, in a private file that is removed again.
pub fn edit(text: &str, ending: &str) -> Result<String, String> {
    let named = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = named("VISUAL").or_else(|| named("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let path = private_file(text, ending)
        .map_err(|e| format!("could not create a file to edit: {}", io_words(&e)))?;
    let status = Command::new("sh")
        .arg("-c")
        .arg(format!("{editor} \"$1\""))
        .arg("sh")
        .arg(&path)
        .stdin(Stdio::inherit())
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit())
        .status();
    let read = std::fs::read_to_string(&path);
    let _ = std::fs::remove_file(&path);
    match status {
        Ok(status) if status.success() => {
            read.map_err(|e| format!("cannot read the edited file: {}", unreadable(&e)))
        }
        Ok(status) => Err(format!("{editor} ended with {status}; nothing changed")),
        Err(error) => Err(format!(
            "{editor} could not be started: {}; set EDITOR to an editor that works",
            io_words(&error)
        )),
    }
}

/// Runs a person's command with `text` on its standard input, and waits until what it printed has been read.
pub fn pipe(command: &str, text: &str) -> Result<(), String> {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| format!("no shell could be started: {}", io_words(&error)))?;
    if let Some(mut input) = child.stdin.take() {
        // A command may read as much as it likes, and end before the rest of it.
        let _ = input.write_all(text.as_bytes());
    }
    let status =
        child.wait().map_err(|error| format!("lost contact with {command}: {}", io_words(&error)))?;
    let failure = if status.success() { String::new() } else { format!("{status}; ") };
    print!("[sayso: {failure}Enter goes back] ");
    let _ = io::stdout().flush();
    let _ = io::stdin().read_line(&mut String::new());
    Ok(())
}

fn private_file(text: &str, ending: &str) -> io::Result<std::path::PathBuf> {
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random).map_err(|e| io::Error::other(e.to_string()))?;
    let name = hex(&random);
    let path = std::env::temp_dir().join(format!("sayso-{name}.{ending}"));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path)?.write_all(text.as_bytes())?;
    Ok(path)
}
