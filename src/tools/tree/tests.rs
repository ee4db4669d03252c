//! Trees made for tests, and what is found in them.

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
    for path in ["link.rs", "../x", "/etc/passwd", "elsewhere/secret.rs", "pipe.rs", "zero.rs", ""] {
        assert!(read(at, path, 1 << 20).is_err(), "{path}");
    }
    assert!(read(at, "a.rs", 1 << 20).unwrap().starts_with("//! Ours"));
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
        for f in 0..200 {
            std::fs::write(sub.join(format!("m{f}.py")), "import os\n\ndef run():\n    pass\n").unwrap();
        }
    }
    let told = std::sync::Mutex::new(Vec::new());
    let tree = scan(folder.path(), &[], &Limits::default(), &|what, done, of| {
        told.lock().unwrap().push((what.to_owned(), done, of));
    });
    let tree = tree.unwrap();
    assert_eq!((tree.files.len(), tree.folders, tree.skipped.len()), (50_000, 501, 0));
    assert!(tree.files.iter().all(|file| file.source.imports == ["os"] && file.source.items.len() == 1));
    let told = told.into_inner().unwrap();
    assert!(told.len() > 100 && told.last().unwrap() == &("reading files".to_owned(), 50_000, 50_000));
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
    assert_eq!(tree.manifests[0].commands, ["bin: tool"]);
    assert_eq!(tree.manifests[3].commands, ["bin: web", "script test: vitest"]);
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
    write(at, "internal/db/db.go", "// Package db keeps rows.\npackage db\n");
    let tree = scan(at, &[], &Limits::default(), &quiet).unwrap();
    let found: Vec<String> =
        links(&tree).iter().map(|link| format!("{} -> {}", link.from, link.to)).collect();
    let expected = [
        "cmd/tool -> internal/db",
        "pkg/core -> pkg/io",
        "src/store -> src/graph",
        "tests/engine -> src/store",
        "web/ui -> web/lib",
    ];
    assert_eq!(found, expected);
    let file = |path: &str| &tree.files.iter().find(|file| file.path == path).unwrap().source;
    assert_eq!(file("src/store/mod.rs").about.as_deref(), Some("Keeps rows."));
    assert_eq!(file("pkg/io/__init__.py").about.as_deref(), Some("Reads files."));
    assert_eq!((file("tests/engine/main.rs").tests, file("tests/engine/main.rs").is_test), (2, true));
    assert_eq!(file("cmd/tool/main.go").entry, Some("program"));
    assert!(file("pkg/io/__init__.py").reaches.contains("databases"));
    assert!(file("web/lib/util.ts").reaches.contains("files"));
    assert_eq!(file("src/graph/mod.rs").items[1], Item { kind: "impl", name: "Node".to_owned() });
}
