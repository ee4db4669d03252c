//! Takes out the placeholders that stand for hidden characters.

use std::borrow::Cow;

/// The text without placeholders for hidden characters, which must not split words.
pub fn without_placeholders(text: &str) -> Cow<'_, str> {
    if !text.contains("⟨U+") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("⟨U+") {
        out.push_str(before);
        // We remove only real placeholders, which are short.
        let end =
            after.char_indices().take(24).find(|(_, c)| *c == '⟩').map_or(0, |(at, c)| at + c.len_utf8());
        rest = &after[end..];
    }
    out.push_str(rest);
    out.into()
}
