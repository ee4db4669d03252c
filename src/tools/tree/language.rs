//! The language of a file, by its name.

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Language {
    pub name: &'static str,
    /// Whether it is a programming language; the others are documents, data and settings.
    pub code: bool,
    /// How its imports and names are written, if we know.
    pub(super) family: Family,
}

impl Language {
    /// Whether we read its names and imports. For other languages we know only files and lines.
    pub fn is_read(&self) -> bool {
        !matches!(self.family, Family::Shell | Family::Other)
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
    Shell,
    Other,
}

const fn code(name: &'static str, family: Family) -> Language {
    Language { name, code: true, family }
}

const fn text(name: &'static str) -> Language {
    Language { name, code: false, family: Family::Other }
}

/// Languages by file extension.
const ENDINGS: &[(&str, Language)] = &[
    ("rs", code("Rust", Family::Rust)),
    ("js", code("JavaScript", Family::Script)),
    ("mjs", code("JavaScript", Family::Script)),
    ("cjs", code("JavaScript", Family::Script)),
    ("jsx", code("JavaScript", Family::Script)),
    ("ts", code("TypeScript", Family::Script)),
    ("tsx", code("TypeScript", Family::Script)),
    ("mts", code("TypeScript", Family::Script)),
    ("vue", code("Vue", Family::Script)),
    ("svelte", code("Svelte", Family::Script)),
    ("py", code("Python", Family::Python)),
    ("pyi", code("Python", Family::Python)),
    ("go", code("Go", Family::Go)),
    ("java", code("Java", Family::Jvm)),
    ("kt", code("Kotlin", Family::Jvm)),
    ("scala", code("Scala", Family::Jvm)),
    ("c", code("C", Family::C)),
    ("h", code("C", Family::C)),
    ("cc", code("C++", Family::C)),
    ("cpp", code("C++", Family::C)),
    ("cxx", code("C++", Family::C)),
    ("hpp", code("C++", Family::C)),
    ("cs", code("C#", Family::Other)),
    ("rb", code("Ruby", Family::Other)),
    ("php", code("PHP", Family::Other)),
    ("swift", code("Swift", Family::Other)),
    ("lua", code("Lua", Family::Other)),
    ("ex", code("Elixir", Family::Other)),
    ("exs", code("Elixir", Family::Other)),
    ("hs", code("Haskell", Family::Other)),
    ("zig", code("Zig", Family::Other)),
    ("sql", code("SQL", Family::Other)),
    ("sh", code("Shell", Family::Shell)),
    ("bash", code("Shell", Family::Shell)),
    ("zsh", code("Shell", Family::Shell)),
    ("html", text("HTML")),
    ("css", text("CSS")),
    ("scss", text("CSS")),
    ("md", text("Markdown")),
    ("rst", text("reStructuredText")),
    ("txt", text("Text")),
    ("toml", text("TOML")),
    ("json", text("JSON")),
    ("yaml", text("YAML")),
    ("yml", text("YAML")),
    ("xml", text("XML")),
    ("proto", text("Protocol Buffers")),
];

/// Languages by whole file name.
const NAMES: &[(&str, Language)] =
    &[("makefile", code("Make", Family::Shell)), ("dockerfile", code("Dockerfile", Family::Shell))];

/// The language of a file, if its name tells.
pub(super) fn of(path: &Path) -> Option<Language> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    if let Some((_, language)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*language);
    }
    let ending = Path::new(&name).extension()?.to_str()?.to_owned();
    ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, language)| *language)
}
