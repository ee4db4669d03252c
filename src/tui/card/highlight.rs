//! Colours Python, JSON and shell, one line at a time. It knows keywords, strings, numbers and comments, no grammar.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Python,
    Json,
    Shell,
    /// Any other: drawn without colours.
    Other,
}

impl Language {
    pub fn from_name(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "python" | "py" | "python3" => Language::Python,
            "json" | "jsonc" => Language::Json,
            "sh" | "bash" | "zsh" | "shell" | "console" => Language::Shell,
            _ => Language::Other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Plain,
    Keyword,
    Text,
    Number,
    Comment,
}

/// The state a line begins in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineState {
    #[default]
    Nothing,
    /// A triple-quoted Python string with this quote character.
    Triple(char),
}

const PYTHON: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];
const JSON: &[&str] = &["true", "false", "null"];
const SHELL: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case", "esac",
    "function", "return", "export", "local", "exit", "set",
];

/// The pieces of a line, in order and without gaps, and the state the next line begins in.
pub fn highlight(line: &str, language: Language, inside: LineState) -> (Vec<(Token, &str)>, LineState) {
    let keywords = match language {
        Language::Python => PYTHON,
        Language::Json => JSON,
        Language::Shell => SHELL,
        Language::Other => return (vec![(Token::Plain, line)], LineState::Nothing),
    };
    let mut pieces: Vec<(Token, &str)> = Vec::new();
    let mut rest = line;
    let mut inside = inside;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match (inside, first) {
            (LineState::Triple(quote), _) => {
                let closing_quotes: String = std::iter::repeat_n(quote, 3).collect();
                match rest.find(&closing_quotes) {
                    Some(index) => {
                        inside = LineState::Nothing;
                        (Token::Text, index + 3)
                    }
                    None => (Token::Text, rest.len()),
                }
            }
            (_, '#') if language != Language::Json => (Token::Comment, rest.len()),
            (_, '"' | '\'') if language == Language::Python && is_triple(rest, first) => {
                inside = LineState::Triple(first);
                (Token::Text, 3)
            }
            (_, '"') => (Token::Text, text_length(rest, '"')),
            (_, '\'') if language != Language::Json => (Token::Text, text_length(rest, '\'')),
            (_, '0'..='9') => {
                (Token::Number, length_while(rest, |c| c.is_ascii_alphanumeric() || c == '.' || c == '_'))
            }
            (_, c) if c.is_alphabetic() || c == '_' => {
                let length = length_while(rest, |c| c.is_alphanumeric() || c == '_');
                let token = if keywords.contains(&&rest[..length]) { Token::Keyword } else { Token::Plain };
                (token, length)
            }
            (_, c) => (Token::Plain, c.len_utf8()),
        };
        let start = line.len() - rest.len();
        match pieces.last_mut() {
            Some((last, text)) if *last == token && token == Token::Plain => {
                *text = &line[start - text.len()..start + length];
            }
            _ => pieces.push((token, &rest[..length])),
        }
        rest = &rest[length..];
    }
    (pieces, inside)
}

fn is_triple(rest: &str, quote: char) -> bool {
    rest.chars().take(3).filter(|c| *c == quote).count() == 3
}

fn length_while(text: &str, mut fits: impl FnMut(char) -> bool) -> usize {
    text.find(|c| !fits(c)).unwrap_or(text.len())
}

/// The length of a string with its quotes; an unterminated one extends to the end of the line.
fn text_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn python_is_told_apart() {
        let (pieces, inside) = highlight("return f(1.5, 'a\\'b') # x", Language::Python, LineState::Nothing);
        let texts_of =
            |token| pieces.iter().filter(|(t, _)| *t == token).map(|(_, s)| *s).collect::<Vec<_>>();
        assert_eq!(texts_of(Token::Keyword), ["return"]);
        assert_eq!(texts_of(Token::Number), ["1.5"]);
        assert_eq!(texts_of(Token::Text), ["'a\\'b'"]);
        assert_eq!(texts_of(Token::Comment), ["# x"]);
        assert_eq!(inside, LineState::Nothing);
        let (_, inside) = highlight("x = \"\"\"begins", Language::Python, LineState::Nothing);
        assert_eq!(inside, LineState::Triple('"'));
        let (pieces, inside) = highlight("ends\"\"\" if y", Language::Python, inside);
        assert_eq!((pieces[0], inside), ((Token::Text, "ends\"\"\""), LineState::Nothing));
    }

    proptest! {
        #[test]
        fn pieces_are_the_line(line in "[a-z0-9'\"#\\\\ é漢]{0,30}") {
            for language in [Language::Python, Language::Json, Language::Shell, Language::Other] {
                let (pieces, _) = highlight(&line, language, LineState::Nothing);
                prop_assert_eq!(pieces.iter().map(|(_, text)| *text).collect::<String>(), line.clone());
            }
        }
    }
}
