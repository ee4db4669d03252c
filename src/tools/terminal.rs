//! The terminal a program runs in, and how to bring it to the front: tmux, kitty and WezTerm take commands for that.
//!
//! A terminal is named by the environment of another program. We check the form of each part and pass it on as whole
//! arguments; no shell reads it.

use crate::text::Visible;
use serde::{Deserialize, Serialize};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;

/// How long a terminal may take to obey.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest path or address of a terminal.
const LONGEST: usize = 1024;

/// A place in a terminal that can be brought to the front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "program", rename_all = "lowercase")]
pub enum Terminal {
    /// A pane, with the socket of its server.
    Tmux { socket: String, pane: String },
    /// A window; kitty gives an address only if it takes commands.
    Kitty { address: Option<String>, window: String },
    /// A pane, with the socket of its server if there is one.
    Wezterm { socket: Option<String>, pane: String },
}

impl Terminal {
    /// The terminal that a program's variables name; of nested ones, the innermost.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let tmux = || {
            // The server's process id and the session follow the socket.
            let socket = variable("TMUX")?.rsplitn(3, ',').nth(2)?.to_owned();
            Some(Terminal::Tmux { socket, pane: variable("TMUX_PANE")? })
        };
        let kitty = || {
            let window = variable("KITTY_WINDOW_ID")?;
            Some(Terminal::Kitty { address: variable("KITTY_LISTEN_ON"), window })
        };
        let wezterm = || {
            let pane = variable("WEZTERM_PANE")?;
            Some(Terminal::Wezterm { socket: variable("WEZTERM_UNIX_SOCKET"), pane })
        };
        tmux().or_else(kitty).or_else(wezterm).filter(Terminal::is_sound)
    }

    pub fn name(&self) -> &'static str {
        match self {
            Terminal::Tmux { .. } => "tmux",
            Terminal::Kitty { .. } => "kitty",
            Terminal::Wezterm { .. } => "WezTerm",
        }
    }

    /// Whether every part has the expected form.
    fn is_sound(&self) -> bool {
        let number = |text: &str| (1..10).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        let plain = |text: &str| text.len() <= LONGEST && !text.chars().any(char::is_control);
        let path = |text: &str| text.starts_with('/') && plain(text);
        match self {
            Terminal::Tmux { socket, pane } => path(socket) && pane.strip_prefix('%').is_some_and(number),
            Terminal::Kitty { address, window } => {
                let is_local = |address: &String| address.starts_with("unix:") && plain(address);
                address.as_ref().is_none_or(is_local) && number(window)
            }
            Terminal::Wezterm { socket, pane } => socket.as_deref().is_none_or(path) && number(pane),
        }
    }

    /// Brings it to the front. `variable` reads the environment of the caller, who may sit in the same tmux.
    pub async fn focus(&self, variable: impl Fn(&str) -> Option<String>) -> Result<(), String> {
        if !self.is_sound() {
            return Err(format!("what is on record of its {} window cannot be right", self.name()));
        }
        match self {
            Terminal::Tmux { socket, pane } => {
                let inside = matches!(Terminal::from_variables(variable), Some(Terminal::Tmux { socket: ours, .. }) if ours == *socket);
                focus_tmux(socket, pane, inside).await
            }
            Terminal::Kitty { address: None, .. } => {
                Err("kitty takes no commands; set `allow_remote_control` and `listen_on` in its config"
                    .to_owned())
            }
            Terminal::Kitty { address: Some(address), window } => {
                run(&mut command("kitten", &kitty(address, window))).await.map(|_| ())
            }
            Terminal::Wezterm { socket, pane } => {
                let mut activate = command("wezterm", &wezterm(pane));
                activate.envs(socket.as_ref().map(|socket| ("WEZTERM_UNIX_SOCKET", socket)));
                run(&mut activate).await.map(|_| ())
            }
        }
    }
}

async fn focus_tmux(socket: &str, pane: &str, inside: bool) -> Result<(), String> {
    let tmux = |words: &[&str]| command("tmux", &[&["-S", socket], words].concat());
    run(&mut tmux(&["select-window", "-t", pane, ";", "select-pane", "-t", pane])).await?;
    if inside {
        return run(&mut tmux(&["switch-client", "-t", pane])).await.map(|_| ());
    }
    let attached = run(&mut tmux(&["display-message", "-p", "-t", pane, "#{session_attached}"])).await?;
    match attached.trim() {
        "0" => Err("its tmux session is open in no terminal; `tmux attach` shows it".to_owned()),
        _ => Ok(()),
    }
}

fn kitty<'a>(address: &'a str, window: &str) -> Vec<String> {
    let words: [&'a str; 4] = ["@", "--to", address, "focus-window"];
    words.into_iter().map(str::to_owned).chain(["--match".to_owned(), format!("id:{window}")]).collect()
}

fn wezterm(pane: &str) -> [&str; 4] {
    ["cli", "activate-pane", "--pane-id", pane]
}

fn command(program: &str, words: &[impl AsRef<std::ffi::OsStr>]) -> Command {
    let mut command = Command::new(program);
    command.args(words).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it and returns its output; the error says why it failed.
async fn run(command: &mut Command) -> Result<String, String> {
    let name = command.as_std().get_program().to_string_lossy().into_owned();
    let ended: Output = match tokio::time::timeout(PATIENCE, command.output()).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(error)) => {
            return Err(format!("{name} cannot be started: {}", crate::text::io_error_text(&error)));
        }
        Err(_) => return Err(format!("{name} did not answer in {} s", PATIENCE.as_secs())),
    };
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
    }
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    let stderr = stderr.lines().next().unwrap_or("it said nothing").to_owned();
    Err(format!("{name} could not show it: {}", Visible::line(&stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal_of(variables: &[(&str, &str)]) -> Option<Terminal> {
        Terminal::from_variables(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_terminal_is_known_by_its_variables() {
        let tmux = Terminal::Tmux { socket: "/tmp/tmux-0/a,b".to_owned(), pane: "%12".to_owned() };
        let inner = [("TMUX", "/tmp/tmux-0/a,b,31320,0"), ("TMUX_PANE", "%12"), ("KITTY_WINDOW_ID", "3")];
        assert_eq!(terminal_of(&inner), Some(tmux));
        let kitty = Terminal::Kitty { address: Some("unix:@mykitty-1".to_owned()), window: "3".to_owned() };
        assert_eq!(
            terminal_of(&[("KITTY_WINDOW_ID", "3"), ("KITTY_LISTEN_ON", "unix:@mykitty-1")]),
            Some(kitty)
        );
        let wezterm =
            Terminal::Wezterm { socket: Some("/run/wezterm/gui-sock-7".to_owned()), pane: "0".to_owned() };
        let variables = [("WEZTERM_PANE", "0"), ("WEZTERM_UNIX_SOCKET", "/run/wezterm/gui-sock-7")];
        assert_eq!(terminal_of(&variables), Some(wezterm));
        assert_eq!(terminal_of(&[]), None);
    }

    #[test]
    fn what_has_another_shape_is_no_terminal() {
        for variables in [
            &[("TMUX", "/tmp/s,1,0"), ("TMUX_PANE", "%1;kill-server")][..],
            &[("TMUX", "/tmp/s,1,0"), ("TMUX_PANE", "1")],
            &[("TMUX", "/tmp/s,1,0"), ("TMUX_PANE", "-t")],
            &[("TMUX", "relative,1,0"), ("TMUX_PANE", "%1")],
            &[("TMUX", "/tmp/\u{1b}[2J,1,0"), ("TMUX_PANE", "%1")],
            &[("KITTY_WINDOW_ID", "3 or id:4")],
            &[("KITTY_WINDOW_ID", "3"), ("KITTY_LISTEN_ON", "tcp:example.org:99")],
            &[("WEZTERM_PANE", "")],
            &[("WEZTERM_PANE", "1"), ("WEZTERM_UNIX_SOCKET", "--config=x")],
        ] {
            assert_eq!(terminal_of(variables), None, "{variables:?}");
        }
    }

    #[test]
    fn kitty_and_wezterm_are_told_by_whole_arguments() {
        let arguments = kitty("unix:/tmp/my kitty", "7");
        assert_eq!(arguments, ["@", "--to", "unix:/tmp/my kitty", "focus-window", "--match", "id:7"]);
        assert_eq!(wezterm("7"), ["cli", "activate-pane", "--pane-id", "7"]);
    }

    #[tokio::test]
    async fn what_cannot_be_shown_is_told_in_a_sentence() {
        let kitty = Terminal::Kitty { address: None, window: "1".to_owned() };
        assert!(kitty.focus(|_| None).await.unwrap_err().contains("allow_remote_control"));
        let forged = Terminal::Tmux { socket: "/tmp/s".to_owned(), pane: "%1;kill-server".to_owned() };
        assert!(forged.focus(|_| None).await.unwrap_err().contains("cannot be right"));
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("none").display().to_string();
        let gone = Terminal::Tmux { socket, pane: "%1".to_owned() };
        let why = gone.focus(|_| None).await.unwrap_err();
        assert!(
            why.starts_with("tmux could not show it: ") || why.starts_with("tmux cannot be started"),
            "{why}"
        );
    }
}
