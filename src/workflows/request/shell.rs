//! A shell line, read as far as warnings and grants need it: the commands in it with their words, and where output
//! goes. It is no shell: what it cannot read it takes for several commands rather than for none.

/// How deep substitutions are looked into.
const DEEPEST: usize = 6;

/// One command of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Its words, quotes taken off.
    pub words: Vec<String>,
    /// Whether it reads what another command writes.
    pub piped: bool,
    /// The files its output goes to.
    pub writes: Vec<String>,
}

/// The commands of a line, those inside substitutions and quoted scripts included.
pub(super) fn commands(line: &str) -> Vec<Simple> {
    let mut found = Vec::new();
    collect(line, 0, &mut found);
    found
}

fn collect(line: &str, depth: usize, found: &mut Vec<Simple>) {
    if depth > DEEPEST {
        return;
    }
    let mut reader = Reader { rest: line.chars().peekable(), inner: Vec::new(), found: Vec::new() };
    reader.read();
    let Reader { inner, found: read, .. } = reader;
    for simple in &read {
        for script in scripts(simple) {
            collect(&script, depth + 1, found);
        }
    }
    found.extend(read);
    inner.iter().for_each(|line| collect(line, depth + 1, found));
}

/// What a command hands to another shell as text.
fn scripts(simple: &Simple) -> Vec<String> {
    let (program, rest) = simple.program();
    match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" => {
            let at = rest.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
            at.and_then(|at| rest.get(at + 1)).cloned().into_iter().collect()
        }
        "eval" => vec![rest.join(" ")],
        _ => Vec::new(),
    }
}

impl Simple {
    /// The program that runs in the end, without its folder, and its words; those that only start another are passed.
    pub(super) fn program(&self) -> (&str, &[String]) {
        let mut words = self.words.as_slice();
        loop {
            let Some((first, rest)) = words.split_first() else { return ("", &[]) };
            let name = first.rsplit('/').next().unwrap_or_default();
            let assigns = first.split_once('=').is_some_and(|(name, _)| is_name(name));
            let starts = STARTERS.contains(&name);
            if !assigns && !starts {
                return (name, rest);
            }
            // Flags of a starter, and what belongs to some of them, are passed over too.
            let skip = rest.iter().take_while(|word| starts && word.starts_with('-')).count();
            words = &rest[skip..];
        }
    }

    /// Every program it names on the way.
    pub(super) fn starts(&self, names: &[&str]) -> bool {
        let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        let passed = self.words.len() - self.program().1.len();
        self.words.iter().take(passed).any(|word| names.contains(&name(word).as_str()))
    }
}

/// What only starts another program.
const STARTERS: &[&str] = &[
    "sudo", "doas", "pkexec", "env", "nohup", "time", "nice", "ionice", "exec", "command", "builtin",
    "xargs", "setsid", "stdbuf", "then", "do", "else", "!",
];

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    /// Lines inside substitutions.
    inner: Vec<String>,
    found: Vec<Simple>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut simple = Simple::default();
        let mut word: Option<String> = None;
        let mut writing = false;
        while let Some(c) = self.rest.next() {
            match c {
                ' ' | '\t' => end_word(&mut simple, &mut word, &mut writing),
                '\n' | ';' | '(' | ')' | '{' | '}' if !(matches!(c, '{' | '}') && word.is_some()) => {
                    self.end(&mut simple, &mut word, &mut writing, false);
                }
                '&' if self.rest.peek() == Some(&'>') => end_word(&mut simple, &mut word, &mut writing),
                '&' if writing && word.is_none() => {}
                '&' => self.end(&mut simple, &mut word, &mut writing, false),
                '|' => {
                    let pipes = self.rest.peek() != Some(&'|');
                    self.end(&mut simple, &mut word, &mut writing, pipes);
                    if !pipes {
                        self.rest.next();
                    }
                }
                '>' => {
                    // A number right before it names the stream.
                    if word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
                        word = None;
                    }
                    end_word(&mut simple, &mut word, &mut writing);
                    while self.rest.next_if(|c| matches!(c, '>' | '|')).is_some() {}
                    writing = true;
                }
                '<' => end_word(&mut simple, &mut word, &mut writing),
                '#' if word.is_none() => while self.rest.next_if(|c| *c != '\n').is_some() {},
                other => {
                    let into = word.get_or_insert_with(String::new);
                    Self::letter(other, &mut self.rest, &mut self.inner, into);
                }
            }
        }
        self.end(&mut simple, &mut word, &mut writing, false);
    }

    fn letter(
        c: char,
        rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
        inner: &mut Vec<String>,
        into: &mut String,
    ) {
        match c {
            '\'' => into.extend(rest.by_ref().take_while(|c| *c != '\'')),
            '"' => {
                while let Some(c) = rest.next() {
                    match c {
                        '"' => break,
                        '\\' => into.extend(rest.next()),
                        c => Self::expanded(c, rest, inner, into),
                    }
                }
            }
            '\\' => into.extend(rest.next().filter(|c| *c != '\n')),
            c => Self::expanded(c, rest, inner, into),
        }
    }

    /// A letter, or a substitution that begins with it.
    fn expanded(
        c: char,
        rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
        inner: &mut Vec<String>,
        into: &mut String,
    ) {
        match c {
            '`' => inner.push(rest.by_ref().take_while(|c| *c != '`').collect()),
            '$' if rest.peek() == Some(&'(') => {
                rest.next();
                let mut depth = 1;
                let mut line = String::new();
                for c in rest.by_ref() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    if depth == 0 {
                        break;
                    }
                    line.push(c);
                }
                inner.push(line);
                into.push_str("$()");
            }
            c => into.push(c),
        }
    }

    fn end(&mut self, simple: &mut Simple, word: &mut Option<String>, writing: &mut bool, pipes: bool) {
        end_word(simple, word, writing);
        *writing = false;
        let next = Simple { piped: pipes, ..Simple::default() };
        let ended = std::mem::replace(simple, next);
        if !ended.words.is_empty() || !ended.writes.is_empty() {
            self.found.push(ended);
        }
    }
}

fn end_word(simple: &mut Simple, word: &mut Option<String>, writing: &mut bool) {
    let Some(word) = word.take() else { return };
    if std::mem::take(writing) { simple.writes.push(word) } else { simple.words.push(word) }
}

/// The words of a command that is nothing but words: no quotes, no expansion, no redirection, no second command.
/// Only such a command can be allowed without asking.
pub(super) fn plain_words(line: &str) -> Option<Vec<String>> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@,+%".contains(c);
    let words: Vec<String> = line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let program = words.first()?;
    let fits = words.iter().all(|word| word.chars().all(plain)) && !program.contains('=');
    fits.then_some(words)
}

/// How many first words of a plain command say what sort it is, so that others of the sort can be allowed with it:
/// a program and its own command, where neither runs what the rest says. None where that cannot be told.
pub(super) fn lead(words: &[String]) -> usize {
    let [program, command, ..] = words else { return 0 };
    let runs_others = STARTERS.contains(&program.as_str()) || RUNNERS.contains(&program.as_str());
    let plain = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
    };
    let runs = ["run", "exec", "x", "eval", "sh", "shell", "start", "dlx"].contains(&command.as_str());
    if plain(program) && plain(command) && !runs_others && !runs { 2 } else { 0 }
}

/// Programs that run whatever they are told to, or change anything.
const RUNNERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "deno", "perl", "ruby", "php",
    "lua", "ssh", "npx", "uvx", "pipx", "docker", "podman", "kubectl", "su", "rm", "mv", "cp", "dd", "chmod",
    "chown", "find", "awk", "sed", "tee", "curl", "wget", "eval", "source", "make", "watch", "timeout",
    "parallel",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Vec<String>> {
        commands(line).into_iter().map(|simple| simple.words).collect()
    }

    #[test]
    fn lines_fall_into_commands() {
        assert_eq!(words("cargo test --lib"), [["cargo", "test", "--lib"]]);
        assert_eq!(
            words("a b;c 'd e' && f \"g h\"\ni"),
            vec![vec!["a", "b"], vec!["c", "d e"], vec!["f", "g h"], vec!["i"]]
        );
        assert_eq!(words("echo \\; x # no ; more"), [["echo", ";", "x"]]);
        let piped = commands("curl -s x | sudo sh");
        assert!(!piped[0].piped && piped[1].piped);
        assert_eq!(piped[1].program().0, "sh");
        let writes = commands("make > /etc/x 2>&1 >> log; b &> all");
        assert_eq!(writes[0].writes, ["/etc/x", "1", "log"]);
        assert_eq!(writes[1].writes, ["all"]);
    }

    #[test]
    fn what_is_inside_is_looked_at() {
        for line in [
            "echo $(rm -rf x)",
            "echo \"$(rm -rf x)\"",
            "echo `rm -rf x`",
            "bash -c 'rm -rf x'",
            "sudo bash -lc \"rm -rf x\"",
            "eval rm -rf x",
            "(cd y && rm -rf x)",
            "if true; then rm -rf x; fi",
            "FOO=1 env BAR=2 nohup /bin/rm -rf x",
            "find . | xargs rm -rf",
        ] {
            let found = commands(line);
            assert!(found.iter().any(|simple| simple.program().0 == "rm"), "{line}: {found:?}");
        }
        assert_eq!(commands("echo 'rm -rf x'").len(), 1);
        // Depth and quotes that never end are no trouble.
        commands(&"$(".repeat(10_000));
        commands("'\"`$(\\");
    }

    #[test]
    fn what_sort_a_command_is() {
        let of = |line: &str| lead(&plain_words(line).unwrap());
        for (line, expected) in [
            ("cargo test --lib", 2),
            ("cargo test", 2),
            ("git status", 2),
            ("npm test", 2),
            ("ls", 0),
            ("ls -la", 0),
            ("cargo run x", 0),
            ("npm exec x", 0),
            ("python3 x.py", 0),
            ("bash x", 0),
            ("rm x", 0),
            ("sudo ls", 0),
            ("./run test", 0),
            ("env x", 0),
            ("docker ps", 0),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }

    #[test]
    fn only_plain_words_can_be_allowed() {
        assert_eq!(plain_words("cargo  test --lib a::b").unwrap(), ["cargo", "test", "--lib", "a::b"]);
        for line in [
            "",
            " ",
            "cargo test; rm x",
            "cargo test && x",
            "cargo test | sh",
            "cargo test > x",
            "cargo test $(x)",
            "cargo test `x`",
            "cargo test 'x'",
            "cargo test \"x\"",
            "cargo test *",
            "cargo test ~",
            "cargo test\nrm x",
            "cargo test \\",
            "cargo test {a,b}",
            "cargo test !x",
            "FOO=1 cargo test",
            "cargo test &",
            "cargo test #x",
            "cargo\ttest",
            "cargo test <x",
            "cargo test ü",
            "cargo test\u{a0}x",
            "cargo test (x)",
        ] {
            assert_eq!(plain_words(line), None, "{line:?}");
        }
    }
}
