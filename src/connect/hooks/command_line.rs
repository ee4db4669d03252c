//! A command line as Codex writes it: the command itself is the last word of a shell's command line.

use crate::text::read_command_line;

const SHELLS: [&str; 4] = ["bash", "zsh", "sh", "dash"];

/// Where the system keeps shells. A program with the same name elsewhere could do anything with the command.
const PLACES: [&str; 3] = ["", "/bin/", "/usr/bin/"];

/// The command that a line such as `/bin/bash -lc 'touch x'` runs; `None` for any other line.
pub(super) fn script(line: &str) -> Option<String> {
    let line = read_command_line(line);
    let [command] = line.commands.as_slice() else { return None };
    let [shell, flag, script] = command.words.as_slice() else { return None };
    let is_shell = PLACES.iter().any(|at| shell.strip_prefix(at).is_some_and(|name| SHELLS.contains(&name)));
    let is_read = line.unread.is_none() && is_shell && matches!(flag.as_str(), "-lc" | "-c");
    is_read.then(|| script.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_taken_out_of_its_shell() {
        for (line, expected) in [
            ("/bin/bash -lc 'touch /tmp/x'", Some("touch /tmp/x")),
            (r#"/bin/bash -lc "touch two && echo 'a b'""#, Some("touch two && echo 'a b'")),
            (r#"/bin/bash -lc "echo \"it's "'$HOME" > x'"#, Some(r#"echo "it's $HOME" > x"#)),
            ("zsh -c ls", Some("ls")),
            ("/bin/bash -lc 'a\nb'", Some("a\nb")),
            ("/bin/bash -lc ''", Some("")),
            (r#"sh -c "a \n b""#, Some(r"a \n b")),
            ("ls -la", None),
            ("/bin/bash -lc ls extra", None),
            ("/bin/bash -x ls", None),
            ("/usr/bin/python3 -c 'print(1)'", None),
            ("/usr/bin/zsh -lc ls", Some("ls")),
            ("/tmp/evil/bash -lc ls", None),
            ("./bash -lc ls", None),
            ("bin/bash -lc ls", None),
            ("/bin/../tmp/bash -lc ls", None),
            ("/usr/bin//bash -lc ls", None),
            ("/bin/bash -ic ls", None),
            (r#"bash -c "$X""#, None),
            ("bash -c ls; rm x", None),
            ("bash -c 'ls", None),
            ("", None),
        ] {
            assert_eq!(script(line).as_deref(), expected, "{line}");
        }
    }
}
