//! A command line as Codex writes it: the command itself is the last word of a shell's command line.

const SHELLS: [&str; 4] = ["bash", "zsh", "sh", "dash"];

/// Where the system keeps shells. A program with the same name elsewhere could do anything with the command.
const PLACES: [&str; 3] = ["", "/bin/", "/usr/bin/"];

/// The command that a line such as `/bin/bash -lc 'touch x'` runs; `None` for any other line.
pub(super) fn script(line: &str) -> Option<String> {
    let [shell, flag, script] = <[String; 3]>::try_from(words(line)?).ok()?;
    let is_shell = PLACES.iter().any(|at| shell.strip_prefix(at).is_some_and(|name| SHELLS.contains(&name)));
    (is_shell && matches!(flag.as_str(), "-lc" | "-c")).then_some(script)
}

/// The plain and quoted words of a line; `None` if a shell would read it differently.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            other => word.extend(['\\', other]),
                        },
                        '$' | '`' => return None,
                        inner => word.push(inner),
                    }
                }
            }
            c if c.is_ascii_alphanumeric() || "+-./:=@^_,%".contains(c) => {
                word.get_or_insert_default().push(c);
            }
            _ => return None,
        }
    }
    words.extend(word);
    Some(words)
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
