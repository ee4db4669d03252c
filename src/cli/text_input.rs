//! Text from the command line or from stdin.

use super::failure::Failure;

/// Text from the command line, or from stdin if it is `-`.
pub(super) fn text_or_stdin(text: &str) -> Result<String, Failure> {
    let words = if text == "-" { read_stdin()? } else { text.to_owned() };
    if words.trim().is_empty() {
        return Err(Failure::usage(match text {
            "-" => "the text is empty: nothing came from stdin",
            _ => "the text is empty; write something, or pipe it in with -",
        }));
    }
    Ok(words.trim_end_matches(['\n', '\r']).to_owned())
}

pub(super) fn read_stdin() -> Result<String, Failure> {
    std::io::read_to_string(std::io::stdin())
        .map_err(|e| Failure::usage(format!("stdin cannot be read: {e}; pipe UTF-8 text into it")))
}
