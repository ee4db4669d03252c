//! Lines as shells read them, and lines that they might read differently.

use super::*;

/// The commands of a line that is read, each after what joins it to the one before.
fn read(line: &str) -> Vec<String> {
    let CommandLine { commands, unread } = read_command_line(line);
    assert_eq!(unread, None, "{line:?}");
    let show = |command: &SimpleCommand| format!("{} {}", command.joint.as_str(), command.words.join("_"));
    commands.iter().map(show).collect()
}

#[test]
fn words_are_those_of_the_shells() {
    for (line, expected) in [
        ("cargo test --lib", &["; cargo_test_--lib"][..]),
        ("a b;c 'd e' && f \"g h\"\ni", &["; a_b", "; c_d e", "&& f_g h", "; i"]),
        ("a||b|c\t&&\n\n d;\n", &["; a", "|| b", "| c", "&& d"]),
        ("echo \\; \\  'x'\"y\"z \"\\$ \\x\"", &["; echo_;_ _xyz_$ \\x"]),
        ("a 2>&1 >/dev/null 2> '/dev/null' </dev/null >>/dev/null >&2", &["; a"]),
        ("a \\\n  b", &["; a_b"]),
        ("git show HEAD~1 HEAD^ a@b x=y --c=%h 1 2", &["; git_show_HEAD~1_HEAD^_a@b_x=y_--c=%h_1_2"]),
        ("git commit -m 'two words; and $more #1 ü'", &["; git_commit_-m_two words; and $more #1 ü"]),
        ("a '' \"\"", &["; a__"]),
    ] {
        assert_eq!(read(line), expected, "{line:?}");
    }
}

#[test]
fn what_a_shell_might_read_otherwise_is_unread() {
    for line in [
        "",
        " ",
        "\n",
        "# a",
        "a # b",
        "a#b",
        "a $(b)",
        "a `b`",
        "a \"$(b)\"",
        "a $HOME",
        "a \"$x\"",
        "a ${x}",
        "a $((1))",
        "a $'x'",
        "a $\"x\"",
        "a *",
        "a ?",
        "a [b]",
        "a {b,c}",
        "a ~",
        "a b:~",
        "a b=~/c",
        "a =ls",
        "a !b",
        "a %1",
        "a ''=b",
        "a \"\"%1",
        "a > b",
        "a >> b",
        "a >| /dev/null",
        "a 2> b",
        "a &> /dev/null",
        "a &>/dev/null b",
        "a >& b",
        "a >&/dev/null",
        "a <> b",
        "a < b",
        "a <<< b",
        "a <<E\nb\nE",
        "a <(b)",
        "a > >(b)",
        "a >&-",
        "a 3>&1",
        "a b2>&1",
        "a \"2\">&1",
        "a 2>&1b",
        "a 2>/dev/nullb",
        "a >",
        "> /dev/null",
        "</dev/null\n",
        "a &",
        "a & b",
        "a |& b",
        "B=1 a",
        "B=1",
        "a;;b",
        "; a",
        "a ; ; b",
        "a && ; b",
        "a &&",
        "a ||",
        "a |",
        "| a",
        "a\n&& b",
        "a |\\\n| b",
        "a b\\\nc",
        "a\r",
        "a\0",
        "a '\u{1b}'",
        "a\u{a0}b",
        "a ü",
        "\"a",
        "'a",
        "a \\",
        "'' a",
        "b=c d",
        "-x",
        "! a",
        "time a",
        "(a)",
        "{ a; }",
        "if a; then b; fi",
        "f() { a; }",
        "[[ a ]]",
        "[ a ]",
        "((1))",
        "export A=b",
        ". ./a",
        "eval a",
        "exec a",
        "command a",
        "builtin cd /",
        "printf -v PATH a",
        "coproc a",
        "noglob a",
        "repeat 2 a",
        ": a",
        "a)",
    ] {
        assert!(read_command_line(line).unread.is_some(), "{line:?}: {:?}", read_command_line(line));
    }
    assert_eq!(read_command_line(&"a ".repeat(40_000)).unread, Some("it is too long"));
}

#[test]
fn unread_lines_are_guessed_at() {
    for line in [
        "echo $(rm x)",
        "echo \"a $(rm x) b\"",
        "echo `rm x`",
        "echo \"`rm x`\"",
        "(cd y && rm x)",
        "{ rm x; }",
        "if true; then rm x; fi",
        "for f in a b; do rm x; done",
        "case x in x) rm x;; esac",
        "f() { rm x; }; f",
        "cat <(rm x)",
        "cat <<E\n'\nE\nrm x",
        "echo $(echo $(rm x))",
        "[[ $(rm x) ]]",
        "A=$b; rm x",
        "a & rm x",
        "echo ${x:-$(rm x)}",
    ] {
        let CommandLine { commands, unread } = read_command_line(line);
        assert!(
            unread.is_some() && commands.iter().any(|one| one.words == ["rm", "x"]),
            "{line}: {commands:?}"
        );
    }
    for line in ["cat <<E\nrm x\nE", "echo $(ls) rm x", "# rm x", "echo \"$(ls) ; rm x\""] {
        let commands = read_command_line(line).commands;
        assert!(!commands.iter().any(|one| one.words.first().is_some_and(|word| word == "rm")), "{line}");
    }
    assert_eq!(read_command_line("a > b 2>> c &> d < e").commands[0].writes, ["b", "c", "d"]);
}

#[test]
fn any_line_takes_little() {
    // A generator of our own: the same lines each time.
    let mut seed = 1u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    const PIECES: &[&str] = &[
        "a",
        "b",
        "-",
        "=",
        "2",
        "1",
        ">",
        "<",
        "&",
        "|",
        ";",
        "\n",
        " ",
        "\t",
        "'",
        "\"",
        "\\",
        "$",
        "(",
        ")",
        "{",
        "}",
        "`",
        "#",
        "~",
        "!",
        "*",
        "\r",
        "ü",
        "/dev/null",
        "2>&1",
        "<<",
        "if",
        "do",
        "[[",
        "\u{203f}",
    ];
    for _ in 0..20_000 {
        let line: String = (0..next(24)).map(|_| PIECES[next(PIECES.len())]).collect();
        let CommandLine { commands, .. } = read_command_line(&line);
        let size = |command: &SimpleCommand| -> usize {
            command.words.iter().chain(&command.writes).map(|word| word.len() + 1).sum()
        };
        let size: usize = commands.iter().map(size).sum();
        assert!(size <= 3 * line.len() + 1 && commands.len() <= line.len(), "{line:?}");
    }
    for piece in ["(", "$(", "\"$(", "`", "<<a ", "a;", "a|", "'", "if ", "((", "\\\n"] {
        read_command_line(&piece.repeat(MAX_BYTES / piece.len()));
    }
}
