//! Lines as agents write them, and as somebody would write them to slip something through.

use super::segments::Segments;
use super::*;

#[test]
fn scripts_are_looked_into() {
    for line in [
        "bash -c 'rm -rf x'",
        "sudo bash -lc \"rm -rf x\"",
        "eval rm -rf x",
        "sh -c \"bash -c 'rm -rf x'\"",
        "FOO=1 env BAR=2 nohup /bin/rm -rf x",
        "find . | xargs rm -rf",
    ] {
        let found = commands(line).commands;
        assert!(found.iter().any(|one| program(&one.words).0 == "rm"), "{line}: {found:?}");
    }
    assert_eq!(commands("echo 'rm -rf x'").commands.len(), 1);
    let deep = (0..12).fold("rm x".to_owned(), |script, _| format!("eval {script}"));
    assert!(commands(&deep).unread.is_some());
}

fn split(line: &str) -> Result<Segments, &'static str> {
    segments(line, "/work/app", "/work/app")
}

/// The commands that need permission, each with its folder if that is a different one.
fn needed(line: &str) -> Vec<String> {
    let segments = split(line).unwrap_or_else(|why| panic!("{line}: {why}")).needed;
    let describe = |segment: super::Segment| match segment.folder.as_str() {
        "/work/app" => segment.words.join(" "),
        other => format!("{other}: {}", segment.words.join(" ")),
    };
    segments.into_iter().map(describe).collect()
}

#[test]
fn harmless_commands_ride_along() {
    for (line, expected) in [
        ("cargo test", &["cargo test"][..]),
        ("cargo test 2>&1 | tail -5", &["cargo test"]),
        ("cargo test 2>/dev/null | grep -n 'error\\[' | sort | uniq -c | head -n 20", &["cargo test"]),
        ("cargo build && cargo test; echo done", &["cargo build", "cargo test"]),
        ("cargo test\ncargo clippy", &["cargo test", "cargo clippy"]),
        ("cd sub && cargo test | wc -l", &["/work/app/sub: cargo test"]),
        ("cd /work/app && cargo test; cargo doc", &["cargo test", "cargo doc"]),
        ("cd sub && ls", &[]),
        ("cd .. && ls", &["/work: ls"]),
        ("cargo test && cd / && cat etc/passwd", &["cargo test", "/: cat etc/passwd"]),
        ("cat a | grep b && cargo test", &["cargo test"]),
        ("cargo test && grep x - | cat", &["cargo test"]),
        ("git commit -m 'two words; and $more'", &["git commit -m two words; and $more"]),
        ("git commit -m \"it's fine\"", &["git commit -m it's fine"]),
        ("ls -la src | head", &[]),
        ("cat src/main.rs Cargo.toml", &[]),
        ("cat /work/app/Cargo.toml", &[]),
        ("grep -rn --include='*.rs' pattern src", &[]),
        ("cargo test >/dev/null 2>&1", &["cargo test"]),
        ("cargo test >/dev/null || echo failed", &["cargo test"]),
    ] {
        assert_eq!(needed(line), expected, "{line}");
    }
}

#[test]
fn what_is_not_on_the_list_is_not_harmless() {
    for line in [
        "cat /etc/passwd",
        "cat ../secret",
        "cat src/../../x",
        "head -c 5 /dev/sda",
        "sort -o out in",
        "sort -oout in",
        "sort --output=out in",
        "sort --compress-program=sh in",
        "sort -T /tmp in",
        "uniq in out",
        "grep -f /etc/passwd x",
        "grep -R x .",
        "grep x /etc/hosts",
        "grep -e x /etc/hosts",
        "tail -f log",
        "tail --pid=1 log",
        "ls /",
        "ls -w5 /",
        "wc --files0-from=x",
        "cut --output-delimiter=x -f1 /etc/passwd",
        "/bin/cat x",
        "./cat x",
        "find . -name x",
        "sed -n 1p x",
        "awk 1 x",
        "xargs rm",
        "tee x",
        "env",
    ] {
        let segments = split(line).unwrap_or_else(|why| panic!("{line}: {why}"));
        assert_eq!(segments.needed.len(), 1, "{line}");
    }
}

#[test]
fn what_a_shell_would_do_more_with_is_asked_as_a_whole() {
    for line in [
        "",
        " ",
        "# only a comment",
        "cargo test # and a comment",
        "cargo test $(id)",
        "cargo test `id`",
        "cargo test \"$(id)\"",
        "cargo test \"`id`\"",
        "cargo test $HOME",
        "cargo test \"$HOME\"",
        "cargo test ${x}",
        "cargo test $((1))",
        "cargo test $'\\x41'",
        "cargo test $\"x\"",
        "cargo test *",
        "cargo test ?",
        "cargo test [a]",
        "cargo test {a,b}",
        "cargo test ~",
        "cargo test ~root",
        "cargo test !x",
        "cargo test > out",
        "cargo test >> out",
        "cargo test >| out",
        "cargo test 2> out",
        "cargo test &> out",
        "cargo test >& out",
        "cargo test <> out",
        "cargo test < in",
        "cargo test <<< x",
        "cargo test <<E\nx\nE",
        "cargo test <(id)",
        "cargo test > >(id)",
        "cargo test >&-",
        "cargo test &",
        "cargo test & rm x",
        "cargo test |& rm x",
        "FOO=1 cargo test",
        "FOO=1",
        "PATH=/evil; cargo test",
        "export PATH=/evil; cargo test",
        "alias cargo=rm; cargo test",
        "hash -p /evil cargo; cargo test",
        "cargo() { rm x; }; cargo test",
        "function cargo { rm x; }; cargo test",
        ". ./evil; cargo test",
        "source evil && cargo test",
        "eval cargo test",
        "exec cargo test",
        "command cargo test",
        "builtin cd /; cargo test",
        "set -- x; cargo test",
        "trap 'rm x' EXIT; cargo test",
        "! cargo test",
        "time cargo test",
        "(cargo test)",
        "{ cargo test; }",
        "if true; then cargo test; fi",
        "while true; do cargo test; done",
        "for x in a; do cargo test; done",
        "[[ x ]] && cargo test",
        "((1)) && cargo test",
        "coproc cargo test",
        "cd && cargo test",
        "cd - && cargo test",
        "cd ~ && cargo test",
        "cd $HOME && cargo test",
        "cd a b && cargo test",
        "cd sub; cargo test",
        "cd sub && true; cargo test",
        "cd sub || cargo test",
        "true || cd sub && cargo test",
        "cd sub | cargo test",
        "cargo test | cd sub",
        "pushd sub && cargo test",
        "echo x | cargo test",
        "cat x | sh",
        "cargo test | xargs rm",
        "cargo test | tee out",
        "cargo test | cat src/a.rs",
        "cat src/a.rs | cat src/b.rs",
        "cargo test && cat src/a.rs",
        "cargo test; grep -r x",
        "cargo test &>/dev/null touch CANARY",
        "cargo\u{a0}test",
        "cargo test\r",
        "cargo test\u{0}",
        "cargo test \u{1b}[0m",
        "cargo test ü",
        "\"cargo test",
        "cargo test \\",
        "'' x",
        "a=b c",
        "cargo test; ;",
        "printf -v PATH /evil; cargo test",
        "read PATH; cargo test",
        "unset PATH; cargo test",
    ] {
        assert!(split(line).is_err(), "{line:?}: {:?}", split(line));
    }
}
