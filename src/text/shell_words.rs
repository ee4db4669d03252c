//! Splits a line into words like a shell.

/// The words of a line. Quotes hold a word together; the character after `escape` is taken as it is, except in single
/// quotes.
pub fn shell_words(line: &str, escape: Option<char>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut begun, mut quote) = (String::new(), false, None);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, c) if Some(c) == escape => {
                word.extend(rest.next());
                begun = true;
            }
            (Some(_), c) => word.push(c),
            (None, '"' | '\'') => (quote, begun) = (Some(c), true),
            (None, c) if c.is_whitespace() => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (None, c) => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_hold_words_together() {
        let line = r#"a "b c" d='e f' 'g "h"' i\ j "" "#;
        assert_eq!(shell_words(line, Some('\\')), ["a", "b c", "d=e f", "g \"h\"", "i j", ""]);
        assert_eq!(shell_words(r"C:\docs 'a b", None), [r"C:\docs", "a b"]);
    }
}
