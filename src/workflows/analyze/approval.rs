//! The words that end an analysis. Other words of approval are read by the model, and shown before they count.

/// These approve if they are the whole answer.
const PHRASES: [&[&str]; 3] = [&["SOLUTION", "APPROVED"], &["DONE"], &["OKAY", "BYE"]];

/// Whether the whole answer is an approval, ignoring case and punctuation.
pub(super) fn approves(answer: &str) -> bool {
    let words = answer.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_uppercase).collect();
    PHRASES.iter().any(|phrase| words == *phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_answer_approves() {
        for yes in ["DONE", "done", " Done! ", "solution approved.", "SOLUTION, APPROVED", "okay, bye!"] {
            assert!(approves(yes), "{yes}");
        }
        for no in
            ["not done yet", "we are done", "done?? no", "undone", "approved", "okay", "bye", "", "don't"]
        {
            assert!(!approves(no), "{no}");
        }
    }
}
