//! Finds the JSON in an answer: alone, in a fence, among words, after thoughts. It completes and corrects nothing.

use serde_json::Value;

/// How many opening braces are tried.
const MAX_STARTS: usize = 16;

/// The values in `text` that may be the answer, likeliest first: the whole text, or every object in it. A brace in the
/// words before the answer must not hide it. An error says why there is none at its place, without quoting the text.
pub(super) fn values_in(text: &str) -> Vec<Result<Value, String>> {
    let text = without_thoughts(text).trim();
    if let Ok(value) = serde_json::from_str(text) {
        return vec![Ok(value)];
    }
    let mut values = Vec::new();
    let mut after = 0;
    for (at, _) in text.match_indices('{').take(MAX_STARTS) {
        // Objects inside one that was read are part of it.
        if at < after {
            continue;
        }
        let mut stream = serde_json::Deserializer::from_str(&text[at..]).into_iter();
        let read = stream.next().transpose();
        // All that follows is part of an object that was cut.
        let is_cut = read.as_ref().is_err_and(|error: &serde_json::Error| error.is_eof());
        after = if is_cut { text.len() } else { at + stream.byte_offset() };
        values.extend(read.map_err(|error| format!("its JSON object cannot be read: {error}")).transpose());
    }
    if values.is_empty() {
        let why = if text.is_empty() { "it is empty" } else { "it is in words, and holds no JSON object" };
        values.push(Err(why.to_owned()));
    }
    values
}

/// The text after the thoughts that some local servers leave in the answer.
pub(super) fn without_thoughts(text: &str) -> &str {
    let begins = text.trim_start().starts_with("<think>");
    match text.split_once("</think>") {
        // The opening tag may be missing: some chat templates write it themselves.
        Some((thoughts, answer)) if begins || !thoughts.contains("<think>") => answer.trim_start(),
        None if begins => "",
        _ => text,
    }
}

/// The language and the contents of a single fence around the whole text.
pub(super) fn in_fence(text: &str) -> Option<(&str, &str)> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (language, inner) = inner.split_once('\n')?;
    (!inner.contains("```")).then(|| (language.trim(), inner.trim()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_words_fences_and_after_thoughts() {
        for text in [
            "{\"a\": 1}",
            "Here you are:\n```json\n{\"a\": 1}\n```\nAnything else?",
            "<think>{\"a\": 2}? no</think>\n{\"a\": 1}",
            "hm, {\"a\": 2}? no\n</think>\n{\"a\": 1}",
        ] {
            assert_eq!(values_in(text), [Ok(json!({"a": 1}))], "{text}");
        }
        let all = values_in("In the form {like this}: {\"a\": {\"b\": 1}} as asked [1], not {\"c\": 2}");
        let whole: Vec<_> = all.into_iter().flatten().collect();
        assert_eq!(whole, [json!({"a": {"b": 1}}), json!({"c": 2})]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (text, why) in [
            ("no data, sorry [1]", "holds no JSON object"),
            ("<think>so {\"a\": 1}", "empty"),
            ("{\"a\": 1,}", "trailing comma at line 1 column 9"),
            ("```json\n{'a': 1}\n```", "key must be a string"),
            ("{\"a\": \"x", "EOF"),
            ("{\"a\": [1, 2", "EOF"),
            ("{\"a\": {\"b\": 1}, \"c", "EOF"),
        ] {
            let mut values = values_in(text);
            assert_eq!(values.len(), 1, "{text}");
            let error = values.remove(0).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_quoted_tag_is_no_thought() {
        let text = "Between <think> and </think> it thinks.";
        assert_eq!(without_thoughts(text), text);
    }

    #[test]
    fn only_a_fence_around_everything_is_taken_off() {
        assert_eq!(in_fence("```markdown\n# T\n\ntext\n```"), Some(("markdown", "# T\n\ntext")));
        for kept in ["a\n```markdown\nx\n```", "```md\na\n```\nb\n```md\nc\n```"] {
            assert_eq!(in_fence(kept), None, "{kept}");
        }
    }
}
