//! Decides whether an answer to "what else?" means "nothing".

/// Whether the whole answer says that there is no further question.
pub(super) fn is_end(answer: &str) -> bool {
    let words: Vec<String> = answer
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let phrases =
        ["done", "no", "nothing", "no thanks", "no thank you", "thanks", "thank you", "bye", "quit", "exit"];
    phrases.contains(&words.join(" ").as_str())
}

#[cfg(test)]
mod tests {
    use super::is_end;

    #[test]
    fn only_a_whole_answer_ends() {
        for yes in ["done", "No.", "no, thanks!", "Bye"] {
            assert!(is_end(yes), "{yes}");
        }
        for no in ["no doubt by Skrillex", "what is done about it?", "thanks, and this month?", ""] {
            assert!(!is_end(no), "{no}");
        }
    }
}
