//! Decides whether an answer is an approval. An approving word among others is not.

/// These approve if they are the whole answer.
const PHRASES: [&[&str]; 3] = [&["SOLUTION", "APPROVED"], &["DONE"], &["OKAY", "BYE"]];

/// Whether the whole answer is an approval, ignoring case and punctuation.
pub(super) fn approves(answer: &str) -> bool {
    let words = words(answer);
    PHRASES.iter().any(|phrase| words == *phrase)
}

/// Whether the answer contains such a phrase among other words; then the next card should say how to approve.
pub(super) fn nearly_approves(answer: &str) -> bool {
    let words = words(answer);
    !approves(answer) && PHRASES.iter().any(|phrase| words.windows(phrase.len()).any(|part| part == *phrase))
}

fn words(answer: &str) -> Vec<String> {
    answer
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_uppercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_answer_approves() {
        for yes in ["DONE", "done", " Done! ", "solution approved.", "SOLUTION, APPROVED", "okay, bye!"] {
            assert!(approves(yes), "{yes}");
            assert!(!nearly_approves(yes), "{yes}");
        }
        for nearly in ["not done yet", "we are done", "is the solution approved by legal?", "done?? no"] {
            assert!(!approves(nearly), "{nearly}");
            assert!(nearly_approves(nearly), "{nearly}");
        }
        for no in ["we abandoned it", "undone", "approved", "okay", "bye", "", "don't"] {
            assert!(!approves(no), "{no}");
            assert!(!nearly_approves(no), "{no}");
        }
    }
}
