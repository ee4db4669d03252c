//! Scans trees made for tests.

use super::*;
use std::os::unix::fs::symlink;

fn quiet(_: &str, _: u64, _: u64) {}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn paths(tree: &Tree) -> Vec<&str> {
    tree.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn gitignore_files_are_honoured_in_every_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, ".gitignore", "*.log\n/build/\n!keep.log\n\\\n[\n");
    for name in
        ["a.rs", "x.log", "keep.log", "build/out.rs", "sub/build/in.rs", "node_modules/m.js", ".git/HEAD"]
    {
        write(at, name, "");
    }
    write(at, "sub/.gitignore", "secret*\n!x.log\n");
    for name in ["sub/secret.rs", "sub/x.log", "sub/deep/secret2.rs", "sub/deep/b.rs", "out/index.md"] {
        write(at, name, "");
    }
    let out = at.canonicalize().unwrap().join("out");
    let tree = scan(at, &[&out], &Limits::default(), &quiet).unwrap();
    let expected =
        [".gitignore", "a.rs", "keep.log", "sub/.gitignore", "sub/build/in.rs", "sub/deep/b.rs", "sub/x.log"];
    assert_eq!(paths(&tree), expected);
}

#[test]
fn s05_nothing_leads_out_of_the_tree_and_nothing_strange_is_opened() {
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.rs", "pub struct Canary;\n");
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "a.rs", "//! Ours\u{202e}.\n");
    symlink(outside.path().join("secret.rs"), at.join("link.rs")).unwrap();
    symlink(outside.path(), at.join("elsewhere")).unwrap();
    symlink("/dev/zero", at.join("zero.rs")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at.join("pipe.rs")).status().unwrap().success());
    write(at, "big.rs", &"x".repeat(600 << 10));
    std::fs::write(at.join("latin.rs"), b"// caf\xe9").unwrap();
    write(at, "Cargo.toml", "[package\n");
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    assert_eq!(paths(&tree), ["Cargo.toml", "a.rs", "big.rs", "latin.rs"]);
    assert!(!tree.files[1].source.about.as_ref().unwrap().contains('\u{202e}'));
    let why: Vec<String> = tree.skipped.iter().map(|s| format!("{}: {}", s.name, s.why)).collect();
    assert_eq!(
        why,
        [
            "elsewhere: it is a link, and links are not followed",
            "link.rs: it is a link, and links are not followed",
            "pipe.rs: it is a device, a pipe or a socket",
            "zero.rs: it is a link, and links are not followed",
            "Cargo.toml: it is not valid TOML",
            "big.rs: it is larger than 512 KiB",
            "latin.rs: it is not UTF-8 text",
        ]
    );
    let read = text_reader(at).unwrap();
    for path in ["link.rs", "../x", "/etc/passwd", "elsewhere/secret.rs", "pipe.rs", "zero.rs", ""] {
        assert!(read(path).is_err(), "{path}");
    }
    assert!(read("a.rs").unwrap().contains("//! Ours"));
}

#[test]
fn the_limits_hold_and_what_they_leave_out_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..100 {
        write(folder.path(), &format!("d/f{n:03}.py"), "import os\n");
    }
    write(folder.path(), "d/e/f/g/deep.py", "");
    let limits = Limits { files: 40, depth: 2, ..Limits::default() };
    let tree = scan(folder.path(), &[], &limits, &quiet).unwrap();
    assert_eq!(tree.files.len(), 40);
    assert_eq!(tree.skipped.len() + tree.more_skipped, 61);
    let few = Limits { entries: 10, ..Limits::default() };
    assert!(scan(folder.path(), &[], &few, &quiet).unwrap().files.len() <= 10);
    let small = Limits { total: 55, ..Limits::default() };
    let tree = scan(folder.path(), &[], &small, &quiet).unwrap();
    assert_eq!(tree.files.iter().filter(|file| file.source.lines > 0).count(), 5);
}

#[test]
fn fifty_thousand_files_are_scanned_with_progress() {
    let folder = tempfile::tempdir().unwrap();
    for d in 0..250 {
        let sub = folder.path().join(format!("pkg{d}/src"));
        std::fs::create_dir_all(&sub).unwrap();
        let first = sub.join("m0.py");
        std::fs::write(&first, "import os\n\ndef run():\n    pass\n").unwrap();
        // A link takes a fraction of the time of a file.
        for f in 1..200 {
            std::fs::hard_link(&first, sub.join(format!("m{f}.py"))).unwrap();
        }
    }
    let reports = std::sync::Mutex::new(Vec::new());
    let tree = scan(folder.path(), &[], &Limits::default(), &|stage, done, of| {
        reports.lock().unwrap().push((stage.to_owned(), done, of));
    });
    let tree = tree.unwrap();
    assert_eq!((tree.files.len(), tree.folders, tree.skipped.len()), (50_000, 501, 0));
    assert!(
        tree.files.iter().all(|file| file.source.imports[0].from == "os" && file.source.items.len() == 1)
    );
    let reports = reports.into_inner().unwrap();
    assert!(reports.len() > 100 && reports.last().unwrap() == &("reading files".to_owned(), 50_000, 50_000));
}

#[test]
fn manifests_of_four_sorts_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        "Cargo.toml",
        "[package]\nname='a-b'\nversion='1.2'\ndescription='Does things.'\n[dependencies]\nserde={version='1'}\n\
         own={path='own'}\nodd={version='2',optional=true}\n[dev-dependencies]\ninsta='1'\n[[bin]]\nname='tool'\n",
    );
    write(
        at,
        "web/package.json",
        r#"{"name":"web","version":"0.1.0","scripts":{"test":"vitest"},"dependencies":{"react":"^19"},"devDependencies":{"vitest":"*"},"bin":{"web":"x.js"}}"#,
    );
    write(
        at,
        "py/pyproject.toml",
        "[project]\nname='p'\ndependencies=['requests[socks]>=2; python_version>\"3\"','rich']\n\
         [project.optional-dependencies]\ntest=['pytest~=8']\n[project.scripts]\np='p.cli:main'\n",
    );
    write(
        at,
        "go/go.mod",
        "module example.org/x\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.0.0\n\tgithub.com/c/d v2.0.0 // indirect\n)\nrequire golang.org/x/z v0.3.0\n",
    );
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    let listed: Vec<String> = tree
        .manifests
        .iter()
        .flat_map(|m| {
            m.dependencies.iter().map(|d| format!("{} {} {} {}", m.sort.word(), d.name, d.wanted, d.group))
        })
        .collect();
    assert_eq!(
        listed,
        [
            "Rust (Cargo) odd 2 optional",
            "Rust (Cargo) own path \"own\" normal",
            "Rust (Cargo) serde 1 normal",
            "Rust (Cargo) insta 1 dev",
            "Go github.com/a/b v1.0.0 normal",
            "Go github.com/c/d v2.0.0 indirect",
            "Go golang.org/x/z v0.3.0 normal",
            "Python requests >=2 normal",
            "Python rich  normal",
            "Python pytest ~=8 dev",
            "Node (npm) react ^19 normal",
            "Node (npm) vitest * dev",
        ]
    );
}

#[test]
fn what_leans_on_what_is_seen_in_four_languages() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "Cargo.toml", "[package]\nname='my-app'\n");
    write(at, "src/store/mod.rs", "//! Keeps rows. More.\nuse crate::graph::Id;\npub struct Store;\n");
    write(at, "src/graph/mod.rs", "pub trait Node {}\nimpl Node for X {}\n");
    write(
        at,
        "tests/engine/main.rs",
        "use my_app::store::Store;\n#[test]\nfn a() {}\n#[tokio::test]\nasync fn b() {}\n",
    );
    write(at, "web/ui/app.ts", "import { x } from '../lib/util';\nexport class App {}\n");
    write(at, "web/lib/util.ts", "const fs = require('fs');\n");
    write(at, "pkg/core/a.py", "from pkg.io import read\nfrom . import b\n");
    write(at, "pkg/io/__init__.py", "\"\"\"Reads files.\"\"\"\nimport os, sqlite3\n");
    write(at, "go.mod", "module example.org/x\n");
    write(
        at,
        "cmd/tool/main.go",
        "package main\nimport (\n\t\"fmt\"\n\t\"example.org/x/internal/db\"\n)\nfunc main() {}\n",
    );
    write(at, "internal/db/db.go", "// Package db keeps rows.\npackage db\nfunc Open() {}\n");
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    assert_eq!(
        parts_of(&tree),
        [
            "cmd/tool",
            "internal/db",
            "pkg/core",
            "pkg/io",
            "src/graph",
            "src/store",
            "tests/engine",
            "web/lib",
            "web/ui"
        ]
    );
    let arrows: Vec<String> = links(&file_dependencies(&tree), &Parts::of(&tree))
        .iter()
        .map(|link| format!("{} -> {}", link.from, link.to))
        .collect();
    let expected = [
        "cmd/tool -> internal/db",
        "pkg/core -> pkg/io",
        "src/store -> src/graph",
        "tests/engine -> src/store",
        "web/ui -> web/lib",
    ];
    assert_eq!(arrows, expected);
    let file = |path: &str| &tree.files.iter().find(|file| file.path == path).unwrap().source;
    assert_eq!(file("src/store/mod.rs").about.as_deref(), Some("Keeps rows."));
    assert_eq!(file("pkg/io/__init__.py").about.as_deref(), Some("Reads files."));
    assert_eq!((file("tests/engine/main.rs").tests, file("tests/engine/main.rs").is_test), (2, true));
    assert_eq!(file("cmd/tool/main.go").items[0].name, "main");
}

/// The parts with program files.
fn parts_of(tree: &Tree) -> Vec<&str> {
    let parts = Parts::of(tree);
    let mut paths: Vec<&str> =
        tree.files.iter().filter(|file| file.is_program()).map(|file| parts.part(&file.path)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Which file depends on which, and by which names.
fn dependency_lines(tree: &Tree) -> Vec<String> {
    let of = |(from, to): (&&str, &std::collections::BTreeMap<String, std::collections::BTreeSet<&str>>)| {
        let to: Vec<String> = to.iter().map(|(to, names)| format!("{to} {names:?}")).collect();
        format!("{from} -> {}", to.join(", "))
    };
    file_dependencies(tree).iter().map(of).collect()
}

#[test]
fn modules_are_the_parts_of_a_flat_package_and_names_lead_to_where_they_are_declared() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "pyproject.toml", "[project]\nname='box'\n");
    write(
        at,
        "src/box/__init__.py",
        "from .core import Box as Box\nfrom .types import (\n    INT,\n    TEXT,\n)\n",
    );
    write(
        at,
        "src/box/core.py",
        "from . import types\nfrom .types import INT\nclass Box:\n    pass\n# no\n# no\n",
    );
    write(at, "src/box/types.py", "INT = 1\nTEXT = 2\n\n\n\n\n\n\n");
    write(at, "src/box/deep/more.py", "from ..core import Box\n");
    write(at, "tests/test_types.py", "import box\ndef test_a():\n    assert box.INT and box.Box\n");
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    assert_eq!(
        parts_of(&tree),
        ["src/box/__init__.py", "src/box/core.py", "src/box/deep", "src/box/types.py", "tests"]
    );
    assert_eq!(
        dependency_lines(&tree),
        [
            "src/box/__init__.py -> src/box/core.py {\"Box\"}, src/box/types.py {\"INT\", \"TEXT\"}",
            "src/box/core.py -> src/box/types.py {\"INT\", \"types\"}",
            "src/box/deep/more.py -> src/box/core.py {\"Box\"}",
            "tests/test_types.py -> src/box/core.py {\"Box\"}, src/box/types.py {\"INT\"}",
        ]
    );
}

#[test]
fn names_a_crate_hands_on_are_followed_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "Cargo.toml", "[package]\nname='my-walk'\n");
    write(at, "src/lib.rs", "pub use walk::{Walk, State};\nmod walk;\npub struct Error;\n");
    write(at, "src/walk/mod.rs", "mod deep;\nuse crate::Error;\npub use deep::State;\npub struct Walk;\n");
    write(at, "src/walk/deep.rs", "use super::Walk;\npub enum State {}\n");
    write(
        at,
        "tests/all.rs",
        "use my_walk::{Walk, Error, State};\n// use my_walk::Never;\n#[test]\nfn a() {}\n",
    );
    write(at, "web/package.json", "{\"name\": \"web\"}");
    write(at, "web/index.js", "module.exports = require('./lib/app');\n");
    write(at, "web/lib/app.js", "const v = require('./view.js');\nexports.run = function () {}\n");
    write(at, "web/lib/view.ts", "export const x = 1;\n");
    write(at, "web/test/app.js", "const app = require('../');\n");
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    assert_eq!(
        dependency_lines(&tree),
        [
            "src/lib.rs -> src/walk/deep.rs {\"State\"}, src/walk/mod.rs {\"Walk\"}",
            "src/walk/deep.rs -> src/walk/mod.rs {\"Walk\"}",
            "src/walk/mod.rs -> src/lib.rs {\"Error\"}, src/walk/deep.rs {\"State\"}",
            "tests/all.rs -> src/lib.rs {\"Error\"}, src/walk/deep.rs {\"State\"}, src/walk/mod.rs {\"Walk\"}",
            "web/index.js -> web/lib/app.js {}",
            "web/lib/app.js -> web/lib/view.ts {}",
            "web/test/app.js -> web/index.js {}",
        ]
    );
}

#[test]
fn how_to_test_run_and_build_is_read_from_what_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "Cargo.toml", "[package]\nname='a'\n[[bench]]\nname='b'\n");
    write(at, "package.json", r#"{"scripts":{"test":"mocha","lint":"eslint .","start":"node ."}}"#);
    write(
        at,
        "pyproject.toml",
        "[project]\nname='p'\nrequires-python='>=3.10'\n[project.scripts]\np='p:main'\n\
         [tool.pytest.ini_options]\ntestpaths=['tests']\naddopts=\"-m 'not slow'\"\n\
         [tool.tox.env.style]\ndescription='all hooks'\n",
    );
    write(at, "go/go.mod", "module x\ngo 1.22\n");
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    let platforms: Vec<&str> = tree.manifests.iter().filter_map(|one| one.platform.as_deref()).collect();
    assert_eq!(platforms, ["Go 1.22", "Python >=3.10"]);
    let lines: Vec<String> = tree
        .manifests
        .iter()
        .flat_map(|manifest| &manifest.runs)
        .map(|run| format!("{}: {} ({}; {})", run.purpose, run.command, run.says, run.from))
        .collect();
    assert_eq!(
        lines,
        [
            "other: cargo bench --bench b ([[bench]]; Cargo.toml)",
            "test: cargo test (the tests of the crate; Cargo.toml)",
            "build: cargo build (; Cargo.toml)",
            "test: go test ./... (the tests of the module; go/go.mod)",
            "build: go build ./... (; go/go.mod)",
            "other: npm run lint (eslint .; package.json)",
            "run: npm start (node .; package.json)",
            "test: npm test (mocha; package.json)",
            "run: p (p:main; pyproject.toml)",
            "test: pytest (the tests in tests, with -m 'not slow'; pyproject.toml)",
            "test: tox (; pyproject.toml)",
            "other: tox run -e style (all hooks; pyproject.toml)",
        ]
    );
}

/// The names a file of this name declares: kind, name, line, declaration, comment.
fn declared(name: &str, text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), name, text);
    let tree = scan(folder.path(), &[], &Limits::default(), &quiet).unwrap();
    let line = |item: &Item| {
        let public = if item.public { "" } else { " [internal]" };
        format!("{} {} {}: {}{public}: {}", item.kind, item.name, item.line, item.signature, item.about)
    };
    tree.files[0].source.items.iter().map(line).collect()
}

#[test]
fn names_are_read_with_their_lines_declarations_and_comments() {
    for (name, text, expected) in [
        (
            "a.py",
            "class Flask(App):\n    \"\"\"The app.\n\n    ::\n        def index():\n            pass\n    \"\"\"\n\n    \
             @setupmethod\n    def add(\n        self,\n        rule: str,\n    ) -> None:\n        \"\"\"Adds a rule. More.\"\"\"\n        \
             def inner():\n            pass\n\n    def _hidden(self): ...\n\nasync def go(a):\n    return a\n",
            &[
                "class Flask 1: class Flask(App): The app.",
                "method Flask.add 10: def add(self, rule: str) -> None: Adds a rule.",
                "method Flask._hidden 18: def _hidden(self): ... [internal]: ",
                "function go 20: async def go(a): ",
            ][..],
        ),
        (
            "a.rs",
            "/// Keeps rows. All.\n#[derive(Debug)]\npub struct Store;\n\nimpl<T: Into<String>> Read<T> for Store {\n    \
             fn read(&self) {}\n}\n\nimpl Store {\n    // \"src/*\"\n    pub(crate) const fn open(\n        path: &str,\n    ) -> Self {\n        \
             fn inner() {}\n    }\n}\nmod tests {\n    fn not_listed() {}\n}\npub fn last() {}\n\
             pub const TYPES: &[&str] = &[\n    \"a\",\n];\n",
            &[
                "struct Store 3: pub struct Store: Keeps rows.",
                "method Store.read 6: fn read(&self) [internal]: ",
                "method Store.open 11: pub(crate) const fn open(path: &str) -> Self: \"src/*\"",
                "function last 20: pub fn last(): ",
                "constant TYPES 21: pub const TYPES: &[&str] = &[ \"a\", ]: ",
            ],
        ),
        (
            "a.js",
            "/**\n * Uses it.\n * @param x\n */\napp.use = function use(fn) {\n  if (fn) {\n  }\n}\n\
             defineGetter(req, 'ip', function ip() {\n});\nexport class View {\n  get name() {\n  }\n}\n\
             const run = async (a) => {\n}\nconst x = require('x');\n",
            &[
                "method app.use 5: app.use = function use(fn): Uses it.",
                "function ip 9: defineGetter(req, 'ip', function ip(): ",
                "class View 11: export class View: ",
                "method View.name 12: get name(): ",
                "function run 15: const run = async (a) =>: ",
            ],
        ),
        (
            "a.go",
            "package a\n\n// Open opens.\nfunc (s *Store) Open(path string) error {\n}\n\ntype Store struct {\n}\n",
            &[
                "method Store.Open 4: func (s *Store) Open(path string) error: Open opens.",
                "type Store 7: type Store struct: ",
            ],
        ),
        (
            "A.java",
            "public class A {\n    private int size(int n) {\n        if (n > 0) {\n        }\n    }\n}\n",
            &["class A 1: public class A: ", "method A.size 2: private int size(int n) [internal]: "],
        ),
    ] {
        assert_eq!(declared(name, text), expected, "{name}");
    }
}

#[test]
fn a_client_for_tests_is_no_test() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let client = "class Flask:\n    def test_client(self):\n        pass\n\n    def test_cli_runner(self):\n        pass\n";
    write(at, "src/flask/app.py", client);
    write(at, "src/flask/test_client.py", client);
    write(
        at,
        "tests/test_client.py",
        "def test_get(app):\n    app.test_client()\n\nclass TestAll:\n    def test_post(self):\n        pass\n",
    );
    write(at, "tests/conftest.py", "@pytest.fixture\ndef test_apps():\n    pass\n");
    write(at, "src/flask/test_own.py", "def test_own():\n    pass\n");
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    let found: Vec<(&str, u32, bool)> =
        tree.files.iter().map(|file| (file.path.as_str(), file.source.tests, file.source.is_test)).collect();
    assert_eq!(
        found,
        [
            ("src/flask/app.py", 0, false),
            ("src/flask/test_client.py", 0, false),
            ("src/flask/test_own.py", 1, true),
            ("tests/conftest.py", 0, true),
            ("tests/test_client.py", 2, true),
        ]
    );
}
