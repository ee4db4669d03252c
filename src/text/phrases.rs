//! Looking for phrases in running text: whole words, in any case, whatever stands between them.

/// Lower case, words parted by one blank, one at either end, so that whole words can be looked for.
pub fn flat(text: &str) -> String {
    let mut out = String::from(" ");
    for c in text.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    out
}

/// Whether one of the `phrases`, parted by commas, stands in a [`flat`] text. One that ends in `*` may go on.
pub fn has(flat: &str, phrases: &str) -> bool {
    let stands = |words: &str| memchr::memmem::find(flat.as_bytes(), words.as_bytes()).is_some();
    phrases.split(", ").any(|phrase| match phrase.strip_suffix('*') {
        Some(stem) => stands(&format!(" {stem}")),
        None => stands(&format!(" {phrase} ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words() {
        let text = flat("The build-failed again; off-site on Monday.");
        assert!(has(&text, "build failed") && has(&text, "mond*") && !has(&text, "uild failed"));
    }
}
