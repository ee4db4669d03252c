//! Reads the user's name and address from git's config.

use super::place;
use crate::text::shell_words;

/// The name and address in a gitconfig.
pub(super) fn parse(text: &str) -> (Option<String>, Option<String>) {
    let (mut name, mut email, mut ours) = (None, None, false);
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            ours = section.trim_end_matches(']').trim().eq_ignore_ascii_case("user");
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| ours) else { continue };
        let value = shell_words(value, Some('\\')).join(" ");
        match key.trim().to_lowercase().as_str() {
            "name" if !value.is_empty() => name = Some(value),
            "email" => email = place::address(&value),
            _ => {}
        }
    }
    (name, email)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_is_in_the_section_user() {
        let text = "[core]\n\tname = wrong\n[user]\n\tname = \"Ada Example\"\n\temail = ada@example.org\n[user \"x\"]\nname = y\n";
        assert_eq!(parse(text), (Some("Ada Example".into()), Some("ada@example.org".into())));
        assert_eq!(parse("[user]\nemail = nobody\n"), (None, None));
    }
}
