//! Parses how other programs write files, paths and addresses.

use crate::config::Env;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longer than any settings file, in bytes.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// The text of a settings file, if it exists and is a regular file.
pub(super) fn text(path: &Path) -> Option<String> {
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Where programs keep their settings.
pub(super) fn config_home(home: &Path, env: &Env) -> PathBuf {
    let named = env.get("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    named.unwrap_or_else(|| home.join(".config"))
}

/// A path as people write it; `~` and `$HOME` mean the home folder.
pub(super) fn path(text: &str, home: &Path) -> PathBuf {
    let rest = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| text.strip_prefix(start));
    let joined = match rest {
        Some(rest) => home.join(rest),
        None if matches!(text, "~" | "$HOME" | "${HOME}") => home.to_owned(),
        None => home.join(text),
    };
    joined.components().collect()
}

/// One short word for an account, valid in the config.
pub fn short_name(text: &str) -> String {
    let word: String = text
        .trim()
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@' | '+') { c } else { '-' })
        .take(30)
        .collect();
    let word = word.trim_matches(['-', '.']).to_lowercase();
    if word.is_empty() { "mail".to_owned() } else { word }
}

/// The bare address in a text, in lower case, if it looks like one.
pub(super) fn address(text: &str) -> Option<String> {
    let address = match text.rsplit_once('<') {
        Some((_, rest)) => rest.split('>').next().unwrap_or_default(),
        None => text,
    };
    let address = address.trim();
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>' | ',' | ';' | '"');
    let (user, domain) = address.rsplit_once('@')?;
    (!user.is_empty() && !domain.is_empty() && !address.contains(odd)).then(|| address.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names_are_read_as_people_write_them() {
        let home = Path::new("/home/ada");
        for (text, expected) in [
            ("~/Mail/", "/home/ada/Mail"),
            ("$HOME/Mail", "/home/ada/Mail"),
            ("/var/mail", "/var/mail"),
            ("Mail", "/home/ada/Mail"),
            ("~", "/home/ada"),
        ] {
            assert_eq!(path(text, home), Path::new(expected), "{text}");
        }
        assert_eq!((short_name(" Work Mail!"), short_name("///")), ("work-mail".into(), "mail".into()));
        assert_eq!(address("Ada <Ada@Example.org>").as_deref(), Some("ada@example.org"));
        assert_eq!((address("nobody"), address("a@b, c@d")), (None, None));
    }
}
