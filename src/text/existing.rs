//! Names what exists, in an error about something that does not.

/// `accept, edit or ignore`.
pub fn one_of(words: impl IntoIterator<Item = impl Into<String>>) -> String {
    let words: Vec<String> = words.into_iter().map(Into::into).collect();
    match words.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

/// How many names fit into a sentence.
const MAX_NAMED: usize = 8;

/// `there is only Work`, or `there are Archive, Work`.
pub fn there_are(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "there are none".to_owned(),
        1 => format!("there is only {shown}"),
        2..=MAX_NAMED => format!("there are {shown}"),
        _ => format!("there are {shown}, …"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_told_with_or() {
        assert_eq!(
            ["", "a", "a b", "a b c"].map(|words| one_of(words.split_whitespace())),
            ["nothing", "a", "a or b", "a, b or c"]
        );
    }

    #[test]
    fn some_names_stand_for_many() {
        let names = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
        assert_eq!(there_are(&[]), "there are none");
        assert_eq!(there_are(&names(1)), "there is only 0");
        assert_eq!(there_are(&names(2)), "there are 0, 1");
        assert_eq!(there_are(&names(8)), "there are 0, 1, 2, 3, 4, 5, 6, 7");
        assert_eq!(there_are(&names(9)), "there are 0, 1, 2, 3, 4, 5, 6, 7, …");
    }
}
