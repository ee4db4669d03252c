//! The language of a file, by its name.

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Language {
    pub name: &'static str,
    /// Whether it is a programming language; the others are documents, data and settings.
    pub code: bool,
    /// How its comments, names and imports are written, if we know.
    pub(super) syntax: Syntax,
}

impl Language {
    /// Whether we read its names. For other languages we know only files and lines.
    pub fn is_read(&self) -> bool {
        self.code && self.syntax != Syntax::Other
    }
}

/// Languages with similar syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Syntax {
    Rust,
    Script,
    Python,
    Go,
    Jvm,
    C,
    Other,
}

/// Programming languages by file extension.
const CODE: &[(&str, &str, Syntax)] = &[
    ("rs", "Rust", Syntax::Rust),
    ("js mjs cjs jsx", "JavaScript", Syntax::Script),
    ("ts tsx mts", "TypeScript", Syntax::Script),
    ("vue", "Vue", Syntax::Script),
    ("svelte", "Svelte", Syntax::Script),
    ("py pyi", "Python", Syntax::Python),
    ("go", "Go", Syntax::Go),
    ("java", "Java", Syntax::Jvm),
    ("kt", "Kotlin", Syntax::Jvm),
    ("scala", "Scala", Syntax::Jvm),
    ("c h", "C", Syntax::C),
    ("cc cpp cxx hpp", "C++", Syntax::C),
    ("cs", "C#", Syntax::Jvm),
    ("rb", "Ruby", Syntax::Other),
    ("php", "PHP", Syntax::Other),
    ("swift", "Swift", Syntax::Other),
    ("lua", "Lua", Syntax::Other),
    ("ex exs", "Elixir", Syntax::Other),
    ("hs", "Haskell", Syntax::Other),
    ("zig", "Zig", Syntax::Other),
    ("sql", "SQL", Syntax::Other),
    ("sh bash zsh", "Shell", Syntax::Other),
];

/// Documents, data and settings by file extension.
const TEXT: &[(&str, &str)] = &[
    ("html", "HTML"),
    ("css scss", "CSS"),
    ("md", "Markdown"),
    ("rst", "reStructuredText"),
    ("txt", "Text"),
    ("toml", "TOML"),
    ("json", "JSON"),
    ("yaml yml", "YAML"),
    ("xml", "XML"),
    ("proto", "Protocol Buffers"),
];

/// The language of a file, if its name tells.
pub(super) fn of(path: &Path) -> Option<Language> {
    let ending = path.extension()?.to_str()?.to_lowercase();
    let is_listed = |endings: &str| endings.split(' ').any(|known| known == ending);
    let code = CODE.iter().find(|(endings, ..)| is_listed(endings));
    let text = TEXT.iter().find(|(endings, _)| is_listed(endings));
    match (code, text) {
        (Some((_, name, syntax)), _) => Some(Language { name, code: true, syntax: *syntax }),
        (None, Some((_, name))) => Some(Language { name, code: false, syntax: Syntax::Other }),
        (None, None) => None,
    }
}
