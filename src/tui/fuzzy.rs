//! Scores how well typed letters fit a line: all must occur in order; closer together and at word starts is better.

/// Higher is better; `None` if a letter is missing.
pub fn score(line: &str, typed: &str) -> Option<i64> {
    let line: Vec<char> = line.to_lowercase().chars().collect();
    let mut total = 0;
    for word in typed.to_lowercase().split_whitespace() {
        total += best_score(&line, &word.chars().collect::<Vec<_>>())?;
    }
    Some(total - i64::try_from(line.len()).unwrap_or(0) / 16)
}

fn best_score(line: &[char], word: &[char]) -> Option<i64> {
    (0..line.len()).filter_map(|start| score_from(line, start, word)).max()
}

fn score_from(line: &[char], start: usize, word: &[char]) -> Option<i64> {
    let (mut at, mut total, mut last) = (start, 0, None);
    for letter in word {
        let position = at + line.get(at..)?.iter().position(|c| c == letter)?;
        let starts_word =
            position == 0 || line.get(position - 1).is_some_and(|before| !before.is_alphanumeric());
        let follows_last = position.checked_sub(1).is_some_and(|before| last == Some(before));
        total += if follows_last { 8 } else { 0 } + if starts_word { 6 } else { 0 };
        total -= i64::try_from(last.map_or(0, |last| position - last)).unwrap_or(0).min(8);
        last = Some(position);
        at = position + 1;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearer_is_better() {
        assert!(score("accept: accept", "acc") > score("show approvals of code", "acc"));
        assert!(score("snooze", "snz").is_some());
        assert_eq!(score("snooze", "zn"), None);
        assert!(score("show what is held", "held") > score("help: all keys elsewhere and", "held"));
        assert_eq!(score("", "a"), None);
        assert!(score("anything", "").is_some());
    }
}
