//! The language of a file, by its name.

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Language {
    pub name: &'static str,
    /// Whether it is a programming language; the others are documents, data and settings.
    pub code: bool,
    /// How its comments, names and imports are written, if we know.
    pub(super) family: Family,
}

impl Language {
    /// Whether we read its names. For other languages we know only files and lines.
    pub fn is_read(&self) -> bool {
        self.code && self.family != Family::Other
    }
}

/// Languages with similar syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
    Rust,
    Script,
    Python,
    Go,
    Jvm,
    C,
    Other,
}

/// Programming languages by file extension.
const CODE: &[(&str, &str, Family)] = &[
    ("rs", "Rust", Family::Rust),
    ("js mjs cjs jsx", "JavaScript", Family::Script),
    ("ts tsx mts", "TypeScript", Family::Script),
    ("vue", "Vue", Family::Script),
    ("svelte", "Svelte", Family::Script),
    ("py pyi", "Python", Family::Python),
    ("go", "Go", Family::Go),
    ("java", "Java", Family::Jvm),
    ("kt", "Kotlin", Family::Jvm),
    ("scala", "Scala", Family::Jvm),
    ("c h", "C", Family::C),
    ("cc cpp cxx hpp", "C++", Family::C),
    ("cs", "C#", Family::Jvm),
    ("rb", "Ruby", Family::Other),
    ("php", "PHP", Family::Other),
    ("swift", "Swift", Family::Other),
    ("lua", "Lua", Family::Other),
    ("ex exs", "Elixir", Family::Other),
    ("hs", "Haskell", Family::Other),
    ("zig", "Zig", Family::Other),
    ("sql", "SQL", Family::Other),
    ("sh bash zsh", "Shell", Family::Other),
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
        (Some((_, name, family)), _) => Some(Language { name, code: true, family: *family }),
        (None, Some((_, name))) => Some(Language { name, code: false, family: Family::Other }),
        (None, None) => None,
    }
}
