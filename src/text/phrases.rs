//! Finds phrases in running text: whole words in any case, whatever separates them.

/// Lower-cases the text and puts one space between words and at both ends, so that whole words can be found.
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

/// Whether a [`flat`] text contains one of the comma-separated `phrases`. A trailing `*` matches any word ending.
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
